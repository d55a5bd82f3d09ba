"""What developers run after a change: which tests it chooses, and the budget of code."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "scripts/build"

if not TOOLS.exists():
    pytest.skip("not in a checkout", allow_module_level=True)


def tool(name):
    """Return a script as a module."""
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


changes, times = tool("check_changes"), tool("build_times")


@pytest.mark.parametrize(
    ("changed", "python", "suite"),
    [
        ("csrc/algorithms/shortest_path/landmarks.cpp", "test_shortest_path.py", "Landmarks"),
        ("csrc/algorithms/bfs/bfs_cuda.cu", "test_bfs.py", "BfsCuda"),
        ("csrc/warpgraph/graph.hpp", "test_sssp.py", "PathGraph"),
        ("tests/cpp/core/test_spinning_pool.cpp", None, "SpinningPoolOfThreads"),
        ("tests/paths/test_sssp.py", "test_sssp.py", None),
        ("python/warpgraph/_paths/sssp.py", "test_sssp.py", None),
        ("python/warpgraph/_paths/deleted_sssp.py", None, None),
        ("docs/install.md", "test_docs.py", None),
        ("README.md", "test_readme.py", None),
    ],
)
def test_the_tests_of_a_change(changed, python, suite):
    words = changes.words_of([changed])
    tests = changes.tests_of(words, [changed])
    assert python is None or python in {Path(name).name for name in tests}
    assert suite is None or suite in changes.suites_of(words, [changed])


def test_suites_of_all_kinds_of_tests():
    """Those with fixtures, types and parameters are found, too."""
    suites = changes.suites_of(
        set(), [str(p.relative_to(ROOT)) for p in ROOT.glob("tests/cpp/**/*.cpp")]
    )
    assert {"PathGraph", "SpinningPoolOfThreads", "Heaps"} <= set(suites)


def test_a_revision_that_is_none():
    with pytest.raises(SystemExit, match="no-such-revision"):
        changes.changed_files("no-such-revision")


def run(*arguments):
    command = (sys.executable, TOOLS / "build_times.py", *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_folder_that_has_no_build(tmp_path):
    done = run(tmp_path, "--check")
    assert done.returncode == 1
    assert "no build folder" in done.stderr


def test_what_grows_beyond_the_budget(tmp_path, monkeypatch):
    monkeypatch.setattr(times, "BUDGET", tmp_path / "budget.json")
    built = {"one": {"core/a": 1_000_000, "core/b": 30_000}, "another": {"core/a": 50_000}}
    monkeypatch.setattr(times, "by_compiler", lambda folder: built)
    with pytest.raises(SystemExit, match="make build-budget"):
        times.check(tmp_path)
    times.write(tmp_path)
    assert times.check(tmp_path) == []
    built["one"]["core/a"] += 150_000
    grown = times.check(tmp_path)
    assert [line.split(":")[0] for line in grown] == ["core/a", "all"]
    assert "1,150,000 bytes of code, the budget is 1,000,000" in grown[0]
    built["one"] |= {"core/a": 1_000_000, "core/new": 90_000}
    assert [line.split(":")[0] for line in times.check(tmp_path)] == ["core/new"]
    assert json.loads((tmp_path / "budget.json").read_text())["one"]["core/b"] == 30_000
