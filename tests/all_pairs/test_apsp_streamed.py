"""wg.apsp on GPUs without memory for the matrix, which passes through in pieces."""

import gc
import logging
import time
from itertools import cycle, islice

import numpy as np
import pytest

import checks
import warpgraph as wg
from sssp_support import DTYPES, assert_same
from test_apsp import random_graph
from test_apsp_options import stopped_after
from warpgraph import _core

GPUS = wg.devices()[1:]
over_gpus = pytest.mark.parametrize("gpu", GPUS[:1])
over_lists = pytest.mark.parametrize(
    "gpus",
    [pytest.param(list(islice(cycle(GPUS), n)), id=f"cuda-{n}") for n in (1, 2, 3, 5, 8) if GPUS],
)

N = 601
SIDE, TILE = 640, 64  # as the core divides this number of vertices


def least_memory(item):
    """Return the bytes of stages and bands of one tile each: panels, corner and four bands."""
    return item * (6 * TILE * SIDE + TILE * TILE) + 64


def members_of_a_device(gpus):
    """Return how many members share the first device, which has most."""
    return gpus.count(gpus[0])


def short_paths(seed):
    """Make a graph with integer weights whose distances fit 16 bits."""
    graph = random_graph(N, 3, seed, integers=True)
    graph.data %= 50
    return graph


def run(graph, gpu, **options):
    """Return distances, and the number of passes of the matrix through the device."""
    totals = set()
    out = options.pop("out", None)
    if out is None:
        out = np.empty(graph.shape, options.get("dtype", np.float64))
    found = wg.apsp(
        graph,
        method="floyd_warshall",
        device=gpu,
        out=out,
        progress=lambda _, total: totals.add(total),
        **options,
    )
    assert found is out
    (total,) = totals
    return out, total // N if total % N == 0 else 0


@over_gpus
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("integers", [False, True])
def test_bits_are_those_of_the_whole_matrix(dtype, integers, gpu):
    if np.dtype(dtype).kind == "i" and not integers:
        pytest.skip("integers are integers")
    graph = short_paths(1).astype(dtype) if integers else random_graph(N, 3, 1, dtype=dtype)
    whole, passes = run(graph, gpu, dtype=dtype)
    assert passes == 0
    item = 2 if integers else np.dtype(dtype).itemsize
    for memory, stages in ((least_memory(item), 10), (350_000 * item, 5)):
        pieces, passes = run(graph, gpu, dtype=dtype, memory_limit=memory)
        assert passes == stages
        assert_same(pieces, whole)
    assert_same(whole, wg.apsp(graph, method="floyd_warshall", dtype=dtype, device="cpu"))


@over_gpus
def test_into_a_file_and_between_other_columns(gpu, tmp_path):
    graph = short_paths(2)
    whole, _ = run(graph, gpu)
    file = np.memmap(tmp_path / "distances", np.float64, "w+", shape=(N, N))
    run(graph, gpu, out=file, memory_limit=least_memory(2))
    file.flush()
    assert_same(np.fromfile(tmp_path / "distances").reshape(N, N), whole)
    wide = np.full((N, N + 9), -1.0)
    run(graph, gpu, out=wide[:, 4 : N + 4], memory_limit=least_memory(2))
    assert_same(np.ascontiguousarray(wide[:, 4 : N + 4]), whole)
    assert (wide[:, :4] == -1).all()
    assert (wide[:, N + 4 :] == -1).all()


@over_gpus
def test_wide_sums_for_narrow_distances(gpu):
    """Sums that are proven to fit 64 bits only have memory of their own."""
    rng = np.random.default_rng(3)
    tail, head = rng.integers(0, N, (2, 4 * N))
    weight = rng.integers(0, 2**24, 4 * N).astype(np.int32)
    weight[0] = 2**31 - 2
    graph = wg.Graph.from_edges(tail, head, weight, n_vertices=N).to_csr()
    whole, _ = run(graph, gpu, dtype="int32")
    pieces, passes = run(graph, gpu, dtype="int32", memory_limit=least_memory(8))
    assert passes == 10
    assert_same(pieces, whole)


