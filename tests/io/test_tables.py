"""Graphs from tables of pandas, polars and pyarrow, from igraph, and back."""

import io
import math
import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, reject, settings, strategies as st

import graphs
import warpgraph as wg
from checks import raises_sentence
from oracles import undirected_edges


def refuse(kind, part, call):
    """Expect an error with this part in its sentence."""
    with raises_sentence(kind, part):
        call()


def as_pandas(columns):
    return pd.DataFrame(columns)


def as_categories(columns):
    frame = pd.DataFrame(columns).astype(dict.fromkeys(list(columns)[:2], "category"))
    # pandas 2.2 takes strings for the same category that differ after a NUL.
    if any(frame[name].tolist() != list(columns[name]) for name in list(columns)[:2]):
        reject()
    return frame


def as_objects(columns):
    return pd.DataFrame({name: np.array(values, object) for name, values in columns.items()})


def as_polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def as_polars_categories(columns):
    polars = pytest.importorskip("polars")
    frame = as_polars(columns)
    ends = [name for name in list(columns)[:2] if frame[name].dtype == polars.String]
    return frame.with_columns(polars.col(ends).cast(polars.Categorical))


def as_pyarrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


def as_pyarrow_chunks(columns):
    """A table in two chunks; the dictionary of an end has entries that no row uses."""
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.concat_tables([pyarrow.table(columns)] * 2)
    half = len(table) // 2
    for i in range(2):
        coded = table.column(i).dictionary_encode()
        table = table.set_column(i, table.column_names[i], coded)
    return table.slice(half)


TABLES = [as_pandas, as_categories, as_objects, as_polars, as_polars_categories, as_pyarrow]
TABLES += [as_pyarrow_chunks]

INTEGERS = st.integers(-5, 5) | st.integers(-(2**63), 2**63 - 1)
STRINGS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3)


@st.composite
def edges(draw):
    """Columns of a table of 1 to 12 edges between few names."""
    names = draw(st.lists(draw(st.sampled_from([INTEGERS, STRINGS])), min_size=1, max_size=6))
    n = draw(st.integers(1, 12))
    source, target = (draw(st.lists(st.sampled_from(names), min_size=n, max_size=n)) for _ in "ab")
    weight = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    return {"source": source, "target": target, "weight": weight}


def rows_of(columns):
    return list(zip(columns["source"], columns["target"], columns["weight"], strict=True))


def named_edges(graph):
    row, col, data = graph.to_edges()
    return list(
        zip(graph.names[row].tolist(), graph.names[col].tolist(), data.tolist(), strict=True)
    )


@settings(max_examples=150)
@given(columns=edges(), make=st.sampled_from(TABLES))
@example({"source": ["b", "a"], "target": ["\0", "a\0"], "weight": [0, 1]}, as_pandas)
@example({"source": ["b", "a"], "target": ["\0", "a\0"], "weight": [0, 1]}, as_objects)
def test_edges_have_the_names_of_the_table(columns, make):
    graph = wg.Graph.from_dataframe(make(columns))
    names = sorted({*columns["source"], *columns["target"]})
    assert graph.names.tolist() == names
    assert {type(name) for name in graph.names.tolist()} <= {int, str}
    assert graph.names.dtype == (np.int64 if all(type(name) is int for name in names) else object)
    # The edges of a vertex stay in the order of the table.
    expected = sorted(rows_of(columns), key=lambda row: row[0])
    assert named_edges(graph) == expected


@settings(max_examples=150)
@given(columns=edges(), make=st.sampled_from(TABLES))
def test_undirected_edges_are_those_of_networkx(columns, make):
    graph = wg.Graph.from_dataframe(make(columns), directed=False)
    expected = nx.MultiGraph()
    expected.add_weighted_edges_from(undirected_edges(rows_of(columns)))
    assert sorted(named_edges(graph)) == sorted(named_edges(wg.Graph(expected)))
    source = columns["source"][0]
    far = nx.single_source_dijkstra_path_length(expected, source)
    found = dict(zip(graph.names.tolist(), wg.sssp(graph, source).tolist(), strict=True))
    assert {name: d for name, d in found.items() if d < np.inf} == far


