"""What is written is read equal, in every format: names, weights, parallel edges, coordinates."""

import bz2
import gzip
import importlib.util
import lzma

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import warpgraph as wg
from checks import raises_sentence
from files import arcs, loses_vertices, put
from warpgraph.cli import main

pytest.importorskip("pyarrow")
pytest.importorskip("networkx")

#: Each format, an ending for it, and what it is about: names, or the numbers of vertices.
NAMED = {"csv": ".csv", "edge-list": ".txt", "graphml": ".graphml", "npz": ".npz"}
NAMED |= {"feather": ".feather", "parquet": ".parquet"}
NUMBERED = {"dimacs": ".gr", "matrix-market": ".mtx", "metis": ".graph", "pace": ".gr"}
TABLES = ("csv", "edge-list", "feather", "parquet")
UNDIRECTED = ("metis", "pace")
COMPRESSIONS = ["", ".gz", ".bz2", ".xz"]
if importlib.util.find_spec("zstandard"):
    COMPRESSIONS.append(".zst")

LETTERS = st.text("aZ0 .,;\"'#%ß\t-", min_size=1, max_size=4).filter(str.strip)
#: Names that are all integers are integers in GraphML.
WORDS = LETTERS.map(lambda word: f"n{word}")
LABELS = st.sampled_from(["weight", "km", "a b", "from", "source", "label", "x,y", "2020", "Größe"])
POINTS = st.floats(allow_nan=False, allow_infinity=False)


def test_all_formats_are_here():
    assert sorted([*NAMED, *NUMBERED]) == wg.io._formats.writable()


@st.composite
def named_graphs(draw, kind):
    """A graph with names, and its edges by name."""
    names = draw(st.lists(draw(st.sampled_from([WORDS, st.integers(-99, 2**40)])), unique=True))
    names = names or ["a"]
    if kind == "graphml":
        names = [name.replace("\t", "_") if isinstance(name, str) else name for name in names]
        names = sorted(set(names))
    vertex = st.integers(0, len(names) - 1)
    pairs = draw(st.lists(st.tuples(vertex, vertex), min_size=1, max_size=8))
    if kind in (*UNDIRECTED, "graphml"):
        # GraphML of a mirrored graph has each edge once; METIS and PACE have no loops.
        pairs = sorted({(min(p), max(p)) for p in pairs if p[0] != p[1]})
    number = st.integers(1, 2**40)
    if kind not in UNDIRECTED:
        number = draw(st.sampled_from([number, st.floats(-1e9, 1e9), st.integers(-9, 9)]))
    one = st.just(1) if kind == "pace" else number
    weights = draw(st.lists(one, min_size=len(pairs), max_size=len(pairs)))
    if not all(isinstance(w, int) for w in weights):
        weights = list(map(float, weights))
    if kind in UNDIRECTED:
        pairs, weights = pairs + [(v, u) for u, v in pairs], weights * 2
    row, col = (np.array([p[side] for p in pairs], int) for side in range(2))
    graph = wg.Graph.from_edges(row, col, np.array(weights), n_vertices=len(names))
    graph.weight_name = draw(LABELS)
    point = st.lists(POINTS, min_size=2, max_size=2)
    points = draw(st.none() | st.lists(point, min_size=len(names), max_size=len(names)))
    return wg.Graph(graph, names=names, coordinates=points)


def by_name(graph, names):
    """Return the edges by name, as Python's values."""
    row, col, data = graph.to_edges()
    names = list(names)
    return sorted(
        (str(names[u]), str(names[v]), w)
        for u, v, w in zip(row.tolist(), col.tolist(), data.tolist(), strict=True)
    )


@loses_vertices
@pytest.mark.filterwarnings("ignore:the format '.*' (numbers|does not):UserWarning")
@pytest.mark.filterwarnings("ignore:.* all are like times of Unix:UserWarning")
@pytest.mark.parametrize("kind", [*NAMED, *NUMBERED])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_written_is_read_equal(tmp_path, kind, data):
    graph = data.draw(named_graphs(kind))
    path = tmp_path / f"a{(NAMED | NUMBERED)[kind]}"
    if kind not in ("feather", "npz", "parquet"):
        path = path.with_name(path.name + data.draw(st.sampled_from(COMPRESSIONS)))
    wg.io.write(path, graph, format=kind)
    found, ids = wg.io.read(path, format=kind)
    if kind in NUMBERED:
        assert ids is None
        assert found.n_vertices == graph.n_vertices
        assert arcs(found) == arcs(graph)
        return
    given = graph.names.tolist()
    names = list(range(found.n_vertices)) if ids is None else ids.tolist()
    if kind in TABLES:
        used = {*graph.to_edges()[0].tolist(), *graph.to_edges()[1].tolist()}
        given = [name for v, name in enumerate(given) if v in used]
    assert sorted(names, key=str) == sorted(given, key=str)
    assert {*map(type, names)} == {*map(type, given)}
    assert by_name(found, names) == by_name(graph, graph.names)
    assert found.data.dtype.kind == graph.data.dtype.kind or not len(graph.data)
    is_known = kind in ("npz", "graphml") and len(graph.data)
    assert found.weight_name in ([graph.weight_name] if is_known else [graph.weight_name, "weight"])
    if kind in ("npz", "graphml"):
        np.testing.assert_array_equal(found.coordinates, graph.coordinates)
    if kind == "npz" and ids is not None:
        assert found.names.tolist() == names == given


