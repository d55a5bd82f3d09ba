"""Spanning forests of graphs with more arcs than 32 bits can number: pytest -m large."""

import numpy as np
import pytest

import warpgraph as wg
from device_lists import METHODS_OF_FORESTS, over_methods
from warpgraph import _core

pytestmark = pytest.mark.large

BOUNDARY = 2**31


def need(device, host_bytes, device_bytes):
    """Skip the test if there is too little memory."""
    for name, wanted in (("cpu", host_bytes), (device, 0 if device == "cpu" else device_bytes)):
        free = _core.free_memory(name)
        if free < wanted:
            pytest.skip(f"needs {wanted >> 30} GiB on {name}, but {free >> 30} GiB are free")


def zeros_and(n_zeros, rest):
    """Return `n_zeros` zeros and then `rest`; pages that are only read take no memory."""
    array = np.zeros(n_zeros + len(rest), np.int32)
    array[n_zeros:] = rest
    return array


def path_behind_loops(n_loops, length):
    """Return a path, stored both ways, whose first vertex has `n_loops` loops."""
    heads = [1]
    for v in range(1, length + 1):
        heads += [v - 1, v + 1] if v < length else [v - 1]
    weights = [(-1 - (min(v, u) % 3)) for v, u in _arcs(heads, length)]
    degrees = np.array([1] + [2] * (length - 1) + [1])
    indptr = np.r_[0, n_loops + np.cumsum(degrees)]
    return wg.Graph.from_csr(indptr, zeros_and(n_loops, heads), zeros_and(n_loops, weights))


def _arcs(heads, length):
    tails = [0, *(v for v in range(1, length) for _ in range(2)), length]
    return zip(tails, heads, strict=True)


def path_order(n_loops, length):
    """Return the positions of the path's edges as Kruskal finds them."""
    positions = [n_loops + 2 * v for v in range(length)]  # of (v, v + 1)
    return [positions[v] for v in sorted(range(length), key=lambda v: (-1 - v % 3, v))]


@over_methods(METHODS_OF_FORESTS)
@pytest.mark.parametrize("more", [-8, -1, 0, 1, 5])
def test_mirrored_path_across_the_boundary(more, method, device):
    """The path's positions are before, on and after the largest 32-bit position."""
    need(device, 2 << 30, 24 << 30)
    n_loops, length = BOUNDARY + more, 7
    graph = path_behind_loops(n_loops, length)
    assert graph._is_mirrored()
    forest = wg.minimum_spanning_forest(graph, method=method, device=device)
    assert forest.edge_ids.tolist() == path_order(n_loops, length)
    assert (forest.edges[:, 1] == forest.edges[:, 0] + 1).all()
    assert forest.n_trees == 1


def test_by_cpu_and_gpu():
    if not wg.devices()[1:]:
        pytest.skip(_core.cuda_unavailable_reason())
    need("cuda:0", 2 << 30, 1 << 30)
    graph = path_behind_loops(BOUNDARY, 7)
    forest = wg.minimum_spanning_forest(graph, device=["cpu", "cuda:0"])
    assert forest.edge_ids.tolist() == path_order(BOUNDARY, 7)


def test_more_edges_than_32_bits_number(device):
    """Parallel edges; the first is the lightest except for the very last one."""
    need(device, 16 << 30, 56 << 30)
    n_edges = BOUNDARY + 3
    indices = np.ones(n_edges, np.int32)
    indices[-2:] = 2, 1  # (0, 2) and, at the very end, (0, 1) again
    data = zeros_and(n_edges - 2, [5, -1])
    graph = wg.Graph.from_csr(np.array([0, n_edges, n_edges, n_edges]), indices, data)
    forest = wg.minimum_spanning_forest(graph, device=device)
    assert forest.edge_ids.tolist() == [n_edges - 1, n_edges - 2]
    heaviest = wg.minimum_spanning_forest(graph, maximum=True, device=device)
    assert heaviest.edge_ids.tolist() == [n_edges - 2, 0]


def test_parts_on_both_sides_of_the_boundary(device):
    need(device, 2 << 30, 24 << 30)
    n_loops, length = BOUNDARY, 5
    graph = path_behind_loops(n_loops, length)
    parts = [
        wg.local_forest(graph, rows=rows, device=device)
        for rows in ((0, 1), (1, 3), (3, length + 1))
    ]
    merged = wg.merge_forests(*parts, device=device)
    whole = wg.minimum_spanning_forest(graph, device=device)
    assert merged.edges.tolist() == whole.edges.tolist()
