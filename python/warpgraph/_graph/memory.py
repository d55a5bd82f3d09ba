"""The data that a call with memory_limit= derives from its graph, and the rest of the limit.

A `Graph` keeps derived data for later calls; it counts in the limit of the call that makes it. All
of it is on the host. If a call runs on a device, `where`, the limit is for that device only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._graph.graph import Graph
from warpgraph._graph.weights import bytes_to_convert


def csr_bytes(graph: Graph) -> int:
    """Return the bytes of the CSR arrays alone."""
    return graph.indptr.nbytes + graph.indices.nbytes + graph.data.nbytes


def counted(graph: Graph, limit: int, where: str) -> int:
    """Return the bytes of a graph for `left_of`; 0 if that need not know them.

    Counting them takes as long as a small call.
    """
    return graph.nbytes if limit and where == "cpu" else 0


def left_of(limit: int, graph: Graph, before: int, where: str) -> int:
    """Return the rest of a limit (0: no limit) since `counted` returned `before`."""
    return validate.left_of_limit(limit, counted(graph, limit, where) - before)


def left_after(what: str, needed: int, limit: int, where: str) -> int:
    """Return the rest of a limit (0: no limit), which is of memory at `where`.

    Raises a MemoryError unless `needed` bytes of the host, for `what`, are free and within it.
    """
    if where != "cpu" or needed == 0:
        return limit
    validate.require_memory(what, needed, "cpu", limit, "pass a graph with fewer vertices")
    return validate.left_of_limit(limit, needed)


def where_limited(devices: list[str]) -> str:
    """Return what `where` is for a call on several devices: the host, if it is one of them."""
    return "cpu" if "cpu" in devices else devices[0]


def known_undirected(graph: Graph, *, reads_weights: bool = True) -> Graph | None:
    """Return the form with every edge stored both ways, or None if it must be made.

    If weights are not read, they need not mirror.
    """
    return _known(graph, "undirected", reads_weights)


def undirected(
    graph: Graph, limit: int, where: str, *, reads_weights: bool = True
) -> tuple[Graph, int]:
    """Return the undirected form, and the rest of the limit (0: no limit)."""
    return _known_or_made(graph, "undirected", graph.undirected, limit, where, reads_weights)


def transposed(
    graph: Graph, limit: int, where: str, *, reads_weights: bool = True
) -> tuple[Graph, int]:
    """Return the graph with all edges reversed, and the rest of the limit (0: no limit).

    If weights are not read, those of the result may differ.
    """
    return _known_or_made(graph, "transposed", graph.transposed, limit, where, reads_weights)


def _known(graph: Graph, form: str, reads_weights: bool) -> Graph | None:
    """Return the graph itself if every edge is stored both ways, else the form if it was made."""
    mirrors = graph.is_mirrored() if reads_weights else graph.has_mirrored_structure()
    return graph if mirrors else graph.known_form(form, reads_weights=reads_weights)


def _known_or_made(
    graph: Graph,
    form: str,
    make: Callable[[int], Graph],
    limit: int,
    where: str,
    reads_weights: bool,
) -> tuple[Graph, int]:
    """Return a form of the graph, and the rest of the limit, which is of memory at `where`."""
    known = _known(graph, form, reads_weights)
    if known is not None:
        return known, limit
    if where != "cpu":
        return make(0), limit
    made = make(limit)
    return made, validate.left_of_limit(limit, csr_bytes(made))


def handle_for(
    graph: Graph, dtype: np.dtype[Any] | None, limit: int, where: str
) -> tuple[_core.GraphHandle, int]:
    """Return the result of `Graph.handle_for`, and the rest of the limit (0: no limit).

    Without `dtype` no weights are read.
    """
    if dtype is None:
        return graph.handle, limit
    before = counted(graph, limit, where)
    if limit and where == "cpu" and not graph.has_weights_of(dtype):
        what, advice = f"converting the weights to {dtype}", f"pass a graph with {dtype} weights"
        needed = bytes_to_convert(graph, dtype)
        validate.require_memory(what, needed, "cpu", limit, advice)
    handle = graph.handle_for(dtype)
    return handle, left_of(limit, graph, before, where)
