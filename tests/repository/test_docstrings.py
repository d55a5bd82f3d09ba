"""Examples in docstrings produce the results that they show; options are described once."""

import doctest
import importlib
import inspect
import pkgutil
import sys
import textwrap
from pathlib import Path

import pytest

import warpgraph as wg

sys.path.append(str(Path(__file__).parents[2] / "scripts" / "docstrings"))
import option_docs
import option_texts


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


def public_docstrings():
    """Return the docstrings of all public functions, classes and methods of the package by name."""
    modules = [wg, *(v for name in wg.__all__ if inspect.ismodule(v := getattr(wg, name)))]
    found = {f"{m.__name__}.{name}": getattr(m, name) for m in modules for name in m.__all__}
    found = {name: value for name, value in found.items() if is_own(value)}
    for name, owner in list(found.items()):
        if inspect.isclass(owner):
            found |= {f"{name}.{k}": v for k, v in vars(owner).items() if k[0] != "_"}
    return {name: inspect.getdoc(value) or "" for name, value in found.items()}


def is_own(value):
    made = inspect.unwrap(value) if callable(value) else value
    return getattr(made, "__module__", "").startswith("warpgraph")  # others are SciPy's


def as_module(docstring):
    """Return the source of a function that has a docstring."""
    return f'def function():\n    r"""Summary.\n\n{textwrap.indent(docstring, " " * 4)}\n    """\n'


def test_public_names_describe_options_in_the_same_words():
    sources = {name: as_module(text) for name, text in public_docstrings().items() if text}
    assert {"warpgraph.sssp", "warpgraph.csgraph.yen", "warpgraph.Graph.write"} <= sources.keys()
    entries = [entry for source in sources.values() for entry in option_docs.entries_of(source)]
    assert len(entries) > 400
    assert {entry.name for entry in entries} == option_texts.OPTIONS.keys()
    others = {name: option_docs.unknown(source) for name, source in sources.items()}
    assert {name: found for name, found in others.items() if found} == {}


def test_docstrings_use_every_description():
    sources = [file.read_text(encoding="utf-8") for file in option_docs.PACKAGE.rglob("*.py")]
    entries = [entry for source in sources for entry in option_docs.entries_of(source)]
    used = {(e.name, option_docs.variant_of(e.name, e.kind, e.text)) for e in entries}
    assert len(entries) > 400
    listed = {(name, v) for name, variants in option_texts.OPTIONS.items() for v in variants}
    assert listed - used == set()


def function_with(entry):
    """Return the source of a function with an entry between two others that have no rule."""
    return as_module(
        f"Parameters\n----------\nfirst : int\n    A number.\n{entry}\nlast : int\n    Another.\n\n"
        "Returns\n-------\nseed : int\n    Not of the parameters."
    )


@pytest.mark.parametrize(
    ("entry", "corrected"),
    [
        (
            "device : str\n    Where it runs: see `warpgraph.devices`. One core merges.",
            "device : str\n    Where to run; see `warpgraph.devices`. One core merges.",
        ),
        (
            "unweighted : bool, optional\n    True: every edge weighs 1.",
            "unweighted : bool\n    True: every edge weighs 1.",
        ),
        (
            "seed : int\n    The same seed always gives the same result. It is the seed of "
            "``random.Random(seed)``, which\n    shuffles.",
            "seed : int\n    The same seed gives the same result. It is the seed of "
            "``random.Random(seed)``, which\n    shuffles.",
        ),
    ],
)
def test_an_entry_that_resembles_a_description_gets_its_words(entry, corrected):
    source = function_with(entry)
    assert [line for line, _ in option_docs.unknown(source)] == [8]
    assert option_docs.rewritten(source) == function_with(corrected)
    assert option_docs.unknown(function_with(corrected)) == []


@pytest.mark.parametrize(
    "entry",
    [
        "seed : int\n    Where random numbers begin.",
        "progress : bool or callable, optional\n    A callable of ``(done, total)``.",
        "limit : float\n    As `sssp` has it.",
    ],
)
def test_an_entry_in_other_words_is_reported_and_stays(entry):
    source = function_with(entry)
    name, kind, *text = entry.replace("\n", " : ", 1).split(" : ")
    assert option_docs.unknown(source) == [(8, f"{name} : {kind}: {' : '.join(text).strip()}")]
    assert option_docs.rewritten(source) == source


@pytest.mark.parametrize(
    "entry",
    [
        "seed : int\n    The same seed gives the same result.",
        "seed : int\n    The same seed gives the\n    same result. Another gives another.",
        "limit : float\n    As for `sssp`; inf by default.",
        "progress : bool or callable, optional\n    True for a progress bar, or a callable "
        "``(done, total)``; counts\n    vertices. At the end, all.",
        "seed\n    An entry of an internal function, without a type.",
    ],
)
def test_an_entry_may_say_more_or_refer_to_another_function(entry):
    assert option_docs.unknown(function_with(entry)) == []


def test_the_command_corrects_and_reports(tmp_path, monkeypatch, capsys):
    file = tmp_path / "walk.py"
    file.write_text(function_with("seed : int\n    The same seed yields the same result."))
    command = ["option_docs.py", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", [*command, "--check"])
    with pytest.raises(SystemExit, match="1 descriptions"):
        option_docs.main()
    assert f"{file}:8: seed : int: The same seed yields" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", [*command, "--write"])
    option_docs.main()
    assert file.read_text() == function_with("seed : int\n    The same seed gives the same result.")
