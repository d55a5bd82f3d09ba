"""euclidean_mst is exact, and the same tree on every device."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csgraph
from scipy.spatial import distance

import oracles
import warpgraph as wg
from checks import raises_sentence
from warpgraph import _core
from warpgraph._trees.emst import unchecked_tree
from warpgraph.cluster import euclidean_mst


def spell_out(points):
    """Kruskal over all pairs, with the documented keys computed one coordinate at a time."""
    points = np.asarray(points)
    pairs = []
    with np.errstate(over="ignore", under="ignore"):
        for u, v in itertools.combinations(range(len(points)), 2):
            key = points.dtype.type(0)
            for a, b in zip(points[u], points[v], strict=True):
                key += (a - b) * (a - b)
            pairs.append((bool((points[u] != points[v]).any()), float(key), u, v))
    sets = oracles.Sets(len(points))
    chosen = [(key, u, v) for _, key, u, v in sorted(pairs) if sets.join(u, v)]
    edges = np.array([(u, v) for _, u, v in chosen], np.int32).reshape(-1, 2)
    return edges, np.array([math.sqrt(key) for key, _, _ in chosen])


def tree_of(points, device):
    """The tree that the core finds for any finite points; euclidean_mst keeps squares in range."""
    edges, weights = unchecked_tree(points, device)
    scaled, exponent = oracles.in_range(points)
    with np.errstate(over="ignore", under="ignore"):
        ends, lengths = reference(scaled)
        lengths = np.ldexp(lengths, exponent)
    if len(lengths) and np.isinf(lengths[-1]):
        with raises_sentence(OverflowError, "far apart", "float64", "divide X"):
            euclidean_mst(points, device=device)
    else:
        forest = euclidean_mst(points, device=device)
        np.testing.assert_array_equal(forest.edges, ends)
        np.testing.assert_array_equal(forest.weights, lengths)
    return wg.SpanningForest(len(points), edges, weights)


def assert_same_tree(forest, edges, weights):
    np.testing.assert_array_equal(forest.edges, edges)
    np.testing.assert_array_equal(forest.weights, weights)
    assert forest.edges.dtype == np.int32
    assert forest.weights.dtype == np.float64


def reference(points):
    return _core.emst_reference(np.ascontiguousarray(points))


def lattice(*sides):
    return np.stack(np.meshgrid(*map(np.arange, sides)), -1).reshape(-1, len(sides)).astype(float)


rng = np.random.default_rng(3)
FAMILIES = {
    "one point": np.zeros((1, 3)),
    "two points": np.array([[1.0], [4.0]]),
    "identical": np.full((500, 2), 0.1),
    "identical but for signs of zero": np.where(rng.random((90, 2)) < 0.5, 0.0, -0.0),
    "few distinct": rng.integers(0, 3, (700, 3)).astype(float),
    "lattice": rng.permutation(lattice(25, 24)),
    "solid lattice": rng.permutation(lattice(8, 8, 8)),
    "line": np.c_[rng.permutation(900).astype(float), np.zeros(900)],
    "circle and its centre": np.r_[
        [[0.0, 0.0]], [[math.cos(t), math.sin(t)] for t in np.arange(0, 6.28, 0.01)]
    ],
    "far blobs": np.r_[rng.normal(0, 1, (400, 2)), rng.normal(1e6, 1, (400, 2)), [[1e9, 0]]],
    "one far point": rng.permutation(np.r_[rng.random((1200, 3)), np.full((1, 3), 1e30)]),
    "rows far off": np.where(rng.random((900, 1)) < 0.02, [1e30, 1.0], 1.0) * rng.random((900, 2)),
    "small crowds": rng.permutation(
        np.repeat(100 * rng.integers(0, 4, (60, 2)), 15, 0) + rng.normal(size=(900, 2))
    ),
    "scales": 10.0 ** rng.uniform(-12, 12, (600, 2)),
    "repeated and mixed": rng.permutation(
        np.r_[np.repeat(rng.random((40, 4)), 9, 0), rng.random((200, 4))]
    ),
    "underflowing": rng.random((300, 2)) * 1e-170,
    "overflowing": np.where(rng.random((200, 3)) < 0.5, 1e160, 1.0) * rng.random((200, 3)),
    **{f"uniform {d}-D": rng.random((1500 if d < 9 else 700, d)) for d in (1, 2, 3, 5, 6, 7, 8)},
    "uniform 9-D": rng.random((700, 9)),
    "normal 40-D": rng.normal(size=(600, 40)),
    "blobs 20-D": np.concatenate([rng.normal(c, 0.1, (150, 20)) for c in (0, 1, 5)]),
}


@pytest.mark.parametrize("points", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_reference(points, dtype, device):
    with np.errstate(over="ignore", under="ignore"):
        points = points.astype(dtype)
    points = np.where(np.isfinite(points), points, np.finfo(dtype).max)
    assert_same_tree(tree_of(points, device), *reference(points))


@pytest.mark.parametrize(
    "name", ["one point", "two points", "identical", "underflowing", "overflowing", "solid lattice"]
)
def test_reference_equals_its_definition(name):
    points = FAMILIES[name][:120]
    for got, wanted in zip(reference(points), spell_out(points), strict=True):
        np.testing.assert_array_equal(got, wanted)


COORDINATES = {
    "few kinds": st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.1, 1e-200, 1e200]),
    "grid": st.integers(-2, 2).map(float),
    "huge": st.floats(-1.79e308, 1.79e308),
    "any float32": st.floats(width=32, allow_nan=False, allow_infinity=False),
}


@pytest.mark.filterwarnings("ignore:points differ by less than")  # 1e-200 beside 1e200
@pytest.mark.parametrize("kind", COORDINATES)
def test_small_sets_of_any_kind(kind, device):
    @settings(max_examples=25 if device == "cpu" else 40)
    @given(
        st.tuples(st.integers(1, 80), st.integers(1, 10)).flatmap(
            lambda shape: hnp.arrays(np.float64, shape, elements=COORDINATES[kind])
        ),
        st.booleans(),
    )
    def agrees(points, single):
        if single:
            with np.errstate(over="ignore"):
                points = np.nan_to_num(points.astype(np.float32))
        edges, weights = reference(points)
        assert_same_tree(tree_of(points, device), edges, weights)
        if len(points) < 20:
            for got, wanted in zip(spell_out(points), (edges, weights), strict=True):
                np.testing.assert_array_equal(got, wanted)

    agrees()


@pytest.mark.filterwarnings("ignore:points differ by less than")  # the least numbers beside 1
@given(
    hnp.arrays(
        np.float64, st.tuples(st.integers(1, 200), st.integers(1, 3)), elements=st.floats(0, 1)
    ),
    st.integers(0, 30),
)
@settings(max_examples=40)
def test_collinear_points_and_copies(device, points, copies):
    """Multiples of one vector, some of them several times."""
    points = points[:, :1] * np.array([1.0, -2.0, 0.5])[: points.shape[1]]
    points = np.concatenate([points, points[:copies], points[:copies]])
    assert_same_tree(tree_of(points, device), *reference(points))


def test_weight_of_scipys_tree(device):
    points = np.random.default_rng(1).random((300, 3))
    dense = distance.squareform(distance.pdist(points))
    tree = csgraph.minimum_spanning_tree(sp.csr_array(dense))
    forest = euclidean_mst(points, device=device)
    np.testing.assert_allclose(np.sort(tree.data), forest.weights, rtol=1e-12)
    assert forest.n_trees == 1


def test_large_tree_is_the_same_with_any_number_of_threads():
    points = np.random.default_rng(5).random((60_000, 2)).round(3)
    trees = []
    for threads in (1, 2, 5):
        wg.set_num_threads(threads)
        trees.append(euclidean_mst(points, device="cpu"))
    wg.set_num_threads(0)
    for tree in trees[1:]:
        assert_same_tree(tree, trees[0].edges, trees[0].weights)
    # Spanning, and no lighter edge across a sample of cuts of the tree.
    assert trees[0].n_trees == 1
    assert len(np.unique(trees[0].labels)) == 1


# Enough for several subtrees and for counting sorts; all edges of the lattice tie.
MANY = {
    "lattice": rng.permutation(lattice(130, 130)),
    "far points and duplicates": np.r_[rng.random((8500, 2)), [[1e30, -1e30], [0, 1e30]]][
        np.r_[:8502, :500]
    ],
    "mostly identical": np.where(rng.random((9000, 1)) < 0.97, 0.5, rng.random((9000, 2))),
    "in order, alternating": np.c_[np.arange(9000) // 2 * 0.5, np.arange(9000) % 2],
}


@pytest.mark.parametrize("points", MANY.values(), ids=MANY)
def test_many_points_equal_reference(points):
    wanted = reference(points)
    for threads in (1, 4):
        wg.set_num_threads(threads)
        assert_same_tree(euclidean_mst(points, device="cpu"), *wanted)
    wg.set_num_threads(0)


@pytest.mark.heavy
def test_large_tree_against_a_graph_of_near_neighbours(device):
    points = np.random.default_rng(6).random((20_000, 2))
    grid = sp.csr_array(
        _pairs_within(points, 4 / math.sqrt(len(points))), (len(points), len(points))
    )
    wanted = wg.minimum_spanning_forest(grid, device="cpu")
    assert wanted.n_trees == 1  # the pairs suffice: no tree edge is longer
    forest = euclidean_mst(points, device=device)
    np.testing.assert_array_equal(np.sort(wanted.weights), forest.weights)


def _pairs_within(points, radius):
    from scipy.spatial import cKDTree

    pairs = cKDTree(points).query_pairs(radius, output_type="ndarray")
    apart = points[pairs[:, 0]] - points[pairs[:, 1]]
    length = np.sqrt(apart[:, 0] * apart[:, 0] + apart[:, 1] * apart[:, 1])
    return length, (pairs[:, 0], pairs[:, 1])


def test_points_of_other_kinds():
    wanted = euclidean_mst(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    for points in (
        [[0, 0], [3, 4], [0, 1]],
        np.array([[0, 0], [3, 4], [0, 1]], np.int16),
        np.array([[0, 0], [3, 4], [0, 1]], ">f8"),
        np.asfortranarray([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]),
        np.array([[0, 0], [3, 4], [0, 1]], np.float16),
        np.array([[0, 0], [3, 4], [0, 1]], object),
    ):
        assert_same_tree(euclidean_mst(points), wanted.edges, wanted.weights)


def test_float32_is_computed_in_float32():
    points = np.random.default_rng(2).random((50, 3))
    forest = euclidean_mst(points.astype(np.float32))
    u, v = points.astype(np.float32)[forest.edges].transpose(1, 0, 2)
    key = np.zeros(len(u), np.float32)
    for k in range(3):
        key += (u[:, k] - v[:, k]) * (u[:, k] - v[:, k])
    np.testing.assert_array_equal(forest.weights, np.sqrt(key.astype(np.float64)))


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        (np.array([[0.0, 1.0], [2.0, np.nan]]), r"row 1 of X has NaN in column 1"),
        (np.array([[0.0], [1.0], [-np.inf]]), r"row 2 of X has inf in column 0"),
        (np.ma.masked_equal([[0, 1], [2, 9]], 9), r"row 1 of X has NaN in column 1"),
        (np.arange(4.0), r"shape \(n, d\), got shape \(4,\)"),
        (np.zeros((2, 2, 2)), r"got shape \(2, 2, 2\)"),
        (np.empty((0, 2)), r"X has no points"),
        (np.empty((3, 0)), r"0 feature\(s\)"),
        (np.array([[1j]]), r"Complex data not supported"),
    ],
)
def test_bad_points(points, sentence):
    with pytest.raises(ValueError, match=sentence):
        euclidean_mst(points)


@pytest.mark.parametrize(
    ("scale", "dtype"),
    [(1e200, "f8"), (1e30, "f4"), (1.7e308, "f8"), (1e-200, "f8"), (1e-30, "f4")],
)
@pytest.mark.parametrize("d", [1, 2, 3, 12])
def test_squares_that_are_no_numbers(scale, dtype, d, device):
    """Squares too large or too small for the points' type: the tree is that of other units."""
    near_one = np.random.default_rng(d).uniform(-1, 1, (40, d))
    points = (near_one * scale).astype(dtype)
    if scale == 1.7e308:
        with raises_sentence(OverflowError, "divide X"):
            euclidean_mst(np.array([[-scale], [scale]]), device=device)
        points *= 0.2
    unit = 2.0 ** np.floor(np.log2(scale))
    wanted = euclidean_mst((points / unit).astype(dtype), device=device)
    found = euclidean_mst(points, device=device)
    np.testing.assert_array_equal(found.edges, wanted.edges)
    np.testing.assert_array_equal(found.weights, wanted.weights * unit)
    linkage = wg.cluster.single_linkage(points, device=device)
    np.testing.assert_array_equal(linkage[:, 2], found.weights)
    model = wg.cluster.MSTClustering(len(points), device=device).fit(points)
    assert model.labels_.tolist() == list(range(len(points)))


