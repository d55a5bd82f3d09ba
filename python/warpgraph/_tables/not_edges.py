"""Tables that have a vertex, a point or a row of a matrix in each row, and no edge.

Their first columns would be read as the ends of edges, by position, if no column is known as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from warpgraph._arguments.validate import shown
from warpgraph._tables import names as _names, parsers

#: Words for the two coordinates of a point: in a label of several words, the first or the last.
_NORTH = frozenset(["lat", "latitude", "northing"])
_EAST = frozenset(["lon", "lng", "long", "longitude", "easting"])
#: Letters for coordinates, alone or beside such words only: merged tables have id_x and id_y.
_BESIDE_LETTERS = frozenset(
    ["coord", "coords", "coordinate", "pos", "position", "point", "geo", "map", "utm"]
)
#: Labels of a column that has a vertex in each row, and of one that describes it.
_VERTICES = frozenset(["id", "node", "nodeid", "nodes", "vertex", "vertexid", "vertices"])
_DESCRIBING = frozenset(["label", "name", "type", "kind"])

#: Function that tells whether the column at a position has numbers.
IsNumber = Callable[[int], bool]


def all_numbers(column: int) -> bool:
    """Return true, if nothing is known but labels."""
    return True


def refused(labels: Sequence[Any], columns: Iterable[int], is_number: IsNumber) -> str:
    """Return why a table with these labels in some columns has no edges, or nothing."""
    words = {k: words_of(labels[k]) for k in columns}
    axes = [k for k, some in words.items() if _axis(some) and is_number(k)]
    if {_axis(words[k]) for k in axes} >= {"east", "north"}:
        named = " and ".join(shown(labels[k]) for k in axes)
        return f"{named} look like coordinates, so that a row is a point and no edge"
    joined = ["".join(some) for some in words.values()]
    if len(joined) > 1 and joined[0] in _VERTICES and joined[1] in _DESCRIBING:
        named = " and ".join(shown(labels[k]) for k in list(words)[:2])
        return f"{named} look like a vertex and what it is called, so that a row is no edge"
    return ""


def describe_vertices(labels: Sequence[str]) -> bool:
    """Return whether two labels are those of a vertex and of what it is called."""
    return bool(refused(labels, range(len(labels)), lambda k: False))


#: The sentence about a matrix with labels.
MATRIX = (
    "rows and columns have names, as in a matrix, in which a row is no edge: read it by "
    "frame = pandas.read_csv(.., index_col=0) and pass wg.Graph(frame.to_numpy(), "
    "names=list(frame.index)), or choose the columns of edges with columns="
)


#: Sentence about such a data frame.
MATRIX_OF_FRAME = (
    "rows and columns have the same names, as in a matrix, in which a row is no edge: pass "
    "wg.Graph(frame.to_numpy(), names=names), with one row and column for each name, or choose "
    "the columns of edges with source= and target="
)
_NUMBERS = re.compile(r"u?int|float|double|halffloat|decimal")


def is_type_of_numbers(dtype: Any) -> bool:
    """Return whether a type of pandas, polars or pyarrow is one of numbers."""
    return _NUMBERS.match(str(dtype).lower()) is not None


def with_fractions(parts: Iterable[parsers.Edges]) -> int | None:
    """Return an end of edges, 0 or 1, whose names are all numbers, and not all integers."""
    have = [False, False]
    are_numbers = [True, True]
    for part in parts:
        if part.names is None or not len(part.tail):
            continue
        for side, ends in enumerate((part.tail, part.head)):
            # One name tells in most files.
            if not are_numbers[side] or not _is_number(part.names, int(ends[0])):
                are_numbers[side] = False
                continue
            names = _names.listed(part.names)
            names = [names[k] for k in np.unique(ends).tolist()]
            are_numbers[side] = all(map(parsers.is_number, names))
            have[side] = have[side] or any("." in name and _has_fraction(name) for name in names)
        if not any(are_numbers):
            return None
    return next((side for side in range(2) if are_numbers[side] and have[side]), None)


def are_whole(parts: Iterable[parsers.Edges]) -> bool:
    """Return whether the names of all vertices are integers, perhaps in the form of floats."""

    def is_whole(name: str) -> bool:
        return parsers.is_integer(name) or parsers.is_whole_float(name)

    # One name tells in most files.
    return all(
        is_whole(_names.listed(part.names[:1])[0]) and all(map(is_whole, _names.listed(part.names)))
        for part in parts
        if part.names is not None and len(part.tail)
    )


def _is_number(names: _names.Some, k: int) -> bool:
    return parsers.is_number(_names.listed(names[k : k + 1])[0])


def _has_fraction(name: str) -> bool:
    return parsers.is_number(name) and not float(name).is_integer()


def words_of(label: Any) -> list[str]:
    """Return the words of a label: travel_time, travelTime and Travel time have two."""
    if not isinstance(label, str):
        return []
    return re.sub(r"[\W_]+|(?<=[a-z])(?=[A-Z])", " ", label).lower().split()


def _axis(words: list[str]) -> str:
    """Return the axis of a label of coordinates: east or north, or nothing."""
    ends = set(words[:1] + words[-1:])
    if ends & _NORTH or _is_letter(words, "y"):
        return "north"
    return "east" if ends & _EAST or _is_letter(words, "x") else ""


def _is_letter(words: list[str], letter: str) -> bool:
    others = {f"{letter}coord", f"coord{letter}", f"pos{letter}"}
    if set(words) & others:
        return len(words) == 1
    return letter in words and set(words) <= {letter} | _BESIDE_LETTERS
