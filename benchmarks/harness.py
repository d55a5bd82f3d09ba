"""The benchmarks' harness: a bench_<stem>.py lists cases and ends with ``main(__file__, CASES)``.

A case names a graph, a call of warpgraph, and rivals. Each contestant is warmed up, then all run in
turns, so that a slowdown of the machine affects all of them. Every run is recorded; medians and
ratios (rival / ours) are of one process on one machine. README.md has the protocol.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import itertools
import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import warpgraph as wg
from benchmarks import inputs
from benchmarks.machine import bandwidth, beginning, describe_machine, relaxations, versions
from benchmarks.others import OTHERS, WITH_COPY
from benchmarks.result_format import FORMAT, problems, summarise

SEEDS = (
    *("seed-000", "seed-001", "seed-002", "seed-003", "seed-003-clusters"),
    *("seed-004", "seed-004-links", "seed-004-steps", "seed-004-worklists"),
)
#: Turns that a case makes even if it takes longer than its budget.
FEWEST_TURNS = 3
HERE = Path(__file__).parent
SUITES = ("smoke", "standard", "large", "hybrid", *SEEDS)


class NoCaseFits(SystemExit):
    """The end of a benchmark none of whose cases fits the options, with a status of its own."""

    STATUS = 5

    def __init__(self, sentence: str) -> None:
        print(sentence, file=sys.stderr)
        super().__init__(self.STATUS)


@dataclass(frozen=True)
class Input:
    """The argument of a contestant.

    `matrix` is the result of the case's `build`. `graph` is the argument of warpgraph: a wg.Graph,
    already on `device`, for a resident case; else `matrix` itself.
    """

    matrix: Any
    graph: Any
    device: str
    threads: int


@dataclass(frozen=True)
class Timed:
    """The result of a contestant that measures its own time, such as another program.

    `counts` has what it counts in each run, such as the bytes that move between workers.
    """

    seconds: float
    result: Any
    counts: Mapping[str, int] = field(default_factory=dict)


Contestant = Callable[[Input], Any]


@dataclass(frozen=True)
class Case:
    """One line of the table.

    Parameters
    ----------
    name
        Function, graph and dtype: "sssp, ny-road, float64".
    build
        Makes the input, untimed. Cases with the same input should share the function: its result is
        kept while consecutive cases name the same function.
    ours
        The call that is measured.
    rivals
        Other contestants by name: other libraries, or other methods of warpgraph.
    suite
        "smoke" (milliseconds; run by the tests), "standard", or "large".
    resident
        Whether warpgraph gets a wg.Graph on the device, not the user's matrix. None: on a GPU only.
    with_copy
        On a GPU, where the graph is resident and SciPy is a rival: whether `ours` also runs from
        the matrix, which it checks and copies at each call.
    agree
        agree(our result, rival's result) -> bool; a rival that disagrees ends the benchmark.
    floor_bytes
        floor_bytes(matrix): the fewest bytes that the answer needs to be read and written. With the
        machine's bandwidth that gives a lower bound on the time.
    floor_relaxations
        floor_relaxations(matrix): a type of sums and the number that the method computes and
        compares; the floor is then their time in registers.
    timed_by_callable
        The callables return the seconds themselves (for example of a child process).
    size
        size(matrix) -> the sizes for the table; by default vertices and edges.
    devices, benchmark
        Kinds of device for which the case is meaningful; whose table has it, if not its file's.
    """

    name: str
    build: Callable[[], Any]
    ours: Contestant
    rivals: Mapping[str, Contestant] = field(default_factory=dict)
    suite: str = "standard"
    resident: bool | None = None
    with_copy: bool = True
    agree: Callable[[Any, Any], bool] | None = None
    floor_bytes: Callable[[Any], int] | None = None
    floor_relaxations: Callable[[Any], tuple[str, int]] | None = None
    timed_by_callable: bool = False
    size: Callable[[Any], dict[str, int]] | None = None
    devices: Sequence[str] = ("cpu", "cuda")
    benchmark: str = ""

    def __post_init__(self) -> None:
        if self.suite not in SUITES:
            raise ValueError(f"suite must be one of {SUITES}, got {self.suite!r}")


def matrix_size(matrix: Any) -> dict[str, int]:
    """Return vertices and stored entries of a graph, or the shape of points."""
    if isinstance(matrix, wg.Graph):
        return {"vertices": matrix.n_vertices, "edges": matrix.n_edges}
    if hasattr(matrix, "nnz"):
        return {"vertices": int(matrix.shape[0]), "edges": int(matrix.nnz)}
    if hasattr(matrix, "shape"):
        return {"rows": int(matrix.shape[0]), "columns": int(np.prod(matrix.shape[1:]))}
    return {}


@contextlib.contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Collect garbage now, and not before the end."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class TimeLimitError(Exception):
    """Raised by a rival that was stopped after some seconds; its case goes on without it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it was stopped after {seconds:.3g} s")
        self.seconds = seconds


class Once:
    """A contestant that is too slow to repeat: its first time counts for all runs."""

    def __init__(self, call: Contestant) -> None:
        self.call = call
        self.matrix: Any = None
        self.threads = 0
        self.first: Any = None

    def __call__(self, x: Input) -> Timed:
        if self.matrix is not x.matrix or self.threads != x.threads:
            with no_garbage_collection():
                start = time.perf_counter()
                result = self.call(x)
                elapsed = time.perf_counter() - start
            if isinstance(result, Timed):
                elapsed, result = result.seconds, result.result
            self.matrix, self.threads, self.first = x.matrix, x.threads, Timed(elapsed, result)
        return self.first  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Protocol:
    """The parameters of a measurement."""

    repeat: int
    warmup: int
    without: str | None
    budget: float = math.inf


def measure(case: Case, matrix: Any, device: str, threads: int, protocol: Protocol) -> dict:
    """Measure one case on one device with one number of threads."""
    threads = threads or wg.get_num_threads()
    resident = device != "cpu" if case.resident is None else case.resident
    graph = inputs.on_device(matrix, device) if resident else matrix
    x = Input(matrix, graph, device, threads)
    ours = "warpgraph" if device == "cpu" else f"warpgraph {device}"
    contestants: dict[str, Callable[[], Any]] = {ours: lambda: case.ours(x)}
    if device != "cpu" and "cpu" in case.devices:
        on_cpu = Input(matrix, graph, "cpu", threads)
        contestants[f"warpgraph cpu, {threads} threads"] = lambda: case.ours(on_cpu)
    has_scipy = "SciPy" in map(OTHERS.get, case.rivals)
    if device != "cpu" and resident and has_scipy and case.with_copy:
        copied = Input(matrix, matrix, device, threads)
        contestants[ours + WITH_COPY] = lambda: case.ours(copied)
    for name, rival in case.rivals.items():
        if protocol.without is None or not re.search(protocol.without, name):
            contestants[name] = lambda rival=rival: rival(x)

    with same_threads(threads):
        checked, unfinished = _warm_up(case, contestants, ours, protocol)
        runs, counts = _take_turns(contestants, protocol, case.timed_by_callable)
    medians, ratios = summarise(runs, ours)
    more = {"counts": counts, "unfinished": unfinished, "benchmark": case.benchmark}
    return {
        "case": case.name,
        "size": (case.size or matrix_size)(matrix),
        "device": device,
        "threads": threads,
        "resident": resident,
        "checked": checked,
        "ours": ours,
        "runs": runs,
        "medians": medians,
        "ratios": ratios,
        "floor": _floor(case, matrix, device, threads),
        **{key: value for key, value in more.items() if value},
    }


@contextlib.contextmanager
def same_threads(threads: int) -> Iterator[None]:
    """Set the same number of threads for all contestants."""
    wg.set_num_threads(threads)
    try:
        with threadpool_limits(threads):
            yield
    finally:
        wg.set_num_threads(0)


def _warm_up(
    case: Case, contestants: dict[str, Callable[[], Any]], ours: str, protocol: Protocol
) -> tuple[bool, dict[str, float]]:
    """Return whether the answers were compared, and the seconds given to rivals left out."""
    results, unfinished = {}, {}
    for _ in range(protocol.warmup):
        for name, call in list(contestants.items()):
            try:
                results[name] = call()
            except TimeLimitError as problem:
                print(f"  {name} is left out: {problem}", file=sys.stderr)
                unfinished[name] = problem.seconds
                del contestants[name]
    if case.agree is None or len(results) < 2:
        return False, unfinished
    answers = {
        name: result.result if isinstance(result, Timed) else result
        for name, result in results.items()
    }
    for name, answer in answers.items():
        if name != ours and not case.agree(answers[ours], answer):
            raise SystemExit(f"{case.name}: {ours} and {name} do not agree")
    return True, unfinished


def _take_turns(
    contestants: dict[str, Callable[[], Any]], protocol: Protocol, timed_by_callable: bool
) -> tuple[dict[str, list[float]], dict[str, dict[str, list[int]]]]:
    """Return the seconds of every run, and what contestants counted in each.

    The order is reversed each time, so none is favoured.
    """
    end = time.perf_counter() + protocol.budget
    runs: dict[str, list[float]] = {name: [] for name in contestants}
    counts: dict[str, dict[str, list[int]]] = {}
    with no_garbage_collection():
        for turn in range(protocol.repeat):
            if turn >= FEWEST_TURNS and time.perf_counter() > end:
                break
            names = list(contestants)
            for name in names if turn % 2 == 0 else reversed(names):
                start = time.perf_counter()
                result = contestants[name]()
                elapsed = time.perf_counter() - start
                if timed_by_callable:
                    elapsed = float(result)
                elif isinstance(result, Timed):
                    elapsed = result.seconds
                    for what, count in result.counts.items():
                        counts.setdefault(name, {}).setdefault(what, []).append(count)
                runs[name].append(elapsed)
                del result
    return runs, counts


def _floor(case: Case, matrix: Any, device: str, threads: int) -> dict[str, float] | None:
    if case.floor_relaxations is not None:
        sums, count = case.floor_relaxations(matrix)
        speed = relaxations(device, threads, sums)
        if speed is None:
            return None
        return {"relaxations": count, "relaxations_per_second": speed, "seconds": count / speed}
    if case.floor_bytes is None:
        return None
    rate = bandwidth(device, threads)
    if rate is None:
        return None
    needed = case.floor_bytes(matrix)
    return {"bytes": needed, "bytes_per_second": rate, "seconds": needed / rate}


def table(measurements: list[dict[str, Any]]) -> str:
    """Return the measurements as text, one line per rival."""
    header = ["case", "size", "threads", "ours ms", "min..max", "rival", "rival ms", "ratio"]
    rows = [[*header, "floor ms"]]
    for m in measurements:
        ours = m["runs"][m["ours"]]
        start = [
            m["case"],
            " ".join(f"{k[0]}={v:,}" for k, v in m["size"].items()),
            str(m["threads"]) if m["device"] == "cpu" else m["device"],
            milliseconds(m["medians"][m["ours"]]),
            f"{milliseconds(min(ours))}..{milliseconds(max(ours))}",
        ]
        floor = milliseconds(m["floor"]["seconds"]) if m["floor"] else "-"
        if not m["ratios"]:
            rows.append([*start, "-", "-", "-", floor])
        for rival, ratio in m["ratios"].items():
            rows.append([*start, rival, milliseconds(m["medians"][rival]), f"{ratio:.2f}", floor])
            start, floor = [""] * len(start), ""
        for rival, seconds in m.get("unfinished", {}).items():
            rows.append([""] * len(start) + [rival, f"> {milliseconds(seconds)}", "-", ""])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def milliseconds(seconds: float) -> str:
    """Return a time in milliseconds with three significant digits."""
    value = 1e3 * seconds
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def parse(arguments: Sequence[str] | None, stem: str) -> argparse.Namespace:
    """Read the command line that every benchmark has."""
    parser = argparse.ArgumentParser(
        prog=f"bench_{stem}.py", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:<i>")
    parser.add_argument(
        "--threads", default="0", help="numbers of CPU threads to run with: 1,2; 0: all cores"
    )
    parser.add_argument("--suite", default="standard", choices=SUITES)
    parser.add_argument("--only", default="", help="regular expression: cases to run")
    parser.add_argument("--without", default=None, help="regular expression: rivals to leave out")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument(
        "--budget", type=float, default=math.inf, help="seconds after which a case begins no turn"
    )
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument(
        "--output", default=str(HERE / "results"), help="folder for the result; '-': write none"
    )
    return parser.parse_args(arguments)


def main(file: str, cases: Sequence[Case], arguments: Sequence[str] | None = None) -> None:
    """Run the cases of a benchmark's file according to the command line."""
    stem = Path(file).stem.removeprefix("bench_")
    options = parse(arguments, stem)
    device = "cuda:0" if options.device == "cuda" else options.device
    kind = device.split(":")[0]
    protocol = Protocol(options.repeat, options.warmup, options.without, options.budget)
    thread_counts = [int(t) for t in options.threads.split(",")]
    began = beginning()
    suited = [case for case in cases if case.suite == options.suite and kind in case.devices]
    fitting = [case for case in suited if re.search(options.only, case.name)]
    if not fitting:
        raise NoCaseFits(f"{stem}: no case of suite {options.suite!r} fits these options")
    measurements: list[dict] = []
    built_by, matrix = None, None
    try:
        for case in fitting:
            if case.build is not built_by:
                matrix = None  # two large graphs need not fit in memory at once
                built_by, matrix = case.build, case.build()
            for threads in thread_counts:
                print(f"{case.name} ...", file=sys.stderr, flush=True)
                measurements.append(measure(case, matrix, device, threads, protocol))
    finally:  # what was measured before Ctrl-C or a failure is kept
        if measurements:
            report(stem, options, device, began, measurements)


def report(
    stem: str, options: argparse.Namespace, device: str, began: dict, measurements: list[dict]
) -> None:
    """Print the measurements, and write them to a file unless the options say otherwise."""
    print(table(measurements))
    if options.output == "-":
        return
    result = {
        "format": FORMAT,
        "benchmark": stem,
        "suite": options.suite,
        **began,
        "machine": describe_machine(device),
        "versions": versions(),
        "protocol": {
            "repeat": options.repeat,
            "warmup": options.warmup,
            "budget_seconds": None if options.budget == math.inf else options.budget,
        },
        "measurements": measurements,
    }
    print(write(result, Path(options.output)))


def write(result: dict[str, Any], folder: Path) -> Path:
    """Write a result to its file and return the file's path."""
    if found := problems(result):
        raise SystemExit("the result is not written: " + "; ".join(found))
    machine = result["machine"]
    device = machine["device_name"] or f"cpu-{machine['cores']}-cores"
    slug = re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")
    suite = "" if result["suite"] == "standard" else f"-{result['suite']}"
    name = f"{result['benchmark']}{suite}-{slug}-{result['started'][:10]}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    again = itertools.count(2)
    while path.exists():  # an earlier result of the day is not lost
        path = folder / f"{name}-{next(again)}.json"
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return path
