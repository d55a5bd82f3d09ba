"""wg.cluster.nearest_neighbors and radius_neighbors_graph."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.new_array import new_array, ones
from warpgraph._arguments.points import on_host
from warpgraph._graph.plan import planned
from warpgraph._trees import knn
from warpgraph._trees.neighbours import by_function, metrics, plans, squares
from warpgraph._trees.neighbours.metrics import MetricPoints

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]


class Neighbors(NamedTuple):
    """The nearest neighbours of points, as `nearest_neighbors` returns them.

    Attributes
    ----------
    indices : ndarray of int32, shape (n_queries, k)
        The rows of the neighbours, nearest first.
    distances : ndarray of float64, shape (n_queries, k)
        The distances to them.

    Examples
    --------
    >>> import warpgraph as wg
    >>> found = wg.cluster.nearest_neighbors([[0.0], [1.0], [5.0]], 2)
    >>> indices, distances = found
    >>> indices is found.indices
    True
    """

    indices: npt.NDArray[np.int32]
    distances: npt.NDArray[np.float64]


@planned("cluster.nearest_neighbors")
@falls_back_if_memory_lacks
def nearest_neighbors(
    X: types.ArrayLike,
    k: int,
    *,
    queries: types.ArrayLike | None = None,
    include_self: bool = True,
    metric: types.MetricLike = "euclidean",
    p: float = 2.0,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> Neighbors:
    """Return the nearest neighbours of each point among the rows of `X`, and their distances.

    umap-learn takes the result as ``UMAP(n_neighbors=k, precomputed_knn=...)``.

    Parameters
    ----------
    X : array_like, shape (n, d)
        The points among which neighbours are searched, as for `kneighbors_graph`.
    k : int
        The number of neighbours, in 1..n; in 1..n-1 if `include_self` is False.
    queries : array_like, shape (n_queries, d), optional
        The points whose neighbours are wanted; by default those of `X`. They get its dtype,
        or float64 if the metric is a function.
    include_self : bool
        Without `queries`: whether each point is its own first neighbour.
    metric : str or callable
        As for `kneighbors_graph`, but not "precomputed".
    p : float
        The exponent of the metric "minkowski", at least 1.
    device : str
        Where to run; see `warpgraph.devices`. A GPU searches for `queries` by "euclidean" and
        "cosine" in more than 8 dimensions, and for at most 128 neighbours.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    Neighbors
        The pair ``(indices, distances)``, each of shape (n_queries, k).

    Raises
    ------
    ValueError
        As for `kneighbors_graph`; `queries` with another number of columns.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        A device is named that is not there.

    See Also
    --------
    kneighbors_graph : The same as a sparse matrix.

    Notes
    -----
    Exact; see `kneighbors_graph` for the order of neighbours, the method and its cost. A query that
    equals a point of `X` has that point at distance 0, like all others that equal it.

    Examples
    --------
    >>> import warpgraph as wg
    >>> X = [[0.0], [1.0], [5.0]]
    >>> wg.cluster.nearest_neighbors(X, 2).indices.tolist()
    [[0, 1], [1, 0], [2, 1]]
    >>> wg.cluster.nearest_neighbors(X, 2, queries=[[4.0]]).distances.tolist()
    [[1.0, 3.0]]
    """
    with_self = validate.flag(include_self, "include_self")
    points = metrics.points_of(X, metrics.metric_of_points(metric, p))
    if queries is None:
        n = len(points)
        k = knn.number_of_neighbours(k, n, with_self)
        indices, distances = new_array((n, k), np.int32), new_array((n, k), np.float64)
        how = (k, with_self, device, memory_limit, progress)
        knn.search(points, indices, distances, None, *how)
        return Neighbors(indices, distances)
    fitted = points_on_host(points)
    others = _as_queries(queries, fitted)
    k = knn.number_of_neighbours(k, len(points))
    return search_queries(fitted, others, k, memory_limit, progress, device)


@planned("cluster.radius_neighbors_graph")
@falls_back_if_memory_lacks
def radius_neighbors_graph(
    X: types.ArrayLike,
    radius: float,
    *,
    queries: types.ArrayLike | None = None,
    mode: str = "connectivity",
    include_self: bool | Literal["auto"] = False,
    metric: types.MetricLike = "euclidean",
    p: float = 2.0,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> sp.csr_array:
    """Return the graph of all pairs of points within a distance, like scikit-learn's function.

    Parameters
    ----------
    X : array_like, shape (n, d)
        The points among which neighbours are searched, as for `kneighbors_graph`.
    radius : float
        Points at this distance or less are neighbours; at least 0.
    queries : array_like, shape (n_queries, d), optional
        The points whose neighbours are wanted; by default those of `X`. They get its dtype,
        or float64 if the metric is a function.
    mode : {"connectivity", "distance"}
        What entries are: 1, or distances.
    include_self : bool or "auto"
        Without `queries`: whether each point is its own first neighbour; "auto" is True in mode
        "connectivity".
    metric : str or callable
        As for `kneighbors_graph`, but not "precomputed".
    p : float
        The exponent of the metric "minkowski", at least 1.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    csr_array of float64, shape (n_queries, n)
        Row i has the neighbours of query i, or of point i without `queries`, nearest first.

    Raises
    ------
    ValueError
        A radius that is negative or NaN; else as for `kneighbors_graph`.
    MemoryError
        There are more neighbours than there is memory for, or than `memory_limit` allows. They are
        counted first, so no memory is taken for them then.

    See Also
    --------
    kneighbors_graph : A number of neighbours, whatever their distances.

    Notes
    -----
    Exact: a pair is in the graph if its distance, as mode "distance" has it, is at most `radius`.
    Neighbours are ordered as in `kneighbors_graph`. All cores search twice: they count the
    neighbours first, so that memory is known to suffice, and then store them. By "hamming" and
    "jaccard", and in more than 12 dimensions by "manhattan" and "chebyshev", they compare all
    pairs. By other metrics they search a k-d tree or, in many dimensions by "euclidean", "cosine"
    and "haversine", leave out most pairs by products of matrices, as `kneighbors_graph` does. A
    function is called once for each pair.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.cluster.radius_neighbors_graph([[0.0], [1.0], [5.0]], 1.0, mode="distance")
    >>> graph.toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    validate.choice(mode, knn.MODES, "mode")
    with_self = knn.includes_self(include_self, mode)
    reach = validate.as_float(radius, "radius")
    if not reach >= 0:
        raise ValueError(f"radius must be a number of at least 0, got {radius}")
    _device.require_cpu(device, "the search for neighbours within a radius")
    points = points_on_host(metrics.points_of(X, metrics.metric_of_points(metric, p)))
    others = None if queries is None else _as_queries(queries, points)
    options: Any = {"include_self": with_self, "with_distances": mode == "distance"}
    n_rows = len(points) if others is None else len(others)
    rows = _rows_within(points, others, reach, memory_limit, progress, **options)
    return _as_matrix(*rows, (n_rows, len(points)), has_data=mode == "distance")


