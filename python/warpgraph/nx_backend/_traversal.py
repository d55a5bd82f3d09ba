"""Breadth-first search in NetworkX's functions, which visits edges in the order of NetworkX.

This is the order of its dictionaries of neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._search.traversal import breadth_first_order
from warpgraph.nx_backend._graph import RELEASE, BackendGraph, no_collections
from warpgraph.nx_backend._paths import lengths, search, unweighted


def _require(G: BackendGraph, node: Any) -> int:
    """Return the number of a node; raise NetworkX's error if there is no such node."""
    hash(node)  # a TypeError, as in NetworkX
    if node not in G:
        kind = "digraph" if G.is_directed() else "graph"
        raise nx.NetworkXError(f"The node {node} is not in the {kind}.")
    return G.numbers[node]


def _tree(
    G: BackendGraph, source: Any, *, reverse: bool = False, depth_limit: Any = None
) -> search.Tree:
    limit = unweighted.levels(depth_limit)
    return unweighted.first_in_first_out(G, _require(G, source), reverse=reverse, limit=limit)


def _edges(tree: search.Tree) -> Iterator[tuple[Any, Any]]:
    """Return pairs (parent, child) in the order of discovery."""
    assert tree.predecessors is not None
    children = tree.order[1:]
    parents = tree.graph.named(tree.predecessors[children])
    return zip(parents, tree.graph.named(children), strict=True)


def bfs_edges(
    G: Any,
    source: Any,
    reverse: bool = False,
    depth_limit: Any = None,
    sort_neighbors: Any = None,
) -> Any:
    """See NetworkX."""
    yield from _edges(_tree(G, source, reverse=reverse, depth_limit=depth_limit))


def generic_bfs_edges(G: Any, source: Any, neighbors: Any = None, depth_limit: Any = None) -> Any:
    """See NetworkX. Only for calls without `neighbors`."""
    yield from _edges(_tree(G, source, depth_limit=depth_limit))


def bfs_tree(
    G: Any,
    source: Any,
    reverse: bool = False,
    depth_limit: Any = None,
    sort_neighbors: Any = None,
) -> Any:
    """See NetworkX."""
    if source is None:
        raise ValueError("None cannot be a node")
    found = _tree(G, source, reverse=reverse, depth_limit=depth_limit)
    assert found.predecessors is not None
    children = found.order[1:]
    tree = nx.DiGraph()
    with no_collections():
        tree._adj, tree._pred = _core.edge_dictionaries(
            G.nodes, found.order, found.predecessors[children], children, [], True
        )
        tree._node.update((node, {}) for node in tree._adj)
    return tree


def bfs_predecessors(
    G: Any, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Any:
    """See NetworkX."""
    if RELEASE >= (3, 7):
        sentence = "bfs_predecessors is not in NetworkX 3.9; swap the pairs of bfs_edges instead"
        validate.warn(sentence, DeprecationWarning)
    for parent, child in _edges(_tree(G, source, depth_limit=depth_limit)):
        yield child, parent


def bfs_successors(G: Any, source: Any, depth_limit: Any = None, sort_neighbors: Any = None) -> Any:
    """See NetworkX."""
    found: dict[Any, list[Any]] = {}
    for parent, child in _edges(_tree(G, source, depth_limit=depth_limit)):
        found.setdefault(parent, []).append(child)
    yield from (found or {source: []}).items()


def bfs_layers(G: Any, sources: Any) -> Any:
    """See NetworkX."""
    if sources in G:
        sources = [sources]
    roots = list(set(sources))
    for source in roots:
        if source not in G:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if not roots:
        return
    yield roots
    matrix = search.with_root(G.structure(), [G.numbers[node] for node in roots])
    order, before = breadth_first_order(matrix, len(G), return_predecessors=True)
    order = order[1:]  # without the root, from which sources are one hop away
    hops = lengths.depths(before)[order]
    ends = np.cumsum(np.bincount(hops)[1:]).tolist()
    names = G.named(order)
    for begin, end in pairwise(ends):
        yield names[begin:end]


def descendants_at_distance(G: Any, source: Any, distance: Any) -> Any:
    """See NetworkX."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    tree = search.tree_of(G, [G.numbers[source]], None)
    # NetworkX compares each depth with `distance`, which may be of any type. If no depth equals it,
    # -2 stands for it, which no node has: -1 is that of nodes that are not reached.
    depths = np.unique(tree.distances[tree.distances >= 0]).tolist()
    depth = next((depth for depth in depths if depth == distance), -2)
    return set(G.named(np.flatnonzero(tree.distances == depth)))


def descendants(G: Any, source: Any) -> Any:
    """See NetworkX."""
    return _reached(G, source, reverse=False)


def ancestors(G: Any, source: Any) -> Any:
    """See NetworkX."""
    return _reached(G, source, reverse=True)


def _reached(G: BackendGraph, source: Any, *, reverse: bool) -> set[Any]:
    tree = search.tree_of(G, [_require(G, source)], None, reverse=reverse)
    return set(G.named(np.flatnonzero(tree.distances > 0)))
