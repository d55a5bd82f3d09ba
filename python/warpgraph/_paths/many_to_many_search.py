"""How `many_to_many` searches once its arguments are checked: the choice of a method."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._graph import memory
from warpgraph._graph.graph import Graph
from warpgraph._paths import hierarchy, johnson

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]

#: The core's name of method "batched" where all edges have length 1 and searches meet early.
_BREADTH_FIRST = "breadth_first"

#: Batches gain if their sources are near each other, which many sources are. Where edges are few,
#: as on roads, ordering the sources costs more, and only hundreds of sources repay it. Fewer
#: sources than these, in all or per thread, are searched as fast one by one. Batches also gain
#: nothing if a limit or few targets may end a search early.
_SOURCES_WORTH_BATCHES = 128
_SOURCES_WORTH_BATCHES_ON_ROADS = 512
DEGREE_OF_ROADS = 8
_SOURCES_A_THREAD_WORTH_BATCHES = 32
#: Edges of length 1: sources that breadth-first search carries through the graph together, a bit
#: each. On R-MAT graphs four took a quarter of the time of one by one, 64 a sixteenth. On roads and
#: meshes searches hardly ever meet in a vertex in the same level, and 70 on a grid took eight times
#: as long. A vertex of more than 8 times the mean degree tells that there are few levels. Without
#: such a vertex, a breadth-first search from each of three sources tells, where 32 or more repay
#: it. From 64 and 256 sources, breadth_first took 1/4 to 1/24 of the time of the other methods on
#: random graphs with 4 to 20 edges a vertex (4 to 8 levels), half on a small world of 28 levels and
#: 0.7 on one of 54, but on a grid of 88 levels 1.4 times as long. A GPU gains in all graphs but
#: roads, see many_to_many.hpp: a road network has thousands of levels, each of which takes it some
#: microseconds for 256 sources, and a heap per source searches from all at once.
_SOURCES_WORTH_BREADTH_FIRST = 2
_HUB_FACTOR = 8
_SOURCES_WORTH_A_LOOK = 32
_FEW_LEVELS = 32
#: On a GPU, batches gain with any number of sources. But on roads two batches, whose sources are
#: far apart, take longer than the same searches one by one, which all run at once.
_SOURCES_OF_A_BATCH_ON_A_GPU = 32


@dataclass(frozen=True)
class Call:
    """Checked arguments of a call."""

    graph: Graph
    unweighted: bool
    dtype: np.dtype[Any]  # of the distances
    sources: Array
    targets: Array | None
    distances: Any
    predecessors: Array  # empty: not wanted
    limit: Any
    devices: list[str]  # of the endpoints that search
    is_restricted: bool  # a search may end early
    mirrored: bool | None  # whether every edge is stored both ways; None: the graph may be asked

    @property
    def wants_trees(self) -> bool:
        return self.predecessors.size > 0

    @property
    def weights(self) -> np.dtype[Any] | None:
        """Return the dtype of the weights that the search reads; None: it reads none."""
        return None if self.unweighted else self.dtype

    def arrays(self) -> tuple[Array, Array, Any, Array, Any]:
        """Return what the core searches, with an empty array for no targets."""
        targets = np.empty(0, np.int32) if self.targets is None else self.targets
        return self.sources, targets, self.distances, self.predecessors, self.limit

    @property
    def where(self) -> str:
        """Return the device for which a method is chosen."""
        return _device.fastest(self.devices)

    @property
    def where_limited(self) -> str:
        return memory.where_limited(self.devices)

    def fits(self, method: str, limit: int) -> bool:
        """Return whether the memory suffices, an equal share for each endpoint on a device."""
        handle, arrays = self.graph.handle, self.arrays()
        for device in set(self.devices):
            needed = _core.many_to_many_bytes(handle, *arrays, device, method=method)
            if needed * self.devices.count(device) > (limit or _core.free_memory(device)):
                return False
        return True


def search(call: Call, method: str, left: int, report: Any) -> None:
    """Fill the distances and predecessors of a call; `left` is the rest of the memory limit."""
    asked = method
    if method in ("auto", "batched") and _gains_by_breadth_first(call, left):
        method = _BREADTH_FIRST
    elif method == "auto":
        method, left = _choose_method(call, left)
    if method != asked:
        _log_choice(call, asked, method)
    graph = call.graph
    if method == "hierarchy":
        hierarchy.fill(
            graph,
            call.unweighted,
            call.sources,
            call.targets,
            call.distances,
            call.predecessors,
            call.dtype,
            call.limit,
            call.devices,
            left,
            report,
        )
        return
    mirrored = call.mirrored
    if mirrored is None:
        mirrored = method == _BREADTH_FIRST and graph.has_mirrored_structure()
    handle, left = memory.handle_for(graph, call.weights, left, call.where_limited)
    potentials = np.empty(0, call.dtype)
    if method == "johnson":
        potentials, left = johnson.potentials(graph, call.dtype, left, call.where_limited)
    transposed = graph.known("transposed")
    _core.many_to_many(
        handle,
        None if transposed is None else transposed.handle,
        *call.arrays(),
        call.unweighted,
        potentials,
        call.devices,
        report,
        method=method,
        mirrored=mirrored,
        memory_limit=left,
    )


def _gains_by_breadth_first(call: Call, limit: int) -> bool:
    """Return whether edges have length 1, searches meet in the same levels, and memory suffices."""
    if call.is_restricted or call.wants_trees or not call.unweighted:
        return False
    if len(call.sources) < _SOURCES_WORTH_BREADTH_FIRST:
        return False
    return call.fits(_BREADTH_FIRST, limit) and _has_few_levels(call, limit)


def _has_few_levels(call: Call, limit: int) -> bool:
    """Return whether breadth-first searches are likely to take few levels for each device."""
    graph, sources = call.graph, call.sources
    if call.where != "cpu" and graph.n_edges >= DEGREE_OF_ROADS * graph.n_vertices:
        return True
    if graph.longest_row() > _HUB_FACTOR * (graph.n_edges // graph.n_vertices + 1):
        return True
    if call.where != "cpu" or len(sources) < _SOURCES_WORTH_A_LOOK:
        return False
    some = sources[[0, len(sources) // 2, -1]].tolist()
    return all(_takes_few_levels(graph, source, limit) for source in some)


def _takes_few_levels(graph: Graph, source: int, limit: int) -> bool:
    """Search from a vertex, no deeper than needed, in less memory than breadth_first takes."""
    hops = np.empty(graph.n_vertices, np.int32)
    none = np.empty(0, np.int32)
    how: dict[str, Any] = {"limit": _FEW_LEVELS + 1, "memory_limit": limit}
    _core.bfs(graph.handle, None, hops, none, none, ["cpu"], None, source=source, **how)
    return int(hops.max()) <= _FEW_LEVELS


def _choose_method(call: Call, limit: int) -> tuple[str, int]:
    """Return the fastest of the allowed methods, and the rest of the memory limit."""
    graph, where, n_sources = call.graph, call.where_limited, len(call.sources)
    known, on_gpu = memory.counted(graph, limit, where), call.where != "cpu"
    has_limit = call.limit < validate.infinity(call.dtype)
    sweeps = not (has_limit or call.wants_trees) and hierarchy.gains(
        graph,
        call.unweighted,
        call.dtype,
        0 if call.is_restricted else n_sources,  # few targets do not repay a new one
        on_gpu=on_gpu,
        memory_limit=limit if where == "cpu" else 0,
    )
    left = memory.left_of(limit, graph, known, where)
    if sweeps:
        return "hierarchy", left
    if not call.is_restricted and _batches_gain(graph, n_sources, call.where):
        rest = memory.left_with_weights(graph, call.weights, left, where)
        if call.fits("batched", rest):
            return "batched", left
    return "dijkstra", left


def _batches_gain(graph: Graph, n_sources: int, where: str) -> bool:
    """Return whether batches are faster than searches one by one."""
    on_roads = graph.n_edges < DEGREE_OF_ROADS * graph.n_vertices
    if where != "cpu":
        return not on_roads or n_sources <= _SOURCES_OF_A_BATCH_ON_A_GPU
    fewest = _SOURCES_WORTH_BATCHES_ON_ROADS if on_roads else _SOURCES_WORTH_BATCHES
    return n_sources >= max(fewest, _SOURCES_A_THREAD_WORTH_BATCHES * _core.num_threads())


def _log_choice(call: Call, asked: str, method: str) -> None:
    logger.info(
        "method=%r chose %s for %d sources, %d vertices and %d edges on %s",
        asked,
        method,
        len(call.sources),
        call.graph.n_vertices,
        call.graph.n_edges,
        ", ".join(call.devices),
    )
