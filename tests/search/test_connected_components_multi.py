"""Weak components on lists of devices: the labels of one device."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence
from device_lists import over_lists
from test_connected_components import LARGE, assert_components, canonical, known_mirrored


@over_lists
@graphs.over_samples()
def test_samples(graph, device):
    expected = oracles.components(graph)
    assert_components(wg.connected_components(graph, device=device), expected)
    for connection in ("weak", "strong"):
        found = wg.connected_components(graph, device=device, directed=False, connection=connection)
        assert_components(found, expected)


@over_lists
@settings(max_examples=40)
@given(graph=graphs.csr_graphs(weights="extremes"))
def test_drawn_graphs(graph, device):
    assert_components(wg.connected_components(graph, device=device), oracles.components(graph))


@over_lists
@settings(max_examples=40)
@given(graph=graphs.csr_graphs(weights="extremes", symmetric=True))
def test_drawn_mirrored_graphs(graph, device):
    found = wg.connected_components(known_mirrored(graph), device=device)
    assert_components(found, oracles.components(graph))


@over_lists
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("graph", [pytest.param(g, id=n) for n, g in LARGE.items()])
def test_large(graph, mirrored, device):
    given_graph = known_mirrored(graph + graph.T) if mirrored else graph
    expected = wg.connected_components(graph, device="cpu")
    n_components, labels = wg.connected_components(given_graph, device=device)
    assert n_components == expected[0]
    np.testing.assert_array_equal(labels, expected[1])


@over_lists
def test_a_row_of_many_segments(device):
    """A row that several endpoints share, between rows without edges."""
    n = 300_000
    heads = np.random.default_rng(0).permutation(n)[: n // 2]
    graph = wg.Graph.from_edges(np.full(n // 2, n // 3), heads, n_vertices=n)
    expected = wg.connected_components(graph, device="cpu")[1]
    assert_components(wg.connected_components(graph, device=device), expected)


@over_lists
def test_agrees_with_networkx(device):
    graph = nx.gnp_random_graph(200, 0.005, seed=3, directed=True)
    smallest = {v: min(c) for c in nx.weakly_connected_components(graph) for v in c}
    expected = canonical([smallest[v] for v in range(200)])
    assert_components(wg.connected_components(graph, device=device), expected)


@over_lists
def test_labels_are_written_to_out(device):
    graph = wg.generators.grid(20, 20, seed=0)
    out = np.empty(400, np.int32)
    n, labels = wg.connected_components(graph, device=device, out=out)
    assert n == 1
    assert labels is out
    assert (out == 0).all()


def test_strong_components_are_for_one_device():
    with raises_sentence(ValueError, "strong", "['cpu', 'cpu']"):
        wg.connected_components(graphs.SAMPLES["grid"], device=["cpu"] * 2, connection="strong")


def test_memory_limit():
    graph = wg.Graph(LARGE["forest"])
    needed = 3 * 4 * graph.n_vertices
    assert wg.connected_components(graph, device=["cpu"] * 3, memory_limit=needed)[0] > 1
    with raises_sentence(MemoryError, "3 endpoints", "name fewer devices"):
        wg.connected_components(graph, device=["cpu"] * 3, memory_limit=needed - 1)


@pytest.mark.parametrize("n_devices", [65, 1000])
def test_too_many_devices(n_devices):
    with raises_sentence(ValueError, str(n_devices), "64"):
        wg.connected_components(graphs.SAMPLES["grid"], device=["cpu"] * n_devices)


@pytest.mark.parametrize("name", ["gpu", "cpu:1", ""])
def test_a_device_that_does_not_exist(name):
    with pytest.raises(ValueError, match="device"):
        wg.connected_components(graphs.SAMPLES["grid"], device=["cpu", name])


@pytest.mark.cuda
def test_cuda_and_cpu():
    with raises_sentence(wg.DeviceError, "['cpu', 'cuda:0']", "mixed list"):
        wg.connected_components(graphs.SAMPLES["grid"], device=["cpu", "cuda:0"])


@pytest.mark.cuda
def test_memory_limit_of_cuda():
    with raises_sentence(MemoryError, "a part of the graph", "name more devices"):
        wg.connected_components(LARGE["forest"], device=["cuda:0"] * 2, memory_limit=1000)
