"""Plain k-means, with the order of sums that makes its result the same everywhere.

Distances are computed in the points' own type, coordinate by coordinate; means are sums of float64
in the order of the points. That is one block of fewer than 4096 points.
"""

from __future__ import annotations

import numpy as np

MOST_POINTS = 4096


def distances(points, centres):
    """Return squared distances, shape (n_points, n_centres)."""
    total = np.zeros((len(points), len(centres)), points.dtype)
    for k in range(points.shape[1]):
        apart = points[:, k, None] - centres[None, :, k]
        total += apart * apart
    return total


def assign(points, centres):
    """Return the nearest centre of each point, of equally near ones the first."""
    return np.argmin(distances(points, centres), axis=1).astype(np.int32)


def start(points, k, init, random_state):
    if init == "first":
        return points[:k].copy()
    if init == "random":
        rows = np.random.default_rng(random_state).choice(len(points), k, replace=False)
        return points[rows]
    mean = means(points, np.zeros(len(points), int), points[:1])
    key, rows = distances(points, mean)[:, 0], []
    for _ in range(k):
        rows.append(int(np.argmax(key)))
        new = distances(points, points[rows[-1:]])[:, 0]
        key = new if len(rows) == 1 else np.minimum(key, new)
    return points[rows]


def means(points, labels, centres):
    """Return the mean of each centre's points; a centre without points stays."""
    moved = centres.copy()
    for c in range(len(centres)):
        mine = points[labels == c].astype(np.float64)
        if len(mine):
            total = np.zeros(points.shape[1])
            for point in mine:
                total += point
            moved[c] = (total / len(mine)).astype(points.dtype)
    return moved


def refill(points, labels, centres):
    """Give each centre without points the point that is farthest from its own centre."""
    labels = labels.copy()
    key = distances(points, centres)[np.arange(len(points)), labels]
    counts = np.bincount(labels, minlength=len(centres))
    for empty in np.flatnonzero(counts == 0):
        free = (key > 0) & (counts[labels] > 1)
        if not free.any():
            break
        far = int(np.argmax(np.where(free, key, -1)))
        counts[labels[far]] -= 1
        labels[far] = empty
        counts[empty] = 1
    return labels


def k_means(points, n_clusters, init="farthest", random_state=None, max_iter=300, tol=0.0):
    """Return centres, labels, the sum of squared distances, and the number of iterations."""
    centres = start(points, n_clusters, init, random_state)
    if tol:
        tol *= float(np.mean(np.var(points, axis=0, dtype=np.float64)))
    labels, settled, iteration = np.full(len(points), -1), False, 0
    while not settled and iteration < max_iter:
        iteration += 1
        nearest = assign(points, centres)
        settled = bool((nearest == labels).all())
        labels = nearest
        if settled:
            break
        labels = refill(points, labels, centres)
        moved = means(points, labels, centres)
        squared = ((moved.astype(np.float64) - centres.astype(np.float64)) ** 2).sum()
        centres = moved
        if squared <= tol:
            break
    if not settled:
        labels = assign(points, centres)
    own = distances(points, centres)[np.arange(len(points)), labels]
    return centres, labels.astype(np.int32), float(own.astype(np.float64).sum()), iteration
