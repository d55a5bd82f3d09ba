"""wg.core_numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._communities.structure import both_ways
from warpgraph._graph.plan import planned

if TYPE_CHECKING:
    from warpgraph._arguments import types


@planned("core_numbers")
@hinted
def core_numbers(
    graph: types.GraphLike,
    *,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> types.Int32Array:
    """Return the core number of each vertex.

    The k-core is the largest part of a graph in which every vertex has at least k neighbours in
    that part. The core number of a vertex is the largest k for which it is in the k-core.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is an edge between i and j, whichever of (i, j) and (j, i) are stored. Weights
        are not read: entries of weight 0 or inf are edges, too. Loops do not count, and parallel
        edges count as one.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``. It counts vertices.

    Returns
    -------
    ndarray of int32, shape (n_vertices,)
        The core numbers. ``cores >= k`` are the vertices of the k-core, and the largest number is
        the graph's degeneracy.

    Raises
    ------
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    triangles : The number of triangles at each vertex.

    Notes
    -----
    O(n + m) time for n vertices and m edges. The vertices with the fewest neighbours left are
    removed first. On small graphs one thread keeps the vertices in buckets by that number [1]_; on
    others each of several threads keeps a list of its own vertices [2]_. The numbers are the same
    for every number of threads.

    References
    ----------
    .. [1] Batagelj and Zaversnik, "An O(m) algorithm for cores decomposition of networks", 2003.
    .. [2] Kabir and Madduri, "Parallel k-core decomposition on multicore platforms", IPDPSW 2017.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    >>> wg.core_numbers(graph).tolist()
    [2, 2, 2, 1]
    """
    report = validate.progress(progress, "core numbers")
    how = graph, device, memory_limit, np.int32
    form, ledger, (cores,) = both_ways("core_numbers", "core_numbers", *how)
    _core.core_numbers(form._handle, cores, report, ledger=ledger)
    found: types.Int32Array = cores
    return found
