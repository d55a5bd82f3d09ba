"""Metrics that are functions of the caller, of Python and compiled, wherever points have a metric.

Oracles: SciPy's pdist and cdist with the same function, and the same sums under a name. Points are
integers, so that sums are exact and trees equal edge by edge.
"""

import ctypes
import decimal
import fractions
import functools
import itertools
import re
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import LowLevelCallable
from scipy.spatial.distance import cdist, pdist, squareform

import warpgraph as wg
from alarms import alarms, interrupt
from warpgraph import cluster

#: C's type of a distance.
C_DISTANCE = ctypes.CFUNCTYPE(
    ctypes.c_double,
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_ssize_t,
)


def manhattan(x, y):
    return float(np.abs(x - y).sum())


@C_DISTANCE
def manhattan_of_pointers(x, y, n):
    return sum(abs(x[i] - y[i]) for i in range(n))


COMPILED = LowLevelCallable(manhattan_of_pointers)


@functools.cache
def of_numba(name):
    """Return the same function as numba has it, compiled by its decorator `name`."""
    numba = pytest.importorskip("numba")
    if name == "njit":
        return numba.njit(lambda x, y: np.abs(x - y).sum())

    @numba.cfunc("float64(CPointer(float64), CPointer(float64), intp)")
    def distance(x, y, n):
        total = 0.0
        for i in range(n):
            total += abs(x[i] - y[i])
        return total

    return distance if name == "cfunc" else LowLevelCallable(distance.ctypes)


FUNCTIONS = {
    "Python": lambda: manhattan,
    "a method": lambda: functools.partial(manhattan),
    "C": lambda: COMPILED,
    "njit": lambda: of_numba("njit"),
    "cfunc": lambda: of_numba("cfunc"),
    "cfunc of SciPy": lambda: of_numba("LowLevelCallable"),
}
each_function = pytest.mark.parametrize("kind", FUNCTIONS)


