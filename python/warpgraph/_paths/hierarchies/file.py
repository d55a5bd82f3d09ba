"""The files of wg.Hierarchy: their format and its checks."""

from __future__ import annotations

import hashlib
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._files import archive
from warpgraph._graph.graph import Graph

FORMAT = "warpgraph hierarchy 1"


def fingerprint(graph: Graph, unweighted: bool) -> str:
    """Return a digest that identifies a graph."""
    digest = hashlib.blake2b(digest_size=16)
    arrays = [graph.indptr.astype(np.int64, copy=False), graph.indices]
    for array in arrays if unweighted else [*arrays, graph.data]:
        digest.update(f"{array.dtype.str} {len(array)} ".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def damaged(path: str | os.PathLike[str], reason: object) -> ValueError:
    """Return the error for a damaged file."""
    return ValueError(f"{os.fspath(path)!r} is not a file of Hierarchy.save: {reason}")


_DTYPES = {
    "vertices": (np.int32,),
    "level_starts": (np.int32,),
    "down_offsets": (np.int64,),
    "down_heads": (np.int32,),
    "down_weights": (np.int32, np.int64, np.float64),
}
_DTYPES |= {name.replace("down", "up"): kinds for name, kinds in _DTYPES.items()}
#: The vertices in order of contraction, of a customizable hierarchy.
_ORDER = "order"
#: Scalars: NumPy's letter for the kind, and its name in messages.
_ABOUT = {
    "format": ("U", "a string"),
    "graph": ("U", "a string"),
    "unweighted": ("b", "true or false"),
    "rounding_units": ("f", "a number"),
}


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the arrays of a file; scalars as Python values."""
    with open(path, "rb") as file:
        try:
            arrays: dict[str, Any] = archive.read_arrays(file, [*_ABOUT, *_DTYPES, _ORDER])
        except ValueError as error:
            raise damaged(path, error) from None
    about = {name: arrays.pop(name, None) for name in _ABOUT}
    for name, (kind, what) in _ABOUT.items():
        array = about[name]
        if array is None or array.ndim or array.dtype.kind != kind:
            raise damaged(path, f"{name} is missing or not {what}")
        arrays[name] = array.item()
    if arrays.pop("format") != FORMAT:
        raise damaged(path, f"its format is not {FORMAT!r}")
    if not 0 <= arrays["rounding_units"] < np.inf:
        raise damaged(path, f"rounding_units is {arrays['rounding_units']}")
    return arrays


def order_of(
    path: str | os.PathLike[str], arrays: dict[str, Any], n_vertices: int
) -> npt.NDArray[Any] | None:
    """Take the order of contraction from a file's arrays; None if it has none."""
    order: npt.NDArray[Any] | None = arrays.pop(_ORDER, None)
    if order is None:
        return None
    if order.dtype != np.int32 or not np.array_equal(np.sort(order), np.arange(n_vertices)):
        raise damaged(path, f"{_ORDER} does not have each vertex once")
    return order


def restore(path: str | os.PathLike[str], arrays: dict[str, Any]) -> _core.HierarchyHandle:
    """Make a hierarchy of a file's arrays."""
    for name, kinds in _DTYPES.items():
        array = arrays.get(name)
        if array is None and name.startswith("up") and "up_offsets" not in arrays:
            continue
        if array is None or array.ndim != 1 or array.dtype not in kinds:
            raise damaged(path, f"{name} is missing or of another type")
    if arrays.get("up_weights", arrays["down_weights"]).dtype != arrays["down_weights"].dtype:
        raise damaged(path, "its weights are of two types")
    try:
        return _core.restore_hierarchy(arrays)
    except (ValueError, OverflowError) as error:
        raise damaged(path, error) from None
