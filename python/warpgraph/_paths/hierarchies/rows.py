"""Rows of many_to_many by a hierarchy: distances, and predecessors where these are exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, validate
from warpgraph._arguments.new_array import bytes_of, new_arrays

if TYPE_CHECKING:
    from warpgraph._graph.graph import Graph
    from warpgraph._paths.hierarchy import Prepared

Array = npt.NDArray[Any]
Report = Callable[[int, int], Any] | None


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
    whole, columns = _block(len(starts), graph.n_vertices, ends, dtype, ledger)
    for first in range(0, len(starts), len(whole)):
        some = slice(first, min(first + len(whole), len(starts)))
        rows = whole[: some.stop - first]
        _core.sweep(hierarchy.handle, starts[some], None, rows, limit, devices, None, ledger=ledger)
        _refuse_inexact(hierarchy, rows)
        wanted = rows
        if ends is not None:
            wanted = np.take(rows, ends, axis=1, out=columns[: len(rows)], mode="clip")
        if not on_device:
            distances[some] = wanted
        if ends is not None:
            _forget_beyond(wanted.max(axis=1), rows)
        trees = predecessors[some], starts[some]
        _core.recover_trees(handle, rows, *trees, unweighted, "cpu", ledger=ledger.on_host())
        if report is not None:
            report(some.stop, len(starts))


def _block(
    n_starts: int, n: int, ends: Array | None, dtype: np.dtype[Any], ledger: _core.Ledger
) -> list[Array]:
    """Return arrays for as many rows as there are at a time, and for their columns of targets."""
    lengths = n, 0 if ends is None else len(ends)
    bytes_a_row = bytes_of(*(((length,), dtype) for length in lengths))
    n_rows = _core.rows_of_trees(n_starts, bytes_a_row, ledger)
    what = "a row of distances for its predecessors"
    advice = "use method='dijkstra', or leave out the predecessors"
    return new_arrays(ledger, what, advice, *(((n_rows, length), dtype) for length in lengths))


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
