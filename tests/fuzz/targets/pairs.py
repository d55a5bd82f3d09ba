"""Shortest paths of one pair of vertices, and what is near vertices."""

from __future__ import annotations

import numpy as np

import warpgraph as wg
from fuzz import oracles
from fuzz.searches import Expected, judge_error
from fuzz.targets.base import Target, first_difference, maybe, options, pick
from fuzz.targets.matrices import own_sums, refusals
from fuzz.targets.paths import MEMORY_LIMITS, common, limit, refuses_negative, vertices


class ShortestPath(Target):
    """Lengths and paths; "core": the graph keeps a hierarchy whose core is that small,
    or that is customized (0)."""

    name = "shortest_path"
    share = 1.2

    def draw(self, rng, subject, device):
        if subject.n == 0:
            return None
        source, target = (int(v) for v in rng.integers(subject.n, size=2))
        args = {"source": source, "target": target}
        on_cores = device == "cpu"
        methods = ("auto", "dijkstra", "bidirectional", "hierarchy", "hierarchy", "alt")
        maybe(rng, args, 0.8, "method", lambda: pick(rng, methods[: 6 if on_cores else 2]))
        if args.get("method") == "alt":
            some = (1, 3, 50, rng.integers(subject.n, size=3).tolist())
            maybe(rng, args, 0.7, "landmarks", lambda: pick(rng, some))
        maybe(rng, args, 0.3, "directed", lambda: False)
        maybe(rng, args, 0.2, "unweighted", lambda: True)
        maybe(rng, args, 0.5, "dtype", lambda: pick(rng, ("float32", "float64", "int32", "int64")))
        maybe(rng, args, 0.04, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        if on_cores and len(subject.tail) <= (3 if subject.n > 130 else 12) * subject.n:
            maybe(rng, args, 0.6, "core", lambda: pick(rng, (0, 0, 1, 1, 2, 9)))
        return {**args, "device": device}

    def source(self, args, subject):
        ends = f"{args['source']}, {args['target']}"
        how = options(args, "source", "target", "core")
        call = f"result = wg.shortest_path(graph, {ends}{how})"
        if "core" not in args:
            return call
        flags = f"{args.get('directed', True)}, {args.get('unweighted', False)}"
        return f"graph = contracted(graph, {args['core']}, {flags})\n{call}"

    def renumbered(self, args, new):
        changed = super().renumbered(args, new)
        if changed is not None and isinstance(args.get("landmarks"), list):
            changed["landmarks"] = [new[v] for v in args["landmarks"] if v in new]
            return changed if changed["landmarks"] else None
        return changed

    def judge(self, args, world, result, error):
        method = args.get("method")
        if refuses_negative(args, world) and method in ("bidirectional", "hierarchy", "alt"):
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


class Within(Target):
    name = "within"
    share = 0.8
    needed = ("sources", "limit", "device")

    def draw(self, rng, subject, device):
        if subject.n == 0 or device != "cpu":
            return None
        args = {"sources": vertices(rng, subject.n, 12), "limit": limit(rng, subject)}
        common(rng, args, subject)
        args.pop("return_predecessors", None)
        return {**args, "device": device}

    def source(self, args, subject):
        given = f"{args['sources']}{options(args, 'sources')}"
        call = f"found = wg.within(graph, {given})"
        return f"{call}\nresult = found.indptr, found.indices, found.data"

    def judge(self, args, world, result, error):
        if refuses_negative(args, world):
            return judge_error(error, {ValueError}, {OverflowError, MemoryError})
        dtype = world.distance_dtype(args.get("dtype"))
        rows, wrong = _rows_of(args, world, args["sources"], dtype, error)
        if wrong or error:
            return wrong
        far = oracles.largest(dtype)
        near = [np.flatnonzero(row != far) for row in rows]
        indptr = np.cumsum([0, *map(len, near)], dtype=np.int32)
        indices = np.concatenate([np.empty(0, np.int32), *near]).astype(np.int32)
        data = [row[some] for row, some in zip(rows, near, strict=True)]
        return (
            first_difference(result[0], indptr, "indptr")
            or first_difference(result[1], indices, "indices")
            or first_difference(result[2], np.concatenate([np.empty(0, dtype), *data]), "data")
        )


class Accessibility(Target):
    name = "accessibility"
    share = 0.5
    needed = ("sources", "limits", "device")

    def draw(self, rng, subject, device):
        if subject.n == 0 or device != "cpu":
            return None
        args = {"sources": vertices(rng, subject.n, 12)}
        args["limits"] = [limit(rng, subject) for _ in range(int(rng.integers(0, 4)))]
        common(rng, args, subject)
        args.pop("return_predecessors", None)
        maybe(rng, args, 0.5, "opportunities", lambda: rng.random(subject.n).tolist())
        return {**args, "device": device}

    def renumbered(self, args, new):
        changed = super().renumbered(args, new)
        numbers = args.get("opportunities")
        if changed is not None and numbers is not None:
            changed["opportunities"] = [numbers[old] for old in sorted(new, key=new.__getitem__)]
        return changed

    def source(self, args, subject):
        given = f"{args['sources']}{options(args, 'sources')}"
        return f"result = wg.accessibility(graph, {given})"

    def judge(self, args, world, result, error):
        if refuses_negative(args, world):
            return judge_error(error, {ValueError}, {OverflowError, MemoryError})
        dtype = world.distance_dtype(args.get("dtype"))
        limits = args["limits"]
        farthest = max(limits, default=0)
        how = {**args, "limit": farthest}
        rows, wrong = _rows_of(how, world, args["sources"] if limits else [], dtype, error)
        if wrong or error:
            return wrong
        numbers = args.get("opportunities")
        sums = [[_sum(row, most, numbers, dtype) for most in limits] for row in rows]
        kind = np.int64 if numbers is None else np.float64
        expected = np.array(sums, kind).reshape(len(args["sources"]), len(limits))
        return first_difference(result, expected, "sums")


def _rows_of(args, world, sources, dtype, error):
    """Return a row of distances for each source, and what is wrong with the error."""
    rows = [Expected(world, source, dtype, args) for source in sources]
    graph = world.weighted(dtype, args.get("directed", True), args.get("unweighted", False))
    # Where nothing is searched, weights need not be read.
    must = graph.errors.union(*(row.must for row in rows)) if rows else set()
    may = graph.errors | ({MemoryError} if "memory_limit" in args else set())
    wrong = judge_error(error, must, may.union(*(row.may for row in rows)))
    return ([] if error or must else [row.distances() for row in rows]), wrong


def _sum(row, most, numbers, dtype):
    """Add up the numbers of vertices within a limit, in their order."""
    far = oracles.largest(dtype)
    near = [v for v, distance in enumerate(row.tolist()) if distance != far and distance <= most]
    if numbers is None:
        return len(near)
    total = 0.0  # sum() compensates for rounding, since Python 3.12
    for v in near:
        total += numbers[v]
    return total


class NearestFacilities(Target):
    name = "nearest_facilities"
    share = 0.8
    vertices = ("facilities",)
    needed = ("facilities", "device")

    def draw(self, rng, subject, device):
        if subject.n == 0 or device == "mix":
            return None
        args = {"facilities": vertices(rng, subject.n, 9)}
        common(rng, args, subject)
        args.pop("return_predecessors", None)
        maybe(rng, args, 0.8, "k", lambda: int(pick(rng, (1, 2, 3, 5, 20))))
        maybe(rng, args, 0.25, "limit", lambda: limit(rng, subject))
        return {**args, "to_facilities": False, "device": device}

    def source(self, args, subject):
        given = f"{args['facilities']}{options(args, 'facilities')}"
        return f"result = wg.nearest_facilities(graph, {given})"

    def judge(self, args, world, result, error):
        if refuses_negative(args, world):
            return judge_error(error, {ValueError}, {OverflowError, MemoryError})
        dtype = world.distance_dtype(args.get("dtype"))
        facilities = sorted({*args["facilities"]})
        if world.n and not facilities:
            return judge_error(error, {ValueError}, set())
        rows = [Expected(world, f, dtype, args) for f in facilities]
        if any(row.must or row.may for row in rows):
            # A facility whose distance does not fit may be none of the nearest.
            may = {MemoryError, OverflowError}.union(*(row.must | row.may for row in rows))
            return judge_error(error, set(), may)
        rows, wrong = _rows_of(args, world, facilities, dtype, error)
        if wrong or error:
            return wrong
        distances, nearest = result
        k, far = args.get("k", 1), oracles.largest(dtype)
        padded = np.array([*rows, *[np.full(world.n, far, dtype)] * k], dtype)
        wrong = first_difference(distances, np.sort(padded, axis=0)[:k].T, "distances")
        if wrong:
            return wrong
        places = {f: i for i, f in enumerate(facilities)}
        for v in range(world.n):
            own = [int(f) for f in nearest[v] if f >= 0]
            if len({*own}) < len(own) or len(own) != (distances[v] != far).sum():
                return f"nearest[{v}] is {own}"
            of_own = [padded[places[f], v] for f in own]
            if of_own != distances[v, : len(own)].tolist():
                return f"nearest[{v}] is {own}, whose distances are {of_own}"
            if sorted(zip(of_own, own, strict=True)) != list(zip(of_own, own, strict=True)):
                return f"nearest[{v}] is {own}, which is not in order"
        return None


class AllShortestPaths(Target):
    name = "shortest_path_dag"
    share = 0.8

    def draw(self, rng, subject, device):
        if subject.n == 0:
            return None
        args = {"source": int(rng.integers(subject.n))}
        common(rng, args, subject)
        args.pop("return_predecessors", None)
        return {**args, "device": device}

    def source(self, args, subject):
        call = f"dag = wg.shortest_path_dag(graph, {args['source']}{options(args, 'source')})"
        parts = "dag.distances, dag.indptr, dag.predecessors, dag.edge_ids"
        return f"{call}\nresult = {parts}"

    def judge(self, args, world, result, error):
        dtype = world.distance_dtype(args.get("dtype"))
        one = Expected(world, args["source"], dtype, args)
        may = one.may | ({MemoryError} if "memory_limit" in args else set())
        wrong = judge_error(error, one.must, may)
        if wrong or error or one.may:
            return wrong
        graph = world.weighted(dtype, args.get("directed", True), args.get("unweighted", False))
        expected = [set() for _ in range(world.n)]
        for u, row in enumerate(graph.out):
            for v, w in row:
                if one.exact[u] is None or u == v or v == args["source"]:
                    continue
                if graph.add(one.exact[u], w) == one.exact[v]:
                    expected[v].add(u)
        distances, indptr, tails, _ = result
        lists = [tails[indptr[v] : indptr[v + 1]].tolist() for v in range(world.n)]
        wrong = first_difference(distances, one.distances(), "distances")
        for v in range(world.n):
            if lists[v] != sorted(expected[v]):
                wrong = wrong or f"predecessors of {v} are {lists[v]}, not {sorted(expected[v])}"
        return wrong


TARGETS = [
    ShortestPath(),
    ShortestPaths(),
    Nearest(),
    Within(),
    Accessibility(),
    NearestFacilities(),
]
TARGETS += [AllShortestPaths()]
