"""The graphs in the package."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse.csgraph as csgraph

import warpgraph as wg


@pytest.fixture(scope="module")
def ny():
    return wg.datasets.load("ny-road")


def test_there_is_a_road_network():
    assert "ny-road" in wg.datasets.names()


@pytest.mark.parametrize("name", wg.datasets.names())
def test_info_agrees_with_the_graph(name):
    info, graph = wg.datasets.info(name), wg.datasets.load(name)
    assert (info.n_vertices, info.n_edges) == (graph.n_vertices, graph.n_edges)
    assert info.name == name
    assert all(value != "" for value in dataclasses.astuple(info))


def test_ny_road_is_an_undirected_simple_connected_graph(ny):
    matrix = ny.to_csr()
    assert (matrix != matrix.T).nnz == 0
    assert not matrix.diagonal().any()
    row = np.repeat(np.arange(ny.n_vertices), np.diff(ny.indptr))
    arcs = row * np.int64(ny.n_vertices) + ny.indices
    assert (np.diff(arcs) > 0).all()  # sorted, no duplicates
    assert csgraph.connected_components(matrix)[0] == 1
    assert ny.undirected() is ny


def test_ny_road_weights_follow_the_rule(ny):
    def weight(u, v):
        mask = 2**64 - 1
        x = (u * 0x9E3779B97F4A7C15 & mask) ^ (v * 0xC2B2AE3D27D4EB4F & mask)
        x ^= x >> 29
        x = x * 0xBF58476D1CE4E5B9 & mask
        return 100 + (x ^ x >> 32) % 4000

    rng = np.random.default_rng(0)
    for e in rng.integers(ny.n_edges, size=200):
        u = int(np.searchsorted(ny.indptr, e, side="right")) - 1
        v = int(ny.indices[e])
        assert ny.data[e] == weight(min(u, v), max(u, v))


def test_ny_road_topology_is_the_challenge_graph(ny):
    # The first edges of the file as published, numbered from 0.
    matrix = ny.to_csr()
    published = [(0, 1), (0, 11), (0, 1362), (1, 12), (1, 47), (2, 3), (2, 3873), (3, 3925)]
    assert all(matrix[u, v] >= 100 for u, v in published)
    assert matrix[0].nnz == 3


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_weights_come_in_every_dtype_with_the_same_values(ny, dtype):
    graph = wg.datasets.load("ny-road", dtype=dtype)
    assert graph.data.dtype == dtype
    np.testing.assert_array_equal(graph.data, ny.data)


def test_loading_twice_gives_two_graphs(ny):
    assert wg.datasets.load("ny-road") is not ny


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"name must be one of 'ny-road'.*got 'moon'"):
        wg.datasets.load("moon")
    with pytest.raises(ValueError, match="got 'moon'"):
        wg.datasets.info("moon")


def test_a_strange_dtype_is_refused():
    with pytest.raises(TypeError, match="dtype must be one of float32, float64, int32, int64"):
        wg.datasets.load("ny-road", dtype="complex64")
