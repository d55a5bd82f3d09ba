"""wg.connected_components."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core, _device, _validate
from warpgraph._graph import as_graph

#: Arcs from which on a GPU that is there already beats the cores. Measured: benchmarks/.
_WORTH_A_GPU = 1 << 20


def connected_components(
    graph: Any, *, directed: bool = True, connection: str = "weak", device: Any = "auto"
) -> tuple[int, npt.NDArray[np.int32]]:
    """Label the connected components of a graph.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        The graph; weights are not read, stored zeros are edges.
    directed : bool
        Accepted for symmetry with SciPy; weak components ignore directions anyway.
    connection : {"weak"}
        Vertices are weakly connected if a path joins them that may use edges both ways.
    device : str
        Where to run; see `warpgraph.devices`.

    Returns
    -------
    n_components : int
    labels : ndarray of int32, shape (n_vertices,)
        Components are numbered from 0 in the order of their smallest vertices.

    Notes
    -----
    Nearly linear time, O(n_vertices) memory; the method is Afforest (Sutton, Ben-Nun and Barak,
    IPDPS 2018). Labels are the same on every device.
    """
    _validate.choice(connection, ("weak",), "connection")
    graph = as_graph(graph)
    where = _device.resolve(device, work=graph.n_edges, worthwhile=_WORTH_A_GPU)
    labels = np.empty(graph.n_vertices, np.int32)
    n_components = _core.connected_components(graph.handle, labels, "auto", where)
    return n_components, labels
