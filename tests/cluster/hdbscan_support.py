"""Points, distances and comparisons for the tests of HDBSCAN on devices."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial import distance
from sklearn.datasets import make_blobs, make_moons

import checks
import warpgraph as wg
from warpgraph import _core

over_gpus = pytest.mark.parametrize("gpu", wg.devices()[1:2])
ROWS = ("linkage_", "labels_", "probabilities_", "cluster_persistence_", "outlier_scores_")
PARTS = ("point_clusters", "point_lambdas", "parents", "births", "deaths", "sizes", "stabilities")

OPTIONS = {
    "default": {},
    "leaf": {"cluster_selection_method": "leaf"},
    "single cluster": {"allow_single_cluster": True},
    "large clusters passed over": {"max_cluster_size": 40},
    "epsilon": {"cluster_selection_epsilon": 0.5, "allow_single_cluster": True},
    "clusters that begin far apart passed over": {"cluster_selection_epsilon_max": 0.7},
    "short clusters merged": {"cluster_selection_persistence": 0.3},
    "divided distances": {"alpha": 1.3, "min_samples": 2},
}


def families():
    rng = np.random.default_rng(8)
    n = 1_500 if checks.EMULATED else 30_000
    grid = np.stack(np.meshgrid(np.arange(20.0), np.arange(15.0)), axis=-1).reshape(-1, 2)
    return {
        "blobs": make_blobs(n, centers=12, cluster_std=0.6, random_state=1)[0],
        "blobs, float32": make_blobs(n, centers=5, random_state=1)[0].astype(np.float32),
        "moons": make_moons(600, noise=0.06, random_state=3)[0],
        "noise in 3-D": rng.uniform(-3, 3, (n, 3)),
        "equal distances": grid,
        "identical points": np.repeat(rng.normal(size=(50, 2)), rng.integers(1, 12, 50), axis=0),
        "all identical": np.ones((40, 2)),
        "two points": np.array([[0.0], [1.0]]),
        "a chain": np.cumsum(np.arange(400.0) % 7 + np.arange(400.0) / 1000)[:, None],
    }


FAMILIES = families()


def assert_same(found, expected):
    checks.assert_same_bits((found,), (expected,))


def on_device(points, gpu):
    array = _core.device_array(points.shape, points.dtype, gpu)
    array.set(np.ascontiguousarray(points))
    return array


def assert_equal_models(found, wanted):
    assert found.n_clusters_ == wanted.n_clusters_
    for name in ROWS:
        assert_same(getattr(found, name), getattr(wanted, name))
    for name in PARTS:
        assert_same(getattr(found.condensed_tree_, name), getattr(wanted.condensed_tree_, name))
    assert_same(found.condensed_tree_.selected, wanted.condensed_tree_.selected)
    assert_same(found.mst_.edges, wanted.mst_.edges)
    assert_same(found.mst_.weights, wanted.mst_.weights)


SIZES = [2, 60, 5, 9, 5]


def assert_equal_sweeps(found, wanted, **options):
    """Compare all results of a sweep, also those that are written to arrays of the caller."""
    done = []
    expected = wanted.sweep(SIZES, **options)
    sweep = found.sweep(SIZES, progress=lambda *part: done.append(part), **options)
    checks.assert_same_bits(sweep, expected)
    assert done[-1] == (len(SIZES), len(SIZES))
    out = empty_results(expected.labels.shape)
    assert_same(found.sweep(SIZES, out=out, **options), expected.n_clusters)
    checks.assert_same_bits(out, (expected.labels, expected.probabilities))


def empty_results(shape, room=np.empty):
    return room(shape, np.dtype(np.int32)), room(shape, np.dtype(np.float64))


def results_on_device(shape, gpu):
    return empty_results(shape, lambda shape, kind: _core.device_array(shape, kind, gpu))


def distances_of(points):
    return distance.squareform(distance.pdist(points))


def nearest_pairs(points):
    """Return a graph of one component: each point's nearest neighbours, and those of the first."""
    full = distances_of(points)
    near = full <= np.sort(full, axis=1)[:, min(12, len(points) - 1), None]
    near[0] = True
    return sp.csr_array(np.where(near | near.T, full, 0))


def graph_of_integers(points):
    graph = nearest_pairs(points)
    return sp.csr_array((np.ceil(9 * graph.data).astype(np.int32), graph.indices, graph.indptr))


#: What `fit` takes instead of points, made of points.
DISTANCES = {
    "full matrix": distances_of,
    "full matrix, float32": lambda points: distances_of(points).astype(np.float32),
    "graph": nearest_pairs,
    "graph of integers": graph_of_integers,
    "wg.Graph": lambda points: wg.Graph(nearest_pairs(points)),
    "forest": lambda points: wg.minimum_spanning_forest(nearest_pairs(points)),
}
SMALL = {
    "blobs": make_blobs(300, centers=5, cluster_std=0.6, random_state=1)[0],
    "equal distances": FAMILIES["equal distances"][:120],
    "identical points": FAMILIES["identical points"],
    "two points": FAMILIES["two points"],
}


def with_missing(points):
    return np.where(np.arange(len(points))[:, None] == 7, np.nan, points)
