"""MSTClustering: cuts, labels, parameters, and scikit-learn's conventions."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings, strategies as st
from scipy.cluster import hierarchy
from scipy.sparse import csgraph
from sklearn import cluster as sklearn_cluster
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering
from sklearn.datasets import make_moons
from sklearn.utils.estimator_checks import parametrize_with_checks

import checks
import graphs
import warpgraph as wg
from warpgraph.cluster import HDBSCAN, DBSCANStar, MSTClustering


def expected_failures(estimator):
    if estimator.metric != "precomputed":
        return {}
    return {
        "check_estimators_nan_inf": "inf between two points says that no edge joins them",
        "check_clustering": "the check passes points, also to an estimator that takes distances",
    }


@parametrize_with_checks(
    [
        MSTClustering(),
        MSTClustering(n_clusters=3),
        MSTClustering(min_cluster_size=2),
        MSTClustering(metric="precomputed"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 7, 124, 125])
def test_n_clusters_equals_scikit_learn(n_clusters, device):
    points, _ = graphs.blobs()
    model = MSTClustering(n_clusters, device=device).fit(points)
    theirs = AgglomerativeClustering(n_clusters, linkage="single").fit(points)
    assert checks.same_partition(model.labels_, theirs.labels_)
    checks.assert_labels_canonical(model.labels_, n_clusters)
    assert model.n_clusters_ == n_clusters


LINE = np.array([[0.0], [0.0], [1.0], [2.0], [4.0], [5.0]])


@pytest.mark.parametrize("points", [graphs.blobs()[0], LINE], ids=["blobs", "line"])
def test_distance_threshold_equals_scikit_learn(points, device):
    """At exactly the threshold points separate; fcluster joins there."""
    lengths = hierarchy.linkage(points, "single")[:, 2]
    fitted = MSTClustering(device=device).fit(points)
    for threshold in (0, 0.4, 1, 1.0, 2, 5.0, 1e9):
        model = MSTClustering(distance_threshold=threshold, device=device).fit(points)
        theirs = AgglomerativeClustering(
            n_clusters=None, distance_threshold=threshold, linkage="single"
        ).fit(points)
        assert checks.same_partition(model.labels_, theirs.labels_)
        assert model.n_clusters_ == theirs.n_clusters_
        assert model.threshold_ == threshold
        assert fitted.recut(distance_threshold=threshold).labels_.tolist() == model.labels_.tolist()
        if not (lengths == threshold).any():
            joined = hierarchy.fcluster(hierarchy.linkage(points, "single"), threshold, "distance")
            assert checks.same_partition(model.labels_, joined)


def test_distances_of_exactly_the_limit():
    """Each by its own reference: the rules differ."""
    line = [[0.0], [1.0], [3.0]]
    assert MSTClustering(distance_threshold=1).fit_predict(line).tolist() == [0, 1, 2]
    theirs = AgglomerativeClustering(n_clusters=None, distance_threshold=1, linkage="single")
    assert len(set(theirs.fit_predict(line))) == 3
    linkage = wg.cluster.single_linkage(line)
    assert hierarchy.fcluster(linkage, 1, "distance").tolist() == [1, 1, 2]
    star = DBSCANStar(1, min_samples=1).fit(line)
    assert star.labels_.tolist() == star.recut(1).labels_.tolist() == [0, 0, 1]
    assert DBSCAN(1, min_samples=1).fit_predict(line).tolist() == [0, 0, 1]
    density = HDBSCAN(2, 1).fit(line)
    assert density.dbscan_clustering(1, 1).tolist() == [0, 1, 2]
    theirs = sklearn_cluster.HDBSCAN(2, min_samples=1, copy=True).fit(line)
    assert theirs.dbscan_clustering(1, min_cluster_size=1).tolist() == [0, 1, 2]
    graph = graphs.csr(3, [(0, 1, 1), (1, 2, 2)], np.int64)
    for limit in (1, 1.0, np.int8(1)):
        model = MSTClustering(distance_threshold=limit, metric="precomputed").fit(graph)
        assert model.labels_.tolist() == [0, 1, 2]


def labels_of_at_most(linkage, k):
    """Return the lowest cut of at most k clusters; fcluster's "maxclust" is wrong in SciPy 1.13."""
    heights = linkage[:, 2]
    n = len(heights) + 1
    cuts = [t for t in [-1, *heights] if n - np.count_nonzero(heights <= t) <= k]
    return hierarchy.fcluster(linkage, min(cuts), "distance")


