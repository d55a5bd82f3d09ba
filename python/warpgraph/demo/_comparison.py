"""Tasks that this library and SciPy solve: how fast, and whether the answers agree."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import warpgraph as wg

Array = npt.NDArray[Any]

REPEATS = 3  # the best of three: the first one also warms up caches and devices


@dataclass(frozen=True)
class Task:
    """One task: warpgraph's call, SciPy's call, and the comparison of two answers."""

    what: str
    size: str
    ours: Callable[[str], Any]
    scipys: Callable[[], Any]
    agree: Callable[[Any, Any], bool]


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    size: str
    device: str
    seconds: float
    scipy_seconds: float
    verified: bool


def solve_all(tasks: Sequence[Task], devices: Sequence[str], *, silent: bool = False) -> list[Row]:
    """Solve each task by SciPy and on each device, and print a table of it unless `silent`."""
    table = _Table(tasks, devices)
    rows = []
    if not silent:
        table.print_head()
    for task in tasks:
        for row in _solve(task, devices):
            rows.append(row)
            if not silent:
                table.print_row(row)
    return rows


def same_partition(a: Array, b: Array) -> bool:
    """Return whether two labellings define the same groups."""
    pairs = np.unique(np.column_stack((a, b)), axis=0)
    return len(pairs) == len(np.unique(a)) == len(np.unique(b))


def same_hops(hops: Array, order: Array, predecessors: Array) -> bool:
    """Return whether these are the hops in the tree of SciPy's breadth-first search."""
    source, others = order[0], order[1:]
    one_further = hops[others] == hops[predecessors[others]] + 1
    return bool(hops[source] == 0 and one_further.all() and np.sum(hops >= 0) == len(order))


def _solve(task: Task, devices: Sequence[str]) -> Iterator[Row]:
    expected, scipy_seconds = _best(task.scipys)
    for device in devices:
        answer, seconds = _best(lambda device=device: task.ours(device))  # type: ignore[misc]
        verified = bool(task.agree(answer, expected))
        yield Row(task.what, task.size, device, seconds, scipy_seconds, verified)


def _best(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what the work returns, and its shortest time."""
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        answer = work()
        seconds.append(time.perf_counter() - started)
    return answer, min(seconds)


class _Table:
    """Prints rows one by one; the first columns are as wide as their known contents."""

    def __init__(self, tasks: Sequence[Task], devices: Sequence[str]) -> None:
        self._widths = [
            max(len(task.what) for task in tasks),
            max(len(task.size) for task in tasks),
            max(len("device"), *map(len, devices)),
        ]

    def print_head(self) -> None:
        """Print what is run where, and the columns' names."""
        print(f"warpgraph {wg.__version__}, {wg.get_num_threads()} CPU threads\n")
        self._print(("what", "size", "device"), "time", "SciPy", "ratio", "verified")

    def print_row(self, row: Row) -> None:
        """Print what was found, how fast, and whether SciPy agrees."""
        self._print(
            (row.what, row.size, row.device),
            f"{1e3 * row.seconds:,.1f} ms",
            f"{1e3 * row.scipy_seconds:,.1f} ms",
            f"{row.scipy_seconds / row.seconds:.1f}x",
            "yes" if row.verified else "NO",
        )

    def _print(self, left: Sequence[str], *right: str) -> None:
        cells = [cell.ljust(width) for cell, width in zip(left, self._widths, strict=True)]
        cells += [cell.rjust(width) for cell, width in zip(right, (10, 10, 7, 8), strict=True)]
        print("  ".join(cells), flush=True)
