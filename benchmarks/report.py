"""Writes Markdown tables and a picture from results/*.json.

docs/benchmarks.md gets a row for each kind of work, then every case, and the fraction of the
arithmetic bound where there is one. The README gets the picture of ten kinds of work, and what GPUs
gain.

python -m benchmarks.report            # rewrites the text between the markers, and the PNG
python -m benchmarks.report --check    # fails when a document does not show the results
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import by_size, headlines, others, picture
from benchmarks.cluster import row_order_table
from benchmarks.picture import pyplot, save
from benchmarks.result_format import load

__all__ = ["pyplot", "save"]

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "figures"
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"


@dataclass(frozen=True)
class Line:
    """One measurement, with the benchmark, the machine and the versions of its file."""

    benchmark: str
    machine: str
    versions: dict[str, str]
    started: str
    measurement: dict[str, Any]

    @property
    def key(self) -> tuple[Any, ...]:
        # Rivals so slow that they ran once have runs of their own: none without them replaces it.
        m = self.measurement
        rivals = others.OTHERS.keys() & m["ratios"].keys()
        once = frozenset(rival for rival in rivals if others.ran_once(rival, m))
        return self.machine, m["case"], m["device"], m["threads"], once


#: Benchmarks and suites whose tables are on other pages.
NOT_SHOWN = {"builds", "row_order"}
NOT_SHOWN_SUITES = {"smoke", "seed-003-clusters"}


def read(folder: Path) -> list[Line]:
    """Return the newest measurement of each case on each machine, in the files' order."""
    newest: dict[tuple[Any, ...], Line] = {}
    for path in sorted(folder.glob("*.json")):
        result = load(path)
        if result["suite"] in NOT_SHOWN_SUITES or result["benchmark"] in NOT_SHOWN:
            continue
        machine = machine_name(result["machine"])
        for m in result["measurements"]:
            shown = others.without_unversioned(m, result["versions"])
            about = result["benchmark"], machine, result["versions"], result["started"]
            line = Line(*about, shown)
            if line.key not in newest or newest[line.key].started < line.started:
                newest[line.key] = line
    return list(newest.values())


def machine_name(machine: dict[str, Any]) -> str:
    """Return "NVIDIA H200, 16 cores of Intel Xeon" or "2 cores of ..."."""
    cpu = machine["cpu"].replace("(R)", "").replace(" Processor", "")
    cores = f"{machine['cores']} cores of {cpu}"
    gpu = (machine["device_name"] or "").removesuffix(" 80GB HBM3")
    return f"{gpu}, {cores}" if gpu else cores


def _versions(lines: list[Line]) -> str:
    """Return "numpy 2.4.6 or 2.5.2, scipy 1.18.1": all but the library itself and Python.

    The hashes of programs, which the files have, are left out.
    """
    found: dict[str, set[str]] = {}
    for line in lines:
        for name, version in line.versions.items():
            found.setdefault(name, set()).add(version.partition(", sha256")[0])
    for own in ("python", "warpgraph"):
        found.pop(own, None)
    return ", ".join(f"{name} {' or '.join(sorted(found[name]))}" for name in found)


def markdown(lines: list[Line]) -> str:
    """Return a section for each benchmark, with a table for each machine."""
    if not lines:
        return "No results are committed yet."
    parts = []
    benchmarks = dict.fromkeys(line.benchmark for line in lines)
    for benchmark in sorted(benchmarks, key=others.section_place):
        parts.append(others.section_heading(benchmark))
        here = [line for line in lines if line.benchmark == benchmark]
        for machine in sorted({line.machine for line in here}, key=_machine_place):
            of_machine = [line for line in here if line.machine == machine]
            parts.append(f"### {machine}\n\n{_table(of_machine)}")
    return "\n\n".join(parts)


def _machine_place(machine: str) -> tuple[bool, bool, str]:
    """Return what orders machines: those without a GPU, then those with one."""
    return "NVIDIA" in machine, not machine.startswith("2 cores"), machine


def machines(lines: list[Line]) -> str:
    """Return a table of the machines: when they were measured, and with what."""
    rows = [
        "## Machines and versions",
        "",
        "| machine | measured | versions |",
        "|---|---|---|",
    ]
    for machine in sorted({line.machine for line in lines}, key=_machine_place):
        here = [line for line in lines if line.machine == machine]
        days = sorted({line.started[:10] for line in here})
        period = f"{days[0]} to {days[-1]}" if len(days) > 1 else days[0]
        rows.append(f"| {machine} | {period} | {_versions(here)} |")
    return "\n".join(rows)


def _table(lines: list[Line]) -> str:
    """Return the table of a benchmark on a machine; columns that would be empty are left out."""
    copied = any(m["ours"] + others.WITH_COPY in m["medians"] for m in _measurements(lines))
    rivals = any(others.OTHERS.keys() & m["ratios"].keys() for m in _measurements(lines))
    methods = any(_own(m) for m in _measurements(lines))
    columns = ["case", "size", "where", "ms"]
    columns += ["from a SciPy matrix, ms"] * copied
    columns += ["times faster than"] * rivals
    columns += ["than other methods of warpgraph"] * methods
    kinds = ["---", "--:", "---", "--:", *["--:"] * copied, *["---"] * (rivals + methods)]
    rows = [columns, kinds, *(_row(line, copied, rivals, methods) for line in lines)]
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
    cells = others.shown_case(m["case"]), line.machine, _where(m), f"{rate:,.0f}", f"{part:.0%}"
    return f"| {' | '.join(cells)} |"


