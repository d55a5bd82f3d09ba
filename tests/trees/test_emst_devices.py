"""euclidean_mst of points on devices, into arrays of the caller."""

import numpy as np
import pytest

import checks
import warpgraph as wg
from warpgraph import _core
from warpgraph.cluster import euclidean_mst

#: The first GPU, if there is one.
over_gpus = pytest.mark.parametrize("gpu", wg.devices()[1:2])


def assert_same_tree(forest, wanted):
    np.testing.assert_array_equal(forest.edges, wanted.edges)
    np.testing.assert_array_equal(forest.weights, wanted.weights)


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
@over_gpus
def test_devices_agree_on_many_points(d, gpu):
    """Enough points for several levels of boxes; a quarter of them near one point."""
    n = 3_000 if checks.EMULATED else 60_000
    drawn = np.random.default_rng(d).random((n, d))
    drawn[: n // 4] *= 1e-6
    drawn[0] = -9999  # so far that all others are at equal distance
    for points in (drawn, drawn.astype(np.float32), drawn.round(1 + 3 // d)):
        wanted = euclidean_mst(points, device="cpu")
        assert_same_tree(euclidean_mst(points, device=gpu), wanted)


def empty_tree(n):
    return np.empty((n - 1, 2), np.int32), np.empty(n - 1)


def test_out_is_written(device):
    points = np.random.default_rng(4).random((300, 2))
    out = empty_tree(300)
    assert euclidean_mst(points, device=device, out=out) is out
    wanted = euclidean_mst(points, device=device)
    np.testing.assert_array_equal(out[0], wanted.edges)
    np.testing.assert_array_equal(out[1], wanted.weights)


def two_views_of_the_same():
    weights = np.empty(4)
    return weights.view(np.int32).reshape(4, 2), weights


def test_out_that_is_the_points():
    points = np.arange(8.0)[:, None]
    with pytest.raises(ValueError, match="share memory with each other or with X"):
        euclidean_mst(points, out=(np.empty((7, 2), np.int32), points[1:, 0]))


@over_gpus
def test_overflow_is_detected_on_a_device(gpu):
    points = np.array([[1.7e308], [-1.7e308], [1.7e308]])
    tree = (
        _core.device_array((2, 2), np.dtype(np.int32), gpu),
        _core.device_array(2, np.dtype(np.float64), gpu),
    )
    with pytest.raises(OverflowError, match="divide X"):
        euclidean_mst(points, out=tree)
    euclidean_mst(np.array([[0.0], [-1.7e308], [1.7e308]]), out=tree)
    assert tree[1].to_numpy().tolist() == [1.7e308, 1.7e308]


@pytest.mark.parametrize(
    ("out", "error", "sentence"),
    [
        (np.empty((4, 2), np.int32), TypeError, r"pair \(edges, weights\)"),
        ((None, np.empty(4)), TypeError, r"out\[0\] must be an array"),
        (empty_tree(6), ValueError, r"out\[0\] must be .* shape \(4, 2\)"),
        ((np.empty((4, 2), np.int64), np.empty(4)), ValueError, "int32"),
        ((np.empty((4, 2), np.int32), np.empty(4, np.float32)), ValueError, r"out\[1\].*float64"),
        (two_views_of_the_same(), ValueError, "share memory"),
    ],
)
def test_bad_out(out, error, sentence):
    with pytest.raises(error, match=sentence):
        euclidean_mst(np.arange(10.0).reshape(5, 2), out=out)


@over_gpus
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 2), (700, 3), (90, 11)])
def test_points_and_tree_stay_on_the_device(dtype, shape, gpu):
    points = np.random.default_rng(7).random(shape).astype(dtype)
    there = _core.device_array(shape, np.dtype(dtype), gpu)
    there.set(points)
    wanted = euclidean_mst(points, device="cpu")
    edges = _core.device_array((shape[0] - 1, 2), np.dtype(np.int32), gpu)
    weights = _core.device_array((shape[0] - 1,), np.dtype(np.float64), gpu)
    for device in ("auto", gpu):
        assert euclidean_mst(there, device=device, out=(edges, weights))[0] is edges
        np.testing.assert_array_equal(edges.to_numpy(), wanted.edges)
        np.testing.assert_array_equal(weights.to_numpy(), wanted.weights)
        assert_same_tree(euclidean_mst(there, device=device), wanted)
    assert euclidean_mst(points, out=(edges, weights))[1] is weights
    np.testing.assert_array_equal(edges.to_numpy(), wanted.edges)


@over_gpus
def test_arrays_on_a_device_are_not_for_the_cores(gpu):
    there = _core.device_array((5, 2), np.dtype(np.float64), gpu)
    there.set(np.arange(10.0).reshape(5, 2))
    with pytest.raises(ValueError, match="X lies on cuda"):
        euclidean_mst(there, device="cpu")
    edges = _core.device_array((4, 2), np.dtype(np.int32), gpu)
    with pytest.raises(ValueError, match="lies on cuda"):
        euclidean_mst(np.zeros((5, 2)), device="cpu", out=(edges, np.empty(4)))
    there.set(np.array([[0, 0], [0, 0], [0, 0], [0, np.nan], [0, 0]]))
    with pytest.raises(ValueError, match="row 3 of X has NaN in column 1"):
        euclidean_mst(there)
