"""wg.predicate_filter against NumPy's boolean indexing."""

import decimal
import fractions
import os
import signal
import time

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import warpgraph as wg
from checks import raises_sentence
from runtime_support import promised_seconds
from warpgraph import _core

INTEGERS = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)]
FLOATS = [np.dtype(np.float32), np.dtype(np.float64)]
DEVICES = ["cpu", *(["cpu"] * k for k in (1, 2, 3, 5, 8))]
if len(wg.devices()) > 1:
    DEVICES += ["cuda:0", ["cuda:0"] * 3, ["cpu", "cuda:0", "cpu"], "cuda:all"]

#: The next float64 and fraction behind what the dtypes have.
BEYOND_FLOAT32 = np.nextafter(float(np.finfo(np.float32).max), np.inf)
BEYOND_FLOAT64 = fractions.Fraction(float(np.finfo(np.float64).max)) + fractions.Fraction(1, 3)

over_devices = pytest.mark.parametrize("device", DEVICES, ids=str)
over_dtypes = pytest.mark.parametrize("dtype", INTEGERS + FLOATS, ids=str)


def expected(values, low, high):
    """Compare numbers of Python, which is exact, one by one."""
    low, high = (b.item() if isinstance(b, np.generic) else b for b in (low, high))
    values = np.asarray(values).ravel()
    passes = [
        (low is None or value >= low) and (high is None or value <= high)
        for value in values.tolist()
    ]
    return values[np.array(passes, bool)]


def assert_right(values, low, high, device="cpu"):
    found = wg.predicate_filter(values, low, high, device=device)
    want = expected(values, low, high)
    assert found.dtype == want.dtype.newbyteorder("=")
    np.testing.assert_array_equal(found, want)


@over_dtypes
@over_devices
@pytest.mark.parametrize("n", [0, 1, 1000, 30_000])
def test_values_between_bounds(n, dtype, device):
    values = np.random.default_rng(n).integers(0, 100, n).astype(dtype)
    for low, high in [(20, 60), (None, 10), (90, None), (0, 99), (50, 49), (None, None)]:
        assert_right(values, low, high, device)


@over_devices
def test_many_segments(device):
    values = np.random.default_rng(0).random(3_000_000)
    found = wg.predicate_filter(values, 0.25, 0.5, device=device)
    np.testing.assert_array_equal(found, values[(values >= 0.25) & (values <= 0.5)])


@given(
    values=hnp.arrays(np.float32, st.integers(0, 50), elements=st.floats(width=32)),
    bounds=st.tuples(st.none() | st.floats(allow_nan=False), st.none() | st.integers()),
)
def test_drawn_floats(values, bounds):
    assert_right(values, *bounds, device=["cpu"] * 2)
    assert_right(values.astype(np.float64), *bounds)


@given(data=st.data(), dtype=st.sampled_from(INTEGERS))
def test_drawn_integers(data, dtype):
    values = data.draw(hnp.arrays(dtype, st.integers(0, 50)))
    bound = st.none() | st.integers() | st.floats(allow_nan=False)
    assert_right(values, data.draw(bound), data.draw(bound))


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0.1, None),
        (None, 0.1),
        (1e300, None),
        (None, 1e300),
        (10**400, None),
        (None, -(10**400)),
        (fractions.Fraction(1, 10), 3),
        (decimal.Decimal("0.1"), decimal.Decimal("2.5")),
        (np.float32(0.1), np.int8(3)),
        (float("inf"), None),
        (None, float("inf")),
        (BEYOND_FLOAT32, None),
        (None, -BEYOND_FLOAT32),
        (BEYOND_FLOAT64, None),
        (None, -BEYOND_FLOAT64),
        (1e-60, -1e-60),
        (fractions.Fraction(1, 10**400), None),
        (2**62 + fractions.Fraction(1, 2), None),
    ],
)
@over_dtypes
def test_bounds_that_the_dtype_does_not_have(low, high, dtype):
    if dtype.kind == "f":
        extremes = [np.finfo(dtype).max, np.inf, -np.inf, np.float32(0.1), 0.1]
    else:
        extremes = [np.iinfo(dtype).min, np.iinfo(dtype).max]
    assert_right(np.array([0, 1, 2, 3, *extremes], dtype), low, high)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="longdouble is float64 here")
def test_bounds_of_more_bits_than_a_float():
    values = 2**62 + np.arange(4)
    bound = np.longdouble(2**62) + 1
    assert (wg.predicate_filter(values, low=bound) - 2**62).tolist() == [1, 2, 3]
    assert (wg.predicate_filter(values, high=bound) - 2**62).tolist() == [0, 1]
    assert wg.predicate_filter(np.ones(1), low=1 + np.finfo(np.longdouble).eps).size == 0
    assert wg.predicate_filter(values, high=np.longdouble(np.inf)).size == 4


