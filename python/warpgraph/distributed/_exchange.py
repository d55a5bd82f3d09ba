"""Arcs sent to the workers that own their tails or heads: one matrix for each range of vertices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph.distributed._blocks import Chunk, chunk_length
from warpgraph.distributed._checks import check_ends
from warpgraph.distributed._engine import Handle, Tasks
from warpgraph.distributed._graph import PartitionedGraph

Array = npt.NDArray[Any]

#: Bytes of an edge as it is read, in its order by ranges, and in a copy.
_BYTES_AN_EDGE = 80


def by_range(
    tasks: Tasks,
    graph: PartitionedGraph,
    end: int,
    make: Callable[..., Any],
    both: bool,
    unweighted: bool,
    exact: bool,
) -> list[Handle]:
    """Return a handle of ``make(r, offsets, *parts)`` for each range r of vertices.

    The parts, one for each block, have the arcs whose tails (end 0) or heads (end 1) are in the
    range, as (tails, heads, weights), in the order of the input.

    both: each edge is two arcs; exact: integers that no float64 holds are refused.
    """
    offsets = graph.offsets
    n_ranges = len(offsets) - 1
    chunk = chunk_length(graph.engine.memory_limit, _BYTES_AN_EDGE, 0)
    options = offsets, end, both, unweighted, exact, chunk
    cut = [
        tasks.split(_cut, *options, block.read, *block.arguments, pieces=n_ranges)
        for block in graph.blocks
    ]
    return [tasks.submit(make, r, offsets, *(pieces[r] for pieces in cut)) for r in range(n_ranges)]


def _cut(
    offsets: Array,
    end: int,
    both: bool,
    unweighted: bool,
    exact: bool,
    chunk: int,
    read: Callable[..., Iterator[Chunk]],
    *arguments: Any,
) -> list[Chunk]:
    """Return the arcs of a block for each range."""
    cut: list[list[Chunk]] = [[] for _ in offsets[1:]]
    for tails, heads, weights in read(chunk, *arguments):
        check_ends(tails, heads, int(offsets[-1]))
        if not unweighted:
            check_weights(tails, heads, weights, exact)
        length = np.ones(len(tails)) if unweighted else weights.astype(np.float64)
        arcs = tails.astype(np.int32), heads.astype(np.int32), length
        if both:
            tails, heads, length = arcs
            arcs = np.append(tails, heads), np.append(heads, tails), np.append(length, length)
        owner = np.searchsorted(offsets[1:], arcs[end], side="right").astype(np.uint16)
        order = np.argsort(owner, kind="stable")
        cuts = np.searchsorted(owner[order], np.arange(1, len(cut)))
        for parts, *arrays in zip(cut, *(np.split(a[order], cuts) for a in arcs), strict=True):
            parts.append((arrays[0], arrays[1], arrays[2]))
    return [joined(parts) for parts in cut]


def joined(parts: Any) -> Chunk:
    """Return the arcs of several parts as one."""
    none = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
    tails, heads, weights = map(np.concatenate, zip(none, *parts, strict=True))
    return tails, heads, weights


def check_weights(tails: Array, heads: Array, weights: Array, exact: bool) -> None:
    """Refuse weights that are negative or NaN, or if exact integers that no float64 holds."""
    if not len(weights):
        return
    bad = np.flatnonzero(~(weights >= 0))
    if len(bad):
        ends = int(tails[bad[0]]), int(heads[bad[0]])
        raise ValueError(
            f"the weight {weights[bad[0]]} of edge {ends} is negative or NaN; it must be at least 0"
        )
    if exact and weights.dtype.kind == "i" and weights.max() > 1 << 53:
        raise OverflowError(
            f"the weight {weights.max()} is beyond 2**53, the largest integer in float64"
        )


def rows_of(
    first: int, n_rows: int, rows: Array, columns: Array, weights: Array
) -> tuple[Array, Array, Array]:
    """Return CSR arrays of arcs by their rows, which are numbered from `first`."""
    indptr = np.zeros(n_rows + 1, np.int64)
    np.cumsum(np.bincount(rows - first, minlength=n_rows), out=indptr[1:])
    order = np.argsort(rows, kind="stable")
    return indptr, columns[order], weights[order]
