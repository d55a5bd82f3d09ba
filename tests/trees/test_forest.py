"""wg.SpanningForest: construction, checks and conversions."""

import fractions
import math
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

import checks
import warpgraph as wg

LARGEST = sys.float_info.max


def test_forest_of_edges():
    forest = wg.SpanningForest(6, [[3, 1], [1, 0], [4, 5]], [2, 0, 7])
    assert forest.edges.tolist() == [[1, 3], [0, 1], [4, 5]]
    assert forest.edges.dtype == np.int32
    assert forest.edge_ids is None
    assert forest.labels.tolist() == [0, 0, 1, 0, 2, 2]
    assert forest.n_trees == 3
    assert forest.total_weight == 9
    assert len(forest) == 3
    assert repr(forest) == (
        "<warpgraph.SpanningForest: 6 vertices, 3 edges, 3 trees, total weight 9>"
    )


def test_one_of_each():
    assert repr(wg.SpanningForest(1, [], [])) == (
        "<warpgraph.SpanningForest: 1 vertex, 0 edges, 1 tree, total weight 0.0>"
    )
    assert "2 vertices, 1 edge, 1 tree," in repr(wg.SpanningForest(2, [[0, 1]], [1]))


def test_forest_to_csr_keeps_zeros():
    matrix = wg.SpanningForest(4, [[3, 1], [1, 0]], [2.5, 0.0]).to_csr()
    assert matrix.shape == (4, 4)
    assert matrix.nnz == 2
    assert matrix.indptr.tolist() == [0, 1, 2, 2, 2]
    assert matrix.indices.tolist() == [1, 3]
    assert matrix.data.tolist() == [0.0, 2.5]
    assert matrix.has_canonical_format


def test_forest_to_networkx():
    G = wg.SpanningForest(4, [[3, 1], [1, 0]], [2.5, 0.0]).to_networkx()
    assert sorted(G.nodes) == [0, 1, 2, 3]
    assert sorted(G.edges(data="weight")) == [(0, 1, 0.0), (1, 3, 2.5)]


def test_empty_forest():
    for n in (0, 3):
        forest = wg.SpanningForest(n, [], [])
        assert forest.edges.shape == (0, 2)
        assert forest.n_trees == n
        assert forest.labels.tolist() == list(range(n))
        assert forest.total_weight == 0
        assert forest.to_csr().nnz == 0
        assert forest.to_networkx().number_of_nodes() == n


@pytest.mark.parametrize(
    ("weights", "total"),
    [
        (np.array([2**62, 2**62, 2**62], np.int64), 3 * 2**62),
        (np.array([-(2**63), -(2**63), 2**63 - 1], np.int64), -(2**63) - 1),
        (np.array([2**31 - 1] * 3, np.int32), 3 * (2**31 - 1)),
        (np.array([1e16, 1.0, -1e16]), 1.0),
        (np.array([0.1, 0.2, 0.3], np.float32), sum(map(float, np.float32([0.1, 0.2, 0.3])))),
        (np.array([1e308, 1e308, 1e308]), np.inf),
        (np.array([np.inf, 1.0, 2.0]), np.inf),
        (np.array([1.7e308, 1.7e308, -1.7e308]), 1.7e308),
        (np.array([-LARGEST, -LARGEST, 5e-324]), -np.inf),
        (np.array([LARGEST, 2.0**970, 0.0]), np.inf),  # halfway to the float that follows
        (np.array([LARGEST, 2.0**970, -5e-324]), LARGEST),
        (np.array([1.7e308, 1.7e308, -np.inf]), -np.inf),
    ],
)
def test_total_weight(weights, total):
    assert wg.SpanningForest(4, [[0, 1], [1, 2], [2, 3]], weights).total_weight == total


@given(
    weights=st.lists(st.sampled_from([LARGEST, 2.0**970, 5e-324, 1e-310, 0.1, 1e300]), min_size=2)
)
def test_total_weight_of_weights_that_cancel(weights):
    weights = [*weights, *(-weight for weight in weights[1:])]
    total = wg.SpanningForest(len(weights) + 1, path_of(len(weights)), weights).total_weight
    assert total == weights[0]


