"""Which numbers weights may be, in tables and text: none is read as another."""

from decimal import Decimal
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import warpgraph as wg
from checks import raises_sentence
from files import put
from warpgraph._tables import parsers

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")


def frame_of(weights, make=pd.DataFrame):
    weights = pd.Series(weights, dtype=object) if make is pd.DataFrame else weights
    n = len(weights)
    return make({"source": ["a"] * n, "target": ["b"] * n, "weight": weights})


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1, "2"], [1, 2]),
        ([1, " 2.5"], [1, 2.5]),
        ([Decimal("0.1"), 1], [0.1, 1]),
        ([Fraction(1, 3), 1], [1 / 3, 1]),
        ([Fraction(1, 2), Decimal("Infinity"), np.float32(2)], [0.5, np.inf, 2]),
        ([True, 2], [1, 2]),
        ([2**70, 1.5], [2.0**70, 1.5]),
    ],
)
def test_weights_of_several_kinds_are_those_of_networkx(weights, expected):
    found = wg.Graph.from_dataframe(frame_of(weights)).data
    assert found.tolist() == expected
    theirs = nx.MultiDiGraph()
    theirs.add_weighted_edges_from(("a", "b", weight) for weight in weights)
    assert found.dtype == wg.Graph(theirs).dtype


@pytest.mark.parametrize(
    ("weight", "kind", "sentence"),
    [
        (
            Decimal("1e400"),
            OverflowError,
            "in row 1 is .*1E\\+400.*, which a float64 does not hold",
        ),
        (Fraction(10) ** 400, OverflowError, "in row 1 is .*, which a float64 does not hold"),
        (2**63, OverflowError, "in row 1 is 9223372036854775808, which an int64 does not hold"),
        (
            str(2**63),
            OverflowError,
            "in row 1 is 9223372036854775808, which an int64 does not hold",
        ),
        (Decimal("sNaN"), ValueError, "the value in row 1 is missing"),
        (Decimal("NaN"), ValueError, "the value in row 1 is missing"),
        ("nan", TypeError, "must hold real numbers, but has 'nan' in row 1$"),
        ("2,5", TypeError, r"has '2,5' in row 1; .*: column.str.replace\(',', '.'\)"),
        (1j, TypeError, "must hold real numbers, but has 1j in row 1"),
        (np.timedelta64(1, "s"), TypeError, "must hold real numbers, but has .* in row 1"),
        ([1], TypeError, r"must hold real numbers, but has \[1\] in row 1"),
    ],
)
def test_odd_weights_are_refused_with_their_row(weight, kind, sentence):
    with pytest.raises(kind, match=f"weight='weight'.*{sentence}"):
        wg.Graph.from_dataframe(frame_of([1, weight]))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("weights", [[[1], [2, 3]], [[1], [2]], [[1, 2], [3, 4]]])
def test_lists_are_no_weights(make, weights):
    with raises_sentence(TypeError, "weight='weight' must hold real numbers", "in row 0"):
        wg.Graph.from_dataframe(frame_of(weights, make))


@pytest.mark.parametrize("parser", ["numpy", "csv"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "source,target,weight\nA,B,1\nA,C,{}\n"),
        ("a.csv", "A,B,1.5\nA,C,{}\n"),
        ("a.csv", "1,2,5\n2,3,{}\n"),
        ("a.txt", "1 2 1.5\n2 3 {}\n"),
        ("a.gr", "p sp 3 1\na 1 2 {}\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 2 {}\n"),
        ("a.mtx", "%%MatrixMarket matrix array integer general\n1 1\n{}\n"),
    ],
)
def test_integers_beyond_int64_are_refused_in_text(tmp_path, monkeypatch, name, text, parser):
    if parser == "csv":
        monkeypatch.setattr(parsers, "_in_numpy", lambda *args: None)
    path = tmp_path / name
    line = text[: text.index("{")].count("\n") + 1
    for number in (2**63, -(2**63) - 1, 10**30, f"+{2**63}"):
        if not name.endswith("gr") or number != f"+{2**63}":
            with raises_sentence(ValueError, f"{path}, line {line}: ", "the largest int64"):
                wg.io.read(put(path, text.format(number)))
    for number in (2**63 - 1, -(2**63)):
        assert float(number) in wg.io.read(put(path, text.format(number)))[0].data


def test_reals_beyond_int64_are_read(tmp_path):
    for text in ("1e19", "9223372036854775808.0", "-1e300"):
        assert wg.io.read(put(tmp_path / "a.csv", f"A,B,{text}\n"))[0].data == [float(text)]
    header = "%%MatrixMarket matrix coordinate real general\n2 2 1\n"
    path = put(tmp_path / "a.mtx", f"{header}1 2 9223372036854775808\n")
    assert wg.io.read(path)[0].data == [2.0**63]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_integers_beyond_int64_are_refused_in_tables(tmp_path, make):
    table = make({"u": ["a", "b"], "v": ["b", "c"], "w": ["1", "9223372036854775808"]})
    with raises_sentence(ValueError, "weight='w': the value in row 1", "the largest int64"):
        wg.Graph.from_dataframe(table)
    table = make({"u": ["a"], "v": ["b"], "w": np.array([2**63], np.uint64)})
    with raises_sentence(OverflowError, "9223372036854775808", "the largest int64"):
        wg.Graph.from_dataframe(table)
