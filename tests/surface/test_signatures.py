"""Signatures, as help() shows them, have types."""

import dataclasses
import inspect

import pytest

import warpgraph as wg

MODULES = [wg, *(v for name in wg.__all__ if inspect.ismodule(v := getattr(wg, name)))]


def is_own(value):
    return str(getattr(value, "__module__", "")).partition(".")[0] == "warpgraph"


def functions_of(module):
    """Yield (name, function) of the functions of a module, and of methods of its classes."""
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isfunction(value) and is_own(inspect.unwrap(value)):
            yield name, value
        for member, function in vars(value).items() if inspect.isclass(value) else ():
            function = getattr(function, "fget", getattr(function, "__func__", function))
            is_made = member == "__init__" and dataclasses.is_dataclass(value)
            is_shown = not member.startswith("_") or member == "__init__"
            if inspect.isfunction(function) and is_own(value) and is_shown and not is_made:
                yield f"{name}.{member}", function


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_parameter_and_result_has_a_type(module):
    untyped = {"Any", inspect.Parameter.empty}
    found = []
    for name, function in functions_of(module):
        signature = inspect.signature(function)
        for parameter in list(signature.parameters.values()):
            is_self = parameter.name in ("self", "cls")
            is_named = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            if is_named and not is_self and parameter.annotation in untyped:
                found.append(f"{name}({parameter.name})")
        if signature.return_annotation in untyped and not name.endswith("__init__"):
            found.append(f"{name} -> ?")
    assert not found


def test_positional_columns_of_tables():
    """As in networkx.from_pandas_edgelist."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": ["x"], "b": ["y"], "km": [2.0], "min": [7.0]})
    for arguments in (("a", "b", "min"), ("b", "a", "km"), ("a", "b", None)):
        names = dict(zip(("source", "target", "weight"), arguments, strict=True))
        by_name = wg.Graph.from_dataframe(frame, **names)
        assert (wg.Graph.from_dataframe(frame, *arguments).to_csr() != by_name.to_csr()).nnz == 0
