"""Simple versions of the algorithms: slow, short and easy to verify. Tests compare with these.

Graphs are SciPy CSR arrays, as in tests/graphs.py.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import itertools
from collections import Counter
from fractions import Fraction

import numpy as np

#: The most results that `kept` keeps of an oracle.
KEPT = 2000


def kept(oracle=None, *, at_most=KEPT):
    """Keep the results of an oracle, which tests need for each device, method and dtype.

    Graphs are the same if their arrays are; a test may change them, and the result.
    """
    if oracle is None:
        return functools.partial(kept, at_most=at_most)
    results = {}

    @functools.wraps(oracle)
    def of_graph(graph, *args, **options):
        arrays = [np.ascontiguousarray(a) for a in (graph.indptr, graph.indices, graph.data)]
        if any(array.dtype.kind == "O" for array in arrays):
            return oracle(graph, *args, **options)
        digest = hashlib.sha1(usedforsecurity=False)
        for array in arrays:
            digest.update(array.view(np.uint8))
        types = tuple(array.dtype for array in arrays)
        key = digest.digest(), types, graph.shape, args, tuple(sorted(options.items()))
        if key not in results:
            if len(results) == at_most:
                del results[next(iter(results))]
            results[key] = oracle(graph, *args, **options)
        return copy.copy(results[key])

    return of_graph


def arcs(graph, directed=True):
    """Return (tail, head, weight) of every stored entry; undirected: also reversed."""
    tail = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    head, weight = graph.indices.astype(int), graph.data
    if directed:
        return tail, head, weight
    return np.r_[tail, head], np.r_[head, tail], np.r_[weight, weight]


def unreachable(dtype):
    """Return the distance of unreachable vertices."""
    dtype = np.dtype(dtype)
    return dtype.type(np.inf if dtype.kind == "f" else np.iinfo(dtype).max)


@kept
def distances(graph, source, *, dtype=np.float64, directed=True, limit=np.inf):
    """Bellman and Ford: relax every edge until nothing changes; None for a negative cycle.

    Sums are rounded to `dtype` edge by edge from the source on, as every method promises.
    """
    tail, head, weight = arcs(graph, directed)
    used = weight != np.inf
    tail, head, weight = tail[used], head[used], weight[used]
    weight, far = weight.astype(dtype), unreachable(dtype)
    distance = np.full(graph.shape[0], far)
    distance[source] = 0
    for _ in range(graph.shape[0] + 1):
        usable = distance[tail] != far
        through = distance[tail[usable]] + weight[usable]
        relaxed = distance.copy()
        np.minimum.at(relaxed, head[usable], through)
        if (relaxed == distance).all():
            return np.where(distance <= np.float64(limit), distance, far)
        distance = relaxed
    return None


def whole_distances(graph, source):
    """Bellman and Ford in integers of any length; None for unreachable vertices.

    Weights of inf are no edges. ValueError for a negative cycle.
    """
    tail, head, weight = (array.tolist() for array in arcs(graph))
    edges = [
        (u, v, int(w)) for u, v, w in zip(tail, head, weight, strict=True) if w != float("inf")
    ]
    distance = [None] * graph.shape[0]
    distance[source] = 0
    for _ in range(graph.shape[0] + 1):
        before = list(distance)
        for u, v, w in edges:
            if distance[u] is not None and (distance[v] is None or distance[u] + w < distance[v]):
                distance[v] = distance[u] + w
        if distance == before:
            return distance
    raise ValueError("the graph has a negative cycle")


def all_distances(graph, *, dtype=np.float64, directed=True):
    """Floyd and Warshall in numbers of 64 bits or more precision; None for a negative cycle.

    Weights are rounded to `dtype` first; rounding of the sums is negligible.
    """
    tail, head, weight = arcs(graph, directed)
    matrix = np.full(graph.shape, np.inf, np.longdouble)
    np.fill_diagonal(matrix, 0)
    np.minimum.at(matrix, (tail, head), weight.astype(dtype).astype(np.longdouble))
    for k in range(graph.shape[0]):
        if matrix[k, k] < 0:
            return None
        matrix = np.minimum(matrix, matrix[:, k : k + 1] + matrix[k])
    return matrix


@kept
def hops(graph, source, *, directed=True, limit=None):
    """Breadth-first search, level by level; -1 for unreachable vertices."""
    tail, head, _ = arcs(graph, directed)
    level = np.full(graph.shape[0], -1, np.int32)
    level[source] = 0
    for depth in range(graph.shape[0] if limit is None else limit):
        found = head[level[tail] == depth]
        if not found.size:
            break
        level[found[level[found] < 0]] = depth + 1
    return level


def smallest_predecessors(graph, hops, *, directed=True):
    """Return the predecessors by the definition in wg.bfs, from the hops."""
    tail, head, _ = arcs(graph, directed)
    nearer = (hops[tail] >= 0) & (hops[tail] + 1 == hops[head])
    smallest = np.full(graph.shape[0], graph.shape[0], np.int32)
    np.minimum.at(smallest, head[nearer], tail[nearer])
    return np.where(smallest == graph.shape[0], -1, smallest)


def both_directions(graph):
    """Return (tail, head, weight) of a graph whose edges have no direction; loops count once.

    Entries below the diagonal that mirror those above it are the same edges.
    """
    tail, head, weight = arcs(graph)
    apart = tail != head
    entries = sorted(zip(tail[apart], head[apart], weight[apart] + 0, strict=True))
    if entries == sorted(zip(head[apart], tail[apart], weight[apart] + 0, strict=True)):
        return tail, head, weight
    return (
        np.r_[tail, head[apart]],
        np.r_[head, tail[apart]],
        np.r_[weight, weight[apart]],
    )


def undirected_edges(rows):
    """Return each edge (u, v, weight) once, of rows that may have it both ways.

    Equal rows are parallel edges.
    """
    ways = Counter(), Counter()
    for u, v, weight in rows:
        ways[u > v][min(u, v), max(u, v), weight] += 1
    return list((ways[0] | ways[1]).elements())  # the larger count of each


def arcs_of_rows(rows, ways, *, are_roads=False):
    """Return the arcs of rows (u, v, weight) that lead "along", "against" or "both" ways.

    If they are roads, a pair that has as many rows of both ways from either end has them as arcs.
    """
    arcs = Counter()
    both = []
    for (u, v, weight), way in zip(rows, ways, strict=True):
        if way == "both":
            both.append((u, v, weight))
        else:
            arcs[(u, v, weight) if way == "along" else (v, u, weight)] += 1
    if are_roads:
        count = Counter((u, v) for u, v, _ in both)
        listed = [row for row in both if count[row[0], row[1]] == count[row[1], row[0]]]
        both = [row for row in both if count[row[0], row[1]] != count[row[1], row[0]]]
        arcs.update(listed)
    for u, v, weight in undirected_edges(both):
        arcs.update({(u, v, weight), (v, u, weight)})
    return list(arcs.elements())


def pagerank(
    n, arcs, *, alpha=0.85, personalization=None, dangling=None, nstart=None, tol=1e-12, sweeps=5000
):
    """Power iteration; returns the scores and the number of iterations, None without convergence.

    `arcs` are (tail, head, weight); the vectors are arrays that need not add up to 1. Iterations
    end as in NetworkX; `tol` here bounds the change of all scores together.
    """
    tail, head, weight = arcs
    weight = weight.astype(np.float64)
    leaving = np.bincount(tail, weight, minlength=n)
    uniform = np.full(n, 1 / n)
    p = uniform if personalization is None else personalization / personalization.sum()
    d = p if dangling is None else dangling / dangling.sum()
    x = uniform if nstart is None else nstart / nstart.sum()
    probability = weight / np.where(leaving == 0, 1, leaving)[tail]
    for sweep in range(1, sweeps + 1):
        before = x
        walked = np.bincount(head, probability * before[tail], minlength=n)
        x = alpha * (walked + before[leaving == 0].sum() * d) + (1 - alpha) * p
        if np.abs(x - before).sum() < tol:
            return x, sweep
    return x, None


class Sets:
    """Plain union-find; the smallest member represents a set."""

    def __init__(self, n):
        self.parent = list(range(n))

    def root(self, v):
        while self.parent[v] != v:
            v = self.parent[v]
        return v

    def join(self, u, v):
        """Return False if they are in one set already."""
        u, v = self.root(u), self.root(v)
        self.parent[max(u, v)] = min(u, v)
        return u != v

    def labels(self):
        roots = [self.root(v) for v in range(len(self.parent))]
        return np.unique(roots, return_inverse=True)[1].astype(np.int32)


@kept
def components(graph):
    """Return labels from 0 in the order of the components' smallest vertices."""
    sets = Sets(graph.shape[0])
    for u, v, _ in zip(*map(np.ndarray.tolist, arcs(graph)), strict=True):
        sets.join(u, v)
    return sets.labels()


