"""Arguments that pictures share: axes, columns, limits, and paths, which lead along edges."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.errors import of_kind
from warpgraph._graph.graph import Graph
from warpgraph._trees.forest import SpanningForest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = npt.NDArray[Any]
Vertices = npt.NDArray[np.int32]


def forest_of(forest: Any) -> SpanningForest:
    """Return an argument `forest`, or refuse it."""
    source = "minimum_spanning_forest returns it, and an estimator's mst_ is"
    return of_kind(forest, SpanningForest, "forest", source)


def height_of(threshold: Any) -> float | None:
    """Return an argument `threshold` if a line shows it: None and inf stand for no cut."""
    if threshold is None:
        return None
    height = validate.as_float(threshold, "threshold")
    return height if np.isfinite(height) else None


def new_axes(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return `ax`, or the axes of a new figure that leaves space for all labels.

    `size`: of the figure in inches; None: matplotlib's own.
    """
    try:
        from matplotlib.axes import Axes
    except ImportError:
        raise ImportError(
            "drawing needs matplotlib, which is not installed: pip install 'warpgraph[plot]'"
        ) from None
    if ax is None:
        from matplotlib import pyplot

        layout = "constrained" if size is None else "compressed"  # of a fixed aspect
        return pyplot.subplots(layout=layout, figsize=size)[1]
    if not isinstance(ax, Axes):
        raise TypeError(
            "ax must be the axes of a figure of matplotlib, such as pyplot.subplots()[1], got "
            f"{validate.shown(ax)}"
        )
    return ax


def colour_map(cmap: Any) -> Any:
    """Return an argument `cmap`, or refuse what is none; matplotlib lists the names that it has."""
    from matplotlib.colors import Colormap

    if not isinstance(cmap, (str, Colormap)):
        raise TypeError(
            f"cmap must be the name of a colour map of matplotlib, got {validate.shown(cmap)}"
        )
    return cmap


def two_columns(
    points: Array, axes: tuple[int, int], name: str, *, must_differ: bool = False
) -> Array:
    """Return two columns of `points`, which is called `name` in messages.

    Those of a plane must differ, unless there is only one.
    """
    n = points.shape[1]
    try:
        columns = [operator.index(axis) for axis in axes]
    except TypeError:
        raise TypeError(
            f"axes must be two numbers of columns, such as (0, 1), got {validate.shown(axes)}"
        ) from None
    if len(columns) != 2 or not all(0 <= column < n for column in columns):
        raise ValueError(
            f"axes={validate.shown(axes)} are not two columns of {name}, which has {n}, numbered "
            "from 0"
        )
    if must_differ and n > 1 and columns[0] == columns[1]:
        raise ValueError(f"axes must be two different columns, got {validate.shown(axes)}")
    return points[:, columns]


def ascending(limits: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    """Return finite numbers that ascend: at least one."""
    given = validate.unmasked(limits, name)
    numbers = given.ndim == 1 and given.size > 0 and given.dtype.kind in "iuf"
    if not numbers or not np.isfinite(given).all():
        raise ValueError(f"{name} must be a list of finite numbers, got {validate.shown(limits)}")
    if (np.diff(given) <= 0).any():
        raise ValueError(f"{name} must ascend, got {validate.shown(limits)}")
    ascends: npt.NDArray[np.float64] = given.astype(np.float64)
    return ascends


def refuse_wide(values: Array, name: str) -> None:
    """Refuse numbers whose sums and differences, which a scale needs, may be beyond all floats."""
    if not len(values):
        return
    low, high = float(values.min()), float(values.max())
    most = float(np.finfo(np.float64).max) / 4
    if max(-low, high) > most:
        raise ValueError(
            f"{name} must be in -{most:.3g}..{most:.3g} for a scale of colours, but they are from "
            f"{low} to {high}"
        )


def vertices_of(graph: Graph, path: Any, argument: str) -> Vertices:
    """Return the numbers of a path's vertices; an edge, of any direction, joins each to the next.

    A vertex may stand twice in a row, as where two paths were put together.
    """
    if isinstance(path, tuple) and len(path) == 2 and np.ndim(path[0]) < np.ndim(path[1]):
        raise TypeError(
            f"{argument} is a pair of a length and a path, as shortest_path returns it; pass its "
            "second value"
        )
    vertices = graph._find_vertices(path, argument)
    for i, (u, v) in enumerate(itertools.pairwise(vertices.tolist())):
        if u != v and not (_leads(graph, u, v) or _leads(graph, v, u)):
            names = (u, v) if graph.names is None else graph.names[[u, v]].tolist()
            before, after = map(validate.shown, names)
            raise ValueError(
                f"{argument} must be a path, but no edge joins {argument}[{i}], which is {before}, "
                f"and {argument}[{i + 1}], which is {after}"
            )
    return vertices


def named_paths(graph: Graph, paths: Any) -> list[tuple[str, Vertices]]:
    """Return several paths with their names; those of a list have numbers from 1."""
    if isinstance(paths, Mapping):
        return [
            (name, vertices_of(graph, path, f"paths[{name!r}]")) for name, path in paths.items()
        ]
    try:
        given = list(iter(paths))
    except TypeError:
        raise TypeError(
            f"paths must be a list or mapping of paths, got {validate.shown(paths)}"
        ) from None
    if given and all(_is_vertex(graph, item) for item in given):
        raise TypeError(
            "paths must be a list or mapping of paths, got one path, "
            f"{validate.shown(paths)}: pass [path]"
        )
    return [(str(i + 1), vertices_of(graph, path, f"paths[{i}]")) for i, path in enumerate(given)]


def _leads(graph: Graph, tail: int, head: int) -> bool:
    begin, end = graph.indptr[tail : tail + 2]
    return bool((graph.indices[begin:end] == head).any())


def _is_vertex(graph: Graph, item: Any) -> bool:
    """Return whether an item of `paths` is a vertex: a scalar, or a name, which may be a tuple."""
    if isinstance(item, (str, bytes)) or not hasattr(item, "__len__"):
        return True
    if getattr(item, "ndim", None) == 0:
        return True
    names = graph._names
    return names is not None and isinstance(item, Hashable) and _is_name(names, item)


def _is_name(names: Any, item: Any) -> bool:
    try:
        return names._find(item) is not None
    except TypeError:  # a tuple with a list in it
        return False
