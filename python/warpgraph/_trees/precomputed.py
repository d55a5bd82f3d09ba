"""Distances that the caller has: full, condensed, or those of a graph; and their forests."""

from __future__ import annotations

from typing import Any

import numpy as np

from warpgraph import _core
from warpgraph._arguments import convert, device as _device, validate
from warpgraph._arguments.nx_graphs import check_weight, is_networkx
from warpgraph._graph.graph import Graph, as_graph
from warpgraph._trees.dense_mst import dense_mst
from warpgraph._trees.emst import samples
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.knn import check_distances, mutual_reachability_graph
from warpgraph._trees.mst import minimum_spanning_forest


def is_graph(X: Any) -> bool:
    """Return whether `X` is a graph or a forest."""
    return isinstance(X, (SpanningForest, Graph)) or is_networkx(X)


def is_dense(X: Any) -> bool:
    """Return whether `X`, if it holds distances, is an array of them."""
    return isinstance(X, (np.ndarray, list, tuple)) or (
        hasattr(X, "__array__") and not convert.is_sparse(X)
    )


def forest_of_distances(
    X: Any,
    weight: str | None,
    device: Any,
    *,
    min_samples: int = 1,
    alpha: float = 1.0,
    **options: Any,
) -> SpanningForest:
    """Return the minimum spanning forest of distances; edges of an array may have weight 0.

    min_samples, alpha: of mutual-reachability distances; options: memory_limit and progress.
    """
    reach: Any = {"min_samples": min_samples, "alpha": alpha}
    if is_graph(X) or not is_dense(X):
        return _forest_of_graph(as_graph(X, weight), **reach, device=device, **options)
    check_weight(weight, X)
    where = _device.resolve(device)
    if where != "cpu":
        raise _core.DeviceError(
            f"a full matrix of distances is searched on the CPU only, not on {where}: pass "
            "device='auto' or 'cpu', the points themselves, or a sparse graph"
        )
    return dense_mst(X, **reach, **options)


def _forest_of_graph(
    graph: Graph, min_samples: int, alpha: float, **options: Any
) -> SpanningForest:
    check_distances(graph)
    if _device.beside_cpu(options["device"]) is None:
        _device.resolve(options["device"])  # several devices could not go on with its forest
    min_samples = samples(min_samples, graph.n_vertices)
    if min_samples > 1 or alpha != 1:
        ledger = validate.ledger(options.get("memory_limit"))
        graph = mutual_reachability_graph(graph, min_samples, alpha, ledger)
        options["memory_limit"] = ledger
    forest: SpanningForest = minimum_spanning_forest(graph, **options)
    return _without_infinite(forest) if min_samples > 1 else forest


def _without_infinite(forest: SpanningForest) -> SpanningForest:
    """Return a forest without its edges of weight inf, which are the last ones."""
    n = int(np.searchsorted(forest.weights, np.inf))
    ids = None if forest.edge_ids is None else forest.edge_ids[:n]
    found = forest.edges[:n], forest.weights[:n], ids, forest.names, forest.coordinates
    named = forest.weight_name
    return SpanningForest._found(forest.n_vertices, *found, named, maximum=False)
