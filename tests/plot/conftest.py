"""Fixtures of pictures, which are drawn in memory."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import warpgraph as wg


@pytest.fixture(autouse=True)
def _drawn_in_memory():
    mpl.use("Agg")
    yield
    plt.close("all")


@pytest.fixture
def points():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in (0, 20, 50)])


@pytest.fixture
def town():
    """A grid of 4 x 5 streets; vertex v is at (v % 5, v // 5)."""
    graph = wg.generators.grid(4, 5, seed=1, weights=(1, 9))
    return wg.Graph(graph, coordinates=np.stack(np.divmod(np.arange(20), 5)[::-1], axis=1))
