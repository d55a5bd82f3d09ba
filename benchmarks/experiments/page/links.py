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
    blocks["004 targets"] = _targets(rows, runs)
    return blocks


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
