"""wg.connected_components against SciPy's."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import warpgraph as wg
from harness import Case, Input, main


def random_graph(n: int, arcs: int) -> sp.csr_array:
    """Return `arcs` random arcs over `n` vertices."""
    rng = np.random.default_rng(7)
    row, col = rng.integers(0, n, (2, arcs), np.int32)
    return sp.coo_array((np.ones(arcs), (row, col)), (n, n)).tocsr()


def ours(x: Input):
    return wg.connected_components(x.graph, device=x.device)


def scipy(x: Input):
    return csgraph.connected_components(x.matrix, directed=False)


def agree(a, b) -> bool:
    return a[0] == b[0] and len(np.unique(np.stack([a[1], b[1]]), axis=1).T) == a[0]


def floor_bytes(matrix) -> int:
    return matrix.indptr.nbytes + matrix.indices.nbytes + 4 * matrix.shape[0]


def small() -> sp.csr_array:
    return random_graph(1_000, 1_200)


def sparse() -> sp.csr_array:
    return random_graph(1_000_000, 2_000_000)


def case(name, build, suite) -> Case:
    return Case(
        f"connected_components, {name}",
        build,
        ours,
        {"scipy": scipy},
        suite,
        agree=agree,
        floor_bytes=floor_bytes,
    )


CASES = [
    case("random, 1 thousand vertices", small, "smoke"),
    case("random, 1 million vertices", sparse, "standard"),
]

if __name__ == "__main__":
    main(__file__, CASES)
