"""RobustSingleLinkage is hdbscan's, exact and with one meaning of k."""

import hdbscan
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks

import warpgraph as wg
from checks import raises_sentence, same_partition
from warpgraph.cluster import RobustSingleLinkage

POINTS = np.random.default_rng(0).normal(size=(300, 3))


@parametrize_with_checks(
    [
        RobustSingleLinkage(),
        RobustSingleLinkage(metric="manhattan"),
        RobustSingleLinkage(metric="precomputed"),
    ],
    expected_failed_checks=lambda estimator: (
        {
            "check_estimators_nan_inf": "inf between two points says that no edge joins them",
            "check_clustering": "the check passes points to what takes distances",
        }
        if estimator.metric == "precomputed"
        else {}
    ),
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def by_definition(distances, cut, k, alpha, gamma):
    """Return labels: components of the pairs below the cut, and -1 for small ones."""
    cores = np.sort(distances, axis=1)[:, k - 1]
    reach = np.maximum(distances / alpha, np.maximum.outer(cores, cores))
    _, parts = connected_components(sp.csr_array((reach < cut).astype(int)))
    return np.where(np.bincount(parts)[parts] >= gamma, parts, -1)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
@pytest.mark.parametrize("cut", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("gamma", [1, 5])
def test_equals_its_definition(metric, cut, gamma):
    distances = cdist(POINTS, POINTS, metric)
    found = RobustSingleLinkage(cut, 5, gamma=gamma, metric=metric).fit(POINTS)
    wanted = by_definition(distances, cut, 5, 2**0.5, gamma)
    assert same_partition(found.labels_, wanted)
    np.testing.assert_array_equal(found.labels_ < 0, wanted < 0)
    assert found.n_clusters_ == len({*found.labels_[found.labels_ >= 0].tolist()})
    again = found.cluster_hierarchy_.get_clusters(cut, gamma)
    np.testing.assert_array_equal(again, found.labels_)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("cut", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("gamma", [1, 5])
def test_equals_hdbscans(cut, gamma):
    """By the algorithm that sorts edges before it joins them: the others return other clusters."""
    given = {"cut": cut, "gamma": gamma, "alpha": 1.0}
    theirs = hdbscan.RobustSingleLinkage(k=5, algorithm="generic", **given).fit(POINTS)
    found = RobustSingleLinkage(k=6, **given).fit(POINTS)  # counts the point itself
    assert same_partition(found.labels_, theirs.labels_)
    by_prim = hdbscan.RobustSingleLinkage(cut, 5, algorithm="prims_kdtree").fit(POINTS)
    heights = np.sort(by_prim.cluster_hierarchy_.to_numpy()[:, 2])
    found = RobustSingleLinkage(cut, 5).fit(POINTS)
    np.testing.assert_allclose(found.mst_.weights, heights, rtol=1e-12)


def test_distances_and_graphs():
    distances = cdist(POINTS, POINTS)
    wanted = RobustSingleLinkage(0.5, 4, gamma=3).fit(POINTS)
    for given in (distances, sp.csr_array(distances), wg.Graph(distances)):
        found = RobustSingleLinkage(0.5, 4, gamma=3, metric="precomputed").fit(given)
        np.testing.assert_array_equal(found.labels_, wanted.labels_)
        np.testing.assert_allclose(found.mst_.weights, wanted.mst_.weights, rtol=1e-12)
    found = RobustSingleLinkage(0.5, 4, alpha=1, gamma=3, metric="precomputed").fit(distances)
    wanted = by_definition(distances, 0.5, 4, 1, 3)
    assert same_partition(found.labels_, wanted)


def test_noise_does_not_join_blobs_and_missing_rows_are_noise():
    points, labels = make_blobs(400, 2, centers=3, cluster_std=0.3, random_state=4)
    noise = np.random.default_rng(1).uniform(points.min(0), points.max(0), (30, 2))
    given = np.r_[points, noise, [[np.nan, 0]]]
    found = RobustSingleLinkage(0.4, 10, gamma=20).fit(given)
    assert same_partition(
        found.labels_[:400][found.labels_[:400] >= 0], labels[found.labels_[:400] >= 0]
    )
    assert found.n_clusters_ == 3
    assert found.labels_[-1] == -1
    assert clone(found).get_params() == found.get_params()


BAD = [
    ({"cut": -1}, ValueError, ("cut", -1)),
    ({"k": 0}, ValueError, ("k must be at least 1", 0)),
    ({"gamma": 0}, ValueError, ("gamma must be at least 1", 0)),
    ({"alpha": 0.5}, ValueError, ("alpha must be at least 1", 0.5)),
    ({"metric": "near"}, ValueError, ("metric", "near")),
    ({"memory_limit": 100}, MemoryError, ("100 bytes",)),
    ({"device": "cuda:63"}, wg.DeviceError, ("cuda:63",)),
]


@pytest.mark.parametrize(("options", "error", "parts"), BAD)
def test_bad_parameters(options, error, parts):
    with raises_sentence(error, *parts):
        RobustSingleLinkage(**options).fit(POINTS)


def test_a_forest_has_no_neighbours():
    forest = wg.cluster.euclidean_mst(POINTS)
    with raises_sentence(TypeError, "SpanningForest"):
        RobustSingleLinkage(metric="precomputed").fit(forest)
