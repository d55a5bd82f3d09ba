"""wg.many_to_many: the effect of its arguments, and the errors of invalid ones."""

import logging
import signal
import threading
import time

import numpy as np
import pytest

import checks
import oracles
import warpgraph as wg
from graphs import SAMPLES, csr
from sssp_support import DTYPES, SQUARE, assert_same
from test_many_to_many import METHODS, grid_with, rows_of_sssp
from warpgraph import _core


@pytest.fixture(params=["auto", *METHODS])
def method(request):
    return request.param


# What the options do.


@pytest.mark.parametrize("dtype", DTYPES)
def test_empty(dtype, method, device):
    graph = csr(4, SQUARE)
    how = {"dtype": dtype, "method": method, "device": device, "return_predecessors": True}
    for targets, n_columns in ((None, 4), ([3], 1), ([], 0)):
        distances, trees = wg.many_to_many(graph, [], targets, **how)
        assert distances.shape == (0, n_columns)
        assert distances.dtype == dtype
        assert trees.shape == (0, 4)
    distances, trees = wg.many_to_many(graph, [1, 2], [], **how)
    assert distances.shape == (2, 0)
    assert trees.tolist() == [[-1] * 4] * 2
    distances, trees = wg.many_to_many(csr(0, []), [], **how)
    assert distances.shape == trees.shape == (0, 0)


def test_empty_requests_are_checked_as_others_are(method):
    # What is refused with sources is refused without them, too.
    graph = csr(2, [(1, 0, -26.0)])
    for sources, targets in (([], None), ([1], []), ([], [0])):
        if method in ("auto", "johnson"):
            assert wg.many_to_many(graph, sources, targets, method=method).size == 0
            continue
        with pytest.raises(ValueError, match="negative"):
            wg.many_to_many(graph, sources, targets, method=method, device="cpu")


@pytest.mark.parametrize(("sources", "targets"), [([], None), ([0], [])])
def test_empty_requests_need_a_device_that_is_here(sources, targets, method):
    with pytest.raises(wg.DeviceError, match="cuda:97"):
        wg.many_to_many(csr(4, SQUARE), sources, targets, method=method, device="cuda:97")


def test_no_sources_of_many_vertices(method, device):
    # With "auto", too, which asks how much memory a batch takes where no target ends a search.
    ring = csr(9, [(i, (i + 1) % 9, 1) for i in range(9)])
    assert wg.many_to_many(ring, [], method=method, device=device).shape == (0, 9)


def test_repeated_sources_and_targets(method, device):
    graph = csr(4, SQUARE)
    distances = wg.many_to_many(graph, [2, 0, 2] * 3, [3, 3, 1], method=method, device=device)
    assert distances.tolist() == [[1.5, 1.5, 2], [4.5, 4.5, 1], [1.5, 1.5, 2]] * 3
    assert wg.many_to_many(graph, 2, 1, method=method, device=device).tolist() == [[2]]


def test_unweighted(method, device):
    for name in ("negative_weights", "zero_weights", "infinite_weights", "medium_random"):
        graph = SAMPLES[name]
        distances = wg.many_to_many(
            graph, [0, 1, 0, 2, 1], unweighted=True, method=method, device=device
        )
        for source, row in zip([0, 1, 0, 2, 1], distances, strict=True):
            hops = oracles.hops(graph, source)
            assert_same(row, np.where(hops < 0, np.inf, hops))


def test_undirected_takes_the_lighter_way(method, device):
    graph = csr(3, [(0, 1, 5.0), (1, 0, 2.0), (2, 1, 4.0)])
    how = {"method": method, "device": device}
    both = wg.many_to_many(graph, [0, 1, 2, 0], directed=False, **how)
    assert both.tolist() == [[0, 2, 6], [2, 0, 4], [6, 4, 0], [0, 2, 6]]
    one = wg.many_to_many(graph, [0, 1, 2, 0], **how)
    assert one.tolist() == [[0, 5, np.inf], [2, 0, np.inf], [6, 4, 0], [0, 5, np.inf]]


