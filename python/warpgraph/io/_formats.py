"""The formats of files, and which of them a file has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import IO, Any, NamedTuple

import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._files.text import COMPRESSIONS, STANDARD, Lines, ending_of, ending_within
from warpgraph._graph.graph import Graph
from warpgraph._tables.columns import AUTO
from warpgraph.io import (
    _dimacs,
    _edge_list,
    _graphml,
    _matrix_market,
    _metis,
    _npz,
    _parquet,
    _write_table,
)

Array = npt.NDArray[Any]


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


Reader = Callable[[str, IO[bytes], Choices], tuple[Graph, Array | None]]


class Format(NamedTuple):
    endings: tuple[str, ...]
    read: Reader
    write: Callable[[IO[bytes], Graph, Array | None], None]
    keeps_ids: bool = False
    is_table: bool = False
    is_text: bool = False  #: a table of text, which may have comments
    first_id: int | None = None  #: the number of the first vertex, if files number them


def _by_line(module: Any) -> Reader:
    """Return the reader of a module whose format is lines of text."""
    return lambda path, file, choices: module.read(
        Lines(path, file, module.COMMENT, choices.max_vertices)
    )


def _read_table(path: str, file: IO[bytes], choices: Choices) -> tuple[Graph, Array | None]:
    lines = Lines(path, file, _edge_list.COMMENT, choices.max_vertices)
    return _edge_list.read(
        lines,
        choices.columns,
        choices.id_kind,
        choices.decimal,
        choices.comment,
        choices.header,
        choices.direction,
    )


def _read_npz(path: str, file: IO[bytes], choices: Choices) -> tuple[Graph, Array | None]:
    return _npz.read(path, file, choices.max_vertices)


def _read_parquet(path: str, file: IO[bytes], choices: Choices) -> tuple[Graph, Array | None]:
    return _parquet.read(
        path,
        file,
        choices.columns,
        choices.id_kind,
        choices.max_vertices,
        choices.decimal,
        choices.direction,
    )


def _read_graphml(path: str, file: IO[bytes], choices: Choices) -> tuple[Graph, Array | None]:
    return _graphml.read(path, file, choices.max_vertices, choices.weight, choices.id_kind)


_EDGE_LIST_ENDINGS = (".txt", ".tsv", ".el", ".wel", ".edges", ".edgelist", ".snap")

FORMATS = {
    "csv": Format(
        (".csv",), _read_table, _write_table.write_csv, keeps_ids=True, is_table=True, is_text=True
    ),
    "dimacs": Format((".gr",), _by_line(_dimacs), _dimacs.write, first_id=1),
    "edge-list": Format(
        _EDGE_LIST_ENDINGS,
        _read_table,
        _write_table.write,
        keeps_ids=True,
        is_table=True,
        is_text=True,
    ),
    "graphml": Format((".graphml",), _read_graphml, _graphml.write, keeps_ids=True),
    "matrix-market": Format((".mtx",), _by_line(_matrix_market), _matrix_market.write, first_id=1),
    "metis": Format((".graph", ".metis"), _by_line(_metis), _metis.write, first_id=1),
    "npz": Format((".npz",), _read_npz, _npz.write, keeps_ids=True),
    "pace": Format((), _by_line(_dimacs), _dimacs.write_pace, first_id=1),
    "parquet": Format((".parquet",), _read_parquet, _parquet.write, keeps_ids=True, is_table=True),
}
#: Formats that are not compressed as a whole.
COMPRESSED_WITHIN = ("npz", "parquet")
KEEP_COORDINATES = ("npz", "graphml")


def formats() -> list[str]:
    """Return the names that ``format=`` takes.

    Examples
    --------
    >>> import warpgraph as wg
    >>> "metis" in wg.io.formats()
    True
    """
    return sorted(FORMATS)


def keeps_ids(format_name: str) -> bool:
    """Return whether a format stores the names of vertices."""
    return FORMATS[format_name].keeps_ids


def first_id(format_name: str) -> int | None:
    """Return the number of the first vertex in a format that numbers vertices; else None."""
    return FORMATS[format_name].first_id


def format_of(path: str, format: str | None = None) -> str:
    """Return the name of the format that `path` ends in, or `format` if it is one.

    .npz and Parquet files are not compressed as a whole.
    """
    name = _named_by(path) if format is None else validate.choice(format, formats(), "format")
    if name in COMPRESSED_WITHIN and (suffix := ending_of(path)) in COMPRESSIONS:
        raise ValueError(
            f"{path!r} ends in {suffix}, but .{name} files are not compressed as a whole"
        )
    return name


def _named_by(path: str) -> str:
    """Return the name of the format that `path` ends in."""
    if path == STANDARD:
        raise ValueError(
            "pass format=, such as format='csv': standard input and output have no ending that "
            f"names it; the formats are {', '.join(formats())}"
        )
    ending = ending_within(path)
    for name, candidate in FORMATS.items():
        if ending in candidate.endings:
            return name
    known = " ".join(ending for candidate in FORMATS.values() for ending in candidate.endings)
    raise ValueError(f"the ending of {path!r} names no format; known are {known}, or pass format=")
