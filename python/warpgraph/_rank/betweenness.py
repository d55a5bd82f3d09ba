"""wg.betweenness_centrality and wg.edge_betweenness_centrality."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsFloat

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, nx_graphs, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.new_array import NO_VERTICES, new_arrays
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.methods.vertices import find_vertices, some_vertices
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._graph.plan import planned
from warpgraph._graph.weights import entry
from warpgraph._tables import no_edge

if TYPE_CHECKING:
    from warpgraph._arguments import types

Scores = npt.NDArray[np.float64]

_FLOAT64, _INT64 = np.dtype(np.float64), np.dtype(np.int64)


@planned("betweenness_centrality")
@falls_back_if_memory_lacks
@errors_by_name
def betweenness_centrality(
    graph: types.GraphLike,
    *,
    sources: int | types.Vertices | None = None,
    targets: types.Vertices | None = None,
    limit: SupportsFloat = np.inf,
    normalized: bool = True,
    endpoints: bool = False,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = nx_graphs.DEFAULT_WEIGHT,
    seed: int = 0,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> Scores:
    """Rank the vertices of a graph by the part of all shortest paths that lead through them.

    The score of a vertex v is the sum over pairs of other vertices s and t of the number of
    shortest paths from s to t through v, divided by the number of all shortest paths from s to t.
    Paths are sequences of vertices, as in NetworkX, so parallel edges make no further paths.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is the edge i -> j. Weights are lengths and must be positive. Parallel edges
        are one edge, the lightest of them; a weight of inf is an edge that is never used.
    sources : int or sequence of vertices, optional
        Where paths begin; by default at all vertices. A number is how many vertices are sampled, by
        which the scores are estimated: 5 is a sample of five, and [5] is the vertex 5. A sequence
        has vertices, by name if the graph has names, see `Graph`; repeated ones count again.
    targets : sequence of vertices, optional
        Where paths end; by default at all vertices. Repeated ones count once.
    limit : float
        Vertices farther than this count as unreachable; a distance equal to it is kept. So scores
        are those of journeys within a radius.
    normalized : bool
        Divide by the number of pairs: (n - 1) * (n - 2), or n * (n - 1) with `endpoints`. False:
        do not divide.
    endpoints : bool
        Paths also count at their ends.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts. Unless scores are
        normalized, each source with each target counts half, as in NetworkX: both ways together, a
        pair of vertices counts once.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    seed : int
        The same seed gives the same result.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts finished sources.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory. Each
        thread needs some 65 bytes a vertex, or 105 if there are weights: with less memory for them,
        fewer threads search. A GPU needs some 40 bytes a vertex for each of the sources that it
        searches from at once, or 50 if there are weights.
    device : str or list of str
        Where to run; see `warpgraph.devices`. Several devices share the sources.

    Returns
    -------
    scores : ndarray of float64, shape (n_vertices,)
        With a sample, estimates.

    Raises
    ------
    ValueError
        A weight that is 0 or negative, or so small beside a distance that the sum is rounded to the
        distance. `sources` or `targets` is an empty list.
    OverflowError
        The weights are integers, and a distance does not fit int64.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not here.

    See Also
    --------
    edge_betweenness_centrality : The same for edges.
    pagerank : Ranks by random walks.

    Notes
    -----
    Brandes' algorithm [1]_ takes a search from each source, O(m) for hops and O(m + n log n) for
    lengths, and goes back along shortest paths once. Definitions and scales are those of NetworkX
    3.6.

    Paths are equally short if the sums of their lengths are equal: of integers exactly, of floats
    as float64 numbers added from the source on. Paths are counted exactly up to 2 ** 53, and beyond
    with a relative error of 2 ** -53 for each addition, however many there are. Scores are the same
    bits on every device and for every number of threads.

    Lengths of 0 are refused: vertices at distance 0 of each other are on each other's paths, and to
    count paths without cycles then takes exponential time. Merge such vertices, or give the edges a
    small positive length.

    From a sample of k vertices [2]_, each chosen with the same probability, the score of v is the
    mean of its share of the paths from each source. By Hoeffding's inequality, with a probability
    of 1 - delta all normalized scores are within ``n / (n - 1) * sqrt(log(2 * n / delta) /
    (2 * k))`` of the exact ones: within 0.02 with 99 % for a million vertices and k = 24,000.
    Those of sampled vertices, to which their own paths do not count, rest on one source less; with
    k = 1 that score is NaN, as in NetworkX. Errors of most scores are much smaller.

    References
    ----------
    .. [1] Brandes, "A faster algorithm for betweenness centrality", J. Math. Sociol. 25, 2001.
    .. [2] Brandes and Pich, "Centrality estimation in large networks", Int. J. Bifurcation and
       Chaos 17, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> road = np.array([[0, 1, 0, 0], [1, 0, 2, 2], [0, 2, 0, 1], [0, 2, 1, 0]])
    >>> wg.betweenness_centrality(road, directed=False, normalized=False)
    array([0., 2., 0., 0.])
    """
    endpoints = validate.flag(endpoints, "endpoints")
    call = _checked(
        "betweenness_centrality",
        graph,
        sources=sources,
        targets=targets,
        limit=limit,
        normalized=normalized,
        directed=directed,
        unweighted=unweighted,
        weight=weight,
        seed=seed,
        progress=progress,
        memory_limit=memory_limit,
        device=device,
    )
    n = call.given.n_vertices
    scores = _new_scores(call, n)
    form, where = call.planned()
    if form is None:
        return scores
    _core.betweenness(
        form._handle_for(call.lengths, call.ledger),
        call.dtype,
        call.unweighted,
        call.sources,
        call.ends,
        call.limit,
        scores,
        where,
        call.report,
        endpoints=endpoints,
        **call.options(),
    )
    return scores


@planned("edge_betweenness_centrality")
@falls_back_if_memory_lacks
@errors_by_name
def edge_betweenness_centrality(
    graph: types.GraphLike,
    *,
    sources: int | types.Vertices | None = None,
    targets: types.Vertices | None = None,
    limit: SupportsFloat = np.inf,
    normalized: bool = True,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = nx_graphs.DEFAULT_WEIGHT,
    seed: int = 0,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> Scores:
    """Rank the edges of a graph by the part of all shortest paths that lead along them.

    The score of an edge is the sum over pairs of vertices s and t of the number of shortest paths
    from s to t along it, divided by the number of all shortest paths from s to t. Paths are
    sequences of vertices: of parallel edges, the lightest share the score of their ends evenly.

    Parameters
    ----------
    graph, sources, targets, limit, unweighted, weight, seed, progress
        As for `betweenness_centrality`.
    normalized : bool
        Divide by the number of pairs, n * (n - 1). False: do not divide.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts. Unless scores are
        normalized, each source with each target counts half, as in NetworkX: both ways together, a
        pair of vertices counts once.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory. Each
        thread needs 16 bytes an edge, beside those of `betweenness_centrality`.
    device : str or list of str
        Where to run; see `warpgraph.devices`. Several devices share the sources.

    Returns
    -------
    scores : ndarray of float64, shape (n_edges,)
        A score for each entry, in the order in which the graph stores them: for a CSR matrix that
        of its ``data``. If edges have no direction, both entries of an edge have its score. Of
        parallel edges, those that are not the lightest have the score 0, and k that are equally
        light have a k-th of their common score each, as in NetworkX. Without directions, there are
        as many of these as entries (i, j) or (j, i), whichever are more.

    Raises
    ------
    ValueError, OverflowError, MemoryError, DeviceError
        As of `betweenness_centrality`.

    See Also
    --------
    betweenness_centrality : The same for vertices, with notes that also hold for edges; of a sample
        the bound is ``sqrt(log(2 * m / delta) / (2 * k))`` for m edges, without the factor.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> road = np.array([[0, 1, 0, 0], [1, 0, 2, 2], [0, 2, 0, 1], [0, 2, 1, 0]])
    >>> wg.edge_betweenness_centrality(road, directed=False, normalized=False)
    array([3., 3., 2., 2., 2., 1., 2., 1.])
    """
    call = _checked(
        "edge_betweenness_centrality",
        graph,
        sources=sources,
        targets=targets,
        limit=limit,
        normalized=normalized,
        directed=directed,
        unweighted=unweighted,
        weight=weight,
        seed=seed,
        progress=progress,
        memory_limit=memory_limit,
        device=device,
    )
    scores = _new_scores(call, call.given.n_edges)
    form, where = call.planned(of_edges=True)
    if form is None:
        return scores
    _core.edge_betweenness(
        form._handle_for(call.lengths, call.ledger),
        call.given._handle_for(call.lengths, call.ledger),
        call.dtype,
        call.unweighted,
        call.sources,
        call.ends,
        call.limit,
        scores,
        where,
        call.report,
        **call.options(),
    )
    return scores


class Given(NamedTuple):
    """Sources of a caller in this package, which decides on more, and may have none."""

    vertices: Any
    is_sample: bool = False
    dtype: np.dtype[Any] | None = None  # of the distances; None: float64, or int64 of integers


class _Call(NamedTuple):
    """Checked arguments of a call."""

    name: str
    given: Graph
    sources: npt.NDArray[np.int32]
    is_sample: bool
    targets: npt.NDArray[np.int32] | None
    limit: Any
    dtype: np.dtype[Any]  # of the distances
    normalized: bool
    is_directed: bool
    unweighted: bool
    report: Any
    ledger: _core.Ledger
    device: Any

    @property
    def lengths(self) -> np.dtype[Any] | None:
        """Return the dtype of the lengths that are read, or None."""
        return None if self.unweighted else self.dtype

    @property
    def ends(self) -> npt.NDArray[np.int32]:
        """Return the targets; none if they are all vertices."""
        return NO_VERTICES if self.targets is None else self.targets

    def options(self) -> dict[str, Any]:
        """Return the core's keywords."""
        return {
            "is_sample": self.is_sample,
            "directed": self.is_directed,
            "normalized": self.normalized,
            "ledger": self.ledger,
        }

    def planned(self, *, of_edges: bool = False) -> tuple[Graph | None, list[str]]:
        """Return the graph whose paths are searched, and where; None if there is no path."""
        wanted = _device.wanted(self.device)
        ends = self.given.n_vertices if self.targets is None else len(self.targets)
        scores = self.given.n_edges if of_edges else self.given.n_vertices
        is_empty = 0 in (len(self.sources), ends, scores)
        request = {"unweighted": self.unweighted, "n_sources": len(self.sources)}
        request["is_empty"] = is_empty
        request |= {"is_directed": self.is_directed, "of_edges": of_edges}
        request["has_limit"] = bool(self.limit < validate.infinity(self.dtype))
        ledger, graph = self.ledger, self.given
        form: Graph | None = graph
        if not self.is_directed and plan.ends_call():
            form = graph._known_undirected(reads_weights=not self.unweighted)
        task = "betweenness", graph, form, self.dtype, wanted, request
        where = plan.make(*task, ledger=ledger).devices
        if is_empty:
            graph._handle.check()
            return None, where
        if not self.is_directed:
            graph = graph._undirected(ledger, reads_weights=not self.unweighted)
        return graph, where


