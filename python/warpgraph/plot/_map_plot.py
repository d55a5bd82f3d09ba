"""Pictures on the coordinates of a graph: a path, and distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._graph.graph import Graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = npt.NDArray[Any]

_ROADS = "#c8ccd1"
_PATH = "#c0392b"


def new_axes(ax: Axes | None) -> Axes:
    """Return `ax`, or the axes of a new figure that leaves space for all labels."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            "drawing needs matplotlib, which is not installed: pip install 'warpgraph[plot]'"
        ) from None
    return pyplot.subplots(layout="constrained")[1]


def two_columns(points: Array, axes: tuple[int, int], name: str) -> Array:
    """Return two columns of `points`, which is called `name` in messages."""
    if not all(-points.shape[1] <= axis < points.shape[1] for axis in axes):
        raise ValueError(f"axes={axes} are not two columns of {name}, which has {points.shape[1]}")
    return points[:, list(axes)]


def path(
    graph: Graph,
    path: npt.ArrayLike,
    *,
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
        names, else their numbers. The ends are labelled. An empty path draws the graph alone.
    edges : bool
        Whether to draw the edges of the graph below the path.
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
        The graph has no coordinates, or no such vertex.

    Notes
    -----
    The edges of large graphs are drawn as pixels (`rasterized`).

    Examples
    --------
    >>> import warpgraph as wg
    >>> roads = wg.datasets.load("model-roads")
    >>> _, vertices = wg.shortest_path(roads, 0, 9_000)
    >>> ax = wg.plot.path(roads, vertices)
    """
    flat = _flat(graph, axes)
    chosen = graph._find_vertices(path, "path")
    ax = new_axes(ax)
    if edges:
        _draw_edges(ax, graph, flat)
    ax.plot(*flat[chosen].T, color=_PATH, linewidth=2, zorder=3)
    for i, align in ((0, "right"), (-1, "left")):
        if len(chosen):
            _label(ax, graph, int(chosen[i]), flat[chosen[i]], align)
    _finish(ax)
    return ax


def distances(
    graph: Graph,
    distances: npt.ArrayLike,
    *,
    label: str = "distance",
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
        The graph has no coordinates, or there is not one distance for each vertex.

    Examples
    --------
    >>> import warpgraph as wg
    >>> roads = wg.datasets.load("model-roads")
    >>> ax = wg.plot.distances(roads, wg.sssp(roads, 0), label="metres")
    """
    flat = _flat(graph, axes)
    given = validate.as_array(distances, "distances")
    values = np.ma.getdata(given)
    if values.shape != (graph.n_vertices,) or values.dtype.kind not in "iuf":
        raise ValueError(
            f"distances must be numbers of shape ({graph.n_vertices},), got an array of "
            f"{values.dtype}, shape {values.shape}"
        )
    reached = _reached(values) & ~np.ma.getmaskarray(given)
    ax = new_axes(ax)
    style = {"s": point_area(len(flat)), "linewidths": 0, "rasterized": True}
    if not reached.all():
        ax.scatter(*flat[~reached].T, color=_ROADS, zorder=1, **style)
    if reached.any():
        drawn = ax.scatter(*flat[reached].T, c=values[reached], cmap="viridis", zorder=2, **style)
        ax.figure.colorbar(drawn, ax=ax, label=label)
    _finish(ax)
    return ax


def _flat(graph: Any, axes: tuple[int, int]) -> Array:
    if not isinstance(graph, Graph):
        raise TypeError(
            f"graph must be a warpgraph.Graph with coordinates, got {type(graph).__name__}"
        )
    if graph.coordinates is None:
        raise ValueError(
            "the graph has no coordinates to draw it on; pass Graph(..., coordinates=)"
        )
    return two_columns(graph.coordinates, axes, "the coordinates")


def _reached(values: Array) -> npt.NDArray[np.bool_]:
    if values.dtype.kind == "f":
        return np.isfinite(values)
    return (values >= 0) & (values < np.iinfo(values.dtype).max)


def _draw_edges(ax: Any, graph: Graph, flat: Array) -> None:
    from matplotlib.collections import LineCollection

    row, col, _ = graph.to_edges()
    if graph._has_mirrored_structure():
        once = row < col
        row, col = row[once], col[once]
    segments = list(np.stack([flat[row], flat[col]], axis=1))
    lines = LineCollection(
        segments, colors=_ROADS, linewidths=0.6, rasterized=len(segments) > 10_000, zorder=1
    )
    ax.add_collection(lines)


def text_of(vertex: int, names: Array | None) -> str:
    """Return the name of a vertex, or its number without names, as text for matplotlib."""
    # A dollar would begin a formula.
    return str(vertex if names is None else names[vertex]).replace("$", r"\$")


def _label(ax: Any, graph: Graph, vertex: int, point: Array, align: str) -> None:
    text = text_of(vertex, graph.names)
    ax.plot(*point, "o", color=_PATH, markersize=5, zorder=4)
    offset = (6 if align == "left" else -6, 4)
    ax.annotate(text, point, offset, textcoords="offset points", ha=align, zorder=5)


def point_area(n: int) -> float:
    """Return the area of a point, smaller where there are many."""
    return float(np.clip(20000 / max(n, 1), 0.2, 25))


def _finish(ax: Any) -> None:
    ax.set_aspect("equal", adjustable="datalim")
    ax.autoscale_view()
