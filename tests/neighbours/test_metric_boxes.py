"""Boxes of points spare pairs under a metric, and change no result."""

from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from scipy.spatial.distance import cdist

import warpgraph as wg
from checks import raises_sentence
from test_metric_trees import kruskal, reach_of
from test_metrics import minkowski
from warpgraph._trees.neighbours import plans
from warpgraph.cluster import (
    HDBSCAN,
    core_distances,
    kneighbors_graph,
    mst_of_points,
    nearest_neighbors,
    radius_neighbors_graph,
)

SCIPYS = {"manhattan": "cityblock", "chebyshev": "chebyshev"}
POWERS = (1 + 1e-12, 1.01, 1.5, 2.5, 3.0, 10.0, 300.0, 1e300)
given_metrics = st.one_of(
    st.sampled_from([{"metric": name} for name in SCIPYS]),
    st.sampled_from([{"metric": "minkowski", "p": p} for p in POWERS]),
)


@contextmanager
def all_pairs():
    """Let calls compare all pairs of points."""
    with mock.patch.object(plans, "is_in_boxes", return_value=False):
        yield


@st.composite
def whole_points(draw):
    """Integers, of which SciPy's distances are exact: few kinds give ties and copies of points."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.sampled_from([1, 2, 5, 70, 200])), draw(st.integers(1, 6))
    kinds = draw(st.sampled_from([1, 2, 4, 1000]))
    offset = draw(st.sampled_from([0.0, -7.0, 2.0**40]))
    points = rng.integers(0, kinds, shape) + offset
    return points.astype(draw(st.sampled_from([np.float32, np.float64])))


@st.composite
def any_points(draw):
    """Numbers of any size, near each other or not, in up to 9 dimensions."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.sampled_from([1, 2, 3, 65, 150])), draw(st.sampled_from([1, 2, 3, 4, 5, 6, 9]))
    kind = draw(st.sampled_from(["uniform", "scaled", "offset", "copies", "wild", "ends", "least"]))
    if kind == "scaled":
        points = rng.normal(size=shape) * 10.0 ** rng.integers(-310, 305)
    elif kind == "offset":
        points = rng.random(shape) + 10.0 ** rng.integers(3, 16)
    elif kind == "copies":
        points = rng.random(shape)[rng.integers(0, 3, shape[0]) % shape[0]]
    elif kind == "wild":
        points = 10.0 ** rng.uniform(-300, 300, shape) * rng.choice([-1, 1], shape)
    elif kind == "ends":
        points = rng.choice([-1.7e308, 1.7e308, 1e308, 0.0, -0.0], shape)
    elif kind == "least":
        points = rng.integers(-3, 4, shape) * 5e-324
    else:
        points = rng.random(shape)
    if kind in ("uniform", "copies"):
        points = points.astype(draw(st.sampled_from([np.float32, np.float64])))
    return points


def tree_of(points, **options):
    """Return edges and weights, or the error of a tree with edges beyond float64."""
    try:
        tree = mst_of_points(points, **options)
    except OverflowError as error:
        return (str(error),)
    return tree.edges.tolist(), tree.weights.tolist()


def or_error(call, *args, **options):
    """Return the arrays of a result, or the error of distances beyond float64."""
    try:
        found = call(*args, **options)
    except OverflowError as error:
        return (str(error),)
    if isinstance(found, np.ndarray):
        return (found,)
    return (found.indptr, found.indices, found.data) if sp.issparse(found) else found


def results(points, k, radius, min_samples, alpha, how):
    """Return what all functions have of the points under a metric."""
    queries = np.nextafter(points[::-3], np.inf, dtype=points.dtype)
    queries = queries[np.isfinite(queries).all(axis=1)]
    found = [
        *or_error(nearest_neighbors, points, k, **how),
        *or_error(core_distances, points, k, **how),
        *or_error(radius_neighbors_graph, points, radius, mode="distance", **how),
        *or_error(radius_neighbors_graph, points, radius, **how),
        *tree_of(points, min_samples=min_samples, alpha=alpha, **how),
    ]
    if len(queries):
        found += or_error(nearest_neighbors, points, k, queries=queries, **how)
    return found


@given(any_points(), given_metrics, st.data())
def test_results_are_those_of_all_pairs(points, how, data):
    n = len(points)
    k = data.draw(st.integers(1, n))
    all_of_them = or_error(nearest_neighbors, points, n, **how)
    of_a_pair = data.draw(st.integers(0, n * n - 1))
    radius = all_of_them[1].ravel()[of_a_pair] if len(all_of_them) > 1 else np.inf
    min_samples = data.draw(st.sampled_from([1, 2, min(40, n)]))
    alpha = data.draw(st.sampled_from([1.0, 0.5, 1.3, 7.0, 1e5]))
    call = (points, k, radius, min(min_samples, n), alpha, how)
    found = results(*call)
    with all_pairs():
        wanted = results(*call)
    for of_boxes, of_pairs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(of_boxes, of_pairs)


