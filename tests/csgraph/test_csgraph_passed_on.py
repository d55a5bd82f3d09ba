"""Input with which SciPy's csgraph functions crash, never return or read what is in memory."""

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs
from hypothesis import given, strategies as st

import warpgraph.csgraph as ours

GRAPH = np.array([[0, 1, 4, 0], [0, 0, 2, 0], [0, 0, 0, 3], [5, 0, 0, 0]], float)
TREE = [-9999, 0, 1, 2]
NO = -9999
#: The functions that are SciPy's behind a check, with the arguments after the graph.
PASSED_ON = {
    "construct_dist_matrix": (np.full((4, 4), NO, np.int32),),
    "csgraph_to_dense": (),
    "csgraph_to_masked": (),
    "laplacian": (),
    "maximum_bipartite_matching": (),
    "maximum_flow": (0, 3),
    "min_weight_full_bipartite_matching": (),
    "reconstruct_path": (np.array(TREE),),
    "reverse_cuthill_mckee": (),
    "structural_rank": (),
}
OWN = {
    "bellman_ford": (),
    "breadth_first_order": (0,),
    "breadth_first_tree": (0,),
    "connected_components": (),
    "depth_first_order": (0,),
    "depth_first_tree": (0,),
    "dijkstra": (),
    "floyd_warshall": (),
    "johnson": (),
    "minimum_spanning_tree": (),
    "shortest_path": (),
    "yen": (0, 3, 2),
}
#: What is written into the arrays of a matrix, and a part of the sentence.
FAULTS = {
    "index beyond the last": ("indices", 1, 2**30, r"indices\[1\] is 1073741824"),
    "index one too large": ("indices", 4, 4, r"indices\[4\] is 4"),
    "negative index": ("indices", 0, -3, r"indices\[0\] is -3"),
    "row that falls": ("indptr", 2, 2**20, r"indptr\[2\] is 1048576 and indptr\[3\] is 4"),
    "negative offset": ("indptr", 1, -7, r"indptr\[0\] is 0 and indptr\[1\] is -7"),
    "first offset": ("indptr", 0, 1, r"indptr\[0\] is 1"),
    "end beyond the entries": ("indptr", -1, 2**20, "indptr ends at 1048576"),
}


def faulty(form, dtype, fault):
    """Return a matrix into whose arrays a wrong number was written."""
    array, position, number, _ = FAULTS[fault]
    matrix = sp.csr_array(GRAPH.astype(dtype)).asformat(form)
    getattr(matrix, array)[position] = number
    return matrix


def test_all_functions_are_in_these_tests():
    own = {name for name in ours.__all__ if getattr(ours, name) is not getattr(theirs, name, None)}
    assert own - set(PASSED_ON) == set(OWN) | ({"yen"} & own)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("name", [*PASSED_ON, *OWN])
def test_arrays_that_point_outside_are_refused(name, form, fault):
    dtype = np.int32 if name == "maximum_flow" else np.float64
    arguments = {**PASSED_ON, **OWN}[name]
    for kind in {dtype, np.int32}:
        with pytest.raises(ValueError, match=FAULTS[fault][3]):
            getattr(ours, name)(faulty(form, kind, fault), *arguments)


@pytest.mark.parametrize("name", ["breadth_first_order", "depth_first_order", "breadth_first_tree"])
def test_matrices_of_a_size_that_is_left_to_scipy_are_checked(name):
    n = 20_000  # arcs of a path: more than the core's short way takes
    matrix = sp.csr_array((np.ones(n), np.arange(1, n + 1), np.r_[0 : n + 1, n]))
    getattr(ours, name)(matrix, 0)
    matrix.indices[5] = 2**30
    with pytest.raises(ValueError, match=r"indices\[5\] is 1073741824, which is not"):
        getattr(ours, name)(matrix, 0)


def test_other_formats_are_checked():
    coo = sp.coo_array(GRAPH)
    coo.row[2] = 9
    with pytest.raises(ValueError, match=r"row\[2\] is 9, which is not in 0..3"):
        ours.connected_components(coo)
    lil = sp.lil_array(GRAPH)
    lil.rows[1] = [2**20]
    with pytest.raises(ValueError, match=r"is 1048576, which is not in 0..3"):
        ours.laplacian(lil)
    bsr = sp.bsr_array(GRAPH, blocksize=(2, 2))
    bsr.indices[0] = 2
    with pytest.raises(ValueError, match=r"indices\[0\] is 2, which is not in 0..1"):
        ours.connected_components(bsr)
    short = sp.csr_array(GRAPH)
    short.data = short.data[:2]
    with pytest.raises(ValueError, match="indptr ends at 5, but there are 2 stored entries"):
        ours.csgraph_to_dense(short)
    fractions = sp.csr_array(GRAPH)
    fractions.indices = fractions.indices.astype(float)
    with pytest.raises(ValueError, match="indices must be a list of integers"):
        ours.structural_rank(fractions)


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        ([np.nan, 0, 1, 2], r"predecessors\[0\] is nan"),
        ([NO, 0, np.inf, 2], r"predecessors\[2\] is inf"),
        ([NO, 0.5, 1, 2], r"predecessors\[1\] is 0.5"),
        ([NO, 0, 1, 4], r"predecessors\[3\] is 4, but the vertices are 0..3"),
        ([NO, 0, 2**40, 2], r"predecessors\[2\] is 1099511627776"),
        ([NO, 0, 1], "one entry for each of 4 vertices"),
        ([NO, 0, 1, 2, 3], "one entry for each of 4 vertices"),
        ([[NO, 0, 1, 2]], "one entry for each of 4 vertices"),
    ],
)
def test_predecessors_that_are_no_vertices(tree, sentence):
    for graph in (GRAPH, sp.csr_array(GRAPH)):
        with pytest.raises(ValueError, match=sentence):
            ours.reconstruct_path(graph, np.array(tree))
        with pytest.raises(ValueError, match=sentence):
            ours.reconstruct_path(predecessors=np.array(tree), csgraph=graph)


