"""wg.cluster.MSTClustering and single_linkage against scikit-learn and SciPy.

fast_hdbscan is a rival on graphs if it is installed: its forest, and SciPy's components. If a
dendrogram is made on a GPU, the tree and the dendrogram are on the GPU.
"""

import functools
import importlib.util

import numpy as np
import scipy.sparse as sp
from scipy.cluster import hierarchy
from scipy.sparse import csgraph
from sklearn.cluster import AgglomerativeClustering

import warpgraph as wg
from benchmarks import inputs
from benchmarks.experiments import clustering
from benchmarks.harness import Case, Input, Once, main
from warpgraph import _core
from warpgraph._trees.single_linkage import linkage_of

SECTION = (
    "Single linkage and clusters by a spanning tree",
    "`wg.cluster.MSTClustering` and `single_linkage` are compared with scikit-learn, SciPy and "
    "fast_hdbscan.",
)

N_CLUSTERS = 20


def blobs(n: int):
    """Return a function that makes n points around 20 centres that single linkage separates."""

    def build() -> np.ndarray:
        rng = np.random.default_rng(3)
        centres = 100 * np.stack(np.divmod(np.arange(N_CLUSTERS), 5), axis=1)
        return centres[rng.integers(0, N_CLUSTERS, n)] + rng.normal(size=(n, 2))

    return build


def graph(n: int, edges: int):
    def build() -> sp.csr_array:
        rng = np.random.default_rng(4)
        row, col = rng.integers(0, n, (2, edges))
        upper = sp.coo_array((rng.random(edges), (np.minimum(row, col), np.maximum(row, col))))
        upper.resize(n, n)
        matrix = upper.tocsr()
        return (matrix + matrix.T).tocsr()

    return build


def tree(n: int, d: int = 2, dtype=np.float64):
    def build() -> wg.SpanningForest:
        return wg.cluster.euclidean_mst(np.random.default_rng(5).random((n, d), dtype))

    return build


def fit_points(x: Input):
    model = wg.cluster.MSTClustering(n_clusters=N_CLUSTERS, device=x.device)
    return model.fit_predict(x.matrix)


def sklearn_agglomerative(x: Input):
    return AgglomerativeClustering(N_CLUSTERS, linkage="single").fit_predict(x.matrix)


def scipy_linkage(x: Input):
    return hierarchy.fcluster(hierarchy.linkage(x.matrix, "single"), N_CLUSTERS, "maxclust")


def fit_graph(x: Input):
    model = wg.cluster.MSTClustering(distance_threshold=0.02, metric="precomputed", device=x.device)
    return model.fit_predict(x.matrix)


def scipy_cut(x: Input):
    forest = csgraph.minimum_spanning_tree(inputs.for_scipy(x.matrix, one_triangle=True))
    forest.data[forest.data > 0.02] = 0
    forest.eliminate_zeros()
    return csgraph.connected_components(forest, directed=False)[1]


def random_tree(n: int):
    """Return a function that makes a random tree with edges in ascending order."""

    def build() -> wg.SpanningForest:
        rng = np.random.default_rng(6)
        names = rng.permutation(n)
        parents = (rng.random(n - 1) * np.arange(1, n)).astype(np.int64)
        edges = rng.permutation(np.stack([names[parents], names[1:]], axis=1))
        return wg.SpanningForest(n, edges, np.sort(rng.random(n - 1)))

    return build


def fast_hdbscan(x: Input):
    import numba
    from fast_hdbscan.hdbscan import compute_minimum_spanning_tree

    numba.set_num_threads(x.threads)
    edges = compute_minimum_spanning_tree(x.matrix, min_samples=1, metric="precomputed")[0]
    short = edges[edges[:, 2] <= 0.02]
    ends = short[:, :2].T.astype(np.int32)
    forest = sp.coo_array((short[:, 2], ends), x.matrix.shape)
    return csgraph.connected_components(forest, directed=False)[1]


class Resident:
    """The tree of the last input, on a device, and memory for its dendrogram."""

    def __init__(self) -> None:
        self.forest: wg.SpanningForest | None = None
        self.arrays: list[_core.DeviceArray] = []

    def of(self, forest: wg.SpanningForest, device: str):
        if self.forest is not forest:
            self.arrays = []  # frees the former ones first
            heights = forest.weights.astype(np.float64)
            for array in (forest.edges, heights, np.empty((len(forest), 4))):
                self.arrays.append(_core.device_array(array.shape, array.dtype, device))
                self.arrays[-1].set(array)
            self.forest = forest
        return self.arrays


RESIDENT = Resident()


def link(x: Input):
    """Make the dendrogram on the device of the tree."""
    if x.device == "cpu":
        return wg.cluster.single_linkage(x.matrix, device="cpu")
    ends, heights, linkage = RESIDENT.of(x.matrix, wg.devices()[1])
    return wg.cluster.single_linkage((ends, heights), out=linkage)


def union_find(x: Input):
    return linkage_of(x.matrix, "cpu", method="reference")


def same_linkage(a, b) -> bool:
    a, b = (z.to_numpy() if isinstance(z, _core.DeviceArray) else z for z in (a, b))
    return bool((a == b).all())


def same_partition(a, b) -> bool:
    joint = np.unique(np.stack([a, b]), axis=1).shape[1]
    return joint == len(np.unique(a)) == len(np.unique(b))


points_case = functools.partial(Case, ours=fit_points, resident=False, agree=same_partition)
FAST = {"fast_hdbscan": fast_hdbscan} if importlib.util.find_spec("fast_hdbscan") else {}
graph_case = functools.partial(Case, ours=fit_graph, resident=False, agree=same_partition)
tree_case = functools.partial(
    Case,
    ours=link,
    resident=False,
    rivals={"union-find on one core": Once(union_find)},
    agree=same_linkage,
    size=lambda forest: {"vertices": forest.n_vertices, "edges": len(forest)},
)

CASES = [
    points_case(
        "MSTClustering, 500 points",
        blobs(500),
        rivals={"sklearn": sklearn_agglomerative, "scipy": scipy_linkage},
        suite="smoke",
    ),
    graph_case(
        "MSTClustering, graph, 500 vertices",
        graph(500, 2_000),
        rivals={"scipy": scipy_cut},
        suite="smoke",
    ),
    points_case(
        "MSTClustering, 10 thousand points",
        blobs(10_000),
        rivals={"sklearn": sklearn_agglomerative, "scipy": scipy_linkage},
    ),
    points_case("MSTClustering, 1 million points", blobs(1_000_000)),
    points_case(
        "MSTClustering, 100 thousand points",
        blobs(100_000),
        rivals={"sklearn": sklearn_agglomerative},
        suite="large",
    ),
    graph_case(
        "MSTClustering, graph, 100 thousand vertices, 2 million edges",
        graph(100_000, 2_000_000),
        rivals={"scipy": scipy_cut, **FAST},
    ),
    tree_case("single_linkage of a tree, 1 million points", tree(1_000_000)),
    tree_case("single_linkage of a random tree, 1 million vertices", random_tree(1_000_000)),
    tree_case("single_linkage of a random tree, 10 million vertices", random_tree(10_000_000)),
    tree_case(
        "single_linkage of a random tree, 37 million edges", random_tree(37_000_001), suite="large"
    ),
    tree_case(
        "single_linkage of the tree of 37 million points in 3-D",
        tree(37_000_001, 3, np.float32),
        suite="large",
    ),
]

if __name__ == "__main__":
    main(__file__, [*CASES, *clustering.cases()])
