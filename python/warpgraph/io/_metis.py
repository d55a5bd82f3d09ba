"""The METIS format: ``VERTICES EDGES [FORMAT [CONSTRAINTS]]``, then neighbours per vertex.

The three digits of FORMAT tell whether lines also have a size of the vertex, weights of the vertex,
and a weight after each neighbour. Vertices count from 1, each edge is listed at both of its ends,
``%`` begins a comment.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import warnings
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from warpgraph._files.text import LONGEST_LINE, Array, Lines, joined, narrowed, too_long, wrong_line
from warpgraph._graph.graph import Graph

COMMENT = b"%"

_INT64 = np.iinfo(np.int64)
#: Lines that are written at a time.
_LINES_AT_ONCE = 1 << 14


def read(lines: Lines) -> tuple[Graph, None]:
    """Read a graph; sizes and weights of vertices are skipped."""
    rows = _Rows(lines)
    parts = [rows.parse(*piece) for piece in _pieces(lines)]
    n, m, n_rows = rows.n_vertices, rows.n_edges, rows.n_rows
    if n_rows < n:
        raise ValueError(
            f"{lines.path} announces {n} vertices and has lines for {n_rows} by its end, "
            f"line {lines.line}"
        )
    n_entries = sum(len(part[1]) for part in parts)
    if 2 * m not in (n_entries, n_entries + rows.n_loops):
        raise ValueError(
            f"{lines.path} announces {m} edges, which are {2 * m} "
            f"entries, and has {n_entries} by its end, line {lines.line}"
        )
    lines.check_vertices(n)
    parts.insert(0, [np.zeros(1, np.int8)] * 3)
    indptr = joined(parts, 0, np.int64)
    np.cumsum(indptr, out=indptr)
    del parts[0]
    heads = joined(parts, 1, np.int32)
    weights = joined(parts, 2, np.int64) if rows.weighted else np.ones(n_entries)
    graph = Graph._of_own(indptr, heads, weights)
    if not graph._is_mirrored():
        raise ValueError(f"{lines.path}: an edge is not listed at both of its ends alike")
    return graph, None


def _pieces(lines: Lines) -> Iterator[tuple[bytes, int, bool]]:
    """Yield (text, number of its first line, whether that line has begun before).

    Pieces end between words, and comments are whole: the line of one vertex may be as long as the
    file.
    """
    rest, has_begun = b"", False
    for piece in lines.pieces():
        text = rest + piece
        end = text.rfind(b"\n") + 1
        tail = text[end:]
        if len(tail) > LONGEST_LINE:
            is_comment = tail.lstrip().startswith(COMMENT) and (end > 0 or not has_begun)
            end += 0 if is_comment else max(tail.rfind(b" "), tail.rfind(b"\t")) + 1
            if len(text) - end > LONGEST_LINE:
                raise too_long(lines.path, lines.line + 1 + text.count(b"\n"))
        rest = text[end:]
        if end:
            yield text[:end], lines.line + 1, has_begun
            lines.line += text.count(b"\n", 0, end)
            has_begun = not text.endswith(b"\n", 0, end)
    if rest or has_begun:
        yield rest + b"\n", lines.line + 1, has_begun
        lines.line += 1


class _Rows:
    """The contents of the first line, and the state of reading the others."""

    def __init__(self, lines: Lines) -> None:
        expected = "'VERTICES EDGES [FORMAT [CONSTRAINTS]]'"
        header = lines.header(expected)
        found = re.fullmatch(r"(\d{1,18})\s+(\d{1,18})(?:\s+([01]{1,3})(?:\s+(\d{1,3}))?)?", header)
        if not found:
            raise wrong_line(lines.path, lines.line, expected, header)
        self.n_vertices, self.n_edges = int(found[1]), int(found[2])
        has_size, has_weights, self.weighted = (
            digit == "1" for digit in (found[3] or "0").zfill(3)
        )
        self.n_rows = 0  #: lines of vertices that are complete
        self.n_loops = 0
        self._per_edge = 2 if self.weighted else 1
        self._skipped = has_size + has_weights * int(found[4] or 1)
        self._n_entries = 0
        self._begun = 0  # numbers read of a line that continues in the next piece
        self._path = lines.path

    def parse(self, raw: bytes, first_line: int, has_begun: bool) -> list[Array]:
        """Return the degrees of the lines that end here, their neighbours and the weights."""
        piece = _Piece(self._path, raw, first_line, has_begun)
        words = piece.words
        n_whole = len(words) - (not raw.endswith(b"\n"))
        n_left = max(self.n_vertices - self.n_rows, 0)
        if words[n_left:].any():
            surplus = n_left + int(np.flatnonzero(words[n_left:])[0])
            raise piece.error(surplus, f"no more than {self.n_vertices} vertices", "one more")
        line = np.repeat(np.arange(len(words)), words)
        place = np.arange(len(line)) - np.repeat(np.cumsum(words) - words, words)
        if self._begun and len(words):
            place[: words[0]] += self._begun
            words[0] += self._begun
        whole = words[:n_whole][:n_left] - self._skipped
        self._check_lengths(piece, whole)
        heads, weights = self._arcs(piece, line, place - self._skipped)
        self._n_entries += len(heads)
        if self._n_entries > 2 * self.n_edges:
            last_line = first_line + raw.rstrip(b"\n").count(b"\n")
            raise ValueError(
                f"{self._path} announces {self.n_edges} edges, which are {2 * self.n_edges} "
                f"entries, and has {self._n_entries} by line {last_line}"
            )
        self.n_rows += n_whole
        self._begun = int(words[-1]) if n_whole < len(words) else 0
        return [narrowed(whole // self._per_edge), narrowed(heads), narrowed(weights)]

    def _check_lengths(self, piece: _Piece, entries: Array) -> None:
        """Refuse a line whose numbers, without those of the vertex, do not match FORMAT."""
        bad = np.flatnonzero((entries < 0) | (entries % self._per_edge != 0))
        if bad.size:
            shape = "pairs of a neighbour and a weight" if self.weighted else "neighbours"
            if self._skipped:
                shape = f"{self._skipped} number(s) of the vertex and then {shape}"
            n_words = entries[bad[0]] + self._skipped
            raise piece.error(int(bad[0]), shape, f"{n_words} number(s)")

    def _arcs(self, piece: _Piece, line: Array, place: Array) -> tuple[Array, Array]:
        """Return neighbours, from 0 on, and weights; place 0 is the first neighbour's."""
        is_head = (place >= 0) & (place % self._per_edge == 0)
        heads = piece.numbers[is_head] - 1
        bad = np.flatnonzero((heads < 0) | (heads >= self.n_vertices))
        if bad.size:
            expected = f"neighbours in 1..{self.n_vertices}"
            raise piece.error(int(line[is_head][bad[0]]), expected, str(heads[bad[0]] + 1))
        self.n_loops += int(np.count_nonzero(line[is_head] + self.n_rows == heads))
        return heads, piece.numbers[(place >= 0) & ~is_head]


