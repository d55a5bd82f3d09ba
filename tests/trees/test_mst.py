"""wg.minimum_spanning_forest: Kruskal's forest exactly, on every device and lists of devices."""

import functools
import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from scipy.sparse import csgraph

import checks
import oracles
import warpgraph as wg
from calls import arrays_of
from device_lists import METHODS_OF_FORESTS, MIXED, SINGLE, on_one_gpu, over, over_methods
from graphs import DTYPES, SAMPLES, both_ways, csr, csr_graphs, for_scipy, over_samples, random_csr
from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._trees import merged_forest

LISTS = MIXED + on_one_gpu(5)
over_devices = over(SINGLE + LISTS)


def assert_same_forest(found, expected):
    """Compare all bits of two forests."""
    ours, theirs = arrays_of(found), arrays_of(expected)
    if isinstance(found.total_weight, int):  # beyond int64, an array would have its address
        assert found.total_weight == expected.total_weight
        ours, theirs = ours[:-1], theirs[:-1]
    checks.assert_same_bits(ours, theirs)
    assert found.names is expected.names


def reference(graph, maximum=False):
    """Return the edge ids that the core's Kruskal finds."""
    graph = wg.Graph(graph)
    upper, positions = graph._upper_triangle()
    _, _, ids = _core.minimum_spanning_forest(
        upper._handle, upper.dtype, "cpu", None, method="reference", maximum=maximum
    )
    return ids if positions is None else positions[ids]


def assert_right(graph, device, maximum=False):
    """Compare with the reference, and all bits with the forest that cores find."""
    found = wg.minimum_spanning_forest(graph, maximum=maximum, device=device)
    assert_same_forest(found, wg.minimum_spanning_forest(graph, maximum=maximum, device="cpu"))
    assert (found.edge_ids == reference(graph, maximum)).all()
    return found


@over_devices
@over_samples()
@pytest.mark.parametrize("maximum", [False, True])
def test_samples(graph, maximum, device):
    forest = wg.minimum_spanning_forest(graph, maximum=maximum, device=device)
    alone = wg.minimum_spanning_forest(graph, maximum=maximum, device="cpu")
    assert_same_forest(forest, alone)
    assert forest.edge_ids.tolist() == oracles.kruskal(graph, maximum=maximum).tolist()
    tail, head, weight = oracles.arcs(graph)
    ids = forest.edge_ids
    assert forest.edges.tolist() == np.sort(np.c_[tail[ids], head[ids]], axis=1).tolist()
    assert forest.weights.tolist() == weight[ids].tolist()


@over_samples()
@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.cuda
def test_samples_by_rows(graph, maximum):
    """Prepared rows are kept, separately for both orders."""
    kept = wg.Graph(graph)
    for heaviest in (maximum, not maximum, maximum):
        how = {"maximum": heaviest, "method": "boruvka", "device": "cuda:0"}
        forest = wg.minimum_spanning_forest(kept, **how)
        assert forest.edge_ids.tolist() == oracles.kruskal(graph, maximum=heaviest).tolist()


@over_samples()
def test_samples_is_spanned(graph, device):
    checks.assert_spanning_forest(graph, wg.minimum_spanning_forest(graph, device=device))


@over_methods(METHODS_OF_FORESTS + [(names, "filter") for names in LISTS])
@pytest.mark.parametrize("weights", ["any", "ties", "extremes"])
def test_drawn_graphs(weights, method, device):
    @given(csr_graphs(weights=weights), st.booleans(), st.booleans())
    def is_kruskals(graph, maximum, is_symmetric):
        if is_symmetric and weights != "extremes":
            graph = sp.csr_array(graph + graph.T)
        forest = wg.minimum_spanning_forest(graph, maximum=maximum, method=method, device=device)
        assert forest.edge_ids.tolist() == oracles.kruskal(graph, maximum=maximum).tolist()
        assert forest.edge_ids.tolist() == reference(graph, maximum).tolist()
        assert forest.weights.dtype == wg.Graph(graph).dtype
        assert (forest.labels == wg.connected_components(graph)[1]).all()

    is_kruskals()


@over_devices
@pytest.mark.parametrize("dtype", DTYPES)
def test_larger_graphs(dtype, device):
    for made in (wg.generators.rmat(10, 16, seed=3), wg.generators.grid(60, 70, seed=1)):
        rng = np.random.default_rng(0)
        weights = rng.integers(0, 50, made.n_edges).astype(dtype)
        graph = wg.Graph.from_csr(made.indptr, made.indices, weights)
        assert_right(graph, device)  # not symmetric: the weights differ
        both = graph._undirected()
        checks.assert_spanning_forest(both.to_csr(), assert_right(both, device))


