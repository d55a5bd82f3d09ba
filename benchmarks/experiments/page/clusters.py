"""The table of the clustering experiment of article 003."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.experiments import clustering
from benchmarks.experiments.page.runs import Result, Runs, milliseconds, newest, of_suite, table

Blocks = dict[str, str]


def clusters(results: Sequence[Result], runs: Runs) -> Blocks:
    """Return the time and the adjusted Rand index of each method on each kind of points."""
    lines = []
    for row in newest(of_suite(results, clustering.SUITE)):
        m = row.measurement
        points = m["case"].removeprefix(clustering.NAME)
        for name, seconds in m["medians"].items():
            counted = m.get("counts", {}).get(name, {}).get(clustering.INDEX)
            index = "-" if counted is None else f"{counted[0] / 1000:.3f}"
            shown = clustering.CUT if name == m["ours"] else name
            lines.append([points, shown, runs.name(row.result), milliseconds(seconds), index])
    columns = ["points", "method", "run", "ms", "adjusted Rand index"]
    return {"003 clusters": table(columns, lines, text=2)}
