"""Steiner trees and arborescences, in NetworkX's functions."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from warpgraph._trees.minimum_arborescence import minimum_arborescence
from warpgraph._trees.steiner_tree import steiner_tree as _steiner_tree
from warpgraph.nx_backend._graph import BackendGraph


def steiner_tree(
    G: BackendGraph, terminal_nodes: Any, weight: Any = "weight", method: Any = None
) -> Any:
    """See NetworkX."""
    if G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    if method not in (None, "mehlhorn"):
        raise ValueError(f"{method} is not a valid choice for an algorithm.")
    try:
        terminals = [G.numbers[node] for node in terminal_nodes]
        tree = _steiner_tree(G.matrix(weight), terminals)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        # NetworkX then runs its own function, which raises its own error.
        raise NotImplementedError(f"Steiner trees that NetworkX refuses: {error}") from None
    tails, heads = (G.named(np.ascontiguousarray(ends)) for ends in tree.edges.T)
    edges: Any = zip(tails, heads, strict=True)
    if G.is_multigraph():
        # As in NetworkX, parallel edges of which one has no weight raise a KeyError.
        parallel = ((u, v, G.adjacency[u][v]) for u, v in edges)
        edges = [(u, v, min(keys, key=lambda k: keys[k][weight])) for u, v, keys in parallel]
    return G.to_networkx().edge_subgraph(edges)


def minimum_spanning_arborescence(
    G: BackendGraph,
    attr: Any = "weight",
    default: Any = 1,
    preserve_attrs: bool = False,
    partition: Any = None,
) -> Any:
    """See NetworkX, whose function changes the weights of G while it runs; this one does not."""
    if not G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for undirected type")
    if not len(G):
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    matrix = G.matrix(attr)
    if not G.has_plain_sums(attr):
        raise NotImplementedError("arborescences of other weights than int or float are NetworkX's")
    try:
        found = minimum_arborescence(matrix)
    except ValueError:
        raise nx.NetworkXException("No minimum spanning arborescence in G.") from None
    tree = G.kind()
    tree.add_nodes_from(G.nodes)
    tails, heads = (G.named(np.ascontiguousarray(ends)) for ends in found.edges.T)
    for u, v in zip(tails, heads, strict=True):
        edge = G.adjacency[u][v]
        if G.is_multigraph():
            edge = min(edge.values(), key=lambda parallel: parallel.get(attr, 1))
        kept = edge if preserve_attrs else {}
        tree.add_edge(u, v, **{**kept, attr: edge.get(attr, default)})
    return tree
