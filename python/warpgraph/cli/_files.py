"""Input and output of the commands: graphs, points, arrays."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import itertools
import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

import warpgraph as wg
from warpgraph._arguments import hints, validate
from warpgraph._arguments.names import Names
from warpgraph._arguments.validate import shown
from warpgraph._files import archive
from warpgraph._files.text import (
    BROKEN,
    STANDARD,
    ending_of,
    ending_within,
    open_binary,
    written_whole,
)

Array = npt.NDArray[Any]

_ENDINGS = {"arrays": (".csv", ".npy", ".npz"), "points": (".csv", ".npy")}

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
#: Bytes that padding names to the width of the longest may take.
_PADDING = 1 << 26


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
            # Commands look names up themselves.
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

    @contextlib.contextmanager
    def naming_errors(self) -> Iterator[None]:
        """Put ids in place of vertex numbers in the errors of calls that get the graph alone."""
        try:
            yield
        except (ValueError, OverflowError) as error:
            if self.ids is not None:
                names = Names(self.ids.tolist(), len(self.ids))
                error.args = (names.in_sentence(str(error)),)
            raise

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
    """Read points from .npy, .npz (its first array) or text, one point per row."""
    try:
        with naming(path):
            is_binary = ending_of(path) in (".npy", ".npz")
            points = _read_array(path) if is_binary else _read_text(path)
    except (*BROKEN, ValueError, IndexError) as problem:
        # NumPy adds advice for callers of loadtxt.
        reason = str(problem).partition("; use `usecols`")[0]
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


def check_output(path: str, kind: str, option: str = "--output", format: str | None = None) -> None:
    """Check before the work that its results can be written; kind: arrays, graph, points."""
    if kind == "graph":
        format_of(path, format, "--output-format")
    else:
        _ending(path, _ENDINGS[kind], option)
    check_place(path)


def format_of(path: str, format: str | None, option: str = "--format") -> str:
    """Return `format`, the value of an option, or else the one that the file's ending names."""
    try:
        name: str = wg.io._formats.format_of(path, format)
        return name
    except ValueError as problem:
        sentence = str(problem).replace("or pass format=", f"or give {option}")
        cure = f"give {option}, such as {option} csv:"
        raise ValueError(sentence.replace("pass format=, such as format='csv':", cure)) from None


def check_place(path: str) -> None:
    """Refuse a file that cannot be written."""
    if path == STANDARD:
        return
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder of {path} does not exist")
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file")
    # A file is replaced by a new one in its folder; a pipe or a device is written to as it is.
    written = target if target.exists() and not target.is_file() else target.parent
    if not os.access(written, os.W_OK):
        raise PermissionError(f"{path} cannot be written: no permission to write to {written}")


def write_columns(path: str, columns: dict[str, Array], **more: Array) -> None:
    """Write columns of equal length as .csv, .npz (together with `more`) or .npy (the last one)."""
    ending = _ending(path, _ENDINGS["arrays"])
    with naming(path), written_whole(path) as file:
        if ending == ".npz":
            stored = {name: _storable(path, column) for name, column in columns.items()}
            np.savez(file, **stored, **more)  # type: ignore[arg-type]
        elif ending == ".npy":
            np.save(file, _storable(path, list(columns.values())[-1]))
        else:
            _write_csv(file, ",".join(columns), list(columns.values()))


def _storable(path: str, column: Array) -> Array:
    """Return a column as NumPy stores it without pickles: names as strings of equal width."""
    if column.dtype.kind != "O":
        return column
    lengths = np.fromiter(map(len, column.flat), np.int64, column.size)
    widest = lengths.max(initial=1)
    if 4 * widest * column.size > 10 * lengths.sum() + _PADDING:
        longest = column.flat[lengths.argmax()]
        raise ValueError(
            f"{path} would store each of {column.size} names in {4 * widest} bytes, the width of "
            f"the longest, which has {widest} characters: {shown(longest)}; write a .csv file"
        )
    return column.astype(f"U{widest}")


def write_table(path: str, sources: Array, targets: Array, values: Array, what: str) -> None:
    """Write a matrix (.npy; .npz with the vertices), or a line for each pair (.csv)."""
    columns = {"source": sources, "target": targets, what: values}
    if _suffix(path) == ".csv":
        columns = {
            "source": np.repeat(sources, len(targets)),
            "target": np.tile(targets, len(sources)),
            what: values.ravel(),
        }
    write_columns(path, columns)


def write_graph(path: str, graph: Any, ids: Array | None, format: str | None) -> dict[str, Any]:
    """Write a graph, and return for a report whether its vertices keep their names."""
    if ids is None:
        with naming(path):
            wg.io.write(path, graph, format=format)
        return {}
    format_name = format_of(path, format)
    keeps_ids = wg.io._formats.keeps_ids(format_name)
    # Vertices without names have the numbers from 0 on without a gap as ids, or those of the file.
    numbers = np.arange(len(ids))
    first = wg.io._formats.first_id(format_name) or 0
    is_kept = keeps_ids or any(np.array_equal(ids, numbers + start) for start in (0, first))
    with naming(path):
        wg.io.write(path, graph, ids=ids if keeps_ids else None, format=format)
    if not is_kept:
        validate.warn(
            f"{path} does not keep the names of the vertices: its format numbers them, in the "
            f"order of their names from {shown(str(ids[0]))} to {shown(str(ids[-1]))}"
        )
    return {"names_kept": is_kept}


def write_points(path: str, points: Array) -> None:
    """Write points as .npy, or as .csv with a row of numbers for each."""
    ending = _ending(path, _ENDINGS["points"])
    with naming(path), written_whole(path) as file:
        if ending == ".npy":
            np.save(file, points)
        else:
            _write_csv(file, "", list(points.T))


def _ending(path: str, allowed: tuple[str, ...], option: str = "--output") -> str:
    ending = _suffix(path)
    if ending not in allowed:
        raise ValueError(f"{option} must end in {', '.join(allowed)}, got {path!r}")
    return ending


def _suffix(path: str) -> str:
    """Return the ending of an output; stdout is a table."""
    return ".csv" if path == STANDARD else ending_of(path)


def _write_csv(file: IO[bytes], head: str, columns: list[Array]) -> None:
    if head:
        file.write((head + "\n").encode())
    block = 1 << 16
    for first in range(0, len(columns[0]), block):
        parts = (column[first : first + block].tolist() for column in columns)
        rows = list(zip(*parts, strict=True))
        text = _csv_of(rows, csv.QUOTE_MINIMAL)
        if "\r" in text:
            # Python's csv leaves a CR without quotes, at which other readers end the line.
            text = _csv_of(rows, csv.QUOTE_NONNUMERIC)
        file.write(text.encode())


def _csv_of(rows: list[tuple[Any, ...]], quoting: Literal[0, 2]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n", quoting=quoting).writerows(rows)
    return text.getvalue()
