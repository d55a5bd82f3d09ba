"""distributed.bfs and sssp: ranges of vertices search by themselves, then exchange distances."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

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
#: Heads, the lengths of paths to them, and the vertices before them on these.
Parents = tuple[Array, Array, Array]

#: Arcs whose tails are compared at a time.
_ARCS_AT_ONCE = 1 << 20
_NO_VERTEX = np.iinfo(np.int32).max


class _State(NamedTuple):
    """The search in a range of vertices."""

    distances: Array
    waiting: Array  # bool: vertices whose arcs have not been relaxed since their distance fell


class _Tree(NamedTuple):
    """The tree of shortest paths in a range of vertices, as far as it is known."""

    predecessors: Array
    lacking: Array  # bool: reached vertices whose predecessor is not known yet
    offering: Array  # bool: vertices that may be predecessors of others in the next round


@overload
def sssp(
    graph: PartitionedGraph,
    source: Any,
    *,
    directed: bool = True,
    unweighted: bool = False,
    delta: float | None = None,
    return_predecessors: Literal[False] = False,
) -> VertexValues: ...
@overload
def sssp(
    graph: PartitionedGraph,
    source: Any,
    *,
    directed: bool = True,
    unweighted: bool = False,
    delta: float | None = None,
    return_predecessors: Literal[True],
) -> tuple[VertexValues, VertexValues]: ...
@overload
def sssp(
    graph: PartitionedGraph,
    source: Any,
    *,
    directed: bool = True,
    unweighted: bool = False,
    delta: float | None = None,
    return_predecessors: bool,
) -> VertexValues | tuple[VertexValues, VertexValues]: ...
def sssp(
    graph: PartitionedGraph,
    source: Any,
    *,
    directed: bool = True,
    unweighted: bool = False,
    delta: float | None = None,
    return_predecessors: bool = False,
) -> VertexValues | tuple[VertexValues, VertexValues]:
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
    return_predecessors : bool
        Return the tree of shortest paths, too.

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

    Notes
    -----
    Arcs are sent to the owners of their tails first, 12 bytes each. A round waits for a task of
    each range, tens of milliseconds on a cluster. There are about as many as a path crosses ranges:
    a handful on social networks, thousands on road networks. Where one machine holds the graph,
    `warpgraph.sssp` is faster by orders of magnitude.

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
    directed = _validate.flag(directed, "directed")
    unweighted = _validate.flag(unweighted, "unweighted")
    width = np.inf if delta is None else float(_validate.real(delta, "delta"))
    if not width > 0:
        raise ValueError(f"delta must be above 0, got {delta}")
    wants_tree = _validate.flag(return_predecessors, "return_predecessors")
    first = graph.number_of(source, "source")
    with Tasks(graph.engine) as tasks:
        arcs, states = _searched(tasks, graph, first, directed, unweighted, width)
        found = tasks.finish([tasks.submit(_distances, state) for state in states])
        distances = VertexValues(graph, found, "distance", np.float64)
        return (distances, _tree(tasks, graph, first, arcs, states)) if wants_tree else distances


@overload
def bfs(
    graph: PartitionedGraph,
    source: Any,
    *,
    directed: bool = True,
    return_predecessors: Literal[False] = False,
) -> VertexValues: ...
@overload
def bfs(
    graph: PartitionedGraph,
    source: Any,
    *,
    directed: bool = True,
    return_predecessors: Literal[True],
) -> tuple[VertexValues, VertexValues]: ...
@overload
def bfs(
    graph: PartitionedGraph, source: Any, *, directed: bool = True, return_predecessors: bool
) -> VertexValues | tuple[VertexValues, VertexValues]: ...
def bfs(
    graph: PartitionedGraph,
    source: Any,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
) -> VertexValues | tuple[VertexValues, VertexValues]:
    """Find the fewest edges from one vertex to all.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph.
    source : int or str
        The vertex to start from, by name where vertices have names.
    directed : bool
        If False, edges can be walked both ways.
    return_predecessors : bool
        Return the tree as well.

    Returns
    -------
    hops : VertexValues
        Hops, int32, -1 where there is no path, as by `warpgraph.bfs`.
    predecessors : VertexValues
        Only if `return_predecessors`: the number of the smallest vertex one hop nearer from which
        an edge leads here, int32; -1 for the source and for unreached vertices.

    Notes
    -----
    A round for each hop, as `sssp` with all weights 1 and ``delta=1``, and one for predecessors.

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
    wants_tree = _validate.flag(return_predecessors, "return_predecessors")
    first = graph.number_of(source, "source")
    with Tasks(graph.engine) as tasks:
        arcs, states = _searched(tasks, graph, first, directed, True, 1.0)
        found = tasks.finish([tasks.submit(_hops, state) for state in states])
        hops = VertexValues(graph, found, "hops", np.int32)
        return (hops, _tree(tasks, graph, first, arcs, states)) if wants_tree else hops


