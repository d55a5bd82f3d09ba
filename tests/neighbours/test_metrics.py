"""Neighbours under other metrics are those that SciPy's distances have."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from checks import raises_sentence
from warpgraph.cluster import (
    KNeighborsTransformer,
    core_distances,
    kneighbors_graph,
    nearest_neighbors,
    radius_neighbors_graph,
)

rng = np.random.default_rng(31)
NUMBERS = {
    "one point": np.zeros((1, 3)),
    "two points": np.array([[1.0, 0], [4, 2]]),
    "identical": np.full((100, 2), 0.1),
    "zeros": np.zeros((70, 3)),
    "few distinct": rng.integers(0, 3, (150, 4)).astype(float),
    "uniform": rng.random((200, 5)),
    "wide": rng.normal(size=(130, 90)),
    "one column": rng.random((129, 1)),
    "huge offset": rng.random((150, 3)) + 1e9,
    "huge": rng.normal(size=(65, 3)) * 1e150,
    "tiny": rng.normal(size=(64, 3)) * 1e-200,
    "signs of zero": np.where(rng.random((90, 2)) < 0.5, 0.0, -0.0),
}
BITS = {
    "few": rng.random((150, 9)) < 0.3,
    "64": rng.random((100, 64)) < 0.5,
    "65": rng.random((100, 65)) < 0.5,
    "many": rng.random((200, 1000)) < 0.02,
    "with empty rows": np.r_[np.zeros((9, 20), bool), rng.random((100, 20)) < 0.1],
    "one row": np.ones((1, 5), bool),
}
METRICS = {
    "manhattan": ("cityblock", {}),
    "l1": ("cityblock", {}),
    "cityblock": ("cityblock", {}),
    "chebyshev": ("chebyshev", {}),
    "infinity": ("chebyshev", {}),
    "minkowski 1": ("cityblock", {}),
    "minkowski 1.5": ("minkowski", {"p": 1.5}),
    "minkowski 3": ("minkowski", {"p": 3}),
    "minkowski inf": ("chebyshev", {}),
    "hamming": ("hamming", {}),
}
PLACES = np.stack([rng.uniform(-np.pi / 2, np.pi / 2, 200), rng.uniform(-7, 7, 200)], axis=1)
PLACES[:6] = [[0, 0], [0, np.pi], [np.pi / 2, 1], [np.pi / 2, 2], [-np.pi / 2, 0], [1, 1]]
PLACES[6:9] = PLACES[5] + [[1e-9, 0], [0, 1e-12], [0, 2 * np.pi]]


def haversine(a, b):
    """Return the angles between places, accurate for all of them (Vincenty's formula)."""
    p, q = a[:, np.newaxis].T, b[np.newaxis].T
    apart = np.moveaxis(q[1] - p[1], 0, 0)
    c1, s1, c2, s2 = np.cos(p[0]), np.sin(p[0]), np.cos(q[0]), np.sin(q[0])
    up = np.hypot(c2 * np.sin(apart), c1 * s2 - s1 * c2 * np.cos(apart))
    return np.arctan2(up, s1 * s2 + c1 * c2 * np.cos(apart)).T


def minkowski(a, b, p):
    """Return distances from powers in extended precision, where SciPy's overflow or vanish."""
    apart = np.abs(a[:, np.newaxis].astype(np.longdouble) - b)
    return ((apart**p).sum(axis=2) ** (1 / np.longdouble(p))).astype(float)


def given_of(name):
    metric, _, power = name.partition(" ")
    return {"metric": metric, "p": float(power)} if power else {"metric": metric}


def distances_of(name, points, queries=None):
    scipys, options = METRICS[name]
    if scipys == "minkowski":
        return minkowski(points if queries is None else queries, points, options["p"])
    with np.errstate(all="ignore"):
        return cdist(points if queries is None else queries, points, scipys, **options)


def where(device, name):
    """Return the device, or the cores for powers, which are theirs alone."""
    return "cpu" if name in ("minkowski 1.5", "minkowski 3") else device


def assert_neighbours(points, distances, given, tolerance):
    """Compare the nearest ones of each point, ordered otherwise where SciPy rounds otherwise."""
    n = len(points)
    for k in {1, min(5, n), min(70, n), n}:
        indices, found = nearest_neighbors(points, k, **given)
        np.testing.assert_array_equal(indices[:, 0], np.arange(n))
        np.testing.assert_allclose(found, np.sort(distances, axis=1)[:, :k], **tolerance)
        taken = np.take_along_axis(distances, indices, axis=1)
        np.testing.assert_allclose(found, taken, **tolerance)
        assert all(len({*row}) == k for row in indices.tolist())
        np.testing.assert_array_equal(core_distances(points, k, **given), found[:, -1])
        if k < n:
            graph = kneighbors_graph(points, k, mode="distance", **given)
            others = nearest_neighbors(points, k + 1, **given)
            np.testing.assert_array_equal(graph.data.reshape(n, k), others.distances[:, 1:])


@pytest.mark.parametrize("points", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("name", METRICS)
def test_numbers(name, points, device):
    given = given_of(name) | {"device": where(device, name)}
    assert_neighbours(points, distances_of(name, points), given, {"rtol": 1e-13})


@pytest.mark.parametrize("name", METRICS)
def test_single_precision_is_computed_in_double(name, device):
    points = NUMBERS["huge offset"].astype(np.float32)
    wanted = np.sort(distances_of(name, points.astype(np.float64)), axis=1)[:, :9]
    given = given_of(name) | {"device": where(device, name)}
    found = nearest_neighbors(points, 9, **given).distances
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


@pytest.mark.parametrize("p", [1.01, 2.5, 10, 300])
@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1, 1e3, 1e12])
@pytest.mark.skipif(np.finfo(np.longdouble).maxexp < 16384, reason="the oracle needs its powers")
def test_powers_beyond_the_range_of_numbers(p, scale):
    points = np.random.default_rng(4).random((130, 4)) * scale
    found = nearest_neighbors(points, 130, metric="minkowski", p=p)
    wanted = minkowski(points, points, p)
    np.testing.assert_allclose(found.distances, np.sort(wanted, axis=1), rtol=1e-12)
    rows = np.take_along_axis(wanted, found.indices.astype(int), axis=1)
    np.testing.assert_allclose(found.distances, rows, rtol=1e-12)


