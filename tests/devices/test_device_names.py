"""Names of devices: which are refused, alone and in lists, and how they are written."""

import numpy as np
import pytest

import warpgraph as wg
from checks import raises_sentence
from warpgraph._arguments import device as _device

GRAPH = np.eye(3)
POINTS = np.arange(6.0).reshape(3, 2)

CALLS = {
    "apsp": lambda d: wg.apsp(GRAPH, device=d),
    "bfs": lambda d: wg.bfs(GRAPH, 0, device=d),
    "connected_components": lambda d: wg.connected_components(GRAPH, device=d),
    "euclidean_mst": lambda d: wg.cluster.euclidean_mst(POINTS, device=d),
    "many_to_many": lambda d: wg.many_to_many(GRAPH, [0], device=d),
    "minimum_spanning_forest": lambda d: wg.minimum_spanning_forest(GRAPH, device=d),
    "pagerank": lambda d: wg.pagerank(GRAPH, device=d),
    "predicate_filter": lambda d: wg.predicate_filter(np.arange(3), 1, 2, device=d),
    "sssp": lambda d: wg.sssp(GRAPH, 0, device=d),
    "single_linkage": lambda d: wg.cluster.single_linkage(POINTS, device=d),
    "single_linkage of a graph": lambda d: wg.cluster.single_linkage(wg.Graph(GRAPH), device=d),
    "HDBSCAN": lambda d: wg.cluster.HDBSCAN(min_cluster_size=2, device=d).fit(POINTS),
    "KMeans": lambda d: wg.cluster.KMeans(n_clusters=2, device=d).fit(POINTS),
    "MSTClustering": lambda d: wg.cluster.MSTClustering(n_clusters=2, device=d).fit(POINTS),
    "Context": wg.runtime.Context,
}


@pytest.mark.parametrize("length", [1, 2])
@pytest.mark.parametrize("name", CALLS)
def test_an_array_of_devices(name, length):
    names = np.array(["cpu"] * length)
    with raises_sentence(TypeError, "device must be a string such as 'cpu'", "got array(['cpu'"):
        CALLS[name](names)
    with raises_sentence(TypeError, "device must be a string such as 'cpu'", "got array(['cpu'"):
        CALLS[name]([names])


def test_arrays_in_a_list_of_devices():
    names = np.array(["cpu", "cpu"])
    for find in (_device.beside_cpu, _device.resolve_all):
        with raises_sentence(TypeError, "device must be a string such as 'cpu'", "got array(['cpu"):
            find(["cpu", names])


def test_scalars_of_numpy_are_names():
    assert _device.is_named(np.str_("auto"), "auto")
    assert not _device.is_named(np.str_("cpu"), "auto")
    assert not _device.is_named(["auto"], "auto")
    assert wg.sssp(GRAPH, 0, device=np.str_("cpu")).tolist() == wg.sssp(GRAPH, 0).tolist()


#: Those that take several devices.
DIVIDE = (
    "apsp",
    "bfs",
    "connected_components",
    "many_to_many",
    "minimum_spanning_forest",
    "pagerank",
    "predicate_filter",
    "sssp",
    "Context",
)


@pytest.mark.parametrize("nested", [[["cpu", "cpu"], "cpu"], ["cpu", ("cpu",)], [["cpu"]]], ids=str)
@pytest.mark.parametrize("name", DIVIDE)
def test_a_list_in_a_list(name, nested):
    with raises_sentence(
        TypeError, "device must be a string", "a list of such strings", str(nested)
    ):
        CALLS[name](nested)


@pytest.mark.parametrize(
    "names", [["cuda:all", "cpu"], ["cpu", "cuda:all"], ["cuda:all"] * 2], ids=str
)
@pytest.mark.parametrize("name", DIVIDE)
def test_all_gpus_beside_others(name, names):
    with raises_sentence(ValueError, "'cuda:all'", "cannot be an entry beside others", str(names)):
        CALLS[name](names)


def test_names_have_no_leading_zeros(monkeypatch):
    monkeypatch.setattr(_device._core, "require_device", lambda name: None)
    assert _device.resolve("cuda:01") == "cuda:1"
    assert _device.resolve(["cuda:00"]) == "cuda:0"
    assert _device.resolve_all(["cuda:010", "cpu"]) == ["cuda:10", "cpu"]
    assert _device.endpoints(["cuda:02"], most=1) == ["cuda:2"]
    assert _device.beside_cpu(["cpu", "cuda:03"]) == "cuda:3"
