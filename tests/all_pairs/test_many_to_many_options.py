"""wg.many_to_many: the effect of its arguments, and the errors of invalid ones."""

import logging
import signal
import threading
import time
from itertools import product

import numpy as np
import pytest

import checks
import oracles
import warpgraph as wg
from device_lists import MIXED, SINGLE, is_list, over_methods
from graphs import SAMPLES, csr
from sssp_support import DTYPES, SQUARE, assert_same
from test_many_to_many import METHODS, grid_with, over_devices, rows_of_sssp


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


@over_devices
def test_out_may_be_a_part_of_a_file(tmp_path, device):
    graph = wg.generators.grid(20, 20, seed=1)
    out = np.memmap(tmp_path / "rows", np.float64, "w+", shape=(400, 450))[:, :400]
    assert wg.many_to_many(graph, np.arange(400), out=out, device=device) is out
    checks.assert_same_bits((out,), (wg.many_to_many(graph, np.arange(400), device="cpu"),))


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


@over_devices
def test_paths_from_some_sources_do_not_fit(device):
    chain = np.arange(400)
    weights = np.ones(399, np.int32)
    weights[200:] = 2**31 - 300
    graph = wg.Graph.from_edges(chain[:-1], chain[1:], weights, n_vertices=400)
    with checks.raises_sentence(OverflowError):
        wg.many_to_many(graph, chain, dtype=np.int32, method="dijkstra", device=device)


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
        assert "chose batched" not in caplog.text
        assert caplog.text.count("method='auto' chose dijkstra") == 4
        hubs = wg.generators.rmat(11, seed=1)
        wg.many_to_many(hubs, np.arange(900), device="cpu")
        assert "method='auto' chose batched for 900 sources" in caplog.text
    finally:
        wg.set_num_threads(0)


@pytest.mark.parametrize("method", ["auto", "batched"])
def test_says_where_it_searches_breadth_first(method, device, caplog):
    caplog.set_level(logging.INFO, "warpgraph")

    def chosen(graph, **options):
        caplog.clear()
        options = {"unweighted": True, "method": method, "device": device} | options
        wg.many_to_many(graph, [0, 1, 2] * 30, **options)
        return "chose breadth_first for 90 sources" in caplog.text

    hubs = wg.generators.rmat(10, 16, seed=3)
    assert chosen(hubs)
    assert chosen(hubs, targets=range(99))
    assert not chosen(hubs, unweighted=False)
    assert not chosen(hubs, limit=3)
    assert not chosen(hubs, targets=range(3))
    assert not chosen(hubs, return_predecessors=True)
    assert not chosen(wg.generators.grid(60, 60))
    assert chosen(wg.Graph(np.ones((200, 200))))


@over_methods(
    [pytest.param(*way, marks=pytest.mark.heavy) for way in product(SINGLE, ("auto", *METHODS))]
    + [(names, "auto") for names in MIXED]
)
def test_progress(method, device):
    cases = [(wg.generators.grid(30, 30, seed=1), 900)]
    if not is_list(device):
        cases.append((SAMPLES["medium_random"], 300))
    for graph, n in cases:
        seen = []
        report = lambda *step, to=seen: to.append(step)  # noqa: E731
        wg.many_to_many(graph, np.arange(n), progress=report, method=method, device=device)
        assert seen[-1] == (n, n)
        done = [step[0] for step in seen]
        assert done == sorted(done)
        assert {total for _, total in seen} == {n}


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
