"""Between two polls for Ctrl-C, no call computes for longer than is promised.

A timer's signal arrives every few milliseconds, and its handler runs when the call polls. A stretch
between two of these moments counts as what it takes of the clock or of all cores, whichever is
less: a busy machine delays the one, several threads add to the other.
"""

import time

import numpy as np
import pytest

import calls
import warpgraph as wg
from alarms import alarms
from large_inputs import large_input

pytestmark = pytest.mark.usefixtures("no_gc_callbacks")

#: The seconds that are promised.
ALLOWED = 0.2
ATTEMPTS = 3


def hierarchy(device):
    """Find an order, the arcs, and their lengths."""
    made = wg.Hierarchy(large_input("city"), customizable=True)
    return np.array(made.n_arcs), np.array(made.n_vertices)


#: The long calls of the table, and calls that have steps of their own.
CALLS = {
    **calls.long_calls("long"),
    **calls.long_calls("long_on_cores"),
    "Hierarchy, customizable": hierarchy,
    "Graph.from_edges": lambda device: (wg.Graph.from_edges(*large_input("edges")).indices,),
}


def longest_stretch(call):
    """Return the seconds of the longest stretch of a call without a poll."""
    moments = []

    def note(*_):
        moments.append((time.perf_counter(), time.process_time()))

    note()
    with alarms(note, 0.005, 0.005):
        call()
    note()
    return np.diff(moments, axis=0).min(axis=1).max()


def test_a_stretch_without_polls_is_found():
    took = []

    def ignoring():
        start = time.process_time()
        sum(range(10**7))  # does not look at signals
        took.append(time.process_time() - start)

    assert longest_stretch(ignoring) > 0.9 * took[0]


@pytest.mark.heavy
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("name", CALLS)
def test_calls_poll(name, threads):
    wg.set_num_threads(threads)
    try:
        stretches = []
        while len(stretches) < ATTEMPTS and min(stretches, default=1) > ALLOWED:
            stretches.append(longest_stretch(lambda: CALLS[name]("cpu")))
        assert min(stretches) <= ALLOWED
    finally:
        wg.set_num_threads(0)
