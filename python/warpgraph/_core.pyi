from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
DType = np.dtype[Any]
_Entry = tuple[int, int, int, Any]  # position, tail, head, weight

class DeviceError(RuntimeError): ...

class NegativeCycleError(ValueError):
    vertex: int

built_with_cuda: bool

def cuda_device_count() -> int: ...
def cuda_unavailable_reason() -> str: ...
def cuda_runtime_version() -> str: ...
def cuda_driver_version() -> str: ...
def require_device(name: str) -> None: ...
def device_properties(name: str) -> dict[str, Any]: ...
def free_memory(name: str) -> int: ...
def require_memory(what: str, bytes: int, device: str, limit: int, way_out: str) -> None: ...
def idle_pinned_bytes() -> int: ...
def free_idle_pinned() -> None: ...
def num_threads() -> int: ...
def set_num_threads(n: int) -> None: ...
def device_holding(address: int) -> str: ...

class DeviceArray:
    __cuda_array_interface__: dict[str, Any]
    def to_numpy(self) -> Array: ...
    def set(self, values: Array) -> None: ...

def device_array(shape: int | tuple[int, ...], dtype: DType, device: str) -> DeviceArray: ...
def first_not_finite(points: Any, device: str) -> int: ...
def take_rows(points: Any, rows: Array, taken: Array, device: str) -> None: ...

class GraphHandle:
    def set_weights(self, weights: Array) -> None: ...
    def make_resident(self, device: str, dtype: DType) -> None: ...
    def tails(self) -> Array: ...
    def transpose(self, dtype: DType) -> tuple[Array, Array, Array]: ...
    def symmetrise(self, dtype: DType, memory_limit: int = 0) -> tuple[Array, Array, Array]: ...
    def upper_triangle(
        self, dtype: DType, memory_limit: int = 0
    ) -> tuple[Array, Array, Array, Array] | None: ...
    def has_mirrored_weights(self, dtype: DType) -> bool: ...
    def has_mirrored_structure(self) -> bool: ...
    def unusual_weights(self, dtype: DType) -> tuple[_Entry | None, _Entry | None]: ...
    def device_bytes(self) -> int: ...
    def structure_only(self) -> GraphHandle: ...

def graph_handle(indptr: Array, indices: Array) -> GraphHandle: ...
def narrow_indices(indices: Array, n_vertices: int) -> Array: ...
def csr_from_dense(values: Array, mask: Array | None) -> tuple[Array, Array, Array]: ...
def csr_from_edges(
    n_vertices: int, tails: Array, heads: Array, weights: Array
) -> tuple[Array, Array, Array]: ...
def sort_rows(
    graph: GraphHandle, dtype: DType, heaviest_first: bool, device: str
) -> tuple[Array, Array, Array]: ...
def has_sorted_rows(graph: GraphHandle, dtype: DType, heaviest_first: bool) -> bool: ...
def rank_weights(weights: Array, device: str = ...) -> tuple[Array, int, Array]: ...
def vertex_order(graph: GraphHandle, strategy: str) -> Array: ...
def inverse_order(order: Array) -> Array: ...
def permute(
    graph: GraphHandle, dtype: DType, order: Array
) -> tuple[Array, Array, Array, Array]: ...
def mean_gap_bits(graph: GraphHandle) -> float: ...

class CompressedHandle:
    def bytes(self) -> int: ...
    def block_bits(self) -> int: ...
    def irregular_rows(self) -> tuple[int, int]: ...
    def heads(self) -> Array: ...
    def heads_of(self, vertex: int) -> Array: ...

def compressed_handle(graph: GraphHandle, indptr: Array, block_bits: int) -> CompressedHandle: ...

class EdgeRules: ...

def edge_rules(directed: bool, keep_loops: bool, keep_duplicates: bool) -> EdgeRules: ...
def generate_rmat(
    scale: int,
    edge_factor: float,
    parameters: tuple[float, float, float, float],
    noise: float,
    relabel: bool,
    edges: EdgeRules,
    seed: int,
    weights: str | tuple[int, int] | None,
    dtype: DType,
) -> tuple[Array, Array, Array]: ...
def generate_ssca2(
    scale: int,
    max_clique_size: int,
    inter_clique_probability: float,
    decay: float,
    relabel: bool,
    edges: EdgeRules,
    seed: int,
    weights: str | tuple[int, int] | None,
    dtype: DType,
) -> tuple[Array, Array, Array]: ...
def generate_grid(
    rows: int,
    cols: int,
    removed: float,
    seed: int,
    weights: str | tuple[int, int] | None,
    dtype: DType,
) -> tuple[Array, Array, Array]: ...
def random_points(
    points: Array, labels: Array, dist: str, n_blobs: int, spread: float, seed: int
) -> None: ...
def apsp(
    graph: GraphHandle,
    distances: Any,
    fresh: bool,
    predecessors: Array,
    method: str,
    unweighted: bool,
    negative_weights: bool,
    device: str,
    memory_limit: int,
    progress: Callable[[int, int], Any] | None,
) -> bool: ...
def bfs(
    graph: GraphHandle,
    source: int,
    limit: int,
    mirrored: bool,
    hops: Array,
    predecessors: Array,
    progress: Any,
    method: str,
    device: str,
    memory_limit: int = 0,
) -> None: ...
def connected_components(
    graph: GraphHandle,
    mirrored: bool,
    labels: Array,
    method: str,
    device: str,
    memory_limit: int = 0,
) -> int: ...
def strong_components(
    graph: GraphHandle, labels: Array, method: str, device: str, memory_limit: int = 0
) -> int: ...
def dense_mst(
    distances: Array, memory_limit: int, progress: Callable[[int, int], Any] | None
) -> tuple[Array, Array]: ...
def emst(
    points: Array,
    method: str,
    memory_limit: int,
    progress: Callable[[int, int], Any] | None,
) -> tuple[Array, Array]: ...
def emst_on(
    device: str,
    points: Any,
    shape: tuple[int, int],
    edges: Any,
    weights: Any,
    memory_limit: int,
    progress: Callable[[int, int], Any] | None,
) -> None: ...
def many_to_many(
    graph: GraphHandle,
    sources: Array,
    targets: Array,
    distances: Any,
    predecessors: Array,
    method: str,
    limit: float,
    unweighted: bool,
    device: str,
    memory_limit: int,
    progress: Callable[[int, int], Any] | None,
) -> None: ...

