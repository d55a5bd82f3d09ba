"""wg.reconstruct_path and wg.reconstruct_paths."""

import itertools

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csgraph

import checks
import warpgraph as wg
from graphs import SAMPLES


def test_reconstruct_path():
    tree = np.array([-1, 0, 1, 1, -1], np.int32)
    path = wg.reconstruct_path(tree, 0, 3)
    assert path.dtype == np.int32
    assert path.tolist() == [0, 1, 3]
    assert wg.reconstruct_path(tree, 0, 0).tolist() == [0]
    assert wg.reconstruct_path(tree, 1, 3).tolist() == [1, 3]
    assert wg.reconstruct_path(tree, 0, 4).size == 0
    assert wg.reconstruct_path(tree, 1, 4).size == 0


@pytest.mark.parametrize(
    ("tree", "source", "target", "parts"),
    [
        ([-1, 0, 1, 1, -1], 4, 3, ("source is vertex 4", "vertex 3", "vertex 0")),
        ([-1, 0, 1, 1, -1], 4, 0, ("source is vertex 4", "lead back to vertex 0, the target")),
        ([-1, 0, 1, 1, -1], 2, 3, ("source is vertex 2", "vertex 3", "vertex 0")),
        ([-1, 0, 1, 1, -1], 1, 0, ("source is vertex 1", "vertex 0")),
        ([-1, 0, 1, 1, -1, -1], 4, 5, ("source is vertex 4", "not reached")),
        ([-1, 0, -1, 2], 0, 3, ("source is vertex 0", "vertex 3", "vertex 2")),  # two sources
    ],
)
def test_predecessors_of_another_source(tree, source, target, parts):
    with checks.raises_sentence(ValueError, *parts):
        wg.reconstruct_path(tree, source, target)
    with checks.raises_sentence(ValueError, *parts):
        wg.reconstruct_paths(tree, source, [source, target])


def test_a_source_that_reaches_nothing():
    assert wg.reconstruct_path([-1, -1, -1], 1, 2).size == 0
    assert wg.reconstruct_path([-1, -1, -1], 1, 1).tolist() == [1]
    indptr, vertices = wg.reconstruct_paths([-1, -1, -1], 1, [0, 1, 2])
    assert (indptr.tolist(), vertices.tolist()) == ([0, 0, 1, 1], [1])


@pytest.mark.parametrize("source", range(5))
def test_every_source_but_the_right_one_is_refused_or_passed(source):
    """A path, an empty one, or an error, never a wrong path."""
    chain = np.array([-1, 0, 1, 2, -1])
    for target in range(5):
        below = source <= target < 4 or source == target
        unreached = target == 4 and source < 4
        if below:
            expected = list(range(source, target + 1)) if target < 4 else [4]
            assert wg.reconstruct_path(chain, source, target).tolist() == expected
        elif unreached:
            assert wg.reconstruct_path(chain, source, target).size == 0
        else:
            with checks.raises_sentence(ValueError, f"source is vertex {source}"):
                wg.reconstruct_path(chain, source, target)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_any_negative_predecessor_means_none(dtype):
    lowest = np.iinfo(dtype).min
    tree = np.array([lowest, 0, -5], dtype)
    assert wg.reconstruct_path(tree, 0, 1).tolist() == [0, 1]
    assert wg.reconstruct_path(tree, 0, 2).size == 0


def test_scipys_predecessors_will_do():
    graph = SAMPLES["medium_random"]
    distances, tree = csgraph.dijkstra(graph, indices=3, return_predecessors=True)
    path = wg.reconstruct_path(tree, 3, int(np.flatnonzero(np.isfinite(distances))[-1]))
    assert path[0] == 3


def test_reconstruct_paths(device):
    graph = SAMPLES["medium_power_law"]
    distances, tree = wg.sssp(graph, 5, return_predecessors=True, device=device)
    targets = np.random.default_rng(0).integers(0, 1500, 300)
    indptr, vertices = wg.reconstruct_paths(tree, 5, targets)
    assert indptr.dtype == np.int64
    assert vertices.dtype == np.int32
    lightest = graph.tocoo()
    weights = {}
    for u, v, w in zip(*lightest.coords, lightest.data, strict=True):
        weights[u, v] = min(w, weights.get((u, v), np.inf))
    for i, target in enumerate(targets):
        path = vertices[indptr[i] : indptr[i + 1]]
        assert path.tolist() == wg.reconstruct_path(tree, 5, target).tolist()
        if np.isinf(distances[target]):
            assert path.size == 0
        else:
            assert (path[0], path[-1]) == (5, target)
            steps = zip(path[:-1].tolist(), path[1:].tolist(), strict=True)
            assert sum(weights[step] for step in steps) == distances[target]
    none = wg.reconstruct_paths(tree, 5, [])
    assert (none[0].tolist(), none[1].tolist()) == ([0], [])


