"""Names of SciPy, NetworkX, igraph and others, and the names here that do the same.

They are no aliases: ``warpgraph.dijkstra`` and ``graph.nodes`` are errors, which say what to use.
Names of other libraries that mean something else, and nothing of this package, have no entries.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from warpgraph._arguments import hints

_TREE = "minimum_spanning_forest"
_TO_ALL = "sssp for one source, many_to_many for several"
_DBSCAN = "cluster.DBSCANStar, which has no border points"
_KNN = "cluster.nearest_neighbors, or cluster.kneighbors_graph for a sparse matrix"
_CLOSENESS = "apsp, whose distances give it; closeness has no function here"
_ISOCHRONE = (
    "sssp(graph, source, limit=...), then warpgraph.plot.distances(..., bands=...) to draw it"
)
_STRONG = "connected_components(..., connection='strong')"
_FROM_TABLES = "Graph.from_dataframe"
_FROM_SQL = "Graph.from_dataframe(pandas.read_sql(query, connection))"

#: The use of this package in place of a name that its modules do not have.
_USE = {
    "AgglomerativeClustering": "cluster.MSTClustering, whose linkage is single",
    "DBSCAN": _DBSCAN,
    "DiGraph": "Graph",
    "MultiDiGraph": "Graph",
    "MultiGraph": "Graph",
    "NearestNeighbors": _KNN,
    "a_star": "shortest_path(..., method='astar')",
    "adjacency_matrix": "Graph.to_csr",
    "all_pairs_dijkstra": "apsp",
    "all_pairs_dijkstra_path_length": "apsp",
    "all_pairs_shortest_path": "apsp(..., unweighted=True, return_predecessors=True)",
    "all_pairs_shortest_path_length": "apsp(..., unweighted=True)",
    "all_points_membership_vectors": "cluster.HDBSCAN(...).all_points_membership_vectors",
    "all_shortest_paths": "shortest_path_dag",
    "alt": "shortest_path(..., method='alt')",
    "approximate_predict": "cluster.HDBSCAN(...).approximate_predict",
    "approximate_predict_scores": "cluster.HDBSCAN(...).approximate_predict_scores",
    "astar": "shortest_path(..., method='astar')",
    "astar_path": "shortest_path(..., method='astar')",
    "average_clustering": "clustering_coefficients, whose mean it is",
    "average_shortest_path_length": "apsp, whose mean it is",
    "bellman_ford": "sssp(..., method='bellman_ford')",
    "bellman_ford_path": "shortest_path",
    "best_partition": "louvain_communities",
    "betweenness": "betweenness_centrality",
    "betweenness_centrality_subset": "betweenness_centrality(..., sources=..., targets=...)",
    "bfs_tree": "bfs(..., return_predecessors=True)",
    "breadth_first_search": "bfs",
    "breadth_first_tree": "bfs(..., return_predecessors=True)",
    "closeness": _CLOSENESS,
    "closeness_centrality": _CLOSENESS,
    "closest_facility": "nearest_facilities",
    "clustering": "clustering_coefficients",
    "communities": "leiden_communities",
    "community_label_propagation": "label_propagation_communities",
    "community_leiden": "leiden_communities",
    "community_multilevel": "louvain_communities",
    "components": "connected_components",
    "contraction_hierarchy": "Hierarchy",
    "core_number": "core_numbers",
    "coreness": "core_numbers",
    "cugraph": "Graph; docs/from-cugraph.md lists the names of cuGraph",
    "dbscan": _DBSCAN,
    "degree": "Graph.degrees",
    "degree_centrality": "Graph.degrees, divided by n - 1",
    "degrees": "Graph.degrees",
    "delta_stepping": "sssp(..., method='delta_stepping')",
    "depth_first_search": "depth_first_order",
    "dfs": "depth_first_order",
    "diameter": "apsp, whose largest distance it is",
    "dijkstra": _TO_ALL,
    "dijkstra_path": "shortest_path",
    "dijkstra_path_length": "shortest_path, which returns the length and the vertices",
    "distance_matrix": "many_to_many",
    "distances": "many_to_many",
    "draw": "plot",
    "eccentricity": "apsp, whose largest distance from a vertex it is",
    "edge_betweenness": "edge_betweenness_centrality",
    "edges": "Graph.to_edges",
    "ego_graph": "within, then Graph.subgraph",
    "fcluster": "cluster.MSTClustering(...).recut",
    "floyd_warshall": "apsp(..., method='floyd_warshall')",
    "floyd_warshall_numpy": "apsp(..., method='floyd_warshall')",
    "from_csv": "Graph.read",
    "from_dataframe": _FROM_TABLES,
    "from_edgelist": "Graph.from_edges",
    "from_edges": "Graph.from_edges",
    "from_igraph": "Graph.from_igraph",
    "from_networkx": "Graph.from_networkx",
    "from_numpy_array": "Graph",
    "from_pandas": _FROM_TABLES,
    "from_pandas_adjacency": "Graph",
    "from_pandas_edgelist": _FROM_TABLES,
    "from_scipy_sparse_array": "Graph",
    "from_sql": _FROM_SQL,
    "get_all_shortest_paths": "shortest_path_dag",
    "get_k_shortest_paths": "k_shortest_paths",
    "get_shortest_path": "shortest_path",
    "get_shortest_paths": "shortest_paths",
    "harmonic_centrality": "apsp, whose distances give it; it has no function here",
    "isochrone": _ISOCHRONE,
    "isochrones": _ISOCHRONE,
    "johnson": "many_to_many(..., method='johnson')",
    "k_core": "core_numbers",
    "k_means": "cluster.KMeans",
    "k_truss": "truss_numbers",
    "kneighbors": _KNN,
    "knn": _KNN,
    "kruskal": _TREE,
    "label_propagation": "label_propagation_communities",
    "leiden": "leiden_communities",
    "linkage": "cluster.single_linkage",
    "load": "Graph.read for a file, datasets.load for a data set",
    "load_csv": "Graph.read",
    "louvain": "louvain_communities",
    "maximum_spanning_edges": f"{_TREE}(..., maximum=True)",
    "maximum_spanning_tree": f"{_TREE}(..., maximum=True)",
    "membership_vector": "cluster.HDBSCAN(...).membership_vector",
    "minimum_spanning_arborescence": "minimum_arborescence",
    "minimum_spanning_edges": _TREE,
    "minimum_spanning_tree": _TREE,
    "modularity": "leiden_communities, whose result has it as quality",
    "mst": _TREE,
    "multi_source_dijkstra": "many_to_many(..., min_only=True)",
    "multi_source_dijkstra_path_length": "many_to_many(..., min_only=True)",
    "nearest": "nearest_facilities for vertices, cluster.nearest_neighbors for points",
    "nearest_neighbors": "cluster.nearest_neighbors",
    "neighbors": "Graph.neighbors for vertices, cluster.nearest_neighbors for points",
    "nodes": "Graph.names, or Graph.n_vertices",
    "number_connected_components": "connected_components",
    "od_matrix": "many_to_many",
    "personalized_pagerank": "pagerank(..., personalization=...)",
    "prim": _TREE,
    "read": "Graph.read",
    "read_csv": "Graph.read",
    "read_edgelist": "Graph.read",
    "read_gexf": "Graph.read",
    "read_gml": "Graph.read",
    "read_graph": "Graph.read",
    "read_graphml": "Graph.read",
    "read_pajek": "Graph.read",
    "read_parquet": "Graph.read",
    "read_sql": _FROM_SQL,
    "read_weighted_edgelist": "Graph.read",
    "reverse": "Graph.reverse",
    "route": "shortest_path",
    "scc": _STRONG,
    "shortest_path_length": "shortest_path, which returns the length and the vertices",
    "shortest_simple_paths": "k_shortest_paths",
    "single_source_dijkstra": "sssp",
    "single_source_dijkstra_path_length": "sssp",
    "single_source_shortest_path": "sssp",
    "single_source_shortest_path_length": "bfs",
    "spanning_tree": _TREE,
    "strongly_connected_components": _STRONG,
    "subgraph": "Graph.subgraph",
    "to_networkx": "Graph.to_networkx",
    "travel_time_matrix": "many_to_many",
    "travel_times": "many_to_many",
    "wcc": "connected_components",
    "weakly_connected_components": "connected_components",
    "write": "Graph.write",
    "write_edgelist": "Graph.write",
    "write_graphml": "Graph.write",
    "yen": "k_shortest_paths",
}
_FROM_ARRAYS = "warpgraph.Graph.from_edges: a graph is not changed, another is made"
_NODES = "n_vertices, or names"
#: Uses in place of attributes that objects do not have, by the names of their (base) classes.
_USE_OF = {
    "Graph": {
        "A": "to_csr()",
        "T": "reverse()",
        "add_edge": _FROM_ARRAYS,
        "add_edges": _FROM_ARRAYS,
        "add_edges_from": _FROM_ARRAYS,
        "add_node": _FROM_ARRAYS,
        "add_vertices": _FROM_ARRAYS,
        "add_weighted_edges_from": _FROM_ARRAYS,
        "adj": "neighbors(), or to_csr()",
        "adjacency": "neighbors(), or to_csr()",
        "adjacency_matrix": "to_csr()",
        "coords": "coordinates",
        "degree": "degrees()",
        "draw": "warpgraph.plot",
        "ecount": "n_edges",
        "edge_weights": "data",
        "edges": "to_edges(), or n_edges",
        "es": "to_edges(), or n_edges",
        "get_adjacency_sparse": "to_csr()",
        "get_edgelist": "to_edges()",
        "in_degree": "degrees('in')",
        "indegree": "degrees('in')",
        "is_connected": "warpgraph.connected_components(graph)",
        "labels": "names",
        "load": "read()",
        "n": "n_vertices",
        "n_arcs": "n_edges",
        "n_nodes": "n_vertices",
        "nnz": "n_edges",
        "nodes": _NODES,
        "num_edges": "n_edges",
        "num_nodes": "n_vertices",
        "num_vertices": "n_vertices",
        "number_of_edges": "n_edges",
        "number_of_nodes": "n_vertices",
        "number_of_vertices": "n_vertices",
        "order": "n_vertices",
        "out_degree": "degrees()",
        "outdegree": "degrees()",
        "plot": "warpgraph.plot",
        "pos": "coordinates",
        "positions": "coordinates",
        "predecessors": "reverse().neighbors()",
        "remove_edge": _FROM_ARRAYS,
        "remove_edges_from": _FROM_ARRAYS,
        "remove_node": "subgraph()",
        "save": "write()",
        "size": "n_edges",
        "successors": "neighbors()",
        "to_numpy": "to_csr().toarray()",
        "to_numpy_array": "to_csr().toarray()",
        "to_pandas": "to_dataframe()",
        "to_pandas_edgelist": "to_dataframe()",
        "to_scipy": "to_csr()",
        "to_scipy_sparse_array": "to_csr()",
        "toarray": "to_csr().toarray()",
        "tocsr": "to_csr()",
        "todense": "to_csr().toarray()",
        "transpose": "reverse()",
        "vcount": "n_vertices",
        "vertices": _NODES,
        "view_edge_list": "to_edges()",
        "vs": _NODES,
        "weight": "data",
        "weights": "data",
    },
    "SpanningForest": {
        "components": "labels",
        "data": "weights",
        "length": "total_weight",
        "n_components": "n_trees",
        "n_edges": "edges, as len(forest)",
        "n_nodes": "n_vertices",
        "nodes": _NODES,
        "number_of_edges": "edges, as len(forest)",
        "number_of_nodes": "n_vertices",
        "size": "total_weight, or edges, as len(forest)",
        "to_edges": "edges",
        "to_scipy": "to_csr()",
        "tocsr": "to_csr()",
        "weight": "weights, or total_weight",
    },
    "Communities": {
        "communities": "members()",
        "labels_": "labels",
        "membership": "labels",
        "modularity": "quality",
        "n_clusters": "n_communities",
        "score": "quality",
        "subgraphs": "members()",
    },
    "TreeClustering": {
        "labels": "labels_",
        "minimum_spanning_tree_": "mst_",
        "predict": "fit_predict(X), which labels the points that it is fitted to",
        "tree_": "mst_",
    },
    "HDBSCAN": {
        "centroids_": "warpgraph.cluster.HDBSCAN(store_centers='centroid') and fit",
        "cluster_centers_": "centroids_, by store_centers='centroid'",
        "generate_prediction_data": "approximate_predict(X), which needs no preparation",
        "medoids_": "warpgraph.cluster.HDBSCAN(store_centers='medoid') and fit",
        "predict": "approximate_predict(X)",
        "predict_proba": "membership_vector(X)",
        "prediction_data_": "approximate_predict(X), which needs no preparation",
        "recut": "recluster()",
        "relative_validity_": "warpgraph.cluster.validity_index",
        "weighted_cluster_centroid": "centroids_, by store_centers='centroid'",
        "weighted_cluster_medoid": "medoids_, by store_centers='medoid'",
    },
    "MSTClustering": {
        "n_components_": "n_connected_components_",
        "n_leaves_": "mst_.n_vertices",
        "recluster": "recut()",
    },
    "DBSCANStar": {"components_": "core_sample_indices_", "recluster": "recut()"},
    "KMeans": {
        "centers_": "cluster_centers_",
        "centroids_": "cluster_centers_",
        "labels": "labels_",
        "n_clusters_": "n_clusters",
    },
    "KNeighborsTransformer": {
        "kneighbors": "warpgraph.cluster.nearest_neighbors",
        "kneighbors_graph": "transform(X)",
    },
    "_OfGraph": {
        "membership": "labels_",
        "modularity": "quality_",
        "modularity_": "quality_",
        "n_communities": "n_clusters_",
        "predict": "fit_predict(X), which labels the vertices of its graph",
    },
}

#: Names that look like misspelt ones of this package, and mean something else.
_OTHERS = frozenset({"biconnected_components", "bipartitions", "is_arborescence", "turan_graph"})
#: Modules that are searched for a name. Those that need an engine are not imported for this.
_MODULES = ("cluster", "csgraph", "datasets", "generators", "io", "plot", "transform")


class Hinted:
    """An object whose AttributeErrors say what may have been meant."""

    if not TYPE_CHECKING:  # type checkers refuse attributes that are not here

        def __getattr__(self, name: str) -> Any:
            return no_attribute_of(self, name)


def no_attribute_of(made: Any, name: str) -> Any:
    """Raise the error for an attribute that an object does not have: `__getattr__` calls it."""
    if hasattr(type(made), name):  # a property has raised the error, which it raises again
        return object.__getattribute__(made, name)
    sentence = f"{type(made).__name__!r} object has no attribute {name!r}"
    kind: Any = type(made)
    is_fitted = "n_features_in_" in vars(made)
    hint = "" if name.startswith("_") else _hint_of(kind, name, is_fitted)
    # With `name` alone, and no `obj`, Python adds no suggestion of its own.
    raise AttributeError(sentence + hint, name=name)


@functools.lru_cache  # other libraries ask many an object for the same attributes
def _hint_of(kind: Any, name: str, is_fitted: bool) -> str:
    for base in kind.__mro__:
        if name in _USE_OF.get(base.__name__, ()):
            return f"; use {_USE_OF[base.__name__][name]}"
    known = {a for base in kind.__mro__ for a in getattr(base, "__annotations__", ())}
    if name in known and name.endswith("_"):
        return "" if is_fitted else "; call fit first"
    if any(base.__name__ == "Graph" for base in kind.__mro__) and (call := _call_of_graph(name)):
        return f"; use warpgraph.{call}"
    parameters = inspect.signature(kind).parameters if hasattr(kind, "get_params") else ()
    names = (a for a in {*known, *parameters, *dir(kind)} if not a.startswith("_"))
    meant = hints.alike(name, sorted(names))
    return "" if meant is None else f"; did you mean {meant}?"


def _call_of_graph(name: str) -> str | None:
    """Return the function of the package that somebody means by a method of a graph."""
    if name in _USE:
        return _USE[name]
    function = vars(sys.modules["warpgraph"]).get(name)
    if not inspect.isfunction(function) or name.startswith("_"):
        return None
    parameters = inspect.signature(function).parameters
    if next(iter(parameters), "") != "graph":
        return None
    needed = [p for p in parameters.values() if p.default is p.empty]
    return f"{name}(graph, ...)" if len(needed) > 1 else f"{name}(graph)"


def no_attribute(name: str, public: Sequence[str], module: str = "warpgraph") -> AttributeError:
    """Return the error for a name that a module does not have, with what may have been meant."""
    sentence = f"module {module!r} has no attribute {name!r}"
    hint = "" if name.startswith("_") else _hint(name, public, module)
    return AttributeError(sentence + hint, name=name)


def _hint(name: str, public: Sequence[str], module: str) -> str:
    elsewhere = {
        member: f"{folder}.{member}"
        for folder in _MODULES
        for member in importlib.import_module(f"warpgraph.{folder}").__all__
    }
    if name in _USE:
        beside = f"; warpgraph.csgraph.{name} has SciPy's arguments"
        is_scipys = elsewhere.get(name) == f"csgraph.{name}"
        return f"; use warpgraph.{_USE[name]}{beside if is_scipys else ''}"
    own = sys.modules["warpgraph"]
    if module != "warpgraph" and name in own.__all__:
        return f"; use warpgraph.{name}"
    if name in elsewhere:
        return f"; use warpgraph.{elsewhere[name]}"
    if name not in _OTHERS and (meant := hints.alike(name, public)) is not None:
        return f"; did you mean {module}.{meant}?"
    if name not in _OTHERS and (other := hints.alike(name, elsewhere)) is not None:
        return f"; did you mean warpgraph.{elsewhere[other]}?"
    return ""
