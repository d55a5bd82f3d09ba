"""Results in Parquet, and results up to a limit."""

import sys

import numpy as np
import pandas as pd
import pytest

import warpgraph as wg
from files import read_csv
from warpgraph.cli import main

pytest.importorskip("pyarrow")

TABLE = "from,to,km\nUlm,Bonn,300\nKiel,Ulm,700\nOslo,Rome,9\n"


@pytest.fixture
def cities(tmp_path):
    path = tmp_path / "cities.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def numbers(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("1,2,300\n3,1,700\n8,9,9\n")
    return path


COMMANDS = [
    ("sssp", "--source", "{0}"),
    ("sssp", "--source", "{0}", "--limit", 800),
    ("sssp", "--source", "{0}", "--targets", "{1},{0}"),
    ("sssp", "--sources", "{0},{1}"),
    ("sssp", "--sources", "{0},{1}", "--limit", 800),
    ("bfs", "--source", "{0}"),
    ("bfs", "--source", "{0}", "--limit", 1),
    ("apsp",),
    ("components",),
    ("pagerank",),
    ("nearest", "--facilities", "{1}"),
    ("within", "--limit", 800),
    ("betweenness",),
    ("betweenness", "--edges"),
    ("communities",),
    ("cluster", "--n-clusters", 3),
]


@pytest.mark.parametrize("options", COMMANDS, ids=lambda options: "_".join(map(str, options)))
@pytest.mark.parametrize("kind", ["cities", "numbers"])
def test_parquet_and_csv_are_one_table(run, request, tmp_path, options, kind):
    path = request.getfixturevalue(kind)
    names = ("Kiel", "Bonn") if kind == "cities" else ("3", "2")
    options = [str(option).format(*names) for option in options]
    reports = [
        run(options[0], path, *options[1:], "--output", tmp_path / f"out{ending}")
        for ending in (".csv", ".parquet")
    ]
    assert [report.pop("seconds", 0) for report in reports]
    assert reports[0] == reports[1]
    table = read_csv(tmp_path / "out.csv")
    assert len(table)
    stored = pd.read_parquet(tmp_path / "out.parquet")
    assert table.columns.tolist() == stored.columns.tolist()
    for name in table:
        ours, theirs = table[name], stored[name]
        np.testing.assert_array_equal(ours.isna(), theirs.isna())
        assert ours[ours.notna()].tolist() == theirs[theirs.notna()].tolist(), name
    if "--limit" in options:
        assert np.isfinite(stored.iloc[:, -1]).all()


def test_predecessors_in_parquet(run, cities, tmp_path):
    output = tmp_path / "trees.parquet"
    run("apsp", cities, "--predecessors", output)
    found = pd.read_parquet(output).set_index(["source", "target"])["predecessor"]
    assert found["Kiel", "Bonn"] == "Ulm"
    assert found.isna().sum() == 25 - 4


def test_no_rows_of_inf_within_a_limit(run, cities, tmp_path):
    """Without a limit, what cannot be reached has a row, as in the matrix."""
    output = tmp_path / "out.csv"
    for command, what, farther in (("sssp", "distance", np.inf), ("bfs", "hops", -1)):
        limit = 800 if command == "sssp" else 1
        start = (command, cities, "--source", "Kiel", "--output")
        run(*start, output)
        table = read_csv(output).set_index("vertex")[what]
        assert table.tolist() == [1000 if command == "sssp" else 2, 0, farther, farther, *table[4:]]
        run(*start, output, "--limit", limit)
        near = read_csv(output).set_index("vertex")[what]
        assert near.to_dict() == table[["Kiel", "Ulm"]].to_dict()
        # NumPy's arrays have the vertices by position.
        run(*start, tmp_path / "out.npz", "--limit", limit)
        with np.load(tmp_path / "out.npz") as stored:
            assert len(stored["vertex"]) == len(stored[what]) == 5
        run(*start, tmp_path / "out.npy", "--limit", limit)
        assert len(np.load(tmp_path / "out.npy")) == 5
    start = ("sssp", cities, "--source", "Kiel", "--output", output)
    run(*start, "--targets", "Rome,Ulm", "--limit", 800)
    assert read_csv(output)["vertex"].tolist() == ["Ulm"]
    several = ("sssp", cities, "--sources", "Kiel,Ulm", "--limit", 500, "--output")
    run(*several, output)
    rows = read_csv(output).itertuples(index=False, name=None)
    assert list(rows) == [("Kiel", "Kiel", 0), ("Ulm", "Bonn", 300), ("Ulm", "Ulm", 0)]
    run(*several, tmp_path / "out.npz")  # a matrix
    with np.load(tmp_path / "out.npz") as stored:
        assert stored["distance"].shape == (2, 5)


def test_points_in_parquet(run, capsys, tmp_path):
    path = tmp_path / "points.parquet"
    run("generate", "points", "--count", 40, "--dim", 3, "--seed", 4, "--output", path)
    points = wg.generators.random_points(40, 3, seed=4, dist="blobs")
    np.testing.assert_array_equal(pd.read_parquet(path).to_numpy(), points)
    report = run("cluster", path, "--points", "--n-clusters", 3)
    assert (report["points"], report["dimensions"], report["clusters"]) == (40, 3, 3)
    pd.DataFrame({"x": [1, 2], "name": ["a", "b"]}).to_parquet(path)
    assert main(["cluster", str(path), "--points"]) == 2
    sentence = f"{path} does not hold points, one row of numbers each: the column 'name' has "
    assert sentence in capsys.readouterr().err
    path.write_bytes(b"PAR1" * 9)
    assert main(["cluster", str(path), "--points"]) == 2
    assert f"{path} does not hold points" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ("sssp", "--source", "Ulm"),
        ("apsp",),
        ("mst",),
        ("within", "--limit", "5"),
        ("convert",),
    ],
    ids=lambda command: command[0],
)
def test_without_pyarrow(capsys, monkeypatch, cities, tmp_path, command):
    """The sentence comes before the work."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(wg.io, "read", lambda *_, **__: pytest.fail("the graph is read"))
    output = tmp_path / "out.parquet"
    assert main([command[0], str(cities), *command[1:], "--output", str(output)]) == 1
    expected = (
        "warpgraph: Parquet needs pyarrow, which is not installed: pip install 'warpgraph[io]'\n"
    )
    assert capsys.readouterr().err == expected
    assert not output.exists()


def test_names_that_parquet_cannot_hold(capsys, tmp_path):
    path = tmp_path / "edges.npz"
    wg.io.write(path, np.array([[0, 1], [0, 0]]), ids=["a\ud800", "b"])
    output = str(tmp_path / "out.parquet")
    assert main(["components", str(path), "--output", output]) == 2
    assert "cannot be written to Parquet: it has a surrogate" in capsys.readouterr().err
