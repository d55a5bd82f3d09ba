"""How method="auto" of wg.apsp chooses: by the estimated time."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np

from warpgraph import _core
from warpgraph._graph.graph import Graph
from warpgraph._paths import bfs, hierarchy

logger = logging.getLogger("warpgraph")

# Rates that "auto" estimates with, measured on an EPYC of 2024 and an H200 (except its 64-bit
# integers). A factor of two matters little, since n^3 and n searches soon differ by more.

#: Relaxations per second of floyd_warshall, for a core and for a GPU, by the type of the sums.
_RATES_OF_A_CORE = {"uint16": 150e9, "int32": 80e9, "int64": 45e9, "float32": 80e9, "float64": 35e9}
RATES_OF_A_GPU = {
    "uint16": 2.5e13,
    "int32": 1.3e13,
    "int64": 2e12,
    "float32": 1.3e13,
    "float64": 4e12,
}

#: Seconds of a search on one core per reached vertex and per edge, and the largest number of edges
#: per vertex that count; most further edges are too heavy to matter.
_SEARCH = (25e-9, 8e-9)
_EDGES_THAT_MATTER = 16
_SEARCH_OF_FURTHER_EDGES = 2e-9
#: The same, per vertex or edge, where neighbouring sources reach the vertices in the same order: on
#: roads, where they are close, and around hubs, where all paths meet. Also for a sweep over a
#: hierarchy.
_SEARCH_TOGETHER = 2.5e-9
_SWEEP = 0.6e-9
#: The same for a whole GPU with one heap per warp.
_SEARCH_ON_A_GPU = 1e-10

#: Number of searches that count the vertices reached and the hops to them.
_SAMPLES = 8
#: Graphs with more hops than this multiple of log2(n) are taken for roads and grids.
_HOPS_OF_ROADS = 3
#: A vertex with this multiple of the mean number of edges is a hub.
_EDGES_OF_HUBS = 16


def choose_method(
    graph: Graph,
    unweighted: bool,
    negative: bool,
    dtype: np.dtype[Any],
    where: str,
    search_on: str,
    memory_limit: int,
) -> str:
    """Return the method with the smaller estimated time, and log it."""
    if negative:
        logger.info("method='auto' chose floyd_warshall, which takes negative weights")
        return "floyd_warshall"
    sums, exact = _core.sums_of_apsp(graph.handle, unweighted, graph.dtype, dtype)
    if not exact:
        # The methods round differently. The choice depends on the graph alone, so that results are
        # the same bits everywhere. The number of cores is left out: both methods gain equally by
        # it.
        where = search_on = "cpu"
    cubic = _seconds_of_floyd_warshall(graph.n_vertices, sums, where)
    together, apart = _seconds_of_searches(graph, unweighted, dtype, search_on, memory_limit)
    searching = apart
    if together < cubic <= apart:
        # The estimate needs the graph's shape, which a few searches measure.
        reach, alike = _shape(graph)
        searching = reach * (together if alike else apart)
    method = "many_to_many" if searching < cubic else "floyd_warshall"
    logger.info(
        "method='auto' chose %s for %d vertices and %d edges: floyd_warshall takes about %.2g s on "
        "%s with sums in %s, and searches from every vertex about %.2g s on %s",
        method,
        graph.n_vertices,
        graph.n_edges,
        cubic,
        "a core" if where == "cpu" else where,
        sums,
        searching,
        "a core" if search_on == "cpu" else search_on,
    )
    return method


def _seconds_of_floyd_warshall(n: int, sums: str, where: str) -> float:
    """Return the estimated seconds on one core, or on a GPU."""
    rates = _RATES_OF_A_CORE if where == "cpu" else RATES_OF_A_GPU
    return float(n) ** 3 / rates[sums]


def _seconds_of_searches(
    graph: Graph, unweighted: bool, dtype: np.dtype[Any], where: str, memory_limit: int
) -> tuple[float, float]:
    """Return the seconds on a core, or a GPU, if sources reach vertices in like order and if not.

    All vertices are taken to be reached.
    """
    n, m = graph.n_vertices, graph.n_edges
    if where != "cpu":
        return (_SEARCH_ON_A_GPU * n * (n + m),) * 2
    few = min(m, _EDGES_THAT_MATTER * n)
    apart = n * (_SEARCH[0] * n + _SEARCH[1] * few + _SEARCH_OF_FURTHER_EDGES * (m - few))
    together = _SEARCH_TOGETHER * n * (n + m)
    how: dict[str, Any] = {"on_gpu": False, "memory_limit": memory_limit}
    if hierarchy.may_gain(graph, unweighted, dtype, n, **how):
        prepares = _SEARCH_TOGETHER * hierarchy.sources_worth_preparing(graph, on_gpu=False)
        sweeps = _SWEEP * n + prepares
        together = min(together, sweeps * (n + m))
    return min(together, apart), apart


def _shape(graph: Graph) -> tuple[float, bool]:
    """Return the share of vertices that a source reaches, and whether the order is alike."""
    n = graph.n_vertices
    degrees = np.diff(graph.indptr)
    hub = int(np.argmax(degrees))
    sources = [*np.linspace(0, n - 1, _SAMPLES).astype(int).tolist(), hub]
    hops = np.array([bfs.bfs(graph.unnamed(), source, device="cpu") for source in sources])
    is_road = int(hops.max()) > _HOPS_OF_ROADS * math.log2(n)
    has_hub = int(degrees[hub]) * n > _EDGES_OF_HUBS * graph.n_edges
    return float((hops >= 0).mean()), is_road or has_hub


def has_exact_sums(graph: Graph, unweighted: bool, dtype: np.dtype[Any]) -> bool:
    """Return whether all methods of `apsp` find the same bits."""
    exact: bool = _core.sums_of_apsp(graph.handle, unweighted, graph.dtype, dtype)[1]
    return exact