class _Piece:
    """Some lines; the first may have begun in the former piece, the last may continue."""

    def __init__(self, path: str, raw: bytes, first_line: int, has_begun: bool) -> None:
        self._place = (path, raw, first_line, has_begun)
        text = b"".join(text for _, text in self._lines()) if COMMENT in raw else raw
        self.words = _words_per_line(text)
        self.numbers = self._parse(text)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield (number, text) of the lines that are no comments."""
        _, raw, first_line, has_begun = self._place
        for k, found in enumerate(re.finditer(rb"[^\n]*\n|[^\n]+\Z", raw)):
            line = found.group()
            if (k == 0 and has_begun) or not line.lstrip().startswith(COMMENT):
                yield first_line + k, line

    def error(self, line: int, expected: str, got: str) -> ValueError:
        """Return the error for one of the lines, comments not counted."""
        number = next(itertools.islice(self._lines(), line, None))[0]
        return wrong_line(self._place[0], number, expected, got)

    def _parse(self, text: bytes) -> Array:
        n_words = int(self.words.sum())
        if n_words == 0:
            return np.empty(0, np.int64)
        with warnings.catch_warnings(), contextlib.suppress(DeprecationWarning, ValueError):
            # NumPy warns when it stops before the end.
            warnings.simplefilter("error", DeprecationWarning)
            numbers = np.fromstring(text.decode("ascii"), np.int64, sep=" ")
            # Numbers beyond 64 bits become the largest or smallest int64.
            is_safe = _INT64.min < numbers.min() and numbers.max() < _INT64.max
            if len(numbers) == n_words and (is_safe or self._wrong_word() is None):
                return numbers
        line, word = self._wrong_word() or (0, text[:60])
        raise self.error(line, "integers", word.decode(errors="replace"))

    def _wrong_word(self) -> tuple[int, bytes] | None:
        for k, (_, line) in enumerate(self._lines()):
            for word in line.split():
                is_integer = re.fullmatch(rb"[-+]?\d{1,19}", word)
                if not is_integer or not _INT64.min <= int(word) <= _INT64.max:
                    return k, word
        return None


def _words_per_line(text: bytes) -> Array:
    """Return the number of words of each line, the last one open if it does not end."""
    codes = np.frombuffer(text, np.uint8)
    begins = codes > ord(" ")
    begins[1:] &= codes[:-1] <= ord(" ")
    ends = np.flatnonzero(codes == ord("\n"))
    if text and not text.endswith(b"\n"):
        ends = np.append(ends, len(codes))
    return np.diff(np.searchsorted(np.flatnonzero(begins), ends), prepend=0)


def write(file: IO[bytes], graph: Graph, ids: Any) -> None:
    """Write an undirected graph without loops; weights must be positive integers, or all are 1."""
    if not graph._is_mirrored():
        raise ValueError("the METIS format is for undirected graphs: store every edge both ways")
    tail, head, weight = graph.to_edges()
    if (tail == head).any():
        loop = tail[tail == head][0]
        raise ValueError(f"the METIS format has no loops, but vertex {loop} has one")
    bad = np.flatnonzero(~((weight >= 1) & (weight == np.floor(weight)) & (weight < 2**63)))
    if bad.size:
        e = bad[0]
        raise ValueError(
            f"the METIS format has positive integers as weights, but that of entry "
            f"({tail[e]}, {head[e]}) is {weight[e]}"
        )
    weighted = bool((weight != 1).any())
    layout = " 001" if weighted else ""
    file.write(f"{graph.n_vertices} {graph.n_edges // 2}{layout}\n".encode())
    columns = np.stack([head + 1, weight.astype(np.int64)], 1) if weighted else (head + 1)[:, None]
    for first in range(0, graph.n_vertices, _LINES_AT_ONCE):
        starts = graph.indptr[first : first + _LINES_AT_ONCE + 1]
        part = columns[starts[0] : starts[-1]].tolist()
        words = [b" ".join(b"%d" % x for x in entry) for entry in part]
        places = itertools.pairwise((starts - starts[0]).tolist())
        file.write(b"".join(b" ".join(words[begin:end]) + b"\n" for begin, end in places))
