"""What the NetworkX backend leaves to NetworkX, and views, whose caches NetworkX does not clear."""

import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import networkx_support
import warpgraph.nx_backend as interface

networkx_support.register()

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")

ALL_PAIRS = [
    "all_pairs_bellman_ford_path",
    "all_pairs_bellman_ford_path_length",
    "all_pairs_dijkstra",
    "all_pairs_dijkstra_path",
    "all_pairs_dijkstra_path_length",
]
#: A weight of each kind that the backend does not take.
REFUSED = [Fraction(1, 2**60 + 1), math.inf, math.nan, 2**70, 2**62, -(2**62), 1e308]


@pytest.fixture
def configured():
    """Let NetworkX choose the backend."""
    with nx.config(backend_priority=["warpgraph"], warnings_to_ignore={"cache"}):
        yield


def complete(weight, make=nx.Graph):
    """Return a graph that is large enough for the backend, with one edge of this weight."""
    graph = nx.complete_graph(40, make())
    nx.set_edge_attributes(graph, 3, "weight")
    nx.set_edge_attributes(graph, {(0, 1): weight}, "weight")
    return graph


@pytest.mark.parametrize("weight", REFUSED, ids=str)
@pytest.mark.parametrize("name", ALL_PAIRS)
def test_iterators_refuse_before_they_are_made(name, weight):
    converted = interface.convert_from_nx(complete(1))
    assert len(list(getattr(interface, name)(converted))) == 40
    with pytest.raises(NotImplementedError):
        getattr(interface, name)(interface.convert_from_nx(complete(weight)))


@pytest.mark.parametrize("weight", [w for w in REFUSED if w >= 0 and w != math.inf], ids=str)
@pytest.mark.parametrize(
    "name", ["all_pairs_dijkstra_path_length", "shortest_path_length", "wiener_index"]
)
def test_networkx_computes_what_the_backend_refuses(configured, name, weight):
    graph = complete(weight)
    found, expected = (
        getattr(nx, name)(graph, weight="weight", **options)
        for options in ({}, {"backend": "networkx"})
    )
    assert (found if name == "wiener_index" else dict(found)) == (
        expected if name == "wiener_index" else dict(expected)
    )


def test_lengths_beyond_the_largest_float_are_those_of_networkx(configured):
    graph = nx.path_graph(400)
    nx.set_edge_attributes(graph, 1e308, "weight")
    far = nx.single_source_dijkstra_path_length(graph, 0)
    assert (len(far), far[1], far[2]) == (400, 1e308, math.inf)


VIEWS = {
    "subgraph": lambda graph: graph.subgraph([0, 1, 2]),
    "edges": lambda graph: graph.edge_subgraph([(0, 1), (1, 2), (0, 2)]),
    "reversed": lambda graph: graph.reverse(copy=False),
    "undirected": lambda graph: graph.to_undirected(as_view=True),
    "copy": lambda graph: graph.copy(as_view=True),
    "view of a view": lambda graph: graph.subgraph([0, 1, 2]).reverse(copy=False),
}


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("n_shown", [3, 20, 38, 40])
def test_a_subgraph_is_read_in_its_order(make, n_shown):
    rng = np.random.default_rng(n_shown)
    graph = make()
    graph.add_nodes_from(f"n{i}" for i in rng.permutation(40))
    ends = rng.integers(0, 40, (300, 2)).tolist()
    graph.add_edges_from((f"n{u}", f"n{v}", {"weight": (u * v) % 7 + 1}) for u, v in ends)
    view = graph.subgraph(f"n{i}" for i in rng.permutation(40)[:n_shown])
    for node in view:
        found, expected = (
            (
                list(nx.bfs_edges(view, node, backend=backend)),
                nx.single_source_dijkstra_path_length(view, node, backend=backend),
                nx.ancestors(view, node, backend=backend),
            )
            for backend in ("warpgraph", "networkx")
        )
        assert found == expected
    assert interface.convert_to_nx(interface.convert_from_nx(view))._adj is view._adj


