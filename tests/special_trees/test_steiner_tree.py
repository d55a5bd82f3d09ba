"""wg.steiner_tree: a light tree that joins some vertices."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import checks
import graphs
import oracles
import warpgraph as wg


def all_distances(graph):
    """Floyd and Warshall, in Python's numbers, without directions."""
    n = graph.shape[0]
    far = float("inf")
    distance = [[0 if u == v else far for v in range(n)] for u in range(n)]
    for u, v, w in zip(*(a.tolist() for a in oracles.arcs(graph, False)), strict=True):
        distance[u][v] = min(distance[u][v], w) if u != v else 0
    for k, i, j in itertools.product(range(n), repeat=3):
        distance[i][j] = min(distance[i][j], distance[i][k] + distance[k][j])
    return distance


def least_weight(distance, terminals):
    """Dreyfus and Wagner: the weight of the lightest tree that joins the terminals."""
    *others, last = terminals
    vertices = range(len(distance))
    lightest = {frozenset([t]): distance[t] for t in others}
    for size in range(2, len(others) + 1):
        for joined in map(frozenset, itertools.combinations(others, size)):
            parts = [
                frozenset(part)
                for k in range(1, size)
                for part in itertools.combinations(sorted(joined), k)
            ]
            at = [min(lightest[p][v] + lightest[joined - p][v] for p in parts) for v in vertices]
            lightest[joined] = [min(at[u] + distance[u][v] for u in vertices) for v in vertices]
    return lightest[frozenset(others)][last] if others else 0


def assert_steiner_tree(graph, tree, terminals):
    """Check that it is a tree of the graph's edges whose leaves are terminals, and all of them."""
    tail, head, weight = oracles.arcs(graph)
    ends = np.sort(np.stack([tail, head], axis=1)[tree.edge_ids], axis=1)
    assert tree.edges.tolist() == ends.tolist()
    assert tree.weights.tolist() == weight[tree.edge_ids].tolist()
    assert (np.diff(tree.edge_ids) > 0).all()
    joined = nx.Graph(tree.edges.tolist())
    joined.add_nodes_from(terminals)
    assert nx.is_tree(joined)
    assert all(v in terminals or joined.degree(v) > 1 for v in joined)


def is_tame(graph):
    return not graphs.has_negative(graph) and abs(graph.data).max(initial=0) < 1e6


