"""apsp, and many_to_many over a hierarchy: sums in another order."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

import warpgraph as wg
from fuzz import oracles, structures
from fuzz.oracles.rounding import ALL_INTEGERS, judge_rounded_tree, judge_row, rounded
from fuzz.searches import judge_error, judge_negative, judge_rows, rows_to_check
from fuzz.targets.base import (
    DTYPES,
    Target,
    first_difference,
    maybe,
    maybe_progress,
    options,
    perhaps_several,
    pick,
)
from fuzz.targets.paths import ManyToMany, divided, limit, refuses_negative, vertices

MEMORY_LIMITS = (1000, 100_000, 10**7, 10**9)
APSP_METHODS = ("auto", "auto", "floyd_warshall", "floyd_warshall_naive", "many_to_many")


def is_exact(graph, scale, dtype, farthest) -> bool:
    """Return whether sums are exact in any order."""
    return np.dtype(dtype).kind == "i" or (scale == 1 and farthest < ALL_INTEGERS[dtype])


class Apsp(Target):
    name = "apsp"
    share = 2.0
    largest = structures.MEDIUM

    def draw(self, rng, subject, device):
        args = {}
        maybe(rng, args, 0.2, "directed", lambda: False)
        maybe(rng, args, 0.12, "unweighted", lambda: True)
        maybe(rng, args, 0.35, "return_predecessors", lambda: True)
        maybe(rng, args, 0.55, "dtype", lambda: pick(rng, DTYPES))
        maybe(rng, args, 0.04, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        maybe(rng, args, 0.85, "method", lambda: pick(rng, APSP_METHODS))
        if subject.n > 130 and args.get("method") == "floyd_warshall_naive":
            del args["method"]
        maybe(rng, args, 0.15, "out", lambda: pick(rng, ("plain", "rows apart")))
        maybe_progress(rng, args)
        searches = args.get("method", "auto") in ("auto", "many_to_many")
        return {**args, "device": perhaps_several(rng, device) if searches else device}

    def source(self, args, subject):
        given, lines = options(args, "out"), []
        if args.get("out"):
            n, apart = subject.n, 5 if args["out"] == "rows apart" else 0
            kind = subject.weight.dtype
            narrow = kind.kind == "f" and kind.itemsize == 4
            dtype = args.get("dtype") or ("float32" if narrow else "float64")
            lines = [f"out = np.full(({n}, {n + apart}), 7, {dtype!r})"]
            lines += [f"out = out[:, :{n}]"] * bool(apart)
            given += ", out=out"
        return "\n".join([*lines, f"result = wg.apsp(graph{given})"])

    def judge(self, args, world, result, error):
        dtype = world.distance_dtype(args.get("dtype"))
        searching = args.get("method") == "many_to_many"
        may = {MemoryError} if "memory_limit" in args else set()
        found, trees = (None, None) if error else divided(args, result)
        if found is not None and found.shape != (world.n, world.n):
            return f"expected shape {(world.n, world.n)}, got {found.shape}"
        sources = list(range(world.n))
        if searching:
            judge = judge_negative if refuses_negative(args, world) else judge_rows
            return judge(args, world, sources, dtype, found, trees, error)
        return _judge_matrix(args, world, dtype, found, trees, error, may)


def _judge_matrix(args, world, dtype, found, trees, error, may):
    how = args.get("directed", True), args.get("unweighted", False)
    graph = world.weighted(dtype, *how)
    if graph.errors or (error and world.n == 0):
        return judge_error(error, graph.errors, may)
    exact, _ = world.exact(dtype, *how)
    if exact.has_negative_cycle:
        may = may | ({OverflowError} if np.dtype(dtype).kind == "i" else set())
        return judge_error(error, {wg.NegativeCycleError}, may)
    rows = rows_to_check(world, range(world.n), everything=error is not None)
    distances = {row: exact.distances(row) for row in rows}
    must = set()
    if any(_overflows(row, dtype) for row in distances.values()):
        must = {OverflowError}
    if _is_near_minus_infinity(graph, dtype):
        may = may | {OverflowError, wg.NegativeCycleError}
    wrong = judge_error(error, must, may)
    if wrong or error:
        return wrong
    return _judge_found(args, world, dtype, found, trees, distances)


def _overflows(row, dtype) -> bool:
    if np.dtype(dtype).kind == "f":
        return False
    low, far = int(np.iinfo(dtype).min), oracles.largest(dtype)
    return any(d is not None and not low <= d < far for d in row)


def _is_near_minus_infinity(graph, dtype) -> bool:
    """Return whether sums of negative weights may round, so that a cycle of zero seems negative."""
    if not graph.negative or np.dtype(dtype).kind == "i":
        return False
    heaviest = max((abs(w) for row in graph.out for _, w in row), default=0)
    whole = all(w == math.floor(w) for row in graph.out for _, w in row)
    return not whole or heaviest * graph.n >= ALL_INTEGERS[dtype]


def _judge_found(args, world, dtype, found, trees, distances):
    how = args.get("directed", True), args.get("unweighted", False)
    graph = world.weighted(dtype, *how)
    exact, scale = world.exact(dtype, *how)
    farthest = max((abs(d) for row in distances.values() for d in row if d is not None), default=0)
    slack = farthest if graph.negative and not is_exact(graph, scale, dtype, farthest) else 0
    for row, expected in distances.items():
        units = max(world.n - 1, 1)
        wrong = judge_row(found[row], expected, scale, dtype, units, f"distances[{row}]", slack)
        if wrong:
            return wrong
    wrong = _judge_by_scipy(how, world, dtype, found)
    if wrong or trees is None:
        return wrong
    # All rows count: trees are exact if no distance is too large.
    ends = np.abs(found[found != oracles.largest(dtype)].astype(np.float64))
    if is_exact(graph, scale, dtype, ends.max(initial=0)):
        for row in distances:
            wrong = first_difference(
                trees[row], np.array(exact.tree(row), np.int32), f"predecessors[{row}]"
            )
            if wrong:
                return wrong
        return None
    if args.get("method", "auto") == "auto":
        return None  # either rule may apply
    for row in distances:
        wrong = judge_rounded_tree(graph, row, found[row], trees[row], dtype)
        if wrong:
            return wrong
    return None


def _judge_by_scipy(how, world, dtype, found):
    matrix = world.scipys(*how)
    if matrix is None or world.n == 0:
        return None
    exact = oracles.scipys_distances(matrix, np.arange(world.n))
    finite = np.isfinite(exact)
    if dtype in ALL_INTEGERS and exact[finite].max(initial=0) > ALL_INTEGERS[dtype]:
        return None
    expected = np.full(exact.shape, oracles.largest(dtype), dtype)
    expected[finite] = exact[finite]
    return first_difference(found, expected, "distances")


class HierarchySearch(Target):
    """many_to_many over a hierarchy, which adds in a different order.

    Its core has a thousand vertices, so a small graph would be all core. "core" makes it smaller,
    or none: a customized hierarchy.
    """

    name = "many_to_many, hierarchy"
    share = 1.3
    largest = structures.LARGE

    def draw(self, rng, subject, device):
        if subject.n == 0:
            return None
        args = {"sources": rng.integers(0, subject.n, int(rng.integers(1, 9))).tolist()}
        if rng.random() < 0.1:
            args["sources"] = (np.arange(40) % subject.n).tolist()
        maybe(rng, args, 0.2, "directed", lambda: False)
        maybe(rng, args, 0.12, "unweighted", lambda: True)
        maybe(rng, args, 0.25, "return_predecessors", lambda: True)
        maybe(rng, args, 0.6, "dtype", lambda: pick(rng, DTYPES))
        maybe(rng, args, 0.3, "targets", lambda: vertices(rng, subject.n, 9))
        maybe(rng, args, 0.2, "limit", lambda: limit(rng, subject))
        maybe(rng, args, 0.1, "out", lambda: pick(rng, ("plain", "rows apart")))
        maybe(rng, args, 0.03, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        if len(subject.tail) <= (3 if subject.n > 130 else 12) * subject.n:
            maybe(rng, args, 0.6, "core", lambda: pick(rng, (0, 0, 1, 1, 2, 9)))
        maybe_progress(rng, args)
        return {**args, "method": "hierarchy", "device": device}

    needed = (*Target.needed, "method")

    def source(self, args, subject):
        plain = {name: value for name, value in args.items() if name != "core"}
        call = ManyToMany.source(self, plain, subject)
        if "core" not in args:
            return call
        flags = f"{args.get('directed', True)}, {args.get('unweighted', False)}"
        where = "" if args["device"] == "cpu" else f", {args['device']!r}"
        return f"graph = contracted(graph, {args['core']}, {flags}{where})\n{call}"

    def judge(self, args, world, result, error):
        may = {MemoryError} if "memory_limit" in args else set()
        if refuses_negative(args, world):
            return judge_error(error, {ValueError}, may | {OverflowError})
        found, trees = (None, None) if error else divided(args, result)
        if not args["sources"] or args.get("targets") == []:
            return judge_error(error, set(), may | {OverflowError, ValueError})
        how = args.get("directed", True), args.get("unweighted", False)
        dtype = world.distance_dtype(args.get("dtype"))
        graph = world.weighted(dtype, *how)
        if graph.errors:
            return judge_error(error, graph.errors, may)
        # A hierarchy adds unrounded weights, and then rounds to the dtype.
        own = own_sums(world, *how)
        may |= refusals(world, own)
        return _judge_sweep(args, world, own, dtype, found, trees, error, may)


def own_sums(world, directed, unweighted):
    """Return (graph, scale): the unrounded weights times the scale, as integers."""
    if world.edges.weight.dtype.kind == "f" or unweighted:
        return world.exact("float64", directed, unweighted)
    return world.once(("own", directed), lambda: (_own_integers(world, directed), 1))


def _own_integers(world, directed):
    out = world.adjacency(world.edges.weight.tolist(), directed)
    return oracles.Weighted(world.n, out, oracles.add_integers, False, set())


def refusals(world, own) -> set[type[Exception]]:
    """Return the errors if there is no hierarchy, or none whose sums fit."""
    may = set()
    if len(world.edges.tail) > 3 * world.n or world.n > 500:
        may.add(ValueError)
    if _may_not_fit(world, own):
        may.add(OverflowError)
        if world.edges.weight.dtype.kind == "f":
            may.add(ValueError)  # distances exist, but no predecessors
    return may


def _may_not_fit(world, own) -> bool:
    """Return whether sums of integers are not proven to fit 62 bits; floats may replace them.

    The bound of the proof is not documented: this oracle accepts a factor of 8.
    """
    graph, scale = own
    heaviest = max((w for row in graph.out for _, w in row), default=0)
    return scale == 1 and heaviest * max(world.n, 1) >= 2**59


def _judge_sweep(args, world, own, dtype, found, trees, error, may):
    graph, scale = own
    sources, targets = args["sources"], args.get("targets")
    rows = rows_to_check(world, sources, everything=error is not None)
    far, most = oracles.largest(dtype), args.get("limit", math.inf)
    farthest, must = 0, set()
    for row in rows:
        exact = graph.distances(sources[row])
        wanted = exact if targets is None else [exact[v] for v in targets]
        lengths = [d for d in wanted if d is not None]
        farthest = max([farthest, *lengths])
        if far is not math.inf and most >= far and any(d >= far for d in lengths):
            must.add(OverflowError)
    if np.dtype(dtype).kind == "i" and scale != 1:
        may = may | {ValueError, OverflowError}
    if trees is not None or args.get("return_predecessors"):
        if not is_exact(graph, scale, dtype, farthest):
            may = may | {ValueError}
        elif error is not None and isinstance(error, ValueError):
            everything = [d for row in rows for d in graph.distances(sources[row]) if d is not None]
            if not is_exact(graph, scale, dtype, max(everything, default=0)):
                may = may | {ValueError}
    if far is not math.inf:
        beyond = [
            d for r in rows for d in graph.distances(sources[r]) if d is not None and d >= far
        ]
        may = may | ({OverflowError} if beyond else set())
    wrong = judge_error(error, must, may)
    if wrong or error:
        return wrong
    return _judge_swept_rows(args, world, own, dtype, found, trees, rows)


def _judge_swept_rows(args, world, own, dtype, found, trees, rows):
    graph, scale = own
    sources, targets = args["sources"], args.get("targets")
    far, most = oracles.largest(dtype), args.get("limit", math.inf)
    most = most if isinstance(most, int) else float(most)
    for row in rows:
        exact = graph.distances(sources[row])
        wanted = exact if targets is None else [exact[v] for v in targets]
        name = f"distances[{row}]"
        both_floats = world.edges.weight.dtype.kind == "f" and far is math.inf
        as_floats = both_floats and _may_not_fit(world, own)
        if scale == 1 and not as_floats:
            expected = [far if d is None else d for d in wanted]
            if far is math.inf:
                expected = [d if d is math.inf else rounded(d, 1, dtype) for d in expected]
            expected = [far if d > most else d for d in expected]
            wrong = first_difference(found[row], np.array(expected, dtype), name)
        else:
            wrong = _judge_float_row(found[row], wanted, scale, dtype, world.n, most, name)
        if wrong:
            return wrong
    if trees is None or "limit" in args or targets is not None or scale != 1:
        return None
    for row in rows:
        tree = np.array(graph.tree(sources[row]), np.int32)
        wrong = first_difference(trees[row], tree, f"predecessors[{row}]")
        if wrong:
            return wrong
    return None


def _judge_float_row(found, exact, scale, dtype, n, most, name):
    """A float64 sum in any order, at most `n` + 64 additions on the way, then rounded to dtype."""
    units = Fraction(n + 64, 2**53) + (Fraction(1, 2**24) if dtype == "float32" else 0)
    for v, (value, sum_) in enumerate(zip(found.tolist(), exact, strict=True)):
        if sum_ is None:
            if value != math.inf:
                return f"{name}[{v}]: expected inf, got {value!r}"
            continue
        exact_sum = Fraction(sum_, scale)
        low, high = exact_sum * (1 - units), exact_sum * (1 + units)
        tiny = Fraction(float(np.finfo(dtype).smallest_subnormal))
        low, high = low - tiny, high + tiny
        if math.isinf(value):
            if high >= Fraction(float(np.finfo(dtype).max)) or high > most:
                continue
        elif low <= value <= high and (math.isinf(most) or value <= most):
            continue
        return f"{name}[{v}]: expected {float(exact_sum)!r}, got {value!r}"
    return None


TARGETS = [Apsp(), HierarchySearch()]
