"""Leiden and Louvain: the communities of a graph, as estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.points import as_real, shape_of
from warpgraph._communities.communities import leiden_communities, louvain_communities
from warpgraph._trees.precomputed import is_dense
from warpgraph.cluster._base import bases, feature_names

if TYPE_CHECKING:
    from typing_extensions import Self

    from warpgraph._arguments import types
    from warpgraph._communities.communities import Communities


class _OfGraph(*bases()):  # type: ignore[misc]  # which bases depends on the installation
    """An estimator whose `fit` takes a graph."""

    labels_: npt.NDArray[np.int32]
    n_clusters_: int
    quality_: float
    n_features_in_: int

    @hinted
    def fit(self, X: types.GraphLike, y: object = None) -> Self:
        """Find the communities of a graph.

        Parameters
        ----------
        X : sparse array or matrix, ndarray, networkx.Graph, or Graph
            The graph, as for the function.
        y : None
            Ignored; there for scikit-learn's conventions.

        Returns
        -------
        estimator
            Itself.
        """
        found = self._find(_weights_of(X) if is_dense(X) else X)
        self.labels_, self.n_clusters_ = found.labels, found.n_communities
        self.quality_ = found.quality
        shape = shape_of(X) if hasattr(X, "shape") else ()
        self.n_features_in_ = int(shape[1]) if len(shape) == 2 else len(found.labels)
        names = feature_names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what `fit` takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _find(self, X: Any) -> Communities:
        raise NotImplementedError


def _weights_of(X: Any) -> npt.NDArray[Any]:
    """Return an array of weights, of which 0 is no edge; all are finite and at least 0."""
    weights = as_real(X)
    if weights.size == 0:
        raise ValueError(
            f"the matrix of weights is empty: 0 feature(s) (shape={weights.shape}) while a minimum "
            "of 1 is required."
        )
    if weights.ndim != 2:
        raise ValueError(f"a matrix of weights must be square, got shape {weights.shape}")
    wrong = ~((weights >= 0) & (weights < np.inf))
    if wrong.any():
        row, column = divmod(int(wrong.argmax()), weights.shape[1])
        weight = weights[row, column]
        if np.isfinite(weight):
            raise ValueError(
                f"Negative values in data: the weight at ({row}, {column}) is {weight}"
            )
        raise ValueError(
            f"the weight at ({row}, {column}) is {'NaN' if np.isnan(weight) else weight}: weights "
            "must be finite"
        )
    if weights.shape[0] != weights.shape[1]:
        raise ValueError(f"a matrix of weights must be square, got shape {weights.shape}")
    return weights


class Leiden(_OfGraph):
    """Communities of a graph by the method of Leiden, as an estimator of scikit-learn.

    Parameters
    ----------
    resolution : float
        With more, there are more communities, which are smaller.
    quality : {"modularity", "cpm"}
        What is increased: modularity, or that of the constant Potts model.
    n_iterations : int
        How often the method runs, from the second time on beginning with the communities that it
        has found.
    seed : int
        The same seed gives the same result. Another may give others of about the same quality.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        The community of each vertex, numbered in the order of their smallest vertices.
    n_clusters_ : int
        Number of communities.
    quality_ : float
        The modularity of the partition, or what `quality` names.
    n_features_in_ : int
        Number of vertices.

    See Also
    --------
    warpgraph.leiden_communities : The same as a function; its notes define the qualities.

    Notes
    -----
    `fit` takes a graph whose entries say how strongly vertices are tied, not distances: of
    neighbours, ``KNeighborsTransformer(mode="connectivity")``.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> model = wg.cluster.Leiden().fit(graph)
    >>> model.labels_.tolist(), round(model.quality_, 3)
    ([0, 0, 0, 1, 1, 1], 0.357)
    """

    @hinted
    def __init__(
        self,
        resolution: float = 1.0,
        *,
        quality: types.PartitionQuality = "modularity",
        n_iterations: int = 2,
        seed: int = 0,
        unweighted: bool = False,
        weight: str | None = "weight",
        device: types.Device = "auto",
        memory_limit: validate.MemoryLimitLike = None,
        progress: validate.ProgressLike = None,
    ) -> None:
        self.resolution = resolution
        self.quality = quality
        self.n_iterations = n_iterations
        self.seed = seed
        self.unweighted = unweighted
        self.weight = weight
        self.device = device
        self.memory_limit = memory_limit
        self.progress = progress

    def _find(self, X: Any) -> Communities:
        return leiden_communities(X, **self.get_params())


class Louvain(_OfGraph):
    """Communities of a graph by the method of Louvain, as an estimator of scikit-learn.

    Parameters
    ----------
    resolution : float
        With more, there are more communities, which are smaller.
    quality : {"modularity", "cpm"}
        What is increased: modularity, or that of the constant Potts model.
    seed : int
        The same seed gives the same result. Another may give others of about the same quality.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        The community of each vertex, numbered in the order of their smallest vertices.
    n_clusters_ : int
        Number of communities.
    quality_ : float
        The modularity of the partition, or what `quality` names.
    n_features_in_ : int
        Number of vertices.

    See Also
    --------
    warpgraph.louvain_communities : The same as a function.
    Leiden : Communities that are connected.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> wg.cluster.Louvain().fit_predict(graph).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    @hinted
    def __init__(
        self,
        resolution: float = 1.0,
        *,
        quality: types.PartitionQuality = "modularity",
        seed: int = 0,
        unweighted: bool = False,
        weight: str | None = "weight",
        device: types.Device = "auto",
        memory_limit: validate.MemoryLimitLike = None,
        progress: validate.ProgressLike = None,
    ) -> None:
        self.resolution = resolution
        self.quality = quality
        self.seed = seed
        self.unweighted = unweighted
        self.weight = weight
        self.device = device
        self.memory_limit = memory_limit
        self.progress = progress

    def _find(self, X: Any) -> Communities:
        return louvain_communities(X, **self.get_params())
