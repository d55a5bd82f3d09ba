"""NetworkX graphs: the attribute of an edge that is its weight."""

import fractions
import warnings
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

import calls
import networkx_support
import warpgraph as wg
from checks import assert_same_bits, raises_sentence

TOWNS = [("Rome", "Pisa", 355), ("Pisa", "Genoa", 165), ("Rome", "Genoa", 600), ("Oslo", "Bodo", 1)]


def roads(make=nx.Graph, attribute="length", **others):
    graph = make()
    for tail, head, length in TOWNS:
        graph.add_edge(tail, head, **{attribute: length}, **others)
    return graph


def far_from(graph, source, weight):
    """Distances by NetworkX, as a list in the order of the nodes."""
    far = nx.single_source_dijkstra_path_length(graph, source, weight=weight)
    return [far.get(node, np.inf) for node in graph]


#: Functions that read weights: run(graph, **options) returns a tuple of arrays.
CALLS = {call.name: call.run for call in calls.calls("weight")}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


# Weights.


@every_call
def test_the_attribute_that_is_named_has_the_weights(call):
    by_length, by_weight = roads(), roads(attribute="weight")
    assert_same_bits(call(by_length, weight="length"), call(by_weight))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same_bits(call(by_length, weight=None), call(nx.Graph(by_length.edges)))


@every_call
def test_no_weight_among_other_numbers_is_warned_of(call):
    graph = roads(lanes=2, name="E 5", oneway=True)
    with pytest.warns(UserWarning, match=r"no attribute 'weight' .* 'lanes', 'length'") as caught:
        call(graph)
    assert [warning.filename for warning in caught] == [call.__code__.co_filename]
    assert "oneway" not in str(caught[0].message)
    assert "'name'" not in str(caught[0].message)


@every_call
def test_no_number_at_all_is_no_reason_to_warn(call):
    call(nx.Graph([(*edge[:2], {"name": "E 5"}) for edge in TOWNS]))


@every_call
def test_an_attribute_that_no_edge_has(call):
    with raises_sentence(ValueError, "weight='miles'", "'length'"):
        call(roads(), weight="miles")


@every_call
@pytest.mark.parametrize("weight", [3, ["length"], lambda u, v, data: 1], ids=["3", "list", "call"])
def test_a_weight_that_is_no_name(call, weight):
    with raises_sentence(TypeError, "weight must be the name of an edge attribute"):
        call(roads(), weight=weight)


@every_call
@pytest.mark.parametrize("weight", ["length", None])
def test_a_weight_chosen_where_there_is_nothing_to_choose(call, weight):
    matrix = wg.Graph(roads(), weight="length", names=list("abcde")).to_csr()
    named = wg.Graph(matrix, names=["Rome", "Pisa", "Genoa", "Oslo", "Bodo"])
    with raises_sentence(TypeError, f"weight={weight!r}", "NetworkX", "Graph"):
        call(named, weight=weight)
    with raises_sentence(TypeError, f"weight={weight!r}", "NetworkX", type(matrix).__name__):
        call(matrix, weight=weight)


def test_points_have_no_attributes():
    for call in (wg.cluster.single_linkage, wg.cluster.MSTClustering(weight="km").fit):
        options = {"weight": "km"} if call is wg.cluster.single_linkage else {}
        with raises_sentence(TypeError, "weight='km'", "ndarray"):
            call(np.zeros((3, 2)), **options)


def test_weights_that_are_not_needed_are_not_read():
    graph = roads(weight="heavy")
    assert wg.bfs(graph, "Oslo").tolist() == [-1, -1, -1, 0, 1]
    assert wg.connected_components(graph)[0] == 2
    assert wg.sssp(graph, "Oslo", unweighted=True).tolist() == [np.inf, np.inf, np.inf, 0, 1]
    assert wg.apsp(roads(), unweighted=True)[0, 2] == 1
    assert wg.many_to_many(graph, ["Rome"], ["Genoa"], unweighted=True) == 1
    assert wg.Hierarchy(graph, unweighted=True).n_vertices == 5


@pytest.mark.parametrize("value", ["heavy", None, 1j, [1], np.array([1.0, 2.0]), object()])
def test_weights_that_are_no_numbers(value):
    graph = roads()
    graph.edges["Pisa", "Genoa"]["length"] = value
    with raises_sentence(TypeError, "'length'", "('Pisa', 'Genoa')", "real numbers"):
        wg.Graph(graph, weight="length")


def test_weights_that_are_nan():
    graph = roads()
    graph.edges["Pisa", "Genoa"]["length"] = float("nan")
    with raises_sentence(ValueError, "'length'", "('Pisa', 'Genoa')", "NaN"):
        wg.Graph(graph, weight="length")


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 2**64, -(2**70), 10**400])
def test_integer_weights_that_do_not_fit(value):
    graph = roads()
    graph.edges["Pisa", "Genoa"]["length"] = value
    with raises_sentence(OverflowError, "int64"):
        wg.Graph(graph, weight="length")


