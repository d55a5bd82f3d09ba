"""HDBSCAN and DBSCANStar where something is missing: coordinates, points, neighbours, clusters."""

import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.spatial.distance import cdist
from sklearn import cluster
from sklearn.cluster import DBSCAN

import checks
import hdbscan_oracle
import warpgraph as wg
from warpgraph.cluster import HDBSCAN, DBSCANStar, RobustSingleLinkage

FOUR = [[0.0], [1.0], [2.1], [3.3]]
OF_POINTS = ("labels_", "probabilities_", "outlier_scores_")
OF_CLUSTERS = ("cluster_persistence_", "centroids_", "medoids_")
OF_TREE = ("parents", "births", "deaths", "stabilities")


def fitted_by_hdbscan(points, size, samples, **options):
    """Return the fit of the package hdbscan, whose min_samples does not count the point itself."""
    package = pytest.importorskip("hdbscan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return package.HDBSCAN(
            size, min_samples=samples - 1, approx_min_span_tree=False, **options
        ).fit(points)


# Missing points.


@pytest.mark.parametrize("missing", [np.nan, np.inf, -np.inf])
def test_a_missing_row_beside_fewer_points_than_a_cluster_has(missing):
    model = HDBSCAN(5, 1).fit([*FOUR, [missing]])
    assert model.labels_.tolist() == [-1] * 5
    assert model.probabilities_.tolist() == [0] * 5
    assert model.outlier_scores_.tolist() == [0, 0, 0, 0, 1]
    assert model.condensed_tree_.outlier_scores.tolist() == [0, 0, 0, 0, 1]
    assert model.condensed_tree_.point_lambdas.tolist() == [*[1 / (3.3 - 2.1)] * 4, 0]
    theirs = fitted_by_hdbscan([*FOUR, [missing]], 5, 2)
    assert theirs.outlier_scores_.tolist() == [0, 0, 0, 0, 1]


