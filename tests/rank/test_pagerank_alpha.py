"""PageRank of walks that end at once, and of those that never do."""

import functools

import networkx as nx
import numpy as np
import pytest

import graphs
import warpgraph as wg
from checks import raises_sentence

STARTS = ({}, {"personalization": {5: 1.0}})


@functools.cache
def random_graph(made):
    """With this seed, walks without end settle."""
    return nx.fast_gnp_random_graph(6000, 0.0005, seed=8, directed=made is nx.DiGraph)


@functools.cache
def scores_of_networkx(made, alpha):
    how = {"alpha": alpha, "tol": 1e-3 / 6000, "max_iter": 1000}
    return [[*nx.pagerank(random_graph(made), **how, **start).values()] for start in STARTS]


@pytest.mark.parametrize("alpha", [0, 1.0])
@pytest.mark.parametrize("made", [nx.DiGraph, nx.Graph])
def test_walks_of_one_step_and_without_end(made, alpha, device):
    graph = random_graph(made)
    for start, wanted in zip(STARTS, scores_of_networkx(made, alpha), strict=True):
        found = wg.pagerank(graph, alpha=alpha, tol=1e-3, **start, device=device)
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-15)


def test_walks_that_do_not_settle(device):
    """They are at every second vertex, in turns, and the call ends."""
    pair = graphs.csr(2, [(0, 1, 1.0), (1, 0, 1.0)])
    options = {"alpha": 1, "nstart": {0: 1.0}, "device": device}
    with raises_sentence(wg.ConvergenceError, "1000 iterations", "by 2 in sum", "which is tol"):
        wg.pagerank(pair, **options)
    with raises_sentence(wg.ConvergenceError, "3 iterations") as caught:
        wg.pagerank(pair, **options, max_iter=3)
    assert caught.value.scores.tolist() == [0, 1]


def test_a_push_of_walks_without_end():
    with raises_sentence(ValueError, "alpha", 1.0, "less than 1", "push"):
        wg.pagerank(graphs.SAMPLES["grid"], alpha=1.0, method="push")
