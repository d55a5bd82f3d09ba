"""Lengths of paths as NetworkX has them: sums of the objects that are the weights."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph.nx_backend._graph import Entries

Array = npt.NDArray[Any]


def depths(predecessors: Array) -> Array:
    """Return the number of edges from the root of each vertex's tree, by pointer doubling."""
    inner = predecessors >= 0
    jump = np.where(inner, predecessors, np.arange(len(predecessors)))
    depth = inner.astype(np.int32)
    while (more := depth[jump]).any():
        depth, jump = depth + more, jump[jump]
    return depth


def of_path(entries: Entries, path: Sequence[int]) -> Any:
    """Return the sum of the weights along a path of vertices, from the integer 0 on."""
    assert entries.weights.objects is not None
    assert entries.weights.data is not None
    total: Any = 0
    for tail, head in pairwise(path):
        begin, end = entries.indptr[tail : tail + 2].tolist()
        places = begin + np.flatnonzero(entries.indices[begin:end] == head)
        lightest = places[np.argmin(entries.weights.data[places])]
        total = total + entries.weights.objects[lightest]
    return total


def of_tree(entries: Entries, predecessors: Array, *, from_zero: bool = True) -> list[Any]:
    """Return the length of the path to each vertex of a tree; without meaning for others.

    Without `from_zero`, the length of an edge from a root is its weight, whatever 0 + weight is.
    """
    objects = entries.weights.objects
    assert objects is not None
    arcs = _arcs_before(entries, predecessors).tolist()
    lengths: list[Any] = [0] * len(predecessors)
    before = predecessors.tolist()
    inner = np.flatnonzero(predecessors >= 0)
    for vertex in inner[np.argsort(depths(predecessors)[inner], kind="stable")].tolist():
        tail, weight = before[vertex], objects[arcs[vertex]]
        is_weight = not from_zero and before[tail] < 0
        lengths[vertex] = weight if is_weight else lengths[tail] + weight
    return lengths


def _arcs_before(entries: Entries, predecessors: Array) -> Array:
    """Return the position of the arc that ends at each vertex of a tree: the first lightest."""
    tails = np.repeat(np.arange(len(predecessors)), np.diff(entries.indptr))
    candidates = np.flatnonzero(predecessors[entries.indices] == tails)
    assert entries.weights.data is not None
    # Of several assignments to one vertex, the last one counts.
    order = np.lexsort((candidates, entries.weights.data[candidates]))[::-1]
    found = np.full(len(predecessors), -1)
    found[entries.indices[candidates[order]]] = candidates[order]
    return found
