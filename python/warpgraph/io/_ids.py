"""The names of vertices that are written to files."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.names import id_array
from warpgraph._files.text import STANDARD, Array
from warpgraph._graph.graph import Graph


def given(ids: npt.ArrayLike) -> Array:
    """Return ids as an array, strings without loss."""
    if isinstance(ids, (list, tuple)) and any(isinstance(name, str) for name in ids):
        return id_array(ids)
    array = np.asarray(validate.as_array(ids, "ids"))
    if array.shape == (0,) and array.dtype.kind == "f":
        return array.astype(np.int64)  # an empty list
    if array.dtype.kind == "O" and array.ndim == 1 and all(isinstance(name, str) for name in array):
        return id_array(array.tolist())
    return array


def has_names(graph: Graph) -> bool:
    """Return whether vertices have names other than their numbers."""
    return graph.names is not None and not are_range(graph.names, 0)


def are_range(names: Array | None, first: int) -> bool:
    """Return whether names are the numbers from `first` on."""
    return names is not None and names.tolist() == list(range(first, first + len(names)))


def refuse_repeated(names: Array) -> None:
    """Refuse two vertices of one name."""
    listed = names.tolist()
    if len(set(listed)) < len(listed):
        seen: set[Any] = set()
        for name in listed:
            if name in seen:
                raise ValueError(f"two vertices have the id {name!r}")
            seen.add(name)


def warn_of_vertices_without_edge(path: str, graph: Graph) -> None:
    """Warn of vertices that a list of edges does not have."""
    has_edge = np.diff(graph.indptr) > 0
    has_edge[graph.indices] = True
    missing = graph.n_vertices - int(np.count_nonzero(has_edge))
    if missing:
        shown = "standard output" if path == STANDARD else path
        validate.warn(
            f"{shown} lists edges only, so vertices without an edge are not in it: {missing} of "
            f"{graph.n_vertices}; .npz and .graphml keep them, and so do .gr, .mtx and .graph, "
            "which number the vertices"
        )
