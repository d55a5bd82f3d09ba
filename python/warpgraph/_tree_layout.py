"""Positions for drawing the vertices of a forest."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._forest import SpanningForest

Array = npt.NDArray[Any]


def layout(forest: SpanningForest) -> Array:
    """Return a position for every vertex of a forest, with few lines that cross.

    Every tree grows outwards from its middle, a vertex whose removal leaves no part with more than
    half of the tree; each branch gets as wide an angle as it has ends. The trees share the circle.

    Parameters
    ----------
    forest : SpanningForest
        The trees.

    Returns
    -------
    ndarray of float64, shape (n, 2)

    Examples
    --------
    >>> import warpgraph as wg
    >>> forest = wg.minimum_spanning_forest(wg.generators.grid(5, 5))
    >>> wg.plot.layout(forest).shape
    (25, 2)
    """
    order, parents, depths = _outward_order(forest, _middles(forest))
    ends = [0] * (forest.n_vertices + 1)
    for v in reversed(order):
        ends[v] = max(ends[v], 1)
        if v != forest.n_vertices:
            ends[parents[v]] += ends[v]
    free = [0] * (forest.n_vertices + 1)  # where the next branch's angle begins, in ends
    middle = [0.0] * (forest.n_vertices + 1)
    for v in order[1:]:
        free[v] = free[parents[v]]
        free[parents[v]] += ends[v]
        middle[v] = free[v] + ends[v] / 2
    angles = 2 * np.pi * np.array(middle[:-1]) / ends[forest.n_vertices]
    # A single tree has its middle at the origin.
    radii = np.array(depths[:-1]) - (1 if forest.n_trees == 1 else 0)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


def _outward_order(forest: SpanningForest, roots: Array) -> tuple[list[int], list[int], list[int]]:
    """Return the vertices from the roots outwards, their parents, and their depths.

    An added vertex n is the neighbour of all roots.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    n = forest.n_vertices
    row = np.concatenate([forest.edges[:, 0], np.full(len(roots), n)])
    col = np.concatenate([forest.edges[:, 1], roots])
    graph = coo_array((np.ones(len(row)), (row, col)), (n + 1, n + 1)).tocsr()
    order, parents = breadth_first_order(graph, n, directed=False)
    order, parents = order.tolist(), parents.tolist()
    depths = [0] * (n + 1)
    for v in order[1:]:
        depths[v] = depths[parents[v]] + 1
    return order, parents, depths


def _middles(forest: SpanningForest) -> Array:
    """Return the middle of every tree."""
    labels = forest.labels
    firsts = np.unique(labels, return_index=True)[1]
    order, parents, _ = _outward_order(forest, firsts)
    sizes = [1] * (forest.n_vertices + 1)
    for v in reversed(order[1:]):
        sizes[parents[v]] += sizes[v]
    below = np.array(sizes[:-1])
    # Among the vertices with half of the tree below them, the deepest has the fewest.
    heavy = np.flatnonzero(2 * below >= np.bincount(labels)[labels])
    by_tree = heavy[np.lexsort((heavy, below[heavy], labels[heavy]))]
    return by_tree[np.unique(labels[by_tree], return_index=True)[1]]
