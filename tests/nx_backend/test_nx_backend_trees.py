"""The NetworkX backend: spanning trees, Floyd and Warshall, Johnson, several sources."""

import gc
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import networkx_support
from test_nx_backend import (
    LENGTHS_AND_PATHS,
    NODES,
    PATHS,
    compare,
    equal,
    networkx_graphs,
    outcome,
)

networkx_support.register()

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")

UNDIRECTED = networkx_graphs(directed=False)
EXTREMES = ("minimum", "maximum")


def unordered(edges):
    return sorted((sorted(map(repr, edge[:2])), repr(edge[2:])) for edge in edges)


@pytest.mark.parametrize("extreme", EXTREMES)
@settings(max_examples=60)
@given(graph=UNDIRECTED, keys=st.booleans(), data=st.booleans(), ignore_nan=st.booleans())
def test_kruskals_edges_come_in_his_order(extreme, graph, keys, data, ignore_nan):
    options = {"keys": keys, "data": data, "ignore_nan": ignore_nan}
    compare(f"{extreme}_spanning_edges", graph, **options)


@pytest.mark.parametrize("extreme", EXTREMES)
@settings(max_examples=60)
@given(graph=UNDIRECTED)
def test_trees_are_networkx_graphs(extreme, graph):
    def same(graph, found, expected):
        assert type(found) is type(expected)
        assert list(found.nodes(data=True)) == list(expected.nodes(data=True))
        assert found.graph == expected.graph
        assert list(found.edges(data=True)) == list(expected.edges(data=True))

    compare(f"{extreme}_spanning_tree", graph, same=same)


@pytest.mark.parametrize("make", [nx.Graph, nx.MultiGraph])
@pytest.mark.parametrize("members", networkx_support.ORDERS.values(), ids=networkx_support.ORDERS)
def test_kruskals_edges_of_subclasses_with_orders_of_their_own(make, members):
    graph = networkx_support.in_own_order(make, members)
    graph.graph["kind"] = "other"  # the backend may leave it to NetworkX
    for shown in (graph, graph.subgraph(range(9))):
        compare("minimum_spanning_edges", shown)


@pytest.mark.parametrize("algorithm", ["prim", "boruvka", "borůvka"])
def test_other_algorithms_find_the_only_tree(algorithm):
    graph = nx.gnm_random_graph(30, 80, seed=3)
    for i, (_, _, data) in enumerate(graph.edges(data=True)):
        data["weight"] = 31 * i % 83
    found = nx.minimum_spanning_edges(graph, algorithm, backend="warpgraph")
    assert unordered(found) == unordered(nx.minimum_spanning_edges(graph))


def test_edges_have_the_attributes_of_the_graph_itself():
    graph = nx.path_graph(3)
    for _, _, data in nx.minimum_spanning_edges(graph, backend="warpgraph"):
        data["seen"] = True
    assert all(data["seen"] for _, _, data in graph.edges(data=True))
    tree = nx.minimum_spanning_tree(graph, backend="warpgraph")
    tree[0][1]["seen"] = False
    assert graph[0][1]["seen"]


def test_trees_of_one_graph_share_nothing():
    graph = nx.cycle_graph(4)
    graph.add_node(0, colour="red")
    first = nx.minimum_spanning_tree(graph, backend="warpgraph")
    first[0][1]["seen"] = True
    first.nodes[0]["colour"] = "blue"
    first.remove_edge(1, 2)
    graph[0][3]["length"] = 5  # attributes are those of now; only weights are kept
    graph.nodes[1]["colour"] = "green"
    second = nx.minimum_spanning_tree(graph, backend="warpgraph")
    assert list(second.edges(data=True)) == [(0, 1, {}), (0, 3, {"length": 5}), (1, 2, {})]
    assert dict(second.nodes(data="colour")) == {0: "red", 1: "green", 2: None, 3: None}


