"""The forest of a folder of Parquet files in one process, for comparison with clusters."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks.distributed import plan_forest
from benchmarks.harness import Input, Timed

#: Edges of a file; a row group has a fifth.
A_FILE = 5_000_000
#: Tasks of one worker at a time, as in benchmarks of clusters.
WORKERS = 3
#: Bytes per second between workers of one machine, with an engine's serialisation.
LOOPBACK = 1e9


@dataclass(frozen=True)
class Files:
    """A folder of generated edges, and what one process took for their forest."""

    folder: tempfile.TemporaryDirectory[str]
    n_vertices: int
    n_edges: int
    n_bytes: int
    #: Most memory of one process.
    peak: int
    #: Memory of each worker.
    limit: int
    #: Reading, solving and merging on one core.
    rates: plan_forest.Rates


def files(n_vertices: int, n_edges: int, limit: int | None = None) -> Files:
    """Write files, and measure one process.

    Without a limit, workers have the memory of one process together; one process must not solve
    the graph in the memory of a worker.
    """
    folder = tempfile.TemporaryDirectory()
    n_bytes = generate(Path(folder.name), n_vertices, n_edges)
    peak = in_child(solve, folder.name, n_vertices, os.cpu_count() or 1).counts["bytes peak"]
    third = peak // WORKERS
    chunk = plan_forest.chunk_length(limit or third, n_vertices)
    rates = in_child(plan_forest.measure, folder.name, n_vertices, chunk)
    if limit is None and in_child(fits, third, folder.name, n_vertices):
        raise SystemExit(f"one process solved the graph in {third} bytes, as a worker has")
    return Files(folder, n_vertices, n_edges, n_bytes, peak, limit or third, rates)


def generate(folder: Path, n_vertices: int, n_edges: int) -> int:
    """Write random edges with weights in [0, 1); return the bytes of the files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for i, first in enumerate(range(0, n_edges, A_FILE)):
        rng = np.random.default_rng(i)
        m = min(A_FILE, n_edges - first)
        columns = {
            "source": rng.integers(0, n_vertices, m),
            "target": rng.integers(0, n_vertices, m),
            "weight": rng.random(m),
        }
        path = folder / f"part-{i:04}.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=A_FILE // 5, use_dictionary=False)
    return sum(file.stat().st_size for file in folder.iterdir())


def touch_memory(made: Files) -> None:
    """Write as much memory as one process takes, and give it back.

    A virtual machine whose unused memory goes back to its host writes pages slowly that it has to
    ask for again: 12 seconds for 9 GB were seen. So before each contestant they are there.
    """
    in_child(_write, made.peak)


def _write(n_bytes: int) -> None:
    np.zeros(n_bytes, np.uint8)[::4096] = 1


def in_child(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a new process, whose memory is its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def solve(folder: str, n_vertices: int, threads: int) -> Timed:
    """Read and solve all edges here."""
    import pyarrow.parquet as pq

    wg.set_num_threads(threads)
    start, busy = time.perf_counter(), time.process_time()
    table = pq.read_table(folder)
    arrays = [table[name].to_numpy() for name in ("source", "target", "weight")]
    graph = wg.Graph.from_edges(*arrays, n_vertices=n_vertices)
    del table, arrays
    forest = wg.minimum_spanning_forest(graph, device="cpu")
    seconds = time.perf_counter() - start
    counts = {"bytes peak": peak(), "ms of processor time": since(busy)}
    return Timed(seconds, checksum(forest), counts)


def since(busy: float) -> int:
    """Return the milliseconds that the cores of this process have worked since then."""
    return round(1000 * (time.process_time() - busy))


def fits(limit: int, folder: str, n_vertices: int) -> bool:
    """Return whether one process solves all edges with this many bytes of data."""
    import pyarrow.parquet  # noqa: F401, its libraries are no data

    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    try:
        solve(folder, n_vertices, 1)
    except MemoryError:
        return False
    return True


def in_one_process(x: Input) -> Timed:
    """Solve the files in a process of its own, with all memory."""
    touch_memory(x.matrix)
    return in_child(solve, x.matrix.folder.name, x.matrix.n_vertices, x.threads)


def checksum(forest: wg.SpanningForest) -> str:
    """Return a text that differs unless the edges and their weights are the same."""
    ends = np.ascontiguousarray(forest.edges, np.int32)
    return hashlib.sha256(ends.tobytes() + forest.weights.tobytes()).hexdigest()


def peak() -> int:
    """Return the most memory that this process has had, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) << 10


def size(made: Files) -> dict[str, int]:
    """Return the sizes for the table, and the plan of docs/distributed.md."""
    share = min(1.0, (os.cpu_count() or 1) / WORKERS)
    of_a_worker = plan_forest.Rates(made.rates.leaf * share, made.rates.merge)
    sizes = made.n_edges, made.n_vertices, WORKERS, 2 * WORKERS
    parts = plan_forest.seconds(of_a_worker, *sizes, link=LOOPBACK, arity=4)
    return {
        "vertices": made.n_vertices,
        "edges": made.n_edges,
        "bytes of files": made.n_bytes,
        "bytes of memory a worker": made.limit,
        "bytes to move by the plan": plan_forest.bytes_moved(made.n_vertices, WORKERS),
        "ms by the plan": round(1000 * sum(parts.values())),
    }


large = partial(files, 2_000_000, 100_000_000)
small = partial(files, 200_000, 10_000_000, 10**9)
