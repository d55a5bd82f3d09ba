"""HDBSCAN on a GPU: tree, dendrogram, clusters and labels stay there until they are read."""

from __future__ import annotations

import contextlib
import copy
import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, foreign, outputs, validate
from warpgraph._arguments.points import DevicePoints, RowOnDevice, on_host
from warpgraph._trees.emst import tree_of_points
from warpgraph._trees.forest import SpanningForest
from warpgraph._trees.precomputed import is_dense, is_graph
from warpgraph.cluster._condensed_tree import CondensedTree, refuse_tiny
from warpgraph.cluster._density.reachability import Reachability
from warpgraph.cluster._single_linkage_tree import SingleLinkageTree
from warpgraph.cluster._tree_clustering import Neighbours, OfTree, TreeClustering

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Self

    from warpgraph.cluster._density.copies import Copies
    from warpgraph.cluster._density.hdbscan_options import Selection

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]


class _Found(NamedTuple):
    """Clusters that were selected."""

    points: tuple[Any, Any]  # where each leaves the condensed tree, on the device
    parts: tuple[Array, Array, Array, Array, Array]  # the clusters of the condensed tree
    selected: Array  # of each label: its cluster
    persistence: Array  # of each label
    results: tuple[Any, Any]  # labels and probabilities


class DeviceFit:
    """The dendrogram of a tree on a CUDA device, and clusters that were selected in it.

    Parameters
    ----------
    n
        Number of points, at least two.
    edges, weights
        The tree, lightest edge first, in host memory or on the device; weights are finite, float64.
    device
        A CUDA device.
    """

    def __init__(self, n: int, edges: Any, weights: Any, device: str) -> None:
        self.where = device
        self.n = n
        self._edges, self._weights = edges, weights
        self._on_host: dict[str, SpanningForest] = {}
        self._linkage = _core.device_array((n - 1, 4), np.dtype(np.float64), device)
        _core.single_linkage(n, edges, weights, self._linkage, "auto", device)

    def with_same_tree(self) -> DeviceFit:
        """Return a fit that shares the tree, for other clusters."""
        return copy.copy(self)

    def select(
        self, selection: Selection, ledger: _core.Ledger, out: tuple[Any, Any] | None, stays: bool
    ) -> Array:
        """Select clusters; return their persistences.

        Labels and probabilities are written to `out`. Without it, they stay on the device if
        `stays`, and come to the host otherwise.
        """
        if out is None:
            room = self._room if stays else np.empty
            out = (room(self.n, np.int32), room(self.n, np.float64))
        self._found = self._find(selection, ledger, self._point_places(), out)
        return self._found.persistence

    def sweep(
        self,
        sizes: Array,
        selection: Selection,
        ledger: _core.Ledger,
        out: tuple[Any, Any],
        progress: Callable[[int, int], Any] | None,
    ) -> npt.NDArray[np.int32]:
        """Write the clusters of each least size to a row of both arrays; return their numbers."""
        n_clusters = np.empty(len(sizes), np.int32)
        points = self._point_places()
        for i, size in enumerate(sizes.tolist()):
            rows = (_row(out[0], i), _row(out[1], i))
            chosen = selection._replace(min_cluster_size=size)
            n_clusters[i] = len(self._find(chosen, ledger, points, rows).selected)
            if progress is not None:
                progress(i + 1, len(sizes))
        return n_clusters

    def _find(
        self,
        selection: Selection,
        ledger: _core.Ledger,
        points: tuple[Any, Any],
        out: tuple[Any, Any],
    ) -> _Found:
        """Select clusters; fill `points` and `out`."""
        parts, least_lambda = _core.condense_on_device(
            self._linkage, selection.min_cluster_size, points, self.where, ledger
        )
        if least_lambda > 2.0**1000:
            refuse_tiny(self._read(self._linkage)[:, 2])
        selected, persistence = _core.select_clusters_on_device(
            parts, least_lambda, points, *out, self.where, **selection.options
        )
        return _Found(points, parts, selected, persistence, out)

    @property
    def n_clusters(self) -> int:
        """Number of selected clusters."""
        return len(self._found.selected)

    def linkage(self) -> npt.NDArray[np.float64]:
        """Return the dendrogram in SciPy's format."""
        return self._read(self._linkage)

    def forest(self) -> SpanningForest:
        """Return the tree, which is copied once."""
        if "forest" not in self._on_host:
            parts = self._read(self._edges), self._read(self._weights)
            self._on_host["forest"] = SpanningForest._found(self.n, *parts, None, maximum=False)
        return self._on_host["forest"]

    def labels(self) -> npt.NDArray[np.int32]:
        """Return the labels of the points."""
        return self._read(self._found.results[0])

    def probabilities(self) -> npt.NDArray[np.float64]:
        """Return how central each point is in its cluster."""
        return self._read(self._found.results[1])

    def condensed_tree(self) -> CondensedTree:
        """Return the condensed tree."""
        clusters, lambdas = map(self._read, self._found.points)
        return CondensedTree((clusters, lambdas, *self._found.parts), self._found.selected)

    def _point_places(self) -> tuple[Any, Any]:
        return self._room(self.n, np.int32), self._room(self.n, np.float64)

    def _read(self, array: Any) -> Array:
        """Return an array of ours or of the caller as NumPy array."""
        if isinstance(array, np.ndarray):
            return array
        return _core.copy_to_host(array, self.where)

    def _room(self, shape: Any, dtype: type) -> Any:
        return _core.device_array(shape, np.dtype(dtype), self.where)