@over_devices
@pytest.mark.parametrize("dtype", DTYPES)
def test_least_and_largest_weights(dtype, device):
    """The largest key of 64 bits is all ones, as is that of a tree without edges."""
    limits = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else np.finfo(dtype)
    graphs = [wg.Graph.from_edges([0, 3, 1, 3], [1, 0, 3, 2])]
    graphs += [wg.generators.grid(9, 8, seed=1), wg.generators.rmat(7, 8, seed=2)]
    rng = np.random.default_rng(0)
    for made in graphs:
        for share in (0.5, 0.9, 1):
            extreme = rng.choice(np.array([limits.min, limits.max]), made.n_edges)
            same = np.full(made.n_edges, limits.max)
            for weights in (extreme, same, np.full(made.n_edges, limits.min)):
                drawn = np.where(rng.random(made.n_edges) < share, weights, 1).astype(dtype)
                graph = wg.Graph.from_csr(made.indptr, made.indices, drawn)
                assert_right(graph, device)
                assert_right(graph, device, maximum=True)


def test_light_edges_that_join_little(device):
    """All light edges are within a clique, so a first pass over them joins little."""
    n, inside = 3000, 250
    clique = [(u, v, 0.001 * ((u * v) % 97)) for u in range(inside) for v in range(u)]
    rng = np.random.default_rng(5)
    outside = [(u, v, 1 + rng.random()) for u, v in rng.integers(0, n, (12_000, 2)).tolist()]
    graph = csr(n, both_ways(clique + outside))
    forest = wg.minimum_spanning_forest(graph, device=device)
    assert (forest.edge_ids == reference(graph)).all()


def test_chain_of_nearest_neighbours(device):
    """The nearest neighbour of every vertex is the next one, so the hooks form one path."""
    n = 20_000
    order = np.random.default_rng(1).permutation(n).tolist()
    graph = csr(n, both_ways([(u, v, n - i) for i, (u, v) in enumerate(itertools.pairwise(order))]))
    forest = wg.minimum_spanning_forest(graph, device=device)
    assert (forest.edge_ids == reference(graph)).all()
    assert forest.n_trees == 1


ORDERED = {
    "grid": lambda: wg.generators.grid(310, 305, seed=1, weights=(1, 9)),
    "narrow grid": lambda: wg.generators.grid(20, 6000, seed=2, weights=(1, 10**6)),
    "chain": lambda: wg.generators.grid(1, 100_000, seed=3, weights=(1, 50)),
    "clusters": lambda: wg.generators.ssca2(16, seed=5, weights=(1, 100)),
    "skewed": lambda: wg.generators.rmat(15, 32, seed=4, weights=(1, 200)),
}


@pytest.mark.parametrize("threads", [1, 2, 9])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ORDERED)
def test_large_graphs_as_scipy(name, dtype, threads):
    """Graphs that are contracted in blocks, and one with a giant tree between passes."""
    drawn, ids = _drawn_and_forest(name)
    graph = wg.Graph(drawn.astype(dtype))
    wg.set_num_threads(threads)
    try:
        forest = wg.minimum_spanning_forest(graph, device="cpu")
    finally:
        wg.set_num_threads(0)
    assert np.array_equal(np.sort(forest.edge_ids), ids)
    assert (np.lexsort((forest.edge_ids, forest.weights)) == np.arange(len(forest.weights))).all()


@functools.lru_cache(maxsize=1)
def _drawn_and_forest(name):
    """Return a graph, and SciPy's forest, which is the same in every dtype."""
    graph = ORDERED[name]()._undirected()
    return graph.to_csr(), forest_by_scipy(graph)


def forest_by_scipy(graph):
    """Return the ids of SciPy's tree of the ranks of edges in Kruskal's order."""
    tail, head, weight = graph.to_edges()
    ids = np.flatnonzero(tail < head)
    ids = ids[np.lexsort((ids, weight[ids]))]
    _, first = np.unique(np.c_[tail, head][ids], axis=0, return_index=True)
    ranks = sp.csr_array(
        (first + 1.0, (tail[ids[first]], head[ids[first]])), (graph.n_vertices, graph.n_vertices)
    )
    return np.sort(ids[csgraph.minimum_spanning_tree(ranks).data.astype(int) - 1])


