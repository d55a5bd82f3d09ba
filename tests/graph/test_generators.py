"""wg.generators: graphs have the stated properties, on any number of threads."""

import numpy as np
import pytest
import scipy.sparse.csgraph as csgraph

import checks
import warpgraph as wg
from warpgraph import _core

gen = wg.generators

#: Name -> a small graph of a seed.
MAKERS = {
    "rmat": lambda seed, **kw: gen.rmat(11, 8, seed=seed, **kw),
    "rmat_graphhpc": lambda seed, **kw: gen.rmat(11, 8, seed=seed, parameters="graphhpc", **kw),
    "rmat_raw": lambda seed, **kw: gen.rmat(
        11, 8, seed=seed, keep_loops=True, keep_duplicates=True, **kw
    ),
    "ssca2": lambda seed, **kw: gen.ssca2(12, seed=seed, **kw),
    "ssca2_raw": lambda seed, **kw: gen.ssca2(12, seed=seed, keep_duplicates=True, **kw),
    "grid": lambda seed, **kw: gen.grid(63, 65, seed=seed, removed=0.1, **kw),
}

over_makers = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


def assert_equal(a, b):
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@over_makers
def test_threads_do_not_matter(make):
    graphs = []
    for threads in (1, 2, 5):
        wg.set_num_threads(threads)
        graphs.append(make(3))
    wg.set_num_threads(0)
    assert_equal(graphs[0], graphs[1])
    assert_equal(graphs[0], graphs[2])


def test_threads_do_not_matter_for_lists_of_several_chunks():
    wg.set_num_threads(1)
    one = gen.rmat(14, seed=2, keep_duplicates=True)
    wg.set_num_threads(3)
    three = gen.rmat(14, seed=2, keep_duplicates=True)
    wg.set_num_threads(0)
    assert_equal(one, three)


@over_makers
def test_a_seed_decides(make):
    assert_equal(make(3), make(3))
    assert not np.array_equal(make(3).data[:100], make(4).data[:100])


@over_makers
def test_edges_are_stored_both_ways_with_one_weight(make):
    graph = make(5)
    assert graph._is_mirrored()
    assert graph.n_edges > graph.n_vertices


@pytest.mark.parametrize("name", ["rmat", "rmat_graphhpc", "ssca2", "grid"])
def test_simple_graphs_have_sorted_rows_without_loops_or_duplicates(name):
    row, col, _ = MAKERS[name](1).to_edges()
    assert (row != col).all()
    assert (np.diff(row.astype(np.int64) * 2**31 + col) > 0).all()


def test_the_graph500_distribution():
    graph = gen.rmat(14, seed=1, keep_loops=True, keep_duplicates=True)
    row, col, _ = graph.to_edges()
    loops = (row == col).sum()
    assert (graph.n_edges - loops) / 2 + loops == 16 * 2**14
    # Without relabelling, each bit is that of a quadrant: a tail bit is set with probability c + d.
    plain = gen.rmat(
        14, seed=1, relabel=False, directed=True, keep_loops=True, keep_duplicates=True
    )
    row, col, _ = plain.to_edges()
    for bit in range(14):
        lower, right = row >> bit & 1, col >> bit & 1
        for quadrant, expected in zip(range(4), (0.57, 0.19, 0.19, 0.05), strict=True):
            assert (2 * lower + right == quadrant).mean() == pytest.approx(expected, abs=0.005)


def test_rmat_has_hubs_and_isolated_vertices():
    degree = np.diff(gen.rmat(14, seed=1).indptr)
    assert degree.max() > 50 * degree.mean()
    assert 0.1 < (degree == 0).mean() < 0.35  # a fifth at this scale, more at larger ones


def test_the_contests_rmat_is_flatter():
    graph500, contest = (gen.rmat(13, seed=1, parameters=p) for p in ("graph500", "graphhpc"))
    assert np.diff(contest.indptr).max() < np.diff(graph500.indptr).max()
    assert (np.diff(contest.indptr) == 0).mean() < 0.02
    assert contest.n_edges / contest.n_vertices == pytest.approx(32, rel=0.03)


