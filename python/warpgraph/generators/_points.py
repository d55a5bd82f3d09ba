"""Synthetic points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.new_array import new_arrays
from warpgraph.generators._graphs import LARGEST

if TYPE_CHECKING:
    from warpgraph._arguments import types


@hinted
def random_points(
    n: int,
    dim: int,
    *,
    seed: int = 0,
    dist: types.PointDistribution = "uniform",
    n_blobs: int = 10,
    spread: float = 0.02,
    dtype: types.DType[Any] | None = np.float64,
    return_labels: bool = False,
) -> types.ArrayOrTuple:
    """Generate points to cluster.

    Parameters
    ----------
    n, dim : int
        Number of points and of their coordinates.
    seed : int
        The same seed gives the same result.
    dist : {"uniform", "normal", "blobs"}
        Uniform in the unit cube; standard normal; or normal around centres that are uniform in the
        unit cube.
    n_blobs : int
        Number of centres of blobs.
    spread : float
        Standard deviation of the points of a blob from its centre, on each axis.
    dtype : {"float32", "float64"}
        Type of the coordinates.
    return_labels : bool
        Also return which centre each point belongs to; 0 for other distributions.

    Returns
    -------
    points : ndarray of shape (n, dim)
    labels : ndarray of int32, shape (n,)
        Only with `return_labels`.

    Examples
    --------
    >>> import warpgraph as wg
    >>> points, labels = wg.generators.random_points(
    ...     1000, 2, dist="blobs", n_blobs=3, return_labels=True
    ... )
    >>> points.shape, int(labels.max())
    ((1000, 2), 2)
    """
    return_labels = validate.flag(return_labels, "return_labels")
    n = min(validate.at_least(0, n, "n"), 2**62)  # far beyond all memory
    dim = validate.count(dim, "dim", least=1, most=LARGEST)
    validate.choice(dist, ("uniform", "normal", "blobs"), "dist")
    point_dtype = validate.weight_dtype(dtype)
    if point_dtype.kind != "f":
        raise TypeError(f"dtype must be float32 or float64, got {dtype!r}")
    n_blobs = validate.count(n_blobs, "n_blobs", least=1, most=LARGEST)
    spread = validate.as_float(spread, "spread")
    made = ((n, dim), point_dtype), ((n,), np.int32)
    advice = "ask for fewer points"
    drawn = validate.seed(seed)
    points, labels = new_arrays(validate.NO_LIMIT, "generating points", advice, *made)
    _core.random_points(points, labels, drawn, dist=dist, n_blobs=n_blobs, spread=spread)
    return (points, labels) if return_labels else points
