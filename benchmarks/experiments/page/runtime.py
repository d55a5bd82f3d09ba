"""Tables of the experiments on several GPUs: scaling, steps, parts and worklists of article 004."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

from benchmarks.experiments import beside_groute, seed_004, seed_004_steps, seed_004_worklists
from benchmarks.experiments.page import articles
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


def scaling(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return the times on 1, 2 and 4 GPUs, their speed-ups, and those of virtual members."""
    rows = newest(of_suite(results, seed_004.SUITE), seed_004.is_scaling)
    order = [*seed_004.NAMES, *seed_004.FOR_SEVERAL, *(graph for _, graph, _ in _more())]
    rows.sort(key=lambda row: order.index(_of(row)[1]) if _of(row)[1] in order else len(order))
    several = [row for row in rows if any(name.endswith(" GPUs") for name in row.named)]
    cores = [row for row in rows if row.measurement["device"] == "cpu"]
    shared = [row for row in rows if row not in several and row not in cores]
    names = _counts(several)
    speed_ups = []
    for row in several:
        one = row.named["1 GPU"]
        gains = [f"{one / row.named[n]:.2f}" if n in row.named else "-" for n in names[1:]]
        chosen = f"{one / row.ours:.2f}"
        speed_ups.append([*_of(row), runs.name(row.result), chosen, *gains])
    return {
        "004 graphs": _graphs(results, rows),
        "004 scaling": _times(several, names, "cuda:all", runs),
        "004 speed-ups": table(
            ["times one GPU", "graph", "run", "cuda:all", *names[1:]], speed_ups, text=2
        ),
        "004 one GPU": _times(shared, _counts(shared), "cuda:all", runs),
        "004 cores": _times(cores, _counts(cores), "as a whole", runs),
    }


def _graphs(results: Sequence[Result], scaling: Sequence[Row]) -> str:
    """Return what table 4 of the article has, of all graphs that were measured.

    Its files take 8 bytes for a node and for an edge with its weight, which are bytes here, too.
    """
    sizes: dict[str, dict[str, int]] = {}
    named = [(_of(row)[1], row) for row in scaling]
    for mark in (beside_groute.BESIDE, seed_004_steps.STEPS, seed_004_worklists.NAME):
        of_mark = newest(results, lambda m, mark=mark: mark in m["case"])
        named += [(row.measurement["case"].split(mark)[1].split(", ")[0], row) for row in of_mark]
    for graph, row in named:
        sizes[graph] = row.measurement["size"] | sizes.get(graph, {})
    lines = []
    for graph, size in sizes.items():
        n, m = size["vertices"], size["edges"]
        millions = [of_three_digits(count / 1e6) for count in (n, m)]
        largest = size.get(seed_004.LARGEST_DEGREE)
        cells = [graph, *millions, f"{m / n:.2f}", f"{largest:,}" if largest else "-"]
        lines.append([*cells, f"{8 * (n + m) / 1e9:.3g}"])
    columns = ["graph, here", "10⁶ nodes", "10⁶ arcs", "mean degree", "largest degree", "GB"]
    return table(columns, lines)


def _more() -> list[tuple[object, str, object]]:
    return list(seed_004.MORE.values())


def _of(row: Row) -> tuple[str, str]:
    """Return the algorithm and the graph."""
    algorithm, graph = row.measurement["case"].split(seed_004.SCALING)
    return algorithm, graph


def _counts(rows: Sequence[Row]) -> list[str]:
    """Return the contestants besides ours, by the number of devices."""
    names = dict.fromkeys(name for row in rows for name in row.measurement["ratios"])
    return sorted(names, key=lambda name: int(name.split()[0]))


def _times(rows: Sequence[Row], names: Sequence[str], ours: str, runs: Runs) -> str:
    lines = [
        [*_of(row), runs.name(row.result), milliseconds(row.ours)]
        + [milliseconds(row.named.get(name)) for name in names]
        for row in rows
    ]
    return table(["ms", "graph", "run", ours, *names], lines, text=2)