@pytest.mark.parametrize("dtype", [bool, complex, str])
def test_predecessors_that_are_no_numbers(dtype):
    with pytest.raises(TypeError, match="predecessors must be integers, got an array of"):
        ours.reconstruct_path(GRAPH, np.array(TREE).astype(dtype))


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ({(0, 1): 2, (0, 2): 1}, r"predecessors\[0\] has a circle: those of vertex 1"),
        ({(2, 3): 3}, r"predecessors\[2\] has a circle: those of vertex 3"),
        ({(1, 0): 2, (1, 2): 3, (1, 3): 0}, r"predecessors\[1\] has a circle: those of vertex 0"),
        ({(0, 3): 4}, r"predecessors\[0, 3\] is 4"),
        ({(0, 3): -1}, r"predecessors\[0, 3\] is -1.*-9999 means none"),
    ],
)
def test_predecessors_that_never_lead_to_the_source(entries, sentence):
    trees = np.full((4, 4), NO, np.int32)
    for place, vertex in entries.items():
        trees[place] = vertex
    with pytest.raises(ValueError, match=sentence):
        ours.construct_dist_matrix(GRAPH, trees)


def test_a_vertex_may_lead_to_a_source_whose_own_predecessor_is_set():
    trees = np.full((4, 4), NO, np.int32)
    trees[0] = [2, 0, 1, 2]  # SciPy ends a path at its source, whatever is stored there
    expected = theirs.construct_dist_matrix(GRAPH.copy(), trees)
    np.testing.assert_array_equal(ours.construct_dist_matrix(GRAPH, trees), expected)


def test_dense_graphs_stay_as_they_are():
    trees = np.full((4, 4), NO, np.int32)
    trees[0, 1:] = [0, 1, 2]
    graph = np.ma.masked_equal(GRAPH, 0)
    for given_graph in (GRAPH.copy(), graph.copy(), GRAPH.astype(int), GRAPH.tolist()):
        found = ours.construct_dist_matrix(given_graph, trees)
        np.testing.assert_array_equal(found[0], [0, 1, 3, 6])
        np.testing.assert_array_equal(np.ma.getdata(given_graph), GRAPH)


@pytest.mark.parametrize("end", [0.5, 2.0, np.float64(1.5), np.nan])
def test_flows_end_at_vertices(end):
    graph = sp.csr_array(GRAPH.astype(np.int32))
    for ends in ((end, 1), (0, end)):
        with pytest.raises(TypeError, match="must be the number of a vertex"):
            ours.maximum_flow(graph, *ends)
    assert ours.maximum_flow(graph, 0, sink=3).flow_value == 3


@pytest.mark.parametrize("method", ["dinic", "edmonds_karp"])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint32])
def test_capacities_are_of_32_bits(dtype, method):
    for capacity in (2**31, 2**32 - 1, 2**32 + 5, -(2**31) - 1):
        if not np.iinfo(dtype).min <= capacity <= np.iinfo(dtype).max:
            continue
        graph = sp.csr_array(np.array([[0, 1, 0], [0, 0, capacity], [0, 0, 0]], dtype))
        with pytest.raises(ValueError, match=rf"csgraph\[1, 2\] is {capacity}, .* 2147483647"):
            ours.maximum_flow(graph, 0, 2, method=method)
    most = sp.csr_array(np.array([[0, 2**31 - 1], [0, 0]], dtype))
    assert ours.maximum_flow(most, 0, 1, method=method).flow_value == 2**31 - 1


def test_parallel_capacities_are_of_32_bits():
    """Their sum is an entry of the flow."""
    data, columns = np.array([2**30, 2**30 - 1], np.int32), np.array([1, 1], np.int32)
    graph = sp.csr_array((data, columns, np.array([0, 2, 2], np.int32)), shape=(2, 2))
    found = ours.maximum_flow(graph.copy(), 0, 1)
    assert found.flow_value == 2**31 - 1
    graph.data[1] += 1
    with pytest.raises(ValueError, match=r"csgraph\[0, 1\] has parallel .* sum is 2147483648"):
        ours.maximum_flow(graph, 0, 1)
    assert graph.nnz == 2


