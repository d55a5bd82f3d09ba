"""Neighbours, and trees of mutual-reachability distances, are the same on GPUs as on the cores."""

import numpy as np
import pytest

import checks
import warpgraph as wg
from checks import raises_sentence
from warpgraph import _core
from warpgraph._trees.emst import unchecked_tree
from warpgraph.cluster import (
    core_distances,
    euclidean_mst,
    kneighbors_graph,
    nearest_neighbors,
    single_linkage,
)

over_gpus = pytest.mark.parametrize("gpu", wg.devices()[1:2])

rng = np.random.default_rng(21)
FAMILIES = {
    "one point": np.zeros((1, 3)),
    "two points": np.array([[1.0], [4.0]]),
    "identical": np.full((300, 2), 0.1),
    "lattice": rng.permutation(np.argwhere(np.ones((25, 20)))).astype(float),
    "solid lattice": rng.permutation(np.argwhere(np.ones((7, 7, 7)))).astype(float),
    "few distinct": rng.integers(0, 3, (400, 3)).astype(float),
    "repeated and mixed": rng.permutation(
        np.r_[np.repeat(rng.random((40, 4)), 9, 0), rng.random((200, 4))]
    ),
    "one far point": rng.permutation(np.r_[rng.random((600, 3)), np.full((1, 3), 1e30)]),
    "underflowing": rng.random((300, 2)) * 1e-170,
    "overflowing": np.where(rng.random((200, 3)) < 0.5, 1e160, 1.0) * rng.random((200, 3)),
    "mostly underflowing": np.where(
        rng.random((300, 1)) < 0.7, 1e-180 * rng.integers(0, 3, (300, 2)), rng.random((300, 2))
    ),
    "many copies, 12-D": rng.permutation(
        np.r_[np.zeros((400, 12)), np.repeat(rng.random((3, 12)), 120, 0), rng.random((400, 12))]
    ),
    "clusters, 40-D": rng.permutation(
        np.repeat(rng.random((9, 40)), 90, 0) + 1e-3 * rng.standard_normal((810, 40))
    ),
    "far from 0, 16-D": 1e7 + rng.random((700, 16)),
    "one far point, 16-D": np.r_[rng.random((600, 16)), np.full((1, 16), 1e30)],
    "overflowing, 10-D": np.where(rng.random((300, 10)) < 0.5, 1e160, 1.0) * rng.random((300, 10)),
    "underflowing, 10-D": rng.random((300, 10)) * 1e-170,
    "1100 points, 33-D": rng.random((1100, 33)),
    "lattice, 10-D": rng.integers(0, 2, (900, 10)).astype(float),
    "repeated, 20-D": rng.permutation(np.repeat(rng.random((60, 20)), 5, 0)),
    **{f"uniform {d}-D": rng.random((400, d)) for d in (1, 2, 3, 4, 5, 6, 7, 8, 9, 20)},
}
#: One of each kind of list: in registers, of two lengths, and heaps.
COUNTS = (1, 2, 5, 9, 16, 17, 40, 256)


def of_type(points, dtype):
    with np.errstate(over="ignore", under="ignore"):
        points = points.astype(dtype)
    return np.where(np.isfinite(points), points, np.finfo(dtype).max)


def on_gpu(points, gpu):
    there = _core.device_array(points.shape, points.dtype, gpu)
    there.set(points)
    return there


def assert_same_tree(points, gpu, min_samples, alpha=1.0):
    trees = (
        unchecked_tree(points, device, min_samples=min_samples, alpha=alpha)
        for device in (gpu, "cpu")
    )
    for found, wanted in zip(*trees, strict=True):
        np.testing.assert_array_equal(found, wanted)


def assert_same_graph(points, gpu, k, **options):
    found, wanted = (
        kneighbors_graph(points, k, mode="distance", device=device, **options)
        for device in (gpu, "cpu")
    )
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_array_equal(found.data, wanted.data)


