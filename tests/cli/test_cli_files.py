"""The command line and files: names of vertices, columns of tables, points."""

import bz2
import csv
import gzip
import json
import lzma
import os
import signal
import socket
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import warpgraph as wg
from warpgraph.cli import main

COMPRESSORS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def test_names_with_commas(run, tmp_path):
    path, output = tmp_path / "cities.csv", tmp_path / "out.csv"
    path.write_text('from,via,to,km\n"Ulm, BW",x,"Bonn, ""NRW""",300\n"Ulm, BW",y,Kiel,700\n')
    options = ("--columns", "from,to,km", "--output", output)
    report = run("sssp", path, "--source", "Ulm, BW", "--targets", '"Bonn, ""NRW""",Kiel', *options)
    assert [row["distance"] for row in report["targets"]] == [300, 700]
    with open(output, newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {"vertex": 'Bonn, "NRW"', "predecessor": "Ulm, BW", "distance": "300.0"}
    assert run("info", path, "--columns", "0, 2")["edges"] == 2


def test_names_with_a_carriage_return(run, tmp_path):
    path, output = tmp_path / "cities.csv", tmp_path / "out.csv"
    path.write_bytes(b'"Ulm\rBW","Bonn ""x""",3\nKiel,"Ulm\rBW",4.5\n')
    run("sssp", path, "--source", "Kiel", "--output", output)
    expected = [
        ["vertex", "predecessor", "distance"],
        ['Bonn "x"', "Ulm\rBW", "7.5"],
        ["Kiel", "", "0.0"],
        ["Ulm\rBW", "Kiel", "4.5"],
    ]
    with open(output, newline="") as file:
        assert list(csv.reader(file)) == expected
    table = pd.read_csv(output, keep_default_na=False)
    assert table["vertex"].tolist() == [row[0] for row in expected[1:]]


@pytest.mark.parametrize(
    ("ids", "column"),
    [
        ([-1, 5, 7], ["", "-1", "5"]),
        (np.array([4, 5, 7], np.uint64), ["-1", "4", "5"]),
        (np.array([4, 5, 2**64 - 1], np.uint64), ["", "4", "5"]),
    ],
)
def test_no_predecessor_is_not_written_as_a_vertex(run, tmp_path, ids, column):
    path = tmp_path / "path.npz"
    wg.io.write(path, np.array([[0, 2, 0], [0, 0, 1], [0, 0, 0]]), ids=ids)
    for command in ("sssp", "bfs"):
        run(command, path, f"--source={ids[0]}", "--output", tmp_path / "out.csv")
        table = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
        assert table["predecessor"].tolist() == column
        assert table["vertex"].tolist() == list(map(str, ids))
    run("apsp", path, "--predecessors", tmp_path / "trees.npy", "--output", tmp_path / "all.npy")
    assert np.load(tmp_path / "trees.npy")[0].astype(str).tolist() == column


def test_reports_name_the_source_as_other_vertices(run, tmp_path):
    path = tmp_path / "edges.csv"
    for ids in ([10, 30], ["ten", "thirty"]):
        path.write_text(f"{ids[0]},{ids[1]},2\n")
        for command in ("sssp", "bfs"):
            report = run(command, path, "--source", ids[0])
            assert [report["source"], report["farthest"]["vertex"]] == ids


def test_endings_of_results_in_upper_case(run, tmp_path):
    (tmp_path / "POINTS.CSV").write_text("1,2\n3,4\n")
    np.save(tmp_path / "points.npy", np.eye(2))
    (tmp_path / "points.npy").rename(tmp_path / "POINTS.NPY")
    for name in ("POINTS.CSV", "POINTS.NPY"):
        run("cluster", tmp_path / name, "--points", "--output", tmp_path / "OUT.NPZ")
        with np.load(tmp_path / "OUT.NPZ") as saved:
            assert saved["point"].tolist() == [0, 1]


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", r"Z\xfcrich"), ("utf-8", "Z\xfcrich")])
def test_names_that_stdout_cannot_encode(tmp_path, encoding, shown):
    path = tmp_path / "cities.csv"
    path.write_text("Bern,Z\xfcrich,4\n", encoding="utf-8")
    command = [sys.executable, "-m", "warpgraph", "sssp", path, "--source=Bern"]
    done = subprocess.run(
        command,
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        encoding=encoding,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"vertex {shown}, distance 4" in done.stdout


@pytest.mark.filterwarnings("default")
def test_convert_says_when_names_are_lost(capsys, tmp_path):
    path = tmp_path / "cities.csv"
    path.write_text("from,to,km\nUlm,Bonn,300\nKiel,Ulm,700\n")
    for ending, is_kept in [(".gr", False), (".mtx", False), (".tsv", True), (".npz", True)]:
        output = tmp_path / f"out{ending}"
        assert main(["convert", str(path), "--output", str(output), "--json"]) == 0
        out, err = capsys.readouterr()
        assert json.loads(out)["names_kept"] is is_kept
        assert err == (
            ""
            if is_kept
            else f"warpgraph: {output} does not keep the names of the vertices: its format numbers "
            "them, in the order of their names from 'Bonn' to 'Ulm'\n"
        )
    path.write_text("0,1\n1,2\n")
    assert main(["convert", str(path), "--output", str(tmp_path / "out.gr")]) == 0
    assert capsys.readouterr().err == ""
    assert main(["mst", str(tmp_path / "out.tsv"), "--output", str(tmp_path / "mst.gr")]) == 0
    assert "does not keep the names" in capsys.readouterr().err


@pytest.mark.filterwarnings("default")
def test_convert_and_generate_say_when_vertices_are_lost(capsys, tmp_path):
    graph, table = tmp_path / "a.npz", str(tmp_path / "a.csv")
    wg.io.write(graph, wg.Graph.from_edges([0], [2], n_vertices=5))
    assert main(["convert", str(graph), "--output", table]) == 0
    sentence = f"warpgraph: {table} lists edges only, so vertices without an edge are not in it: "
    assert f"{sentence}3 of 5; .npz and .graphml keep them" in capsys.readouterr().err
    grid = ["generate", "grid", "--shape", "1x1", "--output"]
    for path, said in ((table, f"{sentence}1 of 1"), (str(tmp_path / "b.gr"), "")):
        assert main([*grid, path]) == 0
        err = capsys.readouterr().err
        assert err.startswith(said) if said else err == ""


@pytest.mark.parametrize(
    ("text", "command", "sentence"),
    [
        ("a,b,2\nb,a,-3\n", ("sssp", "--source=b"), "negative cycle through vertex 'a'"),
        ("a,b,2\nb,a,-3\n", ("sssp", "--sources=a,b"), "negative cycle through vertex 'a'"),
        ("a,b,2\nb,a,-3\n", ("apsp",), "negative cycle through vertex 'b'"),
        ("a,b,-3\n", ("sssp", "--source=a", "--method=dijkstra"), "of entry ('a', 'b') is neg"),
        ("7,5,-3\n", ("sssp", "--source=5", "--method=dijkstra"), "of entry (7, 5) is negative"),
        (
            f"a,b,{2**63 - 9}\nb,c,10\n",
            ("apsp", "--dtype=int64", "--method=many_to_many"),
            f"the distance {2**63 - 9} of vertex 'b' and the weight 10 of entry ('b', 'c') add up",
        ),
        (
            f"a,b,{2**31 - 9}\nb,c,10\n",
            ("apsp", "--dtype=int32", "--method=floyd_warshall"),
            f"the distance {2**31 + 1} from vertex 'a' to vertex 'c' does not fit",
        ),
    ],
)
def test_errors_have_the_ids_of_the_file(capsys, tmp_path, text, command, sentence):
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert main([command[0], str(path), *command[1:]]) == 2
    assert sentence in capsys.readouterr().err


def test_options_of_reading(run, capsys, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,2\n007,2\n")
    assert main(["info", str(path)]) == 2
    assert "'007' is no such integer; --id-dtype str reads names" in capsys.readouterr().err
    assert run("info", path, "--id-dtype", "str")["vertices"] == 3
    assert main(["info", str(path), "--id-dtype", "str", "--max-vertices", "2"]) == 2
    assert "has 3 vertices, but --max-vertices is 2" in capsys.readouterr().err
    assert main(["info", "ny-road", "--columns", "0,1"]) == 2
    assert "--columns is for files, and ny-road is a data set" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".npy", ".npz"])
def test_points_that_are_pickled_or_damaged(capsys, tmp_path, ending):
    path = tmp_path / f"points{ending}"
    save = np.save if ending == ".npy" else np.savez
    save(path, np.array([[1, "a"]], object))
    assert main(["cluster", str(path), "--points"]) == 2
    assert "holds pickled objects, which are not loaded" in capsys.readouterr().err
    save(path, np.zeros((50, 2)))
    path.write_bytes(path.read_bytes()[:600])
    assert main(["cluster", str(path), "--points"]) == 2
    assert str(path) in capsys.readouterr().err


def test_points_come_from_files_alone(run, capsys, monkeypatch, tmp_path):
    def connect(*arguments):
        pytest.fail("a connection is opened")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.chdir(tmp_path)
    address = "http://127.0.0.1:9/x.csv"
    assert main(["cluster", "--points", address]) == 2
    assert capsys.readouterr().err == f"warpgraph: {address}: No such file or directory\n"
    assert not [*tmp_path.iterdir()]
    (tmp_path / "http:" / "127.0.0.1:9").mkdir(parents=True)
    (tmp_path / address).write_text("1,2\n3,4\n")
    assert run("cluster", "--points", address)["points"] == 2


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz"])
def test_compressed_points(run, capsys, tmp_path, ending):
    rows = [f"{i},{i * i % 97}" for i in range(5000)]
    whole = COMPRESSORS[ending]("\n".join(rows).encode())
    path = tmp_path / f"points.csv{ending}"
    path.write_bytes(whole)
    assert run("cluster", "--points", path)["points"] == 5000
    middle = len(whole) // 2
    damaged = whole[:middle] + b"\0\xff" * 8 + whole[middle + 16 :]
    for content in (whole[:middle], damaged, rows[0].encode()):
        path.write_bytes(content)
        assert main(["cluster", "--points", str(path)]) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"warpgraph: {path} does not hold points, one row of numbers each: ")
        assert err.count("\n") == 1


