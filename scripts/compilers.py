"""Compile the package with many compilers; record what passed in docs/install.md.

    python scripts/compilers.py [--only "GCC 13" ...]

Compilers of the host are Debian's, in systems of their own in build/compilers; toolkits of CUDA are
PyPI's, or Debian's. Each compiles the last commit as a user's installation does, with the default
options, but with warnings, as errors, and for one architecture. Logs are beside the systems. Needs
root and mmdebstrap. What --only leaves out keeps its row.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import NamedTuple

import debian_root
import tested

ROOT = Path(__file__).parent.parent
PLACE = ROOT / "build" / "compilers"
SOURCE = PLACE / "source"
#: Packages of every system: what the build itself needs.
TOOLS = ("python3-dev", "python3-venv", "ccache")


class Compiler(NamedTuple):
    """A compiler of the host, from Debian."""

    name: str
    suite: str
    packages: tuple[str, ...]
    command: str
    flags: str = ""
    options: tuple[str, ...] = ()  #: of CMake


class Toolkit(NamedTuple):
    """A toolkit of CUDA: packages of PyPI with their versions, or those of Debian."""

    name: str
    hosts: tuple[str, ...]  #: names of compilers
    wheels: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


def _clang(version: int, suite: str) -> Compiler:
    packages = (f"clang-{version}", f"libomp-{version}-dev")
    return Compiler(f"Clang {version}", suite, packages, f"clang++-{version}")


def _gcc(version: int, suite: str) -> Compiler:
    return Compiler(f"GCC {version}", suite, (f"g++-{version}",), f"g++-{version}")


def _toolkit(release: str, nvcc: str, cccl: str, hosts: tuple[str, ...]) -> Toolkit:
    parts = ("nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-nvvm", "nvidia-cuda-runtime")
    wheels = (*(f"{part}=={nvcc}" for part in parts), f"nvidia-cuda-cccl=={cccl}")
    return Toolkit(f"CUDA {release}", hosts, wheels)


_LIBCXX = ("libc++-19-dev", "libc++abi-19-dev")
COMPILERS = (
    _gcc(11, "bookworm"),
    _gcc(12, "bookworm"),
    _gcc(12, "bookworm")._replace(
        name="GCC 12, each source by itself",
        options=("-DWARPGRAPH_UNITY=OFF", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"),
    ),
    _gcc(13, "trixie"),
    _gcc(14, "trixie"),
    _clang(14, "bookworm"),
    _clang(16, "bookworm"),
    _clang(19, "trixie"),
    _clang(19, "trixie")._replace(
        name="Clang 19 with libc++",
        packages=(*_clang(19, "trixie").packages, *_LIBCXX),
        flags="-stdlib=libc++",
    ),
)
_DEBIANS_TOOLKIT = ("nvidia-cuda-toolkit", "nvidia-cuda-dev")
TOOLKITS = (
    Toolkit("CUDA 12.4", ("GCC 12", "GCC 13"), packages=_DEBIANS_TOOLKIT),
    _toolkit("13.0", "13.0.88", "13.0.85", ("GCC 12", "GCC 13", "GCC 14", "Clang 19")),
    _toolkit("13.5", "13.5.37", "13.3.5.0.6", ("GCC 13", "GCC 14")),
)


class Job(NamedTuple):
    """A row of the table."""

    compiler: Compiler
    toolkit: Toolkit | None = None

    @property
    def name(self) -> str:
        """The name of the row, and with other marks that of its folder."""
        return " and ".join(part.name for part in (self.toolkit, self.compiler) if part)


def all_jobs() -> list[Job]:
    """Return the rows of the table."""
    named = {compiler.name: compiler for compiler in COMPILERS}
    pairs = [Job(named[host], toolkit) for toolkit in TOOLKITS for host in toolkit.hosts]
    return [*map(Job, COMPILERS), *pairs]


def _in_debian(job: Job) -> Job:
    """Return a job in a suite that has the toolkit, too, if that is Debian's."""
    if job.toolkit is None or not job.toolkit.packages:
        return job
    return job._replace(compiler=job.compiler._replace(suite="trixie"))


