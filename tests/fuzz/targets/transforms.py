"""Generated graphs, Graph and wg.transform; and the filter of arrays.

Generated graphs and points are the same on any number of threads, with the requested properties.
"""

from __future__ import annotations

import math

import numpy as np

import warpgraph as wg
from fuzz import structures
from fuzz.searches import judge_error
from fuzz.targets.base import (
    DTYPES,
    Target,
    first_difference,
    maybe,
    maybe_progress,
    options,
    pick,
)
from fuzz.targets.forests import normal

BOUNDS = (0, 0.5, -0.5, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63), 1e300, math.inf, -math.inf)
#: Of generated graphs.
WEIGHTS = ((1, 9), (0, 0), (-5, 5), (0, 2**31 - 1), (0, 2**40), (-(2**62), 2**62))
MEMORY_LIMITS = (1, 10**4, 10**6, 10**8)


def entries_of(graph) -> list[tuple]:
    """Return (tail, head, weight) of each entry of a Graph, in its order."""
    return list(zip(*(array.tolist() for array in graph.to_edges()), strict=True))


def arrays_of(rows):
    """Return the CSR arrays of entries in the order of their rows."""
    indptr = np.searchsorted(rows.tail, np.arange(rows.n + 1))
    return indptr, rows.head.astype(np.int32), normal(rows.weight)


def judge_graph(graph, rows, name="graph") -> str | None:
    """Compare a Graph with the expected entries."""
    indptr, indices, data = arrays_of(rows)
    wrong = first_difference(np.asarray(graph.indptr, int), indptr, f"{name}.indptr")
    wrong = wrong or first_difference(graph.indices, indices, f"{name}.indices")
    return wrong or first_difference(graph.data, data, f"{name}.data")


class GraphItself(Target):
    """The contents of a Graph."""

    name = "Graph"
    share = 0.5

    def draw(self, rng, subject, device):
        return {"form": pick(rng, ("Graph", "to_csr", "to_edges")), "device": device}

    needed = ("form", "device")

    def source(self, args, subject):
        how = {"Graph": "wg.Graph(graph)", "to_csr": "wg.Graph(wg.Graph(graph).to_csr())"}
        edges = "wg.Graph.from_edges(*wg.Graph(graph).to_edges(), n_vertices=n)"
        return f"result = {how.get(args['form'], edges)}"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        return judge_graph(result, world.rows)


class DenseGraph(Target):
    """A matrix by SciPy's rules: 0, inf and NaN are no edges, but 0 is one in a masked array."""

    name = "Graph of a matrix"
    subject = "matrix"
    share = 0.5
    vertices = ()

    def draw(self, rng, subject, device):
        return {"masked": bool(rng.random() < 0.2)}

    def source(self, args, subject):
        masked = "np.ma.masked_array(matrix, matrix == 1)"
        return f"result = wg.Graph({masked if args.get('masked') else 'matrix'})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        matrix = world.edges.array
        absent = 1 if args.get("masked") else 0
        expected = [
            (i, j, w)
            for i, row in enumerate(matrix.tolist())
            for j, w in enumerate(row)
            if w != absent and abs(w) < np.inf
        ]
        if result.n_vertices != len(matrix) or entries_of(result) != expected:
            return f"expected entries {expected}, got {entries_of(result)}"
        return first_difference(result.data[:0], normal(matrix.ravel())[:0], "data")


class SortByWeight(Target):
    name = "transform.sort_by_weight"
    share = 0.5

    def draw(self, rng, subject, device):
        args = {}
        maybe(rng, args, 0.4, "descending", lambda: True)
        return {**args, "device": device}

    def source(self, args, subject):
        return f"result = wg.transform.sort_by_weight(graph{options(args)})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        rows = world.rows
        rank = np.unique(normal(rows.weight), return_inverse=True)[1].reshape(-1)
        order = np.lexsort((-rank if args.get("descending") else rank, rows.tail))
        wrong = first_difference(result.edge_ids, order.astype(np.int64), "edge_ids")
        return wrong or judge_graph(result.graph, rows.take(order))


