"""wg.io: what is written comes back, and what is broken is named."""

import bz2
import contextlib
import gzip
import logging
import lzma
import os
import re

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import graphs
import warpgraph as wg

OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}

#: Endings of the formats that hold every graph exactly, vertex numbers included.
FAITHFUL = [".gr", ".mtx", ".npz"]


def put(path, text):
    """Write a text, compressed if the ending says so."""
    with OPENERS.get(path.suffix, open)(path, "wb") as file:
        file.write(text.encode())
    return path


def assert_same(read, graph):
    """Equal arrays; text knows only int64 and float64."""
    np.testing.assert_array_equal(read.indptr, graph.indptr)
    np.testing.assert_array_equal(read.indices, graph.indices)
    np.testing.assert_array_equal(read.data, graph.data)
    assert read.data.dtype.kind == graph.data.dtype.kind


def arcs(graph, ids=None):
    """Return the edges as a sorted list of (tail, head, weight)."""
    row, col, data = graph.to_edges()
    if ids is not None:
        row, col = ids[row], ids[col]
    return sorted(zip(row.tolist(), col.tolist(), data.tolist(), strict=True))


# Round trips.


@pytest.mark.parametrize("ending", FAITHFUL)
@graphs.over_zoo(only=lambda graph: graph.dtype != np.uint8)
def test_every_graph_comes_back(tmp_path, graph, ending):
    graph = wg.Graph(graph)
    path = tmp_path / f"graph{ending}"
    wg.io.write(path, graph)
    read, ids = wg.io.read(path)
    assert ids is None
    assert read.n_vertices == graph.n_vertices
    if graph.n_edges or ending == ".npz":
        assert_same(read, graph)


@pytest.mark.parametrize("ending", [".csv", ".txt", ".tsv", ".edges"])
@graphs.over_zoo()
def test_every_edge_list_comes_back(tmp_path, graph, ending):
    graph = wg.Graph(graph)
    path = tmp_path / f"graph{ending}"
    wg.io.write(path, graph)
    read, ids = wg.io.read(path)
    assert arcs(read, ids) == arcs(graph)
    assert (np.diff(ids) > 0).all()


