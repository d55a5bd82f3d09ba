"""distributed.bfs and sssp: their arguments and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpgraph._arguments import validate
from warpgraph.distributed._engine import Tasks
from warpgraph.distributed._graph import PartitionedGraph, partitioned
from warpgraph.distributed._tasks import rounds
from warpgraph.distributed._values import VertexValues

if TYPE_CHECKING:
    from warpgraph._arguments import types


def sssp(
    graph: PartitionedGraph,
    source: types.Vertex,
    *,
    directed: bool = True,
    unweighted: bool = False,
    delta: float | None = None,
    return_predecessors: bool = False,
) -> types.ValuesOrTuple:
    """Find the distances of all vertices from one.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph. Weights must be at least 0; a weight of inf is an edge that is never used.
    source : int, or name of a vertex
        The vertex to start from: its name if the graph has names, else its number.
    directed : bool
        False: edges have no direction.
    unweighted : bool
        True: every edge weighs 1.
    delta : float, optional
        The vertices are divided into ranges, one for each task of a round. In a round, each range
        relaxes its vertices up to `delta` beyond the nearest waiting vertex of all ranges, as in
        delta-stepping [1]_. By default it searches until none of its vertices waits: the fewest
        rounds, and the most distances that are corrected later.
    return_predecessors : bool
        Return predecessors, too.

    Returns
    -------
    distances : VertexValues
        Distances, float64, inf where there is no path: the bits of `warpgraph.sssp` with
        ``dtype=float64``.
    predecessors : VertexValues
        Only if `return_predecessors`: the number of the vertex before each on its path, int32, -1
        for the source and the unreachable. It is that of `warpgraph.sssp`, ties included.

    Raises
    ------
    ValueError
        A weight is negative or NaN, or there is no such vertex.
    OverflowError
        An integer weight is beyond 2**53.
    MemoryError
        The arrays of a search, about 44 bytes for each vertex and 36 for each of a range, do not
        fit in the memory of a task.

    Notes
    -----
    Arcs are sent to the owners of their tails first, 16 bytes each. A round waits for a task of
    each range, tens of milliseconds on a cluster. There are about as many rounds as a shortest path
    passes from one range to another: a handful on social networks, thousands on road networks.
    Where one machine holds the graph, `warpgraph.sssp` is faster by orders of magnitude.

    Where the arcs of a range do not fit in the memory of a task, they are in parts, which the
    engine keeps, on disk where memory is short. A round takes a task for each part that has arcs of
    a vertex to relax. Where a vertex has arcs in several parts, paths through it advance by one
    edge in a round. Edges in the order of their tails take the fewest rounds, since then hardly any
    vertex has arcs in two parts.

    Predecessors take one more round, over all arcs. Vertices that are reached only by edges that
    add nothing (of weight zero, or that vanish in rounding) take a round for each such edge of the
    longest chain.

    References
    ----------
    .. [1] Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal of
       Algorithms 49, 2003.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> blocks = [([0, 1], [1, 2], [4.0, 1.0]), ([0], [2], [7.0])]
    >>> roads = wg.distributed.graph(blocks, engine, n_vertices=4)
    >>> wg.distributed.sssp(roads, 0).gather().tolist()
    [0.0, 4.0, 5.0, inf]
    """
    graph = partitioned(graph)
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    width = np.inf if delta is None else validate.as_float(delta, "delta")
    if not width > 0:
        raise ValueError(f"delta must be above 0, got {delta}")
    wants_tree = validate.flag(return_predecessors, "return_predecessors")
    first = graph.number_of(source, "source")
    with Tasks(graph.engine) as tasks:
        parts, states = rounds.search(tasks, graph, first, directed, unweighted, width, "sssp")
        distances = VertexValues(graph, rounds.distances(tasks, states), "distance", np.float64)
        if not wants_tree:
            return distances
        tree = rounds.tree(tasks, graph, first, parts, states)
        return distances, VertexValues(graph, tree, "predecessor", np.int32)


def bfs(
    graph: PartitionedGraph,
    source: types.Vertex,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
) -> types.ValuesOrTuple:
    """Find the fewest edges from one vertex to all.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph.
    source : int, or name of a vertex
        The vertex to start from: its name if the graph has names, else its number.
    directed : bool
        False: edges have no direction.
    return_predecessors : bool
        Return predecessors, too.

    Returns
    -------
    hops : VertexValues
        Hops, int32, -1 where there is no path, as by `warpgraph.bfs`.
    predecessors : VertexValues
        Only if `return_predecessors`: the number of the smallest vertex one hop nearer from which
        an edge leads here, int32; -1 for the source and for unreached vertices.

    Notes
    -----
    The search takes a round for each hop, like `sssp` with all weights 1 and ``delta=1``, and one
    more for predecessors. The notes of `sssp` on memory hold here, too.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> blocks = [([0, 1], [1, 2]), ([3], [0])]
    >>> edges = wg.distributed.graph(blocks, engine, weight=None, n_vertices=4)
    >>> wg.distributed.bfs(edges, 0).gather().tolist()
    [0, 1, 2, -1]
    """
    graph = partitioned(graph)
    directed = validate.flag(directed, "directed")
    wants_tree = validate.flag(return_predecessors, "return_predecessors")
    first = graph.number_of(source, "source")
    with Tasks(graph.engine) as tasks:
        parts, states = rounds.search(tasks, graph, first, directed, True, 1.0, "bfs")
        hops = VertexValues(graph, rounds.hops(tasks, states), "hops", np.int32)
        if not wants_tree:
            return hops
        tree = rounds.tree(tasks, graph, first, parts, states)
        return hops, VertexValues(graph, tree, "predecessor", np.int32)
