"""Bad input: every function refuses it with one sentence that names what was wrong.

The functions that take a graph share their checks, so each mistake is tried on all of them.
"""

from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse as sp

import calls
import graphs
import warpgraph as wg
from calls import triangle
from checks import raises_sentence

#: run(graph, **options) of every function that takes a graph and runs on a device.
CALLS = {call.name: call.run for call in calls.calls("device")}
#: The functions that search from one vertex.
SOURCE_CALLS = {
    call.name: call.function for call in calls.calls("source") if "target" not in call.parameters
}

every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
from_a_source = pytest.mark.parametrize("call", SOURCE_CALLS.values(), ids=SOURCE_CALLS)
from_a_source_within_a_limit = pytest.mark.parametrize(
    "call", [call.function for call in calls.calls("source", "limit")]
)


# The graph.


@every_call
def test_not_square(call):
    with raises_sentence(ValueError, "(2, 3)", "square"):
        call(sp.csr_array(np.ones((2, 3))))


@every_call
def test_not_square_and_dense(call):
    with raises_sentence(ValueError, "(2, 3)"):
        call(np.ones((2, 3)))


@every_call
def test_not_a_matrix(call):
    with raises_sentence(TypeError, "str"):
        call("roads.gr")


@every_call
def test_nan_weight(call):
    graph = triangle()
    graph.data[2] = np.nan
    with raises_sentence(ValueError, "NaN", "(1, 2)", "data[2]"):
        call(graph)


@every_call
@pytest.mark.parametrize("index", [-1, 3, 2**31 - 1])
def test_index_out_of_range(call, index):
    graph = triangle()
    graph.indices[1] = index
    with raises_sentence(ValueError, "indices[1]", index, "0..2"):
        call(graph)


@every_call
@pytest.mark.parametrize("index", [-1, 3, 2**32])
def test_wide_index_out_of_range(call, index):
    graph = triangle()
    graph.indices = graph.indices.astype(np.int64)
    graph.indices[4] = index
    with raises_sentence(ValueError, "indices[4]", index, "0..2"):
        call(graph)


@every_call
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_unsorted_indptr(call, dtype):
    graph = triangle()
    graph.indptr = np.array([0, 4, 2, 6], dtype)
    with raises_sentence(ValueError, "indptr[1] is 4", "indptr[2] is 2"):
        call(graph)


@every_call
def test_indptr_that_starts_late(call):
    graph = triangle()
    graph.indptr[0] = 1
    with raises_sentence(ValueError, "indptr[0] is 1"):
        call(graph)


@every_call
def test_indptr_that_ends_early(call):
    graph = triangle()
    graph.indptr[-1] = 5
    with raises_sentence(ValueError, "indptr ends at 5", "6"):
        call(graph)


@every_call
def test_fewer_weights_than_edges(call):
    graph = triangle()
    graph.data = graph.data[:4]
    with raises_sentence(ValueError, "data has 4 entries", "6"):
        call(graph)


@every_call
def test_complex_weights(call):
    with raises_sentence(TypeError, "complex128"):
        call(triangle(np.complex128))


@every_call
def test_weights_that_are_objects(call):
    graph = triangle()
    graph.data = graph.data.astype(object)
    with raises_sentence(TypeError, "object"):
        call(graph)


@every_call
def test_long_double_weights_are_not_rounded_silently(call):
    with raises_sentence(TypeError, "64 bits", np.dtype(np.longdouble)):
        call(triangle(np.longdouble))


@every_call
def test_unsigned_weights_beyond_int64(call):
    graph = triangle(np.uint64)
    graph.data[0] = 2**63
    with raises_sentence(OverflowError, 2**63, "int64"):
        call(graph)


def test_too_many_vertices():
    wide = sp.csr_array((1, 1))
    wide._shape = (2**31, 2**31)  # SciPy would need 16 GiB for the indptr
    with raises_sentence(ValueError, 2**31, 2**31 - 1):
        wg.Graph(wide)


# Sources, targets and limits.


@from_a_source
@pytest.mark.parametrize("source", [3, -1, 2**40])
def test_source_out_of_range(call, source):
    with raises_sentence(ValueError, f"source is {source}", "0..2"):
        call(triangle(), source)


