"""Turns by vertices: a table of the vertices before, at and after each turn."""

from __future__ import annotations

import decimal
import numbers
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.names import put_into
from warpgraph._arguments.new_array import NO_VERTICES

if TYPE_CHECKING:
    from warpgraph._graph.protocol import AnyGraph

Array = npt.NDArray[Any]

#: The columns of a table of corners; the last one may be missing.
COLUMNS = ("from", "via", "to", "cost")
#: Parts of other names of a cost.
_OTHER_COST = re.compile("cost|penalt|weight|seconds|minutes|duration|delay")
#: Ends of names of identifiers, as osm_id, osmid and OBJECTID.
_IDENTIFIER = re.compile("(?:^|[^a-z]|osm|object|f)id$")
#: Another column of what lies between: via_way, via2, viaWay, but not viaduct.
_VIA = re.compile(r"via(?:[\W_\d]|ways?$|nodes?$|ids?$)")
_ORDER = "from, via, to and perhaps cost"


def columns_of(corners: Any) -> list[list[Any]]:
    """Return the three or four columns of a table: a data frame, an array, or a list of rows."""
    for method in ("collect", "compute"):  # of Polars' and of Dask's tables
        if hasattr(type(corners), "columns") and hasattr(corners, method):
            raise TypeError(
                "corners must be a table in memory, got a "
                f"{validate.type_name(corners)}; pass what its {method}() returns"
            )
    labels = getattr(corners, "column_names", None)
    labels = getattr(corners, "columns", None) if labels is None else labels
    if labels is not None:
        chosen = _chosen(corners, list(labels))
        columns = [validate.items(corners[x], f"corners: {x}", "values") for x in chosen]
        if not _OTHER_COST.search(_lower(chosen[-1])):
            _refuse_ways(columns)
        return columns
    if isinstance(corners, np.ndarray) and corners.ndim == 2:
        corners = validate.unmasked(corners, "corners").tolist()
    read = "pandas.read_csv reads a table from a file"
    rows = validate.items(corners, "corners", "rows (from, via, to)", read)
    for i, row in enumerate(rows):
        is_row = isinstance(row, (Sequence, np.ndarray)) and not isinstance(row, (str, bytes))
        if not is_row or len(row) not in (3, 4):
            raise ValueError(
                f"corners[{i}] must be (from, via, to), or with a cost after these, "
                f"got {validate.shown(row)}"
            )
        if len(row) != len(rows[0]):
            raise ValueError(
                "corners must all have a cost, or none, but corners[0] has "
                f"{len(rows[0])} entries and corners[{i}] {len(row)}"
            )
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
    _refuse_ways(columns)
    return columns


def _refuse_ways(columns: list[list[Any]]) -> None:
    """Refuse four columns of integers, the last of which may be vertices or costs.

    Restrictions of OpenStreetMap may lead over a way between two vertices.
    """
    if len(columns) < 4 or not columns[0] or not all(map(_are_integers, columns)):
        return
    row = tuple(int(column[0]) for column in columns)
    raise ValueError(
        f"corners[0] is {row}, four integers, so the last one may be a cost or a vertex: write a "
        f"cost as a float, {(*row[:3], float(row[3]))}, or in a column 'cost', or pass it by "
        "costs=; a turn has three vertices"
    )


def _are_integers(column: list[Any]) -> bool:
    values = map(validate.plain, column)
    return all(isinstance(v, numbers.Integral) and not isinstance(v, bool) for v in values)


def _chosen(corners: Any, labels: list[Any]) -> list[Any]:
    """Return the labels of from, via, to and perhaps cost: by name, else by their order."""
    listed = ", ".join(map(validate.shown, labels))
    by_name: dict[str, Any] = {}
    for name in COLUMNS:
        alike = [label for label in labels if isinstance(label, str) and label.lower() == name]
        alike = [label for label in alike if label == name] or alike
        if len(alike) > 1:
            raise ValueError(f"corners must have one column {name!r}, but its columns are {listed}")
        if alike:
            by_name[name] = alike[0]
    if all(name in by_name for name in COLUMNS[:3]):
        _refuse_second_via(labels)
        if "cost" not in by_name:
            _refuse_other_cost(corners, labels)
        return list(by_name.values())
    is_named = any(name in by_name for name in COLUMNS[:3]) or "cost" in map(_lower, labels[:3])
    if len(labels) not in (3, 4) or is_named:
        raise ValueError(f"corners must have the columns {_ORDER}, but its columns are {listed}")
    if len(set(labels)) < len(labels):
        raise ValueError(f"corners must have columns of different names, got {listed}")
    return labels


def _refuse_second_via(labels: list[Any]) -> None:
    """Refuse a column of ways, or of further vertices, between those before and after a turn."""
    other = next((label for label in labels if _VIA.match(_lower(label))), None)
    if other is not None:
        raise ValueError(
            f"corners has the column {validate.shown(other)} beside 'via': restrictions over a way "
            "are not read, since a turn has three vertices. Leave such rows out, and the column "
            "out of the others; a copy of the way without the exit that is forbidden stands for "
            "such a restriction"
        )


def _refuse_other_cost(corners: Any, labels: list[Any]) -> None:
    """Refuse a column that looks like the cost by another name: without it, turns are forbidden.

    That is one with such a name, or one of numbers where a list of rows has the cost.
    """
    similar = [label for label in labels if _OTHER_COST.search(_lower(label))]
    if not similar and len(labels) == 4 and _lower(labels[3]) not in COLUMNS:
        is_id = _IDENTIFIER.search(_lower(labels[3])) is not None
        similar = [] if is_id or not _has_numbers(corners[labels[3]]) else labels[3:]
    if similar:
        raise ValueError(
            f"corners has the column {validate.shown(similar[0])}, but no column 'cost': rename it "
            "to 'cost' if it is what each turn costs, or drop it to forbid the turns"
        )


def _has_numbers(column: Any) -> bool:
    values = map(validate.plain, validate.items(column, "corners", "values"))
    kinds = (numbers.Real, decimal.Decimal)
    # A gap among texts is NaN.
    return any(isinstance(v, kinds) and not isinstance(v, bool) and v == v for v in values)


def _lower(label: Any) -> str:
    return label.lower() if isinstance(label, str) else ""


def edges_at(
    graph: AnyGraph, columns: list[list[Any]], costs: Array, ledger: _core.Ledger
) -> tuple[Array, Array, Array]:
    """Return the first and the second edge of each turn, and its cost.

    A turn between parallel edges stands for all of them. `costs` has one for each row.
    """
    before, via, after = (
        graph._find_vertices(column, f"corners: {name}") if column else NO_VERTICES
        for name, column in zip(COLUMNS, columns[:3], strict=False)
    )
    try:
        first, second, rows = _core.turns_of_corners(
            graph._handle, before, via, after, costs, ledger=ledger
        )
    except ValueError as error:
        put_into(error, graph._names)
        raise
    return first, second, costs[rows]
