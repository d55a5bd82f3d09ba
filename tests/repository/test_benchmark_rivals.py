"""Rivals of benchmarks: their versions, their input, and how often they run."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from benchmark_support import load


def test_results_have_the_versions_of_programs(tmp_path, monkeypatch):
    machine = load("machine")
    program = tmp_path / "bfs"
    program.write_bytes(b"program")
    monkeypatch.setenv("WARPGRAPH_GAP_BFS", str(program))
    assert machine.versions()["gap_bfs"] == "version not said, sha256 1310ca2c8932"
    monkeypatch.setenv("WARPGRAPH_GAP_BFS_VERSION", "b5e3e19")
    assert machine.versions()["gap_bfs"].startswith("b5e3e19, sha256 ")


def test_scipy_gets_its_own_types_and_one_triangle():
    inputs = load("inputs")
    dense = np.array([[0, 5, 0], [5, 0, 2], [0, 2, 0]], np.int32)
    matrix = sp.csr_array(dense)
    for one_triangle, entries in ((False, 4), (True, 2)):
        given = inputs.for_scipy(matrix, one_triangle=one_triangle)
        assert given is inputs.for_scipy(matrix, one_triangle=one_triangle)
        assert (given.dtype, given.indices.dtype, given.nnz) == (np.float64, np.int32, entries)
        assert csgraph.minimum_spanning_tree(given).sum() == 7


def test_a_rival_that_runs_once_runs_again_with_other_threads():
    harness = load("harness")
    calls = []
    once = harness.Once(lambda x: calls.append(x.threads) or x.threads)
    matrix = object()
    for threads in (1, 1, 2, 2):
        assert once(harness.Input(matrix, matrix, "cpu", threads)).result == threads
    assert calls == [1, 2]
