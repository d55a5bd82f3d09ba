"""HDBSCAN on a GPU: tree, dendrogram, clusters and labels stay there until they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core, _validate
from warpgraph._emst import euclidean_mst, work_of_tree
from warpgraph._forest import SpanningForest
from warpgraph._points import device_for, on_host, points_anywhere, shape_of
from warpgraph.cluster._condensed_tree import CondensedTree

if TYPE_CHECKING:
    from warpgraph.cluster._hdbscan_options import Selection

Array = npt.NDArray[Any]


class DeviceFit:
    """The tree of at least two points, its dendrogram, and clusters that were selected in it.

    Parameters
    ----------
    points
        Finite points, in host memory or on the device.
    device
        A CUDA device.
    options
        Of `euclidean_mst`.
    """

    def __init__(self, points: Any, device: str, **options: Any) -> None:
        self.where = device
        self.n = int(shape_of(points)[0])
        self._edges = self._room((self.n - 1, 2), np.int32)
        self._weights = self._room(self.n - 1, np.float64)
        euclidean_mst(points, device=device, out=(self._edges, self._weights), **options)
        self._linkage = self._room((self.n - 1, 4), np.float64)
        _core.single_linkage(self.n, self._edges, self._weights, self._linkage, "auto", device)

    def select(
        self, selection: Selection, memory_limit: int, out: tuple[Any, Any] | None, stays: bool
    ) -> Array:
        """Select clusters; return their persistences.

        Labels and probabilities are written to `out`. Without it, they stay on the device if
        `stays`, and come to the host otherwise.
        """
        points = (self._room(self.n, np.int32), self._room(self.n, np.float64))
        parts, least_lambda = _core.condense_on_device(
            self._linkage, selection.min_cluster_size, points, self.where, memory_limit
        )
        if out is None:
            room = self._room if stays else np.empty
            out = (room(self.n, np.int32), room(self.n, np.float64))
        selected, persistence = _core.select_clusters_on_device(
            parts, least_lambda, points, *out, self.where, **selection.options
        )
        self._points, self._parts, self._selected, self._found = points, parts, selected, out
        return persistence

    @property
    def n_clusters(self) -> int:
        """Number of selected clusters."""
        return len(self._selected)

    def linkage(self) -> npt.NDArray[np.float64]:
        """Return the dendrogram in SciPy's format."""
        return self._read(self._linkage)

    def forest(self) -> SpanningForest:
        """Return the tree."""
        return SpanningForest._found(
            self.n, self._read(self._edges), self._read(self._weights), None
        )

    def labels(self) -> npt.NDArray[np.int32]:
        """Return the labels of the points."""
        return self._read(self._found[0])

    def probabilities(self) -> npt.NDArray[np.float64]:
        """Return how central each point is in its cluster."""
        return self._read(self._found[1])

    def condensed_tree(self) -> CondensedTree:
        """Return the condensed tree."""
        clusters, lambdas = map(self._read, self._points)
        return CondensedTree((clusters, lambdas, *self._parts), self._selected)

    def _read(self, array: Any) -> Array:
        """Return an array of ours or of the caller as NumPy array."""
        if isinstance(array, np.ndarray):
            return array
        return _core.copy_to_host(array, self.where)

    def _room(self, shape: Any, dtype: type) -> Any:
        return _core.device_array(shape, np.dtype(dtype), self.where)


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


class ReadsFromDevice:
    """An estimator some of whose attributes are copied from a device when they are first read."""

    mst_: SpanningForest = _read(DeviceFit.forest)
    labels_: npt.NDArray[np.int32] = _read(DeviceFit.labels)
    probabilities_: npt.NDArray[np.float64] = _read(DeviceFit.probabilities)
    condensed_tree_: CondensedTree = _read(DeviceFit.condensed_tree)
    _device_fit: DeviceFit | None

    def __getstate__(self) -> Any:
        """Return what is pickled: all attributes, on the host."""
        fit = self.__dict__.get("_device_fit")
        if fit is not None:
            for name in READ:
                getattr(self, name)
            self.__dict__["_linkage"] = fit.linkage()
        state = super().__getstate__() | {"_device_fit": None}  # type: ignore[misc]
        if _validate.is_device_array(state.get("_points")):
            state["_points"] = on_host(points_anywhere(state["_points"]))
        return state

    def _forget(self, *names: str) -> None:
        """Remove attributes that are replaced."""
        for name in names:
            self.__dict__.pop(name, None)


#: The attributes that are copied.
READ = ("mst_", "labels_", "probabilities_", "condensed_tree_")


def device_of_fit(points: Any, rows: Array | None, metric: str, device: Any, out: Any) -> str:
    """Return the CUDA device that finds the clusters, or "cpu"."""
    shape = shape_of(points)
    if metric != "euclidean" or rows is not None or len(shape) != 2 or shape[0] < 2:
        return "cpu"
    places = out if isinstance(out, tuple) else ()
    there = next((place for place in places if _validate.is_device_array(place)), None)
    if device == "auto" and there is not None:
        device = _validate.device_of(there)
    return device_for(points_anywhere(points), device, **work_of_tree(*shape))


def results_for(out: Any, n: int, where: str) -> tuple[Any, Any] | None:
    """Return the arrays of `out` if labels and probabilities of n points can be written to them."""
    if out is None:
        return None
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(
            f"out must be a pair (labels, probabilities) of arrays, got {type(out).__name__}"
            + (f" of {len(out)}" if isinstance(out, tuple) else "")
        )
    for i, (place, kind) in enumerate(zip(out, (np.int32, np.float64), strict=True)):
        name = f"out[{i}]"
        if _validate.is_device_array(place):
            _validate.same_device(place, where, name)
            _validate.device_output(place, (n,), np.dtype(kind), name)
        elif place is None:
            raise TypeError(f"{name} must be an array, got None")
        else:
            _validate.output(place, (n,), np.dtype(kind), name)
    return out
