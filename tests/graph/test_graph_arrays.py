"""The arrays of wg.Graph: its own copies or read-only, whatever the caller does to theirs."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence
from warpgraph._arguments import validate
from warpgraph._graph.graph import as_graph

DTYPES = ["float32", "float64", "int32", "int64"]


def arrays_of(graph):
    return graph.indptr, graph.indices, graph.data


def share_memory(one, other):
    """Return for each of the three arrays whether it is shared."""
    return [np.shares_memory(*pair) for pair in zip(arrays_of(one), arrays_of(other), strict=True)]


@pytest.mark.parametrize("indptr_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", DTYPES)
def test_read_only_csr_arrays_are_not_copied(dtype, indptr_dtype):
    matrix = graphs.csr(4, [(0, 1, 1), (1, 2, 2), (2, 0, 3)], dtype, indptr_dtype)
    # Those that can be written to are not copied either for the time of a call.
    assert share_memory(as_graph(matrix), matrix) == [True, True, True]
    for graph in (wg.Graph(matrix), wg.Graph.from_csr(*arrays_of(matrix))):
        assert share_memory(graph, matrix) == [False, False, False]
        assert [a.dtype for a in arrays_of(graph)] == [a.dtype for a in arrays_of(matrix)]
    promised = [wg.Graph(matrix, copy=False), wg.Graph.from_csr(*arrays_of(matrix), copy=False)]
    for graph in (*promised, promised[0].with_weights(matrix.data, copy=False)):
        assert share_memory(graph, matrix) == [True, True, True]
        assert not graph.data.flags.writeable
        assert matrix.data.flags.writeable
    for changes in ([False, True, False], [False] * 3):
        for array, is_writable in zip(arrays_of(matrix), changes, strict=True):
            array.flags.writeable = is_writable
        for graph in (wg.Graph(matrix), wg.Graph.from_csr(*arrays_of(matrix))):
            assert share_memory(graph, matrix) == [not change for change in changes]
            assert share_memory(graph.to_csr(copy=False), graph)[1:] == [True, True]
            assert not any(share_memory(graph.to_csr(), graph)[1:])


def test_the_graph_of_a_view_is_a_copy():
    """Somebody may write to the array that a read-only view is of."""
    matrix = graphs.csr(2, [(0, 1, 1.0), (1, 0, 2.0)])
    seen = matrix.data.view()
    seen.flags.writeable = False
    graph = wg.Graph.from_csr(matrix.indptr, matrix.indices, seen)
    matrix.data[:] = 7
    assert graph.data.tolist() == [1, 2]


def test_the_arrays_of_a_graph_are_read_only():
    matrix = graphs.SAMPLES["grid"]
    coo, dense, text = matrix.tocoo(), matrix.toarray(), pickle.dumps(wg.Graph(matrix))
    made = [wg.Graph(matrix), wg.Graph(coo), wg.Graph(dense), wg.Graph.from_csr(*arrays_of(matrix))]
    made += [wg.generators.grid(3, 3), wg.Graph(made[0]), pickle.loads(text)]
    made += [made[0]._undirected(), made[0]._transposed(), made[0].with_weights(2.0)]
    for graph in made:
        for array in (*arrays_of(graph), *graph.to_edges()[1:]):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1


def test_what_is_copied_must_fit_the_memory(monkeypatch):
    class Full:
        def require(self, what, needed, advice):
            raise MemoryError(f"{what} needs {needed} bytes; {advice}")

    matrix = graphs.SAMPLES["grid"].copy()
    monkeypatch.setattr(validate, "NO_LIMIT", Full())
    n_bytes = sum(array.nbytes for array in arrays_of(matrix))
    with raises_sentence(MemoryError, n_bytes, "copy=False"):
        wg.Graph(matrix)
    assert wg.Graph(matrix, copy=False).n_edges == matrix.nnz
    with raises_sentence(TypeError, "copy", "'no'"):
        wg.Graph(matrix, copy="no")
    with raises_sentence(TypeError, "copy", "'no'"):
        wg.Graph.from_csr(*arrays_of(matrix), copy="no")


@pytest.mark.parametrize("name", ["dijkstra", "connected_components", "minimum_spanning_tree"])
def test_scipy_takes_what_to_csr_returns(name):
    """SciPy's functions may refuse read-only arrays; the copies can be written to."""
    graph = wg.Graph(graphs.for_scipy(graphs.SAMPLES["grid"]))
    matrix = graph.to_csr()
    getattr(sp.csgraph, name)(matrix)
    before = graph.data.copy()
    matrix.data[:] = 9
    matrix.sort_indices()
    assert (graph.data == before).all()
    with raises_sentence(TypeError, "copy", "'yes'"):
        graph.to_csr(copy="yes")


def test_read_only_and_mapped_arrays_will_do(tmp_path):
    matrix = graphs.SAMPLES["grid"]
    for name in ("indptr", "indices", "data"):
        np.save(tmp_path / f"{name}.npy", getattr(matrix, name))
    mapped = [
        np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("indptr", "indices", "data")
    ]
    graph = wg.Graph.from_csr(*mapped)
    assert np.shares_memory(graph.data, mapped[2])
    assert wg.connected_components(graph)[0] == wg.connected_components(matrix)[0]