def is_simple_and_symmetric(graph):
    tail, head, _ = oracles.arcs(graph)
    return wg.Graph(graph)._is_mirrored() and len({*zip(tail, head, strict=True)}) == len(tail)


@over_samples(only=is_simple_and_symmetric)
def test_same_edges_as_networkx(graph, device):
    """Including ties, which NetworkX breaks by the order of its nodes and their neighbours."""
    tail, head, weight = (array.tolist() for array in oracles.arcs(graph))
    G = nx.Graph()
    G.add_nodes_from(range(graph.shape[0]))
    for u, v, w in zip(tail, head, weight, strict=True):
        if u < v:
            G.add_edge(u, v, weight=w)
    edges = nx.minimum_spanning_edges(G, algorithm="kruskal")
    theirs = [(u, v, data["weight"]) for u, v, data in edges]
    forest = wg.minimum_spanning_forest(graph, device=device)
    ours = zip(*forest.edges.T.tolist(), forest.weights.tolist(), strict=True)
    assert list(ours) == theirs


@over_devices
@pytest.mark.parametrize("dtype", DTYPES)
def test_same_weight_as_scipy(dtype, device):
    rng = np.random.default_rng(2)
    graph = for_scipy(random_csr(500, 0.01, rng))
    graph.data = (1 + 1000 * graph.data).astype(dtype)
    theirs = csgraph.minimum_spanning_tree(graph)
    forest = wg.minimum_spanning_forest(graph, device=device)
    assert len(forest) == theirs.nnz
    assert forest.total_weight == pytest.approx(theirs.sum(), rel=1e-12)


def test_lighter_direction_wins(device):
    graph = csr(3, [(0, 1, 5.0), (1, 0, 2.0), (1, 2, 1.0), (2, 1, 1.0)])
    forest = wg.minimum_spanning_forest(graph, device=device)
    assert forest.edges.tolist() == [[1, 2], [0, 1]]
    assert forest.edge_ids.tolist() == [2, 1]
    assert forest.weights.tolist() == [1.0, 2.0]


def test_negative_zero_ties_with_zero(device):
    graph = csr(3, both_ways([(0, 1, 0.0), (0, 2, -0.0), (1, 2, -0.0)]))
    forest = wg.minimum_spanning_forest(graph, device=device)
    assert forest.edges.tolist() == [[0, 1], [0, 2]]


def test_infinite_weights_are_edges(device):
    graph = csr(3, both_ways([(0, 1, np.inf), (1, 2, -np.inf), (0, 2, np.inf)]))
    forest = wg.minimum_spanning_forest(graph, device=device)
    assert forest.edges.tolist() == [[1, 2], [0, 1]]
    assert np.isnan(forest.total_weight)


def test_zero_weights_stay(device):
    forest = wg.minimum_spanning_forest(SAMPLES["zero_weights"], device=device)
    assert (forest.weights == 0).any()
    assert forest.to_csr().nnz == len(forest)


def test_takes_what_users_have(device):
    matrix = SAMPLES["grid"]
    expected = wg.minimum_spanning_forest(matrix, device=device).edges.tolist()
    for graph in (wg.Graph(matrix), matrix.tocsc(), matrix.tocoo(), matrix.toarray()):
        assert wg.minimum_spanning_forest(graph, device=device).edges.tolist() == expected
    G = nx.from_scipy_sparse_array(matrix)
    assert wg.minimum_spanning_forest(G, device=device).total_weight == pytest.approx(
        wg.minimum_spanning_forest(matrix, device=device).total_weight
    )


@over_devices
def test_again_with_what_is_kept(device):
    graph = wg.generators.grid(30, 30, seed=1)
    before = wg.minimum_spanning_forest(graph, device=device)
    assert_same_forest(wg.minimum_spanning_forest(graph, device=device), before)
    graph.clear()
    assert_same_forest(wg.minimum_spanning_forest(graph, device=device), before)


def test_graph_keeps_its_upper_triangle():
    graph = wg.Graph(SAMPLES["asymmetric_weights"])
    before = graph.nbytes
    first = graph._upper_triangle()
    assert first[1] is not None
    assert graph._upper_triangle()[0] is first[0]
    assert graph.nbytes > before
    graph.clear()
    assert graph.nbytes == before


