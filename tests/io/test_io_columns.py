"""One table in every format gives one graph: columns are taken by name, by one rule.

Formats are text with each separator, Parquet, data frames of three libraries, blocks of distributed
graphs, and the command line.
"""

import csv
import io
import itertools
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import warpgraph as wg
from checks import raises_sentence
from files import arcs, put
from warpgraph.cli import main
from warpgraph.distributed._tasks import blocks as _blocks

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")


def text_of(labels, columns, separator, quoting=csv.QUOTE_MINIMAL):
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator="\n")
    writer.writerows([labels, *zip(*columns, strict=True)])
    return file.getvalue()


def table_of(labels, columns):
    return dict(zip(labels, columns, strict=True))


def named_arcs(graph):
    return arcs(graph, graph.names)


def by_text(separator):
    def read(labels, columns, folder, **options):
        # Only strings in quotes are names if they look like numbers.
        text = text_of(labels, columns, separator, csv.QUOTE_NONNUMERIC)
        return arcs(*wg.io.read(put(folder / "a.txt", text), **options))

    return read


def by_arrow(ending):
    def read(labels, columns, folder):
        getattr(pd.DataFrame(table_of(labels, columns)), f"to_{ending}")(folder / f"b.{ending}")
        return arcs(*wg.io.read(folder / f"b.{ending}"))

    return read


def by_frame(make):
    def read(labels, columns, folder):
        return named_arcs(wg.Graph.from_dataframe(make(table_of(labels, columns))))

    return read


def by_block(make):
    def read(labels, columns, folder):
        block = make(table_of(labels, columns))
        chosen = _blocks.Columns(None, None, "auto")
        return joined(_blocks.read_value(1 << 20, chosen, block))

    return read


def by_blocks_of_parquet(labels, columns, folder):
    pd.DataFrame(table_of(labels, columns)).to_parquet(folder / "b.parquet")
    chosen = _blocks.Columns(None, None, "auto")
    blocks = _blocks.of_parquet(str(folder / "b.parquet"), chosen, 1)
    return joined(itertools.chain(*(block.read(3, *block.arguments) for block in blocks)))


def joined(chunks):
    """Return the edges of chunks of arrays."""
    return sorted(
        edge for chunk in chunks for edge in zip(*(part.tolist() for part in chunk), strict=True)
    )


def by_command(labels, columns, folder):
    path = put(folder / "c.csv", text_of(labels, columns, ",", csv.QUOTE_NONNUMERIC))
    output = folder / "c.npz"
    if main(["convert", str(path), "--output", str(output), "--json"]):
        raise ValueError("the command has failed")
    graph, ids = wg.io.read(output)
    return arcs(graph, ids)


def as_dict(columns):
    return {label: np.array(values) for label, values in columns.items()}


READERS = {
    **{f"text {mark!r}": by_text(mark) for mark in ",;\t "},
    **{ending: by_arrow(ending) for ending in ("parquet", "feather")},
    "pandas": by_frame(pd.DataFrame),
    "polars": by_frame(pl.DataFrame),
    "pyarrow": by_frame(pa.table),
    "block of pandas": by_block(pd.DataFrame),
    "block of arrays": by_block(as_dict),
    "blocks of parquet": by_blocks_of_parquet,
    "command": by_command,
}

reads = pytest.mark.parametrize("read", READERS.values(), ids=READERS)