def test_points_behind_a_byte_order_mark(run, tmp_path):
    path = tmp_path / "points.csv"
    path.write_bytes(b"\xef\xbb\xbf1,2\r\n3,4\r\n")
    assert run("cluster", path, "--points", "--n-clusters", "2")["points"] == 2


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("text", ["", "# nothing\n\n"])
def test_a_file_without_points(capsys, tmp_path, text):
    path = tmp_path / "points.txt"
    path.write_text(text)
    assert main(["cluster", "--points", str(path)]) == 2
    assert capsys.readouterr().err == (
        f"warpgraph: {path} does not hold points, one row of numbers each: it has no numbers\n"
    )


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ("B\r\nC", ["B", "C"]),
        ("B\rC\n", ["B", "C"]),
        (' B ,\t"C" ,', ["B", "C"]),
        ('" x",B', [" x", "B"]),
        ('"d ""q"", e","l\nm"', ['d "q", e', "l\nm"]),
    ],
)
def test_lists_of_vertices(run, tmp_path, listed, names):
    path = tmp_path / "names.csv"
    path.write_text('" x",B,1\nB,C,2\nC,"d ""q"", e",3\n"l\nm",B,1\n')
    report = run("sssp", path, "--sources", listed)
    assert [row["source"] for row in report["distances"]] == names


