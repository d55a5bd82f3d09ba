"""wg.minimum_arborescence: the lightest directed tree from a root to all vertices."""

import itertools
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import checks
import graphs
import oracles
import warpgraph as wg


def entering(graph):
    """Return the lightest edge into v from each u, by v: lists of (weight, u)."""
    lightest = [{} for _ in range(graph.shape[0])]
    for u, v, w in zip(*(a.tolist() for a in oracles.arcs(graph)), strict=True):
        if u != v and w != np.inf:
            lightest[v][u] = min(w, lightest[v].get(u, w))
    return [[(w, u) for u, w in own.items()] for own in lightest]


def edmonds(n, edges, root):
    """Contract cycles, recursively: the least weight; None if the root does not reach all.

    `edges`: triples (tail, head, weight).
    """
    lightest = {}
    for u, v, w in edges:
        if u != v and v != root:
            lightest[v] = min(lightest.get(v, (w, u)), (w, u))
    if len(lightest) < n - 1:
        return None
    group, n_groups, has_cycle = [-1] * n, 0, False
    seen = [-1] * n
    for start in range(n):
        v = start
        while v != root and seen[v] < 0:
            seen[v] = start
            v = lightest[v][1]
        if v != root and seen[v] == start and group[v] < 0:
            has_cycle = True
            while group[v] < 0:
                group[v] = n_groups
                v = lightest[v][1]
            n_groups += 1
    total = sum(w for w, _ in lightest.values())
    if not has_cycle:
        return total
    for v in range(n):
        if group[v] < 0:
            group[v], n_groups = n_groups, n_groups + 1
    inner = [(group[u], group[v], w - (lightest[v][0] if v != root else 0)) for u, v, w in edges]
    below = edmonds(n_groups, inner, group[root])
    return None if below is None else total + below


def least_weight(graph, root):
    edges = [(u, v, w) for v, own in enumerate(entering(graph)) for w, u in own]
    return edmonds(graph.shape[0], edges, root)


def by_brute_force(graph, root):
    """Try all choices of an entering edge for each vertex."""
    n = graph.shape[0]
    others = [v for v in range(n) if v != root]
    best = None
    for choice in itertools.product(*(entering(graph)[v] for v in others)):
        before = dict(zip(others, (u for _, u in choice), strict=True))
        for v in others:
            for _ in range(n):
                v = before.get(v, root)
            if v != root:
                break
        else:
            weight = sum(w for w, _ in choice)
            best = weight if best is None else min(best, weight)
    return best


def assert_arborescence(graph, tree):
    tail, head, weight = oracles.arcs(graph)
    n = graph.shape[0]
    assert tree.edges.tolist() == np.stack([tail, head], axis=1)[tree.edge_ids].tolist()
    assert tree.weights.tolist() == weight[tree.edge_ids].tolist()
    assert tree.edges[:, 1].tolist() == [v for v in range(n) if v != tree.root]
    assert tree.predecessors[tree.edges[:, 1]].tolist() == tree.edges[:, 0].tolist()
    assert tree.predecessors[tree.root] == -1
    spanning = nx.DiGraph(tree.edges.tolist())
    spanning.add_node(tree.root)
    assert nx.is_arborescence(spanning)
    assert len(tree) == n - 1


def assert_right(graph, least=least_weight, close=lambda found, expected: found == expected):
    """Compare the trees from each root, and from the best, with an oracle."""
    weights = {}
    for root in range(graph.shape[0]):
        expected = least(graph, root)
        if expected is None:
            with pytest.raises(ValueError, match=f"no path leads from the root {root} to vertex"):
                wg.minimum_arborescence(graph, root)
            continue
        tree = wg.minimum_arborescence(graph, root)
        assert tree.root == root
        assert_arborescence(graph, tree)
        assert close(tree.total_weight, expected)
        weights[root] = expected
    if not weights:
        with pytest.raises(ValueError, match=r"there is no spanning arborescence|a graph without"):
            wg.minimum_arborescence(graph)
        return
    tree = wg.minimum_arborescence(graph)
    assert_arborescence(graph, tree)
    assert close(tree.total_weight, min(weights.values()))
    if graph.dtype.kind == "i" or (graph.data == np.round(graph.data)).all():
        best = min(weights.values())
        assert tree.root == min(root for root, weight in weights.items() if weight == best)


def is_small(graph):
    return graph.shape[0] < 60 and not np.isneginf(graph.data.astype(float)).any()


def is_close(found, expected):
    return found == pytest.approx(expected, rel=1e-9, abs=1e-6)


@graphs.over_samples(only=is_small)
def test_samples(graph):
    assert_right(graph, close=is_close)


@pytest.mark.parametrize("weights", ["any", "integer", "ties"])
def test_drawn_graphs(weights):
    @settings(max_examples=60)
    @given(graphs.csr_graphs(weights=weights, max_vertices=12))
    def agrees(graph):
        assert_right(graph, close=is_close)

    agrees()


@settings(max_examples=60)
@given(graphs.csr_graphs(weights="integer", max_vertices=5))
def test_brute_force(graph):
    assert_right(graph, by_brute_force)


