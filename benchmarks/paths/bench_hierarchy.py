"""wg.Hierarchy: the time of the preparation, and its gain.

Sweeps and paths with a prepared hierarchy are compared with searches. "on the device": the results
stay there. Distances must agree bit for bit: weights are integers. Paths are also compared with
those of other libraries, which take seconds: few pairs, timed once. NetworkX searches from both
ends. SciPy has no function for one pair: it searches from the source, and the path is followed
back. Neither keeps what could be prepared; their graphs are made before.
"""

import time
from functools import cache, partial

import numpy as np
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, Once, Timed, main
from benchmarks.paths.bench_many_to_many import (
    agree,
    compared,
    grid,
    ours,
    ours_on_device,
    sources_of,
)

SECTION = (
    "Contraction hierarchies",
    "Searches with a prepared `wg.Hierarchy` are compared with searches without one; the rows "
    '"preparing" have the time of the preparation.',
)

N_PAIRS = 200
#: Number of these pairs that other libraries search for, too.
N_PAIRS_OF_OTHERS = 5


def prepare(x: Input):
    return wg.Hierarchy(wg.Graph(x.matrix)).n_vertices


@cache
def kept(build):
    """Return a case's graph with its hierarchy."""
    graph = wg.Graph(build())
    wg.Hierarchy(graph)
    return graph


def sweep(x: Input, build, n_sources, **options):
    """Sweep with the prepared hierarchy."""
    prepared = Input(x.matrix, kept(build), x.device, x.threads)
    return ours(prepared, n_sources, method="hierarchy", **options)


def on_device(x: Input, build, n_sources):
    """Sweep, and leave the results, float32 numbers, on the device."""
    return ours_on_device(x, n_sources, "hierarchy", graph=kept(build))


def to_targets(x: Input, build, n_sources, **options):
    n = x.matrix.shape[0]
    ends = np.random.default_rng(3).integers(0, n, n_sources)
    starts = sources_of(n, n_sources)
    return compared(wg.many_to_many(kept(build), starts, ends, device=x.device, **options))


@cache
def pairs_of(build, are_near):
    """Return random pairs of vertices; near ones are connected by a walk of 30 edges."""
    graph = kept(build)
    rng = np.random.default_rng(4)
    starts, ends = rng.integers(0, graph.n_vertices, (2, N_PAIRS))
    if are_near:
        ends = starts.copy()
        for _ in range(30):
            first, last = graph.indptr[ends], graph.indptr[ends + 1]
            moves = last > first
            edges = (first + (rng.random(N_PAIRS) * (last - first)).astype(np.int64))[moves]
            ends[moves] = graph.indices[edges]
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def paths(x: Input, build, are_near, method):
    """Find a path for each pair, one call each."""
    graph = kept(build)
    found = [wg.shortest_path(graph, *pair, method=method) for pair in pairs_of(build, are_near)]
    return np.concatenate([[length, *vertices] for length, vertices in found])


def few_pairs(build, are_near):
    """Return pairs that are connected: SciPy and NetworkX treat others differently."""
    length = partial(wg.shortest_path, kept(build), method="hierarchy")
    pairs = [pair for pair in pairs_of(build, are_near) if length(*pair)[0] < np.inf]
    return pairs[:N_PAIRS_OF_OTHERS]


def lengths(x: Input, build, are_near):
    """Find few paths, and return their lengths: of several shortest paths any may be found."""
    graph, pairs = kept(build), few_pairs(build, are_near)
    start = time.perf_counter()
    found = [wg.shortest_path(graph, *pair, method="hierarchy") for pair in pairs]
    return Timed(time.perf_counter() - start, [length for length, _ in found])


def lengths_of_scipy(x: Input, build, are_near):
    found, pairs = [], few_pairs(build, are_near)
    start = time.perf_counter()
    for source, target in pairs:
        far, tree = csgraph.dijkstra(x.matrix, indices=source, return_predecessors=True)
        path = [target]
        while path[-1] != source:
            path.append(tree[path[-1]])
        found.append(far[target])
    return Timed(time.perf_counter() - start, found)


@cache
def networkx_graph(build):
    return kept(build).to_networkx()


def lengths_of_networkx(x: Input, build, are_near):
    import networkx as nx

    graph, pairs = networkx_graph(build), few_pairs(build, are_near)
    start = time.perf_counter()
    found = [nx.bidirectional_dijkstra(graph, *pair) for pair in pairs]
    return Timed(time.perf_counter() - start, [length for length, _ in found])


def path_cases(name, build, suite):
    """Make the cases of single pairs."""
    return [
        Case(
            f"paths, {name}, {N_PAIRS} {kind} pairs",
            build,
            partial(paths, build=build, are_near=kind == "near", method="hierarchy"),
            {
                "bidirectional": partial(
                    paths, build=build, are_near=kind == "near", method="bidirectional"
                )
            },
            suite,
            agree=np.array_equal,
            devices=("cpu",),
        )
        for kind in ("random", "near")
    ]


def cases_with_others(name, build, suite):
    """Make the cases of single pairs that other libraries search for, too."""
    cases = []
    for kind in ("random", "near"):
        how = {"build": build, "are_near": kind == "near"}
        rivals = {
            "scipy dijkstra": Once(partial(lengths_of_scipy, **how)),
            "networkx": Once(partial(lengths_of_networkx, **how)),
        }
        title = f"paths, {name}, {N_PAIRS_OF_OTHERS} {kind} pairs"
        find = partial(lengths, **how)
        cases.append(
            Case(title, build, find, rivals, suite, agree=np.array_equal, devices=("cpu",))
        )
    return cases


def cases(name, build, suite, n_sources):
    """Make the cases of one graph."""
    searches = {
        method: partial(ours, n_sources=n_sources, method=method)
        for method in ("dijkstra", "batched")
    }
    few = partial(to_targets, build=build, n_sources=n_sources)
    return [
        Case(f"preparing, {name}", build, prepare, {}, suite, resident=False, devices=("cpu",)),
        Case(
            f"sweeps, {name}, {n_sources} sources",
            build,
            partial(sweep, build=build, n_sources=n_sources),
            searches,
            suite,
            agree=np.array_equal,
        ),
        Case(
            f"sweeps, {name}, {n_sources} sources to {n_sources} targets",
            build,
            partial(few, method="hierarchy"),
            {"dijkstra": partial(few, method="dijkstra")},
            suite,
            agree=np.array_equal,
        ),
        Case(
            f"sweeps on the device, {name}, {n_sources} sources",
            build,
            partial(on_device, build=build, n_sources=n_sources),
            {},
            suite,
            agree=agree,
            devices=("cuda",),
        ),
    ]


small_grid = partial(grid, 30)
CASES = [
    *cases("grid 30 x 30", small_grid, "smoke", 64),
    *path_cases("grid 30 x 30", small_grid, "smoke"),
    *cases_with_others("grid 30 x 30", small_grid, "smoke"),
    *cases("ny-road", inputs.new_york, "standard", 1024),
    *path_cases("ny-road", inputs.new_york, "standard"),
    *cases_with_others("ny-road", inputs.new_york, "standard"),
    *cases("grid 300 x 300", partial(grid, 300), "standard", 1024),
]
if inputs.dimacs_file("COL") is not None:
    CASES += cases("col-road", inputs.colorado, "standard", 1024)

if __name__ == "__main__":
    main(__file__, CASES)
