"""wg.cluster.kneighbors_graph and core_distances against SciPy's k-d tree.

On a GPU the points are on the device beforehand, and cores and neighbours stay there: distances of
all neighbours, or only those to the last ones. The time includes the index. SciPy rounds distances
in another order, so the last digits may differ.
"""

from functools import cache, partial

import numpy as np
from scipy.spatial import cKDTree

import warpgraph as wg
from bench_emst import blobs, fast_uniform, normal, points_on_device
from harness import Case, Input, Once, main
from warpgraph import _core


def core_distances(x: Input, *, k: int):
    return wg.cluster.core_distances(x.matrix, k, device=x.device)


def last_of_scipy(x: Input, *, k: int):
    tree = cKDTree(x.matrix)
    return tree.query(x.matrix, [k], workers=x.threads)[0].ravel()


def graph(x: Input, *, k: int):
    return wg.cluster.kneighbors_graph(x.matrix, k, mode="distance", device=x.device).data


def all_of_scipy(x: Input, *, k: int):
    tree = cKDTree(x.matrix)
    return tree.query(x.matrix, k + 1, workers=x.threads)[0][:, 1:].ravel()


def agree(a, b) -> bool:
    return bool(np.allclose(a, b, rtol=1e-5, atol=1e-7))


@cache
def output(shape: tuple[int, ...], kind: type, device: str) -> _core.DeviceArray:
    return _core.device_array(shape, np.dtype(kind), device)


def on_device(x: Input, *, k: int, neighbours: bool):
    """Search on the device; return what is there."""
    n = len(x.matrix)
    ids = output((n, k), np.int32, x.device) if neighbours else None
    distances = output((n, k), np.float64, x.device) if neighbours else None
    last = None if neighbours else output((n,), np.float64, x.device)
    limit = 1 << 50
    _core.knn(points_on_device(x), ids, distances, last, x.device, limit, None, n_neighbors=k)
    return distances if neighbours else last


def on_cores(x: Input, *, k: int, neighbours: bool):
    if not neighbours:
        return wg.cluster.core_distances(x.matrix, k, device="cpu")
    graph = wg.cluster.kneighbors_graph(
        x.matrix, k, mode="distance", include_self=True, device="cpu"
    )
    return graph.data.reshape(-1, k)


def same(a, b) -> bool:
    return np.array_equal(a.to_numpy() if isinstance(a, _core.DeviceArray) else a, b)


def cases(name, build, k, suite="standard") -> list[Case]:
    make = partial(Case, build=build, suite=suite, resident=False, agree=agree)
    return [
        make(
            f"core_distances, {name}, min_samples {k}",
            ours=partial(core_distances, k=k),
            rivals={"scipy cKDTree": Once(partial(last_of_scipy, k=k))},
        ),
        make(
            f"kneighbors_graph, {name}, {k} neighbours",
            ours=partial(graph, k=k),
            rivals={"scipy cKDTree": Once(partial(all_of_scipy, k=k))},
        ),
    ]


def device_cases(name, build, k, suite="standard") -> list[Case]:
    make = partial(Case, build=build, suite=suite, resident=False, agree=same, devices=("cuda",))
    return [
        make(
            f"core_distances, {name}, min_samples {k}, all on the device",
            ours=partial(on_device, k=k, neighbours=False),
            rivals={"warpgraph cpu": Once(partial(on_cores, k=k, neighbours=False))},
        ),
        make(
            f"neighbours, {name}, {k} with the point itself, all on the device",
            ours=partial(on_device, k=k, neighbours=True),
            rivals={"warpgraph cpu": Once(partial(on_cores, k=k, neighbours=True))},
        ),
    ]


CASES = [
    *cases("1 thousand points, 3-D", normal(1_000, 3), 5, "smoke"),
    *cases("100 thousand points, 3-D", normal(100_000, 3), 5),
    *cases("1 million points, 3-D, float32", fast_uniform(1_000_000, 3), 5),
    *device_cases("3 thousand points, 3-D, float32", fast_uniform(3_000, 3), 5, "smoke"),
    *device_cases("1 million points, 2-D, float32", fast_uniform(1_000_000, 2), 5),
    *device_cases("1 million points, 3-D, float32", fast_uniform(1_000_000, 3), 5),
    *device_cases("1 million points, 3-D, float32", fast_uniform(1_000_000, 3), 15),
    *device_cases("1 million points, 3-D, float32", fast_uniform(1_000_000, 3), 50),
    *device_cases("1 million points, 3-D, float32", fast_uniform(1_000_000, 3), 256),
    *device_cases("1 million points in blobs, 3-D, float32", blobs(1_000_000, 3), 5),
    *device_cases("1 million points, 5-D, float32", fast_uniform(1_000_000, 5), 5),
    *device_cases("20 thousand points, 32-D, float32", normal(20_000, 32, np.float32), 5),
    *device_cases(
        "200 thousand points, 64-D, float32", normal(200_000, 64, np.float32), 5, "large"
    ),
    *device_cases("10 million points, 3-D, float32", fast_uniform(10_000_000, 3), 5, "large"),
]

if __name__ == "__main__":
    main(__file__, CASES)
