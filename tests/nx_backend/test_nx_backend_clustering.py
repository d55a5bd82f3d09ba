"""The NetworkX backend: core numbers, triangles and clustering coefficients."""

import functools
import inspect

import networkx as nx
import pytest
from hypothesis import given, settings, strategies as st

import networkx_support
from test_nx_backend import NODES, networkx_graphs, outcome

networkx_support.register()

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")

OF_NODES = [nx.triangles, nx.clustering, nx.average_clustering]
FUNCTIONS = [*OF_NODES, nx.core_number, nx.transitivity]


def assert_same(call):
    found = outcome(lambda: call(backend="warpgraph"))
    if found[0] == "not implemented":
        return
    expected = outcome(lambda: call(backend="networkx"))
    assert found == expected
    if isinstance(found[1], dict):
        values = zip(found[1].values(), expected[1].values(), strict=True)
        assert all(type(value) is type(other) for value, other in values)
        assert list(found[1]) == list(expected[1])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_of_all_nodes(function):
    @settings(max_examples=80)
    @given(networkx_graphs(directed=False))
    def agrees(graph):
        assert_same(lambda **how: function(graph, **how))

    agrees()


@pytest.mark.parametrize("function", OF_NODES, ids=lambda f: f.__name__)
def test_of_some_nodes(function):
    @settings(max_examples=60)
    @given(networkx_graphs(directed=False), st.data())
    def agrees(graph, data):
        nodes = data.draw(st.one_of(st.sampled_from(NODES), st.lists(st.sampled_from(NODES))))
        assert_same(lambda **how: function(graph, nodes, **how))

    agrees()


def test_averages_without_zeros():
    graph = nx.lollipop_graph(5, 4)
    how = {"count_zeros": False, "backend": "warpgraph"}
    assert nx.average_clustering(graph, **how) == nx.average_clustering(graph, count_zeros=False)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("make", [nx.DiGraph, nx.MultiGraph])
def test_other_graphs_run_in_networkx(function, make):
    graph = make([(0, 1), (1, 2), (2, 0)])
    assert outcome(lambda: function(graph, backend="warpgraph"))[0] != "value"


def test_weights_run_in_networkx():
    graph = nx.complete_graph(4)
    assert outcome(lambda: nx.clustering(graph, weight="w", backend="warpgraph"))[0] != "value"


def test_loops_are_refused_by_networkx():
    graph = nx.Graph([(0, 0), (0, 1)])
    assert outcome(lambda: nx.core_number(graph, backend="warpgraph"))[0] == "not implemented"


@settings(max_examples=80)
@given(networkx_graphs(directed=False), st.integers(0, 6))
def test_trusses(graph, k):
    found = outcome(lambda: nx.k_truss(graph, k, backend="warpgraph"))
    if found[0] == "not implemented":
        return
    expected = outcome(lambda: nx.k_truss(graph, k, backend="networkx"))
    assert found[0] == expected[0]
    if isinstance(expected[1], nx.Graph):
        assert dict(found[1].nodes(data=True)) == dict(expected[1].nodes(data=True))
        assert list(found[1].nodes) == list(expected[1].nodes)
        edges = [
            {frozenset(edge[:2]): edge[2] for edge in of[1].edges(data=True)}
            for of in (found, expected)
        ]
        assert edges[0] == edges[1]
        assert found[1].graph == expected[1].graph


#: NetworkX has a function of its own from 3.7 on, whose default is another metric.
_HAS_LEIDEN = "metric" in inspect.signature(nx.community.leiden_communities.orig_func).parameters
_LEIDEN = {"metric": "modularity"} if _HAS_LEIDEN else {}


def test_leiden_communities():
    graph = nx.relabel_nodes(nx.relaxed_caveman_graph(12, 8, 0.1, seed=2), str)
    leiden = functools.partial(nx.community.leiden_communities, backend="warpgraph", **_LEIDEN)
    found = leiden(graph, seed=4)
    assert nx.community.is_partition(graph, found)
    assert found == leiden(graph, seed=4)
    louvain = nx.community.louvain_communities(graph, seed=4, backend="networkx")
    modularity = nx.community.modularity
    assert modularity(graph, found) >= modularity(graph, louvain) - 0.01
    more = leiden(graph, resolution=60)
    assert len(more) > len(found)


def test_leiden_communities_that_are_refused():
    for graph, how in ((nx.DiGraph([(0, 1)]), {}), (nx.path_graph(3), {"max_level": 1})):
        call = functools.partial(nx.community.leiden_communities, graph, **how, **_LEIDEN)
        assert outcome(lambda: call(backend="warpgraph"))[0] != "value"  # noqa: B023


@pytest.mark.skipif(not _HAS_LEIDEN, reason="NetworkX has no function of its own")
def test_leiden_communities_of_another_metric_run_in_networkx():
    graph = nx.barbell_graph(3, 4)
    call = functools.partial(nx.community.leiden_communities, graph, resolution=0.2, seed=6)
    with pytest.raises(NotImplementedError, match="not implemented by 'warpgraph'"):
        call(backend="warpgraph")
    with nx.config(backend_priority=["warpgraph"]):
        for metric in ("cpm", "modularity"):
            assert call(metric=metric) == call(metric=metric, backend="networkx")
