"""Paths of fewest edges, in NetworkX's functions."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx

from warpgraph._paths.bfs import bfs
from warpgraph._search.traversal import breadth_first_order
from warpgraph.nx_backend._graph import BackendGraph
from warpgraph.nx_backend._paths import all_pairs
from warpgraph.nx_backend._paths.dijkstra import require
from warpgraph.nx_backend._paths.search import Tree, path_lists, tree_of


def levels(cutoff: Any) -> Any:
    """Return the number of levels that NetworkX searches: it compares before each."""
    if cutoff is None or cutoff == math.inf:
        return None
    return 0 if cutoff <= 0 else math.ceil(cutoff)


def first_in_first_out(
    G: BackendGraph, source: int, *, reverse: bool = False, limit: int | None = None
) -> Tree:
    """Return the tree of NetworkX's breadth-first search: ``order`` is the one of discovery.

    The predecessor of a vertex is the first that finds it, neighbours being in the order of the
    dictionaries.
    """
    matrix = G.structure(reverse=reverse)
    order, before = breadth_first_order(matrix, source, return_predecessors=True)
    hops = bfs(matrix, source, limit=limit)
    if limit is not None:
        order = order[hops[order] >= 0]
    return Tree(G, hops, before, order)


def _first_paths(
    G: BackendGraph, source: int, limit: int | None, *, reverse: bool = False
) -> dict[Any, list[Any]]:
    """Return the paths of that tree, for which hops are needed only to keep the limit."""
    if limit is not None:
        return first_in_first_out(G, source, reverse=reverse, limit=limit).paths(to_root=reverse)
    matrix = G.structure(reverse=reverse)
    order, before = breadth_first_order(matrix, source, return_predecessors=True)
    return path_lists(G, order, before, reverse)


def single_source_shortest_path_length(G: Any, source: Any, cutoff: Any = None) -> Any:
    """See NetworkX."""
    start = require(G, source, "Source {} is not in G")
    return tree_of(G, [start], None, cutoff=levels(cutoff)).lengths()


def single_target_shortest_path_length(G: Any, target: Any, cutoff: Any = None) -> Any:
    """See NetworkX."""
    end = require(G, target, "Target {} is not in G")
    return tree_of(G, [end], None, cutoff=levels(cutoff), reverse=True).lengths()


def all_pairs_shortest_path_length(G: Any, cutoff: Any = None) -> Any:
    """See NetworkX."""
    found = all_pairs.trees(G, None, cutoff=levels(cutoff))
    return ((node, tree.lengths()) for node, tree in found)


def single_source_shortest_path(G: Any, source: Any, cutoff: Any = None) -> Any:
    """See NetworkX."""
    start = require(G, source, "Source {} not in G")
    return _first_paths(G, start, levels(cutoff))


def single_target_shortest_path(G: Any, target: Any, cutoff: Any = None) -> Any:
    """See NetworkX."""
    end = require(G, target, "Target {} not in G")
    return _first_paths(G, end, levels(cutoff), reverse=True)


def all_pairs_shortest_path(G: Any, cutoff: Any = None) -> Any:
    """See NetworkX."""
    for source, node in enumerate(G.nodes):
        yield node, _first_paths(G, source, levels(cutoff))


def bidirectional_shortest_path(G: Any, source: Any, target: Any) -> Any:
    """See NetworkX. The search has one direction."""
    start = require(G, source, "Source {} is not in G")
    end = require(G, target, "Target {} is not in G")
    tree = tree_of(G, [start], None, paths=True)
    if tree.distances[end] < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return tree.path(end)


def predecessor(
    G: Any, source: Any, target: Any = None, cutoff: Any = None, return_seen: Any = None
) -> Any:
    """See NetworkX."""
    start = require(G, source, "Source {} not in G")
    limit = levels(cutoff) if cutoff else None
    tree = first_in_first_out(G, start, limit=limit if limit is None else max(limit, 1))
    found = tree.all_predecessors(G.structure())
    if target is None:
        return (found, tree.lengths()) if return_seen else found
    if target not in found:
        return ([], -1) if return_seen else []
    if not return_seen:
        return found[target]
    return found[target], tree.distances.item(G.numbers[target])
