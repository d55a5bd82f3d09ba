"""Parts of a graph, and forests as a graph, for wg.local_forest and wg.merge_forests.

Also the memory that they take.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.new_array import concatenated
from warpgraph._graph.graph import Graph
from warpgraph._trees import forest as _forest
from warpgraph._trees.forest import Result, SpanningForest

Array = npt.NDArray[Any]
#: Takes positions in a part, and returns those in the whole graph, in the same array.
EdgePositions = Callable[[Result], Array]


def part_of_rows(graph: Graph, rows: Any, ledger: _core.Ledger) -> tuple[Graph, EdgePositions, int]:
    """Return the graph of some rows, its map to positions in the whole graph, and its new bytes."""
    validate.refuse_unordered(rows, "rows")
    try:
        first, last = (operator.index(row) for row in rows)
    except (TypeError, ValueError):
        raise TypeError(
            f"rows must be two row numbers (first, last), got {validate.shown(rows)}"
        ) from None
    if not 0 <= first <= last <= graph.n_vertices:
        raise ValueError(
            f"rows must be (first, last) with 0 <= first <= last <= {graph.n_vertices}, got {rows}"
        )
    if ledger.is_limited:  # something must be left, too
        advice = "pass a smaller part"
        ledger.require("the part of the graph", graph.indptr.nbytes + 1, advice)
    begin, end = graph.indptr[first], graph.indptr[last]
    indptr = np.clip(graph.indptr, begin, end)
    indptr -= begin
    part = Graph._of_own(indptr, graph.indices[begin:end], graph.data[begin:end])

    def shifted(found: Result) -> Array:
        positions = on_host(found)
        _core.shift(positions, int(begin))
        return positions

    return part, shifted, indptr.nbytes


def on_host(found: Result) -> Array:
    """Return a result as an array on the host."""
    return found.to_numpy() if isinstance(found, _core.LazyResult) else found


def looked_up(table: Array, found: Result) -> Array:
    """Return the items of an int64 array at positions, in the array of these."""
    positions = on_host(found)
    _core.look_up(table, positions)
    return positions


def part_of_entries(
    graph: Graph, entries: Any, ledger: _core.Ledger
) -> tuple[Graph, EdgePositions, int]:
    """Return the graph of some entries, its map to positions in the whole, and its new bytes."""
    chosen = validate.unmasked(entries, "entries")
    n_entries = np.count_nonzero(chosen) if chosen.dtype == bool else chosen.size
    _require_part(graph, int(n_entries), ledger)
    if chosen.dtype == bool:
        if chosen.shape != (graph.n_edges,):
            raise ValueError(
                f"a mask of entries must have shape ({graph.n_edges},), got {chosen.shape}"
            )
        chosen = np.flatnonzero(chosen)
    else:
        chosen = np.unique(validate.positions(chosen, graph.n_edges, "entries"))
    indptr = np.searchsorted(chosen, graph.indptr)
    part = Graph._of_own(indptr, graph.indices[chosen], graph.data[chosen])
    return part, lambda positions: looked_up(chosen, positions), part.nbytes + chosen.nbytes


def _require_part(graph: Graph, n_entries: int, ledger: _core.Ledger) -> None:
    """Raise MemoryError unless the positions of some entries and a copy of them fit."""
    if not ledger.is_limited:
        return
    # Either positions, two copies and a mask in np.unique, or one copy and the entries.
    bytes_an_entry = max(25, 8 + graph.indices.itemsize + graph.data.itemsize)
    # np.searchsorted first widens the offsets; its result is as long.
    needed = n_entries * bytes_an_entry + 16 * (graph.n_vertices + 1)
    ledger.require("a copy of the entries", needed, "pass fewer entries, or rows")


def require_edges(n_edges: int, dtype: np.dtype[Any], ledger: _core.Ledger) -> int:
    """Return the bytes of a list of edges; raise MemoryError unless it fits."""
    needed = n_edges * (8 + dtype.itemsize + 8)  # ends, weight, id
    advice = "merge fewer edges at a time"
    ledger.require("a list of the edges of all forests", needed, advice)
    return needed


def graph_of_forests(
    forests: Sequence[SpanningForest], ledger: _core.Ledger
) -> tuple[Graph, EdgePositions | None]:
    """Return a graph of all edges, each once, and the map to ids if any."""
    n_edges = sum(map(len, forests))
    taken = require_edges(n_edges, forests[0].weights.dtype, ledger)
    edges = concatenated([forest._checked_edges() for forest in forests])
    weights = concatenated([forest.weights for forest in forests])
    known = [forest.edge_ids for forest in forests if forest.edge_ids is not None]
    # Without ids, edges of equal weight and smaller end stay in the order of the list.
    ids = concatenated(known) if known else np.empty(0, np.int64)
    meanwhile = ledger.on_host()  # the list is freed
    meanwhile.charge(taken)
    *arrays, numbers = _core.arrange_edges(forests[0].n_vertices, edges, weights, ids, meanwhile)
    del edges, weights
    graph = Graph._of_own(*arrays)
    ledger.charge(graph.nbytes)
    if not known:
        return graph, None
    ids = looked_up(ids, numbers)  # one array to keep during the search instead of two
    ledger.charge(ids.nbytes)
    return graph, lambda positions: looked_up(ids, positions)


def check_together(forests: tuple[SpanningForest, ...]) -> Array | None:
    """Return the names of the vertices; raise an error unless the forests can be merged."""
    names: Array | None = None
    for i, forest in enumerate(forests):
        if not isinstance(forest, SpanningForest):
            raise TypeError(f"forests[{i}] must be a SpanningForest, got {type(forest).__name__}")
        _check_fits(forests[0], forest, f"forests[{i}]")
        names = _forest.common_names(names, forest.names, f"forests[{i}]")
    return names


def _check_fits(first: SpanningForest, forest: SpanningForest, name: str) -> None:
    """Refuse to merge forests whose vertices, weights or ids do not match."""
    if forest.n_vertices != first.n_vertices:
        raise ValueError(
            f"{name} has {forest.n_vertices} vertices, but the first forest has {first.n_vertices}"
        )
    if forest.weights.dtype != first.weights.dtype:
        raise ValueError(
            f"{name} has weights of {forest.weights.dtype}, but the first forest's are "
            f"{first.weights.dtype}; convert one of them"
        )
    if (forest.edge_ids is None) != (first.edge_ids is None):
        raise ValueError(
            f"either all forests have edge_ids or none, but {name} "
            f"{'has none' if forest.edge_ids is None else 'has some'}, unlike the first"
        )
    if forest.weights.dtype.kind == "f" and np.isnan(forest.weights).any():
        bad = int(np.flatnonzero(np.isnan(forest.weights))[0])
        raise ValueError(f"{name}.weights[{bad}] is NaN; weights must be numbers")
