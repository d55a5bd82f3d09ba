"""Kept graphs with other vertex numbers, so that gathers along edges hit the cores' caches."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._graph.graph import Graph

logger = logging.getLogger("warpgraph")

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
    graph: Graph, transposed: Graph, ledger: _core.Ledger, beside: int
) -> GatherOrder | None:
    """Return `transposed` with the vertices of most edges first.

    None if there is no memory for it and `beside` more bytes, which the caller needs then.

    Plans ask for it where few vertices have most of the edges and numbers have no locality: the
    numbers gathered then mostly come from few cache lines. The entries of a row keep their order.
    """
    key = "by_degree"
    known: GatherOrder | None = graph._known(key)
    if known is None:
        arrays = transposed.indptr, transposed.indices, transposed.data
        copy = sum(array.nbytes for array in arrays) + 8 * graph.n_vertices
        if not _has_memory(copy + max(8 * graph.n_edges, beside), ledger):
            return None
        known = graph._derive(key, lambda: _renumbered(graph, transposed))
        logger.info("the graph is kept in the order of degrees, too: %d bytes", known.graph.nbytes)
        ledger.charge(known.graph.nbytes + known.order.nbytes)
    return known if _has_memory(beside, ledger) else None


def _slices(n: int) -> Iterator[slice]:
    """Divide n items."""
    return (slice(i, min(i + _AT_A_TIME, n)) for i in range(0, n, _AT_A_TIME))


def _has_memory(needed: int, ledger: _core.Ledger) -> bool:
    """Return whether `needed` bytes are free and within the limit."""
    try:
        ledger.require("an order by degree", needed, "")
    except MemoryError:
        return False
    return True


def _renumbered(graph: Graph, transposed: Graph) -> GatherOrder:
    order = _core.vertex_order(graph._handle, "degree")
    *arrays, _ = _core.permute(transposed._handle, transposed.dtype, order)
    return GatherOrder(Graph._of_own(*arrays), order)
