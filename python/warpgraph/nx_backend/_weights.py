"""Weights of edges that the core does not read: some are missing, or types are mixed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._networkx import values_of

Array = npt.NDArray[Any]

#: Sums of these are the same numbers in Python and in arrays of int64 and float64.
_INTEGERS = frozenset({int, bool, np.int64})
_PLAIN = _INTEGERS | {float, np.float64}

#: Integers up to here are floats exactly.
EXACT = 2**53


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


def read(adjacency: Any, weight: Any, is_multigraph: bool) -> Array | None:
    """Return the attribute `weight` of all edges, 1 where it is missing; None if all are 1.

    Raises
    ------
    NotImplementedError
        A value is neither an int nor a float, or numbers would be rounded.
    """
    values = [attributes.get(weight, 1) for attributes in attributes_of(adjacency, is_multigraph)]
    kinds = set(map(type, values))
    if not kinds <= _PLAIN:
        others = ", ".join(sorted(kind.__name__ for kind in kinds - _PLAIN))
        raise NotImplementedError(f"edge weights of type {others} run in NetworkX")
    if kinds <= _INTEGERS:
        return _integers(values)
    array = np.array(values, np.float64)
    large = np.flatnonzero(np.abs(array) >= EXACT).tolist()
    if any(type(values[i]) in _INTEGERS for i in large):
        raise NotImplementedError("integers of 2**53 or more among floats run in NetworkX")
    return array


def _integers(values: list[Any]) -> Array | None:
    try:
        array = np.array(values, np.int64)
    except OverflowError:
        raise NotImplementedError("integers beyond int64 run in NetworkX") from None
    return None if bool((array == 1).all()) else array
