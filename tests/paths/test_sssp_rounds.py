"""wg.sssp in rounds of several GPUs: the bits of one device, and the same errors."""

import logging

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_array

import checks
import warpgraph as wg
from device_lists import plan_for
from graphs import csr, graphs_with_source, has_negative, over_samples
from sssp_support import (
    DTYPES,
    assert_as_on_cores,
    assert_same,
    gpu_list_fixture,
)
from test_sssp import LIMITS, larger

__all__ = ["larger"]

team = gpu_list_fixture()


@pytest.fixture(params=["near_far", "bellman_ford"])
def rounds(request):
    """How a team of GPUs searches in rounds."""
    return {"method": request.param}


@over_samples(negative=False, only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("directed", [True, False])
def test_samples(graph, directed, team, rounds):
    n = graph.shape[0]
    assert_as_on_cores(graph, n // 2, team, directed=directed, **rounds)
    assert_as_on_cores(graph, 0, team, directed=directed, limit=2.5, targets=[n - 1], **rounds)


@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties"])
def test_drawn_graphs(weights, team, rounds):
    @settings(max_examples=6 if checks.EMULATED else 40)
    @given(graphs_with_source(weights=weights), st.booleans(), LIMITS)
    def agrees(drawn, directed, limit):
        graph, source = drawn
        if has_negative(graph):
            return
        assert_as_on_cores(graph, source, team, directed=directed, limit=limit, **rounds)
        if graph.dtype.kind == "i":
            assert_as_on_cores(graph, source, team, dtype=graph.dtype, **rounds)

    agrees()


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype, team, rounds):
    rng = np.random.default_rng(5)
    n, m = 300, 3000
    ends = rng.integers(0, n, (2, m))
    graph = wg.Graph.from_edges(*ends, rng.integers(0, 60, m), n_vertices=n)
    assert_as_on_cores(graph, 7, team, dtype=dtype, **rounds)
    assert_as_on_cores(graph, 7, team, dtype=dtype, unweighted=True, **rounds)


def test_power_law(team, rounds):
    graph = wg.generators.rmat(8 if checks.EMULATED else 15, 16, seed=3)
    for source in (0, graph.n_vertices // 3):
        assert_as_on_cores(graph, source, team, **rounds)
    assert_as_on_cores(graph, 5, team, targets=[1, 2, 1], **rounds)
    kept = graph.nbytes
    assert_as_on_cores(graph, 5, team, **rounds)
    assert graph.nbytes == kept


@pytest.mark.skipif(checks.EMULATED, reason="takes too long in emulation")
def test_larger_graphs(larger, team, rounds):
    graph, expected, tree = larger
    found = wg.sssp(graph, 7, return_predecessors=True, device=team, **rounds)
    assert_same(found[0], expected)
    assert_same(found[1], tree)


def test_a_path_that_changes_its_part_at_each_step(team, rounds):
    n = 40
    order = np.arange(n).reshape(8, n // 8).T.ravel()
    weights = np.where(np.arange(n - 1) % 5 == 0, 1e9, 0.1)
    graph = wg.Graph.from_edges(order[:-1], order[1:], weights, n_vertices=n)
    expected = np.empty(n)
    expected[order] = np.cumsum([0.0, *weights])
    assert_same(wg.sssp(graph, 0, device=team, **rounds), expected)


def test_options(team, rounds):
    graph, reports = wg.generators.rmat(7, 16, seed=3), []
    how = {"device": team, **rounds}
    expected = wg.sssp(graph, 0, device="cpu")
    out = np.empty_like(expected)
    report = lambda *report: reports.append(report)  # noqa: E731
    assert wg.sssp(graph, 0, out=out, progress=report, **how) is out
    assert_same(out, expected)
    assert reports == sorted(reports)
    assert reports[-1] == (graph.n_vertices, graph.n_vertices)
    with checks.raises_sentence(MemoryError, "shortest paths", "several devices"):
        wg.sssp(graph, 0, memory_limit=1 << 10, **how)
    with checks.raises_sentence(OverflowError):
        wg.sssp(csr(3, [(0, 1, 2**30), (1, 2, 2**30)]), 0, dtype=np.int32, **how)
    if rounds["method"] != "bellman_ford":
        with checks.raises_sentence(ValueError, "negative", "bellman_ford"):
            wg.sssp(csr(3, [(0, 1, -1)]), 0, **how)

    def fail(done, total):
        raise ArithmeticError("enough")

    with pytest.raises(ArithmeticError, match="enough"):
        wg.sssp(graph, 0, progress=fail, **how)
    assert_same(wg.sssp(graph, 0, **how), expected)


def test_delta_stepping_on_several_gpus_is_near_far():
    facts = {"n_vertices": 100, "n_arcs": 1000, "has_negative": False}
    facts |= {"levels": 4, "longest_row": 20}
    how = {"device": ["cuda:0", "cuda:1"], "method": "delta_stepping"}
    assert plan_for("sssp", facts, **how).method == "near_far"
    negative = plan_for("sssp", facts | {"has_negative": True}, **how)
    assert negative.method == "delta_stepping"  # the message says so
    assert plan_for("sssp", facts, **how | {"device": ["cpu"] * 2}).method == "delta_stepping"


def test_several_gpus_search_in_rounds(team, caplog):
    with caplog.at_level(logging.INFO, "warpgraph"):
        assert_as_on_cores(wg.generators.grid(5, 5, seed=0), 0, team)
    assert "chose near_far" in caplog.text


def test_several_gpus_relax_all_edges_of_graphs_with_a_hub(team, caplog):
    matrix = wg.generators.rmat(9, 4, seed=3).to_csr().toarray()
    matrix[0, 1:] = matrix[1:, 0] = 100
    graph = wg.Graph(csr_array(matrix))
    with caplog.at_level(logging.INFO, "warpgraph"):
        for _ in range(2):
            assert_as_on_cores(graph, 0, team)
    assert "chose bellman_ford" in caplog.text
