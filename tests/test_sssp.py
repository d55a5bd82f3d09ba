"""wg.sssp: the same bits from every method, on every device."""

import logging
import signal
import threading
import tracemalloc

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

import checks
import oracles
import warpgraph as wg
from graphs import ZOO, both_ways, csr, graphs_with_source, has_negative, over_zoo

METHODS = ["dijkstra", "delta_stepping", "bellman_ford"]
DTYPES = ["float32", "float64", "int32", "int64"]
SQUARE = both_ways([(0, 1, 1.0), (1, 2, 2.0), (2, 3, 1.5), (0, 3, 5.0)])


def methods_on(device):
    return ["auto", *METHODS] if device == "cpu" else ["auto", "bellman_ford"]


@pytest.fixture(params=["auto", *METHODS])
def method(request, device):
    if request.param not in methods_on(device):
        pytest.skip("the method does not run there")
    return request.param


def canonical_tree(graph, source, distances, directed=True):
    """Find predecessors by the rule, given distances, one level after the other."""
    tail, head, weight = oracles.arcs(graph, directed)
    far = oracles.unreachable(distances.dtype)
    usable = (distances[tail] != far) & (distances[head] != far) & (head != source)
    tail, head = tail[usable], head[usable]
    through = distances[tail] + weight[usable].astype(distances.dtype)
    tight = through == distances[head]
    tail, head = tail[tight], head[tight]
    none = np.iinfo(np.int32).max
    tree, is_placed = np.full(len(distances), none, np.int32), np.zeros(len(distances), bool)
    is_placed[source] = True
    if not has_negative(graph):
        nearer = distances[tail] < distances[head]
        np.minimum.at(tree, head[nearer], tail[nearer])
        is_placed[head[nearer]] = True
        tail, head = tail[~nearer], head[~nearer]
    order = np.argsort(tail, kind="stable")
    tail, head = tail[order], head[order]
    starts = np.searchsorted(tail, np.arange(len(distances) + 1))
    frontier = np.flatnonzero(is_placed)
    while len(frontier):
        arcs = np.concatenate([np.arange(*starts[u : u + 2]) for u in frontier])
        arcs = arcs[~is_placed[head[arcs]]]
        np.minimum.at(tree, head[arcs], tail[arcs])
        frontier = np.unique(head[arcs])
        is_placed[frontier] = True
    return np.where(tree == none, -1, tree).astype(np.int32)


def assert_same(a, b):
    """Bit for bit."""
    assert a.dtype == b.dtype
    np.testing.assert_array_equal(a, b)
    assert a.tobytes() == b.tobytes()


def assert_right(graph, source, device, *, dtype=None, directed=True, **options):
    """Compare the distances and the tree of every method with the oracle and the rule."""
    kind = np.dtype(dtype or (np.float32 if graph.dtype == np.float32 else np.float64))
    options |= {"dtype": dtype, "directed": directed, "device": device}
    limit = options.get("limit", np.inf)
    expected = oracles.distances(graph, source, dtype=kind, directed=directed, limit=limit)
    methods = ["auto", "bellman_ford"] if has_negative(graph) else methods_on(device)
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
        assert_same(wg.sssp(graph, source, method=method, **options), expected)
        both = wg.sssp(graph, source, method=method, return_predecessors=True, **options)
        assert_same(both[0], expected)
        assert_same(both[1], tree)
    if limit == np.inf:
        checks.assert_shortest_path_tree(graph, source, expected, tree, directed=directed)


def assert_on_negative_cycle(graph, vertex, directed=True):
    """Going from the vertex back to it can cost less than nothing."""
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


