"""Graph.with_turns: the distances and paths of a search from edge to edge."""

import copy
import inspect
import itertools
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import warpgraph as wg
from checks import raises_sentence
from device_lists import over_devices

DTYPES = ["float32", "float64", "int32", "int64"]


def pickled(made):
    return pickle.loads(pickle.dumps(made))


def line_graph(graph, turns):
    """Return the graph of all pairs of consecutive edges; `turns` maps pairs to costs."""
    tails, heads, weights = (a.tolist() for a in graph.to_edges())
    pairs = nx.DiGraph()
    pairs.add_nodes_from(range(len(tails)))
    for e, head in enumerate(heads):
        for f in range(int(graph.indptr[head]), int(graph.indptr[head + 1])):
            cost = turns.get((e, f), 0)
            if cost != np.inf and weights[f] != np.inf:
                pairs.add_edge(e, f, weight=weights[f] + cost)
    return pairs, tails, heads, weights


def expected_distances(graph, turns, source):
    """Search from edge to edge with NetworkX."""
    pairs, tails, heads, weights = line_graph(graph, turns)
    for e, tail in enumerate(tails):
        if tail == source and weights[e] != np.inf:
            pairs.add_edge("start", e, weight=weights[e])
    found = np.full(graph.n_vertices, np.inf)
    if "start" in pairs:
        for e, length in nx.single_source_dijkstra_path_length(pairs, "start").items():
            if e != "start":
                found[heads[e]] = min(found[heads[e]], length)
    found[source] = 0
    return found


@st.composite
def turn_tables(draw):
    """Draw a graph, with loops, parallel edges, zero weights and islands, and a table of turns."""
    n = draw(st.integers(1, 9))
    ends = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(ends, ends, st.integers(0, 5)), max_size=24))
    graph = wg.Graph.from_edges(*np.array(edges, np.int64).reshape(-1, 3).T, n_vertices=n)
    follows = [
        (e, f)
        for e, head in enumerate(graph.indices.tolist())
        for f in range(int(graph.indptr[head]), int(graph.indptr[head + 1]))
    ]
    costs = st.sampled_from([0, 1, 3, 7, np.inf])
    pairs = st.lists(st.sampled_from(follows), unique=True) if follows else st.just([])
    turns = {pair: draw(costs) for pair in draw(pairs)}
    return graph, turns, draw(ends)


def with_turns(graph, turns):
    pairs = np.array(list(turns), np.int64).reshape(-1, 2)
    return graph.with_turns(pairs[:, 0], pairs[:, 1], np.array(list(turns.values()), float))


def as_float(distances):
    found = distances.astype(float)
    if distances.dtype.kind == "i":
        found[distances == np.iinfo(distances.dtype).max] = np.inf
    return found


def check_path(turns, source, target, length, path, by_edge):
    """The path exists, and its edges and turns add up to the length."""
    _, tails, heads, weights = by_edge
    if length == np.inf:
        assert len(path) == 0
        return
    assert path[0] == source
    assert path[-1] == target
    best = {None: 0.0}  # the least length of an edge that ends the path so far
    for u, v in itertools.pairwise(path):
        found = {}
        for f, (tail, head) in enumerate(zip(tails, heads, strict=True)):
            if (tail, head) != (u, v):
                continue
            for e, so_far in best.items():
                cost = 0 if e is None else turns.get((e, f), 0)
                found[f] = min(found.get(f, np.inf), so_far + weights[f] + cost)
        best = found
    assert min(best.values()) == length


@over_devices
@given(drawn=turn_tables(), dtype=st.sampled_from(DTYPES))
@settings(max_examples=60)
def test_drawn_graphs(drawn, dtype, device):
    graph, turns, source = drawn
    graph = graph.with_weights(graph.data.astype(dtype))
    turned = with_turns(graph, turns)
    expected = expected_distances(graph, turns, source)
    found = wg.sssp(turned, source, dtype=dtype, device=device)
    assert found.dtype == dtype
    np.testing.assert_array_equal(as_float(found), expected)
    some = [graph.n_vertices - 1, 0, source]
    np.testing.assert_array_equal(
        as_float(wg.sssp(turned, source, targets=some, device=device)), expected[some]
    )
    rows = wg.many_to_many(turned, [source, 0], device=device)
    np.testing.assert_array_equal(as_float(rows[0]), expected)
    np.testing.assert_array_equal(as_float(rows[1]), expected_distances(graph, turns, 0))


