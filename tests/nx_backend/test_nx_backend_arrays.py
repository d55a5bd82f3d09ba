"""The arrays that the NetworkX backend makes of a graph: rows in the order of the dictionaries."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import networkx_support
from checks import assert_same_bits

networkx_support.require()

from test_networkx_edges import MAKERS, Saboteur, general, weighted_graphs  # noqa: E402
from warpgraph import _core  # noqa: E402
from warpgraph._arguments import nx_graphs  # noqa: E402
from warpgraph.nx_backend import BackendGraph  # noqa: E402

every_kind = pytest.mark.parametrize("make", MAKERS)


def entries(graph, weight):
    """Return (sizes of rows, heads, weights) as the dictionaries have them, one by one."""
    number = {node: i for i, node in enumerate(graph)}
    sizes, heads, weights = [], [], []
    for row in graph._adj.values():
        before = len(heads)
        for node, edge in row.items():
            for attributes in edge.values() if graph.is_multigraph() else [edge]:
                heads.append(number[node])
                weights.append(attributes.get(weight, 1))
        sizes.append(len(heads) - before)
    return sizes, heads, weights


def check(graph, weight="weight"):
    converted = BackendGraph(graph)
    indptr, indices, data = converted.arrays(weight)
    scale = converted.entries(weight).weights.scale  # of fractions
    sizes, heads, weights = entries(graph, weight)
    assert np.diff(indptr).tolist() == sizes
    assert indices.tolist() == heads
    found = [1] * len(heads) if data is None else data.tolist()
    expected = [type(x)(y * scale) for x, y in zip(found, weights, strict=True)]
    assert list(map(repr, found)) == list(map(repr, expected))  # NaN is no equal of itself


@settings(max_examples=500)
@given(graph=weighted_graphs())
def test_equal_to_the_dictionaries(graph):
    try:
        check(graph)
    except NotImplementedError:
        weights = entries(graph, "weight")[2]
        assert not all(type(weight) is int and abs(weight) < 2**63 for weight in weights)


def random_graph(make, name=int, n=3000, m=9000):
    """Return a graph with a hub, loops and, of a multigraph, parallel edges, added in any order."""
    rng = np.random.default_rng(11)
    tails, heads = rng.integers(0, n, (2, m))
    tails[:500] = 17
    graph = make()
    graph.add_nodes_from(map(name, rng.permutation(n).tolist()))
    ends = zip(tails.tolist(), heads.tolist(), strict=True)
    for i, (u, v) in enumerate(ends):
        graph.add_edge(name(u), name(v), weight=i)
    return graph


@every_kind
@pytest.mark.parametrize("name", [int, str, lambda v: v << 40, lambda v: (v, "x"), np.int64])
def test_large_graphs(make, name):
    graph = random_graph(make, name)
    check(graph)
    assert BackendGraph(graph).arrays("weight")[2] is not None


@pytest.mark.parametrize("make", [nx.Graph, nx.MultiGraph])
@pytest.mark.parametrize("value", [5, 5.0, 2.5])
def test_attributes_that_differ_at_both_ends(make, value):
    graph = random_graph(make)
    u, v = next((u, v) for u, v in graph.edges if u < v) if make is nx.Graph else (17, None)
    v = next(iter(graph._adj[u])) if v is None else v
    graph._adj[v][u] = {"weight": value} if make is nx.Graph else {0: {"weight": value}}
    check(graph)


@pytest.mark.parametrize("make", [nx.Graph, nx.MultiGraph])
def test_edges_that_are_there_one_way_only(make):
    graph = random_graph(make)
    for u, v in ((17, next(iter(graph._adj[17]))), (next(iter(graph._adj[17])), 17)):
        changed = graph.copy()
        del changed._adj[u][v]
        check(changed)


def test_nodes_that_are_compared_by_their_own_methods():
    class Node(int):
        pass

    graph = nx.Graph()
    graph.add_edge(Node(0), Node(1), weight=2)
    graph.add_edge(Node(1), Node(2), weight=3)
    arrays = _core.csr_from_networkx(graph._node, graph._adj, "weight", False, False, True)
    assert [array.tolist() for array in arrays] == [[0, 1, 3, 4], [1, 0, 2, 1], [2, 2, 3, 3]]


def test_nodes_that_replace_attributes_that_were_seen_before(monkeypatch):
    graph = nx.star_graph(200)  # its nodes are compared without methods of their own
    nx.set_edge_attributes(graph, 1, "weight")
    rows = list(graph._adj.values())
    rows[-1][Saboteur(0)] = rows[-1].pop(0)

    def replace():
        for row in rows:
            for node in row:
                row[node] = {"weight": 7}

    monkeypatch.setattr(Saboteur, "sabotage", replace)
    arrays = _core.csr_from_networkx(graph._node, graph._adj, "weight", False, False, False)
    assert arrays[2][:200].tolist() == [1] * 200


def test_nodes_that_move_parallel_edges_while_they_are_compared(monkeypatch):
    graph = nx.MultiGraph()
    graph.add_nodes_from(map(Saboteur, range(3)))
    for tail, head in ((0, 1), (1, 2), (1, 2)):
        graph.add_edge(Saboteur(tail), Saboteur(head), weight=1)
    row = list(graph._adj.values())[1]
    before, after = row.values()
    before, after = dict(before), dict(after)
    for node, edges in zip(row, (before, after), strict=True):
        row[node] = edges

    def move():
        if len(after) == 2:
            before[1] = after.pop(1)

    monkeypatch.setattr(Saboteur, "sabotage", move)
    found = nx_graphs.csr_of(graph, "weight")  # heads and weights are of the same moment
    assert len(after) == 1
    assert_same_bits(found, general(graph, "weight"))


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("weights", [(1, 2.5, 3), (2.5, 1, 1.5)])
def test_integers_among_floats_are_not_mixed_where_types_count(make, weights):
    graph = make()
    graph.add_weighted_edges_from((i, i + 1, weight) for i, weight in enumerate(weights))
    how = "weight", graph.is_directed(), graph.is_multigraph()
    assert _core.csr_from_networkx(graph._node, graph._adj, *how, True) is None
    assert _core.csr_from_networkx(graph._node, graph._adj, *how, False)[2].dtype == np.float64


@pytest.mark.parametrize(
    ("call", "weights"),
    [
        (nx.minimum_spanning_tree, ["weight"]),
        (nx.single_source_dijkstra_path_length, ["weight"]),
        (nx.single_source_shortest_path_length, [None]),
    ],
)
def test_a_call_reads_the_edges_once(monkeypatch, call, weights):
    read, csr_from_networkx = [], _core.csr_from_networkx

    def reads(nodes, adjacency, weight, *how):
        read.append(weight)
        return csr_from_networkx(nodes, adjacency, weight, *how)

    monkeypatch.setattr(_core, "csr_from_networkx", reads)
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 2.5), (1, 2, 1.5), (0, 2, 5.0)])
    source = () if call is nx.minimum_spanning_tree else (0,)
    call(graph, *source, backend="warpgraph")
    assert read == weights
