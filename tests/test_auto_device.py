"""device="auto" where the GPU that it chose lacks memory."""

import inspect
import logging

import numpy as np
import pytest

import warpgraph as wg
from calls import CALLS, small_input
from warpgraph import _auto_device, _device

TAKE_A_DEVICE = [call for call in CALLS if "device" in call.parameters and not call.on_cores_alone]


@pytest.fixture
def gpu_without_memory(monkeypatch):
    """Let "auto" choose a GPU, whatever the size of the input, on which nothing can be allocated.

    Returns the devices that were resolved.
    """
    resolved = []
    resolve = _device.resolve

    def lacking(device, *, work=0, worthwhile=None):
        if worthwhile is not None:
            work, worthwhile = 1, 0
        found = resolve(device, work=work, worthwhile=worthwhile)
        resolved.append(found)
        if found != "cpu":
            raise MemoryError(f"allocating 8 bytes on {found} failed")
        return found

    monkeypatch.setattr(_device._core, "cuda_device_count", lambda: 1)
    monkeypatch.setattr(_device, "resolve", lacking)
    return resolved


@pytest.mark.parametrize("call", TAKE_A_DEVICE, ids=str)
def test_the_cores_take_a_call_for_which_the_gpu_lacks_memory(call, gpu_without_memory, caplog):
    data = small_input(call)
    expected = call.run(data, device="cpu")
    gpu_without_memory.clear()
    with caplog.at_level(logging.WARNING, logger="warpgraph"):
        found = call.run(data)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    warned = "device='auto' takes cpu, not cuda:0: allocating 8 bytes on cuda:0 failed"
    assert (warned in caplog.text) == ("cuda:0" in gpu_without_memory)


def test_most_functions_choose_a_gpu(gpu_without_memory):
    """Else the test above would not call the cores again."""
    chosen = []
    for call in TAKE_A_DEVICE:
        gpu_without_memory.clear()
        call.run(small_input(call))
        chosen.append("cuda:0" in gpu_without_memory)
    assert sum(chosen) > len(chosen) / 2


def test_the_cores_take_k_means_with_the_rows_that_were_drawn(gpu_without_memory):
    points = np.random.default_rng(0).random((200, 3))
    models = [
        wg.cluster.KMeans(
            7, init="random", random_state=np.random.default_rng(1), max_iter=1, device=device
        ).fit(points)
        for device in ("auto", "cpu")
    ]
    assert "cuda:0" in gpu_without_memory
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    np.testing.assert_array_equal(models[0].predict(points), models[1].predict(points))


def test_a_named_device_does_not_fall_back(monkeypatch):
    monkeypatch.setattr(_device._core, "require_device", lambda name: None)

    @_auto_device.cores_if_memory_lacks
    def fill(device):
        if (where := _device.resolve(device, work=1, worthwhile=0)) != "cpu":
            raise MemoryError(f"{where} is full")
        return where

    with pytest.raises(MemoryError, match="cuda:1 is full"):
        fill("cuda:1")
    assert fill("cpu") == "cpu"
    monkeypatch.setattr(_device._core, "cuda_device_count", lambda: 2)
    assert fill(device="auto") == "cpu"
    with _device.gpus_chosen_by(lambda count: 1):  # still the caller's choice afterwards
        assert fill("auto") == "cpu"
        assert _device.resolve("auto", work=1, worthwhile=0) == "cuda:1"


def test_memory_that_the_host_lacks_is_no_reason_to_try_again(monkeypatch):
    calls = []

    @_auto_device.cores_if_memory_lacks
    def fill(device="auto"):
        calls.append(_device.resolve(device, work=1, worthwhile=2))
        raise MemoryError("the host is full")

    with pytest.raises(MemoryError, match="the host is full"):
        fill()
    assert calls == ["cpu"]


def test_signatures_stay():
    assert list(inspect.signature(wg.sssp).parameters)[:2] == ["graph", "source"]
    assert wg.sssp.__doc__.startswith("Return")