def test_noise_is_zero_by_default_except_for_the_contest():
    plain = gen.rmat(9, seed=1)
    assert_equal(plain, gen.rmat(9, seed=1, noise=0.0))
    assert gen.rmat(9, seed=1, noise=0.5).n_edges != plain.n_edges
    contest = gen.rmat(9, seed=1, parameters="graphhpc")
    assert_equal(contest, gen.rmat(9, seed=1, parameters=(0.45, 0.25, 0.15, 0.15), noise=0.1))


def test_labels_are_a_permutation_and_hide_the_hubs():
    plain = gen.rmat(12, seed=1, relabel=False, keep_loops=True, keep_duplicates=True)
    mixed = gen.rmat(12, seed=1, keep_loops=True, keep_duplicates=True)
    np.testing.assert_array_equal(np.sort(np.diff(plain.indptr)), np.sort(np.diff(mixed.indptr)))
    assert np.argmax(np.diff(plain.indptr)) == 0
    assert np.argmax(np.diff(mixed.indptr)) != 0


def test_directed_edges_are_stored_as_drawn():
    graph = gen.rmat(10, seed=1, directed=True, keep_loops=True, keep_duplicates=True)
    assert graph.n_edges == 16 * 2**10
    assert not graph._is_mirrored()
    simple = gen.rmat(10, seed=1, directed=True)
    row, col, _ = graph.to_edges()
    distinct = {(u, v) for u, v in zip(row.tolist(), col.tolist(), strict=True) if u != v}
    assert set(zip(*(ends.tolist() for ends in simple.to_edges()[:2]), strict=True)) == distinct


def test_duplicates_have_weights_of_their_own():
    row, col, data = gen.rmat(8, 64, seed=1, directed=True, keep_duplicates=True).to_edges()
    hub = np.flatnonzero((row == row[0]) & (col == col[0]))
    pairs = np.unique(np.c_[row, col], axis=0)
    assert len(pairs) < len(row)
    assert len(np.unique(data)) > 0.99 * len(data)
    assert len(np.unique(data[hub])) == len(hub)


def test_an_edge_factor_may_be_a_fraction():
    graph = gen.rmat(10, 0.5, seed=1, directed=True, keep_loops=True, keep_duplicates=True)
    assert graph.n_edges == 512
    assert gen.rmat(10, 0, seed=1).n_edges == 0


def test_ssca2_has_the_contests_density_and_components():
    graph = gen.ssca2(14, seed=1)
    assert graph.n_edges / graph.n_vertices == pytest.approx(32, rel=0.05)
    n_components = csgraph.connected_components(graph.to_csr())[0]
    assert 0.007 < n_components / graph.n_vertices < 0.012


def test_ssca2_consists_of_cliques():
    graph = gen.ssca2(10, seed=1, inter_clique_probability=0, relabel=False)
    matrix = graph.to_csr()
    n, labels = csgraph.connected_components(matrix)
    sizes = np.bincount(labels)
    assert sizes.max() <= 49
    assert n == (np.diff(labels) != 0).sum() + 1  # a clique's members follow each other
    np.testing.assert_array_equal(np.diff(graph.indptr), sizes[labels] - 1)


def test_ssca2_links_connect_it():
    linked = {
        "max_clique_size": 45,
        "inter_clique_probability": 0.4,
        "decay": 0.74,
        "relabel": False,
    }
    graph = gen.ssca2(13, seed=1, **linked)
    _, labels = csgraph.connected_components(graph.to_csr())
    assert np.bincount(labels).max() > 0.99 * graph.n_vertices
    assert 29 < graph.n_edges / graph.n_vertices < 33


def test_a_whole_grid_is_known_exactly():
    graph = gen.grid(3, 4, seed=1, weights=None)
    expected = {(v, v + 1) for v in range(12) if v % 4 != 3} | {(v, v + 4) for v in range(8)}
    row, col, data = graph.to_edges()
    assert {(u, v) for u, v in zip(row.tolist(), col.tolist(), strict=True) if u < v} == expected
    assert graph.n_edges == 2 * len(expected)
    assert (data == 1).all()


