"""wg.predicate_filter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np

from warpgraph import _core
from warpgraph._arguments import device as _device, foreign, outputs, validate
from warpgraph._arguments.hints import hinted

if TYPE_CHECKING:
    from warpgraph._arguments import types

#: The dtypes that can be filtered.
_DTYPES = frozenset(np.dtype(kind + size) for kind in "iu" for size in "1248") | {
    np.dtype(np.float32),
    np.dtype(np.float64),
}
_OVERLAP = "out shares memory with values, which are read while it is written; pass another array"


@hinted
def predicate_filter(
    values: types.ArrayLike,
    low: SupportsFloat | None = None,
    high: SupportsFloat | None = None,
    *,
    out: types.OutLike | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.ArrayOrOut:
    """Return the values of an array that are in an interval, in their order.

    Parameters
    ----------
    values : array_like of integers or floats, or CUDA array
        The array, which may be memory-mapped and larger than all memories together: it is read
        once, in segments. One of several dimensions is taken row by row.
    low : number, optional
        The smallest value that passes; by default, there is no lower bound.
    high : number, optional
        The largest value that passes; by default, there is no upper bound.
    out : ndarray, or array on a CUDA device, optional
        Where to write the values that pass, on the host or on the GPU that computes. The array has
        one dimension, the dtype of `values` and at least as many elements as pass; what lies after
        them does not change. It may be memory-mapped, so an array larger than memory is filtered
        into a file.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts filtered values.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory. The limit
        is for the host, and for each CUDA device; `out` does not count.
    device : str or list of str
        Where to run; see `warpgraph.devices`. ``"cpu"`` has an endpoint for each thread, a list one
        for each entry. By default, where the values are.

    Returns
    -------
    ndarray, shape (n_passed,)
        The values that pass, of the same dtype: a CuPy array on the same device if `values` is in
        the memory of one. With `out`, it is a view of its first elements.

    Raises
    ------
    TypeError
        The dtype is not one of integers of up to 64 bits, float32 and float64.
    ValueError
        A bound is NaN; `out` has another shape or dtype or shares memory with `values`; or more
        values pass than `out` has elements, which are then the first of these.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        A device is named that is not there.

    See Also
    --------
    warpgraph.runtime : What it runs on, for other applications.

    Notes
    -----
    The host sends segments of the array to whichever endpoint is available [1]_. When all earlier
    segments have been counted, an endpoint writes the values of its own that pass to their place
    in the result. Numbers are compared exactly, also
    with bounds that the dtype of the array does not have. NaN passes only if there is no bound.

    Memory for the result is reserved for all values, or for as many as there is memory for, and
    used for those that pass. Whether these fit is known after the values were read.

    References
    ----------
    .. [1] Ben-Nun et al., "Groute: an asynchronous multi-GPU programming model for irregular
       computations", PPoPP 2017.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> wg.predicate_filter(np.array([3, 1, 4, 1, 5, 9, 2, 6]), 2, 5)
    array([3, 4, 5, 2])
    """
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "predicate_filter")
    if foreign.is_on_device(values):
        return _filter_device_array(values, low, high, out, report, ledger, device)
    array = validate.unmasked(values, "values")
    native = _native(array.dtype)
    devices = _device.endpoints(device, _core.threads_to_filter(array.nbytes))
    least, most, dtype = _interval(low, high, native)
    given: Any = out
    if given is not None:
        _check_host_output(given, array, native)
    array = _contiguous(array, native, ledger)
    if least is None or most is None:
        return np.empty(0, native) if given is None else given[:0]
    # Gets the owner of a new result's memory. A KeyboardInterrupt refers to this frame, so that it
    # arrives before gigabytes are freed, each of which takes the system up to half a second.
    memory: list[Any] = []
    found = _core.predicate_filter(
        array.view(dtype),
        least,
        most,
        memory if given is None else given.view(dtype),
        report,
        devices=devices,
        ledger=ledger,
    )
    return found.view(native)


def _filter_device_array(
    values: Any, low: Any, high: Any, out: Any, report: Any, ledger: _core.Ledger, device: Any
) -> Any:
    cupy = _device.cupy("values in the memory of a device")
    array = cupy.asarray(foreign.view(values)).ravel()
    native = _native(array.dtype)
    place = f"cuda:{array.device.id}"
    devices = [place] if device == "auto" else _device.endpoints(device, 1)
    least, most, dtype = _interval(low, high, native)
    with array.device:
        if out is not None:
            out = _device_output(out, array, native, place)
        if least is None or most is None:
            return cupy.empty(0, native) if out is None else out[:0]
        if out is not None and out.size >= array.size:
            passed = out
        else:
            advice = "pass out, with as many elements as values"
            ledger.reserve("an array for the values that pass", array.nbytes, advice, place)
            passed = cupy.empty_like(array)
        n = _core.predicate_filter_device_array(
            array.view(dtype),
            least,
            most,
            passed.view(dtype),
            place,
            report,
            devices=devices,
            ledger=ledger,
        )
        if out is None:
            return passed[:n].copy()
        if passed is not out:
            n_written = min(n, out.size)
            out[:n_written] = passed[:n_written]
        if n > out.size:
            raise ValueError(
                f"out has room for {out.size} values, but {n} pass; pass a larger array"
            )
        return out[:n]


def _check_host_output(out: Any, array: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> None:
    """Raise an error unless values of `array` that pass can be written to `out`."""
    if foreign.is_on_device(out):
        place = foreign.device_of(out)
        raise ValueError(f"out lies on {place}, but values are in the memory of the host")
    outputs.on_host(out, _shape_of_output(out, array.size), dtype)
    if np.may_share_memory(out, array) and np.shares_memory(out, array):
        raise ValueError(_OVERLAP)


def _device_output(out: Any, array: Any, dtype: np.dtype[Any], place: str) -> Any:
    """Return `out` as a CuPy array if values of `array` that pass can be written to it."""
    if not foreign.is_on_device(out):
        raise TypeError(f"out must be an array on {place}, as values are, got {type(out).__name__}")
    cupy = _device.cupy("values in the memory of a device")
    out = foreign.view_of_out(out)
    shape = foreign.layout_of(out).shape
    outputs.on_device(out, _shape_of_output(out, array.size, shape), dtype)
    outputs.same_device(out, place)
    found = cupy.asarray(out)
    first, other = found.data.ptr, array.data.ptr
    if first < other + array.nbytes and other < first + found.nbytes:
        raise ValueError(_OVERLAP)
    return found


def _shape_of_output(out: Any, n: int, shape: Any = None) -> tuple[int, ...]:
    """Return the shape of `out` if it has one dimension, else one that it should have."""
    found: tuple[int, ...] = getattr(out, "shape", ()) if shape is None else shape
    return found if len(found) == 1 else (n,)


def _contiguous(
    array: np.ndarray[Any, Any], dtype: np.dtype[Any], ledger: _core.Ledger
) -> np.ndarray[Any, Any]:
    """Return the values as a contiguous array."""
    if array.dtype == dtype and array.flags.c_contiguous and array.flags.aligned:
        return np.asarray(array).reshape(-1)
    advice = "pass a contiguous array in the byte order of the machine"
    ledger.reserve("a copy of the values", array.nbytes, advice)
    return validate.in_place(array, dtype).reshape(-1)


def _interval(low: Any, high: Any, dtype: np.dtype[Any]) -> tuple[Any, Any, np.dtype[Any]]:
    """Return the bounds, of which None lets nothing pass, and the dtype to compare them in.

    Without bounds, everything passes: also NaN, which compares like any number as an integer.
    """
    if low is None and high is None and dtype.kind == "f":
        dtype = np.dtype(f"u{dtype.itemsize}")
    return _within(low, dtype, "low"), _within(high, dtype, "high"), dtype


def _native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in the machine's byte order. TypeError if it cannot be filtered."""
    native: np.dtype[Any] = dtype.newbyteorder("=")
    if native not in _DTYPES:
        raise TypeError(f"values must be integers or floats, got an array of {dtype}")
    return native


@np.errstate(over="ignore", under="ignore")
def _within(value: Any, dtype: np.dtype[Any], name: str) -> Any:
    """Return the number of a dtype next to a bound, from the inner side; None if there is none."""
    is_low, is_float = name == "low", dtype.kind == "f"
    outermost = -math.inf if is_low else math.inf
    if value is None:
        bound: Any = outermost
    else:
        # A number of Python, which compares exactly with integers and floats.
        bound = validate.real(value, name)
        if bound != bound:
            raise ValueError(f"{name} must be a number, got nan")
        bound = validate.exact(bound)
    if is_float:
        try:
            rounded = dtype.type(bound)
        except OverflowError:  # an integer beyond the largest float
            rounded = dtype.type(math.inf if bound > 0 else -math.inf)
        if (float(rounded) < bound) if is_low else (float(rounded) > bound):
            rounded = np.nextafter(rounded, dtype.type(-outermost))
        return float(rounded)
    least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if (bound > most) if is_low else (bound < least):
        return None
    if bound == outermost:
        return least if is_low else most
    return max(math.ceil(bound), least) if is_low else min(math.floor(bound), most)