@pytest.mark.parametrize("compression", ["", ".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("ending", [".gr", ".graph", ".mtx", ".csv", ".txt"])
def test_compression_by_ending(tmp_path, ending, compression):
    graph = wg.generators.grid(9, 11, seed=1, weights=(1, 9))
    path = tmp_path / f"graph{ending}{compression}"
    wg.io.write(path, graph)
    plain = tmp_path / f"plain{ending}"
    wg.io.write(plain, graph)
    with OPENERS.get(compression, open)(path, "rb") as file:
        assert file.read() == plain.read_bytes()
    assert_same(wg.io.read(path)[0], graph)


@pytest.mark.parametrize("weights", [None, (1, 9)])
def test_metis_comes_back(tmp_path, weights):
    graph = wg.generators.ssca2(7, seed=1, weights=weights)
    path = tmp_path / "a.graph"
    wg.io.write(path, graph)
    read, ids = wg.io.read(path)
    assert ids is None
    assert arcs(read) == arcs(graph)


def test_pace_comes_back_without_weights(tmp_path):
    graph = wg.generators.grid(9, 11, seed=1, removed=0.2)
    path = tmp_path / "a.gr"
    wg.io.write(path, graph, format="pace")
    read, ids = wg.io.read(path)
    assert ids is None
    assert path.read_text().startswith(f"p tw 99 {graph.n_edges // 2}\n")
    np.testing.assert_array_equal(read.indices, graph.indices)
    assert (read.data == 1).all()


@settings(max_examples=25, deadline=None)
@given(graph=graphs.csr_graphs(weights="any"), ending=st.sampled_from(FAITHFUL))
def test_random_graphs_come_back(tmp_path_factory, graph, ending):
    path = tmp_path_factory.mktemp("io") / f"graph{ending}"
    wg.io.write(path, graph)
    read, _ = wg.io.read(path)
    assert read.n_vertices == graph.shape[0]
    if graph.nnz:
        assert_same(read, wg.Graph(graph))


@settings(max_examples=25, deadline=None)
@given(
    graph=graphs.csr_graphs(weights="any"),
    ending=st.sampled_from([".csv", ".txt"]),
    offset=st.integers(-(2**40), 2**62),
    stride=st.sampled_from([1, 3, 2**50]),
)
def test_random_edge_lists_come_back(tmp_path_factory, graph, ending, offset, stride):
    path = tmp_path_factory.mktemp("io") / f"graph{ending}"
    graph = wg.Graph(graph)
    names = np.arange(graph.n_vertices) * stride + offset
    wg.io.write(path, graph, ids=names)
    read, ids = wg.io.read(path)
    assert arcs(read, ids) == arcs(graph, names)


@settings(max_examples=25, deadline=None)
@given(graph=graphs.csr_graphs(weights="integer", symmetric=True))
def test_random_metis_graphs_come_back(tmp_path_factory, graph):
    row, col, data = wg.Graph(graph).to_edges()
    keep = row != col
    graph = wg.Graph.from_edges(row[keep], col[keep], data[keep] + 1, n_vertices=graph.shape[0])
    path = tmp_path_factory.mktemp("io") / "a.graph"
    wg.io.write(path, graph)
    assert arcs(wg.io.read(path)[0]) == arcs(graph)


@pytest.mark.parametrize("ending", [".npz", ".csv", ".txt"])
@pytest.mark.parametrize(
    "names", [np.array([7, 30, -2, 2**62, 0]), np.array(["Ann", "Bob", "Eve", "ß", "é"])]
)
def test_ids_come_back(tmp_path, ending, names):
    graph = wg.Graph(graphs.csr(5, [(0, 1, 1.5), (1, 2, 2.0), (2, 3, 0.0), (3, 4, 1.0)]))
    path = tmp_path / f"graph{ending}"
    wg.io.write(path, graph, ids=names)
    read, ids = wg.io.read(path)
    assert arcs(read, ids) == arcs(graph, names)
    if ending == ".npz":
        np.testing.assert_array_equal(ids, names)
    else:
        np.testing.assert_array_equal(ids, np.sort(names))


def test_formats_without_ids_say_so(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "warpgraph"):
        wg.io.write(tmp_path / "a.gr", graphs.csr(2, [(0, 1, 1.0)]), ids=["x", "y"])
    assert "numbers its vertices; their ids are not stored" in caplog.text


@pytest.mark.parametrize("ending", [".gr", ".csv", ".mtx"])
@pytest.mark.parametrize("weight", [0.1, 1e-300, 5e-324, 1.7976931348623157e308, np.inf, 1 / 3])
def test_text_loses_no_bit(tmp_path, ending, weight):
    path = tmp_path / f"a{ending}"
    wg.io.write(path, graphs.csr(2, [(0, 1, weight), (1, 0, -weight)]))
    np.testing.assert_array_equal(wg.io.read(path)[0].data, [weight, -weight])


@pytest.mark.parametrize("ending", [".gr", ".csv", ".mtx"])
def test_large_integers_stay_integers(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    graph = graphs.csr(2, [(0, 1, 2**63 - 1), (1, 0, -(2**62) - 1)], np.int64)
    wg.io.write(path, graph)
    read = wg.io.read(path)[0]
    assert read.dtype == np.int64
    np.testing.assert_array_equal(read.data, graph.data)


def test_dtype_is_converted_on_reading(tmp_path):
    path = put(tmp_path / "a.txt", "0 1 7\n1 0 8\n")
    assert wg.io.read(path)[0].dtype == np.int64
    assert wg.io.read(path, dtype="float32")[0].dtype == np.float32
    put(path, "0 1 7.5\n")
    with pytest.raises(ValueError, match=r"7\.5 of entry \(0, 1\) cannot be represented as int32"):
        wg.io.read(path, dtype="int32")
    with pytest.raises(TypeError, match="dtype must be one of"):
        wg.io.read(path, dtype="complex64")


def test_anything_that_is_a_graph_can_be_written(tmp_path):
    path = tmp_path / "a.npz"
    wg.io.write(str(path), np.array([[0.0, 2.0], [3.0, 0.0]]))
    assert arcs(wg.io.read(str(path))[0]) == [(0, 1, 2.0), (1, 0, 3.0)]


# What others write.


def test_scipy_files_are_read_and_ours_are_read_by_scipy(tmp_path):
    matrix = sp.random_array((30, 30), density=0.2, rng=np.random.default_rng(1), format="csr")
    sp.save_npz(tmp_path / "theirs.npz", matrix)
    assert_same(wg.io.read(tmp_path / "theirs.npz")[0], wg.Graph(matrix))
    sp.save_npz(tmp_path / "coo.npz", matrix.tocoo())
    assert arcs(wg.io.read(tmp_path / "coo.npz")[0]) == arcs(wg.Graph(matrix))
    wg.io.write(tmp_path / "ours.npz", matrix)
    assert (sp.load_npz(tmp_path / "ours.npz") != matrix).nnz == 0
    wg.io.write(tmp_path / "ours.mtx", matrix)
    assert (scipy.io.mmread(tmp_path / "ours.mtx").tocsr() != matrix).nnz == 0


def test_matrix_market_symmetric_pattern_and_duplicates(tmp_path):
    path = put(
        tmp_path / "a.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 5\n2 1 7\n3 3 1\n",
    )
    expected = [(0, 1, 5.0), (0, 1, 7.0), (1, 0, 5.0), (1, 0, 7.0), (2, 2, 1.0)]
    assert arcs(wg.io.read(path)[0]) == expected
    put(path, "%%MatrixMarket matrix coordinate pattern general\n% c\n2 2 1\n1 2\n")
    assert arcs(wg.io.read(path)[0]) == [(0, 1, 1.0)]
    put(path, "%%matrixmarket MATRIX Coordinate Integer Skew-Symmetric\n2 2 1\n2 1 5\n")
    assert arcs(wg.io.read(path)[0]) == [(0, 1, -5), (1, 0, 5)]


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("layout", ["coordinate", "array"])
def test_matrix_market_is_read_as_scipy_reads_it(tmp_path, layout, symmetry):
    rng = np.random.default_rng(1)
    matrix = np.tril(rng.integers(1, 9, (6, 6)), -1) * (rng.random((6, 6)) < 0.6)
    matrix = {
        "general": matrix + rng.integers(0, 2, (6, 6)),
        "symmetric": matrix + matrix.T + np.eye(6, dtype=int),
        "skew-symmetric": matrix - matrix.T,
    }[symmetry]
    path = tmp_path / "a.mtx"
    written = sp.coo_array(matrix) if layout == "coordinate" else matrix
    scipy.io.mmwrite(path, written, symmetry=symmetry)
    assert f"{layout} integer {symmetry}" in path.read_text()
    np.testing.assert_array_equal(wg.io.read(path)[0].to_csr().toarray(), matrix)


def test_dimacs_with_comments_anywhere(tmp_path):
    path = put(
        tmp_path / "a.gr",
        "c a road\nc\np sp 3 3\nc graph\na 1 2 5\n\nc a 9 9 9\na  2 3\t6 \r\na 2 3 7\nc end",
    )
    assert arcs(wg.io.read(path)[0]) == [(0, 1, 5), (1, 2, 6), (1, 2, 7)]


def test_pace_with_comments(tmp_path):
    path = put(tmp_path / "a.gr", "c x\np tw 4 3\n1 2\nc 7 8\n3 3\n4 1\n")
    assert arcs(wg.io.read(path)[0]) == [
        (0, 1, 1.0),
        (0, 3, 1.0),
        (1, 0, 1.0),
        (2, 2, 1.0),
        (3, 0, 1.0),
    ]


@pytest.mark.parametrize(
    ("layout", "lines"),
    [
        ("", ["2 3", "1", "1", ""]),
        ("0", ["2 3", "1", "1", ""]),
        ("1", ["2 5 3 6", "1 5", "1 6", ""]),
        ("001", ["2 5 3 6", "1 5", "1 6", ""]),
        ("10", ["9 2 3", "9 1", "9 1", "9"]),
        ("11", ["9 2 5 3 6", "9 1 5", "9 1 6", "9"]),
        ("011 2", ["9 8 2 5 3 6", "9 8 1 5", "9 8 1 6", "9 8"]),
        ("100", ["7 2 3", "7 1", "7 1", "7"]),
        ("111 3", ["7 9 9 9 2 5 3 6", "7 9 9 9 1 5", "7 9 9 9 1 6", "7 9 9 9"]),
    ],
)
def test_metis_layouts(tmp_path, layout, lines):
    text = "\n".join(["% a graph", f"4 2 {layout}", lines[0], "% between", *lines[1:]])
    graph = wg.io.read(put(tmp_path / "a.graph", text + "\n"))[0]
    assert graph.n_vertices == 4
    a, b = (5, 6) if "5" in lines[0] else (1.0, 1.0)
    assert arcs(graph) == [(0, 1, a), (0, 2, b), (1, 0, a), (2, 0, b)]


def test_metis_last_lines_without_neighbours(tmp_path):
    path = put(tmp_path / "a.graph", "3 1\n2\n1\n\n\n\n")
    assert arcs(wg.io.read(path)[0]) == [(0, 1, 1.0), (1, 0, 1.0)]
    assert wg.io.read(put(path, "0 0\n"))[0].n_vertices == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# FromNodeId\tToNodeId\n30\t1412\n30\t3\n", [(30, 3, 1.0), (30, 1412, 1.0)]),
        ("% konect\n1 2\n\n2 3\n", [(1, 2, 1.0), (2, 3, 1.0)]),
        ("5 4 0.5\n4 5 1e3\n", [(4, 5, 1000.0), (5, 4, 0.5)]),
        ("5 4 2\n4 5 3\n", [(4, 5, 3), (5, 4, 2)]),
        ("5 4 2\n4 5 3.5\n", [(4, 5, 3.5), (5, 4, 2.0)]),
        ("1,2\n2,3\n", [(1, 2, 1.0), (2, 3, 1.0)]),
        ("1;2;7\n", [(1, 2, 7)]),
        ("1, 2, 0.5\r\n2, 3, 1.5\r\n", [(1, 2, 0.5), (2, 3, 1.5)]),
        ("source,target,weight\n1,2,7\n", [(1, 2, 7)]),
        ("# c\nSource,Target\nx,y\n", [("x", "y", 1.0)]),
        ("person,friend,since\nAnn,Bob,7\n", [("Ann", "Bob", 7)]),
        ("a,b,weight\n7,8,1\n", [(7, 8, 1)]),
        ('"Doe Ann","Roe Bob",2\n', [("Doe Ann", "Roe Bob", 2)]),
        ("x y\ny 10\n", [("x", "y", 1.0), ("y", "10", 1.0)]),
        ("1234567890123456789 2 0.5\n", [(1234567890123456789, 2, 0.5)]),
        ("", []),
        ("# nothing\n\n", []),
        ("source,target\n", []),
    ],
)
def test_edge_lists_in_the_wild(tmp_path, text, expected):
    graph, ids = wg.io.read(put(tmp_path / "a.csv", text))
    assert arcs(graph, ids) == sorted(expected)
    assert len(ids) == graph.n_vertices
    assert (ids[:-1] < ids[1:]).all()


def test_parallel_edges_keep_the_order_of_the_file(tmp_path):
    path = put(tmp_path / "a.txt", "1 2 9\n1 2 3\n2 1 4\n1 2 6\n")
    np.testing.assert_array_equal(wg.io.read(path)[0].data, [9, 3, 6, 4])


def test_files_of_several_blocks(tmp_path, monkeypatch):
    graph = wg.generators.ssca2(6, seed=2, weights=(1, 9))
    for ending in (".gr", ".graph", ".txt", ".csv"):
        path = tmp_path / f"a{ending}"
        wg.io.write(path, graph)
        whole, _ = wg.io.read(path)
        for size in (7, 25, 64, 1000):
            monkeypatch.setattr("warpgraph.io._text._BLOCK_BYTES", size)
            assert_same(wg.io.read(path)[0], whole)
        monkeypatch.undo()


def test_blanks_and_comments_between_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("warpgraph.io._text._BLOCK_BYTES", 5)
    text = "# one\n\nfrom,to,w\n# two\n\n# three\n1,2,5\n\n2,x,5\n"
    path = put(tmp_path / "a.csv", text)
    with pytest.raises(ValueError, match=r"line 9: .*got '2,x,5'"):
        wg.io.read(path)
    graph, ids = wg.io.read(put(path, text.replace("x", "7")))
    assert arcs(graph, ids) == [(1, 2, 5), (2, 7, 5)]


# Mistakes.

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
        ("a.mtx", f"{MM} real hermitian\n1 1 0\n", r"line 1: expected '%%MatrixMarket"),
        ("a.mtx", f"{MM} real general\n% c\n", r"ends after line 2; expected 'ROWS COLUMNS"),
        ("a.mtx", f"{MM} real general\n2 3 1\n1 2 5\n", r"line 2: expected .* columns equal"),
        ("a.mtx", f"{MM} real general\n2 2 2\n1 2 5\n", r"announces 2 entries and has 1 by its"),
        ("a.mtx", f"{MM} real general\n2 2 1\n1 3 5\n", r"line 3: .*both in 1\.\.2, got '1 3 5'"),
        ("a.mtx", f"{MM} real general\n2 2 1\n%\n1 x 5\n", r"line 4: .*got '1 x 5'"),
        ("a.mtx", f"{MM} real general\n2 2 1\n1 2 x\n", r"line 3: .*got '1 2 x'"),
        ("a.mtx", f"{MM} real general\n2 2 1\n1 2\n", r"line 3: expected 'ROW COLUMN VALUE'"),
        ("a.mtx", f"{MM} pattern general\n2 2 1\n1 2 5\n", r"line 3: expected 'ROW COLUMN', both"),
        ("a.mtx", f"{MM} real general\n2 2 1\n1 2 nan\n", r"a\.mtx: .*NaN"),
        ("a.mtx", f"{ARRAY} real general\n2 2\n1\n2\n3\n", r"announces 4 entries and has 3"),
        ("a.mtx", f"{ARRAY} real general\n1 1\nx\n", r"line 3: expected one number, got 'x'"),
        ("a.npz", "", r"a\.npz"),
        ("a.npz", "garbage", r"a\.npz"),
    ],
)
def test_what_is_broken_is_named(tmp_path, name, text, sentence):
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


