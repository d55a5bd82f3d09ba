"""wg.sssp with several workers: the same bits as alone, and the same errors."""

import logging

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_array

import checks
import warpgraph as wg
from device_lists import plan_for
from graphs import csr, graphs_with_source, has_negative, over_samples
from sssp_support import (
    DTYPES,
    SQUARE,
    assert_same,
    gpu_list_fixture,
    grid_with,
    over_workers,
    weighted,
)
from test_sssp import LIMITS, larger

__all__ = ["larger"]

team = gpu_list_fixture()


def outcome(graph, source, **how):
    """Return the distances and the tree, or the type and the text of the error."""
    try:
        return wg.sssp(graph, source, return_predecessors=True, **how)
    except (wg.NegativeCycleError, OverflowError) as error:
        return type(error), str(error)


def assert_as_alone(graph, source, device, **how):
    """By the method that "auto" chooses and, on several GPUs, by "delta_stepping", too."""
    several = isinstance(device, list) and len(device) > 1 and device[0] != "cpu"
    if several and "method" not in how and graph.data.min(initial=0) >= 0:
        assert_as_alone(graph, source, device, method="delta_stepping", **how)
    on_cores = {"method": "delta_stepping"} if how.get("method") == "near_far" else {}
    alone = outcome(graph, source, device="cpu", **how | on_cores)
    found = outcome(graph, source, device=device, **how)
    if alone[0] is wg.NegativeCycleError:
        assert found[0] is alone[0]  # any vertex of a cycle
    elif isinstance(alone[0], type):
        assert found == alone
    else:
        assert_same(found[0], alone[0])
        assert_same(found[1], alone[1])


