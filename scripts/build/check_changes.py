"""Builds what changed, and runs the tests of that, as a developer does after a change.

    python scripts/build/check_changes.py BUILD [--since REVISION] [--minutes 3]

What changed since a revision (by default, what is not committed; if all is, the last commit)
decides the tests:

- a source of C++ stands for the room of csrc/algorithms that it is in, a header for all rooms whose
  sources include it, a module of Python for itself and the functions that it defines, and any other
  file for its folder;
- C++ tests run that include a header of one of these. Of Python's, tests whose names have one of
  these words come first, then those that mention one, the shortest files first. They end when the
  time is over, and what was not run is said.

Python's tests run on python/ with the module of the build folder, so that nothing is installed. C++
tests run where the folder has them, as after `make test`.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
CPP = {".cpp", ".hpp", ".cu", ".cuh"}
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include\s+"([^"]+)"', re.MULTILINE)
_SUITE = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)", re.MULTILINE)


def changed_files(since: str | None) -> list[str]:
    """Return the files that differ from a revision, and those that Git does not know."""

    def git(*command: str) -> list[str]:
        done = subprocess.run(("git", *command), cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr.strip())
        return [name for name in done.stdout.split("\0") if name]

    new = git("ls-files", "-z", "--others", "--exclude-standard")
    changed = git("diff", "-z", "--no-renames", "--name-only", since or "HEAD", "--")
    if since is None and not changed and not new:
        changed = git("diff", "-z", "--no-renames", "--name-only", "HEAD~1", "--")
    return sorted({*changed, *new})


def room_of(file: str) -> str:
    """Return the room of csrc/algorithms that a file is in, or its name without the ending."""
    room = re.match(r"(?:csrc/)?algorithms/([^/]+)/", file)
    return room[1] if room else Path(file).stem


def words_of(changed: list[str]) -> set[str]:
    """Return the names by which tests speak of what changed."""
    words = set()
    for file in [*changed, *includers_of(changed)]:
        path = Path(file)
        if path.suffix in CPP:
            words.add(room_of(file))
            continue
        is_module = file.startswith("python/") and path.suffix == ".py"
        words.add(path.stem.strip("_") if is_module else path.parts[0])
        if is_module and (ROOT / file).exists():
            tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
            defined = [d for d in tree.body if isinstance(d, ast.FunctionDef | ast.ClassDef)]
            words |= {d.name for d in defined if not d.name.startswith("_")}
    return words - {"", "init", "main", "tests"}


def includers_of(changed: list[str]) -> set[str]:
    """Return the files of C++ that include one of these, also by way of others."""
    included_by = defaultdict(set)
    for folder in ("csrc", "experiments"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in CPP:
                for header in _INCLUDE.findall(path.read_text(encoding="utf-8")):
                    included_by[f"csrc/{header}"].add(str(path.relative_to(ROOT)))
    found: set[str] = set()
    waiting = [file for file in changed if Path(file).suffix in CPP]
    while waiting:
        for includer in included_by[waiting.pop()] - found:
            found.add(includer)
            waiting.append(includer)
    return found


def tests_of(words: set[str], changed: list[str]) -> list[str]:
    """Return the files of tests, those that are nearest to the change first."""
    any_word = "|".join(map(re.escape, words))
    mentions = re.compile(rf"\b(?:{any_word})\b") if words else None
    order = []
    for path in (ROOT / "tests").rglob("test_*.py"):
        name = str(path.relative_to(ROOT))
        text = path.read_text(encoding="utf-8")
        if name in changed:
            rank = 0
        elif any(f"_{word}" in path.stem for word in words):
            rank = 1
        elif mentions and mentions.search(text):
            rank = 2
        else:
            continue
        order.append((rank, len(text), name))
    return [name for _, _, name in sorted(order)]


class StopInTime:
    """A plugin of pytest that ends the tests when the time is over."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def pytest_sessionstart(self, session: object) -> None:
        """Keep the session, which ends when it is told so."""
        self._session = session

    def pytest_runtest_logreport(self) -> None:
        """Look at the clock after each test."""
        if time.monotonic() > self._end:
            self._session.shouldstop = "the time is over; what is left was not run"


def build(folder: Path, changed: list[str]) -> None:
    """Compile the module, and put it where Python finds it beside its sources."""
    has_cuda = "CUDA_COMPILER" in (folder / "build.ninja").read_text()
    kernels = [file for file in changed if Path(file).suffix in (".cu", ".cuh")]
    if kernels and not has_cuda:
        print("not compiled, as this build has no CUDA (make CUDA=ON check has):", *kernels)
    command = ["cmake", "--build", str(folder), "--target", "_core"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout[-6000:])
    for module in folder.glob("_core*.so"):
        shutil.copy2(module, ROOT / "python/warpgraph")


def suites_of(words: set[str], changed: list[str]) -> list[str]:
    """Return the suites of C++ tests that are changed, or include a header that stands for it."""
    suites: set[str] = set()
    for path in (ROOT / "tests/cpp").rglob("*"):
        if path.suffix not in CPP:
            continue
        text = path.read_text(encoding="utf-8")
        is_near = any(room_of(header) in words for header in _INCLUDE.findall(text))
        if is_near or str(path.relative_to(ROOT)) in changed:
            suites |= set(_SUITE.findall(text))
    return sorted(suites)


def run_cpp_tests(folder: Path, suites: list[str]) -> int:
    """Build and run suites of C++ tests, if the folder has them."""
    program = folder / "tests/cpp/cpp_tests"
    if not program.exists() or not suites:
        return 0
    subprocess.run(["cmake", "--build", str(folder), "--target", "cpp_tests"], check=True)
    # With parameters or types, the suite has these behind or before its name.
    names = ":".join(f"{suite}.*:{suite}/*:*/{suite}.*:*/{suite}/*" for suite in suites)
    return subprocess.run([program, "--gtest_brief=1", f"--gtest_filter={names}"]).returncode


def main() -> int:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--since")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--jobs", default=str(os.cpu_count()))
    given = parser.parse_args()
    start = time.monotonic()
    changed = changed_files(given.since)
    words = words_of(changed)
    is_compiled = any(Path(file).suffix in CPP for file in changed)
    if is_compiled or not list((ROOT / "python/warpgraph").glob("_core*.so")):
        build(given.folder, changed)
    tests = tests_of(words, changed)
    suites = suites_of(words, changed) if is_compiled else []
    print(
        f"{len(changed)} changed files, {len(tests)} files of tests, {len(suites)} suites of C++",
        flush=True,
    )
    failed = run_cpp_tests(given.folder, suites)
    if not tests:
        return failed
    import pytest

    os.environ["PYTHONPATH"] = str(ROOT / "python")
    sys.path.insert(0, str(ROOT / "python"))
    left = 60 * given.minutes - (time.monotonic() - start)
    options = ["-q", "-n", given.jobs, "--dist", "loadfile", "--maxfail", "20"]
    return failed or pytest.main([*options, *tests], plugins=[StopInTime(left)])


if __name__ == "__main__":
    sys.exit(main())
