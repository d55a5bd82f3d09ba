"""The laboratory's module, without which these tests are skipped: "make laboratory" builds it."""

import pytest

laboratory = pytest.importorskip("warpgraph_experiments", reason="make laboratory builds it")
