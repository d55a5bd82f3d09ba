"""Parts of a graph, for wg.local_forest, and the memory that they take."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core, _validate
from warpgraph._graph import Graph

Array = npt.NDArray[Any]
EdgePositions = Callable[[Array], Array]


def part_of_rows(graph: Graph, rows: Any) -> tuple[Graph, EdgePositions]:
    """Return the graph of some rows, and a function to positions in the whole graph."""
    _validate.refuse_unordered(rows, "rows")
    try:
        first, last = (operator.index(row) for row in rows)
    except (TypeError, ValueError):
        raise TypeError(
            f"rows must be two row numbers (first, last), got {_validate.shown(rows)}"
        ) from None
    if not 0 <= first <= last <= graph.n_vertices:
        raise ValueError(
            f"rows must be (first, last) with 0 <= first <= last <= {graph.n_vertices}, got {rows}"
        )
    begin, end = graph.indptr[first], graph.indptr[last]
    indptr = np.clip(graph.indptr, begin, end) - begin
    part = Graph.from_csr(indptr, graph.indices[begin:end], graph.data[begin:end])
    return part, lambda positions: positions + np.int64(begin)


def left(limit: int, taken: int) -> int:
    """Return what is left of a memory limit (0: there is none); raise MemoryError if nothing is."""
    if not limit:
        return 0
    way_out = "raise memory_limit or pass a smaller part"
    _core.require_memory("the part of the graph", taken + 1, "cpu", limit, way_out)
    return limit - taken


def part_of_entries(graph: Graph, entries: Any, limit: int) -> tuple[Graph, EdgePositions]:
    """Return the graph of some entries, and a function to positions in the whole graph."""
    chosen = _validate.unmasked(entries, "entries")
    n_entries = np.count_nonzero(chosen) if chosen.dtype == bool else chosen.size
    _require_part(graph, int(n_entries), limit)
    if chosen.dtype == bool:
        if chosen.shape != (graph.n_edges,):
            raise ValueError(
                f"a mask of entries must have shape ({graph.n_edges},), got {chosen.shape}"
            )
        chosen = np.flatnonzero(chosen)
    else:
        chosen = np.unique(_validate.positions(chosen, graph.n_edges, "entries"))
    indptr = np.searchsorted(chosen, graph.indptr)
    part = Graph.from_csr(indptr, graph.indices[chosen], graph.data[chosen])
    return part, lambda positions: chosen[positions]


def _require_part(graph: Graph, n_entries: int, limit: int) -> None:
    """Raise MemoryError unless a copy of some entries fits, and before that their positions."""
    if not limit:
        return
    bytes_an_entry = 25  # positions, np.unique's two copies of them and its mask
    needed = n_entries * bytes_an_entry + graph.indptr.nbytes
    way_out = "pass fewer entries, or rows"
    _core.require_memory("a copy of the entries", needed, "cpu", limit, way_out)
