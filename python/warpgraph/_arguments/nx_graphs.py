"""NetworkX graphs: their edges as arrays, and which attribute of an edge is its weight."""

from __future__ import annotations

import math
import numbers
import re
import sys
from collections.abc import Callable, Iterable
from decimal import Decimal
from itertools import chain, compress
from operator import ne
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate

Array = npt.NDArray[Any]

#: Default of `weight=`, as in NetworkX.
DEFAULT_WEIGHT = "weight"

_MISSING = object()

#: Text that is a number, as files have it. Python's float() takes more, such as 1_000.
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)", re.IGNORECASE
)
#: Digits that Python converts to an integer whatever its settings.
_MAX_DIGITS = 640


def is_networkx(graph: Any) -> bool:
    """Return whether `graph` is a NetworkX graph, without importing NetworkX."""
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(graph, networkx.Graph)


def attribute(weight: object) -> str | None:
    """Return a ``weight=`` argument if it is the name of an edge attribute, or None."""
    if weight is None or isinstance(weight, str):
        return weight
    raise TypeError(
        "weight must be the name of an edge attribute, or None for weights of 1, "
        f"got {validate.shown(weight)}"
    )


def check_weight(weight: Any, graph: Any) -> str | None:
    """Return `weight` if it is valid for `graph`, which may be of any format."""
    name = attribute(weight)
    if name != DEFAULT_WEIGHT and not is_networkx(graph):
        raise TypeError(
            f"weight={weight!r} chooses an edge attribute of a NetworkX graph, but the graph is of "
            f"type {validate.type_name(graph)}"
        )
    return name


def csr_of(graph: Any, weight: str | None) -> tuple[Array, Array, Array] | None:
    """Return (indptr, indices, data) of a graph of plain dictionaries with plain weights.

    None for other graphs and for all that there is a warning or an error about: the slower
    `edges_of` treats them, of which this is the result otherwise.
    """
    if not _is_plain(graph) or not (weight is None or type(weight) is str):
        return None
    arrays = _core.csr_from_networkx(
        graph._node, graph._adj, weight, graph.is_directed(), graph.is_multigraph(), False
    )
    if arrays is None:
        return None
    indptr, indices, data = arrays
    if data is None:  # no edge has attributes, or none were read
        if weight not in (None, DEFAULT_WEIGHT) and len(indices):
            return None
        data = np.ones(len(indices), np.int64 if weight is None or len(indices) else np.float64)
    return indptr, indices, data


def _is_plain(graph: Any) -> bool:
    """Return whether NetworkX's own methods list the nodes and the edges."""
    kind, own = type(graph), sys.modules["networkx"].Graph
    return (
        kind.__len__ is own.__len__
        and kind.__iter__ is own.__iter__
        and getattr(graph.adjacency, "__func__", None) is own.adjacency
    )


def edges_of(graph: Any, weight: str | None) -> tuple[Array, Array, Array]:
    """Return (row, col, data) of a graph's edges; undirected edges appear both ways.

    Vertices are numbered as NetworkX lists them. `weight` is the attribute that has the weights;
    None: all edges weigh 1.
    """
    edges = _Edges(graph)
    row, col = edges.row, edges.col
    data = np.ones(len(row), np.int64) if weight is None else _weights(edges, weight)
    if not graph.is_directed():
        apart = row != col
        row, col = np.concatenate([row, col[apart]]), np.concatenate([col, row[apart]])
        data = np.concatenate([data, data[apart]])
    return row, col, data


def values_of_edges(graph: Any, attribute: str) -> tuple[list[Any], Callable[[int], str]]:
    """Return an attribute of each edge of a directed graph, in the order of `edges_of`.

    None: an edge has no such attribute. The function returns the name of an edge.
    """
    edges = _Edges(graph)
    values = [attributes.get(attribute) for attributes in edges.attributes]
    if len(edges) and not any(attribute in attributes for attributes in edges.attributes):
        raise ValueError(f"no edge has the attribute direction={validate.shown(attribute)}")
    return values, edges.name


class _Edges:
    """The edges row by row in the order of the nodes, without an object for each.

    Attributes
    ----------
    row, col : ndarray of int64
        Numbers of the ends.
    attributes : list of dict
    """

    def __init__(self, graph: Any) -> None:
        self._nodes = list(graph)
        number = {node: i for i, node in enumerate(self._nodes)}
        # A subclass may list its nodes in another order than its rows.
        row_of = dict(graph.adjacency())
        rows = [row_of[node] for node in self._nodes]
        self.row = np.repeat(np.arange(len(rows)), _lengths(rows))
        self.col = np.fromiter(
            map(number.__getitem__, chain.from_iterable(rows)), np.int64, len(self.row)
        )
        self.attributes = _values(rows)
        if graph.is_multigraph():
            parallel = _lengths(self.attributes)
            self.row, self.col = np.repeat(self.row, parallel), np.repeat(self.col, parallel)
            self.attributes = _values(self.attributes)
        if not graph.is_directed():  # each is there both ways
            first = self.row <= self.col
            self.row, self.col = self.row[first], self.col[first]
            self.attributes = list(compress(self.attributes, first.tolist()))

    def __len__(self) -> int:
        return len(self.attributes)

    def name(self, i: int) -> str:
        """Return edge number i, for a message."""
        tail, head = self._nodes[self.row[i]], self._nodes[self.col[i]]
        return f"({validate.shown(tail)}, {validate.shown(head)})"


def _lengths(parts: list[Any]) -> Array:
    return np.fromiter(map(len, parts), np.int64, len(parts))


def _values(mappings: list[Any]) -> list[Any]:
    return list(chain.from_iterable(map(values_of, mappings)))


