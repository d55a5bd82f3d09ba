"""Edges by their positions in the arrays of a graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from warpgraph._graph.graph import Graph


def ends_of(graph: Graph, edge_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Return tails and heads of edges, shape (k, 2)."""
    ends = np.empty((len(edge_ids), 2), np.int32)
    ends[:, 0] = np.searchsorted(graph.indptr, edge_ids, side="right") - 1
    ends[:, 1] = graph.indices[edge_ids]
    return ends
