"""The METIS format: ``VERTICES EDGES [FORMAT [CONSTRAINTS]]``, then a line of neighbours a vertex.

The three digits of FORMAT say what is there beside the neighbours: a size of each vertex, weights
of each vertex, a weight behind each neighbour. Vertices count from 1, each edge is listed at both
of its ends, ``%`` begins a comment.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import warnings
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from warpgraph._graph import Graph
from warpgraph.io._text import Array, Block, Lines, wrong_line

COMMENT = b"%"


def read(lines: Lines) -> tuple[Graph, None]:
    """Read a graph; sizes and weights of vertices are skipped."""
    layout = _Layout(lines)
    rows = [_Rows(block) for block in lines.blocks(comment_as=COMMENT)]
    tokens = _concatenated([part.tokens for part in rows])
    counts = _concatenated([part.counts for part in rows])
    line_of = _concatenated([part.lines for part in rows])
    n = layout.n_vertices
    if counts[n:].any():
        line = line_of[n + np.flatnonzero(counts[n:])[0]]
        raise wrong_line(lines.path, line, f"no more than {n} vertices", "one more")
    if len(counts) < n:
        raise ValueError(
            f"{lines.path} announces {n} vertices and has lines for {len(counts)} by its end, "
            f"line {lines.line}"
        )
    counts = counts[:n]
    tail, head, weight = layout.arcs(tokens, counts, lambda v: (lines.path, int(line_of[v])))
    loops = np.count_nonzero(tail == head)
    if 2 * layout.n_edges not in (len(head), len(head) + loops):
        raise ValueError(
            f"{lines.path} announces {layout.n_edges} edges, which are {2 * layout.n_edges} "
            f"entries, and has {len(head)} by its end, line {lines.line}"
        )
    graph = Graph.from_edges(tail, head, weight, n_vertices=n)
    if not graph.is_mirrored():
        raise ValueError(f"{lines.path}: an edge is not listed at both of its ends alike")
    return graph, None


class _Layout:
    """What the first line says about the others."""

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
        self.skipped = has_size + has_weights * int(found[4] or 1)

    def arcs(
        self, tokens: Array, counts: Array, place: Callable[[int], tuple[str, int]]
    ) -> tuple[Array, Array, Array]:
        """Return tails, heads and weights; place(v) is the file and the line of vertex v."""
        entries = counts - self.skipped
        per_edge = 2 if self.weighted else 1
        bad = np.flatnonzero((entries < 0) | (entries % per_edge != 0))
        if bad.size:
            shape = "pairs of a neighbour and a weight" if self.weighted else "neighbours"
            if self.skipped:
                shape = f"{self.skipped} number(s) of the vertex and then {shape}"
            raise wrong_line(*place(bad[0]), shape, f"{counts[bad[0]]} number(s)")
        is_edge = np.ones(len(tokens), bool)
        starts = np.cumsum(counts) - counts
        for k in range(self.skipped):
            is_edge[starts + k] = False
        body = tokens[is_edge]
        tail, head = np.repeat(np.arange(len(counts)), entries // per_edge), body[::per_edge] - 1
        bad = np.flatnonzero((head < 0) | (head >= self.n_vertices))
        if bad.size:
            expected = f"neighbours in 1..{self.n_vertices}"
            raise wrong_line(*place(tail[bad[0]]), expected, str(head[bad[0]] + 1))
        return tail, head, body[1::2] if self.weighted else np.ones(len(head))


class _Rows:
    """The numbers of a block, how many each vertex has, and the line it has them on."""

    def __init__(self, block: Block) -> None:
        words, is_comment = _words_per_line(block.text)
        lines = block.first_line + np.arange(len(words))
        self.counts, self.lines = words[~is_comment], lines[~is_comment]
        self.tokens = _numbers(block, block.text.replace(COMMENT, b" "))


def _words_per_line(text: bytes) -> tuple[Array, Array]:
    """Return the number of words of each line, and whether it is a comment."""
    codes = np.frombuffer(text, np.uint8)
    begins = codes > ord(" ")
    begins[1:] &= codes[:-1] <= ord(" ")
    ends = np.flatnonzero(codes == ord("\n"))
    if not text.endswith(b"\n"):
        ends = np.append(ends, len(codes))
    words = np.diff(np.searchsorted(np.flatnonzero(begins), ends), prepend=0)
    is_comment = np.zeros(len(ends), bool)
    is_comment[np.searchsorted(ends, np.flatnonzero(codes == COMMENT[0]))] = True
    return words, is_comment


def _numbers(block: Block, text: bytes) -> Array:
    if not text.strip():
        return np.empty(0, np.int64)
    with warnings.catch_warnings():
        # NumPy warns when it stops before the end.
        warnings.simplefilter("error", DeprecationWarning)
        with contextlib.suppress(DeprecationWarning, ValueError):
            tokens = np.fromstring(text.decode(), np.int64, sep=" ")
            if tokens.max() < np.iinfo(np.int64).max:  # where larger numbers end up, too
                return tokens
    for number, line in block.lines():
        for word in line.split():
            if not re.fullmatch(rb"[-+]?\d{1,18}|%", word):
                raise block.error(number, "integers", word)
    raise block.error(block.first_line, "integers", block.text[:60])


def _concatenated(parts: list[Array]) -> Array:
    return np.concatenate([np.empty(0, np.int64), *parts])


def write(file: IO[bytes], graph: Graph, ids: Any) -> None:
    """Write an undirected graph without loops; weights must be positive integers, or all are 1."""
    if not graph.is_mirrored():
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
    words = [b" ".join(b"%d" % x for x in entry) for entry in columns.tolist()]
    offsets = graph.indptr.tolist()
    file.writelines(
        b" ".join(words[first:last]) + b"\n" for first, last in itertools.pairwise(offsets)
    )
