"""wg.sssp: the same bits by every method, on every device and on lists of devices."""

import logging

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import checks
import oracles
import warpgraph as wg
from device_lists import over_methods
from graphs import both_ways, csr, graphs_with_source, has_negative, over_samples
from sssp_support import (
    DTYPES,
    SQUARE,
    all_ways,
    assert_as_on_cores,
    assert_same,
    canonical_tree,
    grid_with,
    method_fixture,
    methods_for,
    methods_on,
    over_devices_and_workers,
    over_workers,
    weighted,
)

method = method_fixture()


def assert_right(graph, source, device, *, dtype=None, directed=True, **options):
    """Compare the distances and the tree of every method with the oracle and the rule."""
    kind = np.dtype(dtype or (np.float32 if graph.dtype == np.float32 else np.float64))
    options |= {"dtype": dtype, "directed": directed, "device": device}
    limit = options.get("limit", np.inf)
    expected = oracles.distances(graph, source, dtype=kind, directed=directed, limit=limit)
    methods = methods_for(graph, device)
    if expected is None:
        for method in methods:
            with pytest.raises(wg.NegativeCycleError) as caught:
                wg.sssp(graph, source, method=method, **options)
            assert_on_negative_cycle(graph, caught.value.vertex, directed)
        return
    unlimited = oracles.distances(graph, source, dtype=kind, directed=directed)
    tree = canonical_tree(
        graph, source, unlimited if has_negative(graph) else expected, directed=directed
    )
    for method in methods:
        both = wg.sssp(graph, source, method=method, return_predecessors=True, **options)
        assert_same(both[0], expected)
        assert_same(both[1], tree)
        if not isinstance(device, list):  # the trees come from the distances, which are the same
            assert_same(wg.sssp(graph, source, method=method, **options), expected)
    if limit == np.inf:
        checks.assert_shortest_path_tree(graph, source, expected, tree, directed=directed)


def assert_on_negative_cycle(graph, vertex, directed=True):
    """Check that a cycle of negative weight goes through the vertex."""
    n = graph.shape[0]
    tail, head, weight = oracles.arcs(graph, directed)
    step = np.full((n, n), np.inf)
    np.minimum.at(step, (tail, head), weight)
    back = step[:, vertex]
    for _ in range(n):
        if back[vertex] < 0:
            return
        back = np.minimum(back, (step + back).min(axis=1))
    pytest.fail(f"vertex {vertex} is on no negative cycle")


# The same result from every method, on every device.