@settings(max_examples=100)
@given(columns=edges(), directed=st.booleans())
def test_tables_come_back(columns, directed):
    graph = wg.Graph.from_dataframe(pd.DataFrame(columns), directed=directed)
    table = graph.to_dataframe(directed=directed)
    again = wg.Graph.from_dataframe(table, directed=directed)
    assert sorted(named_edges(again)) == sorted(named_edges(graph))
    edges = rows_of(columns) if directed else undirected_edges(rows_of(columns))
    assert len(table) == len(edges)
    expected = pd.Series(columns["source"]).dtype
    assert table["source"].dtype == table["target"].dtype == expected


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@given(columns=edges(), directed=st.booleans())
@settings(max_examples=50)
def test_tables_come_back_to_other_libraries(library, columns, directed):
    pytest.importorskip(library)
    graph = wg.Graph.from_dataframe(pd.DataFrame(columns), directed=directed)
    table = graph.to_dataframe(directed=directed, library=library, weight="km")
    assert type(table).__module__.split(".")[0] == library
    again = wg.Graph.from_dataframe(table, directed=directed, weight="km")
    assert sorted(named_edges(again)) == sorted(named_edges(graph))
    expected = graph.to_dataframe(directed=directed)
    for name in ("source", "target"):
        column = table[name]
        found = column.to_pylist() if library == "pyarrow" else column.to_list()
        assert found == expected[name].tolist()
    numbers = wg.Graph.from_edges(*graph.to_edges()).to_dataframe(library=library)
    assert wg.Graph.from_dataframe(numbers).n_edges == graph.n_edges


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize("names", [[1, 0.5, 2], ["a", 1, "b"], [(0,), (1,), (2,)], [2**64, 1, 2]])
def test_typed_columns_refuse_names_that_they_would_change(library, names):
    pytest.importorskip(library)
    graph = wg.Graph(np.eye(3, k=1), names=names)
    refuse(ValueError, "library='pandas'", lambda: graph.to_dataframe(library=library))
    refuse(ValueError, "'modin'", lambda: graph.to_dataframe(library="modin"))


@pytest.mark.parametrize(
    "names",
    [
        [2**53 + 1, 0.5, 2**53],
        [1, 2.0, 3],
        [True, "a", "b"],
        [1, 2, "3"],
        [(0,), 0, ""],
        [None, "a", "b"],
    ],
)
def test_tables_have_names_of_several_types_as_they_are(names):
    table = wg.Graph(np.roll(np.eye(3), 1, axis=1), names=names).to_dataframe()
    for column, expected in (("source", names), ("target", names[1:] + names[:1])):
        found = table[column].tolist()
        assert found == expected
        assert list(map(type, found)) == list(map(type, expected))


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("names", [["a", "b", "c"], [7, 2**60, -1]])
def test_names_may_be_arrays_of_pyarrow(chunked, names):
    pa = pytest.importorskip("pyarrow")
    make = (lambda x: pa.chunked_array([x[:1], x[1:]])) if chunked else pa.array
    graph = wg.Graph(np.eye(3, k=1), names=make(names))
    assert graph.names.tolist() == names
    assert wg.sssp(graph, names[0]).tolist() == [0, 1, 2]
    assert wg.sssp(graph, make(names[:1])[0].as_py()).tolist() == [0, 1, 2]


@pytest.mark.parametrize("make", TABLES)
def test_columns_are_chosen_by_name(make):
    table = make({"u": [3, 1], "v": [1, 8], "km": [2.5, 1.5], "other": ["x", "y"]})
    graph = wg.Graph.from_dataframe(table, source="u", target="v", weight="km")
    assert named_edges(graph) == [(1, 8, 1.5), (3, 1, 2.5)]
    ones = wg.Graph.from_dataframe(table, source="u", target="v", weight=None)
    assert ones.data.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("make", TABLES)