@pytest.mark.parametrize("threads", [1, 4])
def test_paths_that_share_vertices(threads):
    random = np.random.default_rng(2)
    n = 3000
    shallow = np.array([-1] + [random.integers(max(v - 4, 0), v) for v in range(1, n)], np.int32)
    forest = np.where(random.random(n) < 0.01, -1, shallow)  # the separated parts are not reached
    targets = random.integers(0, n, 2 * n)
    expected = []
    for v in targets.tolist():
        path = [v]
        while forest[path[-1]] >= 0:
            path.append(int(forest[path[-1]]))
        expected.append(path[::-1])
    reached = [path for path in expected if path[0] == 0]
    ends = np.array([path[-1] for path in reached])
    wg.set_num_threads(threads)
    try:
        indptr, vertices = wg.reconstruct_paths(forest, 0, ends)
    finally:
        wg.set_num_threads(0)
    found = [vertices[a:b].tolist() for a, b in itertools.pairwise(indptr)]
    assert found == reached


def test_rows_of_many_sources():
    graph = SAMPLES["medium_directed"]
    n, sources = graph.shape[0], [7, 3, 7, 50]
    distances, trees = wg.many_to_many(graph, sources, return_predecessors=True)
    for i, source in enumerate(sources):
        for target in (0, source, n - 1):
            path = wg.reconstruct_path(trees, source, target, sources=sources)
            assert path.tolist() == wg.reconstruct_path(trees[i], source, target).tolist()
            assert len(path) > 0 or distances[i, target] == np.inf
        found = wg.reconstruct_paths(trees, source, [0, 1], sources=sources)
        for part, wanted in zip(found, wg.reconstruct_paths(trees[i], source, [0, 1]), strict=True):
            assert part.tolist() == wanted.tolist()


def test_rows_of_all_vertices():
    """Also those of SciPy, whose null is -9999."""
    graph = SAMPLES["grid"]
    ours = wg.apsp(graph, return_predecessors=True)[1]
    theirs = csgraph.dijkstra(graph, return_predecessors=True)[1]
    distances = csgraph.dijkstra(graph)
    weights = graph.todok()
    for trees in (ours, theirs):
        path = wg.reconstruct_path(trees, 5, 60).tolist()
        assert (path[0], path[-1]) == (5, 60)
        assert sum(weights[step] for step in itertools.pairwise(path)) == distances[5, 60]


def test_rows_by_name():
    roads = nx.path_graph(["Rome", "Pisa", "Genoa"], create_using=nx.DiGraph)
    ends = ["Pisa", "Rome"]
    trees = wg.many_to_many(roads, ends, return_predecessors=True, weight=None)[1]
    how = {"sources": ends, "graph": roads}
    assert wg.reconstruct_path(trees, "Rome", "Genoa", **how).tolist() == ["Rome", "Pisa", "Genoa"]
    assert wg.reconstruct_path(trees, "Pisa", "Rome", **how).size == 0


@pytest.mark.parametrize(
    ("trees", "sources", "parts"),
    [
        ([[-1, 0]], None, ("(1, 2)", "sources=")),
        ([[-1, 0]], [1], ("source is vertex 0", "sources")),
        ([[-1, 0]], [0, 1], ("1 rows", "2 sources")),
        ([[-1, 0]], [7], ("sources[0] is 7",)),
        ([-1, 0], [0], ("sources", "(2,)")),
        ([[[-1, 0]]], None, ("predecessors", "(1, 1, 2)")),
        ([[-1, 5]], [0], ("predecessors[1] is 5", "2 vertices")),
    ],
)
def test_rows_that_do_not_fit(trees, sources, parts):
    for find, ends in ((wg.reconstruct_path, 1), (wg.reconstruct_paths, [1])):
        with checks.raises_sentence(ValueError, *parts):
            find(trees, 0, ends, sources=sources)


def test_more_paths_than_fit():
    """Following each path separately would take 5e11 steps."""
    n = 1_000_000
    chain = np.arange(-1, n - 1)
    with checks.raises_sentence(MemoryError, "the vertices of the paths", 2_000_002_000_000):
        wg.reconstruct_paths(chain, 0, np.arange(n))
    with checks.raises_sentence(ValueError, "another source", n - 1):
        wg.reconstruct_paths(chain, n - 1, np.arange(n - 1))


@pytest.mark.parametrize(
    ("tree", "source", "target", "error", "parts"),
    [
        ([1, 2, 1], 0, 2, ValueError, ("circle", 2)),
        ([-1, 1], 0, 1, ValueError, ("circle", 1)),
        ([-1, 7], 0, 1, ValueError, ("predecessors[1]", 7, "2 vertices")),
        ([-1, 0], 2, 1, ValueError, ("source", 2)),
        ([-1, 0], 0, 5, ValueError, ("target", 5)),
        ([-1.0, 0.0], 0, 1, TypeError, ("predecessors", "float64")),
        ([[-1, 0]], 0, 1, ValueError, ("predecessors", "(1, 2)")),
        ([], 0, 0, ValueError, ("target", 0, "no vertices")),
        ([-1, 0], "Rome", 1, TypeError, ("source", "'Rome'", "no names")),
        ([-1, 0], 0, "Rome", TypeError, ("target", "'Rome'", "no names")),
        ([-1, 0], -1, 1, ValueError, ("source is -1", "0..1")),
        (np.ma.array([-1, 0], mask=[0, 1]), 0, 1, ValueError, ("predecessors[1]", "masked")),
        ([True, False], 0, 1, TypeError, ("predecessors", "bool")),
    ],
)
def test_broken_predecessors(tree, source, target, error, parts):
    with checks.raises_sentence(error, *parts):
        wg.reconstruct_path(tree, source, target)
    with pytest.raises(error):
        wg.reconstruct_paths(tree, source, [target])
