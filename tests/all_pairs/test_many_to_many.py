"""wg.many_to_many: each row equals the result of wg.sssp, by every method.

On every device, and on lists of devices.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import checks
import warpgraph as wg
from calls import arrays_of
from device_lists import MIXED, SINGLE, is_list, over
from graphs import SAMPLES, csr, for_scipy, graphs_with_source, over_samples
from sssp_support import DTYPES, assert_same, weighted

METHODS = ["dijkstra", "batched"]
over_devices = over(SINGLE + MIXED)

#: Scale of the larger graphs.
GRID, SCALE = ((80, 90), 11) if not checks.EMULATED else ((20, 24), 8)
#: Vertices, edges and the length of a path, of a graph with hubs.
HUBS = (4_000, 60_000, 150) if not checks.EMULATED else (1_000, 12_000, 40)


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


def rows_of_sssp(graph, sources, targets=None, **options):
    """Return (distances, predecessors), one source after the other."""
    options |= {"return_predecessors": True, "method": "dijkstra", "device": "cpu"}
    rows = [wg.sssp(graph, source, targets=targets, **options) for source in sources]
    return tuple(map(np.stack, zip(*rows, strict=True)))


def assert_right(graph, sources, device, targets=None, *, methods=METHODS, **options):
    """Compare the distances and trees of every method with those of sssp, row by row."""
    rows, trees = rows_of_sssp(graph, sources, targets, **options) if len(sources) else (None,) * 2
    for method in methods:
        how = {"method": method, "device": device, **options}
        both = wg.many_to_many(graph, sources, targets, return_predecessors=True, **how)
        alone = wg.many_to_many(graph, sources, targets, **how)
        assert_same(alone, both[0])
        assert both[1].shape == (len(sources), graph.shape[0])
        if len(sources):
            assert_same(alone, rows)
            assert_same(both[1], trees)


def assert_as_on_one_thread(graph, sources, device, targets=None, **options):
    """Compare all bits of the distances, and of the trees if they are asked for."""
    found = wg.many_to_many(graph, sources, targets, device=device, **options)
    before = wg.get_num_threads()
    wg.set_num_threads(1)
    expected = wg.many_to_many(graph, sources, targets, device="cpu", **options)
    wg.set_num_threads(before)
    checks.assert_same_bits(arrays_of(found), arrays_of(expected))
    return found


def some_vertices(n):
    return [v for v in (0, n // 2, n - 1, 0, n // 3) if 0 <= v < n]


def sources_for(graph, device):
    """Return some sources, or as many as several devices divide among them."""
    n = graph.shape[0]
    return np.arange(n)[:40] if is_list(device) else some_vertices(n)


@over_devices
@over_samples(negative=False)
def test_samples(graph, device):
    methods = ["auto", *METHODS] if is_list(device) else METHODS
    assert_right(graph, sources_for(graph, device), device, methods=methods)


@over_devices
@over_samples(negative=False)
def test_samples_to_targets(graph, device):
    sources, vertices = sources_for(graph, device), some_vertices(graph.shape[0])
    methods = ["auto"] if is_list(device) else METHODS
    assert_right(graph, sources, device, vertices[::-1], methods=methods)
    assert_right(graph, sources, device, vertices[:1], methods=methods, directed=False)


@over_samples(
    negative=False,
    only=lambda g: g.shape[0] > 0 and abs(g.data).max(initial=0) < 1e6 and (g.data % 1 == 0).all(),
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_samples_in_every_dtype(graph, dtype, device):
    assert_right(graph, np.arange(graph.shape[0])[:20], device, dtype=dtype)


@over_devices
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype, device):
    graph = wg.generators.grid(30, 20, seed=1, weights=(1, 100))
    found = assert_as_on_one_thread(graph, np.arange(600), device, dtype=dtype)
    np.testing.assert_allclose(found, csgraph.dijkstra(graph.to_csr()))


@over_devices
def test_no_sources_and_one(device):
    graph = SAMPLES["grid"]
    assert_as_on_one_thread(graph, [], device)
    assert_as_on_one_thread(graph, [3], device, return_predecessors=True)


@over_devices
def test_many_blocks(device):
    """More sources than the first blocks of all endpoints have together."""
    graph = wg.generators.rmat(8, 16, seed=3)
    sources = np.random.default_rng(0).integers(0, graph.n_vertices, 5000)
    for method in METHODS:
        assert_as_on_one_thread(graph, sources, device, np.arange(30), method=method)
    assert_as_on_one_thread(graph, sources, device, unweighted=True)


@over_devices
@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties"])
def test_drawn_graphs(weights, device):
    @settings(max_examples=30)
    @given(graphs_with_source(weights=weights), st.data())
    def agrees(drawn, data):
        graph, source = drawn
        vertices = st.lists(st.integers(0, graph.shape[0] - 1), max_size=40)
        sources = [source, *data.draw(vertices)]
        targets = data.draw(st.none() | vertices)
        limit = data.draw(st.just(np.inf) | st.floats(0, 40))
        how = {"limit": limit, "directed": data.draw(st.booleans())}
        if is_list(device):
            how["methods"] = [data.draw(st.sampled_from(["auto", *METHODS]))]
        assert_right(graph, sources, device, targets, **how)

    agrees()


def grid_with(draw):
    """Make a grid with weights draw(rng, m)."""
    graph = wg.generators.grid(*GRID, seed=1)
    return weighted(graph, draw(np.random.default_rng(2), graph.n_edges))


def islands():
    """Grids that are not connected to each other; the edges of the last one are directed."""
    grids = [wg.generators.grid(20 + k, 30, seed=k) for k in range(5)]
    tails, heads, weights, n = [], [], [], 0
    for grid in grids:
        tail, head, weight = grid.to_edges()
        tails, heads, weights = [*tails, tail + n], [*heads, head + n], [*weights, weight]
        n += grid.n_vertices
    tail, head, weight = map(np.concatenate, (tails, heads, weights))
    kept = (tail < n - grids[-1].n_vertices) | (tail < head)
    return wg.Graph.from_edges(tail[kept], head[kept], weight[kept], n_vertices=n)


def comb(length=600, teeth=8):
    """Detours that are lighter the later they rejoin: slow in any order but that of each source."""
    spine = [(v, v + 1, 1.0) for v in range(length)]
    jumps = [(v, v + t, 1.0 + t / 2) for v in range(length) for t in range(2, teeth)]
    return csr(length + teeth, [*spine, *jumps, *[(b, a, w) for a, b, w in spine]])


LARGER = {
    "grid": lambda: grid_with(lambda rng, m: rng.random(m)),
    "grid of ties": lambda: grid_with(lambda rng, m: rng.integers(0, 3, m).astype(float)),
    "grid over many magnitudes": lambda: grid_with(lambda rng, m: 10.0 ** rng.uniform(-9, 9, m)),
    "grid over all magnitudes": lambda: grid_with(lambda rng, m: 10.0 ** rng.uniform(-300, 300, m)),
    "grid of powers of two": lambda: grid_with(
        lambda rng, m: 1 << rng.integers(0, 30, m).astype(np.int64)
    ),
    "power law": lambda: wg.generators.rmat(SCALE, 16, seed=3),
    "directed power law": lambda: wg.generators.rmat(SCALE, 8, seed=3, directed=True),
    "power law, few weights": lambda: wg.generators.rmat(SCALE, 16, seed=3, weights=(1, 4)),
    "cliques": lambda: wg.generators.ssca2(SCALE, seed=3, weights=(1, 255)),
    "islands": islands,
    "comb": lambda: wg.Graph(comb()),
}


@pytest.fixture(scope="module", params=LARGER)
def larger(request):
    """A graph, sources, and the results of sssp."""
    graph = LARGER[request.param]()
    sources = np.random.default_rng(4).integers(0, graph.n_vertices, 50)
    return graph, sources, rows_of_sssp(graph, sources)


def test_larger_graphs(larger, method, device):
    graph, sources, (rows, trees) = larger
    distances, found = wg.many_to_many(
        graph, sources, method=method, return_predecessors=True, device=device
    )
    assert_same(distances, rows)
    assert_same(found, trees)


def test_larger_graphs_in_part(larger, method, device):
    graph, sources, (rows, _) = larger
    how = {"method": method, "device": device}
    targets = sources[::-3]
    assert_same(wg.many_to_many(graph, sources, targets, **how), rows[:, targets])
    limit = np.median(rows[np.isfinite(rows)])
    near = np.where(rows <= limit, rows, np.inf).astype(rows.dtype)
    assert_same(wg.many_to_many(graph, sources, limit=limit, **how), near)
    assert_same(wg.many_to_many(graph, sources, targets, limit=limit, **how), near[:, targets])


@pytest.mark.parametrize("kind", ["grid", "grid of ties", "directed power law", "islands"])
def test_trees_of_many_sources(kind, method, device):
    """A GPU finds the trees of dozens of sources together if memory suffices."""
    graph = LARGER[kind]()
    n = graph.n_vertices
    sources = np.random.default_rng(5).integers(0, n, 75)
    how = {"method": method, "return_predecessors": True}
    few = [wg.many_to_many(graph, part, device="cpu", **how) for part in np.split(sources, 15)]
    distances, trees = map(np.concatenate, zip(*few, strict=True))
    found = wg.many_to_many(graph, sources, device=device, **how)
    assert_same(found[0], distances)
    assert_same(found[1], trees)
    limit = np.median(distances[np.isfinite(distances)])
    near = wg.many_to_many(graph, sources, limit=limit, device=device, **how)[1]
    assert_same(near, np.where(distances <= limit, trees, -1))


@pytest.fixture(scope="module")
def roads():
    """Real roads, sources, and the distances that SciPy finds."""
    matrix = wg.datasets.load("ny-road").to_csr().astype(np.float64)
    sources = [0, 200_000, 77, 78, 79, 80, 81]
    return matrix, sources, csgraph.dijkstra(matrix, indices=sources)


def test_as_scipy_has_it(roads, method, device):
    matrix, sources, expected = roads
    distances = wg.many_to_many(matrix, sources, method=method, device=device)
    assert_same(distances, expected)


def test_rows_are_trees(method, device):
    graph = wg.generators.grid(12, 15, seed=1, weights=(0, 3))
    sources = np.arange(20) * 9
    distances, trees = wg.many_to_many(
        graph, sources, method=method, return_predecessors=True, device=device
    )
    for source, row, tree in zip(sources, distances, trees, strict=True):
        checks.assert_shortest_path_tree(graph.to_csr(), source, row, tree)
        end = int(row.argmax())
        path = wg.reconstruct_path(tree, source, end)
        assert path[0] == source
        assert path[-1] == end


def test_distances_that_only_the_centre_cannot_hold(method, device):
    """Vertices after a path that overflows from some sources are reached from others."""
    big = 2**30
    path = [(v, v + 1, big) for v in range(5)]
    graph = csr(9, [*path, *[(b, a, w) for a, b, w in path], (5, 6, 1), (6, 7, 1), (7, 8, 1)], "i4")
    assert_right(graph, [0, 1, 2, 3, 4, 5, 6, 7, 8, 5], device, dtype="int32", limit=big)
    assert_right(graph, [6, 7, 8, 7, 6], device, dtype="int32")
    assert_right(graph.astype(float), [0, 1, 2, 3, 4, 5, 6], device)
    huge = csr(6, [(0, 1, 1e308), (1, 2, 1e308), (2, 3, 1e308), (3, 0, 1.0)])
    assert_right(huge, [0, 1, 2, 3, 4], device)


@pytest.fixture(scope="module")
def hubs():
    """Arcs one way with hubs, a path behind them, and vertices that nothing reaches."""
    n, m, length = HUBS
    ends = ((n - 200) * np.random.default_rng(23).random((m, 2)) ** 3).astype(np.int32)
    path = np.arange(n - length, n - 1)
    tail, head = np.r_[ends[:, 0], 3, path], np.r_[ends[:, 1], path[0], path + 1]
    return sp.coo_array((np.full(len(tail), 7.0), (tail, head)), (n, n)).tocsr()


@pytest.fixture(scope="module")
def both_ways(hubs):
    return sp.csr_array(hubs + hubs.T)


#: Matrices and what SciPy finds in them, which takes longer than the tests that compare with it.
KNOWN_HOPS = {}


def hops_by_scipy(matrix, sources):
    of, hops = KNOWN_HOPS.get((id(matrix), sources.tobytes()), (None, None))
    if of is not matrix:
        hops = csgraph.dijkstra(for_scipy(matrix), indices=sources, unweighted=True)
        KNOWN_HOPS[id(matrix), sources.tobytes()] = matrix, hops
    return hops


def assert_hops(graph, sources, matrix, device, targets=None, **options):
    expected = hops_by_scipy(matrix, sources)
    expected = expected if targets is None else expected[:, targets]
    for dtype in DTYPES:
        how = {"unweighted": True, "dtype": dtype, "device": device, **options}
        found = wg.many_to_many(graph, sources, targets, **how)
        assert found.dtype == dtype
        largest = np.inf if found.dtype.kind == "f" else np.iinfo(dtype).max
        np.testing.assert_array_equal(found, np.where(np.isinf(expected), largest, expected))


@pytest.mark.parametrize("method", ["auto", "batched"])
@pytest.mark.parametrize("k", [2, 63, 64, 65, 257])
def test_hops_from_many(hubs, both_ways, k, method, device):
    """Batches of one word and of four, the last one incomplete; rows of other graphs' methods."""
    both = both_ways
    sources = np.random.default_rng(k).integers(0, hubs.shape[0], k)
    targets = np.r_[sources[::-1], 3, 3, np.arange(hubs.shape[0] - 200, hubs.shape[0], 9)]
    for columns in (None, targets):
        assert_hops(hubs, sources, hubs, device, columns, method=method)
        assert_hops(wg.Graph(both), sources, both, device, columns, method=method)
        assert_hops(hubs, sources, both, device, columns, method=method, directed=False)
    kept = wg.Graph(hubs)
    kept._transposed()
    assert_hops(kept, sources, hubs, device, method=method)


