"""wg.shortest_path over hierarchies with small cores: what sssp and its trees say, bit for bit."""

import logging
import threading

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import checks
import graphs
import oracles
import warpgraph as wg
from fuzz.contraction import contracted
from sssp_support import DTYPES, assert_same, canonical_tree, weighted
from test_shortest_path import path_in
from warpgraph import _core


def assert_right(graph, kept, source, targets, *, directed=True, **options):
    """Compare with the distances and the tree of the simple oracle."""
    kind = np.dtype(options.get("dtype", np.float32 if graph.dtype == np.float32 else float))
    wanted = oracles.distances(graph, source, dtype=kind, directed=directed)
    tree = canonical_tree(graph, source, wanted, directed)
    for target in targets:
        length, vertices = wg.shortest_path(
            kept, source, target, method="hierarchy", directed=directed, **options
        )
        assert_same(np.array(length, kind), wanted[target])
        assert vertices.dtype == np.int32
        assert vertices.tolist() == path_in(tree, source, target)


def assert_as_bidirectional(graph, pairs, **options):
    for source, target in pairs:
        found, expected = (
            wg.shortest_path(graph, source, target, method=method, **options)
            for method in ("hierarchy", "bidirectional")
        )
        assert found[0] == expected[0]
        assert found[1].tolist() == expected[1].tolist()


def query(graph, source, target, dtype):
    """Ask the hierarchy alone: None if it proves nothing."""
    dtype = np.dtype(dtype)
    handle, entering = graph._handle_for(dtype), graph._transposed()._handle_for(dtype)
    kept = graph._known("hierarchy").handle
    return _core.path_in_hierarchy(kept, handle, entering, source, target, dtype, False)


def proven(graph, pairs, dtype):
    """Return how many queries have an answer."""
    return sum(query(graph, source, target, dtype) is not None for source, target in pairs)


def pairs_of(n, count, seed=1):
    return np.random.default_rng(seed).integers(0, n, (count, 2)).tolist()


samples = graphs.over_samples(
    negative=False, only=lambda g: g.shape[0] > 0 and g is not graphs.SAMPLES["huge_integers"]
)
small_samples = graphs.over_samples(negative=False, only=lambda g: 0 < g.shape[0] < 200)


