"""Compares two builds of warpgraph in turns: the cost or gain of a change.

    python -m benchmarks.compare OLD NEW --device cuda --suite standard,large --only ny-road

OLD and NEW are checkouts: python/ contains the package with its compiled module, and benchmarks/
the cases for that version. Each build has a process of its own, which runs the cases of all
benchmarks without their rivals; cases in both builds are compared. Only one process runs at a time,
and the two alternate, so that a slowdown of the machine affects both. The result is a file as of
other benchmarks, with the old build as the rival: ratios above 1 mean that the new build is faster.

The spread of a case is the interquartile range of the ratios of its turns. A case is reported as
slower, and the exit status is 1, if its median and its spread lie below 1 - SLOWER.

Two processes of one build may differ by some percent, since their memory lies elsewhere: with
--processes N the turns are divided among N pairs of new processes.

Where a machine is lent for a short time, --case-seconds ends a case before its last turn, and
--minutes the comparison before its last case. The file holds the cases that were measured.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
#: A case may take this much longer than before, as a share of its time.
SLOWER = 0.03
#: Shorter calls, in seconds, are repeated and the second one counts: during the turn of the other
#: process, caches lost their content and clocks of GPUs fell.
COLD = 0.1


def module(name: str) -> Any:
    """Import a module of the checkout's benchmarks. In older checkouts they are no package."""
    is_package = importlib.util.find_spec("harness") is None
    return importlib.import_module(f"benchmarks.{name}" if is_package else name)


def cases(options: argparse.Namespace) -> list[Any]:
    """Return the cases selected by the options, of all benchmarks of the checkout.

    Only times are compared, so cases that time themselves are left out.
    """
    kind = options.device.split(":")[0]
    folder = Path(module("harness").__file__).parent
    found = []
    for path in sorted(folder.rglob("bench_*.py"), key=lambda path: path.name):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        for case in module(name).CASES:
            wanted = kind in case.devices and not case.timed_by_callable
            if wanted and is_in(case.suite, options.suite) and re.search(options.only, case.name):
                found.append(case)
    return found


def is_in(suite: str, suites: str) -> bool:
    """Return whether a suite is one of those asked for: names, or all but the smoke tests."""
    return suite != "smoke" if suites == "all" else suite in suites.split(",")


def serve(options: argparse.Namespace) -> None:
    """Run the cases named on standard input; answer each line with a line of JSON."""
    sys.path.remove(str(HERE))  # use the benchmarks of the checkout
    import warpgraph as wg

    harness = module("harness")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # printed text must not mix with the answers
    listed = {case.name: case for case in cases(options)}
    built_by, matrix, call = None, None, None
    for line in sys.stdin:
        order, _, name = line.rstrip("\n").partition(" ")
        if order == "list":
            answer = list(listed)
        elif order == "case":
            case = listed[name]
            if case.build is not built_by:
                matrix = None
                built_by, matrix = case.build, case.build()
            device = "cuda:0" if options.device == "cuda" else options.device
            resident = device != "cpu" if case.resident is None else case.resident
            graph = wg.Graph(matrix) if resident else matrix
            if resident and device != "cuda:all":  # the first call takes it to several devices
                graph.to(device)
            wg.set_num_threads(options.threads)
            threads = wg.get_num_threads()
            x = harness.Input(matrix, graph, device, threads)
            call = lambda case=case, x=x: case.ours(x)  # noqa: E731
            call()
            answer = [(case.size or harness.matrix_size)(matrix), threads, resident]
        else:
            gc.collect()
            elapsed = timed(call)
            answer = timed(call) if elapsed < COLD else elapsed
        print(json.dumps(answer), file=answers, flush=True)


def timed(call: Any) -> float:
    """Return the seconds of a call."""
    start = time.perf_counter()
    result = call()
    elapsed = time.perf_counter() - start
    return result.seconds if isinstance(result, module("harness").Timed) else elapsed


class Build:
    """A process that has imported the package of a checkout."""

    def __init__(self, checkout: str) -> None:
        root = Path(checkout).resolve()
        is_package = (root / "benchmarks" / "__init__.py").exists()
        folders = [root / "python", root if is_package else root / "benchmarks"]
        path = os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [sys.executable, HERE / "compare.py", *sys.argv[1:], "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": path.rstrip(os.pathsep)},
            text=True,
        )

    def ask(self, line: str) -> Any:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self) -> None:
        self.process.communicate()


