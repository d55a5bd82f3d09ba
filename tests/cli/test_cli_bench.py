"""The command ``warpgraph bench``."""

import numpy as np
import pytest
import scipy.sparse as sp

import graphs
import warpgraph as wg
from warpgraph.cli import main
from warpgraph.cli._parser import build_parser

_TASKS = ["shortest paths", "many sources", "hops", "components", "spanning forest"]


@pytest.mark.parametrize("sample", ["grid", "medium_directed", "many_islands", "one_vertex"])
def test_samples(sample, run, tmp_path):
    graph, path = wg.Graph(graphs.SAMPLES[sample]), tmp_path / "graph.npz"
    wg.io.write(str(path), graph)
    report = run("bench", path, "--device", "cpu")
    assert report["vertices"] == graph.n_vertices
    assert report["source"] == np.argmax(np.diff(graph.indptr))
    assert [row["what"] for row in report["rows"]] == _TASKS
    assert all(row["verified"] and row["seconds"] > 0 for row in report["rows"])


def test_weights_of_every_kind(run, tmp_path):
    """Negative ones, zeros that a forest needs, infinite ones, and float32."""
    chain = np.r_[np.arange(9), 1], np.r_[np.arange(1, 10), 3]
    for weights in ([-1.5, 2, 0, 4, 5, 6, 7, 8, 9, 3], [1, np.inf, 0, 3, 0.1, 0.2, 0.3, 1, 1, 2]):
        for dtype in (np.float32, np.float64):
            graph = sp.coo_array((np.array(weights, dtype), chain), (10, 10))
            path = tmp_path / "graph.npz"
            wg.io.write(str(path), wg.Graph(graph.tocsr()))
            report = run("bench", path, "--source", 0, "--device", "cpu")
            assert report["source"] == 0
            assert all(row["verified"] for row in report["rows"])


def test_a_table_of_an_edge_list(tmp_path, capsys):
    path = tmp_path / "graph.csv"
    path.write_text("from,to,weight\nLima,Cusco,3\nCusco,Puno,4\n")
    assert main(["bench", str(path), "--source", "Lima"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.endswith("yes")]) == 5 * len(wg.devices())


def test_an_answer_that_is_not_scipys(monkeypatch, tmp_path, capsys):
    path = tmp_path / "graph.npz"
    wg.io.write(str(path), wg.Graph(graphs.SAMPLES["grid"]))
    monkeypatch.setattr(wg, "bfs", lambda graph, *_, **__: np.zeros(graph.n_vertices, np.int32))
    assert main(["bench", str(path), "--device", "cpu"]) == 1
    wrong = [line for line in capsys.readouterr().out.splitlines() if line.endswith("NO")]
    assert len(wrong) == 1
    assert wrong[0].startswith("hops")


def test_bad_input(tmp_path, capsys):
    path = tmp_path / "graph.npz"
    wg.io.write(str(path), wg.Graph(sp.csr_array((0, 0))))
    assert main(["bench", str(path)]) == 2
    assert "no vertices" in capsys.readouterr().err
    wg.io.write(str(path), wg.Graph(graphs.SAMPLES["grid"]))
    assert main(["bench", str(path), "--source", "far"]) == 2
    assert "far" in capsys.readouterr().err


def test_it_explains_itself(tmp_path, capsys):
    path = tmp_path / "graph.npz"
    wg.io.write(str(path), wg.Graph(graphs.SAMPLES["grid"]))
    assert main(["bench", str(path), "--device", "cpu"]) == 0
    lines = capsys.readouterr().out.splitlines()
    starts = [line.split()[0] for line in lines[:8]]
    assert starts == ["graph", "vertices", "edges", "weights", "source", "time", "scipy", "ratio"]
    assert "10x is ten times as fast" in lines[7]


def test_its_help_and_default(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "beside SciPy's functions on one core" in text
    assert "default: ny-road" in text
    assert "Exit status 1: an answer differs" in text
    assert build_parser().parse_args(["bench"]).graph == "ny-road"
