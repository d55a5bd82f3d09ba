"""The entries of cores, triangles and communities in the table of calls.py."""

from __future__ import annotations

import numpy as np

import warpgraph as wg
from call_entry import Call, planned


def _call(name: str, large: str) -> Call:
    return Call(
        name,
        lambda graph, **options: (np.asarray(getattr(wg, name)(graph, **options)),),
        reads_weights=False,
        on_cores_alone=True,
        long_on_cores={"": (large, {})},
        planned={"": planned("both_ways"), "one way": planned("one_way", exact=False)},
    )


def _trusses() -> Call:
    def run(graph, **options):
        found = wg.truss_numbers(graph, **options)
        return found.indptr.astype(np.int64), found.indices, found.data

    return Call(
        "truss_numbers",
        run,
        reads_weights=False,
        on_cores_alone=True,
        long_on_cores={"": ("roads", {})},
        planned={name: planned(name, exact=False) for name in ("both_ways", "one_way")},
    )


def _estimator(name: str) -> Call:
    def run(graph, **options):
        model = getattr(wg.cluster, name)(**options).fit(graph)
        return model.labels_, np.array(model.n_clusters_), np.array(model.quality_)

    return Call(f"cluster.{name}", run, on_cores_alone=True, weights_in=(1e-6, 1e9))


def _communities(name: str) -> Call:
    def run(graph, **options):
        found = getattr(wg, name)(graph, **options)
        return found.labels, np.array(found.n_communities), np.array(found.quality)

    has_quality = name != "label_propagation_communities"
    return Call(
        name,
        run,
        on_cores_alone=True,
        weights_in=(1e-6, 1e9),  # sums of other ones are rounded to one of the summands
        variants={"": {}, "unweighted": {"unweighted": True}}
        | ({"cpm": {"quality": "cpm", "resolution": 0.5}} if has_quality else {}),
        long_on_cores={"": ("social", {})},
        planned={"": planned("both_ways"), "one way": planned("one_way", exact=False)},
    )


CALLS = [
    _call("core_numbers", "social"),
    _call("triangles", "social"),
    _call("clustering_coefficients", "social"),
    _call("transitivity", "social"),
    _trusses(),
    _estimator("Leiden"),
    _estimator("Louvain"),
    _communities("leiden_communities"),
    _communities("louvain_communities"),
    _communities("label_propagation_communities"),
]
