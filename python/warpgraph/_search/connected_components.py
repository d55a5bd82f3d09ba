"""wg.connected_components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpgraph import _core
from warpgraph._arguments import device as _device, outputs, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.plan import planned

if TYPE_CHECKING:
    from warpgraph._arguments import types


@planned("connected_components")
@falls_back_if_memory_lacks
def connected_components(
    graph: types.GraphLike,
    *,
    directed: bool = True,
    connection: types.Connection = "weak",
    out: types.OutLike | None = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> tuple[int, Any]:
    """Label the connected components of a graph.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        The graph. Weights are not read, stored zeros are edges.
    directed : bool
        False: edges have no direction. Strong components are then weak ones.
    connection : {"weak", "strong"}
        Vertices are weakly connected if a path joins them that may use edges both ways, and
        strongly connected if paths lead from each to the other.
    out : ndarray, or array on a CUDA device, optional
        Where to write the labels, on the host or on the GPU that computes. Labels are int32.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    device : str or list of str
        Where to run; see `warpgraph.devices`. Several devices share the edges, for weak components.

    Returns
    -------
    n_components : int
    labels : ndarray of int32, shape (n_vertices,)
        Components are numbered from 0 in the order of their smallest vertices. It is `out` if that
        was given.

    Raises
    ------
    ValueError
        `connection` is neither "weak" nor "strong", `out` has another shape or dtype, or several
        devices are named for strong components.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        A device is named that is not there.

    Notes
    -----
    Weak: nearly linear time, O(n_vertices) memory; the method is Afforest (Sutton, Ben-Nun and
    Barak, IPDPS 2018). Strong: linear time on the CPU, by a path-based depth-first search (Gabow,
    IPL 2000), after forward and backward search from a hub by four or more threads; on CUDA by
    propagating smallest vertices both ways (Alabandi, Sands, Biros and Burtscher, SC 2023). Several
    devices unite vertices along edges of their own. Those of the host merge their sets along a
    binomial tree (Ben-Nun et al., PPoPP 2017). GPUs first unite along a sample of the edges. Then
    they tell each other which vertices are in the giant component, whose rows none of them reads
    afterwards, and the roots of the other vertices. At the end each numbers the components of a
    part of the vertices. ``"cuda:all"`` is one GPU where that has the memory for the call, unless a
    `Graph` of at least 2**24 vertices is expected to gain by more. Labels are the same on every
    device.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> arrows = np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0]])
    >>> wg.connected_components(arrows)
    (1, array([0, 0, 0], dtype=int32))
    >>> wg.connected_components(arrows, connection="strong")
    (2, array([0, 0, 1], dtype=int32))
    """
    directed = validate.flag(directed, "directed")
    validate.choice(connection, ("weak", "strong"), "connection")
    ledger = validate.ledger(memory_limit)
    is_kept = isinstance(graph, Graph)
    graph = as_graph(graph, reads_weights=False, defers_checks=True)
    kind = np.dtype(np.int32)
    labels = outputs.of_graph(graph, out, (graph.n_vertices,), kind)
    request = {
        "method": connection,
        "is_directed": directed,
        "is_kept": is_kept,
        "unweighted": True,
    }
    task = "connected_components", graph, graph, kind, _device.wanted(device, out)
    chosen = plan.make(*task, request, ledger=ledger)
    where = chosen.devices
    if chosen.method == "strong":
        return _core.strong_components(graph._handle, labels, where[0], ledger), labels
    n = _core.connected_components(graph._handle, chosen.is_mirrored, labels, where, ledger)
    return n, labels
