"""The backend's graph: what it keeps of a NetworkX graph, and conversions from and to NetworkX."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments.nx_graphs import values_of
from warpgraph._graph.graph import Graph
from warpgraph.nx_backend import _weights

Array = npt.NDArray[Any]

#: Major and minor number of NetworkX, whose functions changed in some results.
#: The release of NetworkX, (major, minor), since some results differ between releases.
RELEASE = tuple(int(number) for number in nx.__version__.split(".")[:2])


@contextlib.contextmanager
def no_collections() -> Iterator[None]:
    """Pause the garbage collector while many lists or dictionaries are made.

    Their number would start collections, which find nothing in them, but visit all objects of the
    process: seconds beside a graph of a million edges.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Entries(NamedTuple):
    """The arcs of a graph as the rows of a matrix, in the order of the dictionaries."""

    indptr: Array
    indices: Array
    weights: _weights.Weights


_ONES = _weights.Weights(None)


class BackendGraph:
    """A NetworkX graph with its edges as arrays.

    It refers to the dictionaries of the NetworkX graph, so that converting it back copies nothing
    and results have the very objects that are its nodes, keys and attributes. The arrays are made
    once for each edge attribute; what changes in the dictionaries afterwards is not noticed.

    Attributes
    ----------
    kind : type
        Class of the NetworkX graph.
    nodes : list
        Vertex v is ``nodes[v]``.
    adjacency, predecessors : mapping
        ``_adj`` of the NetworkX graph; ``_pred``, or ``_adj`` if it is undirected.
    forests : dict
        Spanning forests that were found, which `_trees` keeps here.
    """

    __networkx_backend__ = "warpgraph"

    def __init__(self, graph: Any) -> None:
        self.kind = type(graph)
        self._is_directed: bool = graph.is_directed()
        self._is_multigraph: bool = graph.is_multigraph()
        self.graph, self.node_attributes = graph.graph, graph._node
        self.adjacency = graph._adj
        self.predecessors = graph._pred if self._is_directed else graph._adj
        self.nodes = list(graph)
        self._shown = nodes_shown(graph)
        self._entries: dict[Any, Entries] = {}
        self._matrices: dict[Any, Graph] = {}
        self.forests: dict[Any, Any] = {}

    def is_directed(self) -> bool:
        """Return whether edges have directions."""
        return self._is_directed

    def is_multigraph(self) -> bool:
        """Return whether there may be parallel edges."""
        return self._is_multigraph

    def number_of_nodes(self) -> int:
        """Return the number of nodes."""
        return len(self)

    def number_of_edges(self) -> int:
        """Return the number of edges."""
        count: int = self.to_networkx().number_of_edges()
        return count

    @property
    def edges(self) -> Any:
        """NetworkX's view of the edges, for its comparisons of graphs."""
        return self.to_networkx().edges

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Any:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self.node_attributes
        except TypeError:  # not hashable
            return False

    @cached_property
    def numbers(self) -> dict[Any, int]:
        """The number of each node."""
        return dict(zip(self.nodes, range(len(self.nodes)), strict=True))

    @cached_property
    def names(self) -> Array:
        """The nodes as an array of objects."""
        return np.fromiter(self.nodes, object, len(self.nodes))

    @cached_property
    def rows(self) -> list[Any]:
        """The row of each vertex in the adjacency."""
        return self._of_nodes(self.adjacency)

    @cached_property
    def node_rows(self) -> list[Any]:
        """The attributes of each vertex."""
        return self._of_nodes(self.node_attributes)

    def _is_in_order(self, mapping: Any) -> bool:
        """Return whether a mapping is a dictionary that has the nodes in the order of `nodes`.

        Subclasses of NetworkX's graphs may list their nodes in another order.
        """
        return type(mapping) is dict and list(mapping) == self.nodes

    def _of_nodes(self, mapping: Any) -> list[Any]:
        """Return the value of each vertex in a mapping from nodes."""
        if self._is_in_order(mapping):
            return list(mapping.values())
        return [mapping[node] for node in self.nodes]

    def named(self, vertices: Array) -> list[Any]:
        """Return the nodes that have these numbers."""
        found: list[Any] = self.names[vertices].tolist()
        return found

    def arrays(self, weight: Any = None, *, reverse: bool = False) -> tuple[Any, Any, Any]:
        """Return (indptr, indices, data) with the entries of rows in the order of the dictionaries.

        An undirected edge is there both ways. `weight` is the attribute that has the weights; an
        edge without it weighs 1. ``data`` is None if all edges weigh 1.

        Raises
        ------
        NotImplementedError
            A weight is no plain number.
        """
        indptr, indices, weights = self.entries(weight, reverse=reverse)
        return indptr, indices, weights.data

    def entries(self, weight: Any = None, *, reverse: bool = False) -> Entries:
        """Return what `arrays` does, with the types of lengths."""
        key = weight, reverse and self._is_directed
        if key not in self._entries:
            self._entries[key] = self._read(*key)
        return self._entries[key]

    def _read(self, weight: Any, reverse: bool) -> Entries:
        if weight is None:
            for (_, is_reversed), known in list(self._entries.items()):
                if is_reversed == reverse:
                    return known._replace(weights=_ONES)
        nodes, adjacency = self._mappings(reverse)
        # Entries in the order of the dictionaries, which is that of NetworkX's searches.
        how = self._is_directed, self._is_multigraph, True
        if weight is None or type(weight) is str:
            arrays = _core.csr_from_networkx(nodes, adjacency, weight, *how)
            if arrays is not None:
                return Entries(arrays[0], arrays[1], _weights.Weights(arrays[2]))
        arrays = _core.csr_from_networkx(nodes, adjacency, None, *how)
        indptr, indices, _ = arrays or self._structure_of_mappings(adjacency)
        if weight is None:
            return Entries(indptr, indices, _ONES)
        return Entries(indptr, indices, _weights.read(adjacency, weight, self._is_multigraph))

    def entries_of_matrix(self, weight: Any) -> Entries:
        """Return what `entries` does, but an edge without the attribute has the float 1.0.

        So does NetworkX before 3.7 in the algorithm of Floyd and Warshall.
        """
        missing = 1 if RELEASE >= (3, 7) else 1.0
        indptr, indices, _ = self.entries(weight)
        every = _weights.attributes_of(self._mappings(False)[1], self._is_multigraph)
        values = [found.get(weight, missing) for found in every]
        weights = _weights.of_values(values, len(self))
        if bool in set(map(type, values)):  # these are lengths as they are, without 0 before them
            weights = weights._replace(data=self.matrix(weight).data, objects=values)
        return Entries(indptr, indices, weights)

    def _mappings(self, reverse: bool) -> tuple[Any, Any]:
        """Return nodes and adjacency in the order of `nodes`.

        Of a subgraph: as dictionaries, which are read faster.
        """
        adjacency = self.predecessors if reverse else self.adjacency
        if self._shown is None:
            if self._is_in_order(adjacency):
                return self.node_attributes, adjacency
            return dict.fromkeys(self.nodes), {node: adjacency[node] for node in self.nodes}
        shown, rows = self._shown, adjacency._atlas
        with no_collections():
            return dict.fromkeys(self.nodes), {
                node: {
                    other: edge
                    for other, edge in zip(rows[node], values_of(rows[node]), strict=True)
                    if other in shown
                }
                for node in self.nodes
            }

    def _structure_of_mappings(self, adjacency: Any) -> tuple[Array, Array, None]:
        """Return what the core reads from dictionaries, of a view or another mapping."""
        rows = [list(_weights.neighbours(row, self._is_multigraph)) for row in adjacency.values()]
        indptr = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(list(map(len, rows)), out=indptr[1:])
        heads = map(self.numbers.__getitem__, chain.from_iterable(rows))
        return indptr, np.fromiter(heads, np.int32, indptr[-1]), None

    def matrix(self, weight: Any = None, *, reverse: bool = False) -> Graph:
        """Return the graph with the weights of `arrays`, edges reversed if `reverse`.

        Raises
        ------
        NotImplementedError
            A weight is no plain number, or lengths are not finite: NetworkX follows edges of length
        inf.
        """
        key = weight, reverse and self._is_directed
        if key not in self._matrices:
            indptr, indices, weights = self.entries(weight, reverse=reverse)
            if not weights.have_finite_sums(len(self.nodes)):
                raise NotImplementedError("lengths that are NaN or infinite run in NetworkX")
            data = np.ones(len(indices), np.int64) if weights.data is None else weights.data
            self._matrices[key] = Graph._of_own(indptr, indices, data)
        return self._matrices[key]

    def structure(self, *, reverse: bool = False) -> Graph:
        """Return the graph with any weights."""
        reverse = reverse and self._is_directed
        for (_, is_reversed), known in list(self._matrices.items()):
            if is_reversed == reverse:
                return known
        return self.matrix(reverse=reverse)

    def has_plain_sums(self, weight: Any) -> bool:
        """Return whether lengths are Python's integers, or floats if there is an edge."""
        return weight is None or self.entries(weight).weights.has_plain_sums

    def has_lengths(self, weight: Any) -> bool:
        """Return whether not all edges weigh 1."""
        return weight is not None and self.entries(weight).weights.data is not None

    def has_loop_below_zero(self, weight: Any) -> bool:
        """Return whether an edge from a vertex to itself has a negative weight."""
        matrix = self.matrix(weight)
        if matrix._first_negative() is None:
            return False
        tails, heads, weights = matrix.to_edges()
        return bool(((tails == heads) & (weights < 0)).any())

    def to_networkx(self) -> Any:
        """Return a NetworkX graph of the same dictionaries."""
        graph = object.__new__(self.kind)
        graph.graph, graph._node = self.graph, self.node_attributes
        graph._adj = self.adjacency
        if self._is_directed:
            graph._pred = self.predecessors
        graph.__networkx_cache__ = {}
        return graph


