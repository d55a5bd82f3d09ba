"""Prints the lowest versions that pyproject.toml allows, as constraints: ``make test-floors``."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
#: Later versions warn of what the lowest version of another distribution calls.
CEILINGS = ["pyparsing<3.3"]  # matplotlib 3.8


def floors() -> dict[str, str]:
    """Return the lowest version of each distribution that the package, or an extra, asks for."""
    table = PROJECT.read_text(encoding="utf-8").partition("\n[project]\n")[2]
    table = table.partition("\n[dependency-groups]\n")[0]
    return dict(re.findall(r'"([\w-]+)>=([\d.]+)["; ]', table))


if __name__ == "__main__":
    print("\n".join([*(f"{name}=={version}" for name, version in floors().items()), *CEILINGS]))
