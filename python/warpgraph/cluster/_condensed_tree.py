"""CondensedTree: the clusters that a dendrogram has at each density."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments.new_array import Unpickled
from warpgraph.cluster._density import missing

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.axes import Axes

    from warpgraph.cluster._density.hdbscan_options import Selection

Array = npt.NDArray[Any]
#: The arrays of the core's condensed tree: point_clusters, point_lambdas, parents, births, deaths,
#: sizes, stabilities.
TreeArrays = tuple[Array, Array, Array, Array, Array, Array, Array]

ROW = np.dtype(
    [("parent", np.intp), ("child", np.intp), ("lambda_val", np.float64), ("child_size", np.intp)]
)


class CondensedTree(Unpickled):
    """A condensed tree: clusters that split as the density grows, and points that leave them.

    Density is lambda, 1 / distance. A cluster ends where two or more clusters of at least
    ``min_cluster_size`` points separate; smaller groups leave it as single points. What separates
    at one density does so at once, and if exactly two clusters of different sizes do, the larger
    one has the points of smaller groups. `HDBSCAN` makes it; there is no other way to get one.

    Attributes
    ----------
    point_clusters : ndarray of int32, shape (n,)
        The cluster that each point leaves. Clusters are numbered from 0, the root, in the order of
        their births; those born at one density by the first points of their parents, then by
        their own. A parent comes before its children, which have consecutive numbers.
    point_lambdas : ndarray of float64, shape (n,)
        The density at which it leaves: inf for points at distance 0 from others, 0 for points at no
        finite distance.
    parents : ndarray of int32, shape (c,)
        The parent of each cluster; -1 for the root.
    births, deaths : ndarray of float64, shape (c,)
        The density at which each cluster begins, and the largest at which anything leaves it.
    sizes : ndarray of int32, shape (c,)
        Number of points of each cluster at its birth.
    stabilities : ndarray of float64, shape (c,)
        The excess of mass of each cluster.
    selected : ndarray of int32, shape (n_clusters,)
        The cluster of each label.

    Examples
    --------
    >>> import warpgraph as wg
    >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2], [40.0]]
    >>> tree = wg.cluster.HDBSCAN(min_cluster_size=3, min_samples=2).fit(X).condensed_tree_
    >>> tree
    CondensedTree(7 points, 3 clusters, 2 selected)
    >>> tree.parents.tolist(), tree.sizes.tolist()
    ([-1, 0, 0], [7, 3, 3])
    """

    def __init__(
        self, arrays: TreeArrays, selected: Array, finite_points: Array | None = None
    ) -> None:
        self._arrays = arrays
        self._finite_points = finite_points  # the points that are not missing; None: all
        self.point_clusters, self.point_lambdas = arrays[:2]
        self.parents, self.births, self.deaths, self.sizes, self.stabilities = arrays[2:]
        self.selected = selected

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.point_clusters)

    @property
    def n_clusters(self) -> int:
        """Number of clusters in the tree, the root included."""
        return len(self.parents)

    def __repr__(self) -> str:
        return (
            f"CondensedTree({self.n_points} points, {self.n_clusters} clusters, "
            f"{len(self.selected)} selected)"
        )

    def to_numpy(self) -> Array:
        """Return the tree as an array of rows ``(parent, child, lambda_val, child_size)``.

        As hdbscan has it: points are 0 .. n - 1, clusters n, n + 1, ...; n is the root. Rows of
        clusters come first.
        """
        n, c = self.n_points, self.n_clusters
        rows = np.empty(c - 1 + n, ROW)
        rows["parent"][: c - 1] = n + self.parents[1:]
        rows["child"][: c - 1] = n + np.arange(1, c)
        rows["lambda_val"][: c - 1] = self.births[1:]
        rows["child_size"][: c - 1] = self.sizes[1:]
        rows["parent"][c - 1 :] = n + self.point_clusters.astype(np.intp)
        rows["child"][c - 1 :] = np.arange(n)
        rows["lambda_val"][c - 1 :] = self.point_lambdas
        rows["child_size"][c - 1 :] = 1
        return rows

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows of `to_numpy` as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.to_numpy())

    def to_networkx(self) -> nx.DiGraph:
        """Return the tree as a graph: arcs have ``weight`` (lambda), nodes have ``size``."""
        import networkx as nx

        rows = self.to_numpy()
        graph = nx.DiGraph()
        ends = (rows["parent"].tolist(), rows["child"].tolist(), rows["lambda_val"].tolist())
        graph.add_weighted_edges_from(zip(*ends, strict=True))
        sizes = dict(zip(rows["child"].tolist(), rows["child_size"].tolist(), strict=True))
        nx.set_node_attributes(graph, {self.n_points: self.n_points, **sizes}, "size")
        return graph

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the tree; see `warpgraph.plot.condensed_tree`.

        options: max_leaves, select_clusters, label_clusters, log_size, cmap, colorbar and
        selection_palette.
        """
        from warpgraph import plot

        return plot.condensed_tree(self, ax=ax, **options)

    @cached_property
    def outlier_scores(self) -> npt.NDArray[np.float64]:
        """GLOSH scores: distances of points from the densest part below the cluster they leave.

        Missing points, rows with NaN or inf, have 1.
        """
        scores = np.empty(self.n_points)
        _core.outlier_scores(self._arrays, scores)
        if self._finite_points is not None:
            scores[missing.missing_of(self._finite_points, self.n_points)] = 1
        return scores

    @cached_property
    def exemplars(self) -> tuple[Array, Array]:
        """The points that leave each label's leaves last, label by label; where each begins."""
        points, begin = _core.exemplars(self._arrays, self.selected)
        return points, begin


def refuse_tiny(heights: Array) -> None:
    """Refuse the ascending heights of a dendrogram whose inverses, the densities, are infinite.

    Beside larger ones, distances without an inverse are as those of 0.
    """
    finite = heights[np.searchsorted(heights, 0, "right") : np.searchsorted(heights, np.inf)]
    if len(finite) and finite[-1] < 2.0**-1000 and finite[0] < 1 / np.finfo(np.float64).max:
        raise OverflowError(
            f"the distance {finite[0]:g} has an inverse, the density of a cluster, beyond the "
            "largest float64; multiply X by a number"
        )


def select(
    linkage: Array, finite_points: Array | None, selection: Selection
) -> tuple[CondensedTree, Array, Array, Array]:
    """Condense a dendrogram on the CPU, and select clusters.

    finite_points: the points that are not missing; None: all. Returns the tree, labels,
    probabilities and persistences.
    """
    n = len(linkage) + 1
    finite = missing.finite_linkage(linkage, finite_points)
    refuse_tiny(finite[:, 2])
    arrays_of_finite = _core.condense(finite, selection.min_cluster_size, selection.persistence)
    selected, *of_points, persistence = _core.select_clusters(arrays_of_finite, **selection.options)
    labels, probabilities = missing.with_missing(of_points, finite_points, n)
    arrays = missing.tree_with_missing(arrays_of_finite, finite_points, n)
    tree = CondensedTree(arrays, selected, finite_points)
    return tree, labels, probabilities, persistence
