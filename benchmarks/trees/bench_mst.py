"""wg.minimum_spanning_forest against SciPy's, NetworkX's, ECL-MST and PBBS's filter-Kruskal.

On the CPU the timed call starts from the SciPy matrix, so it includes the checks of a wg.Graph and
the test for symmetry. On a GPU the forest is copied to the host, except in the cases named "edge
ids on the device": there the graph is on the device, the ids of the forest's edges stay there, and
scratch memory is limited to one and a half times the size of the arcs. The peak of scratch memory
is measured and reported beside the size.

The article's experiment on transformed graphs (see seed_003.py):

python -m benchmarks.trees.bench_mst --suite seed-003

Graphs of which a GPU holds half, with CPU threads (see hybrid_forest.py):

python -m benchmarks.trees.bench_mst --suite hybrid --device cuda --warmup 6
"""

import operator

import networkx as nx
import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs
from benchmarks.device_memory import DevicePeak
from benchmarks.experiments import seed_003
from benchmarks.harness import Case, Input, main
from benchmarks.rivals import ecl
from benchmarks.trees import hybrid_forest
from warpgraph import _core

SECTION = (
    "Spanning forests",
    "`wg.minimum_spanning_forest` is compared with SciPy, with PBBS on cores, and with ECL-MST "
    "on a GPU.",
)

#: Limit on scratch memory of a solve on the device, in sizes of heads and weights.
_SCRATCH = 1.5


def ours(x: Input):
    return inputs.whole(wg.minimum_spanning_forest(x.graph, device=x.device)).weights


class EdgeIdsOnDevice:
    """Writes the edge ids of a graph's forest to an array on the device, which it keeps."""

    def __init__(self) -> None:
        self._graph = None

    def __call__(self, x: Input):
        if self._graph is not x.graph:
            self._graph = x.graph
            self._out = _core.device_array(x.graph.n_vertices, np.dtype(np.int64), x.device)
            self._peak = DevicePeak(x.device)
        count = wg.minimum_spanning_forest(
            x.graph, out=self._out, device=x.device, memory_limit=int(_SCRATCH * arc_bytes(x.graph))
        )
        return x.matrix, self._out, count

    def size(self, matrix: sp.csr_array) -> dict[str, int]:
        """Return the size of the graph, and the peak of memory beside it and the ids."""
        return {
            "vertices": matrix.shape[0],
            "edges": matrix.nnz,
            "bytes of arcs": arc_bytes(self._graph),
            "peak bytes of scratch": self._peak.bytes(),
        }


def arc_bytes(graph: wg.Graph) -> int:
    """Return the bytes of the heads and weights of a graph."""
    return graph.indices.nbytes + graph.data.nbytes


def same_weight(found, weight) -> bool:
    """Compare the sum of the weights with that of another program."""
    matrix, out, count = found
    return int(matrix.data[out.to_numpy()[:count]].astype(np.int64).sum()) == weight


def scipy(x: Input):
    return csgraph.minimum_spanning_tree(x.matrix).data


def scipy_one_triangle(x: Input):
    """Give SciPy its best input, made beforehand: its own types, and each edge once."""
    matrix = inputs.for_scipy(x.matrix, one_triangle=True)
    return csgraph.minimum_spanning_tree(matrix).data


def networkx(x: Input):
    graph = nx.from_scipy_sparse_array(x.matrix)
    return [edge["weight"] for *_, edge in nx.minimum_spanning_edges(graph)]


def agree(weights, others) -> bool:
    """Compare the sorted weights, which all lightest forests share."""
    return np.array_equal(np.sort(weights), np.sort(others))


def floor_bytes(matrix: sp.csr_array) -> int:
    forest = matrix.shape[0] * (8 + 8 + matrix.data.itemsize)
    return matrix.indptr.nbytes + matrix.indices.nbytes + matrix.data.nbytes + forest


def rmat(scale, weights, dtype) -> sp.csr_array:
    return wg.generators.rmat(scale, seed=1, weights=weights, dtype=dtype).to_csr()


def grid(side) -> sp.csr_array:
    return wg.generators.grid(side, side, seed=1, weights=(1, 1000), dtype=np.int32).to_csr()


def ssca2(scale) -> sp.csr_array:
    return wg.generators.ssca2(scale, seed=1, dtype=np.float64).to_csr()


def case(name, suite, build, **rivals) -> Case:
    """Make a case; where SciPy is a rival, it gets the matrix, and also its best input."""
    if "scipy" in rivals:
        rivals["scipy, one triangle"] = scipy_one_triangle
    return Case(
        f"minimum_spanning_forest, {name}",
        build,
        ours,
        rivals,
        suite,
        agree=agree,
        floor_bytes=floor_bytes,
    )


def small_ssca2(scale, dtype) -> sp.csr_array:
    """Return cliques whose vertices have neighbouring numbers."""
    graph = wg.generators.ssca2(scale, seed=1, weights=(1, 255), dtype=dtype, relabel=False)
    return inputs.matrix_of(graph)


