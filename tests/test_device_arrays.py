"""out= on a CUDA device: results that stay there."""

import numpy as np
import pytest

import checks
import warpgraph as wg
from graphs import ZOO, csr
from sssp_support import DTYPES, SQUARE, assert_same
from warpgraph import _core

needs_gpu = pytest.mark.skipif(len(wg.devices()) < 2, reason="there is no GPU")


class Shown:
    """An object that claims to be an array on a device."""

    def __init__(self, **interface):
        whole = {"shape": (4,), "typestr": "<f8", "data": (0, False), "version": 3}
        self.__cuda_array_interface__ = whole | interface


@needs_gpu
@pytest.mark.parametrize("method", ["auto", "near_far", "bellman_ford"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_distances_stay_on_the_device(method, dtype):
    graph = wg.Graph(ZOO["medium_random"])
    options = {"dtype": dtype, "method": method, "return_predecessors": True}
    expected = wg.sssp(graph, 3, device="cuda", **options)
    out = _core.DeviceArray(graph.n_vertices, np.dtype(dtype), "cuda")
    for device in ("auto", "cuda:0"):
        distances, tree = wg.sssp(graph, 3, out=out, device=device, **options)
        assert distances is out
        assert_same(out.to_numpy(), expected[0])
        assert_same(tree, expected[1])


@needs_gpu
def test_targets_are_gathered_on_the_device():
    graph = wg.Graph(ZOO["medium_random"])
    everywhere = wg.sssp(graph, 3, device="cpu")
    for targets in ([9, 0, 1400, 9], [3], []):
        out = _core.DeviceArray(len(targets), np.dtype(np.float64), "cuda")
        assert wg.sssp(graph, 3, targets=targets, out=out) is out
        assert_same(out.to_numpy(), everywhere[targets])


@needs_gpu
def test_overflow_is_reported_all_the_same():
    graph = csr(3, [(0, 1, 2**30), (1, 2, 2**30)], np.int32)
    out = _core.DeviceArray(3, np.dtype(np.int32), "cuda")
    with checks.raises_sentence(OverflowError, "(1, 2)"):
        wg.sssp(graph, 0, dtype="int32", out=out)


@pytest.mark.parametrize(
    ("interface", "parts"),
    [
        ({"shape": (3,)}, ("(3,)", "(4,)")),
        ({"shape": (4, 1)}, ("(4, 1)", "(4,)")),
        ({"typestr": "<f4"}, ("float32", "float64")),
        ({"data": (0, True)}, ("writable",)),
        ({"strides": (16,)}, ("C-contiguous",)),
        ({"mask": object()}, ("mask",)),
    ],
)
def test_arrays_that_do_not_fit(interface, parts):
    with checks.raises_sentence(ValueError, "out", *parts):
        wg.sssp(csr(4, SQUARE), 0, out=Shown(**interface))


def test_the_work_must_be_done_where_the_array_lies():
    with checks.raises_sentence(ValueError, "out", "cuda:0", "cpu"):
        wg.sssp(csr(4, SQUARE), 0, out=Shown(), device="cpu")


@needs_gpu
def test_host_memory_is_no_device_array():
    host = np.empty(4)
    with checks.raises_sentence(ValueError, "cpu", "cuda:0"):
        wg.sssp(csr(4, SQUARE), 0, out=Shown(data=(host.ctypes.data, False)), device="cuda")


@needs_gpu
def test_strides_in_order_are_no_strides():
    out = _core.DeviceArray(4, np.dtype(np.float64), "cuda")
    same = Shown(**out.__cuda_array_interface__, strides=(8,))
    assert wg.sssp(csr(4, SQUARE), 0, out=same) is same
    assert out.to_numpy().tolist() == [0, 1, 3, 4.5]


@pytest.mark.skipif(len(wg.devices()) > 1, reason="there is a GPU")
def test_no_device_no_array():
    with pytest.raises(wg.DeviceError):
        _core.DeviceArray(4, np.dtype(np.float64), "cuda")
    with pytest.raises(wg.DeviceError):
        wg.sssp(csr(4, SQUARE), 0, out=Shown(data=(8, False)))