def _row(line: Line, copied: bool, rivals: bool, methods: bool) -> list[str]:
    m = line.measurement
    size = ", ".join(_amount(count, what) for what, count in m["size"].items()) + _counted(m)
    took = _number(1e3 * m["medians"][m["ours"]]) + others.marks(m["ours"], m)
    unchecked = "" if m["checked"] else others.UNCHECKED_MARK
    where = f"{_where(m)}{', wg.Graph' if others.is_of_kept_graph(m) else ''}"
    cells = [f"{others.shown_case(m['case'])}{unchecked}", size, where, took]
    if copied:
        seconds = m["medians"].get(m["ours"] + others.WITH_COPY)
        cells.append(_number(1e3 * seconds) if seconds else "")
    if rivals:
        found = [name for name in m["ratios"] if name in others.OTHERS]
        cells.append(", ".join(_ratio(name, m["ratios"][name], line) for name in found))
    if methods:
        cells.append(", ".join(_ratio(name, m["ratios"][name], line) for name in _own(m)))
    return cells


def _counted(measurement: dict[str, Any]) -> str:
    """Return what warpgraph counted: "; 96 MB moved", or "; at most 5 rounds" if runs differ."""
    counted = measurement.get("counts", {}).get(measurement["ours"], {})
    shown = [
        ("" if min(counts) == max(counts) else "at most ") + _amount(max(counts), what)
        for what, counts in counted.items()
    ]
    return f"; {', '.join(shown)}" if shown else ""


def _ratio(rival: str, ratio: float, line: Line) -> str:
    """Return "scipy (1 core) 12.3"."""
    place = others.place(rival, line.measurement)
    name = others.shown_name(rival)
    named = f"{name} ({place})" if place else name
    return f"{named}{others.marks(rival, line.measurement)} {_number(ratio)}"


def _amount(count: int, what: str) -> str:
    """Return "12 rows", and of "peak bytes of scratch": "1.91 GB peak of scratch"."""
    if "bytes " not in what:
        return f"{count:,} {what}"
    unit, of_one = ("GB", 1e9) if count >= 1e9 else ("MB", 1e6)
    return f"{count / of_one:.3g} {unit} {what.replace('bytes ', '')}"


def _where(measurement: dict[str, Any]) -> str:
    device = str(measurement["device"])
    if device == "cpu":
        return threads(measurement["threads"])
    return "GPU" if device == "cuda:0" else device


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def insert(text: str, tables: str) -> str:
    """Return a document with `tables` between its markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"the document has no markers {BEGIN} ... {END}")
    return f"{before}{begin}\n\n{tables}\n\n{end}{after}"


def page(lines: list[Line]) -> str:
    """Return what docs/benchmarks.md shows of the results."""
    by_case = [line for line in lines if not by_size.is_of_sizes(line)]
    glance = f"## At a glance\n\n{ABOUT_THE_GLANCE}\n\n{headlines.table(lines)}"
    parts = [glance, others.wrapped(others.LEGEND), markdown(by_case) + bounds(by_case)]
    return "\n\n".join(parts) + by_size.tables(lines) + "\n\n" + machines(lines)


def write_experiments(options: argparse.Namespace) -> None:
    """Rewrite or check the page of experiments, and draw its pictures."""
    from benchmarks.experiments.page import document, pictures

    results = document.committed(options.results)
    if not results:
        return
    path = options.experiments
    old = path.read_text(encoding="utf-8")
    new = document.insert(old, document.blocks(results))
    if found := document.problems(new):
        raise SystemExit(f"{path}: " + "; ".join(found))
    if options.check and new != old:
        raise SystemExit(f"the tables of {path} are not those of results/: run report.py")
    if not options.check:
        path.write_text(new, encoding="utf-8")
        pictures.draw_all(results, PICTURES)


def write_row_order(options: argparse.Namespace) -> None:
    """Rewrite or check the tables of labels that another order of the rows changes."""
    if shown := row_order_table.tables(options.results):
        _write(options.row_order, shown, options.check)


def _write(document: Path, shown: str, check: bool) -> None:
    old = document.read_text(encoding="utf-8")
    new = insert(old, shown)
    if new == old:
        return
    if check:
        raise SystemExit(f"the tables of {document} are not those of results/: run report.py")
    document.write_text(new, encoding="utf-8")


#: Above the table of all kinds of work.
ABOUT_THE_GLANCE = others.wrapped(
    "Milliseconds, medians. The fastest other program ran on the same machine in the same run; in "
    'the last column, programs on CPU cores are marked by the number of cores, as in "(16 '
    'threads)", and all others run on the GPU.'
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Rewrite or check the documents, and draw the picture."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--readme", type=Path, default=ROOT / "README.md")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks.md")
    parser.add_argument("--picture", type=Path, default=PICTURES / "benchmarks.png")
    parser.add_argument("--check", action="store_true", help="change nothing; fail on a difference")
    parser.add_argument("--experiments", type=Path, default=ROOT / "docs" / "experiments.md")
    parser.add_argument("--row-order", type=Path, default=ROOT / "docs" / "how" / "hdbscan.md")
    options = parser.parse_args(arguments)
    lines = read(options.results)
    write_experiments(options)
    write_row_order(options)
    image = Path(os.path.relpath(options.picture, options.readme.parent)).as_posix()
    tables = {options.readme: headlines.readme(lines, image), options.page: page(lines)}
    for document, shown in tables.items():
        _write(document, shown, options.check)
    bars = picture.measured(lines)
    if options.check and bars and picture.drawn(options.picture) != picture.description(bars):
        raise SystemExit(f"{options.picture} does not show the results: run report.py")
    if not options.check and bars:
        picture.draw(bars, options.picture)


if __name__ == "__main__":
    main()
