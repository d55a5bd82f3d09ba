"""wg.pagerank."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, nx_graphs, outputs, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.errors import ConvergenceError
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.plan import planned
from warpgraph._rank import gather_order, leaving_weights, stopping as _stopping
from warpgraph._rank.distribution import Distribution, dense, distributions

if TYPE_CHECKING:
    from warpgraph._arguments import types

logger = logging.getLogger("warpgraph")

Scores = npt.NDArray[np.float64]

_REALS = np.dtype(np.float64)

_METHODS = ("auto", "pull", "push")


@planned("pagerank")
@falls_back_if_memory_lacks
def pagerank(
    graph: types.GraphLike,
    *,
    alpha: float = 0.85,
    personalization: types.VertexValues | None = None,
    dangling: types.VertexValues | None = None,
    nstart: types.VertexValues | None = None,
    max_iter: int | None = None,
    tol: float = 1e-6,
    method: types.PagerankMethod = "auto",
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = nx_graphs.DEFAULT_WEIGHT,
    out: types.OutLike | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.ArrayOrOut:
    """Rank the vertices of a graph by the probability that a random walk is there.

    The walk follows an edge of its vertex with probability `alpha`, chosen by weight, and else
    starts again at a vertex chosen by `personalization`.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        The graph. The weights of parallel edges add up. Stored zeros are edges that are never
        followed.
    alpha : float
        The probability to follow an edge, the damping factor, from 0 to 1. Not 1 with
        ``method="push"``.
    personalization : mapping or array, optional
        How likely the walk starts at each vertex: an array of n_vertices numbers, or a mapping
        or pandas Series from vertices (names if the graph has names) to numbers, 0 for the others.
        Only ratios matter. By default all vertices are equally likely.
    dangling : mapping or array, optional
        Where the walk continues from a dangling vertex, one without edges or whose weights are all
        0; in the same form. By default as `personalization`.
    nstart : mapping or array, optional
        The scores before the first iteration, in the same form; by default equal for all vertices.
        Not with ``method="push"``.
    max_iter : int, optional
        Largest number of iterations, or of rounds if residuals are pushed. By default as many as
        suffice for `tol`, whatever the graph: about 100 for the defaults, and most graphs need
        fewer. If scores are pulled and `alpha` is less than 1, a larger number has no effect.
    tol : float
        The absolute errors of all scores add up to less than this, the L1 error, however many
        vertices there are. With ``alpha=1``: see the notes.
    method : {"auto", "pull", "push"}
        "pull" updates all scores in each iteration. "push" follows the edges of the vertices that
        the walk reaches with a large probability only, which is faster by orders of magnitude if
        it starts at few vertices and stays near them, and slower otherwise. "auto" pushes if that
        visits a small part of the graph.
    directed : bool
        False: edges have no direction. Each entry is one, unless all are stored both ways.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    out : ndarray, or array on a CUDA device, optional
        Where to write the scores, on the host or on the GPU that computes. They are float64, of
        shape (n_vertices,).
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts iterations. The total is
        `max_iter`, and at the end both are.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
        Numbers that were passed do not count either.
    device : str or list of str
        Where to run; see `warpgraph.devices`. Several devices share the vertices, and pull.

    Returns
    -------
    scores : ndarray of float64, shape (n_vertices,)
        They add up to 1. `out` if that was given.

    Raises
    ------
    ConvergenceError
        The scores have not converged in `max_iter` iterations. Its attributes ``scores`` and
        ``iterations`` have the last ones and their number.
    ValueError
        `tol` is so small that rounding hides whether it is reached, and `max_iter` is not given.
        A negative or infinite weight, weights of a vertex whose sum is not 0 and outside of
        1e-270 .. 1e270, `alpha` outside of 0 .. 1, or numbers for the vertices that are negative,
        not finite, all 0, or not one per vertex. `nstart`, several devices, or an `alpha` of 1
        with ``method="push"``.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        A device is named that is not there.

    See Also
    --------
    warpgraph.connected_components : Parts of a graph that no walk leaves, without scores.

    Notes
    -----
    The definition [1]_ is NetworkX's, the meaning of `tol` is not: NetworkX stops when the scores
    change by less than ``n_vertices * tol`` in sum. For the default `tol` and a million vertices
    this is 1, the sum of all scores. The backend for NetworkX stops as NetworkX does.

    Each iteration that pulls gathers along the edges of the transposed graph, which a `Graph`
    keeps; several devices have parts of its rows, and exchange contributions. All sums are of
    float64 numbers, in an order that depends on the graph alone, so the scores are the same bits on
    every device and for every number of threads.

    An iteration multiplies the sum of all absolute errors by `alpha` at most. So after it, this sum
    is at most ``alpha / (1 - alpha)`` times that of the changes, and iterations end when this bound
    is less than `tol`. They also end after the default number of them, which proves that the error
    is less than `tol`, too, though rounding may go on changing the scores. With ``alpha=1`` there
    is no such bound: iterations end when the last one changes the scores by less
    than `tol` in sum, after 1000 by default, which says little about the error.

    Rounding adds up to 2 ** -44 / (1 - alpha) to the error, 4e-13 for the default `alpha`, and a
    little for each vertex: 2 ** -72 / (1 - alpha), or 2 ** -62 if residuals are pushed.
    Iterations end only if the sum of both bounds is less than `tol`. A `tol` that is not above
    rounding is a ValueError, or a ConvergenceError after `max_iter` iterations if that is given.

    Cores gather faster if the vertices of most edges have the smallest numbers. A `Graph` of 2 **
    17 vertices or more that has such hubs and 8 edges per vertex is therefore kept in that order,
    too, from its second call on. Scores are the same.

    If all edges are stored both ways with equal weights, or with ``directed=False``, and 2 ** 16
    or more are stored, Chebyshev acceleration [2]_ reaches the same limit in a half to a third of
    the iterations. It ends when the last change, divided by 1 - alpha, is less than `tol`. Scores
    of all other graphs are NetworkX's after as many iterations.

    A push adds the residual of a vertex to its score and distributes `alpha` times the residual
    along its edges [3]_. A round pushes the large residuals; the scores are divided by their sum at
    the end. Rounds end when all residuals, times 2 * alpha / (1 - alpha), add up to less than
    `tol`. Residuals are multiples of 2 ** -62 of the probability, whose additions do not round, so
    that scores pushed have the same bits everywhere, too. They are not those that are pulled.
    Visits of vertices and edges add 2 ** -62 each to the bound of the error.

    With "auto", pushing is tried if walks start at 16 vertices at most, `alpha` is less than 1, and
    there are at most 8 edges per vertex. Unless it converges within visits of a quarter of the
    vertices and edges, and of 2 ** 18, the scores are pulled. This choice depends on the arguments
    alone.

    References
    ----------
    .. [1] Page, Brin, Motwani and Winograd, "The PageRank citation ranking: bringing order to the
       web", Stanford 1999.
    .. [2] Hageman and Young, "Applied iterative methods", Academic Press 1981.
    .. [3] Whang, Lenharth, Dhillon and Pingali, "Scalable data-driven PageRank: algorithms, system
       issues, and lessons learned", Euro-Par 2015.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> links = np.array([[0, 1, 1], [0, 0, 1], [1, 0, 0]])
    >>> wg.pagerank(links).round(3)
    array([0.388, 0.215, 0.397])
    """
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    is_kept = isinstance(graph, Graph)
    graph = as_graph(graph, weight, reads_weights=not unweighted, defers_checks=True)
    validate.choice(method, _METHODS, "method")
    damping = _stopping.damping(alpha)
    n = graph.n_vertices
    stopping = _stopping.stopping(n, damping, tol, max_iter)
    if method == "push" and nstart is not None:
        raise ValueError(
            "nstart cannot be used with method='push', whose scores are 0 at first; "
            "use method='pull'"
        )
    if method == "push" and damping == 1:
        raise ValueError(
            f"alpha must be less than 1 with method='push', got {alpha}; use method='pull'"
        )
    ledger = validate.ledger(memory_limit)
    report = _of_given(validate.progress(progress, "pagerank"), max_iter)
    scores = outputs.of_graph(graph, out, (n,), _REALS)
    request: dict[str, Any] = {
        "method": method,
        "reads_weights": not unweighted,
        "is_kept": is_kept,
    }
    wanted = _device.wanted(device, out)
    if ledger.is_limited or not directed or n == 0:
        first = {**request, "devices_only": n > 0, "is_empty": n == 0}
        chosen = plan.make("pagerank", graph, graph, _REALS, wanted, first, ledger=ledger)
        wanted = wanted._replace(named=chosen.devices)
    given = {"personalization": personalization, "dangling": dangling, "nstart": nstart}
    vectors = distributions(graph, given, ledger)
    if n == 0:
        return scores
    form: Graph | None = graph
    known = plan.has_entering(graph, directed, reads_weights=not unweighted)
    if plan.ends_call():
        if not directed:
            form = graph._known_undirected(reads_weights=not unweighted)
        form = leaving_weights.check(graph, form, unweighted, ledger)
    elif not directed:
        form = graph = graph._undirected(ledger, reads_weights=not unweighted)
    request["n_sources"] = int(np.count_nonzero(vectors["personalization"].values))
    of_mappings = sum(len(vector.vertices) > 0 for vector in vectors.values())
    request["bytes_of_vectors"] = of_mappings * n * _REALS.itemsize
    request |= {"has_start": nstart is not None, "error_pushed": stopping.error_pushed}
    planned = plan.make("pagerank", graph, form, _REALS, wanted, request, known, ledger=ledger)
    only_pulls = planned.method == "pull" and len(planned.devices) == 1 and not ledger.is_limited
    only_on = planned.devices[0] if only_pulls else None
    sums, unweighted = leaving_weights.sums(graph, unweighted, ledger, only_on)
    call = _Call(graph, unweighted, sums, vectors, scores, planned, damping, stopping)

    def has_ranked(method: str) -> bool:
        """Run a method, and return whether `scores` has its result: a push may give up."""
        if method == "push":
            return _push(call, ledger, report)
        _pull(call, directed, ledger, report)
        return True

    if not plan.run(planned, has_ranked):
        has_ranked(planned.otherwise)
    return scores


def _of_given(report: Any, max_iter: Any) -> Any:
    """Return a report whose total is the given `max_iter`, also where fewer iterations suffice."""
    if report is None or max_iter is None:
        return report
    most = int(max_iter)
    return lambda done, total: report(most if done >= total else done, most)


class _Call(NamedTuple):
    """A call with checked arguments."""

    graph: Graph
    unweighted: bool
    sums: Scores
    vectors: dict[str, Distribution]
    scores: Any
    plan: _core.Plan
    alpha: float
    stopping: _stopping.Stopping

    @property
    def where(self) -> str:
        """The first device, which alone pushes."""
        return self.plan.devices[0]


def _pull(call: _Call, directed: bool, ledger: _core.Ledger, report: Any) -> None:
    graph = call.graph
    if directed:
        graph = graph._transposed(ledger, reads_weights=not call.unweighted)
    accelerated = call.plan.accelerates and graph is call.graph and call.alpha < 1
    personalization, dangling, start = dense(call.vectors, graph.n_vertices, ledger)
    vectors = call.sums, personalization, dangling, start
    renumbered = order = None
    if call.plan.orders_by_degree:
        n_devices = len(call.plan.devices)
        renumbered, order = gather_order.by_degree(call.graph, graph, vectors, n_devices, ledger)
    bound, most = call.stopping.pulled(accelerated)
    iterations, change, converged = _core.pagerank(
        call.graph._handle,
        graph._handle,
        None if renumbered is None else renumbered._handle,
        order,
        graph.dtype,
        call.unweighted,
        *vectors,
        call.scores,
        call.plan.devices,
        report,
        alpha=call.alpha,
        change_bound=bound,
        max_sweeps=most,
        symmetric=accelerated,
        ledger=ledger,
    )
    if not converged and not call.stopping.suffice(accelerated):
        sentence = call.stopping.not_pulled(iterations, change, accelerated)
        raise ConvergenceError(sentence, call.scores, iterations)


def _push(call: _Call, ledger: _core.Ledger, report: Any) -> bool:
    """Push, and return whether that has converged.

    If the plan has no other method to try after it, raise an error instead.
    """
    is_attempt = bool(call.plan.otherwise)
    # A ledger of its own, since the memory that is charged here is freed when the push ends.
    ledger = ledger.on_host() if call.where == "cpu" else ledger
    start = call.vectors["personalization"].sparse(ledger)
    dangling = call.vectors["dangling"].sparse(ledger)
    if not len(dangling.values):
        dangling = start
    if is_attempt and report is not None:
        report(0, call.stopping.rounds)
    rounds, error, converged = _core.pagerank_push(
        call.graph._handle,
        call.graph.dtype,
        call.unweighted,
        call.sums,
        start.vertices,
        start.values,
        dangling.vertices,
        dangling.values,
        call.scores,
        call.where,
        None if is_attempt else report,
        alpha=call.alpha,
        error_bound=call.stopping.error_pushed,
        max_rounds=call.stopping.rounds,
        max_work=call.plan.max_visits,
        ledger=ledger,
    )
    if not is_attempt and not converged:
        raise ConvergenceError(call.stopping.not_pushed(rounds, error), call.scores, rounds)
    if is_attempt and not converged:
        logger.info("%s instead of push: %d rounds have not converged", call.plan.otherwise, rounds)
    elif is_attempt and report is not None:
        report(call.stopping.rounds, call.stopping.rounds)
    return bool(converged)
