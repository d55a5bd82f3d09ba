"""wg.get_include: headers for the programs of others, compiled as they would be."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import warpgraph as wg

PROGRAM = Path(__file__).parents[1] / "headers"
FOLDER = Path(wg.get_include())
HEADERS = sorted(file for file in FOLDER.rglob("*") if file.suffix in {".hpp", ".cuh"})
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
#: The CMake of the system, which may be older than the compilers, and the one beside Python.
CMAKES = {shutil.which("cmake"), shutil.which("cmake", path=Path(sys.executable).parent)} - {None}


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def keys_of_warps():
    """Return what sort_by_warps.cu prints: the keys of three warps in order."""
    return [
        sorted((i * 7919 + warp) % 4001 for i in range(2000))
        for warp in range(3)
    ]  # fmt: skip


def check_sorted(printed):
    if printed == "no device\n":
        return
    rows = [(float(key), int(vertex)) for key, vertex in map(str.split, printed.splitlines())]
    for warp, expected in enumerate(keys_of_warps()):
        mine = rows[2000 * warp : 2000 * (warp + 1)]
        assert [key for key, _ in mine] == expected
        assert sorted(vertex for _, vertex in mine) == list(range(2000))
        assert all((vertex * 7919 + warp) % 4001 == key for key, vertex in mine)


def test_headers_are_there_and_include_only_each_other():
    names = {str(file.relative_to(FOLDER)) for file in HEADERS}
    assert "warpgraph/core/cuda/containers/warp_heap.cuh" in names
    for file in HEADERS:
        included = re.findall(r'#include "([^"]+)"', file.read_text(encoding="utf-8"))
        assert set(included) <= names, file


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
@pytest.mark.parametrize("header", [h for h in HEADERS if h.suffix == ".hpp"], ids=lambda h: h.name)
def test_a_header_compiles_alone(header, tmp_path):
    source = tmp_path / "alone.cpp"
    source.write_text(f"#include <{header.relative_to(FOLDER)}>\n", encoding="utf-8")
    strict = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
    run("g++", "-std=c++20", *strict, "-I", FOLDER, "-fsyntax-only", source)


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("cmake", sorted(CMAKES))
def test_the_cmake_package_is_found(cmake, tmp_path):
    cuda = [f"-DCMAKE_CUDA_COMPILER={NVCC}", "-DWITH_CUDA=ON"] if NVCC else []
    architectures = ["-DCMAKE_CUDA_ARCHITECTURES=80"] if NVCC else []
    run(cmake, "-S", PROGRAM, "-B", tmp_path, f"-Dwarpgraph_ROOT={FOLDER}", *cuda, *architectures)
    run(cmake, "--build", tmp_path)
    # Four edges of length 2 are shorter than the direct edge of length 9.
    expected = ["0 0", "2 0", "4 0", "6 0", "8 0", "2147483647 5"]
    assert run(tmp_path / "distances").splitlines() == expected
    if NVCC:
        check_sorted(run(tmp_path / "sort_by_warps"))


@pytest.mark.skipif(NVCC is None, reason="there is no nvcc")
@pytest.mark.timeout(600)
def test_the_heap_compiles_by_a_command(tmp_path):
    command = [NVCC, "-std=c++20", "-arch=sm_80", "-Werror=all-warnings", f"-I{wg.get_include()}"]
    run(*command, PROGRAM / "sort_by_warps.cu", "-o", tmp_path / "sort_by_warps")
    check_sorted(run(tmp_path / "sort_by_warps"))
