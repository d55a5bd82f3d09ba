"""PageRank of the NetworkX backend: NetworkX's rule, and a warning where that is no accuracy."""

import warnings

import networkx as nx
import numpy as np
import pytest

import warpgraph as wg
from checks import raises_sentence


@pytest.fixture(autouse=True)
def _no_warning_of_kept_graphs():
    with nx.config(warnings_to_ignore={"cache"}):
        yield


def test_the_rule_is_that_of_networkx():
    """Scores and numbers of iterations are equal, also where `tol` is large or below rounding."""
    graph = nx.gnp_random_graph(300, 0.01, seed=1, directed=True)
    for options in ({}, {"tol": 1e-3}, {"alpha": 1.0, "tol": 1e-5}, {"personalization": {3: 1}}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = nx.pagerank(graph, backend="warpgraph", **options)
        wanted = nx.pagerank(graph, **options)
        np.testing.assert_allclose(list(found.values()), list(wanted.values()), rtol=1e-9)
    for backend in ("warpgraph", None):
        with pytest.raises(nx.PowerIterationFailedConvergence, match="100 iterations"):
            nx.pagerank(graph, tol=0, backend=backend)
        with pytest.raises(nx.PowerIterationFailedConvergence, match="2 iterations"):
            nx.pagerank(graph, max_iter=2, tol=1e-9, backend=backend)


def test_a_warning_where_scores_may_be_far_from_the_limit():
    graph = nx.star_graph(20_000)
    with pytest.warns(UserWarning, match=r"len\(G\) \* tol = 0.02 in sum") as caught:
        found = nx.pagerank(graph, backend="warpgraph")
    assert "warpgraph.pagerank" in str(caught[0].message)
    assert "tol, as 5e-10" in str(caught[0].message)
    assert caught[0].filename == __file__  # and not a file of NetworkX
    hub = (0.15 / 20_001 + 0.85) / 1.85
    assert abs(found[0] - hub) > 0.001  # the warning is true
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = nx.pagerank(graph, tol=5e-10, backend="warpgraph")
        scores = wg.pagerank(graph)
    assert found[0] == pytest.approx(hub, abs=1e-4)
    assert scores[0] == pytest.approx(hub, abs=1e-6)


def test_no_warning_below_the_bound():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nx.pagerank(nx.star_graph(9_999), backend="warpgraph")
        nx.pagerank(nx.star_graph(99), tol=1e-4, backend="warpgraph")
    with pytest.warns(UserWarning, match=r"len\(G\) \* tol = 0.05"):
        nx.pagerank(nx.star_graph(99), tol=5e-4, backend="warpgraph")


def test_a_graph_of_networkx_has_the_accuracy_of_warpgraph():
    """Which rule holds depends on the function that is called."""
    graph = nx.star_graph(20_000)
    with raises_sentence(wg.ConvergenceError, "L1 error by tol = 1e-06"):
        wg.pagerank(graph, max_iter=3)
