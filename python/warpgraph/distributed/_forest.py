"""distributed.minimum_spanning_forest: forests of the blocks, merged in a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import convert, validate
from warpgraph._graph.graph import Graph
from warpgraph._trees import mst
from warpgraph._trees.forest import SpanningForest
from warpgraph.distributed import _values
from warpgraph.distributed._engine import Collection, Handle, Tasks, check_arity
from warpgraph.distributed._graph import PartitionedGraph, partitioned
from warpgraph.distributed._tasks.blocks import (
    MAX_EDGES_OF_A_BLOCK,
    Chunk,
    check_ends,
    check_types,
)

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]

#: Edges that are read at a time: a chunk is put together of several, of several files, too.
_EDGES_A_PIECE = 1 << 20


class _Edges(NamedTuple):
    """Edges in ascending order of their keys."""

    tails: Array  # int32
    heads: Array  # int32
    weights: Array
    keys: Array  # int64


class PartitionedForest:
    """The spanning forest of a `PartitionedGraph`, kept on a worker.

    Attributes
    ----------
    n_vertices : int
        Number of vertices.
    n_edges : int
        Number of edges that the graph has; those of the forest are as many as `gather` returns.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> blocks = [([0, 1], [1, 2], [5, 1]), ([0], [2], [2])]
    >>> edges = wg.distributed.graph(blocks, engine, n_vertices=3)
    >>> forest = wg.distributed.minimum_spanning_forest(edges)
    >>> forest.gather().total_weight
    3
    >>> [part["edge"].tolist() for part in forest.collection()]
    [[1], [2]]
    """

    def __init__(self, graph: PartitionedGraph, root: Handle, counts: Array, maximum: bool) -> None:
        self.graph = graph
        #: The engine's handle of the edges, in the order of the input.
        self.root = root
        self.maximum = maximum
        #: The position in the input of the first edge of each block, and the number of edges.
        self.first_edges = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def __repr__(self) -> str:
        of = f"the forest of {self.n_edges:,} edges, {self.n_vertices:,} vertices"
        return f"<warpgraph.distributed.PartitionedForest: {of}; gather() or collection()>"

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self.graph.n_vertices

    @property
    def n_edges(self) -> int:
        """Number of edges that the graph has."""
        return int(self.first_edges[-1])

    def gather(self) -> SpanningForest:
        """Return the forest as `warpgraph.minimum_spanning_forest` does.

        Its ``edge_ids`` are positions in the input: blocks in the order in which they were given.
        """
        with Tasks(self.graph.engine) as tasks:
            edges, *names = tasks.gather([self.root, *(self.graph.names or [])])
        named = np.concatenate(names) if names else None
        return as_forest(self.n_vertices, edges, self.first_edges, self.maximum, named)

    def collection(self) -> Collection:
        """Return a collection of the engine: the columns source, target, weight and edge.

        A Dask DataFrame or a Ray Dataset; of `LocalEngine` a list of dictionaries of arrays. It is
        partitioned like the input; ``edge`` is the position of the edge there, and the ends have
        the names that the vertices have there.
        """
        engine, names = self.graph.engine, self.graph.names or []
        with Tasks(engine) as tasks:
            tables = tasks.split(
                _tables, self.first_edges, self.root, *names, pieces=len(self.first_edges) - 1
            )
            kinds = tasks.gather([tasks.submit(_values.dtypes, tables[0])])[0] if tables else {}
        return engine.collection(tables, kinds)


def minimum_spanning_forest(
    graph: PartitionedGraph, *, maximum: bool = False, arity: int = 4, device: types.Device = "auto"
) -> PartitionedForest:
    """Find the lightest spanning tree of every component.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph. Edges have no direction, loops are ignored, of parallel edges the lightest wins.
    maximum : bool
        Find the heaviest trees instead.
    arity : int
        How many forests are merged at a time, at most; fewer where memory is short.
    device : str
        Where workers run; see `warpgraph.devices`. On a worker that sees several GPUs, "cuda" and
        "auto" mean one of them: tasks that run side by side on a host use different ones in turns.

    Returns
    -------
    PartitionedForest
        The forest, on a worker.

    Raises
    ------
    ValueError
        A weight is NaN, blocks have weights of different types, or an end is no vertex.
    MemoryError
        A task needs more memory than the engine's limit for one.

    Notes
    -----
    Edges of equal weight rank as in `warpgraph.minimum_spanning_forest` of the matrix that
    `warpgraph.Graph.from_edges` makes of all edges in the order of the blocks: so the forest is the
    same as there, whatever the blocks, the workers, and the order in which tasks finish.

    A task reads a block in chunks and keeps the forest of what it has read. Forests are merged
    where they lie, then ``workers - 1`` of them move, each of at most ``n_vertices - 1`` edges of
    24 bytes (20 with weights of 4). A task takes about 240 bytes for each vertex and 80 for each
    edge of a chunk, whose length follows from the engine's limit; so does how many are merged.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> blocks = [([7, 7], [70, 700], [2.0, 1.0]), ([70], [700], [4.0])]
    >>> edges = wg.distributed.graph(blocks, engine)
    >>> forest = wg.distributed.minimum_spanning_forest(edges).gather()
    >>> forest.names[forest.edges].tolist()
    [[7, 700], [7, 70]]
    """
    graph = partitioned(graph)
    maximum, arity = validate.flag(maximum, "maximum"), check_arity(arity)
    n, limit = graph.n_vertices, graph.engine.memory_limit
    options = n, maximum, device, limit
    chunk = _core.edges_at_a_time("forest", limit, n)
    arity = _core.forests_at_a_time(arity, limit, n)
    with Tasks(graph.engine) as tasks:
        found = graph.each_block(tasks, _of_block, chunk, *options)
        forests, counts = [pair[0] for pair in found], [pair[1] for pair in found]
        del found
        if not forests:
            forests = [tasks.submit(_merged, *options)]
        root = tasks.merge(forests, _merged, arity, *options)
        return PartitionedForest(graph, root, np.array(tasks.gather(counts), np.int64), maximum)


def _of_block(
    chunk: int,
    n: int,
    maximum: bool,
    device: Any,
    limit: int,
    first_key: int,
    read: Callable[..., Iterator[Chunk]],
    *arguments: Any,
) -> tuple[_Edges, int]:
    """Return the forest of a block, and the number of its edges."""
    parts: list[_Edges] = []  # the forest of what was read before, and what waits
    count, waiting, piece = 0, 0, min(chunk, _EDGES_A_PIECE)
    for tails, heads, weights in read(piece, *arguments):
        check_ends(tails, heads, n)
        first = first_key + count
        count += len(tails)
        waiting += len(tails)
        if count > MAX_EDGES_OF_A_BLOCK:
            raise ValueError(
                f"a block has more than {MAX_EDGES_OF_A_BLOCK} edges; pass more blocks"
            )
        # All keys of the forest are smaller, so the order of keys stays. Copies of the arrays, as
        # the memory that these are views of is larger.
        keys = np.arange(first, first + len(tails))
        parts.append(_Edges(tails.astype(np.int32), heads.astype(np.int32), weights.copy(), keys))
        if waiting + piece > chunk:
            parts = [_lightest(n, maximum, device, limit, parts)]
            waiting = 0
    if waiting or count == 0:
        parts = [_lightest(n, maximum, device, limit, parts)]
    return parts[0], count


def _merged(n: int, maximum: bool, device: Any, limit: int, *forests: _Edges) -> _Edges:
    """Return the forest of several forests."""
    if len(forests) == 1:
        return forests[0]
    return _lightest(n, maximum, device, limit, list(forests), in_order=False)


def _lightest(
    n: int, maximum: bool, device: Any, limit: int, parts: list[_Edges], in_order: bool = True
) -> _Edges:
    """Return the forest of edges; in_order: their keys ascend. The list is emptied."""
    kept = [part for part in parts if len(part.keys)] or parts[:1] or [_none()]
    parts.clear()
    check_types(part.weights for part in kept)
    columns = [list(column) for column in zip(*kept, strict=True)]
    del kept
    edges = _Edges(*map(_joined, columns))
    if not in_order:
        order = np.argsort(edges.keys, kind="stable")  # fast, as the parts are in order
        edges = _Edges(*(array[order] for array in edges))
    tails, heads, weights, keys = edges
    # Rows keep the order of the keys. So any two edges of equal weight rank here as they do in the
    # matrix of all edges, which makes forests of parts exact.
    matrix = Graph.from_edges(tails, heads, weights, n_vertices=n)
    forest = mst.minimum_spanning_forest(
        matrix, maximum=maximum, device=device, memory_limit=limit or None
    )
    del matrix
    numbers = np.arange(len(keys), dtype=np.int32)
    _, _, positions = convert.from_edges(tails, heads, numbers, n)
    chosen = np.sort(positions[forest.edge_ids])
    return _Edges(*(array[chosen] for array in edges))


def _joined(arrays: list[Array]) -> Array:
    """Return several arrays as one. The list is emptied, so that their memory is free."""
    joined = np.concatenate(arrays)
    arrays.clear()
    return joined


def _none() -> _Edges:
    ends = np.empty(0, np.int32)
    return _Edges(ends, ends, np.empty(0), np.empty(0, np.int64))


def as_forest(
    n: int, edges: _Edges, first_edges: Array, maximum: bool, names: Array | None = None
) -> SpanningForest:
    """Return a forest in the order in which Kruskal's algorithm finds its edges."""
    low, high = np.minimum(edges.tails, edges.heads), np.maximum(edges.tails, edges.heads)
    order = np.argsort(edges.weights, kind="stable")
    ascending = edges.weights[order]
    if (ascending[1:] == ascending[:-1]).any():
        # Entries of a matrix above the diagonal come before those below it, and these row by row.
        below = np.where(edges.tails > edges.heads, edges.tails, -1)
        order = np.lexsort((edges.keys, below, low))[:: -1 if maximum else 1]
        order = order[np.argsort(edges.weights[order], kind="stable")]
    if maximum:
        order = order[::-1]
    ends = np.stack([low, high], axis=1)[order]
    named = None if names is None else names.astype(object)
    ids = _positions(edges.keys, first_edges)[order]
    return SpanningForest._found(n, ends, edges.weights[order], ids, named, maximum=maximum)


def _positions(keys: Array, first_edges: Array) -> Array:
    """Return the positions of edges in the input."""
    position: Array = first_edges[keys // MAX_EDGES_OF_A_BLOCK] + keys % MAX_EDGES_OF_A_BLOCK
    return position


def _tables(first_edges: Array, edges: _Edges, *names: Array) -> list[dict[str, Array]]:
    """Return the edges of each block as columns."""
    name = np.concatenate(names) if names else None
    tails, heads = (end if name is None else name[end] for end in edges[:2])
    columns = tails, heads, edges.weights, _positions(edges.keys, first_edges)
    blocks = np.arange(1, len(first_edges) - 1, dtype=np.int64)
    cuts = np.searchsorted(edges.keys, blocks * MAX_EDGES_OF_A_BLOCK)
    parts = zip(*(np.split(column, cuts) for column in columns), strict=True)
    titles = ("source", "target", "weight", "edge")
    return [dict(zip(titles, part, strict=True)) for part in parts]
