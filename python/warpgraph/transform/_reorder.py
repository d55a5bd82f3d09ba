"""New vertex numbers: wg.transform.reorder, permute and partition."""

from __future__ import annotations

import importlib.util
import itertools
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._graph.graph import Graph, as_graph, like
from warpgraph.transform._transformed import PartitionedGraph, ReorderedGraph, Report

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]

#: The strategies of `reorder`.
STRATEGIES = ("communities", "degree", "rcm")
#: Strategies that keep neighbours near.
_NEAR = ("communities", "rcm")
_MAX_PARTS = 64
_MEASURE = "entries that lead from part to part"
#: METIS is compiled for indices of 32 bits.
_MAX_FOR_METIS = (1 << 31) - 1


@hinted
def reorder(
    graph: types.GraphLike, strategy: str = "communities", *, weight: str | None = "weight"
) -> ReorderedGraph:
    """Renumber the vertices so that those which are joined get near numbers.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Any graph. The order is that of its undirected form, whichever way entries are stored.
    strategy : {"communities", "degree", "rcm"}
        ``communities``: vertices that share most of their neighbours first, then communities of
        them, level by level; for graphs that have clusters of any kind. ``rcm``: reverse
        Cuthill-McKee, for meshes and roads. ``degree``: hubs first.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.

    Returns
    -------
    ReorderedGraph
        The graph, its order, the former positions of its entries, and a report.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> graph = wg.transform.permute(wg.generators.grid(9, 9), np.arange(81) * 7 % 81).graph
    >>> wg.transform.reorder(graph, "rcm").report.gain > 1
    True
    """
    graph = as_graph(graph, weight)
    chosen = validate.choice(strategy, STRATEGIES, "strategy")
    start = time.perf_counter()
    structure = graph if chosen == "degree" else graph._undirected_structure()
    order = _core.vertex_order(structure._handle, chosen)
    return _permuted(graph, order, start)


@hinted
def permute(
    graph: types.GraphLike, order: npt.ArrayLike, *, weight: str | None = "weight"
) -> ReorderedGraph:
    """Renumber the vertices in a given order.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Any graph.
    order : array_like of int, shape (n_vertices,)
        ``order[i]`` is the number of the vertex that becomes number i.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.

    Returns
    -------
    ReorderedGraph
        The graph, its order, the former positions of its entries, and a report.

    Raises
    ------
    ValueError
        `order` does not have every vertex exactly once.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> chain = np.array([[0, 1, 0], [0, 0, 3], [0, 0, 0]])
    >>> wg.transform.permute(chain, [2, 0, 1]).graph.to_csr().toarray()
    array([[0, 0, 0],
           [0, 0, 1],
           [3, 0, 0]])
    """
    graph = as_graph(graph, weight)
    start = time.perf_counter()
    return _permuted(graph, validate.vertices(order, graph.n_vertices, "order"), start)


def _permuted(graph: Graph, order: Array, start: float) -> ReorderedGraph:
    *arrays, edge_ids = _core.permute(graph._handle, graph.dtype, order)
    made = like(Graph._of_own(*arrays), graph, order)
    inverse = _core.inverse_order(order)
    seconds = time.perf_counter() - start
    before, after = _core.mean_gap_bits(graph._handle), _core.mean_gap_bits(made._handle)
    report = Report(seconds, "bits of the difference between an entry's ends", before, after)
    return ReorderedGraph(made, order, inverse, edge_ids, report)