@reads
@pytest.mark.parametrize(
    ("labels", "row", "expected"),
    [
        ("target,source,weight", ("B", "A", 5), ("A", "B", 5)),
        ("weight,from,to", (5, 1, 2), (1, 2, 5)),
        ("source,target,km", ("A", "B", 5), ("A", "B", 5)),
        ("km,target,source", (5, "B", "A"), ("A", "B", 5)),
        ("a,b,km", ("A", "B", 5), ("A", "B", 5)),
        ("head,tail", ("B", "A"), ("A", "B", 1.0)),
        ("TO,From", (2, 1), (1, 2, 1.0)),
        ("ToNodeId,FromNodeId", (2, 1), (1, 2, 1.0)),
        ("u,v,key,osmid,length", (1, 2, 0, 77, 0.5), (1, 2, 0.5)),
        (
            "Source,Target,Type,Id,Label,timeset,Weight",
            ("A", "B", "d", 3, "x", 4, 5),
            ("A", "B", 5),
        ),
        (":END_ID,:START_ID,:TYPE", (2, 1, "KNOWS"), (1, 2, 1.0)),
        ("to_station,from_station,travel time", ("B", "A", 7), ("A", "B", 7)),
        ("from_station,to_station,lanes,km", ("A", "B", 2, 5), ("A", "B", 5)),
        ("lanes,length_km,end node,start node", (2, 0.5, "B", "A"), ("A", "B", 0.5)),
        ("from_date,valid_to,to_stop,from_stop,km", (1, 2, "B", "A", 5), ("A", "B", 5)),
        ("destination,origin,time", ("B", "A", 7), ("A", "B", 7)),
        ("dst,src,cost,colour", (2, 1, 5, 9), (1, 2, 5)),
        ("source,target,weight,length", (1, 2, 5, 9), (1, 2, 5)),
        ("source,target,start,end,weight", (1, 2, 5, 9, 4), (1, 2, 4)),
        ("Unnamed: 0,source,target", (0, 1, 2), (1, 2, 1.0)),
        ("Unnamed: 0,a,b,km", (0, 1, 2, 3), (1, 2, 3)),
        ("source,target,label", ("A", "B", "x"), ("A", "B", 1.0)),
        ("j,w,i", (2, 0.5, 1), (1, 2, 0.5)),
        ("weight_2020,source,target", (5, 1, 2), (1, 2, 5)),
    ],
)
def test_columns_are_taken_by_name(read, tmp_path, labels, row, expected):
    assert read(labels.split(","), [[value] for value in row], tmp_path) == [expected]


@reads
@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ("u,v,length,time", "'length' and 'time' may each be the weight"),
        ("src,dst,cost,reverse_cost", "'cost' and 'reverse_cost' may each be the weight"),
        ("source,target,rating,time", "cannot tell which of 'rating' and 'time' is the weight"),
        ("source,target,a,b", "cannot tell which of 'a' and 'b' is the weight"),
        ("source,from,target", "cannot tell whether 'from' is the weight"),
        ("from,src,to", "'from' and 'src' may each be the source"),
        ("source,b,w", "'source' is the source, but no column is known as the target"),
        ("weight,dst", "'dst' is the target, but no column is known as the source"),
        ("km,a,b", "'km' is no end of an edge, and no column is known as one"),
        ("id,a,b", "'id' is no end of an edge, and no column is known as one"),
        ("a,b,c,d", "no column is known as the source or as the target"),
        ("a,b,from_date,to_date,km", "no column is known as the source or as the target"),
        ("head,relation,tail", "from its head to its tail"),
    ],
)
def test_a_header_that_cannot_be_assigned_is_refused(read, tmp_path, labels, reason, capsys):
    labels = labels.split(",")
    columns = [[k + 1] for k in range(len(labels))]
    with pytest.raises(ValueError, match="the") as caught:
        read(labels, columns, tmp_path)
    sentence = capsys.readouterr().err if read is by_command else str(caught.value)
    assert reason in sentence
    assert f"the columns are {', '.join(map(repr, labels))}" in sentence
    if read is by_command:
        assert "choose with --columns " in sentence
    else:
        assert "choose with columns=(" in sentence or "choose with source=" in sentence


def test_what_an_error_shows_can_be_passed(tmp_path):
    frame = pd.DataFrame([[1, 2, 3, 4]], columns=["u", "v", "length", "time"])
    frame.to_csv(tmp_path / "a.csv", index=False)
    with raises_sentence(ValueError, "choose with columns=('u', 'v', 'length')"):
        wg.io.read(tmp_path / "a.csv")
    assert arcs(*wg.io.read(tmp_path / "a.csv", columns=("u", "v", "length"))) == [(1, 2, 3)]
    with raises_sentence(ValueError, "choose with source='u', target='v', weight='length'"):
        wg.Graph.from_dataframe(frame)
    graph = wg.Graph.from_dataframe(frame, source="u", target="v", weight="time")
    assert named_arcs(graph) == [(1, 2, 4)]
    assert named_arcs(wg.Graph.from_dataframe(frame, weight="time")) == [(1, 2, 4)]
    assert named_arcs(wg.Graph.from_dataframe(frame, weight=None)) == [(1, 2, 1.0)]
    assert named_arcs(wg.Graph.from_dataframe(frame, source="v", target="u", weight="time")) == [
        (2, 1, 4)
    ]


