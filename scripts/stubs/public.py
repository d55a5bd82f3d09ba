"""Writes the stubs of the public packages whose functions have overloads.

    python scripts/stubs/public.py [--check]

Type checkers read an ``__init__.pyi`` in place of the ``__init__.py`` beside it. It has the same
names, and of some functions an overload for each type that the result may have. Parameters are
those of the function's signature, results are in `RESULTS`. The modules in which functions are
defined have no stubs, so that their bodies are checked. Sources are parsed, not imported.

With ``--check``, nothing is written, and it is an error if a stub would change.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[2] / "python" / "warpgraph"
HEADER = "# Written by scripts/stubs/public.py from the signatures of functions: make stub.\n"
MAX_COLUMNS = 100

#: Types of parameters that decide on the type of a result, which is the second item.
Case = tuple[dict[str, str], str]

INTS = "types.Int32Array"
FLOATS = "types.FloatArray"
EDGE_IDS = "npt.NDArray[np.int64]"
DTYPE = "types.DType"
DISTANCES = "npt.NDArray[types.Kind]"
NEW = {"out": f"{DISTANCES} | None", "dtype": f"{DTYPE}[types.Kind] | None"}
ON_DEVICE = ({"out": "types.OnDevice"}, "types.OnDevice")


def flagged(flag: str, *cases: Case, adds: str = INTS) -> list[Case]:
    """Return the cases of a flag: if it is True, the result has another array at its end."""
    found = []
    for types, result in cases:
        items = result[len("tuple[") : -1] if result.startswith("tuple[") else result
        longer = f"tuple[{items}, {adds}]"
        found += [
            (types | {flag: "Literal[False]"}, result),
            (types | {flag: "Literal[True]"}, longer),
            (types | {flag: "bool"}, f"{result} | {longer}"),
        ]
    return found


def with_tree(*cases: Case, adds: str = INTS) -> list[Case]:
    """Return the cases of a search, which may return predecessors, too."""
    return flagged("return_predecessors", *cases, adds=adds)


def among(flag: str, value: bool, cases: list[Case]) -> list[Case]:
    """Return the cases with one value of another flag."""
    return [({flag: f"Literal[{value}]"} | types, result) for types, result in cases]


SEARCH = with_tree((NEW, DISTANCES), ON_DEVICE)
NEAREST = NEW | {"method": "types.NearestMethod"}
PATHS = "tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[Any]]"
ORDER = with_tree(({}, INTS))
SCIPYS_SEARCH = with_tree(({}, FLOATS))
NEW_OR_OUT = [({"out": "None"}, FLOATS), ({"out": "types.Out"}, "types.Out")]
METRIC = "types.Metric | types.MetricFunction | types.CompiledFunction"
TASKS = with_tree(({}, "VertexValues"), adds="VertexValues")

#: The functions with overloads of each package, and what decides on the types of their results.
RESULTS: dict[str, dict[str, list[Case]]] = {
    "": {
        "accessibility": [
            ({"opportunities": "None"}, "npt.NDArray[np.int64]"),
            ({"opportunities": "npt.ArrayLike"}, FLOATS),
        ],
        "apsp": SEARCH,
        "bfs": with_tree(({"out": f"{INTS} | None"}, INTS), ON_DEVICE),
        "bottleneck_paths": flagged("return_edges", ({}, "types.Weights"), adds=EDGE_IDS),
        "breadth_first_order": ORDER,
        "connected_components": [
            ({"out": "None"}, f"tuple[int, {INTS}]"),
            ({"out": "types.Out"}, "tuple[int, types.Out]"),
        ],
        "depth_first_order": ORDER,
        "many_to_many": [
            *among("min_only", False, SEARCH),
            *among("min_only", True, with_tree((NEAREST, f"tuple[{DISTANCES}, {INTS}]"))),
        ],
        "minimum_spanning_forest": [
            ({"out": "None"}, "SpanningForest"),
            ({"out": "types.DeviceArray"}, "int"),
        ],
        "pagerank": NEW_OR_OUT,
        "predicate_filter": [
            ({"values": DISTANCES, "out": f"{DISTANCES} | None"}, DISTANCES),
            ({"values": "types.OnDevice", "out": "types.OnDevice | None"}, "types.OnDevice"),
            (
                {"values": "Sequence[float]", "out": "npt.NDArray[Any] | None"},
                "npt.NDArray[np.int64 | np.float64]",
            ),
        ],
        "show_config": [
            ({"mode": 'Literal["stdout"]'}, "None"),
            ({"mode": 'Literal["dicts"]'}, "dict[str, Any]"),
        ],
        "shortest_paths": [
            ({"return_paths": "Literal[True]"}, PATHS),
            ({"return_paths": "Literal[False]"}, "npt.NDArray[Any]"),
        ],
        "sssp": SEARCH,
    },
    "cluster": {
        "euclidean_mst": [
            ({"out": "None"}, "SpanningForest"),
            ({"out": "tuple[types.Edges, types.Out]"}, "tuple[types.Edges, types.Out]"),
        ],
        "single_linkage": [({"metric": METRIC} | types, r) for types, r in NEW_OR_OUT],
        "validity_index": flagged("per_cluster_scores", ({}, "float"), adds=FLOATS),
    },
    "csgraph": {
        "bellman_ford": SCIPYS_SEARCH,
        "breadth_first_order": ORDER,
        "connected_components": flagged("return_labels", ({}, "int")),
        "depth_first_order": ORDER,
        "dijkstra": [
            *among("min_only", False, SCIPYS_SEARCH),
            *among("min_only", True, with_tree(({}, FLOATS), adds=f"{INTS}, {INTS}")),
        ],
        "floyd_warshall": SCIPYS_SEARCH,
        "johnson": SCIPYS_SEARCH,
        "shortest_path": SCIPYS_SEARCH,
        "yen": SCIPYS_SEARCH,
    },
    "distributed": {"bfs": TASKS, "sssp": TASKS},
    "generators": {
        "random_points": flagged(
            "return_labels", ({"dtype": f"{DTYPE}[types.Float] | None"}, "npt.NDArray[types.Float]")
        ),
    },
}

Imports = dict[str, tuple[str, str]]

#: Modules of names that a function's own module need not import.
KNOWN: Imports = {
    "Any": ("typing", "Any"),
    "Literal": ("typing", "Literal"),
    "Sequence": ("collections.abc", "Sequence"),
    "npt": ("numpy.typing", ""),
    "overload": ("typing", "overload"),
    "types": ("warpgraph._arguments", "types"),
}


def parsed(module: str) -> ast.Module:
    """Return the source of a module of the package."""
    file = PACKAGE.parent / module.replace(".", "/")
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


def imports_of(tree: ast.Module) -> Imports:
    """Return the module that each imported name is from, and its name there or ""."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {a.asname or a.name: (str(node.module), a.name) for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.asname or a.name: (a.name, "") for a in node.names}
    return found


