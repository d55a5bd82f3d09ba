"""Names of vertices: what callers may pass in place of numbers, and what numbers stand for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _validate

Array = npt.NDArray[Any]


class Names:
    """The names of a graph's vertices: ``array[v]`` is the name of vertex v.

    Where there are names, callers pass names and nothing else, even if they are integers.
    """

    def __init__(self, names: Iterable[Any], n_vertices: int) -> None:
        self.array: Array = np.fromiter(names, object, n_vertices)
        self.array.flags.writeable = False

    @classmethod
    def given(cls, names: Any, n_vertices: int) -> Names:
        """Return the names that a caller gave: one a vertex, all different and hashable."""
        values = _validate.items(names, "names", "names")
        if len(values) != n_vertices:
            raise ValueError(
                f"names must have one entry for each of the {n_vertices} vertices, "
                f"got {len(values)}"
            )
        made = cls(values, n_vertices)
        if len(made._numbers) < n_vertices:
            first = next(i for i, name in enumerate(made.array) if made._numbers[name] != i)
            name = made.array[first]
            raise ValueError(
                f"{_validate.shown(name)} is both names[{first}] and names[{made._numbers[name]}], "
                "but each vertex needs a name of its own"
            )
        return made

    def __len__(self) -> int:
        return len(self.array)

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        try:
            return {name: i for i, name in enumerate(self.array)}
        except TypeError as error:
            raise TypeError(f"names of vertices must be hashable: {error}") from None

    @cached_property
    def _are_numbers(self) -> bool:
        """Whether the names are the vertex numbers, which spares the dictionary."""
        integer = (int, np.integer)
        return all(
            isinstance(name, integer) and type(name) is not bool and name == i
            for i, name in enumerate(self.array)
        )

    def number(self, name: Any, argument: str) -> int:
        """Return the vertex that is called `name`; `argument` is what callers passed it as."""
        if self._are_numbers:
            return _validate.vertex(name, len(self), argument)
        try:
            number = self._numbers.get(name)
        except TypeError:
            raise TypeError(
                f"{argument} must be the name of a vertex, got {_validate.shown(name)}"
            ) from None
        if number is None:
            raise ValueError(
                f"{argument} is {_validate.shown(name)}, but no vertex has that name; "
                f"{self._some()}"
            )
        return number

    def numbers(self, names: Any, argument: str) -> npt.NDArray[np.int32]:
        """Return the vertices that have these names, shape (k,)."""
        if self._are_numbers:
            return _validate.vertices(names, len(self), argument)
        values = _validate.items(names, argument, "names of vertices")
        numbers = (self.number(name, f"{argument}[{i}]") for i, name in enumerate(values))
        return np.fromiter(numbers, np.int32, len(values))

    def _some(self) -> str:
        if not len(self):
            return "the graph has no vertices"
        shown = ", ".join(_validate.shown(name) for name in self.array[:3])
        return f"names are {shown}" + (", ..." if len(self) > 3 else "")

    def ends(self, tail: int, head: int) -> str:
        """Return what a sentence calls the edge from one vertex to another."""
        return f"({_validate.shown(self.array[tail])}, {_validate.shown(self.array[head])})"

    def as_ids(self) -> Array | None:
        """Return the names as an array of integers or strings; None if they are the numbers."""
        if self._are_numbers:
            return None
        names = self.array.tolist()
        for kinds, dtype in (((int, np.integer), np.int64), ((str,), np.str_)):
            if all(isinstance(name, kinds) and type(name) is not bool for name in names):
                try:
                    return np.array(names, dtype)
                except OverflowError:
                    break
        odd = next((name for name in names if not isinstance(name, str)), names[0])
        raise ValueError(
            "files name vertices by integers or by strings, but here a name is "
            f"{_validate.shown(odd)}; pass ids="
        )

    def permuted(self, order: Array) -> Names:
        """Return the names of vertices that were renumbered: vertex i was `order[i]`."""
        return Names(self.array[order], len(self))
