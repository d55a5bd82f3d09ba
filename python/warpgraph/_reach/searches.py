"""Searches from many vertices up to a limit: what their functions have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph

if TYPE_CHECKING:
    from warpgraph._arguments import types


def sources_of(graph: Graph, sources: types.Vertices | None) -> npt.NDArray[np.int32]:
    """Return the numbers of the sources; all vertices for None."""
    if sources is None:
        return np.arange(graph.n_vertices, dtype=np.int32)
    return graph._find_vertices(sources, "sources")


def searchable(
    algorithm: str,
    graph: Graph,
    *,
    n_sources: int,
    directed: bool,
    unweighted: bool,
    dtype: np.dtype[Any],
    ledger: _core.Ledger,
    wanted: _device.Wanted,
    n_sums: int = -1,
    is_empty: bool = False,
    has_limit: bool = False,
    reverses: bool = False,
) -> tuple[Graph, list[str]]:
    """Return the form of the graph that is searched, by a plan, and where. No weight is negative.

    ValueError that names one if there is. `reverses`: edges are searched from head to tail.
    `n_sums`: the numbers that results have for each source, or the columns that they have beside
    one for each source; -1: as many as are found. `is_empty`: nothing is to be searched for.
    `has_limit`: searches may end early. `wanted`: the devices that are asked for.
    """
    form = graph if directed else graph._known_undirected()
    request = {"is_directed": directed, "unweighted": unweighted, "n_sources": n_sources}
    request |= {"n_targets": n_sums, "is_empty": is_empty, "has_limit": has_limit}
    known = plan.has_entering(graph, reverses, reads_weights=not unweighted)
    chosen = plan.make(algorithm, graph, form, dtype, wanted, request, known, ledger=ledger)
    if not unweighted:
        graph._refuse_negative(algorithm)
    return graph if directed else graph._undirected(ledger), chosen.devices
