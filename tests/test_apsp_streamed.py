"""wg.apsp on a GPU that is not given the memory for the matrix: it passes through in pieces."""

import numpy as np
import pytest

import checks
import warpgraph as wg
from sssp_support import DTYPES, assert_same
from test_apsp import random_graph

over_gpus = pytest.mark.parametrize("gpu", wg.devices()[1:2])

N = 601
SIDE, TILE = 640, 64  # as the core cuts so many vertices


def least_memory(item):
    """Return the bytes of stages and bands of one tile each: panels, corner and four bands."""
    return item * (6 * TILE * SIDE + TILE * TILE) + 64


def short_paths(seed):
    """Make a graph with integer weights, none of whose paths is longer than 16 bits hold."""
    graph = random_graph(N, 3, seed, integers=True)
    graph.data %= 50
    return graph


def run(graph, gpu, **options):
    """Return distances, and how many times the matrix passed through the device."""
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
    """Sums that only 64 bits are proven to hold have memory of their own."""
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
def test_what_is_measured_can_be_chosen(gpu):
    """Only by those who call the core."""
    graph = short_paths(1)
    whole, _ = run(graph, gpu)
    out, totals = np.empty((N, N)), set()
    handle = wg.Graph(graph).handle_for(np.dtype(np.float64))
    how = (True, False, gpu, lambda _, total: totals.add(total))
    wg._core.apsp(handle, out, np.empty(0, np.int32), *how, stream=(200, 100))
    assert totals == {3 * N}
    assert_same(out, whole)


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
    """They are there already: it makes no sense to pass them through the host."""
    graph = random_graph(N, 3, 1)
    out = wg._core.device_array((N, N), np.dtype(np.float64), gpu)
    with checks.raises_sentence(MemoryError, "all pairs", "memory_limit"):
        wg.apsp(graph, method="floyd_warshall", out=out, memory_limit=least_memory(8))
