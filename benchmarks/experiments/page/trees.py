"""Tables of the experiments on spanning trees and clusters: article 003."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.experiments import seed_003
from benchmarks.experiments.page import articles
from benchmarks.experiments.page.runs import (
    Measurement,
    Result,
    Row,
    Runs,
    milliseconds,
    newest,
    of_suite,
    of_three_digits,
    table,
)

Blocks = dict[str, str]


def forests(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return graphs, rates, rounds and the help of cores of article 003."""
    rows = sorted(newest(of_suite(results, "seed-003")), key=lambda r: graph_of(r.measurement))
    cut = [
        row
        for row in newest(of_suite(results, "hybrid"))
        if row.measurement["case"].startswith(HELPED)
    ]
    return {
        "003 graphs": _graphs(rows),
        "003 rates": _rates(rows, runs),
        "003 transformations": _transformations(rows, runs),
        "003 rounds": _rounds(rows, runs),
        "003 cores": _help_of_cores(cut, runs),
    }


HELPED = "ranks of the forest by CPU and GPU, "


def graph_of(m: Measurement) -> tuple[str, int]:
    """Return "rmat" and the scale."""
    kind, scale = m["case"].split(", ")[1].split()
    return kind, int(scale)


def _name(row: Row) -> str:
    return "{} {}".format(*graph_of(row.measurement))


def _graphs(rows: Sequence[Row]) -> str:
    """Return the article's sizes beside ours; ours are neighbours of 4 bytes, weights of 8."""
    sizes = {graph_of(row.measurement): row.measurement["size"] for row in rows}
    lines = []
    for scale in sorted({scale for _, scale in sizes} | set(articles.SIZES_003)):
        theirs = articles.SIZES_003.get(scale)
        shown = [f"{count:,}" for count in theirs[:2]] if theirs else ["-", "-"]
        cells = [str(scale), f"{2**scale:,}", *shown, f"{theirs[2]:g}" if theirs else "-"]
        for kind in seed_003.KINDS:
            size = sizes.get((kind, scale))
            cells.append(f"{size['edges']:,}" if size else "-")
        size = sizes.get((seed_003.KINDS[0], scale))
        cells.append(f"{size['bytes'] / 1e9:.3g}" if size else "-")
        lines.append(cells)
    columns = ["scale", "vertices", "arcs of R-MAT, article", "of SSCA2, article", "GB, article"]
    return table([*columns, "arcs of R-MAT, here", "of SSCA2, here", "GB, here"], lines)


def _rates(rows: Sequence[Row], runs: Runs) -> str:
    found = [(row, seed_003.rates_of(row.measurement)) for row in rows]
    names = list(dict.fromkeys(name for _, rates in found for name in rates))
    lines = [
        [_name(row), runs.name(row.result)]
        + [of_three_digits(rates[name]) if name in rates else "-" for name in names]
        for row, rates in found
    ]
    return table(["million arcs a second", "run", *names], lines)


def _transformations(rows: Sequence[Row], runs: Runs) -> str:
    lines, shown = [], set()
    for row in rows:
        size, name = row.measurement["size"], _name(row)
        if "bytes compressed" not in size or name in shown:
            continue
        shown.add(name)
        shrinks = size["bytes of neighbours"] / size["bytes of compressed neighbours"]
        seconds = [size[f"microseconds of {what}"] / 1e6 for what in ("transforming", "preparing")]
        bytes_shown = [f"{size[what] / 1e9:.3f}" for what in ("bytes", "bytes compressed")]
        cells = [name, runs.name(row.result), *bytes_shown, f"{shrinks:.2f}"]
        lines.append([*cells, *(f"{s:.2f}" for s in seconds)])
    columns = ["graph", "run", "GB", "compressed, GB", "neighbours shrink, times"]
    return table([*columns, "transforming, s", "preparing on the GPU, s"], lines)


def _rounds(rows: Sequence[Row], runs: Runs) -> str:
    lines = []
    for row in rows:
        size = row.measurement["size"]
        if "rounds" not in size:
            continue
        rates = seed_003.rates_of(row.measurement)
        plain = rates.get(seed_003.NOT_RENUMBERED)
        searching = size["microseconds of search kernels"] / size["microseconds of kernels"]
        gain = f"{rates['GPU'] / plain:.2f}" if plain and "GPU" in rates else "-"
        kernels = f"{size['microseconds of kernels'] / 1e3:.3g}"
        cells = [_name(row), runs.name(row.result), str(size["rounds"]), kernels]
        lines.append([*cells, f"{searching:.0%}", gain])
    columns = ["graph", "run", "rounds", "kernels, ms", "share of the search"]
    return table([*columns, "gain by renumbering, times"], lines)


def _help_of_cores(rows: Sequence[Row], runs: Runs) -> str:
    lines = []
    for row in rows:
        m = row.measurement
        name = m["case"].removeprefix(HELPED).replace("resident", "all fits")
        share = m["size"]["arcs on the device"] / m["size"]["edges"]
        alone = milliseconds(row.named.get("GPU alone"))
        bus = milliseconds(row.named.get("GPU over the bus"))
        cells = [name, runs.name(row.result), f"{share:.0%}", milliseconds(row.ours)]
        lines.append([*cells, alone, bus])
    columns = ["ms, graph", "run", "arcs on the GPU", "GPU and cores", "GPU alone"]
    return table([*columns, "GPU, other arcs over the bus"], lines)
