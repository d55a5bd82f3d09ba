"""wg.apsp: the distances of all pairs, and their trees, from every method on every device."""

import functools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import checks
import oracles
import warpgraph as wg
from device_lists import LISTS, MIXED, SINGLE, is_list, over, over_devices, over_methods
from graphs import SAMPLES, both_ways, csr, csr_graphs, has_negative, over_samples
from sssp_support import DTYPES, assert_same, canonical_tree

METHODS = ["floyd_warshall", "floyd_warshall_naive", "many_to_many"]

#: Around the sides of tiles, and a few tiles.
SIZES = (1, 5, 64, 65, 130)
if not checks.EMULATED:
    SIZES = (1, 2, 31, 63, 64, 65, 127, 128, 129, 130, 200, 333)
#: Members of a list share the matrix, or divide the sources of searches among them.
WAYS = [(pair, method) for pair in SINGLE for method in METHODS]
WAYS += [(names, "floyd_warshall") for names in LISTS]
WAYS += [(names, "many_to_many") for names in MIXED if names[0] != "cpu" or len(names) == 3]
#: A list of the host stands for all, where there are many inputs.
over_a_list = over(SINGLE + [names for names in LISTS if names[0] != "cpu" or len(names) == 3])


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


def is_small(graph):
    return graph.shape[0] <= 100


def has_integers(graph):
    """Whether sums of all weights, in any order, are exact in every dtype."""
    finite = graph.data[np.isfinite(graph.data)]
    return (finite % 1 == 0).all() and np.abs(finite.astype(float)).sum() < 2**24


def assert_trees(graph, distances, predecessors, *, exact, directed=True):
    assert predecessors.shape == distances.shape
    assert predecessors.dtype == np.int32
    for source, (row, tree) in enumerate(zip(distances, predecessors, strict=True)):
        if exact:
            assert_same(tree, canonical_tree(graph, source, row, directed))
        else:
            checks.assert_tree_within_rounding(graph, source, row, tree, directed=directed)


def assert_right(graph, device, method="auto", *, directed=True, dtype=None):
    """Compare with the oracle, and check the trees."""
    kind = dtype or (np.float32 if graph.dtype == np.float32 else np.float64)
    exact = oracles.all_distances(graph, dtype=kind, directed=directed)
    how = {"method": method, "device": device, "dtype": dtype, "directed": directed}
    distances, predecessors = wg.apsp(graph, return_predecessors=True, **how)
    assert distances.dtype == kind
    checks.assert_all_distances(distances, exact, negative=has_negative(graph))
    assert (np.diagonal(distances) == 0).all()
    is_exact = np.dtype(kind).kind == "i" or has_integers(graph) or method == "many_to_many"
    assert_trees(graph, distances, predecessors, exact=is_exact, directed=directed)
    return distances


def no_cycle(graph):
    return is_small(graph) and graph is not SAMPLES["negative_cycle"]


@over_methods(WAYS)
@over_samples(only=no_cycle)
def test_samples(graph, method, device):
    assert_right(graph, device, method)


@over_a_list
@over_samples(only=lambda g: no_cycle(g) and not has_negative(g))
def test_samples_undirected(graph, device):
    assert_right(graph, device, "floyd_warshall", directed=False)


@over_a_list
@over_samples(only=lambda g: no_cycle(g) and has_integers(g) and np.isfinite(g.data).all())
@pytest.mark.parametrize("dtype", DTYPES)
def test_samples_in_every_dtype(graph, dtype, device):
    assert_right(graph, device, "floyd_warshall", dtype=dtype)


