"""The .gr formats: DIMACS (shortest paths, directed, weighted) and PACE (undirected, unweighted).

DIMACS: a line ``p sp VERTICES ARCS``, then a line ``a TAIL HEAD WEIGHT`` an arc. PACE: a line
``p tw VERTICES EDGES``, then a line ``U V`` an edge. Both count from 1; ``c`` begins a comment.
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

COMMENT = b"c"

_PROBLEM_LINE = "'p sp VERTICES ARCS' or 'p tw VERTICES EDGES'"


def read(lines: Lines) -> tuple[Graph, None]:
    """Read either of the two; the problem line says which."""
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
    if parse is _arcs:
        weight = joined(parts, 2, np.result_type(np.int64, *(part[2].dtype for part in parts)))
    else:
        apart = tail != head
        # With the larger neighbours of a vertex behind its smaller ones, rows come out sorted if
        # the file is.
        tail, head = np.concatenate([head[apart], tail]), np.concatenate([tail[apart], head])
        weight = np.ones(len(tail))
    return Graph.from_edges(tail, head, weight, n_vertices=n), None


def _arcs(block: Block, n: int) -> list[Array]:
    """Return tails, heads and weights; every line that is not blank must be ``a U V W``."""
    marks = (b"\n" + block.text).count(b"\na")
    if marks == block.text.count(b"a"):
        columns = parse_table(block.text.replace(b"a", b" "), ("i8", "i8", "number"))
        if columns is not None and len(columns[0]) == marks and _in_range(columns[:2], n):
            weight = columns[2]
            if weight.dtype.kind == "i" or not np.isnan(weight).any():
                return columns
    weight_pattern = rb"[-+]?([\d.]+([eE][-+]?\d+)?|inf)"
    raise _bad_line(
        block,
        rb"a\s+(\d{1,18})\s+(\d{1,18})\s+" + weight_pattern,
        n,
        f"'a TAIL HEAD WEIGHT', ends in 1..{n}",
    )


def _edges(block: Block, n: int) -> list[Array]:
    columns = parse_table(block.text, ("i8", "i8"))
    if columns is not None and _in_range(columns, n):
        return columns
    raise _bad_line(block, rb"(\d{1,18})\s+(\d{1,18})", n, f"an edge 'U V', ends in 1..{n}")


def _in_range(ends: list[Array], n: int) -> bool:
    return all(end.min() >= 1 and end.max() <= n for end in ends)


def _bad_line(block: Block, pattern: bytes, n: int, expected: str) -> ValueError:
    for number, text in block.lines():
        found = re.fullmatch(pattern, text)
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
    """Write PACE: every undirected edge once, weights left out."""
    if not graph.is_mirrored():
        raise ValueError("the PACE format is for undirected graphs: store every edge both ways")
    tail, head, _ = graph.to_edges()
    once = tail <= head
    file.write(f"p tw {graph.n_vertices} {np.count_nonzero(once)}\n".encode())
    write_rows(file, "%d %d\n", [tail[once] + 1, head[once] + 1])
