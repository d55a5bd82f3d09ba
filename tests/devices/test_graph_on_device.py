"""Graphs of CSR arrays that lie on a device: used there, and copied to the host only when read."""

import gc
import logging

import numpy as np
import pytest
import scipy.sparse as sp

import warpgraph as wg
from device_lists import GPUS
from dlpack_support import OnDevice
from graphs import DTYPES, SAMPLES
from warpgraph import _core

GPU = next(iter(GPUS), None)
pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif(GPU is None, reason="there is no GPU"),
]
MATRIX = SAMPLES["medium_random"]
ROADS = wg.generators.grid(20, 30, seed=1, weights=(1, 20), dtype=float).to_csr()


class Interface:
    """An array that is given by __cuda_array_interface__ alone."""

    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__ | changes


def on_gpu(values, gpu=None):
    values = np.ascontiguousarray(values)
    array = _core.device_array(values.shape, values.dtype, gpu or GPU)
    array.set(values)
    return array


def arrays_of(matrix, index=np.int32, gpu=None):
    arrays = matrix.indptr.astype(index), matrix.indices.astype(index), matrix.data
    return [on_gpu(array, gpu) for array in arrays]


class Csr:
    """A CSR matrix as CuPy has it."""

    format = "csr"

    def __init__(self, indptr, indices, data, n=None):
        self.indptr, self.indices, self.data = indptr, indices, data
        self.shape = (len(indptr) - 1,) * 2 if n is None else n


Csr.__module__ = "cupyx.scipy.sparse._csr"


@pytest.fixture
def copies(caplog):
    """Return a function that returns what has come to the host so far, as the log says."""
    caplog.set_level(logging.INFO, logger="warpgraph")

    def come():
        lines = (r.getMessage() for r in caplog.records if "are copied from" in r.getMessage())
        return [line.split()[0] for line in lines]

    return come


CALLS = {
    "sssp": lambda graph, device: wg.sssp(graph, 3, device=device),
    "tree": lambda graph, device: wg.sssp(graph, 3, return_predecessors=True, device=device)[1],
    "bfs": lambda graph, device: wg.bfs(graph, 3, device=device),
    "components": lambda graph, device: wg.connected_components(graph, device=device)[1],
    "strong": lambda g, device: wg.connected_components(g, connection="strong", device=device)[1],
}
OF_MIRRORED = CALLS | {
    "pagerank": lambda graph, device: wg.pagerank(graph, device=device),
    "forest": lambda graph, device: wg.minimum_spanning_forest(graph, device=device).edge_ids,
    "bfs, undirected": lambda graph, device: wg.bfs(graph, 3, directed=False, device=device),
}


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("name", OF_MIRRORED)
def test_calls_copy_nothing_to_the_host(name, index, copies):
    expected = OF_MIRRORED[name](ROADS, "cpu")
    arrays = arrays_of(ROADS, index)
    for graph in (Csr(*arrays), wg.Graph(Csr(*arrays)), wg.Graph.from_csr(*arrays)):
        np.testing.assert_array_equal(OF_MIRRORED[name](graph, GPU), expected)
    assert copies() == []


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_directed_graphs_of_all_dtypes(name, dtype, copies):
    matrix = MATRIX.astype(dtype)
    found = CALLS[name](Csr(*arrays_of(matrix)), GPU)
    assert copies() == []  # the GPU converts integers to float64
    np.testing.assert_array_equal(found, CALLS[name](matrix, "cpu"))


@pytest.mark.parametrize("device", ["cpu", "auto"])
@pytest.mark.parametrize("name", OF_MIRRORED)
def test_other_devices_copy_the_graph_once(name, device, copies):
    graph = wg.Graph(Csr(*arrays_of(ROADS)))
    for _ in range(2):
        np.testing.assert_array_equal(
            OF_MIRRORED[name](graph, device), OF_MIRRORED[name](ROADS, "cpu")
        )
    assert len(copies()) == len(set(copies())) <= 2


@pytest.mark.cuda(2)
@pytest.mark.parametrize("name", OF_MIRRORED)
def test_another_gpu_takes_the_graph_from_the_first(name, copies):
    graph = wg.Graph(Csr(*arrays_of(ROADS, gpu="cuda:0")))
    expected = OF_MIRRORED[name](ROADS, "cpu")
    np.testing.assert_array_equal(OF_MIRRORED[name](graph, "cuda:1"), expected)
    assert copies() == []
    if name not in ("tree", "strong", "forest"):
        np.testing.assert_array_equal(OF_MIRRORED[name](graph, ["cuda:0", "cuda:1"]), expected)


