"""wg.sssp: the effect of its arguments, and the errors of invalid ones."""

import logging
import re
import signal
import threading
import tracemalloc

import networkx as nx
import numpy as np
import pytest

import checks
import oracles
import warpgraph as wg
from device_lists import over_methods, plan_for
from graphs import SAMPLES, csr, random_csr
from sssp_support import (
    DTYPES,
    SIDE,
    SQUARE,
    all_ways,
    assert_as_on_cores,
    assert_same,
    canonical_tree,
    grid_with,
    method_fixture,
    methods_on,
    over_devices_and_workers,
)

method = method_fixture()


# What the options do.


def test_unweighted(method, device):
    for name in ("negative_weights", "zero_weights", "infinite_weights", "medium_random", "grid"):
        graph = SAMPLES[name]
        distances, tree = wg.sssp(
            graph, 0, unweighted=True, method=method, return_predecessors=True, device=device
        )
        hops = oracles.hops(graph, 0)
        assert_same(distances, np.where(hops < 0, np.inf, hops))
        ones = csr(0, []).__class__((np.ones(graph.nnz), graph.indices, graph.indptr), graph.shape)
        assert_same(tree, canonical_tree(ones, 0, distances))


@pytest.mark.parametrize("dtype", DTYPES)
def test_unweighted_in_every_dtype(dtype, device):
    graph = csr(4, [(0, 1, 0.25), (1, 2, np.inf)])
    distances = wg.sssp(graph, 0, unweighted=True, dtype=dtype, device=device)
    assert_same(distances, np.array([0, 1, 2, oracles.unreachable(dtype)], dtype))


def test_undirected_takes_the_lighter_way(method, device):
    graph = csr(3, [(0, 1, 5.0), (1, 0, 2.0), (2, 1, 4.0)])
    distances = wg.sssp(graph, 0, directed=False, method=method, device=device)
    assert distances.tolist() == [0, 2, 6]
    assert wg.sssp(graph, 0, method=method, device=device).tolist() == [0, 5, np.inf]


def test_limit_keeps_what_lies_on_it(method, device):
    graph = csr(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])
    for limit, reached in ((0, 1), (1, 2), (1.5, 2), (2, 3), (1e300, 4)):
        distances = wg.sssp(graph, 0, limit=limit, method=method, device=device)
        assert np.isfinite(distances).sum() == reached
    integers = wg.sssp(graph, 0, limit=1.99, dtype="int32", method=method, device=device)
    assert integers.tolist() == [0, 1, 2**31 - 1, 2**31 - 1]


def test_limit_is_compared_exactly(device):
    tenth = np.float32(0.1)  # a little more than 0.1
    graph = csr(2, [(0, 1, tenth)], np.float32)
    assert wg.sssp(graph, 0, limit=0.1, device=device)[1] == np.inf
    assert wg.sssp(graph, 0, limit=tenth, device=device)[1] == tenth
    big = 2**53 + 1
    graph = csr(2, [(0, 1, big)], np.int64)
    assert wg.sssp(graph, 0, limit=big, dtype="int64", device=device)[1] == big
    assert wg.sssp(graph, 0, limit=big - 1, dtype="int64", device=device)[1] == 2**63 - 1
    graph = csr(2, [(0, 1, 2.0**62)])
    for limit, reached in ((2**62 - 1, False), (2**62, True), (2**62 + 1, True)):
        for dtype in ("float32", "float64"):
            distance = wg.sssp(graph, 0, limit=limit, dtype=dtype, device=device)[1]
            assert np.isfinite(distance) == reached
    assert wg.sssp(graph, 0, limit=10**400, device=device)[1] == 2.0**62


def test_paths_may_leave_the_limit_where_weights_are_negative(device):
    graph = csr(3, [(0, 1, 10.0), (1, 2, -9.0)])
    distances, tree = wg.sssp(graph, 0, limit=5, return_predecessors=True, device=device)
    assert distances.tolist() == [0, np.inf, 1]
    assert wg.reconstruct_path(tree, 0, 2).tolist() == [0, 1, 2]


def test_targets(method, device):
    graph = csr(6, [*SQUARE, (3, 4, 1.0)])
    distances, tree = wg.sssp(
        graph, 0, targets=[3, 1, 3], method=method, return_predecessors=True, device=device
    )
    assert distances.tolist() == [4.5, 1, 4.5]
    assert tree.tolist() == [-1, 0, 1, 2, -1, -1]
    assert wg.sssp(graph, 0, targets=2, method=method, device=device).tolist() == [3]
    assert wg.sssp(graph, 0, targets=[5, 0], method=method, device=device).tolist() == [np.inf, 0]
    nothing, tree = wg.sssp(
        graph, 0, targets=[], method=method, return_predecessors=True, device=device
    )
    assert nothing.shape == (0,)
    assert (tree == -1).all()


