"""Storage and conversion of graphs: Graph and wg.transform."""

from __future__ import annotations

import numpy as np

from fuzz import structures
from fuzz.searches import judge_error
from fuzz.targets.base import Target, first_difference, maybe, options, pick
from fuzz.targets.forests import normal


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


TARGETS = [
    GraphItself(),
    DenseGraph(),
    SortByWeight(),
    Permute(),
    RankWeights(),
    Compress(),
]
