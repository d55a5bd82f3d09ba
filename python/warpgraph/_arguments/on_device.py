"""CSR arrays in the memory of a CUDA device, which graphs use where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, validate

_INDEX_DTYPES = (np.dtype(np.int32), np.dtype(np.int64))


class CsrOnDevice(NamedTuple):
    """The arrays of a CSR matrix on a device; `indptr` is on the host, too, other weights alone."""

    indptr: npt.NDArray[Any]
    indptr_on_device: _core.DeviceArray
    indices: _core.DeviceArray
    data: _core.DeviceArray | npt.NDArray[Any]

    def overlaps(self, array: Any) -> bool:
        """Return whether an array on a device shares memory with these."""
        layout = foreign.layout_of(foreign.view(array))
        first = layout.address
        last = first + layout.dtype.itemsize
        last += sum((n - 1) * step for n, step in zip(layout.shape, layout.strides, strict=True))
        there = (one for one in self if isinstance(one, _core.DeviceArray))
        places = ((foreign.layout_of(one).address, one.nbytes) for one in there)
        return any(first < begin + n_bytes and begin < last for begin, n_bytes in places)


def csr(arrays: Sequence[Any], *, copy: bool) -> CsrOnDevice | None:
    """Return the arrays (indptr, indices, data) of a CSR matrix where they lie.

    None if they are not all on one device, in types and layouts that graphs use: then they are
    checked and converted on the host. `copy`: the caller may change them afterwards.
    """
    if not all(map(foreign.is_on_device, arrays)):
        return None
    views = [foreign.view(array) for array in arrays]
    indptr, indices, data = views
    dtypes = _INDEX_DTYPES, _INDEX_DTYPES, validate.NUMBERS
    if not all(map(_fits, views, dtypes)) or len({*map(foreign.device_of, views)}) > 1:
        return None
    device = foreign.device_of(indptr)
    on_host = _core.copy_to_host(indptr, device)
    if foreign.layout_of(indices).dtype == np.int64:
        heads = _core.narrow_on_device(_core.view_on_device(indices, device), len(on_host) - 1)
    else:
        heads = _taken(indices, device, copy)
    return CsrOnDevice(on_host, _taken(indptr, device, copy), heads, _taken(data, device, copy))


def weights(values: Any, beside: CsrOnDevice, *, copy: bool) -> _core.DeviceArray | None:
    """Return weights for the structure of `beside` where they lie; None as in `csr`."""
    if not foreign.is_on_device(values):
        return None
    view, device = foreign.view(values), beside.indices.device
    if not _fits(view, validate.NUMBERS) or foreign.device_of(view) != device:
        return None
    fits = foreign.layout_of(view).shape == beside.indices.shape
    return _taken(view, device, copy) if fits else None


def _fits(view: Any, dtypes: tuple[np.dtype[Any], ...]) -> bool:
    """Return whether a graph can use an array in place. Empty ones have no address."""
    layout = foreign.layout_of(view)
    has_items = len(layout.shape) == 1 and layout.shape[0] > 0
    is_plain = has_items and layout.is_contiguous and not layout.has_mask
    is_aligned = layout.address % layout.dtype.itemsize == 0
    return is_plain and is_aligned and layout.dtype in dtypes


def _taken(view: Any, device: str, copy: bool) -> _core.DeviceArray:
    array = _core.view_on_device(view, device)
    return _core.copy_on_device(array) if copy else array
