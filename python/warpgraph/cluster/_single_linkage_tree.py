"""SingleLinkageTree: the dendrogram that HDBSCAN condenses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments.new_array import Unpickled
from warpgraph._trees.forest import SpanningForest
from warpgraph.cluster import _cut

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.axes import Axes

Array = npt.NDArray[Any]


class SingleLinkageTree(Unpickled):
    """The single-linkage dendrogram of mutual-reachability distances; `HDBSCAN` makes it.

    Examples
    --------
    >>> import warpgraph as wg
    >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2], [40.0]]
    >>> tree = wg.cluster.HDBSCAN(min_cluster_size=3, min_samples=2).fit(X).single_linkage_tree_
    >>> tree.get_clusters(10.0, min_cluster_size=3).tolist()
    [0, 0, 0, 0, 0, 0, -1]
    """

    def __init__(self, forest: SpanningForest, linkage: Array, rows: Array | None = None) -> None:
        self._forest = forest
        self._linkage = linkage
        self._rows = rows  # the points that are not missing; None: all

    def __repr__(self) -> str:
        return f"SingleLinkageTree({self._forest.n_vertices} points)"

    def to_numpy(self) -> npt.NDArray[np.float64]:
        """Return the linkage matrix in SciPy's format; see `single_linkage`."""
        return self._linkage

    def to_pandas(self) -> pd.DataFrame:
        """Return the joins as a data frame: ``parent, left_child, right_child, distance, size``."""
        import pandas as pd

        first, second = self._linkage[:, :2].astype(np.int64).T
        n = self._forest.n_vertices
        columns = {
            "parent": n + np.arange(n - 1),
            "left_child": first,
            "right_child": second,
            "distance": self._linkage[:, 2],
            "size": self._linkage[:, 3].astype(np.int64),
        }
        return pd.DataFrame(columns)

    def to_networkx(self) -> nx.DiGraph:
        """Return the joins as a graph: arcs to what is joined, with the height as ``weight``.

        As hdbscan has it: points, missing ones included, are 0 .. n - 1, joins n, n + 1, ...; nodes
        have ``size``.
        """
        import networkx as nx

        n = self._forest.n_vertices
        graph = nx.DiGraph()
        graph.add_nodes_from(range(n), size=1)
        rows = self._linkage.tolist()
        for join, (first, second, height, size) in enumerate(rows, n):
            graph.add_node(join, size=int(size))
            graph.add_edge(join, int(first), weight=height)
            graph.add_edge(join, int(second), weight=height)
        return graph

    def get_clusters(self, cut_distance: float, min_cluster_size: int = 5) -> npt.NDArray[np.int32]:
        """Return the labels of `HDBSCAN.dbscan_clustering`.

        After a fit with ``sample_weight``, the tree joins copies of rows, and each has a label.
        """
        return _cut.labels_below(self._forest, cut_distance, min_cluster_size, self._rows)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the top of the dendrogram; see `warpgraph.plot.dendrogram`.

        options: labels, threshold, max_leaves, min_cluster_size, cmap and colorbar.
        """
        from warpgraph import plot

        return plot.dendrogram(self._forest, linkage=self._linkage, ax=ax, **options)
