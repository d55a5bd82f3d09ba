"""Spanning trees of mutual-reachability distances, and what points lack for them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.new_array import new_array
from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT, is_networkx
from warpgraph._arguments.points import (
    MAX_POINTS,
    as_points,
    as_real,
    first_not_finite,
    masked_as_nan,
    on_host,
    points_anywhere,
    shape_of,
)
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._trees.dense_mst import distance_matrix
from warpgraph._trees.emst import device_of_tree, divisor, tree_of_points
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.knn import core_distances, n_neighbours, search
from warpgraph._trees.neighbours import by_function, functions, metrics
from warpgraph._trees.neighbours.metrics import normalised
from warpgraph._trees.precomputed import is_dense
from warpgraph._trees.single_linkage import in_order, spanning_forest_of

Array = npt.NDArray[Any]


#: Metrics whose points, or unit vectors, have Euclidean distances, centres and memberships.
EUCLIDEAN = ("euclidean", "cosine")


class Reachability(NamedTuple):
    """The mutual-reachability distances of a fit."""

    metric: str
    min_samples: int
    alpha: float
    p: float = 2.0


def require_euclidean(metric: str, what: str) -> None:
    """Refuse a metric under which there are no centres and memberships."""
    if metric not in EUCLIDEAN:
        given = functions.shown(metric)
        raise ValueError(f"{what} needs metric 'euclidean' or 'cosine', got {given}")


def finite_rows(X: Any) -> tuple[Array, Array | None]:
    """Return points, and the numbers of the rows that are finite; None: all are."""
    array = as_real(masked_as_nan(X))
    if array.ndim != 2 or not 0 < len(array) <= MAX_POINTS or array.shape[1] == 0:
        return as_points(array), None  # names what is wrong
    if first_not_finite(array) == array.size:
        return array, None
    return array, np.flatnonzero(np.isfinite(array).all(axis=1)).astype(np.int32)


def directions(points: Array, rows: Array | None, *, joins: bool = True) -> Array:
    """Return `normalised` points; rows that are not in `rows` become NaN."""
    if rows is None:
        return normalised(points, joins=joins)
    units = np.full(points.shape, np.nan, points.dtype)
    if not len(rows):
        return units
    try:
        units[rows] = normalised(points[rows], joins=joins)
    except ValueError:  # a row of zeros, by its number in X
        return normalised(np.where(np.isfinite(points), points, 1))
    return units


def to_cosine(distances: Array) -> Array:
    """Return the cosine distances, 1 - cos, of unit vectors at these Euclidean distances."""
    return np.asarray(np.square(distances, dtype=np.float64) / 2)


def points_and_rows(X: Any, metric: str) -> tuple[Any, Array | None]:
    """Return the points of a metric, and the numbers of the rows that count; None: all do."""
    if metric not in EUCLIDEAN:
        return finite_rows(on_host(points_anywhere(X)) if foreign.is_on_device(X) else X)
    if foreign.is_on_device(X):
        there = points_anywhere(X)
        return (there if metric == "euclidean" else normalised(on_host(there))), None
    points, rows = finite_rows(X)
    return (directions(points, rows) if metric == "cosine" else points), rows


def prepared(
    points: Any, rows: Array | None, metric: Any, min_samples: int, options: dict[str, Any]
) -> dict[str, Any]:
    """Return options of `forest_of_points`, with the device that a plan chooses.

    If the metric is a function, they have the distances, for which it is called here, unless the
    call ends in the search for the tree, which makes the plan by metrics that are not Euclidean.
    """
    if metric in EUCLIDEAN:
        counted, limit = _counted(points, rows), validate.ledger(options["memory_limit"])
        # By "cosine", the squares of distances are divided by alpha.
        alpha = float(np.sqrt(options["alpha"])) if metric == "cosine" else options["alpha"]
        alpha, k = divisor(alpha, counted.dtype), min(min_samples, len(counted))
        where = device_of_tree(counted, options["device"], limit, min_samples=k, alpha=alpha)
        return options | {"alpha": alpha, "device": where}
    if not functions.is_function(metric) or plan.ends_call():
        return options
    ledger = validate.ledger(options["memory_limit"])
    report = validate.progress(options["progress"], "distances of all pairs")
    counted = metrics.points_of(_counted(points, rows), metrics.metric_of_points(metric))
    what = "the search for the tree"
    found = by_function.matrix_of(counted, options["device"], ledger, report, what, rows)
    known = {"distances": found, "device": "cpu", "memory_limit": ledger, "progress": None}
    return options | known


@falls_back_if_memory_lacks
def cores_of_points(
    points: Any, rows: Array | None, metric: str, min_samples: int, **options: Any
) -> Array:
    """Return the core distances of points; those that are not in `rows` have inf.

    options: also p, of "minkowski", and distances, of the points that count.
    """
    n = len(points if rows is None else rows)
    k = min(min_samples, max(n, 1))
    counted, by = _searched(points, rows, metric, options)
    if metric in EUCLIDEAN:
        by_distance, found = metrics.Metric("euclidean"), new_array((len(counted),), np.float64)
        given = metrics.MetricPoints(by_distance, counted, counted.shape[1], counted.dtype)
        options = {"progress": None, "device": "auto", **options}
        search(given, None, None, found, k, include_self=True, **options)
    else:
        found = core_distances(counted, k, **by, **options)
    if min_samples > n:
        found = np.full(n, np.inf)
    if metric == "cosine":
        found = to_cosine(found)
    if rows is None:
        return found
    everywhere = np.full(len(points), np.inf)
    everywhere[rows] = found
    return everywhere


def forest_of_points(
    points: Any, rows: Array | None, metric: str, min_samples: int, alpha: float, **options: Any
) -> SpanningForest:
    """Return the tree of points; those that are not in `rows` have no edges.

    metric: "cosine" is for unit vectors; options: those of `prepared`.
    """
    n = len(points if rows is None else rows)
    keys: Any = {"min_samples": min(min_samples, max(n, 1)), "alpha": alpha}
    counted, by = _searched(points, rows, metric, options)
    if metric in EUCLIDEAN:
        forest = tree_of_points(counted, options.pop("device"), **keys, **options)
    else:
        forest = spanning_forest_of(counted, weight=DEFAULT_WEIGHT, **by, **keys, **options)
    if min_samples > n:
        return _without_edges(forest, len(points))
    if rows is None and metric != "cosine":
        return forest
    weights = to_cosine(forest.weights) if metric == "cosine" else forest.weights
    edges = forest.edges if rows is None else rows[forest.edges]
    return SpanningForest._found(len(points), edges, weights, None, maximum=False)


def forest_of_distances(
    X: Any, weight: str | None, min_samples: int, alpha: float, **options: Any
) -> SpanningForest:
    """Return the forest of a matrix of distances or of a graph; a forest as it is."""
    if isinstance(X, SpanningForest):
        return in_order(spanning_forest_of(X, "precomputed", weight, **options))
    n = n_of_distances(X)
    known: Any = {"min_samples": min(min_samples, max(n, 1)), "alpha": alpha}
    forest = spanning_forest_of(X, "precomputed", weight, **known, **options)
    return _without_edges(forest, n) if min_samples > n else forest


def reach_of_distances(
    X: Any, weight: str | None, min_samples: int, alpha: float, **options: Any
) -> SpanningForest:
    """Return the forest of distances for HDBSCAN, which needs the core distance of each point."""
    X, weight = distances_once(X, weight, options.get("memory_limit"))
    forest = forest_of_distances(X, weight, min_samples, alpha, **options)
    _check_neighbours(X, forest, min_samples)
    return forest


def cores_of_distances(X: Any, weight: str | None, min_samples: int, **options: Any) -> Array:
    """Return the core distances of a matrix of distances or of a graph."""
    n = n_of_distances(X)
    known: Any = {"metric": "precomputed", "weight": weight, **options}
    found = core_distances(X, min(min_samples, max(n, 1)), **known)
    return np.full(n, np.inf) if min_samples > n else found


def _searched(
    points: Any, rows: Array | None, metric: str, options: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return the points that count, or their distances, and the metric; take both from options."""
    p, distances = options.pop("p", 2.0), options.pop("distances", None)
    if distances is not None:
        return distances, {"metric": "precomputed"}
    return _counted(points, rows), {"metric": metric, "p": p}


