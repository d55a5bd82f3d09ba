"""Tables of the experiments on shortest paths: articles 000, 001 and 002."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.experiments import seed_000, seed_001, seed_002
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


def scale_of(m: Measurement) -> int:
    return int(m["case"].split("rmat ")[1].split(",")[0])


def bellman_ford(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return the graphs, the rates and the speed-ups of article 000."""
    rows = sorted(newest(of_suite(results, "seed-000")), key=lambda r: scale_of(r.measurement))
    return {
        "000 graphs": _graphs(rows),
        "000 rates": _rates(rows, runs),
        "000 speed-ups": _speed_ups(rows, runs),
    }


def _graphs(rows: Sequence[Row]) -> str:
    measured = {scale_of(row.measurement): row.measurement["size"] for row in rows}
    lines = []
    for scale, (distances, edges) in articles.SIZES_000.items():
        size = measured.get(scale)
        arcs = f"{size['edges']:,}" if size else "not measured"
        # Distances of 8 bytes; an edge, which is two arcs, has two ends of 4 bytes and 8 of weight.
        ours = [8 * size["vertices"] / 2**20, 8 * size["edges"] / 2**20] if size else []
        shown = [of_three_digits(value) for value in ours] or ["-", "-"]
        both = [
            f"{of_three_digits(x)} ({y})" for x, y in ((distances, shown[0]), (edges, shown[1]))
        ]
        lines.append([str(scale), f"{2**scale:,}", f"{2 ** (scale + 5):,}", arcs, *both])
    columns = ["scale", "vertices", "arcs, article", "arcs, here"]
    return table(
        [*columns, "MB of distances, article (here)", "MB of edges, article (here)"], lines
    )


def contestants(row: Row) -> dict[str, list[float]]:
    """Return the million arcs a second of every run, by contestant."""
    m = row.measurement
    own = seed_000.CORE if m["device"] == "cpu" else seed_000.BOTH
    names = {own if name == m["ours"] else name: runs for name, runs in m["runs"].items()}
    return {name: [m["size"]["edges"] / s / 1e6 for s in runs] for name, runs in names.items()}


def _rates(rows: Sequence[Row], runs: Runs) -> str:
    found = [(row, contestants(row)) for row in rows]
    names = list(dict.fromkeys(name for _, rates in found for name in rates))
    lines = []
    for row, rates in found:
        cells = [seed_000.cell(rates.get(name)) for name in names]
        lines.append([str(scale_of(row.measurement)), runs.name(row.result), *cells])
    return table(["million arcs a second, scale", "run", *names], lines)


def _speed_ups(rows: Sequence[Row], runs: Runs) -> str:
    """Return how many times a core a GPU searches, what each optimisation gains, and ranges.

    A range is the largest rate of a source less the smallest one, in percent of the mean.
    """
    others = {"segments": "segments off", "read-only loads": "read-only loads off"}
    others["both"] = "both off"
    lines = []
    for row in rows:
        rates = contestants(row)
        if not {seed_000.BOTH, seed_000.CORE} <= rates.keys():
            continue
        scale = scale_of(row.measurement)
        by_scale = {name: {scale: found} for name, found in rates.items()}
        mean, least, most = seed_000.speed_up(by_scale, seed_000.BOTH, scale)
        cells = [f"{mean:.3g} ({least:.3g} to {most:.3g})"]
        for off in others.values():
            gain = None
            if off in rates:
                gain = 100 * (np.mean(rates[seed_000.BOTH]) / np.mean(rates[off]) - 1)
            cells.append("-" if gain is None else f"{gain:+.0f} %")
        for name in (seed_000.BOTH, seed_000.CORE):
            cells.append(f"{100 * np.ptp(rates[name]) / np.mean(rates[name]):.0f} %")
        lines.append([str(scale), runs.name(row.result), *cells])
    columns = ["scale", "run", "times one core", *(f"gain by {x}" for x in others)]
    return table([*columns, "range, GPU", "range, 1 core"], lines)


