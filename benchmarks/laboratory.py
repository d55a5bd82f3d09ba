"""The module of the laboratory, which experiments of articles need: variants of methods."""

from __future__ import annotations

from typing import Any


def laboratory() -> Any:
    """Return the module; end the program with what to do if it is not there."""
    try:
        import warpgraph_experiments
    except ModuleNotFoundError as error:
        if error.name != "warpgraph_experiments":
            raise
        raise SystemExit(
            "This experiment needs the module warpgraph_experiments, which is in no wheel: "
            '"make laboratory" or "scripts/gpu_machine.sh experiments" builds and installs it'
        ) from None
    return warpgraph_experiments