@settings(max_examples=60)
@given(st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_threshold_makes_the_same_cut(n, seed):
    """Also where weights tie; then no cut is between equal ones."""
    rng = np.random.default_rng(seed)
    fitted = MSTClustering(cut=None).fit(rng.integers(0, 6, (n, 2)).astype(float))
    for k in range(1, n + 1):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model = fitted.recut(n_clusters=k)
        weights = fitted.mst_.weights
        is_possible = k in (1, n) or weights[n - k - 1] < weights[n - k]
        assert (model.n_clusters_ == k) == is_possible == (not told)
        wanted = labels_of_at_most(fitted.linkage_, k)
        assert checks.same_partition(model.labels_, wanted)
        again = fitted.recut(distance_threshold=model.threshold_)
        assert again.labels_.tolist() == model.labels_.tolist()


@settings(max_examples=60)
@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.sampled_from(["k", "t", "gap"]))
def test_labels_are_those_of_fcluster_at_the_threshold(n, seed, by):
    rng = np.random.default_rng(seed)
    points = rng.random((n, 2))
    arguments = {
        "k": {"n_clusters": int(rng.integers(1, n + 1))},
        "t": {"distance_threshold": rng.random()},
        "gap": {},
    }[by]
    model = MSTClustering(**arguments).fit(points)
    if n == 1:
        assert model.labels_.tolist() == [0]
        return
    wanted = hierarchy.fcluster(model.linkage_, model.threshold_, "distance")
    assert checks.same_partition(model.labels_, wanted)


def test_largest_gap_finds_blobs(device):
    points, labels = graphs.blobs()
    model = MSTClustering(device=device).fit(points)
    assert model.labels_.tolist() == labels.tolist()
    assert model.n_clusters_ == 3
    assert model.threshold_ > 2


def test_integer_weights_that_are_equal_in_float64():
    """Gaps and thresholds are compared as integers."""
    big = 2**62
    path = graphs.csr(4, [(0, 1, big), (1, 2, big + 1), (2, 3, big + 5)], np.int64)
    model = MSTClustering(metric="precomputed").fit(path)
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert model.threshold_ == float(big)
    assert model.recut(distance_threshold=big).labels_.tolist() == [0, 1, 2, 3]
    assert model.recut(distance_threshold=big + 1).labels_.tolist() == [0, 0, 1, 2]
    assert model.recut(distance_threshold=np.int64(big + 5)).labels_.tolist() == [0, 0, 0, 1]
    assert model.recut(distance_threshold=big + 6).labels_.tolist() == [0, 0, 0, 0]
    density = DBSCANStar(big, min_samples=1, metric="precomputed").fit(path)
    assert density.labels_.tolist() == [0, 0, 1, 2]
    assert density.recut(np.int64(big + 4)).labels_.tolist() == [0, 0, 0, 1]
    assert density.recut(float(big)).labels_.tolist() == [0, 0, 1, 2]
    hierarchy = HDBSCAN(2, 1, metric="precomputed").fit(path)
    assert hierarchy.dbscan_clustering(big + 1, 1).tolist() == [0, 0, 1, 2]
    assert hierarchy.dbscan_clustering(big + 2, 1).tolist() == [0, 0, 0, 1]
    ends = graphs.csr(3, [(0, 1, 0), (1, 2, 2**63 - 1)], np.int64)
    assert MSTClustering(metric="precomputed").fit(ends).labels_.tolist() == [0, 0, 1]
    narrow = graphs.csr(4, [(0, 1, 0), (1, 2, 3), (2, 3, 2**31 - 1)], np.int32)
    assert MSTClustering(metric="precomputed").fit(narrow).labels_.tolist() == [0, 0, 0, 1]


