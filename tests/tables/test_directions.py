"""What files and tables say of directions, and edges without a direction: one rule for all."""

import logging
import warnings
from collections import Counter

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import warpgraph as wg
from checks import raises_sentence
from files import put
from oracles import arcs_of_rows, undirected_edges
from warpgraph.cli import main

#: What a column is called -> its words, by what they say.
COLUMNS = {
    "Type": {"along": ["Directed"], "both": ["Undirected", "undirected", "Mutual"]},
    "directed": {"along": ["1", "True", "yes"], "both": ["0", "false", "no"]},
    "undirected": {"along": ["0", "f"], "both": ["1", "t"]},
    "is_bidirectional": {"along": ["0", "FALSE"], "both": ["1", "TRUE"]},
    "oneway": {"along": ["yes", "True", "1"], "against": ["-1"], "both": ["no", "False", "", "0"]},
    "ONEWAY": {"along": ["FT"], "against": ["TF"], "both": ["B", ""]},
    "one_way": {"along": ["F"], "against": ["T"], "both": ["B"]},
}
ROADS = ("is_bidirectional", "oneway", "ONEWAY", "one_way")


def listed(graph):
    """Return the arcs with the names of their ends."""
    row, col, data = graph.to_edges()
    return Counter(zip(graph.names[row], graph.names[col], data.tolist(), strict=True))


def frame_of(rows, label, words):
    columns = dict(zip(("source", "target", "weight"), zip(*rows, strict=True), strict=True))
    return pd.DataFrame({**columns, label: words})


def by_csv(frame, path, **options):
    frame.to_csv(path / "a.csv", index=False)
    return wg.Graph.read(path / "a.csv", **options)


def by_tabs(frame, path, **options):
    frame.iloc[:, ::-1].to_csv(path / "a.tsv", index=False, sep="\t")
    return wg.Graph.read(path / "a.tsv", **options)


def by_parquet(frame, path, **options):
    pytest.importorskip("pyarrow")
    frame.to_parquet(path / "a.parquet")
    return wg.Graph.read(path / "a.parquet", **options)


def by_feather(frame, path, **options):
    pytest.importorskip("pyarrow")
    frame.to_feather(path / "a.feather")
    return wg.Graph.read(path / "a.feather", **options)


def by_pandas(frame, path, **options):
    return wg.Graph.from_dataframe(frame, **options)


def by_polars(frame, path, **options):
    polars = pytest.importorskip("polars")
    columns = {name: values.replace({np.nan: None}) for name, values in frame.items()}
    table = polars.DataFrame({name: values.to_list() for name, values in columns.items()})
    return wg.Graph.from_dataframe(table, **options)


def by_pyarrow(frame, path, **options):
    pyarrow = pytest.importorskip("pyarrow")
    return wg.Graph.from_dataframe(pyarrow.Table.from_pandas(frame), **options)


READERS = [by_csv, by_tabs, by_parquet, by_feather, by_pandas, by_polars, by_pyarrow]


@st.composite
def tables(draw):
    """Rows between few vertices, the label of a column and its words, and what they say."""
    label = draw(st.sampled_from(sorted(COLUMNS)))
    vertex, n = st.sampled_from("abcd"), draw(st.integers(1, 12))
    rows = draw(st.lists(st.tuples(vertex, vertex, st.integers(1, 2)), min_size=n, max_size=n))
    ways = draw(st.lists(st.sampled_from(sorted(COLUMNS[label])), min_size=n, max_size=n))
    if label in ("one_way", "ONEWAY"):
        ways[0] = "both"
    if label == "Type" or ways[0] == "both":
        words = [COLUMNS[label][way][0] for way in ways]
    else:
        words = [draw(st.sampled_from(COLUMNS[label][way])) for way in ways]
    return rows, label, words, ways


