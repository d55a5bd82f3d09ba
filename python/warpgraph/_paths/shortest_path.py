"""wg.shortest_path."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._graph import plan, rounding
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._graph.plan import planned
from warpgraph._graph.turns import TurnGraph, search_with_turns
from warpgraph._paths import hierarchy, landmarks as _landmarks
from warpgraph._paths.reconstruct_path import reconstruct_path
from warpgraph._paths.sssp import refuse_minus_infinity, sssp

if TYPE_CHECKING:
    from warpgraph._arguments import types

logger = logging.getLogger("warpgraph")

Length = int | float
Vertices = npt.NDArray[np.int32]
#: Source, target, dtype of lengths, whether every edge weighs 1.
Query = tuple[int, int, np.dtype[Any], bool]
#: Coordinates and a ratio, or distances from landmarks and to them; None: search from both ends.
Bound = tuple[npt.NDArray[Any], float] | tuple[npt.NDArray[Any], npt.NDArray[Any]] | None

_METHODS = ("auto", "bidirectional", "dijkstra", "hierarchy", "astar", "alt")
#: Methods for one core of the host, which also follow the edges that enter a vertex.
_OF_TWO_ENDS = ("bidirectional", "hierarchy", "astar", "alt")


@planned("shortest_path")
@errors_by_name
def shortest_path(
    graph: types.GraphLike,
    source: types.Vertex,
    target: types.Vertex,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    method: str = "auto",
    landmarks: int | types.Vertices | None = None,
    dtype: types.DType[Any] | None = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[Length, npt.NDArray[Any]]:
    """Return the length and the vertices of the shortest path between two vertices.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, Graph, or TurnGraph
        As for `sssp`. A directed `Graph` is transposed for the first "bidirectional" search, and
        keeps that; so for "hierarchy", "astar" and "alt".
    source, target : int, or names of vertices
        The ends of the path: names if the graph has names, see `Graph`, else numbers.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    method : {"auto", "bidirectional", "dijkstra", "hierarchy", "astar", "alt"}
        How to search; it changes the time, not the result. "bidirectional" searches from both ends
        on one core, until both searches meet; it needs the edges that enter a vertex. "dijkstra"
        is `sssp` to one target, on cores or a GPU. "hierarchy" is for many calls on a road
        network: it prepares a `Graph` once, as `Hierarchy` does, then takes a fraction of a
        millisecond a call, on one core. "astar" is for graphs with coordinates: it searches
        towards the target on one core, by straight lines times the least ratio of a weight to the
        line of its edge, which no path is shorter than, whatever the coordinates are. "alt" does so
        by the triangle inequality and the distances of `landmarks`, which the first call finds, by
        a search for each, or two of a directed graph, and a `Graph` keeps. "auto" is "hierarchy" if
        the `Graph` has been prepared, unless that adds floats and `dtype` is an integer type, and
        "alt" if it keeps landmarks; it is "dijkstra" for negative weights and on a GPU, otherwise
        "bidirectional" or "dijkstra", whichever is expected to take less time.
    landmarks : int or sequence of vertices, optional
        For method "alt": how many to choose, 16 by default, or which vertices. A landmark takes 8
        bytes a vertex, or 16 of a directed graph. Chosen are vertices far from each other; fewer if
        no others can be reached.
    dtype : {"float32", "float64", "int32", "int64"}, optional
        Type of distances. By default float32 for float32 weights, else float64; int64 is exact.
    memory_limit : int, float or str, optional
        Bytes that the call may take, or a size such as "2GB"; by default, all free memory.
    device : str or list of str
        Where to run; see `warpgraph.devices`.

    Returns
    -------
    length : float or int
        What `sssp` returns for `target`, bit for bit. If there is no path, inf, or the largest
        integer of an integer dtype.
    vertices : ndarray of int32, shape (k,)
        The vertices ``source, ..., target``, as `reconstruct_path` returns them for the
        predecessors of `sssp`; empty if there is no path. Their names, as in `Graph.names`, if
        the graph has names.

    Raises
    ------
    NegativeCycleError
        A cycle of negative weight can be reached from the source.
    ValueError
        A vertex that is not in the graph, or a negative weight with method "bidirectional",
        "hierarchy", "astar" or "alt"; with "hierarchy", a graph that has no small hierarchy, as
        social networks; with "astar", a graph without coordinates; no landmarks, or landmarks with
        another method than "alt".
    OverflowError
        A weight or the length does not fit `dtype`, as for `sssp`; where there is no path, a method
        may also meet another length that does not. Method "hierarchy", as
        `Hierarchy`: integer weights whose sums might not fit 62 bits.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not here, or does not run `method`.

    See Also
    --------
    sssp : Paths to many targets.
    reconstruct_path : The vertices of a path in a tree.
    Hierarchy : The preparation for method "hierarchy".

    Notes
    -----
    The bidirectional search [1]_ settles the vertices of two balls whose radii add up to the
    length; "dijkstra" those of one ball whose radius is the length. Both take time and memory in
    proportion to the number of vertices, too, for setting up distances.

    "hierarchy" does so in its first call only. It finds the distances of the vertices beside the
    path, one by one [2]_, and follows the path back from the target. If lengths are floats that
    round, it adds again along all paths that are short enough to become the shortest by rounding;
    where ties make these too many, the bidirectional search answers.

    "astar" and "alt" settle vertices in the order of their distance plus a lower bound on what is
    left: for "alt", the largest difference between the distances of the vertex and of the target,
    from a landmark or to one [3]_. Both lower the bound by what may have been rounded, and search
    on until lengths can no longer round to that of the shortest path.

    References
    ----------
    .. [1] Pohl, "Bi-directional search", Machine Intelligence 6, 1971.
    .. [2] Strasser and Zeitz, "A fast and tight heuristic for A* in road networks", SEA 2021.
    .. [3] Goldberg and Harrelson, "Computing the shortest path: A* search meets graph theory",
       SODA 2005.

    Examples
    --------
    >>> graph = wg.Graph(wg.generators.grid(20, 30, seed=0))
    >>> length, vertices = wg.shortest_path(graph, 7, 599)
    >>> bool(length == wg.sssp(graph, 7)[599])
    True
    >>> vertices[[0, -1]].tolist()
    [7, 599]
    """
    if isinstance(graph, TurnGraph):
        landmarks = _landmarks.of_expanded(graph, landmarks)
        turned: tuple[Length, npt.NDArray[Any]]
        turned = search_with_turns(shortest_path, locals())  # nothing but the arguments
        return turned
    is_kept = isinstance(graph, Graph)
    directed = validate.flag(directed, "directed")
    unweighted = validate.flag(unweighted, "unweighted")
    graph = as_graph(graph, weight, reads_weights=not unweighted)
    start = graph._find_vertex(source, "source")
    end = graph._find_vertex(target, "target")
    kind = validate.distance_dtype(dtype, graph.dtype)
    ledger = validate.ledger(memory_limit)
    validate.choice(method, _METHODS, "method")
    asked = _landmarks.asked_for(graph, landmarks, method)
    names, graph = graph._named_vertices, graph._unnamed()
    request: dict[str, Any] = {"method": method, "is_directed": directed, "unweighted": unweighted}
    request["is_kept"] = is_kept
    form = graph if directed else graph._known_undirected()
    kept = hierarchy.kept(form, unweighted, kind)
    kept |= plan.has_entering(graph, directed, reads_weights=not unweighted)
    if method == "auto" and form is not None:
        asked = _landmarks.kept_by(form, kind, unweighted)
    if asked is not None:
        request["n_landmarks"] = asked.n
        kept |= asked.facts(form, kind, unweighted)
    task = graph, form, kind, _device.Wanted("named", _device.resolve_all(device))
    planned = plan.make("shortest_path", *task, request, kept, ledger=ledger)
    if not unweighted and graph._first_negative() is not None:
        if method in _OF_TWO_ENDS:
            graph._refuse_negative(f"method {method!r}")
        refuse_minus_infinity(graph)
    if method == "astar":
        _refuse_no_coordinates(graph)
    if not directed:
        graph = graph._undirected(ledger)
    if planned.method in _OF_TWO_ENDS:
        back = graph
        if directed:
            back = graph._transposed(ledger, reads_weights=not unweighted)
        query = (start, end, kind, unweighted)
        found: tuple[Length, Vertices] | None = None
        bound: Bound = None
        if planned.method == "hierarchy":
            found = _search_in_hierarchy(graph, back, query, ledger)
        elif planned.method == "astar":
            bound = _straight_lines(graph, query, ledger)
        elif planned.method == "alt" and asked is not None:
            bound = _landmarks.distances(graph, back, asked, kind, unweighted, ledger)
        found = found or _search(graph, back, query, bound, ledger, planned.max_visits)
        if found is not None:
            rounding.warn_of_distances(graph, dtype, unweighted, found[0])
            return found[0], names(found[1])
    passed_on: Any = ledger
    distances, tree = sssp(
        graph,
        start,
        targets=[end],
        unweighted=unweighted,
        dtype=kind,
        return_predecessors=True,
        memory_limit=passed_on,
        device=device,
    )
    rounding.warn_of_distances(graph, dtype, unweighted, distances)
    return distances[0].item(), names(reconstruct_path(tree, start, end))


def _refuse_no_coordinates(graph: Graph) -> None:
    if graph.coordinates is None:
        raise ValueError(
            "method 'astar' needs coordinates of the vertices, and the graph has none: pass "
            "Graph(graph, coordinates=...)"
        )


def _search_in_hierarchy(
    graph: Graph, back: Graph, query: Query, ledger: _core.Ledger
) -> tuple[Length, Vertices] | None:
    """Return the length and the path, or None if they are not proven."""
    start, end, dtype, unweighted = query
    lengths = None if unweighted else dtype
    handle = graph._handle_for(lengths, ledger)
    entering = back._handle_for(lengths, ledger)
    kept = hierarchy.prepared(graph, unweighted, ledger, None)
    before = kept.nbytes if ledger.is_limited else 0
    length_and_path: Any = _core.path_in_hierarchy(
        kept.handle, handle, entering, start, end, dtype, unweighted, ledger=ledger
    )
    if ledger.is_limited:
        ledger.charge(max(kept.nbytes - before, 0))
    found: tuple[Length, Vertices] | None = length_and_path
    if found is None:
        logger.info(
            "the hierarchy does not prove what the shortest path from %d to %d is in %s; "
            "searching from both ends",
            start,
            end,
            dtype,
        )
    return found


def _straight_lines(
    graph: Graph, query: Query, ledger: _core.Ledger
) -> tuple[npt.NDArray[Any], float]:
    """Return the coordinates, and the least ratio of a weight to the line of its edge."""
    _, _, dtype, unweighted = query
    points: Any = graph.coordinates
    handle = graph._handle_for(None if unweighted else dtype, ledger)
    ratio = graph._derive(
        f"least ratio of {'hops' if unweighted else dtype} to lines",
        lambda: _core.least_ratio(handle, points, dtype, unweighted),
    )
    return points, ratio


def _search(
    graph: Graph, back: Graph, query: Query, bound: Bound, ledger: _core.Ledger, max_visits: int
) -> tuple[Length, Vertices] | None:
    """Return the length and the path; None if there is none, but a length did not fit `dtype`.

    Without a bound on what is left of a path, the search is from both ends, and None also if they
    have not met after so many visits; 0: any number.
    """
    start, end, dtype, unweighted = query
    lengths = None if unweighted else dtype
    handle, entering = graph._handle_for(lengths, ledger), back._handle_for(lengths, ledger)
    length: Any
    length, vertices, overflows = _core.shortest_path(
        handle, entering, start, end, dtype, unweighted, bound, ledger=ledger, max_visits=max_visits
    )
    if overflows and not len(vertices):  # fewer sums may overflow from both ends
        return None if bound is None else _search(graph, back, query, None, ledger, 0)
    return length, vertices