def test_out(method, device):
    graph = csr(4, SQUARE)
    out = np.full(4, 9.0)
    assert wg.sssp(graph, 1, out=out, method=method, device=device) is out
    assert out.tolist() == [1, 0, 2, 3.5]
    some = np.full(2, 9.0)
    assert wg.sssp(graph, 1, targets=[3, 0], out=some, method=method, device=device) is some
    assert some.tolist() == [3.5, 1]


def test_dtypes(device):
    graph = csr(3, [(0, 1, 0.1), (1, 2, 0.2)])
    assert wg.sssp(graph, 0, device=device).dtype == np.float64
    assert wg.sssp(graph.astype(np.float32), 0, device=device).dtype == np.float32
    narrow = wg.sssp(graph, 0, dtype=np.float32, device=device)
    assert_same(narrow, np.cumsum([0, 0.1, 0.2], dtype=np.float32))
    assert wg.sssp(csr(2, [(0, 1, 3)], np.int32), 0, device=device).dtype == np.float64


def test_accepts_what_a_graph_may_be(device):
    matrix = csr(4, SQUARE)
    expected = [0, 1, 3, 4.5]
    theirs = nx.from_scipy_sparse_array(matrix)
    forms = (matrix, matrix.tocsc(), matrix.tocoo(), matrix.toarray(), wg.Graph(matrix), theirs)
    for graph in forms:
        assert wg.sssp(graph, np.int64(0), device=device).tolist() == expected


def test_minus_zero_is_zero(method, device):
    graph = csr(3, [(0, 1, -0.0), (1, 2, -0.0)])
    distances = wg.sssp(graph, 0, method=method, device=device)
    assert_same(distances, np.zeros(3))


# Numbers that do not fit.


def test_integer_overflow(method, device):
    big = 2**30
    graph = csr(4, [(0, 1, big), (1, 2, big), (2, 3, big)], np.int32)
    options = {"method": method, "device": device}
    with checks.raises_sentence(OverflowError, "(1, 2)", big, "dtype"):
        wg.sssp(graph, 0, dtype="int32", **options)
    far = 2**31 - 1
    assert wg.sssp(graph, 0, dtype="int64", **options).tolist() == [0, big, 2 * big, 3 * big]
    # The distance that does not fit is not requested.
    limited = wg.sssp(graph, 0, dtype="int32", limit=2**31 - 2, **options)
    assert limited.tolist() == [0, big, far, far]
    assert wg.sssp(graph, 0, dtype="int32", targets=[1], **options).tolist() == [big]
    with pytest.raises(OverflowError):
        wg.sssp(graph, 0, dtype="int32", targets=[2], **options)
    # Another path is shorter.
    shorter = csr(3, [(0, 1, big), (1, 2, big), (0, 2, 5)], np.int32)
    assert wg.sssp(shorter, 0, dtype="int32", **options).tolist() == [0, big, 5]


def test_a_distance_must_not_look_like_infinity(method, device):
    graph = csr(3, [(0, 1, 1), (1, 2, 2**31 - 2)], np.int32)
    with pytest.raises(OverflowError):
        wg.sssp(graph, 0, dtype="int32", method=method, device=device)


def test_infinite_integer_weight_is_never_used(device):
    graph = csr(3, [(0, 1, -5.0), (1, 2, np.inf)])
    for dtype in ("int32", "int64"):
        distances = wg.sssp(graph, 0, dtype=dtype, device=device)
        assert distances.tolist() == [0, -5, np.iinfo(dtype).max]


def test_integers_below_the_lowest(device):
    graph = csr(4, [(0, 1, -(2**30)), (1, 2, -(2**30)), (2, 3, -1)], np.int32)
    with checks.raises_sentence(OverflowError, "(2, 3)", -1):
        wg.sssp(graph, 0, dtype="int32", device=device)
    distances = wg.sssp(graph, 0, dtype="int64", device=device)
    assert distances.tolist() == [0, -(2**30), -(2**31), -(2**31) - 1]


def test_floats_below_the_lowest(device):
    graph = csr(3, [(0, 1, -1e308), (1, 2, -1e308)])
    with checks.raises_sentence(OverflowError, "(1, 2)"):
        wg.sssp(graph, 0, device=device)


