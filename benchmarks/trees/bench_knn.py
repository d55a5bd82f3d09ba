"""wg.cluster.kneighbors_graph and core_distances against scikit-learn's and SciPy's k-d trees.

scikit-learn is a rival if installed. Each builds its tree anew, as we do, and searches it with as
many threads as we have. SciPy's and scikit-learn's lists have the point itself first, as ours here.

On a GPU there are cases whose points are on the device beforehand, and whose results stay there.
The time includes the index. The CPU must find the same.
"""

import importlib.util
from functools import cache, partial

import numpy as np
from scipy.spatial import cKDTree

import warpgraph as wg
from benchmarks.harness import Case, Input, Once, main
from benchmarks.trees.bench_emst import points_on_device
from warpgraph import _core

SECTION = (
    "Nearest neighbours",
    "`wg.cluster.kneighbors_graph` and `core_distances` are compared with SciPy's and "
    "scikit-learn's k-d trees and with warpgraph on cores.",
)


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


def graph_case(name, build, k: int, suite="standard", device="cpu") -> Case:
    rivals = {rival: partial(call, k=k) for rival, call in RIVALS.items()}
    return Case(
        f"kneighbors_graph, {name}, k = {k}",
        build,
        partial(graph, k=k),
        {rival: Once(call) for rival, call in rivals.items()} if device == "cuda" else rivals,
        suite,
        resident=False,
        agree=agree,
        devices=(device,),
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


@cache
def output(shape: tuple[int, ...], kind: type, device: str) -> _core.DeviceArray:
    """Return memory for a result, the same at each call."""
    return _core.device_array(shape, np.dtype(kind), device)


def graph_on_device(x: Input, *, k: int):
    shape = (len(x.matrix), k)
    found = output(shape, np.int32, x.device), output(shape, np.float64, x.device)
    _core.knn(points_on_device(x), *found, None, x.device, None, None, n_neighbors=k)
    return found


def cores_on_device(x: Input, *, k: int):
    last = output((len(x.matrix),), np.float64, x.device)
    _core.knn(points_on_device(x), None, None, last, x.device, None, None, n_neighbors=k)
    return (last,)


def graph_on_cores(x: Input, *, k: int):
    found = wg.cluster.kneighbors_graph(
        x.matrix, k, mode="distance", include_self=True, device="cpu"
    )
    return found.indices.reshape(-1, k), found.data.reshape(-1, k)


def cores_on_cores(x: Input, *, k: int):
    return (wg.cluster.core_distances(x.matrix, k, device="cpu"),)


def same(a, b) -> bool:
    def on_host(part):
        return part.to_numpy() if isinstance(part, _core.DeviceArray) else part

    return all(np.array_equal(on_host(x), on_host(y)) for x, y in zip(a, b, strict=True))


def device_cases(name, build, k: int, suite="standard") -> list[Case]:
    make = partial(Case, build=build, suite=suite, resident=False, agree=same, devices=("cuda",))
    return [
        make(
            f"core_distances, {name}, min_samples = {k}, all on the device",
            ours=partial(cores_on_device, k=k),
            rivals={"warpgraph cpu": Once(partial(cores_on_cores, k=k))},
        ),
        make(
            f"neighbours, {name}, k = {k}, all on the device",
            ours=partial(graph_on_device, k=k),
            rivals={"warpgraph cpu": Once(partial(graph_on_cores, k=k))},
        ),
    ]


_SINGLE = np.float32

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
    *(
        graph_case(f"1 million points, {d}-D{of}", uniform(1_000_000, d, t), 15, device="cuda")
        for t, of in ((np.float64, ""), (_SINGLE, ", float32"))
        for d in (2, 3)
    ),
    *device_cases("3 thousand points, 3-D, float32", uniform(3_000, 3, _SINGLE), 5, "smoke"),
    *device_cases("1 million points, 2-D, float32", uniform(1_000_000, 2, _SINGLE), 5),
    *device_cases("1 million points, 3-D, float32", uniform(1_000_000, 3, _SINGLE), 5),
    *device_cases("1 million points, 3-D, float32", uniform(1_000_000, 3, _SINGLE), 15),
    *device_cases("1 million points, 3-D, float32", uniform(1_000_000, 3, _SINGLE), 64),
    *device_cases("1 million points, 3-D, float32", uniform(1_000_000, 3, _SINGLE), 256),
    *device_cases("1 million points, 5-D, float32", uniform(1_000_000, 5, _SINGLE), 5),
    *device_cases("1 million points around 50 centres, 3-D", blobs(1_000_000, 3), 5),
    *device_cases("20 thousand points, 32-D, float32", uniform(20_000, 32, _SINGLE), 16),
    *device_cases("10 million points, 3-D, float32", uniform(10_000_000, 3, _SINGLE), 5, "large"),
]

if __name__ == "__main__":
    main(__file__, CASES)
