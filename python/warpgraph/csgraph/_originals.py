"""SciPy's own functions, whatever a program puts into ``scipy.sparse.csgraph`` in their place.

A program that tries this module may put our functions there: ``csgraph.dijkstra = ours.dijkstra``.
Ours call some of SciPy's, and would then call themselves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

from scipy.sparse import csgraph

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: The modules that define the public functions.
_MODULES = [
    module
    for module in vars(csgraph).values()
    if isinstance(module, ModuleType) and module.__name__.startswith(f"{csgraph.__name__}._")
]


def original(name: str) -> Any:
    """Return the public function of this name as the module has it that defines it."""
    for module in _MODULES:
        found = vars(module).get(name)
        if found is not None and getattr(found, "__module__", None) == module.__name__:
            return found
    return getattr(csgraph, name)


def like(theirs: Any) -> Callable[[_Function], _Function]:
    """Give a function the name, the signature and the docstring of one of SciPy's."""

    def named(function: _Function) -> _Function:
        functools.update_wrapper(function, theirs)
        function.__module__ = "warpgraph.csgraph"
        return function

    return named