def test_floats_beyond_the_largest_are_unreachable(method, device):
    graph = csr(3, [(0, 1, 1e308), (1, 2, 1e308)])
    distances, tree = wg.sssp(graph, 0, method=method, return_predecessors=True, device=device)
    assert distances.tolist() == [0, 1e308, np.inf]
    assert tree.tolist() == [-1, 0, -1]


@pytest.mark.parametrize(
    ("weight", "dtype", "error"),
    [(0.5, "int32", ValueError), (3e9, "int32", OverflowError), (1e39, "float32", OverflowError)],
)
def test_weights_that_do_not_convert(weight, dtype, error, device):
    with checks.raises_sentence(error, weight, "(0, 1)", dtype):
        wg.sssp(csr(2, [(0, 1, weight)]), 0, dtype=dtype, device=device)


# Wrong arguments.


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"source": 4}, ValueError, ("source", 4, "0..3")),
        ({"source": -1}, ValueError, ("source", -1)),
        ({"source": 0.5}, TypeError, ("source", 0.5)),
        ({"targets": [0, 9]}, ValueError, ("targets[1]", 9)),
        ({"targets": [0.5]}, TypeError, ("targets", "float64")),
        ({"limit": -1}, ValueError, ("limit", -1)),
        ({"limit": float("nan")}, ValueError, ("limit", "nan")),
        ({"limit": "far"}, TypeError, ("limit", "far")),
        ({"method": "nearest"}, ValueError, ("method", "nearest", "dijkstra")),
        ({"dtype": "int16"}, TypeError, ("dtype", "int16", "float32")),
        ({"out": np.empty(3)}, ValueError, ("out", "(3,)", "(4,)")),
        ({"out": np.empty(4, np.float32)}, ValueError, ("out", "float32", "float64")),
        ({"out": [0.0] * 4}, TypeError, ("out", "list")),
        ({"progress": 3}, TypeError, ("progress", 3)),
        ({"memory_limit": 0}, ValueError, ("memory_limit", 0)),
        ({"device": "tpu"}, ValueError, ("tpu",)),
    ],
)
def test_wrong_arguments(options, error, parts):
    arguments = {"source": 0, **options}
    with checks.raises_sentence(error, *parts):
        wg.sssp(csr(4, SQUARE), **arguments)


def test_no_vertices():
    with checks.raises_sentence(ValueError, "source", "no vertices"):
        wg.sssp(csr(0, []), 0)


def test_nan_weight(device):
    with checks.raises_sentence(ValueError, "NaN", "(0, 1)"):
        wg.sssp(csr(2, [(0, 1, np.nan)]), 0, device=device)


@pytest.mark.skipif(len(wg.devices()) > 1, reason="there is a GPU")
def test_no_silent_fallback():
    with checks.raises_sentence(wg.DeviceError):
        wg.sssp(csr(4, SQUARE), 0, device="cuda")


@pytest.mark.cuda
@pytest.mark.parametrize("method", ["dijkstra", "delta_stepping"])
def test_methods_that_only_cores_have(method):
    with checks.raises_sentence(ValueError, method, "cuda:0", "bellman_ford"):
        wg.sssp(csr(4, SQUARE), 0, method=method, device="cuda")


def test_methods_of_lists():
    graph = csr(4, SQUARE)
    expected = wg.sssp(graph, 0, device="cpu")
    for method in ("auto", "delta_stepping", "bellman_ford"):
        assert_same(wg.sssp(graph, 0, method=method, device=["cpu"] * 2), expected)
    for method in ("dijkstra", "near_far"):
        with checks.raises_sentence(ValueError, method, "2 devices", "delta_stepping"):
            wg.sssp(graph, 0, method=method, device=["cpu"] * 2)
    assert_same(wg.sssp(graph, 0, method="dijkstra", device=["cpu"]), expected)


def test_mixed_lists_are_refused():
    facts = {"n_vertices": 100, "n_arcs": 1000, "has_negative": False}
    facts |= {"levels": 4, "longest_row": 20}
    with checks.raises_sentence(wg.DeviceError, "sssp", "mixed list", "['cpu', 'cuda:0']"):
        plan_for("sssp", facts, device=["cpu", "cuda:0"])
    for names in (["cuda:0"], ["cpu", "cpu"], ["cuda:0", "cuda:1"]):
        assert plan_for("sssp", facts, device=names).devices == names


