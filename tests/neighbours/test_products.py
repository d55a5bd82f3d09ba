"""Neighbours in many dimensions, found by products of matrices, are those of the keys."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import oracles
import warpgraph as wg
from checks import raises_sentence
from warpgraph.cluster import core_distances, kneighbors_graph, nearest_neighbors

DIMENSIONS = (16, 48, 95, 96, 97, 193)


def keys_of(queries, points):
    """Return squared distances in the points' own type, coordinate by coordinate."""
    with np.errstate(over="ignore", under="ignore"):
        keys = np.zeros((len(queries), len(points)), points.dtype)
        for k in range(points.shape[1]):
            keys += np.square(queries[:, k, np.newaxis] - points[:, k])
    return keys


def between(queries, points):
    """Return squared distances, with a factor that keeps them in range, and the distances."""
    *scaled, exponent = oracles.in_range(queries, points)
    keys = keys_of(*scaled)
    return keys, np.ldexp(np.sqrt(keys.astype(np.float64)), exponent)


@st.composite
def many_coordinates(draw):
    """Points that products tell apart well, badly, or not at all."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.sampled_from([1, 2, 7, 64, 65, 300])), draw(st.sampled_from(DIMENSIONS))
    kinds = ["uniform", "copies", "ties", "clusters", "offset", "outlier", "tiny", "huge", "bits"]
    kind = draw(st.sampled_from(kinds))
    points = rng.random((n, d))
    if kind == "copies":
        points = points[rng.integers(0, max(n // 4, 1), n)]
    elif kind == "ties":
        points = rng.integers(0, 2, (n, d)).astype(float)
    elif kind == "clusters":
        points = rng.normal(size=(5, d))[rng.integers(0, 5, n)] + 1e-3 * points
    elif kind == "offset":
        points += 10.0 ** rng.integers(2, 7)
    elif kind == "outlier":
        points[0] = 1e15
    elif kind == "tiny":
        points *= 10.0 ** rng.integers(-43, -15)
    elif kind == "huge":
        points *= 10.0 ** rng.integers(15, 38)
    elif kind == "bits":
        points = 1 + rng.integers(0, 3, (n, d)) * 2.0**-23
    return points.astype(draw(st.sampled_from([np.float32, np.float64])))


@settings(deadline=None)
@given(many_coordinates(), st.data())
def test_neighbours_have_the_least_keys(points, data):
    n = len(points)
    k = data.draw(st.integers(1, min(n, 80)))
    own, distances = between(points, points)
    np.fill_diagonal(own, -1)
    order = np.argsort(own, axis=1, kind="stable")
    near = np.take_along_axis(distances, order, axis=1)
    found = nearest_neighbors(points, k)
    np.testing.assert_array_equal(found.indices, order[:, :k])
    np.testing.assert_array_equal(found.distances, near[:, :k])
    np.testing.assert_array_equal(core_distances(points, k), near[:, k - 1])
    if k < n:
        graph = kneighbors_graph(points, k)
        np.testing.assert_array_equal(graph.indices.reshape(n, k), order[:, 1 : k + 1])
    apart = data.draw(st.sampled_from([0, 1, 1e3]))
    with np.errstate(over="ignore"):
        queries = points[::-2] + points.dtype.type(apart) * points[0]
    if not np.isfinite(queries).all():
        return
    keys, distances = between(queries, points)
    order = np.argsort(keys, axis=1, kind="stable")[:, :k]
    found = nearest_neighbors(points, k, queries=queries)
    np.testing.assert_array_equal(found.indices, order)
    near = np.take_along_axis(distances, order, axis=1)
    np.testing.assert_array_equal(found.distances, near)


@settings(deadline=None)
@given(many_coordinates(), st.booleans(), st.data())
def test_neighbours_within_a_radius_have_keys_of_at_most_its_square(points, include_self, data):
    n = len(points)
    keys, distances = between(points, points)
    given_radius = data.draw(st.sampled_from([0.0, np.inf, *np.unique(distances)[::7].tolist()]))
    options = {"mode": "distance", "include_self": include_self}
    found = wg.cluster.radius_neighbors_graph(points, given_radius, **options)
    for i in range(n):
        near = np.flatnonzero(distances[i] <= given_radius)
        near = near[near != i]
        near = near[np.argsort(keys[i, near], kind="stable")]
        row = slice(found.indptr[i], found.indptr[i + 1])
        wanted = [i, *near] if include_self else near
        np.testing.assert_array_equal(found.indices[row], wanted)
        np.testing.assert_array_equal(found.data[row], distances[i, wanted])
    apart = data.draw(st.sampled_from([0, 1, 1e3]))
    with np.errstate(over="ignore"):
        queries = np.resize(
            points[::-2] + points.dtype.type(apart) * points[0], (70, len(points[0]))
        )
    if not np.isfinite(queries).all():
        return
    keys, distances = between(queries, points)
    found = wg.cluster.radius_neighbors_graph(
        points, given_radius, queries=queries, mode="distance"
    )
    for i in range(len(queries)):
        near = np.flatnonzero(distances[i] <= given_radius)
        near = near[np.argsort(keys[i, near], kind="stable")]
        row = slice(found.indptr[i], found.indptr[i + 1])
        np.testing.assert_array_equal(found.indices[row], near)
        np.testing.assert_array_equal(found.data[row], distances[i, near])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cosine(dtype, threads):
    points = np.random.default_rng(7).normal(size=(500, 60)).astype(dtype)
    found = nearest_neighbors(points, 9, metric="cosine")
    units = points.astype(np.float64)
    units /= np.linalg.norm(units, axis=1)[:, np.newaxis]
    wanted = np.sort(1 - units @ units.T, axis=1)[:, :9]
    np.testing.assert_allclose(found.distances, wanted, atol=2e-6 if dtype is np.float32 else 1e-14)


def test_queries_far_from_the_points():
    points = np.random.default_rng(8).random((200, 50))
    queries = np.r_[points[:3], points[:3] + 1e14, points[:1] * 1e150]
    found = nearest_neighbors(points, 200, queries=queries)
    keys = keys_of(queries, points)
    np.testing.assert_array_equal(found.indices, np.argsort(keys, axis=1, kind="stable"))


def test_plans():
    points = np.random.default_rng(9).random((1000, 64), np.float32)
    for call in (kneighbors_graph, core_distances, nearest_neighbors):
        plan = wg.explain(call, points, 5, device="cpu")
        assert (plan.function, plan.method) == (f"cluster.{call.__name__}", "products")
        assert 1000 * 64 * 8 < plan.bytes < 2**24
        assert any("64 dimensions" in reason for reason in plan.reasons)
        assert wg.explain(call, points[:, :47], 5, device="cpu").method == "boxes"
    for n_queries, dimension, method in (
        (32, 16, "products"),
        (31, 16, "boxes"),
        (32, 15, "boxes"),
    ):
        few = points[:, :dimension]
        plan = wg.explain(nearest_neighbors, few, 5, queries=few[:n_queries], device="cpu")
        assert plan.method == method
    within = wg.cluster.radius_neighbors_graph
    plan = wg.explain(within, points, 0.1)
    assert (plan.method, plan.devices) == ("products", ["cpu"])
    assert 1000 * 64 * 8 < plan.bytes < 2**24
    assert wg.explain(within, points[:, :47], 0.1).method == "boxes"
    few = points[:, :16]
    assert wg.explain(within, few, 0.1, queries=few[:32]).method == "products"
    assert wg.explain(within, few, 0.1, queries=few[:31]).method == "boxes"
    assert wg.explain(nearest_neighbors, points, 600, device="cpu").method == "boxes"
    with raises_sentence(MemoryError, "1000 points", "10000 bytes"):
        nearest_neighbors(points, 5, device="cpu", memory_limit=10_000)


def test_progress_ends_at_the_total():
    points = np.random.default_rng(9).random((700, 64), np.float32)
    for queries in (None, points[:300]):
        seen = []
        nearest_neighbors(
            points, 5, queries=queries, progress=lambda *of, seen=seen: seen.append(of)
        )
        total = 700 if queries is None else 300
        assert all(done <= all_of_them == total for done, all_of_them in seen)
        assert seen[-1] == (total, total)
