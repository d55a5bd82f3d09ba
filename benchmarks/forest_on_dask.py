"""The forest of a folder of Parquet files: three Dask workers against one process.

    python benchmarks/forest_on_dask.py --edges 10_000_000 --vertices 1_000_000

One process reads all edges and solves the graph; its peak of memory is measured. The workers then
have a third of that each, and Dask ends a worker that takes more. What moves between them is
compared with the plan of docs/distributed.md: ``(workers - 1) * 24 * edges of the forest``. Forests
are compared by their weight and by a checksum of their edges. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import plan_forest
import warpgraph as wg

#: Edges of a file; a row group has a fifth.
A_FILE = 5_000_000
#: Bytes per second between workers of one machine, with Dask's serialisation.
LOOPBACK = 1e9


def generate(folder: Path, n_vertices: int, n_edges: int) -> int:
    """Write random edges with weights in [0, 1); return the bytes of the files."""
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


def in_one_process(folder: str, n_vertices: int) -> dict:
    """Read and solve all edges here; return seconds, the peak in bytes, and the forest's ids."""
    start, busy = time.perf_counter(), time.process_time()
    table = pq.read_table(folder)
    arrays = [table[name].to_numpy() for name in ("source", "target", "weight")]
    graph = wg.Graph.from_edges(*arrays, n_vertices=n_vertices)
    del table, arrays
    read = time.perf_counter() - start
    forest = wg.minimum_spanning_forest(graph)
    seconds = time.perf_counter() - start
    ends = forest.edges.astype(np.int64) @ [n_vertices, 1]
    return {
        "seconds": seconds,
        "processor_seconds": time.process_time() - busy,
        "seconds_to_read": read,
        "peak": peak(),
        "total_weight": forest.total_weight,
        "ends": int(np.sum(np.sort(ends) * np.arange(1, len(ends) + 1) % 1_000_003)),
    }


def peak() -> int:
    """Return the most memory that this process has had, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) << 10


def received(dask_worker) -> int:
    """Return the bytes that a worker got from others."""
    return sum(entry["total"] for entry in dask_worker.transfer_incoming_log)


def on_dask(folder: str, n_vertices: int, workers: int, limit: int, blocks: int | None) -> dict:
    """Solve the folder on a cluster of this machine; return the same numbers as one process."""
    import distributed

    import warpgraph.dask as wgd

    with (
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=limit,
            dashboard_address=":0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(workers)
        client.run(__import__, "pyarrow.parquet")
        client.run(__import__, "warpgraph.distributed")
        started = set(client.run(peak))
        idle = max(client.run(peak).values())
        busy = sum(client.run(time.process_time).values())
        start = time.perf_counter()
        edges = wgd.graph(folder, n_vertices=n_vertices, n_blocks=blocks)
        found = wgd.minimum_spanning_forest(edges)
        seconds = time.perf_counter() - start
        busy = sum(client.run(time.process_time).values()) - busy
        moved = sum(client.run(received).values())
        peaks = client.run(peak)
        forest = found.gather()
        gathered = time.perf_counter() - start
        ends = forest.edges.astype(np.int64) @ [n_vertices, 1]
        return {
            "seconds": seconds,
            "processor_seconds": busy,
            "seconds_with_gather": gathered,
            "blocks": edges.n_blocks,
            "memory_limit": limit,
            "peaks": sorted(peaks.values()),
            "peak_idle": idle,
            "workers_that_ended": len(started - set(peaks)),
            "bytes_moved": moved,
            "bytes_planned": plan_forest.bytes_moved(len(forest) + 1, workers),
            "total_weight": forest.total_weight,
            "ends": int(np.sum(np.sort(ends) * np.arange(1, len(ends) + 1) % 1_000_003)),
        }


def planned(rates: plan_forest.Rates, options: argparse.Namespace, blocks: int) -> dict:
    """Return the seconds of the plan: workers share the cores of this machine, and its loopback."""
    share = min(1.0, (os.cpu_count() or 1) / options.workers)
    of_a_worker = plan_forest.Rates(rates.leaf * share, rates.merge)
    sizes = options.edges, options.vertices, options.workers, blocks
    return plan_forest.seconds(of_a_worker, *sizes, link=LOOPBACK, arity=4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--vertices", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--blocks", type=int)
    parser.add_argument("--memory", type=int, help="bytes of a worker; default: a third")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        size = generate(Path(name), options.vertices, options.edges)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            one = pool.apply(in_one_process, (name, options.vertices))
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            rates = pool.apply(plan_forest.measure, (name, options.vertices))
        limit = options.memory or one["peak"] // options.workers
        dask = on_dask(name, options.vertices, options.workers, limit, options.blocks)
    same = all(one[key] == dask[key] for key in ("total_weight", "ends"))
    shown = {"edges": options.edges, "vertices": options.vertices, "bytes_of_files": size}
    shown |= {"one process": one, "dask": dask, "same_forest": same}
    shown["planned_seconds"] = planned(rates, options, dask["blocks"])
    shown["times_one_process"] = dask["seconds"] / one["seconds"]
    shown["moved_to_planned"] = dask["bytes_moved"] / dask["bytes_planned"]
    print(json.dumps(shown, indent=2))
    if not same:
        raise SystemExit("the forests differ")


if __name__ == "__main__":
    main()