def test_moons_which_k_means_cannot_separate():
    points, labels = make_moons(400, noise=0.05, random_state=0)
    assert checks.same_partition(MSTClustering(n_clusters=2).fit_predict(points), labels)


@pytest.mark.parametrize(
    ("weights", "n_clusters"),
    [
        ([], 1),
        ([5.0], 1),
        ([2.0, 2.0, 2.0], 1),
        ([1.0, 1.0, 5.0], 2),
        ([1.0, 3.0, 5.0], 2),
        ([0.0, 4.0, 6.0, 7.0], 4),
        ([1.0, 2.0, np.inf], 2),
        ([np.inf, np.inf], 3),
    ],
)
def test_largest_gap_rule(weights, n_clusters):
    n = len(weights) + 1
    distances = np.full((n, n), np.inf)
    graph = sp.csr_array((weights, (range(n - 1), range(1, n))), distances.shape)
    model = MSTClustering(metric="precomputed").fit(graph)
    assert model.n_clusters_ == n_clusters
    assert model.n_connected_components_ == 1


def test_equally_heavy_edges_stay_together(device):
    points = np.r_[np.arange(5.0), 7.0, 10.0][:, None]
    model = MSTClustering(3, device=device).fit(points)
    assert model.labels_.tolist() == [0, 0, 0, 0, 0, 1, 2]
    with pytest.warns(
        UserWarning, match=r"n_clusters=2 .* cut into 1; the next larger number is 3"
    ):
        assert model.recut(2).labels_.tolist() == [0] * 7
    with pytest.warns(
        UserWarning, match=r"n_clusters=6 .* cut into 3; the next larger number is 7"
    ):
        assert model.recut(6).labels_.tolist() == model.labels_.tolist()
    assert model.recut(7).n_clusters_ == 7
    pairs = np.array([[0.0], [0.5], [4], [4.5], [8], [8.5], [20]])
    model = MSTClustering(3, min_cluster_size=2, device=device).fit(pairs)
    assert model.labels_.tolist() == [0, 0, 1, 1, 2, 2, -1]
    with pytest.warns(
        UserWarning, match=r"n_clusters=2 .* cut into 1; the next larger number is 3"
    ):
        assert model.recut(2).labels_.tolist() == [0, 0, 0, 0, 0, 0, 0]
    with pytest.raises(ValueError, match="at most 3"):
        model.recut(4)


def test_recut_equals_a_new_fit_and_keeps_the_tree(device):
    points, _ = graphs.blobs()
    model = MSTClustering(device=device).fit(points)
    tree, joins = model.mst_, model.linkage_
    before = dict(vars(model))
    for arguments in (
        {"n_clusters": 5},
        {"distance_threshold": 0.7},
        {"cut": "largest_gap"},
        {},
    ):
        other = model.recut(**arguments)
        fresh = clone(other).fit(points)
        assert other.labels_.tolist() == fresh.labels_.tolist()
        assert (other.n_clusters_, other.threshold_) == (fresh.n_clusters_, fresh.threshold_)
        assert arguments.items() <= other.get_params().items()
        assert other.mst_ is tree
        assert other.linkage_ is joins
    assert vars(model) == before


def test_sparse_graph_against_scipy(device):
    graph = graphs.random_csr(300, 0.02, np.random.default_rng(1))
    n_components, labels = csgraph.connected_components(graph, directed=False)
    model = MSTClustering(cut=None, metric="precomputed", device=device).fit(graph)
    assert model.n_connected_components_ == model.n_clusters_ == n_components
    assert checks.same_partition(model.labels_, labels)
    assert model.threshold_ == np.inf
    light = graph.copy()
    light.data[light.data >= 0.3] = 0
    light.eliminate_zeros()
    assert checks.same_partition(
        model.recut(distance_threshold=0.3).labels_,
        csgraph.connected_components(light, directed=False)[1],
    )


