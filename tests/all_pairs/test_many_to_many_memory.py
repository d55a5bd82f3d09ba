"""wg.many_to_many: memory_limit= of the result and of each method, and of several devices."""

import numpy as np
import pytest

import checks
import warpgraph as wg
from graphs import SAMPLES
from sssp_support import assert_same
from test_many_to_many import METHODS, rows_of_sssp
from warpgraph import _core

every_method = pytest.mark.parametrize("method", ["auto", *METHODS])


def test_trees_beyond_memory():
    """Trees have rows of all vertices, for any targets and any output array."""
    graph, sources = SAMPLES["medium_random"], np.arange(1500)
    how = {"return_predecessors": True, "out": np.empty((1500, 1)), "memory_limit": 10**6}
    with checks.raises_sentence(MemoryError, 4 * 1500 * 1500, "fewer sources") as caught:
        wg.many_to_many(graph, sources, [7], **how)
    assert "targets" not in str(caught.value)


@pytest.mark.heavy
@every_method
def test_result_beyond_memory(method, device):
    graph = SAMPLES["medium_random"]
    sources = np.arange(1500)
    how = {"method": method, "device": device}
    with checks.raises_sentence(MemoryError, 8 * 1500 * 1500, 10**7, "out=", "memmap", "targets="):
        wg.many_to_many(graph, sources, memory_limit=10**7, **how)
    some = wg.many_to_many(graph, sources, [3, 4], memory_limit=10**7, **how)
    assert_same(some, rows_of_sssp(graph, sources, [3, 4])[0])


@every_method
def test_search_beyond_memory(method, device):
    graph = SAMPLES["medium_random"]
    out = np.empty((3, 1500))
    with checks.raises_sentence(MemoryError, "10 bytes"):
        wg.many_to_many(graph, [0, 1, 2], out=out, memory_limit=10, method=method, device=device)


def bytes_of_searches(graph, n_sources, method, device):
    """Return the bytes that float64 distances to all vertices take beside the result."""
    request = {"n_sources": n_sources}
    return _core.bytes_of_searches(graph._handle, request, np.dtype(float), method, device)


@pytest.mark.parametrize("method", METHODS)
def test_states_the_memory_that_it_needs(method, device):
    graph = wg.Graph(SAMPLES["medium_random"])
    how = {"out": np.empty((40, graph.n_vertices)), "method": method, "device": device}
    wg.set_num_threads(1)
    try:
        needed = bytes_of_searches(graph, 40, method, device)
        wg.many_to_many(graph, range(40), memory_limit=needed, **how)
        with checks.raises_sentence(MemoryError, f"{needed} bytes", f"{needed - 1} bytes"):
            wg.many_to_many(graph, range(40), memory_limit=needed - 1, **how)
    finally:
        wg.set_num_threads(0)


@pytest.mark.parametrize("k", [40, 90])
def test_states_the_memory_that_hops_need(k, device):
    """In the core: in Python another method searches if memory does not suffice."""
    graph = wg.generators.rmat(8, 16, seed=3)
    n, sources = graph.n_vertices, np.arange(k, dtype=np.int32)
    out, no_tree = np.empty((k, n)), np.empty((0, n), np.int32)
    search = sources, np.empty(0, np.int32), out, no_tree, np.inf
    how = {"method": "breadth_first"}
    wg.set_num_threads(1)
    try:
        needed = bytes_of_searches(graph, k, "breadth_first", device)

        def hops_within(limit):
            options = how | {"mirrored": True, "ledger": _core.ledger(limit)}
            _core.many_to_many(
                graph._handle, None, *search, True, np.empty(0), [device], [], None, **options
            )
            return out

        expected = wg.many_to_many(graph, sources, unweighted=True, method="dijkstra", device="cpu")
        assert_same(hops_within(needed), expected)
        with checks.raises_sentence(MemoryError, f"{needed} bytes", f"{needed - 1} bytes"):
            hops_within(needed - 1)
    finally:
        wg.set_num_threads(0)


def test_heaps_fit_where_batches_do_not():
    graph = SAMPLES["medium_random"]
    out = np.empty((100, 1500))
    with checks.raises_sentence(MemoryError, "dijkstra"):
        wg.many_to_many(graph, np.arange(100), out=out, memory_limit=200_000, method="batched")
    wg.many_to_many(graph, np.arange(100), out=out, memory_limit=200_000)


def test_memory_limit_is_shared_on_the_host():
    graph = wg.Graph(SAMPLES["medium_random"])
    sources, how = np.arange(40), {"out": np.empty((40, graph.n_vertices)), "method": "dijkstra"}
    graph._handle_for(np.dtype(np.float64))
    alone = _least_limit(graph, sources, device="cpu", **how)
    dealt = _least_limit(graph, sources, device=["cpu"] * 4, **how)
    assert dealt == 4 * alone


def _least_limit(graph, sources, **how):
    low, high = 1, 1 << 30
    while low < high:
        middle = (low + high) // 2
        try:
            wg.many_to_many(graph, sources, memory_limit=middle, **how)
            high = middle
        except MemoryError:
            low = middle + 1
    return low
