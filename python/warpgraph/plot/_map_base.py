"""Parts of all pictures on the coordinates of a graph: plane, aspect, edges and bands."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._graph.graph import Graph
from warpgraph._graph.turns import TurnGraph
from warpgraph.plot._picture_arguments import colour_map, new_axes, two_columns

Array = npt.NDArray[Any]

ROADS = "#c8ccd1"
#: Colours of paths in one picture, in their order.
PATHS = ("#c0392b", "#4a6fa5", "#e08e0b", "#3a8f5c", "#7b5ea7", "#2aa1b3", "#a0522d")
#: A map ends at this latitude, as those of Mercator do: at a pole, all longitudes are one point.
_HIGHEST_LATITUDE = 85.0
#: The size of a map in a figure of its own, and the width of a scale of colours beside it.
_SQUARE_INCHES = 30.0
_INCHES_OF_SCALE = 1.0


def on_earth(latitude: Any, longitude: Any) -> bool:
    """Return whether all of these can be latitudes and longitudes in degrees."""
    return bool(np.all(np.abs(latitude) <= 90) and np.all(np.abs(longitude) <= 180))


def aspect_of(flat: Array) -> float:
    """Return the length on a map of a unit to the north, divided by that of one to the east.

    Coordinates that can be degrees, (longitude, latitude), are taken for degrees, except whole
    numbers: those are of a grid. Where a plane near the origin is mistaken for degrees, as the unit
    square is, the aspect is 1 all the same, up to what nobody sees.
    """
    if not len(flat) or not on_earth(flat[:, 1], flat[:, 0]) or (flat == np.rint(flat)).all():
        return 1.0
    latitude = min(abs(float(flat[:, 1].mean())), _HIGHEST_LATITUDE)
    return float(1 / np.cos(np.radians(latitude)))


def width_of_path(i: int, n: int) -> float:
    """Return the width of path i of n: those below are wider, so that they are seen in all parts.

    A path that leads along another one would hide it.
    """
    return 2 + 1.2 * min(n - 1 - i, 5)


def new_map(ax: Any, flat: Array) -> Any:
    """Return `ax`, or the axes of a new figure that has about the shape of a map."""
    if not len(flat):
        return new_axes(ax)
    width, height = np.ptp(flat, axis=0)
    ratio = aspect_of(flat) * height / width if width > 0 else 1.0
    ratio = float(np.clip(ratio, 0.5, 2.0)) if np.isfinite(ratio) else 1.0
    inches = np.sqrt(_SQUARE_INCHES / ratio)
    return new_axes(ax, (inches + _INCHES_OF_SCALE, inches * ratio))


def finish(ax: Any, flat: Array) -> None:
    """Give the axes of a map their aspect and limits."""
    from matplotlib.ticker import AutoLocator

    aspect = aspect_of(flat)
    if aspect != 1 and isinstance(ax.xaxis.get_major_locator(), AutoLocator):
        ax.locator_params(axis="x", nbins=4)  # a degree has long labels, and is short to the east
    ax.set_aspect(aspect)
    ax.autoscale_view()


def plane_of(graph: Any, axes: tuple[int, int]) -> Array:
    """Return two columns of the coordinates of a graph."""
    if not isinstance(graph, Graph):
        hint = "; use its attribute graph" if isinstance(graph, TurnGraph) else ""
        raise TypeError(
            f"graph must be a warpgraph.Graph with coordinates, got {type(graph).__name__}{hint}"
        )
    if graph.coordinates is None:
        raise ValueError(
            "the graph has no coordinates to draw it on; Graph(graph, coordinates=...) gives each "
            "vertex a position, such as those in the values of networkx.spring_layout: "
            "list(networkx.spring_layout(graph.to_networkx()).values())"
        )
    return two_columns(graph.coordinates, axes, "the coordinates", must_differ=True)


def edges_once(graph: Graph) -> tuple[Array, Array]:
    """Return the two ends of each edge; one that is stored both ways is there once."""
    row, col, _ = graph.to_edges()
    if graph._has_mirrored_structure():
        once = row < col
        row, col = row[once], col[once]
    return row, col


def numbers_of_vertices(
    graph: Graph, distances: npt.ArrayLike
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return a number for each vertex, and whether it is the distance of a vertex reached."""
    given = validate.as_array(distances, "distances")
    values = np.ma.getdata(given)
    if values.shape != (graph.n_vertices,) or values.dtype.kind not in "iuf":
        raise ValueError(
            f"distances must be numbers of shape ({graph.n_vertices},), got an array of "
            f"{values.dtype}, shape {values.shape}"
            f"{advice(values, graph.n_edges, 'those of edges are scores, as in plot.edges')}"
        )
    return values, _reached(values) & ~np.ma.getmaskarray(given)