@over_gpus
@pytest.mark.parametrize("points", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_trees(points, dtype, gpu):
    points = of_type(points, dtype)
    for min_samples in COUNTS:
        if min_samples <= len(points):
            assert_same_tree(points, gpu, min_samples)


@over_gpus
@pytest.mark.parametrize("name", ["lattice", "repeated and mixed", "uniform 3-D", "uniform 9-D"])
@pytest.mark.parametrize("alpha", [0.5, 1.3, 2.0])
def test_alpha(name, alpha, gpu):
    for dtype in (np.float32, np.float64):
        for min_samples in (1, 5, 20):
            assert_same_tree(FAMILIES[name].astype(dtype), gpu, min_samples, alpha)


@over_gpus
@pytest.mark.parametrize("points", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours(points, dtype, gpu):
    points = of_type(points, dtype)
    n = len(points)
    for k in COUNTS:
        if k <= n:
            assert_same_graph(points, gpu, k, include_self=True)
            np.testing.assert_array_equal(
                core_distances(points, k, device=gpu), core_distances(points, k, device="cpu")
            )
        if k < n:
            assert_same_graph(points, gpu, k)


@over_gpus
@pytest.mark.parametrize("d", [9, 24, 130])
def test_many_points_of_many_dimensions(d, gpu):
    """Enough points for several rounds of products; some have too many copies for their lists."""
    n = 1_300 if checks.EMULATED else 30_000
    drawn = np.random.default_rng(d).random((n, d))
    drawn[: n // 4] = drawn[0] + 1e-3 * drawn[: n // 4]
    drawn[n // 4 : n // 2] = drawn[n // 4]
    for points in (drawn, drawn.astype(np.float32)):
        assert_same_graph(points, gpu, 15)


def assert_same_neighbours_of(queries, points, gpu, k, **options):
    found, wanted = (
        nearest_neighbors(points, k, queries=queries, device=device, **options)
        for device in (gpu, "cpu")
    )
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_array_equal(found.distances, wanted.distances)


@over_gpus
@pytest.mark.filterwarnings("ignore:points differ by less than")  # beside the farthest
@pytest.mark.parametrize("name", [name for name in FAMILIES if FAMILIES[name].shape[1] > 8])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_of_queries(name, dtype, gpu):
    """Queries are some of the points, points beside them, and points far from all."""
    points = of_type(FAMILIES[name], dtype)
    d = points.shape[1]
    beside = points[:40] + of_type(1e-3 * np.random.default_rng(1).random((40, d)), dtype)
    farthest = np.finfo(dtype).max if dtype == np.float32 else 1e150  # squares are beyond it
    far = np.full((3, d), [[1e3], [1e15], [farthest]], dtype)
    queries = of_type(np.r_[points[::7], np.where(np.isfinite(beside), beside, 0), far], dtype)
    for k in (1, 5, 40, 128):
        if k <= len(points):
            assert_same_neighbours_of(queries, points, gpu, k)
    for same in (points, points[:5], points[len(points) // 2 :]):  # each finds itself
        assert_same_neighbours_of(same, points, gpu, 2)


@over_gpus
def test_one_query_and_cosine_of_queries(gpu):
    points = np.random.default_rng(3).random((700, 30))
    assert_same_neighbours_of(points[:1] + 1e-3, points, gpu, 7)
    assert_same_neighbours_of(points[:50] - 0.4, points, gpu, 7, metric="cosine")
    assert_same_neighbours_of(points[:50] - 0.4, points[:1], gpu, 1)


@over_gpus
def test_few_points_of_very_many_dimensions(gpu):
    """They take no panels, which would be nearly empty."""
    points = np.zeros((4, 200_000), np.float32)
    found = nearest_neighbors(points, 2, device=gpu, memory_limit="16MB")
    assert found.indices.tolist() == [[0, 1], [1, 0], [2, 0], [3, 0]]


@over_gpus
def test_queries_that_only_cores_search_for(gpu):
    points = np.random.default_rng(3).random((300, 9))
    with raises_sentence(wg.DeviceError, "8 dimensions", "got 3 dimensions"):
        nearest_neighbors(points[:, :3], 2, queries=points[:, :3], device=gpu)
    with raises_sentence(wg.DeviceError, "128 neighbours", "129 neighbours"):
        nearest_neighbors(points, 129, queries=points, device=gpu)
    with raises_sentence(wg.DeviceError, "CPU only"):
        nearest_neighbors(points, 2, queries=points, metric="manhattan", device=gpu)


@over_gpus
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_many_points(d, gpu):
    """Enough points for several levels of boxes; a quarter of them near one point."""
    n = 2_500 if checks.EMULATED else 60_000
    drawn = np.random.default_rng(d).random((n, d))
    drawn[: n // 4] *= 1e-6
    drawn[0] = -9999  # so far that all others are at equal distance
    for points in (drawn, drawn.astype(np.float32), drawn.round(1 + 3 // d)):
        for min_samples in (5, 15, 40):
            assert_same_tree(points, gpu, min_samples)
        assert_same_graph(points, gpu, 5)
        assert_same_graph(points, gpu, 30)


@pytest.mark.heavy
@over_gpus
@pytest.mark.parametrize("d", [2, 3, 5])
def test_a_million_points(d, gpu):
    drawn = np.random.default_rng(d)
    centres = drawn.random((100, d), np.float32)
    around = centres[drawn.integers(0, 100, 1_000_000)]
    for points in (
        drawn.random((1_000_000, d), np.float32),
        around + np.float32(0.02) * drawn.standard_normal((1_000_000, d), np.float32),
    ):
        for min_samples in (5, 15):
            assert_same_tree(points, gpu, min_samples)


@over_gpus
@pytest.mark.parametrize("shape", [(700, 3), (90, 11)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_and_tree_stay_on_the_device(shape, dtype, gpu):
    points = np.random.default_rng(7).random(shape).astype(dtype)
    wanted = euclidean_mst(points, min_samples=5, device="cpu")
    edges = _core.device_array((shape[0] - 1, 2), np.dtype(np.int32), gpu)
    weights = _core.device_array((shape[0] - 1,), np.dtype(np.float64), gpu)
    out = euclidean_mst(on_gpu(points, gpu), min_samples=5, out=(edges, weights))
    np.testing.assert_array_equal(out[0].to_numpy(), wanted.edges)
    np.testing.assert_array_equal(out[1].to_numpy(), wanted.weights)


@over_gpus
@pytest.mark.parametrize("shape", [(700, 3), (90, 11)])
@pytest.mark.parametrize("k", [1, 6, 30])
def test_points_and_neighbours_stay_on_the_device(shape, k, gpu):
    points = np.random.default_rng(8).random(shape)
    there = on_gpu(points, gpu)
    n = shape[0]
    wanted = np.empty((n, k), np.int32), np.empty((n, k)), np.empty(n)
    _core.knn_reference(points, *wanted, n_neighbors=k)
    found = [_core.device_array(part.shape, part.dtype, gpu) for part in wanted]
    _core.knn(there, *found, gpu, _core.ledger(1 << 30), None, n_neighbors=k)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a.to_numpy(), b)
    graph = kneighbors_graph(there, k, mode="distance", include_self=True)
    np.testing.assert_array_equal(graph.data.reshape(n, k), wanted[1])
    np.testing.assert_array_equal(core_distances(there, k), wanted[2])


@over_gpus
@pytest.mark.parametrize("min_samples", [1, 5, 20])
def test_dendrogram_of_points_on_the_device(min_samples, gpu):
    points = np.random.default_rng(9).random((500, 3)).round(2)
    wanted = single_linkage(points, min_samples=min_samples, device="cpu")
    there = on_gpu(points, gpu)
    np.testing.assert_array_equal(single_linkage(there, min_samples=min_samples), wanted)
    matrix = _core.device_array(wanted.shape, wanted.dtype, gpu)
    assert single_linkage(there, min_samples=min_samples, out=matrix) is matrix
    np.testing.assert_array_equal(matrix.to_numpy(), wanted)


@over_gpus
def test_cosine_on_the_device(gpu):
    points = np.random.default_rng(10).normal(size=(200, 4))
    assert_same_graph(points, gpu, 7, metric="cosine")
    assert_same_graph(on_gpu(points, gpu).to_numpy(), gpu, 7, metric="cosine")


@over_gpus
def test_memory_limit(gpu):
    points = np.random.default_rng(0).random((10_000, 2))
    with raises_sentence(MemoryError, "tree of 10000 points needs", "memory_limit"):
        euclidean_mst(points, min_samples=5, device=gpu, memory_limit=999)
    with raises_sentence(MemoryError, "neighbours of 10000 points needs", "memory_limit"):
        core_distances(points, 5, device=gpu, memory_limit=999)


@over_gpus
@pytest.mark.parametrize(
    "call",
    [
        lambda points, **options: euclidean_mst(points, min_samples=5, **options).weights,
        lambda points, **options: core_distances(points, 30, **options),
        lambda points, **options: core_distances(points, 30, metric="chebyshev", **options),
    ],
    ids=["tree", "cores", "cores by a metric"],
)
def test_progress_and_interrupts(call, gpu):
    points = np.random.default_rng(0).random((2000, 2))
    seen = []
    found = call(points, device=gpu, progress=lambda *counts: seen.append(counts))
    assert seen
    assert seen == sorted(seen)
    assert len({total for _, total in seen}) == 1
    assert seen[-1][0] == seen[-1][1]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(points, device=gpu, progress=stop)
    np.testing.assert_array_equal(call(points, device=gpu), found)
