"""Calls on points, and on distances of points, for test_failing_allocator.py."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import warpgraph as wg

POINTS = np.random.default_rng(0).random((300, 3))
#: Sets of identical points, within larger clusters.
COPIES = np.repeat(POINTS[:60], 5, axis=0) + np.repeat([[0.0], [3.0]], 150, axis=0)
CLIQUE = np.abs(np.subtract.outer(*[np.arange(40.0) ** 1.5] * 2))
ROADS = wg.generators.grid(12, 12, seed=3, weights=(1, 1000)).to_csr()
#: Inputs of the functions of points in the table of calls, by name.
INPUTS = {
    "points": POINTS,
    "many points": np.random.default_rng(0).random((6000, 3)).astype(np.float32),
}
#: Calls that compare all pairs of points. Instead of the many points, they get fewer of many
#: dimensions: several threads share a tree of more than 512 of these.
OF_ALL_PAIRS = ("cluster.validity_index",)
WIDE = np.random.default_rng(0).random((1200, 64)).astype(np.float32)

Call = Callable[[str], Any]


def _density_clustering(device: str) -> Any:
    model = wg.cluster.HDBSCAN(3, 2, device=device).fit(POINTS)
    model = model.recluster(5)
    tree = model.condensed_tree_
    return model.labels_, model.probabilities_, model.linkage_, model.mst_.edges, tree.stabilities


def _validity_of_distances(device: str) -> Any:
    labels, given = np.arange(len(POINTS)) % 3 - 1, {"metric": "precomputed", "d": 3}
    distances = np.abs(POINTS[:, :1] - POINTS[:, 0])
    return wg.cluster.validity_index(distances, labels, per_cluster_scores=True, **given)


def _clustering(device: str) -> Any:
    model = wg.cluster.MSTClustering(n_clusters=4, device=device).fit(POINTS)
    return [model.labels_, model.linkage_]


def _neighbours(k: int, device: str) -> Any:
    graph = wg.cluster.kneighbors_graph(COPIES, k, mode="distance", device=device)
    return [graph.indices, graph.data, wg.cluster.core_distances(COPIES, k, device=device)]


def _reachability_trees(device: str) -> Any:
    wide = np.resize(POINTS, (200, 12))
    given = {"metric": "precomputed", "min_samples": 3}
    return [
        wg.cluster.single_linkage(COPIES, min_samples=4, device=device),
        wg.cluster.single_linkage(COPIES, min_samples=50, device=device),
        wg.cluster.euclidean_mst(wide, min_samples=3, device=device).weights,
        wg.cluster.single_linkage(CLIQUE, **given, device="cpu"),
        wg.cluster.single_linkage(ROADS, **given, device=device),
    ]


def _densities(device: str) -> Any:
    """Return what HDBSCAN has of points, of which some are identical."""
    model = wg.cluster.HDBSCAN(6, 3, store_centers="both", device=device).fit(COPIES)
    found = [
        *(model.labels_, model.probabilities_, model.outlier_scores_),
        *(model.centroids_, model.medoids_, *model.exemplars_),
        *(*model.approximate_predict(POINTS), model.approximate_predict_scores(POINTS)),
        *(model.membership_vector(POINTS), model.all_points_membership_vectors()),
        *model.sweep([2, 5, 9]),
    ]
    other = model.recluster(4, cluster_selection_persistence=0.1, cluster_selection_epsilon=0.2)
    return [*found, other.labels_, other.cluster_persistence_]


def calls() -> Iterator[tuple[str, Call]]:
    """Yield (name, call): call(device) returns arrays and numbers."""
    yield "MSTClustering points", _clustering
    yield "HDBSCAN points, two sizes", _density_clustering
    yield "validity_index distances", _validity_of_distances
    yield "single_linkage points", lambda device: wg.cluster.single_linkage(POINTS, device=device)
    yield (
        "single_linkage distances",
        lambda device: wg.cluster.single_linkage(CLIQUE, metric="precomputed", device=device),
    )
    for dimension in (1, 2, 3, 12):
        yield (
            f"euclidean_mst {dimension}-D",
            lambda device, d=dimension: (
                wg.cluster.euclidean_mst(np.resize(POINTS, (200, d)), device=device).weights
            ),
        )
    for k in (3, 50):
        yield f"neighbours, {k}", functools.partial(_neighbours, k)
    yield "mutual reachability", _reachability_trees
    yield "HDBSCAN points", _densities
