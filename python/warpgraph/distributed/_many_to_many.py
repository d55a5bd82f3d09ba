"""distributed.many_to_many: the whole graph on each worker, and sources dealt in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._graph.graph import Graph
from warpgraph._paths import many_to_many as _many_to_many
from warpgraph.distributed import _values
from warpgraph.distributed._engine import Collection, Handle, Tasks
from warpgraph.distributed._graph import PartitionedGraph, partitioned
from warpgraph.distributed._tasks.blocks import (
    Chunk,
    check_ends,
    check_types,
    divided,
)

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]

#: Blocks of sources for each slot: fewer wait for the slowest, more take more tasks.
_BLOCKS_A_SLOT = 4


class DistanceRows:
    """Rows of distances, kept on the workers in blocks of consecutive sources.

    Attributes
    ----------
    handles : list
        The engine's handle of each block of rows, an array.
    sources : list of ndarray
        The sources of each block, as vertex numbers.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> path = wg.distributed.graph([([0, 1], [1, 2], [4.0, 1.0])], engine, n_vertices=3)
    >>> rows = wg.distributed.many_to_many(path, [0, 1])
    >>> rows.gather().tolist()
    [[0.0, 4.0, 5.0], [inf, 0.0, 1.0]]
    >>> [part["target"].tolist() for part in rows.collection()]
    [[0, 1, 2], [0, 1, 2]]
    """

    def __init__(
        self,
        graph: PartitionedGraph,
        handles: list[Handle],
        sources: list[Array],
        targets: Array | None,
    ) -> None:
        self._graph = graph
        self.handles = handles
        self.sources = sources
        self._targets = targets

    def __repr__(self) -> str:
        of = f"distances from {sum(map(len, self.sources)):,} sources"
        return f"<warpgraph.distributed.DistanceRows: {of}; gather() or collection()>"

    def gather(self) -> types.Weights:
        """Return all rows, in the order of the sources."""
        with Tasks(self._graph.engine) as tasks:
            rows: types.Weights = np.concatenate(tasks.gather(self.handles))
        return rows

    def collection(self) -> Collection:
        """Return a collection of the engine: the columns source, target and distance.

        A Dask DataFrame or a Ray Dataset; of `LocalEngine` a list of dictionaries of arrays. Each
        block of sources is a partition, with a row for each pair, in the order of `gather`.
        """
        engine, names = self._graph.engine, self._graph.names or []
        with Tasks(engine) as tasks:
            tables = [
                tasks.submit(_table, part, self._targets, rows, *names)
                for part, rows in zip(self.sources, self.handles, strict=True)
            ]
            kinds = tasks.gather([tasks.submit(_values.dtypes, tables[0])])[0]
        return engine.collection(tables, kinds)


def many_to_many(
    graph: PartitionedGraph,
    sources: types.Vertices,
    targets: types.Vertices | None = None,
    *,
    directed: bool = True,
    unweighted: bool = False,
    device: types.Device = "auto",
) -> DistanceRows:
    """Find the distances from many vertices to all, or to some.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph. Each worker must be able to hold it.
    sources, targets : sequence
        Vertices, by name where vertices have names; without targets, all vertices.
    directed, unweighted
        As for `warpgraph.many_to_many`.
    device : str
        Where workers run; see `warpgraph.devices`.

    Returns
    -------
    DistanceRows
        A row for each source: those of `warpgraph.many_to_many`.

    Raises
    ------
    MemoryError
        The graph does not fit in the memory of a task. Edges are read until that is known, but
        not collected.

    Notes
    -----
    One task collects all edges, which takes 48 bytes each with weights of 4 bytes, 64 with weights
    of 8; the engine then copies the graph, 8 or 12 bytes an edge, to each worker that searches
    (Dask), or to each host, where its workers share it (Ray).

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> path = wg.distributed.graph([([0, 1], [1, 2], [4.0, 1.0])], engine, n_vertices=3)
    >>> wg.distributed.many_to_many(path, [2, 0], [1], directed=False).gather().tolist()
    [[1.0], [4.0]]
    """
    graph = partitioned(graph)
    chosen = graph.numbers_of(sources, "sources")
    wanted = None if targets is None else graph.numbers_of(targets, "targets")
    options = {
        "directed": validate.flag(directed, "directed"),
        "unweighted": validate.flag(unweighted, "unweighted"),
        "device": device,
    }
    n, engine = graph.n_vertices, graph.engine
    n_parts = max(1, min(len(chosen), _BLOCKS_A_SLOT * engine.slots))
    parts = np.array_split(chosen, n_parts)
    with Tasks(engine) as tasks:
        limit = engine.memory_limit
        chunk = _core.edges_at_a_time("many_to_many", limit)
        blocks = divided(graph.blocks, chunk) if limit else graph.blocks
        read = [tasks.submit(_edges, n, chunk, b.read, *b.arguments, pieces=2) for b in blocks]
        if limit:
            _check_memory(tasks, n, limit, [pair[1] for pair in read])
        whole = tasks.submit(_whole, n, *(pair[0] for pair in read))
        del read
        rows = [tasks.submit(_search, whole, part, wanted, options) for part in parts]
        return DistanceRows(graph, tasks.finish(rows), parts, wanted)


def _check_memory(tasks: Tasks, n: int, limit: int, sizes: list[Handle]) -> None:
    """Refuse the graph as soon as blocks that were read show that no task can put it together."""
    n_bytes, others = 0, sizes
    _core.require_whole_graph(limit, n, n_bytes)
    while others:
        done, others = tasks.wait(others)
        n_bytes += sum(tasks.engine.gather(done))
        _core.require_whole_graph(limit, n, n_bytes)


def _edges(
    n: int, chunk: int, read: Callable[..., Iterator[Chunk]], *arguments: Any
) -> tuple[list[Chunk], int]:
    """Return the edges of a block in the types of the core, and their bytes."""
    kept = []
    for tails, heads, weights in read(chunk, *arguments):
        check_ends(tails, heads, n)
        kept.append((tails.astype(np.int32), heads.astype(np.int32), weights.copy()))
    return kept, sum(array.nbytes for arrays in kept for array in arrays)


def _whole(n: int, *blocks: list[Chunk]) -> tuple[Array, Array, Array]:
    """Return the CSR arrays of all edges."""
    chunks = [chunk for block in blocks for chunk in block if len(chunk[0])]
    if not chunks:
        return np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0)
    check_types(weights for _, _, weights in chunks)
    tails, heads, weights = map(np.concatenate, zip(*chunks, strict=True))
    graph = Graph.from_edges(tails, heads, weights, n_vertices=n)
    return graph.indptr, graph.indices, graph.data


def _search(
    arrays: tuple[Array, Array, Array], sources: Array, targets: Any, options: dict[str, Any]
) -> Array:
    rows: Array = _many_to_many.many_to_many(Graph._of_own(*arrays), sources, targets, **options)
    return rows


def _table(sources: Array, targets: Array | None, rows: Array, *names: Array) -> dict[str, Array]:
    """Return the distances of some sources as columns."""
    ends = np.arange(rows.shape[1]) if targets is None else targets
    pairs = np.repeat(sources, len(ends)), np.tile(ends, len(sources))
    if names:
        name = np.concatenate(names)
        source, target = (name[vertices] for vertices in pairs)
    else:
        source, target = (vertices.astype(np.int64) for vertices in pairs)
    return {"source": source, "target": target, "distance": rows.ravel()}
