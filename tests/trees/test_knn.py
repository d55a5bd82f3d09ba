"""kneighbors_graph and core_distances are exact, also where distances tie."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial import cKDTree

import oracles
import warpgraph as wg
from checks import raises_sentence
from warpgraph import _core
from warpgraph.cluster import core_distances, kneighbors_graph

rng = np.random.default_rng(8)
FAMILIES = {
    "one point": np.zeros((1, 2)),
    "two points": np.array([[1.0], [4.0]]),
    "identical": np.full((300, 2), 0.1),
    "identical but for signs of zero": np.where(rng.random((90, 2)) < 0.5, 0.0, -0.0),
    "few distinct": rng.integers(0, 3, (700, 3)).astype(float),
    "lattice": rng.permutation(np.argwhere(np.ones((25, 24)))).astype(float),
    "repeated and mixed": rng.permutation(
        np.r_[np.repeat(rng.random((40, 4)), 9, 0), rng.random((200, 4))]
    ),
    "underflowing": rng.random((300, 2)) * 1e-170,
    "overflowing": np.where(rng.random((200, 3)) < 0.5, 1e160, 1.0) * rng.random((200, 3)),
    "far blobs": np.r_[rng.normal(0, 1, (400, 2)), rng.normal(1e6, 1, (400, 2)), [[1e9, 0]]],
    **{f"uniform {d}-D": rng.random((400, d)) for d in (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 20)},
}


def squared_distances(points):
    """All of them, one coordinate after the other."""
    total = np.zeros((len(points),) * 2, points.dtype)
    with np.errstate(over="ignore", under="ignore"):
        for column in points.T:
            difference = column[:, np.newaxis] - column
            total += difference * difference
    return total


@functools.lru_cache(maxsize=4)
def _sorted_rows(content, shape, dtype, include_self):
    """Return ids and distances of all points, sorted for each of them."""
    squares = squared_distances(np.frombuffer(content, dtype).reshape(shape))
    ids, distances = [], []
    for i, row in enumerate(squares):
        order = np.argsort(row, kind="stable")  # equal ones in the order of ids
        order = np.r_[[i] if include_self else [], order[order != i]].astype(int)
        ids.append(order)
        distances.append(np.sqrt(row[order].astype(np.float64)))
    return np.array(ids), np.array(distances)


def neighbours_by_hand(points, k, *, include_self):
    """Return ids and distances of the neighbours by sorting all points, for each of them."""
    rows = _sorted_rows(points.tobytes(), points.shape, points.dtype, include_self)
    return tuple(each[:, :k] for each in rows)


def wanted_neighbours(points, k, *, include_self):
    """Return the neighbours of points of any magnitude."""
    scaled, exponent = oracles.in_range(points)
    ids, distances = neighbours_by_hand(scaled, k, include_self=include_self)
    return ids, np.ldexp(distances, exponent)


def of_type(points, dtype):
    with np.errstate(over="ignore", under="ignore"):
        points = points.astype(dtype)
    return np.where(np.isfinite(points), points, np.finfo(dtype).max)


def rows_of(graph, k):
    """Return ids and entries, row by row; also checks the form of the matrix."""
    n = graph.shape[0]
    assert isinstance(graph, sp.csr_array)
    assert graph.dtype == np.float64
    np.testing.assert_array_equal(graph.indptr, np.arange(n + 1) * k)
    return graph.indices.reshape(n, k), graph.data.reshape(n, k)


def assert_neighbours(points, k, device, *, include_self=False):
    wanted = wanted_neighbours(points, k, include_self=include_self)
    options = {"include_self": include_self, "device": device}
    found = rows_of(kneighbors_graph(points, k, mode="distance", **options), k)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


def assert_connectivity(graph, ids):
    found, ones = rows_of(graph, ids.shape[1])
    np.testing.assert_array_equal(found, ids)
    assert (ones == 1).all()


@pytest.mark.parametrize("points", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_sorted_rows(points, dtype, threads):
    points = of_type(points, dtype)
    n = len(points)
    for k in (1, 2, 24, 25, 256):
        if k <= n:
            assert_neighbours(points, k, "cpu", include_self=True)
        if k in (2, 25) and k <= n:
            ids, distances = wanted_neighbours(points, k, include_self=True)
            assert_connectivity(kneighbors_graph(points, k, include_self=True), ids)
            np.testing.assert_array_equal(core_distances(points, k), distances[:, -1])
        if k < n:
            assert_neighbours(points, k, "cpu")


@pytest.mark.parametrize("name", ["identical", "few distinct", "overflowing", "uniform 3-D"])
@pytest.mark.parametrize("include_self", [True, False])
def test_reference_sorts_rows(name, include_self):
    points, k = FAMILIES[name], 30
    n = len(points)
    ids, distances, last = np.empty((n, k), np.int32), np.empty((n, k)), np.empty(n)
    _core.knn_reference(points, ids, distances, last, n_neighbors=k, include_self=include_self)
    wanted = neighbours_by_hand(points, k, include_self=include_self)
    np.testing.assert_array_equal(ids, wanted[0])
    np.testing.assert_array_equal(distances, wanted[1])
    np.testing.assert_array_equal(last, wanted[1][:, -1])


COORDINATES = {
    "few kinds": st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.1, 1e-200, 1e200]),
    "grid": st.integers(-2, 2).map(float),
    "any float32": st.floats(width=32, allow_nan=False, allow_infinity=False),
}


@pytest.mark.filterwarnings("ignore:points differ by less than")  # 1e-200 beside 1e200
@pytest.mark.parametrize("kind", COORDINATES)
def test_small_sets_of_any_kind(kind):
    @settings(max_examples=40)
    @given(
        st.tuples(st.integers(1, 90), st.integers(1, 10)).flatmap(
            lambda shape: hnp.arrays(np.float64, shape, elements=COORDINATES[kind])
        ),
        st.data(),
    )
    def agrees(points, data):
        include_self = data.draw(st.booleans())
        most = len(points) if include_self else len(points) - 1
        if data.draw(st.booleans()):
            points = of_type(points, np.float32)
        if most > 0:
            assert_neighbours(
                points, data.draw(st.integers(1, most)), "cpu", include_self=include_self
            )

    agrees()


@pytest.mark.parametrize("d", [2, 3, 12])
def test_equals_scikit_learn(d):
    neighbors = pytest.importorskip("sklearn.neighbors")
    points = np.random.default_rng(d).normal(size=(3000, d))
    for mode in ("connectivity", "distance"):
        for include_self in (True, False, "auto"):
            ours = kneighbors_graph(points, 11, mode=mode, include_self=include_self)
            theirs = neighbors.kneighbors_graph(points, 11, mode=mode, include_self=include_self)
            np.testing.assert_array_equal(ours.indptr, theirs.indptr)
            np.testing.assert_array_equal(ours.indices, theirs.indices)
            np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-12)


def test_equals_scipy_with_many_points_and_large_k():
    points = np.random.default_rng(2).random((20_000, 3))
    distances, ids = cKDTree(points).query(points, 256, workers=2)
    found = rows_of(kneighbors_graph(points, 256, mode="distance", include_self=True), 256)
    np.testing.assert_array_equal(found[0], ids)
    np.testing.assert_allclose(found[1], distances, rtol=1e-12)
    np.testing.assert_allclose(core_distances(points, 200), distances[:, 199], rtol=1e-12)


def test_thousands_of_copies():
    points = np.r_[np.zeros((3000, 2)), np.random.default_rng(0).random((900, 2)) + 1]
    ids, distances = rows_of(kneighbors_graph(points, 3, mode="distance", include_self=True), 3)
    assert ids[2000].tolist() == [2000, 0, 1]
    assert ids[0].tolist() == [0, 1, 2]
    assert not distances[:3000].any()
    assert not core_distances(points, 3000)[:3000].any()
    assert (core_distances(points, 3001)[:3000] > 1).all()


def test_lists_and_integers_become_float64():
    graph = kneighbors_graph([[0], [3], [4]], 2, mode="distance", include_self=True)
    assert graph.toarray().tolist() == [[0, 3, 0], [0, 0, 1], [0, 1, 0]]
    assert core_distances([[0], [3], [4]], 3).tolist() == [4, 3, 4]


def test_cosine_is_that_between_directions():
    points = np.random.default_rng(5).normal(size=(500, 6)) * 10.0 ** np.arange(-200, 300)[:, None]
    unit = points / np.linalg.norm(points / np.abs(points).max(1)[:, None], axis=1)[:, None]
    unit /= np.abs(unit).max(1)[:, None]
    unit /= np.linalg.norm(unit, axis=1)[:, None]
    distances = np.maximum(1 - unit @ unit.T, 0)
    np.fill_diagonal(distances, 0)
    found = core_distances(points, 4, metric="cosine")
    np.testing.assert_allclose(found, np.sort(distances, axis=1)[:, 3], rtol=1e-6)
    graph = kneighbors_graph(points, 3, mode="distance", metric="cosine")
    np.testing.assert_allclose(graph.data.reshape(-1, 3)[:, -1], found, rtol=1e-15)


def test_precomputed_cores_count_the_vertex_itself():
    points = np.random.default_rng(1).random((60, 2))
    distances = np.sqrt(squared_distances(points))
    np.fill_diagonal(distances, 7.0)  # the diagonal is ignored
    for k in (1, 2, 9, 60):
        wanted = core_distances(points, k)
        np.testing.assert_array_equal(core_distances(distances, k, metric="precomputed"), wanted)
        dense = sp.csr_array(distances)
        np.testing.assert_array_equal(core_distances(dense, k, metric="precomputed"), wanted)


def test_cores_of_sparse_graphs_with_loops_directions_and_parallel_edges():
    indptr = np.array([0, 3, 4, 7, 7, 7])
    heads = np.array([0, 1, 1, 0, 0, 3, 3])
    weights = np.array([0.5, 9.0, 6.0, 4.0, 5.0, 8.0, 1.0])  # 0-1: 4, 0-2: 5, 2-3: 1
    graph = wg.Graph.from_csr(indptr, heads, weights)
    inf = np.inf
    assert core_distances(graph, 1, metric="precomputed").tolist() == [0] * 5
    assert core_distances(graph, 2, metric="precomputed").tolist() == [4, 4, 1, 1, inf]
    assert core_distances(graph, 3, metric="precomputed").tolist() == [5, inf, 5, inf, inf]
    whole = wg.Graph.from_csr(indptr, heads, np.ceil(weights).astype("i4"))
    assert core_distances(whole, 2).tolist() == [4, 4, 1, 1, inf]


def test_k_by_name():
    assert kneighbors_graph([[0.0], [1.0], [5.0]], k=1).indices.tolist() == [1, 0, 1]
    assert core_distances([[0.0], [1.0], [5.0]], k=2).tolist() == [1, 1, 4]
    assert core_distances(np.zeros((2, 2)), k=2, metric="precomputed").tolist() == [0, 0]


BAD = [
    (lambda: kneighbors_graph([[0.0], [1.0]], 2), ValueError, ("k must be at most 1", 2)),
    (lambda: kneighbors_graph([[0.0]], 2, include_self=True), ValueError, ("k must be", 1, 2)),
    (lambda: kneighbors_graph([[0.0], [1.0]], 0), ValueError, ("k must", 0)),
    (lambda: kneighbors_graph([[0.0], [1.0]], 1.5), TypeError, ("k must", 1.5)),
    (lambda: kneighbors_graph([[0.0], [1.0]], 1, mode="near"), ValueError, ("mode", "near")),
    (lambda: kneighbors_graph([[0.0], [1.0]], 1, include_self="no"), TypeError, ("include_self",)),
    (lambda: kneighbors_graph([[0.0], [1.0]], 1, metric="precomputed"), ValueError, ("(2, 1)",)),
    (lambda: kneighbors_graph([[0.0], [np.nan]], 1), ValueError, ("row 1", "NaN")),
    (lambda: core_distances([[0.0], [np.inf]], 1), ValueError, ("row 1", "inf")),
    (lambda: core_distances([[0.0], [1.0]], 3), ValueError, ("k must be at most 2", 3)),
    (lambda: core_distances([[0.0], [1.0]], True), TypeError, ("k must", True)),
    (lambda: core_distances([[0.0], [1.0]], 1, metric="cosine"), ValueError, ("row 0",)),
    (lambda: core_distances([[0, -1], [-1, 0]], 1, metric="precomputed"), ValueError, (-1,)),
    (lambda: core_distances([[0, 1], [2, 0]], 1, metric="precomputed"), ValueError, ("symmetric",)),
    (
        lambda: core_distances(sp.csr_array([[0, -1], [-1, 0]]), 1, metric="precomputed"),
        ValueError,
        (-1,),
    ),
    (lambda: core_distances(np.zeros((9, 2)), 2, memory_limit=9), MemoryError, ("9 bytes",)),
]


@pytest.mark.parametrize(("call", "error", "parts"), BAD)
def test_bad_input(call, error, parts):
    with raises_sentence(error, *parts):
        call()


def test_progress_ends_at_the_total():
    seen = []
    points = np.random.default_rng(3).random((30_000, 3))
    core_distances(points, 5, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (30_000, 30_000)
    assert all(done <= total for done, total in seen)
