"""Betweenness centrality, in NetworkX's functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from warpgraph._arguments import validate
from warpgraph._rank.betweenness import (
    Given,
    betweenness_centrality as of_vertices,
    edge_betweenness_centrality as of_edges,
)
from warpgraph.nx_backend._graph import RELEASE, BackendGraph


def betweenness_centrality(
    G: Any,
    k: Any = None,
    normalized: bool = True,
    weight: Any = None,
    endpoints: bool = False,
    seed: Any = None,
) -> Any:
    """See NetworkX."""
    if not len(G) and not k:
        return {}
    how = {"normalized": bool(normalized), "endpoints": bool(endpoints)}
    found = _scores_of_sample(of_vertices, G, weight, k, seed, **how)
    return dict(zip(G.nodes, found.tolist(), strict=True))


def betweenness_centrality_subset(
    G: Any, sources: Any, targets: Any, normalized: bool = False, weight: Any = None
) -> Any:
    """See NetworkX."""
    how = {"normalized": bool(normalized), "targets": _numbers(G, targets)}
    found = _scores(of_vertices, G, weight, Given(_numbers(G, sources)), **how)
    return dict(zip(G.nodes, found.tolist(), strict=True))


def edge_betweenness_centrality(
    G: Any, k: Any = None, normalized: bool = True, weight: Any = None, seed: Any = None
) -> Any:
    """See NetworkX."""
    if not len(G) and not k:
        return {}
    found = _scores_of_sample(of_edges, G, weight, k, seed, normalized=bool(normalized))
    return _by_edge(G, weight, found)


def edge_betweenness_centrality_subset(
    G: Any, sources: Any, targets: Any, normalized: bool = False, weight: Any = None
) -> Any:
    """See NetworkX, which ignores targets that are no nodes."""
    every = set(targets).issuperset(G.nodes)
    how = {"normalized": bool(normalized), "targets": None if every else _numbers(G, targets)}
    return _by_edge(G, weight, _scores(of_edges, G, weight, Given(_numbers(G, sources)), **how))


def _by_edge(G: BackendGraph, weight: Any, found: Any) -> dict[Any, float]:
    """Return the score of each edge, as NetworkX names it, from those of the entries of G."""
    indptr, heads, _ = G.arrays(weight)
    tails = np.repeat(np.arange(len(G)), np.diff(indptr))
    # An undirected edge is listed by the end that comes first.
    listed = np.flatnonzero((heads >= tails) | G.is_directed())
    tails, heads, found = tails[listed], heads[listed], found[listed]
    ends = [G.named(tails), G.named(heads)]
    if G.is_multigraph():
        keys = [key for row in G.rows for edges in row.values() for key in edges]
        ends.append([keys[e] for e in listed.tolist()])
    return dict(zip(zip(*ends, strict=True), found.tolist(), strict=True))


def _scores(
    score: Callable[..., Any], G: BackendGraph, weight: Any, sources: Given, **how: Any
) -> Any:
    unweighted = not G.has_lengths(weight)
    matrix = G.structure() if unweighted else G.matrix(weight)
    how |= {"unweighted": unweighted, "directed": G.is_directed()}
    if matrix.dtype.kind == "f":  # NetworkX adds in the type of the lengths
        sources = sources._replace(dtype=matrix.dtype)
    try:
        return score(matrix, sources=sources, **how)
    except (ValueError, OverflowError) as error:  # for example, lengths of 0
        raise NotImplementedError(str(error)) from None


def _scores_of_sample(
    score: Callable[..., Any], G: BackendGraph, weight: Any, k: Any, seed: Any, **how: Any
) -> Any:
    """Return the scores by paths from the nodes that NetworkX draws, or from all nodes.

    If the call is declined, the generator is set back, so that NetworkX then draws the same nodes.
    """
    if k is None or k == len(G):
        return _scores(score, G, weight, Given(None), **how)
    if k == 0 or RELEASE < (3, 6):
        raise NotImplementedError("samples that NetworkX scales in another way run there")
    set_back = _returning_to_its_state(seed)
    try:
        drawn = _numbers(G, _drawn(G.nodes, k, seed))
        return _scores(score, G, weight, Given(drawn, is_sample=True), **how)
    except NotImplementedError:
        set_back()
        raise


def _drawn(nodes: list[Any], k: Any, generator: Any) -> list[Any]:
    """Return the nodes that NetworkX draws. Its generators take k only in some integer types."""
    try:
        drawn: list[Any] = generator.sample(nodes, k)
    except TypeError as error:
        raise TypeError(f"k must be an integer, got {validate.shown(k)}") from error
    return drawn


def _returning_to_its_state(generator: Any) -> Callable[[], Any]:
    """Return a function that gives a random generator of NetworkX the state that it has now."""
    inner = getattr(generator, "_rng", None)
    if isinstance(inner, np.random.Generator):
        bits = inner.bit_generator
        return partial(setattr, bits, "state", bits.state)
    if isinstance(inner, np.random.RandomState):
        return partial(inner.set_state, inner.get_state())
    try:
        return partial(generator.setstate, generator.getstate())
    except NotImplementedError:  # a SystemRandom: it has no state, and any sample will do
        return lambda: None


def _numbers(G: BackendGraph, nodes: Iterable[Any]) -> list[int]:
    try:
        return [G.numbers[node] for node in nodes]
    except (KeyError, TypeError) as error:
        raise NotImplementedError(f"{error} is no node of the graph") from None
