"""Core numbers, trusses, triangles and clustering coefficients, in NetworkX's functions."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._communities.core_numbers import core_numbers
from warpgraph._communities.truss_numbers import truss_numbers
from warpgraph.nx_backend._graph import BackendGraph


def core_number(G: BackendGraph) -> Any:
    """See NetworkX. Without loops."""
    matrix = G.structure()
    tails, heads, _ = matrix.to_edges()
    if (tails == heads).any():
        raise NotImplementedError("NetworkX refuses core numbers of graphs with loops")
    return dict(zip(G.nodes, core_numbers(matrix).tolist(), strict=True))


def k_truss(G: BackendGraph, k: Any) -> Any:
    """See NetworkX. Without loops."""
    matrix = G.structure()
    tails, heads, _ = matrix.to_edges()
    if (tails == heads).any():
        raise NotImplementedError("NetworkX refuses trusses of graphs with loops")
    trusses = truss_numbers(matrix).tocoo()
    removed = (trusses.data < k) & (trusses.row < trusses.col)
    nodes = list(G.nodes)
    left = G.to_networkx().copy()
    pairs = zip(trusses.row[removed].tolist(), trusses.col[removed].tolist(), strict=True)
    left.remove_edges_from([(nodes[u], nodes[v]) for u, v in pairs])
    left.remove_nodes_from(list(nx.isolates(left)))
    return left


def triangles(G: BackendGraph, nodes: Any = None) -> Any:
    """See NetworkX."""
    counts, _ = _counts(G)
    return _of_nodes(G, nodes, counts.tolist())


def clustering(G: BackendGraph, nodes: Any = None, weight: Any = None) -> Any:
    """See NetworkX. Without `weight`."""
    counts, degrees = _counts(G)
    pairs = degrees.astype(np.int64) * (degrees - 1)
    shares = np.divide(2 * counts, pairs, out=np.zeros(len(counts)), where=counts > 0)
    # NetworkX has the integer 0 where there is no triangle.
    return _of_nodes(G, nodes, [share or 0 for share in shares.tolist()])


def average_clustering(
    G: BackendGraph, nodes: Any = None, weight: Any = None, count_zeros: bool = True
) -> Any:
    """See NetworkX. Without `weight`."""
    shares = clustering(G, nodes).values()
    if not count_zeros:
        shares = [share for share in shares if share > 0]
    return sum(shares) / len(shares)


def transitivity(G: BackendGraph) -> Any:
    """See NetworkX."""
    counts, degrees = _counts(G)
    n_pairs = sum(d * (d - 1) for d in degrees.tolist())
    n_closed = 2 * int(counts.sum())
    return n_closed / n_pairs if n_closed else 0


def _counts(G: BackendGraph) -> tuple[Any, Any]:
    """Return the triangles and the other neighbours of each vertex."""
    counts, degrees = np.empty(len(G), np.int64), np.empty(len(G), np.int32)
    _core.triangles(G.structure()._handle, counts, degrees, None, ledger=validate.NO_LIMIT)
    return counts, degrees


def _of_nodes(G: BackendGraph, nodes: Any, values: list[Any]) -> Any:
    """Return the values of nodes, which are all, one or several, as NetworkX does."""
    if nodes is None:
        return dict(zip(G.nodes, values, strict=True))
    if nodes in G:
        return values[G.numbers[nodes]]
    return {node: values[G.numbers[node]] for node in G.to_networkx().nbunch_iter(nodes)}
