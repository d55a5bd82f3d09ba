"""wg.within: the vertices within a limit of many sources, with their distances."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import checks
import graphs
import oracles
import warpgraph as wg
from device_lists import MIXED, over
from warpgraph import _core

STRATEGIES = ["non_negative", "integer", "ties", "extremes"]


def expected(graph, sources, limit, *, directed=True, dtype=None, device=None):
    """Return (indptr, indices, data): the finite distances of the simple oracle."""
    kind = np.dtype(dtype or (np.float32 if graph.dtype == np.float32 else np.float64))
    rows = [
        oracles.distances(graph, s, dtype=kind, directed=directed, limit=limit) for s in sources
    ]
    near = [np.flatnonzero(row != oracles.unreachable(kind)) for row in rows]
    return (
        np.cumsum([0, *map(len, near)]),
        np.concatenate([np.empty(0, int), *near]),
        np.concatenate([np.empty(0, kind), *(r[v] for r, v in zip(rows, near, strict=True))]),
    )


def assert_right(graph, sources, limit, **options):
    found = wg.within(graph, sources, limit, **options)
    indptr, indices, data = expected(graph, sources, limit, **options)
    assert found.shape == (len(sources), graph.shape[0])
    assert found.indptr.tolist() == indptr.tolist()
    assert found.indices.tolist() == indices.tolist()
    assert found.data.dtype == data.dtype
    assert found.data.tobytes() == data.tobytes()
    assert found.indptr.dtype == found.indices.dtype == np.int32
    assert found.has_sorted_indices
    assert found.has_canonical_format


def some_vertices(n):
    return [v for v in (n // 2, 0, n - 1, n // 2, n // 3) if 0 <= v < n]


def is_tame(graph):
    return not graphs.has_negative(graph) and abs(graph.data).max(initial=0) < 1e6


@graphs.over_samples(only=is_tame)
@pytest.mark.parametrize("limit", [0, 1, 3.5, 7, np.inf])
def test_samples(graph, limit, device):
    for directed in (True, False):
        how = {"directed": directed, "device": device}
        assert_right(graph, some_vertices(graph.shape[0]), limit, **how)
    assert_right(graph, [], limit, device=device)


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_dtypes(dtype, device):
    graph = graphs.SAMPLES["medium_power_law"]
    assert_right(graph, range(0, 1500, 100), 4, dtype=dtype, device=device)


@over(MIXED)
def test_several_devices_share_the_sources(device):
    graph = graphs.SAMPLES["medium_directed"]
    assert_right(graph, range(0, graph.shape[0], 3), 4, device=device)
    assert_right(graph, [], 4, device=device)


@pytest.mark.parametrize("weights", STRATEGIES)
def test_drawn_graphs(weights, device):
    @settings(max_examples=40)
    @given(graphs.csr_graphs(weights=weights, dtypes=[np.float32, np.float64]), st.data())
    def agrees(graph, data):
        if graphs.has_negative(graph):
            graph.data = np.abs(graph.data)
        n = graph.shape[0]
        sources = data.draw(st.lists(st.integers(0, n - 1), max_size=8)) if n else []
        limit = data.draw(st.just(np.inf) | st.floats(0, 50))
        with np.errstate(over="ignore"):
            how = {"directed": data.draw(st.booleans()), "device": device}
            assert_right(graph, sources, limit, **how)

    agrees()


def test_rows_are_those_of_sssp(device):
    graph = wg.Graph(wg.generators.grid(60, 70, seed=3, weights="uniform"))
    sources = np.arange(0, graph.n_vertices, 41)
    found = wg.within(graph, sources, 2, device=device)
    dense = wg.many_to_many(graph, sources, limit=2)
    assert found.nnz == np.isfinite(dense).sum() < dense.size / 8
    rows = np.repeat(np.arange(len(sources)), np.diff(found.indptr))
    assert dense[rows, found.indices].tobytes() == found.data.tobytes()
    everything = wg.within(graph, sources, np.inf, device=device)
    assert everything.toarray().tobytes() == wg.many_to_many(graph, sources).tobytes()


def test_the_reference_agrees():
    graph = wg.Graph(graphs.SAMPLES["medium_directed"])
    sources = np.arange(0, 1200, 7, dtype=np.int32)
    found = wg.within(graph, sources, 9)
    plain = _core.within_reference(graph._handle, sources, 9.0, np.dtype(np.float64), False)
    for left, right in zip((found.indptr, found.indices, found.data), plain, strict=True):
        assert left.tolist() == right.tolist()


def test_networkx_agrees():
    graph = nx.gnp_random_graph(80, 0.06, seed=4, directed=True)
    rng = np.random.default_rng(4)
    for _, _, attributes in graph.edges(data=True):
        attributes["weight"] = float(rng.integers(0, 9))
    found = wg.within(graph, list(graph), 7)
    for i, source in enumerate(graph):
        wanted = nx.single_source_dijkstra_path_length(graph, source, cutoff=7)
        row = found[[i]]
        assert dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) == wanted


def test_zero_distances_are_entries():
    zeros = graphs.csr(4, graphs.both_ways([(0, 1, 0.0), (1, 2, 0.0), (2, 3, 1.0)]))
    found = wg.within(zeros, [0, 3], 0)
    assert found.nnz == 4
    assert found.indices.tolist() == [0, 1, 2, 3]
    assert found.data.tolist() == [0, 0, 0, 0]


def test_every_vertex_is_a_source_by_default():
    graph = graphs.SAMPLES["grid"]
    found, wanted = wg.within(graph, None, 4), wg.within(graph, range(64), 4)
    assert found.shape == (64, 64)
    assert (found != wanted).nnz == 0


def test_names():
    roads = nx.Graph([("a", "b", {"weight": 2}), ("b", "c", {"weight": 3})])
    found = wg.within(roads, ["c", "a"], 3)
    assert found.indices.tolist() == [1, 2, 0, 1]  # the order of the nodes: a, b, c
    with checks.raises_sentence(ValueError, "sources[0]", "'z'", "no vertex has that name"):
        wg.within(roads, ["z"], 3)


def test_options_of_edges():
    graph = graphs.csr(3, [(0, 1, 5.0), (1, 2, 9.0)])
    assert wg.within(graph, [2], 9).indices.tolist() == [2]
    assert wg.within(graph, [2], 9, directed=False).indices.tolist() == [1, 2]
    assert wg.within(graph, [0], 1, unweighted=True).indices.tolist() == [0, 1]


def test_progress_counts_sources():
    seen = []
    graph = wg.generators.grid(40, 40, seed=1)
    wg.within(graph, None, 5, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (1600, 1600)


BAD = [
    ({"limit": -1}, ValueError, ["limit must be at least 0, got -1"]),
    ({"limit": np.nan}, ValueError, ["limit must be at least 0, got nan"]),
    ({"limit": "far"}, TypeError, ["limit must be a number", "'far'"]),
    ({"sources": [3]}, ValueError, ["sources[0] is 3", "0..2"]),
    ({"sources": "ab"}, TypeError, ["sources must be integers"]),
    ({"sources": {0}}, TypeError, ["sources must be an array or a sequence"]),
    ({"dtype": "int8"}, TypeError, ["dtype", "int8"]),
]


@pytest.mark.parametrize(("bad", "error", "parts"), BAD)
def test_bad_input(bad, error, parts):
    arguments = {"sources": [0], "limit": 1, **bad}
    with checks.raises_sentence(error, *parts):
        wg.within(graphs.SAMPLES["parallel_edges"], **arguments)


def test_negative_weights_are_refused():
    graph = graphs.SAMPLES["negative_weights"]
    with checks.raises_sentence(ValueError, "-1.0", "entry (1, 3)", "within does not allow"):
        wg.within(graph, [0], 3)
    assert wg.within(graph, [0], 1, unweighted=True).nnz == 4


def test_overflow():
    big = graphs.csr(3, [(0, 1, 2**31 - 2), (1, 2, 2**31 - 2)], np.int32)
    with checks.raises_sentence(OverflowError, "entry (1, 2)", "wider dtype"):
        wg.within(big, [0], np.inf, dtype="int32")
    assert wg.within(big, [0], 2**31 - 2, dtype="int32").indices.tolist() == [0, 1]
    assert wg.within(big, [0], np.inf, dtype="int64").data.tolist() == [0, 2**31 - 2, 2**32 - 4]


def test_auto_takes_the_cores():
    plan = wg.explain(wg.within, graphs.SAMPLES["grid"], [0, 1], 3)
    assert plan.devices == ["cpu"]
    assert "device='auto' takes the cores, since GPUs were not measured" in str(plan)


@pytest.mark.cuda
def test_parts_of_the_sources_where_memory_is_short():
    """Rows of all vertices: a few at a time."""
    graph = wg.generators.grid(60, 50, seed=1, weights=(1, 9))
    progress = []
    how = {"device": "cuda", "progress": lambda *done: progress.append(done)}
    found = wg.within(graph, None, 20, memory_limit="8 MB", **how)
    assert found.toarray().tobytes() == wg.within(graph, None, 20).toarray().tobytes()
    assert progress == sorted(progress)
    assert progress[-1] == (3000, 3000)
    with checks.raises_sentence(MemoryError, "the row of a source needs", "on cuda:0"):
        wg.within(graph, None, 20, memory_limit=30_000, device="cuda")


def test_memory_limit_names_what_was_found(threads):
    graph = wg.generators.grid(50, 50, seed=1)
    needs = wg.within(graph, None, 20_000).nnz * 12
    with pytest.raises(MemoryError) as caught:
        wg.within(graph, None, 20_000, memory_limit=needs)
    sentence = str(caught.value)
    assert "distances found so far, from " in sentence
    assert "of 2500 sources, needs " in sentence
    assert "lower the limit, or give fewer sources at a time" in sentence
    assert wg.within(graph, None, 20_000, memory_limit=4 * needs + 2_000_000).nnz * 12 == needs
    with checks.raises_sentence(MemoryError, "searching from a source needs"):
        wg.within(graph, None, 20_000, memory_limit=1000)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.9])
def test_rows_of_every_density(share, device):
    """Short rows are sorted, long ones are passed over as a whole."""
    graph = wg.generators.grid(50, 50, seed=2)
    far = np.sort(wg.sssp(graph, 1225))[int(share * 2499)]
    assert_right(graph.to_csr(), [1225, 0, 1225, 2499], far, device=device)
