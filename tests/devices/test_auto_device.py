"""device="auto" where the GPU that it chose lacks memory."""

import inspect
import logging

import numpy as np
import pytest

import warpgraph as wg
from calls import CALLS, small_input
from device_lists import change_plans, device_of_auto
from warpgraph._arguments import auto_device, device as _device
from warpgraph._graph import plan
from warpgraph.cluster import _kmeans

TAKE_A_DEVICE = [call for call in CALLS if "device" in call.parameters and not call.on_cores_alone]


@pytest.fixture
def gpu_without_memory(monkeypatch):
    """Let "auto" choose a GPU, whatever the size of the input, on which nothing can be allocated.

    Returns the devices that were resolved.
    """
    resolved = []
    make = plan.make

    def make_lacking(algorithm, graph, form, dtype, wanted, *args, **request):
        if wanted == ("auto", []):
            found = _device.gpu_of_auto() or "cpu"
            resolved.append(found)
            if found != "cpu":
                _device.note("named", wanted, [found])
                raise MemoryError(f"allocating 8 bytes on {found} failed")
        return make(algorithm, graph, form, dtype, wanted, *args, **request)

    monkeypatch.setattr(_device._core, "cuda_device_count", lambda: 1)
    monkeypatch.setattr(plan, "make", make_lacking)
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
    """Otherwise the test above would not test that the cores take over."""
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

    @auto_device.falls_back_if_memory_lacks
    def fill(device):
        if (where := device_of_auto(device)) != "cpu":
            raise MemoryError(f"{where} is full")
        return where

    with pytest.raises(MemoryError, match="cuda:1 is full"):
        fill("cuda:1")
    assert fill("cpu") == "cpu"
    monkeypatch.setattr(_device._core, "cuda_device_count", lambda: 2)
    assert fill(device="auto") == "cpu"
    with _device.gpus_chosen_by(lambda count: 1):  # still the caller's choice afterwards
        assert fill("auto") == "cpu"
        assert device_of_auto() == "cuda:1"


def test_memory_that_the_host_lacks_is_no_reason_to_try_again(monkeypatch):
    calls = []

    @auto_device.falls_back_if_memory_lacks
    def fill(device="auto"):
        calls.append(device_of_auto(device, n_edges=1))
        raise MemoryError("the host is full")

    with pytest.raises(MemoryError, match="the host is full"):
        fill()
    assert calls == ["cpu"]


def test_signatures_stay():
    assert list(inspect.signature(wg.sssp).parameters)[:2] == ["graph", "source"]
    assert wg.sssp.__doc__.startswith("Return")


@pytest.fixture
def two_gpus(monkeypatch):
    monkeypatch.setattr(_device, "devices", lambda: ["cpu", "cuda:0", "cuda:1"])
    monkeypatch.setattr(_device._core, "require_device", lambda name: None)


@pytest.mark.parametrize("device", ["cuda:all", ["cuda:all"]], ids=str)
def test_all_gpus_are_one_if_several_lack_memory(two_gpus, device, caplog):
    tried = []

    @auto_device.falls_back_if_memory_lacks
    def fill(*, device):
        tried.append(_device.resolve_all(device))
        if len(tried[-1]) > 1:
            raise MemoryError("cuda:1 is full")
        return tried[-1]

    with caplog.at_level(logging.INFO, logger="warpgraph"):
        assert fill(device=device) == ["cuda:0"]
    assert tried == [["cuda:0", "cuda:1"], ["cuda:0"]]
    assert "device='cuda:all' chose ['cuda:0']: cuda:1 is full" in caplog.text


@pytest.mark.parametrize("device", ["cuda:all", ["cuda:0", "cuda:1"]], ids=str)
def test_one_gpu_or_a_list_is_not_tried_again(two_gpus, device):
    tried = []

    @auto_device.falls_back_if_memory_lacks
    def fill(*, device):
        tried.append(_device.resolve_all(device, divides=False))
        raise MemoryError("cuda:0 is full")

    with pytest.raises(MemoryError, match="cuda:0 is full"):
        fill(device=device)
    assert len(tried) == 1


def raises_once(error):
    """Return a progress callable whose first call raises `error`, and the list of its calls."""
    calls = []

    def report(done, total):
        calls.append((done, total))
        if len(calls) == 1:
            raise error

    return report, calls


def take_gpus(device):
    """Let "auto" choose a GPU, and "cuda:all" all of them."""
    if device == "auto":
        device_of_auto(device)
    else:
        _device.resolve_all(device)


@pytest.mark.parametrize("chosen", ["auto", "cuda:all"])
def test_an_error_of_the_progress_callable_is_no_reason_to_try_again(two_gpus, monkeypatch, chosen):
    monkeypatch.setattr(_device._core, "cuda_device_count", lambda: 2)
    error = MemoryError("of the caller")
    report, calls = raises_once(error)

    @auto_device.falls_back_if_memory_lacks
    def inner(*, device, progress):
        take_gpus(device)
        progress(0, 1)

    @auto_device.falls_back_if_memory_lacks
    def outer(*, device, progress):
        take_gpus(device)
        inner(device=device, progress=progress)

    for function in (inner, outer):
        calls.clear()
        with pytest.raises(MemoryError) as caught:
            function(device=chosen, progress=report)
        assert caught.value is error
        assert len(calls) == 1


def test_an_error_of_the_progress_callable_ends_k_means(monkeypatch):
    tried = []

    def iterate(points, weights, start, device, limit, progress, **until):
        tried.append(device)
        progress(0, 1)

    monkeypatch.setattr(_device._core, "cuda_device_count", lambda: 1)
    monkeypatch.setattr(_device._core, "kmeans", iterate)
    change_plans(monkeypatch, lambda made, wanted, graph: {"devices": ["cuda:0"]})
    error = MemoryError("of the caller")
    report, calls = raises_once(error)
    points = np.arange(6.0).reshape(3, 2)
    with pytest.raises(MemoryError) as caught:
        _kmeans.KMeans(2, init=points[:2], progress=report).fit(points)
    assert caught.value is error
    assert tried == ["cuda:0"]
    assert len(calls) == 1


REPORT = {
    "sssp": lambda graph, **how: wg.sssp(graph, 0, **how),
    "minimum_spanning_forest": lambda graph, **how: wg.minimum_spanning_forest(graph, **how),
    "boruvka": lambda graph, **how: wg.minimum_spanning_forest(graph, method="boruvka", **how),
}


@pytest.mark.parametrize(
    "where", ["cpu", *(pytest.param(gpu, marks=pytest.mark.cuda) for gpu in ("cuda", "cuda:all"))]
)
@pytest.mark.parametrize("name", REPORT)
def test_an_error_of_the_progress_callable_reaches_the_caller(name, where):
    """Although these functions go on in another way after a MemoryError of their own."""
    if (name, where) == ("boruvka", "cpu"):
        pytest.skip("the method needs a GPU")
    graph = wg.Graph(wg.generators.rmat(9, edge_factor=8, seed=1))
    REPORT[name](graph, device=where)  # a graph that is on the GPU is searched by bellman_ford
    error = MemoryError("of the caller")
    report, calls = raises_once(error)
    with pytest.raises(MemoryError) as caught:
        REPORT[name](graph, device=where, progress=report)
    assert caught.value is error
    assert len(calls) == 1
