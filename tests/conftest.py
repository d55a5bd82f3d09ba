"""Fixtures, above all the devices that every test of an algorithm runs on."""

import gc
import json
import signal
import sys

import pytest
from hypothesis import HealthCheck, settings

import checks
import warpgraph as wg
from device_lists import SINGLE, device_id
from graphs import SAMPLES
from warpgraph import _core
from warpgraph.cli import main

# Plans of tests are those of the machines that were measured, not of one that was tuned.
_core.set_scales(1, 1)

# Tests have no deadlines, since a machine may be busy. The device fixture is the same for all
# examples of a test, so it may be combined with @given.
settings.register_profile(
    "warpgraph", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("warpgraph")

# A shell starts background jobs with Ctrl-C ignored, and children inherit that; the tests of Ctrl-C
# need the default.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config, items):
    """Skip what this machine lacks GPUs for, large tests and clusters unless -m selects them.

    In emulation, also heavy tests.
    """
    too_long = pytest.mark.skip(reason="takes too long in emulation")
    too_large = pytest.mark.skip(reason="needs a large machine: pytest -m large")
    no_cluster = pytest.mark.skip(reason="starts a cluster: make test-distributed")
    n_gpus = len(wg.devices()) - 1
    for item in items:
        for mark in item.iter_markers("cuda"):
            if n_gpus < (needed := mark.args[0] if mark.args else 1):
                item.add_marker(pytest.mark.skip(reason=f"needs CUDA devices: {needed}"))
        if item.get_closest_marker("cluster") and "cluster" not in config.option.markexpr:
            item.add_marker(no_cluster)
        if item.get_closest_marker("large") and "large" not in config.option.markexpr:
            item.add_marker(too_large)
        params = getattr(item, "callspec", None)
        on_cuda = params is not None and "cuda" in str(
            params.params.get("device", params.params.get("gpu"))
        )
        if checks.EMULATED and on_cuda and item.get_closest_marker("heavy"):
            item.add_marker(too_long)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage while tests are collected, which stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(scope="module", autouse=True)
def earlier_objects_are_frozen():
    """Leave tests, modules and what other files keep out of the collections of garbage.

    With all of them, one takes a quarter of a second.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(params=SINGLE, ids=device_id)
def device(request):
    """A device, with a number of CPU threads for the test's duration; a list if a test asks for it.

    Decorators of device_lists.py run a test on lists of devices, too.
    """
    name, threads = request.param if isinstance(request.param, tuple) else (request.param, 0)
    wg.set_num_threads(threads)
    yield name
    wg.set_num_threads(0)


@pytest.fixture(params=[1, 4])
def threads(request):
    """A number of CPU threads, set for the test's duration: of functions without a GPU version."""
    wg.set_num_threads(request.param)
    yield request.param
    wg.set_num_threads(0)


@pytest.fixture
def no_gc_callbacks():
    """Without the callback of Hypothesis: exceptions that are raised in it are warnings."""
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.callbacks[:] = callbacks


@pytest.fixture
def roads(tmp_path):
    """Return the name of a file with a grid of 64 vertices, whose edges are stored both ways."""
    path = tmp_path / "roads.npz"
    wg.io.write(str(path), wg.Graph(SAMPLES["grid"]))
    return str(path)


@pytest.fixture
def run(capsys):
    """Run a command in this process and return its report."""

    def run_json(*arguments):
        assert main([*map(str, arguments), "--json"]) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return json.loads(captured.out)

    yield run_json
    wg.set_num_threads(0)


@pytest.fixture(autouse=True)
def figures_are_closed():
    """Close the figures that a test has left open: matplotlib warns of more than twenty."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