@settings(max_examples=60, deadline=None)
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


def test_endings_and_formats_that_nobody_knows(tmp_path):
    with pytest.raises(ValueError, match=r"the ending of .*a\.docx' names no format; known are"):
        wg.io.read(tmp_path / "a.docx")
    with pytest.raises(ValueError, match=r"format must be one of 'csv'.*got 'docx'"):
        wg.io.write(tmp_path / "a.docx", graphs.csr(1, []), format="docx")
    assert not list(tmp_path.iterdir())
    path = put(tmp_path / "noending", "0 1 5\n")
    assert wg.io.read(path, format="edge-list")[0].n_edges == 1


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        wg.io.read(tmp_path / "a.gr")
    with pytest.raises(FileNotFoundError):
        wg.io.write(tmp_path / "no" / "a.gr", graphs.csr(1, []))


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
        (["a b", "c"], ValueError, "the vertex id 'a b' cannot be written"),
        (["", "c"], ValueError, "the vertex id '' cannot be written"),
        (["#a", "c"], ValueError, "the vertex id '#a' cannot be written"),
    ],
)
def test_ids_that_cannot_be_written(tmp_path, ids, error, sentence):
    with pytest.raises(error, match=sentence):
        wg.io.write(tmp_path / "a.txt", graphs.csr(2, [(0, 1, 1.0)]), ids=ids)
    assert not list(tmp_path.iterdir())


