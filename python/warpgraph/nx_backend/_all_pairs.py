"""Shortest paths between all pairs, in NetworkX's functions."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from warpgraph._apsp import apsp
from warpgraph._device import get_num_threads
from warpgraph._graph import Graph
from warpgraph._many_to_many import many_to_many
from warpgraph.nx_backend import _search
from warpgraph.nx_backend._graph import BackendGraph
from warpgraph.nx_backend._search import Tree

Array = npt.NDArray[Any]

#: Sources that are searched from at a time: enough for a batch of breadth-first searches on each
#: thread, and distances of few megabytes.
_SOURCES_OF_A_THREAD = 256
_DISTANCES_AT_ONCE = 1 << 23


def rows_of_matrix(
    matrix: Graph,
    sources: Sequence[int],
    *,
    limit: Any = math.inf,
    unweighted: bool = False,
    paths: bool = False,
) -> Iterator[tuple[int, Array, Array | None]]:
    """Yield (source, distances, predecessors or None); hops are int32, -1 where unreachable."""
    n = max(matrix.n_vertices, 1)
    step = max(1, min(_SOURCES_OF_A_THREAD * get_num_threads(), _DISTANCES_AT_ONCE // n))
    kind = np.int32 if unweighted else _search.length_type(matrix)
    how: dict[str, Any] = {"limit": limit, "unweighted": unweighted, "dtype": kind}
    for begin in range(0, len(sources), step):
        block = sources[begin : begin + step]
        with _search.networkx_errors():
            found: Any = many_to_many(matrix, list(block), return_predecessors=paths, **how)
        far, before = found if paths else (found, None)
        if unweighted:
            _search.as_hops(far)
        for i, source in enumerate(block):
            yield source, far[i], None if before is None else before[i]


def rows(
    G: BackendGraph,
    weight: Any,
    sources: Sequence[int] | None = None,
    *,
    cutoff: Any = None,
    reverse: bool = False,
    paths: bool = False,
) -> Iterator[tuple[int, Array, Array | None]]:
    """As `rows_of_matrix`, from all vertices by default. Hops, if all edges weigh 1."""
    how: dict[str, Any] = {"limit": _search.limit_of(cutoff), "paths": paths}
    every = range(len(G)) if sources is None else sources
    if not G.has_lengths(weight):
        return rows_of_matrix(G.structure(reverse=reverse), every, unweighted=True, **how)
    matrix = G.matrix(weight, reverse=reverse)
    _search.refuse_negative(matrix)
    return rows_of_matrix(matrix, every, **how)


def trees(
    G: BackendGraph, weight: Any, *, cutoff: Any = None, paths: bool = False
) -> Iterator[tuple[Any, Tree]]:
    """Return an iterator of (node, tree) for every node.

    What the backend does not take is refused here and not by the iterator: NetworkX calls its own
    function only if the call itself raises NotImplementedError.
    """
    _search.refuse_long_sums(G, weight)
    found = rows(G, weight, cutoff=cutoff, paths=paths)
    return ((G.nodes[source], Tree(G, far, before)) for source, far, before in found)


def all_pairs_dijkstra(G: Any, cutoff: Any = None, weight: Any = "weight") -> Any:
    """See NetworkX."""
    found = trees(G, weight, cutoff=cutoff, paths=True)
    return ((node, (tree.lengths(), tree.paths())) for node, tree in found)


def all_pairs_dijkstra_path_length(G: Any, cutoff: Any = None, weight: Any = "weight") -> Any:
    """See NetworkX."""
    return ((node, tree.lengths()) for node, tree in trees(G, weight, cutoff=cutoff))


def all_pairs_dijkstra_path(G: Any, cutoff: Any = None, weight: Any = "weight") -> Any:
    """See NetworkX."""
    return ((node, tree.paths()) for node, tree in trees(G, weight, cutoff=cutoff, paths=True))


def floyd_warshall_numpy(G: Any, nodelist: Any = None, weight: Any = "weight") -> Any:
    """See NetworkX."""
    if nodelist is not None and not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError(
            "nodelist must contain every node in G with no repeats."
            "If you wanted a subgraph of G use G.subgraph(nodelist)"
        )
    far = _distances(G, weight, np.float64)[0]
    if nodelist is None:
        return far
    order = [G.numbers[node] for node in nodelist]
    return far[np.ix_(order, order)]


def floyd_warshall(G: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    return _dictionaries(G, _distances(G, weight, None)[0])


def floyd_warshall_predecessor_and_distance(G: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    far, before = _distances(G, weight, None, paths=True)
    loops = G.matrix(weight).to_edges()
    for vertex in loops[0][loops[0] == loops[1]].tolist():
        before[vertex, vertex] = vertex
    return _predecessors(G, before), _dictionaries(G, far)


def _distances(G: BackendGraph, weight: Any, kind: Any, *, paths: bool = False) -> Any:
    """Return distances, by default of the weights' type, and predecessors."""
    if not len(G):
        raise NotImplementedError("a graph without nodes runs in NetworkX")
    matrix = G.matrix(weight)
    kind = kind or _search.length_type(matrix)
    try:
        with _search.networkx_errors():
            found = apsp(matrix, dtype=kind, return_predecessors=paths)
    except nx.NetworkXUnbounded as error:
        raise NotImplementedError(str(error)) from None  # NetworkX does not look for such cycles
    return found if paths else (found, None)


def _dictionaries(G: BackendGraph, far: Array) -> dict[Any, dict[Any, Any]]:
    inf = math.inf
    found: dict[Any, dict[Any, Any]] = {}
    for node, row in zip(G.nodes, far, strict=True):
        lengths = row.tolist()
        if row.dtype.kind == "i" and not (reached := _search.is_reached(row)).all():
            for v in np.flatnonzero(~reached).tolist():
                lengths[v] = inf
        pairs = zip(G.nodes, lengths, strict=True)
        found[node] = defaultdict(lambda: inf, pairs)
    return found


def _predecessors(G: BackendGraph, before: Array) -> dict[Any, dict[Any, Any]]:
    found = {}
    for node, row in zip(G.nodes, before, strict=True):
        heads = np.flatnonzero(row >= 0)
        if len(heads):
            found[node] = dict(zip(G.named(heads), G.named(row[heads]), strict=True))
    return found
