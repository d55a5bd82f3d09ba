"""A graph whose edges are blocks on the workers of an engine."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.errors import of_kind
from warpgraph.distributed._engine import Engine, Handle, Tasks
from warpgraph.distributed._tasks import blocks as _blocks, renumber
from warpgraph.distributed._tasks.blocks import Block, Columns

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]

#: Vertices are int32 in the core.
_MAX_VERTICES = 2**31 - 1
#: Blocks for each slot of the engine, if files are cut into blocks. A slot reads them one after the
#: other, and a worker that dies loses only one of them.
_BLOCKS_A_SLOT = 2


class PartitionedGraph:
    """A graph whose edges lie in blocks on the workers of an engine, or in files.

    `graph`, `warpgraph.dask.graph` and `warpgraph.ray.graph` make it.

    Attributes
    ----------
    engine : Engine
        Runs the tasks of all functions of this graph.
    n_vertices : int
        Number of vertices.
    n_blocks : int
        Number of blocks of edges; a task reads one at a time.
    is_renumbered : bool
        Whether vertices have names, which results then have, too. Vertex i has the i-th name in
        ascending order, as in `warpgraph.Graph.from_dataframe`.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> wg.distributed.graph([(["a", "b"], ["c", "a"])], engine, weight=None)
    <warpgraph.distributed.PartitionedGraph: 3 vertices with names, 1 block of edges>
    """

    def __init__(
        self,
        engine: Engine,
        blocks: Sequence[Block],
        offsets: Array,
        names: Sequence[Handle] | None = None,
    ) -> None:
        self.engine = engine
        self.blocks = list(blocks)
        #: The vertices ``offsets[r] .. offsets[r + 1] - 1`` are range r of results.
        self.offsets = offsets
        #: A handle for each range, of the names of its vertices, ascending.
        self.names = None if names is None else list(names)

    def __repr__(self) -> str:
        named = " with names" if self.is_renumbered else ""
        vertices = f"{self.n_vertices} vert{'ex' if self.n_vertices == 1 else 'ices'}{named}"
        blocks = f"{self.n_blocks} block{'s' * (self.n_blocks != 1)} of edges"
        return f"<warpgraph.distributed.PartitionedGraph: {vertices}, {blocks}>"

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return int(self.offsets[-1])

    @property
    def n_blocks(self) -> int:
        """Number of blocks of edges."""
        return len(self.blocks)

    @property
    def is_renumbered(self) -> bool:
        """True if vertices have names."""
        return self.names is not None

    def number_of(self, name: Hashable, argument: str) -> int:
        """Return the number of a vertex that a caller passed as `argument`."""
        if self.names is None:
            return validate.vertex(name, self.n_vertices, argument)
        return int(self.numbers_of([name], argument)[0])

    def numbers_of(self, names: types.Vertices, argument: str) -> Array:
        """Return the numbers of vertices that a caller passed as `argument`, int32."""
        if self.names is None:
            return validate.vertices(names, self.n_vertices, argument)
        items = validate.items(names, argument, "names of vertices")
        return renumber.numbers_of(self.engine, self.names, self.offsets, items, argument)

    def each_block(self, tasks: Tasks, function: Callable[..., Any], *options: Any) -> list[Any]:
        """Start a task for each block: ``function(*options, first_key, read, *arguments)``.

        ``first_key`` is the key of the block's first edge; `Block` describes the others. The
        function returns two results.
        """
        return [
            tasks.submit(
                function,
                *options,
                i * _blocks.MAX_EDGES_OF_A_BLOCK,
                block.read,
                *block.arguments,
                pieces=2,
            )
            for i, block in enumerate(self.blocks)
        ]


def partitioned(graph: Any) -> PartitionedGraph:
    """Return an argument `graph` of functions on an engine, or refuse it."""
    return of_kind(graph, PartitionedGraph, "graph", "warpgraph.distributed.graph makes it")


def graph(
    edges: str | os.PathLike[str] | Sequence[Handle],
    engine: Engine,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = "auto",
    direction: str | None = "auto",
    n_vertices: int | None = None,
    n_blocks: int | None = None,
) -> PartitionedGraph:
    """Make a graph of edges that workers read, a block at a time.

    Parameters
    ----------
    edges : path or list
        A Parquet file, or a folder with files ``*.parquet``, which all workers can read. Or a list
        of blocks: handles of the engine, or values. A block is a table (pandas, polars or pyarrow),
        a dictionary of arrays, a tuple of arrays (tails, heads, weights), or a list of tuples
        (tail, head, weight).
    engine : Engine
        Where tasks run.
    source, target, weight : str, optional
        The columns of tables and dictionaries; by default, as for `Graph.from_dataframe`.
        ``weight=None``: all edges weigh 1; then tuples may have two items.
    direction : str, optional
        The column of tables and dictionaries that tells directions, as for `Graph.from_dataframe`.
        Edges that lead both ways or backwards are refused here, since the mirror of one may be in
        another block. None: each edge leads from its source to its target.
    n_vertices : int, optional
        The ends are the numbers 0 .. n_vertices - 1. Without it, they are the names of the
        vertices, any int64 or strings, and are numbered first, which reads the edges once more.
    n_blocks : int, optional
        Into how many blocks files are cut, at most one for each row group; by default, two for
        each slot of the engine. With more, merging takes longer, and a worker that dies loses less.

    Returns
    -------
    PartitionedGraph
        The graph. If its vertices have no names, only the footers of files have been read yet.

    Raises
    ------
    ValueError
        There are no edges to read, or a name of a vertex is missing or beyond int64.
    TypeError
        Names are neither all integers nor all strings.

    Notes
    -----
    Names are numbered by their rank: workers sort the distinct names of each block, exchange them
    by ranges that a sample of all blocks defines, and send the ranks back. A worker then has the
    names of a block and of a range, 8 bytes each where they are integers, and the engine keeps the
    numbered edges, 16 bytes each with float64 weights. Numbers do not depend on the blocks.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> blocks = [([0, 1], [1, 2], [5.0, 1.0]), ([0], [2], [2.0])]
    >>> triangle = wg.distributed.graph(blocks, engine, n_vertices=3)
    >>> wg.distributed.minimum_spanning_forest(triangle).gather().edges.tolist()
    [[1, 2], [0, 2]]
    """
    if not hasattr(engine, "submit"):
        raise TypeError(
            "engine must be an engine such as warpgraph.distributed.LocalEngine(), got "
            f"{type(engine).__name__}"
        )
    columns = Columns(source, target, weight, direction)
    if isinstance(edges, str | os.PathLike):
        count = _BLOCKS_A_SLOT * engine.slots if n_blocks is None else n_blocks
        count = validate.count(count, "n_blocks", least=1, most=1 << 22)
        blocks = _blocks.of_parquet(os.fspath(edges), columns, count)
    elif isinstance(edges, list):
        blocks = _blocks.of_values(edges, columns)
    else:
        raise TypeError(f"edges must be a path or a list of blocks, got {type(edges).__name__}")
    if n_vertices is None:
        if not blocks:
            return PartitionedGraph(engine, [], np.zeros(2, np.int64))
        return PartitionedGraph(engine, *renumber.renumbered(engine, blocks))
    n = validate.count(n_vertices, "n_vertices", most=_MAX_VERTICES)
    return PartitionedGraph(engine, blocks, even_ranges(n, engine.slots))


def even_ranges(n_vertices: int, slots: int) -> Array:
    """Return the offsets of ranges of about as many vertices each, one for each slot."""
    n_ranges = max(1, min(slots, n_vertices))
    return np.arange(n_ranges + 1, dtype=np.int64) * n_vertices // n_ranges
