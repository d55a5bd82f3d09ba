"""wg.Graph: derived data, and weights in other dtypes."""

import copy
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import graphs
import oracles
import warpgraph as wg
from files import arcs
from warpgraph import _core

DTYPES = ["float32", "float64", "int32", "int64"]

DENSE = np.array([[0, 2, 0, 1], [2, 0, 3, 0], [0, 0, 5, 0], [0, 7, 0, 0]])


@settings(max_examples=60)
@given(graph=graphs.csr_graphs(weights="ties", symmetric=None), threads=st.sampled_from([1, 3]))
def test_mirrored_undirected_and_transposed(graph, threads):
    kept = wg.Graph(graph)
    row, col, data = oracles.arcs(graph)
    forward = sorted(zip(row.tolist(), col.tolist(), data.tolist(), strict=True))
    backward = sorted(zip(col.tolist(), row.tolist(), data.tolist(), strict=True))
    wg.set_num_threads(threads)
    undirected, transposed = kept._undirected(), kept._transposed()
    wg.set_num_threads(0)
    assert kept._is_mirrored() == (forward == backward)
    assert sorted(arcs(transposed)) == backward
    loops = [arc for arc in forward if arc[0] == arc[1]]
    both = forward if forward == backward else sorted(forward + backward)
    if forward != backward:
        for loop in loops:
            both.remove(loop)
    assert sorted(arcs(undirected)) == both
    assert undirected._is_mirrored()


def test_derived_graphs_are_made_once_and_cleared():
    graph = wg.Graph(graphs.SAMPLES["medium_directed"])
    alone = graph.nbytes
    assert alone == graph.indptr.nbytes + graph.indices.nbytes + graph.data.nbytes
    undirected = graph._undirected()
    assert graph._undirected() is undirected
    assert graph._transposed() is graph._transposed()
    assert graph.nbytes > alone + undirected.nbytes
    handle = graph._handle_for(np.dtype(np.float32))
    assert graph.nbytes > alone + undirected.nbytes + 4 * graph.n_edges
    graph.clear()
    assert graph.nbytes == alone
    assert graph._undirected() is not undirected
    # A call in another thread may still use the former one and its data.
    assert graph._handle_for(np.dtype(np.float64)) is not handle


def test_whatever_has_bytes_counts():
    graph = wg.Graph(graphs.SAMPLES["grid"])
    alone = graph.nbytes
    made = graph._derive("tables", lambda: (np.zeros(100), wg.Graph(np.eye(3)), "name", graph))
    assert graph._derive("tables", lambda: pytest.fail("made twice")) is made
    assert graph.nbytes == alone + 800 + made[1].nbytes


def test_clearing_frees_page_locked_memory(device):
    graph = wg.Graph(graphs.SAMPLES["grid"])
    wg.many_to_many(graph, [0, 5, 1], method="dijkstra", device=device)
    if device != "cpu":
        assert _core.idle_pinned_bytes() > 0
    graph.clear()
    assert _core.idle_pinned_bytes() == 0


def test_clearing_frees_converted_weights():
    graph = wg.Graph(graphs.SAMPLES["grid"])
    graph._handle_for(np.dtype(np.float32))
    graph.clear()
    with pytest.raises(ValueError, match="the graph has no weights of this type yet"):
        graph._handle.has_mirrored_weights(np.dtype(np.float32))
    assert graph._is_mirrored()


def test_threads_may_share_a_graph():
    graph = wg.Graph(graphs.SAMPLES["medium_directed"])
    seen = []

    def use():
        for dtype in DTYPES:
            graph._handle_for(np.dtype(dtype))
        seen.append((graph._undirected(), graph._transposed()))

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len({(id(a), id(b)) for a, b in seen}) == 1


def test_graphs_can_be_pickled_and_copied():
    graph = wg.Graph(graphs.SAMPLES["medium_power_law"])
    graph._undirected()
    for again in (pickle.loads(pickle.dumps(graph)), copy.copy(graph), copy.deepcopy(graph)):
        np.testing.assert_array_equal(again.indptr, graph.indptr)
        np.testing.assert_array_equal(again.indices, graph.indices)
        np.testing.assert_array_equal(again.data, graph.data)


def test_a_graph_describes_itself():
    text = repr(wg.Graph(DENSE.astype(np.float32)))
    assert text.startswith("<warpgraph.Graph: 4 vertices, 6 edges, float32 weights, ")


