"""Types of arguments and results that several functions share.

For type checkers alone: no module imports this one when it runs, so typing_extensions, which type
checkers know, need not be installed.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from typing_extensions import TypedDict, TypeVar

from warpgraph._arguments.validate import ProgressLike

#: The types of weights and distances; which it is depends on the graph unless `dtype` or `out` say.
Number = np.float32 | np.float64 | np.int32 | np.int64
Kind = TypeVar("Kind", bound=np.generic, default=Number)
Float = TypeVar("Float", bound=np.generic, default=np.float64)
DType = type[Kind] | np.dtype[Kind] | str
Int32Array = npt.NDArray[np.int32]
Weights = npt.NDArray[Number]
FloatArray = npt.NDArray[np.float64]
SparseMatrix = sp.csr_array | sp.csr_matrix

Method = Literal["auto", "FW", "D", "BF", "J"]
DijkstraMethod = Literal["auto", "dijkstra", "batched", "delta_stepping", "near_far"]
BellmanFordMethod = Literal["auto", "bellman_ford"]
AllPairsMethod = Literal["auto", "floyd_warshall", "floyd_warshall_naive", "many_to_many"]
ForestMethod = Literal["auto", "filter", "boruvka"]
ManyToManyMethod = Literal["auto", "dijkstra", "batched", "hierarchy", "johnson"]
NearestMethod = Literal["auto", "dijkstra"]
PagerankMethod = Literal["auto", "pull", "push"]
SsspMethod = Literal["auto", "dijkstra", "delta_stepping", "near_far", "bellman_ford"]
PartitionQuality = Literal["modularity", "cpm"]
Connection = Literal["weak", "strong"]
Metric = Literal["euclidean", "l2", "minkowski", "precomputed"]
PointDistribution = Literal["uniform", "normal", "blobs"]
Vertices = Collection[Hashable]
Device = str | list[str] | tuple[str, ...]
Result = TypeVar("Result", default=None)


class DeviceArray(Protocol):
    """An array on a CUDA device, such as CuPy's."""

    @property
    def __cuda_array_interface__(self) -> Any:
        """Description of the array's memory."""


OnDevice = TypeVar("OnDevice", bound=DeviceArray)
Out = TypeVar("Out", bound=npt.NDArray[Any] | DeviceArray)
Edges = TypeVar("Edges", bound=npt.NDArray[Any] | DeviceArray)


class ClusterSelection(TypedDict, total=False):
    """Options of HDBSCAN that select clusters from a condensed tree."""

    cluster_selection_method: str
    cluster_selection_epsilon: float
    cluster_selection_epsilon_max: float
    cluster_selection_persistence: float
    max_cluster_size: int | None
    allow_single_cluster: bool


class SweepOptions(ClusterSelection, total=False):
    """Keyword arguments of HDBSCAN.sweep."""

    progress: ProgressLike
