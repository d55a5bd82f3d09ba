"""Which columns of Parquet files are ends and weights."""

import numpy as np
import pandas as pd
import pytest

import warpgraph as wg
from checks import raises_sentence
from files import arcs
from warpgraph.distributed._tasks import blocks


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


def write_with_a_flipped_bit(path):
    """Write a file whose pages have checksums, and flip a bit of a vertex."""
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    ends = np.arange(1000)
    table = pyarrow.table({"source": ends, "target": ends + 1})
    how = {"compression": "none", "use_dictionary": False, "write_page_checksum": True}
    parquet.write_table(table, path, **how)
    content = bytearray(path.read_bytes())
    content[content.index((400).to_bytes(8, "little")) + 1] ^= 2  # 400 becomes 912
    path.write_bytes(content)
    assert parquet.read_table(path).column("source")[400].as_py() == 912


def test_a_flipped_bit_in_a_page_that_has_a_checksum(tmp_path):
    path = tmp_path / "a.parquet"
    write_with_a_flipped_bit(path)
    for read in (wg.io.read, wg.Graph.read):
        with raises_sentence(ValueError, str(path), "checksum"):
            read(path)


def test_workers_name_the_file_of_a_page_with_a_wrong_checksum(tmp_path):
    path = tmp_path / "a.parquet"
    write_with_a_flipped_bit(path)
    with raises_sentence(ValueError, str(path), "checksum"):
        list(
            blocks.read_parquet(
                10_000,
                blocks.Columns("source", "target", None),
                [blocks.RowGroup(str(path), 0, 1000)],
            )
        )
