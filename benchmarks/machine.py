"""The description of the machine in a result, and its rates of memory and arithmetic."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from warpgraph import _core

#: Bytes a second of a device-to-device copy, reads and writes both counted, as measured.
_DEVICE_COPY = {"NVIDIA H200": 4.27e12, "NVIDIA H100 80GB HBM3": 3.01e12}

#: Min-plus relaxations per second in registers, by the type of the sums, as measured; that for
#: float64 is half the rate of 64-bit additions, since a minimum takes as long.
_DEVICE_RELAXATIONS = {
    "NVIDIA H200": {"int32": 16.3e12, "float32": 14.3e12, "uint16": 32.6e12, "float64": 8.4e12}
}

#: The library, what it needs or runs on, and rivals that are packages with what these need.
_PACKAGES = (
    *("warpgraph", "numpy", "scipy", "scikit-learn", "networkx", "pyarrow", "dask", "ray"),
    *("quitefastmst", "fast_hdbscan", "hdbscan", "numba", "threadpoolctl"),
    *("igraph", "leidenalg", "networkit", "faiss-cpu", "faiss-gpu"),
)


def describe_machine(device: str) -> dict[str, Any]:
    """Return the description of the machine for a result."""
    return {
        "device_name": _device_name(device),
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "platform": platform.platform(),
        "cuda_runtime": _core.cuda_runtime_version(),
        "cuda_driver": _core.cuda_driver_version() if device != "cpu" else "",
    }


def _device_name(device: str) -> str:
    if device == "cpu":
        return ""
    first = "cuda:0" if device == "cuda:all" else device
    return str(_core.device_properties(first)["name"])


def _cpu_model() -> str:
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found.group(1) if found else platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Return the versions of Python, of the packages involved, and of the rivals' programs.

    A program is one that a variable names, such as WARPGRAPH_GAP_SSSP. Its version is what
    ``<variable>_VERSION`` says, for example the commit of its sources, and the start of the
    SHA-256 of the file.
    """
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found | _programs()


def _programs() -> dict[str, str]:
    """Return the versions of the programs that variables name."""
    found = {}
    for variable, value in sorted(os.environ.items()):
        if variable.startswith("WARPGRAPH_") and (path := Path(value)).is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
            said = os.environ.get(f"{variable}_VERSION", "version not said")
            found[variable.removeprefix("WARPGRAPH_").lower()] = f"{said}, sha256 {digest}"
    return found


def commit() -> tuple[str, bool]:
    """Return the commit that is measured, and whether the working tree differs from it.

    Without git, the variable WARPGRAPH_COMMIT gives it: ``<hash>`` or ``<hash>+dirty``.
    """
    if given := os.environ.get("WARPGRAPH_COMMIT"):
        return given.removesuffix("+dirty"), given.endswith("+dirty")
    try:
        changed = _git("status", "--porcelain", "--untracked-files=no")
        return _git("rev-parse", "HEAD"), changed != ""
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit("no git here: set WARPGRAPH_COMMIT=<hash>, or pass --output -") from None


def beginning() -> dict[str, Any]:
    """Return when a benchmark begins, and the code that it measures."""
    code, dirty = commit()
    now = datetime.now(timezone.utc)
    return {"started": now.isoformat(timespec="seconds"), "commit": code, "dirty": dirty}


def _git(*arguments: str) -> str:
    here = Path(__file__).parent
    done = subprocess.run(["git", *arguments], cwd=here, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def bandwidth(device: str, threads: int) -> float | None:
    """Return bytes per second of a large copy (reads and writes counted); None when unknown."""
    if device == "cpu":
        return _cpu_copy(threads)
    return _DEVICE_COPY.get(_device_name(device))


@functools.cache
def _cpu_copy(threads: int) -> float:
    """Measure copying with `threads` threads; NumPy releases the GIL while it copies."""
    words = 1 << 25  # 256 MB: beyond every cache
    source, target = np.ones(words), np.empty(words)
    cuts = [words * t // threads for t in range(threads + 1)]

    def copy(t: int) -> None:
        np.copyto(target[cuts[t] : cuts[t + 1]], source[cuts[t] : cuts[t + 1]])

    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(5):
            start = time.perf_counter()
            list(pool.map(copy, range(threads)))
            best = min(best, time.perf_counter() - start)
    return 2 * source.nbytes / best


def relaxations(device: str, threads: int, sums: str) -> float | None:
    """Return an upper bound of min-plus relaxations per second; None when unknown."""
    if device == "cpu":
        rate = _relaxations_of_a_core(sums)
        return None if rate is None else threads * rate
    return _DEVICE_RELAXATIONS.get(_device_name(device), {}).get(sums)


@functools.cache
def _relaxations_of_a_core(sums: str) -> float | None:
    """Measure ceiling.cpp, compiled for this machine, if there is a compiler."""
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    source = Path(__file__).with_name("ceiling.cpp")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "ceiling.so"
        flags = ["-std=c++20", "-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, source, "-o", library], check=True)
        rate = ctypes.CDLL(str(library))[f"rate_{sums}"]
        rate.restype, rate.argtypes = ctypes.c_double, [ctypes.c_double]
        return max(float(rate(0.05)) for _ in range(4))
