"""Rows of many_to_many by a hierarchy: distances, and predecessors where these are exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, validate

if TYPE_CHECKING:
    from warpgraph._graph.graph import Graph
    from warpgraph._paths.hierarchy import Prepared

Array = npt.NDArray[Any]
Report = Callable[[int, int], Any] | None

#: Largest number of rows whose predecessors are recovered at a time.
_ROWS_OF_TREES = 32


def fill(
    hierarchy: Prepared,
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

    `graph` is the one that is searched: mirrored, if edges are undirected. Trees are recovered on
    the host. If distances stay on a device, their rows are computed a second time on the host.
    """
    handle = graph._handle_for(None if unweighted else dtype, ledger)
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
