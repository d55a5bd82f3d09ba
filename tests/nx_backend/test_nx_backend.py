"""The NetworkX backend: every function against NetworkX's own, on graphs of every kind."""

import math
import numbers
import warnings
from decimal import Decimal

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import networkx_support

networkx_support.register()

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")

NODES = [0, 1, 2, 5, "a", ("b", 1), 2.5, frozenset({3})]
WEIGHTS = {
    "integers": st.integers(0, 4),
    "floats": st.floats(0, 10, width=32),
    "both": st.one_of(st.integers(0, 4), st.floats(0, 4, width=16), st.booleans()),
    "large": st.integers(2**53 - 2, 2**61),
    "negative": st.integers(-2, 9),
    "negative floats": st.floats(-0.5, 4, width=16),
    "float32": st.floats(0, 10, width=32).map(np.float32),
    "float64": st.floats(0, 10).map(np.float64),
    "int64": st.integers(0, 9).map(np.int64),
    "fractions": st.fractions(0, 9, max_denominator=5),
    "decimals": st.decimals(0, 9, places=2),
    "not finite": st.sampled_from([1, 2.0, math.inf, math.nan]),
    "other": st.sampled_from([1, "2", None, 2**70]),
}
#: The backend must take these.
ORDINARY = ("integers", "floats", "both", "float32", "float64", "int64", "fractions", "decimals")


@st.composite
def networkx_graphs(draw, kinds=tuple(WEIGHTS), directed=None):
    make = draw(st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]))
    if directed is not None and make().is_directed() != directed:
        make = {nx.Graph: nx.DiGraph, nx.MultiGraph: nx.MultiDiGraph}.get(make) or (
            nx.Graph if make is nx.DiGraph else nx.MultiGraph
        )
    graph = make(name="drawn")
    graph.add_nodes_from(draw(st.lists(st.sampled_from(NODES), unique=True, max_size=8)), part=1)
    nodes = list(graph)
    kind = draw(st.sampled_from(kinds))
    graph.graph["kind"] = kind
    if not nodes:
        return graph
    ends = st.sampled_from(nodes)
    missing = draw(st.booleans())
    for u, v in draw(st.lists(st.tuples(ends, ends), max_size=20)):
        if missing and draw(st.booleans()):
            graph.add_edge(u, v)
        else:
            graph.add_edge(u, v, weight=draw(WEIGHTS[kind]), colour="red")
    return graph


def outcome(call):
    """Return ("value", what a call returns) or ("error", its type)."""
    try:
        found = call()
        found = list(found) if hasattr(found, "__next__") else found
    except NotImplementedError:
        return "not implemented", None
    except Exception as error:
        return "error", type(error)
    return "value", found


