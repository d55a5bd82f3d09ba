"""Spanning forests, their pieces, and other trees."""

from __future__ import annotations

import functools
from fractions import Fraction

import numpy as np

from fuzz import structures
from fuzz.oracles.tree_weights import arborescence_weight, closure_weight, has_root
from fuzz.oracles.trees import Sets
from fuzz.searches import judge_error
from fuzz.targets.base import (
    Target,
    first_difference,
    maybe,
    maybe_progress,
    options,
    perhaps_several,
    pick,
)

METHODS_ON_CPU = ("auto", "filter")
METHODS_ON_CUDA = (*METHODS_ON_CPU, "boruvka")
MEMORY_LIMITS = (1000, 10**5, 10**7, 10**9)


def normal(weight: np.ndarray) -> np.ndarray:
    """Return weights in the type that a Graph stores them in."""
    kind = weight.dtype
    if kind.kind == "f":
        return weight.astype(np.float32 if kind.itemsize == 4 else np.float64)
    wide = kind.itemsize == 8 or (kind.kind == "u" and kind.itemsize == 4)
    return weight.astype(np.int64 if wide else np.int32)


def kruskal(n, tail, head, weight, position, *, maximum=False) -> list[int]:
    """Return which edges the lightest forest has, in the order in which they join.

    Edges of equal weight rank by their smaller end, then by position.
    """
    small = np.minimum(tail, head)
    key = normal(weight)
    if maximum:
        ranks = np.unique(key, return_inverse=True)[1]
        key = -ranks.reshape(-1)
    order = np.lexsort((position, small, key + 0))  # -0.0 + 0 is 0.0
    sets = Sets(n)
    ends = zip(order.tolist(), tail[order].tolist(), head[order].tolist(), strict=True)
    return [e for e, u, v in ends if sets.join(u, v)]


@functools.lru_cache(maxsize=8)
def _kruskal_of(rows, entries, maximum):
    some = np.arange(len(rows.tail)) if entries is None else np.array(entries, int)
    chosen = kruskal(
        rows.n, rows.tail[some], rows.head[some], rows.weight[some], some, maximum=maximum
    )
    return some[chosen].astype(np.int64)


def judge_forest(forest, world, ids, *, keeps_ids=True) -> str | None:
    """Compare a SpanningForest with the expected one; `ids` are its edges in the CSR arrays."""
    rows = world.rows
    edges = np.stack([np.minimum(rows.tail, rows.head), np.maximum(rows.tail, rows.head)], axis=1)
    weights = normal(rows.weight)[ids]
    sets = Sets(world.n)
    for u, v in edges[ids].tolist():
        sets.join(u, v)
    wrong = None
    if keeps_ids:
        wrong = first_difference(forest.edge_ids, ids, "edge_ids")
    wrong = wrong or first_difference(forest.edges, edges[ids].astype(np.int32), "edges")
    wrong = wrong or first_difference(forest.weights, weights, "weights")
    wrong = wrong or first_difference(forest.labels, sets.labels(), "labels")
    if wrong:
        return wrong
    if forest.n_trees != world.n - len(ids):
        return f"n_trees: expected {world.n - len(ids)}, got {forest.n_trees}"
    return _judge_total(forest.total_weight, weights)


def _judge_total(found, weights) -> str | None:
    if weights.dtype.kind == "i":
        expected = sum(weights.tolist())
    elif not np.isfinite(weights).all():
        expected = float(weights.astype(np.float64).sum())
    else:
        try:
            expected = float(sum(map(Fraction, weights.tolist()), Fraction(0)))
        except OverflowError:
            return None
    same = found == expected or (found != found and expected != expected)
    return None if same else f"total_weight: expected {expected!r}, got {found!r}"


