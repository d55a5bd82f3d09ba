"""The runtime: endpoints of the host, and the program that measures links between GPUs.

Suite "seed-004-links" runs the target runtime_benchmarks (see benchmarks/README.md), of which the
variable WARPGRAPH_RUNTIME_BENCHMARKS may give the path, and predicate_filter on all GPUs. It
repeats figure 2 and table 6 of the article behind the runtime; seed_004_links.py makes tables and
pictures of the result. Suite "seed-004-worklists" is table 5, by the same program: soft priority
and fused kernels, switched on and off. Before it, worklists are compared with teams. Suite
"seed-004" is the scaling of seed_004.py and parts by METIS. These two suites take files of graphs,
instead of their own: lists of edges such as SNAP's, or roads (*.gr). "seed-004-steps", of
seed_004_steps.py, is what the steps of calls take on GPUs. In all other suites, predicate_filter
runs on several endpoints and on one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import harness, inputs
from benchmarks.experiments import seed_004, seed_004_steps, seed_004_worklists
from benchmarks.harness import Case, Input, NoCaseFits
from benchmarks.machine import beginning
from benchmarks.result_format import summarise
from warpgraph import _core

SECTION = (
    "Several GPUs, and the runtime",
    "A call on all GPUs of the machine is compared with the same call on fewer. Links, "
    "broadcasts and worklists of `wg.runtime` are compared with plain calls of CUDA and with "
    'other ways to do the same. A worklist runs in one kernel for all rounds ("fused") '
    'or with a launch for each round ("separate").',
)

LINKS = "seed-004-links"
WORKLISTS = seed_004_worklists.SUITE
PROGRAM = "WARPGRAPH_RUNTIME_BENCHMARKS"
#: Path of the program that CMake builds.
BUILT = "build/*/benchmarks/runtime/runtime_benchmarks"
#: The program makes at least as many runs of each contestant.
FEWEST_RUNS = 10
#: Seconds after which the program is ended.
LONGEST = 150
#: Bytes that are filtered on all GPUs, for each of them.
BYTES_OF_A_GPU = 1 << 31

Measurement = dict[str, Any]


def uniform(n: int) -> np.ndarray:
    return np.random.default_rng(4).random(n)


def on_endpoints(x: Input, n: int, share: float) -> np.ndarray:
    return wg.predicate_filter(x.matrix, high=share, device=["cpu"] * n)


def by_numpy(x: Input, share: float) -> np.ndarray:
    return x.matrix[x.matrix <= share]


def case(n: int, text: str, share: float, suite: str) -> Case:
    return Case(
        f"runtime, predicate_filter of {text} numbers, {share:.0%} pass, 2 endpoints of the host",
        partial(uniform, n),
        partial(on_endpoints, n=2, share=share),
        {
            "1 endpoint": partial(on_endpoints, n=1, share=share),
            "numpy": partial(by_numpy, share=share),
        },
        suite,
        resident=False,
        agree=np.array_equal,
        floor_bytes=lambda values: int((1 + share) * values.nbytes),
        size=lambda values: {"numbers": len(values)},
        devices=["cpu"],
    )


CASES = [
    case(100_000, "100 thousand", 0.5, "smoke"),
    *(case(32_000_000, "32 million", share, "standard") for share in (0.01, 0.5, 1.0)),
]


def program() -> Path | None:
    """Return the path of the program, or None if it was not built."""
    if given := os.environ.get(PROGRAM):
        return Path(given)
    found = sorted(Path(__file__).parents[2].glob(BUILT), key=lambda path: path.stat().st_mtime)
    return found[-1] if found else None


def run_program(path: Path, options: Namespace) -> Iterator[Measurement]:
    """Run the program, and yield what it measures, case by case."""
    command = [str(path), "--only", options.only, "--repeat", str(options.repeat)]
    if options.suite == WORKLISTS:
        command.append("--worklists")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        stop = threading.Timer(LONGEST, running.kill)
        stop.start()
        try:
            for line in running.stdout or ():
                yield measurement(json.loads(line))
        finally:
            stop.cancel()
    if running.returncode != 0:
        raise SystemExit(f"{path} has failed with status {running.returncode}")


def measurement(line: dict[str, Any]) -> Measurement:
    """Return the measurement of a line of the program's output."""
    medians, ratios = summarise(line["runs"], line["ours"])
    kept = {key: line[key] for key in ("case", "size", "device", "ours", "runs", "floor")}
    return {
        **kept,
        "threads": 1,
        "resident": True,
        "checked": True,  # else the program had failed
        "medians": medians,
        "ratios": ratios,
    }


