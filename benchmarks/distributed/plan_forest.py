"""The plan of docs/distributed.md: memory, bytes, rounds and seconds of a forest on many hosts.

    python -m benchmarks.distributed.plan_forest --edges 1e12 --vertices 2e9 --hosts 100 --cores 64

It measures on one core of this machine how fast a task reads edges and how fast it merges forests,
and prints what follows for each link. bench_distributed.py compares the same plan with runs.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import warpgraph as wg
from warpgraph import _core, dask
from warpgraph.distributed import _forest
from warpgraph.distributed._tasks import blocks as _blocks

#: Bytes of an edge of a forest: two ends, a float64 weight, a key.
BYTES_OF_AN_EDGE = 24
#: Bytes of a vertex in a task, as in warpgraph.distributed.
_, BYTES_A_VERTEX = _core.bytes_of_task("forest")
#: Parts of a worker's limit, as in warpgraph.dask: for tasks, and for the modules it starts with.
PART_FOR_TASKS, FOR_MODULES = dask._PART_FOR_TASKS, 300 << 20
#: Gigabits per second of links between hosts.
LINKS = (10, 25, 100)


@dataclass(frozen=True)
class Rates:
    """Edges per second of processor time, on one core: other programs may run beside."""

    leaf: float  # read from Parquet, and solved in chunks
    merge: float  # of two forests


def measure(folder: str, n_vertices: int, chunk: int = 4_000_000) -> Rates:
    """Read a part of a folder as a task does, on one core, and merge two forests."""
    wg.set_num_threads(1)
    columns = _blocks.Columns("source", "target", "weight")
    options = n_vertices, False, "cpu", 0
    forests, edges, seconds = [], 0, 0.0
    for i, block in enumerate(_blocks.of_parquet(folder, columns, 2)):
        start = time.process_time()
        key = i * _blocks.EDGES_OF_A_BLOCK
        forest, count = _forest._of_block(chunk, *options, key, block.read, *block.arguments)
        seconds += time.process_time() - start
        edges += count
        forests.append(forest)
    start = time.process_time()
    _forest._merged(*options, *forests)
    merging = time.process_time() - start
    wg.set_num_threads(0)
    return Rates(edges / seconds, sum(len(forest.keys) for forest in forests) / merging)


def chunk_length(memory_limit: int, n_vertices: int) -> int:
    """Return how many edges a task of Dask reads before it solves them."""
    free = int(PART_FOR_TASKS * (memory_limit - FOR_MODULES))
    return _core.edges_at_a_time("forest", free, n_vertices)


def bytes_moved(n_vertices: int, hosts: int) -> int:
    """Return the bytes between hosts: each but one sends its forest once."""
    return (hosts - 1) * BYTES_OF_AN_EDGE * (n_vertices - 1)


def rounds(results: int, arity: int) -> int:
    """Return how many merges follow each other."""
    return math.ceil(math.log(results, arity)) if results > 1 else 0


def seconds(
    rates: Rates, n_edges: int, n_vertices: int, hosts: int, blocks: int, link: float, arity: int
) -> dict[str, float]:
    """Return the seconds of each part for one task a host at a time; link: bytes per second.

    The rates are those of a host. A host's blocks are merged there, two or more at a time.
    """
    forest = n_vertices - 1
    here = max(1, math.ceil(blocks / hosts))
    last = rounds(hosts, arity)
    merged_here = forest * (here + math.ceil((here - 1) / (arity - 1)) - 1) if here > 1 else 0
    fan = min(arity, hosts)
    return {
        "blocks": n_edges / hosts / rates.leaf,
        "merges on a host": merged_here / rates.merge,
        "moves": last * (fan - 1) * forest * BYTES_OF_AN_EDGE / link,
        "merges over hosts": last * fan * forest / rates.merge,
    }


def main() -> None:
    from benchmarks.distributed.forest_of_files import generate

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=float, default=1e12)
    parser.add_argument("--vertices", type=float, default=2e9)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--cores", type=int, default=64, help="of a host")
    parser.add_argument("--efficiency", type=float, default=0.3, help="of the cores together")
    parser.add_argument("--arity", type=int, default=2)
    options = parser.parse_args()
    n, m = int(options.vertices), int(options.edges)
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder), 500_000, 10_000_000)
        one = measure(folder, 500_000)
    together = options.cores * options.efficiency
    host = Rates(one.leaf * together, one.merge * together)
    print(f"one core here: {one.leaf:,.0f} edges/s read and solved, {one.merge:,.0f} merged")
    moved, after = bytes_moved(n, options.hosts), rounds(options.hosts, options.arity)
    forest, memory = BYTES_OF_AN_EDGE * n / 1e9, BYTES_A_VERTEX * n / 1e9
    print(f"a forest: {forest:,.1f} GB; memory of a task: {memory:,.0f} GB and its chunk of edges")
    print(f"moved: {moved / 1e9:,.1f} GB in {after} rounds")
    for link in LINKS:
        parts = seconds(host, m, n, options.hosts, options.hosts, link * 1e9 / 8, options.arity)
        shown = ", ".join(f"{name} {value:,.0f}" for name, value in parts.items())
        print(f"{link:>4} Gb/s: {sum(parts.values()):,.0f} s: {shown}")


if __name__ == "__main__":
    main()