@from_a_source
@pytest.mark.parametrize("source", [0.5, "0", None, {0}, True, b"0", slice(1)])
def test_source_that_is_no_vertex(call, source):
    with raises_sentence(TypeError, "source", repr(source)):
        call(triangle(), source)


def test_one_source_where_several_are_not_taken():
    with raises_sentence(TypeError, "source", "[0, 1]"):
        wg.sssp(triangle(), [0, 1])


@from_a_source
def test_source_in_an_empty_graph(call):
    with raises_sentence(ValueError, "source is 0", "no vertices"):
        call(graphs.csr(0, []), 0)


@from_a_source_within_a_limit
def test_negative_limit(call):
    with raises_sentence(ValueError, "limit", -1):
        call(triangle(), 0, limit=-1)


@pytest.mark.parametrize("limit", [np.nan, Decimal("NaN"), Decimal("sNaN")])
def test_limit_that_is_nan(limit):
    with raises_sentence(ValueError, "limit must be at least 0", repr(limit)):
        wg.sssp(triangle(), 0, limit=limit)


@from_a_source_within_a_limit
@pytest.mark.parametrize("limit", [np.inf, 10**400], ids=["inf", "an integer beyond floats"])
def test_limit_beyond_all_distances(call, limit):
    assert call(triangle(), 0, limit=limit).tolist() == call(triangle(), 0).tolist()
    with raises_sentence(ValueError, "limit"):
        call(triangle(), 0, limit=-(10**400))


@pytest.mark.parametrize("target", [7, 2**70])
def test_target_out_of_range(target):
    with raises_sentence(ValueError, f"targets[1] is {target}", "0..2"):
        wg.sssp(triangle(), 0, targets=[1, target])


# Weights that an algorithm cannot take.


@pytest.mark.parametrize("method", ["dijkstra", "delta_stepping"])
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_negative_weight_where_not_allowed(method, dtype):
    graph = triangle(dtype)
    graph.data[2] = -2
    with raises_sentence(ValueError, "(1, 2)", "-2", method):
        wg.sssp(graph, 0, method=method)


def test_negative_cycle():
    with raises_sentence(wg.NegativeCycleError, "negative cycle", "vertex") as caught:
        wg.sssp(graphs.SAMPLES["negative_cycle"], 0, method="bellman_ford")
    assert caught.value.vertex in (1, 2)
    assert isinstance(caught.value, ValueError)


def test_distances_as_something_else():
    with raises_sentence(TypeError, "float16", "float32"):
        wg.sssp(triangle(), 0, dtype="float16")


def test_fractions_as_integer_distances():
    graph = triangle()
    graph.data[2] = 0.5
    with raises_sentence(ValueError, "0.5", "(1, 2)", "int64"):
        wg.sssp(graph, 0, dtype=np.int64)


def test_weights_too_large_for_the_distances():
    with raises_sentence(OverflowError, 2**61 + 1, "(0, 1)", "int32"):
        wg.sssp(graphs.SAMPLES["huge_integers"], 0, dtype=np.int32)


def test_distances_that_overflow():
    chain = graphs.csr(4, [(v, v + 1, 2**30) for v in range(3)], np.int32)
    with raises_sentence(OverflowError, "(1, 2)", 2**30, "wider"):
        wg.sssp(chain, 0, dtype=np.int32)


# Options.


@pytest.mark.parametrize(
    ("call", "option"),
    [
        pytest.param(call, option, id=f"{call}, {option}")
        for call in calls.calls()
        for option in call.choices
    ],
)
def test_unknown_choice(call, option):
    with raises_sentence(ValueError, option, "'fastest'"):
        call.run(triangle(), **{option: "fastest"})


@every_call
def test_unknown_option(call):
    with pytest.raises(TypeError, match="velocity"):
        call(triangle(), velocity=3)


@pytest.mark.parametrize("limit", [0, -5, "1e400", np.inf, Decimal("sNaN")])
@calls.every("call", calls.calls("memory_limit", takes="any"))
def test_memory_limit_that_is_not_positive(call, limit):
    with raises_sentence(ValueError, "memory_limit", limit):
        call.run(calls.small_input(call), memory_limit=limit)


