"""Types of arguments and results that several functions share.

For type checkers alone: no module imports this one when it runs, so typing_extensions, which type
checkers know, need not be installed.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any, Generic, Literal, Protocol, SupportsFloat

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from typing_extensions import TypedDict, TypeVar

from warpgraph._arguments.validate import MemoryLimitLike, ProgressLike

#: The types of weights and distances; which it is depends on the graph unless `dtype` or `out` say.
Number = np.float32 | np.float64 | np.int32 | np.int64
Kind = TypeVar("Kind", bound=np.generic, default=Number)
Float = TypeVar("Float", bound=np.generic, default=np.float64)
DType = type[Kind] | np.dtype[Kind] | str | None
Int32Array = npt.NDArray[np.int32]
Weights = npt.NDArray[Number]
FloatArray = npt.NDArray[np.float64]
SparseMatrix = sp.csr_array | sp.csr_matrix

Method = Literal["auto", "FW", "D", "BF", "J"]
DijkstraMethod = Literal["auto", "dijkstra", "batched", "delta_stepping", "near_far"]
BellmanFordMethod = Literal["auto", "bellman_ford"]
AllPairsMethod = Literal["auto", "floyd_warshall", "floyd_warshall_naive", "many_to_many"]
ForestMethod = Literal["auto", "filter", "boruvka", "boruvka_compressed"]
Vertices = Collection[Hashable]
Device = str | list[str] | tuple[str, ...]
Result = TypeVar("Result", default=None)


class DeviceArray(Protocol):
    """An array on a CUDA device, such as CuPy's."""

    @property
    def __cuda_array_interface__(self) -> Any:
        """Where it lies."""


OnDevice = TypeVar("OnDevice", bound=DeviceArray)
Out = TypeVar("Out", bound=npt.NDArray[Any] | DeviceArray)
Edges = TypeVar("Edges", bound=npt.NDArray[Any] | DeviceArray)


class RunOptions(TypedDict, total=False):
    """Keyword arguments of most functions."""

    progress: ProgressLike
    memory_limit: MemoryLimitLike
    device: Device


class SearchOptions(RunOptions, total=False):
    """Of all searches."""

    directed: bool


class BfsOptions(SearchOptions, total=False):
    """Of `bfs`."""

    targets: Vertices | None
    limit: float | None


class LengthOptions(SearchOptions, Generic[Kind], total=False):
    """Of searches that read weights."""

    unweighted: bool
    weight: str | None
    dtype: DType[Kind]


class SsspOptions(LengthOptions[Kind], total=False):
    """Of `sssp`."""

    targets: Vertices | None
    limit: SupportsFloat
    method: Literal["auto", "dijkstra", "delta_stepping", "near_far", "bellman_ford"]


class ManyToManyOptions(LengthOptions[Kind], total=False):
    """Of `many_to_many`, all sources apart."""

    limit: SupportsFloat
    method: Literal["auto", "dijkstra", "batched", "hierarchy", "johnson"]
    min_only: Literal[False]


class NearestOptions(LengthOptions[Kind], total=False):
    """Of `many_to_many`, all sources together."""

    limit: SupportsFloat
    method: Literal["auto", "dijkstra"]


class ApspOptions(LengthOptions[Kind], total=False):
    """Of `apsp`."""

    method: AllPairsMethod


class PagerankOptions(SearchOptions, total=False):
    """Of `pagerank`."""

    alpha: float
    personalization: Any
    dangling: Any
    nstart: Any
    max_iter: int | None
    tol: float
    method: Literal["auto", "pull", "push"]
    unweighted: bool
    weight: str | None


class EmstOptions(RunOptions, total=False):
    """Of `cluster.euclidean_mst`."""

    min_samples: int | None
    alpha: float


class LinkageOptions(TypedDict, total=False):
    """Of `single_linkage`."""

    metric: Literal["euclidean", "l2", "minkowski", "precomputed"]
    min_samples: int
    weight: str | None
    device: Device
    progress: ProgressLike


class PointsOptions(TypedDict, total=False):
    """Of `generators.random_points`."""

    seed: int
    dist: Literal["uniform", "normal", "blobs"]
    n_blobs: int
    spread: float


class ForestOptions(RunOptions, total=False):
    """Of `minimum_spanning_forest`."""

    maximum: bool
    weight: str | None
    method: ForestMethod


class ClusterSelection(TypedDict, total=False):
    """Of HDBSCAN: how clusters are selected from a condensed tree."""

    cluster_selection_method: str
    cluster_selection_epsilon: float
    cluster_selection_epsilon_max: float
    cluster_selection_persistence: float
    max_cluster_size: int | None
    allow_single_cluster: bool


class SweepOptions(ClusterSelection, total=False):
    """Of HDBSCAN.sweep."""

    progress: ProgressLike
