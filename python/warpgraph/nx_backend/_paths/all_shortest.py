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

#: No predecessor is left. Any hashable object may be a node, None too, but not this one.
_NO_NODE = object()


def all_shortest_paths(
    G: Any, source: Any, target: Any, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """See NetworkX."""
    return _paths(source, target, _predecessors(G, source, weight, method))


def single_source_all_shortest_paths(
    G: Any, source: Any, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """See NetworkX."""
    # Found now and not by the generator: NetworkX takes a call over only before it has returned.
    predecessors = _predecessors(G, source, weight, method)
    return ((node, list(_paths(source, node, predecessors))) for node in predecessors)


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


def _paths(source: Any, target: Any, predecessors: dict[Any, list[Any]]) -> Iterator[list[Any]]:
    """Yield the simple paths, by a depth-first search along predecessors, from the target back.

    The source itself may have predecessors, on a cycle of weight zero. NetworkX's search then
    continues beyond the source and yields a path again for each of them; since NetworkX 3.7 only
    for those that are not on the path. This one yields the same paths as often.
    """
    if target not in predecessors:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    branch = [target]
    left = [iter(predecessors[target])]
    on_branch = {target}
    while branch:
        if branch[-1] == source:
            yield branch[::-1]
        node = next(left[-1], _NO_NODE)
        while RELEASE >= (3, 7) and node in on_branch:
            node = next(left[-1], _NO_NODE)
        if node is _NO_NODE:
            on_branch.discard(branch.pop())
            left.pop()
        elif node not in on_branch:
            branch.append(node)
            left.append(iter(predecessors[node]))
            on_branch.add(node)


def voronoi_cells(G: Any, center_nodes: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    starts = numbers_of(G, center_nodes)
    entries = search.entries_of(G, weight)
    matrix = G.structure() if entries is None else G.matrix(weight)
    if entries is not None:
        search.refuse_negative(matrix)
    options: dict[str, Any] = {"unweighted": entries is None, "min_only": True}
    options["dtype"] = np.int32 if entries is None else search.length_type(matrix)
    with search.networkx_errors():
        distances, nearest = many_to_many(matrix, starts, **options)
    nodes = G.nodes
    cells: dict[Any, set[Any]] = {}
    reached = np.flatnonzero(nearest >= 0)
    # NetworkX's cells are in the order of distance, in which its search finds their nodes.
    for v in reached[np.argsort(distances[reached], kind="stable")].tolist():
        cells.setdefault(nodes[nearest[v]], set()).add(nodes[v])
    if len(reached) < len(nodes):
        cells["unreachable"] = {nodes[v] for v in np.flatnonzero(nearest < 0).tolist()}
    return cells
