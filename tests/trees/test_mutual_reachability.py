"""Trees and dendrograms of mutual-reachability distances: euclidean_mst and single_linkage."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy.cluster import hierarchy
from scipy.sparse import csgraph
from scipy.spatial import distance

import oracles
import warpgraph as wg
from checks import raises_sentence
from warpgraph import _core
from warpgraph.cluster import core_distances, euclidean_mst, kneighbors_graph, single_linkage

rng = np.random.default_rng(21)
FAMILIES = {
    "one point": np.zeros((1, 3)),
    "two points": np.array([[1.0], [4.0]]),
    "identical": np.full((40, 2), 0.1),
    "identical but for signs of zero": np.where(rng.random((40, 2)) < 0.5, 0.0, -0.0),
    "few distinct": rng.integers(0, 3, (150, 3)).astype(float),
    "lattice": rng.permutation(np.argwhere(np.ones((12, 11)))).astype(float),
    "line": np.c_[rng.permutation(150).astype(float), np.zeros(150)],
    "far blobs": np.r_[rng.normal(0, 1, (80, 2)), rng.normal(1e6, 1, (80, 2)), [[1e9, 0]]],
    "scales": 10.0 ** rng.uniform(-12, 12, (150, 2)),
    "repeated and mixed": rng.permutation(
        np.r_[np.repeat(rng.random((20, 4)), 6, 0), rng.random((30, 4))]
    ),
    "copies on a lattice": rng.permutation(
        np.repeat(rng.integers(0, 5, (40, 2)), rng.integers(1, 7, 40), 0)
    ).astype(float),
    "underflowing": rng.random((90, 2)) * 1e-170,
    "overflowing": np.where(rng.random((90, 3)) < 0.5, 1e160, 1.0) * rng.random((90, 3)),
    **{f"uniform {d}-D": rng.random((160, d)) for d in (1, 2, 3, 4, 5, 6, 7, 8, 9, 20)},
}


def keys_by_hand(points, min_samples, alpha=1.0):
    """Return the documented keys of all pairs; -1 for identical points whose core is 0."""
    squares = np.zeros((len(points),) * 2, points.dtype)
    with np.errstate(over="ignore", under="ignore"):
        for column in points.T:
            difference = column[:, np.newaxis] - column
            squares += difference * difference
        cores = np.sort(squares, axis=1)[:, min_samples - 1]
        inverse = points.dtype.type(1 / alpha)
        keys = np.maximum(np.maximum(cores[:, np.newaxis], cores), squares * (inverse * inverse))
    identical = (points[:, np.newaxis] == points).all(axis=2) & (cores == 0)
    return np.where(identical, points.dtype.type(-1), keys)


def tree_of(keys):
    """Return Kruskal's tree over all pairs, by (key, smaller number, larger number)."""
    u, v = np.triu_indices(len(keys), 1)
    sets = oracles.Sets(len(keys))
    order = np.lexsort((v, u, keys[u, v]))
    chosen = [(u[e], v[e]) for e in order if sets.join(int(u[e]), int(v[e]))]
    edges = np.array(chosen, np.int32).reshape(-1, 2)
    squares = np.maximum(keys[edges[:, 0], edges[:, 1]], 0).astype(np.float64)
    return edges, np.sqrt(squares)


def assert_tree(points, min_samples, alpha=1.0):
    """Compare the core's tree, which it finds for any finite points, with the documented one."""
    wanted = tree_of(keys_by_hand(points, min_samples, alpha))
    options = {"min_samples": min_samples, "alpha": alpha}
    for found in (
        _core.emst(points, None, None, **options),
        _core.emst_reference(points, **options),
    ):
        for part, of_wanted in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(part, of_wanted)
            assert part.dtype == of_wanted.dtype


def of_type(points, dtype):
    with np.errstate(over="ignore", under="ignore"):
        points = points.astype(dtype)
    return np.where(np.isfinite(points), points, np.finfo(dtype).max)


