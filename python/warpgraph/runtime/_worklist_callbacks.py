"""The callbacks of a distributed worklist, and checks of what they return."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate

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
            return np.empty(0, self.dtype)
        return checked(made, "what process returns", self.dtype)

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
        return np.where(self.owner(items) == worker, Flags.KEEP, Flags.PASS)

    def _converted(self, name: str, items: Array, dtype: np.dtype[Any]) -> Array:
        if name not in self or len(items) == 0:
            return items if items.dtype == dtype else np.empty(0, dtype)
        returned = self.given[name](items)
        converted = checked(returned, f"what {name} returns", dtype, len(items))
        return np.array(converted, order="C")  # the callback may use its own array again

    def _integers(
        self, name: str, items: Array, limits: tuple[int, int], what: str, *worker: int
    ) -> Array:
        """Call a function that returns an integer for each item."""
        if len(items) == 0:
            return np.empty(0, np.int64)
        returned = self.given[name](*worker, items)
        values = checked(returned, f"what {name} returns", None, len(items))
        if values.dtype.kind not in "iu":
            raise TypeError(f"{name} must return integers, got an array of dtype {values.dtype}")
        least, most = limits
        bad = np.flatnonzero((values < least) | (values > most))
        if bad.size:
            raise ValueError(
                f"{name} must return {what}, {least}..{most}, got {values[bad[0]]} for the item "
                f"{validate.shown(items[bad[0]].item())}"
            )
        return np.asarray(values, np.int64)


def checked(
    returned: Any, name: str, dtype: np.dtype[Any] | None, n_items: int | None = None
) -> Array:
    """Return an array if it has this dtype, one dimension and an entry for each item."""
    wanted = "an array" if dtype is None else f"an array of dtype {dtype}"
    if not isinstance(returned, np.ndarray) or np.ma.isMaskedArray(returned):
        raise TypeError(f"{name} must be {wanted}, got {validate.shown(returned)}")
    if dtype is not None and returned.dtype != dtype:
        raise TypeError(f"{name} must be {wanted}, got one of dtype {returned.dtype}")
    if returned.ndim != 1:
        raise ValueError(f"{name} must be {wanted} in one dimension, got shape {returned.shape}")
    if n_items is not None and len(returned) != n_items:
        raise ValueError(
            f"{name} must have an entry for each of {n_items} items, got {len(returned)} entries"
        )
    return np.asarray(returned)


def item_dtype(dtype: Any, name: str) -> np.dtype[Any]:
    """Return the dtype of items: any that is a fixed number of bytes."""
    try:
        found: np.dtype[Any] | None = None if dtype is None else np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        found = None
    if found is None or found.hasobject or found.subdtype is not None or found.itemsize == 0:
        raise TypeError(f"{name} {_NO_BYTES}, got {validate.shown(dtype)}")
    return found
