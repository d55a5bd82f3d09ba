"""Paths as arguments of pictures: which vertices they have, and that edges join these."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._graph.graph import Graph

Vertices = npt.NDArray[np.int32]


def vertices_of(graph: Graph, path: Any, argument: str) -> Vertices:
    """Return the numbers of a path's vertices; an edge, of any direction, joins each to the next.

    A vertex may stand twice in a row, as where two paths were put together.
    """
    vertices = graph._find_vertices(path, argument)
    for i, (u, v) in enumerate(itertools.pairwise(vertices.tolist())):
        if u != v and not (_leads(graph, u, v) or _leads(graph, v, u)):
            names = (u, v) if graph.names is None else graph.names[[u, v]].tolist()
            before, after = map(validate.shown, names)
            raise ValueError(
                f"{argument} must be a path, but no edge joins {argument}[{i}], which is {before}, "
                f"and {argument}[{i + 1}], which is {after}"
            )
    return vertices


def named_paths(graph: Graph, paths: Any) -> list[tuple[str, Vertices]]:
    """Return several paths with their names; those of a list have numbers from 1."""
    if isinstance(paths, Mapping):
        return [
            (name, vertices_of(graph, path, f"paths[{name!r}]")) for name, path in paths.items()
        ]
    try:
        given = list(iter(paths))
    except TypeError:
        raise TypeError(
            f"paths must be a list or mapping of paths, got {validate.shown(paths)}"
        ) from None
    if given and all(_is_vertex(graph, item) for item in given):
        raise TypeError(
            "paths must be a list or mapping of paths, got one path, "
            f"{validate.shown(paths)}: pass [path]"
        )
    return [(str(i + 1), vertices_of(graph, path, f"paths[{i}]")) for i, path in enumerate(given)]


def _leads(graph: Graph, tail: int, head: int) -> bool:
    begin, end = graph.indptr[tail : tail + 2]
    return bool((graph.indices[begin:end] == head).any())


def _is_vertex(graph: Graph, item: Any) -> bool:
    """Return whether an item of `paths` is a vertex: a scalar, or a name, which may be a tuple."""
    if isinstance(item, (str, bytes)) or not hasattr(item, "__len__"):
        return True
    if getattr(item, "ndim", None) == 0:
        return True
    names = graph._names
    return names is not None and isinstance(item, Hashable) and _is_name(names, item)


def _is_name(names: Any, item: Any) -> bool:
    try:
        return names._find(item) is not None
    except TypeError:  # a tuple with a list in it
        return False
