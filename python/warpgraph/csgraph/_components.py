"""connected_components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.device import is_auto
from warpgraph._search.connected_components import connected_components as label_components
from warpgraph.csgraph._input import arcs_of

if TYPE_CHECKING:
    from warpgraph._arguments import types

#: SciPy numbers strong components in the order in which a depth-first search leaves them. Up to
#: 1.17 it follows the last arc of a vertex first, later the first one.
_LAST_ARC_FIRST = tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 18)


def connected_components(
    csgraph: types.GraphLike,
    directed: bool = True,
    connection: types.Connection = "weak",
    return_labels: bool = True,
    *,
    device: types.Device = "auto",
) -> types.IntOrTuple:
    """Label the connected components of a graph.

    The parameters and results are those of ``scipy.sparse.csgraph.connected_components``.

    Parameters
    ----------
    csgraph : sparse array or matrix, ndarray, masked array, or list
        Entry (i, j) is the edge i -> j. Stored zeros of a sparse graph are edges.
    directed : bool
        False: edges have no direction. Strong components are then weak ones.
    connection : {"weak", "strong"}
        Vertices are weakly connected if a path joins them that may use edges both ways, and
        strongly connected if paths lead from each to the other.
    return_labels : bool
        Return the labels, too.
    device : str or list of str
        Where to run; see `warpgraph.devices`. Strong components are found by one search on one
        core, because SciPy numbers them in the order of that search.

    Returns
    -------
    n_components : int
    labels : ndarray of int32, shape (n_vertices,)
        Only if `return_labels`. Weak components are numbered in the order of their smallest
        vertices; strong ones have the numbers that the installed SciPy gives them.

    Raises
    ------
    ValueError
        Not a square matrix, or another `connection`.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> graph = [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    >>> csgraph.connected_components(graph)
    (2, array([0, 0, 1], dtype=int32))
    """
    if not isinstance(connection, str) or connection.lower() not in ("weak", "strong"):
        raise ValueError(f"connection must be 'weak' or 'strong', got {validate.shown(connection)}")
    strong = directed and connection.lower() == "strong"
    arcs = arcs_of(csgraph, strong)
    if strong:
        _device.resolve_all(device)  # DeviceError if there is none
        labels = np.empty(arcs.n_vertices, np.int32)
        n = _core.strong_components_by_search(arcs.structure(), labels, _LAST_ARC_FIRST, None)
    elif is_auto(device) and arcs.are_short("connected_components"):
        # The graph needs no check of its weights.
        labels = np.empty(arcs.n_vertices, np.int32)
        n = _core.connected_components(arcs.structure(), False, labels, ["cpu"], None)
    else:
        n, labels = label_components(arcs.graph(), directed=False, device=device)
    return (n, labels) if return_labels else n
