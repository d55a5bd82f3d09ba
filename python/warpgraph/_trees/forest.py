"""wg.SpanningForest: the edges of a forest over the vertices 0 .. n - 1."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import convert, validate
from warpgraph._arguments.hints.other_names import no_attribute_of
from warpgraph._arguments.names import Names
from warpgraph._arguments.new_array import Unpickled, new_array
from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._graph import coordinates as _coordinates, html

if TYPE_CHECKING:
    import networkx as nx

    from warpgraph._arguments import types
    from warpgraph._graph.graph import Graph

Array = npt.NDArray[Any]
#: An array on the host, or a result that stays on a device until it is read.
Result = Array | _core.LazyResult
#: The edges, the weights and the edge ids of a forest.
Results = tuple[Result, Result, Result]

# A child process cannot use the devices of its parent, but may read its forests.
os.register_at_fork(before=_core.finish_lazy_results)


class SpanningForest(Unpickled):
    """A forest: undirected weighted edges without a cycle.

    Parameters
    ----------
    n_vertices : int
        Number of vertices; those without an edge are trees of their own.
    edges : array_like of int, shape (m, 2)
        The two ends of each edge, in either order.
    weights : array_like, shape (m,)
        Weight of each edge.
    edge_ids : array_like of int, shape (m,), optional
        Position of each edge in the graph that it was chosen from.
    names : sequence, optional
        A name for each vertex, as for `Graph`.
    coordinates : array_like, shape (n_vertices, d), optional
        A point for each vertex, as for `Graph`.
    weight_name : str
        What the weights are called by `to_networkx`.

    Attributes
    ----------
    n_vertices, n_trees : int
        Number of vertices; number of trees, isolated vertices included.
    edges : ndarray of int32, shape (m, 2)
        The edges, the smaller end first. `minimum_spanning_forest` returns them in the order in
        which Kruskal's algorithm finds them.
    weights : ndarray, shape (m,)
        Weight of each edge; float32, float64, int32 or int64.
    edge_ids : ndarray of int64, shape (m,), or None
        Position of each edge in the ``indices`` and ``data`` of the graph's CSR matrix; None for a
        forest that was not chosen from a graph, such as one of points.
    names : ndarray, shape (n_vertices,), or None
        The names that the graph had for its vertices: ``names[edges]`` has the edges by name.
    coordinates : ndarray of float64, shape (n_vertices, d), or None
        The points that the graph had for its vertices.
    weight_name : str
        The name of the attribute that had the weights in the graph, as `Graph.weight_name`.
    labels : ndarray of int32, shape (n_vertices,)
        The tree of each vertex, trees numbered from 0 in the order of their smallest vertices.
        Found when it is first read: later changes of `edges` do not change it.
    total_weight : float or int
        Sum of the weights: exact for integers, correctly rounded for floats.

    Raises
    ------
    ValueError
        The arrays do not fit together, or an edge closes a cycle (noticed when `labels` is read).

    Notes
    -----
    If GPUs have found a large forest, `edges`, `weights` and `edge_ids` stay in the memory of one
    of them until they are read for the first time, or until a call needs that memory; labels and
    the total weight are found there. So what is not read is not copied.

    Examples
    --------
    >>> import warpgraph as wg
    >>> forest = wg.SpanningForest(5, [[0, 1], [2, 1], [3, 4]], [2.0, 1.0, 5.0])
    >>> forest.n_trees, forest.total_weight
    (2, 8.0)
    >>> forest.labels
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_vertices: int,
        edges: types.ArrayLike,
        weights: types.ArrayLike,
        edge_ids: Any | None = None,
        *,
        names: Any | None = None,
        coordinates: Any | None = None,
        weight_name: str = DEFAULT_WEIGHT,
    ) -> None:
        self.weight_name = validate.name(weight_name, "weight_name")
        self.n_vertices = validate.count(n_vertices, "n_vertices", most=2**31 - 1)
        self.edges = _as_edges(edges, self.n_vertices)
        self.weights = _as_core_weights(weights)
        self.names = None if names is None else Names.given(names, self.n_vertices).array
        self.coordinates = (
            None if coordinates is None else _coordinates.given(coordinates, self.n_vertices)
        )
        self.edge_ids = None if edge_ids is None else _as_ids(edge_ids)
        for name, array in (("weights", self.weights), ("edge_ids", self.edge_ids)):
            if array is not None and array.shape != (len(self),):
                raise ValueError(
                    f"{name} must have one entry for each of the {len(self)} edges, "
                    f"got shape {array.shape}"
                )

    #: True if the trees are the heaviest, False if the lightest; None if this is not known, as of a
    #: forest that a user made.
    _is_maximum: bool | None = None

    #: Attributes that are still in the memory of a device, by name. Unset if none ever was there.
    _on_device: dict[str, _core.LazyResult]

    @classmethod
    def _found(
        cls,
        n_vertices: int,
        edges: Result,
        weights: Result,
        edge_ids: Result | None,
        names: Array | None = None,
        coordinates: Array | None = None,
        weight_name: str = DEFAULT_WEIGHT,
        *,
        maximum: bool | None,
    ) -> SpanningForest:
        """Make a forest of the core's results, which need no check."""
        forest = cls.__new__(cls)
        here: dict[str, Any] = {"_is_maximum": maximum, "n_vertices": n_vertices, "names": names}
        here |= {"coordinates": coordinates, "weight_name": weight_name}
        lazy: dict[str, Any] = {}
        for name, of in (("edges", edges), ("weights", weights), ("edge_ids", edge_ids)):
            (lazy if isinstance(of, _core.LazyResult) else here)[name] = of
        forest.__dict__.update(here | {"_on_device": lazy} if lazy else here)
        return forest

    @classmethod
    def _chosen_from(
        cls,
        graph: Graph,
        edges: Result,
        weights: Result,
        edge_ids: Result,
        *,
        maximum: bool | None,
    ) -> SpanningForest:
        """Make a forest of edges of `graph`, with its names of vertices and weights."""
        found = edges, weights, edge_ids, graph.names, graph.coordinates, graph.weight_name
        return cls._found(graph.n_vertices, *found, maximum=maximum)

    if not TYPE_CHECKING:  # type checkers know the attributes from __init__

        def __setattr__(self, name: str, value: Any) -> None:
            """Assign; with other edges or weights, the trees may not be the lightest any more."""
            if name in ("edges", "weights"):
                self.__dict__.pop("_is_maximum", None)
            super().__setattr__(name, value)

        def __getattr__(self, name: str) -> Any:
            """Copy an attribute from the device, when it is first read."""
            lazy = self._lazy(name)
            if lazy is not None:
                # Other threads may do the same: each step is atomic, and all get one array.
                array = self.__dict__.setdefault(name, lazy.to_numpy())
                self._on_device.pop(name, None)
                return array
            if name in self.__dict__:  # another thread has just read it
                return self.__dict__[name]
            return no_attribute_of(self, name)

    def _lazy(self, name: str) -> _core.LazyResult | None:
        """Return an attribute that is still on a device: it was neither read nor set."""
        on_device: dict[str, _core.LazyResult] = self.__dict__.get("_on_device", {})
        return None if name in self.__dict__ else on_device.get(name)

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes, for copies and pickles: those on a device, too."""
        for name in tuple(self.__dict__.get("_on_device", ())):
            getattr(self, name)
        return {name: of for name, of in self.__dict__.items() if name != "_on_device"}

    def __len__(self) -> int:
        """Return the number of edges."""
        lazy = self._lazy("edges")
        return len(self.edges) if lazy is None else lazy.n_items

    def __repr__(self) -> str:
        vertices = "1 vertex" if self.n_vertices == 1 else f"{self.n_vertices} vertices"
        edges = f"{len(self)} edge{'s' * (len(self) != 1)}"
        trees = f"{self.n_trees} tree{'s' * (self.n_trees != 1)}"
        weight = f"total weight {self.total_weight}"
        return f"<warpgraph.SpanningForest: {vertices}, {edges}, {trees}, {weight}>"

    def _repr_html_(self) -> str:
        """Return a table of what `__repr__` says, with names and coordinates."""
        return html.table(
            "warpgraph.SpanningForest",
            {
                "vertices": f"{self.n_vertices:,}",
                "edges": f"{len(self):,}",
                "trees": f"{self.n_trees:,}",
                "total weight": str(self.total_weight),
                **html.of_vertices(self.names, self.coordinates),
            },
        )

    @property
    def n_trees(self) -> int:
        """Number of trees, isolated vertices included."""
        return self.n_vertices - len(self)

    @cached_property
    def labels(self) -> npt.NDArray[np.int32]:
        """The tree of each vertex, trees numbered in the order of their smallest vertices."""
        labels = new_array((self.n_vertices,), np.int32)
        lazy = self._lazy("edges")
        if lazy is None or not _core.lazy_forest_labels(lazy, labels):
            _core.forest_labels(self.edges, labels)
        return labels

    @property  # not cached: `weights` may be written to
    def total_weight(self) -> float | int:
        """Sum of the weights: exact for integers, correctly rounded for floats."""
        lazy = self._lazy("weights")
        total: float | int | None = None if lazy is None else _core.lazy_total_weight(lazy)
        return sum_of(self.weights) if total is None else total

    def _checked_edges(self) -> npt.NDArray[np.int32]:
        """Return the edges, which callers may write to, if they fit the other attributes."""
        edges = _as_edges(self.edges, self.n_vertices)
        if np.shape(self.weights) != (len(edges),):
            raise ValueError(
                f"weights must have one entry for each of the {len(edges)} edges, got shape "
                f"{np.shape(self.weights)}"
            )
        return edges

    def to_csr(self) -> sp.csr_array:
        """Return the forest as a SciPy CSR array.

        Each edge is stored once, above the diagonal: row its smaller end, column its larger one.
        An edge of weight zero is a stored zero.
        """
        edges = self._checked_edges()
        rows = _core.edge_rows(self.n_vertices, edges, _as_core_weights(self.weights))
        indptr, columns, weights = rows
        shape = (self.n_vertices, self.n_vertices)
        return sp.csr_array((weights, columns, indptr), shape=shape)

    def to_networkx(self, *, weight: str | None = None) -> nx.Graph:
        """Return the forest as a ``networkx.Graph`` with an attribute on each edge for its weight.

        Its nodes are the names of the vertices, or their numbers where they have no names.

        Parameters
        ----------
        weight : str, optional
            Name for the attribute; by default `weight_name`.

        Examples
        --------
        >>> import networkx as nx
        >>> roads = nx.Graph()
        >>> roads.add_edge("Rome", "Pisa", length=355.0)
        >>> forest = wg.minimum_spanning_forest(roads, weight="length")
        >>> list(forest.to_networkx().edges(data=True))
        [('Rome', 'Pisa', {'length': 355.0})]
        """
        import networkx as nx

        attribute = self.weight_name if weight is None else validate.name(weight, "weight")
        graph = nx.Graph()
        nodes = range(self.n_vertices) if self.names is None else self.names.tolist()
        graph.add_nodes_from(nodes)
        ends = self.edges if self.names is None else self.names[self.edges]
        tails, heads = ends.T.tolist()
        weighted = zip(tails, heads, self.weights.tolist(), strict=True)
        graph.add_weighted_edges_from(weighted, weight=attribute)
        return graph


def common_names(names: Array | None, others: Array | None, called: str) -> Array | None:
    """Return the names of all vertices of two forests, None if neither has names.

    Vertices of equal number must have equal names. `called` is the second forest in the message.
    """
    if names is None or others is None or names is others:
        return others if names is None else names
    for v, (name, other) in enumerate(zip(names, others, strict=False)):
        if name is not other and name != other:
            raise ValueError(
                f"vertex {v} of {called} is named {validate.shown(other)}, but another forest "
                f"names it {validate.shown(name)}; the vertices must be the same, in one order"
            )
    return names if len(names) >= len(others) else others


def _as_edges(edges: Any, n_vertices: int) -> npt.NDArray[np.int32]:
    """Return `edges` as an (m, 2) array of int32, the smaller end first."""
    array = validate.unmasked(edges, "edges")
    if array.size == 0:
        array = np.empty((0, 2), np.int32)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"edges must have shape (m, 2), got {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"edges must be integers, got an array of {array.dtype}")
    if array.size and (array.min() < 0 or array.max() >= n_vertices):
        bad = int(np.flatnonzero(((array < 0) | (array >= n_vertices)).any(axis=1))[0])
        raise ValueError(
            f"edges[{bad}] is {tuple(array[bad].tolist())}, but the forest has "
            f"{n_vertices} vertices"
        )
    first, second = array[:, 0], array[:, 1]
    if array.dtype == np.int32 and not (first > second).any():
        return validate.in_place(array, np.int32)
    ordered = np.empty(array.shape, np.int32)
    np.minimum(first, second, out=ordered[:, 0], casting="unsafe")  # all fit, as checked
    np.maximum(first, second, out=ordered[:, 1], casting="unsafe")
    return ordered


def _as_ids(edge_ids: Any) -> npt.NDArray[np.int64]:
    array = validate.unmasked(edge_ids, "edge_ids")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"edge_ids must be integers, got an array of {array.dtype}")
    if array.size and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"edge_ids contain {array.max()}, which is beyond the largest int64")
    return validate.in_place(array, np.int64)


def _as_core_weights(weights: Any) -> Array:
    """Return weights in a type and layout that the core takes, without a copy if they have it."""
    return validate.in_place(convert.normalise_weights(validate.unmasked(weights, "weights")))


def sum_of(weights: Array) -> float | int:
    """Return the sum of weights: exact for integers, correctly rounded for floats."""
    total: float | int = _core.total_weight(_as_core_weights(weights))
    return total


def refuse_other_kind(forest: SpanningForest, maximum: bool, advice: str = "") -> None:
    """Refuse a forest that is known to be of the other kind, minimum or maximum."""
    if forest._is_maximum is not None and forest._is_maximum != maximum:
        wanted, given = ("maximum", "minimum") if maximum else ("minimum", "maximum")
        raise ValueError(
            f"maximum={maximum} needs a {wanted} spanning forest, but the forest is a {given} one: "
            f"pass maximum={not maximum}{advice}"
        )
