"""Writes python/warpgraph/_core.pyi from the signatures of the compiled module.

    python scripts/stubs/compiled.py

The module is the one that ``import warpgraph`` finds; the stub is that of the tree that this script
is in. tests/repository/test_stubs.py fails if the two differ.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STUB = Path(__file__).parents[2] / "python" / "warpgraph" / "_core.pyi"
HEADER = """\
# Written by scripts/stubs/compiled.py from the signatures of the module: "make stub".
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
DType = np.dtype[Any]
"""
MAX_COLUMNS = 100

#: Patterns of what pybind11 writes, whichever its version, and what they mean to callers.
_TYPES = (
    (r"typing\.SupportsInt(?: \| typing\.SupportsIndex)?", "int"),
    (r"typing\.SupportsFloat(?: \| typing\.SupportsIndex)?", "float"),
    (r"warpgraph\._core\.|collections\.abc\.", ""),
    (r"numpy\.(?:typing\.NDArray|ndarray)\[(?:numpy\.)?(\w+)\]", r"npt.NDArray[np.\1]"),
    (r"numpy\.ndarray", "Array"),
    (r"numpy\.dtype", "DType"),
    (r"\bdict\b(?!\[)", "dict[str, Any]"),
    (r"\btuple\b(?!\[)", "tuple[Any, ...]"),
    (r"(?<=-> )object\b", "Any"),
    (r" = [^,()]+(?:\([^)]*\))?(?=[,)])", " = ..."),
)


def parameters_of(signature: str) -> list[str]:
    """Split what is between the outer parentheses at its outer commas."""
    parts, depth = [""], 0
    for letter in signature:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part]


def signature_of(function: Any) -> tuple[list[str], str]:
    """Return the parameters and the result of a function of pybind11."""
    line = (inspect.getdoc(function) or "").splitlines()[0]
    for pattern, meaning in _TYPES:
        line = re.sub(pattern, meaning, line)
    arguments, result = line[line.index("(") + 1 :].rsplit(") -> ", 1)
    parameters = [re.sub(r"^(?:self|arg0): .*", "self", part) for part in parameters_of(arguments)]
    return parameters, result


def definition(name: str, function: Any, indent: str = "") -> str:
    """Return the lines that declare a function, laid out as ruff does."""
    parameters, result = signature_of(function)
    line = f"{indent}def {name}({', '.join(parameters)}) -> {result}: ..."
    if len(line) <= MAX_COLUMNS:
        return line
    inner = f"{indent}    {', '.join(parameters)}"
    if len(inner) > MAX_COLUMNS or len(parameters) == 1:
        inner = "\n".join(f"{indent}    {part}," for part in parameters)
    return f"{indent}def {name}(\n{inner}\n{indent}) -> {result}: ..."


def members_of(kind: type) -> Iterator[str]:
    """Return the lines that declare what a class has."""
    for name, value in vars(kind).get("__annotations__", {}).items():
        yield f"    {name}: {value.__name__}"
    for name, value in vars(kind).items():
        if isinstance(value, property):
            yield f"    @property\n{definition(name, value.fget, '    ')}"
        elif not name.startswith("_"):
            yield definition(name, value, "    ")


def stub_of(module: Any) -> str:
    """Return the stub of a module of pybind11."""
    classes, functions, values = [], [], []
    for name, value in vars(module).items():
        if name.startswith("_"):
            continue
        if isinstance(value, type):
            base = f"({value.__base__.__name__})" if issubclass(value, BaseException) else ""
            members = "\n".join(members_of(value))
            classes.append(f"class {name}{base}:" + (f"\n{members}\n" if members else " ...\n"))
        elif callable(value):
            functions.append(definition(name, value))
        else:
            values.append(f"{name}: {type(value).__name__}")
    return "\n".join([HEADER, *values, "", *classes, *functions]) + "\n"


if __name__ == "__main__":
    from warpgraph import _core

    STUB.write_text(stub_of(_core), encoding="utf-8")
