"""wg.runtime.DistributedWorklist on GPUs: operators of users on CuPy arrays."""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

import checks
import cupy_stand_in
import graphs
import oracles
from checks import raises_sentence
from warpgraph import runtime
from warpgraph.runtime import Flags

pytestmark = [pytest.mark.cuda]

DEVICES = [["cuda:0"], ["cuda:0"] * 3, ["cpu", "cuda:0"], ["cuda:0", "cpu", "cpu"]]
POLICIES = (runtime.all_to_all, runtime.ring)


IS_BLOCKING = os.environ.get("CUDA_LAUNCH_BLOCKING") == "1"


@pytest.fixture
def cupy(monkeypatch):
    """Return CuPy, or what stands for it where GPUs are emulated."""
    if importlib.util.find_spec("cupy") is None:
        if not (checks.EMULATED and IS_BLOCKING):
            pytest.skip("needs CuPy")
        monkeypatch.setitem(sys.modules, "cupy", cupy_stand_in.module())
    return importlib.import_module("cupy")


class Hops:
    """Breadth-first search: an item is a vertex, and its hops in the upper 32 bits."""

    def __init__(self, cupy, graph, devices, **options):
        self.context = runtime.Context(devices)
        self.n = len(devices)
        self.modules = [np if device == "cpu" else cupy for device in devices]
        self.indptr = graph.indptr.astype(np.int64)
        self.indices = graph.indices.astype(np.int64)
        far = np.full(graph.shape[0], 2**31 - 1, np.int64)
        self.hops = [xp.array(far) for xp in self.modules]
        self.worklist = runtime.DistributedWorklist(
            self.context.host,
            self.context.endpoints,
            np.int64,
            self.expand,
            owner=lambda items: (items & 0xFFFFFFFF) % self.n,
            **options,
        )

    def expand(self, worker, items):
        xp, known = self.modules[worker], self.hops[worker]
        assert isinstance(items, xp.ndarray)
        vertices, hops = items & 0xFFFFFFFF, items >> 32
        shorter = hops < known[vertices]
        vertices, hops = vertices[shorter], hops[shorter]
        if len(vertices) == 0:
            return None
        # A vertex may be there twice: the least is written last.
        order = xp.argsort(-1 * hops)
        for vertex, hop in zip(vertices[order].tolist(), hops[order].tolist(), strict=True):
            known[vertex] = hop
        made = [
            (self.indices[self.indptr[v] : self.indptr[v + 1]] | (h + 1) << 32)
            for v, h in zip(vertices.tolist(), hops.tolist(), strict=True)
        ]
        return xp.asarray(np.concatenate(made))

    def run(self, source):
        seeds = np.array([source], np.int64)
        self.context.run(self.worklist.work, lambda: self.worklist.start(seeds))
        arrays = [hops if isinstance(hops, np.ndarray) else hops.get() for hops in self.hops]
        found = np.min(arrays, axis=0)
        return np.where(found == 2**31 - 1, -1, found)


@pytest.mark.skipif(not checks.EMULATED or IS_BLOCKING, reason="is for emulated GPUs")
def test_without_cupy():
    """What stands for CuPy needs an emulator that does all work at once."""
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    environment = os.environ | {"CUDA_LAUNCH_BLOCKING": "1"}
    run = subprocess.run(tests, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stdout


def least_first(items):
    return items >> 32


SCHEDULES = {
    "at once": {},
    "by hops": {"priority": least_first},
    "small": {"batch": 3, "packet_size": 64},
    "converted": {
        "pack": lambda items: items + 7,
        "unpack": lambda items: items - 7,
    },
}


@pytest.mark.parametrize("devices", DEVICES, ids=",".join)
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)
def test_hops(devices, policy, schedule, cupy):
    for name in ("grid", "directed_chain", "parallel_edges"):
        graph = graphs.SAMPLES[name]
        found = Hops(cupy, graph, devices, policy=policy, **schedule).run(0)
        assert found.tolist() == oracles.hops(graph, 0).tolist()


def test_flags_of_users(cupy):
    """Each worker keeps even numbers and passes odd ones on, until they are small."""
    seen = []

    def process(worker, items):
        seen.extend(items.tolist())
        return items[items > 1] // 2

    def flags(worker, items):
        xp = cupy if isinstance(items, cupy.ndarray) else np
        return xp.where(items % 2 == worker, int(Flags.KEEP), int(Flags.PASS))

    context = runtime.Context(["cuda:0", "cuda:0"])
    worklist = runtime.DistributedWorklist(
        context.host,
        context.endpoints,
        np.int64,
        process,
        on_send=flags,
        on_receive=flags,
        policy=runtime.ring,
    )
    context.run(worklist.work, lambda: worklist.start(np.array([100, 37])))
    assert sorted(seen) == sorted([100, 50, 25, 12, 6, 3, 1, 37, 18, 9, 4, 2, 1])


def worklist_of(devices, process, dtype=np.int64, **options):
    context = runtime.Context(devices)
    worklist = runtime.DistributedWorklist(
        context.host, context.endpoints, dtype, process, owner=lambda items: items * 0, **options
    )
    return context, worklist


def test_items_on_gpus_are_numbers(cupy):
    pair = np.dtype([("vertex", np.int32), ("distance", np.float32)])
    with raises_sentence(TypeError, "dtype must be a dtype of numbers if workers are on GPUs"):
        worklist_of(["cpu", "cuda:0"], print, pair)
    how = {"pack": print, "unpack": print, "remote_dtype": ">i8"}
    with raises_sentence(TypeError, "remote_dtype must be a dtype of numbers"):
        worklist_of(["cuda:0"], print, **how)


def test_the_source_is_on_the_host():
    context = runtime.Context(["cuda:0", "cpu"])
    with raises_sentence(ValueError, "source is endpoint 0 (cuda:0)", "come from the host"):
        runtime.DistributedWorklist(
            context.endpoints[0], context.endpoints[1:], np.int64, print, owner=print
        )


def test_what_a_callback_on_a_gpu_returns(cupy):
    for returned, parts in (
        (np.zeros(1, np.int64), ["what process returns must be a CuPy array of dtype int64"]),
        ([1], ["must be a CuPy array", "got"]),
    ):
        context, worklist = worklist_of(["cuda:0"], lambda worker, items, made=returned: made)
        with raises_sentence(TypeError, *parts):
            context.run(
                worklist.work, lambda worklist=worklist: worklist.start(np.zeros(3, np.int64))
            )


def test_buffers_are_chosen_by_what_a_link_carries_within_its_latency():
    context = runtime.Context(["cpu", "cuda:0", "cuda:0", "cpu"])
    host, first, second, other = context.endpoints
    mega = 1 << 20
    assert runtime.Link(host, other, mega).n_buffers == 2
    assert runtime.Link(host, first, mega).n_buffers == 2
    assert runtime.Link(host, second, mega // 16).n_buffers == 4
    assert runtime.Link(first, second, mega).n_buffers == 4
    assert runtime.Link(second, first, 64 * mega).n_buffers == 2
    assert runtime.Link(second, host, 8).n_buffers == 4
    assert runtime.Link(first, host, mega, n_buffers=3).n_buffers == 3
    router = runtime.Router(context, 1, 1, runtime.any_available)
    assert runtime.Link(router, other, mega).n_buffers == 2
    assert runtime.Link(first, router, mega).n_buffers == 4
