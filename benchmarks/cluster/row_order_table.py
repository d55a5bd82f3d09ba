"""The tables of docs/how/hdbscan.md: labels that another order of the rows changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.result_format import load

_NAMES = {"warpgraph": "warpgraph", "sklearn": "scikit-learn", "hdbscan": "hdbscan"}
_CASE = "HDBSCAN in orders of the rows, "
_KIND = _CASE + "25 data sets, "
_GRIDS = "grids of integers"


def tables(folder: Path) -> str:
    """Return both tables of the newest results in a folder; "" if there are none."""
    newest: dict[str, tuple[str, dict[str, Any]]] = {}
    for path in sorted(folder.glob("row_order-*.json")):
        result = load(path)
        for m in result["measurements"]:
            kept = newest.get(m["case"])
            if result["suite"] != "smoke" and (kept is None or kept[0] < result["started"]):
                newest[m["case"]] = result["started"], m
    if not newest:
        return ""
    of = {case: m for case, (_, m) in newest.items()}
    kinds = [m for case, m in of.items() if case.startswith(_KIND)]
    mixed = [m for case, m in of.items() if not case.startswith(_KIND)]
    return "\n\n".join(([_by_kind(kinds)] if kinds else []) + [_whole(m) for m in mixed])


def _by_kind(measurements: list[dict[str, Any]]) -> str:
    changed = [_compared(name, name) for name in _NAMES]
    beside = [("warpgraph", "sklearn"), ("warpgraph", "hdbscan"), ("sklearn", "hdbscan")]
    columns = changed + [_compared(*pair) for pair in beside]
    rows = [["25 data sets each", *(title for title, _, _ in columns)]]
    cells = [[_counts(m, *column[1:]) for column in columns] for m in measurements]
    for m, found in zip(measurements, cells, strict=True):
        rows.append([m["case"].removeprefix(_KIND), *map(_cell, found)])
    others = [
        found for m, found in zip(measurements, cells, strict=True) if _GRIDS not in m["case"]
    ]
    for name, some in (("all but grids", others), ("all", cells)):
        sums = [
            (sum(n for n, _ in c), sum(a for _, a in c) / len(c)) for c in zip(*some, strict=True)
        ]
        rows.append([f"{name}, {25 * len(some)}", *map(_cell, sums)])
    return _markdown(rows)


def _whole(measurement: dict[str, Any]) -> str:
    rows = [[measurement["case"].removeprefix(_CASE), "shuffled rows"]]
    rows[0] += [f"beside {_NAMES[other]}" for other in _NAMES if other != "warpgraph"]
    for name, shown in _NAMES.items():
        beside = [other for other in _NAMES if other != "warpgraph"]
        pairs = [_compared(name, other) if name != other else None for other in beside]
        cells = [_compared(name, name), *pairs]
        rows.append([shown, *(_cell(_counts(measurement, *c[1:])) if c else "" for c in cells)])
    return _markdown(rows)


def _compared(name: str, other: str) -> tuple[str, str, str]:
    """Return the title of a column, a program, and what is counted of it."""
    if name == other:
        return f"{_NAMES[name]}, shuffled", name, "changed by shuffling"
    return f"{_NAMES[name]} beside {_NAMES[other]}", name, f"that differ from {other}'s"


def _counts(measurement: dict[str, Any], name: str, what: str) -> tuple[int, float]:
    counts = measurement["counts"][name]
    agreement = counts[f"millionths of mean ARI, {what}"]
    return max(counts[f"data sets {what}"]), min(agreement) / 1e6


def _cell(found: tuple[int, float]) -> str:
    return f"{found[0]} ({found[1]:.3f})"


def _markdown(rows: list[list[str]]) -> str:
    rule = ["---", *["---:"] * (len(rows[0]) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:]))