def search_queries(
    points: MetricPoints,
    queries: MetricPoints,
    k: int,
    memory_limit: validate.MemoryLimitLike,
    progress: validate.ProgressLike,
    device: Any = "cpu",
) -> Neighbors:
    """Return the k nearest of points on the host to each query."""
    if not points.metric.is_euclidean:
        _device.require_cpu(device, "the search for neighbours of queries by this metric")
    shape = (len(queries), k)
    indices, distances = new_array(shape, np.int32), new_array(shape, np.float64)
    ledger, report = validate.ledger(memory_limit), validate.progress(progress, "neighbours")
    if points.metric.function is not None:
        by_function.nearest_of_queries(points, queries, indices, distances, ledger, report)
        return Neighbors(indices, distances)
    points, queries = metrics.in_range(points, queries, ledger=ledger)
    of: Any = (points.searched, queries.searched)
    sizes = {"n_neighbors": k, "n_new": len(queries)}
    if points.metric.is_euclidean:
        wanted = _device.one_wanted(device)
        made = plans.of_neighbours(points.searched, wanted, ledger, **sizes)
        of += (indices, distances, made.devices[0], ledger, report)
        by_products = made.method == "products"
        _core.nearest_of_queries(*of, n_neighbors=k, by_products=by_products)
    else:
        in_boxes = plans.is_in_boxes("neighbours_by_metric", points, ledger, **sizes)
        of += (*points.of_core, in_boxes, indices, distances, None, "cpu", ledger, report)
        _core.nearest_by_metric(*of, n_neighbors=k)
    return Neighbors(indices, metrics.distances_of(points, distances))


