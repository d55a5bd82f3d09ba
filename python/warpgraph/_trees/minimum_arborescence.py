"""wg.minimum_arborescence and wg.Arborescence."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.new_array import Unpickled
from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._graph.plan import planned
from warpgraph._trees.edges import ends_of
from warpgraph._trees.forest import sum_of

if TYPE_CHECKING:
    import networkx as nx

    from warpgraph._arguments import types


@dataclass(frozen=True, eq=False, repr=False)
class Arborescence(Unpickled):
    """A directed tree in which one vertex, the root, reaches all others.

    Attributes
    ----------
    root : int
        The vertex that no edge enters.
    predecessors : ndarray of int32, shape (n_vertices,)
        The tail of the edge into each vertex; -1 for the root.
    edges : ndarray of int32, shape (n_vertices - 1, 2)
        Tail and head of each edge, in the order of the heads.
    weights : ndarray, shape (n_vertices - 1,)
        Weight of each edge.
    edge_ids : ndarray of int64, shape (n_vertices - 1,)
        Position of each edge in the ``indices`` and ``data`` of the graph's CSR matrix.
    names : ndarray, shape (n_vertices,), or None
        The names that the graph had for its vertices: ``names[edges]`` has the edges by name.
    weight_name : str
        The name of the attribute that had the weights in the graph, as `Graph.weight_name`.
    n_vertices : int
        Number of vertices.
    total_weight : float or int
        Sum of the weights: exact for integers, correctly rounded for floats.

    See Also
    --------
    minimum_arborescence : Finds the lightest.

    Examples
    --------
    >>> import warpgraph as wg
    >>> tree = wg.minimum_arborescence([[0, 4, 7], [0, 0, 2], [1, 9, 0]])
    >>> tree.root, tree.predecessors.tolist(), tree.total_weight
    (1, [2, -1, 1], 3)
    """

    root: int
    predecessors: npt.NDArray[np.int32]
    edges: npt.NDArray[np.int32]
    weights: types.Weights
    edge_ids: npt.NDArray[np.int64]
    names: npt.NDArray[Any] | None = None
    weight_name: str = DEFAULT_WEIGHT

    def __len__(self) -> int:
        """Return the number of edges."""
        return len(self.edges)

    def __repr__(self) -> str:
        root = self.root if self.names is None else validate.plain(self.names[self.root])
        return (
            f"<warpgraph.Arborescence: root {root!r}, {self.n_vertices} vertices, "
            f"total weight {self.total_weight}>"
        )

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.predecessors)

    @property
    def total_weight(self) -> float | int:
        """Sum of the weights: exact for integers, correctly rounded for floats."""
        return sum_of(self.weights)

    def to_csr(self) -> sp.csr_array:
        """Return the arborescence as a SciPy CSR array: row the tail, column the head.

        An edge of weight zero is a stored zero.
        """
        order = np.argsort(self.edges[:, 0], kind="stable")
        rows, columns = self.edges[order].T
        indptr = np.searchsorted(rows, np.arange(self.n_vertices + 1)).astype(np.int32)
        shape = (self.n_vertices, self.n_vertices)
        return sp.csr_array((self.weights[order], columns.copy(), indptr), shape=shape)

    def to_networkx(self, *, weight: str | None = None) -> nx.DiGraph:
        """Return the arborescence as a ``networkx.DiGraph`` with the weights of the edges.

        Its nodes are the names of the vertices, or their numbers where they have no names.

        Parameters
        ----------
        weight : str, optional
            Name for the attribute; by default `weight_name`.
        """
        import networkx as nx

        called = self.weight_name if weight is None else validate.name(weight, "weight")
        graph = nx.DiGraph()
        nodes = range(self.n_vertices) if self.names is None else self.names.tolist()
        graph.add_nodes_from(nodes)
        tails, heads = (self.edges if self.names is None else self.names[self.edges]).T.tolist()
        weighted = zip(tails, heads, self.weights.tolist(), strict=True)
        graph.add_weighted_edges_from(weighted, weight=called)
        return graph


@planned("minimum_arborescence")
@hinted
def minimum_arborescence(
    graph: types.GraphLike,
    root: Hashable | None = None,
    *,
    weight: str | None = "weight",
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> Arborescence:
    """Return the lightest directed tree in which one vertex, the root, reaches all others.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is the edge i -> j. Stored zeros are edges of weight zero, of parallel edges
        the lightest counts, a weight of inf is an edge that is never used. Weights may be negative;
        loops are never used.
    root : int, or name of a vertex, optional
        Where the tree begins: its name if the graph has names, see `Graph`, else its number. By
        default, the vertex from which the tree is lightest; of several, the smallest.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes that the call may take, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts vertices that have an edge.

    Returns
    -------
    Arborescence
        Its edges, one into each vertex except the root.

    Raises
    ------
    ValueError
        There is no such tree: the root does not reach a vertex, which is named, or no vertex
        reaches all others. A root that is not in the graph, a graph without vertices, or a weight
        of -inf.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    minimum_spanning_forest : Of edges without directions.

    Notes
    -----
    Edmonds' method [1]_ in the form of [2]_, O(m log n) time for n vertices and m edges: a vertex
    takes its lightest entering edge, and a cycle becomes one vertex, into which an edge weighs what
    it costs to replace one of the cycle.

    The tree is the same for every number of threads. Where edges into a vertex, or into a cycle,
    are equally light, the first in the CSR arrays is taken; where trees from several roots are, the
    smallest of these is the root. Integers are exact; of floats, the tree is the lightest up to
    rounding, as their differences are rounded to double precision.

    References
    ----------
    .. [1] Edmonds, "Optimum branchings", Journal of Research of the National Bureau of Standards
       71B, 1967.
    .. [2] Gabow, Galil, Spencer, Tarjan, "Efficient algorithms for finding minimum spanning trees
       in undirected and directed graphs", Combinatorica 6, 1986.

    Examples
    --------
    >>> import warpgraph as wg
    >>> costs = [[0, 4, 7], [0, 0, 2], [1, 9, 0]]
    >>> wg.minimum_arborescence(costs).edges.tolist()
    [[2, 0], [1, 2]]
    >>> wg.minimum_arborescence(costs, root=0).edges.tolist()
    [[0, 1], [1, 2]]
    """
    graph = as_graph(graph, weight)
    start = -1 if root is None else graph._find_vertex(root, "root")
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "minimum arborescence")
    _device.require_cpu(device, "minimum_arborescence")
    if graph.n_vertices == 0:
        raise ValueError("a graph without vertices has no spanning arborescence")
    plan.make("minimum_arborescence", graph, graph, graph.dtype, _device.ON_CPU, ledger=ledger)
    _refuse_minus_infinity(graph)
    start, predecessors, edge_ids, unreached = _core.minimum_arborescence(
        graph._handle, graph.dtype, report, root=start, ledger=ledger
    )
    if unreached >= 0:
        raise ValueError(_why_there_is_none(graph, start, unreached, root is not None))
    edges = ends_of(graph, edge_ids)
    found = predecessors, edges, graph.data[edge_ids], edge_ids
    return Arborescence(start, *found, graph.names, graph.weight_name)


def _refuse_minus_infinity(graph: Graph) -> None:
    if graph.dtype.kind == "f" and graph.n_edges and graph.data.min() == -np.inf:
        position = graph.data.argmin()
        ((tail, head),) = ends_of(graph, np.array([position])).tolist()
        raise ValueError(
            f"the weight of entry {graph._shown(tail, head)} is -inf, which minimum_arborescence "
            "does not allow"
        )


def _why_there_is_none(graph: Graph, root: int, unreached: int, is_given: bool) -> str:
    first, other = graph._shown(root), graph._shown(unreached)
    if is_given:
        return f"no path leads from the root {first} to vertex {other}: no arborescence spans both"
    return (
        f"no vertex reaches both {first} and {other}, so there is no spanning arborescence; pass "
        "the vertices of one component"
    )
