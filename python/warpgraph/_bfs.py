"""wg.bfs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core, _device, _memory, _validate
from warpgraph._graph import Graph, as_graph

Int32Array = npt.NDArray[np.int32]

#: Smallest number of arcs for which an available GPU beats the cores. Measured: benchmarks/.
_WORTH_A_GPU = 1 << 22


def bfs(
    graph: Any,
    source: Any,
    *,
    directed: bool = True,
    limit: float | None = None,
    return_predecessors: bool = False,
    out: Any = None,
    progress: _validate.ProgressLike = None,
    memory_limit: int | None = None,
    device: Any = "auto",
) -> Any:
    """Count the edges on a shortest path from one vertex to every other.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        The graph; weights are not read, stored zeros are edges.
    source : int, or name of a vertex
        The vertex to start from: its name if the graph has names, see `Graph`, else its number.
    directed : bool
        If False, edges have no direction.
    limit : int, optional
        Vertices more than this many edges away count as unreached; inf is no limit.
    return_predecessors : bool
        Whether to return the tree as well.
    out : ndarray, or array on a CUDA device, optional
        Where to write the hops: n_vertices items of int32. Into an array of CuPy, or any other
        object with ``__cuda_array_interface__``, they are written on its device, where the search
        must run, and do not come to the host; ``device="auto"`` then means that device.
    progress : bool or callable, optional
        True draws a tqdm bar; a callable gets ``(reached, n_vertices)``.
    memory_limit : int, optional
        Bytes that the search may take beside its results; by default, all free memory.
    device : str
        Where to run; see `warpgraph.devices`.

    Returns
    -------
    hops : ndarray of int32, shape (n_vertices,)
        Number of edges on a shortest path from `source`; -1 where there is none. It is `out` if
        that was given.
    predecessors : ndarray of int32, shape (n_vertices,)
        The smallest vertex one hop nearer from which an edge leads here; -1 for the source and
        for unreached vertices. Only with ``return_predecessors=True``.

    Raises
    ------
    ValueError
        `source` is not a vertex, `limit` is negative, or `out` has another shape or dtype.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.

    See Also
    --------
    warpgraph.sssp : Shortest paths by weight.

    Notes
    -----
    Each level is searched from its frontier or, where the graph is known to store every edge both
    ways and the frontier is large, from the unreached vertices (Beamer, Asanovic and Patterson,
    SC 2012). A `Graph` is checked for that once and keeps the result. A matrix that is passed
    directly is checked only with ``directed=False``, since the check costs as much as one search.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> wg.bfs(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]), 0)
    array([0, 1, 2], dtype=int32)
    """
    kept = isinstance(graph, Graph)
    directed = _validate.flag(directed, "directed")
    return_predecessors = _validate.flag(return_predecessors, "return_predecessors")
    graph = as_graph(graph, reads_weights=False)
    source = graph.find_vertex(source, "source")
    most_hops = _validate.hop_limit(limit)
    budget = _validate.memory_limit(memory_limit)
    where = _choose_device(device, out, graph)
    if not directed:
        graph, budget = _memory.undirected(graph, budget, where, reads_weights=False)
    mirrored = not directed or (kept and graph.has_mirrored_structure())
    output = _validate.device_output if _validate.is_device_array(out) else _validate.output
    hops: Any = output(out, (graph.n_vertices,), np.dtype(np.int32))
    _validate.refuse_overlap(out, graph)
    predecessors = np.empty(graph.n_vertices if return_predecessors else 0, np.int32)
    _core.bfs(
        graph.handle,
        hops,
        predecessors,
        where,
        _validate.progress(progress, "bfs"),
        source=source,
        limit=most_hops,
        mirrored=mirrored,
        memory_limit=budget,
    )
    return (hops, predecessors) if return_predecessors else hops


def _choose_device(device: Any, out: Any, graph: Graph) -> str:
    """Resolve `device`; "auto" is the device of `out`, else a GPU if it gains."""
    if not _validate.is_device_array(out):
        return _device.resolve(device, work=graph.n_edges, worthwhile=_WORTH_A_GPU)
    where = _device.resolve(_validate.device_of(out) if device == "auto" else device)
    _validate.same_device(out, where)
    return where
