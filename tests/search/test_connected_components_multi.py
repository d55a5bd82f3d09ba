"""Weak components on lists of devices: the labels of one device."""

import numpy as np
import pytest

import graphs
import warpgraph as wg
from checks import raises_sentence
from device_lists import over_lists
from test_connected_components import LARGE, assert_components


@over_lists
def test_a_row_of_many_segments(device):
    """A row that several endpoints share, between rows without edges."""
    n = 300_000
    heads = np.random.default_rng(0).permutation(n)[: n // 2]
    graph = wg.Graph.from_edges(np.full(n // 2, n // 3), heads, n_vertices=n)
    expected = wg.connected_components(graph, device="cpu")[1]
    assert_components(wg.connected_components(graph, device=device), expected)


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
