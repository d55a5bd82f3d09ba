"""wg.Hierarchy: the preparation of method="hierarchy", kept on a graph and in files."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, errors, validate
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.new_array import aligned
from warpgraph._files.text import written_whole
from warpgraph._graph.arrays import Fixed
from warpgraph._graph.graph import Graph
from warpgraph._paths import sssp
from warpgraph._paths.hierarchies import customizable as _customizable, file as hierarchy_file
from warpgraph._paths.hierarchies.kept import Kept

if TYPE_CHECKING:
    from warpgraph._arguments import types
    from warpgraph._graph.turns import TurnGraph

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]
Report = Callable[[int, int], Any] | None

_PREPARED = "since it describes what was prepared: customize() makes the one of other weights"


class Hierarchy:
    """A graph prepared for shortest paths from many sources, or between many pairs.

    ``method="hierarchy"`` of `many_to_many` and `shortest_path` makes one when it is first called
    with a graph and keeps it there if that is a `Graph`. Making it here does so beforehand, and
    gives access to its size and to files. Two hierarchies of a graph share what was prepared.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, Graph, or TurnGraph
        As for `many_to_many`; weights must not be negative.
    directed, unweighted : bool
        As for `many_to_many`: what is prepared serves calls with the same values.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    memory_limit : int, float or str, optional
        Bytes that the call may take, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts contracted vertices.
    customizable : bool
        True: find the order of contraction and all shortcuts from the edges alone, whatever they
        weigh [2]_. That takes longer and gives more arcs, but `customize` then makes the hierarchy
        of other weights in a small part of the time.

    Attributes
    ----------
    graph : Graph or TurnGraph
        The graph with which calls use this hierarchy.
    customizable : bool
        Whether `customize` may be called.
    n_vertices : int
        Number of vertices.
    n_arcs : int
        Arcs that a sweep reads: about three per vertex on road networks, twice that if edges
        differ by direction.
    n_levels : int
        Sequential steps of a sweep.
    n_core : int
        Vertices whose distances to each other are tabulated.
    dtype : dtype
        Type of the sums: int32 or int64 if all weights are integers and sums of them
        fit 62 bits, else float64.
    relative_error : float
        How far float distances may be off, relative to what they are: the number of additions
        times 2**-53, and one rounding to the dtype of the result; 0 if distances are exact.
    nbytes : int
        Bytes that it takes, copies on devices and arrays of `shortest_path` included.

    Raises
    ------
    ValueError
        The graph has no small hierarchy, as social networks have none, or a negative weight.
        `customizable` and `unweighted` are both True.
    OverflowError
        Weights of an integer dtype whose sums might not fit 62 bits. Such integers with a float
        dtype are added as float64 instead; then distances of an integer dtype raise it.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.

    Notes
    -----
    Vertices are contracted in the order of their importance, which shortcuts and witnesses of their
    weights decide [1]_; with `customizable`, in an order of nested dissection by minimum vertex
    cuts [2]_.

    References
    ----------
    .. [1] R. Geisberger, P. Sanders, D. Schultes, D. Delling, "Contraction hierarchies: faster and
       simpler hierarchical routing in road networks", WEA 2008.
    .. [2] J. Dibbelt, B. Strasser, D. Wagner, "Customizable contraction hierarchies", ACM Journal
       of Experimental Algorithmics 21, 2016.

    Examples
    --------
    >>> graph = wg.Graph(wg.generators.grid(100, 100, seed=0))
    >>> wg.Hierarchy(graph).save("grid.npz")
    >>> hierarchy = wg.Hierarchy.load("grid.npz", graph)
    >>> wg.many_to_many(graph, [0, 1], method="hierarchy").shape
    (2, 10000)
    """

    graph: Fixed[Graph | TurnGraph] = Fixed(_PREPARED)
    customizable: Fixed[bool] = Fixed(_PREPARED)
    n_vertices, n_arcs, n_levels, n_core = (Fixed[int](_PREPARED) for _ in range(4))
    dtype: Fixed[np.dtype[Any]] = Fixed(_PREPARED)
    relative_error: Fixed[float] = Fixed(_PREPARED)

    @hinted
    def __init__(
        self,
        graph: types.GraphLike,
        *,
        directed: bool = True,
        unweighted: bool = False,
        weight: str | None = "weight",
        memory_limit: validate.MemoryLimitLike = None,
        progress: validate.ProgressLike = None,
        customizable: bool = False,
    ) -> None:
        unweighted = validate.flag(unweighted, "unweighted")
        ledger = validate.ledger(memory_limit)
        report = validate.progress(progress, "hierarchy")
        kept = Kept.of(graph, validate.flag(directed, "directed"), unweighted, weight, ledger)
        if validate.flag(customizable, "customizable"):
            _customizable.refuse_unweighted(unweighted)
            structure = _customizable.structure_of(kept.searched, None, ledger, report)
            self._customize(kept, structure, "cpu", ledger)
        else:
            self._set(kept, prepared(kept.form, unweighted, ledger, report))

    def _set(self, kept: Kept, prepared: Prepared, order: Array | None = None) -> None:
        self._kept, self._prepared, self._order = kept, prepared, order
        self.graph, self.customizable = kept.graph, order is not None
        for name in ("n_vertices", "n_arcs", "n_levels", "n_core", "dtype"):
            setattr(self, name, prepared.figures[name])
        units = prepared.figures["rounding_units"] if self.dtype.kind == "f" else 0
        self.relative_error = units * 2.0**-53

    def _customize(
        self, kept: Kept, structure: _customizable.Structure, device: str, ledger: _core.Ledger
    ) -> None:
        form = kept.form
        form._refuse_negative("a hierarchy")

        def make() -> Prepared:
            made = _customizable.customized(structure, kept.searched, kept.directed, device, ledger)
            return _charged(Prepared(made), ledger)

        self._set(kept, form._derive(key(False), make), structure.order)

    @hinted
    def customize(
        self,
        weights: types.ArrayLike | types.GraphLike,
        *,
        memory_limit: validate.MemoryLimitLike = None,
        progress: validate.ProgressLike = None,
        device: types.Device = "auto",
    ) -> Hierarchy:
        """Make the hierarchy of the same graph with other weights.

        The order and the shortcuts are shared; only the lengths of arcs are computed, on all cores
        or a GPU, and arcs that no shortest path needs are dropped.

        Parameters
        ----------
        weights : array_like, shape (n_edges,), number, Graph, or TurnGraph
            The weight of each edge, as for `Graph.with_weights`; or a graph that has the same edges
            in the same order, such as one that `Graph.with_weights` has made. Of a graph with
            turns, a TurnGraph whose table lists turns from the same edges and forbids the same
            ones; their costs may be others.
        memory_limit : int, float or str, optional
            As for `Hierarchy`.
        progress : bool or callable, optional
            As for `Hierarchy`; used where the shortcuts must be found again, after `load`.
        device : str
            Where to run; see `warpgraph.devices`. "auto" is the cores. A GPU makes the same
            hierarchy to the last bit. It keeps the shortcuts with the graph.

        Returns
        -------
        hierarchy : Hierarchy
            The one of the new weights. Its attribute `graph` keeps it: calls that are to use it
            take that graph, which is `weights` itself if that is one. This hierarchy stays.

        Raises
        ------
        ValueError
            It was not made with ``customizable=True``. Not one weight for each edge, a weight that
            is NaN or negative, or a graph of other edges.
        OverflowError, MemoryError
            As for `Hierarchy`.
        DeviceError
            `device` is not here.

        Notes
        -----
        Customization takes time for the triangles of the shortcuts: about 7 million on New York's
        roads, twice each. A graph that keeps a hierarchy already is left as it is.

        Examples
        --------
        >>> roads = wg.Graph(wg.generators.grid(100, 100, seed=0))
        >>> hierarchy = wg.Hierarchy(roads, customizable=True)
        >>> evening = hierarchy.customize(roads.data * 2)
        >>> wg.many_to_many(evening.graph, [0, 1], method="hierarchy").shape
        (2, 10000)
        """
        if self._order is None:
            raise ValueError(
                "this hierarchy is of its weights alone; make one for any weights by "
                "Hierarchy(graph, customizable=True)"
            )
        ledger = validate.ledger(memory_limit)
        report = validate.progress(progress, "hierarchy")
        where = _device.resolve(device)
        graph = _customizable.graph_of(weights, self.graph)
        kept = Kept.of(graph, self._kept.directed, False, "weight", ledger)
        structure = _customizable.structure_of(self._kept.searched, self._order, ledger, report)
        made = type(self).__new__(type(self))
        made._customize(kept, structure, where, ledger)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (
            self._kept,
            _core.hierarchy_arrays(self._prepared.handle),
            self._order,
        )

    @property
    def nbytes(self) -> int:
        """Bytes that it takes, copies on devices included."""
        return self._prepared.nbytes

    def __repr__(self) -> str:
        return (
            f"<warpgraph.Hierarchy: {self.n_vertices} vertices, {self.n_arcs} arcs, "
            f"{self.n_levels} levels, {self.dtype} distances, {self.nbytes} bytes>"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the hierarchy to a file in NumPy's .npz format.

        Parameters
        ----------
        path : str or path-like
            The file; what it held before is replaced once all is written.
        """
        arrays = _core.hierarchy_arrays(self._prepared.handle)
        if self._order is not None:
            arrays["order"] = self._order
        with written_whole(errors.path_of(path), compressed=False) as file:
            np.savez(
                file,
                format=hierarchy_file.FORMAT,
                graph=hierarchy_file.fingerprint(self._kept.form, self._kept.unweighted),
                unweighted=self._kept.unweighted,
                **arrays,
            )

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        graph: types.GraphLike,
        *,
        directed: bool = True,
        weight: str | None = "weight",
    ) -> Hierarchy:
        """Read a file that `save` has written, and keep the hierarchy on the graph.

        Parameters
        ----------
        path : str or path-like
            The file.
        graph : sparse array or matrix, ndarray, networkx.Graph, Graph, or TurnGraph
            The graph that it was made of, with the same edges and weights in the same order.
        directed : bool
            As for `Hierarchy`, when it was made.
        weight : str or None
            As for `Hierarchy`, when it was made.

        Returns
        -------
        hierarchy : Hierarchy
            The one that was saved.

        Raises
        ------
        ValueError
            The file holds no hierarchy, is damaged, or was made of another graph.
        """
        arrays = hierarchy_file.read(errors.path_of(path))
        unweighted = bool(arrays.pop("unweighted"))
        directed = validate.flag(directed, "directed")
        kept = Kept.of(graph, directed, unweighted, weight, validate.NO_LIMIT)
        form = kept.form
        if arrays.pop("graph") != hierarchy_file.fingerprint(form, unweighted):
            raise ValueError(
                f"{os.fspath(path)!r} holds the hierarchy of another graph, or of one with other "
                "weights, or was made with another value of directed="
            )
        order = hierarchy_file.order_of(path, arrays, kept.searched.n_vertices)
        loaded = Prepared(hierarchy_file.restore(path, arrays))
        if loaded.figures["n_vertices"] != form.n_vertices:
            raise hierarchy_file.damaged(path, f"it has {loaded.figures['n_vertices']} vertices")
        return cls._keep(kept, loaded, order)

    @classmethod
    def _keep(cls, kept: Kept, loaded: Prepared, order: Array | None) -> Hierarchy:
        """Keep a loaded hierarchy on the graph."""
        hierarchy = cls.__new__(cls)
        hierarchy._set(kept, kept.form._derive(key(kept.unweighted), lambda: loaded), order)
        return hierarchy