def _searched(
    tasks: Tasks,
    graph: PartitionedGraph,
    source: int,
    directed: bool,
    unweighted: bool,
    width: float,
) -> tuple[list[Handle], list[Handle]]:
    """Return the handles of each range's arcs and of its state at the end."""
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
            return arcs, states
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


def _tree(
    tasks: Tasks,
    graph: PartitionedGraph,
    source: int,
    arcs: list[Handle],
    states: list[Handle],
) -> VertexValues:
    """Return the predecessors.

    The first round finds them among nearer vertices. Each further one, over arcs that add nothing,
    finds those of vertices one step closer to the ones that have a predecessor.
    """
    offsets, n_ranges = graph.offsets, len(graph.offsets) - 1
    trees = [tasks.submit(_no_tree, r, offsets, source, states[r]) for r in range(n_ranges)]
    is_flat = False
    while True:
        cut = [
            tasks.split(
                _parents, r, offsets, is_flat, arcs[r], states[r], trees[r], pieces=n_ranges
            )
            for r in range(n_ranges)
        ]
        made = [
            tasks.submit(
                _grown, offsets[r], is_flat, states[r], trees[r], *(p[r] for p in cut), pieces=2
            )
            for r in range(n_ranges)
        ]
        trees = [part[0] for part in made]
        if not any(tasks.gather([part[1] for part in made])):
            found = tasks.finish([tasks.submit(_predecessors, tree) for tree in trees])
            return VertexValues(graph, found, "predecessor", np.int32)
        is_flat = True


def _no_tree(r: int, offsets: Array, source: int, state: _State) -> _Tree:
    reached = np.isfinite(state.distances)
    lacking = reached & (np.arange(offsets[r], offsets[r + 1]) != source)
    return _Tree(np.full(len(reached), -1, np.int32), lacking, reached)


def _parents(
    r: int,
    offsets: Array,
    is_flat: bool,
    arcs: tuple[Array, Array, Array],
    state: _State,
    tree: _Tree,
) -> list[Parents]:
    """Return the parents that a range offers to the vertices of each range.

    is_flat: along arcs that add nothing, otherwise along all others.
    """
    tails = np.flatnonzero(tree.offering)
    n_arcs = np.cumsum(arcs[0][tails + 1] - arcs[0][tails])
    n_parts = int(n_arcs[-1]) // _ARCS_AT_ONCE + 1 if len(tails) else 0
    cuts = np.searchsorted(n_arcs, np.arange(1, n_parts) * _ARCS_AT_ONCE)
    none = np.empty(0, np.int32), np.empty(0), np.empty(0, np.int32)
    parts = [
        _parents_among(part, offsets[r], is_flat, arcs, state.distances)
        for part in np.split(tails, cuts)
        if len(part)
    ]
    heads, lengths, found = _smallest(*map(np.concatenate, zip(none, *parts, strict=True)))
    cuts = np.searchsorted(heads, offsets[1:-1])
    return [*zip(*(np.split(array, cuts) for array in (heads, lengths, found)), strict=True)]


def _parents_among(
    tails: Array,
    first: int,
    is_flat: bool,
    arcs: tuple[Array, Array, Array],
    distances: Array,
) -> Parents:
    heads, lengths = _relaxed(arcs, tails, distances)
    tails = np.repeat(tails, arcs[0][tails + 1] - arcs[0][tails])
    adds = lengths > distances[tails]
    usable = ~adds if is_flat else adds & (lengths < np.inf)
    return _smallest(heads[usable], lengths[usable], (first + tails[usable]).astype(np.int32))


def _smallest(heads: Array, lengths: Array, tails: Array) -> Parents:
    """Return each head once, ascending, with its least length, and the smallest tail for that."""
    order = np.lexsort((tails, lengths, heads))
    heads = heads[order]
    chosen = np.ones(len(heads), bool)
    chosen[1:] = heads[1:] != heads[:-1]
    return heads[chosen], lengths[order[chosen]], tails[order[chosen]]


def _grown(first: int, is_flat: bool, state: _State, tree: _Tree, *offers: Parents) -> list[Any]:
    """Return the tree with the smallest parent on a shortest path, and whether some lack one."""
    found = np.full(len(tree.predecessors), _NO_VERTEX, np.int32)
    for heads, lengths, tails in offers:
        ends_path = lengths == state.distances[heads - first]
        np.minimum.at(found, heads[ends_path] - first, tails[ends_path])
    joined = tree.lacking & (found < _NO_VERTEX)
    lacking = tree.lacking & ~joined
    offering = joined if is_flat else np.isfinite(state.distances) & ~lacking
    predecessors = np.where(joined, found, tree.predecessors)
    return [_Tree(predecessors, lacking, offering), bool(lacking.any())]


def _predecessors(tree: _Tree) -> Array:
    return tree.predecessors
