"""New points of a fitted HDBSCAN: labels, and how much points belong to each cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, points as _points, validate
from warpgraph._arguments.new_array import new_arrays
from warpgraph._trees.neighbours import squares
from warpgraph._trees.neighbours.queries import nearest_neighbors
from warpgraph.cluster._base import require_features
from warpgraph.cluster._density import missing, reachability, row_order
from warpgraph.cluster._density.device_fit import DensityFit
from warpgraph.cluster._tree_clustering import Neighbours

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]
#: Neighbours, their distances, and core distances of old and new points.
Near = tuple[Array, Array, Array, Array]


def points_of(model: DensityFit, what: str) -> Array:
    """Return the points that were fitted, as NumPy array."""
    model._require_fit()
    if model._points is None:
        raise AttributeError(f"{what} needs a fit to points, but this was one to distances")
    return _points.on_host(model._points)


def on_host(X: Any) -> Array:
    """Return points, finite or not, as NumPy array."""
    if foreign.is_on_device(X):
        return _points.on_host(_points.points_anywhere(X))
    return reachability.finite_rows(X)[0]


def predict(model: DensityFit, X: Any) -> tuple[Array, Array]:
    """Return labels and probabilities of new points."""
    points, rows = _new_points(model, X)
    labels, probabilities = np.full(len(points), -1, np.int32), np.zeros(len(points))
    if not model.n_clusters_:
        return labels, probabilities
    tree, ledger = model.condensed_tree_, validate.ledger(model.memory_limit)
    for there, near in _nearest_in_blocks(model, points, rows, ledger):
        found_labels, found = np.empty(len(there), np.int32), np.empty(len(there))
        selection = tree.selected, model._epsilon
        _core.predict_clusters(tree._arrays, *selection, near, found_labels, found)
        labels[there], probabilities[there] = found_labels, found
    return labels, probabilities


def outlier_scores_of_new(model: DensityFit, X: Any) -> npt.NDArray[np.float64]:
    """Return the outlier scores of new points."""
    points, rows = _new_points(model, X)
    scores = np.ones(len(points))
    tree, ledger = model.condensed_tree_, validate.ledger(model.memory_limit)
    for there, near in _nearest_in_blocks(model, points, rows, ledger):
        found = np.empty(len(there))
        _core.outlier_scores_of_new(tree._arrays, near, found)
        fitted = near[1][:, 0] == 0
        found[fitted] = tree.outlier_scores[near[0][fitted, 0]]
        scores[there] = found
    return scores


def memberships_of_new(model: DensityFit, X: Any) -> npt.NDArray[np.float64]:
    """Return how much new points belong to each cluster."""
    points, rows = _new_points(model, X)
    reachability.require_euclidean(model._reach.metric, "membership_vector")
    ledger = validate.ledger(model.memory_limit)
    result = _memberships(model, len(points), ledger)
    if not model.n_clusters_:
        return result
    exemplars, width = _exemplars(model), model.n_clusters_
    report = validate.progress(model.progress, "memberships")
    for there, near in _nearest_in_blocks(model, points, rows, ledger, width, report):
        found = np.empty((len(there), width))
        _fill(model, near, points[there], exemplars, found)
        result[there] = found
    return result


def memberships_of_all(model: DensityFit) -> npt.NDArray[np.float64]:
    """Return how much the fitted points belong to each cluster."""
    points = points_of(model, "all_points_membership_vectors")
    reachability.require_euclidean(model._reach.metric, "all_points_membership_vectors")
    if not model.n_clusters_:
        return np.zeros(len(points))  # as hdbscan, not a matrix without columns
    result = _memberships(model, len(points), validate.ledger(model.memory_limit))
    report = validate.progress(model.progress, "memberships")
    _fill(model, None, points, _exemplars(model), result, report)
    if model._rows is not None:
        result[missing.missing_of(model._rows, len(points))] = 0
    return result


def _exemplars(model: DensityFit) -> tuple[Array, Array]:
    """Return the exemplars, label by label, and where each label's begin."""
    typical, begin = model.condensed_tree_.exemplars
    return validate.in_place(points_of(model, "memberships")[typical]), begin


