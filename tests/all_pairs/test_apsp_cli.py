"""The command ``warpgraph apsp``."""

import shutil
from types import SimpleNamespace

import numpy as np
import pytest

import graphs
import warpgraph as wg
from warpgraph import _core
from warpgraph.cli import _apsp, main

ROADS = graphs.SAMPLES["grid"]


@pytest.mark.parametrize("ending", [".npy", ".npz", ".csv"])
def test_apsp(run, roads, tmp_path, ending):
    distances, predecessors = wg.apsp(ROADS, return_predecessors=True)
    far, near = tmp_path / f"distances{ending}", tmp_path / f"predecessors{ending}"
    report = run("apsp", roads, "--output", far, "--predecessors", near)
    source, target = (report["farthest"][end] for end in ("source", "target"))
    assert (report["vertices"], report["pairs_reached"]) == (64, 64 * 64)
    assert distances[source, target] == report["farthest"]["distance"] == distances.max()
    for path, what, expected in (
        (far, "distance", distances),
        (near, "predecessor", predecessors),
    ):
        if ending == ".csv":
            table = np.genfromtxt(path, delimiter=",", names=True)
            assert table["source"].tolist() == np.repeat(np.arange(64), 64).tolist()
            assert table["target"].tolist() == np.tile(np.arange(64), 64).tolist()
            np.testing.assert_array_equal(table[what], expected.ravel())
        elif ending == ".npy":
            np.testing.assert_array_equal(np.load(path), expected)
        else:
            with np.load(path) as written:
                assert written["source"].tolist() == list(range(64))
                np.testing.assert_array_equal(written[what], expected)


def test_apsp_options_reach_the_library(run, tmp_path):
    graph, path = graphs.SAMPLES["asymmetric_weights"], tmp_path / "graph.npz"
    wg.io.write(str(path), wg.Graph(graph))
    output = tmp_path / "distances.npy"
    run("apsp", path, "--unweighted", "--undirected", "--dtype", "int32", "--output", output)
    expected = wg.apsp(graph, unweighted=True, directed=False, dtype="int32")
    np.testing.assert_array_equal(np.load(output), expected)
    assert np.load(output).dtype == np.int32
    assert run("apsp", path, "--method", "floyd_warshall_naive")["pairs_reached"] == 13


def test_apsp_of_a_graph_that_has_no_vertices(run, tmp_path):
    path = tmp_path / "nothing.npz"
    wg.io.write(str(path), wg.Graph(graphs.csr(0, [])))
    assert run("apsp", path)["pairs_reached"] == 0


@pytest.fixture
def little_memory(monkeypatch):
    """Let commands find less free memory than the distances of 64 vertices take."""
    monkeypatch.setattr(_core, "has_memory", lambda device, needed, limit: needed < 64 * 64 * 8)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("was_there", [False, True])
def test_distances_beyond_the_memory_are_written_to_the_file_itself(
    run, roads, tmp_path, monkeypatch, was_there
):
    output, asked = tmp_path / "distances.npy", []
    if was_there:
        output.write_text("old")
    apsp = wg.apsp
    monkeypatch.setattr(wg, "apsp", lambda *a, **k: asked.append(k["out"]) or apsp(*a, **k))
    report = run("apsp", roads, "--output", output)
    expected = apsp(ROADS)
    assert isinstance(asked[0], np.memmap)
    np.testing.assert_array_equal(np.load(output), expected)
    assert report["farthest"]["distance"] == expected.max()
    assert sorted(tmp_path.iterdir()) == sorted([output, tmp_path / "roads.npz"])


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("was_there", [False, True])
def test_an_error_leaves_nothing_half_written(capsys, tmp_path, was_there):
    cycle = np.zeros((64, 64))
    cycle[[0, 1], [1, 0]] = 2, -3
    graph, output = tmp_path / "cycle.npz", tmp_path / "distances.npy"
    wg.io.write(graph, cycle)
    if was_there:
        output.write_text("precious")
    assert main(["apsp", str(graph), "--output", str(output)]) == 2
    assert "negative cycle" in capsys.readouterr().err
    assert len(list(tmp_path.iterdir())) == 1 + was_there
    assert not was_there or output.read_text() == "precious"


@pytest.mark.parametrize("beyond", [(), ("--output", "a.npy"), ("--output", "a.csv")])
def test_distances_that_nothing_can_hold(capsys, monkeypatch, tmp_path, beyond):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=7))
    wg.io.write("large.npz", wg.Graph.from_edges([], [], n_vertices=2**20))
    assert main(["apsp", "large.npz", *beyond]) == 1
    err = capsys.readouterr().err
    assert "needs 8 TiB" in err
    assert err.endswith("for fewer sources: warpgraph sssp --sources\n")
    assert "out=" not in err
    assert ("its disk has 7 bytes free" in err) == ("a.npy" in beyond)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("looked_at", [1, 100, 1 << 22])
def test_the_report_looks_at_some_rows_at_a_time(run, tmp_path, monkeypatch, looked_at):
    monkeypatch.setattr(_apsp, "_LOOKED_AT", looked_at)
    path, rng = tmp_path / "graph.npz", np.random.default_rng(0)
    matrix = rng.integers(-1, 9, (30, 30)) * (rng.random((30, 30)) < 0.05) * np.tri(30, dtype=int)
    wg.io.write(path, matrix)
    distances = wg.apsp(matrix)
    report, reached = run("apsp", path), np.isfinite(distances)
    source, target = np.unravel_index(np.argmax(np.where(reached, distances, -np.inf)), (30, 30))
    assert report["pairs_reached"] == reached.sum() < 900
    expected = {"source": source, "target": target, "distance": distances[source, target]}
    assert report["farthest"] == expected


def test_two_matrices_do_not_go_to_one_file(capsys, roads, tmp_path):
    output = tmp_path / "a.npy"
    same = f"{tmp_path}/../{tmp_path.name}/a.npy"
    for there_before in (False, True):
        assert main(["apsp", roads, "--output", str(output), "--predecessors", same]) == 2
        assert f"are both {output}, which can hold one matrix" in capsys.readouterr().err
        assert output.exists() == there_before
        output.write_text("precious")
    assert output.read_text() == "precious"


def test_both_matrices_go_to_stdout(roads, capfdbinary):
    assert main(["apsp", roads, "--output", "-", "--predecessors", "-"]) == 0
    out = capfdbinary.readouterr().out
    assert out.startswith(b"source,target,distance\n")
    assert b"\nsource,target,predecessor\n" in out