def constant(tree: ast.Module, name: str) -> Any:
    """Return what a module assigns to a name; None: nothing."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return ast.literal_eval(node.value)
    return None


def parameter(name: str, own: str, default: ast.expr | None, decisive: str | None) -> str:
    """Return a parameter with its type, and with its default unless a decisive type excludes it."""
    kind = decisive or own
    if default is None:
        return f"{name}: {kind}"
    value = ast.unparse(default).replace("'", '"') if isinstance(default, ast.Constant) else "..."
    is_excluded = value == "None" or str(decisive).startswith("Literal[")
    if decisive and is_excluded and value not in decisive:
        return f"{name}: {kind}"
    return f"{name}: {kind} = {value}"


def parameters_of(function: ast.FunctionDef, types: dict[str, str]) -> Iterator[str]:
    """Yield the parameters of an overload, the first required one after a default by keyword."""
    arguments = function.args
    positional = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults
    named = arguments.args + arguments.kwonlyargs
    defaults = positional + arguments.kw_defaults
    is_keyword, has_default = False, False
    for k, (argument, default) in enumerate(zip(named, defaults, strict=True)):
        own = ast.unparse(argument.annotation) if argument.annotation else "Any"
        text = parameter(argument.arg, own, default, types.get(argument.arg))
        if not is_keyword and (k >= len(positional) or (has_default and " = " not in text)):
            is_keyword = True
            yield "*"
        has_default = " = " in text
        yield text


def overloads(function: ast.FunctionDef, cases: list[Case]) -> Iterator[str]:
    """Yield the overloads of a function, laid out as ruff does."""
    names = {argument.arg for argument in function.args.args + function.args.kwonlyargs}
    for types, result in cases:
        if unknown := types.keys() - names:
            raise ValueError(f"{function.name} has no parameters {sorted(unknown)}")
        lines = "".join(f"    {text},\n" for text in parameters_of(function, types))
        end = f") -> {result}: ..."
        if len(end) > MAX_COLUMNS:
            end = ") -> (\n    " + result.replace(" | ", "\n    | ") + "\n): ..."
        yield f"@overload\ndef {function.name}(\n{lines}{end}\n"


def from_line(module: str, names: list[str]) -> str:
    """Return an import of names, classes before functions, laid out as ruff does."""
    names = sorted(names, key=lambda name: (not name[0].isupper(), name))
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= MAX_COLUMNS:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")"


def import_lines(imports: Imports) -> str:
    """Return the imports in the groups of ruff: standard library, others, this package."""
    plain: dict[int, list[str]] = {0: [], 1: [], 2: []}
    members: dict[int, dict[str, list[str]]] = {0: {}, 1: {}, 2: {}}
    for name, (module, original) in imports.items():
        package = module.split(".")[0]
        group = 2 if package == "warpgraph" else int(package not in sys.stdlib_module_names)
        if original:
            # What is not in __all__ is public if it has an alias.
            text = f"{name} as {name}" if name.startswith("__") else original
            members[group].setdefault(module, []).append(text)
        else:
            plain[group].append(f"import {module} as {name}")
    groups = [
        [*sorted(plain[group]), *(from_line(*item) for item in sorted(members[group].items()))]
        for group in plain
    ]
    return "\n\n".join("\n".join(lines) for lines in groups if lines)


def stub_of(package: str) -> str:
    """Return the stub of a public package; "" is warpgraph itself."""
    module = f"warpgraph.{package}".rstrip(".")
    tree = parsed(module)
    public, lazy = constant(tree, "__all__"), constant(tree, "_MODULES") or {}
    imported = imports_of(tree)
    imports = {name: imported[name] for name in [*public, "__version__"] if name in imported}
    for name in set(public) - imported.keys():  # what __getattr__ imports
        imports[name] = (f"{module}.{lazy[name]}" if lazy else module, name)
    for name in constant(tree, "_UNLISTED") or ():
        imports[name] = (module, f"{name} as {name}")
    definitions = ""
    for name, cases in RESULTS[package].items():
        source = parsed(imports.pop(name)[0])
        function = next(node for node in source.body if getattr(node, "name", "") == name)
        assert isinstance(function, ast.FunctionDef)
        text = "".join(overloads(function, cases))
        used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        known = KNOWN | imports_of(source)
        imports |= {name: known[name] for name in used & known.keys()}
        definitions += text
    names = "".join(f'    "{name}",\n' for name in public)
    return f"{HEADER}{import_lines(imports)}\n\n__all__ = [\n{names}]\n\n{definitions}"


def main() -> None:
    """Write the stubs or, with --check, compare them."""
    for package in RESULTS:
        file, text = PACKAGE / package / "__init__.pyi", stub_of(package)
        if "--check" not in sys.argv[1:]:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            raise SystemExit(f'{file}: signatures have changed: run "make stub"')


if __name__ == "__main__":
    main()
