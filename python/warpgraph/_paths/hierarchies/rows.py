"""Rows of many_to_many by a hierarchy: distances, and predecessors where these are exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, validate
from warpgraph._arguments.new_array import new_arrays

if TYPE_CHECKING:
    from warpgraph._graph.graph import Graph
    from warpgraph._paths.hierarchy import Prepared

Array = npt.NDArray[Any]
Report = Callable[[int, int], Any] | None


def fill(
    hierarchy: Prepared,
    graph: Graph,
    unweighted: bool,
    sources: Array,
    targets: Array | None,
    distances: Any,
    predecessors: Array,
    dtype: np.dtype[Any],
    limit: Any,
    devices: list[str],
    ledger: _core.Ledger,
    report: Report,
) -> None:
    """Write distances for each of `sources`, and predecessors unless that array is empty.

    `graph` is the one that is searched, with each edge stored both ways if edges are undirected.
    Predecessors are found on the host from distances to all vertices, a batch of rows at a time.
    If `distances` is an array on a device, it is filled first, by the device, and its rows are
    computed a second time on the host. Sweeps are those of PHAST, see `many_to_many`.
    """
    handle = graph._handle_for(None if unweighted else dtype, ledger)
    has_trees = predecessors.size > 0
    on_device = foreign.is_on_device(distances)
    if on_device or not has_trees:
        sweep_report = None if has_trees else report
        _core.sweep(
            hierarchy.handle,
            sources,
            targets,
            distances,
            limit,
            devices,
            sweep_report,
            ledger=ledger,
        )
    if not has_trees:
        return
    full_rows, target_columns = _row_arrays(len(sources), graph.n_vertices, targets, dtype, ledger)
    for first in range(0, len(sources), len(full_rows)):
        batch = slice(first, min(first + len(full_rows), len(sources)))
        rows = full_rows[: batch.stop - first]
        _core.sweep(
            hierarchy.handle, sources[batch], None, rows, limit, devices, None, ledger=ledger
        )
        _refuse_inexact(hierarchy, rows)
        wanted = rows
        if targets is not None:
            wanted = np.take(rows, targets, axis=1, out=target_columns[: len(rows)], mode="clip")
        if not on_device:
            distances[batch] = wanted
        if targets is not None:
            _set_infinite_beyond(wanted.max(axis=1), rows)
        _core.recover_trees(
            handle,
            rows,
            predecessors[batch],
            sources[batch],
            unweighted,
            "cpu",
            ledger=ledger.on_host(),
        )
        if report is not None:
            report(batch.stop, len(sources))


def _row_arrays(
    n_sources: int, n: int, targets: Array | None, dtype: np.dtype[Any], ledger: _core.Ledger
) -> list[Array]:
    """Return arrays for a batch of rows of distances, to all vertices and to the targets."""
    lengths = n, 0 if targets is None else len(targets)
    n_rows = _core.rows_of_trees(n_sources, sum(lengths), dtype, ledger)
    what = "a row of distances for its predecessors"
    advice = "use method='dijkstra', or leave out the predecessors"
    return new_arrays(ledger, what, advice, *(((n_rows, length), dtype) for length in lengths))


def _set_infinite_beyond(farthest: Array, rows: Array) -> None:
    """Set the distances beyond a row's farthest target to infinity.

    `many_to_many` promises that vertices beyond it have no predecessor.
    """
    for row, most in zip(rows, farthest, strict=True):
        row[row > most] = validate.infinity(rows.dtype)


def _refuse_inexact(hierarchy: Prepared, rows: Array) -> None:
    """Refuse distances that may be rounded, from which predecessors cannot be found.

    A hierarchy adds integers up as 62-bit integers. Floats hold all integers below 2 to the number
    of their significant bits.
    """
    if rows.dtype.kind == "i" and hierarchy.is_exact:
        return
    exact = 2.0 ** (np.finfo(rows.dtype).nmant + 1)  # nmant does not count the leading 1
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
