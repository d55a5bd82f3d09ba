"""What type checkers see: types of results, and wrong calls, which they report."""

import ast
import collections
import importlib
import importlib.util
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import typing

import pytest

import warpgraph as wg

HERE = pathlib.Path(__file__).parents[1]
ROOT = HERE.parent
ACCEPTED, REFUSED = (HERE / "typing" / f"{name}.py" for name in ("accepted", "refused"))
PACKAGE = pathlib.Path(wg.__file__).parent

keeps_overloads = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python keeps overloads from 3.11 on"
)


def mypy(folder):
    """Return (file, line, sentence) of each error that mypy reports; `folder` is not used."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    # mypy refuses a path of installed packages, where it finds the package without help.
    installed = PACKAGE.parent.name == "site-packages"
    environment = {**os.environ, "MYPYPATH": "" if installed else str(PACKAGE.parent)}
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--hide-error-context"]
    command += ["--follow-imports=silent", "--no-error-summary", str(ACCEPTED), str(REFUSED)]
    done = run(command, environment)
    found = re.findall(r"^(.+?):(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    assert found or done.returncode == 0, done.stdout + done.stderr
    return [(pathlib.Path(file).name, int(line), sentence) for file, line, sentence in found]


def pyright(folder):
    """Return what `mypy` does, of pyright or its fork basedpyright; `folder` is for its options."""
    name = next((n for n in ("basedpyright", "pyright") if importlib.util.find_spec(n)), None)
    if name is None:
        pytest.skip("neither pyright nor basedpyright is installed")
    config = {"typeCheckingMode": "standard", "include": [str(ACCEPTED), str(REFUSED)]}
    config |= {"extraPaths": [str(PACKAGE.parent)], "reportUnusedExpression": False}
    file = folder / "pyrightconfig.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    command = [sys.executable, "-m", name, "--outputjson", "--project", str(file)]
    done = run([*command, "--pythonpath", sys.executable], os.environ)
    assert done.stdout, done.stderr
    errors = [e for e in json.loads(done.stdout)["generalDiagnostics"] if e["severity"] == "error"]
    return [
        (pathlib.Path(e["file"]).name, e["range"]["start"]["line"] + 1, e["message"])
        for e in errors
    ]


def run(command, environment):
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def wrong_calls():
    """Return the numbers and the text of the lines of REFUSED that have a wrong call."""
    lines = list(enumerate(REFUSED.read_text(encoding="utf-8").splitlines(), 1))
    first = next(number for number, line in lines if "no_such_name" in line)
    return {number: line for number, line in lines if number >= first and line}


@pytest.mark.parametrize("checker", [mypy, pyright], ids=lambda checker: checker.__name__)
def test_type_checkers_know_results_and_report_wrong_calls(checker, tmp_path):
    errors = checker(tmp_path)
    assert [error for error in errors if error[0] == ACCEPTED.name] == []
    reported = {line for file, line, _ in errors if file == REFUSED.name}
    assert {n: text for n, text in wrong_calls().items() if n not in reported} == {}
    assert reported <= wrong_calls().keys()


def option_types():
    """Return the module that is for type checkers alone."""
    pytest.importorskip("typing_extensions")
    return importlib.import_module("warpgraph._arguments.types")


def stub(module):
    """Return the parsed stub of a module; None: type checkers read its source."""
    file = pathlib.Path(module.__file__).with_suffix(".pyi")
    return ast.parse(file.read_text(encoding="utf-8")) if file.exists() else None


def overloads():
    """Return the overloads of functions in stubs."""
    found = collections.defaultdict(list)
    for module in public_modules():
        for node in getattr(stub(module), "body", []):
            if isinstance(node, ast.FunctionDef):
                found[getattr(module, node.name)].append(node)
    return found


def test_overloads_have_all_parameters():
    found = overloads()
    assert {wg.sssp, wg.pagerank, wg.csgraph.dijkstra, wg.distributed.bfs} <= found.keys()
    for function, declared in found.items():
        parameters = list(inspect.signature(function).parameters)
        for node in declared:
            named = [argument.arg for argument in node.args.args + node.args.kwonlyargs]
            assert named == parameters, function


def test_methods_are_those_of_the_functions():
    types = option_types()
    for module, accepted in (
        ("_paths.sssp", types.SsspMethod),
        ("_paths.many_to_many", types.ManyToManyMethod),
        ("_paths.apsp", types.AllPairsMethod),
        ("_rank.pagerank", types.PagerankMethod),
        ("_trees.mst", types.ForestMethod),
    ):
        found = importlib.import_module(f"warpgraph.{module}")
        methods = getattr(found, "METHODS", None) or found._METHODS
        assert typing.get_args(accepted) == methods, module


def test_a_type_checker_sees_the_lazy_modules():
    (seen,) = (node for node in stub(wg).body if getattr(node, "module", "") == "warpgraph")
    known = sorted([*wg.__all__, *wg._UNLISTED])
    modules = [name for name in known if inspect.ismodule(getattr(wg, name))]
    assert [alias.name for alias in seen.names] == modules


def public_modules():
    return [wg, *(v for name in wg.__all__ if inspect.ismodule(v := getattr(wg, name)))]


def public_functions():
    """Yield (name, function) of functions and of methods and properties of classes."""
    own = [(m, name, getattr(m, name)) for m in public_modules() for name in m.__all__]
    for module, name, value in own:
        members = vars(value).items() if inspect.isclass(value) else [("", value)]
        for member, function in members:
            function = getattr(function, "fget", getattr(function, "__func__", function))
            # Some functions of csgraph are SciPy's behind a check, with SciPy's signature.
            origin = inspect.unwrap(function) if callable(function) else function
            is_own = str(getattr(origin, "__module__", "")).partition(".")[0] == "warpgraph"
            if inspect.isfunction(function) and is_own and not member.startswith("_"):
                yield f"{module.__name__}.{name}.{member}", function


@keeps_overloads
def test_no_result_is_any():
    declared = overloads()
    found = set()
    for name, function in public_functions():
        results = [ast.unparse(node.returns) for node in declared.get(function, [])]
        signatures = typing.get_overloads(function) or [function]
        if "Any" in (results or [s.__annotations__["return"] for s in signatures]):
            found.add(name)
    assert found == set()