# Whole or not at all.


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.gr"
    wg.io.write(path, graphs.csr(2, [(0, 1, 1.0)]))
    before = path.read_bytes()

    def fail(file, row, columns):
        file.write(b"half of a fi")
        raise KeyboardInterrupt

    monkeypatch.setattr("warpgraph.io._dimacs.write_rows", fail)
    with pytest.raises(KeyboardInterrupt):
        wg.io.write(path, graphs.csr(3, [(0, 2, 5.0)]))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.gr"]


def test_writing_keeps_mode_and_symbolic_links(tmp_path):
    path, link = tmp_path / "a.gr", tmp_path / "link.gr"
    wg.io.write(path, graphs.csr(2, [(0, 1, 1.0)]))
    path.chmod(0o640)
    link.symlink_to(path)
    wg.io.write(link, graphs.csr(3, [(0, 2, 5.0)]))
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert wg.io.read(path)[0].n_vertices == 3


def test_a_pipe_is_written_to_as_it_is(tmp_path):
    path = tmp_path / "pipe.gr"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(reader, "rb") as end:
        wg.io.write(path, graphs.csr(2, [(0, 1, 1.0)]))
        assert end.read() == b"p sp 2 1\na 1 2 1.0\n"


def test_formats_are_listed():
    assert wg.io.formats() == sorted(wg.io.formats())
    assert {"csv", "dimacs", "edge-list", "matrix-market", "metis", "npz", "pace"} == set(
        wg.io.formats()
    )
