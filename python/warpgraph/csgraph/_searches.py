"""Searches from many vertices, as the functions of this package call them.

A search of a small graph calls the core directly: the choice of a device and of a method takes
longer than the search itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import NegativeCycleError as TheirNegativeCycleError

from warpgraph import _core
from warpgraph._arguments.device import is_auto
from warpgraph._arguments.new_array import NO_VERTICES, new_array
from warpgraph._graph.graph import Graph
from warpgraph._paths.many_to_many import many_to_many
from warpgraph._paths.sssp import sssp
from warpgraph.csgraph._input import NO_VERTEX, Arcs, Array

#: Methods of `sssp` that search with all of a device from one vertex, so that several take turns.
METHODS_OF_ONE = ("delta_stepping", "near_far")


Found = tuple[Array, Array]


class NegativeCycleError(TheirNegativeCycleError, _core.NegativeCycleError):
    """A cycle of negative weight: an error of SciPy and of this library.

    Attributes
    ----------
    vertex : int
        A vertex of the cycle.
    """

    def __init__(self, message: str = "", vertex: int = -1) -> None:
        super().__init__(message)
        self.vertex = vertex


def negative_cycle(error: Exception) -> NegativeCycleError:
    """Return SciPy's error for one of the core."""
    vertex = int(getattr(error, "vertex", -1))
    return NegativeCycleError(f"Negative cycle detected on node {vertex}", vertex)


def refuse_negative_cycle(arcs: Arcs, sources: Array, directed: bool) -> None:
    """Raise NegativeCycleError if the sources reach a cycle of negative weight."""
    if not len(sources):
        return
    try:
        many_to_many(arcs.graph(), sources, min_only=True, directed=bool(directed), device="cpu")
    except _core.NegativeCycleError as error:
        raise negative_cycle(error) from error


def search(
    arcs: Arcs,
    sources: Array,
    *,
    directed: bool,
    unweighted: bool = False,
    limit: float = np.inf,
    predecessors: bool = False,
    method: Any = "auto",
    device: Any = "auto",
) -> Found:
    """Return distances and predecessors, a row for each source; weights are not negative.

    Without `predecessors` their array is empty.
    """
    if method in METHODS_OF_ONE:
        how: dict[str, Any] = {"directed": directed, "unweighted": unweighted, "limit": limit}
        how |= {"predecessors": predecessors, "device": device}
        return search_one_by_one(arcs, sources, method, **how)
    n = arcs.n_vertices
    is_default = method == "auto" and is_auto(device)
    if is_default and arcs.are_short("searches", len(sources)):
        distances = np.empty((len(sources), n))
        trees = np.empty(distances.shape, np.int32) if predecessors else NO_VERTICES
        if distances.size:
            _core.small_search(
                arcs.handle(), sources, distances, trees, limit, directed, unweighted, NO_VERTEX
            )
        return distances, trees
    graph = arcs.graph()
    options: dict[str, Any] = {
        "limit": limit,
        "directed": directed,
        "unweighted": unweighted,
        "return_predecessors": predecessors,
        "method": method,
        "device": device,
    }
    if len(sources) == 1 and method != "batched":
        found = sssp(graph, sources[0], **options)
    else:
        found = many_to_many(graph, sources, **options)
    shape = len(sources), n
    if not predecessors:
        return found.reshape(shape), NO_VERTICES
    distances, trees = (part.reshape(shape) for part in found)
    form = graph if directed else graph._undirected()
    return distances, like_scipy(form._handle, distances, trees, sources, unweighted)


def search_one_by_one(
    arcs: Arcs,
    sources: Array,
    method: Any,
    *,
    directed: bool,
    predecessors: bool,
    unweighted: bool = False,
    **options: Any,
) -> Found:
    """Return what `search` does, by a method of `sssp` from each source."""
    graph = arcs.graph()
    distances = new_array((len(sources), arcs.n_vertices), np.float64)
    trees = new_array(distances.shape if predecessors else (0,), np.int32)
    how = {"method": method, "directed": directed, "unweighted": unweighted, **options}
    try:
        _fill_one_by_one(graph, sources, distances, trees, how)
    except _core.NegativeCycleError as error:
        raise negative_cycle(error) from error
    if predecessors:
        form = graph if directed else graph._undirected()
        like_scipy(form._handle, distances, trees, sources, unweighted)
    return distances, trees


