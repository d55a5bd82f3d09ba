"""wg.runtime: segments of arrays that go to Python functions."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import warpgraph as wg
from checks import raises_sentence
from runtime_support import PACKET, assert_filters, over_sizes, received_by
from warpgraph import runtime

# An endpoint that is stopped has an exception raised in its thread, wherever that is.
pytestmark = pytest.mark.usefixtures("no_gc_callbacks")


@over_sizes
def test_filter(n):
    assert_filters(n)


@over_sizes
def test_policies(n):
    message = np.arange(5000)
    found = received_by(n, runtime.any_available, message)
    np.testing.assert_array_equal(np.sort(np.concatenate(found)), message)
    items = PACKET // 8
    for i, part in enumerate(received_by(n, runtime.scatter, message)):
        np.testing.assert_array_equal(part, message[message // items % n == i])
    for part in received_by(n, runtime.broadcast, message):
        np.testing.assert_array_equal(part, message)
    found = received_by(n, runtime.all_to_all, message, metadata=n - 1)
    assert [len(part) for part in found] == [0] * (n - 1) + [5000]


@over_sizes
def test_a_function_as_policy(n):
    seen = []

    def by_offset(segment, source, outputs):
        assert segment.values is None
        assert source.name == "the host"
        seen.append((segment.offset, segment.n_items, segment.metadata))
        return [outputs[segment.offset // 100 % n]]

    found = received_by(n, by_offset, np.arange(250), metadata=-5)
    for i, part in enumerate(found):
        want = np.arange(250)
        np.testing.assert_array_equal(part, want[want // 100 % n == i])
    assert seen == [(0, 100, -5), (100, 100, -5), (200, 50, -5)]


@over_sizes
@pytest.mark.parametrize("policy", [runtime.tree_reduce, runtime.one_way_reduce], ids=str)
def test_reductions(n, policy):
    context = runtime.Context(["cpu"] * n)
    router = runtime.Router(context, n, n + 1, policy)
    outputs = {e: runtime.Link(e, router) for e in context.endpoints}
    inputs = {e: runtime.Link(router, e) for e in context.endpoints}
    result = runtime.Link(router, context.host)

    def add(endpoint):
        total = np.array([endpoint.id + 1])
        for segment in inputs[endpoint]:
            total += segment.values
        outputs[endpoint].send(total)

    sums = context.run(add, lambda: [int(s.values[0]) for s in result])
    assert sums == [n * (n + 1) // 2]


def test_ring_and_table():
    context = runtime.Context(["cpu"] * 3)
    ring = runtime.Router(context, 3, 3, runtime.ring)
    a, b, c = context.endpoints
    out = {e: runtime.Link(e, ring) for e in (a, b, c)}
    into = {e: runtime.Link(ring, e) for e in (a, b, c)}
    second = runtime.Router(context, 1, 2, runtime.table({context.host: [c, b]}, to_all=True))
    host = runtime.Link(context.host, second)
    more = {e: runtime.Link(second, e) for e in (b, c)}
    found = {}

    def talk(endpoint):
        out[endpoint].send([endpoint.id])
        out[endpoint].shutdown()
        found[endpoint.id] = [int(s.values[0]) for s in into[endpoint]]
        if endpoint in more:
            found[endpoint.id] += [int(s.values[0]) for s in more[endpoint]]

    context.run(talk, lambda: host.send([7]))
    assert found == {0: [2], 1: [0, 7], 2: [1, 7]}


def test_a_function_for_each_endpoint():
    context = runtime.Context(["cpu", "cpu"])
    first, second = context.endpoints
    link = runtime.Link(first, second)
    found = []
    context.run(
        {
            first: lambda e: link.send(np.arange(3, dtype=np.uint8), metadata=9),
            second: lambda e: found.extend(link),
        }
    )
    (segment,) = found
    assert segment.values.dtype == np.uint8
    assert (segment.metadata, segment.offset, segment.n_items) == (9, 0, 3)
    assert segment.source == first
    assert str(segment.source) == "endpoint 0 (cpu)"


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16", "g"])
def test_dtypes(dtype):
    sent = np.arange(300).astype(dtype)
    (found,) = received_by(1, runtime.gather, sent)
    assert found.dtype == sent.dtype
    np.testing.assert_array_equal(found, sent)


def test_pending_segments_and_futures():
    context = runtime.Context(["cpu"])
    link = runtime.Link(context.host, context.endpoints[0], n_buffers=1)
    back = runtime.Link(context.endpoints[0], context.host)

    def receive(endpoint):
        pending = link.receive()
        segment = pending.wait()
        assert pending.wait() is segment
        assert link.receive() is None
        back.send(segment.values * 2)

    def feed():
        sent = link.send([1.5, 2.5])
        link.shutdown()
        sent.wait()
        assert sent.is_complete()
        return next(iter(back)).values.tolist()

    assert context.run(receive, feed) == [3.0, 5.0]


def test_waits_before_the_run_are_for_other_threads():
    context = runtime.Context(["cpu"])
    link = runtime.Link(context.host, context.endpoints[0])
    with ThreadPoolExecutor(1) as other:
        received = other.submit(link.receive)
        link.send([7])
        assert received.result().wait().values.tolist() == [7]
        sent = link.send([8])
        run = other.submit(context.run, lambda e: [s.values.tolist() for s in link])
        sent.wait()
        run.result()
    assert sent.is_complete()
    assert link.receive() is None


def test_empty_arrays_arrive():
    (found,) = received_by(1, runtime.gather, np.empty(0, np.int16))
    assert found.shape == (0,)
    context = runtime.Context(["cpu"])
    link = runtime.Link(context.host, context.endpoints[0])
    seen = []
    context.run(lambda e: seen.extend(link), lambda: link.send(np.empty(0, np.int16), 5))
    assert [(s.n_items, s.metadata, s.values.dtype) for s in seen] == [(0, 5, np.int16)]


def test_errors_of_the_graph():
    context = runtime.Context(["cpu", "cpu"])
    a, b = context.endpoints
    runtime.Link(a, b)
    with raises_sentence(ValueError, "endpoint 0 (cpu) is linked to endpoint 1 (cpu) already"):
        runtime.Link(a, b)
    with raises_sentence(ValueError, "endpoint 0 (cpu) cannot be linked to itself"):
        runtime.Link(a, a)
    other = runtime.Context(["cpu"])
    with raises_sentence(
        ValueError, "destination is endpoint 0 (cpu), which belongs to another context"
    ):
        runtime.Link(a, other.endpoints[0])
    router = runtime.Router(context, 1, 1, runtime.table({b: [a]}), name="r")
    assert repr(router) == "<Router: router 'r'>"
    runtime.Link(a, router)
    runtime.Link(router, context.host)
    with raises_sentence(
        ValueError,
        "the policy table of router 'r' names endpoint 1 (cpu), which is not an input of it",
    ):
        context.run(lambda e: None)
    with raises_sentence(ValueError, "a context runs once: make a new one"):
        context.run(lambda e: None)


def test_bad_arguments():
    with pytest.raises(wg.DeviceError):
        runtime.Context(["cpu", "cuda:99"])
    with pytest.raises(ValueError, match="empty"):
        runtime.Context([])
    with pytest.raises(TypeError, match="devices must be a sequence"):
        runtime.Context("cpu")
    context = runtime.Context(["cpu"])
    endpoint = context.endpoints[0]
    with raises_sentence(ValueError, "n_buffers must be in 1..64, got 65"):
        runtime.Link(context.host, endpoint, n_buffers=65)
    with raises_sentence(ValueError, "n_inputs must be in 1..4096, got 0"):
        runtime.Router(context, 0, 1, runtime.gather)
    with raises_sentence(TypeError, "policy must be a RoutingPolicy or a function, got 3"):
        runtime.Router(context, 1, 1, 3)
    with pytest.raises(TypeError, match="source must be an endpoint or a router, got 0"):
        runtime.Link(0, endpoint)
    with pytest.raises(TypeError, match="destination must be an endpoint or a router, got 1"):
        runtime.Link(endpoint, 1)
    with raises_sentence(TypeError, "on_endpoint must be a function, got 3"):
        context.run(3)
    with raises_sentence(TypeError, "on_host must be a function, got 3"):
        context.run(lambda e: None, 3)
    with raises_sentence(ValueError, "on_endpoint has no function for endpoint 0 (cpu)"):
        context.run({})
    link = runtime.Link(context.host, endpoint, packet_size=4)
    for values in (np.zeros((2, 2)), np.array(["a"]), np.zeros(2, ">i2"), [None]):
        with pytest.raises(TypeError, match="values must be numbers in one dimension"):
            link.send(values)
    with pytest.raises(ValueError, match="an item of 8 bytes does not fit the packets of the link"):
        link.send([1.0])


def test_a_function_chooses_for_segments_that_are_forwarded():
    context = runtime.Context(["cpu"] * 2)
    first, second = context.endpoints
    router = runtime.Router(context, 1, 1, lambda segment, source, outputs: outputs)
    into, between = runtime.Link(context.host, first), runtime.Link(first, router)
    out = runtime.Link(router, second)
    arrived = []

    def feed():
        into.send(np.arange(500)).wait()

    work = {
        first: lambda _: into.receive().forward(between),
        second: lambda _: arrived.extend(segment.values for segment in out),
    }
    context.run(work, feed)
    np.testing.assert_array_equal(np.concatenate(arrived), np.arange(500))


def test_what_a_policy_returns_is_checked():
    def elsewhere(segment, source, outputs):
        return [source]

    with pytest.raises(ValueError, match="sends segments of the host to the host, which is not an"):
        received_by(2, elsewhere, np.arange(3))
    with pytest.raises(TypeError, match="what the policy returns must be an endpoint"):
        received_by(2, lambda *_: [3], np.arange(3))


def test_tables_have_endpoints_of_one_context():
    here, there = runtime.Context(["cpu"] * 2), runtime.Context(["cpu"] * 2)
    a, b = here.endpoints
    with raises_sentence(
        ValueError, "an input of the policy table is the host, which belongs to another context"
    ):
        runtime.Router(here, 1, 2, runtime.table({there.host: there.endpoints}))
    with raises_sentence(ValueError, "an output", "endpoint 1 (cpu)", "another context"):
        runtime.Router(here, 1, 2, runtime.table({a: [b, there.endpoints[1]]}))


def test_what_tables_hold_is_checked():
    context = runtime.Context(["cpu"] * 2)
    first, _ = context.endpoints
    for routes, sentence in [
        ({"a": ["b"]}, "a key of routes must be an endpoint, got 'a'"),
        ({first: ["b"]}, "an item of routes[endpoint 0 (cpu)] must be an endpoint, got 'b'"),
        (
            {first: first},
            "routes[endpoint 0 (cpu)] must be a list of endpoints, got Endpoint(id=0)",
        ),
        ({first: None}, "routes[endpoint 0 (cpu)] must be a list of endpoints, got None"),
        ({first: "ab"}, "routes[endpoint 0 (cpu)] must be a list of endpoints, got 'ab'"),
        ([first], "routes must be a dict of lists of endpoints, got [Endpoint(id=0)]"),
    ]:
        with raises_sentence(TypeError, sentence):
            runtime.table(routes)


def test_functions_for_what_is_no_endpoint():
    context, other = runtime.Context(["cpu"]), runtime.Context(["cpu"])
    own = {context.endpoints[0]: lambda endpoint: None}
    for key, shown in [
        ("x", "'x'"),
        (context.host, "the host"),
        (other.endpoints[0], "endpoint 0"),
    ]:
        with raises_sentence(ValueError, f"a function for {shown}", "endpoints of this context"):
            context.run({**own, key: lambda endpoint: None})
    context.run(own)


@pytest.mark.parametrize("pick", [lambda outputs: None, lambda outputs: outputs[0]])
def test_a_policy_that_returns_no_list(pick):
    def to_nobody(segment, source, outputs):
        return pick(outputs)

    with raises_sentence(
        TypeError, "what policy to_nobody returns must be a list of endpoints, got"
    ):
        received_by(2, to_nobody, np.arange(3))
