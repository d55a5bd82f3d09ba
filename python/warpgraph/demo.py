"""The main job, ``warpgraph demo``: a road network solved and checked against SciPy, and a picture.

Every answer is compared with SciPy's before its time is printed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.cluster import hierarchy
from scipy.sparse import csgraph

import warpgraph as wg
from warpgraph.io._text import written_whole

Array = npt.NDArray[Any]

_SOURCE = 0
_SOURCES = [*range(16)]  # few, since SciPy is slow
_REPEATS = 3  # the best of three: the first one also warms up caches and devices


@dataclass(frozen=True)
class Task:
    """One task: warpgraph's call, SciPy's call, and the comparison of two answers."""

    what: str
    size: str
    ours: Callable[[str], Any]
    scipys: Callable[[], Any]
    agree: Callable[[Any, Any], bool]


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    size: str
    device: str
    seconds: float
    scipy_seconds: float
    verified: bool


def run(output: str = "demo-output", *, device: str | None = None, as_json: bool = False) -> int:
    """Run the main job on each device here, or on `device`; return 0 if every answer is verified.

    Prints a table, or one JSON object, and draws a picture into the folder `output`.
    """
    devices = wg.devices() if device is None else [device]
    graph, points = wg.datasets.load("ny-road"), make_points()
    tasks = _tasks(graph, points)
    table = Table(tasks, devices)
    rows: list[Row] = []
    if not as_json:
        table.print_head()
    for task in tasks:
        for row in _solve(task, devices):
            rows.append(row)
            if not as_json:
                table.print_row(row)
    picture = _draw(points, devices[0], Path(output))
    if as_json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "picture": picture}))
    elif picture:
        print(f"\nThe picture is {picture}.")
    else:
        print("\nNo picture was drawn: that takes matplotlib (pip install 'warpgraph[plot]').")
    return 0 if all(row.verified for row in rows) else 1


def make_points(n: int = 4500, seed: int = 7) -> Array:
    """Return points in the plane that k-means gets wrong: moons, a disc in a ring, a wave."""
    rng = np.random.default_rng(seed)

    def disc(share: float, radius: float, x: float, y: float, hole: float = 0.0) -> Array:
        count = round(share * n)
        distance = radius * np.sqrt(rng.uniform(hole**2, 1, count))
        angle = rng.uniform(0, 2 * np.pi, count)
        return np.column_stack((x + distance * np.cos(angle), y + distance * np.sin(angle)))

    def moon(share: float, x: float, y: float, side: int) -> Array:
        count = round(share * n)
        angle, distance = np.pi * rng.random(count), rng.uniform(0.85, 1.15, count)
        return np.column_stack((x + distance * np.cos(angle), y + side * distance * np.sin(angle)))

    def wave(share: float, x: float, y: float) -> Array:
        count = round(share * n)
        along, across = rng.uniform(0, 2.3, count), rng.uniform(-0.13, 0.13, count)
        return np.column_stack((x + along, y + across + 0.22 * np.sin(4 * along)))

    parts = [
        moon(0.17, 0.0, 0.0, 1),
        moon(0.17, 1.0, 0.45, -1),
        disc(0.22, 1.1, 3.9, 0.25, hole=0.8),
        disc(0.09, 0.42, 3.9, 0.25),
        disc(0.14, 0.55, 0.0, -1.55),
        disc(0.08, 0.38, 1.75, -1.5),
        wave(0.13, 2.75, -1.6),
    ]
    return rng.permutation(np.concatenate(parts))


def _tasks(graph: wg.Graph, points: Array) -> list[Task]:
    matrix: Any = graph.to_csr()
    roads = f"{graph.n_vertices:,} junctions, {graph.n_edges // 2:,} roads"
    short: Any = matrix.copy()
    short.data[short.data > np.median(short.data)] = 0
    short.eliminate_zeros()
    short_graph = wg.Graph(short)
    return [
        Task(
            "shortest paths",
            roads,
            lambda device: wg.sssp(graph, _SOURCE, device=device),
            lambda: csgraph.dijkstra(matrix, indices=[_SOURCE]),
            lambda ours, theirs: np.array_equal(ours, theirs[0]),
        ),
        Task(
            "many sources",
            f"{len(_SOURCES)} junctions to all",
            lambda device: wg.many_to_many(graph, _SOURCES, device=device),
            lambda: csgraph.dijkstra(matrix, indices=_SOURCES),
            lambda ours, theirs: np.array_equal(ours, theirs),
        ),
        Task(
            "spanning forest",
            roads,
            lambda device: wg.minimum_spanning_forest(graph, device=device),
            lambda: csgraph.minimum_spanning_tree(matrix),
            lambda forest, tree: len(forest) == tree.nnz and forest.total_weight == tree.sum(),
        ),
        Task(
            "hops",
            roads,
            lambda device: wg.bfs(graph, _SOURCE, device=device),
            lambda: csgraph.breadth_first_order(matrix, _SOURCE),
            lambda hops, found: np.array_equal(hops, _depths(*found)),
        ),
        Task(
            "components",
            f"the shorter half, {short_graph.n_edges // 2:,} roads",
            lambda device: wg.connected_components(short_graph, device=device),
            lambda: csgraph.connected_components(short, directed=False),
            lambda ours, theirs: ours[0] == theirs[0] and same_partition(ours[1], theirs[1]),
        ),
        Task(
            "clusters",
            f"{len(points):,} points in the plane",
            lambda device: wg.cluster.MSTClustering(device=device).fit(points),
            lambda: hierarchy.linkage(points, "single"),
            _same_clusters,
        ),
    ]


def _same_clusters(model: Any, linkage: Array) -> bool:
    expected = hierarchy.fcluster(linkage, model.n_clusters_, "maxclust")
    heights = np.allclose(model.linkage_[:, 2], linkage[:, 2], rtol=1e-12, atol=0)
    return bool(heights) and same_partition(model.labels_, expected)


def same_partition(a: Array, b: Array) -> bool:
    """Return whether two labellings define the same groups."""
    pairs = np.unique(np.column_stack((a, b)), axis=0)
    return len(pairs) == len(np.unique(a)) == len(np.unique(b))


def _depths(order: Array, predecessors: Array) -> Array:
    """Return the hops to every vertex from the order and the tree of SciPy's search."""
    depth = [-1] * len(predecessors)
    parent = predecessors.tolist()
    first, *others = order.tolist()
    depth[first] = 0
    for vertex in others:
        depth[vertex] = depth[parent[vertex]] + 1
    return np.array(depth)


