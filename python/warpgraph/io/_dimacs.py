"""The .gr formats: DIMACS (shortest paths, directed, weighted) and PACE (undirected, unweighted).

DIMACS: a line ``p sp VERTICES ARCS``, then ``a TAIL HEAD WEIGHT`` per arc. PACE: a line
``p tw VERTICES EDGES``, then ``U V`` per edge. Both count from 1; ``c`` begins a comment.
"""

from __future__ import annotations

import re
from typing import IO, Any

import numpy as np

from warpgraph._arguments import convert
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

COMMENT = b"c"

#: Lines that are right. No CR is between the words, since NumPy takes it for the end of a line.
_EDGE = re.compile(rb"(\d{1,18})[^\S\r]+(\d{1,18})")
_NUMBER = rb"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?)"
_ARC = re.compile(rb"a[^\S\r]*" + _EDGE.pattern + rb"[^\S\r]+" + _NUMBER, re.IGNORECASE)

_PROBLEM_LINE = "'p sp VERTICES ARCS' or 'p tw VERTICES EDGES'"


def read(lines: Lines) -> tuple[Graph, None]:
    """Read either of the two; the problem line decides. Neither has names of vertices."""
    header = lines.header(f"the problem line {_PROBLEM_LINE}")
    found = re.fullmatch(r"p\s+(sp|tw)\s+(\d{1,10})\s+(\d{1,18})", header)
    if not found:
        raise wrong_line(lines.path, lines.line, _PROBLEM_LINE, header)
    n, m = int(found[2]), int(found[3])
    parse = _arcs if found[1] == "sp" else _edges
    parts = [list(map(narrowed, parse(block, n))) for block in lines.blocks() if not block.is_blank]
    count = sum(len(part[0]) for part in parts)
    if count != m:
        raise ValueError(
            f"{lines.path} announces {m} {'arcs' if parse is _arcs else 'edges'} and has {count} "
            f"by its end, line {lines.line}"
        )
    lines.check_vertices(n)
    tail, head = joined(parts, 0, np.int32), joined(parts, 1, np.int32)
    tail -= 1
    head -= 1
    if parse is _edges:
        edges = [tail, head, None]
        del tail, head
        # The larger neighbours of a vertex follow its smaller ones, so rows are sorted if the file
        # is.
        return Graph._of_own(*convert.from_undirected(edges, n, mirrors_first=True)), None
    weight = joined(parts, 2, np.result_type(np.int64, *(part[2].dtype for part in parts)))
    return Graph.from_edges(tail, head, weight, n_vertices=n), None


def _arcs(block: Block, n: int) -> list[Array]:
    """Return tails, heads and weights; every line that is not blank must be ``a U V W``."""
    expected = f"'a TAIL HEAD WEIGHT', ends in 1..{n}"
    columns = _columns_of_arcs(block.text, n)
    if columns is None:
        raise _bad_line(block, _ARC, n, expected)
    if wrong := too_large(block, columns[2], expected):
        raise wrong
    return columns


def _columns_of_arcs(text: bytes, n: int) -> list[Array] | None:
    """Return tails, heads and weights, or None if a line is wrong.

    Each ``a`` must begin a line, with or without blanks before it: then all are replaced by blanks,
    and NumPy parses the table.
    """
    marks = (b"\n" + text).count(b"\na")
    if marks != text.count(b"a"):
        text = re.sub(rb"(?m)^[ \t\v\f]+", b"", text)
        marks = (b"\n" + text).count(b"\na")
    if marks != text.count(b"a"):
        return None
    columns = parse_table(text.replace(b"a", b" "), ("i8", "i8", "number"))
    if columns is None or len(columns[0]) != marks or not _in_range(columns[:2], n):
        return None
    weight = columns[2]
    return columns if weight.dtype.kind == "i" or not np.isnan(weight).any() else None


def _edges(block: Block, n: int) -> list[Array]:
    columns = _columns_of_edges(block.text, n)
    if columns is None:
        raise _bad_line(block, _EDGE, n, f"an edge 'U V', ends in 1..{n}")
    return columns


def _columns_of_edges(text: bytes, n: int) -> list[Array] | None:
    columns = parse_table(text, ("i8", "i8"))
    return columns if columns is not None and _in_range(columns, n) else None


def _in_range(ends: list[Array], n: int) -> bool:
    return all(end.min() >= 1 and end.max() <= n for end in ends)


def _bad_line(block: Block, pattern: re.Pattern[bytes], n: int, expected: str) -> ValueError:
    for number, text in block.lines():
        found = pattern.fullmatch(text)
        if not found or not all(1 <= int(end) <= n for end in found.groups()[:2]):
            is_nan = text.lower().endswith(b"nan")
            return block.error(number, expected, text, "the weight is NaN" if is_nan else "")
    return block.error(block.first_line, expected, block.text[:60])


def write(file: IO[bytes], graph: Graph, ids: Any) -> None:
    """Write DIMACS; weights that are not integers are written as they are."""
    tail, head, weight = graph.to_edges()
    file.write(f"p sp {graph.n_vertices} {graph.n_edges}\n".encode())
    write_rows(file, "a %d %d %r\n", [tail + 1, head + 1, weight])


def write_pace(file: IO[bytes], graph: Graph, ids: Any) -> None:
    """Write PACE: every undirected edge once; all weights must be 1."""
    if not graph._is_mirrored():
        raise ValueError("the PACE format is for undirected graphs: store every edge both ways")
    tail, head, weight = graph.to_edges()
    if (weight != 1).any():
        e = int(np.argmax(weight != 1))
        raise ValueError(
            f"the PACE format has no weights, but that of entry ({tail[e]}, {head[e]}) is "
            f"{weight[e]}"
        )
    once = tail <= head
    file.write(f"p tw {graph.n_vertices} {np.count_nonzero(once)}\n".encode())
    write_rows(file, "%d %d\n", [tail[once] + 1, head[once] + 1])
