"""distributed.bfs and sssp: ranges of vertices search by themselves, then exchange distances."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _validate
from warpgraph.distributed import _exchange
from warpgraph.distributed._blocks import Chunk
from warpgraph.distributed._engine import Handle, Tasks
from warpgraph.distributed._graph import PartitionedGraph
from warpgraph.distributed._values import VertexValues

Array = npt.NDArray[Any]
#: Vertices and their distances.
Offers = tuple[Array, Array]


class _State(NamedTuple):
    """The search in a range of vertices."""

    distances: Array
    waiting: Array  # bool: vertices whose arcs have not been relaxed since their distance fell


def sssp(
    graph: PartitionedGraph,
    source: Any,
    *,
    directed: bool = True,
    unweighted: bool = False,
    delta: float | None = None,
) -> VertexValues:
    """Find the distances of all vertices from one.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph, with weights of at least 0; a weight of inf is an edge that is never used.
    source : int or str
        The vertex to start from, by name where vertices have names.
    directed : bool
        If False, edges can be walked both ways.
    unweighted : bool
        If True, all edges weigh 1.
    delta : float, optional
        In each round ranges relax vertices up to `delta` beyond the nearest one that waits, as in
        delta-stepping [1]_. By default each searches to the end: the fewest rounds, and the most
        distances that are corrected later.

    Returns
    -------
    VertexValues
        Distances, float64, inf where there is no path: the bits of `warpgraph.sssp` with
        ``dtype=float64``.

    Raises
    ------
    ValueError
        A weight is negative or NaN, or there is no such vertex.
    OverflowError
        An integer weight is beyond 2**53.

    Notes
    -----
    Arcs are sent to the owners of their tails first, 12 bytes each. A round waits for a task of
    each range, tens of milliseconds on a cluster. There are about as many as a path crosses ranges:
    a handful on social networks, thousands on road networks. Where one machine holds the graph,
    `warpgraph.sssp` is faster by orders of magnitude.

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
    directed = _validate.flag(directed, "directed")
    unweighted = _validate.flag(unweighted, "unweighted")
    width = np.inf if delta is None else float(_validate.real(delta, "delta"))
    if not width > 0:
        raise ValueError(f"delta must be above 0, got {delta}")
    first = graph.number_of(source, "source")
    with Tasks(graph.engine) as tasks:
        states = _searched(tasks, graph, first, directed, unweighted, width)
        found = [tasks.submit(_distances, state) for state in states]
        return VertexValues(graph, tasks.finish(found), "distance", np.float64)


def bfs(graph: PartitionedGraph, source: Any, *, directed: bool = True) -> VertexValues:
    """Find the fewest edges from one vertex to all.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph.
    source : int or str
        The vertex to start from, by name where vertices have names.
    directed : bool
        If False, edges can be walked both ways.

    Returns
    -------
    VertexValues
        Hops, int32, -1 where there is no path, as by `warpgraph.bfs`.

    Notes
    -----
    A round for each hop, as `sssp` with all weights 1 and ``delta=1``.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> blocks = [([0, 1], [1, 2]), ([3], [0])]
    >>> edges = wg.distributed.graph(blocks, engine, weight=None, n_vertices=4)
    >>> wg.distributed.bfs(edges, 0).gather().tolist()
    [0, 1, 2, -1]
    """
    directed = _validate.flag(directed, "directed")
    first = graph.number_of(source, "source")
    with Tasks(graph.engine) as tasks:
        states = _searched(tasks, graph, first, directed, True, 1.0)
        found = [tasks.submit(_hops, state) for state in states]
        return VertexValues(graph, tasks.finish(found), "hops", np.int32)


