"""wg.csgraph: orders and trees of searches, and the k shortest paths, equal to SciPy's."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs
from hypothesis import assume, given, strategies as st

import warpgraph as wg
import warpgraph.csgraph as ours
from csgraph_support import graph_inputs, on, outcome
from warpgraph import _core
from warpgraph.csgraph._components import _LAST_ARC_FIRST as LAST_ARC_FIRST

needs_yen = pytest.mark.skipif(not hasattr(theirs, "yen"), reason="SciPy has no yen yet")


def cpu(device):
    """Return device= for a function that runs on the CPU only."""
    return "auto" if on(device) == "auto" else "cpu"


def non_empty(graph):
    assume(graph.shape[0] > 0)
    return graph.shape[0]


@given(graph_inputs(), st.booleans(), st.data())
@pytest.mark.parametrize("name", ["breadth_first_order", "depth_first_order"])
def test_orders(device, name, graph, directed, data):
    start = data.draw(st.integers(0, non_empty(graph) - 1))
    expected = getattr(theirs, name)(graph, start, directed)
    found = getattr(ours, name)(graph, start, directed, device=cpu(device))
    for mine, its in zip(found, expected, strict=True):
        assert mine.dtype == its.dtype
        np.testing.assert_array_equal(mine, its)
    alone = getattr(ours, name)(graph, start, directed, False, device=cpu(device))
    np.testing.assert_array_equal(alone, expected[0])


@given(graph_inputs(), st.booleans(), st.data())
@pytest.mark.parametrize("name", ["breadth_first_tree", "depth_first_tree"])
def test_trees(device, name, graph, directed, data):
    start = data.draw(st.integers(0, non_empty(graph) - 1))
    expected = getattr(theirs, name)(graph, start, directed)
    found = getattr(ours, name)(graph, start, directed, device=cpu(device))
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


@pytest.mark.parametrize("name", ["breadth_first_order", "depth_first_order"])
@pytest.mark.parametrize("n", [1, 5, 100, 4000, 9000])
def test_orders_of_small_and_large_matrices(name, n):
    rng = np.random.default_rng(n)
    shape = n, n
    heads = rng.integers(0, n, 2 * n, np.int32)
    graph = sp.csr_array((rng.random(2 * n), heads, np.arange(0, 2 * n + 1, 2, np.int32)), shape)
    wide = sp.csr_array((graph.data, graph.indices, graph.indptr), shape)
    wide.indptr, wide.indices = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    for matrix in (graph, wide, sp.csr_matrix(graph), graph.astype(np.float32)):
        # SciPy sorts the rows of other types than float64.
        expected = getattr(theirs, name)(graph if matrix is wide else matrix.copy(), n // 2)
        for start in (n // 2, np.int64(n // 2)):
            found = getattr(ours, name)(matrix, start)
            for mine, its in zip(found, expected, strict=True):
                assert mine.dtype == its.dtype
                np.testing.assert_array_equal(mine, its)


@pytest.mark.parametrize("name", ["breadth_first_order", "depth_first_order"])
def test_small_matrices_that_are_none(name):
    search = getattr(ours, name)
    with pytest.raises(ValueError, match=r"square|shape"):
        search(sp.csr_array((2, 3)), 0)
    for indptr, indices in (([0, 2, 1], [1]), ([0, 1, 3], [1, 0]), ([0, 1, 2], [1, 2])):
        graph = sp.csr_array((2, 2))
        graph.indptr = np.array(indptr, np.int32)
        graph.indices = np.array(indices, np.int32)
        graph.data = np.ones(len(indices))
        with pytest.raises(ValueError, match=r"indptr|indices"):
            search(graph, 0)
    for start in (2**31, 2**70, -(2**70)):
        with pytest.raises((ValueError, OverflowError)):
            search(sp.csr_array((2, 2)), start)


@pytest.mark.parametrize("name", ["breadth_first_order", "depth_first_order"])
def test_vertices_to_start_from(name):
    graph = sp.csr_array((3, 3))
    with pytest.raises(OverflowError):
        getattr(theirs, name)(graph, -1)
    with pytest.raises(OverflowError):
        getattr(ours, name)(graph, -1)
    with pytest.raises(ValueError, match="i_start"):
        getattr(ours, name)(graph, 3)
    with pytest.raises(wg.DeviceError):
        getattr(ours, name)(graph, 0, device="cuda:99")


@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csr_array.toarray])
@pytest.mark.parametrize("name", ["breadth_first", "depth_first"])
def test_starts_that_are_no_vertices(name, form):
    graph = form(sp.csr_array([[0.0, 1.0], [0.0, 0.0]]))
    for function in (f"{name}_order", f"{name}_tree"):
        with pytest.raises(ValueError, match="i_start is 2"):
            getattr(ours, function)(graph, 2)
        for start, error in ((-1, OverflowError), ("1", TypeError), (None, TypeError)):
            for module in (theirs, ours):
                with pytest.raises(error):
                    getattr(module, function)(graph, start)


@needs_yen
@given(graph_inputs(), st.booleans(), st.booleans(), st.data())
def test_yen(device, graph, directed, unweighted, data):
    ends = st.integers(0, non_empty(graph) - 1)
    arguments = data.draw(ends), data.draw(ends), data.draw(st.integers(1, 6))
    if sp.issparse(graph):
        # SciPy's yen takes no 64-bit indices, and parallel edges count as paths there.
        edges = sp.coo_array(sp.csr_array(graph))
        ends = edges.row.astype(np.int32), edges.col.astype(np.int32)
        graph = sp.csr_array(sp.coo_array((edges.data, ends), shape=graph.shape))
    options = {"directed": directed, "unweighted": unweighted}
    expected = outcome(theirs.yen, graph, *arguments, **options)
    assume(isinstance(expected, np.ndarray))  # SciPy refuses a graph without edges
    found, trees = ours.yen(
        graph, *arguments, **options, return_predecessors=True, device=cpu(device)
    )
    np.testing.assert_array_equal(found, expected)
    assert (found.dtype, trees.dtype) == (np.float64, np.int32)
    assert trees.shape == (len(found), graph.shape[0])
    assert len({tree.tobytes() for tree in trees}) == len(trees)
    for tree in trees:
        vertex = arguments[1]
        for _ in range((tree >= 0).sum()):
            vertex = tree[vertex]
        assert vertex == arguments[0]


@given(graph_inputs(formats=["csr"]), st.booleans(), st.booleans(), st.data())
def test_yen_of_small_matrices_is_that_of_others(graph, directed, unweighted, data):
    """Without device= they are read in place; with it they are converted to a Graph."""
    ends = st.integers(0, non_empty(graph) - 1)
    arguments = data.draw(ends), data.draw(ends), data.draw(st.integers(1, 6))
    graph.data = graph.data + data.draw(st.sampled_from([0, 0.25, np.inf, np.nan, -1]))
    options = {"directed": directed, "unweighted": unweighted, "return_predecessors": True}
    found = outcome(ours.yen, graph, *arguments, **options)
    expected = outcome(ours.yen, graph, *arguments, **options, device="cpu")
    options["return_predecessors"] = False
    lengths = outcome(ours.yen, graph, *arguments, **options)
    if isinstance(expected, tuple) and isinstance(expected[0], np.ndarray):
        for one, other in zip((*found, lengths), (*expected, expected[0]), strict=True):
            np.testing.assert_array_equal(one, other)
    else:  # a refusal
        assert found == lengths == expected


def test_small_matrices_that_are_left_to_others():
    """What the search in place does not read: None, or an error that names what is wrong."""
    graph = sp.csr_array(np.array([[0, 1.0, 3], [0, 0, 1], [0, 0, 0]]))
    find = _core.small_k_shortest_paths
    assert find(graph, 0, 2, 5, True, False)[0].tolist() == [2, 3]
    for arguments in [(0, 3, 1), (-1, 2, 1), (0, 2, 0), (0, 2, 1 << 14), (0.0, 2, 1), (0, 2, None)]:
        assert find(graph, *arguments, True, False) is None
    assert find(graph, 0, np.int64(2), 1, True, False) is None
    for other in (
        graph.astype(np.float32),
        graph[:, :2].tocsr(),
        -graph,
        graph * np.nan,
        sp.csr_array((0, 0)),
        sp.csr_array((5000, 5000)),
    ):
        assert find(other, 0, 1, 4, True, False) is None
    wide = graph.copy()
    wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
    assert find(wide, 0, 2, 1, True, False) is None
    odd = graph.copy()
    odd.data = np.frombuffer(b"\0" + graph.data.tobytes(), np.uint8)[1:].view(np.float64)
    assert not odd.data.flags.aligned
    assert find(odd, 0, 2, 1, True, False) is None
    assert _core.small_breadth_first_order(odd, 0, -1) is None
    assert ours.yen(odd, 0, 2, 3).tolist() == [2, 3]
    bad = graph.copy()
    bad.indices[0] = 7
    with pytest.raises(ValueError, match="7"):
        ours.yen(bad, 0, 2, 3)


@needs_yen
@pytest.mark.parametrize("arguments", [(4, 0, 1), (0, 9, 1), (-1, 0, 1), (0, 3, -1)])
def test_yen_refuses_what_scipy_refuses(arguments):
    graph = np.eye(4, k=1)
    assert outcome(ours.yen, graph, *arguments) == outcome(theirs.yen, graph, *arguments)


@needs_yen
@pytest.mark.parametrize("number", [1.5, 2.0, np.float64(1), "1", None])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_yen_counts_paths_by_integers(number, form):
    for module in (theirs, ours):
        assert module.yen(form(np.eye(4, k=1)), 0, 3, np.int64(2)).tolist() == [3]
        with pytest.raises(TypeError):
            module.yen(form(np.eye(4, k=1)), 0, 3, number)


@needs_yen
def test_yen_refuses_every_negative_cycle():
    graph = np.array([[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, -2], [0, 0, 1, 0.0]])
    for module in (theirs, ours):
        with pytest.raises(theirs.NegativeCycleError):
            module.yen(graph, 0, 1, 1)


def reversed_rows(graph):
    """Return a CSR array whose rows have their entries in the opposite order."""
    rows = [graph.indices[a:b][::-1] for a, b in zip(graph.indptr, graph.indptr[1:], strict=False)]
    indices = np.concatenate(rows) if rows else graph.indices
    return sp.csr_array((graph.data, indices, graph.indptr), shape=graph.shape)


@given(graph_inputs(formats=["csc"]))
def test_strong_components_in_the_order_of_either_scipy(graph):
    """SciPy follows the last arc first up to 1.17, then the first one."""
    graph = graph.tocsr()
    graph.sum_duplicates()
    n, expected = theirs.connected_components(graph, connection="strong")
    for matrix, last_first in ((graph, LAST_ARC_FIRST), (reversed_rows(graph), not LAST_ARC_FIRST)):
        labels = np.empty(graph.shape[0], np.int32)
        handle = wg.Graph(matrix)._handle
        assert _core.strong_components_by_search(handle, labels, last_first, None) == n
        np.testing.assert_array_equal(labels, expected)


def test_strong_components_of_a_longer_path():
    n = 100_000
    ring = sp.csr_array((np.ones(n), np.roll(np.arange(n), -1), np.arange(n + 1)), shape=(n, n))
    assert ours.connected_components(ring, connection="strong", return_labels=False) == 1
    path = sp.csr_array(sp.eye_array(n, k=1))
    found = ours.connected_components(path, connection="strong")
    np.testing.assert_array_equal(found[1], np.arange(n)[::-1])


def test_names_of_the_module():
    assert wg.csgraph is ours
    assert ours.csgraph_from_dense is theirs.csgraph_from_dense
    with pytest.raises(AttributeError, match="no attribute 'pagerank'"):
        _ = ours.pagerank
