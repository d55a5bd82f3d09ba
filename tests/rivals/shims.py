"""Classes and functions with the signatures of other packages, which call this one.

They translate what docs/from-hdbscan.md says: names of methods, and what ``min_samples`` counts.
They take, check and drop parameters that choose how the same result is computed. Everything else
is this package's own.
"""

import numpy as np

import warpgraph as wg

#: Parameters of theirs that choose how the same result is computed, or keep more of it.
_SKLEARN_ALGORITHMS = ("auto", "brute", "kd_tree", "ball_tree")
_HDBSCAN_ALGORITHMS = ("best", "generic")
_TREE_ALGORITHMS = ("prims_kdtree", "prims_balltree", "boruvka_kdtree", "boruvka_balltree")


class FromSklearnHDBSCAN(wg.cluster.HDBSCAN):
    """scikit-learn's HDBSCAN."""

    def __init__(
        self,
        min_cluster_size=5,
        min_samples=None,
        cluster_selection_epsilon=0.0,
        max_cluster_size=None,
        metric="euclidean",
        metric_params=None,
        alpha=1.0,
        algorithm="auto",
        leaf_size=40,
        n_jobs=None,
        cluster_selection_method="eom",
        allow_single_cluster=False,
        store_centers=None,
        copy=False,
    ):
        if algorithm not in _SKLEARN_ALGORITHMS:
            raise ValueError(f"algorithm {algorithm!r}")
        super().__init__(
            min_cluster_size,
            min_samples,
            cluster_selection_epsilon=cluster_selection_epsilon,
            max_cluster_size=max_cluster_size,
            metric=metric,
            alpha=alpha,
            cluster_selection_method=cluster_selection_method,
            allow_single_cluster=allow_single_cluster,
            store_centers=store_centers,
            p=(metric_params or {}).get("p", 2.0),
        )


class FromSklearnDBSCAN(wg.cluster.DBSCANStar):
    """scikit-learn's DBSCAN, without border points."""

    def __init__(
        self,
        eps=0.5,
        *,
        min_samples=5,
        metric="euclidean",
        metric_params=None,
        algorithm="auto",
        leaf_size=30,
        p=None,
        n_jobs=None,
    ):
        super().__init__(
            eps,
            min_samples=min_samples,
            metric=metric,
            p=(metric_params or {}).get("p", 2.0) if p is None else p,
        )
        self.metric_params, self.algorithm = metric_params, algorithm
        self.leaf_size, self.n_jobs = leaf_size, n_jobs


def dbscan(X, eps=0.5, *, sample_weight=None, **options):
    """Call sklearn.cluster.dbscan."""
    model = FromSklearnDBSCAN(eps, **options).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_


class FromSklearnKMeans(wg.cluster.KMeans):
    """scikit-learn's KMeans."""

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-4,
        verbose=0,
        random_state=None,
        copy_x=True,
        algorithm="lloyd",
    ):
        super().__init__(n_clusters, init, max_iter, tol, random_state=random_state, n_init=n_init)
        self.verbose, self.copy_x, self.algorithm = verbose, copy_x, algorithm


class MinimumSpanningTree:
    """hdbscan's minimum_spanning_tree_."""

    def __init__(self, model, points):
        self._model, self._points = model, points

    def plot(self, **options):
        """Draw it; colours and widths of lines are this package's."""
        points = self._points if self._points.shape[1] == 2 else None
        return self._model.plot_tree(points)

    def to_numpy(self):
        """Return rows of two ends and a distance."""
        return np.column_stack([self._model.mst_.edges, self._model.mst_.weights])

    def to_pandas(self):
        """Return the rows as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.to_numpy(), columns=["from", "to", "distance"])

    def to_networkx(self):
        """Return the tree as a graph."""
        return self._model.mst_.to_networkx()


class FromHdbscan(wg.cluster.HDBSCAN):
    """hdbscan's HDBSCAN: ``min_samples`` does not count the point itself."""

    def __init__(
        self,
        min_cluster_size=5,
        min_samples=None,
        cluster_selection_epsilon=0.0,
        cluster_selection_persistence=0.0,
        max_cluster_size=0,
        metric="euclidean",
        alpha=1.0,
        p=None,
        algorithm="best",
        leaf_size=40,
        memory=None,
        approx_min_span_tree=True,
        gen_min_span_tree=False,
        core_dist_n_jobs=4,
        cluster_selection_method="eom",
        allow_single_cluster=False,
        prediction_data=False,
        match_reference_implementation=False,
        cluster_selection_epsilon_max=float("inf"),
        **kwargs,
    ):
        _check_algorithm(algorithm, metric, leaf_size)
        super().__init__(
            min_cluster_size,
            _with_itself(min_cluster_size if min_samples is None else min_samples),
            cluster_selection_epsilon=cluster_selection_epsilon,
            cluster_selection_persistence=cluster_selection_persistence,
            max_cluster_size=max_cluster_size or None,
            metric=metric,
            alpha=alpha,
            p=2.0 if p is None and metric != "minkowski" else p,
            cluster_selection_method=cluster_selection_method,
            allow_single_cluster=allow_single_cluster,
            cluster_selection_epsilon_max=cluster_selection_epsilon_max,
        )

    @property
    def minimum_spanning_tree_(self):
        """The spanning tree, with hdbscan's methods."""
        return MinimumSpanningTree(self, self._points)

    def weighted_cluster_centroid(self, cluster):
        """Return the centroid of one cluster."""
        return self._centres().centroids_[self._cluster(cluster)]

    def weighted_cluster_medoid(self, cluster):
        """Return the medoid of one cluster."""
        return self._centres().medoids_[self._cluster(cluster)]

    def _centres(self):
        again = wg.cluster.HDBSCAN(self.min_cluster_size, self.min_samples, store_centers="both")
        return again.fit(self._points)

    def _cluster(self, cluster):
        if not 0 <= cluster < self.n_clusters_:
            raise ValueError(f"no cluster {cluster}")
        return cluster


