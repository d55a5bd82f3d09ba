"""Boruvka over sorted rows: on CPU cores, and with compressed heads."""

import signal

import numpy as np
import pytest
from hypothesis import given, strategies as st

import checks
import graphs
import oracles
import test_memory_limit
import warpgraph as wg
from device_lists import GPUS
from graphs import SAMPLES, csr_graphs, over_samples
from laboratory import laboratory
from test_mst import reference
from test_mst_passes import DISTRIBUTIONS, dense_random
from warpgraph import _core

#: Place, threads, and whether heads are compressed.
WAYS = [
    ("cpu", 1, False),
    ("cpu", 4, False),
    ("cpu", 4, True),
    *((gpu, 0, True) for gpu in GPUS[:1]),
]


def name_of(way):
    place, threads, compressed = way
    return f"{place}-{threads}threads" + "-compressed" * compressed


@pytest.fixture(params=WAYS, ids=name_of)
def solve(request):
    """Return a function that finds the edge ids of a graph's forest."""
    device, threads, compressed = request.param

    def ids_of(graph, *, progress=None, memory_limit=0, **how):
        upper, positions = wg.Graph(graph)._upper_triangle()
        how |= {"compressed": compressed, "ledger": _core.ledger(memory_limit)}
        _, _, ids = laboratory.boruvka(upper._handle, upper.dtype, device, progress, **how)
        return ids if positions is None else positions[ids]

    laboratory.set_num_threads(threads)
    yield ids_of
    laboratory.set_num_threads(0)


@over_samples()
@pytest.mark.parametrize("maximum", [False, True])
def test_samples(graph, maximum, solve):
    """Rows are kept on a device, separately for both orders."""
    kept = wg.Graph(graph)
    for heaviest in (maximum, not maximum, maximum):
        expected = oracles.kruskal(graph, maximum=heaviest)
        assert solve(kept, maximum=heaviest).tolist() == expected.tolist()


@pytest.mark.parametrize("weights", ["any", "ties", "extremes"])
def test_drawn_graphs(weights, solve):
    @given(csr_graphs(weights=weights), st.booleans())
    def is_kruskals(graph, maximum):
        expected = oracles.kruskal(graph, maximum=maximum)
        assert solve(graph, maximum=maximum).tolist() == expected.tolist()

    is_kruskals()


@pytest.mark.parametrize("store", ["both", "upper", "any"])
@pytest.mark.parametrize("weights", DISTRIBUTIONS)
def test_many_edges(weights, store, solve):
    graph = dense_random(1500, 120_000, weights, store=store, indptr_dtype=np.int64)
    for maximum in (False, True):
        assert (solve(graph, maximum=maximum) == reference(graph, maximum)).all()


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("maximum", [False, True])
def test_takes_all_numbers(maximum, dtype, solve):
    extremes = graphs.extremes_of(dtype)
    n = len(extremes)
    edges = [(v, v + 1, w) for v, w in enumerate(extremes)]
    edges += [(v, v + 1, extremes[-1 - v]) for v in range(n)] + [(0, n, extremes[0])]
    for stored in (edges, graphs.both_ways(edges)):
        graph = graphs.csr(n + 1, stored, dtype)
        expected = oracles.kruskal(graph, maximum=maximum)
        assert solve(graph, maximum=maximum).tolist() == expected.tolist()


def test_memory_limit_just_suffices(solve):
    graph = wg.Graph(SAMPLES["medium_random"])
    expected = solve(graph).tolist()
    low, high = 1, 1 << 30
    with checks.raises_sentence(MemoryError, "memory_limit"):
        solve(wg.Graph(SAMPLES["medium_random"]), memory_limit=low)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            assert solve(graph, memory_limit=middle).tolist() == expected
            high = middle
        except MemoryError:
            low = middle


def test_compressed_heads_stay_within_the_limit():
    def call(graph, limit):
        upper, _ = graph._upper_triangle()
        how = {"compressed": True, "ledger": _core.ledger(limit)}
        return sum(
            array.nbytes
            for array in laboratory.boruvka(upper._handle, upper.dtype, "cpu", None, **how)
        )

    laboratory.set_num_threads(2)
    try:
        outcomes = {
            test_memory_limit._stays_within(test_memory_limit._large_star(), call, limit << 20)
            for limit in (2, 24, 64, 128, 512)
        }
    finally:
        laboratory.set_num_threads(0)
    assert outcomes == {True, False}, "no limit was too small, or none was enough"


def test_progress(solve):
    reports = []
    solve(SAMPLES["medium_random"], progress=lambda done, total: reports.append((done, total)))
    assert reports
    assert reports[-1][0] == reports[-1][1]
    assert reports == sorted(reports)

    def refuse(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        solve(SAMPLES["medium_random"], progress=refuse)


class Interrupted(Exception):  # noqa: N818
    pass


def test_interrupted(solve):
    def stop(signum, frame):
        raise Interrupted

    def work_for_ever():
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        while True:
            solve(graph)

    graph = wg.generators.rmat(14, edge_factor=30, seed=1, weights="uniform")
    expected = wg.minimum_spanning_forest(graph, device="cpu").edge_ids
    previous = signal.signal(signal.SIGALRM, stop)
    try:
        with pytest.raises(Interrupted):
            work_for_ever()
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert (solve(graph) == expected).all()


@pytest.mark.cuda
@pytest.mark.skipif(checks.EMULATED, reason="each module has an emulated device of its own")
@pytest.mark.parametrize("maximum", [False, True])
def test_ids_stay_on_the_device(maximum):
    graph = wg.Graph(SAMPLES["medium_power_law"])
    upper, positions = graph._upper_triangle()
    out = _core.device_array(graph.n_vertices, np.dtype(np.int64), "cuda:0")
    count = laboratory.boruvka_on_device(
        upper._handle, upper.dtype, out, "cuda:0", compressed=True, maximum=maximum
    )
    ids = out.to_numpy()[:count]
    assert (np.diff(ids) > 0).all()
    found = ids if positions is None else positions[ids]
    expected = wg.minimum_spanning_forest(graph, maximum=maximum, device="cpu").edge_ids
    assert sorted(found) == sorted(expected)
