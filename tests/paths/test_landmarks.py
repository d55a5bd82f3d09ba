"""method="alt" of wg.shortest_path: the result of a search without landmarks, bit for bit."""

import logging

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import checks
import graphs
import oracles
import warpgraph as wg
from graphs import csr, graphs_with_source
from sssp_support import DTYPES, SQUARE, assert_same, canonical_tree
from test_shortest_path import path_in
from warpgraph import _core


def by_landmarks(graph, *ends, **how):
    return wg.shortest_path(graph, *ends, method="alt", **how)


def outcome(graph, *ends, **how):
    """Return the length and the path, or the type of the error."""
    try:
        length, path = wg.shortest_path(graph, *ends, **how)
    except (ValueError, OverflowError) as error:
        return type(error)
    return type(length), length, path.tolist()


def drawn_landmarks(n):
    """Return a strategy: no argument, a number, or vertices, some of them twice."""
    some = st.lists(st.integers(0, n - 1), min_size=1, max_size=6)
    return st.none() | st.integers(1, 40) | some


@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties"])
@given(data=st.data(), directed=st.booleans(), unweighted=st.booleans())
@settings(max_examples=150)
def test_the_result_is_that_of_dijkstra(weights, data, directed, unweighted):
    graph, source = data.draw(graphs_with_source(weights=weights))
    n = graph.shape[0]
    kept, landmarks = wg.Graph(graph), data.draw(drawn_landmarks(n))
    kind = data.draw(st.sampled_from(DTYPES))
    how = {"directed": directed, "unweighted": unweighted, "dtype": kind}
    for target in sorted({0, n // 2, n - 1}):
        expected = outcome(kept, source, target, method="dijkstra", **how)
        for given_graph in (kept, kept, graph):
            found = outcome(given_graph, source, target, method="alt", landmarks=landmarks, **how)
            assert found == expected


@given(drawn=graphs_with_source(weights="ties", max_vertices=25), data=st.data())
@settings(max_examples=100)
def test_the_result_is_that_of_the_oracle(drawn, data):
    """Most edges add nothing; the others add fractions that round."""
    graph, source = drawn
    kind = np.dtype(data.draw(st.sampled_from(["float32", "float64"])))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    graph.data = (rng.integers(-3, 4, graph.nnz).clip(0) / 10).astype(kind)
    distances = oracles.distances(graph, source, dtype=kind)
    tree = canonical_tree(graph, source, distances, True)
    landmarks = data.draw(drawn_landmarks(graph.shape[0]))
    for target in range(graph.shape[0]):
        length, path = by_landmarks(graph, source, target, landmarks=landmarks)
        assert_same(np.array(length, kind), distances[target])
        assert path.tolist() == path_in(tree, source, target)


EXTREMES = {
    "float32": [0.0, 1e-45, 1e-38, 1e-7, 1.0, 16777217.0, 3e38, np.inf],
    "float64": [0.0, 5e-324, 2e-308, 1e-16, 1.0, 2.0**53 + 2, 1e308, 1.7e308, np.inf],
    "int32": [0, 1, 2**30, 2**31 - 2],
    "int64": [0, 1, 2**53 + 1, 2**60 + 1, 2**62 + 1, 2**63 - 2],
}


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data(), directed=st.booleans())
@settings(max_examples=150)
def test_weights_whose_sums_round_or_overflow(dtype, data, directed):
    """Distances of landmarks are in float64: those that are too large bound nothing."""
    n = data.draw(st.integers(1, 7))
    vertex, weight = st.integers(0, n - 1), st.sampled_from(EXTREMES[dtype])
    edges = data.draw(st.lists(st.tuples(vertex, vertex, weight), max_size=4 * n))
    graph, landmarks = wg.Graph(csr(n, edges, np.dtype(dtype))), data.draw(drawn_landmarks(n))
    kinds = [dtype, "float64"] if dtype != "float32" else ["float32", "float64"]
    for kind in kinds:
        for source in range(n):
            how = {"directed": directed, "dtype": kind}
            expected = outcome(graph, source, n - 1, method="bidirectional", **how)
            found = outcome(graph, source, n - 1, method="alt", landmarks=landmarks, **how)
            assert found == expected


@pytest.mark.parametrize("unweighted", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_on_roads(dtype, unweighted):
    roads = wg.datasets.load("model-roads")
    how = {"dtype": dtype, "unweighted": unweighted}
    for source, target in np.random.default_rng(1).integers(roads.n_vertices, size=(12, 2)):
        expected = wg.shortest_path(roads, source, target, method="bidirectional", **how)
        length, path = by_landmarks(roads, source, target, **how)
        assert length == expected[0]
        assert path.tolist() == expected[1].tolist()


@pytest.mark.parametrize("directed", [False, True])
def test_lengths_of_scipy_and_networkx(directed):
    graph = wg.generators.rmat(9, 3, seed=4, weights=(1, 1000), directed=True)
    matrix = graph.to_csr()
    distances = csgraph.dijkstra(matrix, directed, indices=range(0, 60, 10))
    theirs = nx.from_scipy_sparse_array(matrix, create_using=nx.DiGraph)
    for row, source in enumerate(range(0, 60, 10)):
        lengths = nx.single_source_dijkstra_path_length(theirs, source)
        for target in range(0, matrix.shape[0], 17):
            length, path = by_landmarks(graph, source, target, directed=directed)
            assert length == distances[row, target]
            if directed:
                assert length == lengths.get(target, np.inf)
                assert len(path) == 0 or nx.path_weight(theirs, path.tolist(), "weight") == length


def chosen(matrix, n, directed):
    """Choose landmarks by the distances of SciPy, one by one."""
    there = csgraph.dijkstra(matrix)
    start = int(np.argmax(np.diff(matrix.indptr)))
    near = there[start]
    landmarks = []
    while len(landmarks) < n:
        near = np.where(np.isfinite(near), near, -1.0)
        if landmarks and near.max() <= 0:
            break
        landmarks.append(int(near.argmax()))
        both = [there[landmarks], there[:, landmarks].T] if directed else [there[landmarks]]
        near = np.min(np.concatenate(both), axis=0)
    return landmarks, there


CHOICES = {
    "grid": lambda: wg.generators.grid(9, 11, seed=2, weights=(1, 9)),
    "one way": lambda: wg.generators.rmat(7, 3, seed=2, weights=(0, 9), directed=True),
    "islands": lambda: wg.generators.rmat(7, 1, seed=1, weights=(0, 2)),
    "a dead end": lambda: wg.Graph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], [1, 2, 1, 1, 9]),
    "no edges": lambda: wg.Graph.from_edges([], [], n_vertices=3),
    "only zeros": lambda: wg.Graph.from_edges([0, 1, 1, 2], [1, 0, 2, 1], [0, 0, 0, 0]),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 5, 1000])
