"""The k shortest simple paths: all of them, in the order of length, edges and vertices."""

import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import graphs
import warpgraph as wg
from checks import raises_sentence


def lightest_arcs(graph, directed=True, unweighted=False):
    """Return {tail: {head: weight}} with Python's numbers."""
    arcs = {v: {} for v in range(graph.shape[0])}
    tails = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    for u, v, w in zip(tails.tolist(), graph.indices.tolist(), graph.data.tolist(), strict=True):
        weight = 1 if unweighted else w
        for a, b in [(u, v)] if directed else [(u, v), (v, u)]:
            arcs[a][b] = min(weight, arcs[a].get(b, weight))
    return arcs


def simple_paths(arcs, source, target):
    """Yield (length, number of edges, vertices) of all paths, by exhaustive search."""
    stack = [(0, [source])]
    while stack:
        length, path = stack.pop()
        if path[-1] == target:
            yield length, len(path) - 1, path
            continue
        for v, w in arcs[path[-1]].items():
            if v not in path:
                stack.append((length + w, [*path, v]))


def expected_paths(graph, source, target, k, **options):
    return sorted(simple_paths(lightest_arcs(graph, **options), source, target))[:k]


def assert_right(graph, source, target, k, **options):
    """Exactly, for weights whose sums are exact."""
    expected = expected_paths(graph, source, target, k, **options)
    for form in (graph, wg.Graph(graph)):
        lengths, paths = wg.k_shortest_paths(form, source, target, k, **options)
        assert lengths.tolist() == [length for length, _, _ in expected]
        assert [path.tolist() for path in paths] == [path for _, _, path in expected]
        assert all(path.dtype == np.int32 for path in paths)


SMALL = graphs.over_samples(
    only=lambda g: (
        0 < g.shape[0] <= 12
        and g is not graphs.SAMPLES["negative_cycle"]
        and g is not graphs.SAMPLES["complete"]
        and np.all(g.data == np.floor(g.data))
        and (g.nnz == 0 or np.abs(g.data.astype(float)).max() < 2**50)
    )
)


