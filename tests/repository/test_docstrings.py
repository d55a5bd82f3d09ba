"""The examples in docstrings produce the results that they show."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import warpgraph as wg


def examples_of(name):
    module = importlib.import_module(name)
    found = doctest.DocTestFinder(exclude_empty=True).find(module)
    return [test for test in found if test.examples and not is_of_scipy(module, test)]


def is_of_scipy(module, test):
    """Return whether this is a docstring of SciPy, whose function is called behind a check."""
    function = getattr(module, test.name.rpartition(".")[2], None)
    origin = getattr(inspect.unwrap(function), "__module__", None) if callable(function) else None
    return (origin or "").startswith("scipy.")


NAMES = ["warpgraph", *(m.name for m in pkgutil.walk_packages(wg.__path__, "warpgraph."))]
MODULES = sorted(
    name for name in NAMES if not name.endswith(("._core", ".__main__")) and examples_of(name)
)


def test_modules_have_examples():
    assert {"warpgraph", "warpgraph._trees.emst", "warpgraph.cluster._kmeans"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    runner = doctest.DocTestRunner(verbose=False)
    for test in examples_of(name):
        report = []
        test.globs["wg"] = wg
        runner.run(test, out=report.append)
        assert not runner.failures, "".join(report)
