"""Do in bare Debian systems what the README tells its readers to do.

    python scripts/fresh.py [--suite bookworm] [--wheel dist/warpgraph-*.whl]

In each suite, one system gets the packages that the README names and a clone of the last commit:
`make demo` and `make test` run there. Another has Python alone, and the wheel, if there is one for
its Python, is installed and tried. Logs are in build/fresh. Needs root and mmdebstrap.
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

import debian_root
import tested

ROOT = Path(__file__).parent.parent
PLACE = ROOT / "build" / "fresh"
#: The Python of each suite, as in the names of wheels.
SUITES = {"bookworm": "cp311", "trixie": "cp313"}
#: Packages that the README names: "both need python3-venv, make and g++".
INSTALL = "apt-get -q update && apt-get -q -y install python3-venv make g++"


def report(what: str, system: Path, command: list[str]) -> bool:
    """Run a command in a system; print how it went, and how long it took."""
    log, start = PLACE / f"{what.replace(' ', '-')}.log", time.monotonic()
    with log.open("w") as file:
        status = debian_root.run(system, command, log=file)
    said = "passed" if status == 0 else f"FAILED with {status}"
    print(f"{what}: {said} after {time.monotonic() - start:.0f} s, {log.relative_to(ROOT)}")
    return status == 0


def try_checkout(suite: str) -> bool:
    """Run the two commands of the README."""
    system = PLACE / f"{suite}-compiler"
    debian_root.make(system, suite, ())
    debian_root.clone(ROOT, system / "root" / "warpgraph")
    make = ["make", "-C", "/root/warpgraph"]
    steps = {
        "apt": ["sh", "-c", INSTALL],
        "make demo": [*make, "demo"],
        "make test": [*make, "test"],
    }
    return all(report(f"{suite} {name}", system, command) for name, command in steps.items())


def try_wheel(suite: str, wheel: Path) -> bool:
    """Install a wheel where there is no compiler, and try it."""
    system = PLACE / f"{suite}-python"
    debian_root.make(system, suite, ["python3-venv"])
    if debian_root.run(system, ["sh", "-c", "! command -v cc && ! command -v g++"]):
        raise SystemExit(f"{system} has a compiler")
    debian_root.clone(ROOT, system / "root" / "warpgraph")
    shutil.copy(wheel, system / "root")
    script = ["python3", "/root/warpgraph/scripts/try_wheel.py", f"/root/{wheel.name}"]
    return report(f"{suite} wheel", system, script)


def main() -> None:
    """Try the suites that are asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", choices=SUITES, action="append")
    parser.add_argument("--wheel", type=Path, action="append", default=[])
    arguments = parser.parse_args()
    PLACE.mkdir(parents=True, exist_ok=True)
    failed = False
    for suite in arguments.suite or SUITES:
        tries = {f"Debian {suite}, bare": ("`make demo`, `make test`", try_checkout(suite))}
        for wheel in arguments.wheel:
            if f"-{SUITES[suite]}-" in wheel.name:
                name = f"Debian {suite} without a compiler"
                tries[name] = ("the wheel", try_wheel(suite, wheel))
        for name, (what, passed) in tries.items():
            tested.record("systems", name, what, "runs" if passed else "fails")
            failed |= not passed
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
