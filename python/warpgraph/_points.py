"""From what users have to an array of points."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array = npt.NDArray[Any]

_MAX_POINTS = 2**31 - 1


def as_points(X: Any) -> Array:
    """Return `X` as a C-contiguous (n, d) array of finite float32 or float64 numbers.

    float32 and float64 arrays are used in place if their layout allows; everything else becomes
    float64.
    """
    array = as_real(X)
    if array.ndim != 2:
        raise ValueError(
            f"X must hold one point a row, shape (n, d), got shape {array.shape}. Reshape your "
            "data: X.reshape(-1, 1) if it has a single feature, X.reshape(1, -1) if it is a "
            "single sample"
        )
    n, d = array.shape
    if n == 0:
        raise ValueError("X has no points: 0 sample(s) while a minimum of 1 is required")
    if d == 0:
        raise ValueError(f"X has 0 feature(s) (shape=({n}, 0)) while a minimum of 1 is required.")
    if n > _MAX_POINTS:
        raise ValueError(f"X has {n} points; at most {_MAX_POINTS} are supported")
    finite = np.isfinite(array)
    if not finite.all():
        row = int(np.argmin(finite.all(axis=1)))
        column = int(np.argmin(finite[row]))
        what = "NaN" if np.isnan(array[row, column]) else "inf"
        raise ValueError(f"row {row} of X has {what} in column {column}: points must be finite")
    return array


def as_real(X: Any) -> Array:
    """Return `X` as a C-contiguous array of float32 or float64 numbers, of any shape."""
    if sp.issparse(X):
        raise TypeError(
            "X is a sparse matrix, but points must be a dense array; "
            "a sparse graph of distances takes metric='precomputed'"
        )
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must be real numbers")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))
