"""One command an article: runs its experiment, and writes results, tables and pictures.

make experiments SEED=004
python -m benchmarks.experiments.run 004 --device cuda --sizes article

With the sizes "small", the default, an experiment takes some minutes on two cores; "article" has
the sizes of the article and more. Each part is a process, so that none keeps another's memory.
Parts that need what is not there (a GPU, the program of benchmarks/runtime) are left out, and say
so. Files of graphs are measured instead of the suites' own by 002 and 004: roads with their lengths
(*.gr), and lists of edges such as SNAP's.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.experiments import clustering
from benchmarks.experiments.page import articles, document
from benchmarks.harness import NoCaseFits

ROOT = Path(__file__).parents[2]
SIZES = ("small", "article")


@dataclass(frozen=True)
class Part:
    """A benchmark's suite: the regular expressions of its small cases, on cores and on a GPU."""

    module: str
    suite: str
    #: None: the cases are left out with small sizes, and if others are named.
    small: str | None = ""
    repeat: int = 5
    small_repeat: int = 3
    devices: tuple[str, ...] = ("cpu", "cuda")
    #: Devices that it also runs on if the device is a GPU.
    beside: tuple[str, ...] = ()
    #: Cases that have a process of their own with the sizes of the article.
    apart: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    #: True if it reads graphs of files.
    reads: bool = False


_KINDS = ("rmat", "ssca2")
_FORESTS = tuple(f"{kind} {scale}," for scale in range(16, 26) for kind in _KINDS)
#: A GPU of 139 GiB holds the transformed graph of this scale alone.
_LARGE_FORESTS = tuple(f"{kind} 26," for kind in _KINDS)
_PLAIN_FORESTS = tuple(f"{kind} 27," for kind in _KINDS)
PARTS: dict[str, tuple[Part, ...]] = {
    "000": (Part("paths.bench_sssp", "seed-000", "rmat (14|15|16),", repeat=32, small_repeat=32),),
    "001": (
        Part(
            "paths.bench_apsp", "seed-001", r"n = \d?\d0,|n = [1-5]00,", repeat=15, beside=("cpu",)
        ),
    ),
    "002": (
        Part(
            *("paths.bench_many_to_many", "seed-002", "ny-road"),
            repeat=3,
            small_repeat=1,
            beside=("cpu",),
            reads=True,
        ),
    ),
    "003": (
        Part("trees.bench_mst", "seed-003", " (16|17|18),", apart=_FORESTS),
        Part(
            *("trees.bench_mst", "seed-003", None),
            apart=_LARGE_FORESTS,
            more=("--without", "as it came|not renumbered"),
        ),
        Part("trees.bench_mst", "seed-003", None, devices=("cuda",), apart=_PLAIN_FORESTS),
        Part("trees.bench_mst", "hybrid", " 22,", devices=("cuda",), more=("--warmup", "6")),
        Part("cluster.bench_cluster", "seed-003-clusters", f", {clustering.SMALL} points"),
    ),
    "004": (
        Part("runtime.bench_runtime", "seed-004", "ny-road|all-reduce of 1 MB", reads=True),
        Part("runtime.bench_runtime", "seed-004-steps", "rmat 24", devices=("cuda",)),
        Part(
            *("runtime.bench_runtime", "seed-004-worklists", "ny-road|512"),
            devices=("cuda",),
            reads=True,
        ),
        Part("runtime.bench_runtime", "seed-004-links", "", devices=("cuda",)),
    ),
}


