"""Regret of "auto": its seconds beside those of the fastest way, in rows of measure.py.

python -m benchmarks.rates.regret rows.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

#: Shorter calls, in seconds, are left out: there, planning itself counts.
SHORTEST = 3e-4
#: Cases with more regret are shown one by one.
NOTABLE = 1.3

Regret = tuple[float, str, str, float]


def regrets(rows: list[dict[str, Any]]) -> list[Regret]:
    """Return (regret, case, the fastest way, its seconds) of long calls, the largest first.

    A way takes the median of its runs after the first, which makes what a graph keeps.
    """
    cases: dict[tuple[str, str, bool], dict[str, float]] = {}
    for row in rows:
        if row["times"]:
            way = row["method"] or "the method"
            name = "auto" if row["is_auto"] else f"{way} on {row['device']}"
            seconds = float(np.median(row["times"][1:] or row["times"]))
            cases.setdefault((row["call"], row["input"], row["kept"]), {})[name] = seconds
    found = []
    for (call, name, is_kept), ways in cases.items():
        others = {way: seconds for way, seconds in ways.items() if way != "auto"}
        if "auto" not in ways or not others or max(ways.values()) < SHORTEST:
            continue
        best = min(others, key=others.__getitem__)
        kind = "kept" if is_kept else "new"
        if others[best] >= SHORTEST:
            found.append(
                (ways["auto"] / others[best], f"{call}, {name}, {kind}", best, others[best])
            )
    return sorted(found, reverse=True)


UNSEEN = Path(__file__).parent / "unseen"
#: Facts of a call that a plan cannot know, by its first words.
REASONS = {
    "path": "how far the ends are from each other",
    "100 pairs": "how far the ends are from each other",
    "pagerank": "the number of iterations",
    "kmeans": "the number of iterations",
    "strong components": "how many passes the components take",
    "table": "how far searches from neighbouring sources share their paths",
}
OTHERWISE = "the formula: calls of a millisecond differ by what waking threads, or a GPU, takes"


def section() -> str:
    """Return what docs/benchmarks.md tells of all machines."""
    rows = ["| machine | calls | median | 95th percentile | worst |", "|---|--:|--:|--:|--:|"]
    notable = ["| machine | call | regret | fastest way | ms | what was not known |"]
    notable.append("|---|---|--:|---|--:|---|")
    for file in sorted(UNSEEN.glob("*.json")):
        data = json.loads(file.read_text())
        gpu = data["machine"]["device_name"]
        name = f"{gpu + ', ' if gpu else ''}{data['threads']} cores of {data['machine']['cpu']}"
        found = regrets(data["rows"])
        median, late = np.quantile([regret for regret, *_ in found], [0.5, 0.95])
        rows.append(f"| {name} | {len(found)} | {median:.2f} | {late:.2f} | {found[0][0]:.2f} |")
        place = gpu or f"{data['threads']} cores"
        for regret, case, best, seconds in found:
            reasons = (text for start, text in REASONS.items() if case.startswith(start))
            if regret > NOTABLE:
                about = f"{place} | {case} | {regret:.2f} | {best} | {1e3 * seconds:.3g}"
                notable.append(f"| {about} | {next(reasons, OTHERWISE)} |")
    return "\n".join([*rows, "", *notable])


def main() -> None:
    """Print the quantiles of each file, and the notable cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    for file in parser.parse_args().files:
        found = regrets(json.loads(file.read_text())["rows"])
        values = [regret for regret, *_ in found]
        if not values:
            continue
        median, late = np.quantile(values, [0.5, 0.95])
        print(f"{file.name}: {len(found)} calls, regret {median:.2f} in the median, {late:.2f} at")
        print(f"the 95th percentile, {values[0]:.2f} at worst")
        for regret, case, best, seconds in found:
            if regret > NOTABLE:
                print(f"{regret:8.2f}  {case}: {best}, {1e3 * seconds:.3g} ms")


if __name__ == "__main__":
    main()
