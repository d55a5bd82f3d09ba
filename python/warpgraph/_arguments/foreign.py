"""Arrays of other libraries, on the host or on a CUDA device, as the core reads them in place."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from warpgraph import _core

#: DLPack's types of devices for CUDA: memory of a device, and managed memory.
_ON_CUDA = (2, 13)
#: The version of __cuda_array_interface__ that says on which stream an array is ready.
_WITH_STREAM = 3


class Layout(NamedTuple):
    """The memory of an array on a device, as it describes it; strides are in bytes."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strides: tuple[int, ...]
    address: int
    is_read_only: bool
    has_mask: bool

    @property
    def is_contiguous(self) -> bool:
        """True if the items lie in the order of C without gaps."""
        return self.strides == _strides_in_order(self.shape, self.dtype.itemsize)


def _strides_in_order(shape: tuple[int, ...], item: int) -> tuple[int, ...]:
    return tuple(item * math.prod(shape[i + 1 :]) for i in range(len(shape)))


def layout_of(array: Any) -> Layout:
    """Return the layout of an array on a device that `view` has returned."""
    interface = array.__cuda_array_interface__
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    strides = interface.get("strides")
    strides = _strides_in_order(shape, dtype.itemsize) if strides is None else tuple(strides)
    address, is_read_only = interface["data"]
    has_mask = interface.get("mask") is not None
    return Layout(shape, dtype, strides, address, is_read_only, has_mask)


def is_on_device(value: Any) -> bool:
    """Return whether `value` is an array in the memory of a CUDA device."""
    if isinstance(value, np.ndarray):
        return False
    if hasattr(value, "__dlpack_device__"):
        try:
            return value.__dlpack_device__()[0] in _ON_CUDA
        except (TypeError, ValueError, BufferError):  # DLPack cannot describe its items
            pass
    return hasattr(value, "__cuda_array_interface__")


def view(value: Any) -> Any:
    """Return an array without a copy, for the core to read; other values as they are.

    On the host it is a NumPy array, on which its owner's work is done. On a device it has version 3
    of __cuda_array_interface__, which names the stream that the core waits for. Each array of a
    tuple is viewed.
    """
    if value is None or isinstance(value, (np.ndarray, _core.DeviceArray)):
        return value
    if isinstance(value, tuple):
        views = tuple(map(view, value))
        return value if all(a is b for a, b in zip(views, value, strict=True)) else views
    if not hasattr(value, "__dlpack__"):
        return value
    if is_on_device(value) and _interface_version(value) >= _WITH_STREAM:
        return value
    return _core.take_array(value)


def _interface_version(value: Any) -> int:
    try:
        return int(value.__cuda_array_interface__["version"])
    except (AttributeError, KeyError, RuntimeError, TypeError):
        return 0  # PyTorch has none for some dtypes, nor with gradients; DLPack's error says why


def view_of_out(out: Any) -> Any:
    """Return the view of an argument `out`, or of each array of a tuple."""
    for value in out if isinstance(out, tuple) else (out,):
        if type(value).__module__.partition(".")[0] in ("jax", "jaxlib"):
            raise TypeError(
                "out is an array of JAX, which nothing can be written to; pass one of NumPy, "
                "PyTorch or CuPy, or give JAX the result"
            )
    return view(out)


def given_back(found: Any, views: Any, out: Any) -> Any:
    """Return a result with `out` itself in place of its view."""
    if found is views:
        return out
    if type(found) is tuple:
        return tuple(out if part is views else part for part in found)
    return found


def to_numpy(value: Any, name: str) -> Any:
    """Return an array that NumPy cannot read as a NumPy array; other values as they are.

    An array on the host is read in place, one on a device is copied.
    """
    if isinstance(value, np.ndarray):
        return value
    if sp.issparse(value):  # NumPy would make an array of one object
        raise TypeError(f"{name} must be an array, got a sparse matrix; pass its toarray()")
    if not is_on_device(value):
        is_dlpack_alone = hasattr(value, "__dlpack__") and not hasattr(value, "__array__")
        return view(value) if is_dlpack_alone else value
    array = view(value)
    layout = layout_of(array)
    if not layout.is_contiguous or layout.has_mask:
        raise ValueError(
            f"{name} is on a device, so it must be C-contiguous and without a mask, but it has "
            f"shape {layout.shape} and strides of {layout.strides} bytes"
            + (", and a mask" if layout.has_mask else "")
        )
    return _core.copy_to_host(array, device_of(array))


def device_of(array: Any) -> str:
    """Return the device whose memory has an array; "cuda:0" for an empty one without an address."""
    array = view(array)
    if isinstance(array, _core.DeviceArray):
        return array.device
    address = array.__cuda_array_interface__["data"][0]
    return _core.device_holding(address) if address else "cuda:0"
