"""wg.reconstruct_path and wg.reconstruct_paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.nx_graphs import is_networkx
from warpgraph._graph.graph import Graph, names_of

if TYPE_CHECKING:
    from warpgraph._arguments import types


@hinted
def reconstruct_path(
    predecessors: types.ArrayLike,
    source: types.Vertex,
    target: types.Vertex,
    *,
    sources: types.Vertices | None = None,
    graph: types.GraphLike | None = None,
) -> npt.NDArray[Any]:
    """Return the vertices of the path from `source` to `target`.

    Parameters
    ----------
    predecessors : array of int, shape (n_vertices,) or (n_sources, n_vertices)
        As `sssp` returns them, or a row for each source, as `apsp` and `many_to_many` do; any
        negative number means that there is none.
    source, target : int, or names of vertices
        The ends of the path. `source` is the source of the predecessors, or another vertex on the
        path from there to `target`. In a matrix it chooses the row, so it is one of the sources.
    sources : sequence of int or names, optional
        The vertices whose rows a matrix of predecessors has, as they were passed to `many_to_many`.
        By default those of `apsp`: all vertices, in their order.
    graph : networkx.Graph or Graph, optional
        The graph that the predecessors were found in, to look names up. Then `source`, `target` and
        the path are given by names if it has names.

    Returns
    -------
    vertices : ndarray of int32, shape (k,)
        The vertices ``source, ..., target``; empty if `target` was not reached. Their names, as
        in `Graph.names`, if `graph` has names.

    Raises
    ------
    ValueError
        The predecessors have a cycle, name a vertex that does not exist, or are of another source;
        or a matrix has no row for `source`.

    Examples
    --------
    >>> import warpgraph as wg
    >>> grid = wg.generators.grid(2, 3, weights=None)
    >>> distances, predecessors = wg.sssp(grid, 0, return_predecessors=True)
    >>> wg.reconstruct_path(predecessors, 0, 5)
    array([0, 1, 2, 5], dtype=int32)
    """
    given = _as_integers(predecessors)
    find, find_all, names = _lookup(graph, given.shape[-1])
    end = find(target, "target")
    start = find(source, "source")
    tree = _as_tree(_row_of(given, start, sources, find_all))
    return names(_paths(tree, start, np.array([end], np.int32))[1])


@hinted
def reconstruct_paths(
    predecessors: types.ArrayLike,
    source: types.Vertex,
    targets: types.Vertices,
    *,
    sources: types.Vertices | None = None,
    graph: types.GraphLike | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return the vertices of the paths from `source` to many targets at once.

    Parameters
    ----------
    predecessors : array of int, shape (n_vertices,) or (n_sources, n_vertices)
        As `sssp` returns them, or a row for each source, as `apsp` and `many_to_many` do; any
        negative number means that there is none.
    source : int, or name of a vertex
        As for `reconstruct_path`.
    targets : sequence of int or names
        Where they end.
    sources : sequence of int or names, optional
        As for `reconstruct_path`.
    graph : networkx.Graph or Graph, optional
        The graph that the predecessors were found in, to look names up.

    Returns
    -------
    indptr : ndarray of int64, shape (len(targets) + 1,)
    vertices : ndarray of int32, or of object, shape (indptr[-1],)
        The i-th path, as `reconstruct_path` returns it, is ``vertices[indptr[i]:indptr[i + 1]]``.

    Raises
    ------
    ValueError
        The predecessors have a cycle, name a vertex that does not exist, or are of another source;
        or a matrix has no row for `source`.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> grid = wg.generators.grid(2, 3, weights=None)
    >>> distances, predecessors = wg.sssp(grid, 0, return_predecessors=True)
    >>> indptr, vertices = wg.reconstruct_paths(predecessors, 0, [5, 2])
    >>> [path.tolist() for path in np.split(vertices, indptr[1:-1])]
    [[0, 1, 2, 5], [0, 1, 2]]
    """
    given = _as_integers(predecessors)
    find, find_all, names = _lookup(graph, given.shape[-1])
    ends = find_all(targets, "targets")
    start = find(source, "source")
    indptr, vertices = _paths(_as_tree(_row_of(given, start, sources, find_all)), start, ends)
    return indptr, names(vertices)


