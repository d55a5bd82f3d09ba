"""Rules of the imports and numbers of Python, for scripts/check_layout.py.

Imports in functions and under TYPE_CHECKING count like all others. python_debts.json lists modules
with numbers that belong to csrc/plan/rates.hpp; its numbers only become smaller.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

#: Folders and modules of python/warpgraph, from the lowest row to the highest. A module imports
#: from its own folder and from lower rows. "" is warpgraph itself, with the private modules beside
#: it.
ROWS = (
    ("_core",),
    ("_arguments",),
    ("_files",),
    ("_tables",),
    ("_graph",),
    ("_communities", "_paths", "_rank", "_reach", "_search", "_trees"),
    ("generators", "io", "runtime", "transform"),
    ("datasets", "plot"),
    ("cluster", "csgraph", "nx_backend"),
    ("distributed",),
    ("dask", "ray"),
    ("",),
    ("demo",),
    ("cli",),
    ("__main__",),
)
DEBTS = "scripts/python_debts.json"

#: Names of constants that tell of machines, or from which size on something gains.
_OF_MACHINES = re.compile(
    r"WORTH|SECONDS|SMALL|FEW|CORES|GAIN|DIMENSIONS|BYTES_(?:A|AN|OF_A|PER)(?:_|$)"
)

Imports = dict[str, dict[str, int]]


def check_python(root: Path) -> Iterator[str]:
    """Yield what breaks a rule and is no debt, and debts that are paid."""
    debts = {"numbers": {}}
    if (root / DEBTS).exists():
        debts |= json.loads((root / DEBTS).read_text(encoding="utf-8"))
    files = modules_of(root)
    imports = {name: imports_of(name, file, files) for name, file in files.items()}
    yield from check_numbers(root, list(files.values()), debts["numbers"])
    for importer, target, line in upward(imports):
        arrow = f"{importer or 'warpgraph'} -> {target or 'warpgraph'}"
        yield f"{files[importer].relative_to(root)}:{line}: {arrow}: an arrow that points up"
    circles = {name: circle for circle in circles_of(imports) for name in circle}
    for name, circle in sorted(circles.items()):
        others = ", ".join(sorted(circle - {name}))
        yield f"{files[name].relative_to(root)}:1: a circle of imports with {others}"


def check_numbers(root: Path, files: list[Path], debts: dict[str, int]) -> Iterator[str]:
    """Yield the numbers of machines that modules have, and debts that are too high."""
    found = {file.relative_to(root).as_posix(): list(numbers_of(file)) for file in files}
    for module in sorted(found.keys() | debts.keys()):
        numbers, limit = found.get(module, []), debts.get(module, 0)
        if len(numbers) < limit:
            n = len(numbers)
            yield f"{DEBTS}:1: {module} has {n} numbers by now, not {limit}: lower the number"
        for name, line in numbers if len(numbers) > limit else ():
            yield f"{module}:{line}: {name}: csrc/plan/rates.hpp has the numbers of machines"


def numbers_of(file: Path) -> Iterator[tuple[str, int]]:
    """Yield the constants of a module that are numbers of machines: name, line."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        value = [item.value for item in ast.walk(node.value) if isinstance(item, ast.Constant)]
        is_number = any(isinstance(item, (int, float)) for item in value)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for name in (target.id for target in targets if isinstance(target, ast.Name)):
            if is_number and name.isupper() and _OF_MACHINES.search(name):
                yield name, node.lineno


def modules_of(root: Path) -> dict[str, Path]:
    """Return the files of the package by the names of their modules; warpgraph itself is ""."""
    package = root / "python" / "warpgraph"
    names = {}
    for file in sorted([*package.rglob("*.py"), *package.glob("_core.pyi")]):
        parts = file.relative_to(package).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return names


def imports_of(name: str, file: Path, modules: dict[str, Path]) -> dict[str, int]:
    """Return the modules of the package that a file imports, each with the line."""
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            targets = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for target in targets:
            package, _, module = target.partition(".")
            while module not in modules:  # the last part may be a function
                module = module.rpartition(".")[0]
            if package == "warpgraph" and module != name:
                found.setdefault(module, node.lineno)
    return found


def folder_of(module: str) -> str:
    """Return the folder or module of ROWS that a module belongs to."""
    first = module.split(".")[0]
    return first if any(first in row for row in ROWS) else ""


def upward(imports: Imports) -> Iterator[tuple[str, str, int]]:
    """Yield the imports from another folder that is not in a lower row: importer, target, line."""
    level = {folder: k for k, row in enumerate(ROWS) for folder in row}
    for importer, targets in imports.items():
        for target, line in targets.items():
            here, there = folder_of(importer), folder_of(target)
            if here != there and level[there] >= level[here]:
                yield importer, target, line


def circles_of(imports: Imports) -> list[set[str]]:
    """Return the sets of modules that import each other, directly or through others."""
    reached = {name: reachable(imports, name) for name in imports}
    circles: dict[str, set[str]] = {}
    for name in imports:
        circle = {other for other in reached[name] if name in reached[other]}
        if circle:
            circles[min(circle)] = circle
    return list(circles.values())


def reachable(imports: Imports, start: str) -> set[str]:
    """Return the modules that a module imports, directly or through others."""
    found, stack = set(), [start]
    while stack:
        for target in imports[stack.pop()]:
            if target not in found:
                found.add(target)
                stack.append(target)
    return found
