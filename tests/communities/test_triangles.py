"""wg.triangles, wg.clustering_coefficients, wg.transitivity."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import graphs
import warpgraph as wg
from test_core_numbers import simple_graph


def assert_like_networkx(graph, matrix):
    simple = simple_graph(matrix)
    counts = wg.triangles(graph)
    assert counts.dtype == np.int64
    assert counts.tolist() == list(nx.triangles(simple).values())
    assert wg.clustering_coefficients(graph).tolist() == list(nx.clustering(simple).values())
    found = wg.transitivity(graph)
    assert type(found) is float
    assert found == nx.transitivity(simple)


@graphs.over_samples()
def test_samples(graph, threads):
    assert_like_networkx(graph, graph)


@settings(max_examples=200)
@given(graphs.csr_graphs())
def test_drawn_graphs(graph):
    assert_like_networkx(graph, graph)


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(wg.generators.rmat(10, 16, seed=3), id="skewed"),
        pytest.param(wg.generators.grid(50, 60, seed=3), id="grid"),
        pytest.param(wg.generators.ssca2(10, seed=3), id="cliques"),
    ],
)
def test_large_graphs(graph, threads):
    assert_like_networkx(graph, graph.to_csr())


@pytest.mark.parametrize("n", [3, 9, 10, 40])
def test_complete_graphs(n, threads):
    complete = np.ones((n, n))
    assert (wg.triangles(complete) == (n - 1) * (n - 2) // 2).all()
    assert (wg.clustering_coefficients(complete) == 1).all()
    assert wg.transitivity(complete) == 1


def test_loops_parallel_edges_and_directions_do_not_count():
    more = wg.Graph.from_edges([0, 1, 1, 0, 2, 1, 2, 3, 3, 2], [1, 0, 0, 2, 0, 2, 1, 3, 3, 3])
    assert wg.triangles(more).tolist() == [1, 1, 1, 0]
    assert wg.clustering_coefficients(more).tolist() == [1, 1, 1 / 3, 0]
    assert wg.transitivity(more) == 3 / 5


def test_a_hub_that_all_triangles_share(threads):
    n = 20_000
    ring = np.arange(1, n + 1)
    wheel = wg.Graph.from_edges(
        np.r_[np.zeros(n, int), ring], np.r_[ring, np.roll(ring, 1)], n_vertices=n + 1
    )
    counts = wg.triangles(wheel)
    assert counts[0] == n
    assert (counts[1:] == 2).all()
