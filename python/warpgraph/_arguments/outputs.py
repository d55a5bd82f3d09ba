"""Checks of arrays that results are written to; each error names what was expected."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
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
    if not isinstance(out, np.ndarray):
        return
    for array in (graph.indptr, graph.indices, graph.data):
        if array is not None and np.may_share_memory(out, array) and np.shares_memory(out, array):
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


def is_device_array(value: Any) -> bool:
    """Return whether `value` is an array in the memory of a CUDA device, such as CuPy's."""
    return hasattr(value, "__cuda_array_interface__")


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
    interface = out.__cuda_array_interface__
    found, kind = tuple(interface["shape"]), np.dtype(interface["typestr"])
    if found != shape or kind != dtype:
        raise ValueError(
            f"{name} must be an array of shape {shape} and dtype {dtype}, "
            f"got shape {found} and dtype {kind}"
        )
    steps = interface.get("strides")
    contiguous = steps is None or tuple(steps) == _steps_in_order(found, kind.itemsize)
    contiguous = contiguous or (rows_apart and _has_rows(shape, tuple(steps), dtype))
    if interface["data"][1] or interface.get("mask") is not None or not contiguous:
        layout = "have contiguous rows, be writable" if rows_apart else "be C-contiguous, writable"
        raise ValueError(f"{name} must {layout} and without a mask")
    return out


def anywhere(
    out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], *, rows_apart: bool = False
) -> Any:
    """Return the same as `on_device` of an array on a device, and as `on_host` otherwise."""
    check = on_device if is_device_array(out) else on_host
    return check(out, shape, dtype, rows_apart=rows_apart)


def _steps_in_order(shape: tuple[int, ...], item: int) -> tuple[int, ...]:
    """Return the strides of a C-contiguous array."""
    return tuple(item * math.prod(shape[i + 1 :]) for i in range(len(shape)))


def device_of(out: Any) -> str:
    """Return the device of a device array."""
    address = out.__cuda_array_interface__["data"][0]
    return _core.device_holding(address) if address else "cuda:0"


def same_device(out: Any, device: str, name: str = "out") -> None:
    """Refuse a device array that is not on `device`."""
    address = out.__cuda_array_interface__["data"][0]
    found = _core.device_holding(address) if address else device
    if device == "cpu" or found != device:
        raise ValueError(f"{name} lies on {device_of(out)}, but device is {device!r}")