@pytest.mark.parametrize("p", [1e4, 1e300])
@pytest.mark.parametrize("scale", [1e-200, 0.3, 1, 3, 1e200])
def test_large_powers_tend_to_the_largest_difference(p, scale):
    """The distance is that of chebyshev times a factor of at most d^(1/p)."""
    points = np.random.default_rng(6).random((70, 3)) * scale
    found = nearest_neighbors(points, 70, metric="minkowski", p=p)
    wanted = np.sort(cdist(points, points, "chebyshev"), axis=1)
    assert (found.distances >= wanted * (1 - 1e-12)).all()
    assert (found.distances <= wanted * 3 ** (1 / p) * (1 + 1e-12)).all()
    far = np.array([[-1e308, 0], [1e308, 0], [0, 0]])
    rows = nearest_neighbors(far, 2, metric="minkowski", p=p).distances.tolist()
    assert rows == [[0, 1e308]] * 3
    with raises_sentence(OverflowError, "minkowski", "divide X"):
        nearest_neighbors(far, 3, metric="minkowski", p=p)


@pytest.mark.parametrize("name", ["manhattan", "chebyshev", "hamming", "jaccard"])
def test_order_is_by_distance_then_row(name, device):
    """Of integers, SciPy's distances are exact, so that ties are known."""
    if name in ("hamming", "jaccard"):
        points = BITS["few"]
    else:
        points = np.random.default_rng(3).integers(0, 4, (170, 3)).astype(float)
    distances = cdist(points, points, "cityblock" if name == "manhattan" else name)
    np.fill_diagonal(distances, -1)
    order = np.argsort(distances, axis=1, kind="stable")
    found = nearest_neighbors(points, 60, metric=name, device=device)
    np.testing.assert_array_equal(found.indices, order[:, :60])
    np.fill_diagonal(distances, 0)
    for radius in np.unique(distances)[[0, 1, -1]]:
        graph = radius_neighbors_graph(points, radius, metric=name, include_self=True)
        starts = graph.indptr
        for i, row in enumerate(order):
            wanted = row[distances[i, row] <= radius]
            np.testing.assert_array_equal(graph.indices[starts[i] : starts[i + 1]], wanted)


