"""wg.cluster.mst_of_points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.new_array import new_array
from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._graph.plan import planned
from warpgraph._trees.dense_mst import divisor_of_distances
from warpgraph._trees.emst import euclidean_mst, samples
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.neighbours import by_function, metrics, plans
from warpgraph._trees.neighbours.metrics import MetricPoints
from warpgraph._trees.precomputed import forest_of_distances

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]


@planned("cluster.mst_of_points")
@falls_back_if_memory_lacks
def mst_of_points(
    X: types.PointsOrGraph,
    *,
    metric: types.MetricLike = "euclidean",
    p: float = 2.0,
    min_samples: int | None = None,
    alpha: float = 1.0,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> SpanningForest:
    """Return the minimum spanning tree of points under a metric, or of distances.

    The tree is exact. The n x n distances of points never exist in memory, except those by a
    function.

    Parameters
    ----------
    X : array_like, sparse matrix, NetworkX graph, or Graph
        The points, shape (n, d), as for `kneighbors_graph`; or, with metric "precomputed",
        distances: an array of shape (n, n), or condensed of shape (n (n - 1) / 2,), as for
        `single_linkage`, of which 0 is a distance and inf is none, or a sparse graph, of which
        stored entries are distances.
    metric : str or callable
        As for `kneighbors_graph`; "precomputed": `X` has distances.
    p : float
        The exponent of the metric "minkowski", at least 1.
    min_samples : int, optional
        In 1..n; by default 1. Above 1, distances are mutual-reachability distances; see
        `euclidean_mst`.
    alpha : float
        By which distances, but not core distances, are divided.
    device : str
        Where to run; see `warpgraph.devices`. "auto" may choose a GPU by "euclidean", "cosine" and,
        with an `alpha` of 1, "haversine", and for graphs. Named, a GPU also finds trees by the
        other metrics but "minkowski".
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    SpanningForest
        One tree of n - 1 edges, lightest first. The weights are distances as float64. Of distances,
        a tree for each component that they connect; those of a graph have the graph's type.

    Raises
    ------
    ValueError
        As for `kneighbors_graph`; more `min_samples` than points; an `alpha` that is no finite
        number above 0; distances that are negative, NaN or, in an array, not symmetric.
    OverflowError
        The tree has an edge whose length is beyond the largest float64.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        A device is named that is not there.

    See Also
    --------
    euclidean_mst : The tree under Euclidean distance, also to arrays of the caller.

    Notes
    -----
    By "cosine" and "haversine", the tree is that of unit vectors under Euclidean distance, and its
    weights are functions of these. Where `kneighbors_graph` searches a k-d tree, this one is found
    by Boruvka's algorithm over it, as in `euclidean_mst`. Else it is found by Prim's algorithm
    [1]_: a new point of the tree is compared with all others, by vector instructions on all cores,
    in O(n^2 d) time; on a GPU, by Boruvka's algorithm over all pairs. Memory is O(n d), but O(n^2)
    if the metric is a function. Pairs at equal distances are ordered by the smaller and the larger
    row number, as in `euclidean_mst`, so the tree is unique.

    References
    ----------
    .. [1] Prim, "Shortest connection networks and some generalizations", Bell System Technical
       Journal 36, 1957.

    Examples
    --------
    >>> import warpgraph as wg
    >>> tree = wg.cluster.mst_of_points([[0, 0], [3, 4], [0, 1]], metric="manhattan")
    >>> tree.edges.tolist(), tree.weights.tolist()
    ([[0, 2], [1, 2]], [1.0, 6.0])
    >>> same = [[0, 0, 2], [0, 0, 2], [2, 2, 0]]  # distances, of which 0 joins the first two
    >>> wg.cluster.mst_of_points(same, metric="precomputed").weights.tolist()
    [0.0, 2.0]
    """
    wanted = metrics.metric_of_points(metric, p, ("precomputed",))
    options: Any = {"device": device, "memory_limit": memory_limit, "progress": progress}
    if wanted.name == "precomputed":
        k = 1 if min_samples is None else validate.positive(min_samples, "min_samples")
        reach: Any = {"min_samples": k, "alpha": divisor_of_distances(alpha, np.dtype(np.float64))}
        return forest_of_distances(X, DEFAULT_WEIGHT, **reach, **options)
    if wanted.name == "euclidean":
        given: Any = X
        tree: SpanningForest = euclidean_mst(given, min_samples=min_samples, alpha=alpha, **options)
        return tree
    points = metrics.points_of(X, wanted)
    k = samples(1 if min_samples is None else min_samples, len(points))
    divisor = divisor_of_distances(alpha, np.dtype(np.float64))
    if wanted.function is not None:
        return _by_function(points, k, divisor, **options)
    if wanted.name == "cosine" or (wanted.name == "haversine" and divisor == 1):
        # Squares of Euclidean distances are divided by alpha.
        of_units: Any = {"min_samples": k, "alpha": float(np.sqrt(divisor)), **options}
        units: Any = points.searched
        found: SpanningForest = euclidean_mst(units, **of_units)
        weights = metrics.from_euclidean(wanted, np.array(found.weights))
        edges = found._lazy("edges") or found.edges
        return SpanningForest._found(len(points), edges, weights, None, maximum=False)
    return _by_pairs(points, k, divisor, **options)


def _by_pairs(
    points: MetricPoints,
    min_samples: int,
    alpha: float,
    *,
    device: Any,
    memory_limit: validate.MemoryLimitLike,
    progress: validate.ProgressLike,
) -> SpanningForest:
    wanted = plans.wanted_by_metric(points, device, "the search for the tree")
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "spanning tree by metric")
    keys: Any = {"min_samples": min_samples, "alpha": alpha}
    made = plans.by_metric("tree_by_metric", points, wanted, ledger, **keys)
    where, n = made.devices[0], len(points)
    if where != "cpu":
        tree: Any = new_array((n - 1, 2), np.int32), new_array((n - 1,), np.float64)
        how: Any = (*points.of_core, *tree, where, ledger, report)
        _core.mst_by_metric_on_device(points.searched, *how, **keys)
        return _checked(points, *tree)
    if made.method == "boxes":
        of_core = (points.searched, points.metric.name, points.metric.p, ledger, report)
        return _checked(points, *_core.mst_in_boxes(*of_core, **keys))
    how = (*points.of_core, ledger, report)
    return _checked(points, *_core.mst_by_metric(points.searched, *how, **keys))


def _by_function(
    points: MetricPoints,
    min_samples: int,
    alpha: float,
    *,
    device: Any,
    memory_limit: validate.MemoryLimitLike,
    progress: validate.ProgressLike,
) -> SpanningForest:
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "distances of all pairs")
    what = "the search for the tree"
    matrix = by_function.matrix_of(points, device, ledger, report, what)
    reach: Any = {"min_samples": min_samples, "alpha": alpha, "memory_limit": ledger}
    return forest_of_distances(matrix, DEFAULT_WEIGHT, "cpu", **reach)


def _checked(points: MetricPoints, edges: Array, weights: Array) -> SpanningForest:
    """Return a tree, or refuse one whose longest edges are beyond the largest float64."""
    if len(weights) < len(points) - 1 or np.isinf(weights[-1:]).any():
        raise OverflowError(
            f"points are so far apart that their {points.metric.name} distance is beyond the "
            "largest float64; divide X by a number"
        )
    return SpanningForest._found(len(points), edges, weights, None, maximum=False)
