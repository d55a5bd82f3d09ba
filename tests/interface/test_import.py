"""Effects of `import warpgraph`, and what it must not do."""

import inspect
import os
import subprocess
import sys

import pytest

import warpgraph as wg

# Each costs more than the whole package, and most users never need it.
_TOO_HEAVY = (
    "matplotlib",
    "networkx",
    "sklearn",
    "tqdm",
    "pandas",
    "scipy.cluster",
    "scipy.spatial",
)


def start_python(program, **environment):
    """Run `program` in a fresh interpreter; return the finished process."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, **environment},
    )


def run_python(program, **environment):
    """Return what a fresh interpreter prints."""
    done = start_python(program, **environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_import_brings_nothing_heavy():
    program = f"import sys, warpgraph; print([m for m in {_TOO_HEAVY} if m in sys.modules])"
    assert run_python(program).strip() == "[]"


def test_import_touches_no_driver():
    program = (
        "import pathlib, numpy, warpgraph\n"
        "warpgraph.connected_components(numpy.eye(3), device='cpu')\n"
        "mapped = pathlib.Path('/proc/self/maps').read_text()\n"
        "print([line for line in mapped.splitlines() if 'libcuda' in line or 'nvidia' in line])"
    )
    assert run_python(program).strip() == "[]"


def test_import_in_a_subinterpreter():
    name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    there = (
        "try:\n"
        "    import warpgraph\n"
        "except ImportError as error:\n"
        "    print('warpgraph cannot be imported in a subinterpreter' in str(error), flush=True)\n"
    )
    program = f"import {name} as all; all.run_string(all.create(), {there!r}); import warpgraph"
    assert run_python(program).strip() == "True"


@pytest.mark.parametrize("chosen", [None, "active"])
def test_idle_threads_sleep_unless_the_user_chose(chosen, monkeypatch):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    chose = {} if chosen is None else {"OMP_WAIT_POLICY": chosen}
    program = "import os, warpgraph; print(os.environ.get('OMP_WAIT_POLICY'))"
    done = start_python(program, OMP_DISPLAY_ENV="true", **chose)
    assert done.stdout.strip() == str(chosen)
    assert f"OMP_WAIT_POLICY = '{(chosen or 'passive').upper()}'" in done.stderr


def test_importing_neither_prints_nor_configures_logging():
    program = "import logging, warpgraph; logging.getLogger('warpgraph').warning('unheard')"
    assert run_python(program) == ""


def test_version_is_the_distributions():
    assert wg.__version__.count(".") == 2


@pytest.mark.parametrize("name", wg.__all__)
def test_public_names_exist_and_are_documented(name):
    thing = getattr(wg, name)
    documentation = inspect.getdoc(thing)
    assert documentation
    assert len(documentation.split()) >= 4
    assert name in dir(wg)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'shortest_walk'"):
        wg.shortest_walk  # noqa: B018


def test_all_is_sorted_and_complete():
    public = {
        name
        for name, value in vars(wg).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("warpgraph")
    }
    assert public <= set(wg.__all__)
    assert len(set(wg.__all__)) == len(wg.__all__)