class Permute(Target):
    name = "transform.permute, reorder"
    share = 0.6
    largest = structures.MEDIUM

    def draw(self, rng, subject, device):
        return {"how": pick(rng, ("permute", "communities", "degree", "rcm"))}

    needed = ("how",)

    def source(self, args, subject):
        if args["how"] == "permute":
            return "result = wg.transform.permute(graph, np.arange(n)[::-1])"
        return f"result = wg.transform.reorder(graph, {args['how']!r})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        order = result.order.tolist()
        if sorted(order) != list(range(world.n)):
            return f"order is no permutation: {order}"
        if args["how"] == "permute" and order != list(range(world.n))[::-1]:
            return f"order: expected the one given, got {order}"
        inverse = np.empty(world.n, np.int32)
        inverse[result.order] = np.arange(world.n)
        wrong = first_difference(result.inverse, inverse, "inverse")
        rows = world.rows
        ids = np.argsort(inverse[rows.tail], kind="stable")
        wrong = wrong or first_difference(result.edge_ids, ids.astype(np.int64), "edge_ids")
        moved = type(rows)(rows.n, inverse[rows.tail], inverse[rows.head], rows.weight)
        return wrong or judge_graph(result.graph, moved.take(ids))


class RankWeights(Target):
    name = "transform.rank_weights"
    share = 0.5

    def draw(self, rng, subject, device):
        return {"device": device}

    def source(self, args, subject):
        return f"result = wg.transform.rank_weights(graph{options(args)})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        values, ranks = np.unique(normal(world.rows.weight), return_inverse=True)
        wrong = first_difference(result.values, values + values.dtype.type(0), "values")
        if wrong is None and result.first_rank != 0:
            wrong = f"first_rank: expected 0, got {result.first_rank}"
        ranks = ranks.reshape(-1).astype(np.int32)
        return wrong or first_difference(result.graph.data, ranks, "ranks")


class Compress(Target):
    name = "transform.compress"
    share = 0.5

    def draw(self, rng, subject, device):
        args = {}
        maybe(rng, args, 0.6, "block_bits", lambda: pick(rng, (0, 1, 2, 4, 8)))
        return args

    def source(self, args, subject):
        given = options(args)
        return (
            f"small = wg.transform.compress(graph{given})\n"
            "result = small.decompress(), [small.neighbours(v) for v in range(n)]"
        )

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        graph, neighbours = result
        indptr, indices, _ = arrays_of(world.rows)
        for v, found in enumerate(neighbours):
            wrong = first_difference(
                np.asarray(found, np.int32), indices[indptr[v] : indptr[v + 1]], f"neighbours({v})"
            )
            if wrong:
                return wrong
        return judge_graph(graph, world.rows)