@over_gpus
def test_a_negative_cycle_in_a_late_stage(gpu):
    graph = random_graph(N, 3, 4).tolil()
    graph[500, 590], graph[590, 500] = 1.0, -1.5
    with pytest.raises(wg.NegativeCycleError) as caught:
        run(graph.tocsr(), gpu, memory_limit=least_memory(8))
    with pytest.raises(wg.NegativeCycleError) as expected:
        run(graph.tocsr(), gpu)
    assert caught.value.vertex == expected.value.vertex


@over_gpus
def test_overflow_names_the_first_distance(gpu):
    graph = random_graph(N, 1, 5, dtype=np.int32, integers=True).tolil()
    graph[N - 2, N - 1] = 2**31 - 2
    graph[0, N - 2] = 7
    sentences = []
    for memory in (None, least_memory(8)):
        with pytest.raises(OverflowError) as caught:
            run(graph.tocsr(), gpu, dtype="int32", memory_limit=memory)
        sentences.append(str(caught.value))
    assert sentences[0] == sentences[1]


@over_gpus
def test_memory_for_no_piece(gpu):
    graph, least = short_paths(1), least_memory(2)
    with checks.raises_sentence(MemoryError, least, least - 1, "memory_limit", "cpu"):
        run(graph, gpu, memory_limit=least - 1)
    _, passes = run(graph, gpu, memory_limit=least)
    assert passes == 10


@over_gpus
def test_ended_half_way_the_next_call_works(gpu):
    graph = short_paths(6)

    def stop(done, total):
        if done > total / 2:
            raise RuntimeError("enough")

    how = {"method": "floyd_warshall", "device": gpu, "memory_limit": least_memory(2)}
    with pytest.raises(RuntimeError, match="enough"):
        wg.apsp(graph, out=np.empty((N, N)), progress=stop, **how)
    steps = []
    found = wg.apsp(graph, out=np.empty((N, N)), progress=lambda *s: steps.append(s[0]), **how)
    assert_same(found, run(graph, gpu)[0])
    assert steps == sorted(steps)
    assert steps[-1] == 10 * N


@over_gpus
def test_results_on_the_device_are_made_in_its_memory(gpu):
    """They are on the device already and need not pass through the host."""
    graph = random_graph(N, 3, 1)
    out = wg._core.device_array((N, N), np.dtype(np.float64), gpu)
    with checks.raises_sentence(MemoryError, "all pairs", "memory_limit"):
        wg.apsp(graph, method="floyd_warshall", out=out, memory_limit=least_memory(8))


@over_lists
@pytest.mark.parametrize(("dtype", "item"), [("float64", 8), ("int64", 4)])
def test_several_devices_give_the_bits_of_one(dtype, item, gpus):
    """Each member has its part of the limit, which decides about the number of stages."""
    graph = random_graph(N, 3, 8, dtype=dtype, integers=np.dtype(dtype).kind == "i")
    if np.dtype(dtype).kind == "i":
        graph.data += 2**15  # sums of 32 bits or more
    expected = wg.apsp(graph, method="floyd_warshall", dtype=dtype, device="cpu")
    n = members_of_a_device(gpus)
    for memory, stages in ((least_memory(item), 10), (350_000 * item, 5)):
        pieces, passes = run(graph, gpus, dtype=dtype, memory_limit=n * memory)
        assert passes == stages
        assert_same(pieces, expected)


@over_lists
def test_several_devices_with_16_bits_undirected_unweighted(gpus):
    graph, memory = short_paths(9), members_of_a_device(gpus) * least_memory(2)
    for options in ({}, {"unweighted": True}, {"return_predecessors": True}):
        how = {"method": "floyd_warshall", **options}
        expected = wg.apsp(graph, device="cpu", **how)
        # Of the limit, the host takes 4 bytes for each predecessor first.
        limit = memory + 4 * N * N * ("return_predecessors" in options)
        found = wg.apsp(graph, device=gpus, out=np.empty((N, N)), memory_limit=limit, **how)
        if "return_predecessors" in options:
            assert_same(found[1], expected[1])
            found, expected = found[0], expected[0]
        assert_same(found, expected)


