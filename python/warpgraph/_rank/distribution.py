"""Probabilities of vertices, as callers pass them: an array, or a mapping of few vertices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.new_array import NO_VERTICES, new_arrays
from warpgraph._arguments.points import objects_as_reals
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph
from warpgraph._graph.methods.vertices import labels_of

Numbers = npt.NDArray[np.float64]
Vertices = npt.NDArray[np.int32]

#: Numbers that are searched at a time, so that temporary arrays are small.
_AT_A_TIME = 1 << 16


class Distribution(NamedTuple):
    """Numbers of all vertices, with the sum 1.

    `vertices`, in ascending order, have the numbers `values`, and all others 0. If `vertices` is
    empty, `values` has the numbers of all vertices. If both are empty, these numbers are equal.
    """

    vertices: Vertices = NO_VERTICES
    values: Numbers = np.empty(0)

    def fill(self, items: Numbers) -> Numbers:
        """Write the numbers of all vertices to `items`, and return it."""
        items.fill(0)
        items[self.vertices] = self.values
        return items

    def sparse(self, ledger: _core.Ledger) -> Distribution:
        """Leave out the vertices with the number 0, if `values` has the numbers of all vertices."""
        if len(self.vertices) or not len(self.values) or self.values.all():
            return self
        n = int(np.count_nonzero(self.values))
        what, wanted = "finding the numbers that are not 0", (((n,), np.int32), ((n,), np.float64))
        vertices, values = new_arrays(ledger, what, _ADVICE, *wanted)
        end = 0
        for first in range(0, len(self.values), _AT_A_TIME):
            some = self.values[first : first + _AT_A_TIME]
            found = np.flatnonzero(some)
            begin, end = end, end + len(found)
            np.add(found, first, out=vertices[begin:end], casting="unsafe")
            values[begin:end] = some[found]
        return Distribution(vertices, values)


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
        found[name] = _distribution(graph, value, name, ledger)
    return found


def dense(vectors: dict[str, Distribution], n_vertices: int, ledger: _core.Ledger) -> list[Numbers]:
    """Return the numbers of all vertices for each distribution: no numbers if they are equal."""
    of_mappings = [vector for vector in vectors.values() if len(vector.vertices)]
    wanted = [((n_vertices,), np.float64)] * len(of_mappings)
    made = iter(new_arrays(ledger, "making arrays from mappings", _ADVICE, *wanted))
    return [
        vector.fill(next(made)) if len(vector.vertices) else vector.values
        for vector in vectors.values()
    ]


@np.errstate(over="ignore", under="ignore", invalid="ignore")
def _distribution(graph: Graph, value: Any, name: str, ledger: _core.Ledger) -> Distribution:
    """Check and scale numbers of the vertices."""
    vertices = NO_VERTICES
    labels = labels_of(graph, value)
    if labels is not None:
        if len(set(labels)) < len(labels):
            raise ValueError(f"the index of {name} must name a vertex once, got {labels[:5]} ...")
        value = dict(zip(labels, value, strict=True))
    if isinstance(value, Mapping):
        vertices, items = _of_mapping(graph, value, name)
    else:
        items = _of_array(value, graph.n_vertices, name, ledger)
    largest, least = items.max(initial=0), items.min(initial=0)  # NaN if one is NaN
    if not (least >= 0 and largest < np.inf):
        _refuse_unless(np.isfinite(items), items, vertices, name, "finite")
        _refuse_unless(items >= 0, items, vertices, name, "at least 0")
    if graph.n_vertices == 0:
        return _NONE
    if largest == 0:
        raise ValueError(
            f"{name} is 0 for all {graph.n_vertices} vertices, but one of them must be above 0"
        )
    # Divided by the largest first, so that the sum is finite and no quotient of normal numbers
    # loses precision.
    items /= largest
    items /= items.sum()
    return Distribution(vertices, items)


def _of_array(value: Any, n: int, name: str, ledger: _core.Ledger) -> Numbers:
    """Return a copy of an array that was passed, as float64."""
    array = objects_as_reals(validate.unmasked(value, name), name)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be numbers, got an array of {array.dtype}")
    if array.shape != (n,):
        raise ValueError(
            f"{name} must have one number for each of the {n} vertices, "
            f"got an array of shape {array.shape}"
        )
    (copy,) = new_arrays(ledger, f"a copy of {name}", _ADVICE, ((n,), np.float64))
    plan.count(copy.nbytes)
    copy[:] = array
    return copy


def _of_mapping(graph: Graph, value: Mapping[Any, Any], name: str) -> tuple[Vertices, Numbers]:
    """Return the vertices of a mapping, ascending, and their numbers."""
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
