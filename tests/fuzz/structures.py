"""Families of random graphs, and the sizes at which methods change.

A family is a function (rng, n) that returns (tail, head), two arrays of vertices.
"""

from __future__ import annotations

import numpy as np

from fuzz import traps, weights
from fuzz.cases import Edges

#: Most graphs are small. The others have sizes around those of tiles (64, 128), of searches with a
#: heap (512), of a hierarchy's core (1024), of frontiers for several threads (4096), and of edge
#: lists for several threads (32768 each).
SIZES = ("small", "tiles", "medium", "large", "huge")
SMALL, TILES, MEDIUM, LARGE, HUGE = range(5)
_SHARES = (0.81, 0.12, 0.055, 0.0125, 0.0025)


def size(rng, largest):
    """Return a number of vertices; `largest` is the class of the largest graphs wanted."""
    kind = min(int(rng.choice(5, p=_SHARES)), largest)
    if kind == SMALL:
        return int(rng.integers(1, 41)) if rng.random() < 0.97 else 0
    if kind == TILES:
        return int(rng.choice([63, 64, 65, 66, 96, 100, 127, 128, 129, 130]))
    if kind == MEDIUM:
        return int(rng.choice([192, 200, 256, 257, 299, 300, 400]))
    if kind == LARGE:
        return int(rng.choice([511, 512, 513, 700, 1000, 1023, 1025, 1500]))
    return int(rng.choice([5000, 10_000, 20_000]))


def sparse(rng, n):
    m = int(rng.integers(0, 3 * n + 1))
    return rng.integers(0, n, (2, m))


def dense(rng, n):
    m = min(n * n, 40_000)
    return rng.integers(0, n, (2, m))


def complete(rng, n):
    if n > 130:
        return ring_with_chords(rng, n)
    tail, head = np.divmod(np.arange(n * n), n)
    return np.stack([tail, head])[:, rng.random(n * n) < rng.choice([0.9, 1.0])]


def forest(rng, n):
    """Trees: each vertex is the child of an earlier one or a root."""
    child = np.arange(1, n)[rng.random(n - 1) < 0.95]
    near = rng.random() < 0.5
    parent = np.maximum(child - rng.integers(1, 4, len(child)), 0) if near else None
    parent = (child * rng.random(len(child))).astype(int) if parent is None else parent
    return np.stack([parent, child])


def ring_with_chords(rng, n):
    """A ring with chords: light and heavy paths between the same two vertices."""
    chords = rng.integers(0, n, (2, int(rng.integers(0, n + 2))))
    around = np.arange(n)
    return np.concatenate([np.stack([around, (around + 1) % n]), chords], axis=1)


def chain_with_jumps(rng, n):
    """A chain, and edges a few steps ahead, mostly from its beginning."""
    steps = np.arange(n - 1)
    ahead = rng.integers(0, n, int(rng.integers(0, 8)))
    source = np.where(rng.random(len(ahead)) < 0.7, 0, rng.integers(0, n, len(ahead)))
    jumps = np.stack([source, np.minimum(source + ahead % 8, n - 1)])
    return np.concatenate([np.stack([steps, steps + 1]), jumps], axis=1)


def star(rng, n):
    hub, leaves = int(rng.integers(n)), np.arange(n)
    spokes = np.stack([np.full(n, hub), leaves])
    outward = rng.random(n) < rng.choice([0.0, 0.5, 1.0])
    return np.where(outward, spokes, spokes[::-1])


def grid(rng, n):
    columns = max(int(n**0.5), 1)
    v = np.arange(n)
    across = v[(v % columns < columns - 1) & (v + 1 < n)]
    down = v[v + columns < n]
    return np.concatenate(
        [np.stack([across, across + 1]), np.stack([down, down + columns])], axis=1
    )


def power_law(rng, n):
    m = int(rng.integers(n, 5 * n + 1))
    return (n * rng.random((2, m)) ** [[1.0], [4.0]]).astype(int)


def islands(rng, n):
    part = rng.integers(0, 4, n)
    tail, head = sparse(rng, n)
    together = part[tail] == part[head]
    return np.stack([tail[together], head[together]])


def parallel(rng, n):
    """Many edges between few vertices."""
    few = min(n, 4)
    return rng.integers(0, few, (2, int(rng.integers(1, 40))))


FAMILIES = [
    sparse,
    sparse,
    dense,
    complete,
    forest,
    ring_with_chords,
    ring_with_chords,
    chain_with_jumps,
    chain_with_jumps,
    star,
    grid,
    grid,
    power_law,
    islands,
    parallel,
]


def draw(rng, *, largest=HUGE, negative=False, infinite=True):
    """Return random `Edges`."""
    n = size(rng, largest)
    if n == 0:
        return Edges(0, np.empty(0, int), np.empty(0, int), weights.draw(rng, 0))
    if not negative and n > 1 and rng.random() < 0.2:
        trap = traps.dominated if rng.random() < 0.5 else traps.buckets
        return _stored(rng, trap(rng, min(n, 400)))
    tail, head = FAMILIES[rng.integers(len(FAMILIES))](rng, n)
    if n > 400 and len(tail) < 4 * n and rng.random() < 0.3:
        more = rng.integers(0, n, (2, 34_000 if n < 5000 else 140_000))
        tail, head = np.r_[tail, more[0]], np.r_[head, more[1]]
    weight = weights.draw(rng, len(tail), negative=negative, infinite=infinite)
    edges = Edges(n, tail, head, weight)
    if negative:
        edges = _with_negative(rng, edges)
    return _stored(rng, edges)


def _with_negative(rng, edges):
    """Shift weights by a potential, which makes no negative cycle; sometimes add one."""
    kind = edges.weight.dtype
    if kind.kind not in "if" or kind.itemsize < 4 or len(edges.tail) == 0:
        return edges
    if not (np.abs(edges.weight.astype(np.float64)) < 2**23).all():
        return edges
    height = rng.integers(0, 50, edges.n)
    wide = edges.weight.astype(np.int64) + height[edges.tail] - height[edges.head]
    if rng.random() < 0.2:
        wide[rng.integers(len(wide))] -= int(rng.integers(1, 30))
    return edges.with_weights(wide.astype(edges.weight.dtype))


def _stored(rng, edges):
    """Store edges one way, both ways with equal or other weights, or above the diagonal only."""
    tail, head, weight = edges.tail, edges.head, edges.weight
    how = rng.integers(6)
    if how in (0, 1):
        apart = tail != head
        tail, head = np.r_[tail, head[apart]], np.r_[head, tail[apart]]
        weight = np.r_[weight, weight[apart]]
        if how == 1 and len(weight):
            weight = np.where(rng.random(len(weight)) < 0.1, rng.choice(weight), weight)
    elif how == 2 and rng.random() < 0.5:
        tail, head = np.minimum(tail, head), np.maximum(tail, head)
    if rng.random() < 0.3 and len(tail):
        again = rng.integers(0, len(tail), int(rng.integers(1, 4)))
        tail, head = np.r_[tail, tail[again]], np.r_[head, head[again]]
        weight = np.r_[weight, rng.choice(weight, len(again))]
    order = np.arange(len(tail))
    if rng.random() < 0.4:
        order = rng.permutation(len(tail))
    elif rng.random() < 0.3:
        order = np.lexsort((weight, tail))
    elif rng.random() < 0.5:
        order = np.lexsort((head, tail))
    names = rng.permutation(edges.n) if rng.random() < 0.25 else np.arange(edges.n)
    return Edges(edges.n, names[tail[order]], names[head[order]], weight[order])
