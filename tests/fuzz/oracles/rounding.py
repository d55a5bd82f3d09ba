"""Distances added in any order: exact where possible, else close, with trees."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from fuzz import oracles
from fuzz.targets.base import first_difference

#: Largest n such that a float dtype holds all integers up to n.
ALL_INTEGERS = {"float32": 2**24, "float64": 2**53}


def rounded(numerator: int, scale: int, dtype: str) -> float:
    """Return numerator / scale as the nearest number of a float dtype, inf beyond the largest."""
    try:
        value = numerator / scale  # Python rounds the quotient of integers once
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf
    if dtype == "float64":
        return value
    # Rounding the float64 to float32 is right if it is the exact quotient. Otherwise it might round
    # twice, and exact arithmetic finds the nearest float32 instead.
    with np.errstate(over="ignore"):
        near = np.float32(value)
        if math.isinf(value) or Fraction(value) == Fraction(numerator, scale) or np.isinf(near):
            return float(near)
        candidates = [np.nextafter(near, np.float32(-np.inf)), near]
        candidates.append(np.nextafter(near, np.float32(np.inf)))
    finite = [float(c) for c in candidates if np.isfinite(c)]
    exact = Fraction(numerator, scale)
    return min(finite, key=lambda c: abs(Fraction(c) - exact))


def expected_row(exact, scale, dtype) -> np.ndarray:
    """Return `exact` / `scale` in the dtype, each rounded once; None becomes unreachable."""
    far = oracles.largest(dtype)
    if np.dtype(dtype).kind == "i":
        return np.array([far if d is None else d for d in exact], dtype)
    row = [far if d is None else rounded(d, scale, dtype) for d in exact]
    return np.array(row, dtype)


def judge_row(found, exact, scale, dtype, units, name, slack: int = 0) -> str | None:
    """Return a sentence about the first wrong distance of a row, None if all are right.

    The right distances are `exact` / `scale`: integers divided by an integer. Each that is found
    may differ by `units` rounding units of the right one plus `slack` / `scale`. If the right ones
    are integers that the dtype holds, they must be equal.
    """
    best = expected_row(exact, scale, dtype)
    if found.dtype != best.dtype or found.shape != best.shape:
        return first_difference(found, best, name)
    for v in np.flatnonzero(found != best).tolist():
        sum_, value = exact[v], float(found[v])
        is_exact = best.dtype.kind == "i" or (
            scale == 1 and not slack and sum_ is not None and sum_ <= ALL_INTEGERS[dtype]
        )
        if sum_ is None or is_exact or not _is_close(value, sum_, scale, dtype, units, slack):
            return f"{name}[{v}]: expected {best[v]!r}, got {found[v]!r}"
    return None


def _is_close(value, sum_, scale, dtype, units, slack) -> bool:
    unit = Fraction(1, 2**24 if dtype == "float32" else 2**53)
    exact = Fraction(sum_, scale)
    # For k = units and rounding unit u: (1 + u)^k - 1 <= k u (1 + 2 k u), as long as k u < 1.
    tolerance = (abs(exact) + Fraction(slack, scale)) * units * unit * (1 + 2 * units * unit)
    if math.isinf(value):
        return exact + tolerance >= Fraction(float(np.finfo(dtype).max))
    return abs(Fraction(value) - exact) <= tolerance


def judge_rounded_tree(graph, source, found, tree, dtype) -> str | None:
    """Return a sentence about the first wrong predecessor, None if all are right.

    The notes in the docstring of `apsp` say which are right where sums are rounded in any order.
    """
    n, kind = graph.n, np.dtype(dtype)
    distance = [None if d == oracles.largest(dtype) else d for d in found.tolist()]
    eps = float(np.finfo(kind).eps)
    finite = [abs(d) for d in distance if d is not None]
    if max(finite, default=0) > 0.25 * float(np.finfo(kind).max):
        return None  # nothing is promised for distances near the largest number
    lightest: dict[tuple[int, int], float] = {}
    best: list[tuple[float, int] | None] = [None] * n
    for u in range(n):
        for v, w in graph.out[u] if distance[u] is not None else ():
            lightest[u, v] = min(w, lightest.get((u, v), math.inf))
            if distance[v] is not None and distance[u] < distance[v] and v != source:
                through = (graph.add(distance[u], w), u)
                best[v] = through if best[v] is None else min(best[v], through)
    allowed = 8 * n * eps * max(finite, default=0)
    for v in range(n):
        p = int(tree[v])
        if distance[v] is None or v == source:
            if p != -1:
                return f"predecessors[{source}][{v}]: expected -1, got {p}"
            continue
        if (p, v) not in lightest or distance[p] + lightest[p, v] - distance[v] > allowed:
            return f"predecessors[{source}][{v}]: {p} does not end a shortest path"
        if graph.negative or not _is_unambiguous(v, source, best, distance, n * eps / 2):
            continue
        if p != best[v][1]:
            return f"predecessors[{source}][{v}]: expected {best[v][1]}, got {p}"
    return _check_leads_to_source(source, tree, distance)


def _is_unambiguous(v, source, best, distance, tolerance) -> bool:
    """Return whether `best` has an edge within rounding for v and for each of its ancestors.

    Otherwise the edge by which v is joined to the tree is not unique.
    """
    while v != source:
        if best[v] is None or best[v][0] - distance[v] > tolerance * distance[v]:
            return False
        v = best[v][1]
    return True


def _check_leads_to_source(source, tree, distance) -> str | None:
    for v in range(len(distance)):
        at, steps = v, 0
        while distance[v] is not None and at != source:
            at, steps = int(tree[at]), steps + 1
            if at < 0 or steps > len(distance):
                return f"predecessors[{source}]: {v} is not joined to {source}"
    return None
