"""HDBSCAN: exemplars, centres, new points, memberships, and the picture of the condensed tree."""

import tracemalloc
import warnings

import matplotlib
import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

import checks
import hdbscan_oracle
import warpgraph as wg
from warpgraph import _core
from warpgraph.cluster import HDBSCAN

matplotlib.use("Agg")

POINTS = make_blobs(600, centers=5, random_state=1)[0]
NEW = np.random.default_rng(0).normal(size=(200, 2)) * 6


def spelled_out(model, points, new):
    """Return labels and probabilities of new points, one by one."""
    samples = model.min_samples
    core = np.sort(cdist(points, points), axis=1)[:, samples - 1]
    tree = model.condensed_tree_
    label_of = {cluster: label for label, cluster in enumerate(tree.selected.tolist())}
    found = []
    for point in new:
        distances = np.sqrt(((points - point) ** 2).sum(axis=1))
        near = np.argsort(distances)[: 2 * samples]
        own = distances[near[samples - 1]]
        reach = np.maximum(np.maximum(distances[near], core[near]), own)
        joins = int(near[reach.argmin()])
        density = hdbscan_oracle.density(reach.min())
        cluster = int(tree.point_clusters[joins])
        while cluster > 0 and tree.births[cluster] >= density:
            cluster = int(tree.parents[cluster])
        while cluster > 0 and cluster not in label_of:
            cluster = int(tree.parents[cluster])
        label = label_of.get(cluster, -1)
        death = tree.deaths[cluster]
        epsilon = model.cluster_selection_epsilon
        leaves = min(density, tree.point_lambdas[joins])
        if cluster == 0 and leaves < (1 / epsilon if epsilon else death):
            label = -1
        found.append((label, min(density, death) / death if label >= 0 else 0.0))
    return np.array(found).T


@pytest.mark.parametrize("samples", [1, 2, 6])
def test_outlier_scores_of_new_points(samples, device):
    """The definition, one by one; as in hdbscan, but never below 0. Fitted points keep theirs."""
    package = pytest.importorskip("hdbscan")
    model = HDBSCAN(12, samples, device=device).fit(POINTS)
    scores = model.approximate_predict_scores(NEW)
    tree = model.condensed_tree_
    highest = tree.deaths.copy()
    for c in range(tree.n_clusters - 1, 0, -1):
        highest[tree.parents[c]] = max(highest[tree.parents[c]], highest[c])
    core = np.sort(cdist(POINTS, POINTS), axis=1)[:, samples - 1]
    for point, score in zip(NEW, scores, strict=True):
        distances = np.sqrt(((POINTS - point) ** 2).sum(axis=1))
        near = np.argsort(distances)[: 2 * samples]
        own = distances[near[samples - 1]]
        reach = np.maximum(np.maximum(distances[near], core[near]), own)
        most = highest[tree.point_clusters[near[reach.argmin()]]]
        assert score == pytest.approx(max(0, 1 - 1 / reach.min() / most), abs=1e-12)
    checks.assert_same_bits(
        (model.approximate_predict_scores(POINTS),), (np.array(model.outlier_scores_),)
    )
    missing = np.where(np.arange(len(NEW))[:, None] == 5, np.nan, NEW)
    found = model.approximate_predict_scores(missing)
    assert found[5] == 1
    checks.assert_same_bits((np.delete(found, 5),), (np.delete(scores, 5),))
    if samples == 2:  # hdbscan has one less, and other core distances for new points
        other = package.HDBSCAN(12, 1, approx_min_span_tree=False, prediction_data=True).fit(POINTS)
        theirs = np.maximum(package.approximate_predict_scores(other, NEW), 0)
        assert np.corrcoef(theirs, scores)[0, 1] > 0.97


@pytest.mark.parametrize("samples", [1, 2, 6])
@pytest.mark.parametrize("method", ["eom", "leaf"])
def test_prediction_equals_the_definition(samples, method, device):
    model = HDBSCAN(12, samples, cluster_selection_method=method).fit(POINTS)
    labels, probabilities = model.approximate_predict(NEW)
    wanted, chances = spelled_out(model, POINTS, NEW)
    assert labels.dtype == np.int32
    assert labels.tolist() == wanted.astype(int).tolist()
    np.testing.assert_allclose(probabilities, chances)


