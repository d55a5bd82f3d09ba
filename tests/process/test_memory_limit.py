"""Calls with memory_limit= stay within it, beside their results.

In a build with WARPGRAPH_FAULTS, the core counts its allocations exactly, and tracemalloc counts
those of NumPy. With other builds, the tests read the resident memory of the process from Linux.
"""

from __future__ import annotations

import functools
import gc
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import calls
import checks
import limited_inputs
import warpgraph as wg
from warpgraph import _core

COUNTS = hasattr(_core, "allocated")
MIB = 1 << 20
#: Tolerance beside a tenth: memory independent of the problem, and code that is loaded at first
#: use.
SLACK = MIB // 8 if COUNTS else 6 * MIB
#: The least sufficient limit is searched to within this factor; resident memory is known no better
#: than SLACK.
FACTOR = 1.03 if COUNTS else 1.3


class _Peak:
    """The most bytes that were in use within the block, beyond those in use before."""

    def __enter__(self):
        gc.collect()
        if COUNTS:
            self._before = _core.allocated(forget_peak=True)["bytes"]
            tracemalloc.start()
        else:
            if checks.SANITIZED:
                pytest.skip("a sanitizer has memory of its own")
            try:
                Path("/proc/self/clear_refs").write_text("5")
            except OSError:
                pytest.skip("the system does not report the memory of a call")
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
    return wg.Graph(wg.generators.grid(170, 170, seed=3, weights=(1, 1000)).to_csr())


def _prepared_grid(draw=None):
    """Make a graph that has kept a hierarchy, and nothing else that searches make."""
    graph, prepared = _grid_and_hierarchy(draw)
    new = wg.Graph.from_csr(graph.indptr, graph.indices, graph.data)
    new._derive("hierarchy", lambda: prepared)
    return new


@functools.cache
def _grid_and_hierarchy(draw):
    graph = _grid()
    if draw is not None:
        graph = wg.Graph.from_csr(graph.indptr, graph.indices, draw(graph.n_edges))
    return graph, wg.Hierarchy(graph)._prepared


def _tenths(n):
    return np.full(n, 0.1)


def _path(graph, limit, method="hierarchy"):
    return wg.shortest_path(graph, 0, 28_899, method=method, memory_limit=limit)[1].nbytes


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
    return np.random.default_rng(0).random((20_000, 12))


# Each makes an input, calls with a limit, and returns the bytes of the result.
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


@functools.cache
def _arrows_of_rmat():
    return wg.generators.rmat(17, 16, seed=1, weights=(1, 1000), directed=True)


def _arrows():
    return wg.Graph(_arrows_of_rmat())


@functools.cache
def _rmat_and_its_forest():
    graph = wg.generators.rmat(17, 16, seed=1, weights=(1, 1000))
    return graph, wg.minimum_spanning_forest(graph, device="cpu")


def _rmat():
    return wg.Graph(_rmat_and_its_forest()[0])


def _forest_and_edges(dtype, is_sorted):
    forest = _rmat_and_its_forest()[1]
    random = np.random.default_rng(0)
    edges = random.integers(0, forest.n_vertices, (500_000, 2)).astype(dtype)
    weights = random.integers(1, 1000, len(edges)).astype(forest.weights.dtype)
    ids = np.arange(len(edges)) + 10**9
    return forest, np.sort(edges, axis=1) if is_sorted else edges, weights, ids


def _extend(problem, limit):
    return _bytes(wg.extend_forest(*problem, memory_limit=limit, device="cpu"))


def _chain():
    n = 1_000_000
    return wg.Graph.from_edges(np.arange(n - 1), np.arange(1, n), n_vertices=n)


def _parallel_arrows():
    row, col = np.random.default_rng(0).integers(0, 300, (2, 1_000_000))
    weights = row * col % 997 + 0.5
    return wg.Graph.from_edges(row, col, weights, n_vertices=300)


def _inexact_star():
    graph = _star()
    return wg.Graph.from_csr(graph.indptr, graph.indices, graph.data.astype(np.float64))


def _large_star():
    spokes = np.arange(1, 1_000_001)
    return wg.Graph.from_edges(np.zeros_like(spokes), spokes, n_vertices=len(spokes) + 1)