def take_turns(
    name: str, builds: dict[str, Build], repeat: int, seconds: float
) -> tuple[list, dict]:
    """Return what a build says about one case, and the times; the order is reversed each time.

    After so many seconds no other turn begins, but three are taken.
    """
    about = [build.ask(f"case {name}") for build in builds.values()].pop()
    runs: dict[str, list[float]] = {name: [] for name in builds}
    end = time.monotonic() + seconds
    for turn in range(repeat):
        if turn >= 3 and time.monotonic() > end:
            break
        for build in builds if turn % 2 == 0 else reversed(builds):
            runs[build].append(builds[build].ask("run"))
    return about, runs


def summary(name: str, about: list, runs: dict[str, list[float]], device: str) -> dict:
    """Return the measurement of one case, and print a line."""
    from benchmarks.result_format import summarise

    ours = next(iter(runs))
    medians, ratios = summarise(runs, ours)
    low, high = spread(runs, ours)
    ratio = next(iter(ratios.values()))
    time_and_ratio = f"{1e3 * medians[ours]:9.3f} ms  {ratio:.3f} ({low:.3f} to {high:.3f})"
    print(f"{name:70} {time_and_ratio}", flush=True)
    size, threads, resident = about
    return {
        "case": name, "size": size, "device": device, "threads": threads,
        "resident": resident, "checked": False, "ours": ours, "runs": runs, "medians": medians,
        "ratios": ratios, "floor": None,
    }  # fmt: skip


def spread(runs: dict[str, list[float]], ours: str) -> tuple[float, float]:
    """Return the quartiles of the ratios of the turns."""
    old = next(times for name, times in runs.items() if name != ours)
    ratios = [before / after for before, after in zip(old, runs[ours], strict=True)]
    if len(ratios) < 2:
        return ratios[0], ratios[0]
    low, _, high = statistics.quantiles(ratios, n=4)
    return low, high


def slower(measurements: list[dict]) -> list[str]:
    """Return the names of the cases that are slower than before, beyond their spread."""
    found = []
    for measurement in measurements:
        _, high = spread(measurement["runs"], measurement["ours"])
        if max(high, *measurement["ratios"].values()) < 1 - SLOWER:
            found.append(measurement["case"])
    return found


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--suite", default="standard", help='names with commas, or "all"')
    parser.add_argument("--only", default="")
    parser.add_argument("--repeat", type=int, default=7, help="turns of each pair of processes")
    parser.add_argument("--processes", type=int, default=1, help="pairs of processes")
    parser.add_argument("--case-seconds", type=float, default=math.inf)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--output", default=str(HERE / "results"))
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Compare, print a line per case, write the file."""
    options = parse()
    if options.serve:
        serve(options)
        return
    sys.path[:0] = [str(Path(options.new).resolve() / "python"), str(HERE.parent)]
    device = "cuda:0" if options.device == "cuda" else options.device
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    end = time.monotonic() + 60 * options.minutes
    measured: dict[str, dict] = {}
    for _ in range(options.processes):
        builds = {"warpgraph": Build(options.new), "the build before": Build(options.old)}
        lists = [build.ask("list") for build in builds.values()]
        for name in (name for name in lists[0] if name in lists[1]):
            if time.monotonic() > end:
                break
            about, runs = take_turns(name, builds, options.repeat, options.case_seconds)
            if name in measured:
                runs = {build: measured[name]["runs"][build] + runs[build] for build in builds}
            measured[name] = summary(name, about, runs, device)
        for build in builds.values():
            build.end()
    measurements = list(measured.values())
    if options.output != "-":
        write(options, device, started, measurements)
    found = slower(measurements)
    print(f"{len(found)} of {len(measurements)} cases are slower", *found, sep="\n  ")
    if found:
        sys.exit(1)


def write(options: argparse.Namespace, device: str, started: str, measurements: list) -> None:
    """Write the file of results."""
    from benchmarks import harness
    from benchmarks.machine import commit, describe_machine, versions

    code, dirty = commit()
    result = {
        "format": harness.FORMAT, "benchmark": "builds", "suite": options.suite.replace(",", "-"),
        "started": started, "commit": code, "dirty": dirty, "machine": describe_machine(device),
        "versions": versions(),
        "protocol": {"repeat": options.repeat * options.processes, "warmup": 1},
        "measurements": measurements,
    }  # fmt: skip
    print(harness.write(result, Path(options.output)))


if __name__ == "__main__":
    main()
