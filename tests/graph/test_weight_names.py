"""The name of the attribute that has the weights: chosen, warned of, remembered, written."""

import copy
import pickle
import warnings
from decimal import Decimal
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import warpgraph as wg
from checks import raises_sentence
from warpgraph.cli import main

LENGTHS = [("Rome", "Pisa", 355.5), ("Pisa", "Genoa", 165.25), ("Rome", "Genoa", 600.0)]
#: As OSMnx writes GraphML: every attribute is a text.
OSMNX = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d7" for="edge" attr.name="length" attr.type="string"/>
  <key id="d6" for="edge" attr.name="name" attr.type="string"/>
  <key id="d5" for="edge" attr.name="oneway" attr.type="string"/>
  <key id="d4" for="edge" attr.name="osmid" attr.type="string"/>
  <key id="d3" for="node" attr.name="x" attr.type="string"/>
  <key id="d2" for="node" attr.name="y" attr.type="string"/>
  <key id="d0" for="graph" attr.name="crs" attr.type="string"/>
  <graph edgedefault="directed">
    <data key="d0">epsg:4326</data>
    <node id="1"><data key="d2">43.7</data><data key="d3">7.4</data></node>
    <node id="2"><data key="d2">43.8</data><data key="d3">7.5</data></node>
    <node id="3"><data key="d2">43.9</data><data key="d3">7.6</data></node>
    <edge source="1" target="2" id="0"><data key="d4">25</data><data key="d5">False</data>
      <data key="d6">Rue A</data><data key="d7">12.5</data></edge>
    <edge source="2" target="3" id="0"><data key="d4">26</data><data key="d5">False</data>
      <data key="d6">Rue B</data><data key="d7">30</data></edge>
  </graph>
