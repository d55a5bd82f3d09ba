"""Messages of commands speak of options, of what commands write, and of data sets."""

import argparse
import re
import shlex
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

import warpgraph as wg
from warpgraph.cli import main
from warpgraph.cli._parser import build_parser
from warpgraph.cli._wording import OTHER_NAMES, SUBJECTS, for_shell


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
        ("3 is no integer; id_dtype=str reads all", "3 is no integer; --id-dtype str reads all"),
        ("sources must be in 1..5, got 0", "--sample must be in 1..5, got 0"),
        ("k is 7, but k for each", "-k is 7, but k for each"),
        ("n_clusters=9 is more than", "--n-clusters=9 is more than"),
        ("tol = 0 is not above 1; raise tol", "--tol = 0 is not above 1; raise --tol"),
        ("on cpu; there, method must be one of", "on cpu; there, --method must be one of"),
        ("coordinates= is for formats", "--coordinates is for formats"),
        # What is no advice stays.
        ("weight='km': the value in row 3 is", "weight='km': the value in row 3 is"),
        ("columns=('a', 'b...", "columns=('a', 'b..."),
        ("got 'weight=3'", "got 'weight=3'"),
        ("a_weight='km'", "a_weight='km'"),
        ("my/weight=x.csv: damaged", "my/weight=x.csv: damaged"),
        ("vertex 3 has no weight", "vertex 3 has no weight"),
        ("method 'near_far' does not run", "method 'near_far' does not run"),
        ("weights must be real numbers", "weights must be real numbers"),
        ("the limit is 5", "the limit is 5"),
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


#: What a command takes first, and what it needs.
NEEDED = {
    "sssp": [["g.csv", "--source=0"]],
    "bfs": [["g.csv", "--source=0"]],
    "nearest": [["g.csv", "--facilities=0"]],
    "within": [["g.csv", "--sources=0", "--limit=3"]],
    "cluster": [["points.npy"]],
    "explain": [["sssp", "g.csv"]],
    "convert": [["g.csv", "--output=o.npz"]],
    "generate": [
        ["rmat", "--scale=3", "--output=o.npz"],
        ["grid", "--shape=3x3", "--output=o.npz"],
        ["points", "--count=5", "--dim=2", "--output=o.npy"],
    ],
}


def commands():
    """Return the parser of each command by name."""
    (found,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    return found.choices


def option_of(name):
    return OTHER_NAMES.get(name, "--" + name.replace("_", "-"))


def test_subjects_are_options():
    options = {o for parser in commands().values() for o in parser._option_string_actions}
    assert {option_of(name) for name in SUBJECTS} <= options


def numeric_options():
    """Return (command, option) for each option that takes a number."""
    return [
        (name, action.option_strings[-1])
        for name, parser in commands().items()
        if name not in ("demo", "bench")
        for action in parser._actions
        if action.option_strings and action.nargs is None and action.type in (int, float)
        if "--threads" not in action.option_strings
    ]


@pytest.mark.parametrize(("command", "option"), numeric_options())
def test_a_number_out_of_range_names_the_option(command, option, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.csv").write_text("source,target,weight\n0,1,2\n1,2,3\n2,0,4\n")
    np.save("points.npy", np.random.default_rng(0).random((20, 2)))
    for needed in NEEDED.get(command, [["g.csv"]]):
        needed = [word for word in needed if word.partition("=")[0] != option]
        for value in ("-1", "99999999999999999999", "nan"):
            arguments = [command, *needed, f"{option}={value}"]
            try:
                status = main(arguments)
            except SystemExit as end:
                status = end.code
            said = capsys.readouterr().err
            assert not re.search(r"^warpgraph: [a-z_]+ ?(must|is|=) ", said), arguments
            assert status != 2 or option in said, (arguments, said)
