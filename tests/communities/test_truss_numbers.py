"""wg.truss_numbers: the densest part that each edge is in."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings

import graphs
import warpgraph as wg
from checks import raises_sentence
from test_core_numbers import simple_graph


def expected_numbers(graph):
    """Return the numbers as a matrix, by NetworkX's trusses for one k after the other."""
    simple = simple_graph(graph)
    numbers = np.zeros(graph.shape, np.int32)
    k, left = 2, simple
    while left.number_of_edges():
        for u, v in left.edges:
            numbers[u, v] = numbers[v, u] = k
        k += 1
        left = nx.k_truss(left, k)
    return numbers


def assert_numbers(found, graph):
    assert isinstance(found, sp.csr_array)
    assert found.dtype == np.int32
    assert found.has_canonical_format or found.nnz == 0
    assert (found.data >= 2).all()
    np.testing.assert_array_equal(found.toarray(), expected_numbers(graph))


@graphs.over_samples()
def test_samples(graph, threads):
    if graph.shape[0] > 3000:
        graph = sp.csr_array(graph[:300, :300])
    assert_numbers(wg.truss_numbers(graph), graph)


@settings(max_examples=150)
@given(graphs.csr_graphs())
def test_drawn_graphs(graph):
    assert_numbers(wg.truss_numbers(graph), graph)


@pytest.mark.parametrize("seed", range(4))
def test_dense_graphs(seed, threads):
    graph = sp.csr_array(nx.to_scipy_sparse_array(nx.gnp_random_graph(90, 0.3, seed=seed)))
    assert_numbers(wg.truss_numbers(graph), graph)


def test_complete_graphs_and_trees():
    complete = wg.truss_numbers(sp.csr_array(np.ones((30, 30))))
    assert (complete.data == 30).all()
    assert complete.nnz == 30 * 29
    path = nx.to_scipy_sparse_array(nx.path_graph(2000))
    assert (wg.truss_numbers(path).data == 2).all()
    assert wg.truss_numbers(sp.csr_array((3, 3))).nnz == 0


def test_a_large_graph_by_its_definition():
    graph = wg.generators.rmat(13, 12, seed=3)
    found = wg.truss_numbers(graph)
    cores = wg.core_numbers(graph)
    ends = np.repeat(np.arange(graph.n_vertices), np.diff(found.indptr)), found.indices
    assert (found.data <= np.minimum(cores[ends[0]], cores[ends[1]]) + 1).all()
    for k in (3, 5, found.data.max()):
        truss = (found >= k).astype(np.int64)
        supports = (truss @ truss).multiply(truss).tocsr()
        supports.eliminate_zeros()
        assert supports.data.min(initial=k) >= k - 2  # each edge is in enough triangles
        assert supports.nnz == truss.nnz or k == 2


def largest_truss(truss, k):
    """Return the k-truss of a matrix of 0 and 1, by products of matrices."""
    while True:
        supports = (truss @ truss).multiply(truss).tocsr()
        kept = (supports >= k - 2).astype(np.int64) if k > 2 else truss
        kept.eliminate_zeros()
        if kept.nnz == truss.nnz:
            return kept
        truss = kept


@pytest.mark.parametrize("edge_factor", [4, 16])
def test_every_truss_is_the_largest(edge_factor, threads):
    graph = wg.generators.rmat(11, edge_factor, seed=5)
    found = wg.truss_numbers(graph)
    left = (found > 0).astype(np.int64)
    for k in range(3, int(found.data.max()) + 2):
        left = largest_truss(left, k)
        assert left.nnz == np.count_nonzero(found.data >= k)
        assert ((found >= k).astype(np.int64) != left).nnz == 0


def test_bad_calls():
    with raises_sentence(wg.DeviceError, "cuda:63"):
        wg.truss_numbers(np.eye(3), device="cuda:63")
    with raises_sentence(MemoryError, "100 bytes"):
        wg.truss_numbers(np.ones((30, 30)), memory_limit=100)
    with raises_sentence(MemoryError, "finding truss numbers needs", "20000 bytes"):
        wg.truss_numbers(wg.Graph(np.ones((30, 30))), memory_limit=20_000)


def test_progress_ends_at_the_total():
    seen = []
    graph = sp.csr_array(np.ones((60, 60)))
    wg.truss_numbers(graph, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (1770, 1770)
    assert all(done <= total for done, total in seen)