@pytest.mark.parametrize("names", [["Rome", "Pisa", "Köln"], [30, 10, 20]])
def test_a_graph_from_npz_has_its_names_and_coordinates(tmp_path, names):
    graph = wg.Graph.from_edges([0, 1], [1, 2], [1.5, 2.0])
    named = wg.Graph(graph, names=names, coordinates=np.eye(3)[:, :2])
    wg.io.write(tmp_path / "a.npz", named)
    found, ids = wg.io.read(tmp_path / "a.npz", dtype="float32")
    assert found.names.tolist() == ids.tolist() == names
    assert {*map(type, found.names.tolist())} == {type(names[0])}
    np.testing.assert_array_equal(found.coordinates, np.eye(3)[:, :2])
    assert wg.sssp(found, names[0]).tolist() == [0, 1.5, 3.5]
    wg.io.write(tmp_path / "b.npz", graph, ids=names)
    assert wg.io.read(tmp_path / "b.npz")[0].names.tolist() == names
    wg.io.write(tmp_path / "c.npz", graph)
    found, ids = wg.io.read(tmp_path / "c.npz")
    assert found.names is None
    assert ids is None


def test_ids_of_npz_that_repeat_are_refused(tmp_path):
    graph = wg.Graph.from_edges([0], [1], [1.0])
    arrays = {"indptr": graph.indptr, "indices": graph.indices, "data": graph.data}
    np.savez(tmp_path / "a.npz", format=b"csr", shape=(2, 2), ids=[7, 7], **arrays)
    with raises_sentence(ValueError, "a.npz", "expected ids that all differ"):
        wg.io.read(tmp_path / "a.npz")


def test_names_pass_through_npz_on_the_command_line(tmp_path, capsys):
    path = put(tmp_path / "a.csv", "to,from,km\nB,A,5\nC,B,7\n")
    for source, output in (("a.csv", "b.npz"), ("b.npz", "c.npz"), ("c.npz", "d.csv")):
        assert main(["convert", str(tmp_path / source), "--output", str(tmp_path / output)]) == 0
    assert wg.io.read(tmp_path / "c.npz")[0].names.tolist() == ["A", "B", "C"]
    assert arcs(*wg.io.read(tmp_path / "d.csv")) == arcs(*wg.io.read(path))
    capsys.readouterr()
    out = tmp_path / "out.csv"
    for name in ("a.csv", "c.npz"):
        command = ["sssp", str(tmp_path / name), "--source", "B", "--output", str(out)]
        assert main(command) == 0
        assert out.read_text().splitlines()[1:] == ["A,,inf", "B,,0.0", "C,B,7.0"]


# What follows compressed data.

COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
if ".zst" in COMPRESSIONS:
    import zstandard

    COMPRESS[".zst"] = zstandard.compress
compressed = pytest.mark.parametrize(("ending", "compress"), COMPRESS.items(), ids=COMPRESS)


@compressed
@pytest.mark.parametrize("garbage", [b"x", b"BZ", b"3,4,5\n", b"garbage" * 30_000])
@pytest.mark.parametrize("n_frames", [1, 2])
@pytest.mark.parametrize("n_zeros", [0, 4])
def test_bytes_behind_compressed_data_are_refused(
    tmp_path, ending, compress, garbage, n_frames, n_zeros
):
    path = tmp_path / f"a.csv{ending}"
    path.write_bytes(compress(b"1,2,3\n") * n_frames + bytes(n_zeros) + garbage)
    with raises_sentence(ValueError, str(path), "compressed data is cut off or damaged"):
        wg.io.read(path)
    graphml = tmp_path / f"a.graphml{ending}"
    wg.io.write(graphml, wg.generators.grid(2, 2))
    graphml.write_bytes(graphml.read_bytes() + garbage)
    with raises_sentence(ValueError, str(graphml)):
        wg.io.read(graphml)


@compressed
def test_frames_and_zeros_behind_compressed_data_are_read(tmp_path, ending, compress):
    path = tmp_path / f"a.csv{ending}"
    first, second = compress(b"1,2,3\n"), compress(b"2,3,4\n" * 200_000)
    for text, n_edges in ((first + second, 200_001), (second + first, 200_001)):
        path.write_bytes(text)
        assert wg.io.read(path)[0].n_edges == n_edges
    if ending != ".zst":
        path.write_bytes(first + bytes(100_000) + second + bytes(7))
        assert wg.io.read(path)[0].n_edges == 200_001


@compressed
def test_points_behind_compressed_data_are_refused(tmp_path, capsys, ending, compress):
    path = tmp_path / f"points.csv{ending}"
    path.write_bytes(compress(b"1,2\n3,4\n9,9\n") + b"5,6\n")
    assert main(["cluster", str(path), "--points", "--n-clusters", "2"]) != 0
    assert str(path) in capsys.readouterr().err
