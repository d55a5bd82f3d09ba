"""The parts of a `Graph` on several GPUs: copied once, counted, freed; and which GPUs it takes."""

import logging
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csgraph, csr_array

import checks
import graphs
import oracles
import warpgraph as wg
from pagerank_support import assert_scores, expected, strict
from warpgraph._arguments import device as _device
from warpgraph._paths import bfs, sssp_on_gpus
from warpgraph._search import connected_components
from warpgraph._trees import merged_forest

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
    graph.drop_device_copies()
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
    """A machine with three GPUs, of which the first has 1000 bytes free."""
    names = ["cuda:0", "cuda:1", "cuda:2"]
    monkeypatch.setattr(_device, "devices", lambda: ["cpu", *names])
    monkeypatch.setattr(_device._core, "require_device", lambda name: None)
    monkeypatch.setattr(_device._core, "free_memory", {"cuda:0": 1000}.get)
    monkeypatch.setattr(
        _device._core, "has_memory", lambda name, n, limit: n <= (limit or n) and n <= 1000
    )
    return names


@pytest.mark.parametrize(
    ("needed", "limit", "enough"),
    [(None, 0, 3), (1000, 0, 1), (1001, 0, 3), (1000, 1000, 1), (900, 899, 3), (900, 2000, 1)],
)
def test_all_gpus_or_one(three_gpus, needed, limit, enough, caplog):
    with caplog.at_level(logging.INFO, logger="warpgraph"):
        for device in ("cuda:all", ["cuda:all"]):
            found = _device.resolve_all(device, bytes_on_one=needed, limit=limit)
            assert found == three_gpus[:enough]
    sentences = [record.getMessage() for record in caplog.records]
    assert len(sentences) == (0 if needed is None else 2)
    assert all("'cuda:all' chose " + str(found) in sentence for sentence in sentences)


@pytest.mark.parametrize(
    ("seconds", "sent", "n"),
    [
        (1e-5, 0.0, 1),  # waits for each other cost more
        (1e-2, 0.0, 3),
        (1e-2, 3e11, 1),  # sending takes a second
        (1e-2, 1e8, 3),  # it takes less than computing
        (5.5e-5, 0.0, 2),
    ],
)
@pytest.mark.parametrize("share", [True, False])
def test_as_many_gpus_as_gain(three_gpus, monkeypatch, seconds, sent, n, share, caplog):
    monkeypatch.setattr(_device._core, "share_memory", lambda names: share)
    cost = _device.Rounds(seconds, sent)
    with caplog.at_level(logging.INFO, logger="warpgraph"):
        found = _device.resolve_all("cuda:all", bytes_on_one=1000, rounds=lambda: cost)
    assert found == three_gpus[: n if share else 1]
    assert str(found) in caplog.text
    assert _device.resolve_all("cuda:all", bytes_on_one=1001, rounds=lambda: cost) == three_gpus


def forest_rounds(graph):
    return merged_forest.rounds_of_several(graph, "auto")


def sssp_rounds(graph):
    return sssp_on_gpus.rounds_of_several(graph, np.dtype(np.float64))


def test_the_undivided_share_of_the_time_remains():
    cost = _device.Rounds(1.0, 0.0, 0.4)
    assert cost.seconds(1) == 1.0
    assert cost.seconds(2) == pytest.approx(0.7, rel=1e-4)
    assert cost.seconds(6) == pytest.approx(0.5, rel=1e-3)


@pytest.mark.parametrize(
    ("rounds_of", "scale", "degree", "gains"),
    [
        (forest_rounds, 24, 31, True),
        (forest_rounds, 26, 32, True),
        (forest_rounds, 23, 31, False),
        (forest_rounds, 24, 4, False),
        (connected_components._rounds_of_several, 26, 32, True),
        (connected_components._rounds_of_several, 24, 4, True),
        (connected_components._rounds_of_several, 22, 31, False),
        (bfs._rounds_of_several, 24, 31, True),
        (bfs._rounds_of_several, 24, 4, False),
        (bfs._rounds_of_several, 22, 31, False),
        (sssp_rounds, 23, 31, True),
        (sssp_rounds, 24, 4, False),
        (sssp_rounds, 22, 31, False),
    ],
)
def test_large_graphs_of_many_edges_gain_by_several_gpus(
    rounds_of, scale, degree, gains, three_gpus, monkeypatch
):
    monkeypatch.setattr(_device._core, "free_memory", lambda name: 80 << 30)
    graph = SimpleNamespace(n_vertices=1 << scale, n_edges=degree << scale)
    graph.has_mirrored_structure = lambda: True
    graph.first_negative = lambda: None
    graph.known = lambda name: None
    graph.derived = lambda name, make: 5  # hops
    rounds = rounds_of(graph)
    assert (rounds is not None) == gains
    assert merged_forest.rounds_of_several(graph, "boruvka") is None
    if gains:
        assert rounds().seconds(2) < 0.8 * rounds().seconds(1)


