"""Checks of a matrix that is passed to a function: of what is read, where it is read."""

import numpy as np
import pytest
import scipy.sparse as sp

import warpgraph as wg
from device_lists import GPUS, SINGLE, gpus_in_turns, over

DEVICES = SINGLE + gpus_in_turns(2, 3) + [("cuda:all", 0)] * bool(GPUS)
CALLS = {
    "bfs": lambda matrix, device: wg.bfs(matrix, 0, device=device),
    "components": lambda matrix, device: wg.connected_components(matrix, device=device),
    "sssp": lambda matrix, device: wg.sssp(matrix, 0, device=device),
    "sssp, float32": lambda matrix, device: wg.sssp(matrix, 0, dtype="float32", device=device),
    "pagerank": lambda matrix, device: wg.pagerank(matrix, device=device),
    "forest": lambda matrix, device: wg.minimum_spanning_forest(matrix, device=device),
}


def cycle(n, dtype=float, steps=(1,)):
    """Return a cycle whose edges are stored both ways, with chords of some lengths."""
    steps = np.array([[-step, step] for step in steps]).ravel()
    heads = (np.arange(n)[:, np.newaxis] + steps).astype(np.int32) % n
    starts = np.arange(0, len(steps) * n + 1, len(steps), dtype=np.int32)
    return sp.csr_array((np.ones(heads.size, dtype), heads.ravel(), starts))


def indexed_by(matrix, dtype):
    """Return a matrix with indices of a dtype; the constructor would choose another one."""
    made = sp.csr_array(matrix.shape, dtype=matrix.dtype)
    made.data = matrix.data
    made.indices, made.indptr = matrix.indices.astype(dtype), matrix.indptr.astype(dtype)
    return made


over_indices = pytest.mark.parametrize("index", ["int32", "int64"])


def sentence_of(call):
    with pytest.raises(ValueError, match=r"is not a vertex|is NaN") as caught:
        call()
    return str(caught.value)


@over(DEVICES)
@pytest.mark.parametrize("n", [5, 1 << 18])
@pytest.mark.parametrize("bad", [-1, 1, 1 << 32])
@pytest.mark.parametrize("name", CALLS)
def test_an_index_that_is_no_vertex_is_named(name, bad, n, device):
    matrix = indexed_by(cycle(n), np.int64 if bad > n else np.int32)
    matrix.indices[[-1, -3]] = n if bad == 1 else bad
    assert sentence_of(lambda: CALLS[name](matrix, device)) == sentence_of(lambda: wg.Graph(matrix))


@over(DEVICES)
@over_indices
@pytest.mark.parametrize("n", [5, 1 << 18])
@pytest.mark.parametrize("name", CALLS)
def test_a_weight_that_is_nan_is_named(name, n, index, device):
    matrix = indexed_by(cycle(n), index)
    matrix.data[[-1, -4]] = np.nan
    assert sentence_of(lambda: CALLS[name](matrix, device)) == sentence_of(lambda: wg.Graph(matrix))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
def test_a_negative_weight_is_found_by_the_check(dtype, device):
    matrix = cycle(1 << 18, dtype)
    matrix.data[-5] = -1
    method = "delta_stepping" if device == "cpu" else "near_far"
    with pytest.raises(ValueError, match=r"the weight -1.* is negative"):
        wg.sssp(matrix, 0, dtype=dtype, method=method, device=device)
    with pytest.raises(ValueError, match="is negative, but no edge can be followed"):
        wg.pagerank(matrix, device=device)


@over(DEVICES)
@over_indices
def test_calls_that_read_nothing_check_the_matrix(index, device):
    matrix = indexed_by(cycle(5), index)
    matrix.indices[3] = 9
    for call in (wg.bfs, wg.sssp):
        with pytest.raises(ValueError, match=r"indices\[3\] is 9"):
            call(matrix, 0, targets=[], device=device)
        with pytest.raises(ValueError, match=r"indices\[3\] is 9"):
            wg.explain(call, matrix, 0, device=device)
    for sources, targets in (([], None), ([0], [])):
        with pytest.raises(ValueError, match=r"indices\[3\] is 9"):
            wg.bfs(matrix, sources, targets=targets, device=device)


@over(DEVICES)
@over_indices
@pytest.mark.parametrize("name", CALLS)
def test_the_results_of_a_matrix_are_those_of_a_graph(name, index, device):
    matrix = cycle(1 << 18, steps=(1, 512))
    matrix.data += np.arange(len(matrix.data)) // 7 % 5
    lower = sp.tril(matrix, format="csr")
    hubs = wg.generators.rmat(14, seed=3).to_csr()
    for given in (matrix, lower, (lower + lower.T).tocsr(), hubs):
        found = CALLS[name](indexed_by(given, index), device)
        expected = CALLS[name](wg.Graph(given), device)
        if name == "forest":
            found, expected = ((f.edges, f.weights, f.edge_ids) for f in (found, expected))
        elif name != "components":
            found, expected = [found], [expected]
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)


def test_symmetry_is_found_where_the_graph_is(device):
    ring = cycle(1 << 17)
    for change in (lambda m: None, lambda m: m.data.__setitem__(9, 5.0)):
        matrix = ring.copy()
        change(matrix)
        graph = wg.Graph(matrix).to(device)
        by_transposition = (matrix != matrix.T).nnz == 0
        assert graph._is_mirrored() == by_transposition
        assert wg.Graph(matrix).to(device)._has_mirrored_structure()
    one_way = wg.Graph(sp.triu(ring, format="csr")).to(device)
    assert not one_way._has_mirrored_structure()
    assert not one_way._is_mirrored()


@over(DEVICES)
@pytest.mark.parametrize("name", CALLS)
def test_indices_of_int64_that_nobody_can_write_to_or_that_are_few(name, device):
    for small in (sp.csr_array((3, 3)), sp.csr_array((0, 0)), cycle(3)):
        wide = indexed_by(small, np.int64)
        for array in (wide.data, wide.indices, wide.indptr):
            array.flags.writeable = False
        if name in ("components", "pagerank", "forest") or small.shape[0] > 0:
            CALLS[name](wide, device)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, ">i8"])
def test_an_output_does_not_overlap_indices_that_are_converted(dtype, device):
    wide = indexed_by(cycle(8), dtype)
    out = wide.indices.view(np.int32)[:8]
    with pytest.raises(ValueError, match="shares memory"):
        wg.bfs(wide, 0, out=out, device=device)
    with pytest.raises(ValueError, match="shares memory"):
        wg.many_to_many(wide, [0], dtype="int32", out=out[np.newaxis], device=device)
    np.testing.assert_array_equal(wide.indices, cycle(8).indices)
