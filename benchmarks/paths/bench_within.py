"""wg.within, wg.accessibility, wg.nearest_facilities and wg.shortest_path_dag.

SciPy searches from some sources at a time, whose rows of all vertices fit the memory, and keeps
what is within the limit; igraph counts shortest paths. Results must agree bit for bit.
"""

from functools import cache, partial

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, Once, main

SECTION = (
    "What is near, and all shortest paths",
    "`wg.within`, `wg.accessibility` and `wg.nearest_facilities` are compared with SciPy's "
    "Dijkstra from some sources at a time, whose rows fit the memory, and "
    "`wg.shortest_path_dag` with igraph.",
)

#: Sources whose dense rows SciPy makes at a time: 200 MB on New York's roads.
AT_ONCE = 100
#: Distances; a thousandth of New York's junctions are within the second.
LIMITS = (10_000, 25_000, 50_000)


@cache
def sources_of(n_vertices: int, n_sources: int):
    """Return random vertices."""
    return np.random.default_rng(2).integers(0, n_vertices, n_sources).astype(np.int32)


@cache
def jobs_of(n_vertices: int):
    return np.random.default_rng(3).integers(0, 100, n_vertices).astype(np.float64)


def ours(x: Input, n_sources, limit):
    sources = sources_of(x.matrix.shape[0], n_sources)
    return wg.within(x.graph, sources, limit, device=x.device)


def chunks_of_scipy(x: Input, n_sources, limit):
    """Yield the distances from some sources, inf beyond the limit."""
    sources = sources_of(x.matrix.shape[0], n_sources)
    matrix = inputs.for_scipy(x.matrix)
    for first in range(0, n_sources, AT_ONCE):
        yield csgraph.dijkstra(matrix, indices=sources[first : first + AT_ONCE], limit=limit)


def sparse(rows):
    """Return the finite entries of a dense matrix."""
    row, column = np.nonzero(np.isfinite(rows))
    indptr = np.searchsorted(row, np.arange(len(rows) + 1))
    return sp.csr_array((rows[row, column], column, indptr), shape=rows.shape)


def scipy(x: Input, n_sources, limit):
    return sp.vstack([sparse(rows) for rows in chunks_of_scipy(x, n_sources, limit)], format="csr")


def same_matrix(a, b) -> bool:
    return (
        np.array_equal(a.indptr, b.indptr)
        and np.array_equal(a.indices, b.indices)
        and np.array_equal(a.data, b.data)
    )


def sums(x: Input, n_sources, limits):
    n = x.matrix.shape[0]
    how = {"opportunities": jobs_of(n), "device": x.device}
    return wg.accessibility(x.graph, sources_of(n, n_sources), limits, **how)


def sums_by_scipy(x: Input, n_sources, limits):
    jobs = jobs_of(x.matrix.shape[0])
    chunks = chunks_of_scipy(x, n_sources, max(limits))
    return np.concatenate(
        [np.stack([(rows <= limit) @ jobs for limit in limits], axis=1) for rows in chunks]
    )


def nearest(x: Input, n_facilities, k):
    facilities = sources_of(x.matrix.shape[0], n_facilities)
    return wg.nearest_facilities(x.graph, facilities, k, directed=False, device=x.device)[0]


def nearest_by_scipy(x: Input, n_facilities, k):
    facilities = np.unique(sources_of(x.matrix.shape[0], n_facilities))
    rows = csgraph.dijkstra(inputs.for_scipy(x.matrix), indices=facilities)
    rows.partition(k - 1, axis=0)
    return np.sort(rows[:k], axis=0).T


def counts(x: Input):
    return wg.shortest_path_dag(x.graph, 0, unweighted=True, device=x.device).counts()


@cache
def graph_of_igraph(key):
    import igraph

    graph = wg.Graph(_MATRICES[key])
    row, column, _ = graph.to_edges()
    return igraph.Graph(graph.n_vertices, np.stack([row, column], axis=1), directed=True)


_MATRICES = {}


def counts_by_igraph(x: Input):
    """Count the paths to some vertices of a small grid, which igraph lists."""
    _MATRICES[id(x.matrix)] = x.matrix
    graph = graph_of_igraph(id(x.matrix))
    targets = targets_of(x.matrix.shape[0])
    found = np.zeros(x.matrix.shape[0])
    for path in graph.get_all_shortest_paths(0, to=targets):
        found[path[-1]] += 1
    return found


def targets_of(n_vertices: int):
    side = int(n_vertices**0.5)
    return [side * row + column for row in range(0, side, 3) for column in range(0, 9)]


def same_counts(a, b) -> bool:
    return np.array_equal(a[b > 0], b[b > 0])


def floor_bytes(matrix) -> int:
    """Read the graph once."""
    return matrix.indptr.nbytes + matrix.indices.nbytes + matrix.data.nbytes


def case_within(name, build, suite, n_sources, limit, *, once=False) -> Case:
    theirs = partial(scipy, n_sources=n_sources, limit=limit)
    return Case(
        f"within, {name}, {n_sources:,} sources, limit {limit:,}",
        build,
        partial(ours, n_sources=n_sources, limit=limit),
        {"scipy": Once(theirs) if once else theirs},
        suite,
        agree=same_matrix,
        floor_bytes=floor_bytes,
    )


def case_sums(name, build, suite, n_sources, limits, *, once=False) -> Case:
    theirs = partial(sums_by_scipy, n_sources=n_sources, limits=limits)
    return Case(
        f"accessibility, {name}, {n_sources:,} sources, {len(limits)} limits",
        build,
        partial(sums, n_sources=n_sources, limits=limits),
        {"scipy": Once(theirs) if once else theirs},
        suite,
        agree=np.array_equal,
        floor_bytes=floor_bytes,
    )


def case_nearest(name, build, suite, n_facilities, k) -> Case:
    how = {"n_facilities": n_facilities, "k": k}
    return Case(
        f"nearest_facilities, {name}, {k} of {n_facilities}",
        build,
        partial(nearest, **how),
        {"scipy": Once(partial(nearest_by_scipy, **how))},
        suite,
        agree=np.array_equal,
        floor_bytes=floor_bytes,
    )


SMALL = partial(inputs.road_like, 30)
BLOCKS = partial(inputs.grid, 12, 12)
NEW_YORK = inputs.new_york

CASES = [
    case_within("roads 30 x 30", SMALL, "smoke", 50, 9000),
    case_sums("roads 30 x 30", SMALL, "smoke", 50, (3000, 9000)),
    case_nearest("roads 30 x 30", SMALL, "smoke", 20, 3),
    Case(
        "shortest_path_dag and counts, grid 12 x 12",
        BLOCKS,
        counts,
        {"igraph": counts_by_igraph},
        "smoke",
        agree=same_counts,
        floor_bytes=floor_bytes,
    ),
    case_within("ny-road", NEW_YORK, "standard", 1000, LIMITS[1]),
    case_sums("ny-road", NEW_YORK, "standard", 1000, LIMITS),
    case_nearest("ny-road", NEW_YORK, "standard", 200, 5),
    Case("shortest_path_dag and counts, ny-road", NEW_YORK, counts, floor_bytes=floor_bytes),
    case_within("ny-road", NEW_YORK, "large", 50_000, LIMITS[1], once=True),
    case_sums("ny-road", NEW_YORK, "large", 50_000, LIMITS, once=True),
]


if __name__ == "__main__":
    main(__file__, CASES)