@given(drawn=turn_tables(), method=st.sampled_from(["bidirectional", "dijkstra", "hierarchy"]))
def test_paths_of_drawn_graphs(drawn, method):
    graph, turns, source = drawn
    turned, by_edge = with_turns(graph, turns), line_graph(graph, turns)
    expected = expected_distances(graph, turns, source)
    for target in range(graph.n_vertices):
        length, path = wg.shortest_path(turned, source, target, method=method, device="cpu")
        assert length == expected[target]
        check_path(turns, source, target, length, path.tolist(), by_edge)


@pytest.fixture
def block():
    """A block of streets, 1 long each way, and the numbers of its edges by their ends.

    From 0 to 1, then left to 2 or straight on to 3; 3 leads to 4 and 5, and 5 to 1 again.
    """
    ends = [(0, 1), (1, 2), (1, 3), (3, 4), (4, 5), (5, 1)]
    graph = wg.Graph.from_edges(*zip(*ends, strict=True))
    tails, heads, _ = graph.to_edges()
    return graph, {pair: e for e, pair in enumerate(zip(tails, heads, strict=True))}


def test_a_path_leads_around_the_block(block):
    graph, edge = block
    turned = graph.with_turns([edge[0, 1]], [edge[1, 2]])
    length, path = wg.shortest_path(turned, 0, 2)
    assert (length, path.tolist()) == (6, [0, 1, 3, 4, 5, 1, 2])
    assert wg.sssp(turned, 0).tolist() == [0, 1, 6, 2, 3, 4]
    assert wg.sssp(turned, 1).tolist()[2] == 1  # paths start without a turn


def test_the_cheaper_of_a_turn_and_a_detour(block):
    graph, edge = block
    for cost in (0, 3.5, 4, 4.5):
        turned = graph.with_turns([edge[0, 1]], [edge[1, 2]], cost)
        assert wg.sssp(turned, 0)[2] == 2 + min(cost, 4)


def test_names(block):
    graph, edge = block
    named = wg.Graph(graph, names=list("abcdef"))
    turned = named.with_turns([edge[0, 1]], [edge[1, 2]])
    assert wg.shortest_path(turned, "a", "c")[1].tolist() == list("abdefbc")
    assert wg.many_to_many(turned, ["a"], ["c", "b"]).tolist() == [[6, 1]]
    with raises_sentence(ValueError, "source", "'z'"):
        wg.sssp(turned, "z")


def test_a_hierarchy_is_kept_saved_and_loaded(block, tmp_path):
    graph, edge = block
    turned = graph.with_turns([edge[0, 1]], [edge[1, 2]])
    path = tmp_path / "turns.npz"
    wg.Hierarchy(turned).save(path)
    again = pickle.loads(pickle.dumps(turned))
    wg.Hierarchy.load(path, again)
    rows = wg.many_to_many(again, [0], method="hierarchy")
    assert rows.tolist() == [[0, 1, 6, 2, 3, 4]]


