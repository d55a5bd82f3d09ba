"""Metrics that are functions of the caller: of Python, of numba, or compiled by another language.

A function of Python is called here, for each pair once. The others are called by the core, on all
threads. In both cases the distances of all pairs are computed first, and then searched like
distances that the caller has computed.
"""

from __future__ import annotations

import contextlib
import decimal
import functools
import itertools
import numbers
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import LowLevelCallable

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.new_array import new_arrays
from warpgraph._graph import plan

Array = npt.NDArray[Any]
Report = Callable[[int, int], Any] | None

#: Time in seconds between two reports of calls in Python; the core has its own.
_REPORT_INTERVAL = 0.1
#: C's type of a compiled function: of rows of two points, and the number of coordinates.
_SIGNATURE = re.compile(
    r"double ?\((const )?(double|void) ?\*, ?(const )?(double|void) ?\*, ?"
    r"(npy_intp|intptr_t|Py_ssize_t|ssize_t|ptrdiff_t|int64_t|long|long long)\)"
)
#: Types of the numbers that a function may return.
_REAL_TYPES: tuple[Any, ...] = (numbers.Real, decimal.Decimal, np.bool_)
#: The most functions of numba that stay compiled between calls.
_MOST_COMPILED = 16


def is_function(value: Any) -> bool:
    """Return whether the argument ``metric=`` is a function, or SciPy's LowLevelCallable of one."""
    is_called = callable(value) and not isinstance(value, type)
    return is_called or isinstance(value, LowLevelCallable)


def shown(metric: Any) -> str:
    """Return a metric for messages: without the address that a function's text has."""
    return "a function" if is_function(metric) else repr(metric)


def matrix(
    function: Any,
    points: Array,
    ledger: _core.Ledger,
    progress: Report,
    rows: Array | None = None,
) -> Array:
    """Return the distances of all pairs of points of float64; each is computed once.

    rows: the row of each point in the caller's array, for errors, if others were left out.
    """
    compiled, n = _compiled(function), len(points)
    distances = _charged_array((n, n), ledger)
    ids = range(n) if rows is None else rows
    if compiled is None:
        _call_for_pairs(function, points, distances, progress, ids)
    else:
        bad = _core.matrix_by_function(compiled, points, distances, progress)
        _check(function, points, points, distances, bad, ids, ids)
    return distances


def blocks(
    function: Any, points: Array, queries: Array, ledger: _core.Ledger, progress: Report
) -> Iterator[Array]:
    """Yield the distances of some queries at a time to all points, in an array that is reused."""
    compiled, (n, m) = _compiled(function), (len(points), len(queries))
    size = min(_core.queries_at_a_time(n), m)
    block = _charged_array((size, n), ledger)
    for first in range(0, m, size):
        part = queries[first : first + size]
        distances, steps = block[: len(part)], _Steps(progress, m * n, first * n)
        if compiled is None:
            _call_for_queries(function, points, part, distances, steps, first)
        else:
            bad = _core.distances_by_function(compiled, points, part, distances, steps.at)
            _check(function, part, points, distances, bad, range(first, m), range(n))
        yield distances


def _charged_array(shape: tuple[int, int], ledger: _core.Ledger) -> Array:
    """Return an array for distances, which is charged to the ledger. Refuse to plan such a call."""
    if plan.ends_call():
        raise ValueError("plans are made for metrics with names, but the metric is a function")
    advice = "pass fewer points, or a sparse graph"
    (array,) = new_arrays(ledger, "the matrix of distances", advice, (shape, np.float64))
    return array


class _Steps:
    """Progress in pairs that have distances, of which a few reports a second are made."""

    def __init__(self, progress: Report, total: int, done: int = 0) -> None:
        self._progress, self._total = progress, total
        self._first = self._done = done
        self._last = 0.0

    def add(self, n: int) -> None:
        """Report that n more pairs have distances."""
        self._done += n
        now = time.monotonic()
        if now - self._last > _REPORT_INTERVAL or self._done == self._total:
            self._last = now
            self._report()

    def at(self, done: int, total: int) -> None:
        """Report that so many pairs have distances, which the core counts from 0."""
        self._done = self._first + done
        self._report()

    def _report(self) -> None:
        if self._progress is not None and self._total:
            self._progress(self._done, self._total)


def _read_only(points: Array) -> Array:
    """Return a view that a function of the caller cannot write to."""
    view: Array = points.view()
    view.flags.writeable = False
    return view


