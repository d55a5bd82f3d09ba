"""Plain shortest paths, in Python's integers and floats."""

from __future__ import annotations

import ctypes
import functools
import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from fuzz.cases import Edges


class NegativeCycleFound(Exception):  # noqa: N818
    """There is no shortest path."""


def add_integers(a, b):
    return a + b


def add_floats(a, b):
    return a + b  # a Python float is a float64


def add_singles(a, b):
    return ctypes.c_float(a + b).value  # a float64 sum of two float32, rounded, is the float32 sum


_ADD = {"float32": add_singles, "float64": add_floats}


def largest(dtype) -> int | float:
    """Return the value for unreachable."""
    dtype = np.dtype(dtype)
    return math.inf if dtype.kind == "f" else int(np.iinfo(dtype).max)


def weights_as(weight: np.ndarray, dtype: str):
    """Return weights as numbers of a distance dtype, None for edges that are never used.

    The second result is the types of errors that must be raised instead.
    """
    kind, errors = np.dtype(dtype), set()
    is_float = weight.dtype.kind == "f"
    if kind.kind == "f":
        with np.errstate(over="ignore"):
            converted = weight.astype(kind)
        if is_float and (np.isinf(converted) & ~np.isinf(weight)).any():
            errors.add(OverflowError)
        numbers = converted.astype(np.float64).tolist()
        return [None if w == math.inf else w for w in numbers], errors
    far, low = largest(kind), int(np.iinfo(kind).min)
    numbers = []
    for w in weight.tolist():
        if w == math.inf:
            numbers.append(None)
            continue
        if w != math.floor(w):
            errors.add(ValueError)
        if not low <= w < far:
            errors.add(OverflowError)
        numbers.append(int(w))
    return numbers, errors


@dataclass
class Weighted:
    """A graph for one kind of sums: the arcs of each vertex and their weights."""

    n: int
    out: list[list[tuple[int, int | float]]]
    add: object
    negative: bool
    errors: set[type[Exception]]

    def __post_init__(self) -> None:
        self._known: dict[int, list] = {}

    def distances(self, source: int) -> list:
        """Return the least sum along a path to each vertex, None where there is none."""
        if source not in self._known:
            search = bellman_ford if self.negative else dijkstra
            self._known[source] = search(self.n, self.out, source, self.add)
        return self._known[source]

    @functools.cached_property
    def has_negative_cycle(self) -> bool:
        """Whether the graph has a negative cycle; sums must be exact."""
        if not self.negative:
            return False
        everywhere = [(v, 0) for v in range(self.n)]
        try:
            bellman_ford(self.n + 1, [*self.out, everywhere], self.n, self.add)
        except NegativeCycleFound:
            return True
        return False

    def tree(self, source: int) -> list[int]:
        """Return predecessors by the rule: see `canonical_tree`."""
        return canonical_tree(self, source, self.distances(source))


def dijkstra(n, out, source, add):
    distance = [None] * n
    distance[source] = 0 if add is add_integers else 0.0
    queue = [(distance[source], source)]
    while queue:
        d, u = heapq.heappop(queue)
        if d != distance[u]:
            continue
        for v, w in out[u]:
            through = add(d, w)
            if (distance[v] is None or through < distance[v]) and through != math.inf:
                distance[v] = through
                heapq.heappush(queue, (through, v))
    return distance


def bellman_ford(n, out, source, add):
    distance = [None] * n
    distance[source] = 0 if add is add_integers else 0.0
    parent = [None] * n
    changed = {source}
    for turn in range(n + 1):
        now, changed = sorted(changed), set()
        for u in now:
            for v, w in out[u]:
                through = add(distance[u], w)
                if (distance[v] is None or through < distance[v]) and through != math.inf:
                    distance[v] = through
                    parent[v] = u
                    changed.add(v)
        if not changed:
            return distance
        # If the last arcs form a cycle, it is negative; n rounds would take minutes.
        if turn % 16 == 15 and has_cycle(parent):
            break
    raise NegativeCycleFound


def has_cycle(parent):
    """Return whether the parents have a cycle."""
    seen_from = [None] * len(parent)
    for start in range(len(parent)):
        v = start
        while v is not None and seen_from[v] is None:
            seen_from[v] = start
            v = parent[v]
        if v is not None and seen_from[v] == start:
            return True
    return False


def canonical_tree(graph: Weighted, source: int, distance: list) -> list[int]:
    """Return the predecessor of each vertex, -1 where there is none.

    The smallest that is nearer and ends a shortest path; if there is none, the smallest one step
    closer along edges of shortest paths. With negative weights, always the latter.
    """
    into: list[list[int]] = [[] for _ in range(graph.n)]
    tree, placed = [-1] * graph.n, [False] * graph.n
    placed[source] = True
    for u in range(graph.n):
        if distance[u] is None:
            continue
        for v, w in graph.out[u]:
            if v == source or graph.add(distance[u], w) != distance[v]:
                continue
            if not graph.negative and distance[u] < distance[v]:
                tree[v] = u if tree[v] < 0 else min(tree[v], u)
                placed[v] = True
            else:
                into[u].append(v)
    frontier = [v for v in range(graph.n) if placed[v]]
    while frontier:
        found = {}
        for u in sorted(frontier, reverse=True):
            found.update((v, u) for v in into[u] if not placed[v])
        for v, u in found.items():
            tree[v], placed[v] = u, True
        frontier = list(found)
    return tree


