"""Reports of commands: one JSON object, or lines of text for people.

Names of vertices may have blanks, commas, quotes and ends of lines. In a line of text, one that
could be misread is a JSON string, so what begins with a double quote is one; the vertices of a path
have a line each.
"""

from __future__ import annotations

import argparse
import errno
import json
import math
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

import warpgraph as wg
from warpgraph._arguments import device as _device
from warpgraph.cli._files import naming
from warpgraph.cli._wording import for_shell

Report = dict[str, Any]

_AMBIGUOUS = re.compile(r'[\s,"\\]')

LISTED = 10  # rows that a text report lists of a table


class Explained(Exception):  # noqa: N818 - no error
    """Ends a command when the plan of its call has been reported."""


def is_plan(args: argparse.Namespace) -> bool:
    """Return whether a command reports the plan of its call alone: ``warpgraph explain``."""
    return getattr(args, "explains", False)


def timed(
    report: Report,
    args: argparse.Namespace,
    function: Callable[..., Any],
    *arguments: Any,
    **options: Any,
) -> Any:
    """Call a function and return its result; the devices that it took, and its time, are reported.

    The device that was asked for is reported if nothing was planned, as without vertices. Under
    ``warpgraph explain``, the plan of the call is reported in its place.
    """
    started = time.perf_counter()
    with _device.watched() as devices:
        if is_plan(args):
            plan = wg.explain(function, *arguments, **options)
            emit(asdict(plan) if args.json else for_shell(str(plan)), as_json=args.json)
            raise Explained
        result = function(*arguments, **options)
    used = next(iter(devices.values()), [args.device])
    report["device"] = ", ".join(dict.fromkeys(used))
    report["seconds"] = round(time.perf_counter() - started, 6)
    return result


def largest(labels: Any) -> list[int]:
    """Return the sizes of the largest groups, largest first; those below 0 are none."""
    sizes: list[int] = np.sort(np.bincount(labels[labels >= 0]))[::-1][:LISTED].tolist()
    return sizes


def emit(report: Report | str, *, as_json: bool) -> None:
    """Print a report: one JSON object, or a line for each entry, or a text as it is."""
    with naming("standard output"):
        if sys.stdout is None:  # closed before this process began; print() would do nothing
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        if as_json:
            text = json.dumps(_plain(report), allow_nan=False)
        else:
            text = _printable(report if isinstance(report, str) else _lines(report))
        print(text, flush=True)


def _printable(text: str) -> str:
    """Return the text with escapes for what standard output cannot encode, as on stderr."""
    encoding, errors = sys.stdout.encoding, sys.stdout.errors
    if errors != "strict":
        return text
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _lines(report: Report) -> str:
    """Return a line for each entry, and for each that a list has, up to the first ten."""
    lines = []
    width = max(map(len, report)) + 2
    for key, value in report.items():
        name = key.replace("_", " ")
        if isinstance(value, list):
            shown = [line for item in value[:LISTED] for line in _lines_of(item)]
            if len(value) > LISTED:
                shown.append(f"and {len(value) - LISTED} more")
            lines.append(f"{name:<{width}}" + f"\n{'':<{width}}".join(shown or ["none"]))
        elif value is not None and value != "":
            lines.append(f"{name:<{width}}{_whole_line(value)}")
    return "\n".join(lines)


def _lines_of(item: Any) -> list[str]:
    """Return the line of an item in a list, and a line for each vertex of its path."""
    if not isinstance(item, dict) or "path" not in item:
        return [_whole_line(item)]
    path = item["path"]
    lines = [_text({**item, "path": f"of {len(path)} vertices"})]
    lines += [f"  {_name(vertex)}" for vertex in path[:LISTED]]
    return lines if len(path) <= LISTED else [*lines, f"  and {len(path) - LISTED} more"]


def _plain(value: Any) -> Any:
    """Return `value` as JSON, which has neither NumPy types nor infinity."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _text(value: Any) -> str:
    if isinstance(value, dict):
        texts = {key: value if key == "path" else _name(value) for key, value in value.items()}
        return ", ".join(f"{key.replace('_', ' ')} {text}" for key, text in texts.items())
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _name(value: Any) -> str:
    """Return a text as a JSON string unless it is one word without commas and quotes."""
    if not isinstance(value, str):
        return _text(value)
    is_word = value.isprintable() and not _AMBIGUOUS.search(value)
    return value if value and is_word else json.dumps(value, ensure_ascii=not value.isprintable())


def _whole_line(value: Any) -> str:
    """Return a text that ends with its line, so that it may have blanks and commas within."""
    is_line = isinstance(value, str) and value.isprintable() and value == value.strip()
    return str(value) if is_line and not value.startswith('"') else _name(value)
