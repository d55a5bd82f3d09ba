"""Description of the backend "warpgraph", which NetworkX reads at every import: nothing heavy."""

from __future__ import annotations

import atexit
import os
import sys
from typing import Any

_KRUSKAL = "All algorithms return the edges that Kruskal's finds, in its order."
_ANY_ORDER = "The paths between two nodes may come in another order."
_ANY_PATH = "Of several shortest paths another one may be returned."
_POSITIVE = "Lengths of edges are positive; with others, NetworkX is called."
_EXPLICIT = "With backend='warpgraph' only, because NetworkX changes weights meanwhile."
_UNDIRECTED = "Undirected graphs without parallel edges"
_ALL_PAIRS = "Distances are searched for from many nodes at a time, on all cores."

#: Notes on the functions that the backend has; the empty text is none.
_FUNCTIONS = {
    "all_pairs_all_shortest_paths": _ANY_ORDER,
    "all_pairs_bellman_ford_path": _ANY_PATH,
    "all_pairs_bellman_ford_path_length": "",
    "all_pairs_dijkstra": f"{_ALL_PAIRS} {_ANY_PATH}",
    "all_pairs_dijkstra_path": f"{_ALL_PAIRS} {_ANY_PATH}",
    "all_pairs_dijkstra_path_length": _ALL_PAIRS,
    "all_pairs_shortest_path": "",
    "all_pairs_shortest_path_length": _ALL_PAIRS,
    "all_shortest_paths": _ANY_ORDER,
    "ancestors": "",
    "astar_path": f"Without a heuristic and a cutoff. {_ANY_PATH}",
    "astar_path_length": "Without a heuristic and a cutoff.",
    "average_clustering": f"{_UNDIRECTED}, without weight.",
    "average_shortest_path_length": _ALL_PAIRS,
    "bellman_ford_path": _ANY_PATH,
    "bellman_ford_path_length": "",
    "bellman_ford_predecessor_and_distance": "",
    "betweenness_centrality": _POSITIVE,
    "betweenness_centrality_subset": _POSITIVE,
    "bfs_edges": "Without sort_neighbors.",
    "bfs_layers": "",
    "bfs_predecessors": "Without sort_neighbors.",
    "bfs_successors": "Without sort_neighbors.",
    "bfs_tree": "Without sort_neighbors.",
    "bidirectional_dijkstra": _ANY_PATH,
    "bidirectional_shortest_path": _ANY_PATH,
    "center": _ALL_PAIRS,
    "closeness_centrality": _ALL_PAIRS,
    "clustering": f"{_UNDIRECTED}, without weight.",
    "connected_components": "",
    "core_number": f"{_UNDIRECTED}.",
    "descendants": "",
    "descendants_at_distance": "",
    "diameter": _ALL_PAIRS,
    "dijkstra_path": _ANY_PATH,
    "dijkstra_path_length": "",
    "dijkstra_predecessor_and_distance": "",
    "eccentricity": _ALL_PAIRS,
    "edge_betweenness_centrality": _POSITIVE,
    "edge_betweenness_centrality_subset": f"If all nodes are targets. {_POSITIVE}",
    "floyd_warshall": "",
    "floyd_warshall_numpy": "",
    "floyd_warshall_predecessor_and_distance": _ANY_PATH,
    "generic_bfs_edges": "Without neighbors.",
    "goldberg_radzik": _ANY_PATH,
    "harmonic_centrality": _ALL_PAIRS,
    "has_path": "",
    "is_connected": "",
    "is_strongly_connected": "",
    "is_weakly_connected": "",
    "johnson": _ANY_PATH,
    "k_truss": f"{_UNDIRECTED}.",
    "leiden_communities": f"{_UNDIRECTED}, by modularity, without max_level.",
    "maximum_spanning_edges": _KRUSKAL,
    "maximum_spanning_tree": _KRUSKAL,
    "minimum_spanning_arborescence": f"{_EXPLICIT} Without default and partition.",
    "minimum_spanning_edges": _KRUSKAL,
    "minimum_spanning_tree": _KRUSKAL,
    "multi_source_dijkstra": _ANY_PATH,
    "multi_source_dijkstra_path": _ANY_PATH,
    "multi_source_dijkstra_path_length": "",
    "negative_edge_cycle": "",
    "node_connected_component": "",
    "number_connected_components": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "pagerank": "",
    "periphery": _ALL_PAIRS,
    "predecessor": "",
    "radius": _ALL_PAIRS,
    "shortest_path": _ANY_PATH,
    "shortest_path_length": "",
    "single_source_all_shortest_paths": _ANY_ORDER,
    "single_source_bellman_ford": _ANY_PATH,
    "single_source_bellman_ford_path": _ANY_PATH,
    "single_source_bellman_ford_path_length": "",
    "single_source_dijkstra": _ANY_PATH,
    "single_source_dijkstra_path": _ANY_PATH,
    "single_source_dijkstra_path_length": "",
    "single_source_shortest_path": "",
    "single_source_shortest_path_length": "",
    "single_target_shortest_path": "",
    "single_target_shortest_path_length": "",
    "steiner_tree": "By method 'mehlhorn'; 'kou' runs in NetworkX.",
    "strongly_connected_components": "",
    "transitivity": f"{_UNDIRECTED}.",
    "triangles": f"{_UNDIRECTED}.",
    "voronoi_cells": "Of several nearest centres another one may be chosen.",
    "weakly_connected_components": "",
    "wiener_index": _ALL_PAIRS,
}


def get_info() -> dict[str, Any]:
    """Return what the backend is and which functions it has."""
    if os.environ.get("WARPGRAPH_NX_SUMMARY", "0") not in ("", "0"):
        atexit.register(_print_summary)
    return {
        "backend_name": "warpgraph",
        "project": "warpgraph",
        "package": "warpgraph",
        "short_summary": "Shortest paths, components, PageRank and spanning trees, compiled.",
        "functions": {name: {"additional_docs": note} for name, note in _FUNCTIONS.items()},
    }


def _print_summary() -> None:
    """Print which calls the backend has run, at the end of a program."""
    backend = sys.modules.get("warpgraph.nx_backend")  # which NetworkX imports when it asks it
    found = "no call was offered to the backend warpgraph" if backend is None else backend.summary()
    print(found, file=sys.stderr)
