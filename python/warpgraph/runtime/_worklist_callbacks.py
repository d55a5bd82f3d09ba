"""The callbacks of a distributed worklist, and checks of what they return."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import device as _device, validate

#: Arrays of NumPy, or of CuPy for a worker on a GPU.
Array = npt.NDArray[Any]

#: Packets are copied as bytes, and objects of Python are not bytes.
_NO_BYTES = "must be a dtype of a fixed number of bytes without Python objects and subarrays"


class Flags(enum.IntFlag):
    """A decision of `on_send` or `on_receive` of a `DistributedWorklist` about an item.

    Examples
    --------
    >>> from warpgraph.runtime import Flags
    >>> Flags.KEEP | Flags.PASS == Flags.BOTH
    True
    """

    DROP = 0
    KEEP = 1
    PASS = 2
    BOTH = 3


@dataclass(frozen=True)
class Callbacks:
    """The callbacks of an application, none of which is called without items.

    The methods have the names of the callbacks, whose results they check.
    """

    n_workers: int
    dtype: np.dtype[Any]
    remote_dtype: np.dtype[Any]
    given: dict[str, Callable[..., Any]]

    def require_complete(self, goes_round: bool) -> None:
        """Require functions that decide about every item, `goes_round`: by passing it on."""
        for name in ("process", *self.given):
            function = self.given.get(name)
            if not callable(function):
                raise TypeError(f"{name} must be a function, got {validate.shown(function)}")
        if "owner" not in self and not goes_round:
            raise ValueError("the policy all_to_all needs owner, which says where items belong")
        if "owner" not in self and not ("on_send" in self and "on_receive" in self):
            raise ValueError("owner is missing; without it, on_send and on_receive are needed")
        if self.dtype != self.remote_dtype and not ("pack" in self and "unpack" in self):
            raise ValueError(
                f"items are of dtype {self.dtype} and travel as {self.remote_dtype}, "
                "which needs pack and unpack"
            )

    def __contains__(self, name: str) -> bool:
        return name in self.given

    def process(self, worker: int, items: Array) -> Array:
        """Return the new items that a batch makes."""
        made = self.given["process"](worker, items)
        if made is None:
            return _none(items, self.dtype)
        return checked(made, "what process returns", self.dtype, like=items)

    def pack(self, items: Array) -> Array:
        """Return items as they travel."""
        return self._converted("pack", items, self.remote_dtype)

    def unpack(self, remote: Array) -> Array:
        """Return items that have travelled as they are processed."""
        return self._converted("unpack", remote, self.dtype)

    def owner(self, items: Array) -> Array:
        """Return the rank of each item's worker."""
        return self._integers("owner", items, (0, self.n_workers - 1), "ranks of workers")

    def priority(self, items: Array) -> Array:
        """Return the priority of each item."""
        limits = np.iinfo(np.int64)
        return self._integers("priority", items, (limits.min, limits.max), "priorities")

    def on_send(self, worker: int, items: Array) -> Array:
        """Return the flags of new items."""
        if "on_send" not in self:
            return self._flags_of_owned(worker, items)
        return self._integers("on_send", items, (0, 3), "Flags", worker)

    def on_receive(self, worker: int, remote: Array) -> Array:
        """Return the flags of items that have arrived."""
        if "on_receive" not in self:
            return self._flags_of_owned(worker, self.unpack(remote))
        return self._integers("on_receive", remote, (0, 3), "Flags", worker)

    def _flags_of_owned(self, worker: int, items: Array) -> Array:
        mine = self.owner(items) == worker
        flags: Array = module_of(items).where(mine, int(Flags.KEEP), int(Flags.PASS))
        return flags

    def _converted(self, name: str, items: Array, dtype: np.dtype[Any]) -> Array:
        if name not in self or len(items) == 0:
            return items if items.dtype == dtype else _none(items, dtype)
        returned = self.given[name](items)
        converted = checked(returned, f"what {name} returns", dtype, len(items), items)
        # The callback may use its own array again.
        copied: Array = module_of(items).array(converted, order="C")
        return copied

    def _integers(
        self, name: str, items: Array, limits: tuple[int, int], what: str, *worker: int
    ) -> Array:
        """Call a function that returns an integer for each item."""
        if len(items) == 0:
            return _none(items, np.dtype(np.int64))
        xp = module_of(items)
        returned = self.given[name](*worker, items)
        values = checked(returned, f"what {name} returns", None, len(items), items)
        if values.dtype.kind not in "iu":
            raise TypeError(f"{name} must return integers, got an array of dtype {values.dtype}")
        least, most = limits
        bad = xp.flatnonzero((values < least) | (values > most))
        if bad.size:
            raise ValueError(
                f"{name} must return {what}, {least}..{most}, got {values[bad[0]]} for the item "
                f"{validate.shown(items[bad[0]].item())}"
            )
        integers: Array = xp.asarray(values, np.int64)
        return integers


def _none(like: Array, dtype: np.dtype[Any]) -> Array:
    """Return an array without items of the library that `like` is of."""
    empty: Array = module_of(like).empty(0, dtype)
    return empty


def module_of(items: Any) -> Any:
    """Return the library of an array: NumPy, or CuPy for one on a GPU."""
    if isinstance(items, np.ndarray):
        return np
    return _device.cupy("items of workers on GPUs")


def checked(
    returned: Any,
    name: str,
    dtype: np.dtype[Any] | None,
    n_items: int | None = None,
    like: Any = None,
) -> Array:
    """Return an array if it has this dtype, one dimension and an entry for each item.

    It must be of the library that the array `like` is of; by default NumPy.
    """
    xp = np if like is None else module_of(like)
    wanted = "an array" if xp is np else "a CuPy array"
    wanted += "" if dtype is None else f" of dtype {dtype}"
    if not isinstance(returned, xp.ndarray) or np.ma.isMaskedArray(returned):
        raise TypeError(f"{name} must be {wanted}, got {validate.shown(returned)}")
    if dtype is not None and returned.dtype != dtype:
        raise TypeError(f"{name} must be {wanted}, got one of dtype {returned.dtype}")
    if returned.ndim != 1:
        raise ValueError(f"{name} must be {wanted} in one dimension, got shape {returned.shape}")
    if n_items is not None and len(returned) != n_items:
        raise ValueError(
            f"{name} must have an entry for each of {n_items} items, got {len(returned)} entries"
        )
    array: Array = xp.asarray(returned)
    return array


def require_numbers(dtype: np.dtype[Any], name: str) -> None:
    """Require a dtype that CuPy has, for items of workers on GPUs."""
    if dtype.kind not in "biufc" or not dtype.isnative:
        raise TypeError(
            f"{name} must be a dtype of numbers if workers are on GPUs, got {dtype}; put several "
            "into the bits of one integer"
        )


def item_dtype(dtype: Any, name: str) -> np.dtype[Any]:
    """Return the dtype of items: any that is a fixed number of bytes."""
    found = validate.dtype_or_none(dtype)
    if found is None or found.hasobject or found.subdtype is not None or found.itemsize == 0:
        raise TypeError(f"{name} {_NO_BYTES}, got {validate.shown(dtype)}")
    return found
