"""Clustering by spanning trees, and k-means to compare with."""

import importlib
from typing import Any

from warpgraph._arguments.hints.other_names import no_attribute
from warpgraph._trees.emst import euclidean_mst
from warpgraph._trees.knn import core_distances, kneighbors_graph
from warpgraph._trees.neighbours.queries import (
    Neighbors,
    nearest_neighbors,
    radius_neighbors_graph,
)
from warpgraph._trees.neighbours.trees import mst_of_points
from warpgraph._trees.single_linkage import single_linkage

__all__ = [
    "HDBSCAN",
    "CondensedTree",
    "DBSCANStar",
    "KMeans",
    "KNeighborsTransformer",
    "Leiden",
    "Louvain",
    "MSTClustering",
    "Neighbors",
    "RobustSingleLinkage",
    "SingleLinkageTree",
    "core_distances",
    "euclidean_mst",
    "kneighbors_graph",
    "mst_of_points",
    "nearest_neighbors",
    "radius_neighbors_graph",
    "single_linkage",
    "validity_index",
]


# Estimators inherit from scikit-learn, whose import takes longer than most calls.
_MODULES = {
    "CondensedTree": "_condensed_tree",
    "DBSCANStar": "_dbscan_star",
    "HDBSCAN": "_hdbscan",
    "KMeans": "_kmeans",
    "KNeighborsTransformer": "_graphs.transformer",
    "Leiden": "_graphs.communities",
    "Louvain": "_graphs.communities",
    "MSTClustering": "_mst_clustering",
    "RobustSingleLinkage": "_robust_single_linkage",
    "SingleLinkageTree": "_single_linkage_tree",
    "validity_index": "_density.validity",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"warpgraph.cluster.{_MODULES[name]}"), name)
    raise no_attribute(name, __all__, "warpgraph.cluster")


def __dir__() -> list[str]:
    return sorted(__all__)
