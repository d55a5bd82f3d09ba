"""Fixtures of pictures, which are drawn in memory."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def _drawn_in_memory():
    mpl.use("Agg")
    yield
    plt.close("all")


@pytest.fixture
def points():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in (0, 20, 50)])