def test_an_error_shows_a_measure_as_the_weight():
    frame = pd.DataFrame([[1, 2, 3, 4]], columns=["from_stop", "to_stop", "rating", "time"])
    with raises_sentence(ValueError, "source='from_stop', target='to_stop', weight='time'"):
        wg.Graph.from_dataframe(frame)


def test_edges_of_osmnx_have_their_ends_in_the_index():
    frame = pd.DataFrame({"u": [1], "v": [2], "key": [0], "length": [5.0]})
    indexed = frame.set_index(["u", "v", "key"])
    with raises_sentence(ValueError, "'u' and 'v' are in the index: call reset_index()"):
        wg.Graph.from_dataframe(indexed)
    assert named_arcs(wg.Graph.from_dataframe(indexed.reset_index())) == [(1, 2, 5.0)]


@pytest.mark.parametrize("index", [True, False])
def test_tables_that_pandas_writes(tmp_path, index):
    frame = pd.DataFrame({"km": [1.5], "to": ["B"], "from": ["A"]}, index=[7])
    frame.to_csv(tmp_path / "a.csv", index=index)
    frame.to_parquet(tmp_path / "a.parquet", index=index)
    for ending in ("csv", "parquet"):
        assert arcs(*wg.io.read(tmp_path / f"a.{ending}")) == [("A", "B", 1.5)]


def test_files_of_a_folder_have_the_same_columns(tmp_path):
    engine = wg.distributed.LocalEngine()
    for name, labels in (("a", ["src", "dst", "km"]), ("b", ["km", "dst", "src"])):
        pd.DataFrame([[0, 1, 0]], columns=labels).to_parquet(tmp_path / f"{name}.parquet")
    graph = wg.distributed.graph(str(tmp_path), engine)
    assert graph.n_vertices == 2
    pd.DataFrame([[0, 1, 0]], columns=["u", "v", "km"]).to_parquet(tmp_path / "c.parquet")
    with raises_sentence(ValueError, "c.parquet in", "choose with source="):
        wg.distributed.graph(str(tmp_path), engine)


# Data without a header is read as it was.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\nc,d\n", [("a", "b", 1.0), ("c", "d", 1.0)]),
        ("source,target,5\nsource,b,6\n", [("source", "b", 6), ("source", "target", 5)]),
        ("w,i\na,b\n", [("a", "b", 1.0), ("w", "i", 1.0)]),
    ],
)
def test_data_without_a_header(tmp_path, text, expected):
    assert arcs(*wg.io.read(put(tmp_path / "a.csv", text))) == expected


@reads
@pytest.mark.parametrize(
    "labels", [("to_station", "from_station"), ("toCity", "From city"), ("target_name", "src")]
)
def test_two_columns_are_known_by_words_of_their_labels(read, labels, tmp_path):
    assert read(labels, [["A", "C"], ["B", "A"]], tmp_path) == [("A", "C", 1.0), ("B", "A", 1.0)]


@pytest.mark.parametrize(
    "text",
    [
        "source,person\nA,B\n",
        "to_node,rank\nA,B\n",
        "a,x_to\nA,B",
        "target,a\nsource,b\n",
        "time,value\nlove,peace\n",
        "Anna,Bert\nCarl,Dora\n",
        "u,v\nu,x\n",
        "from_a,to_b\nto_b,c\n",
    ],
)
def test_what_may_be_a_header_is_data_with_a_warning(tmp_path, text):
    path = put(tmp_path / "a.csv", text)
    words, rest = (tuple(line.split(",")) for line in text.split())
    edges = sorted([(*rest, 1.0), (*words, 1.0)])
    with pytest.warns(UserWarning, match="are read as an edge") as caught:
        assert arcs(*wg.io.read(path)) == edges
    sentence = str(caught[0].message)
    assert f"{path}, line 1: {words[0]!r} and {words[1]!r} are read as an edge" in sentence
    assert "header=True reads it as a header, header=False as an edge" in sentence
    assert arcs(*wg.io.read(path, columns=words)) == [(*rest, 1.0)]
    assert arcs(*wg.io.read(path, columns=(0, 1), header=True)) == [(*rest, 1.0)]
    assert arcs(*wg.io.read(path, header=False)) == edges
    wg.io.read(put(path, "start,a\na,b\n"))
    wg.io.read(put(path, "u,x\ny,b\n"))


