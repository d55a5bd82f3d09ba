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
from warpgraph.io._text import (
    Array,
    Block,
    Lines,
    joined,
    narrowed,
    parse_table,
    write_rows,
    wrong_line,
)

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
    parts = [
        list(map(narrowed, _entries(block, dtypes, n)))
        for block in lines.blocks()
        if not block.is_blank
    ]
    count = sum(len(part[0]) for part in parts)
    if count != m:
        raise _wrong_count(lines, m, count)
    lines.check_vertices(n)
    row, col = joined(parts, 0, np.int32), joined(parts, 1, np.int32)
    row -= 1
    col -= 1
    data = _values_of(parts, 2) if parts and len(dtypes) == 3 else np.ones(m)
    return _graph(n, row, col, data, symmetry), None


def _values_of(parts: list[list[Array]], position: int) -> Array:
    """Return the values of all parts: float64 if any is, else int64."""
    return joined(parts, position, np.result_type(np.int64, *(p[position].dtype for p in parts)))


def _graph(n: int, row: Array, col: Array, data: Array, symmetry: str) -> Graph:
    """Make the graph of entries, to which those of the other triangle are added."""
    if symmetry != "general":
        apart = row != col
        mirrored = _negated(data[apart]) if symmetry == "skew-symmetric" else data[apart]
        row, col = np.concatenate([row, col[apart]]), np.concatenate([col, row[apart]])
        data = np.concatenate([data, mirrored])
    return Graph.from_edges(row, col, data, n_vertices=n)


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
    is_whole = columns is not None and (len(columns) == 2 or not np.isnan(columns[2]).any())
    if columns and is_whole and all(end.min() >= 1 and end.max() <= n for end in columns[:2]):
        return columns
    value = r"\s+[-+.\w]+" if len(dtypes) == 3 else ""
    pattern = re.compile(rf"(\d{{1,18}})\s+(\d{{1,18}}){value}".encode())
    expected = f"'ROW COLUMN{' VALUE' if value else ''}', both in 1..{n}"
    for number, text in block.lines():
        found = pattern.fullmatch(text)
        if not found or not all(1 <= int(end) <= n for end in found.groups()):
            raise block.error(number, expected, text)
        entry = parse_table(text, ("i8", "i8", "f8")) if value else None
        if value and (entry is None or np.isnan(entry[2]).any()):
            raise block.error(number, expected, text, "the value is NaN" if entry else "")
    raise block.error(block.first_line, expected, block.text[:60])


def _read_array(lines: Lines, symmetry: str) -> Graph:
    """Read all values of a matrix, column by column; 0, inf and NaN are no edges."""
    n, _ = _sizes(lines, "'ROWS COLUMNS', both equal", 2)
    listed = {"general": n * n, "symmetric": n * (n + 1) // 2}.get(symmetry, n * (n - 1) // 2)
    count, parts = 0, []
    for block in lines.blocks():
        if block.is_blank:
            continue
        values = _values(block)
        kept = np.flatnonzero(np.isfinite(values) & (values != 0))
        if count + len(values) <= listed:
            row, col = _places(count + kept, n, symmetry)
            parts.append([narrowed(row), narrowed(col), values[kept]])
        count += len(values)
    if count != listed:
        raise _wrong_count(lines, listed, count)
    lines.check_vertices(n)
    row, col = joined(parts, 0, np.int32), joined(parts, 1, np.int32)
    return _graph(n, row, col, _values_of(parts, 2), symmetry)


def _places(positions: Array, n: int, symmetry: str) -> tuple[Array, Array]:
    """Return the rows and columns of values, counted column by column."""
    if symmetry == "general":
        return positions % n, positions // n
    below = int(symmetry == "skew-symmetric")  # the diagonal is left out
    # The first columns, on average at least half as long as the very first.
    n_columns = min(n, 2 * int(positions.max(initial=0)) // max(n - below, 1) + 2)
    lengths = n - below - np.arange(n_columns)
    starts = np.cumsum(lengths) - lengths
    col = np.searchsorted(starts, positions, side="right") - 1
    return positions - starts[col] + col + below, col


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
