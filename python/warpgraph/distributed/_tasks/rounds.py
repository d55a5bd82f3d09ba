"""Searches in rounds: ranges of vertices search by themselves, then exchange distances.

A task takes a range's state and arcs. Where the arcs are in several parts, a round takes a task for
each that may have arcs of a vertex to relax, one after the other, which hand on the state. A vertex
whose arcs are all in one part is relaxed whenever that part is there, another once a round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph.distributed._engine import Handle, Tasks
from warpgraph.distributed._graph import PartitionedGraph
from warpgraph.distributed._tasks import exchange
from warpgraph.distributed._tasks.exchange import Part, Parts, Rows, Span

Array = npt.NDArray[Any]
#: Vertices and their distances.
Offers = tuple[Array, Array]
#: Heads, the lengths of paths to them, and the vertices before them on these.
Parents = tuple[Array, Array, Array]
#: Options of a round: offsets of ranges, marks, the bound on distances, arcs relaxed at a time.
_Options = tuple[Array, Array, float, int]

#: Arcs that are relaxed at a time, and the part of a task's arcs if memory is limited.
_ARCS_AT_ONCE = 1 << 20
_PART_AT_ONCE = 1 / 8
#: Offers to more than this part of all vertices are compared in an array of all.
_PART_OF_ALL = 1 / 8
_NO_VERTEX = np.iinfo(np.int32).max


class _State(NamedTuple):
    """The search in a range of vertices."""

    distances: Array
    waiting: Array  # bool: vertices whose arcs have not been relaxed since their distance fell
    frontier: Array | None  # bool: vertices that all parts relax in this round
    offers: Offers  # of this round, to other ranges


class _Tree(NamedTuple):
    """The tree of shortest paths in a range of vertices, as far as it is known."""

    predecessors: Array
    lacking: Array  # bool: reached vertices whose predecessor is not known yet
    offering: Array  # bool: vertices that may be predecessors of others in the next round


def search(
    tasks: Tasks,
    graph: PartitionedGraph,
    source: int,
    directed: bool,
    unweighted: bool,
    width: float,
    name: str,
) -> tuple[Parts, list[Handle]]:
    """Return the arcs, and the handle of each range's state at the end."""
    offsets, n_ranges = graph.offsets, len(graph.offsets) - 1
    parts = _parts(tasks, graph, directed, unweighted, name)
    at_once = _at_once(parts)
    states = [tasks.submit(_none_reached, offsets, r) for r in range(n_ranges)]
    offers: list[list[Any]] = [[(np.array([source]), np.zeros(1))] for _ in range(n_ranges)]
    lowest = np.full(len(parts.marks), np.inf)
    lowest[np.searchsorted(parts.marks, source, side="right") - 1] = 0.0
    bound = 0.0 + width
    while True:
        options = offsets, parts.marks, bound, at_once
        chosen = [parts.chosen(r, lowest < bound) for r in range(n_ranges)]
        made = _round_of_all(tasks, options, chosen, states, offers)
        states = [part[0] for part in made]
        lowest = np.min(tasks.gather([part[1] for part in made]), axis=0)
        nearest = float(lowest.min())
        if nearest == np.inf:
            return parts, states
        offers = [[part[2 + r] for part in made] for r in range(n_ranges)]
        # Beside a great distance the width may round to nothing.
        bound = max(nearest + width, float(np.nextafter(nearest, np.inf)))


def distances(tasks: Tasks, states: list[Handle]) -> list[Handle]:
    """Return handles of the distances."""
    return tasks.finish([tasks.submit(_distances, state) for state in states])


def hops(tasks: Tasks, states: list[Handle]) -> list[Handle]:
    """Return handles of the distances as numbers of edges."""
    return tasks.finish([tasks.submit(_hops, state) for state in states])


def _parts(
    tasks: Tasks, graph: PartitionedGraph, directed: bool, unweighted: bool, name: str
) -> Parts:
    sizes = graph.engine.memory_limit, graph.n_vertices, int(np.diff(graph.offsets).max())
    most = _core.arcs_of_a_part("search", name, *sizes)
    arcs = exchange.Arcs(0, not directed, unweighted, True)
    return exchange.in_rows(tasks, graph, arcs, most)


def _at_once(parts: Parts) -> int:
    return int(min(_ARCS_AT_ONCE, max(1, parts.most * _PART_AT_ONCE)))


def _none_reached(offsets: Array, r: int) -> _State:
    n = offsets[r + 1] - offsets[r]
    return _State(np.full(n, np.inf), np.zeros(n, bool), None, _no_offers())


