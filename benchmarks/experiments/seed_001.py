"""The experiment of the article behind floyd_warshall_naive on CUDA [2 in apsp.hpp].

Its three tables: up to 100 vertices, up to 1000, up to 8000. Floyd and Warshall's method on one
core, on a GPU with a launch for each vertex ("naive"), and on tiles ("blocked"). As in the article,
the graph is copied to the GPU and the distances back; other columns have the times when both stay
there. Blocked on all cores is a further column. One core is measured by a run on cores, also on a
machine with a GPU. It takes minutes from 4000 vertices on; from 600 on its runs are at once, a core
each.

make experiments SEED=001 EXPERIMENT='--device cuda --sizes article'

The article does not state its edge weights; here there are 16 random edges per vertex with weights
1..1000 in int32. The figures are means of 15 runs, as in the article, or of as many as the table
says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import inputs, report
from benchmarks.experiments.page.articles import SECONDS_001 as THEIRS
from benchmarks.harness import Case, Input
from benchmarks.rivals.at_once import AtOnce
from warpgraph import _core

#: Numbers of vertices, by table.
TABLES = (range(10, 101, 10), range(100, 1001, 100), range(1000, 8001, 1000))
#: The largest number for one core in the article.
LARGEST_FOR_A_CORE = 7000
#: Number of vertices from which on the runs of one core are made at once.
LARGE_FOR_A_CORE = 600
#: Runs of the article.
N_RUNS = 15
#: Random edges of a vertex; the article does not state its own.
N_EDGES = 16

CORE, CORES = "1 core, plain loops", "blocked, all cores"
NAIVE, BLOCKED = "GPU, naive", "GPU, blocked"
ALONE = ", compute only"
COLUMNS = (CORE, CORES, NAIVE, BLOCKED, NAIVE + ALONE, BLOCKED + ALONE)
METHODS = {NAIVE: "floyd_warshall_naive", BLOCKED: "floyd_warshall"}

#: Seconds of the runs by number of vertices and by column.
Table = dict[int, dict[str, list[float]]]


def build(n: int) -> Any:
    rng = np.random.default_rng(n)
    tail, head = rng.integers(0, n, (2, N_EDGES * n))
    weights = rng.integers(1, 1001, N_EDGES * n).astype(np.int32)
    return inputs.matrix_of(wg.Graph.from_edges(tail, head, weights, n_vertices=n))


def with_transfers(x: Input, method: str, device: str | None = None) -> Any:
    """Start from host arrays and end with host arrays, without the copies that `x.graph` keeps."""
    return wg.apsp(x.matrix, method=method, dtype=np.int32, device=device or x.device)


class Resident:
    """The graph and the distances stay on the device, in memory allocated beforehand."""

    def __init__(self, method: str) -> None:
        self.method = method
        self.matrix: Any = None

    def __call__(self, x: Input) -> Any:
        if self.matrix is not x.matrix:
            self.matrix = x.matrix
            self.graph = wg.Graph(x.matrix).to(x.device)
            self.out = _core.device_array(x.matrix.shape, np.dtype(np.int32), x.device)
        return wg.apsp(
            self.graph, method=self.method, dtype=np.int32, out=self.out, device=x.device
        )


def agree(a: Any, b: Any) -> bool:
    host = [d.to_numpy() if isinstance(d, _core.DeviceArray) else d for d in (a, b)]
    return np.array_equal(*host)


def cases() -> list[Case]:
    """Return a case for each number of vertices, on cores and on GPUs."""
    sizes = sorted({n for table in TABLES for n in table})
    return [
        case
        for n in sizes
        for matrix in (partial(build, n),)
        for case in (_on_cores(n, matrix), _on_gpu(n, matrix))
    ]


def _on_cores(n: int, matrix: Callable[[], Any]) -> Case:
    ours = partial(with_transfers, method="floyd_warshall", device="cpu")
    return _case(n, matrix, ours, _one_core(n), "cpu")


def _on_gpu(n: int, matrix: Callable[[], Any]) -> Case:
    rivals: dict[str, Any] = {NAIVE: partial(with_transfers, method=METHODS[NAIVE])}
    rivals |= {name + ALONE: Resident(method) for name, method in METHODS.items()}
    # One core is measured apart: between its slow loops, a GPU would slow down.
    rivals[CORES] = partial(with_transfers, method="floyd_warshall", device="cpu")
    ours = partial(with_transfers, method=METHODS[BLOCKED])
    return _case(n, matrix, ours, rivals, "cuda")


def _one_core(n: int) -> dict[str, Any]:
    if n > LARGEST_FOR_A_CORE:
        return {}
    call = partial(with_transfers, method="floyd_warshall_naive", device="cpu")
    return {CORE: call if n < LARGE_FOR_A_CORE else AtOnce(call, N_RUNS)}


def _case(n: int, matrix: Callable[[], Any], ours: Any, rivals: dict[str, Any], kind: str) -> Case:
    return Case(
        f"article's apsp, n = {n}, int32",
        matrix,
        ours,
        rivals,
        "seed-001",
        resident=False,
        agree=agree,
        devices=[kind],
    )


def contestant(name: str, measurement: dict[str, Any]) -> str:
    """Return the column of a contestant."""
    if name != measurement["ours"]:
        return name
    return CORES if measurement["device"] == "cpu" else BLOCKED


def means(measurement: dict[str, Any]) -> dict[str, float]:
    """Return the mean seconds by column."""
    runs = measurement["runs"]
    return {contestant(name, measurement): float(np.mean(runs[name])) for name in runs}


def collect(results: Sequence[dict[str, Any]]) -> dict[str, Table]:
    """Return by machine the newest runs of each contestant for each number of vertices."""
    machines: dict[str, Table] = {}
    for result in sorted(results, key=lambda result: str(result["started"])):
        rows = machines.setdefault(report.machine_name(result["machine"]), {})
        for measurement in result["measurements"]:
            row = rows.setdefault(measurement["size"]["vertices"], {})
            for name, runs in measurement["runs"].items():
                row[contestant(name, measurement)] = runs
    return {name: dict(sorted(rows.items())) for name, rows in machines.items()}


def host(result: dict[str, Any]) -> list[str]:
    """Return what tells a host and a commit from others."""
    machine = result["machine"]
    what = ("cpu", "cores", "memory_bytes", "platform")
    return [result["commit"], *(str(machine[name]) for name in what)]


def _of_one_host(results: Sequence[dict[str, Any]]) -> Table:
    """Return the runs of the GPU with the most measurements, with those of its host's core."""

    def n_measured(result: dict[str, Any]) -> tuple[int, int]:
        measured = result["measurements"]
        return sum(BLOCKED in means(m) for m in measured), len(measured)

    most = max(results, key=n_measured)
    rows: Table = {}
    for result in results:
        if host(result) == host(most):
            for measurement in result["measurements"]:
                row = rows.setdefault(measurement["size"]["vertices"], {})
                for name, runs in measurement["runs"].items():
                    if result is most or contestant(name, measurement) == CORE:
                        row[contestant(name, measurement)] = runs
    return dict(sorted(rows.items()))


def draw(results: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw seconds over vertices for each contestant, and the article's measurements."""
    plt = report.pyplot()
    rows = _of_one_host(results)
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for name in COLUMNS:
        points = [(n, np.mean(row[name])) for n, row in rows.items() if name in row]
        if points:
            axes.plot(*zip(*points, strict=True), "o-", label=name)
    for k, name in enumerate((CORE, NAIVE, BLOCKED)):
        known = [(n, times[k]) for n, times in THEIRS.items() if times[k]]
        axes.plot(*zip(*known, strict=True), "x", color="#595959", markersize=5 + 2 * k)
        axes.annotate(
            f"article: {name}",
            known[-1],
            (8, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color="#595959",
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("vertices")
    axes.set_ylabel("seconds")
    axes.legend()
    report.save(figure, path)
