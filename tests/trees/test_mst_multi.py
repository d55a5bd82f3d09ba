"""wg.minimum_spanning_forest on lists of devices: the same edges as on one device."""

import numpy as np
import pytest
from scipy.sparse import triu

import checks
import warpgraph as wg
from calls import arrays_of
from device_lists import over
from graphs import DTYPES, SAMPLES, csr
from test_mst import LISTS, assert_same_forest
from warpgraph._arguments import validate
from warpgraph._trees import merged_forest

over_lists = over(LISTS)


def assert_same(graph, device, **options):
    alone = wg.minimum_spanning_forest(graph, device="cpu", **options)
    merged = wg.minimum_spanning_forest(graph, device=device, **options)
    assert_same_forest(merged, alone)


@over_lists
@pytest.mark.parametrize("dtype", DTYPES)
def test_larger_graphs(dtype, device):
    for made in (wg.generators.rmat(10, 16, seed=3), wg.generators.grid(60, 70, seed=1)):
        rng = np.random.default_rng(0)
        weights = rng.integers(0, 50, made.n_edges).astype(dtype)
        graph = wg.Graph.from_csr(made.indptr, made.indices, weights)
        assert_same(graph, device)  # not symmetric: the weights differ
        both = graph._undirected()
        assert_same(both, device)
        found = wg.minimum_spanning_forest(both, device=device)
        checks.assert_spanning_forest(both.to_csr(), found)


@over_lists
@pytest.mark.parametrize("dtype", DTYPES)
def test_least_and_largest_weights(dtype, device):
    """The largest key of 64 bits is all ones, as is that of a tree without edges."""
    limits = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else np.finfo(dtype)
    graphs = [wg.Graph.from_edges([0, 3, 1, 3], [1, 0, 3, 2])]
    graphs += [wg.generators.grid(9, 8, seed=1), wg.generators.rmat(7, 8, seed=2)]
    rng = np.random.default_rng(0)
    for made in graphs:
        for share in (0.5, 0.9, 1):
            extreme = rng.choice(np.array([limits.min, limits.max]), made.n_edges)
            same = np.full(made.n_edges, limits.max)
            for weights in (extreme, same, np.full(made.n_edges, limits.min)):
                drawn = np.where(rng.random(made.n_edges) < share, weights, 1).astype(dtype)
                graph = wg.Graph.from_csr(made.indptr, made.indices, drawn)
                assert_same(graph, device)
                assert_same(graph, device, maximum=True)


@over_lists
def test_again_with_kept_parts(device):
    graph = wg.generators.grid(30, 30, seed=1)
    before = wg.minimum_spanning_forest(graph, device=device)
    again = wg.minimum_spanning_forest(graph, device=device)
    checks.assert_same_bits(arrays_of(again), arrays_of(before))
    graph.clear()
    checks.assert_same_bits(
        arrays_of(wg.minimum_spanning_forest(graph, device=device)), arrays_of(before)
    )


@over_lists
@pytest.mark.parametrize("n", [0, 1, 2])
def test_fewer_vertices_than_parts(n, device):
    assert_same(csr(n, [(0, n - 1, 1.0)] if n > 1 else []), device)


def test_parts_have_equal_work():
    """An entry is read; one above the diagonal is an edge, which takes four times as long more."""
    graph = wg.generators.rmat(12, 16, seed=3)._undirected()
    parts = merged_forest.parts_of(graph, 4, validate.NO_LIMIT)
    entries = np.array([part.n_edges for part in parts.graphs])
    edges = np.array([triu(part.to_csr(), 1).nnz for part in parts.graphs])
    assert entries.sum() == graph.n_edges
    work = entries + 4 * edges
    assert max(work) < 1.1 * min(work)
    upper, _ = wg.Graph(triu(graph.to_csr(), 1))._upper_triangle()
    entries = [part.n_edges for part in merged_forest.parts_of(upper, 4, validate.NO_LIMIT).graphs]
    assert max(entries) < 1.2 * min(entries)
    assert 0 < parts.nbytes < 5 * 8 * (graph.n_vertices + 1)


@over_lists
def test_progress_is_that_of_all_endpoints(device):
    calls = []
    wg.minimum_spanning_forest(
        wg.generators.grid(60, 60, seed=1),
        device=device,
        progress=lambda *call: calls.append(call),
    )
    done, total = zip(*calls, strict=True)
    assert list(done) == sorted(done)
    assert done[-1] == total[-1]
    assert len(set(total)) == 1


def test_methods():
    graph, devices = SAMPLES["grid"], ["cpu"] * 3
    for where in (devices, "cpu"):
        with checks.raises_sentence(ValueError, "boruvka", "filter"):
            wg.minimum_spanning_forest(graph, method="boruvka", device=where)


@pytest.mark.parametrize(
    ("devices", "error", "part"),
    [
        ([], ValueError, "empty list"),
        (["cpu"] * 65, ValueError, "65"),
        (["cpu", "cuda:9999"], wg.DeviceError, ""),
        (["cpu", 3], TypeError, "3"),
    ],
)
def test_bad_lists(devices, error, part):
    with checks.raises_sentence(error, part):
        wg.minimum_spanning_forest(SAMPLES["grid"], device=devices)


def test_memory_limit():
    graph = wg.generators.grid(100, 100, seed=1)
    wg.minimum_spanning_forest(graph, device=["cpu"] * 3, memory_limit=1 << 28)
    for limit in (1, 1 << 10, 1 << 16):
        with checks.raises_sentence(MemoryError, "bytes"):
            wg.minimum_spanning_forest(graph, device=["cpu"] * 3, memory_limit=limit)
