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

#: Name by which a graph keeps the structure; those made of it by with_weights have it, too.
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
    """Return the structure that the graph keeps, or find it: by an order, if one is known."""

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
    """Return the graph with the new weights, which may be a graph already."""
    if isinstance(graph, turns.TurnGraph):
        if not isinstance(weights, turns.TurnGraph):
            raise TypeError(
                "weights must be a TurnGraph, as the hierarchy's graph is: one that "
                "graph.with_weights(...).with_turns(...) makes with the same turns, got "
                f"{type(weights).__name__}"
            )
        _refuse_other_edges(weights.expanded, graph.expanded)
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
    for name in ("indptr", "indices"):
        given, expected = getattr(graph, name), getattr(known, name)
        if given is not expected and not np.array_equal(given, expected):
            raise ValueError(
                "weights must be a graph of the same edges in the same order, such as "
                f"graph.with_weights(...) makes; {name} of {graph!r} are others"
            )


def refuse_unweighted(unweighted: bool) -> None:
    """Raise a ValueError for a hierarchy without weights."""
    if unweighted:
        raise ValueError(
            "customizable=True is for weights that change, and unweighted=True reads none; leave "
            "out one of them"
        )
