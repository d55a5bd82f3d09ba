"""Edges between names: wg.Graph.from_edges of strings."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import warpgraph as wg
from test_tables import as_objects, edges, named_edges, refuse

AS_ENDS = [list, tuple, pd.Series, lambda names: np.array(names, object)]
AS_ENDS += [lambda names: pytest.importorskip("pyarrow").array(names)]


@settings(max_examples=100)
@given(columns=edges(), make=st.sampled_from(AS_ENDS))
def test_edges_between_names_are_those_of_a_table(columns, make):
    row, col = ([f"v{name}" for name in columns[end]] for end in ("source", "target"))
    table = as_objects(columns | {"source": row, "target": col})
    expected = wg.Graph.from_dataframe(table)
    graph = wg.Graph.from_edges(make(row), make(col), columns["weight"])
    assert graph.names.tolist() == expected.names.tolist() == sorted({*row, *col})
    assert named_edges(graph) == named_edges(expected)
    unweighted = wg.Graph.from_edges(make(row), make(col))
    assert unweighted.data.tolist() == [1.0] * len(row)


def test_edges_between_names_in_arrays_of_strings():
    graph = wg.Graph.from_edges(np.array(["b", "é"]), np.array(["é", "a"]), [1.0, 2.0])
    assert named_edges(graph) == [("b", "é", 1.0), ("é", "a", 2.0)]
    assert {type(name) for name in graph.names} == {str}
    assert wg.Graph.from_edges(["a\0", "a"], ["a", "\0"]).names.tolist() == ["\0", "a", "a\0"]


@pytest.mark.parametrize(
    ("row", "col", "options", "error", "sentence"),
    [
        (["a"], [0], {}, TypeError, "row holds strings and col integers; both must name"),
        ([0], ["a"], {"n_vertices": 1}, TypeError, "col holds strings and row integers"),
        (["a", 1], ["b", "c"], {}, TypeError, "row must hold the names of vertices, all integers"),
        (["a", None], ["b", "c"], {}, TypeError, "or all strings, but has None"),
        (["a", "b"], ["b", ""], {}, ValueError, "col[1] is an empty name"),
        (["a"], ["b", "c"], {}, ValueError, "but row has 1 and col has 2"),
        ([], ["b"], {}, ValueError, "but row has 0 and col has 1"),
        (["a"], ["b"], {"data": [1, 2]}, ValueError, "row has 1, col has 1 and data has 2"),
        (["a"], ["b"], {"n_vertices": 2}, ValueError, "has the vertices that these name, here 2"),
        ([["a"]], [["b"]], {}, TypeError, "row must be integers"),
        ([b"a"], [b"b"], {}, TypeError, "row must be integers"),
        ("ab", "bc", {}, TypeError, "row must be a sequence of vertices, an end of each edge, got"),
        ([0], None, {}, TypeError, "col must be a sequence of vertices, an end of each edge, got"),
    ],
)
def test_wrong_names_of_edges(row, col, options, error, sentence):
    refuse(error, sentence, lambda: wg.Graph.from_edges(row, col, **options))


@pytest.mark.parametrize("dtype", [object, float, "U1", np.uint8])
def test_arrays_of_no_edges(dtype):
    ends = np.array([], dtype)
    graph = wg.Graph.from_edges(ends, ends, [], n_vertices=3)
    assert (graph.n_vertices, graph.n_edges, graph.names) == (3, 0, None)
    assert wg.Graph.from_edges(ends, ends).n_vertices == 0