@small_samples
@pytest.mark.parametrize("core", [1, 7])
@pytest.mark.parametrize("directed", [True, False])
def test_samples_with_any_core(graph, core, directed):
    n = graph.shape[0]
    kept = contracted(graph, core, directed, False)
    if kept._known("hierarchy") is None and (kept._undirected()._known("hierarchy")) is None:
        assert graph is graphs.SAMPLES["huge_integers"]
        return
    for source in sorted({0, n // 3, n - 1}):
        assert_right(graph, kept, source, range(n), directed=directed)


@samples
def test_unweighted(graph):
    n = graph.shape[0]
    kept = contracted(graph, 2, True, True)
    hops = oracles.hops(graph, n // 2)
    for target in {0, n // 3, n - 1}:
        length, vertices = wg.shortest_path(
            kept, n // 2, target, unweighted=True, method="hierarchy"
        )
        assert length == (hops[target] if hops[target] >= 0 else np.inf)
        assert len(vertices) == hops[target] + 1


@settings(max_examples=150)
@given(data=st.data())
def test_drawn_graphs(data):
    weights = data.draw(st.sampled_from(["non_negative", "integer", "ties"]))
    graph, source = data.draw(graphs.graphs_with_source(weights=weights))
    directed = data.draw(st.booleans())
    kept = contracted(graph, data.draw(st.integers(1, 6)), directed, False)
    assert_right(graph, kept, source, range(graph.shape[0]), directed=directed)


@settings(max_examples=150)
@given(data=st.data())
def test_drawn_ties_that_round(data):
    """Sums of tenths tie or not by the order of their additions."""
    n = data.draw(st.integers(2, 25))
    vertex = st.integers(0, n - 1)
    edge = st.tuples(vertex, vertex, st.sampled_from([0, 1, 1, 2, 3]))
    edges = data.draw(st.lists(edge, min_size=1, max_size=3 * n))
    both = data.draw(st.booleans())
    kind = data.draw(st.sampled_from([np.float32, np.float64]))
    graph = graphs.csr(n, graphs.both_ways(edges) if both else edges, kind)
    graph.data *= kind(0.1)
    source = data.draw(vertex)
    kept = contracted(graph, data.draw(st.integers(1, 4)), True, False)
    options = {"dtype": np.float32} if data.draw(st.booleans()) else {}
    assert_right(graph, kept, source, range(n), **options)


@pytest.mark.parametrize(
    ("dtype", "scale"),
    [
        *(("float32", scale) for scale in (0.1, 1e-45, 3e-39, 1e30, 2e37)),
        *(("float64", scale) for scale in (0.1, 5e-324, 1e-310, 1e300, 1e307)),
    ],
)
def test_any_scale(dtype, scale):
    """Sums may be denormal, or overflow."""
    rng = np.random.default_rng(3)
    edges = [(v, v + 1) for v in range(90)] + [(v, v + 9) for v in range(80)]
    edges = [(u, v, w) for (u, v), w in zip(edges, rng.integers(1, 9, 170).tolist(), strict=True)]
    graph = graphs.csr(91, graphs.both_ways(edges))
    graph.data = (graph.data * scale).astype(dtype)
    kept = contracted(graph, 3, True, False)
    assert kept._known("hierarchy") is not None
    with np.errstate(over="ignore"):
        assert_right(graph, kept, 4, range(91))


@pytest.mark.parametrize("dtype", DTYPES)
def test_long_integers(dtype):
    """Lengths beyond the integers that float32 holds, and beyond int32."""
    for weight in (2**20 + 1, 2**25 + 1):
        path = graphs.csr(120, graphs.both_ways([(v, v + 1, weight) for v in range(119)]), np.int64)
        kept = contracted(path, 5, True, False)
        for target in range(120):
            length, how = abs(target - 30) * weight, {"dtype": dtype, "method": "hierarchy"}
            if dtype == "int32" and length >= 2**31 - 1:
                with checks.raises_sentence(OverflowError, weight, "dtype"):
                    wg.shortest_path(kept, 30, target, **how)
                continue
            found = wg.shortest_path(kept, 30, target, **how)
            expected = wg.sssp(path, 30, dtype=dtype if dtype != "int32" else "int64")[target]
            assert found[0] == expected.item()
            assert found[1].tolist() == [*range(30, target, 1 if target > 30 else -1), target]


def test_islands():
    edges = [(0, 1, 1), (2, 3, 2**29), (3, 4, 2**29), (4, 5, 2**29), (5, 6, 2**29)]
    for dtype in DTYPES:
        kept = contracted(graphs.csr(7, edges, np.int32), 1, True, False)
        how = {"dtype": dtype, "method": "hierarchy"}
        length, vertices = wg.shortest_path(kept, 0, 6, **how)
        assert length == oracles.unreachable(np.dtype(dtype))
        assert vertices.tolist() == []
        if dtype == "int32":
            with checks.raises_sentence(OverflowError, 2**29, "dtype"):
                wg.shortest_path(kept, 2, 6, **how)


ROADS = {
    "integers": lambda rng, n: rng.integers(1, 50, n).astype(float),
    "few integers": lambda rng, n: rng.integers(0, 3, n).astype(np.int64),
    "floats": lambda rng, n: rng.random(n),
    "float32": lambda rng, n: rng.random(n, dtype=np.float32),
}


@pytest.mark.parametrize("weights", ROADS)
@pytest.mark.parametrize("directed", [True, False])
def test_roads(weights, directed):
    grid = wg.Graph(wg.generators.grid(60, 50, seed=1))
    graph = weighted(grid, ROADS[weights](np.random.default_rng(2), grid.n_edges))
    wg.Hierarchy(graph, directed=directed)
    pairs = pairs_of(graph.n_vertices, 100)
    assert_as_bidirectional(graph, pairs, directed=directed)
    form = graph if directed else graph._undirected()
    assert proven(form, pairs, np.float32 if weights == "float32" else float) == len(pairs)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_new_york(dtype):
    graph = wg.datasets.load("ny-road")
    wg.Hierarchy(graph)
    pairs = pairs_of(graph.n_vertices, 20)
    assert proven(graph, pairs, dtype) == len(pairs)
    assert_as_bidirectional(graph, pairs, dtype=dtype)


def test_wide_corridors_are_left_to_another_method(caplog):
    """On a grid of equal weights that round, most vertices are on shortest paths."""
    grid = wg.Graph(wg.generators.grid(90, 90, seed=1))
    graph = weighted(grid, np.full(grid.n_edges, 0.1))
    wg.Hierarchy(graph)
    with caplog.at_level(logging.INFO, "warpgraph"):
        assert_as_bidirectional(graph, [(0, 8099), *pairs_of(8100, 20)])
    assert "does not prove" in caplog.text
    before = proven(graph, [(0, 1)], float)
    assert proven(graph, [(0, 8099)] * 40, float) == 0
    assert before >= proven(graph, [(0, 1)], float) == 0  # no more corridors are tried


def test_auto_uses_a_hierarchy_that_is_kept(caplog):
    graph = wg.Graph(wg.generators.grid(30, 30, seed=1))
    for directed in (True, False):
        with caplog.at_level(logging.INFO, "warpgraph"):
            expected = wg.shortest_path(graph, 3, 800, directed=directed)
            assert "chose hierarchy" not in caplog.text
            assert graph._known("hierarchy") is None
            wg.Hierarchy(graph, directed=directed)
            found = wg.shortest_path(graph, 3, 800, directed=directed)
        assert "chose hierarchy" in caplog.text
        assert found[0] == expected[0]
        assert found[1].tolist() == expected[1].tolist()
        graph.clear()
        caplog.clear()


def test_a_graph_keeps_what_the_method_prepares():
    graph = wg.Graph(graphs.SAMPLES["medium_random"])
    wg.shortest_path(graph, 0, 5, method="hierarchy")
    hierarchy = wg.Hierarchy(graph)
    kept = graph._known("hierarchy")
    used = hierarchy.nbytes
    assert used > kept.figures["nbytes"]
    wg.shortest_path(graph, 0, 5, method="hierarchy")
    assert graph._known("hierarchy") is kept
    assert hierarchy.nbytes == used
    graph.clear()
    assert graph._known("hierarchy") is None


def test_threads_do_not_share_a_query():
    graph = wg.Graph(wg.generators.grid(70, 70, seed=1))
    wg.Hierarchy(graph)
    pairs = pairs_of(graph.n_vertices, 60)
    expected = [wg.shortest_path(graph, s, t, method="bidirectional") for s, t in pairs]
    wrong = []

    def ask(first):
        for i in [*range(first, 60), *range(first)]:
            length, vertices = wg.shortest_path(graph, *pairs[i], method="hierarchy")
            if length != expected[i][0] or vertices.tolist() != expected[i][1].tolist():
                wrong.append(i)

    threads = [threading.Thread(target=ask, args=(7 * k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_social_networks_are_refused():
    graph = wg.Graph(wg.generators.rmat(13, seed=1))
    with checks.raises_sentence(ValueError, "no small hierarchy", "8192"):
        wg.shortest_path(graph, 0, 1, method="hierarchy")


def test_sums_that_may_not_fit_are_refused():
    with checks.raises_sentence(OverflowError, "62 bits"):
        wg.shortest_path(graphs.SAMPLES["huge_integers"], 0, 1, dtype="int64", method="hierarchy")


@pytest.mark.parametrize("directed", [True, False])
def test_auto_does_without_a_hierarchy_whose_sums_are_floats_for_integers(directed):
    weights = np.full(2, 2.0**61)
    graph = wg.Graph.from_edges(np.array([4, 3]), np.array([3, 2]), weights, n_vertices=5)
    graph = contracted(graph, 1, directed, False)
    form = graph if directed else graph._undirected()
    assert not form._known("hierarchy").is_exact
    for dtype in ("int64", "float64"):
        length, vertices = wg.shortest_path(graph, 4, 2, directed=directed, dtype=dtype)
        assert length == 2**62
        assert vertices.tolist() == [4, 3, 2]
    with checks.raises_sentence(OverflowError, "62 bits"):
        wg.shortest_path(graph, 4, 2, directed=directed, dtype="int64", method="hierarchy")


def test_memory_limit():
    graph = wg.Graph(wg.generators.grid(70, 70, seed=1))
    wg.Hierarchy(graph)
    found = wg.shortest_path(graph, 0, 4899, method="hierarchy", memory_limit=10**7)
    assert len(found[1]) > 100
    with checks.raises_sentence(MemoryError, "10000 bytes", "bidirectional"):
        wg.shortest_path(graph, 0, 4899, method="hierarchy", memory_limit=10**4)


def test_weights_that_change_are_noticed():
    """Whoever breaks the promise of copy=False is told, where no path is found."""
    matrix = graphs.csr(6, graphs.both_ways([(v, v + 1, 2.0) for v in range(5)]))
    graph = wg.Graph(matrix, copy=False)
    wg.shortest_path(graph, 0, 5, method="hierarchy")
    matrix.data[:] = 3
    with checks.raises_sentence(ValueError, "no arc", "vertex 5", "changed"):
        wg.shortest_path(graph, 0, 5, method="hierarchy")
