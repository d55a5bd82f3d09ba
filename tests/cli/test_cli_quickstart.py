"""The commands of the quickstart's page run as they stand, with nothing but what ships."""

import shlex
from pathlib import Path

from warpgraph.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "quickstart.md"


def test_the_commands_of_the_quickstart_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shell = PAGE.read_text(encoding="utf-8").split("## From the shell")[1]
    lines = [line.strip() for line in shell.splitlines()]
    commands = [line for line in lines if line.startswith("warpgraph ") and "--output" in line]
    assert len(commands) == 2
    for command in commands:
        assert main(shlex.split(command)[1:]) in (0, None)
    assert {path.name for path in tmp_path.iterdir()} == {"distances.parquet", "nearest.csv"}
