"""New points of a fitted HDBSCAN: labels, and how much points belong to each cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core, _validate
from warpgraph._points import points_anywhere
from warpgraph.cluster import _reachability
from warpgraph.cluster._base import require_features

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

    from warpgraph.cluster._hdbscan import HDBSCAN

Array = npt.NDArray[Any]


class Neighbours(NamedTuple):
    """Searches the finite points that were fitted."""

    tree: cKDTree
    rows: Array  # their numbers
    core_distances: Array  # of all points; inf: not finite


def points_of(model: HDBSCAN, what: str) -> Array:
    """Return the points that were fitted, as NumPy array."""
    model._require_fit()
    if model._points is None:
        raise AttributeError(f"{what} needs a fit to points, but this was one to distances")
    return on_host(model._points)


def on_host(X: Any) -> Array:
    """Return points, finite or not, as NumPy array."""
    if _validate.is_device_array(X):
        points: Any = points_anywhere(X)
        return np.asarray(points.to_numpy())
    return _reachability.finite_rows(X)[0]


def predict(model: HDBSCAN, X: Any) -> tuple[Array, Array]:
    """Return labels and probabilities of new points."""
    points, rows = _new_points(model, X)
    labels, probabilities = np.full(len(points), -1, np.int32), np.zeros(len(points))
    there, near = _nearest(model, points, rows)
    found_labels, found = np.empty(len(there), np.int32), np.empty(len(there))
    if len(there):
        tree = model.condensed_tree_
        _core.predict_clusters(tree._parts, tree.selected, near, found_labels, found)
    labels[there], probabilities[there] = found_labels, found
    return labels, probabilities


def memberships_of_new(model: HDBSCAN, X: Any) -> npt.NDArray[np.float64]:
    """Return how much new points belong to each cluster."""
    points, rows = _new_points(model, X)
    result = _memberships(model, len(points))
    there, near = _nearest(model, points, rows)
    if not len(there) or not model.n_clusters_:
        return np.zeros_like(result)
    found = np.empty((len(there), model.n_clusters_))
    _fill(model, near, np.ascontiguousarray(points[there]), found)
    result[:] = 0
    result[there] = found
    return result


def memberships_of_all(model: HDBSCAN) -> npt.NDArray[np.float64]:
    """Return how much the fitted points belong to each cluster."""
    points = points_of(model, "all_points_membership_vectors")
    result = _memberships(model, len(points))
    if model.n_clusters_:
        _fill(model, None, points, result)
    if model._rows is not None:
        missing = np.ones(len(points), bool)
        missing[model._rows] = False
        result[missing] = 0
    return result


def _fill(model: HDBSCAN, near: Any, points: Array, memberships: Array) -> None:
    tree = model.condensed_tree_
    typical, begin = tree.exemplars
    exemplars = np.ascontiguousarray(points_of(model, "memberships")[typical], points.dtype)
    progress = _validate.progress(model.progress, "memberships")
    _core.memberships(
        tree._parts, tree.selected, near, points, exemplars, begin, memberships, progress
    )


def _memberships(model: HDBSCAN, n: int) -> Array:
    shape = (n, model.n_clusters_)
    limit = _validate.memory_limit(model.memory_limit)
    advice = "ask for fewer points, or for larger clusters"
    _validate.require_memory("the memberships", 8 * n * model.n_clusters_, "cpu", limit, advice)
    return np.empty(shape)


def _new_points(model: HDBSCAN, X: Any) -> tuple[Array, Array | None]:
    """Return points as those that were fitted are, and the numbers of the finite ones."""
    fitted = points_of(model, "a prediction")
    points, rows = _reachability.finite_rows(on_host(X) if _validate.is_device_array(X) else X)
    require_features(model, X, points.shape[1])
    if model._reach.metric == "cosine":
        points = _reachability.directions(points, rows)
    if points.dtype == fitted.dtype:
        return points, rows
    with np.errstate(over="ignore"):
        points = points.astype(fitted.dtype)
    return points, np.flatnonzero(np.isfinite(points).all(axis=1))


def _rows(points: Array, rows: Array | None) -> Array:
    return np.arange(len(points)) if rows is None else rows


def _nearest(
    model: HDBSCAN, points: Array, rows: Array | None
) -> tuple[Array, tuple[Array, Array, Array, Array]]:
    """Return the rows of new points that have neighbours at finite distances, and these.

    The neighbours, their distances, and core distances of old and new points.
    """
    there = _rows(points, rows)
    near, (metric, samples, alpha) = _neighbours(model), model._reach
    k = min(2 * samples, len(near.rows))
    nearest = near.tree.query(points[there], k=np.arange(1, k + 1), workers=-1)
    apart, found = np.asarray(nearest[0]), np.asarray(nearest[1])
    # Where a square overflows, there is no neighbour, and then no core distance.
    reaches = np.isfinite(apart[:, max(samples - 2, 0)])
    there, distances, found = there[reaches], apart[reaches], found[reaches]
    found = np.where(np.isfinite(distances), found, 0)
    if metric == "cosine":
        distances = _reachability.to_cosine(distances)
    # The new point is the first of its own neighbours.
    core = distances[:, samples - 2] if samples > 1 else np.zeros(len(there))
    distances = np.ascontiguousarray(distances) / alpha
    return there, (near.rows[found], distances, near.core_distances, np.ascontiguousarray(core))


def _neighbours(model: HDBSCAN) -> Neighbours:
    if model._neighbours is None:
        from scipy.spatial import cKDTree

        points, (metric, samples, _) = points_of(model, "a prediction"), model._reach
        rows = _rows(points, model._rows).astype(np.int64)
        tree = cKDTree(points[rows])
        core = _reachability.cores_of_points(points, model._rows, metric, samples)
        model._neighbours = Neighbours(tree, rows, core)
    return model._neighbours
