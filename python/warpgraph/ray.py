"""The functions of `warpgraph.distributed` on a cluster of Ray.

    import warpgraph.ray as wgr
    edges = wgr.graph(dataset)  # a Ray Dataset, a folder of Parquet files, object references
    labels = wgr.connected_components(edges).collection()  # a Ray Dataset

Ray is imported when an engine is made: ``pip install 'warpgraph[ray]'``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from warpgraph import distributed
from warpgraph._arguments import device as _device, validate
from warpgraph._tables import columns as _columns
from warpgraph.distributed import (
    PartitionedGraph,
    bfs,
    cluster_labels,
    connected_components,
    degrees,
    many_to_many,
    minimum_spanning_forest,
    pagerank,
    single_linkage,
    sssp,
    statistics,
)
from warpgraph.distributed._engine import Collection, Handle, run_task

__all__ = [
    "RayEngine",
    "bfs",
    "cluster_labels",
    "connected_components",
    "degrees",
    "graph",
    "many_to_many",
    "minimum_spanning_forest",
    "pagerank",
    "single_linkage",
    "sssp",
    "statistics",
]


def __dir__() -> list[str]:
    return sorted(__all__)


#: Beginning of the names of cancelled tasks in the cluster's table, which all workers read.
_CANCELLED = b"warpgraph-cancelled"
#: Seconds in which a process does not look up names again, as that takes longer than a short task.
_BETWEEN_LOOKS = 0.05
_looked_up = -math.inf


class RayEngine:
    """Workers of the Ray cluster that this process is connected to.

    Parameters
    ----------
    cpus_a_task : int
        CPUs that a task reserves, and its number of threads.
    gpus_a_task : float
        GPUs that a task reserves for devices "auto" and "cuda", or a part of one; with 0, none.
    memory_limit : int, float or str, optional
        Bytes that a task may take, or a size such as "2GB". A task reserves them. By default, the
        cluster's memory divided by the number of tasks that run at a time.
    max_retries : int
        How often a task runs again when its worker died.

    Attributes
    ----------
    slots : int
        Number of tasks that run at a time.
    memory_limit : int
        Bytes that one task may take.

    Notes
    -----
    Results are in Ray's object store: tasks on one host share one copy, and Ray spills them to
    disk. A task whose worker died runs again, and so do tasks whose results were lost with a host.

    Examples
    --------
    >>> import warpgraph.ray as wgr
    >>> engine = wgr.RayEngine(cpus_a_task=4)  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        cpus_a_task: int = 1,
        gpus_a_task: float = 0,
        memory_limit: validate.MemoryLimitLike = None,
        max_retries: int = 3,
    ) -> None:
        self._ray = _connected()
        cpus = validate.positive(cpus_a_task, "cpus_a_task")
        resources = self._ray.cluster_resources()
        self.slots = int(resources.get("CPU", 0) // cpus)
        if self.slots < 1:
            raise ValueError(
                f"cpus_a_task={cpus}, but the Ray cluster has {resources.get('CPU', 0):.0f} CPUs"
            )
        given = validate.memory_limit(memory_limit)
        self.memory_limit = given or int(resources.get("memory", 0) / self.slots)
        self._threads = cpus
        self._options: dict[str, Any] = {"num_cpus": cpus, "num_gpus": gpus_a_task}
        self._options["max_retries"] = max_retries
        if given:
            self._options["memory"] = given
        self._run = self._ray.remote(_run_unless_cancelled)
        self._call = run_task if gpus_a_task else _run_without_gpu

    def submit(
        self, function: Callable[..., Any], *arguments: Any, pieces: int = 1, place: str = ""
    ) -> Handle:
        """Start a task."""
        name = function.__name__.strip("_")
        options = dict(self._options)
        if place:
            options["scheduling_strategy"] = self._near(place)
        task = self._run.options(name=name, num_returns=pieces, **options)
        return task.remote(pieces, self._call, self._threads, function, *arguments)

    def _near(self, place: str) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        return NodeAffinitySchedulingStrategy(place, soft=True)

    def wait(self, handles: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return (finished, others) as soon as one has finished.

        The error of a task is raised when its result, or one that was made of it, is gathered.
        """
        done, others = self._ray.wait(list(handles), num_returns=1, fetch_local=False)
        return done, others

    def place(self, handle: Handle) -> str:
        """Return a node that has the result; small results are with their owner, all together."""
        known = self._ray.experimental.get_object_locations([handle]).get(handle, {})
        return next(iter(known.get("node_ids", ())), "")

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        """Return the results."""
        found: list[Any] = self._ray.get(list(handles))
        return found

    def cancel(self, handles: Sequence[Any]) -> None:
        """Do not start these tasks; one that runs ends, and its result is dropped.

        Each task looks whether its name was noted when it starts. `ray.cancel` would end this
        process if a task starts or ends at the same time (ray-project/ray#54846). A note of a task
        that had started stays, some bytes.
        """
        if not handles:
            return
        _, others = self._ray.wait(
            list(handles), num_returns=len(handles), timeout=0, fetch_local=False
        )
        names = self._ray.experimental.internal_kv
        for task in {handle.task_id().hex() for handle in others}:
            names._internal_kv_put(task.encode(), b"", namespace=_CANCELLED)

    def collection(self, handles: Sequence[Any], dtypes: dict[str, Any]) -> Collection:
        """Return a Ray Dataset with a block for each handle."""
        import ray.data

        return ray.data.from_arrow_refs([self.submit(_arrow_table, handle) for handle in handles])


def graph(
    edges: Collection,
    *,
    engine: RayEngine | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = "auto",
    direction: str | None = "auto",
    n_vertices: int | None = None,
    n_blocks: int | None = None,
) -> PartitionedGraph:
    """Make a graph of edges that the workers of a Ray cluster read.

    Parameters
    ----------
    edges : ray.data.Dataset, path or list
        Each block of the data set is a block of edges. A path or a list (of object references, too)
        as for `warpgraph.distributed.graph`.
    engine : RayEngine, optional
        How tasks run; by default, ``RayEngine()``.
    source, target, weight, direction, n_vertices, n_blocks
        As for `warpgraph.distributed.graph`.

    Returns
    -------
    PartitionedGraph
        The graph. The blocks of a data set are computed once and stay in Ray's object store.

    Examples
    --------
    >>> import warpgraph.ray as wgr
    >>> edges = wgr.graph("edges/", weight="length")  # doctest: +SKIP
    >>> forest = wgr.minimum_spanning_forest(edges)  # doctest: +SKIP
    """
    engine = RayEngine() if engine is None else engine
    if hasattr(edges, "to_arrow_refs"):
        labels = edges.columns() or []
        chosen = _columns.chosen_of(labels, source, target, weight, direction)
        source, target, weight, _ = chosen
        wanted = [name for name in chosen if name is not None]
        edges = _blocks_in_order(edges.select_columns(wanted))
    return distributed.graph(
        edges,
        engine,
        source=source,
        target=target,
        weight=weight,
        direction=direction,
        n_vertices=n_vertices,
        n_blocks=n_blocks,
    )


def _connected() -> Any:
    try:
        import ray
    except ImportError:
        raise ImportError(
            "warpgraph.ray needs Ray, which is not installed: pip install 'warpgraph[ray]'"
        ) from None
    if not ray.is_initialized():
        raise ValueError("this process is not connected to a Ray cluster; call ray.init() first")
    return ray


def _blocks_in_order(dataset: Any) -> list[Any]:
    """Return the blocks of a data set in its order, which Ray does not keep by default."""
    import ray.data

    context = getattr(dataset, "context", None) or ray.data.DataContext.get_current()
    options = context.execution_options
    before, options.preserve_order = options.preserve_order, True
    try:
        return list(dataset.to_arrow_refs())
    finally:
        options.preserve_order = before


def _run_unless_cancelled(
    pieces: int, call: Callable[..., Any], threads: int, function: Callable[..., Any], *given: Any
) -> Any:
    """Run a task, unless it or one that it needs was cancelled; nobody waits for its result."""
    if any(isinstance(argument, _Cancelled) for argument in given) or _is_cancelled():
        return _Cancelled() if pieces == 1 else [_Cancelled()] * pieces
    return call(threads, function, *given)


class _Cancelled:
    """The result of a cancelled task."""


def _is_cancelled() -> bool:
    """Return whether the name of this task was noted, as far as that was not just looked up."""
    import ray
    from ray.experimental import internal_kv

    global _looked_up
    if time.monotonic() - _looked_up < _BETWEEN_LOOKS:
        return False
    name = ray.get_runtime_context().get_task_id().encode()
    if internal_kv._internal_kv_exists(name, namespace=_CANCELLED):
        internal_kv._internal_kv_del(name, namespace=_CANCELLED)
        _looked_up = -math.inf  # the next one is likely to be cancelled, too
        return True
    _looked_up = time.monotonic()
    return False


def _run_without_gpu(threads: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Run a task that reserves no GPU; Ray may show it all of the host."""
    return run_task(threads, _on_cores, function, *arguments)


def _on_cores(function: Callable[..., Any], *arguments: Any) -> Any:
    with _device.gpus_chosen_by(lambda count: None):
        return function(*arguments)


def _arrow_table(columns: dict[str, Any]) -> Any:
    import pyarrow

    return pyarrow.table(columns)
