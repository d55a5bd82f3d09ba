"""Families of random weights, each with a purpose.

A family is a function (rng, m) that returns m numbers as float64, or int64 if a float64 would lose
digits. `draw` chooses one, makes some edges heavy, and converts all to a dtype.
"""

from __future__ import annotations

import numpy as np

#: Numbers around which arithmetic changes: limits of integers and of exact floats.
EDGES_OF_INTEGERS = [
    2**k + step for k in (7, 8, 15, 16, 24, 29, 30, 31, 32, 53, 61, 62) for step in (-1, 0, 1)
]
EDGES_OF_FLOATS = [3e38, 1.7e308, 1e-300, 5e-324, 1e-45, 1.1754944e-38, 1e16, 1e-3]

DTYPES = ("float32", "float64", "int32", "int64")
#: Dtypes of weights that are converted to one of the four.
OTHER_DTYPES = ("bool", "uint8", "int16", "uint32", "float16", ">f8", ">i4")


def ones(rng, m):
    return np.ones(m)


def ties(rng, m):
    return rng.integers(0, 3, m)


def small(rng, m):
    return rng.integers(0, 21, m)


def mostly_zero(rng, m):
    return rng.integers(0, 9, m) * (rng.random(m) < 0.3)


def thousands(rng, m):
    return rng.integers(1, 10**6, m)


def uniform(rng, m):
    return rng.random(m)


def eighths(rng, m):
    """Not integers, but float64 adds them exactly."""
    return rng.integers(0, 100, m) / 8


def bits(rng, m):
    """Integers over as many powers of two as a type has: 16, 31, 53 or 62 bits."""
    most = int(rng.choice([16, 31, 53, 62]))
    width = rng.integers(0, most, m)
    return rng.integers(0, 2**62, m) >> (62 - width)


def decades(rng, m):
    return 10.0 ** rng.uniform(-30, 30, m)


def denormals(rng, m):
    """Multiples of the least positive float64 or float32, and a few numbers that absorb them."""
    least = float(rng.choice([5e-324, 1.401298464324817e-45]))
    return np.where(rng.random(m) < 0.1, 1.0, rng.integers(0, 50, m) * least)


def multiples(rng, m):
    """Multiples of a unit, such that arcs lead over 1, 33, 64 or 65 buckets."""
    unit = int(rng.choice([1, 10, 16, 100]))
    often = rng.integers(1, 4, m)
    rarely = rng.choice([16, 31, 32, 33, 63, 64, 65, 66, 102, 127, 128, 129, 192], m)
    return unit * np.where(rng.random(m) < 0.8, often, rarely) + rng.integers(0, 2, m)


def one_unit(rng, m):
    """Nearly all equal, so the width of a bucket is known; a few are small multiples."""
    several = rng.choice([1, 2, 32, 33, 64, 65, 96, 128, 256], 3)
    return 10 * np.where(rng.random(m) < 0.75, 1, rng.choice(several, m))


FAMILIES = [
    ones,
    ties,
    small,
    mostly_zero,
    thousands,
    uniform,
    eighths,
    bits,
    decades,
    denormals,
    multiples,
    one_unit,
]
#: Families that are the same in every dtype, negative or not.
EXACT = [ones, ties, small, mostly_zero, thousands]


def draw(rng, m, *, negative=False, infinite=True):
    """Return m weights of a random family and dtype.

    `infinite`: float weights may be inf, and integers the largest of their type, both of which mean
    "no edge". `negative`: the caller will make some of them negative.
    """
    families = EXACT if negative else FAMILIES
    values = np.asarray(families[rng.integers(len(families))](rng, m))
    dtype = str(rng.choice(DTYPES))
    if rng.random() < 0.05 and not negative:
        dtype = str(rng.choice(OTHER_DTYPES))
    if not negative and m and rng.random() < 0.3:
        values = _with_heavy(rng, values, np.dtype(dtype).kind == "f")
    converted = convert(values, dtype)
    if infinite and m and rng.random() < 0.06 and dtype in DTYPES:
        far = np.inf if converted.dtype.kind == "f" else np.iinfo(converted.dtype).max
        converted[rng.random(m) < rng.choice([0.05, 0.5])] = far
    return converted


def _with_heavy(rng, values, floats):
    """Make a few edges heavy, or as light as possible: paths avoid them, or use all of them."""
    choice = EDGES_OF_INTEGERS + (EDGES_OF_FLOATS if floats else [])
    heavy = [choice[i] for i in rng.integers(len(choice), size=int(rng.integers(1, 4)))]
    is_heavy = rng.random(len(values)) < rng.choice([0.02, 0.1, 0.5])
    is_heavy[rng.integers(len(values))] = True
    as_floats = values.dtype.kind == "f" or any(isinstance(w, float) for w in heavy)
    wide = values.astype(np.float64 if as_floats else np.int64)
    wide[is_heavy] = np.array(heavy, wide.dtype)[rng.integers(len(heavy), size=is_heavy.sum())]
    return wide


def convert(values, dtype):
    """Return `values` as `dtype`; numbers beyond it become its largest or least number."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        most = np.finfo(dtype).max
        with np.errstate(under="ignore"):  # the smallest numbers become zero
            return np.clip(values.astype(np.float64), -most, most).astype(dtype)
    if dtype.kind == "b":
        return values != 0
    # At most one less than the largest, which means "no edge" and is drawn on purpose elsewhere.
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max) - 1
    numbers = [min(max(int(value), low), high) for value in values.tolist()]
    return np.array(numbers, dtype)
