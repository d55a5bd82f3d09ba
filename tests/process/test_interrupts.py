"""Ctrl-C at random moments of every long call ends it within 0.2 s; the next call is right.

Seconds are those between the signal and KeyboardInterrupt in the caller. A busy machine may delay
any program, so each moment has a few attempts.
"""

import json
import os
import signal
import time

import numpy as np
import pytest

import calls
import checks
import warpgraph as wg
from alarms import alarms
from large_inputs import large_input

# The signal may arrive in such a callback, where Python drops the exception.
pytestmark = pytest.mark.usefixtures("no_gc_callbacks")

PROMISED = 0.2
#: Each run draws other ones, for each number of threads.
MOMENTS = 3
ATTEMPTS = 5


def from_edges(device):
    """Make a graph of edges: a long call that is no function of the table."""
    return (wg.Graph.from_edges(*large_input("edges"), n_vertices=100_000).indices,)


def sssp_by_workers(device):
    """Search with a list of devices."""
    return (wg.sssp(large_input("roads"), 0, device=[device] * 3),)


def path_by_landmarks(device):
    """Find the distances of landmarks."""
    roads = wg.Graph(large_input("roads"))
    length, path = wg.shortest_path(roads, 0, 1, method="alt", landmarks=20, device=device)
    return np.array(length), path


def tree_by_function(device):
    """Call a function of Python for each pair of points."""
    points = large_input("wide_points")[:500]
    forest = wg.cluster.mst_of_points(points, metric=lambda x, y: np.abs(x - y).sum())
    return forest.edges, forest.weights


#: Bytes for three members of a device, each of which has 64 rows and columns of pivots and four
#: bands of 64 rows of a matrix of 2048 rows at a time; cores have all else in `out`.
FOR_BANDS = 3 * (4 * (6 * 64 * 2048 + 64 * 64) + 64)


def apsp_in_bands(devices):
    """Compute a matrix that is larger than the memory of the devices together."""
    graph = large_input("borough")
    out = np.empty(graph.shape)
    how = {"method": "floyd_warshall", "memory_limit": FOR_BANDS, "out": out}
    return (wg.apsp(graph, device=devices, **how),)


#: Calls on the device of the fixture.
CALLS = calls.long_calls("long")
CALLS_ON_GPUS = calls.long_calls("long_on_gpus")
#: Calls that run on cores only.
CALLS_ON_CORES = {
    **calls.long_calls("long_on_cores"),
    "Graph.from_edges": from_edges,
    "mst_of_points by a function": tree_by_function,
    "shortest_path by landmarks": path_by_landmarks,
    "sssp by workers": sssp_by_workers,
}

#: Calls that several devices share.
CALLS_ON_SEVERAL = {
    name: call
    for name, call in {**CALLS, **CALLS_ON_CORES}.items()
    if name.startswith("many_to_many")
    or name in ("apsp, blocked", "minimum_spanning_forest, filter")
}


@pytest.fixture
def seconds_to_interrupt():
    """Return a function that makes a call and sends Ctrl-C `after` seconds.

    It returns the seconds from that moment to KeyboardInterrupt, or None if the call ended before.
    """
    waiting = False

    def handle(signum, frame):
        if waiting:
            raise KeyboardInterrupt

    def interrupt(call, after):
        nonlocal waiting
        waiting = True
        started = time.perf_counter()
        try:
            signal.setitimer(signal.ITIMER_REAL, after)
            call()
        except KeyboardInterrupt:
            return time.perf_counter() - started - after
        finally:
            waiting = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        return None

    with alarms(handle):
        yield interrupt


def record(name, device, delays):
    """Append the times to the file that WARPGRAPH_INTERRUPT_TIMES names, for docs/testing.md."""
    if path := os.environ.get("WARPGRAPH_INTERRUPT_TIMES"):
        with open(path, "a") as file:
            row = {"call": name, "device": device, "threads": wg.get_num_threads()}
            file.write(json.dumps(row | {"seconds": delays}) + "\n")


def assert_interrupts(name, call, device, interrupt):
    expected, whole = timed(call, device)  # inputs are made, and a device is ready
    rng = np.random.default_rng()
    delays = []
    for moment in rng.uniform(0, 0.9, MOMENTS):
        late = []
        for _ in range(ATTEMPTS):
            seconds = interrupt(lambda: call(device), max(moment * whole, 1e-4))
            if seconds is None:  # the call ended before: it is faster than the first one
                whole = timed(call, device)[1]
            elif seconds < PROMISED:
                delays.append(seconds)
                break
            else:
                late.append(seconds)
        assert len(late) < ATTEMPTS, f"{late} s, {moment:.2f} of {whole} s"
        found, whole = timed(call, device)
        checks.assert_same_bits(found, expected)
    assert delays, "the call was over before every moment"
    record(name, device, delays)


def timed(call, device):
    started = time.perf_counter()
    result = call(device)
    return result, time.perf_counter() - started


def test_a_call_that_ignores_ctrl_c_is_found(seconds_to_interrupt, monkeypatch):
    def ignoring(device):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(0.3)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})

    monkeypatch.setitem(globals(), "PROMISED", 0.02)
    with pytest.raises(AssertionError, match=" of "):
        assert_interrupts("ignoring", ignoring, "cpu", seconds_to_interrupt)


@pytest.mark.heavy
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_a_call(name, device, seconds_to_interrupt):
    assert_interrupts(name, CALLS[name], device, seconds_to_interrupt)


@pytest.mark.cuda
@pytest.mark.parametrize("name", CALLS_ON_GPUS)
def test_ctrl_c_ends_a_call_on_a_gpu(name, seconds_to_interrupt):
    assert_interrupts(name, CALLS_ON_GPUS[name], "cuda:0", seconds_to_interrupt)


@pytest.mark.parametrize("name", CALLS_ON_CORES)
@pytest.mark.parametrize("threads", [1, 4])
def test_ctrl_c_ends_a_call_on_cores(name, threads, seconds_to_interrupt):
    wg.set_num_threads(threads)
    try:
        assert_interrupts(name, CALLS_ON_CORES[name], "cpu", seconds_to_interrupt)
    finally:
        wg.set_num_threads(0)


@pytest.mark.parametrize("name", CALLS_ON_SEVERAL)
def test_ctrl_c_ends_a_call_on_several_devices(name, seconds_to_interrupt):
    assert_interrupts(name, CALLS_ON_SEVERAL[name], ["cpu"] * 3, seconds_to_interrupt)


@pytest.mark.heavy
@pytest.mark.parametrize("device", ["cpu", *wg.devices()[1:2]])
def test_ctrl_c_ends_bands_on_several_devices(device, seconds_to_interrupt):
    assert_interrupts("apsp in bands", apsp_in_bands, [device] * 3, seconds_to_interrupt)


@pytest.mark.skipif(checks.EMULATED, reason="an emulated device is slow")
def test_a_handler_that_returns_does_not_end_the_call():
    """After a handler that returns, the call continues."""
    seen = []
    expected = CALLS["apsp, blocked"]("cpu")
    with alarms(lambda *_: seen.append(True), 0.001):
        checks.assert_same_bits(CALLS["apsp, blocked"]("cpu"), expected)
    assert seen
