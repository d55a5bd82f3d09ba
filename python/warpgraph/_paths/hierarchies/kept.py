"""The graph that a hierarchy is of, in its forms."""

from __future__ import annotations

from typing import Any, NamedTuple

from warpgraph import _core
from warpgraph._graph import turns
from warpgraph._graph.graph import Graph, as_graph


class Kept(NamedTuple):
    """The graph that a hierarchy is of, in three forms."""

    graph: Graph | turns.TurnGraph  # as it was given
    searched: Graph  # the same, or the expanded graph of one with turns; edges as they were given
    form: Graph  # what the hierarchy is made of and kept by: the undirected form, or `searched`
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
        """Make the forms of any graph, which copy arrays that the caller could change."""
        searched = turns.searched(graph, directed, unweighted)
        searched = as_graph(searched, weight, reads_weights=not unweighted, keeps=True)
        form = searched if directed else searched._undirected(ledger)
        given = graph if isinstance(graph, turns.TurnGraph) else searched
        return cls(given, searched, form, directed, unweighted)
