"""Neighbours and trees of points under other metrics, and in many dimensions.

Rivals are scikit-learn's trees and its comparison of all pairs, and, if installed, FAISS's flat
index and hdbscan's single linkage tree: pip install faiss-cpu hdbscan. On a GPU, FAISS runs there
if it is built for one. All run on as many threads as we do; hdbscan computes its exact tree
(approx_min_span_tree=False), and does not count the point itself as a sample. It is no rival by
minkowski, of which it ignores the exponent.

A GPU compares all pairs by other metrics than minkowski. The CPU must find the same, bit for bit.
"""

import importlib.util
from functools import cache, partial

import numpy as np
from sklearn.neighbors import NearestNeighbors

import warpgraph as wg
from benchmarks.harness import Case, Input, Once, main
from benchmarks.trees.bench_knn import agree, blobs, uniform

SECTION = (
    "Other metrics, and many dimensions",
    "`wg.cluster.nearest_neighbors` and `mst_of_points` are compared with scikit-learn's trees "
    "and its comparison of all pairs, with FAISS's flat index, and with hdbscan's tree.",
)

MIN_SAMPLES = 5
METRICS = {"manhattan": {}, "chebyshev": {}, "minkowski": {"p": 3}}


def ours(x: Input, *, k: int, metric: str, p: float = 2.0):
    found = wg.cluster.nearest_neighbors(x.matrix, k, metric=metric, p=p, device=x.device)
    return found.indices, found.distances


def scikit_learn(x: Input, *, k: int, algorithm: str, metric: str, p: float = 2.0):
    search = NearestNeighbors(
        n_neighbors=k, algorithm=algorithm, metric=metric, p=p, n_jobs=x.threads
    )
    distances, ids = search.fit(x.matrix).kneighbors(x.matrix)
    return ids, distances


@cache
def _resources_of_faiss():
    import faiss

    return faiss.StandardGpuResources()


def faiss_flat(x: Input, *, k: int):
    return in_faiss(x, x.matrix, k)


def in_faiss(x: Input, queries: np.ndarray, k: int):
    import faiss

    faiss.omp_set_num_threads(x.threads)
    index = faiss.IndexFlatL2(x.matrix.shape[1])
    if x.device != "cpu":
        index = faiss.index_cpu_to_gpu(_resources_of_faiss(), 0, index)
    index.add(x.matrix)
    squares, ids = index.search(queries, k)
    return ids, np.sqrt(np.maximum(squares, 0))


def nearly_agree(a, b) -> bool:
    """Compare distances but for those of points to themselves, which rivals compute as sums.

    FAISS subtracts products in float32, which leaves four digits of distances within a blob.
    """
    return bool(np.allclose(a[1][:, 1:], b[1][:, 1:], rtol=1e-3))


def tree(x: Input, *, metric: str, p: float = 2.0):
    options = {"metric": metric, "p": p, "device": x.device}
    return wg.cluster.mst_of_points(x.matrix, min_samples=MIN_SAMPLES, **options).weights


def hdbscan_tree(x: Input, *, metric: str):
    import hdbscan

    model = hdbscan.HDBSCAN(
        min_samples=MIN_SAMPLES - 1,
        metric=metric,
        approx_min_span_tree=False,
        core_dist_n_jobs=x.threads,
    ).fit(x.matrix)
    return model.single_linkage_tree_.to_numpy()[:, 2]


def same_weights(a, b) -> bool:
    return len(a) == len(b) and bool(np.allclose(a, np.sort(b), rtol=1e-9))


def by_metrics(name, build, k: int = 15, suite: str = "standard") -> list[Case]:
    return [
        Case(
            f"nearest_neighbors, {name}, {metric}, k = {k}",
            build,
            partial(ours, k=k, metric=metric, **options),
            {
                f"scikit-learn {kind}": partial(
                    scikit_learn, k=k, algorithm=kind, metric=metric, **options
                )
                for kind in ("kd_tree", "ball_tree")
            },
            suite,
            resident=False,
            agree=agree,
            devices=("cpu",),
        )
        for metric, options in METRICS.items()
    ]


def trees(name, build, suite: str = "standard") -> list[Case]:
    has_rival = importlib.util.find_spec("hdbscan") is not None

    def rivals(metric: str) -> dict[str, Once]:
        if metric == "minkowski" or not has_rival:
            return {}
        return {"hdbscan": Once(partial(hdbscan_tree, metric=metric))}

    return [
        Case(
            f"mst_of_points, {name}, {metric}, min_samples = {MIN_SAMPLES}",
            build,
            partial(tree, metric=metric, **options),
            rivals(metric),
            suite,
            resident=False,
            agree=same_weights,
            devices=("cpu",) if metric == "minkowski" else ("cpu", "cuda"),
        )
        for metric, options in METRICS.items()
    ]


