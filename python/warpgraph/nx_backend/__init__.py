"""The NetworkX backend "warpgraph": the module that its entry point names.

NetworkX calls a function of the same name here in place of its own, with `BackendGraph` in place
of the graph. `summary` tells which calls it has run. See docs/networkx.md.
"""

from inspect import isfunction
from typing import Any

from networkx.utils.backends import _registered_algorithms

from warpgraph.nx_backend import _summary
from warpgraph.nx_backend._betweenness import (
    betweenness_centrality,
    betweenness_centrality_subset,
    edge_betweenness_centrality,
    edge_betweenness_centrality_subset,
)
from warpgraph.nx_backend._clustering import (
    average_clustering,
    clustering,
    core_number,
    k_truss,
    transitivity,
    triangles,
)
from warpgraph.nx_backend._communities import leiden_communities
from warpgraph.nx_backend._components import (
    connected_components,
    is_connected,
    is_strongly_connected,
    is_weakly_connected,
    node_connected_component,
    number_connected_components,
    number_strongly_connected_components,
    number_weakly_connected_components,
    strongly_connected_components,
    weakly_connected_components,
)
from warpgraph.nx_backend._graph import BackendGraph, convert_from_nx, convert_to_nx
from warpgraph.nx_backend._measures import (
    center,
    closeness_centrality,
    diameter,
    eccentricity,
    harmonic_centrality,
    periphery,
    radius,
    wiener_index,
)
from warpgraph.nx_backend._pagerank import pagerank
from warpgraph.nx_backend._paths.all_pairs import (
    all_pairs_dijkstra,
    all_pairs_dijkstra_path,
    all_pairs_dijkstra_path_length,
    floyd_warshall,
    floyd_warshall_numpy,
    floyd_warshall_predecessor_and_distance,
)
from warpgraph.nx_backend._paths.all_shortest import (
    all_pairs_all_shortest_paths,
    all_shortest_paths,
    single_source_all_shortest_paths,
    voronoi_cells,
)
from warpgraph.nx_backend._paths.bellman_ford import (
    all_pairs_bellman_ford_path,
    all_pairs_bellman_ford_path_length,
    bellman_ford_path,
    bellman_ford_path_length,
    bellman_ford_predecessor_and_distance,
    goldberg_radzik,
    johnson,
    negative_edge_cycle,
    single_source_bellman_ford,
    single_source_bellman_ford_path,
    single_source_bellman_ford_path_length,
)
from warpgraph.nx_backend._paths.dijkstra import (
    astar_path,
    astar_path_length,
    bidirectional_dijkstra,
    dijkstra_path,
    dijkstra_path_length,
    dijkstra_predecessor_and_distance,
    multi_source_dijkstra,
    multi_source_dijkstra_path,
    multi_source_dijkstra_path_length,
    single_source_dijkstra,
    single_source_dijkstra_path,
    single_source_dijkstra_path_length,
)
from warpgraph.nx_backend._paths.generic import (
    average_shortest_path_length,
    has_path,
    shortest_path,
    shortest_path_length,
)
from warpgraph.nx_backend._paths.unweighted import (
    all_pairs_shortest_path,
    all_pairs_shortest_path_length,
    bidirectional_shortest_path,
    predecessor,
    single_source_shortest_path,
    single_source_shortest_path_length,
    single_target_shortest_path,
    single_target_shortest_path_length,
)
from warpgraph.nx_backend._policy import can_run, on_start_tests, should_run
from warpgraph.nx_backend._special_trees import minimum_spanning_arborescence, steiner_tree
from warpgraph.nx_backend._summary import summary
from warpgraph.nx_backend._traversal import (
    ancestors,
    bfs_edges,
    bfs_layers,
    bfs_predecessors,
    bfs_successors,
    bfs_tree,
    descendants,
    descendants_at_distance,
    generic_bfs_edges,
)
from warpgraph.nx_backend._trees import (
    maximum_spanning_edges,
    maximum_spanning_tree,
    minimum_spanning_edges,
    minimum_spanning_tree,
)

# NetworkX reads the functions here; others of the package call those of the modules.
for _name, _function in [*globals().items()]:
    if isfunction(_function) and _name in _registered_algorithms:
        globals()[_name] = _summary.counted(_function)
convert_from_nx = _summary.converting(convert_from_nx)


def __getattr__(name: str) -> Any:
    if name in _registered_algorithms:
        _summary.lacks(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
