"""single_linkage writes what SciPy writes, and joins forests at inf."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster import hierarchy

import graphs
import warpgraph as wg
from warpgraph.cluster import single_linkage


def spell_out(forest):
    """Join clusters, which are sets of vertices, edge by edge."""
    n = forest.n_vertices
    clusters = {v: {v} for v in range(n)}
    order = np.argsort(forest.weights, kind="stable")
    joins = [(*forest.edges[e].tolist(), float(forest.weights[e])) for e in order]
    joins += [(0, v, np.inf) for v in range(1, n)]
    rows = []
    for u, v, height in joins:
        pair = sorted(k for k, members in clusters.items() if u in members or v in members)
        if len(pair) == 2:
            clusters[n + len(rows)] = clusters.pop(pair[0]) | clusters.pop(pair[1])
            rows.append([*map(float, pair), height, float(len(clusters[n + len(rows)]))])
    return rows


def same_partition(a, b):
    pairs = {*zip(a, b, strict=True)}
    return len(pairs) == len({*a}) == len({*b})


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_equals_scipy_on_points(d, device):
    points = np.random.default_rng(d).random((400, d))
    ours = single_linkage(points, device=device)
    scipys = hierarchy.linkage(points, "single")
    # All distances differ, so the dendrogram is unique; SciPy rounds distances otherwise.
    np.testing.assert_array_equal(ours[:, [0, 1, 3]], scipys[:, [0, 1, 3]])
    np.testing.assert_allclose(ours[:, 2], scipys[:, 2], rtol=1e-14)
    for height in np.quantile(scipys[:, 2], [0.1, 0.5, 0.9, 0.99]):
        between = height * (1 + 1e-9)
        assert same_partition(
            hierarchy.fcluster(ours, between, "distance"),
            hierarchy.fcluster(scipys, between, "distance"),
        )


def test_heights_and_partitions_with_ties(device):
    points = np.random.default_rng(0).integers(0, 12, (300, 2)).astype(float)
    ours = single_linkage(points, device=device)
    scipys = hierarchy.linkage(points, "single")
    np.testing.assert_array_equal(ours[:, 2], scipys[:, 2])
    for height in (0, 1, 1.5, 2, 3):
        assert same_partition(
            hierarchy.fcluster(ours, height, "distance"),
            hierarchy.fcluster(scipys, height, "distance"),
        )


@graphs.over_zoo(negative=False, only=lambda graph: graph.shape[0] > 0)
def test_equals_its_definition_on_graphs(graph, device):
    forest = wg.minimum_spanning_forest(graph, device=device)
    ours = single_linkage(graph, metric="precomputed", device=device)
    assert ours.tolist() == spell_out(forest)
    assert ours.shape == (graph.shape[0] - 1, 4)
    if len(ours):
        assert hierarchy.is_valid_linkage(ours)


@st.composite
def forests(draw):
    """Draw edges that close no cycle, in no order, over a few vertices."""
    n = draw(st.integers(1, 25))
    edges = []
    for v in range(1, n):
        if draw(st.booleans()):
            edges.append((draw(st.integers(0, v - 1)), v))
    names = draw(st.permutations(range(n)))
    weights = draw(
        st.lists(st.sampled_from([0, 1, 2, 2.5]), min_size=len(edges), max_size=len(edges))
    )
    return wg.SpanningForest(n, [(names[u], names[v]) for u, v in edges], weights)


@settings(max_examples=100)
@given(forests())
def test_equals_its_definition_on_forests(forest):
    assert single_linkage(forest).tolist() == spell_out(forest)


def test_scipy_accepts_joins_at_infinity():
    graph = sp.csr_array(([1.0, 2.0, 1.0], ([0, 1, 3], [1, 2, 4])), (6, 6))
    joins = single_linkage(graph, metric="precomputed")
    assert joins[-2:].tolist() == [[7, 8, np.inf, 5], [5, 9, np.inf, 6]]
    assert hierarchy.is_valid_linkage(joins)
    assert hierarchy.fcluster(joins, 1, "distance").tolist() == [2, 2, 3, 1, 1, 4]
    assert same_partition(hierarchy.fcluster(joins, 3, "maxclust"), [0, 0, 0, 1, 1, 2])
    assert len(hierarchy.dendrogram(joins, no_plot=True)["ivl"]) == 6


def test_dense_distances_equal_points():
    points = np.random.default_rng(4).random((80, 2))
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    joins = single_linkage(distances, metric="precomputed")
    np.testing.assert_array_equal(joins, single_linkage(points))


def test_graph_and_forest_need_no_metric():
    graph = sp.csr_array(([1.0, 2.0], ([0, 1], [1, 2])), (3, 3))
    wanted = single_linkage(graph, metric="precomputed")
    np.testing.assert_array_equal(single_linkage(wg.Graph(graph)), wanted)
    np.testing.assert_array_equal(single_linkage(wg.minimum_spanning_forest(graph)), wanted)


def test_one_point():
    assert single_linkage([[3.0]]).shape == (0, 4)


def test_long_chain():
    points = np.cumsum(np.arange(200_001.0))[:, None]
    joins = single_linkage(points)
    np.testing.assert_array_equal(joins[:, 2], np.arange(1, 200_001))
    np.testing.assert_array_equal(joins[:, 3], np.arange(2, 200_002))


def test_cycle_is_named():
    forest = wg.SpanningForest(3, [(0, 1), (1, 2), (0, 2)], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"edge 2 \(0, 2\) closes a cycle"):
        single_linkage(forest)


@pytest.mark.parametrize(
    ("X", "metric", "sentence"),
    [
        (np.zeros((2, 2)), "cosine", r"metric must be one of 'euclidean', 'precomputed'"),
        (np.zeros((2, 3)), "precomputed", r"must be square"),
        (sp.csr_array(([-1.0], ([0], [1])), (2, 2)), "precomputed", r"Negative .* \(0, 1\) is -1"),
        (sp.csr_array(([np.nan], ([0], [1])), (2, 2)), "precomputed", r"is NaN"),
        (sp.csr_array((0, 0)), "precomputed", r"no vertices"),
    ],
)
def test_bad_input(X, metric, sentence):
    with pytest.raises(ValueError, match=sentence):
        single_linkage(X, metric=metric)


def test_sparse_points_are_told_about_precomputed():
    with pytest.raises(TypeError, match="metric='precomputed'"):
        single_linkage(sp.eye_array(4))
