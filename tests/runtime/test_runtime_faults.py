"""wg.runtime: errors, stalls and Ctrl-C end a run within a second, and nothing is left."""

import contextlib
import gc
import threading
import time
import weakref

import numpy as np
import pytest

from alarms import alarms, interrupt
from runtime_support import FailsError, Star, assert_filters, over_sizes, raises_soon
from warpgraph import runtime

pytestmark = pytest.mark.usefixtures("no_gc_callbacks")


def interrupted_soon():
    """Do as Ctrl-C does, after a tenth of a second."""
    return alarms(interrupt, 0.1)


@over_sizes
def test_a_function_that_raises(n):
    star = Star(n)
    stopped = []

    def receive(endpoint):
        try:
            for segment in star.inputs[endpoint]:
                if segment.offset >= 500:
                    raise FailsError("in the middle")
        except runtime.Stopped:
            stopped.append(endpoint)
            raise

    def feed():
        for _ in range(1000):
            star.out.send(np.arange(1000)).wait()

    raises_soon(FailsError, "in the middle", star.context, receive, feed)
    assert len(stopped) < n
    assert_filters(n)


def test_functions_that_never_wait_still_end():
    star = Star(2)
    star.out.shutdown()

    def work(endpoint):
        while True:  # returns None at once
            star.inputs[endpoint].receive()

    def fail():
        raise FailsError("on the host")

    raises_soon(FailsError, "on the host", star.context, work, fail)


@over_sizes
def test_functions_that_never_call_the_runtime_still_end(n):
    star = Star(n)
    started, ended = [], []
    deadline = time.perf_counter() + 10

    def spin():  # CPython 3.13 raises at the end of a loop, outside of a `try` that ends there
        while time.perf_counter() < deadline:
            pass

    def compute(endpoint):
        try:
            started.append(endpoint.id)
            spin()
        except runtime.Stopped:
            ended.append(endpoint.id)
            raise

    def fail():
        time.sleep(0.05)
        raise FailsError("on the host")

    raises_soon(FailsError, "on the host", star.context, compute, fail)
    assert {*started} <= {*ended}
    assert_filters(n)


def busy(seconds):
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline:
        pass


@over_sizes
def test_functions_that_drop_the_exception_still_end(n):
    """As Python does where it is raised in a callback of the garbage collector."""
    star = Star(n)

    def compute(endpoint):
        for _ in range(3):
            with contextlib.suppress(runtime.Stopped):
                busy(10)
        busy(10)

    def fail():
        time.sleep(0.05)
        raise FailsError("on the host")

    raises_soon(FailsError, "on the host", star.context, compute, fail)
    assert_filters(n)


@over_sizes
def test_blocks_that_clean_up_are_not_ended(n):
    star = Star(n)
    started, cleaned = [], []

    def clean_up(endpoint):
        with contextlib.suppress(ValueError):
            raise ValueError(endpoint)
        try:
            raise KeyError(endpoint)
        except KeyError:
            busy(0.1 / n)
        busy(0.1 / n)
        cleaned.append(endpoint.id)

    def compute(endpoint):
        try:
            started.append(endpoint.id)
            busy(10)
        finally:
            clean_up(endpoint)

    def fail():
        while len(started) < n:
            time.sleep(0.001)
        raise FailsError("on the host")

    raises_soon(FailsError, "on the host", star.context, compute, fail)
    assert sorted(cleaned) == list(range(n))


def test_a_host_function_that_raises():
    star = Star(3)

    def fail():
        raise FailsError("on the host")

    raises_soon(FailsError, "on the host", star.context, lambda e: list(star.inputs[e]), fail)


def test_functions_that_handle_all_exceptions_still_end():
    star = Star(2)

    def stubborn(endpoint):
        while True:
            try:
                star.inputs[endpoint].receive().wait()
            except Exception:
                star.outputs[endpoint].send([1])

    def fail():
        star.out.send([1]).wait()
        raise FailsError("on the host")

    raises_soon(FailsError, "on the host", star.context, stubborn, fail)


