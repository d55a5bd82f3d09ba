"""The Matrix Market format: a banner, ``ROWS COLUMNS ENTRIES``, a line ``ROW COLUMN VALUE`` each.

Indices count from 1, ``%`` begins a comment. Symmetric matrices have their lower triangle listed,
hermitian ones of real numbers are symmetric, patterns have no values, and arrays list all values
column by column.

SciPy's reader is not used, since it ends the process at a NUL after the last line, takes 1.5 for
the integer 1, 1e999 for inf and a fourth word for nothing, and allocates what the first line
announces; its writer is not, since it writes 1.0 as 1, which is read as an integer (SciPy 1.17).
"""

from __future__ import annotations

import re
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import convert, validate
from warpgraph._arguments.new_array import new_arrays
from warpgraph._files.text import (
    Array,
    Block,
    Lines,
    joined,
    narrowed,
    parse_table,
    too_large,
    write_rows,
    wrong_line,
)
from warpgraph._graph.graph import Graph

COMMENT = b"%"

#: Values of a dense matrix at a time; the temporary arrays fit the second-level cache.
_ITEMS_AT_ONCE = 1 << 16

_BANNER = re.compile(
    r"%%MatrixMarket\s+matrix\s+(coordinate|array)\s+"
    r"(real|double|integer|unsigned-integer|pattern)\s+"
    r"(general|symmetric|skew-symmetric|hermitian)",
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
    symmetry = "symmetric" if symmetry == "hermitian" else symmetry
    are_integers = field in ("integer", "unsigned-integer")
    if layout == "array":
        return _read_array(lines, symmetry, are_integers), None
    n, m = _sizes(lines, "'ROWS COLUMNS ENTRIES', rows and columns equal", 3)
    dtypes = ("i8", "i8") if field == "pattern" else ("i8", "i8", "number")
    parts = [
        list(map(narrowed, _entries(block, dtypes, n, are_integers)))
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
    entries: list[Any] = [
        row,
        col,
        None if field == "pattern" or not parts else _values_of(parts, 2),
    ]
    del row, col
    if symmetry == "general":
        return Graph.from_edges(*entries, n_vertices=n), None
    negates = symmetry == "skew-symmetric"
    if negates and entries[2] is not None:
        _check_opposites(entries[2], entries[0] != entries[1])
    return Graph._of_own(*convert.from_undirected(entries, n, negates=negates)), None


def _values_of(parts: list[list[Array]], position: int) -> Array:
    """Return the values of all parts: float64 if any is, else int64."""
    return joined(parts, position, np.result_type(np.int64, *(p[position].dtype for p in parts)))


def _sizes(lines: Lines, expected: str, n_words: int) -> tuple[int, int]:
    """Return the number of rows, which must equal that of columns, and the last number."""
    header = lines.header(expected)
    words = header.split()
    whole = len(words) == n_words and all(re.fullmatch(r"\d{1,18}", word) for word in words)
    if not whole or words[0] != words[1]:
        raise wrong_line(lines.path, lines.line, expected, header)
    return int(words[0]), int(words[-1])


def _entries(block: Block, dtypes: tuple[str, ...], n: int, are_integers: bool) -> list[Array]:
    columns = parse_table(block.text, dtypes)
    is_whole = columns is not None and (len(columns) == 2 or not np.isnan(columns[2]).any())
    expected = f"'ROW COLUMN{' VALUE' if len(dtypes) == 3 else ''}', both in 1..{n}"
    if columns and is_whole and all(end.min() >= 1 and end.max() <= n for end in columns[:2]):
        reals = not are_integers
        is_pattern = len(dtypes) == 2
        wrong = None if is_pattern else too_large(block, columns[2], expected, are_reals=reals)
        if wrong:
            raise wrong
        return columns
    value = r"\s+[-+.\w]+" if len(dtypes) == 3 else ""
    pattern = re.compile(rf"(\d{{1,18}})\s+(\d{{1,18}}){value}".encode())
    for number, text in block.lines():
        found = pattern.fullmatch(text)
        if not found or not all(1 <= int(end) <= n for end in found.groups()):
            raise block.error(number, expected, text)
        entry = parse_table(text, ("i8", "i8", "f8")) if value else None
        if value and (entry is None or np.isnan(entry[2]).any()):
            raise block.error(number, expected, text, "the value is NaN" if entry else "")
    raise block.error(block.first_line, expected, block.text[:60])


def _read_array(lines: Lines, symmetry: str, are_integers: bool) -> Graph:
    """Read all values of a matrix, column by column; 0, inf and NaN are no edges."""
    n, _ = _sizes(lines, "'ROWS COLUMNS', both equal", 2)
    listed = {"general": n * n, "symmetric": n * (n + 1) // 2}.get(symmetry, n * (n - 1) // 2)
    count, parts = 0, []
    for block in lines.blocks():
        if block.is_blank:
            continue
        values = _values(block, are_integers)
        if count + len(values) <= listed:
            parts.append([narrowed(values)])
        count += len(values)
    if count != listed:
        raise _wrong_count(lines, listed, count)
    lines.check_vertices(n)
    kinds = [part[0].dtype for part in parts]
    values = joined(parts, 0, np.result_type(np.int8, *kinds))
    if symmetry == "skew-symmetric":
        _check_opposites(values, True)
    return Graph._of_own(*_csr_of_array(values, n, symmetry, np.result_type(np.int64, *kinds)))


def _csr_of_array(
    values: Array, n: int, symmetry: str, dtype: npt.DTypeLike
) -> tuple[Array, Array, Array]:
    """Return the CSR arrays, filled some rows at a time: a dense matrix might not fit."""
    m = np.count_nonzero(_are_edges(values))
    if symmetry == "symmetric":
        m = 2 * m - np.count_nonzero(
            _are_edges(values[_positions(np.arange(n), np.arange(n), n, 0)])
        )
    elif symmetry == "skew-symmetric":
        m *= 2
    wanted = ((n + 1,), np.int64), ((int(m),), np.int32), ((int(m),), dtype)
    what, advice = "the graph of a dense matrix", "use a machine with more"
    indptr, indices, data = new_arrays(validate.NO_LIMIT, what, advice, *wanted)
    indptr.fill(0)
    n_rows = max(_ITEMS_AT_ONCE // max(n, 1), 1)
    end = 0
    for first in range(0, n if m else 0, n_rows):
        rows = _rows(values, np.arange(first, min(first + n_rows, n)), n, symmetry, dtype)
        kept = _are_edges(rows)
        indptr[first + 1 : first + 1 + len(rows)] = np.count_nonzero(kept, axis=1)
        here = slice(end, end + np.count_nonzero(kept))
        indices[here], data[here] = np.nonzero(kept)[1], rows[kept]
        end = here.stop
    return np.cumsum(indptr, out=indptr), indices, data


def _are_edges(values: Array) -> Array:
    return np.not_equal(values, 0, where=np.isfinite(values), out=np.zeros(values.shape, bool))


def _rows(values: Array, row: Array, n: int, symmetry: str, dtype: npt.DTypeLike) -> Array:
    """Return some whole rows of a matrix from its list of values."""
    row, col = row[:, None], np.arange(n)
    if symmetry == "general":
        return values[col * n + row].astype(dtype)
    if symmetry == "symmetric":
        return values[_positions(row, col, n, 0)].astype(dtype)
    # The diagonal is not listed, so its computed position is not used.
    found = values[_positions(row, col, n, 1)].astype(dtype)
    return np.where(row == col, 0, np.where(row > col, found, -found))


def _positions(row: Array, col: Array, n: int, below: int) -> Array:
    """Return the positions of the entries of a lower triangle that begins `below` the diagonal."""
    first, last = np.minimum(row, col), np.maximum(row, col)
    positions: Array = first * (n - below) - first * (first - 1) // 2 + last - first - below
    return positions


def _values(block: Block, are_integers: bool) -> Array:
    columns = parse_table(block.text, ("number",))
    if columns is not None:
        if wrong := too_large(block, columns[0], "one number", are_reals=not are_integers):
            raise wrong
        return columns[0]
    for number, text in block.lines():
        if parse_table(text, ("f8",)) is None:
            raise block.error(number, "one number", text)
    raise block.error(block.first_line, "numbers", block.text[:60])


def _check_opposites(values: Array, mirrored: Any) -> None:
    """Refuse an entry of a skew-symmetric matrix whose opposite does not fit int64."""
    lowest = np.iinfo(np.int64).min
    if values.dtype == np.int64 and values.min(initial=0, where=mirrored) == lowest:
        raise OverflowError(
            f"the value {lowest} of a skew-symmetric matrix has no int64 opposite "
            "to it; write the values as real numbers"
        )


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
