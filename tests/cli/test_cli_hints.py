"""What commands say of misspelled words, and which devices they report."""

import json

import numpy as np
import pytest

import graphs
import warpgraph as wg
from warpgraph.cli import main


@pytest.fixture
def roads(tmp_path):
    path = tmp_path / "roads.npz"
    wg.io.write(str(path), wg.Graph(graphs.SAMPLES["grid"]))
    return str(path)


def refusal(capsys, *arguments):
    """Return what a refused command prints to stderr."""
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as end:
        status = end.code
    assert status == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["sspp", "roads.npz"], "did you mean 'sssp'?"),
        (["component", "roads.npz"], "did you mean 'components'?"),
        (["sssp", "x", "--source", "0", "--method", "dijkstr"], "did you mean 'dijkstra'?"),
        (["sssp", "x", "--source", "0", "--method", "BF"], "did you mean 'bellman_ford'?"),
        (["apsp", "x", "--method", "FW"], "did you mean 'floyd_warshall'?"),
        (["generate", "grids", "--output", "x.npz"], "did you mean 'grid'?"),
        (["info", "x", "--format", "matrixmarket"], "did you mean 'matrix-market'?"),
        (["sssp", "x", "--sorce", "0"], "did you mean --source?"),
        (["sssp", "x", "--source", "0", "--undirectd"], "did you mean --undirected?"),
        (["--versoin"], "did you mean --version?"),
    ],
)
def test_misspelled_words(capsys, arguments, hint):
    assert hint in refusal(capsys, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [["weather"], ["sssp", "x"], ["sssp", "x", "--quick"], ["apsp", "x", "--method", "magic"]],
)
def test_words_that_are_like_no_other_have_no_hint(capsys, arguments):
    assert "did you mean" not in refusal(capsys, *arguments)


def test_a_misspelled_column(capsys, tmp_path):
    path = tmp_path / "trains.csv"
    path.write_text("from,to,minutes\nRome,Pisa,150\n")
    said = refusal(capsys, "sssp", path, "--source", "Rome", "--columns", "from,to,minuten")
    assert "did you mean 'minutes'?" in said


def test_a_misspelled_vertex(capsys, tmp_path):
    path = tmp_path / "trains.csv"
    path.write_text("from,to,minutes\nRome,Pisa,150\n")
    assert "did you mean 'Rome'?" in refusal(capsys, "sssp", path, "--source", "rome")


@pytest.mark.parametrize(("device", "hint"), [("gpu", "'cuda'"), ("CPU", "'cpu'"), ("tpu!", "")])
def test_devices_of_other_names(capsys, roads, device, hint):
    said = refusal(capsys, "sssp", roads, "--source", "0", "--device", device)
    assert ("did you mean" in said) == bool(hint)
    assert f"did you mean {hint}" in said or not hint


@pytest.mark.parametrize("command", [["sssp", "--source", "0"], ["apsp"], ["pagerank"], ["mst"]])
def test_the_device_that_was_used_is_reported(capsys, roads, command):
    assert main([command[0], roads, *command[1:], "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["device"] in wg.devices()


def test_the_device_of_points_is_reported(capsys, tmp_path):
    path = tmp_path / "points.npy"
    np.save(path, np.random.default_rng(0).random((50, 2)))
    assert main(["cluster", str(path), "--device", "cpu", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["device"] == "cpu"
