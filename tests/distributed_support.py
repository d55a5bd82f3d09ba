"""What the tests of `warpgraph.distributed` on several engines share.

Each check of `CHECKS` compares a function on an engine with the same function on one machine.
"""

from __future__ import annotations

import itertools

import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_array_equal

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


#: By function: check(engine, graph), and whether the graph may have negative weights.
CHECKS = {
    "minimum_spanning_forest": (check_forest, True),
    "connected_components": (check_components, True),
}
