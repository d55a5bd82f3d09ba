"""Plain k-means, with the order of sums that makes its result the same everywhere.

Distances are computed in the points' own type, coordinate by coordinate; means are sums of float64
in the order of the points. That is one block of fewer than 4096 points. The sums of k-means++ are
added in pairs, in a tree.
"""

from __future__ import annotations

import numpy as np

MOST_POINTS = 4096
#: Children of a node of the tree.
FAN_OUT = 128


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


def levels(values):
    """Return the sums of values at each level of the tree, the values first."""
    found = [values]
    while len(found) == 1 or len(found[-1]) > 1:
        below = found[-1]
        rows = np.zeros((-(-len(below) // FAN_OUT), FAN_OUT))
        rows.ravel()[: len(below)] = below
        while rows.shape[1] > 1:
            half = rows.shape[1] // 2
            rows = rows[:, :half] + rows[:, half:]
        found.append(rows[:, 0])
    return found


def draw(values, uniform, otherwise):
    """Return the index where `uniform` falls among values that are placed one after the other."""
    above = levels(values)
    rest, node = uniform * above[-1][0], 0
    for level in reversed(above[:-1]):
        last = None
        for i in range(FAN_OUT * node, min(FAN_OUT * (node + 1), len(level))):
            if not level[i] > 0:
                continue
            last = i
            if rest < level[i]:
                break
            rest -= level[i]
        else:
            if last is None:
                return otherwise
            rest = level[last]
        node = last
    return node


def plus_plus(points, k, uniforms, weights):
    """Return the rows that greedy k-means++ draws by these random numbers."""
    n_trials = (len(uniforms) - 1) // max(k - 1, 1)
    rows = [draw(weights, uniforms[0], 0)]
    key = distances(points, points[rows])[:, 0]

    def values(key):
        return np.where(weights > 0, weights * key.astype(np.float64), 0)

    for c in range(1, k):
        some = uniforms[1 + (c - 1) * n_trials :][:n_trials]
        drawn = [draw(values(key), uniform, rows[0]) for uniform in some]
        keys = [np.minimum(key, distances(points, points[[row]])[:, 0]) for row in drawn]
        totals = [levels(values(key))[-1][0] for key in keys]
        best = 0
        for t in range(1, n_trials):
            best = t if totals[t] < totals[best] else best
        rows.append(drawn[best])
        key = keys[best]
    return rows


def starts(points, k, init, random_state, n_init, weights):
    """Return the centres that each run starts from."""
    counted = np.flatnonzero(weights)
    if not isinstance(init, str):
        return [init]
    if init == "first":
        return [points[counted[:k]]]
    source, even = np.random.default_rng(random_state), (weights == 1).all()
    if init == "random":
        how = {"shuffle": True} if even else {"p": weights / weights.sum()}
        runs = 10 if n_init == "auto" else n_init
        return [points[source.choice(len(points), k, replace=False, **how)] for _ in range(runs)]
    if init == "k-means++":
        n_draws = 1 + (k - 1) * (2 + int(np.log(k)))
        runs = 1 if n_init == "auto" else n_init
        return [points[plus_plus(points, k, source.random(n_draws), weights)] for _ in range(runs)]
    mean = means(points, np.zeros(len(points), int), points[:1], weights)
    key, rows = np.where(weights > 0, distances(points, mean)[:, 0], -1), []
    for _ in range(k):
        rows.append(int(np.argmax(key)))
        new = np.where(weights > 0, distances(points, points[rows[-1:]])[:, 0], -1)
        key = new if len(rows) == 1 else np.minimum(key, new)
    return [points[rows]]


def means(points, labels, centres, weights):
    """Return the weighted mean of each centre's points; a centre without weight stays."""
    moved = centres.copy()
    for c in range(len(centres)):
        mine = np.flatnonzero((labels == c) & (weights > 0))
        if len(mine):
            total, mass = np.zeros(points.shape[1]), 0.0
            for i in mine:
                total += weights[i] * points[i].astype(np.float64)
                mass += weights[i]
            moved[c] = (total / mass).astype(points.dtype)
    return moved


def refill(points, labels, centres, weights):
    """Give each centre without weight the point that is farthest from its own centre."""
    labels = labels.copy()
    key = distances(points, centres)[np.arange(len(points)), labels]
    counts = np.bincount(labels, weights > 0, minlength=len(centres)).astype(int)
    for empty in np.flatnonzero(counts == 0):
        free = (key > 0) & (counts[labels] > 1) & (weights > 0)
        if not free.any():
            break
        far = int(np.argmax(np.where(free, key, -1)))
        counts[labels[far]] -= 1
        labels[far] = empty
        counts[empty] = 1
    return labels


def k_means(
    points, n_clusters, init, random_state=None, n_init="auto", weights=None, max_iter=300, tol=0.0
):
    """Return centres, labels, the sum of squared distances, and the number of iterations."""
    if tol:
        tol *= mean_variance(points, weights)
    weights = np.ones(len(points)) if weights is None else np.asarray(weights, np.float64)
    best = None
    for centres in starts(points, n_clusters, init, random_state, n_init, weights):
        found = search(points, centres.copy(), weights, max_iter, tol)
        best = found if best is None or found[2] < best[2] else best
    return best


def mean_variance(points, weights):
    """Return the mean of the variances of the columns."""
    if weights is None:
        return float(np.mean(np.var(points, axis=0, dtype=np.float64)))
    mean = np.average(points, axis=0, weights=weights)
    return float(np.mean(np.average((points - mean) ** 2, axis=0, weights=weights)))


def search(points, centres, weights, max_iter, tol):
    """Return what `k_means` does, of one run."""
    labels, settled, iteration = np.full(len(points), -1), False, 0
    while not settled and iteration < max_iter:
        iteration += 1
        nearest = assign(points, centres)
        settled = bool((nearest == labels).all())
        labels = nearest
        if settled:
            break
        labels = refill(points, labels, centres, weights)
        moved = means(points, labels, centres, weights)
        squared = ((moved.astype(np.float64) - centres.astype(np.float64)) ** 2).sum()
        centres = moved
        if squared <= tol:
            break
    if not settled:
        labels = assign(points, centres)
    own = distances(points, centres)[np.arange(len(points)), labels].astype(np.float64)
    inertia = float(np.cumsum(weights * own)[-1])  # one after the other; NaN if 0 * inf
    return centres, labels.astype(np.int32), inertia, iteration
