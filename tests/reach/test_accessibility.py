"""wg.accessibility: numbers of vertices, and sums over them, within limits."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import checks
import graphs
import oracles
import warpgraph as wg
from device_lists import MIXED, over


def expected(graph, sources, limits, opportunities, *, directed=True, device=None):
    """Add up vertex by vertex, in their order."""
    kind = np.float32 if graph.dtype == np.float32 else np.float64
    sums = np.zeros((len(sources), len(limits)))
    for i, source in enumerate(sources):
        distance = oracles.distances(graph, source, dtype=kind, directed=directed)
        for j, limit in enumerate(limits):
            for v in np.flatnonzero((distance <= np.float64(limit)) & (distance < np.inf)):
                sums[i, j] += 1 if opportunities is None else opportunities[v]
    return sums


def assert_right(graph, sources, limits, opportunities=None, **options):
    how = {"opportunities": opportunities, **options}
    found = wg.accessibility(graph, sources, limits, **how)
    wanted = expected(graph, sources, limits, opportunities, **options)
    assert found.dtype == (np.int64 if opportunities is None else np.float64)
    assert found.shape == (len(sources), len(limits))
    assert found.tolist() == wanted.tolist()
    for j, limit in enumerate(limits):
        assert wg.accessibility(graph, sources, limit, **how).tolist() == wanted[:, j].tolist()


def is_tame(graph):
    return not graphs.has_negative(graph) and abs(graph.data).max(initial=0) < 1e6


@graphs.over_samples(only=is_tame)
def test_samples(graph, device):
    n = graph.shape[0]
    sources = [v for v in (n // 2, 0, n - 1, n // 2) if 0 <= v < n]
    shares = np.random.default_rng(0).random(n)
    for directed in (True, False):
        how = {"directed": directed, "device": device}
        assert_right(graph, sources, [3, 0, np.inf, 3, 6.5], **how)
        assert_right(graph, sources, [3, 0, np.inf, 3, 6.5], shares, **how)


@over(MIXED)
def test_several_devices_share_the_sources(device):
    graph = graphs.SAMPLES["medium_directed"]
    sources = range(0, graph.shape[0], 3)
    shares = np.random.default_rng(0).random(graph.shape[0])
    wanted = expected(graph, sources, [2, 5], shares)
    found = wg.accessibility(graph, sources, [2, 5], opportunities=shares, device=device)
    assert found.tolist() == wanted.tolist()


def test_drawn_graphs(device):
    @settings(max_examples=40)
    @given(graphs.csr_graphs(dtypes=[np.float32, np.float64]), st.data())
    def agrees(graph, data):
        n = graph.shape[0]
        sources = data.draw(st.lists(st.integers(0, n - 1), max_size=5)) if n else []
        limits = data.draw(st.lists(st.just(np.inf) | st.floats(0, 2000), max_size=3))
        numbers = st.lists(st.floats(-1e300, 1e300), min_size=n, max_size=n)
        summands = data.draw(st.none() | numbers)
        assert_right(graph, sources, limits, summands, device=device)

    agrees()


def test_sums_are_those_of_the_sparse_matrix(device):
    graph = wg.generators.grid(60, 70, seed=3, weights="uniform")
    jobs = np.random.default_rng(1).random(4200)
    near = wg.within(graph, None, 5)
    assert wg.accessibility(graph, None, 5, device=device).tolist() == np.diff(near.indptr).tolist()
    near.data[:] = 1
    sums = wg.accessibility(graph, None, 5, opportunities=jobs, device=device)
    assert sums.tobytes() == (near @ jobs).tobytes()


def test_names():
    roads = nx.Graph([("a", "b", {"weight": 2}), ("b", "c", {"weight": 3})])
    found = wg.accessibility(roads, ["c", "a"], [2, 5], opportunities=[1, 10, 100])
    assert found.tolist() == [[100, 111], [11, 111]]


def test_one_limit_in_an_array_is_a_list():
    graph = graphs.SAMPLES["grid"]
    assert wg.accessibility(graph, [0], np.array([2.0])).shape == (1, 1)
    assert wg.accessibility(graph, [0], np.float64(2)).shape == (1,)
    assert wg.accessibility(graph, [0], []).shape == (1, 0)
    assert wg.accessibility(graph, [], 3).shape == (0,)


BAD = [
    ({"limits": -1}, ValueError, ["limit must be at least 0, got -1"]),
    ({"limits": [1, np.nan]}, ValueError, ["limit must be at least 0, got nan"]),
    ({"limits": "near"}, TypeError, ["limits must be a sequence of numbers", "'near'"]),
    ({"limits": "600"}, TypeError, ["got the text '600'"]),
    ({"limits": [[1]]}, TypeError, ["limit must be a number"]),
    ({"sources": [3]}, ValueError, ["sources[0] is 3", "0..2"]),
    ({"opportunities": [1, 2]}, ValueError, ["3 vertices", "shape (2,)"]),
    ({"opportunities": [1, np.nan, 2]}, ValueError, ["opportunities[1] is nan", "finite"]),
    ({"opportunities": ["a"] * 3}, TypeError, ["opportunities must be numbers"]),
]


@pytest.mark.parametrize(("bad", "error", "parts"), BAD)
def test_bad_input(bad, error, parts):
    arguments = {"sources": [0], "limits": 1, **bad}
    with checks.raises_sentence(error, *parts):
        wg.accessibility(graphs.SAMPLES["parallel_edges"], **arguments)


def test_negative_weights_are_refused():
    with checks.raises_sentence(ValueError, "-1.0", "accessibility does not allow"):
        wg.accessibility(graphs.SAMPLES["negative_weights"], [0], 3)


def test_memory_limit():
    graph = wg.generators.grid(30, 30, seed=1)
    with checks.raises_sentence(MemoryError, "memory_limit"):
        wg.accessibility(graph, None, 5, memory_limit=1000)
    assert len(wg.accessibility(graph, None, 5, memory_limit="1 MiB")) == 900
