"""wg.predicate_filter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from warpgraph import _core, _device, _validate

#: The dtypes that can be filtered.
_DTYPES = frozenset(np.dtype(kind + size) for kind in "iu" for size in "1248") | {
    np.dtype(np.float32),
    np.dtype(np.float64),
}
#: Bytes for which another thread is worthwhile: to filter them takes several times as long as to
#: start it.
_WORTH_A_THREAD = 1 << 20


def predicate_filter(
    values: Any,
    low: Any = None,
    high: Any = None,
    *,
    device: Any = "auto",
) -> Any:
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
    device : str or list of str
        Where to run; see `warpgraph.devices`. ``"cpu"`` has as many endpoints as
        `warpgraph.get_num_threads` says, ``["cpu"] * k`` has k of them, ``"cuda:all"`` has one on
        each GPU, and ``["cpu", "cuda:0"]`` has one on each of both. By default, where the values
        are: what a GPU receives over PCIe in a second, a few cores filter in the same time.

    Returns
    -------
    ndarray, shape (n_passed,)
        The values that pass, of the same dtype: a CuPy array on the same device if `values` is in
        the memory of one.

    Raises
    ------
    TypeError
        The dtype is not one of integers of up to 64 bits, float32 and float64.
    ValueError
        A bound is NaN.
    DeviceError
        A device is named that is not there.

    See Also
    --------
    warpgraph.runtime : What it runs on, for other applications.

    Notes
    -----
    The host sends segments of the array to whichever endpoint is available, and puts what they
    send back in order [1]_. Numbers are compared exactly, also with bounds that the dtype of the
    array does not have. NaN passes only if there is no bound.

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
    if hasattr(values, "__cuda_array_interface__"):
        return _filter_device_array(values, low, high, device)
    array = _validate.unmasked(values, "values")
    native = _native(array.dtype)
    devices = _device.endpoints(device, array.nbytes // _WORTH_A_THREAD + 1)
    array = np.ascontiguousarray(array, native)
    if low is None and high is None:
        return np.array(array).ravel()
    least, most = _least(low, native), _most(high, native)
    if least is None or most is None:
        return np.empty(0, native)
    return _core.predicate_filter(array.ravel(), least, most, devices)


def _filter_device_array(values: Any, low: Any, high: Any, device: Any) -> Any:
    cupy = _device.cupy("values in the memory of a device")
    array = cupy.asarray(values).ravel()
    dtype = _native(array.dtype)
    place = f"cuda:{array.device.id}"
    devices = [place] if device == "auto" else _device.endpoints(device, 1)
    with array.device:
        if low is None and high is None:
            return array.copy()
        least, most = _least(low, dtype), _most(high, dtype)
        if least is None or most is None:
            return cupy.empty(0, dtype)
        passed = cupy.empty_like(array)
        n = _core.predicate_filter_device_array(array, least, most, passed, place, devices)
        return passed[:n].copy()


def _native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in the machine's byte order. TypeError if it cannot be filtered."""
    native: np.dtype[Any] = dtype.newbyteorder("=")
    if native not in _DTYPES:
        raise TypeError(f"values must be integers or floats, got an array of {dtype}")
    return native


def _bound(value: Any, name: str) -> Any:
    """Return a bound as a number of Python, which compares exactly with others."""
    number = _validate.real(value, name)
    if number != number:
        raise ValueError(f"{name} must be a number, got nan")
    return number.item() if isinstance(number, np.generic) else number


def _least(low: Any, dtype: np.dtype[Any]) -> Any:
    """Return the smallest number of the dtype that is at least `low`; None if there is none."""
    if low is None:
        return -math.inf if dtype.kind == "f" else int(np.iinfo(dtype).min)
    bound = _bound(low, "low")
    if dtype.kind == "f":
        return _nearest(bound, dtype, math.inf)
    if bound == -math.inf:
        return int(np.iinfo(dtype).min)
    info = np.iinfo(dtype)
    if bound > info.max:
        return None
    return max(math.ceil(bound), int(info.min))


def _most(high: Any, dtype: np.dtype[Any]) -> Any:
    """Return the largest number of the dtype that is at most `high`; None if there is none."""
    if high is None:
        return math.inf if dtype.kind == "f" else int(np.iinfo(dtype).max)
    bound = _bound(high, "high")
    if dtype.kind == "f":
        return _nearest(bound, dtype, -math.inf)
    if bound == math.inf:
        return int(np.iinfo(dtype).max)
    info = np.iinfo(dtype)
    if bound < info.min:
        return None
    return min(math.floor(bound), int(info.max))


def _nearest(bound: Any, dtype: np.dtype[Any], towards: float) -> float:
    """Return the number of a float dtype that is nearest to `bound` from the side `towards`."""
    try:
        with np.errstate(over="ignore"):
            rounded = dtype.type(bound)
    except OverflowError:  # an integer beyond the largest float
        rounded = dtype.type(math.inf if bound > 0 else -math.inf)
    # Python compares integers and floats exactly.
    is_beyond = float(rounded) >= bound if towards > 0 else float(rounded) <= bound
    if not is_beyond:
        rounded = np.nextafter(rounded, dtype.type(towards))
    return float(rounded)
