"""Options of several commands, which functions have under the same names."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from warpgraph._arguments import validate

_SHARED = ("directed", "unweighted", "method", "memory_limit", "device")


def shared(args: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of a function that a command's options of this module stand for."""
    return {name: getattr(args, name) for name in _SHARED if name in args}


def add_undirected(command: argparse.ArgumentParser) -> None:
    """Add the options of all searches."""
    command.add_argument(
        "--undirected", dest="directed", action="store_false", help="treat edges as undirected"
    )


def add_unweighted(command: argparse.ArgumentParser, methods: Sequence[str]) -> None:
    """Add the options of commands that read weights, and their methods."""
    add_undirected(command)
    command.add_argument("--unweighted", action="store_true", help="every edge weighs 1")
    command.add_argument("--method", choices=methods, default="auto", help="default: auto")


def add_device(command: argparse.ArgumentParser) -> None:
    """Add the options for the device and its memory."""
    command.add_argument(
        "--device", default="auto", help="auto (default), cpu, cuda, cuda:<number> or cuda:all"
    )
    command.add_argument(
        "--memory-limit",
        type=_memory_size,
        metavar="SIZE",
        help="bytes that the work may take, such as 2e9, 2GB (1000**3) or 512MiB (1024**2)",
    )


def _memory_size(text: str) -> int:
    try:
        return validate.memory_limit(text)
    except ValueError as error:
        sentence = str(error).removeprefix("memory_limit ")
        raise argparse.ArgumentTypeError(sentence) from None
