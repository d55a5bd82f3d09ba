"""wg.cluster.validity_index: how dense clusters are inside, and how sparse between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, validate
from warpgraph._arguments.points import as_real, on_host, points_anywhere
from warpgraph._trees.dense_mst import distance_matrix
from warpgraph._trees.neighbours import functions, metrics
from warpgraph._trees.neighbours.metrics import MetricPoints
from warpgraph._trees.precomputed import is_dense, is_graph
from warpgraph.cluster._density.pairs import PairsOfMatrix, PairsOfPoints

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]


def validity_index(
    X: types.ArrayLike,
    labels: types.ArrayLike,
    *,
    metric: types.MetricLike = "euclidean",
    p: float = 2.0,
    d: float | None = None,
    per_cluster_scores: bool = False,
    mst_raw_dist: bool = False,
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> types.NumberOrTuple:
    """Return the density-based validity of clusters (DBCV), whatever the order of the rows.

    Parameters
    ----------
    X : array_like, shape (n, d)
        The points. Those that are noise may have NaN. With metric "precomputed", the distances of
        all pairs, shape (n, n), or condensed of shape (n (n - 1) / 2,), as for `single_linkage`.
    labels : array_like of int, shape (n,)
        The cluster of each point; below 0 for noise.
    metric : str or callable
        As for `kneighbors_graph`; "precomputed": what `X` has.
    p : float
        The exponent of "minkowski", at least 1.
    d : float, optional
        The exponent of distances in core distances; by default the number of columns. Of
        precomputed distances it must be given, but not with `mst_raw_dist`.
    per_cluster_scores : bool
        Return the validity of each cluster, too.
    mst_raw_dist : bool
        Use distances themselves, not mutual-reachability distances.
    memory_limit : int, float or str, optional
        Bytes, or a size such as "2GB" or "512 MiB", of scratch memory that may be used; by
        default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts clusters.

    Returns
    -------
    float
        In -1..1, larger is better: the mean of the clusters' validity, weighted by their shares of
        all points. Noise counts as 0, so a clustering with much noise has a small index. All noise
        and a single cluster have 0, while clusters that nearly touch may be right and have less: a
        search for parameters should give fewer than two clusters -1.
    ndarray of float64, shape (labels.max() + 1,)
        The validity of each cluster; NaN for numbers that no point has. Only with
        `per_cluster_scores`.

    Raises
    ------
    ValueError
        Labels of another length; points of clusters that are not finite; distances that are
        negative, NaN or not symmetric, or inf between parts of a cluster.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.

    See Also
    --------
    HDBSCAN : Clusters that have a large index, if there are any.

    Notes
    -----
    The sparseness of a cluster is the longest edge between inner points of its minimum spanning
    tree, those with several edges; of all edges if there is none between inner points. Its
    separation is the least distance from its inner points to those of another cluster. The validity
    is their difference, divided by the larger one [1]_. Distances are the largest of the distance
    and the core distances of both points; a core distance is the mean of distance^-d to the other
    points of the cluster, to the power of -1/d.

    All pairs of a cluster, and all inner points, are compared on all cores, in O(n) memory. Between
    edges of equal weight, of which these trees have many, the shorter distance decides, so the
    index depends on the distances alone if no two are equal. hdbscan takes an edge by the order of
    the rows: shuffling two moons of 500 points changes its index between 0.21 and 0.59. The index
    here is often lower (0.12 for these). With `mst_raw_dist`, both are the same. Here, no power of
    a distance overflows or vanishes. A cluster of one point, and a single cluster, have validity 0;
    hdbscan raises an error, or returns NaN.

    References
    ----------
    .. [1] Moulavi, Jaskowiak, Campello, Zimek, Sander, "Density-based clustering validation", SIAM
       Data Mining 2014.

    Examples
    --------
    >>> import warpgraph as wg
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> round(wg.cluster.validity_index(X, [0, 0, 0, 0, 1, 1, 1, 1]), 3)
    0.987
    >>> round(wg.cluster.validity_index(X, [0, 1, 0, 1, 0, 1, 0, 1]), 3)
    -0.935
    """
    validate.flag(per_cluster_scores, "per_cluster_scores")
    wanted = metrics.metric_of_points(metric, p, ("precomputed",))
    numbers = _labels(labels)
    rows = np.flatnonzero(numbers >= 0)
    present, places = np.unique(numbers[rows], return_inverse=True)
    n_clusters = len(present)
    raw = validate.flag(mst_raw_dist, "mst_raw_dist")
    ledger = validate.ledger(memory_limit)
    n_numbers = int(present[-1]) + 1 if len(rows) else 0
    if per_cluster_scores:
        advice = "number clusters without gaps, np.unique(labels, return_inverse=True)"
        ledger.reserve(f"the validity of clusters 0..{n_numbers - 1}", 8 * n_numbers, advice)
    pairs: PairsOfPoints | PairsOfMatrix
    if wanted.name == "precomputed":
        pairs = PairsOfMatrix(_matrix_of(X, len(numbers), ledger), rows, ledger)
        n_coordinates = None
        _reserve(ledger, len(numbers), 0)
    else:
        points = _rows_of(X, rows, len(numbers), wanted, ledger)
        if points is None:
            return (0.0, np.empty(0)) if per_cluster_scores else 0.0
        pairs, n_coordinates = _pairs_of(points, ledger), points.n_coordinates
    exponent = _exponent(d, n_coordinates, is_raw=raw)
    if not len(rows):
        return (0.0, np.empty(0)) if per_cluster_scores else 0.0
    report = validate.progress(progress, "validity of clusters")
    members = _members(places, n_clusters)
    inside = _Inside(pairs, len(rows), exponent)
    for number, of_cluster in enumerate(members):
        inside.add(number, of_cluster, int(present[number]))
        if report is not None:
            report(number + 1, n_clusters + 1)
    validity = inside.validity(places.astype(np.int32), n_clusters)
    if report is not None:
        report(n_clusters + 1, n_clusters + 1)
    sizes = np.array([len(of_cluster) for of_cluster in members])
    index = float(sizes @ validity / len(numbers))
    if not per_cluster_scores:
        return index
    by_number = np.full(n_numbers, np.nan)
    by_number[present] = validity
    return index, by_number


def _pairs_of(points: MetricPoints, ledger: _core.Ledger) -> PairsOfPoints | PairsOfMatrix:
    """Return the pairs of points; if the metric is a function, of their distances."""
    if points.metric.function is None:
        return PairsOfPoints(points, ledger)
    searched: Any = points.searched
    matrix = functions.matrix(points.metric.function, searched, ledger, None)
    return PairsOfMatrix(matrix, np.arange(len(points)), ledger)


class _Inside:
    """Cores, inner points and sparseness of the clusters, found one after the other."""

    def __init__(self, pairs: PairsOfPoints | PairsOfMatrix, n: int, exponent: float) -> None:
        self._pairs = pairs
        self._exponent = exponent  # 0: distances themselves
        self._cores = np.zeros(n)
        self._is_inner = np.zeros(n, bool)
        self._sparseness: dict[int, float] = {}

    def add(self, number: int, members: Array, label: int) -> None:
        """Find the inner points of a cluster and the longest edge between them."""
        self._is_inner[members] = True
        self._sparseness[number] = 0.0
        if len(members) < 2:
            return
        cores = np.zeros(len(members))
        if self._exponent:
            cores = self._pairs.cores(members, self._exponent)
        edges, weights = self._pairs.tree(members, cores)
        if len(weights) < len(members) - 1:
            if isinstance(self._pairs, PairsOfMatrix):
                raise ValueError(f"distances of inf separate points of cluster {label}")
            raise OverflowError(
                f"distances within cluster {label} are beyond the largest float64; divide X by a "
                "number"
            )
        is_inner = np.bincount(edges.ravel(), minlength=len(members)) > 1
        is_between = is_inner[edges].all(axis=1)
        self._sparseness[number] = float((weights[is_between] if is_between.any() else weights)[-1])
        if not is_inner.any():  # two points
            is_inner[0] = True
        self._is_inner[members] = is_inner
        self._cores[members] = cores

    def validity(self, labels: Array, n_clusters: int) -> npt.NDArray[np.float64]:
        """Return the validity of each cluster."""
        inner = np.flatnonzero(self._is_inner)
        reach = self._pairs.separations(inner, self._cores[inner], labels[inner])
        separation = np.full(n_clusters, np.inf)
        np.minimum.at(separation, labels[inner], reach)
        sparseness = np.array([self._sparseness[number] for number in range(n_clusters)])
        larger = np.maximum(separation, sparseness)
        found = np.zeros(n_clusters)
        counts = np.bincount(labels, minlength=n_clusters)
        defined = np.isfinite(separation) & (larger > 0) & (counts > 1)
        found[defined] = (separation - sparseness)[defined] / larger[defined]
        return found


def _exponent(d: Any, n_coordinates: int | None, *, is_raw: bool) -> float:
    """Return the exponent of distances in core distances; 0 if there are none."""
    if is_raw and d is None:
        return 0.0
    if d is None and n_coordinates is None:
        raise ValueError(
            "d must be given with metric='precomputed': distances do not say of how many "
            "dimensions they are"
        )
    exponent = float(n_coordinates or 0) if d is None else validate.as_float(d, "d")
    if not 0 < exponent < np.inf:
        raise ValueError(f"d must be a finite number above 0, got {d}")
    return 0.0 if is_raw else exponent


def _matrix_of(X: Any, n: int, ledger: _core.Ledger) -> Array:
    """Return the distances of all pairs of n points."""
    if is_graph(X) or not is_dense(X):
        raise TypeError(
            f"X must be an array of the distances of all pairs, got {type(X).__name__}: validity "
            "needs more than those of a graph"
        )
    matrix = distance_matrix(X, ledger)
    if len(matrix) != n:
        raise ValueError(f"labels has {n} items, but X has the shape {matrix.shape}")
    _core.dense_core_distances(matrix, 1, None)  # names distances that are none
    return matrix


def _labels(labels: Any) -> npt.NDArray[np.int32]:
    """Return labels as int32."""
    given = np.asarray(labels)
    if given.ndim != 1 or given.dtype.kind not in "iub":
        raise TypeError(
            f"labels must be integers, one for each point, got an array of {given.dtype} of shape "
            f"{given.shape}"
        )
    if given.size and given.max() >= 2**31 - 1:
        raise ValueError(f"labels must be below 2**31 - 1, got {given.max()}")
    return np.asarray(np.maximum(given, -1), np.int32)


def _rows_of(
    X: Any, rows: Array, n: int, metric: metrics.Metric, ledger: _core.Ledger
) -> MetricPoints | None:
    """Return the points of clusters; None if there are none."""
    if isinstance(X, np.ndarray):  # bits keep their type, and noise may have NaN
        given = X if X.dtype.kind in "biu" else as_real(X)
    else:
        given = as_real(X) if not foreign.is_on_device(X) else on_host(points_anywhere(X))
    if given.ndim != 2 or len(given) != n:
        raise ValueError(f"labels has {n} items, but X has the shape {given.shape}")
    _reserve(ledger, n, given.shape[1] * given.itemsize)
    return metrics.points_of(given[rows], metric) if len(rows) else None


def _reserve(ledger: _core.Ledger, n: int, row_bytes: int) -> None:
    """Charge labels, numbers and core distances, and copies of all rows and of a cluster's."""
    needed = n * (64 + 2 * row_bytes)
    ledger.reserve("the validity of clusters", needed, "pass fewer points")


def _members(labels: Array, n_clusters: int) -> list[Array]:
    """Return the rows of each cluster."""
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels, minlength=n_clusters))
    return np.split(order, ends[:-1])