def prepare(job: Job) -> Path:
    """Make the system of a job; return its folder."""
    packages, components = [*TOOLS, *job.compiler.packages], "main"
    if job.toolkit is not None and job.toolkit.packages:
        packages += job.toolkit.packages
        components = "main contrib non-free"
    system = PLACE / job.name.replace(" ", "-").replace("+", "x").replace(",", "").lower()
    debian_root.make(system, job.compiler.suite, packages, components)
    tools = ["cmake>=3.31", "ninja", "pybind11"]
    if job.toolkit is not None:
        tools += job.toolkit.wheels
    install = f"python3 -m venv /tools && /tools/bin/pip install -q {' '.join(map(repr, tools))}"
    if not (system / "tools" / "done").exists():
        with Path(f"{system}.log").open("w") as log:
            status = debian_root.run(system, ["sh", "-c", install], log=log)
        if status:
            raise SystemExit(f"{job.name}: {log.name} says why its tools are not there")
        (system / "tools" / "done").touch()
    return system


_BUILD = """
set -e
cd /warpgraph
bin=$(ls -d /tools/lib/python3*/site-packages/nvidia/cu13/bin 2> /dev/null || echo /usr/bin)
export PATH=/tools/bin:$bin:$PATH
# The packages of PyPI have no lib64, where nvcc looks, and no libcudart.so, for which CMake looks.
case $bin in /tools/*)
  [ -e "$bin/../lib64" ] || ln -s lib "$bin/../lib64"
  [ -e "$bin/../lib/libcudart.so" ] || ln -s libcudart.so.13 "$bin/../lib/libcudart.so" ;;
esac
cmake -S . -B /built -G Ninja -DPython_EXECUTABLE=/tools/bin/python \
  -Dpybind11_DIR="$(python -m pybind11 --cmakedir)" -DWARPGRAPH_WERROR=ON "$@"
cmake --build /built --target _core -- -k 0
cd /built && python -c 'import _core; print(_core.__doc__)'
"""


def compile_with(job: Job) -> bool:
    """Compile the module, record the result, and return whether there was no warning."""
    system, start = prepare(job), time.monotonic()
    cache = Path(os.environ.get("CCACHE_DIR", Path.home() / ".cache" / "ccache"))
    cache.mkdir(parents=True, exist_ok=True)
    settings = {
        "CXX": job.compiler.command,
        "CXXFLAGS": job.compiler.flags,
        "LDFLAGS": job.compiler.flags,
        "CCACHE_DIR": "/ccache",
    }
    options = [f"-DWARPGRAPH_CUDA={'OFF' if job.toolkit is None else 'ON'}"]
    options += job.compiler.options
    if job.toolkit is not None:
        settings["CUDAHOSTCXX"] = job.compiler.command
        options.append("-DCMAKE_CUDA_ARCHITECTURES=90-real")
    with Path(f"{system}.log").open("a") as log:
        status = debian_root.run(
            system,
            ["sh", "-c", _BUILD, "sh", *options],
            mounted={SOURCE: "/warpgraph", cache: "/ccache"},
            settings=settings,
            log=log,
        )
    took = round(time.monotonic() - start)
    print(f"{job.name}: {'passed' if status == 0 else f'FAILED, see {log.name}'}, {took} s")
    result = "fails" if status else "compiles without a warning"
    tested.record("compilers", job.name, job.compiler.suite, result)
    return status == 0


def main() -> None:
    """Compile with the compilers that are asked for; write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", help="how the names of rows begin")
    only = parser.parse_args().only
    jobs = [
        job
        for job in map(_in_debian, all_jobs())
        if only is None or job.name.startswith(tuple(only))
    ]
    debian_root.clone(ROOT, SOURCE)
    passed = [compile_with(job) for job in jobs]
    raise SystemExit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
