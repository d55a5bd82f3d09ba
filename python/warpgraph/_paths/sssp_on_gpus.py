"""What wg.sssp does on GPUs: by which method, and on how many of them."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from warpgraph import _core
from warpgraph._arguments import device as _device
from warpgraph._arguments.auto_device import is_of_progress
from warpgraph._graph.graph import Graph
from warpgraph._paths import bfs

logger = logging.getLogger("warpgraph")

#: On a GPU, bellman_ford makes passes over all edges while many distances change, and near_far
#: synchronises many times. Measured on an H100, 2^18 to 2^24 vertices: if degrees are skewed, as in
#: R-MAT graphs, searches are 5 to 7 hops deep, and bellman_ford takes 0.4 to 0.7 of the time of
#: near_far. If degrees are about equal, it takes 0.8 to 1.9 times as long in random graphs, and up
#: to 2.3 times in cliques, which are 10 to 35 hops deep. With fewer edges per vertex than this, as
#: on roads and grids, paths have thousands of hops. bellman_ford needs a list of edges, which pays
#: off if a graph is used again.
_FEW_HOPS = 12
_DEGREE_WITH_FEW_HOPS = 8
#: A hub has so many times the mean degree.
_HUB = 16
#: Several GPUs gain by bellman_ford, from this number of vertices on. They do not divide about half
#: of the time: their exchange, copies to the host, and vertices that several of them lower.
#: Measured: docs/experiments.md.
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
    logger.info("method='auto' chose %s: a hub reaches most vertices in %s hops", method, hops)
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
        if is_of_progress(error):
            raise
        logger.info("near_far instead of bellman_ford: %s", error)
        call("near_far")


def _hops_from_hub(graph: Graph, devices: list[str]) -> float:
    """Return the depth of a search from the hub; inf if there is none, or it reaches too few.

    Less than half of the vertices that have edges: then it tells nothing of the others.
    """

    def search() -> float:
        degrees = np.diff(graph.indptr)
        hub = int(np.argmax(degrees))
        if int(degrees[hub]) * graph.n_vertices < _HUB * graph.n_edges:
            return math.inf
        hops = bfs.bfs(graph.unnamed(), hub, device=devices)
        reaches_most = 2 * np.count_nonzero(hops >= 0) >= np.count_nonzero(degrees)
        return int(np.max(hops)) if reaches_most else math.inf

    found: float = graph.derived("hops", search)
    return found