@pytest.mark.parametrize("read", READERS)
@settings(max_examples=40)
@given(table=tables(), directed=st.booleans())
def test_a_column_tells_directions(tmp_path_factory, read, table, directed):
    rows, label, words, ways = table
    graph = read(frame_of(rows, label, words), tmp_path_factory.mktemp("io"), directed=directed)
    expected = arcs_of_rows(rows, ways, are_roads=label in ROADS)
    if not directed:
        expected = arcs_of_rows(expected, ["both"] * len(expected))
    assert listed(graph) == Counter(expected)
    ignoring = read(frame_of(rows, label, words), tmp_path_factory.mktemp("io"), direction=None)
    assert listed(ignoring) == Counter(rows)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("oneway", [True, False]),
        ("directed", [1, 0]),
        ("oneway", [1.0, np.nan]),
        ("oneway", ["yes", None]),
        ("is_bidirectional", [0.0, 1.0]),
        ("kind of road, oneway", ["yes", "no"]),
    ],
)
def test_values_that_are_no_text(tmp_path, read, label, words):
    given_by = {"direction": label} if "," in label else {}
    rows = [("a", "b", 1), ("b", "c", 2)]
    graph = read(frame_of(rows, label, words), tmp_path, **given_by)
    assert listed(graph) == Counter([*rows, ("c", "b", 2)])


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("label", "words", "part"),
    [
        ("oneway", ["yes", "perhaps"], "got 'perhaps'; known are '-1', 'reverse'"),
        ("oneway", ["FT", "N"], "got 'N'; known are"),
        ("oneway", ["F", "T"], "T and F may be true and false, or to-from and from-to"),
        ("Type", ["Undirected", "road"], "got 'road'; known are 'directed', 'und"),
        ("directed", ["1", "-1"], "got '-1'; known"),
        ("directed", ["1", ""], "got none; known are 'true'"),
    ],
)
def test_a_word_that_is_no_direction(tmp_path, read, label, words, part):
    with raises_sentence(ValueError, part) as caught:
        read(frame_of([("a", "b", 1), ("b", "c", 2)], label, words), tmp_path)
    which = 0 if words[0] == "F" else 1
    at = f"line {which + 2}" if read in (by_csv, by_tabs) else f"row {which}"
    assert f"{at}: expected a direction in {label!r}, got " in str(caught.value)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("words", [["DIRECTED", "ACTED_IN"], ["Mutual", "co-author"]])
def test_types_of_edges_may_be_called_like_directions(tmp_path, read, words):
    edges = [("a", "b", 1), ("b", "c", 2)]
    assert listed(read(frame_of(edges, "type", words), tmp_path)) == Counter(edges)


def test_values_that_are_lists(tmp_path):
    """OSMnx merges the streets of an edge, and lists what they are."""
    table = {"source": [1, 2], "target": [2, 3], "weight": [1.0, 2.0]}
    assert wg.Graph.from_dataframe(pd.DataFrame(table | {"type": [["a"], ["b"]]})).n_edges == 2
    with raises_sentence(
        ValueError, "row 0: expected a direction in 'oneway', got '[True, False]'"
    ):
        wg.Graph.from_dataframe(pd.DataFrame(table | {"oneway": [[True, False], True]}))


def test_which_column_tells_directions(tmp_path):
    def read(text, **options):
        return listed(wg.Graph.read(put(tmp_path / "a.csv", text), **options))

    one, both = Counter([("a", "b", 5.0)]), Counter([("a", "b", 5.0), ("b", "a", 5.0)])
    # A column called type may be about anything else.
    assert read("from,to,type,km\na,b,primary,5\n") == one
    assert read("from,to,type,oneway,km\na,b,primary,no,5\n") == both
    assert read("from,to,type,km\na,b,Undirected,5\n", direction=None) == one
    # A column of directions is never the weight.
    assert read("from,to,oneway\na,b,0\n") == Counter([("a", "b", 1.0), ("b", "a", 1.0)])
    assert read("gene1,gene2,directed\na,b,1\n") == Counter([("a", "b", 1.0)])
    # By name or by position, with or without a header.
    text = "x,y,km,way\na,b,5,B\n"
    assert read(text, columns=("x", "y", "km")) == one
    assert read(text, columns=("x", "y", "km"), direction="way") == both
    assert read(text, columns=(0, 1, 2), direction=3) == both
    assert read("a,b,5,B\n", direction=3) == both
    assert read("a,b,5,TF\n", direction=3, columns=(0, 1, 2)) == Counter([("b", "a", 5.0)])
    assert read("x,y,way,km\na,b,B,5\n", direction="way") == both
    with raises_sentence(
        ValueError, "may each tell the directions of edges: choose with direction"
    ):
        read("from,to,oneway,directed\na,b,0,1\n")
    with raises_sentence(
        ValueError, "line 1: there is no column 'wai'; the columns are 'x', 'y', 'km', 'way'"
    ):
        read(text, columns=("x", "y"), direction="wai")
    with raises_sentence(ValueError, "at least 8 columns, of which 4 are there"):
        read(text, direction=7)
    with raises_sentence(ValueError, "in columns called oneway, directed, undirected or bidirec"):
        read("x,y,km,way\na,b,5,1\n", columns=("x", "y", "km"), direction="way")
    with raises_sentence(ValueError, "direction= is for tables"):
        wg.Graph.read(put(tmp_path / "a.gr", "p sp 1 0\n"), direction="way")


