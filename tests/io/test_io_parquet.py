"""Which columns of Parquet files are ends and weights."""

import numpy as np
import pandas as pd
import pytest

import warpgraph as wg
from checks import raises_sentence
from files import arcs


def test_columns_and_ids_of_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    pd.DataFrame({"u": [1, 10], "via": [0, 0], "v": [2, 9], "km": [0.5, 2]}).to_parquet(path)
    graph, ids = wg.io.read(path, columns=["u", "v", "km"], dtype="float32")
    assert arcs(graph, ids) == [(1, 2, 0.5), (10, 9, 2)]
    assert graph.dtype == np.float32
    graph, ids = wg.io.read(path, columns=[0, 2], id_dtype=str)
    assert ids.tolist() == ["1", "10", "2", "9"]
    assert graph.data.tolist() == [1, 1]
    assert arcs(*wg.io.read(path)) == [(1, 2, 0.5), (10, 9, 2)]
    with raises_sentence(ValueError, "the table has 4 columns"):
        wg.io.read(path, columns=[0, 4])
    with raises_sentence(ValueError, "max_vertices is 3"):
        wg.io.read(path, columns=[0, 2], max_vertices=3)
    pd.DataFrame({"from": ["a", None], "to": ["b", "c"]}).to_parquet(path)
    with raises_sentence(ValueError, str(path), "row 1 is missing"):
        wg.io.read(path)


@pytest.mark.parametrize("name", ["\ud800", "a\udfffb"])
def test_names_that_parquet_cannot_hold(tmp_path, name):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    with raises_sentence(ValueError, "the vertex id", repr(name), "written to Parquet") as caught:
        wg.io.write(path, wg.generators.grid(1, 2), ids=["x", name])
    assert not isinstance(caught.value, UnicodeError)
    assert not path.exists()


@pytest.mark.parametrize(
    ("columns", "index", "expected"),
    [
        ({"source": [7], "target": [5], "cost": [2.5]}, [0], [(7, 5, 2.5)]),
        ({"cost": [2.5], "target": [5], "source": [7]}, [0], [(7, 5, 2.5)]),
        ({"a": [1], "weight": [2.5], "target": [5], "source": [7]}, [0], [(7, 5, 2.5)]),
        ({"from": [7], "to": [5]}, [9], [(7, 5, 1)]),
        ({"source": [7], "target": [5]}, [9], [(7, 5, 1)]),
        ({"from": [7], "to": [5], "km": [2.5]}, [9], [(7, 5, 2.5)]),
        ({"source": [7], "target": [5], "km": [2.5], "minutes": [3]}, [0], None),
    ],
)
def test_columns_that_parquet_has_by_default(tmp_path, columns, index, expected):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    pd.DataFrame(columns, index=index).to_parquet(path)
    if expected is None:
        with raises_sentence(ValueError, str(path), "choose with columns="):
            wg.io.read(path)
    else:
        assert arcs(*wg.io.read(path)) == expected
