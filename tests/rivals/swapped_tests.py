"""Other packages' own tests, collected under names of ours, with our functions swapped in.

No line of theirs is copied: their installed test modules are imported. A test function of ours
shares the code and the globals of theirs, so what a test looks up there can be exchanged.
"""

import inspect
import sys
import types

import pytest


def is_fixture(value):
    """Return whether a value of a module is a fixture of pytest."""
    return hasattr(value, "_pytestfixturefunction") or "FixtureFunction" in type(value).__name__


def with_marks(function, marks=(), without=()):
    """Return a copy of a test function with its own marks and others.

    Values of parameters become lists: pytest warns of iterators, which a module may have. Values
    that are in `without`, or hold an item that is, are left out.
    """
    copied = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    for mark in [*getattr(function, "pytestmark", []), *marks]:
        args, options = mark.args, dict(mark.kwargs)
        if mark.name == "parametrize" and len(args) > 1:
            values = list(args[1])
            kept = [i for i, value in enumerate(values) if not _holds(value, without)]
            args = (args[0], [values[i] for i in kept], *args[2:])
            if isinstance(options.get("ids"), (list, tuple)):
                options["ids"] = [options["ids"][i] for i in kept]
        copied = getattr(pytest.mark, mark.name).with_args(*args, **options)(copied)
    return copied


def _holds(value, objects):
    items = value if isinstance(value, tuple) else (value,)
    return any(item is one for item in items for one in objects)


def collect(module, into, marks=(), without=(), leave_out=()):
    """Put the test functions of a module into a namespace, under its own name and theirs.

    without: values of parameters that are left out; leave_out: beginnings of tests' names.
    """
    own = getattr(module, "pytestmark", [])
    own = own if isinstance(own, list) else [own]
    stem = module.__name__.rsplit(".", 1)[-1]
    for name, value in list(vars(module).items()):
        if is_fixture(value):
            assert name not in into, f"two modules of tests have a fixture {name}"
            into[name] = value
        elif (
            name.startswith("test")
            and inspect.isfunction(value)
            and not name.startswith(tuple(leave_out))
        ):
            into[f"{stem}_{name}"] = with_marks(value, [*own, *marks], without)


def swap(monkeypatch, request, ours):
    """Let names of a test's module, and its parameters, that are one of their objects be ours.

    ours: a list of pairs (their object, ours).
    """
    module = sys.modules[request.function.__module__]
    call = getattr(request.node, "callspec", None)
    for name, value in list(call.params.items()) if call else ():
        for theirs, mine in ours:
            if value is theirs:
                monkeypatch.setitem(call.params, name, mine)
    for name, value in list(vars(module).items()):
        for theirs, mine in ours:
            if value is theirs:
                monkeypatch.setattr(module, name, mine)