@pytest.mark.heavy
@over_samples(negative=False, only=lambda g: not is_small(g))
def test_larger_graphs_of_the_samples(graph, device):
    """Integers: the same bits as searches from every vertex, and the same trees."""
    rows = wg.many_to_many(
        graph, np.arange(graph.shape[0]), method="dijkstra", return_predecessors=True, device="cpu"
    )
    found = wg.apsp(graph, method="floyd_warshall", return_predecessors=True, device=device)
    for mine, theirs in zip(found, rows, strict=True):
        assert_same(mine, theirs)
    for source in (0, 77, graph.shape[0] - 1):
        expected = oracles.distances(graph, source, dtype=found[0].dtype)
        assert_same(found[0][source], expected)
        assert_same(found[1][source], canonical_tree(graph, source, expected))


def methods_on(device):
    """Return the methods of a device, or that of lists whose members share the matrix."""
    return METHODS[:1] if is_list(device) else METHODS


@over_devices
@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties"])
def test_drawn_graphs(weights, device):
    methods = st.sampled_from(methods_on(device))

    @settings(max_examples=20 if checks.EMULATED else 40)
    @given(csr_graphs(weights=weights, max_vertices=30), methods, st.booleans())
    def agrees(graph, method, directed):
        assert_right(graph, device, method, directed=directed)

    agrees()


@over(SINGLE + MIXED)
def test_searches_have_the_same_bits_everywhere(device):
    graph = wg.generators.grid(20, 20, seed=1)
    how = {"method": "many_to_many", "return_predecessors": True}
    expected = wg.apsp(graph, device="cpu", **how)
    checks.assert_same_bits(wg.apsp(graph, device=device, **how), expected)


def test_drawn_graphs_with_negative_weights(device):
    @settings(max_examples=20 if checks.EMULATED else 60)
    @given(csr_graphs(weights="any", max_vertices=12), st.sampled_from(METHODS[:2]))
    def agrees(graph, method):
        """Add the differences of a potential to the weights: those of cycles stay the same."""
        heights = np.random.default_rng(graph.nnz).integers(-50, 50, graph.shape[0])
        tail, head, weight = oracles.arcs(graph)
        tilted = np.maximum(np.abs(weight.astype(float)), 0.01) + heights[head] - heights[tail]
        edges = zip(tail.tolist(), head.tolist(), tilted.tolist(), strict=True)
        tilted = csr(graph.shape[0], edges)
        assert_right(tilted, device, method)

    agrees()


def random_graph(n, degree, seed=0, dtype=np.float64, integers=False):
    """Return a graph with weights in 0..1, or with integers in 0..999."""
    rng = np.random.default_rng(seed)
    tail, head = rng.integers(0, n, (2, degree * n))
    weight = rng.integers(0, 1000, degree * n) if integers else rng.random(degree * n)
    return wg.Graph.from_edges(tail, head, weight.astype(dtype), n_vertices=n).to_csr()


def light_ring_with_heavy_chords(n, dtype, seed=None):
    """Return a graph with integers of every size that `dtype` has.

    Distances are less than 2**24: the ring joins all vertices, and chords shorten some paths.
    """
    rng = np.random.default_rng(n if seed is None else seed)
    most = min(np.finfo(dtype).maxexp - 1, 62) if np.dtype(dtype).kind == "f" else None
    most = most or 8 * np.dtype(dtype).itemsize - 2
    around, chords = np.arange(n), rng.integers(0, n, (2, 4 * n))
    weight = 2 ** rng.integers(0, most + 1, 4 * n) + rng.integers(-1, 2, 4 * n)
    tail, head = np.r_[around, chords[0]], np.r_[(around + 1) % n, chords[1]]
    weight = np.r_[rng.integers(0, 1000, n), weight].astype(dtype)
    return wg.Graph.from_edges(tail, head, weight, n_vertices=n).to_csr()


def outcome(graph, device, **options):
    """Return the distances, or which error names which pair."""
    try:
        return wg.apsp(graph, method="floyd_warshall", device=device, **options)
    except OverflowError as error:
        return str(error)
    except wg.NegativeCycleError:
        return "any vertex of a cycle"


@oracles.kept(at_most=4)
def outcome_on_one_thread(graph, **options):
    return checks.on_one_thread(lambda: outcome(graph, "cpu", **options))


