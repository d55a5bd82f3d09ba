"""What commands read and write: graphs, points, arrays."""

from __future__ import annotations

import argparse
import csv
import io
import warnings
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

import warpgraph as wg
from warpgraph import _archive
from warpgraph.io._text import written_whole

Array = npt.NDArray[Any]

_ENDINGS = {"arrays": (".csv", ".npy", ".npz"), "points": (".csv", ".npy")}


class NamedGraph:
    """The graph that a command was asked for, with its name and the vertex ids of its file."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.name: str = args.graph
        self.ids: Array | None = None
        options = {name: getattr(args, name) for name in ("columns", "id_dtype", "max_vertices")}
        given = {name: value for name, value in options.items() if value is not None}
        if self.name not in wg.datasets.names():
            self.graph, self.ids = wg.io.read(self.name, **given)
            return
        if given:
            option = next(iter(given)).replace("_", "-")
            raise ValueError(f"--{option} is for files, and {self.name} is a data set")
        self.graph = wg.datasets.load(self.name)

    @property
    def looks_like_points(self) -> bool:
        """Whether the file has fractions where vertices should be."""
        return self.ids is not None and self.ids.dtype.kind == "U" and _are_numbers(self.ids[:100])

    def vertex(self, text: str, option: str) -> int:
        """Return the number of the vertex that the file calls `text`."""
        if self.ids is None:
            try:
                return int(text)
            except ValueError:
                raise ValueError(f"{option} must be a vertex number, got {text!r}") from None
        found = np.flatnonzero(
            self.ids.astype(object if self.ids.dtype.kind == "O" else str) == text
        )
        if not found.size:
            raise ValueError(f"{option} is {text!r}, but {self.name} has no vertex of that name")
        return int(found[0])

    def vertices(self, text: str, option: str) -> list[int]:
        """Return the numbers of vertices in a comma-separated list; quotes as in a table."""
        names = next(csv.reader([text], skipinitialspace=True), [])
        return [self.vertex(name.strip(), option) for name in names if name.strip()]

    def names(self, vertices: Array | None = None) -> Array:
        """Return what the file calls these vertices, by default all; below 0: no vertex."""
        if vertices is None:
            vertices = np.arange(self.graph.n_vertices)
        if self.ids is None or not self.ids.size:
            return vertices
        nobody = "" if self.ids.dtype.kind in "UO" else -1
        return np.where(vertices < 0, nobody, self.ids[np.maximum(vertices, 0)])

    def name_of(self, vertex: int) -> Any:
        """Return what the file calls one vertex."""
        return vertex if self.ids is None else self.ids[vertex].item()

    def summary(self) -> dict[str, Any]:
        """Return the first lines of a report."""
        return {
            "graph": self.name,
            "vertices": self.graph.n_vertices,
            "edges": self.graph.n_edges,
            "weights": str(self.graph.dtype),
        }


def _are_numbers(words: Array) -> bool:
    try:
        words.astype(float)
    except ValueError:
        return False
    return bool(words.size)


def read_points(path: str) -> Array:
    """Read points from .npy, .npz (its first array) or text, one point a row."""
    ending = Path(path).suffix
    try:
        if ending in (".npy", ".npz"):
            points = _read_array(path)
        else:
            points = np.loadtxt(path, delimiter="," if ending == ".csv" else None, ndmin=2)
    except (ValueError, EOFError, IndexError) as problem:
        raise ValueError(
            f"{path} does not hold points, one row of numbers each: {problem}"
        ) from None
    if points.ndim != 2:
        raise ValueError(f"{path} must hold one point a row, got an array of shape {points.shape}")
    return np.asarray(points)


def _read_array(path: str) -> Array:
    """Return the array of a .npy file, or the first of an .npz."""
    with open(path, "rb") as file:
        if Path(path).suffix == ".npz":
            names = _archive.names(file)
            if not names:
                raise ValueError("the archive has no arrays")
            return _archive.read_arrays(file, names[:1])[names[0]]
        n_bytes = file.seek(0, 2)
        file.seek(0)
        return _archive.read_array(file, Path(path).name, n_bytes)


def check_output(path: str, kind: str, option: str = "--output") -> None:
    """Find out before the work whether its results can be written; kind: arrays, graph, points."""
    if kind == "graph":
        wg.io.format_of(path)
    else:
        _ending(path, _ENDINGS[kind], option)
    if not Path(path).absolute().parent.is_dir():
        raise FileNotFoundError(f"the folder of {path} does not exist")


def write_columns(path: str, columns: dict[str, Array], **more: Array) -> None:
    """Write columns of equal length as .csv, .npz (together with `more`) or .npy (the last one)."""
    ending = _ending(path, _ENDINGS["arrays"])
    with written_whole(path) as file:
        if ending == ".npz":
            np.savez(file, **columns, **more)  # type: ignore[arg-type]
        elif ending == ".npy":
            np.save(file, list(columns.values())[-1])
        else:
            _write_csv(file, ",".join(columns), list(columns.values()))


def write_table(path: str, sources: Array, targets: Array, values: Array, what: str) -> None:
    """Write a matrix (.npy; .npz with the vertices), or a line for each pair (.csv)."""
    columns = {"source": sources, "target": targets, what: values}
    if Path(path).suffix == ".csv":
        columns = {
            "source": np.repeat(sources, len(targets)),
            "target": np.tile(targets, len(sources)),
            what: values.ravel(),
        }
    write_columns(path, columns)


def write_graph(path: str, graph: Any, ids: Array | None) -> dict[str, Any]:
    """Write a graph, and return for a report whether its vertices keep the names they have."""
    if ids is None:
        wg.io.write(path, graph)
        return {}
    # Numbers from 0 on without a gap are what vertices without names are called anyway.
    keeps_ids = wg.io.keeps_ids(wg.io.format_of(path))
    is_kept = keeps_ids or np.array_equal(ids, np.arange(len(ids)))
    wg.io.write(path, graph, ids=ids if keeps_ids else None)
    if not is_kept:
        warnings.warn(
            f"{path} does not keep the names of the vertices: its format numbers them, in the "
            f"order of their names from {str(ids[0])!r} to {str(ids[-1])!r}",
            stacklevel=2,
        )
    return {"names_kept": is_kept}


def write_points(path: str, points: Array) -> None:
    """Write points as .npy, or as .csv with a row of numbers for each."""
    ending = _ending(path, _ENDINGS["points"])
    with written_whole(path) as file:
        if ending == ".npy":
            np.save(file, points)
        else:
            _write_csv(file, "", list(points.T))


def _ending(path: str, allowed: tuple[str, ...], option: str = "--output") -> str:
    ending = Path(path).suffix
    if ending not in allowed:
        raise ValueError(f"{option} must end in {', '.join(allowed)}, got {path!r}")
    return ending


def _write_csv(file: IO[bytes], head: str, columns: list[Array]) -> None:
    if head:
        file.write((head + "\n").encode())
    block = 1 << 16
    for first in range(0, len(columns[0]), block):
        text = io.StringIO(newline="")
        rows = zip(*(column[first : first + block].tolist() for column in columns), strict=True)
        csv.writer(text, lineterminator="\n").writerows(rows)
        file.write(text.getvalue().encode())
