"""Neighbours by functions of the caller, selected from distances of some queries at a time.

Oracle: NumPy's sort of (distance, number) of all points. Many distances are equal, 0 or inf.
"""

import ctypes
import itertools

import numpy as np
import pytest
from scipy import LowLevelCallable

from warpgraph import _core, cluster

INF = np.inf
N_POINTS, N_QUERIES = 90, 70


def step(x, y):
    """Return a distance of few values, inf to every fourth number or so."""
    apart = abs(x[0] - y[0])
    return INF if apart % 4 == 3 else float(apart % 3)


@ctypes.CFUNCTYPE(
    ctypes.c_double,
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_ssize_t,
)
def step_of_pointers(x, y, n):
    return step(x, y)


each_function = pytest.mark.parametrize(
    "function", [step, LowLevelCallable(step_of_pointers)], ids=["Python", "compiled"]
)
each_block = pytest.mark.parametrize("size", [1, 17, 33, N_QUERIES])


def numbers(n, seed):
    return np.random.default_rng(seed).integers(0, 25, (n, 1)).astype(float)


def matrix(queries, points):
    return np.array([[step(x, y) for y in points] for x in queries])


def in_order(row, wanted):
    """Return the wanted columns of a row by (distance, number)."""
    return sorted(np.flatnonzero(wanted).tolist(), key=lambda column: (row[column], column))


@each_function
@each_block
def test_nearest_of_queries(function, size, monkeypatch):
    monkeypatch.setattr(_core, "queries_at_a_time", lambda n_points: size)
    points, queries = numbers(N_POINTS, 1), numbers(N_QUERIES, 2)
    rows = matrix(queries, points)
    for k in (1, 15, N_POINTS - 10, N_POINTS):  # the last ones are at inf
        found = cluster.nearest_neighbors(points, k, queries=queries, metric=function)
        wanted = [in_order(row, np.ones(N_POINTS, bool))[:k] for row in rows]
        assert found.indices.tolist() == wanted
        np.testing.assert_array_equal(found.distances, np.take_along_axis(rows, found.indices, 1))


@each_function
@each_block
@pytest.mark.parametrize("mode", ["connectivity", "distance"])
def test_within_a_radius_of_queries(function, size, mode, monkeypatch):
    monkeypatch.setattr(_core, "queries_at_a_time", lambda n_points: size)
    points, queries = numbers(N_POINTS, 3), numbers(N_QUERIES, 4)
    rows = matrix(queries, points)
    for radius in (0.0, 1.5, 2.0, INF):
        how = {"queries": queries, "metric": function, "mode": mode}
        found = cluster.radius_neighbors_graph(points, radius, **how)
        wanted = [in_order(row, row <= radius) for row in rows]
        assert found.indptr.tolist() == np.cumsum([0, *map(len, wanted)]).tolist()
        assert found.indices.tolist() == list(itertools.chain(*wanted))
        data = [row[wanted_row] for row, wanted_row in zip(rows, wanted, strict=True)]
        expected = np.concatenate(data) if mode == "distance" else np.ones(found.nnz)
        np.testing.assert_array_equal(found.data, expected)


@each_function
@pytest.mark.parametrize("include_self", [False, True])
def test_within_a_radius_of_the_points(function, include_self):
    points = numbers(N_POINTS, 5)
    rows = matrix(points, points)
    for radius in (0.0, 1.0, INF):
        how = {"metric": function, "mode": "distance", "include_self": include_self}
        found = cluster.radius_neighbors_graph(points, radius, **how)
        for i, row in enumerate(rows):
            others = in_order(row, (row <= radius) & (np.arange(N_POINTS) != i))
            wanted = [i] * include_self + others
            part = slice(found.indptr[i], found.indptr[i + 1])
            assert found.indices[part].tolist() == wanted
            np.testing.assert_array_equal(found.data[part], row[wanted])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("include_self", [False, True])
def test_nearest_of_a_matrix(dtype, include_self):
    points = numbers(N_POINTS, 6)
    rows = matrix(points, points).astype(dtype)
    np.fill_diagonal(rows, 5)  # not read
    how = {"metric": "precomputed", "mode": "distance", "include_self": include_self}
    most = min(np.isfinite(row).sum() for row in rows) - 1 + include_self
    for k in (1, 7, most):
        found = cluster.kneighbors_graph(rows, k, **how)
        for i, row in enumerate(rows):
            others = in_order(row, np.isfinite(row) & (np.arange(N_POINTS) != i))
            wanted = ([i] * include_self + others)[:k]
            part = slice(found.indptr[i], found.indptr[i + 1])
            assert found.indices[part].tolist() == wanted
            distances = [0 if j == i else row[j] for j in wanted]
            assert found.data[part].tolist() == distances
    few = next(i for i, row in enumerate(rows) if np.isfinite(row).sum() - 1 + include_self == most)
    with pytest.raises(ValueError, match=f"^point {few} has {most - include_self} neighbours at"):
        cluster.kneighbors_graph(rows, most + 1, **how)
