"""Kept graphs with other vertex numbers, so that gathers along edges hit the cores' caches."""

from __future__ import annotations

import logging

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._graph.graph import Graph

logger = logging.getLogger("warpgraph")

Scores = npt.NDArray[np.float64]

_KEY = "by_degree"


def by_degree(
    graph: Graph,
    transposed: Graph,
    vectors: tuple[Scores, Scores, Scores, Scores],
    n_devices: int,
    ledger: _core.Ledger,
) -> tuple[Graph, npt.NDArray[np.int32]] | tuple[None, None]:
    """Return `transposed` with the vertices of most edges first, and their original numbers.

    The graph keeps both. Nothing where memory lacks for them and a call with these vectors.
    """
    handles = transposed._handle, graph._handle
    with graph._locked():
        if graph._known(_KEY) is None:
            made = _core.order_for_gathers(*handles, graph.dtype, *vectors, n_devices, ledger)
            if made is None:
                return None, None
            *arrays, order = made
            kept, _ = graph._derive(_KEY, lambda: (Graph._of_own(*arrays), order))
            logger.info("the graph is kept in the order of degrees, too: %d bytes", kept.nbytes)
        known: tuple[Graph, npt.NDArray[np.int32]] = graph._known(_KEY)
        return known
