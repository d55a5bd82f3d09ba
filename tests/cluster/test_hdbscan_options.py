"""HDBSCAN and DBSCANStar: parameters, errors, unusual input, scikit-learn's conventions."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn import cluster as sklearn_cluster
from sklearn.base import clone
from sklearn.cluster import DBSCAN
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks

import checks
import hdbscan_oracle
import warpgraph as wg
from warpgraph import _core
from warpgraph.cluster import HDBSCAN, DBSCANStar

BLOBS = make_blobs(200, centers=3, cluster_std=0.7, random_state=1)[0]
MOST = np.finfo(np.float64).max


def expected_failures(estimator):
    if estimator.metric == "cosine":
        return {"check_estimators_dtypes": "the check passes a row of zeros, without direction"}
    if estimator.metric == "precomputed":
        return {
            "check_estimators_nan_inf": "inf between two points says that no edge joins them",
            "check_clustering": "it passes points, also to an estimator that takes distances",
        }
    return {}


@parametrize_with_checks(
    [
        HDBSCAN(),
        HDBSCAN(3, cluster_selection_method="leaf", store_centers="both"),
        HDBSCAN(metric="cosine"),
        HDBSCAN(metric="precomputed"),
        DBSCANStar(),
        DBSCANStar(2.0, min_samples=2),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"min_cluster_size": 1}, ValueError, ("min_cluster_size", "at least 2", "1")),
        ({"min_cluster_size": 0}, ValueError, ("min_cluster_size", "at least 2", "0")),
        ({"min_cluster_size": 2.5}, TypeError, ("min_cluster_size", "2.5")),
        ({"min_samples": 0}, ValueError, ("min_samples", "0")),
        ({"min_samples": 2.5}, TypeError, ("min_samples", "2.5")),
        ({"max_cluster_size": 0}, ValueError, ("max_cluster_size", "0")),
        ({"metric": "euclid"}, ValueError, ("metric", "'euclid'", "'cosine'")),
        ({"alpha": 0.0}, ValueError, ("alpha", "above 0")),
        ({"alpha": "1"}, TypeError, ("alpha", "'1'")),
        ({"alpha": 10**400}, ValueError, ("alpha", "beyond the largest float")),
        ({"cluster_selection_method": "mass"}, ValueError, ("'eom', 'leaf'", "'mass'")),
        ({"cluster_selection_epsilon": -1.0}, ValueError, ("cluster_selection_epsilon", "-1")),
        ({"cluster_selection_epsilon": np.nan}, ValueError, ("epsilon", "nan")),
        ({"cluster_selection_persistence": -0.5}, ValueError, ("persistence", "-0.5")),
        (
            {"cluster_selection_epsilon": 2.0, "cluster_selection_epsilon_max": 1.0},
            ValueError,
            ("cluster_selection_epsilon_max=1", "cluster_selection_epsilon=2"),
        ),
        ({"allow_single_cluster": "no"}, TypeError, ("allow_single_cluster", "'no'")),
        ({"store_centers": "mean"}, ValueError, ("store_centers", "'mean'", "'medoid'")),
    ],
)
def test_bad_parameters(options, error, parts):
    with checks.raises_sentence(error, *parts):
        HDBSCAN(**options).fit(BLOBS)


def test_bad_input():
    with checks.raises_sentence(ValueError, "shape (200,)"):
        HDBSCAN().fit(BLOBS[:, 0])
    with checks.raises_sentence(ValueError, "row 7", "direction"):
        HDBSCAN(metric="cosine").fit(np.where(np.arange(200)[:, None] == 7, 0, BLOBS))
    with checks.raises_sentence(ValueError, "store_centers='medoid'", "distances"):
        HDBSCAN(metric="precomputed", store_centers="medoid").fit(cdist(BLOBS, BLOBS))
    with checks.raises_sentence(ValueError, "Negative", "-1"):
        HDBSCAN(metric="precomputed").fit(-np.ones((9, 9)) + np.eye(9))
    model = HDBSCAN().fit(BLOBS)
    with checks.raises_sentence(TypeError, "'epsilon'", "cluster_selection_epsilon"):
        model.recluster(epsilon=1.0)
    with checks.raises_sentence(ValueError, "min_cluster_sizes[1]", "at least 2"):
        model.sweep([5, 1])
    with checks.raises_sentence(ValueError, "cut_distance", "-1"):
        model.dbscan_clustering(-1)
    with checks.raises_sentence(ValueError, "eps", "nan"):
        DBSCANStar(np.nan).fit(BLOBS)
    with checks.raises_sentence(ValueError, "eps", "beyond the largest float"):
        DBSCANStar(10**400).fit(BLOBS)
    with checks.raises_sentence(AttributeError, "not fitted"):
        HDBSCAN().recluster()


def test_recluster_equals_a_new_fit():
    model = HDBSCAN(5, 4, store_centers="both").fit(BLOBS)
    tree, before = model.mst_, dict(vars(model))
    for size, options in (
        (10, {}),
        (3, {"cluster_selection_method": "leaf"}),
        (3, {"cluster_selection_epsilon": 0.5}),
        (3, {"cluster_selection_persistence": 0.3, "allow_single_cluster": True}),
        (4, {"max_cluster_size": 30, "cluster_selection_epsilon_max": 2.0}),
    ):
        again = HDBSCAN(size, 4, **options).fit(BLOBS)
        other = model.recluster(size, **options)
        assert other.get_params() == again.get_params()
        checks.assert_same_bits(other.labels_, again.labels_)
        checks.assert_same_bits(other.probabilities_, again.probabilities_)
        checks.assert_same_bits(other.outlier_scores_, again.outlier_scores_)
        assert other.n_clusters_ == again.n_clusters_
        assert not hasattr(other, "centroids_")
        assert other.mst_ is tree
        assert other.linkage_ is model.linkage_
    assert vars(model) == before
    checks.assert_same_bits(model.recluster().labels_, HDBSCAN(5, 4).fit(BLOBS).labels_)


def test_sweep_equals_reclustering(device):
    model = HDBSCAN(5, 4).fit(BLOBS)
    sizes = [2, 3, 5, 9, 17, 60, 300]
    done = []
    sweep = model.sweep(sizes, cluster_selection_method="leaf", progress=lambda *p: done.append(p))
    assert sweep.min_cluster_sizes.tolist() == sizes
    for i, size in enumerate(sizes):
        other = model.recluster(size, cluster_selection_method="leaf")
        checks.assert_same_bits(sweep.labels[i], other.labels_)
        checks.assert_same_bits(sweep.probabilities[i], other.probabilities_)
        assert sweep.n_clusters[i] == other.n_clusters_
    with checks.raises_sentence(MemoryError, "labels", "fewer sizes"):
        HDBSCAN(5, 4).fit(BLOBS).set_params(memory_limit=1000).sweep(sizes)
    assert model.sweep([]).labels.shape == (0, 200)
    assert model.sweep(7).n_clusters.shape == (1,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dbscan_star_equals_dbscan_on_core_points(dtype):
    points = BLOBS.astype(dtype)
    for samples in (1, 2, 5):
        fitted = DBSCANStar(min_samples=samples).fit(points)
        for eps in (0.0, 0.2, 0.41, 1.0, 30.0, np.inf):
            model = fitted.recut(eps)
            other = DBSCAN(min(max(eps, 1e-300), 1e300), min_samples=samples).fit(points)
            core = other.core_sample_indices_
            assert model.core_sample_indices_.tolist() == core.tolist()
            assert checks.same_partition(model.labels_[core], other.labels_[core])
            assert (np.delete(model.labels_, core) == -1).all()
            checks.assert_labels_canonical(model.labels_[core], model.n_clusters_)


@pytest.mark.parametrize(
    ("metric", "part"), [("euclidean", "knn"), ("precomputed", "dense_core_distances")]
)
def test_an_interrupted_fit_of_dbscan_star_changes_nothing(metric, part, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    model = DBSCANStar(0.5, metric=metric).fit(cdist(BLOBS, BLOBS))
    before = dict(vars(model))
    monkeypatch.setattr(_core, part, interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(cdist(BLOBS[:50], BLOBS[:50]))
    assert vars(model) == before


def test_dbscan_clustering_equals_scikit_learns():
    model = HDBSCAN(5, 2).fit(BLOBS)
    other = sklearn_cluster.HDBSCAN(5, min_samples=2, copy=True).fit(BLOBS)
    for cut in (0.0, 0.1, 0.3, 0.7, 5.0):
        for size in (1, 2, 5, 300):
            labels = model.dbscan_clustering(cut, size)
            wanted = other.dbscan_clustering(cut, size)
            assert checks.same_partition(labels, wanted)
            assert ((labels < 0) == (wanted < 0)).all()
            same = model.single_linkage_tree_.get_clusters(cut, size)
            checks.assert_same_bits(same, labels)


def test_missing_points_are_noise():
    points = np.insert(BLOBS, [0, 0, 50, 200], np.nan, axis=0)
    points[1, 0] = np.inf
    missing = ~np.isfinite(points).all(axis=1)
    for metric in ("euclidean", "cosine"):
        model = HDBSCAN(2, 3, metric=metric, store_centers="both").fit(points)
        whole = HDBSCAN(2, 3, metric=metric, store_centers="both").fit(BLOBS)
        checks.assert_same_bits(model.labels_[~missing], whole.labels_)
        checks.assert_same_bits(model.probabilities_[~missing], whole.probabilities_)
        checks.assert_same_bits(model.centroids_, whole.centroids_)
        checks.assert_same_bits(model.medoids_, whole.medoids_)
        assert (model.labels_[missing] == -1).all()
        assert (model.probabilities_[missing] == 0).all()
        assert (model.outlier_scores_[missing] == 1).all()
        members = model.all_points_membership_vectors()
        assert (members[missing] == 0).all()
        np.testing.assert_allclose(members[~missing], whole.all_points_membership_vectors())
    cut = DBSCANStar(0.5).fit(points)
    checks.assert_same_bits(cut.labels_[~missing], DBSCANStar(0.5).fit(BLOBS).labels_)
    assert (cut.labels_[missing] == -1).all()
    assert (DBSCANStar(np.inf, min_samples=1).fit(BLOBS).labels_ == 0).all()
    masked = np.ma.masked_invalid(points)
    checks.assert_same_bits(HDBSCAN(2, 3).fit(masked).labels_, HDBSCAN(2, 3).fit(points).labels_)


def test_duplicates_by_the_thousand():
    """Core distances of 0 are infinite densities; nothing is NaN, and no split is arbitrary."""
    rng = np.random.default_rng(0)
    points = np.r_[np.zeros((2000, 2)), np.full((1500, 2), 3.0), rng.uniform(-9, 9, (300, 2))]
    model = HDBSCAN(10, 5, store_centers="both").fit(points)
    assert (model.labels_[:2000] == 0).all()
    assert (model.labels_[2000:3500] == 1).all()
    assert (model.probabilities_[:3500] == 1).all()
    assert (model.outlier_scores_[:3500] == 0).all()
    assert model.medoids_[:2].tolist() == [[0, 0], [3, 3]]
    tree = model.condensed_tree_
    assert np.isinf(tree.point_lambdas[:3500]).all()
    assert np.isfinite(tree.births).all()
    labels, probabilities = model.approximate_predict([[0.0, 0], [3.0, 3.0], [20.0, 20.0]])
    assert labels.tolist()[:2] == [0, 1]
    assert probabilities[:2].tolist() == [1, 1]
    results = (
        model.probabilities_,
        model.outlier_scores_,
        model.cluster_persistence_,
        tree.stabilities,
        model.centroids_,
        model.all_points_membership_vectors(),
        model.membership_vector(points[::100]),
        model.sweep([2, 50]).probabilities,
    )
    assert not any(np.isnan(result).any() for result in results)
    for method in ("eom", "leaf"):
        same = HDBSCAN(10, 5, cluster_selection_method=method).fit(np.ones((500, 3)))
        assert (same.labels_ == -1).all()
        assert same.condensed_tree_.n_clusters == 1
    single = HDBSCAN(10, 5, allow_single_cluster=True).fit(np.ones((500, 3)))
    assert (single.labels_ == 0).all()
    assert (single.probabilities_ == 1).all()


def test_one_cluster_and_all_noise():
    rng = np.random.default_rng(3)
    blob = rng.normal(size=(150, 2))
    assert HDBSCAN(80).fit(blob).n_clusters_ == 0
    model = HDBSCAN(80, allow_single_cluster=True, store_centers="both").fit(blob)
    assert model.n_clusters_ == 1
    assert set(model.labels_.tolist()) <= {-1, 0}
    assert len(model.exemplars_) == 1
    noise = HDBSCAN(100, store_centers="both").fit(blob)
    assert (noise.labels_ == -1).all()
    assert (noise.probabilities_ == 0).all()
    assert noise.exemplars_ == []
    assert noise.centroids_.shape == noise.medoids_.shape == (0, 2)
    checks.assert_same_bits(noise.all_points_membership_vectors(), np.zeros(150))  # as hdbscan
    assert noise.membership_vector(blob[:3]).shape == (3, 0)
    labels, probabilities = noise.approximate_predict(blob[:3])
    assert labels.tolist() == [-1, -1, -1]
    assert probabilities.tolist() == [0, 0, 0]
    assert HDBSCAN(2, 1).fit([[0.0]]).labels_.tolist() == [-1]
    assert HDBSCAN(2, 1).fit([[0.0], [1.0]]).labels_.tolist() == [-1, -1]


def test_precomputed_equals_points(device):
    distances = cdist(BLOBS, BLOBS)
    for samples in (1, 2):  # without ties
        points = HDBSCAN(5, samples, device=device).fit(BLOBS)
        for given in (distances, sp.csr_array(distances)):
            model = HDBSCAN(5, samples, metric="precomputed").fit(given)
            checks.assert_same_bits(model.labels_, points.labels_)
            np.testing.assert_allclose(model.probabilities_, points.probabilities_)
    model = DBSCANStar(0.5, metric="precomputed").fit(distances)
    checks.assert_same_bits(model.labels_, DBSCANStar(0.5).fit(BLOBS).labels_)
    with checks.raises_sentence(AttributeError, "exemplars_", "points"):
        _ = HDBSCAN(metric="precomputed").fit(distances).exemplars_


def test_islands_of_a_graph():
    """Components that nothing connects are apart; those that are too small are noise."""
    sizes = (1, 2, 40, 1, 30, 3, 25, 1)
    rng = np.random.default_rng(2)
    blocks = [rng.random((n, n)) + 0.5 for n in sizes]
    graph = sp.block_diag([sp.csr_array(np.triu(block, 1)) for block in blocks], format="csr")
    island = np.repeat(np.arange(len(sizes)), sizes)
    order = rng.permutation(len(island))
    graph, island = sp.csr_array((graph + graph.T)[order][:, order]), island[order]
    model = HDBSCAN(20, 1, metric="precomputed").fit(graph)
    large = np.isin(island, [2, 4, 6])
    assert model.n_clusters_ == 3
    assert checks.same_partition(model.labels_[model.labels_ >= 0], island[model.labels_ >= 0])
    assert (model.labels_[~large] == -1).all()
    assert (model.outlier_scores_[~large] == 1).all()
    assert (model.condensed_tree_.point_lambdas[~large] == 0).all()
    dense = np.where(graph.toarray() == 0, np.inf, graph.toarray())
    np.fill_diagonal(dense, 0)
    again = HDBSCAN(20, 1, metric="precomputed").fit(dense)
    checks.assert_same_bits(again.labels_, model.labels_)
    # A single large island is all there is, however many small ones there are.
    alone = HDBSCAN(20, 1, metric="precomputed").fit(
        sp.csr_array(
            graph[island != 2][:, island != 2][:, island[island != 2] != 4][
                island[island != 2] != 4
            ]
        )
    )
    assert alone.condensed_tree_.sizes[0] == 33
    assert alone.n_clusters_ == 0


def test_cosine_equals_scikit_learn():
    rng = np.random.default_rng(4)
    centres = rng.normal(size=(4, 5))
    points = centres[rng.integers(0, 4, 200)] * rng.uniform(0.5, 3, (200, 1))
    points += rng.normal(0, 0.1, points.shape)
    model = HDBSCAN(6, 2, metric="cosine", store_centers="both").fit(points)
    other = sklearn_cluster.HDBSCAN(
        6, min_samples=2, metric="cosine", store_centers="both", copy=True
    ).fit(points)
    assert checks.same_partition(model.labels_, other.labels_)
    np.testing.assert_allclose(model.probabilities_, other.probabilities_, rtol=1e-6)
    order = [other.labels_[model.labels_ == k][0] for k in range(model.n_clusters_)]
    np.testing.assert_allclose(model.centroids_, other.centroids_[order])
    np.testing.assert_allclose(model.medoids_, other.medoids_[order])


def test_a_tree_instead_of_points():
    model = HDBSCAN(5, 3).fit(BLOBS)
    again = HDBSCAN(5).fit(model.mst_)
    checks.assert_same_bits(again.labels_, model.labels_)
    names = [f"p{i}" for i in range(200)]
    forest = wg.SpanningForest(200, model.mst_.edges[::-1], model.mst_.weights[::-1], names=names)
    assert checks.same_partition(HDBSCAN(5).fit(forest).labels_, model.labels_)


@pytest.mark.parametrize("growing", [True, False])
def test_chains_of_a_million_joins(growing):
    """Deep trees do not recurse: a path whose edges grow, and clusters split off one by one."""
    n = 1_000_000
    weights = np.arange(1.0, n) if growing else np.sqrt(np.arange(1.0, n))
    path = wg.SpanningForest(n, np.stack([np.arange(n - 1), np.arange(1, n)], -1), weights)
    model = HDBSCAN(5).fit(path)
    assert model.condensed_tree_.n_clusters == 1
    assert model.n_clusters_ == 0
    pairs = 2 * np.arange(n // 2)  # a path of pairs: every second join splits off a cluster of two
    weights = np.ones(n - 1)
    weights[1::2] = 2 + np.arange(n // 2 - 1)
    chain = wg.SpanningForest(n, np.stack([np.arange(n - 1), np.arange(1, n)], -1), weights)
    model = HDBSCAN(2, cluster_selection_epsilon=3.5).fit(chain)
    assert model.condensed_tree_.n_clusters == 2 * len(pairs) - 1
    assert model.recluster(2, cluster_selection_persistence=0.4).n_clusters_ > 0
    assert model.plot_condensed_tree(colorbar=False, label_clusters=False) is not None


def test_alpha_scales_distances_but_not_core_distances():
    model = HDBSCAN(4, 3, alpha=2.0).fit(BLOBS)
    reach = hdbscan_oracle.mutual_reachability(BLOBS, 3, alpha=2.0)
    lengths = np.sort(reach[tuple(model.mst_.edges.T)])
    np.testing.assert_allclose(np.sort(model.mst_.weights), lengths)
    halved = HDBSCAN(4, 3, metric="cosine", alpha=2.0).fit(BLOBS)
    whole = HDBSCAN(4, 1, metric="cosine").fit(BLOBS)
    single = HDBSCAN(4, 1, metric="cosine", alpha=2.0).fit(BLOBS)
    np.testing.assert_allclose(single.mst_.weights, whole.mst_.weights / 2)
    assert halved.mst_.weights.sum() > single.mst_.weights.sum()


def test_conventions():
    model = HDBSCAN(4, cluster_selection_method="leaf").fit(BLOBS)
    again = pickle.loads(pickle.dumps(model))
    checks.assert_same_bits(again.labels_, model.labels_)
    checks.assert_same_bits(again.outlier_scores_, model.outlier_scores_)
    assert clone(model).get_params() == model.get_params()
    assert model.n_features_in_ == 2
    assert model.labels_.dtype == np.int32
    assert model.probabilities_.dtype == np.float64
    assert repr(model.condensed_tree_).startswith("CondensedTree(200 points")
    assert repr(model.single_linkage_tree_) == "SingleLinkageTree(200 points)"
    assert (model.fit_predict(BLOBS) == model.labels_).all()
    assert model.linkage_.shape == (199, 4)
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(BLOBS, columns=["x", "y"])
    assert HDBSCAN().fit(frame).feature_names_in_.tolist() == ["x", "y"]


@pytest.mark.parametrize("dtype", ["Float64", "float64[pyarrow]", object])
def test_missing_values_of_pandas_are_nan(dtype):
    pd = pytest.importorskip("pandas")
    if "pyarrow" in str(dtype):
        pytest.importorskip("pyarrow")
    points = BLOBS.copy()
    points[::7, 1] = np.nan
    frame = pd.DataFrame(points, columns=["x", "y"]).astype(dtype)
    if dtype is object:
        frame = frame.where(frame.notna(), pd.NA)
    model, expected = HDBSCAN(4, 3).fit(frame), HDBSCAN(4, 3).fit(points)
    assert (model.labels_ == expected.labels_).all()
    assert (model.labels_[::7] == -1).all()


def test_forms_of_the_trees():
    model = HDBSCAN(4, 3).fit(BLOBS)
    tree = model.condensed_tree_
    rows = tree.to_numpy()
    assert rows.dtype.names == ("parent", "child", "lambda_val", "child_size")
    assert len(rows) == 200 + tree.n_clusters - 1
    assert np.bincount(rows["child"]).max() == 1
    assert rows["parent"].min() == 200
    assert tree.to_pandas().shape == (len(rows), 4)
    graph = tree.to_networkx()
    assert graph.number_of_edges() == len(rows)
    assert graph.nodes[200]["size"] == 200
    joins = model.single_linkage_tree_.to_pandas()
    assert joins["parent"].tolist() == list(range(200, 399))
    checks.assert_same_bits(model.single_linkage_tree_.to_numpy(), model.linkage_)


def test_without_scikit_learn():
    code = """
import sys
sys.modules["sklearn"] = None
import numpy as np, warpgraph as wg
X = np.random.default_rng(0).normal(size=(60, 2))
model = wg.cluster.HDBSCAN(5, store_centers="both").fit(X)
assert len(model.labels_) == 60 and repr(model) == "HDBSCAN(store_centers='both')", repr(model)
assert model.approximate_predict(X)[0].shape == (60,)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