def types_in(value):
    """Return a result with types in place of numbers, and without the order of lists."""
    if isinstance(value, dict):
        return type(value), {key: types_in(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value), len(value), {repr(types_in(item)) for item in value}
    is_number = isinstance(value, (numbers.Real, Decimal)) or hasattr(value, "dtype")
    return type(value) if is_number else None


def has_one_type(graph):
    """Return whether lengths of equal paths are of one type."""
    weights = graph.edges(data="weight", default=1)
    return len({type(weight) for _, _, weight in weights}) <= 1


def has_tiny_weight(graph):
    numbers_only = (w for *_, w in graph.edges(data="weight") if isinstance(w, (float, np.float32)))
    return any(0 < weight < 1e-200 for weight in numbers_only)


def compare(name, graph, *args, same=None, **kwargs):
    """Call NetworkX's function and the backend's; compare the results by `same`."""
    function = getattr(nx, name)
    expected = outcome(lambda: function(graph, *args, **kwargs))
    found = outcome(lambda: function(graph, *args, backend="warpgraph", **kwargs))
    if found[0] == "not implemented":
        is_ordinary = len(graph) > 0 and graph.graph["kind"] in ORDINARY
        assert not is_ordinary or expected[0] == "error"
        return
    assert found[0] == expected[0], (found, expected)
    if found[0] == "error":
        assert found[1] is expected[1]
        return
    (same or equal)(graph, found[1], expected[1])


def equal(graph, found, expected):
    assert found == expected
    if has_one_type(graph):
        assert types_in(found) == types_in(expected)


def close(graph, found, expected):
    if has_one_type(graph):
        assert types_in(found) == types_in(expected)
    if graph.graph["kind"] in ("fractions", "decimals"):  # of which pytest.approx takes no mixture
        found, expected = as_floats(found), as_floats(expected)
    assert found == pytest.approx(expected, rel=1e-9, nan_ok=True)


def as_floats(value):
    if isinstance(value, dict):
        return {key: float(item) for key, item in value.items()}
    return float(value)


def about(graph, found, expected):
    """Both stop when the changes add up to less than 1e-6 per node."""
    assert found == pytest.approx(expected, abs=1e-5 * max(len(graph), 1))


def same_sets(graph, found, expected):
    assert sorted(map(id_set, found)) == sorted(map(id_set, expected))


def id_set(nodes):
    return sorted(map(repr, nodes))


def length_of(graph, path, weight):
    total = 0
    for u, v in nx.utils.pairwise(path):
        data = graph[u][v]
        edges = data.values() if graph.is_multigraph() else [data]
        total += min(edge.get(weight, 1) for edge in edges) if weight else 1
    return total


def same_lengths(weight):
    """Compare {target: path}, or one path, by the lengths of paths."""

    def same(graph, found, expected):
        if isinstance(expected, list):
            found, expected = {"path": found}, {"path": expected}
        assert found.keys() == expected.keys()
        for target, path in expected.items():
            assert found[target][0] == path[0]
            assert found[target][-1] == path[-1]
            lengths = [length_of(graph, p, weight) for p in (found[target], path)]
            rel = 1e-6 if graph.graph["kind"] == "float32" else 1e-12
            assert float(lengths[0]) == pytest.approx(float(lengths[1]), rel=rel)

    return same


def every(same):
    """Compare lists of (node, result)."""

    def same_list(graph, found, expected):
        assert [node for node, _ in found] == [node for node, _ in expected]
        for (_, ours), (_, theirs) in zip(found, expected, strict=True):
            same(graph, ours, theirs)

    return same_list


def pair(first, second):
    """Compare tuples of two."""

    def same(graph, found, expected):
        first(graph, found[0], expected[0])
        second(graph, found[1], expected[1])

    return same


def same_predecessors(graph, found, expected):
    assert found.keys() == expected.keys()
    for node, before in expected.items():
        assert sorted(map(repr, found[node])) == sorted(map(repr, before))


PATHS, HOPS = same_lengths("weight"), same_lengths(None)
LENGTHS_AND_PATHS = pair(equal, PATHS)

#: Functions of one node.
FROM_ONE = {
    "single_source_dijkstra": LENGTHS_AND_PATHS,
    "single_source_dijkstra_path": PATHS,
    "single_source_dijkstra_path_length": equal,
    "dijkstra_predecessor_and_distance": pair(same_predecessors, equal),
    "single_source_bellman_ford": LENGTHS_AND_PATHS,
    "single_source_bellman_ford_path": PATHS,
    "single_source_bellman_ford_path_length": equal,
    "bellman_ford_predecessor_and_distance": pair(same_predecessors, equal),
    "single_source_shortest_path": equal,
    "single_source_shortest_path_length": equal,
    "single_target_shortest_path": equal,
    "single_target_shortest_path_length": equal,
    "predecessor": equal,
    "shortest_path": equal,
    "shortest_path_length": equal,
    "descendants": equal,
    "ancestors": equal,
    "bfs_edges": equal,
    "bfs_predecessors": equal,
    "bfs_successors": equal,
    "bfs_layers": equal,
    "generic_bfs_edges": equal,
    "eccentricity": equal,
    "closeness_centrality": close,
}
#: Functions of two.
FROM_TWO = {
    "dijkstra_path": PATHS,
    "dijkstra_path_length": equal,
    "bidirectional_dijkstra": pair(close, PATHS),
    "astar_path": PATHS,
    "astar_path_length": close,
    "bellman_ford_path": PATHS,
    "bellman_ford_path_length": equal,
    "bidirectional_shortest_path": HOPS,
    "shortest_path": HOPS,
    "shortest_path_length": equal,
    "has_path": equal,
    "single_source_dijkstra": LENGTHS_AND_PATHS,
    "single_source_bellman_ford": LENGTHS_AND_PATHS,
}
#: Functions of the graph alone.
OF_GRAPH = {
    "all_pairs_dijkstra": every(LENGTHS_AND_PATHS),
    "all_pairs_dijkstra_path": every(PATHS),
    "all_pairs_dijkstra_path_length": every(equal),
    "all_pairs_bellman_ford_path": every(PATHS),
    "all_pairs_bellman_ford_path_length": every(equal),
    "all_pairs_shortest_path": every(equal),
    "all_pairs_shortest_path_length": every(equal),
    "average_shortest_path_length": close,
    "betweenness_centrality": close,
    "center": lambda graph, found, expected: same_sets(graph, [found], [expected]),
    "closeness_centrality": close,
    "diameter": equal,
    "eccentricity": equal,
    "edge_betweenness_centrality": close,
    "harmonic_centrality": close,
    "negative_edge_cycle": equal,
    "pagerank": about,
    "periphery": equal,
    "radius": equal,
    "wiener_index": close,
}
COMPONENTS = {
    "connected_components": same_sets,
    "number_connected_components": equal,
    "is_connected": equal,
    "weakly_connected_components": same_sets,
    "number_weakly_connected_components": equal,
    "is_weakly_connected": equal,
    "strongly_connected_components": same_sets,
    "number_strongly_connected_components": equal,
    "is_strongly_connected": equal,
}


@pytest.mark.parametrize("name", FROM_ONE)
@settings(max_examples=30)
@given(graph=networkx_graphs(), node=st.sampled_from([*NODES, "none"]))
def test_functions_of_one_node(name, graph, node):
    compare(name, graph, node, same=FROM_ONE[name])


@pytest.mark.parametrize("name", FROM_TWO)
@settings(max_examples=30)
@given(
    graph=networkx_graphs(),
    source=st.sampled_from([*NODES, "none"]),
    target=st.sampled_from([*NODES, "none"]),
)
def test_functions_of_two_nodes(name, graph, source, target):
    # NetworkX's A* does not end on a cycle of negative weight, or of NaN.
    endless = ("negative", "negative floats", "not finite", "other")
    assume(not name.startswith("astar") or graph.graph["kind"] not in endless)
    compare(name, graph, source, target, same=FROM_TWO[name])


@pytest.mark.parametrize("name", [*OF_GRAPH, *COMPONENTS])
@settings(max_examples=30)
@given(graph=networkx_graphs())
def test_functions_of_the_graph(name, graph):
    if name == "pagerank" and has_tiny_weight(graph):  # sums below 1e-270 run in NetworkX
        return
    compare(name, graph, same={**OF_GRAPH, **COMPONENTS}[name])


@pytest.mark.parametrize("distance", [0, 2, -1, 1.0, 2.5, True, None, "a", float("nan")])
def test_descendants_at_any_distance(distance):
    graph = nx.path_graph(4)
    expected = nx.descendants_at_distance(graph, 0, distance)
    assert nx.descendants_at_distance(graph, 0, distance, backend="warpgraph") == expected


def test_deprecated_functions_warn_as_networkx_does():
    graph = nx.path_graph(3)
    for backend in ("networkx", "warpgraph"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = list(nx.bfs_predecessors(graph, 0, backend=backend))
        assert found == [(1, 0), (2, 1)]
        kinds = [w.category for w in caught if "bfs_predecessors" in str(w.message)]
        is_deprecated = tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 7)
        assert kinds == [DeprecationWarning] * is_deprecated


def test_strong_components_of_parallel_edges():
    graph = nx.MultiDiGraph([(0, 1), (0, 1), (1, 2), (1, 2), (2, 0), (2, 3), (2, 3), (4, 3)])
    found = list(nx.strongly_connected_components(graph, backend="warpgraph"))
    assert sorted(map(sorted, found)) == [[0, 1, 2], [3], [4]]


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("members", networkx_support.ORDERS.values(), ids=networkx_support.ORDERS)
def test_subclasses_may_list_nodes_and_rows_in_orders_of_their_own(make, members):
    graph = networkx_support.in_own_order(make, members)
    for shown in (graph, graph.subgraph(range(9))):
        for node in shown:
            compare("bfs_edges", shown, node)
            compare("ancestors", shown, node)
            compare("single_source_dijkstra_path_length", shown, node)
            compare("single_source_bellman_ford_path_length", shown, node, weight="none")
        compare("all_pairs_dijkstra_path_length", shown, same=every(equal))
        compare("closeness_centrality", shown, same=close)
