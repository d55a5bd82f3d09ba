"""DBSCANStar: the clusters that HDBSCAN has at one density."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.nx_graphs import check_weight
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.precomputed import is_graph
from warpgraph._trees.single_linkage import name_of_metric
from warpgraph.cluster import _cut
from warpgraph.cluster._density import copies, reachability
from warpgraph.cluster._tree_clustering import TreeClustering

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]


class DBSCANStar(TreeClustering):
    """Clusters of core points that are within `eps` of each other, from one tree for every `eps`.

    DBSCAN* [1]_ is DBSCAN without border points: a point with fewer than `min_samples` points
    within `eps` is noise, also where it is close to a core point. So clusters do not depend on the
    order of the points, and each is a piece of the spanning tree of mutual-reachability distances.

    Parameters
    ----------
    eps : float
        Core points at this distance or less are in one cluster.
    min_samples : int
        A core point has at least so many points within `eps`, itself included. If there are fewer
        points, all are noise.
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
    core_sample_indices_ : ndarray of int64
        The rows of the core points: all that are in clusters.
    core_distances_ : ndarray of float64, shape (n,)
        The least `eps` with which each point is a core point.
    mst_ : SpanningForest
        The minimum spanning tree of the mutual-reachability distances, lightest edge first.
    linkage_ : ndarray of float64, shape (n - 1, 4)
        The dendrogram in SciPy's format; see `single_linkage`.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : ndarray of str
        Names of the columns, if `X` was a data frame whose columns are all named by strings.

    Notes
    -----
    The core points and their clusters are those of ``sklearn.cluster.DBSCAN``. A cut takes O(n)
    time once the tree is known: `recut` tries another `eps`. Points with NaN or inf are noise.
    Distances of exactly `eps` join, as in ``sklearn.cluster.DBSCAN``; `HDBSCAN.dbscan_clustering`
    separates at exactly its distance, as the package hdbscan does.

    References
    ----------
    .. [1] Campello, Moulavi, Sander, "Density-based clustering based on hierarchical density
       estimates", PAKDD 2013.

    Examples
    --------
    >>> import warpgraph as wg
    >>> X = [[0.0], [0.1], [0.2], [5.0], [9.0], [9.1]]
    >>> model = wg.cluster.DBSCANStar(eps=0.5, min_samples=2).fit(X)
    >>> model.labels_.tolist()
    [0, 0, 0, -1, 1, 1]
    >>> model.recut(5.0).labels_.tolist()
    [0, 0, 0, 0, 0, 0]
    """

    n_clusters_: int
    core_sample_indices_: npt.NDArray[np.int64]
    core_distances_: npt.NDArray[np.float64]
    _copies: copies.Copies | None

    @hinted
    def __init__(
        self,
        eps: float = 0.5,
        *,
        min_samples: int = 5,
        metric: types.MetricLike = "euclidean",
        p: float = 2.0,
        weight: str | None = "weight",
        device: types.Device = "auto",
        memory_limit: validate.MemoryLimitLike = None,
        progress: validate.ProgressLike = None,
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.p = p
        self.weight = weight
        self.device = device
        self.memory_limit = memory_limit
        self.progress = progress

    @falls_back_if_memory_lacks
    def fit(
        self,
        X: types.PointsOrGraph,
        y: object = None,
        sample_weight: types.ArrayLike | None = None,
    ) -> DBSCANStar:
        """Find the spanning tree of `X` and cut it at `eps`.

        Parameters
        ----------
        X : array_like, sparse matrix, NetworkX graph or Graph
            Points, shape (n, d), or distances; see `metric`.
        y : None
            Ignored; there for scikit-learn's conventions.
        sample_weight : array_like, shape (n,), optional
            How many times each point counts: whole numbers. The clusters are those of as many
            copies of each row; the tree is of at most `min_samples` of them, which is enough.
            Points of weight 0 are noise. Not for graphs.

        Returns
        -------
        DBSCANStar
            Itself.
        """
        eps = _cut.distance(self.eps, "eps")
        samples = validate.positive(self.min_samples, "min_samples")
        metric = name_of_metric(self.metric, self.p)
        ledger = validate.ledger(self.memory_limit)
        with self._unchanged_if_refused():
            if metric == "precomputed" or is_graph(X):
                if isinstance(X, SpanningForest):
                    raise TypeError(
                        "X is a SpanningForest, which has no core distances: pass the graph or the "
                        "points"
                    )
                # As many copies of rows as change core distances.
                given, self._copies = copies.of_input(
                    X, sample_weight, "precomputed", ledger, samples
                )
                once = reachability.distances_once(given, self.weight, ledger)
                self._fit_distances(*once, samples, ledger)
            else:
                check_weight(self.weight, X)
                given, self._copies = copies.of_input(X, sample_weight, metric, ledger, samples)
                self._fit_points(given, metric, samples, ledger)
            self._note_features(X)
            self._apply(eps)
        return self

    def recut(self, eps: float) -> DBSCANStar:
        """Return the clusters of another `eps`, by the fitted tree.

        Parameters
        ----------
        eps : float
            As for the class.

        Returns
        -------
        DBSCANStar
            A new estimator that is fitted, as one with this `eps` would be by ``fit``. It shares
            the tree with this one, which stays as it is.
        """
        self._require_fit()
        limit = _cut.distance(eps, "eps")
        other = self._with_same_tree(eps=eps)
        other._apply(limit)
        return other

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what `fit` takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.metric != "precomputed"
        return tags

    def _fit_distances(
        self, X: Any, weight: str | None, samples: int, ledger: _core.Ledger
    ) -> None:
        how = self._options(ledger)
        self._take(reachability.forest_of_distances(X, weight, samples, 1.0, **how))
        how = self._options(ledger)
        del how["device"]
        self._take_cores(reachability.cores_of_distances(X, weight, samples, **how))

    def _fit_points(self, X: Any, metric: str, samples: int, ledger: _core.Ledger) -> None:
        points, rows = reachability.points_and_rows(X, metric)
        given, options = (points, rows, metric, samples), {"p": self.p, **self._options(ledger)}
        how = reachability.prepared(*given, {"alpha": 1.0, **options})
        self._take(reachability.forest_of_points(*given, **how))
        del how["alpha"], how["device"]
        self._take_cores(reachability.cores_of_points(*given, **how))

    def _take_cores(self, cores: Array) -> None:
        self.core_distances_ = cores if self._copies is None else self._copies.by_row(cores, np.inf)

    def _apply(self, eps: float | int) -> None:
        kept = _cut.edges_within(self.mst_, eps)
        pieces, n_pieces = _cut.labels_of(self.mst_, kept, 1)
        if self._copies is not None:  # rows without a copy are a piece of noise
            pieces, n_pieces = self._copies.by_row(pieces, n_pieces), n_pieces + 1
        cores = self.core_distances_  # inf: none, also within eps=inf
        is_core = (cores <= validate.limit_as(eps, cores.dtype)) & (cores < np.inf)
        # A piece of several points has core points alone; one of a single point may be noise.
        counts = np.zeros(n_pieces, bool)
        counts[pieces[is_core]] = True
        self.labels_, self.n_clusters_ = _cut.numbered(pieces, counts)
        self.core_sample_indices_ = np.flatnonzero(is_core)
