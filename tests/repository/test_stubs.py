"""Stubs declare exactly what the compiled module and the signatures of functions have."""

import pathlib
import sys

import pytest

import warpgraph
from warpgraph import _core

SCRIPTS = pathlib.Path(__file__).parents[2] / "scripts" / "stubs"


@pytest.mark.skipif(hasattr(_core, "fail_allocation"), reason="has functions for tests alone")
def test_the_stub_is_what_make_stub_writes(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
    from compiled import stub_of

    found = pathlib.Path(warpgraph.__file__).with_name("_core.pyi").read_text()
    assert found == stub_of(_core), 'the bindings have changed: run "make stub"'


@pytest.mark.parametrize("package", ["", "cluster", "csgraph", "distributed", "generators"])
def test_public_stubs_are_what_make_stub_writes(package, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
    from public import RESULTS, stub_of

    found = pathlib.Path(warpgraph.__file__).parent / package / "__init__.pyi"
    assert found.read_text(encoding="utf-8") == stub_of(package), 'run "make stub"'
    assert package in RESULTS
    assert len(RESULTS) == 5