def test_limit_keeps_what_lies_on_it(method, device):
    graph = csr(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])
    for limit, reached in ((0, 1), (1, 2), (1.5, 2), (2, 3), (1e300, 4)):
        distances = wg.many_to_many(graph, [0] * 5, limit=limit, method=method, device=device)
        assert (np.isfinite(distances).sum(axis=1) == reached).all()


def test_searches_leave_no_state(method, device):
    """The next search of the same thread must not see the data of the former one."""
    graph = grid_with(lambda rng, m: rng.random(m))
    rng = np.random.default_rng(3)
    sources, targets = rng.integers(0, graph.n_vertices, (2, 60))
    how = {"method": method, "device": device, "limit": 3.0}
    rows, _ = rows_of_sssp(graph, sources, limit=3.0)
    assert_same(wg.many_to_many(graph, sources, targets, **how), rows[:, targets])


def test_out(method, device):
    graph = csr(4, SQUARE)
    expected = wg.many_to_many(graph, [0, 1, 2, 3], device="cpu")
    how = {"method": method, "device": device}
    out = np.full((4, 4), 9.0)
    assert wg.many_to_many(graph, [0, 1, 2, 3], out=out, **how) is out
    assert_same(out, expected)
    wide = np.full((4, 9), 9.0)
    part = wide[:, 2:6]
    assert wg.many_to_many(graph, [0, 1, 2, 3], out=part, **how) is part
    assert_same(np.ascontiguousarray(part), expected)
    assert (wide[:, [0, 1, 6, 7, 8]] == 9).all()
    every_other = np.full((8, 4), 9.0)
    wg.many_to_many(graph, [0, 1, 2, 3], out=every_other[::2], **how)
    assert_same(np.ascontiguousarray(every_other[::2]), expected)
    assert (every_other[1::2] == 9).all()


def test_out_may_be_a_file(tmp_path, method, device):
    graph = SAMPLES["medium_random"]
    sources = np.arange(0, 1500, 10)
    shape = (len(sources), graph.shape[0])
    out = np.memmap(tmp_path / "distances", np.float64, "w+", shape=shape)
    less = 1 << 20 if device == "cpu" else None  # less than the result, which does not count
    wg.many_to_many(graph, sources, out=out, method=method, memory_limit=less, device=device)
    out.flush()
    written = np.fromfile(tmp_path / "distances").reshape(shape)
    assert_same(written, rows_of_sssp(graph, sources)[0])


def test_dtypes(device):
    graph = csr(3, [(0, 1, 0.1), (1, 2, 0.2)])
    assert wg.many_to_many(graph, [0], device=device).dtype == np.float64
    assert wg.many_to_many(graph.astype(np.float32), [0], device=device).dtype == np.float32
    narrow = wg.many_to_many(graph, [0], dtype=np.float32, device=device)
    assert_same(narrow[0], np.cumsum([0, 0.1, 0.2], dtype=np.float32))


# Numbers that do not fit.


def test_integer_overflow(method, device):
    big = 2**30
    graph = csr(4, [(0, 1, big), (1, 2, big), (2, 3, big)], np.int32)
    how = {"method": method, "device": device}
    sources, far = [1, 0, 2, 3, 3], 2**31 - 1
    with checks.raises_sentence(OverflowError, big, "dtype"):
        wg.many_to_many(graph, sources, dtype="int32", **how)
    with pytest.raises(OverflowError):
        wg.many_to_many(graph, sources, [2], dtype="int32", **how)
    wide = wg.many_to_many(graph, sources, dtype="int64", **how)
    assert wide[1].tolist() == [0, big, 2 * big, 3 * big]
    # The distance that does not fit is not requested.
    fitting = wg.many_to_many(graph, [2, 3, 2, 3], dtype="int32", **how)
    assert fitting.tolist() == [[far, far, 0, big], [far, far, far, 0]] * 2
    limited = wg.many_to_many(graph, [0] * 5, dtype="int32", limit=2**31 - 2, **how)
    assert limited.tolist() == [[0, big, far, far]] * 5
    some = wg.many_to_many(graph, [0] * 5, [1], dtype="int32", **how)
    assert some.tolist() == [[big]] * 5


