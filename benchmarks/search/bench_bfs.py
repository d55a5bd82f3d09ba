"""wg.bfs against SciPy's breadth-first order and unweighted Dijkstra, and GAP's search if given."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, main
from benchmarks.rivals import gap
from warpgraph import _core

SECTION = (
    "Breadth-first search",
    "`wg.bfs` is compared with SciPy's breadth-first order and unweighted Dijkstra, and with GAP.",
)


def ours(x: Input):
    return wg.bfs(x.graph, inputs.source_of(x.matrix), device=x.device)


def ours_with_tree(x: Input):
    return wg.bfs(x.graph, inputs.source_of(x.matrix), return_predecessors=True, device=x.device)


def ours_on_device(x: Input):
    """Leave the hops on the device, to time the search alone."""
    contestant = f"bfs of a {type(x.graph).__name__}"
    out = inputs.device_output(x.device, x.matrix.shape[0], np.int32, contestant)
    return wg.bfs(x.graph, inputs.source_of(x.matrix), out=out, device=x.device)


class Visits(NamedTuple):
    """Result of SciPy's search: the order of the visits, and a tree instead of hops."""

    order: np.ndarray
    predecessors: np.ndarray


def scipy_order(x: Input):
    return Visits(*csgraph.breadth_first_order(x.matrix, inputs.source_of(x.matrix)))


def scipy_dijkstra(x: Input):
    return csgraph.dijkstra(x.matrix, indices=inputs.source_of(x.matrix), unweighted=True)


def on_host(hops) -> np.ndarray:
    return hops.to_numpy() if isinstance(hops, _core.DeviceArray) else hops


def agree(ours, theirs) -> bool:
    hops = on_host(ours[0] if isinstance(ours, tuple) else ours)
    if isinstance(theirs, _core.DeviceArray):
        return np.array_equal(hops, on_host(theirs))
    if isinstance(theirs, gap.Reached):
        return (hops >= 0).sum() == theirs
    if isinstance(theirs, Visits):
        tree = theirs.order[1:]
        one_further = hops[tree] == hops[theirs.predecessors[tree]] + 1
        return len(theirs.order) == (hops >= 0).sum() and bool(one_further.all())
    if isinstance(theirs, tuple):  # ours on another device
        return all(map(np.array_equal, ours, theirs))
    if theirs.dtype == np.float64:
        return np.array_equal(np.where(hops < 0, np.inf, hops), theirs)
    return np.array_equal(hops, theirs)


def ours_from_many(x: Input):
    return wg.bfs(x.graph, many_sources(x.matrix), device=x.device)


def scipy_from_many(x: Input):
    return csgraph.dijkstra(x.matrix, indices=many_sources(x.matrix), unweighted=True)


def one_by_one(x: Input):
    """Search from each source alone."""
    return np.stack([wg.bfs(x.graph, s, device=x.device) for s in many_sources(x.matrix)])


def many_sources(matrix) -> np.ndarray:
    return np.flatnonzero(np.diff(matrix.indptr))[:64]


def from_many(name, build, suite, **rivals) -> Case:
    name = f"bfs from 64 sources, {name}, kept graph"
    rivals = {"one by one": one_by_one, **rivals}
    return Case(name, build, ours_from_many, rivals, suite, resident=True, agree=agree)


def grid():
    return inputs.grid(1000, 1000)


def cases(name, build, suite, *, dijkstra=True, both_ways=True):
    """Return the search alone from the matrix, from a kept graph, and with its tree."""
    order = {"scipy breadth_first_order": scipy_order}
    both = order | {"scipy dijkstra": scipy_dijkstra} if dijkstra else order
    gaps = gap.bfs_rivals(inputs.source_of) if both_ways else {}
    return [
        Case(f"bfs, {name}", build, ours, both, suite, agree=agree),
        Case(
            f"bfs, {name}, kept graph",
            build,
            gap.repeated(ours),
            order | gaps,
            suite,
            resident=True,
            agree=agree,
        ),
        Case(
            f"bfs with tree, {name}, kept graph",
            build,
            gap.repeated(ours_with_tree),
            order | gaps,
            suite,
            resident=True,
            agree=agree,
        ),
        Case(
            f"bfs, {name}, hops stay on the device",
            build,
            gap.repeated(ours_on_device),
            {"scipy breadth_first_order": scipy_order},
            suite,
            resident=True,
            devices=["cuda"],
            agree=agree,
        ),
    ]


CASES = [
    *cases("R-MAT scale 10", inputs.rmat_10, "smoke"),
    from_many("R-MAT scale 10", inputs.rmat_10, "smoke", scipy=scipy_from_many),
    *cases("R-MAT scale 20", inputs.rmat_20, "standard", dijkstra=False),
    from_many("R-MAT scale 20", inputs.rmat_20, "standard"),
    *cases(
        "R-MAT scale 20, directed",
        inputs.rmat_20_directed,
        "standard",
        dijkstra=False,
        both_ways=False,
    ),
    *cases("grid 1000 x 1000", grid, "standard"),
    *cases("grid 2048 x 2048", inputs.grid_2048, "standard", dijkstra=False),
    *cases("ny-road", inputs.ny_road, "standard"),
    *(cases("ne-road", inputs.northeast, "standard") if inputs.HAS_NORTHEAST else []),
    *cases("R-MAT scale 22", inputs.rmat_22, "large", dijkstra=False),
    *cases("SSCA2 scale 22", inputs.ssca2_22, "large", dijkstra=False),
    *cases("R-MAT scale 24", inputs.rmat_24, "large", dijkstra=False),
    *cases("grid 4900 x 4900", inputs.grid_4900, "large", dijkstra=False),
]

if __name__ == "__main__":
    main(__file__, CASES)
