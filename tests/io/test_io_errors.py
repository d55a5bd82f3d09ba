"""wg.io: errors name the defect of a malformed file."""

import contextlib
import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import graphs
import warpgraph as wg
from files import is_doubtful, may_have_no_edges, put

MM = "%%MatrixMarket matrix coordinate"
ARRAY = "%%MatrixMarket matrix array"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.gr", "", r"ends after line 0; expected the problem line 'p sp VERTICES ARCS'"),
        ("a.gr", "c only\n", r"ends after line 1; expected the problem line"),
        ("a.gr", "garbage\n", r"line 1: expected 'p sp .*, got 'garbage'"),
        ("a.gr", "c\np sp 3\n", r"line 2: expected 'p sp"),
        ("a.gr", "p max 3 4\n", r"line 1: expected 'p sp"),
        ("a.gr", "p sp 3 2\na 1 2 5\n", r"announces 2 arcs and has 1 by its end, line 2"),
        ("a.gr", "p sp 3 1\na 1 2 5\na 1 2 5\n", r"announces 1 arcs and has 2"),
        ("a.gr", "p sp 3 2\na 1 2 5\na 1 4 5\n", r"line 3: .*ends in 1\.\.3, got 'a 1 4 5'"),
        ("a.gr", "p sp 3 1\na 0 2 5\n", r"line 2: .*ends in 1\.\.3"),
        ("a.gr", "p sp 3 2\na 1 2 5\na 1 2\n", r"line 3: expected 'a TAIL HEAD WEIGHT'.*'a 1 2'"),
        ("a.gr", "p sp 3 2\na 1 2 5\n1 2 5\n", r"line 3: expected 'a TAIL HEAD WEIGHT'"),
        ("a.gr", "p sp 3 2\na 1 2 5 6\n", r"line 2: expected 'a TAIL HEAD WEIGHT'"),
        ("a.gr", "p sp 3 2\nc\n\na 1 2 five\n", r"line 4: .*got 'a 1 2 five'"),
        ("a.gr", "p sp 3 1\na 1 2 nan\n", r"line 2: .*got 'a 1 2 nan'"),
        ("a.gr", "p sp 3 1\na 1.5 2 3\n", r"line 2: .*got 'a 1.5 2 3'"),
        ("a.gr", "p sp 3 1\na", r"line 2: expected 'a TAIL HEAD WEIGHT'.*got 'a'"),
        ("a.gr", "p sp 3 1\na 1 2 3a\n", r"line 2: .*got 'a 1 2 3a'"),
        ("a.gr", "p tw 3 2\n1 2\n", r"announces 2 edges and has 1"),
        ("a.gr", "p tw 3 2\n1 2\n1 5\n", r"line 3: expected an edge 'U V', ends in 1\.\.3"),
        ("a.gr", "p tw 3 2\n1 2\n1 2 3\n", r"line 3: expected an edge 'U V'"),
        ("a.gr", "p sp 3000000000 0\n", r"a\.gr: n_vertices must be in"),
        ("a.graph", "", r"ends after line 0; expected 'VERTICES EDGES"),
        ("a.graph", "3\n", r"line 1: expected 'VERTICES EDGES"),
        ("a.graph", "3 1 002\n", r"line 1: expected 'VERTICES EDGES"),
        ("a.graph", "3 1\n2\n1\n", r"announces 3 vertices and has lines for 2 by its end, line 3"),
        ("a.graph", "2 1\n2\n%\n1\n2\n", r"line 5: expected no more than 2 vertices"),
        ("a.graph", "2 1\n2\n3\n", r"line 3: expected neighbours in 1\.\.2, got '3'"),
        ("a.graph", "2 1\n2\n%\nx\n", r"line 4: expected integers, got 'x'"),
        ("a.graph", "2 1\n2\n1.5\n", r"line 3: expected integers, got '1.5'"),
        ("a.graph", "2 1 1\n2 5\n1\n", r"line 3: expected pairs of a neighbour and a weight"),
        ("a.graph", "2 1 10\n\n1\n", r"line 2: expected 1 number\(s\) of the vertex and then"),
        ("a.graph", "2 2\n2\n1\n", r"announces 2 edges, which are 4 entries, and has 2"),
        ("a.graph", "3 1\n2\n\n2\n", r"is not listed at both of its ends"),
        ("a.graph", "2 1 1\n2 5\n1 6\n", r"is not listed at both of its ends alike"),
        ("a.graph", f"2 1 1\n2 {10**20}\n1 {10**20}\n", r"line 2: expected integers, got '1000"),
        ("a.txt", "1 2\n1 2 3\n", r"line 2: expected two vertex integer ids as on the first"),
        ("a.txt", "# x\n1 2 3\n1 x 3\n", r"line 3: expected two vertex integer ids and a weight"),
        ("a.txt", "1 2 3\n1 3 heavy\n", r"line 2: .*got '1 3 heavy'"),
        ("a.txt", "x y 3\ny z heavy\n", r"line 2: .*got 'y z heavy'"),
        ("a.txt", "1 2 3\n1 2 nan\n", r"line 2: .*got '1 2 nan'"),
        ("a.txt", "7\n", r"line 1: expected two vertex ids and perhaps a weight, got '7'"),
        ("a.txt", "1 2 3 4\n", r"line 1: expected two vertex ids and perhaps a weight"),
        ("a.csv", "1,2\n1,2,\n", r"line 2: expected two vertex integer ids"),
        ("a.mtx", "", r"ends after line 0; expected '%%MatrixMarket matrix"),
        ("a.mtx", "garbage\n", r"line 1: expected '%%MatrixMarket matrix"),
        ("a.mtx", f"{MM} complex general\n1 1 0\n", r"line 1: expected '%%MatrixMarket"),
        ("a.mtx", f"{MM} complex hermitian\n1 1 0\n", r"line 1: expected '%%MatrixMarket"),
        ("a.mtx", f"{MM} real general\n% c\n", r"ends after line 2; expected 'ROWS COLUMNS"),
        ("a.mtx", f"{MM} real general\n2 3 1\n1 2 5\n", r"line 2: expected .* columns equal"),
        ("a.mtx", f"{MM} real general\n2 2 2\n1 2 5\n", r"announces 2 entries and has 1 by its"),
        ("a.mtx", f"{MM} real general\n2 2 1\n1 3 5\n", r"line 3: .*both in 1\.\.2, got '1 3 5'"),
        ("a.mtx", f"{MM} real general\n2 2 1\n%\n1 x 5\n", r"line 4: .*got '1 x 5'"),
        ("a.mtx", f"{MM} real general\n2 2 1\n1 2 x\n", r"line 3: .*got '1 2 x'"),
        ("a.mtx", f"{MM} real general\n2 2 1\n1 2\n", r"line 3: expected 'ROW COLUMN VALUE'"),
        ("a.mtx", f"{MM} pattern general\n2 2 1\n1 2 5\n", r"line 3: expected 'ROW COLUMN', both"),
        ("a.mtx", f"{MM} real general\n2 2 1\n1 2 nan\n", r"a\.mtx, line 3: .*: the value is NaN"),
        ("a.mtx", f"{ARRAY} real general\n2 2\n1\n2\n3\n", r"announces 4 entries and has 3"),
        ("a.mtx", f"{ARRAY} real general\n1 1\nx\n", r"line 3: expected one number, got 'x'"),
        (
            "a.gr",
            "p sp 2 2\na 1 2 inf\na 1 2 1e400\n",
            r"line 3: .*'a 1 2 1e400': .*largest float64",
        ),
        ("a.gr", f"p sp 2 1\na 1 2 {'9' * 400}\n", r"line 2: .*beyond the largest float64"),
        ("a.gr", "p sp 3 2\n a 1 2 3\n a 1 2 3.4.5\n", r"line 3: .*got 'a 1 2 3\.4\.5'"),
        ("a.gr", "p sp 3 2\na 1 2 3\na 1 2\r3\n", r"line 3: .*got 'a 1 2\\r3'"),
        ("a.mtx", f"{MM} real general\n2 2 1\n1 2 -1e400\n", r"line 3: .*largest float64"),
        ("a.mtx", f"{MM} integer general\n2 2 1\n1 2 {'9' * 400}\n", r"line 3: .*largest float64"),
        ("a.mtx", f"{ARRAY} real general\n1 1\n1e400\n", r"line 3: .*largest float64"),
        ("a.graph", f"2 1 1\n2 {'9' * 400}\n1 1\n", r"line 2: expected integers, got '9999"),
        ("a.npz", "", r"a\.npz"),
        ("a.npz", "garbage", r"a\.npz"),
    ],
)
def test_defects_are_named(tmp_path, name, text, sentence):
    path = put(tmp_path / name, text)
    with pytest.raises(ValueError, match=sentence) as caught:
        wg.io.read(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("compression", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("ending", [".gr", ".graph", ".mtx", ".txt"])
@pytest.mark.parametrize("fraction", [0.05, 0.5, 0.95])
def test_compressed_files_that_are_cut_off(tmp_path, ending, compression, fraction):
    path = tmp_path / f"a{ending}{compression}"
    wg.io.write(path, wg.generators.grid(60, 60, seed=1, weights=(1, 99)))
    path.write_bytes(path.read_bytes()[: int(fraction * path.stat().st_size)])
    with pytest.raises(ValueError, match=re.escape(str(path))):
        wg.io.read(path)


@pytest.mark.parametrize("compression", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("ending", [".gr", ".mtx"])
def test_files_that_are_not_compressed_as_they_say(tmp_path, ending, compression):
    path = tmp_path / f"a{ending}{compression}"
    path.write_bytes(b"p sp 1 0\n" * 50)
    with pytest.raises(ValueError, match=re.escape(str(path))):
        wg.io.read(path)


@pytest.mark.parametrize("compression", [".gz", ".bz2", ".xz"])
def test_compressed_files_of_no_bytes(tmp_path, compression):
    path = tmp_path / f"a.csv{compression}"
    path.write_bytes(b"")
    with pytest.raises(ValueError, match=f"has no bytes; expected compressed data .{compression}"):
        wg.io.read(path)
    with pytest.warns(UserWarning, match=f"{path} has no edges"):
        assert wg.io.read(put(path, ""))[0].n_vertices == 0


@pytest.mark.parametrize(
    ("name", "format"), [("z.npz.gz", None), ("z.npz.xz", None), ("z.bz2", "npz")]
)
def test_npz_is_not_compressed_as_a_whole(tmp_path, name, format):
    sentence = r"but \.npz files are not compressed as a whole"
    with pytest.raises(ValueError, match=sentence):
        wg.io.write(tmp_path / name, graphs.csr(1, []), format=format)
    with pytest.raises(ValueError, match=sentence):
        wg.io.read(tmp_path / name, format=format)


def test_npz_is_read_from_files_alone():
    with pytest.raises(ValueError, match=r"/dev/zero is a pipe or a device; \.npz is read from"):
        wg.io.read("/dev/zero", format="npz")


@pytest.mark.parametrize("fraction", [0.1, 0.6, 0.99])
def test_npz_files_that_are_cut_off(tmp_path, fraction):
    path = tmp_path / "a.npz"
    wg.io.write(path, wg.generators.grid(30, 30, seed=1))
    path.write_bytes(path.read_bytes()[: int(fraction * path.stat().st_size)])
    with pytest.raises(ValueError, match=re.escape(str(path))):
        wg.io.read(path)


def test_npz_files_with_other_arrays(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, points=np.zeros(3))
    with pytest.raises(ValueError, match=re.escape(str(path))):
        wg.io.read(path)
    wg.io.write(path, graphs.csr(3, [(0, 1, 1.0)]))
    with np.load(path) as arrays:
        changed = dict(arrays)
    np.savez(path, **{**changed, "ids": np.arange(7)})
    with pytest.raises(ValueError, match=r"expected ids of 3 vertices, got shape \(7,\)"):
        wg.io.read(path)
    np.savez(path, **{**changed, "indices": np.array([3], np.int32)})
    with pytest.raises(ValueError, match=r"a\.npz: .*indices\[0\]|a\.npz: .*column index"):
        wg.io.read(path)


@is_doubtful
@may_have_no_edges
@settings(max_examples=60)
@given(
    garbage=st.one_of(st.binary(max_size=200), st.text("pacstw 0123456789.-\n%#,", max_size=200)),
    ending=st.sampled_from([".gr", ".graph", ".mtx", ".csv", ".txt", ".npz", ".gr.gz", ".txt.xz"]),
)
def test_garbage_is_a_value_error_or_a_graph(tmp_path_factory, garbage, ending):
    path = tmp_path_factory.mktemp("io") / f"a{ending}"
    path.write_bytes(garbage if isinstance(garbage, bytes) else garbage.encode())
    with contextlib.suppress(ValueError):
        graph, ids = wg.io.read(path)
        assert isinstance(graph, wg.Graph)
        assert ids is None or len(ids) == graph.n_vertices


def test_unknown_endings_and_formats(tmp_path):
    with pytest.raises(ValueError, match=r"the ending of .*a\.docx' names no format; known are"):
        wg.io.read(tmp_path / "a.docx")
    with pytest.raises(ValueError, match=r"format must be one of 'csv'.*got 'docx'"):
        wg.io.write(tmp_path / "a.docx", graphs.csr(1, []), format="docx")
    assert not list(tmp_path.iterdir())
    path = put(tmp_path / "noending", "0 1 5\n")
    assert wg.io.read(path, format="edge-list")[0].n_edges == 1


def test_an_unknown_ending_to_write_lists_only_formats_that_are_written(tmp_path):
    with pytest.raises(ValueError, match="names no format; known are") as caught:
        wg.io.write(tmp_path / "a.geojson", graphs.csr(1, []))
    endings = re.search(r"known are (.*), or", str(caught.value))[1].split()
    assert {".csv", ".gr", ".parquet"} <= set(endings)
    for ending in endings:
        wg.io.write(tmp_path / f"a{ending}", graphs.csr(2, [(0, 1, 1), (1, 0, 1)]))
    with pytest.raises(ValueError, match=r"known are .*\.gexf"):
        wg.io.read(tmp_path / "a.geojson")


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_a_missing_column_of_a_table_is_named_with_those_there_are(tmp_path, ending):
    pytest.importorskip("pyarrow")
    path = tmp_path / f"a.{ending}"
    wg.io.write(path, graphs.csr(2, [(0, 1, 1)]))
    expected = r"{}: there is no column '{}'; the columns are 'source', 'target', 'weight'"
    place = r"a\.csv, line 1" if ending == "csv" else rf"a\.{ending}"
    for columns in (("src", "target", "weight"), ("source", "target", "src")):
        with pytest.raises(ValueError, match=expected.format(place, "src")):
            wg.io.read(path, columns=columns)
    with pytest.raises(ValueError, match=expected.format(f"{place}.*", "oneway")):
        wg.io.read(path, direction="oneway")


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        wg.io.read(tmp_path / "a.gr")
    with pytest.raises(FileNotFoundError):
        wg.io.write(tmp_path / "no" / "a.gr", graphs.csr(1, []))
    for name in ("no/a.gr", "no/a.gr.gz", "no/a.gr.xz"):
        with pytest.raises(FileNotFoundError) as caught:
            wg.io.write(name, graphs.csr(1, []))
        assert caught.value.filename == name
        assert str(caught.value).endswith(f"No such file or directory: {name!r}")


@pytest.mark.parametrize(
    ("name", "graph", "sentence"),
    [
        ("a.graph", [(0, 1, 1.0)], "METIS format is for undirected graphs"),
        ("a.graph", [(0, 0, 1.0)], "METIS format has no loops, but vertex 0 has one"),
        ("a.graph", [(0, 1, 0.5), (1, 0, 0.5)], r"entry \(0, 1\) is 0.5"),
        ("a.graph", [(0, 1, 0.0), (1, 0, 0.0)], r"entry \(0, 1\) is 0.0"),
        ("a.graph", [(0, 1, np.inf), (1, 0, np.inf)], r"entry \(0, 1\) is inf"),
    ],
)
def test_graphs_that_a_format_cannot_hold(tmp_path, name, graph, sentence):
    with pytest.raises(ValueError, match=sentence):
        wg.io.write(tmp_path / name, graphs.csr(2, graph))
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="PACE format is for undirected graphs"):
        wg.io.write(tmp_path / "a.gr", graphs.csr(2, [(0, 1, 1.0)]), format="pace")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("ids", "error", "sentence"),
    [
        ([1, 2, 3], ValueError, r"ids must name 2 vertices, got an array of shape \(3,\)"),
        ([0.5, 1.5], TypeError, "integers or strings, got an array of float64"),
        (["a\0b", "c"], ValueError, r"the vertex id 'a\\x00b' cannot be written"),
        (["", "c"], ValueError, "the vertex id '' cannot be written"),
        (np.array(["a", 7], object), TypeError, "integers or strings, got an array of object"),
    ],
)
def test_ids_that_cannot_be_written(tmp_path, ids, error, sentence):
    with pytest.raises(error, match=sentence):
        wg.io.write(tmp_path / "a.txt", graphs.csr(2, [(0, 1, 1.0)]), ids=ids)
    assert not list(tmp_path.iterdir())
