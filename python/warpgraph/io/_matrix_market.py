"""The Matrix Market format: a banner, ``ROWS COLUMNS ENTRIES``, a line ``ROW COLUMN VALUE`` each.

Indices count from 1, ``%`` begins a comment. Symmetric matrices have their lower triangle listed,
patterns have no values, and arrays list all values column by column. SciPy's reader is not used
since it ends the process when a file is not what it should be.
"""

from __future__ import annotations

import re
from typing import IO, Any

import numpy as np

from warpgraph._graph import Graph
from warpgraph.io._text import Array, Block, Lines, parse_table, write_rows, wrong_line

COMMENT = b"%"

_BANNER = re.compile(
    r"%%MatrixMarket\s+matrix\s+(coordinate|array)\s+(real|double|integer|pattern)\s+"
    r"(general|symmetric|skew-symmetric)",
    re.IGNORECASE,
)


def read(lines: Lines) -> tuple[Graph, None]:
    """Read a square matrix of numbers; symmetric ones are stored in full."""
    expected = "'%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric'"
    banner = lines.banner(expected)
    found = _BANNER.fullmatch(banner)
    if not found:
        raise wrong_line(lines.path, lines.line, expected, banner)
    layout, field, symmetry = (word.lower() for word in found.groups())
    if layout == "array":
        return _read_array(lines, symmetry), None
    n, m = _sizes(lines, "'ROWS COLUMNS ENTRIES', rows and columns equal", 3)
    dtypes = ("i8", "i8") if field == "pattern" else ("i8", "i8", "number")
    parts = [_entries(block, dtypes, n) for block in lines.blocks() if not block.is_blank]
    count = sum(len(part[0]) for part in parts)
    if count != m:
        raise _wrong_count(lines, m, count)
    if not parts:
        return Graph.from_edges([], [], [], n_vertices=n), None
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    row, col = columns[0] - 1, columns[1] - 1
    data = columns[2] if len(columns) == 3 else np.ones(m)
    if symmetry != "general":
        apart = row != col
        mirrored = _negated(data[apart]) if symmetry == "skew-symmetric" else data[apart]
        row, col = np.concatenate([row, col[apart]]), np.concatenate([col, row[apart]])
        data = np.concatenate([data, mirrored])
    return Graph.from_edges(row, col, data, n_vertices=n), None


def _sizes(lines: Lines, expected: str, n_words: int) -> tuple[int, int]:
    """Return the number of rows, which must be that of columns, and the last number."""
    header = lines.header(expected)
    words = header.split()
    whole = len(words) == n_words and all(re.fullmatch(r"\d{1,18}", word) for word in words)
    if not whole or words[0] != words[1]:
        raise wrong_line(lines.path, lines.line, expected, header)
    return int(words[0]), int(words[-1])


def _entries(block: Block, dtypes: tuple[str, ...], n: int) -> list[Array]:
    columns = parse_table(block.text, dtypes)
    if columns is not None and all(end.min() >= 1 and end.max() <= n for end in columns[:2]):
        return columns
    value = r"\s+[-+.\w]+" if len(dtypes) == 3 else ""
    pattern = re.compile(rf"(\d{{1,18}})\s+(\d{{1,18}}){value}".encode())
    expected = f"'ROW COLUMN{' VALUE' if value else ''}', both in 1..{n}"
    for number, text in block.lines():
        found = pattern.fullmatch(text)
        if not found or not all(1 <= int(end) <= n for end in found.groups()):
            raise block.error(number, expected, text)
        if value and parse_table(text, ("i8", "i8", "f8")) is None:
            raise block.error(number, expected, text)
    raise block.error(block.first_line, expected, block.text[:60])


def _read_array(lines: Lines, symmetry: str) -> Graph:
    n, _ = _sizes(lines, "'ROWS COLUMNS', both equal", 2)
    parts = [_values(block) for block in lines.blocks() if not block.is_blank]
    values = np.concatenate(parts) if parts else np.empty(0)
    row, col = np.arange(n)[:, None], np.arange(n)[None, :]
    listed = {"general": row >= 0, "symmetric": row >= col, "skew-symmetric": row > col}[symmetry]
    listed = np.broadcast_to(listed, (n, n))
    if len(values) != np.count_nonzero(listed):
        raise _wrong_count(lines, int(np.count_nonzero(listed)), len(values))
    matrix = np.zeros((n, n), values.dtype)
    matrix.T[listed.T] = values
    if symmetry != "general":
        lower = np.tril(matrix, -1)
        matrix += _negated(lower.T) if symmetry == "skew-symmetric" else lower.T
    return Graph(matrix)


def _values(block: Block) -> Array:
    columns = parse_table(block.text, ("number",))
    if columns is not None:
        return columns[0]
    for number, text in block.lines():
        if parse_table(text, ("f8",)) is None:
            raise block.error(number, "one number", text)
    raise block.error(block.first_line, "numbers", block.text[:60])


def _negated(values: Array) -> Array:
    """Return the entries across the diagonal of a skew-symmetric matrix."""
    if values.dtype.kind == "i" and values.size and values.min() == np.iinfo(values.dtype).min:
        raise OverflowError(
            f"the value {values.min()} of a skew-symmetric matrix has no {values.dtype} opposite "
            "to it; write the values as real numbers"
        )
    return -values


def _wrong_count(lines: Lines, announced: int, count: int) -> ValueError:
    return ValueError(
        f"{lines.path} announces {announced} entries and has {count} by its end, line {lines.line}"
    )


def write(file: IO[bytes], graph: Graph, ids: Any) -> None:
    """Write all entries in the order in which they are stored, parallel edges included."""
    row, col, data = graph.to_edges()
    field = "integer" if data.dtype.kind == "i" else "real"
    n, m = graph.n_vertices, graph.n_edges
    file.write(f"%%MatrixMarket matrix coordinate {field} general\n{n} {n} {m}\n".encode())
    write_rows(file, "%d %d %r\n", [row + 1, col + 1, data])
