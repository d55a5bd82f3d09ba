# Written by scripts/stubs/compiled.py from the signatures of the module: "make stub".
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
DType = np.dtype[Any]

built_with_cuda: bool

class DeviceError(RuntimeError): ...

class NegativeCycleError(ValueError):
    vertex: int

class OnlyPlanned(BaseException): ...

class Ledger:
    def run_on(self, devices: Sequence[str]) -> None: ...
    @property
    def is_limited(self) -> bool: ...
    @property
    def left(self) -> int: ...
    def on_host(self) -> Ledger: ...
    def left_on(self, device: str) -> int: ...
    def require(self, what: str, bytes: object, advice: str, device: str = ...) -> None: ...
    def reserve(self, what: str, bytes: object, advice: str, device: str = ...) -> None: ...
    def charge(self, bytes: int) -> None: ...

class DeviceArray:
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> DType: ...
    @property
    def device(self) -> str: ...
    @property
    def nbytes(self) -> int: ...
    def to_numpy(self) -> Array: ...
    def set(self, values: Array) -> None: ...

class LazyResult:
    @property
    def n_items(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def device(self) -> str: ...
    @property
    def is_on_device(self) -> bool: ...
    def last_item(self) -> Any: ...
    def to_numpy(self) -> Array: ...

class Graph:
    @property
    def n_arcs(self) -> int: ...
    def check(self) -> None: ...
    def transpose(self, dtype: DType, ledger: Ledger) -> tuple[Array, Array, Array]: ...
    def symmetrise(self, dtype: DType, ledger: Ledger) -> tuple[Array, Array, Array]: ...
    def upper_triangle(
        self, dtype: DType, ledger: Ledger
    ) -> tuple[Array, Array, Array, Array] | None: ...
    def has_mirrored_weights(self, dtype: DType) -> bool: ...
    def is_mirrored(self) -> bool: ...
    def has_mirrored_structure(self) -> bool: ...
    def is_known_mirrored(self) -> bool: ...
    def longest_row(self) -> int: ...
    def equal_arcs(self, n_parts: int) -> npt.NDArray[np.int32]: ...
    def device_bytes(self) -> int: ...
    def structure_only(self) -> Graph: ...
    def with_structure(self) -> Graph: ...

class Plan:
    @property
    def method(self) -> str: ...
    @property
    def otherwise(self) -> str: ...
    @property
    def search(self) -> tuple[str, str]: ...
    @property
    def ways(self) -> list[tuple[Any, ...]]: ...
    @property
    def devices(self) -> list[str]: ...
    @property
    def has_negative(self) -> bool: ...
    @property
    def is_mirrored(self) -> bool: ...
    @property
    def uses_transposed(self) -> bool: ...
    @property
    def orders_by_degree(self) -> bool: ...
    @property
    def accelerates(self) -> bool: ...
    @property
    def max_visits(self) -> int: ...
    @property
    def learns(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def refusal(self) -> str: ...
    @property
    def seconds(self) -> float: ...
    @property
    def reasons(self) -> list[str]: ...

class CompressedHandle:
    def bytes(self) -> int: ...
    def block_bits(self) -> int: ...
    def n_patched_rows(self) -> int: ...
    def n_wide_rows(self) -> int: ...
    def heads(self) -> npt.NDArray[np.int32]: ...
    def heads_of(self, vertex: int) -> npt.NDArray[np.int32]: ...

class RuntimeEventFuture:
    def is_complete(self) -> bool: ...
    def wait(self) -> None: ...

class RuntimeLink:
    def send(
        self, values: object, metadata: int, ready: RuntimeEventFuture | None
    ) -> RuntimeEventFuture: ...
    @property
    def n_buffers(self) -> int: ...
    def shutdown(self) -> None: ...
    def receive(self) -> RuntimePendingSegment | None: ...
    def try_receive(self) -> RuntimePendingSegment | None: ...

class RuntimePendingSegment:
    def describe(self) -> tuple[int, int, int]: ...
    def n_items(self) -> int: ...
    def dtype(self) -> DType: ...
    def wait(self) -> Array: ...
    def wait_into(self, array: object) -> None: ...
    def forward(self, next: RuntimeLink) -> None: ...

class Stopped(BaseException): ...

class RuntimeContext:
    def name(self, endpoint: int) -> str: ...
    def device(self, endpoint: int) -> str: ...
    def router(
        self, n_inputs: int, n_outputs: int, policy: str, given: object, to_all: bool, name: str
    ) -> int: ...
    def link(
        self, source: int, destination: int, packet_size: int, n_buffers: int | None
    ) -> RuntimeLink: ...
    def run(self, on_endpoint: object, on_host: object) -> None: ...

class RuntimeWorklist:
    def receive(self, worker: int, dtype: DType) -> tuple[Array, int] | None: ...
    def round(self) -> int | None: ...
    def threshold(self) -> int: ...
    def wait(self, worker: int, seen: int) -> None: ...
    def set_deferred(self, worker: int, count: int, most_urgent: int) -> None: ...
    def settle(self, change: int) -> None: ...

class HierarchyHandle:
    def figures(self) -> dict[str, Any]: ...
    @property
    def sizes(self) -> tuple[DType, int, int]: ...
    def device_bytes(self) -> int: ...
    def kept_bytes(self) -> int: ...

class HierarchyStructure:
    def order(self) -> npt.NDArray[np.int32]: ...
    def nbytes(self) -> int: ...
    def n_arcs(self) -> int: ...

class PreparedRows:
    @property
    def nbytes(self) -> int: ...

class HybridForest:
    def solve(
        self,
        graph: Graph,
        dtype: DType,
        rows: PreparedRows,
        progress: Callable[[int, int], object] | None,
    ) -> tuple[Array, Array, npt.NDArray[np.int64]]: ...
    def solve_ranks(self) -> Array: ...
    @property
    def n_resident_arcs(self) -> int: ...
    @property
    def nbytes(self) -> int: ...

def cuda_device_count() -> int: ...
def cuda_unavailable_reason() -> str: ...
def cuda_runtime_version() -> str: ...
def cuda_driver_version() -> str: ...
def device_holding(address: int) -> str: ...
def require_device(device: str) -> None: ...
def device_properties(device: str) -> dict[str, Any]: ...
def free_memory(device: str) -> int: ...
def has_memory(device: str, bytes: int, limit: int) -> bool: ...
def idle_pinned_bytes() -> int: ...
def free_idle_pinned() -> None: ...
def num_threads() -> int: ...
def set_num_threads(n: int) -> None: ...
def end_calls_before(step: str) -> None: ...
def ledger(limit: int = ...) -> Ledger: ...
def device_array(shape: object, dtype: DType, device: str) -> DeviceArray: ...
def take_array(array: object) -> Any: ...
def lazy_bytes(device: str) -> int: ...
def set_smallest_lazy(n_bytes: int) -> None: ...
def finish_lazy_results() -> None: ...
def first_not_finite(points: object, device: str) -> int: ...
def take_rows(points: object, rows: npt.NDArray[np.int64], taken: Array, device: str) -> None: ...
def copy_to_host(array: object, device: str) -> Array: ...
def magnitudes(points: object, device: str) -> tuple[float, float]: ...
def unit_rows(points: Array, units: Array, joins: bool = ...) -> int: ...
def join_places(places: Array) -> None: ...
def take_near_rows(rows: Array, fitted: Array, are_places: bool) -> None: ...
def new_array(shape: Sequence[int], dtype: DType) -> Array: ...
def ones(shape: Sequence[int], dtype: DType) -> Array: ...
def copy_to(to: Array, source: Array) -> None: ...
def copied(array: Array) -> Array: ...
def graph(indptr: Array, indices: Array, defers_checks: bool = ...) -> Graph: ...
def graph_on_device(
    indptr: Array, indptr_on_device: DeviceArray, indices: DeviceArray
) -> Graph: ...
def dtype_of_weights(graph: Graph) -> DType: ...
def set_weights(graph: Graph, weights: Array) -> None: ...
def use_weights(graph: Graph, weights: DeviceArray) -> None: ...
def heads_on_host(graph: Graph) -> Array: ...
def weights_on_host(graph: Graph) -> Array: ...
def make_resident(graph: Graph, device: str, dtype: DType) -> None: ...
def view_on_device(array: object, device: str) -> DeviceArray: ...
def copy_on_device(array: DeviceArray) -> DeviceArray: ...
def narrow_on_device(indices: DeviceArray, n_vertices: int) -> DeviceArray: ...
def narrow_indices(indices: npt.NDArray[np.int64], n_vertices: int) -> npt.NDArray[np.int32]: ...
def csr_from_dense(
    values: Array, mask: npt.NDArray[np.bool] | None
) -> tuple[Array, Array, Array]: ...
def csr_from_edges(
    n_vertices: int, tails: Array, heads: Array, weights: Array
) -> tuple[Array, Array, Array]: ...
def tails(graph: Graph) -> Array: ...
def count_parallel_arcs(graph: Graph) -> int: ...
def csr_from_networkx(
    nodes: object,
    adjacency: object,
    weight: str | None,
    directed: bool,
    multigraph: bool,
    keeps_order: bool,
) -> tuple[Array, Array, Array | None] | None: ...
def path_lists(
    nodes: list[object],
    order: npt.NDArray[np.int32],
    predecessors: npt.NDArray[np.int32],
    to_root: bool,
) -> dict[object, list[object]]: ...
def order_by_distance(distances: Array) -> npt.NDArray[np.int32]: ...
def sets_by_label(
    nodes: list[object], labels: npt.NDArray[np.int32], n_labels: int
) -> list[set[object]]: ...
def attribute_dictionaries(
    nodes: list[object], attributes: list[object]
) -> dict[object, object]: ...
def node_values(
    nodes: list[object], order: npt.NDArray[np.int32], values: Array
) -> dict[object, object]: ...
def predecessor_lists(
    nodes: list[object],
    graph: Graph,
    order: npt.NDArray[np.int32],
    distances: Array,
    unweighted: bool,
) -> dict[object, list[object]]: ...
def edge_attributes(
    nodes: list[object],
    tails: npt.NDArray[np.int32],
    heads: npt.NDArray[np.int32],
    rows: list[object],
) -> list[object]: ...
def edge_list(
    nodes: list[object],
    tails: npt.NDArray[np.int32],
    heads: npt.NDArray[np.int32],
    attributes: list[object],
) -> list[tuple[object, object, object]]: ...
def edge_dictionaries(
    nodes: list[object],
    vertices: npt.NDArray[np.int32],
    tails: npt.NDArray[np.int32],
    heads: npt.NDArray[np.int32],
    attributes: list[object],
    directed: bool,
) -> tuple[dict[object, dict[object, object]], dict[object, dict[object, object]]]: ...
def generate_rmat(
    seed: int,
    weights: str | tuple[int, int] | None,
    dtype: DType,
    *,
    scale: int = ...,
    edge_factor: float = ...,
    a: float = ...,
    b: float = ...,
    c: float = ...,
    d: float = ...,
    noise: float = ...,
    relabel: bool = ...,
    edges: tuple[bool, bool, bool] | None = ...,
) -> tuple[Array, Array, Array]: ...
def generate_ssca2(
    seed: int,
    weights: str | tuple[int, int] | None,
    dtype: DType,
    *,
    scale: int = ...,
    max_clique_size: int = ...,
    inter_clique_probability: float = ...,
    decay: float = ...,
    relabel: bool = ...,
    edges: tuple[bool, bool, bool] | None = ...,
) -> tuple[Array, Array, Array]: ...
def generate_grid(
    seed: int,
    weights: str | tuple[int, int] | None,
    dtype: DType,
    *,
    rows: int = ...,
    cols: int = ...,
    removed: float = ...,
) -> tuple[Array, Array, Array]: ...
def random_points(
    points: Array,
    labels: npt.NDArray[np.int32],
    seed: int,
    *,
    dist: str = ...,
    n_blobs: int = ...,
    spread: float = ...,
) -> None: ...
def sort_rows(
    graph: Graph, dtype: DType, heaviest_first: bool, device: str
) -> tuple[Array, Array, Array]: ...
def has_sorted_rows(graph: Graph, dtype: DType, heaviest_first: bool) -> bool: ...
def has_ascending_heads(graph: Graph) -> bool: ...
def vertex_order(graph: Graph, strategy: str) -> npt.NDArray[np.int32]: ...
def inverse_order(order: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]: ...
def permute(
    graph: Graph, dtype: DType, order: npt.NDArray[np.int32]
) -> tuple[Array, Array, Array, Array]: ...
def mean_gap_bits(graph: Graph) -> float: ...
def weight_dtypes() -> list[str]: ...
def weight_summary(graph: Graph) -> tuple[float, bool]: ...
def rank_weights(weights: Array, device: str) -> tuple[Array, int, Array]: ...
def convert_weights(
    weights: Array, dtype: DType, are_lengths: bool, ledger: Ledger
) -> tuple[Array, int, int]: ...
def convert_lengths_on(graph: Graph, dtype: DType, device: str) -> bool: ...
def unusual_weights(
    graph: Graph,
) -> tuple[tuple[int, int, int, object] | None, tuple[int, int, int, object] | None]: ...
def first_not_positive(graph: Graph) -> tuple[int, int, int, object] | None: ...
def expand_turns(
    graph: Graph,
    from_edges: npt.NDArray[np.int64],
    to_edges: npt.NDArray[np.int64],
    costs: Array,
    ledger: Ledger | None,
) -> tuple[Array, Array, Array, npt.NDArray[np.int32], npt.NDArray[np.int32]]: ...
def turns_of_corners(
    graph: Graph,
    before: npt.NDArray[np.int32],
    via: npt.NDArray[np.int32],
    after: npt.NDArray[np.int32],
    costs: Array,
    ledger: Ledger,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
def plan(
    algorithm: str,
    graph: Graph | None,
    form: Graph | None,
    known: dict[str, Any],
    dtype: DType,
    wanted: str,
    named: Sequence[str],
    gpu: object,
    gpus: object,
    ledger: Ledger,
    request: dict[str, Any],
) -> Plan: ...
def plan_for(
    algorithm: str,
    facts: dict[str, Any],
    dtype: DType,
    machine: dict[str, Any],
    wanted: str,
    named: Sequence[str],
    request: dict[str, Any],
) -> Plan: ...
def known_facts(graph: Graph) -> dict[str, Any]: ...
def bytes_of_searches(
    graph: Graph, request: dict[str, Any], dtype: DType, method: str, device: str
) -> int: ...
def levels_of(graph: Graph) -> float: ...
def remember(graph: Graph, plan: Plan, seconds: float) -> None: ...
def set_learning(is_on: bool) -> None: ...
def is_learning() -> bool: ...
def set_scales(cores: float, gpu: float) -> None: ...
def scales() -> tuple[float, float]: ...
def depth_from_hub(graph: Graph) -> tuple[int, bool]: ...
def is_short(function: str, n_vertices: int, n_arcs: int, n_sources: int = ...) -> bool: ...
def entries_worth(kind: str, is_converted: bool) -> int: ...
def entries_a_node() -> tuple[int, int]: ...
def sources_at_a_time(n_vertices: int) -> int: ...
def threads_to_filter(n_bytes: int) -> int: ...
def queries_at_a_time(n_points: int) -> int: ...
def rows_of_trees(n_wanted: int, n_columns: int, dtype: DType, ledger: Ledger) -> int: ...
def rows_to_place(
    n_new: int, n_neighbours: int, dimension: int, n_clusters: int, ledger: Ledger
) -> int: ...
def require_tree(n_points: int, dimension: int, ledger: Ledger) -> None: ...
def bytes_of_task(task: str) -> tuple[int, int]: ...
def edges_at_a_time(
    task: str, limit: int, n_vertices: int = ..., arcs_an_edge: int = ...
) -> int: ...
def arcs_of_a_part(task: str, name: str, limit: int, n_vertices: int, range: int) -> int: ...
def hold_all_scores(limit: int, n_vertices: int) -> bool: ...
def forests_at_a_time(n_wanted: int, limit: int, n_vertices: int) -> int: ...
def require_whole_graph(limit: int, n_vertices: int, bytes_of_edges: int) -> None: ...
def compressed_handle(graph: Graph, indptr: Array, block_bits: int) -> CompressedHandle: ...
def recover_trees(
    graph: Graph,
    distances: object,
    predecessors: npt.NDArray[np.int32],
    sources: npt.NDArray[np.int32],
    unweighted: bool,
    device: str,
    *,
    sums: str = ...,
    negative_weights: bool = ...,
    ledger: Ledger | None = ...,
) -> None: ...
def prefer_direct_arcs(
    graph: Graph,
    distances: object,
    predecessors: npt.NDArray[np.int32],
    sources: npt.NDArray[np.int32],
    unweighted: bool,
    missing: int,
) -> None: ...
def runtime_context(devices: Sequence[str]) -> RuntimeContext: ...
def runtime_worklist(
    context: RuntimeContext, inboxes: Sequence[RuntimeLink], first_threshold: int, step: int
) -> RuntimeWorklist: ...
def share_memory(devices: Sequence[str]) -> bool: ...
def team_step_times(record: bool) -> list[tuple[str, int, float]]: ...
def apsp(
    graph: Graph,
    distances: object,
    predecessors: npt.NDArray[np.int32],
    fresh: bool,
    unweighted: bool,
    device: str,
    progress: Callable[[int, int], object] | None,
    *,
    method: str = ...,
    negative_weights: bool = ...,
    ledger: Ledger | None = ...,
) -> bool: ...
def apsp_on_several(
    graph: Graph,
    distances: object,
    fresh: bool,
    unweighted: bool,
    devices: Sequence[str],
    progress: Callable[[int, int], object] | None,
    *,
    negative_weights: bool = ...,
    ledger: Ledger | None = ...,
) -> bool: ...
def betweenness(
    graph: Graph,
    dtype: DType,
    unweighted: bool,
    sources: npt.NDArray[np.int32],
    targets: npt.NDArray[np.int32],
    limit: object,
    scores: npt.NDArray[np.float64],
    devices: Sequence[str],
    progress: Callable[[int, int], object] | None,
    *,
    is_sample: bool = ...,
    directed: bool = ...,
    endpoints: bool = ...,
    normalized: bool = ...,
    ledger: Ledger | None = ...,
) -> None: ...
def sample_vertices(n: int, k: int, seed: int) -> npt.NDArray[np.int32]: ...
def edge_betweenness(
    graph: Graph,
    entries: Graph,
    dtype: DType,
    unweighted: bool,
    sources: npt.NDArray[np.int32],
    targets: npt.NDArray[np.int32],
    limit: object,
    scores: npt.NDArray[np.float64],
    devices: Sequence[str],
    progress: Callable[[int, int], object] | None,
    *,
    is_sample: bool = ...,
    directed: bool = ...,
    normalized: bool = ...,
    ledger: Ledger | None = ...,
) -> None: ...
def bfs(
    graph: Graph,
    transposed: Graph | None,
    hops: object,
    predecessors: npt.NDArray[np.int32],
    targets: npt.NDArray[np.int32],
    devices: Sequence[str],
    progress: Callable[[int, int], object] | None,
    *,
    source: int = ...,
    limit: int = ...,
    mirrored: bool = ...,
    by_levels: bool = ...,
    ascending_heads: bool = ...,
    ledger: Ledger | None = ...,
) -> None: ...
def lengths_to_hops(rows: list[Array]) -> None: ...
def bfs_reference(
    graph: Graph,
    hops: npt.NDArray[np.int32],
    predecessors: npt.NDArray[np.int32],
    targets: npt.NDArray[np.int32],
    *,
    source: int = ...,
    limit: int = ...,
) -> None: ...
def maximum_bipartite_matching(
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    column_of: npt.NDArray[np.int32],
    row_of: npt.NDArray[np.int32],
    *,
    ledger: Ledger | None = ...,
) -> None: ...
def bottleneck_edges(
    n_vertices: int,
    ends: npt.NDArray[np.int32],
    weights: Array,
    sources: npt.NDArray[np.int32],
    targets: npt.NDArray[np.int32],
    edges: npt.NDArray[np.int64],
    *,
    maximum: bool = ...,
    ledger: Ledger | None = ...,
) -> None: ...
def communities(
    graph: Graph,
    dtype: DType,
    unweighted: bool,
    labels: npt.NDArray[np.int32],
    progress: Callable[[int, int], object] | None,
    *,
    quality: str = ...,
    resolution: float = ...,
    method: str = ...,
    n_iterations: int = ...,
    seed: int = ...,
    ledger: Ledger | None = ...,
) -> tuple[int, float]: ...
def connected_components(
    graph: Graph, mirrored: bool, labels: object, devices: Sequence[str], ledger: Ledger | None
) -> int: ...
def connected_components_reference(graph: Graph, labels: npt.NDArray[np.int32]) -> int: ...
def strong_components(graph: Graph, labels: object, device: str, ledger: Ledger | None) -> int: ...
def strong_components_by_search(
    graph: Graph, labels: npt.NDArray[np.int32], last_arc_first: bool, ledger: Ledger | None
) -> int: ...
def strong_components_reference(graph: Graph, labels: npt.NDArray[np.int32]) -> int: ...
def core_numbers(
    graph: Graph,
    cores: npt.NDArray[np.int32],
    progress: Callable[[int, int], object] | None,
    *,
    ledger: Ledger | None = ...,
) -> None: ...
def dense_mst(
    distances: Array,
    min_samples: int,
    alpha: float,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
) -> tuple[Array, Array]: ...
def dense_core_distances(
    distances: Array, min_samples: int, progress: Callable[[int, int], object] | None
) -> Array: ...
def emst(
    points: Array,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    min_samples: int = ...,
    alpha: float = ...,
) -> tuple[Array, Array]: ...
def emst_reference(
    points: Array, *, min_samples: int = ..., alpha: float = ...
) -> tuple[Array, Array]: ...
def emst_on_device(
    points: object,
    edges: object,
    weights: object,
    exponent: int,
    device: str,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    min_samples: int = ...,
    alpha: float = ...,
) -> None: ...
def new_point_edges(
    points: Array, tree: npt.NDArray[np.int32], linkage: npt.NDArray[np.float64]
) -> tuple[Array, Array]: ...
def lazy_emst(
    points: object,
    exponent: int,
    device: str,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    min_samples: int = ...,
    alpha: float = ...,
) -> Any: ...
def condense(
    linkage: npt.NDArray[np.float64], min_cluster_size: int, persistence: float
) -> tuple[Array, Array, Array, Array, Array, Array, Array]: ...
def select_clusters(
    tree: tuple[Array, Array, Array, Array, Array, Array, Array],
    *,
    method: str = ...,
    allow_single_cluster: bool = ...,
    max_cluster_size: int = ...,
    epsilon: float = ...,
    epsilon_max: float = ...,
) -> tuple[Array, Array, Array, Array]: ...
def sweep_cluster_sizes(
    linkage: npt.NDArray[np.float64],
    min_cluster_sizes: npt.NDArray[np.int32],
    persistence: float,
    labels: npt.NDArray[np.int32],
    probabilities: npt.NDArray[np.float64],
    progress: Callable[[int, int], object] | None,
    *,
    method: str = ...,
    allow_single_cluster: bool = ...,
    max_cluster_size: int = ...,
    epsilon: float = ...,
    epsilon_max: float = ...,
) -> npt.NDArray[np.int32]: ...
def outlier_scores(
    tree: tuple[Array, Array, Array, Array, Array, Array, Array], scores: npt.NDArray[np.float64]
) -> None: ...
def exemplars(
    tree: tuple[Array, Array, Array, Array, Array, Array, Array], selected: npt.NDArray[np.int32]
) -> tuple[Array, Array]: ...
def centroids(
    points: Array, labels: npt.NDArray[np.int32], weights: npt.NDArray[np.float64], n_clusters: int
) -> Array: ...
def medoids(
    points: Array, labels: npt.NDArray[np.int32], weights: npt.NDArray[np.float64], n_clusters: int
) -> npt.NDArray[np.int32]: ...
def predict_clusters(
    tree: tuple[Array, Array, Array, Array, Array, Array, Array],
    selected: npt.NDArray[np.int32],
    epsilon: float,
    found: tuple[Array, Array, Array, Array],
    labels: npt.NDArray[np.int32],
    probabilities: npt.NDArray[np.float64],
) -> None: ...
def outlier_scores_of_new(
    tree: tuple[Array, Array, Array, Array, Array, Array, Array],
    found: tuple[Array, Array, Array, Array],
    scores: npt.NDArray[np.float64],
) -> None: ...
def memberships(
    tree: tuple[Array, Array, Array, Array, Array, Array, Array],
    selected: npt.NDArray[np.int32],
    found: object,
    points: Array,
    exemplars: Array,
    begin: npt.NDArray[np.int64],
    memberships: npt.NDArray[np.float64],
    progress: Callable[[int, int], object] | None,
) -> None: ...
def condense_on_device(
    linkage: object,
    min_cluster_size: int,
    points: tuple[object, object],
    device: str,
    ledger: Ledger | None,
) -> tuple[tuple[Array, Array, Array, Array, Array], float]: ...
def select_clusters_on_device(
    clusters: tuple[Array, Array, Array, Array, Array],
    least_lambda: float,
    points: tuple[object, object],
    labels: object,
    probabilities: object,
    device: str,
    *,
    method: str = ...,
    allow_single_cluster: bool = ...,
    max_cluster_size: int = ...,
    epsilon: float = ...,
    epsilon_max: float = ...,
) -> tuple[Array, Array]: ...
def build_hierarchy(
    graph: Graph,
    dtype: DType,
    unweighted: bool,
    progress: Callable[[int, int], object] | None,
    *,
    symmetric: bool = ...,
    core_vertices: int = ...,
    ledger: Ledger | None = ...,
) -> HierarchyHandle: ...
def hierarchy_arrays(hierarchy: HierarchyHandle) -> dict[str, Any]: ...
def restore_hierarchy(arrays: dict[str, Any]) -> HierarchyHandle: ...
def find_hierarchy_structure(
    graph: Graph,
    order: npt.NDArray[np.int32] | None,
    progress: Callable[[int, int], object] | None,
    *,
    ledger: Ledger | None = ...,
) -> HierarchyStructure: ...
def customize_hierarchy(
    structure: HierarchyStructure,
    graph: Graph,
    dtype: DType,
    device: str,
    progress: Callable[[int, int], object] | None,
    *,
    undirected: bool = ...,
    ledger: Ledger | None = ...,
) -> HierarchyHandle: ...
def path_in_hierarchy(
    hierarchy: HierarchyHandle,
    graph: Graph,
    transposed: Graph,
    source: int,
    target: int,
    dtype: DType,
    unweighted: bool,
    *,
    ledger: Ledger | None = ...,
) -> tuple[object, npt.NDArray[np.int32]] | None: ...
def paths_in_hierarchy(
    hierarchy: HierarchyHandle,
    graph: Graph,
    transposed: Graph,
    sources: npt.NDArray[np.int32],
    targets: npt.NDArray[np.int32],
    dtype: DType,
    unweighted: bool,
    wants_vertices: bool,
    progress: Callable[[int, int], object] | None,
    *,
    ledger: Ledger | None = ...,
) -> tuple[Array, npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
def sweep(
    hierarchy: HierarchyHandle,
    sources: npt.NDArray[np.int32],
    targets: npt.NDArray[np.int32] | None,
    distances: object,
    limit: object,
    devices: Sequence[str],
    progress: Callable[[int, int], object] | None,
    *,
    ledger: Ledger | None = ...,
) -> None: ...
def k_shortest_paths(
    graph: Graph,
    transposed: Graph,
    to_target: Array,
    unweighted: bool,
    progress: Callable[[int, int], object] | None,
    *,
    source: int = ...,
    target: int = ...,
    k: int = ...,
    ledger: Ledger | None = ...,
) -> tuple[Array, npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
def small_k_shortest_paths(
    matrix: object, source: object, target: object, k: object, directed: bool, unweighted: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int32]] | None: ...
def kmeans(
    points: object,
    weights: object,
    start: Array,
    device: str,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    max_iterations: int = ...,
    tolerance: float = ...,
) -> tuple[Array, Array, float, int, int]: ...
def nearest_centres(
    points: object, weights: object, centres: Array, labels: npt.NDArray[np.int32], device: str
) -> float: ...
def farthest_points(
    points: object, weights: object, k: int, device: str
) -> npt.NDArray[np.int32]: ...
def plus_plus_points(
    points: object,
    weights: object,
    k: int,
    uniforms: npt.NDArray[np.float64],
    device: str,
    ledger: Ledger | None,
) -> npt.NDArray[np.int32]: ...
def knn(
    points: object,
    neighbours: object,
    distances: object,
    farthest: object,
    device: str,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    n_neighbors: int = ...,
    include_self: bool = ...,
    by_products: bool = ...,
) -> None: ...
def knn_reference(
    points: Array,
    neighbours: object,
    distances: object,
    farthest: object,
    *,
    n_neighbors: int = ...,
    include_self: bool = ...,
) -> None: ...
def graph_core_distances(graph: Graph, dtype: DType, min_samples: int) -> Array: ...
def mutual_reachability_weights(
    graph: Graph, cores: Array, divisor: float, weights: Array
) -> int: ...
def many_to_many(
    graph: Graph,
    transposed: Graph | None,
    sources: npt.NDArray[np.int32],
    targets: npt.NDArray[np.int32],
    distances: object,
    predecessors: npt.NDArray[np.int32],
    limit: object,
    unweighted: bool,
    potentials: Array,
    devices: Sequence[str],
    ways: Sequence[tuple[str, bool, int, float, float]],
    progress: Callable[[int, int], object] | None,
    *,
    method: str = ...,
    mirrored: bool = ...,
    ledger: Ledger | None = ...,
) -> None: ...
def nearest_by_metric(
    points: object,
    queries: object,
    metric: str,
    p: float,
    n_coordinates: int,
    in_boxes: bool,
    neighbours: object,
    distances: object,
    farthest: object,
    device: str,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    n_neighbors: int = ...,
    include_self: bool = ...,
) -> None: ...
def radius_by_metric(
    points: object,
    queries: object,
    metric: str,
    p: float,
    n_coordinates: int,
    in_boxes: bool,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    radius: float = ...,
    include_self: bool = ...,
    with_distances: bool = ...,
) -> tuple[Array, Array, Array]: ...
def mst_by_metric_on_device(
    points: object,
    metric: str,
    p: float,
    n_coordinates: int,
    edges: object,
    weights: object,
    device: str,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    min_samples: int = ...,
    alpha: float = ...,
) -> None: ...
def matrix_by_function(
    function: object,
    points: object,
    matrix: npt.NDArray[np.float64],
    progress: Callable[[int, int], object] | None,
) -> tuple[int, int]: ...
def distances_by_function(
    function: object,
    points: object,
    queries: object,
    distances: npt.NDArray[np.float64],
    progress: Callable[[int, int], object] | None,
) -> tuple[int, int]: ...
def nearest_of_rows(
    distances: Array,
    neighbours: npt.NDArray[np.int32],
    found: npt.NDArray[np.float64],
    ledger: Ledger | None,
    *,
    n_neighbors: int = ...,
) -> None: ...
def within_of_rows(
    distances: Array,
    ledger: Ledger | None,
    *,
    radius: float = ...,
    are_own: bool = ...,
    include_self: bool = ...,
    with_distances: bool = ...,
) -> tuple[Array, Array, Array]: ...
def mst_by_metric(
    points: object,
    metric: str,
    p: float,
    n_coordinates: int,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    min_samples: int = ...,
    alpha: float = ...,
) -> tuple[Array, Array]: ...
def mst_in_boxes(
    points: object,
    metric: str,
    p: float,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    min_samples: int = ...,
    alpha: float = ...,
) -> tuple[Array, Array]: ...
def nearest_of_matrix(
    distances: Array,
    neighbours: npt.NDArray[np.int32],
    found: npt.NDArray[np.float64],
    n_neighbors: int,
    include_self: bool,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
) -> tuple[int, int]: ...
def nearest_of_graph(
    graph: Graph,
    dtype: DType,
    neighbours: npt.NDArray[np.int32],
    found: npt.NDArray[np.float64],
    n_neighbors: int,
    include_self: bool,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
) -> tuple[int, int]: ...
def minimum_arborescence(
    graph: Graph,
    dtype: DType,
    progress: Callable[[int, int], object] | None,
    *,
    root: int = ...,
    ledger: Ledger | None = ...,
) -> tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int64], int]: ...
def minimum_spanning_forest(
    graph: Graph,
    dtype: DType,
    device: str,
    progress: Callable[[int, int], object] | None,
    *,
    method: str = ...,
    maximum: bool = ...,
    mirrored: bool = ...,
    sorted_rows: bool = ...,
    longest_row: int = ...,
    ledger: Ledger | None = ...,
) -> tuple[Any, ...]: ...
def minimum_spanning_forest_on_device(
    graph: Graph,
    dtype: DType,
    out: object,
    originals: npt.NDArray[np.int64],
    device: str,
    progress: Callable[[int, int], object] | None,
    *,
    method: str = ...,
    maximum: bool = ...,
    mirrored: bool = ...,
    longest_row: int = ...,
    ledger: Ledger | None = ...,
) -> int: ...
def arrange_edges(
    n_vertices: int,
    ends: npt.NDArray[np.int32],
    weights: Array,
    ids: npt.NDArray[np.int64],
    ledger: Ledger | None,
) -> tuple[Array, Array, Array, Array]: ...
def edge_rows(
    n_vertices: int, ends: npt.NDArray[np.int32], weights: Array
) -> tuple[Array, Array, Array]: ...
def shift(positions: npt.NDArray[np.int64], by: int) -> None: ...
def look_up(table: npt.NDArray[np.int64], positions: npt.NDArray[np.int64]) -> None: ...
def forest_labels(ends: npt.NDArray[np.int32], labels: npt.NDArray[np.int32]) -> None: ...
def lazy_forest_labels(edges: LazyResult, labels: npt.NDArray[np.int32]) -> bool: ...
def total_weight(weights: Array) -> Any: ...
def lazy_total_weight(weights: LazyResult) -> Any: ...
def hybrid_forest(rows: PreparedRows, device: str, ledger: Ledger | None) -> HybridForest: ...
def prepare_rows(graph: Graph, dtype: DType, maximum: bool) -> PreparedRows: ...
def rows_of_parts(graph: Graph, n_parts: int) -> npt.NDArray[np.int32]: ...
def forest_of_parts(
    graph: Graph,
    parts: Sequence[Graph],
    first_entries: Sequence[int],
    dtype: DType,
    devices: Sequence[str],
    progress: Callable[[int, int], object] | None,
    *,
    maximum: bool = ...,
    mirrored: bool = ...,
    longest_row: int = ...,
    ledger: Ledger | None = ...,
) -> tuple[Any, ...]: ...
def nearest_facilities(
    graph: Graph,
    entering: Graph,
    facilities: npt.NDArray[np.int32],
    distances: Array,
    nearest: npt.NDArray[np.int32],
    limit: object,
    unweighted: bool,
    device: str,
    progress: Callable[[int, int], object] | None,
    *,
    k: int = ...,
    ledger: Ledger | None = ...,
) -> None: ...
def nearest_of_queries(
    points: object,
    queries: object,
    neighbours: object,
    distances: object,
    device: str,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    n_neighbors: int = ...,
    by_products: bool = ...,
) -> None: ...
def radius_neighbours(
    points: object,
    queries: object,
    ledger: Ledger | None,
    progress: Callable[[int, int], object] | None,
    *,
    radius: float = ...,
    include_self: bool = ...,
    with_distances: bool = ...,
    by_products: bool = ...,
) -> tuple[Array, Array, Array]: ...
def pagerank(
    leaving: Graph,
    transposed: Graph,
    renumbered: Graph | None,
    order: npt.NDArray[np.int32] | None,
    dtype: DType,
    unweighted: bool,
    weight_sums: npt.NDArray[np.float64],
    personalization: npt.NDArray[np.float64],
    dangling: npt.NDArray[np.float64],
    start: npt.NDArray[np.float64],
    scores: object,
    devices: Sequence[str],
    progress: Callable[[int, int], object] | None,
    *,
    alpha: float = ...,
    change_bound: float = ...,
    max_sweeps: int = ...,
    symmetric: bool = ...,
    ledger: Ledger | None = ...,
) -> tuple[int, float, bool]: ...
def sum_leaving_weights(
    graph: Graph, dtype: DType, unweighted: bool, weight_sums: npt.NDArray[np.float64]
) -> tuple[bool, bool]: ...
def keep_leaving_weights(graph: Graph, dtype: DType, device: str) -> tuple[bool, bool] | None: ...
def order_for_gathers(
    transposed: Graph,
    graph: Graph,
    dtype: DType,
    weight_sums: npt.NDArray[np.float64],
    personalization: npt.NDArray[np.float64],
    dangling: npt.NDArray[np.float64],
    start: npt.NDArray[np.float64],
    n_endpoints: int,
    ledger: Ledger,
) -> tuple[Array, Array, Array, Array] | None: ...
def pagerank_push(
    graph: Graph,
    dtype: DType,
    unweighted: bool,
    weight_sums: npt.NDArray[np.float64],
    start_vertices: npt.NDArray[np.int32],
    personalization: npt.NDArray[np.float64],
    dangling_vertices: npt.NDArray[np.int32],
    dangling: npt.NDArray[np.float64],
    scores: object,
    device: str,
    progress: Callable[[int, int], object] | None,
    *,
    alpha: float = ...,
    error_bound: float = ...,
    max_rounds: int = ...,
    max_work: int = ...,
    ledger: Ledger | None = ...,
) -> tuple[int, float, bool]: ...
def predicate_filter(
    values: Array,
    low: object,
    high: object,
    out: object,
    progress: Callable[[int, int], object] | None,
    *,
    devices: Sequence[str] = ...,
    ledger: Ledger | None = ...,
) -> Array: ...
def predicate_filter_device_array(
    values: object,
    low: object,
    high: object,
    passed: object,
    place: str,
    progress: Callable[[int, int], object] | None,
    *,
    devices: Sequence[str] = ...,
    ledger: Ledger | None = ...,
) -> int: ...
def predicate_filter_reference(values: Array, low: object, high: object) -> Array: ...
def shortest_paths(
    graph: Graph,
    transposed: Graph,
    sources: npt.NDArray[np.int32],
    targets: npt.NDArray[np.int32],
    dtype: DType,
    unweighted: bool,
    wants_vertices: bool,
    progress: Callable[[int, int], object] | None,
    *,
    ledger: Ledger | None = ...,
) -> tuple[Array, npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
def least_ratio(graph: Graph, coordinates: Array, dtype: DType, unweighted: bool) -> float: ...
def landmarks(
    graph: Graph,
    transposed: Graph,
    dtype: DType,
    unweighted: bool,
    given: npt.NDArray[np.int32],
    *,
    n_chosen: int = ...,
    ledger: Ledger | None = ...,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def shortest_path(
    graph: Graph,
    transposed: Graph,
    source: int,
    target: int,
    dtype: DType,
    unweighted: bool,
    bound: tuple[Array, float] | tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None,
    *,
    ledger: Ledger | None = ...,
    max_visits: int = ...,
) -> tuple[object, npt.NDArray[np.int32], bool]: ...
def shortest_path_dag(
    graph: Graph,
    distances: Array,
    unweighted: bool,
    *,
    source: int = ...,
    both_ways: bool = ...,
    ledger: Ledger | None = ...,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
def count_shortest_paths(
    indptr: npt.NDArray[np.int64],
    tails: npt.NDArray[np.int32],
    source: int,
    counts: npt.NDArray[np.float64],
) -> None: ...
def single_linkage(
    n_vertices: int, ends: object, weights: object, linkage: object, method: str, device: str
) -> None: ...
def small_search(
    graph: Graph,
    sources: npt.NDArray[np.int32],
    distances: npt.NDArray[np.float64],
    predecessors: npt.NDArray[np.int32],
    limit: float,
    directed: bool,
    unweighted: bool,
    missing: int,
) -> None: ...
def small_search_from_nearest(
    graph: Graph,
    sources: npt.NDArray[np.int32],
    distances: npt.NDArray[np.float64],
    predecessors: npt.NDArray[np.int32],
    nearest: npt.NDArray[np.int32],
    limit: float,
    directed: bool,
    unweighted: bool,
    missing: int,
) -> None: ...
def small_floyd_warshall(
    graph: Graph,
    distances: npt.NDArray[np.float64],
    predecessors: npt.NDArray[np.int32],
    directed: bool,
    unweighted: bool,
    missing: int,
) -> None: ...
def small_spanning_forest(graph: Graph) -> npt.NDArray[np.int64]: ...
def sssp(
    graph: Graph,
    sources: npt.NDArray[np.int32],
    distances: object,
    predecessors: npt.NDArray[np.int32],
    limit: object,
    targets: npt.NDArray[np.int32],
    unweighted: bool,
    devices: Sequence[str],
    progress: Callable[[int, int], object] | None,
    *,
    method: str = ...,
    negative_weights: bool = ...,
    symmetric: bool = ...,
    ledger: Ledger | None = ...,
) -> None: ...
def reconstruct_paths(
    predecessors: npt.NDArray[np.int32], source: int, targets: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
def nearest_sources(
    predecessors: npt.NDArray[np.int32],
    sources: npt.NDArray[np.int32],
    nearest: npt.NDArray[np.int32],
) -> None: ...
def steiner_tree(
    graph: Graph,
    undirected: Graph,
    terminals: npt.NDArray[np.int32],
    dtype: DType,
    progress: Callable[[int, int], object] | None,
    *,
    delta_stepping: bool = ...,
    mirrored: bool = ...,
    ledger: Ledger | None = ...,
) -> tuple[npt.NDArray[np.int64], int]: ...
def breadth_first_order(
    graph: Graph,
    order: npt.NDArray[np.int32],
    predecessors: npt.NDArray[np.int32],
    progress: Callable[[int, int], object] | None,
    *,
    source: int = ...,
    directed: bool = ...,
    missing: int = ...,
    ledger: Ledger | None = ...,
) -> int: ...
def depth_first_order(
    graph: Graph,
    order: npt.NDArray[np.int32],
    predecessors: npt.NDArray[np.int32],
    progress: Callable[[int, int], object] | None,
    *,
    source: int = ...,
    directed: bool = ...,
    missing: int = ...,
    ledger: Ledger | None = ...,
) -> int: ...
def small_breadth_first_order(
    matrix: object, start: object, missing: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None: ...
def small_depth_first_order(
    matrix: object, start: object, missing: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None: ...
def triangles(
    graph: Graph,
    triangles: npt.NDArray[np.int64],
    degrees: npt.NDArray[np.int32],
    progress: Callable[[int, int], object] | None,
    *,
    ledger: Ledger | None = ...,
) -> None: ...
def truss_numbers(
    graph: Graph, progress: Callable[[int, int], object] | None, *, ledger: Ledger | None = ...
) -> tuple[Array, Array, Array]: ...
def validity_of_points(
    points: object,
    metric: str,
    p: float,
    n_coordinates: int,
    labels: npt.NDArray[np.int32],
    progress: Callable[[int, int], object] | None,
    *,
    exponent: float = ...,
    ledger: Ledger | None = ...,
) -> tuple[Array, Array, Array]: ...
def validity_of_matrix(
    distances: Array,
    labels: npt.NDArray[np.int32],
    progress: Callable[[int, int], object] | None,
    *,
    exponent: float = ...,
    ledger: Ledger | None = ...,
) -> tuple[Array, Array, Array]: ...
def within(
    graph: Graph,
    sources: npt.NDArray[np.int32],
    limit: object,
    dtype: DType,
    unweighted: bool,
    devices: Sequence[str],
    progress: Callable[[int, int], object] | None,
    *,
    ledger: Ledger | None = ...,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Array]: ...
def within_reference(
    graph: Graph, sources: npt.NDArray[np.int32], limit: object, dtype: DType, unweighted: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Array]: ...
def sums_within(
    graph: Graph,
    sources: npt.NDArray[np.int32],
    limits: Array,
    summands: npt.NDArray[np.float64],
    sums: npt.NDArray[np.float64],
    unweighted: bool,
    devices: Sequence[str],
    progress: Callable[[int, int], object] | None,
    *,
    ledger: Ledger | None = ...,
) -> None: ...
def worklist_paths(graph: Graph, source: int, distances: Array, devices: Sequence[str]) -> None: ...