def common(rng, args):
    """Draw the options that all forests have."""
    maybe(rng, args, 0.3, "maximum", lambda: True)
    maybe(rng, args, 0.06, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
    maybe_progress(rng, args)


def may_lack_memory(args) -> set[type[Exception]]:
    return {MemoryError} if "memory_limit" in args else set()


class MinimumSpanningForest(Target):
    name = "minimum_spanning_forest"
    share = 2.0

    def draw(self, rng, subject, device):
        args = {}
        common(rng, args)
        methods = METHODS_ON_CPU if device == "cpu" else METHODS_ON_CUDA
        maybe(rng, args, 0.8, "method", lambda: pick(rng, methods))
        if device != "cpu" and rng.random() < 0.3:
            args["method"] = "boruvka"
            return {**args, "device": ["cpu", device]}
        has_parts = args.get("method", "auto") in ("auto", "filter")
        return {**args, "device": perhaps_several(rng, device) if has_parts else device}

    def source(self, args, subject):
        return f"result = wg.minimum_spanning_forest(graph{options(args)})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), may_lack_memory(args))
        ids = _kruskal_of(world.rows, None, args.get("maximum", False))
        return judge_forest(result, world, ids)


class LocalForest(Target):
    """Forests of parts, and the merged forest."""

    name = "local_forest"

    def draw(self, rng, subject, device):
        args = {"cut": sorted(rng.integers(0, subject.n + 1, int(rng.integers(0, 4))).tolist())}
        if rng.random() < 0.5:
            args = {"parts": int(rng.integers(1, 5))}
            args["number"] = int(rng.integers(args["parts"]))
        common(rng, args)
        return {**args, "device": device}

    needed = ("device", "parts", "number", "cut")

    def source(self, args, subject):
        given = options(args, "parts", "number", "cut")
        if "parts" in args:
            entries = f"np.arange({args['number']}, {len(subject.tail)}, {args['parts']})"
            return f"result = wg.local_forest(graph, entries={entries}{given})"
        first, last = _rows(args, subject.n)
        return f"result = wg.local_forest(graph, rows=({first}, {last}){given})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), may_lack_memory(args))
        if "parts" in args:
            entries = range(args["number"], len(world.rows.tail), args["parts"])
        else:
            first, last = _rows(args, world.n)
            tail = world.rows.tail
            entries = range(int((tail < first).sum()), int((tail < last).sum()))
        ids = _kruskal_of(world.rows, entries, args.get("maximum", False))
        return judge_forest(result, world, ids)


def _rows(args, n):
    cut = [min(row, n) for row in args["cut"]] or [0, n]
    return min(cut), max(cut)


class MergeForests(Target):
    """Forests of parts that together have all edges, merged in pairs or at once."""

    name = "merge_forests"
    needed = ("device", "parts")

    def draw(self, rng, subject, device):
        args = {"parts": int(rng.integers(1, 5))}
        common(rng, args)
        return {**args, "device": device}

    def source(self, args, subject):
        given = options(args, "parts")
        limits = options({k: v for k, v in args.items() if k in ("maximum", "device")})
        entries = f"np.arange(i, {len(subject.tail)}, {args['parts']})"
        return (
            f"parts = [wg.local_forest(graph, entries={entries}{limits})"
            f" for i in range({args['parts']})]\n"
            f"result = wg.merge_forests(*parts[::-1]{given})"
        )

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), may_lack_memory(args))
        return judge_forest(
            result, world, _kruskal_of(world.rows, None, args.get("maximum", False))
        )


class ExtendForest(Target):
    """A forest of the first entries, extended by the others."""

    name = "extend_forest"
    needed = ("device", "known")

    def draw(self, rng, subject, device):
        args = {"known": int(rng.integers(0, len(subject.tail) + 1))}
        maybe(rng, args, 0.3, "maximum", lambda: True)
        return {**args, "device": device}

    def source(self, args, subject):
        known, given = args["known"], options(args, "known")
        return (
            "row, col, data = wg.Graph(graph).to_edges()\n"
            f"known = wg.local_forest(graph, entries=np.arange({known})[:len(row)]{given})\n"
            f"new = np.arange(min({known}, len(row)), len(row))\n"
            "result = wg.extend_forest("
            f"known, np.c_[row[new], col[new]], data[new], new{given})"
        )

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        return judge_forest(
            result, world, _kruskal_of(world.rows, None, args.get("maximum", False))
        )