def test_arrays_come_to_the_host_when_they_are_read(copies):
    graph = wg.Graph(Csr(*arrays_of(MATRIX)))
    assert (graph.n_vertices, graph.n_edges) == (MATRIX.shape[0], MATRIX.nnz)
    assert graph.dtype == np.float64
    before = graph.nbytes
    assert before > MATRIX.data.nbytes + MATRIX.indices.nbytes
    assert "medium" not in repr(graph)
    assert copies() == []
    np.testing.assert_array_equal(graph.indices, MATRIX.indices)
    np.testing.assert_array_equal(graph.data, MATRIX.data)
    assert copies() == ["indices", "data"]
    assert graph.indices is graph.indices
    assert not graph.data.flags.writeable
    assert graph.nbytes == before + MATRIX.data.nbytes + MATRIX.indices.nbytes
    kept = graph.indices
    graph.clear()
    assert graph.nbytes == before
    np.testing.assert_array_equal(graph.indices, kept)
    with pytest.raises(AttributeError, match="colour"):
        _ = graph.colour
    assert (graph.to_csr() != MATRIX).nnz == 0
    np.testing.assert_array_equal(wg.sssp(graph, 3), wg.sssp(MATRIX, 3))


def test_a_graph_does_not_change_with_its_arrays():
    arrays = arrays_of(MATRIX)
    graph, in_place = wg.Graph(Csr(*arrays)), wg.Graph(Csr(*arrays), copy=False)
    expected = wg.sssp(MATRIX, 3)
    arrays[2].set(2 * MATRIX.data)
    np.testing.assert_array_equal(wg.sssp(graph, 3, device=GPU), expected)
    np.testing.assert_array_equal(wg.sssp(in_place, 3, device=GPU), 2 * expected)


def test_memory_is_that_of_the_arrays():
    given = arrays_of(MATRIX)
    n_bytes = sum(array.nbytes for array in given)
    graph = wg.Graph(Csr(*given), copy=False)
    assert graph.nbytes == n_bytes + MATRIX.indptr.nbytes
    owned = [given[i].__cuda_array_interface__["data"][0] for i in range(3)]
    there = [a.__cuda_array_interface__["data"][0] for a in graph._on_device[1:]]
    assert there == owned
    expected = wg.bfs(MATRIX, 3)
    del given
    gc.collect()
    np.testing.assert_array_equal(wg.bfs(graph, 3, device=GPU), expected)


def test_other_weights(copies):
    graph = wg.Graph(Csr(*arrays_of(MATRIX)))
    expected = wg.sssp(MATRIX, 3)
    twice = graph.with_weights(on_gpu(2 * MATRIX.data))
    np.testing.assert_array_equal(wg.sssp(twice, 3, device=GPU), 2 * expected)
    assert copies() == []
    thrice = graph.with_weights(3 * MATRIX.data)
    np.testing.assert_array_equal(wg.sssp(thrice, 3, device=GPU), wg.sssp(3 * MATRIX, 3))
    np.testing.assert_array_equal(thrice.data, 3 * MATRIX.data)
    np.testing.assert_array_equal(twice.data, 2 * MATRIX.data)
    for again in (twice, thrice):
        again.clear()
        assert wg.Graph(again).n_edges == MATRIX.nnz
    np.testing.assert_array_equal(wg.sssp(twice, 3, device=GPU), 2 * expected)


def test_other_dtypes_of_distances():
    graph = wg.Graph(Csr(*arrays_of(MATRIX)))
    found = wg.sssp(graph, 3, dtype="float32", device=GPU)
    np.testing.assert_array_equal(found, wg.sssp(MATRIX, 3, dtype="float32"))
    graph.clear()
    np.testing.assert_array_equal(wg.sssp(graph, 3, dtype="float32", device=GPU), found)


N = MATRIX.shape[0]
WRONG = {
    "indices": [(-1, N), (3, -1)],
    "indptr": [(0, 1), (4, 10**6), (-1, MATRIX.nnz + 1)],
    "data": [(5, np.nan), (5, -1.0), (7, -np.inf)],
}


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("case", range(3))
def test_errors_are_those_of_arrays_on_the_host(case, name, index):
    matrix = MATRIX.copy()
    position, value = WRONG[name][case % len(WRONG[name])]
    getattr(matrix, name)[position] = value

    def sentence(graph, device):
        with pytest.raises(ValueError, match=r".") as caught:
            wg.sssp(graph, 3, method="auto" if device == "cpu" else "near_far", device=device)
        return str(caught.value).replace("delta_stepping", "near_far")

    arrays = matrix.indptr.astype(index), matrix.indices.astype(index), matrix.data
    host = sp.csr_array(MATRIX.shape)
    host.indptr, host.indices, host.data = arrays
    assert sentence(Csr(*map(on_gpu, arrays)), GPU) == sentence(host, GPU)