def search_from_nearest(
    arcs: Arcs,
    sources: Array,
    *,
    directed: bool,
    unweighted: bool,
    limit: float,
    predecessors: bool,
    method: Any,
    device: Any,
) -> tuple[Array, ...]:
    """Return distances from the nearest source, predecessors, and the nearest source of each.

    Without `predecessors` the other two need not be there.
    """
    n = arcs.n_vertices
    if not len(sources):  # SciPy reaches nothing
        search(arcs, sources, directed=directed, method=method, device=device)  # checks the rest
        return np.full(n, np.inf), *np.full((2, n), NO_VERTEX, np.int32)
    is_default = method == "auto" and is_auto(device)
    if is_default and n > 0 and arcs.are_short("searches"):
        distances = np.empty(n)
        trees = np.empty(n, np.int32) if predecessors else NO_VERTICES
        nearest = np.empty_like(trees)
        _core.small_search_from_nearest(
            arcs.handle(),
            sources,
            distances,
            trees,
            nearest,
            limit,
            directed,
            unweighted,
            NO_VERTEX,
        )
        return distances, trees, nearest
    found = many_to_many(
        arcs.graph(),
        sources,
        min_only=True,
        limit=limit,
        directed=directed,
        unweighted=unweighted,
        return_predecessors=True,
        method=method,
        device=device,
    )
    for vertices in found[1:]:
        np.putmask(vertices, vertices < 0, NO_VERTEX)
    return tuple(found)


def like_scipy(
    handle: _core.Graph,
    distances: Array,
    predecessors: Array,
    sources: Array,
    unweighted: bool,
) -> Array:
    """Change predecessors to SciPy's form; return the array.

    An edge from the source comes before all other last edges, as in SciPy, and -9999 is written
    where there is none. `handle`: of the arcs in all directions in which they may be followed.
    """
    _core.prefer_direct_arcs(handle, distances, predecessors, sources, unweighted, NO_VERTEX)
    return predecessors


def search_with_negative_weights(
    arcs: Arcs,
    sources: Array,
    *,
    directed: bool,
    everywhere: bool,
    predecessors: bool = False,
    device: Any = "auto",
) -> Found:
    """Return what `search` does; weights may be negative.

    Raises
    ------
    NegativeCycleError
        There is a cycle of negative weight: that a source reaches, or, if `everywhere`, any.
    """
    graph = arcs.graph()
    shape = len(sources), arcs.n_vertices
    distances = new_array(shape, np.float64)
    trees = new_array(shape if predecessors else (0,), np.int32)
    how: dict[str, Any] = {"directed": directed, "device": device}
    try:
        if not _search_with_potentials(graph, sources, distances, trees, everywhere, how):
            _fill_one_by_one(graph, sources, distances, trees, {**how, "method": "bellman_ford"})
    except _core.NegativeCycleError as error:
        raise negative_cycle(error) from error
    if predecessors:
        form = graph if directed else graph._undirected()
        like_scipy(form._handle, distances, trees, sources, False)
    return distances, trees


def _search_with_potentials(
    graph: Graph,
    sources: Array,
    distances: Array,
    trees: Array,
    everywhere: bool,
    how: dict[str, Any],
) -> bool:
    """Fill the results by Johnson's algorithm; return False if another method has to."""
    if len(sources) < 2 and not everywhere:
        return False
    # Without a source there would be no search for potentials, which finds the cycles.
    starts = sources if len(sources) else np.zeros(min(graph.n_vertices, 1), np.int32)
    try:
        found = many_to_many(
            graph, starts, method="johnson", return_predecessors=trees.size > 0, **how
        )
    except _core.NegativeCycleError:
        if everywhere:
            raise
        return False  # no source may reach the cycle
    if len(sources):
        if trees.size:
            distances[:], trees[:] = found
        else:
            distances[:] = found
    return True


def _fill_one_by_one(
    graph: Graph, sources: Array, distances: Array, trees: Array, how: dict[str, Any]
) -> None:
    """Fill the results by a search from each source."""
    for i, source in enumerate(sources):
        found = sssp(graph, source, return_predecessors=trees.size > 0, **how)
        if trees.size:
            distances[i], trees[i] = found
        else:
            distances[i] = found


def shaped(found: Found, shape: tuple[int, ...], return_predecessors: bool) -> Any:
    """Return distances, with predecessors if wanted, in the shape that SciPy returns."""
    distances, predecessors = found
    if len(shape) != 2:
        distances = distances.reshape(shape)
        predecessors = predecessors.reshape(shape) if return_predecessors else predecessors
    return (distances, predecessors) if return_predecessors else distances
