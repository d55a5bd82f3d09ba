"""One search from one or several sources, and its results in NetworkX's forms."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._core import NegativeCycleError
from warpgraph._graph.graph import Graph
from warpgraph._paths.bfs import bfs
from warpgraph._paths.many_to_many import many_to_many
from warpgraph._paths.sssp import sssp
from warpgraph.nx_backend._graph import BackendGraph, Entries, no_collections
from warpgraph.nx_backend._paths import lengths as _lengths
from warpgraph.nx_backend._weights import Weights

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


class Tree:
    """Shortest paths from one source, or from the nearest of several, to the vertices reached.

    Attributes
    ----------
    distances, predecessors : ndarray, shape (n_vertices,)
        As `warpgraph.sssp` and `warpgraph.bfs` return them. Without predecessors: None.
    order : ndarray of int32
        The vertices that were reached, by distance.
    sources : sequence of int
        The sources.
    entries : Entries or None
        The arcs that were followed; None: distances are hops.
    """

    def __init__(
        self,
        graph: BackendGraph,
        distances: Array,
        predecessors: Array | None = None,
        order: Array | None = None,
        *,
        sources: Sequence[int] = (),
        entries: Entries | None = None,
    ) -> None:
        self.graph, self.sources = graph, sources
        self.entries = entries
        self._kind = None if entries is None else entries.weights.kind
        self.distances, self.predecessors = distances, predecessors
        self.order = _core.order_by_distance(distances) if order is None else order

    def lengths(self) -> dict[Any, Any]:
        """Return {node: distance}, nearest first, with NetworkX's types."""
        nodes = self.graph.nodes
        if self.entries is not None and needs_paths(self.entries):
            assert self.predecessors is not None
            values = _lengths.of_tree(self.entries, self.predecessors)
            return {nodes[v]: values[v] for v in self.order.tolist()}
        if self._kind is not None:
            scalars = self.distances[self.order].astype(self._kind)
            lengths = dict(zip(self.graph.named(self.order), scalars, strict=True))
        else:
            lengths = _core.node_values(nodes, self.order, self.distances)
        for source in self.sources:
            lengths[nodes[source]] = 0  # an integer, as NetworkX begins
        return lengths

    def length(self, vertex: int) -> Any:
        """Return the distance of a vertex that was reached, with NetworkX's type."""
        if vertex in self.sources:
            return 0
        length = self.distances.item(vertex)
        return length_to(self.entries, length, self.predecessors, vertex)

    def paths(self, *, to_root: bool = False) -> dict[Any, list[Any]]:
        """Return {node: path}, nearest first; paths are lists of nodes from or to the source."""
        assert self.predecessors is not None
        return path_lists(self.graph, self.order, self.predecessors, to_root)

    def all_predecessors(self, matrix: Graph) -> dict[Any, list[Any]]:
        """Return {node: all nodes before it on shortest paths}, nodes and lists nearest first.

        Distances of int32 are hops, whatever the weights of `matrix`.
        """
        unweighted = self.distances.dtype == np.int32
        handle = matrix._handle if unweighted else matrix._handle_for(self.distances.dtype)
        with no_collections():
            return _core.predecessor_lists(
                self.graph.nodes, handle, self.order, self.distances, unweighted
            )

    def path(self, target: int) -> list[Any]:
        """Return the nodes on the path to a vertex that was reached."""
        return path_to(self.graph, self.predecessors, target)


def length_to(entries: Entries | None, length: Any, predecessors: Any, target: int) -> Any:
    """Return the distance of a vertex in a tree that is no source, with NetworkX's type."""
    if entries is not None and needs_paths(entries):
        return _lengths.of_path(entries, _vertices_to(predecessors, target))
    kind = None if entries is None else entries.weights.kind
    return length if kind is None else kind(length)


def path_lists(
    graph: BackendGraph, order: Array, predecessors: Array, to_root: bool
) -> dict[Any, list[Any]]:
    """Return {node: path} for the vertices of `order`; see `Tree.paths`."""
    with no_collections():
        return _core.path_lists(graph.nodes, order, predecessors, to_root)


def path_to(graph: BackendGraph, predecessors: Any, target: int) -> list[Any]:
    """Return the nodes on the path to a vertex in a tree."""
    return [graph.nodes[v] for v in _vertices_to(predecessors, target)]


def _vertices_to(predecessors: Any, target: int) -> list[int]:
    path = []
    while target >= 0:
        path.append(target)
        target = predecessors.item(target)
    path.reverse()
    return path


