"""Segments of arrays on GPUs whose events are recorded late, and that users' streams copy."""

import gc

import numpy as np
import pytest

from warpgraph import _core, runtime

pytestmark = pytest.mark.cuda

VALUES = np.arange(1000.0)


def on_gpu(values):
    array = _core.device_array(values.shape, values.dtype, "cuda:0")
    array.set(values)
    return array


def test_an_array_may_wait_for_an_endpoint_that_needs_the_interpreter():
    context = runtime.Context(["cpu", "cuda:0"])
    sender, receiver = context.endpoints
    there, back = runtime.Link(sender, receiver), runtime.Link(sender, context.host)
    array = on_gpu(VALUES)

    def send(_):
        delivered = there.send(VALUES)
        back._core.send(array, 0, delivered._core)

    def receive(_):
        sum(range(10**6))  # the sender waits by then
        there._core.receive().wait_into(on_gpu(VALUES))

    found = context.run({sender: send, receiver: receive}, lambda: back.receive().wait().values)
    np.testing.assert_array_equal(found, VALUES)


def test_copies_on_streams_of_users_end_before_their_buffers():
    for k in range(20):
        context = runtime.Context(["cuda:0"])
        link = runtime.Link(context.host, context.endpoints[0])
        array = on_gpu(np.zeros(1000))
        context.run(
            lambda _, link=link, array=array: link._core.receive().wait_into(array),
            lambda link=link, k=k: link.send(VALUES + k),
        )
        del context, link
        gc.collect()
        others = on_gpu(np.full(1 << 18, -1.0))  # where the buffers were
        np.testing.assert_array_equal(array.to_numpy(), VALUES + k)
        del others