def test_a_grid_misses_the_given_fraction():
    whole, holed = gen.grid(200, 200, seed=1), gen.grid(200, 200, seed=1, removed=0.05)
    assert holed.n_edges / whole.n_edges == pytest.approx(0.95, abs=0.005)
    assert gen.grid(20, 20, removed=1).n_edges == 0


@pytest.mark.parametrize(("rows", "cols"), [(0, 0), (0, 5), (5, 0), (1, 1), (1, 6), (6, 1)])
def test_degenerate_grids(rows, cols):
    graph = gen.grid(rows, cols, seed=1)
    assert graph.n_vertices == rows * cols
    assert graph.n_edges == 2 * max(rows * cols - 1, 0)


@pytest.mark.parametrize("make", [gen.rmat, gen.ssca2], ids=["rmat", "ssca2"])
def test_the_smallest_scales(make):
    assert (make(0, seed=1).n_vertices, make(0, seed=1).n_edges) == (1, 0)
    assert make(1, seed=1).n_vertices == 2
    assert make(2, seed=1)._is_mirrored()


@over_makers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform_weights(make, dtype):
    data = make(1, dtype=dtype).data
    assert data.dtype == dtype
    assert data.min() >= 0
    assert data.max() < 1
    assert data.mean() == pytest.approx(0.5, abs=0.02)
    assert len(np.unique(data)) > 0.4 * len(data)


@over_makers
@pytest.mark.parametrize("dtype", [None, "float32", "float64", "int32", "int64"])
def test_integer_weights(make, dtype):
    data = make(1, weights=(-3, 7), dtype=dtype).data
    assert data.dtype == (dtype or "int32")
    np.testing.assert_array_equal(np.unique(data), np.arange(-3, 8))


