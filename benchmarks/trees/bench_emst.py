"""wg.cluster.euclidean_mst against installed exact programs, and SciPy's triangulation.

quitefastmst, fast_hdbscan and hdbscan are rivals if installed: pip install quitefastmst
fast_hdbscan hdbscan. The latter two compute the tree of plain distances, of one neighbour. With a
million points they take minutes, so each is timed once. Cases with min_samples are trees of mutual-
reachability distances; quitefastmst does not count the point itself, so its M is one less.
WARPGRAPH_PARALLEL_HDBSCAN may name parallel_hdbscan.cpp, compiled, as a rival there.

On a GPU there are cases whose points are on the device beforehand, and whose tree stays there or is
copied to the host. The time includes the index. The CPU must find the same tree.
"""

import importlib.util
import os
import tempfile
import time
from functools import cache, partial

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph
from scipy.spatial import Delaunay

import warpgraph as wg
from benchmarks.harness import Case, Input, Once, Timed, main
from benchmarks.rivals import gap
from warpgraph import _core

SECTION = (
    "Spanning trees of points",
    "`wg.cluster.euclidean_mst` is compared with other programs that find an exact tree.",
)


def uniform(n: int, d: int, dtype=np.float64):
    """Return a function that makes n points in the unit cube."""

    def build() -> np.ndarray:
        return np.random.default_rng(11).random((n, d)).astype(dtype)

    return build


def normal(n: int, d: int, dtype=np.float64):
    def build() -> np.ndarray:
        return np.random.default_rng(11).normal(size=(n, d)).astype(dtype)

    return build


def ours(x: Input):
    return wg.cluster.euclidean_mst(x.matrix, device=x.device).weights


def mutual(x: Input, *, min_samples: int):
    """Find the tree of mutual-reachability distances."""
    return wg.cluster.euclidean_mst(x.matrix, min_samples=min_samples, device=x.device).weights


def blobs(n: int, d: int, dtype=np.float32, centres: int = 100):
    """Return a function that makes n points around some centres in the unit cube."""

    def build() -> np.ndarray:
        rng = np.random.default_rng(11)
        points = rng.random((centres, d), dtype)[rng.integers(0, centres, n)]
        points += dtype(0.02) * rng.standard_normal((n, d), dtype)
        return points

    return build


_on_device = {}


def points_on_device(x: Input) -> _core.DeviceArray:
    """Return the points on the device; those of the last input are kept."""
    if _on_device.get("matrix") is not x.matrix:
        points = _core.device_array(x.matrix.shape, x.matrix.dtype, x.device)
        points.set(x.matrix)
        _on_device.clear()
        _on_device.update(matrix=x.matrix, points=points)
    return _on_device["points"]


@cache
def tree_output(n: int, device: str):
    """Return memory for a tree of n points, the same at each call."""
    shapes = ((n - 1, 2), np.dtype(np.int32)), ((n - 1,), np.dtype(np.float64))
    if device == "cpu":
        return tuple(np.empty(shape, kind) for shape, kind in shapes)
    return tuple(_core.device_array(shape, kind, device) for shape, kind in shapes)


def on_device(x: Input, *, to_host: bool, min_samples: int):
    """Find the tree of points on the device; return edges and weights in the order of the tree."""
    out = tree_output(len(x.matrix), "cpu" if to_host else x.device)
    return wg.cluster.euclidean_mst(points_on_device(x), min_samples=min_samples, out=out)


def on_cores(x: Input, *, min_samples: int):
    forest = wg.cluster.euclidean_mst(x.matrix, min_samples=min_samples, device="cpu")
    return forest.edges, forest.weights


def same_tree(a, b) -> bool:
    def on_host(part):
        return part.to_numpy() if isinstance(part, _core.DeviceArray) else part

    return all(np.array_equal(on_host(x), on_host(y)) for x, y in zip(a, b, strict=True))


def delaunay(x: Input):
    """The tree of all points is a subgraph of their triangulation."""
    corners = Delaunay(x.matrix).simplices
    pairs = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    lengths = np.linalg.norm(x.matrix[pairs[:, 0]] - x.matrix[pairs[:, 1]], axis=1)
    n = len(x.matrix)
    graph = sp.coo_array((lengths, pairs.T), (n, n)).tocsr()
    return csgraph.minimum_spanning_tree(graph).data


