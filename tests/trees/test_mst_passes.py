"""Spanning forests of dense graphs: several passes, rounds of many threads, sorted rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import oracles
import warpgraph as wg
from device_lists import METHODS_OF_FORESTS, over_methods
from graphs import DTYPES, csr, csr_graphs, over_samples
from test_mst import reference


def dense_random(n, arcs, weights, *, store, seed=3, indptr_dtype=np.int32):
    """Draw edges for a graph that is too dense for one pass.

    `weights` maps a generator and a size to weights; `store` is "both", "upper" or "any".
    """
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (arcs, 2), np.int32)
    w = weights(rng, arcs)
    if store != "any":
        ends.sort(axis=1)
        once = ends[:, 0] != ends[:, 1]
        ends, w = ends[once], w[once]
    if store == "both":
        ends, w = np.concatenate([ends, ends[:, ::-1]]), np.concatenate([w, w])
    order = np.argsort(ends[:, 0], kind="stable")
    graph = sp.csr_array((n, n), dtype=w.dtype)
    graph.indptr = np.searchsorted(ends[order, 0], np.arange(n + 1)).astype(indptr_dtype)
    graph.indices, graph.data = np.ascontiguousarray(ends[order, 1]), w[order]
    return graph


def uniform(rng, n):
    return rng.random(n)


def few_values(rng, n):
    return rng.integers(0, 3, n).astype(np.int32)


def all_equal(rng, n):
    return np.zeros(n, np.float32)


def equal_in_their_high_bits(rng, n):
    """Draw keys that are equal in 32 bits, and one that differs."""
    weights = 1 + rng.integers(0, 1 << 20, n) * 2.0**-52
    weights[0] = 1e300
    return weights


def nearly_equal_in_their_high_bits(rng, n):
    """Draw keys with short runs of ties in 32 bits."""
    return rng.integers(0, 1 << 16, n) * (1 << 40) + rng.integers(0, 1 << 20, n)


def any_int64(rng, n):
    return rng.integers(-(2**63), 2**63 - 1, n, endpoint=True)


DISTRIBUTIONS = (
    uniform,
    few_values,
    all_equal,
    equal_in_their_high_bits,
    nearly_equal_in_their_high_bits,
    any_int64,
)


@pytest.mark.parametrize("store", ["both", "upper", "any"])
@pytest.mark.parametrize("weights", DISTRIBUTIONS)
@over_methods(METHODS_OF_FORESTS)
def test_several_passes(weights, store, method, device):
    graph = dense_random(1500, 120_000, weights, store=store, indptr_dtype=np.int64)
    for maximum in (False, True):
        expected = reference(graph, maximum)
        forest = wg.minimum_spanning_forest(graph, maximum=maximum, method=method, device=device)
        assert (forest.edge_ids == expected).all()


@pytest.fixture
def many_threads():
    """Enough threads that trees are joined in parallel rounds and not by one thread."""
    wg.set_num_threads(8)
    yield
    wg.set_num_threads(0)


@pytest.mark.parametrize("store", ["both", "any"])
@pytest.mark.parametrize("weights", DISTRIBUTIONS)
def test_rounds_of_many_threads(weights, store, many_threads):
    graph = dense_random(1500, 120_000, weights, store=store)
    for maximum in (False, True):
        forest = wg.minimum_spanning_forest(graph, maximum=maximum, method="filter", device="cpu")
        assert (forest.edge_ids == reference(graph, maximum)).all()


@over_samples()
def test_samples_on_many_threads(graph, many_threads):
    forest = wg.minimum_spanning_forest(graph, device="cpu")
    assert forest.edge_ids.tolist() == oracles.kruskal(graph).tolist()


@pytest.mark.parametrize("weights", DISTRIBUTIONS)
def test_sorted_rows(weights, device):
    """Scans of sorted rows end early; later scans must find the rest."""
    graph = dense_random(1500, 120_000, weights, store="both")
    for maximum in (False, True):
        rows = wg.transform.sort_by_weight(graph, descending=maximum).graph
        assert rows._has_sorted_rows(descending=maximum)
        forest = wg.minimum_spanning_forest(rows, maximum=maximum, device=device)
        assert (forest.edge_ids == reference(rows, maximum)).all()


@over_samples()
@pytest.mark.parametrize("maximum", [False, True])
def test_samples_with_sorted_rows(graph, maximum, device):
    rows = wg.transform.sort_by_weight(graph, descending=maximum).graph
    assert rows._has_sorted_rows(descending=maximum)
    forest = wg.minimum_spanning_forest(rows, maximum=maximum, device=device)
    assert forest.edge_ids.tolist() == oracles.kruskal(rows.to_csr(), maximum=maximum).tolist()


@pytest.mark.parametrize("symmetric", [True, None])
def test_drawn_graphs_with_sorted_rows(symmetric, device):
    @given(csr_graphs(weights="ties", symmetric=symmetric))
    def is_kruskals(graph):
        rows = wg.transform.sort_by_weight(graph).graph
        forest = wg.minimum_spanning_forest(rows, device=device)
        assert forest.edge_ids.tolist() == oracles.kruskal(rows.to_csr()).tolist()

    is_kruskals()


def test_has_sorted_rows():
    rows = [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 2.0), (2, 1, -0.0), (2, 3, 0.0), (3, 0, -5.0)]
    for dtype in DTYPES:
        graph = wg.Graph(csr(4, rows, dtype))
        assert graph._has_sorted_rows(descending=False)
        assert not graph._has_sorted_rows(descending=True)
    assert wg.Graph(csr(3, []))._has_sorted_rows(descending=True)
