"""Vertices by number and by name: methods of wg.Graph for the functions of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.names import are_positions, index_of
from warpgraph._graph import coordinates as _coordinates

if TYPE_CHECKING:
    from collections.abc import Hashable

    from warpgraph._arguments.names import Names
    from warpgraph._graph.protocol import AnyGraph, Graph

Array = npt.NDArray[Any]


def number_of(graph: AnyGraph, name: Hashable) -> int:
    """Return the number of the vertex that has this name.

    If vertices have no names, their numbers are their names.

    Raises
    ------
    ValueError
        No vertex has this name.
    """
    return graph._find_vertex(name, "name")


def find_vertex(graph: AnyGraph, value: Any, argument: str) -> int:
    """Return the vertex that callers passed as `argument`, by its name where it has one."""
    if graph._names is None:
        return validate.vertex(value, graph.n_vertices, argument)
    return graph._names.number(value, argument)


def find_vertices(graph: AnyGraph, values: Any, argument: str) -> npt.NDArray[np.int32]:
    """Return the numbers of several vertices, each as `find_vertex` does."""
    if graph._names is None:
        return validate.vertices(values, graph.n_vertices, argument)
    return graph._names.numbers(values, argument)


def some_vertices(graph: AnyGraph, values: Any, argument: str) -> npt.NDArray[np.int32]:
    """Return the numbers of vertices, of which there must be one if the graph has any.

    Where a function would find nothing for no vertex, its answer, inf or 0 everywhere, looks like
    one. A filter with a misspelt word leaves such a list.
    """
    found = find_vertices(graph, values, argument)
    if graph.n_vertices and not len(found):
        raise ValueError(f"{argument} must have at least one vertex, but it is empty")
    return found


def labels_of(graph: AnyGraph, values: Any) -> list[Any] | None:
    """Return the index of a pandas Series, else None.

    The index 0, 1, 2, ... is one only where these are the names.
    """
    index = index_of(values)
    if index is None:
        return None
    labels: list[Any] = index.tolist()
    if not are_positions(index):
        return labels
    return labels if graph.names is not None and set(graph.names) == set(labels) else None


def in_vertex_order(graph: AnyGraph, values: Any, argument: str) -> Any:
    """Return values of all vertices in their order: those of a Series as its index says."""
    labels = labels_of(graph, values)
    if labels is None:
        return values
    numbers = find_vertices(graph, labels, argument)
    order = np.argsort(numbers, kind="stable")
    if not np.array_equal(numbers[order], np.arange(graph.n_vertices)):
        missing = np.setdiff1d(np.arange(graph.n_vertices, dtype=np.int32), numbers)
        first = [str(name) for name in named_vertices(graph, missing[:1])]
        raise ValueError(
            f"the index of {argument} must name each of the {graph.n_vertices} vertices once, got "
            f"{len(labels)} labels of {len(np.unique(numbers))} vertices"
            + "".join(f"; reindex() can add those that it lacks, such as {name}" for name in first)
        )
    return np.asarray(values)[order]


def named_vertices(graph: AnyGraph, vertices: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
    """Return vertices as callers know them: by name, if there are names."""
    return vertices if graph._names is None else graph._names.of(vertices)


def unnamed(graph: Graph) -> Graph:
    """Return the same graph, with all derived data, without names, which errors have all the same.

    Vertices are passed and returned by their numbers.
    """
    if graph._names is None:
        return graph
    made = type(graph).__new__(type(graph))
    made.__dict__.update(graph.__dict__, _names=None, _names_in_errors=graph._names)
    return made


def names_as_ids(graph: AnyGraph) -> Array | None:
    """Return the names as an array of integers or strings; None if they are the numbers."""
    return None if graph._names is None else graph._names.as_ids()


def shown(graph: AnyGraph, *vertices: int) -> str:
    """Return the text for a vertex, or an edge's two, in messages: by names if there are any."""
    names = graph._names or graph._names_in_errors
    if names is not None:
        return names.shown(*vertices)
    return str(vertices if len(vertices) > 1 else vertices[0])


def named(graph: Graph, names: Names | None) -> Graph:
    """Set the names of a new graph; return it."""
    graph._names = names
    return graph


def like(graph: Graph, other: Any, order: Array | None = None) -> Graph:
    """Return a new graph with the names and coordinates of the other; vertex i was `order[i]`."""
    graph.weight_name = other.weight_name
    names, coordinates = other._names, other.coordinates
    if order is not None:
        names = None if names is None else names.permuted(order)
        coordinates = _coordinates.permuted(coordinates, order)
    graph._names, vars(graph)["coordinates"] = names, coordinates
    return graph
