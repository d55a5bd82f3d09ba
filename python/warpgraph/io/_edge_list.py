"""Edge lists: ``TAIL HEAD [WEIGHT]`` a line, as SNAP and spreadsheets have them.

Columns are separated by white space, commas or semicolons. ``#`` or ``%`` begins a comment. Vertex
ids are integers or, if those of the first line are not, any words. A table with commas may have a
line of column names.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import IO

import numpy as np

from warpgraph._graph import Graph
from warpgraph.io._text import Array, Block, Lines, parse_table, write_rows

COMMENT = b"#%"

_COLUMN_NAMES = {"source", "target", "from", "to", "src", "dst", "tail", "head", "u", "v", "i", "j"}


def read(lines: Lines) -> tuple[Graph, Array]:
    """Return the graph and the ids of its vertices, ascending."""
    table: _Table | None = None
    parts: list[list[Array]] = []
    for block in _opening_with_two_lines(lines.blocks()):
        if table is None:
            table = _Table(block)
            block = table.without_column_names(block)
        if not block.is_blank:
            parts.append(table.parse(block))
    if not parts:
        return Graph.from_edges([], [], [], n_vertices=0), np.empty(0, np.int64)
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    ids, tail, head = _number(columns[0], columns[1])
    weight = columns[2] if len(columns) == 3 else np.ones(len(tail))
    return Graph.from_edges(tail, head, weight, n_vertices=len(ids)), ids


def _opening_with_two_lines(blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield blocks with data, the first with two lines of it if there are two in the file."""
    opening: Block | None = None
    is_open = False
    for block in blocks:
        if block.is_blank:
            continue
        if not is_open:
            if opening is not None:
                gap = b"\n" * (block.first_line - opening.last_line - 1)
                block = Block(block.path, opening.first_line, opening.text + gap + block.text)
            opening = block
            is_open = sum(1 for _ in itertools.islice(block.lines(), 2)) == 2
        if is_open:
            yield block
    if opening is not None and not is_open:
        yield opening


def _number(tail: Array, head: Array) -> tuple[Array, Array, Array]:
    """Return the distinct ids, ascending, and both columns as positions among them."""
    both = np.concatenate([tail, head])
    if both.dtype.kind == "i":
        low, high = int(both.min()), int(both.max())
        if high - low < 4 * len(both):
            # Few gaps: marking beats sorting.
            present = np.zeros(high - low + 1, bool)
            present[both - low] = True
            position = np.cumsum(present) - 1
            return np.flatnonzero(present) + low, position[tail - low], position[head - low]
    ids, inverse = np.unique(both, return_inverse=True)
    return ids, inverse[: len(tail)], inverse[len(tail) :]


class _Table:
    """What the first lines of an edge list say about all of them."""

    def __init__(self, block: Block) -> None:
        head = list(itertools.islice(block.lines(), 2))
        number, first = head[0]
        self.delimiter = next((d for d in (",", ";") if d.encode() in first), None)
        rows = [self._split(line) for _, line in head]
        self.has_names = self.delimiter is not None and _names_columns(rows)
        self._first_line = number
        sample = rows[-1] if self.has_names else rows[0]
        self.integers = all(map(_is_integer, sample[:2]))
        self.n_columns = len(sample)
        if self.n_columns not in (2, 3):
            raise block.error(number, self._expected(), first)

    def without_column_names(self, block: Block) -> Block:
        if not self.has_names:
            return block
        skipped = self._first_line - block.first_line + 1
        rest = block.text.split(b"\n", skipped)[skipped:]
        return Block(block.path, self._first_line + 1, rest[0] if rest else b"")

    def parse(self, block: Block) -> list[Array]:
        ids = "i8" if self.integers else f"U{_longest_word(block.text, self.delimiter)}"
        dtypes = (ids, ids, "number")[: self.n_columns]
        columns = parse_table(block.text, dtypes, self.delimiter)
        if columns is not None and not np.isnan(columns[-1] if self.n_columns == 3 else 0).any():
            return columns
        for number, text in block.lines():
            if not self._is_edge(self._split(text)):
                raise block.error(number, self._expected(), text)
        raise block.error(block.first_line, self._expected(), block.text[:60])

    def _split(self, line: bytes) -> list[str]:
        words = line.decode(errors="replace").split(self.delimiter)
        return [word.strip().strip('"') for word in words]

    def _is_edge(self, row: list[str]) -> bool:
        if len(row) != self.n_columns:
            return False
        if self.integers and not all(map(_is_integer, row[:2])):
            return False
        return self.n_columns == 2 or _is_number(row[2])

    def _expected(self) -> str:
        kind = "integer ids" if self.integers else "ids"
        if self.n_columns == 2:
            return f"two vertex {kind} as on the first line of data"
        if self.n_columns == 3:
            return f"two vertex {kind} and a weight as on the first line of data"
        return "two vertex ids and perhaps a weight"


def _names_columns(rows: list[list[str]]) -> bool:
    """Return whether the first of two rows looks like names instead of an edge."""
    first = rows[0]
    if {word.lower() for word in first[:2]} <= _COLUMN_NAMES:
        return True
    if len(rows) < 2 or any(_is_number(word) for word in first):
        return False
    return any(_is_number(word) for word in rows[1])


def _is_integer(word: str) -> bool:
    return bool(re.fullmatch(r"[-+]?\d{1,19}", word)) and -(2**63) <= int(word) < 2**63


def _is_number(word: str) -> bool:
    try:
        return not np.isnan(float(word))
    except ValueError:
        return False


def _longest_word(text: bytes, delimiter: str | None) -> int:
    words = re.split(rb"[\n" + delimiter.encode() + rb"]", text) if delimiter else text.split()
    return max(map(len, words))


def write(file: IO[bytes], graph: Graph, ids: Array | None) -> None:
    """Write a line an edge, separated by blanks."""
    _write(file, graph, ids, " ")


def write_csv(file: IO[bytes], graph: Graph, ids: Array | None) -> None:
    """Write a table with the columns source, target and weight."""
    file.write(b"source,target,weight\n")
    _write(file, graph, ids, ",")


def _write(file: IO[bytes], graph: Graph, ids: Array | None, separator: str) -> None:
    tail, head, weight = graph.to_edges()
    if ids is not None:
        _check_ids(ids, separator)
        tail, head = ids[tail], ids[head]
    write_rows(file, f"%s{separator}%s{separator}%r\n", [tail, head, weight])


def _check_ids(ids: Array, separator: str) -> None:
    if ids.dtype.kind in "iu":
        return
    if ids.dtype.kind != "U":
        raise TypeError(f"vertex ids must be integers or strings, got an array of {ids.dtype}")
    unfit = re.compile(r'[",;#%\r\n]' if separator == "," else r'[\s"#%,;]')
    for name in ids:
        if not name or unfit.search(name) or name != name.strip():
            raise ValueError(f"the vertex id {str(name)!r} cannot be written to an edge list")
