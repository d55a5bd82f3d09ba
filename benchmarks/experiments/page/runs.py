"""Results of experiments: which rows a table shows, and the run that each row is of.

A row is one measurement, so all its numbers are of one process on one machine. Tables name the run
of each row, R1, R2 ..., and `Runs.table` says which machine, commit and day each run has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.page.measured import machine_name
from benchmarks.result_format import load

Result = dict[str, Any]
Measurement = dict[str, Any]


def read(files: Iterable[Path]) -> list[Result]:
    """Return results with the names of their files, the newest first."""
    results = [load(path) | {"file": path.name} for path in files]
    return sorted(results, key=lambda result: str(result["started"]), reverse=True)


@dataclass
class Runs:
    """The runs that tables name, in the order in which they are named first."""

    named: list[Result] = field(default_factory=list)

    def name(self, result: Result) -> str:
        """Return "R3"."""
        files = [run["file"] for run in self.named]
        if result["file"] not in files:
            self.named.append(result)
            files.append(result["file"])
        return f"R{files.index(result['file']) + 1}"

    def table(self) -> str:
        """Return machine, day, commit and file of each run that was named."""
        rows = [
            [
                self.name(run),
                machine_name(run["machine"]),
                run["started"][:10],
                run["commit"][:9],
                f"`{run['file'].removesuffix('.json')}`",
            ]
            for run in self.named
        ]
        return table(["run", "machine", "day", "commit", "file"], rows, text=5)


@dataclass(frozen=True)
class Row:
    """A measurement and the result that it is of."""

    measurement: Measurement
    result: Result

    @property
    def ours(self) -> float:
        return float(self.measurement["medians"][self.measurement["ours"]])

    @property
    def named(self) -> dict[str, float]:
        """The medians by contestant."""
        return dict(self.measurement["medians"])


def of_suite(results: Sequence[Result], suite: str) -> list[Result]:
    return [result for result in results if result["suite"] == suite]


def measured(
    results: Sequence[Result], wanted: Callable[[Measurement], bool] = lambda _: True
) -> Iterator[Row]:
    """Yield each measurement, those of the newest result first."""
    for result in results:
        for measurement in result["measurements"]:
            if wanted(measurement):
                yield Row(measurement, result)


def newest(
    results: Sequence[Result], wanted: Callable[[Measurement], bool] = lambda _: True
) -> list[Row]:
    """Return the measurements that have a contestant which no newer one of their case has.

    The order is that of the cases in `results`, the newest measurement of a case first.
    """
    cases: dict[tuple[str, str, int], list[Row]] = {}
    seen: dict[tuple[str, str, int], set[str]] = {}
    for row in measured(results, wanted):
        m = row.measurement
        key = m["case"], m["device"], m["threads"] if m["device"] == "cpu" else 0
        names = set(m["runs"]) - {m["ours"]}
        if key not in cases or not names <= seen[key]:
            cases.setdefault(key, []).append(row)
            seen.setdefault(key, set()).update(names)
    return [row for rows in cases.values() for row in rows]


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], text: int = 1) -> str:
    """Return a table whose first `text` columns are aligned to the left."""
    rows = list(rows)
    if not rows:
        return "(No results are committed yet.)"
    kinds = ["---" if k < text else "--:" for k in range(len(columns))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, kinds, *rows))


def milliseconds(seconds: float | None) -> str:
    """Return "1.57", "26.7" or "2,620"; "-" of nothing."""
    if seconds is None:
        return "-"
    value = 1e3 * seconds
    return f"{value:,.0f}" if value >= 999.5 else f"{value:.3g}"


def of_three_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 999.5 else f"{value:.3g}"
