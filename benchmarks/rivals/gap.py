"""The sssp of the GAP benchmark suite as a rival, if WARPGRAPH_GAP_SSSP names its program.

The program reads a graph with 32-bit integer weights from a file and times its own trials, from the
graph in memory to the distances in memory. It needs the width of its buckets: a few widths are
tried first, and the best one is measured.

WARPGRAPH_GARDENIA_SSSP may name a solver for GPUs of the suite GARDENIA, changed to the same
command line and output; it times from the graph to the distances in GPU memory. WARPGRAPH_ADDS_SSSP
may name the program of ADDS (asynchronous dynamic delta-stepping), likewise.

WARPGRAPH_GAP_BFS, WARPGRAPH_GAP_CC, WARPGRAPH_GAP_PR and WARPGRAPH_GAP_BC name GAP's programs for
breadth-first search, components, PageRank and betweenness, for graphs that store edges both ways.
The search returns a tree of any predecessors. PageRank uses new scores of float32 in the sweep that
computes them, stops when changes add up to less than a bound, and leaves out the scores of vertices
without edges: scores have other sums, but the same ratios. Betweenness counts paths in float64 and
adds scores in float32.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Input, Once, Timed

#: Widths to try, in mean weights, until one takes this factor longer than the best; and the
#: searches with each.
_WIDTHS = (4, 2, 1, 1 / 4, 1 / 16, 1 / 64, 1 / 128)
_WORSE = 1.3
_SEARCHES_TO_TRY = 2
#: Arcs from which on fewer searches in a row suffice: caches do not hold the graph in between, and
#: a graph should not take longer than two minutes.
_LARGE = 1 << 26


def in_a_row(matrix: Any) -> int:
    """Return the number of searches in a row whose median counts."""
    return 5 if len(matrix.data) < _LARGE else 3


def repeated(call: Callable[[Input], Any]) -> Callable[[Input], Timed]:
    """Return a contestant that times some calls in a row, as GAP does; caches are warm then."""

    def run(x: Input) -> Timed:
        times = []
        for _ in range(in_a_row(x.matrix)):
            start = time.perf_counter()
            result = call(x)
            times.append(time.perf_counter() - start)
        return Timed(statistics.median(times), result)

    return run


def rivals(source_of: Callable[[Any], int]) -> dict[str, Any]:
    """Return the rival, whose result is the number of vertices reached, or none."""
    program = os.environ.get("WARPGRAPH_GAP_SSSP")
    return {} if program is None else {"gap": Gap(program, source_of)}


def rivals_on_gpu(source_of: Callable[[Any], int], *, dense: bool) -> dict[str, Any]:
    """Return other solvers on GPUs; each is called once, since each call reads the graph.

    ADDS does not terminate on graphs with dozens of arcs per vertex, R-MAT or cliques.
    """
    variables = {"gardenia": "WARPGRAPH_GARDENIA_SSSP", "adds": "WARPGRAPH_ADDS_SSSP"}
    programs = {name: os.environ.get(variable) for name, variable in variables.items()}
    return {
        name: Once(Gap(program, source_of, has_widths=False))
        for name, program in programs.items()
        if program is not None and not (dense and name == "adds")
    }


def run_trials(command: list[Any], x: Input, n_trials: int) -> tuple[float, str]:
    """Return the median of the times of the command's trials, and what it printed."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "PARLAY_NUM_THREADS"), str(x.threads))
    done = subprocess.run(
        [str(part) for part in command],
        env=os.environ | threads,
        capture_output=True,
        text=True,
        check=True,
    )
    times = [float(t) for t in re.findall(r"Trial Time:\s*([\d.]+)", done.stdout)]
    if len(times) != n_trials:
        raise SystemExit(f"{command[0]} printed something else:\n{done.stdout}")
    return statistics.median(times), done.stdout


def run_gap(program: str, options: list[Any], x: Input, n_trials: int) -> tuple[float, str]:
    """Run trials of one of GAP's programs."""
    return run_trials([program, *options, "-a", "-n", n_trials], x, n_trials)


def number_in(text: str, pattern: str, kind: Callable[[str], Any] = int) -> Any:
    """Return the number that the pattern finds in what a program printed."""
    found = re.search(pattern, text)
    if found is None:
        raise SystemExit(f"{pattern!r} is not in:\n{text}")
    return kind(found[1])