def quitefastmst(x: Input, *, min_samples: int = 1):
    import quitefastmst

    quitefastmst.omp_set_num_threads(x.threads)
    return quitefastmst.mst_euclid(x.matrix, min_samples - 1)[0]


def parallel_hdbscan(x: Input, *, min_samples: int) -> Timed:
    """Return the weight of the tree and the median time of three trials."""
    n, d = x.matrix.shape
    with tempfile.NamedTemporaryFile() as file:
        np.ascontiguousarray(x.matrix, np.float64).tofile(file.name)
        program = os.environ["WARPGRAPH_PARALLEL_HDBSCAN"]
        seconds, printed = gap.run_trials([program, file.name, d, n, min_samples, 3], x, 3)
    return Timed(seconds, gap.number_in(printed, r"Weight: ([\d.e+-]+)", float))


_compiled_for: set[int] = set()


def fast_hdbscan(x: Input) -> Timed:
    import numba
    from fast_hdbscan.hdbscan import compute_minimum_spanning_tree

    numba.set_num_threads(x.threads)
    if x.matrix.shape[1] not in _compiled_for:  # it compiles at the first call
        compute_minimum_spanning_tree(x.matrix[:1000].copy(), min_samples=1)
        _compiled_for.add(x.matrix.shape[1])
    start = time.perf_counter()
    lengths = compute_minimum_spanning_tree(x.matrix, min_samples=1)[0][:, 2]
    return Timed(time.perf_counter() - start, lengths)


def hdbscan(x: Input):
    from hdbscan._hdbscan_boruvka import KDTreeBoruvkaAlgorithm
    from sklearn.neighbors import KDTree

    tree = KDTree(x.matrix, leaf_size=40)
    search = KDTreeBoruvkaAlgorithm(
        tree, 1, leaf_size=13, approx_min_span_tree=False, n_jobs=x.threads
    )
    return search.spanning_tree()[:, 2]


def agree(a, b) -> bool:
    """Compare the lengths of edges in the unit cube, which fast_hdbscan rounds, or their sum.

    Not all rivals return them in order.
    """
    if isinstance(b, float):
        return bool(np.isclose(a.sum(), b, rtol=1e-9))
    return len(a) == len(b) and bool(np.allclose(np.sort(a), np.sort(b), rtol=1e-5, atol=1e-7))


def installed(**rivals) -> dict:
    return {name: call for name, call in rivals.items() if importlib.util.find_spec(name)}


RIVALS = installed(quitefastmst=quitefastmst)
SLOW_RIVALS = installed(fast_hdbscan=fast_hdbscan, hdbscan=hdbscan)


def rivals_of_a_million() -> dict:
    return {**RIVALS, **{name: Once(call) for name, call in SLOW_RIVALS.items()}}


def case(name, build, suite="standard", rivals=None) -> Case:
    return Case(
        f"euclidean_mst, {name}",
        build,
        ours,
        RIVALS if rivals is None else rivals,
        suite,
        resident=False,
        agree=agree,
    )


def mutual_case(name, build, min_samples: int, suite="standard") -> Case:
    rivals = {rival: partial(call, min_samples=min_samples) for rival, call in RIVALS.items()}
    if "WARPGRAPH_PARALLEL_HDBSCAN" in os.environ:
        rivals["parallel hdbscan*"] = Once(partial(parallel_hdbscan, min_samples=min_samples))
    return Case(
        f"euclidean_mst, {name}, min_samples {min_samples}",
        build,
        partial(mutual, min_samples=min_samples),
        rivals,
        suite,
        resident=False,
        agree=agree,
        devices=("cpu",),
    )


