"""wg.cluster.euclidean_mst."""

from __future__ import annotations

import logging
from typing import Any

from warpgraph import _core, _device, _validate
from warpgraph._forest import SpanningForest
from warpgraph._points import as_points

logger = logging.getLogger("warpgraph")

#: In more dimensions boxes prune so little that most pairs may have to be looked at.
_DIMENSIONS_FOR_BOXES = 8
#: In fewer dimensions the tree of boxes on the cores beats brute force on a GPU.
_DIMENSIONS_FOR_A_GPU = 12
#: Pairs times dimensions from which on brute force on a GPU that is there beats the cores.
_WORTH_A_GPU = 1 << 32


def euclidean_mst(
    X: Any,
    *,
    device: Any = "auto",
    memory_limit: int | None = None,
    progress: _validate.ProgressLike = None,
) -> SpanningForest:
    """Return the minimum spanning tree of points under Euclidean distance.

    The tree is exact, and the n x n distances never exist in memory.

    Parameters
    ----------
    X : array_like, shape (n, d)
        The points. float32 and float64 are used as they are, other numbers become float64.
    device : str
        Where to run; see `warpgraph.devices`. "auto" chooses a GPU only for many points in many
        dimensions.
    memory_limit : int, optional
        Bytes of scratch memory that may be used there; by default, whatever is free.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    SpanningForest
        One tree of n - 1 edges, lightest first. The weights are distances as float64: the square
        roots of squared distances computed in the type of the points.

    Raises
    ------
    ValueError
        Not two-dimensional, no points, or a coordinate that is NaN or infinite; its row is named.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.

    Notes
    -----
    Pairs of points are ordered by squared distance (identical points first), then by the smaller
    and the larger row number. In that order no two pairs are equal, so the tree is unique: the same
    on every device and with any number of threads. A squared distance that overflows is infinite;
    such pairs are ordered by their row numbers.

    On the CPU: Boruvka's algorithm over a k-d tree, on all cores; O(n log n) time for few
    dimensions, towards O(n^2 d) for many. On a GPU: Boruvka's algorithm by brute force, O(n^2 d).
    Memory is O(n d) for both. What brute force costs, and the search in more than 8 dimensions may,
    is said beforehand to the logger "warpgraph", at level INFO.

    Examples
    --------
    >>> import warpgraph as wg
    >>> forest = wg.cluster.euclidean_mst([[0, 0], [3, 4], [0, 1]])
    >>> forest.edges.tolist()
    [[0, 2], [1, 2]]
    >>> forest.weights.round(3).tolist()
    [1.0, 4.243]
    """
    points = as_points(X)
    n, d = points.shape
    where = _device.resolve(
        device,
        work=n * n * d,
        worthwhile=_WORTH_A_GPU if d >= _DIMENSIONS_FOR_A_GPU else None,
    )
    limit = _validate.memory_limit(memory_limit)
    report = _validate.progress(progress, "Euclidean spanning tree")
    if where != "cpu" or d > _DIMENSIONS_FOR_BOXES:
        pairs = n * (n - 1) // 2
        logger.info(
            "the tree of %d points in %d dimensions on %s: %.3g pairs, %.3g multiplications to "
            "look at all of them once; that many distances are never in memory",
            n,
            d,
            where,
            pairs,
            pairs * d,
        )
    edges, weights = _core.emst(points, "auto", where, limit, report)
    return SpanningForest(n, edges, weights)
