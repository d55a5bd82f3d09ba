"""The functions of `warpgraph.distributed` on a cluster of Dask.

    import warpgraph.dask as wgd
    edges = wgd.graph(frame)  # a Dask DataFrame, a Bag, a folder of Parquet files, futures
    labels = wgd.connected_components(edges).collection()  # a Dask DataFrame

Dask is imported when an engine is made: ``pip install 'warpgraph[dask]'``.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from warpgraph import distributed
from warpgraph._tables import columns
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

#: Dask's client; type checkers do not see its package, which is optional.
Client = Any

__all__ = [
    "DaskEngine",
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


#: The part of what a worker's limit leaves that its tasks may take. Dask writes results to disk
#: from 0.6 of the limit, and starts no task from 0.8; the rest is for results.
_PART_FOR_TASKS = 0.6
#: Bytes of modules that the first tasks import.
_FOR_MODULES = 100 << 20


class DaskEngine:
    """Workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; by default the client that was made last.
    threads : int, optional
        Threads of each task; by default, the cores of a worker's host divided by the tasks that
        run there at a time.

    Attributes
    ----------
    slots : int
        Number of tasks that run at a time: the threads of all workers.
    memory_limit : int
        Bytes that one task may take: 0.6 of what a worker's limit leaves now, divided by its
        threads; 0 if the workers have no limit.

    Notes
    -----
    A task that was running on a worker that died runs again on another, and so do the tasks whose
    results it kept, as far as they are still needed: Dask does both. Results are spilled to disk
    by Dask. Tasks are named after their functions in its dashboard.

    Examples
    --------
    >>> import warpgraph.dask as wgd
    >>> from dask.distributed import Client  # doctest: +SKIP
    >>> engine = wgd.DaskEngine(Client("scheduler:8786"))  # doctest: +SKIP
    """

    def __init__(self, client: Client | None = None, *, threads: int | None = None) -> None:
        self.client = _client(client)
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        if not workers:
            raise ValueError("the Dask cluster has no workers; start some, or wait for them")
        self.slots = sum(worker["nthreads"] for worker in workers.values())
        self.memory_limit = min(map(_free_for_a_task, workers.values()))
        self._threads = threads or self._threads_of_a_task(workers)

    def _threads_of_a_task(self, workers: dict[str, Any]) -> int:
        cores = self.client.run(os.cpu_count)
        tasks: dict[str, int] = {}
        for worker in workers.values():
            tasks[worker["host"]] = tasks.get(worker["host"], 0) + worker["nthreads"]
        free: list[int] = [cores[address] // tasks[w["host"]] for address, w in workers.items()]
        return max(1, min(free))

    def submit(
        self, function: Callable[..., Any], *arguments: Any, pieces: int = 1, place: str = ""
    ) -> Handle:
        """Start a task; arguments may be futures or delayed values."""
        import dask

        key = f"{function.__name__.strip('_')}-{uuid.uuid4().hex}"
        given = (run_task, self._threads, function, *arguments)
        if any(dask.is_dask_collection(argument) for argument in arguments):
            task = dask.delayed(given[0], pure=False)(*given[1:], dask_key_name=key)
            whole = self.client.compute(task)
        else:
            # A task whose data is elsewhere, too, runs where it was sent, even behind others.
            wanted = {"workers": [place], "allow_other_workers": True} if place else {}
            whole = self.client.submit(*given, key=key, priority=bool(place), **wanted)
        if pieces == 1:
            return whole
        return [
            self.client.submit(_item, whole, i, key=f"item-{key}-{i}", priority=1)
            for i in range(pieces)
        ]

    def wait(self, handles: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return (finished, others) as soon as one has finished; raise the error of one."""
        import distributed as engine

        done, others = engine.wait(list(handles), return_when="FIRST_COMPLETED")
        for future in done:
            if future.status != "finished":
                future.result()
        return list(done), list(others)

    def place(self, handle: Handle) -> str:
        """Return the address of a worker that has the result."""
        return next(iter(self.client.who_has([handle]).get(handle.key, ())), "")

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        """Return the results."""
        found: list[Any] = self.client.gather(list(handles))
        return found

    def cancel(self, handles: Sequence[Any]) -> None:
        """Do not start these tasks; one that runs ends, and its result is dropped."""
        for future in handles:  # Dask forgets tasks that no future refers to
            future.release()

    def collection(self, handles: Sequence[Any], dtypes: dict[str, Any]) -> Collection:
        """Return a Dask DataFrame with a partition for each handle."""
        import dask.dataframe
        import pandas

        frames = [self.client.submit(pandas.DataFrame, handle, pure=False) for handle in handles]
        meta = pandas.DataFrame({name: pandas.Series(dtype=k) for name, k in dtypes.items()})
        return dask.dataframe.from_delayed(frames, meta=meta, verify_meta=False)


