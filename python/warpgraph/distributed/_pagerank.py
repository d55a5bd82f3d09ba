"""distributed.pagerank: each range of vertices pulls from all, once an iteration."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _validate
from warpgraph._errors import ConvergenceError
from warpgraph._pagerank import _fraction, _tolerance
from warpgraph.distributed import _exchange, _values
from warpgraph.distributed._blocks import Chunk
from warpgraph.distributed._engine import Handle, Tasks
from warpgraph.distributed._graph import PartitionedGraph
from warpgraph.distributed._values import VertexValues

Array = npt.NDArray[Any]

_GATHERS = ("auto", "all", "blocks")
#: The part of a task's memory from which the scores of all vertices are pulled range by range.
_PART_FOR_SCORES = 1 / 4


class _Pull(NamedTuple):
    """What a range needs: its arcs by the ranges of their tails, and numbers of its vertices."""

    matrices: list[Any]  # CSR: heads of this range by tails of range q
    sums: Array  # of the weights that leave each vertex of the range
    start: Array  # how likely the walk starts there


def pagerank(
    graph: PartitionedGraph,
    *,
    alpha: float = 0.85,
    personalization: Any = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    unweighted: bool = False,
    gather: str = "auto",
) -> VertexValues:
    """Rank the vertices by the probability that a random walk is there.

    Parameters
    ----------
    graph : PartitionedGraph
        The graph; edges lead from source to target. If they have no direction, pass both arcs.
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
        ``method="pull"``, except for the rounding of sums.

    Raises
    ------
    ConvergenceError
        The scores have not converged in `max_iter` iterations; its ``scores`` are gathered.
    ValueError
        A weight is negative, NaN or infinite, the weights that leave a vertex add up to a number
        other than 0 that is not in 1e-270 .. 1e270, or numbers for the vertices are not one for
        each, negative, not finite, or all 0.

    Notes
    -----
    Arcs are sent to the owners of their heads first, 12 bytes each; there they stay. An iteration
    moves at most ``8 * n_vertices * (slots - 1)`` bytes and waits for one task of each range.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> blocks = [([0, 0], [1, 2]), ([1, 2], [2, 0])]
    >>> links = wg.distributed.graph(blocks, engine, weight=None, n_vertices=3)
    >>> wg.distributed.pagerank(links).gather().round(2).tolist()
    [0.39, 0.21, 0.4]
    """
    fraction, bound = _fraction(alpha), _tolerance(tol) * graph.n_vertices
    most = _validate.positive(max_iter, "max_iter")
    unweighted = _validate.flag(unweighted, "unweighted")
    _validate.choice(gather, _GATHERS, "gather")
    start = _start(personalization, graph.n_vertices)
    if graph.n_vertices == 0:
        return VertexValues(graph, [], "score", np.float64)
    limit = graph.engine.memory_limit
    at_once = gather == "all"
    if gather == "auto":
        at_once = not limit or 8 * graph.n_vertices <= limit * _PART_FOR_SCORES
    with Tasks(graph.engine) as tasks:
        pulls = _exchanged(tasks, graph, start, unweighted)
        state = [tasks.submit(_first, graph.n_vertices, pull, pieces=3) for pull in pulls]
        for _ in range(most):
            hanging = sum(part[0] for part in tasks.gather([s[2] for s in state]))
            state = _next(tasks, pulls, state, fraction, float(hanging), at_once)
            change = sum(part[1] for part in tasks.gather([s[2] for s in state]))
            if change < bound:
                return VertexValues(graph, [s[0] for s in state], "score", np.float64)
        scores = np.concatenate(tasks.gather([s[0] for s in state]))
    raise ConvergenceError(
        f"the scores have not converged in {most} iterations: the last one changed them by "
        f"{change:.3g} in sum, not by less than n_vertices * tol = {bound:.3g}; "
        "raise max_iter or tol",
        scores,
        most,
    )


def _start(personalization: Any, n: int) -> Array:
    if personalization is None:
        return np.full(n, 1 / max(n, 1))
    values = _validate.as_array(personalization, "personalization").astype(np.float64)
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
    tasks: Tasks, graph: PartitionedGraph, start: Array, unweighted: bool
) -> list[Handle]:
    """Return a handle of `_Pull` for each range."""
    options = False, unweighted, False
    sums = _exchange.by_range(tasks, graph, 0, _sum_leaving, *options)
    arcs = _exchange.by_range(tasks, graph, 1, _matrices, *options)
    starts = _values.cut(graph.offsets, start)
    parts = zip(arcs, sums, starts, strict=True)
    return tasks.finish([tasks.submit(_Pull, *part) for part in parts])


def _sum_leaving(r: int, offsets: Array, *parts: Chunk) -> Array:
    """Return the sum of the weights that leave each vertex of a range."""
    tails, _, weights = _exchange.joined(parts)
    if np.isinf(weights).any():
        raise ValueError("a weight is inf, but PageRank needs finite weights")
    n = int(offsets[r + 1] - offsets[r])
    sums: Array = np.bincount(tails - offsets[r], weights, minlength=n)
    bad = np.flatnonzero((sums != 0) & ~((sums >= 1e-270) & (sums <= 1e270)))
    if len(bad):
        raise ValueError(
            f"the weights of the edges that leave vertex {offsets[r] + bad[0]} add up to "
            f"{sums[bad[0]]:.3g}, but PageRank needs sums in 1e-270 .. 1e270; scale the weights"
        )
    return sums


def _matrices(r: int, offsets: Array, *parts: Chunk) -> list[Any]:
    """Return the arcs to a range as a matrix for each range that they come from."""
    tails, heads, weights = _exchange.joined(parts)
    n_heads = offsets[r + 1] - offsets[r]
    owner = np.searchsorted(offsets[1:], tails, side="right")
    matrices = []
    for q in range(len(offsets) - 1):
        of_q = owner == q
        ends = heads[of_q] - offsets[r], tails[of_q] - offsets[q]
        shape = n_heads, offsets[q + 1] - offsets[q]
        matrices.append(sp.coo_array((weights[of_q], ends), shape).tocsr())
    return matrices


def _first(n: int, pull: _Pull) -> tuple[Array, Array, tuple[float, float]]:
    scores = np.full(len(pull.sums), 1 / n)
    return scores, *_spread(pull, scores, 0.0)


def _spread(pull: _Pull, scores: Array, change: float) -> tuple[Array, tuple[float, float]]:
    """Return the score that an arc of weight 1 carries from each vertex.

    Also the sum of the scores without such arcs, and the change of all scores.
    """
    leaves = pull.sums > 0
    carried = np.divide(scores, pull.sums, out=np.zeros_like(scores), where=leaves)
    return carried, (float(scores[~leaves].sum()), change)


def _next(
    tasks: Tasks,
    pulls: list[Handle],
    state: list[Any],
    alpha: float,
    hanging: float,
    at_once: bool,
) -> list[Any]:
    """Start the tasks of an iteration; return the state of each range, three handles."""
    carried = [part[1] for part in state]
    options = alpha, hanging
    made = []
    for pull, (scores, *_) in zip(pulls, state, strict=True):
        if at_once:
            pulled = tasks.submit(_pulled, 0, None, pull, *carried)
        else:
            pulled = None
            for q, part in enumerate(carried):
                pulled = tasks.submit(_pulled, q, pulled, pull, part)
        made.append(tasks.submit(_updated, *options, pull, scores, pulled, pieces=3))
    return made


def _pulled(first: int, known: Array | None, pull: _Pull, *carried: Array) -> Array:
    """Return what arcs from some ranges carry to a range, added to what is known."""
    total = np.zeros(len(pull.sums)) if known is None else known
    for matrix, part in zip(pull.matrices[first:], carried, strict=False):
        total = total + matrix @ part
    return total


def _updated(
    alpha: float, hanging: float, pull: _Pull, scores: Array, pulled: Array
) -> tuple[Array, Array, tuple[float, float]]:
    """Return the new scores of a range, what they carry, and two sums."""
    new = alpha * (pulled + hanging * pull.start) + (1 - alpha) * pull.start
    return new, *_spread(pull, new, float(np.abs(new - scores).sum()))