def test_gephi_reaches_what_its_table_says(tmp_path):
    """A tree whose edges are undirected and listed once, some from the leaves to the root."""
    tree = nx.random_labeled_tree(176, seed=4)
    rows = [(min(e), max(e)) if k % 2 else (max(e), min(e)) for k, e in enumerate(tree.edges)]
    lines = [
        f"{u},{v},{'Directed' if k == 9 else 'Undirected'},{k},,,1.0\n"
        for k, (u, v) in enumerate(rows)
    ]
    text = "Source,Target,Type,Id,Label,timeset,Weight\n" + "".join(lines)
    graph = wg.Graph.read(put(tmp_path / "edges.csv", text))
    expected = nx.DiGraph(rows)
    expected.add_edges_from((v, u) for k, (u, v) in enumerate(rows) if k != 9)
    for source in (0, rows[9][0], rows[9][1]):
        reached = {graph.names[v] for v in np.flatnonzero(wg.bfs(graph, source) >= 0)}
        assert reached == {source} | nx.descendants(expected, source)


@pytest.mark.parametrize(
    ("text", "is_undirected"),
    [
        ("# Undirected graph: ../data/dblp.txt\n# Nodes: 3\n# FromNodeId\tToNodeId\n", True),
        ("# Undirected graph (each unordered pair of nodes is saved once): x\n", True),
        ("# Directed graph (each unordered pair of nodes is saved once): x\n", False),
        ("# Directed graph: x\n# an undirected graph\n", False),
        ("% sym unweighted\n% 2 3 3\n", True),
        ("% sym\n", True),
        ("% asym unweighted\n", False),
        ("% about sym\n", False),
        ("# a graph\n% sym unweighted\n", False),
        ("# undirected edges were dropped\n", False),
        ("", False),
    ],
)
def test_comments_tell_directions(tmp_path, text, is_undirected, caplog):
    path = put(tmp_path / "a.txt", text + "1\t2\n3\t2\n")
    rows = [(1, 2, 1.0), (3, 2, 1.0)]
    both = Counter([*rows, (2, 1, 1.0), (2, 3, 1.0)])
    with caplog.at_level(logging.INFO, "warpgraph"):
        assert listed(wg.Graph.read(path)) == (both if is_undirected else Counter(rows))
    found = [record.getMessage() for record in caplog.records]
    said = f"{path}, a comment above: of 2 edges, 2 lead both ways and 0 from target to source"
    assert (said in found) == is_undirected
    assert listed(wg.Graph.read(path, direction=None)) == Counter(rows)


def test_a_column_is_more_than_a_comment(tmp_path):
    path = put(tmp_path / "a.csv", "# Undirected graph\nfrom,to,directed\na,b,1\nb,c,0\n")
    expected = [("a", "b", 1.0), ("b", "c", 1.0), ("c", "b", 1.0)]
    assert listed(wg.Graph.read(path)) == Counter(expected)


def test_bipartite_files_number_two_sets(tmp_path):
    path = put(tmp_path / "a.txt", "% bip unweighted\n1 1\n2 1\n")
    with raises_sentence(ValueError, "both have 1, which would be one vertex"):
        wg.Graph.read(path)
    assert listed(wg.Graph.read(path, direction=None)) == Counter([(1, 1, 1.0), (2, 1, 1.0)])
    path = put(tmp_path / "a.txt", "% bip unweighted\n1 11\n2 11\n")
    rows = [(1, 11, 1.0), (2, 11, 1.0), (11, 1, 1.0), (11, 2, 1.0)]
    assert listed(wg.Graph.read(path)) == Counter(rows)


def test_roads_that_list_each_way(tmp_path):
    """As tables of OSMnx do: each way has a row and a length of its own."""
    rows = [("a", "b", 5), ("b", "a", 7), ("b", "c", 1), ("c", "c", 2), ("c", "d", 3)]
    for read in READERS:
        graph = read(frame_of(rows, "oneway", [False, False, True, False, False]), tmp_path)
        assert listed(graph) == Counter([*rows, ("d", "c", 3)])


