"""The picture of the README: routes, and minutes on foot, on the streets of Helsinki.

python docs/tools/map_picture.py    # writes docs/figures/helsinki.png
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import warpgraph as wg

FILE = Path(__file__).parents[1] / "figures" / "helsinki.png"
METRES_PER_MINUTE = 80
COLOURS = 128


def vertex_of(name: str) -> int:
    """Return the vertex of a place."""
    return next(p.vertex for p in wg.datasets.places("helsinki") if p.name == name)


def routes(streets: wg.Graph, source: int, target: int, count: int) -> list[tuple[float, Any]]:
    """Return the shortest route, and others: each avoids the streets of those before it."""
    tails, heads, lengths = streets.to_edges()
    lengths, found = lengths.copy(), []
    for _ in range(count):
        _, path = wg.shortest_path(streets.with_weights(lengths), source, target)
        metres = float(streets.to_csr()[path[:-1], path[1:]].sum())
        found.append((metres, path))
        lengths[np.isin(tails, path) & np.isin(heads, path)] *= 1.4
    return found


def draw(file: Path = FILE) -> None:
    """Draw both panels."""
    streets = wg.datasets.load("helsinki")
    library = vertex_of("Helsingin keskustakirjasto Oodi")
    theatre = vertex_of("Savoy-teatteri")
    figure = Figure(figsize=(8.6, 6.2), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2)
    for i, (length, path) in enumerate(routes(streets, library, theatre, 3)):
        label = f"{length:,.0f} m"
        wg.plot.path(streets, path, label=label, ends=False, edges=i == 0, ax=left)
    left.legend(loc="lower center", bbox_to_anchor=(0.5, -0.06), ncols=3, frameon=False)
    x, y = streets.coordinates[[library, theatre]].T
    left.plot(x, y, "o", color="black", markersize=6, zorder=5)
    for vertex, name in ((library, "library"), (theatre, "theatre")):
        at = streets.coordinates[vertex]
        left.annotate(
            name,
            at,
            (8, 0),
            textcoords="offset points",
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
            zorder=6,
        )
    minutes = wg.sssp(streets, library) / METRES_PER_MINUTE
    wg.plot.distances(
        streets, minutes, label="minutes on foot", bands=[5, 10, 15, 20, 30], edges=True, ax=right
    )
    right.plot(*streets.coordinates[library], "o", color="black", markersize=6, zorder=5)
    for ax, title in ((left, "three ways"), (right, "what is within reach")):
        ax.set_axis_off()
        ax.set_title(title)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=120, bbox_inches="tight", pad_inches=0.1)
    # A third of the bytes, and no difference that the eye sees.
    image = Image.open(drawn).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    image.save(file, "PNG", optimize=True)


if __name__ == "__main__":
    draw(*map(Path, sys.argv[1:]))
