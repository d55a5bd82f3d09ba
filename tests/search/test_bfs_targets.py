"""Breadth-first search to some vertices: their hops, and the tree that leads to them."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence
from sssp_support import over_devices_and_workers
from warpgraph import _core


def cut(hops, targets):
    """Forget the vertices that are farther than the farthest target, if all can be reached."""
    if not len(targets):
        return np.full_like(hops, -1)
    found = hops[targets]
    return hops if (found < 0).any() else np.where(hops > found.max(), -1, hops)


def assert_right(graph, source, targets, device, *, directed=True, limit=None):
    everywhere = oracles.hops(graph, source, directed=directed, limit=limit)
    tree = oracles.smallest_predecessors(graph, cut(everywhere, targets), directed=directed)
    how = {"directed": directed, "limit": limit, "targets": targets, "device": device}
    for form in (graph, wg.Graph(graph)):
        alone = wg.bfs(form, source, **how)
        hops, predecessors = wg.bfs(form, source, return_predecessors=True, **how)
        assert alone.dtype == hops.dtype == predecessors.dtype == np.int32
        np.testing.assert_array_equal(alone, everywhere[targets])
        np.testing.assert_array_equal(hops, everywhere[targets])
        np.testing.assert_array_equal(predecessors, tree)


@over_devices_and_workers
@graphs.over_samples(only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("directed", [True, False])
def test_samples(graph, directed, device):
    n = graph.shape[0]
    for targets in ([], [0], [n - 1], [n // 2, 0, n // 2], range(n)):
        assert_right(graph, 0, np.array(targets, np.int32), device, directed=directed)
        assert_right(graph, 0, np.array(targets, np.int32), device, directed=directed, limit=2)


@settings(max_examples=40)
@given(
    drawn=graphs.graphs_with_source(weights="extremes"),
    data=st.data(),
    directed=st.booleans(),
    limit=st.none() | st.integers(0, 4),
)
def test_drawn_graphs(drawn, data, directed, limit, device):
    graph, source = drawn
    vertices = st.lists(st.integers(0, graph.shape[0] - 1), max_size=5)
    targets = np.array(data.draw(vertices), np.int32)
    assert_right(graph, source, targets, device, directed=directed, limit=limit)


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(lambda: wg.generators.grid(300, 250, seed=0), id="grid"),
        pytest.param(lambda: wg.generators.rmat(12, 8, seed=1), id="power law"),
    ],
)
def test_all_directions_and_regimes(graph, device):
    """Levels of a queue, of a sweep and from below; a strip that is deep."""
    graph = graph()
    matrix = graph.to_csr()
    hops = oracles.hops(matrix, 5)
    for depth in {0, 1, 2, 3, int(hops.max()) // 2, int(hops.max())}:
        there = np.flatnonzero(hops == depth)
        targets = np.r_[there[-1], 5, there[:3]]
        found, tree = wg.bfs(graph, 5, targets=targets, return_predecessors=True, device=device)
        np.testing.assert_array_equal(found, hops[targets])
        near = np.where(hops > depth, -1, hops)
        np.testing.assert_array_equal(tree, oracles.smallest_predecessors(matrix, near))


def test_the_search_ends_once_all_targets_are_reached():
    graph, reached = wg.generators.grid(400, 400, seed=0), []
    how = {"progress": lambda done, total: reached.append(done), "device": "cpu"}
    hops = wg.bfs(graph, 0, targets=[3, 401], **how)
    assert hops.tolist() == [3, 2]
    assert reached.pop() == graph.n_vertices  # all are done with
    assert max(reached) < 100


@pytest.mark.parametrize("targets", [[5], [], [7, 900]])
@pytest.mark.parametrize("options", [{}, {"limit": 2}, {"directed": False}], ids=str)
def test_progress_ends_at_the_total(targets, options, device):
    n = 1000
    path = wg.Graph.from_edges(np.arange(n - 1), np.arange(1, n), n_vertices=n)
    for devices in (device, [device] * 2):
        reports = []
        how = {"progress": lambda *report: reports.append(report), "device": devices}  # noqa: B023
        wg.bfs(path, 0, targets=targets, **options, **how)
        assert reports[-1] == (n, n)
        assert reports == sorted(reports)


@pytest.mark.parametrize("targets", [[], [4], [3, 0], range(5)])
def test_reference(targets):
    graph = graphs.csr(5, [(0, 1, 1), (1, 2, 1), (2, 3, 1)])
    hops, tree = np.empty(5, np.int32), np.empty(5, np.int32)
    ends = np.array(targets, np.int32)
    _core.bfs_reference(wg.Graph(graph)._handle, hops, tree, ends, source=0)
    expected = oracles.hops(graph, 0)
    expected = cut(expected, ends) if len(ends) else expected  # no targets: all vertices
    np.testing.assert_array_equal(hops, expected)
    np.testing.assert_array_equal(tree, oracles.smallest_predecessors(graph, expected))


def test_out(device):
    graph, out = wg.generators.grid(20, 20, seed=0), np.empty(3, np.int32)
    assert wg.bfs(graph, 0, targets=[399, 0, 21], out=out, device=device) is out
    assert out.tolist() == [38, 0, 2]
    with raises_sentence(ValueError, "(400,)", "(3,)"):
        wg.bfs(graph, 0, targets=[399, 0, 21], out=np.empty(400, np.int32), device=device)
    with raises_sentence(ValueError, "400"):
        wg.bfs(graph, 0, targets=[400], device=device)
    with raises_sentence(MemoryError):
        wg.bfs(graph, 0, targets=[1], memory_limit=1 << 10, device=device)


def test_names_and_several_sources():
    graph = nx.path_graph(["a", "b", "c", "d", "e"])
    assert wg.bfs(graph, "b", targets=["e", "a", "e"]).tolist() == [3, 1, 3]
    hops, trees = wg.bfs(graph, ["b", "d"], targets=["a", "c"], return_predecessors=True)
    assert hops.tolist() == [[1, 1], [3, 1]]
    assert trees.tolist() == [[1, -1, 1, -1, -1], [1, 2, 3, -1, 3]]
    assert wg.bfs(graph, ["b", "d"], targets=[]).shape == (2, 0)
    with raises_sentence(ValueError, "z"):
        wg.bfs(graph, "b", targets=["z"])
