"""Graphs on which searches and sums have failed, in any size and variation.

`dominated`: light edges connect all vertices, and heavy ones shorten no path. Then sums are narrow,
and a heavy weight must not be truncated to their width. `buckets`: weights are multiples of the
width of a search's buckets, and of the span of all its buckets.
"""

from __future__ import annotations

import numpy as np

from fuzz import weights
from fuzz.cases import Edges

#: Heavy weights that are light when truncated to 16 or 32 bits.
_HEAVY = [
    2**k + step for k in (15, 16, 17, 24, 29, 30, 31, 32, 33, 53, 61, 62) for step in range(3)
]
_BUCKETS_AT_HAND = 64


def dominated(rng, n):
    """Return `Edges`: a light ring, chain or grid, and some heavy chords."""
    around = np.arange(n)
    light = np.stack([around, (around + 1) % n])
    if rng.random() < 0.4:
        light = np.concatenate([light, light[::-1]], axis=1)
    if rng.random() < 0.3:
        light = np.concatenate([light, rng.integers(0, n, (2, n))], axis=1)
    heavy = rng.integers(0, n, (2, int(rng.integers(1, max(n // 2, 2) + 1))))
    if rng.random() < 0.5:  # with a light path of few edges
        heavy[1] = (heavy[0] + rng.integers(1, 4, heavy.shape[1])) % n
    dtype = weights.DTYPES[int(rng.integers(4))]
    choice = np.array([w for w in _HEAVY if w < np.iinfo(np.int32).max or dtype != "int32"])
    weight = weights.convert(
        np.r_[
            rng.integers(0, int(rng.choice([2, 11, 30])), light.shape[1]),
            rng.choice(choice, heavy.shape[1]) + rng.integers(0, 2) * rng.integers(0, 9),
        ],
        dtype,
    )
    return Edges(n, *np.concatenate([light, heavy], axis=1), weight)


def buckets(rng, n):
    """Return `Edges`: most weights equal, others multiples of the span of the buckets."""
    tail, head = np.arange(n - 1), np.arange(1, n)
    is_chain = rng.random() < 0.6  # between two jumps the queue is empty
    more = rng.integers(0, n, (2, int(rng.integers(0, 4 if is_chain else n + 1))))
    if rng.random() < 0.5:  # from the beginning, where searches are likely to start
        more = np.stack([np.zeros_like(more[0]), more[1] % min(n, 9)])
    if not is_chain and rng.random() < 0.3:
        tail, head = np.r_[tail, head], np.r_[head, tail]
    steps = len(tail)
    tail, head = np.r_[tail, more[0]], np.r_[head, more[1]]
    unit = int(rng.choice([5, 10, 40]))
    degree = max(len(tail) / n, 1.0)
    width = unit * float(rng.choice([1.25, 1.6, 1.6, 1.6, 6.4, 12.8])) / degree
    jumps = width * rng.integers(1, 2 * _BUCKETS_AT_HAND + 2, len(tail))
    rare = rng.random(len(tail)) < rng.choice([0.05, 0.2, 0.25])
    if is_chain or rng.random() < 0.5:
        jumps[:steps] = _BUCKETS_AT_HAND * width * int(rng.integers(1, 4))
        rare = np.arange(len(tail)) % int(rng.integers(2, 9)) == 0
        rare[steps:] = True
    near = rng.random(len(tail)) < 0.5
    weight = np.where(rare, jumps + rng.integers(-1, 2, len(tail)) * near, unit)
    dtype = str(rng.choice(["float32", "float32", "int32", "int32", "float64", "int64"]))
    return Edges(n, tail, head, weights.convert(np.maximum(np.round(weight), 0), dtype))
