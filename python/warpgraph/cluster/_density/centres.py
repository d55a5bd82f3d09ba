"""The centroids and medoids of HDBSCAN's clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._trees.neighbours import squares
from warpgraph.cluster import _prediction
from warpgraph.cluster._density.device_fit import DensityFit

Array = npt.NDArray[Any]


def find(model: DensityFit, X: Any) -> None:
    """Set the centres that an estimator is to store, of the points `X` that it was fitted to."""
    units = _prediction.points_of(model, "store_centers")
    given = _prediction.on_host(X) if model.metric == "cosine" else units
    clusters = (model.labels_, model.probabilities_, model.n_clusters_)
    if model.store_centers != "medoid":
        scaled = squares.in_range(given)
        model.centroids_ = _core.centroids(scaled.points, *clusters)
        squares.multiply(model.centroids_, scaled.exponent)
    if model.store_centers != "centroid":
        find_medoids = _medoids_of_directions if model.metric == "cosine" else _core.medoids
        model.medoids_ = given[find_medoids(units, *clusters)].astype(np.float64)


def _medoids_of_directions(units: Array, labels: Array, weights: Array, n_clusters: int) -> Array:
    """Return the rows with the least weighted sums of cosine distances to others of their label.

    The sum is that of the weights minus the product with the weighted sum of the others.
    """
    centres = _core.centroids(units, labels, weights, n_clusters)
    rows = np.flatnonzero(labels >= 0)
    names = labels[rows]
    nearness = np.einsum("ij,ij->i", units[rows].astype(np.float64), centres[names])
    order = np.lexsort((rows, -nearness, names))
    return rows[order[np.searchsorted(names[order], np.arange(n_clusters))]]
