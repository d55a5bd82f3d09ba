"""wg.shortest_paths: for each pair, the path that wg.shortest_path has."""

import itertools

import networkx as nx
import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import oracles
import warpgraph as wg
from checks import raises_sentence
from graphs import SAMPLES, csr, graphs_with_source, has_negative, over_samples
from sssp_support import DTYPES, assert_same, canonical_tree

METHODS = ["auto", "bidirectional", "hierarchy"]


def path_in(tree, source, target):
    """Follow predecessors one by one."""
    path = [target]
    while path[-1] != source:
        if tree[path[-1]] < 0:
            return []
        path.append(int(tree[path[-1]]))
    return path[::-1]


def assert_right(graph, pairs, methods=METHODS, *, directed=True, **options):
    """Compare lengths and paths with the distances and the trees of the simple oracle."""
    kind = np.dtype(options.get("dtype", np.float32 if graph.dtype == np.float32 else float))
    lengths, paths = [], []
    for source, target in pairs:
        wanted = oracles.distances(graph, source, dtype=kind, directed=directed)
        if wanted is None:
            return
        lengths.append(wanted[target])
        paths.append(path_in(canonical_tree(graph, source, wanted, directed), source, target))
    ends = np.array(pairs, int).reshape(-1, 2).T
    for given_graph, method in itertools.product((graph, wg.Graph(graph)), methods):
        how = {"method": method, "directed": directed, **options}
        found, indptr, vertices = wg.shortest_paths(given_graph, *ends, **how)
        assert (found.dtype, indptr.dtype, vertices.dtype) == (kind, np.int64, np.int32)
        assert_same(found, np.array(lengths, kind))
        assert [p.tolist() for p in np.split(vertices, indptr[1:-1])] == (paths or [[]])
        alone = wg.shortest_paths(given_graph, *ends, return_paths=False, **how)
        assert_same(alone, found)


@over_samples(
    negative=False,
    only=lambda g: 0 < g.shape[0] < 500 and g is not SAMPLES["huge_integers"],
)
def test_samples(graph, threads):
    n = graph.shape[0]
    pairs = [(0, n - 1), (n // 2, 0), (0, 0), (n - 1, n // 3), (0, n - 1), (n // 2, n - 1)]
    assert_right(graph, pairs)
    assert_right(graph, pairs, directed=False)


@settings(max_examples=60)
@given(drawn=graphs_with_source(), data=st.data())
def test_drawn_graphs(drawn, data):
    graph, _ = drawn
    if has_negative(graph):
        return
    vertices = st.integers(0, graph.shape[0] - 1)
    pairs = data.draw(st.lists(st.tuples(vertices, vertices), max_size=9))
    how = {"directed": data.draw(st.booleans())}
    if graph.nnz == 0 or np.abs(graph.data).max() < 2**20:
        how["dtype"] = data.draw(st.sampled_from(DTYPES if graph.dtype.kind == "i" else DTYPES[:2]))
        assert_right(graph, pairs, **how)
    else:  # integers whose sums might not fit a hierarchy
        assert_right(graph, pairs, ["auto", "bidirectional"], **how)


def test_many_pairs_of_a_town(threads):
    """More pairs than a thread takes at a time; their order is that of the arguments."""
    town = wg.generators.grid(60, 50, seed=1, weights=(1, 9))
    rng = np.random.default_rng(2)
    sources, targets = rng.integers(3000, size=(2, 1000))
    rows = wg.many_to_many(town, np.unique(sources))
    expected = rows[np.searchsorted(np.unique(sources), sources), targets]
    for method in METHODS:
        graph = wg.Graph(town)
        lengths, indptr, vertices = wg.shortest_paths(graph, sources, targets, method=method)
        np.testing.assert_array_equal(lengths, expected)
        assert (vertices[indptr[:-1]] == sources).all()
        assert (vertices[indptr[1:] - 1] == targets).all()
        for i in (0, 1, 500, 999):
            path = wg.shortest_path(graph, sources[i], targets[i])[1]
            np.testing.assert_array_equal(vertices[indptr[i] : indptr[i + 1]], path)


def test_paths_of_floats_that_round():
    """Sums of floats depend on their order: lengths are those of sssp, bit for bit."""
    town = wg.generators.grid(30, 30, seed=1).to_csr()
    town.data = np.random.default_rng(0).random(town.nnz)
    town = town.maximum(town.T).tocsr()
    sources, targets = np.random.default_rng(3).integers(900, size=(2, 200))
    expected = [wg.sssp(town, s)[t] for s, t in zip(sources, targets, strict=True)]
    for method in METHODS:
        found = wg.shortest_paths(town, sources, targets, method=method, return_paths=False)
        np.testing.assert_array_equal(found, expected)


def test_names():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 2), ("b", "c", 2), ("a", "c", 5), ("d", "a", 1)])
    lengths, indptr, vertices = wg.shortest_paths(graph, ["a", "a", "c"], ["c", "a", "d"])
    assert lengths.tolist() == [4, 0, np.inf]
    assert indptr.tolist() == [0, 3, 4, 4]
    assert vertices.tolist() == ["a", "b", "c", "a"]
    with raises_sentence(ValueError, "'x'"):
        wg.shortest_paths(graph, ["a"], ["x"])


