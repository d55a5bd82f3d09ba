"""The parts of a `Graph` on several GPUs: copied once, counted, freed; and which GPUs it takes."""

import logging
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csgraph, csr_array

import checks
import device_lists
import graphs
import oracles
import warpgraph as wg
from pagerank_support import assert_scores, expected, strict
from warpgraph._arguments import device as _device
from warpgraph._graph import plan

GPUS = wg.devices()[1:]

CALLS = {
    "sssp": lambda graph, device: wg.sssp(graph, 0, device=device),
    "bfs": lambda graph, device: wg.bfs(graph, 0, device=device),
    "connected_components": lambda graph, device: wg.connected_components(graph, device=device)[1],
    "pagerank": lambda graph, device: wg.pagerank(graph, device=device),
}
over_calls = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def device_list(n):
    return [GPUS[i % len(GPUS)] for i in range(n)]


@pytest.mark.cuda
@over_calls
@pytest.mark.parametrize("n", [2, 3])
def test_parts_are_kept(call, n):
    graph = wg.Graph(graphs.SAMPLES["grid"])
    expected = call(graph, "cpu")
    before = graph.nbytes
    for _ in range(2):
        checks.assert_same_bits((call(graph, device_list(n)),), (expected,))
    kept = graph.nbytes
    assert kept > before
    checks.assert_same_bits((call(graph, device_list(n)),), (expected,))
    assert graph.nbytes == kept
    graph._drop_device_copies()
    assert graph.nbytes <= before
    checks.assert_same_bits((call(graph, device_list(n)),), (expected,))


@pytest.mark.cuda
def test_parts_of_several_lists_and_types():
    graph = wg.Graph(graphs.SAMPLES["grid"])
    for dtype in (np.float32, np.float64, np.int64):
        expected = wg.sssp(graph, 0, dtype=dtype, device="cpu")
        for n in (2, 3, 2):
            found = wg.sssp(graph, 0, dtype=dtype, device=device_list(n))
            checks.assert_same_bits((found,), (expected,))


@pytest.mark.cuda
def test_a_pickled_graph_has_no_parts():
    graph = wg.Graph(graphs.SAMPLES["grid"])
    expected = wg.sssp(graph, 0, device=device_list(2))
    copy = pickle.loads(pickle.dumps(graph))
    assert copy.nbytes < graph.nbytes
    checks.assert_same_bits((wg.sssp(copy, 0, device=device_list(2)),), (expected,))


@pytest.mark.cuda
def test_steps_of_teams_are_timed_where_that_is_asked_for():
    graph = wg.Graph(graphs.SAMPLES["grid"])
    assert wg._core.team_step_times(True) == []
    wg.connected_components(graph, device=device_list(2))
    steps = wg._core.team_step_times(False)
    names = [name for name, member, _ in steps if member == 1]
    assert names == [name for name, member, _ in steps if member == 0]
    assert {"unite sampled rows", "copy to the host"} <= set(names)
    assert all(seconds >= 0 for _, _, seconds in steps)
    wg.connected_components(graph, device=device_list(2))
    assert wg._core.team_step_times(False) == []


@pytest.fixture
def three_gpus(monkeypatch):
    """A machine with three GPUs."""
    names = ["cuda:0", "cuda:1", "cuda:2"]
    monkeypatch.setattr(_device, "devices", lambda: ["cpu", *names])
    monkeypatch.setattr(_device._core, "require_device", lambda name: None)
    return names


@pytest.mark.parametrize("otherwise", ["near_far", ""])
def test_near_far_where_the_chosen_method_lacks_memory(otherwise, caplog):
    tried = []

    def call(by):
        tried.append(by)
        if len(tried) == 1:
            raise MemoryError("the list needs 1 GiB")

    chosen = SimpleNamespace(method="bellman_ford", otherwise=otherwise)
    with caplog.at_level(logging.INFO, logger="warpgraph"):
        if otherwise:
            plan.run(chosen, call)
            assert "near_far instead of bellman_ford: the list needs 1 GiB" in caplog.text
        else:
            with pytest.raises(MemoryError):
                plan.run(chosen, call)
    assert tried == ["bellman_ford", otherwise][: 1 + bool(otherwise)]


