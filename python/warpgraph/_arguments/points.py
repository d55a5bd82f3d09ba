"""Converts the points that callers pass to an array."""

from __future__ import annotations

import math
import numbers
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import device as _device, foreign, outputs, validate
from warpgraph._arguments.nx_graphs import is_networkx

Array = npt.NDArray[Any]

MAX_POINTS = 2**31 - 1


def as_points(X: Any) -> Array:
    """Return `X` as a C-contiguous (n, d) array of finite float32 or float64 numbers.

    float32 and float64 arrays are used in place if their layout allows; everything else becomes
    float64. Masked entries count as NaN, so they are refused.
    """
    array = as_real(masked_as_nan(X))
    if array.ndim != 2:
        raise ValueError(
            f"X must hold one point per row, shape (n, d), got shape {array.shape}. Reshape your "
            "data: X.reshape(-1, 1) if it has a single feature, X.reshape(1, -1) if it is a "
            "single sample"
        )
    _check_size(*array.shape)
    place = first_not_finite(array)
    if place < array.size:
        row = place // array.shape[1]
        raise not_finite(row, array[row])
    return array


def first_not_finite(points: Array) -> int:
    """Return the index of the first coordinate that is NaN or inf, or the number of coordinates.

    It reads them on all cores; NumPy takes as long as a part of the work that follows.
    """
    return _core.first_not_finite(points, "cpu")


class DevicePoints:
    """Points in the memory of a CUDA device, such as a CuPy array of finite numbers."""

    def __init__(self, X: Any) -> None:
        self.array = foreign.view(X)
        layout = foreign.layout_of(self.array)
        self.shape, self.dtype = layout.shape, layout.dtype
        if self.dtype not in validate.REALS:
            raise TypeError(
                f"points on a device must be float32 or float64, got an array of {self.dtype}"
            )
        if len(self.shape) != 2:
            raise ValueError(f"X must hold one point per row, shape (n, d), got shape {self.shape}")
        _check_size(*self.shape)
        if not layout.is_contiguous:
            raise ValueError(
                "points on a device must be C-contiguous, but those of shape "
                f"{layout.shape} have strides of {layout.strides} bytes"
            )
        if layout.has_mask:
            raise ValueError("points on a device must have no mask: fill what is missing")
        self.device = foreign.device_of(self.array)
        place = _core.first_not_finite(self.array, self.device)
        if place < self.shape[0] * self.shape[1]:
            row = place // self.shape[1]
            raise not_finite(row, self.rows([row])[0])

    @classmethod
    def copied(cls, points: Array, device: str) -> DevicePoints:
        """Return a copy of points on a device."""
        array = _core.device_array(points.shape, points.dtype, device)
        array.set(points)
        return cls(array)

    def __len__(self) -> int:
        """Return the number of points."""
        return int(self.shape[0])

    def rows(self, rows: Any) -> Array:
        """Return some of the points as a NumPy array."""
        wanted = validate.in_place(rows, np.int64)
        taken = np.empty((len(wanted), self.shape[1]), self.dtype)
        _core.take_rows(self.array, wanted, taken, self.device)
        return taken

    def to_numpy(self) -> Array:
        """Return all points."""
        return self.rows(np.arange(len(self)))


class OneColumn:
    """The items of an array on a device, which is C-contiguous, as the rows of a matrix there."""

    def __init__(self, array: Any) -> None:
        self._array = foreign.view(array)  # owns the memory
        interface = dict(self._array.__cuda_array_interface__)
        self._length = math.prod(interface["shape"])
        interface.update(shape=(self._length, 1), strides=None)
        self.__cuda_array_interface__ = interface

    def __len__(self) -> int:
        return self._length


class RowOnDevice:
    """A row of a C-contiguous matrix on a device."""

    def __init__(self, matrix: Any, row: int) -> None:
        self._matrix = matrix  # owns the memory
        interface = dict(matrix.__cuda_array_interface__)
        length = interface["shape"][1]
        address, read_only = interface["data"]
        address += row * length * np.dtype(interface["typestr"]).itemsize
        interface.update(shape=(length,), strides=None, data=(address, read_only))
        self.__cuda_array_interface__ = interface


