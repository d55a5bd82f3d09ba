"""wg.bottleneck_paths: the heaviest edge of the best path between two vertices."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import checks
import graphs
import oracles
import warpgraph as wg


def ends_of_range(dtype):
    """Return the least and the most weight."""
    if dtype.kind == "f":
        return -np.inf, np.inf
    return np.iinfo(dtype).min, np.iinfo(dtype).max


def minimax(graph, dtype, *, maximum=False):
    """Floyd and Warshall with the heaviest edge in place of the sum."""
    n = graph.shape[0]
    least, most = ends_of_range(dtype)
    best, worst = (max, min) if maximum else (min, max)
    none, one = (least, most) if maximum else (most, least)
    table = [[one if u == v else none for v in range(n)] for u in range(n)]
    for u, v, w in zip(*(a.tolist() for a in oracles.arcs(graph, False)), strict=True):
        if u != v:
            table[u][v] = best(table[u][v], w)
    for k, i, j in itertools.product(range(n), repeat=3):
        table[i][j] = best(table[i][j], worst(table[i][k], table[k][j]))
    return np.array(table, dtype).reshape(n, n)


def all_pairs(n):
    return np.divmod(np.arange(n * n), max(n, 1))


def assert_right(graph):
    n = graph.shape[0]
    for maximum in (False, True):
        forest = wg.minimum_spanning_forest(graph, maximum=maximum)
        expected = minimax(graph, forest.weights.dtype, maximum=maximum).ravel()
        for given_graph in (graph, forest):
            weights, edges = wg.bottleneck_paths(
                given_graph, *all_pairs(n), maximum=maximum, return_edges=True
            )
            checks.assert_same_bits(weights + 0, expected + 0)
            assert edges.dtype == np.int64
            joined = edges >= 0
            assert weights[joined].tolist() == forest.weights[edges[joined]].tolist()
            sources, targets = all_pairs(n)
            apart = forest.labels[sources] != forest.labels[targets]
            assert joined.tolist() == (~apart & (sources != targets)).tolist()


@graphs.over_samples(only=lambda graph: graph.shape[0] < 40)
def test_samples(graph, threads):
    assert_right(graph)


@pytest.mark.parametrize("weights", ["any", "integer", "ties", "extremes"])
def test_drawn_graphs(weights):
    @settings(max_examples=40)
    @given(graphs.csr_graphs(weights=weights, max_vertices=12))
    def agrees(graph):
        assert_right(graph)

    agrees()


@settings(max_examples=40)
@given(graphs.csr_graphs(min_vertices=2, max_vertices=30), st.data())
def test_paths_of_networkx_in_the_tree(graph, data):
    forest = wg.minimum_spanning_forest(graph)
    tree = nx.minimum_spanning_tree(forest.to_networkx())
    vertex = st.integers(0, graph.shape[0] - 1)
    u, v = data.draw(vertex), data.draw(vertex)
    (found,) = wg.bottleneck_paths(graph, [u], [v])
    if u != v and nx.has_path(tree, u, v):
        path = nx.shortest_path(tree, u, v)
        assert found == max(tree.edges[pair]["weight"] for pair in itertools.pairwise(path))
    else:
        assert np.isinf(found) or found in ends_of_range(graph.dtype)


@settings(max_examples=40)
@given(graphs.csr_graphs(weights="any", min_vertices=2, max_vertices=30), st.booleans())
def test_best_paths_are_those_in_the_forest(graph, maximum):
    forest = wg.minimum_spanning_forest(graph, maximum=maximum)
    sources, targets = all_pairs(graph.shape[0])
    found = wg.bottleneck_paths(forest, sources, targets, maximum=maximum)
    weights = {
        frozenset(ends): weight
        for ends, weight in zip(forest.edges.tolist(), forest.weights.tolist(), strict=True)
    }
    how = {"directed": False, "unweighted": True}
    _, indptr, vertices = wg.shortest_paths(forest.to_csr(), sources, targets, **how)
    least, most = ends_of_range(forest.weights.dtype)
    for i, (u, v) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
        path = vertices[indptr[i] : indptr[i + 1]].tolist()
        along = [weights[frozenset(pair)] for pair in itertools.pairwise(path)]
        if along:
            assert (path[0], path[-1]) == (u, v)
            assert found[i] == (min if maximum else max)(along)
        else:
            assert found[i] == (least if (u == v) != maximum else most)


def test_heights_of_single_linkage():
    points = np.random.default_rng(2).random((60, 2))
    tree = wg.cluster.euclidean_mst(points)
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    heights = hierarchy.cophenet(wg.cluster.single_linkage(tree))
    pairs = np.triu_indices(60, 1)
    assert wg.bottleneck_paths(tree, *pairs).tolist() == heights.tolist()


def test_a_forest_in_any_order():
    forest = wg.SpanningForest(5, [[0, 1], [1, 2], [3, 2]], [2.0, 9.0, 4.0])
    weights, edges = wg.bottleneck_paths(forest, [0, 0, 3, 4], [1, 3, 2, 0], return_edges=True)
    assert weights.tolist() == [2, 9, 4, np.inf]
    assert edges.tolist() == [0, 1, 2, -1]
    widest = wg.bottleneck_paths(forest, [0, 0, 4], [1, 3, 0], maximum=True)
    assert widest.tolist() == [2, 2, -np.inf]


def test_a_long_path_and_a_star():
    n = 20_000
    order = np.random.default_rng(1).permutation(n - 1).astype(float)
    for edges in (
        np.stack([np.arange(n - 1), np.arange(1, n)], axis=1),
        np.stack([np.zeros(n - 1, int), np.arange(1, n)], axis=1),
    ):
        forest = wg.SpanningForest(n, edges, order)
        found = wg.bottleneck_paths(forest, [0, 5, 7], [n - 1, 900, 7])
        expected = [order.max(), order[5:900].max(), -np.inf]
        if edges[1, 0] == 0:
            expected = [order[n - 2], max(order[4], order[899]), -np.inf]
        assert found.tolist() == expected


def test_names():
    passes = nx.Graph()
    passes.add_weighted_edges_from([("Chur", "Splügen", 2115), ("Splügen", "Como", 300)], "height")
    passes.add_edge("Chur", "Como", height=2500)
    assert wg.bottleneck_paths(passes, ["Chur"], ["Como"], weight="height").tolist() == [2115]
    forest = wg.minimum_spanning_forest(passes, weight="height")
    assert wg.bottleneck_paths(forest, ["Chur", "Como"], ["Como", "Como"]).tolist() == [
        2115,
        np.iinfo(forest.weights.dtype).min,
    ]
    with checks.raises_sentence(ValueError, "targets", "'Bern'"):
        wg.bottleneck_paths(forest, ["Chur"], ["Bern"])


def test_no_pairs():
    found = wg.bottleneck_paths(graphs.SAMPLES["no_vertices"], [], [])
    assert (found.shape, found.dtype) == ((0,), np.float64)


def test_bad_input():
    graph = graphs.csr(3, [(0, 1, 1.0)])
    with checks.raises_sentence(ValueError, "sources and targets", "2 and 1"):
        wg.bottleneck_paths(graph, [0, 1], [2])
    with checks.raises_sentence(ValueError, "sources[1]", "3"):
        wg.bottleneck_paths(graph, [0, 3], [1, 1])
    cycle = wg.SpanningForest(3, [[0, 1], [1, 2], [0, 2]], [1.0, 2.0, 3.0])
    with checks.raises_sentence(ValueError, "edges[2] is (0, 2)", "cycle"):
        wg.bottleneck_paths(cycle, [0], [2])
    with checks.raises_sentence(ValueError, "weights[1] is NaN"):
        wg.bottleneck_paths(wg.SpanningForest(3, [[0, 1], [1, 2]], [1.0, np.nan]), [0], [2])
    with checks.raises_sentence(MemoryError, "84 bytes are left"):
        wg.bottleneck_paths(wg.SpanningForest(9, [[0, 1]], [1.0]), [0], [1], memory_limit=100)
