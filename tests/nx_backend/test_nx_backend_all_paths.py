"""The NetworkX backend: all shortest paths, and the nodes nearest to each of several."""

import networkx as nx
import pytest
from hypothesis import given, settings, strategies as st

import networkx_support
from test_nx_backend import NODES, ORDINARY, compare, equal, networkx_graphs

networkx_support.register()

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")

#: Of numbers of one type; sums of others are rounded in their own ways.
EXACT = ("integers", "int64", "large", "fractions", "float32", "float64", "negative")
METHODS = st.sampled_from(["dijkstra", "bellman-ford"])


def same_paths(graph, found, expected):
    assert sorted(map(repr, found)) == sorted(map(repr, expected))


def same_paths_to_all(graph, found, expected):
    found, expected = dict(found), dict(expected)
    assert found.keys() == expected.keys()
    for node, paths in expected.items():
        same_paths(graph, found[node], paths)


def same_paths_of_all(graph, found, expected):
    assert [node for node, _ in found] == [node for node, _ in expected]
    for (_, ours), (_, theirs) in zip(found, expected, strict=True):
        same_paths_to_all(graph, ours, theirs)


@settings(max_examples=60)
@given(
    graph=networkx_graphs(EXACT),
    source=st.sampled_from([*NODES, "none"]),
    target=st.sampled_from([*NODES, "none"]),
    method=METHODS,
)
def test_all_shortest_paths(graph, source, target, method):
    ends = source, target
    compare("all_shortest_paths", graph, *ends, weight="weight", method=method, same=same_paths)
    compare("all_shortest_paths", graph, *ends, same=equal)


@settings(max_examples=40)
@given(graph=networkx_graphs(EXACT), source=st.sampled_from([*NODES, "none"]), method=METHODS)
def test_all_shortest_paths_from_one(graph, source, method):
    name = "single_source_all_shortest_paths"
    compare(name, graph, source, weight="weight", method=method, same=same_paths_to_all)
    compare(name, graph, source, same=equal)


@settings(max_examples=40)
@given(graph=networkx_graphs(EXACT), method=METHODS)
def test_all_shortest_paths_of_all_pairs(graph, method):
    name = "all_pairs_all_shortest_paths"
    compare(name, graph, weight="weight", method=method, same=same_paths_of_all)
    compare(name, graph, same=equal)


def cells_with_distances(graph, cells, centres):
    """Return {node: its distance from the centre of its cell}; None if no centre reaches it."""
    found = {}
    for centre, cell in cells.items():
        near = {}
        if centre in centres:
            near = nx.single_source_dijkstra_path_length(graph, centre)
        found.update((node, near.get(node)) for node in cell)
    return found


@settings(max_examples=60)
@given(
    graph=networkx_graphs((*ORDINARY, "large")),
    centres=st.sets(st.sampled_from([*NODES, "none"]), max_size=3),
)
def test_voronoi_cells(graph, centres):
    def same_cells(graph, found, expected):
        assert set(found) == set(expected)
        assert sum(map(len, found.values())) == len(graph)
        distances = [cells_with_distances(graph, cells, centres) for cells in (found, expected)]
        assert distances[0] == distances[1]

    compare("voronoi_cells", graph, centres, same=same_cells)


def test_cells_without_ties_are_those_of_networkx():
    graph = nx.path_graph(10)
    graph.add_nodes_from(["a", "b"])
    expected = nx.voronoi_cells(graph, {0, 9})
    assert nx.voronoi_cells(graph, {0, 9}, backend="warpgraph") == expected
    with pytest.raises(ValueError, match="sources must not be empty"):
        nx.voronoi_cells(graph, set(), backend="warpgraph")


def test_paths_through_cycles_of_zero_weight_are_simple():
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 1), (1, 2, 0), (2, 3, 0), (3, 1, 0), (3, 4, 1)])
    expected = sorted(nx.all_shortest_paths(graph, 0, 4, weight="weight"))
    found = nx.all_shortest_paths(graph, 0, 4, weight="weight", backend="warpgraph")
    assert sorted(found) == expected == [[0, 1, 2, 3, 4], [0, 1, 3, 4]]