@given(weights=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_total_weight_is_the_nearest_float(weights):
    total = wg.SpanningForest(len(weights) + 1, path_of(len(weights)), weights).total_weight
    exact = sum(map(fractions.Fraction, weights))
    if math.isinf(total):
        assert abs(exact) >= fractions.Fraction(LARGEST) + 2**970
        assert (total > 0) == (exact > 0)
        return
    error = abs(fractions.Fraction(total) - exact)
    for other in (math.nextafter(total, math.inf), math.nextafter(total, -math.inf)):
        if math.isfinite(other):
            assert error <= abs(fractions.Fraction(other) - exact)


def path_of(n_edges):
    return np.stack([np.arange(n_edges), np.arange(1, n_edges + 1)], axis=1)


def test_total_weight_of_many_edges():
    n = 200_000  # more than are summed at a time
    weights = np.tile([1e16, 1.0, -1e16, 0.5], n // 4)
    assert wg.SpanningForest(n + 1, path_of(n), weights).total_weight == 1.5 * n / 4


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_the_matrix_and_the_sum_of_many_edges(dtype):
    rng = np.random.default_rng(2)
    n = 150_000  # a hub, and edges that several threads put in order
    heads = np.arange(1, n)
    tails = np.where(heads % 3 == 0, 0, rng.integers(0, heads))
    order = rng.permutation(n - 1)
    edges = np.stack([tails, heads], axis=1)[order]
    weights = (1e6 * rng.standard_normal(n - 1)).astype(dtype)
    forest = wg.SpanningForest(n, edges, weights)
    expected = sp.csr_array((weights, edges.T), (n, n))
    expected.sort_indices()
    found = forest.to_csr()
    assert (found.dtype, found.indices.dtype, found.indptr.dtype) == (dtype, np.int32, np.int32)
    assert (found.indptr == expected.indptr).all()
    assert (found.indices == expected.indices).all()
    assert (found.data == expected.data).all()
    total = math.fsum if np.dtype(dtype).kind == "f" else sum
    assert forest.total_weight == total(weights.tolist())


def test_a_sum_with_infinite_weights_and_without_numbers():
    edges = path_of(3)
    for weights in ([np.inf, 1.0, -np.inf], [np.nan, 1.0, np.inf]):
        assert math.isnan(wg.SpanningForest(4, edges, weights).total_weight)
    zeros = wg.SpanningForest(4, edges, [-0.0, -0.0, -0.0]).total_weight
    assert math.copysign(1, zeros) == 1


def test_a_matrix_of_edges_that_are_none():
    forest = wg.SpanningForest(3, [[0, 1], [1, 2]], [1.0, 2.0])
    forest.edges = np.array([[0, 1], [1, 3]], np.int32)
    with checks.raises_sentence(ValueError, "edges[1]", "(1, 3)", "3 vertices"):
        forest.to_csr()


@pytest.mark.parametrize(
    ("error", "arguments", "parts"),
    [
        (ValueError, (3, [0, 1], [1.0]), ["(m, 2)", "(2,)"]),
        (ValueError, (3, [[0, 3]], [1.0]), ["edges[0]", "(0, 3)", "3 vertices"]),
        (ValueError, (3, [[-1, 2]], [1.0]), ["edges[0]", "(-1, 2)"]),
        (ValueError, (3, [[0, 1]], [1.0, 2.0]), ["weights", "1 edges", "(2,)"]),
        (ValueError, (3, [[0, 1]], [1.0], [1, 2]), ["edge_ids", "(2,)"]),
        (TypeError, (3, [[0.0, 1.0]], [1.0]), ["integers", "float64"]),
        (TypeError, (3, [[0, 1]], [1.0], [0.5]), ["edge_ids", "integers", "float64"]),
        (TypeError, (2.5, [[0, 1]], [1.0]), ["n_vertices", "2.5"]),
        (ValueError, (-3, [], []), ["n_vertices", "-3"]),
    ],
)
def test_forest_rejects(error, arguments, parts):
    with checks.raises_sentence(error, *parts):
        wg.SpanningForest(*arguments)


def test_forest_with_a_cycle():
    forest = wg.SpanningForest(3, [[0, 1], [1, 2], [0, 2]], [1.0, 1.0, 1.0])
    with checks.raises_sentence(ValueError, "edges[2]", "(0, 2)", "cycle"):
        _ = forest.labels


def test_the_total_weight_follows_the_weights():
    forest = wg.SpanningForest(3, [[0, 1], [1, 2]], np.array([1.0, 2.0]))
    assert forest.total_weight == 3
    forest.weights *= 2
    assert forest.total_weight == 6


def test_assigned_edges_must_be_of_vertices():
    forest = wg.SpanningForest(3, [[0, 1]], [1.0])
    forest.edges = np.array([[0, 3]], np.int32)
    with checks.raises_sentence(ValueError, "edges[0]", "3", "no vertex"):
        _ = forest.labels


def long_path(n=90_000):
    ends = np.arange(n - 1)
    return wg.SpanningForest(n, np.stack([ends, ends + 1], axis=1), np.ones(n - 1))


def changed(name, value):
    forest = long_path()
    setattr(forest, name, value)
    return forest


@pytest.mark.parametrize(
    "use",
    [
        wg.SpanningForest.to_csr,
        lambda forest: wg.bottleneck_paths(forest, [0], [2]),
        wg.cluster.single_linkage,
    ],
)
def test_changed_attributes_are_checked(use):
    for bad in ([0, 2**31 - 1], [-(2**31), 7]):
        forest = long_path()
        forest.edges[5] = bad
        with checks.raises_sentence(ValueError, "edges[5]", bad[0], bad[1]):
            use(forest)
    with checks.raises_sentence(ValueError, "3 vertices"):
        use(changed("n_vertices", 3))
    for weights in (np.ones(10**6), np.ones(5)):
        with checks.raises_sentence(ValueError, "weights must have one entry", len(weights)):
            use(changed("weights", weights))
    with checks.raises_sentence(ValueError, "shape (m, 2)"):
        use(changed("edges", np.arange(7, dtype=np.int32)))


def test_changed_attributes_of_other_types():
    forest = long_path(4)
    expected = forest.to_csr().toarray()
    forest.edges = np.asfortranarray(forest.edges.astype(np.int64))
    forest.weights = [1.0, 1.0, 1.0]
    assert (forest.to_csr().toarray() == expected).all()
    assert forest.total_weight == 3
