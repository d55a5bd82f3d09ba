"""_core.pyi declares exactly what the compiled module has."""

import pathlib
import sys

import pytest

import warpgraph
from warpgraph import _core

SCRIPTS = pathlib.Path(__file__).parents[2] / "scripts"


@pytest.mark.skipif(hasattr(_core, "fail_allocation"), reason="has functions for tests alone")
def test_the_stub_is_what_make_stub_writes(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
    from make_stub import stub_of

    found = pathlib.Path(warpgraph.__file__).with_name("_core.pyi").read_text()
    assert found == stub_of(_core), 'the bindings have changed: run "make stub"'
