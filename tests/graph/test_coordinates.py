"""Coordinates of vertices: kept with the graph, moved with its vertices."""

import copy
import inspect
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

import graphs
import warpgraph as wg
from checks import raises_sentence


def with_points(graph, d=2):
    """Return a graph whose vertex v is at the point (v, v + 0.25, ...)."""
    n = graph.shape[0]
    return wg.Graph(graph, coordinates=np.arange(n)[:, None] + np.arange(d) / 4)


def grid():
    return with_points(graphs.SAMPLES["grid"])


def test_coordinates_are_kept_as_given():
    points = np.arange(6.0).reshape(3, 2)
    graph = wg.Graph(np.ones((3, 3)), coordinates=points)
    assert graph.coordinates.tolist() == points.tolist()
    assert graph.coordinates.dtype == np.float64
    assert points.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        graph.coordinates[0] = 1
    assert wg.Graph(np.ones((3, 3)), coordinates=[[1], [2], [4]]).coordinates.shape == (3, 1)
    assert wg.Graph(np.ones((3, 3))).coordinates is None


def test_they_may_be_tables_of_types_that_may_miss_values():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"x": [1, 2], "y": [0.5, 1.5]}).convert_dtypes()
    graph = wg.Graph(np.ones((2, 2)), coordinates=table)
    assert graph.coordinates.tolist() == [[1, 0.5], [2, 1.5]]
    table.loc[1, "x"] = pd.NA
    with raises_sentence(ValueError, "coordinates[1] is [nan, 1.5]"):
        wg.Graph(np.ones((2, 2)), coordinates=table)


def test_graphs_of_graphs_have_them():
    graph = grid()
    assert wg.Graph(graph).coordinates is graph.coordinates
    other = np.zeros((graph.n_vertices, 3))
    assert wg.Graph(graph, coordinates=other).coordinates.shape == other.shape
    named = wg.Graph(graph, names=[f"v{i}" for i in range(graph.n_vertices)])
    assert named.coordinates is named._unnamed().coordinates is graph.coordinates


@pytest.mark.parametrize(
    "again", [lambda g: pickle.loads(pickle.dumps(g)), copy.copy, copy.deepcopy]
)
def test_copies_have_them(again):
    graph = grid()
    made = again(graph)
    np.testing.assert_array_equal(made.coordinates, graph.coordinates)
    assert not made.coordinates.flags.writeable


def test_they_count_as_bytes():
    graph = wg.Graph(graphs.SAMPLES["grid"])
    assert grid().nbytes == graph.nbytes + 16 * graph.n_vertices


def test_forms_of_the_same_vertices_have_them():
    graph = with_points(graphs.SAMPLES["medium_directed"], d=3)
    points = graph.coordinates
    assert graph._undirected().coordinates is points
    assert graph._transposed().coordinates is points
    assert graph._upper_triangle()[0].coordinates is points
    assert wg.transform.sort_by_weight(graph).graph.coordinates is points
    assert wg.transform.rank_weights(graph).graph.coordinates is points
    assert wg.transform.compress(graph).decompress().coordinates is points


@given(graph=graphs.csr_graphs(), data=st.data())
def test_they_move_with_the_vertices(graph, data):
    graph = with_points(graph)
    order = data.draw(st.permutations(range(graph.n_vertices)))
    made = wg.transform.permute(graph, order).graph
    assert made.coordinates[:, 0].tolist() == list(order)
    found = wg.transform.reorder(graph, "degree")
    assert found.graph.coordinates[:, 0].tolist() == found.order.tolist()


def test_forests_have_those_of_their_graph():
    graph = grid()
    forest = wg.minimum_spanning_forest(graph)
    assert forest.coordinates is graph.coordinates
    half = graph.n_vertices // 2
    parts = [wg.local_forest(graph, rows=rows) for rows in ((0, half), (half, graph.n_vertices))]
    merged = wg.merge_forests(*parts)
    np.testing.assert_array_equal(merged.coordinates, graph.coordinates)
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(again.coordinates, graph.coordinates)
    made = wg.SpanningForest(2, [[0, 1]], [1.0], coordinates=[[0, 1], [2, 3]])
    assert made.coordinates.tolist() == [[0, 1], [2, 3]]
    assert wg.minimum_spanning_forest(nx.path_graph(3)).coordinates is None


def test_npz_keeps_them(tmp_path):
    graph = with_points(graphs.SAMPLES["medium_directed"], d=3)
    path = tmp_path / "graph.npz"
    wg.io.write(path, graph, ids=np.arange(graph.n_vertices) * 2)
    for dtype in (None, np.float32):
        read, ids = wg.io.read(path, dtype=dtype)
        np.testing.assert_array_equal(read.coordinates, graph.coordinates)
        assert ids[1] == 2
    with np.load(path) as stored:
        arrays = {**stored, "coordinates": np.zeros((3, 2))}
    np.savez(path, **arrays)
    with raises_sentence(ValueError, str(path), "coordinates must have a row for each of the"):
        wg.io.read(path)


@pytest.mark.parametrize(
    ("given", "kind", "part"),
    [
        (np.zeros((2, 2)), ValueError, "each of the 3 vertices, shape (3, d), got shape (2, 2)"),
        (np.zeros(3), ValueError, "got shape (3,)"),
        (np.zeros((3, 0)), ValueError, "got shape (3, 0)"),
        ([[0, 1], [2, np.nan], [0, 0]], ValueError, "coordinates[1] is [2.0, nan]"),
        ([[0, 1], [2, 1], [0, -np.inf]], ValueError, "coordinates[2] is [0.0, -inf]"),
        ([["a"], ["b"], ["c"]], TypeError, "coordinates must be real numbers"),
        (np.zeros((3, 2), complex), TypeError, "got an array of complex128"),
    ],
)
def test_wrong_coordinates(given, kind, part):
    with raises_sentence(kind, part):
        wg.Graph(np.ones((3, 3)), coordinates=given)


def in_library(library, attributes, n=3):
    """Return a path of n nodes with attributes that may lack values, in NetworkX or igraph."""
    names = [f"v{i}" for i in range(n)]
    if library == "igraph":
        made = pytest.importorskip("igraph").Graph(n, [(i, i + 1) for i in range(n - 1)])
        made.vs["name"] = names
        for attribute, values in attributes.items():
            made.vs[attribute] = values
        return made
    made = nx.path_graph(names)
    for attribute, values in attributes.items():
        there = {v: x for v, x in zip(names, values, strict=True) if x is not None}
        nx.set_node_attributes(made, there, attribute)
    return made


LIBRARIES = pytest.mark.parametrize("library", ["networkx", "igraph"])
IN_COLUMNS = {"x": [0, 1, 2.5], "y": [5, 4, -3], "lat": [1, 2, 3]}


@LIBRARIES
@pytest.mark.parametrize("axes", [("x", "y"), ["lat"], ["y", "lat", "x"]])
def test_they_come_from_an_attribute_for_each_axis(library, axes):
    made = in_library(library, IN_COLUMNS)
    graph = getattr(wg.Graph, f"from_{library}")(made, coordinates=axes)
    np.testing.assert_array_equal(graph.coordinates.T, [IN_COLUMNS[axis] for axis in axes])
    assert graph.names.tolist() == ["v0", "v1", "v2"]
    assert getattr(wg.Graph, f"from_{library}")(made).coordinates is None


@LIBRARIES
@pytest.mark.parametrize("kind", [tuple, list, np.array])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_they_come_from_one_attribute(library, kind, d):
    points = np.arange(3 * d).reshape(3, d) / 4
    made = in_library(library, {"pos": [kind(row) for row in points.tolist()]})
    graph = getattr(wg.Graph, f"from_{library}")(made, coordinates="pos")
    np.testing.assert_array_equal(graph.coordinates, points)


@LIBRARIES
@pytest.mark.parametrize("axes", [("x", "y"), "x"])
def test_a_graph_without_vertices_has_none_to_give(library, axes):
    made = in_library(library, {}, n=0)
    assert getattr(wg.Graph, f"from_{library}")(made, coordinates=axes).coordinates.shape[0] == 0


