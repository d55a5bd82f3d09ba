"""The main job, ``warpgraph demo``: street networks solved and checked against SciPy; a picture.

Lengths are those of Helsinki's streets. New York's network of roads is larger but has no lengths:
it serves for hops and components.

Every answer is compared with SciPy's before its time is printed.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.sparse import csgraph

import warpgraph as wg
from warpgraph._files.text import written_whole
from warpgraph.demo._comparison import Task, same_hops, same_partition, solve_all

Array = npt.NDArray[Any]

_SOURCE = 0
_SOURCES = [*range(1000)]
_METRES_PER_MINUTE = 80


def run(output: str = "demo-output", *, device: str | None = None, as_json: bool = False) -> int:
    """Run the main job on each device here, or on `device`; return 0 if every answer is verified.

    Prints a table, or one JSON object, and draws a picture into the folder `output`.
    """
    devices = wg.devices() if device is None else [device]
    streets, roads = wg.datasets.load("helsinki"), wg.datasets.load("ny-road")
    points = make_points()
    rows = solve_all(_tasks(streets, roads, points), devices, silent=as_json)
    picture = _draw(points, streets, devices[0], Path(output))
    status = 0 if all(row.verified for row in rows) else 1
    if as_json:
        weights = wg.datasets.info("helsinki").weights
        shown = {"rows": [asdict(row) for row in rows], "weights": weights, "picture": picture}
        print(json.dumps(shown))
        return status
    print(
        "\nStreets are Helsinki's, with lengths in metres (OpenStreetMap contributors); roads are "
        "New York's."
    )
    if picture:
        print(f"The picture is {picture}.")
    else:
        print("No picture was drawn: that takes matplotlib (pip install 'warpgraph[plot]').")
    return status


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


def _tasks(streets: wg.Graph, roads: wg.Graph, points: Array) -> list[Task]:
    metres: Any = streets.to_csr()
    network: Any = roads.to_csr()
    # Half of the entries, chosen at random, so that there are many components. An entry is a lane.
    is_open = np.random.default_rng(2).random(network.nnz) < 0.5
    tails = np.repeat(np.arange(roads.n_vertices), np.diff(network.indptr))[is_open]
    half: Any = sparse.csr_array(
        (network.data[is_open], (tails, network.indices[is_open])), network.shape
    )
    corners = f"{streets.n_vertices:,} corners, {streets.n_edges // 2:,} streets"
    sources = _SOURCES[: streets.n_vertices]
    return [
        Task(
            "shortest paths",
            corners,
            lambda device: wg.sssp(streets, _SOURCE, device=device),
            lambda: csgraph.dijkstra(metres, indices=[_SOURCE]),
            lambda ours, theirs: np.array_equal(ours, theirs[0]),
        ),
        Task(
            "many sources",
            f"{len(sources):,} corners to all",
            lambda device: wg.many_to_many(streets, sources, device=device),
            lambda: csgraph.dijkstra(metres, indices=sources),
            lambda ours, theirs: np.array_equal(ours, theirs),
        ),
        Task(
            "spanning forest",
            corners,
            lambda device: wg.minimum_spanning_forest(streets, device=device),
            lambda: csgraph.minimum_spanning_tree(metres),
            lambda forest, tree: len(forest) == tree.nnz and forest.total_weight == tree.sum(),
        ),
        Task(
            "hops",
            f"{roads.n_vertices:,} junctions, {roads.n_edges // 2:,} roads",
            lambda device: wg.bfs(roads, _SOURCE, device=device),
            lambda: csgraph.breadth_first_order(network, _SOURCE),
            lambda hops, found: same_hops(hops, *found),
        ),
        Task(
            "components",
            f"half of the lanes, {half.nnz:,}",
            lambda device: wg.connected_components(half, device=device),
            lambda: csgraph.connected_components(half, directed=False),
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


def _draw(points: Array, streets: wg.Graph, device: str, folder: Path) -> str | None:
    """Draw clusters, their tree's weights and dendrogram, and a map; None without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    model = wg.cluster.MSTClustering(device=device).fit(points)
    figure = Figure(figsize=(19, 6.4), layout="constrained")
    plane, weights, town, dendrogram = figure.subplot_mosaic(
        [["plane", "weights", "town"], ["plane", "dendrogram", "town"]], width_ratios=[1.75, 1, 1]
    ).values()
    _draw_map(streets, device, town)
    model.plot_tree(points, ax=plane)
    plane.set_axis_off()
    plane.set_title(f"{len(points):,} points, their spanning tree and {model.n_clusters_} clusters")
    model.plot_weights(ax=weights)
    weights.set_title("The tree is cut at the largest gap of its weights")
    model.plot_dendrogram(ax=dendrogram)
    dendrogram.set_title("What joins at which height")
    dendrogram.set_xticks([])
    if legend := dendrogram.get_legend():
        legend.remove()  # the histogram has the same one
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "warpgraph-demo.png"
    with written_whole(str(path)) as file:
        figure.savefig(file, dpi=120)
    return str(path)


def _draw_map(streets: wg.Graph, device: str, ax: Any) -> None:
    """Draw how far the streets are from their middle, on foot."""
    corners = np.asarray(streets.coordinates)
    middle = int(np.linalg.norm(corners - corners.mean(axis=0), axis=1).argmin())
    minutes = wg.sssp(streets, middle, device=device) / _METRES_PER_MINUTE
    wg.plot.distances(
        streets, minutes, bands=[3, 6, 9, 12, 15], edges=True, label="minutes on foot", ax=ax
    )
    ax.set_axis_off()
    ax.set_title("Helsinki on foot (\N{COPYRIGHT SIGN} OpenStreetMap contributors)")
