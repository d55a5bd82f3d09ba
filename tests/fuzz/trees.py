"""Spanning trees of points, dendrograms and their cuts, the slow way."""

from __future__ import annotations

import numpy as np


def squared_distances(points, point):
    """Return squared distances in the points' own type, coordinate by coordinate."""
    total = np.zeros(len(points), points.dtype)
    for k in range(points.shape[1]):
        apart = points[:, k] - point[k]
        total += apart * apart
    return total


def prim(points):
    """Return the edges (smaller, larger) and the squared lengths of the tree of points.

    Pairs are ordered by squared distance, identical points first, then by the smaller and the
    larger row.
    """

    def keys_of(v):
        keys = squared_distances(points, points[v])
        keys[(points == points[v]).all(axis=1)] = -1
        return keys

    return _prim(len(points), keys_of)


def prim_of_matrix(matrix):
    """Return the edges and lengths of the forest of a matrix of distances; inf joins nothing."""
    edges, keys = _prim(len(matrix), lambda v: matrix[v].copy())
    joined = keys != np.inf
    return edges[joined], keys[joined]


def _prim(n, keys_of):
    key, link = keys_of(0), np.zeros(n, int)
    outside = np.ones(n, bool)
    outside[0] = False
    numbers = np.arange(n)
    edges, lengths = np.empty((n - 1, 2), np.int32), np.empty(n - 1, key.dtype)
    for i in range(n - 1):
        left = numbers[outside]
        near = left[key[left] == key[left].min()]
        pairs = np.minimum(near, link[near]) * n + np.maximum(near, link[near])
        v = int(near[np.argmin(pairs)])
        edges[i] = min(v, link[v]), max(v, link[v])
        lengths[i] = key[v]
        outside[v] = False
        new = keys_of(v)
        pair = np.minimum(numbers, link) * n + np.maximum(numbers, link)
        pair_now = np.minimum(numbers, v) * n + np.maximum(numbers, v)
        better = (new < key) | ((new == key) & (pair_now < pair))
        key = np.where(better, new, key)
        link = np.where(better, v, link)
    order = np.lexsort((edges[:, 1], edges[:, 0], lengths))
    return edges[order], lengths[order]


def linkage(n, edges, heights):
    """Return SciPy's linkage matrix of a forest whose edges come lightest first.

    Its trees join last, at inf, in the order of their smallest vertices.
    """
    cluster = {v: v for v in range(n)}  # by the root of its set
    members = {v: [v] for v in range(n)}
    root = list(range(n))
    rows = []

    def join(u, v, height):
        a, b = root[u], root[v]
        first, second = sorted((cluster[a], cluster[b]))
        if len(members[a]) < len(members[b]):
            a, b = b, a
        members[a] += members.pop(b)
        for member in members[a]:
            root[member] = a
        cluster[a] = n + len(rows)
        rows.append((first, second, height, len(members[a])))

    for (u, v), height in zip(edges.tolist(), heights.tolist(), strict=True):
        join(u, v, height)
    for v in range(1, n):
        if root[v] != root[0]:
            join(0, v, np.inf)
    return np.array(rows, np.float64).reshape(-1, 4)


def labels_of(n, edges, min_size=1):
    """Return the piece of each vertex, in the order of first vertices; -1 in small pieces."""
    root = list(range(n))
    for u, v in edges.tolist():
        a, b = root[u], root[v]
        if a != b:
            root = [a if r == b else r for r in root]
    sizes = np.bincount(np.array(root, int), minlength=n)
    names: dict[int, int] = {}
    labels = [names.setdefault(r, len(names)) if sizes[r] >= min_size else -1 for r in root]
    return np.array(labels, np.int32), len(names)


def edges_kept(
    n, edges, weights, *, n_clusters=None, distance_threshold=None, cut=None, min_size=1
):
    """Return how many edges, lightest first, a cut leaves; None where it must be refused."""
    if n_clusters is not None:
        return _for_clusters(n, edges, n_clusters, min_size)
    if distance_threshold is not None:
        return int((weights <= distance_threshold).sum())
    finite = int((weights < np.inf).sum())
    if cut is None or finite < len(weights) or len(weights) < 2:
        return finite if cut is not None and finite < len(weights) else len(weights)
    gaps = np.diff(weights.astype(np.float64))
    widest = max(range(len(gaps)), key=lambda i: (gaps[i], i))
    return widest + 1 if gaps[widest] > 0 else len(weights)


def _for_clusters(n, edges, n_clusters, min_size):
    """Keep the most edges that leave so many pieces of a size; all, if these are too few."""
    if min_size == 1:
        if n_clusters > n:
            return None
        return min(n - n_clusters, len(edges))
    counts = [labels_of(n, edges[:kept], min_size)[1] for kept in range(len(edges) + 1)]
    if n_clusters < counts[-1]:
        return len(edges)
    enough = [kept for kept, count in enumerate(counts) if count == n_clusters]
    return max(enough) if enough else None
