"""Graphs from igraph and NetworkX, and back: methods of wg.Graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import convert, nx_graphs, validate
from warpgraph._graph import coordinates as _coordinates
from warpgraph._graph.forms import edges_once
from warpgraph._graph.methods.vertices import like
from warpgraph._tables import directions as _directions, mirrors
from warpgraph._tables.directions import Directions

if TYPE_CHECKING:
    import igraph
    import networkx as nx

    from warpgraph._graph.protocol import Graph

Array = npt.NDArray[Any]


def from_igraph(
    cls: type[Graph],
    graph: igraph.Graph,
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
        Edge attribute that has the weights: numbers, or texts that are numbers. None: all edges
        weigh 1. So they do if it is ``"weight"``, the default, and the graph has no such attribute,
        with a warning if it has other attributes that are numbers.
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
        An attribute that no edge has or that a vertex lacks, a weight that is missing or NaN, a
        name that repeats, or numbers of coordinates that differ.
    TypeError
        Not a graph of igraph, or weights or coordinates that are not real numbers.
    OverflowError
        A weight that neither int64 nor float64 holds.
    """
    if not hasattr(graph, "get_edgelist"):
        raise TypeError(f"graph must be an igraph.Graph, got {validate.type_name(graph)}")
    ends = np.array(graph.get_edgelist(), np.int32).reshape(-1, 2)
    data = _weights_of_igraph(graph, weight)
    row, col = validate.in_place(ends.T)
    n = graph.vcount()
    if graph.is_directed():
        arrays = convert.from_edges(row, col, data, n)
    else:
        arrays = convert.from_undirected([row, col, data], n)
    known = graph.vs.attributes()
    made = cls._with_names(arrays, graph.vs["name"] if "name" in known else None)
    made.weight_name = weight or nx_graphs.DEFAULT_WEIGHT
    if coordinates is None:
        return made
    positions = _coordinates.of_attributes(
        coordinates, lambda name: graph.vs[name] if name in known else [None] * n
    )
    return cls(made, coordinates=positions)


def _weights_of_igraph(graph: Any, weight: str | None) -> Array | None:
    if weight is None:
        return None
    if weight not in graph.es.attributes():
        columns = ([{name: value} for value in graph.es[name]] for name in graph.es.attributes())
        others = nx_graphs.numeric_attributes(chain.from_iterable(columns))
        if weight != nx_graphs.DEFAULT_WEIGHT:
            raise nx_graphs.no_such_attribute(weight, others)
        nx_graphs.warn_of_others(others)
        return None
    values = graph.es[weight]
    missing = next((i for i, value in enumerate(values) if value is None), None)
    if missing is not None:
        raise ValueError(f"weight={validate.shown(weight)}: edge {missing} has no value")
    if not values:
        return np.empty(0)
    return convert.normalise_weights(nx_graphs.weights_as_array(values, weight, str))


def to_igraph(graph: Graph, *, directed: bool = True, weight: str | None = None) -> igraph.Graph:
    """Return an ``igraph.Graph`` with names of vertices, if there are any, and weights of edges.

    Parameters
    ----------
    directed : bool
        False: one edge for each pair of entries (i, j) and (j, i). The graph is then undirected.
    weight : str, optional
        Name for the attribute; by default `weight_name`.

    Returns
    -------
    igraph.Graph
        The vertex attribute ``name`` has the names, an edge attribute the weights. The coordinates,
        if there are any, are the vertex attributes ``x``, ``y`` and ``z``, which igraph's plots
        use, or ``x0``, ``x1``, .. if they are more.

    Raises
    ------
    ImportError
        igraph is not installed.
    ValueError
        ``directed=False``, and an edge is not stored both ways with the same weight.
    """
    try:
        import igraph
    except ImportError:
        raise ImportError(
            "Graph.to_igraph needs igraph, which is not installed: pip install igraph"
        ) from None
    attribute = graph.weight_name if weight is None else validate.name(weight, "weight")
    tail, head, data = edges_once(graph, validate.flag(directed, "directed"))
    return igraph.Graph(
        n=graph.n_vertices,
        edges=np.stack([tail, head], axis=1).tolist(),
        directed=directed,
        vertex_attrs=({} if graph.names is None else {"name": graph.names.tolist()})
        | _coordinates_by_axis(graph),
        edge_attrs={attribute: data.tolist()},
    )


def _coordinates_by_axis(graph: Graph) -> dict[str, list[float]]:
    """Return the coordinates of all vertices by the name of their axis."""
    if graph.coordinates is None:
        return {}
    n_axes = graph.coordinates.shape[1]
    axes = list("xyz"[:n_axes]) if n_axes <= 3 else [f"x{axis}" for axis in range(n_axes)]
    return dict(zip(axes, graph.coordinates.T.tolist(), strict=True))


