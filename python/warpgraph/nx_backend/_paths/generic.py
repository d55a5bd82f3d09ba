"""NetworkX's functions that choose a search by their arguments."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from warpgraph.nx_backend._components import is_connected, is_strongly_connected
from warpgraph.nx_backend._graph import BackendGraph
from warpgraph.nx_backend._paths import all_pairs
from warpgraph.nx_backend._paths.all_pairs import (
    all_pairs_dijkstra_path,
    all_pairs_dijkstra_path_length,
    floyd_warshall,
    floyd_warshall_numpy,
)
from warpgraph.nx_backend._paths.bellman_ford import (
    all_pairs_bellman_ford_path,
    all_pairs_bellman_ford_path_length,
    bellman_ford_path,
    bellman_ford_path_length,
    single_source_bellman_ford_path,
    single_source_bellman_ford_path_length,
)
from warpgraph.nx_backend._paths.dijkstra import (
    bidirectional_dijkstra,
    dijkstra_path_length,
    single_source_dijkstra_path,
    single_source_dijkstra_path_length,
)
from warpgraph.nx_backend._paths.unweighted import (
    all_pairs_shortest_path,
    all_pairs_shortest_path_length,
    bidirectional_shortest_path,
    single_source_shortest_path,
    single_source_shortest_path_length,
    single_target_shortest_path,
    single_target_shortest_path_length,
)


def _method(weight: Any, method: str) -> str:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


def reversed_graph(G: BackendGraph) -> BackendGraph:
    """Return the graph with all edges reversed, which needs no conversion of its own."""
    if not G.is_directed():
        return G
    made = BackendGraph.__new__(BackendGraph)
    made.__dict__.update(G.__dict__)
    made.__dict__.pop("rows", None)
    made.adjacency, made.predecessors = G.predecessors, G.adjacency
    made._entries = {(key, not back): found for (key, back), found in G._entries.items()}
    made._matrices = {(key, not back): found for (key, back), found in G._matrices.items()}
    return made


def has_path(G: Any, source: Any, target: Any) -> bool:
    """See NetworkX."""
    try:
        shortest_path(G, source, target)  # an end that is None means all nodes here, too
    except nx.NetworkXNoPath:
        return False
    return True


def shortest_path(
    G: Any, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """See NetworkX."""
    method = _method(weight, method)
    if source is None and target is None:
        return _all_paths(G, weight, method)
    if source is None:
        return _paths_to(G, target, weight, method)
    if target is None:
        return _paths_from(G, source, weight, method)
    if method == "unweighted":
        return bidirectional_shortest_path(G, source, target)
    if method == "dijkstra":
        return bidirectional_dijkstra(G, source, target, weight)[1]
    return bellman_ford_path(G, source, target, weight)


def _all_paths(G: Any, weight: Any, method: str) -> Any:
    if method == "unweighted":
        return all_pairs_shortest_path(G)
    if method == "dijkstra":
        return all_pairs_dijkstra_path(G, weight=weight)
    return all_pairs_bellman_ford_path(G, weight=weight)


def _paths_from(G: Any, source: Any, weight: Any, method: str) -> Any:
    if method == "unweighted":
        return single_source_shortest_path(G, source)
    if method == "dijkstra":
        return single_source_dijkstra_path(G, source, weight=weight)
    return single_source_bellman_ford_path(G, source, weight=weight)


def _paths_to(G: Any, target: Any, weight: Any, method: str) -> Any:
    if method == "unweighted":
        return single_target_shortest_path(G, target)
    paths = _paths_from(reversed_graph(G), target, weight, method)
    for path in paths.values():
        path.reverse()
    return paths


def shortest_path_length(
    G: Any, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """See NetworkX."""
    method = _method(weight, method)
    if source is None and target is None:
        return _all_lengths(G, weight, method)
    if source is None:
        if method == "unweighted":
            return single_target_shortest_path_length(G, target)
        return _lengths_from(reversed_graph(G), target, weight, method)
    if target is None:
        return _lengths_from(G, source, weight, method)
    if method == "unweighted":
        return len(bidirectional_shortest_path(G, source, target)) - 1
    if method == "dijkstra":
        return dijkstra_path_length(G, source, target, weight)
    return bellman_ford_path_length(G, source, target, weight)


def _all_lengths(G: Any, weight: Any, method: str) -> Any:
    if method == "unweighted":
        return all_pairs_shortest_path_length(G)
    if method == "dijkstra":
        return all_pairs_dijkstra_path_length(G, weight=weight)
    return all_pairs_bellman_ford_path_length(G, weight=weight)


def _lengths_from(G: Any, source: Any, weight: Any, method: str) -> Any:
    if method == "unweighted":
        return single_source_shortest_path_length(G, source)
    if method == "dijkstra":
        return single_source_dijkstra_path_length(G, source, weight=weight)
    return single_source_bellman_ford_path_length(G, source, weight=weight)


_METHODS = ("unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy")


def average_shortest_path_length(G: Any, weight: Any = None, method: Any = None) -> Any:
    """See NetworkX."""
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
    if method not in _METHODS:
        raise ValueError(f"method not supported: {method}")
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if n == 1:
        return 0
    if G.is_directed() and not is_strongly_connected(G):
        raise nx.NetworkXError("Graph is not strongly connected.")
    if not G.is_directed() and not is_connected(G):
        raise nx.NetworkXError("Graph is not connected.")
    total = sum_of_lengths(G, None if method == "unweighted" else weight, method)
    return total / (n * (n - 1))


def sum_of_lengths(G: BackendGraph, weight: Any, method: str = "dijkstra") -> Any:
    """Return the sum of all distances; every vertex is reached from every other."""
    is_negative = G.has_lengths(weight) and G.matrix(weight)._first_negative() is not None
    is_plain = G.has_plain_sums(weight)
    if is_negative and method == "bellman-ford":
        pairs = all_pairs_bellman_ford_path_length(G, weight)
        return sum(sum(lengths.values()) for _, lengths in pairs)
    if method == "floyd-warshall-numpy" and (is_negative or not is_plain):
        return floyd_warshall_numpy(G, weight=weight).sum().item()
    if method == "floyd-warshall" and (is_negative or not is_plain):
        return sum(sum(lengths.values()) for lengths in floyd_warshall(G, weight).values())
    if not is_plain:
        return sum(sum(lengths.values()) for _, lengths in all_pairs.lengths(G, weight))
    total: Any = 0
    for _, far, _ in all_pairs.rows(G, weight):
        total += _exact_sum(far)
    return total


def _exact_sum(far: Any) -> Any:
    """Return the sum of distances as a Python number; of integers exactly."""
    if far.dtype.kind == "i" and int(far.max(initial=0)) * max(len(far), 1) >= 2**63:
        return sum(far.tolist())
    return far.sum(dtype=np.int64 if far.dtype.kind == "i" else np.float64).item()
