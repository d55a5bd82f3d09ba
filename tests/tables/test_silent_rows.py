"""Tables that lost or changed edges without a word: each gives the right edges or is told."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import warpgraph as wg
from checks import raises_sentence
from files import arcs, put
from warpgraph.cli import main

pytest.importorskip("pyarrow")


def read(tmp_path, text, name="a.csv", **options):
    """Return the edges, without weights that are 1."""
    path = put(tmp_path / name, text)
    return [edge[:2] if edge[2] == 1 else edge for edge in arcs(*wg.io.read(path, **options))]


# Integers that pandas made floats.


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("source,target\n1,2.0\n2,3.0\n4,1.0\n", 2, "2.0"),
        ("source,target\n1.0,2.0\n2.0,3.0\n", 2, "1.0"),
        ("a,b,w\n1.0,2,0.5\n2.0,1,1\n", 2, "1.0"),
        ("1,2.0\n2,3.0\n", 1, "2.0"),
        ("1.0 2.0 5\n", 1, "1.0"),
        ("# a\n\n1,2.0\n", 3, "2.0"),
        ("1e+05,2\n3,100000\n", 1, "1e+05"),  # as R writes numbers
        (",a,b\n0,1.0,2\n1,2.0,1\n", 2, "1.0"),
        ("id,w,from,to\n7,1,2,3.0\n", 2, "3.0"),
    ],
)
def test_floats_are_no_integer_ids(tmp_path, text, line, word, capsys):
    path = put(tmp_path / "a.csv", text)
    with raises_sentence(
        ValueError, f"{path}, line {line}: ", f"{word!r} is no integer id", "id_dtype='str' reads"
    ):
        wg.io.read(path)
    assert main(["info", str(path)]) == 2
    assert "--id-dtype str reads names" in capsys.readouterr().err
    names = wg.Graph.read(path, id_dtype="str").names
    assert word in names.tolist()
    with raises_sentence(ValueError, "no such integer"):
        wg.Graph.read(path, id_dtype="int")


def test_frames_and_parquet_refuse_the_same(tmp_path):
    frame = pd.DataFrame({"source": [1, 2, 4], "target": [2.0, 3.0, 1.0]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    for make in (
        lambda: wg.Graph.from_dataframe(frame),
        lambda: wg.Graph.read(tmp_path / "a.parquet"),
        lambda: wg.Graph.read(tmp_path / "a.csv"),
        lambda: wg.Graph.read(tmp_path / "a.csv", columns=("source", "target")),
        lambda: wg.Graph.read(tmp_path / "a.csv", columns=(1, 0)),
    ):
        with pytest.raises((TypeError, ValueError), match=r"[12]\.0"):
            make()
    frame.astype(int).to_csv(tmp_path / "a.csv", index=False)
    assert wg.Graph.read(tmp_path / "a.csv").names.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from,to\nann,1.0\nbob,2.0\n", [("ann", "1.0"), ("bob", "2.0")]),
        ('"1.0","2"\n"2","3.0"\n', [("1.0", "2"), ("2", "3.0")]),
        ("from,to\n1.0,1.1\n", [("1.0", "1.1")]),
        ("007,1.0\n", [("007", "1.0")]),
    ],
)
def test_other_names_with_points_are_names(tmp_path, text, expected):
    assert read(tmp_path, text) == expected


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.parquet", "a.feather", "a.npz", "a.graphml"])
def test_names_with_points_are_written_so_that_they_are_read(tmp_path, name):
    graph = wg.Graph.from_edges(["1.0", "2", "1e3"], ["2", "3.0", "1"])
    graph.write(tmp_path / name)
    assert sorted(wg.Graph.read(tmp_path / name).names) == ["1", "1.0", "1e3", "2", "3.0"]


# Rows that begin as comments do.


@pytest.mark.parametrize(
    ("above", "below"),
    [
        (["#python,numpy,12"], ["pandas,numpy,3", "scipy,numpy,4"]),
        (["%py,numpy,12", "#c,#d,0.5"], ["pandas,#numpy,3"]),
        (["#python,numpy"], ["pandas,numpy", "scipy,numpy"]),
        (["# tags", "#python\tnumpy\t1e3"], ["pandas\tnumpy\t7"]),
        (["#a b 3"], ["b c 4"]),
        (["#a;%b"], ["1;2", "2;3"]),
    ],
)
def test_rows_above_that_are_read_as_comments_are_told(tmp_path, above, below):
    text = "\n".join([*above, *below, ""])
    line = next(k for k, row in enumerate(above, 1) if not row.startswith("# "))
    for options in ({}, {"header": False}, {"columns": (0, 1)}):
        with pytest.warns(UserWarning, match=f"line {line}: .*comment='' reads it so"):
            assert len(read(tmp_path, text, **options)) == len(below)
    rows = [row for row in above if not row.startswith("# ")]
    text = "\n".join([*rows, *below, ""])
    assert len(read(tmp_path, text, comment="", header=False)) == len(rows + below)
    assert len(read(tmp_path, text, comment=rows[0][0], header=False)) >= len(below)


@pytest.mark.parametrize(
    "text",
    [
        "# FromNodeId\tToNodeId\n1\t2\n",
        "#FromNodeId\tToNodeId\nA\tB\n",
        "#source,target,weight\nA,B,5\n",
        "#source,target\nA,B\n",
        "#parent,child\nA,B\n",
        "#source target\na b\n",
        "#1,2\n3,4\n",
        "# python,numpy,12\npandas,numpy,3\n",
        "#python,numpy,n\nfrom,to,n\npandas,numpy,3\n",
        "#Nodes 3\n1 2\n",
        "#tag,other,how\na,b,3\n",
        "##\na,b\n",
    ],
)
def test_comments_above_that_are_no_edges_are_not_told(tmp_path, text):
    assert len(read(tmp_path, text)) == 1


@pytest.mark.parametrize("first", ["%sym weighted", "%asym unweighted"])
def test_the_first_line_of_konect_is_no_edge(tmp_path, first):
    assert len(read(tmp_path, f"{first}\na b\n")) == (2 if "%sym" in first else 1)


def test_a_table_of_comments_alone_is_told(tmp_path):
    path = put(tmp_path / "a.csv", "#python,#numpy\n%a,#python\n")
    with pytest.warns(UserWarning, match="has no edges.*lines begin with # or %.*comment=''"):
        assert wg.Graph.read(path).n_vertices == 0
    assert wg.Graph.read(path, comment="").n_edges == 2
    for text, options in (("\n\n", {}), ("#a,b\n", {"comment": "#"}), ("a,b\n", {"header": True})):
        put(path, text)
        with pytest.warns(UserWarning, match="has no edges, so the graph has no vertices$"):
            wg.Graph.read(path, **options)


WORDS = st.sampled_from(["#a", "%b", "c", "#source", "x7", "d"])


@settings(max_examples=150)
@given(rows=st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5))
def test_no_row_vanishes_without_a_word(tmp_path_factory, rows):
    path = put(tmp_path_factory.mktemp("rows") / "a.csv", "".join(f"{u},{v}\n" for u, v in rows))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            graph = wg.Graph.read(path)
        except ValueError:
            return
    is_known = any(u == "#source" and v == "d" for u, v in rows)
    assert caught or is_known or graph.n_edges == len(rows)


# Labels and indices of pandas.


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("names", [["x", "y", "z"], [7, 8, 9]])
def test_a_stacked_matrix(tmp_path, names, index):
    values = np.arange(1, 10).reshape(3, 3) / 2
    frame = pd.DataFrame(values, index=names, columns=names).stack().reset_index()
    assert list(frame.columns) == ["level_0", "level_1", 0]
    expected = sorted(frame.itertuples(index=False, name=None))
    frame.to_csv(tmp_path / "a.csv", index=index)
    assert arcs(*wg.io.read(tmp_path / "a.csv")) == expected
    assert arcs(*wg.io.read(tmp_path / "a.csv", header=True)) == expected
    graph = wg.Graph.from_dataframe(frame)
    assert arcs(graph, graph.names) == expected
    frame = frame.rename(columns=str)
    frame.to_parquet(tmp_path / "a.parquet")
    assert arcs(*wg.io.read(tmp_path / "a.parquet")) == expected
    blocks = wg.distributed.graph([frame], wg.distributed.LocalEngine())
    assert wg.distributed.degrees(blocks).gather().tolist() == [6, 6, 6]
    frame = frame[["level_0", "level_1"]]
    frame.to_csv(tmp_path / "a.csv", index=index)
    assert arcs(*wg.io.read(tmp_path / "a.csv")) == [(*edge[:2], 1.0) for edge in expected]


def test_levels_beside_ends_are_labels_of_rows(tmp_path):
    text = "level_0,level_1,source,target,km\n0,1,A,B,5\n"
    assert read(tmp_path, text) == [("A", "B", 5)]
    frame = pd.DataFrame({"level_0": [0], "a": ["A"], "b": ["B"]})
    assert wg.Graph.from_dataframe(frame).names.tolist() == ["A", "B"]


@pytest.mark.parametrize("labels", ["parent,child", "hero,villain", "a,b"])
@pytest.mark.parametrize("rows", ["0,A,B\n1,B,C\n", "5,A,B\n2,B,C\n", "0,7,8\n1,8,9\n"])
def test_an_index_before_two_labels(tmp_path, labels, rows):
    edges = [tuple(row.split(",")[1:]) for row in rows.split()]
    edges = [tuple(map(int, edge)) if edge[0].isdigit() else edge for edge in edges]
    assert read(tmp_path, f",{labels}\n{rows}") == edges
    assert read(tmp_path, f"Unnamed: 0,{labels}\n{rows}") == edges


def test_a_matrix_of_two_columns_is_none(tmp_path):
    for rows in ("7,0,5\n9,1,2\n", "x,0,5\ny,1,2\n"):
        with raises_sentence(ValueError, "line 1: rows and columns have names, as in a matrix"):
            read(tmp_path, f",a,b\n{rows}")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_an_index_without_labels_is_told(tmp_path, separator):
    frame = pd.DataFrame({"source": [0, 1, 2, 2], "target": [1, 2, 0, 1]})
    frame.to_csv(tmp_path / "a.csv", header=False, sep=separator)
    for options in ({}, {"header": False}):
        with pytest.warns(UserWarning, match=r"line 1: column 0 counts the rows.*\(1, 2\)"):
            wg.Graph.read(tmp_path / "a.csv", **options)
    graph = wg.Graph.read(tmp_path / "a.csv", columns=(1, 2))
    expected = sorted((*row, 1.0) for row in frame.itertuples(index=False, name=None))
    assert arcs(graph, graph.names) == expected


@pytest.mark.parametrize(
    "text",
    [
        "0,1,5\n1,2,3\n2,3,4\n",  # a path
        "0,1,3\n1,2,2\n2,0,4\n3,0,7\n",
        "0,7,0.5\n1,8,7\n2,9,7\n",
        "0,3,1\n1,3,1\n2,3,1\n",
        "0,5,5\n2,5,5\n3,5,5\n",
        "0,5,5\n1,5,5\n",
        "# edges\n0,5,5\n1,5,5\n2,5,5\n",
        "0 5 5\n1 5 5\n2 5 5\n",
    ],
)
def test_tails_that_count_may_be_tails(tmp_path, text):
    assert len(read(tmp_path, text)) == text.count("\n") - text.count("#")


# Times.


@pytest.mark.parametrize("label", ["ts", "since", "epoch", "unixtime", "unix_time", "Timestamp"])
def test_points_in_time_are_no_weights(tmp_path, label):
    text = f"from,to,{label}\nA,B,7\nB,C,3\n"
    assert read(tmp_path, text) == [("A", "B"), ("B", "C")]
    assert read(tmp_path, text, columns=("from", "to", label)) == [("A", "B", 7), ("B", "C", 3)]
    frame = pd.read_csv(tmp_path / "a.csv")
    frame.to_parquet(tmp_path / "a.parquet")
    for graph in (wg.Graph.from_dataframe(frame), wg.Graph.read(tmp_path / "a.parquet")):
        assert set(graph.data.tolist()) == {1.0}
    for first, second in itertools.permutations(["w", label]):
        row = {"w": 4, label: 9}
        text = f"a,b,{first},{second}\n"
        with raises_sentence(ValueError, "no column is known"):
            read(tmp_path, f"{text}A,B,{row[first]},{row[second]}\n")
        text = f"u,v,{first},{second}\nA,B,{row[first]},{row[second]}\n"
        assert read(tmp_path, text) == [("A", "B", 4)]
