"""What a call with memory_limit= derives from its graph, and what is left of the limit then.

A `Graph` keeps what is derived for later calls; the call that makes it pays for it. All of this is
made on the host: to a call that runs on a device, which is `where`, the limit is for that device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warpgraph import _core, _validate
from warpgraph._graph import Graph
from warpgraph._weights import bytes_to_convert


def csr_bytes(graph: Graph) -> int:
    """Return the bytes of the CSR arrays alone."""
    return graph.indptr.nbytes + graph.indices.nbytes + graph.data.nbytes


def left_of(limit: int, graph: Graph, before: int, where: str) -> int:
    """Return what is left of a limit (0: none was given) since the graph took `before` bytes."""
    return _validate.left_of_limit(limit, graph.nbytes - before) if where == "cpu" else limit


def known_undirected(graph: Graph, *, reads_weights: bool = True) -> Graph | None:
    """Return the form of a graph in which every edge is stored both ways, unless it must be made.

    Where weights are not read, they need not mirror.
    """
    mirrors = graph.is_mirrored() if reads_weights else graph.has_mirrored_structure()
    known: Graph | None = graph if mirrors else graph.known("undirected")
    return known


def undirected(
    graph: Graph, limit: int, where: str, *, reads_weights: bool = True
) -> tuple[Graph, int]:
    """Return the undirected form, and what is left of the limit (0: none was given)."""
    known = known_undirected(graph, reads_weights=reads_weights)
    if known is not None:
        return known, limit
    if where != "cpu":
        return graph.undirected(), limit
    made = graph.undirected(limit)
    return made, _validate.left_of_limit(limit, csr_bytes(made))


def handle_for(
    graph: Graph, dtype: np.dtype[Any] | None, limit: int, where: str
) -> tuple[_core.GraphHandle, int]:
    """Return what `Graph.handle_for` does, and what is left of the limit (0: none was given).

    Without `dtype` no weights are read.
    """
    if dtype is None:
        return graph.handle, limit
    before = graph.nbytes
    if limit and where == "cpu" and not graph.has_weights_of(dtype):
        what, way_out = f"converting the weights to {dtype}", f"pass a graph with {dtype} weights"
        needed = bytes_to_convert(graph, dtype)
        _validate.require_memory(what, needed, "cpu", limit, way_out)
    handle = graph.handle_for(dtype)
    return handle, left_of(limit, graph, before, where)


def left_with_weights(graph: Graph, dtype: np.dtype[Any] | None, limit: int, where: str) -> int:
    """Return what `handle_for` will leave of a limit."""
    if dtype is None or where != "cpu" or graph.has_weights_of(dtype):
        return limit
    return _validate.left_of_limit(limit, bytes_to_convert(graph, dtype))
