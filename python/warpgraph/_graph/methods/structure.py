"""Degrees, neighbours and parts of a graph: methods of wg.Graph for users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._graph.methods.vertices import like

if TYPE_CHECKING:
    from warpgraph._arguments import types
    from warpgraph._graph.protocol import AnyGraph, Graph


def degrees(graph: AnyGraph, kind: str = "out") -> npt.NDArray[np.int64]:
    """Count the edges of each vertex.

    Parameters
    ----------
    kind : {"out", "in"}
        Count the edges that leave a vertex, or those that arrive. Where undirected edges are stored
        both ways, these are the same, and a loop counts once.

    Returns
    -------
    ndarray of int64, shape (n_vertices,)
        The degrees. Parallel edges count each.

    Notes
    -----
    Takes O(n) time for edges that leave, O(n + m) for those that arrive.

    Examples
    --------
    >>> roads = wg.Graph.from_edges([0, 0, 2], [1, 2, 1])
    >>> roads.degrees().tolist(), roads.degrees("in").tolist()
    ([2, 0, 1], [0, 2, 1])
    """
    if validate.choice(kind, ("out", "in"), "kind") == "out":
        return np.diff(graph.indptr).astype(np.int64, copy=False)
    found: npt.NDArray[np.int64] = np.bincount(graph.indices, minlength=graph.n_vertices)
    return found.astype(np.int64, copy=False)


def neighbors(graph: AnyGraph, vertex: types.Vertex) -> npt.NDArray[Any]:
    """Return the vertices to which an edge leads from a vertex.

    Parameters
    ----------
    vertex : int or name
        The vertex, by its name if vertices have names.

    Returns
    -------
    ndarray, shape (k,)
        Each once, in ascending order of their numbers: int32, or their names if vertices have
        names.

    Raises
    ------
    ValueError
        There is no such vertex.

    Examples
    --------
    >>> roads = wg.Graph.from_edges(["Rome", "Rome", "Pisa"], ["Pisa", "Genoa", "Genoa"])
    >>> roads.neighbors("Rome").tolist()
    ['Genoa', 'Pisa']
    """
    v = graph._find_vertex(vertex, "vertex")
    return graph._named_vertices(np.unique(graph.indices[graph.indptr[v] : graph.indptr[v + 1]]))


def reverse(graph: Graph) -> Graph:
    """Return the graph with each edge in the opposite direction.

    Returns
    -------
    Graph
        With the same names and coordinates. If every edge is stored both ways with equal weights,
        it is this graph; else it is made once and kept, as `bfs` and `pagerank` do when they need
        it.

    Notes
    -----
    Takes O(n + m) time and memory.

    Examples
    --------
    >>> roads = wg.Graph.from_edges(["Rome", "Pisa"], ["Pisa", "Genoa"], [355.0, 165.0])
    >>> wg.sssp(roads.reverse(), "Genoa").tolist()
    [0.0, 165.0, 520.0]
    """
    return graph._transposed()


def subgraph(graph: Graph, vertices: types.Vertices | npt.NDArray[np.bool_]) -> Graph:
    """Return the graph of some vertices and of all edges between them.

    Parameters
    ----------
    vertices : array_like of int or names, shape (k,), or of bool, shape (n_vertices,)
        The vertices, each once, by name if vertices have names; or a mask that is true for them.

    Returns
    -------
    Graph
        Vertex i is ``vertices[i]``; from a mask, vertices keep their order. Names, coordinates, the
        order of the edges of each vertex and their weights are those of this graph.

    Raises
    ------
    ValueError
        There is no such vertex, one is listed twice, or a mask of another length.

    Notes
    -----
    Takes O(n + m') time for the m' edges that leave these vertices.

    Examples
    --------
    >>> roads = wg.Graph.from_edges(["Rome", "Pisa", "Rome"], ["Pisa", "Genoa", "Bari"])
    >>> part = roads.subgraph(["Rome", "Pisa"])
    >>> part.names.tolist(), part.n_edges
    (['Rome', 'Pisa'], 1)
    >>> largest = wg.connected_components(roads)[1] == 0
    >>> roads.subgraph(largest).n_vertices
    4
    """
    chosen = _chosen(graph, vertices)
    numbers = np.full(graph.n_vertices, -1, np.int32)
    numbers[chosen] = np.arange(len(chosen), dtype=np.int32)
    first, counts = graph.indptr[chosen], np.diff(graph.indptr)[chosen].astype(np.int64)
    ends = np.cumsum(counts)
    n_entries = int(ends[-1]) if len(ends) else 0
    # The positions of the entries of all rows, one row after the other.
    entries = np.repeat(first - (ends - counts), counts) + np.arange(n_entries)
    heads = numbers[graph.indices[entries]]
    inside = heads >= 0
    kept = np.concatenate([[0], np.cumsum(inside)])
    indptr = kept[np.concatenate([[0], ends])]
    made = type(graph)._of_own(indptr, heads[inside], graph.data[entries[inside]])
    return like(made, graph, chosen)


def _chosen(graph: AnyGraph, vertices: Any) -> npt.NDArray[np.int32]:
    """Return the numbers of the vertices that a caller chose."""
    if _is_mask(vertices):
        mask = validate.unmasked(vertices, "vertices").astype(bool)
        if mask.shape != (graph.n_vertices,):
            raise ValueError(
                f"vertices is a mask of shape {mask.shape}, but must have an entry for each of the "
                f"{graph.n_vertices} vertices"
            )
        return np.flatnonzero(mask).astype(np.int32)
    found = graph._find_vertices(vertices, "vertices")
    first = np.full(graph.n_vertices, -1, np.int64)
    first[found[::-1]] = np.arange(len(found))[::-1]
    again = np.flatnonzero(first[found] != np.arange(len(found)))
    if len(again):
        i, j = int(first[found[again[0]]]), int(again[0])
        name = validate.shown(graph._named_vertices(found[j : j + 1])[0])
        raise ValueError(f"vertices[{i}] and vertices[{j}] are both {name}; list each once")
    return found


def _is_mask(vertices: Any) -> bool:
    if isinstance(vertices, (list, tuple)):
        return len(vertices) > 0 and all(isinstance(v, (bool, np.bool_)) for v in vertices)
    return str(getattr(vertices, "dtype", "")).split(".")[-1] in ("bool", "boolean")


def is_directed(graph: AnyGraph) -> bool:
    """Return False if every edge is stored both ways with the same weight, as undirected ones are.

    Calls with ``directed=True`` and ``directed=False`` then have the same results. Takes O(n + m)
    time once.

    Examples
    --------
    >>> wg.generators.grid(3, 3).is_directed()
    False
    """
    return not graph._is_mirrored()


def has_negative_weights(graph: AnyGraph) -> bool:
    """Return whether a weight is below zero; takes O(m) time once.

    Examples
    --------
    >>> wg.Graph.from_edges([0, 1], [1, 2], [3.0, -1.0]).has_negative_weights()
    True
    """
    return graph._first_negative() is not None


def has_parallel_edges(graph: AnyGraph) -> bool:
    """Return whether two edges lead from one vertex to the same other; takes O(n + m) time once.

    Examples
    --------
    >>> wg.Graph.from_edges([0, 0], [1, 1], [3.0, 5.0]).has_parallel_edges()
    True
    """
    return bool(graph._derive("n_parallel", lambda: _core.count_parallel_arcs(graph._handle)))


def has_self_loops(graph: AnyGraph) -> bool:
    """Return whether an edge leads from a vertex to itself; takes O(n + m) time once.

    Examples
    --------
    >>> wg.Graph.from_edges([0, 1], [1, 1]).has_self_loops()
    True
    """
    return bool(graph._derive("has_loops", lambda: _has_loops(graph)))


def _has_loops(graph: AnyGraph) -> bool:
    return bool((_core.tails(graph._handle) == graph.indices).any())