@given(whole_points(), st.sampled_from([*SCIPYS]), st.data())
def test_order_of_neighbours(points, metric, data):
    n = len(points)
    k = data.draw(st.integers(1, n))
    distances = cdist(points, points, SCIPYS[metric])
    keys = distances.copy()
    np.fill_diagonal(keys, -1)
    order = np.argsort(keys, axis=1, kind="stable")
    near = np.take_along_axis(distances, order, axis=1)
    found = nearest_neighbors(points, k, metric=metric)
    np.testing.assert_array_equal(found.indices, order[:, :k])
    np.testing.assert_array_equal(found.distances, near[:, :k])
    if k < n:
        graph = kneighbors_graph(points, k, metric=metric)
        np.testing.assert_array_equal(graph.indices.reshape(n, k), order[:, 1 : k + 1])
    radius = near[:, k - 1].max()
    graph = radius_neighbors_graph(points, radius, metric=metric, include_self=True)
    np.testing.assert_array_equal(graph.indices, order[near <= radius])
    queries = points[::2] + 1
    apart = cdist(queries, points, SCIPYS[metric])
    of_queries = nearest_neighbors(points, k, queries=queries, metric=metric)
    order = np.argsort(apart, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(of_queries.indices, order)
    np.testing.assert_array_equal(of_queries.distances, np.take_along_axis(apart, order, axis=1))


@given(whole_points(), st.sampled_from([*SCIPYS]), st.data())
def test_trees(points, metric, data):
    min_samples = data.draw(st.integers(1, min(len(points), 30)))
    alpha = data.draw(st.sampled_from([1.0, 0.5, 1.7]))
    distances = cdist(points, points, SCIPYS[metric])
    edges, weights = kruskal(reach_of(distances, min_samples, alpha))
    found = mst_of_points(points, metric=metric, min_samples=min_samples, alpha=alpha)
    np.testing.assert_array_equal(found.edges, edges)
    np.testing.assert_array_equal(found.weights, weights)


@given(whole_points(), st.sampled_from(POWERS), st.data())
def test_powers(points, p, data):
    points = points.astype(np.float64)
    distances = minkowski(points, points, p) if p < 1e4 else cdist(points, points, "chebyshev")
    rounding = {"rtol": 1e-12 if p < 1e4 else 1e-299}
    k = data.draw(st.integers(1, len(points)))
    found = nearest_neighbors(points, k, metric="minkowski", p=p)
    np.testing.assert_allclose(found.distances, np.sort(distances, axis=1)[:, :k], **rounding)
    rows = np.take_along_axis(distances, found.indices.astype(int), axis=1)
    np.testing.assert_allclose(found.distances, rows, **rounding)
    tree = mst_of_points(points, metric="minkowski", p=p)
    np.testing.assert_allclose(tree.weights, kruskal(distances)[1], **rounding)


@pytest.mark.parametrize("how", [{"metric": "chebyshev"}, {"metric": "minkowski", "p": 1.5}])
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(how, wrong):
    points = np.ones((5, 2))
    points[3, 1] = wrong
    for call in (nearest_neighbors, kneighbors_graph, core_distances, radius_neighbors_graph):
        with raises_sentence(ValueError, "row 3", "column 1"):
            call(points, 2, **how)
    with raises_sentence(ValueError, "row 3", "column 1"):
        mst_of_points(points, **how)


def test_results_do_not_depend_on_threads(threads):
    points = np.random.default_rng(5).integers(0, 40, (6000, 3)).astype(float)
    found = HDBSCAN(20, 7, metric="manhattan").fit(points)
    tree = mst_of_points(points, metric="manhattan", min_samples=7)
    with all_pairs():
        wanted = HDBSCAN(20, 7, metric="manhattan").fit(points)
        of_pairs = mst_of_points(points, metric="manhattan", min_samples=7)
    np.testing.assert_array_equal(found.labels_, wanted.labels_)
    np.testing.assert_array_equal(tree.edges, of_pairs.edges)
    np.testing.assert_array_equal(tree.weights, of_pairs.weights)


PLANNED = [
    ("manhattan", 32, "boxes", "gain in 32 dimensions"),
    ("chebyshev", 33, "all pairs", "at most 32 dimensions"),
    ("minkowski", 300, "boxes", "any number of dimensions"),
    ("hamming", 2, "all pairs", "no boxes"),
]


@pytest.mark.parametrize(("metric", "dimension", "method", "reason"), PLANNED)
def test_plans(metric, dimension, method, reason):
    points = np.random.default_rng(1).random((1000, dimension))
    how = {"metric": metric, "p": 3}
    plan = wg.explain(mst_of_points, points, min_samples=4, **how)
    assert (plan.function, plan.method) == ("cluster.mst_of_points", method)
    assert plan.devices == ["cpu"]
    assert plan.seconds > 0
    assert 1000 * dimension * 8 < plan.bytes < 1000 * dimension * 80 + 2**19
    assert any(reason in sentence for sentence in plan.reasons)
    for call in (kneighbors_graph, core_distances, nearest_neighbors):
        plan = wg.explain(call, points, 5, **how)
        assert (plan.function, plan.method) == (f"cluster.{call.__name__}", method)
        assert 1000 * dimension * 8 < plan.bytes < 1000 * dimension * 80 + 2**21


def test_few_dimensions_only_for_queries_and_a_radius():
    points = np.random.default_rng(1).random((100, 13))
    for call in (
        (nearest_neighbors, points, 5),
        (radius_neighbors_graph, points, 0.5),
    ):
        queries = points[:7]
        plan = wg.explain(*call, queries=queries, metric="manhattan")
        assert plan.method == "all pairs"
        few = wg.explain(call[0], points[:, :12], *call[2:], queries=queries[:, :12], metric="l1")
        assert few.method == "boxes"


def test_memory_limit():
    points = np.random.default_rng(0).random((2000, 3))
    plan = wg.explain(mst_of_points, points, metric="manhattan", min_samples=6)
    with raises_sentence(MemoryError, "the spanning tree of 2000 points"):
        mst_of_points(points, metric="manhattan", min_samples=6, memory_limit=plan.bytes // 3)
    found = mst_of_points(points, metric="manhattan", min_samples=6, memory_limit=plan.bytes)
    assert len(found.edges) == 1999