def is_reached(distances: Array) -> Array:
    """Return where vertices are reached; elsewhere is -1, the largest integer, or inf."""
    if distances.dtype.kind == "f":
        return distances < np.inf
    if distances.dtype == np.int32:
        return distances >= 0
    return distances < np.iinfo(distances.dtype).max


def length_type(matrix: Graph) -> type:
    """Return the type of distances: sums of integers are exact, those of float32 rounded to it."""
    kind = matrix.dtype
    return kind.type if kind.kind == "f" else np.int64


def refuse_negative(matrix: Graph) -> None:
    """Leave negative weights to NetworkX, whose Dijkstra's algorithm sometimes refuses them."""
    if matrix._first_negative() is not None:
        raise NotImplementedError("Dijkstra's algorithm with negative weights runs in NetworkX")


def refuse_long_sums(graph: BackendGraph, weight: Any) -> None:
    """Leave to NetworkX lengths that may exceed int64, before an iterator finds one."""
    weights = graph.arrays(weight)[2]
    if weights is None or weights.dtype.kind != "i" or not len(weights):
        return
    largest = max(int(weights.max()), -int(weights.min()))
    if largest * len(graph) >= np.iinfo(np.int64).max:
        raise NotImplementedError("lengths of all pairs that may exceed int64 run in NetworkX")


def limit_of(cutoff: Any, weights: Weights | None = None) -> Any:
    """Return the largest distance that is searched for, in the units of ``weights.data``."""
    limit = math.inf if cutoff is None else cutoff + 0  # a number, where it is a bool
    if not limit >= 0:  # the sources are results nevertheless, but no other vertex at distance 0
        raise NotImplementedError(f"a cutoff of {cutoff} runs in NetworkX")
    if weights is None or limit == math.inf:
        return limit
    if weights.scale > 1:
        limit = limit.item() if isinstance(limit, np.generic) else limit
        return math.floor(Fraction(limit) * weights.scale)
    is_float32 = weights.data is not None and weights.data.dtype == np.float32
    # NumPy rounds Python's numbers before it compares them with a float32.
    return float(np.float32(limit)) if is_float32 and type(limit) in (int, float) else limit


def entries_of(graph: BackendGraph, weight: Any, *, reverse: bool = False) -> Entries | None:
    """Return the arcs with weights, or None if distances are hops."""
    entries = None if weight is None else graph.entries(weight, reverse=reverse)
    return None if entries is None or entries.weights.data is None else entries


def needs_paths(entries: Entries | None) -> bool:
    """Return whether lengths have to be added along the paths."""
    return entries is not None and entries.weights.objects is not None


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
    entries = entries_of(graph, weight, reverse=reverse)
    limit = limit_of(cutoff, None if entries is None else entries.weights)
    if entries is None:
        matrix = graph.structure(reverse=reverse)
    else:
        matrix = graph.matrix(weight, reverse=reverse)
        if not negative:
            refuse_negative(matrix)
    paths = paths or needs_paths(entries)
    search = _search if len(sources) == 1 else _search_nearest
    with networkx_errors():
        found = search(matrix, sources, entries is not None, limit, paths)
    return Tree(graph, *found, sources=sources, entries=entries)


def _search(matrix: Graph, sources: list[int], has_lengths: bool, limit: Any, paths: bool) -> Any:
    if has_lengths:
        how: dict[str, Any] = {"limit": limit, "dtype": length_type(matrix)}
        found = sssp(matrix, sources[0], return_predecessors=paths, **how)
    else:
        hops = None if limit == math.inf else math.floor(limit)
        found = bfs(matrix, sources[0], limit=hops, return_predecessors=paths)
    return found if paths else (found, None)


def _search_nearest(
    matrix: Graph, sources: list[int], has_lengths: bool, limit: Any, paths: bool
) -> Any:
    kind = length_type(matrix) if has_lengths else np.int32
    how: dict[str, Any] = {"limit": limit, "unweighted": not has_lengths, "dtype": kind}
    found = many_to_many(matrix, sources, min_only=True, return_predecessors=paths, **how)
    distances = found[0]
    if not has_lengths:
        as_hops(distances)
    return distances, found[1] if paths else None


def as_hops(distances: Array) -> None:
    """Write -1 in place of the largest int32, as `warpgraph.bfs` does."""
    distances[distances == np.iinfo(np.int32).max] = -1


def with_root(matrix: Graph, sources: list[int]) -> Graph:
    """Return the structure with one more vertex, from which edges lead to `sources` in order."""
    heads = np.asarray(sources, np.int32)
    last = matrix.indptr[-1:] + len(heads)
    return Graph._of_own(
        np.concatenate([matrix.indptr, last]),
        np.concatenate([matrix.indices, heads]),
        np.ones(int(last[0]), np.int32),
    )
