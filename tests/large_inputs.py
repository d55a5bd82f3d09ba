"""Inputs of calls that are long enough to be interrupted."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.sparse as sp

import warpgraph as wg


def _with_a_negative_arc(graph):
    weights = graph.data.astype(float)
    weights[-1] = -1
    return sp.csr_array((weights, graph.indices, graph.indptr), shape=graph.shape)


def _grid(side, weights=(1, 1000)):
    return wg.generators.grid(side, side, seed=1, weights=weights).to_csr()


def _random_edges():
    rng = np.random.default_rng(1)
    return (*rng.integers(0, 100_000, (2, 2_000_000)), rng.random(2_000_000))


#: Inputs of long calls, by name. Graphs are matrices, for which no derived data is kept, so a call
#: does all of its work.
LARGE = {
    "nothing": lambda: None,
    "roads": lambda: _grid(500),
    "negative": lambda: _with_a_negative_arc(_grid(120, (1, 99))),
    "city": lambda: _grid(280),
    "town": lambda: _grid(90),
    "borough": lambda: _grid(45),
    "village": lambda: _grid(35),
    "social": lambda: wg.generators.rmat(16, 16, seed=1, weights=(1, 1000)).to_csr(),
    "edges": _random_edges,
    "points": lambda: np.random.default_rng(1).random((150_000, 3)),
    "distances": lambda: np.abs(np.subtract.outer(*[np.arange(6000, dtype=np.float32)] * 2)),
    "wide_points": lambda: np.random.default_rng(1).random((6000, 12)),
}


@functools.cache
def large_input(name: str) -> Any:
    return LARGE[name]()