def test_integers_among_floats():
    graph = roads()
    graph.edges["Pisa", "Genoa"]["length"] = 0.5
    graph.edges["Oslo", "Bodo"]["length"] = 2**64
    assert wg.sssp(graph, "Oslo", weight="length")[4] == 2.0**64
    graph.edges["Oslo", "Bodo"]["length"] = fractions.Fraction(1, 4)
    assert wg.sssp(graph, "Oslo", weight="length")[4] == 0.25
    graph.edges["Oslo", "Bodo"]["length"] = 10**400
    with raises_sentence(OverflowError, "('Oslo', 'Bodo')", "float64"):
        wg.Graph(graph, weight="length")


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, 2, 3, 2**62 + 1], "int64"),
        ([True, False, True, True], "int32"),
        ([np.float32(0.1)] * 4, "float32"),
        ([np.int32(4)] * 4, "int32"),
        ([1, 2.5, np.float32(3), fractions.Fraction(7, 2)], "float64"),
    ],
)
def test_weights_keep_their_values(values, dtype):
    graph = nx.DiGraph([(i, i + 1, {"weight": value}) for i, value in enumerate(values)])
    made = wg.Graph(graph)
    assert made.dtype == dtype
    assert made.data.tolist() == [np.dtype(dtype).type(value).item() for value in values]


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_edges_without_the_weight_weigh_one_as_in_networkx(make):
    graph = roads(make, attribute="weight")
    graph.add_edge("Genoa", "Turin", km=7)
    with pytest.warns(UserWarning, match=r"1 of 5 edges have no attribute 'weight' and weigh 1"):
        distances = wg.sssp(graph, "Rome")
    assert distances.tolist() == far_from(graph, "Rome", "weight")


def test_the_lightest_of_parallel_edges_wins():
    for make in (nx.MultiGraph, nx.MultiDiGraph):
        graph = roads(make)
        graph.add_edge("Rome", "Pisa", length=7)
        graph.add_edge("Rome", "Pisa", length=9)
        for source in graph:
            distances = wg.sssp(graph, source, weight="length")
            assert distances.tolist() == far_from(graph, source, "length")


class Stop:
    """A node that equals no other and has no order."""


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("weight", ["km", None])
def test_from_networkx_keeps_nodes_of_any_kind(make, weight):
    path = ["Rome", 7, ("Genoa", "harbour"), Stop(), frozenset()]
    theirs = make()
    theirs.add_nodes_from([2.5, *reversed(path)])
    for i, (tail, head) in enumerate(pairwise(path)):
        theirs.add_edge(tail, head, km=i + 1)
    graph = wg.Graph.from_networkx(theirs, weight=weight)
    assert [id(name) for name in graph.names] == [id(node) for node in theirs]
    assert_same_bits(graph.data, wg.Graph(theirs, weight=weight).data)
    found = dict(zip(graph.names, wg.sssp(graph, "Rome").tolist(), strict=True))
    expected = nx.single_source_dijkstra_path_length(theirs, "Rome", weight=weight or "none")
    assert found == {node: expected.get(node, np.inf) for node in theirs}


def test_from_networkx_reads_the_weight_of_networkx_by_default():
    theirs = nx.path_graph(3)
    nx.set_edge_attributes(theirs, 4, "weight")
    assert wg.Graph.from_networkx(theirs).data.tolist() == [4, 4, 4, 4]
    with pytest.raises(ValueError, match="no edge has the attribute weight='km'"):
        wg.Graph.from_networkx(theirs, weight="km")
    assert wg.Graph.from_networkx(nx.empty_graph(0)).n_vertices == 0


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("members", networkx_support.ORDERS.values(), ids=networkx_support.ORDERS)
def test_subclasses_may_list_nodes_and_rows_in_orders_of_their_own(make, members):
    theirs = networkx_support.in_own_order(make, members)
    nx.set_node_attributes(theirs, {node: (node, -node) for node in theirs}, "pos")
    graph = wg.Graph.from_networkx(theirs, coordinates="pos")
    assert graph.names.tolist() == list(theirs)
    assert graph.coordinates[:, 0].tolist() == list(theirs)
    for source in theirs:
        assert wg.sssp(graph, source).tolist() == far_from(theirs, source, "weight")


@pytest.mark.parametrize("graph", [np.ones((2, 2)), {0: {1: {}}}, None, wg.Graph(np.ones((2, 2)))])
def test_from_networkx_takes_nothing_else(graph):
    with raises_sentence(TypeError, "networkx.Graph", type(graph).__name__):
        wg.Graph.from_networkx(graph)


@calls.every("call", calls.calls())
def test_every_function_that_reads_weights_takes_their_name(call):
    assert ("weight" in call.parameters) == call.reads_weights
