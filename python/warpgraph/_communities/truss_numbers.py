"""wg.truss_numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._communities.structure import both_ways
from warpgraph._graph.plan import planned

if TYPE_CHECKING:
    from warpgraph._arguments import types


@planned("truss_numbers")
@hinted
def truss_numbers(
    graph: types.GraphLike,
    *,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> sp.csr_array:
    """Return the truss number of each edge.

    The k-truss is the largest part of a graph in which every edge is in at least k - 2 triangles of
    that part. The truss number of an edge is the largest k for which it is in the k-truss.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is an edge between i and j, whichever of (i, j) and (j, i) are stored. Weights
        are not read, stored zeros are edges. Loops and parallel edges do not count.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes that the call may take, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    csr_array of int32, shape (n_vertices, n_vertices)
        The numbers, of at least 2, of edges in both directions. ``trusses >= k`` has the edges of
        the k-truss.

    Raises
    ------
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    core_numbers : The densest part that each vertex is in, by its neighbours.

    Notes
    -----
    O(m^1.5 log n) time for m edges and n vertices. The triangles of each edge are counted; then
    edges of the fewest triangles are removed first [1]_, those of equally many together, on all
    cores [2]_. A vertex of the k-truss is in the (k - 1)-core.

    References
    ----------
    .. [1] Wang and Cheng, "Truss decomposition in massive networks", PVLDB 5, 2012.
    .. [2] Kabir and Madduri, "Shared-memory graph truss decomposition", HiPC 2017.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    >>> wg.truss_numbers(graph).toarray().tolist()
    [[0, 3, 3, 0], [3, 0, 3, 0], [3, 3, 0, 2], [0, 0, 2, 0]]
    """
    report = validate.progress(progress, "truss numbers")
    how = graph, device, memory_limit
    form, ledger, _ = both_ways("truss_numbers", "truss_numbers", *how)
    offsets, heads, numbers = _core.truss_numbers(form._handle, report, ledger=ledger)
    index = np.int32 if len(heads) < 2**31 else np.int64
    parts = numbers, heads.astype(index, copy=False), offsets.astype(index, copy=False)
    return sp.csr_array(parts, shape=(form.n_vertices, form.n_vertices))
