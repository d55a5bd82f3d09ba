"""Times of every way of every call of the designed set, from which coefficients are fitted.

python -m benchmarks.rates.measure rows.json --devices cpu,cuda --set fitted --limit 300
"""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks.machine import commit, describe_machine
from benchmarks.rates import designed
from warpgraph import _core

#: A way is stopped after so many seconds, and measured no more than so often.
LONGEST = 2.5
MOST_RUNS = 6
#: Seconds after which a way is not repeated.
ENOUGH = 0.12


class StoppedError(Exception):
    """Raised by the alarm."""


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise StoppedError in the calling thread after some seconds."""

    def stop(*_: Any) -> None:
        raise StoppedError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def times_of(run: Callable[[], Any]) -> list[float]:
    """Return the seconds of some runs, the first one included; none if it was stopped."""
    found: list[float] = []
    try:
        while len(found) < 2 or (len(found) < MOST_RUNS and sum(found) < ENOUGH):
            if sum(found) > LONGEST:
                break
            with alarm(LONGEST):
                start = time.perf_counter()
                run()
                found.append(time.perf_counter() - start)
    except (StoppedError, KeyboardInterrupt):
        pass
    except (ValueError, MemoryError, wg.DeviceError, NotImplementedError) as error:
        print("  refused:", str(error)[:150], file=sys.stderr)
    return found


def facts_of(x: Any) -> dict[str, Any]:
    """Return the sizes of an input."""
    if isinstance(x, np.ndarray):
        return {"n": x.shape[0], "d": x.shape[1]}
    levels = _core.levels_of(wg.Graph(x)._handle)
    longest = int(np.diff(x.indptr).max())
    return {"n": x.shape[0], "m": int(x.nnz), "longest_row": longest, "levels": levels}


def rows_of(
    name: str, x: Any, call: designed.Call, devices: set[str], *, with_auto: bool
) -> Iterator[dict[str, Any]]:
    facts = facts_of(x)
    if not call.fits(facts["n"], facts.get("m", 0)):
        return
    ways = [(*way, False) for way in call.ways if way[0] in devices]
    if with_auto:
        ways.append(("auto" if "cuda" in devices else "cpu", None, True))
    is_graph = not isinstance(x, np.ndarray)
    # "auto" comes last: it finds what the other ways have made, and has learnt nothing.
    kept_graph = wg.Graph(x) if is_graph else None
    for device, method, is_auto in ways:
        how = {"method": method} if method else {}
        if device != "cpu" or "device" in call.takes:
            how["device"] = device
        if "device" not in call.takes:
            how.pop("device", None)
        for kept in (False, True) if is_graph else (False,):
            graph = kept_graph if kept else x
            _core.set_learning(is_auto)
            found = times_of(lambda graph=graph, how=how: call.make(graph, **how))
            yield {
                "input": name,
                "call": call.name,
                "device": device,
                "method": method,
                "is_auto": is_auto,
                "kept": kept,
                "times": found,
                **facts,
            }
            if not found:
                break


def main() -> None:
    """Measure, and write after each input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--devices", default="cpu")
    parser.add_argument("--set", default="fitted", choices=("fitted", "unseen"))
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--auto", action="store_true")
    parser.add_argument("--calls", default="")
    parser.add_argument("--inputs", default="")
    options = parser.parse_args()
    devices = set(options.devices.split(","))
    if options.threads:
        wg.set_num_threads(options.threads)
    end = time.monotonic() + options.limit
    graphs = designed.FITTED if options.set == "fitted" else designed.UNSEEN
    points = designed.FITTED_POINTS if options.set == "fitted" else designed.UNSEEN_POINTS
    rows: list[dict[str, Any]] = []
    head = {
        "machine": describe_machine("cuda:0" if "cuda" in devices else "cpu"),
        "commit": commit(),
        "threads": wg.get_num_threads(),
    }
    if "cuda" in devices:
        start = time.perf_counter()
        wg.bfs(designed.chain(10), 0, device="cuda")
        head["context_seconds"] = time.perf_counter() - start
    for group, calls in ((points, designed.POINT_CALLS), (graphs, designed.CALLS)):
        for name, build in group.items():
            if options.inputs and not any(part in name for part in options.inputs.split(",")):
                continue
            x = build()
            for call in calls:
                if options.calls and not call.name.startswith(tuple(options.calls.split(","))):
                    continue
                if time.monotonic() > end:
                    break
                rows += rows_of(name, x, call, devices, with_auto=options.auto)
            options.file.write_text(json.dumps({**head, "rows": rows}))
            print(f"{name}: {time.monotonic() - end + options.limit:.0f} s", flush=True)


if __name__ == "__main__":
    main()
