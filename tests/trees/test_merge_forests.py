"""Merged forests of parts of a graph: exactly the forest of the whole, for any division."""

import functools
import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

import checks
import oracles
import warpgraph as wg
from graphs import DTYPES, SAMPLES, csr, csr_graphs, over_samples

WEIGHTS = pytest.mark.parametrize("weights", ["any", "ties", "extremes"])


def same_forest(a, b):
    assert a.edge_ids.tolist() == b.edge_ids.tolist()
    assert a.edges.tolist() == b.edges.tolist()
    assert a.weights.tobytes() == b.weights.tobytes()
    assert a.n_vertices == b.n_vertices


@st.composite
def cut_graphs(draw, **options):
    """Draw a graph, the part that each entry goes to, and an order of the parts."""
    graph = draw(csr_graphs(**options))
    n_parts = draw(st.integers(1, 5))
    part = draw(st.lists(st.integers(0, n_parts - 1), min_size=graph.nnz, max_size=graph.nnz))
    return graph, np.array(part, int), draw(st.permutations(range(n_parts)))


@WEIGHTS
def test_any_cut_in_any_order(weights, device):
    @given(cut_graphs(weights=weights), st.booleans())
    def gives_the_whole(drawn, maximum):
        graph, part, order = drawn
        whole = wg.minimum_spanning_forest(graph, maximum=maximum, device=device)
        forests = [
            wg.local_forest(graph, entries=part == p, maximum=maximum, device=device) for p in order
        ]
        merge = functools.partial(wg.merge_forests, maximum=maximum, device=device)
        same_forest(merge(*forests), whole)
        same_forest(functools.reduce(merge, forests), whole)

    gives_the_whole()


@WEIGHTS
def test_overlapping_parts(weights, device):
    @given(csr_graphs(weights=weights), st.integers(0, 2**32), st.booleans())
    def give_the_whole(graph, seed, maximum):
        rng = np.random.default_rng(seed)
        whole = wg.minimum_spanning_forest(graph, maximum=maximum, device=device)
        masks = rng.random((3, graph.nnz)) < 0.6
        masks[0] |= ~masks.any(axis=0)
        forests = [
            wg.local_forest(graph, entries=np.flatnonzero(mask), maximum=maximum, device=device)
            for mask in masks
        ]
        same_forest(wg.merge_forests(*forests, maximum=maximum, device=device), whole)

    give_the_whole()