def floyd_warshall(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return tables 1 to 3 of article 001 with its numbers, and speed-ups."""
    rows = newest(of_suite(results, "seed-001"))
    # Rows of cores alone follow those of a GPU.
    rows = sorted(
        rows, key=lambda r: (r.measurement["device"] == "cpu", r.measurement["size"]["vertices"])
    )
    parts, gains = [], []
    for sizes in seed_001.TABLES:
        here = [row for row in rows if row.measurement["size"]["vertices"] in sizes]
        if here:
            parts.append(_times(here, runs))
    for n, (core, naive, tiles) in articles.SECONDS_001.items():
        row, ours = _with_one_core(
            [row for row in rows if row.measurement["size"]["vertices"] == n]
        )
        pairs = (
            (core, naive, ours.get(seed_001.CORE), ours.get(seed_001.NAIVE)),
            (core, tiles, ours.get(seed_001.CORE), ours.get(seed_001.BLOCKED)),
            (naive, tiles, ours.get(seed_001.NAIVE), ours.get(seed_001.BLOCKED)),
        )
        cells = [str(n), runs.name(row.result) if row else "-"]
        for theirs, faster, slow, fast in pairs:
            cells.append("-" if theirs is None else of_three_digits(theirs / faster))
            cells.append(of_three_digits(slow / fast) if slow and fast else "-")
        gains.append(cells)
    columns = [
        *("vertices", "run", "one core by GPU, naive, article", "here"),
        *("one core by GPU in tiles, article", "here"),
        *("GPU, naive by tiles, article", "here"),
    ]
    return {
        "001 times": "\n\n".join(parts),
        "001 article": _their_times(),
        "001 speed-ups": table(columns, gains),
    }


def _with_one_core(rows: Sequence[Row]) -> tuple[Row | None, dict[str, float]]:
    """Return the newest row of a GPU and its means, with those of its host's core.

    One core is measured apart from the GPU, so it may be in another file. That counts if it is of
    the same commit and host. An older row that has a core comes before a newer one without.
    """
    found: list[tuple[Row | None, dict[str, float]]] = []
    for row in rows:
        means = seed_001.means(row.measurement)
        if seed_001.BLOCKED in means:
            here = seed_001.host(row.result)
            beside = [
                seed_001.means(r.measurement) for r in rows if seed_001.host(r.result) == here
            ]
            core = [other[seed_001.CORE] for other in beside if seed_001.CORE in other]
            found.append((row, ({seed_001.CORE: core[0]} if core else {}) | means))
    return next((pair for pair in found if seed_001.CORE in pair[1]), (found or [(None, {})])[0])


def _times(rows: Sequence[Row], runs: Runs) -> str:
    found = [(row, seed_001.means(row.measurement)) for row in rows]
    names = [name for name in seed_001.COLUMNS if any(name in means for _, means in found)]
    lines = [
        [
            str(row.measurement["size"]["vertices"]),
            runs.name(row.result),
            *(milliseconds(means.get(name)) for name in names),
        ]
        for row, means in found
    ]
    return table(["ms, vertices", "run", *names], lines)


def _their_times() -> str:
    names = (seed_001.CORE, seed_001.NAIVE, seed_001.BLOCKED)
    lines = [
        [str(n), *("-" if s is None else f"{s:,.2f}" for s in seconds)]
        for n, seconds in articles.SECONDS_001.items()
    ]
    return table(["article, s, vertices", *names], lines)


def heaps(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return milliseconds an origin of article 002, a row for each contestant of a run."""
    lines, graphs = [], {}
    for row in newest(of_suite(results, "seed-002")):
        m = row.measurement
        network = m["case"].split(", ")[1]
        graphs[network] = m["size"]
        found = seed_002.contestants_of(m)
        core = found.get("buckets, 1 thread")
        for name, seconds in found.items():
            took = milliseconds(seconds / seed_002.N_ORIGINS)
            gain = f"{core / seconds:.3g}" if core else "-"
            line = [network, name, runs.name(row.result), took, gain]
            # Heaps of one core are measured once for all numbers of threads.
            if line[:4] not in [other[:4] for other in lines]:
                lines.append(line)
    networks = list(graphs)
    lines.sort(key=lambda line: networks.index(line[0]))
    sizes = [
        [name, f"{nodes:,}", f"{edges:,}"] for name, (nodes, edges) in articles.ROADS_002.items()
    ]
    sizes += [
        [f"{name}, here", f"{size['vertices']:,}", f"{size['edges']:,}"]
        for name, size in graphs.items()
    ]
    return {
        "002 graphs": table(["network", "nodes", "arcs"], sizes),
        "002 times": table(
            ["network", "contestant", "run", "ms an origin", "times buckets on 1 core"],
            lines,
            text=2,
        ),
    }