class HierarchyHandle:
    def figures(self) -> dict[str, Any]: ...
    def sweep(
        self,
        sources: Array,
        targets: Array | None,
        distances: Any,
        limit: float,
        device: str,
        memory_limit: int,
        progress: Callable[[int, int], Any] | None,
    ) -> None: ...
    def device_bytes(self) -> int: ...
    def arrays(self) -> dict[str, Any]: ...

def build_hierarchy(
    graph: GraphHandle,
    dtype: DType,
    unweighted: bool,
    symmetric: bool,
    core_vertices: int,
    memory_limit: int,
    progress: Callable[[int, int], Any] | None,
) -> HierarchyHandle: ...
def restore_hierarchy(arrays: dict[str, Any]) -> HierarchyHandle: ...
def kmeans(
    points: Any,
    start: Array,
    max_iterations: int,
    tolerance: float,
    device: str,
    memory_limit: int,
    progress: Callable[[int, int], Any] | None,
) -> tuple[Array, Array, float, int, int]: ...
def nearest_centres(points: Any, centres: Array, labels: Array, device: str) -> float: ...
def new_point_edges(points: Array, tree: Array, linkage: Array) -> tuple[Array, Array]: ...
def farthest_points(points: Any, k: int, device: str) -> Array: ...
def minimum_spanning_forest(
    graph: GraphHandle,
    dtype: DType,
    maximum: bool,
    mirrored: bool,
    sorted_rows: bool,
    longest_row: int,
    method: str,
    device: str,
    memory_limit: int,
    progress: Callable[[int, int], Any] | None,
) -> tuple[Array, Array, Array]: ...

class PreparedRows:
    @property
    def nbytes(self) -> int: ...

class HybridForest:
    def solve(
        self,
        graph: GraphHandle,
        dtype: DType,
        rows: PreparedRows,
        progress: Callable[[int, int], Any] | None,
    ) -> tuple[Array, Array, Array]: ...
    def solve_ranks(self) -> Array: ...
    def rounds(self) -> list[tuple[float, float, float]]: ...
    @property
    def n_resident_arcs(self) -> int: ...
    @property
    def nbytes(self) -> int: ...

def hybrid_forest(rows: PreparedRows, device: str, memory_limit: int) -> HybridForest: ...
def prepare_rows(graph: GraphHandle, dtype: DType, maximum: bool) -> PreparedRows: ...
def minimum_spanning_forest_on_device(
    graph: GraphHandle,
    dtype: DType,
    maximum: bool,
    mirrored: bool,
    longest_row: int,
    out: Any,
    originals: Array | None,
    method: str,
    device: str,
    memory_limit: int,
    progress: Callable[[int, int], Any] | None,
) -> int: ...
def arrange_edges(
    n_vertices: int, ends: Array, weights: Array, ids: Array, memory_limit: int = 0
) -> tuple[Array, Array, Array, Array]: ...
def forest_labels(ends: Array, labels: Array) -> None: ...
def single_linkage(
    n_vertices: int,
    ends: Any,
    weights: Any,
    linkage: Any,
    method: str,
    device: str,
    memory_limit: int,
    progress: Callable[[int, int], Any] | None,
) -> None: ...
def sssp(
    graph: GraphHandle,
    source: int,
    distances: Any,
    predecessors: Array,
    method: str,
    limit: float,
    targets: Array,
    unweighted: bool,
    negative_weights: bool,
    symmetric: bool,
    device: str,
    memory_limit: int,
    progress: Callable[[int, int], Any] | None,
) -> None: ...
def bellman_ford_variant(
    graph: GraphHandle,
    source: int,
    distances: Any,
    negative_weights: bool,
    symmetric: bool,
    device: str,
    read_only_loads: bool,
    segments: bool,
    segment_length: int,
) -> None: ...
def recover_trees(
    graph: GraphHandle,
    sources: Array,
    distances: Any,
    predecessors: Array,
    unweighted: bool,
    negative_weights: bool,
    along_paths: bool,
    device: str,
    memory_limit: int,
) -> None: ...
def reconstruct_paths(predecessors: Array, source: int, targets: Array) -> tuple[Array, Array]: ...