@kept
def kruskal(graph, *, maximum=False):
    """Return the positions of the lightest forest's edges, in the order in which they join.

    Candidates come by (weight, row in the upper triangle, above the diagonal first, position).
    """
    tail, head, weight = (array.tolist() for array in arcs(graph))
    sign = -1 if maximum else 1
    order = sorted(
        range(len(tail)),
        key=lambda e: (sign * weight[e], min(tail[e], head[e]), tail[e] > head[e], e),
    )
    sets = Sets(graph.shape[0])
    return np.array([e for e in order if sets.join(tail[e], head[e])], np.int64)


def single_linkage(graph):
    """Return SciPy's linkage matrix of the lightest forest; trees join at height inf.

    The trees join one after the other, in the order of their smallest vertices.
    """
    n = graph.shape[0]
    tail, head, weight = arcs(graph)
    merges = [(tail[e], head[e], weight[e]) for e in kruskal(graph)]
    _, firsts = np.unique(components(graph), return_index=True)
    merges += [(firsts[0], v, np.inf) for v in firsts[1:]]
    cluster, size, linkage = list(range(n)), [1] * n, np.empty((max(n - 1, 0), 4))
    for row, (u, v, height) in enumerate(merges):
        a, b = sorted((cluster[u], cluster[v]))
        size.append(size[a] + size[b])
        cluster = [n + row if c in (a, b) else c for c in cluster]
        linkage[row] = a, b, height, size[-1]
    return linkage


