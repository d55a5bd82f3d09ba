"""Graphs from arrays of edges and tables, and back: methods of wg.Graph."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import convert, nx_graphs, validate
from warpgraph._arguments.names import Names
from warpgraph._tables import frames, mirrors, names_of_edges, no_edge

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from warpgraph._arguments import types

if TYPE_CHECKING:
    from warpgraph._graph.protocol import Graph

Array = npt.NDArray[Any]


def _unpickled(
    cls: type[Graph],
    indptr: Array,
    indices: Array,
    data: Array,
    names: Array | None,
    coordinates: Array | None,
    weight_name: str,
) -> Graph:
    """Make the graph that was pickled."""
    graph = cls._of_own(indptr, indices, data)
    graph.weight_name = weight_name
    graph.coordinates = coordinates
    graph._names = None if names is None else Names.of_ids(names)
    return graph


def from_edges(
    cls: type[Graph],
    row: npt.ArrayLike,
    col: npt.ArrayLike,
    data: npt.ArrayLike | None = None,
    *,
    n_vertices: int | None = None,
    directed: bool = True,
) -> Graph:
    """Make a graph of edges ``row[i] -> col[i]`` with weights ``data[i]``, or 1.

    Parameters
    ----------
    row, col : array_like of int or str, shape (m,)
        The ends of each edge. Integers are vertex numbers. Strings are the names of vertices, which
        have the ascending order of their names, as in `from_dataframe`.
    data : array_like, shape (m,), optional
        The weights.
    n_vertices : int, optional
        Number of vertices; by default, the graph ends with the largest number in `row` and `col`.
        Refused for names.
    directed : bool
        False: store each edge both ways, loops once. Where the list has (u, v) and (v, u) of equal
        weight, these are one edge; equal entries are parallel edges.

    Returns
    -------
    Graph
        Parallel edges are kept in the order of the list, never summed.

    Raises
    ------
    ValueError
        Lists of different lengths, a vertex number that is negative or not below `n_vertices`, or a
        weight that is NaN. A name that is empty.
    TypeError
        Ends that are neither integers nor strings, or weights that are not real numbers.

    Examples
    --------
    >>> ends = ["Rome", "Pisa"], ["Pisa", "Genoa"]
    >>> roads = wg.Graph.from_edges(*ends, [355.0, 165.0], directed=False)
    >>> roads.names.tolist()
    ['Genoa', 'Pisa', 'Rome']
    >>> wg.sssp(roads, "Genoa").tolist()
    [0.0, 165.0, 520.0]
    """
    directed = validate.flag(directed, "directed")
    row, col, n, names = names_of_edges.numbered(row, col, n_vertices)
    return cls._with_names(mirrors.arrays_of(row, col, data, n, directed=directed), names)


def from_dataframe(
    cls: type[Graph],
    df: types.Table,
    source: Hashable | None = None,
    target: Hashable | None = None,
    weight: Hashable | None = "auto",
    *,
    directed: bool = True,
    direction: Hashable | None = "auto",
) -> Graph:
    """Make a graph of a table that has an edge in each row.

    Parameters
    ----------
    df : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The table.
    source, target : str, optional
        The columns that name the two ends of each edge: all integers, or all strings. Columns of
        pandas may have names of any type. By default, the rule of `warpgraph.io.read` for columns
        chooses, which is one for tables of all kinds: ``source`` and ``target``, ``from`` and
        ``to``, ``u`` and ``v``, .., or the first two of two or three columns without such names.
    weight : str, None or "auto"
        The column of the weights: numbers of any kinds, decimals and fractions among them, or text
        that is numbers. "auto": as that rule says, ``weight``, or the one length or cost, or the
        one other column; if there is none, all edges weigh 1. None: all edges weigh 1. If all
        negative numbers of a column ``cost`` or ``reverse_cost`` are -1, as pgRouting writes where
        there is no edge, a warning says so.
    directed : bool
        False: store each edge both ways, loops once. Rows (u, v) and (v, u) of equal weight are one
        edge; equal rows are parallel edges. True: edges lead as the table says.
    direction : str or None
        The column that tells which edges lead both ways, or from target to source. "auto": one that
        is called ``oneway``, ``directed`` or the like, by the rule of `warpgraph.io.read`; the log
        has what was found. None: each row leads from source to target.

    Returns
    -------
    Graph
        Its vertices have the names that the table has, in ascending order, whether these are
        numbers or not. Parallel edges are kept, never summed.

    Raises
    ------
    ValueError
        A column does not exist, the rule cannot choose, a value is missing or NaN, a name is empty,
        a word is no direction, or text is a number that its type, int64 or float64, does not hold:
        the column and the row are named.
        Rows have their labels in pandas, and numbers from 0 on in polars and pyarrow.
    OverflowError
        A weight that is no text is beyond the type that holds it.
    TypeError
        `df` is no table, ends are neither integers nor strings, or weights are no numbers.

    Notes
    -----
    Takes O(m) time for m rows, and O(k log k) for k names that are strings. If a second table of
    pandas has a row for each vertex, with the names as its index, then
    ``Graph(graph, coordinates=table.loc[graph.names, ["x", "y"]])`` has its coordinates, too.

    Examples
    --------
    >>> import pandas as pd
    >>> roads = pd.DataFrame({"from": ["Rome", "Pisa"], "to": ["Pisa", "Genoa"], "km": [355, 165]})
    >>> graph = wg.Graph.from_dataframe(roads, directed=False)
    >>> graph.names.tolist()
    ['Genoa', 'Pisa', 'Rome']
    >>> wg.sssp(graph, "Rome").tolist()
    [520.0, 355.0, 0.0]
    """
    directed = validate.flag(directed, "directed")
    is_by_rule = isinstance(weight, str) and weight == "auto"
    columns = frames.chosen(df, source, target, weight, direction)
    weight = columns.weight
    row, col, data, names, directions = frames.edges_of(df, columns)
    if is_by_rule:
        cure = f"weight={validate.shown(weight)} reads weights, weight=None none"
        data = frames.without_times(row, data, weight, cure)
    no_edge.warn_of_costs(weight, data)
    if data is not None:
        data = validate.in_place(convert.normalise_weights(data))
    arrays = mirrors.arrays_of(row, col, data, len(names), directions=directions, directed=directed)
    del row, col, data
    made = cls._with_names(arrays, names)
    made.weight_name = weight if isinstance(weight, str) else nx_graphs.DEFAULT_WEIGHT
    return made


def to_edges(graph: Graph) -> tuple[types.Int32Array, types.Int32Array, types.Weights]:
    """Return (row, col, data), the edges in the order in which they are stored.

    The last two are the graph's own arrays, which are read-only.
    """
    return _core.tails(graph._handle), graph.indices, graph.data


@overload
def to_dataframe(
    graph: Graph,
    *,
    source: str = ...,
    target: str = ...,
    weight: str | None = ...,
    directed: bool = ...,
    library: Literal["pandas"] = ...,
) -> pd.DataFrame: ...
@overload
def to_dataframe(
    graph: Graph,
    *,
    source: str = ...,
    target: str = ...,
    weight: str | None = ...,
    directed: bool = ...,
    library: Literal["polars"],
) -> pl.DataFrame: ...
@overload
def to_dataframe(
    graph: Graph,
    *,
    source: str = ...,
    target: str = ...,
    weight: str | None = ...,
    directed: bool = ...,
    library: Literal["pyarrow"],
) -> pa.Table: ...
def to_dataframe(
    graph: Graph,
    *,
    source: str = "source",
    target: str = "target",
    weight: str | None = None,
    directed: bool = True,
    library: str = "pandas",
) -> pd.DataFrame | pl.DataFrame | pa.Table:
    """Return a table with an edge in each row, by the names of its ends.

    Parameters
    ----------
    source, target, weight : str
        Names for the columns; that of the weights is `Graph.weight_name` by default.
    directed : bool
        False: one edge for each pair of entries (i, j) and (j, i). Every edge must have both.
    library : "pandas", "polars" or "pyarrow"
        Which makes the table.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table
        Edges in the order in which they are stored. Vertices without an edge are not in it.

    Raises
    ------
    ImportError
        The library is not installed.
    ValueError
        ``directed=False``, and an edge is stored one way. Two columns of one name. Names of
        vertices that are neither all strings nor all integers of 64 bits, for polars or pyarrow,
        whose columns have one type.
    """
    validate.choice(library, frames.LIBRARIES, "library")
    validate.name(source, "source"), validate.name(target, "target")
    weight = graph.weight_name if weight is None else validate.name(weight, "weight")
    columns = [source, target, weight]
    if any(name in columns[:i] for i, name in enumerate(columns)):
        raise ValueError(f"source, target and weight must name three columns, got {columns}")
    tail, head, data = edges_once(graph, validate.flag(directed, "directed"))
    names = None if graph.names is None else graph.names.tolist()
    return frames.table_of(library, {source: tail, target: head}, names, {weight: data})


def edges_once(graph: Graph, directed: bool) -> tuple[Array, Array, Array]:
    """Return (row, col, data) of a graph; each undirected edge once unless `directed`."""
    row, col, data = graph.to_edges()
    if directed:
        return row, col, data
    if not graph._is_mirrored():
        raise ValueError(
            "directed=False needs a graph whose edges are all stored both ways, with equal weights"
        )
    once = row <= col
    return row[once], col[once], data[once]
