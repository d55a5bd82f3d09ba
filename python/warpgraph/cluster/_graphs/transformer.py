"""KNeighborsTransformer: points to the graph of their nearest neighbours, in a pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.new_array import ones
from warpgraph._arguments.points import shape_of
from warpgraph._trees import knn
from warpgraph._trees.neighbours import metrics, queries
from warpgraph._trees.neighbours.metrics import MetricPoints
from warpgraph.cluster._base import (
    feature_names,
    not_fitted,
    require_features,
    transformer_bases,
)

if TYPE_CHECKING:
    from warpgraph._arguments import types


class KNeighborsTransformer(*transformer_bases()):  # type: ignore[misc]  # as installed
    """Points to the sparse graph of their nearest neighbours, for estimators that take such graphs.

    As scikit-learn's class of that name: its result is what ``metric="precomputed"`` takes there,
    what scanpy's ``neighbors`` takes as ``transformer=``, and what estimators here do.

    Parameters
    ----------
    n_neighbors : int
        The number of neighbours without the point itself. In mode "distance", rows have one more
        entry, so that a point is among its own neighbours, at distance 0.
    mode : {"distance", "connectivity"}
        What entries are: distances, or 1.
    metric : str or callable
        As for `kneighbors_graph`, but not "precomputed".
    p : float
        The exponent of the metric "minkowski", at least 1.
    device : str
        Where to run; see `warpgraph.devices`. `transform` runs on the CPU.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of points that were fitted.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : ndarray of str
        Names of the columns, if `X` was a data frame whose columns are all named by strings.

    See Also
    --------
    kneighbors_graph : The same as a function.

    Notes
    -----
    Rows are sorted by distance, as scikit-learn wants them. The result is a sparse matrix, since
    scanpy does not take sparse arrays. Neighbours are exact, and the same on every device. The
    points that were fitted are kept, not copied: they must not be changed.

    Examples
    --------
    >>> import warpgraph as wg
    >>> transformer = wg.cluster.KNeighborsTransformer(n_neighbors=1)
    >>> transformer.fit_transform([[0.0], [1.0], [5.0]]).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 4.0, 0.0]]
    >>> transformer.transform([[4.0]]).toarray().tolist()
    [[0.0, 3.0, 1.0]]
    """

    n_samples_fit_: int
    n_features_in_: int

    @hinted
    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        mode: str = "distance",
        metric: types.MetricLike = "euclidean",
        p: float = 2.0,
        device: types.Device = "auto",
        memory_limit: validate.MemoryLimitLike = None,
        progress: validate.ProgressLike = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.mode = mode
        self.metric = metric
        self.p = p
        self.device = device
        self.memory_limit = memory_limit
        self.progress = progress

    def fit(self, X: types.ArrayLike, y: object = None) -> KNeighborsTransformer:
        """Take the points among which neighbours are searched.

        Parameters
        ----------
        X : array_like, shape (n, d)
            The points, as for `kneighbors_graph`.
        y : None
            Ignored; there for scikit-learn's conventions.

        Returns
        -------
        KNeighborsTransformer
            Itself.
        """
        validate.choice(self.mode, knn.MODES, "mode")
        validate.positive(self.n_neighbors, "n_neighbors")
        points = metrics.points_of(X, metrics.metric_of_points(self.metric, self.p))
        self._take(X, points)
        return self

    def transform(self, X: types.ArrayLike) -> sp.csr_matrix:
        """Return the graph from each row of `X` to its nearest neighbours among those fitted.

        Parameters
        ----------
        X : array_like, shape (n_queries, d)
            Points. Those that were fitted have themselves, or points equal to them, as neighbours.

        Returns
        -------
        csr_matrix of float64, shape (n_queries, n_fitted)
            Rows of `n_neighbors` entries, or one more in mode "distance", nearest first.
        """
        if not hasattr(self, "n_samples_fit_"):
            raise not_fitted(self)
        _device.require_cpu(self.device, "transform")
        shape = shape_of(X)
        if len(shape) == 2:
            require_features(self, X, int(shape[1]))
        fitted = queries.points_on_host(self._points)
        k = self._row_length()
        others = metrics.points_of(X, fitted.metric, fitted=fitted)
        found = queries.search_queries(fitted, others, k, self.memory_limit, self.progress)
        return self._as_matrix(found.indices, found.distances)

    def fit_transform(self, X: types.ArrayLike, y: object = None) -> sp.csr_matrix:
        """Fit to `X` and return the graph of its points: each is its own first neighbour.

        Parameters
        ----------
        X : array_like, shape (n, d)
            The points.
        y : None
            Ignored; there for scikit-learn's conventions.

        Returns
        -------
        csr_matrix of float64, shape (n, n)
            Rows as of `transform`; of identical points, each has itself first.
        """
        self.fit(X)
        found = queries.nearest_neighbors(
            X,
            self._row_length(),
            metric=self.metric,
            p=self.p,
            device=self.device,
            memory_limit=self.memory_limit,
            progress=self.progress,
        )
        return self._as_matrix(found.indices, found.distances)

    @property
    def _n_features_out(self) -> int:
        return self.n_samples_fit_  # columns that transform returns

    def _take(self, X: Any, points: MetricPoints) -> None:
        self._points = points
        self.n_samples_fit_ = len(points)
        self.n_features_in_ = points.n_coordinates
        names = feature_names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _row_length(self) -> int:
        k = validate.positive(self.n_neighbors, "n_neighbors") + (self.mode == "distance")
        if k > self.n_samples_fit_:
            most = self.n_samples_fit_ - (self.mode == "distance")
            raise ValueError(
                f"n_neighbors must be at most {most} in mode {self.mode!r} for n_samples = "
                f"{self.n_samples_fit_}, got {self.n_neighbors}"
            )
        return k

    def _as_matrix(self, indices: Any, distances: Any) -> sp.csr_matrix:
        n, k = indices.shape
        index = np.int32 if n * k < 2**31 else np.int64
        data = distances.ravel() if self.mode == "distance" else ones(n * k)
        indptr = np.arange(0, n * k + 1, k, dtype=index)
        columns = indices.ravel().astype(index, copy=False)
        return sp.csr_matrix((data, columns, indptr), shape=(n, self.n_samples_fit_))
