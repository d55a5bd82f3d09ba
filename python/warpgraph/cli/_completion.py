"""``warpgraph --print-completion SHELL``: a script by which a shell completes commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

SHELLS = ("bash", "zsh", "tcsh")
#: Arguments that are files.
_FILES = {"coordinates", "graph", "output", "plot", "predecessors"}


class PrintCompletion(argparse.Action):
    """Print the script, which shtab writes, and exit."""

    def __call__(self, parser: argparse.ArgumentParser, _: Any, shell: Any, __: Any = None) -> None:
        """Print the script for a shell."""
        try:
            import shtab
        except ImportError:
            raise ImportError(
                "pip install 'warpgraph[completion]': the package shtab, which is not installed, "
                "writes the script that completes commands"
            ) from None
        for action in _actions(parser):
            if action.dest in _FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
        print(shtab.complete(parser, shell))
        parser.exit()


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a command and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
