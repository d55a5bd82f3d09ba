"""TNTP: the networks of roads of the repository "Transportation Networks for Research".

Lines such as ``<NUMBER OF LINKS> 76``, ended by ``<END OF METADATA>``, are above a table, whose
labels are in a line that begins with ``~`` and whose rows end in a semicolon. The table is read as
one of text: by the same rule of columns and with the same options.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import IO

from warpgraph._arguments import validate
from warpgraph._files.text import Array, Lines, wrong_line
from warpgraph._graph.graph import Graph
from warpgraph.io import _edge_list
from warpgraph.io._choices import Choices

_END = "<END OF METADATA>"
_METADATA = re.compile(r"<([^>]*)>(.*)")


def read(path: str, file: IO[bytes], choices: Choices) -> tuple[Graph, Array]:
    """Return the graph and the ids of its vertices, ascending."""
    lines = Lines(path, file, b"\0", choices.max_vertices)
    n_links = _number_of_links(lines)
    # What is no row is left blank, so that errors have the numbers of lines.
    text: list[str] = []
    n_rows = -1  # the first one has the labels
    for number, fields in _rows(lines):
        text += [""] * (number - 1 - len(text)) + ["\t".join(fields)]
        n_rows += 1
    if n_rows != n_links:
        raise ValueError(
            f"{path}: expected {n_links} links, as the metadata say, and the line of labels that "
            f"begins with ~, got {max(n_rows, 0)} links"
        )
    table = io.BytesIO("\n".join(text).encode())
    read_as_text = Lines(path, table, _edge_list.COMMENT, choices.max_vertices)
    options = choices.columns, choices.id_kind, choices.decimal, "", True, choices.direction
    return _edge_list.read(read_as_text, *options)


def _number_of_links(lines: Lines) -> int:
    """Read the metadata."""
    known: dict[str, str] = {}
    expected = "metadata such as <NUMBER OF LINKS> 76"
    while True:
        line = lines.banner(f"{expected}, and {_END}")
        if line.upper().startswith(_END):
            break
        if not line or line.startswith("~"):
            continue
        found = _METADATA.match(line)
        if found is None:
            why = "only the networks of TNTP are read, no tables of nodes, trips or flows"
            raise wrong_line(lines.path, lines.line, expected, line, why)
        known[found[1].strip().upper()] = found[2].partition("~")[0].strip()
    number = known.get("NUMBER OF LINKS", "")
    if not re.fullmatch("[0-9]{1,10}", number):
        why = "tables of trips have none" if "TOTAL OD FLOW" in known else ""
        raise ValueError(
            f"{lines.path}: expected <NUMBER OF LINKS> with a number, got "
            f"{validate.shown(number)}{'; ' * bool(why)}{why}"
        )
    return int(number)


def _rows(lines: Lines) -> Iterator[tuple[int, list[str]]]:
    """Yield the line of labels, then the rows: the number of the line, and its fields."""
    labels: list[str] = []
    for block in lines.blocks():
        for number, line in block.lines():
            text = line.decode(errors="replace")
            if text.startswith("~"):
                if not labels:
                    labels = _labels(text[1:])
                    yield number, labels
                continue
            fields = text.partition(";")[0].split()
            if len(fields) != len(labels):
                expected = "labels of columns, after ~"
                if labels:
                    expected = f"{len(labels)} fields, as the labels are {', '.join(labels)}"
                raise block.error(number, expected, line)
            yield number, fields


def _labels(text: str) -> list[str]:
    """Return the labels of columns: blanks are in them where tabs are between them."""
    separator = r"\t" if "\t" in text.strip() else r"\s"
    words = re.split(f"{separator}+", text.partition(";")[0].strip())
    return [word.strip() for word in words if word.strip()]
