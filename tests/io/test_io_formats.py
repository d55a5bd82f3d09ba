"""wg.io: files of other programs."""

import inspect

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import warpgraph as wg
from files import arcs, assert_same, may_have_no_edges, put
from graphs import random_csr


def read_by_scipy(path):
    """Return what SciPy reads, as sparse arrays where it has the choice, as from 1.20 on always."""
    has_choice = "spmatrix" in inspect.signature(scipy.io.mmread).parameters
    return scipy.io.mmread(path, **({"spmatrix": False} if has_choice else {}))


def test_scipy_files_are_read_and_ours_are_read_by_scipy(tmp_path):
    matrix = random_csr(30, 0.2, np.random.default_rng(1))
    sp.save_npz(tmp_path / "theirs.npz", matrix)
    assert_same(wg.io.read(tmp_path / "theirs.npz")[0], wg.Graph(matrix))
    sp.save_npz(tmp_path / "coo.npz", matrix.tocoo())
    assert arcs(wg.io.read(tmp_path / "coo.npz")[0]) == arcs(wg.Graph(matrix))
    wg.io.write(tmp_path / "ours.npz", matrix)
    assert (sp.load_npz(tmp_path / "ours.npz") != matrix).nnz == 0
    wg.io.write(tmp_path / "ours.mtx", matrix)
    theirs = sp.csr_array(read_by_scipy(tmp_path / "ours.mtx"))
    assert (theirs != matrix).nnz == 0


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


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "hermitian"])
@pytest.mark.parametrize("field", ["real", "integer", "unsigned-integer", "pattern"])
def test_matrix_market_fields_are_those_of_scipy(tmp_path, field, symmetry):
    value = "" if field == "pattern" else " 3"
    text = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n2 2 2\n1 1{value}\n2 1{value}\n"
    path = put(tmp_path / "a.mtx", text)
    expected = read_by_scipy(path).toarray()
    np.testing.assert_array_equal(wg.io.read(path)[0].to_csr().toarray(), expected)
    if field == "pattern":
        return
    values = "1\n2\n0\n4\n" if symmetry == "general" else "1\n2\n4\n"
    put(path, f"%%MatrixMarket matrix array {field} {symmetry}\n2 2\n{values}")
    np.testing.assert_array_equal(wg.io.read(path)[0].to_csr().toarray(), read_by_scipy(path))


def test_unsigned_matrices_that_scipy_writes(tmp_path):
    matrix = np.array([[0, 2**63 - 1], [7, 0]], np.uint64)
    path = tmp_path / "a.mtx"
    for written in (matrix, sp.coo_array(matrix)):
        scipy.io.mmwrite(path, written)
        assert b"unsigned-integer" in path.read_bytes()
        assert arcs(wg.io.read(path)[0]) == [(0, 1, 2**63 - 1), (1, 0, 7)]
        scipy.io.mmwrite(path, written + written)
        with pytest.raises(ValueError, match=r"line \d: .* integer is beyond the largest int64"):
            wg.io.read(path)


@pytest.mark.parametrize("body", ["coordinate {}\n2 2 1\n2 1 {}\n", "array {}\n2 2\n{}\n"])
def test_the_lowest_integer_has_no_opposite(tmp_path, body):
    path = tmp_path / "a.mtx"
    for value in (-(2**63), -(2**63) + 1):
        put(path, "%%MatrixMarket matrix " + body.format("integer skew-symmetric", value))
        if value == -(2**63):
            with pytest.raises(ValueError, match=f"{value} .* skew-symmetric .* opposite"):
                wg.io.read(path)
        else:
            assert arcs(wg.io.read(path)[0]) == [(0, 1, -value), (1, 0, value)]


