"""Shortest paths, spanning trees and clusters from SciPy matrices, on CPU cores and GPUs.

Every function takes a graph (SciPy sparse, NumPy dense, NetworkX, or `Graph`) and ``device=``;
results are the same on every device.
"""

import importlib
import logging
from typing import Any

# Must be the first import of this package: this module loads the core.
from warpgraph import _openmp  # noqa: F401

# isort: split
from warpgraph._arguments.device import devices, get_num_threads, set_num_threads
from warpgraph._arguments.errors import ConvergenceError, DeviceError, NegativeCycleError
from warpgraph._communities.communities import (
    Communities,
    label_propagation_communities,
    leiden_communities,
    louvain_communities,
)
from warpgraph._communities.core_numbers import core_numbers
from warpgraph._communities.triangles import clustering_coefficients, transitivity, triangles
from warpgraph._communities.truss_numbers import truss_numbers
from warpgraph._config import get_include, show_config
from warpgraph._graph.explain import Plan, explain
from warpgraph._graph.graph import Graph
from warpgraph._graph.methods import files as _files_of_graphs
from warpgraph._graph.turns import TurnGraph
from warpgraph._paths.apsp import apsp
from warpgraph._paths.bfs import bfs
from warpgraph._paths.hierarchy import Hierarchy
from warpgraph._paths.k_shortest_paths import k_shortest_paths
from warpgraph._paths.many_to_many import many_to_many
from warpgraph._paths.reconstruct_path import reconstruct_path, reconstruct_paths
from warpgraph._paths.shortest_path import shortest_path
from warpgraph._paths.shortest_path_dag import ShortestPathDag, shortest_path_dag
from warpgraph._paths.shortest_paths import shortest_paths
from warpgraph._paths.sssp import sssp
from warpgraph._rank.betweenness import betweenness_centrality, edge_betweenness_centrality
from warpgraph._rank.pagerank import pagerank
from warpgraph._rates import freeze_plans, load as _load_rates
from warpgraph._reach.accessibility import accessibility
from warpgraph._reach.nearest_facilities import nearest_facilities
from warpgraph._reach.within import within
from warpgraph._search.connected_components import connected_components
from warpgraph._search.predicate_filter import predicate_filter
from warpgraph._search.traversal import breadth_first_order, depth_first_order
from warpgraph._trees.bottleneck_paths import bottleneck_paths
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.minimum_arborescence import Arborescence, minimum_arborescence
from warpgraph._trees.mst import extend_forest, local_forest, merge_forests, minimum_spanning_forest
from warpgraph._trees.steiner_tree import steiner_tree
from warpgraph._version import __version__ as __version__

_load_rates()
_files_of_graphs.module_of_formats = lambda: importlib.import_module("warpgraph.io")
logging.getLogger("warpgraph").addHandler(logging.NullHandler())

__all__ = [
    "Arborescence",
    "Communities",
    "ConvergenceError",
    "DeviceError",
    "Graph",
    "Hierarchy",
    "NegativeCycleError",
    "Plan",
    "ShortestPathDag",
    "SpanningForest",
    "TurnGraph",
    "accessibility",
    "apsp",
    "betweenness_centrality",
    "bfs",
    "bottleneck_paths",
    "breadth_first_order",
    "cluster",
    "clustering_coefficients",
    "connected_components",
    "core_numbers",
    "csgraph",
    "dask",
    "datasets",
    "depth_first_order",
    "devices",
    "distributed",
    "edge_betweenness_centrality",
    "explain",
    "extend_forest",
    "freeze_plans",
    "generators",
    "get_include",
    "get_num_threads",
    "io",
    "k_shortest_paths",
    "label_propagation_communities",
    "leiden_communities",
    "local_forest",
    "louvain_communities",
    "many_to_many",
    "merge_forests",
    "minimum_arborescence",
    "minimum_spanning_forest",
    "nearest_facilities",
    "pagerank",
    "plot",
    "predicate_filter",
    "ray",
    "reconstruct_path",
    "reconstruct_paths",
    "runtime",
    "set_num_threads",
    "shortest_path",
    "shortest_path_dag",
    "shortest_paths",
    "show_config",
    "sssp",
    "steiner_tree",
    "transform",
    "transitivity",
    "triangles",
    "truss_numbers",
    "within",
]

#: Modules that need what is not installed with this package, and fail without.
_UNLISTED = ("nx_backend",)


def __getattr__(name: str) -> Any:
    """Import a module, which has further imports, at its first use."""
    if name in __all__ or name in _UNLISTED:
        return importlib.import_module(f"warpgraph.{name}")
    from warpgraph._arguments.hints.other_names import no_attribute

    raise no_attribute(name, __all__)


def __dir__() -> list[str]:
    return sorted(__all__)
