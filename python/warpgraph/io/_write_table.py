"""Edge lists and CSV as text: a line for each edge."""

from __future__ import annotations

import re
from typing import IO

import numpy as np

from warpgraph._files.text import Array, write_rows
from warpgraph._graph.graph import Graph
from warpgraph._tables import headers, parsers


def write(file: IO[bytes], graph: Graph, ids: Array | None) -> None:
    """Write a line per edge, separated by blanks."""
    _write(file, graph, ids, " ")


def write_csv(file: IO[bytes], graph: Graph, ids: Array | None) -> None:
    """Write a table with the columns source, target and weight, or as the graph calls it."""
    file.write((",".join(headers.header_to_write(graph.weight_name)) + "\n").encode())
    _write(file, graph, ids, ",")


def _write(file: IO[bytes], graph: Graph, ids: Array | None, separator: str) -> None:
    tail, head, weight = graph.to_edges()
    if ids is not None:
        names = _quoted(ids)
        tail, head = names[tail], names[head]
    write_rows(file, f"%s{separator}%s{separator}%r\n", [tail, head, weight])


def _quoted(ids: Array) -> Array:
    """Return ids as text for a file: ambiguous names are in quotes."""
    if ids.dtype.kind in "iu":
        largest = int(ids.max(initial=0))
        if largest >= 2**63:
            raise ValueError(f"the vertex id {largest} is no 64-bit integer, as edge lists have")
        return ids
    if ids.dtype.kind not in "UOT" or not all(isinstance(name, str) for name in ids.tolist()):
        raise TypeError(f"vertex ids must be integers or strings, got an array of {ids.dtype}")
    special = re.compile(r'[\s",;#%\ufeff]')
    surrogate = re.compile("[\ud800-\udfff]")  # not valid in UTF-8
    written = []
    for name in ids.tolist():
        if not name or "\0" in name or surrogate.search(name):
            raise ValueError(f"the vertex id {name!r} cannot be written to an edge list")
        # Without quotes, integers are no names, and floats that are integers are refused.
        is_whole = parsers.is_integer(name) or parsers.is_whole_float(name)
        if is_whole or special.search(name):
            name = '"' + name.replace('"', '""') + '"'
        written.append(name)
    return np.array(written, object)
