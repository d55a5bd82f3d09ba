"""ECL's programs as rivals, and ECL-MST where WARPGRAPH_ECL_MST names it.

The programs read a graph with 32-bit integer weights from a file and time their own solves, from
the graph on the GPU to the answer there; that of ECL-MST is a flag for each arc. Changed as
README.md describes, they solve several times and print a number that summarises the answer and must
equal warpgraph's; for ECL-MST it is the weight of the forest.

WARPGRAPH_PBBS_MST names pbbs_mst.cpp, compiled, WARPGRAPH_CUPQ cupq_main.cu, and WARPGRAPH_HEAPS
heaps.cpp: they read the same files.
"""

from __future__ import annotations

import dataclasses
import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Input, Timed


def pbbs_rivals() -> dict[str, Any]:
    """Return the filter-Kruskal of PBBS, whose result is the weight of the forest, or none."""
    program = os.environ.get("WARPGRAPH_PBBS_MST")
    if program is None:
        return {}
    kruskal = Ecl(program, milliseconds=r"Solve: ([\d.]+) ms", answer=r"Weight: (\d+)")
    kruskal.threads_variable = "PARLAY_NUM_THREADS"
    return {"pbbs filter-kruskal": kruskal}


def cupq_rivals(origins_of: Callable[[Any], Any]) -> dict[str, Any]:
    """Return CUPQ, whose result is the sum of all finite distances, or none."""
    program = os.environ.get("WARPGRAPH_CUPQ")
    if program is None:
        return {}

    def origins(matrix: Any) -> str:
        return "\n".join(map(str, origins_of(matrix)))

    cupq = Ecl(program, seconds=r"Seconds: ([\d.]+)", answer=r"Sum: (\d+)", second_file=origins)
    return {"cupq": cupq}


#: Heaps of heaps.cpp, by the names of their contestants.
HEAPS = {
    "std::priority_queue, 1 core": "std",
    "Boost's 4-ary heap, 1 core": "4-ary",
    "Boost's Fibonacci heap, 1 core": "fibonacci",
    "Boost's pairing heap, 1 core": "pairing",
}


def heaps_of_one_core(
    origins_of: Callable[[Any], Any], columns_of: Callable[[Any], Any]
) -> dict[str, Any]:
    """Return searches with the heaps of others; their result is the sum in some columns."""
    program = os.environ.get("WARPGRAPH_HEAPS")
    if program is None:
        return {}

    def lists(matrix: Any) -> str:
        return "\n".join(" ".join(map(str, of(matrix))) for of in (origins_of, columns_of))

    def on_one_core(x: Input, heap: Ecl) -> Timed:
        return heap(dataclasses.replace(x, threads=1))

    how = {"seconds": r"Seconds: ([\d.]+)", "answer": r"Sum: (\d+)", "second_file": lists}
    return {
        name: partial(on_one_core, heap=Ecl(program, arguments=[kind], **how))
        for name, kind in HEAPS.items()
    }


def rivals() -> dict[str, Any]:
    """Return ECL-MST, whose result is the weight of the forest, or none."""
    program = os.environ.get("WARPGRAPH_ECL_MST")
    if program is None:
        return {}
    return {"ecl-mst": Ecl(program, seconds=r"Dev[+-]:\s*([\d.]+)", answer=r"Weight: (\d+)")}


class Ecl:
    """Calls a program once per graph and number of threads.

    The time of its solves counts for all turns.

    `seconds` (or `milliseconds`) and `answer` are patterns of its output; `prepare` converts the
    matrix for it. `second_file` makes the text of a second file, whose path follows that of the
    graph; `arguments` follow. A program for cores reads the number of threads from
    `threads_variable`.
    """

    threads_variable = ""

    def __init__(
        self,
        program: str,
        *,
        answer: str,
        seconds: str = "",
        milliseconds: str = "",
        prepare: Callable[[Any], Any] = lambda matrix: matrix,
        second_file: Callable[[Any], str] | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        self._program = program
        self._prepare = prepare
        self._second_file = second_file
        self._arguments = arguments
        self._answer = answer
        self._times, self._unit = (seconds, 1.0) if seconds else (milliseconds, 1e-3)
        self._matrix: Any = None
        self._known: dict[int, Timed] = {}  # by the number of threads

    def __call__(self, x: Input) -> Timed:
        """Return the median of the solves without the first, which warms up."""
        if self._matrix is not x.matrix:
            self._matrix, self._known = x.matrix, {}
        if x.threads not in self._known:
            self._known[x.threads] = self._run(self._prepare(x.matrix), x.threads)
        return self._known[x.threads]

    def _run(self, matrix: Any, threads: int) -> Timed:
        environment = {**os.environ, "CUDA_MODULE_LOADING": "EAGER"}
        if self.threads_variable:
            environment[self.threads_variable] = str(threads)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "graph.egr"
            write_egr(matrix, file)
            command = [self._program, str(file)]
            if self._second_file is not None:
                second = file.with_name("second.txt")
                second.write_text(self._second_file(matrix), encoding="ascii")
                command.append(str(second))
            command += self._arguments
            done = subprocess.run(
                command,
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
        times = [float(t) * self._unit for t in re.findall(self._times, done.stdout)]
        answer = re.search(self._answer, done.stdout)
        if len(times) < 2 or answer is None:
            raise SystemExit(f"{self._program} printed something else:\n{done.stdout}")
        return Timed(statistics.median(times[1:]), int(answer[1]))


def write_egr(matrix: Any, path: Path) -> None:
    """Write a matrix as the program's binary format."""
    with path.open("wb") as file:
        np.array([matrix.shape[0], len(matrix.data)], np.int32).tofile(file)
        for array in (matrix.indptr, matrix.indices, matrix.data):
            np.asarray(array).astype(np.int32, copy=False).tofile(file)
