"""HDBSCAN by every metric beside hdbscan's: the same clusters where no two weights are equal."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from warpgraph.cluster import HDBSCAN, RobustSingleLinkage

hdbscan = pytest.importorskip("hdbscan")

METRICS = [
    ("euclidean", {}),
    ("cosine", {}),
    ("manhattan", {}),
    ("chebyshev", {}),
    ("minkowski", {"p": 1.5}),
    ("minkowski", {"p": 3.0}),
    ("haversine", {}),
]
#: hdbscan's algorithms but "generic" take no cosine, and leave out the p of "minkowski".
BY_TREE = ("euclidean", "manhattan", "chebyshev", "haversine")


def points_of(metric, rng):
    """Return blobs that overlap, of float64, or places on a sphere."""
    n, d = int(rng.integers(20, 250)), int(rng.integers(1, 5))
    if metric == "haversine":
        return np.c_[rng.uniform(-1.5, 1.5, n), rng.uniform(-3.1, 3.1, n)]
    d += metric == "cosine"
    return rng.normal(size=(n, d)) + rng.integers(0, 3, (n, 1)) * rng.uniform(0, 4)


def distances_by(metric, points, **options):
    """Return all distances, without this package."""
    if metric != "haversine":
        name = "cityblock" if metric == "manhattan" else metric
        return squareform(pdist(points, name, **options))
    latitude, longitude = points.T
    by_latitude = np.sin((latitude[:, None] - latitude) / 2) ** 2
    cosines = np.cos(latitude[:, None]) * np.cos(latitude)
    return 2 * np.arcsin(
        np.sqrt(by_latitude + cosines * np.sin((longitude[:, None] - longitude) / 2) ** 2)
    )


def assert_same_clusters(found, wanted):
    """Compare labels but for their numbers, and probabilities."""
    pairs = set(zip(found.labels_.tolist(), wanted.labels_.tolist(), strict=True))
    assert len(pairs) == len({mine for mine, _ in pairs}) == len({their for _, their in pairs})
    assert all((mine == -1) == (their == -1) for mine, their in pairs)
    np.testing.assert_allclose(found.probabilities_, wanted.probabilities_, atol=1e-6)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("metric", "options"), METRICS)
def test_clusters_are_those_of_hdbscan_without_ties(metric, options, seed):
    """A core distance to the nearest neighbour is no weight of several edges."""
    rng = np.random.default_rng([seed, 69])
    points, size = points_of(metric, rng), int(rng.integers(2, 15))
    found = HDBSCAN(size, 2, metric=metric, **options).fit(points)
    assert (np.diff(found.mst_.weights) > 0).all()
    by_all = hdbscan.HDBSCAN(size, 1, metric="precomputed")
    assert_same_clusters(found, by_all.fit(distances_by(metric, points, **options)))
    if metric in BY_TREE:
        by_tree = hdbscan.HDBSCAN(size, 1, metric=metric, approx_min_span_tree=False)
        assert_same_clusters(found, by_tree.fit(points))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("metric", "options"), METRICS)
def test_heights_are_those_of_hdbscan_with_ties(metric, options, seed):
    """Of several lightest trees, all have the same weights."""
    rng = np.random.default_rng([seed, 70])
    points, samples = points_of(metric, rng), int(rng.integers(3, 15))
    weights = HDBSCAN(5, samples, metric=metric, **options).fit(points).mst_.weights
    by_all = hdbscan.HDBSCAN(5, samples - 1, metric="precomputed")
    by_all.fit(distances_by(metric, points, **options))
    heights = by_all.single_linkage_tree_.to_numpy()[:, 2]
    np.testing.assert_allclose(weights, heights, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("metric", "options"), METRICS)
def test_robust_single_linkage_is_hdbscans(metric, options, seed):
    rng = np.random.default_rng([seed, 71])
    points, k, gamma = points_of(metric, rng), int(rng.integers(2, 9)), int(rng.integers(1, 6))
    distances = distances_by(metric, points, **options)
    cut = float(np.quantile(distances, rng.uniform(0.01, 0.4)))
    found = RobustSingleLinkage(cut, k, 1.0, gamma, metric=metric, **options).fit(points)
    # Of precomputed distances, hdbscan's k does not count the point itself.
    wanted = hdbscan.RobustSingleLinkage(cut, k - 1, 1.0, gamma, metric="precomputed")
    wanted.fit(distances)
    pairs = set(zip(found.labels_.tolist(), wanted.labels_.tolist(), strict=True))
    assert len(pairs) == len({mine for mine, _ in pairs}) == len({their for _, their in pairs})
