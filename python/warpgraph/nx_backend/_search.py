"""One search from one or several sources, and its results in NetworkX's forms."""

from __future__ import annotations

import contextlib
import gc
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph._bfs import bfs
from warpgraph._core import NegativeCycleError
from warpgraph._graph import Graph
from warpgraph._sssp import sssp
from warpgraph.nx_backend._graph import BackendGraph

Array = npt.NDArray[Any]


@contextlib.contextmanager
def networkx_errors() -> Iterator[None]:
    """Turn errors into those of NetworkX; what it would not raise, it is to compute."""
    try:
        yield
    except NegativeCycleError:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from None
    except OverflowError as error:
        raise NotImplementedError(str(error)) from None


@contextlib.contextmanager
def no_collections() -> Iterator[None]:
    """Pause the garbage collector while a result of many lists or dictionaries is made.

    Their number would start collections, which find nothing in it, but visit all objects of the
    process: seconds beside a graph of a million edges.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Tree:
    """Shortest paths from one source, or from the nearest of several, to the vertices reached.

    Attributes
    ----------
    distances, predecessors : ndarray, shape (n_vertices,)
        As `warpgraph.sssp` and `warpgraph.bfs` return them. Without predecessors: None.
    order : ndarray
        The vertices that were reached, by distance.
    """

    def __init__(
        self,
        graph: BackendGraph,
        distances: Array,
        predecessors: Array | None = None,
        order: Array | None = None,
    ) -> None:
        self.graph = graph
        self.distances, self.predecessors = distances, predecessors
        self.order = self._by_distance() if order is None else order

    def _by_distance(self) -> Array:
        reached = np.flatnonzero(is_reached(self.distances))
        return reached[np.argsort(_narrow(self.distances[reached]), kind="stable")]

    def lengths(self) -> dict[Any, Any]:
        """Return {node: distance}, nearest first."""
        names = self.graph.named(self.order)
        lengths = self.distances[self.order].tolist()
        if lengths and lengths[0] == 0:
            lengths[0] = 0  # an integer, as NetworkX begins
        return dict(zip(names, lengths, strict=True))

    def paths(self) -> dict[Any, list[Any]]:
        """Return {node: path}, nearest first; a path is a list of nodes."""
        assert self.predecessors is not None
        names, order = self.graph.nodes, self.order
        parents = self.predecessors[order]
        # Where edges have length 0, a vertex may come before the one that it is reached from.
        depth = depths(self.predecessors)[order] if self._has_ties(parents) else None
        first = np.argsort(depth, kind="stable") if depth is not None else slice(None)
        found: list[Any] = [None] * len(names)
        pairs = zip(order[first].tolist(), parents[first].tolist(), strict=True)
        with no_collections():
            for vertex, parent in pairs:
                name = [names[vertex]]
                found[vertex] = name if parent < 0 else found[parent] + name
        vertices = order.tolist()
        return {names[vertex]: found[vertex] for vertex in vertices}

    def _has_ties(self, parents: Array) -> bool:
        """Return whether a vertex is as far away as the one before it."""
        inner = parents >= 0
        heads, tails = self.order[inner], parents[inner]
        return bool((self.distances[heads] <= self.distances[tails]).any())

    def path(self, target: int) -> list[Any]:
        """Return the nodes on the path to a vertex that was reached."""
        return path_to(self.graph, self.predecessors, target)


def path_to(graph: BackendGraph, predecessors: Any, target: int) -> list[Any]:
    """Return the nodes on the path to a vertex in a tree."""
    path = []
    while target >= 0:
        path.append(graph.nodes[target])
        target = predecessors.item(target)
    path.reverse()
    return path


def is_reached(distances: Array) -> Array:
    """Return where distances are such; unreachable is -1, the largest integer, or inf."""
    if distances.dtype.kind == "f":
        return distances < np.inf
    if distances.dtype == np.int32:
        return distances >= 0
    return distances < np.iinfo(distances.dtype).max


def _narrow(keys: Array) -> Array:
    """Return keys in a type that NumPy sorts in linear time, if they fit."""
    if keys.dtype.kind != "f" and len(keys) and keys.min() >= 0 and keys.max() < 1 << 16:
        return keys.astype(np.uint16)
    return keys


def depths(predecessors: Array) -> Array:
    """Return the number of edges from the root of each vertex's tree, by pointer doubling."""
    inner = predecessors >= 0
    jump = np.where(inner, predecessors, np.arange(len(predecessors)))
    depth = inner.astype(np.int32)
    while (more := depth[jump]).any():
        depth, jump = depth + more, jump[jump]
    return depth


def length_type(matrix: Graph) -> type:
    """Return the type of distances: sums of integers are exact."""
    return np.float64 if matrix.dtype.kind == "f" else np.int64


def refuse_negative(matrix: Graph) -> None:
    """Leave negative weights to NetworkX, whose Dijkstra's algorithm sometimes refuses them."""
    if matrix.first_negative() is not None:
        raise NotImplementedError("Dijkstra's algorithm with negative weights runs in NetworkX")