class ForestForms(Target):
    """Conversions of a forest."""

    name = "SpanningForest"
    share = 0.4

    def draw(self, rng, subject, device):
        return {"form": pick(rng, ("to_csr", "to_networkx", "pickle")), "device": device}

    needed = ("form", "device")

    def source(self, args, subject):
        forest = f"forest = wg.minimum_spanning_forest(graph, device={args['device']!r})\n"
        if args["form"] == "pickle":
            return forest + "result = pickle.loads(pickle.dumps(forest))"
        return forest + f"result = forest.{args['form']}()"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        ids = _kruskal_of(world.rows, None, False)
        if args["form"] == "pickle":
            return judge_forest(result, world, ids)
        rows = world.rows
        ends = np.sort(np.stack([rows.tail[ids], rows.head[ids]], axis=1), axis=1).tolist()
        weights = normal(rows.weight)[ids].tolist()
        expected = {(u, v): w for (u, v), w in zip(ends, weights, strict=True)}
        if args["form"] == "to_networkx":
            found = {(*sorted(edge),): w for *edge, w in result.edges(data="weight")}
            count = result.number_of_nodes()
        else:
            table = result.tocoo()
            pairs = zip(table.row.tolist(), table.col.tolist(), strict=True)
            found = dict(zip(pairs, table.data.tolist(), strict=True))
            count = result.shape[0]
        if count != world.n or found != expected:
            return f"{args['form']}: expected {expected}, got {found} of {count} vertices"
        return None


