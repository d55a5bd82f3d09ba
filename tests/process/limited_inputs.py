"""Graphs of searches with little memory."""

import numpy as np

import warpgraph as wg


def convex():
    """Every edge lowers its head's distance, so an unbounded queue has an entry for each."""
    return convex_of(2000)


def convex_both_ways():
    return convex_of(700)._undirected()


def convex_of(n):
    tail, head = np.triu_indices(n, 1)
    return wg.Graph.from_edges(tail, head, ((head - tail) ** 2).astype(float), n_vertices=n)


def random_star():
    spokes = np.arange(1, 200_001)
    weights = np.random.default_rng(0).random(len(spokes))
    return wg.Graph.from_edges(np.zeros_like(spokes), spokes, weights, n_vertices=len(spokes) + 1)


def convex_of_few_triangles():
    """Every eighth of the edges between more vertices: as many edges, in fewer triangles."""
    tail, head = (part[::8] for part in np.triu_indices(2000, 1))
    return wg.Graph.from_edges(tail, head, ((head - tail) ** 2).astype(float), n_vertices=2000)
