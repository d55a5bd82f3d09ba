"""Seconds that units take to compile, the code of templates, and a budget of seconds.

    python scripts/build/build_times.py FOLDER          tables of what a build folder compiled
    python scripts/build/build_times.py FOLDER --check  compare with the budget, build_budget.json
    python scripts/build/build_times.py FOLDER --write  make what was measured the budget

Builds with WARPGRAPH_MEASURE write build_times.log in their folder (scripts/build/measured.sh): the
seconds of processors, not of clocks, of each unit that was compiled and not taken from a cache. A
fixed program that is compiled by the same compiler tells how fast this machine is just now.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

BUDGET = Path(__file__).with_name("build_budget.json")
#: A unit, and the sum of all, may take this much more than the budget.
MOST = 1.1
#: Seconds below which the rounding of a small unit is no growth.
SLACK = 1.0
#: Compiled to tell the speed of the machine: headers and templates of the standard library.
PROGRAM = """
#include <algorithm>
#include <map>
#include <regex>
#include <vector>
std::map<std::string, std::vector<std::regex>> known;
void sort_all(std::vector<std::string>& words) { std::sort(words.begin(), words.end()); }
"""


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


def seconds_of_program() -> float:
    """Return the least seconds of three compilations of the program that is always the same."""
    least = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "program.cpp")
        source.write_text(PROGRAM)
        for _ in range(3):
            before = os.times()
            command = ["g++", "-std=c++20", "-O2", "-c", source, "-o", source.with_suffix(".o")]
            subprocess.run(command, check=True)
            after = os.times()
            children = after.children_user + after.children_system
            least = min(least, children - before.children_user - before.children_system)
    return least


def compiler() -> str:
    """Return the version that decides whether seconds can be compared."""
    found = subprocess.run(["g++", "-dumpversion"], capture_output=True, text=True, check=True)
    return "GCC " + found.stdout.split(".")[0].strip()


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


def check(folder: Path) -> list[str]:
    """Return what has grown beyond the budget."""
    budget = json.loads(BUDGET.read_text())
    seconds = measured_in(folder)
    if not seconds or budget["compiler"] != compiler():
        print("build times: nothing was compiled here by", budget["compiler"])
        return []
    speed = budget["program"] / seconds_of_program()
    known = {unit: took * speed for unit, took in seconds.items() if unit in budget["units"]}
    grown = [
        f"{unit}: {took:.1f} s, the budget is {budget['units'][unit]:.1f}"
        for unit, took in known.items()
        if took > MOST * budget["units"][unit] + SLACK
    ]
    grown += [
        f"{unit}: {took * speed:.1f} s, and it is not in the budget"
        for unit, took in seconds.items()
        if unit not in budget["units"]
    ]
    whole, allowed = sum(known.values()), sum(budget["units"][unit] for unit in known)
    if whole > MOST * allowed:
        grown.append(f"all: {whole:.1f} s, the budget of these units is {allowed:.1f}")
    print(f"build times: {len(seconds)} units took {whole:.0f} s of {allowed:.0f} s")
    return grown


def write(folder: Path) -> None:
    """Make the seconds that were measured the budget of these units; others keep theirs."""
    budget = json.loads(BUDGET.read_text()) if BUDGET.exists() else {"units": {}}
    program = seconds_of_program()
    speed = budget.get("program", program) / program
    for unit, took in measured_in(folder).items():
        budget["units"][unit] = round(took * speed, 1)
    budget |= {"compiler": compiler(), "program": round(program * speed, 2)}
    budget["units"] = dict(sorted(budget["units"].items()))
    BUDGET.write_text(json.dumps(budget, indent=1) + "\n")


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
            print("build times grew:", line)
        if grown:
            print("make them smaller, or write a larger budget: make build-times WRITE=1")
            return 1
    else:
        print_tables(given.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
