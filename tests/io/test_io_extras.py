"""Files by other packages (Parquet, GraphML, .zst), coordinates, ids as in the file."""

import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import graphs
import warpgraph as wg
from checks import raises_sentence
from files import arcs, assert_same, loses_vertices, put

GRID = wg.Graph(graphs.SAMPLES["grid"])
NAMES = ["a", "ß", "New York", '"q"', "x,y"]


@st.composite
def edge_lists(draw):
    n = draw(st.integers(1, 5))
    ends = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(ends, ends, st.integers(0, 9)), min_size=1, max_size=12))
    row, col, data = zip(*edges, strict=True)
    ids = draw(st.sampled_from([None, np.array(NAMES)[:n], np.arange(n) * 2**40 - 7]))
    return wg.Graph.from_edges(row, col, data, n_vertices=n), ids


# Parquet.


@loses_vertices
@settings(max_examples=50)
@given(drawn=edge_lists())
def test_parquet_is_the_table_that_pandas_reads(tmp_path_factory, drawn):
    pytest.importorskip("pyarrow")
    graph, ids = drawn
    path = tmp_path_factory.mktemp("io") / "a.parquet"
    wg.io.write(path, graph, ids=ids)
    table = pd.read_parquet(path)
    assert list(table) == ["source", "target", "weight"]
    assert sorted(map(tuple, table.to_numpy().tolist())) == arcs(graph, ids)
    read, found = wg.io.read(path)
    assert arcs(read, found) == arcs(graph, ids)
    assert (found[1:] > found[:-1]).all()


@pytest.mark.parametrize("ending", [".parquet", ".graphml"])
@pytest.mark.parametrize("content", [b"", b"PAR1", b"<graphml>", b"\0" * 100, b"<a/>"])
def test_files_of_other_kinds(tmp_path, ending, content):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"a{ending}"
    path.write_bytes(content)
    with raises_sentence(ValueError, str(path)):
        wg.io.read(path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ending", [".parquet", ".graphml", ".gr.zst", ".co"])
def test_damaged_files_are_refused(tmp_path, ending):
    if ending in (".parquet", ".gr.zst"):
        pytest.importorskip("pyarrow" if ending == ".parquet" else "zstandard")
    graph = wg.Graph(np.ones((5, 5)), names=NAMES, coordinates=np.ones((5, 2)))
    path, beside = tmp_path / f"a{ending}", tmp_path / "a.gr"
    if ending == ".co":
        wg.io.write(beside, graph, coordinates=path)
    else:
        wg.io.write(path, graph)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    refusals = []
    for _ in range(300):
        content = bytearray(whole)
        first, value, extra = rng.integers(0, [len(content), 256, 9]).tolist()
        content[first : first + extra] = bytes([value])
        path.write_bytes(content)
        try:
            if ending == ".co":
                wg.io.read(beside, coordinates=path)
            else:
                wg.io.read(path)
        except ValueError as error:
            refusals.append(str(error))
    assert len(refusals) > 100
    assert all(str(path) in refusal for refusal in refusals)


# GraphML.


@settings(max_examples=50)
@given(drawn=edge_lists(), both_ways=st.booleans())
def test_graphml_is_what_networkx_reads(tmp_path_factory, drawn, both_ways):
    graph, ids = drawn
    graph = graph._undirected() if both_ways else graph
    path = tmp_path_factory.mktemp("io") / "a.graphml"
    wg.io.write(path, graph, ids=ids)
    theirs = nx.read_graphml(path)
    assert theirs.number_of_nodes() == graph.n_vertices
    assert arcs(wg.Graph(theirs)._unnamed()) == arcs(graph)
    read, found = wg.io.read(path)
    expected = np.arange(graph.n_vertices) if ids is None else ids
    assert found.tolist() == expected.tolist()
    assert arcs(read) == arcs(graph)


@pytest.mark.parametrize("name", ["\x1f", "a\0b", "\ud800", "\uffff"])
def test_graphml_has_no_names_that_xml_does_not_allow(tmp_path, name):
    graph = wg.Graph(graphs.csr(2, [(0, 1, 1.0)]), names=["a", name])
    with pytest.raises(ValueError, match=r"cannot be written to GraphML: it has a character"):
        wg.io.write(tmp_path / "a.graphml", graph)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["\t \n\r", "\x85", "\U0010ffff", "<&\"'>"])
def test_graphml_keeps_names_that_xml_allows(tmp_path, name):
    graph = wg.Graph(graphs.csr(2, [(0, 1, 1.0)]), names=["a", name])
    wg.io.write(tmp_path / "a.graphml", graph)
    assert wg.io.read(tmp_path / "a.graphml")[1].tolist() == ["a", name]


