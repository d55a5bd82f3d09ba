"""All shortest paths, and the nodes nearest to each of several, in NetworkX's functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from warpgraph._paths.many_to_many import many_to_many
from warpgraph.nx_backend._graph import RELEASE
from warpgraph.nx_backend._paths import search
from warpgraph.nx_backend._paths.bellman_ford import bellman_ford_predecessor_and_distance
from warpgraph.nx_backend._paths.dijkstra import dijkstra_predecessor_and_distance, numbers_of
from warpgraph.nx_backend._paths.unweighted import predecessor


def all_shortest_paths(
    G: Any, source: Any, target: Any, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """See NetworkX."""
    return _paths(source, target, _predecessors(G, source, weight, method))


def single_source_all_shortest_paths(
    G: Any, source: Any, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """See NetworkX."""
    before = _predecessors(G, source, weight, method)  # now: NetworkX takes over at the call only
    return ((node, list(_paths(source, node, before))) for node in before)


def all_pairs_all_shortest_paths(G: Any, weight: Any = None, method: str = "dijkstra") -> Any:
    """See NetworkX."""
    if weight is not None and G.has_lengths(weight):
        search.refuse_long_sums(G, weight)
        if method == "dijkstra":
            search.refuse_negative(G.matrix(weight))
    paths_from = single_source_all_shortest_paths
    return ((node, dict(paths_from(G, node, weight, method))) for node in G.nodes)


def _predecessors(G: Any, source: Any, weight: Any, method: str) -> dict[Any, list[Any]]:
    """Return {node: all nodes before it on shortest paths}."""
    found: dict[Any, list[Any]]
    if weight is None:
        found = predecessor(G, source)
    elif method == "dijkstra":
        found = dijkstra_predecessor_and_distance(G, source, weight=weight)[0]
    elif method == "bellman-ford":
        found = bellman_ford_predecessor_and_distance(G, source, weight=weight)[0]
    else:
        raise ValueError(f"method not supported: {method}")
    return found


def _paths(source: Any, target: Any, before: dict[Any, list[Any]]) -> Iterator[list[Any]]:
    """Yield the simple paths, by a depth-first search from the target back.

    NetworkX's search also repeats a path for each node before the source, if there are some: since
    3.7 only for those that are not on the path. So does this one.
    """
    if target not in before:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    branch = [target]
    left = [iter(before[target])]
    on_branch = {target}
    while branch:
        if branch[-1] == source:
            yield branch[::-1]
        node = next(left[-1], branch)  # the list itself is no node: it cannot be hashed
        while RELEASE >= (3, 7) and node is not branch and node in on_branch:
            node = next(left[-1], branch)
        if node is branch:
            on_branch.discard(branch.pop())
            left.pop()
        elif node not in on_branch:
            branch.append(node)
            left.append(iter(before[node]))
            on_branch.add(node)


def voronoi_cells(G: Any, center_nodes: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    starts = numbers_of(G, center_nodes)
    entries = search.entries_of(G, weight)
    matrix = G.structure() if entries is None else G.matrix(weight)
    if entries is not None:
        search.refuse_negative(matrix)
    how: dict[str, Any] = {"unweighted": entries is None, "min_only": True}
    how["dtype"] = np.int32 if entries is None else search.length_type(matrix)
    with search.networkx_errors():
        far, nearest = many_to_many(matrix, starts, **how)
    nodes = G.nodes
    cells: dict[Any, set[Any]] = {}
    reached = np.flatnonzero(nearest >= 0)
    for v in reached[np.argsort(far[reached], kind="stable")].tolist():
        cells.setdefault(nodes[nearest[v]], set()).add(nodes[v])
    if len(reached) < len(nodes):
        cells["unreachable"] = {nodes[v] for v in np.flatnonzero(nearest < 0).tolist()}
    return cells
