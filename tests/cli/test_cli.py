"""The command line, in this process and, where needed, in a process of its own."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import graphs
import warpgraph as wg
from warpgraph.cli import main

ROADS = graphs.SAMPLES["grid"]


def process(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "warpgraph", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


# Each command returns the results of the library.


def test_sssp(run, roads, tmp_path):
    output = tmp_path / "distances.csv"
    report = run("sssp", roads, "--source", 5, "--output", output)
    distances, predecessors = wg.sssp(ROADS, 5, return_predecessors=True)
    assert report["reached"] == 64
    assert report["farthest"] == {"vertex": int(distances.argmax()), "distance": distances.max()}
    table = np.genfromtxt(output, delimiter=",", names=True)
    np.testing.assert_array_equal(table["vertex"], np.arange(64))
    np.testing.assert_array_equal(table["distance"], distances)
    np.testing.assert_array_equal(table["predecessor"], predecessors)


def test_sssp_to_targets(run, roads):
    report = run("sssp", roads, "--source", 0, "--targets", "63,7")
    distances = wg.sssp(ROADS, 0)
    far, near = report["targets"]
    assert (far["vertex"], far["distance"]) == (63, distances[63])
    assert (near["path"][0], near["path"][-1]) == (0, 7)


def test_sssp_from_several_sources(run, roads, tmp_path):
    expected = wg.many_to_many(ROADS, [5, 0, 5], [63, 7])
    options = ("sssp", roads, "--sources", "5,0,5", "--targets", "63,7", "--method", "batched")
    report = run(*options, "--output", tmp_path / "distances.csv")
    assert report["sources"] == 3
    assert report["distances"][1] == {
        "source": 0,
        "reached": 2,
        "farthest": 63,
        "distance": expected[1, 0],
    }
    table = np.genfromtxt(tmp_path / "distances.csv", delimiter=",", names=True)
    assert table["source"].tolist() == [5, 5, 0, 0, 5, 5]
    assert table["target"].tolist() == [63, 7] * 3
    np.testing.assert_array_equal(table["distance"], expected.ravel())
    run(*options, "--output", tmp_path / "distances.npz")
    with np.load(tmp_path / "distances.npz") as written:
        assert written["target"].tolist() == [63, 7]
        np.testing.assert_array_equal(written["distance"], expected)
    run("sssp", roads, "--sources", "5,6", "--output", tmp_path / "distances.npy")
    np.testing.assert_array_equal(
        np.load(tmp_path / "distances.npy"), wg.many_to_many(ROADS, [5, 6])
    )


@pytest.mark.parametrize("option", ["unweighted", "undirected"])
def test_sssp_options_reach_the_library(run, tmp_path, option):
    graph, path = graphs.SAMPLES["asymmetric_weights"], tmp_path / "graph.npz"
    wg.io.write(str(path), wg.Graph(graph))
    report = run("sssp", path, "--source", 0, f"--{option}", "--limit", 2)
    options = {"directed": False} if option == "undirected" else {"unweighted": True}
    assert report["reached"] == np.isfinite(wg.sssp(graph, 0, limit=2, **options)).sum()


def test_what_cannot_be_reached_is_null(run, tmp_path):
    path = tmp_path / "islands.npz"
    wg.io.write(str(path), wg.Graph(graphs.SAMPLES["two_islands"]))
    (row,) = run("sssp", path, "--source", 0, "--targets", 1)["targets"]
    assert row == {"vertex": 1, "distance": None}


def test_bfs(run, roads, tmp_path):
    output = tmp_path / "hops.npz"
    report = run("bfs", roads, "--source", 9, "--limit", 4, "--output", output)
    hops = wg.bfs(ROADS, 9, limit=4)
    assert report["reached"] == (hops >= 0).sum()
    assert report["farthest"]["hops"] == 4
    with np.load(output) as saved:
        np.testing.assert_array_equal(saved["hops"], hops)
        assert saved["predecessor"][9] == -1


def test_components(run, tmp_path):
    path, output = tmp_path / "islands.npz", tmp_path / "labels.npy"
    wg.io.write(str(path), wg.Graph(graphs.SAMPLES["many_islands"]))
    report = run("components", path, "--output", output)
    n, labels = wg.connected_components(graphs.SAMPLES["many_islands"])
    assert report["components"] == n
    assert report["largest"] == [2] * 10
    np.testing.assert_array_equal(np.load(output), labels)


def test_strong_components(run, tmp_path):
    path = tmp_path / "chain.npz"
    wg.io.write(str(path), wg.Graph(graphs.SAMPLES["directed_chain"]))
    assert run("components", path)["components"] == 1
    assert run("components", path, "--strong")["components"] == 10


def test_mst(run, roads, tmp_path):
    output = tmp_path / "forest.npz"
    report = run("mst", roads, "--output", output)
    forest = wg.minimum_spanning_forest(ROADS)
    assert (report["trees"], report["tree_edges"]) == (1, 63)
    assert report["total_weight"] == forest.total_weight
    again = wg.minimum_spanning_forest(wg.io.read(str(output))[0])
    assert again.total_weight == forest.total_weight


def test_cluster_with_noise(run, tmp_path):
    path, output = tmp_path / "points.npy", tmp_path / "labels.npy"
    np.save(path, np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [99.0]]))
    report = run("cluster", path, "--n-clusters", 2, "--min-cluster-size", 2, "--output", output)
    assert (report["clusters"], report["largest"], report["noise"]) == (2, [3, 2], 1)
    assert np.load(output).tolist() == [0, 0, 0, 1, 1, -1]


def test_cluster_a_graph(run, roads, tmp_path):
    output = tmp_path / "labels.csv"
    report = run("cluster", roads, "--n-clusters", 9, "--output", output)
    assert report["clusters"] == 9
    model = wg.cluster.MSTClustering(n_clusters=9, metric="precomputed").fit(ROADS)
    table = np.genfromtxt(output, delimiter=",", names=True)
    np.testing.assert_array_equal(table["label"], model.labels_)


@pytest.mark.parametrize("ending", [".npy", ".csv", ".txt"])
def test_cluster_points(run, tmp_path, ending):
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.random((30, 2)), rng.random((20, 2)) + 5])
    path, output, picture = tmp_path / f"points{ending}", tmp_path / "out.npz", tmp_path / "a.png"
    if ending == ".npy":
        np.save(path, points)
    else:
        np.savetxt(path, points, delimiter="," if ending == ".csv" else " ")
    report = run(
        "cluster", path, "--points", "--threshold", 2, "--output", output, "--plot", picture
    )
    assert (report["clusters"], report["largest"]) == (2, [30, 20])
    with np.load(output) as saved:
        assert saved["label"].tolist() == [0] * 30 + [1] * 20
        assert saved["linkage"].shape == (49, 4)
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "options",
    [
        ("rmat", "--scale", 8, "--edge-factor", 4),
        ("ssca2", "--scale", 8),
        ("grid", "--shape", "12x9"),
    ],
    ids=lambda options: options[0],
)
def test_generate_and_convert(run, tmp_path, options):
    first, second = tmp_path / "a.npz", tmp_path / "b.mtx"
    report = run("generate", *options, "--seed", 3, "--output", first)
    assert report["vertices"] == (108 if options[0] == "grid" else 256)
    assert run("convert", first, "--output", second)["edges"] == report["edges"]
    a, b = (wg.io.read(str(path))[0].to_csr() for path in (first, second))
    assert (a != b).nnz == 0


def test_generate_weights(run, tmp_path):
    path = tmp_path / "a.npz"
    run("generate", "grid", "--shape", "20x20", "--weights", "3-5", "--output", path)
    assert set(wg.io.read(str(path))[0].data) == {3, 4, 5}


@pytest.mark.parametrize("ending", [".npy", ".csv"])
def test_generate_points_to_cluster(run, tmp_path, ending):
    path = tmp_path / f"points{ending}"
    run("generate", "points", "--count", 50, "--dim", 3, "--seed", 1, "--output", path)
    assert run("cluster", path, "--points")["dimensions"] == 3


def test_info(run, roads):
    report = run("info", roads)
    assert (report["vertices"], report["edges"], report["components"]) == (64, ROADS.nnz, 1)
    assert report["stored_both_ways"] is True
    assert report["largest_degree"] == 4
    assert run("info")["warpgraph"] == wg.__version__


def test_threads_and_device_reach_the_library(run, roads):
    report = run("components", roads, "--threads", 3, "--device", "cpu")
    assert report["device"] == "cpu"
    assert wg.get_num_threads() == 3


def test_text_reports_are_for_reading(capsys, roads):
    assert main(["sssp", roads, "--source", "0", "--targets", "63"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["graph", roads]
    row = next(i for i, line in enumerate(lines) if line.startswith("targets"))
    assert re.search(r"path of \d+ vertices$", lines[row])
    assert lines[row + 1].strip() == "0"


# Vertices keep the names of the file.


def test_vertices_keep_the_names_of_the_file(run, tmp_path):
    path, output = tmp_path / "edges.csv", tmp_path / "out.csv"
    path.write_text("source,target,weight\n100,200,2\n200,300,3\n300,500,1\n")
    report = run("sssp", path, "--source", 100, "--targets", "300,100", "--output", output)
    assert report["targets"][0] == {"vertex": 300, "distance": 5, "path": [100, 200, 300]}
    assert output.read_text().splitlines() == [
        "vertex,predecessor,distance",
        "300,200,5.0",
        "100,-1,0.0",
    ]


def test_unknown_vertex_name(capsys, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target,weight\n100,200,2\n")
    assert main(["bfs", str(path), "--source", "0"]) == 2
    assert "--source is '0'" in capsys.readouterr().err


# Mistakes: one sentence, a status, no partial output.


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["components", "nowhere.mtx"], "nowhere.mtx"),
        (["components", "."], "."),
        (["sssp", "ROADS", "--source", "64"], "64"),
        (["sssp", "ROADS", "--source", "here"], "'here'"),
        (["sssp", "ROADS", "--source", "0", "--limit", "-1"], "-1"),
        (["sssp", "ROADS", "--source", "0", "--method", "batched"], "'batched'"),
        (["sssp", "ROADS", "--sources", "0,64"], "64"),
        (["sssp", "ROADS", "--source", "0", "--targets", "1,99"], "99"),
        (["sssp", "ROADS", "--source", "0", "--output", "out.docx"], "out.docx"),
        (["apsp", "ROADS", "--dtype", "int16"], "int16"),
        (["apsp", "ROADS", "--output", "out.docx"], "out.docx"),
        (["apsp", "ROADS", "--predecessors", "out.docx"], "--predecessors"),
        (["bfs", "ROADS", "--source", "-1"], "-1"),
        (["components", "ROADS", "--device", "gpu"], "'gpu'"),
        (["components", "ROADS", "--threads", "-2"], "-2"),
        (["cluster", "ROADS", "--n-clusters", "65"], "65"),
        (["cluster", "ROADS", "--points"], "ROADS"),
        (["cluster", "ROADS", "--plot", "tree.docx"], "'tree.docx'"),
        (["cluster", "ROADS", "--plot", "nowhere/tree.png"], "nowhere/tree.png"),
        (["sssp", "ROADS", "--sources", ""], "--sources must name at least one vertex, got ''"),
        (["sssp", "ROADS", "--source", "0", "--targets", ","], "--targets must name at least one"),
        (["info", "graph.docx"], ", or give --format\n"),
        (["mst", "ROADS", "--output", "tree.docx"], "'tree.docx'"),
        (["components", "ROADS", "--output", "nowhere/labels.npy"], "nowhere/labels.npy"),
        (["generate", "rmat", "--output", "graph.npz"], "--scale"),
        (["generate", "grid", "--shape", "4", "--output", "graph.npz"], "'4'"),
        (["generate", "grid", "--shape", "4x4", "--output", "graph.docx"], "graph.docx"),
        (["generate", "grid", "--shape", "4x4", "--output", "a.metis"], "LOW-HIGH with LOW from 1"),
    ],
)
def test_mistakes_end_with_a_sentence_and_status_2(
    capsys, monkeypatch, tmp_path, roads, arguments, part
):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert main([roads if a == "ROADS" else a for a in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("warpgraph: ")
    assert captured.err.count("\n") == 1
    assert (roads if part == "ROADS" else part) in captured.err
    assert sorted(tmp_path.iterdir()) == before
    wg.set_num_threads(0)


def test_a_broken_file_is_named_with_its_line(capsys, tmp_path):
    path = tmp_path / "broken.gr"
    path.write_text("c roads\np sp 3 2\na 1 2 5\na 2 7 1\n")
    assert main(["sssp", str(path), "--source", "0"]) == 2
    message = capsys.readouterr().err
    assert str(path) in message
    assert "line 4" in message


def test_a_missing_device_ends_with_status_1(capsys, roads):
    assert main(["components", roads, "--device", "cuda:99"]) == 1
    assert "cuda:99" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["fly"], ["sssp", "x.gr"], ["bfs", "--sauce", "3"]])
def test_bad_usage_is_argparses(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: warpgraph" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("problem", "status", "sentence"),
    [
        (OSError(28, "No space left on device"), 1, "{}: No space left on device"),
        (OSError("64 requested and 9 written"), 1, "{} is not read or written to its end: 64 re"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
    ],
)
def test_a_write_that_fails_leaves_the_old_file(
    capsys, monkeypatch, roads, tmp_path, problem, status, sentence
):
    output = tmp_path / "labels.npy"
    output.write_text("precious")

    def full(*arguments):
        raise problem

    monkeypatch.setattr(np, "save", full)
    assert main(["components", roads, "--output", str(output)]) == status
    err = capsys.readouterr().err
    assert err.startswith(f"warpgraph: {sentence.format(output)}")
    assert err.count("\n") == 1
    assert output.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels.npy", "roads.npz"]


def test_an_invalid_output_is_refused_before_the_work(capsys, monkeypatch, roads):
    monkeypatch.setattr(wg, "connected_components", None)
    assert main(["components", roads, "--output", "labels.txt"]) == 2
    assert "'labels.txt'" in capsys.readouterr().err


@pytest.mark.filterwarnings("default")
def test_points_that_are_taken_for_edges(capsys, tmp_path):
    path = tmp_path / "points.csv"
    np.savetxt(path, np.random.default_rng(0).random((9, 2)), delimiter=",")
    assert main(["cluster", str(path)]) == 2
    said = capsys.readouterr().err
    assert "column 0 has numbers with fractions" in said
    assert "--points" in said


def test_plot_without_matplotlib(capsys, monkeypatch, roads, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["cluster", roads, "--plot", str(tmp_path / "a.png")]) == 1
    assert "warpgraph[plot]" in capsys.readouterr().err


def test_warnings_are_sentences(tmp_path):
    path = tmp_path / "islands.npz"
    wg.io.write(str(path), wg.Graph(graphs.SAMPLES["two_islands"]))
    done = process("cluster", path, "--n-clusters", 1)
    assert done.returncode == 0
    assert done.stderr.startswith("warpgraph: the graph has 2 connected components")
    assert done.stderr.count("\n") == 1


# Tests that need a process of their own.


def test_version():
    done = process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"warpgraph {wg.__version__}\n", "")


def test_verbose_logs_what_auto_chose(roads):
    done = process("components", roads, "-v")
    assert done.returncode == 0
    assert "--device auto chose cpu" in done.stderr


def test_a_closed_pipe_is_not_reported_as_an_error(roads):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "warpgraph", "info", roads],
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "")


def test_output_into_a_pipe(roads, tmp_path):
    fifo = tmp_path / "pipe.csv"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "warpgraph", "components", roads, "--output", fifo]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        lines = fifo.read_text().splitlines()
    assert running.returncode == 0
    assert lines[0] == "vertex,component"
    assert len(lines) == 65
    assert fifo.is_fifo()


def test_output_into_a_pipe_that_is_not_read_to_its_end(tmp_path):
    fifo, path = tmp_path / "pipe.csv", tmp_path / "long.npz"
    wg.io.write(str(path), wg.Graph(graphs.csr(200_000, [])))
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "warpgraph", "components", path, "--output", fifo]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        with open(fifo) as pipe:
            assert pipe.readline() == "vertex,component\n"
        assert running.stderr.read() == ""
    assert running.returncode == 1


def test_ctrl_c_is_reported_in_a_line(tmp_path):
    # A pipe without a writer keeps the command waiting for its input.
    fifo = tmp_path / "points.txt"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "warpgraph", "cluster", "--points", fifo]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # Opening the pipe blocks until the command opens it, too.
    with subprocess.Popen(command, **pipes) as running, open(fifo, "w") as pipe:
        pipe.write("1 2\n")
        pipe.flush()
        time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert (running.returncode, out, err) == (130, "", "warpgraph: interrupted\n")
