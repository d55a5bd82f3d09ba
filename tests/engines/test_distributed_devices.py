"""device= of warpgraph.distributed: it reaches every task, and GPUs of a host are dealt out."""

import logging
import threading
import uuid
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import warpgraph as wg
from device_lists import device_of_auto
from distributed_support import blocks_of, partitioned, random_edges, same_forest
from graphs import SAMPLES
from warpgraph import distributed
from warpgraph._arguments import device as _device
from warpgraph.distributed import _engine

GPUS = wg.devices()[1:]


def gathered(found):
    return found.gather() if hasattr(found, "gather") else found


def of_forest(function, **options):
    """Return a call of a function of forests; `device` is for that alone."""

    def call(edges, device):
        forest = distributed.minimum_spanning_forest(edges, arity=2, device="cpu")
        return function(forest, device=device, **options)

    return call


#: By function that has device=: a call whose tasks are leaves, merges and ranges.
CALLS = {
    "minimum_spanning_forest": lambda edges, device: distributed.minimum_spanning_forest(
        edges, arity=2, device=device
    ),
    "connected_components": lambda edges, device: distributed.connected_components(
        edges, arity=2, device=device
    ),
    "cluster_labels": of_forest(distributed.cluster_labels, n_clusters=2, min_cluster_size=2),
    "single_linkage": of_forest(distributed.single_linkage),
    "many_to_many": lambda edges, device: distributed.many_to_many(
        edges, range(0, 400, 7), device=device
    ),
}


@pytest.fixture(scope="module")
def edges():
    blocks = blocks_of(random_edges(400, 1500, seed=4), 5)
    return distributed.graph(blocks, distributed.LocalEngine(3), n_vertices=400)


@pytest.mark.parametrize("name", CALLS)
def test_the_answer_of_one_machine(name, device, edges):
    found, expected = (gathered(CALLS[name](edges, where)) for where in (device, "cpu"))
    if name == "minimum_spanning_forest":
        same_forest(found, expected)
        assert_array_equal(found.edge_ids, expected.edge_ids)
    else:
        assert_array_equal(found, expected)


@pytest.mark.parametrize("graph", ["many_islands", "parallel_edges", "negative_weights"])
def test_forests_and_components_of_samples(graph, device):
    parts = partitioned(SAMPLES[graph], distributed.LocalEngine(3))
    forest = distributed.minimum_spanning_forest(parts, device=device).gather()
    same_forest(forest, wg.minimum_spanning_forest(SAMPLES[graph], device="cpu"))
    labels = distributed.connected_components(parts, device=device).gather()
    assert_array_equal(labels, wg.connected_components(SAMPLES[graph], device="cpu")[1])


@pytest.mark.parametrize("name", CALLS)
def test_no_task_chooses_a_device_by_itself(name, edges, caplog):
    with caplog.at_level(logging.INFO, logger="warpgraph"):
        gathered(CALLS[name](edges, "cpu"))
        assert "device='auto'" not in caplog.text
        gathered(CALLS[name](edges, "auto"))
        assert "device='auto' chose" in caplog.text


@pytest.mark.parametrize("name", CALLS)
def test_a_device_that_no_worker_has(name, edges):
    with pytest.raises(wg.DeviceError, match="cuda:99"):
        gathered(CALLS[name](edges, "cuda:99"))


# GPUs of a host.


@pytest.fixture
def own_claims(monkeypatch):
    """Numbers that threads of other tests and processes do not have."""
    monkeypatch.setattr(_engine, "_CLAIMS", f"warpgraph-test-{uuid.uuid4()}")


@pytest.fixture
def three_gpus(monkeypatch, own_claims):
    """Three GPUs by name; nothing runs on them."""
    monkeypatch.setattr(_device._core, "cuda_device_count", lambda: 3)
    monkeypatch.setattr(_device._core, "require_device", lambda name: None)


def chosen(engine, n_tasks, device="cuda"):
    """Return the devices that tasks chose which ran at the same time, each on a thread."""
    barrier = threading.Barrier(n_tasks, timeout=60)

    def task():
        barrier.wait()
        return device_of_auto(device)

    return engine.gather([engine.submit(task) for _ in range(n_tasks)])


@pytest.mark.parametrize("device", ["cuda", "auto"])
@pytest.mark.parametrize("n_tasks", [1, 2, 3, 6, 7])
def test_gpus_are_dealt_out(device, n_tasks, three_gpus):
    counts = Counter(chosen(distributed.LocalEngine(n_tasks), n_tasks, device))
    assert sum(counts.values()) == n_tasks
    assert len(counts) == min(n_tasks, 3)
    assert max(counts.values()) - min(counts.values()) <= 1


def test_a_thread_keeps_its_gpu(three_gpus):
    engine = distributed.LocalEngine(1)
    assert len({chosen(engine, 1)[0] for _ in range(5)}) == 1


def test_a_gpu_by_number_or_all_of_them(three_gpus):
    engine = distributed.LocalEngine(4)
    assert chosen(engine, 4, "cuda:1") == ["cuda:1"] * 4
    names = engine.gather([engine.submit(_device.resolve_all, "cuda:all") for _ in range(4)])
    assert names == [["cuda:0", "cuda:1", "cuda:2"]] * 4


def test_threads_that_end_leave_their_gpus_to_others(three_gpus):
    for _ in range(5):
        engine = distributed.LocalEngine(4)
        assert sorted(set(chosen(engine, 4))) == ["cuda:0", "cuda:1", "cuda:2"]
        engine._pool.shutdown()
    assert chosen(distributed.LocalEngine(1), 1) == ["cuda:0"]


def test_calls_of_one_machine_use_the_first_gpu(three_gpus):
    """Also on a thread that has run a task."""
    engine = distributed.LocalEngine(2)
    chosen(engine, 2)
    done = [engine._pool.submit(_device.resolve, "cuda").result() for _ in range(4)]
    assert {*done, _device.resolve("cuda")} == {"cuda:0"}


def test_tasks_for_which_no_gpu_is_reserved(three_gpus):
    with _device.gpus_chosen_by(lambda count: None):
        assert device_of_auto() == "cpu"
        assert _device.resolve("cuda:1") == "cuda:1"
        with pytest.raises(wg.DeviceError, match="no GPU is reserved for this task"):
            _device.resolve("cuda")


def test_one_gpu_is_for_all(monkeypatch):
    monkeypatch.setattr(_device._core, "cuda_device_count", lambda: 1)
    monkeypatch.setattr(_device._core, "require_device", lambda name: None)
    assert set(chosen(distributed.LocalEngine(3), 3)) == {"cuda:0"}


@pytest.mark.cuda(2)
@pytest.mark.parametrize("name", CALLS)
def test_all_gpus_of_this_machine(name, edges, own_claims):
    engine = distributed.LocalEngine(2 * len(GPUS))
    assert Counter(chosen(engine, engine.slots)) == Counter(2 * GPUS)
    parts = distributed.PartitionedGraph(engine, edges.blocks, edges.offsets)
    found, expected = (gathered(CALLS[name](parts, where)) for where in ("cuda", "cpu"))
    values = [f.weights if name == "minimum_spanning_forest" else f for f in (found, expected)]
    assert_array_equal(*values)
    assert np.size(values[0])