def test_filters_are_left_to_networkx(configured):
    graph = nx.gnm_random_graph(2000, 10_000, seed=1)
    name = "single_source_dijkstra_path_length"
    assert interface.should_run(name, (graph.subgraph(range(1500)), 0), {}) is True
    for view in (
        nx.restricted_view(graph, [5], []),
        nx.subgraph_view(graph, filter_node=lambda node: node < 1500),
        nx.subgraph_view(graph, filter_edge=lambda u, v: u + v < 3000),
        graph.edge_subgraph(list(graph.edges)[:9000]),
        graph.copy(as_view=True).subgraph(range(1500)),
        nx.MultiGraph(graph).subgraph(range(1500)),
    ):
        assert "filter" in interface.should_run(name, (view, 0), {})
        assert interface.should_run("pagerank", (view,), {}) is True


@pytest.mark.parametrize("make", VIEWS.values(), ids=VIEWS)
def test_a_view_shows_the_changes_of_its_graph(make):
    graph = nx.path_graph(4, nx.DiGraph)
    view = make(graph)
    for change in (lambda: None, lambda: graph.remove_edge(1, 2), lambda: graph.add_edge(0, 2)):
        change()
        expected = {node: set(row) for node, row in nx.all_pairs_shortest_path_length(view)}
        with nx.config(backend_priority=["warpgraph"]):
            assert {
                u: set(nx.single_source_shortest_path_length(view, u)) for u in view
            } == expected
        if interface.can_run("all_pairs_shortest_path_length", (view,), {}) is not True:
            continue
        found = nx.all_pairs_shortest_path_length(view, backend="warpgraph")
        assert {node: set(row) for node, row in found} == expected


@pytest.mark.parametrize("name", ["maximum_spanning_tree", "floyd_warshall", "pagerank"])
def test_an_undirected_view_may_have_two_weights_for_an_edge(name):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(4, 17, 2), (17, 4, 9), (17, 3, 4)])
    view = graph.to_undirected(as_view=True)
    for shown in (view, view.subgraph([4, 17])):
        assert "directed view" in interface.can_run(name, (shown,), {})
    assert interface.can_run(name, (graph.to_undirected().subgraph([4]),), {}) is True


@pytest.mark.parametrize("cutoff", [True, 1, 1.5, 0, np.int64(1), np.float64(0.5), math.inf])
@pytest.mark.parametrize(
    "name",
    ["single_source_dijkstra", "single_source_shortest_path", "predecessor", "all_pairs_dijkstra"],
)
def test_a_cutoff_is_any_number(name, cutoff):
    graph = nx.path_graph(4)
    args = () if name.startswith("all") else (0,)
    found, expected = (
        getattr(nx, name)(graph, *args, cutoff=cutoff, backend=backend)
        for backend in ("warpgraph", "networkx")
    )
    assert (list(found) if args == () else found) == (list(expected) if args == () else expected)


@pytest.mark.parametrize("name", ["single_source_shortest_path", "predecessor"])
def test_no_level_is_below_a_cutoff_of_minus_infinity(name):
    found, expected = (
        getattr(nx, name)(nx.path_graph(4), 1, cutoff=-math.inf, backend=backend)
        for backend in ("warpgraph", "networkx")
    )
    assert found == expected


@pytest.mark.parametrize("cutoff", [math.nan, Fraction(3, 2), "1"])
@pytest.mark.parametrize(
    ("name", "argument"), [("single_source_dijkstra", "cutoff"), ("bfs_edges", "depth_limit")]
)
def test_other_cutoffs_are_compared_by_networkx(name, argument, cutoff):
    assert "plain" in interface.can_run(name, (nx.path_graph(4), 0), {argument: cutoff})


