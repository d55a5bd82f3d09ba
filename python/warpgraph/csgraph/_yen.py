"""yen."""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from warpgraph import _core
from warpgraph._arguments.device import is_auto
from warpgraph._paths.k_shortest_paths import k_shortest_paths
from warpgraph.csgraph._input import (
    CSR_TYPES,
    NO_VERTEX,
    Array,
    arcs_of,
)
from warpgraph.csgraph._searches import negative_cycle, search_with_negative_weights

if TYPE_CHECKING:
    from warpgraph._arguments import types


def yen(
    csgraph: types.GraphLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    device: types.Device = "auto",
) -> types.ArrayOrTuple:
    """Return the lengths of the shortest paths from one vertex to another, by Yen's algorithm.

    The parameters and results are those of ``scipy.sparse.csgraph.yen``.

    Parameters
    ----------
    csgraph : sparse array or matrix, ndarray, masked array, or list
        Entry (i, j) is the edge i -> j. Weights may be negative.
    source, sink : int
        The ends of the paths.
    K : int
        How many paths to return at most. A path visits no vertex twice.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    return_predecessors : bool
        Return predecessors, too.
    unweighted : bool
        True: every edge weighs 1.
    device : str
        "auto" or "cpu": runs on the CPU only.

    Returns
    -------
    dist_array : ndarray of float64, shape (n_paths,)
        Lengths in ascending order; fewer than `K` if there are no more paths.
    predecessors : ndarray of int32, shape (n_paths, n_vertices)
        Only if `return_predecessors`: in row i the vertex before each on the i-th path, or -9999.

    Raises
    ------
    NegativeCycleError
        There is a cycle of negative weight. It is SciPy's class.
    ValueError
        Not a square matrix, or `source` or `sink` is not a vertex.

    Examples
    --------
    >>> from warpgraph import csgraph
    >>> from scipy.sparse import csr_array
    >>> graph = [[0, 1, 4], [0, 0, 2], [0, 0, 0]]
    >>> csgraph.yen(csr_array(graph), 0, 2, 2)
    array([3., 4.])
    """
    K = operator.index(K)
    if type(csgraph) in CSR_TYPES and is_auto(device):
        how = bool(directed), bool(unweighted)
        found = _core.small_k_shortest_paths(csgraph, source, sink, K, *how)
        if found is not None and not return_predecessors:
            return found[0]
        if found is not None:
            lengths, starts, visited = found
            paths = [visited[first:last] for first, last in pairwise(starts.tolist())]
            matrix: Any = csgraph
            return lengths, _trees(paths, matrix.shape[0])
    arcs = arcs_of(csgraph, directed)
    n = arcs.n_vertices
    if not (0 <= source < n and 0 <= sink < n):
        raise ValueError(
            "For csgraph with shape (N, N), must have 0 <= source < N and 0 <= sink < N. "
            f"Got N={n}, source={source}, sink={sink}."
        )
    if K < 0:
        raise ValueError("negative dimensions are not allowed")
    directed, unweighted = bool(directed), bool(unweighted)
    if not unweighted and arcs.has_negative():
        # SciPy refuses a cycle of negative weight wherever it is.
        start = np.array([source], np.int32)
        search_with_negative_weights(arcs, start, directed=directed, everywhere=True)
    options: dict[str, Any] = {"directed": directed, "unweighted": unweighted, "device": device}
    lengths, paths = np.empty(0), []
    if K > 0:
        try:
            lengths, paths = k_shortest_paths(arcs.graph(), int(source), int(sink), K, **options)
        except _core.NegativeCycleError as error:
            raise negative_cycle(error) from error
    return (lengths, _trees(paths, n)) if return_predecessors else lengths


def _trees(paths: list[Array], n_vertices: int) -> Array:
    """Return a row for each path: the vertex before each."""
    trees = np.full((len(paths), n_vertices), NO_VERTEX, np.int32)
    for tree, path in zip(trees, paths, strict=True):
        tree[path[1:]] = path[:-1]
    return trees
