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
import scipy.sparse as sp

import checks
import warpgraph as wg

PROMISED = 0.2
MOMENTS = 4
ATTEMPTS = 3


def matrix(graph):
    """Return a matrix, with which no derived data is kept: calls do all of their work."""
    return graph.to_csr()


def with_a_negative_arc(graph):
    weights = graph.data.astype(float)
    weights[-1] = -1
    return sp.csr_array((weights, graph.indices, graph.indptr), shape=graph.shape)


class Inputs:
    """Inputs, made at first use."""

    def __init__(self):
        self._made = {}

    def __call__(self, name):
        if name not in self._made:
            self._made[name] = getattr(self, "_" + name)(np.random.default_rng(1))
        return self._made[name]

    def _roads(self, rng):
        return matrix(wg.generators.grid(500, 500, seed=1, weights=(1, 1000)))

    def _negative(self, rng):
        return with_a_negative_arc(matrix(wg.generators.grid(120, 120, seed=1, weights=(1, 99))))

    def _town(self, rng):
        return matrix(wg.generators.grid(90, 90, seed=1, weights=(1, 1000)))

    def _village(self, rng):
        return matrix(wg.generators.grid(35, 35, seed=1, weights=(1, 1000)))

    def _social(self, rng):
        return matrix(wg.generators.rmat(16, 16, seed=1, weights=(1, 1000)))

    def _edges(self, rng):
        return (*rng.integers(0, 100_000, (2, 2_000_000)), rng.random(2_000_000))

    def _points(self, rng):
        return rng.random((150_000, 3))

    def _wide_points(self, rng):
        return rng.random((6000, 12))


inputs = Inputs()


def search(method, **options):
    return lambda device: wg.sssp(inputs("roads"), 0, method=method, device=device, **options)


def many(method, n_sources, **options):
    return lambda device: wg.many_to_many(
        inputs("town"), range(n_sources), method=method, device=device, **options
    )


def all_pairs(method, **options):
    return lambda device: wg.apsp(inputs("village"), method=method, device=device, **options)


def forest(method):
    return lambda device: (
        wg.minimum_spanning_forest(inputs("social"), method=method, device=device).edge_ids
    )


#: Calls on the device of the fixture.
CALLS = {
    "near_far": search("near_far", dtype="float32"),
    "bellman_ford": lambda device: wg.sssp(
        inputs("negative"), 0, method="bellman_ford", device=device
    ),
    "many_to_many, dijkstra": many("dijkstra", 300, return_predecessors=True),
    "many_to_many, batched": many("batched", 300, return_predecessors=True),
    "many_to_many, hierarchy": many("hierarchy", 200),
    "floyd_warshall": all_pairs("floyd_warshall", dtype="float64", return_predecessors=True),
    "floyd_warshall_naive": all_pairs("floyd_warshall_naive"),
    "bfs": lambda device: wg.bfs(inputs("roads"), 0, device=device, return_predecessors=True),
    "weak components": lambda device: wg.connected_components(inputs("roads"), device=device)[1],
    "strong components": lambda device: wg.connected_components(
        inputs("social"), connection="strong", device=device
    )[1],
    "boruvka": forest("boruvka"),
    "euclidean_mst": lambda device: (
        wg.cluster.euclidean_mst(inputs("points"), device=device).weights
    ),
    "euclidean_mst, 12-D": lambda device: (
        wg.cluster.euclidean_mst(inputs("wide_points"), device=device).weights
    ),
    "single_linkage": lambda device: wg.cluster.single_linkage(inputs("points"), device=device),
    "KMeans": lambda device: (
        wg.cluster.KMeans(32, device=device, max_iter=20).fit(inputs("points")).labels_
    ),
}

#: Calls that run on cores only.
CALLS_ON_CORES = {
    "dijkstra": search("dijkstra"),
    "delta_stepping": search("delta_stepping", return_predecessors=True),
    "filter": forest("filter"),
    "from_edges": lambda device: wg.Graph.from_edges(*inputs("edges"), n_vertices=100_000).indices,
    "rmat": lambda device: wg.generators.rmat(16, 16, seed=2, weights=(1, 1000)).indices,
    "ssca2": lambda device: wg.generators.ssca2(15, seed=2, weights=(1, 1000)).indices,
    "rcm": lambda device: wg.transform.reorder(inputs("roads"), "rcm").graph.indices,
    "communities": lambda device: wg.transform.reorder(inputs("roads")).graph.indices,
    "compress": lambda device: wg.transform.compress(inputs("roads")).nbytes,
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

    before = signal.signal(signal.SIGALRM, handle)
    yield interrupt
    signal.signal(signal.SIGALRM, before)


def record(name, device, delays):
    """Append the times to the file that WARPGRAPH_INTERRUPT_TIMES names, for docs/testing.md."""
    if path := os.environ.get("WARPGRAPH_INTERRUPT_TIMES"):
        with open(path, "a") as file:
            row = {"call": name, "device": device, "threads": wg.get_num_threads()}
            file.write(json.dumps(row | {"seconds": delays}) + "\n")


def assert_interrupts(name, call, device, interrupt):
    call(device)  # inputs are made, and a device is ready
    expected, whole = timed(call, device)
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
        np.testing.assert_array_equal(call(device), expected)
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


@pytest.mark.parametrize("name", CALLS_ON_CORES)
@pytest.mark.parametrize("threads", [1, 4])
def test_ctrl_c_ends_a_call_on_cores(name, threads, seconds_to_interrupt):
    wg.set_num_threads(threads)
    try:
        assert_interrupts(name, CALLS_ON_CORES[name], "cpu", seconds_to_interrupt)
    finally:
        wg.set_num_threads(0)


@pytest.mark.skipif(checks.EMULATED, reason="an emulated device is slow")
def test_a_handler_that_returns_does_not_end_the_call(seconds_to_interrupt):
    """After a handler that returns, the call continues."""
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(True))
    try:
        expected = CALLS["floyd_warshall"]("cpu")
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        np.testing.assert_array_equal(CALLS["floyd_warshall"]("cpu"), expected)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen
