"""wg.Graph: accepted input, conversions, and errors of invalid input."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence

FORMATS = ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"]
DTYPES = ["float32", "float64", "int32", "int64"]

DENSE = np.array([[0, 2, 0, 1], [2, 0, 3, 0], [0, 0, 5, 0], [0, 7, 0, 0]])


def arcs(graph):
    row, col, data = graph.to_edges()
    return list(zip(row.tolist(), col.tolist(), data.tolist(), strict=True))


DENSE_ARCS = [
    (0, 1, 2.0),
    (0, 3, 1.0),
    (1, 0, 2.0),
    (1, 2, 3.0),
    (2, 2, 5.0),
    (3, 1, 7.0),
]


# Accepted input.


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_sparse_format(form, kind):
    matrix = getattr(sp, f"{form}_{kind}")(DENSE.astype(float))
    graph = wg.Graph(matrix)
    assert (graph.n_vertices, graph.n_edges) == (4, 6)
    assert sorted(arcs(graph)) == DENSE_ARCS


def test_padding_of_blocks_is_no_edges():
    blocks = sp.bsr_array(DENSE.astype(float), blocksize=(2, 2))
    assert blocks.nnz > 6
    assert sorted(arcs(wg.Graph(blocks))) == DENSE_ARCS
    assert blocks.nnz > 6  # the argument is unchanged


@pytest.mark.parametrize("make", [sp.coo_array, sp.coo_matrix])
def test_parallel_edges_of_coo_stay_in_order(make):
    matrix = make(([5.0, 1.0, 2.0, 0.0], ([1, 0, 1, 1], [2, 1, 2, 0])), shape=(3, 3))
    with pytest.warns(UserWarning, match="1 parallel entries"):
        graph = wg.Graph(matrix)
    assert arcs(graph) == [(0, 1, 1.0), (1, 2, 5.0), (1, 2, 2.0), (1, 0, 0.0)]


@pytest.mark.parametrize("dtype", [*DTYPES, "bool", "uint8"])
@pytest.mark.parametrize("n_vertices", [1, 7, 3000])
def test_a_matrix_by_columns_is_that_by_rows_of_scipy(n_vertices, dtype):
    """Parallel entries and unsorted columns keep the order that SciPy gives them."""
    rng = np.random.default_rng(n_vertices)
    columns = np.sort(rng.integers(0, n_vertices, 40 * n_vertices))
    starts = np.searchsorted(columns, np.arange(n_vertices + 1))
    rows = rng.integers(0, n_vertices, len(columns))
    weights = rng.integers(0, 9, len(columns)).astype(dtype)
    matrix = sp.csc_array((weights, rows, starts), shape=(n_vertices,) * 2)
    found, expected = wg.Graph(matrix).to_csr(), matrix.tocsr()
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))


@pytest.mark.parametrize("n_missing", [-1, 1])
def test_a_matrix_by_columns_has_a_weight_for_each_index(n_missing):
    matrix = sp.csc_array(DENSE.astype(float))
    matrix.data = np.arange(len(matrix.indices) - n_missing, dtype=float)
    with pytest.raises(ValueError, match=r"data has \d+ entries and indices 6"):
        wg.Graph(matrix)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_parallel_edges_and_stored_zeros_stay(form):
    make = getattr(sp, f"{form}_array")
    matrix = make((np.array([4.0, 0.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])))
    assert matrix.shape == (2, 2)
    tail, head, weight = oracles.arcs(wg.Graph(matrix).to_csr())
    assert len(weight) == 3
    assert sorted(weight.tolist()) == [0.0, 4.0, 4.0]
    ends = sorted(zip(tail.tolist(), head.tolist(), strict=True))
    assert ends == ([(0, 1), (0, 1), (1, 0)] if form == "csr" else [(0, 1), (1, 0), (1, 0)])


def test_unsorted_rows_stay_unsorted():
    graph = wg.Graph(graphs.SAMPLES["unsorted_indices"])
    assert graph.indices.tolist() == graphs.SAMPLES["unsorted_indices"].indices.tolist()


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_dense_zeros_infinities_and_nan_are_no_edges():
    dense = np.array([[0.0, 2.0, np.inf], [-np.inf, 0.0, np.nan], [-1.0, -0.0, 4.0]])
    expected = [(0, 1, 2.0), (2, 0, -1.0), (2, 2, 4.0)]
    assert arcs(wg.Graph(dense)) == expected
    assert arcs(wg.Graph(np.asfortranarray(dense))) == expected
    assert arcs(wg.Graph(dense.tolist())) == expected
    assert arcs(wg.Graph(np.asmatrix(dense))) == expected
    assert arcs(wg.Graph(np.pad(dense, 1)[1:-1, 1:-1])) == expected


def test_unmasked_zeros_are_edges():
    dense = np.ma.masked_array(
        [[0.0, 0.0, np.inf], [3.0, 9.0, np.nan], [1.0, 0.0, 0.0]],
        mask=[[1, 0, 0], [0, 1, 0], [1, 1, 1]],
    )
    assert arcs(wg.Graph(dense)) == [(0, 1, 0.0), (1, 0, 3.0)]
    nothing_masked = np.ma.masked_array([[0.0, 1.0], [2.0, 0.0]])
    assert wg.Graph(nothing_masked).n_edges == 4


@pytest.mark.parametrize("empty", [np.empty((0, 0)), sp.csr_array((0, 0)), sp.coo_array((0, 0))])
def test_graphs_without_vertices(empty):
    graph = wg.Graph(empty)
    assert (graph.n_vertices, graph.n_edges) == (0, 0)
    assert graph._undirected() is graph
    assert graph.to_csr().shape == (0, 0)


@graphs.over_samples()
def test_the_samples_passes_through(graph):
    kept = wg.Graph(graph)
    np.testing.assert_array_equal(kept.indptr, graph.indptr)
    np.testing.assert_array_equal(kept.indices, graph.indices)
    np.testing.assert_array_equal(kept.data, graph.data)
    np.testing.assert_array_equal(
        kept.to_edges()[0], np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    )


nx = pytest.importorskip("networkx")


def test_networkx_graphs():
    undirected = nx.Graph([("a", "b", {"weight": 2.5}), ("b", "c", {}), ("c", "c", {"weight": 4})])
    expected = [(0, 1, 2.5), (1, 0, 2.5), (1, 2, 1.0), (2, 1, 1.0), (2, 2, 4.0)]
    with pytest.warns(UserWarning, match=r"1 of 3 edges have no attribute 'weight'.*\('b', 'c'\)"):
        assert sorted(arcs(wg.Graph(undirected))) == expected
    directed = nx.DiGraph([(5, 3, {"weight": 2}), (3, 4, {"weight": 7})])
    graph = wg.Graph(directed)
    assert sorted(arcs(graph)) == [(0, 1, 2), (1, 2, 7)]  # numbered as networkx lists them
    assert graph.dtype == np.int64


def test_networkx_multigraphs_keep_parallel_edges():
    multi = nx.MultiGraph([(0, 1, {"weight": 2.0}), (0, 1, {"weight": 1.0}), (1, 1, {})])
    expected = [(0, 1, 1.0), (0, 1, 2.0), (1, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0)]
    with pytest.warns(UserWarning, match="1 of 3 edges have no attribute 'weight' and weigh 1"):
        assert sorted(arcs(wg.Graph(multi))) == expected
    assert sorted(arcs(wg.Graph(nx.MultiDiGraph([(0, 1), (0, 1)])))) == [(0, 1, 1), (0, 1, 1)]


def test_networkx_graphs_with_little_in_them():
    assert wg.Graph(nx.Graph()).n_vertices == 0
    lonely = wg.Graph(nx.empty_graph(3))
    assert (lonely.n_vertices, lonely.n_edges) == (3, 0)


@pytest.mark.parametrize("weight", ["heavy", None, 1j])
def test_networkx_weights_that_are_no_numbers(weight):
    with pytest.raises(TypeError, match="weights must be real numbers"):
        wg.Graph(nx.Graph([(0, 1, {"weight": weight})]))


def test_cupy_matrices():
    cupy = pytest.importorskip("cupy")
    from cupyx.scipy.sparse import csr_matrix

    matrix = csr_matrix(cupy.asarray(DENSE.astype(float)))
    assert sorted(arcs(wg.Graph(matrix))) == DENSE_ARCS


def test_a_graph_of_a_graph_shares_its_arrays():
    graph = wg.Graph(DENSE.astype(float))
    other = wg.Graph(graph)
    assert other is not graph
    assert other.data is graph.data


@pytest.mark.parametrize("thing", [None, 5, "graph", {0: [1]}, object()])
def test_what_is_no_graph(thing):
    with pytest.raises(TypeError, match=r"a graph must be a SciPy sparse .* got "):
        wg.Graph(thing)


def test_what_another_call_takes():
    igraph = pytest.importorskip("igraph")
    pandas = pytest.importorskip("pandas")
    for thing, parts in (
        (igraph.Graph(2), ("got igraph.Graph", "wg.Graph.from_igraph")),
        (pandas.DataFrame({"a": [1]}), ("got pandas.", "DataFrame", "wg.Graph.from_dataframe")),
        ("roads.csv", ("got str", "wg.Graph.read")),
    ):
        for call in (wg.Graph, lambda graph: wg.sssp(graph, 0)):
            with raises_sentence(TypeError, "a graph must be", *parts):
                call(thing)
    with raises_sentence(TypeError, "weight='km'", "igraph.Graph"):
        wg.sssp(igraph.Graph(2), 0, weight="km")


# Arrays of other dtypes.


@pytest.mark.parametrize(
    "index_dtype", ["int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64"]
)
def test_other_integers_as_indices(index_dtype):
    matrix = graphs.SAMPLES["star"]
    graph = wg.Graph.from_csr(
        matrix.indptr.astype("uint64"), matrix.indices.astype(index_dtype), matrix.data
    )
    np.testing.assert_array_equal(graph.indices, matrix.indices)
    assert graph.indices.dtype == np.int32
    row, col, data = oracles.arcs(matrix)
    again = wg.Graph.from_edges(row.astype("int16"), col.astype(index_dtype), data, n_vertices=100)
    np.testing.assert_array_equal(again.indices, matrix.indices)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("bool", "int32"),
        ("int8", "int32"),
        ("uint8", "int32"),
        ("int16", "int32"),
        ("uint16", "int32"),
        ("int32", "int32"),
        ("uint32", "int64"),
        ("int64", "int64"),
        ("uint64", "int64"),
        ("float16", "float64"),
        ("float32", "float32"),
        ("float64", "float64"),
        (">f4", "float32"),
        (">i8", "int64"),
    ],
)
def test_weights_of_every_dtype(given, kept):
    graph = wg.Graph.from_csr([0, 1, 2], [1, 0], np.array([1, 0], given))
    assert graph.dtype == kept
    assert graph.data.tolist() == [1, 0]


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "longdouble", "O", "S3", "M8[s]"])
def test_weights_of_other_dtypes(dtype):
    with pytest.raises(TypeError, match="weights must be real numbers of at most 64 bits"):
        wg.Graph.from_csr([0, 1], [0], np.zeros(1, dtype))


# Errors of invalid input.


@pytest.mark.parametrize(
    ("indptr", "indices", "data", "sentence"),
    [
        ([], [], [], "indptr has 0 entries"),
        ([1, 1], [], [], r"indptr\[0\] is 1, but a CSR matrix starts at 0"),
        ([0, 2, 1], [0, 1], [1, 1], r"indptr\[1\] is 2 and indptr\[2\] is 1, but it must not fall"),
        ([0, 1, 1], [0, 1], [1, 1], "indptr ends at 1, but there are 2 stored entries"),
        ([0, 1, 3], [0, 1], [1, 1], "indptr ends at 3, but there are 2 stored entries"),
        ([0, 1, 2], [0, 2], [1, 1], r"indices\[1\] is 2, which is not a vertex .* \(0\.\.1\)"),
        ([0, 1, 2], [-1, 0], [1, 1], r"indices\[0\] is -1, which is not a vertex"),
        ([0, 1], [2**40], [1], r"indices\[0\] is 1099511627776, which is not a vertex"),
        ([0], [0], [1], r"indices\[0\] is 0, which is not a vertex of a graph without vertices"),
        ([0, 1, 2], [0, 1], [1], "data has 1 entries and indices 2"),
        ([0, 1, 2], [0, 1], [1, np.nan], r"the weight of entry \(1, 1\), data\[1\], is NaN"),
        ([[0, 1]], [0], [1], r"indptr must have one dimension, got shape \(1, 2\)"),
        ([0, 1], [[0]], [1], r"indices must have one dimension, got shape \(1, 1\)"),
        ([0, 1], [0], [[1]], r"data must have one dimension, got shape \(1, 1\)"),
        ([0, 1], np.array([2**63], np.uint64), [1], "beyond the largest int64"),
    ],
)
def test_csr_arrays_that_are_wrong(indptr, indices, data, sentence):
    with pytest.raises(ValueError, match=sentence):
        wg.Graph.from_csr(indptr, indices, np.asarray(data, float))


def test_indices_that_are_no_integers():
    with pytest.raises(TypeError, match="indices must be integers, got an array of float64"):
        wg.Graph.from_csr([0, 1], [0.0], [1.0])
    with pytest.raises(TypeError, match="indptr must be integers"):
        wg.Graph.from_csr([0.0, 1.0], [0], [1.0])
    with pytest.raises(TypeError, match="row must be integers"):
        wg.Graph.from_edges([0.5], [0], n_vertices=1)


def test_the_first_of_many_bad_entries_is_named():
    row = np.arange(200_000) % 1000
    for threads in (1, 4):
        wg.set_num_threads(threads)
        bad = row.copy()
        bad[[150_000, 70_000, 199_999]] = 1000
        with pytest.raises(ValueError, match="row index 1000 of entry 70000 is not a vertex"):
            wg.Graph.from_edges(bad, row, n_vertices=1000)
        with pytest.raises(ValueError, match="column index 1000 of entry 70000 is not a vertex"):
            wg.Graph.from_edges(row, bad, n_vertices=1000)
    wg.set_num_threads(0)


def test_an_unvalidated_scipy_matrix_is_validated():
    matrix = sp.csr_array(DENSE.astype(float))
    matrix.indices[3] = 9
    with pytest.raises(ValueError, match=r"indices\[3\] is 9"):
        wg.Graph(matrix)


@pytest.mark.parametrize("bad", [-1, 4, 2**31 - 1])
def test_an_unvalidated_matrix_by_columns_is_validated(bad):
    matrix = sp.csc_array(DENSE.astype(float))
    matrix.indices[3] = bad
    with pytest.raises(ValueError, match=rf"indices\[3\] is {bad}"):
        wg.Graph(matrix)
    matrix = sp.csc_array(DENSE.astype(float))
    matrix.indptr[1] = matrix.nnz + 50
    with pytest.raises(ValueError, match="indptr is not sorted"):
        wg.bfs(matrix, 0)
    blocks = sp.bsr_array(DENSE.astype(float))
    blocks.indices[0] = bad
    with pytest.raises(ValueError, match="index values"):
        wg.Graph(blocks)


def test_nan_in_a_sparse_matrix_is_named():
    matrix = sp.csr_array(DENSE.astype(float))
    matrix.data[4] = np.nan
    with pytest.raises(ValueError, match=r"the weight of entry \(2, 2\), data\[4\], is NaN"):
        wg.Graph(matrix)


@pytest.mark.parametrize(
    "graph",
    [np.zeros((2, 3)), np.zeros(4), np.zeros((2, 2, 2)), sp.csr_array((3, 2)), sp.coo_array((4,))],
)
def test_what_is_not_square(graph):
    with pytest.raises(ValueError, match=r"a graph's matrix must be square, got shape \("):
        wg.Graph(graph)


def test_more_vertices_than_there_are_numbers():
    with pytest.raises(ValueError, match="the graph has 2147483648 vertices; at most 2147483647"):
        wg.Graph(sp.coo_array((2**31, 2**31)))
    with pytest.raises(ValueError, match=r"n_vertices must be in 0\.\.2147483647, got"):
        wg.Graph.from_edges([], [], n_vertices=2**31)


def test_unsigned_weights_beyond_int64():
    with pytest.raises(OverflowError, match="the weight 18446744073709551615 is beyond"):
        wg.Graph.from_csr([0, 1], [0], np.array([2**64 - 1], np.uint64))
    for weights in ([1, 2**63], [2**63, -1]):  # of which NumPy makes floats
        with pytest.raises(OverflowError, match="the weight 9223372036854775808 is beyond"):
            wg.Graph.from_edges([0, 0], [0, 0], weights)
        with pytest.raises(OverflowError, match="the weight 9223372036854775808 is beyond"):
            wg.Graph.from_csr([0, 2], [0, 0], weights)


# Edge lists.


def test_edges_without_weights_weigh_one():
    graph = wg.Graph.from_edges([2, 0, 2], [1, 1, 0], n_vertices=4)
    assert arcs(graph) == [(0, 1, 1.0), (2, 1, 1.0), (2, 0, 1.0)]
    assert graph.dtype == np.float64
    assert wg.Graph.from_edges([], [], n_vertices=3).n_vertices == 3


@pytest.mark.parametrize(
    ("row", "col", "data", "sentence"),
    [
        ([0, 1], [0], [1, 1], "row has 2, col has 1 and data has 2"),
        ([0, 1], [0, 1], [1], "row has 2, col has 2 and data has 1"),
        ([[0], [1]], [0, 1], [1, 1], "row must have one dimension"),
        ([0, 1], [0, 1], [1, np.nan], r"entry \(1, 1\), data\[1\], is NaN"),
        ([0, 5], [0, 1], [1, 1], r"row index 5 of entry 1 is not a vertex .* \(0\.\.1\)"),
    ],
)
def test_edge_lists_that_are_wrong(row, col, data, sentence):
    with pytest.raises(ValueError, match=sentence):
        wg.Graph.from_edges(row, col, np.asarray(data, float), n_vertices=2)


@settings(max_examples=60)
@given(graph=graphs.csr_graphs(weights="any"), threads=st.sampled_from([1, 3]), data=st.data())
def test_edge_lists_in_any_order(graph, threads, data):
    row, col, weight = oracles.arcs(graph)
    order = np.array(data.draw(st.permutations(range(len(row)))), int)
    wg.set_num_threads(threads)
    made = wg.Graph.from_edges(row[order], col[order], weight[order], n_vertices=graph.shape[0])
    wg.set_num_threads(0)
    by_row = order[np.argsort(row[order], kind="stable")]
    np.testing.assert_array_equal(made.indices, col[by_row])
    np.testing.assert_array_equal(made.data, weight[by_row])
    np.testing.assert_array_equal(made.indptr, graph.indptr)
    np.testing.assert_array_equal(made.to_edges()[0], row)
