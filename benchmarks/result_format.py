"""The format of results/: written by harness.py, read by report.py, checked by lint."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path
from typing import Any

FORMAT = 1

#: The keys of a result and of a measurement, with the types that their values may have.
RESULT_KEYS: dict[str, tuple[type, ...]] = {
    "format": (int,),
    "benchmark": (str,),
    "suite": (str,),
    "started": (str,),
    "commit": (str,),
    "dirty": (bool,),
    "machine": (dict,),
    "versions": (dict,),
    "protocol": (dict,),
    "measurements": (list,),
}
MEASUREMENT_KEYS: dict[str, tuple[type, ...]] = {
    "case": (str,),
    "size": (dict,),
    "device": (str,),
    "threads": (int,),
    "resident": (bool,),
    "checked": (bool,),
    "ours": (str,),
    "runs": (dict,),
    "medians": (dict,),
    "ratios": (dict,),
    "floor": (dict, type(None)),
}
#: Optional keys of a measurement: contestant -> what is counted -> an integer for each run; rival
#: -> seconds after which it was stopped; the benchmark whose table has it, if not that of the file.
OPTIONAL_KEYS: dict[str, tuple[type, ...]] = {
    "counts": (dict,),
    "unfinished": (dict,),
    "benchmark": (str,),
}
MACHINE_KEYS = ("device_name", "cpu", "cores", "memory_bytes", "platform")


def problems(result: Any) -> list[str]:
    """Return what is wrong with a result, one sentence each; nothing when it is well formed."""
    if not isinstance(result, dict):
        return ["the file does not hold an object"]
    found = _key_problems(result, RESULT_KEYS, "the result")
    if found:
        return found
    if result["format"] != FORMAT:
        found.append(f"format is {result['format']}, not {FORMAT}")
    if not re.fullmatch(r"[0-9a-f]{7,40}", result["commit"]):
        found.append(f"commit is {result['commit']!r}: no result without the code that it is of")
    found += [f"machine lacks {key!r}" for key in MACHINE_KEYS if key not in result["machine"]]
    if not result["measurements"]:
        found.append("there are no measurements")
    for measurement in result["measurements"]:
        found += _measurement_problems(measurement)
    return found


def _key_problems(found: Any, keys: dict[str, tuple[type, ...]], where: str) -> list[str]:
    if not isinstance(found, dict):
        return [f"{where} is not an object"]
    missing = [f"{where} lacks {key!r}" for key in keys if key not in found]
    extra = [f"{where} has the unknown key {key!r}" for key in found if key not in keys]
    mistyped = [
        f"{key!r} of {where} is {found[key]!r}"
        for key, types in keys.items()
        if key in found and not isinstance(found[key], types)
    ]
    return missing + extra + mistyped


def _measurement_problems(measurement: Any) -> list[str]:
    where = f"measurement {measurement.get('case')!r}" if isinstance(measurement, dict) else "one"
    given = {key: types for key, types in OPTIONAL_KEYS.items() if key in measurement}
    found = _key_problems(measurement, MEASUREMENT_KEYS | given, where)
    if found:
        return found
    runs, ours = measurement["runs"], measurement["ours"]
    if ours not in runs:
        return [f"{where} has no runs of {ours!r}"]
    if not all(times and all(t > 0 for t in times) for times in runs.values()):
        return [f"{where} has a contestant without positive times"]
    medians, ratios = summarise(runs, ours)
    if measurement["medians"] != medians or measurement["ratios"] != ratios:
        found.append(f"{where}: medians or ratios are not those of its runs")
    for name, counts in measurement.get("counts", {}).items():
        for what, values in counts.items():
            if len(values) != len(runs.get(name, ())) or {*map(type, values)} != {int}:
                found.append(f"{where} has not one count of {what!r} for each run of {name!r}")
    return found


def summarise(runs: dict[str, list[float]], ours: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return the median of each contestant's times, and each rival's divided by ours."""
    medians = {name: statistics.median(times) for name, times in runs.items()}
    ratios = {name: m / medians[ours] for name, m in medians.items() if name != ours}
    return medians, ratios


def load(path: Path) -> dict[str, Any]:
    """Read a result file; a malformed one is a ValueError."""
    result = json.loads(path.read_text(encoding="utf-8"))
    if found := problems(result):
        raise ValueError(f"{path}: {'; '.join(found)}")
    return result  # type: ignore[no-any-return]
