"""Integer names of vertices are arrays of int64, wherever they come from."""

import enum

import networkx as nx
import numpy as np
import pytest

import warpgraph as wg
from checks import raises_sentence


@pytest.mark.parametrize(
    "names",
    [[7, 5], np.array([7, 5]), np.array([7, 5], "u2"), [np.int8(7), 5], (-(2**63), 2**63 - 1)],
)
def test_names_that_are_all_integers_are_of_int64(names):
    plain = list(map(int, names))
    graph = wg.Graph(np.array([[0, 1.0], [0, 0]]), names=names)
    assert (graph.names.dtype, graph.names.tolist()) == (np.int64, plain)
    _, tree = wg.sssp(graph, names[0], return_predecessors=True)
    path = wg.reconstruct_path(tree, names[0], names[1], graph=graph)
    assert (path.dtype, path.tolist()) == (np.int64, plain)
    assert [graph.number_of(name) for name in plain] == [0, 1]
    assert wg.SpanningForest(2, [[0, 1]], [1.0], names=names).names.dtype == np.int64
    assert wg.leiden_communities(graph).names.dtype == np.int64
    with raises_sentence(ValueError, "source is 'Berlin'", f"names are {plain[0]}, {plain[1]}"):
        wg.sssp(graph, "Berlin")


def test_integer_nodes_of_networkx_are_of_int64():
    graph = wg.Graph(nx.Graph([(7, 5), (5, 10**12)]))
    assert (graph.names.dtype, graph.names.tolist()) == (np.int64, [7, 5, 10**12])
    assert wg.sssp(graph, 5).tolist() == [1, 0, 1]
    assert list(graph.to_networkx()) == [7, 5, 10**12]
    assert all(type(node) is int for node in graph.to_networkx())


class Colour(enum.IntEnum):
    RED = 1


@pytest.mark.parametrize("names", [[True, 5], [2**63, 5], [Colour.RED, 5], [1.0, 5], ["1", 5]])
def test_other_names_are_objects(names):
    graph = wg.Graph(np.eye(2), names=names)
    assert graph.names.dtype == object
    assert list(map(type, graph.names)) == list(map(type, names))
