"""Bellman-Ford on CUDA devices: the kept edge list."""

import re

import numpy as np
import pytest

import warpgraph as wg
from graphs import SAMPLES
from sssp_support import assert_same

pytestmark = pytest.mark.cuda

CUDA = "cuda:0"


def test_the_edge_list_is_kept_until_clear():
    graph = wg.Graph(SAMPLES["medium_random"]).to(CUDA)
    graph._is_mirrored()
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
