"""Matchings of rows and columns: against SciPy's where that ends, and where it does not."""

import functools
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs
from hypothesis import given, strategies as st

import warpgraph.csgraph as ours
from warpgraph import _core

MATCHINGS = ["maximum_bipartite_matching", "structural_rank", "min_weight_full_bipartite_matching"]


def twice():
    """Return a matrix that stores (1, 0) a thousand times."""
    columns = np.r_[0, 1, np.zeros(1000, int)]
    return sp.csr_array((np.ones(1002), columns, [0, 2, 1002]), shape=(2, 2))


def ladder(n):
    """Return rows that SciPy's search visits 2**n times.

    Each row has a column of its own, and both rows of a rung have both columns of the next rung.
    Beside the rungs, one row after the other leads to the only column that is free.
    """
    rows = [(side, level) for level in reversed(range(n)) for side in "abp"]
    order = [row for row in rows if row[0] == "p"] + [row for row in rows if row[0] != "p"]
    columns = {name: i for i, name in enumerate([*order, "free"])}
    edges = []
    for side, level in rows:
        ahead = ["p"] if side == "p" else ["a", "b"]
        after = [(other, level + 1) for other in ahead] if level + 1 < n else []
        after += ["free"] if side == "p" and level + 1 == n else []
        edges.append([(side, level), *after])
    edges.append([("a", 0), ("b", 0), ("p", 0)])
    indptr = np.cumsum([0, *map(len, edges)])
    indices = [columns[name] for row in edges for name in row]
    return sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(3 * n + 1, 3 * n + 1))


def weights_of(matrix, maximize=False):
    """Return the total weight of the best full matching, or None, by a dense method."""
    dense = matrix.toarray().astype(float)
    dense[dense == 0] = -np.inf if maximize else np.inf
    try:
        rows, columns = scipy.optimize.linear_sum_assignment(dense, maximize=maximize)
    except ValueError:
        return None
    return dense[rows, columns].sum()


