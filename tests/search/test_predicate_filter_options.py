"""wg.predicate_filter with out=, progress= and memory_limit=, against NumPy's boolean indexing."""

import mmap
import re

import numpy as np
import pytest

import warpgraph as wg
from checks import raises_sentence
from test_predicate_filter import DEVICES, expected, over_devices, over_dtypes

MIB = 1 << 20
#: Buffers of an endpoint on the host: at most five packets of 256 KiB.
BUFFERS_OF_A_CORE = 5 * MIB // 4
PATTERN = 77
LARGE = 700_000


def uniform(n=LARGE, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).integers(0, 100, n).astype(dtype)


def between(values, low, high):
    return values[(values >= low) & (values <= high)]


def assert_filtered_into(out, found, want, *, is_view=True):
    """Check the result, and that what lies after it in `out` has not changed."""
    assert np.shares_memory(found, out) == (is_view and want.size > 0)
    np.testing.assert_array_equal(found, want)
    np.testing.assert_array_equal(out[: len(want)], want)
    assert (out[len(want) :] == PATTERN).all()


# Output arrays.


@over_devices
@over_dtypes
@pytest.mark.parametrize("n", [0, 1, 1000, 30_000])
def test_into_an_array(n, dtype, device):
    values = uniform(n, dtype)
    for low, high in [(20, 60), (None, 10), (0, 99), (50, 49), (None, None)]:
        want = expected(values, low, high)
        for size in (len(want), len(want) + 3, n + 5):
            out = np.full(size, PATTERN, dtype)
            found = wg.predicate_filter(values, low, high, out=out, device=device)
            assert_filtered_into(out, found, want)


@over_devices
@pytest.mark.parametrize("high", [0, 49, 99])
def test_many_segments_into_an_array(high, device):
    values = uniform()
    want = between(values, 0, high)
    for size in (len(want), LARGE + 7):
        out = np.full(size, PATTERN, float)
        found = wg.predicate_filter(values, 0, high, out=out, device=device)
        assert_filtered_into(out, found, want)


@over_devices
def test_nan_and_no_bounds_into_an_array(device):
    values = uniform()
    values[::3] = np.nan
    values[1] = -0.0
    out = np.full(LARGE, PATTERN, float)
    found = wg.predicate_filter(values, out=out, device=device)
    assert found.tobytes() == values.tobytes()
    assert wg.predicate_filter(values, device=device).tobytes() == values.tobytes()
    found = wg.predicate_filter(values, low=0, out=out, device=device)
    np.testing.assert_array_equal(found, values[~np.isnan(values)])


@over_devices
@pytest.mark.parametrize("dtype", [np.float64, np.int16], ids=str)
def test_from_a_mapped_file_into_another(tmp_path, dtype, device):
    np.save(tmp_path / "values.npy", uniform(dtype=dtype))
    values = np.load(tmp_path / "values.npy", mmap_mode="r")
    want = between(np.array(values), 20, 59)
    out = np.lib.format.open_memmap(tmp_path / "out.npy", "w+", dtype, (len(want) + 2,))
    out[:] = PATTERN
    found = wg.predicate_filter(values, 20, 59, out=out, device=device)
    assert isinstance(found, np.memmap)
    assert_filtered_into(out, found, want)
    out.flush()
    assert_filtered_into(out, np.load(tmp_path / "out.npy")[: len(want)], want, is_view=False)


def test_into_a_map_of_the_same_file(tmp_path):
    with open(tmp_path / "numbers", "w+b") as file:
        file.truncate(2 * 8000)
        whole = np.frombuffer(mmap.mmap(file.fileno(), 0), np.int64)
        whole[:1000] = np.arange(1000)
        found = wg.predicate_filter(whole[:1000], 500, out=whole[1000:])
        np.testing.assert_array_equal(found, np.arange(500, 1000))
        np.testing.assert_array_equal(whole[:1000], np.arange(1000))


@pytest.mark.parametrize(
    "values",
    [
        np.arange(24).reshape(4, 6),
        np.asfortranarray(np.arange(24).reshape(4, 6)),
        np.arange(50)[::3],
        np.arange(50)[::-1],
        np.arange(50).astype(">i8"),
        [1, 5, 9, 30],
        np.int64(7),
    ],
    ids=str,
)
def test_forms_of_arrays_into_an_array(values):
    out = np.full(60, PATTERN)
    found = wg.predicate_filter(values, 5, 20, out=out)
    assert_filtered_into(out, found, expected(values, 5, 20))


@over_devices
@pytest.mark.parametrize("n", [20, 30_000, LARGE])
def test_too_small_an_array(n, device):
    values = uniform(n)
    want = between(values, 10, 89)
    for size in (0, 1, len(want) // 2, len(want) - 1):
        whole = np.full(size + 9, PATTERN, float)
        sentence = f"out has room for {size} values, but {len(want)} pass; pass a larger array"
        with raises_sentence(ValueError, sentence):
            wg.predicate_filter(values, 10, 89, out=whole[:size], device=device)
        np.testing.assert_array_equal(whole[:size], want[:size])
        assert (whole[size:] == PATTERN).all()


def _read_only():
    array = np.empty(9)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "error", "parts"),
    [
        (np.empty(9, np.float32), ValueError, ["dtype float64", "got shape (9,)", "float32"]),
        (np.empty(9, ">f8"), ValueError, ["dtype float64", ">f8"]),
        (np.empty((9, 1)), ValueError, ["shape (9,)", "got shape (9, 1)"]),
        (np.empty(()), ValueError, ["shape (9,)", "got shape ()"]),
        (np.empty(18)[::2], ValueError, ["C-contiguous"]),
        (_read_only(), ValueError, ["writable"]),
        (np.frombuffer(bytearray(73), np.uint8)[1:].view(float), ValueError, ["aligned"]),
        ([0.0] * 9, TypeError, ["NumPy array", "list"]),
        (np.ma.empty(9), TypeError, ["NumPy array", "MaskedArray"]),
    ],
)
def test_what_cannot_be_written_to(out, error, parts):
    for low in (1.0, np.inf, None):
        with raises_sentence(error, "out must", *parts):
            wg.predicate_filter(np.arange(9.0), low, out=out)


