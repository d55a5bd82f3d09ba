"""wg.minimum_spanning_forest."""

from __future__ import annotations

from typing import Any

from warpgraph import _core, _device, _validate
from warpgraph._forest import SpanningForest
from warpgraph._graph import as_graph

#: Stored entries from which on a GPU that is there already beats the cores. Measured: benchmarks/.
_WORTH_A_GPU = 1 << 20


def minimum_spanning_forest(
    graph: Any,
    *,
    maximum: bool = False,
    device: Any = "auto",
    memory_limit: int | None = None,
    progress: _validate.ProgressLike = None,
) -> SpanningForest:
    """Return the lightest spanning tree of every component of an undirected graph.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is an edge between i and j, whichever of (i, j) and (j, i) are stored; of
        several the lightest wins. Stored zeros are edges of weight zero; loops are passed by.
    maximum : bool
        Return the heaviest trees instead.
    device : str
        Where to run; see `warpgraph.devices`.
    memory_limit : int, optional
        Bytes of scratch memory that may be used there; by default, whatever is free.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    SpanningForest
        Its edges come in the order in which Kruskal's algorithm finds them: by weight, lightest
        first (heaviest first if `maximum`).

    Raises
    ------
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.

    Notes
    -----
    Equally light trees are told apart by a total order of the edges, so the forest is the same on
    every device: edges of equal weight rank by their smaller end, then entries above the diagonal
    before those below it, then by their position in the CSR arrays. On a symmetric matrix that is
    the order of the positions in the upper triangle.
    """
    graph = as_graph(graph)
    where = _device.resolve(device, work=graph.n_edges, worthwhile=_WORTH_A_GPU)
    limit = _validate.memory_limit(memory_limit)
    report = _validate.progress(progress, "minimum spanning forest")
    upper, positions = graph.upper_triangle()
    edges, weights, edge_ids = _core.minimum_spanning_forest(
        upper.handle_for(upper.dtype),
        upper.dtype,
        maximum,
        graph.is_mirrored(),
        "auto",
        where,
        limit,
        report,
    )
    if positions is not None:
        edge_ids = positions[edge_ids]
    return SpanningForest(graph.n_vertices, edges, weights, edge_ids)
