"""wg.csgraph returns what SciPy returns, for graphs of every format and dtype."""

import functools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs
from hypothesis import assume, given, strategies as st

import warpgraph.csgraph as ours
from csgraph_support import (
    DTYPES,
    FORMATS,
    IS_OLD,
    as_format,
    assert_trees,
    graph_inputs,
    indices_of,
    on,
    outcome,
    random_csr,
    undirected_if,
)

pytestmark = pytest.mark.filterwarnings("ignore:Graph has negative weights")


@given(graph_inputs(), st.booleans(), st.booleans(), st.data())
def test_dijkstra(device, graph, directed, unweighted, data):
    limit = data.draw(st.sampled_from([np.inf, 0, 3, 7.5]))
    indices = data.draw(indices_of(graph))
    options = {
        "directed": directed,
        "unweighted": unweighted,
        "limit": limit,
        "indices": indices,
    }
    expected = theirs.dijkstra(graph, **options)
    found = ours.dijkstra(graph, **options, device=on(device))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    again, trees = ours.dijkstra(graph, **options, return_predecessors=True, device=on(device))
    np.testing.assert_array_equal(again, expected)
    assert_trees(graph, trees, expected, indices, directed=directed, unweighted=unweighted)


@given(graph_inputs(), st.booleans(), st.booleans(), st.data())
def test_dijkstra_from_the_nearest(device, graph, directed, unweighted, data):
    n = graph.shape[0]
    options = {
        "directed": directed,
        "unweighted": unweighted,
        "limit": data.draw(st.sampled_from([np.inf, 0, 3])),
        "indices": data.draw(indices_of(graph)),
        "min_only": True,
    }
    assume(not (IS_OLD and options["indices"] is None))  # SciPy's gh-20904
    expected = theirs.dijkstra(graph, **options)
    np.testing.assert_array_equal(ours.dijkstra(graph, **options), expected)
    found = ours.dijkstra(graph, **options, return_predecessors=True)
    shapes = [(part.shape, part.dtype) for part in found]
    _, _, its = theirs.dijkstra(graph, **options, return_predecessors=True)
    assert shapes == [((n,), np.float64), ((n,), np.int32), ((n,), np.int32)]
    np.testing.assert_array_equal(found[0], expected)
    np.testing.assert_array_equal(found[2] < 0, its < 0)
    np.testing.assert_array_equal(found[2] == -9999, np.isinf(expected))
    for v in np.flatnonzero(found[1] >= 0):
        assert found[2][v] == found[2][found[1][v]]


@given(graph_inputs(negative=True), st.booleans(), st.booleans(), st.data())
@pytest.mark.parametrize("name", ["bellman_ford", "johnson", "shortest_path"])
def test_any_weights(device, name, graph, directed, unweighted, data):
    options = {
        "directed": directed,
        "unweighted": unweighted,
        "indices": data.draw(indices_of(graph)),
    }
    expected = outcome(getattr(theirs, name), graph, **options)
    mine = functools.partial(getattr(ours, name), graph, **options, device=on(device))
    if not isinstance(expected, np.ndarray):
        assert outcome(mine) == expected
        return
    np.testing.assert_array_equal(mine(), expected)
    found, trees = mine(return_predecessors=True)
    np.testing.assert_array_equal(found, expected)
    if name == "shortest_path" and not getattr(graph, "has_canonical_format", True):
        return  # parallel edges are summed or not, as SciPy's other functions do
    indices = options["indices"]
    assert_trees(graph, trees, expected, indices, directed=directed, unweighted=unweighted)


@given(graph_inputs(negative=True, formats=["csr", "csc", "lil", "dense", "masked"]), st.data())
def test_floyd_warshall(device, graph, data):
    directed, unweighted = data.draw(st.booleans()), data.draw(st.booleans())
    options = {"directed": directed, "unweighted": unweighted}
    expected = outcome(theirs.floyd_warshall, graph, **options)
    mine = functools.partial(ours.floyd_warshall, graph, **options, device=on(device))
    if not isinstance(expected, np.ndarray):
        assert outcome(mine) == expected
        return
    np.testing.assert_array_equal(mine(), expected)
    found, trees = mine(return_predecessors=True)
    np.testing.assert_array_equal(found, expected)
    has_none = np.isinf(expected) | np.eye(len(trees), dtype=bool)
    np.testing.assert_array_equal(trees == -9999, has_none)


