"""Measures made of distances between all pairs, in NetworkX's functions."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import networkx as nx
import numpy as np

from warpgraph.nx_backend._components import is_connected, is_strongly_connected
from warpgraph.nx_backend._graph import BackendGraph
from warpgraph.nx_backend._paths import all_pairs, search
from warpgraph.nx_backend._paths.dijkstra import require
from warpgraph.nx_backend._paths.generic import sum_of_lengths

_NO_SOURCE, _NO_NODE = "Source {} is not in G", "Node {} not found in graph"


def _numbers(G: BackendGraph, nodes: Any) -> list[int]:
    return [G.numbers[node] for node in G.to_networkx().nbunch_iter(nodes)]


def eccentricity(G: Any, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    """See NetworkX. Without `sp`."""
    if not len(G):
        raise NotImplementedError("a graph without nodes runs in NetworkX")
    vertices = _numbers(G, v)
    most = _largest if G.has_plain_sums(weight) else _largest_of_objects
    found = {}
    for node, n_reached, largest in most(G, weight, vertices):
        if n_reached < len(G):
            what = "digraph is not strongly" if G.is_directed() else "graph is not"
            raise nx.NetworkXError(f"Found infinite path length because the {what} connected")
        found[node] = largest
    return found[v] if v in G else found


def _largest(G: BackendGraph, weight: Any, vertices: list[int]) -> Iterator[tuple[Any, int, Any]]:
    """Yield node, number of nodes reached and the largest distance, if all are."""
    for source, far, _ in all_pairs.rows(G, weight, vertices):
        n_reached = int(np.count_nonzero(search.is_reached(far)))
        yield G.nodes[source], n_reached, far.max().item() if far.any() else 0


def _largest_of_objects(
    G: BackendGraph, weight: Any, vertices: list[int]
) -> Iterator[tuple[Any, int, Any]]:
    for node, lengths in all_pairs.lengths(G, weight, vertices):
        yield node, len(lengths), max(lengths.values())


def diameter(G: Any, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """See NetworkX. Without `e`."""
    return max(eccentricity(G, weight=weight).values())


def radius(G: Any, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """See NetworkX. Without `e`."""
    return min(eccentricity(G, weight=weight).values())


def periphery(G: Any, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """See NetworkX. Without `e`."""
    eccentricities = eccentricity(G, weight=weight)
    largest = max(eccentricities.values())
    return [node for node, value in eccentricities.items() if value == largest]


def center(G: Any, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """See NetworkX. Without `e`."""
    eccentricities = eccentricity(G, weight=weight)
    least = min(eccentricities.values())
    return [node for node, value in eccentricities.items() if value == least]


def closeness_centrality(
    G: Any, u: Any = None, distance: Any = None, wf_improved: bool = True, *, sp: Any = None
) -> Any:
    """See NetworkX. Without `sp`."""
    n = len(G)
    if u is None:
        vertices: Any = range(n)
    else:
        if distance is not None:
            hash(u)  # a TypeError, as in NetworkX
        vertices = [require(G, u, _NO_SOURCE if distance is None else _NO_NODE)]
    sums = _sums if G.has_plain_sums(distance) else _sums_of_objects
    found = {}
    for node, n_reached, total in sums(G, distance, vertices):
        others = float(n_reached) - 1.0
        value: Any = 0.0
        if total > 0 and n > 1:
            value = others / total
            if wf_improved:
                value *= others / (n - 1)
        found[node] = value
    return found if u is None else found[u]


def _sums(G: BackendGraph, weight: Any, vertices: Any) -> Iterator[tuple[Any, int, Any]]:
    """Yield node, number of nodes from which it is reached, and the sum of their distances."""
    for source, far, _ in all_pairs.rows(G, weight, vertices, reverse=True):
        reached = search.is_reached(far)
        total = far.sum(where=reached, dtype=np.result_type(far.dtype, np.int64)).item()
        yield G.nodes[source], int(np.count_nonzero(reached)), total


def _sums_of_objects(G: BackendGraph, weight: Any, vertices: Any) -> Iterator[tuple[Any, int, Any]]:
    if any(type(value) is Decimal for value in G.entries(weight).weights.objects or ()):
        raise NotImplementedError("NetworkX divides floats by sums, which decimals do not allow")
    for node, lengths in all_pairs.lengths(G, weight, vertices, reverse=True):
        yield node, len(lengths), sum(lengths.values())


def harmonic_centrality(
    G: Any, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> Any:
    """See NetworkX."""
    nodes = set(G.nodes if nbunch is None else G.to_networkx().nbunch_iter(nbunch))
    targets = np.array([G.numbers[node] for node in nodes], np.intp)
    every = range(len(G)) if sources is None else sorted(set(_numbers(G, sources)))
    if not G.has_plain_sums(distance):
        return _harmonic_sums_of_objects(G, nodes, distance, list(every))
    starts = np.array(every, np.intp)
    total = np.zeros(len(targets))
    if len(targets) < len(starts):
        found = all_pairs.rows(G, distance, targets.tolist(), reverse=True)
        for i, (_, far, _) in enumerate(found):
            total[i] = _inverse(far[starts]).sum()
    else:
        for _, far, _ in all_pairs.rows(G, distance, starts.tolist()):
            total += _inverse(far[targets])
    return {node: value or 0 for node, value in zip(nodes, total.tolist(), strict=True)}


def _harmonic_sums_of_objects(
    G: BackendGraph, nodes: set[Any], distance: Any, sources: list[int]
) -> dict[Any, Any]:
    found: dict[Any, Any] = dict.fromkeys(nodes, 0)
    starts = {G.nodes[source] for source in sources}
    is_reverse = len(nodes) < len(starts)
    searched = [G.numbers[node] for node in nodes] if is_reverse else sources
    ends = starts if is_reverse else nodes
    for node, lengths in all_pairs.lengths(G, distance, searched, reverse=is_reverse):
        for other, length in lengths.items():
            if length != 0 and other in ends:
                found[node if is_reverse else other] += 1 / length
    return found


def _inverse(far: Any) -> Any:
    """Return the inverse distances, 0 for unreachable vertices and for distance 0."""
    counts = search.is_reached(far) & (far != 0)
    return np.divide(1.0, far, out=np.zeros(len(far)), where=counts)


def wiener_index(G: Any, weight: Any = None) -> Any:
    """See NetworkX."""
    if not (is_strongly_connected(G) if G.is_directed() else is_connected(G)):
        return float("inf")
    total = sum_of_lengths(G, weight)
    return total if G.is_directed() else total / 2
