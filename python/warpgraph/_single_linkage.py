"""wg.cluster.single_linkage, and the spanning forests that it can start from."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _core, _device, _validate
from warpgraph._dense_mst import dense_mst
from warpgraph._emst import euclidean_mst
from warpgraph._forest import SpanningForest
from warpgraph._graph import Graph, as_graph
from warpgraph._mst import merge_forests, minimum_spanning_forest

METRICS = ("euclidean", "precomputed")


def single_linkage(
    X: Any,
    *,
    metric: str = "euclidean",
    device: Any = "auto",
    progress: _validate.ProgressLike = None,
) -> npt.NDArray[np.float64]:
    """Return the single-linkage dendrogram in SciPy's format.

    Parameters
    ----------
    X : array_like, sparse matrix, Graph or SpanningForest
        With metric "euclidean": points, shape (n, d). With "precomputed": distances, shape (n, n),
        as an array (0 is a distance, inf is none) or as a sparse graph (stored entries are
        distances, others are none). A `SpanningForest` or a `Graph` is taken whatever the metric.
    metric : {"euclidean", "precomputed"}
        What `X` holds.
    device : str
        Where the spanning forest is found; see `warpgraph.devices`.
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
    its ``dendrogram`` cannot draw inf; `MSTClustering.plot_dendrogram` can.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.cluster.single_linkage([[0.0], [1.0], [5.0]]).tolist()
    [[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]]
    """
    return linkage_of(spanning_forest_of(X, metric, device, progress=progress))


def spanning_forest_of(X: Any, metric: str, device: Any, **options: Any) -> SpanningForest:
    """Return the minimum spanning forest of points or of precomputed distances.

    `options`: memory_limit and progress.
    """
    metric = _validate.choice(metric, METRICS, "metric")
    if isinstance(X, SpanningForest):
        return X
    if isinstance(X, Graph) or (metric == "precomputed" and not _is_dense(X)):
        return _forest_of_graph(as_graph(X), device=device, **options)
    if metric == "euclidean":
        return euclidean_mst(X, device=device, **options)
    where = _device.resolve(device)
    if where != "cpu":
        raise _core.DeviceError(
            f"a full matrix of distances is searched on the CPU only, not on {where}: pass "
            "device='auto' or 'cpu', the points themselves, or a sparse graph"
        )
    return dense_mst(X, **options)


def linkage_of(forest: SpanningForest) -> npt.NDArray[np.float64]:
    """Return SciPy's linkage matrix of a forest with at least one vertex."""
    linkage = np.empty((forest.n_vertices - 1, 4))
    weights = np.ascontiguousarray(forest.weights, np.float64)
    _core.single_linkage(forest.edges, weights, linkage, None)
    return linkage


def merged(forest: SpanningForest, other: SpanningForest) -> SpanningForest:
    """Return the minimum spanning forest of the edges of two, over the vertices of the second."""
    if other.n_vertices < forest.n_vertices:
        raise ValueError(
            f"the graph has {other.n_vertices} vertices, but {forest.n_vertices} were fitted; "
            "new edges are among these and, where there are more, new vertices"
        )
    dtype = np.result_type(forest.weights, other.weights)
    both = (
        SpanningForest(other.n_vertices, part.edges, part.weights.astype(dtype))
        for part in (forest, other)
    )
    return merge_forests(*both)


def _is_dense(X: Any) -> bool:
    return isinstance(X, (np.ndarray, list, tuple)) or (
        hasattr(X, "__array__") and not sp.issparse(X)
    )


def _forest_of_graph(graph: Graph, **options: Any) -> SpanningForest:
    if graph.n_vertices == 0:
        raise ValueError("the graph has no vertices: 0 sample(s), at least 1 is required")
    negative = graph.first_negative()
    if negative is not None:
        _, tail, head, weight = negative
        raise ValueError(f"Negative values in data: the distance at ({tail}, {head}) is {weight}")
    return minimum_spanning_forest(graph, **options)