@pytest.mark.parametrize("directed", [True, False])
def test_floyd_warshall_of_more_vertices(device, directed):
    rng = np.random.default_rng(5)
    graph = random_csr(90, 0.1, 5)
    graph.data = rng.integers(1, 9, graph.nnz).astype(float)
    for matrix in (graph, sp.csr_array(rng.integers(1, 9, (90, 90)))):
        expected = theirs.floyd_warshall(matrix, directed)
        found, trees = ours.floyd_warshall(matrix, directed, True, device=on(device))
        np.testing.assert_array_equal(found, expected)
        assert_trees(matrix, trees, expected, None, directed=directed, unweighted=False)


@given(graph_inputs(), st.booleans(), st.sampled_from(["weak", "strong", "Strong"]))
def test_connected_components(device, graph, directed, connection):
    if hasattr(graph, "sum_duplicates") and connection != "weak":
        # SciPy 1.17 does not return if a vertex has parallel edges to its last neighbour.
        graph = graph.copy()
        graph.sum_duplicates()
    expected = theirs.connected_components(graph, directed, connection)
    found = ours.connected_components(graph, directed, connection, device=on(device))
    assert found[0] == expected[0]
    assert found[1].dtype == expected[1].dtype
    np.testing.assert_array_equal(found[1], expected[1])
    assert ours.connected_components(graph, directed, connection, False) == expected[0]


@given(graph_inputs(negative=True))
def test_minimum_spanning_tree(device, graph):
    expected = theirs.minimum_spanning_tree(graph)
    found = ours.minimum_spanning_tree(graph, device=on(device))
    assert type(found) is type(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.data, expected.data)


def test_spanning_trees_have_indices_of_32_bits():
    wide = random_csr(30, 0.2, 0)
    expected = theirs.minimum_spanning_tree(wide)  # SciPy 1.13 takes no indices of 64 bits here
    wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
    found = ours.minimum_spanning_tree(wide)
    assert found.indices.dtype == expected.indices.dtype == np.int32
    assert found.indptr.dtype == expected.indptr.dtype == np.int32
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


@pytest.mark.parametrize("min_only", [False, True])
@pytest.mark.parametrize("indices", [0, [2, 0]])
def test_no_edge_is_within_a_limit_that_is_nan(device, min_only, indices):
    graph = sp.csr_array(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]]))
    how = {"indices": indices, "limit": np.nan, "min_only": min_only}
    expected = theirs.dijkstra(graph, **how)
    np.testing.assert_array_equal(ours.dijkstra(graph, **how), expected)
    np.testing.assert_array_equal(ours.dijkstra(graph, **how, device=on(device)), expected)


def test_limits_that_are_text():
    for module in (theirs, ours):
        with pytest.raises(TypeError, match="must be real number, not str"):
            module.dijkstra(random_csr(5, 0.5, 0), limit="2")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("directed", [True, False])
def test_every_format_and_dtype(form, dtype, directed):
    rng = np.random.default_rng(3)
    matrix = rng.integers(0, 5, (12, 12)) * (rng.random((12, 12)) < 0.4)
    graph = as_format(sp.csr_array(matrix.astype(dtype)), form)
    for name in ("dijkstra", "johnson", "bellman_ford", "shortest_path"):
        options = {"directed": directed, "indices": range(12)}
        found, expected = (getattr(m, name)(graph, **options) for m in (ours, theirs))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", [">f8", ">i4", ">f4", np.float16, object, np.int64])
@pytest.mark.parametrize("indices", [[2, 1, 3, 0, 1, 0], [1, 1, 2, 0, 3, 3]])
@pytest.mark.parametrize("name", ["dijkstra", "bellman_ford", "floyd_warshall"])
def test_rows_that_are_not_sorted_or_repeat_entries(name, indices, dtype):
    starts = np.array([0, 3, 4, 6, 6], np.int32)
    weights = np.array([3, 1, 2, 4, 5, 1]).astype(dtype)
    graph = sp.csr_array((weights, np.array(indices, np.int32), starts), shape=(4, 4))
    found = getattr(ours, name)(graph)
    assert graph.indices.tolist() == indices
    np.testing.assert_array_equal(found, getattr(theirs, name)(graph))


