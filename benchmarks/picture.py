"""The picture of the results: a panel a kind of work, a bar for each program of others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.headlines import GPU
from benchmarks.others import OTHERS, OUTSIDE_MARK, in_legend, ratios_of_others

#: Parts of the names of cases that a panel need not repeat.
SHORTER = (
    (", distances stay on the device", ""),
    (", edge ids on the device", ", ids"),
    ("minimum_spanning_forest", "forest"),
    (", 100 thousand vertices, 2 million edges", ", 2 million edges"),
    (", one iteration", ""),
    (", uniform", ""),
    (" million", " M"),
    (" thousand", " k"),
)
#: Panels, and what the names of their cases begin with.
PANELS = {
    "shortest paths": ("sssp",),
    "breadth-first search": ("bfs",),
    "connected components": ("weak", "strong"),
    "PageRank": ("pagerank",),
    "shortest paths from many or all vertices": ("many_to_many", "apsp"),
    "spanning forests": ("minimum_spanning_forest",),
    "trees and clusters of points": ("euclidean_mst", "MSTClustering", "KMeans", "single_linkage"),
}
COLUMNS = 2
BAR = 0.17  # inches


def draw(lines: Sequence[Any], path: Path) -> None:
    """Draw how many times longer others took, on a logarithmic scale."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    panels = {title: _bars(lines, begins) for title, begins in PANELS.items()}
    panels = {title: bars for title, bars in panels.items() if bars}
    columns = _in_columns(panels)
    longest = max(sum(len(panels[title]) + 4 for title in column) for column in columns)
    figure = plt.figure(figsize=(11, 0.9 + BAR * longest), layout="constrained")
    colours = dict(zip(sorted(set(OTHERS.values())), plt.get_cmap("tab20").colors, strict=False))
    for part, column in zip(figure.subfigures(1, COLUMNS), columns, strict=True):
        if not column:
            continue
        heights = [len(panels[title]) + 2 for title in column]
        grid = part.subplots(len(column), 1, height_ratios=heights, squeeze=False)
        for axes, title in zip(grid[:, 0], column, strict=True):
            _draw_panel(axes, title, panels[title], colours)
    used = sorted({name for bars in panels.values() for _, name, _ in bars})
    handles = [plt.Rectangle((0, 0), 1, 1, color=colours[name]) for name in used]
    title = (
        "time of other programs / time of warpgraph (on the H100 the graph is in its memory; "
        f"{OUTSIDE_MARK} in a process of its own)\n"
        "A selection; docs/benchmarks.md has all rows, also those in which others are faster"
    )
    labels = list(map(in_legend, used))
    figure.legend(handles, labels, title=title, loc="outside upper center", ncols=6, fontsize=8)
    save(figure, path)


def _bars(lines: Sequence[Any], begins: tuple[str, ...]) -> list[tuple[str, str, float]]:
    """Return (case, program, ratio) for each bar, of cores and of one kind of GPU."""
    bars = []
    for line in sorted(lines, key=_place):
        m = line.measurement
        on_cores = m["device"] == "cpu"
        if m["case"].startswith(begins) and (on_cores or line.machine.startswith(GPU)):
            where = f"{m['threads']} cores" if on_cores else GPU.split()[-1]
            label = m["case"]
            for long, short in SHORTER:
                label = label.replace(long, short)
            bars += [
                (f"{label}; {where}", name, ratio) for name, ratio in ratios_of_others(m).items()
            ]
    return bars


def _place(line: Any) -> tuple[bool, int]:
    """Return what orders machines: few cores, many, GPUs."""
    m = line.measurement
    return m["device"] != "cpu", m["threads"]


def _in_columns(panels: dict[str, list[Any]]) -> list[list[str]]:
    """Return the titles in columns of similar heights, in their order within each."""
    columns: list[list[str]] = [[] for _ in range(COLUMNS)]
    heights = [0] * COLUMNS
    for title in sorted(panels, key=lambda title: -len(panels[title])):
        least = heights.index(min(heights))
        columns[least].append(title)
        heights[least] += len(panels[title]) + 4
    order = list(panels)
    return [sorted(column, key=order.index) for column in columns]


def _draw_panel(
    axes: Any, title: str, bars: list[tuple[str, str, float]], colours: dict[str, Any]
) -> None:
    bars = bars[::-1]
    ratios = [ratio for _, _, ratio in bars]
    axes.barh(
        range(len(bars)),
        [ratio - 1 for ratio in ratios],
        left=1,
        color=[colours[name] for _, name, _ in bars],
    )
    for i, ratio in enumerate(ratios):
        text = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
        end = max(ratio, 1), i  # left of it would be the names
        axes.annotate(text, end, (3, 0), textcoords="offset points", va="center", fontsize=7)
    above = [None, *(case for case, _, _ in bars[::-1])][: len(bars)][::-1]
    labels = [
        "" if case == other else case for (case, _, _), other in zip(bars, above, strict=True)
    ]
    axes.set_yticks(range(len(bars)), labels, fontsize=7)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_title(title, fontsize=9, loc="left")
    axes.tick_params(axis="x", labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.12, y=0.02)


def save(figure: Any, path: Path) -> None:
    """Write a picture, and close it."""
    from matplotlib import pyplot as plt

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