def assert_as_on_one_thread(graph, device, **options):
    """Compare all bits of Floyd and Warshall's method, or its error."""
    found = outcome(graph, device, **options)
    expected = outcome_on_one_thread(graph, **options)
    if isinstance(expected, str):
        assert found == expected
    else:
        checks.assert_same_bits((found,), (expected,))


@over_devices
@over_samples()
def test_samples_have_the_same_bits_everywhere(graph, device):
    for directed in (True, False):
        assert_as_on_one_thread(graph, device, directed=directed)


def rounded_or_integers(n, dtype):
    return random_graph(n, 4, seed=n, dtype=dtype, integers=np.dtype(dtype).kind == "i")


@functools.cache
def graph_and_exact(make, n, dtype):
    """Return a graph, and its distances once for all devices."""
    graph = make(n, dtype)
    return graph, oracles.all_distances(graph, dtype=dtype)


@over_devices
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sizes_around_those_of_tiles(n, dtype, device):
    graph, exact = graph_and_exact(rounded_or_integers, n, dtype)
    for method in methods_on(device)[:2]:
        found = wg.apsp(graph, method=method, dtype=dtype, device=device)
        checks.assert_all_distances(found, exact)
    assert_as_on_one_thread(graph, device, dtype=dtype)


@over_devices
@pytest.mark.parametrize("dtype", DTYPES)
def test_several_tiles_for_a_device(dtype, device):
    assert_as_on_one_thread(rounded_or_integers(600, dtype), device, dtype=dtype)


@over_a_list
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_integers_of_all_sizes(n, dtype, device):
    """Weights exceed all distances, which are summed in narrow integers."""
    graph, exact = graph_and_exact(light_ring_with_heavy_chords, n, dtype)
    assert np.isfinite(exact).all()
    for method in methods_on(device):
        found = wg.apsp(graph, method=method, dtype=dtype, device=device)
        assert found.dtype == dtype
        assert (found == exact).all()


@over_devices
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_all_sizes(dtype, device):
    """16 bits, 32, 64, and integers that may overflow."""
    for light in (3, 3000, 1 << 20):
        graph = random_graph(200, 4, 1, integers=True).astype(dtype)
        graph.data *= np.array(light).astype(dtype)
        assert_as_on_one_thread(graph, device, dtype=dtype)
    graph = light_ring_with_heavy_chords(200, dtype, seed=2)
    assert_as_on_one_thread(graph, device, dtype=dtype)


@over_devices
def test_several_stages_for_a_device(device):
    """A stage has at most 512 pivots."""
    n = 1100 if checks.EMULATED else 2700
    graph = random_graph(n, 3, 5, integers=True)
    graph.data %= 50
    assert_as_on_one_thread(graph, device)
    assert_as_on_one_thread(graph, device, unweighted=True)


def test_integers_are_the_same_bits_by_every_method(device):
    for seed, degree in enumerate((1, 3, 20)):
        graph = random_graph(70 if checks.EMULATED else 150, degree, seed, integers=True)
        exact = oracles.all_distances(graph)
        rows = [canonical_tree(graph, source, row) for source, row in enumerate(exact)]
        for method in METHODS:
            for dtype in DTYPES:
                how = {"method": method, "dtype": dtype, "device": device}
                distances, trees = wg.apsp(graph, return_predecessors=True, **how)
                wanted = np.where(np.isinf(exact), oracles.unreachable(dtype), exact)
                assert_same(distances, wanted.astype(dtype))
                assert_same(trees, np.array(rows))


@over_devices
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_general_floats_are_the_same_bits_everywhere(dtype, device):
    graph = random_graph(150 if checks.EMULATED else 300, 5, seed=4, dtype=dtype)
    for method in methods_on(device)[:2]:
        call = functools.partial(wg.apsp, graph, method=method, return_predecessors=True)
        expected = checks.on_one_thread(functools.partial(call, device="cpu"))
        found = call(device=device)
        for mine, theirs in zip(found, expected, strict=True):
            assert_same(mine, theirs)


