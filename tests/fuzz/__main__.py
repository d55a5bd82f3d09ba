"""python -m fuzz: see the package."""

from __future__ import annotations

import argparse
import os
import secrets
import sys

from fuzz import drawing, driver, running, shrink, structures, targets, worker


def _parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to run")
    parser.add_argument("--cases", type=int, help="run this number of calls instead")
    parser.add_argument("--seed", type=int, help="by default a new one, which is printed")
    parser.add_argument("--case", type=int, help="run and reduce this case only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--device", default="cpu", help='such as "cpu" or "cpu,cuda:0"')
    parser.add_argument(
        "--only", help="functions, separated by semicolons: " + "; ".join(targets.ALL)
    )
    sizes = structures.SIZES
    parser.add_argument("--largest", choices=sizes, default=sizes[-1], help="of the graphs")
    parser.add_argument("--json", help="a file for the table")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one call")
    parser.add_argument("--shrink-seconds", type=float, default=60.0)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help="the first case's number")
    parser.add_argument("--step", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--journal", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.devices = options.device.split(",")
    options.only = _targets(parser, options.only)
    options.drawn = options.devices, options.only, structures.SIZES.index(options.largest)
    if options.seed is None:
        options.seed = secrets.randbelow(10**9)
    return options


def _targets(parser, names):
    """Return names of targets."""
    if names is None:
        return None
    chosen = [name.strip() for name in names.split(";")]
    for name in chosen:
        if name not in targets.ALL:
            parser.error(f"--only {name!r}: there are " + "; ".join(targets.ALL))
    return chosen


def _run_one(options) -> int:
    case = drawing.draw(options.seed, options.case, *options.drawn)
    failure = shrink.check_in_child(case)
    if failure is None:
        print(running.program(case, "no difference"))
        return 0
    print(driver.smallest(options, options.case, failure))
    return 1


def main(arguments=None) -> int:
    options = _parse(arguments)
    if options.worker:
        worker.work(options)
    if options.case is not None:
        return _run_one(options)
    print(f"fuzz: seed {options.seed}, {options.jobs} processes, {options.device}", flush=True)
    findings = driver.run(options)
    driver.report(options, findings)
    return 1 if findings.failures else 0


if __name__ == "__main__":
    sys.exit(main())
