"""Shortest paths between all pairs, in NetworkX's functions."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._graph.graph import Graph
from warpgraph._paths.apsp import apsp
from warpgraph._paths.many_to_many import many_to_many
from warpgraph.nx_backend._graph import RELEASE, BackendGraph, Entries
from warpgraph.nx_backend._paths import lengths as _lengths, search
from warpgraph.nx_backend._paths.search import Tree

Array = npt.NDArray[Any]


def rows_of_matrix(
    matrix: Graph,
    sources: Sequence[int],
    *,
    limit: Any = math.inf,
    unweighted: bool = False,
    paths: bool = False,
) -> Iterator[tuple[int, Array, Array | None]]:
    """Yield (source, distances, predecessors or None); hops are int32, -1 where unreachable."""
    step = _core.sources_at_a_time(matrix.n_vertices)
    kind = np.int32 if unweighted else search.length_type(matrix)
    how: dict[str, Any] = {"limit": limit, "unweighted": unweighted, "dtype": kind}
    for begin in range(0, len(sources), step):
        block = sources[begin : begin + step]
        with search.networkx_errors():
            found: Any = many_to_many(matrix, list(block), return_predecessors=paths, **how)
        far, before = found if paths else (found, None)
        if unweighted:
            search.as_hops(far)
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
    """Yield what `rows_of_matrix` does, by default from all vertices; hops if all edges weigh 1."""
    entries = search.entries_of(G, weight, reverse=reverse)
    limit = search.limit_of(cutoff, None if entries is None else entries.weights)
    how: dict[str, Any] = {"limit": limit, "paths": paths or search.needs_paths(entries)}
    every = range(len(G)) if sources is None else sources
    if entries is None:
        return rows_of_matrix(G.structure(reverse=reverse), every, unweighted=True, **how)
    matrix = G.matrix(weight, reverse=reverse)
    search.refuse_negative(matrix)
    return rows_of_matrix(matrix, every, **how)


def trees(
    G: BackendGraph,
    weight: Any,
    sources: Sequence[int] | None = None,
    *,
    cutoff: Any = None,
    reverse: bool = False,
    paths: bool = False,
) -> Iterator[tuple[Any, Tree]]:
    """Return an iterator of (node, tree) for every node, or for some.

    What the backend does not take is refused here and not by the iterator: NetworkX calls its own
    function only if the call itself raises NotImplementedError.
    """
    search.refuse_long_sums(G, weight)
    found = rows(G, weight, sources, cutoff=cutoff, reverse=reverse, paths=paths)
    how: dict[str, Any] = {"entries": search.entries_of(G, weight, reverse=reverse)}
    return (
        (G.nodes[source], Tree(G, far, before, sources=[source], **how))
        for source, far, before in found
    )


def lengths(
    G: BackendGraph,
    weight: Any,
    sources: Sequence[int] | None = None,
    *,
    reverse: bool = False,
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Return an iterator of (node, {node: distance}), as NetworkX has them."""
    found = trees(G, weight, sources, reverse=reverse)
    return ((node, tree.lengths()) for node, tree in found)


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
    far = _distances(G, _as_floats(G, weight), np.float64)[0]
    if nodelist is None:
        return far
    order = [G.numbers[node] for node in nodelist]
    return far[np.ix_(order, order)]


def _as_floats(G: BackendGraph, weight: Any) -> Graph:
    """Return the graph with weights that are floats, as NetworkX writes them into a matrix."""
    matrix, weights = G.matrix(weight), G.entries(weight).weights
    if weights.scale == 1:
        return matrix
    assert weights.objects is not None
    floats = np.array(list(map(float, weights.objects)))
    return Graph._of_own(matrix.indptr, matrix.indices, floats)


