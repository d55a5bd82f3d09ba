"""Rates of this machine, for the plans of calls, and the switch that freezes plans."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

from warpgraph import _core
from warpgraph._arguments import validate

#: Rates that are so many times those that were measured for the package are no rates.
_MOST = 1e3

_FREEZE = "WARPGRAPH_FREEZE_PLANS"


def freeze_plans(frozen: bool = True) -> None:
    """Let plans depend on a call's arguments and the rates alone, as for benchmarks and tests.

    Else a `Graph` learns how long its calls take, and a later call may take another method or
    device, which has the same result; a long call may find the faster one of two methods while it
    runs. The environment variable ``WARPGRAPH_FREEZE_PLANS=1`` freezes plans from the start.

    Parameters
    ----------
    frozen : bool
        False lets plans learn again.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.freeze_plans()
    >>> wg.show_config(mode="dicts")["plans"]
    'frozen'
    >>> wg.freeze_plans(False)
    """
    _core.set_learning(not validate.flag(frozen, "frozen"))


def file() -> Path:
    """Return the file in the user's cache folder that keeps what ``warpgraph tune`` measured."""
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches"
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return folder / "warpgraph" / "rates.json"


def described() -> str:
    """Return which rates plans rest on."""
    cores, gpu = _core.scales()
    if (cores, gpu) == (1, 1):
        return "of the machines that the package was measured on; warpgraph tune measures this one"
    return f"of warpgraph tune: cores take {cores:.2f} times, a GPU {gpu:.2f} times as long"


def load() -> None:
    """Take the rates of this machine, if they were measured, and the switch of the environment."""
    if os.environ.get(_FREEZE, "0") not in ("", "0"):
        freeze_plans()
    try:
        text = file().read_text()
    except (OSError, RuntimeError):  # no file, or no home
        return
    try:
        take(json.loads(text))
    except (ValueError, TypeError, KeyError) as error:
        validate.warn(
            f"the rates in {file()} are ignored: {error}; warpgraph tune measures them again",
            RuntimeWarning,
        )


def save(rates: dict[str, Any]) -> Path:
    """Write the rates, all or nothing, and return the file."""
    place = file()
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_suffix(f".{os.getpid()}")
    try:
        part.write_text(json.dumps(rates, indent=1) + "\n")
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)
    return place


def take(rates: dict[str, Any]) -> None:
    """Let plans rest on rates; ValueError if they are none, or those of another machine."""
    if not isinstance(rates, dict) or rates.get("machine") != machine():
        raise ValueError("they were measured on another machine")
    scales = [float(rates["cores"]), float(rates["gpu"])]
    if not all(1 / _MOST < scale < _MOST for scale in scales):
        raise ValueError(f"{scales} are no rates")
    _core.set_scales(*scales)


def machine() -> dict[str, Any]:
    """Return what tells machines apart, without asking a driver."""
    return {
        "node": platform.node(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "cuda": _core.built_with_cuda,
    }
