"""KMeans: each cluster is the points nearest to one of k means."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.new_array import new_arrays
from warpgraph._arguments.points import DevicePoints, on_host, points_anywhere, wanted_for
from warpgraph._graph import plan
from warpgraph._graph.plan import planned
from warpgraph._trees.neighbours import squares
from warpgraph.cluster import _kmeans_starts
from warpgraph.cluster._base import (
    bases,
    convergence_warning,
    feature_names,
    not_fitted,
    require_features,
)

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]
Points = Array | DevicePoints

#: Multiplications of `transform` between two checks for Ctrl-C.
_AT_ONCE = 1 << 22


class KMeans(*bases(transforms=True)):  # type: ignore[misc]  # which bases depends on the installation
    """Clusters by k centres, each the mean of the points nearest to it.

    Unlike those of `MSTClustering`, these clusters are convex, of similar extent, and always
    `n_clusters` in number; noise between them does little harm.

    Parameters
    ----------
    n_clusters : int
        Number of centres.
    init : {"k-means++", "farthest", "random", "first"}, callable or array_like
        Which points the centres start from. "k-means++": each next one is drawn with a probability
        proportional to its weight times its squared distance to those before; of
        ``2 + int(log(n_clusters))`` candidates the one that lowers the inertia most, as in
        scikit-learn. "farthest": the point farthest from the mean, then again and again the one
        farthest from all chosen before, without random numbers. "random": different rows, drawn.
        "first": the first rows. Or the centres themselves, shape (n_clusters, d), or a function
        ``init(X, n_clusters, random_state=)`` that returns them; `random_state` is a RandomState,
        or a Generator if that was given.
    max_iter : int
        Most iterations; in each, points go to their nearest centre and centres to their mean.
    tol : float
        Ends when the squared moves of all centres sum to at most `tol` times the mean variance of
        the columns. 0: ends when no point changes its centre.
    random_state : int, numpy.random.Generator, numpy.random.RandomState, optional
        Source of random numbers for `init`. An integer gives the same result every time.
    device : str
        Where to run; see `warpgraph.devices`. "auto": where points on a device are, else a GPU for
        many points.
    n_init : "auto" or int
        Number of runs from different starts, of which the one with the least inertia counts; "auto"
        is 10 for "random" and callables, else 1, as in scikit-learn. Starts that take no random
        numbers have one run in any case: all would be the same.
    memory_limit : int, float or str, optional
        Bytes that the call may take, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts iterations.

    Attributes
    ----------
    cluster_centers_ : ndarray, shape (n_clusters, d)
        The centres, in the type of the points.
    labels_ : ndarray of int32, shape (n,)
        The centre nearest to each point; of equally near ones the first.
    inertia_ : float
        Sum of the squared distances between points and their centres, times weights.
    n_iter_ : int
        Number of iterations, of the run that counts.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : ndarray of str
        Names of the columns, if `X` was a data frame whose columns are all named by strings.

    Notes
    -----
    Lloyd's algorithm [1]_, O(n d n_clusters) time an iteration at most: float32 and float64 points
    are used as they are, other numbers become float64. `X` may also be an array in the memory of a
    GPU, such as CuPy's, and stays there. The result is the same on every device and with any number
    of threads; with random numbers, if `random_state` is a number. Points may have any unit of
    length, as for `kneighbors_graph`; an inertia beyond the largest float64 is an OverflowError. On
    the CPU, distances that cannot matter are not computed [2]_. Points far apart to start from are
    found as in [3]_, drawn ones as in [4]_, in O(n) memory.

    A centre that no point is nearest to moves to the point that is farthest from its own centre.
    With fewer distinct points than clusters, centres without points remain, with a
    ConvergenceWarning (scikit-learn's where it is installed, else a UserWarning).

    Points of weight 0 get labels, and change nothing else.

    A replacement of ``sklearn.cluster.KMeans``, with its default start. Over 30 data sets
    (``benchmarks/cluster/kmeans_inertia.py``) the inertia, divided by that of scikit-learn with
    ``n_init=10``, had a median of 1.02 and was 1.17 in the worst set (scikit-learn's own default:
    1.01 and 1.11, from the same distribution); with ``n_init=10`` 1.00 and 1.02, and with
    ``init="farthest"`` 1.02 and 1.64. `tol` is 0 by default, not 1e-4.

    References
    ----------
    .. [1] Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28,
       1982.
    .. [2] Hamerly, "Making k-means even faster", SIAM Data Mining 2010.
    .. [3] Gonzalez, "Clustering to minimize the maximum intercluster distance", Theoretical
       Computer Science 38, 1985.
    .. [4] Arthur, Vassilvitskii, "k-means++: The advantages of careful seeding", SODA 2007.

    Examples
    --------
    >>> import warpgraph as wg
    >>> model = wg.cluster.KMeans(2, random_state=0).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> sorted(model.cluster_centers_.ravel().tolist())
    [0.5, 9.5]
    >>> model.inertia_
    1.0
    """

    cluster_centers_: Array
    labels_: npt.NDArray[np.int32]
    inertia_: float
    n_iter_: int
    n_features_in_: int

    @hinted
    def __init__(
        self,
        n_clusters: int = 8,
        init: str | types.ArrayLike | Callable[..., types.ArrayLike] = "k-means++",
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: types.RandomState = None,
        device: types.Device = "auto",
        *,
        n_init: int | str = "auto",
        memory_limit: validate.MemoryLimitLike = None,
        progress: validate.ProgressLike = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.device = device
        self.n_init = n_init
        self.memory_limit = memory_limit
        self.progress = progress

    @planned("cluster.KMeans.fit")
    def fit(
        self,
        X: types.ArrayLike,
        y: object = None,
        sample_weight: types.ArrayLike | None = None,
    ) -> KMeans:
        """Find the centres of `X`.

        Parameters
        ----------
        X : array_like, shape (n, d)
            The points, in host memory or on a GPU.
        y : None
            Ignored; there for scikit-learn's conventions.
        sample_weight : array_like, shape (n,), optional
            How often each point counts: finite numbers of at least 0, not all 0. By default 1.

        Returns
        -------
        KMeans
            Itself.
        """
        n_clusters = validate.positive(self.n_clusters, "n_clusters")
        max_iter = validate.count(self.max_iter, "max_iter", least=1, most=2**31 - 1)
        tol = _kmeans_starts.check_tolerance(self.tol)
        ledger = validate.ledger(self.memory_limit)
        report = validate.progress(self.progress, "k-means")
        points = points_anywhere(X)
        weights = _kmeans_starts.weights_of(sample_weight, len(points))
        _kmeans_starts.check_number(n_clusters, len(points), weights)
        starts = _kmeans_starts.starts(
            self.init, self.n_init, self.random_state, points, weights, n_clusters
        )
        scaled, starts = _kmeans_starts.in_range(points, starts, ledger)
        if tol > 0:
            tol *= _kmeans_starts.mean_variance(scaled.points, weights)
        until = {"max_iterations": max_iter, "tolerance": tol}
        centres, labels, inertia, n_iter, n_used = self._search(
            scaled.points, weights, starts, ledger, progress=report, **until
        )
        self.inertia_ = _inertia(inertia, scaled.exponent)
        squares.multiply(centres, scaled.exponent)
        self.cluster_centers_ = centres.astype(points.dtype, copy=False)
        self.labels_, self.n_iter_ = labels, n_iter
        self._note_features(X, points)
        _warn_of_empty(n_used, n_clusters)
        return self

    def fit_predict(
        self,
        X: types.ArrayLike,
        y: object = None,
        sample_weight: types.ArrayLike | None = None,
    ) -> npt.NDArray[np.int32]:
        """Fit to `X` and return the number of the centre nearest to each point, shape (n,)."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict(self, X: types.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the number of the centre nearest to each point, shape (n,)."""
        return self._nearest(X)[0]

    def transform(self, X: types.ArrayLike) -> Array:
        """Return the distance of each point to every centre, shape (n, n_clusters)."""
        from scipy.spatial.distance import cdist

        points = on_host(self._points_like_those_fitted(X))
        centres = np.asarray(self.cluster_centers_, np.float64)
        # SciPy's squares are of double, in which those of all float32 numbers are.
        exponent = squares.in_range(points, centres, dtype=np.float64).exponent
        centres = squares.divided(centres, exponent)
        ledger = validate.ledger(self.memory_limit)
        of_centres = (len(points), len(centres)), points.dtype
        (distances,) = new_arrays(ledger, "storing the distances", "pass fewer points", of_centres)
        rows = max(_AT_ONCE // centres.size, 1)
        for first in range(0, len(points), rows):
            block = distances[first : first + rows]
            given = squares.divided(points[first : first + rows], exponent)
            found = squares.scale_back(cdist(given, centres), exponent)
            with np.errstate(over="ignore"):
                block[:] = found
            squares.refuse_infinite(block)
        return distances

    def fit_transform(
        self,
        X: types.ArrayLike,
        y: object = None,
        sample_weight: types.ArrayLike | None = None,
    ) -> Array:
        """Fit to `X` and return the distance of each point to every centre."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def score(
        self,
        X: types.ArrayLike,
        y: object = None,
        sample_weight: types.ArrayLike | None = None,
    ) -> float:
        """Return minus the sum of squared distances to the nearest centres, times weights."""
        return -_inertia(*self._nearest(X, sample_weight)[1:])

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)  # columns that transform returns

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what `transform` keeps."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _where(
        self,
        points: Points,
        n_centres: int,
        ledger: _core.Ledger = validate.NO_LIMIT,
        **search: int,
    ) -> str:
        n, d = points.shape
        facts = {"n_vertices": n, "n_dimensions": d, "n_centres": n_centres, **search}
        wanted = wanted_for(points, self.device)
        return plan.device_for("kmeans", wanted, points.dtype, ledger, **facts)

    @falls_back_if_memory_lacks
    def _search(
        self,
        points: Points,
        weights: Array | None,
        starts: list[_kmeans_starts.Start],
        ledger: _core.Ledger,
        *,
        progress: Any,
        **until: Any,
    ) -> Any:
        """Return what the core finds from that start from which the inertia is least."""
        k = int(self.n_clusters)
        search = _kmeans_starts.facts(starts) | {"n_iterations": until["max_iterations"]}
        where = self._where(points, k, ledger, **search)
        there = _copied_once(points, where, starts)
        best = None
        for i, start in enumerate(starts):
            centres = start.centres
            if centres is None:
                rows = start.rows_of(there, weights, k, where, ledger)
                centres = _rows_of(points, rows)
            report = _report_of_run(progress, i, len(starts))
            found = _core.kmeans(there, weights, centres, where, ledger, report, **until)
            if best is None or found[2] < best[2]:
                best = found
        return best

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
    def _nearest(self, X: Any, sample_weight: Any = None) -> tuple[Array, float, int]:
        """Return labels, and what `_inertia` takes."""
        points = self._points_like_those_fitted(X)
        weights = _kmeans_starts.weights_of(sample_weight, len(points))
        labels = np.empty(len(points), np.int32)
        with np.errstate(over="ignore"):
            centres = validate.in_place(self.cluster_centers_, points.dtype)
        if not np.isfinite(centres).all():  # of float64, for points of float32
            centres = validate.in_place(self.cluster_centers_, np.float64)
            points = on_host(points).astype(np.float64)
        (points, centres), exponent = squares.in_range(points, centres)
        where = self._where(points, len(centres))
        inertia = _core.nearest_centres(_raw(points), weights, centres, labels, where)
        return labels, inertia, exponent


def _raw(points: Points) -> Any:
    return points.array if isinstance(points, DevicePoints) else points


def _rows_of(points: Points, rows: Array) -> Array:
    return points.rows(rows) if isinstance(points, DevicePoints) else np.take(points, rows, axis=0)


def _copied_once(points: Points, where: str, starts: list[_kmeans_starts.Start]) -> Any:
    """Return points as the core takes them: on the device if it would copy them several times."""
    is_read_once = len(starts) == 1 and (
        starts[0].rows is not None or starts[0].centres is not None
    )
    if isinstance(points, DevicePoints) or where == "cpu" or is_read_once:
        return _raw(points)
    copy = _core.device_array(points.shape, points.dtype, where)
    copy.set(points)
    return copy


def _report_of_run(report: Any, run: int, n_runs: int) -> Any:
    """Return the callable for the progress of one of several runs."""
    if report is None or n_runs == 1:
        return report
    return lambda done, total: report(run * total + done, n_runs * total)


def _inertia(inertia: float, exponent: int) -> float:
    """Return the inertia of points times 2 to the power of `exponent`."""
    with np.errstate(over="ignore", under="ignore"):
        found = float(np.ldexp(inertia, 2 * exponent))
    if not np.isfinite(found):
        raise OverflowError(
            "the inertia, the sum of squared distances of points from centres, is beyond the "
            "largest float64; divide X by a number"
        )
    return found


def _warn_of_empty(found: int, n_clusters: int) -> None:
    if found < n_clusters:
        validate.warn(
            f"only {found} of the {n_clusters} clusters have points: there are fewer distinct "
            "points than n_clusters, or centres of equal distance",
            convergence_warning(),
        )