def hdbscan(X, min_cluster_size=5, metric="minkowski", p=2, **options):
    """Call hdbscan.hdbscan."""
    model = FromHdbscan(min_cluster_size, metric=metric, p=p, **options).fit(X)
    trees = model.condensed_tree_, model.single_linkage_tree_, model.mst_
    return model.labels_, model.probabilities_, model.cluster_persistence_, *trees


def approximate_predict(model, new):
    """Call hdbscan.approximate_predict."""
    return model.approximate_predict(new)


def approximate_predict_scores(model, new):
    """Call hdbscan.approximate_predict_scores."""
    return model.approximate_predict_scores(new)


def membership_vector(model, new):
    """Call hdbscan.membership_vector."""
    return model.membership_vector(new)


def all_points_membership_vectors(model):
    """Call hdbscan.all_points_membership_vectors."""
    return model.all_points_membership_vectors()


class FromHdbscanLinkage(wg.cluster.RobustSingleLinkage):
    """hdbscan's RobustSingleLinkage."""

    def __init__(
        self,
        cut=0.4,
        k=5,
        alpha=2**0.5,
        gamma=5,
        metric="euclidean",
        algorithm="best",
        core_dist_n_jobs=4,
        metric_params=None,
    ):
        _check_algorithm(algorithm, metric)
        super().__init__(
            cut, _with_itself(k), alpha, gamma, metric=metric, p=(metric_params or {}).get("p", 2.0)
        )


def robust_single_linkage(X, cut, k=5, alpha=2**0.5, gamma=5, metric="euclidean", **options):
    """Call hdbscan.robust_single_linkage."""
    _check_algorithm(options.pop("algorithm", "best"), metric, options.pop("leaf_size", 40))
    model = wg.cluster.RobustSingleLinkage(
        cut, _with_itself(k), alpha, gamma, metric=metric, **options
    ).fit(X)
    return model.labels_, model.cluster_hierarchy_.to_numpy()


class FromFastHdbscan(wg.cluster.HDBSCAN):
    """fast_hdbscan's HDBSCAN: ``min_samples`` does not count the point itself."""

    def __init__(
        self,
        *,
        min_cluster_size=5,
        min_samples=None,
        cluster_selection_method="eom",
        allow_single_cluster=False,
        max_cluster_size=np.inf,
        cluster_selection_epsilon=0.0,
        cluster_selection_persistence=0.0,
        reproducible=False,
        metric="euclidean",
        algorithm="boruvka",
    ):
        super().__init__(
            min_cluster_size,
            _with_itself(min_cluster_size if min_samples is None else min_samples),
            cluster_selection_method=cluster_selection_method,
            allow_single_cluster=allow_single_cluster,
            max_cluster_size=None if max_cluster_size == np.inf else max_cluster_size,
            cluster_selection_epsilon=cluster_selection_epsilon,
            cluster_selection_persistence=cluster_selection_persistence,
            metric=metric,
        )


def fast_hdbscan(data, min_samples=10, min_cluster_size=10, return_trees=False, **options):
    """Call fast_hdbscan.fast_hdbscan."""
    weights = options.pop("sample_weights", None)
    model = FromFastHdbscan(min_samples=min_samples, min_cluster_size=min_cluster_size, **options)
    model.fit(data, sample_weight=weights)
    if not return_trees:
        return model.labels_, model.probabilities_
    trees = model.single_linkage_tree_, model.condensed_tree_, model.mst_
    return model.labels_, model.probabilities_, *trees, None, None


def compute_minimum_spanning_tree(data, min_samples=10, metric="euclidean", **options):
    """Call fast_hdbscan.hdbscan.compute_minimum_spanning_tree."""
    model = FromFastHdbscan(min_samples=min_samples, metric=metric, **options).fit(data)
    return np.column_stack([model.mst_.edges, model.mst_.weights]), None, None


def _with_itself(count):
    """Return a number of neighbours with the point itself; what is no number stays as it is."""
    return count + 1 if isinstance(count, int) and count >= 0 else count


def _check_algorithm(algorithm, metric, leaf_size=40):
    if algorithm not in (*_HDBSCAN_ALGORITHMS, *_TREE_ALGORITHMS):
        raise ValueError(f"algorithm {algorithm!r}")
    if leaf_size < 1:
        raise ValueError(f"leaf_size {leaf_size}")
    if metric == "precomputed" and algorithm in _TREE_ALGORITHMS:
        raise ValueError(f"algorithm {algorithm!r} with distances")