def points_anywhere(X: Any) -> Array | DevicePoints:
    """Return `X` as `as_points` does, or as `DevicePoints` if it is on a device."""
    return DevicePoints(X) if foreign.is_on_device(X) else as_points(X)


def shape_of(X: Any) -> tuple[int, ...]:
    """Return the shape of an array, on the host or a device, or of array-like data."""
    shape = getattr(X, "shape", None)
    if not shape and foreign.is_on_device(X):
        return foreign.layout_of(foreign.view(X)).shape
    return tuple(shape or np.asarray(X).shape)


def on_host(points: Array | DevicePoints) -> Array:
    """Return points as a NumPy array."""
    return points.to_numpy() if isinstance(points, DevicePoints) else points


def wanted_for(points: Array | DevicePoints, device: Any) -> _device.Wanted:
    """Return the device that is wanted for work on `points`: their own if they are on one."""
    if not isinstance(points, DevicePoints):
        return _device.one_wanted(device)
    if _device.is_auto(device):
        return _device.Wanted("named", [points.device])
    where = _device.resolve(device)
    outputs.same_device(points.array, where, "X")
    return _device.Wanted("named", [where])


def _check_size(n: int, d: int) -> None:
    if n == 0:
        raise ValueError("X has no points: 0 sample(s) while a minimum of 1 is required")
    if d == 0:
        raise ValueError(f"X has 0 feature(s) (shape=({n}, 0)) while a minimum of 1 is required.")
    if n > MAX_POINTS:
        raise ValueError(f"X has {n} points; at most {MAX_POINTS} are supported")


def not_finite(row: int, point: Array) -> ValueError:
    """Return the error of a row that has NaN or inf."""
    column = int(np.argmin(np.isfinite(point)))
    what = "NaN" if np.isnan(point[column]) else "inf"
    return ValueError(f"row {row} of X has {what} in column {column}: points must be finite")


def as_real(X: Any) -> Array:
    """Return `X` as a C-contiguous array of float32 or float64 numbers, of any shape."""
    if sp.issparse(X):
        raise TypeError(
            "X is a sparse matrix, but points must be a dense array; "
            "functions with metric='precomputed' take a sparse graph of distances"
        )
    array = np.asarray(validate.as_array(X, "X"))
    if is_networkx(X) or array.shape == () or array.dtype.kind not in "biufcO":
        is_array = array.shape and not is_networkx(X)
        got = f"an array of {array.dtype}" if is_array else type(X).__name__
        raise TypeError(f"X must be an array of real numbers, got {got}")
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must be real numbers")
    array = missing_as_nan(array)
    if array.dtype not in validate.REALS:
        array = as_float64(array, "X")
    return validate.in_place(array, array.dtype.newbyteorder("="))


def as_float64(array: Array, name: str) -> npt.NDArray[np.float64]:
    """Return an array as float64; of one of objects, the error says which argument it is."""
    try:
        with np.errstate(over="ignore"):  # callers refuse inf
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"{name} must be an array of real numbers: {error}") from None


def masked_as_nan(X: Any) -> Any:
    """Return points with NaN for masked entries; others as they are."""
    if not np.ma.is_masked(X):
        return X
    return np.ma.filled(X.astype(np.result_type(X, np.float32)), np.nan)


def objects_as_reals(array: Array, name: str) -> Array:
    """Return an array of objects that are all real numbers as float64; others as they are.

    NumPy stores integers beyond 64 bits as objects, and pandas columns that know missing values.
    """
    if array.dtype != object or not all(isinstance(x, numbers.Real) for x in array.flat):
        return array
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise ValueError(f"{name} has a number beyond the largest float") from None


def missing_as_nan(array: Array) -> Array:
    """Return an array with NaN for pandas' missing values, which are objects and no numbers."""
    pandas = sys.modules.get("pandas")
    if pandas is None or array.dtype != object:
        return array
    missing = np.asarray(np.frompyfunc(lambda value: value is pandas.NA, 1, 1)(array), bool)
    return np.where(missing, np.nan, array) if missing.any() else array