def _no_offers() -> Offers:
    return np.empty(0, np.int32), np.empty(0)


def _round_of_all(
    tasks: Tasks,
    options: _Options,
    chosen: list[list[Part]],
    states: list[Handle],
    offers: list[list[Any]],
) -> list[list[Handle]]:
    """Start the tasks of a round; return for each range the handles of what `_round` returns."""

    def step(r: int, part: Part, given: list[Any]) -> Callable[[Handle], Handle]:
        return lambda state: tasks.submit(_relaxed, r, options, part[:2], part.arcs, state, *given)

    steps = [
        [step(r, part, [] if i else offers[r]) for i, part in enumerate(parts[:-1])]
        for r, parts in enumerate(chosen)
    ]
    made = []
    for r, state in enumerate(tasks.chain(states, steps)):
        given = [] if steps[r] else offers[r]
        spans, arcs = (chosen[r][-1][:2], chosen[r][-1].arcs) if chosen[r] else (None, None)
        made.append(
            tasks.submit(_round, r, options, spans, arcs, state, *given, pieces=len(options[0]) + 1)
        )
    return made


def _round(
    r: int,
    options: _Options,
    spans: tuple[Span, Span] | None,
    arcs: Rows | None,
    state: _State,
    *offers: Offers,
) -> list[Any]:
    """Relax the last part of a round, if there is one.

    Returns the state, the least distance of a vertex that waits, here or in an offer, after each
    mark, and the offers to each range.
    """
    offsets, marks, _, _ = options
    state = _relaxed(r, options, spans, arcs, state, *offers)
    vertices, offered = state.offers
    lowest = np.full(len(marks), np.inf)
    waiting = np.flatnonzero(state.waiting)
    for ends, at in ((waiting + offsets[r], state.distances[waiting]), (vertices, offered)):
        np.minimum.at(lowest, np.searchsorted(marks, ends, side="right") - 1, at)
    cuts = np.searchsorted(vertices, offsets[1:-1])
    parts = zip(np.split(vertices, cuts), np.split(offered, cuts), strict=True)
    return [state._replace(frontier=None, offers=_no_offers()), lowest, *parts]


def _relaxed(
    r: int,
    options: _Options,
    spans: tuple[Span, Span] | None,
    arcs: Rows | None,
    state: _State,
    *offers: Offers,
) -> _State:
    """Take the offers of other ranges, and relax vertices of a part at distances below a bound."""
    offsets, _, bound, _ = options
    state = state._replace(distances=state.distances.copy(), waiting=state.waiting.copy())
    for vertices, lengths in offers:
        here = (vertices >= offsets[r]) & (vertices < offsets[r + 1])
        _lower(state, vertices[here] - offsets[r], lengths[here])
    if state.frontier is None:
        state = state._replace(frontier=state.waiting & (state.distances < bound))
        state.waiting[state.frontier] = False
    if spans is None or arcs is None:
        return state
    return _search_part(int(offsets[r]), int(offsets[r + 1]), options, spans, arcs, state)


def _search_part(
    first: int, last: int, options: _Options, spans: tuple[Span, Span], arcs: Rows, state: _State
) -> _State:
    """Relax what all parts relax, and the part's own vertices until none below the bound waits."""
    offsets, _, bound, at_once = options
    (start, stop), own = ((a - first, b - first) for a, b in spans)
    is_own = slice(*own)
    wanted = np.zeros(last - first, bool)
    if state.frontier is not None:
        wanted[start:stop] = state.frontier[start:stop]
    wanted[is_own] |= state.waiting[is_own] & (state.distances[is_own] < bound)
    state.waiting[is_own][wanted[is_own]] = False
    frontier, outside = np.flatnonzero(wanted), _Outside(int(offsets[-1]), at_once, state.offers)
    place = np.empty(last - first, np.int32)
    while len(frontier):
        lowered = [np.empty(0, np.int32)]
        for which, positions in _positions(arcs[0], frontier - start, at_once):
            ends, at = arcs[1][positions], state.distances[frontier[which]] + arcs[2][positions]
            here = (ends >= first) & (ends < last)
            outside.add(ends[~here], at[~here])
            lowered.append(_lower(state, ends[here] - first, at[here]))
        below = np.concatenate(lowered)
        below = below[(below >= own[0]) & (below < own[1])]
        below = below[state.distances[below] < bound]
        if len(below) > _PART_OF_ALL * (own[1] - own[0]):  # in order, which costs a pass over all
            waits = state.waiting[is_own] & (state.distances[is_own] < bound)
            frontier = own[0] + np.flatnonzero(waits)
        else:
            frontier = _once(below, place)
        state.waiting[frontier] = False
    return state._replace(offers=outside.least())


