"""wg.many_to_many and wg.apsp on lists of devices: the same bits as on one device."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import checks
import warpgraph as wg
from calls import arrays_of
from graphs import SAMPLES, graphs_with_source, over_samples
from sssp_support import DTYPES

LISTS = [["cpu"] * k for k in (1, 2, 3, 5, 8)]
if len(wg.devices()) > 1:
    LISTS += [["cuda:0"] * 2, ["cpu", "cuda:0", "cpu"], "cuda:all"]

over_lists = pytest.mark.parametrize("devices", LISTS, ids=str)


def assert_same(graph, sources, devices, targets=None, **options):
    alone = wg.many_to_many(graph, sources, targets, device="cpu", **options)
    dealt = wg.many_to_many(graph, sources, targets, device=devices, **options)
    checks.assert_same_bits(arrays_of(dealt), arrays_of(alone))


@over_samples(negative=False)
@over_lists
def test_samples(graph, devices):
    n = graph.shape[0]
    for method in ("auto", "dijkstra", "batched"):
        assert_same(graph, np.arange(n)[:40], devices, method=method, return_predecessors=True)
    assert_same(graph, np.arange(n)[:40], devices, np.arange(n)[:3], return_predecessors=True)


@over_lists
@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties"])
def test_drawn_graphs(weights, devices):
    @settings(max_examples=20)
    @given(graphs_with_source(weights=weights), st.data())
    def agrees(drawn, data):
        graph, source = drawn
        vertices = st.lists(st.integers(0, graph.shape[0] - 1), max_size=40)
        sources = [source, *data.draw(vertices)]
        limit = data.draw(st.just(np.inf) | st.floats(0, 40))
        method = data.draw(st.sampled_from(["auto", "dijkstra", "batched"]))
        how = {"limit": limit, "method": method, "directed": data.draw(st.booleans())}
        trees = data.draw(st.booleans())
        targets = data.draw(st.none() | vertices)
        assert_same(graph, sources, devices, targets, return_predecessors=trees, **how)

    agrees()


@over_lists
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype, devices):
    graph = wg.generators.grid(30, 20, seed=1, weights=(1, 100))
    assert_same(graph, np.arange(600), devices, dtype=dtype)
    found = wg.many_to_many(graph, np.arange(600), dtype=dtype, device=devices)
    np.testing.assert_allclose(found, csgraph.dijkstra(graph.to_csr()))


@over_lists
def test_many_blocks(devices):
    """More sources than the first blocks of all endpoints have together."""
    graph = wg.generators.rmat(8, 16, seed=3)
    sources = np.random.default_rng(0).integers(0, graph.n_vertices, 5000)
    assert_same(graph, sources, devices, np.arange(30), method="dijkstra")
    assert_same(graph, sources, devices, np.arange(30), method="batched")
    assert_same(graph, sources, devices, unweighted=True)


@over_lists
@pytest.mark.parametrize("trees", [False, True])
def test_hierarchy(trees, devices):
    graph = wg.generators.grid(30, 40, seed=2, weights=(1, 100))
    how = {"method": "hierarchy", "return_predecessors": trees}
    assert_same(graph, np.arange(1200), devices, **how)
    assert_same(graph, np.arange(1200), devices, [7, 1199, 3], **how)


@over_lists
def test_no_sources_and_one(devices):
    graph = SAMPLES["grid"]
    assert_same(graph, [], devices)
    assert_same(graph, [3], devices, return_predecessors=True)


@over_lists
def test_writes_into_out(devices, tmp_path):
    graph = wg.generators.grid(20, 20, seed=1)
    out = np.memmap(tmp_path / "rows", np.float64, "w+", shape=(400, 450))[:, :400]
    found = wg.many_to_many(graph, np.arange(400), out=out, device=devices)
    assert found is out
    checks.assert_same_bits((out,), (wg.many_to_many(graph, np.arange(400), device="cpu"),))


@over_lists
def test_all_pairs(devices):
    graph = wg.generators.grid(20, 20, seed=1)
    how = {"method": "many_to_many", "return_predecessors": True}
    checks.assert_same_bits(
        wg.apsp(graph, device=devices, **how), wg.apsp(graph, device="cpu", **how)
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
def test_progress_is_that_of_all_endpoints(devices):
    calls = []
    graph = wg.generators.grid(30, 30, seed=1)
    sources = np.arange(900)
    wg.many_to_many(graph, sources, device=devices, progress=lambda *call: calls.append(call))
    assert calls[-1] == (900, 900)
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert {total for _, total in calls} == {900}


@over_lists
def test_error_of_one_endpoint(devices):
    """Only paths from a few sources are too long for int32."""
    chain = np.arange(400)
    weights = np.ones(399, np.int32)
    weights[200:] = 2**31 - 300
    graph = wg.Graph.from_edges(chain[:-1], chain[1:], weights, n_vertices=400)
    with checks.raises_sentence(OverflowError, ""):
        wg.many_to_many(graph, chain, dtype=np.int32, method="dijkstra", device=devices)


def test_memory_limit_is_shared_on_the_host():
    graph = wg.Graph(SAMPLES["medium_random"])
    sources, how = np.arange(40), {"out": np.empty((40, graph.n_vertices)), "method": "dijkstra"}
    graph.handle_for(np.dtype(np.float64))
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
