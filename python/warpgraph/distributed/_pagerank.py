"""distributed.pagerank: each range of vertices pulls from all, once an iteration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.errors import ConvergenceError
from warpgraph._arguments.points import as_float64
from warpgraph._rank import stopping as _stopping
from warpgraph.distributed import _values
from warpgraph.distributed._engine import Handle, Tasks
from warpgraph.distributed._graph import PartitionedGraph, partitioned
from warpgraph.distributed._tasks import exchange
from warpgraph.distributed._tasks.blocks import Chunk
from warpgraph.distributed._values import VertexValues

Array = npt.NDArray[Any]

_GATHERS = ("auto", "all", "blocks")
#: Rounding error of an addition or multiplication, as a part of its result.
_UNIT = 2.0**-53
#: Operations on a score in an iteration beside those along arcs, at most. Sums over vertices, which
#: are pairwise, are among them.
_OTHER_OPERATIONS = 256


class _Walk(NamedTuple):
    """Numbers of the vertices of a range."""

    sums: Array  # of the weights that leave each
    start: Array  # how likely the walk starts there
    max_arcs: int  # that leave one of them


#: Handles for each part of the arcs of a range: one of all its matrices or, in blocks, one of each.
_Pull = list[list[Handle]]


def pagerank(
    graph: PartitionedGraph,
    *,
    alpha: float = 0.85,
    personalization: Mapping[Any, float] | npt.ArrayLike | None = None,
    max_iter: int | None = None,
    tol: float = 1e-6,
    unweighted: bool = False,
    gather: str = "auto",
) -> VertexValues:
    """Rank the vertices by the probability that a random walk is there.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph. Edges lead from source to target; if they have no direction, pass both arcs.
    alpha, max_iter, tol, unweighted
        As for `warpgraph.pagerank`.
    personalization : array_like, shape (n_vertices,), optional
        How likely the walk starts at each vertex; only ratios matter. By default all are equally
        likely.
    gather : {"auto", "all", "blocks"}
        How a range of vertices gets the scores of all: "all" at once, ``8 * n_vertices`` bytes, or
        "blocks", one range after the other, which needs a task for each pair of ranges. Scores have
        the same bits. "auto" is "all" unless that takes a quarter of a task's memory.

    Returns
    -------
    VertexValues
        Scores, float64, which add up to 1. They are those of `warpgraph.pagerank` with
        ``method="pull"``, except for the rounding of sums and, where those are accelerated, within
        `tol`.

    Raises
    ------
    ConvergenceError
        The scores have not converged in `max_iter` iterations; its ``scores`` are gathered.
    ValueError
        `tol` is below what rounding may add to the error, and `max_iter` is not given. A weight is
        negative, NaN or infinite, the weights that leave a vertex add up to a number other than 0
        that is not in 1e-270 .. 1e270, or numbers for the vertices are not one for
        each, negative, not finite, or all 0.
    MemoryError
        The numbers of the vertices, 72 bytes for each of a range and 8 for each of all (not by
        "blocks"), do not fit in the memory of a task.

    Notes
    -----
    Arcs are sent to the owners of their heads first, 16 bytes each; there they stay. An iteration
    moves at most ``8 * n_vertices * (slots - 1)`` bytes and waits for two tasks of each range.
    Where the arcs of a range do not fit in a task's memory, each of their parts takes a task, and
    the engine writes parts to disk and reads them again.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> blocks = [([0, 0], [1, 2]), ([1, 2], [2, 0])]
    >>> links = wg.distributed.graph(blocks, engine, weight=None, n_vertices=3)
    >>> wg.distributed.pagerank(links).gather().round(2).tolist()
    [0.39, 0.21, 0.4]
    """
    graph = partitioned(graph)
    fraction = _stopping.damping(alpha)
    _stopping.stopping(graph.n_vertices, fraction, tol, max_iter)  # before any task
    unweighted = validate.flag(unweighted, "unweighted")
    validate.choice(gather, _GATHERS, "gather")
    start = _start(personalization, graph.n_vertices)
    if graph.n_vertices == 0:
        return VertexValues(graph, [], "score", np.float64)
    at_once = gather == "all" or len(graph.offsets) == 2
    if gather == "auto" and not at_once:
        at_once = _core.hold_all_scores(graph.engine.memory_limit, graph.n_vertices)
    with Tasks(graph.engine) as tasks:
        walks, pulls, rounding = _exchanged(tasks, graph, start, unweighted, at_once)
        stopping = _stopping.stopping(graph.n_vertices, fraction, tol, max_iter, rounding)
        bound, most = stopping.pulled(accelerated=False)
        state = [tasks.submit(_first, graph.n_vertices, walk, pieces=3) for walk in walks]
        totals = tasks.gather([s[2] for s in state])
        for _ in range(most):
            hanging = float(sum(part[0] for part in totals))
            state = _next(tasks, walks, pulls, state, fraction, hanging)
            totals = tasks.gather([s[2] for s in state])
            change = sum(part[1] for part in totals)
            if change < bound:
                break
        if change < bound or stopping.suffice(accelerated=False):
            return VertexValues(graph, [s[0] for s in state], "score", np.float64)
        scores = np.concatenate(tasks.gather([s[0] for s in state]))
    raise ConvergenceError(stopping.not_pulled(most, change, accelerated=False), scores, most)


def _start(personalization: Any, n: int) -> Array:
    if personalization is None:
        return np.full(n, 1 / max(n, 1))
    given = validate.as_array(personalization, "personalization")
    values = as_float64(given, "personalization")
    if values.shape != (n,):
        raise ValueError(f"personalization must have shape ({n},), got {values.shape}")
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise ValueError(
            f"personalization[{bad[0]}] is {values[bad[0]]}, but must be at least 0 and finite"
        )
    if n and not values.any():
        raise ValueError("personalization must have a number above 0, but all are 0")
    shares: Array = values / max(float(values.sum()), 1e-300)
    return shares


def _exchanged(
    tasks: Tasks, graph: PartitionedGraph, start: Array, unweighted: bool, at_once: bool
) -> tuple[list[Handle], list[_Pull], float]:
    """Return a handle of `_Walk`, and a `_Pull`, for each range; and what an iteration rounds."""
    offsets, limit = graph.offsets, graph.engine.memory_limit
    n_ranges = len(offsets) - 1
    sizes = graph.n_vertices if at_once else 0, int(np.diff(offsets).max())
    most = _core.arcs_of_a_part("pagerank", "pagerank", limit, *sizes)
    leaving = exchange.by_group(tasks, graph, exchange.Arcs(0, False, unweighted, False), most)
    walks = [
        _walk(tasks, r, offsets, groups, shares)
        for r, (groups, shares) in enumerate(zip(leaving, _values.cut(offsets, start), strict=True))
    ]
    del leaving
    arriving = exchange.Arcs(1, False, unweighted, False)
    found = exchange.by_group(tasks, graph, arriving, most)
    pulls, longest = [], []
    for r, groups in enumerate(found):
        made = [tasks.submit(_matrices, r, offsets, *group) for group in groups]
        longest.append([tasks.submit(_max_in_a_row, part) for part in made])
        if at_once:
            pulls.append([[part] for part in made])
        else:
            pulls.append([tasks.split(list, part, pieces=n_ranges) for part in made])
        groups.clear()
    tasks.finish([handle for pull in pulls for part in pull for handle in part])
    entering = max(sum(tasks.gather(of_range)) for of_range in longest)
    leaving_most = max(tasks.gather([tasks.submit(_max_arcs, walk) for walk in walks]))
    operations = entering + leaving_most + n_ranges + _OTHER_OPERATIONS
    return tasks.finish(walks), pulls, operations * _UNIT


def _walk(tasks: Tasks, r: int, offsets: Array, groups: list[list[Handle]], start: Array) -> Handle:
    known = None
    for group in groups:
        known = tasks.submit(_leaving, r, offsets, known, *group)
    return tasks.submit(_checked, int(offsets[r]), start, known)


def _leaving(
    r: int, offsets: Array, known: tuple[Array, Array] | None, *parts: Chunk
) -> tuple[Array, Array]:
    """Return the sum and number of the weights that leave each vertex of a range.

    Those are added to what is known.
    """
    tails, _, weights = exchange.joined(parts)
    if np.isinf(weights).any():
        raise ValueError("a weight is inf, but PageRank needs finite weights")
    n = int(offsets[r + 1] - offsets[r])
    places = tails - offsets[r]
    found = np.bincount(places, weights, minlength=n), np.bincount(places, minlength=n)
    return found if known is None else (known[0] + found[0], known[1] + found[1])


def _checked(first: int, start: Array, known: tuple[Array, Array]) -> _Walk:
    sums, counts = known
    bad = np.flatnonzero((sums != 0) & ~((sums >= 1e-270) & (sums <= 1e270)))
    if len(bad):
        raise ValueError(
            f"the weights of the edges that leave vertex {first + bad[0]} add up to "
            f"{sums[bad[0]]:.3g}, but PageRank needs sums in 1e-270 .. 1e270; scale the weights"
        )
    return _Walk(sums, start, int(counts.max(initial=0)))


def _max_arcs(walk: _Walk) -> int:
    return walk.max_arcs


def _max_in_a_row(matrices: list[Any]) -> int:
    """Return the largest number of additions for a vertex, if these are added one after the other.

    Matrices have the same rows, and there is one addition more for each.
    """
    counts = sum(np.diff(matrix.indptr) for matrix in matrices)
    return int(np.max(counts, initial=0)) + len(matrices)


def _matrices(r: int, offsets: Array, *parts: Chunk) -> list[Any]:
    """Return arcs to a range as a matrix for each range that they come from."""
    tails, heads, weights = exchange.joined(parts)
    owner = exchange.ranges_of(offsets, tails)
    matrices = []
    for q in range(len(offsets) - 1):
        of_q = owner == q
        ends = heads[of_q] - offsets[r], tails[of_q] - offsets[q]
        shape = offsets[r + 1] - offsets[r], offsets[q + 1] - offsets[q]
        matrices.append(sp.coo_array((weights[of_q], ends), shape).tocsr())
    return matrices


def _first(n: int, walk: _Walk) -> tuple[Array, Array, tuple[float, float]]:
    scores = np.full(len(walk.sums), 1 / n)
    return scores, *_spread(walk, scores, 0.0)


def _spread(walk: _Walk, scores: Array, change: float) -> tuple[Array, tuple[float, float]]:
    """Return the score that an arc of weight 1 carries from each vertex.

    Also the sum of the scores without such arcs, and the change of all scores.
    """
    leaves = walk.sums > 0
    carried = np.divide(scores, walk.sums, out=np.zeros_like(scores), where=leaves)
    return carried, (float(scores[~leaves].sum()), change)


def _next(
    tasks: Tasks,
    walks: list[Handle],
    pulls: list[_Pull],
    state: list[Any],
    alpha: float,
    hanging: float,
) -> list[Any]:
    """Start the tasks of an iteration; return the state of each range, three handles."""
    carried = [part[1] for part in state]

    def step(function: Any, *arguments: Any) -> Callable[[Handle], Handle]:
        return lambda known: tasks.submit(function, known, *arguments)

    steps = []
    for pull in pulls:
        at_once = [step(_pulled, part[0], *carried) for part in pull if len(part) == 1]
        in_blocks = [
            step(_pulled_from, matrix, of_range)
            for part in pull
            if len(part) > 1
            for matrix, of_range in zip(part, carried, strict=True)
        ]
        steps.append(at_once + in_blocks)
    pulled = tasks.chain([None] * len(pulls), steps)
    return [
        tasks.submit(_updated, alpha, hanging, walk, of_range[0], total, pieces=3)
        for walk, of_range, total in zip(walks, state, pulled, strict=True)
    ]


def _pulled(known: Array | None, matrices: list[Any], *carried: Array) -> Array:
    """Return what arcs from some ranges carry to a range, added to what is known."""
    total = np.zeros(matrices[0].shape[0]) if known is None else known
    for matrix, part in zip(matrices, carried, strict=True):
        total = total + matrix @ part
    return total


def _pulled_from(known: Array | None, matrix: Any, carried: Array) -> Array:
    return _pulled(known, [matrix], carried)


def _updated(
    alpha: float, hanging: float, walk: _Walk, scores: Array, pulled: Array
) -> tuple[Array, Array, tuple[float, float]]:
    """Return the new scores of a range, what they carry, and two sums."""
    new = alpha * (pulled + hanging * walk.start) + (1 - alpha) * walk.start
    return new, *_spread(walk, new, float(np.abs(new - scores).sum()))