def test_attributes_of_networkx_tell_directions_if_they_are_named():
    rows = [("a", "b", 1), ("b", "c", 2), ("c", "b", 9), ("b", "a", 1), ("c", "d", 5)]
    words = ["no", "yes", "-1", False, None]
    made = nx.MultiDiGraph()
    for (u, v, weight), word in zip(rows, words, strict=True):
        made.add_edge(u, v, weight=weight, oneway=word)
    assert listed(wg.Graph.from_networkx(made)) == Counter(rows)
    found = listed(wg.Graph.from_networkx(made, direction="oneway"))
    ways = ["both", "along", "against", "both", "both"]
    assert found == Counter(arcs_of_rows(rows, ways, are_roads=True))
    made.add_edge("c", "d", weight=1, oneway="perhaps")
    with raises_sentence(ValueError, "graph, edge ('c', 'd'): expected a direction in 'oneway'"):
        wg.Graph.from_networkx(made, direction="oneway")
    with raises_sentence(ValueError, "no edge has the attribute direction='way'"):
        wg.Graph.from_networkx(made, direction="way")
    with raises_sentence(ValueError, "direction='way' is for directed graphs"):
        wg.Graph.from_networkx(nx.Graph(made), direction="way")


@pytest.mark.parametrize("default", ["directed", "undirected"])
@pytest.mark.parametrize("word", ["", "true", "false", "0", "1"])
def test_graphml_keeps_to_its_default(tmp_path, default, word):
    said = f'directed="{word}"' if word else ""
    path = put(
        tmp_path / "a.graphml",
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        f'<graph edgedefault="{default}"><node id="a"/><node id="b"/>'
        f'<edge source="a" target="b" {said}/></graph></graphml>',
    )
    if word and (word in ("true", "1")) != (default == "directed"):
        with raises_sentence(ValueError, "a.graphml", "directed"):
            wg.Graph.read(path)
    else:
        assert wg.Graph.read(path).n_edges == (1 if default == "directed" else 2)


@pytest.mark.parametrize("kind", ["general", "symmetric"])
def test_matrix_market_states_whether_it_is_symmetric(tmp_path, kind):
    text = f"%%MatrixMarket matrix coordinate integer {kind}\n3 3 2\n2 1 5\n3 3 7\n"
    graph = wg.Graph.read(put(tmp_path / "a.mtx", text))
    row, col, data = graph.to_edges()
    expected = [(1, 0, 5), (2, 2, 7)] + [(0, 1, 5)] * (kind == "symmetric")
    assert Counter(zip(row.tolist(), col.tolist(), data.tolist(), strict=True)) == Counter(expected)


# Edges without a direction.


def pairs_by_networkx(rows, path):
    graph = nx.MultiDiGraph()
    graph.add_weighted_edges_from(rows)
    return wg.Graph.from_networkx(graph, directed=False)


def pairs_by_file(rows, path):
    text = "source,target,weight\n" + "".join(f"{u},{v},{w}\n" for u, v, w in rows)
    return wg.Graph.read(put(path / "a.csv", text), directed=False)


def pairs_by_table(rows, path):
    frame = pd.DataFrame(rows, columns=["source", "target", "weight"])
    return wg.Graph.from_dataframe(frame, directed=False)


def pairs_by_edges(rows, path):
    return wg.Graph.from_edges(*map(list, zip(*rows, strict=True)), directed=False)


PAIRS = [pairs_by_file, pairs_by_table, pairs_by_edges, pairs_by_networkx]


@pytest.mark.parametrize("make", PAIRS)
def test_an_edge_that_is_there_both_ways_is_one(tmp_path, make):
    graph = make([("a", "b", 1), ("b", "a", 1), ("b", "c", 1)], tmp_path)
    expected = nx.pagerank(nx.Graph([("a", "b"), ("b", "c")]), tol=1e-9, max_iter=500)
    scores = wg.pagerank(graph, tol=1e-10)
    np.testing.assert_allclose(scores, [expected[name] for name in graph.names], atol=1e-7)
    np.testing.assert_allclose(scores, [0.257, 0.486, 0.257], atol=1e-3)


