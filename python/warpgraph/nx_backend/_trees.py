"""Spanning trees, in NetworkX's functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._graph.graph import Graph
from warpgraph._trees.mst import minimum_spanning_forest
from warpgraph.nx_backend._graph import BackendGraph, no_collections

Array = npt.NDArray[Any]

_ALGORITHMS = ("kruskal", "prim", "boruvka", "borůvka")


def minimum_spanning_edges(
    G: Any,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: Any = True,
    ignore_nan: bool = False,
) -> Any:
    """See NetworkX. All algorithms return the edges of Kruskal's, in its order."""
    return _spanning_edges(G, algorithm, weight, keys, data, ignore_nan, maximum=False)


def maximum_spanning_edges(
    G: Any,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: Any = True,
    ignore_nan: bool = False,
) -> Any:
    """See NetworkX. All algorithms return the edges of Kruskal's, in its order."""
    return _spanning_edges(G, algorithm, weight, keys, data, ignore_nan, maximum=True)


def minimum_spanning_tree(
    G: Any, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    """See NetworkX."""
    return _spanning_tree(G, weight, algorithm, ignore_nan, maximum=False)


def maximum_spanning_tree(
    G: Any, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    """See NetworkX."""
    return _spanning_tree(G, weight, algorithm, ignore_nan, maximum=True)


def _spanning_edges(
    G: BackendGraph,
    algorithm: Any,
    weight: Any,
    keys: bool,
    data: Any,
    ignore_nan: bool,
    *,
    maximum: bool,
) -> Iterator[tuple[Any, ...]]:
    _check(G, algorithm, weight)
    # A generator, as NetworkX returns, which is made after the checks.
    return (edge for edge in _edges(G, weight, keys, data, ignore_nan, maximum))


def _check(G: BackendGraph, algorithm: Any, weight: Any) -> None:
    if G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    if algorithm not in _ALGORITHMS:
        raise ValueError(f"{algorithm} is not a valid choice for an algorithm.")
    is_boruvka = algorithm in _ALGORITHMS[2:]
    if is_boruvka and G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")
    if list(G.adjacency) != G.nodes:
        # The order of the rows decides between edges of equal weight.
        raise NotImplementedError("graphs with nodes and rows in two orders run in NetworkX")
    _, _, weights = G.arrays(weight)
    if is_boruvka and weights is not None and np.isinf(weights).any():
        raise NotImplementedError("Boruvka's algorithm without edges of weight inf is NetworkX's")


def _edges(
    G: BackendGraph, weight: Any, keys: bool, data: Any, ignore_nan: bool, maximum: bool
) -> Iterator[tuple[Any, ...]]:
    """Return an iterator over the edges, which are searched for when it begins."""
    every = _all_edges if not G.is_multigraph() else _lightest_edges
    parts = map(every, [G], [weight], [keys], [data], [ignore_nan], [maximum])
    return chain.from_iterable(parts)


def _all_edges(
    G: BackendGraph, weight: Any, keys: bool, data: Any, ignore_nan: bool, maximum: bool
) -> Iterable[tuple[Any, ...]]:
    forest = _forest(G, weight, ignore_nan, maximum)
    if not data:
        return zip(G.named(forest.tails), G.named(forest.heads), strict=True)
    attributes = _attributes(G, forest)
    with no_collections():
        return _core.edge_list(G.nodes, forest.tails, forest.heads, attributes)


def _lightest_edges(
    G: BackendGraph, weight: Any, keys: bool, data: Any, ignore_nan: bool, maximum: bool
) -> Iterator[tuple[Any, ...]]:
    forest = _forest(G, weight, ignore_nan, maximum)
    tails, heads = G.named(forest.tails), G.named(forest.heads)
    lightest = _lightest(G, tails, heads, weight, maximum)
    for u, v, (key, found) in zip(tails, heads, lightest, strict=True):
        yield (u, v, *((key,) if keys else ()), *((found,) if data else ()))


@dataclass
class _Forest:
    """The edges of a spanning forest in Kruskal's order."""

    tails: Array  # the first ends, as numbers
    heads: Array  # the second ones
    attributes: list[Any] | None = None  # of simple graphs, if they have been asked for


def _forest(G: BackendGraph, weight: Any, ignore_nan: bool, maximum: bool) -> _Forest:
    """Return the forest, which is kept with the graph like the weights that it was found by."""
    key = weight, bool(ignore_nan), maximum
    if key not in G.forests:
        graph = _without_nan(G, weight, ignore_nan)
        edges = minimum_spanning_forest(graph, maximum=maximum).edges
        G.forests[key] = _Forest(*np.ascontiguousarray(edges.T))
    found: _Forest = G.forests[key]
    return found


def _attributes(G: BackendGraph, forest: _Forest) -> list[Any]:
    """Return the dictionaries of attributes that the graph itself has for the edges."""
    if forest.attributes is None:
        forest.attributes = _core.edge_attributes(G.nodes, forest.tails, forest.heads, G.rows)
    return forest.attributes


def _lightest(
    G: BackendGraph, tails: list[Any], heads: list[Any], weight: Any, maximum: bool
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Yield key and attributes of the first lightest one of the edges between two nodes each."""
    best = max if maximum else min
    for u, v in zip(tails, heads, strict=True):
        edges = [item for item in G.adjacency[u][v].items() if _is_number(item[1].get(weight, 1))]
        yield best(edges, key=lambda item: item[1].get(weight, 1))


def _is_number(value: Any) -> bool:
    return bool(value == value)


def _without_nan(G: BackendGraph, weight: Any, ignore_nan: bool) -> Graph:
    """Return the graph without the edges whose weight is NaN, which are an error by default."""
    indptr, indices, weights = G.entries(weight)
    data = weights.data
    if data is None or weights.have_finite_sums(len(G)):
        return G.matrix(weight)
    is_nan = np.isnan(data)
    if not is_nan.any():
        return Graph._of_own(indptr, indices, data)
    if not ignore_nan:
        raise ValueError(f"NaN found as an edge weight. Edge {_first_nan(G, weight)}")
    kept = np.concatenate([[0], np.cumsum(~is_nan)])
    return Graph._of_own(kept[indptr], indices[~is_nan], data[~is_nan])


def _first_nan(G: BackendGraph, weight: Any) -> tuple[Any, ...]:
    edges = G.to_networkx().edges
    every = edges(keys=True, data=True) if G.is_multigraph() else edges(data=True)
    return next(edge for edge in every if not _is_number(edge[-1].get(weight, 1)))


def _spanning_tree(
    G: BackendGraph, weight: Any, algorithm: Any, ignore_nan: bool, *, maximum: bool
) -> Any:
    """Return a graph of the same nodes and attributes with the edges of the forest."""
    _check(G, algorithm, weight)
    tree = G.kind()
    tree.graph.update(G.graph)
    if G.kind is not nx.Graph:
        tree.add_nodes_from(G.node_attributes.items())
        tree.add_edges_from(_edges(G, weight, True, True, ignore_nan, maximum))
        return tree
    forest = _forest(G, weight, ignore_nan, maximum)
    attributes = _attributes(G, forest)
    vertices = np.arange(len(G), dtype=np.int32)
    with no_collections():
        tree._node = _core.attribute_dictionaries(G.nodes, G.node_rows)
        tree._adj, _ = _core.edge_dictionaries(
            G.nodes, vertices, forest.tails, forest.heads, attributes, False
        )
    return tree