def test_degrees_fit_the_dtype():
    dense = np.array([[0, 100, 100], [100, 0, 0], [100, 0, 0]], np.int8)
    for graph in (dense, sp.csr_array(dense), sp.coo_array(dense)):
        with pytest.raises(ValueError, match=r"vertex 0 add up to 200, beyond int8"):
            ours.laplacian(graph)
        wide = sp.csr_array(ours.laplacian(graph.astype(np.int16))).toarray()
        np.testing.assert_array_equal(wide, np.diag([200, 100, 100]) - dense)
        if sp.issparse(graph):
            given_dtype = ours.laplacian(graph, dtype=np.int16).toarray()
            np.testing.assert_array_equal(given_dtype, wide)
        for options in ({"symmetrized": True, "dtype": np.int16}, {"dtype": np.int8}):
            with pytest.raises(ValueError, match="beyond int8"):
                ours.laplacian(graph, **options)
        normed = sp.csr_array(ours.laplacian(graph, normed=True)).toarray()
        np.testing.assert_allclose(normed[0], [1, -np.sqrt(0.5), -np.sqrt(0.5)])
    few = np.array([[0, 100, 0], [0, 0, 0], [0, 27, 0]], np.int8)
    assert ours.laplacian(few)[1, 1] == 127
    few[2, 1] = 28
    with pytest.raises(ValueError, match="vertex 1 add up to 128"):
        ours.laplacian(few)
    assert ours.laplacian(few, use_out_degree=True)[0, 0] == 100


@given(st.integers(1, 6), st.data())
def test_what_passes_is_what_scipy_returns(n, data):
    weights = st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.0])
    dense = np.array(data.draw(st.lists(weights, min_size=n * n, max_size=n * n))).reshape(n, n)
    for graph in (dense, sp.csr_array(dense), sp.csc_matrix(dense), sp.lil_array(dense)):
        _, trees = theirs.shortest_path(graph, return_predecessors=True)
        found = ours.construct_dist_matrix(graph, trees)
        np.testing.assert_array_equal(found, theirs.construct_dist_matrix(graph.copy(), trees))
        tree = trees[0].astype(data.draw(st.sampled_from([np.int32, np.int64, float])))
        try:
            expected = theirs.reconstruct_path(graph, tree)
        except ValueError as refused:  # floats, from SciPy 1.18 on
            with pytest.raises(ValueError, match=str(refused)):
                ours.reconstruct_path(graph, tree)
        else:
            found = ours.reconstruct_path(graph, tree)
            np.testing.assert_array_equal(found.toarray(), expected.toarray())
        found = ours.laplacian(graph, normed=True)
        expected = theirs.laplacian(graph, normed=True)
        assert type(found) is type(expected)
        np.testing.assert_array_equal(sp.csr_array(found).data, sp.csr_array(expected).data)


_HOSTILE = """
import numpy as np, scipy.sparse as sp, warpgraph.csgraph as csgraph
rng = np.random.default_rng({seed})
answers = 0
for _ in range(60):
    n = int(rng.integers(1, 9))
    matrix = sp.csr_array(rng.integers(0, 3, (n, n)).astype(np.float64))
    numbers = [0, 1, n - 1, n, n + 1, -1, -9998, -9999, 2**31 - 1, -(2**31), 2**20]
    flat = rng.choice(numbers, n)
    square = rng.choice(numbers if rng.random() < 0.3 else [*range(n), -9999], (n, n))
    floats = rng.choice([np.nan, np.inf, -np.inf, 0.0, 0.5, n - 1], n)
    calls = [
        lambda: csgraph.reconstruct_path(matrix, flat),
        lambda: csgraph.reconstruct_path(matrix, floats),
        lambda: csgraph.construct_dist_matrix(matrix, square.astype(np.int32)),
        lambda: csgraph.construct_dist_matrix(matrix, square.astype(np.int64)),
        lambda: csgraph.construct_dist_matrix(matrix, flat.astype(np.int32)),
        lambda: csgraph.maximum_flow(matrix.astype(np.int32), *rng.choice([0, 0.5, 1, 2, -1], 2)),
    ]
    for call in calls:
        try:
            call()
        except (ValueError, TypeError):
            pass
        answers += 1
print(answers)
"""


@pytest.mark.parametrize("seed", range(3))
def test_no_input_ends_the_process_or_keeps_it(seed):
    """In a process of its own: a crash of it fails this test only."""
    code = _HOSTILE.format(seed=seed)
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.returncode, run.stdout.strip(), run.stderr) == (0, "360", "")


@pytest.mark.parametrize("name", PASSED_ON)
def test_functions_look_like_those_of_scipy(name):
    mine, its = getattr(ours, name), getattr(theirs, name)
    assert inspect.signature(mine) == inspect.signature(its)
    assert (mine.__name__, mine.__doc__) == (its.__name__, its.__doc__)
    assert pickle.loads(pickle.dumps(mine)) is mine
    with pytest.raises(TypeError):
        mine()
