"""The formats of files, and which of them a file has."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Any, NamedTuple

import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._files.text import COMPRESSIONS, STANDARD, Lines, ending_of, ending_within
from warpgraph._graph.graph import Graph
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
from warpgraph.io._choices import Choices
from warpgraph.io._foreign import by_networkx, pajek, tntp

Array = npt.NDArray[Any]


Reader = Callable[[str, IO[bytes], Choices], tuple[Graph, Array | None]]


class Format(NamedTuple):
    endings: tuple[str, ...]
    read: Reader
    write: Callable[[IO[bytes], Graph, Array | None], None] | None  #: None: it is only read
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
    "feather": Format(
        (".feather", ".arrow", ".arrows", ".ipc"),
        _parquet.read_feather,
        _parquet.write_feather,
        keeps_ids=True,
        is_table=True,
    ),
    "gexf": Format((".gexf",), by_networkx.read_gexf, None, keeps_ids=True),
    "gml": Format((".gml",), by_networkx.read_gml, None, keeps_ids=True),
    "graphml": Format((".graphml",), _graphml.read, _graphml.write, keeps_ids=True),
    "json": Format((".json",), by_networkx.read_json, None, keeps_ids=True),
    "matrix-market": Format((".mtx",), _by_line(_matrix_market), _matrix_market.write, first_id=1),
    "metis": Format((".graph", ".metis"), _by_line(_metis), _metis.write, first_id=1),
    "npz": Format((".npz",), _read_npz, _npz.write, keeps_ids=True),
    "pace": Format((), _by_line(_dimacs), _dimacs.write_pace, first_id=1),
    "pajek": Format((".net", ".paj", ".pajek"), pajek.read, None, keeps_ids=True),
    "parquet": Format((".parquet",), _parquet.read, _parquet.write, keeps_ids=True, is_table=True),
    "tntp": Format((".tntp",), tntp.read, None, keeps_ids=True, is_table=True),
}
#: Formats that are not compressed as a whole.
COMPRESSED_WITHIN = ("feather", "npz", "parquet")
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


def writable() -> list[str]:
    """Return the names of the formats that graphs are written in."""
    return [name for name in formats() if FORMATS[name].write is not None]


def keeps_ids(format_name: str) -> bool:
    """Return whether a format stores the names of vertices."""
    return FORMATS[format_name].keeps_ids


def first_id(format_name: str) -> int | None:
    """Return the number of the first vertex in a format that numbers vertices; else None."""
    return FORMATS[format_name].first_id


def format_of(path: str, format: str | None = None, *, to_write: bool = False) -> str:
    """Return the name of the format that `path` ends in, or `format` if it is one.

    .npz and Parquet files are not compressed as a whole. An error lists the endings of the
    formats that are written if `to_write`, else of those that are read.
    """
    name = (
        _named_by(path, writable() if to_write else formats())
        if format is None
        else validate.choice(format, formats(), "format")
    )
    if to_write and name not in writable():
        raise ValueError(
            f"{path!r}: graphs are read from the format {name!r}, but not written to it; the "
            f"formats are {', '.join(writable())}, and NetworkX writes others, of "
            "graph.to_networkx()"
        )
    if name in COMPRESSED_WITHIN and (suffix := ending_of(path)) in COMPRESSIONS:
        raise ValueError(
            f"{path!r} ends in {suffix}, but .{name} files are not compressed as a whole"
        )
    return name


def _named_by(path: str, listed: list[str]) -> str:
    """Return the name of the format that `path` ends in; an error lists those of `listed`."""
    if path == STANDARD:
        raise ValueError(
            "pass format=, such as format='csv': standard input and output have no ending that "
            f"names it; the formats are {', '.join(listed)}"
        )
    ending = ending_within(path)
    for name, candidate in FORMATS.items():
        if ending in candidate.endings:
            return name
    # In the order of the table, which has the endings that most people have first.
    known = " ".join(
        ending for name, one in FORMATS.items() if name in listed for ending in one.endings
    )
    raise ValueError(f"the ending of {path!r} names no format; known are {known}, or pass format=")
