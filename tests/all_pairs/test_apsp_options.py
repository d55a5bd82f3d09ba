"""wg.apsp: the effect of its arguments, and the errors of invalid ones."""

import logging
import signal
import threading
import time

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import checks
import oracles
import warpgraph as wg
from device_lists import LISTS, SINGLE, over_devices, over_methods
from graphs import SAMPLES, csr
from sssp_support import DTYPES, SQUARE, assert_same
from test_apsp import METHODS, random_graph
from test_device_arrays import Shown, over_gpus
from warpgraph import _core

FLOYD = METHODS[:2]
every_way = over_methods(
    [(pair, method) for pair in SINGLE for method in ("auto", *METHODS)]
    + [(names, "floyd_warshall") for names in LISTS]
)
FAR = {dtype: oracles.unreachable(dtype) for dtype in DTYPES}


@pytest.fixture(params=["auto", *METHODS])
def method(request):
    return request.param


@pytest.fixture(params=FLOYD)
def floyd(request):
    return request.param


# What the options do.


@pytest.mark.parametrize("dtype", DTYPES)
def test_nothing_and_little(dtype, method, device):
    how = {"dtype": dtype, "method": method, "device": device, "return_predecessors": True}
    distances, trees = wg.apsp(csr(0, []), **how)
    assert distances.shape == trees.shape == (0, 0)
    assert distances.dtype == dtype
    for graph in (csr(1, []), csr(1, [(0, 0, 3.0)])):
        distances, trees = wg.apsp(graph, **how)
        assert distances.tolist() == [[0]]
        assert trees.tolist() == [[-1]]
    distances, trees = wg.apsp(csr(3, []), **how)
    assert_same(distances, np.where(np.eye(3, dtype=bool), 0, FAR[dtype]).astype(dtype))
    assert (trees == -1).all()


def test_unweighted(method, device):
    for name in ("negative_weights", "zero_weights", "infinite_weights", "grid"):
        graph = SAMPLES[name]
        distances = wg.apsp(graph, unweighted=True, method=method, device=device)
        for source, row in enumerate(distances):
            hops = oracles.hops(graph, source)
            assert_same(row, np.where(hops < 0, np.inf, hops))


def test_undirected_takes_the_lighter_way(method, device):
    graph = csr(3, [(0, 1, 5.0), (1, 0, 2.0), (2, 1, 4.0)])
    how = {"method": method, "device": device}
    both = wg.apsp(graph, directed=False, **how)
    assert both.tolist() == [[0, 2, 6], [2, 0, 4], [6, 4, 0]]
    one = wg.apsp(graph, **how)
    assert one.tolist() == [[0, 5, np.inf], [2, 0, np.inf], [6, 4, 0]]


def test_dtypes(method, device):
    graph = csr(3, [(0, 1, 0.1), (1, 2, 0.2)])
    how = {"method": method, "device": device}
    assert wg.apsp(graph, **how).dtype == np.float64
    assert wg.apsp(graph.astype(np.float32), **how).dtype == np.float32
    assert wg.apsp(csr(2, [(0, 1, 3)], np.int32), **how).dtype == np.float64
    narrow = wg.apsp(graph, dtype=np.float32, **how)
    assert_same(narrow[0], np.cumsum([0, 0.1, 0.2], dtype=np.float32))


def test_accepts_what_a_graph_may_be(device):
    matrix = csr(4, SQUARE)
    expected = wg.apsp(matrix, device=device)
    wide = matrix.copy()
    wide.indptr, wide.indices = wide.indptr.astype("i8"), wide.indices.astype("i8")
    theirs = nx.from_scipy_sparse_array(matrix)
    forms = (matrix.tocsc(), matrix.tocoo(), matrix.toarray(), wg.Graph(matrix), wide, theirs)
    for graph in forms:
        assert_same(wg.apsp(graph, device=device), expected)


def test_minus_zero_is_zero(floyd, device):
    graph = csr(3, [(0, 1, -0.0), (1, 2, -0.0)])
    distances = wg.apsp(graph, method=floyd, device=device)
    assert_same(distances[0], np.zeros(3))


# Where results go.


def test_out(method, device):
    graph = csr(4, SQUARE)
    expected = wg.apsp(graph, device="cpu")
    how = {"method": method, "device": device}
    out = np.full((4, 4), 9.0)
    assert wg.apsp(graph, out=out, **how) is out
    assert_same(out, expected)
    wide = np.full((4, 9), 9.0)
    part = wide[:, 2:6]
    distances, trees = wg.apsp(graph, out=part, return_predecessors=True, **how)
    assert distances is part
    assert_same(np.ascontiguousarray(part), expected)
    assert_same(trees, wg.apsp(graph, return_predecessors=True, **how)[1])
    assert (wide[:, [0, 1, 6, 7, 8]] == 9).all()
    every_other = np.full((8, 4), 9.0)
    wg.apsp(graph, out=every_other[::2], **how)
    assert_same(np.ascontiguousarray(every_other[::2]), expected)
    assert (every_other[1::2] == 9).all()


