"""wg.steiner_tree, wg.minimum_arborescence and wg.bottleneck_paths against NetworkX.

NetworkX gets its own graph, made beforehand, and ours the SciPy matrix. Its Steiner tree is by the
same method, so that only ties make the weights differ; other weights must agree.
"""

import time
from functools import cache, partial
from itertools import pairwise

import networkx as nx
import numpy as np
import scipy.sparse as sp

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, Once, Timed, main

SECTION = (
    "Steiner trees, arborescences and bottleneck paths",
    "`wg.steiner_tree`, `wg.minimum_arborescence` and `wg.bottleneck_paths` are compared with "
    "NetworkX, whose graphs are made beforehand. The pairs of `wg.bottleneck_paths` include "
    "the search for the forest.",
)


def by_networkx(call, kind=nx.Graph, **how):
    """Return a contestant that times a call with NetworkX's graph, without making that."""

    def run(x: Input) -> Timed:
        graph = nx.from_scipy_sparse_array(x.matrix, create_using=kind)
        start = time.perf_counter()
        result = call(graph, **how)
        return Timed(time.perf_counter() - start, result)

    return {"networkx": Once(run)}


@cache
def vertices_of(n_vertices: int, n: int, seed: int = 2):
    """Return random vertices."""
    return np.random.default_rng(seed).integers(0, n_vertices, n).astype(np.int32)


def digraph(n: int, degree: int) -> sp.csr_array:
    """Return random arcs of random weights, and a ring over all vertices."""
    rng = np.random.default_rng(5)
    tails = np.concatenate([np.arange(n), rng.integers(0, n, n * degree)])
    heads = np.concatenate([(np.arange(n) + 1) % n, rng.integers(0, n, n * degree)])
    weights = rng.random(len(tails))
    return wg.Graph.from_edges(tails, heads, weights).to_csr()


def steiner(x: Input, n_terminals):
    terminals = vertices_of(x.matrix.shape[0], n_terminals)
    return wg.steiner_tree(x.graph, terminals).total_weight


def steiner_by_networkx(graph, n_terminals):
    terminals = vertices_of(len(graph), n_terminals).tolist()
    tree = nx.algorithms.approximation.steiner_tree(graph, terminals, method="mehlhorn")
    return tree.size("weight")


def about_as_heavy(a, b) -> bool:
    return abs(a - b) <= 0.01 * b


def arborescence(x: Input):
    return wg.minimum_arborescence(x.graph).total_weight


def arborescence_by_networkx(graph):
    return nx.minimum_spanning_arborescence(graph).size("weight")


def bottlenecks(x: Input, n_pairs):
    n = x.matrix.shape[0]
    return wg.bottleneck_paths(x.graph, vertices_of(n, n_pairs), vertices_of(n, n_pairs, 3))


def bottlenecks_by_networkx(graph, n_pairs):
    tree = nx.minimum_spanning_tree(graph)
    pairs = zip(*(vertices_of(len(graph), n_pairs, s).tolist() for s in (2, 3)), strict=True)
    paths = (pairwise(nx.shortest_path(tree, u, v)) for u, v in pairs)
    return np.array([max((tree.edges[e]["weight"] for e in p), default=-np.inf) for p in paths])


def floor_bytes(matrix) -> int:
    """Read the graph once."""
    return matrix.indptr.nbytes + matrix.indices.nbytes + matrix.data.nbytes


def case_steiner(name, build, suite, n_terminals, *, rival=True) -> Case:
    return Case(
        f"steiner_tree, {name}, {n_terminals:,} terminals",
        build,
        partial(steiner, n_terminals=n_terminals),
        by_networkx(steiner_by_networkx, n_terminals=n_terminals) if rival else {},
        suite,
        agree=about_as_heavy,
        floor_bytes=floor_bytes,
        devices=("cpu",),
    )


def case_arborescence(name, build, suite, *, rival=True) -> Case:
    return Case(
        f"minimum_arborescence, {name}",
        build,
        arborescence,
        by_networkx(arborescence_by_networkx, nx.DiGraph) if rival else {},
        suite,
        agree=np.isclose,
        floor_bytes=floor_bytes,
        devices=("cpu",),
    )


def case_bottleneck(name, build, suite, n_pairs, *, rival=True) -> Case:
    return Case(
        f"bottleneck_paths, {name}, {n_pairs:,} pairs",
        build,
        partial(bottlenecks, n_pairs=n_pairs),
        by_networkx(bottlenecks_by_networkx, n_pairs=n_pairs) if rival else {},
        suite,
        agree=np.array_equal,
        floor_bytes=floor_bytes,
        devices=("cpu",),
    )


SMALL = partial(inputs.grid, 12, 12)
NEW_YORK = inputs.new_york

CASES = [
    case_steiner("grid 12 x 12", SMALL, "smoke", 5),
    case_arborescence("20 vertices", partial(digraph, 20, 2), "smoke"),
    case_bottleneck("grid 12 x 12", SMALL, "smoke", 20),
    case_steiner("ny-road", NEW_YORK, "standard", 10),
    case_steiner("ny-road", NEW_YORK, "standard", 10_000, rival=False),
    case_arborescence("300 vertices", partial(digraph, 300, 4), "standard"),
    case_arborescence("ny-road", NEW_YORK, "standard", rival=False),
    case_arborescence("2^20 vertices", partial(digraph, 1 << 20, 8), "standard", rival=False),
    case_bottleneck("ny-road", NEW_YORK, "standard", 100),
    case_bottleneck("ny-road", NEW_YORK, "standard", 1_000_000, rival=False),
]


if __name__ == "__main__":
    main(__file__, CASES)
