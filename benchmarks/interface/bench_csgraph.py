"""wg.csgraph against scipy.sparse.csgraph, each function from 10 to a million vertices.

The calls are those of a user of SciPy: a SciPy matrix in, `device` left to the library. On small
graphs a run is many calls, the same number for both, so that it takes milliseconds. A function's
largest graph is the one for which SciPy takes a few seconds: those in the suite "large" are the
sparse ones of a million vertices and the dense ones of ten thousand.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from types import ModuleType
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph as theirs

import warpgraph.csgraph as ours
from benchmarks.harness import Case, Input, Once, main

SECTION = (
    "Functions of `scipy.sparse.csgraph`, by size",
    "Each function of `warpgraph.csgraph` is compared with SciPy's on sparse and dense matrices.",
)

#: Arcs of each vertex of a sparse graph: as many as in road networks and meshes.
DEGREE = 5
#: A run makes as many calls as take about this much work, but at least one. What a call takes
#: beside its steps is worth some more of these.
WORK_OF_A_RUN = 1 << 18
WORK_OF_A_CALL = 1 << 10
#: Work for which SciPy takes about a second or more, and is timed once.
TIMED_ONCE = 1 << 22

Call = Callable[[ModuleType, Any], Any]


@dataclass(frozen=True)
class Kind:
    """Functions of SciPy whose time grows in the same way.

    `work` is about the number of steps on a graph, given vertices and arcs. `sparse` and `dense`
    are the numbers of vertices that are measured.
    """

    functions: dict[str, Call]
    work: Callable[[int, int], int]
    sparse: tuple[int, ...] = (10, 100, 1000)
    dense: tuple[int, ...] = (10, 100, 1000)


LINEAR = Kind(
    {
        "dijkstra from one vertex": lambda m, g: m.dijkstra(g, indices=0),
        "dijkstra from one vertex with predecessors": lambda m, g: m.dijkstra(
            g, indices=0, return_predecessors=True
        ),
        "dijkstra from one vertex, undirected": lambda m, g: m.dijkstra(g, False, indices=0),
        "dijkstra, unweighted": lambda m, g: m.dijkstra(g, indices=0, unweighted=True),
        "dijkstra from the nearest of ten": lambda m, g: m.dijkstra(
            g, indices=range(10), min_only=True
        ),
        "breadth_first_order": lambda m, g: m.breadth_first_order(g, 0),
        "breadth_first_order, undirected": lambda m, g: m.breadth_first_order(g, 0, False),
        "breadth_first_tree": lambda m, g: m.breadth_first_tree(g, 0),
        "depth_first_order": lambda m, g: m.depth_first_order(g, 0),
        "depth_first_tree": lambda m, g: m.depth_first_tree(g, 0),
        "connected_components": lambda m, g: m.connected_components(g),
        "connected_components, strong": lambda m, g: m.connected_components(g, connection="strong"),
        "minimum_spanning_tree": lambda m, g: m.minimum_spanning_tree(g),
    },
    lambda n, arcs: n + arcs,
    sparse=(10, 100, 1000, 10**4, 10**5, 10**6),
    dense=(10, 100, 1000, 10**4),
)
#: The method of Bellman and Ford, which Johnson's algorithm begins with: SciPy's takes the time of
#: all its rounds. Yen's algorithm makes a search from each vertex of a path.
IN_ROUNDS = Kind(
    {
        "johnson from one vertex": lambda m, g: m.johnson(g, indices=0),
        "bellman_ford from one vertex": lambda m, g: m.bellman_ford(g, indices=0),
    },
    lambda n, arcs: n * arcs // 64,
    sparse=(10, 100, 1000, 10**4),
)
PATHS = Kind(
    {"yen, 3 paths": lambda m, g: m.yen(g, 0, g.shape[0] - 1, 3)},
    lambda n, arcs: 32 * (n + arcs),
    sparse=(10, 100, 1000, 10**4),
)
ALL_PAIRS = Kind(
    {
        "dijkstra": lambda m, g: m.dijkstra(g),
        "dijkstra with predecessors": lambda m, g: m.dijkstra(g, return_predecessors=True),
        "shortest_path": lambda m, g: m.shortest_path(g),
        "johnson": lambda m, g: m.johnson(g),
        "floyd_warshall": lambda m, g: m.floyd_warshall(g),
        "floyd_warshall with predecessors": lambda m, g: m.floyd_warshall(g, True, True),
    },
    lambda n, arcs: n * (n + arcs),
)


@lru_cache(maxsize=2)
def sparse(n: int):
    """Return a random graph with float weights, almost all of which vertex 0 reaches."""
    rng = np.random.default_rng(0)
    arcs = rng.random(DEGREE * n), rng.integers(0, n, DEGREE * n, np.int32)
    matrix = sp.csr_array((*arcs, np.arange(0, DEGREE * n + 1, DEGREE, np.int32)), (n, n))
    matrix.sum_duplicates()
    return matrix


@lru_cache(maxsize=1)
def dense(n: int):
    """Return a matrix in which every other edge is missing."""
    rng = np.random.default_rng(0)
    return rng.random((n, n)) * (rng.random((n, n)) < 0.5)


def repeat(call: Call, module: ModuleType, times: int, x: Input):
    for _ in range(times):
        result = call(module, x.matrix)
    return result


def agree(mine, its) -> bool:
    """Compare distances and labels; of several valid trees SciPy promises any."""
    if isinstance(its, tuple):
        return agree(mine[0], its[0])
    if sp.issparse(its):
        return mine.shape == its.shape and (mine != its).nnz == 0
    return np.allclose(mine, its, rtol=1e-12, atol=0)


def case(kind: Kind, name: str, build, n: int, suite: str) -> Case:
    call = kind.functions[name]
    work = kind.work(n, n * (DEGREE if build is sparse else n // 2))
    times = max(1, WORK_OF_A_RUN // (work + WORK_OF_A_CALL))
    rival = partial(repeat, call, theirs, times)
    return Case(
        f"csgraph.{name}, {build.__name__}, {n} vertices",
        partial(build, n),
        partial(repeat, call, ours, times),
        {"scipy": Once(rival) if work >= TIMED_ONCE else rival},
        suite,
        resident=False,
        agree=agree,
        devices=["cpu"],
    )


def cases() -> Iterator[Case]:
    """Yield the cases; those of one graph are together, so that it is made once."""
    for build, largest in ((sparse, 10**5), (dense, 10**3)):
        sizes = {n for kind in KINDS for n in getattr(kind, build.__name__)}
        for n in sorted(sizes):
            for kind in KINDS:
                if n in getattr(kind, build.__name__):
                    suite = "standard" if n <= largest else "large"
                    yield from (case(kind, name, build, n, suite) for name in kind.functions)


KINDS = (LINEAR, IN_ROUNDS, PATHS, ALL_PAIRS)
SMOKE = [case(kind, name, sparse, 10, "smoke") for kind in KINDS for name in kind.functions]
CASES = [*SMOKE, *cases()]

if __name__ == "__main__":
    main(__file__, CASES)
