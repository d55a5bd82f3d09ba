"""Graphs from files and to files.

>>> import warpgraph as wg
>>> wg.io.formats()  # doctest: +NORMALIZE_WHITESPACE
['csv', 'dimacs', 'edge-list', 'feather', 'gexf', 'gml', 'graphml', 'json', 'matrix-market',
 'metis', 'npz', 'pace', 'pajek', 'parquet', 'tntp']
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.auto_device import WatchedProgress, is_of_progress
from warpgraph._arguments.errors import path_of
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.names import Names
from warpgraph._files.text import (
    BROKEN,
    STANDARD,
    Lines,
    are_same_file,
    open_binary,
    written_whole,
)
from warpgraph._graph.graph import Graph, as_graph, convert_weights, like, named
from warpgraph._tables.columns import is_auto
from warpgraph.io import _choices, _coordinates, _graphml, _ids
from warpgraph.io._formats import (
    FORMATS,
    KEEP_COORDINATES,
    format_of,
    formats,
    keeps_ids,
)

if TYPE_CHECKING:
    from warpgraph._arguments import types

__all__ = ["formats", "read", "write"]


def __dir__() -> list[str]:
    return sorted(__all__)


Array = npt.NDArray[Any]


@hinted
def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    dtype: npt.DTypeLike | None = None,
    columns: Sequence[str | int] | None = None,
    header: bool | None = None,
    id_dtype: npt.DTypeLike | None = None,
    decimal: str = ".",
    comment: str | None = None,
    max_vertices: int | None = None,
    file_ids: bool = False,
    coordinates: str | os.PathLike[str] | None = None,
    weight: str | None = "weight",
    direction: str | int | None = "auto",
    progress: validate.ProgressLike = None,
) -> tuple[Graph, Array | None]:
    """Read a graph from a file.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for stdin. Text may be compressed: ``.gz``, ``.bz2``, ``.xz`` or ``.zst``
        (this one needs Python 3.14 or the package zstandard); on stdin, the first bytes tell.
    format : str, optional
        One of `formats`; by default that of the ending:

        - ``.gr``: DIMACS, or the undirected graphs of PACE, by the problem line
        - ``.graph``, ``.metis``: METIS
        - ``.mtx``: Matrix Market, symmetric matrices in full
        - ``.csv``, ``.txt``, ``.tsv``, ``.el``, ``.wel``, ``.edges``, ``.edgelist``, ``.snap``: a
          table of source, target and perhaps weight
        - ``.npz``: ``scipy.sparse.save_npz``
        - ``.parquet``: such a table, whose checksums are verified; needs pyarrow
        - ``.feather``, ``.arrow``, ``.arrows``, ``.ipc``: such a table of Arrow; needs pyarrow
        - ``.tntp``: such a table below the metadata of a network of TNTP
        - ``.graphml``: GraphML; needs NetworkX, which takes about a kilobyte for each edge
        - ``.gml``, ``.gexf``, ``.json``: GML, GEXF and node-link data of NetworkX or D3; as GraphML
        - ``.net``, ``.paj``, ``.pajek``: Pajek
    dtype : dtype, optional
        Type of the weights. By default int64 if a text has only integers, else float64; 1.0 where
        a file has no weights; in .npz the type stored.
    columns : sequence of two or three str or int, optional
        The columns of a table that are source, target and perhaps weight, in this order: names in
        its header, as it writes them, or positions counted from 0. By default, see the notes.
    header : bool, optional
        Whether the first line of a table of text is a header, and no edge. By default, see the
        notes.
    id_dtype : int or str, optional
        Type of the vertex ids of a table or of GraphML, GML, GEXF, JSON and Pajek. By default
        integers if both on the first line of data of a table, or all in the others, are integers,
        not in quotes and without plus sign or leading zeros; else names. For NetworkX, those of
        GraphML, GEXF and Pajek and the labels of GML are strings. In JSON, strings are strings.
    decimal : "." or ","
        The decimal mark of a table's weights, in quotes where it also separates columns.
    comment : str, optional
        How comments begin in a table of text, such as ``"#"`` or ``"//"``: lines that begin so are
        left out, wherever they stand; ``""`` for none. By default, comments are the lines above the
        first row that begin with ``#`` or ``%``, and below it there are none.
    max_vertices : int, optional
        Refuse a file with more vertices. By default, a file may announce 2**20, or more if it has a
        byte for each (uncompressed), so that a small file cannot exhaust the memory.
    file_ids : bool
        True: return the numbers that the file has, from 1 on in some formats, as `ids`.
    coordinates : str or path-like, optional
        The file of the coordinates of such a graph's vertices, as DIMACS has them (``.co``).
    weight : str or None
        Edge attribute that has the weights: numbers, or texts that are numbers. None: all edges
        weigh 1. It is for GraphML, as ``"length"`` in files of OSMnx, GML, GEXF and JSON: an edge
        without it weighs 1, with a warning. By default, all weigh 1 also if none has ``weight``,
        with a warning if they have other numbers. Of tables, `columns` chooses the weight.
    direction : str, int or None
        The column of a table that tells which edges lead both ways, or backwards: its name in the
        header, or its position. "auto": one that is called so, or a comment, see the notes. None:
        whatever the file says, each row is an edge from its source to its target.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts bytes that were read,
        compressed ones if the file is. Of a pipe, whose length is not known, nothing is reported.

    Returns
    -------
    graph : Graph
        Parallel edges and stored zeros are kept. The names of its vertices are `ids`. .npz has
        coordinates, too, and so have GraphML, GML, GEXF and JSON where all nodes have numbers, or
        texts that are such, as ``x`` and perhaps ``y`` and ``z``, or a position in pictures, and
        Pajek where they are not all zero.
    ids : ndarray or None
        The vertex ids of tables, ascending, and of GraphML, GML, GEXF, JSON, Pajek and .npz, in
        their order: ``ids[v]`` is the name of vertex v. In GML and Pajek they are labels, or ids if
        labels repeat. None for formats that number their vertices from 1 (vertex 0 here), unless
        `file_ids` is set.

    Raises
    ------
    ValueError
        The file is truncated or malformed: the error names file, line and what was expected there.
        A name of a vertex in a table is empty, which says that it is missing.

    Warns
    -----
    UserWarning
        A table has no edges.

    Notes
    -----
    The first line of a table determines the separator of columns: a tab if there is one, else a
    comma or a semicolon, else blanks. A first line of numbers separated by both tabs and blanks is
    refused. Names that hold a separator, a quote or the end of a line are in double quotes, in
    which a quote is doubled. Lines above the first row that begin with ``#`` or ``%`` are comments,
    which name no columns: one that has source and target in other places gives a warning. Further
    down, such a line is data, as ``#python,#numpy,12``, or an error. A weight that is
    finite, but beyond the largest float64, is refused, and so is an integer beyond int64 (with a
    point or an exponent it is a float64); ``inf`` is an edge that is never used. Ids that all are
    integers, but some of them written as ``1.0`` or ``1e3``, are refused.

    The columns of a table are taken by name wherever they stand, in any case, by one rule for
    files, data frames and blocks of distributed graphs:

    - The ends are ``source`` and ``target``, or src, from, tail, u, i, start, origin and target,
      dst, dest, destination, to, head, v, j, end, sink; also with node, vertex or id behind, as in
      ``FromNodeId``. Else the first or last word of a label tells: ``from_station``. An arc leads
      from its tail to its head.
    - The weight is called ``weight`` (w, weights, wgt), or else is the only one of which a word is
      length, distance, dist, cost, time, duration, km, miles, .. or the like; other columns are
      ignored then, unless it is called ``time``, which may say when an edge was. Else it is the
      only column that remains beside the ends.
    - Columns that describe edges (id, key, type, label, name, date, ..) or tell their directions
      are no weights, and pandas' labels of rows do not count.
    - If neither end is known, two or three columns are source, target and weight, in this order.
    - All else, such as length and time in one table, is an error that lists the columns. So are
      tables that have no edges: coordinates (``node_id,x,y``, ``lat,lon``; numbers with fractions
      as ends), vertices and what they are called (``id,label``), matrices with labels.
    - A weight that has no label, or one that may mean anything, is none if all are times of Unix
      that ascend, or if a comment speaks of a temporal network; a warning says so, also of numbers
      that may be times.
    - If all negative numbers of a weight called ``cost`` or ``reverse_cost`` are -1, as pgRouting
      writes where there is no edge, a warning says so; they are read as they are.

    Which edges lead both ways, or from target to source, is told by a column that is called
    ``directed``, ``undirected``, ``oneway``, ``bidirectional`` or the like (is_directed, one_way,
    two_way), or by ``type`` if it has such words as Gephi's Directed, Undirected and Mutual. Yes
    and no, true and false, 1 and 0 say what the column is called. ``oneway`` also has -1 and
    reverse for an edge from target to source, nothing for no, and FT, TF and B of roads, for
    from-to, to-from and both; beside B also F and T. Any other word is an error that names its
    line. An edge of both ways becomes two arcs. Without such a column, all edges of a text lead
    both ways if a comment above says so: ``# Undirected graph`` of SNAP, or ``% sym`` on the first
    line, of KONECT. After ``% bip``, a number in both columns is an error, since each numbers
    vertices of its own. The log has what was found, at level INFO.

    Two rows (a, b) and (b, a) of both ways and of equal weight are one edge, so that tables may
    have each edge once or both ways; equal rows (a, b) are parallel edges. In a column about roads
    (``oneway``, ``bidirectional``), a pair that has as many rows from a to b as from b to a has a
    row for each way, as in tables of OSMnx, whatever these weigh.

    The first line of text is a header, and no edge, if `header` is true or `columns` has a name.
    Where it is not clear what it is, a warning names it. It is data if an end is a number, or
    begins as numbers and dates do (with a digit, perhaps after a sign or a point, in quotes or
    not); if an end is NA, N/A, NaN, nan(ind), null, none, nil, true, false, yes or no (in any case,
    perhaps between marks as in #N/A and <NA>), or is empty or of such marks alone
    (``+-.?#!<>``); or if the weight is such a word, has a digit, or does not begin with a letter or
    ``_``. If it is none of these, it is a header where it has a weight, or names source and target
    in other places. Without a weight, it is one above numbers: if the ids on the next line are
    integers, all must be. Above names it is one if no vertex further down is called so, and its
    ends are two of the words above, or have such first or last words; are a pair such as ``parent``
    and ``child``; or are alike but for 1 and 2 (``gene1,gene2``), where no other vertex is. With a
    warning, it is one where ``source`` or the like is a vertex, too, where all names below have
    digits or those of a column are numbers, and where it is ``0,1`` as pandas labels arrays.
    Otherwise it is an edge; with a warning, if it is ``u,v`` and a vertex is called so, if no other
    row has one of its ends and no vertex is called alike, or if it is ``0,1`` or ``0,1,2`` and
    other rows make that doubtful.

    Text is read in pieces. Beside 64 MiB, a reader takes at most about ten times the text
    (uncompressed) and 24 bytes for each vertex; for a symmetric or skew-symmetric ``array`` of
    Matrix Market, each number of which is two edges, sixteen times the text. For .npz it takes at
    most about 48 bytes for each entry that the arrays hold, the zeros in blocks and on diagonals
    included, or ten times the arrays if that is more.

    Examples
    --------
    >>> import warpgraph as wg
    >>> rails = wg.generators.grid(1, 3, weights=None)
    >>> wg.io.write("rails.csv", rails, ids=["Bern", "Basel", "Zurich"])
    >>> graph, ids = wg.io.read("rails.csv")
    >>> ids.tolist(), graph.n_edges
    (['Basel', 'Bern', 'Zurich'], 4)
    >>> wg.bfs(graph, "Bern").tolist()
    [1, 0, 2]
    """
    name = path_of(path)
    format_name = format_of(name, format)
    chosen = FORMATS[format_name]
    validate.choice(decimal, [".", ","], "decimal")
    direction = _choices.direction(direction)
    for_tables: dict[str, Any] = {"columns": columns, "id_dtype": id_dtype}
    for_tables["decimal"] = None if decimal == "." else decimal
    for_tables["direction"] = None if is_auto(direction) else direction
    if format_name in (*_graphml.OF_NODES, "pajek"):
        del for_tables["id_dtype"]
    given = [key for key, value in for_tables.items() if value is not None]
    if given and not chosen.is_table:
        raise ValueError(f"{given[0]}= is for tables, and {name!r} is read as {format_name!r}")
    for_text = {"comment": comment, "header": header}
    given = [key for key, value in for_text.items() if value is not None]
    if given and not chosen.is_text:
        raise ValueError(
            f"{given[0]}= is for tables of text, and {name!r} is read as {format_name!r}"
        )
    if comment is not None:
        _choices.check_comment(comment)
    if header is not None:
        header = validate.flag(header, "header")
    columns = _choices.columns(columns)
    if header is False and any(isinstance(column, str) for column in columns or ()):
        raise ValueError(f"columns={columns} are names in a header, but header=False")
    if header is False and isinstance(direction, str) and not is_auto(direction):
        raise ValueError(f"direction={direction!r} is a name in a header, but header=False")
    weight_dtype = None if dtype is None else validate.weight_dtype(dtype)
    _graphml.check_weight(weight, name, format_name)
    choices = _choices.Choices(
        columns,
        _choices.id_kind(id_dtype),
        _choices.most(max_vertices),
        decimal,
        weight,
        comment,
        header,
        direction,
    )
    file_ids = validate.flag(file_ids, "file_ids")
    if coordinates is not None and chosen.first_id is None:
        raise ValueError(
            f"coordinates= is for formats that number their vertices, and {name!r} is read as "
            f"{format_name!r}"
        )
    report = validate.progress(progress, "read")
    report = None if report is None else WatchedProgress(report)
    graph, ids = _read(name, lambda path, file: chosen.read(path, file, choices), report)
    if coordinates is not None:
        graph.coordinates = _read(
            path_of(coordinates, "coordinates"), _reader_of_coordinates(graph.n_vertices)
        )
    if file_ids and chosen.first_id is not None:
        ids = np.arange(graph.n_vertices) + chosen.first_id
    if weight_dtype is not None and weight_dtype != graph.dtype:
        weights = convert_weights(graph, weight_dtype)
        graph = like(Graph._of_own(graph.indptr, graph.indices, weights), graph)
    return (graph if ids is None else named(graph, Names.of_ids(ids))), ids


def _reader_of_coordinates(n_vertices: int) -> Callable[[str, IO[bytes]], Any]:
    return lambda path, file: _coordinates.read(Lines(path, file, _coordinates.COMMENT), n_vertices)


def _shown(path: str) -> str:
    return "standard input" if path == STANDARD else path


def _read(
    path: str,
    parse: Callable[[str, IO[bytes]], Any],
    report: Callable[[int, int], Any] | None = None,
) -> Any:
    shown = _shown(path)
    with open_binary(path, report) as file:
        try:
            return parse(shown, file)
        except (*BROKEN, ValueError, OverflowError, TypeError) as problem:
            if str(problem).startswith(shown) or is_of_progress(problem):
                raise
            raise ValueError(f"{shown}: {problem}") from None


@hinted
def write(
    path: str | os.PathLike[str],
    graph: types.GraphLike,
    *,
    format: str | None = None,
    ids: npt.ArrayLike | None = None,
    weight: str | None = "weight",
    coordinates: str | os.PathLike[str] | None = None,
) -> None:
    """Write a graph to a file, wholly or not at all.

    Parameters
    ----------
    path : str or path-like
        The file; what it held before is replaced once all is written. "-" is stdout.
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Any graph.
    format : str, optional
        As for `read`; ``.gr`` is DIMACS unless ``format="pace"`` is given. GML, GEXF, JSON, Pajek
        and TNTP are not written.
    ids : array of integers or strings, optional
        Names of the vertices for edge lists, tables, GraphML and .npz; other formats number them.
        By default those of `graph`, if it has names. Strings are written so that `read` gets the
        same, in quotes where needed; .npz has them in one width, so none may be far longer than the
        others. From GraphML, strings that all are integers are read as integers by default.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    coordinates : str or path-like, optional
        The file for the vertices' coordinates, as for `read`. .npz and GraphML keep them without.

    Raises
    ------
    ValueError
        The format cannot hold this graph: METIS and PACE are for undirected graphs, METIS has
        positive integers as weights, and PACE none, so that all must be 1. Or the ending has a
        compression behind .npz, .parquet or .feather. Or the format is only read.

    Notes
    -----
    Edge lists, CSV, Parquet and Feather have a row for each edge, so vertices without an edge are
    not in them: a warning says how many. All other formats keep these vertices. CSV, Parquet,
    Feather, GraphML and .npz have `Graph.weight_name`; a column that `read` would not find by it is
    called ``weight``.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.io.write("grid.gr", wg.generators.grid(2, 2, weights=(1, 9)))
    >>> wg.io.read("grid.gr")[0].n_edges
    8
    """
    name = path_of(path)
    graph = as_graph(graph, weight)
    format_name = format_of(name, format, to_write=True)
    chosen = FORMATS[format_name]
    assert chosen.write is not None  # else the format is refused
    names = None if ids is None else _ids.given(ids)
    if ids is None and keeps_ids(format_name):
        names = graph._names_as_ids()
    if names is not None and names.shape != (graph.n_vertices,):
        raise ValueError(
            f"ids must name {graph.n_vertices} vertices, got an array of shape {names.shape}"
        )
    is_numbered = chosen.first_id is not None and _ids.are_range(
        graph.names if names is None else names, chosen.first_id
    )
    if (
        not keeps_ids(format_name)
        and not is_numbered
        and (names is not None or _ids.has_names(graph))
    ):
        validate.warn(
            f"the format {format_name!r} numbers its vertices; their ids are not stored: .npz, "
            ".graphml, .csv and .parquet keep them"
        )
    if names is not None and keeps_ids(format_name):
        _ids.refuse_repeated(names)
    if chosen.is_table:
        _ids.warn_of_vertices_without_edge(name, graph)
    loses_coordinates = graph.coordinates is not None and format_name not in KEEP_COORDINATES
    if coordinates is None and loses_coordinates:
        validate.warn(f"the format {format_name!r} does not store coordinates; pass coordinates=")
    if coordinates is None:
        with written_whole(name) as file:
            chosen.write(file, graph, names)
        return
    points, beside = _coordinates.check(graph.coordinates), path_of(coordinates, "coordinates")
    if are_same_file(name, beside):
        raise ValueError(f"coordinates= is {beside!r}, the file of the graph itself")
    with written_whole(beside) as file_beside, written_whole(name) as file:
        _coordinates.write(file_beside, points)
        chosen.write(file, graph, names)