CHANGES = {
    "add_edge": lambda graph: graph.add_edge(0, 5, weight=-3),
    "weight of an edge": lambda graph: graph.add_edge(0, 1, weight=900),
    "add_weighted_edges_from": lambda graph: graph.add_weighted_edges_from([(2, 7, -5)]),
    "remove_edge": lambda graph: graph.remove_edge(*next(iter(graph.edges))),
    "remove_node": lambda graph: graph.remove_node(3),
    "add_node": lambda graph: graph.add_node("new", colour="red"),
    "update": lambda graph: graph.update(edges=[(1, 6, {"weight": -9})]),
    "set_edge_attributes": lambda graph: nx.set_edge_attributes(graph, 1, "weight"),
    "clear_edges": lambda graph: graph.clear_edges(),
    "clear": lambda graph: graph.clear(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_kept_forest_is_not_that_of_a_changed_graph(change):
    graph = nx.gnm_random_graph(12, 30, seed=4)
    for i, (_, _, data) in enumerate(graph.edges(data=True)):
        data["weight"] = 31 * i % 83
    for name in ("minimum_spanning_tree", "maximum_spanning_tree"):
        getattr(nx, name)(graph, backend="warpgraph")
    CHANGES[change](graph)
    for name in ("minimum_spanning_tree", "maximum_spanning_tree"):
        found = getattr(nx, name)(graph, backend="warpgraph")
        expected = getattr(nx, name)(graph)
        assert list(found.nodes(data=True)) == list(expected.nodes(data=True))
        assert list(found.edges(data=True)) == list(expected.edges(data=True))


def test_a_kept_forest_is_not_that_of_other_options():
    graph = nx.complete_graph(5)
    for i, (_, _, data) in enumerate(graph.edges(data=True)):
        data.update(weight=7 * i % 11, length=5 * i % 13, cost=math.nan if i == 3 else i)
    calls = [
        {"weight": weight, "ignore_nan": ignore_nan}
        for weight in ("weight", "length", "none", "cost")
        for ignore_nan in (True, False)
    ]
    for _ in range(2):
        for options in calls:
            for name in ("minimum_spanning_edges", "maximum_spanning_edges"):
                compare(name, graph, **options)
                compare(name, graph, data=False, **options)


class Node:
    """A node that can be told to fail."""

    fails = False

    def __hash__(self):
        if Node.fails:
            raise ArithmeticError
        return 7


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_garbage_collector_is_as_before(monkeypatch, is_enabled):
    graph = nx.path_graph([Node(), Node(), Node()])
    was_enabled = gc.isenabled()
    try:
        (gc.enable if is_enabled else gc.disable)()
        first = nx.minimum_spanning_tree(graph, backend="warpgraph")
        assert gc.isenabled() == is_enabled
        monkeypatch.setattr(Node, "fails", True)
        with pytest.raises(ArithmeticError):
            nx.minimum_spanning_tree(graph, backend="warpgraph")
        assert gc.isenabled() == is_enabled
        monkeypatch.setattr(Node, "fails", False)
        second = nx.minimum_spanning_tree(graph, backend="warpgraph")
        assert list(second.edges) == list(first.edges)
    finally:
        (gc.enable if was_enabled else gc.disable)()


@pytest.mark.parametrize(
    ("graph", "options", "error"),
    [
        (nx.path_graph(3), {"algorithm": "best"}, ValueError),
        (nx.DiGraph([(0, 1)]), {}, nx.NetworkXNotImplemented),
        (nx.MultiGraph([(0, 1)]), {"algorithm": "boruvka"}, nx.NetworkXNotImplemented),
        (nx.Graph([(0, 1, {"weight": math.nan})]), {}, ValueError),
    ],
)
def test_errors_of_trees(graph, options, error):
    with pytest.raises(error) as expected:
        nx.minimum_spanning_tree(graph, **options)
    with pytest.raises(error) as found:
        nx.minimum_spanning_tree(graph, backend="warpgraph", **options)
    assert str(found.value) == str(expected.value)


@settings(max_examples=60)
@given(graph=networkx_graphs(), nodes=st.sets(st.sampled_from(NODES), max_size=3))
@pytest.mark.parametrize("cutoff", [None, 0, 2.5])
def test_several_sources(graph, nodes, cutoff):
    compare("multi_source_dijkstra_path_length", graph, nodes, cutoff=cutoff)
    compare("multi_source_dijkstra_path", graph, nodes, cutoff=cutoff, same=from_any_source)


def from_any_source(graph, found, expected):
    """Compare sets of targets; lengths are compared by the test."""
    assert found.keys() == expected.keys()
    assert all(path[-1] == target for target, path in found.items())


@settings(max_examples=60)
@given(graph=networkx_graphs(kinds=("integers", "floats", "negative", "both")))
def test_all_pairs(graph):
    compare("floyd_warshall", graph, same=same_floats)
    compare("floyd_warshall_numpy", graph, same=same_arrays)
    compare("johnson", graph, same=lambda _, a, b: [PATHS(graph, a[u], b[u]) for u in b])


def same_arrays(graph, found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def same_floats(graph, found, expected):
    assert found.keys() == expected.keys()
    for node, lengths in expected.items():
        assert found[node].keys() == lengths.keys()
        for target, length in lengths.items():
            assert math.isclose(found[node][target], length, rel_tol=1e-9)


@settings(max_examples=60)
@given(graph=networkx_graphs(), node=st.sampled_from(NODES))
def test_goldberg_and_radzik(graph, node):
    def same(graph, found, expected):
        equal(graph, found[1], expected[1])
        assert found[0].keys() == expected[0].keys()

    compare("goldberg_radzik", graph, node, same=same)


@settings(max_examples=30)
@given(
    graph=networkx_graphs(),
    node=st.sampled_from(NODES),
    cutoff=st.sampled_from([None, -1, 0, 0.5, 1, 2.5]),
)
def test_cutoffs(graph, node, cutoff):
    if cutoff != -1:
        compare("single_source_dijkstra", graph, node, cutoff=cutoff, same=LENGTHS_AND_PATHS)
    compare("single_source_shortest_path_length", graph, node, cutoff=cutoff)
    compare("single_source_shortest_path", graph, node, cutoff=cutoff)
    compare("single_target_shortest_path", graph, node, cutoff=cutoff)
    compare("predecessor", graph, node, cutoff=cutoff, return_seen=True)
    compare("bfs_edges", graph, node, depth_limit=cutoff)
    compare("bfs_edges", graph, node, reverse=True)


@settings(max_examples=30)
@given(graph=networkx_graphs(), nodes=st.sets(st.sampled_from(NODES), min_size=1, max_size=3))
def test_parts_of_a_graph(graph, nodes):
    compare("bfs_layers", graph, nodes)
    kind = graph.graph["kind"]
    part = graph.subgraph(nodes)  # its mappings are no dictionaries
    part.graph["kind"] = kind
    # NetworkX runs it where it adds floats to others: inf to decimals, 1.0 to fractions and float32
    # where an edge has no weight.
    lacks_weight = any("weight" not in data for *_, data in part.edges(data=True))
    if kind != "decimals" and not (kind in ("fractions", "float32") and lacks_weight):
        compare("floyd_warshall", part, same=same_floats)
    compare("bfs_tree", graph, next(iter(nodes)), same=same_tree)


def same_tree(graph, found, expected):
    assert list(found.nodes) == list(expected.nodes)
    assert list(found.edges) == list(expected.edges)
    assert found._pred == expected._pred


def test_an_unknown_function_is_not_there():
    assert outcome(lambda: nx.pagerank(nx.path_graph(2), backend="warpgraph"))[0] == "value"
    assert (
        outcome(lambda: nx.square_clustering(nx.path_graph(2), backend="warpgraph"))[0] != "value"
    )


def weighted_graph(name, n=900):
    """Return a graph with a hub and equal weights, whose nodes and edges are in no order."""
    rng = np.random.default_rng(5)
    graph = nx.Graph(name="drawn")
    graph.add_nodes_from((name(v), {"number": v}) for v in rng.permutation(n).tolist())
    for u, v in rng.integers(0, n, (4 * n, 2)).tolist():
        graph.add_edge(name(u), name(v), weight=int(rng.integers(9)), colour="red")
    graph.add_edges_from((name(0), name(v)) for v in range(1, n, 3))
    return graph


def row_orders(graph):
    return {node: list(row.items()) for node, row in graph._adj.items()}


@pytest.mark.parametrize("extreme", EXTREMES)
@pytest.mark.parametrize("name", [int, str, lambda v: (v % 30, v // 30), lambda v: v << 70])
def test_trees_of_many_edges(extreme, name):
    graph = weighted_graph(name)
    expected = getattr(nx, f"{extreme}_spanning_tree")(graph)
    found = getattr(nx, f"{extreme}_spanning_tree")(graph, backend="warpgraph")
    assert list(found._adj) == list(expected._adj)
    assert row_orders(found) == row_orders(expected)
    assert found._node == expected._node
    for u, v, data in found.edges(data=True):
        assert found._adj[v][u] is data
        assert graph._adj[u][v] is not data
    edges = getattr(nx, f"{extreme}_spanning_edges")
    assert list(edges(graph, backend="warpgraph")) == list(edges(graph))
    assert list(edges(graph, data=False, backend="warpgraph")) == list(edges(graph, data=False))


def test_edges_are_searched_for_when_the_iterator_begins():
    graph = nx.Graph([(0, 1, {"weight": math.nan})])
    found = nx.minimum_spanning_edges(graph, backend="warpgraph")
    with pytest.raises(ValueError, match="NaN found as an edge weight"):
        next(found)


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph])
def test_breadth_first_trees_of_many_edges(make):
    graph = nx.gnm_random_graph(800, 3000, seed=4, directed=make is nx.DiGraph)
    found, expected = nx.bfs_tree(graph, 0, backend="warpgraph"), nx.bfs_tree(graph, 0)
    assert list(found._adj) == list(expected._adj)
    assert row_orders(found) == row_orders(expected)
    assert found._pred == expected._pred
