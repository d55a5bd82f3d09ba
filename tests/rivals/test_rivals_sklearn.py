"""scikit-learn's own tests of HDBSCAN, DBSCAN and KMeans call those of wg.cluster."""

import numpy as np
import pytest

import rivals_support

pytest.importorskip("sklearn.cluster.tests", reason="scikit-learn is installed without its tests")
test_dbscan = pytest.importorskip("sklearn.cluster.tests.test_dbscan")
test_hdbscan = pytest.importorskip("sklearn.cluster.tests.test_hdbscan")
test_k_means = pytest.importorskip("sklearn.cluster.tests.test_k_means")


@pytest.fixture
def global_random_seed():
    """A seed, as scikit-learn's own conftest.py has it."""
    return 42


@pytest.fixture(params=[np.float32, np.float64])
def global_dtype(request):
    """A type of points, as scikit-learn's own conftest.py has it."""
    return request.param


rivals_support.collect(test_dbscan, globals())
# One test takes a metric by the order of a set, which changes from run to run.
rivals_support.collect(test_hdbscan, globals(), leave_out=["test_hdbscan_tree_invalid_metric"])
# Not the tests of other classes and of functions.
rivals_support.collect(
    test_k_means,
    globals(),
    without=[test_k_means.MiniBatchKMeans],
    leave_out=[
        "test_euclidean_distance",
        "test_inertia",
        "test_is_same_clustering",
        "test_k_means_function",
        "test_kmeans_plusplus",
        "test_minibatch",
        "test_relocate_empty_clusters",
    ],
)
del test_dbscan, test_hdbscan, test_k_means


@pytest.fixture(autouse=True)
def swapped(request, monkeypatch):
    """Let scikit-learn's names mean ours."""
    rivals_support.swap(request, monkeypatch, "scikit-learn")