def test_as_scipy_has_it(device):
    rng = np.random.default_rng(3)
    dense = np.where(rng.random((90, 90)) < 0.1, rng.integers(1, 100, (90, 90)), 0)
    found = wg.apsp(dense, method="floyd_warshall", device=device)
    assert_same(found, csgraph.floyd_warshall(dense))
    assert_same(
        wg.apsp(dense, directed=False, method="floyd_warshall", device=device),
        csgraph.floyd_warshall(dense, directed=False),
    )
    assert_same(
        wg.apsp(dense, unweighted=True, method="floyd_warshall", device=device),
        csgraph.floyd_warshall(dense, unweighted=True),
    )
    tilted = dense + np.where(dense != 0, np.subtract.outer(np.arange(90), np.arange(90)), 0)
    tilted[(dense != 0) & (tilted == 0)] = 1000  # a zero is no edge in a dense matrix
    assert_same(wg.apsp(tilted, method="floyd_warshall", device=device), csgraph.johnson(tilted))


def test_as_networkx_has_it(device):
    theirs = nx.gnp_random_graph(40, 0.1, seed=2, directed=True)
    for k, (_, _, data) in enumerate(theirs.edges(data=True)):
        data["weight"] = 1 + k % 7
    found = wg.apsp(theirs, method="floyd_warshall", device=device)
    assert_same(found, np.asarray(nx.floyd_warshall_numpy(theirs)))


def test_triangle_inequality(method, device):
    graph = random_graph(80, 3, seed=8)
    distances = wg.apsp(graph, method=method, device=device)
    through = (distances[:, :, None] + distances[None, :, :]).min(axis=1)
    slack = 4 * len(distances) * np.finfo(float).eps
    assert (np.diagonal(distances) == 0).all()
    assert (distances <= through * (1 + slack)).all()


# Trees of sums in another order of rounding.


ROUNDED = {
    "random": lambda rng, m: rng.random(m),
    "many magnitudes": lambda rng, m: 10.0 ** rng.uniform(-12, 12, m),
    "tiny beside huge": lambda rng, m: np.where(rng.random(m) < 0.3, 1e16, 1e-3 * rng.random(m)),
    "zeros": lambda rng, m: np.where(rng.random(m) < 0.4, 0, rng.random(m)),
    "mostly zeros": lambda rng, m: np.where(rng.random(m) < 0.95, 0, rng.random(m)),
    "tenths": lambda rng, m: rng.integers(0, 4, m) / 10,
    "subnormal": lambda rng, m: rng.integers(0, 5, m) * 5e-324,
}


@pytest.mark.parametrize("weights", ROUNDED)
def test_trees_of_rounded_distances(weights, device):
    for seed, (n, degree) in enumerate(((40, 2), (90, 4), (70, 30))):
        graph = random_graph(n, degree, seed)
        graph.data = ROUNDED[weights](np.random.default_rng(seed), graph.nnz)
        for dtype in ("float64",) if weights == "subnormal" else ("float32", "float64"):
            assert_right(graph, device, "floyd_warshall", dtype=dtype)


@pytest.mark.parametrize("weights", ROUNDED)
def test_trees_of_rounded_distances_along_a_line(weights, device):
    """Paths with n - 1 edges, in both directions."""
    order = np.random.default_rng(1).permutation(150)
    draw = ROUNDED[weights](np.random.default_rng(2), 149)
    graph = csr(150, both_ways([(*order[i : i + 2], draw[i]) for i in range(149)]))
    assert_right(graph, device, "floyd_warshall")


def test_trees_of_negative_floats(device):
    for seed, degree in enumerate((2, 6)):
        graph = random_graph(60, degree, seed)
        heights = 10 * np.random.default_rng(seed).random(60)
        tail, head, weight = oracles.arcs(graph)
        graph.data = weight + 0.01 + heights[head] - heights[tail]
        assert (graph.data < 0).any()
        assert_right(graph, device, "floyd_warshall")


