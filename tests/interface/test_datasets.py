"""The graphs in the package."""

import dataclasses
import hashlib
import http.server
import lzma
import math
import re
import socket
import sys
import threading

import numpy as np
import pytest
import scipy.sparse.csgraph as csgraph

import warpgraph as wg
from checks import raises_sentence

#: The first digits of the SHA-256 of the arrays of "model-roads".
MODEL_ROADS = "f2812376a26a3b88"


@pytest.fixture(scope="module")
def ny():
    return wg.datasets.load("ny-road")


def test_there_is_a_road_network():
    assert "ny-road" in wg.datasets.names()


@pytest.mark.parametrize("name", wg.datasets.names(downloads=False))
def test_info_agrees_with_the_graph(name):
    info, graph = wg.datasets.info(name), wg.datasets.load(name)
    assert (info.n_vertices, info.n_edges) == (graph.n_vertices, graph.n_edges)
    assert info.name == name
    assert all(value != "" for value in dataclasses.astuple(info))


def test_helsinki_lies_where_its_library_is():
    """The library Oodi is at 60.1739 degrees north, 24.9381 east."""
    latitude, longitude = wg.datasets.info("helsinki").map_origin
    (library,) = [p.vertex for p in wg.datasets.places("helsinki") if "Oodi" in p.name]
    east, north = wg.datasets.load("helsinki").coordinates[library]
    metres = np.radians(1) * 6_371_008.8
    assert latitude + north / metres == pytest.approx(60.1739, abs=1e-3)
    east_of_greenwich = longitude + east / (metres * math.cos(math.radians(latitude)))
    assert east_of_greenwich == pytest.approx(24.9381, abs=2e-3)
    for name in ("model-roads", "ny-road"):
        assert wg.datasets.info(name).map_origin is None


def test_ny_road_is_an_undirected_simple_connected_graph(ny):
    matrix = ny.to_csr()
    assert (matrix != matrix.T).nnz == 0
    assert not matrix.diagonal().any()
    row = np.repeat(np.arange(ny.n_vertices), np.diff(ny.indptr))
    arcs = row * np.int64(ny.n_vertices) + ny.indices
    assert (np.diff(arcs) > 0).all()  # sorted, no duplicates
    assert csgraph.connected_components(matrix)[0] == 1
    assert ny._undirected() is ny


def test_ny_road_weights_follow_the_rule(ny):
    def weight(u, v):
        mask = 2**64 - 1
        x = (u * 0x9E3779B97F4A7C15 & mask) ^ (v * 0xC2B2AE3D27D4EB4F & mask)
        x ^= x >> 29
        x = x * 0xBF58476D1CE4E5B9 & mask
        return 100 + (x ^ x >> 32) % 4000

    rng = np.random.default_rng(0)
    for e in rng.integers(ny.n_edges, size=200):
        u = int(np.searchsorted(ny.indptr, e, side="right")) - 1
        v = int(ny.indices[e])
        assert ny.data[e] == weight(min(u, v), max(u, v))


def test_ny_road_topology_is_the_challenge_graph(ny):
    # The first edges of the file as published, numbered from 0.
    matrix = ny.to_csr()
    published = [(0, 1), (0, 11), (0, 1362), (1, 12), (1, 47), (2, 3), (2, 3873), (3, 3925)]
    assert all(matrix[u, v] >= 100 for u, v in published)
    assert matrix[[0]].nnz == 3


def test_helsinkis_streets_are_an_undirected_simple_connected_graph_in_metres():
    streets = wg.datasets.load("helsinki")
    matrix = streets.to_csr()
    assert (matrix != matrix.T).nnz == 0
    assert not matrix.diagonal().any()
    assert csgraph.connected_components(matrix)[0] == 1
    # Lengths are multiples of 1/16 m: the straight line, rounded up.
    tails = np.repeat(np.arange(streets.n_vertices), np.diff(streets.indptr))
    ends = streets.coordinates[tails] - streets.coordinates[streets.indices]
    expected = np.maximum(np.ceil(16 * np.linalg.norm(ends, axis=1)) / 16, 1 / 16)
    np.testing.assert_array_equal(streets.data, expected)
    assert wg.datasets.load("helsinki", dtype="float32").data.dtype == np.float32


def test_helsinki_has_no_integer_lengths():
    with raises_sentence(ValueError, "dtype must be float32 or float64, got int32"):
        wg.datasets.load("helsinki", dtype="int32")


def test_places_are_vertices_of_the_streets():
    places = wg.datasets.places("helsinki")
    n_vertices = wg.datasets.info("helsinki").n_vertices
    assert {"cafe", "library", "pharmacy", "tram_stop"} <= {place.kind for place in places}
    assert all(0 <= place.vertex < n_vertices and place.name for place in places)
    with raises_sentence(ValueError, "name must be"):
        wg.datasets.places("ny-road")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_weights_come_in_every_dtype_with_the_same_values(ny, dtype):
    graph = wg.datasets.load("ny-road", dtype=dtype)
    assert graph.data.dtype == dtype
    np.testing.assert_array_equal(graph.data, ny.data)


