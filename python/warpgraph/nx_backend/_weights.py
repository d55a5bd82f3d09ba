"""Weights of edges that the core does not read: some are missing, or of other or of mixed types.

NetworkX adds the objects that are the weights along a path, beginning with the integer 0. So
distances have the types of these sums: of integers among floats, NumPy's scalars, fractions.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph._arguments.nx_graphs import values_of

Array = npt.NDArray[Any]

#: Sums of these are integers.
_INTEGERS = frozenset({int, bool})
#: Sums of these are the same numbers in Python and in arrays of float64.
_FLOATS = frozenset({float, np.float64})

#: Integers up to here are floats exactly.
EXACT = 2**53
_EXACT_IN_FLOAT32 = 2**24
_LARGEST = 2**63 - 1


class Weights(NamedTuple):
    """Weights as numbers that the core compares and adds, and the types of their sums."""

    #: int64, float32 or float64; None: all are the integer 1.
    data: Array | None
    #: The weights themselves, if the types of their sums depend on the path.
    objects: list[Any] | None = None
    #: The NumPy type of all sums of one weight or more; None: int or float, as of `data`.
    kind: Any = None
    #: ``data`` is the weights times this integer.
    scale: int = 1

    @property
    def has_plain_sums(self) -> bool:
        """Return whether sums are Python's numbers of the type of ``data``."""
        return self.objects is None and self.kind is None

    def have_finite_sums(self, n_vertices: int) -> bool:
        """Return whether no weight is NaN or infinite, nor the length of any path."""
        if self.data is None or self.data.dtype.kind != "f":
            return True
        with np.errstate(over="ignore"):
            return bool(np.isfinite(np.abs(self.data).max(initial=0) * n_vertices))


def neighbours(row: Any, is_multigraph: bool) -> Iterator[Any]:
    """Return the neighbours in a row of an adjacency, once for each of parallel edges."""
    if not is_multigraph:
        return iter(row)
    return (node for node in row for _ in row[node])


def attributes_of(adjacency: Any, is_multigraph: bool) -> Iterator[Any]:
    """Return the attributes of all edges, row by row."""
    edges = chain.from_iterable(map(values_of, adjacency.values()))
    if is_multigraph:
        edges = chain.from_iterable(map(values_of, edges))
    return edges


def read(adjacency: Any, weight: Any, is_multigraph: bool, missing: Any = 1) -> Weights:
    """Return the attribute `weight` of all edges; of edges without it, `missing`.

    Raises
    ------
    NotImplementedError
        Values are no numbers, of types whose sums the core does not find exactly as NetworkX does,
        or beyond the range of their type.
    """
    every = attributes_of(adjacency, is_multigraph)
    return of_values([found.get(weight, missing) for found in every], len(adjacency))


def of_values(values: list[Any], n_vertices: int) -> Weights:
    """Return what `read` does, of a list."""
    kinds = set(map(type, values))
    others = kinds - _INTEGERS
    if not others:
        return Weights(_integers(values))
    if kinds == {float}:
        return Weights(np.array(values, np.float64))
    narrow = {kind for kind in others if issubclass(kind, np.integer)}
    if narrow:
        _refuse_overflow(values, narrow, n_vertices)
    if others == narrow:
        data = np.array(values, np.int64)
    elif others - narrow <= _FLOATS:
        data = _floats(values, kinds)
    elif others == {np.float32}:
        data = _of_float32(values, n_vertices)
    elif others in ({Fraction}, {Decimal}):
        return _scaled(values, n_vertices)
    else:
        raise NotImplementedError(
            f"edge weights of type {' and '.join(sorted(kind.__name__ for kind in others))} run "
            "in NetworkX"
        )
    if len(kinds) == 1:
        return Weights(data, kind=kinds.pop())
    return Weights(data, values)


def _integers(values: list[Any]) -> Array | None:
    try:
        array = np.array(values, np.int64)
    except OverflowError:
        raise NotImplementedError("integers beyond int64 run in NetworkX") from None
    return None if bool((array == 1).all()) else array


def _refuse_overflow(values: list[Any], kinds: set[Any], n_vertices: int) -> None:
    """Refuse NumPy's integers if a path may be longer than the narrowest type can hold."""
    limits = [np.iinfo(kind) for kind in kinds]
    integers = [int(value) for value in values if isinstance(value, (int, np.integer))]
    low, high = min(integers) * n_vertices, max(integers) * n_vertices
    if low < max(limit.min for limit in limits) or high > min(limit.max for limit in limits):
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise NotImplementedError(f"lengths that may exceed {names} run in NetworkX")
    if len(kinds) > 1 and np.uint64 in kinds:
        raise NotImplementedError("weights of type uint64 among others run in NetworkX")


def _floats(values: list[Any], kinds: set[Any]) -> Array:
    array = np.array(values, np.float64)
    if kinds <= _FLOATS:
        return array
    large = np.flatnonzero(np.abs(array) >= EXACT).tolist()
    if any(type(values[i]) not in _FLOATS for i in large):
        raise NotImplementedError("integers of 2**53 or more among floats run in NetworkX")
    return array


def _of_float32(values: list[Any], n_vertices: int) -> Array:
    integers = [abs(value) for value in values if type(value) is not np.float32]
    if max(integers, default=0) * n_vertices > _EXACT_IN_FLOAT32:
        raise NotImplementedError("large integers among weights of type float32 run in NetworkX")
    return np.array(values, np.float32)


def _scaled(values: list[Any], n_vertices: int) -> Weights:
    """Return integers that are the values times their common denominator, with exact sums."""
    if any(type(value) is Decimal and _is_long(value) for value in values):
        raise NotImplementedError("decimals beyond int64, or infinite, run in NetworkX")
    ratios = [value.as_integer_ratio() for value in values]
    scale = 1
    for denominator in {denominator for _, denominator in ratios}:
        scale = math.lcm(scale, denominator)
        if scale > _LARGEST:
            raise NotImplementedError("fractions without a small denominator run in NetworkX")
    integers = [numerator * (scale // denominator) for numerator, denominator in ratios]
    largest = max(map(abs, integers)) * max(n_vertices, 1)
    if largest >= _LARGEST or (Decimal in set(map(type, values)) and _is_rounded(largest, scale)):
        raise NotImplementedError("fractions of more digits than int64 has run in NetworkX")
    return Weights(np.array(integers, np.int64), values, scale=scale)


def _is_long(value: Decimal) -> bool:
    """Return whether a decimal is not finite, or is beyond int64, or its inverse is."""
    return not value.is_finite() or (bool(value) and not -20 < value.adjusted() < 19)


def _is_rounded(largest: int, scale: int) -> bool:
    """Return whether a sum of decimals up to ``largest / scale`` may have too many digits."""
    places = 0
    while 10**places % scale:
        places += 1
    return bool(largest * 10**places // scale >= 10 ** decimal.getcontext().prec)
