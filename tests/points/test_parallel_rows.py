"""A distance that is 0 by definition is 0: of parallel rows, and of one place on the sphere."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

import warpgraph as wg
from warpgraph.cluster import (
    HDBSCAN,
    DBSCANStar,
    MSTClustering,
    RobustSingleLinkage,
    core_distances,
    kneighbors_graph,
    mst_of_points,
    nearest_neighbors,
    radius_neighbors_graph,
    single_linkage,
    validity_index,
)

MULTIPLES = np.arange(1.0, 31)[:, None]
TWO_DIRECTIONS = np.r_[MULTIPLES * [1, 2, 3], MULTIPLES * [3, 1, 0]]
FACTORS = [3.0, 2.0**-60, 2.0**40, 0.1, 1 / 3, 1e-200, 1e200]


def random_factors(n, seed=0):
    return 10 ** np.random.default_rng(seed).uniform(-9, 9, (n, 1))


def answers(points, device="cpu"):
    """Return everything that is found by cosine, as arrays."""
    by = {"metric": "cosine", "device": device}
    k = min(5, len(points))
    found = list(nearest_neighbors(points, k, **by))
    graph = kneighbors_graph(points, k - 1, mode="distance", **by)
    within = radius_neighbors_graph(points, 0.3, mode="distance", metric="cosine")
    for csr in (graph, within):
        found += [csr.indptr, csr.indices, csr.data]
    for tree in (mst_of_points(points, **by), mst_of_points(points, min_samples=k, **by)):
        found += [tree.edges, tree.weights]
    found += [core_distances(points, k, **by), single_linkage(points, **by)]
    model = HDBSCAN(3, min_samples=k, **by).fit(points)
    found += [model.labels_, model.probabilities_, model.outlier_scores_]
    found += [*model.approximate_predict(points[::-1]), model.approximate_predict_scores(points)]
    found += [DBSCANStar(0.05, min_samples=3, **by).fit(points).labels_]
    found += [RobustSingleLinkage(0.05, k, gamma=2, **by).fit(points).labels_]
    found += [MSTClustering(None, 0.1, cut=None, **by).fit(points).labels_]
    found += [np.array(validity_index(points, np.arange(len(points)) % 2, metric="cosine"))]
    return found


def assert_same(found, wanted):
    for here, there in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(here, there)


def test_multiples_of_two_directions(device):
    for factor in (1.0, *FACTORS):
        model = HDBSCAN(5, metric="cosine", device=device).fit(TWO_DIRECTIONS * factor)
        assert np.bincount(model.labels_ + 1).tolist() == [0, 30, 30]
        found = nearest_neighbors(TWO_DIRECTIONS * factor, 30, metric="cosine", device=device)
        assert (found.distances == 0).all()


def test_counts_of_words():
    """Five texts, repeated 1 to 29 times."""
    texts = np.random.default_rng(4).integers(0, 7, (5, 12)) + np.eye(5, 12)
    counts = np.repeat(np.arange(1, 30), 5)[:, None] * np.tile(texts, (29, 1))
    labels = HDBSCAN(5, metric="cosine").fit(counts).labels_
    np.testing.assert_array_equal(labels, np.tile(np.arange(5), 29))
    frequencies = counts / counts.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(HDBSCAN(5, metric="cosine").fit(frequencies).labels_, labels)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_factors_of_integers_change_no_answer(dtype, device):
    points = np.random.default_rng(5).integers(-4, 9, (120, 3)).astype(dtype)
    points[:, 0] += 5
    points[60:] = points[:60] * dtype(3)
    wanted = answers(points, device)
    factors = [*FACTORS, random_factors(len(points))]
    for factor in factors:
        if dtype is np.float64 or 1e-30 < np.min(factor) <= np.max(factor) < 1e30:
            assert_same(answers(points * dtype(factor), device), wanted)


@given(
    arrays.arrays(
        np.int64, st.tuples(st.integers(5, 30), st.integers(1, 4)), elements=st.integers(-9, 9)
    ),
    st.floats(1e-200, 1e200),
    st.integers(0, 99),
)
def test_factors_of_drawn_integers(points, factor, seed):
    points = points[points.any(axis=1)]
    if len(points) < 5:
        return
    wanted = answers(points)
    assert_same(answers(points * factor), wanted)
    assert_same(answers(points * random_factors(len(points), seed)), wanted)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("d", [1, 2, 8, 100])
def test_multiples_of_floats(dtype, d):
    rng = np.random.default_rng(d)
    rows = rng.normal(size=(30, d)).astype(dtype)
    copies = np.concatenate([rows * dtype(f) for f in rng.uniform(0.01, 100, 20)])
    units = nearest_neighbors(copies, 20, metric="cosine")
    assert (units.distances == 0).all()
    queries = nearest_neighbors(copies, 20, queries=rows * dtype(0.37), metric="cosine")
    assert (queries.distances == 0).all()
    assert (np.sort(queries.indices % 30, axis=1) == np.arange(30)[:, None]).all() or d == 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_order_of_rows_does_not_matter(dtype):
    rng = np.random.default_rng(6)
    rows = rng.normal(size=(40, 3)).astype(dtype)
    points = np.concatenate([rows * dtype(f) for f in rng.uniform(0.1, 9, 10)])
    wanted = core_distances(points, 15, metric="cosine")
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(points))
        found = core_distances(points[order], 15, metric="cosine")
        np.testing.assert_array_equal(found, wanted[order])


def test_small_angles_are_kept():
    angles = np.array([0, 1e-14, 3e-14, 7e-13, 1e-9, 1e-3])
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    found = nearest_neighbors(points, len(angles), metric="cosine").distances[0]
    np.testing.assert_allclose(found, angles**2 / 2, rtol=1e-5)
    tiny = np.array([[1, 1e-150], [1, 2e-150], [2, 4e-150]])
    found = nearest_neighbors(tiny, 3, metric="cosine").distances[1]
    np.testing.assert_allclose(found, [0, 0, 5e-301], rtol=1e-12)


@pytest.mark.parametrize("poles", [np.float64, np.float32])
def test_places(poles, device):
    rng = np.random.default_rng(7)
    latitude, longitude = rng.uniform(-1.5, 1.5, 300), rng.uniform(0, 2 * np.pi, 300)
    places = np.stack([latitude, longitude], axis=1)
    other = np.stack([latitude, longitude - 2 * np.pi], axis=1)
    both = np.r_[places, other, places]
    by = {"metric": "haversine", "device": device}
    assert (nearest_neighbors(both, 3, **by).distances == 0).all()
    assert (mst_of_points(both, **by).weights[:600] == 0).all()
    found = nearest_neighbors(places, 1, queries=other, metric="haversine")
    np.testing.assert_array_equal(found.indices[:, 0], np.arange(300))
    assert (found.distances == 0).all()
    degrees = np.random.default_rng(8).uniform(0, 360, 300)
    both = np.stack([np.tile(latitude, 2), np.radians(np.r_[degrees, degrees - 360])], axis=1)
    assert (nearest_neighbors(both, 2, **by).distances == 0).all()
    at_pole = np.stack([np.repeat([np.pi / 2, -np.pi / 2], 9), np.linspace(-9, 9, 18)], axis=1)
    found = nearest_neighbors(at_pole.astype(poles), 9, **by)
    assert (found.distances == 0).all()


def test_places_that_differ_are_kept():
    longitudes = np.array([1, 1 + 1e-13, 1 + 1e-10])
    places = np.stack([np.zeros(3), longitudes], axis=1)
    found = nearest_neighbors(places, 3, metric="haversine").distances[0]
    np.testing.assert_allclose(found, longitudes - 1, rtol=1e-3)


def test_one_dimension():
    points = np.array([[0.1], [0.3], [7.7], [-1e-300], [-3.3], [-2e200]])
    found = nearest_neighbors(points, 6, metric="cosine")
    assert found.distances.tolist() == [[0, 0, 0, 2, 2, 2]] * 6
    assert validity_index(points, [0, 0, 0, 1, 1, 1], metric="cosine") == 1
    assert validity_index(points * 3, [0, 0, 1, 1, 0, 1], metric="cosine") == validity_index(
        np.sign(points), [0, 0, 1, 1, 0, 1], metric="cosine"
    )


def test_missing_rows_are_left_out():
    points = np.r_[TWO_DIRECTIONS, [[np.nan, 1, 2]]]
    for factor in FACTORS:
        labels = HDBSCAN(5, metric="cosine").fit(points * factor).labels_
        assert np.bincount(labels + 1).tolist() == [1, 30, 30]


def test_a_query_does_not_depend_on_others():
    fitted = np.random.default_rng(1).normal(size=(50, 2))
    queries = np.array([[1.0, 0.7 + i * 2e-16] for i in range(40)])
    together = nearest_neighbors(fitted, 3, queries=queries, metric="cosine").distances
    for query, found in zip(queries, together, strict=True):
        alone = nearest_neighbors(fitted, 3, queries=query[None], metric="cosine").distances
        np.testing.assert_array_equal(alone[0], found)


def test_equal_on_all_numbers_of_threads():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(3000, 2)).astype(np.float32)
    points = np.r_[rows, rows * np.float32(0.1), rows * np.float32(3.7)]
    found = []
    for threads in (1, 4):
        wg.set_num_threads(threads)
        found.append(nearest_neighbors(points, 4, metric="cosine"))
    wg.set_num_threads(0)
    for one, four in zip(*found, strict=True):
        np.testing.assert_array_equal(one, four)