def drawn_matrix(data, values):
    """Return a CSR matrix whose entries are in any order, some of them twice or 0."""
    shape = data.draw(st.tuples(st.integers(0, 6), st.integers(0, 6)))
    n = shape[0] * shape[1]
    entries = data.draw(st.lists(st.integers(0, max(n - 1, 0)), max_size=14)) if n else []
    rows, columns = np.divmod(np.array(sorted(entries, key=lambda e: e // shape[1]), int), shape[1])
    indptr = np.r_[0, np.cumsum(np.bincount(rows, minlength=shape[0]))]
    kind = data.draw(st.sampled_from([np.int32, np.int64]))
    numbers = [data.draw(st.sampled_from(values)) for _ in rows]
    arrays = np.array(numbers), columns.astype(kind), indptr.astype(kind)
    return sp.csr_array(arrays, shape=shape)


def cleaned(graph):
    """Return the matrix without parallel entries, with indices as old versions of SciPy take."""
    made = graph.copy()
    made.sum_duplicates()
    made.indices, made.indptr = made.indices.astype(np.int32), made.indptr.astype(np.int32)
    return made


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_entries_that_are_stored_twice(form):
    graph = twice()
    if form == "coo":
        graph = sp.coo_array((graph.data, graph.tocoo().coords), shape=(2, 2))
    graph = graph.asformat(form)
    n_stored = graph.nnz
    assert ours.maximum_bipartite_matching(graph).tolist() == [1, 0]
    assert ours.structural_rank(graph) == 2
    found = ours.min_weight_full_bipartite_matching(graph)
    assert [part.tolist() for part in found] == [[0, 1], [1, 0]]
    assert graph.nnz == n_stored


@pytest.mark.parametrize("transpose", [False, True])
def test_ladders_of_many_rungs(transpose):
    graph = ladder(400)
    graph = graph.T.tocsr() if transpose else graph
    n = graph.shape[0]
    found = ours.maximum_bipartite_matching(graph, perm_type="column")
    assert sorted(found.tolist()) == list(range(n))
    assert graph[np.arange(n), found].all()
    assert ours.structural_rank(graph) == n
    rows, columns = ours.min_weight_full_bipartite_matching(graph)
    assert rows.tolist() == list(range(n)) == sorted(columns.tolist())


@given(data=st.data())
def test_the_matching_is_that_of_scipy(data):
    graph = drawn_matrix(data, [0.0, 1.0, 5.0])
    clean = cleaned(graph)
    for perm_type in ("row", "column"):
        for form in ("csr", "csc", "coo"):
            expected = theirs.maximum_bipartite_matching(clean.asformat(form), perm_type)
            found = ours.maximum_bipartite_matching(graph.asformat(form), perm_type)
            if form != "csr":  # rows of a CSR matrix are read in the order that they are stored in
                np.testing.assert_array_equal(found, expected)
            assert found.dtype == expected.dtype
            assert (found >= 0).sum() == (expected >= 0).sum()
    rank = theirs.structural_rank(clean)
    assert ours.structural_rank(graph) == rank
    assert type(ours.structural_rank(graph)) is type(rank)


@pytest.mark.filterwarnings("ignore:explicit zero weights")
@given(data=st.data(), maximize=st.booleans())
def test_full_matchings_are_the_lightest(data, maximize):
    sign = -1.0 if maximize else 1.0
    graph = drawn_matrix(data, [0.0, 1.0, 2.0, 3.0, -2.0, 0.1, 0.3, sign * np.inf])
    clean = cleaned(graph)
    clean.data[np.isinf(clean.data)] = 0
    expected = weights_of(clean, maximize) if all(graph.shape) else 0
    for form in ("csr", "csc", "coo"):
        given_graph = graph.asformat(form)
        if expected is None:
            with pytest.raises(ValueError, match="no full matching exists"):
                ours.min_weight_full_bipartite_matching(given_graph, maximize)
            continue
        rows, columns = ours.min_weight_full_bipartite_matching(given_graph, maximize)
        assert len(set(columns.tolist())) == len(rows) == min(graph.shape)
        assert (np.diff(rows) > 0).all()
        chosen = clean.toarray()[rows, columns]
        assert (chosen != 0).all()
        assert chosen.sum() == pytest.approx(expected)


def test_weights_whose_sums_are_rounded():
    """SciPy's function does not end for some of these."""
    rng = np.random.default_rng(0)
    for _ in range(2000):
        n = int(rng.integers(1, 9))
        weights = rng.integers(1, 9, (n, n)) * 0.1 * (rng.random((n, n)) < 0.7)
        expected = weights_of(sp.csr_array(weights))
        try:
            rows, columns = ours.min_weight_full_bipartite_matching(sp.csr_array(weights))
        except ValueError:
            assert expected is None
        else:
            assert weights[rows, columns].sum() == pytest.approx(expected)


@pytest.mark.parametrize("shape", [(3, 3), (2, 3), (3, 2)])
@pytest.mark.parametrize(
    ("weight", "maximize"),
    [(np.nan, False), (np.nan, True), (-np.inf, False), (np.inf, True), (1.5e308, False)],
)
def test_weights_whose_sums_are_no_numbers(weight, maximize, shape):
    dense = np.arange(1.0, 10).reshape(3, 3)[: shape[0], : shape[1]]
    dense[1, 0] = weight
    sentence = re.escape(f"biadjacency[1, 0] is {weight}, but weights must be numbers")
    for graph in (sp.csr_array(dense), sp.csc_array(dense)):
        with pytest.raises(ValueError, match=sentence):
            ours.min_weight_full_bipartite_matching(graph, maximize)


def test_zeros_are_removed_with_scipys_warning():
    graph = sp.csr_array(([0.0, 2.0, 1.0], [0, 1, 0], [0, 2, 3]), shape=(2, 2))
    for function in (theirs, ours):
        with pytest.warns(UserWarning, match="explicit zero weights are removed before matching"):
            found = function.min_weight_full_bipartite_matching(graph)
        assert [part.tolist() for part in found] == [[0, 1], [1, 0]]
    assert graph.nnz == 3


@pytest.mark.parametrize("name", MATCHINGS)
def test_what_scipy_refuses(name):
    for graph in (np.eye(2), [[1, 0], [0, 1]], sp.dia_array(np.eye(2)), sp.coo_array([1, 2])):
        if name == "structural_rank" and getattr(graph, "format", "") == "dia":
            continue  # which takes it, and warns
        with pytest.raises(Exception) as its:  # noqa: PT011
            getattr(theirs, name)(graph)
        with pytest.raises(type(its.value)):
            getattr(ours, name)(graph)
    with pytest.warns(sp.SparseEfficiencyWarning):
        assert ours.structural_rank(sp.dia_array(np.eye(2))) == 2


def test_a_large_matching():
    n = 100_000
    heads = np.random.default_rng(1).integers(0, n, 3 * n)
    graph = sp.csr_array((np.ones(3 * n), heads, np.arange(0, 3 * n + 1, 3)), shape=(n, n))
    clean = cleaned(graph)
    assert ours.structural_rank(graph) == theirs.structural_rank(clean)


def test_memory():
    graph = ladder(50)
    n = graph.shape[0]
    arrays = graph.indptr.astype(np.int64), graph.indices.astype(np.int32)
    results = np.empty(n, np.int32), np.empty(n, np.int32)
    needed = 3 * 4 * (n + 1)
    match = functools.partial(_core.maximum_bipartite_matching, *arrays, *results)
    match(ledger=_core.ledger(needed))
    with pytest.raises(MemoryError, match="matching rows and columns"):
        match(ledger=_core.ledger(needed - 1))


_PATCHED = """
import numpy as np, scipy.sparse as sp, scipy.sparse.csgraph as csgraph
import warpgraph.csgraph as ours
before = {name: getattr(csgraph, name) for name in csgraph.__all__}
for name in csgraph.__all__:
    setattr(csgraph, name, getattr(ours, name))
if RELOAD:
    import importlib, sys
    for name in [name for name in sys.modules if name.startswith("warpgraph.csgraph")]:
        del sys.modules[name]
    ours = importlib.import_module("warpgraph.csgraph")
dense = np.array([[0, 1, 4, 0], [0, 0, 2, 0], [0, 0, 0, 3], [5, 0, 0, 0]], float)
trees = np.full((4, 4), -9999, np.int32)
arguments = {
    "breadth_first_order": (0,), "breadth_first_tree": (0,), "depth_first_order": (0,),
    "depth_first_tree": (0,), "construct_dist_matrix": (trees,), "maximum_flow": (0, 3),
    "reconstruct_path": (np.array([-9999, 0, 1, 2]),), "yen": (0, 3, 2),
}
for name in csgraph.__all__:
    if name == "NegativeCycleError":
        continue
    graph = sp.csr_array(dense)
    if name == "maximum_flow":
        graph = graph.astype(np.int32)
    if name.startswith("csgraph_") and "_from_" in name:
        graph = np.ma.masked_equal(dense, 0) if name == "csgraph_from_masked" else dense
    for module in (csgraph, ours):
        found = getattr(module, name)(graph, *arguments.get(name, ()))
        expected = before[name](graph, *arguments.get(name, ()))
        assert type(found) is type(expected), name
print("ended")
"""


@pytest.mark.parametrize("reload", [False, True], ids=["patched", "patched and imported again"])
def test_our_functions_in_scipys_place_do_not_call_themselves(reload):
    """As programs do to try them: ``scipy.sparse.csgraph.dijkstra = ours.dijkstra``."""
    code = _PATCHED.replace("RELOAD", str(reload))
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (run.returncode, run.stdout.strip(), run.stderr) == (0, "ended", "")
