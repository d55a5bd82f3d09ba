"""The picture of the README: for ten kinds of work, the time here and that of the fastest other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.others import is_prepared, ratios_of_others

#: The machine that all bars are of, and the threads that warpgraph has there.
MACHINE, THREADS = "2 cores of AMD EPYC", 2

BLUE, RED, GREY, ORANGE, GREEN = "#4a6fa5", "#c0392b", "#8a8a8a", "#e08e0b", "#3a8f5c"
#: The style of all figures of benchmarks: pictures of the package have the same colours.
STYLE: dict[str, Any] = {
    "axes.prop_cycle": (
        "cycler('color', ['#4a6fa5', '#e08e0b', '#3a8f5c', '#c0392b', '#7b5ea7', '#2aa1b3', "
        "'#a0522d', '#d36ba6', '#4d4d4d', '#b0a030'])"
    ),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.markersize": 4,
}


@dataclass(frozen=True)
class Bar:
    """A kind of work, in words that need no explanation, and the case that measures it.

    All calls begin with a SciPy matrix, a NetworkX graph or an array, and numbers are of float64
    unless the words say another type.
    """

    work: str
    case: str


BARS = (
    Bar("shortest paths from one junction of New York", "sssp, ny-road, float64"),
    Bar("shortest paths from 256 of them", "many_to_many, ny-road, 256 sources"),
    Bar("shortest paths between all of 2,000 vertices", "apsp, n = 2000, float64, general"),
    Bar("breadth-first search, 16 M edges", "bfs, R-MAT scale 20, directed"),
    Bar("connected components, 16 M edges", "weak, R-MAT scale 20, directed"),
    Bar("spanning tree, 31 M edges", "minimum_spanning_forest, rmat 20, float64"),
    Bar("NetworkX's Dijkstra, 1 M edges", "nx.single_source_dijkstra, 100000 vertices, converted"),
    Bar("NetworkX's PageRank, 1 M edges", "nx.pagerank, 100000 vertices, converted"),
    Bar("HDBSCAN, 1 M points in 3-D", "HDBSCAN, 1 million uniform points in 3-D"),
    Bar(
        "k-means, 1 M points in 16-D, float32",
        "KMeans, 1 million points, 16-D, 64 clusters, uniform",
    ),
)


@dataclass(frozen=True)
class Measured:
    """The seconds of a bar: warpgraph's, and those of the other program in the same run.

    The least and the most are of all inputs of that run: how many times longer the program takes.
    """

    work: str
    ours: float
    theirs: float
    tool: str
    least: float
    most: float

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


def measured(lines: Sequence[Any]) -> list[Measured]:
    """Return the newest measurement of each bar that has one, beside the fastest of the others."""
    found = []
    for bar in BARS:
        here = [line for line in lines if line.machine == MACHINE and _is_of(bar, line.measurement)]
        if here:
            newest = max(here, key=lambda line: line.started)
            m = newest.measurement
            ours, ratios = m["medians"][m["ours"]], ratios_of_others(m)
            tool = min(ratios, key=ratios.__getitem__)
            range_ = min(known := _ratios_to(tool, newest, lines)), max(known)
            found.append(Measured(bar.work, ours, ours * ratios[tool], tool, *range_))
    return found


def _ratios_to(tool: str, like: Any, lines: Sequence[Any]) -> list[float]:
    """Return the ratios to a program of all inputs of the same call, of the same code and machine.

    As the case of the bar, they begin with a matrix, a graph of NetworkX or an array.
    """
    call = like.measurement["case"].split(",")[0]
    here = [line for line in lines if (line.machine, line.commit) == (MACHINE, like.commit)]
    return [
        ratios_of_others(m)[tool]
        for m in (line.measurement for line in here)
        if m["case"].split(",")[0] == call and (m["device"], m["threads"]) == ("cpu", THREADS)
        if tool in ratios_of_others(m) and not is_prepared(m)
    ]


def _is_of(bar: Bar, measurement: dict[str, Any]) -> bool:
    ours = measurement["case"] == bar.case and measurement["threads"] == THREADS
    return ours and measurement["device"] == "cpu" and bool(ratios_of_others(measurement))


def duration(seconds: float) -> str:
    """Return "9.73 ms" or "133 s"."""
    return f"{seconds:.3g} s" if seconds >= 0.1 else f"{1e3 * seconds:.3g} ms"


def description(bars: Sequence[Measured]) -> str:
    """Return the numbers of the picture as text: its alternative text, and what --check reads."""
    rows = []
    for bar in bars:
        row = f"{bar.work}: {duration(bar.ours)}, {bar.tool} {duration(bar.theirs)}"
        if bar.least < bar.most:
            row += f", of all inputs {times(bar.least)} to {times(bar.most)} times as long"
        rows.append(row)
    return "; ".join(rows)


def times(ratio: float) -> str:
    """Return "1.8" or "145"."""
    return f"{ratio:.{0 if ratio >= 9.95 else 1}f}"


def pyplot() -> Any:
    """Return matplotlib's pyplot with the style of all figures, for files."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    plt.rcParams.update(STYLE)
    return plt


