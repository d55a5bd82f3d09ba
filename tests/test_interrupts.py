"""Ctrl-C at random moments of every long call: it is heard within 0.2 s, the next call is right.

Seconds count from the moment that the signal is sent to the one that KeyboardInterrupt reaches the
caller. A busy machine may hold up any program, so a moment has a few attempts.
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
    """Return a graph that nothing is kept with: calls do all of their work."""
    return graph.to_csr()


def with_a_negative_arc(graph):
    weights = graph.data.astype(float)
    weights[-1] = -1
    return sp.csr_array((weights, graph.indices, graph.indptr), shape=graph.shape)


class Inputs:
    """Made once, when first asked for."""

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


#: What runs on the device of the fixture.
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

#: What runs on cores, whatever the fixture says.
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
def seconds_to_hear():
    """Return a function that calls something and presses Ctrl-C `after` seconds.

    It returns the seconds from that moment to KeyboardInterrupt, or None if the call was over
    before.
    """
    waiting = False

    def ring(signum, frame):
        if waiting:
            raise KeyboardInterrupt

    def press(call, after):
        nonlocal waiting
        waiting = True
        started = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, after)
        try:
            call()
        except KeyboardInterrupt:
            return time.perf_counter() - started - after
        finally:
            waiting = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        return None

    before = signal.signal(signal.SIGALRM, ring)
    yield press
    signal.signal(signal.SIGALRM, before)


def record(name, device, heard):
    """Append the times to the file that WARPGRAPH_INTERRUPT_TIMES names, for docs/testing.md."""
    if path := os.environ.get("WARPGRAPH_INTERRUPT_TIMES"):
        with open(path, "a") as file:
            row = {"call": name, "device": device, "threads": wg.get_num_threads()}
            file.write(json.dumps(row | {"seconds": heard}) + "\n")


def assert_is_heard(name, call, device, press):
    call(device)  # inputs are made, and a device is ready
    expected, whole = timed(call, device)
    rng = np.random.default_rng()
    heard = []
    for moment in rng.uniform(0, 0.9, MOMENTS):
        late = []
        for _ in range(ATTEMPTS):
            seconds = press(lambda: call(device), max(moment * whole, 1e-4))
            if seconds is None:  # the call was over before: it is quicker than it was
                whole = timed(call, device)[1]
            elif seconds < PROMISED:
                heard.append(seconds)
                break
            else:
                late.append(seconds)
        assert len(late) < ATTEMPTS, f"{late} s, {moment:.2f} of {whole} s"
        np.testing.assert_array_equal(call(device), expected)
    assert heard, "the call was over before every moment"
    record(name, device, heard)


def timed(call, device):
    started = time.perf_counter()
    result = call(device)
    return result, time.perf_counter() - started


def test_a_call_that_hears_nothing_is_found(seconds_to_hear, monkeypatch):
    def deaf(device):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(0.3)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})

    monkeypatch.setitem(globals(), "PROMISED", 0.02)
    with pytest.raises(AssertionError, match=" of "):
        assert_is_heard("deaf", deaf, "cpu", seconds_to_hear)


@pytest.mark.heavy
@pytest.mark.parametrize("name", CALLS)
def test_a_call_hears_ctrl_c(name, device, seconds_to_hear):
    assert_is_heard(name, CALLS[name], device, seconds_to_hear)


@pytest.mark.parametrize("name", CALLS_ON_CORES)
@pytest.mark.parametrize("threads", [1, 4])
def test_a_call_on_cores_hears_ctrl_c(name, threads, seconds_to_hear):
    wg.set_num_threads(threads)
    try:
        assert_is_heard(name, CALLS_ON_CORES[name], "cpu", seconds_to_hear)
    finally:
        wg.set_num_threads(0)


@pytest.mark.skipif(checks.EMULATED, reason="an emulated device is slow")
def test_a_signal_without_an_exception_is_no_end(seconds_to_hear):
    """A handler that returns lets the call go on."""
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(True))
    try:
        expected = CALLS["floyd_warshall"]("cpu")
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        np.testing.assert_array_equal(CALLS["floyd_warshall"]("cpu"), expected)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen
