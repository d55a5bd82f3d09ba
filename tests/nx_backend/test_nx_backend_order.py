"""What the NetworkX backend makes of results of searches: the order of vertices, and sets."""

import numpy as np
import pytest

import networkx_support

networkx_support.require()

import networkx as nx  # noqa: E402

from warpgraph import _core  # noqa: E402

UNREACHED = {
    np.int32: -1,
    np.int64: np.iinfo(np.int64).max,
    np.float32: np.inf,
    np.float64: np.inf,
}


def order_by_definition(distances, unreached):
    """Sort (distance, vertex) as Python does."""
    pairs = [(far, v) for v, far in enumerate(distances.tolist()) if far != unreached]
    return [v for _, v in sorted(pairs)]


@pytest.mark.parametrize("kind", UNREACHED)
@pytest.mark.parametrize("n", [0, 1, 2, 100, 5000])
@pytest.mark.parametrize("largest", [1, 7, 10**6, 10**9])
def test_vertices_by_distance(kind, n, largest):
    rng = np.random.default_rng([n, largest])
    distances = (rng.random(n) * largest).astype(kind)
    if kind is not np.int32:  # hops are not negative
        distances -= kind(largest // 2)
    distances[rng.random(n) < 0.2] = UNREACHED[kind]
    found = _core.order_by_distance(distances)
    assert found.dtype == np.int32
    assert found.tolist() == order_by_definition(distances, UNREACHED[kind])


@pytest.mark.parametrize("kind", UNREACHED)
def test_no_vertex_was_reached(kind):
    assert _core.order_by_distance(np.full(9, UNREACHED[kind], kind)).size == 0


def test_zeros_of_both_signs_are_equal():
    distances = np.array([0.0, -0.0, 1e300, 0.0, -1e-320, -0.0])
    assert _core.order_by_distance(distances).tolist() == [4, 0, 1, 3, 5, 2]


def test_distances_as_far_apart_as_their_type_allows():
    least, largest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    distances = np.array([largest - 1, least, 0, largest, -1], np.int64)
    assert _core.order_by_distance(distances).tolist() == [1, 4, 2, 0]


def test_sets_have_the_very_nodes():
    nodes = [str(i) * 2 for i in range(1000)] + [(i,) for i in range(500)]
    labels = np.random.default_rng(0).integers(0, 40, len(nodes)).astype(np.int32)
    sets = _core.sets_by_label(nodes, labels, 41)
    expected = [{n for n, k in zip(nodes, labels, strict=True) if k == i} for i in range(41)]
    assert sets == expected
    assert set(map(id, nodes)) == {id(node) for part in sets for node in part}


def test_an_error_of_a_node_comes_through():
    class Node:
        def __hash__(self):
            raise RuntimeError("no hash")

    with pytest.raises(RuntimeError, match="no hash"):
        _core.sets_by_label([Node()], np.zeros(1, np.int32), 1)


def test_attributes_of_nodes_are_copies_one_level_deep():
    inner = [1, 2]
    graph = nx.path_graph(3)
    graph.nodes[0].update({"a": inner, 5: "b"})
    graph[0][1]["weight"] = 2
    tree = nx.minimum_spanning_tree(graph, backend="warpgraph")
    assert dict(tree.nodes(data=True)) == dict(graph.nodes(data=True))
    assert tree.nodes[0]["a"] is inner
    for node in graph:
        assert tree.nodes[node] is not graph.nodes[node]
    tree.nodes[1]["new"] = 1
    tree.add_node("new")
    assert list(tree.nodes) == [0, 1, 2, "new"]
    assert "new" not in graph.nodes[1]
    assert "new" not in graph