def test_a_detour_that_does_not_fit_is_no_overflow(method, device):
    big = 2**30
    graph = csr(3, [(0, 1, big), (1, 2, big), (0, 2, 5)], np.int32)
    distances = wg.many_to_many(graph, [0] * 5, dtype="int32", method=method, device=device)
    assert distances.tolist() == [[0, big, 5]] * 5


# Wrong arguments.


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"sources": [0, 4]}, ValueError, ("sources[1]", 4, "0..3")),
        ({"sources": [-1]}, ValueError, ("sources[0]", -1)),
        ({"sources": [0.5]}, TypeError, ("sources", "float64")),
        ({"sources": [[0, 1]]}, ValueError, ("sources", "(1, 2)")),
        ({"targets": [0, 9]}, ValueError, ("targets[1]", 9)),
        ({"limit": -1}, ValueError, ("limit", -1)),
        ({"limit": float("nan")}, ValueError, ("limit", "nan")),
        ({"method": "delta_stepping"}, ValueError, ("method", "delta_stepping", "dijkstra")),
        ({"dtype": "int16"}, TypeError, ("dtype", "int16", "float32")),
        ({"out": np.empty((4, 1))}, ValueError, ("out", "(4, 1)", "(1, 4)")),
        ({"out": np.empty((1, 4), np.float32)}, ValueError, ("out", "float32", "float64")),
        ({"out": np.empty((1, 8))[:, ::2]}, ValueError, ("out", "contiguous rows")),
        ({"out": np.broadcast_to(0.0, (1, 4))}, ValueError, ("out", "writable")),
        ({"out": [0.0] * 4}, TypeError, ("out", "list")),
        ({"progress": 3}, TypeError, ("progress", 3)),
        ({"memory_limit": 0}, ValueError, ("memory_limit", 0)),
        ({"device": "tpu"}, ValueError, ("tpu",)),
    ],
)
def test_wrong_arguments(options, error, parts):
    with checks.raises_sentence(error, *parts):
        wg.many_to_many(csr(4, SQUARE), **{"sources": [0], **options})


def test_rows_must_not_overlap():
    rows = np.lib.stride_tricks.as_strided(np.zeros(8), (2, 4), (8, 8))
    with checks.raises_sentence(ValueError, "out", "rows"):
        wg.many_to_many(csr(4, SQUARE), [0, 1], out=rows)


def test_negative_weights(method, device):
    graph = csr(3, [(0, 1, 1.0), (2, 1, -0.5)])
    if method == "auto":
        found = wg.many_to_many(graph, [0, 2], method=method, device=device)
        assert found.tolist() == [[0, 1, np.inf], [np.inf, -0.5, 0]]
    else:
        with checks.raises_sentence(ValueError, "-0.5", "(2, 1)", "'johnson'", "bellman_ford"):
            wg.many_to_many(graph, [0], method=method, device=device)
    distances = wg.many_to_many(graph, [2], unweighted=True, method=method, device=device)
    assert distances.tolist() == [[np.inf, 1, 0]]


def test_nan_weight(device):
    with checks.raises_sentence(ValueError, "NaN", "(0, 1)"):
        wg.many_to_many(csr(2, [(0, 1, np.nan)]), [0], device=device)


@pytest.mark.skipif(len(wg.devices()) > 1, reason="there is a GPU")
def test_no_silent_fallback():
    with checks.raises_sentence(wg.DeviceError):
        wg.many_to_many(csr(4, SQUARE), [0], device="cuda")


def test_trees_beyond_memory():
    """Trees have rows of all vertices, for any targets and any output array."""
    graph, sources = SAMPLES["medium_random"], np.arange(1500)
    how = {"return_predecessors": True, "out": np.empty((1500, 1)), "memory_limit": 10**6}
    with checks.raises_sentence(MemoryError, 4 * 1500 * 1500, "fewer sources") as caught:
        wg.many_to_many(graph, sources, [7], **how)
    assert "targets" not in str(caught.value)