def _checked(
    name: str,
    graph: Any,
    *,
    sources: Any,
    targets: Any,
    limit: Any,
    normalized: Any,
    directed: Any,
    unweighted: Any,
    weight: Any,
    seed: Any,
    progress: Any,
    memory_limit: Any,
    device: Any,
) -> _Call:
    normalized = validate.flag(normalized, "normalized")
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    graph = as_graph(graph, weight, reads_weights=not unweighted)
    drawn = validate.seed(seed)
    told = sources if isinstance(sources, Given) else Given(sources)
    n, k = graph.n_vertices, told.vertices
    find = find_vertices if told is sources else some_vertices
    is_drawn = validate.is_integer(k)
    if is_drawn:
        starts = _core.sample_vertices(n, _sample_size(k, n), drawn)
    elif k is None:
        starts = np.arange(n, dtype=np.int32)
    else:
        starts = find(graph, k, "sources")
    ends = None if targets is None else find(graph, targets, "targets")
    kind = _INT64 if unweighted or graph.dtype.kind == "i" else told.dtype or _FLOAT64
    if not unweighted:
        _refuse_not_positive(graph)
    return _Call(
        name=name,
        given=graph,
        sources=starts,
        is_sample=(is_drawn or told.is_sample) and len(starts) < n,
        targets=ends,
        limit=validate.limit_as(limit, kind),
        dtype=kind,
        normalized=normalized,
        is_directed=directed,
        unweighted=unweighted,
        report=validate.progress(progress, "betweenness"),
        ledger=validate.ledger(memory_limit),
        device=device,
    )


def _new_scores(call: _Call, n: int) -> Scores:
    wanted = (n,), np.float64
    (scores,) = new_arrays(call.ledger, "storing the scores", "pass a smaller graph", wanted)
    scores.fill(0)
    return scores


def _refuse_not_positive(graph: Graph) -> None:
    found = _core.first_not_positive(graph._handle)
    if found is not None:
        raise ValueError(
            f"the weight {found[3]} of entry {entry(graph, found[0])} is not positive, as lengths "
            f"of edges must be where shortest paths are counted{no_edge.hint(graph)}"
        )


def _sample_size(k: Any, n: int) -> int:
    """Return how many of n vertices a number of sources is; it may be meant as a vertex."""
    least, number = min(1, n), operator.index(k)
    if not least <= number <= n:
        raise ValueError(
            f"sources must be in {least}..{n}, got {number}: a number is how many vertices are "
            f"sampled, and [{number}] is the vertex {number}"
        )
    return number