@graphs.over_samples(only=is_tame)
def test_samples(graph, threads):
    component = np.flatnonzero(oracles.components(graph) == 0)
    for n_terminals in (1, 2, 5, 40):
        terminals = component[:: max(len(component) // n_terminals, 1)]
        if not len(terminals):
            continue
        tree = wg.steiner_tree(graph, terminals)
        assert_steiner_tree(graph, tree, set(terminals.tolist()))


@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties"])
def test_at_most_twice_the_lightest(weights):
    @settings(max_examples=80)
    @given(graphs.csr_graphs(weights=weights, min_vertices=1, max_vertices=9), st.data())
    def agrees(graph, data):
        vertex = st.integers(0, graph.shape[0] - 1)
        terminals = sorted(data.draw(st.sets(vertex, min_size=1, max_size=5)))
        distance = all_distances(graph)
        apart = [t for t in terminals if distance[terminals[0]][t] == np.inf]
        if apart:
            sentence = f"no path joins the terminals {terminals[0]} and {apart[0]}"
            with pytest.raises(ValueError, match=sentence):
                wg.steiner_tree(graph, terminals)
            return
        tree = wg.steiner_tree(graph, terminals)
        assert_steiner_tree(graph, tree, set(terminals))
        least = least_weight(distance, terminals)
        rounding = 1e-5 if graph.dtype == np.float32 else 1e-12
        most = 2 * (1 - 1 / max(len(terminals), 1)) * least
        assert least * (1 - rounding) <= tree.total_weight <= most * (1 + rounding)

    agrees()


def test_all_vertices_are_a_minimum_spanning_tree():
    graph = wg.generators.grid(30, 40, seed=2)
    tree = wg.steiner_tree(graph, range(1200))
    forest = wg.minimum_spanning_forest(graph)
    assert tree.total_weight == forest.total_weight
    assert sorted(forest.edge_ids.tolist()) == tree.edge_ids.tolist()


def test_two_terminals_are_a_shortest_path():
    graph = wg.Graph(wg.generators.grid(30, 40, seed=2))
    length, path = wg.shortest_path(graph, 17, 1111, directed=False)
    tree = wg.steiner_tree(graph, [1111, 17])
    assert tree.total_weight == pytest.approx(length)
    assert {*tree.edges.ravel().tolist()} == {*path.tolist()}


def test_a_tree_over_a_vertex_between():
    star = nx.Graph()
    star.add_weighted_edges_from([("hub", "a", 1), ("hub", "b", 1), ("hub", "c", 1)])
    star.add_weighted_edges_from([("a", "b", 1.9), ("b", "c", 1.9), ("a", "c", 2.5)])
    tree = wg.steiner_tree(star, ["a", "b", "c"])
    assert {frozenset(edge) for edge in tree.names[tree.edges].tolist()} == {
        frozenset("ab"),
        frozenset("bc"),
    }
    assert set(wg.steiner_tree(star, ["a", "hub", "b"]).to_networkx().edges) == {
        ("hub", "a"),
        ("hub", "b"),
    }


def test_ties_go_to_the_first_edge():
    cycle = graphs.csr(4, [(0, 1, 1), (2, 1, 1), (2, 3, 1), (0, 3, 1)])
    assert wg.steiner_tree(cycle, [0, 2]).edges.tolist() == [[0, 1], [1, 2]]
    parallel = graphs.csr(2, [(0, 1, 3), (0, 1, 2), (0, 1, 2), (1, 0, 2)])
    assert wg.steiner_tree(parallel, [0, 1]).edge_ids.tolist() == [1]


def test_the_same_tree_for_any_number_of_threads():
    graph = wg.generators.rmat(13, 8, seed=4, weights=(0, 3)).to_csr()
    component = np.flatnonzero(wg.connected_components(graph)[1] == 0)
    terminals = component[::30]
    found = []
    for count in (1, 2, 7):
        wg.set_num_threads(count)
        found.append(wg.steiner_tree(graph, terminals))
    wg.set_num_threads(0)
    for tree in found[1:]:
        checks.assert_same_bits(tree.edge_ids, found[0].edge_ids)
    assert_steiner_tree(graph, found[0], set(terminals.tolist()))


def test_repeated_terminals_count_once():
    graph = wg.generators.grid(9, 9, seed=1)
    once, repeated = (wg.steiner_tree(graph, t) for t in ([3, 70, 40], [40, 3, 70, 3, 40, 40]))
    assert once.edge_ids.tolist() == repeated.edge_ids.tolist()
    assert len(wg.steiner_tree(graph, [5, 5])) == 0


def test_edges_of_weight_inf_are_never_used():
    graph = graphs.csr(3, [(0, 1, np.inf), (0, 2, 4.0), (2, 1, 4.0)])
    assert wg.steiner_tree(graph, [0, 1]).total_weight == 8
    with pytest.raises(ValueError, match="no path joins the terminals 0 and 1"):
        wg.steiner_tree(graphs.csr(2, [(0, 1, np.inf)]), [0, 1])


def test_integers_are_exact():
    big = 2**60
    graph = graphs.csr(3, [(0, 1, big + 1), (1, 2, big + 3), (0, 2, 2 * big + 5)], np.int64)
    assert wg.steiner_tree(graph, [0, 2]).total_weight == 2 * big + 4
    most = graphs.csr(2, [(0, 1, 2**31 - 1)], np.int32)
    assert wg.steiner_tree(most, [0, 1]).total_weight == 2**31 - 1


@pytest.mark.parametrize("n_edges", [2, 3, 4, 7])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lengths_beyond_the_largest_float(dtype, n_edges):
    edges = [(u, u + 1, np.finfo(dtype).max) for u in range(n_edges)]
    path = graphs.csr(n_edges + 2, edges, dtype)
    sentence = f"between vertex 0 and vertex {n_edges} is beyond the range of the weights' type"
    with pytest.raises(OverflowError, match=sentence):
        wg.steiner_tree(path, [0, n_edges])
    with pytest.raises(ValueError, match=f"no path joins the terminals 0 and {n_edges + 1}"):
        wg.steiner_tree(path, [0, n_edges + 1])


def test_lengths_beyond_int64():
    big = 2**62
    path = graphs.csr(4, [(0, 1, big), (1, 2, big), (2, 3, big)], np.int64)
    with pytest.raises(OverflowError, match="the length of a path between vertex 0 and vertex 3"):
        wg.steiner_tree(path, [0, 3])
    named = wg.Graph(path, names=["a", "b", "c", "d"])
    with pytest.raises(OverflowError, match="vertex 'a' and vertex 'd'"):
        wg.steiner_tree(named, ["a", "d"])


def test_terminals_that_are_wrong():
    graph = graphs.csr(3, [(0, 1, 1.0)])
    with checks.raises_sentence(ValueError, "terminals", "at least one"):
        wg.steiner_tree(graph, [])
    with checks.raises_sentence(ValueError, "terminals[1]", "3"):
        wg.steiner_tree(graph, [0, 3])
    with checks.raises_sentence(ValueError, "terminals 0 and 2"):
        wg.steiner_tree(graph, [1, 2, 0])
    roads = nx.Graph([("a", "b"), ("c", "d")])
    with checks.raises_sentence(ValueError, "'a'", "'c'"):
        wg.steiner_tree(roads, ["a", "b", "c"])
    with checks.raises_sentence(ValueError, "'e'"):
        wg.steiner_tree(roads, ["a", "e"])


def test_negative_weights_are_refused():
    with checks.raises_sentence(ValueError, "(1, 0)", "negative", "steiner_tree"):
        wg.steiner_tree(graphs.csr(2, [(0, 1, 1.0), (1, 0, -2.0)]), [0, 1])
    with checks.raises_sentence(ValueError, "NaN"):
        wg.steiner_tree(graphs.csr(2, [(0, 1, np.nan)]), [0, 1])


def test_memory():
    graph = wg.Graph(wg.generators.grid(100, 100, seed=1))
    with checks.raises_sentence(MemoryError, "1000 bytes"):
        wg.steiner_tree(graph, [0, 9], memory_limit=1000)
