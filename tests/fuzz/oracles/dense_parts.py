"""Core numbers and triangles, by sets of neighbours, and the quality of communities."""

from __future__ import annotations

from fractions import Fraction

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


def trusses(joined: list[set[int]]) -> dict[tuple[int, int], int]:
    """Return truss numbers by removing edges in few triangles, for every k."""
    left = [set(others) for others in joined]
    numbers = {(u, v): 2 for u, others in enumerate(joined) for v in others}
    k = 2
    while any(left):
        removed = [
            (u, v) for u in range(len(left)) for v in left[u] if len(left[u] & left[v]) < k - 1
        ]
        k += not removed
        for u, v in removed:
            numbers[u, v] = k
            left[u].discard(v)
    return numbers


def triangles(joined: list[set[int]]) -> np.ndarray:
    """Return how many triangles each vertex is a corner of."""
    counts = [sum(len(others & joined[v]) for v in others) for others in joined]
    return np.array(counts, np.int64) // 2


def undirected(rows, *, reads_weights: bool) -> list[tuple[int, int, Fraction]]:
    """Return the edges: one for two entries if each entry is stored both ways."""
    ends = zip(rows.tail.tolist(), rows.head.tolist(), strict=True)
    weights = rows.weight.tolist() if reads_weights else [1] * len(rows.tail)
    edges = [(u, v, Fraction(w)) for (u, v), w in zip(ends, weights, strict=True)]
    above = sorted(edge for edge in edges if edge[0] < edge[1])
    below = sorted((v, u, w) for u, v, w in edges if u > v)
    return [edge for edge in edges if edge[0] <= edge[1]] if above == below else edges


def quality(edges, labels: list[int], *, cpm: bool, resolution: float) -> tuple[float, float]:
    """Return the quality of communities, and the scale of its terms."""
    inside = sum((w for u, v, w in edges if labels[u] == labels[v]), Fraction(0))
    degrees = [Fraction(0)] * (max(labels, default=-1) + 1)
    sizes = [0] * len(degrees)
    for u, v, w in edges:
        degrees[labels[u]] += w
        degrees[labels[v]] += w
    for label in labels:
        sizes[label] += 1
    factor = Fraction(resolution)
    if cpm:
        pairs = factor * sum(n * (n - 1) for n in sizes) / 2
        total = sum((w for *_, w in edges), Fraction(0))
        return float(inside - pairs), float(total + pairs) + 1e-300
    total = sum(degrees)
    if total == 0:
        return 0.0, 1.0
    squares = factor * sum((degree / total) ** 2 for degree in degrees)
    return float(2 * inside / total - squares), 1.0 + float(factor)
