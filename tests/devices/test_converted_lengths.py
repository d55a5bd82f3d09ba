"""Weights of one dtype for distances of another, which the device of a search converts."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import graphs
import warpgraph as wg
from device_lists import GPUS

DTYPES = ("float32", "float64", "int32", "int64")
PAIRS = list(itertools.permutations(DTYPES, 2))


def town(dtype):
    matrix = wg.generators.rmat(11, seed=5).to_csr()
    matrix.data = np.random.default_rng(2).integers(0, 100, matrix.nnz).astype(dtype)
    return matrix


def star(dtype, n=600_000):
    """Return a graph whose arrays are so large that they go to a device in pieces."""
    weights = (np.arange(n - 1) % 1000).astype(dtype)
    offsets = np.full(n + 1, n - 1, np.int32)
    offsets[0] = 0
    return sp.csr_array((weights, np.arange(1, n, dtype=np.int32), offsets))


@pytest.mark.parametrize(("given", "wanted"), PAIRS)
@pytest.mark.parametrize("method", ["auto", "bellman_ford"])
@pytest.mark.parametrize("make", [town, star])
def test_distances_are_those_of_converted_weights(given, wanted, method, make, device):
    matrix = make(given)
    converted = matrix.astype(wanted)
    how = {"dtype": wanted, "method": method}
    expected = wg.sssp(converted, 0, **how, device="cpu")
    kept = wg.Graph(matrix)
    for graph in (matrix, kept, kept):  # the last one has the weights
        found = wg.sssp(graph, 0, **how, device=device)
        np.testing.assert_array_equal(found, expected)
    assert (np.dtype(wanted) in kept._weights) == (device == "cpu")
    np.testing.assert_array_equal(wg.sssp(kept, 0, dtype=wanted, device="cpu"), expected)
    expected = wg.sssp(matrix, 0, dtype=given, device="cpu")
    np.testing.assert_array_equal(wg.sssp(kept, 0, dtype=given, device=device), expected)


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize(
    ("weight", "dtype", "error"),
    [
        (0.5, "int32", ValueError),
        (2.0**31 - 1, "int32", OverflowError),
        (2.0**63, "int64", OverflowError),
        (1e300, "float32", OverflowError),
        (np.nan, "int32", ValueError),
        (np.nan, "float32", ValueError),
    ],
)
@pytest.mark.parametrize("keeps", [False, True])
def test_a_weight_that_does_not_fit_is_named_as_on_the_host(
    weight, dtype, error, place, keeps, device
):
    matrix = star("float64")
    matrix.data[place] = weight
    if keeps and np.isnan(weight):
        pytest.skip("a Graph has no such weight")
    sentences = []
    for where in ("cpu", device):
        with pytest.raises(error, match=r"the weight") as caught:
            wg.sssp(wg.Graph(matrix) if keeps else matrix, 0, dtype=dtype, device=where)
        sentences.append(str(caught.value))
    assert sentences[0] == sentences[1]


def test_inf_is_an_edge_that_is_never_used(device):
    matrix = graphs.csr(3, [(0, 1, np.inf), (0, 2, 4), (2, 1, 3)], "float64")
    found = wg.sssp(matrix, 0, dtype="int32", device=device)
    assert found.tolist() == [0, 7, 4]


def test_searches_that_read_the_host_convert_there(device):
    """Negative weights, and paths in a graph that is made undirected."""
    matrix = graphs.csr(3, [(0, 1, 5), (1, 2, -3), (0, 2, 4)], "int32")
    found = wg.sssp(matrix, 0, method="bellman_ford", dtype="float64", device=device)
    assert found.tolist() == [0, 5, 2]
    one_way = graphs.csr(3, [(0, 1, 5), (2, 1, 3)], "int32")
    found = wg.sssp(one_way, 0, directed=False, dtype="float32", device=device)
    assert found.tolist() == [0, 5, 8]


@pytest.mark.parametrize("dtype", DTYPES)
def test_lengths_take_their_memory_on_the_device(dtype, device):
    """Those of the caller are not kept there besides."""
    if device == "cpu":
        pytest.skip("of copies on devices")
    other = "float64" if dtype != "float64" else "int32"
    one, two = wg.Graph(town(dtype)), wg.Graph(town(dtype).astype(other))
    before = one.nbytes, two.nbytes
    wg.sssp(one, 0, dtype=other, method="near_far", device=device)
    wg.sssp(two, 0, dtype=other, method="near_far", device=device)
    assert one.nbytes - before[0] == two.nbytes - before[1]


@pytest.mark.skipif(not GPUS, reason="needs CUDA devices: 1")
def test_weights_on_a_device_are_converted_there(device):
    cupy = pytest.importorskip("cupy")
    if device == "cpu":
        pytest.skip("of arrays on devices")
    from cupyx.scipy.sparse import csr_matrix

    matrix = town("float32")
    there = csr_matrix(matrix)
    found = wg.sssp(there, 0, dtype="float64", device=device)
    expected = wg.sssp(matrix.astype("float64"), 0, device="cpu")
    np.testing.assert_array_equal(cupy.asnumpy(found), expected)