@pytest.mark.parametrize("at_once", [1, 5, 1 << 18])
@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("layout", ["coordinate", "array"])
def test_matrix_market_is_read_as_scipy_reads_it(tmp_path, monkeypatch, layout, symmetry, at_once):
    monkeypatch.setattr("warpgraph.io._matrix_market._ITEMS_AT_ONCE", at_once)
    monkeypatch.setattr("warpgraph._arguments.convert._ENTRIES_AT_ONCE", at_once)
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


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
def test_numbers_of_an_array_that_are_no_edges(tmp_path, symmetry):
    values = [0, "inf", 2.5] if symmetry == "skew-symmetric" else ["nan", 0, "inf", 2.5, 3, 0]
    values += ["-inf", 7, 0] if symmetry == "general" else []
    path = tmp_path / "a.mtx"
    put(path, f"%%MatrixMarket matrix array real {symmetry}\n3 3\n" + "\n".join(map(str, values)))
    expected = {
        "general": [(0, 1, 2.5), (1, 1, 3.0), (1, 2, 7.0)],
        "symmetric": [(1, 1, 2.5), (1, 2, 3.0), (2, 1, 3.0)],
        "skew-symmetric": [(1, 2, -2.5), (2, 1, 2.5)],
    }[symmetry]
    assert arcs(wg.io.read(path)[0]) == expected


@pytest.mark.parametrize("at_once", [1, 4, 7, 30])
@pytest.mark.parametrize("form", ["bsr", "dia"])
def test_blocks_and_diagonals_in_pieces(tmp_path, monkeypatch, form, at_once):
    monkeypatch.setattr("warpgraph.io._npz._ITEMS_AT_ONCE", at_once)
    rng = np.random.default_rng(1)
    dense = rng.integers(1, 9, (12, 12)) * (rng.random((12, 12)) < 0.4)
    for blocks in [(2, 3), (1, 12), (12, 1), (4, 6)]:
        matrix = sp.csr_array(dense)
        matrix = matrix.tobsr(blocksize=blocks) if form == "bsr" else matrix.todia()
        sp.save_npz(tmp_path / "a.npz", matrix)
        # SciPy may store the blocks of a row in any order.
        assert arcs(wg.io.read(tmp_path / "a.npz")[0]) == arcs(wg.Graph(sp.csr_array(dense)))


@pytest.mark.parametrize("at_once", [1, 2, 1 << 18])
def test_rows_of_pace_are_in_order_if_the_file_is(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr("warpgraph._arguments.convert._ENTRIES_AT_ONCE", at_once)
    path = put(tmp_path / "a.gr", "p tw 5 6\n1 2\n1 2\n1 5\n2 2\n2 3\n3 5\n")
    graph = wg.io.read(path)[0]
    assert graph.indptr.tolist() == [0, 3, 7, 9, 9, 11]
    assert graph.indices.tolist() == [1, 1, 4, 0, 0, 1, 2, 1, 4, 0, 2]
    assert graph.data.tolist() == [1.0] * 11


def test_dimacs_with_blanks_before_lines(tmp_path):
    path = put(tmp_path / "a.gr", "p sp 3 3\n a 1 2 5\n  c x\n\ta 2 3 6\na 3 1 inf\n")
    assert arcs(wg.io.read(path)[0]) == [(0, 1, 5.0), (1, 2, 6.0), (2, 0, np.inf)]


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


@may_have_no_edges
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
        ("person,friend,rate\nAnn,Bob,7\n", [("Ann", "Bob", 7)]),
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
            monkeypatch.setattr("warpgraph._files.text._BLOCK_BYTES", size)
            assert_same(wg.io.read(path)[0], whole)
        monkeypatch.undo()


def test_blanks_and_comments_between_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("warpgraph._files.text._BLOCK_BYTES", 5)
    text = "# one\n\nfrom,to,w\n# two\n\n# three\n1,2,5\n\n2,x,5\n"
    path = put(tmp_path / "a.csv", text)
    with pytest.raises(ValueError, match=r"line 9: .*got '2,x,5'"):
        wg.io.read(path, comment="#")
    graph, ids = wg.io.read(put(path, text.replace("x", "7")), comment="#")
    assert arcs(graph, ids) == [(1, 2, 5), (2, 7, 5)]