@over_devices
def test_out_with_rows_apart(device):
    graph = random_graph(150, 3, 1)
    wide = np.full((150, 170), -1.0)
    out, how = wide[:, :150], {"method": "floyd_warshall"}
    assert wg.apsp(graph, out=out, device=device, **how) is out
    assert_same(np.ascontiguousarray(out), wg.apsp(graph, device="cpu", **how))
    assert (wide[:, 150:] == -1).all()


@pytest.mark.parametrize("integers", [True, False])
def test_out_may_be_a_file(tmp_path, integers, floyd, device):
    graph = random_graph(170, 4, 1, integers=integers)
    out = np.memmap(tmp_path / "distances", np.float64, "w+", shape=(170, 170))
    wg.apsp(graph, out=out, method=floyd, device=device)
    out.flush()
    written = np.fromfile(tmp_path / "distances").reshape(170, 170)
    assert_same(written, wg.apsp(graph, method=floyd, device="cpu"))


@over_gpus
@pytest.mark.parametrize("trees", [False, True])
@pytest.mark.parametrize("integers", [True, False])
def test_distances_stay_on_the_device(integers, trees, floyd, gpu):
    graph = random_graph(70, 3, 1, integers=integers)
    expected = wg.apsp(graph, method=floyd, return_predecessors=True, device="cpu")
    for device in ("auto", gpu):
        out = _core.device_array((70, 70), np.dtype(np.float64), gpu)
        found = wg.apsp(graph, method=floyd, out=out, return_predecessors=trees, device=device)
        if trees:
            found, predecessors = found
            assert_same(predecessors, expected[1])
        assert found is out
        assert_same(out.to_numpy(), expected[0])


@over_gpus
def test_auto_goes_where_the_distances_are_to_lie(gpu):
    graph = random_graph(70, 3, 1, integers=True)
    out = _core.device_array((70, 70), np.dtype(np.int32), gpu)
    assert wg.apsp(graph, dtype="int32", out=out) is out
    assert_same(out.to_numpy(), wg.apsp(graph, dtype="int32", device="cpu"))


@pytest.mark.parametrize(
    ("interface", "parts"),
    [
        ({"shape": (4,)}, ("(4,)", "(4, 4)")),
        ({"shape": (4, 4), "typestr": "<f4"}, ("float32", "float64")),
        ({"shape": (4, 4), "strides": (64, 8)}, ("C-contiguous",)),
    ],
)
def test_device_arrays_that_do_not_fit(interface, parts):
    with checks.raises_sentence(ValueError, "out", *parts):
        wg.apsp(csr(4, SQUARE), out=Shown(**interface))


def test_the_work_must_be_done_where_the_array_lies():
    with checks.raises_sentence(ValueError, "out", "cuda:0", "cpu"):
        wg.apsp(csr(4, SQUARE), out=Shown(shape=(4, 4)), device="cpu")


# Numbers that do not fit.


def test_integer_overflow(method, device):
    big = 2**30
    graph = csr(4, [(0, 1, big), (1, 2, big), (2, 3, big)], np.int32)
    how = {"method": method, "device": device}
    with checks.raises_sentence(OverflowError, "dtype"):
        wg.apsp(graph, dtype="int32", **how)
    wide = wg.apsp(graph, dtype="int64", **how)
    assert wide[0].tolist() == [0, big, 2 * big, 3 * big]
    shorter = csr(3, [(0, 1, big), (1, 2, big), (0, 2, 5)], np.int32)
    assert wg.apsp(shorter, dtype="int32", **how)[0].tolist() == [0, big, 5]


def test_largest_integers(method, device):
    how = {"method": method, "device": device}
    for dtype in ("int32", "int64"):
        most = np.iinfo(dtype).max
        graph = csr(3, [(0, 1, most - 1), (2, 0, 0)], dtype)
        distances, trees = wg.apsp(graph, dtype=dtype, return_predecessors=True, **how)
        assert distances.tolist() == [[0, most - 1, most], [most, 0, most], [0, most - 1, 0]]
        assert trees.tolist() == [[-1, 0, -1], [-1, -1, -1], [2, 0, -1]]
        # The largest integer is a number, but not a valid distance of this dtype.
        graph = csr(3, [(0, 1, most), (1, 2, 5)], dtype)
        with checks.raises_sentence(OverflowError, most, "(0, 1)", dtype, "unreachable"):
            wg.apsp(graph, dtype=dtype, **how)
        assert wg.apsp(graph, **how)[0].tolist() == [0, float(most), float(most) + 5]
        # A distance must not equal the value for unreachable.
        graph = csr(3, [(0, 1, 1), (1, 2, most - 1)], dtype)
        with checks.raises_sentence(OverflowError):
            wg.apsp(graph, dtype=dtype, **how)


