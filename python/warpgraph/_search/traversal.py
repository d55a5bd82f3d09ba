"""wg.breadth_first_order and wg.depth_first_order."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.new_array import new_array
from warpgraph._graph.graph import Graph, as_graph

if TYPE_CHECKING:
    from warpgraph._arguments import types

Int32Array = npt.NDArray[np.int32]
Orders = tuple[Int32Array, Int32Array]


@hinted
def breadth_first_order(
    graph: types.GraphLike,
    source: Hashable,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the vertices that can be reached, in the order of a breadth-first search.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        The graph. Weights are not read, stored zeros are edges.
    source : int, or name of a vertex
        The vertex to start from: its name if the graph has names, else its number.
    directed : bool
        False: edges have no direction. Those that leave a vertex come first, as they are stored,
        then those that enter it, in the order of their other ends.
    return_predecessors : bool
        Return predecessors, too.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts reached vertices. At the
        end, unreached vertices count as well.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    device : str
        "auto" or "cpu": runs on the CPU only. The search is sequential, on one core.

    Returns
    -------
    order : ndarray of int32, shape (n_reached,)
        The vertices as they enter the queue, `source` first.
    predecessors : ndarray of int32, shape (n_vertices,)
        The first vertex in the order from which an edge leads here; -1 for the source and for
        unreached vertices. Only with ``return_predecessors=True``.

    Raises
    ------
    ValueError
        `source` is not a vertex.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    warpgraph.bfs : The number of edges to each vertex, on all cores or a GPU.
    depth_first_order : The order of a depth-first search.

    Notes
    -----
    Time n + m for n vertices and m edges. Edges of a vertex are followed in the order in which they
    are stored, so the result is that of ``scipy.sparse.csgraph.breadth_first_order``, but -1 stands
    for no vertex. `bfs` has other predecessors: the smallest vertices one hop nearer.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> arrows = np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    >>> wg.breadth_first_order(arrows, 0, return_predecessors=True)
    (array([0, 1, 2, 3], dtype=int32), array([-1,  0,  0,  1], dtype=int32))
    """
    return _order(
        "breadth_first_order",
        _core.breadth_first_order,
        graph,
        source,
        directed,
        return_predecessors,
        progress,
        memory_limit,
        device,
    )


@hinted
def depth_first_order(
    graph: types.GraphLike,
    source: Hashable,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the vertices that can be reached, in the order of a depth-first search.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        The graph. Weights are not read, stored zeros are edges.
    source : int, or name of a vertex
        The vertex to start from: its name if the graph has names, else its number.
    directed : bool
        False: edges have no direction. Those that leave a vertex come first, as they are stored,
        then those that enter it, in the order of their other ends.
    return_predecessors : bool
        Return predecessors, too.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts reached vertices. At the
        end, unreached vertices count as well.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    device : str
        "auto" or "cpu": runs on the CPU only. The search is sequential, on one core.

    Returns
    -------
    order : ndarray of int32, shape (n_reached,)
        The vertices as they are entered (preorder), `source` first.
    predecessors : ndarray of int32, shape (n_vertices,)
        The vertex from which the search came here; -1 for the source and for unreached vertices.
        Only with ``return_predecessors=True``.

    Raises
    ------
    ValueError
        `source` is not a vertex.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    breadth_first_order : The order of a breadth-first search.

    Notes
    -----
    Time n + m for n vertices and m edges, and 24 bytes for each vertex of the longest path of the
    search [1]_. From each vertex the search goes on along the first stored edge to a vertex that it
    has not entered yet, so the result is that of ``scipy.sparse.csgraph.depth_first_order``, but -1
    stands for no vertex.

    References
    ----------
    .. [1] Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1, 1972.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> arrows = np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    >>> wg.depth_first_order(arrows, 0, return_predecessors=True)
    (array([0, 1, 3, 2], dtype=int32), array([-1,  0,  0,  1], dtype=int32))
    """
    return _order(
        "depth_first_order",
        _core.depth_first_order,
        graph,
        source,
        directed,
        return_predecessors,
        progress,
        memory_limit,
        device,
    )


def _order(
    name: str,
    find_order: Callable[..., int],
    graph: Any,
    source: Any,
    directed: bool,
    return_predecessors: bool,
    progress: validate.ProgressLike,
    memory_limit: validate.MemoryLimitLike,
    device: Any,
) -> Any:
    directed = validate.flag(directed, "directed")
    return_predecessors = validate.flag(return_predecessors, "return_predecessors")
    is_kept = isinstance(graph, Graph)
    graph = as_graph(graph, reads_weights=False)
    start = graph._find_vertex(source, "source")
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, name)
    _device.require_cpu(device, name)
    if not directed and is_kept:
        # A Graph keeps the form in which edges are stored both ways.
        graph = graph._undirected(ledger, reads_weights=False)
        directed = True
    order = new_array((graph.n_vertices,), np.int32)
    predecessors = new_array((graph.n_vertices if return_predecessors else 0,), np.int32)
    n_reached = find_order(
        graph._handle,
        order,
        predecessors,
        report,
        source=start,
        directed=directed,
        ledger=ledger,
    )
    order = order[:n_reached]
    return (order, predecessors) if return_predecessors else order