def test_trees_of_floats_and_a_cycle_without_weight(device):
    """0.5 and 0.25 are exact, so the cycle has weight zero; tenths make the rest inexact."""
    edges = [(0, 1, 0.1), (1, 2, 0.5), (2, 3, -0.25), (3, 1, -0.25), (3, 4, 0.7), (4, 5, 0.0)]
    assert_right(csr(6, [*edges, (5, 4, 0.0)]), device, "floyd_warshall")


# Negative cycles.


def on_a_negative_cycle(graph, vertex):
    """Whether there is a walk of negative weight from a vertex to itself."""
    n = graph.shape[0]
    tail, head, weight = oracles.arcs(graph)
    best = np.full(n, np.inf)
    best[vertex] = 0
    for _ in range(n):
        reached = np.full(n, np.inf)
        np.minimum.at(reached, head, best[tail] + weight)
        best = np.minimum(best, reached)
        if best[vertex] < 0:
            return True
    return False


@pytest.mark.parametrize("method", ["auto", *METHODS[:2]])
def test_negative_cycles_are_named(method, device):
    rng = np.random.default_rng(5)
    graphs = [SAMPLES["negative_cycle"], csr(3, [(1, 1, -2.0)]), csr(1, [(0, 0, -1)], np.int32)]
    for n in (20, 100, 150):
        graph = random_graph(n, 2, n, integers=True)
        a, b, c = rng.choice(n, 3, replace=False).tolist()
        edges = [*zip(*map(np.ndarray.tolist, oracles.arcs(graph)), strict=True)]
        graphs.append(csr(n, [*edges, (a, b, 1.0), (b, c, 2.0), (c, a, -4.0)]))
    for graph in graphs:
        with checks.raises_sentence(wg.NegativeCycleError, "negative cycle") as caught:
            wg.apsp(graph, method=method, device=device)
        assert on_a_negative_cycle(graph, caught.value.vertex)
        assert str(caught.value.vertex) in str(caught.value)


@over_devices
def test_negative_weights_and_cycles(device):
    graph = wg.generators.rmat(8, 4, seed=1, weights=(1, 9), dtype=np.float64).to_csr()
    potential = np.random.default_rng(0).random(256)
    tilted = graph.tocoo()
    tilted.data = tilted.data + 5 * (potential[tilted.row] - potential[tilted.col])
    assert (tilted.data < 0).any()
    assert_as_on_one_thread(tilted.tocsr(), device)
    ring = np.roll(np.arange(200), -1)
    edges = np.full(200, 1.0)
    edges[150] = -300.0
    cycle = wg.Graph.from_edges(np.arange(200), ring, edges, n_vertices=200)
    with pytest.raises(wg.NegativeCycleError) as caught:
        wg.apsp(cycle, method="floyd_warshall", device=device)
    assert on_a_negative_cycle(cycle.to_csr(), caught.value.vertex)


def test_a_negative_edge_walked_both_ways_is_a_cycle(device):
    graph = csr(3, [(0, 1, 2.0), (1, 2, -1.0)])
    assert wg.apsp(graph, device=device)[0].tolist() == [0, 2, 1]
    with pytest.raises(wg.NegativeCycleError):
        wg.apsp(graph, directed=False, device=device)


def test_drawn_negative_cycles_are_found(device):
    @settings(max_examples=20 if checks.EMULATED else 60)
    @given(csr_graphs(weights="any", dtypes=(np.int32, np.int64), max_vertices=9))
    def agrees(graph):
        exact = oracles.all_distances(graph)
        for method in METHODS[:2]:
            if exact is not None:
                found = wg.apsp(graph, method=method, device=device)
                checks.assert_all_distances(found, exact, negative=True)
                continue
            with pytest.raises(wg.NegativeCycleError) as caught:
                wg.apsp(graph, method=method, device=device)
            assert on_a_negative_cycle(graph, caught.value.vertex)

    agrees()