@over_workers
@over_samples(only=lambda graph: graph.shape[0] > 0)
def test_targets(graph, device):
    n = graph.shape[0]
    for targets in ([], [n - 1], [n // 2, 0, n // 2], list(range(0, n, 2))):
        assert_as_alone(graph, 0, device, targets=targets)
        assert_as_alone(graph, 0, device, targets=targets, limit=3)


@over_workers
@pytest.mark.heavy
@pytest.mark.parametrize("dtype", DTYPES)
def test_larger_graphs_in_every_dtype(dtype, device):
    graph = grid_with(lambda rng, m: rng.integers(1, 1000, m))
    assert_as_alone(graph, 3, device, dtype=dtype)


@over_workers
def test_a_path_that_changes_its_part_at_each_step(device):
    n = 400
    order = np.arange(n).reshape(8, n // 8).T.ravel()
    graph = wg.Graph.from_edges(order[:-1], order[1:], np.full(n - 1, 0.1), n_vertices=n)
    expected = np.empty(n)
    expected[order] = np.cumsum([0.0] + [0.1] * (n - 1))
    assert_same(wg.sssp(graph, 0, device=device), expected)


@over_workers
def test_weights_far_apart(device):
    """Steps that are many priorities long."""
    n = 300
    weights = np.where(np.arange(n - 1) % 5 == 0, 1e9, 1.0)
    graph = wg.Graph.from_edges(np.arange(n - 1), np.arange(1, n), weights, n_vertices=n)
    assert_same(wg.sssp(graph, 0, device=device), np.cumsum([0.0, *weights]))


@over_workers
def test_negative_weights_are_searched_on_the_first_device(device, caplog):
    graph = csr(4, [*SQUARE, (0, 2, -0.5), (2, 0, 0.5)])
    graph = weighted(wg.Graph(graph), graph.data)
    with caplog.at_level(logging.INFO, "warpgraph"):
        assert_as_alone(graph, 1, device)
    assert ("the first of the list" in caplog.text) == (len(device) > 1)


def test_methods_of_lists():
    graph = csr(4, SQUARE)
    expected = wg.sssp(graph, 0, device="cpu")
    for method in ("auto", "delta_stepping", "bellman_ford"):
        assert_same(wg.sssp(graph, 0, method=method, device=["cpu"] * 2), expected)
    for method in ("dijkstra", "near_far"):
        with checks.raises_sentence(ValueError, method, "2 devices", "delta_stepping"):
            wg.sssp(graph, 0, method=method, device=["cpu"] * 2)
    assert_same(wg.sssp(graph, 0, method="dijkstra", device=["cpu"]), expected)


@pytest.mark.parametrize(
    ("names", "error", "parts"),
    [
        ([], ValueError, ("empty list",)),
        (["cpu", "gpu"], ValueError, ("gpu",)),
        (["cpu", 3], TypeError, ("3",)),
        (["cpu"] * 65, ValueError, ("65", "64")),
        (["cpu", "cuda:99"], wg.DeviceError, ()),
    ],
)
def test_bad_lists(names, error, parts):
    with checks.raises_sentence(error, *parts):
        wg.sssp(csr(4, SQUARE), 0, device=names)


def test_mixed_lists_are_refused():
    facts = {"n_vertices": 100, "n_arcs": 1000, "has_negative": False}
    with checks.raises_sentence(wg.DeviceError, "sssp", "mixed list", "['cpu', 'cuda:0']"):
        plan_for("sssp", facts, device=["cpu", "cuda:0"])
    for names in (["cuda:0"], ["cpu", "cpu"], ["cuda:0", "cuda:1"]):
        assert plan_for("sssp", facts, device=names).devices == names


@over_workers
def test_progress(device):
    reports = []
    graph = grid_with(lambda rng, m: rng.random(m))
    wg.sssp(graph, 0, progress=lambda *report: reports.append(report), device=device)
    done = [done for done, _ in reports]
    assert done == sorted(done)
    assert reports[-1] == (graph.n_vertices, graph.n_vertices)
    assert all(total == graph.n_vertices for _, total in reports)


@over_workers
def test_an_error_in_progress_ends_the_call(device):
    def fail(done, total):
        raise ArithmeticError("enough")

    graph = grid_with(lambda rng, m: rng.random(m))
    with pytest.raises(ArithmeticError, match="enough"):
        wg.sssp(graph, 0, progress=fail, device=device)
    assert_as_alone(graph, 0, device)


@over_workers
@pytest.mark.heavy
def test_memory_limit(device):
    graph = wg.Graph.from_edges(np.arange(99_999), np.arange(1, 100_000), n_vertices=100_000)
    with checks.raises_sentence(MemoryError, "shortest paths"):
        wg.sssp(graph, 0, memory_limit=1 << 20, device=device)
    assert_as_alone(graph, 0, device, memory_limit=1 << 27)


@pytest.fixture(params=["near_far", "bellman_ford"])
def rounds(request):
    """How a team of GPUs searches in rounds."""
    return {"method": request.param}


@over_samples(negative=False, only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("directed", [True, False])
def test_samples_in_rounds(graph, directed, team, rounds):
    n = graph.shape[0]
    assert_as_alone(graph, n // 2, team, directed=directed, **rounds)
    assert_as_alone(graph, 0, team, directed=directed, limit=2.5, targets=[n - 1], **rounds)


@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties"])
def test_drawn_graphs_in_rounds(weights, team, rounds):
    @settings(max_examples=6 if checks.EMULATED else 40)
    @given(graphs_with_source(weights=weights), st.booleans(), LIMITS)
    def agrees(drawn, directed, limit):
        graph, source = drawn
        if has_negative(graph):
            return
        assert_as_alone(graph, source, team, directed=directed, limit=limit, **rounds)
        if graph.dtype.kind == "i":
            assert_as_alone(graph, source, team, dtype=graph.dtype, **rounds)

    agrees()


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_in_rounds(dtype, team, rounds):
    rng = np.random.default_rng(5)
    n, m = 300, 3000
    ends = rng.integers(0, n, (2, m))
    graph = wg.Graph.from_edges(*ends, rng.integers(0, 60, m), n_vertices=n)
    assert_as_alone(graph, 7, team, dtype=dtype, **rounds)
    assert_as_alone(graph, 7, team, dtype=dtype, unweighted=True, **rounds)


def test_power_law_in_rounds(team, rounds):
    graph = wg.generators.rmat(8 if checks.EMULATED else 15, 16, seed=3)
    for source in (0, graph.n_vertices // 3):
        assert_as_alone(graph, source, team, **rounds)
    assert_as_alone(graph, 5, team, targets=[1, 2, 1], **rounds)
    kept = graph.nbytes
    assert_as_alone(graph, 5, team, **rounds)
    assert graph.nbytes == kept


@pytest.mark.skipif(checks.EMULATED, reason="takes too long in emulation")
def test_larger_graphs_in_rounds(larger, team, rounds):
    graph, expected, tree = larger
    found = wg.sssp(graph, 7, return_predecessors=True, device=team, **rounds)
    assert_same(found[0], expected)
    assert_same(found[1], tree)


def test_a_path_that_changes_its_part_at_each_step_in_rounds(team, rounds):
    n = 40
    order = np.arange(n).reshape(8, n // 8).T.ravel()
    weights = np.where(np.arange(n - 1) % 5 == 0, 1e9, 0.1)
    graph = wg.Graph.from_edges(order[:-1], order[1:], weights, n_vertices=n)
    expected = np.empty(n)
    expected[order] = np.cumsum([0.0, *weights])
    assert_same(wg.sssp(graph, 0, device=team, **rounds), expected)


def test_options_in_rounds(team, rounds):
    graph, reports = wg.generators.rmat(7, 16, seed=3), []
    how = {"device": team, **rounds}
    expected = wg.sssp(graph, 0, device="cpu")
    out = np.empty_like(expected)
    report = lambda *report: reports.append(report)  # noqa: E731
    assert wg.sssp(graph, 0, out=out, progress=report, **how) is out
    assert_same(out, expected)
    assert reports == sorted(reports)
    assert reports[-1] == (graph.n_vertices, graph.n_vertices)
    with checks.raises_sentence(MemoryError, "shortest paths", "several devices"):
        wg.sssp(graph, 0, memory_limit=1 << 10, **how)
    with checks.raises_sentence(OverflowError):
        wg.sssp(csr(3, [(0, 1, 2**30), (1, 2, 2**30)]), 0, dtype=np.int32, **how)
    if rounds["method"] != "bellman_ford":
        with checks.raises_sentence(ValueError, "negative", "bellman_ford"):
            wg.sssp(csr(3, [(0, 1, -1)]), 0, **how)

    def fail(done, total):
        raise ArithmeticError("enough")

    with pytest.raises(ArithmeticError, match="enough"):
        wg.sssp(graph, 0, progress=fail, **how)
    assert_same(wg.sssp(graph, 0, **how), expected)


def test_delta_stepping_on_several_gpus_is_near_far():
    facts = {"n_vertices": 100, "n_arcs": 1000, "has_negative": False}
    how = {"device": ["cuda:0", "cuda:1"], "method": "delta_stepping"}
    assert plan_for("sssp", facts, **how).method == "near_far"
    negative = plan_for("sssp", facts | {"has_negative": True}, **how)
    assert negative.method == "delta_stepping"  # the message says so
    assert plan_for("sssp", facts, **how | {"device": ["cpu"] * 2}).method == "delta_stepping"


def test_several_gpus_search_in_rounds(team, caplog):
    with caplog.at_level(logging.INFO, "warpgraph"):
        assert_as_alone(wg.generators.grid(5, 5, seed=0), 0, team)
    assert "chose near_far" in caplog.text


def test_several_gpus_relax_all_edges_of_graphs_with_a_hub(team, caplog):
    matrix = wg.generators.rmat(9, 4, seed=3).to_csr().toarray()
    matrix[0, 1:] = matrix[1:, 0] = 100
    graph = wg.Graph(csr_array(matrix))
    with caplog.at_level(logging.INFO, "warpgraph"):
        for _ in range(2):
            assert_as_alone(graph, 0, team)
    assert "chose bellman_ford" in caplog.text