</graphml>
"""


def of_networkx(**attributes):
    graph = nx.Graph()
    for tail, head, length in LENGTHS:
        graph.add_edge(tail, head, length=length, **attributes)
    return graph


@pytest.fixture
def osmnx(tmp_path):
    path = tmp_path / "streets.graphml"
    path.write_text(OSMNX)
    return path


# Numbers that are texts, decimals, fractions, scalars.


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        (["12", "-3", "+4"], "int64", [12, -3, 4]),
        (["12.5", "3", ".5e1"], "float64", [12.5, 3.0, 5.0]),
        (["1", 2, 3.5], "float64", [1.0, 2.0, 3.5]),
        ([" 7 ", "8\n", "9"], "int64", [7, 8, 9]),
        (["inf", "1", "Infinity"], "float64", [np.inf, 1.0, np.inf]),
        ([np.str_("4"), "5", "6"], "int64", [4, 5, 6]),
        ([Decimal("0.1"), Decimal(2), 3], "float64", [0.1, 2.0, 3.0]),
        ([Decimal("Infinity"), Decimal(2), 3], "float64", [np.inf, 2.0, 3.0]),
        ([Fraction(1, 4), Decimal("0.5"), "1"], "float64", [0.25, 0.5, 1.0]),
        ([np.float32(0.1), np.float32(2), np.float32(3)], "float32", [np.float32(0.1), 2, 3]),
    ],
)
@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_numbers_of_any_kind(library, values, dtype, expected):
    if library == "igraph":
        igraph = pytest.importorskip("igraph")
        pairs = [(i, i + 1) for i in range(3)]
        theirs = igraph.Graph(n=4, edges=pairs, directed=True, edge_attrs={"length": values})
        graph = wg.Graph.from_igraph(theirs, weight="length")
    else:
        theirs = nx.DiGraph([(i, i + 1, {"length": value}) for i, value in enumerate(values)])
        graph = wg.Graph(theirs, weight="length")
    assert graph.dtype == dtype
    assert graph.data.tolist() == expected


@pytest.mark.parametrize(
    ("value", "error", "part"),
    [
        ("heavy", TypeError, "is 'heavy'"),
        ("12,5", TypeError, "is '12,5'"),
        ("1_000", TypeError, "is '1_000'"),
        ("", TypeError, "is ''"),
        ("True", TypeError, "is 'True'"),
        ("٣", TypeError, "real numbers"),
        ("0x10", TypeError, "is '0x10'"),
        ("nan", ValueError, "is NaN"),
        (Decimal("NaN"), ValueError, "is NaN"),
        (Decimal("sNaN"), ValueError, "is NaN"),
        ("1e400", OverflowError, "is '1e400', which a float64 does not hold"),
        (Decimal("1e400"), OverflowError, "which a float64 does not hold"),
        ("9" * 30, OverflowError, "int64"),
        ("9" * 5000, OverflowError, "a float64 does not hold"),
    ],
)
def test_texts_that_are_no_weights(value, error, part):
    graph = nx.Graph([("a", "b", {"length": "1"}), ("b", "c", {"length": value})])
    with raises_sentence(error, "'length'", "('b', 'c')", part):
        wg.Graph(graph, weight="length")


def test_coordinates_that_are_texts(osmnx):
    theirs = nx.read_graphml(osmnx)
    graph = wg.Graph.from_networkx(theirs, weight="length", coordinates=("x", "y"))
    assert graph.coordinates.tolist() == [[7.4, 43.7], [7.5, 43.8], [7.6, 43.9]]
    assert graph.data.tolist() == [12.5, 30.0]


# Which attribute.


def test_files_of_osmnx(osmnx):
    graph, ids = wg.io.read(osmnx, weight="length")
    assert ids.tolist() == [1, 2, 3]
    assert graph.data.tolist() == [12.5, 30.0]
    assert graph.weight_name == "length"
    with pytest.warns(UserWarning, match=r"streets.graphml: .* 'length', 'osmid': choose one by"):
        assert wg.io.read(osmnx)[0].data.tolist() == [1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wg.io.read(osmnx, weight=None)[0].data.tolist() == [1, 1]
    with raises_sentence(ValueError, "streets.graphml", "weight='km'", "'length', 'osmid'"):
        wg.io.read(osmnx, weight="km")
    with raises_sentence(ValueError, "streets.graphml", "'name'", "('1', '2')", "Rue A"):
        wg.io.read(osmnx, weight="name")


def test_a_weight_that_is_a_text(tmp_path):
    path = tmp_path / "a.graphml"
    path.write_text(OSMNX.replace('"length"', '"weight"'))
    assert wg.io.read(path)[0].data.tolist() == [12.5, 30.0]


def test_the_command_line_chooses_the_weight(osmnx, capfd):
    assert main(["sssp", str(osmnx), "--source", "1", "--weight", "length", "--output", "-"]) == 0
    assert "3,2,42.5" in capfd.readouterr().out
    assert main(["sssp", str(osmnx), "--source", "1", "--weight", "miles"]) != 0
    assert "--weight miles; they have 'length', 'osmid'" in capfd.readouterr().err
    assert main(["info", "ny-road", "--weight", "length"]) != 0
    assert "--weight is for files" in capfd.readouterr().err


@pytest.mark.parametrize("weight", ["km", None])
@pytest.mark.parametrize("name", ["a.csv", "a.gr", "a.mtx", "a.npz"])
def test_a_weight_is_chosen_where_there_are_attributes(tmp_path, name, weight):
    wg.io.write(tmp_path / name, wg.generators.grid(2, 2, weights=(1, 9)))
    parts = ["columns="] if name == "a.csv" else []
    with raises_sentence(ValueError, f"weight={weight!r}", "graphml", *parts):
        wg.io.read(tmp_path / name, weight=weight)
    assert wg.io.read(tmp_path / name, weight="weight")[0].n_edges == 8


def test_a_weight_that_is_no_name(osmnx):
    with raises_sentence(TypeError, "weight must be the name of an edge attribute", "3"):
        wg.io.read(osmnx, weight=3)


def warned(call):
    with pytest.warns(UserWarning, match="'length'") as caught:
        call()
    assert len(caught) == 1
    return str(caught[0].message)


@pytest.mark.parametrize("values", [[1.5, 2.5], ["1.5", "2.5"], [1, 2], [Decimal(1), Decimal(2)]])
def test_the_same_warning_for_networkx_graphml_and_igraph(tmp_path, values):
    igraph = pytest.importorskip("igraph")
    pairs = [("a", "b"), ("b", "c")]
    theirs = nx.Graph(pairs)
    for pair, value in zip(pairs, values, strict=True):
        theirs.edges[pair].update(length=value, street="Via 1", oneway=False)
    sentences = {
        warned(lambda: wg.Graph(theirs)),
        warned(lambda: wg.Graph.from_networkx(theirs)),
    }
    of_igraph = igraph.Graph(n=3, edges=[(0, 1), (1, 2)])
    of_igraph.es["length"], of_igraph.es["street"] = values, ["Via 1", None]
    sentences.add(warned(lambda: wg.Graph.from_igraph(of_igraph)))
    if not isinstance(values[0], Decimal):
        path = tmp_path / "a.graphml"
        nx.write_graphml(theirs, path)
        sentences.add(warned(lambda: wg.io.read(path)).removeprefix(f"{path}: "))
    assert sentences == {
        "the edges have no attribute 'weight' and all weigh 1, but they have 'length': choose one "
        "by weight=, or pass weight=None"
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(wg.Graph.from_igraph(of_igraph, weight=None).data) == {1}
    for make, graph in ((wg.Graph, theirs), (wg.Graph.from_igraph, of_igraph)):
        with raises_sentence(ValueError, "no edge has the attribute weight='km'", "'length'"):
            make(graph, weight="km")


# The name is kept.


def as_before(graph):
    return graph


@pytest.mark.parametrize(
    "again",
    [
        as_before,
        wg.Graph,
        copy.copy,
        lambda graph: pickle.loads(pickle.dumps(graph)),
        lambda graph: wg.Graph(graph, coordinates=np.zeros((3, 2))),
        lambda graph: wg.Graph.from_networkx(graph.to_networkx(), weight="length"),
        lambda graph: wg.transform.reorder(graph, "degree").graph,
        lambda graph: wg.transform.compress(graph).decompress(),
        lambda graph: graph._unnamed(),
    ],
)
def test_graphs_remember_the_name(again):
    graph = again(wg.Graph(of_networkx(), weight="length"))
    assert graph.weight_name == "length"
    edges = graph.to_networkx(directed=False).edges(data=True)
    assert sorted(found["length"] for *_, found in edges) == [165.25, 355.5, 600.0]
    assert all(set(found) == {"length"} for *_, found in edges)


def test_a_column_that_the_rule_chooses_is_the_name():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"to": [1], "from": [0], "km": [2.5]})
    assert wg.Graph.from_dataframe(table).weight_name == "km"
    assert wg.Graph.from_dataframe(table, weight=None).weight_name == "weight"


@pytest.mark.parametrize(
    "graph",
    [
        wg.Graph(np.ones((2, 2))),
        wg.Graph(of_networkx(), weight=None),
        wg.Graph(of_networkx(weight=2)),
        wg.Graph.from_edges([0], [1], [2.0]),
    ],
)
def test_weight_is_the_name_otherwise(graph):
    assert graph.weight_name == "weight"
    assert all(set(found) == {"weight"} for *_, found in graph.to_networkx().edges(data=True))


def test_other_libraries_get_the_name():
    graph = wg.Graph(of_networkx(), weight="length")
    assert list(graph.to_dataframe().columns) == ["source", "target", "length"]
    assert list(graph.to_dataframe(weight="km").columns) == ["source", "target", "km"]
    assert nx.get_edge_attributes(graph.to_networkx(weight="km"), "km")["Rome", "Pisa"] == 355.5
    table = pd.DataFrame({"source": ["a"], "target": ["b"], "km": [2.5]})
    of_table = wg.Graph.from_dataframe(table, weight="km")
    assert list(of_table.to_networkx().edges(data=True)) == [("a", "b", {"km": 2.5})]
    pd.testing.assert_frame_equal(of_table.to_dataframe(), table)
    for call in (graph.to_networkx, wg.minimum_spanning_forest(graph).to_networkx):
        with raises_sentence(TypeError, "weight must be a name", "3"):
            call(weight=3)
    pytest.importorskip("igraph")
    assert graph.to_igraph().es.attributes() == ["length"]
    assert graph.to_igraph(weight="km").es.attributes() == ["km"]
    assert wg.Graph.from_igraph(graph.to_igraph(), weight="length").weight_name == "length"


FORESTS = {
    "of a NetworkX graph": lambda g: wg.minimum_spanning_forest(g, weight="length"),
    "of a graph": lambda g: wg.minimum_spanning_forest(wg.Graph(g, weight="length")),
    "local": lambda g: wg.local_forest(g, rows=(0, 3), weight="length"),
    "merged": lambda g: wg.merge_forests(wg.minimum_spanning_forest(g, weight="length")),
    "extended": lambda g: wg.extend_forest(
        wg.minimum_spanning_forest(g, weight="length"), [[0, 1]], [900.0], [99]
    ),
    "pickled": lambda g: pickle.loads(pickle.dumps(wg.minimum_spanning_forest(g, weight="length"))),
    "of clusters": lambda g: (
        wg.cluster.MSTClustering(n_clusters=1, metric="precomputed", weight="length").fit(g).mst_
    ),
}


@pytest.mark.parametrize("make", FORESTS.values(), ids=FORESTS)
def test_forests_remember_the_name(make):
    forest = make(of_networkx())
    assert forest.weight_name == "length"
    expected = [("Pisa", "Genoa", {"length": 165.25}), ("Rome", "Pisa", {"length": 355.5})]
    found = [(*sorted(ends), data) for *ends, data in forest.to_networkx().edges(data=True)]
    assert sorted(found, key=repr) == sorted(
        ((*sorted(ends), data) for *ends, data in expected), key=repr
    )
    assert nx.get_edge_attributes(forest.to_networkx(weight="km"), "km")


def test_forests_of_arrays():
    assert wg.SpanningForest(2, [[0, 1]], [2.0]).weight_name == "weight"
    forest = wg.SpanningForest(2, [[0, 1]], [2.0], weight_name="km")
    assert list(forest.to_networkx().edges(data=True)) == [(0, 1, {"km": 2.0})]
    with raises_sentence(TypeError, "weight_name must be a name", "None"):
        wg.SpanningForest(2, [[0, 1]], [2.0], weight_name=None)


@pytest.mark.parametrize("name", ["weight", "length", "source"])
def test_graphml_is_read_as_it_was_written(tmp_path, name):
    graph = wg.Graph(nx.Graph([("a", "b", {name: 2.5}), ("b", "c", {name: 4})]), weight=name)
    path = tmp_path / "a.graphml"
    wg.io.write(path, graph)
    theirs = nx.read_graphml(path)
    assert theirs.edges["a", "b"] == {name: 2.5}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for weight in ("weight", name):
            found, ids = wg.io.read(path, weight=weight)
            assert ids.tolist() == ["a", "b", "c"]
            assert (found.weight_name, found.data.tolist()) == (name, graph.data.tolist())
    wg.io.write(tmp_path / "b.graphml", wg.io.read(path)[0], ids=ids)
    assert wg.io.read(tmp_path / "b.graphml")[0].data.tolist() == graph.data.tolist()


def test_a_default_of_another_attribute(tmp_path):
    path = tmp_path / "a.graphml"
    path.write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="k" for="edge" attr.name="km" attr.type="double"><default>2.5</default></key>'
        '<graph edgedefault="directed"><node id="a"/><node id="b"/>'
        '<edge source="a" target="b"/></graph></graphml>'
    )
    assert wg.io.read(path, weight="km")[0].data.tolist() == [2.5]
    with pytest.warns(UserWarning, match="'km'"):
        assert wg.io.read(path)[0].data.tolist() == [1]


TABLE = {"to": ["b"], "from": ["a"], "km": [2.5]}


@pytest.mark.parametrize("ending", ["csv", "txt", "parquet"])
@pytest.mark.parametrize("columns", [None, ("from", "to", "km"), (1, 0, 2)])
def test_tables_remember_the_name(tmp_path, ending, columns):
    path = tmp_path / f"a.{ending}"
    if ending == "parquet":
        pytest.importorskip("pyarrow")
        pd.DataFrame(TABLE).to_parquet(path)
    else:
        pd.DataFrame(TABLE).to_csv(path, index=False)
    graph, ids = wg.io.read(path, columns=columns, dtype=np.float32)
    assert (graph.weight_name, graph.data.tolist(), ids.tolist()) == ("km", [2.5], ["a", "b"])
    made = tmp_path / "b.graphml"
    assert main(["convert", str(path), "--output", str(made)]) == 0
    assert list(nx.read_graphml(made).edges(data=True)) == [("a", "b", {"km": 2.5})]


@pytest.mark.parametrize(
    "text", ["a,b,1\n", "from,to\na,b\n", "from,to,\na,b,1\n", "from,to,id\na,b,1\n"]
)
def test_tables_without_a_name_of_weights(tmp_path, text):
    (tmp_path / "a.csv").write_text(text)
    columns = ("from", "to", "") if text.startswith("from,to,\n") else None
    assert wg.io.read(tmp_path / "a.csv", columns=columns)[0].weight_name == "weight"


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
@pytest.mark.parametrize(
    "name",
    ["weight", "km", "travel time (min)", "Länge", "colour", "label", "source", "from", "a,b", 'q"',
     "tab\t", " km", "2020", "NA", "", "Unnamed: 0", "\ud800", "#x"],
)  # fmt: skip
def test_files_are_read_as_they_were_written(tmp_path, ending, name):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    graph = wg.Graph(nx.DiGraph([("b", "a", {"k": 2.5}), ("a", "c", {"k": 4})]), weight="k")
    graph.weight_name = name
    path = tmp_path / f"a.{ending}"
    wg.io.write(path, graph)
    found, ids = wg.io.read(path)
    names = ids if found.names is None else found.names
    edges = {(names[i], names[j], w) for i, j, w in zip(*found.to_edges(), strict=True)}
    assert edges == {("b", "a", 2.5), ("a", "c", 4.0)}
    kept = {"csv": ["km", "travel time (min)", "Länge", "colour"], "npz": [name]}
    kept["parquet"] = [*kept["csv"], "a,b", 'q"', " km", "2020", "NA", "#x"]
    assert found.weight_name == (name if name in kept[ending] else "weight")


def test_a_name_in_npz_that_is_no_string(tmp_path):
    path = tmp_path / "a.npz"
    wg.io.write(path, wg.Graph(np.ones((2, 2))))
    with np.load(path) as stored:
        np.savez(path, **stored, weight_name=np.array([3]))
    with raises_sentence(ValueError, str(path), "expected a string as weight_name"):
        wg.io.read(path)


@pytest.mark.filterwarnings("ignore:.* does not store coordinates")
@pytest.mark.parametrize("ending", ["graphml", "npz", "csv", "parquet"])
def test_a_forest_of_the_command_has_the_name(run, osmnx, tmp_path, ending):
    output = tmp_path / f"forest.{ending}"
    run("mst", osmnx, "--weight", "length", "--output", output)
    assert wg.io.read(output)[0].weight_name == "length"