def limit_of(cutoff: Any) -> Any:
    """Return the largest distance that is searched for."""
    limit = math.inf if cutoff is None else cutoff
    if not limit >= 0:  # the sources are results nevertheless, but no other vertex at distance 0
        raise NotImplementedError(f"a cutoff of {cutoff} runs in NetworkX")
    return limit


def tree_of(
    graph: BackendGraph,
    sources: list[int],
    weight: Any,
    *,
    cutoff: Any = None,
    paths: bool = False,
    reverse: bool = False,
    negative: bool = False,
) -> Tree:
    """Search from the nearest of `sources`, along edges that end nearer than `cutoff` or there.

    Raises
    ------
    NotImplementedError
        A weight is negative and `negative` is not set, or not finite.
    NetworkXUnbounded
        There is a cycle of negative weight.
    """
    limit = limit_of(cutoff)
    has_lengths = graph.has_lengths(weight)
    matrix = graph.matrix(weight, reverse=reverse) if has_lengths else None
    if matrix is None:
        matrix = graph.structure(reverse=reverse)
    elif not negative:
        refuse_negative(matrix)
    extra = len(sources) > 1
    if extra:
        matrix = with_root(matrix, sources, has_lengths)
        limit += 0 if has_lengths else 1
    start = len(graph) if extra else sources[0]
    with networkx_errors():
        distances, predecessors = _search(matrix, start, has_lengths, limit, paths or extra)
    if extra:
        distances, predecessors = distances[:-1], predecessors[:-1]
        predecessors[predecessors == start] = -1
        predecessors[sources] = -1  # edges of length 0 may lead from one to another
        if not has_lengths:
            distances = np.where(distances > 0, distances - 1, distances)
    return Tree(graph, distances, predecessors)


def _search(matrix: Graph, source: int, has_lengths: bool, limit: Any, paths: bool) -> Any:
    if has_lengths:
        how: dict[str, Any] = {"limit": limit, "dtype": length_type(matrix)}
        found = sssp(matrix, source, return_predecessors=paths, **how)
    else:
        hops = None if limit == math.inf else math.floor(limit)
        found = bfs(matrix, source, limit=hops, return_predecessors=paths)
    return found if paths else (found, None)


def as_scipy(matrix: Graph) -> Any:
    """Return the edges as a matrix for SciPy's searches in the order of the rows.

    Its weights are float64: SciPy would convert others, and so sort the rows, in place.
    """

    def make() -> Any:
        shape = (matrix.n_vertices, matrix.n_vertices)
        narrow = matrix.n_edges <= np.iinfo(np.int32).max
        indptr = matrix.indptr.astype(np.int32, copy=False) if narrow else matrix.indptr
        return sp.csr_array((np.ones(matrix.n_edges), matrix.indices, indptr), shape=shape)

    return matrix.derived("matrix for SciPy", make)


def with_root(matrix: Graph, sources: list[int], has_lengths: bool) -> Graph:
    """Return the graph with one more vertex, from which edges of length 0 lead to `sources`."""
    heads = np.asarray(sources, np.int32)
    weights = np.zeros(len(heads), matrix.dtype)
    last = matrix.indptr[-1:] + len(heads)
    return Graph.from_csr(
        np.concatenate([matrix.indptr, last]),
        np.concatenate([matrix.indices, heads]),
        np.concatenate([matrix.data, weights]) if has_lengths else np.ones(int(last[0]), np.int32),
    )


def tight_predecessors(tree: Tree, matrix: Graph) -> dict[Any, list[Any]]:
    """Return {node: all nodes before it on shortest paths}, nodes and lists nearest first."""
    tails, heads, weights = matrix.to_edges()
    distances = tree.distances
    reached = is_reached(distances)
    candidates = np.flatnonzero(reached[tails] & reached[heads])
    tails, heads = tails[candidates], heads[candidates]
    # Distances are sums from the source on, so the sum along a last edge is exactly the same.
    tight = distances[tails] + weights[candidates] == distances[heads]
    return grouped(tree, tails[tight], heads[tight])


def grouped(tree: Tree, tails: Array, heads: Array) -> dict[Any, list[Any]]:
    """Return {head: its tails} for all vertices of a tree, in the tree's order; no duplicates."""
    rank = np.empty(len(tree.graph), np.int64)
    rank[tree.order] = np.arange(len(tree.order))
    pairs = np.unique(rank[heads] * len(tree.graph) + rank[tails])
    head_ranks, tail_ranks = np.divmod(pairs, max(len(tree.graph), 1))
    ends = np.searchsorted(head_ranks, np.arange(len(tree.order)), side="right").tolist()
    names = tree.graph.named(tree.order[tail_ranks])
    lists = (names[begin:end] for begin, end in pairwise([0, *ends]))
    with no_collections():
        return dict(zip(tree.graph.named(tree.order), lists, strict=True))
