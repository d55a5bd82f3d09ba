"""Positions for drawing the vertices of a forest, and its dendrogram.

SciPy orders the leaves of a dendrogram; it has no layout for a forest, and its own for dendrograms
recurses to their depth, which may be the number of leaves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments.hints import hinted
from warpgraph._trees.forest import SpanningForest
from warpgraph.plot._picture_arguments import forest_of

Array = npt.NDArray[Any]


@hinted
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
    forest = forest_of(forest)
    order, parents, depths = _outward_order(forest, _middles(forest))
    ends = [0] * (forest.n_vertices + 1)
    for v in reversed(order):
        ends[v] = max(ends[v], 1)
        if v != forest.n_vertices:
            ends[parents[v]] += ends[v]
    # Where the angle of the next branch begins, counted in ends of branches.
    free = [0] * (forest.n_vertices + 1)
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


def dendrogram_layout(joins: Array, max_leaves: int) -> tuple[list[int], range, Array]:
    """Return the top of a dendrogram as brackets over leaves at 5, 15, 25, ...

    The places are those of SciPy's ``dendrogram``.

    Parameters
    ----------
    joins : ndarray, shape (m, 4)
        At least one join, in SciPy's format.
    max_leaves : int
        At least 2: the last ``max_leaves - 1`` joins are drawn.

    Returns
    -------
    leaves : list of int
        The cluster at each leaf, from left to right.
    drawn : range
        The clusters that the joins drawn make.
    brackets : ndarray of float64, shape (len(drawn), 4, 2)
        The corners of each bracket.
    """
    from scipy.cluster.hierarchy import leaves_list

    n = len(joins) + 1
    drawn = range(max(n, 2 * n - max_leaves), 2 * n - 1)
    ends = joins[drawn.start - n :, :2].astype(np.int64)
    below = np.setdiff1d(ends, drawn)
    # A linkage of the leaves alone. SciPy refuses heights below 0, and needs none for the order.
    joined = np.searchsorted(np.concatenate([below, drawn]), ends)
    sizes = np.arange(2.0, len(drawn) + 2)
    leaves = below[leaves_list(np.column_stack([joined, sizes, sizes]))].tolist()
    across = {leaf: 5.0 + 10.0 * i for i, leaf in enumerate(leaves)}
    top = dict.fromkeys(leaves, 0.0)
    brackets = np.empty((len(drawn), 4, 2))
    for i, (cluster, (left, right)) in enumerate(zip(drawn, ends.tolist(), strict=True)):
        height = float(joins[cluster - n, 2])
        x, y = across[left], across[right]
        brackets[i] = (x, top[left]), (x, height), (y, height), (y, top[right])
        across[cluster], top[cluster] = (x + y) / 2, height
    return leaves, drawn, brackets
