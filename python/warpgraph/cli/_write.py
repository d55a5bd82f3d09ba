"""Output of the commands: tables, arrays, graphs, points."""

from __future__ import annotations

import argparse
import csv
import io
import os
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

import warpgraph as wg
from warpgraph._arguments import validate
from warpgraph._arguments.validate import shown
from warpgraph._files.text import STANDARD, ending_of, written_whole
from warpgraph.cli._files import Array, format_of, naming
from warpgraph.io import _parquet

#: Endings of outputs. "rows" are of tables whose last column says nothing without the others.
_ENDINGS = {
    "arrays": (".csv", ".npy", ".npz", ".parquet"),
    "rows": (".csv", ".npz", ".parquet"),
    "points": (".csv", ".npy", ".parquet"),
}
_OF_ARRAYS = (".npy", ".npz")
#: Bytes that padding names to the width of the longest may take.
_PADDING = 1 << 26


def check_output(path: str, kind: str, option: str = "--output", format: str | None = None) -> None:
    """Check before the work that its results can be written; kind: arrays, rows, graph, points."""
    if kind == "graph":
        is_parquet = format_of(path, format, "--output-format") == "parquet"
    else:
        is_parquet = _ending(path, _ENDINGS[kind], option) == ".parquet"
    if is_parquet:
        _parquet.require()
    check_place(path)


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


def within_limit(args: argparse.Namespace, reached: Array) -> Array | None:
    """Return which rows a table has: all without --limit, else those of what was reached."""
    return reached if args.limit not in (None, np.inf) else None


def write_columns(
    path: str, columns: dict[str, Array], *, rows: Array | None = None, **more: Array
) -> None:
    """Write columns of equal length as .csv, .parquet, .npz (with `more`) or .npy (the last one).

    `rows` says which rows a table has; NumPy's arrays have all, at the positions of the vertices.
    """
    ending = _ending(path, _ENDINGS["arrays"])
    if rows is not None and ending not in _OF_ARRAYS:
        columns = {name: column[rows] for name, column in columns.items()}
    with naming(path), written_whole(path) as file:
        if ending == ".npz":
            stored = {name: _storable(path, column) for name, column in columns.items()}
            np.savez(file, **stored, **more)  # type: ignore[arg-type]
        elif ending == ".npy":
            np.save(file, _storable(path, list(columns.values())[-1]))
        elif ending == ".parquet":
            _parquet.write_columns(file, columns)
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


def write_table(
    path: str,
    sources: Array,
    targets: Array,
    values: Array,
    what: str,
    *,
    reached: Array | None = None,
) -> None:
    """Write a matrix (.npy; .npz with the vertices), or a line for each pair (.csv, .parquet).

    `reached` says which pairs have a line.
    """
    columns = {"source": sources, "target": targets, what: values}
    if _suffix(path) in _OF_ARRAYS:
        write_columns(path, columns)
        return
    columns = {
        "source": np.repeat(sources, len(targets)),
        "target": np.tile(targets, len(sources)),
        what: values.ravel(),
    }
    write_columns(path, columns, rows=None if reached is None else reached.ravel())


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
    """Write points as .npy, or as .csv or .parquet with a row of numbers for each."""
    ending = _ending(path, _ENDINGS["points"])
    with naming(path), written_whole(path) as file:
        if ending == ".npy":
            np.save(file, points)
        elif ending == ".parquet":
            _parquet.write_columns(file, {f"x{i}": x for i, x in enumerate(points.T)})
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
