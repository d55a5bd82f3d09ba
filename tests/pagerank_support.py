"""What the tests of PageRank share."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import bicgstab, spsolve

import checks
import oracles
import warpgraph as wg

#: Of the oracle: the change of all scores together is at most this.
STRICT = 1e-12
#: Of the calls: the error of all scores together is at most this. Pushes round more than this
#: allows from 10^8 visits on.
STRICT_ERROR = 5e-11

each_method = pytest.mark.parametrize("method", ["pull", "push"])


def strict(graph, **options):
    """Call with an error that assert_scores() accepts."""
    return wg.pagerank(graph, **{"tol": STRICT_ERROR, **options})


def expected(graph, *, directed=True, unweighted=False, **options):
    if unweighted:  # before it is known whether all edges are stored both ways
        graph = graph.copy()
        graph.data = np.ones_like(graph.data)
    tail, head, weight = oracles.arcs(graph) if directed else oracles.both_directions(graph)
    return oracles.pagerank(graph.shape[0], (tail, head, weight), **options)[0]


def solved(graph, *, alpha=0.85, personalization=None, dangling=None):
    """Return the scores as the solution of linear systems, with their L1 error at most.

    graph: a matrix whose duplicates are added up. The scores are those of a walk along edges from
    ``p``, and from ``d`` as often as it meets dangling vertices.
    """
    n = graph.shape[0]
    weights = sp.csr_array(graph, dtype=np.float64)
    leaving = np.asarray(weights.sum(axis=1)).ravel()
    hangs = leaving == 0
    steps = sp.diags_array(1 / np.where(hangs, 1, leaving)) @ weights
    p = np.full(n, 1 / n) if personalization is None else personalization / personalization.sum()
    d = p if dangling is None else dangling / dangling.sum()
    system = sp.csc_array(sp.eye_array(n) - alpha * steps.T)
    from_p, from_d = (_solution(system, (1 - alpha) * x) for x in (p, d))
    again = alpha * from_p[hangs].sum() / ((1 - alpha) - alpha * from_d[hangs].sum())
    found = from_p + again * from_d
    after = alpha * (steps.T @ found + found[hangs].sum() * d) + (1 - alpha) * p
    return found, np.abs(after - found).sum() / (1 - alpha) + 1e-15


def _solution(system, right):
    """Solve by factors, or by steps where factors of random graphs would fill memory."""
    if system.shape[0] <= 4000 or system.nnz < 6 * system.shape[0]:
        return spsolve(system, right)
    x = np.zeros_like(right)
    for _ in range(6):  # refines the solution
        x += bicgstab(system, right - system @ x, rtol=1e-6, maxiter=1000)[0]
    return x


def solved_exactly(n, edges, alpha, personalization, dangling):
    """Return the scores as fractions: Gaussian elimination with the numbers that floats stand for.

    edges: (tail, head, weight).
    """
    alpha = Fraction(alpha)
    sums = [sum(Fraction(w) for u, _, w in edges if u == v) for v in range(n)]
    p, d = ([Fraction(x) / sum(map(Fraction, v)) for x in v] for v in (personalization, dangling))
    rows = [[Fraction(u == v) for u in range(n)] + [(1 - alpha) * p[v]] for v in range(n)]
    for u, v, w in edges:
        if sums[u]:
            rows[v][u] -= alpha * Fraction(w) / sums[u]
    for u in range(n):
        for v in range(n if not sums[u] else 0):
            rows[v][u] -= alpha * d[v]
    for k in range(n):
        first = next(i for i in range(k, n) if rows[i][k])
        rows[k], rows[first] = rows[first], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                factor = rows[i][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


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
