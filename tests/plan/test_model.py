"""The model of time: the shape of graphs, and what graphs learn from their calls."""

import re

import numpy as np
import pytest

import graphs
import warpgraph as wg
from warpgraph import _core


def levels(graph):
    return _core.levels_of(wg.Graph(graph)._handle)


def depth(graph, source=0):
    return int(wg.bfs(graph, source).max())


def chain(n):
    return wg.Graph.from_edges(np.arange(n - 1), np.arange(1, n), n_vertices=n, directed=False)


def test_levels_of_chains_are_their_lengths():
    assert levels(chain(1000)) == 999
    assert levels(chain(200_000)) == pytest.approx(200_000, rel=0.01)


@pytest.mark.parametrize("side", [20, 100, 400])
def test_levels_of_grids_grow_with_the_side(side):
    grid = wg.generators.grid(side, side, removed=0.2, seed=1)
    assert depth(grid) / 3 < levels(grid) < 3 * depth(grid)


@pytest.mark.parametrize("scale", [8, 12, 15])
def test_graphs_of_few_levels_have_few(scale):
    assert levels(wg.generators.rmat(scale, seed=2)) < 20
    hub = np.zeros(1 << scale, int), np.arange(1, (1 << scale) + 1)
    assert levels(wg.Graph.from_edges(*hub, directed=False)) < 5


@pytest.mark.parametrize("name", sorted(graphs.SAMPLES))
def test_levels_are_those_of_some_vertices_at_least_in_small_graphs(name):
    """A short search sees all of a small component, so that its depth is known."""
    graph = wg.Graph(graphs.SAMPLES[name])
    n = graph.n_vertices
    if n == 0:
        assert levels(graph) == 0
        return
    most = max(depth(graph, v) for v in {0, (n - 1) // 3, 2 * (n - 1) // 3, n - 1})
    assert 0 <= levels(graph) <= max(most, 1)


def test_heads_that_are_no_vertices_are_refused_after_the_look_at_the_graph():
    import scipy.sparse as sp

    matrix = sp.csr_array(wg.generators.grid(30, 30, seed=1).to_csr())
    matrix.indices[7] = 5000
    with pytest.raises(ValueError, match="5000"):
        wg.sssp(matrix, 0)


@pytest.fixture
def road():
    _core.set_learning(True)
    return wg.Graph(wg.generators.grid(60, 60, removed=0.3, seed=1))


def plan_of(graph, **how):
    how = {"ledger": _core.ledger(0)} | how
    arguments = {"method": "auto", "is_directed": True}
    return _core.plan(
        "sssp",
        graph._handle,
        graph._handle,
        {},
        graph.dtype,
        "named",
        ["cpu"],
        lambda: None,
        list,
        how["ledger"],
        arguments,
    )


def test_a_graph_takes_the_way_that_was_fastest(road):
    first = plan_of(road)
    assert first.learns
    _core.remember(road._handle, first, 10.0)
    second = plan_of(road)
    assert second.method != first.method
    _core.remember(road._handle, second, 20.0)
    assert plan_of(road).method == first.method
    for _ in range(10):
        _core.remember(road._handle, second, 1e-6)
    assert plan_of(road).method == second.method
    fresh = wg.Graph(road)
    assert plan_of(fresh).method in (first.method, second.method)


def test_frozen_plans_heed_nothing(road):
    first = plan_of(road)
    _core.remember(road._handle, first, 10.0)
    _core.set_learning(False)
    try:
        frozen = plan_of(road)
        assert frozen.method == first.method
        assert not frozen.learns
        _core.remember(road._handle, frozen, 1e-9)
    finally:
        _core.set_learning(True)
    assert plan_of(road).method != first.method


def test_calls_teach_their_graph(road):
    expected = wg.sssp(road, 0)
    explained = wg.explain(wg.sssp, road, 0)
    for _ in range(5):
        assert np.array_equal(wg.sssp(road, 0), expected)
    assert explained.method in ("dijkstra", "delta_stepping")
    assert wg.explain(wg.sssp, road, 0).seconds == wg.explain(wg.sssp, road, 0).seconds


def test_what_was_learnt_is_told(road):
    made = plan_of(road)
    _core.remember(road._handle, made, 0.125)
    told = " ".join(wg.explain(wg.sssp, road, 0, device="cpu").reasons)
    assert re.search(rf"{made.method} \S+ ms as learnt", told)


def test_a_graph_remembers_a_bounded_number_of_kinds(road):
    before = road.nbytes
    for n in range(1, 200):
        wg.many_to_many(road, [0], np.arange(n), device="cpu")
    assert road.nbytes == before


def test_a_hierarchy_is_made_when_its_absence_has_cost_as_much():
    """Searches of a kept graph are repeated until they have taken as much time."""
    _core.set_learning(True)
    n = 30_000
    graph, sources = chain(n), np.linspace(0, n - 1, 16).astype(int)
    seen = []
    for _ in range(60):
        found = wg.many_to_many(graph, sources, [0, n - 1], device="cpu", dtype="float64")
        table = wg.many_to_many(graph, sources, np.arange(50), device="cpu")
        assert np.array_equal(table[:, 0], found[:, 0])
        seen.append("hierarchy" in graph._derived)
        if seen[-1]:
            break
    assert seen[-1]
    assert not seen[0]


CALLS = {
    "sssp": lambda g: wg.sssp(g, 3, return_predecessors=True),
    "bfs": lambda g: (wg.bfs(g, 3),),
    "table": lambda g: (wg.many_to_many(g, np.arange(40), np.arange(60)),),
    "hops": lambda g: (wg.many_to_many(g, np.arange(40), unweighted=True),),
    "trees": lambda g: wg.many_to_many(g, np.arange(20), return_predecessors=True),
    "all pairs": lambda g: (wg.apsp(g),),
    "path": lambda g: wg.shortest_path(g, 3, 200),
    "forest": lambda g: (wg.minimum_spanning_forest(g).edge_ids,),
    "components": lambda g: (wg.connected_components(g)[1],),
    "scores": lambda g: (wg.betweenness_centrality(g, sources=8),),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("weights", ["integers", "fractions"])
def test_no_clock_changes_a_bit(call, weights, monkeypatch):
    """Whatever graphs learn, they take another way and find the same."""
    rng = np.random.default_rng(len(call))
    real = _core.remember
    monkeypatch.setattr(
        _core, "remember", lambda graph, plan, _: real(graph, plan, float(10 ** rng.uniform(-9, 2)))
    )
    base = wg.generators.grid(16, 16, removed=0.2, seed=4)
    drawn = rng.integers(1, 60, base.n_edges) if weights == "integers" else rng.random(base.n_edges)
    graph = base.with_weights(drawn.astype(float))
    first = CALLS[call](graph)
    for _ in range(12):
        for found, expected in zip(CALLS[call](graph), first, strict=True):
            assert np.asarray(found).tobytes() == np.asarray(expected).tobytes()
