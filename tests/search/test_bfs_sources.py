"""Breadth-first search from several sources, and from several vertices of one kept graph."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence


def directed_hubs(n=20_000, m=400_000):
    """Arcs one way, many per vertex, with hubs: some vertices are unreached, some without arcs."""
    ends = (n * np.random.default_rng(17).random((m, 2)) ** 3).astype(np.int32)
    return sp.coo_array((np.ones(m), (ends[:, 0], ends[:, 1])), (n, n)).tocsr()


def test_a_directed_graph_that_is_searched_again_and_again(device):
    """The graph is transposed once, and levels then run bottom-up, with the same results."""
    matrix = directed_hubs()
    graph = wg.Graph(matrix)
    for source in (0, 3, 11, 200, 1500, 19_000, 19_999):
        hops, tree = wg.bfs(graph, source, return_predecessors=True, device=device)
        np.testing.assert_array_equal(hops, oracles.hops(matrix, source))
        np.testing.assert_array_equal(tree, oracles.smallest_predecessors(matrix, hops))
    assert graph._known("transposed") is not None
    np.testing.assert_array_equal(
        wg.bfs(graph, 3, limit=2, device=device), oracles.hops(matrix, 3, limit=2)
    )


def test_a_graph_is_not_transposed_within_a_memory_limit():
    graph = wg.Graph(directed_hubs(2_000, 40_000))
    for _ in range(8):
        wg.bfs(graph, 0, memory_limit=1 << 24, device="cpu")
    assert graph._known("transposed") is None


def assert_right_from_several(graph, sources, device, **options):
    expected = np.array([oracles.hops(graph, source, **options) for source in sources], np.int32)
    expected = expected.reshape(len(sources), graph.shape[0])
    directed = options.get("directed", True)
    for form in (graph, wg.Graph(graph)):
        alone = wg.bfs(form, sources, device=device, **options)
        assert alone.dtype == np.int32
        np.testing.assert_array_equal(alone, expected)
        hops, trees = wg.bfs(form, sources, return_predecessors=True, device=device, **options)
        np.testing.assert_array_equal(hops, expected)
        for row, tree in zip(hops, trees, strict=True):
            np.testing.assert_array_equal(
                tree, oracles.smallest_predecessors(graph, row, directed=directed)
            )


@graphs.over_samples(only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("directed", [True, False])
def test_samples_from_several(graph, directed, device):
    n = graph.shape[0]
    assert_right_from_several(graph, [0, n // 2, n - 1, 0], device, directed=directed)


@settings(max_examples=40)
@given(
    drawn=graphs.graphs_with_source(weights="extremes"),
    directed=st.booleans(),
    limit=st.none() | st.integers(0, 4),
    steps=st.lists(st.integers(0, 50), max_size=6),
)
def test_drawn_graphs_from_several(drawn, directed, limit, steps, device):
    graph, source = drawn
    sources = [(source + step) % graph.shape[0] for step in steps]
    assert_right_from_several(graph, sources, device, directed=directed, limit=limit)


@pytest.mark.parametrize("both_ways", [False, True])
@pytest.mark.parametrize("k", [2, 64, 65, 300])
def test_hubs_from_many(k, both_ways, device):
    matrix = directed_hubs(3_000, 60_000)
    if both_ways:
        matrix = sp.csr_array(matrix + matrix.T)
    graph = wg.Graph(matrix)
    sources = np.random.default_rng(k).integers(0, 3_000, k)
    expected = csgraph.dijkstra(matrix, indices=sources, unweighted=True)
    expected = np.where(np.isinf(expected), -1, expected)
    np.testing.assert_array_equal(wg.bfs(graph, sources, device=device), expected)
    out = np.full((k, 3_000), 5, np.int32)
    assert wg.bfs(graph, sources.tolist(), out=out, device=device) is out
    np.testing.assert_array_equal(out, expected)


def test_sources_by_name():
    graph = wg.Graph(graphs.csr(3, [(0, 1, 1), (1, 2, 1)]), names=[("a", 1), ("b", 2), "c"])
    assert wg.bfs(graph, ("b", 2)).tolist() == [-1, 0, 1]
    assert wg.bfs(graph, [("b", 2), "c"]).tolist() == [[-1, 0, 1], [-1, -1, 0]]
    assert wg.bfs(graphs.csr(2, [(0, 1, 1)]), (0, 1)).tolist() == [[0, 1], [-1, 0]]
    assert wg.bfs(graph, []).shape == (0, 3)
    with raises_sentence(ValueError, "source[1]", "7"):
        wg.bfs(graphs.csr(2, [(0, 1, 1)]), [0, 7])
    with raises_sentence(TypeError, "source", "integers", "float64"):
        wg.bfs(graphs.csr(2, [(0, 1, 1)]), [0, 0.5])
    with raises_sentence(ValueError, "source", "list of vertices", "(1, 2)"):
        wg.bfs(graphs.csr(2, [(0, 1, 1)]), [[0, 1]])
    with raises_sentence(ValueError, "source[0]", "'d'"):
        wg.bfs(graph, ["d"])


@pytest.mark.parametrize("return_predecessors", [False, True])
def test_errors_of_memory_do_not_ask_for_a_dtype(return_predecessors):
    graph = wg.generators.grid(100, 100, seed=1)
    options = {"memory_limit": 500, "return_predecessors": return_predecessors, "device": "cpu"}
    with pytest.raises(MemoryError, match=r"500 bytes .* raise memory_limit") as caught:
        wg.bfs(graph, range(100), **options)
    assert "dtype" not in str(caught.value)