def test_graphml_says_that_strings_are_read_as_integers(tmp_path):
    graph = graphs.csr(2, [(0, 1, 1.0)])
    wg.io.write(tmp_path / "a.graphml", graph, ids=[5, 7])
    with pytest.warns(UserWarning, match="all vertex ids are strings such as '5'"):
        wg.io.write(tmp_path / "a.graphml", graph, ids=["5", "7"])
    assert wg.io.read(tmp_path / "a.graphml")[1].tolist() == [5, 7]


def test_graphml_without_weights(tmp_path):
    path = tmp_path / "a.graphml"
    nx.write_graphml(nx.path_graph(["x", "y", "z"]), path)
    graph, ids = wg.io.read(path)
    assert ids.tolist() == ["x", "y", "z"]
    assert graph.data.tolist() == [1] * 4
    with raises_sentence(ValueError, "max_vertices is 2"):
        wg.io.read(path, max_vertices=2)


def test_graphml_with_weights_of_another_name(tmp_path):
    path = tmp_path / "a.graphml"
    found = nx.Graph([("x", "y", {"length": 2.5, "name": "A1"}), ("y", "z", {"hops": 3})])
    nx.write_graphml(found, path)
    with pytest.warns(UserWarning, match=r"all weigh 1, but they have 'hops', 'length': choose"):
        graph, _ = wg.io.read(path)
    assert graph.data.tolist() == [1] * 4


def test_graphml_with_a_default_weight(tmp_path):
    path = tmp_path / "a.graphml"
    edges = "".join(
        f'<edge source="a" target="{end}">{data}</edge>'
        for end, data in (("b", ""), ("c", '<data key="w">1.5</data>'), ("b", ""))
    )
    text = (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="w" for="edge" attr.name="weight" attr.type="double"><default>2.5</default></key>'
        '<graph edgedefault="directed"><node id="a"/><node id="b"/><node id="c"/>{}</graph>'
        "</graphml>"
    )
    path.write_text(text.format(edges))
    assert arcs(wg.io.read(path)[0]) == [(0, 1, 2.5), (0, 1, 2.5), (0, 2, 1.5)]
    path.write_text(text.format('<edge source="c" target="a"/>'))
    assert arcs(wg.io.read(path)[0]) == [(2, 0, 2.5)]


# Zstandard.


@pytest.fixture
def zstandard():
    return pytest.importorskip("zstandard")


@settings(max_examples=20)
@given(graph=graphs.csr_graphs(weights="any"))
def test_zstd_comes_back(tmp_path_factory, graph):
    zstandard = pytest.importorskip("zstandard")
    folder = tmp_path_factory.mktemp("io")
    wg.io.write(folder / "a.gr", graph)
    wg.io.write(folder / "a.gr.zst", graph)
    plain = (folder / "a.gr").read_bytes()
    with zstandard.open(folder / "a.gr.zst") as file:
        assert file.read() == plain
    read, _ = wg.io.read(folder / "a.gr.zst")
    if graph.nnz:
        assert_same(read, wg.Graph(graph))


@pytest.mark.parametrize("name", ["a.graph", "a.mtx", "a.csv", "a.graphml"])
def test_every_text_is_compressed_by_zstd(tmp_path, zstandard, name):
    graph = wg.generators.grid(300, 300, weights=(1, 9), seed=1) if name == "a.graph" else GRID
    wg.io.write(tmp_path / name, graph)
    wg.io.write(tmp_path / f"{name}.zst", graph)
    with zstandard.open(tmp_path / f"{name}.zst") as file:
        assert file.read() == (tmp_path / name).read_bytes()
    assert arcs(wg.io.read(tmp_path / f"{name}.zst")[0]) == arcs(graph)


def test_zstd_of_several_frames_and_large_text(tmp_path, zstandard):
    graph = wg.generators.grid(200, 200, seed=1, weights=(1, 99))
    wg.io.write(tmp_path / "a.gr", graph)
    text = (tmp_path / "a.gr").read_bytes()
    third = len(text) // 3
    pieces = [text[:third], b"", text[third:]]
    packed = b"".join(map(zstandard.ZstdCompressor().compress, pieces))
    (tmp_path / "b.gr.zst").write_bytes(packed)
    assert_same(wg.io.read(tmp_path / "b.gr.zst")[0], graph)


def test_damaged_zstd(tmp_path, zstandard):
    packed = zstandard.ZstdCompressor().compress(b"p sp 2 1\na 1 2 5\n" * 1000)
    path = tmp_path / "a.gr.zst"
    for content in (packed[:-3], packed[:8], b"plain text", packed[:10] + b"\xff" * 9, b""):
        path.write_bytes(content)
        with raises_sentence(ValueError, str(path)):
            wg.io.read(path)


