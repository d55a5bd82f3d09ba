"""The arguments of callers about a file, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._tables.columns import AUTO


class Choices(NamedTuple):
    """The arguments of callers about a file."""

    columns: Sequence[str | int] | None = None
    id_kind: str | None = None
    max_vertices: int | None = None
    decimal: str = "."
    weight: str | None = DEFAULT_WEIGHT
    comment: str | None = None
    header: bool | None = None
    direction: str | int | None = AUTO


def columns(columns: Sequence[str | int] | None) -> Sequence[str | int] | None:
    """Return the columns that a caller has chosen."""
    if columns is None:
        return None
    validate.refuse_unordered(columns, "columns")
    chosen: list[str | int] = [columns] if isinstance(columns, str) else list(columns)
    if len(chosen) not in (2, 3):
        raise ValueError(f"columns must be source, target and perhaps weight, got {columns!r}")
    for k, column in enumerate(chosen):
        if not isinstance(column, str):
            chosen[k] = validate.count(column, f"columns[{k}]", most=2**31 - 1)
    return chosen


def direction(direction: str | int | None) -> str | int | None:
    """Return the column of directions that a caller has chosen."""
    if direction is None or isinstance(direction, str):
        return direction
    return validate.count(direction, "direction", most=2**31 - 1)


def id_kind(id_dtype: npt.DTypeLike | None) -> str | None:
    """Return NumPy's letter for integers or strings."""
    if id_dtype is None:
        return None
    kind = np.dtype(id_dtype).kind
    if kind not in "iU":
        raise TypeError(f"id_dtype must be int or str, got {id_dtype!r}")
    return kind


def check_comment(comment: str) -> None:
    """Refuse a beginning of lines that none can have."""
    if not isinstance(comment, str):
        raise TypeError(f"comment must be a string, got {validate.shown(comment)}")
    if comment != comment.strip() or '"' in comment or "\n" in comment:
        raise ValueError(
            "comment must be what comments begin with, such as '#', without blanks around it, "
            f"quotes and ends of lines, got {validate.shown(comment)}"
        )


def most(max_vertices: int | None) -> int | None:
    """Return the most vertices that a file may have."""
    if max_vertices is None:
        return None
    return validate.count(max_vertices, "max_vertices", most=2**31 - 1)