def test_memory_limit(method, device):
    graph = csr(4, SQUARE)
    with checks.raises_sentence(MemoryError, "10 bytes", "shortest paths", "dtype"):
        wg.sssp(graph, 0, memory_limit=10, method=method, device=device)
    expected = wg.sssp(graph, 0, device=device)
    assert_same(wg.sssp(graph, 0, memory_limit=10_000, method=method, device=device), expected)


@over_devices_and_workers
@pytest.mark.heavy
def test_memory_limit_of_a_long_path(device):
    graph = wg.Graph.from_edges(np.arange(99_999), np.arange(1, 100_000), n_vertices=100_000)
    with checks.raises_sentence(MemoryError, "shortest paths"):
        wg.sssp(graph, 0, memory_limit=1 << 20, device=device)
    for method in {"auto", "delta_stepping"} & set(methods_on(device)):
        assert_as_on_cores(graph, 0, device, method, memory_limit=1 << 27)


# How it behaves.


def random_weights(rng, m):
    return rng.random(m)


def random_integers(rng, m):
    return rng.integers(1, 1000, m)


def test_a_csr_matrix_is_not_copied():
    rng = np.random.default_rng(0)
    matrix = random_csr(1000, 0.2, rng)
    matrix.indices, matrix.indptr = matrix.indices.astype("i4"), matrix.indptr.astype("i4")
    wg.sssp(matrix, 0, device="cpu")
    tracemalloc.start()
    try:
        wg.sssp(matrix, 0, device="cpu")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * 1000 + 20_000 < matrix.indptr.nbytes + matrix.indices.nbytes


def test_says_what_it_chose(caplog):
    caplog.set_level(logging.INFO, "warpgraph")
    wg.sssp(csr(4, SQUARE), 0)
    assert re.search("method='auto' chose (dijkstra|delta_stepping) for 4 vertices", caplog.text)
    wg.sssp(SAMPLES["medium_random"], 0, device="cpu")
    times = r"expected on cpu: dijkstra (\S+) ms, delta_stepping (\S+) ms"
    heap, buckets = map(float, re.findall(times, caplog.text)[-1])
    faster = "dijkstra" if heap < buckets else "delta_stepping"
    assert f"method='auto' chose {faster} for 1500 vertices" in caplog.text
    wg.sssp(SAMPLES["negative_weights"], 0)
    assert "method='auto' chose bellman_ford" in caplog.text


@over_methods(all_ways())
def test_progress(method, device):
    for graph in (wg.Graph(SAMPLES["medium_random"]), grid_with(random_weights)):
        n, seen = graph.n_vertices, []
        report = lambda *step, to=seen: to.append(step)  # noqa: E731
        wg.sssp(graph, 0, progress=report, method=method, device=device)
        assert seen == sorted(seen)
        assert seen[-1] == (n, n)
        assert all(0 <= done <= total == n for done, total in seen)


@over_methods(all_ways())
def test_a_failing_progress_callable_ends_the_call(method, device):
    def fail(done, total):
        raise RuntimeError(f"{done} of {total}")

    for graph in (wg.Graph(SAMPLES["medium_random"]), grid_with(random_weights)):
        with pytest.raises(RuntimeError, match=f"of {graph.n_vertices}"):
            wg.sssp(graph, 0, progress=fail, method=method, device=device)
        assert_as_on_cores(graph, 0, device, method)


def test_interrupted_call_leaves_the_next_one_working(method, device):
    class StopError(Exception):
        pass

    def interrupt(*_):
        raise StopError

    def work_for_ever(delay):
        signal.setitimer(signal.ITIMER_REAL, delay)
        while True:
            wg.sssp(graph, 0, method=method, device=device)

    graph = grid_with(random_weights)
    expected = wg.sssp(graph, 0, method=method, device=device)
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        for delay in (0.001, 0.03):
            with pytest.raises(StopError):
                work_for_ever(delay)
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert_same(wg.sssp(graph, 0, method=method, device=device), expected)


def test_two_threads_at_once(method, device):
    graph = wg.Graph(grid_with(random_integers).to_csr())
    expected = {source: wg.sssp(graph, source, device="cpu") for source in (0, SIDE * SIDE - 1)}
    wrong = []

    def work(source):
        for _ in range(3):
            distances = wg.sssp(graph, source, method=method, device=device)
            if not np.array_equal(distances, expected[source]):
                wrong.append(source)

    threads = [threading.Thread(target=work, args=(source,)) for source in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