def _once(vertices: Array, place: Array) -> Array:
    """Return each vertex once; `place` has room for a number of each."""
    numbers = np.arange(len(vertices), dtype=place.dtype)
    place[vertices] = numbers
    last: Array = vertices[place[vertices] == numbers]
    return last


def _positions(indptr: Array, rows: Array, at_once: int) -> Iterator[tuple[Array, Array]]:
    """Yield positions of all arcs of some rows, and for each the place of its row among these."""
    counts = indptr[rows + 1] - indptr[rows]
    ends = np.cumsum(counts)
    begins, total = ends - counts, int(ends[-1]) if len(ends) else 0
    for low in range(0, total, at_once):
        high = min(low + at_once, total)
        chosen, taken = np.arange(len(rows)), counts
        if total > at_once:
            chosen = np.arange(np.searchsorted(ends, low, "right"), np.searchsorted(ends, high) + 1)
            taken = np.minimum(ends[chosen], high) - np.maximum(begins[chosen], low)
        which = np.repeat(chosen, taken)
        yield which, np.arange(low, high) + (indptr[rows] - begins)[which]


def _lower(state: _State, vertices: Array, lengths: Array) -> Array:
    """Lower distances to the lengths that are below them; return the vertices."""
    better = lengths < state.distances[vertices]
    vertices = vertices[better]
    np.minimum.at(state.distances, vertices, lengths[better])
    state.waiting[vertices] = True
    return vertices


class _Outside:
    """Offers to other ranges, of which there are never many more than vertices."""

    def __init__(self, n: int, at_once: int, offers: Offers) -> None:
        self._n, self._most = n, max(at_once, n * _PART_OF_ALL)
        self._offers, self._added = [offers], 0

    def add(self, vertices: Array, lengths: Array) -> None:
        """Add offers; vertices may repeat."""
        if len(vertices):
            self._offers.append((vertices, lengths))
            self._added += len(vertices)
        if self._added > self._most:
            self._offers, self._added = [self.least()], 0

    def least(self) -> Offers:
        """Return each vertex once, with the least of its lengths."""
        return _least(self._n, self._offers) if len(self._offers) > 1 else self._offers[0]


def _least(n: int, offers: list[Offers]) -> Offers:
    """Return each vertex once, ascending, with the least of its finite lengths."""
    if sum(len(vertices) for vertices, _ in offers) > n * _PART_OF_ALL:
        least = np.full(n, np.inf)
        for vertices, lengths in offers:
            np.minimum.at(least, vertices, lengths)
        vertices = np.flatnonzero(least < np.inf).astype(np.int32)
        return vertices, least[vertices]
    vertices, lengths = map(np.concatenate, zip(*offers, strict=True))
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


def tree(
    tasks: Tasks, graph: PartitionedGraph, source: int, parts: Parts, states: list[Handle]
) -> list[Handle]:
    """Return handles of the predecessors.

    The first round finds them among nearer vertices. Each further one, over arcs that add nothing,
    finds those of vertices one step closer to the ones that have a predecessor.
    """
    offsets, n_ranges = graph.offsets, len(graph.offsets) - 1
    trees = [tasks.submit(_no_tree, r, offsets, source, states[r]) for r in range(n_ranges)]
    offering, is_flat = np.ones(len(parts.marks), bool), False
    at_once = _at_once(parts)
    while True:
        options = offsets, is_flat, at_once
        chosen = [parts.chosen(r, offering) for r in range(n_ranges)]
        cut = _parents_of_all(tasks, options, chosen, states, trees)
        made = [
            tasks.submit(
                _grown, r, options, parts.marks, states[r], trees[r], *(p[r] for p in cut), pieces=3
            )
            for r in range(n_ranges)
        ]
        trees = [part[0] for part in made]
        lacking, offering = (
            np.any(tasks.gather([part[i] for part in made]), axis=0) for i in (1, 2)
        )
        if not lacking:
            return tasks.finish([tasks.submit(_predecessors, tree) for tree in trees])
        is_flat = True


def _no_tree(r: int, offsets: Array, source: int, state: _State) -> _Tree:
    reached = np.isfinite(state.distances)
    lacking = reached & (np.arange(offsets[r], offsets[r + 1]) != source)
    return _Tree(np.full(len(reached), -1, np.int32), lacking, reached)