def test_fewer_clusters_than_components(device):
    graph = sp.csr_array(([1.0, 2.0], ([0, 2], [1, 3])), (5, 5))
    model = MSTClustering(n_clusters=2, metric="precomputed", device=device)
    with pytest.warns(UserWarning, match="3 connected components, so it cannot be cut into 2"):
        model.fit(graph)
    assert model.labels_.tolist() == [0, 0, 1, 1, 2]
    assert model.n_clusters_ == 3
    assert model.threshold_ == np.inf


def test_dense_distances_equal_points():
    points, _ = graphs.blobs()
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    by_points = MSTClustering(n_clusters=4).fit(points)
    by_distances = MSTClustering(n_clusters=4, metric="precomputed").fit(distances)
    assert by_points.labels_.tolist() == by_distances.labels_.tolist()


def test_attributes_fit_together():
    points, _ = graphs.blobs()
    model = MSTClustering().fit(points)
    np.testing.assert_array_equal(model.linkage_[:, :2], model.children_)
    np.testing.assert_array_equal(model.linkage_[:, 2], model.distances_)
    np.testing.assert_array_equal(model.mst_.weights, model.distances_)
    assert model.children_.dtype == np.int64
    assert model.n_features_in_ == 2
    assert model.mst_.n_trees == model.n_connected_components_ == 1


def test_graph_objects():
    graph = wg.Graph(sp.csr_array(([1.0, 9.0, 1.0], ([0, 1, 2], [1, 2, 3])), (4, 4)))
    model = MSTClustering(n_clusters=2, metric="precomputed").fit(graph)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.n_features_in_ == 4