def test_zstd_without_its_package(tmp_path):
    code = (
        "import sys; sys.modules['zstandard'] = sys.modules['compression'] = None\n"
        "import warpgraph as wg\n"
        "try: wg.io.write(sys.argv[1], wg.generators.grid(2, 2))\n"
        "except ImportError as error: print(error)"
    )
    path = tmp_path / "a.gr.zst"
    found = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert "need Python 3.14 or the package zstandard" in found.stdout
    assert not list(tmp_path.iterdir())


# Coordinates beside the graph.


@settings(max_examples=50)
@given(
    points=st.lists(
        st.tuples(*[st.integers(-(2**40), 2**40) | st.floats(-1e9, 1e9)] * 2),
        min_size=1,
        max_size=9,
    ),
    compression=st.sampled_from(["", ".gz"]),
)
def test_coordinates_come_back(tmp_path_factory, points, compression):
    folder = tmp_path_factory.mktemp("io")
    graph = wg.Graph(np.eye(len(points)), coordinates=points)
    files = folder / "a.gr", folder / f"a.co{compression}"
    wg.io.write(files[0], graph, coordinates=files[1])
    read, ids = wg.io.read(files[0], coordinates=files[1])
    np.testing.assert_array_equal(read.coordinates, graph.coordinates)
    assert ids is None
    assert wg.io.read(files[0])[0].coordinates is None


def test_coordinates_of_dimacs(tmp_path):
    wg.io.write(tmp_path / "a.gr", np.ones((3, 3)))
    text = "c New York\np aux sp co 3\nc\nv 2 -73530767 41085396\n  v 1 1.5 -2e3\r\nv 3 0 0\n"
    graph, _ = wg.io.read(tmp_path / "a.gr", coordinates=put(tmp_path / "a.co", text))
    assert graph.coordinates.tolist() == [[1.5, -2000], [-73530767, 41085396], [0, 0]]
    wg.io.write(tmp_path / "b.mtx", graph, coordinates=tmp_path / "b.co")
    assert (tmp_path / "b.co").read_text().splitlines()[2] == "v 2 -73530767.0 41085396.0"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "expected the problem line 'p aux sp co VERTICES'"),
        ("p sp 3 1\n", "line 1: expected 'p aux sp co VERTICES'"),
        ("p aux sp co 4\n", "line 1: expected 3 vertices as in the graph"),
        ("p aux sp co 3\nv 1 0 0\nv 2 0 0\n", "vertex 3 of 3 has no coordinates"),
        ("p aux sp co 3\nv 1 0 0\nv 2 0 0\nv 1 0 0\n", "vertex 1 of 3 has coordinates 2 times"),
        ("p aux sp co 3\nv 1 0 0\nv 4 0 0\n", "line 3: expected 'v ID X Y', the ID in 1..3"),
        ("p aux sp co 3\nv 1 0 0\nv 2 0\n", "line 3: expected 'v ID X Y'"),
        ("p aux sp co 3\nv 1 0 0\nw 2 0 0\n", "line 3: expected 'v ID X Y'"),
        ("p aux sp co 3\nv 1 nan 0\n", "line 2: expected 'v ID X Y'"),
        ("p aux sp co 3\nv 1 1e999 0\n", "a number is too large"),
    ],
)
def test_wrong_coordinates_of_dimacs(tmp_path, text, part):
    wg.io.write(tmp_path / "a.gr", np.ones((3, 3)))
    path = put(tmp_path / "a.co", text)
    with raises_sentence(ValueError, str(path), part):
        wg.io.read(tmp_path / "a.gr", coordinates=path)


def test_graph_and_coordinates_are_written_both_or_neither(tmp_path):
    graph, beside, path = graphs.csr(2, [(0, 1, 1.0)]), tmp_path / "a.co", tmp_path / "a.graph"
    placed = wg.Graph(graph, coordinates=[[1, 2], [3, 4]])
    beside.write_text("precious")
    with pytest.raises(ValueError, match="for undirected graphs"):
        wg.io.write(path, placed, coordinates=beside)
    assert beside.read_text() == "precious"
    with pytest.raises(ValueError, match="the file of the graph itself"):
        wg.io.write(beside, placed, format="dimacs", coordinates=beside)
    assert [file.name for file in tmp_path.iterdir()] == ["a.co"]
    assert beside.read_text() == "precious"


def test_formats_that_lose_coordinates_say_so(tmp_path):
    graph = wg.Graph(np.ones((3, 3)), coordinates=np.ones((3, 2)))
    wg.io.write(tmp_path / "a.gr", graph, coordinates=tmp_path / "a.co")
    wg.io.write(tmp_path / "a.npz", graph)
    with pytest.warns(UserWarning, match="'dimacs' does not store coordinates"):
        wg.io.write(tmp_path / "a.gr", graph)


