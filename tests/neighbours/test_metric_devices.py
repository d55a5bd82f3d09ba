"""Under other metrics, neighbours and trees are the same on GPUs as on the cores, bit for bit."""

import numpy as np
import pytest

import checks
import warpgraph as wg
from checks import raises_sentence
from test_metrics import BITS, NUMBERS
from warpgraph import _core
from warpgraph.cluster import (
    HDBSCAN,
    MSTClustering,
    core_distances,
    kneighbors_graph,
    mst_of_points,
    nearest_neighbors,
)

over_gpus = pytest.mark.parametrize("gpu", wg.devices()[1:2])
over_metrics = pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "hamming"])
over_bits = pytest.mark.parametrize("metric", ["hamming", "jaccard"])

rng = np.random.default_rng(41)
FAMILIES = {
    **NUMBERS,
    "two points in one column": np.array([[1.0], [4.0]]),
    "repeated": rng.permutation(np.repeat(rng.random((60, 20)), 5, 0)),
    "lattice": rng.permutation(np.argwhere(np.ones((12, 13)))).astype(float),
    "more than a block": rng.integers(0, 9, (400, 4)).astype(float),
    "300 dimensions": rng.normal(size=(140, 300)),
    "few codes of 300": rng.integers(0, 2, (140, 300)).astype(float),
    "as many as a step": rng.random((130, 8)),
    "beyond a step": rng.random((130, 9)),
    "one far point": rng.permutation(np.r_[rng.random((200, 3)), np.full((1, 3), 1e30)]),
    "overflowing": np.where(rng.random((150, 3)) < 0.5, 1.7e308, 1) * rng.uniform(-1, 1, (150, 3)),
}


def of_type(points, dtype):
    with np.errstate(over="ignore", under="ignore"):
        points = points.astype(dtype)
    return np.where(np.isfinite(points), points, np.copysign(np.finfo(dtype).max, points))


def outcome(function, *given, **options):
    """Return the result of a call, or the sentence of its overflow."""
    try:
        return function(*given, **options)
    except OverflowError as error:
        return str(error)


def assert_same_neighbours(points, metric, gpu):
    n = len(points)
    for k in sorted({1, min(2, n), min(17, n), min(70, n), n}):
        for own in (True, False):
            if k + (not own) > n:
                continue
            how = {"metric": metric, "include_self": own}
            found = outcome(nearest_neighbors, points, k, device=gpu, **how)
            wanted = outcome(nearest_neighbors, points, k, device="cpu", **how)
            if isinstance(wanted, str):
                assert found == wanted
                continue
            np.testing.assert_array_equal(found.indices, wanted.indices)
            np.testing.assert_array_equal(found.distances, wanted.distances)
            assert not np.signbit(found.distances).any()
        cores = outcome(core_distances, points, k, device=gpu, metric=metric)
        wanted = outcome(core_distances, points, k, device="cpu", metric=metric)
        np.testing.assert_array_equal(cores, wanted)


