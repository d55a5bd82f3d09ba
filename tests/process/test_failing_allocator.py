"""Each public function while the k-th allocation of the core fails, for every k.

The result is right, or the call raises MemoryError; nothing leaks, and the next call is right. The
tests need a build with -DWARPGRAPH_FAULTS=ON: ``make faults``.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import threading
import time
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import calls
import checks
import failing_lists
import failing_points
import graphs
import networkx_support
import warpgraph as wg
from runtime_support import Star
from warpgraph import _core, runtime
from worklist_support import FilteredSearch

pytestmark = pytest.mark.skipif(
    not hasattr(_core, "fail_allocation"), reason="needs a build with WARPGRAPH_FAULTS: make faults"
)

#: Where allocations fail; on an emulated device those of the emulator would fail, too.
KINDS = ["host"]
if len(wg.devices()) > 1:
    KINDS = ["device"] if checks.EMULATED else ["host", "device"]
#: Largest k; many threads allocate in varying order, so a call that never succeeds is an error.
MOST_ALLOCATIONS = 20_000


ROADS = wg.generators.grid(12, 12, seed=3, weights=(1, 1000)).to_csr()
#: Large enough for a hierarchy with vertices outside the core.
STREETS = wg.generators.grid(20, 20, seed=3, weights=(1, 1000)).to_csr()
#: Large enough for several threads, whose loops take thousands of vertices at a time.
WIDE = wg.generators.grid(75, 75, seed=3, weights=(1, 1000)).to_csr()
ONE_WAY = sp.triu(wg.generators.grid(20, 20, seed=3, weights=(1, 9)).to_csr(), format="csr")
FRACTIONS = ROADS * 0.1
HUBS = graphs.SAMPLES["medium_power_law"]
NEGATIVE = graphs.csr(40, [(v, v + 1, (-1.0) ** v) for v in range(39)])


def _forest(forest: wg.SpanningForest) -> list[np.ndarray]:
    return [forest.edges, forest.weights, forest.edge_ids, forest.labels]


def _hierarchy(graph, device, path=None):
    graph = wg.Graph(graph)
    hierarchy = wg.Hierarchy(graph)
    if path is not None:
        hierarchy.save(path)
        graph.clear()
        hierarchy = wg.Hierarchy.load(path, graph)
    return [hierarchy.n_arcs, wg.many_to_many(graph, [0, 1], method="hierarchy", device=device)]


def _path_in_hierarchy(graph, dtype=None):
    graph = wg.Graph(graph)
    ends = 1, graph.n_vertices - 1
    first, again = (
        wg.shortest_path(graph, *ends, method="hierarchy", dtype=dtype, device="cpu")
        for _ in range(2)
    )
    return [first[0], first[1], again[1]]


def _path_by_landmarks(graph, **how):
    graph = wg.Graph(graph)
    ends = 1, graph.n_vertices - 1
    first, again = (
        wg.shortest_path(graph, *ends, method="alt", device="cpu", **how) for _ in range(2)
    )
    return [first[0], first[1], again[1]]


def _local_forests(device):
    graph = wg.Graph(ROADS)
    parts = [wg.local_forest(graph, rows=rows, device=device) for rows in [(0, 70), (70, 144)]]
    merged = wg.merge_forests(*parts, device=device)
    weights = np.array([1], merged.weights.dtype)
    return _forest(wg.extend_forest(merged, [[0, 143]], weights, [10_000], device=device))


def _star():
    """Return a tree whose edges are all in one row, which one thread alone would sort too long."""
    n = 66_000
    ids = np.random.default_rng(2).permutation(n - 1)
    spokes = np.c_[np.zeros(n - 1, np.int32), np.arange(1, n, dtype=np.int32)]
    return wg.SpanningForest(n, spokes, np.ones(n - 1, np.int32), ids)


MANY_POINTS = failing_points.INPUTS["many points"]
STAR = _star()


def _arranged_forests(device):
    """Extend a forest by edges in rows of few, whose ids are in no order, either."""
    edges = [[1, 9], [1, 7], [1, 8], [2, 9], [2, 8]]
    ids = np.arange(5) * 3 % 5 + len(STAR)
    return _forest(wg.extend_forest(STAR, edges, np.zeros(5, np.int32), ids, device=device))


def _networkx_graphs():
    """Return graphs whose nodes are strings, integers with gaps, and 0 .. n - 1."""
    named = nx.Graph()
    named.add_weighted_edges_from((f"v{v}", f"v{v * 7 % 60}", v + 0.5) for v in range(60))
    sparse = nx.MultiDiGraph([(9 * v, 9 * (v * 5 % 60), {"weight": v}) for v in range(120)])
    return [named, sparse, nx.grid_2d_graph(6, 6), nx.gnm_random_graph(50, 120, 1, directed=True)]


NETWORKX = _networkx_graphs()


def _read_from_networkx(_):
    networkx_support.register()
    found = []
    for graph in NETWORKX:
        graph.__networkx_cache__ = None  # it is read at each call
        matrix = wg.Graph(graph).to_csr()
        found += [matrix.indptr, matrix.indices, matrix.data]
        first = next(iter(graph))
        lengths, paths = nx.single_source_dijkstra(graph, first, backend="warpgraph")
        found += [list(lengths.values()), sum(map(len, paths.values()))]
    return found


def _transforms(device):
    graph = wg.Graph(HUBS)
    ordered = [wg.transform.reorder(graph, name) for name in ("degree", "rcm", "communities")]
    ranked = wg.transform.rank_weights(graph, device=device)
    compressed = wg.transform.compress(graph)
    return [
        wg.transform.sort_by_weight(graph, device=device).graph.indices,
        *(order.graph.indices for order in ordered),
        ranked.graph.data,
        compressed.decompress().indices,
        compressed.neighbours(3),
    ]


def _generated(device):
    made = [
        wg.generators.rmat(7, 8, seed=1, weights=(1, 9)),
        wg.generators.ssca2(7, seed=1),
        wg.generators.grid(9, 9, seed=1),
        wg.Graph.from_edges([0, 1, 1], [1, 2, 2], [1.0, 2.0, 3.0], n_vertices=3),
    ]
    return [wg.generators.random_points(50, 2, seed=1), *(graph.data for graph in made)]


def _squares(device):
    """Square the segments of an array on two endpoints of the runtime."""
    star = Star(2)

    def square(endpoint):
        for segment in star.inputs[endpoint]:
            star.outputs[endpoint].send(segment.values**2, metadata=segment.offset)

    def feed():
        star.out.send(np.arange(1000.0))
        star.out.shutdown()
        parts = sorted((segment.metadata, segment.values) for segment in star.back)
        return np.concatenate([values for _, values in parts])

    return star.context.run(square, feed)


def _search(policy, device):
    """Search a small graph, with as many rounds as vertices, over three workers of a worklist."""
    cycle = graphs.SAMPLES["directed_cycle"]
    by_vertex = {"priority": lambda items: items["vertex"].astype(np.int64)}
    return FilteredSearch(cycle, 3, policy=policy, **by_vertex).run(0)


#: Inputs of the functions in the table of calls, by kind and name.
INPUTS = {
    "graph": {"roads": ROADS, "wide": WIDE},
    "points": failing_points.INPUTS,
    "forest": {"small": wg.minimum_spanning_forest(calls.triangle())},
    "sizes": {"small": None},
}


def _calls_of_the_table():
    """Yield (name, call): call(device) returns arrays and numbers."""
    on_gpus = calls.expanded("methods_on_gpus")
    for title, call, options in (*calls.expanded("methods", takes="any"), *on_gpus):
        for name, given in INPUTS[call.takes].items():
            too_large = call.takes == "graph" and calls.n_vertices(given) > call.most_vertices
            if too_large or (name == "wide" and _on_cores_alone(call)):
                continue
            if name == "many points" and call.name in failing_points.OF_ALL_PAIRS:
                given = failing_points.WIDE
            yield (
                f"{title}, {name}",
                lambda device, c=call, g=given, o=options: calls.run_on(device, c, g, o),
            )


def _on_cores_alone(call):
    return call.on_cores_alone or "device" not in call.parameters


def _special_calls(tmp_path: Path):
    """As `_calls_of_the_table`, for inputs and options that need other code."""
    yield "apsp hubs", lambda device: wg.apsp(HUBS, device=device)
    yield (
        "sssp negative",
        lambda device: wg.sssp(NEGATIVE, 0, return_predecessors=True, device=device),
    )
    yield (
        "many_to_many targets",
        lambda device: wg.many_to_many(HUBS, [1, 2], [3, 4, 5], directed=False, device=device),
    )
    yield "hierarchy", lambda device: _hierarchy(STREETS, device)
    yield "hierarchy one way", lambda device: _hierarchy(ONE_WAY, device)
    yield (
        "hierarchy file",
        lambda device: _hierarchy(STREETS, device, tmp_path / "hierarchy.npz"),
    )
    yield "path in a hierarchy", lambda _: _path_in_hierarchy(ONE_WAY)
    yield "path by landmarks", lambda _: _path_by_landmarks(ONE_WAY)
    yield "path by landmarks, few", lambda _: _path_by_landmarks(graphs.SAMPLES["two_islands"])
    yield "path in a hierarchy, rounded", lambda _: _path_in_hierarchy(FRACTIONS)
    yield "bfs hubs", lambda device: wg.bfs(HUBS, 0, directed=False, device=device)
    yield (
        "connected_components hubs",
        lambda device: wg.connected_components(HUBS, connection="strong", device=device),
    )
    yield "forests of parts", _local_forests
    yield "forests of unordered edges", _arranged_forests
    yield "NetworkX graphs", _read_from_networkx
    yield from failing_points.calls()
    yield "transform", _transforms
    yield "generators", _generated
    for n in (1, 3):
        yield (
            f"predicate_filter, {n}",
            lambda device, n=n: wg.predicate_filter(MANY_POINTS, 0.2, 0.7, device=[device] * n),
        )
    yield (
        "predicate_filter, unlike",
        lambda device: wg.predicate_filter(MANY_POINTS, 0.2, 0.7, device=["cpu", device]),
    )
    yield "runtime", _squares
    for policy in (runtime.all_to_all, runtime.ring):
        yield f"runtime, worklist, {policy.name}", functools.partial(_search, policy)
    yield from failing_lists.calls()


def _calls(tmp_path: Path):
    return {**dict(_calls_of_the_table()), **dict(_special_calls(tmp_path))}


NAMES = list(_calls(Path()))
ON_GPUS_ALONE = ("sssp, near_far", "minimum_spanning_forest, boruvka")
ON_CORES_ALONE = (
    *("sssp, dijkstra", "sssp, delta_stepping"),
    "single_linkage distances",
    "validity_index distances",
    "generators",
    "NetworkX graphs",
    "runtime",
    "two members, transform.partition",
)
ON_CORES_ALONE += tuple(call.name for call in calls.CALLS if _on_cores_alone(call))
#: The largest k of each call: how many allocations it makes, by device and kind.
_largest: dict[str, dict[str, int]] = {}


@pytest.fixture(scope="module", autouse=True)
def summary():
    """Write the largest k of each call to the file that WARPGRAPH_FAULTS_SUMMARY names."""
    yield
    if "WARPGRAPH_FAULTS_SUMMARY" in os.environ:
        Path(os.environ["WARPGRAPH_FAULTS_SUMMARY"]).write_text(json.dumps(_largest, indent=1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_every_allocation_fails_once(name, kind, device, tmp_path):
    if kind == "device" and device == "cpu":
        pytest.skip("takes nothing on a device")
    if name.startswith(ON_GPUS_ALONE if device == "cpu" else ON_CORES_ALONE):
        pytest.skip("does not run there")
    run = functools.partial(_calls(tmp_path)[name], device)
    expected = _in_new_thread(run)
    _in_new_thread(run)  # creates what is made once and kept
    before = _settled_blocks()
    on_device = kind == "device"
    for k in range(1, MOST_ALLOCATIONS):
        result = _in_new_thread(run, k, on_device)
        unused = _core.fail_allocation(0, on_device)
        if isinstance(result, MemoryError):
            assert unused == 0, f"MemoryError although allocation {k} did not fail: {result}"
            assert "memory" in str(result), f"allocation {k} fails with {str(result)!r}"
        else:
            _assert_same(result, expected, f"when allocation {k} failed")
        del result
        if not _settles(before):
            before = _blocks_after_further_runs(lambda k=k: _in_new_thread(run, k, on_device), k)
        if unused > 0:
            break
    else:
        pytest.fail(f"still fails with {MOST_ALLOCATIONS} allocations")
    _assert_same(_in_new_thread(run), expected, "in the next call")
    threads = f"{device}, {wg.get_num_threads()} threads" if device == "cpu" else device
    _largest.setdefault(name, {})[f"{threads}, {kind}"] = k - 1


def _in_new_thread(call, k=0, on_device=False):
    """Return the call's result, or its MemoryError, while the k-th allocation fails.

    A thread frees its caches when it ends.
    """
    result = []

    def run():
        try:
            _core.fail_allocation(k, on_device)
            result.append(call())
        except BaseException as error:
            result.append(error.with_traceback(None))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if isinstance(result[0], BaseException) and not isinstance(result[0], MemoryError):
        raise result[0]
    return result[0]


def _blocks_after_further_runs(run, k):
    """Return how many blocks are allocated after a run that takes none.

    On a device a code path may have run for the first time, and the CUDA runtime keeps what it
    loaded for it; a second run must take nothing. Threads of the emulator keep now more blocks, now
    fewer; where a run leaks, their number does not return to one of before.
    """
    seen = [_blocks()]
    for _ in range(10 if checks.EMULATED else 1):
        run()
        _core.fail_allocation(0, True)
        _core.fail_allocation(0, False)
        if any(_settles(blocks) for blocks in seen):
            return _blocks()
        seen.append(_blocks())
    raise AssertionError(f"blocks (host, device) became {seen} at {k}")


def _settled_blocks() -> dict[bool, int]:
    gc.collect()
    time.sleep(0.05)
    _free_caches()
    return _blocks()


def _blocks() -> dict[bool, int]:
    return {on_device: _core.allocated(on_device)["blocks"] for on_device in (False, True)}


def _free_caches():
    _core.free_idle_pinned()


def _settles(before):
    """Whether as many blocks are allocated as before.

    OpenMP's threads end shortly after the thread that started them, and then free their caches.
    """
    _free_caches()
    if _blocks() == before:
        return True
    gc.collect()
    for _ in range(100):
        if _blocks() == before:
            return True
        time.sleep(0.01)
    return False


def _assert_same(result, expected, when):
    if isinstance(expected, (tuple, list)):
        assert len(result) == len(expected)
        for ours, theirs in zip(result, expected, strict=True):
            _assert_same(ours, theirs, when)
    else:
        np.testing.assert_array_equal(result, expected, when)