@pytest.mark.heavy
def test_result_beyond_memory(method, device):
    graph = SAMPLES["medium_random"]
    sources = np.arange(1500)
    how = {"method": method, "device": device}
    with checks.raises_sentence(MemoryError, 8 * 1500 * 1500, 10**7, "out=", "memmap", "targets="):
        wg.many_to_many(graph, sources, memory_limit=10**7, **how)
    some = wg.many_to_many(graph, sources, [3, 4], memory_limit=10**7, **how)
    assert_same(some, rows_of_sssp(graph, sources, [3, 4])[0])


def test_search_beyond_memory(method, device):
    graph = SAMPLES["medium_random"]
    out = np.empty((3, 1500))
    with checks.raises_sentence(MemoryError, "10 bytes"):
        wg.many_to_many(graph, [0, 1, 2], out=out, memory_limit=10, method=method, device=device)


def bytes_of_searches(graph, n_sources, method, device):
    """Return the bytes that float64 distances to all vertices take beside the result."""
    request = {"n_sources": n_sources}
    return _core.bytes_of_searches(graph._handle, request, np.dtype(float), method, device)


@pytest.mark.parametrize("method", METHODS)
def test_states_the_memory_that_it_needs(method, device):
    graph = wg.Graph(SAMPLES["medium_random"])
    how = {"out": np.empty((40, graph.n_vertices)), "method": method, "device": device}
    wg.set_num_threads(1)
    try:
        needed = bytes_of_searches(graph, 40, method, device)
        wg.many_to_many(graph, range(40), memory_limit=needed, **how)
        with checks.raises_sentence(MemoryError, f"{needed} bytes", f"{needed - 1} bytes"):
            wg.many_to_many(graph, range(40), memory_limit=needed - 1, **how)
    finally:
        wg.set_num_threads(0)


@pytest.mark.parametrize("k", [40, 90])
def test_states_the_memory_that_hops_need(k, device):
    """In the core: in Python another method searches if memory does not suffice."""
    graph = wg.generators.rmat(8, 16, seed=3)
    n, sources = graph.n_vertices, np.arange(k, dtype=np.int32)
    out, no_tree = np.empty((k, n)), np.empty((0, n), np.int32)
    search = sources, np.empty(0, np.int32), out, no_tree, np.inf
    how = {"method": "breadth_first"}
    wg.set_num_threads(1)
    try:
        needed = bytes_of_searches(graph, k, "breadth_first", device)

        def hops_within(limit):
            options = how | {"mirrored": True, "ledger": _core.ledger(limit)}
            _core.many_to_many(
                graph._handle, None, *search, True, np.empty(0), [device], None, **options
            )
            return out

        expected = wg.many_to_many(graph, sources, unweighted=True, method="dijkstra", device="cpu")
        assert_same(hops_within(needed), expected)
        with checks.raises_sentence(MemoryError, f"{needed} bytes", f"{needed - 1} bytes"):
            hops_within(needed - 1)
    finally:
        wg.set_num_threads(0)


def test_heaps_fit_where_batches_do_not():
    graph = SAMPLES["medium_random"]
    out = np.empty((100, 1500))
    with checks.raises_sentence(MemoryError, "dijkstra"):
        wg.many_to_many(graph, np.arange(100), out=out, memory_limit=200_000, method="batched")
    wg.many_to_many(graph, np.arange(100), out=out, memory_limit=200_000)


# How it behaves.


def test_says_what_it_chose(caplog):
    caplog.set_level(logging.INFO, "warpgraph")
    graph = SAMPLES["medium_random"]
    wg.set_num_threads(2)
    try:
        wg.many_to_many(graph, [0, 1], device="cpu")
        wg.many_to_many(graph, np.arange(900), [0, 1], device="cpu")
        wg.many_to_many(graph, np.arange(900), limit=1, device="cpu")
        wg.many_to_many(graph, np.arange(900), memory_limit=11_000_000, device="cpu")
        assert "batched" not in caplog.text
        assert caplog.text.count("method='auto' chose dijkstra") == 4
        wg.many_to_many(graph, np.arange(900), device="cpu")
        assert "method='auto' chose batched for 900 sources" in caplog.text
    finally:
        wg.set_num_threads(0)