def filter_on_all(options: Namespace) -> list[Measurement]:
    """Measure predicate_filter on all GPUs together beside plain copies to all of them.

    The array is in page-locked memory. Nothing is measured without CuPy, or if the devices are
    refused.
    """
    devices = [name for name in wg.devices() if name.startswith("cuda")]
    name = f"runtime, predicate_filter on {len(devices)} GPUs, page-locked"
    if not devices or not re.search(options.only, name):
        return []
    try:
        import cupy
        import cupyx
    except ImportError:
        print(f"{name}: skipped, there is no CuPy", file=sys.stderr)
        return []
    values = cupyx.empty_pinned(len(devices) * BYTES_OF_A_GPU // 4, np.float32)
    np.random.default_rng(5).random(out=values, dtype=np.float32)
    high = 1 / 256  # a float32
    try:
        passed = wg.predicate_filter(values, high=high, device=devices)
    except (wg.DeviceError, TypeError, ValueError) as error:
        print(f"{name}: skipped, {error}", file=sys.stderr)
        return []
    if not np.array_equal(passed, values[values <= high]):
        raise SystemExit(f"{name}: the result is wrong")
    ours = "warpgraph " + ", ".join(devices)
    copies = plain_copies(cupy, values, len(devices))
    calls = {
        ours: lambda: wg.predicate_filter(values, high=high, device=devices),
        "cudaMemcpyAsync to each": copies,
    }
    line = {
        "case": name,
        "size": {"bytes of message": values.nbytes},
        "device": f"{len(devices)} GPUs",
        "ours": ours,
        "runs": {who: timed(call, options.repeat) for who, call in calls.items()},
        "floor": None,
    }
    return [measurement(line)]


def plain_copies(cupy: Any, values: np.ndarray, n: int) -> Callable[[], None]:
    """Return a function that copies a part of the array to each GPU, all at the same time."""
    parts = np.split(values, n)
    targets, streams = [], []
    for i, part in enumerate(parts):
        with cupy.cuda.Device(i):
            targets.append(cupy.empty(part.shape, part.dtype))
            streams.append(cupy.cuda.Stream(non_blocking=True))

    def copy() -> None:
        for i, (part, target, stream) in enumerate(zip(parts, targets, streams, strict=True)):
            with cupy.cuda.Device(i):
                target.data.copy_from_host_async(part.ctypes.data, part.nbytes, stream)
        for i, stream in enumerate(streams):
            with cupy.cuda.Device(i):
                stream.synchronize()

    copy()
    for i, (part, target) in enumerate(zip(parts, targets, strict=True)):
        with cupy.cuda.Device(i):
            if not np.array_equal(target.get(), part):
                raise SystemExit(f"the plain copy to cuda:{i} is wrong")
    return copy


def timed(call: Callable[[], Any], repeat: int) -> list[float]:
    """Return the seconds of each run after one to warm up."""
    call()
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the suite on the command line, of the files of graphs there if there are some."""
    files, arguments = inputs.split_files(sys.argv[1:] if arguments is None else arguments)
    options = harness.parse(arguments, "runtime")
    if files and options.suite not in (seed_004.SUITE, WORKLISTS):
        raise SystemExit(f"expected no file for suite {options.suite}, got {files[0]}")
    cases: list[Case] = []
    if options.suite == seed_004.SUITE:
        harness.main(__file__, seed_004.cases(options.device.split(":")[0], files), arguments)
        return
    if options.suite == WORKLISTS:
        cases = [c for c in seed_004_worklists.cases(files) if re.search(options.only, c.name)]
        if cases and _core.cuda_device_count() > 0:
            harness.main(__file__, cases, arguments)
        if files:
            return
    elif options.suite == seed_004_steps.SUITE:
        harness.main(__file__, seed_004_steps.cases(), arguments)
        return
    elif options.suite != LINKS:
        harness.main(__file__, CASES, arguments)
        return
    run_measuring_program(options, others_fit=bool(cases))


def run_measuring_program(options: Namespace, *, others_fit: bool) -> None:
    """Run a suite of the program, if that and a GPU are there.

    `others_fit`: cases of Python of this suite fit the options.
    """
    path = program()
    if path is None or _core.cuda_device_count() == 0:
        what = (
            f"no program: build runtime_benchmarks or set {PROGRAM}" if path is None else "no GPU"
        )
        print(f"suite {options.suite} is skipped: there is {what}", file=sys.stderr)
        return
    options.repeat = max(options.repeat, FEWEST_RUNS)
    began = beginning()
    measurements: list[Measurement] = []
    try:
        for found in run_program(path, options):
            measurements.append(found)
        if options.suite == LINKS:
            measurements += filter_on_all(options)
    finally:  # what was measured before Ctrl-C or a failure is kept
        if measurements:
            harness.report("runtime", options, "cuda:0", began, measurements)
    if not measurements and not others_fit:
        raise NoCaseFits(f"runtime: no case of suite {options.suite!r} fits these options")


if __name__ == "__main__":
    main()
