"""Names of SciPy, NetworkX, igraph and others, and the names here that do the same.

They are no aliases: ``warpgraph.dijkstra`` is an error, which says what to use.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from warpgraph._arguments import hints

_TREE = "minimum_spanning_forest"
_TO_ALL = "sssp for one source, many_to_many for several"
_DBSCAN = "cluster.DBSCANStar, which has no border points"
_ISOCHRONE = (
    "sssp(graph, source, limit=...), then warpgraph.plot.distances(..., bands=...) to draw it"
)
_STRONG = "connected_components(..., connection='strong')"
_FROM_TABLES = "Graph.from_dataframe"
_FROM_SQL = "Graph.from_dataframe(pandas.read_sql(query, connection))"

#: The use of this package in place of a name that is not here.
_USE = {
    "DBSCAN": _DBSCAN,
    "DiGraph": "Graph",
    "MultiDiGraph": "Graph",
    "MultiGraph": "Graph",
    "a_star": "shortest_path(..., method='astar')",
    "all_pairs_dijkstra": "apsp",
    "all_pairs_dijkstra_path_length": "apsp",
    "all_pairs_shortest_path_length": "apsp(..., unweighted=True)",
    "all_shortest_paths": "shortest_path_dag",
    "alt": "shortest_path(..., method='alt')",
    "astar": "shortest_path(..., method='astar')",
    "astar_path": "shortest_path(..., method='astar')",
    "bellman_ford": "sssp(..., method='bellman_ford')",
    "bfs_tree": "bfs(..., return_predecessors=True)",
    "breadth_first_search": "bfs",
    "breadth_first_tree": "bfs(..., return_predecessors=True)",
    "closest_facility": "nearest_facilities",
    "clustering": "clustering_coefficients",
    "contraction_hierarchy": "Hierarchy",
    "core_number": "core_numbers",
    "cugraph": "Graph; docs/from-cugraph.md lists the names of cuGraph",
    "dbscan": _DBSCAN,
    "delta_stepping": "sssp(..., method='delta_stepping')",
    "depth_first_search": "depth_first_order",
    "dfs": "depth_first_order",
    "dijkstra": _TO_ALL,
    "dijkstra_path": "shortest_path",
    "dijkstra_path_length": "shortest_path, which returns the length and the vertices",
    "distance_matrix": "many_to_many",
    "ego_graph": "within, then Graph.subgraph",
    "floyd_warshall": "apsp(..., method='floyd_warshall')",
    "from_csv": "Graph.read",
    "from_dataframe": _FROM_TABLES,
    "from_edges": "Graph.from_edges",
    "from_igraph": "Graph.from_igraph",
    "from_networkx": "Graph.from_networkx",
    "from_numpy_array": "Graph",
    "from_pandas": _FROM_TABLES,
    "from_pandas_edgelist": _FROM_TABLES,
    "from_scipy_sparse_array": "Graph",
    "from_sql": _FROM_SQL,
    "isochrone": _ISOCHRONE,
    "isochrones": _ISOCHRONE,
    "johnson": "many_to_many(..., method='johnson')",
    "k_core": "core_numbers",
    "k_truss": "truss_numbers",
    "kruskal": _TREE,
    "linkage": "cluster.single_linkage",
    "load": "Graph.read for a file, datasets.load for a data set",
    "load_csv": "Graph.read",
    "maximum_spanning_tree": f"{_TREE}(..., maximum=True)",
    "minimum_spanning_edges": _TREE,
    "minimum_spanning_tree": _TREE,
    "mst": _TREE,
    "multi_source_dijkstra": "many_to_many(..., min_only=True)",
    "multi_source_dijkstra_path_length": "many_to_many(..., min_only=True)",
    "nearest_neighbors": "cluster.nearest_neighbors",
    "number_connected_components": "connected_components",
    "od_matrix": "many_to_many",
    "personalized_pagerank": "pagerank(..., personalization=...)",
    "prim": _TREE,
    "read": "Graph.read",
    "read_csv": "Graph.read",
    "read_graph": "Graph.read",
    "read_graphml": "Graph.read",
    "read_sql": _FROM_SQL,
    "route": "shortest_path",
    "scc": _STRONG,
    "shortest_path_length": "shortest_path, which returns the length and the vertices",
    "shortest_simple_paths": "k_shortest_paths",
    "single_source_dijkstra": "sssp",
    "single_source_dijkstra_path_length": "sssp",
    "single_source_shortest_path": "sssp",
    "single_source_shortest_path_length": "bfs",
    "strongly_connected_components": _STRONG,
    "travel_time_matrix": "many_to_many",
    "travel_times": "many_to_many",
    "wcc": "connected_components",
    "weakly_connected_components": "connected_components",
    "write": "Graph.write",
    "yen": "k_shortest_paths",
}
#: Modules that are searched for a name. Those that need an engine are not imported for this.
_MODULES = ("cluster", "csgraph", "datasets", "generators", "io", "plot", "transform")


def no_attribute(name: str, public: Sequence[str]) -> AttributeError:
    """Return the error for a name that the package does not have, with what may have been meant."""
    sentence = f"module 'warpgraph' has no attribute {name!r}"
    return AttributeError(sentence if name.startswith("_") else sentence + _hint(name, public))


def _hint(name: str, public: Sequence[str]) -> str:
    elsewhere = {
        member: f"{module}.{member}"
        for module in _MODULES
        for member in importlib.import_module(f"warpgraph.{module}").__all__
    }
    if name in _USE:
        beside = f"; warpgraph.csgraph.{name} has SciPy's arguments"
        is_scipys = elsewhere.get(name) == f"csgraph.{name}"
        return f"; use warpgraph.{_USE[name]}{beside if is_scipys else ''}"
    if name in elsewhere:
        return f"; use warpgraph.{elsewhere[name]}"
    meant = hints.alike(name, public)
    if meant is None and (other := hints.alike(name, elsewhere)) is not None:
        meant = elsewhere[other]
    return "" if meant is None else f"; did you mean warpgraph.{meant}?"
