"""Points whose squared distances are in the range of their type.

Distances are computed from squares. Where some might overflow or lose digits, all points are
multiplied by one power of two, and the distances by its inverse. Both are exact, so that answers
are those of a type without limits of its exponents. Where no factor suits all coordinates, float32
becomes float64, in which the squares of all float32 numbers are.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.new_array import new_arrays
from warpgraph._arguments.points import DevicePoints, on_host

Array = npt.NDArray[Any]
Points = Array | DevicePoints


class _Limits(NamedTuple):
    """Powers of two between which magnitudes are."""

    least: int
    most: int


#: Differences of two numbers of at least 2^e are multiples of 2^(e - 23), or of 2^(e - 52). Their
#: squares are normal numbers above the first limit; below the second, the sums of squares of few
#: coordinates are finite, times 16.
_SQUARES = {np.dtype(np.float32): _Limits(-39, 60), np.dtype(np.float64): _Limits(-458, 508)}
#: Sums of differences themselves, which the core computes in double.
_SUMS = {np.dtype(np.float32): _Limits(-2000, 2000), np.dtype(np.float64): _Limits(-2000, 1020)}


class Scaled(NamedTuple):
    """Sets of points, divided by 2 to the power of `exponent`."""

    sets: tuple[Any, ...]
    exponent: int

    @property
    def points(self) -> Any:
        """The only set of points."""
        return self.sets[0]


def in_range(
    *sets: Points,
    dtype: npt.DTypeLike | None = None,
    alpha: float = 1.0,
    squares: bool = True,
    ledger: _core.Ledger = validate.NO_LIMIT,
) -> Scaled:
    """Return sets of points of one dtype with a common factor; those in range as they are.

    Coordinates that are not finite do not count. dtype: in which distances are computed, by default
    that of the points; alpha: by which distances are divided; squares: whether they are squared.
    """
    kind = sets[0].dtype if dtype is None else np.dtype(dtype)
    ranges = [_core.magnitudes(*_where(points)) for points in sets]
    least, largest = min(low for low, _ in ranges), max(high for _, high in ranges)
    if largest == 0:
        return Scaled(sets, 0)
    # Magnitudes are at least 2^low and below 2^high.
    low, high = math.frexp(least)[1] - 1, math.frexp(largest)[1]
    by_alpha = -math.log2(alpha)
    low, high = low + math.floor(min(by_alpha, 0)), high + math.ceil(max(by_alpha, 0))
    limits = _limits(kind, sets[0].shape[1], squares)
    if limits.least <= low and high <= limits.most:
        return Scaled(sets, 0)
    exponent = high - limits.most
    if kind == np.float32 and low - exponent < limits.least:
        kind, exponent = np.dtype(np.float64), 0
    elif low - exponent < limits.least:
        _warn_of_lost(sets, exponent)
    return Scaled(tuple(_multiplied(points, -exponent, kind, ledger) for points in sets), exponent)


def scale_back(distances: Array, exponent: int, metric: str = "euclidean") -> Array:
    """Multiply distances, in place, by 2 to the power of `exponent`; refuse inf as a distance."""
    if exponent:
        multiply(distances, exponent)
        refuse_infinite(distances, metric)
    return distances


def multiply(numbers: Array, exponent: int) -> None:
    """Multiply numbers, in place, by 2 to the power of `exponent`."""
    if exponent:
        with np.errstate(over="ignore", under="ignore"):
            np.ldexp(numbers, exponent, out=numbers)


def refuse_infinite(distances: Array, metric: str = "euclidean") -> None:
    """Refuse distances that are beyond the largest float64."""
    if np.isinf(distances).any():
        raise OverflowError(
            f"points are so far apart that their {metric} distance is beyond the largest float64; "
            "divide X by a number"
        )


def scaled_number(number: float, exponent: int) -> float:
    """Return a distance as it is between points divided by 2 to the power of `exponent`."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(number, -exponent))


def divided(points: Array, exponent: int) -> Array:
    """Return points on the host, divided by 2 to the power of `exponent`.

    If that is not 0, they are float64. Points far beyond those that the exponent was chosen for
    become inf.
    """
    if exponent == 0:
        return points
    found = points.astype(np.float64)
    multiply(found, -exponent)
    return found


def _limits(dtype: np.dtype[Any], n_coordinates: int, squares: bool = True) -> _Limits:
    least, most = (_SQUARES if squares else _SUMS)[dtype]
    return _Limits(least, most - math.ceil(math.log2(n_coordinates) / (2 if squares else 1)))


def _where(points: Points) -> tuple[Any, str]:
    if isinstance(points, DevicePoints):
        return points.array, points.device
    return points, "cpu"


def _multiplied(
    points: Points, exponent: int, dtype: np.dtype[Any], ledger: _core.Ledger
) -> Points:
    given = on_host(points)
    what, advice = "multiplying the points by a power of two", "pass points near 1"
    (found,) = new_arrays(ledger, what, advice, (given.shape, dtype))
    np.copyto(found, given)
    multiply(found, exponent)
    is_there = isinstance(points, DevicePoints)
    return DevicePoints.copied(found, points.device) if is_there else found


def _warn_of_lost(sets: tuple[Points, ...], exponent: int) -> None:
    """Warn if points differ by less than what has a square beside the largest coordinates."""
    limit = scaled_number(np.sqrt(np.finfo(np.float64).tiny), -exponent)
    rows = np.concatenate([on_host(points) for points in sets])
    # Larger coordinates are equal or differ by more.
    without_small = np.where(np.abs(rows) < limit * 2.0**53, 0, rows)
    if len(np.unique(without_small, axis=0)) == len(np.unique(rows, axis=0)):
        return
    validate.warn(
        f"points differ by less than {limit:.1g}, of which float64 has no squares beside those of "
        f"{np.abs(rows).max():.1g}: they count as identical, or at an inexact distance; leave out "
        "the rows or columns with the largest numbers"
    )
