"""wg.core_numbers: the densest part that each vertex is in."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence


def simple_graph(graph):
    """Return NetworkX's graph of the edges, without loops, directions and weights."""
    tail, head, _ = oracles.arcs(graph)
    simple = nx.Graph()
    simple.add_nodes_from(range(graph.shape[0]))
    simple.add_edges_from(
        (u, v) for u, v in zip(tail.tolist(), head.tolist(), strict=True) if u != v
    )
    return simple


def expected_cores(graph):
    cores = nx.core_number(simple_graph(graph))
    return [cores[v] for v in range(graph.shape[0])]


@graphs.over_samples()
def test_samples(graph, threads):
    cores = wg.core_numbers(graph)
    assert cores.dtype == np.int32
    assert cores.tolist() == expected_cores(graph)


@settings(max_examples=200)
@given(graphs.csr_graphs())
def test_drawn_graphs(graph):
    assert wg.core_numbers(graph).tolist() == expected_cores(graph)


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(wg.generators.rmat(13, 16, seed=3), id="skewed"),
        pytest.param(wg.generators.grid(200, 210, seed=3), id="grid"),
        pytest.param(wg.generators.ssca2(13, seed=3), id="cliques"),
    ],
)
def test_large_graphs(graph, threads):
    assert wg.core_numbers(graph).tolist() == expected_cores(graph.to_csr())


def test_a_long_chain_of_removals(threads):
    n = 100_000
    path = wg.Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    assert (wg.core_numbers(path) == 1).all()
    ring = wg.Graph.from_edges(np.arange(n), (np.arange(n) + 1) % n)
    assert (wg.core_numbers(ring) == 2).all()


def test_loops_parallel_edges_and_directions_do_not_count():
    once = wg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    more = wg.Graph.from_edges([0, 1, 1, 0, 2, 1, 2, 3, 3, 2], [1, 0, 0, 2, 0, 2, 1, 3, 3, 3])
    assert wg.core_numbers(once).tolist() == wg.core_numbers(more).tolist() == [2, 2, 2, 1]


def test_the_k_core_has_k_neighbours_each():
    graph = wg.generators.rmat(10, 8, seed=1)
    cores = wg.core_numbers(graph)
    simple = simple_graph(graph.to_csr())
    for k in range(1, cores.max() + 1):
        core = simple.subgraph(np.flatnonzero(cores >= k).tolist())
        assert min(degree for _, degree in core.degree()) >= k


def test_a_gpu_is_refused():
    with raises_sentence(wg.DeviceError):
        wg.core_numbers(np.eye(3), device="cuda:63")
