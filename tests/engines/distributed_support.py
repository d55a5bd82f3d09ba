"""What the tests of `warpgraph.distributed` on several engines share.

Each check of `CHECKS` compares a function on an engine with the same function on one machine.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import checks
import warpgraph as wg
from warpgraph import distributed


def edges_of(graph):
    """Return the tails, heads and weights of a CSR matrix."""
    tails = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    return tails, graph.indices, graph.data


def blocks_of(arrays, n_blocks):
    """Cut arrays of edges into blocks."""
    cuts = np.linspace(0, len(arrays[0]), n_blocks + 1).astype(int)
    return [tuple(a[i:j] for a in arrays) for i, j in itertools.pairwise(cuts)]


def partitioned(graph, engine, n_blocks=3):
    """Return a CSR matrix as blocks of an engine."""
    blocks = blocks_of(edges_of(graph), n_blocks)
    return distributed.graph(blocks, engine, n_vertices=graph.shape[0])


def random_edges(n_vertices, n_edges, seed):
    """Return random edges with weights that tie."""
    rng = np.random.default_rng(seed)
    tails, heads = rng.integers(0, n_vertices, (2, n_edges))
    return tails, heads, rng.integers(0, 1000, n_edges).astype(float)


def same_forest(found, expected):
    assert_array_equal(found.edges, expected.edges)
    assert_array_equal(found.weights, expected.weights)
    assert found.weights.dtype == expected.weights.dtype
    assert found.n_vertices == expected.n_vertices


def check_forest(engine, graph: sp.csr_array):
    edges = partitioned(graph, engine)
    for maximum in (False, True):
        found = distributed.minimum_spanning_forest(edges, maximum=maximum, arity=2).gather()
        expected = wg.minimum_spanning_forest(graph, maximum=maximum)
        same_forest(found, expected)
        assert_array_equal(found.edge_ids, expected.edge_ids)


def check_components(engine, graph: sp.csr_array):
    labels = distributed.connected_components(partitioned(graph, engine), arity=2)
    assert_array_equal(labels.gather(), wg.connected_components(graph)[1])


def check_clusters(engine, graph: sp.csr_array):
    if graph.shape[0] == 0:
        return
    forest = distributed.minimum_spanning_forest(partitioned(graph, engine))
    whole = wg.minimum_spanning_forest(graph)
    n = graph.shape[0]
    most, smallest = min(whole.n_trees + 2, n), min(2, n)
    cuts = {"min_cluster_size": smallest}, {"n_clusters": most}, {"distance_threshold": 2.0}
    for options in cuts:
        with checks.possible_numbers_of_clusters():
            expected = wg.cluster.MSTClustering(**options).fit(whole).labels_
            assert_array_equal(distributed.cluster_labels(forest, **options).gather(), expected)
    linkage = distributed.single_linkage(forest)
    assert_array_equal(linkage, wg.cluster.single_linkage(whole))


def check_pagerank(engine, graph: sp.csr_array):
    n, edges = graph.shape[0], partitioned(graph, engine)
    try:
        wg.pagerank(graph)
    except ValueError:  # weights that are too large or too small
        with pytest.raises(ValueError, match="weight"):
            distributed.pagerank(edges)
        return
    # A round takes tens of milliseconds on a cluster.
    tol = 1e-11 if isinstance(engine, distributed.LocalEngine) else 1e-4
    for options in ({}, {"unweighted": True, "personalization": np.arange(n) + 1.0}):
        given = {"tol": tol, **options}
        expected = wg.pagerank(graph, method="pull", **given)
        found = distributed.pagerank(edges, **given).gather()
        assert np.abs(found - expected).sum() < 2 * tol  # as both errors
        by_blocks = distributed.pagerank(edges, gather="blocks", **given).gather()
        assert_array_equal(by_blocks, found)


def same_tree(found, expected):
    for values, others in zip(found, expected, strict=True):
        assert_array_equal(values.gather(), others)
        assert values.gather().dtype == others.dtype


def check_sssp(engine, graph: sp.csr_array):
    edges = partitioned(graph, engine)
    if graph.dtype.kind == "i" and graph.data.max(initial=0) > 2**53:
        with pytest.raises(OverflowError, match="beyond 2"):
            distributed.sssp(edges, 0)
        return
    for source in range(min(graph.shape[0], 1)):
        for directed, delta in ((True, None), (False, 3.0)):
            expected = wg.sssp(graph, source, directed=directed, dtype=np.float64)
            found = distributed.sssp(edges, source, directed=directed, delta=delta)
            assert_array_equal(found.gather(), expected)
            found = distributed.sssp(edges, source, directed=directed, return_predecessors=True)
            expected = wg.sssp(
                graph, source, directed=directed, dtype=np.float64, return_predecessors=True
            )
            same_tree(found, expected)


def check_bfs(engine, graph: sp.csr_array):
    edges = partitioned(graph, engine)
    for source in range(min(graph.shape[0], 1)):
        for directed in (True, False):
            expected = wg.bfs(graph, source, directed=directed)
            found = distributed.bfs(edges, source, directed=directed).gather()
            assert_array_equal(found, expected)
            expected = wg.bfs(graph, source, directed=directed, return_predecessors=True)
            found = distributed.bfs(edges, source, directed=directed, return_predecessors=True)
            same_tree(found, expected)


def check_many_to_many(engine, graph: sp.csr_array):
    n, edges = graph.shape[0], partitioned(graph, engine)
    sources, targets = range(0, n, 1 + n // 5), range(0, n, 1 + n // 3)
    for options in ({}, {"directed": False}, {"unweighted": True}):
        if n:
            expected = wg.many_to_many(graph, sources, targets, **options)
            found = distributed.many_to_many(edges, sources, targets, **options).gather()
            assert_array_equal(found, expected)


def check_statistics(engine, graph: sp.csr_array):
    edges = partitioned(graph, engine)
    tails, heads, weights = edges_of(graph)
    leaving, arriving = (np.bincount(e, minlength=graph.shape[0]) for e in (tails, heads))
    for kind, expected in (("out", leaving), ("in", arriving), ("both", leaving + arriving)):
        assert_array_equal(distributed.degrees(edges, kind=kind).gather(), expected)
    found = distributed.statistics(edges)
    assert (found.n_vertices, found.n_edges) == (graph.shape[0], graph.nnz)
    assert found.n_loops == np.count_nonzero(tails == heads)
    assert found.n_isolated == np.count_nonzero(expected == 0)
    assert found.largest_degree == expected.max(initial=0)
    assert sum(found.degree_counts) == graph.shape[0]
    assert found.least_weight == weights.astype(float).min(initial=np.inf)
    with np.errstate(over="ignore"):
        expected = weights.sum(dtype=float)
    np.testing.assert_allclose(found.weight_sum, expected, rtol=1e-12)


def check_all_functions(edges, arrays):
    """Compare all functions of a graph that no task can hold with one machine.

    arrays: the edges, whose vertices are 0 .. n - 1 and all have edges.
    """
    n, (tails, heads, weights) = edges.n_vertices, arrays
    whole = wg.Graph.from_edges(tails, heads, weights, n_vertices=n)
    forest = distributed.minimum_spanning_forest(edges)
    expected = wg.minimum_spanning_forest(whole)
    same_forest(forest.gather(), expected)
    with checks.possible_numbers_of_clusters():
        labels = distributed.cluster_labels(forest, n_clusters=3).gather()
        assert_array_equal(labels, wg.cluster.MSTClustering(n_clusters=3).fit(expected).labels_)
    linkage = distributed.single_linkage(forest)
    assert_array_equal(linkage, wg.cluster.single_linkage(expected))
    components = distributed.connected_components(edges).gather()
    assert_array_equal(components, wg.connected_components(whole)[1])
    degrees = np.bincount(tails, minlength=n) + np.bincount(heads, minlength=n)
    assert_array_equal(distributed.degrees(edges).gather(), degrees)
    assert distributed.statistics(edges).n_edges == len(tails)
    with pytest.raises(MemoryError, match="many_to_many keeps the whole graph on each worker"):
        distributed.many_to_many(edges, [0])
    tol = 1e-5
    scores = wg.pagerank(whole, method="pull", tol=tol)
    for gather in ("all", "blocks"):
        found = distributed.pagerank(edges, tol=tol, gather=gather).gather()
        assert np.abs(found - scores).sum() < 2 * tol
    options = {"return_predecessors": True}
    same_tree(distributed.bfs(edges, 0, **options), wg.bfs(whole, 0, **options))
    options["directed"] = False
    expected = wg.sssp(whole, 0, dtype=np.float64, **options)
    same_tree(distributed.sssp(edges, 0, **options), expected)


#: By function: check(engine, graph), and whether the graph may have negative weights.
CHECKS = {
    "minimum_spanning_forest": (check_forest, True),
    "connected_components": (check_components, True),
    "cluster_labels": (check_clusters, False),
    "pagerank": (check_pagerank, False),
    "bfs": (check_bfs, True),
    "sssp": (check_sssp, False),
    "many_to_many": (check_many_to_many, False),
    "statistics": (check_statistics, True),
}