@pytest.mark.parametrize("kind", [int, str])
def test_empty_tables(make, kind):
    ends = np.array([], kind).tolist() if kind is str else np.array([], kind)
    table = make({"source": ends, "target": ends, "weight": np.array([], float)})
    graph = wg.Graph.from_dataframe(table)
    assert (graph.n_vertices, graph.n_edges, graph.names.tolist()) == (0, 0, [])
    for library in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(library)
        table = graph.to_dataframe(library=library)
        assert len(table) == 0
        assert wg.Graph.from_dataframe(table).n_vertices == 0


def test_columns_of_pandas_may_have_any_name_and_index():
    table = pd.DataFrame([[5, 2, 1], [2, 5, 3]], index=["x", "y"])
    graph = wg.Graph.from_dataframe(table, source=0, target=1, weight=2)
    assert named_edges(graph) == [(2, 5, 3), (5, 2, 1)]


@pytest.mark.parametrize("dtype", ["Int64", "int8", "uint64", "int64[pyarrow]"])
def test_integers_of_pandas(dtype):
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    table = pd.DataFrame({"source": [3, 1], "target": [1, 8], "weight": [2, 4]}).astype(dtype)
    assert named_edges(wg.Graph.from_dataframe(table)) == [(1, 8, 4), (3, 1, 2)]


@pytest.mark.parametrize("make", [as_pandas, as_polars, as_pyarrow])
def test_wrong_tables(make):
    good = {"source": [1, 2], "target": [2, 3], "weight": [1, 2]}

    def wrong(kind, part, change, **options):
        table = make({**good, **change})
        refuse(kind, part, lambda: wg.Graph.from_dataframe(table, **options))

    there = "there is no column 'from'; the columns are 'source', 'target', 'weight'"
    wrong(ValueError, f"source='from': {there}", {}, source="from")
    wrong(ValueError, "weight=None: all edges weigh 1", {}, weight="km")
    wrong(ValueError, "target='target': the value in row 1", {"target": ["a", None]})
    wrong(TypeError, "source='source' holds strings and target", {"source": ["a", "b"]})
    wrong(TypeError, "all integers or all strings, but has 0.5", {"source": [0.5, 1]})
    wrong(TypeError, "but has True", {"source": [True, False]})
    wrong(TypeError, "must hold real numbers, but has 'x' in row 1", {"weight": ["1", "x"]})
    wrong(TypeError, "must hold real numbers, but has 'nan' in row 0", {"weight": ["nan", "2"]})
    wrong(ValueError, "the value in row 1 is beyond", {"weight": ["1", "1e400"]})
    wrong(ValueError, "the value in row 1 is missing", {"weight": [1.0, None]})
    wrong(TypeError, "directed", {}, directed="no")


@pytest.mark.parametrize("kind", ["datetime64", "timedelta64"])
@pytest.mark.parametrize("unit", ["ns", "us", "s"])
def test_times_are_no_names(kind, unit):
    times = np.array([0, 5]).astype(f"{kind}[{unit}]")
    for column in (times, pd.Series(list(times), dtype=object)):
        frame = pd.DataFrame({"source": column, "target": [5, 0]})
        sentence = "source='source' must hold the names of vertices, all integers or all strings"
        refuse(TypeError, sentence, lambda frame=frame: wg.Graph.from_dataframe(frame, weight=None))


def test_no_tables():
    refuse(TypeError, "got dict", lambda: wg.Graph.from_dataframe({"source": [1]}))
    two = pd.DataFrame([[1, 2, 3]], columns=["source", "source", "target"])
    refuse(ValueError, "two columns of that name", lambda: wg.Graph.from_dataframe(two))
    lazy = as_polars({"source": [1], "target": [2]}).lazy()
    refuse(TypeError, "collect()", lambda: wg.Graph.from_dataframe(lazy))
    mixed = pd.DataFrame({"source": [1, "a"], "target": [1, 2], "weight": 1})
    refuse(TypeError, "all integers or all str", lambda: wg.Graph.from_dataframe(mixed))
    one_way = wg.Graph.from_edges([0], [1])
    refuse(ValueError, "stored both ways", lambda: one_way.to_dataframe(directed=False))
    refuse(ValueError, "three columns", lambda: one_way.to_dataframe(target="source"))
    refuse(ValueError, "three columns", lambda: one_way.to_dataframe(weight="target"))


