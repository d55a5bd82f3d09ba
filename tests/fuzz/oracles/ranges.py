"""Units of length in which the squares of distances are numbers of a dtype."""

from __future__ import annotations

import math

import numpy as np

#: Powers of two: of the least and of the largest coordinate whose squares are exact, with room for
#: the bits of differences, and for sums.
_LIMITS = {"float32": (-39, 60), "float64": (-458, 508)}


def in_range(points, alpha=1.0):
    """Return points as multiples of 2^e, and e; of float64 where float32 has no such numbers."""
    magnitudes = np.abs(points[points != 0]).astype(np.float64)
    if not len(magnitudes):
        return points, 0
    least, most = _LIMITS[str(points.dtype)]
    most -= math.ceil(math.log2(points.shape[1]) / 2)
    factor = -math.log2(alpha)
    low = math.frexp(magnitudes.min())[1] - 1 + math.floor(min(factor, 0))
    high = math.frexp(magnitudes.max())[1] + math.ceil(max(factor, 0))
    if low >= least and high <= most:
        return points, 0
    if points.dtype == np.float32 and low - high < least - most:
        return points.astype(np.float64), 0
    with np.errstate(under="ignore"):
        return np.ldexp(points, most - high), high - most


def lengths(squares, exponent):
    """Return the distances that have these squares in multiples of 2^exponent."""
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(np.sqrt(np.maximum(squares, 0).astype(np.float64)), exponent)
