"""Variants of Bellman-Ford on CUDA devices: its optimisations one by one."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import oracles
import warpgraph as wg
from graphs import SAMPLES, csr, graphs_with_source, has_negative, over_samples
from laboratory import laboratory
from sssp_support import assert_same, grid_with

pytestmark = pytest.mark.cuda

#: Read-only loads, segments, vertices of a segment (0: chosen for the device), frontier rounds.
VARIANTS = [(*on, 0, True) for on in itertools.product((True, False), repeat=2)]
SHORT_SEGMENTS = [(True, True, 1, True), (False, True, 5, True), (True, True, 300, True)]
#: Those in which every round is a pass over all edges, as in the article.
PASSES = [(True, True, 0, False), (False, False, 0, False), (True, True, 300, False)]
CUDA = "cuda:0"


def search(graph, source, variant, *, negative=False, symmetric=False):
    distances = np.empty(graph.n_vertices, np.float64)
    read_only_loads, segments, segment_length, frontier_rounds = variant
    laboratory.bellman_ford(
        graph._handle_for(np.dtype(np.float64)),
        source,
        distances,
        negative,
        symmetric,
        CUDA,
        read_only_loads=read_only_loads,
        segments=segments,
        segment_length=segment_length,
        frontier_rounds=frontier_rounds,
    )
    return distances


@over_samples(only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("variant", VARIANTS + SHORT_SEGMENTS + PASSES, ids=str)
def test_every_variant_finds_the_same_distances(graph, variant):
    expected = oracles.distances(graph, 0, dtype=np.float64)
    handle = wg.Graph(graph)
    negative = has_negative(graph)
    if expected is None:
        with pytest.raises(wg.NegativeCycleError):
            search(handle, 0, variant, negative=negative)
        return
    assert_same(search(handle, 0, variant, negative=negative), expected)
    if handle._is_mirrored():
        assert_same(search(handle, 0, variant, negative=negative, symmetric=True), expected)


@pytest.mark.parametrize("weights", ["integer", "any"])
def test_drawn_graphs_in_segments_of_any_length(weights):
    @settings(max_examples=40)
    @given(graphs_with_source(weights=weights), st.booleans(), st.integers(1, 20), st.booleans())
    def agrees(drawn, read_only, length, frontier_rounds):
        graph, source = drawn
        expected = oracles.distances(graph, source, dtype=np.float64)
        handle = wg.Graph(graph)
        negative = has_negative(graph)
        variant = (read_only, True, length, frontier_rounds)
        if expected is None:
            with pytest.raises(wg.NegativeCycleError):
                search(handle, source, variant, negative=negative)
        else:
            assert_same(search(handle, source, variant, negative=negative), expected)

    agrees()


@pytest.mark.parametrize("variant", VARIANTS + SHORT_SEGMENTS[2:] + PASSES, ids=str)
@pytest.mark.parametrize("symmetric", [False, True])
def test_many_rounds(variant, symmetric):
    graph = grid_with(lambda rng, m: rng.integers(1, 1000, m))._undirected()
    expected = wg.sssp(graph, 7, dtype="float64", method="dijkstra", device="cpu")
    assert_same(search(graph, 7, variant, symmetric=symmetric), expected)


def test_a_segment_too_short_to_be_numbered_is_refused():
    graph = wg.Graph(csr(1 << 17, [(0, 1, 1.0)]))
    with pytest.raises(ValueError, match="131072 segments"):
        search(graph, 0, (True, True, 1, True))


def test_lists_of_different_kinds_are_kept_apart():
    graph = wg.Graph(SAMPLES["medium_power_law"])
    expected = wg.sssp(graph, 0, dtype="float64", device="cpu")
    for _ in range(2):
        found = wg.sssp(graph, 0, dtype="float64", method="bellman_ford", device=CUDA)
        assert_same(found, expected)
        for variant, symmetric in itertools.product(VARIANTS, (False, True)):
            found = search(graph, 0, variant, symmetric=symmetric and graph._is_mirrored())
            assert_same(found, expected)