@pytest.fixture(scope="module")
def six_hubs(hubs):
    return sp.csr_array(sp.block_diag([hubs] * 6))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_hops_on_threads(hubs, six_hubs, threads):
    """Threads share a batch of a large graph; of a small one each takes batches of its own."""
    wg.set_num_threads(threads)
    try:
        for graph in (hubs, six_hubs):
            sources = np.arange(0, graph.shape[0], graph.shape[0] // 600)
            assert_hops(graph, sources, graph, "cpu")
    finally:
        wg.set_num_threads(0)


def test_hops_in_little_memory(hubs, device):
    """Too little for wide batches, or for those of several threads."""
    sources = np.arange(300)
    expected = csgraph.dijkstra(for_scipy(hubs), indices=sources, unweighted=True)
    result = expected.nbytes
    # A GPU needs more: it keeps rows and a bit plane for each power of two of hops.
    per_vertex = (34, 80, 120) if device == "cpu" else (450, 700, 800)
    for spare in (*(k * hubs.shape[0] for k in per_vertex), 10**7):
        found = wg.many_to_many(
            hubs, sources, unweighted=True, memory_limit=result + spare, device=device
        )
        np.testing.assert_array_equal(found, expected)


def test_hops_report_progress(hubs, device):
    reports = []
    how = {"unweighted": True, "device": device}
    wg.many_to_many(hubs, range(600), progress=lambda *pair: reports.append(pair), **how)
    assert reports[-1] == (600, 600)
    assert all(0 <= done <= total == 600 for done, total in reports)

    def refuse(done, total):
        raise InterruptedError("enough")

    with pytest.raises(InterruptedError, match="enough"):
        wg.many_to_many(hubs, range(600), progress=refuse, **how)


def test_hops_of_sources_that_reach_nothing(device):
    """Other sources do not wait for them, in graphs searched from both sides."""
    hubs = wg.generators.rmat(SCALE, 16, seed=5).to_csr()
    matrix = sp.csr_array(sp.block_diag([hubs, sp.csr_array((50, 50)), np.ones((3, 3))]))
    n = matrix.shape[0]
    sources = np.r_[np.arange(n - 60, n), np.arange(0, n, n // 40)]
    assert_hops(wg.Graph(matrix), sources, matrix, device)
    assert_hops(wg.Graph(matrix), sources[:53], matrix, device)


@pytest.mark.parametrize("kind", ["uniform", "lattice"])
def test_hops_where_no_vertex_is_a_hub(kind, device):
    """A GPU searches breadth-first there, too: few levels, or more than the first planes hold."""
    n, k = 600, 9
    ring = np.arange(n)
    if kind == "lattice":
        ends = [(ring, (ring + step) % n) for step in range(1, k)]
    else:
        ends = [(ring, np.random.default_rng(step).permutation(n)) for step in range(1, k)]
    tail, head = map(np.concatenate, zip(*ends, strict=True))
    matrix = sp.csr_array((np.ones(len(tail)), (tail, head)), (n, n))
    sources = np.random.default_rng(1).integers(0, n, 70)
    assert_hops(matrix, sources, matrix, device)
    assert_hops(wg.Graph(sp.csr_array(matrix + matrix.T)), sources, matrix + matrix.T, device)
