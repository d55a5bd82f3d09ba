"""The NetworkX backend: betweenness of edges on paths between some nodes."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import networkx_support
import warpgraph as wg
import warpgraph.nx_backend as interface
from test_nx_backend import NODES, close, compare, networkx_graphs

networkx_support.register()

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")

NAME = "edge_betweenness_centrality_subset"
MAKERS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
#: Iterables of nodes, which have another order, or each node once.
CONTAINERS = [list, tuple, set, dict.fromkeys]


def is_declined(graph, sources, targets):
    return "shares paths" in str(interface.can_run(NAME, (graph, sources, targets), {}))


@st.composite
def ends(draw, graph):
    """Return sources, some of them repeated, and targets that are all nodes and further ones."""
    nodes = list(graph)
    sources = draw(st.lists(st.sampled_from(nodes), max_size=6) if nodes else st.just([]))
    more = draw(st.lists(st.sampled_from([*NODES, "none"]), max_size=3))
    targets = draw(st.permutations(nodes + more))
    return draw(st.sampled_from(CONTAINERS))(sources), draw(st.sampled_from(CONTAINERS))(targets)


@settings(max_examples=200)
@given(data=st.data(), graph=networkx_graphs(), normalized=st.booleans())
def test_hops(data, graph, normalized):
    sources, targets = data.draw(ends(graph))
    assert interface.can_run(NAME, (graph, sources, targets), {}) is True
    compare(NAME, graph, sources, targets, normalized=normalized, same=close_in_order)


@settings(max_examples=200)
@given(data=st.data(), graph=networkx_graphs(("integers", "float64")), normalized=st.booleans())
def test_lengths(data, graph, normalized):
    for *_, attributes in graph.edges(data=True):
        if not attributes.get("weight", 1) > 0.01:
            attributes["weight"] = 1
    how = {"normalized": normalized, "weight": "weight"}
    compare(NAME, graph, *data.draw(ends(graph)), **how, same=close_in_order)


def close_in_order(graph, found, expected):
    assert list(found) == list(expected)
    close(graph, found, expected)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("sources", [[], [0], [0, 0, 2]])
@pytest.mark.parametrize("targets", [[], range(4), np.arange(4), [*range(4), 0, "none"]])
def test_calls_that_the_backend_takes(make, sources, targets):
    graph = nx.cycle_graph(4, make)
    found, expected = (
        getattr(nx, NAME)(graph, sources, targets, backend=backend)
        for backend in ("warpgraph", "networkx")
    )
    assert found == expected
    assert any(found.values()) == (len(sources) > 0 and len(targets) > 0)


def test_paths_without_a_source_end_anywhere():
    graph = nx.path_graph(3)
    assert getattr(nx, NAME)(graph, [], [2], backend="warpgraph") == {(0, 1): 0, (1, 2): 0}


@pytest.mark.parametrize("make", MAKERS)
def test_a_graph_without_nodes(make):
    assert getattr(nx, NAME)(make(), [], [], backend="warpgraph") == {}


def three_paths_of_two_widths():
    """Return a graph where two of the three shortest paths from 0 to 7 lead through 3."""
    pairs = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 5), (5, 4), (3, 6), (4, 6), (6, 7)]
    graph = nx.DiGraph(pairs)
    graph.add_edges_from(nx.complete_graph(range(10, 40), nx.DiGraph).edges)
    return graph


@pytest.mark.parametrize("targets", [[7], [0, 7], ["none"], range(8)])
@pytest.mark.parametrize("make", [list, iter])
def test_other_calls_run_in_networkx(make, targets):
    graph = three_paths_of_two_widths()
    expected = getattr(nx, NAME)(graph, [0], targets, backend="networkx")
    with nx.config(backend_priority=["warpgraph"], warnings_to_ignore={"cache"}):
        assert getattr(nx, NAME)(graph, make([0]), make(targets)) == expected
    assert is_declined(graph, [0], targets)


def test_networkx_counts_other_parts_of_paths_than_the_definition():
    """NetworkX counts half of the paths for 3, which has two of three: so it computes these."""
    graph = three_paths_of_two_widths()
    theirs = getattr(nx, NAME)(graph, [0], [7], backend="networkx")
    assert (theirs[0, 1], theirs[3, 6]) == (0.25, 0.5)
    numbered = wg.Graph(graph)
    scores = wg.edge_betweenness_centrality(numbered, sources=[0], targets=[7], normalized=False)
    ends = (numbered.names[part].tolist() for part in numbered.to_edges()[:2])
    ours = dict(zip(zip(*ends, strict=True), scores.tolist(), strict=True))
    paths = list(nx.all_shortest_paths(graph, 0, 7, backend="networkx"))
    for edge in [(0, 1), (3, 6), (4, 6), (6, 7)]:
        count = sum(edge in nx.utils.pairwise(path) for path in paths)
        assert ours[edge] == pytest.approx(count / len(paths))


def test_all_targets_are_faster_here():
    graph = nx.gnm_random_graph(60, 800, seed=1)
    assert interface.should_run(NAME, (graph, [0, 1], list(graph)), {}) is True
    assert "faster" in interface.should_run(NAME, (nx.path_graph(5), [0, 1], range(5)), {})


@pytest.mark.parametrize("backend", ["warpgraph", "networkx"])
def test_missing_arguments(backend):
    with pytest.raises(TypeError, match="targets"):
        getattr(nx, NAME)(nx.path_graph(3), [0], backend=backend)


def test_sources_that_are_no_nodes():
    graph = nx.complete_graph(40)
    with pytest.raises(NotImplementedError):
        getattr(nx, NAME)(graph, ["none"], list(graph), backend="warpgraph")
    with nx.config(backend_priority=["warpgraph"]), pytest.raises(KeyError, match="none"):
        getattr(nx, NAME)(graph, ["none"], list(graph))