@pytest.mark.parametrize("points", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_its_definition(points, dtype, threads):
    points = of_type(points, dtype)
    for min_samples in (1, 2, 5, 15, 41, 100):
        if min_samples <= len(points):
            assert_tree(points, min_samples)


@functools.cache
def clusters_in_noise(d, dtype, digits):
    """Return points, and Prim's trees of them by (min_samples, alpha)."""
    # In the last rounds all points of the clusters look for a few points between them, at equal
    # mutual-reachability distances, and at more of them where coordinates are rounded.
    made = np.random.default_rng(d)
    points = made.random((6, d))[made.integers(0, 6, 2000)]
    points += 0.01 * made.standard_normal((2000, d))
    points[:300] = made.random((300, d))
    points = np.round(points, digits).astype(dtype)
    trees = {
        (min_samples, alpha): _core.emst_reference(points, min_samples=min_samples, alpha=alpha)
        for min_samples, alpha in ((2, 1.0), (6, 0.7), (15, 1.0), (15, 1.5), (60, 1.0))
    }
    return points, trees


@pytest.mark.parametrize("d", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("digits", [1, 2, 15])
def test_clusters_in_noise_equal_prims_tree(d, dtype, digits, threads):
    points, trees = clusters_in_noise(d, dtype, digits)
    for (min_samples, alpha), wanted in trees.items():
        found = _core.emst(points, None, None, min_samples=min_samples, alpha=alpha)
        for part, of_wanted in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(part, of_wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("alpha", [0.7, 1.0, 1.5])
def test_as_many_points_as_neighbours_are_listed(dtype, alpha):
    made = np.random.default_rng(9)
    for n in range(7, 44):
        points = made.standard_normal((n, 2)).astype(dtype)
        for min_samples in range(max(n - 3, 1), n + 1):
            assert_tree(points, min_samples, alpha)
        points[n // 2] = points[0]
        assert_tree(points, n - 1, alpha)


def test_no_number_of_samples_means_distances():
    points = np.random.default_rng(3).random((50, 2))
    tree, other = (euclidean_mst(points, min_samples=k) for k in (None, 1))
    np.testing.assert_array_equal(tree.edges, other.edges)
    np.testing.assert_array_equal(tree.weights, euclidean_mst(points).weights)


@pytest.mark.parametrize("name", ["lattice", "uniform 3-D", "copies on a lattice", "uniform 9-D"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("alpha", [0.3, 0.9, 3.0])
def test_alpha_divides_distances_but_not_cores(name, dtype, alpha, threads):
    points = FAMILIES[name].astype(dtype)
    for min_samples in (1, 6):
        assert_tree(points, min_samples, alpha)


COORDINATES = {
    "few kinds": st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.1, 1e-200, 1e200]),
    "grid": st.integers(-2, 2).map(float),
    "any float32": st.floats(width=32, allow_nan=False, allow_infinity=False),
}


@pytest.mark.parametrize("kind", COORDINATES)
def test_small_sets_of_any_kind(kind, threads):
    @settings(max_examples=30)
    @given(
        st.tuples(st.integers(1, 80), st.integers(1, 10)).flatmap(
            lambda shape: hnp.arrays(np.float64, shape, elements=COORDINATES[kind])
        ),
        st.data(),
    )
    def agrees(points, data):
        if data.draw(st.booleans()):
            points = of_type(points, np.float32)
        alpha = data.draw(st.sampled_from([1.0, 1.0, 0.5, 1.5]))
        assert_tree(points, data.draw(st.integers(1, len(points))), alpha)

    agrees()


@pytest.mark.parametrize("d", [2, 3, 5, 10])
@pytest.mark.parametrize("min_samples", [2, 6, 50])
def test_weight_equals_scipys_tree_of_the_matrix(d, min_samples):
    points = np.random.default_rng(d).normal(size=(700, d))
    distances = distance.squareform(distance.pdist(points))
    cores = np.sort(distances, axis=1)[:, min_samples - 1]
    reachable = np.maximum(np.maximum(cores[:, np.newaxis], cores), distances)
    np.fill_diagonal(reachable, 0)
    wanted = np.sort(csgraph.minimum_spanning_tree(reachable).data)
    forest = euclidean_mst(points, min_samples=min_samples)
    np.testing.assert_allclose(forest.weights, wanted, rtol=1e-12)
    np.testing.assert_allclose(core_distances(points, min_samples), cores, rtol=1e-12)


@pytest.mark.parametrize("min_samples", [1, 5, 15, 100])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_larger_sets_have_the_same_tree_with_any_number_of_threads(min_samples, dtype):
    draw = np.random.default_rng(min_samples)
    points = draw.random((50, 3))[draw.integers(0, 50, 8000)]
    points = (points + 0.02 * draw.normal(size=points.shape)).astype(dtype)
    points[draw.integers(0, 8000, 500)] = points[draw.integers(0, 8000, 500)]
    trees = []
    for threads in (1, 2, 3):
        wg.set_num_threads(threads)
        trees.append(euclidean_mst(points, min_samples=min_samples, device="cpu"))
    wg.set_num_threads(0)
    for tree in trees[1:]:
        np.testing.assert_array_equal(tree.edges, trees[0].edges)
        np.testing.assert_array_equal(tree.weights, trees[0].weights)
    # The lightest forest of a graph that has all light pairs is part of the tree.
    k = min_samples + 30
    near = kneighbors_graph(points, k, mode="distance")
    reach = near.data.reshape(-1, k)[:, -1].min()
    cores = core_distances(points, min_samples)
    tails = np.repeat(np.arange(len(points)), k)
    near.data = np.maximum(np.maximum(cores[tails], cores[near.indices]), near.data)
    light = wg.minimum_spanning_forest(near).weights
    light = light[light < reach]
    np.testing.assert_array_equal(trees[0].weights[: len(light)], light)


def test_thousands_of_copies():
    draw = np.random.default_rng(4)
    points = draw.permutation(np.r_[np.zeros((3000, 2)), draw.random((1000, 2)) + 1])
    copies = np.flatnonzero(~points.any(axis=1))
    forest = euclidean_mst(points, min_samples=50)
    star = forest.edges[: len(copies) - 1]
    assert (star[:, 0] == copies[0]).all()
    np.testing.assert_array_equal(star[:, 1], copies[1:])
    assert not forest.weights[: len(copies) - 1].any()
    far = euclidean_mst(points, min_samples=3001)  # all copies have the same core
    core = core_distances(points, 3001)[copies[0]]
    assert (far.weights >= core).all()
    assert far.n_trees == 1


def test_float32_points_are_compared_as_float32():
    points = np.random.default_rng(0).random((3000, 3)).astype(np.float32)
    narrow = euclidean_mst(points, min_samples=7).weights
    wide = euclidean_mst(points.astype(np.float64), min_samples=7).weights
    assert not np.array_equal(narrow, wide)
    np.testing.assert_allclose(narrow, wide, rtol=1e-5)


BAD = [
    (lambda x: euclidean_mst(x, min_samples=0), ValueError, ("min_samples", 0)),
    (lambda x: euclidean_mst(x, min_samples=6), ValueError, ("min_samples", 5, 6)),
    (lambda x: euclidean_mst(x, min_samples=2.0), TypeError, ("min_samples", 2.0)),
    (lambda x: euclidean_mst(x, min_samples=True), TypeError, ("min_samples", True)),
    (lambda x: euclidean_mst(x, alpha=0), ValueError, ("alpha", 0)),
    (lambda x: euclidean_mst(x, alpha=-1.0), ValueError, ("alpha", -1.0)),
    (lambda x: euclidean_mst(x, alpha=np.nan), ValueError, ("alpha", "nan")),
    (lambda x: euclidean_mst(x, alpha=1e-200), ValueError, ("alpha", 1e-200)),
    (lambda x: euclidean_mst(np.float32(x), alpha=1e30), ValueError, ("alpha", "float32")),
    (lambda x: euclidean_mst(x, alpha="1"), TypeError, ("alpha", "1")),
    (lambda x: single_linkage(x, min_samples=6), ValueError, ("min_samples", 5, 6)),
    (
        lambda x: single_linkage(distance.cdist(x, x), metric="precomputed", min_samples=6),
        ValueError,
        ("min_samples", 5, 6),
    ),
    (
        lambda x: single_linkage(sp.csr_array((5, 5)), metric="precomputed", min_samples=6),
        ValueError,
        ("min_samples", 5, 6),
    ),
    (lambda x: single_linkage(euclidean_mst(x), min_samples=2), ValueError, ("min_samples", 2)),
    (
        lambda x: euclidean_mst([[1.7e308, 0], [-1.7e308, 0], [0, 0]], min_samples=3),
        OverflowError,
        ("divide X",),
    ),
]


@pytest.mark.parametrize(("call", "error", "parts"), BAD)
def test_bad_input(call, error, parts):
    with raises_sentence(error, *parts):
        call(np.random.default_rng(0).random((5, 2)))


@pytest.mark.parametrize("min_samples", [2, 5, 40])
def test_dendrograms_of_points_matrices_and_graphs_are_equal(min_samples):
    points = np.random.default_rng(7).random((300, 2))
    squares = keys_by_hand(points, 1)
    np.fill_diagonal(squares, 0)
    distances = np.sqrt(squares)
    wanted = single_linkage(points, min_samples=min_samples)
    dense = single_linkage(distances, metric="precomputed", min_samples=min_samples)
    np.testing.assert_array_equal(dense, wanted)
    sparse = sp.csr_array(distances)
    for form in (sparse, sp.triu(sparse), sp.tril(sparse), wg.Graph(sparse)):
        found = single_linkage(form, metric="precomputed", min_samples=min_samples)
        np.testing.assert_array_equal(found, wanted)
    reachable = np.sqrt(np.maximum(keys_by_hand(points, min_samples), 0))
    np.fill_diagonal(reachable, 0)
    heights = hierarchy.linkage(distance.squareform(reachable), "single")[:, 2]
    np.testing.assert_array_equal(wanted[:, 2], heights)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_vertices_with_too_few_neighbours_join_at_infinity(dtype):
    # A triangle with a tail, and a pair: only the triangle has three vertices with two neighbours.
    tails, heads = [0, 0, 1, 2, 4], [1, 2, 2, 3, 5]
    graph = sp.csr_array((np.array([1, 2, 3, 4, 1], dtype), (tails, heads)), (6, 6))
    dense = np.full((6, 6), np.inf)
    dense[tails, heads] = dense[heads, tails] = [1, 2, 3, 4, 1]
    wanted = [
        [0, 2, 3, 2],
        [1, 6, 3, 3],
        [3, 7, np.inf, 4],
        [4, 8, np.inf, 5],
        [5, 9, np.inf, 6],
    ]
    for X in (graph, dense):
        found = single_linkage(X, metric="precomputed", min_samples=3)
        assert found[:, 2].tolist() == [row[2] for row in wanted]
        assert found[2:].tolist() == wanted[2:]


def test_names_and_positions_of_a_graph_stay():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_weighted_edges_from([("a", "b", 1.0), ("b", "c", 5.0), ("a", "c", 2.0)])
    joins = single_linkage(graph, min_samples=2)
    assert joins.tolist() == [[0, 1, 1, 2], [2, 3, 2, 3]]
    assert core_distances(graph, 3).tolist() == [2, 5, 5]


def test_memory_limit():
    with pytest.raises(MemoryError, match=r"10000 points needs .* left of memory_limit"):
        euclidean_mst(np.random.default_rng(0).random((10_000, 2)), min_samples=9, memory_limit=999)


def test_progress_and_interrupts():
    points = np.random.default_rng(0).random((9000, 2))
    seen = []
    euclidean_mst(points, min_samples=5, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        euclidean_mst(points, min_samples=5, progress=stop)
    assert euclidean_mst(points, min_samples=5).n_trees == 1
