"""Results at a glance: a row for each computation, and what several GPUs gain.

`table` is at the top of docs/benchmarks.md and has the fastest other program of each row; `readme`
is the part of the README that is made from results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import others, picture
from benchmarks.others import OTHERS, UNCHECKED_MARK, WITH_COPY, marks, place, ratios_of_others

#: Cores of the machine that stands for one without a GPU, and the GPU.
CORES, GPU = 2, "NVIDIA H100"


@dataclass(frozen=True)
class Row:
    """The cases of one kind of work; an empty one was not measured."""

    work: str
    on_cores: str
    on_gpu: str
    from_host: str = ""  # on a GPU, from a SciPy matrix


def _on_both(work: str, case: str, from_host: str = "") -> Row:
    return Row(work, case, case, from_host)


def _sssp(graph: str) -> tuple[str, str]:
    case = f"sssp, {graph}, int32"
    return f"{case}, resident", f"{case}, distances stay on the device"


ROWS = (
    Row("shortest paths, New York's roads", *_sssp("ny-road"), "sssp, ny-road, first call"),
    Row("shortest paths, grid", *_sssp("grid 4900 x 4900")),
    Row("shortest paths, R-MAT", *_sssp("rmat 22")),
    _on_both(
        "breadth-first search, R-MAT",
        "bfs, R-MAT scale 20, kept graph",
        "bfs, R-MAT scale 20, first call",
    ),
    _on_both(
        "components, R-MAT",
        "weak, R-MAT scale 20, kept graph",
        "connected_components, R-MAT scale 20, first call",
    ),
    _on_both(
        "PageRank, R-MAT",
        "pagerank, R-MAT scale 20, kept graph",
        "pagerank, R-MAT scale 20, first call",
    ),
    _on_both("shortest paths from 256 vertices, roads", "many_to_many, ny-road, 256 sources"),
    Row("shortest paths, all pairs", "apsp, n = 2000, float32, general", ""),
    Row(
        "shortest paths, all pairs",
        "",
        "apsp, n = 16384, int32, 32-bit sums, distances stay on the device",
    ),
    _on_both(
        "spanning forest, R-MAT",
        "minimum_spanning_forest, rmat 20, float64",
        "minimum_spanning_forest, R-MAT scale 20, first call",
    ),
    Row(
        "spanning forest, positions of edges only",
        "",
        "minimum_spanning_forest, edge ids on the device, rmat 22, int32",
    ),
    Row(
        "spanning tree of points, 3-D",
        "euclidean_mst, 1 million points, 3-D",
        "euclidean_mst, 1 million points, 3-D, float32, all on the device",
    ),
    _on_both("HDBSCAN of points, 3-D", "HDBSCAN, 1 million uniform points in 3-D"),
    _on_both("k-means of points, 16-D", "KMeans, 1 million points, 16-D, 64 clusters, uniform"),
    Row("filter, half of the numbers pass", "predicate_filter, 32 million, 50% pass, float64", ""),
)

#: Gains of several GPUs in the README: the words, and the case of seed_004.py.
ON_FOUR_GPUS = (
    ("distances between all pairs", "all pairs on all GPUs, 32 k vertices, 1 M edges"),
    ("searches from many vertices", "paths from 65536 vertices on all GPUs, ny-road"),
    ("PageRank", "pagerank on all GPUs, rmat 26"),
    ("spanning forests", "spanning forest on all GPUs, rmat 26"),
    ("shortest paths from one vertex", "sssp on all GPUs, rmat 26"),
    ("components", "components on all GPUs, rmat 26"),
    ("breadth-first search", "bfs on all GPUs, rmat 26"),
)


def table(lines: Sequence[Any]) -> str:
    """Return the rows that have results."""
    rows = [
        f"| computation | size | {CORES} cores, ms | fastest other, ms "
        "| H100, from a SciPy matrix, ms | H100, from a `wg.Graph`, ms "
        "| fastest other, ms |",
        "|---|---|--:|---|--:|--:|---|",
    ]
    for row in ROWS:
        on_cores, on_gpu = _find(lines, row.on_cores, False), _find(lines, row.on_gpu, True)
        found = [cell for cell in (on_cores, on_gpu) if cell is not None]
        if found:
            first = _from_host(lines, row, on_gpu)
            shown = f"{_cells(on_cores)} | {first} | {_cells(on_gpu)}"
            rows.append(f"| {row.work} | {_size(found[0]['size'])} | {shown} |")
    return "\n".join(rows)


def readme(lines: Sequence[Any], image: str) -> str:
    """Return the picture with its numbers as text, the table of GPUs, and what four GPUs gain."""
    bars = picture.measured(lines)
    parts = [f"![Times of {picture.MACHINE}. {picture.description(bars)}]({image})"]
    rows = [
        f"| on a GPU | size | {CORES} CPU cores, ms | H100, from a SciPy matrix, ms "
        "| H100, from a `wg.Graph`, ms |",
        "|---|---|--:|--:|--:|",
    ]
    for row in ROWS:
        on_cores, on_gpu = _find(lines, row.on_cores, False), _find(lines, row.on_gpu, True)
        if on_cores and on_gpu and (first := _from_host(lines, row, on_gpu)):
            size = _size(on_gpu["size"])
            rows.append(f"| {row.work} | {size} | {_ms(on_cores)} | {first} | {_ms(on_gpu)} |")
    if len(rows) > 2:
        parts.append("\n".join(rows))
    gained = [(words, _gain(lines, case)) for words, case in ON_FOUR_GPUS]
    shown = [f"{words} {gain:.1f}" for words, gain in gained if gain]
    if shown:
        parts.append(
            others.wrapped(f"Four H100s are this many times as fast as one: {', '.join(shown)}.")
        )
    return "\n\n".join(parts)


def _gain(lines: Sequence[Any], case: str) -> float:
    """Return the time on one GPU divided by that on four, of the newest run; 0: there is none."""
    found = [line for line in lines if line.measurement["case"] == case]
    found = [line for line in found if "4 GPUs" in line.measurement["medians"]]
    if not found:
        return 0.0
    medians = max(found, key=lambda line: line.started).measurement["medians"]
    return float(medians["1 GPU"] / medians["4 GPUs"])


def _from_host(lines: Sequence[Any], row: Row, on_gpu: dict[str, Any] | None) -> str:
    """Return the newest time of a first call, else that from a matrix of the kept graph's run."""
    found = [line for line in lines if line.measurement["case"] == row.from_host]
    found = [line for line in found if _is_on(line, True)]
    if found:
        return _ms(max(found, key=lambda line: line.started).measurement)
    copied = on_gpu and on_gpu["medians"].get(on_gpu["ours"] + WITH_COPY)
    return _number(1e3 * copied) if copied else ""


