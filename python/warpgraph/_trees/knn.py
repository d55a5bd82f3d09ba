"""wg.cluster.kneighbors_graph and core_distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.auto_device import falls_back_if_memory_lacks
from warpgraph._arguments.new_array import new_array, new_arrays, ones
from warpgraph._arguments.nx_graphs import check_weight, is_networkx
from warpgraph._arguments.points import DevicePoints, wanted_for
from warpgraph._graph import plan, rounding
from warpgraph._graph.graph import Graph, as_graph, like
from warpgraph._graph.plan import planned
from warpgraph._trees.dense_mst import distance_matrix, divisor_of_distances, lost_distance
from warpgraph._trees.neighbours import by_function, given, metrics, plans
from warpgraph._trees.neighbours.metrics import MetricPoints

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]

MODES = ("connectivity", "distance")
_GIVEN = ("precomputed",)
_FEWER = "pass a graph with fewer edges"
_BY_DISTANCES = "the search for neighbours by precomputed distances"


@planned("cluster.kneighbors_graph")
@falls_back_if_memory_lacks
def kneighbors_graph(
    X: types.PointsOrGraph,
    k: int,
    *,
    mode: str = "connectivity",
    include_self: bool | Literal["auto"] = False,
    metric: types.MetricLike = "euclidean",
    p: float = 2.0,
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> sp.csr_array:
    """Return the graph of the nearest neighbours of each point, like scikit-learn's function.

    Parameters
    ----------
    X : array_like, shape (n, d), sparse matrix, NetworkX graph, or Graph
        The points. float32 and float64 are used as they are, other numbers become float64. An
        array on a device, of PyTorch, JAX, CuPy or another library, is read there. With metric
        "precomputed", distances: an array of shape (n, n), or condensed of shape
        (n (n - 1) / 2,), as for `single_linkage`, or a sparse graph whose entries are edges in both
        directions.
    k : int
        The number of neighbours, in 1..n with the point itself, else in 1..n-1.
    mode : {"connectivity", "distance"}
        What entries are: 1, or distances.
    include_self : bool or "auto"
        Whether each point is its own first neighbour; "auto" is True in mode "connectivity".
    metric : str or callable
        "euclidean"; "manhattan", "chebyshev", or "minkowski" with `p`; "cosine", 1 - cos of the
        angle; "haversine", of rows (latitude, longitude) in radians, on a sphere of radius 1;
        "hamming", the share of columns that differ; "jaccard" of rows of 0 and 1: the share of
        columns that differ among those that are 1 in either row. SciPy's and scikit-learn's other
        names of these are known, too. "precomputed": what `X` has. A function ``f(x, y)`` of two
        points, arrays of float64, that returns a number of at least 0; see the notes.
    p : float
        The exponent of the metric "minkowski", at least 1.
    device : str
        Where to run; see `warpgraph.devices`. "auto" chooses a GPU if the points are there, or
        for many points. By "minkowski" and by functions, cores alone search. Precomputed
        distances are read on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    csr_array of float64, shape (n, n)
        Row i has k entries, at the neighbours of point i, nearest first.

    Raises
    ------
    ValueError
        Too many neighbours for so many points; points that are not two-dimensional, or not finite;
        a point of length 0 with metric "cosine", a latitude in degrees with "haversine", other
        numbers than 0 and 1 with "jaccard"; a function that returns NaN or a negative number.
        Distances that are negative, NaN or, in an array, not symmetric; fewer than `k` neighbours
        at finite distances.
    OverflowError
        A distance is beyond the largest float64.
    TypeError
        A function that returns no number, or a compiled one of another type.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        A device is named that is not there.

    See Also
    --------
    nearest_neighbors : The same as two arrays, also of points that are not among `X`.
    radius_neighbors_graph : All neighbours within a distance.
    KNeighborsTransformer : The same in a pipeline.

    Notes
    -----
    The neighbours are exact. They are ordered by squared distance, computed in the type of the
    points coordinate by coordinate, then by row number; the point itself is always the first. So
    the graph is the same on every device and with any number of threads, also where distances tie.
    Distances are the square roots, in float64, of these squared distances. Where squares might
    overflow or vanish, points are multiplied by a power of two first, and distances by its inverse,
    so that nothing depends on the unit of length. If no factor suits all coordinates, float32
    points are searched as float64; of float64 points that differ by too little, there is a warning.

    Under "cosine" and "haversine", neighbours are ordered by the Euclidean distances of unit
    vectors, of which the distance is computed: half of the square, and twice the arcsine of half.
    Parallel rows have distance 0, whatever their factors: directions that differ by no more than
    the rounding of a factor are one. So are places whose longitudes differ by 2 pi, and poles.
    By the other metrics, distances are float64 whatever the type of the points, and order
    neighbours together with row numbers. A k-d tree is searched by "manhattan" and "chebyshev" in
    up to 32 dimensions, and by "minkowski" in any, on the CPU; else all pairs are compared, in
    O(n^2 d) time. Both find the same. "minkowski" with a `p` of 2 is "euclidean", so its squares of
    float32 points are of float32.

    A function has to be symmetric, and 0 of a point and itself, since it is called once for each
    pair, the lower row first; that is not checked. Distances may be inf. Their matrix is in memory,
    8 n^2 bytes, and then precomputed. A function of Python is called in the thread of the caller,
    with points that it cannot write to; an error in it ends the call. What numba's ``njit`` or
    ``cfunc`` returns, and SciPy's ``LowLevelCallable`` of a C function ``double (double *, double
    *, npy_intp)``, of two points and the number of coordinates, is called on all cores without
    Python's lock, and must not write to points. One that ``njit`` compiles with ``parallel=True``
    needs numba's threading layer "tbb" or "omp", since "workqueue" ends the process if several
    threads call it. Estimators whose metric is a ``LowLevelCallable``, or of ``cfunc``, cannot be
    pickled, or copied as scikit-learn's ``clone`` does.

    On the CPU, a k-d tree [1]_ is searched from its leaves, on all cores: O(n (k + log n)) time for
    few dimensions, towards O(n^2 d) for many. From 48 dimensions on, products of matrices in
    float32, whose rounding has a bound, leave out most pairs first. On a GPU, it is a hierarchy of
    bounding boxes of the points in Hilbert order in up to 8 dimensions; in more, products for up to
    128 neighbours, and else all pairs. Memory is O(n (d + k)).

    References
    ----------
    .. [1] Friedman, Bentley, Finkel, "An algorithm for finding best matches in logarithmic expected
       time", ACM Transactions on Mathematical Software 3(3), 1977.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.cluster.kneighbors_graph([[0.0], [1.0], [5.0]], 1, mode="distance")
    >>> graph.toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 4.0, 0.0]]
    """
    validate.choice(mode, MODES, "mode")
    with_self = includes_self(include_self, mode)
    wanted = metrics.metric_of_points(metric, p, _GIVEN)
    if wanted.name == "precomputed":
        found = _given_neighbours(X, k, with_self, device, memory_limit, progress)
        return _graph_of(found[0], found[1] if mode == "distance" else None)
    points = metrics.points_of(X, wanted)
    n = len(points)
    k = number_of_neighbours(k, n, with_self)
    neighbours = new_array((n, k), np.int32)
    distances = new_array((n, k), np.float64) if mode == "distance" else None
    search(points, neighbours, distances, None, k, with_self, device, memory_limit, progress)
    return _graph_of(neighbours, distances)


def _graph_of(neighbours: Array, distances: Array | None) -> sp.csr_array:
    n, k = neighbours.shape
    index = np.int32 if n * k < 2**31 else np.int64
    indptr = np.arange(0, n * k + 1, k, dtype=index)
    data = ones(n * k) if distances is None else distances.ravel()
    indices = neighbours.ravel().astype(index, copy=False)
    return sp.csr_array((data, indices, indptr), shape=(n, n))


@planned("cluster.core_distances")
@falls_back_if_memory_lacks
def core_distances(
    X: types.PointsOrGraph,
    k: int,
    *,
    metric: types.MetricLike = "euclidean",
    p: float = 2.0,
    weight: str | None = "weight",
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> npt.NDArray[np.float64]:
    """Return the distance of each point to its `k`-th nearest neighbour.

    Parameters
    ----------
    X : array_like, sparse matrix, NetworkX graph, or Graph
        Points, shape (n, d); or, with metric "precomputed", distances, as for `single_linkage`: an
        array of shape (n, n), or condensed of shape (n (n - 1) / 2,), or a sparse graph whose
        entries are edges in both directions.
    k : int
        In 1..n. The point itself is the first neighbour, as with `min_samples` of scikit-learn's
        HDBSCAN: with 1, all distances are 0. A `min_samples` of m in the package hdbscan is m + 1
        here.
    metric : str or callable
        As for `kneighbors_graph`; "precomputed": what `X` has.
    p : float
        The exponent of the metric "minkowski", at least 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        Where to run; see `warpgraph.devices`. "auto" chooses a GPU if the points are there, or for
        many points. Precomputed distances are read on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work beside the results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    ndarray of float64, shape (n,)
        Infinite where a point has fewer than ``k - 1`` neighbours in a sparse graph, or
        finite distances in an array.

    Raises
    ------
    ValueError
        Fewer points than `k`; points that are not finite; distances that are negative, NaN or, in
        an array, not symmetric.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        A device is named that is not there.

    Notes
    -----
    Exact. The method is that of `kneighbors_graph`; the neighbours are not kept, so that memory is
    O(n d) whatever `k` is. The squares of these distances are the cores in the definition of the
    tree that `euclidean_mst` returns with ``min_samples=k``.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.cluster.core_distances([[0.0], [1.0], [5.0]], 2).tolist()
    [1.0, 1.0, 4.0]
    """
    is_given = isinstance(metric, str) and metric == "precomputed"
    wanted = None if is_given else metrics.metric_of_points(metric, p, _GIVEN)
    if wanted is None or isinstance(X, Graph) or is_networkx(X):
        return _precomputed_cores(X, k, weight, device, memory_limit, progress)
    check_weight(weight, X)
    points = metrics.points_of(X, wanted)
    k = number_of_neighbours(k, len(points))
    found = new_array((len(points),), np.float64)
    search(points, None, None, found, k, True, device, memory_limit, progress)
    return found


def check_distances(graph: Graph) -> None:
    """Refuse a graph without vertices, or with negative weights."""
    if graph.n_vertices == 0:
        raise ValueError("the graph has no vertices: 0 sample(s), at least 1 is required")
    negative = graph._first_negative()
    if negative is not None:
        _, tail, head, weight = negative
        where = graph._shown(tail, head)
        raise ValueError(f"Negative values in data: the distance at {where} is {weight}")


def mutual_reachability_graph(
    graph: Graph, min_samples: int, alpha: float, ledger: _core.Ledger
) -> Graph:
    """Return a graph with the largest of each weight and the core distances of its two ends.

    Integers become float64. Weights, but not core distances, are divided by `alpha`.
    """
    graph = _with_real_weights(graph, ledger)
    divisor = divisor_of_distances(alpha, graph.dtype)
    cores = np.empty(0, graph.dtype)
    if min_samples > 1:
        cores = _cores_of_graph(graph, min_samples, ledger)
    wanted = (graph.data.shape, graph.dtype)
    [weights] = new_arrays(ledger, "mutual-reachability distances", _FEWER, wanted)
    lost = _core.mutual_reachability_weights(graph._handle, cores, divisor, weights)
    if lost >= 0:
        raise lost_distance(graph.data[lost], alpha)
    return like(Graph._of_own(graph.indptr, graph.indices, weights), graph)


def n_neighbours(graph: Graph, vertex: int) -> int:
    """Return how many other vertices are at a finite distance from one."""
    both = graph._undirected()
    arcs = slice(both.indptr[vertex], both.indptr[vertex + 1])
    heads = both.indices[arcs][np.isfinite(both.data[arcs])]
    return int(np.unique(heads[heads != vertex]).size)


def includes_self(include_self: Any, mode: str) -> bool:
    """Return whether each point is its own neighbour."""
    if isinstance(include_self, str) and include_self == "auto":
        return mode == "connectivity"
    try:
        return validate.flag(include_self, "include_self")
    except TypeError:
        raise TypeError(
            f"include_self must be True, False or 'auto', got {validate.shown(include_self)}"
        ) from None


def number_of_neighbours(k: Any, n: int, with_self: bool = True) -> int:
    """Return `k` as a number of neighbours among n points."""
    number = validate.positive(k, "k")
    most = n if with_self else n - 1
    if most == 0:
        raise ValueError(
            f"one point has no neighbour but itself: k = {number} needs include_self=True, or more "
            "points"
        )
    if number > most:
        among = "with" if with_self else "without"
        raise ValueError(
            f"k must be at most {most} for {n} points, {among} the point itself, got {number}"
        )
    return number


def search(
    points: MetricPoints,
    neighbours: Array | None,
    distances: Array | None,
    farthest: Array | None,
    k: int,
    include_self: bool,
    device: Any,
    memory_limit: validate.MemoryLimitLike,
    progress: validate.ProgressLike,
) -> None:
    """Write the neighbours of all points, the distances, and those to the last ones."""
    options: Any = {"n_neighbors": k, "include_self": include_self}
    ledger = validate.ledger(memory_limit)
    report = validate.progress(progress, "nearest neighbours")
    if points.metric.function is not None:
        what = "the search for neighbours"
        matrix = by_function.matrix_of(points, device, ledger, report, what)
        by_function.nearest(matrix, neighbours, distances, farthest, k, include_self, ledger)
        return
    (points,) = metrics.in_range(points, ledger=ledger)
    _search_in_range(points, neighbours, distances, farthest, device, ledger, report, **options)
    for found in (distances, farthest):
        if found is not None:
            metrics.distances_of(points, found)


def _search_in_range(
    points: MetricPoints,
    neighbours: Array | None,
    distances: Array | None,
    farthest: Array | None,
    device: Any,
    ledger: _core.Ledger,
    report: Any,
    **options: Any,
) -> None:
    """Write neighbours, and distances of the points that are searched.

    options: n_neighbors and include_self.
    """
    searched, k = points.searched, options["n_neighbors"]
    if not points.metric.is_euclidean:
        wanted = plans.wanted_by_metric(points, device, "the search for neighbours")
        sizes: Any = {"n_neighbors": k, "finds_farthest": distances is None}
        made = plans.by_metric("neighbours_by_metric", points, wanted, ledger, **sizes)
        how = (*points.of_core, made.method == "boxes")
        out = (neighbours, distances, farthest, made.devices[0])
        _core.nearest_by_metric(searched, None, *how, *out, ledger, report, **options)
        return
    made = plans.of_neighbours(
        searched,
        wanted_for(searched, device),
        ledger,
        n_neighbors=k + (not options["include_self"]),
        finds_farthest=distances is None,
    )
    where, options["by_products"] = made.devices[0], made.method == "products"
    array: Any = searched.array if isinstance(searched, DevicePoints) else searched
    _core.knn(array, neighbours, distances, farthest, where, ledger, report, **options)


def _precomputed_cores(
    X: Any, k: Any, weight: str | None, device: Any, memory_limit: Any, progress: Any
) -> npt.NDArray[np.float64]:
    _device.require_cpu(device, _BY_DISTANCES)
    if isinstance(X, Graph) or is_networkx(X) or sp.issparse(X):
        ledger = validate.ledger(memory_limit)
        graph = _with_real_weights(as_graph(X, weight), ledger)
        check_distances(graph)
        k = number_of_neighbours(k, graph.n_vertices)
        plan.refuse_distances()
        found = _cores_of_graph(graph, k, ledger)
    else:
        check_weight(weight, X)
        matrix = distance_matrix(X, memory_limit)
        k = number_of_neighbours(k, len(matrix))
        plan.refuse_distances()
        report = validate.progress(progress, "core distances")
        found = _core.dense_core_distances(matrix, k, report)
    return np.asarray(found, np.float64)


def _given_neighbours(
    X: Any, k: Any, with_self: bool, device: Any, memory_limit: Any, progress: Any
) -> tuple[Array, Array]:
    _device.require_cpu(device, _BY_DISTANCES)
    report = validate.progress(progress, "nearest neighbours")
    ledger = validate.ledger(memory_limit)
    if isinstance(X, Graph) or is_networkx(X) or sp.issparse(X):
        graph = _with_real_weights(as_graph(X), ledger)
        check_distances(graph)
        k = number_of_neighbours(k, graph.n_vertices, with_self)
        plan.refuse_distances()
        return given.nearest_of_graph(graph, k, with_self, ledger, report)
    matrix = distance_matrix(X, ledger)
    k = number_of_neighbours(k, len(matrix), with_self)
    plan.refuse_distances()
    return given.nearest_of_matrix(matrix, k, with_self, ledger, report)


def _cores_of_graph(graph: Graph, min_samples: int, ledger: _core.Ledger) -> Array:
    both = graph._undirected(ledger)
    found: Array = _core.graph_core_distances(both._handle, graph.dtype, min_samples)
    return found


def _with_real_weights(graph: Graph, ledger: _core.Ledger) -> Graph:
    if graph.dtype.kind == "f":
        return graph
    rounding.warn_of_weights(graph.data, "core distances")
    wanted = (graph.data.shape, np.float64)
    [reals] = new_arrays(ledger, "weights as float64", _FEWER, wanted)
    reals[...] = graph.data
    return like(Graph._of_own(graph.indptr, graph.indices, reals), graph)
