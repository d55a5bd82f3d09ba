"""Graphs from files and to files.

>>> import warpgraph as wg
>>> wg.io.formats()
['csv', 'dimacs', 'edge-list', 'matrix-market', 'metis', 'npz', 'pace']
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _validate
from warpgraph._graph import Graph, as_graph, convert_weights
from warpgraph.io import _dimacs, _edge_list, _matrix_market, _metis, _npz
from warpgraph.io._text import BROKEN, COMPRESSIONS, Lines, open_binary, written_whole

__all__ = ["formats", "read", "write"]

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]


Reader = Callable[[str, IO[bytes]], tuple[Graph, Array | None]]


class _Format(NamedTuple):
    endings: tuple[str, ...]
    read: Reader
    write: Callable[[IO[bytes], Graph, Array | None], None]
    keeps_ids: bool = False


def _by_line(module: Any) -> Reader:
    """Return the reader of a module whose format is lines of text."""
    return lambda path, file: module.read(Lines(path, file, module.COMMENT))


_EDGE_LIST_ENDINGS = (".txt", ".tsv", ".el", ".wel", ".edges", ".edgelist", ".snap")

_FORMATS = {
    "csv": _Format((".csv",), _by_line(_edge_list), _edge_list.write_csv, keeps_ids=True),
    "dimacs": _Format((".gr",), _by_line(_dimacs), _dimacs.write),
    "edge-list": _Format(
        _EDGE_LIST_ENDINGS, _by_line(_edge_list), _edge_list.write, keeps_ids=True
    ),
    "matrix-market": _Format((".mtx",), _by_line(_matrix_market), _matrix_market.write),
    "metis": _Format((".graph", ".metis"), _by_line(_metis), _metis.write),
    "npz": _Format((".npz",), _npz.read, _npz.write, keeps_ids=True),
    "pace": _Format((), _by_line(_dimacs), _dimacs.write_pace),
}


def formats() -> list[str]:
    """Return the names that ``format=`` takes."""
    return sorted(_FORMATS)


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    dtype: npt.DTypeLike | None = None,
) -> tuple[Graph, Array | None]:
    """Read a graph from a file.

    Parameters
    ----------
    path : str or path-like
        The file. Text and Matrix Market may be compressed: ``.gz``, ``.bz2`` or ``.xz``.
    format : str, optional
        One of `formats`; by default what the ending says:

        - ``.gr``: DIMACS, or the undirected graphs of PACE, as the problem line says
        - ``.graph``, ``.metis``: METIS
        - ``.mtx``: Matrix Market, symmetric matrices in full
        - ``.csv``: a table of source, target and perhaps weight
        - ``.txt``, ``.tsv``, ``.el``, ``.wel``, ``.edges``, ``.edgelist``, ``.snap``: the same,
          separated by blanks or tabs
        - ``.npz``: ``scipy.sparse.save_npz``
    dtype : dtype, optional
        Type of the weights. By default int64 if a text has only integers, else float64; 1.0 where
        a file has no weights; in .npz the type stored.

    Returns
    -------
    graph : Graph
        Parallel edges and stored zeros are kept.
    ids : ndarray or None
        What edge lists call the vertices, ascending: ``ids[v]`` is the name of vertex v. None for
        the formats that number their vertices; the first is vertex 0 here.

    Raises
    ------
    ValueError
        The file is cut off or not what its format says: the sentence names file, line and what
        was expected there.
    """
    name = os.fspath(path)
    chosen = _FORMATS[format_of(name, format)]
    weight_dtype = None if dtype is None else _validate.weight_dtype(dtype)
    graph, ids = _read(name, chosen)
    if weight_dtype is not None and weight_dtype != graph.dtype:
        weights = convert_weights(graph, weight_dtype)
        graph = Graph.from_csr(graph.indptr, graph.indices, weights)
    return graph, ids


def _read(path: str, chosen: _Format) -> tuple[Graph, Array | None]:
    with open_binary(path) as file:
        try:
            return chosen.read(path, file)
        except (*BROKEN, ValueError, OverflowError, TypeError) as problem:
            if str(problem).startswith(path):
                raise
            raise ValueError(f"{path}: {problem}") from None


def write(
    path: str | os.PathLike[str],
    graph: Any,
    *,
    format: str | None = None,
    ids: npt.ArrayLike | None = None,
    weight: str | None = "weight",
) -> None:
    """Write a graph to a file, wholly or not at all.

    Parameters
    ----------
    path : str or path-like
        The file; what it held before is replaced once all is written.
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
    format : str, optional
        As for `read`; ``.gr`` is DIMACS unless ``format="pace"`` is given.
    ids : array of integers or strings, optional
        Names of the vertices for edge lists, tables and .npz; other formats number them. By default
        those of `graph`, if it has names.
    weight : str or None
        Of a NetworkX graph: the attribute that has the weights, as for `Graph`.

    Raises
    ------
    ValueError
        The format cannot hold this graph: METIS and PACE are for undirected graphs, and METIS for
        positive integers as weights.
    """
    name = os.fspath(path)
    graph = as_graph(graph, weight)
    format_name = format_of(name, format)
    chosen = _FORMATS[format_name]
    names = graph.names_as_ids() if ids is None else np.asarray(ids)
    if names is not None and names.shape != (graph.n_vertices,):
        raise ValueError(
            f"ids must name {graph.n_vertices} vertices, got an array of shape {names.shape}"
        )
    if names is not None and not chosen.keeps_ids:
        logger.warning("the format %r numbers its vertices; their ids are not stored", format_name)
    with written_whole(name) as file:
        chosen.write(file, graph, names)


def format_of(path: str, format: str | None = None) -> str:
    """Return the name of the format that `path` ends in, or `format` if it is one."""
    if format is not None:
        return _validate.choice(format, formats(), "format")
    file = Path(path)
    ending = (Path(file.stem) if file.suffix in COMPRESSIONS else file).suffix
    for name, candidate in _FORMATS.items():
        if ending in candidate.endings:
            return name
    known = " ".join(ending for candidate in _FORMATS.values() for ending in candidate.endings)
    raise ValueError(f"the ending of {path!r} names no format; known are {known}, or pass format=")
