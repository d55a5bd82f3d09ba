"""Dijkstra's algorithm from one or several sources, in NetworkX's functions."""

from __future__ import annotations

from functools import partial
from typing import Any

import networkx as nx

from warpgraph._paths.sssp import sssp
from warpgraph.nx_backend._graph import BackendGraph
from warpgraph.nx_backend._paths import search
from warpgraph.nx_backend._paths.search import tree_of


def require(G: BackendGraph, source: Any, sentence: str = "Node {} not found in graph") -> int:
    try:
        return G.numbers[source]
    except (KeyError, TypeError):  # not there, or not hashable
        raise nx.NodeNotFound(sentence.format(source)) from None


def numbers_of(G: BackendGraph, sources: Any) -> list[int]:
    if not sources:
        raise ValueError("sources must not be empty")
    return list(dict.fromkeys(map(partial(require, G), sources)))


def to_target(
    G: BackendGraph, source: int, target: Any, weight: Any
) -> tuple[Any, list[Any]] | None:
    """Return (length, path) between two vertices, or None; the search stops early."""
    entries = search.entries_of(G, weight)
    matrix = None if entries is None else G.matrix(weight)
    if matrix is not None:
        search.refuse_negative(matrix)
    hash(target)  # a TypeError, as in NetworkX
    if target not in G:
        return None
    end = G.numbers[target]
    if end == source:
        return 0, [G.nodes[end]]
    if matrix is None:
        tree = tree_of(G, [source], None, paths=True)
        length = tree.distances.item(end)
        return (length, tree.path(end)) if length >= 0 else None
    kind = search.length_type(matrix)
    with search.networkx_errors():
        far, predecessors = sssp(
            matrix, source, targets=[end], return_predecessors=True, dtype=kind
        )
    if not search.is_reached(far)[0]:
        return None
    return (
        search.length_to(entries, far.item(0), predecessors, end),
        search.path_to(G, predecessors, end),
    )


def dijkstra_path(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    return single_source_dijkstra(G, source, target=target, weight=weight)[1]


def dijkstra_path_length(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    """See NetworkX."""
    start = require(G, source)
    if source == target:
        return 0
    found = to_target(G, start, target, weight)
    if found is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found[0]


def single_source_dijkstra(
    G: Any, source: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """See NetworkX."""
    return multi_source_dijkstra(G, {source}, target=target, cutoff=cutoff, weight=weight)


def single_source_dijkstra_path(
    G: Any, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """See NetworkX."""
    return tree_of(G, numbers_of(G, {source}), weight, cutoff=cutoff, paths=True).paths()


def single_source_dijkstra_path_length(
    G: Any, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """See NetworkX."""
    return tree_of(G, numbers_of(G, {source}), weight, cutoff=cutoff).lengths()


def multi_source_dijkstra(
    G: Any, sources: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """See NetworkX."""
    starts = numbers_of(G, sources)
    if target in sources:
        return (0, [target])
    if target is None:
        tree = tree_of(G, starts, weight, cutoff=cutoff, paths=True)
        return tree.lengths(), tree.paths()
    if len(starts) == 1:
        found = to_target(G, starts[0], target, weight)
    else:
        found = _from_nearest(G, starts, target, weight)
    if found is None or (cutoff is not None and found[0] > cutoff):
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return found


def _from_nearest(
    G: BackendGraph, starts: list[int], target: Any, weight: Any
) -> tuple[Any, list[Any]] | None:
    tree = tree_of(G, starts, weight, paths=True)
    hash(target)
    if target not in G:
        return None
    end = G.numbers[target]
    if not search.is_reached(tree.distances)[end]:
        return None
    return tree.length(end), tree.path(end)


def multi_source_dijkstra_path(
    G: Any, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """See NetworkX."""
    return tree_of(G, numbers_of(G, sources), weight, cutoff=cutoff, paths=True).paths()


def multi_source_dijkstra_path_length(
    G: Any, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """See NetworkX."""
    return tree_of(G, numbers_of(G, sources), weight, cutoff=cutoff).lengths()


def dijkstra_predecessor_and_distance(
    G: Any, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """See NetworkX."""
    start = require(G, source, "Node {} is not found in the graph")
    tree = tree_of(G, [start], weight, cutoff=cutoff)
    return tree.all_predecessors(G.matrix(weight)), tree.lengths()


def bidirectional_dijkstra(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    """See NetworkX. The search has one direction and stops at the target."""
    start = require(G, source, "Source {} is not in G")
    require(G, target, "Target {} is not in G")
    if source == target:
        return (0, [source])
    found = to_target(G, start, target, weight)
    if found is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found


def astar_path(
    G: Any,
    source: Any,
    target: Any,
    heuristic: Any = None,
    weight: Any = "weight",
    *,
    cutoff: Any = None,
) -> Any:
    """See NetworkX. Without a heuristic."""
    start = require(G, source, "Source {} is not in G")
    require(G, target, "Target {} is not in G")
    found = to_target(G, start, target, weight)
    if found is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found[1]


def astar_path_length(
    G: Any,
    source: Any,
    target: Any,
    heuristic: Any = None,
    weight: Any = "weight",
    *,
    cutoff: Any = None,
) -> Any:
    """See NetworkX. Without a heuristic."""
    if source not in G or target not in G:
        raise nx.NodeNotFound(f"Either source {source} or target {target} is not in G")
    found = to_target(G, G.numbers[source], target, weight)
    if found is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found[0]
