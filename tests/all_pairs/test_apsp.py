"""wg.apsp: the distances of all pairs, and their trees, from every method on every device."""

import logging

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import checks
import oracles
import warpgraph as wg
from device_lists import is_list, over_devices
from graphs import SAMPLES, both_ways, csr, csr_graphs, has_negative, over_samples
from sssp_support import DTYPES, assert_same, canonical_tree

METHODS = ["floyd_warshall", "floyd_warshall_naive", "many_to_many"]

#: Around the sides of tiles, and a few tiles.
SIZES = (1, 2, 31, 63, 64, 65, 127, 128, 129, 200, 333) if not checks.EMULATED else (1, 5, 65, 130)


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


@over_samples(only=no_cycle)
def test_samples(graph, method, device):
    assert_right(graph, device, method)


@over_samples(only=lambda g: no_cycle(g) and not has_negative(g))
def test_samples_undirected(graph, device):
    assert_right(graph, device, "floyd_warshall", directed=False)


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


def light_ring_with_heavy_chords(n, degree, seed, dtype):
    """Return a graph with integers of every size that `dtype` has.

    Distances are less than 2**24: the ring joins all vertices, and chords shorten some paths.
    """
    rng = np.random.default_rng(seed)
    most = min(np.finfo(dtype).maxexp - 1, 62) if np.dtype(dtype).kind == "f" else None
    most = most or 8 * np.dtype(dtype).itemsize - 2
    around, chords = np.arange(n), rng.integers(0, n, (2, degree * n))
    weight = 2 ** rng.integers(0, most + 1, degree * n) + rng.integers(-1, 2, degree * n)
    tail, head = np.r_[around, chords[0]], np.r_[(around + 1) % n, chords[1]]
    weight = np.r_[rng.integers(0, 1000, n), weight].astype(dtype)
    return wg.Graph.from_edges(tail, head, weight, n_vertices=n).to_csr()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sizes_around_those_of_tiles(n, dtype, device):
    is_float = np.dtype(dtype).kind == "f"
    graph = random_graph(n, 4, seed=n, dtype=dtype, integers=not is_float)
    exact = oracles.all_distances(graph, dtype=dtype)
    for method in METHODS[:2]:
        found = wg.apsp(graph, method=method, dtype=dtype, device=device)
        checks.assert_all_distances(found, exact)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_integers_of_all_sizes(n, dtype, device):
    """Weights exceed all distances, which are summed in narrow integers."""
    graph = light_ring_with_heavy_chords(n, 4, n, dtype)
    exact = oracles.all_distances(graph)
    assert np.isfinite(exact).all()
    for method in METHODS:
        found = wg.apsp(graph, method=method, dtype=dtype, device=device)
        assert found.dtype == dtype
        assert (found == exact).all()


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
        before = wg.get_num_threads()
        wg.set_num_threads(1)
        expected = wg.apsp(graph, method=method, return_predecessors=True, device="cpu")
        wg.set_num_threads(before)
        found = wg.apsp(graph, method=method, return_predecessors=True, device=device)
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


# Memory.

N_STREETS = 900
#: Distances that Floyd and Warshall's method keeps beside the matrix, at least: 15 tiles of 64 rows
#: and columns, the diagonal tile in three forms and a scratch tile.
IN_TILES = (2 * 15 + 3 + 1) * 64**2


def streets(*, shift=0, dtype=np.int32):
    """Make a grid; with `shift`, some edges and no cycles are negative."""
    grid = wg.generators.grid(30, 30, seed=0, weights=(1, 100)).to_csr().tocoo()
    potential = shift * np.random.default_rng(0).integers(-99, 100, N_STREETS)
    tail, head = grid.coords
    weights = grid.data.astype(np.int64) + potential[head] - potential[tail]
    return wg.Graph.from_edges(tail, head, weights.astype(dtype), n_vertices=N_STREETS)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("trees", [False, True])
@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("where", ["cpu", ["cpu", "cpu"]], ids=str)
def test_auto_searches_if_the_matrix_does_not_fit(dtype, trees, shift, where, caplog):
    graph = streets(shift=shift, dtype=dtype)
    assert (graph.data.min() < 0) == (shift > 0)
    how = {"dtype": dtype, "return_predecessors": trees, "device": where}
    expected = wg.apsp(graph, method="floyd_warshall", **how)
    how["memory_limit"] = IN_TILES * np.dtype(dtype).itemsize - 1 + 4 * N_STREETS**2 * trees
    out = np.empty((N_STREETS, N_STREETS), dtype)
    with checks.raises_sentence(MemoryError, "memory_limit"):
        wg.apsp(graph, method="floyd_warshall", out=out, **how)
    caplog.set_level(logging.INFO, "warpgraph")
    found = wg.apsp(graph, out=out, **how)
    assert "many_to_many instead of floyd_warshall: the matrix of all" in caplog.text
    checks.assert_same_bits(found if trees else (found,), expected if trees else (expected,))


def test_auto_writes_a_file_that_searches_can_write(tmp_path):
    out = np.memmap(tmp_path / "distances", np.int32, "w+", shape=(N_STREETS, N_STREETS))
    how = {"dtype": "int32", "memory_limit": 4 * IN_TILES - 1, "device": "cpu"}
    assert wg.apsp(streets(), out=out, **how) is out
    assert_same(np.asarray(out), wg.apsp(streets(), dtype="int32", device="cpu"))


def test_memory_does_not_change_bits_of_rounded_sums():
    graph = random_graph(N_STREETS, 60, 0)
    how = {"out": np.empty((N_STREETS, N_STREETS)), "memory_limit": 8 * IN_TILES - 1}
    with checks.raises_sentence(MemoryError, "memory_limit", "many_to_many"):
        wg.apsp(graph, device="cpu", **how)
    wg.apsp(graph, method="many_to_many", device="cpu", **how)


def test_a_memory_error_in_the_progress_callable_reaches_the_caller():
    error, reports = MemoryError("of the caller"), []

    def report(*step):
        reports.append(step)
        raise error

    with pytest.raises(MemoryError) as caught:
        wg.apsp(streets(), progress=report, device="cpu")
    assert caught.value is error
    assert len(reports) == 1


def test_searches_count_predecessors_once():
    how = {"method": "many_to_many", "dtype": "int32", "return_predecessors": True, "device": "cpu"}
    n_bytes = 2 * 4 * N_STREETS**2
    shape = (N_STREETS, N_STREETS)
    assert wg.apsp(streets(), memory_limit=n_bytes + 10**6, **how)[1].shape == shape
    with checks.raises_sentence(MemoryError, "memory_limit"):
        wg.apsp(streets(), memory_limit=n_bytes + 10_000, **how)
