"""wg.transform.partition: parts for several devices."""

import importlib.util
import itertools
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

import checks
import oracles
import warpgraph as wg
from graphs import SAMPLES, csr_graphs, over_samples
from warpgraph import transform


def has_metis():
    return importlib.util.find_spec("pymetis") is not None


over_ways = pytest.mark.parametrize(
    "way",
    [
        "auto",
        pytest.param("metis", marks=pytest.mark.skipif(not has_metis(), reason="no pymetis")),
        "communities",
        "rcm",
    ],
)


def check_partition(graph, made, n_parts):
    checks.check_renumbered(graph, made)
    starts, new = made.starts.tolist(), made.graph
    assert starts == sorted(starts)
    assert (len(starts), starts[0], starts[-1]) == (n_parts + 1, 0, new.n_vertices)
    work = np.diff(new.indptr) + 1
    for first, last in itertools.pairwise(starts):
        assert work[first:last].sum() <= work.sum() / n_parts + work.max(initial=0) + 1
    tails, heads, _ = oracles.arcs(new.to_csr())
    part_of = np.repeat(np.arange(n_parts), np.diff(starts))
    assert made.report.after == np.count_nonzero(part_of[tails] != part_of[heads])


@over_ways
@over_samples()
@pytest.mark.parametrize("n_parts", [1, 2, 5])
def test_partition_samples(graph, way, n_parts):
    check_partition(graph, transform.partition(graph, n_parts, way), n_parts)


@over_ways
def test_partition_drawn_graphs(way):
    @given(csr_graphs(weights="any"), st.integers(1, 64))
    def is_a_partition(graph, n_parts):
        check_partition(graph, transform.partition(graph, n_parts, way), n_parts)

    is_a_partition()


@over_ways
def test_parts_of_a_grid_have_few_arcs_between(way):
    order = np.random.default_rng(0).permutation(40 * 40)
    mixed = transform.permute(wg.generators.grid(40, 40), order).graph
    made = transform.partition(mixed, 4, way)
    n = made.graph.n_edges
    assert made.report.before > 0.6 * n
    assert made.report.after < 0.1 * n
    distances = np.empty(mixed.n_vertices)
    distances[made.order] = wg.sssp(made.graph, made.inverse[7], device=["cpu"] * 4)
    assert distances.tolist() == wg.sssp(mixed, 7).tolist()


def test_parts_of_a_graph_in_good_order_stay():
    made = transform.partition(wg.Graph(np.diag(np.ones(99), 1)), 3, "auto")
    assert made.report.before == made.report.after == 2


@pytest.mark.parametrize("way", ["auto", "metis"])
@pytest.mark.parametrize("n_parts", [2, 5])
def test_more_parts_than_vertices(capfd, way, n_parts):
    if way == "metis":
        pytest.importorskip("pymetis")
    graph = wg.generators.grid(1, 2)
    check_partition(graph, transform.partition(graph, n_parts, way), n_parts)
    assert capfd.readouterr() == ("", "")


def test_partition_without_metis(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    graph = SAMPLES["grid"]
    check_partition(graph, transform.partition(graph, 2), 2)
    with checks.raises_sentence(ImportError, "pymetis", "warpgraph[metis]"):
        transform.partition(graph, 2, "metis")


@pytest.mark.parametrize("n_parts", [0, 65, -1])
def test_partition_rejects_numbers_of_parts(n_parts):
    with checks.raises_sentence(ValueError, "n_parts", "1..64", str(n_parts)):
        transform.partition(SAMPLES["path"], n_parts)


def test_partition_rejects_strategies():
    with checks.raises_sentence(ValueError, "strategy", "'degree'", "'metis'"):
        transform.partition(SAMPLES["path"], 2, "degree")
