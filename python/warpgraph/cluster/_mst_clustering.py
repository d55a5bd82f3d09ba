"""MSTClustering: clusters are the pieces of a spanning tree without its heavy edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpgraph._arguments import validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT, is_networkx
from warpgraph._arguments.points import (
    DevicePoints,
    as_points,
    on_host,
    points_anywhere,
    shape_of,
)
from warpgraph._graph.graph import as_graph
from warpgraph._graph.plan import planned
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.precomputed import is_graph
from warpgraph._trees.single_linkage import (
    in_order,
    merged,
    name_of_metric,
    spanning_forest_of,
    with_points,
)
from warpgraph.cluster import _cut
from warpgraph.cluster._base import require_features
from warpgraph.cluster._tree_clustering import TreeClustering

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from warpgraph._arguments import types


class MSTClustering(TreeClustering):
    """Clusters by removing the heaviest edges of the minimum spanning tree.

    The clusters are those of single linkage. They may have any shape; noise between them and narrow
    bridges join what should be apart.

    Parameters
    ----------
    n_clusters : int, optional
        Remove the heaviest edges until there are `n_clusters` clusters. Equally heavy edges are
        kept or removed together, so there are fewer clusters, with a warning, if `n_clusters` is
        between two numbers that are possible. SciPy's ``fcluster(criterion="maxclust")`` has the
        same rule; scikit-learn chooses by the order of the rows.
    distance_threshold : float, optional
        Remove all edges of at least this weight, as scikit-learn's ``AgglomerativeClustering`` with
        ``linkage="single"`` does: a distance of exactly `distance_threshold` separates. (SciPy's
        ``fcluster(criterion="distance")`` and DBSCAN join there.) At most one of `n_clusters` and
        `distance_threshold` may be given.
    cut : {"largest_gap", None}
        What to do when neither is given. "largest_gap" sorts the tree's edges by weight, and
        removes those above the largest gap between two that follow each other (of equal gaps, the
        one higher up). A tree with fewer than two edges or with equal weights is not cut. None:
        nothing is removed, and the clusters are the connected components.
    metric : str or callable
        As for `HDBSCAN`, but graphs of nearest neighbours are taken as they are: of two directions
        of an edge the lighter counts.
    device : str
        Where to run; see `warpgraph.devices`.
    p : float
        The exponent of the metric "minkowski", at least 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    min_cluster_size : int
        Pieces with fewer points are noise: their label is -1, and they are not counted as clusters.
        At most the number of points. With `n_clusters`, edges are removed until there are that many
        clusters of enough points.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``. The search for the tree reports.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        The cluster of each point, or -1; clusters are numbered in the order of their first points.
    n_clusters_ : int
        Number of clusters, without noise.
    n_connected_components_ : int
        Number of components of the graph; 1 for points.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : ndarray of str
        Names of the columns, if `X` was a data frame whose columns are all named by strings.
    mst_ : SpanningForest
        The minimum spanning tree, lightest edge first. Its attribute ``names`` has the nodes of a
        NetworkX graph in the order of `labels_`.
    linkage_ : ndarray of float64, shape (n - 1, 4)
        The dendrogram in SciPy's format; see `single_linkage`.
    children_ : ndarray of int64, shape (n - 1, 2)
        The clusters that each row of `linkage_` joins.
    distances_ : ndarray of float64, shape (n - 1,)
        The heights of those joins.
    threshold_ : float
        `distance_threshold`, if it was given. Else a height between the heaviest edge kept and the
        lightest removed, above the former and at most the latter, so that as `distance_threshold`
        it makes the same cut; inf if none was removed.

    Notes
    -----
    The tree of points is exact and takes O(n) memory: no n x n matrix at any size, unless `metric`
    is a function. The result is the same on every device. Labels are a function of the distances:
    another order of the rows, or another tree of the same weight, only renames them. A cut takes
    O(n) time once the tree is known; for its cost see `euclidean_mst` and
    `minimum_spanning_forest`. The method is Zahn's [1]_.

    References
    ----------
    .. [1] Zahn, "Graph-theoretical methods for detecting and describing gestalt clusters", IEEE
       Transactions on Computers C-20, 1971.

    Examples
    --------
    >>> import warpgraph as wg
    >>> model = wg.cluster.MSTClustering(n_clusters=2).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> model.labels_.tolist()
    [0, 0, 1, 1]
    >>> model.recut(distance_threshold=0.5).labels_.tolist()
    [0, 1, 2, 3]
    """

    n_clusters_: int
    n_connected_components_: int
    threshold_: float
    _fitted: Any

    @hinted
    def __init__(
        self,
        n_clusters: int | None = None,
        distance_threshold: float | None = None,
        cut: str | None = "largest_gap",
        metric: types.MetricLike = "euclidean",
        device: types.Device = "auto",
        *,
        p: float = 2.0,
        weight: str | None = "weight",
        min_cluster_size: int = 1,
        memory_limit: validate.MemoryLimitLike = None,
        progress: validate.ProgressLike = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance_threshold = distance_threshold
        self.cut = cut
        self.metric = metric
        self.device = device
        self.p = p
        self.weight = weight
        self.min_cluster_size = min_cluster_size
        self.memory_limit = memory_limit
        self.progress = progress

    @planned("cluster.MSTClustering.fit")
    @falls_back_if_memory_lacks
    def fit(self, X: types.PointsOrGraph, y: object = None) -> MSTClustering:
        """Find the spanning tree of `X` and cut it.

        Parameters
        ----------
        X : array_like, sparse matrix, NetworkX graph, Graph or SpanningForest
            Points, shape (n, d), in host memory or on a GPU, or distances; see `metric`. A forest
            is only cut.
        y : None
            Ignored; there for scikit-learn's conventions.

        Returns
        -------
        MSTClustering
            Itself.
        """
        cut = self._own_cut()
        _cut.refuse_more_than(_number_of_points(X), cut)  # before a tree is found in vain
        with self._unchanged_if_refused():
            self._take(self._forest_of(X, self.weight))
            is_euclidean = name_of_metric(self.metric, self.p) == "euclidean"
            self._fitted = X if is_euclidean else None
            self._note_features(X)
            self._apply(cut)
        return self

    def add_edges(self, graph: types.GraphLike) -> MSTClustering:
        """Take in further edges, and vertices that they lead to, without what was fitted before.

        The forest of a graph with more edges consists of edges of the forest so far and of the new
        ones, so it is found from these alone.

        Parameters
        ----------
        graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
            The new edges, among at least as many vertices as there are. Further vertices are new.

        Returns
        -------
        MSTClustering
            Itself, cut anew by the parameters.

        Notes
        -----
        The weights of the forest and the labels are those of a fit to all edges; of equally heavy
        edges the forest may have others. ``mst_.edge_ids`` is None, since there is no graph that
        has all edges.
        """
        self._require_fit()
        cut = self._own_cut()
        if name_of_metric(self.metric, self.p) != "precomputed":
            raise ValueError(
                "add_edges needs metric='precomputed': the tree of points has no edges but theirs"
            )
        weight = self.weight if is_networkx(graph) else DEFAULT_WEIGHT
        more = self._forest_of(as_graph(graph, weight), DEFAULT_WEIGHT)
        with self._unchanged_if_refused():
            self._take(merged(self.mst_, more))
            self.n_features_in_ = self.mst_.n_vertices
            self._apply(cut)
        return self

    def add_points(self, X: types.PointsOrGraph) -> MSTClustering:
        """Take in further points, without the distances between those that were fitted before.

        The tree of more points consists of edges of the tree so far and of pairs with a new point.
        Few new points are joined to the tree in O(n) time each; for many the tree is computed anew
        if that is faster.

        Parameters
        ----------
        X : array_like, shape (k, d)
            The new points. They become rows n, n + 1, ... and get the dtype of those fitted.

        Returns
        -------
        MSTClustering
            Itself, cut anew by the parameters.

        Notes
        -----
        The tree is that of a fit to all points; of edges whose lengths differ only by the rounding
        of the square root it may have others. The points that were fitted are kept for this, not
        copied: they must not have been changed.
        """
        self._require_fit()
        cut = self._own_cut()
        if name_of_metric(self.metric, self.p) != "euclidean":
            raise ValueError(
                "add_points needs metric='euclidean': a graph is extended by add_edges"
            )
        if is_graph(self._fitted):
            raise ValueError("add_points needs a fit to points, but this was one to a graph")
        old = on_host(points_anywhere(self._fitted))
        there = points_anywhere(X)
        require_features(self, there if isinstance(there, DevicePoints) else X, there.shape[1])
        with np.errstate(over="ignore"):
            new = as_points(on_host(there).astype(old.dtype, copy=False))
        with self._unchanged_if_refused():
            self._take(with_points(self.mst_, self.linkage_, old, new, **self._options()))
            self._fitted = np.concatenate([old, new])
            self._apply(cut)
        return self

    def recut(
        self,
        n_clusters: int | None = None,
        *,
        distance_threshold: float | None = None,
        cut: str | None = None,
        min_cluster_size: int | None = None,
    ) -> MSTClustering:
        """Return the clusters of another cut of the fitted tree.

        Parameters
        ----------
        n_clusters, distance_threshold, cut
            As for the class; without any, nothing is removed.
        min_cluster_size : int, optional
            As for the class; by default, the estimator's own.

        Returns
        -------
        MSTClustering
            A new estimator that is fitted, as one with these parameters would be by ``fit``. It
            shares the tree and what follows from it with this one, which stays as it is.

        Examples
        --------
        >>> import warpgraph as wg
        >>> model = wg.cluster.MSTClustering(n_clusters=2).fit([[0.0], [1.0], [9.0], [10.5]])
        >>> finer = model.recut(n_clusters=3)
        >>> finer.n_clusters, finer.labels_.tolist()
        (3, [0, 0, 1, 2])
        >>> model.n_clusters, model.labels_.tolist()
        (2, [0, 0, 1, 1])
        """
        self._require_fit()
        min_size = self.min_cluster_size if min_cluster_size is None else min_cluster_size
        chosen = _cut.check(n_clusters, distance_threshold, cut, min_size)
        is_given = n_clusters is not None or distance_threshold is not None
        other = self._with_same_tree(
            n_clusters=n_clusters,
            distance_threshold=distance_threshold,
            cut=self.cut if is_given and cut is None else cut,
            min_cluster_size=min_size,
        )
        other._apply(chosen)
        return other

    def plot_weights(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the histogram of the tree's weights and the cut; see `warpgraph.plot.weights`.

        options: bins.
        """
        from warpgraph import plot

        self._require_fit()
        return plot.weights(self.mst_, self.threshold_, ax=ax, **options)

    def plot_dendrogram(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the top of the dendrogram; see `warpgraph.plot.dendrogram`.

        options: max_leaves, cmap, colorbar and min_cluster_size, which is the estimator's unless it
        is given: smaller branches are left out.
        """
        from warpgraph import plot

        self._require_fit()
        options.setdefault("min_cluster_size", self.min_cluster_size)
        return plot.dendrogram(
            self.mst_, self.labels_, self.threshold_, linkage=self.linkage_, ax=ax, **options
        )

    def _own_cut(self) -> _cut.Cut:
        return _cut.check(self.n_clusters, self.distance_threshold, self.cut, self.min_cluster_size)

    def _forest_of(self, X: Any, weight: str | None) -> SpanningForest:
        forest = spanning_forest_of(X, self.metric, weight, p=self.p, **self._options())
        return in_order(forest) if isinstance(X, SpanningForest) else forest

    def _take(self, forest: SpanningForest) -> None:
        super()._take(forest)
        self.n_connected_components_ = forest.n_trees

    def _apply(self, cut: _cut.Cut) -> None:
        kept = _cut.edges_kept(self.mst_, cut, lambda: self.linkage_)
        self.labels_, self.n_clusters_ = _cut.labels_of(self.mst_, kept, cut.min_size)
        self.threshold_ = _cut.threshold(self.mst_, cut, kept)


def _number_of_points(X: Any) -> float:
    """Return how many points or vertices `X` has; inf if it has not the shape of either."""
    if is_networkx(X):
        return len(X)
    try:
        shape = (X.n_vertices, X.n_vertices) if is_graph(X) else shape_of(X)
    except ValueError:  # uneven rows, which the search for the tree names
        return np.inf
    return shape[0] if len(shape) == 2 else np.inf