def test_coordinates_that_cannot_be_read_or_written(tmp_path):
    path = tmp_path / "a.csv"
    wg.io.write(path, np.ones((3, 3)))
    with raises_sentence(ValueError, "coordinates= is for formats that number their vertices"):
        wg.io.read(path, coordinates=tmp_path / "a.co")
    graph, there = tmp_path / "b.gr", tmp_path / "b.co"
    with raises_sentence(ValueError, "the graph has no coordinates to write"):
        wg.io.write(graph, np.ones((3, 3)), coordinates=there)
    solid = wg.Graph(np.ones((3, 3)), coordinates=np.ones((3, 3)))
    with raises_sentence(ValueError, "has two for each vertex, but the graph has 3"):
        wg.io.write(graph, solid, coordinates=there)
    assert not graph.exists()
    assert not there.exists()


# Ids as in the file.


@pytest.mark.parametrize("ending", [".gr", ".mtx", ".graph"])
def test_ids_of_the_file(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    wg.io.write(path, wg.generators.grid(2, 2, seed=1, weights=(1, 9)))
    graph, ids = wg.io.read(path, file_ids=True)
    assert ids.tolist() == [1, 2, 3, 4]
    assert graph.names.tolist() == [1, 2, 3, 4]
    assert wg.sssp(graph, 1).tolist() == wg.sssp(wg.io.read(path)[0], 0).tolist()
    wg.io.write(path, graph)
    wg.io.write(path, graph, ids=ids)
    assert_same(wg.io.read(path)[0], graph)


def test_ids_of_files_that_have_their_own(tmp_path):
    for ending in (".csv", ".npz"):
        path = tmp_path / f"a{ending}"
        wg.io.write(path, wg.generators.grid(2, 2), ids=[3, 5, 7, 9])
        assert wg.io.read(path, file_ids=True)[1].tolist() == [3, 5, 7, 9]


# Standard input and output, and the options of the command line.


def command(*arguments, given=b""):
    """Return stdout and stderr of a command."""
    line = [sys.executable, "-m", "warpgraph", *map(str, arguments)]
    found = subprocess.run(line, input=given, capture_output=True)
    return found.stdout.decode(), found.stderr.decode()


def test_commands_in_a_pipe():
    grid, report = command(
        *("generate", "grid", "--shape", "2x3", "--weights", "1-9"),
        *("--output", "-", "--output-format", "dimacs"),
    )
    assert grid.startswith("p sp 6 14\n")
    assert "vertices" in report
    table, _ = command(
        "mst",
        "-",
        "--format",
        "dimacs",
        "--output",
        "-",
        "--output-format",
        "csv",
        given=grid.encode(),
    )
    assert table.splitlines()[0] == "source,target,weight"
    assert len(table.splitlines()) == 6
    hops, _ = command(
        "bfs",
        "-",
        "--format",
        "csv",
        "--source",
        "0",
        "--undirected",
        "--output",
        "-",
        given=table.encode(),
    )
    assert hops.splitlines()[:2] == ["vertex,predecessor,hops", "0,-1,0"]
    _, refusal = command("info", "-", given=table.encode())
    assert refusal.startswith("warpgraph: give --format, such as --format csv: ")
    _, refusal = command("info", "-", "--format", "dimacs", given=b"p sp 2\n")
    assert refusal.startswith("warpgraph: standard input, line 1: expected")
    _, refusal = command("generate", "grid", "--shape", "2x3", "--output", "-")
    assert refusal.startswith("warpgraph: give --output-format, such as --output-format csv: ")


def test_commands_with_the_ids_of_the_file(run, tmp_path):
    path, output = tmp_path / "a.gr", tmp_path / "a.csv"
    wg.io.write(path, wg.Graph.from_edges([0, 1], [1, 2], [5, 7]))
    report = run("sssp", path, "--file-ids", "--source", "1", "--targets", "3")
    assert report["targets"] == [{"vertex": 3, "distance": 12, "path": [1, 2, 3]}]
    assert run("convert", path, "--file-ids", "--output", output)["names_kept"]
    assert output.read_text() == "source,target,weight\n1,2,5\n2,3,7\n"
    back = tmp_path / "b.gr"
    assert run("convert", path, "--file-ids", "--output", back)["names_kept"]
    assert back.read_text() == path.read_text()


def test_convert_keeps_coordinates(run, tmp_path):
    graph = wg.Graph(np.ones((2, 2)), coordinates=[[1, 2], [3, 4.5]])
    files = tmp_path / "a.gr", tmp_path / "a.co", tmp_path / "a.npz"
    wg.io.write(files[0], graph, coordinates=files[1])
    run("convert", files[0], "--coordinates", files[1], "--output", files[2])
    np.testing.assert_array_equal(wg.io.read(files[2])[0].coordinates, graph.coordinates)
