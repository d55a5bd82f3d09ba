"""wg.apsp: memory_limit= of the result and of each method; "auto" then chooses what fits."""

import logging

import numpy as np
import pytest

import checks
import warpgraph as wg
from sssp_support import assert_same
from test_apsp import METHODS, random_graph

N_STREETS = 900
#: Distances that Floyd and Warshall's method keeps beside the matrix, at least: 15 tiles of 64 rows
#: and columns, the diagonal tile in three forms and a scratch tile.
IN_TILES = (2 * 15 + 3 + 1) * 64**2


def streets(*, shift=0, dtype=np.int32):
    """Make many edges; with `shift`, some edges and no cycles are negative."""
    rng = np.random.default_rng(0)
    tail, head = rng.integers(0, N_STREETS, (2, 40 * N_STREETS))
    potential = shift * rng.integers(-99, 100, N_STREETS)
    weights = rng.integers(1, 100, len(tail)) + potential[head] - potential[tail]
    return wg.Graph.from_edges(tail, head, weights.astype(dtype), n_vertices=N_STREETS)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("trees", [False, True])
@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("where", ["cpu", ["cpu", "cpu"]], ids=str)
def test_auto_searches_if_the_matrix_does_not_fit(dtype, trees, shift, where, caplog):
    graph = streets(shift=shift, dtype=dtype)
    assert (graph.data.min() < 0) == (shift > 0)
    how = {"dtype": dtype, "return_predecessors": trees, "device": where}
    expected = wg.apsp(graph, method="floyd_warshall", **how)
    how["memory_limit"] = IN_TILES * np.dtype(dtype).itemsize - 1 + 4 * N_STREETS**2 * trees
    out = np.empty((N_STREETS, N_STREETS), dtype)
    with checks.raises_sentence(MemoryError, "memory_limit"):
        wg.apsp(graph, method="floyd_warshall", out=out, **how)
    caplog.set_level(logging.INFO, "warpgraph")
    found = wg.apsp(graph, out=out, **how)
    assert "many_to_many instead of floyd_warshall: the matrix of all" in caplog.text
    checks.assert_same_bits(found if trees else (found,), expected if trees else (expected,))


def test_auto_writes_a_file_that_searches_can_write(tmp_path):
    out = np.memmap(tmp_path / "distances", np.int32, "w+", shape=(N_STREETS, N_STREETS))
    how = {"dtype": "int32", "memory_limit": 4 * IN_TILES - 1, "device": "cpu"}
    assert wg.apsp(streets(), out=out, **how) is out
    assert_same(np.asarray(out), wg.apsp(streets(), dtype="int32", device="cpu"))


def test_memory_does_not_change_bits_of_rounded_sums():
    graph = random_graph(N_STREETS, 60, 0)
    how = {"out": np.empty((N_STREETS, N_STREETS)), "memory_limit": 8 * IN_TILES - 1}
    with checks.raises_sentence(MemoryError, "memory_limit", "many_to_many"):
        wg.apsp(graph, device="cpu", **how)
    wg.apsp(graph, method="many_to_many", device="cpu", **how)


def test_a_memory_error_in_the_progress_callable_reaches_the_caller():
    error, reports = MemoryError("of the caller"), []

    def report(*step):
        reports.append(step)
        raise error

    with pytest.raises(MemoryError) as caught:
        wg.apsp(streets(), progress=report, device="cpu")
    assert caught.value is error
    assert len(reports) == 1


def test_searches_count_predecessors_once():
    how = {"method": "many_to_many", "dtype": "int32", "return_predecessors": True, "device": "cpu"}
    n_bytes = 2 * 4 * N_STREETS**2
    shape = (N_STREETS, N_STREETS)
    assert wg.apsp(streets(), memory_limit=n_bytes + 10**6, **how)[1].shape == shape
    with checks.raises_sentence(MemoryError, "memory_limit"):
        wg.apsp(streets(), memory_limit=n_bytes + 10_000, **how)


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_result_beyond_memory(method, device):
    graph = random_graph(400, 2, 3)
    how = {"method": method, "device": device}
    needed = 8 * 400 * 400
    with checks.raises_sentence(MemoryError, needed, 10**6, "out=", "memmap", "dtype"):
        wg.apsp(graph, memory_limit=10**6, **how)
    with checks.raises_sentence(MemoryError, needed + 4 * 400 * 400, 1500000, "predecessors"):
        wg.apsp(graph, memory_limit=1500000, return_predecessors=True, **how)


def test_work_beyond_memory(device):
    graph = random_graph(400, 2, 3)
    how = {"out": np.empty((400, 400)), "memory_limit": 10, "device": device}
    with checks.raises_sentence(MemoryError, "10 bytes"):
        wg.apsp(graph, method="floyd_warshall", **how)
    with checks.raises_sentence(MemoryError, "10 bytes"):
        wg.apsp(graph, method="many_to_many", **how)