def test_extreme_integers_are_exact():
    rng = np.random.default_rng(3)
    for dtype in (np.int32, np.int64):
        ends = graphs.extremes_of(dtype)
        for _ in range(40):
            edges = [(*rng.integers(0, 7, 2).tolist(), ends[rng.integers(7)]) for _ in range(30)]
            assert_right(graphs.csr(7, edges, dtype))


def test_cycles_within_cycles():
    """Cycles of powers of two are contracted again and again."""
    n = 64
    edges = [(v, v + 1, 0) for v in range(n - 1)] + [(v + 1, v, v) for v in range(n - 1)]
    edges += [(n - 1, 0, 1000), (n // 2, 0, 2000)]
    assert_right(graphs.csr(n, edges, np.int64))


def test_against_networkx():
    rng = np.random.default_rng(7)
    for seed in range(10):
        graph = nx.gnp_random_graph(40, 0.2, seed=seed, directed=True)
        for _, _, edge in graph.edges(data=True):
            edge["weight"] = int(rng.integers(1, 100))
        expected = nx.minimum_spanning_arborescence(graph.copy())
        tree = wg.minimum_arborescence(graph)
        assert tree.total_weight == expected.size("weight")


def test_the_smallest_of_several_roots():
    ring = graphs.csr(5, [(v, (v + 1) % 5, 2) for v in range(5)])
    assert wg.minimum_arborescence(ring).root == 0
    later = graphs.csr(5, [(v, (v + 1) % 5, 2 + (v == 2)) for v in range(5)])
    assert wg.minimum_arborescence(later).root == 3


def test_ties_go_to_the_first_edge():
    graph = graphs.csr(3, [(0, 1, 2), (0, 2, 1), (2, 1, 2), (0, 1, 2), (0, 2, 1)])
    assert wg.minimum_arborescence(graph, 0).edge_ids.tolist() == [0, 1]


def test_a_large_graph_for_any_number_of_threads():
    graph = wg.Graph(wg.generators.grid(150, 150, seed=4, weights=(0, 9)))
    found = []
    for count in (1, 4):
        wg.set_num_threads(count)
        found.append(wg.minimum_arborescence(graph, 7))
    wg.set_num_threads(0)
    checks.assert_same_bits(found[0].edge_ids, found[1].edge_ids)
    # Every edge is there both ways: the lightest tree has no direction.
    assert found[0].total_weight == wg.minimum_spanning_forest(graph).total_weight


def test_names_and_forms():
    flights = nx.DiGraph()
    flights.add_weighted_edges_from([("Oslo", "Rome", 3), ("Rome", "Bonn", 1)], weight="price")
    flights.add_edge("Oslo", "Bonn", price=0)
    tree = wg.minimum_arborescence(flights, "Oslo", weight="price")
    assert repr(tree) == "<warpgraph.Arborescence: root 'Oslo', 3 vertices, total weight 3>"
    assert set(tree.to_networkx().edges(data="price")) == {
        ("Oslo", "Rome", 3),
        ("Oslo", "Bonn", 0),
    }
    assert tree.to_networkx(weight="cost").edges["Oslo", "Rome"] == {"cost": 3}
    assert tree.to_csr().toarray().tolist() == [[0, 3, 0], [0, 0, 0], [0, 0, 0]]
    assert tree.to_csr().nnz == 2
    copy = pickle.loads(pickle.dumps(tree))
    assert copy.edge_ids.tolist() == tree.edge_ids.tolist()
    with checks.raises_sentence(ValueError, "'Rome'", "'Oslo'"):
        wg.minimum_arborescence(flights, "Rome", weight="price")
    with checks.raises_sentence(ValueError, "root", "'Paris'"):
        wg.minimum_arborescence(flights, "Paris", weight="price")


def test_one_vertex():
    tree = wg.minimum_arborescence(graphs.SAMPLES["one_loop"])
    assert (tree.root, len(tree), tree.total_weight) == (0, 0, 0)


def test_graphs_without_an_arborescence():
    with checks.raises_sentence(ValueError, "without vertices"):
        wg.minimum_arborescence(graphs.SAMPLES["no_vertices"])
    with checks.raises_sentence(ValueError, "root is 3"):
        wg.minimum_arborescence(graphs.csr(3, [(0, 1, 1)]), 3)
    with checks.raises_sentence(ValueError, "no vertex reaches both 0 and 2"):
        wg.minimum_arborescence(graphs.csr(3, [(0, 1, 1), (2, 1, 1)]))
    with checks.raises_sentence(ValueError, "from the root 1 to vertex 0"):
        wg.minimum_arborescence(graphs.csr(2, [(0, 1, 1), (1, 0, np.inf)]), 1)


def test_weights_that_are_no_numbers():
    with checks.raises_sentence(ValueError, "NaN"):
        wg.minimum_arborescence(graphs.csr(2, [(0, 1, np.nan)]))
    with checks.raises_sentence(ValueError, "(0, 1)", "-inf"):
        wg.minimum_arborescence(graphs.csr(2, [(1, 0, 1), (0, 1, -np.inf)]))
