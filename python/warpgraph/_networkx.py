"""NetworkX graphs: their edges as arrays, and which attribute of an edge is its weight."""

from __future__ import annotations

import numbers
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _validate

Array = npt.NDArray[Any]

#: Default of `weight=`, as in NetworkX.
DEFAULT_WEIGHT = "weight"

_MISSING = object()


def is_networkx(graph: Any) -> bool:
    """Return whether `graph` is a NetworkX graph, without importing NetworkX."""
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(graph, networkx.Graph)


def check_weight(weight: Any, graph: Any) -> str | None:
    """Return `weight` if it is valid for `graph`, which may be of any format."""
    if weight is not None and not isinstance(weight, str):
        raise TypeError(
            "weight must be the name of an edge attribute, or None for weights of 1, "
            f"got {_validate.shown(weight)}"
        )
    if weight != DEFAULT_WEIGHT and not is_networkx(graph):
        raise TypeError(
            f"weight={weight!r} chooses an edge attribute of a NetworkX graph, but the graph is of "
            f"type {type(graph).__name__}"
        )
    return weight


def edges_of(graph: Any, weight: str | None) -> tuple[Array, Array, Array]:
    """Return (row, col, data) of a graph's edges; undirected edges appear both ways.

    Vertices are numbered as NetworkX lists them. `weight` is the attribute that has the weights;
    None: all edges weigh 1.
    """
    number = {node: i for i, node in enumerate(graph)}
    edges = list(graph.edges(data=True))
    row = np.array([number[u] for u, _, _ in edges], np.int64)
    col = np.array([number[v] for _, v, _ in edges], np.int64)
    data = np.ones(len(edges), np.int64) if weight is None else _weights(edges, weight)
    if not graph.is_directed():
        apart = row != col
        row, col = np.concatenate([row, col[apart]]), np.concatenate([col, row[apart]])
        data = np.concatenate([data, data[apart]])
    return row, col, data


def _weights(edges: list[tuple[Any, Any, dict[Any, Any]]], weight: str) -> Array:
    if not edges:
        return np.empty(0)
    values = [attributes.get(weight, _MISSING) for _, _, attributes in edges]
    missing = [i for i, value in enumerate(values) if value is _MISSING]
    if len(missing) == len(edges):
        _say_all_missing(edges, weight)
        return np.ones(len(edges), np.int64)
    if missing:
        _validate.warn(
            f"{len(missing)} of {len(edges)} edges have no attribute {weight!r} and weigh 1, as in "
            f"NetworkX; the first is {_name(edges[missing[0]])}"
        )
        for i in missing:
            values[i] = 1
    return _as_array(edges, values, weight)


def _say_all_missing(edges: list[Any], weight: str) -> None:
    others = _numeric_attributes(edges)
    if weight != DEFAULT_WEIGHT:
        what = f"they have {', '.join(others)}" if others else "they have no numeric attribute"
        raise ValueError(f"no edge has the attribute weight={weight!r}; {what}")
    if others:
        _validate.warn(
            f"the edges have no attribute {weight!r} and all weigh 1, but they have "
            f"{', '.join(others)}: choose one by weight=, or pass weight=None"
        )


def _numeric_attributes(edges: list[Any]) -> list[str]:
    return sorted(
        {
            repr(name)
            for _, _, attributes in edges
            for name, value in attributes.items()
            if isinstance(value, numbers.Real) and not isinstance(value, bool)
        }
    )


def _as_array(edges: list[Any], values: list[Any], weight: str) -> Array:
    """Return weights as an array of numbers; only integers among floats are rounded."""
    for i, value in enumerate(values):
        if not isinstance(value, (numbers.Real, np.bool_)):
            raise TypeError(
                "weights must be real numbers, but the attribute "
                f"{weight!r} of edge {_name(edges[i])} is {_validate.shown(value)}"
            )
        if value != value:
            raise ValueError(f"the attribute {weight!r} of edge {_name(edges[i])} is NaN")
    array = np.array(values)
    if array.dtype.kind in "biu":
        return array
    # NumPy converts integers that fit none of its types to floats or objects.
    if all(isinstance(value, numbers.Integral) for value in values):
        largest = max(range(len(values)), key=lambda i: abs(int(values[i])))
        raise _too_large(edges[largest], values[largest], weight, "an int64")
    if array.dtype.kind == "f":
        return array
    try:
        return np.array(values, np.float64)
    except OverflowError:
        largest = max(range(len(values)), key=lambda i: abs(values[i]))
        raise _too_large(edges[largest], values[largest], weight, "a float64") from None


def _too_large(edge: Any, value: Any, weight: str, kind: str) -> OverflowError:
    return OverflowError(
        f"the attribute {weight!r} of edge {_name(edge)} is {_validate.shown(value)}, "
        f"which {kind} does not hold"
    )


def _name(edge: tuple[Any, ...]) -> str:
    return f"({_validate.shown(edge[0])}, {_validate.shown(edge[1])})"
