"""PageRank of walks that end at once, and of those that never do."""

import networkx as nx
import numpy as np
import pytest

import graphs
import warpgraph as wg
from checks import raises_sentence


@pytest.mark.parametrize("alpha", [0, 1.0])
@pytest.mark.parametrize("made", [nx.DiGraph, nx.Graph])
def test_walks_of_one_step_and_without_end(made, alpha, device):
    graph = nx.gnp_random_graph(6000, 0.0005, seed=2, directed=made is nx.DiGraph)
    options = {"alpha": alpha, "tol": 1e-3 / 6000, "max_iter": 1000}
    for start in ({}, {"personalization": {5: 1.0}}):
        wanted = nx.pagerank(graph, **options, **start)
        found = wg.pagerank(graph, **options, **start, device=device)
        np.testing.assert_allclose(found, list(wanted.values()), rtol=1e-10, atol=1e-15)


def test_a_push_of_walks_without_end():
    with raises_sentence(ValueError, "alpha", 1.0, "less than 1", "push"):
        wg.pagerank(graphs.SAMPLES["grid"], alpha=1.0, method="push")
