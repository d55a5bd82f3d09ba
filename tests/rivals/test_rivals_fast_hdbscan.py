"""fast_hdbscan's own tests call wg.cluster.HDBSCAN.

They are in its repository alone: the environment variable FAST_HDBSCAN_TESTS names the folder.
"""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

import rivals_support

FOLDER = os.environ.get("FAST_HDBSCAN_TESTS")
if FOLDER is None:
    pytest.skip(
        "FAST_HDBSCAN_TESTS names no folder: the package has no tests", allow_module_level=True
    )
pytest.importorskip("fast_hdbscan")


def _module(stem):
    """Import a file of tests under a name of its own: ours has a module test_hdbscan, too."""
    name = f"fast_hdbscan_tests.{stem}"
    spec = importlib.util.spec_from_file_location(name, Path(FOLDER) / f"{stem}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


for stem in ("test_hdbscan", "test_edge_cases"):
    rivals_support.collect(_module(stem), globals())


@pytest.fixture(autouse=True)
def swapped(request, monkeypatch):
    """Let fast_hdbscan's names mean ours."""
    rivals_support.swap(request, monkeypatch, "fast_hdbscan")