def fit_of_points(points: Array | DevicePoints, device: str, **options: Any) -> DeviceFit:
    """Return the fit of at least two finite points, in host memory or on the device.

    options: of `tree_of_points`.
    """
    n = len(points)
    edges = _core.device_array((n - 1, 2), np.dtype(np.int32), device)
    weights = _core.device_array(n - 1, np.dtype(np.float64), device)
    tree_of_points(points, device, (edges, weights), **options)
    return DeviceFit(n, edges, weights, device)


def fit_of_forest(forest: SpanningForest, where: str) -> DeviceFit | None:
    """Return the fit of a forest with its edges in ascending order; None: the CPU has to do it.

    A device takes a single tree of finite weights.
    """
    if where == "cpu":
        return None
    reason = _reason_for_cpu(forest)
    if reason is not None:
        logger.info("the clusters are found on the CPU, not on %s: %s", where, reason)
        return None
    weights = validate.in_place(forest.weights, np.float64)
    return DeviceFit(forest.n_vertices, forest.edges, weights, where)


def _reason_for_cpu(forest: SpanningForest) -> str | None:
    if forest.n_vertices < 2:
        return "there is a single point"
    if forest.n_trees > 1:
        return f"the points are in {forest.n_trees} components that no distance connects"
    if np.isinf(forest.weights[-1]):
        return "the tree has distances of inf"
    return None


def _row(matrix: Any, row: int) -> Any:
    return matrix[row] if isinstance(matrix, np.ndarray) else RowOnDevice(matrix, row)


class _Read:
    """An attribute of an estimator that is copied from a device when it is first read."""

    def __init__(self, read: Callable[[DeviceFit], Any]) -> None:
        self._read = read

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: Any, owner: type) -> Any:
        """Return the copy, which replaces this in the estimator."""
        fit = None if model is None else model.__dict__.get("_device_fit")
        if fit is None:
            name = owner.__name__
            raise AttributeError(f"{name!r} object has no attribute {self._name!r}")
        value = self._read(fit)
        setattr(model, self._name, value)
        return value


def _read(read: Callable[[DeviceFit], Any]) -> Any:
    return _Read(read)


