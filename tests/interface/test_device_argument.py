"""device=: every function refuses names and lists that are wrong, and devices that are not here."""

import contextlib
import logging
import re

import pytest

import warpgraph as wg
from calls import calls, triangle
from checks import raises_sentence
from test_errors import CALLS, every_call

#: The functions that take lists of several devices, as their docstrings say. Others refuse them.
SHARED = {
    call.name
    for call in calls("device")
    if re.search(r"^ *device : str or list of str$", call.function.__doc__ or "", re.MULTILINE)
}

every_call_on_one_device = pytest.mark.parametrize(
    "call", [pytest.param(run, id=name) for name, run in CALLS.items() if name not in SHARED]
)
every_call_on_several_devices = pytest.mark.parametrize(
    "call", [pytest.param(run, id=name) for name, run in CALLS.items() if name in SHARED]
)


@every_call
def test_unknown_device(call):
    with raises_sentence(ValueError, "'gpu'", "cpu", "cuda"):
        call(triangle(), device="gpu")


@every_call
@pytest.mark.parametrize("device", ["cuda:", "cuda:-1", "cuda:x", "cuda:1.0", "CUDA", ""])
def test_misspelt_device(call, device):
    with raises_sentence(ValueError, repr(device)):
        call(triangle(), device=device)


@every_call
def test_device_that_is_not_here(call):
    with raises_sentence(wg.DeviceError, "cuda:99"):
        call(triangle(), device="cuda:99")


@every_call
@pytest.mark.parametrize("device", ["cuda", "cuda:all", ["cuda:all"]], ids=str)
@pytest.mark.skipif(len(wg.devices()) > 1, reason="there is a GPU here")
def test_cuda_without_a_gpu_never_falls_back(call, device):
    with raises_sentence(wg.DeviceError, "cuda:0", 'device="cpu"'):
        call(triangle(), device=device)


@every_call_on_one_device
@pytest.mark.cuda
def test_all_gpus_are_one_where_one_is_enough(call, caplog):
    runs_on_cpu_only = contextlib.suppress(wg.DeviceError)
    with caplog.at_level(logging.INFO, "warpgraph"), runs_on_cpu_only:
        call(triangle(), device="cuda:all")
    assert "'cuda:all' chose cuda:0: this algorithm runs on one device" in caplog.text


@every_call
def test_no_device_at_all(call):
    with raises_sentence(ValueError, "empty list"):
        call(triangle(), device=[])


@every_call_on_one_device
@pytest.mark.parametrize("devices", [["cuda:0", "cuda:1"], ["cpu", "cpu"]], ids=str)
def test_more_devices_than_the_algorithm_can_use(call, devices):
    with raises_sentence(wg.DeviceError, str(devices)):
        call(triangle(), device=devices)


@every_call
def test_device_that_is_no_name(call):
    with raises_sentence(TypeError, "device", 0):
        call(triangle(), device=0)


@every_call
def test_a_list_of_one_device_is_that_device(call):
    call(triangle(), device=["cpu"])


def test_functions_say_that_they_take_lists():
    """Those whose time several devices share, at least."""
    assert {"apsp", "bfs", "minimum_spanning_forest", "pagerank", "sssp"} <= SHARED


@every_call_on_several_devices
def test_two_workers(call):
    call(triangle(), device=["cpu", "cpu"])


@every_call_on_several_devices
@pytest.mark.parametrize(
    ("devices", "error", "parts"),
    [
        (["cpu"] * 65, ValueError, ("65", "64")),
        (["cpu"] * 1000, ValueError, ("1000", "64")),
        (["cpu", "gpu"], ValueError, ("device", "'gpu'")),
        (["cpu", "cpu:1"], ValueError, ("device", "'cpu:1'")),
        (["cpu", ""], ValueError, ("device", "''")),
        (["cpu", "cuda:99"], wg.DeviceError, ()),
        (["cpu", "cuda:9999"], wg.DeviceError, ()),
        (["cpu", 3], TypeError, ("3",)),
        (["cpu", None], TypeError, ("None",)),
    ],
)
def test_bad_lists(call, devices, error, parts):
    with raises_sentence(error, *parts):
        call(triangle(), device=devices)