@over_zoo()
def test_zoo(graph, device):
    n = graph.shape[0]
    for source in sorted({0, n // 2, n - 1}):
        if 0 <= source < n:
            assert_right(graph, source, device)


@over_zoo(only=lambda graph: graph.shape[0] > 0)
def test_zoo_undirected(graph, device):
    assert_right(graph, 0, device, directed=False)


@over_zoo(only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("limit", [0, 1, 2.5, 7])
def test_zoo_with_limit(graph, limit, device):
    assert_right(graph, 0, device, limit=limit)


@over_zoo(only=lambda g: g.nnz > 0 and abs(g.data).max() < 1e6 and (g.data % 1 == 0).all())
@pytest.mark.parametrize("dtype", DTYPES)
def test_zoo_in_every_dtype(graph, dtype, device):
    assert_right(graph, graph.shape[0] // 3, device, dtype=dtype)


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


def test_drawn_limits_and_targets(device):
    @settings(max_examples=40)
    @given(graphs_with_source(weights="integer", max_vertices=20), st.floats(0, 40), st.data())
    def agrees(drawn, limit, data):
        graph, source = drawn
        assert_right(graph, source, device, limit=limit)
        vertex = st.integers(0, graph.shape[0] - 1)
        targets = data.draw(st.lists(vertex, max_size=5))
        everywhere = wg.sssp(graph, source, limit=limit, method="dijkstra", device="cpu")
        for method in methods_on(device):
            some = wg.sssp(
                graph, source, targets=targets, limit=limit, method=method, device=device
            )
            assert_same(some, everywhere[targets])

    agrees()


def weighted(graph, weights):
    return wg.Graph.from_csr(graph.indptr, graph.indices, weights)


def grid_with(draw):
    """Make a grid that keeps four threads busy, with weights draw(rng, m)."""
    graph = wg.generators.grid(200, 200, seed=1)
    return weighted(graph, draw(np.random.default_rng(2), graph.n_edges))


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
}


@pytest.fixture(scope="module", params=LARGER)
def larger(request):
    """A graph, and what Dijkstra's algorithm and the rule say about it."""
    graph = LARGER[request.param]()
    distances = wg.sssp(graph, 7, method="dijkstra", device="cpu")
    matrix = sp.csr_array((graph.data, graph.indices, graph.indptr), shape=2 * distances.shape)
    return graph, distances, canonical_tree(matrix, 7, distances)


def test_larger_graphs(larger, method, device):
    graph, expected, expected_tree = larger
    distances, tree = wg.sssp(graph, 7, method=method, return_predecessors=True, device=device)
    assert_same(distances, expected)
    assert_same(tree, expected_tree)


def test_larger_graphs_in_part(larger, method, device):
    graph, expected, expected_tree = larger
    nearest_first = np.argsort(expected, kind="stable")
    targets = nearest_first[[900, 20, 3000, 7, 500, 20]]
    farthest = expected[targets].max()
    near = expected <= farthest
    limited = np.where(near, expected, oracles.unreachable(expected.dtype))
    options = {"method": method, "return_predecessors": True, "device": device}
    for part, answer in (({"targets": targets}, expected[targets]), ({"limit": farthest}, limited)):
        distances, tree = wg.sssp(graph, 7, **part, **options)
        assert_same(distances, answer)
        assert_same(tree, np.where(near, expected_tree, np.int32(-1)))


def test_larger_graphs_as_scipy_has_them(larger, device):
    graph, expected, _ = larger
    if expected.dtype != np.float64:
        pytest.skip("SciPy adds in float64")
    theirs = csgraph.dijkstra(graph.to_csr(), indices=7)
    assert_same(wg.sssp(graph, 7, device=device), theirs)


@pytest.mark.parametrize("name", ["grid of integers", "power law, few weights"])
def test_larger_potentials(name, device):
    """Weights w + p[u] - p[v] are negative here and there, but no cycle is."""
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


@over_zoo(
    negative=False,
    only=lambda g: (
        g.shape[0] > 1 and np.isfinite(g.data).all() and g.data.max(initial=0) != 2**61 + 1
    ),
)
def test_zoo_as_networkx_has_it(graph, device):
    theirs = nx.MultiDiGraph()
    theirs.add_nodes_from(range(graph.shape[0]))
    theirs.add_weighted_edges_from(
        zip(*(array.tolist() for array in oracles.arcs(graph)), strict=True)
    )
    found = nx.single_source_dijkstra_path_length(theirs, 0)
    distances = wg.sssp(graph, 0, dtype="float64", device=device)
    assert {v: d for v, d in enumerate(distances.tolist()) if d != np.inf} == found


def test_new_york(method, device):
    matrix = wg.datasets.load("ny-road").to_csr()
    if method == "bellman_ford" and device == "cpu":
        pytest.skip("takes a second")
    distances = wg.sssp(matrix, 0, method=method, device=device)
    assert_same(distances, csgraph.dijkstra(matrix, indices=0))


# What the options do.


def test_unweighted(method, device):
    for name in ("negative_weights", "zero_weights", "infinite_weights", "medium_random", "grid"):
        graph = ZOO[name]
        distances, tree = wg.sssp(
            graph, 0, unweighted=True, method=method, return_predecessors=True, device=device
        )
        hops = oracles.hops(graph, 0)
        assert_same(distances, np.where(hops < 0, np.inf, hops))
        ones = csr(0, []).__class__((np.ones(graph.nnz), graph.indices, graph.indptr), graph.shape)
        assert_same(tree, canonical_tree(ones, 0, distances))


@pytest.mark.parametrize("dtype", DTYPES)
def test_unweighted_in_every_dtype(dtype, device):
    graph = csr(4, [(0, 1, 0.25), (1, 2, np.inf)])
    distances = wg.sssp(graph, 0, unweighted=True, dtype=dtype, device=device)
    assert_same(distances, np.array([0, 1, 2, oracles.unreachable(dtype)], dtype))


def test_undirected_takes_the_lighter_way(method, device):
    graph = csr(3, [(0, 1, 5.0), (1, 0, 2.0), (2, 1, 4.0)])
    distances = wg.sssp(graph, 0, directed=False, method=method, device=device)
    assert distances.tolist() == [0, 2, 6]
    assert wg.sssp(graph, 0, method=method, device=device).tolist() == [0, 5, np.inf]


def test_limit_keeps_what_lies_on_it(method, device):
    graph = csr(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])
    for limit, reached in ((0, 1), (1, 2), (1.5, 2), (2, 3), (1e300, 4)):
        distances = wg.sssp(graph, 0, limit=limit, method=method, device=device)
        assert np.isfinite(distances).sum() == reached
    integers = wg.sssp(graph, 0, limit=1.99, dtype="int32", method=method, device=device)
    assert integers.tolist() == [0, 1, 2**31 - 1, 2**31 - 1]


def test_limit_is_compared_exactly(device):
    tenth = np.float32(0.1)  # a little more than 0.1
    graph = csr(2, [(0, 1, tenth)], np.float32)
    assert wg.sssp(graph, 0, limit=0.1, device=device)[1] == np.inf
    assert wg.sssp(graph, 0, limit=tenth, device=device)[1] == tenth
    big = 2**53 + 1
    graph = csr(2, [(0, 1, big)], np.int64)
    assert wg.sssp(graph, 0, limit=big, dtype="int64", device=device)[1] == big
    assert wg.sssp(graph, 0, limit=big - 1, dtype="int64", device=device)[1] == 2**63 - 1


def test_paths_may_leave_the_limit_where_weights_are_negative(device):
    graph = csr(3, [(0, 1, 10.0), (1, 2, -9.0)])
    distances, tree = wg.sssp(graph, 0, limit=5, return_predecessors=True, device=device)
    assert distances.tolist() == [0, np.inf, 1]
    assert wg.reconstruct_path(tree, 0, 2).tolist() == [0, 1, 2]


def test_targets(method, device):
    graph = csr(6, [*SQUARE, (3, 4, 1.0)])
    distances, tree = wg.sssp(
        graph, 0, targets=[3, 1, 3], method=method, return_predecessors=True, device=device
    )
    assert distances.tolist() == [4.5, 1, 4.5]
    assert tree.tolist() == [-1, 0, 1, 2, -1, -1]
    assert wg.sssp(graph, 0, targets=2, method=method, device=device).tolist() == [3]
    assert wg.sssp(graph, 0, targets=[5, 0], method=method, device=device).tolist() == [np.inf, 0]
    nothing, tree = wg.sssp(
        graph, 0, targets=[], method=method, return_predecessors=True, device=device
    )
    assert nothing.shape == (0,)
    assert (tree == -1).all()


def test_out(method, device):
    graph = csr(4, SQUARE)
    out = np.full(4, 9.0)
    assert wg.sssp(graph, 1, out=out, method=method, device=device) is out
    assert out.tolist() == [1, 0, 2, 3.5]
    some = np.full(2, 9.0)
    assert wg.sssp(graph, 1, targets=[3, 0], out=some, method=method, device=device) is some
    assert some.tolist() == [3.5, 1]


def test_dtypes(device):
    graph = csr(3, [(0, 1, 0.1), (1, 2, 0.2)])
    assert wg.sssp(graph, 0, device=device).dtype == np.float64
    assert wg.sssp(graph.astype(np.float32), 0, device=device).dtype == np.float32
    narrow = wg.sssp(graph, 0, dtype=np.float32, device=device)
    assert_same(narrow, np.cumsum([0, 0.1, 0.2], dtype=np.float32))
    assert wg.sssp(csr(2, [(0, 1, 3)], np.int32), 0, device=device).dtype == np.float64


def test_accepts_what_a_graph_may_be(device):
    matrix = csr(4, SQUARE)
    expected = [0, 1, 3, 4.5]
    theirs = nx.from_scipy_sparse_array(matrix)
    forms = (matrix, matrix.tocsc(), matrix.tocoo(), matrix.toarray(), wg.Graph(matrix), theirs)
    for graph in forms:
        assert wg.sssp(graph, np.int64(0), device=device).tolist() == expected


def test_minus_zero_is_zero(method, device):
    graph = csr(3, [(0, 1, -0.0), (1, 2, -0.0)])
    distances = wg.sssp(graph, 0, method=method, device=device)
    assert_same(distances, np.zeros(3))


# Ties, and cycles that add nothing.


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
    # Where the source does not lead there, nothing is wrong.
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
    """Far from the source, so that it takes long to come there."""
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


def test_cycle_that_weighs_nothing_but_rounds_to_less(device):
    """Going round once loses the last bit, and then the arc from the source is not tight."""
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


@pytest.mark.parametrize("method", ["dijkstra", "delta_stepping"])
def test_negative_weights_need_bellman_ford(method):
    graph = csr(3, [(0, 1, 1.0), (2, 1, -0.5)])
    with checks.raises_sentence(ValueError, "-0.5", "(2, 1)", method, "bellman_ford"):
        wg.sssp(graph, 0, method=method, device="cpu")


def test_minus_infinity_is_no_weight(device):
    with checks.raises_sentence(ValueError, "(1, 2)", "-inf"):
        wg.sssp(csr(3, [(0, 1, -1.0), (1, 2, -np.inf)]), 0, device=device)


# Numbers that do not fit.


def test_integer_overflow(method, device):
    big = 2**30
    graph = csr(4, [(0, 1, big), (1, 2, big), (2, 3, big)], np.int32)
    options = {"method": method, "device": device}
    with checks.raises_sentence(OverflowError, "(1, 2)", big, "dtype"):
        wg.sssp(graph, 0, dtype="int32", **options)
    far = 2**31 - 1
    assert wg.sssp(graph, 0, dtype="int64", **options).tolist() == [0, big, 2 * big, 3 * big]
    # Nobody asked for what does not fit.
    limited = wg.sssp(graph, 0, dtype="int32", limit=2**31 - 2, **options)
    assert limited.tolist() == [0, big, far, far]
    assert wg.sssp(graph, 0, dtype="int32", targets=[1], **options).tolist() == [big]
    with pytest.raises(OverflowError):
        wg.sssp(graph, 0, dtype="int32", targets=[2], **options)
    # Another way is shorter.
    shorter = csr(3, [(0, 1, big), (1, 2, big), (0, 2, 5)], np.int32)
    assert wg.sssp(shorter, 0, dtype="int32", **options).tolist() == [0, big, 5]


def test_a_distance_must_not_look_like_infinity(method, device):
    graph = csr(3, [(0, 1, 1), (1, 2, 2**31 - 2)], np.int32)
    with pytest.raises(OverflowError):
        wg.sssp(graph, 0, dtype="int32", method=method, device=device)


def test_infinite_integer_weight_is_never_used(device):
    graph = csr(3, [(0, 1, -5.0), (1, 2, np.inf)])
    for dtype in ("int32", "int64"):
        distances = wg.sssp(graph, 0, dtype=dtype, device=device)
        assert distances.tolist() == [0, -5, np.iinfo(dtype).max]


def test_integers_below_the_lowest(device):
    graph = csr(4, [(0, 1, -(2**30)), (1, 2, -(2**30)), (2, 3, -1)], np.int32)
    with checks.raises_sentence(OverflowError, "(2, 3)", -1):
        wg.sssp(graph, 0, dtype="int32", device=device)
    distances = wg.sssp(graph, 0, dtype="int64", device=device)
    assert distances.tolist() == [0, -(2**30), -(2**31), -(2**31) - 1]


def test_floats_below_the_lowest(device):
    graph = csr(3, [(0, 1, -1e308), (1, 2, -1e308)])
    with checks.raises_sentence(OverflowError, "(1, 2)"):
        wg.sssp(graph, 0, device=device)


def test_floats_beyond_the_largest_are_unreachable(method, device):
    graph = csr(3, [(0, 1, 1e308), (1, 2, 1e308)])
    distances, tree = wg.sssp(graph, 0, method=method, return_predecessors=True, device=device)
    assert distances.tolist() == [0, 1e308, np.inf]
    assert tree.tolist() == [-1, 0, -1]


@pytest.mark.parametrize(
    ("weight", "dtype", "error"),
    [(0.5, "int32", ValueError), (3e9, "int32", OverflowError), (1e39, "float32", OverflowError)],
)
def test_weights_that_do_not_convert(weight, dtype, error, device):
    with checks.raises_sentence(error, weight, "(0, 1)", dtype):
        wg.sssp(csr(2, [(0, 1, weight)]), 0, dtype=dtype, device=device)


# Wrong arguments.


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"source": 4}, ValueError, ("source", 4, "0..3")),
        ({"source": -1}, ValueError, ("source", -1)),
        ({"source": 0.5}, TypeError, ("source", 0.5)),
        ({"targets": [0, 9]}, ValueError, ("targets[1]", 9)),
        ({"targets": [0.5]}, TypeError, ("targets", "float64")),
        ({"limit": -1}, ValueError, ("limit", -1)),
        ({"limit": float("nan")}, ValueError, ("limit", "nan")),
        ({"limit": "far"}, TypeError, ("limit", "far")),
        ({"method": "near_far"}, ValueError, ("method", "near_far", "dijkstra")),
        ({"dtype": "int16"}, TypeError, ("dtype", "int16", "float32")),
        ({"out": np.empty(3)}, ValueError, ("out", "(3,)", "(4,)")),
        ({"out": np.empty(4, np.float32)}, ValueError, ("out", "float32", "float64")),
        ({"out": [0.0] * 4}, TypeError, ("out", "list")),
        ({"progress": 3}, TypeError, ("progress", 3)),
        ({"memory_limit": 0}, ValueError, ("memory_limit", 0)),
        ({"device": "tpu"}, ValueError, ("tpu",)),
    ],
)
def test_wrong_arguments(options, error, parts):
    arguments = {"source": 0, **options}
    with checks.raises_sentence(error, *parts):
        wg.sssp(csr(4, SQUARE), **arguments)


