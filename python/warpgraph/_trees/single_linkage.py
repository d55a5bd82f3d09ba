"""wg.cluster.single_linkage, and the spanning forests that it can start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpgraph import _core
from warpgraph._arguments import convert, device as _device, foreign, outputs, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.nx_graphs import check_weight
from warpgraph._arguments.points import shape_of
from warpgraph._graph import plan, rounding
from warpgraph._trees.emst import device_of_tree, euclidean_mst, unchecked_tree
from warpgraph._trees.forest import SpanningForest, common_names
from warpgraph._trees.mst import extend_forest, merge_forests
from warpgraph._trees.neighbours import squares
from warpgraph._trees.neighbours.metrics import metric_of_points
from warpgraph._trees.neighbours.trees import mst_of_points
from warpgraph._trees.precomputed import forest_of_distances, is_graph

if TYPE_CHECKING:
    from warpgraph._arguments import types


@falls_back_if_memory_lacks
def single_linkage(
    X: types.PointsOrGraph,
    *,
    metric: types.MetricLike = "euclidean",
    p: float = 2.0,
    min_samples: int = 1,
    weight: str | None = "weight",
    out: Any | None = None,
    device: types.Device = "auto",
    progress: validate.ProgressLike = None,
) -> types.ArrayOrOut:
    """Return the single-linkage dendrogram in SciPy's format.

    Parameters
    ----------
    X : array_like, sparse matrix, NetworkX graph, Graph, SpanningForest or pair of device arrays
        An array: points, shape (n, d), in host memory or on a GPU; with metric
        "precomputed", distances, of which 0 is a distance and inf is none: of shape (n, n), or
        condensed of shape (n (n - 1) / 2,), in the order of SciPy's ``pdist``. All else
        is accepted with any metric: a sparse matrix of SciPy, CuPy, PyTorch or JAX is a graph
        (stored entries are distances, others are none), as are a NetworkX graph and a `Graph`; a
        `SpanningForest`; a tree on a GPU as `euclidean_mst` writes it to its ``out``: the edges,
        int32 of shape (n - 1, 2), and the weights, float64.
    metric : str or callable
        As for `kneighbors_graph`; "precomputed": an array has distances.
    p : float
        The exponent of the metric "minkowski", at least 1.
    min_samples : int
        In 1..n. Above 1, distances are mutual-reachability distances, as of `euclidean_mst`: the
        dendrogram is that of HDBSCAN. Of precomputed distances, a core distance is the
        `min_samples`-th smallest of a row, in which the point itself is the first, with 0. A point
        with fewer neighbours has none, and joins at height inf. Not for a forest, which lacks the
        distances of other pairs.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    out : ndarray, or array on a CUDA device, optional
        Where to write the result, on the host or on the GPU that computes. It is float64, of shape
        (n - 1, 4).
    device : str
        Where to run; see `warpgraph.devices`.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    ndarray of float64, shape (n - 1, 4)
        Row i joins the clusters ``Z[i, 0] < Z[i, 1]`` at height ``Z[i, 2]`` into cluster ``n + i``
        with ``Z[i, 3]`` members, as in ``scipy.cluster.hierarchy.linkage``. The trees of a forest
        join last, at height inf: the tree of vertex 0 with the tree of the smallest vertex outside,
        and so on.

    Raises
    ------
    ValueError
        Distances that are negative, NaN or not symmetric, or points that are not finite.

    Notes
    -----
    Heights that are equal are joined in the order of the tree's edges, so the dendrogram is the
    same on every device. ``scipy.cluster.hierarchy`` takes it, heights of inf included, except that
    its ``dendrogram`` cannot draw inf; `MSTClustering.plot_dendrogram` can. Of joins at exactly the
    height of a cut, ``fcluster(criterion="distance")`` keeps those that `MSTClustering` removes.

    The tree is found first [1]_, then the joins along its sorted edges, in nearly linear time and
    O(n) memory; on a GPU, and by many threads, by contraction [2]_.

    References
    ----------
    .. [1] Gower, Ross, "Minimum spanning trees and single linkage cluster analysis", Applied
       Statistics 18, 1969.
    .. [2] Sao, Prokopenko, Lebrun-Grandie, "PANDORA: A parallel dendrogram construction algorithm
       for single linkage clustering on GPU", ICPP 2024.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.cluster.single_linkage([[0.0], [1.0], [5.0]]).tolist()
    [[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]]
    >>> wg.cluster.single_linkage([[0.0], [1.0], [5.0]], min_samples=3).tolist()
    [[0.0, 1.0, 5.0, 2.0], [2.0, 3.0, 5.0, 3.0]]
    """
    check_weight(weight, X)
    metric = name_of_metric(metric, p)
    there = next((a for a in (out, X) if foreign.is_on_device(a)), None)
    if _device.is_named(device, "auto") and there is not None:
        device = foreign.device_of(there)
    if isinstance(X, tuple) and len(X) == 2 and all(map(foreign.is_on_device, X)):
        _refuse_samples_of_forest(min_samples)
        edges, weights = foreign.view(X)
        return _link_tree_there(edges, weights, device, out)
    if metric != "precomputed" and (hasattr(X, "tocsr") or convert.is_sparse(X)):
        metric = "precomputed"  # a sparse matrix is a graph, as a Graph is
    if metric == "euclidean" and not _device.is_named(device, "auto") and not is_graph(X):
        where = _device.resolve(device)
        n = _n_points(X)
        if where != "cpu" and n > 1:  # the tree need not be copied to the host
            tree = (
                _core.device_array((n - 1, 2), np.dtype(np.int32), where),
                _core.device_array(n - 1, np.dtype(np.float64), where),
            )
            points: Any = X
            euclidean_mst(
                points, min_samples=min_samples, device=where, out=tree, progress=progress
            )
            return _link(n, *tree, where, out)
    forest = spanning_forest_of(X, metric, weight, device, min_samples, p=p, progress=progress)
    return linkage_of(forest, device, out=out)


def name_of_metric(metric: Any, p: Any = 2.0) -> Any:
    """Return the name here of a metric, or "precomputed"; a function as it is."""
    if isinstance(metric, str) and metric == "precomputed":
        return metric
    found = metric_of_points(metric, p, ("precomputed",))
    return found.name if found.function is None else found.function


def _n_points(X: Any) -> int:
    """Return the number of rows if `X` may be points, else 0."""
    shape = shape_of(X)
    return int(shape[0]) if len(shape) == 2 else 0


def _link_tree_there(edges: Any, weights: Any, device: Any, out: Any | None) -> Any:
    """Return the linkage matrix of a tree on a device."""
    n = 1 + foreign.layout_of(weights).shape[0]
    is_auto = _device.is_named(device, "auto")
    where = foreign.device_of(weights) if is_auto else _device.resolve(device)
    kinds = (((n - 1, 2), np.int32), ((n - 1,), np.float64))
    for part, name, (shape, kind) in zip((edges, weights), ("X[0]", "X[1]"), kinds, strict=True):
        outputs.same_device(part, where, name)
        outputs.on_device(part, shape, np.dtype(kind), name)
    return _link(n, edges, weights, where, out)


def spanning_forest_of(
    X: Any,
    metric: Any,
    weight: str | None,
    device: Any,
    min_samples: int = 1,
    alpha: float = 1.0,
    p: float = 2.0,
    **options: Any,
) -> SpanningForest:
    """Return the minimum spanning forest of points or of precomputed distances.

    min_samples, alpha: of mutual-reachability distances; p: of the metric minkowski; options:
    memory_limit and progress.
    """
    name = name_of_metric(metric, p)
    reach: Any = {"min_samples": min_samples, "alpha": alpha}
    if isinstance(X, SpanningForest):
        _refuse_samples_of_forest(min_samples)
        check_weight(weight, X)
        return _of_distances(X)
    if is_graph(X) or name == "precomputed":
        return forest_of_distances(X, weight, device, **reach, **options)
    check_weight(weight, X)
    by: Any = {"metric": metric, "p": p, **reach}
    forest: SpanningForest = mst_of_points(X, **by, device=device, **options)
    return forest


@falls_back_if_memory_lacks
def linkage_of(
    forest: SpanningForest, device: Any = "auto", *, method: str = "auto", out: Any | None = None
) -> Any:
    """Return SciPy's linkage matrix of a forest with at least one vertex.

    method: "contraction", or "reference" (one core); "auto" takes the faster one.
    """
    return linkage_on(device_of_linkage(forest, device), forest, method, out)


def linkage_on(
    where: str, forest: SpanningForest, method: str = "auto", out: Any | None = None
) -> Any:
    """Return what `linkage_of` does, found on the device `where`."""
    heights = validate.in_place(forest.weights, np.float64)
    rounding.warn_of_weights(forest.weights, "the heights of a dendrogram")
    return _link(forest.n_vertices, forest._checked_edges(), heights, where, out, method)


def device_of_linkage(forest: SpanningForest, device: Any) -> str:
    """Return the device that finds the dendrogram of a forest in host memory."""
    helped = _device.beside_cpu(device)
    wanted = _device.one_wanted(helped or device)
    return plan.device_for("single_linkage", wanted, n_vertices=forest.n_vertices)


def _link(
    n: int, edges: Any, heights: Any, where: str, out: Any | None, method: str = "auto"
) -> Any:
    shape, dtype = (n - 1, 4), np.dtype(np.float64)
    if out is not None and foreign.is_on_device(out):
        outputs.same_device(out, where)
        linkage = outputs.on_device(out, shape, dtype)
    else:
        linkage = outputs.on_host(out, shape, dtype)
        for part in (edges, heights):
            if isinstance(part, np.ndarray) and np.shares_memory(part, linkage):
                raise ValueError("out shares memory with the forest in X; pass another array")
    _core.single_linkage(n, edges, heights, linkage, method, where)
    return linkage


def with_points(
    forest: SpanningForest, linkage: Any, old: Any, new: Any, *, device: Any, **options: Any
) -> SpanningForest:
    """Return the minimum spanning tree of old and new points.

    Parameters
    ----------
    forest, linkage
        The tree of the old points, and its dendrogram.
    old, new
        Points as `as_points` returns them, of one dtype.
    options
        memory_limit and progress.

    Notes
    -----
    Pairs of old points that are not in their tree are in no tree of more points. So three sets of
    edges are merged: the old tree, the tree of the new points alone, and the edges between both
    that pruning by the old tree's clusters leaves. If too many pairs remain, the tree is computed
    anew.
    """
    points = np.concatenate([old, new])
    sizes = {"n_vertices": len(old), "n_new": len(new), "n_dimensions": points.shape[1]}
    wanted = _device.ON_CPU
    scaled = squares.in_range(points, ledger=validate.ledger(options["memory_limit"]))
    # The old tree has no distances of double, which float32 points of very different size need.
    is_other_type = scaled.points.dtype != points.dtype
    made = plan.make("more_points", None, None, points.dtype, wanted, known=sizes)
    if is_other_type or made.method == "anew":
        anew: SpanningForest = euclidean_mst(points, device=device, **options)
        return anew
    ends, weights = _core.new_point_edges(scaled.points, forest.edges, linkage)
    squares.multiply(weights, scaled.exponent)
    of_new, where = scaled.points[len(old) :], device_of_tree(new, device)
    edges, joins = unchecked_tree(of_new, where, exponent=scaled.exponent, **options)
    old_tree = SpanningForest(len(points), forest.edges, forest.weights)
    extended = extend_forest(
        old_tree,
        np.concatenate([ends, edges + np.int32(len(old))]),
        np.concatenate([weights, joins]),
        device=device,
        **options,
    )
    squares.refuse_infinite(extended.weights[-1:])
    return extended


def in_order(forest: SpanningForest) -> SpanningForest:
    """Return a forest, possibly made by the user, with its edges in ascending order.

    ValueError if an edge closes a cycle.
    """
    _ = forest.labels  # checks for cycles
    weights = forest.weights
    if not (weights[1:] < weights[:-1]).any():
        return forest
    order = np.argsort(weights, kind="stable")
    ids = None if forest.edge_ids is None else forest.edge_ids[order]
    edges = forest.edges[order]
    found = edges, weights[order], ids, forest.names, forest.coordinates, forest.weight_name
    return SpanningForest._found(forest.n_vertices, *found, maximum=forest._is_maximum)


def merged(forest: SpanningForest, other: SpanningForest) -> SpanningForest:
    """Return the minimum spanning forest of the edges of two, over the vertices of the second."""
    if other.n_vertices < forest.n_vertices:
        raise ValueError(
            f"the graph has {other.n_vertices} vertices, but {forest.n_vertices} were fitted; "
            "new edges are among these and, where there are more, new vertices"
        )
    n, dtype = other.n_vertices, np.result_type(forest.weights, other.weights)
    names = common_names(forest.names, other.names, "the graph with new edges")
    if names is not None and len(names) < n:
        raise ValueError(
            f"the {len(names)} vertices that were fitted have names, but the {n} vertices of the "
            "graph with new edges have none: the new ones need names, too"
        )
    both = (
        SpanningForest._found(
            n,
            part.edges,
            part.weights.astype(dtype),
            None,
            names,
            weight_name=forest.weight_name,
            maximum=part._is_maximum,
        )
        for part in (forest, other)
    )
    return merge_forests(*both)


def _of_distances(forest: SpanningForest) -> SpanningForest:
    """Return `forest` if its weights can be distances."""
    if forest.n_vertices == 0:
        raise ValueError("the forest has no vertices: 0 sample(s), at least 1 is required")
    if not (forest.weights >= 0).all():
        bad = int(np.argmin(forest.weights >= 0))
        ends, weight = tuple(forest.edges[bad].tolist()), forest.weights[bad]
        if np.isnan(weight):
            raise ValueError(f"the distance of edge {bad}, {ends}, is NaN")
        raise ValueError(
            f"Negative values in data: the distance of edge {bad}, {ends}, is {weight}"
        )
    return forest


def _refuse_samples_of_forest(min_samples: Any) -> None:
    if validate.positive(min_samples, "min_samples") > 1:
        raise ValueError(
            f"min_samples must be 1 for a spanning forest, got {min_samples}: core distances need "
            "the distances of all pairs; pass the points or the graph"
        )
