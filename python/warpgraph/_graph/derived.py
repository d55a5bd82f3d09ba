"""Data that a wg.Graph derives from itself and keeps: methods of wg.Graph for the algorithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from warpgraph import _core

if TYPE_CHECKING:
    from warpgraph._graph.protocol import Graph

Array = npt.NDArray[Any]


def undirected(graph: Graph, limit: int = 0) -> Graph:
    """Return this graph if every edge is stored both ways, else one made in `limit` bytes."""
    return _unless_mirrored(graph, "undirected", lambda: _make_undirected(graph, limit))


def transposed(graph: Graph, limit: int = 0) -> Graph:
    """Return the graph with all edges reversed, like `undirected`."""
    return _unless_mirrored(graph, "transposed", lambda: _make_transposed(graph, limit))


def _unless_mirrored(graph: Graph, key: str, make: Callable[[], Graph]) -> Graph:
    return graph if graph.is_mirrored() else graph.derived(key, make)


def _make_undirected(graph: Graph, limit: int) -> Graph:
    return graph._with_same_vertices(*graph.handle.symmetrise(graph.dtype, limit))


def _make_transposed(graph: Graph, limit: int) -> Graph:
    return graph._with_same_vertices(*graph.handle.transpose(graph.dtype, limit))


def is_mirrored(graph: Graph) -> bool:
    """Return whether the entries below the diagonal mirror those above it."""
    return graph.handle.is_mirrored()


def has_sorted_rows(graph: Graph, *, descending: bool) -> bool:
    """Return whether the entries of each row come in the order of their weights."""
    key = f"has_sorted_rows, {'descending' if descending else 'ascending'}"
    look = graph.derived(key, lambda: _core.has_sorted_rows(graph.handle, graph.dtype, descending))
    return bool(look)


def longest_row(graph: Graph) -> int:
    """Return the largest number of entries in a row."""
    return graph.handle.longest_row()


def has_mirrored_structure(graph: Graph) -> bool:
    """Return whether the entries are stored both ways, with any weights."""
    return graph.handle.has_mirrored_structure()


def is_known_mirrored(graph: Graph) -> bool:
    """Return whether the entries were found to be stored both ways, without a new check."""
    return graph.handle.is_known_mirrored()


def undirected_structure(graph: Graph) -> Graph:
    """Return an undirected graph for algorithms that read no weights, which need not mirror."""
    if graph.has_mirrored_structure():
        return graph
    return graph.known_form("undirected", reads_weights=False) or graph.undirected()


def known_form(graph: Graph, form: str, *, reads_weights: bool) -> Graph | None:
    """Return the form "undirected" or "transposed" if it is kept; its weights count if read."""
    known: Graph | None = graph.known(form)
    if known is None and not reads_weights:
        known = graph.known(structure_of(form))
    return known


def structure_of(form: str) -> str:
    """Return the name by which a graph keeps a form that has the weights of another graph."""
    return f"structure, {form}"


def upper_triangle(graph: Graph, limit: int = 0) -> tuple[Graph, Array | None]:
    """Return a graph whose entries above the diagonal are the edges, each undirected one once.

    That is this graph if its lower triangle is empty or mirrors the upper one; else a new graph,
    with the position in this graph of each of its entries, made in `limit` bytes.
    """
    # The kept value must not refer to this graph: the cycle would keep the graph alive.
    upper: tuple[Graph, Array] | None = graph.derived(
        "upper_triangle", lambda: _make_upper_triangle(graph, limit)
    )
    return upper or (graph, None)


def _make_upper_triangle(graph: Graph, limit: int) -> tuple[Graph, Array] | None:
    arrays = None if graph.is_mirrored() else graph.handle.upper_triangle(graph.dtype, limit)
    return None if arrays is None else (graph._with_same_vertices(*arrays[:3]), arrays[3])


#: Names under which a graph keeps what is derived from its structure alone. The handle
#: keeps facts.
_OF_STRUCTURE = (
    "leaving_degrees",
    "hierarchy, unweighted",
    "hierarchy, unweighted bound",
    "hierarchy, unweighted refused",
)
#: Forms whose structure is that of the same form with other weights.
_FORMS = ("transposed", "undirected")


def kept_of_structure(graph: Graph) -> dict[str, Any]:
    """Return what the graph keeps and a graph of other weights could keep, too."""
    known = {key: graph.known(key) for key in _OF_STRUCTURE}
    for form in _FORMS:
        known[structure_of(form)] = graph.known_form(form, reads_weights=False)
    return {key: value for key, value in known.items() if value is not None}
