"""The forest of a folder of Parquet files on three workers of Dask or Ray on this machine.

Each run has a cluster of its own, started before the clock. The clock ends when the forest has been
gathered. A worker may be ended at a random time of the run.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import warpgraph as wg
from benchmarks.distributed.forest_of_files import (
    WORKERS,
    Files,
    checksum,
    peak,
    since,
    touch_memory,
)
from benchmarks.harness import Input, Timed

#: Part of a run's undisturbed time after which a worker is ended.
_PART = 0.95


class Cluster:
    """Workers of an engine: `engine` for warpgraph, and the process ids of workers that run."""

    engine: wg.distributed.Engine

    def pids(self) -> Sequence[int]:
        raise NotImplementedError

    def counts(self) -> dict[str, int]:
        """Return what the engine knows after a run."""
        return {}


class DaskCluster(Cluster):
    def __init__(self, client: Any) -> None:
        self.client = client
        client.wait_for_workers(WORKERS)
        client.run(__import__, "pyarrow.parquet")
        client.run(__import__, "warpgraph.distributed")
        self.engine = wg.dask.DaskEngine(client)
        self.started = set(self.pids())
        self.busy = sum(client.run(time.process_time).values()) + time.process_time()

    def pids(self) -> Sequence[int]:
        return list(self.client.run(os.getpid, on_error="ignore").values())

    def counts(self) -> dict[str, int]:
        workers = sum(self.client.run(time.process_time).values())
        peaks = self.client.run(peak)
        return {
            "ms of processor time": since(self.busy - workers),
            "bytes moved between workers": sum(self.client.run(_received).values()),
            "bytes peak of a worker": max(peaks.values()),
            "workers ended by Dask": len(self.started - set(self.pids())),
        }


def _received(dask_worker: Any) -> int:
    """Return the bytes that a worker got from others."""
    return sum(entry["total"] for entry in dask_worker.transfer_incoming_log)


@contextlib.contextmanager
def dask(files: Files) -> Iterator[Cluster]:
    """Start a Dask cluster whose workers have the memory of one process together."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            memory_limit=files.limit,
            dashboard_address=":0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield DaskCluster(client)


class RayCluster(Cluster):
    def __init__(self, ray: Any) -> None:
        self.ray = ray
        self.engine = wg.ray.RayEngine(max_retries=20)
        self.pids()

    def pids(self) -> Sequence[int]:
        pid = self.ray.remote(lambda: time.sleep(0.3) or os.getpid())
        return list(set(self.ray.get([pid.remote() for _ in range(WORKERS)])))


@contextlib.contextmanager
def ray(files: Files) -> Iterator[Cluster]:
    """Start a Ray cluster with a CPU for each worker."""
    import ray as engine

    engine.init(
        num_cpus=WORKERS,
        object_store_memory=400 << 20,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
    )
    try:
        yield RayCluster(engine)
    finally:
        engine.shutdown()


Start = Callable[[Files], contextlib.AbstractContextManager[Cluster]]


def on_cluster(x: Input, start: Start) -> Timed:
    """Solve the files on a cluster."""
    touch_memory(x.matrix)
    with start(x.matrix) as cluster:
        seconds, found = _solved(cluster, x.matrix)
        return Timed(seconds, found, cluster.counts())


def _solved(cluster: Cluster, files: Files) -> tuple[float, str]:
    begin = time.perf_counter()
    edges = wg.distributed.graph(files.folder.name, cluster.engine, n_vertices=files.n_vertices)
    forest = wg.distributed.minimum_spanning_forest(edges, device="cpu").gather()
    seconds = time.perf_counter() - begin
    return seconds, checksum(forest)


class WithAWorkerEnded:
    """A contestant that ends a worker, by SIGKILL, at a random time of each run.

    The first run is undisturbed: it gives the answer and the time. Another answer ends the
    benchmark. A run that has its forest before that time does not count, but gives a new time.
    """

    def __init__(self, start: Start) -> None:
        self.start = start
        self.random = random.Random(1)
        self.undisturbed: tuple[float, str] | None = None

    def __call__(self, x: Input) -> Timed:
        if self.undisturbed is None:
            with self.start(x.matrix) as cluster:
                self.undisturbed = _solved(cluster, x.matrix)
                return Timed(*self.undisturbed)
        while True:  # until the forest is not found before the time
            with self.start(x.matrix) as cluster:
                if result := self._with_one_ended(cluster, x.matrix):
                    return result

    def _with_one_ended(self, cluster: Cluster, files: Files) -> Timed | None:
        assert self.undisturbed is not None
        usual, expected = self.undisturbed
        victim = self.random.choice(sorted(cluster.pids()))
        moment = self.random.uniform(0, _PART * usual)
        killer = threading.Timer(moment, os.kill, (victim, signal.SIGKILL))
        killer.start()
        seconds, found = _solved(cluster, files)
        was_running = killer.finished.is_set()
        killer.cancel()
        if found != expected:
            raise SystemExit(f"the forest differs: a worker was ended after {moment:.3f} s")
        if not was_running:
            self.undisturbed = seconds, expected
            return None
        return Timed(seconds, found, {"ms until a worker was ended": round(1000 * moment)})


on_dask = partial(on_cluster, start=dask)
