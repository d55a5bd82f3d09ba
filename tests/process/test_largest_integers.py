"""Integer weights at the limits of their types: added exactly or refused, never wrong."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence
from device_lists import METHODS_OF_FORESTS, over_methods
from graphs import both_ways, csr
from sssp_support import assert_same, method_fixture, methods_on
from warpgraph import _core

method = method_fixture()

INTEGERS = ["int32", "int64"]
MOST = {dtype: int(np.iinfo(dtype).max) for dtype in INTEGERS}
#: Methods of many_to_many.
MANY = ["dijkstra", "batched", "hierarchy"]


def written(distances, dtype):
    """Return a row of exact distances as `dtype`, each rounded once."""
    far = oracles.unreachable(dtype)
    row = [far if d is None else np.dtype(dtype).type(np.int64(d)) for d in distances]
    return np.array(row, dtype)


# The rule.


@pytest.mark.parametrize("dtype", INTEGERS)
def test_the_largest_integer_counts_in_floats(dtype, method, device):
    graph = csr(3, [(0, 1, MOST[dtype]), (1, 2, 1)], dtype)
    how = {"method": method, "device": device}
    assert wg.sssp(graph, 0, **how).tolist() == [0, float(MOST[dtype]), float(MOST[dtype]) + 1]
    assert wg.sssp(graph, 0, dtype="float32", **how)[1] == np.float32(MOST[dtype])


@pytest.mark.parametrize("kept", [False, True], ids=["matrix", "graph"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_no_distance_of_its_dtype_can_be_the_largest_integer(dtype, directed, kept, method, device):
    """Even if no path needs the edge, since the type cannot represent its weight."""
    edges = [(0, 1, 1), (1, 2, MOST[dtype]), (0, 2, 3)]
    graph = csr(4, edges if directed else both_ways(edges), dtype)
    graph = wg.Graph(graph) if kept else graph
    how = {"method": method, "device": device, "directed": directed}
    for _ in range(2):
        with raises_sentence(OverflowError, MOST[dtype], "(1, 2)", dtype, "unreachable"):
            wg.sssp(graph, 0, dtype=dtype, **how)
    assert wg.sssp(graph, 0, dtype=dtype, unweighted=True, **how).tolist()[:3] == [0, 1, 1]
    assert wg.sssp(graph, 0, **how).tolist() == [0, 1, 3, np.inf]


@pytest.mark.parametrize("weights", ["int32", "int64", "float64"])
def test_the_largest_int32_among_other_weights(weights, method, device):
    graph = csr(3, [(0, 1, 2**31 - 1), (1, 2, 5)], weights)
    with raises_sentence(OverflowError, 2**31 - 1, "(0, 1)", "int32"):
        wg.sssp(graph, 0, dtype="int32", method=method, device=device)
    found = wg.sssp(graph, 0, dtype="int64", method=method, device=device)
    assert found.tolist() == [0, 2**31 - 1, 2**31 + 4]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_inf_is_an_edge_that_is_never_used(dtype, method, device):
    graph = csr(4, [(0, 1, np.inf), (0, 2, 4.0), (2, 1, 2.0), (1, 3, np.inf)])
    found = wg.sssp(graph, 0, dtype=dtype, method=method, device=device)
    assert found.tolist() == [0, 6, 4, MOST[dtype]]


@pytest.mark.parametrize("method", MANY)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_from_many_sources(dtype, method):
    graph = csr(3, [(0, 1, MOST[dtype]), (1, 2, 1)], dtype)
    with raises_sentence(OverflowError, MOST[dtype], "(0, 1)", dtype):
        wg.many_to_many(graph, [0] * 20, dtype=dtype, method=method, device="cpu")
    if method == "hierarchy" and dtype == "int64":
        with raises_sentence(OverflowError, MOST[dtype], "(0, 1)", "62 bits"):
            wg.many_to_many(graph, [0] * 20, method=method, device="cpu")
        return
    found = wg.many_to_many(graph, [0] * 20, method=method, device="cpu")
    assert (found == [0, float(MOST[dtype]), float(MOST[dtype]) + 1]).all()


def test_both_kinds_of_unusual_weights_are_found():
    """In one pass, and by their first occurrences."""
    for dtype in INTEGERS:
        data = np.ones(300_000, dtype)
        graph = wg.Graph.from_csr([0, 300_000], np.zeros(300_000, np.int32), data)
        assert _core.unusual_weights(graph._handle) == (None, None)
        data[[200_000, 250_000]] = MOST[dtype]
        graph = graph.with_weights(data)
        assert _core.unusual_weights(graph._handle) == (None, (200_000, 0, 0, MOST[dtype]))
        data[[100_000, 270_000]] = -1
        graph = graph.with_weights(data)
        assert graph._first_negative() == (100_000, 0, 0, -1)
        with raises_sentence(OverflowError, MOST[dtype], "(0, 0)"):
            graph._handle_for(np.dtype(dtype))
        assert graph._heaviest() == float(MOST[dtype])


# Sums.


@pytest.mark.parametrize("dtype", INTEGERS)
def test_sums_up_to_the_largest_number(dtype, device):
    """A distance equal to the largest integer does not fit; none on its path may be lost either."""
    most = MOST[dtype]
    how = {"dtype": dtype, "method": "bellman_ford", "device": device}
    fits = csr(4, [(0, 1, most - 1), (1, 2, -5), (2, 3, 4)], dtype)
    assert wg.sssp(fits, 0, **how).tolist() == [0, most - 1, most - 6, most - 2]
    for last in (5, 6, most - 1):
        graph = csr(4, [(0, 1, most - 1), (1, 2, -4), (2, 3, last)], dtype)
        with raises_sentence(OverflowError, most - 5, last, "(2, 3)"):
            wg.sssp(graph, 0, **how)
    # The path over vertex 1 overflows, but there is another one.
    graph = csr(4, [(0, 1, most - 1), (1, 2, 5), (0, 2, 7), (2, 3, -7)], dtype)
    assert wg.sssp(graph, 0, **how).tolist() == [0, most - 1, 7, 0]
    lowest = int(np.iinfo(dtype).min)
    graph = csr(3, [(0, 1, lowest), (1, 2, most - 1)], dtype)
    assert wg.sssp(graph, 0, **how).tolist() == [0, lowest, -2]
    with raises_sentence(OverflowError, lowest, "(1, 2)"):
        wg.sssp(csr(3, [(0, 1, lowest), (1, 2, -1)], dtype), 0, **how)


def test_limits_and_targets_leave_out_what_does_not_fit(method, device):
    most = MOST["int32"]
    graph = csr(4, [(0, 1, 3), (1, 2, most - 2), (2, 3, 1)], "int32")
    how = {"dtype": "int32", "method": method, "device": device}
    with raises_sentence(OverflowError, "(1, 2)"):
        wg.sssp(graph, 0, **how)
    within = wg.sssp(graph, 0, limit=most - 1, **how)
    assert within.tolist() == [0, 3, most, most]
    assert wg.sssp(graph, 0, targets=[1], **how).tolist() == [3]
    with raises_sentence(OverflowError, "(1, 2)"):
        wg.sssp(graph, 0, targets=[2], **how)


@given(data=st.data())
def test_drawn_sums(data, device):
    """Every method gives exact distances, or raises the error that one does not fit."""
    dtype = data.draw(st.sampled_from(INTEGERS))
    n = data.draw(st.integers(1, 8))
    vertex, most = st.integers(0, n - 1), MOST[dtype]
    heavy = [most // 3, most // 2, most // 2 + 1, most - 2, most - 1]
    weight = st.sampled_from([0, 1, 2, *heavy])
    edges = data.draw(st.lists(st.tuples(vertex, vertex, weight), max_size=3 * n))
    graph = csr(n, edges, dtype)
    exact = oracles.whole_distances(graph, 0)
    fits = all(d is None or d < most for d in exact)
    calls = [
        lambda m=m: wg.sssp(graph, 0, dtype=dtype, method=m, device=device)
        for m in methods_on(device)
    ]
    if device == "cpu":
        calls += [
            lambda m=m: wg.many_to_many(graph, [0] * 5, dtype=dtype, method=m, device=device)[3]
            for m in ("dijkstra", "batched")
        ]
    for call in calls:
        if fits:
            assert_same(call(), written(exact, dtype))
        else:
            with pytest.raises(OverflowError, match="add up beyond the range"):
                call()


@given(data=st.data())
def test_drawn_sums_of_negative_weights(data, device):
    """Edges to larger vertices only, so there is no cycle."""
    dtype = data.draw(st.sampled_from(INTEGERS))
    info, n = np.iinfo(dtype), data.draw(st.integers(2, 8))
    ends = st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True).map(sorted)
    weight = st.sampled_from([-1, 0, 1, info.max // 2, info.max - 1, -(info.max // 2), info.min])
    edges = data.draw(st.lists(st.tuples(ends, weight), max_size=3 * n))
    graph = csr(n, [(*pair, int(w)) for pair, w in edges], dtype)
    exact = oracles.whole_distances(graph, 0)
    how = {"dtype": dtype, "method": "bellman_ford", "device": device}
    if all(d is None or info.min <= d < info.max for d in exact):
        assert_same(wg.sssp(graph, 0, **how), written(exact, dtype))
    else:
        with pytest.raises(OverflowError, match="add up beyond the range"):
            wg.sssp(graph, 0, **how)


@pytest.mark.parametrize("restricted", [{"limit": 5}, {"targets": [1]}], ids=str)
def test_with_negative_weights_distances_that_are_left_out_count(restricted, device):
    """As the docstrings say."""
    far = [(0, 1, 1), (1, 2, 2**62), (2, 3, 2**62)]
    how = {"dtype": "int64", "device": device, **restricted}
    graph = csr(6, far, np.int64)
    assert wg.sssp(graph, 0, **how).tolist()[:2] in ([0, 1], [1])
    negative = csr(6, [*far, (4, 5, -1)], np.int64)
    with raises_sentence(OverflowError, "(2, 3)", "wider dtype"):
        wg.sssp(negative, 0, **how)
    with raises_sentence(OverflowError, "wider dtype"):
        wg.many_to_many(negative, [0], **how)
    elsewhere = csr(6, [(0, 1, 1), *((v, v + 1, -(2**62)) for v in (2, 3, 4))], np.int64)
    assert wg.sssp(elsewhere, 0, **how).tolist()[:2] in ([0, 1], [1])
    with raises_sentence(OverflowError, "(4, 5)", "wider dtype"):
        wg.many_to_many(elsewhere, [0], **how)


# Hierarchies.


def ladder(weights, dtype):
    """Return a ring of edges both ways and a chord; the given weights alternate."""
    n = 40
    edges = [(v, (v + 1) % n, weights[v % len(weights)]) for v in range(n)]
    return csr(n, both_ways([*edges, (3, 30, weights[0])]), dtype)


@pytest.mark.parametrize("core", [0, 1, 5])
@pytest.mark.parametrize("mirrored", [True, False])
@pytest.mark.parametrize(
    ("weights", "dtype"),
    [
        ([2**31 - 1], "int32"),
        ([2**31 - 1, 1, 2**31 - 2], "int32"),
        ([2**30 - 1, 2**30], "int32"),
        ([2**25, 2**25 - 1], "int32"),
        ([2**31 - 1, 2**31], "int64"),
        ([2**53 + 1, 1], "int64"),
        ([2**56 - 1, 3], "int64"),
        ([2.0**53 + 2, 1.0, np.inf], "float64"),
        ([2.0**56, 5.0], "float64"),
    ],
)
def test_hierarchies_add_integers_exactly(weights, dtype, mirrored, core, device):
    graph = ladder(weights, dtype)
    if not mirrored:
        graph.data[0] = weights[-1]
    kept = wg.Graph(graph)
    assert kept._is_mirrored() == mirrored or len(weights) == 1
    handle = wg._core.build_hierarchy(
        kept._handle, kept.dtype, False, None, symmetric=kept._is_mirrored(), core_vertices=core
    )
    kept._derive("hierarchy", lambda: wg._paths.hierarchy.Prepared(handle))
    assert wg.Hierarchy(kept).relative_error == 0
    exact = [oracles.whole_distances(graph, source) for source in (0, 7, 39)]
    for requested in ("int64", "float64", "float32"):
        found = wg.many_to_many(
            kept, [0, 7, 39], dtype=requested, method="hierarchy", device=device
        )
        assert_same(found, np.array([written(row, requested) for row in exact]))
        some = wg.many_to_many(
            kept, [0, 7], [20, 8], dtype=requested, method="hierarchy", device=device
        )
        assert_same(some, found[:2, [20, 8]])


def test_sums_of_a_hierarchy_that_do_not_fit_the_result(device):
    graph = ladder([2**30], "int32")
    with raises_sentence(OverflowError, 2**31 - 2, "dtype"):
        wg.many_to_many(graph, [0], dtype="int32", method="hierarchy", device=device)
    near = wg.many_to_many(graph, [0], [1, 39], dtype="int32", method="hierarchy", device=device)
    assert near.tolist() == [[2**30, 2**30]]


def test_weights_beyond_62_bits_have_no_hierarchy():
    for heaviest in (2**62, 2**63 - 2, 2**63 - 1):
        with raises_sentence(OverflowError, heaviest, "(0, 1)", "62 bits"):
            wg.Hierarchy(csr(3, [(0, 1, heaviest), (1, 2, 3)], "int64"))
    with raises_sentence(OverflowError, "62 bits"):
        wg.Hierarchy(ladder([2**58], "int64"))


def test_floats_whose_sums_do_not_fit_62_bits_are_added_as_floats(device):
    graph = wg.Graph(ladder([2.0**58, 2.0**58 - 64, 2.0**70], "float64"))
    hierarchy = wg.Hierarchy(graph)
    assert hierarchy.dtype == np.float64
    assert 0 < hierarchy.relative_error < 1e-12
    found = wg.many_to_many(graph, [0, 9], method="hierarchy", device=device)
    exact = [oracles.whole_distances(graph.to_csr(), source) for source in (0, 9)]
    for row, wanted in zip(found.tolist(), exact, strict=True):
        for d, t in zip(row, wanted, strict=True):
            assert abs(int(d) - t) <= hierarchy.relative_error * t
    light = wg.Graph(ladder([2.0**58, 2.0**58 - 64], "float64"))
    assert wg.Hierarchy(light).dtype == np.float64
    with raises_sentence(OverflowError, "62 bits"):
        wg.many_to_many(light, [0], dtype="int64", method="hierarchy", device=device)
    with raises_sentence(ValueError, "62 bits", "dijkstra"):
        wg.many_to_many(light, [0], method="hierarchy", return_predecessors=True, device=device)


@given(data=st.data())
def test_drawn_hierarchies(data):
    n = data.draw(st.integers(1, 12))
    vertex = st.integers(0, n - 1)
    dtype = data.draw(st.sampled_from([*INTEGERS, "float64"]))
    pool = [0, 1, 2**24, 2**29, 2**30 - 1, 2**30, 2**31 - 2, 2**31 - 1]
    if dtype != "int32":
        pool += [2**31, 2**53, 2**53 + 2, 2**56]
    edges = data.draw(st.lists(st.tuples(vertex, vertex, st.sampled_from(pool)), max_size=3 * n))
    edges = both_ways(edges) if data.draw(st.booleans()) else edges
    graph = csr(n, edges, dtype)
    exact = [oracles.whole_distances(graph, source) for source in range(n)]
    for requested in ("int64", "float64", "float32"):
        found = wg.many_to_many(graph, range(n), dtype=requested, method="hierarchy", device="cpu")
        assert_same(found, np.array([written(row, requested) for row in exact]))


def test_auto_counts_the_largest_integer_on_roads():
    """With this number of sources it uses a hierarchy, whose sums are exact."""
    grid = wg.generators.grid(30, 30, seed=3, weights=(1, 50)).to_csr()
    cut = np.zeros(grid.nnz, bool)
    for row in range(grid.shape[0]):
        for e in range(grid.indptr[row], grid.indptr[row + 1]):
            cut[e] = (row < 450) != (grid.indices[e] < 450)
    assert cut.any()
    grid.data = np.where(cut, 2**31 - 1, grid.data).astype(np.int32)
    found = wg.many_to_many(wg.Graph(grid), np.arange(600), device="cpu")
    expected = sp.csgraph.dijkstra(grid.astype(np.float64), indices=np.arange(600))
    assert (found == expected).all()
    assert (found[0, 450:] >= 2**31 - 1).all()
    assert np.isfinite(found).all()


# Weights that are compared only.


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("maximum", [False, True])
@over_methods(METHODS_OF_FORESTS)
def test_forests_take_all_numbers(method, maximum, dtype, device):
    """Each as the only weight of an edge, and together with each of the others."""
    extremes = graphs.extremes_of(dtype)
    n = len(extremes)
    edges = [(v, v + 1, w) for v, w in enumerate(extremes)]
    edges += [(v, v + 1, extremes[-1 - v]) for v in range(n)] + [(0, n, extremes[0])]
    for stored in (edges, both_ways(edges), both_ways([(0, 1, extremes[-1])])):
        graph = csr(n + 1, stored, dtype)
        forest = wg.minimum_spanning_forest(graph, maximum=maximum, method=method, device=device)
        assert forest.edge_ids.tolist() == oracles.kruskal(graph, maximum=maximum).tolist()
        assert forest.weights.tolist() == graph.data[forest.edge_ids].tolist()
        if np.dtype(dtype).kind == "i":
            assert forest.total_weight == sum(forest.weights.tolist())
