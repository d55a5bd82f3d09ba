"""Writes Markdown tables and a picture of the ratios from results/*.json.

docs/benchmarks.md gets every case, and the fraction of the arithmetic bound where there is one; the
README gets a row for each kind of work, and the picture representative cases beside the programs of
others.

python -m benchmarks.report            # rewrites the text between the markers, and the PNG
python -m benchmarks.report --check    # fails when a document does not show the results
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import by_size, headlines, others, picture
from benchmarks.picture import save
from benchmarks.result_format import load

__all__ = ["save"]

ROOT = Path(__file__).parent.parent
#: The cases of the picture: each algorithm on its typical inputs, and on roads.
PICTURED = (
    r"^(bfs|weak|strong|pagerank), (R-MAT scale 20, (kept graph|directed)|n[ye]-road, kept graph"
    r"|grid 2048 x 2048, kept graph)$"
    r"|^sssp, (n[ye]-road|rmat 2[024]|ssca2 2[02]|grid 4900.*), int32, resident$"
    r"|^sssp, (n[ye]-road|rmat 2[024]|ssca2 22|grid 4900.*), int32, distances stay on the device$"
    r"|^sssp, (rmat 20|ny-road), float64$"
    r"|^many_to_many, (ny-road|rmat 16), 256 sources$"
    r"|^sweeps, ny-road, 1024 sources$|^sweeps on the device, (ny|col)-road"
    r"|^apsp, n = 2000, (float64|float32), general$"
    r"|^apsp, n = (1024|4096|16384), int32, 32-bit sums, .*on the device$|^apsp, n = 32768"
    r"|^minimum_spanning_forest, (rmat (18|20)|ny-road), float64$"
    r"|^minimum_spanning_forest, edge .*, (n[ye]-road|rmat 2[024]|ssca2 22|grid 4900 .*), int32$"
    r"|^ranks of the forest by CPU and GPU, ssca2 24, renumbered, float32, half fits"
    r"|^euclidean_mst, 1 million points, [235]-D$"
    r"|^euclidean_mst, (1|10|37) million points, [35]-D, float32, all on the device$"
    r"|^single_linkage of the tree of 37 million|^KMeans, 10 million .* uniform, one iteration$"
    r"|^MSTClustering, (100? thousand points|graph, 100 thousand vertices, 2 million edges)$"
)
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


#: Benchmarks whose tables are on other pages.
NOT_SHOWN = {"builds", "row_order"}


def read(folder: Path) -> list[Line]:
    """Return the newest measurement of each case on each machine, in the files' order."""
    newest: dict[tuple[Any, ...], Line] = {}
    for path in sorted(folder.glob("*.json")):
        result = load(path)
        if result["suite"] == "smoke" or result["benchmark"] in NOT_SHOWN:
            continue
        machine = machine_name(result["machine"])
        for m in result["measurements"]:
            shown = others.without_unversioned(m, result["versions"])
            about = result["benchmark"], machine, result["versions"], result["started"]
            line = Line(*about, shown)
            if line.key not in newest or newest[line.key].started < line.started:
                newest[line.key] = line
    return list(newest.values())


def with_all_threads(lines: list[Line]) -> list[Line]:
    """Return the measurements with the largest number of threads of each case and machine."""
    most: dict[tuple[Any, ...], int] = {}
    for line in lines:
        case = line.key[:3]
        most[case] = max(most.get(case, 0), line.measurement["threads"])
    return [line for line in lines if line.measurement["threads"] == most[line.key[:3]]]


def machine_name(machine: dict[str, Any]) -> str:
    """Return "NVIDIA H200, 16 cores of ..." or "2 cores of ..."."""
    cores = f"{machine['cores']} cores of {machine['cpu']}"
    return f"{machine['device_name']}, {cores}" if machine["device_name"] else cores


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


#: Above the tables of machines with a GPU.
ON_A_GPU = (
    '"Graph on the device" means that the graph was copied to the device before the clock starts, '
    "with what the\nfirst call prepared. The result is copied to the host unless the case says "
    'that it stays. The column "with the copy"\nhas the time of the same call from the SciPy '
    "matrix, which is checked and copied each time; it was measured\nwhere SciPy is compared."
)