def test_weights_beyond_int32(method, device):
    graph = csr(4, [(0, 1, 2**40), (1, 2, 2**45), (2, 3, 3)], np.int64)
    distances = wg.apsp(graph, dtype="int64", method=method, device=device)
    assert distances[0].tolist() == [0, 2**40, 2**40 + 2**45, 2**40 + 2**45 + 3]
    with checks.raises_sentence(OverflowError, 2**40, "(0, 1)", "int32"):
        wg.apsp(graph, dtype="int32", method=method, device=device)


def test_negative_integers_that_do_not_fit(floyd, device):
    graph = csr(4, [(0, 1, -(2**30)), (1, 2, -(2**30)), (2, 3, -1)], np.int32)
    how = {"method": floyd, "device": device}
    with checks.raises_sentence(OverflowError, "dtype"):
        wg.apsp(graph, dtype="int32", **how)
    distances = wg.apsp(graph, dtype="int64", **how)
    assert distances[0].tolist() == [0, -(2**30), -(2**31), -(2**31) - 1]


def test_infinite_integer_weight_is_never_used(floyd, device):
    graph = csr(3, [(0, 1, -5.0), (1, 2, np.inf)])
    for dtype in ("int32", "int64"):
        distances = wg.apsp(graph, dtype=dtype, method=floyd, device=device)
        assert distances[0].tolist() == [0, -5, np.iinfo(dtype).max]


def test_floats_beyond_the_largest_are_unreachable(method, device):
    graph = csr(3, [(0, 1, 1e308), (1, 2, 1e308)])
    distances, trees = wg.apsp(graph, method=method, return_predecessors=True, device=device)
    assert distances[0].tolist() == [0, 1e308, np.inf]
    assert trees[0].tolist() == [-1, 0, -1]


@pytest.mark.parametrize(
    ("weight", "dtype", "error"),
    [(0.5, "int32", ValueError), (3e9, "int32", OverflowError), (1e39, "float32", OverflowError)],
)
def test_weights_that_do_not_convert(weight, dtype, error, method, device):
    with checks.raises_sentence(error, weight, "(0, 1)", dtype):
        wg.apsp(csr(2, [(0, 1, weight)]), dtype=dtype, method=method, device=device)


# Wrong arguments.


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"method": "johnson"}, ValueError, ("method", "johnson", "floyd_warshall")),
        ({"dtype": "int16"}, TypeError, ("dtype", "int16", "float32")),
        ({"out": np.empty((4, 1))}, ValueError, ("out", "(4, 1)", "(4, 4)")),
        ({"out": np.empty((4, 4), np.float32)}, ValueError, ("out", "float32", "float64")),
        ({"out": np.empty((4, 8))[:, ::2]}, ValueError, ("out", "contiguous rows")),
        ({"out": np.broadcast_to(0.0, (4, 4))}, ValueError, ("out", "writable")),
        ({"out": [0.0] * 4}, TypeError, ("out", "list")),
        ({"progress": 3}, TypeError, ("progress", 3)),
        ({"memory_limit": 0}, ValueError, ("memory_limit", 0)),
        ({"device": "tpu"}, ValueError, ("tpu",)),
    ],
)
def test_wrong_arguments(options, error, parts):
    with checks.raises_sentence(error, *parts):
        wg.apsp(csr(4, SQUARE), **options)


def test_not_square():
    with checks.raises_sentence(ValueError, "square"):
        wg.apsp(sp.csr_array((3, 4)))


def test_nan_weight(method, device):
    with checks.raises_sentence(ValueError, "NaN", "(0, 1)"):
        wg.apsp(csr(2, [(0, 1, np.nan)]), method=method, device=device)


def test_weight_of_minus_infinity(floyd, device):
    with checks.raises_sentence(ValueError, "-inf", "(0, 1)"):
        wg.apsp(csr(2, [(0, 1, -np.inf)]), method=floyd, device=device)


@pytest.mark.parametrize("method", ["auto", "many_to_many"])
def test_negative_weights(method, device):
    graph = csr(3, [(0, 1, 1.0), (2, 1, -0.5)])
    assert wg.apsp(graph, method=method, device=device)[2].tolist() == [np.inf, -0.5, 0]


@pytest.mark.skipif(len(wg.devices()) > 1, reason="there is a GPU")
def test_no_silent_fallback():
    with checks.raises_sentence(wg.DeviceError):
        wg.apsp(csr(4, SQUARE), device="cuda")