def _find(lines: Sequence[Any], case: str, on_gpu: bool) -> dict[str, Any] | None:
    """Return the newest measurement of a case beside its fastest rival."""
    found = [line for line in lines if line.measurement["case"] == case and _is_on(line, on_gpu)]
    newest: dict[str | None, dict[str, Any]] = {}
    for line in sorted(found, key=lambda line: line.started):
        best = _best(line.measurement)
        newest.pop(best, None)
        newest[best] = line.measurement
        if best is None:  # measured anew alone
            newest = {best: line.measurement}
    return min(reversed(newest.values()), key=_best_ratio, default=None)


def _best(measurement: dict[str, Any]) -> str | None:
    """Return the fastest program of others, if there is one."""
    ratios = ratios_of_others(measurement)
    return min(ratios, key=ratios.__getitem__, default=None)


def _best_ratio(measurement: dict[str, Any]) -> float:
    return min(ratios_of_others(measurement).values(), default=math.inf)


def _is_on(line: Any, on_gpu: bool) -> bool:
    m = line.measurement
    if on_gpu:
        return line.machine.startswith(GPU) and m["device"] == "cuda:0"
    here = line.machine.startswith(f"{CORES} cores")
    return here and m["device"] == "cpu" and m["threads"] == CORES


def _ms(measurement: dict[str, Any]) -> str:
    return _number(1e3 * measurement["medians"][measurement["ours"]])


def _cells(measurement: dict[str, Any] | None) -> str:
    if measurement is None:
        return "| "
    took = 1e3 * measurement["medians"][measurement["ours"]]
    best = _best(measurement)
    if best is None:
        return f"{_ms(measurement)} | "
    theirs = took * ratios_of_others(measurement)[best]
    rival = min(
        (name for name in measurement["ratios"] if OTHERS.get(name) == best),
        key=measurement["ratios"].__getitem__,
    )
    mark = marks(rival, measurement) + ("" if measurement["checked"] else UNCHECKED_MARK)
    where = place(rival, measurement)
    named = f"{best} ({where})" if where else best
    return f"{_number(took)} | {named}{mark}: {_number(theirs)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _size(size: dict[str, int]) -> str:
    """Return the first two counts of a size."""
    return ", ".join(f"{_count(count)} {what}" for what, count in list(size.items())[:2])


def _count(count: int) -> str:
    for unit, of_one in (("M", 10**6), ("k", 10**3)):
        if count >= 10 * of_one:
            return f"{count / of_one:,.0f} {unit}"
        if count >= of_one:
            return f"{count / of_one:.3g} {unit}"
    return str(count)
