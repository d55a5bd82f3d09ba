"""Arrays that begin anywhere in memory: each function reads a copy, whose items are aligned."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import calls
import warpgraph as wg
from warpgraph._arguments import points, validate
from warpgraph._search import predicate_filter
from warpgraph.csgraph import _floyd_warshall, _input

ROADS = wg.generators.grid(6, 6, seed=1, weights=(1, 9)).to_csr()
POINTS = np.random.default_rng(0).random((40, 3))


def misaligned(values):
    """Return a copy that begins at an odd address."""
    values = np.ascontiguousarray(values)
    copy = np.empty(values.nbytes + 1, np.uint8)[1:].view(values.dtype).reshape(values.shape)
    copy[...] = values
    assert not copy.flags.aligned
    return copy


def misaligned_csr(graph):
    matrix = sp.csr_array(graph.shape, dtype=graph.dtype)
    matrix.indptr, matrix.indices = misaligned(graph.indptr), misaligned(graph.indices)
    matrix.data = misaligned(graph.data)
    return matrix


@pytest.mark.parametrize("call", calls.CALLS, ids=str)
def test_results_are_those_of_aligned_arrays(call):
    """Without the copies, only the undefined-behaviour sanitizer would tell."""
    if call.takes == "graph":
        aligned, other = ROADS, misaligned_csr(ROADS)
    elif call.takes == "points":
        aligned, other = POINTS, misaligned(POINTS)
    else:
        pytest.skip("takes no array")
    for ours, theirs in zip(call.run(other), call.run(aligned), strict=True):
        assert_array_equal(ours, theirs)


def test_what_the_core_reads_is_aligned():
    ends = misaligned(np.array([[0, 1], [1, 2]], np.int32))
    forest = wg.SpanningForest(3, ends, misaligned([1.0, 2.0]), misaligned([4, 5]))
    graph = wg.Graph(misaligned_csr(ROADS))
    read = [
        *(forest.edges, forest.weights, forest.edge_ids),
        *(graph.indptr, graph.indices, graph.data),
        points.as_points(misaligned(POINTS)),
        points.as_points(misaligned(POINTS.astype(np.float32))),
        validate.vertices(misaligned(np.arange(5, dtype=np.int32)), 5, "sources"),
        predicate_filter._contiguous(misaligned(POINTS[0]), np.dtype(float), validate.NO_LIMIT),
        *_input.arcs_of(misaligned_csr(ROADS.astype(float)), True),
        *_floyd_warshall._arcs(misaligned_csr(ROADS.astype(float)), True),
    ]
    assert all(array.flags.aligned for array in read)


def test_arrays_that_are_aligned_are_not_copied():
    for array in (POINTS, np.arange(5, dtype=np.int32)):
        assert validate.in_place(array) is array
    assert np.shares_memory(points.as_points(POINTS), POINTS)


@pytest.mark.parametrize("function", ["dijkstra", "floyd_warshall", "connected_components"])
def test_csgraph(function):
    call = getattr(wg.csgraph, function)
    weights = ROADS.astype(float)
    found, expected = call(misaligned_csr(weights)), call(weights)
    if function == "connected_components":
        found, expected = found[1], expected[1]
    assert_array_equal(found, expected)
