"""The command line: names of vertices in reports and tables, limits of memory, and `info`."""

import csv
import itertools
import json
import re

import pytest

import warpgraph as wg
from warpgraph.cli import main

# Names of vertices in reports.

HOSTILE = [
    "Berlin",
    "Frankfurt, Main",
    "Köln",
    'a "quoted" \\name',
    "tab\tand\nline",
    " led",
    "\u2028",
    "and 5 more",
    '"x"',
    "vertex",
    "0",
    "=1",
    "last",
]


def _named_path(tmp_path):
    path = tmp_path / "names.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["source", "target", "weight"])
        writer.writerows([a, b, 1] for a, b in itertools.pairwise(HOSTILE))
    return path


def _read(text):
    """Return what the rule of reports says that a text means."""
    return json.loads(text) if text.startswith('"') else text


def test_paths_have_one_vertex_a_line(tmp_path, capsys):
    path = _named_path(tmp_path)
    for target in (1, 4, 9):
        name = HOSTILE[target].replace('"', '""')
        assert main(["sssp", str(path), "--source", "Berlin", "--targets", f'"{name}"']) == 0
        lines = capsys.readouterr().out.split("\n")
        first = next(i for i, line in enumerate(lines) if line.startswith("targets"))
        expected = f", distance {target}, path of {target + 1} vertices"
        assert lines[first].endswith(expected)
        shown = lines[first].removesuffix(expected).removeprefix("targets").strip()
        assert _read(shown.removeprefix("vertex ")) == HOSTILE[target]
        named = [_read(line.strip()) for line in lines[first + 1 : first + 2 + target]]
        assert named == HOSTILE[: target + 1]
        assert lines[first + 2 + target :] == [""]


def test_long_paths_end_with_the_number_that_is_left(tmp_path, capsys, run):
    path = _named_path(tmp_path)
    options = ["sssp", str(path), "--source", "Berlin", "--targets", "last"]
    assert main(options) == 0
    out = capsys.readouterr().out
    assert "path of 13 vertices" in out
    assert out.endswith(f"{HOSTILE[9]}\n" + 12 * " " + "and 3 more\n")
    assert run(*options)["targets"][0]["path"] == HOSTILE


def test_names_in_other_reports(tmp_path, capsys):
    path = str(_named_path(tmp_path))
    for command in (["sssp", path, "--source"], ["bfs", path, "--source"]):
        for name in HOSTILE[:-1]:
            assert main([*command, name]) == 0
            lines = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
            assert _read(lines["source"]) == name
            assert lines["farthest"].startswith("vertex last, ")
    assert main(["pagerank", path]) == 0
    shown = re.findall(r"vertex (.*), score", capsys.readouterr().out)
    assert len(shown) == 10
    assert {_read(name) for name in shown} <= {*HOSTILE}
    sources = ",".join('"' + name.replace('"', '""') + '"' for name in HOSTILE[:5])
    assert main(["sssp", path, "--sources", sources, "--targets", sources]) == 0
    shown = re.findall(r"source (.*), reached \d, farthest (.*), dist", capsys.readouterr().out)
    assert [tuple(map(_read, pair)) for pair in shown] == [(n, HOSTILE[4]) for n in HOSTILE[:5]]


@pytest.mark.parametrize("command", ["sssp", "bfs", "components", "pagerank", "cluster"])
def test_tables_of_names_are_read_back(tmp_path, run, command):
    path, output = _named_path(tmp_path), tmp_path / "out.csv"
    source = ["--source", "Berlin"] if command in ("sssp", "bfs") else []
    run(command, path, *source, "--output", output)
    with open(output, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["vertex"] for row in rows} == {*HOSTILE}


def test_every_command_takes_a_memory_limit(run, roads, capsys):
    for command in ("sssp", "bfs", "components", "pagerank", "mst", "cluster", "apsp"):
        source = ["--source", "0"] if command in ("sssp", "bfs") else []
        report = run(command, roads, *source, "--memory-limit", "64 MiB")
        assert report["vertices"] == 64
        assert main([command, roads, *source, "--memory-limit", "30"]) == 1
        err = capsys.readouterr().err
        assert "are left of --memory-limit; raise --memory-limit" in err
        with pytest.raises(SystemExit, match="2"):
            main([command, roads, *source, "--memory-limit", "2 apples"])
        err = capsys.readouterr().err
        assert (
            "argument --memory-limit: must be a positive number of bytes, such as 2e9, '2GB'" in err
        )


# What this machine has.


def test_info_is_what_show_config_returns(run, capsys):
    config, told = wg.show_config(mode="dicts"), run("info")
    for gpu in config["cuda_devices"] + told["cuda_devices"]:
        assert 0 <= gpu.pop("free_memory") <= gpu["total_memory"]  # changes at any time
    assert told == config
    assert (config["threads"], config["warpgraph"]) == (wg.get_num_threads(), wg.__version__)
    assert len(config["cuda_devices"]) == len(wg.devices()) - 1
    assert wg.show_config() is None
    printed = dict(line.strip().split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert main(["info"]) == 0
    shown = dict(
        re.split(r"  +", line, maxsplit=1) for line in capsys.readouterr().out.splitlines()
    )
    assert (shown == printed) or config["cuda_devices"]  # their free memory may differ
    with pytest.raises(ValueError, match="mode must be one of 'stdout', 'dicts', got 'json'"):
        wg.show_config("json")


@pytest.mark.parametrize(
    ("built", "driver", "expected"),
    [
        (True, "", "no driver"),
        (True, "13.1", "13.1"),
        (False, "", "not looked for: built without CUDA"),
    ],
)
def test_a_machine_without_a_driver(monkeypatch, capsys, built, driver, expected):
    monkeypatch.setattr(wg._core, "built_with_cuda", built)
    monkeypatch.setattr(wg._core, "cuda_driver_version", lambda: driver)
    wg.show_config()
    assert f"cuda driver: {expected}\n" in capsys.readouterr().out
    assert wg.show_config("dicts")["cuda_driver"] == (driver or None)