def _parents_of_all(
    tasks: Tasks,
    options: tuple[Array, bool, int],
    chosen: list[list[Part]],
    states: list[Handle],
    trees: list[Handle],
) -> list[list[Handle]]:
    """Return for each range handles of the parents that it offers to the vertices of each range."""

    def step(r: int, part: Part) -> Callable[[Handle], Handle]:
        return lambda known: tasks.submit(
            _parents, r, options, part.span, part.arcs, states[r], trees[r], known
        )

    steps = [[step(r, part) for part in parts] for r, parts in enumerate(chosen)]
    found = tasks.chain([None] * len(steps), steps)
    return [tasks.split(_parents_by_range, options[0], known, pieces=len(steps)) for known in found]


def _parents(
    r: int,
    options: tuple[Array, bool, int],
    span: Span,
    arcs: Rows,
    state: _State,
    tree: _Tree,
    known: Offers | None,
) -> Offers:
    """Return for each vertex the least length by way of some tails, and the smallest tail for it.

    Along arcs that add nothing in flat rounds, otherwise along all others.
    """
    offsets, is_flat, at_once = options
    first, n = int(offsets[r]), int(offsets[-1])
    if known is None:
        least, smallest = np.full(n, np.inf), np.full(n, _NO_VERTEX, np.int32)
    else:
        least, smallest = known[0].copy(), known[1].copy()
    start = span[0] - first
    tails = start + np.flatnonzero(tree.offering[start : span[1] - first])
    for which, positions in _positions(arcs[0], tails - start, at_once):
        heads, of_tails = arcs[1][positions], state.distances[tails[which]]
        lengths = of_tails + arcs[2][positions]
        adds = lengths > of_tails
        usable = ~adds if is_flat else adds & (lengths < np.inf)
        ends = (first + tails[which[usable]]).astype(np.int32)
        heads, lengths, ends = _smallest(heads[usable], lengths[usable], ends)
        ends[lengths == least[heads]] = np.minimum(ends, smallest[heads])[lengths == least[heads]]
        better = lengths <= least[heads]
        least[heads[better]], smallest[heads[better]] = lengths[better], ends[better]
    return least, smallest


def _parents_by_range(offsets: Array, known: Offers | None) -> list[Parents]:
    """Return the parents for the vertices of each range."""
    if known is None:
        none = np.empty(0, np.int32)
        return [(none, np.empty(0), none)] * (len(offsets) - 1)
    heads = np.flatnonzero(known[1] < _NO_VERTEX).astype(np.int32)
    arrays = heads, known[0][heads], known[1][heads]
    cuts = np.searchsorted(heads, offsets[1:-1])
    return [*zip(*(np.split(array, cuts) for array in arrays), strict=True)]


def _smallest(heads: Array, lengths: Array, tails: Array) -> Parents:
    """Return each head once, ascending, with its least length, and the smallest tail for that."""
    order = np.lexsort((tails, lengths, heads))
    heads = heads[order]
    chosen = np.ones(len(heads), bool)
    chosen[1:] = heads[1:] != heads[:-1]
    return heads[chosen], lengths[order[chosen]], tails[order[chosen]]


def _grown(
    r: int,
    options: tuple[Array, bool, int],
    marks: Array,
    state: _State,
    tree: _Tree,
    *offers: Parents,
) -> list[Any]:
    """Return the tree with the smallest parent on a shortest path.

    Also whether some vertices lack one, and by marks whether some offer themselves.
    """
    offsets, is_flat, _ = options
    found = np.full(len(tree.predecessors), _NO_VERTEX, np.int32)
    for heads, lengths, tails in offers:
        ends_path = lengths == state.distances[heads - offsets[r]]
        np.minimum.at(found, heads[ends_path] - offsets[r], tails[ends_path])
    joined = tree.lacking & (found < _NO_VERTEX)
    lacking = tree.lacking & ~joined
    offering = joined if is_flat else np.isfinite(state.distances) & ~lacking
    predecessors = np.where(joined, found, tree.predecessors)
    places = np.searchsorted(marks, offsets[r] + np.flatnonzero(offering), side="right") - 1
    by_mark = np.zeros(len(marks), bool)
    by_mark[places] = True
    return [_Tree(predecessors, lacking, offering), bool(lacking.any()), by_mark]


def _predecessors(tree: _Tree) -> Array:
    return tree.predecessors