@pytest.mark.parametrize("name", CHOICES)
def test_the_choice_of_landmarks_and_their_distances(name, n, dtype):
    graph = wg.Graph(CHOICES[name]().to_csr())
    back = graph._transposed()
    dtype = np.dtype(dtype)
    handle, entering = graph._handle_for(dtype), back._handle_for(dtype)
    nothing = np.empty(0, np.int32)
    found = _core.landmarks(handle, entering, dtype, False, nothing, n_chosen=n)
    expected, distances = chosen(graph.to_csr(), n, back is not graph)
    assert found[0].tolist() == expected
    assert_same(found[1].reshape(graph.n_vertices, -1), distances[expected].T)
    if back is graph:
        assert len(found[2]) == 0
    else:
        assert_same(found[2].reshape(graph.n_vertices, -1), distances[:, expected])


def test_a_graph_keeps_them(caplog):
    caplog.set_level(logging.INFO, "warpgraph")
    graph = wg.Graph(wg.generators.grid(30, 30, seed=0, weights=(1, 9)).to_csr().astype(float))
    n_bytes = graph.nbytes
    for _ in range(2):
        by_landmarks(graph, 0, 5)
    assert caplog.text.count("found the distances of 16 landmarks") == 1
    assert caplog.text.count("s for the distances of 16 landmarks, which a wg.Graph keeps") == 1
    assert graph.nbytes == n_bytes + 16 * (8 * 900 + 4)
    by_landmarks(graph, 0, 5, dtype="int64")  # the same weights in float64
    assert caplog.text.count("found the distances") == 1
    by_landmarks(graph, 0, 5, dtype="float32")  # these may be others
    by_landmarks(graph, 0, 5, unweighted=True)
    by_landmarks(graph, 0, 5, landmarks=3)
    by_landmarks(graph, 0, 5, landmarks=[3, 7])
    assert caplog.text.count("found the distances") == 5
    by_landmarks(graph, 0, 5, landmarks=(7, 3, 7))  # the same again
    assert caplog.text.count("found the distances") == 5
    graph.clear()
    assert graph.nbytes < n_bytes + 16 * 8 * 900
    by_landmarks(graph, 0, 5)
    assert caplog.text.count("found the distances") == 6


