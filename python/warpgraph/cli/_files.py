"""Input of the commands: graphs and points."""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import warpgraph as wg
from warpgraph._arguments import hints
from warpgraph._arguments.validate import shown
from warpgraph._files import archive
from warpgraph._files.text import (
    BROKEN,
    STANDARD,
    ending_of,
    ending_within,
    open_binary,
)
from warpgraph.io import _parquet

Array = npt.NDArray[Any]

#: The arguments of `wg.io.read` that commands have.
_OPTIONS = (
    "format",
    "columns",
    "header",
    "id_dtype",
    "decimal",
    "comment",
    "max_vertices",
    "file_ids",
    "coordinates",
    "weight",
    "direction",
)

#: A name in a list and the separator before it. In quotes, a name is kept as it is.
_LISTED_NAME = re.compile(
    r'(?:\A|,|\r\n?|\n)[ \t]*(?:"((?:[^"]|"")*)"|([^,\r\n]*?))[ \t]*(?=[,\r\n]|\Z)'
)


class NamedGraph:
    """The graph of a command, with its name and the vertex ids of its file."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.name: str = args.graph
        self.ids: Array | None = None
        options = {name: getattr(args, name, None) for name in _OPTIONS}
        given = {name: value for name, value in options.items() if value is not None}
        if given.get("direction") == "none":
            given["direction"] = None
        if self.name not in wg.datasets.names():
            _check_name(self.name, args.format)
            with naming(self.name):
                graph, self.ids = wg.io.read(self.name, **given)
            # Commands look names up themselves; errors have them.
            self.graph = graph._unnamed()
            return
        if given:
            option = next(iter(given)).replace("_", "-")
            raise ValueError(f"--{option} is for files, and {self.name} is a data set")
        self.graph = wg.datasets.load(self.name)

    @property
    def looks_like_points(self) -> bool:
        """Return whether the file has fractions where vertices should be."""
        return self.ids is not None and self.ids.dtype.kind == "U" and _are_numbers(self.ids[:100])

    def vertex(self, text: str, option: str) -> int:
        """Return the number of the vertex whose id in the file is `text`."""
        if self.ids is None:
            try:
                return int(text)
            except ValueError:
                raise ValueError(f"{option} must be a vertex number, got {shown(text)}") from None
        found = np.flatnonzero(
            self.ids.astype(object if self.ids.dtype.kind == "O" else str) == text
        )
        if not found.size:
            raise ValueError(
                f"{option} is {shown(text)}, but {self.name} has no vertex of that name"
                f"{hints.did_you_mean(text, map(str, self.ids))}"
            )
        return int(found[0])

    def vertices(self, text: str, option: str) -> list[int]:
        """Return the numbers of the vertices in a list of names, which is not empty."""
        names = [name for name in split_names(text) if name]
        if not names:
            raise ValueError(f"{option} must name at least one vertex, got {text!r}")
        return [self.vertex(name, option) for name in names]

    def names(self, vertices: Array | None = None) -> Array:
        """Return the ids of these vertices in the file, by default of all."""
        if vertices is None:
            vertices = np.arange(self.graph.n_vertices)
        return vertices if self.ids is None else self.ids[vertices]

    def names_before(self, predecessors: Array) -> Array:
        """Return the ids of predecessors, and -1 where there is none.

        If ids are strings, or -1 may be one of them, all are strings, and "" stands for none.
        """
        if self.ids is None or not self.ids.size:
            return predecessors
        ids: Array = self.ids
        is_number = ids.dtype.kind in "iu" and 0 <= ids.min() <= ids.max() < 2**63
        if ids.dtype.kind in "iu":
            ids = ids.astype(np.int64 if is_number else str)
        none = -1 if is_number else ""
        return np.where(predecessors < 0, none, ids[np.maximum(predecessors, 0)])

    def name_of(self, vertex: int) -> Any:
        """Return the id of one vertex in the file."""
        if self.ids is None:
            return vertex
        name = self.ids[vertex]
        # An array of objects contains Python strings.
        return name.item() if isinstance(name, np.generic) else name

    def summary(self) -> dict[str, Any]:
        """Return the first lines of a report."""
        return {
            "graph": self.name,
            "vertices": self.graph.n_vertices,
            "edges": self.graph.n_edges,
            "weights": str(self.graph.dtype),
        }


def _check_name(name: str, format: str | None) -> None:
    """Refuse a graph that is neither a data set nor a file of a known format."""
    try:
        format_of(name, format)
    except ValueError:
        if format is not None or name == STANDARD or ending_of(name) or os.path.lexists(name):
            raise
        known = ", ".join(wg.datasets.names())
        raise FileNotFoundError(
            f"there is no file or data set {shown(name)}; the data sets are {known}"
        ) from None


def split_names(text: str) -> list[str]:
    """Return the names in a list that is separated by commas or ends of lines.

    Names may be in double quotes as in a table. Blanks around a name are dropped, except in quotes.
    """
    return [
        found[2] if found[1] is None else found[1].replace('""', '"')
        for found in _LISTED_NAME.finditer(text)
    ]


def _are_numbers(words: Array) -> bool:
    try:
        words.astype(float)
    except ValueError:
        return False
    return bool(words.size)


def read_points(path: str) -> Array:
    """Read points from .npy, .npz (its first array), .parquet or text, one point per row."""
    readers = {".npy": _read_array, ".npz": _read_array, ".parquet": _parquet.read_points}
    try:
        with naming(path):
            points = readers.get(ending_of(path), _read_text)(path)
    except (*BROKEN, ValueError, IndexError) as problem:
        # NumPy adds advice for callers of loadtxt.
        reason = str(problem).partition("; use `usecols`")[0].removeprefix(f"{path}: ")
        raise ValueError(
            f"{path} does not hold points, one row of numbers each: {reason}"
        ) from None
    if points.ndim != 2:
        raise ValueError(
            f"{path} must hold one point per row, got an array of shape {points.shape}"
        )
    return np.asarray(points)


def _read_text(path: str) -> Array:
    """Return the numbers of a text, perhaps compressed, one row for each line."""
    delimiter = "," if ending_within(path) == ".csv" else None
    # NumPy would open some file names as network addresses, so it gets an open file.
    with open_binary(path) as binary, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "loadtxt: input contained no data")
        text = io.TextIOWrapper(binary, "utf-8-sig")  # Windows writes a byte order mark
        # As in tables of edges, comments stand above the first row.
        rows = itertools.dropwhile(_is_comment, text)
        points = np.loadtxt(rows, delimiter=delimiter, comments=None, ndmin=2)
    if not points.size:
        raise ValueError("it has no numbers")
    return points


def _is_comment(line: str) -> bool:
    """Return whether a line is a comment or blank."""
    return line.strip(" \t\r\n")[:1] in ("", "#", "%")


def _read_array(path: str) -> Array:
    """Return the array of a .npy file, or the first of an .npz."""
    with open(path, "rb") as file:
        if ending_of(path) == ".npz":
            names = archive.names(file)
            if not names:
                raise ValueError("the archive has no arrays")
            return archive.read_arrays(file, names[:1])[names[0]]
        n_bytes = file.seek(0, 2)
        file.seek(0)
        return archive.read_array(file, Path(path).name, n_bytes)


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """Add the file to system errors that name none, such as a full disk."""
    try:
        yield
    except BROKEN:
        raise
    except OSError as problem:
        if problem.errno is None:
            # NumPy raises this if the disk has no space for an array.
            raise OSError(f"{path} is not read or written to its end: {problem}") from None
        if problem.filename is None:
            problem.filename = path
        raise


def format_of(path: str, format: str | None, option: str = "--format") -> str:
    """Return `format`, the value of an option, or else the one that the file's ending names."""
    try:
        name: str = wg.io._formats.format_of(path, format, to_write=option != "--format")
        return name
    except ValueError as problem:
        sentence = str(problem).replace("or pass format=", f"or give {option}")
        cure = f"give {option}, such as {option} csv:"
        raise ValueError(sentence.replace("pass format=, such as format='csv':", cure)) from None