def _searched(
    tasks: Tasks,
    graph: PartitionedGraph,
    source: int,
    directed: bool,
    unweighted: bool,
    width: float,
) -> list[Handle]:
    """Return the handles of the states at the end."""
    offsets, n_ranges = graph.offsets, len(graph.offsets) - 1
    arcs = _exchange.by_range(tasks, graph, 0, _rows, not directed, unweighted, True)
    states = [tasks.submit(_none_reached, offsets, r) for r in range(n_ranges)]
    offers: list[list[Any]] = [[(np.array([source]), np.zeros(1))] for _ in range(n_ranges)]
    bound = 0.0 + width
    while True:
        made = [
            tasks.submit(
                _round, r, offsets, bound, arcs[r], states[r], *offers[r], pieces=n_ranges + 2
            )
            for r in range(n_ranges)
        ]
        states = [part[0] for part in made]
        nearest = min(tasks.gather([part[1] for part in made]))
        if nearest == np.inf:
            return states
        offers = [[part[2 + r] for part in made] for r in range(n_ranges)]
        # Beside a great distance the width may round to nothing.
        bound = max(nearest + width, float(np.nextafter(nearest, np.inf)))


def _rows(r: int, offsets: Array, *parts: Chunk) -> tuple[Array, Array, Array]:
    """Return the arcs from a range as CSR arrays."""
    tails, heads, weights = _exchange.joined(parts)
    return _exchange.rows_of(offsets[r], offsets[r + 1] - offsets[r], tails, heads, weights)


def _none_reached(offsets: Array, r: int) -> _State:
    n = offsets[r + 1] - offsets[r]
    return _State(np.full(n, np.inf), np.zeros(n, bool))


def _round(
    r: int,
    offsets: Array,
    bound: float,
    arcs: tuple[Array, Array, Array],
    state: _State,
    *offers: Offers,
) -> list[Any]:
    """Take the offers of other ranges, and relax vertices at distances below a bound.

    Returns the state, the distance of the nearest vertex that waits, here or in an offer, and the
    offers to each range.
    """
    first, last = offsets[r], offsets[r + 1]
    state = _State(state.distances.copy(), state.waiting.copy())
    for vertices, lengths in offers:
        here = (vertices >= first) & (vertices < last)
        _lower(state, vertices[here] - first, lengths[here])
    distances, waiting = state
    frontier = np.flatnonzero(waiting & (distances < bound))
    heads: list[Array] = [np.empty(0, np.int32)]
    lowest: list[Array] = [np.empty(0)]
    while len(frontier):
        waiting[frontier] = False
        ends, at = _relaxed(arcs, frontier, distances)
        here = (ends >= first) & (ends < last)
        heads.append(ends[~here])
        lowest.append(at[~here])
        lowered = _lower(state, ends[here] - first, at[here])
        frontier = lowered[distances[lowered] < bound]
    vertices, offered = _least(np.concatenate(heads), np.concatenate(lowest))
    nearest = min(distances[waiting].min(initial=np.inf), offered.min(initial=np.inf))
    cuts = np.searchsorted(vertices, offsets[1:-1])
    parts = zip(np.split(vertices, cuts), np.split(offered, cuts), strict=True)
    return [state, float(nearest), *parts]


def _relaxed(
    arcs: tuple[Array, Array, Array], frontier: Array, distances: Array
) -> tuple[Array, Array]:
    """Return the heads of all arcs of some vertices, and the distances by way of these."""
    indptr, heads, weights = arcs
    counts = indptr[frontier + 1] - indptr[frontier]
    ends = np.cumsum(counts)
    positions = np.arange(ends[-1]) + np.repeat(indptr[frontier] - ends + counts, counts)
    return heads[positions], np.repeat(distances[frontier], counts) + weights[positions]


def _lower(state: _State, vertices: Array, lengths: Array) -> Array:
    """Lower distances to the lengths that are below them; return the vertices, each once."""
    better = lengths < state.distances[vertices]
    vertices = vertices[better]
    np.minimum.at(state.distances, vertices, lengths[better])
    state.waiting[vertices] = True
    return np.unique(vertices)


def _least(vertices: Array, lengths: Array) -> Offers:
    """Return each vertex once, ascending, with the least of its finite lengths."""
    finite = lengths < np.inf
    vertices, lengths = vertices[finite], lengths[finite]
    order = np.lexsort((lengths, vertices))
    vertices, lengths = vertices[order], lengths[order]
    chosen = np.ones(len(vertices), bool)
    chosen[1:] = vertices[1:] != vertices[:-1]
    return vertices[chosen], lengths[chosen]


def _distances(state: _State) -> Array:
    return state.distances


def _hops(state: _State) -> Array:
    return np.where(np.isfinite(state.distances), state.distances, -1).astype(np.int32)
