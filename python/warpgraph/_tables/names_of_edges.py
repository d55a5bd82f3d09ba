"""The ends of edges in two arrays: numbers of vertices, or names, numbered as those of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import convert, validate
from warpgraph._tables import frames

Array = npt.NDArray[Any]

_MAX_VERTICES = 2**31 - 1


def numbered(
    row: Any, col: Any, n_vertices: int | None
) -> tuple[Array, Array, int, list[str] | None]:
    """Return (row, col) as numbers, the number of vertices, and their names if they have any.

    `n_vertices` is None, or what the caller gave.
    """
    row, col = _ends(row, "row"), _ends(col, "col")
    if not (_has_strings(row) or _has_strings(col)):
        if n_vertices is None:
            return row, col, _least_n_vertices(row, col), None
        return row, col, validate.count(n_vertices, "n_vertices", most=_MAX_VERTICES), None
    if row.ndim == col.ndim == 1:
        convert.check_lengths(row, col, None)
    # As Graph.from_dataframe numbers the vertices of a table.
    row, col, names = frames.numbered(_column(row, "row"), _column(col, "col"))
    if n_vertices is not None:
        raise ValueError(
            f"n_vertices={validate.shown(n_vertices)} is for ends that are vertex numbers; a "
            f"graph of edges between names has the vertices that these name, here {len(names)}"
        )
    return row, col, len(names), names


def _ends(values: Any, name: str) -> Array:
    """Return one end of every edge as an array, strings as Python's."""
    array = validate.unmasked(values, name)
    if array.ndim == 0 and array.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must be a sequence of vertices, an end of each edge, "
            f"got {validate.shown(values)}"
        )
    if array.dtype.kind == "U" and not isinstance(values, np.ndarray):
        # NumPy's strings have lost a NUL at the end, and numbers among strings became strings.
        return np.array(values, object)
    return array.astype(object) if array.dtype.kind in "UT" else array


def _has_strings(ends: Array) -> bool:
    is_list = ends.dtype.kind == "O" and ends.ndim == 1
    return is_list and any(isinstance(end, str) for end in ends)


def _column(ends: Array, name: str) -> frames.Ends:
    """Return names at one end of every edge as a column of a table."""
    labels = frames.checked(name, ends)
    if labels.dtype.kind != "O":
        return frames.Ends(name, labels, None)
    found: dict[str, int] = {}
    codes = np.array([found.setdefault(end, len(found)) for end in labels], np.int64)
    if "" in found:
        raise ValueError(f"{name}[{int((codes == found['']).argmax())}] is an empty name")
    return frames.Ends(name, np.array(list(found), object), codes)


def _least_n_vertices(row: Array, col: Array) -> int:
    """Return the least number of vertices that a graph with these ends has."""
    largest = -1
    for name, ends in (("row", row), ("col", col)):
        numbers = convert.as_index_array(ends, name)
        largest = max(largest, int(numbers.max(initial=-1)))
    if largest >= _MAX_VERTICES:
        raise ValueError(
            f"a graph has at most {_MAX_VERTICES} vertices, numbered from 0 on, but an edge ends "
            f"in {largest}; Graph.from_dataframe reads other integers as names"
        )
    return largest + 1
