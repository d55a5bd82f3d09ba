"""Seconds that units take to compile, the code of templates, and a budget of code.

    python scripts/build/build_times.py FOLDER          tables of what a build folder compiled
    python scripts/build/build_times.py FOLDER --check  compare with the budget, build_budget.json
    python scripts/build/build_times.py FOLDER --write  make what was built the budget

Builds with WARPGRAPH_MEASURE write build_times.log in their folder (scripts/build/measured.sh): the
seconds of processors, not of clocks, of each unit that was compiled and not taken from a cache.

Nine tenths of these seconds go into optimising functions, so they grow with the bytes of machine
code that come out. The budget has these bytes: a compiler writes the same ones on every machine,
however busy, and they are there when a cache has saved the seconds.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

BUDGET = Path(__file__).with_name("build_budget.json")
#: A unit, and the sum of all, may have this much more code than the budget.
MOST = 1.1
#: Bytes below which a small unit may grow.
SLACK = 20_000


def unit_of(output: str) -> str:
    """Return the name of a unit: its target and source."""
    target = re.search(r"([^/]+)\.dir/", output)
    source = re.sub(r"(\.cxx|\.cpp|\.cu)?\.(o|gch)$", "", Path(output).name)
    return f"{target[1]}/{source}" if target else source


def measured_in(folder: Path) -> dict[str, float]:
    """Return the seconds of the units that were compiled last, by their names."""
    seconds = {}
    log = folder / "build_times.log"
    for line in log.read_text().splitlines() if log.exists() else ():
        took, output = line.split(maxsplit=1)
        seconds[unit_of(output)] = float(took)
    return seconds


def code_in(folder: Path) -> dict[str, int]:
    """Return the bytes of machine code, of kernels as they are compressed, of the core's units."""
    code: Counter[str] = Counter()
    for unit in (folder / "CMakeFiles").rglob("*.o"):
        if {"warpgraph_core.dir", "_core.dir", "networkx_loops.dir"}.isdisjoint(unit.parts):
            continue
        sections = subprocess.run(
            ["size", "-A", "-d", unit], capture_output=True, text=True, check=True
        )
        for name, size in re.findall(r"^(\S+) +(\d+)", sections.stdout, re.MULTILINE):
            if name.startswith(".text") or name == ".nv_fatbin":
                code[unit_of(str(unit))] += int(size)
    return dict(code)


def compilers(folder: Path) -> dict[str, str]:
    """Return the compilers of C++ and of CUDA, in whose code sizes may be compared."""
    found = {}
    for language in ("CXX", "CUDA"):
        for path in (folder / "CMakeFiles").glob(f"*/CMake{language}Compiler.cmake"):
            text = path.read_text()
            of = [
                re.search(rf"{language}_COMPILER_{what} \"([^\"]+)", text)
                for what in ("ID", "VERSION")
            ]
            found[language] = " ".join(match[1] for match in of if match)
    if "CUDA" in found:
        machines = re.findall(r"generate-code=([^\s\"]+)", (folder / "build.ninja").read_text())
        found["CUDA"] += ", " + ", ".join(sorted(set(machines)))
    return found


def templates_in(folder: Path) -> list[tuple[str, int, int]]:
    """Return (function without template arguments, instances, bytes of code), largest first."""
    sizes: Counter[str] = Counter()
    instances: Counter[str] = Counter()
    for library in sorted(folder.rglob("*.o")):
        command = ["nm", "--size-sort", "-S", "-C", library]
        for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines():
            symbol = re.match(r"[0-9a-f]+ ([0-9a-f]+) [tTwW] (.*)", line)
            if symbol:
                name = function_of(symbol[2])
                sizes[name] += int(symbol[1], 16)
                instances[name] += 1
    return [(name, instances[name], size) for name, size in sizes.most_common()]


def function_of(symbol: str) -> str:
    """Return a demangled name without what differs between the instances of a template."""
    name = symbol.replace("(anonymous namespace)::", "")
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return name.split("(")[0].split(" ")[-1] or symbol[:60]


def print_tables(folder: Path) -> None:
    """Print units by seconds and templates by code."""
    seconds = measured_in(folder)
    print(f"{sum(seconds.values()):8.1f} s  all of {len(seconds)} units")
    for unit, took in sorted(seconds.items(), key=lambda item: -item[1])[:40]:
        print(f"{took:8.1f} s  {unit}")
    print("\ninstances     bytes  function")
    for name, count, size in templates_in(folder)[:40]:
        print(f"{count:9} {size:9}  {name}")


def by_compiler(folder: Path) -> dict[str, dict[str, int]]:
    """Return the code of the units of each compiler."""
    names = compilers(folder)
    if not names:
        sys.exit(f"{folder} is no build folder: make demo or make test makes one")
    found: dict[str, dict[str, int]] = {name: {} for name in names.values()}
    for unit, size in sorted(code_in(folder).items()):
        found[names["CUDA" if unit.endswith("_cu") or "cuda" in unit else "CXX"]][unit] = size
    return found


def check(folder: Path) -> list[str]:
    """Return what has grown beyond the budget."""
    try:
        budget = json.loads(BUDGET.read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"{BUDGET} must have the budget, which make build-budget writes: {error}")
    grown = []
    for compiler, units in by_compiler(folder).items():
        allowed = budget.get(compiler)
        if allowed is None or not units:
            print("build budget: nothing to compare by", compiler)
            continue
        for unit, size in units.items():
            if size > MOST * allowed.get(unit, 0) + SLACK:
                most = allowed.get(unit, 0)
                grown.append(f"{unit}: {size:,} bytes of code, the budget is {most:,}")
        whole, most = sum(units.values()), sum(allowed.values())
        if whole > MOST * most:
            grown.append(f"all: {whole:,} bytes of code, the budget is {most:,}")
        print(f"build budget: {whole:,} bytes of code by {compiler}, of {most:,}")
    return grown


def write(folder: Path) -> None:
    """Make the code of this build the budget of its compilers."""
    budget = json.loads(BUDGET.read_text()) if BUDGET.exists() else {}
    for compiler, units in by_compiler(folder).items():
        budget[compiler] = {unit: size for unit, size in units.items() if size > SLACK}
    BUDGET.write_text(json.dumps(dict(sorted(budget.items())), indent=1) + "\n")


def main() -> int:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.write:
        write(given.folder)
    elif given.check:
        grown = check(given.folder)
        for line in grown:
            print("the build grew:", line)
        if grown:
            print("make it smaller, or write a larger budget: make build-budget")
            return 1
    else:
        print_tables(given.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
