"""HDBSCAN: clusters of different densities, in noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import outputs, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.nx_graphs import check_weight
from warpgraph._arguments.points import DevicePoints
from warpgraph._graph import plan
from warpgraph._graph.plan import planned
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.precomputed import is_graph
from warpgraph._trees.single_linkage import device_of_linkage, linkage_on, name_of_metric
from warpgraph.cluster import _cut, _prediction
from warpgraph.cluster._condensed_tree import select
from warpgraph.cluster._density import centres, copies, hdbscan_options, reachability
from warpgraph.cluster._density.device_fit import (
    device_for_distances,
    device_for_results,
    fit_of_forest,
    fit_of_points,
    results_for,
)
from warpgraph.cluster._density.sweep import Sweep, sweep_sizes
from warpgraph.cluster._prediction import PredictingFit

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from warpgraph._arguments import types

Array = npt.NDArray[Any]


class HDBSCAN(PredictingFit):
    """Clusters as the groups of points that last while the density grows; the rest is noise.

    The clusters may have any shape and different densities, and their number need not be known.

    Parameters
    ----------
    min_cluster_size : int
        At least 2. Smaller groups of points are no clusters.
    min_samples : int, optional
        A point is as dense as the distance to its `min_samples`-th nearest neighbour is small; the
        point itself is the first, as in scikit-learn. (The package hdbscan does not count it: its
        k is k + 1 here.) By default `min_cluster_size`. At most the number of points without NaN
        or inf, as in scikit-learn.
    cluster_selection_epsilon : float
        Clusters do not split at distances below this.
    max_cluster_size : int, optional
        With "eom", larger clusters are not selected, but clusters within them. As in hdbscan and
        scikit-learn, the cluster of all points, which `allow_single_cluster` permits, counts only
        the points of the clusters that it splits into: none if it does not split.
    metric : str or callable
        "precomputed": `X` is an array of distances of shape (n, n) (symmetric; 0 is a distance, inf
        is none), or condensed of shape (n (n - 1) / 2,) as SciPy's ``pdist`` has them, or a sparse
        graph (stored entries are distances, at least `min_samples` - 1 for each point). Else `X` is
        an array of points, whose distances are those of a metric that `kneighbors_graph` has.
        Centres and memberships are by "euclidean" and "cosine" only.
    alpha : float
        By which distances are divided, but not core distances.
    cluster_selection_method : {"eom", "leaf"}
        "eom", excess of mass: those that last longest, weighted by points; "leaf": the leaves.
    allow_single_cluster : bool
        Whether all points may be one cluster.
    store_centers : {"centroid", "medoid", "both"}, optional
        Which of `centroids_` and `medoids_` to compute.
    cluster_selection_persistence : float
        Clusters that last for less than this, in 1 / distance, are merged into their parents.
    cluster_selection_epsilon_max : float
        With "eom", clusters that begin at larger distances are not selected.
    p : float
        The exponent of the metric "minkowski", at least 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        Where to run; see `warpgraph.devices`. A GPU finds the spanning tree and the clusters, but
        no trees of full matrices, and no clusters where points are missing or at no finite
        distance, or with `cluster_selection_persistence`. That runs on the CPU. Metrics that are
        "minkowski" or functions have no trees on a GPU: there a `DeviceError`.
    memory_limit : int, float or str, optional
        Bytes that the call may take, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``. The search for the tree reports.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        The cluster of each point, numbered in the order of their first points; -1 for noise.
    probabilities_ : ndarray of float64, shape (n,)
        How central each point is in its cluster: 1 for the densest, 0 for noise.
    n_clusters_ : int
        Number of clusters, without noise.
    cluster_persistence_ : ndarray of float64, shape (n_clusters,)
        How long each cluster lasts: its stability over its number of points times the largest
        density. It may exceed 1, as in the package hdbscan: noise adds to the stability alone.
    centroids_, medoids_ : ndarray of float64, shape (n_clusters, d)
        The mean of each cluster's points, weighted by `probabilities_`; the point of each cluster
        with the least sum of weighted distances to the others. Only with `store_centers`.
    outlier_scores_ : ndarray of float64, shape (n,)
        In 0..1, GLOSH; see `CondensedTree.outlier_scores`. Computed at first use.
    exemplars_ : list of ndarray, shape (k, d)
        The points in the densest parts of each cluster; by "cosine" divided by their lengths.
        Computed at first use.
    condensed_tree_ : CondensedTree
        The clusters at every density.
    single_linkage_tree_ : SingleLinkageTree
        The dendrogram that was condensed; also as `linkage_`, `children_`, `distances_`.
    mst_ : SpanningForest
        The minimum spanning tree of the mutual-reachability distances, lightest edge first.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : ndarray of str
        Names of the columns, if `X` was a data frame whose columns are all named by strings.

    Notes
    -----
    The spanning tree is exact [1]_; see `euclidean_mst` for its cost. All else takes O(n) time and
    memory, and centres a few passes over the points. The result is the same on every device and
    with any number of threads. A fit on a GPU keeps about 70 bytes a point there; trees are copied
    when they are first read, and so are labels and probabilities if the points are there. Points
    of float32 or float64 are kept for predictions, not copied: they must not be changed.

    Clusters are a function of the distances: another order of the rows only renames them. Merges at
    equal height are one merge of several parts. By "cosine", parallel rows are at distance 0; see
    `kneighbors_graph`.

    Points with NaN or inf are noise: label -1, probability 0, outlier score 1, as in the package
    hdbscan (scikit-learn: -3 and -2); the others have what they have alone. Components of a graph
    that no distance connects are separate: each is a cluster, has clusters, or is noise if it has
    fewer than `min_cluster_size` points.

    Identical points are never separated. If there are at least `min_samples` of them, they have a
    core distance of 0; `min_cluster_size` of them have an infinite density, and probability 1 if
    they are in a cluster.

    The density at a distance is its inverse. If the inverse of the least positive distance is
    infinite, below 5.6e-309, and the largest is below 2**-1000, too, fit raises OverflowError.

    References
    ----------
    .. [1] Campello, Moulavi, Zimek, Sander, "Hierarchical density estimates for data clustering,
       visualization, and outlier detection", ACM Transactions on Knowledge Discovery from Data 10,
       2015.
    .. [2] McInnes, Healy, Astels, "hdbscan: Hierarchical density based clustering", JOSS 2, 2017.
    .. [3] Malzer, Baum, "A hybrid approach to hierarchical density-based cluster selection", MFI
       2020.

    Examples
    --------
    >>> import warpgraph as wg
    >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2], [40.0]]
    >>> model = wg.cluster.HDBSCAN(min_cluster_size=3, min_samples=2).fit(X)
    >>> model.labels_.tolist()
    [0, 0, 0, 1, 1, 1, -1]
    >>> model.dbscan_clustering(10.0, min_cluster_size=3).tolist()
    [0, 0, 0, 0, 0, 0, -1]
    """

    @hinted
    def __init__(
        self,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        *,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: types.MetricLike = "euclidean",
        alpha: float = 1.0,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        store_centers: str | None = None,
        cluster_selection_persistence: float = 0.0,
        cluster_selection_epsilon_max: float = float("inf"),
        p: float = 2.0,
        weight: str | None = "weight",
        device: types.Device = "auto",
        memory_limit: validate.MemoryLimitLike = None,
        progress: validate.ProgressLike = None,
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.alpha = alpha
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.cluster_selection_persistence = cluster_selection_persistence
        self.cluster_selection_epsilon_max = cluster_selection_epsilon_max
        self.p = p
        self.weight = weight
        self.device = device
        self.memory_limit = memory_limit
        self.progress = progress

    @planned("cluster.HDBSCAN.fit")
    @falls_back_if_memory_lacks
    def fit(
        self,
        X: types.PointsOrGraph,
        y: object = None,
        sample_weight: types.ArrayLike | None = None,
        *,
        out: tuple[Any, Any] | None = None,
    ) -> HDBSCAN:
        """Find the spanning tree of `X` and its clusters.

        Parameters
        ----------
        X : array_like, sparse matrix, NetworkX graph, Graph or SpanningForest
            Points, shape (n, d), or distances; see `metric`. A forest is taken as the spanning
            tree; `min_samples` and `alpha` are then without effect.
        y : None
            Ignored; there for scikit-learn's conventions.
        sample_weight : array_like, shape (n,), optional
            How many times each point counts: whole numbers. The clusters are those of as many
            copies of each row, in the time and memory of all copies; so are the trees, exemplars
            and centres. Points of weight 0 are noise. Not for graphs.
        out : pair of arrays, optional
            Where to write labels, int32 of shape (n,), and probabilities, float64 of shape (n,), on
            the host or on the GPU that computes. `labels_` and `probabilities_` are these arrays if
            they are on the host, else NumPy arrays that are copied when first read.

        Returns
        -------
        HDBSCAN
            Itself.
        """
        with self._new_fit():
            selection = self._selection(self.min_cluster_size, {})
            metric = name_of_metric(self.metric, self.p)
            if self.store_centers is not None:
                validate.choice(self.store_centers, hdbscan_options.CENTRES, "store_centers")
                if metric == "precomputed" or is_graph(X):
                    raise ValueError(
                        f"store_centers={self.store_centers!r} needs points, but X has distances"
                    )
                reachability.require_euclidean(metric, f"store_centers={self.store_centers!r}")
            if sample_weight is not None and out is not None:
                raise ValueError("out has no place for the copies of rows that sample_weight makes")
            ledger = validate.ledger(self.memory_limit)
            points, self._copies = copies.of_input(X, sample_weight, metric, ledger)
            self._find_tree(points, metric, out, ledger, stays=selection.persistence == 0)
            self._note_features(X)
            self._apply(selection, out)
            if self.store_centers is not None:
                centres.find(self, points)
            self._keep_rows()
        return self

    def recluster(
        self, min_cluster_size: int | None = None, **options: Unpack[types.ClusterSelection]
    ) -> HDBSCAN:
        """Return the clusters that other parameters select in the fitted tree.

        Parameters
        ----------
        min_cluster_size : int, optional
            By default, the estimator's own. `min_samples` stays, as a number.
        **options
            As for the class: cluster_selection_method, cluster_selection_epsilon,
            cluster_selection_epsilon_max, cluster_selection_persistence, max_cluster_size,
            allow_single_cluster; by default, the estimator's own.

        Returns
        -------
        HDBSCAN
            A new estimator as ``fit`` with these parameters makes it, which shares the tree with
            this one. This one stays as it is. `store_centers` of the new one is None.
        """
        self._require_fit()
        size = self.min_cluster_size if min_cluster_size is None else min_cluster_size
        selection = self._selection(size, options)
        other = self._with_same_tree(min_cluster_size=size, store_centers=None, **options)
        if other._samples() != self._reach.min_samples:
            other.min_samples = self._reach.min_samples
        other._apply(selection)
        other._keep_rows()
        return other

    @overload
    def sweep(
        self,
        min_cluster_sizes: Sequence[int] | npt.NDArray[np.integer[Any]],
        *,
        out: None = None,
        **options: Unpack[types.SweepOptions],
    ) -> Sweep: ...
    @overload
    def sweep(
        self,
        min_cluster_sizes: Sequence[int] | npt.NDArray[np.integer[Any]],
        *,
        out: tuple[Any, Any],
        **options: Unpack[types.SweepOptions],
    ) -> npt.NDArray[np.int32]: ...
    def sweep(
        self,
        min_cluster_sizes: Sequence[int] | npt.NDArray[np.integer[Any]],
        *,
        out: tuple[Any, Any] | None = None,
        progress: validate.ProgressLike = None,
        **options: Unpack[types.ClusterSelection],
    ) -> Sweep | npt.NDArray[np.int32]:
        """Return the clusters that many `min_cluster_size` select in the fitted tree.

        Parameters
        ----------
        min_cluster_sizes : sequence of int
            Each at least 2.
        out : pair of arrays, optional
            Where to write labels, int32, and probabilities, float64, each of shape (k, n), on the
            host or on the GPU that computes.
        progress : bool or callable, optional
            True for a progress bar, or a callable ``(done, total)``; counts sizes.
        **options
            As for `recluster`.

        Returns
        -------
        Sweep
            ``min_cluster_sizes``, ``n_clusters``, each of shape (k,), ``labels`` and
            ``probabilities``, each of shape (k, n), NumPy arrays. With `out`, ``n_clusters`` alone.

        Notes
        -----
        The sizes are divided among the cores; a GPU that has the fit takes one after the other.
        """
        self._require_fit()
        return sweep_sizes(self, min_cluster_sizes, self._selection(2, options), out, progress)

    def dbscan_clustering(
        self, cut_distance: float, min_cluster_size: int = 5
    ) -> npt.NDArray[np.int32]:
        """Return the clusters at one density: those of DBSCAN* with ``eps=cut_distance``.

        Parameters
        ----------
        cut_distance : float
            Points at mutual-reachability distances below this are connected, as in the package
            hdbscan. `DBSCANStar` connects them at exactly `eps`, too, as DBSCAN does.
        min_cluster_size : int
            Smaller groups of connected points are noise.

        Returns
        -------
        ndarray of int32, shape (n,)
            Labels, numbered as `labels_`.
        """
        self._require_fit()
        labels = _cut.labels_below(self.mst_, cut_distance, min_cluster_size, self._rows)
        return self._of_rows(labels, -1)

    @property
    def exemplars_(self) -> list[Array]:
        """The points in the densest parts of each cluster."""
        points = _prediction.points_of(self, "exemplars_")
        rows, begin = self.condensed_tree_.exemplars
        return np.split(points[rows], begin[1:-1]) if self.n_clusters_ else []

    def _selection(self, min_cluster_size: Any, options: Any) -> hdbscan_options.Selection:
        own = {name: getattr(self, name) for name in hdbscan_options.PARAMETERS}
        return hdbscan_options.selection(min_cluster_size, own, options)

    def _samples(self) -> int:
        given = self.min_cluster_size if self.min_samples is None else self.min_samples
        return validate.positive(given, "min_samples")

    def _refuse_few_points(self, n: int, samples: int) -> None:
        name = "min_cluster_size" if self.min_samples is None else "min_samples"
        _cut.refuse_more(name, samples, n)

    def _find_tree(
        self, X: Any, metric: str, out: Any, ledger: _core.Ledger, *, stays: bool
    ) -> None:
        samples = self._samples()
        alpha = reachability.positive_number(self.alpha, "alpha")
        self._reach = reachability.Reachability(metric, samples, alpha, self.p)
        options: dict[str, Any] = {"alpha": alpha, **self._options(ledger)}
        given = options["device"] = device_for_results(self.device, out)
        if metric == "precomputed" or is_graph(X):
            plan.refuse_distances()
            options["device"] = device_for_distances(X, given)
            self._take(reachability.reach_of_distances(X, self.weight, samples, **options))
            if not isinstance(X, SpanningForest):  # after the distances, which may be invalid
                self._refuse_few_points(self.mst_.n_vertices, samples)
            places = out if isinstance(out, tuple) else ()
            outputs.refuse_overlap((*places, self.mst_.edges, self.mst_.weights))
            self._join(given)
            return
        check_weight(self.weight, X)
        points, rows = self._points, self._rows = reachability.points_and_rows(X, metric)
        self._refuse_few_points(len(points if rows is None else rows), samples)
        reach = points, rows, metric, samples
        how = reachability.prepared(*reach, options)
        if metric in reachability.EUCLIDEAN:
            where = how["device"] if rows is None and len(points) > 1 else "cpu"
            array = points.array if isinstance(points, DevicePoints) else points
            results_for(out, (len(points),), where if stays else "cpu", array)
            if where != "cpu":  # copies of rows are on the host
                given, how["memory_limit"] = where, self.memory_limit
                if metric == "euclidean":
                    self._device_fit = fit_of_points(points, min_samples=samples, **how)
                    return
        self._take(reachability.forest_of_points(*reach, p=self.p, **how))
        if "distances" in how:  # by a function; they are freed, and predictions need these
            del how["alpha"]
            self._of_tree.core_distances = reachability.cores_of_points(*reach, **how)
        self._join(given)

    def _join(self, device: Any) -> None:
        """Find the dendrogram of the tree, where a plan says."""
        where = device_of_linkage(self.mst_, device)
        self._device_fit = fit_of_forest(self.mst_, where)
        if self._device_fit is None:
            self._of_tree.linkage = linkage_on(where, self.mst_)

    def _link(self) -> npt.NDArray[np.float64]:
        return super()._link() if self._device_fit is None else self._device_fit.linkage()

    def _apply(self, selection: hdbscan_options.Selection, out: Any = None) -> None:
        self._forget("labels_", "probabilities_", "condensed_tree_")
        self._epsilon = selection.options["epsilon"]
        if (fit := self._device_fit) is not None and selection.persistence == 0:
            results = results_for(out, (fit.n,), fit.where)
            ledger = validate.ledger(self.memory_limit)
            stays = isinstance(self._points, DevicePoints)
            self.cluster_persistence_ = fit.select(selection, ledger, results, stays)
            self.n_clusters_ = fit.n_clusters
            return
        found = select(self.linkage_, self._rows, selection)
        self.condensed_tree_, *of_points, self.cluster_persistence_ = found
        if (results := results_for(out, of_points[0].shape, "cpu")) is not None:
            for place, result in zip(results, of_points, strict=True):
                np.copyto(place, result)
        self.labels_, self.probabilities_ = results or of_points
        self.n_clusters_ = len(self.cluster_persistence_)