def draw(bars: Sequence[Measured], path: Path) -> None:
    """Draw how many times longer the other programs take, with both times beside each bar."""
    plt = pyplot()
    figure = plt.figure(figsize=(9, 0.45 + 0.36 * len(bars)), facecolor="white")
    axes = figure.add_axes((0.355, 0.01, 0.31, 0.98))
    places = range(len(bars))[::-1]
    axes.barh(places, [bar.ratio - 1 for bar in bars], 0.66, 1, color=BLUE)
    axes.hlines(places, [b.least for b in bars], [b.most for b in bars], ORANGE, linewidth=3)
    axes.set_xscale("log")
    axes.set_xlim(min(1, *(bar.least for bar in bars)), 4 * max(bar.most for bar in bars))
    axes.set_ylim(-0.5, len(bars) + 0.25)
    axes.set_yticks(places, [bar.work for bar in bars])
    axes.tick_params(length=0, labelbottom=False)
    axes.tick_params(which="minor", length=0, labelbottom=False)
    axes.spines[["bottom", "left"]].set_visible(False)
    columns = (1.04, "here", "left"), (1.42, "the fastest other", "left")
    for place, bar in zip(places, bars, strict=True):
        ratio, end = f"{times(bar.ratio)}\N{MULTIPLICATION SIGN}", max(bar.ratio, bar.most)
        axes.annotate(ratio, (end, place), (4, 0), textcoords="offset points", va="center")
        theirs = f"{duration(bar.theirs)}, {bar.tool}"
        for (x, _, side), text in zip(columns, (duration(bar.ours), theirs), strict=True):
            _write(axes, x, place, text, ha=side)
    for x, heading, side in columns:
        _write(axes, x, len(bars) - 0.15, heading, ha=side, weight="bold")
    _write(axes, 0.0, len(bars) - 0.15, "times faster, logarithmic", ha="left", weight="bold")
    save(figure, path, metadata={"Description": description(bars)})


def _write(axes: Any, x: float, y: float, text: str, **style: Any) -> None:
    axes.text(x, y, text, va="center", fontsize=9, transform=axes.get_yaxis_transform(), **style)


def drawn(path: Path) -> str:
    """Return the numbers of a picture that `draw` wrote."""
    from PIL import Image

    with Image.open(path) as image:
        return str(image.info.get("Description", ""))


def name_logarithms(figure: Any) -> None:
    """Add to the name of each logarithmic axis that it is one, where axes share a name as well."""
    for xy in ("x", "y"):
        shared = getattr(figure, f"_sup{xy}label")
        named = [getattr(axes, f"{xy}axis").label for axes in figure.axes if _is_log(axes, xy)]
        own = [label for label in named if label.get_text()]
        for label in own or [shared] * (bool(named) and shared is not None):
            label.set_text(f"{label.get_text()}, logarithmic")


def _is_log(axes: Any, xy: str) -> bool:
    return bool(getattr(axes, f"get_{xy}scale")() == "log")


def save(figure: Any, path: Path, **options: Any) -> None:
    """Write a picture, and close it."""
    from matplotlib import pyplot as plt

    name_logarithms(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=140, pil_kwargs={"optimize": True}, **options)
    plt.close(figure)
