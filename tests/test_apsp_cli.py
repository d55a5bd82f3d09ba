"""The command ``warpgraph apsp``."""

import numpy as np
import pytest

import graphs
import warpgraph as wg
from warpgraph.cli import main

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
