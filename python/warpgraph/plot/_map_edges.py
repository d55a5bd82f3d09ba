"""Pictures of the scores of edges, on the coordinates of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._graph.graph import Graph
from warpgraph.plot import _map_base as _base
from warpgraph.plot._picture_arguments import ascending, colour_map, refuse_wide

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = _base.Array

#: Parts of the edges up to the limit of each band: scores of few edges are far above the others.
_PARTS = (0.5, 0.8, 0.95, 0.99, 1)


@hinted
def edges(
    graph: Graph,
    scores: npt.ArrayLike,
    *,
    label: str = "score",
    bands: npt.ArrayLike | None = None,
    cmap: str = "magma_r",
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
        The label of the colour bar, which should name the unit: graphs do not have it.
    bands : array_like, shape (k,), optional
        Ascending limits: edges up to the first, the second and so on have one colour and one width.
        Higher scores than the last are grey. By default, the first band has half of the edges, and
        the others those up to 80, 95, 99 and 100 %: scores of few edges are far above the others.
    cmap : str
        Name of a colour map of matplotlib. The default is dark for the highest scores.
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
    >>> import warpgraph as wg
    >>> roads = wg.datasets.load("model-roads")
    >>> scores = wg.edge_betweenness_centrality(roads, sources=range(0, 10_000, 500))
    >>> ax = wg.plot.edges(roads, scores, label="betweenness")
    """
    flat = _base.plane_of(graph, axes)
    row, col, values, known = highest_once(graph, scores)
    colour_map(cmap)
    limits, known = bands_of(values, known, bands)
    refuse_wide(values[known], "scores")
    ax = _base.new_map(ax, flat)
    segments = np.stack([flat[row], flat[col]], axis=1)
    colours = _base.one_colour_each(limits, cmap) if known.any() else {}
    widths = widths_of(limits)[np.searchsorted(limits, values[known])]
    drawn = _base.draw_segments(ax, segments, values, known, colours, widths)
    if drawn is not None:
        scale = ax.figure.colorbar(drawn, ax=ax, label=label, shrink=0.8)
        _base.name_limits(scale, limits)
    _base.finish(ax, flat)
    return ax


def bands_of(
    values: Array, known: npt.NDArray[np.bool_], bands: npt.ArrayLike | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the limits of bands, and which scores are in one.

    By default, the limits are quantiles of the scores that are known: none if there are no scores.
    """
    if bands is not None:
        limits = ascending(bands, "bands")
        return limits, known & (values <= limits[-1])
    if not known.any():
        return np.empty(0), known
    return np.unique(np.quantile(values[known], _PARTS, method="inverted_cdf")), known


def widths_of(limits: Array) -> Array:
    """Return the width of the lines in each band, in points."""
    return np.linspace(0.6, 3.0, len(limits)) if len(limits) > 1 else np.full(len(limits), 1.4)


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
            f"{_base.advice(values, graph.n_vertices, 'distances takes a number for each vertex')}"
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