def test_an_end_and_a_weight_above_names_are_a_header_without_a_target(tmp_path):
    path = put(tmp_path / "a.csv", "source,weight\nA,5\n")
    with raises_sentence(ValueError, str(path), "no column is known as the target"):
        wg.io.read(path)
    assert arcs(*wg.io.read(path, columns=(0, 1))) == [("A", "5", 1.0)]
    assert len(arcs(*wg.io.read(path, columns=(0, 1), header=False))) == 2


# Weights.


@reads
def test_text_that_is_numbers_is_numbers(read, tmp_path):
    columns = [["A", "B"], ["B", "C"], ["1.5", "1e2"]]
    assert read(["u", "v", "length"], columns, tmp_path) == [("A", "B", 1.5), ("B", "C", 100.0)]
    columns[2] = ["7", "-3"]
    found = read(["u", "v", "length"], columns, tmp_path)
    assert found == [("A", "B", 7), ("B", "C", -3)]
    assert {type(w) for _, _, w in found} == {int}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_weights_from_databases(make):
    table = make({"src": ["a"], "dst": ["b"], "weight": [Decimal("2.50")]})
    assert named_arcs(wg.Graph.from_dataframe(table)) == [("a", "b", 2.5)]
    if make is pd.DataFrame:
        for dtype in ("category", "string"):
            text = pd.DataFrame(
                {"src": ["a"], "dst": ["b"], "weight": pd.Series(["7"], dtype=dtype)}
            )
            assert named_arcs(wg.Graph.from_dataframe(text)) == [("a", "b", 7)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A;B;1,5\n", [("A", "B", 1.5)]),
        ("source;target;km\nA;B;1,5\nB;C;2\n", [("A", "B", 1.5), ("B", "C", 2.0)]),
        ("km;source;target\n,5;A;B\n", [("A", "B", 0.5)]),
        ("Frankfurt, Main;B;2,25\n", [("Frankfurt, Main", "B", 2.25)]),
        ('"a;,b";B;"1,5"\n', [("a;,b", "B", 1.5)]),
        ("A\tB\t-1,5e3\n", [("A", "B", -1500.0)]),
        ("1 2 1,5\n2 3 7,0\n", [(1, 2, 1.5), (2, 3, 7.0)]),
        ('A,B,"1,5"\nNew York,B,2\n', [("A", "B", 1.5), ("New York", "B", 2.0)]),
        ("A;B;5\nB;C;7\n", [("A", "B", 5), ("B", "C", 7)]),
        ("1;2\n2;3\n", [(1, 2, 1.0), (2, 3, 1.0)]),
        ("a,b;c\n", [("a,b", "c", 1.0)]),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "txt"])
def test_decimal_commas(tmp_path, text, expected, ending):
    path = put(tmp_path / f"a.{ending}", text)
    assert arcs(*wg.io.read(path, decimal=",")) == expected
    assert main(["convert", str(path), "--decimal", ",", "--output", str(tmp_path / "b.npz")]) == 0
    assert arcs(*wg.io.read(tmp_path / "b.npz")) == expected


@pytest.mark.parametrize(
    ("text", "decimal", "sentence"),
    [
        ("A;B;1,5\n", ".", "pass decimal=',' if a comma is a decimal mark"),
        ("source;target;km\nA;B;1,5\n", ".", "line 2: .*'1,5'; pass decimal=','"),
        ("A\tB\t1,5\n", ".", "line 1: .*'1,5'; pass decimal=','"),
        ("1 2 1,5\n", ".", "fields separated by commas or by blanks, not both.*decimal=','"),
        ('A,B,"1,5"\n', ".", "pass decimal=','"),
        ("A;B;1,5\nA;B;1.500,5\n", ",", r"line 2: .*'1.500,5', with a point, but decimal=','"),
        ("A;B;1.5\n", ",", r"line 1: .*'1.5', with a point, but decimal=','"),
        ("A;B;1,5,5\n", ",", "line 1: .*the weight is '1,5,5'"),
        ("A;B;1,5\nA;B;\n", ",", "line 2: .*the weight is missing"),
        ("A;B;1,5\nA;B;1e999\n", ",", "line 2: .*'1e999', beyond the largest float64"),
    ],
)
def test_doubtful_decimal_marks_are_refused(tmp_path, text, decimal, sentence):
    with pytest.raises(ValueError, match=sentence):
        wg.io.read(put(tmp_path / "a.csv", text), decimal=decimal)


