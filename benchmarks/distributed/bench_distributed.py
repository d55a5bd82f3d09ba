"""warpgraph.distributed beside one call on one machine.

Suite "standard": threads of this process as workers, from memory: what the division into blocks,
merges, and predecessors of searches cost. Suite "large": three workers of Dask or Ray on this
machine, each with a third of the memory that one process takes, read Parquet files; one of the
cases ends a worker at a random time of each run:

    python -m benchmarks.distributed.bench_distributed --suite large --only "third of the memory"
    python -m benchmarks.distributed.bench_distributed --suite large --only "ended" --repeat 50
"""

from functools import partial
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import inputs
from benchmarks.distributed import forest_of_files as of_files, forest_on_clusters as on_clusters
from benchmarks.harness import Case, Input, Once, main
from warpgraph import distributed

SECTION = (
    "Several machines",
    "`warpgraph.distributed` on workers of one machine is compared with one process that has "
    "the whole graph.",
)

#: Blocks of edges, as workers would read them.
BLOCKS = 6


def blocks(n_vertices: int, n_edges: int):
    """Return blocks of random edges."""
    rng = np.random.default_rng(1)
    tails, heads = rng.integers(0, n_vertices, (2, n_edges))
    return n_vertices, cut(tails, heads, rng.random(n_edges))


def blocks_of(make):
    """Return the blocks of a matrix."""
    matrix = make()
    tails = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return matrix.shape[0], cut(tails, matrix.indices, matrix.data)


def cut(*arrays):
    return list(zip(*(np.array_split(array, BLOCKS) for array in arrays), strict=True))


def on_engine(x: Input, function: Any, *arguments: Any, **options: Any) -> Any:
    n_vertices, parts = x.matrix
    engine = distributed.LocalEngine(x.threads)
    edges = distributed.graph(parts, engine, n_vertices=n_vertices)
    found = function(edges, *arguments, **options)
    return [f.gather() for f in found] if isinstance(found, tuple) else found.gather()


def at_once(x: Input, function: Any, *arguments: Any, **options: Any) -> Any:
    n_vertices, parts = x.matrix
    tails, heads, weights = map(np.concatenate, zip(*parts, strict=True))
    graph = wg.Graph.from_edges(tails, heads, weights, n_vertices=n_vertices)
    return function(graph, *arguments, device="cpu", **options)


def same_forest(a: wg.SpanningForest, b: wg.SpanningForest) -> bool:
    return np.array_equal(a.edges, b.edges) and np.array_equal(a.weights, b.weights)


def same_search(tree: Any, other: Any) -> bool:
    """Compare distances, and predecessors if both searches have them."""
    others = other if isinstance(other, (list, tuple)) else [other]
    return all(np.array_equal(a, b) for a, b in zip(tree, others, strict=False))


def size(built) -> dict[str, int]:
    return {"vertices": built[0], "edges": sum(len(part[0]) for part in built[1])}


def forest(n_edges: int, suite: str) -> Case:
    return Case(
        f"forest of six blocks, {n_edges:,} edges",
        partial(blocks, n_edges // 16, n_edges),
        partial(on_engine, function=distributed.minimum_spanning_forest),
        {"one call": partial(at_once, function=wg.minimum_spanning_forest)},
        suite,
        resident=False,
        agree=same_forest,
        size=size,
        devices=("cpu",),
    )


def search(name: str, build: Any, suite: str) -> list[Case]:
    """Return cases of searches with predecessors, beside those without and one call."""
    return [
        Case(
            f"distributed.{function}, {name}, six blocks, with predecessors",
            build,
            partial(on_engine, **chosen, return_predecessors=True),
            {
                "without predecessors": partial(on_engine, **chosen),
                "one call": partial(
                    at_once, function=getattr(wg, function), source=0, return_predecessors=True
                ),
            },
            suite,
            resident=False,
            agree=same_search,
            size=size,
            devices=("cpu",),
        )
        for function in ("bfs", "sssp")
        for chosen in [{"function": getattr(distributed, function), "source": 0}]
    ]


def of_parquet(text: str, build: Any, ours: Any, rivals: dict[str, Any]) -> Case:
    return Case(
        f"forest from Parquet, {text}",
        build,
        ours,
        rivals,
        "large",
        resident=False,
        agree=str.__eq__,
        size=of_files.size,
        devices=("cpu",),
    )


rmat = partial(blocks_of, partial(inputs.rmat, 16))
roads = partial(blocks_of, inputs.new_york)

CASES = [
    forest(20_000, "smoke"),
    *search("R-MAT scale 8", partial(blocks_of, partial(inputs.rmat, 8)), "smoke"),
    forest(4_000_000, "standard"),
    *search("R-MAT scale 16", rmat, "standard"),
    *search("ny-road", roads, "standard")[1:],  # hundreds of rounds, as bfs has
    of_parquet(
        "100 million edges, three workers of Dask, each with a third of the memory",
        of_files.large,
        on_clusters.on_dask,
        {"one process, all memory": of_files.in_one_process},
    ),
    *(
        of_parquet(
            f"10 million edges, one of three workers of {engine} ended at a random time",
            of_files.small,
            on_clusters.WithAWorkerEnded(start),
            {"one process": Once(of_files.in_one_process)},
        )
        for engine, start in (("Dask", on_clusters.dask), ("Ray", on_clusters.ray))
    ),
]

if __name__ == "__main__":
    main(__file__, CASES)
