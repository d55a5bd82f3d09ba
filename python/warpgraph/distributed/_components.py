"""distributed.connected_components: sets of each block, merged in a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._graph.graph import Graph
from warpgraph._search.connected_components import connected_components as label
from warpgraph.distributed import _values
from warpgraph.distributed._engine import Tasks, check_arity
from warpgraph.distributed._graph import PartitionedGraph, partitioned
from warpgraph.distributed._tasks.blocks import Chunk, check_ends
from warpgraph.distributed._values import VertexValues

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]


def connected_components(
    graph: PartitionedGraph, *, arity: int = 4, device: types.Device = "auto"
) -> VertexValues:
    """Label the weakly connected components.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph. Weights do not matter.
    arity : int
        How many results are merged at a time, at most.
    device : str
        Where workers run; see `warpgraph.devices`.

    Returns
    -------
    VertexValues
        Labels, int32: components are numbered from 0 in the order of their smallest vertices, as by
        `warpgraph.connected_components`.

    Notes
    -----
    Each task finds the components of its blocks and returns them as pairs (vertex, smallest vertex
    of its component), for all vertices but the smallest. They are merged as edges of a graph, first
    on each worker, then ``workers - 1`` of them move. A task takes about 40 bytes for each vertex,
    and what moves is at most 8 bytes for each.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> blocks = [([0, 3], [1, 4]), ([4], [5])]
    >>> edges = wg.distributed.graph(blocks, engine, weight=None, n_vertices=6)
    >>> wg.distributed.connected_components(edges).gather().tolist()
    [0, 0, 1, 2, 2, 2]
    """
    graph = partitioned(graph)
    arity = check_arity(arity)
    engine, n = graph.engine, graph.n_vertices
    chunk = _core.edges_at_a_time("components", engine.memory_limit, n)
    with Tasks(engine) as tasks:
        found = graph.each_block(tasks, _of_block, n, chunk, device)
        pairs = [pair[0] for pair in found]
        del found
        if not pairs:
            pairs = [tasks.submit(_merged, n, device)]
        root = tasks.merge(pairs, _merged, arity, n, device)
        parts = len(graph.offsets) - 1
        ranges = tasks.split(_labels, graph.offsets, device, root, pieces=parts)
        del root
        return VertexValues(graph, tasks.finish(ranges), "component", np.int32)


def _of_block(
    n: int,
    chunk: int,
    device: Any,
    first_key: int,
    read: Callable[..., Iterator[Chunk]],
    *arguments: Any,
) -> tuple[Array, int]:
    """Return the pairs of a block, and the number of its edges."""
    pairs, count = np.empty((2, 0), np.int32), 0
    for tails, heads, _ in read(chunk, *arguments):
        check_ends(tails, heads, n)
        new = np.stack([tails.astype(np.int32, copy=False), heads.astype(np.int32, copy=False)])
        pairs = _merged(n, device, pairs, new)
        count += len(tails)
    return pairs, count


def _merged(n: int, device: Any, *sets: Array) -> Array:
    """Return the pairs (vertex, smallest vertex of its component), shape (2, k)."""
    smallest = _smallest(n, device, *sets)
    vertices = np.flatnonzero(smallest != np.arange(n, dtype=np.int32)).astype(np.int32)
    return np.stack([vertices, smallest[vertices]])


def _smallest(n: int, device: Any, *sets: Array) -> Array:
    """Return the smallest vertex of the component of each vertex."""
    labels, count = _label(n, device, *sets)
    first = np.empty(count, np.int32)
    # Of equal indices the last assignment counts: that of the smallest vertex.
    first[labels[::-1]] = np.arange(n - 1, -1, -1, dtype=np.int32)
    return first[labels]


def _label(n: int, device: Any, *sets: Array) -> tuple[Array, int]:
    pairs = np.concatenate([np.empty((2, 0), np.int32), *sets], axis=1)
    weights = np.zeros(pairs.shape[1], np.int32)
    graph = Graph.from_edges(pairs[0], pairs[1], weights, n_vertices=n)
    count, labels = label(graph, device=device)
    return labels, count


def _labels(offsets: Array, device: Any, pairs: Array) -> list[Array]:
    """Return the labels of each range of vertices."""
    labels, _ = _label(int(offsets[-1]), device, pairs)
    return _values.cut(offsets, labels)
