"""Names of vertices, which callers pass in place of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import hints, validate

Array = npt.NDArray[Any]


#: Bytes that an array of names, padded to the width of the longest, may take beyond 10 for each
#: character of the names.
_MAX_PADDING = 1 << 26

#: The most names that are compared with one that does not exist.
_COMPARED = 1 << 20


class Names:
    """The names of a graph's vertices: ``array[v]`` is the name of vertex v.

    If there are names, callers pass names only, even if these are integers. The array is of int64
    if all are integers of 64 bits, else of objects; of strings, if a file has made it.
    """

    def __init__(self, names: Iterable[Any], n_vertices: int) -> None:
        self.array: Array = _as_integers(np.fromiter(names, object, n_vertices))
        self.array.flags.writeable = False

    @classmethod
    def of_ids(cls, ids: Array) -> Names:
        """Return the names that a file has, all different: integers, strings or objects.

        The array is used as it is, since objects of Python would take several times the memory.
        """
        names = cls.__new__(cls)
        names.array = ids.view()
        names.array.flags.writeable = False
        return names

    @classmethod
    def given(cls, names: Any, n_vertices: int) -> Names:
        """Return the names that a caller gave: one per vertex, all different and hashable."""
        values = list(map(validate.plain, validate.items(names, "names", "names")))
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
                f"{validate.shown(name)} is both names[{first}] and names[{made._numbers[name]}], "
                "but each vertex needs a name of its own"
            )
        return made

    def __len__(self) -> int:
        return len(self.array)

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        try:
            return {name: i for i, name in enumerate(self.array.tolist())}
        except TypeError as error:
            raise TypeError(f"names of vertices must be hashable: {error}") from None

    @cached_property
    def _are_numbers(self) -> bool:
        """Return whether the names are the vertex numbers; then no dictionary is needed."""
        if self.array.dtype.kind in "iu":
            return bool(np.array_equal(self.array, np.arange(len(self))))
        integers = (int, np.integer)
        not_numbers = (bool, np.timedelta64)  # subclasses of int and np.integer
        return all(
            isinstance(name, integers) and not isinstance(name, not_numbers) and name == i
            for i, name in enumerate(self.array)
        )

    @cached_property
    def _are_sorted(self) -> bool:
        """Return whether a binary search finds a name, as in the ids of tables."""
        is_integer = self.array.dtype.kind in "iu"
        return is_integer and bool((self.array[1:] > self.array[:-1]).all())

    def number(self, name: Any, argument: str) -> int:
        """Return the vertex named `name`; `argument` is the parameter that it was passed as."""
        if self._are_numbers:
            return validate.vertex(name, len(self), argument)
        try:
            number = self._find(name)
        except TypeError:
            raise TypeError(
                f"{argument} must be the name of a vertex, got {validate.shown(name)}"
            ) from None
        if number is None:
            raise ValueError(
                f"{argument} is {validate.shown(name)}, but no vertex has that name"
                f"{self._suggestion(name)}; {self._examples()}"
            )
        return number

    def _find(self, name: Any) -> int | None:
        """Return the vertex of this name, or None."""
        if not self._are_sorted:
            return self._numbers.get(name)
        hash(name)  # a TypeError if it is not hashable, as a dictionary raises
        if not _is_integer(name) or not len(self):
            return None
        # Beyond the range of the type, NumPy would compare floats.
        info, value = np.iinfo(self.array.dtype), int(name)
        if not info.min <= value <= info.max:
            return None
        place = int(np.searchsorted(self.array, self.array.dtype.type(value)))
        return place if place < len(self) and self.array[place] == value else None

    def numbers(self, names: Any, argument: str) -> npt.NDArray[np.int32]:
        """Return the vertices that have these names, shape (k,)."""
        if self._are_numbers:
            return validate.vertices(names, len(self), argument)
        if (found := self._find_all(names)) is not None:
            return found
        values = validate.items(names, argument, "names of vertices")
        numbers = (self.number(name, f"{argument}[{i}]") for i, name in enumerate(values))
        return np.fromiter(numbers, np.int32, len(values))

    def _find_all(self, names: Any) -> npt.NDArray[np.int32] | None:
        """Return the vertices of an array of integers by binary searches, if all are found."""
        is_vector = isinstance(names, np.ndarray) and names.ndim == 1 and not np.ma.isMA(names)
        if not is_vector or names.dtype != self.array.dtype or not self._are_sorted:
            return None
        places = np.searchsorted(self.array, names)
        known = places < len(self)
        known[known] = self.array[places[known]] == names[known]
        return places.astype(np.int32) if known.all() else None

    def of(self, vertices: npt.NDArray[np.int32]) -> Array:
        """Return the names of vertices, shape (k,); their numbers if these are the names."""
        return vertices if self._are_numbers else self.array[vertices]

    def _suggestion(self, name: Any) -> str:
        """Return the end of a sentence that asks for a similar name; empty if there is none."""
        other: Any = str(name) if _is_integer(name) else None
        if isinstance(name, str) and re.fullmatch(r"-?[0-9]{1,18}", name):
            other = int(name)
        if other is not None and self._find(other) is not None:
            kind = "a text" if isinstance(other, str) else "an integer"
            return f"; did you mean {validate.shown(other)}, {kind}?"
        return "" if len(self) > _COMPARED else hints.did_you_mean(name, self.array.tolist())

    def _examples(self) -> str:
        """Return a clause that has the first names."""
        if not len(self):
            return "the graph has no vertices"
        shown = ", ".join(validate.shown(name) for name in self.array[:3])
        return f"names are {shown}" + (", ..." if len(self) > 3 else "")

    def shown(self, *vertices: int) -> str:
        """Return the text for a vertex, or for the edge from one to another, in messages."""
        shown = ", ".join(validate.shown(name) for name in self.array[list(vertices)])
        return f"({shown})" if len(vertices) > 1 else shown

    def as_ids(self) -> Array | None:
        """Return the names as an array of integers or strings; None if they are the numbers."""
        if self._are_numbers:
            return None
        return id_array(self.array.tolist()) if self.array.dtype.kind == "O" else self.array

    def permuted(self, order: Array) -> Names:
        """Return the names of some or all vertices in a new order: vertex i was `order[i]`."""
        return Names.of_ids(self.array[order])


def put_into(error: Exception, names: Names | None) -> None:
    """Put names in place of the vertex numbers in an error, if it is of the core and there are any.

    Its sentence is the sum of its `parts`: texts, and tuples of one vertex, or of an edge's two.
    """
    if names is not None and (parts := vars(error).pop("parts", None)):
        named = (part if isinstance(part, str) else names.shown(*part) for part in parts)
        error.args = ("".join(named),)


def _as_integers(names: Array) -> Array:
    """Return names, an array of objects, as int64 if all are integers of 64 bits."""
    # Of classes derived from int, bool and those of enumerations, members print as their names.
    types = set(map(type, names)) - {int}
    if not len(names) or not all(t.__module__ == "numpy" and _is_of_integers(t) for t in types):
        return names
    try:
        return names.astype(np.int64)
    except OverflowError:
        return names


def _is_of_integers(numbers: type) -> bool:
    return issubclass(numbers, np.integer) and not issubclass(numbers, np.timedelta64)


def id_array(names: Sequence[Any]) -> Array:
    """Return names as files have them: an array of int64, of strings, or of Python's strings."""
    if all(map(_is_integer, names)):
        return np.array(names, np.int64)
    if all(isinstance(name, str) for name in names):
        return string_array(names, 10 * sum(map(len, names)) + _MAX_PADDING)
    neither = [name for name in names if not (isinstance(name, str) or _is_integer(name))]
    number = next((name for name in names if not isinstance(name, str)), None)
    string = next((name for name in names if isinstance(name, str)), None)
    both = f"{validate.shown(number)} and another {validate.shown(string)}"
    raise ValueError(
        "files name vertices all by 64-bit integers or all by strings, but here one is "
        f"{validate.shown(neither[0]) if neither else both}; pass ids="
    )


def _is_integer(name: Any) -> bool:
    is_integer = isinstance(name, (int, np.integer)) and type(name) is not bool
    return is_integer and -(2**63) <= int(name) < 2**63


def string_array(names: Sequence[str], max_bytes: int) -> Array:
    """Return an array of strings of equal width, or of Python's if it took over `max_bytes`."""
    ends_with_nul = next((name for name in names if name.endswith("\0")), None)
    if ends_with_nul is not None:
        # An array of strings would drop the NUL.
        raise ValueError(
            f"the vertex id {validate.shown(ends_with_nul)} cannot be written to a file: it ends "
            "with a NUL character"
        )
    widest = max(map(len, names), default=0)
    return np.array(names, f"U{widest}" if 4 * widest * len(names) <= max_bytes else object)


def index_of(values: Any) -> npt.NDArray[Any] | None:
    """Return the index of a pandas Series, else None."""
    index = getattr(values, "index", None)
    return None if index is None or callable(index) else np.asarray(index)  # lists have a method


def are_positions(index: npt.NDArray[Any]) -> bool:
    """Return whether an index is 0, 1, 2, ..., as that of a Series made without one."""
    return index.dtype.kind in "iu" and np.array_equal(index, np.arange(len(index)))
