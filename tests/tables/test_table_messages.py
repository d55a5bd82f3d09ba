"""What errors about tables advise."""

import pandas as pd
import pytest

import warpgraph as wg
from checks import raises_sentence
from files import put


@pytest.mark.parametrize("mark", ["//", "--", "!"])
@pytest.mark.parametrize("words", ["", " hi", " written by hand or not"])
@pytest.mark.parametrize("table", ["source,target\na,b\n", "a;b;3\n", "1,2\n"])
def test_a_comment_of_another_language(tmp_path, mark, words, table):
    path = put(tmp_path / "a.csv", f"{mark}{words}\n{table}")
    with raises_sentence(ValueError, "if line 1 is a comment", f"comment={mark!r} leaves it out"):
        wg.Graph.read(path)
    assert wg.Graph.read(path, comment=mark).n_edges == 1


def test_a_third_column_that_has_no_numbers(tmp_path):
    path = put(tmp_path / "a.csv", "from,to,colour\na,b,red\n")
    with raises_sentence(ValueError, "line 2", "the weight is 'red'", "columns=('from', 'to')"):
        wg.Graph.read(path)
    assert wg.Graph.read(path, columns=("from", "to")).n_edges == 1
    path = put(tmp_path / "a.csv", "a,b,3\nb,c,red\n")
    with raises_sentence(ValueError, "line 2", "the weight is 'red'", "columns=(0, 1) reads no"):
        wg.Graph.read(path)
    assert wg.Graph.read(path, columns=(0, 1)).n_edges == 2


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        *[(row, columns) for row in ("a|b", "a:b") for columns in (None, ("a", "b"), (0, 1))],
        ("a | b | 3", None),
        ("a | b | 3", ("a", "weight")),
        ("a | b | 3", (0, 7)),
    ],
)
def test_other_separators(tmp_path, row, columns):
    path = put(tmp_path / "a.csv", f"{row}\n{row}\n")
    known = "fields are separated by tabs, commas, semicolons or blanks"
    with raises_sentence(ValueError, "line 1", known):
        wg.Graph.read(path, columns=columns)


@pytest.mark.parametrize("read", [wg.Graph.read, wg.io.read])
def test_a_table_in_memory_is_no_path(read):
    with raises_sentence(TypeError, "path of a file", "Graph.from_dataframe takes a table"):
        read(pd.DataFrame({"from": ["a"], "to": ["b"]}))