def test_too_large_for_the_memory_limit(device):
    graph = graphs.SAMPLES["medium_random"]
    with raises_sentence(MemoryError, "1000 bytes", "memory_limit", "needs"):
        wg.minimum_spanning_forest(graph, memory_limit=1000, device=device)


def test_enough_memory_is_enough(device):
    graph = graphs.SAMPLES["medium_random"]
    forest = wg.minimum_spanning_forest(graph, memory_limit=2**30, device=device)
    assert len(forest) == len(wg.minimum_spanning_forest(graph))


def test_memory_limit_that_the_result_takes_up():
    graph = graphs.SAMPLES["medium_random"]
    result = 8 * graph.shape[0]
    with raises_sentence(MemoryError, "1 bytes are left of memory_limit"):
        wg.many_to_many(graph, [0], memory_limit=result + 1)
    with raises_sentence(MemoryError, "but 0 bytes are left of memory_limit"):
        wg.many_to_many(graph, [0], memory_limit=result)


# Output arrays that cannot be written.


@calls.every("call", calls.calls("out", "dtype"))
@pytest.mark.parametrize("part", ["indptr", "indices", "data"])
def test_out_that_is_the_graph_itself(call, part):
    graph = triangle()
    distances = call.run(graph)[0]
    array = getattr(graph, part)
    memory = np.zeros(distances.nbytes + array.nbytes, np.uint8)
    setattr(graph, part, memory[: array.nbytes].view(array.dtype))
    getattr(graph, part)[:] = array
    out = memory[: distances.nbytes].view(distances.dtype).reshape(distances.shape)
    with raises_sentence(ValueError, "out shares memory with the graph"):
        call.run(graph, out=out)
    np.testing.assert_array_equal(getattr(graph, part), array)


def test_out_may_be_the_sources_or_targets():
    memory = np.zeros(6, np.int32)
    found = wg.sssp(triangle(np.int32), 1, targets=memory[:3], out=memory[2:5], dtype="int32")
    assert np.unique(found).tolist() == wg.sssp(triangle(), 1, targets=[0]).tolist()
    memory = np.zeros(6, np.int32)
    found = wg.many_to_many(triangle(np.int32), memory[:1], out=memory[None, :3], dtype="int32")
    assert found[0].tolist() == wg.sssp(triangle(), 0).tolist()


@pytest.mark.parametrize("threads", [-1, 10**6, 2**40])
def test_number_of_threads_that_no_machine_has(threads):
    with raises_sentence(ValueError, "number of threads", threads):
        wg.set_num_threads(threads)


@pytest.mark.parametrize("threads", [1.5, "2", None])
def test_number_of_threads_that_is_no_integer(threads):
    with raises_sentence(TypeError, "number of threads", repr(threads)):
        wg.set_num_threads(threads)


@calls.every("call", calls.calls("progress", takes="any"))
def test_progress_that_cannot_be_called(call):
    with raises_sentence(TypeError, "progress", "3"):
        call.run(calls.small_input(call), progress=3)


# Empty graphs.


def test_empty_graph(device):
    nothing = graphs.csr(0, [])
    n_components, labels = wg.connected_components(nothing, device=device)
    assert (n_components, labels.shape, labels.dtype) == (0, (0,), np.int32)
    forest = wg.minimum_spanning_forest(nothing, device=device)
    assert (len(forest), forest.n_trees, forest.total_weight) == (0, 0, 0)
    assert forest.edges.shape == (0, 2)


def test_graph_without_edges(device):
    isolated = graphs.SAMPLES["no_edges"]
    assert wg.sssp(isolated, 2, device=device).tolist() == [np.inf, np.inf, 0, np.inf, np.inf]
    assert wg.bfs(isolated, 2, device=device).tolist() == [-1, -1, 0, -1, -1]
    assert wg.connected_components(isolated, device=device)[0] == 5
    assert wg.minimum_spanning_forest(isolated, device=device).n_trees == 5


# After an error, the next call works.


@every_call
def test_an_error_leaves_the_graph_usable(call):
    graph = wg.Graph(triangle())
    with pytest.raises(wg.DeviceError):
        call(graph, device="cuda:99")
    call(graph)
    assert wg.connected_components(graph)[0] == 1
