"""distributed.degrees and statistics: numbers about vertices and weights, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph.distributed import _values
from warpgraph.distributed._engine import Tasks
from warpgraph.distributed._graph import PartitionedGraph, partitioned
from warpgraph.distributed._tasks.blocks import Chunk, check_ends
from warpgraph.distributed._values import VertexValues

Array = npt.NDArray[Any]

_KINDS = ("both", "out", "in")


@dataclass(frozen=True)
class GraphStatistics:
    """Numbers about a graph.

    Attributes
    ----------
    n_vertices, n_edges, n_loops : int
        Vertices; edges, parallel ones and loops included; loops.
    n_isolated : int
        Vertices without an edge.
    largest_degree : int
        Most ends of edges at a vertex.
    degree_counts : list of int
        Number of vertices of degree 0, 1, 2 .. 3, 4 .. 7, and so on.
    least_weight, greatest_weight : float
        Least and greatest weight of all edges; inf and -inf without edges.
    weight_sum : float
        Sum of the weights, rounded for each chunk of edges.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> star = wg.distributed.graph([([0, 0], [1, 2], [3.0, 4.0])], engine, n_vertices=4)
    >>> wg.distributed.statistics(star).degree_counts
    [1, 2, 1]
    """

    n_vertices: int
    n_edges: int
    n_loops: int
    n_isolated: int
    largest_degree: int
    degree_counts: list[int]
    least_weight: float
    greatest_weight: float
    weight_sum: float


def degrees(graph: PartitionedGraph, *, kind: str = "both") -> VertexValues:
    """Count the edges at each vertex.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph.
    kind : {"both", "out", "in"}
        Count the ends of edges, of which a loop has two; or edges that leave; or that arrive.

    Returns
    -------
    VertexValues
        Degrees, int64.

    Notes
    -----
    A task takes 8 bytes for each vertex, and ``workers - 1`` times as much moves between workers.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> star = wg.distributed.graph([([0, 0], [1, 2])], engine, weight=None, n_vertices=4)
    >>> wg.distributed.degrees(star).gather().tolist()
    [2, 1, 1, 0]
    """
    graph = partitioned(graph)
    validate.choice(kind, _KINDS, "kind")
    with Tasks(graph.engine) as tasks:
        root, _ = _counted(tasks, graph, kind)
        ranges = tasks.split(_values.cut, graph.offsets, root, pieces=len(graph.offsets) - 1)
        return VertexValues(graph, tasks.finish(ranges), "degree", np.int64)


def statistics(graph: PartitionedGraph) -> GraphStatistics:
    """Count vertices and edges by degree, and describe the weights.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph. Its edges are read once.

    Returns
    -------
    GraphStatistics
        The numbers.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> edges = wg.distributed.graph([([0, 1], [1, 1], [2.5, 0.5])], engine, n_vertices=3)
    >>> found = wg.distributed.statistics(edges)
    >>> found.n_edges, found.n_loops, found.n_isolated, found.weight_sum
    (2, 1, 1, 3.0)
    """
    graph = partitioned(graph)
    with Tasks(graph.engine) as tasks:
        root, summaries = _counted(tasks, graph, "both")
        counts = tasks.gather([tasks.submit(_by_degree, root)])[0]
        summaries.append((0, 0, np.inf, -np.inf, 0.0))
        edges, loops, least, greatest, total = zip(*summaries, strict=True)
    return GraphStatistics(
        graph.n_vertices,
        sum(edges),
        sum(loops),
        counts[0],
        counts[1],
        counts[2],
        min(least),
        max(greatest),
        sum(total),
    )


def _counted(tasks: Tasks, graph: PartitionedGraph, kind: str) -> tuple[Any, list[Any]]:
    """Return a handle of all degrees, and the summary of each block."""
    n, limit = graph.n_vertices, graph.engine.memory_limit
    chunk = _core.edges_at_a_time("statistics", limit, n)
    found = graph.each_block(tasks, _of_block, n, kind, chunk)
    counts, summaries = [pair[0] for pair in found], [pair[1] for pair in found]
    del found
    if not counts:
        counts = [tasks.submit(np.zeros, n, np.int64)]
    return tasks.merge(counts, _sum, 4), tasks.gather(summaries)


def _of_block(
    n: int,
    kind: str,
    chunk: int,
    first_key: int,
    read: Callable[..., Iterator[Chunk]],
    *arguments: Any,
) -> tuple[Array, tuple[int, int, float, float, float]]:
    """Return the degrees in a block, and (edges, loops, least, greatest, sum of weights)."""
    degree = np.zeros(n, np.int64)
    edges, loops, least, greatest, total = 0, 0, np.inf, -np.inf, 0.0
    for tails, heads, weights in read(chunk, *arguments):
        check_ends(tails, heads, n)
        for ends, other in ((tails, "in"), (heads, "out")):
            if kind != other:
                degree += np.bincount(ends.astype(np.int64), minlength=n)
        edges += len(tails)
        loops += int(np.count_nonzero(tails == heads))
        if len(weights):
            least = min(least, float(weights.min()))
            greatest = max(greatest, float(weights.max()))
        with np.errstate(over="ignore"):
            total += float(weights.sum(dtype=np.float64))
    return degree, (edges, loops, least, greatest, total)


def _sum(*degrees: Array) -> Array:
    total: Array = np.sum(degrees, axis=0)
    return total


def _by_degree(degree: Array) -> tuple[int, int, list[int]]:
    """Return the number of vertices of degree 0, the largest degree, and the histogram."""
    bits = np.frexp(degree.astype(np.float64))[1]  # 0 for 0, 1 for 1, 2 for 2 .. 3
    counts = np.bincount(bits).tolist() if len(degree) else []
    largest = int(degree.max(initial=0))
    return int(np.count_nonzero(degree == 0)), largest, counts
