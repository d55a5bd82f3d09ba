"""Distributes cases over processes, survives those that end, and prints the findings."""

from __future__ import annotations

import json
import os
import queue
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from fuzz import drawing, running, shrink, targets, worker

#: Differences of one kind that are reduced; the others are counted.
_SHRUNK_OF_A_KIND = 1
_SECONDS_TO_SHRINK = 60.0


@dataclass
class Findings:
    """The numbers of cases, and the failures."""

    seed: int
    cases: Counter[str] = field(default_factory=Counter)
    failures: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    first_call: dict[tuple[str, str], running.Failure] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, index: int, failure: running.Failure) -> bool:
        """Note a failure; return whether it is the first of its kind."""
        key = failure.target, failure.kind
        self.failures[key].append(index)
        self.first_call.setdefault(key, failure)
        return len(self.failures[key]) == 1


class Process:
    """One worker, and its journal."""

    def __init__(self, options, number: int, messages: queue.Queue) -> None:
        self.options, self.number, self.messages = options, number, messages
        self.file = tempfile.NamedTemporaryFile(prefix="fuzz-journal-")  # noqa: SIM115
        self.start(options.first + number)

    def start(self, first: int) -> None:
        self.file.truncate(0)
        os.pwrite(self.file.fileno(), worker.JOURNAL.pack(first, -1), 0)
        command = [sys.executable, "-m", "fuzz", "--worker", "--journal", self.file.name]
        command += ["--seed", str(self.options.seed), "--first", str(first)]
        command += ["--step", str(self.options.jobs), *_how_drawn(self.options)]
        # Freed memory is overwritten, so that reading it has visible effects.
        environment = {"MALLOC_PERTURB_": "85", "OMP_NUM_THREADS": "1", **os.environ}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
        )
        self.heard = self.place(), time.monotonic()
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def _read(self, process) -> None:
        for line in process.stdout:
            self.messages.put((self, json.loads(line)))
        errors = process.stderr.read()
        process.wait()
        self.messages.put((self, {"ended": process.returncode, "errors": errors[-2000:]}))

    def place(self) -> tuple[int, int]:
        """Return the case and the call that the worker runs."""
        return worker.JOURNAL.unpack(os.pread(self.file.fileno(), worker.JOURNAL.size, 0))

    def is_stuck(self) -> bool:
        if self.place() != self.heard[0]:
            self.heard = self.place(), time.monotonic()
        return time.monotonic() - self.heard[1] > self.options.timeout

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def _how_drawn(options) -> list[str]:
    """Return the options that determine a case, beside seed and number."""
    how = ["--device", options.device, "--largest", options.largest]
    return [*how, "--only", "; ".join(options.only)] if options.only else how


def run(options) -> Findings:
    """Run cases for the time, or up to the number, in the options."""
    findings = Findings(options.seed)
    messages: queue.Queue = queue.Queue()
    begin = time.monotonic()
    processes = [Process(options, number, messages) for number in range(options.jobs)]
    try:
        while not _is_enough(options, findings, begin):
            try:
                sender, message = messages.get(timeout=0.5)
            except queue.Empty:
                sender, message = None, {}
            _take(options, findings, sender, message)
            for process in processes:
                if process.is_stuck():
                    process.process.kill()
                    process.heard = process.place(), time.monotonic()
    except KeyboardInterrupt:
        print("interrupted; what was found until now:")
    finally:
        for process in processes:
            process.end()
    findings.seconds = time.monotonic() - begin
    return findings


def _is_enough(options, findings, begin) -> bool:
    if options.cases:
        return sum(findings.cases.values()) >= options.cases
    return time.monotonic() - begin > 60 * options.minutes


def _take(options, findings, sender, message) -> None:
    if "counts" in message:
        findings.cases.update(message["counts"])
    elif "failure" in message:
        failure = running.Failure(*message["failure"])
        if findings.add(message["case"], failure):
            print(f"case {message['case']}: {failure.target}: {failure.message[:300]}", flush=True)
    elif "ended" in message:
        index, call = sender.place()
        if message["ended"] == 1:  # an exception of the fuzzer's own
            failure = running.Failure(call, "fuzz", "cannot be judged: " + message["errors"])
        else:
            target = worker.target_of(options, index, call)
            failure = running.Failure(call, target, shrink.ending(message["ended"]))
        if findings.add(index, failure):
            print(f"case {index}: {failure.target}: {failure.message[:300]}", flush=True)
        sender.start(index + options.jobs)


def smallest(options, index: int, failure: running.Failure) -> str:
    """Return the program of a failing case after reduction."""
    case = running.until(drawing.draw(options.seed, index, *options.drawn), failure.call)
    ends = failure.message.startswith(("the process ends", "the call does not return"))
    check = shrink.check_in_child if ends else shrink.check_here
    try:
        case, failure = shrink.shrink(case, check, options.shrink_seconds)
    except ValueError as problem:
        return running.program(case, f"{failure.message}\n{problem}", shrink.ATTEMPTS)
    return running.program(case, failure.message, shrink.ATTEMPTS if ends else 1)


def report(options, findings: Findings) -> None:
    """Print a table, then a program for each kind of failure; last, since logs keep their ends."""
    failed = Counter()
    for (target, _), indices in findings.failures.items():
        failed[target] += len(indices)
    width = max(map(len, targets.ALL))
    print(f"\n{'function':{width}} {'cases':>10} {'differences':>12}")
    for name in targets.ALL:
        if findings.cases[name]:
            print(f"{name:{width}} {findings.cases[name]:>10} {failed[name]:>12}")
    total = sum(findings.cases.values())
    print(f"{'all':{width}} {total:>10} {sum(failed.values()):>12}")
    rate = total / max(findings.seconds, 1e-9)
    print(f"seed {findings.seed}, {findings.seconds:.0f} s, {rate:.0f} cases a second")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(_as_json(options, findings, failed), file, indent=1)
            file.write("\n")
    for key, indices in findings.failures.items():
        replay = ["python", "-m", "fuzz", "--seed", str(findings.seed), "--case", str(indices[0])]
        again = shlex.join([*replay, *_how_drawn(options)])
        print(f"\n# {key[0]}: {len(indices)} cases, such as {indices[:5]}; again: {again}")
        print(_shrunk_by_another(options, indices[0]).rstrip(), flush=True)


def _as_json(options, findings, failed):
    return {
        "seed": findings.seed,
        "seconds": round(findings.seconds, 1),
        "devices": options.devices,
        "functions": {
            name: {"cases": findings.cases[name], "differences": failed[name]}
            for name in targets.ALL
            if findings.cases[name]
        },
    }


def _shrunk_by_another(options, index: int) -> str:
    """Reduce a case in another process, so that this one cannot be ended by it."""
    command = [sys.executable, "-m", "fuzz", "--seed", str(options.seed), "--case", str(index)]
    command += ["--shrink-seconds", str(options.shrink_seconds), *_how_drawn(options)]
    environment = {"MALLOC_PERTURB_": "85", **os.environ}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return done.stdout or f"# it cannot be made small:\n{done.stderr}"
