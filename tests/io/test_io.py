"""wg.io: written files are read back equal; a file is written completely or not at all."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import graphs
import warpgraph as wg
from files import OPENERS, arcs, assert_same, loses_vertices, may_have_no_edges, put

#: Endings of the formats that hold every graph exactly, vertex numbers included.
FAITHFUL = [".gr", ".mtx", ".npz"]


# Round trips.


@pytest.mark.parametrize("ending", FAITHFUL)
@graphs.over_samples(only=lambda graph: graph.dtype != np.uint8)
def test_every_graph_comes_back(tmp_path, graph, ending):
    graph = wg.Graph(graph)
    path = tmp_path / f"graph{ending}"
    wg.io.write(path, graph)
    read, ids = wg.io.read(path)
    assert ids is None
    assert read.n_vertices == graph.n_vertices
    if graph.n_edges or ending == ".npz":
        assert_same(read, graph)


@may_have_no_edges
@loses_vertices
@pytest.mark.parametrize("ending", [".csv", ".txt", ".tsv", ".edges"])
@graphs.over_samples()
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


@pytest.mark.parametrize("name", ["A.GR", "A.Gr.GZ", "A.CSV", "A.Txt.Xz", "A.NPZ", "a.MTX.bz2"])
def test_endings_in_any_case(tmp_path, name):
    graph = wg.generators.grid(9, 11, seed=1, weights=(1, 9))
    wg.io.write(tmp_path / name, graph)
    wg.io.write(tmp_path / name.lower(), graph)
    assert (tmp_path / name).read_bytes() == (tmp_path / name.lower()).read_bytes()
    assert_same(wg.io.read(tmp_path / name)[0], graph)


def test_gzip_names_no_temporary_file(tmp_path):
    path = tmp_path / "a.gr.gz"
    wg.io.write(path, graphs.SAMPLES["grid"])
    flags = path.read_bytes()[3]
    assert not flags & 0x08  # FNAME of RFC 1952, which gunzip -N would make


@pytest.mark.parametrize("weights", [None, (1, 9)])
def test_metis_comes_back(tmp_path, weights):
    graph = wg.generators.ssca2(7, seed=1, weights=weights)
    path = tmp_path / "a.graph"
    wg.io.write(path, graph)
    read, ids = wg.io.read(path)
    assert ids is None
    assert arcs(read) == arcs(graph)


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_pace_comes_back_if_all_weights_are_1(tmp_path, dtype):
    graph = wg.generators.grid(9, 11, seed=1, removed=0.2)
    graph = wg.Graph.from_csr(graph.indptr, graph.indices, np.ones(graph.n_edges, dtype))
    path = tmp_path / "a.gr"
    wg.io.write(path, graph, format="pace")
    read, ids = wg.io.read(path)
    assert ids is None
    assert path.read_text().startswith(f"p tw 99 {graph.n_edges // 2}\n")
    np.testing.assert_array_equal(read.indices, graph.indices)
    assert (read.data == 1).all()
    graph = wg.Graph.from_edges([2, 0, 1], [2, 1, 0], np.array([1, 3, 3], dtype), n_vertices=3)
    with pytest.raises(ValueError, match=r"has no weights, but that of entry \(0, 1\) is 3"):
        wg.io.write(path, graph, format="pace")


@settings(max_examples=25)
@given(graph=graphs.csr_graphs(weights="any"), ending=st.sampled_from(FAITHFUL))
def test_random_graphs_come_back(tmp_path_factory, graph, ending):
    path = tmp_path_factory.mktemp("io") / f"graph{ending}"
    wg.io.write(path, graph)
    read, _ = wg.io.read(path)
    assert read.n_vertices == graph.shape[0]
    if graph.nnz:
        assert_same(read, wg.Graph(graph))


@may_have_no_edges
@loses_vertices
@settings(max_examples=25)
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


@settings(max_examples=25)
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


@may_have_no_edges
@pytest.mark.parametrize("ids", [[], (), np.empty(0), np.empty(0, np.int64), np.empty(0, "U1")])
@pytest.mark.parametrize("format", [name for name in wg.io._formats.writable() if name != "pace"])
def test_a_graph_without_vertices_has_no_ids(tmp_path, format, ids):
    if format in ("feather", "parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / "graph"
    wg.io.write(path, sp.csr_array((0, 0)), ids=ids, format=format)
    read, found = wg.io.read(path, format=format)
    assert (read.n_vertices, read.n_edges) == (0, 0)
    assert found is None or found.shape == (0,)


def test_formats_without_ids_say_so(tmp_path):
    with pytest.warns(UserWarning, match="numbers its vertices; their ids are not stored"):
        wg.io.write(tmp_path / "a.gr", graphs.csr(2, [(0, 1, 1.0)]), ids=["x", "y"])


@pytest.mark.parametrize("name", ["a.gr", "a.mtx", "a.graph", "pace"])
@pytest.mark.parametrize("names", [[(0, 0), (0, 1)], ["x", 7], ["x", "y"]])
def test_formats_without_ids_take_any_names(tmp_path, name, names):
    graph = wg.Graph(graphs.csr(2, [(0, 1, 1.0), (1, 0, 1.0)]), names=names)
    with pytest.warns(UserWarning, match="numbers its vertices; their ids are not stored"):
        wg.io.write(tmp_path / name, graph, format="pace" if name == "pace" else None)


def test_npz_refuses_one_id_far_longer_than_the_others(tmp_path):
    ids = np.array([f"{k}" for k in range(20_000)], object)
    ids[7] = "long" + 40_000 * "g"
    graph = wg.Graph.from_edges([0], [1], [1.0], n_vertices=20_000)
    with pytest.raises(ValueError, match=r"'long.*has 40004 characters, .*3200320000 bytes"):
        wg.io.write(tmp_path / "a.npz", graph, ids=ids)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [".csv", ".txt", ".parquet"])
def test_edge_lists_say_how_many_vertices_they_leave_out(tmp_path, ending):
    path, graph = tmp_path / f"a{ending}", graphs.csr(5, [(0, 1, 1.0), (1, 3, 1.0)])
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    sentence = rf"a{ending} lists edges only.* not in it: 2 of 5; \.npz and \.graphml keep them"
    with pytest.warns(UserWarning, match=sentence) as caught:
        wg.io.write(path, graph)
    assert caught[0].filename == __file__
    assert wg.io.read(path)[0].n_vertices == 3


@pytest.mark.parametrize("name", ["a.npz", "a.graphml", "a.gr", "a.mtx", "a.graph", "pace"])
def test_other_formats_keep_vertices_without_an_edge(tmp_path, name):
    path, format = tmp_path / name, "pace" if name == "pace" else None
    wg.io.write(path, graphs.csr(5, [(0, 1, 1.0), (1, 0, 1.0)]), format=format)
    assert wg.io.read(path, format=format)[0].n_vertices == 5


@pytest.mark.parametrize("ending", [".csv", ".txt", ".npz"])
def test_no_two_vertices_have_one_id(tmp_path, ending):
    for ids, name in [(["x", "y", "x"], "'x'"), ([7, 8, 8], "8")]:
        with pytest.raises(ValueError, match=f"two vertices have the id {name}"):
            wg.io.write(tmp_path / f"a{ending}", graphs.csr(3, [(0, 1, 1.0)]), ids=ids)
    assert not list(tmp_path.iterdir())


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


# Complete files or none.


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


@pytest.mark.parametrize("compression", [".gz", ".bz2", ".xz"])
def test_a_pipe_gets_what_its_ending_says(tmp_path, compression):
    path = tmp_path / f"pipe.gr{compression}"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(reader, "rb") as end:
        wg.io.write(path, graphs.csr(2, [(0, 1, 1.0)]))
        packed = tmp_path / f"file{compression}"
        packed.write_bytes(end.read())
    with OPENERS[compression](packed) as file:
        assert file.read() == b"p sp 2 1\na 1 2 1.0\n"


def test_a_pipe_is_reached_through_a_link():
    script = "import warpgraph as wg; wg.io.write('/dev/stdout', [[0, 5], [0, 0]], format='dimacs')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"p sp 2 1\na 1 2 5\n"


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_the_longest_names_of_files(tmp_path, ending):
    path = tmp_path / ("n" * (255 - len(ending)) + ending)
    wg.io.write(path, graphs.csr(2, [(0, 1, 1.0)]))
    assert arcs(wg.io.read(path)[0]) == [(0, 1, 1.0)]
    assert list(tmp_path.iterdir()) == [path]


def test_formats_are_listed():
    assert wg.io.formats() == sorted(wg.io.formats())
    text = {"csv", "dimacs", "edge-list", "graphml", "matrix-market", "metis", "pace"}
    assert {*text, "feather", "npz", "parquet"} == set(wg.io._formats.writable())
    only_read = {"gexf", "gml", "json", "pajek", "tntp"}
    assert {*wg.io._formats.writable(), *only_read} == set(wg.io.formats())
