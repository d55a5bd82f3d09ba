"""sssp, many_to_many, bfs and the paths in their trees; graphs with turns."""

from __future__ import annotations

import math
from itertools import chain

import numpy as np

import warpgraph as wg
from fuzz import oracles, structures
from fuzz.cases import Edges
from fuzz.searches import judge_error, judge_negative, judge_rows
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

METHODS_ON_CPU = ("auto", "dijkstra", "delta_stepping", "bellman_ford")
METHODS_ON_CUDA = ("auto", "near_far", "bellman_ford")
METHODS_ON_SEVERAL = ("auto", "delta_stepping", "bellman_ford")
MEMORY_LIMITS = (100, 5_000, 100_000, 10**6, 10**8)


def limit(rng, edges):
    """Return a limit on distances: a round number, or a possible length of a path."""
    few = [0, 1, 5, 10.5, 1e3, 2**31 - 2, 2**31, 2**53 + 1, math.inf]
    if len(edges.weight) and rng.random() < 0.6:
        some = rng.integers(len(edges.weight), size=int(rng.integers(1, 6)))
        length = sum(edges.weight[some].tolist())
        if 0 <= length < math.inf:
            return length
    return pick(rng, few)


def common(rng, args, edges):
    """Draw the options that all searches have."""
    maybe(rng, args, 0.2, "directed", lambda: False)
    maybe(rng, args, 0.2, "unweighted", lambda: True)
    maybe(rng, args, 0.4, "return_predecessors", lambda: True)
    maybe(rng, args, 0.6, "dtype", lambda: pick(rng, DTYPES))
    maybe(rng, args, 0.04, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
    maybe_progress(rng, args)


def vertices(rng, n, most):
    """Return a list of vertices, some repeated."""
    return rng.integers(0, n, int(rng.integers(0, most + 1))).tolist()


def divided(args, result):
    """Return distances and predecessors, None if these were not requested."""
    return result if args.get("return_predecessors") else (result, None)


def refuses_negative(args, world) -> bool:
    """Return whether weights are negative, which few methods allow."""
    return world.has_negative and not args.get("unweighted")


class Sssp(Target):
    name = "sssp"
    share = 2.0

    def draw(self, rng, subject, device):
        if subject.n == 0:
            return None
        args = {"source": int(rng.integers(subject.n))}
        methods = METHODS_ON_CPU if device == "cpu" else METHODS_ON_CUDA
        device = perhaps_several(rng, device)
        methods = METHODS_ON_SEVERAL if isinstance(device, list) else methods
        common(rng, args, subject)
        maybe(rng, args, 0.85, "method", lambda: pick(rng, methods))
        maybe(rng, args, 0.25, "targets", lambda: vertices(rng, subject.n, 12))
        maybe(rng, args, 0.25, "limit", lambda: limit(rng, subject))
        maybe(rng, args, 0.1, "out", lambda: True)
        return {**args, "device": device}

    def source(self, args, subject):
        lines = []
        given = options(args, "source", "out")
        if args.get("out"):
            n = len(args["targets"]) if "targets" in args else subject.n
            lines = [f"out = np.full({n}, 7, {_dtype(args, subject)!r})"]
            given += ", out=out"
        return "\n".join([*lines, f"result = wg.sssp(graph, {args['source']}{given})"])

    def judge(self, args, world, result, error):
        dtype = world.distance_dtype(args.get("dtype"))
        if refuses_negative(args, world) and args.get("method", "auto") not in (
            "auto",
            "bellman_ford",
        ):
            return judge_error(error, {ValueError}, {OverflowError, MemoryError})
        found, tree = (None, None) if error else divided(args, result)
        if args.get("targets") == []:
            # Nothing is searched, but the weights may be checked.
            weighted = world.weighted(dtype, unweighted=args.get("unweighted", False))
            may = weighted.errors | {wg.NegativeCycleError}
            if "memory_limit" in args:
                may.add(MemoryError)
            if error or found.shape != (0,) or (tree is not None and (tree != -1).any()):
                return judge_error(error, set(), may)
            return None
        rows = None if error else found[None]
        trees = None if tree is None else tree[None]
        return judge_rows(args, world, [args["source"]], dtype, rows, trees, error)


def _dtype(args, subject) -> str:
    kind = subject.weight.dtype
    narrow = kind.kind == "f" and kind.itemsize == 4
    return args.get("dtype") or ("float32" if narrow else "float64")


class ManyToMany(Target):
    name = "many_to_many"
    share = 2.0
    largest = structures.LARGE

    def draw(self, rng, subject, device):
        n = subject.n
        if n == 0:
            return None
        many = rng.random() < 0.25 and n >= 60
        args = {"sources": vertices(rng, n, min(2 * n, 20))}
        if many:  # enough for batches, adjacent or apart
            count = int(rng.choice([16, 17, 64, 64, 128, 128, 512, 600]))
            args["sources"] = (np.arange(count) % n).tolist()
            if rng.random() < 0.3:
                args["sources"] = rng.integers(0, n, count).tolist()
        common(rng, args, subject)
        maybe(
            rng, args, 0.75, "method", lambda: pick(rng, ("auto", "dijkstra", "batched", "johnson"))
        )
        maybe(rng, args, 0.3, "targets", lambda: vertices(rng, n, 20))
        maybe(rng, args, 0.2, "limit", lambda: limit(rng, subject))
        maybe(rng, args, 0.12, "out", lambda: pick(rng, ("plain", "rows apart")))
        return {**args, "device": perhaps_several(rng, device)}

    def source(self, args, subject):
        lines = []
        given = options(args, "sources", "out")
        if args.get("out"):
            rows = len(args["sources"])
            columns = len(args["targets"]) if "targets" in args else subject.n
            apart = 3 if args["out"] == "rows apart" else 0
            lines = [f"out = np.full(({rows}, {columns + apart}), 7, {_dtype(args, subject)!r})"]
            lines += [f"out = out[:, :{columns}]"] * bool(apart)
            given += ", out=out"
        return "\n".join([*lines, f"result = wg.many_to_many(graph, {args['sources']}{given})"])

    def judge(self, args, world, result, error):
        negative = refuses_negative(args, world)
        if negative and args.get("method", "auto") not in ("auto", "johnson"):
            return judge_error(error, {ValueError}, {OverflowError, MemoryError})
        dtype = world.distance_dtype(args.get("dtype"))
        found, trees = (None, None) if error else divided(args, result)
        if not args["sources"] or args.get("targets") == []:
            return _judge_nothing(args, world, dtype, found, trees, error)
        if negative:
            return judge_negative(args, world, args["sources"], dtype, found, trees, error)
        return judge_rows(args, world, args["sources"], dtype, found, trees, error)


def _judge_nothing(args, world, dtype, found, trees, error):
    """Judge a call without sources or targets: weights need not be checked."""
    errors = world.weighted(dtype, unweighted=args.get("unweighted", False)).errors
    if error:
        return judge_error(error, set(), errors | {MemoryError})
    columns = len(args["targets"]) if "targets" in args else world.n
    wrong = first_difference(found, np.empty((len(args["sources"]), columns), dtype), "distances")
    if wrong is None and trees is not None:
        no_vertices = np.full((len(args["sources"]), world.n), -1, np.int32)
        wrong = first_difference(trees, no_vertices, "predecessors")
    return wrong


class Bfs(Target):
    name = "bfs"

    def draw(self, rng, subject, device):
        if subject.n == 0:
            return None
        args = {"source": int(rng.integers(subject.n))}
        maybe(rng, args, 0.3, "source", lambda: vertices(rng, subject.n, 9))
        maybe(rng, args, 0.3, "directed", lambda: False)
        maybe(rng, args, 0.5, "return_predecessors", lambda: True)
        maybe(rng, args, 0.3, "limit", lambda: pick(rng, (0, 1, 2, 5, 100, 2**40)))
        maybe(rng, args, 0.25, "targets", lambda: vertices(rng, subject.n, 12))
        maybe(rng, args, 0.04, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        maybe_progress(rng, args)
        return {**args, "device": perhaps_several(rng, device)}

    def source(self, args, subject):
        return f"result = wg.bfs(graph, {args['source']}{options(args, 'source')})"

    def judge(self, args, world, result, error):
        may = {MemoryError} if "memory_limit" in args else set()
        if error:
            return judge_error(error, set(), may)
        graph = world.weighted("int64", args.get("directed", True), True)
        most = args.get("limit", math.inf)
        several = isinstance(args["source"], list)
        sources = args["source"] if several else [args["source"]]
        hops = np.empty((len(sources), world.n), np.int32)
        trees = np.empty_like(hops)
        targets = args.get("targets", range(world.n))
        for i, source in enumerate(sources):
            reached = [-1 if d is None or d > most else d for d in graph.distances(source)]
            hops[i] = reached
            if all(reached[target] >= 0 for target in targets):
                most_wanted = max((reached[target] for target in targets), default=-1)
                reached = [-1 if d > most_wanted else d for d in reached]
            trees[i] = [
                p if h >= 0 else -1 for p, h in zip(graph.tree(source), reached, strict=True)
            ]
        hops = hops[:, list(targets)]
        found, found_trees = divided(args, result)
        wrong = first_difference(found, hops if several else hops[0], "hops")
        if wrong is None and found_trees is not None:
            wrong = first_difference(found_trees, trees if several else trees[0], "predecessors")
        return wrong


class ReconstructPath(Target):
    name = "reconstruct_path"
    share = 0.4

    def draw(self, rng, subject, device):
        if subject.n == 0:
            return None
        source = int(rng.integers(subject.n))
        if rng.random() < 0.3:
            return {"source": source, "target": int(rng.integers(subject.n)), "device": device}
        return {"source": source, "targets": vertices(rng, subject.n, 9), "device": device}

    def source(self, args, subject):
        one, where = args["source"], args["device"]
        tree = f"_, tree = wg.bfs(graph, {one}, return_predecessors=True, device={where!r})\n"
        if "target" in args:
            return tree + f"result = wg.reconstruct_path(tree, {one}, {args['target']})"
        return tree + f"result = wg.reconstruct_paths(tree, {one}, {args.get('targets', [])})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        graph = world.weighted("int64", True, True)
        tree, hops = graph.tree(args["source"]), graph.distances(args["source"])
        paths = []
        for at in [args["target"]] if "target" in args else args.get("targets", []):
            path = [] if hops[at] is None else [at]
            while path and path[-1] != args["source"]:
                path.append(tree[path[-1]])
            paths.append(path[::-1])
        if "target" in args:
            return first_difference(result, np.array(paths[0], np.int32), "path")
        indptr = np.cumsum([0, *map(len, paths)], dtype=np.int64)
        wrong = first_difference(result[0], indptr, "indptr")
        return wrong or first_difference(
            result[1], np.array([*chain(*paths)], np.int32), "vertices"
        )


#: The form of weights that keeps the type of NumPy.
SCALARS = "np.array(w).astype(data.dtype)[()]"


class SsspOfNetworkx(Target):
    """A NetworkX graph, whose vertices have names, with weights of any type and attribute."""

    name = "sssp, NetworkX"
    share = 0.4
    largest = structures.TILES
    needed = ("source", "kind", "device", "form", "weight")

    #: What stands for a weight w that is an integer or a float.
    forms = ("w", "repr(w)", SCALARS)
    #: Of floats alone, whose values these have: int64 is not rounded to float64.
    forms_of_floats = ("Decimal(w)", "Fraction(w) if math.isfinite(w) else w")

    def draw(self, rng, subject, device):
        if subject.n == 0:
            return None
        args = {"source": int(rng.integers(subject.n)), "device": device}
        is_float = subject.weight.dtype.kind == "f"
        args["form"] = pick(rng, self.forms + (self.forms_of_floats if is_float else ()))
        args["weight"] = pick(rng, ("weight", "length"))
        return {**args, "kind": pick(rng, ("MultiDiGraph", "MultiGraph"))}

    def source(self, args, subject):
        return (
            "import math\n"
            "from decimal import Decimal\n"
            "from fractions import Fraction\n"
            "import networkx as nx\n"
            f"theirs = nx.{args['kind']}()\n"
            "theirs.add_nodes_from(f'v{i}' for i in range(n))\n"
            "tails, heads, data = wg.Graph(graph).to_edges()\n"
            "edges = zip(tails.tolist(), heads.tolist(), data.tolist())\n"
            f"edges = ((f'v{{u}}', f'v{{v}}', {args['form']}) for u, v, w in edges)\n"
            f"theirs.add_weighted_edges_from(edges, weight={args['weight']!r})\n"
            f"weight = {args['weight']!r} if theirs.size() else 'weight'\n"
            f"result = wg.sssp(theirs, 'v{args['source']}', weight=weight, "
            f"device={args['device']!r})"
        )

    def judge(self, args, world, result, error):
        weight = world.edges.weight
        is_float32 = weight.dtype == np.float32 and args["form"] == SCALARS and len(weight) > 0
        dtype = "float32" if is_float32 else "float64"
        wide = weight.astype(dtype if weight.dtype.kind == "f" else np.int64)
        how = {"directed": args["kind"] == "MultiDiGraph"}
        other = oracles.World(world.edges.with_weights(wide))
        found = None if error else result[None]
        return judge_rows(how, other, [args["source"]], dtype, found, None, error)


#: The turns of an edge into an edge and their costs: some of all, by their numbers.
TURNS = (
    "kept = wg.Graph(graph)\n"
    "heads = kept.to_edges()[1].tolist()\n"
    "pairs = [(e, f) for e, v in enumerate(heads)\n"
    "         for f in range(int(kept.indptr[v]), int(kept.indptr[v + 1]))\n"
    "         if (7 * e + 3 * f + {seed}) % {every} == 0]\n"
    "costs = [(0, 1, 3, math.inf)[(5 * e + f + {seed}) % 4] for e, f in pairs]\n"
    "table = np.array(pairs, np.int64).reshape(-1, 2)\n"
    "turned = kept.with_turns(table[:, 0], table[:, 1], np.array(costs, float))\n"
)
CORNERS = (
    "import pandas as pd\n"
    "kept = wg.Graph(graph)\n"
    "tails, heads, _ = (part.tolist() for part in kept.to_edges())\n"
    "rows = [(tails[e], v, heads[f]) for e, v in enumerate(heads)\n"
    "        for f in range(int(kept.indptr[v]), int(kept.indptr[v + 1]))]\n"
    "rows = [row for row in rows if (7 * row[0] + 3 * row[2] + {seed}) % {every} == 0]\n"
    "rows = [(*row, (0.0, 1.0, 3.0, math.inf)[(5 * row[0] + row[2] + {seed}) % 4])\n"
    "        for row in rows]\n"
    "frame = pd.DataFrame(rows, columns=['from', 'via', 'to', 'cost'])\n"
    "table = rows if {seed} % 2 else frame[['cost', 'to', 'from', 'via']]\n"
    "turned = kept.with_turns(corners=table)\n"
)


class WithTurns(Target):
    name = "with_turns"
    table = TURNS

    @staticmethod
    def ends(rows, e, f):
        """Return the two numbers by which a turn is listed, and costs what it does."""
        return e, f

    share = 0.6
    largest = structures.SMALL
    needed = ("source", "seed", "every", "device")

    def draw(self, rng, subject, device):
        if subject.n == 0:
            return None
        args = {"source": int(rng.integers(subject.n)), "seed": int(rng.integers(8))}
        args["every"] = pick(rng, (1, 2, 5, 9))
        maybe(rng, args, 0.5, "dtype", lambda: pick(rng, DTYPES))
        return {**args, "device": device}

    def source(self, args, subject):
        given = options(args, "source", "seed", "every")
        table = self.table.format(**args)
        return f"import math\n{table}result = wg.sssp(turned, {args['source']}{given})"

    def judge(self, args, world, result, error):
        if world.has_negative:
            return judge_error(error, {ValueError}, {OverflowError})
        dtype = world.distance_dtype(args.get("dtype"))
        line, overflows = _line_graph(world.rows, args, self.ends)
        graph = oracles.World(line).weighted(dtype)
        may = graph.errors | ({OverflowError} if overflows else set())
        may |= world.weighted(dtype).errors
        if error or graph.errors or overflows:
            # Sums of integers along paths may not fit, too.
            may |= {OverflowError} if np.dtype(dtype).kind == "i" else set()
            return judge_error(error, set(), may)
        found = graph.distances(line.n - 1)
        least = [math.inf] * world.n
        for head, distance in zip(world.rows.head.tolist(), found[:-1], strict=True):
            if distance is not None:
                least[head] = min(least[head], distance)
        least[args["source"]] = 0
        far = oracles.largest(dtype)
        if far != math.inf and any(far <= d < math.inf for d in least):
            return "expected OverflowError, got a result"
        expected = np.array([far if d == math.inf else d for d in least], dtype)
        return first_difference(result, expected, "distances")


class WithCorners(WithTurns):
    """Turns by their vertices: parallel edges have the same."""

    name = "with_turns, corners"
    table = CORNERS

    @staticmethod
    def ends(rows, e, f):
        return int(rows.tail[e]), int(rows.head[f])


def _line_graph(rows: Edges, args, ends) -> tuple[Edges, bool]:
    """Return the graph of edges, and whether a weight and a cost do not fit one number.

    Its last vertex leads to the edges that leave the source.
    """
    kind = _dtype_of_turns(rows.weight.dtype)
    heads, weights, m = rows.head.tolist(), rows.weight.tolist(), len(rows.head)
    first = np.searchsorted(rows.tail, np.arange(rows.n + 1)).tolist()
    arcs = [(m, e, weights[e]) for e in range(first[args["source"]], first[args["source"] + 1])]
    for e, v in enumerate(heads):
        for f in range(first[v], first[v + 1]):
            a, b = ends(rows, e, f)
            is_listed = (7 * a + 3 * b + args["seed"]) % args["every"] == 0
            cost = (0, 1, 3, math.inf)[(5 * a + b + args["seed"]) % 4] if is_listed else 0
            if cost != math.inf:
                # The sum of floats is rounded to their type.
                total = (
                    weights[f] + cost
                    if kind.kind == "i"
                    else float(kind.type(weights[f]) + kind.type(cost))
                )
                arcs.append((e, f, total))
    tails, ends, sums = zip(*arcs, strict=True) if arcs else ((), (), ())
    largest = int(np.iinfo(kind).max) if kind.kind == "i" else math.inf
    overflows = kind.kind == "i" and any(total >= largest for total in sums)
    line = (np.array(side, np.int64) for side in (tails, ends))
    return Edges(m + 1, *line, np.array([0 if overflows else s for s in sums], kind)), overflows


def _dtype_of_turns(kind: np.dtype) -> np.dtype:
    if kind.kind == "f":
        return kind if kind.itemsize >= 4 else np.dtype(np.float32)
    is_wide = kind.itemsize == 8 or (kind.kind == "u" and kind.itemsize == 4)
    return np.dtype(np.int64 if is_wide else np.int32)


TARGETS = [Sssp(), SsspOfNetworkx(), ManyToMany(), Bfs(), ReconstructPath(), WithTurns()]
TARGETS.append(WithCorners())