def test_to_the_cpu_does_nothing():
    graph = wg.Graph(DENSE)
    assert graph.to("cpu") is graph
    with pytest.raises(wg.DeviceError, match="cuda:99"):
        graph.to("cuda:99")


def test_to_a_device_counts_its_bytes(device):
    graph = wg.Graph(graphs.SAMPLES["medium_random"])
    alone = graph.nbytes
    graph.to(device)
    assert graph.nbytes == (alone if device == "cpu" else 2 * alone)
    graph.clear()
    assert graph.nbytes == alone


def test_to_csr_gives_a_matrix_that_scipy_accepts():
    matrix = graphs.SAMPLES["wide_indptr"]
    back = wg.Graph(matrix).to_csr()
    back.check_format(full_check=True)
    assert (back != matrix).nnz == 0


# Weights in another dtype.


@pytest.mark.parametrize("requested", DTYPES)
@pytest.mark.parametrize("given", DTYPES)
def test_weights_that_fit_are_converted(given, requested):
    graph = wg.Graph(graphs.csr(3, [(0, 1, 0), (1, 2, 7), (2, 0, -100)], given))
    for convert in (wg._graph.graph.convert_weights, wg._graph.graph.lengths_as):
        converted = convert(graph, np.dtype(requested))
        assert converted.dtype == requested
        assert converted.tolist() == [0, 7, -100]


@pytest.mark.parametrize(
    ("weight", "dtype", "error"),
    [
        (0.5, "int32", ValueError),
        (-1e-300, "int64", ValueError),
        (-np.inf, "int64", OverflowError),
        (2.0**31, "int32", OverflowError),
        (-(2.0**31) - 1, "int32", OverflowError),
        (2.0**63, "int64", OverflowError),
        (1e300, "float32", OverflowError),
        (np.int64(2**31), "int32", OverflowError),
        (np.int64(-(2**31) - 1), "int32", OverflowError),
    ],
)
def test_weights_that_do_not_fit_are_named(weight, dtype, error):
    graph = wg.Graph.from_csr([0, 0, 2], [0, 1], np.array([1, weight]))
    for convert in (wg._graph.graph.convert_weights, wg._graph.graph.lengths_as):
        with pytest.raises(error, match=r"of entry \(1, 1\) cannot be represented as " + dtype):
            convert(graph, np.dtype(dtype))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_inf_is_a_length_but_no_integer(dtype):
    """As a distance weight it is an edge that is never used."""
    graph = wg.Graph.from_csr([0, 1], [0], np.array([np.inf]))
    with pytest.raises(OverflowError, match=f"inf of entry .* cannot be represented as {dtype}"):
        wg._graph.graph.convert_weights(graph, np.dtype(dtype))
    assert wg._graph.graph.lengths_as(graph, np.dtype(dtype)) == np.iinfo(dtype).max


@pytest.mark.parametrize(
    ("weight", "dtype"),
    [(2.0**31 - 1, "int32"), (np.int64(2**31 - 1), "int32"), (np.int32(2**31 - 1), "int32")],
)
def test_the_largest_integer_is_no_length(weight, dtype):
    graph = wg.Graph.from_csr([0, 1], [0], np.array([weight]))
    assert wg._graph.graph.convert_weights(graph, np.dtype(dtype)) == 2**31 - 1
    with pytest.raises(OverflowError, match=r"2147483647.* of entry \(0, 0\) is the largest int32"):
        graph._handle_for(np.dtype(dtype))
    assert wg._graph.graph.lengths_as(graph, np.dtype("int64")) == 2**31 - 1


@pytest.mark.parametrize(
    ("weight", "dtype", "expected"),
    [
        (np.inf, "float32", np.inf),
        (2.0**31 - 2, "int32", 2**31 - 2),
        (-(2.0**31), "int32", -(2**31)),
        (2.0**63 - 1024, "int64", 2**63 - 1024),
        (-(2.0**63), "int64", -(2**63)),
        (1e-300, "float32", 0.0),
        (np.int64(2**53 + 1), "float64", 2.0**53),
    ],
)
def test_weights_at_the_limits(weight, dtype, expected):
    graph = wg.Graph.from_csr([0, 1], [0], np.array([weight]))
    for convert in (wg._graph.graph.convert_weights, wg._graph.graph.lengths_as):
        assert convert(graph, np.dtype(dtype)).tolist() == [expected]
