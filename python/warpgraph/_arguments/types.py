"""Types of arguments and results that several functions share.

For type checkers alone: no module imports this one when it runs, so typing_extensions, which type
checkers know, need not be installed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, Literal, Protocol, SupportsFloat

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
Metric = Literal[
    "euclidean",
    "l2",
    "cosine",
    "haversine",
    "manhattan",
    "l1",
    "cityblock",
    "chebyshev",
    "infinity",
    "minkowski",
    "hamming",
    "jaccard",
    "precomputed",
]
MetricFunction = Callable[[Any, Any], SupportsFloat]  #: of two points, as arrays of float64
PointDistribution = Literal["uniform", "normal", "blobs"]
Vertex = Hashable  #: a number, or a name
Vertices = Collection[Hashable]
Device = str | list[str] | tuple[str, ...]
Result = TypeVar("Result", default=None)

# Results whose type depends on arguments: ``__init__.pyi`` has an overload for each. In the modules
# themselves type checkers need not tell them apart, so to them it is any type.
ArrayOrTuple = Any  #: an array, or several, such as distances and predecessors
ArrayOrOut = Any  #: an array, or `out`, which may be on a device
ForestOrOut = Any  #: a SpanningForest, or what is in `out` then
IntOrTuple = Any  #: a number, or a number and an array
NumberOrTuple = Any  #: a float, or a float and an array
ValuesOrTuple = Any  #: VertexValues, or several of them


class DeviceArray(Protocol):
    """An array on a CUDA device, such as CuPy's."""

    @property
    def __cuda_array_interface__(self) -> Any:
        """Description of the array's memory."""


class CompiledFunction(Protocol):
    """SciPy's LowLevelCallable."""

    @property
    def signature(self) -> str:
        """The type of the function in C."""


class Matrix(Protocol):
    """A matrix of SciPy, NumPy, CuPy, PyTorch or JAX, or a graph of this package."""

    @property
    def shape(self) -> Any:
        """Number of rows and columns, which are equal."""


class NetworkXGraph(Protocol):
    """A graph of NetworkX."""

    def adjacency(self) -> Any:
        """Return an iterator over nodes and their neighbours."""

    def is_directed(self) -> bool:
        """Return whether edges have a direction."""


class Table(Protocol):
    """A table of pandas, polars or pyarrow."""

    @property
    def columns(self) -> Any:
        """The columns or their names."""


class Forest(Protocol):
    """A spanning forest."""

    def to_csr(self) -> Any:
        """Return the forest as a matrix."""

    @property
    def n_trees(self) -> int:
        """Number of trees."""


MetricLike = str | MetricFunction | CompiledFunction
GraphLike = Matrix | NetworkXGraph | Sequence[Sequence[float]]
ArrayLike = npt.ArrayLike | DeviceArray
PointsOrGraph = ArrayLike | GraphLike | Forest
VertexValues = ArrayLike | Mapping[Any, float]
OutLike = npt.NDArray[Any] | DeviceArray
RandomState = int | np.random.Generator | np.random.RandomState | None
OnDevice = TypeVar("OnDevice", bound=DeviceArray)
Out = TypeVar("Out", bound=npt.NDArray[Any] | DeviceArray)
Edges = TypeVar("Edges", bound=npt.NDArray[Any] | DeviceArray)


class ReadOptions(TypedDict, total=False):
    """Options of Graph.read, which are those of io.read."""

    format: str | None
    dtype: npt.DTypeLike | None
    columns: Sequence[str | int] | None
    header: bool | None
    id_dtype: npt.DTypeLike | None
    decimal: str
    comment: str | None
    max_vertices: int | None
    file_ids: bool
    coordinates: str | os.PathLike[str] | None
    weight: str | None
    direction: str | int | None
    progress: ProgressLike


class WriteOptions(TypedDict, total=False):
    """Options of Graph.write, which are those of io.write."""

    format: str | None
    ids: npt.ArrayLike | None
    coordinates: str | os.PathLike[str] | None


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
