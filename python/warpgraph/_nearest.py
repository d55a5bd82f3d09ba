"""many_to_many(min_only=True): distances from the nearest of several sources."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core, _device, _memory, _sssp, _validate
from warpgraph._graph import Graph

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
    memory_limit: int,
    device: Any,
) -> tuple[Array, Array, Array]:
    """Return distances, predecessors, and the source at which each path begins."""
    if method not in _METHODS:
        raise ValueError(
            "min_only=True is one search from all sources, so method must be "
            f"{' or '.join(map(repr, _METHODS))}, got {method!r}"
        )
    _require_cores(device)
    n = graph.n_vertices
    result = _validate.output(out, (n if targets is None else len(targets),), dtype)
    _validate.refuse_overlap(out, graph, sources, targets)
    if not directed:
        graph, memory_limit = _memory.undirected(graph, memory_limit, "cpu")
    negative = None if unweighted else graph.first_negative()
    if negative is not None and method == "dijkstra":
        graph.refuse_negative("method 'dijkstra'")
    how = _sssp.choose_method(method, graph, negative, ["cpu"])
    distances = result if targets is None else np.empty(n, dtype)
    needed = 4 * n + (4 * len(sources))
    _validate.require_memory("the nearest sources", needed, "cpu", memory_limit, "give fewer")
    memory_limit = _validate.left_of_limit(memory_limit, needed)
    predecessors, nearest = np.empty((2, n), np.int32)
    roots = np.unique(sources)
    if len(roots):
        lengths = None if unweighted else dtype
        handle, memory_limit = _memory.handle_for(graph, lengths, memory_limit, "cpu")
        _core.sssp(
            handle,
            roots,
            distances,
            predecessors,
            limit,
            np.empty(0, np.int32) if targets is None else targets,
            unweighted,
            ["cpu"],
            report,
            method=how,
            negative_weights=negative is not None,
            memory_limit=memory_limit,
        )
        _core.nearest_sources(predecessors, roots, nearest)
    else:
        distances.fill(_validate.infinity(dtype))
        predecessors.fill(-1)
        nearest.fill(-1)
    if negative is not None:
        # A path within the limit may lead over vertices beyond it, which are in its tree.
        nearest[distances == _validate.infinity(dtype)] = -1
    if targets is None:
        return result, predecessors, nearest
    np.take(distances, targets, out=result)
    return result, predecessors, nearest[targets]


def _require_cores(device: Any) -> None:
    """Raise a DeviceError unless `device` means the cores of the host, once or several times."""
    devices = _device.resolve_all(device)
    if set(devices) != {"cpu"}:
        raise _core.DeviceError(
            "many_to_many with min_only=True searches from all sources at once, on the cores of "
            f"the host; pass device='cpu' or 'auto', got {', '.join(devices)}"
        )
