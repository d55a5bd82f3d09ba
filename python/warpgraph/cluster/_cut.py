"""Cuts of a spanning forest: how many of its lightest edges are kept.

Also the pieces that remain; small ones may count as noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._trees.forest import SpanningForest

Array = npt.NDArray[Any]


class Cut(NamedTuple):
    """The criterion of a cut; at most one of the first two is given, and then `rule` is ignored."""

    n_clusters: int | None
    distance_threshold: float | int | None
    rule: str | None
    min_size: int  # smaller pieces are noise


def check(n_clusters: Any, distance_threshold: Any, rule: Any, min_size: Any = 1) -> Cut:
    """Return the cut that parameters ask for."""
    if n_clusters is not None and distance_threshold is not None:
        raise ValueError(
            f"n_clusters={n_clusters!r} and distance_threshold={distance_threshold!r} contradict "
            "each other: give one of them"
        )
    if n_clusters is not None:
        n_clusters = validate.positive(n_clusters, "n_clusters")
    if distance_threshold is not None:
        distance_threshold = distance(distance_threshold, "distance_threshold")
    if rule is not None:
        rule = validate.choice(rule, ("largest_gap",), "cut")
    min_size = validate.positive(min_size, "min_cluster_size")
    return Cut(n_clusters, distance_threshold, rule, min_size)


def edges_kept(forest: SpanningForest, cut: Cut, linkage: Callable[[], Array]) -> int:
    """Return how many of the forest's edges, which are in ascending order, stay.

    `linkage` makes the forest's dendrogram, for cuts that need it.
    """
    refuse_more_than(forest.n_vertices, cut)
    if cut.n_clusters is not None and cut.min_size > 1:
        return _for_large_clusters(forest, cut.n_clusters, cut.min_size, linkage())
    if cut.n_clusters is not None:
        return _for_clusters(forest, cut.n_clusters)
    if cut.distance_threshold is not None:
        return edges_within(forest, cut.distance_threshold, strictly=True)
    if cut.rule == "largest_gap":
        return _before_largest_gap(forest.weights)
    return len(forest)


def refuse_more_than(n_points: float, cut: Cut) -> None:
    """Raise a ValueError if more clusters, or larger ones, are asked for than there are points."""
    refuse_more("min_cluster_size", cut.min_size, n_points)
    if cut.n_clusters is not None and cut.min_size == 1:
        refuse_more("n_clusters", cut.n_clusters, n_points)


def refuse_more(name: str, value: int, n_points: float) -> None:
    """Raise a ValueError if a parameter is a number of more points than there are.

    Without any points, input is refused by its own message, or all of its rows are missing.
    """
    if value > n_points > 0:
        raise ValueError(f"{name}={value} is more than there are points: n_samples={n_points}")


def _for_clusters(forest: SpanningForest, n_clusters: int) -> int:
    if n_clusters < forest.n_trees:
        validate.warn(
            f"the graph has {forest.n_trees} connected components, so it cannot be cut into "
            f"{n_clusters} clusters; each component is a cluster",
        )
        return len(forest)
    kept = forest.n_vertices - n_clusters
    if _is_between_equal(forest.weights)[kept]:
        fewer = int(np.searchsorted(forest.weights, forest.weights[kept], side="right"))
        more = int(np.searchsorted(forest.weights, forest.weights[kept], side="left"))
        _warn_of_equal(n_clusters, forest.n_vertices - fewer, forest.n_vertices - more)
        kept = fewer
    return kept


def _is_between_equal(weights: Array) -> npt.NDArray[np.bool_]:
    """Return, for the first 0 .. m edges, whether the last of them weighs as much as the next."""
    is_between = np.zeros(len(weights) + 1, bool)
    is_between[1:-1] = weights[1:] == weights[:-1]
    return is_between


def _warn_of_equal(n_clusters: int, fewer: int, more: int) -> None:
    validate.warn(
        f"n_clusters={n_clusters} would remove some of several equally heavy edges, so the tree is "
        f"cut into {fewer}; the next larger number is {more}"
    )


def _for_large_clusters(
    forest: SpanningForest, n_clusters: int, min_size: int, linkage: Array
) -> int:
    """Keep as many edges as leave `n_clusters` pieces of at least `min_size` vertices."""
    counts = _large_pieces(forest, min_size, linkage)
    if n_clusters < counts[-1]:
        validate.warn(
            f"the graph has {counts[-1]} connected components of at least {min_size} points, so it "
            f"cannot be cut into {n_clusters} clusters; each of these components is a cluster",
        )
        return len(forest)
    cuts = np.flatnonzero(~_is_between_equal(forest.weights))
    possible = counts[cuts]
    if n_clusters > possible.max():
        raise ValueError(
            f"n_clusters={n_clusters} is more than any cut of n_samples={forest.n_vertices} leaves "
            f"with min_cluster_size={min_size}: at most {possible.max()}"
        )
    most = possible[possible <= n_clusters].max()
    if most < n_clusters:
        _warn_of_equal(n_clusters, int(most), int(possible[possible > n_clusters].min()))
    return int(cuts[possible == most][-1])


def _large_pieces(forest: SpanningForest, min_size: int, linkage: Array) -> Array:
    """Return how many pieces have `min_size` vertices, >= 2, when the first i edges are kept."""
    rows = linkage[: len(forest)]
    sizes = np.concatenate([np.ones(forest.n_vertices), rows[:, 3]])
    large = sizes >= min_size
    first, second = rows[:, :2].astype(np.int64).T
    change = large[forest.n_vertices :].astype(np.int64) - large[first] - large[second]
    return np.concatenate([[0], np.cumsum(change)])


def _before_largest_gap(weights: npt.NDArray[Any]) -> int:
    """Return how many edges are before the largest difference of successive weights."""
    finite = int(np.searchsorted(weights, np.inf)) if weights.dtype.kind == "f" else len(weights)
    if finite < len(weights):
        return finite  # no gap is wider than the one to infinity
    if len(weights) < 2:
        return len(weights)
    if weights.dtype.kind == "i":
        # Modulo 2**64: gaps between ascending integers fit, and are exact.
        gaps = np.diff(weights.astype(np.int64).view(np.uint64))
    else:
        gaps = np.diff(weights.astype(np.float64))
    widest = len(gaps) - 1 - int(np.argmax(gaps[::-1]))  # of equal gaps the last: fewest clusters
    return widest + 1 if gaps[widest] > 0 else len(weights)


def threshold(forest: SpanningForest, cut: Cut, kept: int) -> float:
    """Return a height above the kept edges and at most that of the removed."""
    if cut.distance_threshold is not None:
        return float(cut.distance_threshold)
    if kept == len(forest):
        return np.inf
    below = float(forest.weights[kept - 1]) if kept else 0.0
    above = float(forest.weights[kept])
    middle = below + (above - below) / 2
    return middle if middle > below else above


def distance(value: Any, name: str) -> float | int:
    """Return a number >= 0, which may be inf; an integer stays one: float64 does not hold all."""
    number = validate.as_float(value, name)
    if not number >= 0:
        raise ValueError(f"{name} must be at least 0, got {value}")
    return int(value) if isinstance(value, (int, np.integer)) else number


def edges_within(forest: SpanningForest, limit: float | int, *, strictly: bool = False) -> int:
    """Return how many of the forest's edges, which are in ascending order, weigh at most `limit`.

    `strictly`: less than `limit`. The comparison is exact.
    """
    dtype = forest.weights.dtype
    most = validate.limit_as(limit, dtype)
    side: Literal["left", "right"] = "left" if strictly and most == limit else "right"
    return int(np.searchsorted(forest.weights, dtype.type(most), side=side))


def labels_below(
    forest: SpanningForest, cut_distance: Any, min_size: Any, rows: Array | None = None
) -> npt.NDArray[np.int32]:
    """Return the labels of the pieces that edges lighter than `cut_distance` connect.

    rows: the points that are not missing; None: all. Missing points are noise.
    """
    limit = distance(cut_distance, "cut_distance")
    min_size = validate.positive(min_size, "min_cluster_size")
    kept = edges_within(forest, limit, strictly=True)
    labels, n_pieces = labels_of(forest, kept, min_size)
    if rows is None or min_size > 1:  # missing points are pieces of one, too small to be clusters
        return labels
    counts = np.zeros(n_pieces, bool)
    counts[labels[rows]] = True
    return numbered(labels, counts)[0]


def labels_of(forest: SpanningForest, kept: int, min_size: int) -> tuple[Array, int]:
    """Return the cluster of each vertex when `kept` edges stay, and the number of clusters.

    Clusters are numbered in the order of their first vertices; vertices of pieces with fewer than
    `min_size` get -1.
    """
    labels = np.empty(forest.n_vertices, np.int32)
    _core.forest_labels(forest.edges[:kept], labels)
    if min_size == 1:
        return labels, forest.n_vertices - kept
    large = np.bincount(labels) >= min_size
    return numbered(labels, large)


def numbered(labels: Array, counts: Array) -> tuple[Array, int]:
    """Return labels with new numbers for the pieces that count, -1 for others; and their number."""
    numbers = np.where(counts, np.cumsum(counts) - 1, -1).astype(np.int32)
    return numbers[labels], int(np.count_nonzero(counts))