def _counted(points: Any, rows: Array | None) -> Any:
    """Return the points that count, or one at 0 if none does."""
    if rows is None:
        return points
    return points[rows] if len(rows) else np.zeros((1, points.shape[1]), points.dtype)


def _without_edges(forest: SpanningForest, n: int) -> SpanningForest:
    """Return the forest of fewer points than samples: no core distance, and no reach, is finite."""
    nothing = forest.edges[:0], forest.weights[:0], None, forest.names, forest.coordinates
    return SpanningForest._found(n, *nothing, maximum=False)


def distances_once(
    X: Any, weight: str | None, memory_limit: validate.MemoryLimitLike | _core.Ledger
) -> tuple[Any, str | None]:
    """Return distances for several uses, and their attribute.

    A NetworkX graph is converted, and condensed distances become a full matrix.
    """
    if is_networkx(X):
        return as_graph(X, weight), DEFAULT_WEIGHT
    return (distance_matrix(X, memory_limit) if len(shape_of(X)) == 1 else X), weight


def n_of_distances(X: Any) -> int:
    """Return the number of points of distances, or 0 if they have no number of rows."""
    if isinstance(X, (Graph, SpanningForest)):
        return X.n_vertices
    shape = shape_of(X)
    return int(shape[0]) if shape else 0


