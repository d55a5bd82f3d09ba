"""Predecessors of wg.apsp found on a GPU: the same as on cores."""

import numpy as np
import pytest

import checks
import warpgraph as wg
from sssp_support import assert_same
from test_apsp import random_graph
from warpgraph import _core

over_gpus = pytest.mark.parametrize("gpu", wg.devices()[1:2])

#: A little more than one tile of 32 vertices, two tiles, and many.
SIZES = (33, 70) if checks.EMULATED else (33, 70, 400)

#: Weights, and whether their sums are rounded: from a generator and a number of edges.
WEIGHTS = {
    "ties": lambda rng, m: rng.integers(1, 4, m),
    "zeros": lambda rng, m: rng.integers(0, 3, m),
    "far": lambda rng, m: rng.integers(1, 2**22, m),
    "general": lambda rng, m: rng.random(m),
    "tenths": lambda rng, m: rng.integers(0, 5, m) / 10,
    "vanishing": lambda rng, m: np.where(rng.random(m) < 0.3, 1e16, 1e-3 * rng.random(m)),
    "negative": lambda rng, m: rng.integers(-1, 2, m) / 3,
}


def weighted(n, weights, *, hubs=0, degree=12, dtype=np.float64):
    """Make a graph; if `hubs`, these vertices are the heads of half of the edges."""
    rng = np.random.default_rng(1)
    tail, head = rng.integers(0, n, (2, degree * n))
    weight = WEIGHTS[weights](rng, len(tail))
    if weights == "negative":
        weight = 1 + weight + tail / 3 - head / 3  # a potential: no cycle is negative
    if hubs:
        head[::2] = n - 1 - head[::2] % hubs
    return wg.Graph.from_edges(tail, head, weight.astype(dtype), n_vertices=n).to_csr()


def both(graph, gpu, **options):
    """Return the results of cores and of a GPU."""
    how = {"method": "floyd_warshall", "return_predecessors": True}
    return wg.apsp(graph, device="cpu", **how), wg.apsp(graph, device=gpu, **how, **options)


def assert_equal(found, expected):
    for mine, theirs in zip(found, expected, strict=True):
        assert_same(mine, theirs)


@over_gpus
@pytest.mark.parametrize("hubs", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_predecessors_are_those_of_cores(weights, dtype, hubs, gpu):
    for n in SIZES:
        graph = weighted(n, weights, hubs=hubs, dtype=dtype)
        expected, found = both(graph, gpu)
        assert_equal(found, expected)
        assert (found[1] >= 0).any()


@over_gpus
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_predecessors_of_integers(dtype, gpu):
    for weights in ("ties", "zeros", "far"):
        graph = weighted(70, weights, hubs=1, dtype=dtype)
        how = {"method": "floyd_warshall", "return_predecessors": True, "dtype": dtype}
        assert_equal(wg.apsp(graph, device=gpu, **how), wg.apsp(graph, device="cpu", **how))


@over_gpus
def test_a_vertex_where_all_edges_end(gpu):
    """Its edges are divided among warps, each of which finds an equally good tail."""
    n = 700
    edges = [(0, v, 1) for v in range(1, n - 1)] + [(v, n - 1, 1) for v in range(n - 2, 0, -1)]
    tail, head, weight = np.array(edges).T
    for scale in (1.0, 0.1):
        graph = wg.Graph.from_edges(tail, head, weight * scale, n_vertices=n).to_csr()
        expected, found = both(graph, gpu)
        assert_equal(found, expected)
        assert found[1][0, n - 1] == 1


@over_gpus
@pytest.mark.parametrize("weights", ["zeros", "general", "vanishing"])
def test_predecessors_where_distances_stay_on_the_device(weights, gpu):
    graph = weighted(70, weights)
    out = _core.device_array((70, 70), np.dtype(np.float64), gpu)
    expected, (distances, trees) = both(graph, gpu, out=out)
    assert distances is out
    assert_same(trees, expected[1])


@over_gpus
def test_unreached_vertices_and_edges_that_are_never_used(gpu):
    graph = random_graph(90, 1, 3)
    graph.data[::3] = np.inf
    expected, found = both(graph, gpu)
    assert_equal(found, expected)
    assert (found[1] == -1).sum() > 90


#: Edges per vertex, memory in matrices of 256 rows beside the results, and whether the device finds
#: the trees: yes in one band or shorter ones, not if the matrix is streamed, and not beside a graph
#: as large as the matrix.
MEMORY = [(12, 4, True), (12, 2, True), (12, 1.6, False), (200, 1.75, False)]


@over_gpus
@pytest.mark.parametrize(("degree", "matrices", "on_device"), MEMORY)
def test_what_little_memory_changes(degree, matrices, on_device, gpu):
    n = 200
    graph = wg.Graph(weighted(n, "general", degree=degree))
    limit = int(12 * n * n + matrices * 8 * 256 * 256)
    how = {"method": "floyd_warshall", "device": gpu, "memory_limit": limit}
    wg.apsp(graph, **how)
    before = graph.nbytes
    expected, found = both(graph, gpu, memory_limit=limit)
    assert_equal(found, expected)
    assert (graph.nbytes > before) == on_device  # the reversed graph is kept


@over_gpus
def test_a_reversed_graph_is_kept(gpu):
    graph = wg.Graph(weighted(70, "general"))
    how = {"method": "floyd_warshall", "device": gpu, "return_predecessors": True}
    first = wg.apsp(graph, **how)
    kept = graph.nbytes
    assert_equal(wg.apsp(graph, **how), first)
    assert graph.nbytes == kept
    expected = wg.apsp(graph, unweighted=True, return_predecessors=True, device="cpu")
    assert_equal(wg.apsp(graph, unweighted=True, **how), expected)
    assert graph.nbytes > kept
