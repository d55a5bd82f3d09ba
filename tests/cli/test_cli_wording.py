"""Messages of commands speak of options, of what commands write, and of data sets."""

import re
import shlex
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

import warpgraph as wg
from warpgraph.cli import main
from warpgraph.cli._wording import for_shell


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("choose one by weight=, or pass weight=None", "choose one by --weight"),
        ("has the attribute weight='km'; they", "has the attribute --weight km; they"),
        ("pass decimal=',' if a comma", "pass --decimal ',' if a comma"),
        ("choose with columns=('u', 'v', 'km')", "choose with --columns u,v,km"),
        ("columns=('a b', 'c,d', 'e\"f')", "--columns 'a b,\"c,d\",\"e\"\"f\"'"),
        ("""columns=("it's", 'v')""", """--columns 'it'"'"'s,v'"""),
        ("columns=(0, 2), but the table has 2", "--columns 0,2, but the table has 2"),
        ("choose with columns=", "choose with --columns"),
        ("of a table, columns= chooses the weight", "of a table, --columns chooses the weight"),
        ("pass max_vertices=70 if it is right", "pass --max-vertices 70 if it is right"),
        ("but max_vertices is 2", "but --max-vertices is 2"),
        ("id_dtype='str' reads names", "--id-dtype str reads names"),
        ("memory_limit must be a positive number", "--memory-limit must be a positive number"),
        ("use method='dijkstra'", "use --method dijkstra"),
        ("pass device='cpu'", "pass --device cpu"),
        # What is no advice stays.
        ("weight='km': the value in row 3 is", "weight='km': the value in row 3 is"),
        ("columns=('a', 'b...", "columns=('a', 'b..."),
        ("got 'weight=3'", "got 'weight=3'"),
        ("a_weight='km'", "a_weight='km'"),
        ("my/weight=x.csv: damaged", "my/weight=x.csv: damaged"),
        ("vertex 3 has no weight", "vertex 3 has no weight"),
    ],
)  # fmt: skip
def test_arguments_are_options(sentence, expected):
    assert for_shell(sentence) == expected


def failed(capsys, *arguments):
    assert main([*map(str, arguments)]) == 2
    return capsys.readouterr().err


def test_what_a_message_says_can_be_given(tmp_path, capsys, run):
    path = tmp_path / "a.csv"
    path.write_text("u,v,travel time,length\n1,2,3,4\n")
    advice = re.search("choose with (--columns .*)\n", failed(capsys, "info", path))[1]
    assert run("info", path, *shlex.split(advice))["lightest"] == 3
    path.write_text("u;v;km\n1;2;1,5\n")
    advice = re.search("pass (--decimal '.') ", failed(capsys, "info", path))[1]
    assert run("info", path, *shlex.split(advice))["lightest"] == 1.5


@pytest.mark.filterwarnings("default")
def test_warnings_speak_of_options(tmp_path, capsys):
    path = tmp_path / "a.graphml"
    nx.write_graphml(nx.Graph([("a", "b", {"km": 2.5})]), path)
    assert main(["info", str(path)]) == 0
    assert capsys.readouterr().err.endswith("they have 'km': choose one by --weight\n")
    assert "the attribute --weight m; they have 'km'" in failed(
        capsys, "info", path, "--weight", "m"
    )


def test_negative_weights(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("a,b,-1\nb,c,2\n")
    sentence = failed(capsys, "sssp", path, "--source", "a", "--method", "dijkstra")
    assert "; use --method bellman_ford; " in sentence
    path.write_text("a,b,-1\nb,c,-2\n")
    sentence = failed(capsys, "sssp", path, "--source", "a", "--method", "dijkstra")
    assert sentence.endswith("use --method bellman_ford\n")


@pytest.mark.parametrize("name", ["nosuch", "ny-raod", "a/b"])
def test_a_graph_that_does_not_exist(capsys, name):
    known = ", ".join(wg.datasets.names())
    sentence = f"warpgraph: there is no file or data set {name!r}; the data sets are {known}\n"
    assert failed(capsys, "info", name) == sentence


def test_files_that_do_not_exist_or_are_of_no_format(tmp_path, capsys):
    assert "a.csv: No such file" in failed(capsys, "info", tmp_path / "a.csv")
    assert "nosuch: No such file" in failed(capsys, "info", "nosuch", "--format", "csv")
    (tmp_path / "a.docx").touch()
    assert "names no format" in failed(capsys, "info", tmp_path / "a.docx")
    for name in ("-", "nosuch.docx"):
        assert "give --format" in failed(capsys, "info", name)


@pytest.mark.parametrize(("command", "what"), [("sssp", "distance"), ("bfs", "hops")])
def test_what_the_help_says_of_outputs(run, tmp_path, capsys, command, what):
    path = tmp_path / "a.csv"
    for text, none in (("1,2\n3,1\n", "-1"), ("a,b\nc,a\n", ""), ("-1,2\n3,-1\n", "")):
        path.write_text(text)
        source = text.partition(",")[0]
        for ending in ("csv", "npy", "npz"):
            run(command, path, f"--source={source}", "--output", tmp_path / f"o.{ending}")
        lines = (tmp_path / "o.csv").read_text().splitlines()
        assert lines[0] == f"vertex,predecessor,{what}"
        assert sum(line.split(",")[1] == none for line in lines) == 2
        assert np.load(tmp_path / "o.npy").shape == (3,)
        with np.load(tmp_path / "o.npz") as stored:
            assert set(stored) == {"vertex", "predecessor", what}
    with pytest.raises(SystemExit):
        main([command, "--help"])
    text = " ".join(capsys.readouterr().out.split())
    plural = "distances" if command == "sssp" else what
    assert f"{plural} and predecessors (.csv, .npz, .parquet), or {plural} alone (.npy" in text
    assert "the predecessor is -1 where there is none, or empty where" in text


def test_warnings_of_writers_speak_of_options(tmp_path):
    command = [sys.executable, "-m", "warpgraph", "mst", "model-roads", "--output", "tree.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    expected = "warpgraph: the format 'csv' does not store coordinates, as .npz and .graphml do\n"
    assert done.stderr == expected
    command[-1] = "tree.graphml"
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert wg.io.read(tmp_path / "tree.graphml")[0].coordinates.shape[1] == 2
