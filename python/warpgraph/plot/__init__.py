"""Pictures of spanning trees, their clusters, and of paths and distances on coordinates.

They need matplotlib: pip install 'warpgraph[plot]'; `interactive` needs folium, too: pip install
'warpgraph[maps]'.

Each function but `interactive` draws into `ax`, or into a new figure, and returns the axes.
Clusters have the same colours in all of them.

Coordinates of a graph that can be degrees, (longitude, latitude), and are not whole numbers are
taken for degrees: a map then has the aspect of its mean latitude, 2 for 1 at 60 degrees.
``ax.set_aspect("equal")`` undoes that.

Where there is nothing to draw, as in a graph without vertices or edges, or a path of none, the
picture is empty, and nothing is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.points import as_real
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.single_linkage import linkage_of
from warpgraph.plot._condense import condense
from warpgraph.plot._condensed_plot import condensed_tree
from warpgraph.plot._interactive import interactive
from warpgraph.plot._map_base import aspect_of, point_area, text_of
from warpgraph.plot._map_edges import edges
from warpgraph.plot._map_plot import distances, path, paths
from warpgraph.plot._picture_arguments import (
    colour_map,
    forest_of,
    height_of,
    new_axes,
    two_columns,
)
from warpgraph.plot._tree_layout import dendrogram_layout, layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "condensed_tree",
    "dendrogram",
    "distances",
    "edges",
    "interactive",
    "layout",
    "path",
    "paths",
    "tree",
    "weights",
]


def __dir__() -> list[str]:
    return sorted(__all__)


Array = npt.NDArray[Any]

_MOST_BARS = 1 << 20

# Colours of a cut and of the edges that it removes, of other edges, and of what is in no cluster.
_CUT = "#c0392b"
_KEPT = "#4a6fa5"
_ABOVE = "#8a8a8a"


@hinted
def weights(
    forest: SpanningForest,
    threshold: float | None = None,
    *,
    bins: int = 100,
    ax: Axes | None = None,
) -> Axes:
    """Draw the histogram of a forest's edge weights, and the height at which it is cut.

    Parameters
    ----------
    forest : SpanningForest
        Its finite weights are counted. The counts have a logarithmic axis: the few heavy edges
        between clusters would be invisible beside the many within.
    threshold : float, optional
        Edges of at least this weight are drawn as removed; inf or None: none are.
    bins : int
        Number of bars.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import warpgraph as wg
    >>> forest = wg.cluster.euclidean_mst(wg.generators.random_points(100, 2))
    >>> ax = wg.plot.weights(forest, threshold=0.1)
    """
    forest, cut = forest_of(forest), height_of(threshold)
    bins = validate.count(bins, "bins", least=1, most=_MOST_BARS)
    ax = new_axes(ax)
    finite = forest.weights[np.isfinite(forest.weights)].astype(np.float64)
    counts, borders = np.histogram(finite, bins, _range_of_bars(finite, bins))
    removed = np.zeros(bins, bool) if cut is None else borders[:-1] >= cut
    for which, colour, label in ((~removed, _KEPT, "kept"), (removed, _CUT, "removed")):
        if which.any():
            ax.bar(
                borders[:-1][which],
                counts[which],
                width=np.diff(borders)[which],
                align="edge",
                color=colour,
                label=None if cut is None else label,
            )
    if cut is not None:
        ax.axvline(cut, color=_CUT, linestyle="--", label=f"cut at {cut:.4g}")
        ax.legend()
    if len(finite):
        ax.set_yscale("log")
    ax.set_xlabel("weight of a tree edge")
    ax.set_ylabel("edges, logarithmic" if len(finite) else "edges")
    return ax


@hinted
def dendrogram(
    forest: SpanningForest,
    labels: npt.ArrayLike | None = None,
    threshold: float | None = None,
    *,
    linkage: Array | None = None,
    max_leaves: int = 30,
    min_cluster_size: int = 1,
    cmap: str | None = None,
    colorbar: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the top of the dendrogram, for any number of leaves.

    Parameters
    ----------
    forest : SpanningForest
        Its edges must be in ascending order of their weights, as `minimum_spanning_forest` and
        `euclidean_mst` return them.
    labels : array_like of int, shape (n,), optional
        The cluster of each vertex, -1 for noise; joins within a cluster get its colour.
    threshold : float, optional
        Where to draw the cut.
    linkage : ndarray, optional
        The forest's `single_linkage`, if it has been computed.
    max_leaves : int
        At least 2: only the last ``max_leaves - 1`` joins are drawn. A leaf of several vertices
        shows their number in brackets, as the label of the axis says; a single vertex shows its
        name, or its number without names.
    min_cluster_size : int
        Branches with fewer vertices are left out, and so are the joins with them. With many points,
        most of the last joins are of single distant points and of little interest.
    cmap : str, optional
        Name of a colour map of matplotlib, for the binary logarithm of the number of vertices that
        a join has, in place of the colours of `labels`.
    colorbar : bool
        Draw the scale of `cmap`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Notes
    -----
    Joins at height inf, of the trees of a forest, are drawn above all others, with the mark inf.

    Examples
    --------
    >>> import warpgraph as wg
    >>> forest = wg.cluster.euclidean_mst(wg.generators.random_points(100, 2))
    >>> ax = wg.plot.dendrogram(forest, max_leaves=12)
    """
    forest, cut = forest_of(forest), height_of(threshold)
    max_leaves = validate.count(max_leaves, "max_leaves", least=2, most=2**31 - 1)
    min_cluster_size = validate.positive(min_cluster_size, "min_cluster_size")
    colorbar = validate.flag(colorbar, "colorbar")
    named = None if labels is None else _labels_of_vertices(labels, forest)
    n = forest.n_vertices
    joins = _joins_of(forest, linkage)
    ax = new_axes(ax)
    rows, sizes = np.arange(n - 1), None
    if min_cluster_size > 1:
        joins, rows, sizes = condense(joins, min_cluster_size)
    if len(joins) == 0:
        few = f"fewer than two branches of {min_cluster_size} points"
        few = {0: "no points", 1: "one point"}.get(n, few)
        ax.text(0.5, 0.5, f"{few}: nothing to join", ha="center", transform=ax.transAxes)
        ax.set_axis_off()
        return ax
    n_leaves = len(joins) + 1
    colours = _palette()

    def colour_of(cluster: int) -> str:
        row = rows[cluster - n_leaves]
        if named is None or row >= len(forest):
            return _ABOVE
        u, v = forest.edges[row]  # row i of the linkage is the join along edge i
        return colours[named[u] % len(colours)] if named[u] == named[v] >= 0 else _ABOVE

    def label_of(cluster: int) -> str:
        if sizes is None and cluster < n:
            return text_of(cluster, forest.names)
        return f"({int(joins[cluster - n, 3]) if sizes is None else sizes[cluster]})"

    heights, infinite = _finite_heights(joins, max_leaves)
    leaves, drawn, brackets = dendrogram_layout(heights, max_leaves)
    collection = _draw_joins(ax, brackets, [label_of(c) for c in leaves])
    if sizes is not None or max(leaves) >= n:
        ax.set_xlabel(f"{len(leaves):,} branches of {n:,} vertices; (k): a branch of k")
    if cmap is None:
        collection.set_color([colour_of(c) for c in drawn])
    else:
        members = joins[:, 3] if sizes is None else sizes[n_leaves:]
        _colour_by_size(collection, members[np.array(drawn) - n_leaves], n, cmap, colorbar)
    if infinite is not None:
        ticks = [tick for tick in ax.get_yticks() if tick < infinite]
        ax.set_yticks([*ticks, infinite], [*(f"{tick:g}" for tick in ticks), "inf"])
    if cut is not None:
        ax.axhline(cut, color=_CUT, linestyle="--", label=f"cut at {cut:.4g}")
        ax.legend()
    return ax