def test_no_vertices():
    with checks.raises_sentence(ValueError, "source", "no vertices"):
        wg.sssp(csr(0, []), 0)


def test_nan_weight(device):
    with checks.raises_sentence(ValueError, "NaN", "(0, 1)"):
        wg.sssp(csr(2, [(0, 1, np.nan)]), 0, device=device)


@pytest.mark.skipif(len(wg.devices()) > 1, reason="there is a GPU")
def test_no_silent_fallback():
    with checks.raises_sentence(wg.DeviceError):
        wg.sssp(csr(4, SQUARE), 0, device="cuda")


@pytest.mark.skipif(len(wg.devices()) < 2, reason="there is no GPU")
@pytest.mark.parametrize("method", ["dijkstra", "delta_stepping"])
def test_methods_that_only_cores_have(method):
    with checks.raises_sentence(ValueError, method, "cuda:0", "bellman_ford"):
        wg.sssp(csr(4, SQUARE), 0, method=method, device="cuda")


def test_memory_limit(method, device):
    graph = csr(4, SQUARE)
    with checks.raises_sentence(MemoryError, "10 bytes", "shortest paths", "dtype"):
        wg.sssp(graph, 0, memory_limit=10, method=method, device=device)
    expected = wg.sssp(graph, 0, device=device)
    assert_same(wg.sssp(graph, 0, memory_limit=10_000, method=method, device=device), expected)


