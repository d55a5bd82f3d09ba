"""Breadth-first search with several workers: the hops and trees of one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence
from sssp_support import device_list_fixture

device = device_list_fixture()


def assert_right(graph, source, device, *, directed=True, limit=None):
    expected = oracles.hops(graph, source, directed=directed, limit=limit)
    tree = oracles.smallest_predecessors(graph, expected, directed=directed)
    for form in (graph, wg.Graph(graph)):
        options = {"directed": directed, "limit": limit, "device": device}
        np.testing.assert_array_equal(wg.bfs(form, source, **options), expected)
        hops, predecessors = wg.bfs(form, source, return_predecessors=True, **options)
        assert hops.dtype == predecessors.dtype == np.int32
        np.testing.assert_array_equal(hops, expected)
        np.testing.assert_array_equal(predecessors, tree)


@graphs.over_samples(only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("directed", [True, False])
def test_samples(graph, directed, device):
    for source in {0, graph.shape[0] // 2, graph.shape[0] - 1}:
        assert_right(graph, source, device, directed=directed)
    for limit in (0, 1, 3):
        assert_right(graph, 0, device, directed=directed, limit=limit)


@settings(max_examples=40)
@given(
    drawn=graphs.graphs_with_source(weights="extremes"),
    directed=st.booleans(),
    limit=st.none() | st.integers(0, 4),
)
def test_drawn_graphs(drawn, directed, limit, device):
    assert_right(*drawn, device, directed=directed, limit=limit)


@pytest.mark.heavy
@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(lambda: wg.generators.grid(120, 90, seed=0), id="grid"),
        pytest.param(lambda: wg.generators.rmat(12, 8, seed=1), id="power law"),
    ],
)
def test_larger_graphs(graph, device):
    graph = graph()
    distances = csgraph.dijkstra(graph.to_csr(), indices=5, unweighted=True)
    expected = np.where(np.isinf(distances), -1, distances).astype(np.int32)
    np.testing.assert_array_equal(wg.bfs(graph, 5, device=device), expected)
    alone = wg.bfs(graph, 5, limit=6, return_predecessors=True, device="cpu")
    found = wg.bfs(graph, 5, limit=6, return_predecessors=True, device=device)
    np.testing.assert_array_equal(found, alone)


def test_options(device):
    graph = wg.generators.grid(60, 60, seed=0)
    out, reports = np.empty(graph.n_vertices, np.int32), []
    how = {"out": out, "progress": lambda *report: reports.append(report), "device": device}
    assert wg.bfs(graph, 0, **how) is out
    np.testing.assert_array_equal(out, wg.bfs(graph, 0, device="cpu"))
    done = [done for done, _ in reports]
    assert done == sorted(done)
    with raises_sentence(MemoryError):
        wg.bfs(graph, 0, memory_limit=1 << 10, device=device)


@pytest.mark.parametrize(
    ("device", "error", "parts"),
    [
        ([], ValueError, ("empty list",)),
        (["cpu", None], TypeError, ("None",)),
        (["cpu"] * 65, ValueError, ("65", "64")),
        (["cpu", "cuda:99"], wg.DeviceError, ()),
    ],
)
def test_bad_lists(device, error, parts):
    with raises_sentence(error, *parts):
        wg.bfs(graphs.csr(4, [(0, 1, 1)]), 0, device=device)
