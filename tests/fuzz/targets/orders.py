"""Targets: orders of searches, components, dense parts, and the k shortest paths."""

from __future__ import annotations

import itertools
import math

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from fuzz import structures
from fuzz.oracles import dense_parts
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
from fuzz.targets.paths import MEMORY_LIMITS

#: Simple paths that the oracle enumerates at most.
MOST_PATHS = 3000


def heads(world, args) -> list[set[int]]:
    """Return the vertices to which edges lead from each vertex."""
    graph = world.weighted("int64", args.get("directed", True), True)
    return [{v for v, _ in row} for row in graph.out]


class Order(Target):
    share = 0.6
    largest = structures.MEDIUM

    def draw(self, rng, subject, device):
        if subject.n == 0 or device != "cpu":
            return None
        args = {"source": int(rng.integers(subject.n)), "return_predecessors": True}
        maybe(rng, args, 0.4, "directed", lambda: False)
        maybe(rng, args, 0.04, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        maybe_progress(rng, args)
        return {**args, "device": device}

    def source(self, args, subject):
        return f"result = wg.{self.name}(graph, {args['source']}{options(args, 'source')})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), {MemoryError} if "memory_limit" in args else set())
        order, tree = (part.tolist() for part in result)
        out, source = heads(world, args), args["source"]
        reached = [-1 if d is None else d for d in self.hops(world, args)]
        if sorted(order) != [v for v, hops in enumerate(reached) if hops >= 0]:
            return f"the order has other vertices than are reached: {order}"
        if order[0] != source or tree[source] != -1:
            return f"the order begins with {order[0]}, predecessor {tree[order[0]]}"
        if any(p != -1 for v, p in enumerate(tree) if reached[v] < 0):
            return "a vertex that is not reached has a predecessor"
        if any(v not in out[tree[v]] for v in order[1:]):
            return "no edge leads from a predecessor to its vertex"
        return self.judge_order(order, tree, out, reached)

    def hops(self, world, args):
        graph = world.weighted("int64", args.get("directed", True), True)
        return graph.distances(args["source"])

    def judge_order(self, order, tree, out, hops) -> str | None:
        raise NotImplementedError


class BreadthFirst(Order):
    name = "breadth_first_order"

    def judge_order(self, order, tree, out, hops):
        place = {v: i for i, v in enumerate(order)}
        places = [place[tree[v]] for v in order[1:]]
        if places != sorted(places):
            return "vertices do not come in the order of their predecessors"
        for v in order[1:]:
            if min(place[u] for u in order if v in out[u]) != place[tree[v]]:
                return f"the predecessor of {v} is not the first vertex with an edge to it"
        return None


class DepthFirst(Order):
    name = "depth_first_order"

    def judge_order(self, order, tree, out, hops):
        path, seen = [order[0]], {order[0]}
        for v in order[1:]:
            while path[-1] != tree[v]:
                if not out[path.pop()] <= seen:
                    return f"the search leaves a vertex before its edges are followed, at {v}"
                if not path:
                    return f"the predecessor of {v} is not on the path of the search"
            path.append(v)
            seen.add(v)
        return None


class KShortestPaths(Target):
    name = "k_shortest_paths"
    share = 0.6
    largest = structures.SMALL
    needed = (*Target.needed, "k", "dtype")

    def draw(self, rng, subject, device):
        if subject.n == 0 or device != "cpu":
            return None
        source, target = (int(v) for v in rng.integers(subject.n, size=2))
        args = {"source": source, "target": target, "k": int(pick(rng, (1, 2, 5, 20, 5000)))}
        maybe(rng, args, 0.3, "directed", lambda: False)
        maybe(rng, args, 0.2, "unweighted", lambda: True)
        maybe(rng, args, 0.04, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        return {**args, "dtype": "float64", "device": device}

    def source(self, args, subject):
        given = f"{args['source']}, {args['target']}, {args['k']}"
        return (
            f"result = wg.k_shortest_paths(graph, {given}{options(args, 'source', 'target', 'k')})"
        )

    def judge(self, args, world, result, error):
        unweighted = args.get("unweighted", False)
        graph = world.weighted("float64", args.get("directed", True), unweighted)
        may = {MemoryError} if "memory_limit" in args else set()
        if graph.errors or (world.has_negative and not unweighted):
            may |= {ValueError, OverflowError}  # a negative cycle, or weights that are refused
        if error:
            return judge_error(error, set(), may)
        lightest: list[dict[int, float]] = [{} for _ in graph.out]
        for u, row in enumerate(graph.out):
            for v, w in row:
                lightest[u][v] = min(w, lightest[u].get(v, math.inf))
        lengths, paths = result
        found = [tuple(path.tolist()) for path in paths]
        if len(set(found)) != len(found) or any(len(set(path)) != len(path) for path in found):
            return "a path is returned twice, or has a vertex twice"
        if any((path[0], path[-1]) != (args["source"], args["target"]) for path in found):
            return "a path has other ends"
        sums = [length_of(path, lightest) for path in found]
        if not close(lengths, sums):
            return f"lengths are {lengths}, edges add up to {sums}"
        if any(a > b for a, b in itertools.pairwise(lengths)):
            return f"lengths do not ascend: {lengths}"
        every = simple_paths(lightest, args["source"], args["target"])
        if every is None:
            return None
        every_length = sorted(length_of(path, lightest) for path in every)
        expected = [length for length in every_length if math.isfinite(length)][: args["k"]]
        return None if close(lengths, expected) else f"lengths are {lengths}, expected {expected}"


def length_of(path, lightest) -> float:
    return float(sum(lightest[u].get(v, math.nan) for u, v in itertools.pairwise(path)))


def close(found, expected) -> bool:
    if len(found) != len(expected):
        return False
    scale = max((abs(x) for x in expected), default=0.0)
    return bool(np.allclose(found, expected, rtol=1e-9, atol=1e-9 * scale))


def simple_paths(lightest, source, target) -> list[tuple[int, ...]] | None:
    """Return all paths without repeated vertices; None if there are too many."""
    every, stack = [], [(source,)]
    for _ in range(20 * MOST_PATHS):
        if not stack:
            return every
        path = stack.pop()
        if path[-1] == target:
            every.append(path)
            continue
        stack += [(*path, v) for v in lightest[path[-1]] if v not in path]
    return None


class ConnectedComponents(Target):
    name = "connected_components"
    share = 1.5

    def draw(self, rng, subject, device):
        args = {}
        maybe(rng, args, 0.6, "connection", lambda: pick(rng, ("strong", "strong", "weak")))
        maybe(rng, args, 0.2, "directed", lambda: False)
        maybe(rng, args, 0.05, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        weak = args.get("connection", "weak") == "weak"
        return {**args, "device": perhaps_several(rng, device) if weak else device}

    def source(self, args, subject):
        return f"result = wg.connected_components(graph{options(args)})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), {MemoryError} if "memory_limit" in args else set())
        count, labels = scipys_components(world, args)
        if result[0] != count:
            return f"n_components: expected {count}, got {result[0]}"
        return first_difference(result[1], labels, "labels")


def scipys_components(world, args):
    """Return SciPy's components, numbered in the order of their smallest vertices."""
    if world.n == 0:
        return 0, np.empty(0, np.int32)
    pairs = (np.ones(len(world.edges.tail)), (world.edges.tail, world.edges.head))
    matrix = sp.coo_array(pairs, shape=(world.n, world.n)).tocsr()
    strong = args.get("connection") == "strong" and args.get("directed", True)
    count, labels = csgraph.connected_components(
        matrix, directed=True, connection="strong" if strong else "weak"
    )
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(count, np.int32)
    rank[np.argsort(first)] = np.arange(count)
    return count, rank[inverse].astype(np.int32)


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
            return judge_error(error, set(), {MemoryError} if "memory_limit" in args else set())
        return self.difference(
            world.once("neighbours", lambda: dense_parts.neighbours(world.rows)), result
        )

    def difference(self, neighbours, result) -> str | None:
        """Return what is wrong with a result."""
        raise NotImplementedError


class CoreNumbers(_OfStructure):
    name = "core_numbers"

    def difference(self, neighbours, result):
        return first_difference(result, dense_parts.cores(neighbours), "cores")


class TrussNumbers(_OfStructure):
    name = "truss_numbers"
    largest = structures.SMALL

    def difference(self, neighbours, result):
        expected = dense_parts.trusses(neighbours)
        rows = np.repeat(np.arange(result.shape[0]), np.diff(result.indptr))
        found = dict(
            zip(
                zip(rows.tolist(), result.indices.tolist(), strict=True),
                result.data.tolist(),
                strict=True,
            )
        )
        wrong = [edge for edge in expected.keys() | found if expected.get(edge) != found.get(edge)]
        if not wrong:
            return None
        edge = min(wrong)
        return f"truss of {edge}: expected {expected.get(edge)}, got {found.get(edge)}"


class Triangles(_OfStructure):
    name = "triangles"

    def difference(self, neighbours, result):
        return first_difference(result, dense_parts.triangles(neighbours), "triangles")


class ClusteringCoefficients(_OfStructure):
    name = "clustering_coefficients"

    def difference(self, neighbours, result):
        counts = dense_parts.triangles(neighbours).tolist()
        pairs = [len(others) * (len(others) - 1) // 2 for others in neighbours]
        shares = [t / n if t else 0.0 for t, n in zip(counts, pairs, strict=True)]
        return first_difference(result, np.array(shares, float), "shares")


class Transitivity(_OfStructure):
    name = "transitivity"

    def difference(self, neighbours, result):
        n_closed = int(dense_parts.triangles(neighbours).sum())
        n_pairs = sum(len(others) * (len(others) - 1) // 2 for others in neighbours)
        expected = n_closed / n_pairs if n_closed else 0.0
        return None if result == expected else f"expected {expected!r}, got {result!r}"


class LeidenCommunities(Target):
    """Communities whose quality is that of its definition, and whose vertices are connected."""

    name = "leiden_communities"
    largest = structures.MEDIUM
    needed = ("device",)
    chooses_quality = True

    def draw(self, rng, subject, device):
        if device != "cpu":
            return None
        args = {}
        if self.chooses_quality:
            maybe(rng, args, 0.3, "quality", lambda: "cpm")
            maybe(rng, args, 0.5, "resolution", lambda: pick(rng, (0, 0.25, 2, 7)))
        maybe(rng, args, 0.5, "unweighted", lambda: True)
        maybe(rng, args, 0.5, "seed", lambda: int(rng.integers(9)))
        maybe(rng, args, 0.06, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        maybe_progress(rng, args)
        return {**args, "device": device}

    def source(self, args, subject):
        return f"result = wg.{self.name}(graph{options(args)})"

    def judge(self, args, world, result, error):
        may = {MemoryError} if "memory_limit" in args else set()
        reads = not args.get("unweighted", False)
        weights = np.asarray(world.rows.weight)
        if reads and ((weights < 0) | ~np.isfinite(weights.astype(float))).any():
            return judge_error(error, {ValueError}, may)
        if error:
            return judge_error(error, set(), may)
        labels = result.labels.tolist()
        firsts = list(dict.fromkeys(labels))
        if firsts != list(range(result.n_communities)):
            return f"labels are not numbered in order: {firsts}"
        edges = dense_parts.undirected(world.rows, reads_weights=reads)
        if reads and sum(map(abs, weights.tolist())) > 1e300:
            return None  # beyond the range of float64
        how = {"cpm": args.get("quality") == "cpm", "resolution": args.get("resolution", 1)}
        expected, scale = dense_parts.quality(edges, labels, **how)
        if abs(result.quality - expected) > 1e-6 * scale:
            return f"quality: expected {expected!r}, got {result.quality!r}"
        alone, _ = dense_parts.quality(edges, list(range(world.n)), **how)
        if self.name != "label_propagation_communities" and expected < alone - 1e-6 * scale:
            return f"quality {expected!r} is less than {alone!r} of vertices alone"
        return None


class LouvainCommunities(LeidenCommunities):
    name = "louvain_communities"


class LabelPropagationCommunities(LeidenCommunities):
    name = "label_propagation_communities"
    chooses_quality = False


class Matchings(Target):
    """Pairs of rows and columns, beside a flow from all rows to all columns."""

    name = "csgraph.maximum_bipartite_matching"
    share = 0.6
    largest = structures.SMALL
    needed = ("device",)

    def draw(self, rng, subject, device):
        return {"device": device} if device == "cpu" else None

    def source(self, args, subject):
        return (
            "matrix = wg.Graph(graph).to_csr()\n"
            "found = wg.csgraph.maximum_bipartite_matching(matrix, perm_type='column')\n"
            "result = found.tolist(), int(wg.csgraph.structural_rank(matrix))"
        )

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        columns, rank = result
        out, most = heads(world, args), world.once("matching", lambda: _size_of_matching(world))
        matched = [v for v in columns if v >= 0]
        if len(set(matched)) < len(matched) or len(columns) != world.n:
            return f"no matching: {columns}"
        if any(v >= 0 and v not in out[u] for u, v in enumerate(columns)):
            return f"rows are matched without an entry: {columns}"
        if (len(matched), rank) != (most, most):
            return f"expected {most} pairs, got {len(matched)} and the rank {rank}"
        return None


def _size_of_matching(world) -> int:
    n = world.n
    pairs = {(u, n + v) for u, row in enumerate(heads(world, {})) for v in row}
    ends = [(2 * n, u) for u in range(n)] + [(n + v, 2 * n + 1) for v in range(n)]
    tail, head = np.array([*sorted(pairs), *ends], int).reshape(-1, 2).T
    arcs = np.ones(len(tail), np.int32), (tail, head)
    capacity = sp.csr_array(arcs, shape=(2 * n + 2, 2 * n + 2))
    return int(csgraph.maximum_flow(capacity, 2 * n, 2 * n + 1).flow_value)


TARGETS = (
    BreadthFirst(),
    DepthFirst(),
    KShortestPaths(),
    ConnectedComponents(),
    CoreNumbers(),
    TrussNumbers(),
    Triangles(),
    ClusteringCoefficients(),
    Transitivity(),
    LeidenCommunities(),
    LouvainCommunities(),
    LabelPropagationCommunities(),
    Matchings(),
)