# How it behaves.


def test_a_csr_matrix_is_not_copied():
    rng = np.random.default_rng(0)
    matrix = sp.random_array((1000, 1000), density=0.2, format="csr", rng=rng)
    matrix.indices, matrix.indptr = matrix.indices.astype("i4"), matrix.indptr.astype("i4")
    graph = wg.Graph(matrix)
    assert np.shares_memory(graph.indptr, matrix.indptr)
    assert np.shares_memory(graph.indices, matrix.indices)
    assert np.shares_memory(graph.data, matrix.data)
    wg.sssp(matrix, 0, device="cpu")
    tracemalloc.start()
    try:
        wg.sssp(matrix, 0, device="cpu")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * 1000 + 20_000 < matrix.indptr.nbytes + matrix.indices.nbytes


def test_says_what_it_chose(caplog):
    caplog.set_level(logging.INFO, "warpgraph")
    wg.sssp(csr(4, SQUARE), 0)
    assert "method='auto' chose dijkstra" in caplog.text
    wg.sssp(ZOO["medium_random"], 0, device="cpu")
    assert "method='auto' chose delta_stepping" in caplog.text
    wg.sssp(ZOO["negative_weights"], 0)
    assert "method='auto' chose bellman_ford" in caplog.text


def test_progress(method, device):
    graph = ZOO["medium_random"]
    seen = []
    wg.sssp(graph, 0, progress=lambda *step: seen.append(step), method=method, device=device)
    assert seen[-1] == (1500, 1500)
    assert all(0 <= done <= total == 1500 for done, total in seen)