def test_columns_between_ends_of_lines(run, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,c d\n1,2,3\n")
    for columns in ("a\rb", "a\r\nb\n", ' a , "c d"'):
        assert run("info", path, "--columns", columns)["edges"] == 1


@pytest.fixture
def one_long_name(tmp_path):
    """Return the path of a table in which one name is far longer than the others."""
    path = tmp_path / "names.csv"
    edges = "".join(f"n{i},n{i + 1},1\n" for i in range(3000))
    path.write_text("x" * 120_000 + ",n0,1\n" + edges)
    return str(path)


def test_one_long_name(run, one_long_name):
    far = {"vertex": "n3000", "distance": 3000}
    assert run("sssp", one_long_name, "--source", "n0")["farthest"] == far
    assert run("bfs", one_long_name, "--source", "n0")["farthest"]["vertex"] == "n3000"
    report = run("sssp", one_long_name, "--sources", "n0,n9", "--targets", "n7,n10")
    assert [row["farthest"] for row in report["distances"]] == ["n10", "n10"]
    (target,) = run("sssp", one_long_name, "--source", "n0", "--targets", "n2")["targets"]
    assert target["path"] == ["n0", "n1", "n2"]


def test_long_names_are_not_pickled(run, capsys, one_long_name, tmp_path):
    output = tmp_path / "out.npz"
    run("sssp", one_long_name, "--source", "n0", "--targets", "n2,n3", "--output", output)
    with np.load(output) as saved:
        assert saved["vertex"].tolist() == ["n2", "n3"]
        assert saved["predecessor"].tolist() == ["n1", "n2"]
    output.unlink()
    assert main(["cluster", one_long_name, "--output", str(output)]) == 2
    assert "which has 120000 characters: 'xxx" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["names.csv"]


def test_a_forest_in_the_metis_format(run, tmp_path):
    path, output = tmp_path / "edges.csv", tmp_path / "forest.graph"
    path.write_text("0,1,3\n1,2,2\n2,0,4\n3,0,7\n")
    assert run("mst", path, "--output", output)["tree_edges"] == 3
    forest, _ = wg.io.read(output)
    assert (forest.n_edges, forest.data.sum()) == (6, 2 * 12)


def test_formats_that_cannot_hold_the_weights_are_refused_before_the_work(
    capsys, monkeypatch, tmp_path
):
    monkeypatch.setattr(wg.generators, "rmat", None)
    for weights in ("uniform", "0-9"):
        options = ("--weights", weights, "--output", str(tmp_path / "a.graph"))
        assert main(["generate", "rmat", "--scale", "4", *options]) == 2
        assert "positive integers as weights: --weights must be none, or LOW-HIGH" in (
            capsys.readouterr().err
        )


def test_the_file_of_an_unweighted_hierarchy_needs_no_weights(tmp_path):
    nx = pytest.importorskip("networkx")
    graph = nx.Graph([("a", "b", {"weight": "heavy"}), ("b", "c", {"weight": "light"})])
    wg.Hierarchy(graph, unweighted=True).save(tmp_path / "file.npz")
    assert wg.Hierarchy.load(tmp_path / "file.npz", graph).n_vertices == 3


@pytest.mark.parametrize(
    ("command", "output", "sentence"),
    [
        ("components", "folder.csv", "is a folder, not a file"),
        ("components", "read-only/a.csv", "no permission to write to"),
        ("mst", "read-only/a.gr", "no permission to write to"),
    ],
)
def test_paths_that_cannot_be_written_are_refused_before_the_work(
    capsys, monkeypatch, roads, tmp_path, command, output, sentence
):
    monkeypatch.setattr(wg.io, "read", None)
    monkeypatch.setattr(os, "access", lambda path, _: path.name != "read-only")  # for root, too
    for folder in ("folder.csv", "read-only"):
        (tmp_path / folder).mkdir()
    path = str(tmp_path / output)
    assert main([command, roads, "--output", path]) == (2 if "folder" in output else 1)
    err = capsys.readouterr().err
    assert path in err
    assert sentence in err


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("sssp", ["--source=0", "--output="]),
        ("components", ["--output="]),
        ("mst", ["--output="]),
        ("apsp", ["--predecessors="]),
        ("cluster", ["--plot="]),
    ],
)
def test_an_empty_name_of_a_file_is_refused(capsys, roads, command, options):
    assert main([command, roads, *options]) == 2
    assert "''" in capsys.readouterr().err


