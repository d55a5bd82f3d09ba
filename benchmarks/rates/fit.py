"""Fits the coefficients of the model of time to measured rows, and writes csrc/plan/model.

python -m benchmarks.rates.fit rows-*.json

Each formula is a sum of terms with coefficients that are not negative. They are fitted by least
squares of relative errors, weighted again and again so that too much and too little count alike.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

TARGET = Path(__file__).parents[2] / "csrc/plan/model/coefficients.inc"
ROUNDS = 40
#: The most terms of a formula; the least important ones are dropped first.
MOST_TERMS = 10
BOXES_OF_A_DIMENSION = 1.4
LOG2_OF_VERTICES_IN_CACHES = 16
SIZE_THAT_WAKES_ALL = 4000
DEGREES_OF_A_HUB = 16
LEVELS_OF_ROADS = 3
#: Vertices of a level that threads share.
WIDTH = 64
#: Levels up to which searches carry a bit for each source.
FEW_LEVELS = 40

ONE_SOURCE = ("call", "waking", "vertex", "vertex_beyond_caches", "arc", "level", "wide_level")
ON_GPU = ("call", "vertex", "arc", "level", "longest_row")
TABLE = (
    *ONE_SOURCE,
    *(
        "source_vertex",
        "source_arc",
        "source_level",
        "source_longest_row",
        "longest_row",
        "entry",
        "source_arc_apart",
        "source_arc_on_roads",
    ),
)
#: Terms that grow with the number of sources, where only one number was measured.
BY_SOURCES = (
    *("call", "level", "source_vertex", "source_arc", "source_level", "source_longest_row"),
    "entry",
)
#: Terms of searches one by one, which read the graph in an order of their own.
ONE_BY_ONE = (
    *BY_SOURCES,
    *("source_vertex_beyond_caches", "source_arc_apart", "source_arc_on_roads"),
)
NEW = ("new_call", "new_vertex", "new_arc", "new_longest_row")
POINTS = ("call", "waking", "coordinate", "vertex", "pair", "pair_coordinate", "point_in_boxes")


def are_roads(n: float, levels: float) -> bool:
    """Return whether a graph has many levels, as formulas.cpp does."""
    return bool(levels > LEVELS_OF_ROADS * np.log2(n))


def meet(n: float, m: float, levels: float, longest: float) -> bool:
    """Return whether searches from many sources meet, as formulas.cpp does."""
    return longest * n > DEGREES_OF_A_HUB * m or are_roads(n, levels)


def amounts(row: dict[str, Any]) -> dict[str, float]:
    """Return the amounts of all terms of a row, as model.cpp has them."""
    n, m = row["n"], row.get("m", 0)
    levels, longest = row.get("levels", 1), row.get("longest_row", 1)
    sources, columns, d = row["sources"], row["columns"], row.get("d", 0)
    found = {
        "call": 1,
        "waking": min((n + m) / SIZE_THAT_WAKES_ALL, 1),
        "vertex": n,
        "vertex_beyond_caches": n * max(np.log2(n) - LOG2_OF_VERTICES_IN_CACHES, 0),
        "arc": m,
        "waking_on_roads": min((n + m) / SIZE_THAT_WAKES_ALL, 1) if are_roads(n, levels) else 0,
        "hub": longest * longest / max(m, 1),
        "level": levels,
        "wide_level": min(levels, n / WIDTH),
        "longest_row": longest,
        "source_vertex": sources * n,
        "source_vertex_beyond_caches": sources
        * n
        * max(np.log2(n) - LOG2_OF_VERTICES_IN_CACHES, 0),
        "source_arc": sources * m,
        "source_level": sources * levels,
        "source_longest_row": sources * longest,
        "source_arc_apart": 0 if meet(n, m, levels, longest) else sources * m,
        "source_arc_on_roads": sources * m if are_roads(n, levels) else 0,
        "entry": sources * columns,
        "arc_of_degree": m * (m / n) ** 4,
        "coordinate": n * d,
        "pair": n * n,
        "pair_coordinate": n * n * d,
        "point_in_boxes": n * min(BOXES_OF_A_DIMENSION**d, n),
    }
    if not row["kept"]:
        found |= {"new_call": 1, "new_vertex": n, "new_arc": m, "new_longest_row": longest}
    return found


def formulas_of(row: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return the formulas that a row is for, with their terms; and completes the row."""
    call, method, on_gpu = row["call"], row["method"], row["device"] != "cpu"
    row["sources"], row["columns"] = 1, 0
    one = (ON_GPU if on_gpu else ONE_SOURCE) + NEW
    table = re.match(r"table (\d+) x (\w+)", call)
    simple = {"strong components": "strong components", "components": "components"}
    if call == "path":
        yield f"path by {method}", (*dict.fromkeys((*one, "longest_row", "hub")),)
    elif call in ("sssp", "forest"):
        yield f"{call} by {method}", one
    elif call == "pagerank":
        yield "pagerank", (*one, "waking_on_roads")
    elif call in ("bfs", *simple):
        yield simple.get(call, call), (*one, "hub")
    elif call == "facilities":
        row["sources"] = 5
        yield "facilities", (*ONE_BY_ONE, "longest_row", "hub", *NEW)
    elif table:
        row["sources"] = int(table[1])
        row["columns"] = row["n"] if table[2] == "all" else int(table[2])
        if method != "hierarchy":
            yield f"table by {method}", (*TABLE, *NEW)
        elif row["kept"] and len(row["times"]) > 1:
            yield "table by hierarchy", ("call", "vertex", "arc", "source_vertex", "entry")
    elif call.startswith("hops"):
        row["sources"], row["columns"] = 64, row["n"]
        if row["levels"] <= FEW_LEVELS:
            yield "table by breadth_first", (*BY_SOURCES, *NEW)
    elif call.startswith("betweenness, hops"):
        row["sources"] = 64
        yield "betweenness by hops", (*ONE_BY_ONE, "hub", *NEW)
    elif call.startswith("betweenness"):
        row["sources"] = 16
        yield "betweenness by weights", (*ONE_BY_ONE, "hub", *NEW)
    elif call == "100 pairs":
        row["sources"] = 100
        if method == "bidirectional":
            terms = "source", *ONE_BY_ONE, *NEW
            yield "pairs by bidirectional", terms
        elif row["kept"] and len(row["times"]) > 1:
            yield "pairs by hierarchy", ("call", "source", "source_vertex", "source_level")
    elif call == "emst":
        yield ("tree by boxes" if row["d"] <= 8 else "tree by pairs"), POINTS
    elif call == "neighbours":
        by_products = row["d"] > 8 if on_gpu else row["d"] >= 48
        yield ("neighbours by products" if by_products else "neighbours by boxes"), POINTS