def test_parts_have_equal_work():
    """An entry is read; one above the diagonal is an edge, which takes four times as long more."""
    graph = wg.generators.rmat(12, 16, seed=3)._undirected()
    parts = merged_forest.parts_of(graph, 4, validate.NO_LIMIT)
    entries = np.array([part.n_edges for part in parts.graphs])
    edges = np.array([sp.triu(part.to_csr(), 1).nnz for part in parts.graphs])
    assert entries.sum() == graph.n_edges
    work = entries + 4 * edges
    assert max(work) < 1.1 * min(work)
    upper, _ = wg.Graph(sp.triu(graph.to_csr(), 1))._upper_triangle()
    entries = [part.n_edges for part in merged_forest.parts_of(upper, 4, validate.NO_LIMIT).graphs]
    assert max(entries) < 1.2 * min(entries)
    assert 0 < parts.nbytes < 5 * 8 * (graph.n_vertices + 1)


@pytest.mark.large
def test_more_arcs_than_32_bits_number(device):
    """2**31 loops and an edge; pages of zeros that are only read take no memory."""
    n_loops, path = 2**31, 5
    indices = np.zeros(n_loops + path, np.int32)
    data = np.zeros(n_loops + path, np.int32)
    indices[n_loops:] = np.arange(1, path + 1)
    data[n_loops:] = np.arange(-path, 0)
    indptr = np.r_[0, n_loops + np.arange(1, path + 1), n_loops + path]
    graph = wg.Graph.from_csr(indptr, indices, data)
    assert graph.n_edges > np.iinfo(np.int32).max
    forest = wg.minimum_spanning_forest(graph, device=device)
    assert forest.edge_ids.tolist() == list(range(n_loops, n_loops + path))
    assert forest.edges.tolist() == [[v, v + 1] for v in range(path)]
    last = wg.local_forest(graph, rows=(path - 1, path + 1), device=device)
    assert last.edge_ids.tolist() == [n_loops + path - 1]
    rest = wg.local_forest(graph, rows=(0, path - 1), device=device)
    both = wg.merge_forests(last, rest, device=device)
    assert both.edge_ids.tolist() == forest.edge_ids.tolist()


@pytest.mark.parametrize("maximum", [False, True])
def test_one_direction_is_enough(maximum, device):
    """Entries on either side of the diagonal, or some on each, equal those stored both ways."""
    rng = np.random.default_rng(9)
    pairs = np.unique(np.sort(rng.integers(0, 400, (2000, 2)), axis=1), axis=0)
    edges = [
        (u, v, w)
        for (u, v), w in zip(pairs.tolist(), rng.permutation(len(pairs)).tolist(), strict=True)
        if u != v
    ]
    mixed = [(v, u, w) if w % 2 else (u, v, w) for u, v, w in edges]
    expected = wg.minimum_spanning_forest(csr(400, edges), maximum=maximum, device=device)
    for stored in ([(v, u, w) for u, v, w in edges], mixed, both_ways(edges), mixed + edges):
        forest = wg.minimum_spanning_forest(csr(400, stored), maximum=maximum, device=device)
        assert forest.edges.tolist() == expected.edges.tolist()
        assert forest.weights.tolist() == expected.weights.tolist()


def test_heavier_direction_wins_if_maximum(device):
    graph = csr(2, [(0, 1, 5.0), (1, 0, 7.0)])
    for yes in (True, 1, np.True_):
        forest = wg.minimum_spanning_forest(graph, maximum=yes, device=device)
        assert forest.edge_ids.tolist() == [1]
    assert wg.minimum_spanning_forest(graph, device=device).edge_ids.tolist() == [0]


@over_devices
@pytest.mark.parametrize("n", [0, 1, 2])
def test_fewer_vertices_than_devices(n, device):
    assert_right(csr(n, [(0, n - 1, 1.0)] if n > 1 else []), device)


def test_loops_only(device):
    forest = wg.minimum_spanning_forest(csr(3, [(0, 0, -1.0), (2, 2, np.inf)]), device=device)
    assert len(forest) == 0
    assert forest.n_trees == 3
    assert forest.total_weight == 0


def test_rejects_nan(device):
    with checks.raises_sentence(ValueError, "NaN", "(0, 1)"):
        wg.minimum_spanning_forest(csr(2, [(0, 1, np.nan)]), device=device)


@pytest.mark.parametrize("device", ["cpu", ["cpu"] * 3], ids=str)
def test_sorted_rows_are_for_gpus(device):
    with checks.raises_sentence(ValueError, "boruvka", "filter"):
        wg.minimum_spanning_forest(SAMPLES["grid"], method="boruvka", device=device)
