"""many_to_many(min_only=True): distances from the nearest of several sources."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, outputs, validate
from warpgraph._arguments.new_array import NO_VERTICES, new_array, new_arrays
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph
from warpgraph._paths import sssp

Array = npt.NDArray[Any]

_METHODS = ("auto", "dijkstra")


def search(
    graph: Graph,
    sources: Array,
    targets: Array | None,
    *,
    limit: Any,
    directed: bool,
    unweighted: bool,
    method: str,
    dtype: np.dtype[Any],
    out: Any,
    report: Any,
    ledger: _core.Ledger,
    device: Any,
    is_kept: bool,
) -> tuple[Array, Array, Array]:
    """Return distances, predecessors, and the source at which each path begins."""
    if method not in _METHODS:
        raise ValueError(
            "min_only=True is one search from all sources, so method must be "
            f"{' or '.join(map(repr, _METHODS))}, got {method!r}"
        )
    n = graph.n_vertices
    if isinstance(device, (list, tuple)) or _device.is_all(device):
        device = _device.resolve_all(device, divides=False)[0]
    if method == "dijkstra":
        _device.require_cpu(device, "method 'dijkstra' of min_only=True")
        device = "cpu"
    roots = np.unique(sources)
    if plan.ends_call():
        _for_sources(n, roots, ledger)
    form = graph if directed else graph._known_undirected()
    request: dict[str, Any] = {"method": method, "is_directed": directed, "unweighted": unweighted}
    request |= {"is_kept": is_kept, "n_sources": len(sources)}
    request["is_empty"] = len(roots) == 0
    request["is_restricted"] = targets is not None or limit < validate.infinity(dtype)
    task = "nearest", graph, form, dtype, _device.wanted(device)
    chosen = plan.make(*task, request, ledger=ledger)
    where = chosen.devices[0]
    result = outputs.on_host(out, (n if targets is None else len(targets),), dtype)
    outputs.refuse_overlap_with_graph(out, graph)
    if chosen.has_negative:
        if method == "dijkstra":
            graph._refuse_negative("method 'dijkstra'")
        sssp.refuse_minus_infinity(graph)
    if not directed:
        graph = graph._undirected(ledger)
    distances = result if targets is None else new_array((n,), dtype)
    nearest = _for_sources(n, roots, ledger)
    predecessors = new_array((n,), np.int32)
    if len(roots):
        handle = graph._handle_for(None if unweighted else dtype, ledger)
        _core.sssp(
            handle,
            roots,
            distances,
            predecessors,
            limit,
            NO_VERTICES if targets is None else targets,
            unweighted,
            [where],
            report,
            method=chosen.method,
            negative_weights=chosen.has_negative,
            symmetric=(where != "cpu" and chosen.method == "bellman_ford" and graph._is_mirrored()),
            ledger=ledger,
        )
        _core.nearest_sources(predecessors, roots, nearest)
    else:
        distances.fill(validate.infinity(dtype))
        predecessors.fill(-1)
        nearest.fill(-1)
    if chosen.has_negative:
        # A path within the limit may lead over vertices beyond it, which are in its tree.
        nearest[distances == validate.infinity(dtype)] = -1
    if targets is None:
        return result, predecessors, nearest
    np.take(distances, targets, out=result)
    return result, predecessors, nearest[targets]


def _for_sources(n: int, roots: Array, ledger: _core.Ledger) -> Array:
    """Return an array for sources, and charge both: the search asks for the other results."""
    wanted, advice = ((n,), np.int32), "use a smaller graph"
    (made,) = new_arrays(ledger, "finding the nearest sources", advice, wanted)
    ledger.charge(roots.nbytes)
    return made
