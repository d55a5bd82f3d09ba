"""Every figure of the README on one machine, in one run: cases of other benchmarks.

The rows have the names of the benchmarks that the cases are from, whose tables show them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module

from benchmarks.harness import Case, main
from benchmarks.headlines import CALLS, GRAPHS

#: Modules, and the names of their cases: that of a bar of picture.py first, then other inputs of
#: the same call, among them those on which the gain is known to be least.
NAMES = {
    "paths.bench_sssp": (
        *("sssp, ny-road, float64", "sssp, grid 1024 x 1024, float64"),
        *("sssp, rmat 18, float64", "sssp, rmat 20, float64"),
    ),
    "paths.bench_many_to_many": (
        *("many_to_many, ny-road, 256 sources", "many_to_many, rmat 16, 256 sources"),
        "many_to_many, grid 512 x 512, 64 sources",
    ),
    "paths.bench_apsp": (
        *("apsp, n = 1000, float64, general", "apsp, n = 1000, float64, 16-bit sums"),
        *("apsp, n = 2000, float64, general", "apsp, n = 2000, float64, 16-bit sums"),
    ),
    "search.bench_bfs": (
        *("bfs, R-MAT scale 20, directed", "bfs, R-MAT scale 20"),
        *("bfs, grid 1000 x 1000", "bfs, ny-road"),
    ),
    "search.bench_connected_components": (
        *("weak, R-MAT scale 20, directed", "weak, R-MAT scale 20"),
        *("weak, random, 1 million vertices", "weak, ny-road"),
    ),
    "trees.bench_mst": (
        *("minimum_spanning_forest, rmat 20, float64", "minimum_spanning_forest, ny-road, float64"),
        "minimum_spanning_forest, rmat 18, float64",
        "minimum_spanning_forest, road-like grid 1400 x 1400, float64",
    ),
    "interface.bench_nx_backend": (
        "nx.single_source_dijkstra, 100000 vertices, converted",
        "nx.pagerank, 100000 vertices, converted",
    ),
    "cluster.bench_hdbscan": (
        "HDBSCAN, 1 million uniform points in 3-D",
        "HDBSCAN, 1 million clustered points in 2-D, min_samples 15",
    ),
    "cluster.bench_kmeans": (
        "KMeans, 1 million points, 16-D, 64 clusters, uniform",
        "KMeans, 1 million points, 16-D, 64 clusters, blobs",
        "KMeans, 1 million points, 2-D, 20 clusters, blobs, float64",
    ),
    "graph.bench_first_call": tuple(
        f"{call}, {graph}, first call" for _, graph in GRAPHS for _, call in CALLS
    ),
}


def collected(module: str, names: tuple[str, ...], suite: str = "standard") -> Iterator[Case]:
    """Yield cases of another benchmark in the order of their graphs, which are built once."""
    cases = import_module(f"benchmarks.{module}").CASES
    for case in cases:
        if case.name in names:
            yield replace(case, suite=suite, benchmark=module.partition(".bench_")[2])


CASES = [
    *collected("search.bench_bfs", ("bfs, R-MAT scale 10",), "smoke"),
    *(case for module, names in NAMES.items() for case in collected(module, names)),
]

if __name__ == "__main__":
    main(__file__, CASES)
