"""README.md and other pages: examples run, files exist, the table names existing functions."""

import json
import re
from pathlib import Path

import pytest

import calls
import warpgraph as wg
from warpgraph._arguments import device as _device

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_a_page():
    assert README.startswith("# warpgraph\n")
    assert len(README.splitlines()) <= 120


def minutes_of_installation():
    """Return the CPU-minutes of the newest results: on cores alone, and for one GPU."""
    found = {}
    for path in (ROOT / "benchmarks" / "results").glob("install-*.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        for m in result["measurements"]:
            taken = result["started"], m["medians"][m["ours"]] / 60
            found[m["case"]] = max(taken, found.get(m["case"], taken))
    cases = "without CUDA", "for one GPU architecture"
    return [found[f"install {case}, CPU-seconds"][1] for case in cases]


def test_the_time_of_an_installation_is_that_of_results():
    cores, gpu = (f"{minutes:.0f}" for minutes in minutes_of_installation())
    said = f"{cores} CPU-minutes of compiling; {gpu} with CUDA, if nvcc works"
    assert said in README.partition("## ")[0]
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert f"({cores} and {gpu} CPU-minutes: " in page


def test_all_its_times_are_made_from_results():
    """Outside the part that benchmarks.report writes there is no other time and no ratio."""
    before, _, rest = README.partition("<!-- benchmarks: begin -->")
    made, _, after = rest.partition("<!-- benchmarks: end -->")
    units = "ms", "s", "(?:CPU-)?seconds", "(?:CPU-)?minutes", "times", "percent", "%"
    measured = rf"\b[\d.,]+ ?(?:{'|'.join(units)}|\N{{MULTIPLICATION SIGN}})(?![\w-])"
    assert len(re.findall(measured, made)) >= 20
    installation = f"{minutes_of_installation()[0]:.0f} CPU-minutes"
    assert re.findall(measured, before + after) == [installation]


def test_it_has_no_words_of_its_own_making():
    assert re.findall(r"resident|\bids\b|kept graph|lies there", README) == []


def algorithms():
    """Return the rows of the table of what runs where: names, description, three cells."""
    table = README.partition("<!-- algorithms: begin -->")[2].partition("<!--")[0]
    rows = [row.strip("|").split("|") for row in table.strip().splitlines()[2:]]
    return [[cell.strip() for cell in row] for row in rows]


def test_cells_of_what_runs_where_are_plain():
    assert {cell for row in algorithms() for cell in row[2:]} <= {"yes", "no", "in part"}


def test_what_no_gpu_runs_says_so_everywhere(monkeypatch):
    """The table, the docstrings, the code and the pages that explain algorithms."""
    on_gpu = {name: row[3] for row in algorithms() for name in re.findall(r"wg\.([\w.]+)", row[0])}
    known = [call for call in calls.CALLS if call.name in on_gpu and "device" in call.parameters]
    assert len(known) > 25
    monkeypatch.setattr(_device, "resolve", lambda device: "cuda:0")
    for call in known:
        only = "runs on the CPU only" in call.function.__doc__
        assert on_gpu[call.name] == "in part" or only == (on_gpu[call.name] == "no"), call
        if only:
            with pytest.raises(wg.DeviceError, match="runs on the CPU only, not on cuda:0"):
                call.run(calls.small_input(call), device="cuda:0")
    for path in sorted((ROOT / "docs" / "how").glob("*.md")):
        page = path.read_text(encoding="utf-8")
        if re.search("GPUs? do(es)? not run|not run on a GPU|no GPU runs", page):
            named = re.findall(r"`warpgraph\.(\w+)`", page)
            assert "yes" not in [on_gpu.get(name) for name in named], path


def test_it_has_the_two_commands():
    code = README.partition("## Two commands\n\n")[2].split("\n\n")[0].splitlines()
    assert [line.split("#")[0].strip() for line in code] == ["make demo", "make test"]
    assert all(line.startswith("    ") for line in code)


@pytest.mark.parametrize(("name", "least"), [("README.md", 3), ("docs/runtime.md", 2)])
def test_its_python_runs(name, least, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
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
    links = [link for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text) if "://" not in link]
    assert [link for link in links if not ((ROOT / name).parent / link).exists()] == []


def test_its_table_names_functions_that_exist():
    table = README.partition("<!-- algorithms: begin -->")[2].partition("<!--")[0]
    names = re.findall(r"`wg\.([\w.]+)`", table)
    assert len(names) >= 20
    for name in names:
        place = wg
        for part in name.split("."):
            place = getattr(place, part)
