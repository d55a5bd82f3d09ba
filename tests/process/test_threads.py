"""Calls from several Python threads, interrupted calls, and other threads meanwhile."""

import concurrent.futures
import gc
import sys
import threading
import time

import numpy as np
import pytest

import calls
import graphs
import warpgraph as wg
from checks import EMULATED, assert_same_bits

CALLS = {
    name: lambda graph, device, call=call, options=options: calls.run_on(
        device, call, graph, options
    )
    for name, call, options in calls.expanded("variants", "device")
}


@pytest.fixture
def long_call():
    """Return a call that takes a large part of a second, and its result."""
    graph = wg.generators.grid(1500, 1500, seed=0, weights=(1, 1000), dtype=np.float64)
    wg.set_num_threads(1)
    yield lambda **options: wg.sssp(graph, 0, method="dijkstra", device="cpu", **options)
    wg.set_num_threads(0)


@pytest.mark.parametrize("shared", [True, False], ids=["one Graph", "a Graph each"])
def test_two_threads_at_once(device, shared):
    matrix = graphs.SAMPLES["medium_power_law"]
    expected = {name: call(wg.Graph(matrix), device) for name, call in CALLS.items()}
    one = wg.Graph(matrix)
    start = threading.Barrier(len(CALLS) * 2)

    def run(name):
        start.wait()
        return name, CALLS[name](one if shared else wg.Graph(matrix), device)

    with concurrent.futures.ThreadPoolExecutor(len(CALLS) * 2) as pool:
        for name, result in pool.map(run, [*CALLS, *CALLS]):
            assert_same_bits(result, expected[name])


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
    # If the GIL were held, ticks would occur only at the beginning and end of the call.
    middle = [t for t in ticks if started + 0.02 < t < ended - 0.02]
    assert len(middle) >= 3


class StopError(Exception):
    """Raised by a progress callable."""


def test_an_exception_of_progress_reaches_the_caller(device):
    graph = graphs.SAMPLES["medium_random"]
    expected = wg.minimum_spanning_forest(graph, device=device).edge_ids

    def refuse(done, total):
        raise StopError(done, total)

    with pytest.raises(StopError):
        wg.minimum_spanning_forest(graph, device=device, progress=refuse)
    np.testing.assert_array_equal(
        wg.minimum_spanning_forest(graph, device=device).edge_ids, expected
    )


def test_progress_counts_up_to_its_total(device):
    reports = []
    graph = graphs.SAMPLES["medium_random"]
    wg.minimum_spanning_forest(
        graph, device=device, progress=lambda *report: reports.append(report)
    )
    done = [report[0] for report in reports]
    assert done == sorted(done)
    assert reports[-1][0] == reports[-1][1]


#: Every function of a graph by the method that it chooses, and methods that it does not choose
#: here but that size arrays by the number of threads.
SIZED_BY_THREADS = {
    **{call.name: call.run for call in calls.calls()},
    "many_to_many, hierarchy": lambda graph: (wg.many_to_many(graph, [0, 5], method="hierarchy"),),
    "many_to_many, trees": lambda graph: wg.many_to_many(
        graph, range(64), return_predecessors=True
    ),
    "sssp, delta_stepping": lambda graph: (
        wg.sssp(graph, 0, method="delta_stepping", device="cpu"),
    ),
    "reorder, rcm": lambda graph: (wg.transform.reorder(graph, "rcm").graph.indices,),
}


@pytest.mark.parametrize("name", SIZED_BY_THREADS)
def test_another_thread_changes_the_number_of_threads(name):
    """A call keeps the number that it began with."""
    call = SIZED_BY_THREADS[name]
    side = 30 if name == "apsp" else 45 if "hierarchy" in name.lower() else 70
    matrix = wg.generators.grid(side, side, seed=3, weights=(1, 1000))
    wg.set_num_threads(1)
    expected = call(wg.Graph(matrix))
    over = threading.Event()

    def change():
        number = 0
        while not over.is_set():
            number = (number + 3) % 8
            wg.set_num_threads(number + 1)
            time.sleep(1e-5)  # several changes within each call, and cores for the call

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(20):
            assert_same_bits(call(wg.Graph(matrix)), expected)
    finally:
        over.set()
        changer.join()
        wg.set_num_threads(0)


def test_a_progress_callable_changes_the_number_of_threads():
    matrix = wg.generators.grid(70, 70, seed=3, weights=(1, 1000))
    wg.set_num_threads(1)
    try:
        expected = wg.many_to_many(matrix, [0], method="dijkstra")
        graph = wg.Graph(matrix)
        wg.Hierarchy(graph, progress=lambda done, total: wg.set_num_threads(8))
        assert wg.get_num_threads() == 8
        np.testing.assert_array_equal(wg.many_to_many(graph, [0], method="hierarchy"), expected)
    finally:
        wg.set_num_threads(0)


def test_eight_threads_on_one_graph(device):
    """With changes of the number of threads, garbage collection and clear() in between."""
    matrix = graphs.SAMPLES["medium_power_law"]
    expected = {name: call(wg.Graph(matrix), device) for name, call in CALLS.items()}
    one = wg.Graph(matrix)
    failures = []
    deadline = time.monotonic() + 3

    def call_at_random(seed):
        rng = np.random.default_rng(seed)
        while time.monotonic() < deadline and not failures:
            name = str(rng.choice([*CALLS, "clear", "threads", "collect"]))
            try:
                if name == "clear":
                    one.clear()
                elif name == "threads":
                    wg.set_num_threads(int(rng.integers(0, 9)))
                elif name == "collect":
                    gc.collect()
                else:
                    assert_same_bits(CALLS[name](one, device), expected[name])
            except BaseException as failure:
                failures.append((name, failure))

    threads = [threading.Thread(target=call_at_random, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wg.set_num_threads(0)
    assert not failures


def test_a_graph_is_described_while_another_thread_clears_it():
    """With the shortest possible switch interval."""
    graph = wg.Graph(graphs.SAMPLES["grid"])
    over = threading.Event()

    def repeat(call):
        while not over.is_set():
            call()

    def lengths_of_other_dtypes():
        wg.sssp(graph, 0, dtype="float32", device="cpu")
        wg.sssp(graph, 0, dtype="int64", device="cpu")

    calls = [lengths_of_other_dtypes, lengths_of_other_dtypes, graph.clear]
    calls += [lambda: repr(graph), lambda: wg.bfs(graph, 0, directed=False, device="cpu")]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
            results = [pool.submit(repeat, call) for call in calls]
            concurrent.futures.wait(results, 2, concurrent.futures.FIRST_EXCEPTION)
            over.set()
            for result in results:
                result.result()
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.cuda(2)
def test_threads_that_search_on_the_same_gpus():
    """Kernels of both GPUs wait for each other, so those of another call must not be in between."""
    n = 2_000 if EMULATED else 1 << 20
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, n, (2, 16 * n))
    graph = wg.Graph.from_edges(rows, columns, rng.integers(1, 1000, 16 * n), n_vertices=n)
    wanted = wg.sssp(graph, 0, device="cpu")

    def search(_):
        endpoints = wg.runtime.Context(["cuda:0", "cuda:1"]).endpoints
        by_worklist = wg.runtime.DistributedWorklist.shortest_paths
        return [by_worklist(endpoints, graph, 0) for _ in range(2 if EMULATED else 10)]

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for found in pool.map(search, range(3)):
            for distances in found:
                np.testing.assert_array_equal(distances, wanted)