@pytest.mark.parametrize(
    ("negative", "hops", "free", "gains"),
    [
        (None, 12, 80, True),
        (None, 13, 80, False),
        (((0, 1), -1), 5, 80, False),
        (None, 12, 3, False),
    ],
)
def test_several_gpus_search_graphs_of_few_hops(
    negative, hops, free, gains, three_gpus, monkeypatch
):
    monkeypatch.setattr(_device._core, "free_memory", lambda name: free << 30)
    graph = SimpleNamespace(n_vertices=1 << 24, n_edges=1 << 28)
    graph.first_negative = lambda: negative
    known = {"hops": hops}
    graph.known = known.get
    graph.derived = lambda name, make: (
        known[name] if name in known else known.update({name: make()})
    )
    rounds = sssp_rounds(graph)()
    assert (rounds.seconds(3) < rounds.seconds(1)) == gains
    free = 3  # the lists have the rest
    rounds = sssp_rounds(graph)()
    assert (rounds.seconds(3) < rounds.seconds(1)) == gains


@pytest.mark.parametrize(
    ("degree", "hops", "chosen"), [(8, 12, "bellman_ford"), (8, 13, "near_far"), (7, 12, "auto")]
)
def test_method_for_graphs_of_few_hops(degree, hops, chosen):
    graph = SimpleNamespace(n_vertices=1 << 20, n_edges=degree << 20)
    graph.handle = SimpleNamespace(device_bytes=lambda: 1)  # it is kept there
    graph.derived = lambda name, make: hops
    assert sssp_on_gpus.choose_method(graph, ["cuda:0"]) == chosen


@pytest.mark.parametrize(
    ("method", "chosen", "called"),
    [
        ("bellman_ford", True, ["bellman_ford", "near_far"]),
        ("bellman_ford", False, ["bellman_ford"]),
        ("near_far", True, ["near_far"]),
    ],
)
def test_near_far_where_the_chosen_method_lacks_memory(method, chosen, called, caplog):
    tried = []

    def call(by):
        tried.append(by)
        if len(tried) == 1:
            raise MemoryError("the list needs 1 GiB")

    with caplog.at_level(logging.INFO, logger="warpgraph"):
        if len(called) == 1:
            with pytest.raises(MemoryError):
                sssp_on_gpus.search(call, method, chosen)
        else:
            sssp_on_gpus.search(call, method, chosen)
            assert "near_far instead of bellman_ford: the list needs 1 GiB" in caplog.text
    assert tried == called


def test_a_search_of_a_directed_graph_has_one_gpu():
    graph = SimpleNamespace(n_vertices=1 << 24, n_edges=1 << 28)
    graph.has_mirrored_structure = lambda: False
    rounds = bfs._rounds_of_several(graph)()
    assert rounds.seconds(4) > rounds.seconds(1)


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("module", "call"),
    [
        (bfs, lambda *args: wg.bfs(args[0], 0, device=args[1])),
        (sssp_on_gpus, lambda *args: wg.sssp(args[0], 0, device=args[1])),
        (
            merged_forest,
            lambda *args: wg.minimum_spanning_forest(args[0], device=args[1]).edge_ids,
        ),
        (connected_components, lambda *args: wg.connected_components(args[0], device=args[1])[1]),
    ],
)
def test_all_gpus_find_what_one_finds(module, call, monkeypatch, caplog):
    matrix = wg.generators.rmat(9, 4, seed=2).to_csr().toarray()
    matrix[0, 1:] = matrix[1:, 0] = 100  # shortest paths take several GPUs where there is a hub
    graph = wg.Graph(csr_array(matrix))
    one = call(graph, "cuda:0")
    monkeypatch.setattr(module, "_FEWEST_VERTICES_TO_DIVIDE", 1)
    for name in ("_ENTRIES_A_SECOND", "_ARCS_A_SECOND", "_EDGES_A_SECOND"):
        monkeypatch.setattr(module, name, 1.0, raising=False)
    with caplog.at_level(logging.INFO, logger="warpgraph"):
        checks.assert_same_bits((call(graph, "cuda:all"),), (one,))
    if len(GPUS) > 1 and wg._core.share_memory(GPUS):
        assert f"chose {GPUS}" in caplog.text


def test_an_explicit_list_has_all_its_gpus(three_gpus):
    assert _device.resolve_all(three_gpus[:2], bytes_on_one=1) == three_gpus[:2]


def test_work_that_cannot_be_divided_has_one_gpu(three_gpus, caplog):
    """Also without the memory for all of it: the algorithm tells what it needs."""
    with caplog.at_level(logging.INFO, logger="warpgraph"):
        assert _device.resolve_all("cuda:all", divides=False, bytes_on_one=1001) == ["cuda:0"]
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
    with checks.raises_sentence(MemoryError, "sorting the rows", "cuda:0", 'method="filter"'):
        wg.minimum_spanning_forest(
            graph, method="boruvka_compressed", memory_limit=50_000, device="cuda:all"
        )


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
