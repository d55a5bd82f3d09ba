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
from warpgraph._arguments.new_array import bytes_of, concatenate_to, new_array, new_arrays
from warpgraph._graph.graph import Graph
from warpgraph._trees import forest as _forest
from warpgraph._trees.forest import Result, SpanningForest

Array = npt.NDArray[Any]
#: Takes positions in a part, and returns those in the whole graph, in the same array.
EdgePositions = Callable[[Result], Array]

#: Positions and offsets that are made at a time, so that temporary arrays are small.
_AT_A_TIME = 1 << 16
#: The name of what `merge_forests` makes first, and advice if there is no memory for it.
_LIST = "a list of the edges of all forests"
_FEWER = "merge fewer edges at a time"


def part_of_rows(
    graph: Graph, rows: Any, ledger: _core.Ledger, advice: str = "pass a smaller part"
) -> tuple[Graph, EdgePositions, int]:
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
    begin, end = graph.indptr[first], graph.indptr[last]
    wanted = graph.indptr.shape, graph.indptr.dtype
    (indptr,) = new_arrays(ledger.on_host(), "the part of the graph", advice, wanted)
    np.clip(graph.indptr, begin, end, out=indptr)
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
    given = validate.unmasked(entries, "entries")
    n = int(np.count_nonzero(given)) if given.dtype == bool else given.size
    wanted: list[Any] = [((n,), np.int64), (graph.indptr.shape, np.int64)]
    wanted += [((n,), graph.indices.dtype), ((n,), graph.data.dtype)]
    advice = "pass fewer entries, or rows"
    ledger.on_host().reserve("a copy of the entries", bytes_of(*wanted), advice)
    if given.dtype == bool:
        if given.shape != (graph.n_edges,):
            raise ValueError(
                f"a mask of entries must have shape ({graph.n_edges},), got {given.shape}"
            )
        chosen = new_array(*wanted[0])
        _write_positions(given, chosen)
    else:
        chosen = _distinct(
            validate.positions(given, graph.n_edges, "entries", "integers or a mask")
        )
    indptr, indices, data = (new_array(*of) for of in wanted[1:])
    for first in range(0, len(indptr), _AT_A_TIME):
        some = slice(first, first + _AT_A_TIME)
        indptr[some] = np.searchsorted(chosen, graph.indptr[some])
    indices, data = indices[: len(chosen)], data[: len(chosen)]
    np.take(graph.indices, chosen, out=indices, mode="clip")
    np.take(graph.data, chosen, out=data, mode="clip")
    part = Graph._of_own(indptr, indices, data)
    return part, lambda positions: looked_up(chosen, positions), part.nbytes + chosen.nbytes


def _write_positions(mask: Array, positions: Array) -> None:
    """Write the positions where a mask is true."""
    end = 0
    for first in range(0, len(mask), _AT_A_TIME):
        found = np.flatnonzero(mask[first : first + _AT_A_TIME])
        positions[end : end + len(found)] = found
        positions[end : end + len(found)] += first
        end += len(found)


def _distinct(numbers: Array) -> Array:
    """Sort numbers where they are, and return each once."""
    numbers.sort()
    is_first = numbers[1:] != numbers[:-1]
    return numbers if is_first.all() else numbers[np.append(True, is_first)]


def require_edges(n_edges: int, dtype: np.dtype[Any], ledger: _core.Ledger) -> None:
    """Raise MemoryError unless a list of edges fits."""
    ledger.require(_LIST, bytes_of(*_list_of_edges(n_edges, dtype, n_edges)), _FEWER)


def _list_of_edges(n_edges: int, dtype: np.dtype[Any], n_ids: int) -> list[Any]:
    """Return shapes and dtypes of ends, weights and ids."""
    return [((n_edges, 2), np.int32), ((n_edges,), dtype), ((n_ids,), np.int64)]


def graph_of_forests(
    forests: Sequence[SpanningForest], ledger: _core.Ledger
) -> tuple[Graph, EdgePositions | None]:
    """Return a graph of all edges, each once, and the map to ids if any."""
    n_edges = sum(map(len, forests))
    known = [forest.edge_ids for forest in forests if forest.edge_ids is not None]
    wanted = _list_of_edges(n_edges, forests[0].weights.dtype, sum(map(len, known)))
    meanwhile = ledger.on_host()  # the list is freed
    edges, weights, ids = new_arrays(meanwhile, _LIST, _FEWER, *wanted)
    concatenate_to(edges, [forest._checked_edges() for forest in forests])
    concatenate_to(weights, [forest.weights for forest in forests])
    # Without ids, edges of equal weight and smaller end stay in the order of the list.
    concatenate_to(ids, known)
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
