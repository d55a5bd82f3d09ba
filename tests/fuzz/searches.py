"""Expected results of searches: the least sums along paths, bit for bit, and canonical trees."""

from __future__ import annotations

import math

import numpy as np

import warpgraph as wg
from fuzz import oracles
from fuzz.targets.base import first_difference, unexpected

#: Vertices and edges that the oracle in Python may visit for a case: this bounds the rows that are
#: compared with it. The other rows are compared with SciPy's, if these are exact.
_WORK = 60_000


class Expected:
    """The result of a search from one vertex, or the errors that it must or may raise."""

    def __init__(self, world, source, dtype, args) -> None:
        self.must: set[type[Exception]] = set()
        self.may: set[type[Exception]] = set()
        directed, unweighted = args.get("directed", True), args.get("unweighted", False)
        graph = world.weighted(dtype, directed, unweighted)
        self.must |= graph.errors
        if self.must:
            return
        self.far = oracles.largest(dtype)
        try:
            self.exact = graph.distances(source)
        except oracles.NegativeCycleFound:
            self.must.add(wg.NegativeCycleError)
            self.may.add(OverflowError)  # sums may leave the dtype before the cycle is found
            return
        self.dtype = np.dtype(dtype)
        self.limit = _exact_limit(args.get("limit", math.inf))
        self.targets = args.get("targets")
        if isinstance(self.targets, int):
            self.targets = [self.targets]
        self._find_overflow(graph)
        self._graph, self._source = graph, source

    def _find_overflow(self, graph) -> None:
        if self.dtype.kind == "f":
            return
        low = int(np.iinfo(self.dtype).min)
        beyond = {v for v, d in enumerate(self.exact) if d is not None and not low <= d < self.far}
        if graph.negative:
            wanted = range(graph.n)  # no search ends early
            self.may |= {OverflowError} if beyond else set()
        else:
            wanted = range(graph.n) if self.targets is None else self.targets
            if self.limit < self.far:  # all that overflow are beyond the limit, too
                beyond = set()
        if any(v in beyond for v in wanted):
            self.must.add(OverflowError)
        elif beyond:
            self.may.add(OverflowError)

    def distances(self) -> np.ndarray:
        cut = [self.far if d is None or d > self.limit else d for d in self.exact]
        if self.dtype.kind == "i":  # distances that overflow are not among the targets'
            cut = [min(d, self.far) for d in cut]
        wanted = cut if self.targets is None else [cut[v] for v in self.targets]
        return np.array(wanted, self.dtype)

    def reaches_targets(self) -> bool:
        return all(self.exact[v] is not None for v in self.targets)

    def predecessors(self) -> np.ndarray:
        tree = self._graph.tree(self._source)
        if not self._graph.negative:
            reach = self.limit  # or the distance of the farthest target, where the search ends
            if self.targets is not None:
                ends = [self.exact[v] for v in self.targets]
                ends = [self.far if d is None else d for d in ends]
                reach = min(reach, max(ends, default=-1))
            tree = [
                p if d is not None and d <= reach else -1
                for p, d in zip(tree, self.exact, strict=True)
            ]
        return np.array(tree, np.int32)


def _exact_limit(limit):
    """Return a limit in a type that Python compares exactly."""
    return limit if isinstance(limit, int) else float(limit)


def judge_error(error, must, may) -> str | None:
    """Return what is wrong with an error, or with its absence."""
    if error is None:
        if must:
            return f"expected {' or '.join(sorted(t.__name__ for t in must))}, got a result"
        return None
    if isinstance(error, tuple(must | may)):
        return None
    if must:
        names = " or ".join(sorted(t.__name__ for t in must))
        return f"expected {names}, got {type(error).__name__}: {error}"
    return unexpected(error)


def judge_rows(args, world, sources, dtype, found, trees, error) -> str | None:
    """Judge a row of distances, and perhaps of predecessors, for each source."""
    must, may = set(), set()
    if "memory_limit" in args:
        may.add(MemoryError)
    expected = {}
    for row in rows_to_check(world, sources, everything=error is not None):
        expected[row] = Expected(world, sources[row], dtype, args)
        must |= expected[row].must
        may |= expected[row].may
    wrong = judge_error(error, must, may)
    if wrong or error is not None:
        return wrong
    for row, one in expected.items():
        wrong = first_difference(found[row], one.distances(), f"distances[{row}]")
        if wrong is None and trees is not None:
            wrong = first_difference(trees[row], one.predecessors(), f"predecessors[{row}]")
        if wrong:
            return wrong
    if len(expected) < len(sources):
        return _judge_by_scipy(args, world, sources, dtype, found)
    return None


def judge_negative(args, world, sources, dtype, found, trees, error) -> str | None:
    """Judge rows of a graph with negative weights, where a negative cycle anywhere is an error."""
    how = args.get("directed", True), args.get("unweighted", False)
    graph = world.weighted(dtype, *how)
    if not graph.errors:
        has_cycle = world.exact(dtype, *how)[0].has_negative_cycle
        if has_cycle != graph.has_negative_cycle:
            return None  # rounding decides whether a cycle is negative
        if has_cycle:
            return judge_error(error, {wg.NegativeCycleError}, {OverflowError, MemoryError})
        if isinstance(error, OverflowError) and np.dtype(dtype).kind == "i":
            return None  # a potential of Johnson's algorithm does not fit
    return judge_rows(args, world, sources, dtype, found, trees, error)


def rows_to_check(world, sources, *, everything=False) -> list[int]:
    """Return the rows to check: a few, or all if an error has to be explained."""
    cost = 2 * (world.n + len(world.edges.tail)) + 1
    n_rows = len(sources) if everything else max(2, _WORK // cost)
    if n_rows >= len(sources):
        return list(range(len(sources)))
    return np.unique(np.linspace(0, len(sources) - 1, n_rows).astype(int)).tolist()


def _judge_by_scipy(args, world, sources, dtype, found) -> str | None:
    matrix = world.scipys(args.get("directed", True), args.get("unweighted", False))
    if matrix is None:
        return None
    exact = oracles.scipys_distances(matrix, sources)
    limit = args.get("limit", math.inf)
    exact[exact > limit] = np.inf
    if "targets" in args:
        exact = exact[:, args["targets"]]
    finite = np.isfinite(exact)
    # SciPy adds in float64. From this size on, sums may round or overflow in the dtype.
    most = 2.0**24 if dtype == "float32" else 2.0**31 if dtype == "int32" else 2.0**53
    if exact[finite].max(initial=0) >= most:
        return None
    far = oracles.largest(dtype)
    expected = np.full(exact.shape, far, dtype)
    expected[finite] = exact[finite]
    return first_difference(found, expected, "distances")
