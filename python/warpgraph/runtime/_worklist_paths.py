"""The example application of worklists: shortest paths, on the host or on GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.new_array import new_array
from warpgraph._graph import rounding
from warpgraph._graph.graph import as_graph
from warpgraph._tables import no_edge
from warpgraph.runtime._context import Endpoint

if TYPE_CHECKING:
    from warpgraph._arguments import types


def shortest_paths(
    workers: Sequence[Endpoint], graph: types.GraphLike, source: types.Vertex
) -> np.ndarray[Any, np.dtype[Any]]:
    """Find the distances from a vertex by a worklist: an example of an application in C++.

    A work item is a vertex whose distance has been lowered. It goes to the worker that owns
    the vertex, and waits there while vertices of other workers are much nearer (Groute's
    soft priority). On GPUs, one persistent kernel for each worker moves and processes all items.

    Parameters
    ----------
    workers : list of Endpoint
        Who searches: endpoints that are all on the host, or all on GPUs that can access each
        other's memory. They say only on which devices to search: their context need not run.
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        As for `warpgraph.sssp`; no weight may be negative.
    source : int, or name of a vertex
        The vertex to start from: its name if the graph has names, else its number.

    Returns
    -------
    ndarray, shape (n_vertices,)
        The distances that `warpgraph.sssp` returns, which takes less time.

    Raises
    ------
    TypeError
        A worker is not an endpoint.
    ValueError
        A weight is negative, there are no workers, or some are on the host and some on GPUs.
    DeviceError
        GPUs cannot access each other's memory.

    See Also
    --------
    warpgraph.sssp : Shortest paths by the fastest method.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.generators.grid(20, 30, seed=0)
    >>> context = wg.runtime.Context(["cpu"] * 3)  # or ["cuda:0", "cuda:1"]
    >>> found = wg.runtime.DistributedWorklist.shortest_paths(context.endpoints, graph, 7)
    >>> bool((found == wg.sssp(graph, 7)).all())
    True
    """
    endpoints = validate.items(workers, "workers", "endpoints")
    if not endpoints:
        raise ValueError("workers is an empty list; name at least one endpoint")
    for i, endpoint in enumerate(endpoints):
        if not isinstance(endpoint, Endpoint):
            shown = validate.shown(endpoint)
            raise TypeError(f"workers[{i}] must be an endpoint, got {shown}")
    devices = [endpoint.device for endpoint in endpoints]
    if len({device == "cpu" for device in devices}) > 1:
        raise ValueError(f"workers must all be on the host or all on GPUs, got {devices}")
    graph = as_graph(graph)
    start = graph._find_vertex(source, "source")
    negative = graph._first_negative()
    if negative is not None:
        _, tail, head, weight = negative
        raise ValueError(
            f"the weight {weight} of entry {graph._shown(tail, head)} is negative; a worklist of "
            f"shortest paths needs weights of at least 0{no_edge.hint(graph)}"
        )
    kind = validate.distance_dtype(None, graph.dtype)
    distances = new_array((graph.n_vertices,), kind)
    _core.worklist_paths(graph._handle_for(kind), start, distances, devices)
    rounding.warn_of_distances(graph, None, False, distances)
    return distances