def _fill(
    model: DensityFit,
    near: Near | None,
    points: Array,
    exemplars: tuple[Array, Array],
    memberships: Array,
    progress: Any = None,
) -> None:
    tree, (of_clusters, begin) = model.condensed_tree_, exemplars
    # Of distances to exemplars, only the ratios matter.
    both = squares.in_range(points, of_clusters).sets
    how = (both[0], both[1], begin, memberships, progress)
    _core.memberships(tree._arrays, tree.selected, near, *how)


def _memberships(model: DensityFit, n: int, ledger: _core.Ledger) -> Array:
    advice = "ask for fewer points, or for larger clusters"
    of_clusters = (n, model.n_clusters_), np.float64
    (result,) = new_arrays(ledger, "storing the memberships", advice, of_clusters)
    result.fill(0)
    return result


def _new_points(model: DensityFit, X: Any) -> tuple[Array, Array | None]:
    """Return points as those that were fitted are, and the numbers of the finite ones."""
    fitted = points_of(model, "a prediction")
    points, rows = reachability.finite_rows(on_host(X) if foreign.is_on_device(X) else X)
    require_features(model, X, points.shape[1])
    if model._reach.metric == "cosine":
        points = reachability.directions(points, rows, joins=False)
    if points.dtype == fitted.dtype:
        return points, rows
    with np.errstate(over="ignore"):
        points = points.astype(fitted.dtype)
    return points, np.flatnonzero(np.isfinite(points).all(axis=1))


def _rows(points: Array, rows: Array | None) -> Array:
    return np.arange(len(points)) if rows is None else rows


def _nearest_in_blocks(
    model: DensityFit,
    points: Array,
    rows: Array | None,
    ledger: _core.Ledger,
    n_clusters: int = 0,
    progress: Callable[[int, int], Any] | None = None,
) -> Iterator[tuple[Array, Near]]:
    """Yield the results of `_nearest` for blocks of rows that take little memory at a time.

    n_clusters: of which a result tells how much each row belongs to it; 0: it has a label.
    """
    rows, near = _rows(points, rows), _neighbours(model)
    k = min(2 * model._reach.min_samples, len(near.rows))
    size = _core.rows_to_place(len(points), k, points.shape[1], n_clusters, ledger)
    for first in range(0, len(rows), size):
        block = rows[first : first + size]
        there, found = _nearest(near, model._reach, points, block)
        if len(there):
            yield there, found
        if progress is not None:
            progress(first + len(block), len(rows))


def _nearest(
    near: Neighbours, reach: reachability.Reachability, points: Array, rows: Array
) -> tuple[Array, Near]:
    """Return the rows of new points that have neighbours at finite distances, and these."""
    metric, samples, alpha, _ = reach
    k = min(2 * samples, len(near.rows))
    queries = squares.divided(points[rows], near.exponent)
    near_enough = np.isfinite(queries).all(axis=1)
    rows, queries = rows[near_enough], queries[near_enough]
    if metric == "cosine":
        queries = _fitted_directions(near, queries)
    nearest = near.tree.query(queries, k=np.arange(1, k + 1), workers=-1)
    apart, found = np.array(nearest[0]), np.asarray(nearest[1])
    squares.multiply(apart, near.exponent)
    # Where a square overflows, beside smaller points, there is no neighbour, and no core distance.
    last = min(samples, k) - 1
    reaches = np.isfinite(apart[:, last])
    there, distances, found = rows[reaches], apart[reaches], found[reaches]
    found = np.where(np.isfinite(distances), found, 0)
    if metric == "cosine":
        distances = reachability.to_cosine(distances)
    core = distances[:, last]
    distances = validate.in_place(distances / alpha)
    return there, (near.rows[found], distances, near.core_distances, validate.in_place(core))


def _fitted_directions(near: Neighbours, queries: Array) -> Array:
    """Return directions, or those that were fitted where they differ by no more than rounding."""
    if not len(queries):
        return queries
    _, nearest = near.tree.query(queries, workers=-1)
    fitted = near.tree.data[np.unique(nearest)].astype(queries.dtype)
    found = np.array(queries)
    _core.take_near_rows(found, fitted, False)
    return found


