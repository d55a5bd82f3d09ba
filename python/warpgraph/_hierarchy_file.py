"""The files of wg.Hierarchy: what is in them, and what is refused."""

from __future__ import annotations

import hashlib
import os
import zipfile
from typing import Any

import numpy as np

from warpgraph import _core
from warpgraph._graph import Graph

FORMAT = "warpgraph hierarchy 1"


def fingerprint(graph: Graph, unweighted: bool) -> str:
    """Return what tells a graph from all others."""
    digest = hashlib.blake2b(digest_size=16)
    arrays = [graph.indptr.astype(np.int64, copy=False), graph.indices]
    for array in arrays if unweighted else [*arrays, graph.data]:
        digest.update(f"{array.dtype.str} {len(array)} ".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def damaged(path: str | os.PathLike[str], reason: object) -> ValueError:
    """Return the error that says so of a file."""
    return ValueError(f"{os.fspath(path)!r} is no file that Hierarchy.save has written: {reason}")


_DTYPES = {
    "vertices": (np.int32,),
    "level_starts": (np.int32,),
    "down_offsets": (np.int64,),
    "down_heads": (np.int32,),
    "down_weights": (np.int32, np.int64, np.float64),
}
_DTYPES |= {name.replace("down", "up"): kinds for name, kinds in _DTYPES.items()}


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the arrays of a file; strings and numbers as such."""
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise damaged(path, "it is no .npz archive")
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (zipfile.BadZipFile, ValueError, EOFError, KeyError, AttributeError, TypeError) as error:
        raise damaged(path, error) from None
    if "format" not in arrays or str(arrays.pop("format")) != FORMAT:
        raise damaged(path, f"it does not say {FORMAT!r}")
    try:
        arrays["graph"] = str(arrays["graph"])
        arrays["unweighted"] = bool(arrays["unweighted"])
        arrays["rounding_units"] = float(arrays["rounding_units"])
    except (KeyError, ValueError, TypeError) as error:
        raise damaged(path, error) from None
    return arrays


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
    except ValueError as error:
        raise damaged(path, error) from None
