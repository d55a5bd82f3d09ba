"""Measures made of distances between all pairs, in NetworkX's functions."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from warpgraph.nx_backend import _all_pairs, _search
from warpgraph.nx_backend._components import is_connected, is_strongly_connected
from warpgraph.nx_backend._dijkstra import require
from warpgraph.nx_backend._generic import sum_of_lengths
from warpgraph.nx_backend._graph import BackendGraph

_NO_SOURCE, _NO_NODE = "Source {} is not in G", "Node {} not found in graph"


def _numbers(G: BackendGraph, nodes: Any) -> list[int]:
    return [G.numbers[node] for node in G.to_networkx().nbunch_iter(nodes)]


def eccentricity(G: Any, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    """See NetworkX. Without `sp`."""
    vertices = _numbers(G, v)
    found = {}
    for source, far, _ in _all_pairs.rows(G, weight, vertices):
        if not _search.is_reached(far).all():
            what = "digraph is not strongly" if G.is_directed() else "graph is not"
            raise nx.NetworkXError(f"Found infinite path length because the {what} connected")
        found[G.nodes[source]] = far.max().item() if far.any() else 0
    return found[v] if v in G else found


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
    if not len(G):
        raise NotImplementedError("a graph without nodes runs in NetworkX")
    eccentricities = eccentricity(G, weight=weight)
    least = min(eccentricities.values())
    return [node for node, value in eccentricities.items() if value == least]


def closeness_centrality(
    G: Any, u: Any = None, distance: Any = None, wf_improved: bool = True
) -> Any:
    """See NetworkX."""
    n = len(G)
    if u is None:
        vertices: Any = range(n)
    else:
        if distance is not None:
            hash(u)  # a TypeError, as in NetworkX
        vertices = [require(G, u, _NO_SOURCE if distance is None else _NO_NODE)]
    found = {}
    for source, far, _ in _all_pairs.rows(G, distance, vertices, reverse=True):
        reached = _search.is_reached(far)
        others = float(np.count_nonzero(reached)) - 1.0
        total = far.sum(where=reached, dtype=np.result_type(far.dtype, np.int64)).item()
        value = 0.0
        if total > 0 and n > 1:
            value = others / total
            if wf_improved:
                value *= others / (n - 1)
        found[G.nodes[source]] = value
    return found if u is None else found[u]


def harmonic_centrality(
    G: Any, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> Any:
    """See NetworkX."""
    nodes = set(G.nodes if nbunch is None else G.to_networkx().nbunch_iter(nbunch))
    targets = np.array([G.numbers[node] for node in nodes], np.intp)
    every = range(len(G)) if sources is None else sorted(set(_numbers(G, sources)))
    starts = np.array(every, np.intp)
    total = np.zeros(len(targets))
    if len(targets) < len(starts):
        found = _all_pairs.rows(G, distance, targets.tolist(), reverse=True)
        for i, (_, far, _) in enumerate(found):
            total[i] = _inverse(far[starts]).sum()
    else:
        for _, far, _ in _all_pairs.rows(G, distance, starts.tolist()):
            total += _inverse(far[targets])
    return {node: value or 0 for node, value in zip(nodes, total.tolist(), strict=True)}


def _inverse(far: Any) -> Any:
    """Return the inverse distances, 0 for unreachable vertices and for distance 0."""
    counts = _search.is_reached(far) & (far != 0)
    return np.divide(1.0, far, out=np.zeros(len(far)), where=counts)


def wiener_index(G: Any, weight: Any = None) -> Any:
    """See NetworkX."""
    if not (is_strongly_connected(G) if G.is_directed() else is_connected(G)):
        return float("inf")
    total = sum_of_lengths(G, weight)
    return total if G.is_directed() else total / 2
