"""What a process takes on GPUs that it does not use."""

import ctypes
import multiprocessing

import numpy as np
import pytest

import calls
import warpgraph as wg
from checks import EMULATED

SECONDS = 120  # time limit of the child

#: Every function of a graph or of points that runs on a GPU.
CALLS = [
    call
    for call in calls.calls("device") + calls.calls("device", takes="points")
    if not call.on_cores_alone
]


def has_context(index):
    """Ask the driver whether this process has a context on a device, which takes 500 MB there."""
    flags, active = ctypes.c_uint(), ctypes.c_int()
    status = ctypes.CDLL("libcuda.so.1").cuDevicePrimaryCtxGetState(
        index, ctypes.byref(flags), ctypes.byref(active)
    )
    assert status == 0
    return bool(active.value)


def calls_with_context(sender):
    """Call everything on the second GPU, and send which calls made a context on the first."""
    graph = wg.Graph(wg.generators.grid(60, 60, seed=1, weights=(1, 100)))
    points = np.random.default_rng(0).random((5000, 2))
    made = []
    for call in CALLS:
        before = has_context(0)
        call.run(graph if call.takes == "graph" else points, device="cuda:1")
        if has_context(0) and not before:
            made.append(call.name)
    del graph
    sender.send((made, has_context(0), has_context(1)))


@pytest.mark.skipif(EMULATED, reason="contexts are not emulated")
@pytest.mark.cuda(2)
def test_a_process_that_uses_cuda_1_has_no_context_on_cuda_0():
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=calls_with_context, args=(sender,))
    child.start()
    sender.close()
    try:
        assert receiver.poll(SECONDS), "the child does not answer"
        assert receiver.recv() == ([], False, True)
    finally:
        child.kill()
        child.join()
