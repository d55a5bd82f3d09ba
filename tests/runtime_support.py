"""What the tests of `wg.runtime` share: a router to all endpoints and one back; runs that fail."""

import os
import time

import numpy as np
import pytest

from warpgraph import runtime

SIZES = (1, 2, 3, 5, 8)
PACKET = 800

over_sizes = pytest.mark.parametrize("n", SIZES)


class Star:
    """A router from the host to all endpoints, and one back."""

    def __init__(self, n, policy=runtime.any_available, back=runtime.gather):
        self.context = runtime.Context(["cpu"] * n)
        out = runtime.Router(self.context, 1, n, policy, name="out")
        home = runtime.Router(self.context, n, 1, back, name="back")
        self.out = runtime.Link(self.context.host, out, PACKET)
        self.back = runtime.Link(home, self.context.host, PACKET)
        endpoints = self.context.endpoints
        self.inputs = {e: runtime.Link(out, e, PACKET) for e in endpoints}
        self.outputs = {e: runtime.Link(e, home, PACKET) for e in endpoints}


def received_by(n, policy, message, metadata=0):
    """Return what each endpoint receives of a message of the host."""
    star = Star(n, policy)
    received = {}

    def receive(endpoint):
        parts = [segment.values for segment in star.inputs[endpoint]]
        received[endpoint.id] = np.concatenate([message[:0], *parts])

    star.context.run(receive, lambda: star.out.send(message, metadata).wait())
    return [received[i] for i in range(n)]


def assert_filters(n):
    """The predicate filter, as docs/runtime.md has it."""
    star = Star(n)
    values = np.random.default_rng(n).random(20_000)

    def filter_segments(endpoint):
        for segment in star.inputs[endpoint]:
            passed = segment.values[segment.values < 0.5]
            star.outputs[endpoint].send(passed, metadata=segment.offset)

    def feed():
        star.out.send(values)
        star.out.shutdown()
        parts = sorted((s.metadata, s.values) for s in star.back)
        return np.concatenate([part for _, part in parts])

    np.testing.assert_array_equal(star.context.run(filter_segments, feed), values[values < 0.5])


class FailsError(Exception):
    pass


def promised_seconds():
    """Return the second that is promised, and as many more as others wait for each core."""
    return 1 + os.getloadavg()[0] / os.cpu_count()


def raises_soon(error, match, context, *functions):
    """The run ends by this error within the promised time, without threads left."""
    started = time.perf_counter()
    tasks = n_threads()
    with pytest.raises(error, match=match) as caught:
        context.run(*functions)
    assert time.perf_counter() - started < promised_seconds()
    while n_threads() > tasks:  # the kernel may list a thread for a moment after it was joined
        assert time.perf_counter() - started < 1 + promised_seconds()
        time.sleep(0.001)
    return caught.value


def n_threads():
    return len(os.listdir("/proc/self/task"))
