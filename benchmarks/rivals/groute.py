"""The programs of the article's authors as rivals, if WARPGRAPH_GROUTE names groute-sssp.

Beside it are groute-bfs and groute-cc of https://github.com/groute/groute, which read a
graph of the Galois system with 32-bit weights. What they print is the time between two barriers of
their host threads: the graph is on the GPUs before, and the answer stays there. The widths of
buckets are those of the article's scripts; all are run, and the fastest counts.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Input, Once, Timed, TimeLimitError

#: Seconds after which a program is taken to hang, and those for each GB of the graph's file.
LIMIT, LIMIT_OF_A_GB = 10, 60
#: Runs of a setting, besides a first one that does not count.
N_RUNS = 5
#: Flags of fused kernels and of kernels launched one by one, for roads and for other graphs.
_SEARCHES = {
    ("sssp", True): (["-opt", "-prio_delta=100000"], ["-noopt", "-nf", "-nf_delta=10000"]),
    ("sssp", False): (["-opt", "-prio_delta=30"], ["-opt", "-prio_delta=1000"], ["-noopt"]),
    ("bfs", True): (["-opt", "-prio_delta=100"], ["-noopt"]),
    ("bfs", False): (["-opt", "-prio_delta=1"], ["-noopt"]),
    ("cc", True): ([],),
    ("cc", False): ([],),
}
#: Lazily loaded kernels would wait for the end of those that run until the search ends.
_ENVIRONMENT = {"CUDA_MODULE_LOADING": "EAGER", "CUDA_DEVICE_MAX_CONNECTIONS": "32"}


def folder() -> Path | None:
    """Return the folder of the programs, or None."""
    named = os.environ.get("WARPGRAPH_GROUTE")
    return None if named is None else Path(named).parent


class Groute:
    """Calls one of the programs; keeps the file of the last graph."""

    def __init__(
        self, program: str, n_gpus: int, source_of: Callable[[Any], int], *, is_road: bool
    ) -> None:
        self._program = program
        self._n_gpus = n_gpus
        self._source_of = source_of
        self._settings = _SEARCHES[program, is_road]
        # METIS takes minutes for graphs that are no roads.
        self._splits = [] if is_road or program == "cc" else ["-nopn"]

    def __call__(self, x: Input) -> Timed:
        """Return the fastest setting's median, with its answer."""
        with tempfile.TemporaryDirectory() as where:
            graph = Path(where) / "graph.gr"
            write_gr(x.matrix, graph)
            tried = [self._run(x, graph, flags) for flags in self._settings]
            limit = limit_of(graph)
        runs = [run for run in tried if run is not None]
        if not runs:
            raise TimeLimitError(limit)
        return min(runs, key=lambda run: run.seconds)

    def _run(self, x: Input, graph: Path, flags: Sequence[str]) -> Timed | None:
        """Return the median of a setting's runs, or None if it hangs."""
        path = str(folder()) + f"/groute-{self._program}"
        gpus = [f"-num_gpus={self._n_gpus}", f"-startwith={self._n_gpus}"]
        command = [path, f"-graphfile={graph}", *gpus, *flags, *self._splits]
        answer = graph.with_suffix(".txt")
        last = ""
        if self._program != "cc":
            command.append(f"-source_node={self._source_of(x.matrix)}")
            last = f" -output={answer}"
        turns = graph.with_suffix(".turns")
        turns.write_text("-verbose=false\n" * N_RUNS + f"-verbose=false{last}\n")
        try:
            done = subprocess.run(
                [*command, f"-cmdfile={turns}"],
                env=os.environ | _ENVIRONMENT,
                capture_output=True,
                text=True,
                timeout=limit_of(graph),
            )
        except subprocess.TimeoutExpired:
            return None
        times = [float(ms) / 1e3 for ms in re.findall(r": ([\d.]+) ms\. <filter>", done.stdout)]
        if len(times) != N_RUNS + 1:
            raise SystemExit(f"{' '.join(command)} printed something else:\n{done.stdout}")
        found = _labels(answer) if last else _components(done.stdout)
        return Timed(statistics.median(times[1:]), found)


def limit_of(graph: Path) -> float:
    """Return the seconds after which a program that reads this file is taken to hang."""
    return LIMIT + LIMIT_OF_A_GB * graph.stat().st_size / 1e9


def rival(program: str, n_gpus: int, source_of: Callable[[Any], int], *, is_road: bool) -> Once:
    """Return the contestant, which is called once: each call reads the graph."""
    return Once(Groute(program, n_gpus, source_of, is_road=is_road))


def write_gr(matrix: Any, path: Path) -> None:
    """Write a graph of the Galois system, version 1, with weights of 4 bytes."""
    n, m = matrix.shape[0], matrix.nnz
    with path.open("wb") as file:
        np.array([1, 4, n, m], "<u8").tofile(file)
        matrix.indptr[1:].astype("<u8").tofile(file)
        matrix.indices.astype("<u4").tofile(file)
        if m % 2:
            np.zeros(1, "<u4").tofile(file)  # weights begin at a multiple of 8 bytes
        matrix.data.astype("<u4").tofile(file)


def _labels(path: Path) -> Any:
    """Return the distances of lines with a vertex and its distance, -1 where it has none."""
    lines = [line.split()[1] for line in path.read_text().splitlines()]
    return np.array([-1 if value == "INF" else int(value) for value in lines], np.int64)


def _components(printed: str) -> int:
    found = set(re.findall(r"Components: (\d+)", printed))
    if len(found) != 1:
        raise SystemExit(f"one number of components was expected in:\n{printed}")
    return int(found.pop())
