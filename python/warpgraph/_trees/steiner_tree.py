"""wg.steiner_tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._graph import plan
from warpgraph._graph.graph import as_graph
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._graph.plan import planned
from warpgraph._trees.edges import ends_of
from warpgraph._trees.forest import SpanningForest

if TYPE_CHECKING:
    from warpgraph._arguments import types


@planned("steiner_tree")
@errors_by_name
def steiner_tree(
    graph: types.GraphLike,
    terminals: types.Vertices,
    *,
    weight: str | None = "weight",
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> SpanningForest:
    """Return a light tree that joins some vertices, the terminals, over any others.

    It weighs less than twice as much as the lightest such tree, which is NP-hard to find: at most
    ``2 * (1 - 1 / n_leaves)`` times as much, if the lightest one has ``n_leaves`` leaves.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        As for `minimum_spanning_forest`; edges of weight inf are never used, and no weight may be
        negative.
    terminals : sequence of int or names
        The vertices to join: names if the graph has names, see `Graph`, else numbers. Repeated ones
        count once.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes that the call may take, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    SpanningForest
        The edges of the tree, in the order of their ``edge_ids``; every leaf is a terminal.
        Vertices that are not in the tree have no edge. With one terminal, no vertex has.

    Raises
    ------
    ValueError
        No terminals, terminals that are not in the graph or that no path joins, or a negative
        weight; it is named.
    OverflowError
        The length of a path between two terminals is beyond the range of the weights' dtype.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    minimum_spanning_forest : The lightest tree if all vertices are terminals.

    Notes
    -----
    Mehlhorn's method [1]_ takes O(m + n log n) time for n vertices and m edges, however many
    terminals there are. One search from all of them finds the nearest terminal of each vertex. An
    edge between vertices with different nearest terminals makes a path between these terminals.
    Kruskal's algorithm joins the terminals by the shortest of these paths.

    The tree is the same for every number of threads: paths to the nearest terminals are those of
    `sssp`, and of paths of equal length between terminals, the one is taken whose edge, as above,
    stands first in the CSR arrays. Integer weights are added up in int64, floats in their type.

    References
    ----------
    .. [1] Mehlhorn, "A faster approximation algorithm for the Steiner problem in graphs",
       Information Processing Letters 27, 1988.

    Examples
    --------
    >>> import warpgraph as wg
    >>> tree = wg.steiner_tree([[0, 5, 5, 2], [0, 0, 5, 2], [0, 0, 0, 2], [0, 0, 0, 0]], [0, 1, 2])
    >>> tree.edges.tolist(), tree.total_weight
    ([[0, 3], [1, 3], [2, 3]], 6)
    """
    graph = as_graph(graph, weight)
    ends = np.unique(graph._find_vertices(terminals, "terminals"))
    if not len(ends):
        raise ValueError("terminals must have at least one vertex")
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "Steiner tree")
    _device.require_cpu(device, "steiner_tree")
    kind = np.dtype(np.int64) if graph.dtype.kind == "i" else graph.dtype
    form = graph._known_undirected()
    request = {"is_directed": False, "n_sources": len(ends)}
    planned = plan.make("steiner_tree", graph, form, kind, _device.ON_CPU, request, ledger=ledger)
    graph._refuse_negative("steiner_tree", "")
    mirrored = graph._is_mirrored()
    searched = graph._undirected(ledger)
    handles = graph._handle_for(kind, ledger), searched._handle_for(kind, ledger)
    edge_ids, apart = _core.steiner_tree(
        *handles,
        ends,
        kind,
        report,
        delta_stepping=planned.method == "delta_stepping",
        mirrored=mirrored,
        ledger=ledger,
    )
    if apart >= 0:  # a terminal that no path joins to the first one
        first, other = (
            validate.shown(v) for v in graph._named_vertices(np.array([ends[0], apart]))
        )
        raise ValueError(f"no path joins the terminals {first} and {other}, so no tree has both")
    edges = np.sort(ends_of(graph, edge_ids), axis=1)
    found = edges, graph.data[edge_ids], edge_ids
    return SpanningForest._chosen_from(graph, *found, maximum=None)
