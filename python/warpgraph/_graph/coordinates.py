"""Coordinates of vertices: for pictures, files and A*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.nx_graphs import number_of
from warpgraph._arguments.points import missing_as_nan, objects_as_reals
from warpgraph._graph import arrays

Coordinates = npt.NDArray[np.float64]


def given(coordinates: Any, n_vertices: int) -> Coordinates:
    """Return the coordinates that a caller gave: a read-only array of shape (n_vertices, d)."""
    array = missing_as_nan(validate.unmasked(coordinates, "coordinates"))
    array = objects_as_reals(array, "coordinates")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"coordinates must be real numbers, got an array of {array.dtype}")
    if array.ndim != 2 or len(array) != n_vertices or array.shape[1] == 0:
        raise ValueError(
            f"coordinates must have a row for each of the {n_vertices} vertices, shape "
            f"({n_vertices}, d), got shape {array.shape}"
        )
    with np.errstate(over="ignore"):  # inf is refused below
        positions: Coordinates = validate.in_place(array, np.float64)
    if not np.isfinite(positions).all():
        v = int(np.argmin(np.isfinite(positions).all(axis=1)))
        raise ValueError(
            f"coordinates[{v}] is {positions[v].tolist()}, but each must be a finite number"
        )
    (own,) = arrays.owned([positions], [coordinates])
    return arrays.read_only(own)


def of_attributes(
    chosen: str | Sequence[str], values_of: Callable[[str], list[Any]]
) -> npt.NDArray[Any]:
    """Return coordinates that are attributes of vertices: one for each axis, or one for all.

    `values_of` returns the values of an attribute, None for a vertex that has none.
    """
    names = [chosen] if isinstance(chosen, str) else chosen
    if (
        not isinstance(names, (list, tuple))
        or not names
        or not all(isinstance(name, str) for name in names)
    ):
        raise TypeError(
            "coordinates must be the name of an attribute of vertices, or a name for each axis, "
            f"got {validate.shown(chosen)}"
        )
    columns = [values_of(name) for name in names]
    for name, column in zip(names, columns, strict=True):
        missing = next((v for v, value in enumerate(column) if value is None), None)
        if missing is not None:
            raise ValueError(
                f"coordinates={validate.shown(chosen)}: vertex {missing} has no attribute {name!r}"
            )
    columns = [list(map(_number, column)) for column in columns]
    positions = columns[0] if isinstance(chosen, str) else zip(*columns, strict=True)
    try:
        return np.array([list(position) for position in positions] or np.empty((0, len(names))))
    except (TypeError, ValueError):  # a number, or positions of several lengths
        raise ValueError(
            f"coordinates={validate.shown(chosen)}: expected equally many numbers for each "
            f"vertex, got {validate.shown(columns[0])}"
        ) from None


def _number(value: Any) -> Any:
    """Return the number that a text is, and other values as they are."""
    number = number_of(value) if isinstance(value, str) else None
    return value if number is None else number


def permuted(coordinates: Coordinates | None, order: Any) -> Coordinates | None:
    """Return coordinates after renumbering: vertex i was `order[i]`."""
    if coordinates is None:
        return None
    moved: Coordinates = coordinates[order]
    moved.flags.writeable = False
    return moved


class CoordinatesOfGraph:
    """The coordinates of a graph: checked when they are assigned, None until then."""

    def __get__(self, graph: Any, owner: type | None = None) -> Coordinates | None:
        # Read from the class instead of a graph, the attribute is this descriptor.
        kept: Any = self if graph is None else vars(graph).get("coordinates")
        return kept  # type: ignore[no-any-return]

    def __set__(self, graph: Any, coordinates: Any) -> None:
        n = graph.n_vertices
        vars(graph)["coordinates"] = None if coordinates is None else given(coordinates, n)
        graph._forget("least ratio")  # of weights to straight lines, for A*
