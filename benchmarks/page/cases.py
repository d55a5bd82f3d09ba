"""Tables of all cases: a section for each benchmark, with a table for each machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks import others
from benchmarks.page import speed
from benchmarks.page.measured import Line, machine_place


def markdown(lines: list[Line]) -> str:
    """Return a section for each benchmark, with a table for each machine."""
    parts = []
    for benchmark in dict.fromkeys(line.benchmark for line in lines):
        parts.append(others.section_heading(benchmark))
        here = [line for line in lines if line.benchmark == benchmark]
        for machine in sorted({line.machine for line in here}, key=machine_place):
            of_machine = [line for line in here if line.machine == machine]
            parts.append(f"### {machine}\n\nMeasured {days(of_machine)}.\n\n{_table(of_machine)}")
    return "\n\n".join(parts)


def days(lines: Sequence[Line]) -> str:
    """Return "2026-11-20", or "from 2026-11-20 to 2026-11-25"."""
    days = sorted({line.started[:10] for line in lines})
    return f"from {days[0]} to {days[-1]}" if len(days) > 1 else days[0]


def _table(lines: list[Line]) -> str:
    """Return the table of a benchmark on a machine; columns that would be empty are left out."""
    copied = any(m["ours"] + others.WITH_COPY in m["medians"] for m in _measurements(lines))
    rivals = any(others.ratios_of_others(line.measurement) or line.earlier for line in lines)
    methods = any(_own(m) for m in _measurements(lines))
    columns = ["case", "size", "where", "ms"]
    columns += ["from a SciPy matrix, ms"] * copied
    columns += ["times faster than"] * rivals
    columns += ["than other methods of warpgraph"] * methods
    kinds = ["---", "--:", "---", "--:", *["--:"] * copied, *["---"] * (rivals + methods)]
    rows = [columns, kinds, *(_row(line, copied, rivals, methods) for line in lines)]
    return written(rows)


def written(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of its rows: the names of columns, their kinds, and all others."""
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _measurements(lines: list[Line]) -> list[dict[str, Any]]:
    return [line.measurement for line in lines]


def _own(measurement: dict[str, Any]) -> list[str]:
    """Return the methods of warpgraph that a case is compared with."""
    copied = measurement["ours"] + others.WITH_COPY
    return [name for name in measurement["ratios"] if name not in others.OTHERS and name != copied]


def bounds(lines: list[Line]) -> str:
    """Return a table of the cases whose floor is arithmetic: their rate, and its fraction of it."""
    here = [
        line
        for line in lines
        if "relaxations" in (line.measurement["floor"] or {})
        and "with predecessors" not in line.measurement["case"]
    ]
    if not here:
        return ""
    rows = [
        "## Fraction of the arithmetic bound",
        "",
        "The table has the sums and minima that a call of `wg.apsp` computes in a second, and "
        "their fraction of what the\nsame machine computes from registers.",
        "",
        "| case | machine | device | 10⁹ a second | of the bound |",
        "|---|---|---|--:|--:|",
        *map(_bound, here),
    ]
    return "\n\n" + "\n".join(rows)


def _bound(line: Line) -> str:
    m = line.measurement
    took = m["medians"][m["ours"]]
    rate, part = m["floor"]["relaxations"] / took / 1e9, m["floor"]["seconds"] / took
    cells = others.shown_case(m["case"]), line.machine, where(m), f"{rate:,.0f}", f"{part:.0%}"
    return f"| {' | '.join(cells)} |"


def _row(line: Line, copied: bool, rivals: bool, methods: bool) -> list[str]:
    m = line.measurement
    size = ", ".join(_amount(count, what) for what, count in m["size"].items()) + _counted(m)
    took = number(1e3 * m["medians"][m["ours"]]) + others.marks(m["ours"], m)
    took += others.OLDER_MARK if speed.is_older(line) else ""
    unchecked = "" if m["checked"] else others.UNCHECKED_MARK
    place = f"{where(m)}{', wg.Graph' if others.is_of_kept_graph(m) else ''}"
    cells = [f"{others.shown_case(m['case'])}{unchecked}", size, place, took]
    if copied:
        seconds = m["medians"].get(m["ours"] + others.WITH_COPY)
        cells.append(number(1e3 * seconds) if seconds else "")
    if rivals:
        found = [name for name in m["ratios"] if name in others.OTHERS]
        shown = [_ratio(name, line) for name in found]
        shown += [f"{_ratio(name, old)} ({old.started[:10]})" for name, old in line.earlier.items()]
        cells.append(", ".join(shown))
    if methods:
        cells.append(", ".join(_ratio(name, line) for name in _own(m)))
    return cells


def _counted(measurement: dict[str, Any]) -> str:
    """Return what warpgraph counted: "; 96 MB moved", or "; at most 5 rounds" if runs differ."""
    counted = measurement.get("counts", {}).get(measurement["ours"], {})
    shown = [
        ("" if min(counts) == max(counts) else "at most ") + _amount(max(counts), what)
        for what, counts in counted.items()
    ]
    return f"; {', '.join(shown)}" if shown else ""


def _ratio(rival: str, line: Line) -> str:
    """Return "scipy (1 core) 12.3"."""
    ratio = line.measurement["ratios"][rival]
    place = others.place(rival, line.measurement)
    name = others.shown_name(rival)
    named = f"{name} ({place})" if place else name
    return f"{named}{others.marks(rival, line.measurement)} {number(ratio)}"


def _amount(count: int, what: str) -> str:
    """Return "12 rows", and of "peak bytes of scratch": "1.91 GB peak of scratch"."""
    if "bytes " not in what:
        return f"{count:,} {what}"
    unit, of_one = ("GB", 1e9) if count >= 1e9 else ("MB", 1e6)
    return f"{count / of_one:.3g} {unit} {what.replace('bytes ', '')}"


def where(measurement: dict[str, Any]) -> str:
    device = str(measurement["device"])
    if device == "cpu":
        return threads(measurement["threads"])
    return "GPU" if device == "cuda:0" else device


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"
