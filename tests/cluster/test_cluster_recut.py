"""recut and recluster return new estimators that share the tree; the fitted one stays as it is."""

import copy
import pickle
import sys
import threading

import matplotlib
import numpy as np
import pytest
import scipy.sparse
import scipy.spatial
from sklearn.base import clone

import checks
import graphs
import warpgraph as wg
from warpgraph.cluster import HDBSCAN, DBSCANStar, MSTClustering

matplotlib.use("agg")

BLOBS = graphs.blobs()[0]
RESULTS = ("labels_", "n_clusters_", "threshold_", "probabilities_", "core_sample_indices_")
OTHERS = {
    "MSTClustering": (MSTClustering(3), lambda model, k: model.recut(n_clusters=k)),
    "MSTClustering, distance": (
        MSTClustering(min_cluster_size=2),
        lambda model, k: model.recut(distance_threshold=0.1 * k, min_cluster_size=k),
    ),
    "DBSCANStar": (DBSCANStar(0.5, min_samples=3), lambda model, k: model.recut(0.1 * k)),
    "HDBSCAN": (HDBSCAN(5), lambda model, k: model.recluster(k, allow_single_cluster=True)),
    "HDBSCAN, persistence": (
        HDBSCAN(5, store_centers="both"),
        lambda model, k: model.recluster(cluster_selection_persistence=0.01 * k),
    ),
}
over_estimators = pytest.mark.parametrize(("estimator", "again"), OTHERS.values(), ids=OTHERS)


def results_of(model):
    return {name: getattr(model, name) for name in RESULTS if hasattr(model, name)}


def assert_same_results(found, wanted):
    found, wanted = results_of(found), results_of(wanted)
    assert found.keys() == wanted.keys()
    for name in found:
        np.testing.assert_array_equal(found[name], wanted[name])


@over_estimators
def test_the_fitted_estimator_stays_as_it_is(estimator, again, device):
    model = clone(estimator).set_params(device=device).fit(BLOBS)
    kept, parameters = copy.deepcopy(results_of(model)), model.get_params()
    before = dict(vars(model))
    finer = again(model, 7)
    assert finer is not model
    assert type(finer) is type(model)
    assert vars(model) == before
    assert model.get_params() == parameters != finer.get_params()
    for name, value in kept.items():
        np.testing.assert_array_equal(getattr(model, name), value)
    finer.labels_[:] = 99
    np.testing.assert_array_equal(model.labels_, kept["labels_"])


@over_estimators
def test_parameters_and_attributes_agree(estimator, again, device):
    model = clone(estimator).set_params(device=device).fit(BLOBS)
    for k in (2, 4, 9):
        other = again(model, k)
        assert_same_results(other, clone(other).fit(BLOBS))
        assert_same_results(other, again(other, k))
        for copied in (pickle.loads(pickle.dumps(other)), copy.deepcopy(other), copy.copy(other)):
            assert copied.get_params() == other.get_params()
            assert_same_results(copied, other)
            np.testing.assert_array_equal(copied.linkage_, other.linkage_)
    other.fit(BLOBS[:50])
    assert len(model.labels_) == len(BLOBS)


@over_estimators
def test_what_follows_from_the_tree_is_computed_once(estimator, again):
    model = clone(estimator).fit(BLOBS)
    others = [again(model, k) for k in (3, 5)]
    assert others[0].linkage_ is model.linkage_ is others[1].linkage_
    assert others[0].mst_ is model.mst_
    if isinstance(model, HDBSCAN):
        others[0].approximate_predict(BLOBS[:3])
        assert model._neighbours is others[1]._neighbours is not None


@over_estimators
def test_memory_is_not_doubled(estimator, again):
    """A new estimator has labels of its own, and what HDBSCAN condenses, but no tree."""
    points = wg.generators.random_points(20_000, 2, seed=0)
    model = clone(estimator).fit(points)
    _ = model.linkage_
    other = again(model, 7)
    arrays = {id(a): a.nbytes for a in held_by(other)}
    shared = {id(a) for a in held_by(model)}
    own = sum(size for i, size in arrays.items() if i not in shared)
    everything = sum(arrays.values())
    assert own < 40 * len(points) < everything / 1.5