def points_on_host(points: MetricPoints) -> MetricPoints:
    """Return the same points in host memory."""
    return replace(points, searched=on_host(points.searched))


def _as_queries(queries: Any, points: MetricPoints) -> MetricPoints:
    """Return the argument ``queries=``; errors name it where those of points name X."""
    try:
        return metrics.points_of(queries, points.metric, fitted=points)
    except (TypeError, ValueError) as error:
        told = re.sub("^X has ", "queries have ", re.sub("^X is ", "queries are ", str(error)))
        error.args = (re.sub(r"\bX\b", "queries", told),)
        raise


def _rows_within(
    points: MetricPoints,
    queries: MetricPoints | None,
    radius: float,
    memory_limit: validate.MemoryLimitLike,
    progress: validate.ProgressLike,
    *,
    include_self: bool,
    with_distances: bool,
) -> tuple[Array, Array, Array]:
    """Return offsets, ids and distances of the neighbours.

    If distances are not wanted, the last array may be empty.
    """
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "neighbours within a radius")
    metric = points.metric
    options: Any = {"include_self": include_self, "with_distances": with_distances}
    if metric.function is not None:
        return by_function.within(points, queries, radius, ledger, report, **options)
    points, *others = metrics.in_range(*filter(None, (points, queries)), ledger=ledger)
    of: Any = (points.searched, others[0].searched if others else None)
    sizes = {} if queries is None else {"n_new": len(queries)}
    if not metric.is_euclidean:
        in_boxes = plans.is_in_boxes("neighbours_by_metric", points, ledger, **sizes)
        of += (*points.of_core, in_boxes, ledger, report)
        reach = squares.scaled_number(radius, points.exponent)
        offsets, ids, distances = _core.radius_by_metric(*of, radius=reach, **options)
        return offsets, ids, metrics.distances_of(points, distances)
    made = plans.of_neighbours(points.searched, _device.ON_CPU, ledger, **sizes)
    options["by_products"] = made.method == "products"
    is_own = metric.name == "euclidean"
    options["with_distances"] = with_distances or not is_own
    of += (ledger, report)
    reach = squares.scaled_number(metrics.to_euclidean(metric, radius), points.exponent)
    offsets, ids, distances = _core.radius_neighbours(*of, radius=reach, **options)
    distances = metrics.distances_of(points, distances)
    if is_own:
        return offsets, ids, distances
    # Of "cosine" and "haversine", `reach` is rounded up: points just outside may have been found.
    inside = distances <= radius
    if inside.all():
        return offsets, ids, distances
    kept = np.concatenate([[0], np.cumsum(inside)])[offsets]
    return kept, ids[inside], distances[inside]


def _as_matrix(
    offsets: Array, ids: Array, distances: Array, shape: tuple[int, int], *, has_data: bool
) -> sp.csr_array:
    index = np.int32 if len(ids) < 2**31 else np.int64
    data = distances if has_data else ones(len(ids))
    indices, indptr = ids.astype(index, copy=False), offsets.astype(index, copy=False)
    return sp.csr_array((data, indices, indptr), shape=shape)
