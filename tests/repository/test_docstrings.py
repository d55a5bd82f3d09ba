"""The examples in docstrings produce the results that they show."""

import doctest
import importlib
import inspect
import pkgutil
import re

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


#: What the descriptions of options that many functions have begin with.
OPTIONS = {
    "device": r"Where (to|workers|the worker) .*see `|\"auto\"(:| or \"cpu\": )",
    "directed": r"False: edges have no direction[;:,.]",
    "dtype": r"Type (of the (distances|lengths)|in which lengths are added up)\. By default "
    r"float32 for float32 weights, otherwise float64, with a warning where integers add up to 2",
    "limit": r"Vertices (farther than this count as unreachable|more than this many edges away)",
    "memory_limit": r'Bytes, or a size such as "2GB" or "512 MiB", (that|of scratch memory that) ',
    "progress": r"True for a progress bar, or a callable ``\(done, total\)``[ ;.]",
    "return_predecessors": r"Return the (tree|trees|paths)( of shortest paths)?, too\.$",
    "unweighted": r"True: every edge weighs 1\.$",
    "weight": r"Attribute of a NetworkX graph that has the (weights|distances)[;,]",
}


#: Functions and classes with one of these compute something, but for `warpgraph.io.read`.
OF_COMPUTING = {"device", "memory_limit", "progress", "return_predecessors"}


def described(documentation):
    """Return the descriptions of parameters in a numpydoc docstring, by name."""
    section = documentation.partition("Parameters\n----------\n")[2]
    section = re.split(r"\n\n\S.*\n-+\n", section)[0] + "\n"
    entries = re.findall(r"^(\w+) : .*\n((?:    .*\n|\n)+)", section, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}


def options_of_public_names():
    """Return the descriptions of parameters of all public functions and classes that compute."""
    modules = [wg, *(v for name in wg.__all__ if inspect.ismodule(v := getattr(wg, name)))]
    names = {f"{m.__name__}.{name}": getattr(m, name) for m in modules for name in m.__all__}
    del names["warpgraph.io.read"]
    found = {name: described(inspect.getdoc(value) or "") for name, value in names.items()}
    return {name: options for name, options in found.items() if options.keys() & OF_COMPUTING}


def test_options_are_described_in_the_same_words():
    found = options_of_public_names()
    assert {"warpgraph.sssp", "warpgraph.cluster.HDBSCAN", "warpgraph.csgraph.yen"} <= found.keys()
    others = {
        f"{name}, {option}": text
        for name, options in found.items()
        for option, text in options.items()
        if option in OPTIONS and not re.match(OPTIONS[option], text)
    }
    assert others == {}
