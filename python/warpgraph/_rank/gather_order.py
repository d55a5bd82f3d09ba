"""Kept graphs with other vertex numbers, so that gathers along edges hit the cores' caches."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._graph import memory
from warpgraph._graph.graph import Graph

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
#: Vertices at a time, so that arrays beside the results, such as NumPy's int64 copies of numbers of
#: vertices, are small.
_AT_A_TIME = 1 << 13


class GatherOrder(NamedTuple):
    """A graph whose vertex i has the number ``order[i]`` in the original one."""

    graph: Graph
    order: npt.NDArray[np.int32]

    def take(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return numbers of the vertices in this order; none if there are none."""
        taken = np.empty_like(values)
        for some in _slices(len(values)):
            np.take(values, self.order[some], out=taken[some], mode="clip")
        return taken

    def put(self, taken: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> None:
        """Write numbers in this order to `values`, which is in the original one."""
        for some in _slices(len(values)):
            values[self.order[some]] = taken[some]


def by_degree(
    graph: Graph, transposed: Graph, limit: int, beside: int
) -> tuple[GatherOrder | None, int]:
    """Return `transposed` with the vertices of most edges first, and the rest of the limit.

    None if there is no memory for it and `beside` more bytes, which the caller needs then.

    It is made at the second call for a `Graph` that is kept, since it takes as long as some
    iterations, and only if few vertices have most of the edges and numbers have no locality: the
    numbers gathered then mostly come from few cache lines. The entries of a row keep their order.
    """
    key = "by_degree"
    if graph.n_vertices < _FEWEST_VERTICES or graph.derived("is_called_again", _Once).at_first():
        return None, limit
    if graph.n_edges < graph.n_vertices * _FEWEST_EDGES_PER_VERTEX:
        return None, limit
    known: GatherOrder | None = graph.known(key)
    if known is None:
        copy = memory.csr_bytes(transposed) + 8 * graph.n_vertices
        if not _has_memory(copy + max(8 * graph.n_edges, beside), limit):
            return None, limit
        if not graph.derived("has_scattered_hubs", lambda: _has_scattered_hubs(graph)):
            return None, limit
        known = graph.derived(key, lambda: _renumbered(graph, transposed))
        logger.info("the graph is kept in the order of degrees, too: %d bytes", known.graph.nbytes)
        limit = validate.left_of_limit(limit, known.graph.nbytes + known.order.nbytes)
    return (known if _has_memory(beside, limit) else None), limit


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
    places, n_seen, n_near = np.arange(_SAMPLED_EDGES), 0, 0
    for some in _slices(sampled):
        exists = places < degrees[some, np.newaxis]
        positions = (first[some, np.newaxis] + places)[exists]
        tails = np.broadcast_to(vertices[some, np.newaxis], exists.shape)[exists]
        n_near += np.count_nonzero(np.abs(graph.indices[positions] - tails) < _NEAR)
        n_seen += len(tails)
    return 2 * n_near < n_seen


def _slices(n: int) -> Iterator[slice]:
    """Divide n items."""
    return (slice(i, min(i + _AT_A_TIME, n)) for i in range(0, n, _AT_A_TIME))


def _has_memory(needed: int, limit: int) -> bool:
    """Return whether `needed` bytes are free and within the limit (0: no limit)."""
    try:
        validate.require_memory("an order by degree", needed, "cpu", limit, "")
    except MemoryError:
        return False
    return True


def _renumbered(graph: Graph, transposed: Graph) -> GatherOrder:
    order = _core.vertex_order(graph.handle, "degree")
    *arrays, _ = _core.permute(transposed.handle, transposed.dtype, order)
    return GatherOrder(Graph.of_own(*arrays), order)
