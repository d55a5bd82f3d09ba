"""The laboratory's module, without which these tests are skipped: "make experiments" builds it."""

import pytest

laboratory = pytest.importorskip("warpgraph_experiments", reason="make experiments builds it")
