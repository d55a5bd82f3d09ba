"""nearest_neighbors of other points, and all neighbours within a radius, are exact."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import oracles
import warpgraph as wg
from checks import raises_sentence
from warpgraph.cluster import kneighbors_graph, nearest_neighbors, radius_neighbors_graph

rng = np.random.default_rng(69)
FAMILIES = {
    "one point": np.zeros((1, 2)),
    "two points": np.array([[1.0], [4.0]]),
    "identical": np.full((300, 2), 0.1),
    "few distinct": rng.integers(0, 3, (400, 3)).astype(float),
    "lattice": rng.permutation(np.argwhere(np.ones((25, 24)))).astype(float),
    "repeated and mixed": rng.permutation(
        np.r_[np.repeat(rng.random((40, 4)), 9, 0), rng.random((200, 4))]
    ),
    "underflowing": rng.random((200, 2)) * 1e-170,
    "overflowing": np.where(rng.random((200, 3)) < 0.5, 1e160, 1.0) * rng.random((200, 3)),
    "huge offset": rng.random((300, 3)) + 1e9,
    **{f"uniform {d}-D": rng.random((300, d)) for d in (1, 2, 3, 5, 7, 8, 9, 20)},
}
EMPTY = np.empty((0, 2))


def squares_between(queries, points):
    """Return squared distances, added one coordinate after the other, as the library adds them."""
    total = np.zeros((len(queries), len(points)), points.dtype)
    with np.errstate(over="ignore", under="ignore"):
        for column, other in zip(points.T, queries.T, strict=True):
            difference = other[:, np.newaxis] - column
            total += difference * difference
    return total


def of_type(points, dtype):
    """Return points as a dtype, with its largest number in place of those that overflow."""
    with np.errstate(over="ignore", under="ignore"):
        points = points.astype(dtype)
    return np.where(np.isfinite(points), points, np.finfo(dtype).max)


def near(points):
    """Return queries of all kinds: points, points beside them, and far ones."""
    some = points[: max(len(points) // 2, 1)]
    with np.errstate(over="ignore"):
        beside = np.nextafter(some, some.dtype.type(1))
        return of_type(np.r_[some, beside, some * 3 + 1, points.mean(0, keepdims=True)], some.dtype)


def between(queries, points):
    """Return squares, of points with a factor that keeps them in range, and distances."""
    *scaled, exponent = oracles.in_range(queries, points)
    squares = squares_between(*scaled)
    return squares, np.ldexp(np.sqrt(squares.astype(np.float64)), exponent)


def within_by_hand(queries, points, radius):
    """Return (ids, distances) within the radius for each query, nearest first, then by id."""
    rows = []
    for squares, row in zip(*between(queries, points), strict=True):
        order = np.argsort(squares, kind="stable")
        order = order[row[order] <= radius]
        rows.append((order, row[order]))
    return rows


def assert_rows(graph, wanted):
    assert isinstance(graph, sp.csr_array)
    assert graph.dtype == np.float64
    np.testing.assert_array_equal(np.diff(graph.indptr), [len(ids) for ids, _ in wanted])
    for found, rows in zip((graph.indices, graph.data), zip(*wanted, strict=True), strict=True):
        np.testing.assert_array_equal(found, np.concatenate(rows))


@pytest.mark.filterwarnings("ignore:points differ by less than")  # the least numbers beside 1
@pytest.mark.parametrize("points", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_of_queries(points, dtype, threads):
    points = of_type(points, dtype)
    queries = near(points)
    squares, distances = between(queries, points)
    for k in {1, min(7, len(points)), len(points)}:
        found = nearest_neighbors(points, k, queries=queries)
        order = np.argsort(squares, axis=1, kind="stable")[:, :k]
        np.testing.assert_array_equal(found.indices, order)
        wanted = np.take_along_axis(distances, order, 1)
        np.testing.assert_array_equal(found.distances, wanted)


@functools.cache
def rows_within(name, dtype):
    """Return points, and by radius the rows of others, with the point itself, and of ones."""
    points, rows = of_type(FAMILIES[name], dtype), {}
    all_of_them = between(points, points)[1]
    radii = {
        0.0,
        float(np.sort(all_of_them, axis=None)[all_of_them.size // 10]),
        float(all_of_them.max()),
        np.inf,
    }
    for radius in radii:
        wanted = within_by_hand(points, points, radius)
        others = [(ids[ids != i], distances[ids != i]) for i, (ids, distances) in enumerate(wanted)]
        with_self = [(np.r_[i, ids], np.r_[0, row]) for i, (ids, row) in enumerate(others)]
        ones = [(ids, np.ones(len(ids))) for ids, _ in others]
        rows[radius] = others, with_self, ones
    return points, rows


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_within_a_radius(name, dtype, threads):
    points, rows = rows_within(name, dtype)
    for radius, (others, with_self, ones) in rows.items():
        assert_rows(radius_neighbors_graph(points, radius, mode="distance"), others)
        options = {"mode": "distance", "include_self": True}
        assert_rows(radius_neighbors_graph(points, radius, **options), with_self)
        assert_rows(radius_neighbors_graph(points, radius), ones)


@pytest.mark.filterwarnings("ignore:points differ by less than")  # the least numbers beside 1
@pytest.mark.parametrize("name", ["few distinct", "uniform 3-D", "uniform 20-D", "one point"])
def test_queries_within_a_radius(name):
    points = FAMILIES[name]
    queries = near(points)
    graph = radius_neighbors_graph(points, 0.5, queries=queries, mode="distance")
    assert graph.shape == (len(queries), len(points))
    assert_rows(graph, within_by_hand(queries, points, 0.5))


@pytest.mark.filterwarnings("ignore:points differ by less than")  # 1e-200 beside 1e200
@settings(max_examples=60)
@given(
    st.tuples(st.integers(1, 90), st.integers(1, 10)).flatmap(
        lambda shape: hnp.arrays(
            np.float64, shape, elements=st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.1, 1e-200, 1e200])
        )
    ),
    st.sampled_from([0.0, 0.1, 0.9, 1.0, 2**0.5, 1e200, np.inf]),
)
def test_small_sets_of_any_kind(points, radius):
    wanted = within_by_hand(points, points, radius)
    graph = radius_neighbors_graph(points, radius, mode="distance", queries=points)
    assert_rows(graph, wanted)
    k = max(len(points) // 3, 1)
    found = nearest_neighbors(points, k, queries=points[::-1])
    order = np.argsort(between(points[::-1], points)[0], axis=1, kind="stable")
    np.testing.assert_array_equal(found.indices, order[:, :k])


def test_a_distance_of_exactly_the_radius_counts():
    for dtype in (np.float32, np.float64):
        points = np.random.default_rng(4).random((60, 3)).astype(dtype)
        distances = np.sqrt(squares_between(points, points).astype(np.float64))
        for radius in distances[0]:
            found = radius_neighbors_graph(points, radius, include_self=True)
            assert found.indptr[1] == (distances[0] <= radius).sum()


@pytest.mark.parametrize("d", [2, 3, 12])
def test_equals_scikit_learn(d):
    neighbors = pytest.importorskip("sklearn.neighbors")
    points = np.random.default_rng(d).normal(size=(1500, d))
    others = np.random.default_rng(99).normal(size=(200, d))
    radius = 0.3 * d
    for include_self in (True, False, "auto"):
        options = {"mode": "distance", "include_self": include_self}
        ours = radius_neighbors_graph(points, radius, **options)
        theirs = neighbors.radius_neighbors_graph(points, radius, **options)
        ours.sort_indices()
        theirs.sort_indices()
        np.testing.assert_array_equal(ours.indptr, theirs.indptr)
        np.testing.assert_array_equal(ours.indices, theirs.indices)
        np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-12)
    search = neighbors.NearestNeighbors().fit(points)
    distances, indices = search.kneighbors(others, 9)
    found = nearest_neighbors(points, 9, queries=others)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-12)


def test_own_neighbours_are_those_of_the_graph(device):
    points = np.random.default_rng(2).random((400, 3))
    for include_self in (True, False):
        options = {"include_self": include_self, "device": device}
        found = nearest_neighbors(points, 6, **options)
        graph = kneighbors_graph(points, 6, mode="distance", **options)
        np.testing.assert_array_equal(found.indices.ravel(), graph.indices)
        np.testing.assert_array_equal(found.distances.ravel(), graph.data)
        assert found.indices.dtype == np.int32


def test_queries_get_the_type_of_the_points():
    points = np.random.default_rng(1).random((50, 2)).astype(np.float32)
    queries = np.random.default_rng(2).random((9, 2))
    found = nearest_neighbors(points, 3, queries=queries)
    single = nearest_neighbors(points, 3, queries=queries.astype(np.float32))
    np.testing.assert_array_equal(found.distances, single.distances)


def test_neighbours_are_counted_before_they_are_stored():
    points = np.random.default_rng(0).random((5000, 2))
    with raises_sentence(MemoryError, "storing 25000000 neighbours", "smaller radius"):
        radius_neighbors_graph(points, 9.0, include_self=True, memory_limit="20 MB")
    assert radius_neighbors_graph(points, 0.01, memory_limit="20 MB").nnz > 0


def test_progress_ends_at_the_total():
    for call, total in (
        (lambda p: radius_neighbors_graph(POINTS, 0.01, progress=p), 2 * len(POINTS)),
        (lambda p: nearest_neighbors(POINTS, 2, queries=POINTS, progress=p), len(POINTS)),
    ):
        seen = []
        call(lambda done, total, seen=seen: seen.append((done, total)))
        assert seen[-1] == (total, total)
        assert all(done <= total for done, total in seen)


POINTS = np.random.default_rng(3).random((20_000, 3))
TWO = [[0.0], [1.0]]
SINGLE = np.array(TWO, np.float32)
BAD = [
    (lambda: radius_neighbors_graph(TWO, -1), ValueError, ("radius", -1)),
    (lambda: radius_neighbors_graph(TWO, np.nan), ValueError, ("radius", "nan")),
    (lambda: radius_neighbors_graph(TWO, "1"), TypeError, ("radius", "1")),
    (lambda: radius_neighbors_graph(TWO, 1, mode="near"), ValueError, ("mode", "near")),
    (lambda: radius_neighbors_graph(TWO, 1, include_self=3), TypeError, ("include_self", 3)),
    (lambda: kneighbors_graph(TWO, 1, include_self="yes"), TypeError, ("'auto', got 'yes'",)),
    (lambda: radius_neighbors_graph(TWO, 1, metric="near"), ValueError, ("metric", "near")),
    (lambda: radius_neighbors_graph([[np.nan]], 1), ValueError, ("row 0", "NaN")),
    (
        lambda: radius_neighbors_graph(TWO, 1, queries=[[0.0, 1.0]]),
        ValueError,
        ("queries have 2 columns", "1"),
    ),
    (lambda: radius_neighbors_graph(TWO, 1, memory_limit=9), MemoryError, ("9 bytes",)),
    (lambda: nearest_neighbors(TWO, 3), ValueError, ("k must be at most 2", 3)),
    (lambda: nearest_neighbors(TWO, 2, include_self=False), ValueError, ("at most 1", 2)),
    (lambda: nearest_neighbors(TWO, 3, queries=TWO), ValueError, ("k must be at most 2", 3)),
    (lambda: nearest_neighbors([[0.0]], 1, include_self=False), ValueError, ("k = 1", "one point")),
    (lambda: kneighbors_graph([[0.0]], 1), ValueError, ("k = 1", "include_self=True")),
    (
        lambda: nearest_neighbors(TWO, 1, queries=[[np.inf]]),
        ValueError,
        ("row 0 of queries has inf",),
    ),
    (
        lambda: nearest_neighbors(SINGLE, 1, queries=[[0.0], [-1e39]]),
        ValueError,
        ("row 1 of queries has -1e+39 in column 0", "largest float32"),
    ),
    (
        lambda: radius_neighbors_graph(TWO, 1, queries=[[0.0]], metric="cosine"),
        ValueError,
        ("row 0 of X", "direction"),
    ),
    (
        lambda: radius_neighbors_graph([[1.0]], 1, queries=[[0.0]], metric="cosine"),
        ValueError,
        ("row 0 of queries", "direction"),
    ),
    (
        lambda: nearest_neighbors(TWO, 1, queries=sp.eye_array(1)),
        TypeError,
        ("queries are a sparse matrix",),
    ),
    (lambda: nearest_neighbors(TWO, 1, queries=[1.0]), ValueError, ("queries must", "queries.res")),
    # Not an error: only Minkowski's metric reads p.
    (lambda: nearest_neighbors(TWO, 1, queries=[[1.0]] * 2, p=0.5), None, ()),
    (lambda: nearest_neighbors(TWO, 1, metric="minkowski", p=0.5), ValueError, ("p must", 0.5)),
    (lambda: nearest_neighbors(TWO, 1, metric="minkowski", p="2"), TypeError, ("p must", "2")),
    (lambda: nearest_neighbors(EMPTY, 1), ValueError, ("no points",)),
    (
        lambda: nearest_neighbors(TWO, 1, queries=np.empty((0, 1))),
        ValueError,
        ("queries have no points",),
    ),
    (
        lambda: radius_neighbors_graph(TWO, 1, device="cuda:63"),
        wg.DeviceError,
        ("cuda:63",),
    ),
]


@pytest.mark.parametrize(("call", "error", "parts"), BAD)
def test_bad_input(call, error, parts):
    if error is None:
        call()
        return
    with raises_sentence(error, *parts):
        call()


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_directions_of_queries_survive_the_conversion_to_float32(size):
    points = np.array([[1, 0], [0, 1]], np.float32)
    found = nearest_neighbors(points, 1, queries=[[size, 2 * size]], metric="cosine")
    assert found.indices.tolist() == [[1]]


@pytest.mark.parametrize("dtypes", [("f4", "f8"), ("f8", "f4"), ("f4", "f4")])
def test_queries_among_the_points_by_cosine(dtypes):
    points = np.random.default_rng(0).random((50, 7)).astype("f4")
    searched, queries = (points.astype(dtype) for dtype in dtypes)
    found = nearest_neighbors(searched, 1, queries=queries, metric="cosine")
    np.testing.assert_array_equal(found.indices[:, 0], np.arange(50))
    assert not found.distances.any()