@pytest.mark.parametrize("name", ["graph", "expanded", "origins", "starts"])
@pytest.mark.parametrize("again", [lambda made: made, copy.copy, copy.deepcopy, pickled])
def test_attributes_are_not_assigned(block, name, again):
    graph, edge = block
    turned = again(graph.with_turns([edge[0, 1]], [edge[1, 2]]))
    for value in (3, getattr(turned, name)):
        with raises_sentence(AttributeError, f"{name} of a TurnGraph cannot be", "with_turns()"):
            setattr(turned, name, value)
    with raises_sentence(AttributeError, f"{name} of a TurnGraph cannot be deleted"):
        delattr(turned, name)
    if name in ("origins", "starts"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(turned, name)[:] = 0
    assert wg.sssp(turned, 0).tolist() == [0, 1, 6, 2, 3, 4]


def test_attributes_of_the_class_and_of_nothing():
    names = {name for name, _ in inspect.getmembers(wg.TurnGraph)}
    assert {"graph", "expanded", "origins", "starts", "shape"} <= names
    with raises_sentence(AttributeError, "'TurnGraph' object has no attribute 'starts'"):
        _ = object.__new__(wg.TurnGraph).starts


def test_no_turns_are_the_graph(block):
    graph, _ = block
    turned = graph.with_turns([], [])
    assert len(turned.origins) == 0
    np.testing.assert_array_equal(wg.sssp(turned, 0), wg.sssp(graph, 0))


def test_the_same_turn_may_be_listed_twice_at_one_cost(block):
    graph, edge = block
    first, second = edge[0, 1], edge[1, 2]
    turned = graph.with_turns([first, first], [second, second], 2)
    assert wg.sssp(turned, 0)[2] == 4
    with raises_sentence(ValueError, "turns 0 and 1", "the costs 2 and 3"):
        graph.with_turns([first, first], [second, second], [2, 3])


def test_bad_turns(block):
    graph, edge = block
    first, second = edge[0, 1], edge[1, 2]
    with raises_sentence(ValueError, "from_edges[0] is 9", "6 entries"):
        graph.with_turns([9], [second])
    for mask in ([True, False], np.ones(6, bool)):
        with raises_sentence(TypeError, "from_edges must be integers, got an array of bool"):
            graph.with_turns(mask, mask)
    with raises_sentence(ValueError, "ends at vertex 1", "begins at vertex 3"):
        graph.with_turns([first], [edge[3, 4]])
    with raises_sentence(ValueError, "one entry for each turn, got 1 and 2"):
        graph.with_turns([first], [second, second])
    for cost in (-1.0, np.nan):
        with raises_sentence(ValueError, "costs must be at least 0", "for turn 0"):
            graph.with_turns([first], [second], cost)
    with raises_sentence(TypeError, "costs must be real numbers"):
        graph.with_turns([first], [second], "dear")
    with raises_sentence(ValueError, "one for each of the 1 turns, got shape (2,)"):
        graph.with_turns([first], [second], [1, 2])


def test_weights_and_costs_of_integers(block):
    graph, edge = block
    whole = graph.with_weights(np.ones(6, np.int32))
    first, second = edge[0, 1], edge[1, 2]
    with raises_sentence(ValueError, "costs must be integers", "1.5"):
        whole.with_turns([first], [second], 1.5)
    with raises_sentence(OverflowError, "the cost 2147483646", "32-bit integers"):
        whole.with_weights(np.full(6, 2, np.int32)).with_turns([first], [second], 2**31 - 2)
    assert wg.sssp(whole.with_turns([first], [second], np.inf), 0, dtype="int32")[2] == 6
    for cost in (2**31 - 1, 4e9):
        with raises_sentence(OverflowError, "turn 0", "int32", "inf forbids"):
            whole.with_turns([first], [second], cost)


def test_masked_costs_are_refused(block):
    graph, edge = block
    masked = np.ma.array([100.0], mask=[True])
    with raises_sentence(ValueError, "costs", "mask"):
        graph.with_turns([edge[0, 1]], [edge[1, 2]], masked)


def test_astar_with_turns(block):
    graph, edge = block
    placed = wg.Graph(graph, coordinates=[[0, 0], [1, 0], [1, 1], [2, 0], [2, -1], [1, -1]])
    turned = placed.with_turns([edge[0, 1]], [edge[1, 2]])
    length, path = wg.shortest_path(turned, 0, 2, method="astar")
    assert (length, path.tolist()) == (6, [0, 1, 3, 4, 5, 1, 2])


def test_negative_weights_are_refused(block):
    graph, edge = block
    with raises_sentence(ValueError, "weight -1 of entry (0, 1)", "a graph with turns"):
        graph.with_weights([-1, 1, 1, 1, 1, 1]).with_turns([edge[0, 1]], [edge[1, 2]])


def test_options_without_a_meaning(block):
    turned = block[0].with_turns([0], [1])
    with raises_sentence(ValueError, "no tree of vertices"):
        wg.sssp(turned, 0, return_predecessors=True)
    with raises_sentence(ValueError, "directed=False"):
        wg.shortest_path(turned, 0, 1, directed=False)
    with raises_sentence(ValueError, "unweighted=True"):
        wg.Hierarchy(turned, unweighted=True)
    with raises_sentence(ValueError, "min_only=True"):
        wg.many_to_many(turned, [0], min_only=True)


@pytest.mark.parametrize("function", [wg.bfs, wg.within, wg.connected_components])
def test_other_functions_refuse_turns(block, function):
    turned = block[0].with_turns([0], [1])
    arguments = {wg.bfs: (0,), wg.within: ([0], 1)}.get(function, ())
    with raises_sentence(TypeError, "graph with turns"):
        function(turned, *arguments)


def test_memory(block):
    graph, edge = block
    with raises_sentence(MemoryError, "turns", "needs"):
        graph.with_turns([edge[0, 1]], [edge[1, 2]], memory_limit=10)


@pytest.mark.parametrize("function", ["dijkstra", "floyd_warshall", "minimum_spanning_tree"])
def test_functions_of_matrices_say_what_searches_with_turns(function):
    graph = wg.Graph.from_edges([0, 1, 1], [1, 2, 3])
    turned = graph.with_turns(corners=[(0, 1, 3)])
    with raises_sentence(TypeError, "takes matrices, got a graph with turns", "warpgraph.sssp"):
        getattr(wg.csgraph, function)(turned)
    with raises_sentence(TypeError, "takes matrices, got a warpgraph.Graph", "to_csr()"):
        getattr(wg.csgraph, function)(graph)
