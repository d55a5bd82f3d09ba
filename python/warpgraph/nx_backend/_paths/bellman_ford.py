"""Shortest paths where weights may be negative, in NetworkX's functions."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from warpgraph._graph.graph import Graph
from warpgraph._paths.sssp import sssp
from warpgraph.nx_backend._graph import BackendGraph
from warpgraph.nx_backend._paths import all_pairs, search
from warpgraph.nx_backend._paths.dijkstra import require, to_target
from warpgraph.nx_backend._paths.search import Tree, tree_of

_NOT_FOUND = "Node {} is not found in the graph"


def _tree(G: BackendGraph, source: Any, weight: Any, *, paths: bool = False) -> Tree:
    hash(source)  # a TypeError, as in NetworkX
    start = require(G, source, "Source {} not in G")
    return tree_of(G, [start], weight, paths=paths, negative=True)


def _whole_tree(G: BackendGraph, source: Any, weight: Any, *, paths: bool = False) -> Tree:
    """Search as functions do that look for negative loops anywhere first."""
    start = require(G, source, _NOT_FOUND)
    if G.has_lengths(weight) and G.has_loop_below_zero(weight):
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    return tree_of(G, [start], weight, paths=paths, negative=True)


def _to_target(G: BackendGraph, source: Any, target: Any, weight: Any) -> Any:
    """Return (length, path) or None. Negative cycles are an error wherever they can be reached."""
    hash(source)
    start = require(G, source, "Source {} not in G")
    hash(target)
    if not G.has_lengths(weight) or G.matrix(weight)._first_negative() is None:
        return to_target(G, start, target, weight)
    tree = tree_of(G, [start], weight, paths=True, negative=True)
    end = G.numbers[target] if target in G else -1
    if end < 0 or not search.is_reached(tree.distances)[end]:
        return None
    return tree.length(end), tree.path(end)


def single_source_bellman_ford(
    G: Any, source: Any, target: Any = None, weight: Any = "weight"
) -> Any:
    """See NetworkX."""
    if source == target:
        require(G, source, _NOT_FOUND)
        return (0, [source])
    if target is None:
        tree = _tree(G, source, weight, paths=True)
        return tree.lengths(), tree.paths()
    found = _to_target(G, source, target, weight)
    if found is None:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return found


def single_source_bellman_ford_path(G: Any, source: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    return _tree(G, source, weight, paths=True).paths()


def single_source_bellman_ford_path_length(G: Any, source: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    return _tree(G, source, weight).lengths()


def bellman_ford_path(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    return single_source_bellman_ford(G, source, target=target, weight=weight)[1]


def bellman_ford_path_length(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    if source == target:
        require(G, source)
        return 0
    found = _to_target(G, source, target, weight)
    if found is None:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return found[0]


def bellman_ford_predecessor_and_distance(
    G: Any, source: Any, target: Any = None, weight: Any = "weight", heuristic: bool = False
) -> Any:
    """See NetworkX."""
    tree = _whole_tree(G, source, weight)
    if len(G) == 1:
        return {source: []}, {source: 0}
    return tree.all_predecessors(G.matrix(weight)), tree.lengths()


def goldberg_radzik(G: Any, source: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    tree = _whole_tree(G, source, weight, paths=True)
    assert tree.predecessors is not None
    before = tree.predecessors[tree.order]
    parents = [None if v < 0 else G.nodes[v] for v in before.tolist()]
    return dict(zip(G.named(tree.order), parents, strict=True)), tree.lengths()


def negative_edge_cycle(G: Any, weight: Any = "weight", heuristic: bool = True) -> bool:
    """See NetworkX. The graph is not changed meanwhile."""
    if not len(G) or not G.has_lengths(weight) or G.matrix(weight)._first_negative() is None:
        return False
    try:
        potentials(G, weight)
    except nx.NetworkXUnbounded:
        return True
    return False


def potentials(G: BackendGraph, weight: Any) -> Any:
    """Return the distance of each vertex from the nearest of all: 0, or less."""
    return tree_of(G, list(range(len(G))), weight, negative=True).distances


def johnson(G: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    if not len(G):
        raise NotImplementedError("a graph without nodes runs in NetworkX")
    matrix = _reweighted(G, weight)
    return {
        G.nodes[source]: Tree(G, far, before).paths()
        for source, far, before in all_pairs.rows_of_matrix(matrix, range(len(G)), paths=True)
    }


def _reweighted(G: BackendGraph, weight: Any) -> Graph:
    """Return a graph with the same shortest paths whose weights are not negative."""
    matrix = G.matrix(weight)
    if matrix._first_negative() is None:
        return matrix
    height = potentials(G, weight)
    tails, heads, weights = matrix.to_edges()
    if weights.dtype == np.float32:
        weights = weights.astype(np.float64)
    with np.errstate(over="ignore"):
        # Rounding must not leave less than 0.
        lifted = np.maximum(weights + height[tails] - height[heads], 0)
    return Graph._of_own(matrix.indptr, matrix.indices, lifted)


def _negative_rows(G: BackendGraph, weight: Any, paths: bool) -> Any:
    matrix, entries = G.matrix(weight), search.entries_of(G, weight)
    paths = paths or search.needs_paths(entries)
    how: dict[str, Any] = {"dtype": search.length_type(matrix), "return_predecessors": paths}
    for source in range(len(G)):
        with search.networkx_errors():
            found = sssp(matrix, source, **how)
        before = found if paths else (found, None)
        yield Tree(G, *before, sources=[source], entries=entries)


def _trees(G: BackendGraph, weight: Any, *, paths: bool = False) -> Any:
    """Return an iterator of (node, tree) for every node."""
    if G.has_lengths(weight) and G.matrix(weight)._first_negative() is not None:
        search.refuse_long_sums(G, weight)
        return zip(G.nodes, _negative_rows(G, weight, paths), strict=True)
    return all_pairs.trees(G, weight, paths=paths)


def all_pairs_bellman_ford_path_length(G: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    return ((node, tree.lengths()) for node, tree in _trees(G, weight))


def all_pairs_bellman_ford_path(G: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    return ((node, tree.paths()) for node, tree in _trees(G, weight, paths=True))
