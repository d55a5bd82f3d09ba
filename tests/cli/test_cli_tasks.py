"""The tasks of ``warpgraph --help``, and those of the page, from files to files."""

import json
import re
import shlex
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure

import warpgraph as wg
from warpgraph.cli import main
from warpgraph.cli._parser import build_parser

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "command_line.md"
ROADS = "from,to,km\nA,B,4\nB,C,3\nC,A,2\nC,D,9\n"


def tasks_of_help(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    page = capsys.readouterr().out
    assert max(map(len, page.splitlines())) <= 85
    tasks = re.findall(r"^  \S.*?  +warpgraph (.*)$", page, re.M)
    assert 10 < len(tasks) < 16
    assert page.index("try it") < page.index("positional arguments")
    return [shlex.split(task) for task in tasks]


def test_the_tasks_of_the_help_run(capsys, tmp_path, monkeypatch):
    tasks = tasks_of_help(capsys)
    monkeypatch.chdir(tmp_path)
    Path("roads.csv").write_text(ROADS)
    Path("friends.csv").write_text(ROADS)
    np.save("points.npy", wg.generators.random_points(60, 2, seed=1))
    for words in tasks:
        if words == ["demo"]:  # test_demo.py runs it
            continue
        assert main(words) == 0, words
    assert capsys.readouterr().err == ""


def page_commands():
    """The commands of docs/guide/command_line.md, from files to files, and their table."""
    text = PAGE.read_text(encoding="utf-8")
    section = text.partition("## From files to files")[2].partition("\n## ")[0]
    commands = [shlex.split(line)[1:] for line in re.findall("^    (warpgraph .*)", section, re.M)]
    table = re.search(r"^    from,to,minutes\n(    .*\n)+", text, re.M)[0]
    return commands, re.sub("^    ", "", table, flags=re.M)


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    """A folder with the files that the commands of the page write."""
    pytest.importorskip("pyarrow")
    commands, table = page_commands()
    monkeypatch.chdir(tmp_path)
    Path("trains.csv").write_text(table)
    for words in commands:
        assert main(words) == 0, words
    assert capsys.readouterr().err == ""
    return tmp_path


def test_from_files_to_files(folder):
    """Every file that the page writes, beside NetworkX."""
    trains = pd.read_csv("trains.csv")
    network = nx.from_pandas_edgelist(trains, "from", "to", "minutes")
    far = dict(nx.all_pairs_dijkstra_path_length(network, weight="minutes"))
    pairs = {(u, v): d for u, row in far.items() for v, d in row.items()}
    near = {pair: d for pair, d in pairs.items() if d <= 60}

    def column(file, keys, value):
        table = (pd.read_parquet if file.endswith("parquet") else pd.read_csv)(file)
        return table.set_index(keys)[value].to_dict()

    assert column("minutes.parquet", ["source", "target"], "distance") == pairs
    assert column("within.parquet", ["source", "target"], "distance") == near
    assert column("reached.parquet", "vertex", "distance") == {
        v: d for (u, v), d in near.items() if u == "Bern"
    }
    assert column("nearest.parquet", "vertex", "distance") == {
        v: min(far[v]["Basel"], far[v]["Chur"]) for v in network
    }
    stations = nx.betweenness_centrality(network, weight="minutes")
    assert column("stations.csv", "vertex", "score") == pytest.approx(stations)
    lines = nx.edge_betweenness_centrality(network, weight="minutes")
    lines |= {(v, u): score for (u, v), score in lines.items()}
    for pair, score in column("lines.csv", ["source", "target"], "score").items():
        assert score == pytest.approx(lines[pair])
    regions = column("regions.csv", "vertex", "community")
    parts = [{v for v in regions if regions[v] == part} for part in set(regions.values())]
    assert set().union(*parts) == set(network)
    tree = nx.minimum_spanning_tree(network, weight="minutes")
    found = pd.read_csv("tree.csv")
    assert {frozenset(pair) for pair in found[["source", "target"]].itertuples(index=False)} == {
        frozenset(pair) for pair in tree.edges
    }
    clusters = column("clusters.csv", "vertex", "label")
    tree.remove_edges_from([e for e in tree.edges if tree.edges[e]["minutes"] >= 60])
    expected = {frozenset(part) for part in nx.connected_components(tree)}
    labels = set(clusters.values())
    assert {frozenset(v for v in clusters if clusters[v] == k) for k in labels} == expected
    assert nx.read_graphml("tree.graphml").number_of_edges() == 3
    assert Path("clusters.png").read_bytes().startswith(b"\x89PNG")
    written = {word for words in page_commands()[0] for word in words if "." in word}
    assert {file.name for file in folder.iterdir()} == written


def test_the_page_names_all_commands():
    text = PAGE.read_text(encoding="utf-8")
    commands = next(a for a in build_parser()._actions if a.dest == "==SUPPRESS==" and a.choices)
    missing = {name for name in commands.choices if f"`{name}" not in text}
    assert {name for name in missing if f"warpgraph {name}" not in text} <= {"demo", "generate"}


@pytest.fixture
def figures(monkeypatch):
    """The figures that commands save."""
    saved = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: saved.append(figure))
    return saved


@pytest.mark.parametrize("dimensions", [1, 2, 5])
def test_cluster_draws_the_points(tmp_path, figures, capsys, dimensions):
    points = wg.generators.random_points(50, dimensions, seed=2)
    np.save(tmp_path / "points.npy", points)
    picture = str(tmp_path / "a.png")
    words = ["cluster", str(tmp_path / "points.npy"), "--n-clusters", "3", "--plot", picture]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["clusters"] == 3
    plane, weights, dendrogram = figures[0].axes
    (drawn,) = [c for c in plane.collections if isinstance(c, PathCollection)]
    np.testing.assert_array_equal(drawn.get_offsets(), points[:, [0, min(1, dimensions - 1)]])
    assert len(np.unique(drawn.get_facecolors(), axis=0)) == 3
    assert plane.get_xlabel() == ("column 0 of 5" if dimensions == 5 else "")
    assert weights.get_xlabel() == "weight of a tree edge"
    assert dendrogram.get_ylabel() == "height"


def test_cluster_draws_a_graph_that_has_coordinates(tmp_path, figures, capsys):
    assert main(["cluster", "helsinki", "--plot", str(tmp_path / "a.png")]) == 0
    streets = wg.datasets.load("helsinki")
    plane, *others = figures[0].axes
    assert len(others) == 2
    (drawn,) = [c for c in plane.collections if isinstance(c, PathCollection)]
    np.testing.assert_array_equal(drawn.get_offsets(), streets.coordinates)
    lines = [c for c in plane.collections if isinstance(c, LineCollection)]
    assert sum(len(c.get_segments()) for c in lines) == streets.n_vertices - 1
    wg.io.write(tmp_path / "bare.npz", wg.generators.grid(3, 4))
    assert main(["cluster", str(tmp_path / "bare.npz"), "--plot", str(tmp_path / "a.png")]) == 0
    assert len(figures[1].axes) == 2