@pytest.mark.parametrize("make", PAIRS)
@settings(max_examples=60)
@given(data=st.data())
def test_undirected_is_the_least_graph_with_all_mirrors(tmp_path_factory, make, data):
    end = data.draw(st.sampled_from([st.integers(0, 3), st.sampled_from("abcd")]))
    weight = st.sampled_from([1.5, 2.0, -0.0, 0.0])
    rows = data.draw(st.lists(st.tuples(end, end, weight), min_size=1, max_size=12))
    graph = make(rows, tmp_path_factory.mktemp("io"))
    edges = undirected_edges(rows)
    expected = Counter([*edges, *((v, u, w) for u, v, w in edges if u != v)])
    if graph.names is None:
        graph = wg.Graph(graph, names=range(graph.n_vertices))
    assert listed(graph) == expected
    assert not graph.is_directed()


def test_undirected_without_weights_and_of_many_edges():
    rng = np.random.default_rng(0)
    row, col = rng.integers(0, 60, (2, 4000))
    graph = wg.Graph.from_edges(row, col, n_vertices=60, directed=False)
    once = undirected_edges(zip(row.tolist(), col.tolist(), [1.0] * len(row), strict=True))
    loops = sum(u == v for u, v, _ in once)
    assert graph.n_edges == 2 * len(once) - loops
    assert not graph.is_directed()


# Names that are empty, and files without edges.


@pytest.mark.parametrize("read", READERS)
def test_an_empty_name_is_missing(tmp_path, read):
    frame = pd.DataFrame({"source": ["a", "b"], "target": ["b", ""]})
    at = "line 3: " if read in (by_csv, by_tabs) else "row 1 is an empty name"
    if read is by_tabs:  # the last field is empty there
        frame = frame[["target", "source"]]
    with raises_sentence(ValueError, at):
        read(frame, tmp_path)


def test_empty_names_of_other_edges(tmp_path):
    engine = wg.distributed.LocalEngine()
    for block in (["a", "b"], ["b", ""]), pd.DataFrame({"source": ["a"], "target": [""]}):
        with raises_sentence(ValueError, "empty"):
            wg.distributed.graph([block], engine, weight=None)
    named = wg.Graph(wg.Graph.from_edges([0], [1]), names=["", "a"])
    for name in ("a.parquet", "a.csv", "a.txt"):
        with raises_sentence(ValueError, "the vertex id '' cannot be written"):
            named.write(tmp_path / name)
    named.write(tmp_path / "a.npz")
    assert wg.Graph.read(tmp_path / "a.npz").names.tolist() == ["", "a"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "source,target\n", "\n\n"])
def test_a_table_without_edges_is_said(tmp_path, text, capsys):
    path = put(tmp_path / "a.csv", text)
    with pytest.warns(UserWarning, match=r"a\.csv has no edges, so the graph has no vertices"):
        assert wg.Graph.read(path).n_vertices == 0
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert main(["info", str(path)]) == 0
    assert f"{path} has no edges, so the graph has no vertices" in capsys.readouterr().err


# Blocks of distributed graphs, and the command line.


def test_blocks_refuse_what_they_do_not_keep(tmp_path):
    engine = wg.distributed.LocalEngine()
    frame = frame_of([("a", "b", 1), ("b", "c", 2)], "oneway", ["yes", "no"])
    frame.to_parquet(tmp_path / "a.parquet")
    for edges in ([frame], [frame.to_dict("list")], tmp_path / "a.parquet"):
        with raises_sentence(ValueError, "1 of 2 edges of a block lead both ways"):
            wg.distributed.degrees(wg.distributed.graph(edges, engine)).gather()
        graph = wg.distributed.graph(edges, engine, direction=None)
        assert wg.distributed.degrees(graph).gather().tolist() == [1, 2, 1]
    whole = frame.assign(oneway="yes")
    graph = wg.distributed.graph([whole], engine)
    assert wg.distributed.degrees(graph).gather().tolist() == [1, 2, 1]


def test_commands_read_directions(tmp_path, run):
    path = put(tmp_path / "a.csv", "from,to,way,oneway,km\na,b,TF,no,1\nb,c,B,yes,2\n")
    assert run("info", path)["edges"] == 3
    assert run("info", path, "--direction", "none")["edges"] == 2
    assert run("sssp", path, "--direction", "way", "--source", "b", "--targets", "a,c")
    assert run("info", path, "--direction", 2, "--columns", "from,to")["edges"] == 3
    path = put(tmp_path / "b.csv", "a,b\nb,a\nb,c\n")
    highest = run("pagerank", path, "--undirected")["highest"]
    scores = {found["vertex"]: found["score"] for found in highest}
    assert scores == pytest.approx({"a": 0.257, "b": 0.486, "c": 0.257}, abs=1e-3)
