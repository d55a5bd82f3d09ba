"""Calls that a progress callable, or a handler of a signal, makes while another call runs."""

import sys
import threading

import numpy as np
import pytest

import calls
import warpgraph as wg
from alarms import alarms
from checks import assert_same_bits


@pytest.fixture(scope="module")
def graph():
    """Large enough that loops have blocks for several threads."""
    return wg.Graph(wg.generators.rmat(13, 16, seed=1, weights=(1, 100)))


@pytest.fixture
def four_threads():
    """More than a small machine has, and chosen, so that rounds have them, too."""
    wg.set_num_threads(4)
    yield
    wg.set_num_threads(0)


#: The most calls within one: the first ones meet all that a call keeps while it runs.
CALLS_WITHIN = 3
OUTER = {
    "bfs": lambda graph, **how: wg.bfs(graph, 0, device="cpu", **how),
    "pagerank": lambda graph, **how: wg.pagerank(graph, device="cpu", **how),
    "minimum_spanning_forest": lambda graph, **how: (
        wg.minimum_spanning_forest(graph, device="cpu", **how).edge_ids
    ),
    "many_to_many": lambda graph, **how: wg.many_to_many(graph, [0, 1], device="cpu", **how),
    "sssp on three": lambda graph, **how: wg.sssp(graph, 0, device=["cpu"] * 3, **how),
}
INNER = {
    name: (call, options)
    for name, call, options in calls.expanded("methods")
    if call.most_vertices >= 1 << 13 and call.weights_in is None
    if "hierarchy" not in name.lower()  # such graphs have no small one
}


@pytest.mark.parametrize("name", INNER)
@pytest.mark.parametrize("threads_within", [4, 1])
def test_a_call_of_a_progress_callable(name, threads_within, graph, four_threads):
    call, options = INNER[name]
    expected = calls.run_on("cpu", call, graph, options)

    def progress(done, total):
        if len(found) == CALLS_WITHIN:
            return
        wg.set_num_threads(threads_within)
        found.append(calls.run_on("cpu", call, graph, options))
        wg.set_num_threads(4)

    for outer in OUTER.values():
        found = []
        right = outer(graph)
        np.testing.assert_array_equal(outer(graph, progress=progress), right)
        assert found
        for arrays in found:
            assert_same_bits(arrays, expected)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no timers")
@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="needs the main thread"
)
@pytest.mark.parametrize("name", OUTER)
def test_a_call_of_a_signal_handler(name, graph, four_threads):
    large = wg.Graph(wg.generators.rmat(16, 16, seed=1, weights=(1, 100)))
    expected, right = wg.pagerank(graph, device="cpu"), OUTER[name](large)
    same = []

    def handle(*_):
        same.append(np.array_equal(wg.pagerank(graph, device="cpu"), expected))

    for i in range(10):
        with alarms(handle, 0.002 + 0.003 * i):
            while len(same) <= i:
                np.testing.assert_array_equal(OUTER[name](large), right)
    assert same == [True] * 10


def test_a_handler_needs_what_is_being_made(four_threads):
    """A graph is checked on first use, and loops that check it poll."""
    found = []

    def handle(*_):
        found.append(wg.connected_components(graph, device="cpu")[0])

    for i in range(8):
        graph = wg.Graph(wg.generators.rmat(17, 16, seed=1, weights=(1, 100)))
        with alarms(handle, 0.001 + 0.003 * i):
            right = wg.connected_components(graph, device="cpu")[0]
            wg.sssp(graph, 0, device="cpu")
        assert set(found) <= {right}


def test_limits_of_lists_are_those_of_the_call_that_has_them(graph, four_threads):
    """Lists of an inner call take nothing of the outer one's memory limit."""
    expected = wg.sssp(graph, 0, device="cpu")
    found = []

    def progress(done, total):
        found.append(wg.sssp(graph, 0, device="cpu", method="delta_stepping"))

    needed = 2_000_000  # bytes, enough for the outer call
    outer = wg.many_to_many(
        graph, [0], device="cpu", method="dijkstra", memory_limit=needed, progress=progress
    )
    np.testing.assert_array_equal(outer[0], expected)
    assert found
    for distances in found:
        np.testing.assert_array_equal(distances, expected)
