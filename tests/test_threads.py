"""Calls from several Python threads, calls that are interrupted, and what others do meanwhile."""

import concurrent.futures
import signal
import threading
import time

import numpy as np
import pytest

import graphs
import warpgraph as wg

CALLS = {
    "sssp": lambda graph, device: wg.sssp(graph, 0, device=device),
    "sssp of another dtype": lambda graph, device: wg.sssp(
        graph, 0, dtype=np.float32, device=device
    ),
    "bfs": lambda graph, device: wg.bfs(graph, 0, device=device),
    "components": lambda graph, device: wg.connected_components(graph, device=device)[1],
    "forest": lambda graph, device: wg.minimum_spanning_forest(graph, device=device).edge_ids,
    "undirected": lambda graph, device: wg.sssp(graph, 0, directed=False, device=device),
}


@pytest.fixture
def long_call():
    """Return a call that takes a good part of a second, and what it returns."""
    side = 700
    rng = np.random.default_rng(0)
    n = side * side
    right = [v for v in range(n) if v % side < side - 1]
    tails = np.concatenate([right, np.arange(n - side)])
    heads = np.concatenate([np.array(right) + 1, np.arange(side, n)])
    graph = wg.Graph.from_edges(
        np.concatenate([tails, heads]),
        np.concatenate([heads, tails]),
        np.tile(rng.integers(1, 1000, len(tails)), 2).astype(float),
        n_vertices=n,
    )
    wg.set_num_threads(1)
    yield lambda **options: wg.sssp(graph, 0, method="dijkstra", device="cpu", **options)
    wg.set_num_threads(0)


@pytest.mark.parametrize("shared", [True, False], ids=["one Graph", "a Graph each"])
def test_two_threads_at_once(device, shared):
    matrix = graphs.ZOO["medium_power_law"]
    expected = {name: call(wg.Graph(matrix), device) for name, call in CALLS.items()}
    one = wg.Graph(matrix)
    start = threading.Barrier(len(CALLS) * 2)

    def run(name):
        start.wait()
        return name, CALLS[name](one if shared else wg.Graph(matrix), device)

    with concurrent.futures.ThreadPoolExecutor(len(CALLS) * 2) as pool:
        for name, result in pool.map(run, [*CALLS, *CALLS]):
            np.testing.assert_array_equal(result, expected[name], err_msg=name)


def test_other_threads_run_meanwhile(long_call):
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.002):
            ticks.append(time.perf_counter())

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        started = time.perf_counter()
        long_call()
        ended = time.perf_counter()
    finally:
        stop.set()
        ticker.join()
    # With the interpreter locked there would be none but in the call's first and last moments.
    middle = [t for t in ticks if started + 0.02 < t < ended - 0.02]
    assert len(middle) >= 3


def interrupt_after(seconds):
    """Raise KeyboardInterrupt in the main thread, as Ctrl-C does."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


@pytest.fixture
def alarm_is_ctrl_c():
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_an_interrupted_call_leaves_the_next_one_working(long_call, alarm_is_ctrl_c):
    expected = long_call()
    for seconds in (0.01, 0.03, 0.05):
        interrupt_after(seconds)
        with pytest.raises(KeyboardInterrupt):
            long_call()
    np.testing.assert_array_equal(long_call(), expected)


@pytest.mark.parametrize("threads", [1, 4])
def test_parallel_calls_can_be_interrupted(alarm_is_ctrl_c, threads):
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 200_000, (2, 1_500_000))
    graph = wg.Graph.from_edges(*ends, rng.random(ends.shape[1]), n_vertices=200_000)
    wg.set_num_threads(threads)
    try:
        expected = wg.minimum_spanning_forest(graph, device="cpu").edge_ids
        graph.clear()
        interrupt_after(0.02)
        with pytest.raises(KeyboardInterrupt):
            wg.minimum_spanning_forest(graph, device="cpu")
        np.testing.assert_array_equal(
            wg.minimum_spanning_forest(graph, device="cpu").edge_ids, expected
        )
    finally:
        wg.set_num_threads(0)


class WearyError(Exception):
    """Raised by a progress callable."""


def test_an_exception_of_progress_reaches_the_caller(device):
    graph = graphs.ZOO["medium_random"]
    expected = wg.minimum_spanning_forest(graph, device=device).edge_ids

    def refuse(done, total):
        raise WearyError(done, total)

    with pytest.raises(WearyError):
        wg.minimum_spanning_forest(graph, device=device, progress=refuse)
    np.testing.assert_array_equal(
        wg.minimum_spanning_forest(graph, device=device).edge_ids, expected
    )


def test_progress_counts_up_to_its_total(device):
    reports = []
    graph = graphs.ZOO["medium_random"]
    wg.minimum_spanning_forest(
        graph, device=device, progress=lambda *report: reports.append(report)
    )
    done = [report[0] for report in reports]
    assert done == sorted(done)
    assert reports[-1][0] == reports[-1][1]
