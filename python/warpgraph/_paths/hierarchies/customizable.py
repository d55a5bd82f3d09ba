"""The structure of customizable hierarchies, which graphs of the same edges share."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import convert, validate
from warpgraph._graph import turns
from warpgraph._graph.graph import Graph

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]
Report = Callable[[int, int], Any] | None

#: Name by which a graph keeps the structure. Graphs that with_weights makes of it have it, too.
KEY = "hierarchy structure"


class Structure:
    """The core's order and shortcuts of one graph."""

    def __init__(self, handle: _core.HierarchyStructure) -> None:
        self.handle = handle
        self.order: Array = handle.order()

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self.handle.nbytes() + self.order.nbytes


def structure_of(
    graph: Graph, order: Array | None, ledger: _core.Ledger, report: Report
) -> Structure:
    """Return the structure that the graph keeps, or find it, in the order of contraction given."""

    def find() -> Structure:
        begin = time.perf_counter()
        made = Structure(
            _core.find_hierarchy_structure(graph._handle, order, report, ledger=ledger.on_host())
        )
        ledger.charge(made.nbytes)
        logger.info(
            "found %d arcs of a customizable hierarchy for %d vertices in %.3g s",
            made.handle.n_arcs(),
            graph.n_vertices,
            time.perf_counter() - begin,
        )
        return made

    found: Structure = graph._derive(KEY, find)
    return found


def customized(
    structure: Structure, graph: Graph, directed: bool, device: str, ledger: _core.Ledger
) -> _core.HierarchyHandle:
    """Return the hierarchy of a graph's weights, whose lengths are computed on a device."""
    begin = time.perf_counter()
    made = _core.customize_hierarchy(
        structure.handle,
        graph._handle,
        graph.dtype,
        device,
        None,
        undirected=not directed,
        ledger=ledger.on_host() if device == "cpu" else ledger,
    )
    logger.info("customized a hierarchy on %s in %.3g s", device, time.perf_counter() - begin)
    return made


def graph_of(weights: Any, graph: Graph | turns.TurnGraph) -> Graph | turns.TurnGraph:
    """Return a graph with the new weights; `weights` may be such a graph already."""
    if isinstance(graph, turns.TurnGraph):
        if not isinstance(weights, turns.TurnGraph):
            raise TypeError(
                "weights must be a TurnGraph, as the hierarchy's graph is: one that "
                "graph.with_weights(...).with_turns(...) makes with the same turns, got "
                f"{type(weights).__name__}"
            )
        if not _has_same_edges(weights.expanded, graph.expanded):
            _refuse_other_edges(weights.graph, graph.graph)
            _refuse_other_turns(weights, graph)
        return weights
    if isinstance(weights, Graph):
        _refuse_other_edges(weights, graph)
        return weights
    turns.refuse(weights)
    if convert.is_sparse(weights):
        raise TypeError(
            f"weights must be one for each edge or a Graph, got a {validate.type_name(weights)}; "
            "pass Graph(matrix), or the matrix's data"
        )
    return graph.with_weights(weights)


def _refuse_other_edges(graph: Any, known: Any) -> None:
    has_names = graph.names is not None and known.names is not None
    for name in ("indptr", "indices", "names")[: 2 + has_names]:
        given, expected = getattr(graph, name), getattr(known, name)
        if given is not expected and not np.array_equal(given, expected):
            raise ValueError(
                "weights must be a graph of the same edges in the same order, such as "
                f"graph.with_weights(...) makes, or Graph.from_dataframe() of rows in the same "
                f"order; {name} of {graph!r} are others"
            )


def _has_same_edges(graph: Any, known: Any) -> bool:
    return graph is known or (
        np.array_equal(graph.indptr, known.indptr) and np.array_equal(graph.indices, known.indices)
    )


def _refuse_other_turns(given: turns.TurnGraph, known: turns.TurnGraph) -> None:
    """Raise a ValueError that says how the turns of two graphs of the same edges differ."""
    must = (
        "weights must have turns from the same edges as the hierarchy's graph, whatever they cost"
    )
    if not np.array_equal(given.origins, known.origins) or not np.array_equal(
        _states_entered(given), _states_entered(known)
    ):
        raise ValueError(
            f"{must}; one table lists turns from an edge from which the other one lists none: list "
            "one there, too, with the cost 0 if it is free"
        )
    graphs = given.expanded, known.expanded
    n_arcs = [np.diff(graph.indptr) for graph in graphs]
    rows = np.flatnonzero(n_arcs[0] != n_arcs[1])
    if not len(rows):
        at = np.flatnonzero(graphs[0].indices != graphs[1].indices)
        rows = np.searchsorted(graphs[0].indptr, at, "right") - 1
    vertex = validate.shown(given._path(rows[:1])[0])
    raise ValueError(
        f"{must}, and the same ones forbidden; at vertex {vertex}, a turn is forbidden in one "
        "table and allowed in the other"
    )


def _states_entered(graph: turns.TurnGraph) -> Array:
    """Return the state that each edge leads to. Where a path starts, no turn is forbidden."""
    expanded = graph.expanded
    is_start = np.zeros(expanded.n_vertices, bool)
    is_start[graph.starts] = True
    states: Array = expanded.indices[np.repeat(is_start, np.diff(expanded.indptr))]
    return states


def refuse_unweighted(unweighted: bool) -> None:
    """Raise a ValueError for a hierarchy without weights."""
    if unweighted:
        raise ValueError(
            "customizable=True is for weights that change, and unweighted=True reads none; leave "
            "out one of them"
        )
