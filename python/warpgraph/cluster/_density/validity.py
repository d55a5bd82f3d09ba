"""wg.cluster.validity_index: how dense clusters are inside, and how sparse between."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, validate
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.new_array import new_arrays
from warpgraph._arguments.points import (
    as_real,
    first_not_finite,
    masked_as_nan,
    not_finite,
    on_host,
    points_anywhere,
)
from warpgraph._trees.dense_mst import distance_matrix
from warpgraph._trees.neighbours import functions, metrics
from warpgraph._trees.neighbours.metrics import MetricPoints
from warpgraph._trees.precomputed import is_dense, is_graph
from warpgraph.cluster._density import row_order

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]


@hinted
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
    """Return the density-based validity of clusters (DBCV), whatever the order of the points.

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
        The exponent of the metric "minkowski", at least 1.
    d : float, optional
        The exponent of distances in core distances; by default the number of columns. Of
        precomputed distances it must be given, but not with `mst_raw_dist`.
    per_cluster_scores : bool
        Return the validity of each cluster, too.
    mst_raw_dist : bool
        Use distances themselves, not mutual-reachability distances.
    memory_limit : int, float or str, optional
        Bytes that the call may take, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts clusters.

    Returns
    -------
    float
        In -1..1, larger is better: the mean of the clusters' validity, weighted by their shares of
        all points. Noise counts as 0, so a clustering with much noise has a small index. The index
        is 0 if there is nothing but noise, or a single cluster. Clusters that nearly touch may be
        right and have less, so a search for parameters should rate fewer than two clusters as -1.
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
    The inner points of a cluster are those with several edges in its minimum spanning tree, or both
    of two points. The sparseness of a cluster is the longest edge between inner points, or the
    longest of all edges if there is none between inner points. Its separation is the least distance
    from its inner points to those of another cluster. The validity is their difference, divided by
    the larger one [1]_. All these are mutual-reachability distances: the largest of the distance
    and the core distances of both points. A core distance is the mean of distance^-d to the other
    points of the cluster, to the power of -1/d.

    All pairs of a cluster, and all inner points, are compared on all cores, in O(n) memory. Between
    edges of equal weight, of which these trees have many, the shorter distance decides, and between
    equal distances the coordinates of the points: shuffling the rows and their labels changes no
    bit. Precomputed distances have no coordinates: if some within a cluster are equal, the order of
    the rows may decide. hdbscan always takes an edge by the order of the rows: shuffling two moons
    of 500 points changes its index between 0.21 and 0.59. The index here is often lower (0.12 for
    these). With `mst_raw_dist`, both are the same, but for clusters
    of two points, of which hdbscan takes the first row alone as inner. Here, no power of a distance
    overflows or vanishes. A cluster of one point, and a single cluster, have validity 0; hdbscan
    raises an error, or returns NaN.

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
    raw = validate.flag(mst_raw_dist, "mst_raw_dist")
    ledger = validate.ledger(memory_limit)
    n_numbers = int(numbers.max(initial=-1)) + 1
    by_number = _scores(n_numbers, ledger) if per_cluster_scores else np.empty(0)
    report = validate.progress(progress, "validity of clusters")
    if wanted.name == "precomputed":
        matrix = _matrix_of(X, len(numbers), ledger)
        exponent = _exponent(d, None, is_raw=raw)
        how: Any = {"exponent": exponent, "ledger": ledger}
        found = _core.validity_of_matrix(matrix, numbers, report, **how)
    else:
        points, of_points, rows = _points_of(X, numbers, wanted, ledger)
        if points is None:
            return (0.0, by_number) if per_cluster_scores else 0.0
        how = {"exponent": _exponent(d, points.n_coordinates, is_raw=raw), "ledger": ledger}
        found = _of_points(points, of_points, rows, report, how)
    present, sizes, validity = found
    index = math.fsum((sizes * validity).tolist()) / len(numbers)
    if not per_cluster_scores:
        return index
    by_number[present] = validity
    return index, by_number


def _of_points(
    points: MetricPoints, labels: Array, rows: Array, report: Any, how: dict[str, Any]
) -> Any:
    """Return what the core finds by the metric, or by the distances of a function."""
    if points.metric.function is not None:
        # Equal distances of a matrix are ordered by rows.
        searched: Any = points.searched
        order = row_order.by_coordinates(searched)
        given = searched[order], how["ledger"], None, rows[order]
        matrix = functions.matrix(points.metric.function, *given)
        return _core.validity_of_matrix(matrix, labels[order], report, **how)
    return _core.validity_of_points(points.searched, *points.of_core, labels, report, **how)


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
    return matrix


def _scores(n_numbers: int, ledger: _core.Ledger) -> npt.NDArray[np.float64]:
    """Return NaN for each number of a cluster."""
    what = f"the validity of clusters 0..{n_numbers - 1}"
    advice = "number clusters without gaps, np.unique(labels, return_inverse=True)"
    (scores,) = new_arrays(ledger, what, advice, ((n_numbers,), np.float64))
    scores.fill(np.nan)
    return scores


def _labels(labels: Any) -> npt.NDArray[np.int32]:
    """Return labels as int32."""
    given = validate.unmasked(labels, "labels")
    if given.ndim != 1 or given.dtype.kind not in "iub":
        raise TypeError(
            f"labels must be integers, one for each point, got an array of {given.dtype} of shape "
            f"{given.shape}"
        )
    if given.size and given.max() >= 2**31 - 1:
        raise ValueError(f"labels must be below 2**31 - 1, got {given.max()}")
    below = given if given.dtype.kind in "ub" else np.maximum(given, -1)
    return np.asarray(below, np.int32)


def _points_of(
    X: Any, numbers: Array, metric: metrics.Metric, ledger: _core.Ledger
) -> tuple[MetricPoints | None, Array, Array]:
    """Return the points of clusters, their labels and their rows; no points if there are none."""
    X = masked_as_nan(X)
    if isinstance(X, np.ndarray):  # bits keep their type, and noise may have NaN
        given = X if X.dtype.kind in "biu" else as_real(X)
    else:
        given = as_real(X) if not foreign.is_on_device(X) else on_host(points_anywhere(X))
    if given.ndim != 2 or len(given) != len(numbers):
        raise ValueError(f"labels has {len(numbers)} items, but X has the shape {given.shape}")
    rows = np.flatnonzero(numbers >= 0)
    if not len(rows):
        return None, numbers, rows
    if len(rows) < len(numbers):
        of_rows = ((len(rows), given.shape[1]), given.dtype), (rows.shape, numbers.dtype)
        without_noise = new_arrays(ledger, "the points of clusters", "pass fewer points", *of_rows)
        for all_of_them, part in zip((given, numbers), without_noise, strict=True):
            np.take(all_of_them, rows, axis=0, out=part, mode="clip")  # NumPy then needs no buffer
        given, numbers = without_noise
        place = first_not_finite(given) if given.dtype.kind == "f" else given.size
        if place < given.size:  # the error has the row's number in X
            row = place // given.shape[1]
            raise not_finite(rows[row], given[row])
    points = metrics.points_of(given, metric)
    searched: Any = points.searched  # on the host
    if not np.may_share_memory(searched, given):
        ledger.charge(searched.nbytes)
    return points, numbers, rows