@st.composite
def integer_points(draw, least=2):
    """Draw points of integers, some of them several times."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, width = draw(st.integers(least, 40)), draw(st.sampled_from([2, 5, 1000]))
    dtype = draw(st.sampled_from([np.float64, np.float32, np.int64]))
    return rng.integers(-width, width, (n, draw(st.integers(1, 4)))).astype(dtype)


def assert_same_forest(found, wanted):
    np.testing.assert_array_equal(found.edges, wanted.edges)
    np.testing.assert_array_equal(found.weights, wanted.weights)


def assert_same_graph(found, wanted):
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, part), getattr(wanted, part))


@each_function
@settings(max_examples=25, deadline=None)
@given(integer_points(), st.integers(1, 9), st.sampled_from([0.5, 1.0, 2.0]))
def test_trees_are_those_of_the_named_metric(kind, points, min_samples, alpha):
    reach = {"min_samples": min(min_samples, len(points)), "alpha": alpha}
    function = FUNCTIONS[kind]()
    found = cluster.mst_of_points(points, metric=function, **reach)
    assert_same_forest(found, cluster.mst_of_points(points, metric="manhattan", **reach))
    given_distances = pdist(points, manhattan)
    wanted = cluster.mst_of_points(given_distances, metric="precomputed", **reach)
    np.testing.assert_array_equal(found.weights, wanted.weights)
    del reach["alpha"]
    ours, theirs = (
        cluster.single_linkage(points, metric=metric, **reach) for metric in (function, "manhattan")
    )
    np.testing.assert_array_equal(ours, theirs)


@each_function
@settings(max_examples=25, deadline=None)
@given(integer_points(3), st.integers(1, 5), st.booleans())
def test_neighbours_are_those_of_the_named_metric(kind, points, k, include_self):
    k = min(k, len(points) - 1)
    function = FUNCTIONS[kind]()
    options = {"mode": "distance", "include_self": include_self}
    for search in (cluster.kneighbors_graph, cluster.radius_neighbors_graph):
        found = search(points, k, metric=function, **options)
        assert_same_graph(found, search(points, k, metric="manhattan", **options))
    cores = cluster.core_distances(points, k, metric=function)
    rows = np.sort(squareform(pdist(points, manhattan)), axis=1)
    np.testing.assert_array_equal(cores, rows[:, k - 1])


@each_function
@settings(max_examples=25, deadline=None)
@given(integer_points(3), st.integers(1, 5), st.integers(1, 30))
def test_neighbours_of_queries_are_those_of_the_named_metric(kind, points, k, n_queries):
    k = min(k, len(points))
    queries = np.resize(points[::-1], (n_queries, points.shape[1])) + 1
    function = FUNCTIONS[kind]()
    options = {"queries": queries}
    found = cluster.nearest_neighbors(points, k, metric=function, **options)
    wanted = cluster.nearest_neighbors(points, k, metric="manhattan", **options)
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_array_equal(found.distances, wanted.distances)
    rows = np.sort(cdist(queries, points, manhattan), axis=1)
    np.testing.assert_array_equal(found.distances, rows[:, :k])
    options |= {"mode": "distance", "radius": 4.0}
    found = cluster.radius_neighbors_graph(points, metric=function, **options)
    assert_same_graph(found, cluster.radius_neighbors_graph(points, metric="manhattan", **options))


ESTIMATORS = {
    "HDBSCAN": lambda **o: cluster.HDBSCAN(3, **o),
    "DBSCANStar": lambda **o: cluster.DBSCANStar(3.0, min_samples=3, **o),
    "MSTClustering": lambda **o: cluster.MSTClustering(3, **o),
    "RobustSingleLinkage": lambda **o: cluster.RobustSingleLinkage(4.0, 3, 1.0, 2, **o),
}
POINTS = np.random.default_rng(0).integers(0, 30, (120, 3)).astype(np.float64)
NEW = POINTS[::7] + 1


@each_function
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators(name, kind):
    function = FUNCTIONS[kind]()
    points = POINTS.copy()
    if name != "MSTClustering":
        points[5, 1] = np.nan  # noise
    found = ESTIMATORS[name](metric=function).fit(points)
    wanted = ESTIMATORS[name](metric="manhattan").fit(points)
    np.testing.assert_array_equal(found.labels_, wanted.labels_)
    assert_same_forest(found.mst_, wanted.mst_)


def test_predictions_and_scores_of_hdbscan():
    model, wanted = (cluster.HDBSCAN(4, metric=m).fit(POINTS) for m in (manhattan, "manhattan"))
    for ours, theirs in zip(
        model.approximate_predict(NEW), wanted.approximate_predict(NEW), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(
        model.approximate_predict_scores(NEW), wanted.approximate_predict_scores(NEW)
    )
    with pytest.raises(ValueError, match=r"membership_vector needs metric .* got a function"):
        model.membership_vector(NEW)
    with pytest.raises(ValueError, match=r"store_centers='medoid' needs .* got a function"):
        cluster.HDBSCAN(metric=manhattan, store_centers="medoid").fit(POINTS)


def test_sample_weight_validity_and_transformer():
    weights = np.arange(len(POINTS)) % 3
    for make in (ESTIMATORS["HDBSCAN"], ESTIMATORS["DBSCANStar"]):
        ours, theirs = (
            make(metric=m).fit(POINTS, sample_weight=weights) for m in (manhattan, "manhattan")
        )
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    labels = np.arange(len(POINTS)) % 4 - 1
    indices = [cluster.validity_index(POINTS, labels, metric=m) for m in (manhattan, "manhattan")]
    assert indices[0] == pytest.approx(indices[1], rel=1e-12)
    ours, theirs = (
        cluster.KNeighborsTransformer(4, metric=m).fit(POINTS) for m in (manhattan, "manhattan")
    )
    assert_same_graph(ours.transform(NEW), theirs.transform(NEW))
    assert_same_graph(ours.fit_transform(POINTS), theirs.fit_transform(POINTS))


def counting():
    """Return a function and the list of the pairs that it is called for."""
    pairs = []

    def distance(x, y):
        assert x.dtype == y.dtype == np.float64
        assert x.shape == y.shape == (1,)
        pairs.append((int(x[0]), int(y[0])))
        return abs(x[0] - y[0])

    return distance, pairs


@pytest.mark.parametrize("name", ESTIMATORS)
def test_each_pair_is_computed_once(name):
    function, pairs = counting()
    numbers = [0, 1, 2, 3, 4, 30, 31, 32, 33, 34, 90, 91, 92, 93, 94]  # three clusters
    points = np.array(numbers, np.float32)[:, None]
    model = ESTIMATORS[name](metric=function).fit(points)
    assert pairs == list(itertools.combinations(numbers, 2))
    pairs.clear()
    if name == "HDBSCAN":
        model.approximate_predict(points[:2])
        assert pairs == list(itertools.product(numbers[:2], numbers))


NUMBERS = [3, np.int8(3), np.float32(3), np.array(3.0), fractions.Fraction(3), decimal.Decimal(3)]


@pytest.mark.parametrize("value", NUMBERS, ids=repr)
def test_what_is_a_number(value):
    found = cluster.mst_of_points(POINTS[:5], metric=lambda x, y: value)
    np.testing.assert_array_equal(found.weights, [3.0] * 4)
    assert found.weights.dtype == np.float64


def test_zeros_join_and_infinity_does_not():
    points = [[0.0], [1.0], [2.0], [3.0]]

    def apart(x, y):
        return -0.0 if int(x[0]) // 2 == int(y[0]) // 2 else np.inf

    forest = cluster.mst_of_points(points, metric=apart)
    assert forest.edges.tolist() == [[0, 1], [2, 3]]
    assert not np.signbit(forest.weights).any()


NO_NUMBERS = [None, "3", b"3", 3j, [1, 2], (3.0,), np.array([3.0]), np.str_("3")]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
@pytest.mark.parametrize("where", [(0, 1), (2, 4)])
def test_values_that_are_no_number_are_refused(value, where):
    def metric(x, y):
        return value if (int(x[0]), int(y[0])) == where else 1.0

    message = (
        f"metric must return a number of at least 0, got .* for rows {where[0]} and {where[1]}"
    )
    with pytest.raises(TypeError, match=message):
        cluster.mst_of_points(np.arange(6.0)[:, None], metric=metric)


@pytest.mark.parametrize("value", [-1.0, -1e-300, np.nan, -np.inf])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("queries", [False, True])
def test_negative_numbers_and_nan_are_refused(value, compiled, queries):
    def distance(x, y, n=1):
        return value if (x[0], y[0]) in ((40, 70), (41, 99)) else 1.0

    metric = LowLevelCallable(C_DISTANCE(distance)) if compiled else distance
    points = np.arange(100.0)[:, None]
    options = {"queries": points} if queries else {}
    wanted = f"metric must return a number of at least 0, got {value!r} for rows 40 and 70"
    with pytest.raises(ValueError, match=re.escape(wanted)):
        cluster.nearest_neighbors(points, 3, metric=metric, **options)


def test_other_compiled_functions_are_refused():
    single = ctypes.POINTER(ctypes.c_float)
    other = ctypes.CFUNCTYPE(ctypes.c_float, single, single, ctypes.c_ssize_t)(lambda x, y, n: 1.0)
    with pytest.raises(TypeError, match=r"double \(double \*, double \*, npy_intp\)', got .*float"):
        cluster.mst_of_points(POINTS, metric=LowLevelCallable(other))
    with pytest.raises(TypeError, match="without user_data"):
        cluster.mst_of_points(
            POINTS, metric=LowLevelCallable(manhattan_of_pointers, ctypes.c_void_p(1))
        )


class UnusualError(Exception):
    """An exception that nothing else raises."""


CALLS = {
    "mst_of_points": lambda **o: cluster.mst_of_points(POINTS, **o),
    "core_distances": lambda **o: cluster.core_distances(POINTS, 2, **o),
    "nearest_neighbors": lambda **o: cluster.nearest_neighbors(POINTS, 2, **o),
    "queries": lambda **o: cluster.nearest_neighbors(POINTS, 2, queries=NEW, **o),
    "radius_neighbors_graph": lambda **o: cluster.radius_neighbors_graph(POINTS, 2.0, **o),
    "validity_index": lambda **o: cluster.validity_index(POINTS, np.arange(120) % 2, **o),
    **{name: lambda make=make, **o: make(**o).fit(POINTS) for name, make in ESTIMATORS.items()},
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("error", [UnusualError, TypeError, MemoryError, KeyboardInterrupt])
def test_exceptions_pass_through(name, error):
    raised = error("of the metric")

    def metric(x, y):
        raise raised

    with pytest.raises(error) as caught:
        CALLS[name](metric=metric)
    assert caught.value is raised


@pytest.mark.parametrize("name", CALLS)
def test_exceptions_of_numba_pass_through(name):
    numba = pytest.importorskip("numba")

    @numba.njit
    def metric(x, y):
        if x[0] > 9:
            raise KeyError("of the metric")
        return abs(x[0] - y[0])

    with pytest.raises(KeyError, match="of the metric"):
        CALLS[name](metric=metric)


@pytest.mark.parametrize("name", CALLS)
def test_memory_limits_count_the_distances(name):
    least = 8 * len(POINTS) * (len(NEW) if name == "queries" else len(POINTS))
    for function in (manhattan, COMPILED):
        with pytest.raises(MemoryError, match=r"matrix of distances needs .* bytes\) are left"):
            CALLS[name](metric=function, memory_limit=least - 1)
        CALLS[name](metric=function, memory_limit=3 * least + 100_000)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "validity_index"])
def test_progress_ends_at_the_total(name):
    for function in (manhattan, COMPILED):
        reports = []
        CALLS[name](metric=function, progress=lambda *steps, reports=reports: reports.append(steps))
        total = len(POINTS) * (len(NEW) if name == "queries" else (len(POINTS) - 1) / 2)
        assert reports[-1] == (total, total)
        assert all(before[0] <= after[0] for before, after in itertools.pairwise(reports))


def test_functions_are_called_on_all_threads():
    names = set()

    @C_DISTANCE
    def distance(x, y, n):
        names.add(threading.get_ident())
        time.sleep(1e-4)
        return abs(x[0] - y[0])

    before = wg.get_num_threads()
    wg.set_num_threads(3)
    try:
        found = cluster.mst_of_points(POINTS, metric=LowLevelCallable(distance))
    finally:
        wg.set_num_threads(before)
    assert len(names) == 3
    wanted = cluster.mst_of_points(POINTS[:, :1], metric="manhattan")
    np.testing.assert_array_equal(found.weights, wanted.weights)


def test_calls_of_several_threads_do_not_disturb_each_other():
    found = [None] * 4

    def work(i):
        scale = float(i + 1)
        found[i] = cluster.mst_of_points(POINTS, metric=lambda x, y: scale * manhattan(x, y))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = cluster.mst_of_points(POINTS, metric="manhattan")
    for i, forest in enumerate(found):
        np.testing.assert_array_equal(forest.weights, (i + 1) * wanted.weights)


def test_a_metric_may_call_the_package():
    def by_tree(x, y):
        return cluster.mst_of_points([x, y], metric="manhattan").weights[0]

    found = cluster.mst_of_points(POINTS[:12], metric=by_tree)
    assert_same_forest(found, cluster.mst_of_points(POINTS[:12], metric="manhattan"))


def test_ctrl_c_ends_a_call_of_numba():
    numba = pytest.importorskip("numba")

    @numba.njit
    def slow(x, y):
        total = 0.0
        for i in range(100_000):
            total += abs(x[0] - y[0]) * (i % 3)
        return total

    points = np.arange(4000.0)[:, None]
    cluster.mst_of_points(points[:3], metric=slow)  # is compiled
    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt), alarms(interrupt, 0.3):
        cluster.mst_of_points(points, metric=slow)
    assert time.perf_counter() - started < 10  # the whole call takes minutes


def test_plans_and_devices_are_refused_by_name():
    for function, *rest in ((cluster.mst_of_points,), (cluster.kneighbors_graph, 3)):
        with pytest.raises(ValueError, match="the metric is a function"):
            wg.explain(function, POINTS, *rest, metric=manhattan)
    with pytest.raises(ValueError, match="the metric is a function"):
        wg.explain(cluster.HDBSCAN(metric=manhattan), POINTS)


def test_estimators_with_functions_are_cloned_and_pickled():
    pickle, base = pytest.importorskip("pickle"), pytest.importorskip("sklearn.base")
    model = base.clone(cluster.HDBSCAN(4, metric=manhattan)).fit(POINTS)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        again.approximate_predict(NEW)[0], model.approximate_predict(NEW)[0]
    )
