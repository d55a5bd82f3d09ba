"""Core numbers, triangles and communities."""

from __future__ import annotations

import numpy as np

from fuzz import structures
from fuzz.searches import judge_error
from fuzz.targets.base import Target, first_difference, maybe, maybe_progress, options, pick
from fuzz.targets.forests import MEMORY_LIMITS, may_lack_memory


def _neighbours(world) -> list[set[int]]:
    """Return the other vertices that an edge joins each vertex to."""
    found: list[set[int]] = [set() for _ in range(world.n)]
    rows = world.rows
    for u, v in zip(rows.tail.tolist(), rows.head.tolist(), strict=True):
        if u != v:
            found[u].add(v)
            found[v].add(u)
    return found


def _cores(neighbours: list[set[int]]) -> np.ndarray:
    """Return core numbers by removing vertices of few neighbours, for every k."""
    cores = np.zeros(len(neighbours), np.int32)
    left = {v: set(others) for v, others in enumerate(neighbours)}
    k = 0
    while left:
        removed = [v for v, others in left.items() if len(others) <= k]
        if not removed:
            k += 1
        for v in removed:
            cores[v] = k
            for u in left.pop(v):
                if u in left:
                    left[u].discard(v)
    return cores


def _triangles(neighbours: list[set[int]]) -> np.ndarray:
    counts = [sum(len(others & neighbours[v]) for v in others) for others in neighbours]
    return np.array(counts, np.int64) // 2


class _OfStructure(Target):
    """A function of the structure alone, with the same options."""

    largest = structures.MEDIUM
    needed = ("device",)

    def draw(self, rng, subject, device):
        if device != "cpu":
            return None
        args = {}
        maybe(rng, args, 0.06, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        maybe_progress(rng, args)
        return {**args, "device": device}

    def source(self, args, subject):
        return f"result = wg.{self.name}(graph{options(args)})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), may_lack_memory(args))
        return self.difference(world.once("neighbours", lambda: _neighbours(world)), result)

    def difference(self, neighbours, result) -> str | None:
        """Return what is wrong with a result."""
        raise NotImplementedError


class CoreNumbers(_OfStructure):
    name = "core_numbers"

    def difference(self, neighbours, result):
        return first_difference(result, _cores(neighbours), "cores")


class Triangles(_OfStructure):
    name = "triangles"

    def difference(self, neighbours, result):
        return first_difference(result, _triangles(neighbours), "triangles")


class ClusteringCoefficients(_OfStructure):
    name = "clustering_coefficients"

    def difference(self, neighbours, result):
        counts = _triangles(neighbours).tolist()
        pairs = [len(others) * (len(others) - 1) // 2 for others in neighbours]
        shares = [t / n if t else 0.0 for t, n in zip(counts, pairs, strict=True)]
        return first_difference(result, np.array(shares, float), "shares")


class Transitivity(_OfStructure):
    name = "transitivity"

    def difference(self, neighbours, result):
        n_closed = int(_triangles(neighbours).sum())
        n_pairs = sum(len(others) * (len(others) - 1) // 2 for others in neighbours)
        expected = n_closed / n_pairs if n_closed else 0.0
        return None if result == expected else f"expected {expected!r}, got {result!r}"


TARGETS = (CoreNumbers(), Triangles(), ClusteringCoefficients(), Transitivity())
