"""wg.many_to_many without weights: it counts levels to choose a search, which changes no result."""

import logging

import numpy as np
import pytest

import warpgraph as wg
from graphs import csr
from sssp_support import assert_same

N = 1000


def random_graph():
    """Return a graph without hubs; the last ten vertices are isolated."""
    ends = np.random.default_rng(5).integers(0, N - 10, (4000, 2)).tolist()
    return csr(N, [(tail, head, 2.0) for tail, head in ends])


@pytest.fixture
def two_threads():
    """With more of them, the model takes a search on each to be faster."""
    wg.set_num_threads(2)
    yield
    wg.set_num_threads(0)


def chooses_breadth_first(graph, sources, caplog, directed=True):
    """Search, compare with searches one by one, and return what the log says."""
    caplog.set_level(logging.INFO, "warpgraph")
    caplog.clear()
    how = {"directed": directed, "device": "cpu"}
    found = wg.many_to_many(graph, sources, unweighted=True, **how)
    expected = np.array([wg.bfs(graph, source, **how) for source in sources], np.float64)
    expected[expected < 0] = np.inf
    assert_same(found, expected)
    return "chose breadth_first" in caplog.text


@pytest.mark.parametrize("directed", [True, False])
def test_where_there_are_few_levels(directed, caplog, two_threads):
    graph = random_graph()
    assert chooses_breadth_first(graph, range(32), caplog, directed)
    assert chooses_breadth_first(graph, range(0, N, 9), caplog, directed)
    assert chooses_breadth_first(wg.Graph(graph), [N - 1, *range(300)], caplog, directed)


def test_where_there_are_many_levels(caplog):
    graph = wg.generators.grid(40, 40)
    assert not chooses_breadth_first(graph, range(0, 1600, 50), caplog)
    # In a few levels, the model decides by the number of threads; the distances are the same.
    chooses_breadth_first(wg.generators.grid(15, 15), range(225), caplog)
    cliques = wg.generators.ssca2(9, seed=1)
    assert chooses_breadth_first(cliques, range(512), caplog)


def test_a_limit_of_memory_is_kept(caplog):
    """The search that counts levels takes less memory than the one that it decides for."""
    graph, sources = random_graph(), range(64)
    expected = wg.many_to_many(graph, sources, unweighted=True, device="cpu")
    how = {"unweighted": True, "out": np.empty((64, N)), "device": "cpu"}
    for limit in (1, 1000, 30_000):
        with pytest.raises(MemoryError, match="memory_limit"):
            wg.many_to_many(graph, sources, memory_limit=limit, **how)
    caplog.set_level(logging.INFO, "warpgraph")
    assert_same(wg.many_to_many(graph, sources, memory_limit=50_000, **how), expected)
    assert "chose breadth_first" in caplog.text
