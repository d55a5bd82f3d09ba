"""Integers beyond 2^53: exact where asked for, and a warning where the default rounds them."""

import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

import graphs
import oracles
import warpgraph as wg
import warpgraph.csgraph as csgraph

pytestmark = pytest.mark.filterwarnings("error")

EXACT = 2**53
WARNING = r"integer weights add up to 2\*\*53 or more, .* dtype='int64' asks for exact ones"

#: Distances from vertex 0 to vertex 2 in a way that leads to each search.
CALLS = {
    "sssp": lambda g, **how: wg.sssp(g, 0, **how)[2],
    "sssp, targets": lambda g, **how: wg.sssp(g, 0, targets=[2], **how)[0],
    "sssp, undirected": lambda g, **how: wg.sssp(g, 0, directed=False, **how)[2],
    "sssp, out": lambda g, **how: wg.sssp(g, 0, out=np.empty(3, how.get("dtype")), **how)[2],
    "many_to_many": lambda g, **how: wg.many_to_many(g, [0, 1], **how)[0, 2],
    "many_to_many, targets": lambda g, **how: wg.many_to_many(g, [0], [2], **how)[0, 0],
    "batched": lambda g, **how: wg.many_to_many(g, [0], method="batched", **how)[0, 2],
    "hierarchy": lambda g, **how: wg.many_to_many(g, [0], method="hierarchy", **how)[0, 2],
    "johnson": lambda g, **how: wg.many_to_many(g, [0], method="johnson", **how)[0, 2],
    "min_only": lambda g, **how: wg.many_to_many(g, [0], min_only=True, **how)[0][2],
    "floyd_warshall": lambda g, **how: wg.apsp(g, method="floyd_warshall", **how)[0, 2],
    "apsp": lambda g, **how: wg.apsp(g, method="many_to_many", **how)[0, 2],
    "bidirectional": lambda g, **how: wg.shortest_path(g, 0, 2, method="bidirectional", **how)[0],
    "dijkstra": lambda g, **how: wg.shortest_path(g, 0, 2, method="dijkstra", **how)[0],
    "path in a hierarchy": lambda g, **how: wg.shortest_path(g, 0, 2, method="hierarchy", **how)[0],
    "k_shortest_paths": lambda g, **how: wg.k_shortest_paths(g, 0, 2, 1, **how)[0][0],
}
BY_NAME = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def line(first, second, dtype=np.int64):
    return graphs.csr(3, [(0, 1, first), (1, 2, second)], dtype)


@pytest.mark.parametrize("weights", [(EXACT + 1, 0), (EXACT, 1), (2**52, 2**52 + 1)], ids=str)
@BY_NAME
def test_sums_that_are_rounded(call, weights):
    graph = line(*weights)
    for kept in (graph, wg.Graph(graph)):
        with pytest.warns(UserWarning, match=WARNING) as found:
            assert call(kept) == EXACT
        assert len(found) == 1
        assert found[0].filename == __file__
        # Whoever asks for a type knows it.
        assert call(kept, dtype="int64") == EXACT + 1
        assert call(kept, dtype="float64") == EXACT
        assert call(kept, dtype="float32") == EXACT


@BY_NAME
def test_sums_that_are_exact(call):
    for weights in [(EXACT - 1, 0), (2**52, 2**52 - 1), (1, 1)]:
        assert call(line(*weights)) == sum(weights)
    assert call(line(2.0**60, 1.0, np.float64)) == 2.0**60
    assert call(line(2**31 - 1, 2**31 - 1, np.int32)) == 2**32 - 2


def test_weights_that_no_path_needs():
    """They were rounded, but every distance is exact."""
    graph = graphs.csr(3, [(0, 1, 5), (1, 2, 7), (0, 2, EXACT + 1), (2, 2, EXACT + 1)], np.int64)
    assert wg.sssp(graph, 0).tolist() == [0, 5, 12]
    assert wg.apsp(graph)[0].tolist() == [0, 5, 12]
    assert wg.sssp(graph, 0, unweighted=True).tolist() == [0, 1, 1]


def test_negative_weights():
    """A small distance may be the difference of numbers that were rounded."""
    graph = line(EXACT + 1, -EXACT)
    for call in (CALLS["sssp, targets"], CALLS["johnson"]):
        with pytest.warns(UserWarning, match=WARNING):
            call(graph)
        assert call(graph, dtype="int64") == 1


def test_other_ways_in():
    exact = EXACT + 1
    roads = nx.DiGraph()
    roads.add_edge("a", "b", weight=exact)
    table = wg.Graph.from_edges(np.array([0]), np.array([1]), np.array([exact], np.uint64))
    for graph, source in ((roads, "a"), (table, 0), (np.array([[0, exact], [0, 0]]), 0)):
        with pytest.warns(UserWarning, match=WARNING):
            wg.sssp(graph, source)
        assert wg.sssp(graph, source, dtype="int64")[1] == exact
    # Forests keep the type of the weights.
    forest = wg.minimum_spanning_forest(table)
    assert (forest.weights[0], forest.total_weight) == (exact, exact)


def test_the_backend_for_networkx_is_exact():
    for name in ("dijkstra_path_length", "bellman_ford_path_length", "shortest_path_length"):
        roads = nx.DiGraph([("a", "b", {"weight": EXACT + 1}), ("b", "c", {"weight": 2**60})])
        search = getattr(nx, name)
        found = search(roads, "a", "c", weight="weight", backend="warpgraph")
        assert (found, type(found)) == (EXACT + 1 + 2**60, int)


def test_csgraph_rounds_as_scipy_does():
    """Its page says so."""
    graph = line(EXACT + 1, 0)
    assert csgraph.dijkstra(graph)[0, 2] == EXACT


def test_heights_of_dendrograms():
    graph = graphs.csr(3, graphs.both_ways([(0, 1, EXACT + 1), (1, 2, EXACT)]), np.int64)
    match = rf"float64, which rounds weights beyond 2\*\*53 such as {EXACT + 1}; the weights"
    with pytest.warns(UserWarning, match=match):
        wg.cluster.single_linkage(graph)
    with pytest.warns(UserWarning, match=match):
        _ = wg.cluster.MSTClustering(metric="precomputed").fit(graph).linkage_
    with pytest.warns(UserWarning, match=f"core distances are float64, .* such as {EXACT + 1}"):
        wg.cluster.core_distances(wg.Graph(graph), 2)
    wg.cluster.single_linkage(graphs.csr(2, [(0, 1, EXACT)], np.int64))


@given(data=st.data())
def test_without_a_warning_all_distances_are_exact(data):
    n = data.draw(st.integers(1, 6))
    vertex = st.integers(0, n - 1)
    weight = st.sampled_from(
        [0, 1, 2**51, 2**52 - 1, 2**52, EXACT - 1, EXACT, EXACT + 1, 2**60 + 1]
    )
    edges = data.draw(st.lists(st.tuples(vertex, vertex, weight), max_size=3 * n))
    graph = graphs.csr(n, edges, np.int64)
    exact = [oracles.whole_distances(graph, source) for source in range(n)]
    largest = max(d for row in exact for d in row if d is not None)
    for method in ("floyd_warshall", "many_to_many"):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = wg.apsp(graph, method=method)
        assert bool(said) == (largest >= EXACT)
        if not said:
            assert found.tolist() == [[np.inf if d is None else d for d in row] for row in exact]
