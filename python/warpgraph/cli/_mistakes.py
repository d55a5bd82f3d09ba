"""The parser of commands, which says of misspelled words what may have been meant."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from warpgraph._arguments import hints

#: Commands by other names.
_SSSP = "sssp --source FROM --targets TO"
_NEAREST = "nearest --facilities V,W"
_WITHIN = "within --limit DISTANCE"
_COMMANDS = {
    "betweenness-centrality": "betweenness",
    "centrality": "betweenness",
    "closest": _NEAREST,
    "connected-components": "components",
    "dijkstra": _SSSP,
    "edge-betweenness": "betweenness --edges",
    "hdbscan": "cluster",
    "isochrone": _WITHIN,
    "isochrones": _WITHIN,
    "leiden": "communities",
    "leiden-communities": "communities",
    "louvain": "communities --method louvain",
    "many-to-many": "sssp --sources FROM",
    "nearest-facilities": _NEAREST,
    "path": _SSSP,
    "plan": "explain COMMAND",
    "reach": _WITHIN,
    "read": "info",
    "route": _SSSP,
    "shortest-path": _SSSP,
    "spanning-tree": "mst",
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors have hints, as those of the parsers of its commands have."""

    _given: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, and refuse options that this parser does not have."""
        self._given = list(sys.argv[1:] if args is None else args)
        found, rest = super().parse_known_args(args, namespace)
        if rest:  # here, where the options of the command are known
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return found, rest

    def error(self, message: str) -> NoReturn:
        """End with a message, which has a hint if a word of the call is like a known one."""
        if self._given and self._given[0] in ("--json", "--threads", "-v", "--verbose"):
            message += "; the options of a command follow its name"
        super().error(message + (self._meant_choice(message) or self._meant_option()))

    def _meant_choice(self, message: str) -> str:
        found = re.search(r"argument (.*): invalid choice: '(.*)' \(", message)
        if found is None:
            return ""
        if found[1] == "COMMAND" and found[2].replace("_", "-") in _COMMANDS:
            return f"; use {_COMMANDS[found[2].replace('_', '-')]}"
        choices = [
            str(choice)
            for action in self._actions
            if argparse.ArgumentError(action, "").argument_name == found[1]
            for choice in action.choices or ()
        ]
        return hints.did_you_mean(found[2], choices)

    def _meant_option(self) -> str:
        known = [name for name in self._option_string_actions if name.startswith("--")]
        for word in self._given:
            name = word.partition("=")[0]
            if name.startswith("--") and not any(option.startswith(name) for option in known):
                meant = hints.alike(name, known)
                return "" if meant is None else f"; did you mean {meant}?"
        return ""