def advice(values: Array, other_size: int, sentence: str) -> str:
    """Return the end of a sentence if numbers are of edges rather than of vertices, or reverse."""
    return f"; {sentence}" if values.shape == (other_size,) else ""


def _reached(values: Array) -> npt.NDArray[np.bool_]:
    if values.dtype.kind == "f":
        return np.isfinite(values)
    return (values >= 0) & (values < np.iinfo(values.dtype).max)


def one_colour_each(limits: npt.NDArray[np.float64], cmap: Any) -> dict[str, Any]:
    """Return what gives all values between two limits one colour."""
    from matplotlib import colormaps
    from matplotlib.colors import BoundaryNorm, ListedColormap

    lowest = 0.0 if limits[0] > 0 else float(limits[0]) - 1
    shades = colormaps.get_cmap(colour_map(cmap))(np.linspace(0.1, 0.9, len(limits)))
    above = np.nextafter(limits, np.inf)  # a limit belongs to the band that it ends
    return {"cmap": ListedColormap(shades), "norm": BoundaryNorm([lowest, *above], len(limits))}


def name_limits(scale: Any, limits: Array) -> None:
    """Label the limits of bands beside a colour bar."""
    scale.set_ticks(scale.norm.boundaries[1:], labels=[f"{limit:.4g}" for limit in limits])


def draw_edges(ax: Any, graph: Graph, flat: Array) -> None:
    """Draw all edges in grey."""
    from matplotlib.collections import LineCollection

    row, col = edges_once(graph)
    segments = list(np.stack([flat[row], flat[col]], axis=1))
    lines = LineCollection(
        segments, colors=ROADS, linewidths=0.6, rasterized=len(segments) > 10_000, zorder=1
    )
    ax.add_collection(lines)


def draw_segments(
    ax: Any,
    segments: Array,
    values: Array,
    shown: npt.NDArray[np.bool_],
    colours: dict[str, Any],
    widths: Any = 1.4,
) -> Any:
    """Draw lines in the colours of numbers, and grey ones; return what a colour bar is made of.

    `widths` are of the lines in `shown`.
    """
    from matplotlib.collections import LineCollection

    style: dict[str, Any] = {"rasterized": len(segments) > 10_000}
    lost = list(segments[~shown])
    ax.add_collection(LineCollection(lost, colors=ROADS, linewidths=0.6, zorder=1, **style))
    if not shown.any():
        return None
    lines = LineCollection(list(segments[shown]), linewidths=widths, zorder=2, **style, **colours)
    lines.set_array(values[shown])
    return ax.add_collection(lines)


def text_of(vertex: int, names: Array | None) -> str:
    """Return the name of a vertex, or its number without names, as text for matplotlib."""
    return plain(vertex if names is None else names[vertex])


def plain(name: Any) -> str:
    """Return a name as text for matplotlib, for which a dollar begins a formula."""
    return str(name).replace("$", r"\$")


def point_area(n: int) -> float:
    """Return the area of a point, smaller where there are many."""
    return float(np.clip(20000 / max(n, 1), 0.2, 25))
