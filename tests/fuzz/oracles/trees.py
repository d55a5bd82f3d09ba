"""Plain spanning trees of points, dendrograms and their cuts."""

from __future__ import annotations

import itertools

import numpy as np

from fuzz.oracles import ranges


class Sets:
    """Disjoint sets of vertices; a union moves the smaller set."""

    def __init__(self, n):
        self.of = list(range(n))
        self.members = [[v] for v in range(n)]

    def join(self, u, v) -> bool:
        a, b = self.of[u], self.of[v]
        if a == b:
            return False
        if len(self.members[a]) < len(self.members[b]):
            a, b = b, a
        for member in self.members[b]:
            self.of[member] = a
        self.members[a] += self.members[b]
        self.members[b] = []
        return True

    def labels(self) -> np.ndarray:
        """Return labels from 0 in the order of the sets' smallest members."""
        names: dict[int, int] = {}
        return np.array([names.setdefault(a, len(names)) for a in self.of], np.int32)

    def size(self, v) -> int:
        return len(self.members[self.of[v]])


def squared_distances(points, point):
    """Return squared distances in the points' own type, coordinate by coordinate."""
    total = np.zeros(len(points), points.dtype)
    for k in range(points.shape[1]):
        apart = points[:, k] - point[k]
        total += apart * apart
    return total


def distances_by(metric, points, point):
    """Return distances in float64, coordinate by coordinate."""
    total = np.zeros(len(points))
    for column, other in zip(points.T.astype(np.float64), point.astype(np.float64), strict=True):
        if metric == "manhattan":
            total += np.abs(column - other)
        elif metric == "chebyshev":
            total = np.maximum(total, np.abs(column - other))
        else:
            total += column != other
    return total / points.shape[1] if metric == "hamming" else total


def powers_by(p, points, point):
    """Return distances of "minkowski" from powers in extended precision."""
    apart = np.abs(points.astype(np.longdouble) - point.astype(np.longdouble))
    largest = apart.max(axis=1)
    safe = np.where((largest == 0) | ~np.isfinite(largest), 1, largest)
    with np.errstate(all="ignore"):
        sums = ((apart / safe[:, np.newaxis]) ** np.longdouble(p)).sum(axis=1)
        return (largest * sums ** (1 / np.longdouble(p))).astype(np.float64)


def core_squares(points, min_samples):
    """Return the squared distances to the min_samples-th nearest points, themselves included."""
    if min_samples == 1:
        return np.zeros(len(points), points.dtype)
    rows = (squared_distances(points, point) for point in points)
    return np.array([np.partition(row, min_samples - 1)[min_samples - 1] for row in rows])


def prim(points, min_samples=1, alpha=1.0):
    """Return the edges (smaller, larger) and the squared lengths of the tree of points.

    Pairs are ordered by squared mutual-reachability distance, identical points of core 0 first,
    then by the smaller and the larger row.
    """
    cores = core_squares(points, min_samples)
    inverse = points.dtype.type(1 / alpha)

    def keys_of(v):
        squares = squared_distances(points, points[v]) * (inverse * inverse)
        keys = np.maximum(np.maximum(cores, cores[v]), squares)
        keys[(points == points[v]).all(axis=1) & (cores == 0)] = -1
        return keys

    return _prim(len(points), keys_of)


def tree_of_points(points, min_samples=1, alpha=1.0):
    """Return the edges of `prim`, and their lengths, of points of any magnitude."""
    scaled, exponent = ranges.in_range(points, alpha)
    with np.errstate(all="ignore"):
        edges, keys = prim(scaled, min_samples, alpha)
    return edges, ranges.lengths(keys, exponent)


def prim_of_matrix(matrix):
    """Return the edges and lengths of the forest of a matrix of distances; inf is no edge."""
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
    sets, rows = Sets(n), []
    cluster = list(range(n))  # by the label of a set

    def join(u, v, height):
        first, second = sorted((cluster[sets.of[u]], cluster[sets.of[v]]))
        sets.join(u, v)
        cluster[sets.of[u]] = n + len(rows)
        rows.append((first, second, height, sets.size(u)))

    for (u, v), height in zip(edges.tolist(), heights.tolist(), strict=True):
        join(u, v, height)
    for v in range(1, n):
        if sets.of[v] != sets.of[0]:
            join(0, v, np.inf)
    return np.array(rows, np.float64).reshape(-1, 4)


def labels_of(n, edges, min_size=1):
    """Return the piece of each vertex, in the order of first vertices; -1 in small pieces."""
    sets = Sets(n)
    for u, v in edges.tolist():
        sets.join(u, v)
    names: dict[int, int] = {}
    labels = [
        names.setdefault(sets.of[v], len(names)) if sets.size(v) >= min_size else -1
        for v in range(n)
    ]
    return np.array(labels, np.int32), len(names)


def edges_kept(
    n, edges, weights, *, n_clusters=None, distance_threshold=None, cut=None, min_size=1
):
    """Return how many edges, lightest first, a cut leaves; None where it must be refused."""
    if min_size > n > 0:
        return None
    if n_clusters is not None:
        return _for_clusters(n, edges, weights.tolist(), n_clusters, min_size)
    if distance_threshold is not None:
        # One by one, since NumPy rounds integers before it compares them.
        return sum(weight < distance_threshold for weight in weights.tolist())
    finite = int((weights < np.inf).sum())
    if cut is None or finite < len(weights) or len(weights) < 2:
        return finite if cut is not None and finite < len(weights) else len(weights)
    gaps = [after - before for before, after in itertools.pairwise(weights.tolist())]
    widest = max(range(len(gaps)), key=lambda i: (gaps[i], i))
    return widest + 1 if gaps[widest] > 0 else len(weights)


def _for_clusters(n, edges, weights, n_clusters, min_size):
    """Keep the most edges that leave `n_clusters` large pieces, or the next smaller number.

    All if there are fewer pieces. Edges of equal weight are kept together.
    """
    if min_size == 1 and n_clusters > n:
        return None
    sets, counts = Sets(n), [n if min_size == 1 else 0]
    for u, v in edges.tolist():
        before = (sets.size(u) >= min_size) + (sets.size(v) >= min_size)
        sets.join(u, v)
        counts.append(counts[-1] - before + (sets.size(u) >= min_size))
    if n_clusters < counts[-1]:
        return len(edges)
    ends = (0, len(edges))
    possible = {
        kept: count
        for kept, count in enumerate(counts)
        if kept in ends or weights[kept - 1] != weights[kept]
    }
    if n_clusters > max(possible.values()):
        return None
    most = max(count for count in possible.values() if count <= n_clusters)
    return max(kept for kept, count in possible.items() if count == most)
