"""Vertex ids that are integers, numbered in ascending order."""

from __future__ import annotations

import numpy as np

from warpgraph._files.text import Array, joined


def number_integers(columns: list[list[Array]]) -> tuple[Array, Array, Array]:
    """Return the distinct ids, ascending, and both ends of all edges as positions among them.

    `columns` has [tails, heads] of some edges, then of others; both are emptied.
    """
    if not any(len(tail) for tail, _ in columns):
        return np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int32)
    ends = [end for part in columns for end in part]
    low, high = min(int(end.min()) for end in ends), max(int(end.max()) for end in ends)
    if high - low >= max(sum(map(len, ends)), 1 << 20):
        # Many gaps: sorting is faster than marking.
        return _number_sparse(columns)
    # The difference of small integers may not fit their type.
    present = np.zeros(high - low + 1, bool)
    for end in ends:
        present[np.subtract(end, low, dtype=np.int64)] = True
    position = np.cumsum(present, dtype=np.int32)
    position -= 1
    for part in columns:
        for side in range(2):
            part[side] = position[np.subtract(part[side], low, dtype=np.int64)]
    return np.flatnonzero(present) + low, joined(columns, 0, np.int32), joined(columns, 1, np.int32)


def _number_sparse(columns: list[list[Array]]) -> tuple[Array, Array, Array]:
    found = []
    for part in columns:
        some, inverse = np.unique(np.concatenate(part), return_inverse=True)
        part[:] = np.split(inverse.astype(np.int32), 2)
        found.append(some.astype(np.int64))
    ids, position = np.unique(np.concatenate(found), return_inverse=True)
    return ids, *translated(columns, position, list(map(len, found)))


def translated(
    columns: list[list[Array]], position: Array, lengths: list[int]
) -> tuple[Array, Array]:
    """Return the ends of all edges: positions among a part's ids as positions among all."""
    of_parts = np.split(position.astype(np.int32, copy=False), np.cumsum(lengths)[:-1])
    for part, of_part in zip(columns, of_parts, strict=True):
        part[:] = [of_part[end] for end in part]
    return joined(columns, 0, np.int32), joined(columns, 1, np.int32)
