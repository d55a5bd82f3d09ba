"""wg.Graph: a graph that was checked once and keeps what is derived from it between calls."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Hashable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import convert, hints, nx_graphs, validate
from warpgraph._arguments.names import Names
from warpgraph._arguments.on_device import CsrOnDevice
from warpgraph._graph import (
    arrays as _graph_arrays,
    coordinates as _coordinates,
    derived as _graph_derived,
    forms,
    html,
    libraries,
    turns,
    weights as _weights,
)
from warpgraph._graph.methods import files, kept, structure, vertices
from warpgraph._graph.methods.vertices import like, named
from warpgraph._graph.weights import convert_weights, lengths_as

if TYPE_CHECKING:
    from warpgraph._arguments import types

__all__ = ["Graph", "as_graph", "convert_weights", "lengths_as", "like", "named", "names_of"]

Array = npt.NDArray[Any]
P = ParamSpec("P")
G = TypeVar("G", bound="Graph")

#: Number of forks that led to this process. At a fork, another thread of the parent may have held
#: the lock of a graph; that thread does not exist in the child. So a copied graph gets a new lock.
_forks = 0


def _count_fork() -> None:
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_count_fork)


def _makes(how: Callable[Concatenate[type[Graph], P], Graph]) -> classmethod[Graph, P, Graph]:
    """Return a class method that makes a graph, of a function that type checkers see through."""
    return classmethod(hints.hinted(how))


class Graph:
    """A graph, validated once, with device copies and derived forms kept between calls.

    Every function of warpgraph takes a graph in any supported format; passing a `Graph` instead
    saves the checks and, on a GPU, the copy.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is the edge i -> j. Stored zeros are edges of weight zero, parallel entries
        are parallel edges, in a COO matrix, too. A dense array follows SciPy's csgraph rules: 0,
        inf and NaN are no edges. CSR matrices of CuPy, PyTorch and JAX (BCSR) are taken, too; on a
        GPU they stay there. The nodes of a NetworkX graph are numbered in its order, and are the
        names of the vertices.
    weight : str or None
        Edge attribute that has the weights: numbers, or texts that are numbers. None: all edges
        weigh 1. It is for NetworkX graphs, where an edge without it weighs 1, as in NetworkX, with
        a warning.
    names : sequence, optional
        A name for each vertex: hashable and all different. By default those of `graph`, if it has
        names.
    coordinates : array_like, shape (n_vertices, d), optional
        A point for each vertex, for pictures, files and A*; by default those of `graph`.
    copy : bool
        True: changing a matrix afterwards does not change the graph, since arrays of a CSR matrix
        that can be written to are copied; read-only ones, such as memory maps of mode "r", are used
        in place. False: use all in place, if their types allow it. Then they must not change, which
        is not detected: answers would be of old and new weights, and unchecked indices may crash
        the process, as arrays of any function may that are written to during the call.

    Attributes
    ----------
    n_vertices, n_edges : int
        Number of vertices; number of stored entries, so an undirected edge that is stored both
        ways counts twice.
    names : ndarray, shape (n_vertices,), or None
        ``names[v]`` is the name of vertex v: int64 if all are integers, else objects or strings.
    coordinates : ndarray of float64, shape (n_vertices, d), or None
        The point of each vertex.
    weight_name : str
        The name of the attribute or column that had the weights, ``"weight"`` if there was none:
        what `to_networkx`, `to_igraph`, `to_dataframe` and `warpgraph.io.write` call them.
    indptr, indices, data : ndarray
        The CSR arrays: int32 or int64, shape (n_vertices + 1,); int32, shape (n_edges,); weights.
        All are read-only: `with_weights` returns a graph with other weights.

    Raises
    ------
    ValueError
        Not square, an index out of range, unsorted indptr, a NaN weight, or an attribute that no
        edge has; the entry or edge is named.
    TypeError
        Not a graph, or weights that are not real numbers.

    Notes
    -----
    Parallel edges stay apart: the lightest counts in paths and trees, and the weights of all add up
    where they are shares, as in `pagerank`. SciPy adds up the parallel entries of a COO matrix when
    it converts it: (0, 1) stored as 5 and 3 is a distance of 3 here, and of 8 after
    ``matrix.tocsr()``, which is the one to pass where the sum is meant. How many parallel entries
    a matrix has is a warning for COO, and information in the log for CSR and CSC.

    An integer weight is always a number, never "no edge". The largest integer of an integer dtype
    means "unreachable" in results, so it cannot be a distance: a weight equal to it, or beyond it,
    raises OverflowError when distances of that dtype are requested. With float distances it is an
    ordinary number. Only a float weight of inf is an edge that is never used. Spanning forests
    compare weights and do not add them, so all of these are ordinary weights there.

    Where vertices have names, every function takes a vertex by its name, even if the names are
    integers: in a NetworkX graph with the nodes 2, 1 and 0, in this order, source 2 is the first
    vertex. Paths are given by name, too. Other results have an entry for each vertex, in the order
    of `names`, or vertex numbers, as predecessors and edges of forests; `number_of` finds them.

    Examples
    --------
    >>> import networkx as nx
    >>> import warpgraph as wg
    >>> roads = nx.Graph()
    >>> roads.add_edge("Rome", "Pisa", length=355.0)
    >>> roads.add_edge("Pisa", "Genoa", length=165.0)
    >>> graph = wg.Graph(roads, weight="length")
    >>> distances, tree = wg.sssp(graph, "Rome", return_predecessors=True)
    >>> float(distances[graph.number_of("Genoa")])
    520.0
    >>> wg.reconstruct_path(tree, "Rome", "Genoa", graph=graph).tolist()
    ['Rome', 'Pisa', 'Genoa']
    """

    _names: Names | None = None
    #: Names for errors alone, of a graph that is searched by numbers: see `_unnamed`.
    _names_in_errors: Names | None = None
    indptr, indices, data = (_graph_arrays.fixed_array() for _ in range(3))
    coordinates = _coordinates.CoordinatesOfGraph()
    weight_name: str = nx_graphs.DEFAULT_WEIGHT
    _on_device: CsrOnDevice | None = None
    #: The arrays of the caller's matrix, of a graph for the time of a call.
    _given: tuple[Any, ...] = ()

    @hints.hinted
    def __init__(
        self,
        graph: types.GraphLike,
        *,
        weight: str | None = nx_graphs.DEFAULT_WEIGHT,
        names: Collection[Hashable] | None = None,
        coordinates: types.ArrayLike | None = None,
        copy: bool = True,
    ) -> None:
        copy = validate.flag(copy, "copy")
        weight = nx_graphs.check_weight(weight, graph)
        ours = graph if isinstance(graph, Graph) else None
        there = convert.csr_on_device(graph, copy=copy) if ours is None else ours._on_device
        if there is not None:
            self._set_on_device(there)
        elif ours is not None:
            self._set(ours.indptr, ours.indices, ours.data)
        else:
            arrays, given = convert.to_csr(graph, weight), convert.arrays_in_place(graph)
            self._set_own(*_graph_arrays.owned(arrays, given, copy))
            convert.tell_of_parallel(graph, self._handle)
        self.weight_name = weight or nx_graphs.DEFAULT_WEIGHT
        if ours is not None:
            self.weight_name, vars(self)["coordinates"] = ours.weight_name, ours.coordinates
        self._names = names_of(graph) if names is None else Names.given(names, self.n_vertices)
        if coordinates is not None:
            self.coordinates = coordinates

    def _set(self, indptr: Array, indices: Array, data: Array, *, defers: bool = False) -> None:
        self.indptr = indptr
        if indices.dtype == np.int32:  # others are read from the handle, which narrows them
            self.indices = indices
        self._hold(_core.graph(indptr, indices, defers), data)

    def _set_own(self, *arrays: Array) -> None:
        self._set(*map(_graph_arrays.read_only, arrays))

    def _set_on_device(self, arrays: CsrOnDevice) -> None:
        self.indptr, self._on_device = _graph_arrays.read_only(arrays.indptr), arrays
        self._hold(_core.graph_on_device(self.indptr, *arrays[1:3]), arrays.data)

    if not TYPE_CHECKING:  # type checkers know the attributes from `_set`

        def __getattr__(self, name: str) -> Any:
            """Return `indices` or `data`, which the handle makes or copies when first read."""
            return _graph_arrays.read_from_handle(self, name)

    def _hold(self, handle: _core.Graph, data: Array | _core.DeviceArray) -> None:
        self._handle = handle
        if isinstance(data, np.ndarray):
            vars(self)["data"] = data
        self._lock, self._lock_of = threading.RLock(), _forks
        self._weights: dict[np.dtype[Any], Array | _core.DeviceArray] = {}
        self._derived: dict[str, Any] = {}
        self._adopt(data)

    @classmethod
    def _of_own(cls: type[G], indptr: Array, indices: Array, data: Array) -> G:
        """Return a graph of CSR arrays that nobody else will write to: they are never copied."""
        graph = cls.__new__(cls)
        graph._set_own(*convert.check_csr(indptr, indices, data))
        return graph

    @classmethod
    def _of_device(cls: type[G], arrays: CsrOnDevice) -> G:
        """Return a graph of CSR arrays on a device that nobody else will write to."""
        graph = cls.__new__(cls)
        graph._set_on_device(arrays)
        return graph

    @classmethod
    def _borrowing(cls, graph: Any, weight: str | None, defers: bool) -> Graph:
        """Make a graph for the time of a call, while which the caller's arrays do not change."""
        made = cls.__new__(cls)
        there = convert.csr_on_device(graph, copy=False)
        if there is not None:
            made._set_on_device(there)
        else:
            made._given = convert.arrays_in_place(graph)
            made._set(*convert.to_csr(graph, weight, narrows=not defers), defers=defers)
            convert.tell_of_parallel(graph, made._handle)
        made.weight_name = weight or nx_graphs.DEFAULT_WEIGHT
        return named(made, names_of(graph))

    @classmethod
    def _with_names(cls: type[G], arrays: tuple[Array, Array, Array], names: Any) -> G:
        """Make a graph of CSR arrays and the names of its vertices, or None."""
        n = len(arrays[0]) - 1
        return named(cls._of_own(*arrays), None if names is None else Names.given(names, n))

    _unpickled = _makes(forms._unpickled)
    from_csr = _makes(_graph_arrays.from_csr)
    from_edges = _makes(forms.from_edges)
    from_dataframe = _makes(forms.from_dataframe)
    from_igraph = _makes(libraries.from_igraph)
    from_networkx = _makes(libraries.from_networkx)
    read = _makes(files.read)
    write = files.write
    with_weights = _graph_arrays.with_weights
    with_turns = turns.with_turns
    to_csr = _graph_arrays.to_csr
    to_edges = forms.to_edges
    to_dataframe = forms.to_dataframe
    to_igraph = libraries.to_igraph
    to_networkx = libraries.to_networkx
    _repr_html_ = html.of_graph

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = self.indptr, self.indices, self.data
        return Graph._unpickled, (*arrays, self.names, self.coordinates, self.weight_name)

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(vars(self)["indptr"]) - 1  # which is always on the host

    def __len__(self) -> int:
        """Return the number of vertices."""
        return self.n_vertices

    @property
    def n_edges(self) -> int:
        """Number of stored entries."""
        return self._handle.n_arcs

    @property
    def shape(self) -> tuple[int, int]:
        """``(n_vertices, n_vertices)``, as of the matrix."""
        return self.n_vertices, self.n_vertices

    @property
    def names(self) -> Array | None:
        """The name of each vertex, shape (n_vertices,), or None."""
        return None if self._names is None else self._names.array

    number_of = vertices.number_of

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the weights as stored."""
        return _core.dtype_of_weights(self._handle)

    @property
    def nbytes(self) -> int:
        """Bytes that this graph takes: its arrays, what was derived from them, device copies."""
        return _graph_arrays.nbytes(self)

    to = _graph_arrays.to_device
    clear = _graph_arrays.clear
    _drop_device_copies = _graph_arrays.drop_device_copies

    degrees = structure.degrees
    neighbors = structure.neighbors
    reverse = structure.reverse
    subgraph = structure.subgraph
    is_directed = structure.is_directed
    has_negative_weights = structure.has_negative_weights
    has_parallel_edges = structure.has_parallel_edges
    has_self_loops = structure.has_self_loops

    def __repr__(self) -> str:
        sizes = f"{self.n_vertices} vertices, {self.n_edges} edges"
        return f"<warpgraph.Graph: {sizes}, {self.dtype} weights, {self.nbytes} bytes>"

    def _locked(self) -> threading.RLock:
        if self._lock_of != _forks:
            self._lock, self._lock_of = threading.RLock(), _forks
        return self._lock

    _find_vertex = vertices.find_vertex
    _find_vertices = vertices.find_vertices
    _named_vertices = vertices.named_vertices
    _unnamed = vertices.unnamed
    _names_as_ids = vertices.names_as_ids
    _shown = vertices.shown

    def _handle_for(
        self,
        dtype: np.dtype[Any] | None,
        ledger: _core.Ledger = validate.NO_LIMIT,
        *,
        on: str = "cpu",
    ) -> _core.Graph:
        """Return the core's handle, with weights for distances of type `dtype`; None: with none.

        `on`: the device that reads them, where other weights are converted.
        """
        if dtype is None:
            return self._handle
        if dtype == (own := self.dtype):
            if own.kind == "i":
                _weights.refuse_unreachable(self)
            return self._handle
        with self._locked():
            if dtype not in self._weights and not self._converts_on(on, dtype):
                self._handle.check()
                lengths = lengths_as(self, dtype, ledger)
                if kept.ends_call():
                    return self._of_same_structure(lengths)._handle
                self._adopt(lengths)
            return self._handle

    def _converts_on(self, device: str, dtype: np.dtype[Any]) -> bool:
        return device != "cpu" and _core.convert_lengths_on(self._handle, dtype, device)

    _derive = kept.derive
    _forget = kept.forget
    _known = kept.known
    _known_keys = kept.known_keys
    _undirected = _graph_derived.undirected
    _transposed = _graph_derived.transposed
    _is_mirrored = _graph_derived.is_mirrored
    _has_sorted_rows = _graph_derived.has_sorted_rows
    _longest_row = _graph_derived.longest_row
    _has_mirrored_structure = _graph_derived.has_mirrored_structure
    _is_known_mirrored = _graph_derived.is_known_mirrored
    _known_undirected = _graph_derived.known_undirected
    _undirected_structure = _graph_derived.undirected_structure
    _known_form = _graph_derived.known_form
    _upper_triangle = _graph_derived.upper_triangle

    def _with_same_vertices(self: G, indptr: Array, indices: Array, data: Array) -> G:
        return like(type(self)._of_own(indptr, indices, data), self)

    def _of_same_structure(self: G, data: Array | _core.DeviceArray) -> G:
        """Return a graph with the same edges, which keeps what does not depend on weights."""
        made = type(self).__new__(type(self))
        with self._locked():
            derived = _graph_derived.kept_of_structure(self)
            made.__dict__.update(self.__dict__)
            made.__dict__.pop("data", None)
            if made._on_device is not None:
                made._on_device = made._on_device._replace(data=data)
            made._hold(self._handle.with_structure(), data)
        made._derived = derived
        return made

    _first_negative = _weights.first_negative
    _heaviest = _weights.heaviest
    _weight_summary = _weights.weight_summary
    _refuse_negative = _weights.refuse_negative

    def _adopt(self, weights: Array | _core.DeviceArray) -> None:
        _graph_arrays.set_weights(self._handle, weights)
        self._weights[weights.dtype] = weights


def as_graph(
    graph: Any,
    weight: str | None = nx_graphs.DEFAULT_WEIGHT,
    *,
    reads_weights: bool = True,
    keeps: bool = False,
    defers_checks: bool = False,
) -> Graph:
    """Return `graph` itself if it is a Graph, else a new Graph of it.

    `weight` is what `Graph` takes. Unless weights are read, those of a NetworkX graph are all 1.
    Arrays of a matrix are used in place, if possible, unless the graph is kept after the call. They
    are checked now or, if that is deferred, when the core first reads them.
    """
    weight = nx_graphs.check_weight(weight, graph)
    if isinstance(graph, Graph):
        return graph
    turns.refuse(graph)
    weight = weight if reads_weights or not nx_graphs.is_networkx(graph) else None
    if keeps:
        return Graph(graph, weight=weight)
    return Graph._borrowing(graph, weight, defers_checks)


def names_of(graph: Any) -> Names | None:
    """Return the names of the vertices of any graph, if they have names."""
    if isinstance(graph, Graph):
        return graph._names
    return Names(graph, len(graph)) if nx_graphs.is_networkx(graph) else None
