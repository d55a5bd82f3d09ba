"""Weights of rows for HDBSCAN and DBSCANStar: w means w copies of the row."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from sklearn.cluster import DBSCAN
from sklearn.datasets import make_blobs

import checks
from hdbscan_support import OPTIONS, distances_of
from test_memory_limit import _least_limit
from warpgraph.cluster import HDBSCAN, DBSCANStar, mst_of_points

POINTS = make_blobs(150, centers=4, cluster_std=0.8, random_state=2)[0]
WEIGHTS = np.random.default_rng(5).integers(0, 5, len(POINTS))


@st.composite
def weighted_points(draw):
    """Draw points, some on a grid, and weights of which some are 0, but not all."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 40))
    points = (
        rng.normal(size=(n, 2)) * 2 if draw(st.booleans()) else rng.integers(0, 5, (n, 2)) * 1.0
    )
    weights = rng.integers(0, draw(st.integers(2, 9)), n)
    weights[rng.integers(n)] += 1
    return points, weights


def first_copies(weights):
    """Return the rows of positive weight, and the first copy of each."""
    rows = np.flatnonzero(weights)
    return rows, (np.cumsum(weights) - weights)[rows]


def assert_is_of_copies(values, of_copies, weights, none):
    rows, first = first_copies(weights)
    checks.assert_same_bits((values[rows],), (of_copies[first],))
    assert (np.delete(values, rows) == none).all()


@settings(max_examples=60)
@given(drawn=weighted_points(), size=st.integers(2, 9), samples=st.integers(1, 6), data=st.data())
def test_weights_are_numbers_of_copies(drawn, size, samples, data, device):
    points, weights = drawn
    options = {**OPTIONS[data.draw(st.sampled_from(list(OPTIONS)))], "device": device}
    options = {"min_samples": samples, **options}
    options["min_samples"] = min(options["min_samples"] or size, int(weights.sum()))
    model = HDBSCAN(size, **options).fit(points, sample_weight=weights)
    copies = HDBSCAN(size, **options).fit(np.repeat(points, weights, axis=0))
    for found, wanted in ((model, copies), (model.recluster(3), copies.recluster(3))):
        assert_is_of_copies(found.labels_, wanted.labels_, weights, -1)
        assert_is_of_copies(found.probabilities_, wanted.probabilities_, weights, 0)
        assert_is_of_copies(found.outlier_scores_, wanted.outlier_scores_, weights, 1)
        checks.assert_same_bits((found.cluster_persistence_,), (wanted.cluster_persistence_,))
        assert found.n_clusters_ == wanted.n_clusters_
    cuts = model.dbscan_clustering(1.0, 4), copies.dbscan_clustering(1.0, 4)
    assert_is_of_copies(*cuts, weights, -1)
    sweeps = model.sweep([2, 5]), copies.sweep([2, 5])
    for i in range(2):
        assert_is_of_copies(sweeps[0].labels[i], sweeps[1].labels[i], weights, -1)
        assert_is_of_copies(sweeps[0].probabilities[i], sweeps[1].probabilities[i], weights, 0)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_what_a_weighted_model_predicts(metric, device):
    model = HDBSCAN(8, 4, metric=metric, store_centers="both", device=device)
    copies = HDBSCAN(8, 4, metric=metric, store_centers="both", device=device)
    model.fit(POINTS, sample_weight=WEIGHTS.astype(float).tolist())
    copies.fit(np.repeat(POINTS, WEIGHTS, axis=0))
    assert model.n_clusters_ > 1
    new = POINTS + 0.05
    checks.assert_same_bits(model.approximate_predict(new), copies.approximate_predict(new))
    checks.assert_same_bits((model.membership_vector(new),), (copies.membership_vector(new),))
    found, wanted = (m.all_points_membership_vectors() for m in (model, copies))
    rows, first = first_copies(WEIGHTS)
    checks.assert_same_bits((found[rows],), (wanted[first],))
    assert not np.delete(found, rows, axis=0).any()
    checks.assert_same_bits(
        (model.centroids_, model.medoids_), (copies.centroids_, copies.medoids_)
    )
    checks.assert_same_bits(tuple(model.exemplars_), tuple(copies.exemplars_))
    again = pickle.loads(pickle.dumps(model))
    checks.assert_same_bits((again.recluster(5).labels_,), (model.recluster(5).labels_,))
    assert len(model.fit(POINTS).outlier_scores_) == len(POINTS)  # the weights are of one fit


