"""PageRank of undirected graphs, which Chebyshev acceleration needs fewer iterations for."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import checks
import device_lists
import oracles
import warpgraph as wg
from checks import raises_sentence

#: As converged as the oracle: the change of all scores together is at most this.
STRICT = 1e-12


@pytest.fixture(autouse=True)
def _accelerates(monkeypatch):
    """These graphs are smaller than those that Chebyshev acceleration is for."""
    device_lists.accelerate(monkeypatch)


@pytest.fixture(scope="module")
def undirected():
    """Return graphs whose edges are stored both ways, some with isolated vertices."""
    rng = np.random.default_rng(9)
    side, n = (20, 400) if checks.EMULATED else (40, 4000)
    grid = nx.to_scipy_sparse_array(nx.grid_2d_graph(side, side), format="csr")
    ends = (n * rng.random((2, 6 * n)) ** 4).astype(np.int64)
    weights = 10.0 ** rng.uniform(-4, 4, ends.shape[1])
    hubs = sp.coo_array((weights, ends), shape=(n, n)).tocsr()
    star = nx.to_scipy_sparse_array(nx.star_graph(200), format="csr")
    return {"grid": grid, "hubs": sp.csr_array(hubs + hubs.T), "star": star}


def test_small_graphs_have_the_scores_of_networkx(monkeypatch, device):
    monkeypatch.undo()
    for graph in (nx.karate_club_graph(), nx.les_miserables_graph()):
        change = 1e-6 * 0.15 / 0.85  # after as many iterations
        wanted = np.array(list(nx.pagerank(graph, tol=change / len(graph)).values()))
        found = wg.pagerank(graph, device=device)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
        one_way = wg.pagerank(nx.to_scipy_sparse_array(graph), directed=False, device=device)
        np.testing.assert_allclose(one_way, wanted, rtol=1e-12)


@pytest.mark.parametrize("name", ["grid", "hubs", "star"])
@pytest.mark.parametrize("spike", [(), ("personalization",), ("nstart", "personalization")])
def test_undirected_graphs_need_fewer_iterations(undirected, name, spike, device):
    graph = undirected[name]
    n = graph.shape[0]
    options = dict.fromkeys(spike, np.eye(1, n, 7)[0])
    for tol in (1e-5, 1e-11):
        wanted, _ = oracles.pagerank(n, oracles.arcs(graph), tol=1e-15, **options)
        _, most = oracles.pagerank(n, oracles.arcs(graph), tol=tol * 0.15 / 0.85, **options)
        fewer = most if most < 12 else 3 * most // 4
        found = wg.pagerank(graph, tol=tol, max_iter=fewer, **options, device=device)
        assert np.abs(found - wanted).sum() < tol
        assert (found >= 0).all()


@pytest.mark.parametrize("alpha", [0.01, 0.5, 0.999])
def test_alpha_of_undirected_graphs(undirected, alpha, device):
    graph = undirected["hubs"]
    wanted, most = oracles.pagerank(
        graph.shape[0], oracles.arcs(graph), alpha=alpha, tol=STRICT, sweeps=30_000
    )
    tol = STRICT * alpha / (1 - alpha) + 1e-12  # the power iteration's after as many
    found = wg.pagerank(graph, alpha=alpha, tol=tol, max_iter=most + 3, device=device)
    assert np.abs(found - wanted).sum() < 2 * tol


def test_undirected_graphs_that_are_not_converged(undirected, device):
    """The first iterations are those of the power iteration; later ones have an error, too."""
    graph = undirected["grid"]
    start = np.eye(1, graph.shape[0], 7)[0]
    for iterations in (1, 4, 5, 9):
        with raises_sentence(wg.ConvergenceError, f"{iterations} iterations") as caught:
            wg.pagerank(graph, nstart=start, max_iter=iterations, tol=1e-14, device=device)
        if iterations <= 4:
            wanted = oracles.pagerank(
                graph.shape[0], oracles.arcs(graph), nstart=start, sweeps=iterations
            )[0]
            np.testing.assert_allclose(caught.value.scores, wanted, rtol=1e-12, atol=1e-18)
