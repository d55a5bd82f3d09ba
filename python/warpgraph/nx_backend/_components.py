"""Connected components, in NetworkX's functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import networkx as nx
import numpy as np

from warpgraph import _core
from warpgraph._search.connected_components import connected_components as find_components
from warpgraph.nx_backend._graph import BackendGraph, no_collections


def _find(G: BackendGraph, connection: Literal["weak", "strong"]) -> tuple[int, Any]:
    return find_components(G.structure(), connection=connection)


def _sets(G: BackendGraph, n_components: int, labels: Any) -> Iterator[set[Any]]:
    """Yield the components in the order of their labels."""
    with no_collections():
        sets = _core.sets_by_label(G.nodes, labels, n_components)
    yield from sets


def _is_one(G: BackendGraph, connection: Literal["weak", "strong"]) -> bool:
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _find(G, connection)[0] == 1


def connected_components(G: Any) -> Any:
    """See NetworkX."""
    yield from _sets(G, *_find(G, "weak"))


def number_connected_components(G: Any) -> int:
    """See NetworkX."""
    return _find(G, "weak")[0]


def is_connected(G: Any) -> bool:
    """See NetworkX."""
    return _is_one(G, "weak")


def node_connected_component(G: Any, n: Any) -> Any:
    """See NetworkX."""
    vertex = G.numbers[n]
    labels = _find(G, "weak")[1]
    return set(G.named(np.flatnonzero(labels == labels[vertex])))


def weakly_connected_components(G: Any) -> Any:
    """See NetworkX."""
    yield from _sets(G, *_find(G, "weak"))


def number_weakly_connected_components(G: Any) -> int:
    """See NetworkX."""
    return _find(G, "weak")[0]


def is_weakly_connected(G: Any) -> bool:
    """See NetworkX."""
    return _is_one(G, "weak")


def strongly_connected_components(G: Any) -> Any:
    """See NetworkX.

    NetworkX yields a component after those that it leads to, as its depth-first search ends, and
    `condensation` numbers them so.
    """
    labels = np.empty(len(G), np.int32)
    n_components = _core.strong_components_by_search(G.structure()._handle, labels, True, None)
    yield from _sets(G, n_components, labels)


def number_strongly_connected_components(G: Any) -> int:
    """See NetworkX."""
    return _find(G, "strong")[0]


def is_strongly_connected(G: Any) -> bool:
    """See NetworkX."""
    return _is_one(G, "strong")