@settings(max_examples=60)
@given(
    drawn=weighted_points(),
    samples=st.integers(1, 9),
    eps=st.sampled_from([0.0, 0.5, 1.0, 1.5, np.inf]),
)
def test_weighted_core_points(drawn, samples, eps, device):
    points, weights = drawn
    model = DBSCANStar(eps, min_samples=samples, device=device).fit(points, sample_weight=weights)
    copies = DBSCANStar(eps, min_samples=samples).fit(np.repeat(points, weights, axis=0))
    for found, wanted in ((model, copies), (model.recut(0.7), copies.recut(0.7))):
        assert_is_of_copies(found.labels_, wanted.labels_, weights, -1)
        assert_is_of_copies(found.core_distances_, wanted.core_distances_, weights, np.inf)
        assert found.n_clusters_ == wanted.n_clusters_
    if 0 < eps < np.inf:
        # For DBSCAN, a point of weight 0 may be a core point.
        theirs = DBSCAN(eps, min_samples=samples).fit(points, sample_weight=weights)
        cores = theirs.core_sample_indices_
        assert model.core_sample_indices_.tolist() == cores[weights[cores] > 0].tolist()
    assert len(model.mst_.edges) < max(1, np.minimum(weights, samples).sum())


def test_large_weights_take_few_copies_of_core_points():
    model = DBSCANStar(0.5, min_samples=4).fit(POINTS, sample_weight=np.full(len(POINTS), 10**9))
    assert len(model.core_sample_indices_) == len(POINTS)
    assert model.mst_.n_vertices == 4 * len(POINTS)


def test_missing_rows_have_weights():
    points = np.where(np.arange(len(POINTS))[:, None] % 9 == 3, np.nan, POINTS)
    model = HDBSCAN(8, 4).fit(points, sample_weight=WEIGHTS)
    copies = HDBSCAN(8, 4).fit(np.repeat(points, WEIGHTS, axis=0))
    assert_is_of_copies(model.labels_, copies.labels_, WEIGHTS, -1)
    assert_is_of_copies(model.outlier_scores_, copies.outlier_scores_, WEIGHTS, 1)


@pytest.mark.parametrize("model", [HDBSCAN(3), DBSCANStar(1.0)], ids=["HDBSCAN", "DBSCANStar"])
@pytest.mark.parametrize(
    ("weights", "error", "sentence"),
    [
        ([1.0, 2, 0.5], ValueError, "whole numbers.* got 0.5 for row 2"),
        ([1, -1, 1], ValueError, "at least 0, got -1.0 for row 1"),
        ([1, np.nan, 1], ValueError, "got nan for row 1"),
        ([1, 1], ValueError, "each of the 3 points"),
        ([0, 0, 0], ValueError, "zero for all 3"),
        (["a", "b", "c"], TypeError, "real numbers"),
    ],
)
def test_weights_that_are_refused(model, weights, error, sentence):
    with pytest.raises(error, match=sentence):
        model.fit([[0.0], [1.0], [5.0]], sample_weight=weights)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_of_a_matrix_of_distances(dtype):
    distances, weights = distances_of(POINTS[:60]).astype(dtype), WEIGHTS[:60]
    np.fill_diagonal(distances, np.nan)  # it is not read
    alike = distances_of(np.repeat(POINTS[:60], weights, axis=0)).astype(dtype)
    options = {"metric": "precomputed", "device": "cpu"}
    for make, names in (
        (HDBSCAN(5, 3, **options), {"labels_": -1, "probabilities_": 0, "outlier_scores_": 1}),
        (DBSCANStar(1.0, min_samples=3, **options), {"labels_": -1, "core_distances_": np.inf}),
    ):
        copies = {name: getattr(make.fit(alike), name) for name in names}
        make.fit(distances, sample_weight=weights)
        for name, none in names.items():
            assert_is_of_copies(getattr(make, name), copies[name], weights, none)


