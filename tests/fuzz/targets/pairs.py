"""Shortest paths of one pair of vertices, and from the nearest of several sources."""

from __future__ import annotations

import numpy as np

import warpgraph as wg
from fuzz import oracles
from fuzz.searches import Expected, judge_error
from fuzz.targets.base import Target, first_difference, maybe, options, pick
from fuzz.targets.matrices import own_sums, refusals
from fuzz.targets.paths import MEMORY_LIMITS, common, limit, refuses_negative, vertices


class ShortestPath(Target):
    """Lengths and paths; "core": the graph keeps a hierarchy whose core is that small."""

    name = "shortest_path"
    share = 1.2

    def draw(self, rng, subject, device):
        if subject.n == 0:
            return None
        source, target = (int(v) for v in rng.integers(subject.n, size=2))
        args = {"source": source, "target": target}
        on_cores = device == "cpu"
        methods = ("auto", "dijkstra", "bidirectional", "hierarchy", "hierarchy")
        maybe(rng, args, 0.8, "method", lambda: pick(rng, methods[: 5 if on_cores else 2]))
        maybe(rng, args, 0.3, "directed", lambda: False)
        maybe(rng, args, 0.2, "unweighted", lambda: True)
        maybe(rng, args, 0.5, "dtype", lambda: pick(rng, ("float32", "float64", "int32", "int64")))
        maybe(rng, args, 0.04, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        if on_cores and len(subject.tail) <= (3 if subject.n > 130 else 12) * subject.n:
            maybe(rng, args, 0.6, "core", lambda: pick(rng, (1, 1, 2, 9)))
        return {**args, "device": device}

    def source(self, args, subject):
        ends = f"{args['source']}, {args['target']}"
        how = options(args, "source", "target", "core")
        call = f"result = wg.shortest_path(graph, {ends}{how})"
        if "core" not in args:
            return call
        flags = f"{args.get('directed', True)}, {args.get('unweighted', False)}"
        return f"graph = contracted(graph, {args['core']}, {flags})\n{call}"

    def judge(self, args, world, result, error):
        method = args.get("method")
        if refuses_negative(args, world) and method in ("bidirectional", "hierarchy"):
            return judge_error(error, {ValueError}, {OverflowError, MemoryError})
        dtype = world.distance_dtype(args.get("dtype"))
        one = Expected(world, args["source"], dtype, {**args, "targets": [args["target"]]})
        may = one.may | ({MemoryError} if "memory_limit" in args else set())
        if method == "hierarchy" and not one.must:
            how = args.get("directed", True), args.get("unweighted", False)
            may |= refusals(world, own_sums(world, *how))
        if one.may and not one.must and error is None and not len(result[1]):
            return None  # a path whose length does not fit
        wrong = judge_error(error, one.must, may)
        if wrong or error:
            return wrong
        length, path = result
        wrong = first_difference(np.array([length], dtype), one.distances(), "length")
        expected = _path(one, args["source"], args["target"])
        return wrong or first_difference(path, np.array(expected, np.int32), "path")


class ShortestPaths(Target):
    """Lengths and paths of several pairs."""

    name = "shortest_paths"
    share = 0.8

    def draw(self, rng, subject, device):
        if subject.n == 0 or device != "cpu":
            return None
        n_pairs = int(rng.integers(0, 6))
        args = {
            end: rng.integers(subject.n, size=n_pairs).tolist() for end in ("sources", "targets")
        }
        maybe(rng, args, 0.8, "method", lambda: pick(rng, ("auto", "bidirectional", "hierarchy")))
        maybe(rng, args, 0.3, "directed", lambda: False)
        maybe(rng, args, 0.2, "unweighted", lambda: True)
        maybe(rng, args, 0.5, "dtype", lambda: pick(rng, ("float32", "float64", "int32", "int64")))
        maybe(rng, args, 0.3, "return_paths", lambda: False)
        maybe(rng, args, 0.04, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        return args

    def source(self, args, subject):
        how = options(args, "sources", "targets")
        return f"result = wg.shortest_paths(graph, {args['sources']}, {args['targets']}{how})"

    def judge(self, args, world, result, error):
        if refuses_negative(args, world):
            return judge_error(error, {ValueError}, {OverflowError, MemoryError})
        dtype = world.distance_dtype(args.get("dtype"))
        ends = list(zip(args["sources"], args["targets"], strict=True))
        pairs = [Expected(world, s, dtype, {**args, "targets": [t]}) for s, t in ends]
        how = args.get("directed", True), args.get("unweighted", False)
        graph = world.weighted(dtype, *how)
        must = graph.errors.union(*(pair.must for pair in pairs))
        may = {MemoryError} if "memory_limit" in args else set()
        may = may.union(*(pair.may for pair in pairs))
        if args.get("method") == "hierarchy" and not must:
            may |= refusals(world, own_sums(world, *how))
        wrong = judge_error(error, must, may)
        if wrong or error:
            return wrong
        found, *paths = result if args.get("return_paths", True) else (result,)
        wanted = [pair.distances()[0] for pair in pairs]
        wrong = first_difference(found, np.array(wanted, dtype), "lengths")
        if wrong or not paths:
            return wrong
        expected = [_path(pair, *end) for pair, end in zip(pairs, ends, strict=True)]
        starts = np.cumsum([0, *map(len, expected)])
        wrong = first_difference(paths[0], starts, "indptr")
        flat = np.array([v for path in expected for v in path], np.int32)
        return wrong or first_difference(paths[1], flat, "vertices")


def _path(expected, source, target):
    """Return the vertices of the path in the expected tree."""
    tree, back = expected.predecessors(), [target] if expected.reaches_targets() else []
    while back and back[-1] != source:
        back.append(int(tree[back[-1]]))
    return back[::-1]


class Nearest(Target):
    name = "many_to_many, nearest"
    share = 0.7

    def draw(self, rng, subject, device):
        if subject.n == 0 or device != "cpu":
            return None
        args = {"sources": [int(rng.integers(subject.n)), *vertices(rng, subject.n, 5)]}
        common(rng, args, subject)
        maybe(rng, args, 0.3, "method", lambda: "dijkstra")
        maybe(rng, args, 0.3, "targets", lambda: vertices(rng, subject.n, 9))
        maybe(rng, args, 0.25, "limit", lambda: limit(rng, subject))
        return {**args, "device": device}

    def source(self, args, subject):
        given = f"{args['sources']}, min_only=True{options(args, 'sources')}"
        return f"result = wg.many_to_many(graph, {given})"

    def judge(self, args, world, result, error):
        if refuses_negative(args, world) and "method" in args:
            return judge_error(error, {ValueError}, {OverflowError, MemoryError})
        dtype = world.distance_dtype(args.get("dtype"))
        if not args["sources"] or args.get("targets") == []:
            return None
        rows = [Expected(world, source, dtype, args) for source in args["sources"]]
        must = {wg.NegativeCycleError} & set().union(*(row.must for row in rows))
        graph = world.weighted(dtype, args.get("directed", True), args.get("unweighted", False))
        may = {MemoryError} if "memory_limit" in args else set()
        may |= set().union(*(row.must | row.may for row in rows)) - must
        wrong = judge_error(error, must | graph.errors, may)
        if wrong or error or OverflowError in may:
            return wrong
        all_of_them = np.array([row.distances() for row in rows])
        found, nearest = result[0], result[-1]
        wrong = first_difference(found, all_of_them.min(axis=0), "distances")
        if wrong:
            return wrong
        for i in np.flatnonzero(found != oracles.largest(dtype)).tolist():
            source = int(nearest[i])
            if source not in args["sources"]:
                return f"nearest[{i}] is {source}, which is no source"
            if all_of_them[args["sources"].index(source), i] != found[i]:
                return f"nearest[{i}] is {source}, but another source is nearer"
        far = found == oracles.largest(dtype)
        return None if (nearest[far] == -1).all() else "unreachable vertices have a source"


TARGETS = [ShortestPath(), ShortestPaths(), Nearest()]