def _lookup(
    graph: Any, n_vertices: int
) -> tuple[Callable[[Any, str], int], Callable[..., Any], Callable[[Any], npt.NDArray[Any]]]:
    """Return the functions that look up one vertex, several vertices, and the names of vertices."""
    if graph is None:
        return (
            lambda value, argument: _by_number(validate.vertex, value, n_vertices, argument),
            lambda values, argument: _by_number(validate.vertices, values, n_vertices, argument),
            lambda vertices: vertices,
        )
    if not (isinstance(graph, Graph) or is_networkx(graph)):
        raise TypeError(
            f"graph must be a NetworkX graph or a warpgraph.Graph, got {validate.type_name(graph)}"
        )
    n = graph.n_vertices if isinstance(graph, Graph) else len(graph)
    if n != n_vertices:
        raise ValueError(f"the graph has {n} vertices, but there are {n_vertices} predecessors")
    names = names_of(graph)
    return _lookup(None, n) if names is None else (names.number, names.numbers, names.of)


def _by_number(find: Callable[..., Any], value: Any, n_vertices: int, argument: str) -> Any:
    """Return what numbers mean; names need a graph."""
    try:
        return find(value, n_vertices, argument)
    except TypeError as error:
        raise TypeError(
            f"{error}; if vertices have names, pass graph=, the graph that has them"
        ) from None


def _paths(
    tree: npt.NDArray[np.int32], source: int, targets: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the paths; a path is empty only if its target was not reached."""
    indptr, vertices = _core.reconstruct_paths(tree, source, targets)
    missed = targets[indptr[1:] == indptr[:-1]]
    if len(missed):
        _refuse_other_source(tree, source, missed)
    return indptr, vertices


def _refuse_other_source(
    tree: npt.NDArray[np.int32], source: int, missed: npt.NDArray[np.int32]
) -> None:
    """Raise a ValueError if the predecessors were found from another vertex than `source`.

    `missed`: targets whose predecessors do not lead to `source`. The predecessors of one source
    form one tree with that source as its root; a target not reached from there has no predecessor
    and is none.
    """
    is_passed = np.zeros(len(tree), bool)
    is_passed[tree[tree >= 0]] = True
    led_away = missed[(tree[missed] >= 0) | is_passed[missed]]
    if len(led_away):
        target = root = int(led_away[0])
        while tree[root] >= 0:  # cycles were found before
            root = int(tree[root])
        way = f"from vertex {target} to vertex {root}"
        if root == target:
            way = f"to vertex {root}, the target itself"
        raise ValueError(
            f"source is vertex {source}, but the predecessors lead back {way}: they were found "
            "from another source"
        )
    if is_passed.any() and tree[source] < 0 and not is_passed[source]:
        raise ValueError(
            f"source is vertex {source}, but the predecessors were found from another source, from "
            f"which vertex {source} was not reached"
        )


def _as_integers(predecessors: Any) -> npt.NDArray[Any]:
    array = validate.unmasked(predecessors, "predecessors")
    if array.ndim not in (1, 2):
        raise ValueError(
            "predecessors must have one entry per vertex, or a row of them for each source, got an "
            f"array of shape {array.shape}"
        )
    # An empty list becomes an array of floats.
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"predecessors must be integers, got an array of {array.dtype}")
    return array


def _row_of(
    given: npt.NDArray[Any], source: int, sources: Any, find_all: Callable[..., Any]
) -> npt.NDArray[Any]:
    """Return the predecessors of one source: of a matrix the row, of which `sources` says whose."""
    if given.ndim == 1:
        if sources is not None:
            raise ValueError(
                "sources are those of a matrix of predecessors, but predecessors has the shape "
                f"{given.shape}"
            )
        return given
    n_rows, n = given.shape
    if sources is None:
        if n_rows != n:
            raise ValueError(
                f"predecessors has the shape {given.shape}, not a row for each vertex; pass "
                "sources=, the vertices whose rows these are"
            )
        return np.asarray(given[source])
    starts = find_all(sources, "sources")
    if len(starts) != n_rows:
        raise ValueError(f"predecessors has {n_rows} rows, but there are {len(starts)} sources")
    rows = np.flatnonzero(starts == source)
    if not rows.size:
        raise ValueError(f"source is vertex {source}, which is not one of the sources")
    return np.asarray(given[rows[0]])


def _as_tree(array: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    given = array.copy()  # another thread may write to the caller's array after the check
    outside = np.flatnonzero(given >= len(given))
    if outside.size:
        raise ValueError(
            f"predecessors[{outside[0]}] is {given[outside[0]]}, "
            f"but there are {len(given)} vertices"
        )
    # Any negative number means "none"; some 64-bit ones would change in the conversion.
    signed = given if given.dtype == np.int32 else given.astype(np.int64)
    return validate.in_place(np.maximum(signed, -1), np.int32)
