"""The pages of the API reference, from the names in ``__all__``.

A name that is added to ``warpgraph.__all__``, or to that of a module therein, gets its page without
a change here.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import warpgraph

#: numpydoc's checks of each docstring: all but those named here. Several parameters may share an
#: entry, which then refers to another function (PR); what one sentence says needs no sections (ES,
#: PR01, RT, SA); tests/repository/test_docs.py requires the examples of names, not of their
#: members (EX).
_OPTIONAL = {"ES01", "EX01", "SA01", "PR01", "PR03", "PR04", "PR07", "RT01", "RT02", "RT03"}
VALIDATION = {"all", *_OPTIONAL}

_TITLES = {"classes": "Classes", "functions": "Functions", "data": "Constants"}
_OTHERS = "Of SciPy"


def public_modules() -> dict[str, ModuleType]:
    """Return the package and its public modules by name."""
    values = [getattr(warpgraph, name) for name in warpgraph.__all__]
    modules = [warpgraph, *(value for value in values if isinstance(value, ModuleType))]
    return {module.__name__: module for module in modules}


def public_names(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the public names of a module, without modules, and what they mean."""
    for name in module.__all__:
        if not isinstance(value := getattr(module, name), ModuleType):
            yield name, value


def is_own(value: Any) -> bool:
    """Return whether a value is this package's, not for example SciPy's behind a check."""
    made = inspect.unwrap(value) if callable(value) else value
    return getattr(made, "__module__", warpgraph.__name__).partition(".")[0] == warpgraph.__name__


def _kind(value: Any) -> str:
    if inspect.isclass(value):
        return "classes"
    return "functions" if inspect.isroutine(value) else "data"


def page(module: ModuleType) -> str:
    """Return the page of a module: its docstring, and tables of what it has."""
    name = module.__name__
    title = f"``{name}``"
    lines = [title, "=" * len(title), "", f".. automodule:: {name}", ""]
    by_kind: dict[str, list[str]] = {kind: [] for kind in _TITLES}
    foreign = []
    for public, value in public_names(module):
        if is_own(value):
            by_kind[_kind(value)].append(public)
        else:
            foreign.append(f"   * ``{public}``")
    for kind, names in by_kind.items():
        if names:
            lines += ["", _TITLES[kind], "-" * len(_TITLES[kind]), ""]
            lines += [f".. currentmodule:: {name}", "", ".. autosummary::", "   :toctree: .", ""]
            lines += [f"   {public}" for public in sorted(names, key=str.lower)]
    if foreign:
        lines += ["", _OTHERS, "-" * len(_OTHERS), "", ".. hlist::", "", *sorted(foreign)]
    if module is warpgraph:
        others = [other for other in public_modules() if other != name]
        lines += ["", "Modules", "-------", "", ".. toctree::", "   :maxdepth: 1", ""]
        lines += [f"   {other}" for other in others]
    return "\n".join(lines) + "\n"


def index() -> str:
    """Return a page that lists every class and function of all modules, with one line each."""
    title = "All functions and classes"
    lines = [title, "=" * len(title), ""]
    for name, module in public_modules().items():
        own = [public for public, value in public_names(module) if is_own(value)]
        if not own:
            continue
        heading = f"``{name}``"
        lines += ["", heading, "-" * len(heading), "", f".. currentmodule:: {name}", ""]
        lines += [
            ".. autosummary::",
            "",
            *(f"   {public}" for public in sorted(own, key=str.lower)),
        ]
    return "\n".join(lines) + "\n"


def write(folder: Path) -> None:
    """Write the page of each module and that of all names, where they have changed.

    Pages that earlier runs made of names that are gone, or not this package's, are removed.
    """
    folder.mkdir(exist_ok=True)
    kept = {"all", *public_modules()}
    for name, module in public_modules().items():
        kept |= {f"{name}.{public}" for public, value in public_names(module) if is_own(value)}
    for file in folder.glob("*.rst"):
        if file.stem not in kept:
            file.unlink()
    pages = {name: page(module) for name, module in public_modules().items()}
    for name, text in (pages | {"all": index()}).items():
        file = folder / f"{name}.rst"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def skip_inherited(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> Any:
    """Tell Sphinx to leave out methods made by scikit-learn, whose pages they refer to."""
    return True if name in {"set_fit_request", "set_score_request"} else None