class World:
    """Oracles of one graph, each computed once."""

    def __init__(self, edges: Edges) -> None:
        self.edges = edges
        self._answers: dict[Any, Any] = {}

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the result of `make`, called once for each `key`."""
        if key not in self._answers:
            self._answers[key] = make()
        return self._answers[key]

    @property
    def n(self) -> int:
        return self.edges.n

    @property
    def rows(self) -> Edges:
        return self.edges.by_row

    def distance_dtype(self, dtype: str | None) -> str:
        """Return the dtype of distances: the requested one, else the default for the weights."""
        if dtype is not None:
            return dtype
        kind = self.edges.weight.dtype
        return "float32" if kind.kind == "f" and kind.itemsize == 4 else "float64"

    @functools.cached_property
    def has_negative(self) -> bool:
        return len(self.edges.weight) > 0 and bool((self.edges.weight < 0).any())

    def weighted(self, dtype: str, directed: bool = True, unweighted: bool = False) -> Weighted:
        """Return the graph whose sums are rounded to `dtype`; integers are exact."""
        key = (dtype, directed, unweighted)
        return self.once(key, lambda: self._make(*key))

    def _make(self, dtype, directed, unweighted) -> Weighted:
        add = _ADD.get(dtype, add_integers)
        if unweighted:
            one = 1 if add is add_integers else 1.0
            numbers, errors = [one] * len(self.edges.weight), set()
        else:
            numbers, errors = weights_as(self.edges.weight, dtype)
        out = self.adjacency(numbers, directed) if not errors else []
        negative = self.has_negative and not unweighted
        return Weighted(self.n, out, add, negative, errors)

    def adjacency(self, numbers, directed):
        out = [[] for _ in range(self.n)]
        ends = zip(self.edges.tail.tolist(), self.edges.head.tolist(), numbers, strict=True)
        for u, v, w in ends:
            if w is not None:
                out[u].append((v, w))
                if not directed:
                    out[v].append((u, w))
        return out

    def exact(self, dtype: str, directed: bool = True, unweighted: bool = False):
        """Return (graph, scale): weights rounded to `dtype`, times `scale`, as integers.

        Sums of these are exact for any weights.
        """
        key = (dtype, directed, unweighted)
        return self.once(("exact", *key), lambda: self._exact(*key))

    def _exact(self, dtype, directed, unweighted):
        rounded = self.weighted(dtype, directed, unweighted)
        ratios = [[(v, w.as_integer_ratio()) for v, w in row] for row in rounded.out]
        scale = max((ratio[1] for row in ratios for _, ratio in row), default=1)
        out = [[(v, p * (scale // q)) for v, (p, q) in row] for row in ratios]
        exact = Weighted(self.n, out, add_integers, rounded.negative, rounded.errors)
        return exact, scale

    def scipys(self, directed: bool, unweighted: bool) -> sp.csr_array | None:
        """Return the graph for SciPy if sums of its weights are exact in float64."""
        key = (directed, unweighted)
        return self.once(("scipy", *key), lambda: self._scipys(*key))

    def _scipys(self, directed, unweighted):
        weight = self.edges.weight
        weight = np.ones(len(weight)) if unweighted else weight
        finite = weight[weight != np.inf] if weight.dtype.kind == "f" else weight
        finite = finite.astype(np.float64)
        if len(finite) and (finite.min() < 0 or (finite != np.floor(finite)).any()):
            return None
        if finite.max(initial=0) * self.n >= 2.0**53:
            return None
        tail, head = self.edges.tail, self.edges.head
        if not directed:
            tail, head, weight = np.r_[tail, head], np.r_[head, tail], np.r_[weight, weight]
        order = np.lexsort((weight, head, tail))
        tail, head, weight = tail[order], head[order], weight[order].astype(np.float64)
        first = np.ones(len(tail), bool)
        first[1:] = (tail[1:] != tail[:-1]) | (head[1:] != head[:-1])
        tail, head, weight = tail[first], head[first], weight[first]
        used = weight != np.inf
        indptr = np.searchsorted(tail[used], np.arange(self.n + 1))
        # csgraph of SciPy 1.13 takes int32 alone.
        parts = weight[used], head[used].astype(np.int32), indptr.astype(np.int32)
        return sp.csr_array(parts, shape=(self.n, self.n))


def scipys_distances(matrix: sp.csr_array, sources) -> np.ndarray:
    """Return a row of exact distances for each source."""
    return csgraph.dijkstra(matrix, indices=np.asarray(sources, int))
