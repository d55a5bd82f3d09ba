"""wg.minimum_spanning_forest against SciPy's and NetworkX's.

On the CPU the timed call starts from the SciPy matrix, so it includes the checks of a wg.Graph and
the look whether the matrix is symmetric.

The article's experiment on transformed graphs (see seed_003.py):

python benchmarks/bench_mst.py --suite seed-003

CPU threads beside a GPU (see hybrid_forest.py):

python benchmarks/bench_mst.py --suite hybrid --device cuda --warmup 5
"""

import networkx as nx
import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import hybrid_forest
import seed_003
import warpgraph as wg
from harness import Case, Input, main
from inputs import road_like


def ours(x: Input):
    return wg.minimum_spanning_forest(x.graph, device=x.device).weights


def scipy(x: Input):
    return csgraph.minimum_spanning_tree(x.matrix).data


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
    return Case(
        f"minimum_spanning_forest, {name}",
        build,
        ours,
        rivals,
        suite,
        agree=agree,
        floor_bytes=floor_bytes,
    )


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
        lambda: road_like(1400),
        scipy=scipy,
    ),
    case("ssca2 18, float64", "standard", lambda: ssca2(18), scipy=scipy),
    case("rmat 18, int32", "standard", lambda: rmat(18, (1, 255), np.int32), scipy=scipy),
    case("grid 4900 x 4900, int32", "large", lambda: grid(4900), scipy=scipy),
    case("rmat 20, float64", "large", lambda: rmat(20, "uniform", np.float64), scipy=scipy),
    case("rmat 20, int32", "large", lambda: rmat(20, (1, 255), np.int32), scipy=scipy),
    case("rmat 22, int32", "large", lambda: rmat(22, (1, 255), np.int32)),
]

if __name__ == "__main__":
    main(__file__, [*CASES, *seed_003.cases(), *hybrid_forest.cases()])
