"""Times of compiling: a clean installation, what a developer's change compiles again, and CI.

A stranger has no cache of compilations; so none is used here. The tools of the build and its
network are not counted: they are installed already (``make``). After a change, seconds pass until
the module is linked; a clean build comes first, which is not counted.
"""

import functools
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import pybind11

from benchmarks.harness import Case, Input, main

SECTION = (
    "Installation",
    "The CPU-seconds of a clean build of the wheel from the source distribution, with the "
    "default options; the seconds from a change of a file until the module is linked; and those "
    "of continuous integration. All without a cache of compilations.",
)

REPOSITORY = Path(__file__).parents[2]
SDIST = "import scikit_build_core.build as b, sys; print(b.build_sdist(sys.argv[1]))"
#: A GPU's architecture (H100): a build for the machine's own GPU compiles one.
ARCHITECTURE = "90-real"


def run(*command: str, cwd: Path = REPOSITORY, **variables: str) -> str:
    environment = {**os.environ, "CCACHE_DISABLE": "1", **variables}
    done = subprocess.run(
        command, check=True, cwd=cwd, env=environment, capture_output=True, text=True
    )
    return done.stdout


def make_sdist(folder: Path) -> Path:
    name = run(sys.executable, "-c", SDIST, str(folder)).splitlines()[-1]
    with tarfile.open(folder / name) as archive:
        # Python 3.11 has the filter from its fourth release on.
        how = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(folder, **how)
    return folder / name.removesuffix(".tar.gz")


def cpu_seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def sdist_alone(x: Input) -> float:
    start = cpu_seconds_of_children()
    with tempfile.TemporaryDirectory() as folder:
        make_sdist(Path(folder))
    return cpu_seconds_of_children() - start


def install(*options: str, **variables: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        sources = make_sdist(Path(folder))
        start = cpu_seconds_of_children()
        pip = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation")
        run(*pip, "-w", folder, *options, ".", cwd=sources, **variables)
        return cpu_seconds_of_children() - start


def on_cores(x: Input) -> float:
    return install("-Ccmake.define.WARPGRAPH_CUDA=OFF")


def for_one_architecture(x: Input) -> float:
    return install("-Ccmake.define.WARPGRAPH_CUDA=ON", CUDAARCHS=ARCHITECTURE)


@functools.cache
def build_of_developer(cuda: str) -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """Build the module, without its tests; the folder goes when the process ends."""
    folder = tempfile.TemporaryDirectory()
    sources = make_sdist(Path(folder.name))
    options = (f"-DWARPGRAPH_CUDA={cuda}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
    python = f"-DPython_EXECUTABLE={sys.executable}"
    run("cmake", "-S.", "-Bbuild", "-GNinja", python, *options, cwd=sources, CUDAARCHS=ARCHITECTURE)
    run("cmake", "--build", "build", "--target", "_core", cwd=sources)
    return folder, sources


def after_change(x: Input, path: str, cuda: str = "OFF") -> float:
    _, sources = build_of_developer(cuda)
    (sources / "csrc" / path).touch()
    start = time.perf_counter()
    run("cmake", "--build", "build", "--target", "_core", cwd=sources)
    return time.perf_counter() - start


def continuous_integration(x: Input) -> float:
    """Run what has to pass before a merge, in a fresh clone with an empty cache of compilations."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "clone")
        subprocess.run(("git", "clone", "-q", REPOSITORY, clone), check=True)
        variables["CCACHE_DIR"] = str(Path(folder, "cache"))
        start = time.perf_counter()
        subprocess.run(clone / ".ci" / "run", check=True, stdout=sys.stderr, env=variables)
        return time.perf_counter() - start


def case(name: str, ours, suite: str) -> Case:
    return Case(name, lambda: None, ours, {}, suite, timed_by_callable=True, devices=("cpu",))


CASES = [
    case("source distribution, CPU-seconds", sdist_alone, "smoke"),
    case("install without CUDA, CPU-seconds", on_cores, "standard"),
    case("install for one GPU architecture, CPU-seconds", for_one_architecture, "large"),
    *(
        case(f"{path} changed, seconds", functools.partial(after_change, path=path), "standard")
        for path in ("algorithms/bfs/bfs_cpu.cpp", "graph/csr.hpp")
    ),
    case(
        "algorithms/bfs/bfs_cuda.cu changed, seconds",
        functools.partial(after_change, path="algorithms/bfs/bfs_cuda.cu", cuda="ON"),
        "large",
    ),
    case("continuous integration with an empty cache, seconds", continuous_integration, "large"),
]

if __name__ == "__main__":
    main(__file__, CASES)
