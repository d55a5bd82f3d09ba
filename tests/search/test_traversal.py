"""Orders of breadth-first and depth-first search: exactly those of SciPy."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import graphs
import warpgraph as wg
from checks import raises_sentence

NAMES = ("breadth_first_order", "depth_first_order")
every_order = pytest.mark.parametrize("name", NAMES)


def orders(name):
    """Return our function, and SciPy's."""
    return getattr(wg, name), getattr(csgraph, name)


def assert_equals_scipy(name, graph, source, *, directed=True):
    """Both as a matrix and as a Graph, with the tree and without."""
    ours, scipys = orders(name)
    # SciPy's transpose of int64 indices is int32, which its search then refuses.
    plain = sp.csr_array((graph.shape), dtype=np.float64)
    plain.indptr, plain.indices = (a.astype(np.int32) for a in (graph.indptr, graph.indices))
    plain.data = np.ones(graph.nnz)
    order, predecessors = scipys(plain, source, directed=directed)
    for form in (graph, wg.Graph(graph)):
        alone = ours(form, source, directed=directed)
        assert alone.dtype == np.int32
        np.testing.assert_array_equal(alone, order)
        found, tree = ours(form, source, directed=directed, return_predecessors=True)
        assert found.dtype == tree.dtype == np.int32
        np.testing.assert_array_equal(found, order)
        np.testing.assert_array_equal(tree, np.maximum(predecessors, -1))


@every_order
@pytest.mark.parametrize("directed", [True, False])
@graphs.over_samples(only=lambda graph: graph.shape[0] > 0)
def test_equals_scipy(name, graph, directed):
    for source in {0, graph.shape[0] // 2, graph.shape[0] - 1}:
        assert_equals_scipy(name, graph, source, directed=directed)


@every_order
@settings(max_examples=300)
@given(found=graphs.graphs_with_source(), directed=st.booleans())
def test_random_graphs_equal_scipy(name, found, directed):
    assert_equals_scipy(name, *found, directed=directed)


@every_order
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("skew", [1, 5])
def test_large_graphs_equal_scipy(name, directed, skew):
    rng = np.random.default_rng(skew)
    n, m = 60_000, 250_000
    ends = (n * rng.random((2, m)) ** skew).astype(np.int32)
    tails, heads = ends[:, np.argsort(ends[0], kind="stable")]
    indptr = np.searchsorted(tails, np.arange(n + 1)).astype(np.int32)
    graph = sp.csr_array((np.ones(m), heads, indptr), shape=(n, n))
    assert_equals_scipy(name, graph, int(tails[m // 2]), directed=directed)


@every_order
def test_a_path_of_all_vertices(name):
    """Recursion would need a deep stack."""
    n = 300_000
    path = sp.diags_array([np.ones(n - 1)], offsets=[1], shape=(n, n), format="csr")
    order = getattr(wg, name)(path, 0)
    np.testing.assert_array_equal(order, np.arange(n))
    np.testing.assert_array_equal(getattr(wg, name)(path, n - 1, directed=False), order[::-1])


def test_the_two_orders_differ():
    arrows = np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    assert wg.breadth_first_order(arrows, 0).tolist() == [0, 1, 2, 3]
    assert wg.depth_first_order(arrows, 0).tolist() == [0, 1, 3, 2]


@every_order
def test_rows_are_followed_as_they_are_stored(name):
    graph = graphs.csr(4, [(0, 3, 1.0), (0, 1, 1.0), (0, 2, 1.0)])
    assert getattr(wg, name)(graph, 0).tolist() == [0, 3, 1, 2]


@every_order
def test_arcs_that_enter_come_after_those_that_leave(name):
    graph = graphs.csr(5, [(0, 3, 1.0), (2, 0, 1.0), (1, 0, 1.0), (4, 0, 1.0)])
    order, tree = getattr(wg, name)(graph, 0, directed=False, return_predecessors=True)
    assert order.tolist() == [0, 3, 1, 2, 4]
    assert tree.tolist() == [-1, 0, 0, 0, 0]


@every_order
def test_source_by_name(name):
    roads = nx.DiGraph([("Rome", "Pisa"), ("Pisa", "Genoa")])
    assert getattr(wg, name)(roads, "Pisa").tolist() == [1, 2]


@every_order
def test_progress(name):
    calls = []
    graph = wg.generators.grid(300, 300, seed=0)
    getattr(wg, name)(graph, 0, progress=lambda done, total: calls.append((done, total)))
    assert calls
    assert all(0 < done <= total == 90_000 for done, total in calls)
    assert calls[-1] == (90_000, 90_000)
    assert len(calls) == len(set(calls))


@every_order
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("arcs", [[], [(0, 1, 1.0)], [(0, 1, 1.0), (1, 2, 1.0)]])
def test_progress_ends_at_the_total(name, directed, arcs):
    """Also of small graphs, and if not all vertices are reached."""
    calls = []
    how = {"directed": directed, "progress": lambda *report: calls.append(report)}
    getattr(wg, name)(graphs.csr(3, arcs), 0, **how)
    assert calls == [(3, 3)]


@every_order
def test_memory_limit(name):
    graph = wg.generators.grid(30, 30, seed=0)
    with raises_sentence(MemoryError, "50 bytes", "memory_limit", name.split("_")[0]):
        getattr(wg, name)(graph, 0, memory_limit=50)
    assert len(getattr(wg, name)(graph, 0, memory_limit=10**6)) == 900


@every_order
@pytest.mark.cuda
def test_no_order_on_a_gpu(name):
    with raises_sentence(wg.DeviceError, name, "CPU only", "cuda:0"):
        getattr(wg, name)(graphs.SAMPLES["grid"], 0, device="cuda")