@pytest.mark.cuda
@pytest.mark.parametrize(
    "call",
    [
        lambda *args: wg.bfs(args[0], 0, device=args[1]),
        lambda *args: wg.sssp(args[0], 0, device=args[1]),
        lambda *args: wg.minimum_spanning_forest(args[0], device=args[1]).edge_ids,
        lambda *args: wg.connected_components(args[0], device=args[1])[1],
    ],
)
def test_all_gpus_find_what_one_finds(call, monkeypatch):
    matrix = wg.generators.rmat(9, 4, seed=2).to_csr().toarray()
    matrix[0, 1:] = matrix[1:, 0] = 100
    graph = wg.Graph(csr_array(matrix))
    one = call(graph, "cuda:0")
    if len(GPUS) > 1 and wg._core.share_memory(GPUS):
        device_lists.take_all_gpus(monkeypatch)
    checks.assert_same_bits((call(graph, "cuda:all"),), (one,))


def test_an_explicit_list_has_all_its_gpus(three_gpus):
    assert _device.resolve_all(three_gpus[:2]) == three_gpus[:2]
    assert _device.wanted(three_gpus[:2]) == ("named", three_gpus[:2])


def test_work_that_cannot_be_divided_has_one_gpu(three_gpus, caplog):
    with caplog.at_level(logging.INFO, logger="warpgraph"):
        assert _device.resolve_all("cuda:all", divides=False) == ["cuda:0"]
    assert "'cuda:all' chose cuda:0: this algorithm runs on one device" in caplog.text
    assert _device.resolve_all(three_gpus, divides=False) == three_gpus


def assert_strong(graph, **options):
    n, labels = wg.connected_components(graph, connection="strong", **options)
    wanted = csgraph.connected_components(graph, connection="strong")
    assert n == wanted[0]
    assert checks.same_partition(labels, wanted[1])


def assert_pushed(graph, **options):
    assert_scores(strict(graph, method="push", **options), expected(graph))


def assert_naive(graph, **options):
    found = wg.apsp(graph, method="floyd_warshall_naive", **options)
    checks.assert_all_distances(found, oracles.all_distances(graph))


def assert_sorted_forest(graph, **options):
    found = wg.minimum_spanning_forest(graph, method="boruvka", **options)
    np.testing.assert_array_equal(found.edge_ids, oracles.kruskal(graph))


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("call", "limit"),
    [
        (assert_strong, 50_000),
        (assert_pushed, 50_000),
        (assert_naive, None),
        (assert_sorted_forest, 60_000),
    ],
    ids=["strong", "push", "naive", "boruvka"],
)
def test_all_gpus_are_one_for_what_does_not_divide_its_work(call, limit):
    graph = graphs.random_csr(150, 0.1, seed=1)
    call(graph, memory_limit=limit, device="cuda:all")


@pytest.mark.cuda
def test_what_does_not_divide_its_work_lacks_memory_as_on_one_gpu():
    graph = graphs.random_csr(150, 0.1, seed=1)
    # With sorted rows, CPU threads help the GPU if it lacks memory; that needs some there, too.
    with checks.raises_sentence(MemoryError, "spanning forest", "cuda:0", 'device="cpu"'):
        wg.minimum_spanning_forest(graph, method="boruvka", memory_limit=4_000, device="cuda:all")


@pytest.mark.cuda(2)
@pytest.mark.parametrize(
    ("call", "limits"),
    [
        (lambda *of: wg.sssp(of[0], 0, device=of[1], memory_limit=of[2]), (50_000, 30_000)),
        (lambda *of: wg.bfs(of[0], 0, device=of[1], memory_limit=of[2]), (10_000,)),
        (
            lambda *of: wg.connected_components(of[0], device=of[1], memory_limit=of[2])[1],
            (30_000, 10_000),
        ),
        (
            lambda *of: (
                wg.minimum_spanning_forest(of[0], device=of[1], memory_limit=of[2]).edge_ids
            ),
            (50_000,),
        ),
    ],
    ids=["sssp", "bfs", "connected_components", "minimum_spanning_forest"],
)
def test_all_gpus_are_one_where_only_one_alone_has_the_memory(call, limits, caplog):
    """The copy of a graph on one GPU is not counted in the limit, but a part on each of several."""
    graph = wg.generators.rmat(9, edge_factor=8, seed=1).to_csr()
    wanted = call(graph, "cpu", None)
    for limit in limits:
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="warpgraph"):
            np.testing.assert_array_equal(call(graph, "cuda:all", limit), wanted)
        chosen = [r.getMessage() for r in caplog.records if "'cuda:all' chose" in r.getMessage()]
        assert f"chose {GPUS}" in chosen[0]
        assert "chose ['cuda:0']: " in chosen[1]
        assert "bytes) on cuda:" in chosen[1]
