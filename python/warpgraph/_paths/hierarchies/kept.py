"""The graph that a hierarchy is of, in its forms."""

from __future__ import annotations

from typing import Any, NamedTuple

from warpgraph import _core
from warpgraph._graph import turns
from warpgraph._graph.graph import Graph, as_graph


class Kept(NamedTuple):
    """The graph that a hierarchy is of: as it was given, and as it is searched."""

    graph: Graph | turns.TurnGraph
    searched: Graph  # that of a graph with turns is another one
    form: Graph  # the undirected one, if edges have no direction; it keeps the hierarchy
    directed: bool
    unweighted: bool

    @classmethod
    def of(
        cls,
        graph: Any,
        directed: bool,
        unweighted: bool,
        weight: str | None,
        ledger: _core.Ledger,
    ) -> Kept:
        """Make a Graph of any graph, and the form that is searched."""
        searched = turns.searched(graph, directed, unweighted)
        searched = as_graph(searched, weight, reads_weights=not unweighted, keeps=True)
        form = searched if directed else searched._undirected(ledger)
        given = graph if isinstance(graph, turns.TurnGraph) else searched
        return cls(given, searched, form, directed, unweighted)