def test_tables_without_names_are_of_numbers():
    table = wg.Graph.from_edges([2, 0], [1, 2], [0.5, 4]).to_dataframe(weight="km")
    assert table.to_dict("list") == {"source": [0, 2], "target": [2, 1], "km": [4, 0.5]}


def test_names_of_any_kind_become_objects():
    graph = wg.Graph(nx.Graph([((0, 1), "x"), ("x", 5)]), weight=None)
    table = graph.to_dataframe(directed=False)
    assert table["source"].tolist() == [(0, 1), "x"]
    assert table["target"].tolist() == ["x", 5]


def test_no_library_is_imported():
    code = (
        "import sys, warpgraph as wg; wg.Graph.from_edges([0], [1]).to_edges();"
        "print([m for m in ('pandas', 'polars', 'pyarrow', 'igraph') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout == "[]\n"


# Edges without a number of vertices.


@given(graph=graphs.csr_graphs())
def test_edges_end_with_the_largest_vertex(graph):
    row, col, data = wg.Graph(graph).to_edges()
    made = wg.Graph.from_edges(row, col, data)
    n = max([-1, *row.tolist(), *col.tolist()]) + 1
    expected = wg.Graph.from_edges(row, col, data, n_vertices=n)
    assert made.n_vertices == n
    np.testing.assert_array_equal(made.indptr, expected.indptr)
    np.testing.assert_array_equal(made.indices, expected.indices)


def test_edges_of_numbers_beyond_a_graph():
    make = wg.Graph.from_edges
    refuse(ValueError, "an edge ends in 1099511627776", lambda: make([2**40], [1]))
    refuse(ValueError, "-1", lambda: make([-1], [1]))
    assert make([], []).n_vertices == 0


# NetworkX and igraph.


@settings(max_examples=100)
@given(columns=edges(), directed=st.booleans())
def test_networkx_comes_back(columns, directed):
    graph = wg.Graph.from_dataframe(pd.DataFrame(columns), directed=directed)
    made = graph.to_networkx(directed=directed)
    assert made.is_directed() == directed
    assert list(made) == graph.names.tolist()
    edges = rows_of(columns) if directed else undirected_edges(rows_of(columns))
    assert made.number_of_edges() == len(edges)
    again = wg.Graph(made)
    assert sorted(named_edges(again)) == sorted(named_edges(graph))
    kept = [edge[:2] if directed else tuple(sorted(edge[:2])) for edge in edges]
    assert made.is_multigraph() == (len(set(kept)) < len(kept))


@pytest.mark.parametrize("n_axes", [1, 2, 3, 4])
@pytest.mark.parametrize("names", [None, ["Oslo", "Rome", "Bern"]])
def test_coordinates_go_to_other_libraries(n_axes, names):
    coordinates = np.arange(3 * n_axes).reshape(3, n_axes) / 4
    graph = wg.Graph(np.eye(3, k=1), names=names, coordinates=coordinates)
    axes = "xyz"[:n_axes] if n_axes < 4 else ["x0", "x1", "x2", "x3"]
    made = graph.to_networkx()
    nx.write_graphml(made, io.BytesIO())
    for axis, expected in zip(axes, coordinates.T.tolist(), strict=True):
        assert list(nx.get_node_attributes(made, axis).values()) == expected
    assert set(next(iter(wg.Graph(np.eye(2)).to_networkx().nodes.values()))) == set()
    pytest.importorskip("igraph")
    vertices = graph.to_igraph().vs
    for axis, expected in zip(axes, coordinates.T.tolist(), strict=True):
        assert vertices[axis] == expected


def test_networkx_without_names():
    made = wg.Graph.from_edges([0], [2], [0.5]).to_networkx()
    assert (list(made), list(made.edges(data="weight"))) == ([0, 1, 2], [(0, 2, 0.5)])
    refuse(ValueError, "stored both ways", lambda: wg.Graph(made).to_networkx(directed=False))


@st.composite
def igraphs(draw):
    igraph = pytest.importorskip("igraph")
    n = draw(st.integers(1, 8))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    pairs = draw(st.lists(ends, max_size=15))
    graph = igraph.Graph(n=n, edges=pairs, directed=draw(st.booleans()))
    if draw(st.booleans()):
        graph.vs["name"] = [f"v{i}" for i in range(n)]
    if draw(st.booleans()):
        graph.es["weight"] = [draw(st.floats(0, 9)) for _ in pairs]
    return graph


@settings(max_examples=100)
@given(data=st.data())
def test_distances_are_those_of_igraph_and_it_comes_back(data):
    theirs = data.draw(igraphs())
    graph = wg.Graph.from_igraph(theirs)
    weight = "weight" if "weight" in theirs.es.attributes() else None
    expected = theirs.distances(weights=weight)
    np.testing.assert_allclose(wg.apsp(graph), expected, rtol=1e-12)
    again = graph.to_igraph(directed=theirs.is_directed())
    assert (again.vcount(), again.ecount()) == (theirs.vcount(), theirs.ecount())
    assert again.vs.attributes() == theirs.vs.attributes()
    assert again.distances(weights="weight") == expected


def test_wrong_igraphs():
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph([(0, 1), (1, 2)], edge_attrs={"km": [1.5, None]})
    make = wg.Graph.from_igraph
    refuse(ValueError, "weight='m'; they have 'km'", lambda: make(graph, weight="m"))
    refuse(ValueError, "edge 1 has no value", lambda: make(graph, weight="km"))
    for error, sentence, values in (
        (TypeError, "of edge 0 is [1]", [[1], [2]]),
        (OverflowError, "of edge 1 is 9223372036854775808", [1, 2**63]),
        (OverflowError, "of edge 1 is 1180591620717411303424", [1, 2**70]),
        (ValueError, "of edge 1 is NaN", [1, math.nan]),
    ):
        graph.es["weight"] = values
        refuse(error, sentence, lambda: make(graph))
    del graph.es["weight"]
    del graph.es["km"]
    graph.vs["name"] = ["a", "b", "a"]
    refuse(ValueError, "'a' is both", lambda: make(graph))
    refuse(
        TypeError,
        "must be an igraph.Graph, got networkx.classes.graph.Graph",
        lambda: make(nx.Graph()),
    )


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_integers_of_numpy_in_a_column_of_objects(kind):
    frame = pd.DataFrame({"from": np.array([kind(9), kind(4)], object), "to": [4, 5]})
    graph = wg.Graph.from_dataframe(frame, source="from", target="to", weight=None)
    assert graph.names.tolist() == [4, 5, 9]
    assert graph.names.dtype == np.int64


def test_wide_integers_of_polars():
    polars = pytest.importorskip("polars")
    if not hasattr(polars, "Int128"):
        pytest.skip("this polars has no Int128")
    frame = polars.DataFrame({"from": [7, 5], "to": [5, 7], "length": [2, 3]})
    wide = frame.cast(polars.Int128)
    how = {"source": "from", "target": "to", "weight": "length"}
    graph, expected = (wg.Graph.from_dataframe(table, **how) for table in (wide, frame))
    assert graph.names.tolist() == [5, 7]
    assert [a.tolist() for a in graph.to_edges()] == [a.tolist() for a in expected.to_edges()]
    with pytest.raises(ValueError, match=r"source='from' contains .* beyond the largest int64"):
        wg.Graph.from_dataframe(wide.with_columns(polars.col("from") + 2**100), **how)


def test_nested_columns_of_pyarrow_are_no_names():
    pa = pytest.importorskip("pyarrow")
    for column in ([[1, 2], [3]], [b"a", b"b"], [1.0, 2.0]):
        table = pa.table({"from": column, "to": [1, 2]})
        with pytest.raises(TypeError, match=r"source='from' must hold the names of vertices"):
            wg.Graph.from_dataframe(table, source="from", target="to", weight=None)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("kind", [np.int64, np.str_])
def test_names_that_are_numbers_and_strings_of_numpy(kind, library):
    pytest.importorskip(library)
    graph = wg.Graph(np.array([[0, 1.0], [0, 0]]), names=[kind(5), kind(7)])
    again = wg.Graph.from_dataframe(graph.to_dataframe(library=library))
    assert again.names.tolist() == [kind(5).item(), kind(7).item()]
