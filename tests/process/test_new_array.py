"""Arrays for results: large ones take memory that freed ones have left."""

import gc
import subprocess
import sys

import numpy as np
import pytest

from warpgraph._arguments.new_array import concatenate_to, new_array

MANY = 3 << 20  # items of 4 or 8 bytes that make a large array


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
@pytest.mark.parametrize(
    "shape", [(), (0,), (5,), (0, MANY), (MANY,), (3, MANY), (MANY // 7, 7), (MANY, 1, 2)]
)
def test_arrays_are_as_those_of_numpy(shape, dtype):
    array, expected = new_array(shape, dtype), np.empty(shape, dtype)
    assert array.shape == expected.shape
    assert array.strides == expected.strides
    assert array.dtype == expected.dtype
    assert (array.flags.c_contiguous, array.flags.aligned, array.flags.writeable) == (True,) * 3
    array.fill(7)
    assert (array == 7).all()


def test_memory_lives_as_long_as_a_view():
    view = new_array((MANY,), np.int32)[5:]
    view.fill(3)
    gc.collect()
    others = [new_array((MANY,), np.int32) for _ in range(4)]
    for other in others:
        other.fill(4)
    assert (view == 3).all()


def test_arrays_that_do_not_fit():
    for shape in [(1 << 50,), (1 << 40, 1 << 40), (3, 1 << 62)]:
        with pytest.raises(MemoryError):
            new_array(shape, np.float64)


def test_freed_memory_is_taken_again():
    """Its pages are not new: they have what was there. In a process that has no memory limit."""
    program = f"""
import numpy as np
from warpgraph._arguments.new_array import new_array
new_array(({MANY},), np.int32).fill(7)
found = new_array(({MANY},), np.int32)
assert np.count_nonzero(found == 7) == len(found), np.unique(found)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("n", [3, 400_000])  # few, and so many that the core copies them
def test_arrays_one_after_another(n):
    first, second = np.arange(2 * n).reshape(n, 2), -np.arange(6).reshape(3, 2)
    for arrays in ([first, second], [first[::-1], second], [first, second.astype(np.int32)]):
        found, expected = np.zeros((n + 3, 2), np.int64), np.concatenate(arrays)
        concatenate_to(found, arrays)
        assert (found == expected).all()
