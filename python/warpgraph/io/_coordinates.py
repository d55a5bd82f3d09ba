"""The .co files of DIMACS: a line ``p aux sp co VERTICES``, then ``v ID X Y`` per vertex, from 1.

``c`` begins a comment. Every vertex must have one line; their order is free.
"""

from __future__ import annotations

import re
from typing import IO

import numpy as np

from warpgraph._files.text import Array, Block, Lines, joined, parse_table, write_rows, wrong_line
from warpgraph._graph import coordinates as _coordinates

COMMENT = b"c"

_PROBLEM_LINE = "'p aux sp co VERTICES'"
_NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_VERTEX = re.compile(
    rb"v[^\S\r]+(\d{1,18})[^\S\r]+" + _NUMBER + rb"[^\S\r]+" + _NUMBER, re.IGNORECASE
)


def read(lines: Lines, n_vertices: int) -> _coordinates.Coordinates:
    """Return the coordinates of a graph of `n_vertices` vertices."""
    header = lines.header(f"the problem line {_PROBLEM_LINE}")
    found = re.fullmatch(r"p\s+aux\s+sp\s+co\s+(\d{1,10})", header)
    if not found:
        raise wrong_line(lines.path, lines.line, _PROBLEM_LINE, header)
    if int(found[1]) != n_vertices:
        raise wrong_line(lines.path, lines.line, f"{n_vertices} vertices as in the graph", header)
    parts = [_vertices(block, n_vertices) for block in lines.blocks() if not block.is_blank]
    vertex, x, y = (joined(parts, i, kind) for i, kind in enumerate((np.int64, float, float)))
    count = np.bincount(vertex, minlength=n_vertices + 1)[1:]
    if (count != 1).any():
        v = int(np.argmax(count != 1))
        often = "no coordinates" if count[v] == 0 else f"coordinates {count[v]} times"
        raise ValueError(f"{lines.path}: vertex {v + 1} of {n_vertices} has {often}")
    positions = np.empty((n_vertices, 2))
    positions[vertex - 1] = np.stack([x, y], axis=1)
    return _coordinates.given(positions, n_vertices)


def _vertices(block: Block, n: int) -> list[Array]:
    """Return vertices, from 1 on, and their coordinates."""
    text = re.sub(rb"(?m)^[ \t\v\f]+", b"", block.text)
    # Each line must begin with "v", and have no other "v", since these are replaced by spaces.
    marks = (b"\n" + text).count(b"\nv")
    columns = parse_table(text.replace(b"v", b" "), ("i8", "f8", "f8"))
    right = columns is not None and marks == text.count(b"v") == len(columns[0])
    if columns is None or not right or columns[0].min() < 1 or columns[0].max() > n:
        raise _bad_line(block, n)
    if not all(np.isfinite(column).all() for column in columns[1:]):
        raise _bad_line(block, n)
    return columns


def _bad_line(block: Block, n: int) -> ValueError:
    expected = f"'v ID X Y', the ID in 1..{n}"
    for number, text in block.lines():
        found = _VERTEX.fullmatch(text)
        if not found or not 1 <= int(found[1]) <= n:
            return block.error(number, expected, text)
    # Every line has the right form, so a coordinate is beyond float64.
    return block.error(block.first_line, expected, block.text[:60], "a number is too large")


def check(coordinates: _coordinates.Coordinates | None) -> _coordinates.Coordinates:
    """Return coordinates that such a file can hold."""
    if coordinates is None:
        raise ValueError("the graph has no coordinates to write; pass Graph(..., coordinates=)")
    if coordinates.shape[1] != 2:
        raise ValueError(
            f"a file of coordinates has two for each vertex, but the graph has "
            f"{coordinates.shape[1]}"
        )
    return coordinates


def write(file: IO[bytes], coordinates: _coordinates.Coordinates) -> None:
    """Write a line for each vertex; whole numbers are written as integers."""
    n = len(coordinates)
    file.write(f"p aux sp co {n}\n".encode())
    columns = list(coordinates.T)
    if (np.abs(coordinates) < 2**53).all() and (coordinates == np.rint(coordinates)).all():
        columns = [column.astype(np.int64) for column in columns]
    write_rows(file, "v %d %r %r\n", [np.arange(1, n + 1), *columns])
