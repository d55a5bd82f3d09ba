"""The picture of a condensed tree, whose clusters lose points as they shrink.

SciPy's dendrograms have a height for each join alone, not a width for each density.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph.plot._picture_arguments import colour_map, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = npt.NDArray[Any]

#: Steps of the outline of a cluster: finer ones cannot be told apart.
_STEPS = 100
_FRAME = "#c0392b"


class CondensedTree(Protocol):
    """Attributes of a `warpgraph.cluster.CondensedTree` that are drawn."""

    point_clusters: Array
    point_lambdas: Array
    parents: Array
    births: Array
    sizes: Array
    selected: Array

    @property
    def n_points(self) -> int:
        """Number of points."""


class _Shown(NamedTuple):
    """The bars that are drawn."""

    clusters: Array  # the first cluster of each bar, ascending
    parents: Array  # of each bar; -1: the root's
    bar_of: Array  # of each cluster of the tree; -1: it is not kept
    left: Array  # where their bars begin, in points
    events: list[tuple[Array, Array]]  # of each: lambdas, and how many points leave there


@hinted
def condensed_tree(
    tree: CondensedTree,
    *,
    max_leaves: int = 50,
    select_clusters: bool = True,
    label_clusters: bool = True,
    log_size: bool = False,
    cmap: str = "viridis",
    colorbar: bool = True,
    selection_palette: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the clusters at every density: as bars as wide as they have points.

    Parameters
    ----------
    tree : CondensedTree
        `HDBSCAN` makes it.
    max_leaves : int
        At least 1. Of trees with more leaves, the smallest clusters are left out until at most this
        many leaves remain: their points leave the cluster above where they split off. So the
        picture of a million points is as readable as that of a thousand.
    select_clusters : bool
        Frame the clusters that are selected.
    label_clusters : bool
        Write their labels below the frames.
    log_size : bool
        Colours show the logarithm of the number of points.
    cmap : str
        Name of a colour map of matplotlib, for the number of points.
    colorbar : bool
        Draw the scale of the colours.
    selection_palette : sequence of colours, optional
        The colours of the frames and labels of the selected clusters, one after the other from the
        first again; by default, all are red. ``matplotlib.colormaps["Set1"].colors`` is one.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Notes
    -----
    Density (lambda, 1 / distance) grows downwards. The width at a density is the number of points
    that are in the cluster there; children lie side by side below their parent. Points that never
    leave, at an infinite lambda, are drawn slightly below all others.

    Examples
    --------
    >>> import warpgraph as wg
    >>> points = wg.generators.random_points(200, 2)
    >>> tree = wg.cluster.HDBSCAN().fit(points).condensed_tree_
    >>> ax = wg.plot.condensed_tree(tree)
    """
    _refuse_others(tree)
    max_leaves = validate.positive(max_leaves, "max_leaves")
    for name, value in (
        ("select_clusters", select_clusters),
        ("label_clusters", label_clusters),
        ("log_size", log_size),
        ("colorbar", colorbar),
    ):
        validate.flag(value, name)
    ax = new_axes(ax)
    colours = [_FRAME] if selection_palette is None else _colours(selection_palette)
    bottom = _finite_end(tree)
    shown = _choose(tree, max_leaves, bottom)
    _draw_bars(ax, tree, shown, log_size, cmap, colorbar)
    if select_clusters:
        _frame_selected(ax, tree, shown, bottom, label_clusters, colours)
    ax.set_ylim(bottom, float(tree.births[0]))
    margin = 0.02 * tree.n_points
    ax.set_xlim(-margin, tree.n_points + margin)
    ax.set_xticks([])
    ax.set_ylabel("lambda (1 / distance)")
    for side in ("top", "right", "bottom"):
        ax.spines[side].set_visible(False)
    return ax


def _refuse_others(tree: Any) -> None:
    if not hasattr(tree, "point_lambdas"):
        hint = "; pass its condensed_tree_, which fit() makes" if hasattr(tree, "fit") else ""
        raise TypeError(
            "tree must be a CondensedTree, as an HDBSCAN's condensed_tree_ is, got "
            f"{validate.type_name(tree)}{hint}"
        )


