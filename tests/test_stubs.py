"""_core.pyi declares exactly what the compiled module has."""

import ast
import inspect
import pathlib
import re

import warpgraph
from warpgraph import _core

_STUBS = pathlib.Path(warpgraph.__file__).with_name("_core.pyi")


def declared():
    """Return the stub's top-level definitions by name."""
    tree = ast.parse(_STUBS.read_text())
    named = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            named[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            named[node.target.id] = node
    return named


def built():
    return {name for name in vars(_core) if not name.startswith("_")}


def parameters_of_stub(function):
    return [argument.arg for argument in function.args.args if argument.arg != "self"]


def parameters_of_binding(function):
    """Read pybind11's generated signature; unnamed parameters are called arg0, arg1 there."""
    signature = inspect.getdoc(function).splitlines()[0]
    names = re.findall(r"[(,] ?(\w+):", signature)
    return [name for name in names if name != "self"]


def test_same_names():
    assert set(declared()) == built()


def test_same_methods():
    for name, node in declared().items():
        if not isinstance(node, ast.ClassDef) or issubclass(getattr(_core, name), Exception):
            continue
        methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        public = {m for m in vars(getattr(_core, name)) if not m.startswith("_")}
        assert methods - {"__init__"} == public


def test_same_parameters():
    for name, node in declared().items():
        if not isinstance(node, ast.FunctionDef):
            continue
        names = parameters_of_binding(getattr(_core, name))
        wanted = parameters_of_stub(node)
        assert len(names) == len(wanted), name
        for bound, stub in zip(names, wanted, strict=True):
            assert bound == stub or bound.startswith("arg"), (
                f"{name}: {bound} is {stub} in the stub"
            )