def _neighbours(model: DensityFit) -> Neighbours:
    if model._neighbours is None:
        points, (metric, samples, _, p) = points_of(model, "a prediction"), model._reach
        rows = _rows(points, model._rows).astype(np.int64)
        ledger = validate.ledger(model.memory_limit)
        _core.require_tree(len(rows), points.shape[1], ledger)
        core = model._of_tree.core_distances
        if core is None:
            given = (points, model._rows, metric, samples)
            core = reachability.cores_of_points(*given, p=p, memory_limit=ledger)
        # Of several nearest points, a search takes one by this order.
        rows = rows[row_order.by_coordinates(points if model._rows is None else points[rows])]
        searched, exponent = points[rows], 0
        if metric == "euclidean":
            # The tree is one of double, in which the squares of all float32 numbers are.
            scaled = squares.in_range(searched.astype(np.float64, copy=False), ledger=ledger)
            searched, exponent = scaled.points, scaled.exponent
        model._neighbours = Neighbours(_search_of(searched, metric, p), rows, core, exponent)
    return model._neighbours


def _search_of(points: Array, metric: str, p: float) -> Any:
    """Return a tree of the points, or what searches them by a metric as it does."""
    if metric not in reachability.EUCLIDEAN:
        return _ByMetric(points, metric, p)
    from scipy.spatial import cKDTree

    return cKDTree(points)


class _ByMetric(NamedTuple):
    """Points that are searched by a metric, with the function that SciPy's tree has."""

    points: Array
    metric: str
    p: float

    def query(self, queries: Array, k: Array, workers: int) -> tuple[Array, Array]:
        """Return the distances and numbers of the nearest points; `workers` is not used."""
        by: Any = {"metric": self.metric, "p": self.p, "device": "cpu"}
        if not len(queries):
            return np.empty((0, len(k))), np.empty((0, len(k)), np.int32)
        found = nearest_neighbors(self.points, len(k), queries=queries, **by)
        return found.distances, found.indices


class PredictingFit(DensityFit):
    """A fit of HDBSCAN that tells of new points where they belong."""

    def approximate_predict(self, X: types.PointsOrGraph) -> tuple[Array, Array]:
        """Return the labels and probabilities of new points, by the clusters that were fitted.

        Parameters
        ----------
        X : array_like, shape (k, d)
            The new points. Those with NaN or inf are noise.

        Returns
        -------
        labels : ndarray of int32, shape (k,)
            The cluster that each point would join, or -1.
        probabilities : ndarray of float64, shape (k,)
            As `probabilities_`, by the mutual reachability of the new point itself, as in the
            package hdbscan: that of a copy of a fitted point may be larger than the point's.

        Notes
        -----
        Each point is placed at its nearest neighbour by mutual reachability, of the ``2 *
        min_samples`` nearest points, and stays there as long as it. Its core distance is the
        distance to its `min_samples`-th nearest point, so a copy of a point that was fitted is
        placed there, and has its label: noise remains noise. Of several nearest points, the
        coordinates decide, not the rows. The clusters do not change.
        """
        return predict(self, X)

    def approximate_predict_scores(self, X: types.PointsOrGraph) -> npt.NDArray[np.float64]:
        """Return the outlier scores of new points, in 0..1, shape (k,).

        Each is placed as by `approximate_predict`, and scored as `outlier_scores_`. A point that
        was fitted has its own score, and points with NaN or inf have 1.
        """
        return outlier_scores_of_new(self, X)

    def membership_vector(self, X: types.PointsOrGraph) -> npt.NDArray[np.float64]:
        """Return how much new points belong to each cluster, shape (k, n_clusters).

        A row sums to the probability that the point is in a cluster, as in the package hdbscan.
        Points with NaN or inf are in none.
        """
        return memberships_of_new(self, X)

    def all_points_membership_vectors(self) -> npt.NDArray[np.float64]:
        """Return how much the fitted points belong to each cluster, shape (n, n_clusters).

        Without clusters zeros, shape (n,), as in the package hdbscan.
        """
        return np.asarray(self._of_rows(memberships_of_all(self).T, 0).T)