def test_wide_integer_weights():
    data = gen.grid(50, 50, seed=1, weights=(-(2**62), 2**62)).data
    assert data.dtype == np.int64
    assert data.min() < -(2**60)
    assert data.max() > 2**60
    assert (gen.grid(5, 5, weights=(9, 9)).data == 9).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_no_weights_are_ones(dtype):
    data = gen.rmat(6, seed=1, weights=None, dtype=dtype).data
    assert data.dtype == dtype
    assert (data == 1).all()


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: gen.rmat(31), ValueError, r"scale must be in 0\.\.30, got 31"),
        (lambda: gen.rmat(-1), ValueError, r"scale must be in 0\.\.30, got -1"),
        (lambda: gen.rmat(2.5), TypeError, "scale must be an integer, got 2.5"),
        (lambda: gen.rmat(5, -1), ValueError, "edge_factor must be in"),
        (lambda: gen.rmat(5, float("nan")), ValueError, "edge_factor must be in"),
        (lambda: gen.rmat(5, "many"), TypeError, "edge_factor must be a number"),
        (lambda: gen.rmat(5, seed=-1), ValueError, "seed must be in"),
        (lambda: gen.rmat(5, parameters="kron"), ValueError, "parameters must be one of"),
        (lambda: gen.rmat(5, parameters=(1, 2)), TypeError, "four probabilities"),
        (lambda: gen.rmat(5, parameters=(0.5, 0.5, 0.5, 0.5)), ValueError, "must add up to 1"),
        (lambda: gen.rmat(5, parameters=(1.5, -0.5, 0, 0)), ValueError, r"must be in 0\.\.1"),
        (lambda: gen.rmat(5, noise=2), ValueError, "noise must be in"),
        (lambda: gen.rmat(5, weights="heavy"), ValueError, "weights must be one of 'uniform'"),
        (lambda: gen.rmat(5, weights=(1, 2, 3)), TypeError, "weights must be 'uniform', a range"),
        (lambda: gen.rmat(5, weights=(2, 1)), ValueError, "range of integer weights is empty"),
        (lambda: gen.rmat(5, weights=(0, 2**63)), ValueError, "must fit 64 bits"),
        (lambda: gen.rmat(5, weights=(0, 2**40), dtype="int32"), ValueError, "do not fit"),
        (lambda: gen.rmat(5, weights=(0, 2**25), dtype="float32"), ValueError, "do not fit"),
        (lambda: gen.rmat(5, dtype="int32"), ValueError, "need a floating-point dtype"),
        (lambda: gen.rmat(5, dtype="complex64"), TypeError, "dtype must be one of"),
        (lambda: gen.ssca2(5, max_clique_size=0), ValueError, "max_clique_size must be in"),
        (lambda: gen.ssca2(5, inter_clique_probability=2), ValueError, "inter_clique_probability"),
        (lambda: gen.ssca2(5, decay=-1), ValueError, "decay must be in"),
        (lambda: gen.grid(-1, 5), ValueError, "rows must be in"),
        (lambda: gen.grid(2**16, 2**16), ValueError, "has 4294967296 vertices"),
        (lambda: gen.grid(5, 5, removed=1.5), ValueError, "removed must be in"),
        (lambda: gen.random_points(5, 0), ValueError, "dim must be in"),
        (lambda: gen.random_points(-5, 2), ValueError, "n must be at least 0, got -5"),
        (lambda: gen.random_points(5, 2, dist="moons"), ValueError, "dist must be one of"),
        (lambda: gen.random_points(5, 2, spread=-1), ValueError, "spread must be a number"),
        (lambda: gen.random_points(5, 2, n_blobs=0), ValueError, "n_blobs must be in"),
        (lambda: gen.random_points(5, 2, dtype="int32"), TypeError, "float32 or float64"),
    ],
)
def test_mistakes_are_named(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


def test_what_does_not_fit_is_refused_beforehand():
    with pytest.raises(MemoryError, match=r"an R-MAT graph needs .* use a smaller scale"):
        gen.rmat(30, 1000)
    with pytest.raises(MemoryError, match=r"points needs .* ask for fewer points"):
        gen.random_points(2**50, 3)


@pytest.mark.parametrize("dist", ["uniform", "normal", "blobs"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_points(dist, dtype):
    points, labels = gen.random_points(
        20_000, 3, seed=2, dist=dist, dtype=dtype, return_labels=True
    )
    assert points.shape == (20_000, 3)
    assert points.dtype == dtype
    wg.set_num_threads(3)
    again = gen.random_points(20_000, 3, seed=2, dist=dist, dtype=dtype)
    wg.set_num_threads(0)
    np.testing.assert_array_equal(points, again)
    assert not np.array_equal(points, gen.random_points(20_000, 3, seed=3, dist=dist, dtype=dtype))
    assert labels.shape == (20_000,)
    mean, deviation = {"uniform": (0.5, 12**-0.5), "normal": (0.0, 1.0)}.get(dist, (None, None))
    if mean is not None:
        np.testing.assert_allclose(points.mean(axis=0), mean, atol=0.03)
        np.testing.assert_allclose(points.std(axis=0), deviation, rtol=0.02)
        assert not labels.any()


def test_blobs_lie_around_their_centres():
    points, labels = gen.random_points(
        30_000, 2, seed=1, dist="blobs", n_blobs=7, spread=0.01, return_labels=True
    )
    np.testing.assert_array_equal(np.unique(labels), np.arange(7))
    for blob in range(7):
        np.testing.assert_allclose(points[labels == blob].std(axis=0), 0.01, rtol=0.1)


def test_no_points():
    assert gen.random_points(0, 4).shape == (0, 4)


@pytest.mark.parametrize(
    "generate",
    [
        lambda: gen.grid(2**31 - 1, 1),
        lambda: gen.grid(2**31 - 1, 1, removed=0.05),
        lambda: gen.ssca2(30),
    ],
    ids=["grid", "grid with gaps", "ssca2"],
)
def test_too_large_to_count(generate):
    """These are refused at once, before arcs are counted for minutes."""
    if _core.free_memory("cpu") > 100 * 2**30:
        pytest.skip("there is so much memory that they may fit")
    with checks.raises_sentence(MemoryError, "generating", "cpu", "smaller graph"):
        generate()