@over_samples()
@pytest.mark.parametrize("maximum", [False, True])
def test_cut_into_rows(graph, maximum, device):
    n = graph.shape[0]
    cuts = [0, n // 3, n // 3, n // 2, n]
    forests = [
        wg.local_forest(graph, rows=rows, maximum=maximum, device=device)
        for rows in itertools.pairwise(cuts)
    ]
    whole = wg.minimum_spanning_forest(graph, maximum=maximum, device=device)
    same_forest(wg.merge_forests(*forests, maximum=maximum, device=device), whole)
    assert whole.edge_ids.tolist() == oracles.kruskal(graph, maximum=maximum).tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_cut_of_a_larger_graph(dtype, device):
    graph = wg.generators.rmat(12, seed=3, weights=(-20, 20), dtype=dtype)
    cuts = np.linspace(0, graph.n_vertices, 5).astype(int)
    forests = [
        wg.local_forest(graph, rows=rows, device=device) for rows in itertools.pairwise(cuts)
    ]
    whole = wg.minimum_spanning_forest(graph, device=device)
    same_forest(wg.merge_forests(*forests, device=device), whole)
    assert sum(map(len, forests)) > len(whole)


@given(csr_graphs(weights="any"), st.data())
def test_part_is_a_graph_of_its_own(graph, data):
    """A local forest is the forest of the graph that has the part's entries only."""
    chosen = np.array(
        data.draw(st.lists(st.booleans(), min_size=graph.nnz, max_size=graph.nnz)), bool
    )
    tail, head, weight = oracles.arcs(graph)
    rest = csr(
        graph.shape[0],
        [*zip(tail[chosen].tolist(), head[chosen].tolist(), weight[chosen].tolist(), strict=True)],
        graph.dtype,
    )
    forest = wg.local_forest(graph, entries=chosen)
    assert forest.edge_ids.tolist() == np.flatnonzero(chosen)[oracles.kruskal(rest)].tolist()


def test_merging_one_forest_changes_nothing(device):
    forest = wg.minimum_spanning_forest(SAMPLES["medium_random"], device=device)
    same_forest(wg.merge_forests(forest, device=device), forest)
    same_forest(wg.merge_forests(forest, forest, device=device), forest)


def test_star(device):
    """All edges are in one row, which is too long for one thread to sort."""
    n = 70_000
    spokes = np.c_[np.zeros(n - 1, int), np.arange(1, n)]
    ids = np.random.default_rng(1).permutation(n - 1)
    forest = wg.SpanningForest(n, spokes, np.ones(n - 1, np.int32), ids)
    merged = wg.merge_forests(forest, device=device)
    assert merged.edge_ids.tolist() == list(range(n - 1))
    assert merged.edges[:, 1].tolist() == (1 + np.argsort(ids)).tolist()


# New edges.


@WEIGHTS
def test_new_edges(weights, device):
    @given(csr_graphs(weights=weights), st.integers(0, 90), st.booleans())
    def give_the_whole(graph, n_known, maximum):
        options = {"maximum": maximum, "device": device}
        tail, head, weight = oracles.arcs(graph)
        weight = wg.Graph(graph).data
        ids = np.arange(len(tail))
        known, new = ids[:n_known], ids[n_known:]
        forest = wg.local_forest(graph, entries=known, **options)
        ends = np.c_[tail, head]
        forest = wg.extend_forest(forest, ends[new], weight[new], new, **options)
        same_forest(forest, wg.minimum_spanning_forest(graph, **options))

    give_the_whole()


def test_new_edges_without_ids(device):
    """Ties: by the smaller end, then the former edges first."""
    forest = wg.SpanningForest(4, [[2, 3], [0, 1]], [1.0, 5.0])
    more = wg.extend_forest(
        forest, [[3, 2], [1, 0], [2, 1], [3, 3]], [1.0, 4.0, 1.0, -9.0], device=device
    )
    assert more.edges.tolist() == [[1, 2], [2, 3], [0, 1]]
    assert more.weights.tolist() == [1.0, 1.0, 4.0]
    assert more.edge_ids is None
    assert forest.edges.tolist() == [[2, 3], [0, 1]]
    same = wg.extend_forest(forest, [], [], device=device)
    assert same.weights.tolist() == [1.0, 5.0]


@WEIGHTS
def test_new_edges_in_any_order(weights, device):
    """Ids that do not ascend, and ends in either order."""

    @given(csr_graphs(weights=weights), st.integers(0, 90), st.integers(0, 2**32))
    def give_the_whole(graph, n_known, seed):
        rng = np.random.default_rng(seed)
        tail, head, _ = oracles.arcs(graph)
        order = rng.permutation(len(tail))
        known, new = order[:n_known], order[n_known:]
        ends = np.c_[tail, head][new]
        turned = rng.random(len(new)) < 0.5
        ends[turned] = ends[turned, ::-1]
        forest = wg.local_forest(graph, entries=known, device=device)
        forest = wg.extend_forest(forest, ends, wg.Graph(graph).data[new], new, device=device)
        assert forest.edge_ids.tolist() == oracles.kruskal(graph).tolist()

    give_the_whole()


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_new_edges_of_any_integer_type(dtype, device):
    """Also of arrays with gaps, and with all smaller ends first."""
    forest = wg.SpanningForest(4, [[0, 3]], [9.0])
    for ends in ([[3, 2], [1, 0], [2, 1]], [[2, 3], [0, 1], [1, 2]]):
        edges = np.array(ends, dtype)
        for given_edges in (edges, np.asfortranarray(edges), np.repeat(edges, 2, axis=0)[::2]):
            kept = given_edges.copy()
            more = wg.extend_forest(forest, given_edges, [1.0, 4.0, 1.0], device=device)
            assert more.edges.tolist() == [[1, 2], [2, 3], [0, 1]]
            assert given_edges.tolist() == kept.tolist()


@pytest.mark.parametrize("n_known", [0, 35_000])
@pytest.mark.parametrize("has_ids", [False, True])
def test_star_of_new_edges(n_known, has_ids, device):
    """A row too long for one thread: one ascending run of ids, or two, the lower one last."""
    n = 70_000
    spokes = np.c_[np.arange(1, n), np.zeros(n - 1, int)]
    ids = np.arange(n - 1)
    new, known = np.split(ids, [n - 1 - n_known])
    arrays = [
        (spokes[some], np.ones(len(some), np.int32), some if has_ids else None)
        for some in (known, new)
    ]
    extended = wg.extend_forest(wg.SpanningForest(n, *arrays[0]), *arrays[1], device=device)
    expected = ids if has_ids else np.append(known, new)
    assert extended.edges[:, 1].tolist() == (1 + expected).tolist()
    assert extended.edge_ids is None or extended.edge_ids.tolist() == ids.tolist()


def test_one_edge_at_a_time(device):
    graph = SAMPLES["medium_random"]
    tail, head, weight = oracles.arcs(graph)
    forest = wg.local_forest(graph, entries=[], device=device)
    assert len(forest) == 0
    for e in range(60):
        forest = wg.extend_forest(
            forest, [[tail[e], head[e]]], weight[e : e + 1], [e], device=device
        )
    same_forest(forest, wg.local_forest(graph, entries=np.arange(60), device=device))


# Invalid arguments.


def forest_of(n=3, weights=(1.0, 2.0), ids=(0, 1), dtype=np.float64):
    return wg.SpanningForest(n, [[0, 1], [1, 2]], np.array(weights, dtype), ids)


@pytest.mark.parametrize(
    ("error", "forests", "parts"),
    [
        (TypeError, (), ["at least one"]),
        (TypeError, (forest_of(), 7), ["forests[1]", "int"]),
        (ValueError, (forest_of(), forest_of(4)), ["forests[1]", "4 vertices", "3"]),
        (ValueError, (forest_of(), forest_of(dtype=np.int32)), ["int32", "float64"]),
        (ValueError, (forest_of(), forest_of(ids=None)), ["forests[1]", "has none"]),
        (ValueError, (forest_of(ids=None), forest_of()), ["forests[1]", "has some"]),
        (ValueError, (forest_of(weights=(1.0, np.nan)),), ["forests[0].weights[1]", "NaN"]),
    ],
)
def test_merge_forests_rejects(error, forests, parts):
    with checks.raises_sentence(error, *parts):
        wg.merge_forests(*forests)


@pytest.mark.parametrize(
    ("error", "arguments", "parts"),
    [
        (TypeError, {}, ["rows or entries"]),
        (TypeError, {"rows": (0, 1), "entries": [0]}, ["rows or entries"]),
        (TypeError, {"rows": 3}, ["rows", "(first, last)", "3"]),
        (TypeError, {"rows": (0, 1, 2)}, ["rows", "(0, 1, 2)"]),
        (ValueError, {"rows": (2, 1)}, ["0 <= first <= last <= 3", "(2, 1)"]),
        (ValueError, {"rows": (0, 4)}, ["0 <= first <= last <= 3", "(0, 4)"]),
        (ValueError, {"entries": [True]}, ["mask", "(2,)", "(1,)"]),
        (ValueError, {"entries": [0, 2]}, ["entries[1] is 2", "2 entries"]),
        (ValueError, {"entries": [-1]}, ["entries[0] is -1"]),
        (ValueError, {"entries": [[0]]}, ["list of positions", "(1, 1)"]),
        (TypeError, {"entries": [0.5]}, ["integers or a mask", "float64"]),
    ],
)
def test_local_forest_rejects(error, arguments, parts):
    with checks.raises_sentence(error, *parts):
        wg.local_forest(csr(3, [(0, 1, 1.0), (1, 2, 1.0)]), **arguments)


@pytest.mark.parametrize(
    ("error", "arguments", "parts"),
    [
        (TypeError, (7, [[0, 1]], [1.0], [5]), ["SpanningForest", "int"]),
        (ValueError, (forest_of(), [[0, 3]], [1.0], [5]), ["edges[0]", "(0, 3)", "3 vertices"]),
        (ValueError, (forest_of(), [[0, 1]], [np.nan], [5]), ["weights[0] is NaN"]),
        (ValueError, (forest_of(), [[0, 1]], [1], [5]), ["int64", "float64"]),
        (ValueError, (forest_of(), [[0, 1]], [1.0]), ["edge_ids", "has none"]),
    ],
)
def test_extend_forest_rejects(error, arguments, parts):
    with checks.raises_sentence(error, *parts):
        wg.extend_forest(*arguments)


def test_memory_limit_and_progress(device):
    graph = SAMPLES["medium_random"]
    forest = wg.minimum_spanning_forest(graph, device=device)
    for call in (
        functools.partial(wg.local_forest, graph, rows=(0, graph.shape[0])),
        functools.partial(wg.merge_forests, forest),
        functools.partial(wg.extend_forest, forest, [[0, 1]], [1.0], [10**6]),
    ):
        with checks.raises_sentence(MemoryError, "100 bytes", "memory_limit"):
            call(device=device, memory_limit=100)
        reports = []
        call(device=device, progress=lambda done, total, into=reports: into.append((done, total)))
        assert reports[-1][0] == reports[-1][1]