def _check_neighbours(X: Any, forest: SpanningForest, min_samples: int) -> None:
    """Refuse a graph where a point has too few neighbours for a core distance.

    Such a point has no edge in the forest of mutual-reachability distances. In a full matrix, which
    says inf for each pair that is far apart, it is noise, with a warning.
    """
    has_reach = not isinstance(X, SpanningForest) and 1 < min_samples <= forest.n_vertices
    if not has_reach or forest.n_trees == 1:
        return
    apart = np.ones(forest.n_vertices, bool)
    apart[forest.edges.ravel()] = False
    alone = np.flatnonzero(apart).tolist()
    if isinstance(X, Graph) or not is_dense(X):
        _refuse_few_neighbours(as_graph(X), alone, min_samples)
    else:
        _warn_of_few_distances(distance_matrix(X), alone, min_samples)


def _refuse_few_neighbours(graph: Graph, alone: list[int], min_samples: int) -> None:
    counts = [n_neighbours(graph, vertex) for vertex in alone]
    few = [i for i, count in enumerate(counts) if count < min_samples - 1]
    if not few:
        return
    name = graph._named_vertices(np.array([alone[few[0]]], np.int32))[0]
    others = f" (and so have {len(few) - 1} more)" if len(few) > 1 else ""
    raise ValueError(
        f"point {name} has {counts[few[0]]} neighbours at finite distances{others}, but "
        f"min_samples={min_samples} needs {min_samples - 1} beside the point itself: store the "
        "distances to so many neighbours of each point, lower min_samples, or leave such points "
        "out; for DBSCANStar they are noise"
    )


def _warn_of_few_distances(matrix: Array, alone: list[int], min_samples: int) -> None:
    # The diagonal is not read.
    counts = [int(np.isfinite(np.delete(matrix[vertex], vertex)).sum()) for vertex in alone]
    few = [vertex for vertex, n in zip(alone, counts, strict=True) if n < min_samples - 1]
    if few:
        validate.warn(
            f"{len(few)} points, of which {few[0]} is the first, have fewer finite distances than "
            f"the {min_samples - 1} that min_samples={min_samples} needs beside the point itself: "
            "they are noise"
        )


def positive_number(value: Any, name: str) -> float:
    """Return a finite number > 0."""
    number = validate.as_float(value, name)
    if not 0 < number < np.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {number}")
    return number