def prepared(row: dict[str, Any]) -> float | None:
    """Return the seconds of making a hierarchy that a row shows, or None."""
    times = row["times"]
    is_first = row["method"] == "hierarchy" and row["kept"] and row["device"] == "cpu"
    if not is_first or len(times) < 2 or not row["call"].startswith("table"):
        return None
    return max(times[0] - min(times[1:]), 1e-6)


Rows = list[tuple[dict[str, float], float]]


def collect(data: dict[str, Any]) -> dict[tuple[str, str, int], tuple[tuple[str, ...], Rows]]:
    """Return the rows of each formula: its terms, and amounts with seconds."""
    found: dict[tuple[str, str, int], tuple[tuple[str, ...], Rows]] = {}
    for row in data["rows"]:
        if not row["times"] or row.get("is_auto"):
            continue
        place, threads = ("gpu", 0) if row["device"] != "cpu" else ("cores", data["threads"])
        seconds = min(row["times"][1:] or row["times"])
        for name, terms in formulas_of(row):
            rows = found.setdefault((name, place, threads), (terms, []))[1]
            rows.append((amounts(row), seconds))
        if (preparing := prepared(row)) is not None:
            terms = ("call", "vertex", "arc", "arc_of_degree")
            rows = found.setdefault(("hierarchy", "cores", data["threads"]), (terms, []))[1]
            rows.append((amounts(row), preparing))
    return found


def fitted(terms: tuple[str, ...], rows: Rows) -> dict[str, float]:
    """Return the coefficients of the terms that matter."""
    seconds = np.array([t for _, t in rows])
    names = list(terms)
    while True:
        values = np.array([[amount.get(name, 0) for name in names] for amount, _ in rows], float)
        scale = values.max(0)
        scale[scale == 0] = 1
        weights = 1 / seconds
        for _ in range(ROUNDS):
            found, _ = nnls(values * weights[:, None] / scale, seconds * weights)
            expected = np.maximum(values / scale @ found, 1e-9)
            error = np.abs(np.log(expected / seconds))
            weights = 1 / np.sqrt(seconds * expected) / np.sqrt(1 + error)
        share = (values / scale * found / expected[:, None]).max(0)
        kept = [name for name, part in zip(names, share, strict=True) if part > 0.01]
        if len(kept) > MOST_TERMS:
            kept.remove(min(kept, key=lambda name: share[names.index(name)]))
        if kept == names:
            return dict(zip(names, found / scale, strict=True))
        names = kept


def report(key: tuple[str, str, int], found: dict[str, float], rows: Rows) -> None:
    """Print how well a formula fits."""
    logs = [
        np.log2(sum(value * amount.get(name, 0) for name, value in found.items()) / seconds)
        for amount, seconds in rows
    ]
    spread = np.sqrt(np.mean(np.square(logs)))
    ends = f"from 2^{min(logs):.1f} to 2^{max(logs):.1f}"
    print(f"{key!s:50} {len(rows):4} rows, 2^{spread:.2f}, {ends}")


def main() -> None:
    """Fit, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    lines, sources = [], []
    for file in options.files:
        data = json.loads(file.read_text())
        machine = data["machine"]
        sources.append(f"// {machine['cpu']}, {data['threads']} threads; {machine['device_name']}")
        for key, (terms, rows) in collect(data).items():
            if key[1] == "gpu" and any(
                line.startswith(f'Formula{{"{key[0]}", Place::gpu') for line in lines
            ):
                continue
            found = fitted(terms, rows)
            report(key, found, rows)
            pairs = ", ".join(f"{{{name}, {value:.2e}}}" for name, value in found.items())
            lines.append(f'Formula{{"{key[0]}", Place::{key[1]}, {key[2]}, {{{{{pairs}}}}}}},')
    head = [
        "// Coefficients of the model of time, in seconds. Written by benchmarks/rates/fit.py.",
        *dict.fromkeys(sources),
        "// clang-format off",
    ]
    options.out.write_text("\n".join([*head, *sorted(lines), "// clang-format on", ""]))


if __name__ == "__main__":
    main()