@pytest.mark.parametrize("bits", BITS.values(), ids=BITS)
@pytest.mark.parametrize("metric", ["hamming", "jaccard"])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.float32])
def test_bits(metric, bits, dtype, device):
    given = {"metric": metric, "device": device}
    assert_neighbours(bits.astype(dtype), cdist(bits, bits, metric), given, {"rtol": 1e-15})


def test_codes_are_compared_exactly():
    codes = np.random.default_rng(5).integers(0, 5, (90, 30)) + 2**52
    wanted = cdist(codes, codes, "hamming")
    assert_neighbours(codes, wanted, {"metric": "hamming"}, {"rtol": 1e-15})
    with raises_sentence(ValueError, 2**53 + 2, "2**53"):
        nearest_neighbors(np.array([[2**53 + 2], [1]]), 1, metric="hamming")
    largest = np.array([[2**53], [2**53 - 1], [-(2**53)]])
    assert nearest_neighbors(largest, 3, metric="hamming").distances.max(axis=1).tolist() == [1] * 3


@pytest.mark.parametrize(
    "code", [2**53 + 1, -(2**53) - 1, np.iinfo(np.int64).min, np.uint64(2**64 - 1)]
)
def test_codes_beyond_the_integers_of_float64(code):
    """float64 rounds 2**53 + 1 to a code that is allowed."""
    codes = np.array([[code], [1]], np.int64 if code < 2**63 else np.uint64)
    with raises_sentence(ValueError, code, "2**53"):
        nearest_neighbors(codes, 2, metric="hamming")
    with raises_sentence(ValueError, code, "2**53"):
        nearest_neighbors(np.ones((2, 1)), 2, queries=codes, metric="hamming")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_places_on_a_sphere(dtype):
    places = PLACES.astype(dtype)
    exact = places.astype(np.float64)
    exact[:, 0] = np.clip(exact[:, 0], -np.pi / 2, np.pi / 2)  # float32 rounds a pole up
    wanted = haversine(exact, exact)
    # Unit vectors are rounded, and antipodes are where the sine hardly changes.
    assert_neighbours(places, wanted, {"metric": "haversine"}, {"rtol": 1e-7, "atol": 1e-15})


def test_places_as_scikit_learn_has_them():
    neighbors = pytest.importorskip("sklearn.neighbors")
    places = np.radians(np.random.default_rng(2).uniform([-80, -180], [80, 180], (300, 2)))
    search = neighbors.NearestNeighbors(metric="haversine", algorithm="brute").fit(places)
    distances, indices = search.kneighbors(places, 8)
    found = nearest_neighbors(places, 8, metric="haversine")
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, atol=1e-12)