@over_gpus
@over_metrics
@pytest.mark.parametrize("points", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers(points, dtype, metric, gpu):
    assert_same_neighbours(of_type(points, dtype), metric, gpu)


def test_some_distances_overflow():
    """The families have what the tests above are to compare."""
    points = FAMILIES["overflowing"]
    by = {"metric": "manhattan", "device": "cpu"}
    assert np.isfinite(nearest_neighbors(points, 2, **by).distances).all()
    with raises_sentence(OverflowError, "manhattan", "divide X"):
        nearest_neighbors(points, len(points), **by)


@over_gpus
@over_bits
@pytest.mark.parametrize("bits", BITS.values(), ids=BITS)
def test_bits(bits, metric, gpu):
    assert_same_neighbours(bits, metric, gpu)


@over_gpus
def test_codes(gpu):
    codes = np.random.default_rng(5).integers(0, 5, (190, 30)) + 2**52
    assert_same_neighbours(codes, "hamming", gpu)


@over_gpus
def test_other_names_of_these_metrics(gpu):
    points = NUMBERS["uniform"]
    for given in ({"metric": "l1"}, {"metric": "infinity"}, {"metric": "minkowski", "p": 1}):
        found, wanted = (nearest_neighbors(points, 9, device=at, **given) for at in (gpu, "cpu"))
        np.testing.assert_array_equal(found.indices, wanted.indices)
        np.testing.assert_array_equal(found.distances, wanted.distances)


@over_gpus
@over_metrics
def test_many_points(metric, gpu):
    """More blocks of threads than a device runs at a time."""
    n = 700 if checks.EMULATED else 40_000
    points = np.random.default_rng(1).integers(0, 50, (n, 6)).astype(float)
    found, wanted = (
        kneighbors_graph(points, 12, mode="distance", metric=metric, device=device)
        for device in (gpu, "cpu")
    )
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_array_equal(found.data, wanted.data)


@over_gpus
@over_bits
def test_many_rows_of_bits(metric, gpu):
    n = 500 if checks.EMULATED else 20_000
    bits = np.random.default_rng(2).random((n, 1000)) < 0.1
    found, wanted = (
        nearest_neighbors(bits, 20, metric=metric, device=device) for device in (gpu, "cpu")
    )
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_array_equal(found.distances, wanted.distances)


@over_gpus
def test_results_are_the_same_arrays_of_the_device(gpu):
    points = np.random.default_rng(8).random((300, 11))
    n, k = len(points), 6
    there = _core.device_array(points.shape, points.dtype, gpu)
    there.set(points)
    shapes = [((n, k), np.int32), ((n, k), np.float64), ((n,), np.float64)]
    found = [_core.device_array(shape, np.dtype(kind), gpu) for shape, kind in shapes]
    how = ("manhattan", 2.0, 11, False)
    ledger = _core.ledger(1 << 30)
    _core.nearest_by_metric(there, None, *how, *found, gpu, ledger, None, n_neighbors=k)
    wanted = nearest_neighbors(points, k, metric="manhattan", device="cpu")
    np.testing.assert_array_equal(found[0].to_numpy(), wanted.indices)
    np.testing.assert_array_equal(found[1].to_numpy(), wanted.distances)
    np.testing.assert_array_equal(found[2].to_numpy(), wanted.distances[:, -1])
    own = nearest_neighbors(there, k, metric="manhattan", device=gpu)
    np.testing.assert_array_equal(own.indices, wanted.indices)


@over_gpus
def test_powers_are_for_cores(gpu):
    points = NUMBERS["uniform"]
    with raises_sentence(wg.DeviceError, "minkowski", "CPU only", gpu):
        nearest_neighbors(points, 3, metric="minkowski", p=3, device=gpu)
    for device in ([gpu, gpu], ["cpu", gpu]):
        with pytest.raises(wg.DeviceError) as of_pairs:
            nearest_neighbors(points, 3, metric="manhattan", device=device)
        with pytest.raises(wg.DeviceError) as of_boxes:
            nearest_neighbors(points, 3, device=device)
        assert str(of_pairs.value) == str(of_boxes.value)


@over_gpus
def test_the_plan_names_the_device_and_the_method(gpu):
    for n in (10, 100_000):
        made = wg.explain(nearest_neighbors, np.zeros((n, 3)), 2, metric="manhattan", device=gpu)
        assert (made.devices, made.method) == ([gpu], "all pairs")
        made = wg.explain(nearest_neighbors, np.zeros((n, 3)), 2, metric="manhattan")
        assert made.devices == ["cpu"]


@over_gpus
def test_memory_limit(gpu):
    points = np.random.default_rng(0).random((10_000, 2))
    with raises_sentence(MemoryError, "neighbours of 10000 points needs", "memory_limit"):
        core_distances(points, 5, metric="manhattan", device=gpu, memory_limit=999)


def assert_same_tree(points, metric, gpu, **options):
    try:
        wanted = mst_of_points(points, metric=metric, device="cpu", **options)
    except OverflowError as error:
        with raises_sentence(OverflowError, str(error)):
            mst_of_points(points, metric=metric, device=gpu, **options)
        return
    found = mst_of_points(points, metric=metric, device=gpu, **options)
    np.testing.assert_array_equal(found.edges, wanted.edges)
    np.testing.assert_array_equal(found.weights, wanted.weights)


@over_gpus
@over_metrics
@pytest.mark.parametrize("points", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_trees_of_numbers(points, dtype, metric, gpu):
    points = of_type(points, dtype)
    assert_same_tree(points, metric, gpu)
    assert_same_tree(points, metric, gpu, min_samples=min(5, len(points)))
    assert_same_tree(points, metric, gpu, min_samples=min(2, len(points)), alpha=1.3)


@over_gpus
@over_bits
@pytest.mark.parametrize("bits", BITS.values(), ids=BITS)
def test_trees_of_bits(bits, metric, gpu):
    assert_same_tree(bits, metric, gpu)
    assert_same_tree(bits, metric, gpu, min_samples=min(7, len(bits)), alpha=0.7)


@over_gpus
@over_metrics
def test_trees_of_many_points(metric, gpu):
    """Enough points for several chunks of them."""
    n = 700 if checks.EMULATED else 20_000
    points = np.random.default_rng(1).integers(0, 50, (n, 6)).astype(float)
    assert_same_tree(points, metric, gpu)
    assert_same_tree(points, metric, gpu, min_samples=10)


@over_gpus
def test_the_tree_that_overflows_only_where_it_must(gpu):
    near = np.array([[-1e308, 0], [0, 0], [1e308, 0], [1e308, 1.0]])
    for metric in ("manhattan", "chebyshev"):
        assert_same_tree(near, metric, gpu)
        assert mst_of_points(near, metric=metric, device=gpu).weights[-1] == 1e308


@over_gpus
def test_clusters(gpu):
    drawn = np.random.default_rng(3)
    points = np.concatenate([drawn.normal(c, 0.1, (60, 12)) for c in range(4)])
    found, wanted = (
        HDBSCAN(10, 4, metric="manhattan", device=device).fit(points) for device in (gpu, "cpu")
    )
    assert wanted.n_clusters_ == 4
    np.testing.assert_array_equal(found.labels_, wanted.labels_)
    np.testing.assert_array_equal(found.mst_.edges, wanted.mst_.edges)
    cut, same = (
        MSTClustering(4, metric="chebyshev", device=device).fit(points) for device in (gpu, "cpu")
    )
    np.testing.assert_array_equal(cut.labels_, same.labels_)


@over_gpus
def test_limits_of_trees(gpu):
    points = np.random.default_rng(0).random((2000, 2))
    options = {"metric": "chebyshev", "device": gpu}
    with raises_sentence(MemoryError, "tree of 2000 points needs", "memory_limit"):
        mst_of_points(points, memory_limit=999, **options)
    with raises_sentence(wg.DeviceError, "minkowski", "CPU only", gpu):
        mst_of_points(points, metric="minkowski", p=3, device=gpu)
    made = wg.explain(mst_of_points, points, **options)
    assert (made.devices, made.method) == ([gpu], "all pairs")

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mst_of_points(points, min_samples=9, progress=stop, **options)
    assert_same_tree(points, "chebyshev", gpu, min_samples=9)