@LIBRARIES
@pytest.mark.parametrize(
    ("attributes", "chosen", "kind", "part"),
    [
        ({"x": [0, None, 2], "y": [1, 2, 3]}, ("x", "y"), ValueError, "vertex 1 has no attribute"),
        ({"x": [0, 1, 2]}, ("x", "y"), ValueError, "vertex 0 has no attribute 'y'"),
        ({"pos": [(0, 1), (2,), (3, 4)]}, "pos", ValueError, "got [(0, 1), (2,), (3, 4)]"),
        ({"pos": [1, 2, 3]}, "pos", ValueError, "equally many numbers for each vertex"),
        ({"pos": ["0,1", "2,3", "4,5"]}, "pos", TypeError, "coordinates must be real numbers"),
        ({"x": [0, float("nan"), 1]}, ("x",), ValueError, "coordinates[1] is [nan]"),
        ({}, (), TypeError, "a name for each axis, got ()"),
        ({}, (1, 2), TypeError, "a name for each axis, got (1, 2)"),
        ({}, 3, TypeError, "a name for each axis, got 3"),
    ],
)
def test_attributes_that_are_none_are_refused(library, attributes, chosen, kind, part):
    made = in_library(library, attributes)
    with raises_sentence(kind, part):
        getattr(wg.Graph, f"from_{library}")(made, coordinates=chosen)


@LIBRARIES
def test_they_come_back_from_other_libraries(library):
    graph = with_points(graphs.SAMPLES["grid"], d=3)
    made = getattr(graph, f"to_{library}")()
    again = getattr(wg.Graph, f"from_{library}")(made, coordinates=("x", "y", "z"))
    np.testing.assert_array_equal(again.coordinates, graph.coordinates)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_graphml_keeps_them(tmp_path, d):
    graph = with_points(graphs.SAMPLES["grid"], d=d)
    path = tmp_path / "graph.graphml"
    wg.io.write(path, graph)
    for dtype in (None, np.float32):
        read = wg.io.read(path, dtype=dtype)[0]
        np.testing.assert_array_equal(read.coordinates, graph.coordinates)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"x": ["7.5", "8", 9]}, [[7.5], [8], [9]]),
        ({"x": ["1", "2", "3"], "y": ["4.5", "-5", "6e1"]}, [[1, 4.5], [2, -5], [3, 60]]),
        ({"x": [1, 2, 3], "y": [4, 5, 6], "z": ["7", None, "9"]}, [[1, 4], [2, 5], [3, 6]]),
        ({"y": [1, 2, 3]}, None),
        ({"x": [None, 2, 3]}, None),
    ],
)
def test_graphml_has_them_as_numbers_or_texts(tmp_path, attributes, expected):
    path = tmp_path / "a.graphml"
    nx.write_graphml(in_library("networkx", attributes), path)
    found = wg.io.read(path)[0].coordinates
    assert (found if expected is None else found.tolist()) == expected


@pytest.mark.parametrize(
    ("y", "n_lacking"), [([1, None, 3], 1), (["a", "b", "3"], 2), ([1.5, np.inf, np.nan], 2)]
)
def test_places_that_graphml_lacks_are_mentioned(tmp_path, y, n_lacking):
    path = tmp_path / "a.graphml"
    nx.write_graphml(in_library("networkx", {"x": [1, 2, 3], "y": y}), path)
    sentence = f"x and y of the nodes .* {n_lacking} of 3 have no finite numbers"
    with pytest.warns(UserWarning, match=sentence):
        assert wg.io.read(path)[0].coordinates is None


def test_coordinates_that_are_assigned():
    """A* goes by those of the last assignment; others are refused as by the constructor."""
    points = np.array([(i // 9, i % 9) for i in range(81)], float)
    graph = wg.Graph(wg.generators.grid(9, 9, seed=1, weights=(1, 3)), coordinates=points)
    expected = wg.shortest_path(graph, 0, 80, method="dijkstra")[0]
    assert wg.shortest_path(graph, 0, 80, method="astar")[0] == expected
    graph.coordinates = points * 100
    assert wg.shortest_path(graph, 0, 80, method="astar")[0] == expected
    for wrong, sentence in [
        (points[:5], "shape \\(5, 2\\)"),
        (3, "shape \\(\\)"),
        (np.full_like(points, np.inf), "inf"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            graph.coordinates = wrong
    np.testing.assert_array_equal(graph.coordinates, points * 100)
    graph.coordinates = None
    assert graph.coordinates is None


@pytest.mark.parametrize("name", ["indptr", "indices", "data"])
def test_arrays_of_a_graph_are_not_assigned(name):
    graph = wg.Graph(np.array([[0, 1.0], [1, 0]]))
    with pytest.raises(AttributeError, match=f"{name} of a Graph cannot be assigned"):
        setattr(graph, name, np.array([0, 1, 2]))
    assert wg.sssp(graph, 0).tolist() == [0, 1]


def test_attributes_of_the_class():
    names = {name for name, _ in inspect.getmembers(wg.Graph)}
    assert {"indptr", "indices", "data", "coordinates"} <= names