# How it behaves.


def chosen(caplog, graph, **options):
    caplog.clear()
    caplog.set_level(logging.INFO, "warpgraph")
    wg.apsp(graph, device="cpu", **options)
    (said,) = [m for m in caplog.messages if "edges, with sums in" in m]
    return said.split()[2]


def test_auto_takes_what_is_faster(caplog):
    roads = wg.generators.grid(70, 70, seed=1, weights=(1, 100))
    assert chosen(caplog, roads) == "many_to_many"
    assert chosen(caplog, roads, return_predecessors=True) == "many_to_many"
    assert chosen(caplog, wg.generators.grid(50, 50, seed=1), dtype="float32") == "many_to_many"
    dense = random_graph(300, 150, 1)
    assert chosen(caplog, dense) == "floyd_warshall"
    assert chosen(caplog, random_graph(700, 20, 1)) == "floyd_warshall"
    assert chosen(caplog, csr(2000, [(0, 1, 1.0)])) == "many_to_many"


def test_auto_says_why(caplog):
    caplog.set_level(logging.INFO, "warpgraph")
    wg.apsp(SAMPLES["negative_weights"], device="cpu")
    assert "method='auto' chose floyd_warshall, which takes negative weights" in caplog.text


def test_auto_on_a_list(caplog):
    graph = wg.generators.rmat(6, 16, seed=1)
    with caplog.at_level(logging.INFO, "warpgraph"):
        found = wg.apsp(graph, device=["cpu"] * 3)
    assert "chose floyd_warshall" in caplog.text
    assert_same(found, wg.apsp(graph, device="cpu"))
    with checks.raises_sentence(wg.DeviceError, "floyd_warshall_naive", "one device"):
        wg.apsp(graph, method="floyd_warshall_naive", device=["cpu"] * 3)


@every_way
@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(random_graph(300, 3, 2), id="floats"),
        pytest.param(wg.generators.grid(17, 17, seed=1, weights=(1, 1000)).to_csr(), id="roads"),
    ],
)
def test_progress(graph, method, device):
    seen = []
    wg.apsp(graph, progress=lambda *step: seen.append(step), method=method, device=device)
    done = [step[0] for step in seen]
    assert done == sorted(done)
    assert len({total for _, total in seen}) == 1
    assert seen[-1][0] == seen[-1][1]


@every_way
def test_a_failing_progress_callable_ends_the_call(method, device):
    def fail(done, total):
        raise RuntimeError(f"{done} of {total}")

    graph = random_graph(300, 3, 2)
    with pytest.raises(RuntimeError, match=" of "):
        wg.apsp(graph, progress=fail, method=method, device=device)
    assert_same(wg.apsp(graph, method="floyd_warshall", device=device), wg.apsp(graph))


class StopError(Exception):
    """Raised by a signal handler in place of KeyboardInterrupt."""


def stopped_after(seconds, work):
    """Return the seconds between a signal and the end of a call."""
    stopped_at = []

    def interrupt(*_):
        stopped_at.append(time.perf_counter())
        raise StopError

    def work_for_ever():
        signal.setitimer(signal.ITIMER_REAL, seconds)
        while True:
            work()

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(StopError):
            work_for_ever()
        return time.perf_counter() - stopped_at[0]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@pytest.mark.heavy
@pytest.mark.parametrize("predecessors", [False, True])
def test_interrupted_call_leaves_the_next_one_working(predecessors, method, device):
    graph = random_graph(600 if method == "floyd_warshall_naive" else 900, 8, 7)
    how = {"method": method, "device": device, "return_predecessors": predecessors}
    for delay in (0.002, 0.05):
        late = stopped_after(delay, lambda: wg.apsp(graph, **how))
        assert late < 2  # the promise is a tenth, but a machine may be busy
    small = random_graph(100, 3, 1, integers=True)
    assert_same(wg.apsp(small, method=method, device=device), wg.apsp(small, method="many_to_many"))


@pytest.mark.heavy
def test_two_threads_at_once(method, device):
    graphs = [wg.Graph(random_graph(300, 5, seed, integers=True)) for seed in (1, 2)]
    expected = [wg.apsp(graph, method="many_to_many", device="cpu") for graph in graphs]
    wrong = []

    def work(k):
        for _ in range(3):
            if not np.array_equal(wg.apsp(graphs[k], method=method, device=device), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_input_is_only_read(method, device):
    graph = random_graph(60, 3, 5)
    arrays = (graph.indptr, graph.indices, graph.data)
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    wg.apsp(graph, method=method, return_predecessors=True, device=device)
    for array, copy in zip(arrays, before, strict=True):
        assert array.tobytes() == copy.tobytes()