def test_decimal_commas_of_parquet_and_of_other_formats(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"u": [1], "v": [2], "w": ["1,5"]}).to_parquet(path)
    assert arcs(*wg.io.read(path, decimal=",")) == [(1, 2, 1.5)]
    with raises_sentence(ValueError, str(path), "must hold real numbers, but has '1,5' in row 0"):
        wg.io.read(path)
    with raises_sentence(ValueError, "decimal must be one of '.', ',', got ';'"):
        wg.io.read(path, decimal=";")
    wg.io.write(tmp_path / "a.gr", wg.generators.grid(2, 2))
    with raises_sentence(ValueError, "decimal= is for tables"):
        wg.io.read(tmp_path / "a.gr", decimal=",")


@pytest.mark.parametrize("bad", [np.nan, None])
def test_a_row_is_called_as_its_library_does(bad):
    columns = {"source": ["a", "b", "c"], "target": ["b", "c", "a"], "weight": [1.0, bad, 2.0]}
    word = "NaN|missing" if bad is np.nan else "missing"
    frame = pd.DataFrame(columns)
    for index, row in ((None, "1"), (["x", "y", "z"], "'y'"), ([10, 11, 12], "11")):
        labelled = frame if index is None else frame.set_axis(index)
        with pytest.raises(ValueError, match=f"weight='weight': the value in row {row} is"):
            wg.Graph.from_dataframe(labelled)
    with pytest.raises(ValueError, match=r"the value in row \('p', 2\) is missing"):
        wg.Graph.from_dataframe(frame.set_axis([("p", 1), ("p", 2), ("q", 3)]))
    with pytest.raises(ValueError, match="the value in row 11 is missing"):
        wg.Graph.from_dataframe(frame.set_axis([10, 11, 12])[1:])
    for make in (pl.DataFrame, pa.table):
        with pytest.raises(ValueError, match=f"weight='weight': the value in row 1 is ({word})"):
            wg.Graph.from_dataframe(make(columns))


# The property.

ENDS = [("source", "target"), ("from", "to"), ("SRC", "Dst"), ("tail", "head"), ("u", "v")]
ENDS += [("FromNodeId", "ToNodeId"), ("source_id", "target_id"), ("origin", "destination")]
WEIGHTS = ["weight", "w", "length", "Distance", "dist", "cost", "travel_time", "length_m"]
UNKNOWN = ["colour", "lanes", "grade", "x1"]
DESCRIBING = ["id", "key", "type", "edge_name", "Unnamed: 0"]
NAMES = st.text("aB ,;\"'ß1", min_size=1, max_size=3)


@st.composite
def tables(draw):
    """Labels, columns and the edges that they mean."""
    n = draw(st.integers(1, 4))
    names = draw(st.sampled_from([NAMES, st.integers(-(2**40), 2**40)]))
    # Numbers between these may be times of Unix.
    number = (
        st.integers(-9, 2**28)
        | st.integers(2**42, 2**50)
        | st.floats(0, 1e6).map(lambda value: value + 0.25)
    )
    column = {
        "end": lambda: draw(st.lists(names, min_size=n, max_size=n)),
        "weight": lambda: draw(st.lists(number, min_size=n, max_size=n)),
        "other": lambda: draw(st.lists(st.integers(0, 99), min_size=n, max_size=n)),
    }
    source, target = draw(st.sampled_from(ENDS))
    tails, heads, weights = column["end"](), column["end"](), [1.0] * n
    found = [(source, tails), (target, heads)]
    kind = draw(st.sampled_from(["known", "other", "none"]))
    if kind != "none":
        values = column["weight"]()
        weights = values if all(isinstance(w, int) for w in values) else list(map(float, values))
        label = draw(st.sampled_from(WEIGHTS if kind == "known" else UNKNOWN))
        as_text = draw(st.booleans())
        found.append((label, [repr(w) for w in weights] if as_text else weights))
        if kind == "known":
            found += [(word, column["other"]()) for word in draw(st.sets(st.sampled_from(UNKNOWN)))]
    found += [(word, column["other"]()) for word in draw(st.sets(st.sampled_from(DESCRIBING)))]
    found = draw(st.permutations(found))
    edges = sorted(zip(tails, heads, weights, strict=True))
    return [label for label, _ in found], [values for _, values in found], edges


@reads
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables())
def test_one_table_in_every_format_gives_one_graph(read, tmp_path, table):
    labels, columns, edges = table
    found = read(labels, columns, tmp_path)
    assert found == edges
    assert [type(w) for _, _, w in found] == [type(w) for _, _, w in edges]
