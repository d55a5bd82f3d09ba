"""Probabilities of vertices, as callers pass them: an array, or a mapping of few vertices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.new_array import NO_VERTICES
from warpgraph._graph.graph import Graph

Numbers = npt.NDArray[np.float64]
Vertices = npt.NDArray[np.int32]

#: Bytes for each number passed in an array: a copy, and the array that a list becomes.
_BYTES_TO_COPY = 16


class Distribution(NamedTuple):
    """Numbers with the sum 1 of these vertices, in ascending order.

    Without vertices, `values` are the numbers of all; without values, these are equal.
    """

    vertices: Vertices = NO_VERTICES
    values: Numbers = np.empty(0)

    def dense(self, n_vertices: int) -> Numbers:
        """Return the numbers of all vertices, or an empty array if they are equal."""
        if not len(self.vertices):
            return self.values
        items = np.zeros(n_vertices)
        items[self.vertices] = self.values
        return items

    def sparse(self, ledger: _core.Ledger) -> Distribution:
        """Leave out vertices with the number 0."""
        if len(self.vertices) or not len(self.values) or self.values.all():
            return self
        n = np.count_nonzero(self.values)
        # Also for the vertices as int64, which are freed.
        ledger.require("finding the numbers that are not 0", 20 * n, _ADVICE)
        ledger.charge(12 * n)
        vertices = np.flatnonzero(self.values)
        return Distribution(vertices.astype(np.int32), self.values[vertices])


#: Advice of errors about memory.
_ADVICE = "pass a graph with fewer vertices"
#: The distribution of an argument that is None.
_NONE = Distribution()


def distributions(
    graph: Graph, given: dict[str, Any], ledger: _core.Ledger
) -> dict[str, Distribution]:
    """Return the distributions of arguments, by name.

    An argument that is None has a distribution without numbers.
    """
    found = dict.fromkeys(given, _NONE)
    for name, value in given.items():
        if value is None:
            continue
        n = 0 if isinstance(value, Mapping) else graph.n_vertices
        ledger.require(f"a copy of {name}", _BYTES_TO_COPY * n, _ADVICE)
        found[name] = _distribution(graph, value, name)
        ledger.charge(8 * n)
    return found


def dense(vectors: dict[str, Distribution], n_vertices: int, ledger: _core.Ledger) -> list[Numbers]:
    """Return the results of `Distribution.dense`."""
    n_made = sum(len(vector.vertices) > 0 for vector in vectors.values())
    ledger.reserve("making arrays from mappings", 8 * n_vertices * n_made, _ADVICE)
    return [vector.dense(n_vertices) for vector in vectors.values()]


@np.errstate(over="ignore", under="ignore", invalid="ignore")
def _distribution(graph: Graph, value: Any, name: str) -> Distribution:
    """Check and scale numbers of the vertices."""
    vertices = NO_VERTICES
    if isinstance(value, Mapping):
        vertices, items = _of_mapping(graph, value, name)
    else:
        items = _of_array(value, graph.n_vertices, name)
    largest, least = items.max(initial=0), items.min(initial=0)  # NaN if one is NaN
    if not (least >= 0 and largest < np.inf):
        _refuse_unless(np.isfinite(items), items, vertices, name, "finite")
        _refuse_unless(items >= 0, items, vertices, name, "at least 0")
    if graph.n_vertices == 0:
        return _NONE
    # Divided by the largest first, so that the sum is finite and no quotient of normal numbers
    # loses precision.
    if largest == 0:
        raise ValueError(
            f"{name} is 0 for all {graph.n_vertices} vertices, but one of them must be above 0"
        )
    items /= largest
    items /= items.sum()
    return Distribution(vertices, items)


def _of_array(value: Any, n: int, name: str) -> Numbers:
    """Return a copy of numbers that were passed."""
    array = validate.unmasked(value, name)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be numbers, got an array of {array.dtype}")
    if array.shape != (n,):
        raise ValueError(
            f"{name} must have one number for each of the {n} vertices, "
            f"got an array of shape {array.shape}"
        )
    return array.astype(np.float64)


def _of_mapping(graph: Graph, value: Mapping[Any, Any], name: str) -> tuple[Vertices, Numbers]:
    numbers: dict[int, float] = {}
    for vertex, number in value.items():
        place = graph._find_vertex(vertex, name)
        try:
            numbers[place] = float(validate.real(number, f"{name}[{validate.shown(vertex)}]"))
        except OverflowError:
            numbers[place] = np.inf if number > 0 else -np.inf
    vertices = sorted(numbers)
    return np.array(vertices, np.int32), np.array([numbers[v] for v in vertices], np.float64)


def _refuse_unless(
    good: npt.NDArray[np.bool_], items: Numbers, vertices: Vertices, name: str, what: str
) -> None:
    if not good.all():
        i = int(np.argmin(good))
        v = int(vertices[i]) if len(vertices) else i
        raise ValueError(f"{name}[{v}] is {items[i]}, but it must be {what}")