def on_device(name, suite, build) -> Case:
    """Return a case whose result stays on the device; ECL-MST has 32-bit weights only."""
    edge_ids = EdgeIdsOnDevice()
    return Case(
        f"minimum_spanning_forest, edge ids on the device, {name}",
        build,
        edge_ids,
        ecl.rivals() if name.endswith("int32") else {},
        suite,
        agree=same_weight,
        floor_bytes=lambda m: m.indptr.nbytes + m.indices.nbytes + m.data.nbytes + 8 * m.shape[0],
        size=edge_ids.size,
        devices=("cuda",),
    )


def weight_of_forest(x: Input) -> int:
    weights = inputs.whole(wg.minimum_spanning_forest(x.graph, device=x.device)).weights
    return int(weights.sum(dtype=np.int64))


def kept(name, suite, build) -> Case:
    """Return a case of a graph that stores edges both ways and is kept, as PBBS's is."""
    return Case(
        f"minimum_spanning_forest, {name}, kept graph",
        build,
        weight_of_forest,
        ecl.pbbs_rivals(),
        suite,
        resident=True,
        agree=operator.eq,
        floor_bytes=floor_bytes,
        devices=("cpu",),
    )


def ny_road(dtype) -> sp.csr_array:
    return wg.datasets.load("ny-road").to_csr().astype(dtype)


def ne_road(dtype) -> sp.csr_array:
    return inputs.northeast().astype(dtype)


def grid_of(side, dtype) -> sp.csr_array:
    return inputs.matrix_of(
        wg.generators.grid(side, side, removed=0.05, seed=1, weights=(1, 1000), dtype=dtype)
    )


def rmat_of(scale, dtype) -> sp.csr_array:
    return inputs.matrix_of(wg.generators.rmat(scale, seed=1, weights=(1, 255), dtype=dtype))


#: Graphs: suite, name, and a function that makes the graph with a dtype of weights.
ON_DEVICE = [
    ("standard", "ny-road", ny_road),
    *([("standard", "ne-road", ne_road)] if inputs.dimacs_file("NE") else []),
    ("standard", "grid 2048 x 2048", lambda dtype: grid_of(2048, dtype)),
    ("standard", "ssca2 20", lambda dtype: small_ssca2(20, dtype)),
    ("standard", "rmat 20", lambda dtype: rmat_of(20, dtype)),
    ("large", "grid 4900 x 4900", lambda dtype: grid_of(4900, dtype)),
    ("large", "ssca2 22", lambda dtype: small_ssca2(22, dtype)),
    ("large", "rmat 22", lambda dtype: rmat_of(22, dtype)),
]
TYPES = {
    "standard": (np.int32, np.float32, np.float64, np.int64),
    "large": (np.int32, np.float64),
}

CASES = [
    case("rmat 8, float64", "smoke", lambda: rmat(8, (1, 99), np.float64), scipy=scipy),
    case(
        "rmat 12, float64",
        "standard",
        lambda: rmat(12, "uniform", np.float64),
        scipy=scipy,
        networkx=networkx,
    ),
    case("ny-road, float64", "standard", lambda: wg.datasets.load("ny-road").to_csr(), scipy=scipy),
    case("grid 1024 x 1024, int32", "standard", lambda: grid(1024), scipy=scipy),
    case("rmat 18, float64", "standard", lambda: rmat(18, "uniform", np.float64), scipy=scipy),
    case(
        "road-like grid 1400 x 1400, float64",
        "standard",
        lambda: inputs.road_like(1400),
        scipy=scipy,
    ),
    case("ssca2 18, float64", "standard", lambda: ssca2(18), scipy=scipy),
    case("rmat 18, int32", "standard", lambda: rmat(18, (1, 255), np.int32), scipy=scipy),
    case("grid 4900 x 4900, int32", "large", lambda: grid(4900), scipy=scipy),
    case("rmat 20, float64", "large", lambda: rmat(20, "uniform", np.float64), scipy=scipy),
    case("rmat 20, int32", "large", lambda: rmat(20, (1, 255), np.int32), scipy=scipy),
    case("rmat 22, int32", "large", lambda: rmat(22, (1, 255), np.int32)),
    *(
        on_device(
            f"{name}, {np.dtype(dtype).name}", suite, lambda make=make, dtype=dtype: make(dtype)
        )
        for suite, name, make in ON_DEVICE
        for dtype in TYPES[suite]
    ),
    on_device("rmat 24, int32", "large", lambda: rmat_of(24, np.int32)),
    *(
        kept(f"{name}, int32", suite, lambda make=make: make(np.int32))
        for suite, name, make in ON_DEVICE
    ),
]

if __name__ == "__main__":
    main(__file__, [*CASES, *seed_003.cases(), *hybrid_forest.cases()])
