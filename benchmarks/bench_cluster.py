"""wg.cluster.MSTClustering and single_linkage against scikit-learn and SciPy."""

import functools

import numpy as np
import scipy.sparse as sp
from scipy.cluster import hierarchy
from scipy.sparse import csgraph
from sklearn.cluster import AgglomerativeClustering

import warpgraph as wg
from harness import Case, Input, main

N_CLUSTERS = 20


def blobs(n: int):
    """Return a function that makes n points around 20 centres that single linkage tells apart."""

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


def tree(n: int):
    def build() -> wg.SpanningForest:
        return wg.cluster.euclidean_mst(np.random.default_rng(5).random((n, 2)), device="cpu")

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
    forest = csgraph.minimum_spanning_tree(x.matrix)
    forest.data[forest.data > 0.02] = 0
    forest.eliminate_zeros()
    return csgraph.connected_components(forest, directed=False)[1]


def link(x: Input):
    return wg.cluster.single_linkage(x.matrix)


def same_partition(a, b) -> bool:
    joint = np.unique(np.stack([a, b]), axis=1).shape[1]
    return joint == len(np.unique(a)) == len(np.unique(b))


points_case = functools.partial(Case, ours=fit_points, resident=False, agree=same_partition)
graph_case = functools.partial(
    Case, ours=fit_graph, rivals={"scipy": scipy_cut}, resident=False, agree=same_partition
)

CASES = [
    points_case(
        "MSTClustering, 500 points",
        blobs(500),
        rivals={"sklearn": sklearn_agglomerative, "scipy": scipy_linkage},
        suite="smoke",
    ),
    graph_case("MSTClustering, graph, 500 vertices", graph(500, 2_000), suite="smoke"),
    points_case(
        "MSTClustering, 10 thousand points",
        blobs(10_000),
        rivals={"sklearn": sklearn_agglomerative, "scipy": scipy_linkage},
    ),
    points_case("MSTClustering, 1 million points", blobs(1_000_000)),
    graph_case(
        "MSTClustering, graph, 100 thousand vertices, 2 million edges", graph(100_000, 2_000_000)
    ),
    Case(
        "single_linkage of a tree, 1 million points",
        tree(1_000_000),
        link,
        resident=False,
        size=lambda forest: {"vertices": forest.n_vertices, "edges": len(forest)},
        devices=("cpu",),
    ),
    points_case(
        "MSTClustering, 100 thousand points",
        blobs(100_000),
        rivals={"sklearn": sklearn_agglomerative},
        suite="large",
    ),
]

if __name__ == "__main__":
    main(__file__, CASES)