@over_sizes
def test_an_endpoint_that_never_receives(n):
    star = Star(n, runtime.broadcast)

    def ignore_the_first(endpoint):
        if endpoint.id > 0:
            list(star.inputs[endpoint])

    error = raises_soon(
        RuntimeError,
        "no endpoint can continue",
        star.context,
        ignore_the_first,
        lambda: star.out.send([1, 2]).wait(),
    )
    assert "the host waits until router 'out' has delivered what it has sent" in str(error)
    assert_filters(n)


def test_endpoints_that_wait_for_each_other():
    context = runtime.Context(["cpu"] * 2)
    a, b = context.endpoints
    links = {a: runtime.Link(b, a), b: runtime.Link(a, b)}
    error = raises_soon(RuntimeError, "no endpoint", context, lambda e: list(links[e]))
    assert "endpoint 0 (cpu) waits to receive from endpoint 1 (cpu)" in str(error)
    assert "endpoint 1 (cpu) waits to receive from endpoint 0 (cpu)" in str(error)


def test_a_segment_that_nobody_receives():
    context = runtime.Context(["cpu"])
    link = runtime.Link(context.host, context.endpoints[0])
    raises_soon(
        RuntimeError,
        "endpoint 0 .cpu. has ended without receiving what the host has sent to it",
        context,
        lambda e: None,
        lambda: link.send([1]),
    )


@over_sizes
@pytest.mark.parametrize("where", ["waiting", "in Python", "after its function"])
def test_ctrl_c(n, where):
    star = Star(n)

    def work(endpoint):
        while True:
            time.sleep(0.001)
            star.outputs[endpoint].send([1])

    def on_host():
        if where == "in Python":
            while True:
                pass
        if where == "waiting":
            for _ in star.back:
                pass

    with interrupted_soon():
        raises_soon(KeyboardInterrupt, None, star.context, work, on_host)
    assert_filters(n)


@pytest.mark.parametrize(
    "wait", [lambda link: link.receive(), lambda link: link.send([1]).wait()], ids=["data", "event"]
)
def test_ctrl_c_outside_of_a_run(wait):
    context = runtime.Context(["cpu"])
    link = runtime.Link(context.host, context.endpoints[0])
    with interrupted_soon(), pytest.raises(KeyboardInterrupt):
        wait(link)


def test_nothing_is_kept():
    """Arrays, contexts and exceptions are freed, whether the run succeeds or not."""

    class Array(np.ndarray):
        pass

    def by_offset(segment, source, outputs):
        return [outputs[segment.offset % 3]]

    def run(fails):
        star = Star(3, by_offset)
        sent = np.arange(5000.0).view(Array)
        kept = weakref.ref(sent), weakref.ref(star.context)

        def receive(endpoint):
            for _ in star.inputs[endpoint]:
                if fails:
                    raise FailsError

        def feed():
            star.out.send(sent)

        if fails:
            with pytest.raises(FailsError):
                star.context.run(receive, feed)
        else:
            star.context.run(receive, feed)
        return kept

    for fails in (False, True):
        kept = run(fails)
        gc.collect()
        assert [reference() for reference in kept] == [None, None]


@pytest.mark.parametrize("runs", [True, False])
def test_a_policy_may_refer_to_its_context(runs):
    def make():
        stars = []
        star = Star(2, lambda segment, source, outputs: [stars[0].context.endpoints[0]])
        stars.append(star)
        if runs:
            star.context.run(lambda endpoint: list(star.inputs[endpoint]), star.out.shutdown)
        return weakref.ref(star.context)

    context = make()
    gc.collect()
    assert context() is None


def test_runs_in_several_threads():
    errors = []

    def run():
        try:
            for _ in range(5):
                assert_filters(3)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