def test_a_failing_progress_callable_ends_the_call(method, device):
    def fail(done, total):
        raise RuntimeError(f"{done} of {total}")

    graph = ZOO["medium_random"]
    with pytest.raises(RuntimeError, match="of 1500"):
        wg.sssp(graph, 0, progress=fail, method=method, device=device)
    assert_same(wg.sssp(graph, 0, method=method, device=device), wg.sssp(graph, 0))


def test_interrupted_call_leaves_the_next_one_working(method, device):
    class StopError(Exception):
        pass

    def interrupt(*_):
        raise StopError

    def work_for_ever():
        while True:
            wg.sssp(graph, 0, method=method, device=device)

    graph = LARGER["grid"]()
    expected = wg.sssp(graph, 0, method=method, device=device)
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        for delay in (0.001, 0.03):
            signal.setitimer(signal.ITIMER_REAL, delay)
            with pytest.raises(StopError):
                work_for_ever()
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert_same(wg.sssp(graph, 0, method=method, device=device), expected)


def test_two_threads_at_once(method, device):
    graph = wg.Graph(LARGER["grid of integers"]().to_csr())
    expected = {source: wg.sssp(graph, source, device="cpu") for source in (0, 39_999)}
    wrong = []

    def work(source):
        for _ in range(3):
            distances = wg.sssp(graph, source, method=method, device=device)
            if not np.array_equal(distances, expected[source]):
                wrong.append(source)

    threads = [threading.Thread(target=work, args=(source,)) for source in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# Paths.


def test_reconstruct_path():
    tree = np.array([-1, 0, 1, 1, -1], np.int32)
    path = wg.reconstruct_path(tree, 0, 3)
    assert path.dtype == np.int32
    assert path.tolist() == [0, 1, 3]
    assert wg.reconstruct_path(tree, 0, 0).tolist() == [0]
    assert wg.reconstruct_path(tree, 1, 3).tolist() == [1, 3]
    assert wg.reconstruct_path(tree, 0, 4).size == 0
    assert wg.reconstruct_path(tree, 4, 3).size == 0


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_any_negative_predecessor_means_none(dtype):
    lowest = np.iinfo(dtype).min
    tree = np.array([lowest, 0, -5], dtype)
    assert wg.reconstruct_path(tree, 0, 1).tolist() == [0, 1]
    assert wg.reconstruct_path(tree, 0, 2).size == 0


def test_scipys_predecessors_will_do():
    graph = ZOO["medium_random"]
    distances, tree = csgraph.dijkstra(graph, indices=3, return_predecessors=True)
    path = wg.reconstruct_path(tree, 3, int(np.flatnonzero(np.isfinite(distances))[-1]))
    assert path[0] == 3


def test_reconstruct_paths(device):
    graph = ZOO["medium_power_law"]
    distances, tree = wg.sssp(graph, 5, return_predecessors=True, device=device)
    targets = np.random.default_rng(0).integers(0, 1500, 300)
    indptr, vertices = wg.reconstruct_paths(tree, 5, targets)
    assert indptr.dtype == np.int64
    assert vertices.dtype == np.int32
    lightest = graph.tocoo()
    weights = {}
    for u, v, w in zip(*lightest.coords, lightest.data, strict=True):
        weights[u, v] = min(w, weights.get((u, v), np.inf))
    for i, target in enumerate(targets):
        path = vertices[indptr[i] : indptr[i + 1]]
        assert path.tolist() == wg.reconstruct_path(tree, 5, target).tolist()
        if np.isinf(distances[target]):
            assert path.size == 0
        else:
            assert (path[0], path[-1]) == (5, target)
            steps = zip(path[:-1].tolist(), path[1:].tolist(), strict=True)
            assert sum(weights[step] for step in steps) == distances[target]
    none = wg.reconstruct_paths(tree, 5, [])
    assert (none[0].tolist(), none[1].tolist()) == ([0], [])


@pytest.mark.parametrize(
    ("tree", "source", "target", "error", "parts"),
    [
        ([1, 2, 1], 0, 2, ValueError, ("circle", 2)),
        ([-1, 1], 0, 1, ValueError, ("circle", 1)),
        ([-1, 7], 0, 1, ValueError, ("predecessors[1]", 7, "2 vertices")),
        ([-1, 0], 2, 1, ValueError, ("source", 2)),
        ([-1, 0], 0, 5, ValueError, ("target", 5)),
        ([-1.0, 0.0], 0, 1, TypeError, ("predecessors", "float64")),
        ([[-1, 0]], 0, 1, ValueError, ("predecessors", "(1, 2)")),
        ([], 0, 0, ValueError, ("target", 0)),
    ],
)
def test_broken_predecessors(tree, source, target, error, parts):
    tree = np.array(tree) if tree else np.empty(0, np.int32)
    with checks.raises_sentence(error, *parts):
        wg.reconstruct_path(tree, source, target)
    with pytest.raises(error):
        wg.reconstruct_paths(tree, source, [target])
