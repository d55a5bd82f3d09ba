"""Feather beside pyarrow and pandas; TNTP, whose table is read as one of text."""

import contextlib
import io
import sys

import pandas as pd
import pytest

import warpgraph as wg
from checks import raises_sentence
from files import arcs_by_name as edges, damaged


def put(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# Feather.


@pytest.mark.parametrize("name", ["a.feather", "a.arrow", "a.ipc", "a.arrows"])
def test_feather_is_read_by_the_rule_of_columns(tmp_path, name):
    pa = pytest.importorskip("pyarrow")
    columns = {"km": [1.5, 2.5, 3.5], "to": ["b", "c", "a"], "from": ["a", "b", "c"]}
    table = pa.table({**columns, "oneway": ["yes", "no", "-1"]})
    if name == "a.arrows":
        with pa.ipc.new_stream(tmp_path / name, table.schema) as stream:
            stream.write_table(table)
    else:
        pytest.importorskip("pyarrow.feather").write_feather(
            table, tmp_path / name, compression="zstd"
        )
    found = wg.Graph.read(tmp_path / name)
    expected = [("a", "b", 1.5), ("a", "c", 3.5), ("b", "c", 2.5), ("c", "b", 2.5)]
    assert edges(found) == expected == edges(wg.Graph.from_dataframe(table))
    assert found.weight_name == "km"
    chosen = wg.Graph.read(tmp_path / name, columns=("to", "from"), direction=None)
    assert edges(chosen) == [("a", "c", 1), ("b", "a", 1), ("c", "b", 1)]


def test_feather_is_what_pandas_writes_and_reads(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"source": [3, 1], "target": [1, 2], "length": [5, 7]})
    frame.to_feather(tmp_path / "a.feather")
    graph = wg.Graph.read(tmp_path / "a.feather")
    assert edges(graph) == [("1", "2", 7), ("3", "1", 5)]
    graph.write(tmp_path / "b.feather")
    written = pd.read_feather(tmp_path / "b.feather").sort_values("source", ascending=False)
    pd.testing.assert_frame_equal(written.reset_index(drop=True), frame)
    with raises_sentence(ValueError, ".gz", "not compressed as a whole"):
        wg.io.read(tmp_path / "a.feather.gz")


def test_what_feather_cannot_hold(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    for name, why in (("", "it is read as missing"), ("\ud800", "it has a surrogate")):
        graph = wg.Graph([[0, 1], [1, 0]], names=[name, "b"])
        with raises_sentence(ValueError, repr(name), f"cannot be written to Feather: {why}"):
            graph.write(tmp_path / "a.feather")
    pd.DataFrame({"source": [3], "target": [1]}).to_feather(tmp_path / "a.feather")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with raises_sentence(ImportError, "Feather needs pyarrow", "pip install 'warpgraph[io]'"):
        wg.io.read(tmp_path / "a.feather")


def test_feather_of_the_first_version(tmp_path):
    """Its reader ends the process where a file is damaged."""
    (tmp_path / "a.feather").write_bytes(b"FEA1" + bytes(60) + b"FEA1")
    with raises_sentence(ValueError, "a.feather", "Feather's first version", "write it again"):
        wg.Graph.read(tmp_path / "a.feather")


def test_a_damaged_stream_is_an_error_of_the_file(tmp_path):
    """One bit after the other of what describes the table."""
    ipc = pytest.importorskip("pyarrow.ipc")
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"source": ["a", "b"] * 9, "target": ["b", "c"] * 9})
    sink = io.BytesIO()
    with ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    whole, path = sink.getvalue(), tmp_path / "a.arrows"
    for bit in range(0, 8 * min(len(whole), 700), 7):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        with contextlib.suppress(ValueError):
            wg.Graph.read(path)


# TNTP.

TNTP = """<NUMBER OF ZONES> 2
<NUMBER OF NODES> 3
<NUMBER OF LINKS> 3
<END OF METADATA>


~ \tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\ttoll\tlink_type\t;
\t1\t2\t25900.20064\t6\t7\t0.15\t4\t0\t0\t1\t;
\t2\t1\t25900.20064\t6\t7.5\t0.15\t4\t0\t0\t1\t;
\t1\t3\t25900.20064\t6\t9\t0.15\t4\t0\t0\t1\t;
"""


def test_tntp_is_read_by_the_rule_of_columns(tmp_path):
    path = put(tmp_path, "net.tntp", TNTP)
    found = wg.Graph.read(path, columns=("init_node", "term_node", "free_flow_time"))
    assert edges(found) == [("1", "2", 7.0), ("1", "3", 9.0), ("2", "1", 7.5)]
    assert (found.names.tolist(), found.weight_name) == ([1, 2, 3], "free_flow_time")
    assert edges(wg.Graph.read(path, columns=(0, 1, 3))) == [
        ("1", "2", 6),
        ("1", "3", 6),
        ("2", "1", 6),
    ]
    with raises_sentence(ValueError, "net.tntp, line 7", "'length', 'free_flow_time' and 'toll'"):
        wg.io.read(path)


@pytest.mark.parametrize(
    "labels",
    [
        "~\tInit node\tTerm node\tFree Flow Time (min)\t;",
        "~ \tTail \tHead \tTravel time \t;",
        "~ init_node term_node length ;",
    ],
)
def test_labels_of_tntp(tmp_path, labels):
    above, _, _ = TNTP.partition("~")
    path = put(
        tmp_path, "net.tntp", f"{above}{labels}\n 1 2 7 ;\n2 1 7.5;\n~ a comment\n1\t3\t9\t;\n"
    )
    assert edges(wg.Graph.read(path)) == [("1", "2", 7.0), ("1", "3", 9.0), ("2", "1", 7.5)]


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("LINKS> 3", "LINKS> 4", ["expected 4 links, as the metadata say", "got 3"]),
        ("9\t0.15", "9", ["line 10", "10 fields, as the labels are init_node"]),
        ("7.5", "q", ["line 9", "the weight is 'q'"]),
        ("<NUMBER OF LINKS> 3\n", "", ["expected <NUMBER OF LINKS> with a number"]),
        ("<NUMBER OF LINKS> 3", "<TOTAL OD FLOW> 3.0", ["tables of trips have none"]),
        ("~ \tinit", "init", ["line 7", "labels of columns, after ~"]),
        ("<NUMBER OF ZONES> 2", "Node X Y ;", ["line 1", "no tables of nodes, trips or flows"]),
        (TNTP[TNTP.index("<END") :], "", ["ends after line 3", "<END OF METADATA>"]),
        (TNTP[TNTP.index("~") :], "", ["expected 3 links", "got 0 links"]),
    ],
)
def test_tntp_that_is_refused(tmp_path, old, new, parts):
    path = put(tmp_path, "net.tntp", TNTP.replace(old, new))
    with raises_sentence(ValueError, "net.tntp", *parts):
        wg.io.read(path, columns=("init_node", "term_node", "free_flow_time"))


# Damage.


@pytest.mark.parametrize("name", ["a.feather", "a.arrows", "net.tntp"])
def test_damaged_files_are_refused_or_read(tmp_path, name):
    path = put(tmp_path, name, TNTP)
    if name != "net.tntp":
        pa = pytest.importorskip("pyarrow")
        table = pa.table({"source": ["a", "b"], "target": ["b", "c"], "weight": [1, 2]})
        how = pa.ipc.new_file if name == "a.feather" else pa.ipc.new_stream
        with how(path, table.schema) as file:
            file.write_table(table)
    assert damaged(path)
