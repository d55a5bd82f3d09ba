"""Pictures on the coordinates of a graph: a path, and distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._graph.graph import Graph
from warpgraph._graph.turns import TurnGraph
from warpgraph.plot._picture_arguments import (
    ascending,
    colour_map,
    new_axes,
    refuse_wide,
    two_columns,
    vertices_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = npt.NDArray[Any]

ROADS = "#c8ccd1"
#: Colours of paths in one picture, in their order.
PATHS = ("#c0392b", "#4a6fa5", "#e08e0b", "#3a8f5c", "#7b5ea7", "#2aa1b3", "#a0522d")
_IS_PATH = "warpgraph.plot.path"  # marks the lines that are paths


@hinted
def path(
    graph: Graph,
    path: npt.ArrayLike,
    *,
    color: str | None = None,
    label: str | None = None,
    ends: bool = True,
    edges: bool = True,
    axes: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """Draw a path on the coordinates of a graph.

    Parameters
    ----------
    graph : Graph
        A graph with coordinates.
    path : array_like, shape (k,)
        Its vertices in their order, as `shortest_path` returns them: their names if the graph has
        names, else their numbers. An empty path draws the graph alone.
    color : str, optional
        Its colour, as matplotlib names colours. By default, each path that is drawn into the same
        axes has another.
    label : str, optional
        What the legend calls it; without labels there is no legend.
    ends : bool
        Whether to mark both ends, with their names or numbers.
    edges : bool
        Whether to draw the edges of the graph below the path. For several paths, the first call
        does.
    axes : tuple of int
        The two columns of the coordinates to draw.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        The graph has no coordinates or no such vertex, or no edge joins a vertex of the path to the
        next one, in either direction.

    Notes
    -----
    The edges of large graphs are drawn as pixels (`rasterized`).

    Examples
    --------
    >>> import warpgraph as wg
    >>> roads = wg.datasets.load("model-roads")
    >>> lengths, paths = wg.k_shortest_paths(roads, 0, 9_000, 2)
    >>> ax = wg.plot.path(roads, paths[0], label=f"{lengths[0]:.0f} m")
    >>> ax = wg.plot.path(roads, paths[1], label=f"{lengths[1]:.0f} m", edges=False, ax=ax)
    """
    ends, edges = validate.flag(ends, "ends"), validate.flag(edges, "edges")
    flat = plane_of(graph, axes)
    chosen = vertices_of(graph, path, "path")
    ax = new_axes(ax)
    if edges:
        _draw_edges(ax, graph, flat)
    earlier = sum(line.get_gid() == _IS_PATH for line in ax.get_lines())
    shade = PATHS[earlier % len(PATHS)] if color is None else color
    shown = None if label is None else str(label)
    ax.plot(*flat[chosen].T, color=shade, linewidth=2, zorder=3, label=shown, gid=_IS_PATH)
    if ends and len(chosen):
        _draw_ends(ax, graph, flat, chosen, shade)
    if label is not None:
        _add_legend(ax)
    _finish(ax)
    return ax


@hinted
def distances(
    graph: Graph,
    distances: npt.ArrayLike,
    *,
    label: str = "distance",
    bands: npt.ArrayLike | None = None,
    cmap: str = "viridis",
    edges: bool = False,
    axes: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """Draw the vertices of a graph, coloured by their distances, on its coordinates.

    Parameters
    ----------
    graph : Graph
        A graph with coordinates.
    distances : array_like, shape (n_vertices,)
        A number for each vertex, such as `sssp` or `bfs` return. Vertices that are not reached (inf
        or NaN, the largest integer, below 0 for hops, or masked) are grey.
    label : str
        The label of the colour bar.
    bands : array_like, shape (k,), optional
        Ascending limits of isochrones: up to the first, the second and so on, each band in one
        colour. Vertices that are farther than the last one are grey.
    cmap : str
        Name of a colour map of matplotlib.
    edges : bool
        Whether to draw the edges in place of the vertices: each in the colour of its farther end.
    axes : tuple of int
        The two columns of the coordinates to draw.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        The graph has no coordinates, there is not one distance for each vertex, or bands do not
        ascend.

    Examples
    --------
    >>> import warpgraph as wg
    >>> roads = wg.datasets.load("model-roads")
    >>> metres = wg.sssp(roads, 0)
    >>> ax = wg.plot.distances(roads, metres, label="metres")
    >>> ax = wg.plot.distances(roads, metres, bands=[5000, 10_000], edges=True)
    """
    edges = validate.flag(edges, "edges")
    flat = plane_of(graph, axes)
    values, reached = numbers_of_vertices(graph, distances)
    colours: dict[str, Any] = {"cmap": colour_map(cmap)}
    if bands is not None:
        limits = ascending(bands, "bands")
        reached &= values <= limits[-1]
        colours |= _one_colour_each(limits, cmap)
    refuse_wide(values[reached], "distances")
    ax = new_axes(ax)
    if edges:
        drawn = _draw_coloured_edges(ax, graph, flat, values, reached, colours)
    else:
        style = {"s": point_area(len(flat)), "linewidths": 0, "rasterized": True}
        drawn = None
        if not reached.all():
            ax.scatter(*flat[~reached].T, color=ROADS, zorder=1, **style)
        if reached.any():
            shown = flat[reached].T
            drawn = ax.scatter(*shown, c=values[reached], zorder=2, **colours, **style)
    if drawn is not None:
        ax.figure.colorbar(drawn, ax=ax, label=label, shrink=0.8)
    _finish(ax)
    return ax


@hinted
def edges(
    graph: Graph,
    scores: npt.ArrayLike,
    *,
    label: str = "score",
    bands: npt.ArrayLike | None = None,
    cmap: str = "viridis",
    axes: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """Draw the edges of a graph, coloured by their scores, on its coordinates.

    Parameters
    ----------
    graph : Graph
        A graph with coordinates.
    scores : array_like, shape (n_edges,)
        A number for each entry, such as `edge_betweenness_centrality` returns. Edges whose score is
        inf, NaN or masked are grey. Where several edges join two vertices, as an edge that is
        stored both ways, the highest score is drawn.
    label : str
        The label of the colour bar.
    bands : array_like, shape (k,), optional
        Ascending limits: edges up to the first, the second and so on have one colour. Higher scores
        than the last are grey. Scores of few edges are often far above the others; bands at
        ``numpy.quantile(scores, ...)`` then show more than an even scale.
    cmap : str
        Name of a colour map of matplotlib.
    axes : tuple of int
        The two columns of the coordinates to draw.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        The graph has no coordinates, there is not one score for each edge, or bands do not ascend.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> roads = wg.datasets.load("model-roads")
    >>> scores = wg.edge_betweenness_centrality(roads, sources=range(0, 10_000, 500))
    >>> bands = np.quantile(scores[scores > 0], [0.5, 0.8, 0.95, 1])
    >>> ax = wg.plot.edges(roads, scores, label="betweenness", bands=bands)
    """
    flat = plane_of(graph, axes)
    row, col, values, known = highest_once(graph, scores)
    colours: dict[str, Any] = {"cmap": colour_map(cmap)}
    if bands is not None:
        limits = ascending(bands, "bands")
        known &= values <= limits[-1]
        colours |= _one_colour_each(limits, cmap)
    refuse_wide(values[known], "scores")
    ax = new_axes(ax)
    segments = np.stack([flat[row], flat[col]], axis=1)
    drawn = _draw_segments(ax, segments, values, known, colours)
    if drawn is not None:
        ax.figure.colorbar(drawn, ax=ax, label=label, shrink=0.8)
    _finish(ax)
    return ax


def highest_once(
    graph: Graph, scores: npt.ArrayLike
) -> tuple[Array, Array, Array, npt.NDArray[np.bool_]]:
    """Return the pairs of vertices that edges join, the highest score of each, and if it is known.

    The highest scores are last, so that they are drawn above the others.
    """
    given = validate.as_array(scores, "scores")
    values = np.ma.getdata(given)
    if values.shape != (graph.n_edges,) or values.dtype.kind not in "iuf":
        raise ValueError(
            f"scores must be numbers of shape ({graph.n_edges},), one for each entry, got an array "
            f"of {values.dtype}, shape {values.shape}"
            f"{_advice(values, graph.n_vertices, 'distances takes a number for each vertex')}"
        )
    values = np.where(np.isfinite(values) & ~np.ma.getmaskarray(given), values, -np.inf)
    tail, head, _ = graph.to_edges()
    low, high = np.minimum(tail, head), np.maximum(tail, head)
    order = np.lexsort((values, high, low))
    low, high, values = low[order], high[order], values[order]
    is_last = np.append(
        (low[1:] != low[:-1]) | (high[1:] != high[:-1]), np.ones(min(len(low), 1), bool)
    )
    best = np.flatnonzero(is_last)
    best = best[np.argsort(values[best], kind="stable")]
    return low[best], high[best], values[best], values[best] > -np.inf


def _advice(values: Array, other_size: int, advice: str) -> str:
    """Return the end of a sentence if numbers are of edges rather than of vertices, or reverse."""
    return f"; {advice}" if values.shape == (other_size,) else ""


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
            f"{_advice(values, graph.n_edges, 'those of edges are scores, as in plot.edges')}"
        )
    return values, _reached(values) & ~np.ma.getmaskarray(given)


def _one_colour_each(limits: npt.NDArray[np.float64], cmap: str) -> dict[str, Any]:
    """Return what gives all values between two limits one colour."""
    from matplotlib import colormaps
    from matplotlib.colors import BoundaryNorm, ListedColormap

    lowest = 0.0 if limits[0] > 0 else float(limits[0]) - 1
    shades = colormaps[cmap](np.linspace(0.1, 0.9, len(limits)))
    above = np.nextafter(limits, np.inf)  # a limit belongs to the band that it ends
    return {"cmap": ListedColormap(shades), "norm": BoundaryNorm([lowest, *above], len(limits))}


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


def _reached(values: Array) -> npt.NDArray[np.bool_]:
    if values.dtype.kind == "f":
        return np.isfinite(values)
    return (values >= 0) & (values < np.iinfo(values.dtype).max)


def edges_once(graph: Graph) -> tuple[Array, Array]:
    """Return the two ends of each edge; one that is stored both ways is there once."""
    row, col, _ = graph.to_edges()
    if graph._has_mirrored_structure():
        once = row < col
        row, col = row[once], col[once]
    return row, col


def _draw_edges(ax: Any, graph: Graph, flat: Array) -> None:
    from matplotlib.collections import LineCollection

    row, col = edges_once(graph)
    segments = list(np.stack([flat[row], flat[col]], axis=1))
    lines = LineCollection(
        segments, colors=ROADS, linewidths=0.6, rasterized=len(segments) > 10_000, zorder=1
    )
    ax.add_collection(lines)


def _draw_coloured_edges(
    ax: Any,
    graph: Graph,
    flat: Array,
    values: Array,
    reached: npt.NDArray[np.bool_],
    colours: dict[str, Any],
) -> Any:
    """Draw edges in the colours of their farther ends; return what a colour bar is made of."""
    row, col = edges_once(graph)
    segments = np.stack([flat[row], flat[col]], axis=1)
    farther = np.maximum(values[row], values[col])
    return _draw_segments(ax, segments, farther, reached[row] & reached[col], colours)


def _draw_segments(
    ax: Any, segments: Array, values: Array, shown: npt.NDArray[np.bool_], colours: dict[str, Any]
) -> Any:
    """Draw lines in the colours of numbers, and grey ones; return what a colour bar is made of."""
    from matplotlib.collections import LineCollection

    style: dict[str, Any] = {"rasterized": len(segments) > 10_000}
    lost = list(segments[~shown])
    ax.add_collection(LineCollection(lost, colors=ROADS, linewidths=0.6, zorder=1, **style))
    if not shown.any():
        return None
    lines = LineCollection(list(segments[shown]), linewidths=1.4, zorder=2, **style, **colours)
    lines.set_array(values[shown])
    return ax.add_collection(lines)


def text_of(vertex: int, names: Array | None) -> str:
    """Return the name of a vertex, or its number without names, as text for matplotlib."""
    # A dollar would begin a formula.
    return str(vertex if names is None else names[vertex]).replace("$", r"\$")


def _add_legend(ax: Any) -> None:
    """Add the legend beside the map, if the figure makes room for it."""
    makes_room = ax.figure.get_layout_engine() is not None
    place = {"loc": "upper left", "bbox_to_anchor": (1, 1)} if makes_room else {}
    ax.legend(**place)


def _draw_ends(ax: Any, graph: Graph, flat: Array, path: Array, color: str) -> None:
    """Mark both ends of a path, with their names on the sides that lead away from it."""
    across = flat[path[0]] - flat[path[-1]]
    for vertex, others, away in ((path[0], path[1:], across), (path[-1], path[-2::-1], -across)):
        point = flat[vertex]
        ax.plot(*point, "o", color=color, markersize=5, zorder=4)
        # Away from where the path comes from; one of a single vertex comes from nowhere.
        before = point - flat[others[0]] if len(others) else away
        to_the_right = before[0] > 0 or (before[0] == 0 and away[0] > 0)
        above = before[1] >= 0
        ax.annotate(
            text_of(int(vertex), graph.names),
            point,
            (6 if to_the_right else -6, 4 if above else -4),
            textcoords="offset points",
            ha="left" if to_the_right else "right",
            va="baseline" if above else "top",
            zorder=5,
        )


def point_area(n: int) -> float:
    """Return the area of a point, smaller where there are many."""
    return float(np.clip(20000 / max(n, 1), 0.2, 25))


def _finish(ax: Any) -> None:
    ax.set_aspect("equal")
    ax.autoscale_view()
