"""Compile the package for arm64 on x86-64, and run it there under emulation.

    python scripts/arm64.py [FILTER]

Debian's cross compiler makes the module and the C++ tests; QEMU's user-mode emulation runs the
tests (those that FILTER names, as GoogleTest does), the demo, and Python tests of each kind of
result. Libraries for arm64 are unpacked from Debian's packages and PyPI's wheels into build/arm64,
and not installed: that needs no root.

Needs: apt install g++-aarch64-linux-gnu qemu-user-static mmdebstrap
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import tested

ROOT = Path(__file__).parent.parent
PLACE = ROOT / "build" / "arm64"
SYSTEM = PLACE / "debian"
#: Debian's release whose compiler is this machine's, and the Python in it.
SUITE, PYTHON = "bookworm", "python3.11"
LIBRARIES = ("python3", "libpython3-dev", "libgtest-dev", "libgomp1", "libstdc++6", "zlib1g")
PACKAGES = ("numpy", "scipy", "networkx", "pytest", "pytest-timeout", "hypothesis")
TESTS = ("search/test_bfs", "search/test_connected_components", "trees/test_mst", "paths/test_sssp")
COMPILER = "aarch64-linux-gnu-g++"
EMULATOR = ("qemu-aarch64-static", "-L", str(SYSTEM))
#: glibc's versions of the wheels that this Debian can use.
GLIBC = ("manylinux2014", "manylinux_2_17", "manylinux_2_27", "manylinux_2_28")


def run(*command: str | Path, settings: dict[str, str] | None = None) -> None:
    """Run a command; end if it fails."""
    print("+", *command, flush=True)
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **(settings or {})})


def unpack() -> None:
    """Unpack the libraries for arm64."""
    PLACE.mkdir(parents=True, exist_ok=True)
    if not (SYSTEM / "usr" / "bin" / PYTHON).exists():
        shutil.rmtree(SYSTEM, ignore_errors=True)
        include = f"--include={','.join(LIBRARIES)}"
        run("mmdebstrap", "-q", "--variant=extract", "--arch=arm64", include, SUITE, SYSTEM)
    if not (PLACE / "site").exists():
        systems = [f"--platform={glibc}_aarch64" for glibc in GLIBC]
        version = f"--python-version={PYTHON.removeprefix('python')}"
        options = ["-q", "--no-compile", "--only-binary=:all:", *systems, version]
        pip = (sys.executable, "-m", "pip", "install", *options)
        run(*pip, "--target", PLACE / "site", *PACKAGES)


def build() -> Path:
    """Compile the module and the C++ tests; return the folder."""
    built, headers = PLACE / "built", SYSTEM / "usr" / "include"
    binaries = Path(sysconfig.get_path("scripts"))
    script = "import pybind11; print(pybind11.get_cmake_dir())"
    found = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    options = {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": "aarch64",
        "CMAKE_CXX_COMPILER": COMPILER,
        "CMAKE_CROSSCOMPILING_EMULATOR": ";".join(EMULATOR),
        "CMAKE_MAKE_PROGRAM": binaries / "ninja",
        "GTest_DIR": SYSTEM / "usr" / "lib" / "aarch64-linux-gnu" / "cmake" / "GTest",
        "pybind11_DIR": found.stdout.decode().strip(),
        "Python_EXECUTABLE": sys.executable,
        "Python_INCLUDE_DIR": headers / PYTHON,
        "PYTHON_MODULE_EXTENSION": ".so",
        "WARPGRAPH_CUDA": "OFF",
        "WARPGRAPH_TESTS": "ON",
        "WARPGRAPH_WERROR": "ON",
    }
    definitions = [f"-D{name}={value}" for name, value in options.items()]
    # Debian has a header of Python for each processor: python3.11/pyconfig.h includes it.
    settings = {"CXXFLAGS": f"-idirafter {headers}"}
    run(binaries / "cmake", "-S", ROOT, "-B", built, "-G", "Ninja", *definitions, settings=settings)
    run(binaries / "cmake", "--build", built, "--target", "_core", "cpp_tests")
    return built


def emulate(built: Path, chosen: Sequence[str]) -> None:
    """Run the C++ tests, the demo and Python tests."""
    (tests,) = built.glob("**/cpp_tests")
    run(*EMULATOR, tests, "--gtest_brief=1", *(f"--gtest_filter={name}" for name in chosen))
    package = PLACE / "site" / "warpgraph"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(ROOT / "python" / "warpgraph", package, ignore=shutil.ignore_patterns("*.so"))
    shutil.copy(built / "_core.so", package)
    python = (*EMULATOR, SYSTEM / "usr" / "bin" / PYTHON)
    settings = {"PYTHONPATH": str(PLACE / "site"), "PYTHONDONTWRITEBYTECODE": "1"}
    run(*python, "-m", "warpgraph", "demo", settings=settings)
    files = [ROOT / "tests" / f"{name}.py" for name in TESTS]
    options = ("-q", "-x", "-p", "no:cacheprovider", "--timeout=0")
    run(*python, "-m", "pytest", *options, *files, settings=settings)


if __name__ == "__main__":
    unpack()
    emulate(build(), sys.argv[1:])
    where = f"Debian {SUITE}'s cross compiler, QEMU"
    tested.record("systems", "Linux on arm64", where, "runs under emulation")