class PredicateFilter(Target):
    """Against Python's own comparisons, which are exact for integers and floats."""

    name = "predicate_filter"
    subject = "values"
    vertices = ()
    share = 0.5

    def draw(self, rng, subject, device):
        if device != "cpu":
            return None
        array = subject.array.ravel()

        def bound():
            if len(array) == 0 or rng.random() < 0.3:
                return pick(rng, BOUNDS)
            value = array[int(rng.integers(len(array)))].item()
            return 0 if value != value else value + pick(rng, (0, 0, 1, -1, 0.5))

        args = {"device": pick(rng, ("cpu", ["cpu"], ["cpu"] * 2, ["cpu"] * 5))}
        maybe(rng, args, 0.8, "low", bound)
        maybe(rng, args, 0.8, "high", bound)
        maybe(rng, args, 0.3, "out", lambda: pick(rng, (0, len(array) // 2, len(array) + 3)))
        maybe(rng, args, 0.1, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        maybe_progress(rng, args)
        return args

    def source(self, args, subject):
        given, before, after = options(args, "out"), [], []
        if "out" in args:
            before = [f"out = np.full({args['out']}, 7, values.dtype.newbyteorder('='))"]
            after = ["assert (out[len(result):] == 7).all()"]
            given += ", out=out"
        return "\n".join([*before, f"result = wg.predicate_filter(values{given})", *after])

    def judge(self, args, world, result, error):
        expected = self.expected(args, world.edges.array.ravel())
        must = {ValueError} if args.get("out", len(expected)) < len(expected) else set()
        may = {MemoryError} if "memory_limit" in args else set()
        wrong = judge_error(error, must, may)
        return wrong if wrong or error else first_difference(result, expected, "values")

    @staticmethod
    def expected(args, array):
        low, high = args.get("low"), args.get("high")
        passes = [
            (low is None or value >= low) and (high is None or value <= high)
            for value in array.tolist()
        ]
        return array[np.array(passes, bool)]


class Generated(Target):
    subject = "nothing"
    share = 0.25
    vertices = ()

    def __init__(self, function: str) -> None:
        self.name, self.function = f"generators.{function}", function

    needed = ("scale", "rows", "cols")

    def draw(self, rng, subject, device):
        args = {"scale": int(rng.integers(0, 8))}
        if self.function == "grid":
            args = {"rows": int(rng.integers(0, 12)), "cols": int(rng.integers(0, 12))}
            maybe(rng, args, 0.3, "removed", lambda: pick(rng, (0.1, 0.5, 1.0)))
        elif self.function == "rmat":
            args["edge_factor"] = int(rng.integers(0, 9))
            maybe(rng, args, 0.3, "directed", lambda: True)
            maybe(rng, args, 0.3, "keep_loops", lambda: True)
            maybe(rng, args, 0.3, "parameters", lambda: "graphhpc")
        if self.function != "grid":
            maybe(rng, args, 0.3, "keep_duplicates", lambda: True)
            maybe(rng, args, 0.3, "relabel", lambda: False)
        args["seed"] = int(rng.integers(2**32))
        maybe(rng, args, 0.6, "weights", lambda: pick(rng, (*WEIGHTS, None)))
        maybe(rng, args, 0.3, "dtype", lambda: pick(rng, DTYPES))
        return args

    def source(self, args, subject):
        return f"result = wg.{self.name}({options(args)[2:]})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), self._may_refuse(args))
        n = args["rows"] * args["cols"] if self.function == "grid" else 2 ** args["scale"]
        if result.n_vertices != n:
            return f"expected {n} vertices, got {result.n_vertices}"
        entries = entries_of(result)
        return self._judge_edges(args, entries) or self._judge_weights(args, result, entries)

    def _may_refuse(self, args):
        """Weights that do not fit the dtype; a uniform number is no integer."""
        return {ValueError, OverflowError, TypeError} if "dtype" in args else set()

    def _judge_edges(self, args, entries):
        ends = [(u, v) for u, v, _ in entries]
        if not args.get("directed"):
            if sorted(ends) != sorted((v, u) for u, v in ends):
                return "edges do not lie both ways"
            if sorted(entries) != sorted((v, u, w) for u, v, w in entries):
                return "the two directions of an edge differ in weight"
        if not args.get("keep_duplicates") and len(set(ends)) != len(ends):
            return "an edge is there twice"
        if not args.get("keep_loops") and any(u == v for u, v in ends):
            return "there is a loop"
        if self.function == "grid":
            columns = args["cols"]
            whole = {(v, v + 1) for v in range(args["rows"] * columns) if (v + 1) % columns}
            whole |= {(v, v + columns) for v in range((args["rows"] - 1) * columns)}
            upper = {(u, v) for u, v in ends if u < v}
            if not upper <= whole or ("removed" not in args and upper != whole):
                return f"edges that are no grid: {sorted(upper ^ whole)}"
        return None

    def _judge_weights(self, args, result, entries):
        rule = args.get("weights", "uniform")
        weights = [w for _, _, w in entries]
        low, high = {"uniform": (0, 1), None: (1, 1)}.get(rule, rule)
        if not all(low <= w <= high for w in weights):
            return f"weights beyond {low}..{high}: {weights}"
        before = wg.get_num_threads()
        wg.set_num_threads(1)
        again = getattr(wg.generators, self.function)(**args)
        wg.set_num_threads(before)
        wrong = first_difference(result.indices, again.indices, "indices")
        return wrong or first_difference(result.data, again.data, "data")


class RandomPoints(Target):
    name = "generators.random_points"
    subject = "nothing"
    share = 0.25
    vertices = ()
    needed = ("n", "dim")

    def draw(self, rng, subject, device):
        args = {"n": int(rng.integers(0, 300)), "dim": int(rng.integers(1, 10))}
        args["seed"] = int(rng.integers(2**32))
        maybe(rng, args, 0.6, "dist", lambda: pick(rng, ("uniform", "normal", "blobs")))
        maybe(rng, args, 0.4, "dtype", lambda: "float32")
        return args

    def source(self, args, subject):
        given = options(args)[2:]
        return f"result = wg.generators.random_points({given}, return_labels=True)"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        points, labels = result
        if points.shape != (args["n"], args["dim"]) or labels.shape != (args["n"],):
            return f"shapes: got {points.shape} and {labels.shape}"
        if not np.isfinite(points).all() or not ((labels >= 0) & (labels < 10)).all():
            return "points are not finite, or labels no blobs"
        if args.get("dist", "uniform") == "uniform" and not ((points >= 0) & (points < 1)).all():
            return "points outside the unit cube"
        before = wg.get_num_threads()
        wg.set_num_threads(1)
        again = wg.generators.random_points(**args)
        wg.set_num_threads(before)
        return first_difference(points, again, "points")


TARGETS = [
    GraphItself(),
    DenseGraph(),
    SortByWeight(),
    Permute(),
    RankWeights(),
    Compress(),
    PredicateFilter(),
]
TARGETS += [Generated("rmat"), Generated("ssca2"), Generated("grid"), RandomPoints()]
