"""``warpgraph explain COMMAND``: the plan of the command's call, and nothing else."""

import numpy as np
import pytest

import graphs
import warpgraph as wg
from warpgraph.cli import main
from warpgraph.cli._parser import _PLANNED

GRID = graphs.SAMPLES["grid"]

#: Commands with options, and the calls that they make.
COMMANDS = {
    "sssp": (["--source", "5", "--limit", "9"], lambda: (wg.sssp, GRID, 5)),
    "sssp --sources": (["--sources", "5,6"], lambda: (wg.many_to_many, GRID, [5, 6])),
    "nearest": (["--facilities", "5,6"], lambda: (wg.nearest_facilities, GRID, [5, 6])),
    "within": (["--limit", "9"], lambda: (wg.within, GRID, None, 9)),
    "apsp": ([], lambda: (wg.apsp, GRID)),
    "bfs": (["--source", "5"], lambda: (wg.bfs, GRID, 5)),
    "components": ([], lambda: (wg.connected_components, GRID)),
    "pagerank": ([], lambda: (wg.pagerank, GRID)),
    "betweenness": ([], lambda: (wg.betweenness_centrality, GRID)),
    "betweenness --edges": (["--edges"], lambda: (wg.edge_betweenness_centrality, GRID)),
    "communities": ([], lambda: (wg.leiden_communities, GRID)),
    "mst": ([], lambda: (wg.minimum_spanning_forest, GRID)),
    "cluster": ([], lambda: (wg.cluster.MSTClustering(metric="precomputed"), GRID)),
}


def test_all_commands_with_plans_are_here():
    assert {add.__name__[1:] for add in _PLANNED} == {name.split()[0] for name in COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_plan_is_that_of_the_call(run, roads, name, monkeypatch):
    options, call = COMMANDS[name]
    function, *arguments = call()
    expected = (
        wg.explain(function, *arguments, device="cpu")
        if name != "cluster"
        else wg.explain(function, *arguments)
    )
    report = run("explain", name.split()[0], roads, *options, "--device", "cpu")
    assert report["function"] == expected.function
    assert report["method"] == expected.method
    assert report["devices"] == ["cpu"]
    assert set(report) == {"function", "method", "devices", "bytes", "seconds", "reasons"}
    assert report["bytes"] > 0 < report["seconds"]


def test_nothing_is_computed_or_written(roads, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(np, "savez", lambda *_, **__: pytest.fail("an array is written"))
    output = tmp_path / "out.npz"
    assert main(["explain", "apsp", roads, "--device", "cpu", "--output", str(output)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("apsp, ")
    assert lines[0].endswith(" on cpu")
    assert lines[1].startswith("  expected time  ")
    assert not output.exists()


def test_points(run, tmp_path):
    path, picture = tmp_path / "points.npy", tmp_path / "tree.png"
    np.save(path, wg.generators.random_points(3000, 2, seed=1))
    report = run("explain", "cluster", path, "--plot", picture)
    assert report["function"].endswith("MSTClustering.fit")
    assert not picture.exists()


def test_it_refuses_what_the_command_refuses(roads, capsys, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,2\nb,a,-3\n")
    for words in (
        ["sssp", str(path), "--source", "a", "--method", "dijkstra"],
        ["sssp", str(path), "--source", "c"],
        ["apsp", roads, "--memory-limit", "100"],
        ["within", roads, "--limit", "-1"],
    ):
        status = main(words)
        sentence = capsys.readouterr().err
        assert status in (1, 2)
        assert main(["explain", *words]) == status
        assert capsys.readouterr().err == sentence


def test_a_matrix_that_is_larger_than_the_memory(run, monkeypatch, tmp_path):
    """Its file has no space on the disk, and does not stay."""
    path, output = tmp_path / "roads.npz", tmp_path / "all.npy"
    wg.io.write(path, wg.Graph(GRID))
    from warpgraph import _core
    from warpgraph.cli import _apsp

    monkeypatch.setattr(_core, "has_memory", lambda *_: False)
    monkeypatch.setattr(_apsp, "_reserve", lambda _: pytest.fail("the space is taken"))
    report = run("explain", "apsp", path, "--output", output)
    assert report["function"] == "apsp"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["roads.npz"]


def test_the_commands_without_a_plan(capsys):
    for words in (["explain"], ["explain", "convert"], ["explain", "info", "ny-road"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
    assert "invalid choice: 'info'" in capsys.readouterr().err


def test_the_help_of_tune_says_what_it_changes(capsys):
    with pytest.raises(SystemExit):
        main(["tune", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "Takes some seconds" in said
    assert "the file that keeps the rates, which all later calls of this user read" in said
