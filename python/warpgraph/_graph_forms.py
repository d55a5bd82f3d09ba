"""Graphs from arrays of edges, tables, igraph and NetworkX, and back: methods of wg.Graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from warpgraph import (
    _convert,
    _coordinates,
    _core,
    _frames,
    _names_of_edges,
    _networkx,
    _validate,
)

if TYPE_CHECKING:
    import igraph
    import networkx as nx
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from warpgraph import _types

if TYPE_CHECKING:
    from warpgraph._graph import Graph

Array = npt.NDArray[Any]


def from_edges(
    cls: type[Graph], row: Any, col: Any, data: Any = None, *, n_vertices: int | None = None
) -> Graph:
    """Make a graph of edges ``row[i] -> col[i]`` with weights ``data[i]``, or 1.

    Parallel edges are kept in the order of the list, never summed. Integers in `row` and `col` are
    vertex numbers; without `n_vertices`, the graph ends with the largest of them. Strings are the
    names of vertices, which have the ascending order of their names, as in `from_dataframe`;
    `n_vertices` is refused then.

    Examples
    --------
    >>> roads = wg.Graph.from_edges(["Rome", "Pisa"], ["Pisa", "Genoa"], [355.0, 165.0])
    >>> roads.names.tolist()
    ['Genoa', 'Pisa', 'Rome']
    >>> wg.sssp(roads, "Rome").tolist()
    [520.0, 355.0, 0.0]
    """
    row, col, n, names = _names_of_edges.numbered(row, col, n_vertices)
    return cls._with_names(_convert.from_edges(row, col, data, n), names)


def from_dataframe(
    cls: type[Graph],
    df: Any,
    *,
    source: Any = "source",
    target: Any = "target",
    weight: Any = "weight",
    directed: bool = True,
) -> Graph:
    """Make a graph of a table that has an edge in each row.

    Parameters
    ----------
    df : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The table.
    source, target : str
        The columns that name the two ends of each edge: all integers, or all strings. Columns of
        pandas may have names of any type.
    weight : str or None
        The column of the weights. None: all edges weigh 1.
    directed : bool
        False: store each edge both ways, loops once. The rows should then have each edge once.

    Returns
    -------
    Graph
        Its vertices have the names that the table has, in ascending order, whether these are
        numbers or not. Parallel edges are kept, never summed.

    Raises
    ------
    ValueError
        A column does not exist, or a value is missing: the column and the row are named.
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
    >>> roads = pd.DataFrame({"a": ["Rome", "Pisa"], "b": ["Pisa", "Genoa"], "km": [355, 165]})
    >>> graph = wg.Graph.from_dataframe(roads, source="a", target="b", weight="km", directed=False)
    >>> graph.names.tolist()
    ['Genoa', 'Pisa', 'Rome']
    >>> wg.sssp(graph, "Rome").tolist()
    [520.0, 355.0, 0.0]
    """
    directed = _validate.flag(directed, "directed")
    row, col, data, names = _frames.edges_of(df, source, target, weight)
    n = len(names)
    if directed:
        arrays = _convert.from_edges(row, col, data, n)
    else:
        if data is not None:
            data = _validate.in_place(_convert.normalise_weights(data))
        arrays = _convert.from_undirected([row, col, data], n)
        del data
    return cls._with_names(arrays, names)


def to_edges(graph: Graph) -> tuple[_types.Int32Array, _types.Int32Array, _types.Weights]:
    """Return (row, col, data), the edges in the order in which they are stored.

    The last two are the graph's own arrays, which are read-only.
    """
    return _core.tails(graph.handle), graph.indices, graph.data


@overload
def to_dataframe(
    graph: Graph,
    *,
    source: str = ...,
    target: str = ...,
    weight: str = ...,
    directed: bool = ...,
    library: Literal["pandas"] = ...,
) -> pd.DataFrame: ...
@overload
def to_dataframe(
    graph: Graph,
    *,
    source: str = ...,
    target: str = ...,
    weight: str = ...,
    directed: bool = ...,
    library: Literal["polars"],
) -> pl.DataFrame: ...
@overload
def to_dataframe(
    graph: Graph,
    *,
    source: str = ...,
    target: str = ...,
    weight: str = ...,
    directed: bool = ...,
    library: Literal["pyarrow"],
) -> pa.Table: ...
def to_dataframe(
    graph: Graph,
    *,
    source: str = "source",
    target: str = "target",
    weight: str = "weight",
    directed: bool = True,
    library: str = "pandas",
) -> Any:
    """Return a table with an edge in each row, by the names of its ends.

    Parameters
    ----------
    source, target, weight : str
        Names for the columns.
    directed : bool
        False: a row for each undirected edge, which must be stored both ways.
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
    _validate.choice(library, _frames.LIBRARIES, "library")
    columns = [source, target, weight]
    if any(name in columns[:i] for i, name in enumerate(columns)):
        raise ValueError(f"source, target and weight must name three columns, got {columns}")
    tail, head, data = _edges(graph, _validate.flag(directed, "directed"))
    names = None if graph.names is None else graph.names.tolist()
    return _frames.table_of(library, {source: tail, target: head}, names, {weight: data})