def _solve(task: Task, devices: list[str]) -> Iterator[Row]:
    expected, scipy_seconds = _best(task.scipys)
    for device in devices:
        answer, seconds = _best(lambda device=device: task.ours(device))  # type: ignore[misc]
        verified = bool(task.agree(answer, expected))
        yield Row(task.what, task.size, device, seconds, scipy_seconds, verified)


def _best(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what the work returns, and its shortest time."""
    seconds = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        answer = work()
        seconds.append(time.perf_counter() - started)
    return answer, min(seconds)


class Table:
    """Prints rows one by one; the first columns are as wide as their known contents."""

    def __init__(self, tasks: list[Task], devices: list[str]) -> None:
        self._widths = [
            max(len(task.what) for task in tasks),
            max(len(task.size) for task in tasks),
            max(len("device"), *map(len, devices)),
        ]

    def print_head(self) -> None:
        """Print what is run where, and the columns' names."""
        print(f"warpgraph {wg.__version__}, {wg.get_num_threads()} CPU threads\n")
        self._print(("what", "size", "device"), "time", "SciPy", "ratio", "verified")

    def print_row(self, row: Row) -> None:
        """Print what was found, how fast, and whether SciPy agrees."""
        self._print(
            (row.what, row.size, row.device),
            f"{1e3 * row.seconds:,.1f} ms",
            f"{1e3 * row.scipy_seconds:,.1f} ms",
            f"{row.scipy_seconds / row.seconds:.1f}x",
            "yes" if row.verified else "NO",
        )

    def _print(self, left: Sequence[str], *right: str) -> None:
        cells = [cell.ljust(width) for cell, width in zip(left, self._widths, strict=True)]
        cells += [cell.rjust(width) for cell, width in zip(right, (10, 10, 7, 8), strict=True)]
        print("  ".join(cells), flush=True)


def _draw(points: Array, device: str, folder: Path) -> str | None:
    """Draw the clusters, the tree's weights and the dendrogram; None without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    model = wg.cluster.MSTClustering(device=device).fit(points)
    figure = Figure(figsize=(15, 6.4), layout="constrained")
    plane, weights, dendrogram = figure.subplot_mosaic(
        [["plane", "weights"], ["plane", "dendrogram"]], width_ratios=[1.75, 1]
    ).values()
    model.plot_tree(points, ax=plane)
    plane.set_axis_off()
    plane.set_title(f"{len(points):,} points, their spanning tree and {model.n_clusters_} clusters")
    model.plot_weights(ax=weights)
    weights.set_title("The tree is cut at the largest gap of its weights")
    model.plot_dendrogram(ax=dendrogram)
    dendrogram.set_title("What joins at which height")
    dendrogram.set_xticks([])
    if legend := dendrogram.get_legend():
        legend.remove()  # the histogram has it
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "warpgraph-demo.png"
    with written_whole(str(path)) as file:
        figure.savefig(file, dpi=120)
    return str(path)
