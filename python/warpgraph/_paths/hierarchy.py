"""wg.Hierarchy: the preparation of method="hierarchy", kept on a graph and in files."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, validate
from warpgraph._files.text import written_whole
from warpgraph._graph import turns
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._paths import hierarchy_file, sssp

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]
Report = Callable[[int, int], Any] | None

#: Largest number of rows whose predecessors are recovered at a time.
_ROWS_OF_TREES = 32


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
        Attribute of a NetworkX graph that has the weights, as for `Graph`.
    memory_limit : int, float or str, optional
        Bytes, or a size such as "2GB" or "512 MiB", that the preparation may take; by
        default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)`` that is called with the number of
        contracted vertices.

    Attributes
    ----------
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
    OverflowError
        Weights of an integer dtype whose sums might not fit 62 bits. Such integers with a float
        dtype are added as float64 instead; then distances of an integer dtype raise it.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.

    Examples
    --------
    >>> graph = wg.Graph(wg.generators.grid(100, 100, seed=0))
    >>> wg.Hierarchy(graph).save("grid.npz")
    >>> hierarchy = wg.Hierarchy.load("grid.npz", graph)
    >>> wg.many_to_many(graph, [0, 1], method="hierarchy").shape
    (2, 10000)
    """

    def __init__(
        self,
        graph: Any,
        *,
        directed: bool = True,
        unweighted: bool = False,
        weight: str | None = "weight",
        memory_limit: validate.MemoryLimitLike = None,
        progress: validate.ProgressLike = None,
    ) -> None:
        unweighted = validate.flag(unweighted, "unweighted")
        ledger = validate.ledger(memory_limit)
        report = validate.progress(progress, "hierarchy")
        graph = turns.searched(graph, directed, unweighted)
        graph = as_graph(graph, weight, reads_weights=not unweighted, keeps=True)
        if not validate.flag(directed, "directed"):
            graph = graph._undirected(ledger)
        self._set(graph, unweighted, prepared(graph, unweighted, ledger, report))

    def _set(self, form: Graph, unweighted: bool, prepared: Prepared) -> None:
        self._form, self._unweighted, self._prepared = form, unweighted, prepared
        figures = prepared.figures
        self.n_vertices: int = figures["n_vertices"]
        self.n_arcs: int = figures["n_arcs"]
        self.n_levels: int = figures["n_levels"]
        self.n_core: int = figures["n_core"]
        self.dtype: np.dtype[Any] = figures["dtype"]
        is_float = self.dtype.kind == "f"
        self.relative_error = figures["rounding_units"] * 2.0**-53 if is_float else 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (
            self._form,
            self._unweighted,
            _core.hierarchy_arrays(self._prepared.handle),
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
        with written_whole(os.fspath(path), compressed=False) as file:
            np.savez(
                file,
                format=hierarchy_file.FORMAT,
                graph=hierarchy_file.fingerprint(self._form, self._unweighted),
                unweighted=self._unweighted,
                **arrays,
            )

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        graph: Any,
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
            As it was made with.
        weight : str or None
            As it was made with.

        Returns
        -------
        hierarchy : Hierarchy
            The one that was saved.

        Raises
        ------
        ValueError
            The file holds no hierarchy, is damaged, or was made of another graph.
        """
        arrays = hierarchy_file.read(path)
        unweighted = bool(arrays.pop("unweighted"))
        graph = turns.searched(graph, directed, unweighted)
        form = as_graph(graph, weight, reads_weights=not unweighted, keeps=True)
        form = form if validate.flag(directed, "directed") else form._undirected()
        if arrays.pop("graph") != hierarchy_file.fingerprint(form, unweighted):
            raise ValueError(
                f"{os.fspath(path)!r} holds the hierarchy of another graph, or of one with other "
                "weights, or was made with another value of directed="
            )
        loaded = Prepared(hierarchy_file.restore(path, arrays))
        if loaded.figures["n_vertices"] != form.n_vertices:
            raise hierarchy_file.damaged(path, f"it has {loaded.figures['n_vertices']} vertices")
        return cls._keep(form, unweighted, loaded)

    @classmethod
    def _keep(cls, form: Graph, unweighted: bool, loaded: Prepared) -> Hierarchy:
        """Keep a loaded hierarchy on the graph."""
        hierarchy = cls.__new__(cls)
        hierarchy._set(form, unweighted, form._derive(key(unweighted), lambda: loaded))
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


def _unpickled(form: Graph, unweighted: bool, arrays: dict[str, Any]) -> Hierarchy:
    return Hierarchy._keep(form, unweighted, Prepared(_core.restore_hierarchy(arrays)))


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
        return {"has_hierarchy": False}
    return {"has_hierarchy": True, "hierarchy": known.handle}


def facts(graph: Graph, unweighted: bool, ledger: _core.Ledger) -> dict[str, Any]:
    """Return what plans may know of the graph's hierarchy, and of one that may be made."""
    return {
        **kept(graph, unweighted),
        "fits_float32": lambda: _fits_float32(graph, unweighted, ledger),
    }


def can_prepare(graph: Graph, unweighted: bool, ledger: _core.Ledger) -> bool:
    """Return whether the graph has a hierarchy, which is made and kept unless it is there."""
    try:
        prepared(graph, unweighted, ledger, None)
    except (ValueError, OverflowError, MemoryError) as refusal:
        logger.info("no hierarchy is used: %s", refusal)
        return False
    return True


def _fits_float32(graph: Graph, unweighted: bool, ledger: _core.Ledger) -> bool:
    """Return whether float32 is proven to hold all distances, which are integers, exactly."""

    def find_bound() -> float:
        return sssp.distance_bound(graph, unweighted, 2.0**24, ledger)

    try:
        return bool(graph._derive(key(unweighted) + " bound", find_bound) < 2.0**24)
    except MemoryError as refusal:
        logger.info("distances are not proven to be exact in float32: %s", refusal)
        return False


def fill(
    graph: Graph,
    unweighted: bool,
    starts: Array,
    ends: Array | None,
    distances: Any,
    predecessors: Array,
    dtype: np.dtype[Any],
    limit: Any,
    devices: list[str],
    ledger: _core.Ledger,
    report: Report,
) -> None:
    """Write distances for each of `starts`, and predecessors unless that array is empty.

    Trees are recovered on the host. If distances stay on a device, their rows are computed a second
    time on the host.
    """
    handle = graph._handle_for(None if unweighted else dtype, ledger)  # refuses other weights
    hierarchy = prepared(graph, unweighted, ledger, None)
    has_trees = predecessors.size > 0
    on_device = foreign.is_on_device(distances)
    if on_device or not has_trees:
        sweep_report = None if has_trees else report
        _core.sweep(
            hierarchy.handle,
            starts,
            ends,
            distances,
            limit,
            devices,
            sweep_report,
            ledger=ledger,
        )
    if not has_trees:
        return
    n_wanted = 0 if ends is None else len(ends)
    bytes_a_row = (graph.n_vertices + n_wanted) * dtype.itemsize
    n_rows = _rows_at_a_time(len(starts), bytes_a_row, ledger)
    for first in range(0, len(starts), n_rows):
        some = slice(first, min(first + n_rows, len(starts)))
        rows = np.empty((some.stop - first, graph.n_vertices), dtype)
        _core.sweep(hierarchy.handle, starts[some], None, rows, limit, devices, None, ledger=ledger)
        _refuse_inexact(hierarchy, rows)
        wanted = rows if ends is None else rows[:, ends]
        if not on_device:
            distances[some] = wanted
        if ends is not None:
            _forget_beyond(wanted.max(axis=1), rows)
        trees = predecessors[some], starts[some]
        _core.recover_trees(handle, rows, *trees, unweighted, "cpu", ledger=ledger.on_host())
        if report is not None:
            report(some.stop, len(starts))


def _rows_at_a_time(n_wanted: int, bytes_a_row: int, ledger: _core.Ledger) -> int:
    """Return the number of rows at a time, and charge them."""
    available = ledger.left or _core.free_memory("cpu")
    n_rows = max(min(n_wanted, _ROWS_OF_TREES, available // 2 // bytes_a_row), 1)
    advice = "use method='dijkstra', or leave out the predecessors"
    ledger.reserve("a row of distances for its predecessors", n_rows * bytes_a_row, advice)
    return n_rows


def _forget_beyond(farthest: Array, rows: Array) -> None:
    for row, most in zip(rows, farthest, strict=True):
        row[row > most] = validate.infinity(rows.dtype)


def _refuse_inexact(hierarchy: Prepared, rows: Array) -> None:
    if rows.dtype.kind == "i" and hierarchy.is_exact:
        return
    exact = 2.0 ** (np.finfo(rows.dtype).nmant + 1)
    # Row by row: twice as fast, and Ctrl-C is checked in between.
    farthest = max(float(row.max(where=np.isfinite(row), initial=0)) for row in rows)
    if hierarchy.is_exact and farthest < exact:
        return
    reason = (
        f"a distance is {farthest:.0f}, and not all integers from {exact:.0f} on are "
        f"{rows.dtype} numbers"
        if hierarchy.is_exact
        else "the weights are not integers whose sums fit 62 bits"
    )
    raise ValueError(
        "method 'hierarchy' finds predecessors where distances are exact only, but "
        f"{reason}; use method='batched' or 'dijkstra'"
    )


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
    made = Prepared(handle)
    ledger.charge(made.nbytes)
    logger.info(
        "made a hierarchy of %d arcs and %d levels for %d vertices in %.3g s",
        made.figures["n_arcs"],
        made.figures["n_levels"],
        graph.n_vertices,
        time.perf_counter() - begin,
    )
    return made