def test_overlapping_arrays():
    values = np.arange(30.0)
    for out in (values, values[:10], values[29:], values[::-1][::-1]):
        with raises_sentence(ValueError, "out shares memory with values", "another array"):
            wg.predicate_filter(values, 3, out=out)
    with raises_sentence(ValueError, "out shares memory"):
        wg.predicate_filter(values[::2], 3, out=values)
    np.testing.assert_array_equal(values, np.arange(30.0))
    found = wg.predicate_filter(values[:15], 3, out=values[15:])
    np.testing.assert_array_equal(found, np.arange(3.0, 15))


# Progress.


@over_devices
@pytest.mark.parametrize("bounds", [(20, 60), (None, None)], ids=str)
@pytest.mark.parametrize("n", [1, 1000, LARGE])
def test_progress(n, bounds, device):
    for out in (None, np.empty(n)):
        reports = []
        how = {"out": out, "device": device}
        wg.predicate_filter(
            uniform(n), *bounds, progress=lambda *r, seen=reports: seen.append(r), **how
        )
        assert reports[-1] == (n, n)
        assert {total for _, total in reports} == {n}
        assert [done for done, _ in reports] == sorted(done for done, _ in reports)


@over_devices
def test_progress_that_raises_ends_the_call(device):
    def refuse(done, total):
        raise LookupError("enough")

    values = uniform()
    with pytest.raises(LookupError, match="enough"):
        wg.predicate_filter(values, 20, progress=refuse, device=device)
    found = wg.predicate_filter(values, 20, device=device)
    np.testing.assert_array_equal(found, values[values >= 20])


def test_a_bar():
    pytest.importorskip("tqdm")
    found = wg.predicate_filter(uniform(), 20, 60, progress=True, device=["cpu"] * 2)
    np.testing.assert_array_equal(found, between(uniform(), 20, 60))


# Limits.


def needed(error):
    return [int(n) for n in re.findall(r"(\d+) bytes", str(error.value))]


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("high", [0, 49, 99])
def test_memory_limit(k, high):
    device, values = ["cpu"] * k, uniform()
    want = between(values, 0, high)
    with pytest.raises(MemoryError, match="predicate_filter needs") as error:
        wg.predicate_filter(values, 0, high, device=device, memory_limit=1)
    buffers, left = needed(error)
    assert left == 1
    assert buffers <= k * BUFFERS_OF_A_CORE
    with pytest.raises(MemoryError, match="the result of predicate_filter needs") as error:
        wg.predicate_filter(values, 0, high, device=device, memory_limit=buffers + want.nbytes - 1)
    assert needed(error) == [want.nbytes, want.nbytes - 1]
    limit = buffers + want.nbytes
    found = wg.predicate_filter(values, 0, high, device=device, memory_limit=limit)
    np.testing.assert_array_equal(found, want)
    out = np.empty(LARGE)
    found = wg.predicate_filter(values, 0, high, out=out, device=device, memory_limit=buffers)
    np.testing.assert_array_equal(found, want)


def test_memory_limit_of_a_copy():
    values = np.asfortranarray(uniform().reshape(1000, -1))
    with raises_sentence(MemoryError, "a copy of the values needs", values.nbytes, "contiguous"):
        wg.predicate_filter(values, 20, memory_limit=values.nbytes - 1)
    found = wg.predicate_filter(values, 20, 60, memory_limit=3 * values.nbytes)
    np.testing.assert_array_equal(found, between(values.ravel(), 20, 60))


@pytest.mark.parametrize("device", [d for d in DEVICES if "cuda" in str(d)], ids=str)
def test_memory_limit_of_devices(device):
    values = uniform()
    want = between(values, 20, 60)
    with pytest.raises(MemoryError, match="predicate_filter needs"):
        wg.predicate_filter(values, 20, 60, device=device, memory_limit=1000)
    found = wg.predicate_filter(values, 20, 60, device=device, memory_limit=512 * MIB)
    np.testing.assert_array_equal(found, want)


def test_an_interrupt_arrives_before_the_memory_is_freed():
    """Freeing gigabytes takes longer than Ctrl-C may, so the traceback holds the result's owner."""
    values = np.arange(2_000_000.0)

    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        wg.predicate_filter(values, 0, progress=interrupt, device="cpu")
    held = [
        entry.frame.f_locals["memory"]
        for entry in caught.traceback
        if "memory" in entry.frame.f_locals
    ]
    assert [len(memory) for memory in held] == [1]
    assert wg.predicate_filter(values, 5, 6, device="cpu").tolist() == [5, 6]
