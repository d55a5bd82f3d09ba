"""Hops of large graphs come from GPUs as bytes, up to 254 of them."""

import numpy as np
import pytest
from scipy import sparse

import warpgraph as wg
from sssp_support import gpu_list_fixture

#: More than 2^20 vertices in all, from which number on hops are narrowed.
WIDTH = 4300
DEGREE = 8

gpu_list = gpu_list_fixture()


def layers(n):
    """Return n layers, and the hops from the first vertex of the first one.

    Vertex i of a layer has arcs to i .. i + DEGREE - 1 of the next one.
    """
    tails = np.repeat(np.arange((n - 1) * WIDTH), DEGREE)
    steps = np.tile(np.arange(DEGREE), (n - 1) * WIDTH)
    heads = (tails // WIDTH + 1) * WIDTH + (tails % WIDTH + steps) % WIDTH
    arcs = (np.ones(len(tails), np.int32), (tails, heads))
    depth, place = np.divmod(np.arange(n * WIDTH), WIDTH)
    hops = np.where(place <= depth * (DEGREE - 1), depth, -1)
    return sparse.csr_matrix(arcs, shape=(n * WIDTH, n * WIDTH)), hops


@pytest.mark.parametrize("n", [254, 255, 256])
def test_depths_about_the_widest_byte(n, gpu_list):
    matrix, hops = layers(n)
    graph = wg.Graph(matrix)
    for device in ("cuda:0", gpu_list):
        np.testing.assert_array_equal(wg.bfs(graph, 0, device=device), hops)
        found = wg.bfs(graph, 0, limit=n - 2, device=device)
        np.testing.assert_array_equal(found, np.where(hops <= n - 2, hops, -1))
        into = np.full(n * WIDTH + 1, 7, np.int32)
        wg.bfs(graph, 0, device=device, out=into[1:])
        np.testing.assert_array_equal(into[1:], hops)
        assert into[0] == 7