def floyd_warshall(G: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    entries = _refuse_decimals(G, weight)
    paths = search.needs_paths(entries)
    return _dictionaries(G, entries, *_distances(G, G.matrix(weight), paths=paths))


def floyd_warshall_predecessor_and_distance(G: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    entries = _refuse_decimals(G, weight)
    far, before = _distances(G, G.matrix(weight), paths=True)
    found = _dictionaries(G, entries, far, before)
    loops = G.matrix(weight).to_edges()
    for vertex in loops[0][loops[0] == loops[1]].tolist():
        before[vertex, vertex] = vertex
    return _predecessors(G, before), found


def _refuse_decimals(G: BackendGraph, weight: Any) -> Entries:
    """Return the entries of G; decline decimals, to which NetworkX's algorithm adds infinity."""
    if not len(G):
        raise NotImplementedError("a graph without nodes runs in NetworkX")
    entries = G.entries_of_matrix(weight)
    if entries.weights.objects is not None and Decimal in set(map(type, entries.weights.objects)):
        raise NotImplementedError("decimals run in NetworkX, which adds float infinity to them")
    return entries


def _distances(G: BackendGraph, matrix: Graph, kind: Any = None, *, paths: bool = False) -> Any:
    """Return distances, by default of the weights' type, and predecessors."""
    if not len(G):
        raise NotImplementedError("a graph without nodes runs in NetworkX")
    kind = kind or search.length_type(matrix)
    try:
        with search.networkx_errors():
            found = apsp(matrix, dtype=kind, return_predecessors=paths)
    except nx.NetworkXUnbounded as error:
        raise NotImplementedError(str(error)) from None  # NetworkX does not look for such cycles
    return found if paths else (found, None)


def _dictionaries(
    G: BackendGraph, entries: Entries, far: Array, before: Array | None
) -> dict[Any, dict[Any, Any]]:
    """Return {node: {node: length}} as NetworkX has it: inf where no path leads."""
    inf = math.inf
    loops = _loops_of_zero(entries)
    found: dict[Any, dict[Any, Any]] = {}
    for source, row in enumerate(far):
        lengths = _lengths_of_row(entries, row, None if before is None else before[source])
        for v in np.flatnonzero(~search.is_reached(row)).tolist():
            lengths[v] = inf
        lengths[source] = loops.get(source, 0)
        pairs = zip(G.nodes, lengths, strict=True)
        found[G.nodes[source]] = defaultdict(lambda: inf, pairs)
    return found


def _lengths_of_row(entries: Entries, far: Array, before: Array | None) -> list[Any]:
    """Return the distances in a row with NetworkX's types; without meaning if unreachable."""
    _, objects, kind, _ = entries.weights
    if objects is not None:
        assert before is not None
        return _lengths.of_tree(entries, before, from_zero=False)
    if kind is not None:
        return list(far.astype(kind))
    data = entries.weights.data
    is_float = data is not None and data.dtype.kind == "f"
    found: list[Any] = (far.astype(np.float64) if is_float else far).tolist()
    return found


def _loops_of_zero(entries: Entries) -> dict[int, Any]:
    """Return the weights of loops of weight 0, which take the place of the integer 0.

    They do so before NetworkX 3.7.
    """
    data, objects = entries.weights.data, entries.weights.objects
    if data is None or RELEASE >= (3, 7):
        return {}
    tails = np.repeat(np.arange(len(entries.indptr) - 1), np.diff(entries.indptr))
    loops = np.flatnonzero((tails == entries.indices) & (data == 0)).tolist()
    kind = entries.weights.kind or (float if data.dtype.kind == "f" else int)
    return {int(tails[i]): kind(data.item(i)) if objects is None else objects[i] for i in loops}


def _predecessors(G: BackendGraph, before: Array) -> dict[Any, dict[Any, Any]]:
    found = {}
    for node, row in zip(G.nodes, before, strict=True):
        heads = np.flatnonzero(row >= 0)
        if len(heads):
            found[node] = dict(zip(G.named(heads), G.named(row[heads]), strict=True))
    return found
