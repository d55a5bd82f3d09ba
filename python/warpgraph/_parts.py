"""Parts of a graph, and forests as a graph, for wg.local_forest and wg.merge_forests.

Also the memory that they take.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core, _memory, _validate
from warpgraph._forest import SpanningForest
from warpgraph._graph import Graph

Array = npt.NDArray[Any]
EdgePositions = Callable[[Array], Array]


def part_of_rows(graph: Graph, rows: Any, limit: int) -> tuple[Graph, EdgePositions, int]:
    """Return the graph of some rows, a function to positions in the whole graph, and new bytes."""
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
    left(limit, graph.indptr.nbytes)
    begin, end = graph.indptr[first], graph.indptr[last]
    indptr = np.clip(graph.indptr, begin, end)
    indptr -= begin
    part = Graph.from_csr(indptr, graph.indices[begin:end], graph.data[begin:end])
    return part, lambda positions: positions + np.int64(begin), indptr.nbytes


def left(limit: int, taken: int) -> int:
    """Return what is left of a memory limit (0: there is none); raise MemoryError if nothing is."""
    if not limit:
        return 0
    way_out = "raise memory_limit or pass a smaller part"
    _core.require_memory("the part of the graph", taken + 1, "cpu", limit, way_out)
    return limit - taken


def part_of_entries(graph: Graph, entries: Any, limit: int) -> tuple[Graph, EdgePositions, int]:
    """Return the graph of some entries, a function to positions in the whole one, and new bytes."""
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
    return part, lambda positions: chosen[positions], _memory.csr_bytes(part) + chosen.nbytes


def _require_part(graph: Graph, n_entries: int, limit: int) -> None:
    """Raise MemoryError unless a copy of some entries fits, and before that their positions."""
    if not limit:
        return
    # Positions, and np.unique's two copies of them and its mask; or one copy, and the entries.
    bytes_an_entry = max(25, 8 + graph.indices.itemsize + graph.data.itemsize)
    # np.searchsorted first widens the offsets of which it returns as many.
    needed = n_entries * bytes_an_entry + 16 * (graph.n_vertices + 1)
    way_out = "pass fewer entries, or rows"
    _core.require_memory("a copy of the entries", needed, "cpu", limit, way_out)


def require_edges(n_edges: int, dtype: np.dtype[Any], limit: int) -> int:
    """Return the bytes of a list of edges; raise MemoryError unless it fits."""
    needed = n_edges * (8 + dtype.itemsize + 8)  # ends, weight, id
    way_out = "raise memory_limit or merge fewer edges at a time"
    _core.require_memory("a list of the edges of all forests", needed, "cpu", limit, way_out)
    return needed


def graph_of_forests(
    forests: Sequence[SpanningForest], limit: int
) -> tuple[Graph, EdgePositions | None, int]:
    """Return a graph of all edges, each once, a function to ids if there are any, and new bytes."""
    n_edges = sum(map(len, forests))
    taken = require_edges(n_edges, forests[0].weights.dtype, limit)
    edges = np.concatenate([forest.edges for forest in forests])
    weights = np.concatenate([forest.weights for forest in forests])
    known = [forest.edge_ids for forest in forests if forest.edge_ids is not None]
    ids = np.concatenate(known) if known else np.arange(n_edges)
    limit = _validate.left_of_limit(limit, taken)
    *arrays, numbers = _core.arrange_edges(forests[0].n_vertices, edges, weights, ids, limit)
    graph = Graph.from_csr(*arrays)
    if not known:
        return graph, None, _memory.csr_bytes(graph)
    taken = _memory.csr_bytes(graph) + ids.nbytes + numbers.nbytes
    return graph, lambda positions: ids[numbers[positions]], taken
