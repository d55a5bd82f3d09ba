"""Calls of many equal pieces: several ways share the sources of a table, which stays the same."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import warpgraph as wg
from device_lists import machine, plan_for
from warpgraph import _core
from warpgraph._paths import many_to_many_search

KNOWN = {"has_negative": False, "longest_row": 40}
KNOWN |= {f"bytes of {method}": 1 << 20 for method in ("batched", "dijkstra")}
LARGE = KNOWN | {"n_vertices": 100_000, "n_arcs": 3_000_000, "levels": 8.0}
METHODS = st.sampled_from(["dijkstra", "batched"])
SECONDS = st.floats(1e-9, 1e3)


def ways_of(facts=LARGE, *, gpus=1, device="auto", **request):
    asked = {"n_sources": 256, "n_targets": 1000, **request}
    return plan_for("many_to_many", facts, on=machine(gpus), device=device, **asked)


def test_short_calls_have_one_way():
    small = LARGE | {"n_vertices": 1000, "n_arcs": 5000}
    assert ways_of(small).ways == []
    assert ways_of(small, gpus=0).ways == []


def test_two_methods_are_measured_in_turn_where_the_call_is_long():
    plan = ways_of(gpus=0, n_sources=20_000)
    assert plan.devices == ["cpu"]
    assert {way[0] for way in plan.ways} == {"dijkstra", "batched"}
    assert plan.method == plan.ways[0][0]
    assert sum(way[2] for way in plan.ways) < 20_000 / 4


@pytest.mark.parametrize(
    "change",
    [
        {"method": "dijkstra"},
        {"has_limit": True},
        {"n_targets": 3},
    ],
)
def test_no_other_way_than_one_that_is_named_or_ends_early(change):
    assert ways_of(gpus=0, n_sources=20_000, **change).ways == []


SIZES = [round(64 * 1.3**i) for i in range(25)]


@pytest.fixture
def slow_gpu():
    """A GPU that is a few times as fast as the cores, not ten times."""
    _core.set_scales(1, 8)
    yield
    _core.set_scales(1, 1)


def test_cores_and_a_gpu_work_at_the_same_time_where_both_gain(slow_gpu):
    plans = [ways_of(LARGE, n_sources=n) for n in SIZES]
    both = [plan for plan in plans if len(plan.devices) == 2]
    assert both
    for plan in both:
        assert plan.devices == ["cpu", "cuda:0"]
        (by_cores, *_), (_, on_gpu, *_) = plan.ways
        assert plan.method == by_cores
        assert on_gpu


def test_results_on_a_device_and_named_devices_keep_the_call_at_one_place(slow_gpu):
    for n in SIZES:
        for how in ({"results_on_device": True}, {"device": ["cpu"]}, {"device": ["cuda:0"]}):
            assert len(ways_of(LARGE, n_sources=n, **how).devices) == 1


def fill(graph, sources, targets, ways, devices, report=None):
    n = graph.n_vertices
    call = many_to_many_search.Call(
        graph=graph,
        unweighted=False,
        dtype=graph.dtype,
        sources=sources,
        targets=targets,
        distances=np.empty((len(sources), n if targets is None else len(targets)), graph.dtype),
        predecessors=np.empty((len(sources), n), np.int32),
        limit=np.inf,
    )
    ledger = _core.ledger(0)
    many_to_many_search.fill(call, ("dijkstra", ""), devices, ledger, report, ways)
    return call.distances, call.predecessors


def drawn_ways(on_gpu):
    way = st.tuples(METHODS, st.just(on_gpu), st.integers(1, 40), SECONDS, SECONDS)
    return st.tuples(way, way)


@pytest.fixture(scope="module")
def table():
    graph = wg.generators.rmat(8, seed=3, weights=(1, 9), dtype=np.float64)
    sources = np.random.default_rng(0).integers(0, graph.n_vertices, 70).astype(np.int32)
    expected = wg.many_to_many(graph, sources, method="dijkstra", return_predecessors=True)
    return graph, sources, expected


@settings(max_examples=25)
@given(ways=drawn_ways(on_gpu=False))
def test_no_clock_and_no_forecast_changes_a_bit(table, ways):
    graph, sources, expected = table
    for found, right in zip(fill(graph, sources, None, ways, ["cpu"]), expected, strict=True):
        np.testing.assert_array_equal(found, right)


@pytest.mark.cuda
@settings(max_examples=10)
@given(on_cores=drawn_ways(on_gpu=False), on_gpu=drawn_ways(on_gpu=True))
def test_a_gpu_beside_the_cores_changes_no_bit(table, on_cores, on_gpu):
    graph, sources, expected = table
    for ways, devices in (
        ((on_cores[0], on_gpu[1]), ["cpu", "cuda:0"]),
        (on_gpu, ["cuda:0"]),
    ):
        for found, right in zip(fill(graph, sources, None, ways, devices), expected, strict=True):
            np.testing.assert_array_equal(found, right)


def test_progress_counts_all_sources_once(table):
    graph, sources, _ = table
    reports = []
    ways = [("dijkstra", False, 7, 0.0, 1.0), ("batched", False, 20, 0.0, 1.0)]
    fill(graph, sources, None, ways, ["cpu"], lambda *report: reports.append(report))
    assert reports[-1] == (len(sources), len(sources))
    assert reports == sorted(reports)
    assert {total for _, total in reports} == {len(sources)}


def test_errors_of_a_piece_end_the_call():
    """Distances beyond int32 are found in whatever piece they are."""
    graph = wg.Graph.from_edges([0, 1], [1, 2], np.array([2**30, 2**30], np.int32), n_vertices=3)
    sources = np.array([2, 2, 2, 0], np.int32)
    ways = [("dijkstra", False, 1, 0.0, 1.0), ("batched", False, 1, 0.0, 1.0)]
    call = many_to_many_search.Call(
        graph=graph,
        unweighted=False,
        dtype=np.dtype(np.int32),
        sources=sources,
        distances=np.empty((4, 3), np.int32),
        predecessors=np.empty((0, 3), np.int32),
        limit=np.iinfo(np.int32).max,
    )
    with pytest.raises(OverflowError, match="1073741824 of vertex 1"):
        many_to_many_search.fill(call, ("dijkstra", ""), ["cpu"], _core.ledger(0), None, ways)