def test_nan_passes_only_without_bounds():
    values = np.array([1, np.nan, 2])
    np.testing.assert_array_equal(wg.predicate_filter(values), values)
    np.testing.assert_array_equal(wg.predicate_filter(values, low=-np.inf), [1, 2])
    np.testing.assert_array_equal(wg.predicate_filter(values, high=np.inf), [1, 2])


def test_the_result_is_a_new_array():
    values = np.arange(5)
    wg.predicate_filter(values)[:] = -1
    wg.predicate_filter(values, 0)[:] = -1
    np.testing.assert_array_equal(values, np.arange(5))


@over_devices
def test_memory_mapped(tmp_path, device):
    path = tmp_path / "values.npy"
    values = np.random.default_rng(1).integers(0, 1000, 200_000)
    np.save(path, values)
    mapped = np.load(path, mmap_mode="r")
    found = wg.predicate_filter(mapped, 100, 199, device=device)
    np.testing.assert_array_equal(found, values[(values >= 100) & (values <= 199)])


@pytest.mark.parametrize(
    "values",
    [
        np.arange(24).reshape(4, 6),
        np.asfortranarray(np.arange(24).reshape(4, 6)),
        np.arange(50)[::3],
        np.arange(50)[::-1],
        np.arange(50).astype(">i4"),
        np.arange(50).astype(">f8"),
        np.float64(7),
        [1, 5, 9, 30],
        [[1.5, 2.5], [8.5, 99.0]],
        np.ma.array([1, 9, 30], mask=False),
    ],
    ids=str,
)
def test_forms_of_arrays(values):
    assert_right(values, 5, 20, ["cpu"] * 3)


@pytest.mark.parametrize("dtype", [bool, complex, np.float16, object, "U3", "M8[s]", np.longdouble])
def test_other_dtypes_are_refused(dtype):
    values = np.zeros(3, dtype)
    sentence = f"values must be integers or floats, got an array of {values.dtype}"
    with raises_sentence(TypeError, sentence):
        wg.predicate_filter(values, 1)


def test_bad_bounds():
    with raises_sentence(ValueError, "low must be a number, got nan"):
        wg.predicate_filter([1.0], np.nan)
    with raises_sentence(TypeError, "high must be a number, got 'x'"):
        wg.predicate_filter([1.0], high="x")
    with raises_sentence(TypeError, "low must be a number, got [1]"):
        wg.predicate_filter([1], [1])
    with pytest.raises(ValueError, match=r"values\[1\] is masked"):
        wg.predicate_filter(np.ma.array([1, 2], mask=[False, True]), 1)


def test_bad_devices():
    with pytest.raises(wg.DeviceError):
        wg.predicate_filter([1], 1, device="cuda:99")
    with pytest.raises(wg.DeviceError):
        wg.predicate_filter([1], 1, device=["cpu", "cuda:99"])
    with pytest.raises(ValueError, match="empty list"):
        wg.predicate_filter([1], 1, device=[])
    with raises_sentence(ValueError, "device names 4097 devices; 4096 are the limit"):
        wg.predicate_filter([1], 1, device=["cpu"] * 4097)
    with pytest.raises(TypeError):
        wg.predicate_filter([1], 1, device=["cpu", 3])


def test_reference():
    values = np.random.default_rng(2).integers(0, 100, 5000)
    found = _core.predicate_filter_reference(values, 20, 60)
    np.testing.assert_array_equal(found, expected(values, 20, 60))


def filter_again_and_again(values, device):
    while True:
        wg.predicate_filter(values, 0.1, 0.9, device=device)


@over_devices
def test_ctrl_c_ends_the_call(device):
    def handle(signum, frame):
        if waiting:
            raise KeyboardInterrupt

    values = np.random.default_rng(3).random(4_000_000)
    before = signal.signal(signal.SIGALRM, handle)
    tasks = len(os.listdir("/proc/self/task"))
    try:
        for after in (0.001, 0.01, 0.03):
            waiting = True
            started = time.perf_counter()
            signal.setitimer(signal.ITIMER_REAL, after)
            with pytest.raises(KeyboardInterrupt):
                filter_again_and_again(values, device)
            waiting = False
            assert time.perf_counter() - started < promised_seconds() + after
    finally:
        signal.signal(signal.SIGALRM, before)
    assert_right(values[:1000], 0.1, 0.9, device)
    if device != "cpu":  # other threads are OpenMP's, which are kept
        assert len(os.listdir("/proc/self/task")) <= tasks + wg.get_num_threads()