@pytest.mark.parametrize("name", ["euclidean", "cosine", "haversine", *METRICS])
def test_within_a_radius_are_those_that_the_distances_say(name):
    points = PLACES if name == "haversine" else NUMBERS["uniform"]
    n, given = len(points), given_of(name)
    all_of_them = nearest_neighbors(points, n, **given)
    for radius in np.sort(all_of_them.distances, axis=None)[[0, n, n * n // 50, -1]]:
        graph = radius_neighbors_graph(points, radius, mode="distance", include_self=True, **given)
        inside = all_of_them.distances <= radius
        np.testing.assert_array_equal(np.diff(graph.indptr), inside.sum(axis=1))
        np.testing.assert_array_equal(graph.indices, all_of_them.indices[inside])
        np.testing.assert_array_equal(graph.data, all_of_them.distances[inside])


@pytest.mark.parametrize("name", ["cosine", "haversine", *METRICS])
def test_queries(name):
    points = PLACES if name == "haversine" else NUMBERS["few distinct"] + 1
    own = nearest_neighbors(points, 9, **given_of(name))
    found = nearest_neighbors(points, 9, queries=points[::-1], **given_of(name))
    np.testing.assert_array_equal(found.distances[::-1], own.distances)
    graph = radius_neighbors_graph(points, 0.4, queries=points[::2], **given_of(name))
    all_pairs = radius_neighbors_graph(points, 0.4, include_self=True, **given_of(name))
    np.testing.assert_array_equal(np.diff(graph.indptr), np.diff(all_pairs.indptr)[::2])


@pytest.mark.parametrize("name", ["euclidean", "cosine", *METRICS])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("other", [np.float32, np.float64, np.int64, np.uint8])
def test_queries_get_the_type_of_the_points(name, dtype, other):
    """So a query that is the same number in either type is at distance 0."""
    points = np.random.default_rng(8).integers(1, 200, (70, 6)).astype(dtype)
    queries = points[::-1].astype(other)
    found = nearest_neighbors(points, 3, queries=queries, **given_of(name))
    wanted = nearest_neighbors(points, 3, queries=points[::-1], **given_of(name))
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_array_equal(found.distances, wanted.distances)
    assert (found.distances[:, 0] == 0).all()
    graph = radius_neighbors_graph(points, 0, queries=queries, **given_of(name))
    np.testing.assert_array_equal(graph.indices, np.arange(70)[::-1])
    model = KNeighborsTransformer(3, mode="distance", **given_of(name)).fit(points)
    np.testing.assert_array_equal(model.transform(queries).indices[::4], np.arange(70)[::-1])


def test_queries_of_places_get_the_type_of_the_points():
    points = PLACES.astype(np.float32)
    found = nearest_neighbors(points, 2, queries=PLACES, metric="haversine")
    wanted = nearest_neighbors(points, 2, queries=points, metric="haversine")
    np.testing.assert_array_equal(found.distances, wanted.distances)
    assert (found.distances[:, 0] == 0).all()


def test_queries_of_bits():
    points, queries = BITS["many"][:150], BITS["many"][150:]
    for metric in ("hamming", "jaccard"):
        wanted = np.sort(cdist(queries, points, metric), axis=1)[:, :6]
        found = nearest_neighbors(points, 6, queries=queries, metric=metric)
        np.testing.assert_allclose(found.distances, wanted, rtol=1e-15)
        found = nearest_neighbors(points, 6, queries=queries.astype(int), metric=metric)
        np.testing.assert_allclose(found.distances, wanted, rtol=1e-15)
    with raises_sentence(ValueError, "row 0", "2"):
        nearest_neighbors(points, 6, queries=np.full((1, 1000), 2), metric="jaccard")


TWO = np.array([[0.0, 1.0], [1.0, 0.5]])
BAD = [
    ({"metric": "jaccard"}, TWO, ("row 1", 0.5, "column 1")),
    ({"metric": "haversine"}, np.array([[0.0, 0.0], [48.1, 11.6]]), ("row 1", 48.1, "radians")),
    ({"metric": "haversine"}, np.zeros((2, 3)), ("latitude", "3 columns")),
    ({"metric": "haversine"}, np.full((2, 2), [1.29, 103.85]), ("longitude 103.85", "radians")),
    ({"metric": "cosine"}, np.zeros((2, 3)), ("row 0", "direction")),
    ({"metric": "manhattan"}, np.array([[0.0], [np.nan]]), ("row 1", "NaN")),
    ({"metric": "hamming"}, np.array([[0.0], [np.inf]]), ("row 1", "inf")),
    ({"metric": "euclideann"}, TWO, ("or a function of two points", "did you mean 'euclidean'?")),
    (
        {"metric": "canberra"},
        TWO,
        ("metric must be one of", "; pass scipy.spatial.distance.canberra"),
    ),
    ({"metric": "mahalanobis"}, TWO, ("partial(scipy.spatial.distance.mahalanobis, VI=...)",)),
    ({"metric": "seuclidean"}, TWO, ("partial(scipy.spatial.distance.seuclidean, V=...)",)),
    ({"metric": "minkowski", "p": np.nan}, TWO, ("p must be", "nan")),
    ({"metric": "minkowski", "p": 0}, TWO, ("p must be", 0)),
]


@pytest.mark.parametrize(("given", "points", "parts"), BAD)
def test_bad_input(given, points, parts):
    for call in (nearest_neighbors, core_distances, kneighbors_graph, radius_neighbors_graph):
        with raises_sentence(ValueError, *parts):
            call(points, 1, **given)


def test_memory_limit():
    with raises_sentence(MemoryError, "1000 bytes"):
        nearest_neighbors(NUMBERS["wide"], 3, metric="manhattan", memory_limit=1000)
    with raises_sentence(MemoryError, "storing 4000000 neighbours", "smaller radius"):
        points = np.random.default_rng(0).random((2000, 2))
        options = {"metric": "manhattan", "include_self": True, "memory_limit": 10**6}
        radius_neighbors_graph(points, 5.0, **options)