@over_gpus
def test_rows_lie_on_the_gpus_of_a_list(gpu, caplog):
    graph = random_graph(200, 3, 3)
    with caplog.at_level(logging.INFO, "warpgraph"):
        found = wg.apsp(graph, method="floyd_warshall", device=["cpu", gpu, gpu])
    assert "GPUs of the list only" in caplog.text
    assert_same(found, wg.apsp(graph, method="floyd_warshall", device="cpu"))


@over_gpus
def test_a_matrix_beyond_the_memory_of_all_passes_through_them(gpu):
    graph, how = random_graph(N, 3, 3), {"method": "floyd_warshall"}
    expected = wg.apsp(graph, device="cpu", **how)
    how["device"] = [gpu] * 2
    for limit in (3_000_000, 6_000_000, 60_000_000):
        out = np.empty((N, N))
        assert_same(wg.apsp(graph, memory_limit=limit, out=out, **how), expected)
    with pytest.raises(MemoryError, match="memory_limit"):
        wg.apsp(graph, memory_limit=100_000, out=out, **how)


@over_lists
def test_memory_for_some_members_only(gpus):
    """Members without memory have no rows; at least one must have it."""
    graph = short_paths(1)
    _, passes = run(graph, gpus, memory_limit=least_memory(2))
    assert passes == 10
    with checks.raises_sentence(MemoryError, least_memory(2), "memory_limit"):
        run(graph, gpus, memory_limit=least_memory(2) - 1)


@over_lists
def test_errors_on_several_devices(gpus):
    memory = members_of_a_device(gpus) * least_memory(8)
    graph = random_graph(N, 3, 4).tolil()
    graph[500, 590], graph[590, 500] = 1.0, -1.5
    with pytest.raises(wg.NegativeCycleError) as caught:
        run(graph.tocsr(), gpus, memory_limit=memory)
    assert caught.value.vertex in (500, 590)
    overflow = random_graph(N, 1, 5, dtype=np.int32, integers=True).tolil()
    overflow[N - 2, N - 1] = 2**31 - 2
    overflow[0, N - 2] = 7
    sentences = []
    for how in ({"gpu": gpus[0]}, {"gpu": gpus, "memory_limit": memory}):
        with pytest.raises(OverflowError) as caught:
            run(overflow.tocsr(), dtype="int32", **how)
        sentences.append(str(caught.value))
    assert sentences[0] == sentences[1]


@over_lists
def test_several_devices_ended_half_way_and_called_again(gpus):
    graph, n = short_paths(6), members_of_a_device(gpus)

    def stop(done, total):
        if done > total / 2:
            raise RuntimeError("enough")

    how = {"method": "floyd_warshall", "device": gpus, "memory_limit": n * least_memory(2)}
    with pytest.raises(RuntimeError, match="enough"):
        wg.apsp(graph, out=np.empty((N, N)), progress=stop, **how)
    steps = []
    found = wg.apsp(graph, out=np.empty((N, N)), progress=lambda *s: steps.append(s[0]), **how)
    assert_same(found, run(graph, gpus[0])[0])
    assert steps == sorted(steps)
    assert steps[-1] == 10 * N


def blocks_on_devices():
    """Return how many blocks the module has there, if its build counts them (make faults)."""
    gc.collect()
    if not hasattr(_core, "allocated"):
        return 0
    _core.free_idle_pinned()
    return _core.allocated(True)["blocks"]


@over_lists
@pytest.mark.usefixtures("no_gc_callbacks")
def test_ctrl_c_at_any_moment(gpus):
    """It ends the call, which then writes and leaks nothing; the next one is right."""
    graph, n = short_paths(10), members_of_a_device(gpus)
    wide = np.full((N, N + 9), -1.0)
    out = wide[:, 4 : N + 4]
    how = {"device": gpus, "memory_limit": n * least_memory(2), "out": out}

    def search():
        wg.apsp(graph, method="floyd_warshall", **how)

    search()
    expected, before = wide.copy(), blocks_on_devices()
    started = time.perf_counter()
    search()
    whole = time.perf_counter() - started
    for moment in np.random.default_rng().uniform(0, 1, 4):
        late = stopped_after(max(moment * whole, 1e-4), search)
        assert checks.EMULATED or late < 2
        left = wide.copy()
        time.sleep(0.05)
        assert_same(wide, left)
        assert blocks_on_devices() == before
        search()
        assert_same(wide, expected)
