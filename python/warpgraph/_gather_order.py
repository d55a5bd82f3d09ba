"""Kept graphs with other vertex numbers, so that gathers along edges hit the cores' caches."""

from __future__ import annotations

import logging
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core, _memory, _validate
from warpgraph._graph import Graph

logger = logging.getLogger("warpgraph")

#: The float64 numbers of fewer vertices fit the second-level cache of a core.
_FEWEST_VERTICES = 1 << 17
#: Where vertices have fewer edges, reading rows in another order costs what gathers save.
_FEWEST_EDGES_PER_VERTEX = 8
#: What is known from fewer vertices and edges than all.
_SAMPLED_VERTICES = 1 << 16
_SAMPLED_EDGES = 16
#: Numbers of vertices that differ by less are near each other: they share cached pages.
_NEAR = 4096
#: A vertex is large from this multiple of the mean degree on.
_LARGE = 4


class GatherOrder(NamedTuple):
    """A graph whose vertex i has the number ``order[i]`` in the original one."""

    graph: Graph
    order: npt.NDArray[np.int32]

    def take(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return numbers of the vertices in this order; none if there are none."""
        return values[self.order] if len(values) else values


def by_degree(graph: Graph, transposed: Graph, limit: int) -> tuple[GatherOrder | None, int]:
    """Return `transposed` with the vertices of most edges first, and the rest of the limit.

    It is made at the second call for a `Graph` that is kept, since it takes as long as some
    iterations, and only if few vertices have most of the edges and numbers have no locality: the
    numbers gathered then mostly come from few cache lines. The entries of a row keep their order.
    """
    key = "by_degree"
    if graph.n_vertices < _FEWEST_VERTICES or graph.derived("is_called_again", _Once).at_first():
        return None, limit
    if graph.n_edges < graph.n_vertices * _FEWEST_EDGES_PER_VERTEX:
        return None, limit
    if not graph.derived("has_scattered_hubs", lambda: _has_scattered_hubs(graph)):
        return None, limit
    known: GatherOrder | None = graph.known(key)
    if known is None:
        if not _has_memory(transposed, limit):
            return None, limit
        known = graph.derived(key, lambda: _renumbered(graph, transposed))
        logger.info("the graph is kept in the order of degrees, too: %d bytes", known.graph.nbytes)
        limit = _validate.left_of_limit(limit, known.graph.nbytes + known.order.nbytes)
    return known, limit


class _Once:
    """Whether something is asked for the first time."""

    def __init__(self) -> None:
        self._asked = False

    def at_first(self) -> bool:
        first, self._asked = not self._asked, True
        return first


def _has_scattered_hubs(graph: Graph) -> bool:
    """Return whether a quarter of the edges is at large vertices, and most ends are not near."""
    n = graph.n_vertices
    sampled = min(n, _SAMPLED_VERTICES)
    vertices = np.arange(sampled, dtype=np.int64) * (n // sampled)
    first, degrees = graph.indptr[vertices], graph.indptr[vertices + 1] - graph.indptr[vertices]
    large = degrees >= _LARGE * (graph.n_edges // n + 1)
    if 4 * degrees[large].sum() < degrees.sum():
        return False
    places = np.arange(_SAMPLED_EDGES)
    exists = places < degrees[:, np.newaxis]
    positions = (first[:, np.newaxis] + places)[exists]
    tails = np.broadcast_to(vertices[:, np.newaxis], exists.shape)[exists]
    near = np.abs(graph.indices[positions] - tails) < _NEAR
    return bool(2 * np.count_nonzero(near) < len(near))


def _has_memory(graph: Graph, limit: int) -> bool:
    """Return whether there is memory for a copy, and for the former positions of its entries."""
    needed = _memory.csr_bytes(graph) + 8 * graph.n_edges + 8 * graph.n_vertices
    try:
        _validate.require_memory("an order by degree", needed, "cpu", limit, "")
    except MemoryError:
        return False
    return True


def _renumbered(graph: Graph, transposed: Graph) -> GatherOrder:
    order = _core.vertex_order(graph.handle, "degree")
    *arrays, _ = _core.permute(transposed.handle, transposed.dtype, order)
    return GatherOrder(Graph.from_csr(*arrays), order)