def _edges(graph: Graph, directed: bool) -> tuple[Array, Array, Array]:
    """Return (row, col, data); each undirected edge once unless `directed`."""
    row, col, data = graph.to_edges()
    if directed:
        return row, col, data
    if not graph.is_mirrored():
        raise ValueError(
            "directed=False needs a graph whose edges are all stored both ways, with equal weights"
        )
    once = row <= col
    return row[once], col[once], data[once]


def from_igraph(
    cls: type[Graph],
    graph: Any,
    *,
    weight: str | None = "weight",
    coordinates: str | Sequence[str] | None = None,
) -> Graph:
    """Make a graph of an ``igraph.Graph``.

    Parameters
    ----------
    graph : igraph.Graph
        Undirected edges are stored both ways, loops once. The vertex attribute ``name`` has the
        names, if there is one.
    weight : str or None
        The edge attribute that has the weights. None, or the default where no edge has it: all
        edges weigh 1, as in igraph.
    coordinates : str or sequence of str, optional
        The vertex attributes that have the coordinates: a name for each axis, such as
        ``("x", "y")``, or the name of one that has all of a vertex's.

    Returns
    -------
    Graph
        Its vertices have the numbers that they have in igraph.

    Raises
    ------
    ValueError
        An attribute that no edge has or that a vertex lacks, a weight that is missing, or a name
        that repeats.
    TypeError
        Not a graph of igraph, or weights or coordinates that are not real numbers.
    """
    if not hasattr(graph, "get_edgelist"):
        raise TypeError(f"graph must be an igraph.Graph, got {type(graph).__name__}")
    ends = np.array(graph.get_edgelist(), np.int32).reshape(-1, 2)
    data = _weights_of_igraph(graph, weight)
    row, col = np.ascontiguousarray(ends.T)
    n = graph.vcount()
    if graph.is_directed():
        arrays = _convert.from_edges(row, col, data, n)
    else:
        arrays = _convert.from_undirected([row, col, data], n)
    known = graph.vs.attributes()
    made = cls._with_names(arrays, graph.vs["name"] if "name" in known else None)
    if coordinates is None:
        return made
    positions = _coordinates.of_attributes(
        coordinates, lambda name: graph.vs[name] if name in known else [None] * n
    )
    return cls(made, coordinates=positions)


def _weights_of_igraph(graph: Any, weight: str | None) -> Array | None:
    known = graph.es.attributes()
    if weight is None or (weight == "weight" and weight not in known):
        return None
    if weight not in known:
        raise ValueError(
            f"weight={_validate.shown(weight)}: no edge has that attribute; edges have "
            f"{', '.join(map(_validate.shown, known)) or 'none'}"
        )
    values = graph.es[weight]
    missing = next((i for i, value in enumerate(values) if value is None), None)
    if missing is not None:
        raise ValueError(f"weight={_validate.shown(weight)}: edge {missing} has no value")
    if not values:
        return np.empty(0)
    return _convert.normalise_weights(_networkx.weights_as_array(values, weight, str))


def to_igraph(graph: Graph, *, directed: bool = True) -> igraph.Graph:
    """Return an ``igraph.Graph`` with names of vertices, if there are any, and weights of edges.

    Parameters
    ----------
    directed : bool
        False: an undirected graph, with one edge for each that is stored both ways.

    Returns
    -------
    igraph.Graph
        The vertex attribute ``name`` has the names, the edge attribute ``weight`` the weights. The
        coordinates, if there are any, are the vertex attributes ``x``, ``y`` and ``z``, which
        igraph's plots use, or ``x0``, ``x1``, .. if they are more.

    Raises
    ------
    ImportError
        igraph is not installed.
    ValueError
        ``directed=False``, and an edge is stored one way.
    """
    try:
        import igraph
    except ImportError:
        raise ImportError(
            "Graph.to_igraph needs igraph, which is not installed: pip install igraph"
        ) from None
    tail, head, data = _edges(graph, _validate.flag(directed, "directed"))
    return igraph.Graph(
        n=graph.n_vertices,
        edges=np.stack([tail, head], axis=1).tolist(),
        directed=directed,
        vertex_attrs=({} if graph.names is None else {"name": graph.names.tolist()})
        | _coordinates_by_axis(graph),
        edge_attrs={"weight": data.tolist()},
    )


