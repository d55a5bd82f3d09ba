"""README.md and other pages: examples run, files exist, the table names existing functions."""

import re
from pathlib import Path

import pytest

import warpgraph as wg

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_a_page():
    assert README.startswith("# warpgraph\n")
    assert len(README.splitlines()) <= 120


def test_each_mark_in_its_table_of_times_is_explained():
    before, _, rest = README.partition("<!-- benchmarks: begin -->")
    table, sentence = rest.partition("<!--")[0], before.rpartition("## How fast")[2]
    assert set(re.findall("[¹²³]", table)) == set(re.findall("[¹²³]", sentence))


def test_it_has_the_two_commands():
    code = README.partition("## Two commands\n\n")[2].split("\n\n")[0].splitlines()
    assert [line.split("#")[0].strip() for line in code] == ["make demo", "make test"]
    assert all(line.startswith("    ") for line in code)


@pytest.mark.parametrize(("name", "least"), [("README.md", 2), ("docs/runtime.md", 2)])
def test_its_python_runs(name, least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= least
    scope = {}  # shared: later blocks use names of earlier ones
    for block in blocks:
        exec(compile(block, name, "exec"), scope)


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "CONTRIBUTING.md",
        "csrc/runtime/README.md",
        "docs/architecture.md",
        "docs/from-cugraph.md",
        "docs/from-hdbscan.md",
        "docs/networkx.md",
        "docs/runtime.md",
    ],
)
def test_links_lead_somewhere(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert [link for link in links if not ((ROOT / name).parent / link).exists()] == []


def test_its_table_names_functions_that_exist():
    table = README.partition("<!-- algorithms: begin -->")[2].partition("<!--")[0]
    names = re.findall(r"^\| `wg\.([\w.]+)`", table, re.MULTILINE)
    assert len(names) >= 5
    for name in names:
        place = wg
        for part in name.split("."):
            place = getattr(place, part)