def device_cases(name, build, suite="standard", min_samples=1) -> list[Case]:
    make = partial(
        Case, build=build, suite=suite, resident=False, agree=same_tree, devices=("cuda",)
    )
    name = f"euclidean_mst, {name}" + (f", min_samples {min_samples}" if min_samples > 1 else "")
    call = partial(on_device, min_samples=min_samples)
    return [
        make(
            f"{name}, all on the device",
            ours=partial(call, to_host=False),
            rivals={"warpgraph cpu": Once(partial(on_cores, min_samples=min_samples))},
        ),
        make(f"{name}, tree to the host", ours=partial(call, to_host=True)),
    ]


def fast_uniform(n: int, d: int):
    """Return a function that makes n points of float32 in the unit cube, drawn as float32."""

    def build() -> np.ndarray:
        return np.random.default_rng(11).random((n, d), np.float32)

    return build


CASES = [
    case(
        "1 thousand points, 2-D", uniform(1_000, 2), "smoke", {**RIVALS, "scipy Delaunay": delaunay}
    ),
    case("300 points, 12-D", normal(300, 12), "smoke"),
    case(
        "100 thousand points, 2-D",
        uniform(100_000, 2),
        rivals={**RIVALS, "scipy Delaunay": delaunay},
    ),
    case("100 thousand points, 5-D", uniform(100_000, 5), rivals={**RIVALS, **SLOW_RIVALS}),
    case("1 million points, 2-D", uniform(1_000_000, 2), rivals=rivals_of_a_million()),
    case("1 million points, 2-D, float32", uniform(1_000_000, 2, np.float32)),
    case("1 million points, 3-D", uniform(1_000_000, 3), rivals=rivals_of_a_million()),
    case("1 million points, 5-D", uniform(1_000_000, 5), rivals=rivals_of_a_million()),
    *(
        case(f"100 thousand points around 50 centres, {d}-D", blobs(100_000, d, np.float64, 50))
        for d in (2, 3, 5)
    ),
    mutual_case("1 thousand points, 2-D", uniform(1_000, 2), 5, "smoke"),
    *(
        mutual_case(f"1 million points{place}, {d}-D", points, min_samples)
        for d in (2, 3, 5)
        for place, points in (
            ("", uniform(1_000_000, d)),
            (" around 50 centres", blobs(1_000_000, d, np.float64, 50)),
        )
        for min_samples in (5, 15)
    ),
    case("20 thousand points, 32-D, float32", normal(20_000, 32, np.float32)),
    case("10 million points, 3-D, float32", uniform(10_000_000, 3, np.float32), "large"),
    case("37 million points, 3-D, float32", fast_uniform(37_000_000, 3), "large"),
    case("200 thousand points, 64-D, float32", normal(200_000, 64, np.float32), "large"),
    *device_cases("3 thousand points, 3-D, float32", fast_uniform(3_000, 3), "smoke"),
    *device_cases("1 million points, 2-D, float32", fast_uniform(1_000_000, 2)),
    *device_cases("1 million points, 3-D, float32", fast_uniform(1_000_000, 3)),
    *device_cases("1 million points, 5-D, float32", fast_uniform(1_000_000, 5)),
    *device_cases("3 thousand points, 3-D, float32", fast_uniform(3_000, 3), "smoke", 5),
    *device_cases("1 million points, 2-D, float32", fast_uniform(1_000_000, 2), min_samples=5),
    *device_cases("1 million points, 3-D, float32", fast_uniform(1_000_000, 3), min_samples=5),
    *device_cases("1 million points, 5-D, float32", fast_uniform(1_000_000, 5), min_samples=5),
    *device_cases("1 million points, 3-D, float32", fast_uniform(1_000_000, 3), min_samples=15),
    *device_cases("1 million points, 3-D, float32", fast_uniform(1_000_000, 3), min_samples=50),
    *device_cases("1 million points in blobs, 3-D, float32", blobs(1_000_000, 3), min_samples=5),
    *device_cases("10 million points, 3-D, float32", fast_uniform(10_000_000, 3), "large"),
    *device_cases("10 million points, 3-D, float32", fast_uniform(10_000_000, 3), "large", 5),
    *device_cases("10 million points in blobs, 3-D, float32", blobs(10_000_000, 3), "large"),
    *device_cases("37 million points, 3-D, float32", fast_uniform(37_000_000, 3), "large"),
]

if __name__ == "__main__":
    main(__file__, CASES)
