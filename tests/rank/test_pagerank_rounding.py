"""PageRank where rounding sustains changes: a tolerance above rounding is reached all the same."""

import os
import signal
import threading
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import device_lists
import graphs
import warpgraph as wg
from checks import raises_sentence
from pagerank_support import each_method, solved_exactly
from warpgraph._rank import stopping

#: Walks that alternate between two sides: forth and back, and from a dangling vertex to the start.
PAIRS = {"both": [(0, 1, 1.0), (1, 0, 1.0)], "dangling": [(0, 1, 1.0)]}
#: Above rounding, 2 ** -44 / (1 - alpha), by less than a factor of 20,000.
NEAR_ROUNDING = [(0.999, 1e-10), (0.9999, 1e-8), (0.99999, 1e-6)]


def error(found, wanted):
    """Return the L1 error, exactly."""
    return sum(abs(Fraction(x) - y) for x, y in zip(found.tolist(), wanted, strict=True))


@each_method
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("alpha", "tol"), NEAR_ROUNDING)
def test_walks_between_two_sides(pair, alpha, tol, method):
    """Of both pairs, the first score is 1 - alpha + alpha times the second one."""
    first = 1 / (1 + Fraction(alpha))
    options = {"alpha": alpha, "tol": tol, "personalization": [1, 0]}
    found = wg.pagerank(graphs.csr(2, PAIRS[pair]), **options, method=method)
    assert error(found, [first, 1 - first]) < tol


@pytest.mark.parametrize("pair", PAIRS)
def test_a_million_iterations(pair):
    alpha, tol = 0.999999, 1e-3
    first = 1 / (1 + Fraction(alpha))
    options = {"alpha": alpha, "tol": tol, "personalization": [1, 0]}
    found = wg.pagerank(graphs.csr(2, PAIRS[pair]), **options)
    assert error(found, [first, 1 - first]) < tol


def test_only_a_smaller_number_of_iterations_fails():
    pair = graphs.csr(2, PAIRS["dangling"])
    alpha, tol = 0.999, 1e-10
    enough = stopping.stopping(2, alpha, tol, None).iterations
    options = {"alpha": alpha, "tol": tol, "personalization": [1, 0]}
    found = wg.pagerank(pair, **options).tobytes()
    for max_iter in (enough, enough + 1, 10 * enough):
        assert wg.pagerank(pair, **options, max_iter=max_iter).tobytes() == found
    with raises_sentence(wg.ConvergenceError, f"{enough - 1} iterations", "raise max_iter"):
        wg.pagerank(pair, **options, max_iter=enough - 1)


def test_clusters():
    alpha, tol = 0.99, 3e-9
    first = 1 / (1 + Fraction(alpha))
    engine = wg.distributed.LocalEngine(1)
    graph = wg.distributed.graph([([0], [1])], engine, weight=None, n_vertices=2)
    options = {"alpha": alpha, "tol": tol, "personalization": [1, 0]}
    found = wg.distributed.pagerank(graph, **options).gather()
    assert error(found, [first, 1 - first]) < tol


@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("accelerates", [True, False])
@given(data=st.data())
def test_small_graphs(data, accelerates):
    """Random graphs, half of them bipartite, from one vertex: exactly within tol."""
    n = data.draw(st.integers(2, 5), label="n")
    vertex = st.integers(0, n - 1)
    pairs = st.tuples(vertex, vertex, st.sampled_from([1.0, 3.0, 0.1]))
    edges = data.draw(st.lists(pairs, max_size=10), label="edges")
    if data.draw(st.booleans(), label="bipartite"):
        edges = [(u, v, w) for u, v, w in edges if (u - v) % 2]
    if accelerates:
        edges = graphs.both_ways(edges)
    alpha, tol = data.draw(st.sampled_from([(0.999, 1.2e-10), (0.99, 1e-11)]), label="alpha, tol")
    start = [float(v == 0) for v in range(n)]
    wanted = solved_exactly(n, edges, alpha, start, start)
    with pytest.MonkeyPatch.context() as patch:
        if accelerates:
            device_lists.accelerate(patch)
        options = {"alpha": alpha, "tol": tol, "personalization": start, "method": "pull"}
        found = wg.pagerank(graphs.csr(n, edges), directed=not accelerates, **options)
    assert error(found, wanted) < tol


def test_the_number_of_iterations_proves_the_error():
    """Exactly: alpha ** k times the first error, and rounding, are below tol."""
    for alpha, tol in [(0.0, 1e-9), (0.3, 1e-12), (0.85, 1e-6), (0.999, 1e-10), (0.999999, 1e-4)]:
        rule = stopping.stopping(1000, alpha, tol, None)
        rounding = (2.0**-44 + 1000 * 2.0**-72) / (1 - alpha)
        assert 2 * alpha**rule.iterations + rounding < tol
        assert rule.suffice(accelerated=False)
        assert rule.suffice(accelerated=True)
        fewer = stopping.stopping(1000, alpha, tol, max(rule.iterations - 1, 1))
        assert fewer.suffice(accelerated=False) == (rule.iterations == 1)
    endless = stopping.stopping(2, 1 - 2.0**-40, 0.5, None)
    assert not endless.suffice(accelerated=False)
    for never in (
        stopping.stopping(1000, 1.0, 1e-6, None),
        stopping.stopping(1000, 0.85, stopping.ChangePerVertex(1e-6), 10**6),
        stopping.stopping(1000, 0.85, 0, 10**6),
    ):
        assert not never.suffice(accelerated=False)
        assert not never.suffice(accelerated=True)


def test_ctrl_c_during_millions_of_iterations():
    pair = sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            wg.pagerank(pair, alpha=1 - 1e-8, tol=1e-3, personalization=[1, 0], method="pull")
    finally:
        timer.cancel()
        timer.join()
