"""Results at a glance: times of each kind of work, and what several GPUs gain.

`table` is at the top of docs/benchmarks.md and has the fastest other program of each row; `readme`
is the part of the README that is made from results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import others, picture
from benchmarks.others import OLDER_MARK, OTHERS, UNCHECKED_MARK, marks, place, ratios_of_others
from benchmarks.page import speed
from benchmarks.page.measured import cores_of

#: The machine that stands for one without a GPU, as that of the picture, and the GPU.
CORES, GPU = picture.THREADS, "NVIDIA H100"
#: The GPU of the table of the README.
GPU_OF_CALLS = "NVIDIA H200"


@dataclass(frozen=True)
class Row:
    """A case on cores or on a GPU, and the type of its weights or points."""

    work: str
    case: str
    on_gpu: bool
    numbers: str


def _on_both(work: str, case: str, numbers: str) -> tuple[Row, Row]:
    return Row(work, case, False, numbers), Row(work, case, True, numbers)


def _sssp(work: str, graph: str) -> tuple[Row, Row]:
    case = f"sssp, {graph}, int32"
    there = f"{case}, distances stay on the device"
    return Row(work, f"{case}, resident", False, "int32"), Row(work, there, True, "int32")


ROWS = (
    *_sssp("shortest paths, New York's roads", "ny-road"),
    *_sssp("shortest paths, grid", "grid 4900 x 4900"),
    *_sssp("shortest paths, R-MAT", "rmat 22"),
    *_on_both("breadth-first search, R-MAT", "bfs, R-MAT scale 20, kept graph", "none"),
    *_on_both("components, R-MAT", "weak, R-MAT scale 20, kept graph", "none"),
    *_on_both("PageRank, R-MAT, `tol=5.67e-6`", "pagerank, R-MAT scale 20, kept graph", "all 1"),
    *_on_both(
        "shortest paths from 256 vertices, roads", "many_to_many, ny-road, 256 sources", "float64"
    ),
    Row("shortest paths, all pairs", "apsp, n = 2000, float32, general", False, "float32"),
    Row(
        "shortest paths, all pairs",
        "apsp, n = 16384, int32, 32-bit sums, distances stay on the device",
        True,
        "int32",
    ),
    Row(
        "spanning forest, R-MAT",
        "minimum_spanning_forest, rmat 22, int32, kept graph",
        False,
        "int32",
    ),
    Row(
        "spanning forest, R-MAT, positions of edges only",
        "minimum_spanning_forest, edge ids on the device, rmat 22, int32",
        True,
        "int32",
    ),
    Row("spanning tree of points", "euclidean_mst, 1 million points, 3-D", False, "float64"),
    Row(
        "spanning tree of points",
        "euclidean_mst, 1 million points, 3-D, float32, all on the device",
        True,
        "float32",
    ),
    *_on_both("HDBSCAN", "HDBSCAN, 1 million uniform points in 3-D", "float64"),
    *_on_both("k-means", "KMeans, 1 million points, 16-D, 64 clusters, uniform", "float32"),
    Row("filter, half pass", "predicate_filter, 32 million, 50% pass, float64", False, "float64"),
)

#: The table of the README: calls of bench_first_call.py, and its graphs. Weights are float64.
CALLS = (
    ("breadth-first search", "bfs"),
    ("connected components", "connected_components"),
    ("shortest paths", "sssp"),
    ("PageRank", "pagerank"),
    ("spanning forest", "minimum_spanning_forest"),
)
GRAPHS = (("a grid", "grid 2048 x 2048"), ("R-MAT", "R-MAT scale 20"))

#: The graph of most of these gains, and one that is too small for several GPUs.
LARGE, SMALL = "rmat 26", "ny-road"
#: Gains of several GPUs in the README: the words, and the case of seed_004.py.
ON_FOUR_GPUS = (
    (
        "distances between all pairs of 32 k vertices",
        "all pairs on all GPUs, 32 k vertices, 1 M edges",
    ),
    ("searches from 65,536 vertices of New York", "paths from 65536 vertices on all GPUs, ny-road"),
    ("PageRank", "pagerank on all GPUs, rmat 26"),
    ("spanning forests", "spanning forest on all GPUs, rmat 26"),
    ("shortest paths from one vertex", "sssp on all GPUs, rmat 26"),
    ("components", "components on all GPUs, rmat 26"),
    ("breadth-first search", "bfs on all GPUs, rmat 26"),
)


def table(lines: Sequence[Any]) -> str:
    """Return the rows that have results."""
    rows = ["| computation | size | numbers | input | on | ms | fastest other, ms |"]
    rows.append("|---|---|---|---|---|--:|---|")
    for row in ROWS:
        line = _find(lines, row.case, row.on_gpu)
        if line is not None:
            m = line.measurement
            about = row.work, _size(m["size"]), row.numbers, others.input_of(m)
            on = f"{'H100' if row.on_gpu else f'{CORES} cores'}{_end(m)}"
            rows.append(f"| {' | '.join(about)} | {on} | {_cells(line)} |")
    return "\n".join(rows)


def _end(measurement: dict[str, Any]) -> str:
    """Return where the result is, if it is not on the host."""
    return ", result stays there" if others.stays(measurement) else ""


def readme(lines: Sequence[Any], image: str) -> str:
    """Return the picture with its numbers as text, and what is said of inputs and GPUs."""
    bars = picture.measured(lines)
    parts = [f"![Times of {picture.MACHINE}. {picture.description(bars)}]({image})"]
    parts += [part for part in (_calls(lines), _on_four_gpus(lines)) if part]
    return "\n\n".join(parts)


def _calls(lines: Sequence[Any]) -> str:
    """Return the table of the same calls on cores and on a GPU, from matrices and kept graphs."""
    places = (f"{CORES} cores", GPU_OF_CALLS.split()[-1])
    columns = [f"{on}, {given}" for on in places for given in ("SciPy matrix", "`wg.Graph`")]
    rows, sizes = [], {}
    for words, call in CALLS:
        times: list[list[str]] = [[] for _ in columns]
        for kind, graph in GRAPHS:
            case = f"{call}, {graph}, first call"
            found = [
                line.measurement
                for on_gpu in (False, True)
                if (line := _newest(lines, case, on_gpu))
            ]
            if len(found) < len(places):
                return ""
            sizes[kind] = f"{kind} of {_size(found[0]['size'])}"
            both = [seconds for m in found for seconds in _both_inputs(m)]
            for column, seconds in zip(times, both, strict=True):
                column.append(_number(1e3 * seconds))
        rows.append(f"| {words} | {' | '.join(' / '.join(column) for column in times)} |")
    heading = f"| ms, {' / '.join(sizes.values())} | {' | '.join(columns)} |"
    return "\n".join([heading, "|---|--:|--:|--:|--:|", *rows])


def _both_inputs(measurement: dict[str, Any]) -> tuple[float, float]:
    """Return the seconds from a SciPy matrix, and those of the kept graph in the same run."""
    medians = measurement["medians"]
    return medians[measurement["ours"]], medians["kept graph"]


def _newest(lines: Sequence[Any], case: str, on_gpu: bool) -> Any:
    of_case = [line for line in lines if line.measurement["case"] == case]
    found = [line for line in of_case if _is_on(line, on_gpu, GPU_OF_CALLS)]
    return max(found, key=lambda line: line.started, default=None)


def _on_four_gpus(lines: Sequence[Any]) -> str:
    """Return what four GPUs gain, and what they lose where the graph is small."""
    gains = [
        (f"{words} {gain:.1f}", case)
        for words, case in ON_FOUR_GPUS
        if (gain := _gain(lines, case))
    ]
    if not gains:
        return ""
    alone = [shown for shown, case in gains if LARGE not in case]
    large = [shown for shown, case in gains if LARGE in case]
    only = f"and on R-MAT 26 {', '.join(large)}"
    parts = [", ".join(alone)] * bool(alone) + [only] * bool(large)
    text = f"Four H100s are this many times as fast as one, from a `wg.Graph`: {', '.join(parts)}"
    small = [_gain(lines, case.replace(LARGE, SMALL)) for _, case in gains if LARGE in case]
    if all(small):
        text += f", and these on New York's roads {min(small):.2f} to {max(small):.2f}"
    text += "."
    return others.wrapped(text)


def _gain(lines: Sequence[Any], case: str) -> float:
    """Return the time on one GPU divided by that on four, of the newest run; 0: there is none."""
    found = [line for line in lines if line.measurement["case"] == case]
    found = [line for line in found if "4 GPUs" in line.measurement["medians"]]
    if not found:
        return 0.0
    medians = max(found, key=lambda line: line.started).measurement["medians"]
    return float(medians["1 GPU"] / medians["4 GPUs"])


def _find(lines: Sequence[Any], case: str, on_gpu: bool) -> Any:
    """Return the newest measurement of a case beside its fastest rival."""
    found = [line for line in lines if line.measurement["case"] == case and _is_on(line, on_gpu)]
    newest: dict[str | None, Any] = {}
    for line in sorted(found, key=lambda line: line.started):
        best = _best(line.measurement)
        newest.pop(best, None)
        newest[best] = line
        if best is None:  # measured anew alone
            newest = {best: line}
    return min(reversed(newest.values()), key=_best_ratio, default=None)


def _best(measurement: dict[str, Any]) -> str | None:
    """Return the fastest program of others, if there is one."""
    ratios = ratios_of_others(measurement)
    return min(ratios, key=ratios.__getitem__, default=None)


def _best_ratio(line: Any) -> float:
    return min(ratios_of_others(line.measurement).values(), default=math.inf)


def _is_on(line: Any, on_gpu: bool, gpu: str = GPU) -> bool:
    m = line.measurement
    if on_gpu:
        return line.machine.startswith(gpu) and m["device"] == "cuda:0"
    here = cores_of(line.machine) == picture.MACHINE
    return here and m["device"] == "cpu" and m["threads"] == CORES


def _cells(line: Any) -> str:
    measurement = line.measurement
    took = 1e3 * measurement["medians"][measurement["ours"]]
    ours = _number(took) + (OLDER_MARK if speed.is_older(line) else "")
    best = _best(measurement)
    if best is None:
        return f"{ours} | "
    theirs = took * ratios_of_others(measurement)[best]
    rival = min(
        (name for name in measurement["ratios"] if OTHERS.get(name) == best),
        key=measurement["ratios"].__getitem__,
    )
    mark = marks(rival, measurement) + ("" if measurement["checked"] else UNCHECKED_MARK)
    where = place(rival, measurement)
    named = f"{best} ({where})" if where else best
    return f"{ours} | {named}{mark}: {_number(theirs)}"


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