def _call_for_pairs(
    function: Any, points: Array, distances: Array, progress: Report, ids: Sequence[int] | Array
) -> None:
    """Fill the distances of all pairs of points; the function need not be called both ways."""
    rows = list(_read_only(points))
    steps = _Steps(progress, len(rows) * (len(rows) - 1) // 2)
    np.fill_diagonal(distances, 0)
    for i, point in enumerate(rows[:-1]):
        values = [function(point, other) for other in rows[i + 1 :]]
        row = _as_distances(values, ids[i], ids[i + 1 :])
        distances[i, i + 1 :] = distances[i + 1 :, i] = row
        steps.add(len(values))


def _call_for_queries(
    function: Any, points: Array, queries: Array, distances: Array, steps: _Steps, first: int
) -> None:
    """Fill the distances of queries, of which the first is in row `first`, to all points."""
    rows = list(_read_only(points))
    for i, query in enumerate(_read_only(queries)):
        values = [function(query, point) for point in rows]
        distances[i] = _as_distances(values, first + i, range(len(rows)))
        steps.add(len(rows))


def _as_distances(values: list[Any], row: int, others: Sequence[int] | Array) -> Array:
    """Return what a function returned for a row and each of others, as distances."""
    with contextlib.suppress(ValueError, OverflowError):  # different lengths, huge integers
        array = np.asarray(values)
        if array.ndim == 1 and array.dtype.kind in "biuf" and (array >= 0).all():
            return array + 0.0  # -0.0 becomes 0.0
    return np.array([_as_distance(*pair) for pair in zip(values, itertools.repeat(row), others)])


def _as_distance(value: Any, row: int, other: int) -> float:
    """Return what a function returned as a distance."""
    found: Any = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not isinstance(found, _REAL_TYPES):
        raise _not_a_distance(TypeError, value, row, other)
    if not found >= 0:
        raise _not_a_distance(ValueError, value, row, other)
    try:
        return float(found) + 0.0
    except OverflowError:
        raise OverflowError(
            f"metric must return a number in the range of float64, or inf, got "
            f"{validate.shown(value)} for rows {row} and {other}"
        ) from None


def _not_a_distance(kind: type[Exception], value: Any, row: int, other: int) -> Exception:
    """Return the exception for a value that is no distance."""
    return kind(
        f"metric must return a number of at least 0, got {validate.shown(value)} for rows {row} "
        f"and {other}"
    )


def _check(
    function: Any,
    queries: Array,
    points: Array,
    distances: Array,
    bad: tuple[int, int],
    ids_of_queries: Sequence[int] | Array,
    ids_of_points: Sequence[int] | Array,
) -> None:
    """Raise an error if compiled code returned no distance for a pair; `bad` is (-1, -1) if not.

    Compiled for the core, a function of numba returns NaN where it raises an exception. So it is
    called again from Python for this pair, to raise that.
    """
    row, other = bad
    if row < 0:
        return
    if _is_of_numba(function):
        function(queries[row], points[other])
    value = float(distances[row, other])
    raise _not_a_distance(ValueError, value, ids_of_queries[row], ids_of_points[other])


def _compiled(function: Any) -> Any:
    """Return the PyCapsule of a function that the core can call; None if it is one of Python."""
    if _is_of_numba(function):
        function = _compiled_by_numba(function)
    if hasattr(function, "native_name"):  # what numba's cfunc makes
        function = LowLevelCallable(function.ctypes)
    if not isinstance(function, LowLevelCallable):
        return None
    if not _SIGNATURE.fullmatch(function.signature):
        raise TypeError(
            "metric must be a compiled function 'double (double *, double *, npy_intp)', got one "
            f"that is {function.signature!r}"
        )
    if function.user_data is not None:
        raise TypeError("metric must be a LowLevelCallable without user_data, which is not passed")
    return tuple.__getitem__(function, 0)  # the tuple that it is; its own indexing raises


def _is_of_numba(function: Any) -> bool:
    """Return whether a function is what numba's njit returns."""
    options = getattr(function, "targetoptions", None)
    return hasattr(function, "py_func") and isinstance(options, dict) and "nopython" in options


@functools.lru_cache(maxsize=_MOST_COMPILED)
def _compiled_by_numba(function: Any) -> Any:
    """Return what numba's cfunc makes of a function that njit has compiled."""
    numba: Any = sys.modules["numba"]
    carray, nan = numba.carray, np.nan

    @numba.cfunc("float64(CPointer(float64), CPointer(float64), intp)")  # type: ignore[untyped-decorator]
    def distance(x: Any, y: Any, n: Any) -> Any:
        try:
            return function(carray(x, (n,)), carray(y, (n,)))
        except Exception:  # a callback cannot raise it
            return nan

    return distance