def test_other_weights_have_others():
    graph = wg.Graph(wg.generators.grid(12, 12, seed=0))
    by_landmarks(graph, 0, 143)
    changed = graph.with_weights(np.random.default_rng(0).random(graph.n_edges))
    expected = wg.shortest_path(changed, 0, 143, method="dijkstra")
    assert by_landmarks(changed, 0, 143)[0] == expected[0]


def test_explain_tells_of_the_first_call():
    graph = wg.Graph(wg.generators.grid(30, 30, seed=0))
    how = {"method": "alt", "device": "cpu"}
    before = wg.explain(wg.shortest_path, graph, 0, 5, **how)
    assert before.method == "alt"
    assert any("for the distances of 16 landmarks" in reason for reason in before.reasons)
    few = wg.explain(wg.shortest_path, graph, 0, 5, **how, landmarks=[4, 9, 4])
    assert any("for the distances of 2 landmarks" in reason for reason in few.reasons)
    wg.shortest_path(graph, 0, 5, **how)
    after = wg.explain(wg.shortest_path, graph, 0, 5, **how)
    assert not any("landmarks" in reason for reason in after.reasons)
    assert few.seconds < before.seconds
    assert after.seconds < before.seconds
    assert 0 < after.bytes < before.bytes
    many = wg.explain(wg.shortest_path, graph, 0, 5, **how, landmarks=200)
    assert many.bytes > 8 * 200 * graph.n_vertices


@pytest.mark.parametrize("landmarks", [None, 5, [3, 40, 77]])
@pytest.mark.parametrize("how", [{}, {"directed": False}, {"unweighted": True}])
def test_auto_takes_those_that_are_kept(how, landmarks):
    graph = wg.Graph(wg.generators.grid(12, 15, seed=1, weights=(1, 50)))

    def chosen(**other):
        return wg.explain(wg.shortest_path, graph, 0, 100, device="cpu", **{**how, **other}).method

    assert chosen() == "bidirectional"
    expected = by_landmarks(graph, 0, 100, landmarks=landmarks, **how)
    assert chosen() == "alt"
    assert chosen(unweighted=not how.get("unweighted", False)) == "bidirectional"
    found = wg.shortest_path(graph, 0, 100, device="cpu", **how)
    assert found[0] == expected[0]
    assert (found[1] == expected[1]).all()


@pytest.mark.parametrize("directed", [False, True])
def test_limits_of_memory(directed):
    graph = wg.Graph(wg.generators.grid(60, 60, seed=0))
    if directed:
        tails, heads, weights = graph.to_edges()[:3]
        graph = wg.Graph.from_edges(tails, heads, weights + tails % 2)
    graph._transposed()
    kept = 16 * 8 * graph.n_vertices * (1 + directed)
    with checks.raises_sentence(MemoryError, "landmarks", f"{kept} bytes", "fewer landmarks"):
        by_landmarks(graph, 0, 5, memory_limit=kept)
    before = graph.nbytes
    by_landmarks(graph, 0, 5, memory_limit=kept + 200 * graph.n_vertices)
    assert graph.nbytes > before + kept
    by_landmarks(graph, 0, 5, memory_limit=200 * graph.n_vertices)
    with checks.raises_sentence(MemoryError, "towards the target", "1000 bytes"):
        by_landmarks(graph, 0, 5, memory_limit=1000)
    with checks.raises_sentence(MemoryError, "landmarks", "fewer landmarks"):
        by_landmarks(graph, 0, 5, memory_limit="1MB", landmarks=10**12)


