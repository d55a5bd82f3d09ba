"""wg.transform: conversions of graphs to forms that algorithms read faster.

The functions are independent, work on any graph, and return a `Report` of cost and gain::

    near = wg.transform.reorder(graph)
    ranked = wg.transform.rank_weights(near.graph)
    small = wg.transform.compress(ranked.graph)
    print(small.report)

A function that changes the order of a graph's entries returns their former positions: entry i of
the new graph is entry ``edge_ids[i]`` of the old one. The order of the entries breaks ties between
forests of equal weight, so with equal weights a new order may give another forest.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.errors import of_kind
from warpgraph._arguments.hints import hinted
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph, as_graph, like
from warpgraph._graph.plan import planned
from warpgraph.transform._reorder import partition, permute, reorder
from warpgraph.transform._transformed import (
    PartitionedGraph,
    RankedGraph,
    ReorderedGraph,
    Report,
    SortedGraph,
)

if TYPE_CHECKING:
    from warpgraph._arguments import types

__all__ = [
    "CompressedGraph",
    "PartitionedGraph",
    "RankedGraph",
    "ReorderedGraph",
    "Report",
    "SortedGraph",
    "compress",
    "partition",
    "permute",
    "rank_weights",
    "reorder",
    "sort_by_weight",
]


def __dir__() -> list[str]:
    return sorted(__all__)


Array = npt.NDArray[Any]

_BLOCK_BITS = (0, 1, 2, 4, 8)


class CompressedGraph:
    """A graph whose neighbours take few bits, as `compress` returns it; read-only.

    Attributes
    ----------
    n_vertices, n_edges : int
        Number of vertices; number of stored entries.
    indptr, data : ndarray
        The arrays of the graph that was given, which need no compression.
    nbytes : int
        Bytes that the neighbours take, in place of the ``indices`` of a `Graph`.
    coordinates : ndarray of float64, shape (n_vertices, d), or None
        Coordinates of the graph that was given.
    weight_name : str
        Name of the weights of the graph that was given.
    block_bits : int
        Bits of an entry beyond its first 8.
    n_patched_rows, n_wide_rows : int
        Rows that do not fit: those with a few exceptions, and those without a common base.
    report : Report
        Measures the bytes of the neighbours.

    Examples
    --------
    >>> import warpgraph as wg
    >>> compressed = wg.transform.compress(wg.generators.grid(30, 30))
    >>> compressed.neighbours(0)
    array([ 1, 30], dtype=int32)
    >>> compressed.decompress().n_edges
    3480
    """

    def __init__(self, graph: Graph, block_bits: int | None = None) -> None:
        graph = of_kind(graph, Graph, "graph", "warpgraph.Graph makes it of any matrix")
        bits = -1 if block_bits is None else _checked(block_bits)  # -1: the core chooses
        start = time.perf_counter()
        self._handle = _core.compressed_handle(graph._handle, graph.indptr, bits)
        self.indptr, self.data = graph.indptr, graph.data
        self._names, self.coordinates = graph._names, graph.coordinates
        self.weight_name = graph.weight_name
        self.nbytes = self._handle.bytes()
        self.block_bits = self._handle.block_bits()
        self.n_patched_rows = self._handle.n_patched_rows()
        self.n_wide_rows = self._handle.n_wide_rows()
        seconds = time.perf_counter() - start
        before = float(graph.indices.nbytes)
        self.report = Report(seconds, "bytes of the neighbours", before, float(self.nbytes))

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def n_edges(self) -> int:
        """Number of stored entries."""
        return len(self.data)

    def neighbours(self, vertex: types.Vertex) -> Array:
        """Return the columns of a row's entries, in their order.

        `vertex` is a name if the graph has names, see `Graph`; columns are numbers.
        """
        if self._names is not None:
            return self._handle.heads_of(self._names.number(vertex, "vertex"))
        return self._handle.heads_of(validate.vertex(vertex, self.n_vertices, "vertex"))

    def decompress(self) -> Graph:
        """Return the graph as it was given to `compress`."""
        return like(Graph._of_own(self.indptr, self._handle.heads(), self.data), self)

    def __repr__(self) -> str:
        return (
            f"<warpgraph.transform.CompressedGraph: {self.n_vertices} vertices, "
            f"{self.n_edges} edges, {self.nbytes} bytes of neighbours>"
        )


@planned("transform.sort_by_weight")
@falls_back_if_memory_lacks
def sort_by_weight(
    graph: types.GraphLike,
    *,
    weight: str | None = "weight",
    descending: bool = False,
    device: types.Device = "auto",
) -> SortedGraph:
    """Sort the entries of each row by their weights.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Any graph. Entries of equal weight stay in their order.
    descending : bool
        Begin with the heaviest.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        Where to run; see `warpgraph.devices`. Copying the arrays to a GPU and back takes longer
        than sixteen cores take to sort, so "auto" is the CPU.

    Returns
    -------
    SortedGraph
        The graph, the former positions of its entries, and a report.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> wg.transform.sort_by_weight(np.array([[0, 9, 4], [0, 0, 3], [1, 0, 0]])).graph.data
    array([4, 9, 3, 1])
    """
    descending = validate.flag(descending, "descending")
    graph = as_graph(graph, weight, keeps=True)
    start = time.perf_counter()
    heads, weights, edge_ids = _core.sort_rows(
        graph._handle,
        graph.dtype,
        descending,
        _where("sort_by_weight", graph, device),
    )
    made = like(Graph._of_own(graph.indptr, heads, weights), graph)
    seconds = time.perf_counter() - start
    rows = int(np.count_nonzero(np.diff(graph.indptr)))
    measure = "entries to look at for the lightest of every vertex"
    return SortedGraph(made, edge_ids, Report(seconds, measure, float(graph.n_edges), float(rows)))


def _where(function: str, graph: Graph, device: Any) -> str:
    """Return the device that a function of this module runs on."""
    return plan.device_for(function, _device.one_wanted(device), n_arcs=graph.n_edges)


@planned("transform.rank_weights")
@falls_back_if_memory_lacks
def rank_weights(
    graph: types.GraphLike, *, weight: str | None = "weight", device: types.Device = "auto"
) -> RankedGraph:
    """Replace the weights by integers that compare as they do.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Any graph. Negative and infinite weights are ranked as all others, and -0.0 as 0.0.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        Where to run; see `warpgraph.devices`. The weights are copied there, and the ranks back.

    Returns
    -------
    RankedGraph
        The graph with ranks as weights, the values of the ranks, and a report. Equal weights have
        equal ranks, so its minimum spanning forest consists of the same entries.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> ranked = wg.transform.rank_weights(np.array([[0, 1.5], [30, 0]]))
    >>> ranked.graph.data
    array([0, 1], dtype=int32)
    """
    graph = as_graph(graph, weight, keeps=True)
    start = time.perf_counter()
    where = _where("rank_weights", graph, device)
    ranks, first_rank, values = _core.rank_weights(graph.data, where)
    made = like(Graph._of_own(graph.indptr, graph.indices, ranks), graph)
    seconds = time.perf_counter() - start
    before, after = float(graph.data.nbytes), float(ranks.nbytes)
    return RankedGraph(
        made, values, first_rank, Report(seconds, "bytes of the weights", before, after)
    )


@hinted
def compress(
    graph: types.GraphLike, *, weight: str | None = "weight", block_bits: int | None = None
) -> CompressedGraph:
    """Store the neighbours of each vertex as small differences from a common base.

    A row whose neighbours span no more than ``2**(8 + block_bits)`` numbers takes 4 bytes, and
    ``8 + block_bits`` bits per entry; others fall back to exceptions or more bytes per entry. Call
    `reorder` first, so that most rows fit.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Any graph. The order of its entries stays.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    block_bits : {0, 1, 2, 4, 8}, optional
        By default, whichever takes the fewest bytes.

    Returns
    -------
    CompressedGraph
        The neighbours in few bytes; each can be read alone.

    Examples
    --------
    >>> import warpgraph as wg
    >>> compressed = wg.transform.compress(wg.generators.grid(30, 30))
    >>> compressed.nbytes, compressed.block_bits
    (7080, 0)
    """
    return CompressedGraph(as_graph(graph, weight, keeps=True), block_bits)


def _checked(block_bits: Any) -> int:
    bits = validate.count(block_bits, "block_bits", most=max(_BLOCK_BITS))
    if bits not in _BLOCK_BITS:
        raise ValueError(f"block_bits must be one of {_BLOCK_BITS} or None, got {bits}")
    return bits