def test_shapes_are_those_of_a_matrix():
    indptr, indices, data = arrays_of(MATRIX)
    n = MATRIX.shape[0]
    with pytest.raises(ValueError, match="square"):
        wg.Graph(Csr(indptr, indices, data, (n, n + 1)))
    short = on_gpu(MATRIX.data[:-1])
    for graph in (Csr(indptr, indices, short), sp.csr_array):
        with pytest.raises((ValueError, TypeError)):
            wg.Graph(graph)
    with pytest.raises(ValueError, match="data has 2 entries and indices 3"):
        wg.Graph.from_csr(on_gpu([0, 3]), on_gpu([0, 0, 0]), on_gpu([1.0, 2.0]))


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.bool_])
def test_other_types_are_converted_on_the_host(dtype):
    matrix = ROADS.astype(dtype)
    graph = wg.Graph(Csr(*arrays_of(matrix)))
    assert graph._on_device is None
    np.testing.assert_array_equal(wg.sssp(graph, 3), wg.sssp(wg.Graph(matrix), 3))


def test_empty_graphs():
    empty = [on_gpu(np.zeros(n, kind)) for n, kind in ((4, "i4"), (0, "i4"), (0, "f8"))]
    assert wg.bfs(Csr(*empty), 0, device=GPU).tolist() == [0, -1, -1]


def test_dlpack_and_the_interface_are_alike(copies):
    arrays = arrays_of(MATRIX)
    for wrap in (OnDevice, Interface):
        graph = Csr(*map(wrap, arrays), n=MATRIX.shape)
        np.testing.assert_array_equal(wg.sssp(graph, 3, device=GPU), wg.sssp(MATRIX, 3))
    assert copies() == []


def test_the_queued_work_of_the_owner_is_awaited():
    arrays = [OnDevice(array) for array in arrays_of(MATRIX)]
    wg.bfs(Csr(*arrays, n=MATRIX.shape), 3, device=GPU)
    assert all(stream is not None for array in arrays for stream in array.streams)


def test_results_are_not_written_to_the_graph():
    arrays = arrays_of(ROADS)
    with pytest.raises(ValueError, match="out shares memory with the graph"):
        wg.sssp(Csr(*arrays), 3, out=Interface(arrays[2], shape=(ROADS.shape[0],)))
    out = _core.device_array(ROADS.shape[0], np.dtype(np.float64), GPU)
    wg.sssp(Csr(*arrays), 3, out=out)
    np.testing.assert_array_equal(out.to_numpy(), wg.sssp(ROADS, 3))


def test_negative_weights_and_overflow():
    matrix = ROADS.copy()
    matrix.data[:] = 1.0
    matrix.data[4] = -3.0
    for graph in (Csr(*arrays_of(matrix)), matrix):
        with pytest.raises(wg.NegativeCycleError):
            wg.sssp(graph, 0, device=GPU)
    large = ROADS.astype(np.int32)
    large.data[:] = 2**30
    sentences = []
    for graph in (Csr(*arrays_of(large)), large):
        with pytest.raises(OverflowError) as caught:
            wg.sssp(graph, 0, dtype="int32", device=GPU)
        sentences.append(str(caught.value))
    assert sentences[0] == sentences[1]
    large.data[3] = np.iinfo(np.int32).max
    with pytest.raises(OverflowError, match="unreachable"):
        wg.sssp(Csr(*arrays_of(large)), 0, dtype="int32", device=GPU)


def test_a_memory_limit_is_kept():
    graph = Csr(*arrays_of(MATRIX))
    with pytest.raises(MemoryError, match="memory_limit"):
        wg.sssp(graph, 3, memory_limit=100, device=GPU)
    found = wg.sssp(graph, 3, memory_limit="1 GiB", device=GPU)
    np.testing.assert_array_equal(found, wg.sssp(MATRIX, 3))


def test_weights_from_the_host_are_checked():
    graphs = wg.Graph(Csr(*arrays_of(MATRIX))), wg.Graph(MATRIX)
    data = MATRIX.data.copy()
    data[11] = np.nan
    sentences = []
    for graph in graphs:
        with pytest.raises(ValueError, match="is NaN") as caught:
            graph.with_weights(data)
        sentences.append(str(caught.value))
    assert sentences[0] == sentences[1]


def test_methods_after_each_other(copies):
    graph = wg.Graph(Csr(*arrays_of(ROADS)))
    for unweighted in (True, False, True):
        for method in ("bellman_ford", "near_far"):
            how = {"method": method, "unweighted": unweighted, "device": GPU}
            expected = wg.sssp(ROADS, 3, unweighted=unweighted)
            np.testing.assert_array_equal(wg.sssp(graph, 3, **how), expected)
    assert copies() == []