@SMALL
@pytest.mark.parametrize("k", [1, 3, 1000])
def test_all_pairs_of_small_graphs(graph, k):
    n = graph.shape[0]
    directions = [True] if graphs.has_negative(graph) else [True, False]
    for directed, source, target in itertools.product(directions, range(n), (0, n // 2, n - 1)):
        if directed or graph.nnz <= 30:
            assert_right(graph, source, target, k, directed=directed)


@settings(max_examples=400)
@given(
    graph=graphs.csr_graphs(weights="ties", min_vertices=1, max_vertices=7),
    ends=st.tuples(st.integers(0, 6), st.integers(0, 6)),
    k=st.integers(1, 60),
    directed=st.booleans(),
    unweighted=st.booleans(),
)
def test_random_graphs_with_ties(graph, ends, k, directed, unweighted):
    source, target = (v % graph.shape[0] for v in ends)
    assert_right(graph, source, target, k, directed=directed, unweighted=unweighted)


@settings(max_examples=200)
@given(
    graph=graphs.csr_graphs(weights="integer", min_vertices=2, max_vertices=9, symmetric=True),
    k=st.integers(1, 100),
)
def test_random_undirected_graphs(graph, k):
    assert_right(graph, 0, graph.shape[0] - 1, k)


@settings(max_examples=200)
@given(
    graph=graphs.csr_graphs(weights="integer", dtypes=(np.int64,), min_vertices=2, max_vertices=7),
    heights=st.lists(st.integers(0, 15), min_size=7, max_size=7),
    k=st.integers(1, 40),
)
def test_negative_weights(graph, heights, k):
    """Differences of heights add up to the same for all paths, so there is no negative cycle."""
    tails = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    heights = np.array(heights)
    graph.data = graph.data + heights[tails] - heights[graph.indices]
    assert_right(graph, 0, graph.shape[0] - 1, k)
    ours = wg.k_shortest_paths(graph, 0, graph.shape[0] - 1, k, dtype="int64")[0]
    assert ours.dtype == np.int64
    assert ours.tolist() == [p[0] for p in expected_paths(graph, 0, graph.shape[0] - 1, k)]


@pytest.mark.skipif(not hasattr(csgraph, "yen"), reason="SciPy has it from 1.14 on")
@pytest.mark.parametrize("directed", [True, False])
def test_larger_graphs_against_scipy(directed):
    rng = np.random.default_rng(5)
    for _ in range(20):
        matrix = graphs.random_csr(60, 0.08, rng)
        source, target = rng.integers(0, 60, 2)
        expected = csgraph.yen(matrix, source, target, 30, directed=directed)
        lengths, paths = wg.k_shortest_paths(matrix, source, target, 30, directed=directed)
        np.testing.assert_allclose(lengths, expected, rtol=1e-12)
        assert np.all(np.diff(lengths) >= 0)
        assert len({tuple(path) for path in paths}) == len(paths)
        assert all(len({*path}) == len(path) for path in paths)


def test_a_grid_against_networkx():
    """Many ties, and roots that block the way."""
    graph = nx.grid_2d_graph(6, 6)
    lengths, paths = wg.k_shortest_paths(graph, (0, 0), (5, 4), 400)
    generator = nx.shortest_simple_paths(graph, (0, 0), (5, 4))
    expected = list(itertools.islice(generator, 400))
    assert lengths.tolist() == [len(path) - 1 for path in expected]
    found = [path.tolist() for path in paths]
    assert found == sorted(found, key=lambda path: (len(path), path))
    longest = len(found[-1])
    assert {tuple(p) for p in found if len(p) < longest} == {
        tuple(p) for p in expected if len(p) < longest
    }


def test_lengths_are_sums_from_the_source_on():
    graph = graphs.SAMPLES["mixed_magnitudes"]
    lengths, paths = wg.k_shortest_paths(graph, 0, 8, 10)
    arcs = lightest_arcs(graph)
    for length, path in zip(lengths, paths, strict=True):
        total = 0.0
        for u, v in itertools.pairwise(path.tolist()):
            total += arcs[u][v]
        assert length == total


def test_the_same_on_any_number_of_threads(device):
    graph = wg.generators.rmat(10, 8, seed=3, weights=(1, 9))
    lengths, paths = wg.k_shortest_paths(graph, 5, 900, 50)
    wg.set_num_threads(1)
    again, paths_again = wg.k_shortest_paths(graph, 5, 900, 50)
    assert lengths.tobytes() == again.tobytes()
    assert [p.tolist() for p in paths] == [p.tolist() for p in paths_again]


def test_source_is_target():
    lengths, paths = wg.k_shortest_paths(graphs.SAMPLES["grid"], 3, 3, 4)
    assert lengths.tolist() == [0.0]
    assert [p.tolist() for p in paths] == [[3]]


def test_no_path():
    lengths, paths = wg.k_shortest_paths(graphs.SAMPLES["two_islands"], 0, 1, 4)
    assert lengths.shape == (0,)
    assert lengths.dtype == np.float64
    assert paths == []


def test_infinite_weights_are_no_edges():
    lengths, _ = wg.k_shortest_paths(graphs.SAMPLES["infinite_weights"], 0, 2, 4)
    assert len(lengths) == 0


def test_names():
    roads = nx.DiGraph()
    roads.add_weighted_edges_from([("a", "b", 1), ("b", "c", 1), ("a", "c", 3)])
    lengths, paths = wg.k_shortest_paths(roads, "a", "c", 5)
    assert lengths.tolist() == [2, 3]
    assert [p.tolist() for p in paths] == [["a", "b", "c"], ["a", "c"]]


def test_negative_cycle():
    with pytest.raises(wg.NegativeCycleError):
        wg.k_shortest_paths(graphs.SAMPLES["negative_cycle"], 0, 3, 2)


@pytest.mark.parametrize("k", [0, -2])
def test_k_that_is_too_small(k):
    with raises_sentence(ValueError, "k must be at least 1", k):
        wg.k_shortest_paths(graphs.SAMPLES["grid"], 0, 1, k)


def test_more_paths_than_there_are():
    for k in (100, 2**63, 10**30):
        assert wg.k_shortest_paths(graphs.csr(3, [(0, 1, 1.0), (1, 2, 1.0)]), 0, 2, k)[0] == [2]


def test_k_that_is_no_number():
    with raises_sentence(TypeError, "k must be an integer", "2.5"):
        wg.k_shortest_paths(graphs.SAMPLES["grid"], 0, 1, 2.5)


def test_ends_that_are_no_vertices():
    with raises_sentence(ValueError, "source is -1", "0..63"):
        wg.k_shortest_paths(graphs.SAMPLES["grid"], -1, 0, 1)
    with raises_sentence(TypeError, "source", "[0, 1]"):
        wg.k_shortest_paths(graphs.SAMPLES["grid"], [0, 1], 0, 1)
    with raises_sentence(ValueError, "target is 64", "0..63"):
        wg.k_shortest_paths(graphs.SAMPLES["grid"], 0, 64, 1)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_a_path_that_does_not_fit_is_not_left_out(dtype):
    most = np.iinfo(dtype).max
    edges = [(0, 2, most - 1), (0, 1, 0), (1, 4, 0), (1, 3, 0), (2, 3, 0), (4, 0, most - 1)]
    graph = graphs.csr(5, edges, dtype)
    with raises_sentence(OverflowError, "only 1 of 2 paths", "wider dtype"):
        wg.k_shortest_paths(graph, 1, 3, 2, dtype=dtype)


def test_walks_that_do_not_fit_are_no_paths():
    most = 2**31 - 1
    for edges in (
        [(0, 1, 0), (0, 1, most - 1), (1, 2, most - 1)],
        [(0, 2, most - 1), (0, 1, 5), (1, 0, 0)],
    ):
        lengths, _ = wg.k_shortest_paths(graphs.csr(3, edges, np.int32), 0, 2, 2, dtype="int32")
        assert lengths.tolist() == [most - 1]
        assert lengths.dtype == np.int32


def test_sums_below_the_least_float():
    graph = graphs.csr(4, [(0, 1, -1e308), (1, 2, -1e308), (2, 3, 1e308)])
    with raises_sentence(OverflowError, "length of a path"):
        wg.k_shortest_paths(graph, 0, 3, 1)


def test_lengths_beyond_an_integer_type():
    big = 2**30
    graph = graphs.csr(4, [(0, 1, big), (1, 3, 1), (0, 2, big), (2, 3, big)], np.int32)
    lengths, _ = wg.k_shortest_paths(graph, 0, 3, 1, dtype="int32")
    assert lengths.tolist() == [big + 1]
    with raises_sentence(OverflowError, "only 1 of 2 paths", "wider dtype"):
        wg.k_shortest_paths(graph, 0, 3, 2, dtype="int32")
    assert wg.k_shortest_paths(graph, 0, 3, 2)[0].tolist() == [big + 1, 2 * big]


def test_memory_limit():
    graph = wg.generators.grid(30, 30, seed=0)
    with raises_sentence(MemoryError, "memory_limit", "fewer paths"):
        wg.k_shortest_paths(graph, 0, 899, 10_000, memory_limit=400_000)


def test_progress():
    calls = []
    wg.k_shortest_paths(
        graphs.SAMPLES["grid"], 0, 63, 20, progress=lambda done, total: calls.append((done, total))
    )
    assert calls[-1] == (20, 20)


@pytest.mark.parametrize(("ends", "n_paths"), [((0, 3), 2), ((3, 0), 0), ((0, 0), 1)])
@pytest.mark.parametrize("k", [1, 2, 10])
def test_progress_ends_at_the_total_if_there_are_fewer_paths(ends, n_paths, k):
    graph, calls = graphs.csr(4, [(0, 1, 1), (1, 3, 1), (0, 2, 1), (2, 3, 1)]), []
    lengths, _ = wg.k_shortest_paths(graph, *ends, k, progress=lambda *step: calls.append(step))
    assert len(lengths) == min(n_paths, k)
    assert calls == sorted(set(calls))
    assert calls[-1] == (k, k)


def test_progress_does_not_go_back_after_an_overflow():
    """The search is repeated in int64."""
    big = 2**30
    arcs = [(0, 3, 1), (0, 1, 1), (1, 3, 1), (0, 2, big), (2, 3, big)]
    graph, calls = graphs.csr(4, arcs, np.int32), []
    with pytest.raises(OverflowError, match="only 2 of 3 paths"):
        wg.k_shortest_paths(
            graph, 0, 3, 3, dtype="int32", progress=lambda done, _: calls.append(done)
        )
    assert calls == sorted(set(calls))


@pytest.mark.parametrize("seed", [*range(20), 1721])
def test_rounded_sums(seed):
    # Sums from the source on and from the target on are rounded to different values.
    rng = np.random.default_rng([5, seed])
    tail, head = rng.integers(5, size=(2, 15))
    weight = rng.choice([0, 1e-45, 1e-45, 0.125, 0.25, 0.375, 1.5, 1e9], 15)
    graph = wg.Graph.from_edges(tail, head, weight, n_vertices=5)
    lengths, paths = wg.k_shortest_paths(graph, 0, 1, 20, directed=False)
    matrix = sp.csr_array((graph.data, graph.indices, graph.indptr), shape=(5, 5))
    arcs = lightest_arcs(matrix, directed=False)
    every = {tuple(path): length for length, _, path in simple_paths(arcs, 0, 1)}
    assert len({tuple(path) for path in paths}) == len(paths) == min(20, len(every))
    np.testing.assert_allclose(lengths, [every[tuple(path)] for path in paths], rtol=1e-15)
    np.testing.assert_allclose(lengths, sorted(every.values())[:20], rtol=1e-15)


def test_an_overflow_in_the_progress_callable_reaches_the_caller():
    """Although the search goes on in int64 after an overflow of its own."""
    graph = graphs.csr(4, [(0, 1, 1), (1, 3, 1), (0, 2, 1), (2, 3, 1)], np.int32)
    error, calls = OverflowError("of the caller"), []

    def report(done, total):
        calls.append(done)
        if len(calls) == 1:
            raise error

    with pytest.raises(OverflowError) as caught:
        wg.k_shortest_paths(graph, 0, 3, 2, dtype="int32", progress=report)
    assert caught.value is error
    assert len(calls) == 1