def steps(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return the whole calls of the suite of steps, and the steps by events of the GPUs."""
    rows = newest(of_suite(results, seed_004_steps.SUITE))
    rows.sort(key=lambda row: row.measurement["case"].split(seed_004_steps.STEPS)[::-1])
    stays = seed_004_steps.STAYS
    counts = [n for n in dict.fromkeys(n for row in rows for n in row.named) if n.endswith(" GPUs")]
    calls, within = [], []
    for row in rows:
        algorithm, graph = row.measurement["case"].split(seed_004_steps.STEPS)
        run = runs.name(row.result)
        took = [row.ours, row.named.get(stays), *(row.named.get(n) for n in counts)]
        calls.append([algorithm, graph, run, *map(milliseconds, took)])
        measured = row.measurement.get("counts", {})
        for what in dict.fromkeys(what for found in measured.values() for what in found):
            cells = [
                f"{statistics.median(measured[n][what]) / 1e3:.3g}"
                if what in measured.get(n, {})
                else "-"
                for n in counts
            ]
            name = what.removeprefix(seed_004_steps.MICROSECONDS)
            within.append([algorithm, graph, name, run, *cells])
    columns = ["ms of the call", "graph", "run", "1 GPU", "1 GPU, result stays there", *counts]
    return {
        "004 calls": table(columns, calls, text=2),
        "004 steps": table(["ms of a step", "graph", "step", "run", *counts], within, text=3),
    }


def parts(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return times with parts by METIS beside equal ranges of vertices."""
    rows = newest(
        of_suite(results, seed_004.SUITE),
        lambda m: not seed_004.is_scaling(m) and "METIS" in m["case"],
    )
    lines = []
    for row in rows:
        algorithm, where = row.measurement["case"].split(seed_004.PARTS)
        graph, members = where.split(", ", 1)
        took = [milliseconds(row.ours), milliseconds(row.named["equal split"])]
        size = row.measurement["size"]
        arcs = [f"{size[f'arcs between {of}']:,}" for of in ("parts", "equal ranges")]
        lines.append([algorithm, graph, members, runs.name(row.result), *took, *arcs])
    columns = ["ms", "graph", "members", "run", "parts by METIS", "equal ranges"]
    between = ["arcs between parts by METIS", "between equal ranges"]
    return {"004 parts": table([*columns, *between], lines, text=3)}


def groute(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return times beside those of the programs of the article's authors."""
    rows = newest(of_suite(results, seed_004.SUITE), lambda m: beside_groute.BESIDE in m["case"])
    lines = []
    for row in rows:
        algorithm, where = row.measurement["case"].split(beside_groute.BESIDE)
        graph, gpus = where.split(", ")
        theirs = row.named.get(beside_groute.GROUTE)
        if theirs is None:
            seconds = row.measurement["unfinished"][beside_groute.GROUTE]
            took = [milliseconds(row.ours), f"stopped after {seconds:.0f} s", "-"]
        else:
            took = [milliseconds(row.ours), milliseconds(theirs), f"{theirs / row.ours:.2f}"]
        lines.append([algorithm, graph, gpus, runs.name(row.result), *took])
    order = list(dict.fromkeys(line[1] for line in lines))
    lines.sort(key=lambda line: (order.index(line[1]), line[2], line[0]))
    columns = ["ms", "graph", "on", "run", "here", "Groute", "times as fast"]
    return {"004 groute": table(columns, lines, text=3)}


MODES = ("fused, soft priority", "fused", "separate, soft priority", "separate")


def worklists(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return table 5: soft priority and fused kernels; then worklists beside rounds of a team."""
    of_suites = of_suite(results, seed_004_worklists.SUITE)
    rows = newest(of_suites, lambda m: m["case"].startswith("worklist, "))
    rows.sort(key=lambda row: (_side(row), row.measurement["case"]))
    lines = []
    for row in rows:
        size, took = row.measurement["size"], row.named
        items = [size[f"work items, {mode}"] for mode in MODES]
        gains = [
            took["separate"] / took["separate, soft priority"],
            took["separate"] / took["fused, soft priority"],
        ]
        workers = re.search(r"(\d+) workers", row.measurement["case"])
        where = row.measurement["device"].replace("cuda:0", "1 GPU")
        lines.append(
            [f"{_side(row)} x {_side(row)}", f"{workers[1] if workers else '-'} on {where}"]
            + [runs.name(row.result)]
            + [of_three_digits(items[k] / 1e6) for k in (0, 1)]
            + [milliseconds(took[mode]) for mode in MODES]
            + [f"{gain:.2f}" for gain in gains]
        )
    columns = ["grid", "workers", "run", "10⁶ items, soft priority", "10⁶ items without"]
    columns += [f"ms, {mode}" for mode in MODES]
    columns += ["gain of soft priority", "of soft priority and fusion"]
    return {
        "004 table 5": table(columns, lines, text=2),
        "004 launches": _launches(rows, runs),
        "004 teams": _beside_teams(of_suites, runs),
    }


def _launches(rows: Sequence[Row], runs: Runs) -> str:
    """Return the launches of all workers without soft priority, and the time of one of a worker.

    Workers launch side by side, so a worker's launch lasts the whole time by its own launches.
    """
    lines = []
    for row in rows:
        workers = int(re.findall(r"(\d+) workers", row.measurement["case"])[0])
        where = row.measurement["device"].replace("cuda:0", "1 GPU")
        cells = [f"{_side(row)} x {_side(row)}", f"{workers} on {where}", runs.name(row.result)]
        for mode, factor in (("separate", 1e6), ("fused", 1e3)):
            launches = row.measurement["size"][f"launches, {mode}"]
            of_one = factor * row.named[mode] * workers / launches
            cells += [f"{launches:,}", of_three_digits(of_one)]
        lines.append(cells)
    columns = ["grid", "workers", "run", "launches, separate", "us of one"]
    return table([*columns, "launches, fused", "ms of one"], lines, text=2)


def _side(row: Row) -> int:
    return round(row.measurement["size"]["vertices"] ** 0.5)


def _beside_teams(results: Sequence[Result], runs: Runs) -> str:
    rows = newest(results, lambda m: m["case"].startswith(seed_004_worklists.NAME))
    graphs = list(seed_004_worklists.NAMES)
    lines = []
    for row in rows:
        graph, where, kept = (
            row.measurement["case"].removeprefix(seed_004_worklists.NAME).split(", ")
        )
        cells = [graph, kept, where, runs.name(row.result), milliseconds(row.ours)]
        shown = ("near_far", "bellman_ford", "worklist")
        lines.append(cells + [milliseconds(row.named.get(name)) for name in shown])
    lines.sort(key=lambda cells: (graphs.index(cells[0]) if cells[0] in graphs else 99, cells[1]))
    columns = ["ms, graph", "arrays", "on", "run", "rounds, chosen", "rounds of near-far"]
    return table([*columns, "rounds of Bellman-Ford", "worklist"], lines, text=3)


def quoted() -> Blocks:
    """Return tables 3 to 6 of article 004 as they stand there."""
    rows = [[name, *cells] for name, cells in articles.TABLE_3.items()]
    graphs = [[name, *cells] for name, cells in articles.TABLE_4.items()]
    gains = [
        [graph, str(n), f"{soft:.2f}", f"{both:.2f}"]
        for graph, by_gpus in articles.TABLE_5.items()
        for n, (soft, both) in by_gpus.items()
    ]
    schedules = [
        [schedule, name, f"{millions:g}", f"{ms:.2f}", f"{whole:.2f}"]
        for schedule, (first, second, whole) in articles.TABLE_6.items()
        for name, millions, ms in (first, second)
    ]
    degrees = ["mean degree", "largest degree", "GB"]
    return {
        "004 article, table 3": table(["article, ms", *articles.TABLE_3_COLUMNS], rows),
        "004 article, table 4": table(["article", "10⁶ nodes", "10⁶ edges", *degrees], graphs),
        "004 article, table 5": table(
            ["article", "GPUs", "gain of soft priority", "of soft priority and fusion"], gains
        ),
        "004 article, table 6": table(
            ["article", "GPU", "10⁶ elements", "ms", "ms of the whole"], schedules, text=2
        ),
    }
