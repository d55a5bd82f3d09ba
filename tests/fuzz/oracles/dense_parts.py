"""Core numbers and triangles, by sets of neighbours."""

from __future__ import annotations

import numpy as np


def neighbours(rows) -> list[set[int]]:
    """Return the other vertices that an edge joins each vertex to."""
    found: list[set[int]] = [set() for _ in range(rows.n)]
    for u, v in zip(rows.tail.tolist(), rows.head.tolist(), strict=True):
        if u != v:
            found[u].add(v)
            found[v].add(u)
    return found


def cores(joined: list[set[int]]) -> np.ndarray:
    """Return core numbers by removing vertices of few neighbours, for every k."""
    numbers = np.zeros(len(joined), np.int32)
    left = {v: set(others) for v, others in enumerate(joined)}
    k = 0
    while left:
        removed = [v for v, others in left.items() if len(others) <= k]
        if not removed:
            k += 1
        for v in removed:
            numbers[v] = k
            for u in left.pop(v):
                if u in left:
                    left[u].discard(v)
    return numbers


def triangles(joined: list[set[int]]) -> np.ndarray:
    """Return how many triangles each vertex is a corner of."""
    counts = [sum(len(others & joined[v]) for v in others) for others in joined]
    return np.array(counts, np.int64) // 2