def test_loading_twice_gives_two_graphs(ny):
    assert wg.datasets.load("ny-road") is not ny


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"name must be one of .*'ny-road', got 'moon'"):
        wg.datasets.load("moon")
    with pytest.raises(ValueError, match="got 'moon'"):
        wg.datasets.info("moon")


def test_a_strange_dtype_is_refused():
    with pytest.raises(TypeError, match="dtype must be one of float32, float64, int32, int64"):
        wg.datasets.load("ny-road", dtype="complex64")


# The model of a road network.


def test_model_roads_are_lengths_between_coordinates():
    graph = wg.datasets.load("model-roads", dtype=np.int64)
    matrix = graph.to_csr()
    assert (matrix != matrix.T).nnz == 0
    assert csgraph.connected_components(matrix)[0] == 1
    row, col, data = graph.to_edges()
    points = [tuple(map(int, point)) for point in graph.coordinates.tolist()]
    assert len(set(points)) == graph.n_vertices
    for tail, head, weight in zip(row[:2000], col[:2000], data[:2000].tolist(), strict=True):
        square = math.dist(points[tail], points[head]) ** 2
        assert (weight - 1) ** 2 < square * (1 + 1e-12)
        assert square * (1 - 1e-12) <= weight**2
    assert 2.5 < graph.n_edges / graph.n_vertices < 3
    # The lightest tree is the Euclidean one, but for rounding.
    tree = wg.cluster.euclidean_mst(graph.coordinates)
    known = {*zip(row.tolist(), col.tolist(), strict=True)}
    assert {*map(tuple, tree.edges.tolist())} <= known


def test_model_roads_are_the_same_everywhere():
    graph = wg.datasets.load("model-roads", dtype=np.int64)
    arrays = graph.indptr.astype("<i8"), graph.indices.astype("<i4"), graph.data.astype("<i8")
    contents = b"".join(array.tobytes() for array in (*arrays, graph.coordinates.astype("<f8")))
    assert hashlib.sha256(contents).hexdigest()[:16] == MODEL_ROADS


# Data sets that are downloaded, from a server in this process.


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Serve a small data set "town"; return (change its entry, count of requests)."""
    pytest.importorskip("pooch")
    graph = wg.generators.grid(5, 6, seed=1)
    ones = wg.Graph.from_csr(graph.indptr, graph.indices, np.ones(graph.n_edges))
    wg.io.write(tmp_path / "town.gr", ones, format="pace")
    packed = lzma.compress((tmp_path / "town.gr").read_bytes())
    requests = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(packed)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        entry = dataclasses.replace(
            wg.datasets.info("bay-road"),
            name="town",
            n_vertices=30,
            n_edges=graph.n_edges,
            url=f"http://127.0.0.1:{served.server_port}/town.gr.xz",
            sha256=hashlib.sha256(packed).hexdigest(),
        )
        known = wg.datasets._registry()

        def change(**values):
            changed = known | {"town": dataclasses.replace(entry, **values)}
            monkeypatch.setattr(wg.datasets, "_registry", lambda: changed)

        change()
        monkeypatch.setenv("WARPGRAPH_DATA", str(tmp_path / "cache"))
        yield change, requests
        served.shutdown()


def test_downloads_are_kept(server):
    _, requests = server
    graph = wg.datasets.load("town", dtype=np.int32)
    assert (graph.n_vertices, graph.dtype) == (30, np.int32)
    expected = wg.generators.grid(5, 6, seed=1)
    np.testing.assert_array_equal(graph.indptr, expected.indptr)
    np.testing.assert_array_equal(np.sort(graph.indices), np.sort(expected.indices))
    assert graph._undirected() is graph
    assert (graph.data >= 100).all()
    wg.datasets.load("town")
    assert len(requests) == 1


def test_downloads_with_another_checksum_are_refused(server, tmp_path):
    change, _ = server
    change(sha256="0" * 64)
    with raises_sentence(OSError, "the data set 'town' could not be downloaded", "hash"):
        wg.datasets.load("town")
    assert not list((tmp_path / "cache").glob("town*"))


def test_downloads_without_a_network(server, tmp_path):
    change, _ = server
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        change(url=f"http://127.0.0.1:{unused.getsockname()[1]}/town.gr.xz")
        place = str(tmp_path / "cache" / "town.gr.xz")
        with raises_sentence(OSError, "without a network, put that file at " + place, "ny-road"):
            wg.datasets.load("town")


def test_downloads_without_pooch(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with raises_sentence(ImportError, "'bay-road' needs pooch", "model-roads, ny-road"):
        wg.datasets.load("bay-road")


def test_the_registry_has_addresses_that_do_not_change():
    downloads = {*wg.datasets.names()} - {*wg.datasets.names(downloads=False)}
    assert downloads >= {"bay-road", "fla-road"}
    for name in downloads:
        info = wg.datasets.info(name)
        assert re.fullmatch(r"[0-9a-f]{64}", info.sha256)
        assert re.match(r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/", info.url)
