"""Breadth-first search level by level on several GPUs: the hops and trees of one device."""

import logging

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import device_lists
import graphs
import oracles
import warpgraph as wg
from checks import EMULATED, raises_sentence
from sssp_support import gpu_list_fixture

gpu_list = gpu_list_fixture()


@pytest.fixture
def team(gpu_list, monkeypatch):
    """A list of devices that search every graph level by level."""
    device_lists.change_plans(monkeypatch, by_levels)
    return gpu_list


def by_levels(made, wanted, graph):
    """Let several devices search level by level, with the transposed graph if it is kept."""
    if made.is_mirrored:
        return {"method": "by levels"}
    is_kept = graph._known_form("transposed", reads_weights=False) is not None
    return {"method": "by levels", "uses_transposed": made.uses_transposed or is_kept}


@graphs.over_samples(only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("directed", [True, False])
def test_samples(graph, directed, team):
    assert_right_tree(graph, graph.shape[0] // 2, team, directed=directed)


@settings(max_examples=10 if EMULATED else 60)
@given(drawn=graphs.graphs_with_source(), directed=st.booleans(), limit=st.none() | st.just(1))
def test_drawn_graphs(drawn, directed, limit, team):
    assert_right_tree(*drawn, team, directed=directed, limit=limit)


def assert_right_tree(graph, source, device, *, directed, limit=None):
    how = {"directed": directed, "limit": limit}
    expected = oracles.hops(graph, source, **how)
    hops, tree = wg.bfs(graph, source, return_predecessors=True, device=device, **how)
    np.testing.assert_array_equal(hops, expected)
    smallest = oracles.smallest_predecessors(graph, expected, directed=directed)
    np.testing.assert_array_equal(tree, smallest)


def assert_as_alone(graph, source, device, **how):
    found = wg.bfs(graph, source, return_predecessors=True, device=device, **how)
    alone = wg.bfs(graph, source, return_predecessors=True, device="cpu", **how)
    np.testing.assert_array_equal(found[0], alone[0])
    np.testing.assert_array_equal(found[1], alone[1])
    return found[0]


def test_power_law(team):
    """With levels of both directions."""
    graph = wg.generators.rmat(8 if EMULATED else 15, 16, seed=1)
    for source in (0, 5, graph.n_vertices - 1):
        assert_as_alone(graph, source, team)
    assert_as_alone(graph, 5, team, limit=2)


@pytest.mark.skipif(EMULATED, reason="takes too long in emulation")
@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(lambda: wg.generators.ssca2(15, seed=1), id="cliques"),
        pytest.param(lambda: wg.generators.rmat(17, 32, seed=1), id="power law"),
        pytest.param(lambda: wg.generators.grid(200, 150, seed=0), id="grid"),
    ],
)
def test_larger_graphs(graph, team):
    graph = graph()
    for source in range(0, graph.n_vertices, graph.n_vertices // 5):
        assert_as_alone(graph, source, team)


def test_directed_graphs_are_transposed_like_those_of_one_device(team):
    rng = np.random.default_rng(2)
    n = 300 if EMULATED else 70_000
    tail, head = rng.integers(0, n, 16 * n), (rng.random(16 * n) ** 3 * n).astype(np.int64)
    graph = wg.Graph.from_edges(tail, head, n_vertices=n)
    for _ in range(6):  # two more than repay it
        assert_as_alone(graph, int(tail[0]), team)
    assert graph._known("transposed") is not None
    before = graph.nbytes
    assert_as_alone(graph, int(tail[1]), team)
    assert graph.nbytes == before


def test_a_path_that_changes_its_part_at_each_step(team):
    """More levels than the host puts on streams together, and few arcs in each."""
    n = 40
    order = np.arange(n).reshape(8, n // 8).T.ravel()
    graph = wg.Graph.from_edges(order[:-1], order[1:], n_vertices=n)
    hops = assert_as_alone(graph, 0, team)
    np.testing.assert_array_equal(hops[order], np.arange(n))
    assert_as_alone(graph, 0, team, limit=9)


def test_a_long_row(team):
    """Of a hub that a bottom-up level reaches by its last arc."""
    n_leaves, n_near = 9000, 3000
    hub, first, source = n_leaves, n_leaves + 1, n_leaves + 1 + n_near
    near = np.arange(first, source)
    rng = np.random.default_rng(3)
    tail = [np.full(n_leaves + 1, hub), np.full(n_near, source), np.repeat(near, 10)]
    head = [np.append(np.arange(n_leaves), near[-1]), near, rng.choice(near, 10 * n_near)]
    tail, head = np.concatenate(tail), np.concatenate(head)
    graph = wg.Graph.from_edges(np.append(tail, head), np.append(head, tail), n_vertices=source + 1)
    hops = assert_as_alone(graph, source, team)
    assert hops[hub] == 2
    assert (hops[:hub] == 3).all()


def test_targets(team):
    graph = wg.generators.rmat(8, 12, seed=1)
    hops = wg.bfs(graph, 3, device="cpu")
    unreached = np.flatnonzero(hops < 0)[:1]
    for targets in ([3], [3, 7], np.flatnonzero(hops == 2)[:5], unreached):
        assert_as_alone(graph, 3, team, targets=targets)
        assert_as_alone(graph, 3, team, targets=targets, limit=1)


def test_options(team):
    graph, reports = wg.generators.rmat(8, 16, seed=1), []
    out = np.empty(graph.n_vertices, np.int32)
    report = lambda *report: reports.append(report)  # noqa: E731
    assert wg.bfs(graph, 0, out=out, progress=report, device=team) is out
    np.testing.assert_array_equal(out, wg.bfs(graph, 0, device="cpu"))
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    with raises_sentence(MemoryError, "several devices"):
        wg.bfs(graph, 0, memory_limit=1 << 10, device=team)
    kept = graph.nbytes
    wg.bfs(graph, 1, device=team)
    assert graph.nbytes == kept

    def fail(done, total):
        raise ArithmeticError("enough")

    with pytest.raises(ArithmeticError, match="enough"):
        wg.bfs(graph, 0, progress=fail, device=team)
    assert_as_alone(graph, 0, team)


def test_the_degree_decides(gpu_list, caplog):
    dense, road = wg.generators.rmat(6, 24, seed=1), wg.generators.grid(5, 5, seed=0)
    for graph, how in ((dense, "level by level"), (road, "near-far")):
        caplog.clear()
        with caplog.at_level(logging.INFO, "warpgraph"):
            assert_as_alone(graph, 0, gpu_list)
        assert how in caplog.text