def nodes_shown(graph: Any) -> Any:
    """Return the set of nodes of a view by ``G.subgraph(nodes)``, or None: another graph.

    A view of a view is another graph, and so is one of parallel edges, whose order is another.
    """
    edges = getattr(graph, "_EDGE_OK", None)
    if (
        edges is not nx.filters.no_filter
        or graph.is_multigraph()
        or hasattr(graph._graph, "_graph")
    ):
        return None
    nodes = graph._NODE_OK
    return nodes.nodes if type(nodes) is nx.filters.show_nodes else None


def convert_from_nx(
    graph: Any, *, edge_attrs: Any = None, preserve_edge_attrs: bool = False, **_: Any
) -> BackendGraph:
    """Return the backend's graph with the weights that `edge_attrs` names.

    If all attributes are to be preserved, the function that needs weights reads them itself.
    NetworkX calls this, and keeps the result until the graph is changed by its methods. Of a view
    nothing is kept: what changes the graph that it shows does not clear the cache of the view.
    """
    if hasattr(graph, "_graph"):
        graph.__networkx_cache__ = None
    converted = BackendGraph(graph)
    for weight in () if preserve_edge_attrs else edge_attrs or (None,):
        converted.entries(weight)
    return converted


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Return a NetworkX graph for a graph of the backend; other results as they are."""
    return result.to_networkx() if isinstance(result, BackendGraph) else result