def test_feature_names():
    class Frame(np.ndarray):
        columns = ("x", "y")

    frame = np.zeros((3, 2)).view(Frame)
    model = MSTClustering().fit(frame)
    assert model.feature_names_in_.tolist() == ["x", "y"]
    model.fit(np.zeros((3, 2)))
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("points", [np.zeros((1, 2)), np.zeros((50, 2))], ids=["one", "identical"])
def test_degenerate_points_are_one_cluster(points, device):
    model = MSTClustering(device=device).fit(points)
    assert model.labels_.tolist() == [0] * len(points)
    assert model.n_clusters_ == 1


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_clusters": 5}, r"n_clusters=5 is more than there are points: n_samples=4"),
        ({"n_clusters": 0}, r"n_clusters must be at least 1, got 0"),
        ({"distance_threshold": -1.0}, r"distance_threshold must be at least 0, got -1"),
        ({"distance_threshold": np.nan}, r"distance_threshold must be at least 0, got nan"),
        ({"distance_threshold": 10**400}, r"distance_threshold is beyond the largest float: 1000"),
        ({"n_clusters": 2, "distance_threshold": 1.0}, r"contradict each other"),
        ({"cut": "middle"}, r"cut must be one of 'largest_gap'"),
        ({"min_cluster_size": 0}, r"min_cluster_size must be at least 1, got 0"),
        *(
            (more | {"min_cluster_size": 5}, r"min_cluster_size=5 is more than .*: n_samples=4")
            for more in ({}, {"cut": None}, {"n_clusters": 2}, {"distance_threshold": 1.0})
        ),
        ({"n_clusters": 3, "min_cluster_size": 2}, r"n_clusters=3 is more .*: at most 1"),
        ({"metric": "canberra"}, r"metric must be one of 'euclidean', 'cosine', .*'canberra'"),
        ({"metric": "L2"}, r"'l2', .*'precomputed', or a function of two points, got 'L2'"),
    ],
)
def test_bad_parameters(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        MSTClustering(**parameters).fit(np.arange(8.0).reshape(4, 2))


def test_no_cut_of_a_tree_has_clusters_larger_than_it():
    """As for HDBSCAN's `min_samples`: all points would be noise without a word."""
    model = MSTClustering().fit([[0.0], [1.0], [9.0]])
    assert model.recut(min_cluster_size=3).labels_.tolist() == [0, 0, 0]
    for cut in ({}, {"n_clusters": 1}, {"distance_threshold": 2.0}, {"cut": "largest_gap"}):
        with pytest.raises(ValueError, match=r"min_cluster_size=4 is more .*: n_samples=3"):
            model.recut(min_cluster_size=4, **cut)
    larger = MSTClustering(cut=None, min_cluster_size=4, metric="precomputed")
    with pytest.raises(ValueError, match=r"min_cluster_size=4 is more .*: n_samples=3"):
        larger.fit(model.mst_)
    assert not hasattr(larger, "labels_")


@pytest.mark.parametrize("parameters", [{"n_clusters": 2.5}, {"distance_threshold": "far"}])
def test_parameters_of_wrong_type(parameters):
    with pytest.raises(TypeError):
        MSTClustering(**parameters).fit(np.zeros((4, 2)))


def test_missing_device():
    with pytest.raises(wg.DeviceError):
        MSTClustering(device="cuda:99").fit(np.zeros((4, 2)))
    with pytest.raises(wg.DeviceError):
        MSTClustering(device="cuda:99", metric="precomputed").fit(np.zeros((4, 4)))


@pytest.mark.cuda
def test_full_matrix_on_a_gpu_is_refused():
    with pytest.raises(wg.DeviceError, match="on the CPU only, not on cuda:0"):
        MSTClustering(device="cuda", metric="precomputed").fit(np.zeros((4, 4)))


def test_not_fitted():
    model = MSTClustering()
    with pytest.raises(sklearn.exceptions.NotFittedError, match="call fit first"):
        model.recut(n_clusters=2)
    with pytest.raises(AttributeError):
        _ = model.linkage_


def test_what_is_refused_changes_nothing():
    model = MSTClustering(n_clusters=2, device="cpu").fit([[0.0], [1.0], [5.0]])
    model.set_params(n_clusters=9)
    for refused in (lambda: model.add_points([[6.0]]), lambda: model.fit([[3.0], [4.0]])):
        with pytest.raises(ValueError, match="n_clusters=9"):
            refused()
    model.set_params(n_clusters=2).add_points([[6.0]])
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.mst_.n_vertices == 4


def test_parameters_by_position():
    model = MSTClustering(None, 2.0, None, "precomputed", "cpu")
    named = {"distance_threshold": 2.0, "cut": None, "metric": "precomputed", "device": "cpu"}
    assert model.get_params() == MSTClustering(**named).get_params()
    with pytest.raises(TypeError, match="positional"):
        MSTClustering(None, 2.0, None, "precomputed", "cpu", "weight")


def test_a_sparse_graph_needs_the_metric():
    with pytest.raises(TypeError, match="metric='precomputed'"):
        MSTClustering().fit(sp.eye_array(4))


def test_clone_and_pickle():
    points, _ = graphs.blobs()
    model = MSTClustering(n_clusters=3, device="cpu")
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model.fit(points)))
    assert again.labels_.tolist() == model.labels_.tolist()
    np.testing.assert_array_equal(again.linkage_, model.linkage_)


_WITHOUT_SKLEARN = """
import sys
sys.modules["sklearn"] = sys.modules["sklearn.base"] = None
from warpgraph.cluster import MSTClustering
model = MSTClustering(n_clusters=2)
assert model.fit_predict([[0.0], [1.0], [9.0]]).tolist() == [0, 0, 1]
assert repr(model) == "MSTClustering(n_clusters=2)", repr(model)
assert model.get_params()["metric"] == "euclidean"
assert model.set_params(n_clusters=3).fit([[0.0], [1.0], [9.0]]).n_clusters_ == 3
try:
    model.set_params(clusters=3)
except ValueError as error:
    assert "no parameter 'clusters'" in str(error)
else:
    raise AssertionError
try:
    MSTClustering().recut(2)
except AttributeError as error:
    assert "call fit first" in str(error)
else:
    raise AssertionError
"""


def test_without_scikit_learn():
    subprocess.run([sys.executable, "-c", _WITHOUT_SKLEARN], check=True)


def test_trees_do_not_wait_for_scikit_learn():
    program = "import sys, warpgraph as wg; wg.cluster.euclidean_mst([[0.0], [1.0]]); "
    program += "assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
