"""The measurements that the pages show: the newest of each case on each kind of machine."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import others
from benchmarks.result_format import load

#: Benchmarks and suites whose tables are on other pages.
NOT_SHOWN = {"builds", "row_order"}
NOT_SHOWN_SUITES = {"smoke", "seed-003-clusters"}


@dataclass(frozen=True)
class Line:
    """One measurement, with the benchmark, the machine and the versions of its file."""

    benchmark: str
    machine: str
    versions: dict[str, str]
    started: str
    commit: str
    measurement: dict[str, Any]
    #: Programs of others that only older measurements of this case have, and the newest of these.
    earlier: dict[str, Line] = field(default_factory=dict)

    @property
    def key(self) -> tuple[Any, ...]:
        """The machine and the case: a newer measurement with the same key replaces this one."""
        m = self.measurement
        if m["device"] == "cpu":
            return cores_of(self.machine), m["case"], m["device"], m["threads"]
        return gpu_of(self.machine), m["case"], m["device"]


def gpu_of(machine: str) -> str:
    """Return the GPU of a machine: cores beside it are of no weight for what runs there."""
    return machine.partition(", ")[0]


def cores_of(machine: str) -> str:
    """Return the cores of a machine, without its GPU and the rate of the clock."""
    return re.sub(r" @ [\d.]+GHz", "", machine.rpartition(", ")[2])


def machine_name(machine: dict[str, Any]) -> str:
    """Return "NVIDIA H200, 16 cores of Intel Xeon" or "2 cores of ..."."""
    cpu = machine["cpu"].replace("(R)", "").replace(" Processor", "")
    cores = f"{machine['cores']} cores of {cpu}"
    gpu = (machine["device_name"] or "").removesuffix(" 80GB HBM3")
    return f"{gpu}, {cores}" if gpu else cores


def machine_place(machine: str) -> tuple[bool, bool, str]:
    """Return what orders machines: those without a GPU, then those with one."""
    return "NVIDIA" in machine, not machine.startswith("2 cores"), machine


def read(folder: Path) -> list[Line]:
    """Return the newest measurement of each case on each kind of machine, in the files' order.

    No older one is shown beside it, whose time may be that of a method that the library no longer
    has. If only an older one has a program of others, the newest has this one's ratio in `earlier`.
    """
    of_case: dict[tuple[Any, ...], list[Line]] = {}
    found = _all_lines(folder)
    for line in found:
        of_case.setdefault(line.key, []).append(line)
    newest = {id(line): line for line in map(_newest, of_case.values())}
    return [newest[id(line)] for line in found if id(line) in newest]


def _all_lines(folder: Path) -> list[Line]:
    found = []
    for path in sorted(folder.glob("*.json")):
        result = load(path)
        if result["suite"] in NOT_SHOWN_SUITES or result["benchmark"] in NOT_SHOWN:
            continue
        machine = machine_name(result["machine"])
        about = machine, result["versions"], result["started"], result["commit"]
        for m in result["measurements"]:
            benchmark = m.get("benchmark", result["benchmark"])
            found.append(Line(benchmark, *about, others.without_unversioned(m, result["versions"])))
    return found


def _newest(lines: list[Line]) -> Line:
    *older, newest = sorted(lines, key=lambda line: line.started)
    known = others.ratios_of_others(newest.measurement).keys()
    for line in older:
        for rival in line.measurement["ratios"]:
            if rival in others.OTHERS and others.OTHERS[rival] not in known:
                newest.earlier[rival] = line
    return newest
