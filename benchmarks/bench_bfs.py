"""wg.bfs against SciPy's breadth-first order and its unweighted Dijkstra."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csgraph

import inputs
import warpgraph as wg
from harness import Case, Input, main


def source_of(matrix) -> int:
    """Return a vertex of the largest degree, which is in the giant component."""
    return int(np.argmax(np.diff(matrix.indptr)))


def ours(x: Input):
    return wg.bfs(x.graph, source_of(x.matrix), device=x.device)


def ours_with_tree(x: Input):
    return wg.bfs(x.graph, source_of(x.matrix), return_predecessors=True, device=x.device)


class Visits(NamedTuple):
    """What SciPy's search returns: the order of the visits and a tree instead of hops."""

    order: np.ndarray
    predecessors: np.ndarray


def scipy_order(x: Input):
    return Visits(*csgraph.breadth_first_order(x.matrix, source_of(x.matrix)))


def scipy_dijkstra(x: Input):
    return csgraph.dijkstra(x.matrix, indices=source_of(x.matrix), unweighted=True)


def agree(ours, theirs) -> bool:
    hops = ours[0] if isinstance(ours, tuple) else ours
    if isinstance(theirs, Visits):
        tree = theirs.order[1:]
        one_further = hops[tree] == hops[theirs.predecessors[tree]] + 1
        return len(theirs.order) == (hops >= 0).sum() and bool(one_further.all())
    if isinstance(theirs, tuple):  # ours on another device
        return all(map(np.array_equal, ours, theirs))
    if theirs.dtype == np.float64:
        return np.array_equal(np.where(hops < 0, np.inf, hops), theirs)
    return np.array_equal(hops, theirs)


def small_rmat():
    return inputs.rmat(10)


def rmat():
    return inputs.rmat(20)


def directed_rmat():
    return inputs.rmat(20, directed=True)


def grid():
    return inputs.grid(1000, 1000)


def large_rmat():
    return inputs.rmat(24)


def large_grid():
    return inputs.grid(5000, 5000)


def cases(name, build, suite, *, dijkstra=True):
    """Return the search alone from the matrix, from a kept graph, and with its tree."""
    rivals = {"scipy breadth_first_order": scipy_order}
    if dijkstra:
        rivals["scipy dijkstra"] = scipy_dijkstra
    return [
        Case(f"bfs, {name}", build, ours, rivals, suite, agree=agree),
        Case(
            f"bfs, {name}, kept graph",
            build,
            ours,
            {"scipy breadth_first_order": scipy_order},
            suite,
            resident=True,
            agree=agree,
        ),
        Case(
            f"bfs with tree, {name}, kept graph",
            build,
            ours_with_tree,
            {"scipy breadth_first_order": scipy_order},
            suite,
            resident=True,
            agree=agree,
        ),
    ]


CASES = [
    *cases("R-MAT scale 10", small_rmat, "smoke"),
    *cases("R-MAT scale 20", rmat, "standard", dijkstra=False),
    *cases("R-MAT scale 20, directed", directed_rmat, "standard", dijkstra=False),
    *cases("grid 1000 x 1000", grid, "standard"),
    *cases("ny-road", inputs.ny_road, "standard"),
    *cases("R-MAT scale 24", large_rmat, "large", dijkstra=False),
    *cases("grid 5000 x 5000", large_grid, "large", dijkstra=False),
]

if __name__ == "__main__":
    main(__file__, CASES)
