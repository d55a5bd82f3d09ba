"""Every public function as the tests of all functions call it; a new function needs an entry.

These tests take their parameters from `CALLS`: what a function accepts is read from its signature,
and its entry has the rest. `CALLS` has the entries of this file and of all tests/*/calls_of_*.py.
`test_calls.py` fails if an entry is missing.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import estimators
import graphs
import warpgraph as wg
from call_entry import Arrays, Call, Options, arrays_of, first_vertices, n_vertices, planned
from checks import EMULATED
from large_inputs import large_input


def triangle(dtype=np.float64):
    """A complete graph of three vertices; a fresh copy that a test may damage."""
    return graphs.csr(3, graphs.both_ways([(0, 1, 1), (1, 2, 2), (0, 2, 4)]), dtype)


def small_input(call: Call) -> Any:
    """Return a small valid input."""
    made = {
        "graph": triangle,
        "points": lambda: np.random.default_rng(0).random((20, 2)),
        "forest": lambda: wg.SpanningForest(3, [[0, 1], [1, 2]], [1.0, 2.0], [0, 1]),  # any kind
        "sizes": lambda: None,
    }
    return made[call.takes]()


def _local_forest(graph, **options):
    if not {"rows", "entries"} & {*options}:
        options["rows"] = (0, n_vertices(graph))
    return arrays_of(wg.local_forest(graph, **options))


def _hierarchy(graph, **options):
    hierarchy = wg.Hierarchy(graph, **options)
    return np.array(hierarchy.n_vertices), np.array(hierarchy.n_arcs)


def _many_to_many(graph, sources=None, **options):
    sources = first_vertices(graph, 40) if sources is None else sources
    return arrays_of(wg.many_to_many(graph, sources, **options))


def _k_shortest_paths(graph, k=5, **options):
    vertices = first_vertices(graph, 100)
    lengths, paths = wg.k_shortest_paths(graph, vertices[0], vertices[-1], k, **options)
    return lengths, np.concatenate([np.empty(0, np.int32), *paths])


def _shortest_paths(graph, n_pairs=7, **options):
    sources = (list(first_vertices(graph, 100)) * n_pairs)[:n_pairs]
    return wg.shortest_paths(graph, sources, sources[::-1], **options)


def _neighbours(points, k=1, **options):
    graph = wg.cluster.kneighbors_graph(points, k, **options)
    return graph.indptr.astype(np.int64), graph.indices, graph.data


def _core_distances(points, k=2, **options):
    return (wg.cluster.core_distances(points, k, **options),)


def _single_linkage(graph, metric="precomputed", **options):
    return arrays_of(wg.cluster.single_linkage(graph, metric=metric, **options))


def _permute(graph, **options):
    order = np.arange(n_vertices(graph))[::-1]
    return arrays_of(wg.transform.permute(graph, order, **options).graph)


def _partition(graph, n_parts=3, **options):
    return arrays_of(wg.transform.partition(graph, n_parts, **options).graph)


def _sorted(graph, **options):
    found = wg.transform.sort_by_weight(graph, **options)
    return (*arrays_of(found.graph), found.edge_ids)


def _ranked(graph, **options):
    found = wg.transform.rank_weights(graph, **options)
    return (*arrays_of(found.graph), found.values)


def _compressed(graph, **options):
    packed = wg.transform.compress(graph, **options)
    return (*arrays_of(packed.decompress()), np.array(packed.nbytes))


_TREES = {"return_predecessors": True}
_ROOTS = ("dijkstra", "delta_stepping", "bellman_ford")


CALLS = [
    Call(
        "sssp",
        lambda g, **o: arrays_of(wg.sssp(g, first_vertices(g, 1)[0], **o)),
        variants={
            "": _TREES,
            "undirected": {**_TREES, "directed": False},
            "unweighted": {**_TREES, "unweighted": True},
            "float32": {**_TREES, "dtype": np.float32},
        },
        methods={
            f"{method} {dtype}": {**_TREES, "method": method, "dtype": dtype}
            for method in _ROOTS
            for dtype in ("float32", "int64")
        },
        methods_on_gpus={"near_far": {**_TREES, "method": "near_far", "dtype": "float32"}},
        long={"bellman_ford": ("negative", {"method": "bellman_ford"})},
        long_on_gpus={"near_far": ("roads", {"method": "near_far", "dtype": "float32"})},
        long_on_cores={
            "dijkstra": ("roads", {"method": "dijkstra"}),
            "delta_stepping": ("roads", {**_TREES, "method": "delta_stepping"}),
        },
        planned={
            "": planned("both_ways", 0),
            "as they are": planned("both_ways", 0, dtype="int64"),
            "tree": planned("both_ways", 0, return_predecessors=True),
            "heap": planned("both_ways", 0, method="dijkstra"),
            "passes": planned("both_ways", 0, method="bellman_ford"),
            "workers": planned("both_ways", 0, device=["cpu"] * 3),
            "undirected": planned("one_way", 0, exact=False, directed=False),
        },
    ),
    Call(
        "many_to_many",
        _many_to_many,
        variants={"": _TREES, "one source": {**_TREES, "sources": [0] * 5}},
        methods={method: {**_TREES, "method": method} for method in ("dijkstra", "batched")},
        long={
            "dijkstra": ("town", {**_TREES, "method": "dijkstra", "sources": range(300)}),
            "batched": ("town", {**_TREES, "method": "batched", "sources": range(300)}),
            "hierarchy": ("town", {"method": "hierarchy", "sources": range(200)}),
            "johnson": ("negative", {**_TREES, "method": "johnson", "sources": range(60)}),
        },
        long_on_cores={"hops": ("social", {"unweighted": True, "sources": range(300)})},
        planned={
            "": planned("both_ways", [0, 1, 2]),
            "nearest": planned("both_ways", [0, 1], min_only=True),
            "some, tree": planned("both_ways", [0, 1], [5, 6], return_predecessors=True),
            "batches": planned("both_ways", range(20), method="batched"),
            "batches, undirected": planned(
                "one_way", range(20), exact=False, method="batched", directed=False
            ),
            "undirected": planned("one_way", [0, 1], exact=False, directed=False),
        },
    ),
    Call(
        "k_shortest_paths",
        _k_shortest_paths,
        on_cores_alone=True,
        variants={"": {}, "undirected": {"directed": False}, "unweighted": {"unweighted": True}},
        long_on_cores={"": ("village", {"k": 20_000})},
    ),
    Call(
        "shortest_path",
        lambda g, **o: arrays_of(wg.shortest_path(g, *([*first_vertices(g, 2)] * 2)[:2], **o)),
        variants={"": {}, "undirected": {"directed": False}, "unweighted": {"unweighted": True}},
        planned={
            "": planned("both_ways", 0, 5),
            "astar": planned("roads", 0, 5, method="astar"),
            "alt": planned("roads", 0, 5, method="alt"),
            "alt in float32": planned("both_ways", 0, 5, method="alt", dtype="float32"),
            "alt of two": planned("roads", 0, 5, method="alt", landmarks=2),
            "entering edges": planned("one_way", 0, 5, exact=False),
            "alt, one way": planned("one_way", 0, 5, exact=False, method="alt"),
            "alt, undirected": planned("one_way", 0, 5, exact=False, method="alt", directed=False),
        },
    ),
    Call(
        "shortest_paths",
        _shortest_paths,
        variants={"": {}, "undirected": {"directed": False}, "unweighted": {"unweighted": True}},
        methods={"bidirectional": {"method": "bidirectional"}},
        long_on_cores={
            "both ends": ("town", {"method": "bidirectional", "n_pairs": 2000}),
            "hierarchy": ("town", {"method": "hierarchy", "n_pairs": 20_000}),
        },
        planned={
            "": planned("both_ways", [0, 3], [5, 6]),
        },
    ),
    Call(
        "shortest_path_dag",
        lambda g, **o: arrays_of(wg.shortest_path_dag(g, first_vertices(g, 1)[0], **o)),
        variants={"": {}, "undirected": {"directed": False}, "unweighted": {"unweighted": True}},
    ),
    Call(
        "apsp",
        lambda g, **o: arrays_of(wg.apsp(g, **o)),
        most_vertices=200 if EMULATED else 5000,
        variants={
            "": {**_TREES, "method": "floyd_warshall"},
            "undirected": {**_TREES, "method": "floyd_warshall", "directed": False},
        },
        methods={
            method: {**_TREES, "method": method}
            for method in ("floyd_warshall", "floyd_warshall_naive", "many_to_many")
        },
        long={
            "blocked": ("village", {**_TREES, "method": "floyd_warshall", "dtype": "float64"}),
            "naive": ("village", {"method": "floyd_warshall_naive"}),
        },
        planned={
            "": planned("both_ways", method="floyd_warshall", dtype="int32"),
        },
    ),
    Call(
        "minimum_spanning_forest",
        lambda g, **o: arrays_of(wg.minimum_spanning_forest(g, **o)),
        variants={"": {}, "maximum": {"maximum": True}},
        methods_on_gpus={"boruvka": {"method": "boruvka"}},
        long_on_gpus={"boruvka": ("social", {"method": "boruvka"})},
        long_on_cores={"filter": ("social", {"method": "filter"})},
        planned={
            "": planned("both_ways"),
            "one way": planned("one_way", exact=False),
        },
    ),
    Call("local_forest", _local_forest),
    Call("merge_forests", lambda f, **o: arrays_of(wg.merge_forests(f, **o)), takes="forest"),
    Call(
        "extend_forest",
        lambda f, **o: arrays_of(wg.extend_forest(f, [[0, 1]], [1.0], [8], **o)),
        takes="forest",
    ),
    Call("Graph", lambda g, **o: arrays_of(wg.Graph(g, **o))),
    Call("Hierarchy", _hierarchy),
    Call(
        "cluster.single_linkage",
        _single_linkage,
        reads_dense_distances=True,
        long={"": ("points", {"metric": "euclidean"})},
    ),
    Call("cluster.MSTClustering", estimators.clusters, reads_dense_distances=True),
    Call(
        "cluster.HDBSCAN",
        estimators.hdbscan,
        reads_dense_distances=True,
        variants={"": {}, "leaf": {"cluster_selection_method": "leaf"}},
        weights_in=(1e-300, np.inf),  # whose inverses are numbers
        long={"": ("points", {"metric": "euclidean", "min_samples": 1})},
        planned={
            "": planned("points"),
        },
    ),
    Call("cluster.DBSCANStar", estimators.dbscan_star, reads_dense_distances=True),
    Call("cluster.RobustSingleLinkage", estimators.robust_linkage, reads_dense_distances=True),
    Call(
        "cluster.euclidean_mst",
        lambda x, **o: arrays_of(wg.cluster.euclidean_mst(x, **o)),
        takes="points",
        long={
            "": ("points", {}),
            "12-D": ("wide_points", {}),
            "min_samples": ("points", {"min_samples": 9}),
            "min_samples, 12-D": ("wide_points", {"min_samples": 9}),
        },
        planned={
            "": planned("points"),
        },
    ),
    Call(
        "cluster.kneighbors_graph",
        _neighbours,
        takes="points",
        long={"": ("points", {"k": 30, "mode": "distance"})},
    ),
    Call(
        "cluster.core_distances",
        _core_distances,
        takes="points",
        long={"": ("points", {"k": 40})},
    ),
    Call(
        "cluster.KMeans",
        estimators.kmeans,
        takes="points",
        methods={"": {"max_iter": 5}},
        long={"": ("points", {"n_clusters": 32, "max_iter": 20})},
        planned={
            "": planned("points", random_state=0),
            "far points": planned("points", init="farthest"),
        },
    ),
    Call("predicate_filter", lambda x, **o: (wg.predicate_filter(x, 0.3, **o),), takes="points"),
    Call("transform.sort_by_weight", _sorted),
    Call("transform.rank_weights", _ranked),
    Call(
        "transform.reorder",
        lambda g, **o: arrays_of(wg.transform.reorder(g, **o).graph),
        methods={name: {"strategy": name} for name in ("degree", "rcm", "communities")},
        long_on_cores={
            "rcm": ("roads", {"strategy": "rcm"}),
            "communities": ("roads", {"strategy": "communities"}),
        },
    ),
    Call("transform.permute", _permute),
    Call(
        "transform.partition",
        _partition,
        methods={name: {"strategy": name} for name in ("auto", "rcm", "communities")},
    ),
    Call("transform.compress", _compressed, long_on_cores={"": ("roads", {})}),
    Call(
        "generators.grid",
        lambda _, **o: arrays_of(wg.generators.grid(9, 9, **o)),
        takes="sizes",
    ),
    Call(
        "generators.rmat",
        lambda _, scale=2, **o: arrays_of(wg.generators.rmat(scale, **o)),
        takes="sizes",
        long_on_cores={"": ("nothing", {"scale": 16, "seed": 2, "weights": (1, 1000)})},
    ),
    Call(
        "generators.ssca2",
        lambda _, scale=2, **o: arrays_of(wg.generators.ssca2(scale, **o)),
        takes="sizes",
        long_on_cores={"": ("nothing", {"scale": 15, "seed": 2, "weights": (1, 1000)})},
    ),
    Call(
        "generators.random_points",
        lambda _, **o: arrays_of(wg.generators.random_points(3, 2, **o)),
        takes="sizes",
    ),
]
# Entries of other folders: each calls_of_<some>.py has a list CALLS.
for _file in sorted(Path(__file__).parent.glob("*/calls_of_*.py")):
    CALLS += importlib.import_module(_file.stem).CALLS


def calls(*parameters: str, takes: str = "graph") -> list[Call]:
    """Return the entries that take such an input, or "any", and have all of these parameters."""
    return [c for c in CALLS if takes in (c.takes, "any") and {*parameters} <= {*c.parameters}]


def run_on(device: str, call: Call, given: Any, options: Options) -> Arrays:
    """Call a function on a device, or without one if it runs on cores alone."""
    takes_device = "device" in call.parameters and not call.on_cores_alone
    where = {"device": device} if takes_device else {}
    return call.run(given, **options, **where)


def every(name: str, values: list[Call]) -> pytest.MarkDecorator:
    """Parametrize a test by entries."""
    return pytest.mark.parametrize(name, values, ids=str)


def expanded(
    kind: str, *parameters: str, takes: str = "graph"
) -> Iterator[tuple[str, Call, Options]]:
    """Yield (name, call, options) of "variants", "methods" or "methods_on_gpus", as by `calls`."""
    for call in calls(*parameters, takes=takes):
        for name, options in getattr(call, kind).items():
            yield f"{call.name}, {name}" if name else call.name, call, options


def long_calls(where: str) -> dict[str, Callable[[str], Arrays]]:
    """Return `long`, `long_on_cores` or `long_on_gpus` of all functions: call(device) by name."""
    found = {}
    for call in CALLS:
        for name, (large, options) in getattr(call, where).items():
            title = f"{call.name}, {name}" if name else call.name
            found[title] = functools.partial(_run_long, call, large, options)
    return found


def _run_long(call: Call, large: str, options: Options, device: str) -> Arrays:
    return run_on(device, call, large_input(large), options)
