"""The entries of neighbours of points in the table of calls.py."""

from __future__ import annotations

import numpy as np

import warpgraph as wg
from call_entry import Call, arrays_of


def _nearest(points, k=2, **options):
    return tuple(wg.cluster.nearest_neighbors(points, k, **options))


def _within(points, radius=0.2, **options):
    return arrays_of(wg.cluster.radius_neighbors_graph(points, radius, **options))


def _transformed(points, n_neighbors=1, **options):
    transformer = wg.cluster.KNeighborsTransformer(n_neighbors, **options)
    return arrays_of(transformer.fit_transform(points))


def _validity(points, **options):
    labels = np.arange(len(points)) % 2
    found = wg.cluster.validity_index(points, labels, **options)
    return tuple(map(np.asarray, found if isinstance(found, tuple) else (found,)))


CALLS = [
    Call(
        "cluster.mst_of_points",
        lambda points, **options: arrays_of(wg.cluster.mst_of_points(points, **options)),
        takes="points",
        variants={
            "": {},
            "cosine": {"metric": "cosine"},
            "manhattan": {"metric": "manhattan"},
        },
        long_on_cores={
            "manhattan": ("wide_points", {"metric": "manhattan"}),
            "chebyshev, min_samples": (
                "wide_points",
                {"metric": "chebyshev", "min_samples": 9},
            ),
        },
    ),
    Call(
        "cluster.validity_index",
        _validity,
        takes="points",
        long_on_cores={
            "": ("wide_points", {}),
            "precomputed": ("distances", {"metric": "precomputed", "d": 2}),
        },
    ),
    Call(
        "cluster.nearest_neighbors",
        _nearest,
        takes="points",
        variants={"": {}, "manhattan": {"metric": "manhattan"}},
        long={"": ("points", {"k": 30})},
        long_on_cores={"manhattan": ("wide_points", {"metric": "manhattan"})},
    ),
    Call(
        "cluster.radius_neighbors_graph",
        _within,
        takes="points",
        on_cores_alone=True,
        variants={"": {"mode": "distance"}, "manhattan": {"metric": "manhattan"}},
        long_on_cores={
            "": ("points", {"radius": 0.028}),
            "manhattan": ("wide_points", {"metric": "manhattan"}),
        },
    ),
    Call("cluster.KNeighborsTransformer", _transformed, takes="points"),
]
