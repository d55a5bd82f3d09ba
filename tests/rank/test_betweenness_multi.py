"""Betweenness centrality on several devices: the bits of one."""

import numpy as np
import pytest
import scipy.sparse as sp

import graphs
import warpgraph as wg
from device_lists import MIXED, over


@over(MIXED)
@pytest.mark.parametrize("function", [wg.betweenness_centrality, wg.edge_betweenness_centrality])
def test_several_devices_give_the_bits_of_one(function, device):
    shuffled = graphs.SAMPLES["grid"].tocoo()
    order = np.random.default_rng(1).permutation(shuffled.nnz)
    parts = (shuffled.data[order] + 1, (shuffled.row[order], shuffled.col[order]))
    unsorted = wg.Graph.from_edges(*parts[1], parts[0], n_vertices=shuffled.shape[0])
    for graph in (
        unsorted,
        wg.generators.grid(30, 30, seed=1, weights=(1, 3)),
        sp.csr_array((3, 3)),
    ):
        for how in ({"unweighted": True}, {"directed": False, "targets": [0, 2]}, {"sources": [1]}):
            expected = function(graph, **how, device="cpu")
            np.testing.assert_array_equal(function(graph, **how, device=device), expected)


@over(MIXED)
def test_memory_and_progress_of_several_devices(device):
    graph, seen = wg.generators.grid(60, 60, seed=1, weights=(1, 9)), []
    how = {"sources": 20, "device": device}
    wg.betweenness_centrality(graph, progress=lambda *done: seen.append(done), **how)
    assert seen[-1] == (20, 20)
    with pytest.raises(MemoryError, match="needs"):
        wg.betweenness_centrality(graph, **how, memory_limit=50_000)
