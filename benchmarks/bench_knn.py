"""wg.cluster.kneighbors_graph and core_distances against scikit-learn's and SciPy's k-d trees.

scikit-learn is a rival if installed. Each builds its tree anew, as we do, and searches it with as
many threads as we have. SciPy's and scikit-learn's lists have the point itself first, as ours here.
"""

import importlib.util
from functools import partial

import numpy as np
from scipy.spatial import cKDTree

import warpgraph as wg
from harness import Case, Input, main


def uniform(n: int, d: int, dtype=np.float64):
    """Return a function that makes n points in the unit cube."""

    def build() -> np.ndarray:
        return np.random.default_rng(11).random((n, d)).astype(dtype)

    return build


def blobs(n: int, d: int, centres: int = 50):
    """Return a function that makes n points around some centres in the unit cube."""

    def build() -> np.ndarray:
        rng = np.random.default_rng(11)
        points = rng.random((centres, d))[rng.integers(0, centres, n)]
        points += 0.02 * rng.standard_normal((n, d))
        return points

    return build


def graph(x: Input, *, k: int):
    """Return ids and distances of the neighbours, as matrices."""
    found = wg.cluster.kneighbors_graph(
        x.matrix, k, mode="distance", include_self=True, device=x.device
    )
    return found.indices.reshape(-1, k), found.data.reshape(-1, k)


def scipy_tree(x: Input, *, k: int):
    distances, ids = cKDTree(x.matrix).query(x.matrix, k, workers=x.threads)
    return ids, distances


def scikit_learn(x: Input, *, k: int):
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=k, algorithm="kd_tree", n_jobs=x.threads).fit(x.matrix)
    distances, ids = search.kneighbors(x.matrix)
    return ids, distances


def cores(x: Input, *, k: int):
    return wg.cluster.core_distances(x.matrix, k, device=x.device)


def scipy_cores(x: Input, *, k: int):
    return cKDTree(x.matrix).query(x.matrix, [k], workers=x.threads)[0][:, 0]


def agree(a, b) -> bool:
    """Compare distances: rivals round them differently, and break ties as they come."""
    return bool(np.allclose(a[1], b[1], rtol=1e-5, atol=1e-7))


def agree_on_cores(a, b) -> bool:
    return bool(np.allclose(a, b, rtol=1e-5, atol=1e-7))


RIVALS = {"scipy cKDTree": scipy_tree}
if importlib.util.find_spec("sklearn"):
    RIVALS["scikit-learn"] = scikit_learn


def graph_case(name, build, k: int, suite="standard") -> Case:
    return Case(
        f"kneighbors_graph, {name}, k = {k}",
        build,
        partial(graph, k=k),
        {rival: partial(call, k=k) for rival, call in RIVALS.items()},
        suite,
        resident=False,
        agree=agree,
        devices=("cpu",),
    )


def core_case(name, build, k: int, suite="standard") -> Case:
    return Case(
        f"core_distances, {name}, min_samples = {k}",
        build,
        partial(cores, k=k),
        {"scipy cKDTree": partial(scipy_cores, k=k)},
        suite,
        resident=False,
        agree=agree_on_cores,
        devices=("cpu",),
    )


CASES = [
    graph_case("1 thousand points, 2-D", uniform(1_000, 2), 5, "smoke"),
    core_case("1 thousand points, 3-D", uniform(1_000, 3), 15, "smoke"),
    *(
        graph_case(f"100 thousand points, {d}-D", uniform(100_000, d), k)
        for d in (2, 3, 5)
        for k in (5, 16, 64)
    ),
    graph_case("100 thousand points, 3-D", uniform(100_000, 3), 256),
    graph_case("100 thousand points around 50 centres, 5-D", blobs(100_000, 5), 16),
    graph_case("20 thousand points, 16-D, float32", uniform(20_000, 16, np.float32), 16),
    *(core_case(f"1 million points, {d}-D", uniform(1_000_000, d), 15) for d in (2, 3)),
]

if __name__ == "__main__":
    main(__file__, CASES)
