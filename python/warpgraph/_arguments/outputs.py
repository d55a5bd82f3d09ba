"""Checks of arrays that results are written to; each error names what was expected."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import foreign
from warpgraph._arguments.new_array import new_array


def on_host(
    out: Any,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    name: str = "out",
    *,
    rows_apart: bool = False,
) -> npt.NDArray[Any]:
    """Return `out` if a result of `shape` and `dtype` can be written to it, or a new array.

    `rows_apart`: the rows of a matrix must each be contiguous, but need not follow each other.
    """
    if out is None:
        return new_array(shape, dtype)
    if not isinstance(out, np.ndarray) or np.ma.isMaskedArray(out):
        raise TypeError(f"{name} must be a NumPy array, got {type(out).__name__}")
    if out.shape != shape or out.dtype != dtype:
        raise ValueError(
            f"{name} must be an array of shape {shape} and dtype {dtype}, "
            f"got shape {out.shape} and dtype {out.dtype}"
        )
    contiguous = out.flags.c_contiguous or (rows_apart and _has_rows(shape, out.strides, dtype))
    if not (contiguous and out.flags.writeable and out.flags.aligned):
        what = "have contiguous rows" if rows_apart else "be C-contiguous"
        raise ValueError(f"{name} must {what}, and be aligned and writable")
    return out


def _has_rows(shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any]) -> bool:
    """Return whether each row of a matrix is contiguous and begins after the former one."""
    item, (step, within) = dtype.itemsize, strides
    apart = step % item == 0 and step >= item * shape[1]
    return 0 in shape or (within == item and apart)


def refuse_overlap_with_graph(out: Any, graph: Any) -> None:
    """Refuse an output array that shares memory with the graph."""
    if isinstance(out, np.ndarray):
        # Arrays that the graph has on a device alone are not copied to the host for this.
        arrays = *map(vars(graph).get, ("indptr", "indices", "data")), *getattr(graph, "_given", ())
        overlaps = any(
            np.may_share_memory(out, array) and np.shares_memory(out, array)
            for array in arrays
            if isinstance(array, np.ndarray)
        )
    else:
        there = getattr(graph, "_on_device", None)
        overlaps = there is not None and foreign.is_on_device(out) and there.overlaps(out)
    if overlaps:
        raise ValueError(
            "out shares memory with the graph, which is read while it is written; "
            "pass another array"
        )


def refuse_overlap(results: Iterable[Any], points: Any = None) -> None:
    """Refuse arrays to write to that share memory with each other or with the points."""
    arrays = [array for array in (*results, points) if isinstance(array, np.ndarray)]
    for one, other in itertools.combinations(arrays, 2):
        if np.may_share_memory(one, other) and np.shares_memory(one, other):
            raise ValueError(
                "the arrays of out share memory with each other or with X; pass other arrays"
            )


def on_device(
    out: Any,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    name: str = "out",
    *,
    rows_apart: bool = False,
) -> Any:
    """Return `out`, an array on a device, if a result of `shape` and `dtype` fits there.

    `rows_apart`: as for `on_host`.
    """
    found = foreign.layout_of(out)
    if found.shape != shape or found.dtype != dtype:
        raise ValueError(
            f"{name} must be an array of shape {shape} and dtype {dtype}, "
            f"got shape {found.shape} and dtype {found.dtype}"
        )
    contiguous = found.is_contiguous or (rows_apart and _has_rows(shape, found.strides, dtype))
    if found.is_read_only or found.has_mask or not contiguous:
        layout = "have contiguous rows, be writable" if rows_apart else "be C-contiguous, writable"
        raise ValueError(f"{name} must {layout} and without a mask")
    return out


def anywhere(
    out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], *, rows_apart: bool = False
) -> Any:
    """Return the same as `on_device` of an array on a device, and as `on_host` otherwise."""
    check = on_device if foreign.is_on_device(out) else on_host
    return check(out, shape, dtype, rows_apart=rows_apart)


def of_graph(graph: Any, out: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Return a new array, or `out` if the result fits there and shares no memory with the graph."""
    given = checked(graph, out, shape, dtype)
    return new_array(shape, dtype) if given is None else given


def checked(graph: Any, out: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Return `out` if the result fits there and shares no memory with the graph; None as it is."""
    if out is None:
        return None
    result = anywhere(out, shape, dtype)
    refuse_overlap_with_graph(out, graph)
    return result


def same_device(out: Any, device: str, name: str = "out") -> None:
    """Refuse a device array that is not on `device`."""
    found = foreign.device_of(out)
    has_items = foreign.layout_of(out).address != 0
    if device == "cpu" or (has_items and found != device):
        raise ValueError(f"{name} lies on {found}, but device is {device!r}")