def commands(options: argparse.Namespace, folder: Path) -> list[list[str]]:
    """Return the commands of an experiment; each writes a result to the folder."""
    kind = options.device.split(":")[0]
    listed = []
    for part in PARTS[options.article]:
        if not re.search(options.suite, part.suite) or (options.files and not part.reads):
            continue
        is_small = options.sizes == "small"
        if part.small is None and (is_small or options.only):
            continue
        if kind not in part.devices:
            cases = " and ".join(case.rstrip(",") for case in part.apart)
            what = f"{part.suite}, {cases}," if cases else part.suite
            print(f"{what} is left out: it needs a GPU (--device cuda)", file=sys.stderr)
            continue
        runs = options.repeat or (part.small_repeat if is_small else part.repeat)
        small = [part.small or ""]
        cases = [""] if options.files else small if is_small else part.apart or [""]
        for where in (options.device, *(part.beside if kind != "cpu" else ())):
            for only in [options.only] if options.only else cases:
                command = ["-m", f"benchmarks.{part.module}", "--suite", part.suite]
                command += ["--device", where, "--repeat", str(runs), "--only", only, *part.more]
                command += map(str, options.files)
                listed.append([sys.executable, *command, "--output", str(folder)])
    return listed


def with_heaps(folder: Path) -> dict[str, str]:
    """Return the environment with the heaps of others, compiled if g++ and Boost are there."""
    name = "WARPGRAPH_HEAPS"
    if name in os.environ:
        return dict(os.environ)
    program = folder / "heaps"
    source = ROOT / "benchmarks" / "rivals" / "heaps.cpp"
    flags = ["-O3", "-DNDEBUG", "-march=native", "-std=c++17"]
    try:
        command = ["g++", *flags, str(source), "-o", str(program)]
        subprocess.run(command, check=True, capture_output=True)
        asked = ["g++", "-include", "boost/version.hpp", "-dM", "-E", "-x", "c++", os.devnull]
        macros = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        print("the heaps of others are left out: they need g++ and Boost", file=sys.stderr)
        return dict(os.environ)
    found = dict(re.findall(r'#define (\w+) "([^"]+)"', macros))
    version = f"Boost {found['BOOST_LIB_VERSION'].replace('_', '.')}, GCC {found['__VERSION__']}"
    return {**os.environ, name: str(program), f"{name}_VERSION": version}


def returncode(command: Sequence[str], environment: dict[str, str]) -> int:
    """Run a command to its end. After Ctrl-C, which it receives too, it writes what it measured."""
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.wait()
            raise


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the experiment on the command line."""
    parser = argparse.ArgumentParser(
        prog="experiments", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("article", choices=sorted(articles.ARTICLES), help="its number")
    parser.add_argument("files", nargs="*", help="files of graphs, for 002 and 004")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:<i>")
    parser.add_argument("--sizes", default="small", choices=SIZES)
    parser.add_argument(
        "--repeat", type=int, default=0, help="runs of each case; 0: as the article"
    )
    parser.add_argument("--suite", default="", help="regular expression: suites to run")
    parser.add_argument("--only", default="", help="regular expression: cases to run")
    parser.add_argument("--folder", type=Path, help="default: build/experiments/<article>")
    options = parser.parse_intermixed_args(arguments)
    if options.files and not any(part.reads for part in PARTS[options.article]):
        parser.error(f"expected no file for {options.article}, got {options.files[0]}")
    options.files = [Path(file).resolve() for file in options.files]
    folder = options.folder or ROOT / "build" / "experiments" / options.article
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.glob("*.json"))
    print(f"{options.article}: {articles.ARTICLES[options.article].citation}\n")
    failed = []
    has_heaps = options.article == "002" and options.sizes == "article"
    environment = with_heaps(folder.resolve()) if has_heaps else dict(os.environ)
    for command in commands(options, folder.resolve()):
        print(" ".join(command[1:]), flush=True)
        if returncode(command, environment) not in (0, NoCaseFits.STATUS):
            failed.append(" ".join(command[2:]))
    results = sorted(set(folder.glob("*.json")) - before)
    if results:
        document.main([*map(str, results), "--folder", str(folder)])
    if failed:
        raise SystemExit("these parts have failed:\n" + "\n".join(failed))
    if not results:
        raise SystemExit(f"no part of {options.article} runs on {options.device}")


if __name__ == "__main__":
    main()