@pytest.mark.parametrize("method", ["auto", "batched"])
def test_says_where_it_searches_breadth_first(method, device, caplog):
    caplog.set_level(logging.INFO, "warpgraph")

    def chosen(graph, **options):
        caplog.clear()
        options = {"unweighted": True, "method": method, "device": device} | options
        wg.many_to_many(graph, [0, 1, 2], **options)
        return "chose breadth_first for 3 sources" in caplog.text

    hubs = wg.generators.rmat(8, 16, seed=3)
    assert chosen(hubs)
    assert chosen(hubs, targets=range(9))
    assert not chosen(hubs, unweighted=False)
    assert not chosen(hubs, limit=3)
    assert not chosen(hubs, targets=range(3))
    assert not chosen(hubs, return_predecessors=True)
    assert not chosen(wg.generators.grid(9, 9))
    # Without hubs a GPU gains, if vertices have more edges than on roads.
    assert chosen(wg.Graph(np.ones((20, 20)))) == (device != "cpu")


@pytest.mark.heavy
def test_progress(method, device):
    graph, seen = SAMPLES["medium_random"], []
    wg.many_to_many(
        graph,
        np.arange(300),
        progress=lambda *step: seen.append(step),
        method=method,
        device=device,
    )
    assert seen[-1] == (300, 300)
    done = [step[0] for step in seen]
    assert done == sorted(done)
    assert {total for _, total in seen} == {300}


def test_a_failing_progress_callable_ends_the_call(method, device):
    def fail(done, total):
        raise RuntimeError(f"{done} of {total}")

    with pytest.raises(RuntimeError, match="of 150"):
        wg.many_to_many(
            SAMPLES["medium_random"], np.arange(150), progress=fail, method=method, device=device
        )


@pytest.mark.heavy
def test_interrupted_call_leaves_the_next_one_working(method, device):
    class StopError(Exception):
        pass

    stopped_at = []

    def interrupt(*_):
        stopped_at.append(time.perf_counter())
        raise StopError

    graph = grid_with(lambda rng, m: rng.random(m))
    sources = np.arange(4000)
    targets = np.arange(0, graph.n_vertices, 1000)
    how = {"method": method, "device": device}
    whole = np.inf
    for _ in range(2):  # the first call prepares the graph
        started = time.perf_counter()
        wg.many_to_many(graph, sources, targets, **how)
        whole = min(whole, time.perf_counter() - started)

    def is_interrupted_after(seconds):
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            wg.many_to_many(graph, sources, targets, **how)
        except StopError:
            assert time.perf_counter() - stopped_at[-1] < 2  # promised is a tenth
            return True
        finally:
            left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
        assert left > 0  # the call ended before the alarm
        return False

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        for part in (0.05, 0.4):
            # On a busy machine a call may be faster than the first ones.
            assert any(is_interrupted_after(part * whole) for _ in range(5))
    finally:
        signal.signal(signal.SIGALRM, previous)
    some = wg.many_to_many(graph, sources[:9], targets, **how)
    assert_same(some, rows_of_sssp(graph, sources[:9])[0][:, targets])


@pytest.mark.heavy
def test_two_threads_at_once(method, device):
    graph = wg.Graph(grid_with(lambda rng, m: rng.integers(1, 1000, m)).to_csr())
    sources = {0: np.arange(40), 1: np.arange(200, 240)}
    expected = {k: rows_of_sssp(graph, some)[0] for k, some in sources.items()}
    wrong = []

    def work(k):
        for _ in range(2):
            distances = wg.many_to_many(graph, sources[k], method=method, device=device)
            if not np.array_equal(distances, expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in sources]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
