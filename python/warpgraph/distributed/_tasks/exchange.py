"""Arcs sent to the workers that own their tails or heads.

Each range of vertices gets its arcs in groups that a task can hold: one where memory allows, else
several, in the order of the input. They are results of tasks, so the engine writes them to disk and
reads them again, and makes those that are lost with a worker once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._tables import no_edge
from warpgraph.distributed._engine import Handle, Tasks
from warpgraph.distributed._graph import PartitionedGraph
from warpgraph.distributed._tasks.blocks import Chunk, check_ends, divided

Array = npt.NDArray[Any]
#: Rows, heads and weights of the arcs of consecutive vertices.
Rows = tuple[Array, Array, Array]
#: The vertices ``first .. last - 1``.
Span = tuple[int, int]


class Arcs(NamedTuple):
    """A choice of the arcs that are sent, and of their receivers."""

    end: int  # 0: to the owners of their tails; 1: to those of their heads
    both: bool  # each edge is two arcs
    unweighted: bool
    exact: bool  # integers that no float64 holds are refused


class Part(NamedTuple):
    """Some arcs of a range of vertices."""

    span: Span  # where their tails are
    own: Span  # vertices that have no arcs in other parts
    arcs: Handle  # of `Rows`, the first for the first vertex of the span


class Parts(NamedTuple):
    """The arcs of all ranges."""

    of_range: list[list[Part]]
    marks: Array  # where a span begins or ends
    most: int  # arcs that a part has, if no partition of the input has more

    def chosen(self, r: int, wanted: Array) -> list[Part]:
        """Return the parts of a range of which `wanted`, a bool after each mark, has vertices."""
        places = np.searchsorted(self.marks, [part.span for part in self.of_range[r]])
        return [
            part
            for part, (i, j) in zip(self.of_range[r], places.tolist(), strict=True)
            if wanted[i:j].any()
        ]


def by_group(
    tasks: Tasks, graph: PartitionedGraph, arcs: Arcs, most: int
) -> list[list[list[Handle]]]:
    """Return for each range its arcs in groups: lists of handles of (tails, heads, weights).

    Arcs are in the order of the input. A group has at most `most` if each partition of the input
    has no more, and no groups are empty but the only one.
    """
    offsets, limit = graph.offsets, graph.engine.memory_limit
    length = _core.edges_at_a_time("cut", limit, arcs_an_edge=2 if arcs.both else 1)
    blocks = divided(graph.blocks, length) if limit else graph.blocks
    cut = [
        tasks.submit(_cut, offsets, arcs, length, block.read, *block.arguments, pieces=len(offsets))
        for block in blocks
    ]
    counts = np.array(tasks.gather([pieces[-1] for pieces in cut]), np.int64)
    counts = counts.reshape(len(blocks), len(offsets) - 1)
    return [
        _groups([pieces[r] for pieces in cut], counts[:, r], most) for r in range(len(offsets) - 1)
    ]


def in_rows(tasks: Tasks, graph: PartitionedGraph, arcs: Arcs, most: int) -> Parts:
    """Return the arcs from all ranges as parts that have rows."""
    groups = by_group(tasks, graph, arcs, most)
    made = [
        [
            tasks.submit(_rows, r, graph.offsets, len(of_range) == 1, *group, pieces=2)
            for group in of_range
        ]
        for r, of_range in enumerate(groups)
    ]
    del groups
    spans = [tasks.gather([pair[1] for pair in of_range]) for of_range in made]
    parts = [
        [Part(*both, pair[0]) for both, pair in zip(_with_own(found), of_range, strict=True)]
        for found, of_range in zip(spans, made, strict=True)
    ]
    marks = np.unique([0, *(end for of_range in spans for span in of_range for end in span)])
    return Parts(parts, marks, most)


def _groups(handles: Sequence[Handle], counts: Array, most: int) -> list[list[Handle]]:
    """Return consecutive handles in groups, of at most `most` arcs if no handle has more."""
    groups: list[list[Handle]] = [[]]
    size = 0
    for handle, count in zip(handles, counts.tolist(), strict=True):
        if not count:
            continue
        if size and size + count > most:
            groups.append([])
            size = 0
        groups[-1].append(handle)
        size += count
    return groups


def _cut(
    offsets: Array,
    arcs: Arcs,
    length: int,
    read: Callable[..., Iterator[Chunk]],
    *arguments: Any,
) -> list[Any]:
    """Return the arcs of a block for each range, and how many there are for each."""
    cut: list[list[Chunk]] = [[] for _ in offsets[1:]]
    for tails, heads, weights in read(length, *arguments):
        check_ends(tails, heads, int(offsets[-1]))
        if not arcs.unweighted:
            check_weights(tails, heads, weights, arcs.exact)
        lengths = np.ones(len(tails)) if arcs.unweighted else weights.astype(np.float64)
        ends = tails.astype(np.int32), heads.astype(np.int32)
        del tails, heads, weights
        _append_by_range(offsets, arcs.end, cut, (*ends, lengths))
        if arcs.both:
            _append_by_range(offsets, arcs.end, cut, (ends[1], ends[0], lengths))
    made = []
    while cut:
        made.append(joined(cut.pop(0)))
    return [*made, [len(part[0]) for part in made]]


def ranges_of(offsets: Array, vertices: Array) -> Array:
    """Return the range of each vertex, in small integers, which NumPy sorts by radix."""
    found = np.searchsorted(offsets[1:], vertices, side="right")
    return found.astype(np.min_scalar_type(len(offsets)))


def _append_by_range(offsets: Array, end: int, cut: list[list[Chunk]], arcs: Chunk) -> None:
    owner = ranges_of(offsets, arcs[end])
    order = np.argsort(owner, kind="stable")
    cuts = np.searchsorted(owner[order], np.arange(1, len(cut)))
    for parts, *arrays in zip(cut, *(np.split(a[order], cuts) for a in arcs), strict=True):
        parts.append((arrays[0], arrays[1], arrays[2]))


def _rows(r: int, offsets: Array, are_all: bool, *parts: Chunk) -> tuple[Rows, Span]:
    """Return arcs from a range as CSR arrays, and where their tails are.

    are_all: there are no others, so the span is that of the range.
    """
    tails, heads, weights = joined(parts)
    first, last = int(offsets[r]), int(offsets[r + 1])
    if not are_all:
        first, last = int(tails.min()), int(tails.max()) + 1
    indptr = np.zeros(last - first + 1, np.int64)
    np.cumsum(np.bincount(tails - first, minlength=last - first), out=indptr[1:])
    order = np.argsort(tails, kind="stable")
    return (indptr, heads[order], weights[order]), (first, last)


def _with_own(spans: list[Span]) -> list[tuple[Span, Span]]:
    """Return each span, and one within it that no other span meets."""
    found = []
    for i, (first, last) in enumerate(spans):
        others = [span for j, span in enumerate(spans) if j != i and span[0] < span[1]]
        start = max((b for a, b in others if a <= first), default=first)
        stop = min((a for a, b in others if a > first), default=last)
        start, stop = max(start, first), min(stop, last)
        found.append(((first, last), (start, max(start, stop))))
    return found


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
            + no_edge.hint(weights)
        )
    if exact and weights.dtype.kind == "i" and weights.max() > 1 << 53:
        raise OverflowError(
            f"the weight {weights.max()} is beyond 2**53, the largest integer in float64"
        )
