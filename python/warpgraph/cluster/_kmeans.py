"""KMeans: each cluster is the points nearest to one of k means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core, _validate
from warpgraph._auto_device import falls_back_if_memory_lacks
from warpgraph._points import DevicePoints, device_for, on_host, points_anywhere
from warpgraph.cluster._base import bases, feature_names, not_fitted, require_features

Array = npt.NDArray[Any]
Points = Array | DevicePoints

STARTS = ("farthest", "random", "first")

#: Multiplications of `transform` between two checks for Ctrl-C.
_AT_ONCE = 1 << 22
#: Smallest number of multiplications per iteration for which an available GPU beats the cores
#: although the points must be copied to it. Measured: benchmarks/.
_WORTH_A_GPU = 1 << 26


class KMeans(*bases(transforms=True)):  # type: ignore[misc]  # which bases depends on the installation
    """Clusters by k centres, each the mean of the points nearest to it.

    For comparison with `MSTClustering`: these clusters are convex, of similar extent, and always
    `n_clusters` in number; noise between them does little harm.

    Parameters
    ----------
    n_clusters : int
        Number of centres.
    init : {"farthest", "random", "first"} or array_like, shape (n_clusters, d)
        Which points the centres start from. "farthest": points far apart, namely the one farthest
        from the mean, then again and again the one farthest from all chosen before. "random":
        different rows drawn by `random_state`. "first": the first rows. Or the centres themselves.
    max_iter : int
        Most iterations; in each, points go to their nearest centre and centres to their mean.
    tol : float
        Ends when the squared moves of all centres sum to at most `tol` times the mean variance of
        the columns. 0: ends when no point changes its centre.
    random_state : int, numpy.random.Generator, numpy.random.RandomState, optional
        Source of random numbers for ``init="random"``. An integer draws the same rows every time.
    device : str
        Where to run; see `warpgraph.devices`. "auto": where points on a device are, else a GPU for
        many points.
    memory_limit : int, float or str, optional
        Bytes, or a size such as "2GB" or "512 MiB", of scratch memory that may be used there; by
        default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts iterations.

    Attributes
    ----------
    cluster_centers_ : ndarray, shape (n_clusters, d)
        The centres, in the type of the points.
    labels_ : ndarray of int32, shape (n,)
        The centre nearest to each point; of equally near ones the first.
    inertia_ : float
        Sum of the squared distances between points and their centres.
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : ndarray of str
        Names of the columns, if `X` was a data frame whose columns are all named by strings.

    Notes
    -----
    Lloyd's algorithm [1]_, O(n d n_clusters) time an iteration at most: float32 and float64 points
    are used as they are, other numbers become float64. `X` may also be an array in the memory of a
    GPU, such as CuPy's, and stays there. The result is the same on every device and with any number
    of threads. Squared distances that overflow are an OverflowError. On the CPU, distances that
    cannot matter are not computed [2]_. Points far apart to start from are found as in [3]_.

    A centre that no point is nearest to moves to the point that is farthest from its own centre.
    With fewer distinct points than clusters, centres without points remain, with a warning.

    References
    ----------
    .. [1] Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28,
       1982.
    .. [2] Hamerly, "Making k-means even faster", SIAM Data Mining 2010.
    .. [3] Gonzalez, "Clustering to minimize the maximum intercluster distance", Theoretical
       Computer Science 38, 1985.

    Examples
    --------
    >>> import warpgraph as wg
    >>> model = wg.cluster.KMeans(2).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> model.labels_.tolist()
    [0, 0, 1, 1]
    >>> model.cluster_centers_.tolist()
    [[0.5], [9.5]]
    """

    cluster_centers_: Array
    labels_: npt.NDArray[np.int32]
    inertia_: float
    n_iter_: int
    n_features_in_: int

    def __init__(
        self,
        n_clusters: int = 8,
        init: Any = "farthest",
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: Any = None,
        device: Any = "auto",
        *,
        memory_limit: _validate.MemoryLimitLike = None,
        progress: _validate.ProgressLike = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.device = device
        self.memory_limit = memory_limit
        self.progress = progress

    if TYPE_CHECKING:  # a base class has it

        def fit_predict(self, X: Any, y: Any = None) -> npt.NDArray[np.int32]: ...

    def fit(self, X: Any, y: Any = None) -> KMeans:
        """Find the centres of `X`.

        Parameters
        ----------
        X : array_like, shape (n, d)
            The points, in host memory or on a GPU.
        y : None
            Ignored; there for scikit-learn's conventions.

        Returns
        -------
        KMeans
            Itself.
        """
        n_clusters = _validate.positive(self.n_clusters, "n_clusters")
        max_iter = _validate.count(self.max_iter, "max_iter", least=1, most=2**31 - 1)
        tol = _tolerance(self.tol)
        limit = _validate.memory_limit(self.memory_limit)
        report = _validate.progress(self.progress, "k-means")
        points = points_anywhere(X)
        if n_clusters > len(points):
            raise ValueError(
                f"n_clusters={n_clusters} is more than there are points: n_samples={len(points)}"
            )
        rows: Array = np.arange(n_clusters)
        if isinstance(self.init, str) and self.init == "random":
            rows = _draw(self.random_state, len(points), n_clusters)
        if tol > 0:
            with np.errstate(all="ignore"):  # overflows are checked in the result
                tol *= float(np.mean(np.var(on_host(points), axis=0, dtype=np.float64)))
        centres, labels, inertia, n_iter, n_used = self._search(
            points, rows, limit, progress=report, max_iterations=max_iter, tolerance=tol
        )
        _refuse_overflow(points.dtype, centres, inertia)
        self.cluster_centers_, self.labels_ = centres, labels
        self.inertia_, self.n_iter_ = inertia, n_iter
        self._note_features(X, points)
        _warn_of_empty(n_used, n_clusters)
        return self

    def predict(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the number of the centre nearest to each point, shape (n,)."""
        return self._nearest(X)[0]

    def transform(self, X: Any) -> Array:
        """Return the distance of each point to every centre, shape (n, n_clusters)."""
        from scipy.spatial.distance import cdist

        points = on_host(self._points_like_those_fitted(X))
        centres = np.asarray(self.cluster_centers_, np.float64)
        limit = _validate.memory_limit(self.memory_limit)
        needed = len(points) * len(centres) * points.itemsize
        _validate.require_memory("the distances", needed, "cpu", limit, "pass fewer points")
        distances = np.empty((len(points), len(centres)), points.dtype)
        rows = max(_AT_ONCE // centres.size, 1)
        for first in range(0, len(points), rows):
            distances[first : first + rows] = cdist(points[first : first + rows], centres)
        return distances

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Fit to `X` and return the distance of each point to every centre."""
        return self.fit(X).transform(X)

    def score(self, X: Any, y: Any = None) -> float:
        """Return minus the sum of squared distances between points and their nearest centres."""
        return -self._nearest(X)[1]

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)  # columns that transform returns

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what `transform` keeps."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _where(self, points: Points, n_centres: int) -> str:
        work = points.shape[0] * points.shape[1] * n_centres
        return device_for(points, self.device, work=work, worthwhile=_WORTH_A_GPU)

    @falls_back_if_memory_lacks
    def _search(
        self, points: Points, rows: Array, limit: int, *, progress: Any, **until: Any
    ) -> Any:
        where = self._where(points, len(rows))
        start = self._start(points, rows, where)
        return _core.kmeans(_raw(points), start, where, limit, progress, **until)

    def _start(self, points: Points, rows: Array, where: str) -> Array:
        """Return the first centres; `rows` are the first ones, or drawn."""
        if not isinstance(self.init, str):
            return _given_centres(self.init, (len(rows), points.shape[1]), points.dtype)
        _validate.choice(self.init, STARTS, "init")
        if self.init == "farthest":
            rows = _core.farthest_points(_raw(points), len(rows), where)
        if isinstance(points, DevicePoints):
            return points.rows(rows)
        return np.take(points, rows, axis=0)

    def _note_features(self, X: Any, points: Points) -> None:
        self.n_features_in_ = points.shape[1]
        names = feature_names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _points_like_those_fitted(self, X: Any) -> Points:
        if not hasattr(self, "cluster_centers_"):
            raise not_fitted(self)
        points = points_anywhere(X)
        on_device = isinstance(points, DevicePoints)
        require_features(self, points if on_device else X, points.shape[1])
        return points

    @falls_back_if_memory_lacks
    def _nearest(self, X: Any) -> tuple[npt.NDArray[np.int32], float]:
        points = self._points_like_those_fitted(X)
        labels = np.empty(len(points), np.int32)
        with np.errstate(over="ignore"):  # checked in the result
            centres = np.ascontiguousarray(self.cluster_centers_, points.dtype)
        where = self._where(points, len(centres))
        inertia = _core.nearest_centres(_raw(points), centres, labels, where)
        _refuse_overflow(points.dtype, centres, inertia)
        return labels, inertia


def _raw(points: Points) -> Any:
    return points.array if isinstance(points, DevicePoints) else points


def _refuse_overflow(dtype: np.dtype[Any], centres: Array, inertia: float) -> None:
    """Refuse a result with overflowed distances, for which no nearest centre is defined."""
    if not (np.isfinite(inertia) and np.isfinite(centres).all()):
        most = np.sqrt(np.finfo(dtype).max)
        advice = "pass float64 points, or " if dtype == np.float32 else ""
        raise OverflowError(
            f"squared distances of points from centres, or sums, are beyond the largest {dtype}; "
            f"{advice}divide X by a number so that distances are far below {most:.1g}"
        )


def _tolerance(tol: Any) -> float:
    number = _validate.as_float(tol, "tol")
    if not number >= 0:
        raise ValueError(f"tol must be at least 0, got {number}")
    return number


def _given_centres(init: Any, shape: tuple[int, int], dtype: np.dtype[Any]) -> Array:
    if np.ma.is_masked(init):
        raise ValueError("init has masked entries, but every centre must be there")
    try:
        given = np.asarray(init)
    except ValueError:  # rows of different lengths
        given = np.array(None)
    if given.dtype.kind not in "biuf":
        raise TypeError(
            f"init must be one of {', '.join(map(repr, STARTS))} or an array of centres, "
            f"got {_validate.shown(init)}"
        )
    with np.errstate(over="ignore"):
        centres = np.array(given, dtype, order="C")
    if centres.shape != shape:
        raise ValueError(
            f"init must have a row for each of the {shape[0]} clusters and a column for each of "
            f"the {shape[1]} features, got shape {centres.shape}"
        )
    if not np.isfinite(centres).all():
        row = int(np.argmin(np.isfinite(centres).all(axis=1)))
        raise ValueError(f"row {row} of init is not finite: {centres[row].tolist()}")
    return centres


def _draw(random_state: Any, n: int, k: int) -> Array:
    """Return k different numbers below n."""
    if isinstance(random_state, np.random.RandomState):
        return random_state.permutation(n)[:k]
    try:
        draw = np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise type(error)(
            "random_state must be an integer >= 0, a numpy.random.Generator or RandomState, or "
            f"None, got {_validate.shown(random_state)}"
        ) from None
    return draw.choice(n, k, replace=False, shuffle=True)


def _warn_of_empty(found: int, n_clusters: int) -> None:
    if found < n_clusters:
        _validate.warn(
            f"only {found} of the {n_clusters} clusters have points: there are fewer distinct "
            "points than n_clusters, or centres of equal distance",
        )