class Prepared:
    """The core's hierarchy of one graph; what a Graph keeps."""

    def __init__(self, handle: _core.HierarchyHandle) -> None:
        self.handle = handle
        self.figures = handle.figures()

    @property
    def nbytes(self) -> int:
        """Bytes that it takes, copies on devices and arrays of path queries included."""
        return int(self.figures["nbytes"]) + self.handle.kept_bytes()

    @property
    def is_exact(self) -> bool:
        """True if distances are added up as integers."""
        return bool(self.figures["dtype"].kind == "i")


def _unpickled(kept: Kept, arrays: dict[str, Any], order: Array | None) -> Hierarchy:
    handle = _core.restore_hierarchy(aligned(arrays))
    return Hierarchy._keep(kept, Prepared(handle), aligned(order))


def _charged(made: Prepared, ledger: _core.Ledger) -> Prepared:
    ledger.charge(made.nbytes)
    return made


# For many_to_many and shortest_path. `graph` is the graph that they search: mirrored, if edges are
# undirected.


def prepared(graph: Graph, unweighted: bool, ledger: _core.Ledger, report: Report) -> Prepared:
    """Return the graph's hierarchy; make it unless it is kept already."""
    if not unweighted:
        graph._refuse_negative("a hierarchy")
    if (refusal := graph._known(key(unweighted) + " refused")) is not None:
        raise ValueError(refusal)
    made: Prepared = graph._derive(
        key(unweighted), lambda: _prepare(graph, unweighted, ledger, report)
    )
    return made


