"""RobustSingleLinkage: single linkage of mutual-reachability distances, cut at one height."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpgraph._arguments import validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.nx_graphs import check_weight
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.precomputed import is_graph
from warpgraph._trees.single_linkage import name_of_metric
from warpgraph.cluster import _cut
from warpgraph.cluster._density import reachability
from warpgraph.cluster._single_linkage_tree import SingleLinkageTree
from warpgraph.cluster._tree_clustering import TreeClustering

if TYPE_CHECKING:
    import numpy.typing as npt

    from warpgraph._arguments import types


class RobustSingleLinkage(TreeClustering):
    """Clusters of single linkage that noise between them does not join.

    The distance of two points is at least the distance of each to its `k`-th nearest neighbour, and
    otherwise divided by `alpha` [1]_. The dendrogram of these distances is cut at one height.

    Parameters
    ----------
    cut : float
        Clusters are what is joined below this distance.
    k : int
        Of how many points the ball around a point gives its density; the point itself is the first.
        At most the number of points without NaN or inf.
    alpha : float
        By which distances are divided, but not those to the `k`-th neighbours; at least 1.
    gamma : int
        Clusters of fewer points are noise.
    metric : str or callable
        As for `HDBSCAN`.
    p : float
        The exponent of the metric "minkowski", at least 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        Where to run; see `warpgraph.devices`. It is where the spanning tree is found.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``. The search for the tree reports.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        The cluster of each point, -1 for noise; clusters are numbered in the order of their first
        points.
    n_clusters_ : int
        Number of clusters, without noise.
    cluster_hierarchy_ : SingleLinkageTree
        The dendrogram: ``cluster_hierarchy_.get_clusters(cut, gamma)`` cuts it elsewhere.
    mst_ : SpanningForest
        The minimum spanning tree, lightest edge first.
    linkage_ : ndarray of float64, shape (n - 1, 4)
        The dendrogram in SciPy's format; see `single_linkage`.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : ndarray of str
        Names of the columns, if `X` was a data frame whose columns are all named by strings.

    Notes
    -----
    In the package hdbscan, the meaning of `k` depends on the algorithm: ``prims_kdtree`` counts the
    point itself, as here, the others do not: their `k` is ``k + 1`` here. Only ``generic`` sorts
    the edges of the tree before it joins them; the others, and so the default, return other
    clusters (0.8.44). There, ``generic``, and so precomputed distances, are not divided by `alpha`.
    Points with NaN or inf are noise.

    References
    ----------
    .. [1] Chaudhuri, Dasgupta, "Rates of convergence for the cluster tree", NIPS 2010.

    Examples
    --------
    >>> import warpgraph as wg
    >>> X = [[0.0], [0.1], [0.2], [4.0], [9.0], [9.1], [9.2]]
    >>> model = wg.cluster.RobustSingleLinkage(cut=0.5, k=2, gamma=2).fit(X)
    >>> model.labels_.tolist()
    [0, 0, 0, -1, 1, 1, 1]
    """

    n_clusters_: int
    _rows: npt.NDArray[Any] | None

    @hinted
    def __init__(
        self,
        cut: float = 0.4,
        k: int = 5,
        alpha: float = 2**0.5,
        gamma: int = 5,
        *,
        metric: types.MetricLike = "euclidean",
        p: float = 2.0,
        weight: str | None = "weight",
        device: types.Device = "auto",
        memory_limit: validate.MemoryLimitLike = None,
        progress: validate.ProgressLike = None,
    ) -> None:
        self.cut = cut
        self.k = k
        self.alpha = alpha
        self.gamma = gamma
        self.metric = metric
        self.p = p
        self.weight = weight
        self.device = device
        self.memory_limit = memory_limit
        self.progress = progress

    @falls_back_if_memory_lacks
    def fit(self, X: types.PointsOrGraph, y: object = None) -> RobustSingleLinkage:
        """Find the spanning tree of `X` and cut it.

        Parameters
        ----------
        X : array_like, sparse matrix, NetworkX graph or Graph
            Points, shape (n, d), or distances; see `metric`.
        y : None
            Ignored; there for scikit-learn's conventions.

        Returns
        -------
        RobustSingleLinkage
            Itself.
        """
        cut = _cut.distance(self.cut, "cut")
        k, gamma = validate.positive(self.k, "k"), validate.positive(self.gamma, "gamma")
        alpha = reachability.positive_number(self.alpha, "alpha")
        if alpha < 1:
            raise ValueError(f"alpha must be at least 1, got {self.alpha}")
        metric = name_of_metric(self.metric, self.p)
        with self._unchanged_if_refused():
            if metric == "precomputed" or is_graph(X):
                if isinstance(X, SpanningForest):
                    raise TypeError(
                        "X is a SpanningForest, which has no distances to neighbours: pass the "
                        "graph or the points"
                    )
                ledger = validate.ledger(self.memory_limit)
                given = reachability.distances_once(X, self.weight, ledger)
                self._rows = None
                how = self._options(ledger)
                self._take(reachability.forest_of_distances(*given, k, alpha, **how))
                _cut.refuse_more("k", k, self.mst_.n_vertices)
            else:
                check_weight(self.weight, X)
                points, self._rows = reachability.points_and_rows(X, metric)
                _cut.refuse_more("k", k, len(points if self._rows is None else self._rows))
                options: Any = {"p": self.p, "alpha": alpha, **self._options()}
                how = reachability.prepared(points, self._rows, metric, k, options)
                self._take(reachability.forest_of_points(points, self._rows, metric, k, **how))
            self._note_features(X)
            self.labels_ = _cut.labels_below(self.mst_, cut, gamma, self._rows)
            self.n_clusters_ = int(self.labels_.max(initial=-1)) + 1
        return self

    @property
    def cluster_hierarchy_(self) -> SingleLinkageTree:
        """The dendrogram of the mutual-reachability distances."""
        self._require_fit()
        return SingleLinkageTree(self.mst_, self.linkage_, self._rows)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what `fit` takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.metric != "precomputed"
        return tags
