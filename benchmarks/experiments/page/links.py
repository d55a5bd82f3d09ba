"""Tables of figure 2 and table 6 of article 004, and of the targets that its experiments have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.experiments import all_reduce as reduction, seed_004, seed_004_links
from benchmarks.experiments.page.runs import (
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

#: Blocks of the page, and the cases in each.
CASES = {
    "004 figure 2a": r"^direct access",
    "004 figure 2b": r"^link between GPUs",
    "004 buffers": r"^buffers of a link between GPUs",
    "004 figure 2c": r"^ways between GPUs",
    "004 figure 2d": r"^broadcast to (?!1 )",
    "004 latency": r"^latency of 4 bytes, (?=.* and )",
    "004 host": r"^(host to|runtime, predicate_filter on)",
    "004 table 6": r"^filter on a GPU",
}


def links(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return a table for each part of figure 2, and the others."""
    rows = newest(of_suite(results, "seed-004-links"))
    blocks = {}
    for block, pattern in CASES.items():
        lines = []
        for row in rows:
            if re.search(pattern, row.measurement["case"]):
                lines += _lines(row, runs)
        blocks[block] = table(
            ["case", "contestant", "run", "median", "least to most"], lines, text=2
        )
    return blocks | {
        "004 orders": _orders(rows, runs),
        "004 overheads": _overheads(rows, runs),
        "004 targets": _targets(rows, runs),
    }


def _orders(rows: Sequence[Row], runs: Runs) -> str:
    """Return how many times as fast coalesced accesses are as random ones, both of 4 bytes."""
    named = {row.measurement["case"]: row for row in rows}
    lines = []
    for case, row in named.items():
        what = case.removeprefix("direct access, coalesced ")
        other = named.get(f"direct access, random {what}")
        if what == case or other is None or other.result is not row.result:
            continue
        gigabytes = [row.measurement["size"]["bytes accessed"] / row.ours / 1e9]
        gigabytes += [other.measurement["size"]["bytes accessed"] / other.ours / 1e9]
        cells = [what, runs.name(row.result), *(seed_004_links.shown(rate) for rate in gigabytes)]
        lines.append([*cells, f"{gigabytes[0] / gigabytes[1]:.3g}"])
    columns = ["accesses of 4 bytes", "run", "coalesced, GB/s", "random, GB/s", "times as fast"]
    return table(columns, lines)


def _overheads(rows: Sequence[Row], runs: Runs) -> str:
    """Return the time that packets take beyond one copy of the message, in percent of that."""
    names = ("link", "a cudaMemcpyPeerAsync for each packet")
    lines = []
    for row in rows:
        case = row.measurement["case"]
        if not re.search(CASES["004 figure 2b"], case):
            continue
        one = row.named[seed_004_links.PLAIN]
        over = [
            f"{of_three_digits(100 * (row.named[n] / one - 1))} %" if n in row.named else "-"
            for n in names
        ]
        lines.append([case.split(", ")[1].removesuffix(" packets"), runs.name(row.result), *over])
    return table(["overhead of packets of", "run", *names], lines)


def all_reduce(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return the times of all-reduce by way and by number of endpoints."""
    rows = newest(of_suite(results, seed_004.SUITE), lambda m: m["case"].startswith(reduction.NAME))
    names = (reduction.HOST, reduction.POLICY)
    lines = [
        [*row.measurement["case"].removeprefix(reduction.NAME).split(", "), runs.name(row.result)]
        + [milliseconds(seconds) for seconds in (row.ours, *(row.named.get(n) for n in names))]
        for row in rows
    ]
    columns = ["ms, array", "endpoints", "run", reduction.RING, *names]
    return {"004 all-reduce": table(columns, lines, text=2)}


def _lines(row: Row, runs: Runs) -> list[list[str]]:
    m = row.measurement
    lines = []
    for name, taken in m["runs"].items():
        share = m["size"].get(f"percent by the GPU, {name}")
        contestant = name if share is None else f"{name}: {share} % by the GPU"
        unit, factor = ("us", 1e6) if m["case"].startswith("latency") else ("ms", 1e3)
        spread = f"{factor * min(taken):.3g} to {factor * max(taken):.3g} {unit}"
        shown = seed_004_links.quantity(m, name)
        lines.append([m["case"], contestant, runs.name(row.result), shown, spread])
    return lines


def _targets(rows: Sequence[Row], runs: Runs) -> str:
    lines = [
        [*cells[:1], runs.name(row.result), *cells[1:]]
        for target in seed_004_links.TARGETS
        for row in rows
        if re.search(target.case, row.measurement["case"])
        for cells in (target.cells(row.measurement),)
    ]
    return table(["case", "run", "measured", "value", "target", "met"], lines)
