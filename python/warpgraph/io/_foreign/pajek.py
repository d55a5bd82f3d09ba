"""Pajek: ``*Vertices`` with labels and positions, then ``*Arcs``, ``*Edges``, lists or a matrix.

NetworkX's reader takes the ends of ``*Arcslist`` for weights, reads all lines after the first
``*Arcs`` or ``*Edges`` as it reads these, and leaves out a matrix after them. So the files are read
here; those that it reads right are read alike.

Vertices are numbered from 1 on. Their names are the labels, or the numbers where a label is missing
or two are equal. An arc leads one way, an edge both ways; all may be in one file. A number behind
the ends is the weight; else it is 1. Lines that begin with % are comments.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from typing import IO, Any

import numpy as np

from warpgraph._arguments import nx_graphs, validate
from warpgraph._files.text import Array, Block, Lines
from warpgraph._graph import coordinates
from warpgraph._graph.graph import Graph
from warpgraph._tables import parsers
from warpgraph.io import _graphml
from warpgraph.io._choices import Choices

#: Fields are apart by ASCII's blanks alone: NetworkX writes labels with others without quotes.
_FIELD = re.compile(r'"([^"]*)"(?!\S)|([^\s"]\S*)|(\S+)', re.ASCII)
#: Beginnings of sections, in lower case; the longer ones of those that begin alike come first.
_SECTIONS = ("*vertices", "*arcslist", "*edgeslist", "*arcs", "*edges", "*matrix", "*network")


def read(path: str, file: IO[bytes], choices: Choices) -> tuple[Graph, Array]:
    """Return the graph and the names of its vertices, in the order of the file."""
    lines = Lines(path, file, b"%", choices.max_vertices)
    found = _File(lines)
    for block in lines.blocks():
        for number, line in block.lines():
            found.add(block, number, line)
    return found.graph(choices.id_kind)


def _number(field: str) -> int | float | None:
    """Return the number that a field is, or None: also if it is finite, but beyond float64."""
    return None if nx_graphs.is_beyond_floats(field) else nx_graphs.number_of(field)


class _File:
    """The lines of a file that were read; `_section` is the one that the next line belongs to."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._section = ""
        self._n_vertices: int | None = None
        self._n_rows = 0  # of a matrix
        self._labels: dict[int, str] = {}
        self._positions: dict[int, list[float]] = {}
        self._ends = array("i")  # tail, head, tail, head, ..
        self._weights: list[Any] = []

    def add(self, block: Block, number: int, line: bytes) -> None:
        """Read a line that is neither blank nor a comment."""
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise block.error(number, "text in UTF-8", line) from None
        if text.startswith("*"):
            self._begin(block, number, text)
            return
        found = _FIELD.findall(text)
        fields = [quoted or word for quoted, word, _ in found]
        wrong = None
        if any(torn for *_, torn in found):
            raise block.error(number, "no quote within a label in quotes", line)
        if self._section == "*vertices":
            wrong = self._add_vertex(fields)
        elif self._section in ("*arcs", "*edges"):
            wrong = self._add_edge(fields)
        elif self._section in ("*arcslist", "*edgeslist"):
            wrong = self._add_list(fields)
        elif self._section == "*matrix":
            wrong = self._add_row(fields)
        elif self._section != "*network":
            wrong = "a section such as *Vertices 5"
        if wrong is not None:
            raise block.error(number, wrong, line)

    def _begin(self, block: Block, number: int, text: str) -> None:
        self._end_matrix()
        known = (name for name in _SECTIONS if text.lower().startswith(name))
        self._section = next(known, "")
        if not self._section:
            raise block.error(number, f"one of {', '.join(_SECTIONS)}", text.encode())
        if self._section != "*vertices":
            if self._n_vertices is None and self._section != "*network":
                raise block.error(number, "*Vertices and their number before", text.encode())
            return
        count = re.match(r"\S+\s+([0-9]{1,10})(\s|$)", text)
        if count is None or self._n_vertices is not None:
            raise block.error(number, "one *Vertices with their number", text.encode())
        self._n_vertices = int(count[1])

    def _end_matrix(self) -> None:
        """Refuse a matrix that ends before its last row."""
        n = self._n_vertices or 0
        if self._section == "*matrix" and self._n_rows < n:
            path = self._lines.path
            raise ValueError(f"{path}: expected {n} rows of a matrix, got {self._n_rows}")

    def _vertex(self, field: str) -> int | None:
        """Return the number of a vertex, from 0 on; None: there is no such vertex."""
        is_vertex = re.fullmatch("[0-9]{1,10}", field) is not None
        v = int(field) - 1 if is_vertex else -1
        return v if 0 <= v < (self._n_vertices or 0) else None

    def _add_vertex(self, fields: list[str]) -> str | None:
        v = self._vertex(fields[0])
        if v is None or v in self._labels:
            return f"another vertex of 1 to {self._n_vertices}"
        if len(fields) > 1:
            self._labels[v] = fields[1]
        position = []
        for field in fields[2:5]:
            if not parsers.is_number(field):
                break
            position.append(float(field))
        self._positions[v] = position
        return None

    def _add_edge(self, fields: list[str]) -> str | None:
        ends = [self._vertex(field) for field in fields[:2]]
        expected = f"two vertices of 1 to {self._n_vertices} and perhaps a weight"
        if len(ends) < 2 or None in ends:
            return expected
        weight = _number(fields[2]) if len(fields) > 2 else 1
        if weight is None:
            return expected
        self._join(ends, weight)
        return None

    def _add_list(self, fields: list[str]) -> str | None:
        ends = [self._vertex(field) for field in fields]
        if None in ends:
            return f"vertices of 1 to {self._n_vertices}"
        for head in ends[1:]:
            self._join([ends[0], head], 1)
        return None

    def _add_row(self, fields: list[str]) -> str | None:
        n = self._n_vertices or 0
        weights = [_number(field) for field in fields]
        if len(weights) != n or None in weights or self._n_rows == n:
            return f"{n} rows of {n} numbers"
        for head, weight in enumerate(weights):
            if weight != 0:
                self._join([self._n_rows, head], weight)
        self._n_rows += 1
        return None

    def _join(self, ends: list[Any], weight: Any) -> None:
        tail, head = ends
        self._ends.extend((tail, head))
        self._weights.append(weight)
        if self._section.startswith("*edges") and tail != head:
            self._ends.extend((head, tail))
            self._weights.append(weight)

    def graph(self, id_kind: str | None) -> tuple[Graph, Array]:
        """Return the graph and the names of its vertices."""
        path = self._lines.path
        if self._n_vertices is None:
            raise ValueError(f"{path} is not Pajek: expected a line such as *Vertices 5")
        n = self._lines.check_vertices(self._n_vertices)
        self._end_matrix()
        ends = np.frombuffer(self._ends, np.int32).reshape(-1, 2)
        data = None
        if len(ends):
            data = nx_graphs.weights_as_array(
                self._weights, "weight", lambda i: str(tuple((ends[i] + 1).tolist()))
            )
        graph = Graph.from_edges(ends[:, 0], ends[:, 1], data, n_vertices=n)
        graph.coordinates = self._coordinates(n)
        return graph, _graphml.ids_of(path, self._names(n), id_kind)

    def _coordinates(self, n: int) -> Any:
        """Return the positions that all vertices have; zeros, as NetworkX writes them, are none."""
        d = min(map(len, self._positions.values()), default=0) if len(self._positions) == n else 0
        found = np.array([self._positions[v][:d] for v in range(n if d > 1 else 0)])
        return coordinates.given(found, n) if np.any(found) and np.isfinite(found).all() else None

    def _names(self, n: int) -> list[Any]:
        """Return the labels, if all vertices have one of their own, else the numbers from 1 on."""
        labels = [self._labels.get(v) for v in range(n)]
        if labels and all(labels) and len(set(labels)) == n:
            return labels
        if any(labels):
            why = "some have no label"
            if all(labels):
                why = f"two have the label {validate.shown(Counter(labels).most_common(1)[0][0])}"
            path = self._lines.path
            validate.warn(f"{path}: the names of the vertices are their numbers, since {why}")
        return list(range(1, n + 1))
