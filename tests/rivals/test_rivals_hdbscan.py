"""hdbscan's own tests call wg.cluster.HDBSCAN, RobustSingleLinkage and validity_index."""

import pytest

import rivals_support

pytest.importorskip("hdbscan.tests", reason="hdbscan is not installed, or without its tests")

for name in ("test_hdbscan", "test_rsl"):
    module = pytest.importorskip(f"hdbscan.tests.{name}")
    rivals_support.collect(module, globals())


@pytest.fixture(autouse=True)
def swapped(request, monkeypatch):
    """Let hdbscan's names mean ours."""
    rivals_support.swap(request, monkeypatch, "hdbscan")
