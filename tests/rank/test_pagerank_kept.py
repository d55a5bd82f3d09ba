"""PageRank of kept graphs: what they derive in one call, later calls use."""

import numpy as np
import pytest
import scipy.sparse as sp

import checks
import graphs
import warpgraph as wg
from pagerank_support import each_method, power_law
from warpgraph._rank import gather_order

__all__ = ["power_law"]


@each_method
def test_two_calls_in_a_row_share_what_is_derived(power_law, method, device):
    graph, how = wg.Graph(power_law), {"method": method, "device": device}
    first = wg.pagerank(graph, **how)
    weighted_after = wg.pagerank(graph, unweighted=True, **how)
    checks.assert_same_bits((wg.pagerank(graph, **how),), (first,))
    alone = wg.pagerank(power_law, unweighted=True, **how)
    checks.assert_same_bits((weighted_after,), (alone,))


@pytest.fixture
def any_size_is_renumbered(monkeypatch):
    for name in ("_FEWEST_VERTICES", "_FEWEST_EDGES_PER_VERTEX", "_LARGE"):
        monkeypatch.setattr(gather_order, name, 1)
    monkeypatch.setattr(gather_order, "_NEAR", 8)


def is_renumbered(graph):
    return graph.known("by_degree") is not None


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [True, False])
def test_a_kept_graph_is_renumbered_at_the_second_call(
    power_law, directed, unweighted, any_size_is_renumbered
):
    from_hubs, n = sp.csr_array(power_law.T), power_law.shape[0]
    how = {"directed": directed, "unweighted": unweighted, "method": "pull", "device": "cpu"}
    how |= {"personalization": 1.0 + np.arange(n) % 5, "nstart": 1.0 + np.arange(n) % 3}
    how |= {"dangling": {1: 2.0, n - 1: 1.0}}
    first = wg.pagerank(from_hubs, **how)
    graph = wg.Graph(from_hubs)
    kept = graph if directed else graph.undirected()
    for call in range(4):
        before = graph.nbytes
        checks.assert_same_bits((wg.pagerank(graph, **how),), (first,))
        assert is_renumbered(kept) == (call > 0)
    assert graph.nbytes == before
    with pytest.raises(wg.ConvergenceError) as caught:
        wg.pagerank(graph, max_iter=2, **how)
    with pytest.raises(wg.ConvergenceError) as wanted:
        wg.pagerank(from_hubs, max_iter=2, **how)
    checks.assert_same_bits((caught.value.scores,), (wanted.value.scores,))
    graph.clear()
    checks.assert_same_bits((wg.pagerank(graph, **how),), (first,))


def test_a_graph_is_not_renumbered_without_memory_or_reason(power_law, any_size_is_renumbered):
    how = {"method": "pull", "device": "cpu"}
    graph = wg.Graph(sp.csr_array(power_law.T))
    wg.pagerank(graph, **how)  # makes the transposed graph
    enough = 48 * graph.n_vertices
    for _ in range(2):
        found = wg.pagerank(graph, memory_limit=enough, **how)
        assert not is_renumbered(graph)
    checks.assert_same_bits((wg.pagerank(graph, **how),), (found,))
    assert is_renumbered(graph)
    grid = wg.Graph(graphs.grid())  # whose edges join near vertices
    for _ in range(3):
        wg.pagerank(grid, **how)
    assert not is_renumbered(grid)