def test_graphs_have_no_weights():
    graph = sp.csr_array(distances_of(POINTS[:20]))
    for model in (HDBSCAN(3, metric="precomputed"), DBSCANStar(1.0, metric="precomputed")):
        with pytest.raises(ValueError, match="sample_weight needs points or a full matrix"):
            model.fit(graph, sample_weight=np.ones(20))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
@pytest.mark.parametrize("estimator", [HDBSCAN, DBSCANStar])
def test_copies_count_in_the_limit_of_the_whole_fit(estimator, metric):
    rng = np.random.default_rng(1)
    points, weights = rng.random((400, 2)), rng.integers(1, 4, 400)
    X = points if metric != "precomputed" else distances_of(points)
    rows = np.repeat(np.arange(400), weights)
    copies = X[rows] if metric != "precomputed" else np.ascontiguousarray(X[np.ix_(rows, rows)])

    def least(X, **how):
        def fit(X, limit):
            model = estimator(min_samples=5, metric=metric, device="cpu", memory_limit=limit)
            model.fit(X, **how)

        return _least_limit(X, fit)

    assert least(X, sample_weight=weights) == least(copies) + copies.nbytes


def test_limits_of_copies():
    with pytest.raises(ValueError, match="adds up to 3000000000 copies; at most 2147483647"):
        HDBSCAN(3).fit([[0.0], [1.0], [2.0]], sample_weight=[1e9] * 3)
    with pytest.raises(ValueError, match=r"adds up to 3e\+300 copies"):
        HDBSCAN(3).fit([[0.0], [1.0], [2.0]], sample_weight=[1e300] * 3)
    with pytest.raises(MemoryError, match=r"copying rows.*pass smaller weights"):
        HDBSCAN(3, memory_limit="1 MB").fit([[0.0], [1.0], [2.0]], sample_weight=[1e6] * 3)
    out = np.empty(3, np.int32), np.empty(3)
    with pytest.raises(ValueError, match="out has no place for the copies"):
        HDBSCAN(2).fit([[0.0], [1.0], [2.0]], sample_weight=[1, 2, 1], out=out)
    model = HDBSCAN(2).fit([[0.0], [1.0], [2.0]], sample_weight=[1, 2, 1])
    with pytest.raises(ValueError, match="out has no place for the copies"):
        model.sweep([2], out=(np.empty((1, 3), np.int32), np.empty((1, 3))))


def test_copies_are_points_and_a_forest_needs_no_samples():
    points = [[9.0], [0], [5], [9], [5], [4]]
    assert HDBSCAN(2, 2).fit(points).labels_.tolist() == [0, 1, 1, 0, 1, 1]
    with pytest.raises(ValueError, match=r"min_samples=7 .* n_samples=6"):
        HDBSCAN(2, 7).fit(points)
    with pytest.raises(ValueError, match=r"min_samples=7 .* n_samples=6"):
        HDBSCAN(2, 7).fit(points[:3], sample_weight=[1, 2, 3])
    assert HDBSCAN(2, 6).fit(points[:3], sample_weight=[1, 2, 3]).labels_.tolist() == [-1] * 3
    forest = mst_of_points(points)
    assert HDBSCAN(2, 7).fit(forest).n_clusters_ == HDBSCAN(2, 2).fit(forest).n_clusters_
