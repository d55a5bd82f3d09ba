"""wg.cluster.euclidean_mst."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, outputs, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.device import is_auto
from warpgraph._arguments.new_array import new_array
from warpgraph._arguments.points import (
    DevicePoints,
    OneColumn,
    points_anywhere,
    wanted_for,
)
from warpgraph._graph import plan
from warpgraph._graph.plan import planned
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.neighbours import squares

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]


@planned("cluster.euclidean_mst")
@falls_back_if_memory_lacks
def euclidean_mst(
    X: types.ArrayLike,
    *,
    min_samples: int | None = None,
    alpha: float = 1.0,
    device: types.Device = "auto",
    out: tuple[Any, Any] | None = None,
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> types.ForestOrOut:
    """Return the minimum spanning tree of points under Euclidean or mutual-reachability distance.

    The tree is exact, and the n x n distances never exist in memory.

    Parameters
    ----------
    X : array_like, shape (n, d)
        The points. float32 and float64 are used as they are, other numbers become float64. An
        array on a device, of PyTorch, JAX, CuPy or another library, is read there.
    min_samples : int, optional
        In 1..n; by default 1. Above 1, distances are mutual-reachability distances: the largest of
        the distance and the core distances of both points. A core distance is that to the
        `min_samples`-th nearest neighbour, of which the point itself is the first, as in
        scikit-learn's HDBSCAN; a `min_samples` of k in the package hdbscan is k + 1 here.
    alpha : float
        By which distances, but not core distances, are divided.
    device : str
        Where to run; see `warpgraph.devices`. "auto" chooses a GPU if points or `out` are there, or
        for many points.
    out : pair of arrays, optional
        Where to write the edges, int32 of shape (n - 1, 2), and the weights, float64 of shape
        (n - 1,), on the host or on the GPU that computes.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    SpanningForest
        One tree of n - 1 edges, lightest first. The weights are distances as float64: the square
        roots of squared distances computed in the type of the points. With `out`, the pair `out`
        instead.

    Raises
    ------
    ValueError
        Not two-dimensional, no points, or a coordinate that is NaN or infinite; its row is named.
        More `min_samples` than points, or an `alpha` that is not positive or whose square is beyond
        the range of the points' type.
    OverflowError
        The tree has an edge whose length is beyond the largest float64.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        A device is named that is not there.

    Notes
    -----
    Pairs of points are ordered by squared distance (identical points first), then by the smaller
    and the larger row number. In that order no two pairs are equal, so the tree is unique: the same
    on every device and with any number of threads. Of mutual-reachability distances [3]_, many are
    equal: those of a point to all points within its core distance whose own are not larger. The row
    numbers then decide; other programs choose other trees of the same weight. Identical points come
    first if their core distance is 0. In the order, the square of a distance divided by `alpha` is
    the squared distance times f * f, where f is 1 / `alpha` rounded to the type of the points, and
    each product is rounded to that type. Where squares might overflow or vanish, points are
    multiplied by a power of two first, as for `kneighbors_graph`.

    On the CPU: Boruvka's algorithm over a k-d tree [1]_, on all cores; O(n log n) time for few
    dimensions, towards O(n^2 d) for many. On a GPU: Boruvka's algorithm, in up to 8 dimensions over
    a bounding volume hierarchy of the points in Hilbert order [2]_, in more by brute force,
    O(n^2 d). Memory is O(n d) for all. With more than 8 dimensions, the cost is logged in advance
    by the logger "warpgraph", at level INFO.

    References
    ----------
    .. [1] March, Ram, Gray, "Fast Euclidean minimum spanning tree: algorithm, analysis, and
       applications", KDD 2010.
    .. [2] Prokopenko, Sao, Lebrun-Grandie, "A single-tree algorithm to compute the Euclidean
       minimum spanning tree on GPUs", ICPP 2022.
    .. [3] Campello, Moulavi, Sander, "Density-based clustering based on hierarchical density
       estimates", PAKDD 2013.

    Examples
    --------
    >>> import warpgraph as wg
    >>> forest = wg.cluster.euclidean_mst([[0, 0], [3, 4], [0, 1]])
    >>> forest.edges.tolist()
    [[0, 2], [1, 2]]
    >>> forest.weights.round(3).tolist()
    [1.0, 4.243]
    >>> wg.cluster.euclidean_mst([[0, 0], [3, 4], [0, 1]], min_samples=3).weights.round(3).tolist()
    [5.0, 5.0]
    """
    points = points_anywhere(X)
    n = len(points)
    k = samples(1 if min_samples is None else min_samples, n)
    keys: Any = {"min_samples": k, "alpha": divisor(alpha, points.dtype)}
    results = _results(out, n)
    there = [place for place in results if foreign.is_on_device(place)]
    if there and is_auto(device):
        device = foreign.device_of(there[0])
    where = device_of_tree(points, device, validate.ledger(memory_limit), **keys)
    for place in there:
        outputs.same_device(place, where)
    forest = tree_of_points(points, where, results, memory_limit, progress, **keys)
    return forest if out is None else out


def tree_of_points(
    points: Array | DevicePoints,
    where: str,
    out: tuple[Any, ...] = (),
    memory_limit: Any = None,
    progress: validate.ProgressLike = None,
    **keys: Any,
) -> SpanningForest:
    """Return the tree of `unchecked_tree` of points whatever the range of their coordinates."""
    ledger = validate.ledger(memory_limit)
    scaled = squares.in_range(points, alpha=keys["alpha"], ledger=ledger)
    how = ledger, progress, not out, scaled.exponent
    edges, weights = unchecked_tree(scaled.points, where, out, *how, **keys)
    if scaled.exponent and len(points) > 1 and np.isinf(_last_of(weights, where)):
        squares.refuse_infinite(np.array([np.inf]))
    return SpanningForest._found(len(points), edges, weights, None, maximum=False)


def unchecked_tree(
    points: Array | DevicePoints,
    where: str,
    out: tuple[Any, ...] = (),
    memory_limit: Any = None,
    progress: validate.ProgressLike = None,
    stays: bool = False,
    exponent: int = 0,
    **keys: Any,
) -> tuple[Any, Any]:
    """Return edges and weights of the tree of finite points, as `points_anywhere` returns them.

    `where`: what `device_of_tree` says; `out`: arrays that suit the tree, if any; `stays`: a large
    tree may stay on the device that finds it; `exponent`: weights are multiplied by 2 to the power
    of it; `keys`: min_samples and alpha, checked.
    """
    n, ledger = len(points), validate.ledger(memory_limit)
    report = validate.progress(progress, "Euclidean spanning tree")
    array: Any = points.array if isinstance(points, DevicePoints) else points
    if out:
        outputs.refuse_overlap(out, array)
    if where == "cpu":
        tree: Any = _core.emst(array, ledger, report, **keys)
        squares.multiply(tree[1], exponent)
        for place, part in zip(out, tree, strict=False):
            np.copyto(place, part)
    elif (
        not stays
        or (tree := _core.lazy_emst(array, exponent, where, ledger, report, **keys)) is None
    ):
        tree = out or (new_array((n - 1, 2), np.int32), new_array((n - 1,), np.float64))
        _core.emst_on_device(array, tree[0], tree[1], exponent, where, ledger, report, **keys)
    return tree[0], tree[1]


def samples(value: Any, n: int) -> int:
    """Return `value` as a number of samples among n points."""
    number = validate.positive(value, "min_samples")
    if number > n:
        raise ValueError(
            f"min_samples must be at most the number of points, {n}, got {number}: the point "
            "itself is the first sample"
        )
    return number


def divisor(value: Any, dtype: np.dtype[Any]) -> float:
    """Return `value` as a number by which distances of a dtype are divided."""
    alpha = validate.as_float(value, "alpha")
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        factor = np.square(dtype.type(np.float64(1) / alpha)) if alpha > 0 else 0
    if not 0 < factor < np.inf:
        raise ValueError(
            f"alpha must be a positive number with 1 / alpha**2 in the range of {dtype}, "
            f"got {value}"
        )
    return alpha


def _results(out: Any, n: int) -> tuple[Any, ...]:
    """Return the two arrays of `out` if a tree of n points can be written to them."""
    if out is None:
        return ()
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(
            f"out must be a pair (edges, weights) of arrays, got {type(out).__name__}"
            + (f" of {len(out)}" if isinstance(out, tuple) else "")
        )
    edges: tuple[tuple[int, ...], Any] = ((n - 1, 2), np.dtype(np.int32))
    weights: tuple[tuple[int, ...], Any] = ((n - 1,), np.dtype(np.float64))
    for i, (shape, kind) in enumerate((edges, weights)):
        place, name = out[i], f"out[{i}]"
        if foreign.is_on_device(place):
            outputs.on_device(place, shape, kind, name)
        elif place is None:
            raise TypeError(f"{name} must be an array, got None")
        else:
            outputs.on_host(place, shape, kind, name)
    return out


def _last_of(weights: Any, where: str) -> float:
    """Return the heaviest of a tree's weights, which are in ascending order."""
    if isinstance(weights, np.ndarray):
        return float(weights[-1])
    if isinstance(weights, _core.LazyResult):
        return float(weights.last_item())
    column, last = OneColumn(weights), np.empty((1, 1))
    _core.take_rows(column, np.array([len(column) - 1]), last, where)
    return float(last[0, 0])


def device_of_tree(
    points: Array | DevicePoints,
    device: Any,
    ledger: _core.Ledger = validate.NO_LIMIT,
    **keys: float,
) -> str:
    """Return the device that finds the tree of points.

    `keys`: min_samples and alpha.
    """
    n, d = points.shape
    facts = {"n_vertices": n, "n_dimensions": d, **keys}
    wanted = wanted_for(points, device)
    return plan.device_for("euclidean_mst", wanted, points.dtype, ledger, **facts)