def markdown(lines: list[Line]) -> str:
    """Return a section for each machine, with a table for each benchmark."""
    if not lines:
        return "No results are committed yet."
    parts = [others.LEGEND]
    for machine in dict.fromkeys(line.machine for line in lines):
        here = [line for line in lines if line.machine == machine]
        has_gpu = any(line.measurement["device"] != "cpu" for line in here)
        parts += [f"## {machine}", _sources(here), *([ON_A_GPU] if has_gpu else [])]
        benchmarks = dict.fromkeys(line.benchmark for line in here)
        for benchmark in sorted(benchmarks, key=others.section_place):
            parts.append(
                _section(benchmark, [line for line in here if line.benchmark == benchmark])
            )
    return "\n\n".join(parts)


def _section(benchmark: str, lines: list[Line]) -> str:
    """Return the heading and the table of a benchmark."""
    has_gpu = any(line.measurement["device"] != "cpu" for line in lines)
    copies = " with the copy, ms |" if has_gpu else ""
    rows = [
        *others.section_heading(benchmark),
        f"| case | size | device | ms |{copies} times faster than |",
        f"|---|--:|---|--:|{'--:|' if has_gpu else ''}---|",
        *(_row(line, has_gpu) for line in lines),
    ]
    return "\n".join(rows)


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
    return f"| {m['case']} | {line.machine} | {_where(m)} | {rate:,.0f} | {part:.0%} |"


def _sources(lines: list[Line]) -> str:
    days = sorted({line.started[:10] for line in lines})
    period = f"from {days[0]} to {days[-1]}" if len(days) > 1 else f"on {days[0]}"
    versions = _versions(lines)
    sentence = f"Measured {period}" + (f" with {versions}." if versions else ".")
    return others.wrapped(sentence)


def _row(line: Line, has_gpu: bool) -> str:
    m = line.measurement
    size = ", ".join(_amount(count, what) for what, count in m["size"].items()) + _counted(m)
    copied = m["ours"] + others.WITH_COPY
    ratios = ", ".join(
        _ratio(rival, ratio, line) for rival, ratio in m["ratios"].items() if rival != copied
    )
    took = _number(1e3 * m["medians"][m["ours"]]) + others.marks(m["ours"], m)
    unchecked = "" if m["checked"] else others.UNCHECKED_MARK
    copies = ""
    if has_gpu:
        copies = f" {_number(1e3 * m['medians'][copied]) if copied in m['medians'] else ''} |"
    is_there = m["resident"] or m["case"].startswith("article's forest")  # prepared beforehand
    where = f"{_where(m)}{', graph on the device' if is_there and m['device'] != 'cpu' else ''}"
    return f"| {m['case']}{unchecked} | {size} | {where} | {took} |{copies} {ratios} |"


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
    return threads(measurement["threads"]) if device == "cpu" else device


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


def read_experiment(
    suite: str, arguments: Sequence[str] | None
) -> tuple[list[dict[str, Any]], Path]:
    """Return the results of one suite named on the command line, and the path of its picture."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+", help=f"files of the suite {suite}")
    parser.add_argument("--picture", type=Path, default=ROOT / "docs" / f"{suite}.png")
    options = parser.parse_args(arguments)
    results = [load(path) for path in options.results]
    for path, result in zip(options.results, results, strict=True):
        if result["suite"] != suite:
            raise SystemExit(f"{path} is of suite {result['suite']!r}, not {suite}")
    return results, options.picture


def main(arguments: Sequence[str] | None = None) -> None:
    """Rewrite or check the documents, and draw the picture."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--readme", type=Path, default=ROOT / "README.md")
    parser.add_argument("--pictured", default=PICTURED, help="regular expression: its cases")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks.md")
    parser.add_argument("--picture", type=Path, default=ROOT / "docs" / "benchmarks.png")
    parser.add_argument("--check", action="store_true", help="change nothing; fail on a difference")
    options = parser.parse_args(arguments)
    lines = read(options.results)
    chosen = [line for line in lines if re.search(options.pictured, line.measurement["case"])]
    chosen = with_all_threads(chosen)
    others = [line for line in lines if not by_size.is_of_sizes(line)]
    tables = {
        options.readme: headlines.table(lines),
        options.page: markdown(others) + bounds(others) + by_size.tables(lines),
    }
    for document, shown in tables.items():
        old = document.read_text(encoding="utf-8")
        new = insert(old, shown)
        if new == old:
            continue
        if options.check:
            raise SystemExit(f"the tables of {document} are not those of results/: run report.py")
        document.write_text(new, encoding="utf-8")
    if not options.check and any(line.measurement["ratios"] for line in chosen):
        picture.draw(chosen, options.picture)


if __name__ == "__main__":
    main()