def test_far_pairs_that_are_not_in_the_tree():
    points = np.arange(40)[:, None] * 1e153
    np.testing.assert_allclose(euclidean_mst(points).weights, 1e153, rtol=1e-12)
    assert euclidean_mst(np.r_[points, points]).n_trees == 1
    assert euclidean_mst(np.full((9, 2), 1e300)).weights.tolist() == [0] * 8
    assert euclidean_mst(np.full((9, 2), 1e-300)).weights.tolist() == [0] * 8


def test_points_that_are_added_far_off():
    model = wg.cluster.MSTClustering(2).fit(np.random.default_rng(0).random((50, 2)))
    model.add_points([[1e200, 0]])
    assert model.labels_.tolist() == [0] * 50 + [1]
    assert model.mst_.weights[-1] == 1e200
    model = wg.cluster.MSTClustering(2).fit(np.float32(np.random.default_rng(0).random((50, 2))))
    with raises_sentence(ValueError, "row 0", "inf"):
        model.add_points([[1e200, 0]])


def test_sparse_points():
    with pytest.raises(TypeError, match="metric='precomputed'"):
        euclidean_mst(sp.eye_array(3))


def test_memory_limit(device):
    with pytest.raises(MemoryError, match=r"10000 points needs .* left of memory_limit"):
        euclidean_mst(np.random.default_rng(0).random((10_000, 2)), device=device, memory_limit=999)


def test_progress(device):
    seen = []
    points = np.random.default_rng(0).random((3000, 2))
    euclidean_mst(points, device=device, progress=lambda done, total: seen.append((done, total)))
    assert seen
    assert seen == sorted(seen)
    assert len({total for _, total in seen}) == 1
    assert seen[-1][0] == seen[-1][1]


def test_interrupted_call_leaves_the_next_one_working(device):
    def stop(done, total):
        raise KeyboardInterrupt

    points = np.random.default_rng(0).random((3000, 2))
    with pytest.raises(KeyboardInterrupt):
        euclidean_mst(points, device=device, progress=stop)
    assert euclidean_mst(points, device=device).n_trees == 1