def test_arrays_that_cannot_be_read_in_place_are_copied():
    matrix = graphs.SAMPLES["grid"]
    strided = np.repeat(matrix.data, 2)[::2]
    swapped = matrix.indices.astype(matrix.indices.dtype.newbyteorder())
    packed = np.frombuffer(b"\0" + matrix.data.tobytes(), np.uint8)[1:].view(np.float64)
    assert not packed.flags.aligned
    for data in (strided, packed, matrix.data.astype(">f8")):
        graph = wg.Graph.from_csr(matrix.indptr, swapped, data)
        np.testing.assert_array_equal(graph.data, matrix.data)
        np.testing.assert_array_equal(graph.indices, matrix.indices)
        assert graph.data.flags.aligned


# Changes after the graph was made.

#: What callers, and functions of SciPy that they call, do to a matrix in place.
CHANGES = {
    "one weight": lambda m, i: m.data.__setitem__(i, 0),
    "weights": lambda m, i: np.multiply(m.data, 3, out=m.data),
    "one head": lambda m, i: m.indices.__setitem__(i, 0),
    "no vertex": lambda m, i: m.indices.fill(10**9),
    "no rows": lambda m, i: m.indptr.fill(0),
    "sort_indices": lambda m, i: m.sort_indices(),
    "sum_duplicates": lambda m, i: m.sum_duplicates(),
    "eliminate_zeros": lambda m, i: m.eliminate_zeros(),
}


@pytest.mark.filterwarnings("ignore:the COO matrix has:UserWarning")
@settings(max_examples=100)
@given(
    graph=graphs.csr_graphs(weights="ties", symmetric=None),
    form=st.sampled_from(["csr", "csc", "coo", "from_csr", "graph", "hierarchy"]),
    kept=st.booleans(),
    data=st.data(),
)
def test_a_matrix_that_changes_later(graph, form, kept, data):
    """Answers stay those of the matrix as it was, whether something was derived before or not."""
    if graph.nnz == 0:
        return
    before = graph.copy()
    matrix = graph.copy()
    if form in ("csc", "coo"):
        matrix = graphs.for_scipy(graph).asformat(form, copy=True)
    if form == "from_csr":
        made = wg.Graph.from_csr(matrix.indptr, matrix.indices, matrix.data)
    elif form == "graph":
        made = wg.Graph(wg.Graph(matrix))
    elif form == "hierarchy":
        made = wg.Hierarchy(matrix).graph
    else:
        made = wg.Graph(matrix)
    expected = [oracles.distances(before, 0), oracles.distances(before, 0, directed=False)]

    def answers():
        found = [wg.sssp(made, 0, device="cpu"), wg.sssp(made, 0, directed=False, device="cpu")]
        found += [wg.many_to_many(made, [0], method="hierarchy", device="cpu")[0]]
        return found

    if kept:
        answers()
    for name in data.draw(st.lists(st.sampled_from(sorted(CHANGES)), min_size=1, max_size=3)):
        if form in ("csc", "coo") and name not in ("weights", "one weight"):
            continue
        if name == "no vertex" or matrix.nnz:
            CHANGES[name](matrix, data.draw(st.integers(0, max(matrix.data.size - 1, 0))))
    for found, distances in zip(answers(), [*expected, expected[0]], strict=True):
        np.testing.assert_array_equal(found, distances)
    lightest = before.data[oracles.kruskal(before)]
    np.testing.assert_array_equal(wg.minimum_spanning_forest(made).weights, lightest)


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_results_of_transformations_are_their_own(change):
    """If they shared arrays with the graph that they were made of, its changes would be theirs."""
    graph = graphs.csr(3, [(0, 1, 5.0), (0, 0, 4.0), (1, 2, 0.0), (1, 2, 1.0)])
    makes = [
        lambda g: wg.transform.sort_by_weight(g).graph,
        lambda g: wg.transform.rank_weights(g).graph,
        lambda g: wg.transform.compress(g).decompress(),
        lambda g: wg.transform.reorder(g, "degree").graph,
    ]
    for make in makes:
        matrix = graph.copy()
        made = make(matrix)
        before = pickle.dumps(made)
        CHANGES[change](matrix, 0)
        assert pickle.dumps(made) == before


def test_coordinates_that_change_later():
    points = np.array([[0.0, 1.0], [2.0, 3.0]])
    graph = wg.Graph(np.ones((2, 2)), coordinates=points)
    points[:] = 9
    assert graph.coordinates.tolist() == [[0, 1], [2, 3]]
    points.flags.writeable = False
    assert np.shares_memory(wg.Graph(graph, coordinates=points).coordinates, points)


def test_indices_that_are_objects():
    ring = sp.csr_array(([1.0, 1.0], [1, 0], [0, 1, 2]))
    ring.indices = np.array([1, 0], object)
    assert wg.bfs(ring, 0).tolist() == [0, 1]
    ring.indices = np.array([1, 2**63], object)
    with pytest.raises(ValueError, match=rf"indices contains {2**63}, which is beyond"):
        wg.bfs(ring, 0)