def kept(
    graph: Graph | None, unweighted: bool, dtype: np.dtype[Any] | None = None
) -> dict[str, Any]:
    """Return what plans may know of a hierarchy that is kept, for distances of `dtype` or any."""
    known: Prepared | None = None if graph is None else graph._known(key(unweighted))
    if known is None or not (dtype is None or dtype.kind == "f" or known.is_exact):
        return {}
    return {"hierarchy": known.handle.sizes}


def facts(graph: Graph, unweighted: bool, ledger: _core.Ledger) -> dict[str, Any]:
    """Return what plans may know of the graph's hierarchy, and of one that may be made."""
    return {
        **kept(graph, unweighted),
        "fits_float32": lambda: _fits_float32(graph, unweighted, ledger),
    }


def method_of(by: tuple[str, str], graph: Graph, unweighted: bool, ledger: _core.Ledger) -> str:
    """Return the first method, or the second if that is a hierarchy that cannot be made."""
    method, otherwise = by
    if method == "hierarchy" and otherwise:
        try:
            prepared(graph, unweighted, ledger, None)
        except (ValueError, OverflowError, MemoryError) as refusal:
            logger.info("%s instead of hierarchy: %s", otherwise, refusal)
            return otherwise
    return method


def _fits_float32(graph: Graph, unweighted: bool, ledger: _core.Ledger) -> bool:
    """Return whether float32 is proven to hold all distances, which are integers, exactly."""

    def find_bound() -> float:
        return sssp.distance_bound(graph, unweighted, 2.0**24, ledger)

    try:
        return bool(graph._derive(key(unweighted) + " bound", find_bound) < 2.0**24)
    except MemoryError as refusal:
        logger.info("distances are not proven to be exact in float32: %s", refusal)
        return False


def key(unweighted: bool) -> str:
    """Return the name by which a graph keeps its hierarchy."""
    return "hierarchy, unweighted" if unweighted else "hierarchy"


def _prepare(graph: Graph, unweighted: bool, ledger: _core.Ledger, report: Report) -> Prepared:
    begin = time.perf_counter()
    symmetric = graph._has_mirrored_structure() if unweighted else graph._is_mirrored()
    try:
        handle = _core.build_hierarchy(
            graph._handle,
            graph.dtype,
            bool(unweighted),
            report,
            symmetric=symmetric,
            ledger=ledger.on_host(),
        )
    except ValueError as refusal:
        reason = str(refusal)
        graph._derive(key(unweighted) + " refused", lambda: reason)
        raise
    made = _charged(Prepared(handle), ledger)
    logger.info(
        "made a hierarchy of %d arcs and %d levels for %d vertices in %.3g s",
        made.figures["n_arcs"],
        made.figures["n_levels"],
        graph.n_vertices,
        time.perf_counter() - begin,
    )
    return made