def held_by(value, seen=None):
    """Return the arrays that an object refers to."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, (type, str, int, float)) or callable(value):
        return []
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return [value] if value.base is None else held_by(value.base, seen) or [value]
    if isinstance(value, (tuple, list)):
        return [a for item in value for a in held_by(item, seen)]
    items = value.values() if isinstance(value, dict) else getattr(value, "__dict__", {}).values()
    return [a for item in items for a in held_by(item, seen)]


@over_estimators
def test_threads_cut_one_tree(estimator, again):
    model = clone(estimator).fit(BLOBS)
    wanted = {k: again(model, k) for k in range(2, 12)}
    kept, failures = copy.deepcopy(results_of(model)), []

    def cut(k):
        try:
            for _ in range(5):
                other = again(model, k)
                assert_same_results(other, wanted[k])
                np.testing.assert_array_equal(other.linkage_, wanted[k].linkage_)
        except BaseException as error:
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=cut, args=(k,)) for k in wanted]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures
    for name, value in kept.items():
        np.testing.assert_array_equal(getattr(model, name), value)


def test_the_new_estimator_goes_on_by_itself():
    model = MSTClustering(n_clusters=2).fit([[0.0], [2.0], [9.0], [10.0]])
    finer = model.recut(n_clusters=3)
    assert finer.labels_.tolist() == [0, 1, 2, 2]
    assert finer.add_points([[50.0]]).labels_.tolist() == [0, 0, 1, 1, 2]
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.mst_.n_vertices == 4
    assert model.add_points([[11.0]]).labels_.tolist() == [0, 0, 1, 1, 1]
    assert (finer.n_clusters, model.n_clusters) == (3, 2)
    assert repr(finer) == "MSTClustering(n_clusters=3)"
    for drawn in (finer.plot_weights(), finer.plot_dendrogram(), finer.plot_tree()):
        assert drawn is not None
    graph = graphs.csr(3, [(0, 1, 1.0), (1, 2, 4.0)])
    of_graph = MSTClustering(metric="precomputed").fit(graph)
    one = of_graph.recut(n_clusters=1)
    assert one.add_edges(graphs.csr(4, [(2, 3, 1.0)])).labels_.tolist() == [0, 0, 0, 0]
    assert len(of_graph.labels_) == 3


def test_reclustered_models_predict_by_their_own_clusters():
    model = HDBSCAN(5, store_centers="centroid").fit(BLOBS)
    other = model.recluster(30)
    assert (other.min_cluster_size, other.min_samples, other.store_centers) == (30, 5, None)
    assert model.recluster(5).min_samples is None
    assert model.get_params() == HDBSCAN(5, store_centers="centroid").get_params()
    fresh = HDBSCAN(30, 5).fit(BLOBS)
    for found, wanted in zip(
        other.approximate_predict(BLOBS + 0.01),
        fresh.approximate_predict(BLOBS + 0.01),
        strict=True,
    ):
        checks.assert_same_bits(found, wanted)
    checks.assert_same_bits(other.membership_vector(BLOBS), fresh.membership_vector(BLOBS))
    checks.assert_same_bits(other.outlier_scores_, fresh.outlier_scores_)
    assert len(model.centroids_) == model.n_clusters_
    assert other.plot_condensed_tree() is not None


@pytest.mark.parametrize("gpu", wg.devices()[1:2])
def test_on_a_gpu(gpu):
    model = HDBSCAN(5, device=gpu).fit(BLOBS)
    others = {size: model.recluster(size) for size in (3, 30)}
    for size, other in {5: model, **others}.items():
        assert_same_results(other, HDBSCAN(size, 5, device="cpu").fit(BLOBS))
        assert other.mst_ is model.mst_
        assert other.linkage_ is model.linkage_


@over_estimators
def test_what_is_refused_changes_nothing(estimator, again):
    model = clone(estimator).fit(BLOBS)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=r"-0\.1|at least"):
        again(model, -1)
    assert vars(model) == before


@pytest.mark.parametrize("kind", ["full", "sparse", "Graph"])
def test_estimators_of_distances(kind):
    full = scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(BLOBS[:60]))
    sparse = scipy.sparse.csr_array(full)
    given = {"full": full, "sparse": sparse, "Graph": wg.Graph(sparse)}[kind]
    model = HDBSCAN(5, metric="precomputed").fit(given)
    again = model.recluster(8, cluster_selection_method="leaf")
    wanted = HDBSCAN(8, min_samples=5, cluster_selection_method="leaf", metric="precomputed")
    assert again.get_params() == wanted.get_params()
    assert_same_results(again, wanted.fit(given))
