"""Pictures on the coordinates of a graph: paths, and distances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._graph.graph import Graph
from warpgraph.plot import _map_base as _base
from warpgraph.plot._picture_arguments import (
    ascending,
    colour_map,
    named_paths,
    refuse_wide,
    vertices_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = _base.Array

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
    flat = _base.plane_of(graph, axes)
    chosen = vertices_of(graph, path, "path")
    ax = _base.new_map(ax, flat)
    if edges:
        _base.draw_edges(ax, graph, flat)
    shade = _draw_path(ax, flat, chosen, color, None if label is None else str(label))
    if ends and len(chosen):
        _draw_ends(ax, graph, flat, chosen, shade)
    if label is not None:
        _add_legend(ax)
    _base.finish(ax, flat)
    return ax


@hinted
def paths(
    graph: Graph,
    paths: Iterable[npt.ArrayLike] | Mapping[str, npt.ArrayLike],
    *,
    ends: bool = True,
    edges: bool = True,
    axes: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """Draw several paths on the coordinates of a graph, each in a colour, with a legend.

    Parameters
    ----------
    graph : Graph
        A graph with coordinates.
    paths : iterable or mapping of array_like
        Paths, each as `shortest_path` returns it. A mapping has their names, which the legend
        shows; those of a list have numbers from 1. An empty path is left out.
    ends : bool
        Whether to mark the ends, with their names or numbers.
    edges : bool
        Whether to draw the edges of the graph below the paths.
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
        The graph has no coordinates or no such vertex, or no edge joins a vertex of a path to the
        next one, in either direction.
    TypeError
        One path in place of several, which `path` draws.

    Examples
    --------
    >>> import warpgraph as wg
    >>> roads = wg.datasets.load("model-roads")
    >>> lengths, ways = wg.k_shortest_paths(roads, 0, 9_000, 3)
    >>> ax = wg.plot.paths(roads, {f"{m:.0f} m": way for m, way in zip(lengths, ways)})
    """
    ends, edges = validate.flag(ends, "ends"), validate.flag(edges, "edges")
    flat = _base.plane_of(graph, axes)
    drawn = [(name, path) for name, path in named_paths(graph, paths) if len(path)]
    ax = _base.new_map(ax, flat)
    if edges:
        _base.draw_edges(ax, graph, flat)
    named: set[int] = set()
    for i, (name, path) in enumerate(drawn):
        width = _base.width_of_path(i, len(drawn))
        shade = _draw_path(ax, flat, path, None, _base.plain(name), width)
        if ends:
            _draw_ends(ax, graph, flat, path, shade, named)
    if drawn:
        _add_legend(ax)
    _base.finish(ax, flat)
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
        The label of the colour bar, which should name the unit: graphs do not have it.
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
    flat = _base.plane_of(graph, axes)
    values, reached = _base.numbers_of_vertices(graph, distances)
    colours: dict[str, Any] = {"cmap": colour_map(cmap)}
    if bands is not None:
        limits = ascending(bands, "bands")
        reached &= values <= limits[-1]
        colours |= _base.one_colour_each(limits, cmap)
    refuse_wide(values[reached], "distances")
    ax = _base.new_map(ax, flat)
    if edges:
        drawn = _draw_coloured_edges(ax, graph, flat, values, reached, colours)
    else:
        style = {"s": _base.point_area(len(flat)), "linewidths": 0, "rasterized": True}
        drawn = None
        if not reached.all():
            ax.scatter(*flat[~reached].T, color=_base.ROADS, zorder=1, **style)
        if reached.any():
            shown = flat[reached].T
            drawn = ax.scatter(*shown, c=values[reached], zorder=2, **colours, **style)
    if drawn is not None:
        scale = ax.figure.colorbar(drawn, ax=ax, label=label, shrink=0.8)
        if bands is not None:
            _base.name_limits(scale, limits)
    _base.finish(ax, flat)
    return ax


def _draw_coloured_edges(
    ax: Any,
    graph: Graph,
    flat: Array,
    values: Array,
    reached: npt.NDArray[np.bool_],
    colours: dict[str, Any],
) -> Any:
    """Draw edges in the colours of their farther ends; return what a colour bar is made of."""
    row, col = _base.edges_once(graph)
    segments = np.stack([flat[row], flat[col]], axis=1)
    farther = np.maximum(values[row], values[col])
    return _base.draw_segments(ax, segments, farther, reached[row] & reached[col], colours)


def _draw_path(
    ax: Any, flat: Array, path: Array, color: str | None, label: str | None, width: float = 2
) -> Any:
    """Draw a path, by default in another colour than those before it; return the colour."""
    earlier = sum(line.get_gid() == _IS_PATH for line in ax.get_lines())
    shade = _base.PATHS[earlier % len(_base.PATHS)] if color is None else color
    ax.plot(*flat[path].T, color=shade, linewidth=width, zorder=3, label=label, gid=_IS_PATH)
    return shade


def _add_legend(ax: Any) -> None:
    """Add the legend beside the map, if the figure makes room for it."""
    makes_room = ax.figure.get_layout_engine() is not None
    place = {"loc": "upper left", "bbox_to_anchor": (1, 1)} if makes_room else {}
    ax.legend(**place)


def _draw_ends(
    ax: Any, graph: Graph, flat: Array, path: Array, color: str, named: set[int] | None = None
) -> None:
    """Mark both ends of a path, with their names on the sides that lead away from it.

    Vertices in `named` have their names already; those that get one are added.
    """
    named = set() if named is None else named
    across = flat[path[0]] - flat[path[-1]]
    for vertex, others, away in ((path[0], path[1:], across), (path[-1], path[-2::-1], -across)):
        point = flat[vertex]
        ax.plot(*point, "o", color=color, markersize=5, zorder=4)
        if int(vertex) in named:
            continue
        named.add(int(vertex))
        # Away from where the path comes from; one of a single vertex comes from nowhere.
        before = point - flat[others[0]] if len(others) else away
        to_the_right = before[0] > 0 or (before[0] == 0 and away[0] > 0)
        above = before[1] >= 0
        ax.annotate(
            _base.text_of(int(vertex), graph.names),
            point,
            (6 if to_the_right else -6, 4 if above else -4),
            textcoords="offset points",
            ha="left" if to_the_right else "right",
            va="baseline" if above else "top",
            zorder=5,
        )
