"""The CSR arrays of a wg.Graph, which nobody else can write to, and other weights beside them.

A graph keeps what it derives from its arrays: an undirected form, a hierarchy, copies on devices.
If somebody wrote to an array afterwards, some answers would be of the old weights and some of the
new, and SciPy itself writes: ``matrix.sort_indices()`` permutes the entries in place, and so do
functions that call it. A checksum of 12 bytes an edge at each call would take longer than many a
call does, and a checksum of samples misses single entries. So arrays that can be written to are
copied once. NumPy itself protects arrays that are read-only, down to the memory that they are views
of, so these are used in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import convert, device as _device, foreign, on_device, validate
from warpgraph._arguments.hints import other_names
from warpgraph._arguments.names import are_positions, index_of
from warpgraph._arguments.new_array import copied

if TYPE_CHECKING:
    from warpgraph._arguments import types
    from warpgraph._graph.protocol import AnyGraph, Graph

Array = npt.NDArray[Any]
Value = TypeVar("Value")


def owned(arrays: Sequence[Array], given: Sequence[Any], copy: bool = True) -> list[Array]:
    """Return arrays that nobody else can write to: copies of those that somebody can.

    `given` are what a caller passed, from which `arrays` were converted, maybe without a copy.
    Unless `copy`, the caller has promised not to change them.
    """
    copies = [copy and _can_change(*pair) for pair in zip(arrays, given, strict=True)]
    # All copies, before the first is made, of arrays that only Python knows.
    needed = sum(array.nbytes for array, copies_it in zip(arrays, copies, strict=True) if copies_it)
    if needed:
        advice = "pass copy=False, which uses them in place, and leave them as they are"
        validate.NO_LIMIT.require("copying arrays that can be written to", needed, advice)
    return [copied(a) if copies_it else a for a, copies_it in zip(arrays, copies, strict=True)]


def _can_change(array: Array, given: Any) -> bool:
    """Return whether somebody else may write to an array that was converted from `given`.

    None: it was made for this graph, as the copy of an array on a device was. A read-only view is
    of an array that somebody may write to.
    """
    if given is None or foreign.is_on_device(given):
        return False
    if isinstance(given, np.ndarray) and not np.may_share_memory(array, given):
        return False
    part: Any = array
    while isinstance(part, np.ndarray):
        if part.flags.writeable:
            return True
        part = part.base
    return False


def read_only(array: Array) -> Array:
    """Return a view of an array that cannot be written to."""
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def from_csr(
    cls: type[Graph], indptr: Array, indices: Array, data: Array, *, copy: bool = True
) -> Graph:
    """Make a graph of CSR arrays, whose number of vertices is ``len(indptr) - 1``.

    Arrays that can be written to are copied, unless ``copy=False``, as those of a matrix are by
    `Graph`. Others, such as memory maps of mode "r", are used in place if their types allow it:
    `indptr` int32 or int64, `indices` int32, `data` float32, float64, int32 or int64.
    """
    copy = validate.flag(copy, "copy")
    there = on_device.csr((indptr, indices, data), copy=copy)
    if there is not None:
        return cls._of_device(there)
    arrays = convert.check_csr(indptr, indices, data)
    return cls._of_own(*owned(arrays, (indptr, indices, data), copy))


def to_csr(graph: Graph, *, copy: bool = True) -> sp.csr_array:
    """Return the graph as a SciPy CSR array.

    Parameters
    ----------
    copy : bool
        False: share the graph's memory. Its arrays are then read-only: what writes to them raises a
        ValueError, and so do some functions of SciPy that only read. By default they are copies,
        and changing them leaves the graph as it is.

    Returns
    -------
    scipy.sparse.csr_array
        With the entries in the order in which they are stored; parallel edges stay apart, but
        SciPy adds their weights in most operations.
    """
    copy = validate.flag(copy, "copy")
    # SciPy has one type for both arrays; given two types, it would copy the long array.
    narrow = graph.n_edges <= np.iinfo(np.int32).max
    indptr = graph.indptr.astype(np.int32, copy=False) if narrow else graph.indptr
    shape = (graph.n_vertices, graph.n_vertices)
    return sp.csr_array((graph.data, graph.indices, indptr), shape=shape, copy=copy)


def with_weights(graph: Graph, weights: types.ArrayLike, *, copy: bool = True) -> Graph:
    """Return a graph with the same edges and other weights.

    Parameters
    ----------
    weights : array_like, shape (n_edges,), or number
        The weight of each edge, in the order of `indices`, which `to_edges` also has; a number is
        the weight of all. Of any dtype that `Graph` takes, whatever that of this graph is.
    copy : bool
        False: use the array in place, if possible; it must not change afterwards, as for `Graph`.

    Returns
    -------
    Graph
        A new graph; this one stays as it is. Both share the arrays of the structure, names,
        coordinates, the structure's copies on devices, and whatever else was derived without
        reading weights: an unweighted hierarchy, hop counts, reversed edges for `bfs`. What
        depends on weights is derived anew when a call needs it.

    Raises
    ------
    ValueError
        Not one weight for each edge, or a weight that is NaN; the edge is named.
    TypeError
        Weights that are not real numbers.
    OverflowError
        An integer beyond int64.

    Notes
    -----
    The structure is not checked again. A copy of it on a GPU is freed when all graphs that share it
    are gone or cleared.

    Examples
    --------
    >>> roads = wg.Graph.from_edges([0, 0, 2], [1, 2, 1], [7.0, 2.0, 3.0])
    >>> wg.sssp(roads, 0).tolist()
    [0.0, 5.0, 2.0]
    >>> jam = roads.with_weights([7.0, 2.0, 9.0])
    >>> wg.sssp(jam, 0).tolist()
    [0.0, 7.0, 2.0]
    """
    copy = validate.flag(copy, "copy")
    if graph._on_device is not None:
        there = on_device.weights(weights, graph._on_device, copy=copy)
        if there is not None:
            return graph._of_same_structure(there)
    index = index_of(weights)
    if index is not None and not are_positions(index):
        raise ValueError(
            "weights must be in the order of to_edges(), and a Series with the index "
            f"{validate.shown(index[:3].tolist())}, ... may have another order: pass its "
            "to_numpy() if the order is right, or the table to Graph.from_dataframe()"
        )
    data = convert.as_weights(weights, "weights")
    if data.ndim == 0:
        data = np.full(graph.n_edges, data)
    if data.shape != (graph.n_edges,):
        raise ValueError(
            f"weights must be one number, or one for each of the {graph.n_edges} edges, "
            f"got shape {data.shape}"
        )
    converted = validate.in_place(convert.normalise_weights(data))
    (own,) = owned([converted], [weights], copy)
    return graph._of_same_structure(read_only(own))


def to_device(graph: Graph, device: str) -> Graph:
    """Copy the graph to a device now instead of at the first call there; return self.

    Parameters
    ----------
    device : str
        One GPU, such as ``"cuda"`` or ``"cuda:1"``. Nothing is copied to ``"cpu"``, where the graph
        is, nor again to a GPU that has it. Forms that calls make, such as weights in another type
        or the transposed graph, are copied when they are made.

    Raises
    ------
    DeviceError
        `device` is not there, or a list.
    MemoryError
        The GPU has not the memory.
    """
    name = _device.resolve(device)
    if name != "cpu":
        _core.make_resident(graph._handle, name, graph.dtype)
    return graph


def nbytes(graph: AnyGraph) -> int:
    """Bytes that this graph takes: its arrays, what was derived from them, device copies."""
    # Other threads may add to the dictionaries meanwhile; making a tuple is atomic.
    kept = graph.indptr, vars(graph).get("indices"), vars(graph).get("data")
    weights = tuple(graph._weights.values())
    arrays = {id(a): a.nbytes for a in (*kept, *weights) if isinstance(a, np.ndarray)}
    derived = sum(_bytes_of(value, graph) for value in tuple(graph._derived.values()))
    vertices = sum(a.nbytes for a in (graph.names, graph.coordinates) if a is not None)
    return sum(arrays.values()) + graph._handle.device_bytes() + derived + vertices


def _bytes_of(value: Any, graph: AnyGraph) -> int:
    if isinstance(value, tuple):
        return sum(_bytes_of(part, graph) for part in value)
    return 0 if value is graph else int(getattr(value, "nbytes", 0))


def clear(graph: AnyGraph) -> None:
    """Free everything derived: converted weights, the undirected form, device copies.

    Also frees the page-locked host memory of copies from devices, for all graphs. What a call
    in another thread still uses is freed when that call ends.
    """
    with graph._locked():
        graph._derived.clear()
        own = graph._weights[graph.dtype]
        graph._weights = {graph.dtype: own}
        if graph._on_device is not None:  # copies on the host
            vars(graph).pop("indices", None)
            if isinstance(own, _core.DeviceArray):
                vars(graph).pop("data", None)
        graph._drop_device_copies()
    _core.free_idle_pinned()


def drop_device_copies(graph: AnyGraph) -> None:
    """Free the copies on devices and what was derived from them there, as `clear` does."""
    with graph._locked():
        handle = graph._handle.structure_only()
        for weights in graph._weights.values():
            set_weights(handle, weights)
        graph._handle = handle


def set_weights(handle: _core.Graph, weights: Array | _core.DeviceArray) -> None:
    """Give a handle weights on the host, or on the device that has its structure."""
    if isinstance(weights, _core.DeviceArray):
        _core.use_weights(handle, weights)
    else:
        _core.set_weights(handle, weights)


def read_from_handle(graph: AnyGraph, name: str) -> Any:
    """Return the array `indices` or `data` of a graph whose handle alone has it.

    It lies on a device, or has numbers of 64 bits, which the handle narrows.
    """
    handle = vars(graph).get("_handle")
    reads = {"indices": _core.heads_on_host, "data": _core.weights_on_host}
    if handle is None or name not in reads:
        return other_names.no_attribute_of(graph, name)
    array = reads[name](handle)
    # Other threads may do the same: each step is atomic, and all get one array.
    kept: Array = vars(graph).setdefault(name, read_only(array))
    return kept


class Fixed(Generic[Value]):
    """An attribute that is not assigned any more when its object has been made.

    Parameters
    ----------
    reason : str
        The end of the message: why, and what to do instead.
    since : str, optional
        The attribute whose presence shows that the object has been made; by default, this one.
    """

    def __init__(self, reason: str, *, since: str | None = None) -> None:
        self._reason, self._since = reason, since
        self.__doc__ = None  # the class of the object describes its attributes

    def __set_name__(self, owner: type, name: str) -> None:
        self._name, self._owner = name, owner.__name__
        self._since = self._since or name

    def __get__(self, made: Any, owner: type | None = None) -> Value:
        if made is None:
            itself: Any = self
            return itself  # type: ignore[no-any-return]
        try:
            value: Value = vars(made)[self._name]
        except KeyError:  # an array of a graph on a device is read from there by __getattr__
            raise AttributeError(
                f"{type(made).__name__!r} object has no attribute {self._name!r}"
            ) from None
        return value

    def __set__(self, made: Any, value: Value) -> None:
        if self._since in vars(made):
            raise AttributeError(
                f"{self._name} of a {self._owner} cannot be assigned, {self._reason}"
            )
        vars(made)[self._name] = value

    def __delete__(self, made: Any) -> None:
        raise AttributeError(f"{self._name} of a {self._owner} cannot be deleted, {self._reason}")


def fixed_array() -> Fixed[Array]:
    """Return an array of a Graph."""
    return Fixed(
        "since results are kept with it: make a new Graph, or one with other weights by "
        "with_weights()",
        since="_handle",
    )
