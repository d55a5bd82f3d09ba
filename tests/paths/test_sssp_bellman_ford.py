"""Bellman-Ford on CUDA devices: its optimisations one by one, and the kept edge list."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import oracles
import warpgraph as wg
from graphs import SAMPLES, csr, graphs_with_source, has_negative, over_samples
from sssp_support import assert_same, grid_with
from warpgraph import _core

pytestmark = pytest.mark.cuda

#: Read-only loads, segments, vertices of a segment (0: chosen for the device).
VARIANTS = [(*on, 0) for on in itertools.product((True, False), repeat=2)]
SHORT_SEGMENTS = [(True, True, 1), (False, True, 5), (True, True, 300)]
CUDA = "cuda:0"


def search(graph, source, variant, *, negative=False, symmetric=False):
    distances = np.empty(graph.n_vertices, np.float64)
    read_only_loads, segments, segment_length = variant
    _core.bellman_ford_variant(
        graph.handle_for(np.dtype(np.float64)),
        source,
        distances,
        negative,
        symmetric,
        CUDA,
        read_only_loads=read_only_loads,
        segments=segments,
        segment_length=segment_length,
    )
    return distances


@over_samples(only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("variant", VARIANTS + SHORT_SEGMENTS, ids=str)
def test_every_variant_finds_the_same_distances(graph, variant):
    expected = oracles.distances(graph, 0, dtype=np.float64)
    handle = wg.Graph(graph)
    negative = has_negative(graph)
    if expected is None:
        with pytest.raises(wg.NegativeCycleError):
            search(handle, 0, variant, negative=negative)
        return
    assert_same(search(handle, 0, variant, negative=negative), expected)
    if handle.is_mirrored():
        assert_same(search(handle, 0, variant, negative=negative, symmetric=True), expected)


@pytest.mark.parametrize("weights", ["integer", "any"])
def test_drawn_graphs_in_segments_of_any_length(weights):
    @settings(max_examples=40)
    @given(graphs_with_source(weights=weights), st.booleans(), st.integers(1, 20))
    def agrees(drawn, read_only, length):
        graph, source = drawn
        expected = oracles.distances(graph, source, dtype=np.float64)
        handle = wg.Graph(graph)
        negative = has_negative(graph)
        variant = (read_only, True, length)
        if expected is None:
            with pytest.raises(wg.NegativeCycleError):
                search(handle, source, variant, negative=negative)
        else:
            assert_same(search(handle, source, variant, negative=negative), expected)

    agrees()


@pytest.mark.parametrize("variant", VARIANTS + SHORT_SEGMENTS[2:], ids=str)
@pytest.mark.parametrize("symmetric", [False, True])
def test_many_rounds(variant, symmetric):
    graph = grid_with(lambda rng, m: rng.integers(1, 1000, m)).undirected()
    expected = wg.sssp(graph, 7, dtype="float64", method="dijkstra", device="cpu")
    assert_same(search(graph, 7, variant, symmetric=symmetric), expected)


def test_a_segment_too_short_to_be_numbered_is_refused():
    graph = wg.Graph(csr(1 << 17, [(0, 1, 1.0)]))
    with pytest.raises(ValueError, match="131072 segments"):
        search(graph, 0, (True, True, 1))


# Data kept on the device.


def test_the_edge_list_is_kept_until_clear():
    graph = wg.Graph(SAMPLES["medium_random"]).to(CUDA)
    graph.is_mirrored()
    copied = graph.nbytes
    expected = wg.sssp(graph, 3, method="bellman_ford", device="cpu")
    assert_same(wg.sssp(graph, 3, method="bellman_ford", device=CUDA), expected)
    kept = graph.nbytes
    assert kept > copied
    assert_same(wg.sssp(graph, 3, method="bellman_ford", device=CUDA), expected)
    assert graph.nbytes == kept
    graph.clear()
    assert graph.nbytes < copied
    assert_same(wg.sssp(graph, 3, method="bellman_ford", device=CUDA), expected)


def test_lists_of_different_weights_and_kinds_are_kept_apart():
    graph = wg.Graph(SAMPLES["medium_power_law"])
    for _ in range(2):
        for dtype in ("float64", "float32", "int64", None):
            for unweighted in (False, True):
                options = {"dtype": dtype, "unweighted": unweighted, "method": "bellman_ford"}
                assert_same(
                    wg.sssp(graph, 0, device=CUDA, **options),
                    wg.sssp(graph, 0, device="cpu", **options),
                )
        for variant, symmetric in itertools.product(VARIANTS, (False, True)):
            found = search(graph, 0, variant, symmetric=symmetric and graph.is_mirrored())
            assert_same(found, wg.sssp(graph, 0, dtype="float64", device="cpu"))


def bytes_needed(graph, **options):
    """Return the bytes of a search by Bellman-Ford that an error states."""
    with pytest.raises(MemoryError, match="memory_limit") as lacks:
        wg.sssp(graph, 0, method="bellman_ford", device=CUDA, memory_limit=1, **options)
    return int(re.search(r"\((\d+) bytes\)", str(lacks.value))[1])


def test_a_kept_list_needs_no_memory():
    graph = wg.Graph(SAMPLES["medium_random"]).to(CUDA)
    with_list = bytes_needed(graph)
    wg.sssp(graph, 0, method="bellman_ford", device=CUDA)
    without = bytes_needed(graph)
    assert with_list - without >= 8 * graph.n_edges
    options = {"method": "bellman_ford", "device": CUDA, "memory_limit": without}
    assert_same(wg.sssp(graph, 0, **options), wg.sssp(graph, 0, device="cpu"))


@pytest.mark.parametrize("has_cycle", [False, True])
def test_negative_weights_never_go_to_near_far_where_memory_lacks(has_cycle):
    n = 300
    rng = np.random.default_rng(1)
    tail, head = rng.integers(0, n, (2, 4000))
    if not has_cycle:
        tail, head = np.minimum(tail, head), np.maximum(tail, head) + 1
    graph = wg.Graph.from_edges(tail, head, rng.integers(-5, 20, 4000), n_vertices=n + 1)
    for options in ({}, {"targets": [0, 14]}):
        needed = bytes_needed(graph, **options)
        with pytest.raises(MemoryError, match=f"{needed} bytes"):  # near_far has enough
            wg.sssp(graph, 0, device=CUDA, memory_limit=needed - 1, **options)
