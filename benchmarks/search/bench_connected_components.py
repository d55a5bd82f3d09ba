"""wg.connected_components against SciPy's, weak and strong, and GAP's weak ones if given."""

from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, main
from benchmarks.rivals import gap
from warpgraph import _core

SECTION = (
    "Connected components",
    "`wg.connected_components` (weak and strong components) is compared with SciPy and GAP.",
)


def weak(x: Input):
    return wg.connected_components(x.graph, device=x.device)


def weak_on_device(x: Input):
    """Leave the labels on the device, to time the search alone."""
    contestant = f"components of a {type(x.graph).__name__}"
    out = inputs.device_output(x.device, x.matrix.shape[0], np.int32, contestant)
    return wg.connected_components(x.graph, out=out, device=x.device)


def strong(x: Input):
    return wg.connected_components(x.graph, connection="strong", device=x.device)


def scipy_undirected(x: Input):
    return csgraph.connected_components(x.matrix, directed=False)


def scipy_weak(x: Input):
    return csgraph.connected_components(x.matrix, connection="weak")


def scipy_strong(x: Input):
    """Return components by the search for strong ones, SciPy's fastest method here."""
    return csgraph.connected_components(x.matrix, connection="strong")


def sequential(x: Input):
    """Tarjan's algorithm in the core, to measure the gain of removing the giant component first."""
    graph = wg.Graph(x.matrix)
    labels = np.empty(graph.n_vertices, np.int32)
    return wg._core.strong_components_reference(graph._handle, labels), labels


def agree(a, b) -> bool:
    if isinstance(b, gap.Components):
        return a[0] == b
    labels = [
        found.to_numpy() if isinstance(found, _core.DeviceArray) else found
        for found in (a[1], b[1])
    ]
    return a[0] == b[0] and len(np.unique(np.stack(labels), axis=1).T) == a[0]


def floor_bytes(matrix) -> int:
    return matrix.indptr.nbytes + matrix.indices.nbytes + 4 * matrix.shape[0]


def random_graph(n: int, arcs: int) -> sp.csr_array:
    """Return `arcs` random arcs over `n` vertices."""
    rng = np.random.default_rng(7)
    row, col = rng.integers(0, n, (2, arcs), np.int32)
    return sp.coo_array((np.ones(arcs), (row, col)), (n, n)).tocsr()


def small() -> sp.csr_array:
    return random_graph(1_000, 1_200)


def sparse() -> sp.csr_array:
    return random_graph(1_000_000, 2_000_000)


def case(name, build, suite, ours, **rivals) -> Case:
    return Case(name, build, ours, rivals, suite, agree=agree, floor_bytes=floor_bytes)


def kept(name, build, suite) -> Case:
    """Return weak components of a graph that stores edges both ways and is kept."""
    rivals = {"scipy": scipy_undirected} | gap.components_rivals()
    name = f"weak, {name}, kept graph"
    return Case(name, build, gap.repeated(weak), rivals, suite, resident=True, agree=agree)


def on_device(name, build, suite) -> Case:
    """Return the same with labels that stay on the device."""
    return Case(
        f"weak, {name}, labels stay on the device",
        build,
        gap.repeated(weak_on_device),
        {"scipy": scipy_undirected},
        suite,
        resident=True,
        devices=["cuda"],
        agree=agree,
    )


def both(name, build, suite) -> list[Case]:
    return [kept(name, build, suite), on_device(name, build, suite)]


CASES = [
    *both("ny-road", inputs.ny_road, "standard"),
    *(both("ne-road", inputs.northeast, "standard") if inputs.HAS_NORTHEAST else []),
    *both("grid 2048 x 2048", inputs.grid_2048, "standard"),
    *both("R-MAT scale 20", inputs.rmat_20, "standard"),
    *both("grid 4900 x 4900", inputs.grid_4900, "large"),
    *both("R-MAT scale 22", inputs.rmat_22, "large"),
    *both("SSCA2 scale 22", inputs.ssca2_22, "large"),
    case("weak, random, 1 thousand vertices", small, "smoke", weak, scipy=scipy_undirected),
    on_device("random, 1 thousand vertices", small, "smoke"),
    case("strong, random, 1 thousand vertices", small, "smoke", strong, scipy=scipy_strong),
    case(
        "weak, R-MAT scale 20",
        inputs.rmat_20,
        "standard",
        weak,
        scipy_undirected=scipy_undirected,
        scipy_weak=scipy_weak,
        scipy_strong=scipy_strong,
    ),
    case(
        "weak, R-MAT scale 20, directed",
        inputs.rmat_20_directed,
        "standard",
        weak,
        scipy=scipy_weak,
    ),
    case(
        "strong, R-MAT scale 20, directed",
        inputs.rmat_20_directed,
        "standard",
        strong,
        scipy=scipy_strong,
        tarjan=sequential,
    ),
    case("weak, random, 1 million vertices", sparse, "standard", weak, scipy=scipy_weak),
    case(
        "strong, random, 1 million vertices",
        sparse,
        "standard",
        strong,
        scipy=scipy_strong,
        tarjan=sequential,
    ),
    case("weak, ny-road", inputs.ny_road, "standard", weak, scipy=scipy_weak),
    case(
        "strong, ny-road", inputs.ny_road, "standard", strong, scipy=scipy_strong, tarjan=sequential
    ),
    case("weak, R-MAT scale 24", inputs.rmat_24, "large", weak, scipy_strong=scipy_strong),
    on_device("R-MAT scale 24", inputs.rmat_24, "large"),
    case(
        "strong, R-MAT scale 24, directed",
        partial(inputs.rmat, 24, directed=True),
        "large",
        strong,
        scipy=scipy_strong,
    ),
]

if __name__ == "__main__":
    main(__file__, CASES)