def values_of(mapping: Any) -> Iterable[Any]:
    """Return the values of a mapping in the order of its keys.

    A subclass of dict may list its keys in an order of its own, and its values in that of dict.
    """
    return mapping.values() if type(mapping) is dict else [mapping[key] for key in mapping]


def _weights(edges: _Edges, weight: str) -> Array:
    if not len(edges):
        return np.empty(0)
    values = [attributes.get(weight, _MISSING) for attributes in edges.attributes]
    n_missing = sum(value is _MISSING for value in values)
    if n_missing == len(edges):
        _say_all_missing(edges, weight)
        return np.ones(len(edges), np.int64)
    if n_missing:
        first = next(i for i, value in enumerate(values) if value is _MISSING)
        validate.warn(
            f"{n_missing} of {len(edges)} edges have no attribute {weight!r} and weigh 1, as in "
            f"NetworkX; the first is {edges.name(first)}"
        )
        values = [1 if value is _MISSING else value for value in values]
    return weights_as_array(values, weight, edges.name)


def _say_all_missing(edges: _Edges, weight: str) -> None:
    others = numeric_attributes(edges.attributes)
    if weight != DEFAULT_WEIGHT:
        raise no_such_attribute(weight, others)
    warn_of_others(others)


def no_such_attribute(weight: str, others: Iterable[str]) -> ValueError:
    """Return the exception for an attribute that no edge has, which names the numeric ones."""
    shown = ", ".join(map(validate.shown, sorted(others, key=repr)))
    what = f"they have {shown}" if shown else "they have no numeric attribute"
    return ValueError(f"no edge has the attribute weight={validate.shown(weight)}; {what}")


def warn_of_others(others: Iterable[str], where: str = "") -> None:
    """Warn, if edges that all weigh 1 have other numbers, which may be meant as weights.

    NetworkX graphs, GraphML and igraph have this sentence in common.
    """
    shown = ", ".join(map(validate.shown, sorted(others, key=repr)))
    if shown:
        validate.warn(
            f"{where}the edges have no attribute {DEFAULT_WEIGHT!r} and all weigh 1, but they have "
            f"{shown}: choose one by weight=, or pass weight=None"
        )


def numeric_attributes(edges: Iterable[dict[Any, Any]]) -> set[Any]:
    """Return the names of the attributes that are a number at an edge, or text that is one.

    Not ``id``: readers of GraphML put there what the file numbers its edges by.
    """
    found: set[Any] = {"id"}
    for attributes in filter(None, edges):
        for name, value in attributes.items():
            if name not in found and is_number(value):
                found.add(name)
    return found - {"id"}


def is_number(value: Any) -> bool:
    """Return whether a value can be a weight: a real number, but no bool, or text that is one."""
    if isinstance(value, str):
        return number_of(value) is not None
    return isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, bool)


def number_of(text: str) -> int | float | None:
    """Return the number that a text is, or None. GraphML often has numbers as texts."""
    text = text.strip()
    if _WHOLE.fullmatch(text) and len(text) <= _MAX_DIGITS:
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else None


def is_beyond_floats(text: str) -> bool:
    """Return whether a text is a finite number beyond the largest float64."""
    is_finite = bool(_NUMBER.fullmatch(text)) and "n" not in text.lower()
    return is_finite and math.isinf(float(text))


def weights_as_array(values: list[Any], weight: str, name_of: Callable[[int], str]) -> Array:
    """Return weights as an array of numbers; only integers among floats are rounded.

    `name_of` returns the name of an edge in messages.
    """
    return real_numbers(values, lambda i: f"the attribute {weight!r} of edge {name_of(i)}")


def real_numbers(values: list[Any], called: Callable[[int], str]) -> Array:
    """Return weights as an array of numbers; only integers among floats are rounded.

    Texts that are numbers count as such, and decimals are rounded to float64. `called` returns what
    messages call a value.
    """
    if any(issubclass(kind, (str, Decimal)) for kind in set(map(type, values))):
        values = _converted(values, called)
    if not all(issubclass(kind, (numbers.Real, np.bool_)) for kind in set(map(type, values))):
        i = next(i for i, x in enumerate(values) if not isinstance(x, (numbers.Real, np.bool_)))
        raise TypeError(
            f"weights must be real numbers, but {called(i)} is {validate.shown(values[i])}"
        )
    if any(map(ne, values, values)):
        i = next(i for i, value in enumerate(values) if value != value)
        raise ValueError(f"{called(i)} is NaN")
    array = np.array(values)
    if array.dtype.kind in "biu":
        return array
    # NumPy converts integers that fit none of its types to floats or objects.
    if all(isinstance(value, numbers.Integral) for value in values):
        largest = max(range(len(values)), key=lambda i: abs(int(values[i])))
        raise _too_large(called(largest), values[largest], "an int64")
    if array.dtype.kind == "f":
        return array
    try:
        return np.array(values, np.float64)
    except OverflowError:
        largest = max(range(len(values)), key=lambda i: abs(values[i]))
        raise _too_large(called(largest), values[largest], "a float64") from None


def _converted(values: list[Any], called: Callable[[int], str]) -> list[Any]:
    """Return the numbers that texts and decimals are; texts that are none stay as they are."""
    found = list(values)
    for i, value in enumerate(values):
        if isinstance(value, str):
            number = number_of(value)
            is_infinite = "n" in value.lower()
        elif isinstance(value, Decimal):
            number = math.nan if value.is_nan() else float(value)
            is_infinite = value.is_infinite()
        else:
            continue
        if isinstance(number, float) and math.isinf(number) and not is_infinite:
            raise _too_large(called(i), value, "a float64")
        found[i] = value if number is None else number
    return found


def _too_large(called: str, value: Any, kind: str) -> OverflowError:
    return OverflowError(f"{called} is {validate.shown(value)}, which {kind} does not hold")
