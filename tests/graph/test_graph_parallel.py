"""Parallel entries: edges of their own, and counted in a warning or the log."""

import logging
from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as scipy_csgraph
from hypothesis import given, strategies as st

import graphs
import warpgraph as wg
import warpgraph.csgraph as csgraph
from warpgraph import _core

#: SciPy 1.13 takes indices of 32 bits only.
TWICE = ([5.0, 3.0], np.array([[0, 0], [1, 1]], np.int32))


HOW_MANY = "the COO matrix has 1 parallel entries, each of which is an edge"


def coo(make=sp.coo_array):
    return make(TWICE, shape=(2, 2))


def messages(caplog):
    return [m for m in caplog.messages if "parallel" in m]


@pytest.mark.parametrize("make", [sp.coo_array, sp.coo_matrix])
def test_the_example(make):
    """One matrix, two answers."""
    matrix = coo(make)
    for graph in (matrix, wg.Graph.from_edges(*matrix.coords, matrix.data)):
        with pytest.warns(UserWarning, match=HOW_MANY) if graph is matrix else nullcontext():
            assert wg.sssp(graph, 0)[1] == 3
            assert wg.minimum_spanning_forest(graph).total_weight == 3
            assert wg.minimum_spanning_forest(graph, maximum=True).total_weight == 5
    assert wg.sssp(matrix.tocsr(), 0)[1] == 8
    assert matrix.nnz == 2  # the argument is unchanged


CALLS = [
    wg.Graph,
    lambda g: wg.sssp(g, 0),
    lambda g: wg.many_to_many(g, [0]),
    wg.apsp,
    lambda g: wg.shortest_path(g, 0, 1),
    lambda g: wg.k_shortest_paths(g, 0, 1, 2),
    lambda g: wg.bfs(g, 0),
    wg.connected_components,
    wg.pagerank,
    wg.minimum_spanning_forest,
    wg.Hierarchy,
    wg.transform.sort_by_weight,
    wg.cluster.MSTClustering(metric="precomputed").fit,
]


@pytest.mark.parametrize("call", CALLS)
def test_every_function_says_how_many(call):
    with pytest.warns(UserWarning, match=HOW_MANY) as found:
        call(coo())
    (warning,) = found
    assert "tocsr()" in str(warning.message)
    assert warning.filename == __file__


def test_kept_graphs_say_it_once(caplog):
    with pytest.warns(UserWarning, match=HOW_MANY):
        graph = wg.Graph(coo())
    with caplog.at_level(logging.INFO, "warpgraph"):
        wg.sssp(graph, 0)
        wg.apsp(graph)
        wg.Graph(graph)
    assert not messages(caplog)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_other_formats_are_information(form, caplog):
    make = getattr(sp, f"{form}_array")
    matrix = make((np.ones(3), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    wg.sssp(matrix, 0)
    assert not messages(caplog)
    with caplog.at_level(logging.INFO, "warpgraph"):
        wg.sssp(matrix, 0)
    (message,) = messages(caplog)
    assert message.startswith(f"the {form.upper()} matrix has 1 parallel entries")


def test_matrices_without_parallel_entries_say_nothing(caplog):
    with caplog.at_level(logging.INFO, "warpgraph"):
        for form in ("coo", "csr", "csc", "bsr", "dia", "lil", "dok"):
            wg.Graph(sp.coo_array(([1.0, 2], ([0, 1], [1, 0])), shape=(2, 2)).asformat(form))
        wg.Graph(np.ones((3, 3)))
        wg.Graph.from_edges([0, 0], [1, 1], [5.0, 3.0])  # they are edges by its name
    assert not messages(caplog)


@given(graph=graphs.csr_graphs(weights="ties"), threads=st.sampled_from([1, 3]))
def test_the_number(graph, threads):
    tails = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    pairs = set(zip(tails.tolist(), graph.indices.tolist(), strict=True))
    wg.set_num_threads(threads)
    found = _core.count_parallel_arcs(wg.Graph(graph)._handle)
    wg.set_num_threads(0)
    assert found == graph.nnz - len(pairs)


def test_the_number_in_a_long_row():
    heads = np.random.default_rng(1).integers(0, 1 << 16, 300_000)
    row = wg.Graph.from_edges(np.zeros_like(heads), heads, n_vertices=1 << 16)
    assert _core.count_parallel_arcs(row._handle) == len(heads) - len(np.unique(heads))


# SciPy's csgraph.


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "int64"])
@pytest.mark.parametrize("form", ["coo", "csr", "csc"])
def test_csgraph_answers_as_scipy(form, dtype):
    def matrix():
        data, ends = np.array([5, 3, 2, 4], dtype), np.array([1, 1, 2, 2])
        if form == "coo":
            tails = np.array([0, 0, 1, 1], np.int32)  # as old versions of SciPy need them
            return sp.coo_array((data, (tails, ends.astype(np.int32))), shape=(3, 3))
        made = getattr(sp, f"{form}_array")((3, 3), dtype=dtype)
        made.data, made.indices = data, ends.astype(np.int32)
        made.indptr = np.array([0, 2, 4, 4], np.int32)
        return made

    for name in ("dijkstra", "bellman_ford", "johnson"):
        ours, theirs = (getattr(m, name)(matrix()) for m in (csgraph, scipy_csgraph))
        np.testing.assert_array_equal(ours, theirs, name)
    ours, theirs = (m.minimum_spanning_tree(matrix()) for m in (csgraph, scipy_csgraph))
    np.testing.assert_array_equal(ours.toarray(), theirs.toarray())


def test_the_example_in_csgraph():
    """As the page says."""
    rows = graphs.csr(2, [(0, 1, 5.0), (0, 1, 3.0)])
    for module in (csgraph, scipy_csgraph):
        assert module.dijkstra(coo())[0, 1] == 8
        assert module.dijkstra(rows)[0, 1] == 3
        assert module.dijkstra(rows.tocsc())[0, 1] == 3
        assert module.dijkstra(rows.astype(np.int64))[0, 1] == 8


@pytest.mark.filterwarnings("ignore:the COO matrix has:UserWarning")
@given(graph=graphs.csr_graphs(weights="ties"))
def test_csgraph_and_coo_of_any_graph(graph):
    if not graph.shape[0]:
        return
    matrix = graphs.for_scipy(graph).tocoo()
    ours, theirs = (m.dijkstra(matrix) for m in (csgraph, scipy_csgraph))
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(wg.apsp(matrix), wg.apsp(graph))
