"""Install a wheel into an empty environment without a compiler, and use it there.

python scripts/try_wheel.py dist/warpgraph-*.whl
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: Modules of tests that need nothing but the package, pytest, Hypothesis and NetworkX.
TESTS = (
    "paths/test_sssp",
    "process/test_threads",
    "search/test_connected_components",
    "trees/test_emst",
    "trees/test_mst",
)
NEEDS = ("pytest", "pytest-timeout", "hypothesis", "networkx")


def run(environment: Path, *command: str, cwd: Path) -> None:
    """Run a program of the environment, with nothing else on the path."""
    alone = {"HOME": str(cwd), "PATH": str(environment / "bin"), "LANG": "C.UTF-8"}
    alone.update({key: os.environ[key] for key in ("PIP_INDEX_URL",) if key in os.environ})
    program, *arguments = command
    subprocess.run([environment / "bin" / program, *arguments], check=True, cwd=cwd, env=alone)


def main(wheel: Path) -> None:
    """Try one wheel."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        environment = place / "environment"
        venv.create(environment, with_pip=True)
        # Only binaries: a missing one must not be compiled silently.
        install = ["-m", "pip", "install", "-q", "--only-binary=:all:"]
        python = environment / "bin" / "python"
        subprocess.run([python, *install, wheel.resolve(), *NEEDS], check=True)
        run(environment, "warpgraph", "info", cwd=place)
        run(environment, "warpgraph", "demo", cwd=place)
        tests = [str(ROOT / "tests" / f"{name}.py") for name in TESTS]
        options = ["-q", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
        run(environment, "python", "-m", "pytest", *options, *tests, cwd=place)
    print(f"{wheel.name} works in an empty environment")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} WHEEL, got {len(sys.argv) - 1} arguments")
    main(Path(sys.argv[1]))