def test_names():
    streets = wg.Graph.from_edges(["a", "b", "a"], ["b", "c", "c"], [1.0, 1.0, 5.0])
    for landmarks in (None, 2, ["c"], ["a", "b", "b"]):
        length, path = by_landmarks(streets, "a", "c", landmarks=landmarks)
        assert (length, path.tolist()) == (2.0, ["a", "b", "c"])
    with checks.raises_sentence(ValueError, "landmarks", "x"):
        by_landmarks(streets, "a", "c", landmarks=["x"])


def test_numbers_that_are_names():
    streets = wg.Graph(nx.DiGraph([(10, 20), (20, 30)]))
    assert by_landmarks(streets, 10, 30, landmarks=[30])[1].tolist() == [10, 20, 30]
    assert by_landmarks(streets, 10, 30, landmarks=2)[1].tolist() == [10, 20, 30]
    with checks.raises_sentence(ValueError, "landmarks", "2"):
        by_landmarks(streets, 10, 30, landmarks=[2])


def test_turns():
    streets = wg.Graph.from_edges(["a", "b", "a"], ["b", "c", "c"], [1.0, 1.0, 5.0])
    turned = streets.with_turns([0], [2])
    for landmarks in (None, 2, ["c"], ["a", "b"]):
        length, path = by_landmarks(turned, "a", "c", landmarks=landmarks)
        assert (length, path.tolist()) == (5.0, ["a", "c"])
    with checks.raises_sentence(ValueError, "landmarks", "x"):
        by_landmarks(turned, "a", "c", landmarks=["x"])


def test_landmarks_that_bound_nothing():
    """On another island, without arcs, or the ends themselves."""
    edges = graphs.both_ways([(0, 1, 2.0), (1, 2, 3.0), (3, 4, 1.0)])
    graph = csr(6, edges)
    for landmarks in ([5], [3], [3, 4, 5], [0], [2], [0, 1, 2, 3, 4, 5]):
        assert by_landmarks(graph, 0, 2, landmarks=landmarks)[1].tolist() == [0, 1, 2]
        assert by_landmarks(graph, 0, 4, landmarks=landmarks)[0] == np.inf
        assert by_landmarks(graph, 5, 5, landmarks=landmarks)[1].tolist() == [5]


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"landmarks": 0}, ValueError, ("landmarks", "at least 1", 0)),
        ({"landmarks": -3}, ValueError, ("landmarks", "at least 1", -3)),
        ({"landmarks": True}, TypeError, ("landmarks", "integer", True)),
        ({"landmarks": 2.5}, TypeError, ("landmarks", "integer", 2.5)),
        ({"landmarks": []}, ValueError, ("landmarks", "at least one vertex", "[]")),
        ({"landmarks": [4]}, ValueError, ("landmarks[0]", 4, "0..3")),
        ({"landmarks": "2"}, TypeError, ("landmarks", "integers", "U1")),
        ({"landmarks": [[1, 2]]}, ValueError, ("landmarks", "(1, 2)")),
        ({"landmarks": 4, "method": "auto"}, ValueError, ("landmarks", "'alt'", 4, "'auto'")),
        ({"landmarks": [1], "method": "astar"}, ValueError, ("landmarks", "[1]", "'astar'")),
        ({"source": 4}, ValueError, ("source", 4, "0..3")),
        ({"memory_limit": 10}, MemoryError, ("10 bytes",)),
        ({"device": ["cpu"] * 2}, wg.DeviceError, ("'alt'", "one core", "cpu, cpu")),
    ],
)
def test_wrong_arguments(options, error, parts):
    with checks.raises_sentence(error, *parts):
        wg.shortest_path(csr(4, SQUARE), **{"source": 0, "target": 2, "method": "alt", **options})


def test_pairs_have_no_landmarks():
    with checks.raises_sentence(ValueError, "method", "alt", "bidirectional"):
        wg.shortest_paths(csr(4, SQUARE), [0], [2], method="alt")


@pytest.mark.parametrize("number", [2**63, 10**30, np.array(2), np.uint64(2**63)])
def test_more_landmarks_than_vertices_are_all_of_them(number):
    graph = wg.Graph(graphs.SAMPLES["grid"])
    expected = wg.shortest_path(graph, 0, 5)
    length, path = wg.shortest_path(graph, 0, 5, method="alt", landmarks=number)
    assert length == expected[0]
    np.testing.assert_array_equal(path, expected[1])