@hinted
def tree(
    X: npt.ArrayLike | None,
    forest: SpanningForest,
    labels: npt.ArrayLike | None = None,
    *,
    axes: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """Draw points coloured by cluster, and the forest over them.

    Parameters
    ----------
    X : array_like, shape (n, d), or None
        The points, or a position for every vertex of a graph; None: the coordinates of the graph
        if it had any, else those of `layout`.
    forest : SpanningForest
        Its edges are lines: coloured within a cluster, dashed between clusters.
    labels : array_like of int, shape (n,), optional
        The cluster of each point, -1 for noise; without it, the tree that it is in.
    axes : tuple of int
        The two columns of `X` to draw. Points on a line are drawn with ``axes=(0, 0)``.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Notes
    -----
    Large sets are drawn as pixels (`rasterized`), so a PDF of a million points stays small.

    Examples
    --------
    >>> import warpgraph as wg
    >>> points = wg.generators.random_points(100, 2)
    >>> ax = wg.plot.tree(points, wg.cluster.euclidean_mst(points))
    """
    from matplotlib.collections import LineCollection

    forest = forest_of(forest)
    is_map = X is None and forest.coordinates is not None
    if X is None:
        X = forest.coordinates if is_map else layout(forest)
    points = as_real(X)
    if points.ndim != 2 or len(points) != forest.n_vertices:
        raise ValueError(
            f"X must have a row for each of the {forest.n_vertices} vertices, "
            f"got shape {points.shape}"
        )
    named = forest.labels if labels is None else _labels_of_vertices(labels, forest)
    flat = two_columns(points, axes, "X")
    ax = new_axes(ax)
    u, v = forest.edges.T
    within = (named[u] == named[v]) & (named[u] >= 0)
    colours = np.array([*_palette(), _ABOVE])  # the last one, of noise, is that of index -1
    shades = np.where(named < 0, -1, named % (len(colours) - 1))
    size = point_area(len(flat))
    for some, style in (
        (within, {"colors": colours[shades[u[within]]]}),
        (~within, {"colors": _ABOVE, "linestyles": "dashed"}),
    ):
        lines = flat[forest.edges[some]]
        width = min(1.2, size / 3 + 0.2)
        ax.add_collection(
            LineCollection(lines, linewidths=width, rasterized=True, zorder=1, **style)
        )
    ax.scatter(
        *flat.T,
        s=size,
        c=colours[shades],
        linewidths=0,
        rasterized=True,
        zorder=2,
    )
    ax.set_aspect(aspect_of(flat) if is_map else 1, adjustable="datalim")
    ax.autoscale_view()
    return ax


def _range_of_bars(weights: Array, bins: int) -> tuple[float, float]:
    """Return the range of a histogram, widened if weights are equal up to rounding.

    Otherwise bars would have no width, or one that cannot be seen.
    """
    if not weights.size:
        return 0.0, 1.0
    low, high = float(weights.min()), float(weights.max())
    size = max(abs(low), abs(high))
    least_range = bins * 64 * float(np.spacing(size))
    if high - low >= least_range:
        return low, high
    margin = max((size or 1.0) / 2, least_range)
    most = float(np.finfo(np.float64).max)
    return low - margin, min(high + margin, most)


def _labels_of_vertices(labels: npt.ArrayLike, forest: SpanningForest) -> Array:
    """Return an argument `labels` as int64, or refuse it."""
    given = validate.unmasked(labels, "labels")
    is_integer = given.size == 0 or given.dtype.kind in "biu"
    if given.shape != (forest.n_vertices,) or not is_integer:
        raise ValueError(
            f"labels must be integers, one for each of the {forest.n_vertices} vertices, got an "
            f"array of {given.dtype}, shape {given.shape}"
        )
    return given.astype(np.int64)


def _joins_of(forest: SpanningForest, linkage: Array | None) -> Array:
    """Return the linkage matrix of a forest, with its form checked if it is given."""
    from scipy.cluster import hierarchy

    n_joins = max(forest.n_vertices - 1, 0)
    if linkage is None:
        return linkage_of(forest) if n_joins else np.empty((0, 4))
    linkage = validate.as_array(linkage, "linkage")
    if linkage.shape != (n_joins, 4):
        raise ValueError(
            f"linkage must have shape ({n_joins}, 4) for {forest.n_vertices} vertices, "
            f"got shape {linkage.shape}"
        )
    if n_joins:
        hierarchy.is_valid_linkage(linkage, throw=True, name="linkage")
    return linkage


def _palette() -> list[str]:
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    strong_first = (*range(0, 20, 2), *range(1, 20, 2))
    greys = (14, 15)  # used for the joins of clusters
    return [to_hex(colormaps["tab20"](i)) for i in strong_first if i not in greys]


def _finite_heights(joins: Array, max_leaves: int) -> tuple[Array, float | None]:
    """Put joins at height inf on steps above the highest finite one.

    The second result is the height of the first step; None if there is none.
    """
    at_infinity = np.isinf(joins[:, 2])
    if not at_infinity.any():
        return joins, None
    finite = joins[~at_infinity, 2]
    top = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
    below = max(np.count_nonzero(at_infinity) - max_leaves, 0)  # these are not drawn
    rank = np.arange(np.count_nonzero(at_infinity))
    heights = joins.copy()
    heights[at_infinity, 2] = top * (1.15 + 0.05 * np.maximum(rank - below, 0))
    return heights, 1.15 * top


def _colour_by_size(lines: Any, sizes: Array, n: int, cmap: str, colorbar: bool) -> None:
    """Colour joins by their numbers of vertices, of n in all."""
    lines.set(array=np.log2(sizes), cmap=colour_map(cmap), clim=(0, np.log2(n)))
    if colorbar:
        scale = lines.axes.figure.colorbar(lines, ax=lines.axes)
        scale.set_label("log2(number of vertices)")


def _draw_joins(ax: Any, brackets: Array, leaves: list[str]) -> Any:
    """Draw each join as a bracket over the two that it joins; return the lines."""
    from matplotlib.collections import LineCollection

    lines = ax.add_collection(LineCollection(list(brackets), linewidths=1.2))
    ax.set_xlim(0, 10 * len(leaves))
    ax.set_ylim(0, max(float(brackets[:, :, 1].max()) * 1.05, np.finfo(float).tiny))
    ax.set_xticks(5 + 10 * np.arange(len(leaves)), leaves, rotation=90)
    ax.set_ylabel("height")
    return lines