class Gap:
    """Calls the program; keeps the file of the last graph, and the best width for it."""

    def __init__(
        self, program: str, source_of: Callable[[Any], int], *, has_widths: bool = True
    ) -> None:
        self._program = program
        self._source_of = source_of
        self._has_widths = has_widths
        self._folder = tempfile.TemporaryDirectory()
        self._matrix: Any = None
        self._best: dict[int, int] = {}  # by the number of threads

    def __call__(self, x: Input) -> Timed:
        """Return the median of a few trials."""
        if x.matrix is not self._matrix:
            write_wsg(x.matrix, self._file)
            self._matrix, self._best = x.matrix, {}
        if x.threads not in self._best:
            self._best[x.threads] = self._find_width(x)
        return self._run(x, self._best[x.threads], in_a_row(x.matrix))

    def _find_width(self, x: Input) -> int:
        if not self._has_widths:
            return 1
        mean = float(x.matrix.data.mean())
        widths = [max(1, round(mean * factor)) for factor in _WIDTHS]
        for known in list(self._best.values())[:1]:
            # The best width for other numbers of threads is nearly the same.
            place = widths.index(known)
            widths = widths[max(0, place - 1) : place + 2]
        best, width = np.inf, 1
        for candidate in widths:
            seconds = self._run(x, candidate, _SEARCHES_TO_TRY).seconds
            if seconds > _WORSE * best:
                break
            if seconds < best:
                best, width = seconds, candidate
        return width

    @property
    def _file(self) -> Path:
        return Path(self._folder.name) / "graph.wsg"

    def _run(self, x: Input, width: int, n_searches: int) -> Timed:
        options = ["-f", self._file, "-r", self._source_of(x.matrix), "-d", width]
        seconds, text = run_gap(self._program, options, x, n_searches)
        return Timed(seconds, number_in(text, r"reaches (\d+) nodes"))


class GapUnweighted:
    """Calls a program that does not read weights; keeps the file of the last graph.

    `options_of` makes its further options from the matrix, `result_of` the result from what it
    prints.
    """

    def __init__(
        self,
        program: str,
        options_of: Callable[[Any], list[Any]],
        result_of: Callable[[str], Any],
    ) -> None:
        self._program, self._options_of, self._result_of = program, options_of, result_of
        self._folder = tempfile.TemporaryDirectory()
        self._matrix: Any = None

    def __call__(self, x: Input) -> Timed:
        """Return the median of a few trials."""
        file = Path(self._folder.name) / "graph.sg"
        if x.matrix is not self._matrix:
            write_sg(x.matrix, file)
            self._matrix = x.matrix
        options = ["-f", file, *self._options_of(x.matrix)]
        seconds, text = run_gap(self._program, options, x, in_a_row(x.matrix))
        return Timed(seconds, self._result_of(text))


class Reached(int):
    """The number of vertices that a search reaches."""


def bfs_rivals(source_of: Callable[[Any], int]) -> dict[str, Any]:
    """Return GAP's breadth-first search, or none."""
    return _unweighted(
        "BFS",
        lambda matrix: ["-r", source_of(matrix)],
        lambda text: Reached(number_in(text, r"BFS Tree has (\d+) nodes")),
    )


class Components(int):
    """The number of components."""


def components_rivals() -> dict[str, Any]:
    """Return GAP's components (Afforest), or none."""
    return _unweighted(
        "CC", lambda _: [], lambda text: Components(number_in(text, r"There are (\d+) components"))
    )


class Highest(frozenset[int]):
    """The vertices with the highest scores, a few of them."""


def pagerank_rivals(bound: float) -> dict[str, Any]:
    """Return GAP's PageRank until changes add up to less than `bound`, or none."""
    return _unweighted(
        "PR",
        lambda _: ["-i", 1000, "-t", bound],
        lambda text: Highest(int(v) for v in re.findall(r"^(\d+):[\d.e-]+$", text, re.M)),
    )


def betweenness_rivals(n_sources: int) -> dict[str, Any]:
    """Return GAP's betweenness from sources that it draws, or none; its scores are not read."""
    return _unweighted("BC", lambda _: ["-i", n_sources], lambda _: None)


def _unweighted(
    name: str, options_of: Callable[[Any], list[Any]], result_of: Callable[[str], Any]
) -> dict[str, Any]:
    program = os.environ.get(f"WARPGRAPH_GAP_{name}")
    return {} if program is None else {"gap": GapUnweighted(program, options_of, result_of)}


def write_sg(matrix: Any, path: Path) -> None:
    """Write a matrix that stores edges both ways as GAP's serialised graph."""
    with path.open("wb") as file:
        file.write(b"\0")  # undirected
        np.array([len(matrix.data), matrix.shape[0]], np.int64).tofile(file)
        np.asarray(matrix.indptr, np.int64).tofile(file)
        np.asarray(matrix.indices, np.int32).tofile(file)


def write_wsg(matrix: Any, path: Path) -> None:
    """Write a matrix as GAP's serialised weighted graph; the program reads rows only."""
    n_arcs = len(matrix.data)
    with path.open("wb") as file:
        file.write(b"\0")  # "undirected": without a copy by columns
        np.array([n_arcs, matrix.shape[0]], np.int64).tofile(file)
        np.asarray(matrix.indptr, np.int64).tofile(file)
        block = 1 << 24
        for first in range(0, n_arcs, block):
            part = slice(first, first + block)
            pairs = np.stack([matrix.indices[part], matrix.data[part]], axis=1)
            pairs.astype(np.int32).tofile(file)