class DensityFit(TreeClustering):
    """A fit of HDBSCAN; attributes are copied from a device when they are first read."""

    mst_: SpanningForest = _read(DeviceFit.forest)
    labels_: npt.NDArray[np.int32] = _read(DeviceFit.labels)
    probabilities_: npt.NDArray[np.float64] = _read(DeviceFit.probabilities)
    condensed_tree_: CondensedTree = _read(DeviceFit.condensed_tree)
    _points: Array | DevicePoints | None  # of the metric: unit vectors for "cosine"
    _rows: Array | None  # the numbers of the finite points; None: all
    _copies: Copies | None  # of the rows that were fitted; None: each row once
    _reach: Reachability  # predictions use it, whatever the parameters are then
    _epsilon: float  # of the clusters, for predictions
    _device_fit: DeviceFit | None
    n_clusters_: int
    cluster_persistence_: npt.NDArray[np.float64]
    centroids_: npt.NDArray[np.float64]
    medoids_: npt.NDArray[np.float64]
    store_centers: str | None

    def __getstate__(self) -> Any:
        """Return what is pickled: all attributes, on the host."""
        fit = self.__dict__.get("_device_fit")
        if fit is not None:
            for name in READ:
                getattr(self, name)
            if self._of_tree.linkage is None:
                self._of_tree.linkage = fit.linkage()
        state = super().__getstate__() | {"_device_fit": None}
        return state | {"_points": on_host(state["_points"])} if "_points" in state else state

    @property
    def single_linkage_tree_(self) -> SingleLinkageTree:
        """The dendrogram of the mutual-reachability distances."""
        self._require_fit()
        return SingleLinkageTree(self.mst_, self.linkage_, self._rows)

    @property
    def outlier_scores_(self) -> npt.NDArray[np.float64]:
        """Distance of each point from the densest part of its cluster, as a score in 0..1."""
        self._require_fit()
        return self._of_rows(self.condensed_tree_.outlier_scores, 1)

    def plot_condensed_tree(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the clusters at every density; see `warpgraph.plot.condensed_tree`.

        options: max_leaves, select_clusters, label_clusters, log_size, cmap, colorbar and
        selection_palette.
        """
        self._require_fit()
        return self.condensed_tree_.plot(ax=ax, **options)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what `fit` takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.metric != "precomputed"
        return tags

    def _of_rows(self, values: Array, none: float) -> Array:
        """Return values of rows instead of their copies, along the last axis."""
        return values if self._copies is None else self._copies.by_row(values, none)

    def _keep_rows(self) -> None:
        """Replace the results of copies of rows by those of the rows."""
        if self._copies is not None:
            self.labels_ = self._of_rows(self.labels_, -1)
            self.probabilities_ = self._of_rows(self.probabilities_, 0)

    @property
    def _neighbours(self) -> Neighbours | None:
        return self._of_tree.neighbours

    @_neighbours.setter
    def _neighbours(self, found: Neighbours | None) -> None:
        self._of_tree.neighbours = found

    def _with_same_tree(self, **parameters: Any) -> Self:
        """Return another cut of the tree, without the centres, which are of the clusters before."""
        other = super()._with_same_tree(**parameters)
        other._forget("centroids_", "medoids_")
        if self._device_fit is not None:
            other._device_fit = self._device_fit.with_same_tree()
        return other

    def _forget(self, *names: str) -> None:
        """Remove attributes that are replaced."""
        for name in names:
            self.__dict__.pop(name, None)

    def _forget_fit(self) -> None:
        """Remove all attributes of a fit: their names end in an underscore."""
        self._forget(*[name for name in self.__dict__ if name.endswith("_")])
        self._points = self._rows = self._device_fit = self._copies = None
        self._of_tree = OfTree()

    @contextlib.contextmanager
    def _new_fit(self) -> Iterator[None]:
        """Remove the fit before, whose memory the new one may need, and all after an error."""
        self._forget_fit()
        try:
            yield
        except BaseException:
            self._forget_fit()
            raise


#: The attributes that are copied.
READ = ("mst_", "labels_", "probabilities_", "condensed_tree_")


def device_for_results(device: Any, out: Any) -> Any:
    """Return the `device=` argument, or the device of `out` if that is "auto" and `out` on one."""
    there = next(filter(foreign.is_on_device, out), None) if isinstance(out, tuple) else None
    is_auto = _device.is_named(device, "auto")
    return foreign.device_of(there) if is_auto and there is not None else device


def device_for_distances(X: Any, device: Any) -> Any:
    """Return the `device=` argument for the tree of `X`; full matrices are read on the CPU."""
    if is_graph(X) or not is_dense(X):
        return device
    if (where := _device.resolve(device)) != "cpu":
        logger.info("the tree of a full matrix is found on the CPU, not on %s", where)
    return "cpu"


def results_for(out: Any, shape: tuple[int, ...], where: str, *read: Any) -> tuple[Any, Any] | None:
    """Return the arrays of `out` if labels and probabilities can be written to them.

    They share no memory with each other, nor with the arrays `read`.
    """
    if out is None:
        return None
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(
            f"out must be a pair (labels, probabilities) of arrays, got {type(out).__name__}"
            + (f" of {len(out)}" if isinstance(out, tuple) else "")
        )
    results: tuple[Any, Any] = foreign.view_of_out(out)
    for i, (place, kind) in enumerate(zip(results, (np.int32, np.float64), strict=True)):
        name = f"out[{i}]"
        if foreign.is_on_device(place):
            outputs.same_device(place, where, name)
            outputs.on_device(place, shape, np.dtype(kind), name)
        elif place is None:
            raise TypeError(f"{name} must be an array, got None")
        else:
            outputs.on_host(place, shape, np.dtype(kind), name)
    outputs.refuse_overlap((*results, *read))
    return results