def graph(
    edges: Collection,
    *,
    client: Client | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = "auto",
    direction: str | None = "auto",
    n_vertices: int | None = None,
    n_blocks: int | None = None,
) -> PartitionedGraph:
    """Make a graph of edges that the workers of a Dask cluster read.

    Parameters
    ----------
    edges : dask.dataframe.DataFrame, dask.bag.Bag, path or list
        Each partition is a block of edges; items of a bag are tuples (tail, head, weight), or
        (tail, head) with ``weight=None``. A path or a list (of futures, too) as for
        `warpgraph.distributed.graph`.
    client : distributed.Client or DaskEngine, optional
        The cluster; by default the client that was made last.
    source, target, weight, direction, n_vertices, n_blocks
        As for `warpgraph.distributed.graph`.

    Returns
    -------
    PartitionedGraph
        The graph. A partition of a DataFrame or bag is computed whenever a function reads it, and
        dropped thereafter: ``persist()`` it first where that takes longer than reading it again.

    Examples
    --------
    >>> import warpgraph.dask as wgd
    >>> edges = wgd.graph("edges/", weight="length")  # doctest: +SKIP
    >>> forest = wgd.minimum_spanning_forest(edges)  # doctest: +SKIP
    """
    engine = client if isinstance(client, DaskEngine) else DaskEngine(client)
    if hasattr(edges, "to_delayed"):
        if hasattr(edges, "columns"):
            labels = list(edges.columns)
            chosen = columns.chosen_of(labels, source, target, weight, direction)
            source, target, weight, _ = chosen
            wanted = [name for name in chosen if name is not None]
            _check_columns(labels, wanted)
            edges = edges[wanted]
        edges = list(edges.to_delayed())
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


def _free_for_a_task(worker: dict[str, Any]) -> int:
    """Return the bytes that a task of a worker may take, 0 if the worker has no limit."""
    if not worker["memory_limit"]:
        return 0
    taken: int = min(worker["metrics"].get("memory", 0), worker["memory_limit"] // 2) + _FOR_MODULES
    left = worker["memory_limit"] - taken
    tasks: int = worker["nthreads"]
    return max(1, int(_PART_FOR_TASKS * left) // tasks)


def _check_columns(known: list[Any], wanted: list[Any]) -> None:
    absent = [name for name in wanted if name not in known]
    if absent:
        raise ValueError(
            f"the DataFrame has no column {absent[0]!r}, but {known}; name the columns by "
            "source=, target= and weight= (None: all edges weigh 1)"
        )


def _client(client: Any) -> Any:
    try:
        import distributed as engine
    except ImportError:
        raise ImportError(
            "warpgraph.dask needs Dask, which is not installed: pip install 'warpgraph[dask]'"
        ) from None
    if client is None:
        return engine.default_client()
    if not isinstance(client, engine.Client):
        raise TypeError(f"client must be a distributed.Client, got {type(client).__name__}")
    return client


def _item(items: Sequence[Any], i: int) -> Any:
    return items[i]
