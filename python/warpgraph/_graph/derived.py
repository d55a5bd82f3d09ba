"""Data that a wg.Graph derives from itself and keeps: methods of wg.Graph for the algorithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate

if TYPE_CHECKING:
    from warpgraph._graph.protocol import Graph

Array = npt.NDArray[Any]


def undirected(
    graph: Graph, ledger: _core.Ledger = validate.NO_LIMIT, *, reads_weights: bool = True
) -> Graph:
    """Return this graph if every edge is stored both ways, else one that it makes and keeps.

    If weights are not read, they need not mirror.
    """
    return _form(graph, "undirected", graph._handle.symmetrise, ledger, reads_weights)


def transposed(
    graph: Graph, ledger: _core.Ledger = validate.NO_LIMIT, *, reads_weights: bool = True
) -> Graph:
    """Return the graph with all edges reversed, like `undirected`."""
    return _form(graph, "transposed", graph._handle.transpose, ledger, reads_weights)


def known_undirected(graph: Graph, *, reads_weights: bool = True) -> Graph | None:
    """Return the result of `undirected`, or None if it would have to be made."""
    return _known(graph, "undirected", reads_weights)


def has_transposed(graph: Graph, reads_weights: bool) -> bool:
    """Return whether `transposed` makes nothing."""
    return _known(graph, "transposed", reads_weights) is not None


def _known(graph: Graph, form: str, reads_weights: bool) -> Graph | None:
    mirrors = graph._is_mirrored() if reads_weights else graph._has_mirrored_structure()
    return graph if mirrors else graph._known_form(form, reads_weights=reads_weights)


def _form(
    graph: Graph, form: str, make: Callable[..., Any], ledger: _core.Ledger, reads_weights: bool
) -> Graph:
    known = _known(graph, form, reads_weights)
    if known is not None:
        return known
    made = graph._derive(form, lambda: graph._with_same_vertices(*make(graph.dtype, ledger)))
    return made  # type: ignore[no-any-return]


def is_mirrored(graph: Graph) -> bool:
    """Return whether the entries below the diagonal mirror those above it."""
    return graph._handle.is_mirrored()


def has_sorted_rows(graph: Graph, *, descending: bool) -> bool:
    """Return whether the entries of each row come in the order of their weights."""
    key = f"has_sorted_rows, {'descending' if descending else 'ascending'}"
    look = graph._derive(key, lambda: _core.has_sorted_rows(graph._handle, graph.dtype, descending))
    return bool(look)


def longest_row(graph: Graph) -> int:
    """Return the largest number of entries in a row."""
    return graph._handle.longest_row()


def has_mirrored_structure(graph: Graph) -> bool:
    """Return whether the entries are stored both ways, with any weights."""
    return graph._handle.has_mirrored_structure()


def is_known_mirrored(graph: Graph) -> bool:
    """Return whether the entries were found to be stored both ways, without a new check."""
    return graph._handle.is_known_mirrored()


def undirected_structure(graph: Graph) -> Graph:
    """Return an undirected graph for algorithms that read no weights, which need not mirror."""
    return graph._undirected(reads_weights=False)


def known_form(graph: Graph, form: str, *, reads_weights: bool) -> Graph | None:
    """Return the form "undirected" or "transposed" if it is kept; its weights count if read."""
    known: Graph | None = graph._known(form)
    if known is None and not reads_weights:
        known = graph._known(structure_of(form))
    return known


def structure_of(form: str) -> str:
    """Return the name by which a graph keeps a form that has the weights of another graph."""
    return f"structure, {form}"


def upper_triangle(
    graph: Graph, ledger: _core.Ledger = validate.NO_LIMIT
) -> tuple[Graph, Array | None]:
    """Return a graph whose entries above the diagonal are the edges, each undirected one once.

    That is this graph if its lower triangle is empty or mirrors the upper one; else a new graph,
    which it keeps, with the position in this graph of each of its entries.
    """
    # The kept value must not refer to this graph: the cycle would keep the graph alive.
    upper: tuple[Graph, Array] | None = graph._derive(
        "upper_triangle", lambda: _make_upper_triangle(graph, ledger)
    )
    return upper or (graph, None)


def _make_upper_triangle(graph: Graph, ledger: _core.Ledger) -> tuple[Graph, Array] | None:
    arrays = None if graph._is_mirrored() else graph._handle.upper_triangle(graph.dtype, ledger)
    return None if arrays is None else (graph._with_same_vertices(*arrays[:3]), arrays[3])


#: Names under which a graph keeps what is derived from its structure alone. The handle
#: keeps facts.
_OF_STRUCTURE = (
    "has_loops",
    "leaving_degrees",
    "n_parallel",
    "hierarchy, unweighted",
    "hierarchy, unweighted bound",
    "hierarchy, unweighted refused",
    "hierarchy structure",
)
#: Forms whose structure is that of the same form with other weights.
_FORMS = ("transposed", "undirected")


def kept_of_structure(graph: Graph) -> dict[str, Any]:
    """Return what the graph keeps and a graph of other weights could keep, too."""
    known = {key: graph._known(key) for key in _OF_STRUCTURE}
    for form in _FORMS:
        known[structure_of(form)] = graph._known_form(form, reads_weights=False)
    return {key: value for key, value in known.items() if value is not None}