def test_digits_of_other_kinds_are_no_shape_and_no_weights(capsys, tmp_path):
    output = ["--output", str(tmp_path / "a.gr")]
    assert main(["generate", "grid", "--shape", "\u00b2x3", *output]) == 2
    assert "--shape must be ROWSxCOLUMNS" in capsys.readouterr().err
    assert main(["generate", "grid", "--shape", "2x3", "--weights", "\u00b2-3", *output]) == 2
    assert "weights" in capsys.readouterr().err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_stdout_that_is_full(unbuffered):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "warpgraph", "info"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            text=True,
            check=False,
        )
    sentence = "warpgraph: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, sentence)


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(
    ("command", "status", "out", "err"),
    [
        ("info {} >&-", 1, "", "warpgraph: standard output: Bad file descriptor\n"),
        ("components {} --output {}.csv >&-", 1, "", "warpgraph: standard output: Bad file "),
        ("mst {} --output - --output-format csv >&-", 1, "", "warpgraph: -: Bad file descriptor\n"),
        ("mst {} --output - --output-format csv 2>&-", 0, "source,target,weight\n", ""),
        ("info {}.gr 2>&-", 2, "", ""),
        ("info - --format dimacs <&-", 1, "", "warpgraph: -: Bad file descriptor\n"),
    ],
)
def test_streams_that_are_closed(roads, command, status, out, err):
    shell = f"{sys.executable} -m warpgraph {command.format(roads, roads)}"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert (done.stdout[: len(out)], done.stderr[: len(err)]) == (out, err)
    assert bool(done.stdout) == bool(out)
    assert bool(done.stderr) == bool(err)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_signals_leave_no_half_written_file(roads, tmp_path, name):
    output = tmp_path / "labels.npy"
    output.write_text("precious")
    code = (
        "import os, signal, sys, time\n"
        "import numpy as np\n"
        "from warpgraph.cli import main\n"
        f"signal.signal(signal.{name}, signal.SIG_DFL)\n"  # nohup ignores some
        "def save(file, _):\n"
        "    file.write(b'half')\n"
        f"    os.kill(os.getpid(), signal.{name})\n"
        "    time.sleep(60)\n"
        "np.save = save\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", code, "components", roads, "--output", output]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + getattr(signal, name), "", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels.npy", "roads.npz"]
    assert output.read_text() == "precious"


def test_commands_run_in_threads(roads, capsys):
    before = signal.getsignal(signal.SIGTERM)
    found = []
    thread = threading.Thread(target=lambda: found.append(main(["info", roads])))
    thread.start()
    thread.join()
    assert found == [0]
    assert main(["info", roads]) == 0
    assert signal.getsignal(signal.SIGTERM) == before