def test_a_missing_row_beside_one_finite_row():
    model = HDBSCAN(2, 1).fit([[3.0, 4.0], [np.nan, 0.0]])
    assert model.labels_.tolist() == [-1, -1]
    assert model.outlier_scores_.tolist() == [0, 1]
    assert model.condensed_tree_.sizes.tolist() == [2]


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("samples", [1, 5])
@pytest.mark.parametrize("n", [1, 2, 20])
def test_missing_rows_alone_are_noise(n, samples, metric, single):
    X = np.full((n, 2), np.nan)
    X[: n // 2, 0] = np.inf
    model = HDBSCAN(
        5, samples, metric=metric, allow_single_cluster=single, store_centers="both"
    ).fit(X)
    assert model.n_clusters_ == 0
    assert model.labels_.tolist() == [-1] * n
    assert model.probabilities_.tolist() == [0] * n
    assert model.outlier_scores_.tolist() == [1] * n
    assert model.condensed_tree_.sizes.tolist() == [n]
    assert model.condensed_tree_.point_lambdas.tolist() == [0] * n
    assert len(model.mst_.edges) == 0
    assert [len(getattr(model, name)) for name in OF_CLUSTERS] == [0, 0, 0]
    assert model.exemplars_ == []
    assert model.sweep([2, 5]).labels.tolist() == [[-1] * n] * 2
    assert model.sweep([2, 5]).probabilities.tolist() == [[0] * n] * 2
    assert model.recluster(2).labels_.tolist() == [-1] * n
    assert model.dbscan_clustering(1.0, 1).tolist() == [-1] * n
    assert [found.tolist() for found in model.approximate_predict([[1.0, 2.0]])] == [[-1], [0]]
    star = DBSCANStar(1.0, min_samples=samples, metric=metric).fit(X)
    assert star.labels_.tolist() == [-1] * n
    assert star.core_distances_.tolist() == [np.inf] * n


@settings(max_examples=80)
@given(st.data())
def test_missing_rows_change_nothing_for_the_others(data):
    """Each result of the finite rows has the bits that the finite rows alone give."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, n_missing = data.draw(st.integers(1, 60)), data.draw(st.integers(1, 400))
    points = rng.normal(size=(n, 2)) + rng.integers(0, 3, (n, 1)) * 4
    if data.draw(st.booleans()):  # ties
        points = np.round(points)
    metric = data.draw(st.sampled_from(("euclidean", "cosine")))
    points[(points == 0).all(axis=1)] = 1
    options = {
        "min_cluster_size": data.draw(st.integers(2, 12)),
        "min_samples": data.draw(st.integers(1, min(n, 9))),
        "metric": metric,
        "allow_single_cluster": data.draw(st.booleans()),
        "cluster_selection_method": data.draw(st.sampled_from(("eom", "leaf"))),
        "cluster_selection_persistence": data.draw(st.sampled_from((0.0, 0.2))),
        "store_centers": "both",
    }
    rows = np.sort(rng.permutation(n + n_missing)[:n])
    whole = np.full((n + n_missing, 2), np.inf)
    whole[:, rng.integers(2)] = rng.choice([0, np.nan], n + n_missing)
    whole[rows] = points
    missing = np.delete(np.arange(n + n_missing), rows)
    found, wanted = HDBSCAN(**options).fit(whole), HDBSCAN(**options).fit(points)
    for name in OF_POINTS:
        checks.assert_same_bits(getattr(found, name)[rows], getattr(wanted, name))
    for name in OF_CLUSTERS:
        checks.assert_same_bits(getattr(found, name), getattr(wanted, name))
    for name in OF_TREE:
        checks.assert_same_bits(
            getattr(found.condensed_tree_, name), getattr(wanted.condensed_tree_, name)
        )
    tree = found.condensed_tree_
    checks.assert_same_bits(tree.point_lambdas[rows], wanted.condensed_tree_.point_lambdas)
    assert not tree.point_lambdas[missing].any()
    assert (found.labels_[missing] == -1).all()
    assert (found.probabilities_[missing] == 0).all()
    assert (found.outlier_scores_[missing] == 1).all()
    for ours, theirs in zip(found.exemplars_, wanted.exemplars_, strict=True):
        checks.assert_same_bits(ours, theirs)
    members = found.all_points_membership_vectors()
    checks.assert_same_bits(members[rows], wanted.all_points_membership_vectors())
    assert not members[missing].any()
    for ours, theirs in zip(
        found.approximate_predict(points + 0.1),
        wanted.approximate_predict(points + 0.1),
        strict=True,
    ):
        checks.assert_same_bits(ours, theirs)
    sweep, alone = found.sweep([2, 5, 9]), wanted.sweep([2, 5, 9])
    checks.assert_same_bits(sweep.n_clusters, alone.n_clusters)
    checks.assert_same_bits(sweep.labels[:, rows], alone.labels)
    checks.assert_same_bits(sweep.probabilities[:, rows], alone.probabilities)
    assert (sweep.labels[:, missing] == -1).all()
    assert not sweep.probabilities[:, missing].any()
    for size in (1, 3):
        labels = found.dbscan_clustering(1.5, size)
        checks.assert_same_bits(labels[rows], wanted.dbscan_clustering(1.5, size))
        assert (labels[missing] == -1).all()
        checks.assert_same_bits(found.single_linkage_tree_.get_clusters(1.5, size), labels)
    eps = data.draw(st.sampled_from((0.0, 0.5, 2.0, np.inf)))
    star = DBSCANStar(eps, min_samples=options["min_samples"], metric=metric)
    labels, cores = star.fit(whole).labels_, star.core_distances_
    assert (labels[missing] == -1).all()
    assert np.isinf(cores[missing]).all()
    star.fit(points)
    checks.assert_same_bits(labels[rows], star.labels_)
    checks.assert_same_bits(cores[rows], star.core_distances_)


def test_results_with_missing_rows_are_written_to_out():
    points = np.array([[0.0], [0.1], [np.nan], [9.0], [9.1]])
    out = np.empty(5, np.int32), np.empty(5)
    model = HDBSCAN(2, 2).fit(points, out=out)
    assert model.labels_ is out[0]
    assert out[0].tolist() == [0, 0, -1, 1, 1]
    assert out[1].tolist() == [1, 1, 0, 1, 1]
    rows = np.empty((2, 5), np.int32), np.empty((2, 5))
    assert model.sweep([2, 3], out=rows).tolist() == [2, 0]
    assert rows[0].tolist() == [[0, 0, -1, 1, 1], [-1] * 5]
    assert rows[1].tolist() == [[1, 1, 0, 1, 1], [0] * 5]


# Fewer points than samples, or than a cluster has.


def forms_of_distances(points):
    full = cdist(points, points)
    graph = nx.from_numpy_array(full)
    graph.add_nodes_from(range(len(points)))
    return [full, sp.csr_array(full), wg.Graph(sp.csr_array(full)), graph]


def cosine_of_pair(a, b):
    return 1 - a @ b / np.sqrt(a @ a * (b @ b))


def assert_refused(model, points, name, value, n):
    """Assert that the fit, and what tells its plan, name the parameter and the number of points."""
    sentence = f"{name}={value} is more than there are points: n_samples={n}"
    for call in (model.fit, lambda X: wg.explain(model, X)):
        with pytest.raises(ValueError, match=sentence):
            call(points)
    assert not hasattr(model, "labels_")


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9])
def test_fewer_points_than_samples_are_refused(n, device):
    """As in scikit-learn: no point has a core distance, and all would be noise."""
    points = np.random.default_rng(n).normal(size=(n, 2)) + 3
    with_missing = np.insert(points, 0, np.nan, axis=0)  # which scikit-learn does not count
    if n > 1:
        with pytest.raises(ValueError, match=f"{n + 1}.* must be at most .*{n}"):
            cluster.HDBSCAN(min_samples=n + 1, copy=True).fit(with_missing)
    for size in (2, 5, 20):
        for metric in ("euclidean", "cosine", "manhattan", cosine_of_pair):
            model = HDBSCAN(size, n + 1, metric=metric, device=device)
            for X in (points, with_missing):
                assert_refused(model, X, "min_samples", n + 1, n)
    by_default = HDBSCAN(n + 1, metric="euclidean", device=device)
    assert_refused(by_default, points, "min_cluster_size", n + 1, n)
    robust = RobustSingleLinkage(k=n + 1, device=device)
    for form in (points, with_missing):
        with pytest.raises(ValueError, match=f"k={n + 1} is more .* n_samples={n}$"):
            robust.fit(form)
    for form in forms_of_distances(points):
        # A full matrix is searched on cores only.
        where = "cpu" if isinstance(form, np.ndarray) else device
        for model in (HDBSCAN(2, n + 1), RobustSingleLinkage(k=n + 1)):
            model.set_params(metric="precomputed", device=where)
            with pytest.raises(ValueError, match=f"={n + 1} is more .* n_samples={n}$"):
                model.fit(form)


def test_as_many_points_as_samples_are_enough(device):
    """As in scikit-learn, also for the least size of clusters, which may be more."""
    points = np.random.default_rng(0).normal(size=(9, 2))
    for size, samples in ((9, None), (2, 9), (50, 2)):
        found = HDBSCAN(size, samples, device=device).fit(points)
        wanted = cluster.HDBSCAN(size, min_samples=samples, copy=True).fit(points)
        assert found.labels_.tolist() == wanted.labels_.tolist()
    assert RobustSingleLinkage(9.0, 9, device=device).fit(points).labels_.tolist() == [0] * 9


def test_all_points_are_fewer_than_a_cluster_has():
    """With allow_single_cluster they are one cluster all the same, as for the other packages."""
    points = np.random.default_rng(0).normal(size=(7, 2))
    for single, label in ((False, -1), (True, 0)):
        model = HDBSCAN(15, 3, allow_single_cluster=single).fit(points)
        theirs = fitted_by_hdbscan(points, 15, 3, allow_single_cluster=single)
        assert model.labels_.tolist() == theirs.labels_.tolist() == [label] * 7
        assert model.outlier_scores_.tolist() == theirs.outlier_scores_.tolist() == [0] * 7


@pytest.mark.parametrize("eps", [0.1, 10.0, np.inf])
@pytest.mark.parametrize("n", [1, 4])
def test_dbscan_star_has_no_core_points_among_fewer_points_than_samples(n, eps):
    points = np.random.default_rng(n).normal(size=(n, 2)) + 3
    theirs = DBSCAN(min(eps, 1e300), min_samples=n + 1).fit(points)
    for metric, forms in (
        ("euclidean", [points]),
        ("cosine", [points]),
        ("precomputed", forms_of_distances(points)),
    ):
        for form in forms:
            model = DBSCANStar(eps, min_samples=n + 1, metric=metric).fit(form)
            assert model.labels_.tolist() == theirs.labels_.tolist() == [-1] * n
            assert model.n_clusters_ == 0
            assert model.core_sample_indices_.size == 0
            assert np.isinf(model.core_distances_).all()
            assert len(model.mst_) == 0
            assert np.isinf(model.linkage_[:, 2]).all()
            assert model.recut(1e9).labels_.tolist() == [-1] * n


def test_functions_that_return_distances_refuse_more_samples_than_points():
    for call in (
        lambda x, k: wg.cluster.core_distances(x, k),
        lambda x, k: wg.cluster.kneighbors_graph(x, k),
        lambda x, k: wg.cluster.euclidean_mst(x, min_samples=k),
        lambda x, k: wg.cluster.single_linkage(x, min_samples=k),
    ):
        with checks.raises_sentence(ValueError, "5", "4"):
            call(FOUR, 5)
        for nothing in (np.empty((0, 2)), np.empty((3, 0))):
            with checks.raises_sentence(ValueError, "0", "minimum of 1"):
                call(nothing, 1)


# Fewer neighbours than samples.


def chain(n):
    """A path graph: the ends have one neighbour, the others two."""
    return sp.csr_array(sp.diags_array([np.arange(1.0, n)] * 2, offsets=[-1, 1]))


@pytest.mark.parametrize("form", ["csr", "Graph", "named", "networkx"])
def test_a_point_with_too_few_neighbours_is_named(form):
    graph = chain(6)
    names = [f"stop {v}" for v in range(6)]
    made = {
        "csr": graph,
        "Graph": wg.Graph(graph),
        "named": wg.Graph(graph, names=names),
        "networkx": nx.relabel_nodes(nx.from_scipy_sparse_array(graph), dict(enumerate(names))),
    }[form]
    first = "point stop 0" if form in ("named", "networkx") else "point 0"
    model = HDBSCAN(2, 3, metric="precomputed")
    with checks.raises_sentence(
        ValueError, first, "1 neighbours", "1 more", "min_samples=3 needs 2", "lower min_samples"
    ):
        model.fit(made)
    assert HDBSCAN(2, 2, metric="precomputed").fit(made).mst_.n_trees == 1
    star = DBSCANStar(100.0, min_samples=3, metric="precomputed").fit(made)
    assert star.labels_.tolist() == [-1, 0, 0, 0, 0, -1]
    assert np.isinf(wg.cluster.core_distances(made, 3, metric="precomputed")).sum() == 2
    assert np.isinf(wg.cluster.single_linkage(made, min_samples=3)[:, 2]).sum() == 2


def test_the_other_packages_refuse_it_too():
    package = pytest.importorskip("hdbscan")
    with pytest.raises(ValueError, match="less than 2 neighbors"):
        package.HDBSCAN(2, min_samples=2, metric="precomputed").fit(chain(6))


@pytest.mark.filterwarnings("ignore:the COO matrix has .* parallel entries")
def test_what_counts_as_a_neighbour():
    """Not the point itself, nor the same neighbour twice, nor one at a distance of inf."""
    loops = chain(5) + sp.diags_array(np.ones(5))
    twice = sp.coo_array(
        (np.ones(4), ([0, 0, 1, 2], [1, 1, 2, 0])), shape=(3, 3)
    )  # parallel arcs; vertex 0 and 1 have two neighbours each, as has 2
    far = sp.csr_array(np.array([[0, 1, np.inf], [1, 0, 1], [np.inf, 1, 0.0]]))
    for graph in (loops, far):
        with checks.raises_sentence(ValueError, "point 0 has 1 neighbours"):
            HDBSCAN(2, 3, metric="precomputed").fit(graph)
    assert HDBSCAN(2, 3, metric="precomputed").fit(twice).labels_.tolist() == [-1] * 3


def test_components_may_be_apart_if_all_points_have_neighbours():
    blob = cdist(*[np.random.default_rng(0).random((8, 2))] * 2)
    model = HDBSCAN(5, 3, metric="precomputed").fit(sp.block_diag([sp.csr_array(blob)] * 2))
    assert checks.same_partition(model.labels_, np.repeat([0, 1], 8))
    alone = sp.block_diag([*[sp.csr_array(blob)] * 2, sp.csr_array((1, 1))])
    with checks.raises_sentence(ValueError, "point 16 has 0 neighbours"):
        HDBSCAN(5, 3, metric="precomputed").fit(alone)
    assert HDBSCAN(5, 1, metric="precomputed").fit(alone).labels_[16] == -1


def test_a_full_matrix_with_too_few_distances_warns():
    full = np.full((7, 7), np.inf)
    full[:6, :6] = cdist(*[np.arange(6.0)[:, None] ** 1.5] * 2)
    full[6, 0] = full[0, 6] = 1
    with pytest.warns(UserWarning, match=r"1 points, of which 6 is the first.*min_samples=3"):
        model = HDBSCAN(2, 3, metric="precomputed").fit(full)
    assert model.labels_[6] == -1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HDBSCAN(2, 2, metric="precomputed").fit(full)


# Distances that are divided, and other names of metrics.


@pytest.mark.parametrize("samples", [1, 2, 5])
@pytest.mark.parametrize("alpha", [0.5, 1.3, 4.0])
def test_alpha_of_precomputed_distances(samples, alpha, device):
    points = np.random.default_rng(3).normal(size=(60, 2))
    full = cdist(points, points)
    reach = hdbscan_oracle.mutual_reachability(points, samples, alpha)
    weights = np.sort(sp.csgraph.minimum_spanning_tree(reach).data)
    options = {"alpha": alpha, "metric": "precomputed", "device": device}
    for distances in forms_of_distances(points):
        model = HDBSCAN(5, samples, **options).fit(distances)
        np.testing.assert_allclose(model.mst_.weights, weights)
        first = HDBSCAN(5, samples, **options).fit(full)
        checks.assert_same_bits(model.mst_.edges, first.mst_.edges)
        checks.assert_same_bits(model.labels_, first.labels_)
    if samples > 1:
        theirs = fitted_by_hdbscan(full.copy(), 5, samples, alpha=alpha, metric="precomputed")
        heights = np.sort(theirs.single_linkage_tree_.to_numpy()[:, 2])
        np.testing.assert_allclose(model.linkage_[:, 2], heights)
    if samples <= 2:  # no ties
        wanted = HDBSCAN(5, samples, alpha=alpha).fit(points)
        checks.assert_same_bits(model.labels_, wanted.labels_)


def test_distances_that_alpha_takes_out_of_range():
    for form in (np.asarray, sp.csr_array):
        full = form(np.array([[0, 1e300, 1], [1e300, 0, 1e300], [1, 1e300, 0]]))
        with checks.raises_sentence(OverflowError, "alpha=1e-10", "1e+300", "float64"):
            HDBSCAN(2, 1, alpha=1e-10, metric="precomputed").fit(full)
        small = form(np.array([[0, 1e-300, 1], [1e-300, 0, 1], [1, 1, 0]]))
        with checks.raises_sentence(OverflowError, "alpha=1e+100", "1e-300", "float64"):
            HDBSCAN(2, 1, alpha=1e100, metric="precomputed").fit(small)
        with checks.raises_sentence(ValueError, "alpha", "float32", "1e-100"):
            HDBSCAN(2, 1, alpha=1e-100, metric="precomputed").fit(small.astype(np.float32))


@pytest.mark.parametrize("name", ["l2", "minkowski", np.str_("l2"), np.str_("euclidean")])
def test_other_names_of_the_euclidean_metric(name):
    points = np.random.default_rng(0).normal(size=(40, 2))
    cluster = wg.cluster
    for call in (
        lambda m: HDBSCAN(4, 2, metric=m, store_centers="both").fit(points).medoids_,
        lambda m: HDBSCAN(4, 2, metric=m).fit(points).membership_vector(points),
        lambda m: DBSCANStar(metric=m).fit(points).labels_,
        lambda m: cluster.MSTClustering(3, metric=m).fit(points).add_points(points + 1).labels_,
        lambda m: cluster.single_linkage(points, metric=m),
        lambda m: cluster.single_linkage(points, metric=m, device="cpu"),
        lambda m: cluster.core_distances(points, 3, metric=m),
        lambda m: cluster.kneighbors_graph(points, 3, metric=m, mode="distance").toarray(),
    ):
        checks.assert_same_bits(call(name), call("euclidean"))
    graph = sp.csr_array(cdist(points, points))
    found = cluster.single_linkage(graph, metric=name)
    checks.assert_same_bits(found, cluster.single_linkage(graph))
    with checks.raises_sentence(ValueError, "add_edges", "precomputed"):
        cluster.MSTClustering(3, metric=name).fit(points).add_edges(graph)


@pytest.mark.parametrize("name", ["canberra", "Manhattan", "braycurtis", "sqeuclidean", "L2"])
def test_metrics_that_are_not_there(name):
    for call in (
        lambda m: HDBSCAN(4, 2, metric=m).fit(FOUR),
        lambda m: DBSCANStar(metric=m).fit(FOUR),
        lambda m: wg.cluster.MSTClustering(2, metric=m).fit(FOUR),
        lambda m: wg.cluster.single_linkage(FOUR, metric=m),
        lambda m: wg.cluster.core_distances(FOUR, 2, metric=m),
        lambda m: wg.cluster.kneighbors_graph(FOUR, 2, metric=m),
    ):
        with checks.raises_sentence(ValueError, "metric", "'euclidean'", repr(name)):
            call(name)


# Copies of points.


def test_few_copies_of_a_point_leave_together():
    """Their core distance is above 0, and they join each other and their neighbours at once."""
    points = [[3], [1], [2], [3], [2]]
    assert wg.cluster.core_distances(points, 5)[[0, 3]].tolist() == [2, 2]
    model = HDBSCAN(2, 5, allow_single_cluster=True).fit(points)
    assert model.labels_.tolist() == [-1, -1, 0, -1, 0]
    assert model.condensed_tree_.point_lambdas.tolist() == [0.5, 0.5, 1, 0.5, 1]


@settings(max_examples=60)
@given(st.integers(1, 6), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_as_many_copies_as_samples_stay_together(samples, size, seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 5, (int(rng.integers(samples, 40)), 1)).astype(float)
    model = HDBSCAN(size, samples).fit(points)
    for value in np.unique(points):
        copies = np.flatnonzero(points[:, 0] == value)
        if len(copies) >= max(samples, 2):
            assert len(set(model.labels_[copies])) == 1
            assert len(set(model.condensed_tree_.point_lambdas[copies])) == 1
            assert len(set(model.dbscan_clustering(1e-300, 1)[copies])) == 1
