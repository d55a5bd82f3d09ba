"""Calls with memory_limit= stay within it, beside their results.

A build with WARPGRAPH_FAULTS counts to the byte what the core allocates, and tracemalloc what NumPy
does. Other builds look at the memory that the process has touched, which Linux tells.
"""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import warpgraph as wg
from warpgraph import _core

COUNTS = hasattr(_core, "allocated")
MIB = 1 << 20
#: Beside a tenth: what does not depend on the problem, and, touched for the first time, code.
SLACK = MIB // 8 if COUNTS else 6 * MIB


class _Peak:
    """The most bytes that were in use within the block, beyond those in use before."""

    def __enter__(self):
        gc.collect()
        if COUNTS:
            self._before = _core.allocated(forget_peak=True)["bytes"]
            tracemalloc.start()
        else:
            try:
                Path("/proc/self/clear_refs").write_text("5")
            except OSError:
                pytest.skip("the system does not tell how much memory a call touches")
            self._before = self._status("VmRSS")
        return self

    def __exit__(self, *error):
        if COUNTS:
            core = _core.allocated()["peak_bytes"] - self._before
            self.bytes = core + tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        else:
            self.bytes = self._status("VmHWM") - self._before

    @staticmethod
    def _status(name):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024


def _grid():
    return wg.Graph(wg.generators.grid(250, 250, seed=3, weights=(1, 1000)).to_csr())


def _one_way_grid():
    graph = _grid()
    row, col, data = graph.to_edges()
    kept = (row + col) % 3 > 0
    return wg.Graph.from_edges(row[kept], col[kept], data[kept], n_vertices=graph.n_vertices)


def _star():
    spokes = np.arange(1, 300_001)
    weights = (spokes % 997 + 1).astype(np.float32)
    return wg.Graph.from_edges(np.zeros_like(spokes), spokes, weights, n_vertices=len(spokes) + 1)


def _line():
    return wg.Graph.from_edges(np.arange(599_999), np.arange(1, 600_000), n_vertices=600_000)


def _clique():
    row, col = np.divmod(np.arange(1200 * 1200), 1200)
    weights = (row + 1) * (col + 1) % 1009 + 1
    return wg.Graph.from_edges(row, col, weights, n_vertices=1200)


def _half_of_clique():
    graph = _clique()
    return graph, np.arange(0, graph.n_edges, 2)


def _points():
    return np.random.default_rng(0).random((40_000, 12))


# Each makes an input, calls with a limit, and tells how many bytes of the result are kept.
CALLS = {
    "Hierarchy": (_grid, lambda g, m: wg.Hierarchy(g, memory_limit=m).nbytes),
    "Hierarchy, edges one way": (
        _one_way_grid,
        lambda g, m: wg.Hierarchy(g, memory_limit=m).nbytes,
    ),
    "local_forest of rows": (_clique, lambda g, m: _bytes(_local(g, m, rows=(0, 600)))),
    "local_forest of entries": (
        _half_of_clique,
        lambda p, m: _bytes(_local(p[0], m, entries=p[1])),
    ),
    "minimum_spanning_forest": (
        _clique,
        lambda g, m: _bytes(wg.minimum_spanning_forest(g, memory_limit=m, device="cpu")),
    ),
    "strong components": (
        _line,
        lambda g, m: (
            wg.connected_components(g, connection="strong", memory_limit=m, device="cpu")[1].nbytes
        ),
    ),
    "dijkstra": (
        _star,
        lambda g, m: wg.sssp(g, 0, method="dijkstra", memory_limit=m, device="cpu").nbytes,
    ),
    "euclidean_mst": (
        _points,
        lambda x, m: _bytes(wg.cluster.euclidean_mst(x, memory_limit=m, device="cpu")),
    ),
}


def _local(graph, limit, **part):
    return wg.local_forest(graph, **part, memory_limit=limit, device="cpu")


def _bytes(forest):
    return sum(a.nbytes for a in (forest.edges, forest.weights, forest.edge_ids) if a is not None)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("name", CALLS)
def test_stays_within_its_limit(name, threads):
    make, call = CALLS[name]
    wg.set_num_threads(threads)
    try:
        outcomes = {_stays_within(make(), call, limit * MIB) for limit in (2, 6, 12, 24, 48, 200)}
    finally:
        wg.set_num_threads(0)
    assert outcomes == {True, False}, "no limit was too small, or none was enough"


def _stays_within(problem, call, limit):
    """Return whether the call was made; it must not exceed its limit either way."""
    kept, sentence = 0, None
    with _Peak() as peak:
        try:
            kept = call(problem, limit)
        except MemoryError as error:
            sentence = str(error)
    assert sentence is None or ("memory_limit" in sentence and "bytes" in sentence)
    most = 1.1 * limit + kept + SLACK
    assert peak.bytes <= most, f"{peak.bytes / MIB:.1f} MiB, {limit // MIB} were allowed"
    return sentence is None