class SteinerTree(Target):
    """A tree that is no heavier than the bound that its method proves."""

    name = "steiner_tree"
    largest = structures.MEDIUM
    vertices = ("terminals",)
    needed = ("terminals", "device")

    def draw(self, rng, subject, device):
        if subject.n == 0 or device != "cpu":
            return None
        args = {"terminals": rng.integers(0, subject.n, int(rng.integers(0, 9))).tolist()}
        maybe(rng, args, 0.06, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        maybe_progress(rng, args)
        return {**args, "device": device}

    def source(self, args, subject):
        return f"result = wg.steiner_tree(graph, {args['terminals']}{options(args, 'terminals')})"

    def judge(self, args, world, result, error):
        terminals = sorted({*args["terminals"]})
        if not terminals or world.has_negative:
            return judge_error(error, {ValueError}, {OverflowError, MemoryError})
        kind = normal(world.edges.weight[:0]).dtype
        graph, scale = world.exact("int64" if kind.kind == "i" else kind.name, directed=False)
        if graph.errors:
            return judge_error(error, graph.errors, {MemoryError})
        rows = {t: graph.distances(t) for t in terminals}
        farthest = Fraction(max(d or 0 for row in rows.values() for d in row), scale)
        may = may_lack_memory(args)
        if farthest > (1e-3 * np.finfo(kind).max if kind.kind == "f" else 2**61):
            may.add(OverflowError)
        most = closure_weight(rows, terminals)
        if most is None or error:
            return judge_error(error, {ValueError} if most is None else set(), may)
        ids, ends = result.edge_ids, result.edges.tolist()
        wrong = first_difference(result.weights, normal(world.rows.weight)[ids], "weights")
        sets, degree = Sets(world.n), np.bincount(result.edges.ravel(), minlength=world.n)
        joins = [sets.join(u, v) for u, v in ends]
        if not all(joins) or len({sets.of[t] for t in terminals}) > 1:
            return f"{ends} is no tree of the terminals"
        if not {*np.flatnonzero(degree == 1).tolist()} <= {*terminals}:
            return f"{ends} has a leaf that is no terminal"
        rounding = Fraction(0 if kind.kind == "i" else 8 * world.n * float(np.finfo(kind).eps))
        if scale * sum(map(Fraction, result.weights.tolist())) > most * (1 + rounding):
            bound = float(Fraction(most, scale))
            return f"weighs {result.total_weight!r}, expected at most {bound!r}"
        return wrong


class MinimumArborescence(Target):
    name = "minimum_arborescence"
    largest = structures.TILES
    vertices = ("root",)
    needed = ("device",)

    def draw(self, rng, subject, device):
        if subject.n == 0 or device != "cpu":
            return None
        args = {}
        maybe(rng, args, 0.7, "root", lambda: int(rng.integers(subject.n)))
        maybe(rng, args, 0.06, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        maybe_progress(rng, args)
        return {**args, "device": device}

    def source(self, args, subject):
        return f"result = wg.minimum_arborescence(graph{options(args)})"

    def judge(self, args, world, result, error):
        rows, weight = world.rows, normal(world.rows.weight)
        if (weight == -np.inf).any():
            return judge_error(error, {ValueError}, {MemoryError})
        used = np.flatnonzero(weight != np.inf)
        numbers, scale = _as_integers(weight[used].tolist())
        arcs = list(zip(rows.tail[used].tolist(), rows.head[used].tolist(), numbers, strict=True))
        found = None if error else result.root
        root = args.get("root", found)
        if root is None:
            is_there = has_root(world.n, arcs)
            return judge_error(error, set() if is_there else {ValueError}, may_lack_memory(args))
        least = arborescence_weight(world.n, arcs, root)
        if error or least is None:
            return judge_error(error, {ValueError} if least is None else set(), {MemoryError})
        if "root" not in args and world.n <= 12:
            others = (arborescence_weight(world.n, arcs, r) for r in range(world.n))
            least = min(w for w in others if w is not None)
        heads = [v for v in range(world.n) if v != root]
        if found != root or result.edges[:, 1].tolist() != heads:
            return f"expected an edge into each vertex but {root}, got {result.edges.tolist()}"
        ids = result.edge_ids
        wrong = first_difference(result.weights, weight[ids], "weights")
        wrong = wrong or first_difference(
            result.edges[:, 0], rows.tail[ids].astype(np.int32), "tails"
        )
        sets = Sets(world.n)
        if not all(sets.join(u, v) for u, v in result.edges.tolist()):
            return f"{result.edges.tolist()} has a cycle"
        excess = scale * sum(map(Fraction, result.weights.tolist())) - least
        heaviest = max(map(abs, numbers), default=0)
        if excess > (0 if weight.dtype.kind == "i" else heaviest * world.n * Fraction(1, 2**49)):
            return f"weighs {result.total_weight!r}, expected {float(Fraction(least, scale))!r}"
        return wrong


def _as_integers(numbers):
    """Return numbers times a common denominator, and that."""
    ratios = [number.as_integer_ratio() for number in numbers]
    scale = max((q for _, q in ratios), default=1)
    return [p * (scale // q) for p, q in ratios], scale


class BottleneckPaths(Target):
    name = "bottleneck_paths"
    needed = ("sources", "targets", "device")

    def draw(self, rng, subject, device):
        if subject.n == 0 or device != "cpu":
            return None
        ends = rng.integers(0, subject.n, (2, int(rng.integers(0, 7)))).tolist()
        args = dict(zip(("sources", "targets"), ends, strict=True))
        maybe(rng, args, 0.4, "maximum", lambda: True)
        maybe(rng, args, 0.06, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        return {**args, "device": device}

    def source(self, args, subject):
        pairs = f"{args['sources']}, {args['targets']}"
        how = options(args, "sources", "targets")
        return f"result = wg.bottleneck_paths(graph, {pairs}, return_edges=True{how})"

    def judge(self, args, world, result, error):
        pairs = list(zip(args["sources"], args["targets"], strict=False))
        if len(args["sources"]) != len(args["targets"]):
            return judge_error(error, {ValueError}, may_lack_memory(args))
        if error:
            return judge_error(error, set(), may_lack_memory(args))
        maximum = args.get("maximum", False)
        ids = _kruskal_of(world.rows, None, maximum)
        edges, sets = [-1] * len(pairs), Sets(world.n)
        for number, e in enumerate(ids.tolist()):
            sets.join(world.rows.tail[e], world.rows.head[e])
            for i, (u, v) in enumerate(pairs):
                if u != v and edges[i] < 0 and sets.of[u] == sets.of[v]:
                    edges[i] = number
        weights = normal(world.rows.weight)
        least, most = -np.inf, np.inf
        if weights.dtype.kind == "i":
            least, most = np.iinfo(weights.dtype).min, np.iinfo(weights.dtype).max
        expected = [
            weights[ids[edge]] if edge >= 0 else least if (u == v) != maximum else most
            for edge, (u, v) in zip(edges, pairs, strict=True)
        ]
        wrong = first_difference(result[0], np.array(expected, weights.dtype), "weights")
        return wrong or first_difference(result[1], np.array(edges, np.int64), "edges")


TARGETS = [
    BottleneckPaths(),
    MinimumArborescence(),
    SteinerTree(),
    MinimumSpanningForest(),
    LocalForest(),
    MergeForests(),
    ExtendForest(),
    ForestForms(),
]