def test_ends_that_are_none():
    graph = nx.path_graph(3)
    assert nx.has_path(graph, 0, None, backend="warpgraph")
    with pytest.raises(ValueError, match="None cannot be a node"):
        nx.bfs_tree(graph, None, backend="warpgraph")


@pytest.mark.parametrize("distance", [None, "weight", 0])
def test_closeness_of_a_node_that_is_missing(distance):
    messages = []
    for backend in ("warpgraph", "networkx"):
        with pytest.raises(nx.NodeNotFound) as caught:
            nx.closeness_centrality(nx.path_graph(3), 9, distance, backend=backend)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


#: Functions whose argument may be no node: the arguments, of which "?" cannot be hashed.
UNHASHABLE = [
    ("ancestors", "?"),
    ("bellman_ford_path", "?0"),
    ("bellman_ford_path", "0?"),
    ("bellman_ford_path_length", "?0"),
    ("bellman_ford_path_length", "0?"),
    ("bellman_ford_predecessor_and_distance", "?"),
    ("bfs_edges", "?"),
    ("bfs_predecessors", "?"),
    ("bfs_successors", "?"),
    ("bfs_tree", "?"),
    ("bidirectional_dijkstra", "0?"),
    ("bidirectional_shortest_path", "?0"),
    ("closeness_centrality", "?w"),
    ("closeness_centrality", "?"),
    ("descendants", "?"),
    ("descendants_at_distance", "?0"),
    ("dijkstra_path", "0?"),
    ("dijkstra_path_length", "0?"),
    ("dijkstra_path_length", "?0"),
    ("generic_bfs_edges", "?"),
    ("goldberg_radzik", "?"),
    ("has_path", "0?"),
    ("multi_source_dijkstra", "s?"),
    ("node_connected_component", "?"),
    ("single_source_bellman_ford", "?"),
    ("single_source_bellman_ford", "??"),
    ("single_source_bellman_ford_path", "?"),
    ("single_source_bellman_ford_path_length", "?"),
    ("single_source_dijkstra_path", "?"),
    ("single_source_shortest_path", "?"),
]


@pytest.mark.filterwarnings(r"ignore:\s*bfs_predecessors:DeprecationWarning")
@pytest.mark.parametrize(("name", "arguments"), UNHASHABLE)
def test_nodes_that_cannot_be_hashed(name, arguments):
    values = {"?": [1], "0": 0, "w": "weight", "s": [0, 2]}
    given = [values[letter] for letter in arguments]
    caught = []
    for backend in ("warpgraph", "networkx"):
        with pytest.raises((TypeError, nx.NetworkXException)) as error:
            list(getattr(nx, name)(nx.path_graph(3), *given, backend=backend))
        caught.append((error.type, str(error.value)))
    assert caught[0] == caught[1]


def test_pagerank_looks_at_the_personalization_before_it_counts():
    for backend in ("warpgraph", "networkx"):
        with pytest.raises(ZeroDivisionError):
            nx.pagerank(nx.path_graph(3), personalization={0: 0}, max_iter=0, backend=backend)


@pytest.mark.parametrize(
    ("alpha", "error", "sentence"),
    [
        (2, ValueError, "alpha must be from 0 to 1, got 2"),
        (-0.5, ValueError, "alpha must be from 0 to 1, got -0.5"),
        (float("nan"), ValueError, "alpha must be from 0 to 1, got nan"),
        ("0.8", TypeError, "alpha must be a number, got '0.8'"),
    ],
)
def test_pagerank_says_what_is_no_probability(alpha, error, sentence):
    """A NotImplementedError would become NetworkX's own, which has no reason."""
    with pytest.raises(error, match=sentence):
        nx.pagerank(nx.path_graph(3), alpha=alpha, backend="warpgraph")
    with pytest.raises(NotImplementedError):  # NetworkX takes weights below 0
        nx.pagerank(nx.path_graph(3), personalization={0: -1, 1: 3}, backend="warpgraph")
