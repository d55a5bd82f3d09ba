"""Arrays for results on the host, and those of pickles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core

#: Size up to which NumPy and malloc have memory for an array at hand.
_MANY_BYTES = 1 << 22

#: An argument of the core that is left out.
NO_VERTICES = np.empty(0, np.int32)


def new_array(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an array whose items are not set, as `numpy.empty` does.

    Large ones are in memory that freed results and scratch arrays have left, if there is some: the
    operating system fills new pages with zeros first, which takes longer than many a search.
    """
    kind = np.dtype(dtype)
    if math.prod(shape) * kind.itemsize < _MANY_BYTES:
        return np.empty(shape, kind)
    return _core.new_array(shape, kind)


def new_arrays(
    ledger: _core.Ledger, what: str, advice: str, *wanted: tuple[tuple[int, ...], npt.DTypeLike]
) -> list[npt.NDArray[Any]]:
    """Return arrays of these shapes and dtypes as `new_array` does, and charge them to a ledger."""
    ledger.reserve(what, bytes_of(*wanted), advice)
    return [new_array(shape, dtype) for shape, dtype in wanted]


def bytes_of(*wanted: tuple[tuple[int, ...], npt.DTypeLike]) -> int:
    """Return the bytes of arrays of these shapes and dtypes."""
    return sum([math.prod(shape) * np.dtype(dtype).itemsize for shape, dtype in wanted])


def copied(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a copy of an array, which all threads make if it is large."""
    is_small = array.nbytes < _MANY_BYTES or not array.flags.c_contiguous
    made: npt.NDArray[Any] = array.copy() if is_small else _core.copied(array)
    return made


def concatenate_to(made: npt.NDArray[Any], arrays: Sequence[npt.NDArray[Any]]) -> None:
    """Write arrays to a C-contiguous one, one after another; all threads copy large ones."""
    first = 0
    for array in arrays:
        part = made[first : first + len(array)]
        if array.dtype == made.dtype and array.flags.c_contiguous and part.shape == array.shape:
            _core.copy_to(part, array)
        else:
            part[...] = array
        first += len(array)


def ones(n: int, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
    """Return `n` ones, as `numpy.ones` does; many of them are written by all threads."""
    kind = np.dtype(dtype)
    return np.ones(n, kind) if n * kind.itemsize < _MANY_BYTES else _core.ones((n,), kind)


def aligned(value: Any) -> Any:
    """Return a value of a pickle, in which arrays that are not aligned are copies."""
    if isinstance(value, np.ndarray):
        return value if value.flags.aligned else value.copy()
    if isinstance(value, dict):
        return {key: aligned(item) for key, item in value.items()}
    if not isinstance(value, (list, tuple)):
        return value
    items = [aligned(item) for item in value]
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


class Unpickled:
    """An object whose arrays the core reads in place, as `validate.in_place` leaves them.

    What maps a pickle from a file, or receives it, may put its arrays anywhere.
    """

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set the attributes."""
        set_state = getattr(super(), "__setstate__", vars(self).update)
        set_state(aligned(state))