def bits(n: int, width: int):
    """Return a function that makes n rows of random bits."""

    def build() -> np.ndarray:
        return np.random.default_rng(11).random((n, width)) < 0.3

    return build


def are_equal(a, b) -> bool:
    return all(np.array_equal(part, other) for part, other in zip(a, b, strict=True))


def on_gpus(name, build, metric: str, k: int = 15, suite: str = "standard") -> list[Case]:
    def edges_and_weights(x: Input):
        options = {"metric": metric, "device": x.device}
        found = wg.cluster.mst_of_points(x.matrix, min_samples=MIN_SAMPLES, **options)
        return found.edges, found.weights

    return [
        Case(title, build, call, {}, suite, resident=False, agree=are_equal)
        for title, call in (
            (f"nearest_neighbors, {name}, {metric}, k = {k}", partial(ours, k=k, metric=metric)),
            (
                f"mst_of_points, {name}, {metric}, min_samples = {MIN_SAMPLES}",
                edges_and_weights,
            ),
        )
    ]


def many_dimensions(name, build, k: int = 15, suite: str = "standard") -> list[Case]:
    cases = []
    for metric in ("euclidean", "cosine"):
        brute = partial(scikit_learn, k=k, algorithm="brute", metric=metric)
        rivals = {"scikit-learn brute": brute}
        if metric == "euclidean" and importlib.util.find_spec("faiss"):
            rivals["faiss IndexFlatL2"] = partial(faiss_flat, k=k)
        cases.append(
            Case(
                f"nearest_neighbors, {name}, {metric}, k = {k}",
                build,
                partial(ours, k=k, metric=metric),
                rivals,
                suite,
                resident=False,
                agree=nearly_agree,
                devices=("cuda",) if suite == "large" else ("cpu", "cuda"),
            )
        )
    return cases


N_QUERIES = 10_000


def of_queries(x: Input, *, k: int):
    """Search for points that are moved, among all points."""
    how = {"queries": x.matrix[:N_QUERIES] + np.float32(0.01), "device": x.device}
    found = wg.cluster.nearest_neighbors(x.matrix, k, **how)
    return found.indices, found.distances


def queries_in_faiss(x: Input, *, k: int):
    return in_faiss(x, x.matrix[:N_QUERIES] + np.float32(0.01), k)


def queries(name, build, k: int = 15, suite: str = "large") -> Case:
    has_faiss = importlib.util.find_spec("faiss") is not None
    return Case(
        f"nearest_neighbors of {N_QUERIES:,} queries, {name}, k = {k}",
        build,
        partial(of_queries, k=k),
        {"faiss IndexFlatL2": partial(queries_in_faiss, k=k)} if has_faiss else {},
        suite,
        resident=False,
        agree=nearly_agree,
    )


CASES = [
    *by_metrics("1 thousand points, 3-D", uniform(1_000, 3), 5, "smoke"),
    *trees("1 thousand points, 3-D", uniform(1_000, 3), "smoke"),
    *many_dimensions("500 points, 64-D, float32", uniform(500, 64, np.float32), 5, "smoke"),
    *on_gpus("500 rows of 100 bits", bits(500, 100), "jaccard", 5, "smoke"),
    *on_gpus("20 thousand points, 128-D, float32", uniform(20_000, 128, np.float32), "manhattan"),
    *on_gpus("100 thousand points, 3-D", uniform(100_000, 3), "manhattan"),
    *on_gpus("50 thousand rows of 1024 bits", bits(50_000, 1024), "hamming"),
    *(
        case
        for d in (2, 3, 5, 8)
        for case in by_metrics(f"50 thousand points, {d}-D", uniform(50_000, d))
    ),
    *by_metrics("20 thousand points around 50 centres, 16-D", blobs(20_000, 16)),
    *trees("50 thousand points, 2-D", uniform(50_000, 2)),
    *trees("50 thousand points around 50 centres, 5-D", blobs(50_000, 5)),
    *many_dimensions("20 thousand points, 128-D, float32", uniform(20_000, 128, np.float32)),
    *many_dimensions("10 thousand points, 768-D, float32", uniform(10_000, 768, np.float32)),
    *many_dimensions("20 thousand points around 50 centres, 128-D", blobs(20_000, 128)),
    *many_dimensions(
        "200 thousand points, 128-D, float32", uniform(200_000, 128, np.float32), 15, "large"
    ),
    *many_dimensions(
        "50 thousand points, 768-D, float32", uniform(50_000, 768, np.float32), 15, "large"
    ),
    queries("500 thousand points, 128-D, float32", uniform(500_000, 128, np.float32)),
]

if __name__ == "__main__":
    main(__file__, CASES)