@pytest.mark.parametrize("epsilon", [0, 1.5])
def test_new_points_may_be_noise_beside_the_only_cluster(epsilon):
    points = np.random.default_rng(0).normal(size=(30, 2))
    points[0] = 30, 30
    single = {"allow_single_cluster": True, "cluster_selection_epsilon": epsilon}
    model = HDBSCAN(10, 5, **single).fit(points)
    assert model.n_clusters_ == 1
    new = np.vstack([points, NEW, [[1000, 1000]]])
    labels, probabilities = model.approximate_predict(new)
    wanted, chances = spelled_out(model, points, new)
    assert labels.tolist() == wanted.astype(int).tolist()
    np.testing.assert_allclose(probabilities, chances)
    assert set(labels) == {-1, 0}
    assert labels[0] == labels[-1] == model.labels_[0] == -1
    again = HDBSCAN(10, 5).fit(points).recluster(**single)
    checks.assert_same_bits(again.approximate_predict(new)[0], labels)


METRICS = ["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "haversine"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("samples", [1, 2, 5, 9])
@pytest.mark.parametrize("metric", METRICS)
def test_fitted_points_keep_their_labels(metric, samples, dtype, device):
    """Also noise; whatever the rounding, and where a point has copies or distances are equal."""
    if metric == "minkowski" and "cuda" in str(device):
        pytest.skip("the metric is one of the CPU")
    rng = np.random.default_rng(samples)
    sets = [rng.normal(size=(150, 2)), rng.integers(-9, 9, (150, 2)) / 8, rng.random((150, 2))]
    for points in [*sets, *(rng.permutation(np.r_[x[:100], x[:50]]) for x in sets)]:
        points = points[(points != 0).any(axis=1) & (np.abs(points[:, 0]) < 1.5)].astype(dtype)
        options = {"p": 3.0, "allow_single_cluster": bool(samples % 2), "device": device}
        model = HDBSCAN(4, samples, metric=metric, **options).fit(points)
        labels, probabilities = model.approximate_predict(points)
        checks.assert_same_bits((labels,), (model.labels_,))
        assert (probabilities[labels < 0] == 0).all()
        assert (probabilities >= model.probabilities_ - 1e-6).all()
        scores = model.approximate_predict_scores(points)
        checks.assert_same_bits((scores,), (np.array(model.outlier_scores_),))


@pytest.mark.parametrize("seed", range(10))
def test_fitted_points_have_the_labels_and_probabilities_of_hdbscan(seed):
    """Of one sample less in its count; then no distances tie in these trees."""
    package = pytest.importorskip("hdbscan")
    points = make_blobs(150, centers=4, cluster_std=1.5, random_state=seed)[0]
    model = HDBSCAN(5, 2).fit(points)
    exact = {"approx_min_span_tree": False, "prediction_data": True}
    other = package.HDBSCAN(5, min_samples=1, **exact).fit(points)
    assert checks.same_partition(model.labels_, other.labels_)
    theirs, chances = package.approximate_predict(other, points)
    kept = theirs == other.labels_  # not for all points of a cluster in some sets
    assert kept[other.labels_ < 0].all()
    assert kept.mean() > 0.7
    labels, found = model.approximate_predict(points)
    checks.assert_same_bits((labels,), (model.labels_,))
    np.testing.assert_allclose(found[kept], chances[kept], rtol=1e-9)
    scores = package.approximate_predict_scores(other, points)
    np.testing.assert_allclose(model.approximate_predict_scores(points), scores, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("epsilon", [0, 0.4])
@pytest.mark.parametrize("seed", range(20))
def test_fitted_points_keep_their_labels_where_the_root_is_the_only_cluster(seed, epsilon, dtype):
    """Of a root that splits, or not: also those that are noise beside it."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(80, 2)).astype(dtype)
    options = {"allow_single_cluster": True, "cluster_selection_epsilon": epsilon}
    for size in (4, 41, 81):
        model = HDBSCAN(size, 1, **options).fit(points)  # each is its own nearest point
        if model.n_clusters_ != 1 or model.condensed_tree_.selected.tolist() != [0]:
            continue
        labels, probabilities = model.approximate_predict(points)
        checks.assert_same_bits(labels, model.labels_)
        assert (probabilities[labels == 0] == 1).all()
        assert (probabilities[labels == -1] == 0).all()
        near = model.approximate_predict(points[model.labels_ == 0] + dtype(1e-7))[0]
        assert (near == 0).all()


def test_a_new_point_beside_noise_is_noise():
    """Also if it is as close to a noise point as the points of the only cluster are to each other.

    The pair at 9 leaves the root at a distance of 5, and so does a new point between them.
    """
    points = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [9.0], [9.5]])
    model = HDBSCAN(3, 1, allow_single_cluster=True).fit(points)
    assert model.labels_.tolist() == [0, 0, 0, 0, 0, -1, -1]
    labels, probabilities = model.approximate_predict([[9.2], [2.5], [4.9], [5.1], [9.0]])
    assert labels.tolist() == [-1, 0, 0, -1, -1]
    assert probabilities.tolist() == [0, 1, 1, 0, 0]
    members = model.membership_vector([[9.2], [2.5], [5.1]])
    assert members.shape == (3, 1)
    assert members[1] == pytest.approx(1)
    assert (members[[0, 2]] < 1).all()


def test_memberships_without_clusters_are_those_of_hdbscan():
    package = pytest.importorskip("hdbscan")
    points = np.random.default_rng(0).normal(size=(60, 2))
    theirs = package.all_points_membership_vectors(
        package.HDBSCAN(31, min_samples=3, prediction_data=True).fit(points)
    )
    ours = HDBSCAN(31, 4).fit(points).all_points_membership_vectors()
    checks.assert_same_bits(ours, theirs)
    assert ours.shape == (60,)


def test_prediction_agrees_with_hdbscan():
    """For new points, its fitted ones have one sample fewer than in the tree: few labels differ."""
    package = pytest.importorskip("hdbscan")
    model = HDBSCAN(12, 2).fit(POINTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = package.HDBSCAN(12, 1, prediction_data=True).fit(POINTS)
        labels, _ = package.approximate_predict(other, NEW)
        members = package.all_points_membership_vectors(other)
    order = [other.labels_[model.labels_ == k][0] for k in range(model.n_clusters_)]
    name = {-1: -1, **{theirs: ours for ours, theirs in enumerate(order)}}
    ours, _ = model.approximate_predict(NEW)
    assert np.mean(ours == [name[label] for label in labels.tolist()]) > 0.95
    for k, exemplars in enumerate(model.exemplars_):
        theirs = other.exemplars_[order[k]]
        assert sorted(map(tuple, exemplars)) == sorted(map(tuple, theirs))
    # The total of a noise point depends on which of several equally near clusters counts.
    ours = model.all_points_membership_vectors()
    inside = model.labels_ >= 0
    np.testing.assert_allclose(ours[inside], members[inside][:, order], rtol=1e-6, atol=1e-9)
    shares, their_shares = (m / m.sum(axis=1, keepdims=True) for m in (ours, members[:, order]))
    np.testing.assert_allclose(shares, their_shares, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memberships(dtype, device):
    model = HDBSCAN(12, 4).fit(POINTS.astype(dtype))
    members = model.all_points_membership_vectors()
    assert members.shape == (600, model.n_clusters_)
    assert ((members >= 0) & (members <= 1)).all()
    inside = model.labels_ >= 0
    assert np.mean(members[inside].argmax(axis=1) == model.labels_[inside]) > 0.95
    new = model.membership_vector(NEW.astype(dtype))
    assert ((new >= 0) & (new.sum(axis=1, keepdims=True) <= 1 + 1e-6)).all()
    labels, _ = model.approximate_predict(NEW.astype(dtype))
    assert np.mean(new[labels >= 0].argmax(axis=1) == labels[labels >= 0]) > 0.9
    some = NEW.astype(dtype)
    some[3] = np.nan
    assert (model.membership_vector(some)[3] == 0).all()
    assert model.approximate_predict(some)[0][3] == -1
    assert model.approximate_predict(some)[1][3] == 0
    with checks.raises_sentence(ValueError, "3 features", "2 features"):
        model.approximate_predict(np.zeros((4, 3)))
    with checks.raises_sentence(MemoryError, "memberships", "1000"):
        model.set_params(memory_limit=1000).all_points_membership_vectors()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("missing", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_new_points_are_noise_also_where_all_of_them_are_missing(metric, missing, dtype):
    model = HDBSCAN(12, 4, metric=metric).fit(POINTS)
    rows = NEW[:3].astype(dtype)
    rows[:, 0] = missing
    labels, probabilities = model.approximate_predict(rows)
    assert (labels == -1).all()
    assert (probabilities == 0).all()
    members = model.membership_vector(rows)
    assert members.shape == (3, model.n_clusters_)
    assert (members == 0).all()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_predictions_are_of_the_fit_whatever_the_parameters_are_now(metric):
    model = HDBSCAN(12, 4, metric=metric, alpha=1.3).fit(POINTS)
    wanted = *model.approximate_predict(NEW), model.membership_vector(NEW)
    model = HDBSCAN(12, 4, metric=metric, alpha=1.3).fit(POINTS)
    other = "cosine" if metric == "euclidean" else "euclidean"
    model.set_params(min_samples=6_000, metric=other, alpha=50.0)
    found = *model.approximate_predict(NEW), model.membership_vector(NEW)
    for ours, theirs in zip(found, wanted, strict=True):
        checks.assert_same_bits(ours, theirs)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_blocks_of_new_points_change_nothing(metric, monkeypatch):
    done = []
    model = HDBSCAN(12, 4, metric=metric).fit(POINTS)
    new = np.insert(NEW, [0, 70, 200], np.nan, axis=0)
    wanted = *model.approximate_predict(new), model.membership_vector(new)
    monkeypatch.setattr(_core, "rows_to_place", lambda *given: 7)
    model.set_params(progress=lambda *counts: done.append(counts))
    found = *model.approximate_predict(new), model.membership_vector(new)
    for ours, theirs in zip(found, wanted, strict=True):
        checks.assert_same_bits(ours, theirs)
    assert done == [(min(first + 7, 200), 200) for first in range(0, 200, 7)]


def test_predictions_stay_within_the_memory_limit():
    points, limit = np.random.default_rng(0).normal(size=(20_000, 2)), 20_000_000
    model = HDBSCAN(5, 200, memory_limit=limit).fit(points)
    labels = model.condensed_tree_ and model.approximate_predict(points[:9])[0].tolist()
    for size in (limit, limit // 8):
        model.set_params(memory_limit=size)
        tracemalloc.start()
        assert model.approximate_predict(points)[0][:9].tolist() == labels
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < size + 12 * len(points) + 500_000  # beside the results
    model.set_params(memory_limit=1000)
    with checks.raises_sentence(MemoryError, "search for neighbours", "1000 bytes"):
        model.approximate_predict(points[:9])


@pytest.mark.parametrize("call", ["approximate_predict", "membership_vector"])
@pytest.mark.parametrize("limit", [10_000, 30_000])
def test_first_predictions_stay_within_the_memory_limit(call, limit):
    model = HDBSCAN(12, 5).fit(POINTS).set_params(memory_limit=limit)
    with checks.raises_sentence(MemoryError, "memory_limit"):
        getattr(model, call)(NEW[:3])
    model.set_params(memory_limit=None)
    assert len(getattr(model, call)(NEW[:3])) > 0


@pytest.mark.parametrize("samples", [1, 2, 5])
@pytest.mark.parametrize(("dtype", "far"), [(np.float64, 1e200), (np.float32, 1e200)])
def test_new_points_at_no_finite_distance_are_noise(dtype, far, samples):
    model = HDBSCAN(12, samples, allow_single_cluster=True).fit(POINTS.astype(dtype))
    new = np.r_[POINTS[:3], [[far, 0.0], [-far, far]]]
    labels, probabilities = model.approximate_predict(new)
    members = model.membership_vector(new)
    near = model.approximate_predict(new[:3].astype(dtype))
    assert labels.tolist() == [*near[0].tolist(), -1, -1]
    assert probabilities.tolist() == [*near[1].tolist(), 0, 0]
    checks.assert_same_bits(members[:3], model.membership_vector(new[:3].astype(dtype)))
    assert not members[3:].any()
    assert model.approximate_predict(new[3:])[0].tolist() == [-1, -1]


def test_some_neighbours_at_no_finite_distance():
    """The fourth neighbours of the new point are too far for a square, but not its first ones."""
    points = np.array([[0.0], [1.0], [1e154], [2e154], [2.5e154], [3e154]])
    model = HDBSCAN(2, 2, allow_single_cluster=True).fit(points)
    labels, probabilities = model.approximate_predict([[-5e153]])
    assert labels.tolist() == [0]
    assert probabilities[0] >= 0
    assert np.isfinite(model.membership_vector([[-5e153]])).all()


@pytest.mark.parametrize("scale", [2.0**510, 2.0**1000, 2.0**-600, 2.0**-1000])
def test_medoids_where_squares_overflow_or_vanish(scale):
    rng = np.random.default_rng(4)
    points, weights = rng.normal(size=(40, 3)), rng.random(40) + 0.01
    labels = np.repeat(np.arange(2, dtype=np.int32), 20)
    wanted = _core.medoids(points, labels, weights, 2)
    assert _core.medoids(points * scale, labels, weights, 2).tolist() == wanted.tolist()


def test_centres_of_a_cluster_wider_than_squares():
    """A chain whose edges have squares, while the distance of its ends has none."""
    chain = np.arange(20.0)[:, np.newaxis] * 8e153
    model = HDBSCAN(3, 2, allow_single_cluster=True, store_centers="both").fit(chain)
    assert model.medoids_.tolist() == [[9 * 8e153]]


@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("n", [1, 2, 30, 500])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_medoids_have_the_least_sums(n, d, dtype):
    rng = np.random.default_rng(n + d)
    points = rng.normal(size=(n, d)).astype(dtype)
    if n == 500:
        points = np.r_[points, points[:200], np.zeros((100, d), dtype)]  # duplicates
        points = points[rng.permutation(len(points))]
    labels = rng.integers(-1, 3, len(points)).astype(np.int32)
    labels[: min(3, len(points))] = np.arange(min(3, len(points)))
    k = int(labels.max()) + 1
    weights = rng.random(len(points)) + 0.01
    rows = _core.medoids(points, labels, weights, k)
    centroids = _core.centroids(points, labels, weights, k)
    for label in range(k):
        mine = np.flatnonzero(labels == label)
        sums = hdbscan_oracle.medoid_sums(points[mine], weights[mine])
        assert sums[mine.tolist().index(rows[label])] <= sums.min() * (1 + 1e-9)
        mean = np.average(points[mine].astype(np.float64), axis=0, weights=weights[mine])
        np.testing.assert_allclose(centroids[label], mean, rtol=1e-9, atol=1e-12)


def test_medoid_of_a_large_cluster(device):
    """More points than a block of sums has, and too many for a matrix of distances."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(60_000, 3))
    labels, weights = np.zeros(len(points), np.int32), rng.random(len(points))
    row = _core.medoids(points, labels, weights, 1)[0]
    near = np.argsort((points**2).sum(axis=1))[:40]
    sums = [(np.sqrt(((points - points[i]) ** 2).sum(axis=1)) * weights).sum() for i in near]
    assert row == near[np.argmin(sums)]


@pytest.mark.parametrize("max_leaves", [1, 3, 50])
def test_picture(max_leaves):
    model = HDBSCAN(4, 3).fit(POINTS)
    ax = model.plot_condensed_tree(max_leaves=max_leaves, log_size=True)
    bars = ax.collections[0]
    assert len(bars.get_paths()) > 0
    assert bars.get_array().max() == pytest.approx(np.log10(600))
    low, high = ax.get_ylim()
    assert low > high == 0  # density grows downwards
    assert ax.get_ylabel() == "lambda (1 / distance)"
    texts = {text.get_text() for text in ax.texts}
    assert texts <= {str(label) for label in range(model.n_clusters_)}
    # A bar has as many points at each density as have not left it.
    tree = model.condensed_tree_
    if max_leaves == 50 and tree.n_clusters == 2 * 50 - 1:
        assert len(texts) == model.n_clusters_
    matplotlib.pyplot.close("all")
    ax = model.condensed_tree_.plot(select_clusters=False, colorbar=False)
    assert not ax.patches
    matplotlib.pyplot.close("all")


def test_bars_have_the_widths_of_their_clusters():
    """Two blobs of known sizes: the root is as wide as all points, its children as theirs."""
    rng = np.random.default_rng(0)
    points = np.r_[rng.normal(0, 0.1, (70, 2)), rng.normal(9, 0.1, (30, 2))]
    model = HDBSCAN(20, 3).fit(points)
    ax = wg.plot.condensed_tree(model.condensed_tree_, label_clusters=False)
    corners = [path.vertices for path in ax.collections[0].get_paths()]
    widths = [np.ptp(corner[:, 0]) for corner in corners]
    assert max(widths) == 100
    frames = sorted(frame.get_width() for frame in ax.patches)
    assert frames == [30, 70]
    left = [np.array(corner)[:, 0].min() for corner in corners]
    assert min(left) == 0
    with checks.raises_sentence(ValueError, "max_leaves", "0"):
        wg.plot.condensed_tree(model.condensed_tree_, max_leaves=0)
    with checks.raises_sentence(TypeError, "log_size", "'yes'"):
        wg.plot.condensed_tree(model.condensed_tree_, log_size="yes")
    alone = HDBSCAN(2, 1).fit([[0.0], [1.0]])
    assert alone.plot_condensed_tree() is not None
    matplotlib.pyplot.close("all")
