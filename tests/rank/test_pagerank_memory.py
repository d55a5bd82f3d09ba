"""memory_limit= of PageRank: NumPy's arrays count beside the core's, and those of each device."""

import tracemalloc

import numpy as np
import pytest

import checks
import graphs
import warpgraph as wg
from test_memory_limit import MIB, _least_limit

N = 1 << 18
ARRAY = 8 * N

VECTORS = {
    "no vectors": {},
    "mappings": {"personalization": {0: 1.0, 5: 2}, "dangling": {7: 1}, "nstart": {3: 1.0}},
    "arrays": {
        "personalization": 1.0 + np.arange(N) % 5,
        "dangling": np.arange(N) % 2,
        "nstart": np.ones(N, np.float32),
    },
}
over_devices = pytest.mark.parametrize("device", ["cpu", ["cpu"] * 3], ids=["cpu", "list"])


@pytest.fixture(scope="module")
def hubs():
    """A graph that is kept in the order of degrees, too, from the second call on."""
    return wg.generators.rmat(18, 8, seed=1, weights="uniform")


def assert_within(limit, bytes_of_core, graph, **how):
    tracemalloc.start()
    try:
        wg.pagerank(graph, memory_limit=limit, **how)
        taken = bytes_of_core + tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken <= 1.05 * limit + MIB, f"{taken} bytes, {limit} were allowed"


@over_devices
@pytest.mark.parametrize("name", VECTORS)
def test_a_graph_in_the_order_of_degrees(hubs, name, device):
    how = {**VECTORS[name], "device": device, "out": np.zeros(N), "method": "pull"}
    for _ in range(2):
        expected = wg.pagerank(hubs, **how).copy()
    assert hubs._known("by_degree") is not None
    least = _least_limit(hubs, lambda graph, m: wg.pagerank(graph, memory_limit=m, **how))
    contributions = 2 * ARRAY * (1 if device == "cpu" else len(device))
    in_order = ARRAY * (2 + len(VECTORS[name]))  # scores, the sums of weights, and the vectors
    for limit in (least, least + in_order + MIB, 2 * least, 4 * least):
        how["out"].fill(0)
        has_order = limit > least + in_order
        assert_within(limit, contributions + has_order * in_order, hubs, **how)
        checks.assert_same_bits((how["out"],), (expected,))


def test_the_order_is_made_within_the_limit(hubs):
    arrays = hubs.indptr, hubs.indices, hubs.data
    how = {"out": np.zeros(N), "device": "cpu"}
    made = []
    for limit in (6 * ARRAY, 35 * ARRAY, 150 * ARRAY):
        graph = wg.Graph.from_csr(*arrays)
        for _ in range(3):
            before = graph.nbytes
            assert_within(limit, 2 * ARRAY, graph, **how)
            assert graph.nbytes - before <= limit
        made.append(graph._known("by_degree") is not None)
    assert made[0] is False
    assert made[-1] is True


@pytest.mark.parametrize("name", ["mappings", "arrays"])
def test_vectors_count_in_the_limit(name):
    chain = wg.Graph.from_edges(np.arange(N - 1), np.arange(1, N), n_vertices=N)
    how = {"device": "cpu", "method": "pull", "out": np.zeros(N)}
    wg.pagerank(chain, **how)
    without = _least_limit(chain, lambda graph, m: wg.pagerank(graph, memory_limit=m, **how))
    with pytest.raises(MemoryError, match=r"\d+ bytes\)? are left of memory_limit"):
        wg.pagerank(chain, memory_limit=without, **VECTORS[name], **how)
    assert_within(without + 3 * ARRAY, 2 * ARRAY, chain, **VECTORS[name], **how)


def test_numbers_to_push_count_in_the_limit():
    grid = wg.generators.grid(700, 700, seed=1)
    how = {"device": "cpu", "method": "push", "tol": 10, "out": np.zeros(grid.n_vertices)}
    wg.pagerank(grid, **how)
    start = np.arange(grid.n_vertices) % 3

    def least(numbers):
        how["personalization"] = numbers
        return _least_limit(grid, lambda graph, m: wg.pagerank(graph, memory_limit=m, **how))

    assert least(start + 1) - least(None) == 8 * grid.n_vertices
    assert least(start) - least(start + 1) == 12 * np.count_nonzero(start)


def test_several_workers_share_the_limit():
    graph = wg.Graph(wg.generators.grid(100, 100, seed=0))
    wg.pagerank(graph)  # the graph keeps what it derives
    needed = 3 * 16 * graph.n_vertices + 8 * (graph.n_vertices + 3)
    how = {"method": "pull", "device": ["cpu"] * 3}
    wg.pagerank(graph, memory_limit=needed + 10_000, **how)
    with checks.raises_sentence(MemoryError, "3 endpoints", "name fewer devices"):
        wg.pagerank(graph, memory_limit=needed - 1, **how)


@pytest.mark.cuda
def test_the_limit_holds_for_each_gpu():
    how = {"method": "pull", "device": ["cuda:0"] * 2, "memory_limit": 1000}
    with checks.raises_sentence(MemoryError, "a part of the graph", "name more devices"):
        wg.pagerank(graphs.SAMPLES["grid"], **how)