def _colours(palette: Any) -> list[Any]:
    """Return the colours of a palette: at least one."""
    from matplotlib import colormaps
    from matplotlib.colors import Colormap, is_color_like

    if isinstance(palette, str) or not isinstance(palette, Iterable):
        found = colormaps.get(palette) if isinstance(palette, str) else palette
        hint = ""
        if isinstance(found, Colormap):
            part = ".colors" if hasattr(found, "colors") else ".resampled(8)(range(8))"
            hint = f"; matplotlib.colormaps[{found.name!r}]{part} is one"
        elif is_color_like(palette):
            hint = f"; pass [{palette!r}]"
        got = validate.shown(palette) if isinstance(palette, str) else validate.type_name(palette)
        raise TypeError(f"selection_palette must be a sequence of colours, got {got}{hint}")
    colours = list(palette)
    if not colours:
        raise ValueError("selection_palette must have at least one colour")
    for i, colour in enumerate(colours):
        if not is_color_like(colour):
            raise ValueError(
                f"selection_palette[{i}] must be a colour of matplotlib, such as 'red' or "
                f"(1, 0, 0), got {validate.shown(colour)}"
            )
    return colours


def _finite_end(tree: CondensedTree) -> float:
    """Return the lambda at which the picture ends."""
    finite = tree.point_lambdas[np.isfinite(tree.point_lambdas)]
    most = max(float(finite.max(initial=0)), float(tree.births.max()))
    return 1.05 * most if most > 0 else 1.0


def _choose(tree: CondensedTree, max_leaves: int, bottom: float) -> _Shown:
    least = _least_size(tree, max_leaves)
    kept = tree.sizes >= least
    kept[0] = True
    bars, split = _bars_of(tree, kept)
    clusters, place = np.unique(bars, return_inverse=True)
    parents = np.where(clusters > 0, place[tree.parents[clusters]], -1)
    # Points leave a bar where the first cluster that is not kept splits off.
    owners = place[tree.point_clusters]
    hidden = split[tree.point_clusters]
    lambdas = np.minimum(np.where(np.isnan(hidden), tree.point_lambdas, hidden), bottom)
    order = np.lexsort((lambdas, owners))
    parts = np.searchsorted(owners[order], np.arange(len(clusters) + 1))
    children = [np.flatnonzero(parents == i) for i in range(len(clusters))]
    events = []
    for i, (begin, end) in enumerate(itertools.pairwise(parts.tolist())):
        own = lambdas[order[begin:end]]
        below = clusters[children[i]]
        at = np.concatenate([own, tree.births[below]])
        count = np.concatenate([np.ones(len(own)), tree.sizes[below]])
        rank = np.argsort(at, kind="stable")
        events.append((at[rank], count[rank]))
    bar_of = np.where(kept, place, -1)
    return _Shown(clusters, parents, bar_of, _lay_out(tree, clusters, children), events)


def _least_size(tree: CondensedTree, max_leaves: int) -> int:
    """Return the least size with which at most `max_leaves` clusters have none below them."""
    candidates = np.unique(tree.sizes)
    low, high = 0, len(candidates) - 1
    while low < high:
        middle = (low + high) // 2
        kept = tree.sizes >= candidates[middle]
        has_child = np.zeros(len(kept), bool)
        has_child[tree.parents[1:][kept[1:]]] = True
        if np.count_nonzero(kept & ~has_child) <= max_leaves:
            high = middle
        else:
            low = middle + 1
    return int(candidates[low])


def _bars_of(tree: CondensedTree, kept: Array) -> tuple[Array, Array]:
    """Return the first cluster of the bar that each cluster is drawn as part of.

    Also where the highest cluster above it that is not kept was born; nan if all are kept. A
    cluster that is kept without a sibling continues the bar of its parent.
    """
    n = len(kept)
    numbers = np.arange(n)
    parents = np.maximum(tree.parents, 0)
    n_kept = np.bincount(parents[1:][kept[1:]], minlength=n)  # children
    begins = kept & ((n_kept[parents] > 1) | (numbers == 0))
    bars = _follow(np.where(begins, numbers, parents))
    top = _follow(np.where(kept | kept[parents], numbers, parents))
    return bars, np.where(kept, np.nan, tree.births[top])


