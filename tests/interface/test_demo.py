"""warpgraph demo: verified answers, a picture, and messages about both."""

import json
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

import warpgraph as wg
from warpgraph import demo
from warpgraph.cli import main


def test_everything_is_verified_on_every_device(capsys, tmp_path):
    assert main(["demo", "--json", "--output", str(tmp_path)]) == 0
    report = json.loads(capsys.readouterr().out)
    whats = ["shortest paths", "many sources", "spanning forest", "hops", "components", "clusters"]
    expected = [(what, device) for what in whats for device in wg.devices()]
    assert [(row["what"], row["device"]) for row in report["rows"]] == expected
    assert all(row["verified"] for row in report["rows"])
    assert all(row["seconds"] > 0 < row["scipy_seconds"] for row in report["rows"])
    assert report["weights"].startswith("lengths in metres")
    assert report["picture"] == str(tmp_path / "warpgraph-demo.png")
    assert (tmp_path / "warpgraph-demo.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def small(monkeypatch):
    """Make the demo's tasks small, with the same checks."""
    town = wg.Graph(
        wg.generators.grid(20, 30, seed=1),
        coordinates=40.0 * np.stack(np.divmod(np.arange(600), 30)[::-1], axis=1),
    )
    monkeypatch.setattr(wg.datasets, "load", lambda name: town)
    points = demo.make_points(600)
    monkeypatch.setattr(demo, "make_points", lambda: points)


def test_table(capsys, small, tmp_path):
    assert demo.run(str(tmp_path), device="cpu") == 0
    table, picture = capsys.readouterr().out.split("\n\n")[1:]
    head, *rows = table.splitlines()
    assert head.split() == ["what", "size", "device", "time", "SciPy", "ratio", "verified"]
    assert len(rows) == 6
    assert len({len(row) for row in (head, *rows)}) == 1
    assert all(row.endswith(" yes") for row in rows)
    assert picture == (
        "Streets are Helsinki's, with lengths in metres (OpenStreetMap contributors); roads are "
        "New York's.\n"
        f"The picture is {tmp_path / 'warpgraph-demo.png'}.\n"
    )


def test_the_picture_has_a_map(monkeypatch, small, tmp_path):
    """Of the streets, whose data ask for the names of those who made them."""
    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    assert demo.run(str(tmp_path), device="cpu", as_json=True) == 0
    (town,) = (ax for ax in figures[0].axes if "OpenStreetMap contributors" in ax.get_title())
    lost, near = town.collections
    assert len(lost.get_segments()) + len(near.get_segments()) == 20 * 29 + 19 * 30
    assert near.get_array().max() <= 15
    assert town.get_aspect() == 1


def test_a_wrong_answer_is_not_verified(capsys, monkeypatch, small, tmp_path):
    right = wg.sssp
    monkeypatch.setattr(wg, "sssp", lambda *a, **options: np.nextafter(right(*a, **options), 0))
    assert demo.run(str(tmp_path), device="cpu") == 1
    assert [line for line in capsys.readouterr().out.splitlines() if line.endswith(" NO")]


def test_without_matplotlib_there_is_a_table_and_a_sentence(capsys, monkeypatch, small, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert demo.run(str(tmp_path), device="cpu") == 0
    assert "warpgraph[plot]" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_device_that_is_not_here(capsys, small, tmp_path):
    assert main(["demo", "--device", "cuda:99", "--output", str(tmp_path)]) == 1
    assert "cuda:99" in capsys.readouterr().err


def test_points_are_seven_shapes():
    points = demo.make_points()
    assert len(points) == 4500
    assert wg.cluster.MSTClustering().fit(points).n_clusters_ == 7


def test_same_partition():
    assert demo.same_partition(np.array([0, 0, 1]), np.array([5, 5, 2]))
    assert not demo.same_partition(np.array([0, 0, 1]), np.array([5, 2, 2]))
    assert not demo.same_partition(np.array([0, 0, 0]), np.array([5, 2, 2]))
