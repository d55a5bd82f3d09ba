"""Rivals of benchmarks: their versions, their input, and how often they run."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import warpgraph as wg
from benchmark_support import BENCHMARKS, load


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


@pytest.mark.skipif(not Path("/usr/include/boost/heap").exists(), reason="there is no Boost")
def test_heaps_of_others_find_the_same_distances(tmp_path, monkeypatch):
    source, program = BENCHMARKS / "rivals" / "heaps.cpp", tmp_path / "heaps"
    subprocess.run(["g++", "-O1", "-std=c++17", source, "-o", program], check=True)
    monkeypatch.setenv("WARPGRAPH_HEAPS", str(program))
    many = load("paths.bench_many_to_many")
    graph = wg.generators.grid(20, 30, seed=1, weights=(1, 1000), dtype=np.float64)
    matrix = load("inputs").matrix_of(graph)
    origins = np.arange(0, 600, 37)
    theirs = load("rivals.ecl").heaps_of_one_core(lambda _: origins, lambda m: range(m.shape[0]))
    assert len(theirs) == 4
    expected = wg.many_to_many(graph, origins, dtype=np.float32, method="dijkstra", device="cpu")
    x = load("harness").Input(matrix, graph, "cpu", 2)
    for name, search in theirs.items():
        found = search(x)
        assert many.agree_in_columns(expected.astype(np.float64), found.result), name
        assert not many.agree_in_columns(expected + 1, found.result)
        assert load("others").place(name, {"device": "cpu", "threads": 2}) == "1 core"
    assert set(theirs) == load("others").HEAPS_OF_OTHERS
    seed = load("experiments.seed_002")
    taken = {"case": "1024 origins, x, float32", "ours": "warpgraph", "threads": 2, "device": "cpu"}
    named = seed.contestants_of(taken | {"medians": dict.fromkeys(["warpgraph", *theirs], 1.0)})
    assert list(named) == ["buckets, 2 threads", *theirs]