def _coordinates_by_axis(graph: Graph) -> dict[str, list[float]]:
    if graph.coordinates is None:
        return {}
    n_axes = graph.coordinates.shape[1]
    axes = list("xyz"[:n_axes]) if n_axes <= 3 else [f"x{axis}" for axis in range(n_axes)]
    return dict(zip(axes, graph.coordinates.T.tolist(), strict=True))


def from_networkx(
    cls: type[Graph],
    graph: nx.Graph,
    *,
    weight: str | None = _networkx.DEFAULT_WEIGHT,
    coordinates: str | Sequence[str] | None = None,
) -> Graph:
    """Make a graph of a NetworkX graph of any kind, as ``Graph(graph, weight=weight)`` does.

    Parameters
    ----------
    graph : networkx.Graph
        Undirected edges are stored both ways, loops once. The nodes, which may be any objects, are
        numbered in its order and are the names of the vertices.
    weight : str or None
        The attribute that has the weights of the edges. An edge without it weighs 1, as in
        NetworkX, with a warning. None: all edges weigh 1.
    coordinates : str or sequence of str, optional
        The node attributes that have the coordinates: a name for each axis, such as ``("x", "y")``,
        or the name of one that has all of a node's, such as ``"pos"``.

    Returns
    -------
    Graph
        Parallel edges are kept, never summed.

    Raises
    ------
    TypeError
        Not a NetworkX graph, or weights or coordinates that are not real numbers.
    ValueError
        An attribute that no edge has or that a node lacks, or a weight that is NaN; the edge is
        named.

    Examples
    --------
    >>> import networkx as nx
    >>> roads = nx.Graph()
    >>> roads.add_edge("Rome", "Pisa", km=355)
    >>> roads.add_edge("Pisa", ("Genoa", "harbour"), km=165)
    >>> graph = wg.Graph.from_networkx(roads, weight="km")
    >>> graph.names.tolist()
    ['Rome', 'Pisa', ('Genoa', 'harbour')]
    >>> wg.sssp(graph, "Rome").tolist()
    [0.0, 355.0, 520.0]
    """
    if not _networkx.is_networkx(graph):
        raise TypeError(f"graph must be a networkx.Graph, got {type(graph).__name__}")
    if coordinates is None:
        return cls(graph, weight=weight)
    nodes = graph.nodes
    positions = _coordinates.of_attributes(
        coordinates, lambda name: [nodes[node].get(name) for node in graph]
    )
    return cls(graph, weight=weight, coordinates=positions)


def to_networkx(graph: Graph, *, directed: bool = True) -> nx.Graph:
    """Return a NetworkX graph with an attribute ``weight`` on each edge.

    Parameters
    ----------
    directed : bool
        False: an undirected graph, with one edge for each that is stored both ways.

    Returns
    -------
    networkx.DiGraph or networkx.Graph; networkx.MultiDiGraph or networkx.MultiGraph
        Its nodes are the names of the vertices, or their numbers where they have no names, in the
        order of the vertices. Coordinates, if there are any, are their attributes ``x``, ``y`` and
        ``z``, or ``x0``, ``x1``, .. if they are more. It is a multigraph if there are parallel
        edges.

    Raises
    ------
    ImportError
        NetworkX is not installed.
    ValueError
        ``directed=False``, and an edge is stored one way.
    """
    try:
        import networkx as nx
    except ImportError:
        raise ImportError(
            "Graph.to_networkx needs NetworkX, which is not installed: pip install networkx"
        ) from None
    directed = _validate.flag(directed, "directed")
    tail, head, data = _edges(graph, directed)
    has_parallel = len(np.unique(tail.astype(np.int64) * graph.n_vertices + head)) < len(tail)
    kinds = {True: (nx.DiGraph, nx.MultiDiGraph), False: (nx.Graph, nx.MultiGraph)}
    made = kinds[directed][has_parallel]()
    nodes = list(range(graph.n_vertices)) if graph.names is None else graph.names.tolist()
    made.add_nodes_from(nodes)
    for axis, values in _coordinates_by_axis(graph).items():
        nx.set_node_attributes(made, dict(zip(nodes, values, strict=True)), axis)
    tails, heads = ([nodes[v] for v in end.tolist()] for end in (tail, head))
    made.add_weighted_edges_from(zip(tails, heads, data.tolist(), strict=True))
    return made
