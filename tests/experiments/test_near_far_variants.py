"""Variants of near-far search: other settings of its kernel for GPUs, and a search on CPU cores."""

import numpy as np
import pytest

import oracles
import warpgraph as wg
from graphs import over_samples
from laboratory import laboratory
from sssp_support import SIDE, assert_same, grid_with
from test_sssp_buckets import (
    WEIGHTS,
    hubs,
    mostly_zero,
    nearly_all_of_the_range,
    tiny_and_enormous,
)
from test_sssp_near_far import GRAPHS

#: What experiments vary: the width of the window (0: from the graph), the hops of a block between
#: two grid barriers, threads per block, and the most blocks (0: as many as can be resident).
VARIANTS = {
    "one warp": (0.0, 24, 32, 1),
    "one block": (0.0, 2, 512, 1),
    "two blocks that meet after each hop": (0.0, 0, 64, 2),
    "narrow windows": (1.0, 3, 96, 3),
    "one window": (1e300, 24, 128, 0),
}


@pytest.mark.cuda
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", GRAPHS)
def test_every_variant_finds_the_same_distances(name, variant):
    graph = GRAPHS[name]()
    width, fused_hops, threads, blocks = VARIANTS[variant]
    how = {"width": width, "fused_hops": fused_hops, "threads": threads, "blocks": blocks}
    for source in (0, graph.n_vertices // 2):
        expected = wg.sssp(graph, source, method="dijkstra", device="cpu", dtype=graph.dtype.name)
        found = np.empty_like(expected)
        handle = graph._handle_for(graph.dtype)
        laboratory.near_far(handle, source, found, "cuda:0", **how)
        assert_same(found, expected)


# The search on CPU cores.


@pytest.fixture(params=[1, 4])
def cores(request):
    laboratory.set_num_threads(request.param)
    yield
    laboratory.set_num_threads(0)


def search(graph, source, dtype="float64", **how):
    distances = np.empty(graph.n_vertices, dtype)
    handle = graph._handle_for(np.dtype(dtype))
    laboratory.near_far_on_cores(handle, source, distances, **how)
    return distances


def dijkstra(graph, source, **how):
    return wg.sssp(graph, source, method="dijkstra", device="cpu", **how)


@over_samples(negative=False, only=lambda graph: graph.shape[0] > 0)
def test_samples(graph, cores):
    expected = oracles.distances(graph, 0, dtype=np.float64)
    assert_same(search(wg.Graph(graph), 0), expected)


@pytest.mark.parametrize("name", GRAPHS)
def test_made_to_break_it(name, cores):
    graph = GRAPHS[name]()
    kind = graph.dtype.name
    for source in (0, graph.n_vertices // 2):
        assert_same(search(graph, source, kind), dijkstra(graph, source, dtype=kind))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_weights_that_no_width_suits(weights, cores):
    graph = grid_with(weights)
    kind = "float32" if graph.dtype == np.float32 else "float64"
    assert_same(search(graph, 7, kind), dijkstra(graph, 7, dtype=kind))


@pytest.mark.parametrize("weights", [tiny_and_enormous, mostly_zero, nearly_all_of_the_range])
@pytest.mark.parametrize("n_targets", [1, 20])
def test_targets_that_no_width_suits(weights, n_targets, cores):
    graph = grid_with(weights)
    targets = np.random.default_rng(3).integers(0, graph.n_vertices, n_targets).astype(np.int32)
    full = dijkstra(graph, 7, dtype="float64")
    farthest = full[targets].max()
    found = search(graph, 7, targets=targets, limit=float(farthest))
    assert_same(found, np.where(full <= farthest, full, np.inf))


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
def test_hubs_are_shared(dtype, cores):
    graph = hubs(np.random.default_rng(3), dtype)
    for source in (0, 5):
        assert_same(search(graph, source, dtype), dijkstra(graph, source, dtype=dtype))


def test_a_path_of_many_short_rounds(cores):
    n = 200_000
    weight = np.random.default_rng(4).integers(1, 1000, n - 1)
    indptr = np.minimum(np.arange(n + 1), n - 1)
    graph = wg.Graph.from_csr(indptr, np.arange(1, n), weight)
    assert_same(search(graph, 0, "int64"), np.concatenate([[0], np.cumsum(weight)]))


@pytest.mark.parametrize("count", [1, 8, 9, 100])
def test_few_targets_and_many(count, cores):
    graph = grid_with(lambda rng, m: rng.integers(1, 1000, m))
    full = dijkstra(graph, 7)
    near = np.argsort(full, kind="stable")[: SIDE * SIDE // 2]
    targets = np.random.default_rng(count).choice(near, count, replace=False).astype(np.int32)
    assert_same(search(graph, 7, targets=targets)[targets], full[targets])


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_sums_that_do_not_fit(dtype, cores):
    most = int(np.iinfo(dtype).max)
    edge = np.array([most - 1, most - 1], dtype)
    graph = wg.Graph.from_edges([0, 1], [1, 2], edge, n_vertices=3)
    with pytest.raises(OverflowError, match=r"\(1, 2\)"):
        search(graph, 0, dtype)
    both = wg.Graph.from_edges([0, 1, 0], [1, 2, 2], np.append(edge, edge[:1]), n_vertices=3)
    assert search(both, 0, dtype).tolist() == [0, most - 1, most - 1]