@hinted
def partition(
    graph: types.GraphLike, n_parts: int, strategy: str = "auto", *, weight: str | None = "weight"
) -> PartitionedGraph:
    """Renumber the vertices part by part, with few arcs between the parts.

    A function that is given a list of devices divides the vertices into ranges, one for each
    device, of about as many arcs. After this, the ranges of `n_parts` devices are the parts, and
    what devices send each other is what leads from part to part.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Any graph. The parts are those of its undirected form, whichever way entries are stored.
    n_parts : int
        Number of parts, 1 to 64.
    strategy : {"auto", "metis", "communities", "rcm"}
        ``metis``: multilevel k-way partitioning [1]_ by the package pymetis
        (``pip install "warpgraph[metis]"``). ``communities``, ``rcm``: the order of `reorder`, cut
        into ranges. ``auto``: METIS if pymetis is installed, else both orders; or the vertices as
        they are, if that has the fewest arcs between parts.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.

    Returns
    -------
    PartitionedGraph
        The graph, the first vertex of each part, its order, the former positions of its entries,
        and a report.

    Raises
    ------
    ImportError
        ``strategy="metis"`` without pymetis.

    Notes
    -----
    METIS takes O((n + m) log k) time on one core, its library cannot be interrupted, and it takes
    at most ``2**31 - 1`` entries, both ways counted.

    References
    ----------
    .. [1] G. Karypis and V. Kumar, "A fast and high quality multilevel scheme for partitioning
       irregular graphs", SIAM J. Sci. Comput. 20, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> mixed = wg.transform.permute(wg.generators.grid(9, 9), np.arange(81) * 7 % 81).graph
    >>> parts = wg.transform.partition(mixed, 2, "rcm")
    >>> parts.starts
    array([ 0, 41, 81], dtype=int32)
    >>> parts.report.after < parts.report.before
    True
    """
    graph = as_graph(graph, weight)
    n_parts = validate.count(n_parts, "n_parts", least=1, most=_MAX_PARTS)
    chosen = validate.choice(strategy, ("auto", "metis", *_NEAR), "strategy")
    start = time.perf_counter()
    before = _n_between(graph, graph._handle.equal_arcs(n_parts))
    tried = (_ranges(permute(graph, order), n_parts) for order in _orders(graph, n_parts, chosen))
    made, starts, after = min(tried, key=lambda one: one[2])  # the first of equal ones
    report = Report(time.perf_counter() - start, _MEASURE, float(before), float(after))
    return PartitionedGraph(
        made.graph, made.order, made.inverse, made.edge_ids, report, starts=starts
    )


def _ranges(made: ReorderedGraph, n_parts: int) -> tuple[ReorderedGraph, Array, int]:
    """Return the graph, the starts of its parts, and the number of entries between them."""
    starts = made.graph._handle.equal_arcs(n_parts)
    return made, starts, _n_between(made.graph, starts)


def _n_between(graph: Graph, starts: Array) -> int:
    """Return the number of entries whose ends are in different parts."""
    n = 0
    for first, last in itertools.pairwise(starts.tolist()):
        heads = graph.indices[graph.indptr[first] : graph.indptr[last]]
        n += int(np.count_nonzero((heads < first) | (heads >= last)))
    return n


def _orders(graph: Graph, n_parts: int, strategy: str) -> Iterator[Array]:
    """Yield the orders of vertices to choose from."""
    has_metis = importlib.util.find_spec("pymetis") is not None
    chosen: tuple[str, ...] = (strategy,)
    if strategy == "auto":
        yield np.arange(graph.n_vertices, dtype=np.int32)
        chosen = ("metis",) if has_metis else _NEAR
    for one in chosen:
        if one == "metis":
            yield _order_by_metis(graph, n_parts)
        else:
            yield _core.vertex_order(graph._undirected_structure()._handle, one)


def _order_by_metis(graph: Graph, n_parts: int) -> Array:
    """Return the vertices of each part of METIS after each other, in their order."""
    try:
        import pymetis
    except ImportError:
        raise ImportError(
            'strategy="metis" needs the package pymetis: pip install "warpgraph[metis]"'
        ) from None
    n = graph.n_vertices
    if n_parts == 1 or n_parts >= n:  # METIS prints that it takes no more parts than vertices
        return np.arange(n, dtype=np.int32)
    # Loops are removed; k parallel entries become one of weight k.
    one = sp.csr_array((np.ones(graph.n_edges, np.int32), graph.indices, graph.indptr), (n, n))
    both = sp.coo_array(one + one.T)
    kept = both.row != both.col
    ends = both.row[kept], both.col[kept]
    structure = sp.coo_array((both.data[kept], ends), (n, n)).tocsr()
    if structure.nnz == 0:
        return np.arange(n, dtype=np.int32)
    if structure.nnz > _MAX_FOR_METIS:
        raise ValueError(
            f"METIS takes at most {_MAX_FOR_METIS} entries, both ways counted, got "
            f"{structure.nnz}; use strategy='communities'"
        )
    part_of = pymetis.part_graph(
        n_parts,
        pymetis.CSRAdjacency(structure.indptr, structure.indices),
        eweights=structure.data,
        vweights=np.diff(graph.indptr) + 1,  # what equal_arcs makes equal
    )[1]
    return np.argsort(part_of, kind="stable").astype(np.int32)
