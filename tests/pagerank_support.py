"""What the tests of PageRank share."""

import numpy as np
import pytest

import checks
import oracles
import warpgraph as wg

#: As converged as the oracle: the change of all scores together is at most this.
STRICT = 1e-12

each_method = pytest.mark.parametrize("method", ["pull", "push"])


def strict(graph, *, change=STRICT, **options):
    """Call with the tolerance of the oracle."""
    return wg.pagerank(graph, tol=change / graph.shape[0], max_iter=5000, **options)


def expected(graph, *, directed=True, unweighted=False, **options):
    if unweighted:  # before it is known whether all edges are stored both ways
        graph = graph.copy()
        graph.data = np.ones_like(graph.data)
    tail, head, weight = oracles.arcs(graph) if directed else oracles.both_directions(graph)
    return oracles.pagerank(graph.shape[0], (tail, head, weight), **options)[0]


def assert_scores(found, wanted):
    assert found.dtype == np.float64
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).sum() < 1e-10
    assert abs(found.sum() - 1) < 1e-12
    assert (found >= 0).all()


def spikes(n, *vertices):
    """Return numbers of vertices that are 0 except for these."""
    numbers = np.zeros(n)
    numbers[list(vertices)] = 1.0 + np.arange(len(vertices))
    return numbers


@pytest.fixture(scope="module")
def power_law():
    """Hubs with thousands of edges, dangling vertices, loops and parallel edges."""
    rng = np.random.default_rng(5)
    n, m = (2000, 12_000) if checks.EMULATED else (20_000, 200_000)
    ends = (n * rng.random((2, m)) ** [[1.0], [5.0]]).astype(np.int64)
    graph = wg.Graph.from_edges(*ends, rng.random(m), n_vertices=n)
    return graph.to_csr()