@over_devices_and_workers
@over_samples()
@pytest.mark.parametrize("directed", [True, False])
def test_samples(graph, directed, device):
    n = graph.shape[0]
    for source in sorted({0, n // 2, n - 1}):
        if 0 <= source < n:
            assert_right(graph, source, device, directed=directed)
            assert_right_unweighted(graph, source, device, directed)


def assert_right_unweighted(graph, source, device, directed):
    ones = sp.csr_array((np.ones_like(graph.data), graph.indices, graph.indptr), graph.shape)
    how = {"directed": directed, "return_predecessors": True}
    expected = wg.sssp(ones, source, method="dijkstra", device="cpu", **how)
    for method in methods_for(graph, device):
        found = wg.sssp(graph, source, unweighted=True, method=method, device=device, **how)
        assert_same(found[0], expected[0])
        assert_same(found[1], expected[1])


@over_devices_and_workers
@over_samples(only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("limit", [0, 1, 2.5, 7])
def test_samples_with_limit(graph, limit, device):
    assert_right(graph, 0, device, limit=limit)


@over_devices_and_workers
@over_samples(only=lambda graph: graph.shape[0] > 0)
def test_samples_to_targets(graph, device):
    n = graph.shape[0]
    for targets in ([], [n - 1], [n // 2, 0, n // 2], list(range(0, n, 2))):
        assert_as_on_cores(graph, 0, device, targets=targets)
        assert_as_on_cores(graph, 0, device, targets=targets, limit=3)


@over_devices_and_workers
@over_samples(only=lambda g: g.nnz > 0 and abs(g.data).max() < 1e6 and (g.data % 1 == 0).all())
@pytest.mark.parametrize("dtype", DTYPES)
def test_samples_in_every_dtype(graph, dtype, device):
    assert_right(graph, graph.shape[0] // 3, device, dtype=dtype)


@over_devices_and_workers
@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties", "any"])
def test_drawn_graphs(weights, device):
    @settings(max_examples=40)
    @given(graphs_with_source(weights=weights), st.booleans())
    def agrees(drawn, directed):
        graph, source = drawn
        assert_right(graph, source, device, directed=directed)
        if graph.dtype.kind == "i":
            assert_right(graph, source, device, directed=directed, dtype=graph.dtype)

    agrees()


@over_devices_and_workers
@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties"])
def test_drawn_limits_and_targets(weights, device):
    @settings(max_examples=40)
    @given(graphs_with_source(weights=weights, max_vertices=20), LIMITS, st.data())
    def agrees(drawn, limit, data):
        graph, source = drawn
        if not isinstance(device, list):  # lists are searched with the targets only
            assert_right(graph, source, device, limit=limit)
        vertex = st.integers(0, graph.shape[0] - 1)
        targets = data.draw(st.lists(vertex, max_size=5))
        everywhere = wg.sssp(graph, source, limit=limit, method="dijkstra", device="cpu")
        how = {"targets": targets, "limit": limit, "return_predecessors": True}
        _, tree = wg.sssp(graph, source, method="dijkstra", device="cpu", **how)
        for method in methods_on(device):
            some = wg.sssp(graph, source, method=method, device=device, **how)
            assert_same(some[0], everywhere[targets])
            assert_same(some[1], tree)

    agrees()


LIMITS = st.just(np.inf) | st.floats(0, 40)


LARGER = {
    "grid": lambda: grid_with(lambda rng, m: rng.random(m)),
    "grid of ties": lambda: grid_with(lambda rng, m: rng.integers(0, 3, m).astype(float)),
    "grid of integers": lambda: grid_with(lambda rng, m: rng.integers(1, 1000, m)),
    "grid over many magnitudes": lambda: grid_with(lambda rng, m: 10.0 ** rng.uniform(-9, 9, m)),
    "grid of powers of two": lambda: grid_with(
        lambda rng, m: 1 << rng.integers(0, 30, m).astype(np.int64)
    ),
    "grid of zeros with few ones": lambda: grid_with(
        lambda rng, m: (rng.random(m) < 1e-3).astype(np.float32)
    ),
    "power law": lambda: wg.generators.rmat(13, 16, seed=3),
    "power law, few weights": lambda: wg.generators.rmat(13, 16, seed=3, weights=(1, 4)),
    "scattered": lambda: shuffled(grid_with(lambda rng, m: rng.random(m))),
}


def shuffled(graph):
    """Number the vertices at random, so that nearly all edges join parts of different devices."""
    tail, head, weight = graph.to_edges()
    name = np.random.default_rng(4).permutation(graph.n_vertices).astype(np.int32)
    return wg.Graph.from_edges(name[tail], name[head], weight, n_vertices=graph.n_vertices)


@pytest.fixture(scope="module", params=LARGER)
def larger(request):
    """A graph, its distances by Dijkstra's algorithm and its tree by the rule."""
    graph = LARGER[request.param]()
    distances = wg.sssp(graph, 7, method="dijkstra", device="cpu")
    matrix = sp.csr_array((graph.data, graph.indices, graph.indptr), shape=2 * distances.shape)
    return graph, distances, canonical_tree(matrix, 7, distances)


@over_methods(all_ways(pytest.mark.heavy))
def test_larger_graphs(larger, method, device):
    graph, expected, expected_tree = larger
    distances, tree = wg.sssp(graph, 7, method=method, return_predecessors=True, device=device)
    assert_same(distances, expected)
    assert_same(tree, expected_tree)


@over_methods(all_ways(pytest.mark.heavy))
def test_larger_graphs_in_part(larger, method, device):
    graph, expected, expected_tree = larger
    nearest_first = np.argsort(expected, kind="stable")
    options = {"method": method, "return_predecessors": True, "device": device}
    for targets in (nearest_first[[900, 20, 3000, 7, 500, 20]], nearest_first[:2000]):
        farthest = expected[targets].max()
        near = expected <= farthest
        limited = np.where(near, expected, oracles.unreachable(expected.dtype))
        parts = ({"targets": targets}, expected[targets]), ({"limit": farthest}, limited)
        for part, answer in parts:
            distances, tree = wg.sssp(graph, 7, **part, **options)
            assert_same(distances, answer)
            assert_same(tree, np.where(near, expected_tree, np.int32(-1)))


@over_devices_and_workers
@pytest.mark.heavy
@pytest.mark.parametrize("dtype", DTYPES)
def test_larger_graphs_in_every_dtype(dtype, device):
    graph = grid_with(lambda rng, m: rng.integers(1, 1000, m))
    assert_as_on_cores(graph, 3, device, dtype=dtype)


@over_methods(all_ways())
def test_a_path_that_changes_its_part_at_each_step(method, device):
    n = 400
    order = np.arange(n).reshape(8, n // 8).T.ravel()
    graph = wg.Graph.from_edges(order[:-1], order[1:], np.full(n - 1, 0.1), n_vertices=n)
    expected = np.empty(n)
    expected[order] = np.cumsum([0.0] + [0.1] * (n - 1))
    assert_same(wg.sssp(graph, 0, method=method, device=device), expected)


@over_methods(all_ways())
def test_weights_far_apart(method, device):
    """Steps that are many priorities long."""
    n = 300
    weights = np.where(np.arange(n - 1) % 5 == 0, 1e9, 1.0)
    graph = wg.Graph.from_edges(np.arange(n - 1), np.arange(1, n), weights, n_vertices=n)
    distances = wg.sssp(graph, 0, method=method, device=device)
    assert_same(distances, np.cumsum([0.0, *weights]))


def test_larger_graphs_as_scipy_has_them(larger, device):
    graph, expected, _ = larger
    if expected.dtype != np.float64:
        pytest.skip("SciPy adds in float64")
    theirs = csgraph.dijkstra(graph.to_csr(), indices=7)
    assert_same(wg.sssp(graph, 7, device=device), theirs)


@pytest.mark.parametrize("name", ["grid of integers", "power law, few weights"])
def test_larger_potentials(name, device):
    """Some weights w + p[u] - p[v] are negative, but no cycle is."""
    graph = LARGER[name]()
    potential = np.random.default_rng(5).integers(-500, 500, graph.n_vertices)
    tail, head, weight = graph.to_edges()
    shifted = weighted(graph, weight.astype(np.int64) + potential[tail] - potential[head])
    assert (shifted.data < 0).any()
    far = np.iinfo(np.int64).max
    plain = wg.sssp(graph, 7, dtype="int64", method="dijkstra", device="cpu")
    expected = np.where(plain == far, far, plain + potential[7] - potential)
    distances, tree = wg.sssp(shifted, 7, dtype="int64", return_predecessors=True, device=device)
    assert_same(distances, expected)
    assert_same(tree, canonical_tree(shifted.to_csr(), 7, distances))


@over_samples(
    negative=False,
    only=lambda g: (
        g.shape[0] > 1 and np.isfinite(g.data).all() and g.data.max(initial=0) != 2**61 + 1
    ),
)
def test_samples_as_networkx_has_it(graph, device):
    theirs = nx.MultiDiGraph()
    theirs.add_nodes_from(range(graph.shape[0]))
    theirs.add_weighted_edges_from(
        zip(*(array.tolist() for array in oracles.arcs(graph)), strict=True)
    )
    found = nx.single_source_dijkstra_path_length(theirs, 0)
    distances = wg.sssp(graph, 0, dtype="float64", device=device)
    assert {v: d for v, d in enumerate(distances.tolist()) if d != np.inf} == found


@pytest.mark.heavy
@over_methods(all_ways(pytest.mark.heavy))
def test_new_york(method, device):
    matrix = wg.datasets.load("ny-road").to_csr()
    if method == "bellman_ford" and device == "cpu":
        pytest.skip("takes a second")
    distances = wg.sssp(matrix, 0, method=method, device=device)
    assert_same(distances, csgraph.dijkstra(matrix, indices=0))


# Ties, and cycles of weight zero.


def test_smallest_predecessor_wins(method, device):
    graph = csr(5, [(0, 3, 1.0), (0, 2, 1.0), (0, 1, 1.0), (3, 4, 1.0), (2, 4, 1.0)])
    _, tree = wg.sssp(graph, 0, method=method, return_predecessors=True, device=device)
    assert tree.tolist() == [-1, 0, 0, 0, 2]


def test_nearer_predecessor_beats_smaller_one_at_the_same_distance(method, device):
    """Vertices 1 and 2 are joined by zeros; 4 is nearer than both."""
    graph = csr(5, [(0, 4, 1.0), (4, 2, 1.0), (2, 1, 0.0), (1, 2, 0.0), (1, 3, 0.0), (2, 3, 0.0)])
    distances, tree = wg.sssp(graph, 0, method=method, return_predecessors=True, device=device)
    assert distances.tolist() == [0, 2, 2, 2, 1]
    assert tree.tolist() == [-1, 2, 4, 2, 0]


def test_absorbed_weights_do_not_close_a_cycle(method, device):
    """Beside 1e16, a weight of 0.1 vanishes."""
    graph = csr(4, [(0, 3, 1e16), (3, 2, 0.1), (2, 1, 0.1), (1, 2, 0.1), (1, 3, 0.1)])
    distances, tree = wg.sssp(graph, 0, method=method, return_predecessors=True, device=device)
    assert distances.tolist() == [0, 1e16, 1e16, 1e16]
    assert tree.tolist() == [-1, 2, 3, 0]


def test_source_on_a_cycle_of_zeros(method, device):
    graph = csr(3, [(0, 1, 0.0), (1, 2, 0.0), (2, 0, 0.0)])
    for source in range(3):
        _, tree = wg.sssp(graph, source, method=method, return_predecessors=True, device=device)
        assert tree[source] == -1
        assert len(wg.reconstruct_path(tree, source, (source + 2) % 3)) == 3


# Negative weights.


def test_negative_cycle_names_a_vertex_on_it(device):
    edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, -4.0), (3, 1, 2.0), (3, 4, 1.0)]
    for method in ("auto", "bellman_ford"):
        with checks.raises_sentence(wg.NegativeCycleError, "negative cycle", "vertex") as caught:
            wg.sssp(csr(6, edges), 0, method=method, device=device)
        assert caught.value.vertex in (1, 2, 3)
    # A cycle that the source does not reach is no error.
    assert wg.sssp(csr(6, edges), 4, device=device).tolist()[4] == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_negative_loop(dtype, device):
    with pytest.raises(wg.NegativeCycleError) as caught:
        wg.sssp(csr(3, [(0, 1, 1.0), (1, 1, -1.0)]), 0, dtype=dtype, device=device)
    assert caught.value.vertex == 1


def test_negative_undirected_edge_is_a_cycle(device):
    for directed in (True, False):
        with pytest.raises(wg.NegativeCycleError) as caught:
            wg.sssp(csr(3, both_ways([(0, 1, 1.0), (1, 2, -1.0)])), 0, directed=directed)
        assert caught.value.vertex in (1, 2)


def test_negative_cycle_in_a_large_graph(device):
    """Far from the source, so that the search takes long to reach it."""
    n = 3000
    path = [(v, v + 1, 1.0) for v in range(n - 1)]
    graph = csr(n, [*path, (n - 1, n - 5, -4.5)])
    with pytest.raises(wg.NegativeCycleError) as caught:
        wg.sssp(graph, 0, device=device)
    assert n - 5 <= caught.value.vertex < n
    graph.data[graph.data < 0] = -4.0
    assert_same(wg.sssp(graph, 0, device=device), np.arange(n, dtype=float))


def test_integers_that_fall_to_the_lowest_are_still_a_negative_cycle(device):
    graph = csr(2, [(0, 1, -(2**30)), (1, 0, 2**29)], np.int32)
    with pytest.raises(wg.NegativeCycleError):
        wg.sssp(graph, 0, dtype="int32", device=device)


def test_cycle_of_weight_zero_that_rounds_to_less(device):
    """One round of the cycle loses the last bit, and then the arc from the source is not tight."""
    entry = 1 + 2.0**-52
    graph = csr(4, [(0, 1, entry), (1, 2, 1.0), (2, 1, -1.0), (2, 3, 1.0)])
    distances, tree = wg.sssp(graph, 0, return_predecessors=True, device=device)
    assert distances.tolist() == [0, 1, 2, 3]
    assert tree.tolist() == [-1, 0, 1, 2]


def test_decimal_fractions_that_only_seem_to_add_up_to_zero(device):
    graph = csr(4, [(0, 1, 1.0), (1, 2, 0.3), (2, 3, -0.1), (3, 1, -0.2)])
    distances, tree = wg.sssp(graph, 0, return_predecessors=True, device=device)
    np.testing.assert_allclose(distances, [0, 1, 1.3, 1.2])
    assert wg.reconstruct_path(tree, 0, 3).tolist() == [0, 1, 2, 3]


@over_workers
def test_negative_weights_are_searched_on_the_first_device(device, caplog):
    graph = csr(4, [*SQUARE, (0, 2, -0.5), (2, 0, 0.5)])
    graph = weighted(wg.Graph(graph), graph.data)
    with caplog.at_level(logging.INFO, "warpgraph"):
        assert_as_on_cores(graph, 1, device)
    assert ("the first of the list" in caplog.text) == (len(device) > 1)


@pytest.mark.parametrize("name", ["dijkstra", "delta_stepping", "near_far"])
def test_negative_weights_need_bellman_ford(name, device):
    if name not in methods_on(device):
        pytest.skip("the method does not run there")
    graph = csr(3, [(0, 1, 1.0), (2, 1, -0.5)])
    with checks.raises_sentence(ValueError, "-0.5", "(2, 1)", name, "bellman_ford"):
        wg.sssp(graph, 0, method=name, device=device)


def test_near_far_needs_a_gpu():
    with checks.raises_sentence(ValueError, "'near_far'", "cpu", "'delta_stepping'"):
        wg.sssp(csr(3, [(0, 1, 1.0)]), 0, method="near_far", device="cpu")


def test_minus_infinity_is_no_weight(device):
    with checks.raises_sentence(ValueError, "(1, 2)", "-inf"):
        wg.sssp(csr(3, [(0, 1, -1.0), (1, 2, -np.inf)]), 0, device=device)
