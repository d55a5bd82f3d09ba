"""PageRank of kept graphs: what they derive in one call, later calls use."""

import numpy as np
import pytest
import scipy.sparse as sp

import checks
import warpgraph as wg
from pagerank_support import each_method, power_law

__all__ = ["power_law"]


@each_method
def test_two_calls_in_a_row_share_what_is_derived(power_law, method, device):
    graph, how = wg.Graph(power_law), {"method": method, "device": device}
    first = wg.pagerank(graph, **how)
    weighted_after = wg.pagerank(graph, unweighted=True, **how)
    checks.assert_same_bits((wg.pagerank(graph, **how),), (first,))
    alone = wg.pagerank(power_law, unweighted=True, **how)
    checks.assert_same_bits((weighted_after,), (alone,))


@pytest.fixture(scope="module")
def scattered():
    """Return a graph whose numbers a cache does not hold, most of whose edges are at few hubs."""
    n = 1 << 17
    ends = (n * np.random.default_rng(3).random((2, 10 * n)) ** 4).astype(np.int64)
    weights = 1.0 + np.arange(10 * n) % 7
    return sp.coo_array((weights, ends), shape=(n, n)).tocsr()


def is_renumbered(graph):
    return graph._known("by_degree") is not None


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [True, False])
def test_a_kept_graph_is_renumbered_at_the_second_call(scattered, directed, unweighted):
    n = scattered.shape[0]
    how = {"directed": directed, "unweighted": unweighted, "method": "pull", "device": "cpu"}
    how |= {"personalization": 1.0 + np.arange(n) % 5, "nstart": 1.0 + np.arange(n) % 3}
    how |= {"dangling": {1: 2.0, n - 1: 1.0}, "tol": 1e-3}
    first = wg.pagerank(scattered, **how)
    graph = wg.Graph(scattered)
    kept = graph if directed else graph._undirected()
    for call in range(4):
        before = graph.nbytes
        checks.assert_same_bits((wg.pagerank(graph, **how),), (first,))
        assert is_renumbered(kept) == (call > 0)
    assert graph.nbytes == before
    with pytest.raises(wg.ConvergenceError) as caught:
        wg.pagerank(graph, max_iter=2, **how)
    with pytest.raises(wg.ConvergenceError) as wanted:
        wg.pagerank(scattered, max_iter=2, **how)
    checks.assert_same_bits((caught.value.scores,), (wanted.value.scores,))
    graph.clear()
    checks.assert_same_bits((wg.pagerank(graph, **how),), (first,))


def test_a_graph_is_not_renumbered_without_memory_or_reason(scattered):
    how = {"method": "pull", "device": "cpu", "tol": 1e-2}
    graph = wg.Graph(scattered)
    wg.pagerank(graph, **how)  # makes the transposed graph
    enough = 48 * graph.n_vertices
    for _ in range(2):
        found = wg.pagerank(graph, memory_limit=enough, **how)
        assert not is_renumbered(graph)
    checks.assert_same_bits((wg.pagerank(graph, **how),), (found,))
    assert is_renumbered(graph)
    n = scattered.shape[0]
    near = np.arange(n), np.arange(1, 10)  # of which no vertex has many edges
    hubs = np.arange(0, n, 64), np.arange(10, 400)  # whose neighbours are near, too
    for rows in ([near], [near, hubs]):
        tails = np.concatenate([np.repeat(v, len(steps)) for v, steps in rows])
        heads = np.concatenate([(v[:, None] + steps).ravel() for v, steps in rows]) % n
        local = wg.Graph(sp.coo_array((np.ones(len(heads)), (tails, heads)), shape=(n, n)))
        for _ in range(3):
            wg.pagerank(local, **how)
        assert not is_renumbered(local)