def test_input_is_not_changed():
    graph = random_csr(30, 0.2, 0)
    copy = graph.copy()
    for name in ("dijkstra", "floyd_warshall", "connected_components", "minimum_spanning_tree"):
        getattr(ours, name)(graph)
    ours.minimum_spanning_tree(graph, overwrite=True)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(graph, name), getattr(copy, name))


@pytest.mark.parametrize("name", ["floyd_warshall", "shortest_path"])
def test_overwrite(name):
    graph = np.random.default_rng(1).random((9, 9))
    expected = theirs.floyd_warshall(graph)
    how = {"method": "FW"} if name == "shortest_path" else {}
    found = getattr(ours, name)(graph, overwrite=True, **how)
    assert np.shares_memory(found, graph)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    np.testing.assert_array_equal(graph, found)


@pytest.mark.parametrize("how", [{}, {"indices": 1}, {"indices": [0, 2], "min_only": True}])
def test_dijkstra_ends_where_it_meets_a_negative_cycle(how):
    """SciPy 1.17 takes all memory there."""
    graph = np.array([[0, 1.0, 0], [-2, 0, 0], [0, 0, 0]])
    with pytest.raises(theirs.NegativeCycleError, match="Negative cycle detected on node"):
        ours.dijkstra(graph, **how)
    assert ours.dijkstra(graph, indices=2).tolist() == [np.inf, np.inf, 0]


def test_a_masked_array_without_a_mask():
    """SciPy's shortest_path takes it if it chooses Floyd and Warshall's algorithm."""
    graph = np.ma.array([[5.0, 1, 4], [7, 2, 2], [1, 3, 1]])
    assert graph.mask is np.ma.nomask
    expected = theirs.shortest_path(graph)
    for found in (ours.shortest_path(graph), ours.dijkstra(graph), ours.johnson(graph)):
        np.testing.assert_array_equal(found, expected)


def test_negative_weights_warn_as_in_scipy():
    graph = sp.csr_array(np.array([[0, -1.0, 5], [0, 0, 2], [0, 0, 0]]))
    for unweighted in (False, True):
        with warnings.catch_warnings(record=True) as expected:
            warnings.simplefilter("always")
            distances = theirs.dijkstra(graph, unweighted=unweighted)
        with pytest.warns(UserWarning, match="Graph has negative weights") as found:
            np.testing.assert_array_equal(ours.dijkstra(graph, unweighted=unweighted), distances)
        assert [str(w.message) for w in found] == [str(w.message) for w in expected]


@given(graph_inputs(), st.booleans())
def test_a_graph_of_nan_and_inf(graph, directed):
    graph = sp.csr_array(undirected_if(graph, not directed)).astype(float)
    graph.data[::3], graph.data[1::4] = np.nan, np.inf
    expected = theirs.dijkstra(graph, directed=directed)
    np.testing.assert_array_equal(ours.dijkstra(graph, directed=directed), expected)
    for unweighted in (False, True):
        expected = theirs.floyd_warshall(graph, directed, unweighted=unweighted)
        found = ours.floyd_warshall(graph, directed, unweighted=unweighted)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("directed", [True, False])
def test_the_same_bits_of_a_larger_graph(device, directed):
    graph = random_csr(600, 0.01, 7)
    for options in ({}, {"indices": 5}, {"indices": [3, 5, 3]}, {"indices": [1, 9], "limit": 0.5}):
        expected = theirs.dijkstra(graph, directed, **options)
        found, trees = ours.dijkstra(
            graph, directed, return_predecessors=True, **options, device=on(device)
        )
        np.testing.assert_array_equal(found, expected)
        indices = options.get("indices")
        assert_trees(graph, trees, expected, indices, directed=directed, unweighted=False)
    nearest = {"indices": [1, 9, 44], "min_only": True}
    found = ours.dijkstra(graph, directed, **nearest, device=on(device))
    np.testing.assert_array_equal(found, theirs.dijkstra(graph, directed, **nearest))
    found = ours.minimum_spanning_tree(graph, device=on(device))
    assert (found != theirs.minimum_spanning_tree(graph)).nnz == 0
    # Equal weights, more arcs than a small graph has.
    graph = random_csr(900, 0.05, 8)
    graph.data = np.ceil(graph.data * 5)
    found = ours.minimum_spanning_tree(graph, device=on(device))
    assert (found != theirs.minimum_spanning_tree(graph)).nnz == 0