def _follow(up: Array) -> Array:
    """Return where pointers end; doubled each round, so chains of clusters take few."""
    while not np.array_equal(further := up[up], up):
        up = further
    return up


def _lay_out(tree: CondensedTree, clusters: Array, children: list[Array]) -> Array:
    """Return where the bar of each cluster begins: children side by side below the middle."""
    left = np.zeros(len(clusters))
    sizes = tree.sizes[clusters].astype(np.float64)
    for i, below in enumerate(children):  # parents come first
        if len(below):
            spare = sizes[i] - sizes[below].sum()
            left[below] = left[i] + spare / 2 + np.concatenate([[0], np.cumsum(sizes[below])[:-1]])
    return left


def _draw_bars(
    ax: Any, tree: CondensedTree, shown: _Shown, log_size: bool, cmap: str, colorbar: bool
) -> None:
    from matplotlib.collections import PolyCollection

    bars: list[Array] = []
    counts: list[Array] = []
    for cluster, left, (at, count) in zip(shown.clusters, shown.left, shown.events, strict=True):
        tops, ends, remaining = _steps(at, count, float(tree.births[cluster]))
        begin = left + (tree.sizes[cluster] - remaining) / 2
        corners = np.stack(
            [
                np.stack([begin, tops], -1),
                np.stack([begin + remaining, tops], -1),
                np.stack([begin + remaining, ends], -1),
                np.stack([begin, ends], -1),
            ],
            axis=1,
        )
        bars.extend(corners)
        counts.append(remaining)
    sizes = np.concatenate(counts)
    collection = PolyCollection(
        bars,
        array=np.log10(sizes) if log_size else sizes,
        cmap=colour_map(cmap),
        edgecolors="face",
        linewidths=0.3,
        rasterized=len(bars) > 10_000,
    )
    collection.set_clim(0, np.log10(tree.n_points) if log_size else tree.n_points)
    ax.add_collection(collection)
    if colorbar:
        scale = ax.figure.colorbar(collection, ax=ax)
        scale.set_label("log10(number of points)" if log_size else "number of points")


def _steps(at: Array, count: Array, birth: float) -> tuple[Array, Array, Array]:
    """Return the top, the end and the number of points of each step of a cluster's outline."""
    left_after = count.sum() - np.cumsum(count)
    if len(at) > _STEPS:  # steps of equal numbers of points
        every = np.unique(np.linspace(0, len(at) - 1, _STEPS).astype(np.int64))
        at, left_after = at[every], left_after[every]
    tops = np.concatenate([[birth], at[:-1]])
    remaining = np.concatenate([[count.sum()], left_after[:-1]])
    visible = (at > tops) & (remaining > 0)
    return tops[visible], at[visible], remaining[visible]


def _frame_selected(
    ax: Any,
    tree: CondensedTree,
    shown: _Shown,
    bottom: float,
    label_clusters: bool,
    colours: list[Any],
) -> None:
    from matplotlib.patches import Rectangle

    for label, cluster in enumerate(tree.selected.tolist()):
        i = int(shown.bar_of[cluster])
        if i < 0:
            continue
        colour = colours[label % len(colours)]
        birth = float(tree.births[cluster])
        end = min(_end_below(shown, i), bottom)
        size = float(tree.sizes[cluster])
        spare = float(tree.sizes[shown.clusters[i]]) - size
        corner = (float(shown.left[i]) + spare / 2, birth)
        frame = Rectangle(corner, size, end - birth, fill=False, edgecolor=colour, linewidth=1.2)
        ax.add_patch(frame)
        if label_clusters:
            ax.annotate(
                str(label),
                (corner[0] + size / 2, end),
                xytext=(0, -2),
                textcoords="offset points",
                ha="center",
                va="top",
                color=colour,
                fontsize=8,
            )


def _end_below(shown: _Shown, i: int) -> float:
    """Return the largest lambda of a cluster and of all that are drawn below it."""
    end, below = 0.0, [i]
    while below:
        j = below.pop()
        end = max(end, float(shown.events[j][0][-1]))
        below.extend(np.flatnonzero(shown.parents == j).tolist())
    return end
