"""Random points and matrices of distances: ties, duplicates, lines, blobs and many magnitudes."""

from __future__ import annotations

import numpy as np

from fuzz.cases import Points
from fuzz.structures import TILES

_DIMENSIONS = (1, 2, 2, 2, 3, 3, 4, 7, 8, 9, 12, 17, 40)


def size(rng, largest):
    """Return a number of points; beyond some thousand a k-d tree has several levels."""
    share = rng.random()
    if share < 0.8:
        return int(rng.integers(1, 41))
    if share < 0.985 or largest <= TILES:
        return int(rng.choice([63, 64, 65, 100, 128, 129, 200, 257, 300]))
    return int(rng.choice([512, 1000, 2049, 4000]))


def lattice(rng, n, d):
    """Few different coordinates: nearly all distances tie."""
    return rng.integers(0, int(rng.integers(1, 6)) + 1, (n, d))


def integers(rng, n, d):
    return rng.integers(-1000, 1000, (n, d))


def uniform(rng, n, d):
    return rng.random((n, d))


def blobs(rng, n, d):
    centres = rng.normal(0, 100, (4, d))
    return centres[rng.integers(0, 4, n)] + rng.normal(0, 1, (n, d))


def line(rng, n, d):
    return np.outer(rng.integers(0, 3 * n, n), rng.integers(0, 3, d))


def decades(rng, n, d):
    """Squared distances that underflow, overflow, or are lost in sums."""
    reach = float(rng.choice([5, 25, 160]))
    sign = rng.choice([-1, 1], (n, d))
    return sign * 10.0 ** rng.uniform(-reach, reach, (n, d))


FAMILIES = [lattice, lattice, integers, uniform, blobs, line, decades]


def points(rng, largest) -> Points:
    n, d = size(rng, largest), int(rng.choice(_DIMENSIONS))
    n = min(n, 300) if d > 12 else n
    values = FAMILIES[rng.integers(len(FAMILIES))](rng, n, d)
    if rng.random() < 0.2:
        values = values[rng.integers(0, n, n)]
    dtype = np.dtype(str(rng.choice(["float32", "float64"])))
    most = np.finfo(dtype).max / 4
    with np.errstate(under="ignore", over="ignore"):
        return Points(np.clip(values, -most, most).astype(dtype))


def distances(rng, largest) -> Points:
    """Return a symmetric matrix of distances; inf is no edge."""
    n = int(rng.integers(1, 41)) if rng.random() < 0.9 else int(rng.choice([64, 65, 150, 300]))
    how = rng.integers(3)
    if how == 0:
        upper = rng.integers(0, int(rng.integers(1, 30)) + 1, (n, n)).astype(float)
    elif how == 1:
        upper = rng.random((n, n))
    else:
        upper = 10.0 ** rng.uniform(-30, 30, (n, n))
    if rng.random() < 0.4:
        upper[rng.random((n, n)) < rng.choice([0.1, 0.9])] = np.inf
    upper = np.triu(upper, 1)
    upper[np.tri(n, dtype=bool)] = 0
    matrix = np.maximum(upper, upper.T)
    return Points(matrix.astype(str(rng.choice(["float32", "float64"]))))


def matrix(rng, largest) -> Points:
    """Return a square matrix with entries of all kinds."""
    n = int(rng.integers(0, 20))
    values = rng.integers(-3, 9, (n, n)).astype(float)
    kind = str(rng.choice(["float32", "float64", "int32", "int64", "uint8", "bool"]))
    if kind.startswith("float"):
        values[rng.random((n, n)) < 0.1] = rng.choice([np.inf, np.nan, 0.1, 1e-30])
    else:
        values = np.abs(values)
    return Points(values.astype(kind))


def values(rng, largest) -> Points:
    """Return an array of numbers of any dtype and magnitude."""
    n = int(_n_values(rng))
    dtype = np.dtype(str(rng.choice(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])))
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            array = (rng.integers(-9, 9, n) * 10.0 ** rng.integers(-40, 40, n)).astype(dtype)
        array[rng.random(n) < 0.1] = rng.choice([np.inf, -np.inf, np.nan, -0.0])
    else:
        info = np.iinfo(dtype)
        array = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
        few = rng.random(n) < 0.5
        array[few] = rng.integers(0, 5, int(few.sum())).astype(dtype)
    return Points(array)


def _n_values(rng):
    """Return a number of values; the runtime divides some thousands into segments."""
    return rng.integers(0, 41) if rng.random() < 0.7 else rng.choice([512, 1025, 5000, 40_000])


def nothing(rng, largest) -> Points:
    """Return no points, for functions that take none."""
    return Points(np.empty(0))
