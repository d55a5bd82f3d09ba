"""wg.sssp, wg.reconstruct_path and wg.reconstruct_paths."""

import logging
import os
import signal
import threading
import tracemalloc

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from scipy.sparse import csgraph

import checks
import graphs
import oracles
import warpgraph as wg

METHODS = ("dijkstra", "delta_stepping", "bellman_ford")
DTYPES = ("float32", "float64", "int32", "int64")
over_methods = pytest.mark.parametrize("method", ["auto", *METHODS])


def runs_on(method, device):
    return device == "cpu" or method in ("auto", "bellman_ford")


def require(method, device):
    if not runs_on(method, device):
        pytest.skip("the method does not run there")


def methods_for(graph, device):
    """Return the methods that accept the weights, on a device that has them."""
    if graphs.has_negative(graph):
        return ("auto", "bellman_ford")
    return [method for method in ("auto", *METHODS) if runs_on(method, device)]


def assert_same_bits(a, b):
    assert a.dtype == b.dtype
    assert a.tobytes() == b.tobytes()


def check_against_oracle(graph, source, device, *, dtype=None, **options):
    """Compare every method, bit for bit; check the tree, and that all methods agree on it."""
    dtype = np.dtype(dtype or (np.float32 if graph.dtype == np.float32 else np.float64))
    expected = oracles.distances(graph, source, dtype=dtype, **options)
    trees = []
    for method in methods_for(graph, device):
        call = dict(method=method, dtype=dtype, device=device, **options)
        if expected is None:
            with pytest.raises(wg.NegativeCycleError) as caught:
                wg.sssp(graph, source, **call)
            assert_on_negative_cycle(graph, caught.value.vertex, call.get("directed", True))
            continue
        assert_same_bits(wg.sssp(graph, source, **call), expected)
        distances, tree = wg.sssp(graph, source, return_predecessors=True, **call)
        assert_same_bits(distances, expected)
        trees.append(tree)
        if "limit" not in options:
            checks.assert_shortest_path_tree(
                graph, source, distances, tree, directed=options.get("directed", True)
            )
    for tree in trees[1:]:
        assert_same_bits(tree, trees[0])
    return trees[0] if trees else None


def assert_on_negative_cycle(graph, vertex, directed):
    """Going from the vertex back to it can cost less than nothing."""
    n = graph.shape[0]
    tail, head, weight = oracles.arcs(graph, directed)
    loop = np.full((n, n), np.inf)
    np.minimum.at(loop, (tail, head), weight)
    reach = loop
    for _ in range(n):
        if reach[vertex, vertex] < 0:
            return
        reach = np.minimum(reach, (reach[:, :, None] + loop[None]).min(axis=1))
    pytest.fail(f"vertex {vertex} is on no negative cycle")


@graphs.over_zoo()
def test_zoo_agrees_with_the_oracle_on_every_method(graph, device):
    for source in sorted({0, graph.shape[0] // 2, graph.shape[0] - 1} & set(range(graph.shape[0]))):
        check_against_oracle(graph, source, device)


@graphs.over_zoo()
def test_zoo_undirected(graph, device):
    if graph.shape[0]:
        check_against_oracle(graph, 0, device, directed=False)
