"""Base class of the estimators that cluster by a spanning tree."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.auto_device import WatchedProgress
from warpgraph._arguments.new_array import Unpickled
from warpgraph._arguments.points import shape_of
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.precomputed import is_graph
from warpgraph._trees.single_linkage import linkage_of
from warpgraph.cluster._base import bases, feature_names, not_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from scipy.spatial import cKDTree
    from typing_extensions import Self


Array = npt.NDArray[Any]


class Neighbours(NamedTuple):
    """Searches the finite points that were fitted."""

    tree: cKDTree  # of the points divided by 2 to the power of `exponent`
    rows: Array  # their numbers
    core_distances: Array  # of all points; inf: not finite
    exponent: int


class OfTree(Unpickled):
    """Data of a tree alone, computed at first use; all estimators that cut the tree share it."""

    linkage: npt.NDArray[np.float64] | None = None
    neighbours: Neighbours | None = None
    core_distances: Array | None = None  # of a metric that is a function, found with the tree


class TreeClustering(*bases()):  # type: ignore[misc]  # which bases depends on the installation
    """An estimator with a spanning tree, its dendrogram, and clusters that are cuts of it."""

    labels_: npt.NDArray[np.int32]
    n_features_in_: int
    mst_: SpanningForest
    metric: Any
    device: Any
    memory_limit: validate.MemoryLimitLike
    progress: validate.ProgressLike
    _of_tree: OfTree

    if TYPE_CHECKING:  # a base class has it

        def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> npt.NDArray[np.int32]: ...

    @property
    def linkage_(self) -> npt.NDArray[np.float64]:
        """The dendrogram in SciPy's format, computed at first use."""
        self._require_fit()
        of_tree = self._of_tree
        if of_tree.linkage is None:
            of_tree.linkage = self._link()
        return of_tree.linkage

    @property
    def children_(self) -> npt.NDArray[np.int64]:
        """The two clusters that each row of `linkage_` joins."""
        return self.linkage_[:, :2].astype(np.int64)

    @property
    def distances_(self) -> npt.NDArray[np.float64]:
        """The height of each row of `linkage_`."""
        return np.array(self.linkage_[:, 2])

    def plot_tree(
        self, X: npt.ArrayLike | None = None, ax: Axes | None = None, **options: Any
    ) -> Axes:
        """Draw points coloured by cluster, and the tree; see `warpgraph.plot.tree`.

        `X` are the points, or positions for the vertices of a graph; without it, those
        are the graph's coordinates, or the tree is laid out by `warpgraph.plot.layout`. options:
        axes.
        """
        from warpgraph import plot

        self._require_fit()
        return plot.tree(X, self.mst_, self.labels_, ax=ax, **options)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what `fit` takes."""
        tags = super().__sklearn_tags__()
        precomputed = self.metric == "precomputed"
        tags.input_tags.pairwise = precomputed
        tags.input_tags.sparse = precomputed
        tags.input_tags.positive_only = precomputed
        return tags

    def _link(self) -> npt.NDArray[np.float64]:
        linkage: npt.NDArray[np.float64] = linkage_of(self.mst_, self.device)
        return linkage

    def _require_fit(self) -> None:
        if not hasattr(self, "n_features_in_"):
            raise not_fitted(self)

    def _note_features(self, X: Any) -> None:
        shape = () if is_graph(X) else shape_of(X)
        self.n_features_in_ = int(shape[1]) if len(shape) == 2 else self.mst_.n_vertices
        names = feature_names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _options(self, ledger: _core.Ledger | None = None) -> dict[str, Any]:
        """Return the options of a part of a fit, which may take what is left in its ledger."""
        report, limit = self.progress, None if ledger is None else ledger.on_host()
        return {
            "device": self.device,
            "memory_limit": limit or validate.memory_limit(self.memory_limit) or None,
            "progress": WatchedProgress(report) if callable(report) else report,
        }

    @contextlib.contextmanager
    def _unchanged_if_refused(self) -> Iterator[None]:
        """Restore all attributes after an error."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _take(self, forest: SpanningForest) -> None:
        self.mst_ = forest
        self._of_tree = OfTree()

    def _with_same_tree(self, **parameters: Any) -> Self:
        """Return an estimator that shares the fit and has other parameters, for another cut."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__, **parameters)
        return other
