"""HDBSCAN equals its definition, scikit-learn and the package hdbscan."""

import warnings

import numpy as np
import pytest
import sklearn.exceptions
from hypothesis import given, settings, strategies as st
from sklearn import cluster as sklearn_cluster
from sklearn.datasets import make_blobs, make_circles, make_moons

import checks
import hdbscan_oracle
import warpgraph as wg
from warpgraph import _core
from warpgraph.cluster import HDBSCAN

METHODS = ("eom", "leaf")


def random_data(seed):
    """Return points of a random data set: clusters of random number, spread and dimension."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(30, 300)), int(rng.integers(1, 6))
    spread = rng.uniform(0, 5)
    return rng.normal(size=(n, d)) + rng.integers(0, 4, (n, 1)) * spread, rng


def families():
    rng = np.random.default_rng(5)
    noise = rng.uniform(-3, 3, (60, 2))
    return {
        "blobs": make_blobs(300, centers=4, cluster_std=0.6, random_state=1)[0],
        "blobs of different densities": make_blobs(
            300, centers=3, cluster_std=(0.2, 0.8, 1.6), random_state=2
        )[0],
        "moons": make_moons(250, noise=0.06, random_state=3)[0],
        "circles in noise": np.r_[
            make_circles(240, factor=0.4, noise=0.04, random_state=4)[0], noise
        ],
        "noise": noise,
        "one blob": rng.normal(size=(100, 3)),
    }


FAMILIES = families()


def theirs(model, points):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(points)


def tree_of(linkage):
    """Return the tree of a dendrogram: of each join, a point of either side."""
    n = len(linkage) + 1
    first = list(range(n))
    edges = []
    for a, b in linkage[:, :2].astype(int).tolist():
        edges.append((first[a], first[b]))
        first.append(first[a])
    return wg.SpanningForest(n, np.array(edges).reshape(-1, 2), linkage[:, 2])


def distinct(heights):
    """Return positive heights that ascend, of which equal ones are made distinct."""
    ascending = heights.copy()
    for i in range(1, len(heights)):
        ascending[i] = max(heights[i], np.nextafter(ascending[i - 1], np.inf))
    return ascending


def linkage_of_sklearn(model):
    tree = model._single_linkage_tree_
    names = ("left_node", "right_node", "value", "cluster_size")
    return np.stack([tree[name] for name in names], axis=1).astype(np.float64)


def assert_same_clusters(labels, probabilities, expected_labels, expected_probabilities):
    assert checks.same_partition(labels, expected_labels)
    assert ((labels < 0) == (expected_labels < 0)).all()
    np.testing.assert_allclose(probabilities, expected_probabilities, rtol=1e-9, atol=1e-12)


def assert_equals_definition(model, root):
    """The condensed tree, stabilities and outlier scores are those of the definition."""
    tree = model.condensed_tree_
    members = [set() for _ in range(tree.n_clusters)]
    for point, cluster in enumerate(tree.point_clusters.tolist()):
        while cluster >= 0:
            members[cluster].add(point)
            cluster = tree.parents[cluster]
    clusters = {cluster.points: cluster for cluster in root.below()}
    assert len(clusters) == tree.n_clusters
    for c, points in enumerate(members):
        wanted = clusters[frozenset(points)]
        assert tree.births[c] == wanted.birth
        assert tree.deaths[c] == wanted.death
        assert tree.sizes[c] == len(wanted.points)
        np.testing.assert_allclose(tree.stabilities[c], wanted.stability, rtol=1e-9, atol=1e-12)
        parent = tree.parents[c]
        assert (parent < 0) == (wanted.parent is None)
        assert parent < 0 or frozenset(members[parent]) == wanted.parent.points
    for cluster in clusters.values():
        for point, leaving in cluster.leaves.items():
            assert tree.point_lambdas[point] == leaving
    np.testing.assert_allclose(model.outlier_scores_, hdbscan_oracle.glosh(root), atol=1e-12)


@settings(max_examples=60)
@given(st.integers(3, 60), st.integers(2, 8), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_equals_the_definition(n, min_size, min_samples, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2)) + rng.integers(0, 3, (n, 1)) * 3
    if seed % 3 == 0:  # ties
        points = rng.permutation(100)[:n, None] // 10 * [1.0, 0] + rng.permutation(100)[
            :n, None
        ] % 10 * [0, 1.0]
        points = np.unique(points, axis=0)
    min_samples = min(min_samples, len(points))
    if len(points) == 1:
        return
    model = HDBSCAN(min_size, min_samples).fit(points)
    reach = hdbscan_oracle.mutual_reachability(points, min_samples)
    upper = reach[np.triu_indices(len(points), 1)]
    assert np.isin(model.mst_.weights.round(9), upper.round(9)).all()
    merges = hdbscan_oracle.merge_tree(len(points), hdbscan_oracle.pairs_of(reach))
    root = hdbscan_oracle.condensed_tree(merges, min_size)
    assert_equals_definition(model, root)
    if len(root.below()) <= 25:
        tree = model.condensed_tree_
        mass = tree.stabilities[tree.selected].sum()
        assert mass == pytest.approx(hdbscan_oracle.best_mass(root))
        single = HDBSCAN(min_size, min_samples, allow_single_cluster=True).fit(points)
        mass = tree.stabilities[single.condensed_tree_.selected].sum()
        assert mass == pytest.approx(hdbscan_oracle.best_mass(root, allow_single_cluster=True))


@pytest.mark.parametrize("seed", range(100))
def test_equals_scikit_learn_where_trees_are_unique(seed):
    """With at most two samples, mutual-reachability distances are those of points: no ties."""
    points, rng = random_data(seed)
    size, samples = int(rng.integers(2, 12)), int(rng.integers(1, 3))
    options = {"cluster_selection_method": str(rng.choice(METHODS))}
    # With both, scikit-learn fails with a KeyError where one cluster remains.
    options.update([{"allow_single_cluster": True}, {"max_cluster_size": 40}][rng.integers(2)])
    model = HDBSCAN(size, samples, store_centers="both", **options).fit(points)
    other = sklearn_cluster.HDBSCAN(
        size, min_samples=samples, store_centers="both", copy=True, **options
    )
    theirs(other, points)
    assert_same_clusters(model.labels_, model.probabilities_, other.labels_, other.probabilities_)
    for label in range(model.n_clusters_):
        mine = model.labels_ == label
        same = other.labels_[mine][0]
        np.testing.assert_allclose(model.centroids_[label], other.centroids_[same])
        # Of two medoids with equal sums, such as in one dimension, rounding decides there.
        sums = hdbscan_oracle.medoid_sums(points[mine], model.probabilities_[mine])
        row = int(np.flatnonzero((points[mine] == model.medoids_[label]).all(axis=1))[0])
        assert sums[row] <= sums.min() * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(100, 200))
def test_equals_scikit_learn_on_its_tree(seed):
    """With more samples many distances are equal, and there are many lightest trees.

    scikit-learn's tree has the same weights as ours. Where it joins two parts after the other at
    one height, the clusters are the same if these heights are made distinct.
    """
    functions = pytest.importorskip("sklearn.cluster._hdbscan._tree")
    points, rng = random_data(seed)
    size, samples = int(rng.integers(2, 12)), int(rng.integers(3, 12))
    method, single = str(rng.choice(METHODS)), bool(rng.integers(2))
    options = {"cluster_selection_method": method, "allow_single_cluster": single}
    other = theirs(sklearn_cluster.HDBSCAN(size, min_samples=samples, copy=True, **options), points)
    linkage = linkage_of_sklearn(other)
    model = HDBSCAN(size, samples, **options)
    np.testing.assert_allclose(model.fit(points).mst_.weights, linkage[:, 2])
    rows = other._single_linkage_tree_.copy()
    rows["value"] = linkage[:, 2] = distinct(linkage[:, 2])
    labels, probabilities = functions.tree_to_labels(rows, size, method, single)
    model.fit(tree_of(linkage))
    assert_same_clusters(model.labels_, model.probabilities_, labels, probabilities)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", FAMILIES)
def test_families_equal_scikit_learn(name, method, device):
    points = FAMILIES[name]
    for size, samples in ((5, 2), (12, 1)):
        options = {"cluster_selection_method": method}
        model = HDBSCAN(size, samples, device=device, **options).fit(points)
        other = sklearn_cluster.HDBSCAN(size, min_samples=samples, copy=True, **options)
        theirs(other, points)
        assert_same_clusters(
            model.labels_, model.probabilities_, other.labels_, other.probabilities_
        )
        checks.assert_labels_canonical(model.labels_[model.labels_ >= 0], model.n_clusters_)


@pytest.mark.parametrize("seed", range(60))
def test_equals_hdbscan(seed):
    """Also the options that scikit-learn lacks. Its min_samples does not count the point itself."""
    package = pytest.importorskip("hdbscan")
    points, rng = random_data(seed)
    size = int(rng.integers(2, 12))
    options = {
        "cluster_selection_method": str(rng.choice(METHODS)),
        "allow_single_cluster": bool(rng.integers(2)),
        "cluster_selection_epsilon": float(rng.choice([0, 0.3, 0.8])),
    }
    model = HDBSCAN(size, 2, **options).fit(points)
    other = theirs(package.HDBSCAN(size, 1, approx_min_span_tree=False, **options), points)
    assert_same_clusters(model.labels_, model.probabilities_, other.labels_, other.probabilities_)
    np.testing.assert_allclose(model.outlier_scores_, other.outlier_scores_, atol=1e-9)
    if model.n_clusters_:  # hdbscan also lists a root that no point stays in
        np.testing.assert_allclose(
            np.sort(model.cluster_persistence_), np.sort(other.cluster_persistence_)
        )
    np.testing.assert_allclose(
        np.sort(model.condensed_tree_.to_numpy()["lambda_val"]),
        np.sort(other.condensed_tree_.to_numpy()["lambda_val"]),
    )


@pytest.mark.parametrize("seed", range(60))
def test_equals_hdbscan_on_one_tree(seed):
    """Any number of samples, and any options, with the package's own functions for our tree.

    They join two parts at a time, so equal heights are made distinct first. Then they take our
    condensed tree of the points, where clusters may have more than two children, as it is.
    """
    package = pytest.importorskip("hdbscan._hdbscan_tree")
    points, rng = random_data(seed)
    size, samples = int(rng.integers(2, 12)), int(rng.integers(1, 12))
    method, single = str(rng.choice(METHODS)), bool(rng.integers(2))
    epsilon, most = float(rng.choice([0, 0.3, 0.8])), int(rng.choice([0, 20, 50]))
    persistence = float(rng.choice([0, 0.1, 0.3, 1]))
    epsilon_max = float(rng.choice([np.inf, 2.0, 1.0]))
    model = HDBSCAN(
        size,
        samples,
        cluster_selection_method=method,
        allow_single_cluster=single,
        cluster_selection_epsilon=epsilon,
        cluster_selection_epsilon_max=epsilon_max,
        cluster_selection_persistence=persistence,
        max_cluster_size=most or None,
    ).fit(points)
    # simplify_hierarchy rounds lambdas to float32.
    tolerance = {"rtol": 1e-5, "atol": 1e-6} if persistence else {"rtol": 1e-9, "atol": 1e-12}

    def assert_same_as(tree):
        stability = package.compute_stability(tree)
        labels, probabilities, _ = package.get_clusters(
            tree, stability, method, single, False, epsilon, most, epsilon_max
        )
        assert checks.same_partition(model.labels_, labels)
        assert ((model.labels_ < 0) == (labels < 0)).all()
        np.testing.assert_allclose(model.probabilities_, probabilities, **tolerance)
        np.testing.assert_allclose(model.outlier_scores_, package.outlier_scores(tree), **tolerance)

    assert_same_as(model.condensed_tree_.to_numpy())
    linkage = model.linkage_.copy()
    linkage[:, 2] = distinct(linkage[:, 2])
    model.fit(tree_of(linkage))
    tree = package.condense_tree(linkage, size)
    if persistence > 0 and (tree["child"] >= len(points)).any():
        tree = package.simplify_hierarchy(tree, persistence)
    assert_same_as(tree)


def test_same_on_every_device_and_number_of_threads(device):
    points = FAMILIES["circles in noise"]
    wanted = HDBSCAN(4, 4, device="cpu", store_centers="both").fit(points)
    model = HDBSCAN(4, 4, device=device, store_centers="both").fit(points)
    checks.assert_same_bits(model.labels_, wanted.labels_)
    checks.assert_same_bits(model.probabilities_, wanted.probabilities_)
    checks.assert_same_bits(model.condensed_tree_.stabilities, wanted.condensed_tree_.stabilities)
    checks.assert_same_bits(model.centroids_, wanted.centroids_)
    checks.assert_same_bits(model.medoids_, wanted.medoids_)


TWO_PAIRS = [[0.0], [0.1], [9.0], [9.1]]


ATTRIBUTES = [
    *("labels_", "probabilities_", "n_clusters_", "cluster_persistence_", "outlier_scores_"),
    *("centroids_", "medoids_", "exemplars_", "condensed_tree_", "single_linkage_tree_"),
    *("linkage_", "children_", "distances_", "mst_", "n_features_in_"),
]


def fitted(model):
    """Return the attributes of a fit that a model has."""
    return [name for name in ATTRIBUTES if hasattr(model, name)]


def interrupted(*args, **kwargs):
    raise KeyboardInterrupt


@pytest.mark.parametrize("part", ["select_clusters", "condense", "emst", "medoids"])
def test_an_interrupted_fit_leaves_none(part, monkeypatch):
    model = HDBSCAN(2, 2, store_centers="both", device="cpu").fit(TWO_PAIRS)
    assert fitted(model) == ATTRIBUTES
    monkeypatch.setattr(_core, part, interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(TWO_PAIRS)
    assert fitted(model) == []


def test_an_interrupted_selection_changes_nothing(monkeypatch):
    model = HDBSCAN(2, 2, store_centers="both", device="cpu").fit(TWO_PAIRS)
    before = dict(vars(model))
    monkeypatch.setattr(_core, "select_clusters", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.recluster(3)
    assert vars(model) == before


def test_centres_are_of_the_last_fit():
    model = HDBSCAN(2, 2, store_centers="both").fit(TWO_PAIRS)
    assert model.centroids_.shape == model.medoids_.shape == (2, 1)
    model.set_params(store_centers="medoid").fit(TWO_PAIRS)
    assert not hasattr(model, "centroids_")
    assert model.medoids_.shape == (2, 1)
    model.set_params(store_centers=None).fit([[0.0], [1.0], [2.5], [7.0]])
    assert not hasattr(model, "medoids_")


@pytest.mark.parametrize(
    ("parameter", "points"),
    [
        ({"min_samples": 0}, np.arange(20.0)[:, None]),
        ({}, np.zeros((0, 1))),
        ({"metric": "euclid"}, np.arange(20.0)[:, None]),
    ],
)
def test_a_fit_that_fails_leaves_none(parameter, points):
    model = HDBSCAN(3, device="cpu").fit(np.arange(20.0)[:, None])
    model.set_params(**parameter)
    with pytest.raises(ValueError, match=r"min_samples|no points|metric"):
        model.fit(points)
    assert fitted(model) == []
    for call in (lambda: model.recluster(4), lambda: model.approximate_predict([[1.0]])):
        with pytest.raises(sklearn.exceptions.NotFittedError):
            call()