def from_networkx(
    cls: type[Graph],
    graph: nx.Graph,
    *,
    weight: str | None = nx_graphs.DEFAULT_WEIGHT,
    directed: bool = True,
    direction: str | None = None,
    coordinates: str | Sequence[str] | None = None,
) -> Graph:
    """Make a graph of a NetworkX graph of any kind, as ``Graph(graph, weight=weight)`` does.

    Parameters
    ----------
    graph : networkx.Graph
        Undirected edges are stored both ways, loops once. The nodes, which may be any objects, are
        numbered in its order and are the names of the vertices.
    weight : str or None
        As for `Graph`.
    directed : bool
        False: store each edge both ways, loops once. This is for directed graphs, by the rule of
        `from_edges`; an edge of an undirected graph is stored so in any case.
    direction : str, optional
        The edge attribute of a directed graph that tells which edges lead both ways or backwards,
        with the words of `warpgraph.io.read`, for graphs made of tables: ``"oneway"``. By default,
        each edge is the arc that it is in NetworkX, whatever its attributes say.
    coordinates : str or sequence of str, optional
        The node attributes that have the coordinates: a name for each axis, such as ``("x", "y")``,
        or the name of one that has all of a node's, such as ``"pos"``.

    Returns
    -------
    Graph
        Parallel edges are kept in the order of the graph's edges, never summed.

    Raises
    ------
    TypeError
        Not a NetworkX graph, or weights or coordinates that are not real numbers.
    ValueError
        An attribute that no edge has or that a node lacks, a weight that is NaN, whose edge is
        named, or numbers of coordinates that differ.
    OverflowError
        A weight that neither int64 nor float64 holds.

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
    if not nx_graphs.is_networkx(graph):
        raise TypeError(f"graph must be a networkx.Graph, got {validate.type_name(graph)}")
    made = cls(graph, weight=weight)
    if direction is not None or not validate.flag(directed, "directed"):
        arrays = _with_directions(made, graph, direction, directed)
        made = like(cls._of_own(*arrays), made)
    if coordinates is None:
        return made
    nodes = graph.nodes
    positions = _coordinates.of_attributes(
        coordinates, lambda name: [nodes[node].get(name) for node in graph]
    )
    return cls(made, coordinates=positions)


def _with_directions(
    made: Graph, graph: nx.Graph, direction: str | None, directed: bool
) -> convert.CsrArrays:
    """Return the CSR arrays of a graph whose edges an attribute turns, or have no direction."""
    row, col, data = made.to_edges()
    found: Directions | None = None
    if direction is not None:
        label = validate.name(direction, "direction")
        if not graph.is_directed():
            raise ValueError(f"direction={validate.shown(label)} is for directed graphs")
        values, name = nx_graphs.values_of_edges(graph, label)
        given = np.fromiter(values, object, len(values))
        found = _directions.of_values(
            label, given, True, "graph", lambda is_bad: f"edge {name(int(is_bad.argmax()))}"
        )
    return mirrors.arrays_of(row, col, data, len(graph), directions=found, directed=directed)


def to_networkx(graph: Graph, *, directed: bool = True, weight: str | None = None) -> nx.Graph:
    """Return a NetworkX graph with an attribute on each edge that has its weight.

    Parameters
    ----------
    directed : bool
        False: one edge for each pair of entries (i, j) and (j, i). The graph is then undirected.
    weight : str, optional
        Name for the attribute; by default `weight_name`.

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
        ``directed=False``, and an edge is not stored both ways with the same weight.
    """
    try:
        import networkx as nx
    except ImportError:
        raise ImportError(
            "Graph.to_networkx needs NetworkX, which is not installed: pip install networkx"
        ) from None
    directed = validate.flag(directed, "directed")
    attribute = graph.weight_name if weight is None else validate.name(weight, "weight")
    tail, head, data = edges_once(graph, directed)
    has_parallel = len(np.unique(tail.astype(np.int64) * graph.n_vertices + head)) < len(tail)
    kinds = {True: (nx.DiGraph, nx.MultiDiGraph), False: (nx.Graph, nx.MultiGraph)}
    made = kinds[directed][has_parallel]()
    nodes = list(range(graph.n_vertices)) if graph.names is None else graph.names.tolist()
    made.add_nodes_from(nodes)
    for axis, values in _coordinates_by_axis(graph).items():
        nx.set_node_attributes(made, dict(zip(nodes, values, strict=True)), axis)
    tails, heads = ([nodes[v] for v in end.tolist()] for end in (tail, head))
    weighted = zip(tails, heads, data.tolist(), strict=True)
    made.add_weighted_edges_from(weighted, weight=attribute)
    return made