def test_no_pairs():
    for graph in (csr(2, [(0, 1, 1.0)]), sp.csr_array((0, 0))):
        lengths, indptr, vertices = wg.shortest_paths(graph, [], [])
        assert (lengths.tolist(), indptr.tolist(), vertices.tolist()) == ([], [0], [])
        assert wg.shortest_paths(graph, [], [], return_paths=False).tolist() == []


def test_bad_input():
    graph = csr(3, [(0, 1, 1.0), (1, 2, 2.0)])
    with raises_sentence(ValueError, "the same length", "got 2 and 1"):
        wg.shortest_paths(graph, [0, 1], [2])
    with raises_sentence(ValueError, "targets[1]", "3"):
        wg.shortest_paths(graph, [0, 1], [2, 3])
    with raises_sentence(ValueError, "negative", "shortest_paths"):
        wg.shortest_paths(csr(2, [(0, 1, -1.0), (1, 0, 1.0)]), [0], [1])
    with raises_sentence(ValueError, "'auto', 'bidirectional', 'hierarchy'"):
        wg.shortest_paths(graph, [0], [1], method="dijkstra")


def test_lengths_that_do_not_fit():
    big = 2**31 - 9
    graph = csr(3, [(0, 1, big), (1, 2, big)], np.int32)
    for method in ("bidirectional", "auto"):
        with raises_sentence(OverflowError, "beyond the range", "wider dtype"):
            wg.shortest_paths(graph, [0, 1, 0], [1, 2, 2], dtype="int32", method=method)
    assert wg.shortest_paths(graph, [0], [2], dtype="int64")[0].tolist() == [2 * big]


def test_memory():
    graph = wg.Graph(wg.generators.grid(40, 40, seed=0))
    pairs = np.zeros(100, int), np.arange(100)
    expected = wg.shortest_paths(graph, *pairs)[0]
    with raises_sentence(MemoryError, "memory_limit"):
        wg.shortest_paths(graph, *pairs, memory_limit=2000)
    few = wg.shortest_paths(graph, *pairs, method="bidirectional", memory_limit=500_000)[0]
    np.testing.assert_array_equal(few, expected)


def test_the_plan():
    road = wg.Graph(wg.generators.grid(40, 40, seed=0))
    few, many = ([0] * n for n in (2, 100_000))
    assert wg.explain(wg.shortest_paths, road, few, few).method == "bidirectional"
    planned = wg.explain(wg.shortest_paths, road, many, many)
    assert planned.method == "hierarchy"
    assert "100000 pairs" in " ".join(planned.reasons)
    wg.shortest_paths(road, few, few, method="hierarchy")
    assert wg.explain(wg.shortest_paths, road, few, few).method == "hierarchy"


def test_progress(threads):
    graph, calls = wg.generators.grid(40, 40, seed=0), []
    pairs = np.arange(1600), np.arange(1600)[::-1]
    wg.shortest_paths(graph, *pairs, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (1600, 1600)
    assert all(total == 1600 for _, total in calls)
