"""The oracles compared with SciPy and with results by hand."""

import numpy as np
import pytest
import scipy.cluster.hierarchy as hierarchy
import scipy.sparse.csgraph as csgraph
from hypothesis import given, settings

import graphs
import oracles
import warpgraph as wg


def lightest_of_parallel(graph):
    """Return a matrix that SciPy reads alike: one entry for each pair of vertices."""
    dense = np.full(graph.shape, np.inf)
    tail, head, weight = oracles.arcs(graph)
    np.minimum.at(dense, (tail, head), weight)
    return csgraph.csgraph_from_dense(dense, null_value=np.inf)


@graphs.over_samples()
def test_every_graph_of_the_samples_is_accepted(graph):
    accepted = wg.Graph(graph)
    assert accepted.n_vertices == graph.shape[0]
    assert accepted.n_edges == len(graph.data)


@pytest.mark.parametrize("directed", [True, False])
@graphs.over_samples(negative=False, only=lambda graph: 0 < graph.shape[0] < 200)
def test_distances_are_scipys(graph, directed):
    expected = csgraph.dijkstra(lightest_of_parallel(graph), directed=directed, indices=0)
    np.testing.assert_allclose(oracles.distances(graph, 0, directed=directed), expected, rtol=1e-15)


def test_distances_may_be_negative():
    assert oracles.distances(graphs.SAMPLES["negative_weights"], 0).tolist() == [0, 1, 3, 0, 2]
    assert oracles.distances(graphs.SAMPLES["negative_cycle"], 0) is None


@given(graphs.graphs_with_source())
@settings(max_examples=50)
def test_hops_are_distances_without_weights(drawn):
    graph, source = drawn
    ones = graph.copy()
    ones.data = np.ones(len(graph.data))
    hops = oracles.hops(graph, source)
    distances = oracles.distances(ones, source)
    assert (np.where(hops < 0, np.inf, hops) == distances).all()


@given(graphs.csr_graphs(weights="any", symmetric=True))
@settings(max_examples=50)
def test_the_forest_has_scipys_weight_and_components(graph):
    labels = oracles.components(graph)
    ids = oracles.kruskal(graph)
    assert len(ids) == len(labels) - len(set(labels.tolist()))
    # SciPy drops tree edges of weight zero, which does not change the sum.
    expected = csgraph.minimum_spanning_tree(lightest_of_parallel(graph)).sum()
    assert graph.data[ids].sum(dtype=float) == pytest.approx(float(expected), abs=1e-2, rel=1e-5)


def test_kruskal_breaks_ties_by_the_upper_triangle():
    graph = graphs.csr(3, [(1, 0, 1.0), (2, 0, 1.0), (1, 2, 1.0), (0, 2, 1.0)])
    # Row 0 of the upper triangle first: the entry above the diagonal, then the mirrored ones.
    assert oracles.kruskal(graph).tolist() == [0, 1]


def test_linkage_is_scipys_on_distinct_weights():
    points = np.random.default_rng(5).random((20, 2))
    condensed = np.sqrt(((points[:, None] - points) ** 2).sum(-1))
    edges = [(u, v, condensed[u, v]) for u in range(20) for v in range(u)]
    expected = hierarchy.linkage(points, "single")
    np.testing.assert_allclose(oracles.single_linkage(graphs.csr(20, edges)), expected)


def test_linkage_of_a_forest_ends_at_infinity():
    linkage = oracles.single_linkage(graphs.SAMPLES["two_islands"])
    assert linkage[:, 2].tolist() == [0.5, 1.0, 1.5, 2.0, np.inf]
    assert linkage[-1, 3] == 6
