"""KNeighborsTransformer is scikit-learn's, and its graphs are those that other tools take."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import cluster, manifold, neighbors
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import warpgraph as wg
from checks import raises_sentence, same_partition
from warpgraph.cluster import HDBSCAN, KNeighborsTransformer, MSTClustering, nearest_neighbors

POINTS, LABELS = make_blobs(400, 4, centers=5, cluster_std=0.4, random_state=2)
OTHERS = make_blobs(60, 4, centers=5, cluster_std=3, random_state=3)[0]


@parametrize_with_checks(
    [
        KNeighborsTransformer(n_neighbors=2),
        KNeighborsTransformer(n_neighbors=2, mode="connectivity"),
        KNeighborsTransformer(n_neighbors=2, metric="manhattan"),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize(
    "metric", ["euclidean", "cosine", "manhattan", "l1", "chebyshev", "minkowski"]
)
def test_equals_scikit_learns(mode, metric):
    options = {"n_neighbors": 6, "mode": mode, "metric": metric, "p": 3}
    ours = KNeighborsTransformer(**options).fit(POINTS)
    theirs = neighbors.KNeighborsTransformer(**options).fit(POINTS)
    for points in (POINTS, OTHERS):
        found, wanted = ours.transform(points), theirs.transform(points)
        assert found.shape == wanted.shape
        np.testing.assert_array_equal(found.indptr, wanted.indptr)
        np.testing.assert_array_equal(found.indices, wanted.indices)
        np.testing.assert_allclose(found.data, wanted.data, rtol=1e-7, atol=1e-15)
    np.testing.assert_array_equal(
        ours.get_feature_names_out(), [f"kneighborstransformer{i}" for i in range(len(POINTS))]
    )


def test_fit_transform_is_transform_of_the_same_points():
    transformer = KNeighborsTransformer(7)
    at_once = transformer.fit_transform(POINTS)
    after = transformer.transform(POINTS)
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(at_once, part), getattr(after, part))


def test_of_copies_each_has_itself_first():
    points = np.repeat(POINTS[:20], 10, axis=0)
    graph = KNeighborsTransformer(3).fit_transform(points)
    rows = graph.indices.reshape(-1, 4)
    np.testing.assert_array_equal(rows[:, 0], np.arange(200))
    assert not graph.data.any()


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
@pytest.mark.parametrize(
    ("estimator", "is_same"),
    [
        (cluster.DBSCAN(eps=2.0, min_samples=5, metric="precomputed"), True),
        (cluster.SpectralClustering(5, affinity="precomputed_nearest_neighbors"), True),
        (HDBSCAN(10, 5, metric="precomputed"), True),
        (MSTClustering(5, metric="precomputed"), True),
        (manifold.Isomap(metric="precomputed", n_neighbors=8), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_in_a_pipeline(estimator, is_same):
    if hasattr(estimator, "random_state"):
        estimator.set_params(random_state=0)
    if not is_same:
        points = make_blobs(100, 3, centers=1, random_state=0)[0]
        chain = make_pipeline(KNeighborsTransformer(9), estimator)
        assert chain.fit_transform(points).shape == (100, 2)
        return
    chain = make_pipeline(KNeighborsTransformer(70), estimator)
    assert same_partition(chain.fit_predict(POINTS), LABELS)


def test_classifies_new_points_of_a_pipeline():
    chain = make_pipeline(
        KNeighborsTransformer(8), neighbors.KNeighborsClassifier(5, metric="precomputed")
    )
    wanted = neighbors.KNeighborsClassifier(5).fit(POINTS, LABELS).predict(OTHERS)
    np.testing.assert_array_equal(chain.fit(POINTS, LABELS).predict(OTHERS), wanted)
    grid = {"kneighborstransformer__metric": ["euclidean", "manhattan"]}
    assert GridSearchCV(chain, grid, cv=3).fit(POINTS, LABELS).best_score_ == 1


def test_what_umap_learn_and_scanpy_take():
    """umap-learn: arrays whose first column is the point itself; scanpy: as many entries a row."""
    indices, distances = found = nearest_neighbors(POINTS, 15)
    assert isinstance(found, tuple)
    np.testing.assert_array_equal(indices[:, 0], np.arange(400))
    assert (distances[:, 0] == 0).all()
    assert (np.diff(distances) >= 0).all()
    graph = KNeighborsTransformer(14).fit_transform(POINTS)
    assert isinstance(graph, sp.csr_matrix)  # scanpy refuses arrays
    assert (np.diff(graph.indptr) == 15).all()  # with the explicit zero of the point itself
    np.testing.assert_array_equal(graph.indices.reshape(-1, 15), indices)


def test_clone_pickle_and_data_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(POINTS, columns=list("abcd"))
    model = KNeighborsTransformer(3, metric="cosine").fit(frame)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert model.n_features_in_ == 4
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(frame).data, model.transform(frame).data)


def test_bad_input():
    with raises_sentence(ValueError, "n_neighbors must be at least 1", 0):
        KNeighborsTransformer(0).fit(POINTS)
    with raises_sentence(ValueError, "n_neighbors must be at most 399", "n_samples = 400", 400):
        KNeighborsTransformer(400).fit_transform(POINTS)
    with raises_sentence(ValueError, "mode", "near"):
        KNeighborsTransformer(mode="near").fit(POINTS)
    with raises_sentence(ValueError, "metric", "near"):
        KNeighborsTransformer(metric="near").fit(POINTS)
    with raises_sentence(MemoryError, "100 bytes"):
        KNeighborsTransformer(memory_limit=100).fit_transform(POINTS)
    with raises_sentence(wg.DeviceError, "cuda:63"):
        KNeighborsTransformer(device="cuda:63").fit(POINTS).transform(POINTS)
