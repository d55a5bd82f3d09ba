"""wg.apsp: arcs heavier than any distance, for each type of the sums.

The type of the sums follows from a bound on distances. An arc may exceed that bound by any amount;
it is on no shortest path, and must not become a light one when it is converted.
"""

import numpy as np
import pytest
from scipy.sparse import csgraph

import warpgraph as wg
from sssp_support import assert_same

#: Weights one unit beyond each type of sums, and weights that would wrap to a light arc.
HEAVY = [2**15 - 1, 2**15, 2**16, 2**16 + 1, 2**29, 2**30 - 1, 2**30, 2**31 - 2]
BEYOND_INT32 = [2**31 + 1, 2**32 + 1, 2**48 + 1, 2**53 - 1]


@pytest.fixture(params=["auto", "floyd_warshall", "floyd_warshall_naive"])
def method(request):
    return request.param


def ring_with(n, weight, shortcuts, dtype):
    """Return a directed ring of equal arcs and further arcs (tail, head, weight)."""
    i = np.arange(n)
    tail, head, heavy = zip(*shortcuts, strict=True)
    return wg.Graph.from_edges(
        np.r_[i, tail],
        np.r_[(i + 1) % n, head],
        np.r_[np.full(n, weight, object), np.array(heavy, object)].astype(dtype),
        n_vertices=n,
    )


def around(n, weight):
    """Return the distances of a ring of equal arcs."""
    i = np.arange(n)
    return (i[None, :] - i[:, None]) % n * weight


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("heavy", HEAVY + BEYOND_INT32)
def test_an_arc_beyond_the_bound_is_never_light(heavy, dtype, method, device):
    if dtype == "int32" and heavy in BEYOND_INT32:
        pytest.skip("no int32")
    graph = ring_with(100, 10, [(0, 2, heavy), (7, 3, heavy), (5, 5, heavy), (9, 10, heavy)], dtype)
    distances, trees = wg.apsp(
        graph, dtype=dtype, method=method, device=device, return_predecessors=True
    )
    assert_same(distances, around(100, 10).astype(dtype))
    previous = np.broadcast_to((np.arange(100) - 1) % 100, (100, 100)).astype(np.int32).copy()
    np.fill_diagonal(previous, -1)
    assert_same(trees, previous)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("heavy", [3e38, np.float32(2**25 + 4), 1e15 + 1])
def test_a_float_beyond_every_integer(heavy, dtype, method, device):
    graph = ring_with(70, 3, [(0, 35, heavy), (1, 0, heavy)], dtype)
    distances = wg.apsp(graph, dtype=dtype, method=method, device=device)
    assert_same(distances, around(70, 3).astype(dtype))


def test_weights_that_fill_the_lower_bits(method, device):
    """Many heavy arcs with arbitrary low bits, and a ring of light ones."""
    rng = np.random.default_rng(5)
    n, m = 300, 20_000
    heavy = rng.integers(1, 10**6, m)
    shortcuts = list(zip(*rng.integers(0, n, (2, m)).tolist(), heavy.tolist(), strict=True))
    graph = ring_with(n, 20, shortcuts, np.int64)
    tail, head, weight = graph.to_edges()
    lightest = np.full((n, n), np.inf)
    np.minimum.at(lightest, (tail, head), weight)
    exact = csgraph.floyd_warshall(lightest)
    np.fill_diagonal(exact, 0)
    assert_same(wg.apsp(graph, method=method, device=device), exact)


def test_the_lighter_of_parallel_arcs(method, device):
    """Both have the same low bits."""
    graph = ring_with(40, 10, [(0, 1, 10 + 2**16 - 7), (0, 1, 2**16 + 3)], np.int64)
    assert_same(wg.apsp(graph, method=method, device=device), around(40, 10).astype(float))


def test_an_arc_beyond_the_bound_where_memory_is_short(device):
    """The sums are then computed in the result, in its type, not in separate 16-bit numbers."""
    if device != "cpu":
        pytest.skip("a device takes the matrix in pieces instead: see test_apsp_streamed.py")
    graph = ring_with(1000, 1, [(0, 2, 2**61 + 1), (3, 9, 2**40), (5, 3, 2**62)], np.int64)
    distances = np.empty((1000, 1000), np.int64)
    wg.apsp(graph, dtype="int64", method="floyd_warshall", out=distances, memory_limit=3 << 19)
    assert_same(distances, around(1000, 1))