def lightest_edges(graph, *, directed=True, unweighted=False):
    """Return the weights of edges by (tail, head): of parallel ones the least; without inf."""
    found = {}
    for u, v, w in zip(*(array.tolist() for array in arcs(graph, directed)), strict=True):
        if u != v and (unweighted or w != float("inf")):
            found[u, v] = min(found.get((u, v), float("inf")), 1 if unweighted else w)
    return found


def all_shortest_paths(edges, n, source, limit=np.inf):
    """Return the shortest paths from a source to each vertex, as tuples of vertices, by rounds.

    `edges` has positive weights by (tail, head), whose sums are rounded as those of Python.
    """
    distance, paths = {source: 0}, {v: set() for v in range(n)}
    for _ in range(n):
        for (u, v), w in edges.items():
            if u in distance and distance[u] + w <= limit:
                distance[v] = min(distance.get(v, np.inf), distance[u] + w)
    paths[source] = {(source,)}
    for v in sorted(distance, key=distance.get):
        for u in distance:
            if (u, v) in edges and distance[u] + edges[u, v] == distance[v]:
                paths[v] |= {(*path, v) for path in paths[u]}
    return paths


def betweenness(
    edges, n, *, sources=None, targets=None, limit=np.inf, endpoints=False, normalized=False
):
    """Enumerate all shortest paths; return the exact scores of vertices, and of edges as a dict.

    Pairs are ordered: halve what is not normalized where edges have no direction.
    """
    of_vertices, of_edges = [Fraction(0)] * n, dict.fromkeys(edges, Fraction(0))
    ends = set(range(n) if targets is None else targets)
    for s in range(n) if sources is None else sources:
        found = all_shortest_paths(edges, n, s, limit)
        for t in ends - {s}:
            for path in found[t]:
                share = Fraction(1, len(found[t]))
                for v in path if endpoints else path[1:-1]:
                    of_vertices[v] += share
                for edge in itertools.pairwise(path):
                    of_edges[edge] += share
    if normalized:
        pairs = n * (n - 1) if endpoints else (n - 1) * (n - 2)
        of_vertices = [score / max(pairs, 1) for score in of_vertices]
        of_edges = {edge: score / max(n * (n - 1), 1) for edge, score in of_edges.items()}
    return of_vertices, of_edges


@functools.lru_cache(maxsize=200)
def kept_betweenness(edges, n, **options):
    """Return the same for a frozen set of edges: it is computed once for all devices and dtypes."""
    return betweenness(dict(edges), n, **options)


def in_range(*sets, alpha=1.0):
    """Return points with a common factor 2^-e, by which their squares are in range, and e.

    float32 becomes float64 where no factor suits all coordinates.
    """
    dtype, d = sets[0].dtype, sets[0].shape[1]
    magnitudes = np.concatenate([np.abs(points).ravel() for points in sets]).astype(np.float64)
    magnitudes = magnitudes[magnitudes > 0]
    if not len(magnitudes):
        return (*sets, 0)
    of_alpha = np.log2(alpha)
    low = int(np.floor(np.frexp(magnitudes.min())[1] - 1 + min(-of_alpha, 0)))
    high = int(np.ceil(np.frexp(magnitudes.max())[1] + max(-of_alpha, 0)))
    least, most = {"float32": (-39, 60), "float64": (-458, 508)}[str(dtype)]
    most -= int(np.ceil(np.log2(d) / 2))
    if least <= low and high <= most:
        return (*sets, 0)
    if dtype == np.float32 and low - (high - most) < least:
        return (*[points.astype(np.float64) for points in sets], 0)
    with np.errstate(under="ignore"):
        return (*[np.ldexp(points, most - high) for points in sets], high - most)
