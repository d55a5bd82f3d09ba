"""What wg.sssp does on GPUs: by which method, and on how many of them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from warpgraph import _bfs, _core, _device
from warpgraph._graph import Graph

logger = logging.getLogger("warpgraph")

#: On a GPU, bellman_ford makes passes over all edges while many distances change, and near_far
#: synchronises many times. On an H100, bellman_ford takes less than half of the time of near_far on
#: an R-MAT graph, 4 hops deep. On a row of cliques, 17 hops deep, it took three times as long when
#: it made a pass for each hop. With fewer edges per vertex than this, as on roads and grids, paths
#: have thousands of hops. bellman_ford needs a list of edges, which pays off if a graph is used
#: again.
_FEW_HOPS = 12
_DEGREE_WITH_FEW_HOPS = 8
#: Several GPUs gain by bellman_ford, from this number of vertices on. Half of the time is their
#: exchange, and copies to the host. Measured: docs/experiments.md.
_FEWEST_VERTICES_TO_DIVIDE = 1 << 23
_EDGES_A_SECOND = 4e10
_UNDIVIDED = 0.5


def choose_method(graph: Graph, devices: list[str]) -> str:
    """Choose for a search of the whole graph by its depth, or return "auto".

    That is for graphs that are not kept on the devices, or have few edges per vertex. There may be
    no memory for bellman_ford: see `search`.
    """
    if graph.handle.device_bytes() == 0:
        return "auto"
    if graph.n_edges < _DEGREE_WITH_FEW_HOPS * graph.n_vertices:
        return "auto"
    hops = _hops_from_hub(graph, devices)
    method = "bellman_ford" if hops <= _FEW_HOPS else "near_far"
    logger.info("method='auto' chose %s for a graph that is %d hops deep", method, hops)
    return method


def rounds_of_several(graph: Graph, kind: np.dtype[Any]) -> Callable[[], _device.Rounds] | None:
    """Return what gives the time of a search on several GPUs, if that may be less than on one."""
    n, m = graph.n_vertices, graph.n_edges
    if n < _FEWEST_VERTICES_TO_DIVIDE or m < _DEGREE_WITH_FEW_HOPS * n:
        return None

    def has_memory() -> bool:
        names = _device.devices()[1:]
        # Rows, and what DeviceEdgeList::bytes_needed states for a part.
        bytes_of_an_edge = 4 + kind.itemsize + 5 / 8 * (21 + 3 * kind.itemsize)
        return m / len(names) * bytes_of_an_edge <= min(map(_core.free_memory, names))

    def rounds() -> _device.Rounds:
        # Once there was memory for the lists, they are kept, and there may be none for others.
        key = f"gains on GPUs, {kind}"
        gains = graph.known(key) or (
            graph.first_negative() is None
            and has_memory()
            and _hops_from_hub(graph, ["cuda:0"]) <= _FEW_HOPS
        )
        if gains:
            graph.derived(key, lambda: True)
        return _device.Rounds(m / _EDGES_A_SECOND, 8.0 * n, _UNDIVIDED if gains else 1.0)

    return rounds


def search(call: Callable[[str], None], method: str, chosen: bool) -> None:
    """Call `call(method)`, and by near-far where the chosen bellman_ford lacks memory.

    A list of edges that is kept needs no memory again, and how many edges the lists of several
    devices have is known when they are made.
    """
    if not chosen or method != "bellman_ford":
        return call(method)
    try:
        call(method)
    except MemoryError as error:
        logger.info("near_far instead of bellman_ford: %s", error)
        call("near_far")


def _hops_from_hub(graph: Graph, devices: list[str]) -> int:
    """Return the depth of a search from the hub; n_vertices if it reaches less than half.

    Less than half of the vertices that have edges: then it tells nothing of the others.
    """

    def search() -> int:
        degrees = np.diff(graph.indptr)
        hops = _bfs.bfs(graph.unnamed(), int(np.argmax(degrees)), device=devices)
        reaches_most = 2 * np.count_nonzero(hops >= 0) >= np.count_nonzero(degrees)
        return int(np.max(hops)) if reaches_most else graph.n_vertices

    found: int = graph.derived("hops", search)
    return found
