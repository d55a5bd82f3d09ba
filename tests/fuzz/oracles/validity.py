"""Density-based validity of clusters, by its definition: one pair after the other."""

from __future__ import annotations

import itertools

import numpy as np

from fuzz.oracles import trees


def powers_mean(row, d):
    """Return the mean of row^-d to the power of -1/d, by ratios to the least item.

    Items of 0 and inf add nothing.
    """
    others = row[(row > 0) & (row < np.inf)]
    if not others.size:
        return 0.0
    least = others.min()
    return least * (((least / others) ** d).sum() / len(row)) ** (-1 / d)


def tree_by_kruskal(reach, apart):
    """Return the edges of the tree in the order of (reach, apart, ends)."""
    pairs = itertools.combinations(range(len(reach)), 2)
    sets = trees.Sets(len(reach))
    ordered = sorted((reach[u, v], apart[u, v], u, v) for u, v in pairs)
    return [(u, v) for _, _, u, v in ordered if sets.join(u, v)]


def by_definition(distances, labels, d, *, raw=False):
    """Return the index and the validity of clusters."""
    n_clusters = max(labels) + 1
    inner, sparseness, core = {}, {}, np.zeros(len(labels))
    for number in range(n_clusters):
        members = np.flatnonzero(labels == number)
        apart = distances[np.ix_(members, members)]
        if not raw and len(members) > 1:
            others = [np.delete(row, i) for i, row in enumerate(apart)]
            core[members] = [powers_mean(row, d) for row in others]
        reach = np.maximum(apart, np.maximum.outer(core[members], core[members]))
        edges = tree_by_kruskal(reach, apart)
        degree = np.bincount(np.ravel(edges).astype(int), minlength=len(members))
        between = [e for e in edges if degree[e[0]] > 1 and degree[e[1]] > 1] or edges
        sparseness[number] = max((reach[e] for e in between), default=0)
        chosen = degree > 1
        if not chosen.any():  # one point, or two
            chosen[:] = True
        inner[number] = members[chosen]
    validity = np.zeros(n_clusters)
    for i in range(n_clusters):
        gaps = [
            max(distances[u, v], core[u], core[v])
            for j in range(n_clusters)
            if j != i
            for u in inner[i]
            for v in inner[j]
        ]
        gap = min(gaps, default=np.inf)
        if gap < np.inf and (labels == i).sum() > 1 and max(gap, sparseness[i]) > 0:
            validity[i] = (gap - sparseness[i]) / max(gap, sparseness[i])
    sizes = np.array([(labels == i).sum() for i in range(n_clusters)])
    return float(sizes @ validity / len(labels)), validity


def has_infinite_trees(distances, labels) -> bool:
    """Return whether distances of inf separate points of a cluster."""
    for number in set(labels[labels >= 0].tolist()):
        members = np.flatnonzero(labels == number)
        edges, _ = trees.prim_of_matrix(distances[np.ix_(members, members)])
        if len(edges) < len(members) - 1:
            return True
    return False
