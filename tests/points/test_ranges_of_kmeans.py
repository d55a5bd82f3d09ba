"""KMeans where squares or sums leave the range of the points' type."""

import numpy as np
import pytest

import checks
from warpgraph.cluster import KMeans


@pytest.mark.filterwarnings("ignore:points differ by less than")  # centres near 1 beside 1e308
@pytest.mark.parametrize(("scale", "dtype"), [(1e150, "f8"), (1e30, "f4"), (1.7e308, "f8")])
@pytest.mark.parametrize("init", ["k-means++", "farthest", "random", "first"])
def test_squares_that_overflow(scale, dtype, init, device):
    near_one = np.random.default_rng(1).uniform(-1, 1, (40, 2)).astype(dtype)
    model = KMeans(3, init=init, tol=1e-3, random_state=0, device=device).fit(near_one)
    if scale == 1.7e308:  # the inertia of these is no number
        far = near_one * near_one.dtype.type(scale)
        for call in (model.fit, model.score):
            with checks.raises_sentence(OverflowError, "inertia", "float64", "divide X"):
                call(far)
        return
    exponent = round(np.log2(scale))
    far, found = np.ldexp(near_one, exponent), KMeans(**model.get_params())
    found.fit(far)
    np.testing.assert_array_equal(found.labels_, model.labels_)
    centres = np.ldexp(model.cluster_centers_, exponent)
    np.testing.assert_array_equal(found.cluster_centers_, centres)
    assert found.score(far) == -found.inertia_ == np.ldexp(model.score(near_one), 2 * exponent)


def test_sums_that_overflow(device):
    """Near each other, but so far from 0 that their sum overflows."""
    far = 1e308 * np.ones((9, 1)) + np.arange(9)[:, None] * 1e292
    with checks.raises_sentence(OverflowError, "inertia", "float64"):
        KMeans(1, device=device).fit(far)
    model = KMeans(3, init="farthest", device=device)
    with checks.raises_sentence(OverflowError, "inertia", "float64"):
        model.fit(far)
    same = KMeans(1, device=device).fit(np.full((9, 1), 1e308))
    assert same.cluster_centers_.tolist() == [[1e308]]
    assert same.inertia_ == 0
