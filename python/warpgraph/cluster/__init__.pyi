# Written by scripts/stubs/public.py from the signatures of functions: make stub.
from typing import Literal, overload

from warpgraph._arguments import types, validate
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.knn import core_distances, kneighbors_graph
from warpgraph._trees.neighbours.queries import Neighbors, nearest_neighbors, radius_neighbors_graph
from warpgraph._trees.neighbours.trees import mst_of_points
from warpgraph.cluster._condensed_tree import CondensedTree
from warpgraph.cluster._dbscan_star import DBSCANStar
from warpgraph.cluster._graphs.communities import Leiden, Louvain
from warpgraph.cluster._graphs.transformer import KNeighborsTransformer
from warpgraph.cluster._hdbscan import HDBSCAN
from warpgraph.cluster._kmeans import KMeans
from warpgraph.cluster._mst_clustering import MSTClustering
from warpgraph.cluster._robust_single_linkage import RobustSingleLinkage
from warpgraph.cluster._single_linkage_tree import SingleLinkageTree

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

@overload
def euclidean_mst(
    X: types.ArrayLike,
    *,
    min_samples: int | None = None,
    alpha: float = 1.0,
    device: types.Device = "auto",
    out: None = None,
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> SpanningForest: ...
@overload
def euclidean_mst(
    X: types.ArrayLike,
    *,
    min_samples: int | None = None,
    alpha: float = 1.0,
    device: types.Device = "auto",
    out: tuple[types.Edges, types.Out],
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> tuple[types.Edges, types.Out]: ...
@overload
def single_linkage(
    X: types.PointsOrGraph,
    *,
    metric: types.Metric | types.MetricFunction | types.CompiledFunction = "euclidean",
    p: float = 2.0,
    min_samples: int = 1,
    weight: str | None = "weight",
    out: None = None,
    device: types.Device = "auto",
    progress: validate.ProgressLike = None,
) -> types.FloatArray: ...
@overload
def single_linkage(
    X: types.PointsOrGraph,
    *,
    metric: types.Metric | types.MetricFunction | types.CompiledFunction = "euclidean",
    p: float = 2.0,
    min_samples: int = 1,
    weight: str | None = "weight",
    out: types.Out,
    device: types.Device = "auto",
    progress: validate.ProgressLike = None,
) -> types.Out: ...
@overload
def validity_index(
    X: types.ArrayLike,
    labels: types.ArrayLike,
    *,
    metric: types.MetricLike = "euclidean",
    p: float = 2.0,
    d: float | None = None,
    per_cluster_scores: Literal[False] = False,
    mst_raw_dist: bool = False,
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> float: ...
@overload
def validity_index(
    X: types.ArrayLike,
    labels: types.ArrayLike,
    *,
    metric: types.MetricLike = "euclidean",
    p: float = 2.0,
    d: float | None = None,
    per_cluster_scores: Literal[True],
    mst_raw_dist: bool = False,
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> tuple[float, types.FloatArray]: ...
@overload
def validity_index(
    X: types.ArrayLike,
    labels: types.ArrayLike,
    *,
    metric: types.MetricLike = "euclidean",
    p: float = 2.0,
    d: float | None = None,
    per_cluster_scores: bool = False,
    mst_raw_dist: bool = False,
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> float | tuple[float, types.FloatArray]: ...
