"""The tables of wg.csgraph against SciPy: a row a function, a column a number of vertices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from benchmarks import others
from benchmarks.page import speed

#: "csgraph.dijkstra, unweighted, sparse, 1000 vertices": function, kind of matrix, vertices.
CASE = re.compile(r"csgraph\.(.+), (sparse|dense), (\d+) vertices")
#: SciPy is slower from here on: times differ by a few percent between runs of the same code.
FASTER = 1.1

Ratios = dict[int, float]


def is_of_sizes(line: Any) -> bool:
    """Return whether a line belongs to these tables."""
    return CASE.fullmatch(line.measurement["case"]) is not None


def tables(lines: Sequence[Any]) -> str:
    """Return a table for each machine and number of threads."""
    found: dict[str, dict[tuple[str, str], Ratios]] = {}
    for line in lines:
        case = CASE.fullmatch(line.measurement["case"])
        if case is None or "scipy" not in line.measurement["ratios"]:
            continue
        name, kind, n = case.groups()
        rows = found.setdefault(_heading(line), {})
        rows.setdefault((name, kind), {})[int(n)] = line.measurement["ratios"]["scipy"]
    title = f"\n\n{others.section_heading('csgraph')}" if found else ""
    return title + "".join(f"\n\n{about}\n\n{_table(rows)}" for about, rows in found.items())


def _heading(line: Any) -> str:
    count = line.measurement["threads"]
    older = others.OLDER_MARK if speed.is_older(line) else ""
    return (
        f"`warpgraph.csgraph` on {count} thread{'s' * (count > 1)}, {line.machine}{older}. The "
        "columns are numbers of vertices; a cell has\n"
        "SciPy's time divided by warpgraph's. The last column "
        f"has the number of vertices from which on this is at least {FASTER}."
    )


def _table(rows: dict[tuple[str, str], Ratios]) -> str:
    sizes = sorted({n for ratios in rows.values() for n in ratios})
    columns = ["function", "matrix", *(f"{n:,}" for n in sizes), "faster from"]
    lines = [columns, ["---", "---", *["--:"] * (len(sizes) + 1)]]
    for (name, kind), ratios in rows.items():
        shown = [_number(ratios[n]) if n in ratios else "" for n in sizes]
        lines.append([name, kind, *shown, _faster_from(ratios)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _faster_from(ratios: Ratios) -> str:
    """Return the smallest size from which on all ratios are of a faster function."""
    start = ""
    for n in sorted(ratios, reverse=True):
        if ratios[n] < FASTER:
            break
        start = f"{n:,}"
    return start


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"
