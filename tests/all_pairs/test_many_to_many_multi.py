"""wg.many_to_many and wg.apsp on lists of devices: the same bits as on one device."""

import numpy as np
import pytest
from scipy.sparse import csgraph

import checks
import warpgraph as wg
from calls import arrays_of
from device_lists import MIXED, over
from graphs import SAMPLES
from sssp_support import DTYPES

over_lists = over(MIXED)


def assert_same(graph, sources, device, targets=None, **options):
    alone = wg.many_to_many(graph, sources, targets, device="cpu", **options)
    dealt = wg.many_to_many(graph, sources, targets, device=device, **options)
    checks.assert_same_bits(arrays_of(dealt), arrays_of(alone))


@over_lists
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype, device):
    graph = wg.generators.grid(30, 20, seed=1, weights=(1, 100))
    assert_same(graph, np.arange(600), device, dtype=dtype)
    found = wg.many_to_many(graph, np.arange(600), dtype=dtype, device=device)
    np.testing.assert_allclose(found, csgraph.dijkstra(graph.to_csr()))


@over_lists
def test_many_blocks(device):
    """More sources than the first blocks of all endpoints have together."""
    graph = wg.generators.rmat(8, 16, seed=3)
    sources = np.random.default_rng(0).integers(0, graph.n_vertices, 5000)
    assert_same(graph, sources, device, np.arange(30), method="dijkstra")
    assert_same(graph, sources, device, np.arange(30), method="batched")
    assert_same(graph, sources, device, unweighted=True)


@over_lists
@pytest.mark.parametrize("trees", [False, True])
def test_hierarchy(trees, device):
    graph = wg.generators.grid(30, 40, seed=2, weights=(1, 100))
    how = {"method": "hierarchy", "return_predecessors": trees}
    assert_same(graph, np.arange(1200), device, **how)
    assert_same(graph, np.arange(1200), device, [7, 1199, 3], **how)


@over_lists
def test_no_sources_and_one(device):
    graph = SAMPLES["grid"]
    assert_same(graph, [], device)
    assert_same(graph, [3], device, return_predecessors=True)


@over_lists
def test_writes_into_out(device, tmp_path):
    graph = wg.generators.grid(20, 20, seed=1)
    out = np.memmap(tmp_path / "rows", np.float64, "w+", shape=(400, 450))[:, :400]
    found = wg.many_to_many(graph, np.arange(400), out=out, device=device)
    assert found is out
    checks.assert_same_bits((out,), (wg.many_to_many(graph, np.arange(400), device="cpu"),))


@over_lists
def test_all_pairs(device):
    graph = wg.generators.grid(20, 20, seed=1)
    how = {"method": "many_to_many", "return_predecessors": True}
    checks.assert_same_bits(
        wg.apsp(graph, device=device, **how), wg.apsp(graph, device="cpu", **how)
    )


@pytest.mark.parametrize(
    ("devices", "error", "part"),
    [
        ([], ValueError, "empty list"),
        (["cpu"] * 65, ValueError, "65"),
        (["cpu", "cuda:9999"], wg.DeviceError, ""),
        (["cpu", 3], TypeError, "3"),
        (["cpu", "gpu"], ValueError, "gpu"),
    ],
)
def test_bad_lists(devices, error, part):
    with checks.raises_sentence(error, part):
        wg.many_to_many(SAMPLES["grid"], [0, 1], device=devices)


@over_lists
def test_progress_is_that_of_all_endpoints(device):
    calls = []
    graph = wg.generators.grid(30, 30, seed=1)
    sources = np.arange(900)
    wg.many_to_many(graph, sources, device=device, progress=lambda *call: calls.append(call))
    assert calls[-1] == (900, 900)
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert {total for _, total in calls} == {900}


@over_lists
def test_error_of_one_endpoint(device):
    """Only paths from a few sources are too long for int32."""
    chain = np.arange(400)
    weights = np.ones(399, np.int32)
    weights[200:] = 2**31 - 300
    graph = wg.Graph.from_edges(chain[:-1], chain[1:], weights, n_vertices=400)
    with checks.raises_sentence(OverflowError, ""):
        wg.many_to_many(graph, chain, dtype=np.int32, method="dijkstra", device=device)


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