def _entries_of_rmat():
    graph = _rmat()
    return graph, np.arange(0, graph.n_edges, 2)


_BOTH_WAYS = {"directed": False, "device": "cpu"}

# The same, for calls that first derive a large structure from the graph. The peaks of the core and
# of NumPy occur at different times, but are added. So no call both stores edges both ways and
# converts weights.
LARGE_CALLS = {
    "bfs, both ways": (_arrows, lambda g, m: wg.bfs(g, 0, memory_limit=m, **_BOTH_WAYS).nbytes),
    "bfs of a chain, both ways": (
        _chain,
        lambda g, m: wg.bfs(g, 0, memory_limit=m, **_BOTH_WAYS).nbytes,
    ),
    "sssp, both ways": (
        _arrows,
        lambda g, m: wg.sssp(g, 0, dtype="int32", memory_limit=m, **_BOTH_WAYS).nbytes,
    ),
    "sssp of longer weights": (
        _arrows,
        lambda g, m: wg.sssp(g, 0, dtype="int64", memory_limit=m, device="cpu").nbytes,
    ),
    "sssp of shorter weights": (
        _inexact_star,
        lambda g, m: wg.sssp(g, 0, dtype="float32", memory_limit=m, device="cpu").nbytes,
    ),
    "sssp of float weights as integers": (
        _inexact_star,
        lambda g, m: wg.sssp(g, 0, dtype="int32", memory_limit=m, device="cpu").nbytes,
    ),
    "many_to_many, both ways": (
        _arrows,
        lambda g, m: (
            wg.many_to_many(g, [0], [1], dtype="int32", memory_limit=m, **_BOTH_WAYS).nbytes
        ),
    ),
    "many_to_many with a hierarchy": (
        _grid,
        lambda g, m: (
            wg.many_to_many(
                g, range(600), range(8), method="hierarchy", memory_limit=m, device="cpu"
            ).nbytes
        ),
    ),
    "shortest_path in a hierarchy": (_prepared_grid, _path),
    "shortest_path in a hierarchy, ties that round": (
        lambda: _prepared_grid(_tenths),
        _path,
    ),
    "shortest_path by landmarks": (_one_way_grid, functools.partial(_path, method="alt")),
    "many_to_many, which may make a hierarchy": (
        _grid,
        lambda g, m: wg.many_to_many(g, range(600), range(8), memory_limit=m, device="cpu").nbytes,
    ),
    "components on three endpoints": (
        lambda: wg.Graph(wg.generators.grid(600, 600, seed=3)),
        lambda g, m: wg.connected_components(g, memory_limit=m, device=["cpu"] * 3)[1].nbytes,
    ),
    "apsp, both ways": (
        _parallel_arrows,
        lambda g, m: wg.apsp(g, memory_limit=m, **_BOTH_WAYS).nbytes,
    ),
    "Hierarchy, both ways": (
        _one_way_grid,
        lambda g, m: wg.Hierarchy(g, directed=False, memory_limit=m).nbytes,
    ),
    "local_forest of many entries": (
        _entries_of_rmat,
        lambda p, m: _bytes(_local(p[0], m, entries=p[1])),
    ),
    "local_forest of a mask": (
        lambda: (_rmat(), np.arange(_rmat().n_edges) % 2 == 0),
        lambda p, m: _bytes(_local(p[0], m, entries=p[1])),
    ),
    "extend_forest": (lambda: _forest_and_edges(np.int32, True), _extend),
    "extend_forest, edges unsorted": (lambda: _forest_and_edges(np.int64, False), _extend),
    "merge_forests": (
        lambda: _rmat_and_its_forest()[1],
        lambda f, m: _bytes(wg.merge_forests(f, f, f, memory_limit=m, device="cpu")),
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


@pytest.mark.parametrize("name", LARGE_CALLS)
def test_stays_within_the_least_limit(name):
    make, call = LARGE_CALLS[name]
    wg.set_num_threads(2)
    try:
        too_little, enough = 2 * MIB, 512 * MIB
        assert not _stays_within(make(), call, too_little)
        assert _stays_within(make(), call, enough)
        while enough > FACTOR * too_little:
            limit = int((too_little * enough) ** 0.5)
            if _stays_within(make(), call, limit):
                enough = limit
            else:
                too_little = limit
    finally:
        wg.set_num_threads(0)


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
    assert peak.bytes <= most, f"{peak.bytes / MIB:.1f} MiB, {limit / MIB:.1f} were allowed"
    return sentence is None


def _many(sources, **how):
    return lambda g, m: (
        wg.many_to_many(g, np.arange(sources), memory_limit=m, device="cpu", **how).nbytes
    )


def _sssp(method, **how):
    return lambda g, m: wg.sssp(g, 0, method=method, memory_limit=m, device="cpu", **how).nbytes


SEARCHES = {
    **{
        f"sssp, {method}": _sssp(method)
        for method in ("dijkstra", "delta_stepping", "bellman_ford")
    },
    "sssp, workers": lambda g, m: wg.sssp(g, 0, memory_limit=m, device=["cpu"] * 3).nbytes,
    "sssp, float32": _sssp("delta_stepping", dtype="float32"),
    "many_to_many": _many(4, method="dijkstra"),
    "many_to_many, targets": _many(4, method="dijkstra", targets=[3, 9] * 5),
    "many_to_many, batched": _many(20, method="batched"),
    "many_to_many, hops": _many(100, method="batched", unweighted=True),
}
GRAPHS = {
    "convex": limited_inputs.convex,
    "both ways": limited_inputs.convex_both_ways,
    "star": limited_inputs.random_star,
}


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("graph", GRAPHS)
def test_searches_stay_within_the_least_limit(graph, search, threads):
    _keeps_to_its_least(GRAPHS[graph](), SEARCHES[search], threads)


@pytest.mark.parametrize("threads", [1, 4])
def test_searches_from_all_vertices_stay_within_the_least_limit(threads):
    def apsp(g, m):
        return wg.apsp(g, method="many_to_many", memory_limit=m, device="cpu").nbytes

    _keeps_to_its_least(limited_inputs.convex_of(700), apsp, threads)


#: For calls that look at all triangles.
_GRAPHS = {"truss_numbers": limited_inputs.convex_of_few_triangles}
#: Of calls that compare all pairs of points.
_N_POINTS = {"cluster.validity_index": 8000}


@calls.every("call", calls.calls("memory_limit", takes="any"))
@pytest.mark.parametrize("threads", [1, 4])
def test_every_function_stays_within_its_least_limit(call, threads):
    given = {
        "graph": _GRAPHS.get(call.name, lambda: limited_inputs.convex_of(700)),
        "points": lambda: np.random.default_rng(0).random((_N_POINTS.get(call.name, 20_000), 3)),
    }.get(call.takes, lambda: calls.small_input(call))()

    def run(given, limit):
        found = calls.run_on("cpu", call, given, {"memory_limit": limit})
        return sum(part.nbytes for part in found)

    _keeps_to_its_least(given, run, threads)


def _keeps_to_its_least(graph, call, threads):
    wg.set_num_threads(threads)
    try:
        limit = _least_limit(graph, call)
        with _Peak() as peak:
            call(graph, limit)
    finally:
        wg.set_num_threads(0)
    # Here a limit includes the returned arrays.
    most = 1.1 * limit + SLACK
    assert peak.bytes <= most, f"{peak.bytes} bytes, {limit} were allowed"


def _least_limit(graph, call):
    """Return the least accepted limit: the sum of what the errors report as missing."""
    limit = 1
    for _ in range(10):
        try:
            call(graph, limit)
        except MemoryError as error:
            needed, left = (int(n) for n in re.findall(r"(\d+) bytes", str(error))[:2])
            assert needed > left
            limit += needed - left
        else:
            return limit
    raise AssertionError("what errors ask for is not enough")


def test_what_a_device_has_memory_for(device):
    assert _core.has_memory(device, 1 << 30, 1 << 30) or _core.free_memory(device) < 1 << 30
    assert _core.has_memory(device, 1, 0)
    assert not _core.has_memory(device, 2, 1)
    assert not _core.has_memory(device, 1 << 60, 0)
